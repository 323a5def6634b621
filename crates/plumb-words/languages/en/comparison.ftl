### Sentences of a comparison.

## Figures and changes

figure-iops = IOPS
figure-bandwidth = bandwidth
figure-mean = mean latency
figure-cpu = CPU per operation
figure-percentile = { $percentile }
figure-and-time = { $figure } { $time }
step-and-figure = { $step }, { $figure }
step-figure-and-kind = { $step }, { $figure } of { $operations }

completes-more = it completes { $amount } more { $operations } per second{ $interval }
completes-fewer = it completes { $amount } fewer { $operations } per second{ $interval }
completes-times-as-many = it completes { $amount } as many { $operations } per second{ $interval }
moves-more = it moves { $amount } more bytes per second{ $interval }
moves-fewer = it moves { $amount } fewer bytes per second{ $interval }
moves-times-as-many = it moves { $amount } as many bytes per second{ $interval }
moves-more-by = it moves { $amount } more bytes per second by { $operations }{ $interval }
moves-fewer-by = it moves { $amount } fewer bytes per second by { $operations }{ $interval }
moves-times-as-many-by = it moves { $amount } as many bytes per second by { $operations }{ $interval }
needs-more-cpu-time = it needs { $amount } more CPU time per operation{ $interval }
needs-less-cpu-time = it needs { $amount } less CPU time per operation{ $interval }
needs-times-as-much-cpu-time = it needs { $amount } as much CPU time per operation{ $interval }
is-longer = { $time } is { $amount } longer{ $interval }
is-shorter = { $time } is { $amount } shorter{ $interval }
is-times-as-long = { $time } is { $amount } as long{ $interval }
its-mean = its mean response time
its-median = its median response time
its-percentile = its { $percentile }th percentile
mean-of-its = the mean response time of its { $operations }
median-of-its = the median response time of its { $operations }
percentile-of-its = the { $percentile }th percentile of its { $operations }
between-times = { " " }(between { $low } and { $high } times)
between-changes = { " " }(between { $low } and { $high })

## The verdict

