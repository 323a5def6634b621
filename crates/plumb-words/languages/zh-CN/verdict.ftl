### 一次测试的结论。

## 组成部分

none = { "" }
in-brackets = （{ $text }）
iops = { $rate } IOPS
about = 约 { $value }
between = { $low } 到 { $high } 之间
exactly = { $value }
from-to = { $low } 到 { $high }
rate-with-flushes = { $rate }，另有每秒 { $flushes } 次刷写
in-flight = ，在途 { $count } 个
settings = （{ $settings }）

latency-median-and-99 = 中位延迟 { $median }，99 % 低于 { $p99 }
latency-median = 中位延迟 { $median }，样本不足以给出 99 % 的数值
latency-mean = 平均延迟 { $mean }，样本不足以给出百分位数
flush-times-not-known = 未报告刷写时间

## 步骤的负载

workload = { $order }{ $operations }{ $durable }{ $cached }{ $nowhere }
workload-of-block = { $block } { $order }{ $operations }{ $durable }{ $cached }{ $nowhere }
workload-of-mixed-sizes = 混合块大小的{ $order }{ $operations }{ $durable }{ $cached }{ $nowhere }
workload-with-settings = { $workload }{ $settings }
workload-of-step = { $workload }（“{ $step }”）

order-replayed = 重放的
order-partly-random = 部分随机
order-sequential = 顺序
order-reverse = 逆序
order-strided = 跨步
order-first = 同一位置
order-random = 随机
order-zipf = Zipf 分布
order-pareto = Pareto 分布
order-hot-spot = 热点
order-normal = 正态分布
order-zoned = 分区分布
order-random-runs = 随机位置的连续块
order-random-repeats = 随机位置重复
order-listed = 指定块顺序
order-precondition = 预处理
order-unstated = 条件未注明的

operations-mixed = { $kinds }（{ $shares }）
operations-any = 操作
operations-read = 读
operations-write = 写
operations-rewrite = 改写
operations-trim = TRIM
operations-flush = 刷写
operations-create = 创建
operations-open = 打开
operations-stat = stat
operations-read-file = 整文件读
operations-rename = 重命名
operations-delete = 删除
operations-fsync = fsync
operations-list = 列目录
operations-send = 发送
operations-receive = 接收
operations-ping-pong = 往返
operations-copy = 复制

durable-sync = （O_SYNC）
durable-dsync = （O_DSYNC）
durable-flush-at-end = （结束时 fsync）
durable-fsync-each = （每次写后 { $call }）
durable-fsync-every = （每 { $every } 次写 { $call } 一次）
through-the-page-cache = （经页缓存）
by-an-engine-without-storage = （{ $engine } 引擎）

## Many ranks

ranks-measured-one-job = { $hosts } 台主机上的 { $ranks } 个 rank 共同执行一个作业：数值和大小为全体合计，深度和线程数按每个 rank 计。
ranks-measured-together = { $hosts } 台主机上的 { $ranks } 个 rank 共同测试：数值为全体合计，深度、线程数和大小按每个 rank 计。

## 负载强度

load-asked = （要求 { $rate }/s）
load-depth = （队列深度 { $depth }{ $shortfall }）
load-workers-and-depth = （{ $workers } 个线程，队列深度 { $depth }{ $shortfall }）
load-workers-with-depth = （{ $workers } 个线程，每线程队列深度 { $depth }）
with-hosts = { $hosts } 台主机时
at-depth = （队列深度 { $depth }）
with-workers = （{ $workers } 个线程）
at-swept = （{ $key } = { $value }）

## 步骤的数值

step-figures = { $subject }：{ $throughput }{ $load }{ $latency }。
of-step = { $step }：{ $said }
job-figures = “{ $job }”{ $beside }{ $load }：{ $figures }。
job-beside = （与“{ $step }”同时运行）
job-beside-later = （“{ $step }”开始 { $delay } 后与其同时运行）
job-bandwidth = { $kind } { $bandwidth }{ $latency }
job-rate = 每秒 { $rate } 次{ $kind }{ $latency }

## 队列深度、线程数与速率的阶梯

