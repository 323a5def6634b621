### 比较的内容。

## 指标与变化

figure-iops = IOPS
figure-bandwidth = 带宽
figure-mean = 平均延迟
figure-cpu = 每次操作的 CPU 时间
figure-percentile = { $percentile }
figure-and-time = { $figure } { $time }
step-and-figure = { $step }，{ $figure }
step-figure-and-kind = { $step }，{ $operations }，{ $figure }

completes-more = 每秒{ $operations }次数多 { $amount }{ $interval }
completes-fewer = 每秒{ $operations }次数少 { $amount }{ $interval }
completes-times-as-many = 每秒{ $operations }次数为 A 的 { $amount }{ $interval }
moves-more = 每秒传输的字节多 { $amount }{ $interval }
moves-fewer = 每秒传输的字节少 { $amount }{ $interval }
moves-times-as-many = 每秒传输的字节为 A 的 { $amount }{ $interval }
moves-more-by = { $operations }每秒传输的字节多 { $amount }{ $interval }
moves-fewer-by = { $operations }每秒传输的字节少 { $amount }{ $interval }
moves-times-as-many-by = { $operations }每秒传输的字节为 A 的 { $amount }{ $interval }
needs-more-cpu-time = 每次操作的 CPU 时间多 { $amount }{ $interval }
needs-less-cpu-time = 每次操作的 CPU 时间少 { $amount }{ $interval }
needs-times-as-much-cpu-time = 每次操作的 CPU 时间为 A 的 { $amount }{ $interval }
is-longer = { $time }长 { $amount }{ $interval }
is-shorter = { $time }短 { $amount }{ $interval }
is-times-as-long = { $time }为 A 的 { $amount }{ $interval }
its-mean = 平均响应时间
its-median = 中位响应时间
its-percentile = 第 { $percentile } 百分位响应时间
mean-of-its = { $operations }的平均响应时间
median-of-its = { $operations }的中位响应时间
percentile-of-its = { $operations }的第 { $percentile } 百分位响应时间
between-times = （{ $low } 到 { $high } 倍之间）
between-changes = （{ $low } 到 { $high } 之间）

## 结论

