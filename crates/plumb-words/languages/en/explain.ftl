### Bottlenecks of an application, and advice.

## Where figures come from

explain-source-trace = trace { $file }, { $begin } to { $end }
explain-source-counters = counters in { $file }, { $begin } to { $end }
explain-source-load = the load in { $file }, { $begin } to { $end }
explain-figure-outstanding = outstanding on average
explain-figure-outstanding-most = outstanding at most
explain-figure-waiting = of the time callers wait for the storage
explain-figure-requests = reads and writes
explain-figure-size = bytes per request
explain-figure-time = time per request
explain-figure-bytes = throughput
explain-figure-path = of what the path can carry
explain-figure-round-trip = round trip
explain-figure-round-trip-share = of the time of all calls are round trips
explain-figure-metadata = metadata calls
explain-figure-metadata-time = time per metadata call
explain-figure-metadata-share = of the time of all calls is metadata
explain-figure-credits-share = of the requests took the last credit or waited for one
explain-figure-credits = credits in use at most
explain-figure-flushes = flushes
explain-figure-flush-time = time per flush
explain-figure-flush-share = of the time of all calls are flushes
explain-figure-request-cost = fixed time of a request
explain-figure-bytes-cost = transfer time of its bytes
explain-figure-sequential = of the requests start where the previous one ended
explain-figure-busiest-core = busiest core
explain-figure-all-cores = all cores

## Missing input

