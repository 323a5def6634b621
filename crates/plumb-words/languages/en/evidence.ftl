### Evidence: names of figures, and values made of several figures.

## Of the verdict of a run

evidence-ranks = ranks
evidence-operations = operations
evidence-blocks-checked = blocks checked
evidence-size-in-use = size in use
evidence-sentences-left-out = sentences left out
evidence-errors = errors
evidence-completed-operations = completed operations
evidence-warm-up-errors = errors in the warm-up
evidence-state = state
evidence-ended-by = '{ $step }' ended by
evidence-call-of-path = { $call } of { $path }
evidence-finding = finding
evidence-worker = worker { $worker }
evidence-rounds = rounds
evidence-part-of = { $part } of { $all }
evidence-kind-of = { $kind } of '{ $name }'
evidence-response-time-median = response time, median
evidence-response-time-99 = response time, 99 %
evidence-response-time-mean = response time, mean
evidence-longest-operation = longest operation
evidence-requests = requests
evidence-lateness-mean = lateness (due to submission), mean
evidence-time-of-the-log = length of the recording at this speed
evidence-of-maximum = throughput there, share of the maximum
evidence-unloaded-time = service time with one in flight, mean
evidence-bounds-meet = in flight where the asymptotic bounds cross
evidence-law-parameters = Universal Scalability Law
evidence-law-deviation = largest deviation of a step from it
evidence-rate-and-median = { $rate }/s, median { $median }

## Of ladders and block sizes

evidence-iops-at = IOPS { $place }
evidence-mean-response-times = mean response time { $first } and { $second }
evidence-rate-kept = sustained rate
evidence-rate-reached = rate reached at { $asked }/s requested
evidence-bandwidth-at-size = bandwidth at { $block }

## Of small files and caches

evidence-written-by-the-device = written by the device during { $kind }
evidence-device-reads = device reads during { $kind }
evidence-for-operations = { $reads } for { $operations } operations
evidence-bandwidth-before = bandwidth before
evidence-bandwidth-after = bandwidth after
evidence-written-before-the-fall = written before the drop
evidence-rounds-with-the-fall = rounds with the drop

## Of messages

evidence-round-trip-median = round trip, median
evidence-round-trip-mean = round trip, mean
evidence-round-trip-99 = round trip, 99 %
evidence-round-trips = round trips
evidence-bandwidth-of-step = bandwidth of '{ $step }'
evidence-cpu-per-gigabit-here = CPU time per gigabit, this end
evidence-cpu-per-gigabit-there = CPU time per gigabit, other end
evidence-messages-lost = messages lost, by their numbers
evidence-sent-again = segments retransmitted
evidence-round-trip-of-tcp = round-trip time reported by TCP

## Of limits of the response time

evidence-limit-of = limit of { $subject }
evidence-within = { $share } within { $time }
evidence-took = , { $share } within { $time }
evidence-limit-kept = { $inside }{ $took }: met
evidence-limit-missed = { $inside }{ $took }: missed
evidence-limit-undecided = { $inside }{ $took }: undecided

## Of the steady state

evidence-whole-rounds = complete rounds
evidence-steady-steps = steady steps
evidence-step = '{ $step }'
evidence-step-and-round = '{ $step }', round { $round }
evidence-excursion-steady = range { $data }, linear fit { $slope }, steady
evidence-excursion-not-steady = range { $data }, linear fit { $slope }, not steady
evidence-departure-and-slope = largest deviation { $departure }, slope { $slope } per interval
evidence-no-whole-window = no complete window

## Of comparisons and layers

evidence-kind-and-figure = { $kind }, { $figure }
evidence-ratio = ratio
evidence-interval = interval
evidence-adjusted-p-value = adjusted p-value
evidence-figures-in-common = figures in common
evidence-refused = refused
evidence-record = record
evidence-failed-operations = failed operations
evidence-blocks-not-as-written = blocks not as written
evidence-failed-rounds = failed rounds
evidence-better = better
evidence-worse = worse
evidence-same = same
evidence-undecided = undecided
evidence-steps-that-differ = steps that differ
evidence-more-rounds = more rounds
