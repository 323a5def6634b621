### Sentences about a trend.

## Notes

runs-with-other-work = Left out because the workload is not that of the newest run, { $key } differs: { $runs }, in { $steps }.
run-stalled = { $run } is left out of step { $step }: in half of its rounds or more, nothing completed.
operations-failed-in-steps = Operations failed in { $steps }; figures are those of the others.
errors-of-step-and-run = { $step } of { $run } ({ $errors })
run-is-doubtful = { $run }: { $doubts }.
more-runs-are-doubtful = { $more ->
    [one] 1 more run did not end, or its record is damaged.
   *[other] { $more } more runs did not end, or their records are damaged.
}
too-few-runs = { $runs ->
    [one] 1 run is too few to search for changes: { $least } or more are needed. Use 'plumb compare' for two runs.
   *[other] { $runs } runs are too few to search for changes: { $least } or more are needed. Use 'plumb compare' for two runs.
}
changes-by-chance = { $lines ->
    [one] 1 series tested. Without a real change, about 1 series in 1,000 shows one by chance; up to 6 in 100 where consecutive runs are correlated or outliers on one side are frequent.
   *[other] { $lines } series tested. Without a real change, about 1 series in 1,000 shows one by chance; up to 6 in 100 where consecutive runs are correlated or outliers on one side are frequent.
}

## Why a figure cannot be judged

figure-in-too-few-runs = { $runs ->
    [one] 1 run has this figure; changes are searched for from { $least } runs up
   *[other] { $runs } runs have this figure; changes are searched for from { $least } runs up
}
figure-missing-in-runs = { $missing } of { $runs } runs lack it in some of their rounds (too few operations): whether it changed is not known

## The parameters of the method

trend-values = logarithm of the median of each run's rounds
trend-runs = { $runs } runs
trend-largest-p-value = { $p }, corrected for the choice of the best position and for correlated consecutive runs
trend-smallest-change = { $change }
trend-drift = a straight line by least squares with the same p-value and smallest change, where it fits better than steps

## The terminal and the page

label-trend-no-runs = No runs
label-trend-several-targets = several targets
label-trend-several = several
trend-days = { $first } to { $last }
trend-subject = { $runs ->
    [one] 1 run of plan { $plan } on { $target }, { $days }
   *[other] { $runs } runs of plan { $plan } on { $target }, { $days }
}
trend-subject-on-host = { $runs ->
    [one] 1 run of plan { $plan } on { $target }, host { $host }, { $days }
   *[other] { $runs } runs of plan { $plan } on { $target }, host { $host }, { $days }
}
trend-of-plan = Trend of plan “{ $plan }”
label-trend-drift-of-lines = Slow drift, without a change at any single run
label-trend-slow-drift = Slow drift
label-trend-slow-drift-means = A straight line fits these better than steps: there is no single run at which they changed.
label-trend-nothing-asked = None of the requested steps and figures is in these runs.
trend-sparklines-last = The sparklines show the last { $runs } runs.
trend-method = Method: { $name } ({ $source }).
trend-e-divisive = E-divisive means with Student's t as the test, in windows (Hunter, now Apache Otava)
trend-lines = { $lines ->
    [one] 1 series ({ $names })
   *[other] { $lines } series ({ $names })
}
trend-lines-and-more = { $lines } series ({ $names }; and { $more } more)
trend-no-change-in = No change in { $lines }.
trend-no-change-in-others = No change in the other { $lines }.
trend-no-change-in-any = { $count ->
    [one] No change in the only series.
   *[other] No change in any of { $count } series.
}
trend-said-change = { $figure }: { $change } at { $when } ({ $values }), { $verdict }.
trend-said-drift = { $figure }: { $change } in a slow drift ({ $values }), { $verdict }.
trend-cannot-tell-in = Undecided in { $lines }: { $reason }.
trend-lines-changed = { $lines ->
    [one] 1 series changed
   *[other] { $lines } series changed
}
trend-run-of = run { $number } of { $runs }: { $folder }
label-trend-with-it = with it
label-trend-nothing-with-it = no recorded fact of the environment
label-trend-nothing-changed-with-it = No recorded fact of the environment changed with it.
label-trend-changed-with-it = Changed with it:
trend-more-differences = and { $more } more differences (--report, --json)
trend-more-lines = and { $more } more lines (--report FILE, --json)
label-trend-not-known = not known
trend-not-known-because = not known ({ $reason })
label-trend-not-looked = No change was searched for: see below.
trend-all-runs = All { $count } runs
trend-derived-with = Derived with plumb { $version } · every figure on this page comes from the records of the runs.
trend-more-above = { $count } more are in the tables above.
trend-more-in-json = { $count } more are in `plumb trend --json`.
label-trend-from-to = from → to
label-trend-run = run
label-trend-lowest-round = lowest round
label-trend-highest-round = highest round
label-trend-folder = folder
label-trend-started = started
label-trend-host = host
label-trend-tags = tags
label-trend-runs-in-order = runs in chronological order
label-trend-response-time = response time
trend-over-runs = { $name } over { $runs } runs.
trend-runs-not-drawn = { $drawn } of { $runs } runs are drawn: of each group of neighbors the lowest and the highest, and those at changes. `plumb trend --json` has all.
trend-older-runs = { $count } older runs are in `plumb trend --json`.
trend-caption-change = { $change } ({ $values }, { $verdict }).
trend-caption-drift = Slow drift of { $change } ({ $values }, { $verdict }).
label-trend-no-change = No change.
label-trend-dots = Dots are medians of the rounds of a run, with the range of the rounds.
label-trend-median-of-a-run = median of a run
label-trend-drift = drift
label-trend-mean-of-a-stretch = mean between changes
label-trend-values = values
label-trend-window = window
label-trend-largest-p-value = largest p-value
label-trend-smallest-change = smallest change
label-trend-shortest-stretch = shortest segment
label-trend-fewest-runs = fewest runs
label-trend-parameter-drift = drift
