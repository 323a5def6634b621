### The charts of a run: titles, captions, axes, tables.

## Axes and columns

label-operations-per-second = operations per second
label-operations-per-second-logarithmic = operations per second (logarithmic)
label-bandwidth-logarithmic = bandwidth (logarithmic)
label-response-time-logarithmic = response time (logarithmic)
label-mean-response-time = mean response time
label-time-since-the-start = time since the start of the run
label-core = core
label-round = round
label-block-size = block size
label-message-size = message size
label-message-size-logarithmic = message size (logarithmic)
label-time-one-way-logarithmic = one-way time (logarithmic)
label-share-of-operations-this-quick = percentile (share of operations this fast or faster)
label-time = time
label-until = until
label-steps = steps
label-load = load
label-lowest-round = lowest round
label-highest-round = highest round
label-median = median
label-99th-percentile = 99th percentile
label-longest = longest
label-steady = steady
label-not-steady = not steady

## Captions

label-stalls-at-the-edge = Intervals in which nothing completed are marked at the lower edge.
label-throughput-over-time = Throughput over time
label-throughput-over-time-caption = One value per interval. Shaded areas are the steps; hover over one for its name.
chart-throughput-over-time-alternative = Operations per second over time ({ $kinds }) in { $count ->
    [one] one executed step
   *[other] { $count } executed steps
}.
label-bandwidth-over-time = Bandwidth over time
label-bandwidth-over-time-caption = One value per interval; block sizes differ between the steps.
chart-bandwidth-over-time-alternative = Bytes per second over time ({ $kinds }) in { $count ->
    [one] one executed step
   *[other] { $count } executed steps
}.
label-bandwidth-by-block-size = Bandwidth by block size
label-bandwidth-by-block-size-caption = Bytes per second at each block size. Whiskers span the lowest to the highest round.
label-cpu-of-each-core = CPU use of each core
label-cpu-of-each-core-caption = All processes together. A single dark row is a core saturated by one worker: the CPU is the bottleneck then, not the storage.
chart-cpu-alternative = CPU use of { $cores ->
    [one] one core
   *[other] { $cores } cores
} in { $intervals ->
    [one] one interval
   *[other] { $intervals } intervals
}, in percent of each core.
label-host-scaling = Throughput over hosts
label-host-scaling-caption = All hosts of a step together; percentages are of linear scaling (dashed). Where the line flattens, a shared resource is the limit. Whiskers: lowest to highest round.
label-hosts = hosts
host-scaling-alternative = { $group }: { $hosts } hosts get { $rate } together, { $efficiency } of linear scaling.
host-scaling-point = { $group }, { $hosts } hosts: { $rate }, { $efficiency } of linear scaling
label-hosts-over-time-rates = Operations per second of each host
hosts-over-time-rates-caption = All ranks of a host together; the darkest cell is { $full }/s. A pale row is a host that gets less; a pale column is a moment when all got less, which points to a shared resource.
hosts-over-time-rates-alternative = Operations per second of { $hosts ->
    [one] one host
   *[other] { $hosts } hosts
} in { $intervals } intervals.
label-hosts-over-time-longest = Longest operation of each host
hosts-over-time-longest-caption = From submission to completion; the darkest cell is { $full }. A dark column is a moment when the storage delayed all hosts, a dark cell one host only.
hosts-over-time-longest-alternative = Longest operation of { $hosts ->
    [one] one host
   *[other] { $hosts } hosts
} in { $intervals } intervals.
chart-first-intervals = The first { $shown } of { $count } intervals; the run folder holds all of them.
chart-first-rounds = The first { $shown } of { $count } rounds; --json has all.
label-device-count = Device counters
label-device-count-caption = Solid: the kernel's counters of the device; dashed: the operations that plumb issued. The device counts fewer when a cache answers or requests are merged, more when requests are split or other processes use the device too.
chart-device-alternative = Operations per second by the device counters ({ $kinds }) next to plumb's own.
label-plumbs-reads = plumb's reads
label-plumbs-writes = plumb's writes
label-latency-over-time = Latency over time
label-latency-over-time-caption = Response times of the operations that completed in each interval, all kinds together. A gap is an interval with too few samples. Hover over a shaded area for its step.
label-latency-by-kind-over-time-caption = Response times of the operations that completed in each interval, by kind of operation: solid is the median, dashed the 99th percentile. A gap is an interval with too few samples. Hover over a shaded area for its step.
chart-latency-over-time-alternative = Median, 99th percentile and longest response time over time, in { $count ->
    [one] one executed step
   *[other] { $count } executed steps
}.
label-bandwidth-by-message-size = Bandwidth by message size
label-bandwidth-by-message-size-caption = Ping-pong: message size divided by half the round-trip time, one message in flight. Send and receive stream in one direction.
label-time-by-message-size = One-way time by message size
label-time-by-message-size-caption = Half of the median ping-pong round trip, as NetPIPE states its latency.
chart-value-with-size = { $value } with { $size }
chart-from-to = { $name }: from { $first } to { $last }.
label-latency-by-percentile = Latency by percentile
label-latency-by-percentile-caption = How long the slowest operations take: each added nine is 10x rarer. A line ends where there are too few samples.
chart-further-steps = { $count ->
    [one] One further step is in the table of all steps.
   *[other] { $count } further steps are in the table of all steps.
}
chart-within = { $name }: { $share } within { $time }
chart-operations-within = { $name }: { $share } of the operations within { $time }.
label-rounds-in-order = Rounds in order
label-rounds-in-order-caption = Dashed: best linear fit over the measurement window (shaded).
chart-further-tracked-steps = { $count ->
    [one] One further tracked step is in the table of rounds.
   *[other] { $count } further tracked steps are in the table of rounds.
}
chart-value-in-round = { $name }, round { $round }: { $value }
chart-steady = Steady after round { $round }: the figures are those of rounds { $first } to { $round }.
chart-not-steady = Not steady after { $round } rounds: the figures are those of rounds { $first } to { $round }.
label-no-whole-round = No round completed.
label-small-files = Operations on small files
label-small-files-caption = Operations per second by kind. Whiskers: lowest to highest round.
label-throughput-and-latency = Throughput and latency
chart-each-point-is-a-step = Each point is one step; the number next to it is its { $key }.
label-median-and-tail-drawn = Solid: median response time; dashed: 99th percentile.
label-only-median-drawn = The median response time is drawn; the table has the tail.
label-right-is-more = Right: more IOPS, down: lower latency.
label-ring-marks-the-knee = A ring marks the knee: beyond it, more load only adds latency.
chart-point = { $group }, { $key } { $load }: { $rate }, median { $median }, 99 % { $p99 }
chart-rate-with-median = { $rate } with a median of { $median } at { $key } { $load }
chart-knee-from = ; knee at { $key } { $load }: more load only adds latency
chart-curve = { $group }: from { $first } to { $last }{ $knee }.

label-layers-throughput = Throughput at each layer
label-layers-operations = Small requests at each layer
label-layers-caption = The same workload at each layer, storage on the left. Lines are intervals of the mean of the rounds.
label-layer = layer
label-layer-below-all = lowest layer
label-layer-added = added latency
label-layer-gained = saved latency
label-layer-messages = messages alone, part of the share
label-layers-time-caption = Each bar starts where the bar of the layer below ended; the line is the interval of the added time. Messages are measured separately and overlap with storage time when several requests are in flight.
label-time-per-request = time per request

label-cpu-over-time = CPU use over time
label-cpu-over-time-caption = All processes of a machine, in percent of all its CPUs, while each layer ran; gaps are times when other layers ran.
label-cpu-use = CPU use

# Executions and lines over time.

step-in-round = { $step }, round { $round }
device-reads = { $device } reads
device-writes = { $device } writes
device-bytes-read = { $device } read
device-bytes-written = { $device } written