one-at-a-time = { $subject }，逐个进行：{ $rate }{ $mean }（{ $latency }）{ $skew }。
mean-time = ，平均 { $mean }
few-long-operations = ；平均值是中位数的 { $times } 倍：少数耗时很长的操作（最长 { $longest }）约占总时间的 { $share }
closed-loop = { $subject }：{ $rate }{ $place }{ $shortfall }{ $latency }；{ $ending }。
more-depth-only-adds-latency = 再增加队列深度只会增加延迟
more-concurrency-only-adds-latency = 再增加并发只会增加延迟
more-depth-makes-it-fall = 再增加队列深度会增加延迟，吞吐量降至 { $rate }{ $place }
more-concurrency-makes-it-fall = 再增加并发会增加延迟，吞吐量降至 { $rate }{ $place }
more-depth-may-give-more = 仍在上升，比已测更大的队列深度可能更快
more-concurrency-may-give-more = 仍在上升，比已测更高的并发可能更快
more-depth-undecided = 增加队列深度是否有益尚无定论
more-concurrency-undecided = 增加并发是否有益尚无定论
rates-kept = { $subject }：可以保持 { $rate }/s{ $latency }{ $lost }。
no-rate-kept = { $subject }：所要求的速率均未达到{ $lost }。
rate-lost = ；要求 { $asked }/s 时只达到 { $reached }/s
scaling = { $subject }：{ $smallest }{ $law }{ $misfit }。
smallest-depth = 达到最大吞吐量 95 % 的最小队列深度：{ $value }{ $last }{ $rounds }
smallest-workers = 达到最大吞吐量 95 % 的最少线程数：{ $value }{ $last }{ $rounds }
smallest-load = 达到最大吞吐量 95 % 的最小 { $key }：{ $value }{ $last }{ $rounds }
smallest-is-the-greatest-tried = ，即所测的最大值
smallest-in-rounds = （各轮单独为 { $low } 到 { $high }）
scaling-peak = ；按通用可扩展性定律（USL），在途操作为 { $low } 到 { $high } 个时吞吐量最大（95 % 区间）
scaling-no-peak = ；按通用可扩展性定律（USL），峰值不在所测范围内（在途操作多于 { $above } 个）
scaling-no-peak-cell = 不在所测范围内（多于 { $above }）
scaling-law-withheld = ；{ $why }
scaling-has-pauses = 未拟合定律，因为工作负载含有停顿
scaling-has-several-jobs = 未拟合定律，因为同时运行多个作业
scaling-has-few-points = 未拟合通用可扩展性定律（USL）：只有 { $points } 个步骤达到所要求的在途操作数，至少需要 { $needed } 个
scaling-law-misses = 通用可扩展性定律（USL）不能描述此阶梯（某一步骤偏差达 { $deviation }）
scaling-has-one-round = 只有一轮，通用可扩展性定律（USL）的峰值没有区间
scaling-misfit = ；有 { $steps } 个步骤不符合利特尔定律：{ $value } 时在途 { $concurrency } 个，要求 { $asked } 个
replay-timing = “{ $step }”：请求平均晚 { $mean } 开始{ $tail }，最多晚 { $longest }；共用时 { $took }，录制为 { $asked }（{ $drift }）。
replay-late-99 = ，99 % 在 { $p99 } 以内
law-parameters = 单个在途时 { $one }，争用 { $contention }，一致性 { $coherency }

## 块大小

block-sizes = { $subject }：{ $bandwidth }，{ $place }{ $fall }。
block-workload = { $workload }{ $settings }{ $load }
blocks-still-rising = 块大小为 { $block } 时，且随块大小仍在上升
blocks-undecided = 块大小为 { $block } 时；更大的块是否更快尚无定论
blocks-from-smallest = 从最小的块（{ $block }）起即达到
blocks-from = 从 { $block } 的块起达到
blocks-fall = ；块大小为 { $block } 时为 { $bandwidth }

## 小文件与缓存

small-files = { $subject }：{ $figures }{ $cached }。
small-files-of = { $size } 的小文件{ $workers }{ $settings }
small-files-unsized = 小文件{ $workers }{ $settings }
workers = （{ $workers } 个线程）
operations-per-second = 每秒 { $rate } 次{ $operations }
answered-from-memory = ；{ $operations }由内存应答
writes-absorbed = 写入（“{ $group }”）在 { $amount } 之前由缓存或突发额度吸收，之后为 { $after }。
verified-blocks = 已校验：读取的 { $checked } 个块都与写入的一致。
verified-some-blocks = 已校验：读取了 { $checked } 个块，没有错误；其中 { $undecided } 个无法判断，因为当时正在写入，或在本次运行中从未写入。
verified-no-block = 没有校验任何内容：没有读取任何块。
test-file-size = 测试文件大小为 { $size }。

## 消息

