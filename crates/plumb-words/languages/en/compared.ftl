### Texts around the figures of a comparison, on the page and in the terminal.

label-verdict-better = ▲ better
label-verdict-worse = ▼ worse
label-verdict-same = = same
label-verdict-undecided = ? undecided
compared-times = { $factor } times
times-higher = { $factor } times higher
times-lower = { $factor } times lower
compared-interval = { $low } to { $high }
compared-more-rounds = { $rounds ->
    [one] about 1 more round per side
   *[other] about { $rounds } more rounds per side
}
compared-more-rounds-short = { $rounds ->
    [one] +1 round
   *[other] +{ $rounds } rounds
}
compared-plan = plan { $plan }
label-compared-published = published
compared-published-in = published { $year }
published-heading = { $experiment }: { $question }
published-not-measured = not measured: { $rows }: { $reason }
published-against = vs. { $system }
published-mean-of-steps = mean of { $count } steps, { $first } to { $last }
published-other-steps = { $count ->
    [one] 1 other step fits too
   *[other] { $count } other steps fit too
}
label-published-experiment = Published experiment
label-published-system = system
label-published-figure = published
label-published-yours = yours
label-published-change = yours vs. published
label-published-steps = steps
label-what-pinning-gave = What pinning gave
label-workers-times-depth = workers x depth
label-pinning-iops = IOPS
label-pinning-interval = 95 % interval
label-pinning-latency = mean latency
label-pinning-cpu = CPU per I/O
label-pinning-iops-per-core = IOPS per core
label-pinning-note = Each pair is: not pinned / pinned. Change and interval are those of IOPS, round by round. CPU is that of the load generator's threads.
label-compared-not-stated = not stated
compared-not-known = not known ({ $reason })
compared-and-more = { $names } and { $count } more
compared-worse = { $count } worse
compared-better = { $count } better
compared-same = { $count } the same
compared-undecided = { $count } undecided
label-nothing-was-compared = nothing was compared
label-nothing-was-compared-sentence = Nothing was compared.
label-compared-independently = The sides were measured separately: anything that changed between the measurements is part of the difference.
label-compared-in-blocks = The sides ran in the same blocks, in random order within each block, and are compared block by block: the change is the mean of the blocks' ratios, not the quotient of the two figures shown.
label-compared-none-tested = no difference could be tested
compared-tested = { $count ->
    [one] 1 difference was tested
   *[other] { $count } differences were tested together (Holm)
}
compared-cover-of-blocks = { $confidence } % confidence intervals
compared-cover = { $confidence } % confidence intervals from the spread between rounds, widened by what the records show about the machine; their coverage has been verified for live comparisons only
compared-method = Unit: the round. { $cover }; a change within { $threshold } % is the same for all practical purposes; { $tested }.

label-nothing-to-compare = Nothing to compare
compared-against = { $side } against { $baseline }
compared-side-against = { $letter } ({ $side }) against { $baseline-letter } ({ $baseline })
compared-sides-against = { $count } sides against { $baseline }
compared-sides-against-letter = { $count } sides against { $baseline-letter } ({ $baseline })
compared-title = plumb compare: { $names }
compared-title-of-copies = plumb copy-test: { $names }
compared-sides = { $count ->
    [one] Comparison of 1 side
   *[other] Comparison of { $count } sides
}
compared-footer = Compared with plumb { $version } · every figure on this page is derived from the records of the sides.
label-the-sides = The sides
label-further-sides = further sides in the table of all figures
label-condition-failed = failed
label-condition-held = held
label-no-environment-differs = No recorded fact of the environment differs between the sides.
label-in-the-environment = In the environment
label-in-the-work = In the workload (still compared)
label-steps-not-compared = Steps that were not compared
label-values = values
label-only-in = only in
label-side = side
label-why = why
label-change = change
label-interval = interval
label-compared-verdict = verdict
label-why-and-peculiar = reason and remarks
compared-rounds = { $rounds ->
    [one] 1 round
   *[other] { $rounds } rounds
}
label-compared-note = Values are trimmed geometric means of the rounds; p is adjusted for the number of figures that were compared (Holm).
compared-left-out = { $count } further figures are not shown here, { $decided } of them better or worse: plumb compare --json has all.

label-environment-differs = Differences in the environment
label-work-differs = Differences in the workload (still compared)
compared-in-steps = { $values } (in { $steps })
compared-more-lines = and { $count } more, in the report page and --json
label-not-compared = Not compared
label-conditions = Conditions
compared-undecided-figures = Undecided, { $count } figures: { $reason }
label-more-rounds-note = "+N rounds": about N more rounds per side would probably decide the figure.
compared-others-left-out = { $count } more figures are the same or undecided; they are in the report page (--report FILE) and --json.
compared-interval-title = { $confidence } % interval

## Checks of a CI system

checked-figure = { $verdict }: { $baseline-letter } { $baseline }, { $letter } { $value }; change { $change }, { $confidence } % interval { $interval }; { $reason }
label-checked-side-fails = more operations fail than on another side in some step

label-layer-faster = ▲ faster
label-layer-slower = ▼ slower

## Charts

compared-sides-drawn = Shown: the first { $drawn } of { $sides } sides.
label-compared-every-difference = Every difference with its interval
compared-side-divided-by = { $side } divided by { $baseline }: right is higher, which for latency is worse
compared-divided-by = divided by { $baseline }: right is higher, which for latency is worse
compared-effects-caption = Each dot is a figure divided by that of { $baseline }, each line its interval. In the shaded band it is the same for all practical purposes; a filled dot is decided, a ring is not. Very wide intervals are cut at the edge; the table has their ends.
compared-largest-decided-first = The { $shown } largest of { $all }, decided ones first.
compared-figures-in-all = { $figures } figures in all.
compared-sweeps-drawn = Shown: the first { $drawn } of { $sweeps } sweeps.
compared-by-key = { $group }: { $figure } by { $key }
label-compared-points-of-steps = Each point is the value of one step on one side; each whisker is the interval of that value.
compared-side-from-to = { $side }: from { $first } to { $last }.
compared-steps-drawn = Shown: the { $drawn } of { $steps } steps with the largest differences in the tail.
compared-share-within = { $side }: { $share } within { $time }
compared-latency-by-percentile = Latency by percentile: { $step }
label-compared-percentiles-caption = All rounds of a side together; each added nine is 10x rarer. A line ends where there are too few samples.
label-compared-share-of-operations = percentile (share of operations this fast or faster)
label-compared-response-time = response time (logarithmic)
compared-operations-within = { $side }: { $share } of the operations within { $time }.
compared-figures-drawn = Shown: { $drawn } of { $figures } figures, those with remarks first, then the largest differences.
label-compared-block = block
compared-round-after-round = Round after round: { $step }, { $figure }
label-compared-blocks-in-order = The value of each block, in the order in which the blocks ran. The sides of one block ran close together.
label-compared-rounds-in-order = The value of each round, in the order in which the rounds ran. The sides were measured at different times.
compared-first-and-last-round = { $side }: { $first } in the first of { $rounds } rounds, { $last } in the last.
compared-rounds-listed = The first { $listed } of { $rounds } rounds; --json has all.
compared-against-value-of = against the value of { $baseline }
compared-largest-differences = The { $shown } largest differences of { $figures } figures.
compared-rounds-caption = Each dot is one round, the first at the top and the last at the bottom of its row; the vertical mark is the side's value. All values are divided by the value of { $baseline }, so that all figures share one axis. In the shaded band it is the same for all practical purposes.
label-compared-all-rounds = All rounds
compared-round = round { $round }
compared-rounds-of = { $figure }: rounds of { $sides }.
