### Sentences of the verdict of a run.

## Parts

none = { "" }
in-brackets = { " " }({ $text })
iops = { $rate } IOPS
about = about { $value }
between = between { $low } and { $high }
exactly = { $value }
from-to = { $low } to { $high }
rate-with-flushes = { $rate } with { $flushes } flushes/s
in-flight = , { $count } in flight
settings = { " " }({ $settings })

latency-median-and-99 = median { $median }, 99 % under { $p99 }
latency-median = median { $median }, too few samples for the 99 % figure
latency-mean = mean { $mean }, too few samples for percentiles
flush-times-not-known = flush times not reported

## What a step does

workload = { $order } { $operations }{ $durable }{ $cached }{ $nowhere }
workload-of-block = { $order } { $block } { $operations }{ $durable }{ $cached }{ $nowhere }
workload-of-mixed-sizes = { $order } mixed-size { $operations }{ $durable }{ $cached }{ $nowhere }
workload-with-settings = { $workload }{ $settings }
workload-of-step = { $workload } ('{ $step }')

order-replayed = Replayed
order-partly-random = Partly random
order-sequential = Sequential
order-reverse = Backward
order-strided = Strided
order-first = Same-offset
order-random = Random
order-zipf = Zipf-distributed
order-pareto = Pareto-distributed
order-hot-spot = Hot-spot
order-normal = Normally distributed
order-zoned = Zoned
order-random-runs = Random-run
order-random-repeats = Random-repeated
order-listed = Listed-block
order-precondition = Preconditioning
order-unstated = Unspecified

operations-mixed = { $kinds } ({ $shares })
operations-any = operations
operations-read = reads
operations-write = writes
operations-rewrite = rewrites
operations-trim = trims
operations-flush = flushes
operations-create = creates
operations-open = opens
operations-stat = stats
operations-read-file = full-file reads
operations-rename = renames
operations-delete = deletes
operations-fsync = fsyncs
operations-list = listings
operations-send = sends
operations-receive = receives
operations-ping-pong = round trips
operations-copy = copies

durable-sync = { " " }(O_SYNC)
durable-dsync = { " " }(O_DSYNC)
durable-flush-at-end = { " " }(fsync at the end)
durable-fsync-each = { " " }({ $call } after each write)
durable-fsync-every = { " " }({ $call } every { $every } writes)
through-the-page-cache = { " " }through the page cache
by-an-engine-without-storage = { " " }by the { $engine } engine

## Many ranks

ranks-measured-one-job = { $ranks } ranks on { $hosts ->
    [one] one host
   *[other] { $hosts } hosts
} ran one job together: figures and sizes are totals, depths and workers are per rank.
ranks-measured-together = { $ranks } ranks on { $hosts ->
    [one] one host
   *[other] { $hosts } hosts
} measured together: the figures are totals, depths, workers and sizes are per rank.

## The load

load-asked = { " " }of { $rate }/s requested
load-depth = { " " }at depth { $depth }{ $shortfall }
load-workers-and-depth = { " " }at { $workers } workers, depth { $depth }{ $shortfall }
load-workers-with-depth = { " " }with { $workers } workers at depth { $depth } each
with-hosts = { $hosts ->
    [one] with one host
   *[other] with { $hosts } hosts
}
at-depth = at depth { $depth }
with-workers = { $workers ->
    [one] with 1 worker
   *[other] with { $workers } workers
}
at-swept = at { $value } ({ $key })

## Figures of a step

step-figures = { $subject }: { $throughput }{ $load }{ $latency }.
of-step = { $step }: { $said }
job-figures = '{ $job }'{ $beside }{ $load }: { $figures }.
job-beside = { " " }alongside '{ $step }'
job-beside-later = { " " }alongside '{ $step }', starting after { $delay }
job-bandwidth = { $kind } { $bandwidth }{ $latency }
job-rate = { $rate } { $kind }/s{ $latency }

## Ladders of depths, workers and rates