message-one-way = { $size } 的消息单程用时 { $time }：往返中位时间 { $round-trip } 的一半。
message-one-way-mean = { $size } 的消息单程用时 { $time }：往返平均时间 { $round-trip } 的一半。
message-one-way-by-write = 以单边写入对端轮询内存的方式，{ $size } 的消息单程用时 { $time }：往返中位时间 { $round-trip } 的一半。
message-one-way-by-write-mean = 以单边写入对端轮询内存的方式，{ $size } 的消息单程用时 { $time }：往返平均时间 { $round-trip } 的一半。
messages-to-and-fro = 往返消息在 { $size } 时达到 { $rate }，为 { $sizes } 种大小中最高。
round-trip-among-others = 在途 { $depth } 个时，{ $size } 的往返用时 { $time }（中位数），其中包含等待其他消息的时间。
round-trip-at-rate = 要求 { $rate }/s 时，{ $size } 的往返用时 { $time }（中位数）。
stream-sent = 经{ $over }发送：{ $rate }，消息大小 { $size }{ $most }{ $cost }{ $again }。
stream-received = 经{ $over }接收：{ $rate }，消息大小 { $size }{ $most }{ $cost }{ $again }。
over-rdma = RDMA（在途 { $outstanding } 个）
over-connections = { $connections } 条连接
most-of-sizes = ，为 { $sizes } 种大小中最高
cpu-here = ；本端每吉比特耗用 CPU 时间 { $here }
cpu-at-both-ends = ；每吉比特耗用 CPU 时间：本端 { $here }，对端 { $there }
over-udp = UDP（{ $sockets } 个套接字）
messages-lost = { $count ->
    [0] ，没有消息丢失
   *[other] ，丢失 { $count } 条消息（{ $share }）
}
sent-again = ，重传 { $segments } 个报文段
at-the-same-time = 同时（“{ $step }”）：{ $figures }。
kind-and-rate = { $kind } { $rate }

## 响应时间上限

share-all = 全部
ladder-keeps-limit = { $subject }：直到所测的最大值 { $last }，{ $share }均在 { $limit } 内完成{ $took }。
ladder-limit-undecided = { $subject }：从所测的最小值 { $first } 起，{ $share }是否在 { $limit } 内完成即无定论{ $took }{ $again }。
ladder-misses-limit = { $subject }：即使在所测的最小值 { $first }，{ $share }也未能在 { $limit } 内完成：{ $lost }{ $again }。
ladder-keeps-limit-up-to = { $subject }：{ $share }能在 { $limit } 内完成的最大值为 { $best }{ $took }；在 { $next } 时{ $lost }{ $again }。
limit-kept-again = ，而在 { $rung } 时又能保持
limit-undecided-at = 尚无定论{ $took }
limit-time-was = 为 { $time }
limit-more-failed = 失败的操作过多
rung-depth = 队列深度 { $depth }
rung = { $key } = { $value }
limit-of-step = “{ $step }”
limit-of-job = “{ $job }”（与“{ $step }”同时运行）
limit-kept = { $subject }满足上限 { $limit }：{ $share }在 { $time } 内完成（{ $limit } 内完成：{ $inside }）。
limit-missed = { $subject }超出上限：{ $inside }在 { $limit } 内完成，而要求为 { $share }，其实际用时 { $time }。
limit-missed-by-failures = { $subject }超出上限：{ $inside }在 { $limit } 内完成，而要求为 { $share }：失败的操作多于余量。
limit-undecided = { $subject }：{ $share }是否在 { $limit } 内完成尚无定论：{ $why }。
limit-none-inside = 没有操作
limit-no-round = 没有一轮运行到结束
limit-nothing-completed = 没有完成任何操作
limit-too-few = { $operations } 次操作太少，无法判断
limit-rounds-disagree = 各轮结果不一致
limit-rounds-disagree-by = 各轮结果不一致（{ $time }）

## 稳态

steady-no-round = 没有一轮完整运行：无法判断是否稳定。
steady-after-rounds = 在第 { $round } 轮后达到稳态（最多 { $rounds } 轮）：{ $figures }。数值取自第 { $first } 至 { $last } 轮；更早的轮次已记录并绘图。
steady-not-judged = 未判断是否稳定：窗口为 { $window } 轮，完整的有 { $judged } 轮{ $written }。数值取自第 { $first } 至 { $last } 轮；更早的轮次已记录并绘图。
not-steady-after-rounds = { $round } 轮后仍未稳定{ $written }：{ $figures }。数值取自第 { $first } 至 { $last } 轮；更早的轮次已记录并绘图。
steady-written = ，已将使用部分写入 { $written } 遍（最多 { $most } 遍）
steady-figures = “{ $step }”{ $among }平均为 { $average }，最低与最高轮之间相差 { $data }（上限 { $data-limit } %），线性拟合变化 { $slope }（上限 { $slope-limit } %）
steady-least-of = （所跟踪的 { $tracked } 个中最不稳定者）
steady-no-figure = “{ $step }”在最后几轮中有的没有数值

