### 任何句子都可能包含的部分。

# 其他程序、服务器或旧记录中的原文。
verbatim = { $text }

list-two = { $first }、{ $second }
list-more = { $first }、{ $rest }

clauses = { $first }；{ $rest }
clauses-and-more = { $clauses }；另有 { $more } 项
names = { $names }
names-and-more = { $first }、{ $second }、{ $third } 等（另有 { $more } 个）

quantity-times = { $value } 倍