one-at-a-time = { $subject }, one at a time: { $rate }{ $mean } ({ $latency }){ $skew }.
mean-time = , mean { $mean }
few-long-operations = ; the mean is { $times } times the median: a few long operations, up to { $longest }, take about { $share } of the time
closed-loop = { $subject }: { $rate } { $place }{ $shortfall }{ $latency }; { $ending }.
more-depth-only-adds-latency = more depth only adds latency
more-concurrency-only-adds-latency = more concurrency only adds latency
more-depth-makes-it-fall = more depth adds latency, and throughput falls to { $rate } { $place }
more-concurrency-makes-it-fall = more concurrency adds latency, and throughput falls to { $rate } { $place }
more-depth-may-give-more = still rising, a higher depth may give more
more-concurrency-may-give-more = still rising, more concurrency may give more
more-depth-undecided = whether more depth helps is undecided
more-concurrency-undecided = whether more concurrency helps is undecided
rates-kept = { $subject }: { $rate }/s are sustained{ $latency }{ $lost }.
no-rate-kept = { $subject }: none of the requested rates is sustained{ $lost }.
rate-lost = ; of { $asked }/s requested, { $reached }/s are reached
scaling = { $subject }: { $smallest }{ $law }{ $misfit }.
smallest-depth = smallest depth that reaches 95 % of the maximum: { $value }{ $last }{ $rounds }
smallest-workers = fewest workers that reach 95 % of the maximum: { $value }{ $last }{ $rounds }
smallest-load = smallest { $key } that reaches 95 % of the maximum: { $value }{ $last }{ $rounds }
smallest-is-the-greatest-tried = , the largest tried
smallest-in-rounds = { " " }({ $low } to { $high } in individual rounds)
scaling-peak = ; by the Universal Scalability Law throughput is greatest with { $low } to { $high } in flight (95 % interval)
scaling-no-peak = ; by the Universal Scalability Law the peak is outside the measured range (above { $above } in flight)
scaling-no-peak-cell = outside the measured range (above { $above })
scaling-law-withheld = ; { $why }
scaling-has-pauses = no law is fitted because the workload has pauses
scaling-has-several-jobs = no law is fitted because several jobs run at once
scaling-has-few-points = the Universal Scalability Law is not fitted: { $points } steps had the requested number in flight, and at least { $needed } are needed
scaling-law-misses = the Universal Scalability Law does not describe this series (it misses a step by { $deviation })
scaling-has-one-round = the peak by the Universal Scalability Law has no interval with one round
scaling-misfit = { $steps ->
    [one] ; in 1 step Little's law does not fit: at { $value }, { $concurrency } of { $asked } were in flight
   *[other] ; in { $steps } steps Little's law does not fit: at { $value }, { $concurrency } of { $asked } were in flight
}
replay-timing = '{ $step }': requests started { $mean } late on average{ $tail }, { $longest } at most; the replay took { $took }, the recording { $asked } ({ $drift }).
replay-late-99 = , 99 % within { $p99 }
law-parameters = { $one } with one in flight, contention { $contention }, coherency { $coherency }

## Block sizes

block-sizes = { $subject }: { $bandwidth } { $place }{ $fall }.
block-workload = { $workload }{ $settings }{ $load }
blocks-still-rising = with { $block } blocks, still rising with the block size
blocks-undecided = with { $block } blocks; whether larger blocks give more is undecided
blocks-from-smallest = even with the smallest blocks ({ $block })
blocks-from = from { $block } blocks up
blocks-fall = ; { $bandwidth } with { $block } blocks

## Small files, caches

small-files = { $subject }: { $figures }{ $cached }.
small-files-of = Small files of { $size }{ $workers }{ $settings }
small-files-unsized = Small files{ $workers }{ $settings }
workers = , { $workers } workers
operations-per-second = { $rate } { $operations }/s
answered-from-memory = ; { $operations } were answered from memory
writes-absorbed = Writes ('{ $group }') are absorbed by a cache or a burst credit up to { $amount }, then { $after }.
verified-blocks = { $checked ->
    [one] Verified: the one block read matches what was written.
   *[other] Verified: all { $checked } blocks read match what was written.
}
verified-some-blocks = Verified: { $checked } blocks were read, and none differs; { $undecided } of them could not be checked, because they were being written at that moment or were never written in this run.
verified-no-block = Nothing was verified: no block was read.
test-file-size = Test file size: { $size }.

## Messages

