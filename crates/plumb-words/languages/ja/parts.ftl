### どの文にも現れうる部分。

# ほかのプログラム、サーバー、古い記録の文をそのまま示す。
verbatim = { $text }

list-two = { $first }と{ $second }
list-more = { $first }、{ $rest }
