### Sentences about a trace of an application's calls.

## Overview

trace-overview = { $calls ->
    [one] 1 answered call
   *[other] { $calls } answered calls
} in { $span }{ $connections ->
    [0] { "" }
    [one] { " " }over 1 connection
   *[other] { " " }over { $connections } connections
}: { $read } read, { $written } written.
trace-cost = It was recorded by the kernel's tracepoints, for which plumb took { $cpu } of CPU time: { $share } of one core.
trace-cost-strace = It was recorded by strace, which stops the program twice per call: it ran slower than usual, and call times include the stops. Reading the output of strace took plumb { $cpu } of CPU time: { $share } of one core.
trace-cost-etw = It was recorded from Windows kernel events (ETW), for which plumb took { $cpu } of CPU time: { $share } of one core. What Windows itself took for them is not known.
trace-overview-without-times = { $calls ->
    [one] 1 call
   *[other] { $calls } calls
} made in { $span }, requesting { $read } to read and { $written } to write. The trace does not record when they completed: there are no times, and how many were outstanding is not known.
trace-takes-time = { $call } takes { $share } of the time of all calls: { $count } calls, { $mean } on average, 99 % within { $p99 }.
trace-takes-time-few = { $call } takes { $share } of the time of all calls: { $count ->
    [one] 1 call of { $mean }; longest { $longest }.
   *[other] { $count } calls, { $mean } on average, { $longest } at most.
}
trace-one-at-a-time = Calls are made one at a time: { $busy } outstanding on average while any was, { $max } at most; for { $idle } of the time none was.
trace-outstanding = { $busy } calls were outstanding on average while any was, { $max } at most; for { $idle } of the time none was.
trace-many-outstanding = { $busy } calls were outstanding on average while any was, { $max } at most; for { $idle } of the time none was. With so many, their times include waiting for one another: they say little about the server until compared with the times of fewer.
trace-sizes = { $call } requests { $mean } on average (median { $median }, largest { $largest }).
trace-sizes-and-offsets = { $call } requests { $mean } on average (median { $median }, largest { $largest }); { $sequential } are sequential to the previous one on the same file; { $files ->
    [one] 1 open file.
   *[other] { $files } open files.
}
trace-mix = { $reads } of the calls read, { $writes } write, and { $metadata } are metadata; of the time that is { $read-time }, { $write-time } and { $metadata-time }.
trace-mix-without-times = { $reads } of the calls read, { $writes } write, and { $metadata } are metadata.
trace-think-time = Between its calls a thread computes or waits for { $share } of its time: { $median } by the median, 90 % within { $p90 }.
trace-busiest-file = { $share } of the time is spent in calls on { $name }: { $calls } calls, { $read } read, { $written } written.
trace-touched-once = { $once } of { $files } files that were read or written were opened once and transferred by one call ({ $share } of the bytes).
trace-flushes = { $flushes } flushes (fsync and similar), one each { $interval } by the median; they take { $share } of the time.
trace-flushes-written = { $flushes } flushes (fsync and similar), one each { $interval } by the median, after { $written } were written to the file; they take { $share } of the time.
trace-flushes-few = { $flushes ->
    [one] 1 flush (fsync and similar) takes
   *[other] { $flushes } flushes (fsync and similar) take
} { $share } of the time, { $mean } on average.
trace-round-trip = A round trip to the server takes { $time } by the handshake; that is { $share } of the time of all calls.
trace-round-trips = Round trips to the servers take { $least } to { $most } by the handshakes; that is { $share } of the time of all calls.
trace-round-trip-unknown = How much of the time is the network's is not known: the connections were opened before the capture. A round trip takes no longer than the fastest reply, { $shortest }.
trace-captured-near-server = The capture was taken near the server: the client waits { $rest } longer for each reply than shown here.
trace-errors = { $share } of the replies are errors ({ $errors }), most often { $status } to { $call } ({ $count }).
trace-credits-used-up = { $requests ->
    [one] 1 request
   *[other] { $requests } requests
} took the last credit that the server had granted: until a reply granted more, the client could send nothing. At most { $most } credits were in use at once.
trace-channels = { $sessions ->
    [one] 1 session uses
   *[other] { $sessions } sessions use
} several connections at the same time (multichannel). Channels outside this capture are missing in the figures.
trace-retransmissions = { $segments ->
    [one] 1 segment was retransmitted
   *[other] { $segments } segments were retransmitted
} ({ $share } of the packets): the network loses packets, or the capture holds some of them twice.

## Caveats