nothing-could-be-compared = 没有可比较的数值。
nothing-could-be-compared-but-refused = 没有可比较的数值：{ $refused } 个步骤或指标未比较，各附原因。
compares-a-run-with-itself = A 与 { $side } 是同一份记录：这是测试与其自身的比较，不说明任何问题。
side-fails = { $side } 出现其他侧没有的失败：步骤 { $steps } 中有 { $failures }。失败的一侧不能算更快。
side-fails-in-several-steps = { $side } 在步骤 { $steps } 中出现其他侧没有的失败；其中第一个步骤有 { $failures }。失败的一侧不能算更快。
no-figure-in-common = { $side } 与 A 没有共有的数值。
all-figures-are-the-same = { $side } 与 A 相比，全部 { $all } 项数值在 { $threshold } 以内相同。
side-came-out = { $first }{ $better }{ $same }{ $undecided }。
side-is-worse-in = { $side } 与 A 相比，{ $all } 项数值中 { $count } 项变差
side-is-better-in = { $side } 与 A 相比，{ $all } 项数值中 { $count } 项变好
side-is-the-same-in = { $side } 与 A 相比，{ $all } 项数值中 { $count } 项相同
side-is-worse-in-all = { $side } 与 A 相比，全部 { $all } 项数值变差
side-is-better-in-all = { $side } 与 A 相比，全部 { $all } 项数值变好
and-better-in = ，{ $count } 项变好
and-the-same-in = ，{ $count } 项相同
and-undecided = ；{ $count } 项无定论
nothing-is-decided = { $side } 与 A 之间没有任何定论：全部 { $all } 项数值均无定论。
no-verdict-of-one-round = 无法对 { $side } 作出结论：A 有 { $ours }，{ $side } 有 { $theirs }，而仅凭一轮无法得知离散程度。{ $advice }
no-verdict-of-few-rounds = 无法对 { $side } 作出结论：A 有 { $ours }，{ $side } 有 { $theirs }，轮数太少，差异可能出于偶然。{ $advice }
rounds-of-a-side = { $rounds } 轮
let-program-measure-both = 请用 { $program } 对两侧各测至少 { $rounds } 次，并将各侧的结果作为同一次测试的各轮导入（plumb import --rounds FILES）。
let-program-measure-side = 请用 { $program } 对 { $side } 测至少 { $rounds } 次，并将其结果作为同一次测试的各轮导入（plumb import --rounds FILES）。
measure-both-by = 请对两侧各测 { $rounds } 轮：`{ $command }`。
measure-side-by = 请对 { $side } 测 { $rounds } 轮：`{ $command }`。
measure-side = 请对 { $side } 测至少 { $rounds } 轮。
step-is-better = { $step }：{ $side } 变好：{ $effects }。
step-is-worse = { $step }：{ $side } 变差：{ $effects }。
more-steps-differ = 另有 { $more } 个步骤有差异：见表格。
more-rounds-decide-all = 每侧约再测 { $rounds } 轮，全部 { $all } 项无定论的数值很可能得出结论。{ $turns }
more-rounds-decide-some = 每侧约再测 { $rounds } 轮，{ $all } 项无定论的数值中有 { $decided } 项很可能得出结论。{ $turns }
turns-may-take-fewer = 交替测量（`plumb compare --live`）或延长每轮，所需轮数可能更少。
figures-in-common-with-published = { $first } 与 { $second } 有 { $figures } 项共有的数值。已发表的数值是另一套配置的一轮结果：不作结论，仅说明相对位置。
figure-is-times-the-other = { $step }：{ $first-side } 上 { $first }，{ $second-side } 上 { $second }：{ $b } 相对于 { $a }：{ $ratio }。
figures-are-equal = { $step }：{ $first-side }{ $first }，{ $second-side }{ $second }；两者相等。
published-side = { $side }（已发表）
measured-side = { $side }{ " " }
more-in-the-table = 另有 { $more } 项见表格。
published-figures-measured = { $measured ->
    [0] { $experiment } 的 { $figures } 行均未测量。
   *[other] 测量了 { $experiment } 的 { $figures } 行中的 { $measured } 行。发表的数值是另一环境中的一轮测量：仅供参考，不作结论。
}
one-figure-against-published = { $run } 与 { $system } 相比：{ $low }（{ $low-row }）。
figures-against-published = { $run } 与 { $system } 相比，共 { $figures } 项：从 { $low }（{ $low-row }）到 { $high }（{ $high-row }）。
one-figure-times-published = { $run } 与 { $system } 相比：为发表数值的 { $low }（{ $low-row }）。
figures-times-published = { $run } 与 { $system } 相比，共 { $figures } 项：从发表数值的 { $low }（{ $low-row }）到 { $high }（{ $high-row }）。
pinning-changed = 绑定 CPU：{ $all } 种设置中，{ $shown } 种的区间不包含“无变化”。IOPS 的最大变化为 { $change }（{ $interval }）：{ $test }，{ $workers } x { $depth }（线程数 x 深度）。
pinning-interval = { $low } 至 { $high }
pinning-without-interval = 无区间：只有一轮

## 有无定论的原因

interval-within-threshold = 区间在 { $threshold } 以内
difference-beyond-threshold = 已证实差异超过 { $threshold }
difference-not-beyond-threshold = 已证实有差异，但未证实超过 { $threshold }
difference-shown-but-failing = 差异已证实，但 { $side } 有 { $failures }
beyond-threshold-but-not-among-many = 单独看可证实差异超过 { $threshold }，但在 { $tested } 项数值中，仅凭偶然就很容易出现这样的差异
difference-but-not-among-many = 单独看可证实有差异，但在 { $tested } 项数值中，仅凭偶然就很容易出现这样的差异
rounds-scatter-too-much = 各轮离散过大，既不能证实有差异，也不能证实在 { $threshold } 以内相同
rounds-give-no-interval = 由各轮无法得出区间
machine-not-the-same = 两侧测量时机器状态不同，或机器并非空闲
machine-not-the-same-because = 两侧测量时机器状态不同，或机器并非空闲：{ $evidence }
too-few-operations-to-state = { $side } 的 { $all } 轮中有 { $few } 轮操作太少，无法给出此数值
side-has-no-such-figure = { $side } 没有此数值
round-of-side-stood-still = { $side } 有一轮没有完成任何操作：无法与零求比值
too-few-whole-blocks = 完整的区组太少：仅凭一个区组无法得知离散程度
too-few-rounds-a-side = 每侧少于 { $least } 轮，不能排除差异出于偶然
side-has-one-round = { $side } 只有一轮，无法得知离散程度
one-round-shows-no-spread = 仅凭一轮无法得知离散程度
published-figure-is-one-round = 已发表的数值只有一轮，无法得知其离散程度
published-figure-below-all-rounds = 已发表的数值只有一轮，无法得知其离散程度；它低于 { $side } 的全部 { $rounds } 轮
published-figure-above-all-rounds = 已发表的数值只有一轮，无法得知其离散程度；它高于 { $side } 的全部 { $rounds } 轮
published-figure-above-some-rounds = 已发表的数值只有一轮，无法得知其离散程度；它高于 { $side } 的 { $rounds } 轮中的 { $some } 轮
sides-are-the-same-record = { $a } 与 { $b } 是同一份记录

