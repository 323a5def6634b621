### Parts that any sentence can have.

# A sentence of another program, of a server, or of an old record.
verbatim = { $text }

list-two = { $first } and { $second }
list-more = { $first }, { $rest }

# Several clauses of one sentence.
clauses = { $first }; { $rest }
clauses-and-more = { $clauses }; and { $more } more

# Names of steps, of runs and the like.
names = { $names }
names-and-more = { $first }, { $second }, { $third } and { $more } more

quantity-times = { $value } times
