### Where the time of a program went, and what would help.

## Verdict

why-verdict-storage = It waits for storage { $share } of its time; next: { $most }, { $other }.
why-verdict-less-storage = Mostly it does not wait for storage: { $most } takes { $other } of its time, storage { $share }.
why-verdict-not-storage = Storage is not the limit: it takes { $share } of the time; { $most }: { $other }.
why-verdict-all-storage = All of its time it waits for storage.
why-verdict-calls = Calls on files take { $share } of its time. What the program does between them is not in this trace: trace as root (plumb why -- COMMAND).
why-verdict-few-calls = The storage waits for the program: calls on files take { $share } of its time, { $other } passes between them. What the program does there is not in this trace: trace as root (plumb why -- COMMAND).
why-verdict-nothing = No thread was seen: nothing is known of the time.
why-no-account = This recording has no times of threads, so that their time cannot be accounted for: see plumb explain for what it shows.
why-lost = { $lost ->
    [one] 1 event was lost
   *[other] { $lost } events were lost
} of { $all }: times are too uncertain for a conclusion. Trace fewer processes, or for a shorter time.

## What a thread does

activity-cpu = running on a CPU
activity-ready = waiting for a CPU
activity-read = reads
activity-write = writes
activity-sync-write = synchronous writes
activity-flush = flushes
activity-metadata = metadata calls
activity-requests = asynchronous requests
activity-socket = socket
activity-pipe = pipe or terminal
activity-lock = lock
activity-sleep = sleep
activity-child = child process
activity-event = event (poll, epoll)
activity-fault = page faults
activity-other = other
activity-read-on = reads of { $storage }
activity-write-on = writes to { $storage }
activity-sync-write-on = synchronous writes to { $storage }
activity-flush-on = flushes of { $storage }
activity-metadata-on = metadata calls on { $storage }

## Findings