## 未比较的内容

no-figure-for-all-sides = 无法给出所有侧的数值：有的轮次操作太少
step-could-not-run-on = 在 { $side } 上无法运行：{ $error }
step-never-ran-on = 在 { $side } 上从未运行
no-round-ended-as-it-should = { $side } 没有一轮正常结束
side-has-no-such-step = { $side } 没有同名步骤，也没有唯一一个执行此负载的步骤
not-the-same-work = 负载不同：{ $differences }
key-differs = { $key }：A 为 { $on-a }，{ $side } 为 { $on-b }
not-set = 未设定
publication-has-no-value = 发表的资料未给出数值
no-such-figure-is-compared = plumb compare 不比较此类指标
no-workload-does-this = plumb 没有对应的负载
no-step-did-this-work = 没有步骤执行此负载
others-have-no-such-figure = 其他各侧没有同名的指标
differs-from-published = { $key } 为 { $measured }，而非 { $published }
nearest-step-differs-from-published = 最接近的步骤是 { $step }，但 { $differences }
no-step-stands-for = 没有步骤对应 { $test }
step-has-no-such-figure = 该步骤没有此数值
file-fits-into-memory-here = 文件（{ $size }）可以放入内存（{ $memory }），发表的测试则不能
file-is-larger-than-memory-here = 文件（{ $size }）大于内存（{ $memory }），发表的测试则没有

## 失败

blocks-not-as-written = { $blocks } 个读回与写入不同的块
copies-were-not-whole = { $copies } 个副本与源不一致
some-operations-failed = { $failed } 次失败的操作（共 { $all } 次）
rounds-failed = { $rounds } 个无法运行或因错误结束的轮次
failures-of-side = { $side } 在步骤 { $step } 中有 { $failures }。
more-steps-fail-on-one-side = 另有 { $more } 个步骤仅在一侧失败。

## 机器

machine-was-not-the-same = 测量 A 与 { $side } 期间，机器状态不同或并非空闲（步骤 { $steps }）：{ $evidence }。差异可能全部由此而来，因此 { $side } 对 A 的区间已加宽{ $widened }。`plumb compare --live` 在同一台机器上测量两侧。
widened-by-more-than-half = 一半以上
widened-by-up-to = 至多 { $part }
workers-waited-for-a-cpu = 线程等待 CPU 的时间比例（{ $a } { $on-a }，{ $b } { $on-b }）
other-programs-took-cpus = 其他程序占用的 CPU（{ $a } { $on-a }，{ $b } { $on-b }）
hypervisor-took-cpus = 虚拟机监控程序占用的 CPU（{ $a } { $on-a }，{ $b } { $on-b }）
operation-took-cpu-time = 每次操作的 CPU 时间（{ $a } { $on-a }，{ $b } { $on-b }）
tasks-waited-for-a-cpu = 任务等待 CPU 的时间比例（{ $a } { $on-a }，{ $b } { $on-b }）
unknown-part = 未知

## 测量时间与对象

measured-each-by-itself = 各侧分别单独测量：两次测量之间的任何变化都包含在差异中。`plumb compare --live` 交替测量各侧。
measured-at-different-times = 各侧分别单独测量，{ $last } 比 { $first } 晚 { $time }：两次测量之间的任何变化都包含在差异中。`plumb compare --live` 交替测量各侧。
less-than-an-hour = { $time }
hours = { $hours } 小时
days = { $days } 天
sides-have-the-same-record = { $a } 与 { $b } 是同一份记录：这是记录与其自身的比较。
doubt-run-was-interrupted = 测试被中断：未结束的轮次已略去
doubt-run-has-no-end = 测试被终止或仍在进行：未结束的轮次已略去

## 单项数值的各轮

rounds-left-out = 略去 { $rounds } 轮：{ $reason }
round-could-not-run = 无法运行
round-did-not-end = 未结束
round-was-interrupted = 被中断
round-was-skipped = 被按键 s 跳过
round-ended-with-an-error = 因错误结束
round-has-no-measured-time = 没有测量时间
too-few-operations-for = { $figure }：操作太少
rounds-resemble-their-neighbours = 相邻轮次相关：区间宽度为原来的 { $factor }
drifts-over-rounds = 各轮之间漂移：从第一轮到最后一轮 { $ratio }
drifts-within-rounds = 轮次内漂移：从前三分之一到后三分之一 { $ratio }
two-modes-of-rounds = 分为两个水平：{ $high }（{ $share } 的轮次）、{ $low }（其余）
two-modes-of-intervals = 分为两个水平：{ $high }（{ $share } 的间隔）、{ $low }（其余）
rounds-far-from-the-others = 第 { $rounds } 轮与其他轮相差很大