trace-encrypted = { $messages } of { $all } messages are encrypted ({ $bytes }): their commands are not visible. Capture a session without encryption, or use the counters of client or server.
trace-compressed = { $messages } of { $all } messages are compressed: their commands are not visible.
trace-smb1 = { $messages } messages are of SMB 1, which is not decoded.
trace-nfs-udp = { $calls ->
    [one] 1 NFS call was
   *[other] { $calls } NFS calls were
} sent over UDP, which is not decoded. Mount with proto=tcp.
capture-damaged = The file is damaged from byte { $at } on; everything before it was used.
capture-cut = The file ends within the packet that begins at byte { $at }; everything before it was used.
capture-unreadable = The file could not be read to its end: { $error }
capture-dropped = { $packets ->
    [one] 1 packet was dropped
   *[other] { $packets } packets were dropped
} while the capture was made.
capture-gaps = { $gaps ->
    [one] 1 gap
   *[other] { $gaps } gaps
} in the connections: { $bytes } were sent and are not in the file.
capture-unknown-link = { $packets } packets are of a link type that plumb does not read.
capture-without-time = { $packets } packets have no timestamp and were left out.
capture-fragments = { $packets } fragments of IP packets were left out.
capture-duplicates = { $packets } packets are in the file twice; each was counted once.
trace-headers-cut = { $messages } messages were cut within their header. Capture whole packets, or at least 256 bytes of each (tcpdump -s 256).
trace-searched = { $searches ->
    [one] Once
   *[other] { $searches } times
} the start of the next message had to be searched for: packets were lost, or cut within a message. The data in between is lost.
trace-malformed = { $messages } messages do not conform to the protocol and were left out.
trace-unanswered = { $requests ->
    [one] 1 request has
   *[other] { $requests } requests have
} no reply in the capture. How long they were outstanding is not known, so they are not among the outstanding calls; the idle time may be too long.
trace-outstanding-contradictory = The numbers of outstanding calls contradict each other ({ $busy } on average while any was, { $max } at most, idle for { $idle }) and are left out. This is a bug in plumb: please report it, and attach the trace if you can.
trace-unasked = { $answers ->
    [one] 1 reply has
   *[other] { $answers } replies have
} no request in the capture.
trace-repeated = { $requests } requests had the number of a request that was still unanswered.
trace-nfs-sent-again = { $calls ->
    [one] 1 NFS call was
   *[other] { $calls } NFS calls were
} sent again (same xid) before a reply came: the server was slow, or the connection broke. The time of such a call counts from when it was first sent.
trace-forgotten = { $requests } requests were dropped: more were unanswered than are kept in memory.
calls-not-ended = The file was not written to its end: events after its last line are missing, and what was lost or left out during tracing is not known.
calls-damaged = { $records } of { $all } lines are not in the expected format and were left out; the first is line { $first }.
calls-lost = { $records } records were lost during tracing.
calls-ended-early = The Windows kernel events ended before the trace did: { $error }
calls-unanswered = { $calls ->
    [one] 1 call has
   *[other] { $calls } calls have
} no end in the trace.
calls-unasked = { $answers ->
    [one] 1 call ended that has
   *[other] { $answers } calls ended that have
} no start in the trace.
calls-io-uring = io_uring was used ({ $calls } calls of io_uring_enter): I/O issued that way is not in this trace, because it needs no system call per operation.
calls-libaio = libaio was used ({ $calls } calls of io_submit): I/O issued that way is not in this trace, because it needs no system call per operation.
calls-32-bit = { $calls } calls of 32-bit programs were left out: their numbers mean other calls than those of this system. 'plumb trace --by strace' records them.
calls-mapped = { $files ->
    [one] 1 file of 1 MiB or more was mapped
   *[other] Files of 1 MiB or more were mapped { $files } times
} into memory: I/O through the mappings is not in this trace, because it is not a system call.
calls-not-files = { $calls } calls on pipes, sockets, terminals and similar were left out.
calls-paging = { $calls } reads and writes by the Windows cache and memory managers were left out: they are the lower-level I/O of calls on cached files, and the I/O of mapped files, which needs no call.
calls-disk-requests = { $requests } requests to disks are also in the recording; they are below the file operations, and were left out.
calls-unnamed = The trace does not contain the name of { $files ->
    [one] 1 open file.
   *[other] { $files } open files.
}

## Headings and columns

label-trace-command = command
label-trace-calls = calls
label-trace-time = of time
label-trace-sum = sum
label-trace-sizes = Sizes and offsets
label-trace-median = median
label-trace-largest = largest
label-trace-sequential = sequential
label-trace-aligned = aligned to 4 KiB
label-trace-bytes = bytes
label-trace-outstanding = Outstanding calls
label-trace-share-of-time = of the time
label-trace-over-time = over time, mean of each interval
label-trace-connections = Connections
label-trace-client = client
label-trace-server = server
label-trace-dialect = dialect
label-trace-round-trip = round trip
label-trace-requests = requests
label-trace-to-server = to server
label-trace-to-client = to client
label-trace-credits = credits used
label-trace-statuses = Replies other than success
label-trace-status = status
label-trace-mix = Reads, writes and metadata
label-trace-class = class
label-trace-of-calls = of calls
label-trace-reads = reads
label-trace-writes = writes
label-trace-metadata = metadata
label-trace-sessions = sessions
label-trace-waits = waits
label-trace-files = Files with the most time
label-trace-file = file
label-trace-opens = opens
label-trace-read = read
label-trace-written = written
label-trace-unnamed = (without a name)
label-trace-other-files = (all others)
label-trace-no-file = (no open file)
label-trace-threads = Busiest threads
label-trace-thread = thread
label-trace-busy = in calls
label-trace-thread-span = first to last
label-trace-other-threads = (all others)
label-trace-slowest = Slowest calls
label-trace-after = at
label-trace-took = took
label-trace-offset = offset
label-trace-size = size
label-trace-answer = reply