why-storage = { $storage }
why-files = files
why-one-at-a-time = { $share } of the time it waits for { $storage }, one request after another: { $count } calls waited, mostly { $call }, each { $each } (mean).
why-one-at-a-time-advice = Send several requests at once: more threads, io_uring, or readahead for sequential reads. If the storage does not serve more at once, only faster storage or fewer, larger requests help.
why-storage-slow = { $share } of the time it waits for { $storage }, with { $at-once } requests at once: { $count } calls waited, mostly { $call }, each { $each } (mean).
why-requests-unknown = { $share } of the time it waits for asynchronous requests (libaio); how many are outstanding, the kernel does not report.
why-storage-slow-advice = The program already sends several requests at once: only faster storage, or less to read and write, helps. If the storage is saturated, fewer at once take less time each, at the same rate.
why-durability = { $share } of the time it waits until writes to { $storage } are durable: { $count } calls of { $call }, each { $each } (mean).
why-durability-advice = Make several changes durable with one flush: more per commit, group commit, or one flush at the end. With O_SYNC or O_DSYNC each write flushes: write larger blocks.
why-metadata = { $share } of the time it waits for calls on names and attributes of { $storage }: { $count } calls waited, mostly { $call }, each { $each } (mean).
why-metadata-advice = Work on several files at once, or on fewer and larger files: an archive in place of many small files.
why-one-at-a-time-sampled = { $share } of the time it waits for { $storage }, one thread at a time.
why-storage-slow-sampled = { $share } of the time it waits for { $storage }, with { $at-once } threads waiting at once.
why-durability-sampled = { $share } of the time it waits until writes to { $storage } are durable.
why-metadata-sampled = { $share } of the time it waits for calls on names and attributes of { $storage }.
why-computing = { $share } of the time it runs on a CPU, { $copying } of it in calls on files that did not wait (the page cache).
why-computing-only = { $share } of the time it runs on a CPU.
why-computing-advice = Faster storage does not help. Give the program more or faster cores, or less to compute.
why-pauses = { $share } of the time it sleeps.
why-pauses-advice = Remove or shorten the pauses (sleep, nanosleep, rate limits in the program).
why-no-cpu = { $share } of the time it could run, and waits for a CPU.
why-no-cpu-advice = Free a core: stop other load on this machine, or raise the CPU limit of its cgroup (cpu.max).
why-faults = { $share } of the time it waits for pages of mapped files or of swap.
why-faults-advice = Read ahead (madvise with MADV_WILLNEED or MADV_POPULATE_READ), read instead of mapping, or add memory if it swaps.
why-peer = { $share } of the time it waits for the other end of a socket.
why-peer-advice = Look at the other end: plumb why --pid PID there. For a server, this is the time without a request.
why-other-process = { $share } of the time it waits for another process: a pipe, a child or an event.
why-other-process-advice = Look at the other process: plumb why --pid PID.
why-between-calls = { $share } of the time passes between its calls on files: it computes, pauses, or waits for something that is not in this trace.
why-between-calls-advice = Look at the program before the storage: plumb why as root shows what it does between its calls.
why-interference = { $share } of the time it waits for { $device }, which other programs keep busy: { $others } of its bytes were for them, { $outstanding } requests in flight on average ({ $each } each, busy { $busy }).
why-interference-advice = Find the other load (iotop -o, pidstat -d 1), and move it to another time or device, or limit it (cgroup io.max, ionice).
why-memory-limit = { $share } of the time it waits for reads of { $storage }, and { $part } of what it reads had been in memory before ({ $again }): its control group is at its memory limit of { $limit }, and the kernel drops pages that are needed again.
why-memory-limit-advice = Raise the memory limit: { $command }. Or read less at a time: the part that is used again has to fit.
why-group-limit = { $share } of the time it waits for { $storage }: its control group is limited to { $limit } on { $device }, and it has { $rate }.
why-group-limit-advice = Raise the limit: { $command }. More requests at once do not help; with a limit on requests, larger ones do.
why-reads-per-second = { $count } reads per second
why-writes-per-second = { $count } writes per second
why-steady-rate = { $share } of the time it waits for { $storage }, at a steady { $rate } { $call } calls per second although single ones take very different times (median { $p50 }, p99 { $p99 }): a sign of a limit on requests per second.
why-steady-rate-advice = Look for a limit: of the volume (cloud, array), a quality of service, a hypervisor. Under a limit more requests at once do not help; fewer, larger ones do.
why-lock = { $threads } threads wait for a lock { $share } of their time; meanwhile: { $meanwhile }.
why-lock-advice = Hold the lock for less: no calls on storage while it is held.

## Gains