nothing-could-be-compared = Nothing could be compared.
nothing-could-be-compared-but-refused = { $refused ->
    [one] Nothing could be compared: the one step or figure was left out; the reason is listed.
   *[other] Nothing could be compared: { $refused } steps or figures were left out; the reasons are listed.
}
compares-a-run-with-itself = A and { $side } are the same record: a run compared with itself shows nothing.
side-fails = { $side } fails where others do not: in { $steps } { $failures }. A side that fails is not faster.
side-fails-in-several-steps = { $side } fails where others do not, in { $steps }; in the first of them { $failures }. A side that fails is not faster.
no-figure-in-common = { $side } and A have no figure in common.
all-figures-are-the-same = { $all ->
    [one] { $side } is the same as A in the one figure within { $threshold }.
   *[other] { $side } is the same as A in all { $all } figures within { $threshold }.
}
side-came-out = { $first }{ $better }{ $same }{ $undecided }.
side-is-worse-in = { $all ->
    [one] { $side } is worse than A in { $count } of { $all } figure
   *[other] { $side } is worse than A in { $count } of { $all } figures
}
side-is-better-in = { $all ->
    [one] { $side } is better than A in { $count } of { $all } figure
   *[other] { $side } is better than A in { $count } of { $all } figures
}
side-is-the-same-in = { $side } is the same as A in { $count } of { $all } figures
side-is-worse-in-all = { $side } is worse than A in all { $all } figures
side-is-better-in-all = { $side } is better than A in all { $all } figures
and-better-in = , better in { $count }
and-the-same-in = , the same in { $count }
and-undecided = { $count ->
    [one] ; 1 is undecided
   *[other] ; { $count } are undecided
}
nothing-is-decided = { $all ->
    [one] Nothing is decided between { $side } and A: the one figure is undecided.
   *[other] Nothing is decided between { $side } and A: all { $all } figures are undecided.
}
no-verdict-of-one-round = No verdict on { $side }: A has { $ours }, { $side } has { $theirs }, and one round says nothing about the spread. { $advice }
no-verdict-of-few-rounds = No verdict on { $side }: A has { $ours }, { $side } has { $theirs }; with so few, any difference could be chance. { $advice }
rounds-of-a-side = { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
}
let-program-measure-both = Run { $program } on both at least { $rounds } times, and import the results of each as rounds of one run (plumb import --rounds FILES).
let-program-measure-side = Run { $program } on { $side } at least { $rounds } times, and import its results as rounds of one run (plumb import --rounds FILES).
measure-both-by = Measure both with { $rounds } rounds: `{ $command }`.
measure-side-by = Measure { $side } with { $rounds } rounds: `{ $command }`.
measure-side = Measure { $side } with at least { $rounds } rounds.
step-is-better = { $step }: { $side } is better: { $effects }.
step-is-worse = { $step }: { $side } is worse: { $effects }.
more-steps-differ = { $more ->
    [one] 1 more step differs: see the table.
   *[other] { $more } more steps differ: see the table.
}
more-rounds-decide-all = { $rounds ->
    [one] About 1 more round per side would probably decide { $all ->
        [one] the undecided figure
       *[other] all { $all } undecided figures
    }.{ $turns }
   *[other] About { $rounds } more rounds per side would probably decide { $all ->
        [one] the undecided figure
       *[other] all { $all } undecided figures
    }.{ $turns }
}
more-rounds-decide-some = { $rounds ->
    [one] About 1 more round per side would probably decide { $decided } of the { $all } undecided figures.{ $turns }
   *[other] About { $rounds } more rounds per side would probably decide { $decided } of the { $all } undecided figures.{ $turns }
}
turns-may-take-fewer = { " " }Interleaved rounds (`plumb compare --live`) or longer ones may need fewer.
figures-in-common-with-published = { $figures ->
    [one] { $first } and { $second } have 1 figure in common. A published figure is one round on another setup: it is shown for reference, without a verdict.
   *[other] { $first } and { $second } have { $figures } figures in common. A published figure is one round on another setup: it is shown for reference, without a verdict.
}
figure-is-times-the-other = { $step }: { $first } on { $first-side }, { $second } on { $second-side }: { $b } against { $a }: { $ratio }.
figures-are-equal = { $step }: { $first } on { $first-side }, { $second } on { $second-side }: equal.
published-side = { $side } (published)
measured-side = { $side }
more-in-the-table = { $more } more are in the table.
published-figures-measured = { $measured ->
    [0] None of the { $figures } rows of { $experiment } was measured.
    [one] 1 of the { $figures } rows of { $experiment } was measured. A published figure is one round on another setup: it is shown for reference, without a verdict.
   *[other] { $measured } of the { $figures } rows of { $experiment } were measured. A published figure is one round on another setup: it is shown for reference, without a verdict.
}
one-figure-against-published = { $run } against { $system }: { $low } ({ $low-row }).
figures-against-published = { $run } against { $system }, { $figures } figures: from { $low } ({ $low-row }) to { $high } ({ $high-row }).
one-figure-times-published = { $run } against { $system }: { $low } the published figure ({ $low-row }).
figures-times-published = { $run } against { $system }, { $figures } figures: from { $low } the published figure ({ $low-row }) to { $high } ({ $high-row }).
pinning-changed = Pinning: of { $all } settings, { $shown } have an interval that excludes no change. The largest change of IOPS is { $change } ({ $interval }): { $test }, { $workers } x { $depth } (workers x depth).
pinning-interval = { $low } to { $high }
pinning-without-interval = no interval: one round

## Why a figure is decided or not

interval-within-threshold = the interval lies within { $threshold }
difference-beyond-threshold = shown to differ by more than { $threshold }
difference-not-beyond-threshold = shown to differ, but not shown to differ by more than { $threshold }
difference-shown-but-failing = the difference is shown, but on { $side } { $failures }
beyond-threshold-but-not-among-many = differs by more than { $threshold } taken alone, but with { $tested } figures tested it could be chance
difference-but-not-among-many = differs taken alone, but with { $tested } figures tested it could be chance
rounds-scatter-too-much = the rounds vary too much to show a difference, or sameness within { $threshold }
rounds-give-no-interval = the rounds give no interval
machine-not-the-same = the machine was not the same, or not idle, on both sides
machine-not-the-same-because = the machine was not the same, or not idle, on both sides: { $evidence }
too-few-operations-to-state = { $few } of { $all } rounds of { $side } have too few operations to state this figure
side-has-no-such-figure = { $side } has no such figure
round-of-side-stood-still = a round of { $side } completed nothing: there is no ratio
too-few-whole-blocks = there are too few complete blocks: one says nothing about the spread
too-few-rounds-a-side = with fewer than { $least } rounds per side it could be chance
side-has-one-round = { $side } has one round, which says nothing about the spread
one-round-shows-no-spread = one round says nothing about the spread
published-figure-is-one-round = a published figure is one round and says nothing about its spread
published-figure-below-all-rounds = a published figure is one round and says nothing about its spread; it is below all { $rounds } rounds of { $side }
published-figure-above-all-rounds = a published figure is one round and says nothing about its spread; it is above all { $rounds } rounds of { $side }
published-figure-above-some-rounds = a published figure is one round and says nothing about its spread; it is above { $some } of { $rounds } rounds of { $side }
sides-are-the-same-record = { $a } and { $b } are the same record

