### Parts that any sentence can have.

# A sentence of another program, of a server, or of an old record.
verbatim = { $text }

list-two = { $first } and { $second }
list-more = { $first }, { $rest }