why-gain-storage-twice = storage twice as fast
why-gain-at-once = { $count } requests at once, if the storage serves them together
why-gain-flushes = one flush in place of { $count }
why-gain-cpu-twice = CPU twice as fast
why-gain-no-pauses = no pauses
why-gain-cpu-free = a CPU whenever it could run
why-gain-no-faults = pages already in memory
why-gain-peer-twice = the other end twice as fast
why-gain-other-twice = the other process twice as fast
why-gain-no-lock = no waiting for the lock, if what it guards can be done at once
why-gain-without-others = without the other programs
why-gain-memory = what it reads again in memory
why-gain-limit-twice = twice the limit
why-gain-between-calls = no time between the calls
why-gain = { $low } to { $high } times as fast
why-gain-time = { $shortest } to { $longest } instead of { $now }
label-why-time = Where the time went
label-why-phases = Over time
label-why-help = What would help
label-why-threads = Threads
label-why-nothing = Nothing takes as much as a tenth of the time that a change could save.
label-why-advice = advice
label-why-test = test
label-why-rest = other
why-ended = { $elapsed }, exit status { $status }
why-ended-by-signal = { $elapsed }, ended by signal { $signal }
why-span = { $elapsed }
why-threads = { $threads ->
    [one] 1 thread
   *[other] { $threads } threads
}
why-waited = { $count ->
    [one] the only call waited
   *[other] { $waited } of { $count } calls waited
}; median { $p50 }, p99 { $p99 }
why-waited-median = { $count ->
    [one] the only call waited
   *[other] { $waited } of { $count } calls waited
}; median { $p50 }
why-not-waited = { $count ->
    [one] 1 call, which did not wait
   *[other] { $count } calls, none waited
}
why-phase = { $begin } to { $end }: { $most } { $share }
label-why-against = Changed command
why-against-faster = It is { $factor } times as fast ({ $low } to { $high }, 90 %).
why-against-slower = It is slower: it takes { $factor } times as long ({ $low } to { $high }, 90 %).
why-against-undecided = Undecided: { $low } to { $high } times as fast (90 %). More rounds (--rounds) narrow this.
why-against-too-few = Too few runs for a comparison.
label-why-proof = Proof on the program itself
why-proof-figures = of { $calls } calls on { $storage } it waits for { $in-turn } one after another, each { $each } on average: { $low } to { $high } of its time, { $predicted } in the account.
why-proof-proven = Proven: { $figures }
why-proof-refuted = Refuted: { $figures }
why-proof-undecided = Undecided: { $figures } More rounds (--rounds) narrow this.
why-proof-no-calls = Not tested: none of its calls on { $storage } could be held. Requests of io_uring and mapped files cannot be.
why-proof-calls-differ = Not tested: { $least } to { $most } calls were held in the runs: the program does not do the same each time.
why-proof-cached = With the files that it reads in the page cache it is { $factor } times as fast ({ $low } to { $high }, 90 %).
why-proof-cached-undecided = With the files that it reads in the page cache: { $low } to { $high } times as fast (90 %).
why-proof-no-line = Not tested: too few runs.
why-proof-too-steep = Not tested: the run time grew as if { $in-turn } calls were held one after another, and there are only { $calls }: the storage or the machine was slower in those runs. Try again, with less other load or more rounds (--rounds).
why-cut = There were more waits than plumb keeps: the account covers the first { $span }. Trace for a shorter time (--duration).
why-tracing-cost = Traced, the command took { $traced }; not traced, { $alone } (median).
why-device = Device { $device } meanwhile, for all programs: busy { $busy }, { $requests } requests, each { $each } (mean), { $outstanding } in flight on average, { $bytes }.
why-device-shared = Device { $device } meanwhile, for all programs: busy { $busy }, { $requests } requests, each { $each } (mean), { $outstanding } in flight on average, { $bytes }, of which { $others } for other programs.
why-device-flushes = { $flushes ->
    [one] 1 flush, which took { $each }.
   *[other] { $flushes } flushes, each { $each } (mean).
}
why-device-reads = { $count ->
    [one] Its 1 read
   *[other] Its { $count } reads
} there returned { $bytes }; { $waited } waited. The device read { $device-bytes } for it.
why-device-reads-cached = Most of it was in the page cache.
why-device-reads-ahead = Most reads found their data read ahead.
why-device-reads-more = That is more than it requested: readahead that is not used, mapped files, or metadata.
why-sampled = { $looks } looks at the threads, one each { $each }: time on a CPU is as the kernel counted; of what was waited for, shares may be off by { $error } for the sampling alone. Calls that wait for less than that are seen by chance.

## Page

why-page-title = Where the time of { $source } went
why-time-alternative = Bars of the program and its threads, divided by what they did. The program: { $most } { $share }.
label-why-page = Time of a program
label-why-program = program
label-why-thread = thread
label-why-activity = activity
label-why-spent = time
label-why-share = share of its time
label-why-gain = gain
label-why-storage = file system
label-why-requests = Calls on storage
label-why-waited = waited
label-why-waited-time = time waited
label-why-cpu-time = time on a CPU
label-why-time-caption = Left, the program's own time: each moment is divided among the threads that do not wait for another thread. Then each thread, of its own life.
label-why-time-note = A call that did not wait was served from memory; its time is among that on a CPU.
