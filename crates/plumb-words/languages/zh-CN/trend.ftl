### 趋势的内容。

## 注意事项

runs-with-other-work = 因负载与最新一次测试不同而略去（{ $key } 不同）：{ $runs }，步骤 { $steps }。
run-stalled = 步骤 { $step } 中略去 { $run }：至少一半的轮次没有完成任何操作。
operations-failed-in-steps = { $steps } 中有操作失败；数值为其余操作的数值。
errors-of-step-and-run = { $run } 的 { $step }（{ $errors } 次）
run-is-doubtful = { $run }：{ $doubts }。
more-runs-are-doubtful = 另有 { $more } 次测试未结束，或记录已损坏。
too-few-runs = { $runs } 次测试太少，无法检测变化：至少需要 { $least } 次。两次测试可用 'plumb compare' 比较。
changes-by-chance = 检测了 { $lines } 个序列。没有真实变化时，每 1,000 个中仍约有一个偶然显示变化；若相邻测试相关，或经常向一侧出现离群值，则每 100 个中最多 6 个。

## 无法判断数值是否变化的原因

figure-in-too-few-runs = { $runs } 次测试有此数值；至少 { $least } 次才检测变化
figure-missing-in-runs = { $runs } 次测试中有 { $missing } 次在部分轮次中缺少此数值（操作太少）：无法判断是否变化

## 方法的参数

trend-values = 每次测试各轮中位数的对数
trend-runs = { $runs } 次测试
trend-largest-p-value = { $p }，已按选取最佳位置以及相邻测试的相关性校正
trend-smallest-change = { $change }
trend-drift = 最小二乘直线，采用相同的 p 值和最小变化；仅当直线比阶跃拟合得更好时

## 终端与页面

label-trend-no-runs = 没有测试
label-trend-several-targets = 多个目标
label-trend-several = 多台
trend-days = { $first } 至 { $last }
trend-subject = 计划 { $plan } 的 { $runs } 次测试，目标 { $target }，{ $days }
trend-subject-on-host = 计划 { $plan } 的 { $runs } 次测试，目标 { $target }，主机 { $host }，{ $days }
trend-of-plan = 计划“{ $plan }”的趋势
label-trend-drift-of-lines = 缓慢漂移，没有发生变化的具体测试
label-trend-slow-drift = 缓慢漂移
label-trend-slow-drift-means = 对这些数值，直线比阶跃拟合得更好：没有哪一次测试是变化的起点。
label-trend-nothing-asked = 这些测试中没有所要求的步骤和数值。
trend-sparklines-last = 曲线只显示最近 { $runs } 次测试。
trend-method = 方法：{ $name }（{ $source }）。
trend-e-divisive = 分窗口的 E-divisive means，检验用 Student t 检验（Hunter，现名 Apache Otava）
trend-lines = { $lines } 条曲线（{ $names }）
trend-lines-and-more = { $lines } 条曲线（{ $names }；另有 { $more } 条）
trend-no-change-in = { $lines }没有变化。
trend-no-change-in-others = 其余 { $lines }没有变化。
trend-no-change-in-any = { $count } 条曲线均无变化。
trend-said-change = { $figure }：{ $when }起{ $change }（{ $values }），{ $verdict }。
trend-said-drift = { $figure }：缓慢漂移{ $change }（{ $values }），{ $verdict }。
trend-cannot-tell-in = { $lines }无定论：{ $reason }。
trend-lines-changed = { $lines } 条曲线发生变化
trend-run-of = 第 { $number } 次测试，共 { $runs } 次：{ $folder }
label-trend-with-it = 同时变化
label-trend-nothing-with-it = 所记录的环境没有变化
label-trend-nothing-changed-with-it = 所记录的环境没有随之变化。
label-trend-changed-with-it = 随之变化的有：
trend-more-differences = 另有 { $more } 处不同（--report、--json）
trend-more-lines = 另有 { $more } 条曲线（--report FILE、--json）
label-trend-not-known = 未知
trend-not-known-because = 未知（{ $reason }）
label-trend-not-looked = 未检测变化：见下文。
trend-all-runs = 全部 { $count } 次测试
trend-derived-with = 由 plumb { $version } 得出 · 本页所有数值均来自各次测试的记录。
trend-more-above = 另有 { $count } 项见上表。
trend-more-in-json = 另有 { $count } 项见 `plumb trend --json`。
label-trend-from-to = 从 → 到
label-trend-run = 测试
label-trend-lowest-round = 最低轮次
label-trend-highest-round = 最高轮次
label-trend-folder = 文件夹
label-trend-started = 开始时间
label-trend-host = 主机
label-trend-tags = 标签
label-trend-runs-in-order = 按时间顺序的测试
label-trend-response-time = 响应时间
trend-over-runs = { $name }，共 { $runs } 次测试。
trend-runs-not-drawn = 共 { $runs } 次测试，绘出 { $drawn } 次：每组相邻测试中的最低和最高者，以及变化前后的测试。全部见 `plumb trend --json`。
trend-older-runs = 更早的 { $count } 次测试见 `plumb trend --json`。
trend-caption-change = { $change }（{ $values }，{ $verdict }）。
trend-caption-drift = 缓慢漂移 { $change }（{ $values }，{ $verdict }）。
label-trend-no-change = 没有变化。
label-trend-dots = 圆点为一次测试各轮的中位数，线段为各轮的范围。
label-trend-median-of-a-run = 一次测试的中位数
label-trend-drift = 漂移
label-trend-mean-of-a-stretch = 两次变化之间的平均值
label-trend-values = 数值
label-trend-window = 窗口
label-trend-largest-p-value = 最大 p 值
label-trend-smallest-change = 最小变化
label-trend-shortest-stretch = 最短区段
label-trend-fewest-runs = 最少测试数
label-trend-parameter-drift = 漂移
