### Sentences about watched counters.

## Sentences

watch-overview = { $span }, { $intervals ->
    [one] 1 interval
   *[other] { $intervals } intervals
}; means are over requests, not over intervals.
watch-nothing = No activity: none of the counters shown increased.
watch-idle = nothing active
watch-no-interval = There is no interval yet: an interval needs two samples of the counters.
watch-more-rows = { $count ->
    [one] 1 more
   *[other] { $count } more
}, less busy
watch-command-status = The command ended with exit status { $status } after { $time }.
watch-command-signal = The command was ended by signal { $signal } after { $time }.
watch-cost = Watching took { $cpu } of CPU time in { $time }: { $share } of one core.
watch-cost-unknown = The cost of watching is not known on this system.
watch-left-out = { $count ->
    [one] 1 sample was left out because the previous one was late.
   *[other] { $count } samples were left out because the previous ones were late.
}
watch-collection-runs = { $name }: since { $started }, recorded in { $folder }
watch-collection-ended = { $name }: started { $started } and has ended, recorded in { $folder }; plumb watch stop { $name } removes it from this list
watch-collection-none = Nothing is recorded in the background; plumb watch start NAME starts a recording.
watch-interrupted = It was ended early; the recording is complete until then.
watch-incomplete = It was killed, or is still running: its cost is not known.
watch-view-every = every { $interval }
watch-view-reaches = back to { $time }
watch-view-paused = paused, { $behind } behind; recording continues
watch-view-paused-unrecorded = paused, { $behind } behind
watch-view-place = interval { $place } of { $count }
watch-view-left-out = { $count ->
    [one] 1 older interval is left out
   *[other] { $count } older intervals are left out
}; --plain prints all
watch-view-highest = highest { $value }

## The page

watch-page-title = Counters of { $source }
watch-figure-title = { $table }: { $column }
watch-axis-logarithmic = { $column } (logarithmic)
watch-table-means = { $table }: means over the recording
watch-table-largest = { $table }: the largest value of an interval
label-watch-page = What counters showed over time
label-watch-overview = Overview
label-watch-figure-caption = One value per interval. A line breaks where counters were not available, or where there was no request to average.
label-watch-rate = per second
label-watch-mean-size = mean size of a request
label-watch-mean-time = mean time of a request
label-watch-mean-outstanding = mean number outstanding
label-watch-stalled = time that some task was stalled

## Headings and columns

label-watch-per-second = /s
label-watch-bandwidth = bandwidth
label-watch-size = size
label-watch-time = time
label-watch-outstanding = outstanding
label-watch-outstanding-now = at sample
label-watch-idle = idle
label-watch-disks = disk
label-watch-read = read
label-watch-write = write
label-watch-discard = discard
label-watch-flush = flush
label-watch-all = all
label-watch-open = open
label-watch-metadata = metadata
label-watch-queue = queue
label-watch-round-trip = round trip
label-watch-retransmits = retransmits/s
label-watch-timeouts = timeouts/s
label-watch-nfs = NFS mount
label-watch-smb = SMB share
label-watch-failed = failed/s
label-watch-errors = errors/s
label-watch-drops = drops/s
label-watch-interfaces = interface
label-watch-receive = receive
label-watch-transmit = transmit
label-watch-rdma = RDMA port
label-watch-not-ready = not ready/s
label-watch-congestion = congestion/s
label-watch-tcp = TCP (all connections)
label-watch-sent = sent/s
label-watch-received = received/s
label-watch-retransmitted = retransmitted
label-watch-zero-windows = zero windows/s
label-watch-connections = connections
label-watch-cores = core
label-watch-busy = busy
label-watch-user = user
label-watch-system = system
label-watch-irq = irq
label-watch-dpc = DPC
label-watch-performance = of base clock
label-watch-softirq = softirq
label-watch-steal = steal
label-watch-iowait = iowait
label-watch-pressure = pressure (PSI)
label-watch-some = some
label-watch-full = full
label-watch-io = I/O
label-watch-cpu = CPU
label-watch-memory = memory
label-watch-available = available
label-watch-cached = cached
label-watch-dirty = dirty
label-watch-writeback = writeback
label-watch-swapped-in = swapped in
label-watch-swapped-out = swapped out
label-watch-cgroup = control group
label-watch-throttled = throttled
label-watch-credit-stalls = credit stalls/s
label-watch-other = counter
label-watch-value = mean
label-watch-program = program
label-watch-from-storage = storage
label-watch-of-time = of the time
label-watch-core-wait = waits for a core
label-watch-block-wait = waits for block I/O
label-watch-major-fault = major faults
label-watch-connection = TCP connection
label-watch-shortest = shortest
label-watch-sending = sending
label-watch-receive-window = peer full
label-watch-smb-server = SMB connection
label-watch-unsent = unsent
label-watch-credit-wait = for credits
label-watch-credits = credits left
label-watch-of-ceiling = of ceiling
label-watch-view-recorded = recorded
label-watch-view-not-recorded = not recorded
label-watch-view-waiting = waiting for the first interval
label-watch-view-no-value = no value in this time
label-watch-key-row = row
label-watch-key-column = column
label-watch-key-table = table
label-watch-key-pause = pause
label-watch-key-interval = interval
label-watch-key-half = half a graph
label-watch-key-ends = oldest, newest
label-watch-key-span = zoom
label-watch-key-idle = idle rows
label-watch-key-end = quit
label-watch-file-system = file system
