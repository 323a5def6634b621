### どの文にも現れうる部分。

# ほかのプログラム、サーバー、古い記録の文をそのまま示す。
verbatim = { $text }

list-two = { $first }と{ $second }
list-more = { $first }、{ $rest }

clauses = { $first }。{ $rest }
clauses-and-more = { $clauses }。ほか { $more } 件
names = { $names }
names-and-more = { $first }、{ $second }、{ $third } ほか { $more } 件

quantity-times = { $value } 倍