## What was not compared

no-figure-for-all-sides = no figure can be stated for all sides: too few operations in a round
step-could-not-run-on = could not run on { $side }: { $error }
step-never-ran-on = never ran on { $side }
no-round-ended-as-it-should = no round of { $side } completed normally
side-has-no-such-step = { $side } has no step of this name, and no single step with the same workload
not-the-same-work = the workload differs: { $differences }
key-differs = { $key } is { $on-a } on A and { $on-b } on { $side }
not-set = not set
publication-has-no-value = the publication has no value
no-such-figure-is-compared = plumb compares no figure of this kind
no-workload-does-this = plumb has no workload for this
no-step-did-this-work = no step ran this workload
others-have-no-such-figure = the others have no figure of this name
differs-from-published = { $key } is { $measured } instead of { $published }
nearest-step-differs-from-published = { $step } is the nearest step, but { $differences }
no-step-stands-for = no step measures { $test }
step-has-no-such-figure = the step has no such figure
file-fits-into-memory-here = the file ({ $size }) fits into memory ({ $memory }), the published one did not
file-is-larger-than-memory-here = the file ({ $size }) is larger than memory ({ $memory }), the published one was not

## Failures

blocks-not-as-written = { $blocks ->
    [one] 1 block was not read back as written
   *[other] { $blocks } blocks were not read back as written
}
copies-were-not-whole = { $copies ->
    [one] 1 copy does not match its source
   *[other] { $copies } copies do not match their source
}
some-operations-failed = { $failed } of { $all } operations failed
rounds-failed = { $rounds ->
    [one] 1 round could not run or ended with an error
   *[other] { $rounds } rounds could not run or ended with an error
}
failures-of-side = { $side } in { $step }: { $failures }.
more-steps-fail-on-one-side = { $more ->
    [one] 1 more step has failures on one side only.
   *[other] { $more } more steps have failures on one side only.
}

## The machine

machine-was-not-the-same = The machine was not the same, or not idle, while A and { $side } were measured, in { $steps }: { $evidence }. Intervals of { $side } against A are widened { $widened }, because that may explain the difference. `plumb compare --live` measures both on the same machine.
widened-by-more-than-half = by more than their half
widened-by-up-to = by up to { $part }
workers-waited-for-a-cpu = workers waited for a CPU { $on-a } of the time on { $a } and { $on-b } on { $b }
other-programs-took-cpus = other programs took { $on-a } of the CPUs on { $a } and { $on-b } on { $b }
hypervisor-took-cpus = the hypervisor took { $on-a } on { $a } and { $on-b } on { $b }
operation-took-cpu-time = an operation took { $on-a } of CPU time on { $a } and { $on-b } on { $b }
tasks-waited-for-a-cpu = tasks waited for a CPU { $on-a } of the time on { $a } and { $on-b } on { $b }
unknown-part = an unknown share

## When and what was measured

measured-each-by-itself = The sides were measured separately: anything that changed between the measurements is part of the difference. `plumb compare --live` interleaves them.
measured-at-different-times = The sides were measured separately, { $last } { $time } after { $first }: anything that changed between the measurements is part of the difference. `plumb compare --live` interleaves them.
less-than-an-hour = { $time }
hours = { $hours } h
days = { $days } days
sides-have-the-same-record = { $a } and { $b } are the same record: this compares it with itself.
doubt-run-was-interrupted = the run was interrupted: unfinished rounds are left out
doubt-run-has-no-end = the run was killed or is still running: unfinished rounds are left out

## Rounds of a cell

rounds-left-out = { $rounds ->
    [one] 1 round left out: it { $reason }
   *[other] { $rounds } rounds left out: each { $reason }
}
round-could-not-run = could not run
round-did-not-end = did not end
round-was-interrupted = was interrupted
round-was-skipped = was skipped (key s)
round-ended-with-an-error = ended with an error
round-has-no-measured-time = has no measured time
too-few-operations-for = too few operations for { $figure }
rounds-resemble-their-neighbours = consecutive rounds are correlated: interval { $factor } as wide
drifts-over-rounds = drifts over the rounds: { $ratio } from the first to the last
drifts-within-rounds = drifts within the rounds: { $ratio } from the first third to the last
two-modes-of-rounds = bimodal: { $share } of the rounds near { $high }, the others near { $low }
two-modes-of-intervals = bimodal: { $share } of the intervals near { $high }, the others near { $low }
rounds-far-from-the-others = { $rounds-count ->
    [one] round { $rounds } far from the others
   *[other] rounds { $rounds } far from the others
}

