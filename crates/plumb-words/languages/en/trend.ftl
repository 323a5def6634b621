### What a trend says.

## To keep in mind

runs-with-other-work = Left out as not the same work as in the newest run, { $key } differs: { $runs }, in { $steps }.
run-stalled = { $run } is left out of step { $step }: in half of its rounds or more, nothing completed.
operations-failed-in-steps = Operations failed in { $steps }; figures are those of the others.
errors-of-step-and-run = { $step } of { $run } ({ $errors })
run-is-doubtful = { $run }: { $doubts }.
more-runs-are-doubtful = { $more ->
    [one] 1 more run did not end, or its record is damaged.
   *[other] { $more } more runs did not end, or their records are damaged.
}
too-few-runs = { $runs ->
    [one] 1 run is too few to look for changes: it takes { $least } or more. Two single runs are compared by 'plumb compare'.
   *[other] { $runs } runs are too few to look for changes: it takes { $least } or more. Two single runs are compared by 'plumb compare'.
}
changes-by-chance = { $lines ->
    [one] 1 line was looked at. Where nothing changed, about one line in 1,000 shows a change all the same; up to 6 in 100 where each run resembles the one before, or single runs are often far off to one side.
   *[other] { $lines } lines were looked at. Where nothing changed, about one line in 1,000 shows a change all the same; up to 6 in 100 where each run resembles the one before, or single runs are often far off to one side.
}

## Why nobody can tell whether a figure changed

figure-in-too-few-runs = { $runs ->
    [one] 1 run has this figure; changes are looked for from { $least } runs on
   *[other] { $runs } runs have this figure; changes are looked for from { $least } runs on
}
figure-missing-in-runs = { $missing } of { $runs } runs lack it in some of their rounds (too few operations): whether it changed cannot be told

## The parameters of the method

trend-values = logarithm of the median of each run's rounds
trend-runs = { $runs } runs
trend-largest-p-value = { $p }, corrected for the choice of the best place and for runs that resemble their neighbours
trend-smallest-change = { $change }
trend-drift = a straight line by least squares with the same p-value and smallest change, where it fits better than steps