explain-lacks-outstanding = how many requests were outstanding, on average and at most: a trace or capture (plumb trace), or counters: of plumb watch, or 'Avg. Data Queue Length' and 'Current Data Queue Length' of Windows' SMB client
explain-lacks-requests = requests per second and how many were outstanding: a trace or capture (plumb trace), or counters: of plumb watch, or 'Data Requests/sec', 'Avg. Data Queue Length' and 'Current Data Queue Length' of Windows' SMB client
explain-lacks-outstanding-disk = how many requests of the disk were outstanding, on average and at most: a trace (plumb trace), or counters: of plumb watch, or 'Avg. Disk Queue Length' and 'Current Disk Queue Length' of Windows
explain-lacks-requests-disk = requests per second of the disk and how many were outstanding: a trace (plumb trace), or counters: of plumb watch, or 'Disk Transfers/sec', 'Avg. Disk Queue Length' and 'Current Disk Queue Length' of Windows
explain-lacks-depths = how the rate changes with the number of outstanding requests, which barely varied here: { $command }
explain-lacks-ceiling = what the path can carry: measure it (plumb run network-stream tcp://SERVER) and pass it with --ceiling; or a capture in which requests of different sizes overlap
explain-lacks-round-trip = the round trip to the server: a capture that holds the beginning of the connection
explain-lacks-metadata-times = the time of metadata calls: a trace or capture (plumb trace); no counter has it
explain-lacks-credits = whether requests waited for credits: the counter 'Credit Stalls/sec' of Windows' SMB client, or a capture that holds the beginning of the connection
explain-lacks-flush-times = the time of flushes: a trace or capture (plumb trace)
explain-lacks-offsets = whether requests within a file are sequential: a trace or capture (plumb trace)
explain-lacks-sizes = how size affects the time of a request; here all had the same size, or their times show too little: { $command }
explain-lacks-cores = how busy each core of the client was: record it while the application runs (plumb watch; Windows: '% Processor Time' of each processor)

## Ruled out

explain-not-credits = Not the server's credits: requests did not have to wait for them.
explain-not-path = Not the path: transferring the bytes takes { $share } of the time.
explain-not-ceiling = Not the path: it carries { $bytes } of its measured { $ceiling }.
explain-not-application = Not the application's own work: it takes { $pauses } of the time.
explain-not-storage = Not the storage: if it took no time at all, the application would be at most { $most } as fast.
explain-not-server = Not the server: it takes { $rest } of each request at most.
explain-not-transfers = Not reading and writing: they take { $rest } of the time of all calls.
explain-not-threads = Not too few threads: the application has requests ready to send.
explain-not-bytes = Not the bytes: they take { $share } of the time of a request.

## Findings

explain-few-claim-one = One request at a time: { $outstanding } outstanding on average, and the application waits for a reply { $waiting } of the time. Each request takes { $time }, so more per second are not possible.
explain-few-claim = Few requests at a time: { $most } outstanding at most, and each caller waits for a reply { $waiting } of the time; the storage completes more when more are outstanding.
explain-few-advice = Keep { $to } requests outstanding: more threads, or asynchronous requests.
explain-few-refuted = With { $twice } outstanding there are fewer than { $rate } per second.
explain-pauses-claim = The storage waits for the application: callers wait for a reply only { $waiting } of the time; { $pauses } pass between a reply and the next request.
explain-pauses-advice = Check what the application does between its requests (CPU time, reads from elsewhere, locks) before changing anything at the storage.
explain-pauses-refuted = The same requests without pauses reach less than { $rate } per second.
explain-many-claim = More requests are outstanding than the storage can use: { $outstanding } on average, { $time } each, and fewer of them would give the same rate.
explain-many-flat = Not too few: with { $many } outstanding the rate is that of { $few }.
explain-many-queue = Not too few: each waits for those sent before it.
explain-many-advice = Halve them, to { $to }: the same throughput at half the queueing time.
explain-many-refuted = With half as many outstanding there are fewer than { $rate } per second.
explain-disk-claim = The disk { $disk } is the limit: it is busy { $busy } of the time, and { $outstanding } outstanding requests take { $time } each.
explain-disk-advice = Give the disk less to do: larger requests in sequential order, a cache, or part of the work on another disk; more requests at once only wait longer. A faster disk helps.
explain-path-claim = The path is saturated: { $bytes } are { $share } of what it can carry.
explain-path-measured = Not the requests' number or size: the measured ceiling is { $ceiling }.
explain-path-seen = Not the requests' number or size: each waits for the bytes before it, which pass at { $ceiling }.
explain-path-advice = More or larger requests do not help: only a faster path, several of them (multichannel, nconnect), or fewer bytes.
explain-path-refuted = With twice as many requests outstanding more than { $bytes } get through.
explain-distance-claim = Network latency takes the time, not the server: a round trip takes { $round }, and round trips are { $share } of the time of all calls.
explain-distance-advice = Save round trips: more requests at once, larger ones, fewer opens and closes; or run the application close to the server.
explain-distance-refuted = Next to the server there are fewer than { $rate } per second.
explain-metadata-claim = Metadata operations (names, attributes, open and close) take the time: { $share } of that of all calls, most of it { $most }; there are { $each } of them for each read or write.
explain-metadata-advice = Reduce such calls: keep files open, pack small files into one, let the client cache names and attributes; or process several files in parallel.
explain-metadata-refuted = The same bytes in one file reach less than { $rate } per second.
explain-credits-claim = The server's credits are the limit: { $share } of the requests took the last one or had to wait for one.
explain-credits-advice = Let the server grant more credits (Windows: Smb2CreditsMax; Samba: smb2 max credits), or use several connections; more threads do not help.
explain-credits-refuted = With four times the credits there are fewer than { $rate } per second.
explain-flushes-claim = Making data durable takes the time: flushes take { $share } of that of all calls, { $time } each, one for every { $writes } reads and writes.
explain-flushes-advice = Flush once for several writes (for example { $together }), or use storage whose write cache survives a loss of power. Do not leave flushes out.
explain-flushes-refuted = With one flush for four there are fewer than { $rate } per second.
explain-small-claim = Requests are small: { $size } each, and { $share } of the time of each would be the same for larger ones.
explain-small-advice = Request { $to } at a time: larger buffers in the application, read-ahead, rsize and wsize of the mount.
explain-small-refuted = Requests four times as large bring less than { $bytes }.
explain-core-claim = One core is the bottleneck: it is busy { $busy } of the time, with one connection or one thread.
explain-core-advice = Spread the work over several cores: more connections (multichannel, nconnect) or threads, receive-side scaling of the network card, or cheaper signing and encryption.
explain-core-refuted = With four times the connections there are fewer than { $rate } per second.
explain-next-path = The next bottleneck is the path, or the server under enough load.
explain-next-unknown = The next bottleneck is not known until it is tried.
explain-next-server = The next bottleneck is the server.
explain-next-transfers = The next bottleneck is the reads and writes themselves.

## Reasons for no conclusion

explain-too-few-requests = { $requests } reads and writes are too few to conclude anything; { $needed } are needed.
explain-outstanding-off = The figures are inconsistent: { $outstanding } requests were outstanding on average, and for { $idle } of the time none was. While any request is outstanding, the number is at least 1: a counter instance or a clock is wrong.
explain-little-off = The figures are inconsistent: requests per second times the time of each are { $product }, but { $outstanding } were outstanding (Little's law). A unit, an instance or a clock is wrong.
explain-not-steady = The request rate changed at { $at }, from { $before } to { $after } per second. Explain each part by itself with --from and --to.
explain-part = This explains the part from { $begin } to { $end }, with { $share } of the time of all requests. { $why }
explain-other-part = From { $begin } to { $end }, { $share } of the time of all requests: { $found }
explain-calls-lost = { $lost } of { $all } records of the trace were lost or damaged: its figures are not those of the application.
explain-capture-lost = The capture lost too much: { $lost } packets or pieces are missing.
explain-load-failed = { $errors } operations failed: their times mean nothing.
explain-encrypted = { $hidden } of { $all } messages are encrypted or compressed and cannot be decoded.
explain-unanswered = { $messages } messages have no matching request or reply in the capture.

## Predictions and a second recording

explain-change-outstanding = With { $to } requests outstanding
explain-change-no-pauses = Without pauses of the application
explain-change-no-metadata = Without metadata calls
explain-change-no-round-trip = Next to the server
explain-change-credits = With { $times } the credits
explain-change-flushes = With one flush for { $flushes } of today's
explain-change-size = With requests of { $bytes }
explain-change-connections = With { $times } the connections
explain-predicted-size = { $change }: { $low } to { $high } instead of { $today } ({ $least } to { $greatest }).
explain-predicted = { $change }: { $low } to { $high } requests per second instead of { $today } ({ $least } to { $greatest }).
explain-predicted-bytes = At the same size of requests that is { $low } to { $high }.
explain-nothing = No rule finds a limit in these figures.
explain-time = { $seconds } of { $span }, { $share }
explain-second-factors = Throughput is { $bytes } what it was: { $requests } the requests per second and { $size } the size of each.
explain-second-parts = { $requests } of the gain is from more requests, { $size } from larger ones, which was not predicted: is it the same workload?
explain-second-scaling = There are { $outstanding } the outstanding requests; { $efficiency } of that became requests per second (scaling efficiency).
explain-second-limit = By these two points, each request waits for others during { $serial } of its time, and there can never be more than { $limit } per second. Two points cannot show whether the rate drops again with many more.
explain-second-held = The prediction held: { $measured } the requests per second, predicted { $low } to { $high }.
explain-second-missed = The prediction did not hold: { $measured } the requests per second, predicted { $low } to { $high }.
label-explain-time = explains
label-explain-evidence = evidence
label-explain-ruled-out = ruled out
label-explain-advice = advice
label-explain-predicted = predicted
label-explain-next = next limit
label-explain-experiment = experiment
label-explain-refuted = refuted if
label-explain-withheld = Nothing is concluded
label-explain-abstained = Not judged, because something is missing
label-explain-second = The second recording
explain-proven-gain = Proven: the change brings at least { $least }, and what was predicted.
explain-disproven-gain = Refuted: the change brings less than { $least }, or less than was predicted.
explain-proven-keep = Proven: half as many outstanding requests keep at least { $least } of the rate.
explain-disproven-keep = Refuted: half as many outstanding requests keep less than { $least } of the rate.
explain-proven-no-gain = Proven: twice as many outstanding requests bring less than { $most }, which is negligible.
explain-disproven-no-gain = Refuted: twice as many outstanding requests bring more than { $most }.
explain-undecided = Undecided: the rounds neither prove nor refute it; more of them may (--rounds).
explain-undecided-more = Undecided: the change brings more than predicted, so something beyond the finding plays a part.
explain-undecided-elsewhere = Undecided: the current setting reaches { $here } requests per second here, but { $recorded } in the recording: this is another target, or a cache answers.
explain-proof-requests = { $rate } requests per second
explain-proof-bytes = { $rate }
explain-proof-today = { $setting }: { $rate }.
explain-proof-setting = { $setting }: { $rate }, { $factor } ({ $low } to { $high }), predicted { $least } to { $most }.
explain-setting-outstanding = { $outstanding } outstanding
explain-setting-pauses = with pauses of { $pause }
explain-setting-no-pauses = without pauses
explain-setting-files = a file for each request
explain-setting-one-file = the same bytes in one file
explain-setting-flushes = { $writes ->
    [one] a flush after every write
   *[other] a flush after every { $writes } writes
}
explain-setting-connections = { $connections ->
    [one] over 1 connection
   *[other] over { $connections } connections
}
explain-setting-size = requests of { $bytes }
explain-prove-distance = No experiment on this target can remove the network distance to the server: run the same load next to the server (plumb run), and give its record as the second recording (plumb explain { $recording } NEAR).
explain-prove-folder = This experiment creates files: --target must be a folder, on this machine or on a share.
explain-prove-share = This experiment needs several connections to a server: --target must be a share (smb://server/share, nfs://server/path).
label-explain-proof = Outcome of the experiment

## The page and its figures

explain-page-title = What limits { $place }
explain-page-footer = Explained by plumb { $version }. Predictions are 90 % intervals; nothing is concluded from a recording that is damaged, too short or incomplete.
explain-page-window = { $file }, { $begin } to { $end }
label-explain-page = What limits an application, and what would help
label-explain-source = source
label-explain-curve = Throughput and latency: you are here
label-explain-curve-caption = Right: more IOPS, down: lower latency. The number at a point is the number of outstanding requests.
label-explain-curve-seen-caption = Solid: this recording, by number of outstanding requests.
label-explain-curve-predicted-caption = The range between the dotted and the dashed line is predicted for more outstanding requests, with a confidence of 90 %; it is not measured.
label-explain-curve-rate-caption = Shaded: the rate that the first finding predicts for its change, with a confidence of 90 %; it is not measured.
label-explain-curve-ceiling-caption = The vertical line is the measured capacity of the path, at today's request size.
label-explain-requests-per-s = requests per second
label-explain-time-logarithmic = time per request (logarithmic)
label-explain-ceiling = measured ceiling
label-explain-predicted-least = predicted, at least
label-explain-predicted-most = predicted, at most
label-explain-seen = in this recording
label-explain-measured = measured by the experiment
label-explain-here = you are here
label-explain-outstanding = outstanding
explain-curve-alternative = The application has { $outstanding } requests outstanding and does { $rate }, { $time } each.
explain-curve-point = { $what }: { $outstanding } outstanding, { $rate }, { $time } each
label-explain-outstanding-over-time = Outstanding requests over time
label-explain-time-since-first = time since the start of the window
explain-outstanding-caption = Calls that were issued and not yet answered, in intervals of { $length }. Where the line is at the bottom, the storage waits for the application; where it is flat, that many callers wait for the storage.
explain-outstanding-alternative = Outstanding calls in { $intervals } intervals; their largest mean is { $most }.
label-explain-size-and-time = Size and service time
label-explain-size-and-time-caption = Each row is one size of reads and writes; the darker a cell, the more of them took that long. A row with two dark cells suggests two kinds of storage, such as a cache and a disk.
label-explain-service-time-logarithmic = service time (logarithmic)
label-explain-size-up-to = size up to
explain-size-row = { $size } ({ $count })
explain-size-and-time-alternative = Service times of { $sizes } sizes of reads and writes.
label-explain-until = time up to
label-explain-time-by-command = Time by command
label-explain-time-by-command-caption = Sum of the service times of all calls of a kind: what takes the time, not what is called most often. Concurrent calls each count in full.
label-explain-sum-of-times = sum of service times
explain-command-alternative = { $command } takes the most time: { $time } in all.
label-explain-commands-note = Service time is from the end of a request to the end of its reply. Calls that wait for an event, such as a directory change, are not counted.
trace-page-title = Calls in { $source }
trace-page-footer = Derived with plumb { $version }.
label-trace-page = What an application requested from its storage
label-trace-calls-heading = Calls
