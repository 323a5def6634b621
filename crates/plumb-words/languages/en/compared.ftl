### What stands around the figures of a comparison, on the page and in the terminal.

label-verdict-better = ▲ better
label-verdict-worse = ▼ worse
label-verdict-same = = same
label-verdict-undecided = ? undecided
compared-times = { $factor } times
compared-interval = { $low } to { $high }
compared-more-rounds = { $rounds ->
    [one] about 1 more round a side
   *[other] about { $rounds } more rounds a side
}
compared-more-rounds-short = { $rounds ->
    [one] +1 round
   *[other] +{ $rounds } rounds
}
compared-plan = plan { $plan }
label-compared-published = published
compared-published-in = published { $year }
label-compared-not-stated = not stated
compared-not-known = not known ({ $reason })
compared-and-more = { $names } and { $count } more
compared-worse = { $count } worse
compared-better = { $count } better
compared-same = { $count } the same
compared-undecided = { $count } undecided
label-nothing-was-compared = nothing was compared
label-nothing-was-compared-sentence = Nothing was compared.
label-compared-independently = The sides were measured each by itself: whatever changed between them is part of their difference.
label-compared-in-blocks = The sides ran in the same blocks, in an order drawn for each, and are compared block by block: the change is the mean of the blocks' ratios, and not the quotient of the two figures beside it.
label-compared-none-tested = no difference could be tested
compared-tested = { $count ->
    [one] 1 difference was tested
   *[other] { $count } differences were tested together (Holm)
}
compared-cover-of-blocks = Intervals cover the truth in { $confidence } of 100 cases
compared-cover = Intervals are at { $confidence } % for the scatter of the rounds, widened by what the records tell of the machine; how often they cover the truth is shown for live comparisons only
compared-method = Unit: the round. { $cover }; a change within { $threshold } % is the same for all practical purposes; { $tested }.

label-nothing-to-compare = Nothing to compare
compared-against = { $side } against { $baseline }
compared-side-against = { $letter } ({ $side }) against { $baseline-letter } ({ $baseline })
compared-sides-against = { $count } sides against { $baseline }
compared-sides-against-letter = { $count } sides against { $baseline-letter } ({ $baseline })
compared-title = plumb compare: { $names }
compared-title-of-copies = plumb copy-test: { $names }
compared-sides = Comparison of { $count } sides
compared-footer = Compared with plumb { $version } · every figure on this page is derived from the records of the sides.
label-the-sides = The sides
label-further-sides = further sides in the table of all figures
label-condition-failed = failed
label-condition-held = held
label-no-environment-differs = No fact that was recorded of the environment differs between the sides.
label-in-the-environment = In the environment
label-in-the-work = In the work, and compared all the same
label-steps-not-compared = Steps that were not compared
label-values = values
label-only-in = only in
label-side = side
label-why = why
label-change = change
label-interval = interval
label-compared-verdict = verdict
label-why-and-peculiar = why, and what is peculiar
compared-rounds = { $rounds ->
    [one] 1 round
   *[other] { $rounds } rounds
}
label-compared-note = Values are trimmed geometric means of the rounds; p is adjusted for the number of figures that were compared (Holm).
compared-left-out = { $count } further figures do not stand here, { $decided } of them better or worse: plumb compare --json has all.

label-environment-differs = What differs in the environment
label-work-differs = What differs in the work, and was compared all the same
compared-in-steps = { $values } (in { $steps })
compared-more-lines = and { $count } more, which the report page and --json hold
label-not-compared = Not compared
label-conditions = Conditions
compared-undecided-figures = Undecided, { $count } figures: { $reason }
label-more-rounds-note = More rounds beside an undecided figure: with about so many more on each side it would probably be decided.
compared-others-left-out = { $count } more figures are the same or undecided; the report page (--report FILE) and --json hold them.
compared-interval-title = { $confidence } % interval

label-layer-faster = ▲ faster
label-layer-slower = ▼ slower