message-one-way = A message of { $size } takes { $time } one way: half of the median round trip of { $round-trip }.
message-one-way-mean = A message of { $size } takes { $time } one way: half of the mean round trip of { $round-trip }.
message-one-way-by-write = A message of { $size } takes { $time } one way by a one-sided write into polled memory: half of the median round trip of { $round-trip }.
message-one-way-by-write-mean = A message of { $size } takes { $time } one way by a one-sided write into polled memory: half of the mean round trip of { $round-trip }.
messages-to-and-fro = Ping-pong reaches { $rate } with messages of { $size }, the highest of { $sizes } sizes.
round-trip-among-others = A round trip of { $size } takes { $time } (median) with { $depth } in flight, including the wait for the others.
round-trip-at-rate = A round trip of { $size } takes { $time } (median) at { $rate }/s requested.
stream-sent = Sent over { $over }: { $rate } with messages of { $size }{ $most }{ $cost }{ $again }.
stream-received = Received over { $over }: { $rate } with messages of { $size }{ $most }{ $cost }{ $again }.
over-rdma = RDMA with { $outstanding } outstanding
over-connections = { $connections ->
    [one] 1 connection
   *[other] { $connections } connections
}
most-of-sizes = , the highest of { $sizes } sizes
cpu-here = ; { $here } of CPU time per gigabit on this end
cpu-at-both-ends = ; { $here } of CPU time per gigabit on this end and { $there } on the other
over-udp = { $sockets ->
    [one] UDP, 1 socket
   *[other] UDP, { $sockets } sockets
}
messages-lost = { $count ->
    [0] , no message lost
    [one] , 1 message lost ({ $share })
   *[other] , { $count } messages lost ({ $share })
}
sent-again = { $segments ->
    [one] , 1 segment retransmitted
   *[other] , { $segments } segments retransmitted
}
at-the-same-time = At the same time ('{ $step }'): { $figures }.
kind-and-rate = { $kind } { $rate }

## Limits of the response time

share-all = all
ladder-keeps-limit = { $subject }: { $share } completed within { $limit } up to the largest value tried, { $last }{ $took }.
ladder-limit-undecided = { $subject }: whether { $share } complete within { $limit } is undecided even at the smallest value tried, { $first }{ $took }{ $again }.
ladder-misses-limit = { $subject }: { $share } did not complete within { $limit } even at the smallest value tried, { $first }: { $lost }{ $again }.
ladder-keeps-limit-up-to = { $subject }: { $best } is the largest value at which { $share } completed within { $limit }{ $took }; at { $next } { $lost }{ $again }.
limit-kept-again = , and at { $rung } the limit was met again
limit-undecided-at = it is undecided{ $took }
limit-time-was = it was { $time }
limit-more-failed = too many operations failed
rung-depth = depth { $depth }
rung = { $key } = { $value }
limit-of-step = '{ $step }'
limit-of-job = '{ $job }' alongside '{ $step }'
limit-kept = { $subject } met its limit of { $limit }: { $share } completed within { $time } (within { $limit }: { $inside }).
limit-missed = { $subject } MISSED its limit: { $inside } completed within { $limit }, and { $share } were required ({ $share } took { $time }).
limit-missed-by-failures = { $subject } MISSED its limit: { $inside } completed within { $limit }, and { $share } were required: too many operations failed.
limit-undecided = { $subject }: whether { $share } complete within { $limit } is undecided: { $why }.
limit-none-inside = none
limit-no-round = no round completed
limit-nothing-completed = nothing completed
limit-too-few = { $operations ->
    [one] 1 operation is too few to tell
   *[other] { $operations } operations are too few to tell
}
limit-rounds-disagree = the rounds disagree
limit-rounds-disagree-by = the rounds disagree ({ $time })

## Steady state

steady-no-round = No round completed: steady state cannot be judged.
steady-after-rounds = Steady after round { $round } of at most { $rounds }: { $figures }. The figures cover rounds { $first } to { $last }; earlier rounds are recorded and plotted.
steady-not-judged = Steady state was not judged: the window has { $window } rounds, and { $judged } were complete{ $written }. The figures cover rounds { $first } to { $last }; earlier rounds are recorded and plotted.
not-steady-after-rounds = NOT steady after { $round } rounds{ $written }: { $figures }. The figures cover rounds { $first } to { $last }; earlier rounds are recorded and plotted.
steady-written = , which wrote the range in use { $written } times (at most { $most })
steady-figures = '{ $step }'{ $among } averaged { $average }, with a range of { $data } (limit { $data-limit } %) and a linear fit that changes by { $slope } (limit { $slope-limit } %)
steady-least-of = , the least steady of { $tracked } tracked,
steady-no-figure = '{ $step }' has no figure in some of the last rounds