steps-settled = { $steps } 个步骤中有 { $settled } 个因达到稳态而结束。
steps-settled-but = { $steps } 个步骤中有 { $settled } 个因达到稳态而结束；未稳定：{ $others }。
settled-of-step = “{ $step }”
settled-of-rounds = “{ $step }”在 { $rounds } 轮中有 { $reached } 轮达到稳态；第 { $round } 轮
settled-after = { $subject }在 { $time } 后稳定：{ $figures }。
settled-after-at-most = { $subject }在 { $time } 后稳定（最多 { $most }）：{ $figures }。
not-settled = { $subject }在因{ $by }结束时仍未稳定：{ $figures }。
not-settled-round = { $subject }在因{ $by }结束时未稳定：{ $figures }。
settling-not-judged = { $subject }未作判断：在一个 { $window } 的窗口结束之前，已因{ $by }结束。
settled-slope = 最后 { $window } 内平均 { $mean }，每个间隔的斜率为 { $value }（上限 { $limit }）
settled-departs-at-most = 最后 { $window } 内平均 { $mean }，各间隔与其相差至多 { $value }（上限 { $limit }）
settled-departs = 最后 { $window } 内平均 { $mean }，有间隔与其相差 { $value }（上限 { $limit }）
percent-text = { $percent } %
less-than-a-hundredth-percent = 不到 0.01 %
by-time = 时间到
by-bytes = 字节数已满
by-operations = 操作数已满
by-end-of-files = 文件用尽
by-end-of-stream = 数据流结束
by-no-room = 空间已满
by-steady = 达到稳态
by-signal = 信号
by-program = 原程序
by-error = 错误
by-kill = 被终止（或仍在运行）
by-the-end = 运行结束
ended-by-error = 错误：{ $error }
ended-by-failing = 失败：{ $error }

## 出错情况

nothing-measured = 没有测得任何数据。
more-in-tables = 另有 { $count } 项结果见表格。
copies-not-whole = 有 { $count } 个副本与源不一致。
blocks-differ = 读回的数据与写入的不同：{ $count } 个块不一致。
step-could-not-run = “{ $step }”无法运行：{ $error }。
step-could-not-run-in-some-rounds = “{ $step }”在部分轮次中无法运行：{ $error }。
steps-could-not-run = “{ $step }”等（另有 { $more } 个）无法运行：{ $error }。
steps-could-not-run-in-some-rounds = “{ $step }”等（另有 { $more } 个）在部分轮次中无法运行：{ $error }。
step-ended-early = “{ $step }”提前结束：{ $error }。
operations-failed = { $count } 次操作失败。
operations-failed-in-warm-up = 预热期间有 { $count } 次操作失败。
run-interrupted = 测试被中断：数值来自已运行的部分。
run-incomplete = 测试被终止或仍在进行：数值来自已记录的部分。
writes-lost = 数据已丢失：{ $steps } 的写入已得到确认，但随后写回 { $path } 失败（{ $call }：{ $error }）；相关数值均不代表存储的性能。
connection-lost-until-the-end = 与服务器的连接中断{ $times }且未能恢复；步骤在该处结束，数值截至该时刻。
connection-lost-for-good = 与服务器的连接中断{ $times }且未能恢复；数值包含等待连接的时间。
connection-lost-once = 与服务器的连接中断一次，持续 { $time }；数值包含这段时间。
connection-lost-often = 与服务器的连接中断{ $times }，最长 { $time }；数值包含这些时间。
times-lost = { $count ->
    [1] 一次
   *[other] { $count } 次（所有线程合计）
}

## 记录的存疑之处

doubt-file-is-missing = 缺少 { $file }
doubt-last-line-is-cut-off = { $file }：最后一行不完整，已略去：测试被终止或仍在进行
doubt-line-is-left-out = { $file }：略去第 { $line } 行：{ $problem }
doubt-more-lines-are-left-out = { $file }：另略去 { $count } 个损坏的行
doubt-intervals-of-no-step = { $count } 个间隔不属于任何已知步骤，已略去