## 一侧在多个步骤中的各轮

rounds-of-side-left-out = 步骤 { $steps } 中略去了 { $side } 的部分轮次：{ $reason }。
figure-not-compared = { $figure }：步骤 { $steps } 中未比较，因为各轮操作太少，无法给出此数值。延长每轮会有帮助。
intervals-are-widened = 步骤 { $steps } 中相邻轮次相关：{ $side } 对 A 的区间已加宽。`plumb compare --live` 没有这个问题。
side-drifts-over-rounds = { $side } 的数值在步骤 { $steps } 中逐轮漂移：结果取决于测量的时刻。
side-drifts-within-rounds = { $side } 的吞吐量在步骤 { $steps } 的各轮内漂移：尚未稳定，延长每轮会得到不同的数值。
side-has-two-modes-of-rounds = { $side } 的各轮在步骤 { $steps } 中分为两个水平：给出的数值介于这两者之间。
side-has-two-modes-of-intervals = { $side } 的各间隔在步骤 { $steps } 中分为两个水平：给出的数值介于这两者之间。
side-has-rounds-far-from-the-others = { $side } 在步骤 { $steps } 中有个别轮次与其他轮相差很大。

## --fail-if 的条件

condition-looks-at-nothing = 此比较中没有与“{ $condition }”匹配的数值：请检查步骤名称和指标
condition-failed = 未满足：{ $failed }
condition-failed-and-unproven = 未满足：{ $failed }；超出限值但未证实：{ $unproven }
condition-unproven = 超出限值但未证实：{ $unproven }
condition-held = { $figures } 项数值均未超出限值
condition-not-tested = { $figures } 项数值均未超出限值，但其中 { $untested } 项因轮次或操作过少而无法检验
figure-changed = { $figure }（{ $side }）：{ $change }
figure-changed-not-shown = { $figure }（{ $side }）：{ $change }（{ $why }）
not-among-so-many-figures = 单独看可证实，但在这么多项数值中不能

## 方法

method-unit = 单位为轮：步骤每重复一次得出一个数值，无论其中有多少次操作。
method-values = 数值为各轮的截尾几何平均：取对数后，两端各截去十分之一的轮次，不足十轮则不截。
method-independent = 各侧分别单独测量：比值的 { $confidence } 区间由方差不等的截尾 t 检验（Yuen，Biometrika 61，1974）得出，并按相邻轮次的相似程度加宽。一侧只是一次会话，由此无法得知各次会话之间的差异：为此取千分之五，区间再按记录所示机器可能从任一侧占去的部分加宽（等待 CPU 的时间、其他程序与虚拟机监控程序的 CPU 时间、每次操作的 CPU 时间）。
method-blocks = 各侧在区组中按随机抽取的顺序运行：比值的 { $confidence } 区间由区组内的差异经单样本截尾 t 检验（Tukey 与 McLaughlin，Sankhya A 25，1963）得出。
method-holm = { $tested ->
    [1] 只检验了 1 项差异；其 p 值无需校正。
   *[other] 共同检验了 { $tested } 项差异；p 值按此数目校正（Holm，Scandinavian Journal of Statistics 6，1979）。
}
method-verdicts = 相同：整个区间在 { $threshold } 以内。变好或变差：已证实差异超过 { $threshold }，即整个区间在其之外，且以 { $threshold } 为界的检验在所有差异中成立。无定论：两者皆非。--fail-if 的条件以同样方式按其自身的限值检验。
method-resolution = 单轮数值本身的不确定度已计入区间：百分位数为直方图区间宽度的一半，速率为半次操作。

difference-jobs = 同时运行的作业
difference-rounds = 整个计划的重复次数
difference-engine = 实际运行的引擎
difference-engine-options = 生效的引擎选项
difference-clock = 计时来源
difference-size = 目标中使用的部分（所有线程合计）
difference-direct = 绕过页缓存
difference-plumb-version = plumb 的版本
difference-target = 目标
difference-known-facts = 已知的环境信息
machine-waited-for-cpu = 负载发生器的线程等待 CPU 的时间占比
machine-others-cpu = 其他程序占用的 CPU 份额
machine-stolen-cpu = 虚拟机监控程序分给他人的在用 CPU 份额
machine-cpu-pressure = 有任务等待 CPU 的时间占比
machine-cpu-per-operation = 负载发生器每次操作的 CPU 时间