## Rounds of a side, over several steps

rounds-of-side-left-out = Rounds of { $side } are left out of { $steps }: each { $reason }.
figure-not-compared = { $figure } is not compared in { $steps }: rounds have too few operations to state it. Longer rounds would help.
intervals-are-widened = Consecutive rounds are correlated in { $steps }: the intervals of { $side } against A are widened. `plumb compare --live` avoids this.
side-drifts-over-rounds = The figures of { $side } drift from round to round in { $steps }: its value depends on when it was measured.
side-drifts-within-rounds = The throughput of { $side } drifts within the rounds of { $steps }: it had not settled, and longer rounds would give a different value.
side-has-two-modes-of-rounds = The rounds of { $side } are bimodal in { $steps }: its value lies between the two levels.
side-has-two-modes-of-intervals = The intervals of { $side } are bimodal in { $steps }: its value lies between the two levels.
side-has-rounds-far-from-the-others = Single rounds of { $side } are outliers in { $steps }.

## Conditions of --fail-if

condition-looks-at-nothing = no figure of this comparison matches '{ $condition }': check the step name and the metric
condition-failed = failed: { $failed }
condition-failed-and-unproven = failed: { $failed }; beyond the limit, but not shown to be: { $unproven }
condition-unproven = beyond the limit, but not shown to be: { $unproven }
condition-held = { $figures ->
    [one] the one figure is not beyond the limit
   *[other] none of { $figures } figures is beyond the limit
}
condition-not-tested = { $figures ->
    [one] the one figure is not beyond the limit, but too few rounds or operations make a test impossible
   *[other] none of { $figures } figures is beyond the limit, but { $untested } cannot be tested: too few rounds or operations
}
figure-changed = { $figure } of { $side }: { $change }
figure-changed-not-shown = { $figure } of { $side }: { $change } ({ $why })
not-among-so-many-figures = significant taken alone, but not with so many figures tested

## The method

method-unit = The unit is the round: one repetition of a step gives one value, however many operations it has.
method-values = Values are trimmed geometric means of the rounds: computed on logarithms, with 10 % of the rounds trimmed at each end, none below ten rounds.
method-independent = Sides were measured separately: { $confidence } intervals of the ratio by the trimmed t test for unequal variances (Yuen, Biometrika 61, 1974), widened where consecutive rounds are correlated. A side is a single session, which cannot show how much sessions differ: half a percent is assumed, and the intervals are widened by everything that the machine may have taken from either side, as far as the records show it (time waiting for a CPU, CPU time of other processes and of the hypervisor, CPU time per operation).
method-blocks = Sides ran in blocks in random order: { $confidence } intervals of the ratio from the differences within blocks by the trimmed t test of one sample (Tukey and McLaughlin, Sankhya A 25, 1963).
method-holm = { $tested ->
    [one] 1 effect was tested; its p-value needs no adjustment.
   *[other] { $tested } effects were tested together; their p-values are adjusted for that number (Holm, Scandinavian Journal of Statistics 6, 1979).
}
method-verdicts = The same: the entire interval lies within { $threshold }. Better or worse: shown to differ by more than { $threshold }: the entire interval lies beyond it, and the test against { $threshold } holds after adjustment for all effects. Undecided: neither. A condition of --fail-if is tested against its own limit in the same way.
method-resolution = Intervals include the resolution of the figures: half a histogram bucket for a percentile, half an operation for a rate.

# Differences between sides, and metrics of the machine.

difference-jobs = jobs that run at the same time
difference-rounds = repetitions of the plan
difference-engine = engine in use
difference-engine-options = engine options in effect
difference-clock = clock used for times
difference-size = size used on the target, all workers
difference-direct = page cache bypassed
difference-plumb-version = version of plumb
difference-target = the target
difference-known-facts = known facts of the environment
machine-waited-for-cpu = share of the time in which the load generator's threads waited for a CPU
machine-others-cpu = share of all CPUs that other processes took
machine-stolen-cpu = share of the CPUs in use that the hypervisor gave to others
machine-cpu-pressure = share of the time in which some task waited for a CPU
machine-cpu-per-operation = CPU time of the load generator per operation