steps-settled = { $settled } of { $steps } steps ended because they were steady.
steps-settled-but = { $settled } of { $steps } steps ended because they were steady; NOT steady: { $others }.
settled-of-step = '{ $step }' was
settled-of-rounds = '{ $step }' was steady in { $reached } of { $rounds } rounds; round { $round } was
settled-after = { $subject } steady after { $time }: { $figures }.
settled-after-at-most = { $subject } steady after { $time } of at most { $most }: { $figures }.
not-settled = { $subject } NOT steady when { $by } ended it: { $figures }.
not-settled-round = { $subject } NOT when { $by } ended it: { $figures }.
settling-not-judged = { $subject } not judged: { $by } ended it before a window of { $window } was complete.
settled-slope = over the last { $window } mean { $mean }, with a slope of { $value } per interval (limit { $limit })
settled-departs-at-most = over the last { $window } mean { $mean }, with a largest deviation of { $value } (limit { $limit })
settled-departs = over the last { $window } mean { $mean }, with a deviation of { $value } (limit { $limit })
percent-text = { $percent } %
less-than-a-hundredth-percent = less than 0.01 %
by-time = time
by-bytes = bytes
by-operations = operations
by-end-of-files = end-of-files
by-end-of-stream = the end of the stream
by-no-room = a full target
by-steady = steady
by-signal = signal
by-program = the program
by-error = an error
by-kill = killed, or still running
by-the-end = the end
ended-by-error = error: { $error }
ended-by-failing = failed: { $error }

## Problems

nothing-measured = Nothing was measured.
more-in-tables = { $count } more results are in the tables.
copies-not-whole = { $count ->
    [one] 1 copy does not match its source.
   *[other] { $count } copies do not match their source.
}
blocks-differ = { $count ->
    [one] Data was not read back as written: 1 block differs.
   *[other] Data was not read back as written: { $count } blocks differ.
}
step-could-not-run = '{ $step }' could not run: { $error }.
step-could-not-run-in-some-rounds = '{ $step }' could not run in some rounds: { $error }.
steps-could-not-run = '{ $step }' and { $more } more could not run: { $error }.
steps-could-not-run-in-some-rounds = '{ $step }' and { $more } more could not run in some rounds: { $error }.
step-ended-early = '{ $step }' ended early: { $error }.
operations-failed = { $count ->
    [one] 1 operation failed.
   *[other] { $count } operations failed.
}
operations-failed-in-warm-up = { $count ->
    [one] 1 operation failed in the warm-up.
   *[other] { $count } operations failed in the warm-up.
}
run-interrupted = The run was interrupted: the figures cover the part that ran.
run-incomplete = The run was killed or is still running: the figures cover the part that was recorded.
writes-lost = Data was lost: writes of { $steps } were acknowledged, but writing them back to { $path } failed ({ $error } by { $call }); their figures are not those of the storage.
connection-lost-until-the-end = The connection to the server was lost { $times } and could not be restored; the step ended there, and its figures cover the time until then.
connection-lost-for-good = The connection to the server was lost { $times } and could not be restored; the figures include the time spent waiting for it.
connection-lost-once = The connection to the server was lost once, for { $time }; the figures include that time.
connection-lost-often = The connection to the server was lost { $times }, for up to { $time }; the figures include that time.
times-lost = { $count ->
    [one] once
   *[other] { $count } times over all workers
}

## Caveats of a record

doubt-file-is-missing = { $file } is missing
doubt-last-line-is-cut-off = { $file }: the last line is cut off and left out: the run was killed, or is still running
doubt-line-is-left-out = { $file }: line { $line } is left out: { $problem }
doubt-more-lines-are-left-out = { $file }: { $count ->
    [one] 1 more damaged line is left out
   *[other] { $count } more damaged lines are left out
}
doubt-intervals-of-no-step = { $count ->
    [one] 1 interval belongs to no known step and is left out
   *[other] { $count } intervals belong to no known step and are left out
}
