### Where the time of a program went, and what would help.

## Verdict

why-verdict-storage = It waits for storage { $share } of its time; next: { $most }, { $other }.
why-verdict-less-storage = Mostly it does not wait for storage: { $most } takes { $other } of its time, storage { $share }.
why-verdict-not-storage = Storage is not the limit: it takes { $share } of the time; { $most }: { $other }.
why-verdict-all-storage = All of its time it waits for storage.
why-verdict-calls = Calls on files take { $share } of its time. What the program does between them is not in this trace: trace as root (plumb why -- COMMAND).
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
why-one-at-a-time = { $share } of the time it waits for { $storage }, one request after another: { $count } calls waited, mostly { $call }, each { $each } (median).
why-one-at-a-time-advice = Send several requests at once: more threads, io_uring, or readahead for sequential reads. If the storage does not serve more at once, only faster storage or fewer, larger requests help.
why-storage-slow = { $share } of the time it waits for { $storage }, with { $at-once } requests at once: { $count } calls waited, mostly { $call }, each { $each } (median).
why-requests-unknown = { $share } of the time it waits for asynchronous requests (libaio); how many are outstanding, the kernel does not report.
why-storage-slow-advice = The program already sends several requests at once: only faster storage, or less to read and write, helps. If the storage is saturated, fewer at once take less time each, at the same rate.
why-durability = { $share } of the time it waits until writes to { $storage } are durable: { $count } calls of { $call }, each { $each } (median).
why-durability-advice = Make several changes durable with one flush: more per commit, group commit, or one flush at the end. With O_SYNC or O_DSYNC each write flushes: write larger blocks.
why-metadata = { $share } of the time it waits for calls on names and attributes of { $storage }: { $count } calls waited, mostly { $call }, each { $each } (median).
why-metadata-advice = Work on several files at once, or on fewer and larger files: an archive in place of many small files.
why-computing = { $share } of the time it runs on a CPU, { $copying } of it in calls on files that did not wait (the page cache).
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
why-gain = { $low } to { $high } times as fast
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
why-waited = { $waited } of { $count } calls waited; median { $p50 }, p99 { $p99 }
why-waited-median = { $waited } of { $count } calls waited; median { $p50 }
why-not-waited = { $count } calls, none waited
why-phase = { $begin } to { $end }: { $most } { $share }
label-why-proof = Proof on the program itself
why-proof-figures = of { $calls } calls on { $storage } it waits for { $in-turn } one after another, each { $each } on average: { $low } to { $high } of its time, { $predicted } in the account.
why-proof-proven = Proven: { $figures }
why-proof-refuted = Refuted: { $figures }
why-proof-undecided = Undecided: { $figures } More rounds (--rounds) narrow this.
why-proof-no-calls = Not tested: none of its calls on { $storage } could be held. Requests of io_uring and mapped files cannot be.
why-proof-calls-differ = Not tested: { $least } to { $most } calls were held in the runs: the program does not do the same each time.
why-proof-no-line = Not tested: too few runs.
why-proof-too-steep = Not tested: the run time grew as if { $in-turn } calls were held one after another, and there are only { $calls }: the storage or the machine was slower in those runs. Try again, with less other load or more rounds (--rounds).
why-cut = There were more waits than plumb keeps: the account covers the first { $span }. Trace for a shorter time (--duration).
