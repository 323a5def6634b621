### 趋势的内容。

## 注意事项

runs-with-other-work = 因负载与最新一次测试不同而略去（{ $key } 不同）：{ $runs }，步骤 { $steps }。
run-stalled = 步骤 { $step } 中略去 { $run }：至少一半的轮次没有完成任何操作。
operations-failed-in-steps = { $steps } 中有操作失败；数值为其余操作的数值。
errors-of-step-and-run = { $run } 的 { $step }（{ $errors } 次）
run-is-doubtful = { $run }：{ $doubts }。
more-runs-are-doubtful = 另有 { $more } 次测试未结束，或记录已损坏。
too-few-runs = { $runs } 次测试太少，无法检测变化：至少需要 { $least } 次。两次测试可用 'plumb compare' 比较。
changes-by-chance = 检测了 { $lines } 条曲线。没有变化时，每 1,000 条中仍约有一条显示变化；若各次测试与前一次相似，或个别测试常偏向一侧且相差很大，则每 100 条中最多 6 条。

## 无法判断数值是否变化的原因

figure-in-too-few-runs = { $runs } 次测试有此数值；至少 { $least } 次才检测变化
figure-missing-in-runs = { $runs } 次测试中有 { $missing } 次在部分轮次中缺少此数值（操作太少）：无法判断是否变化

## 方法的参数

trend-values = 每次测试各轮中位数的对数
trend-runs = { $runs } 次测试
trend-largest-p-value = { $p }，已按选取最佳位置以及相邻测试的相似性校正
trend-smallest-change = { $change }
trend-drift = 最小二乘直线，采用相同的 p 值和最小变化；仅当直线比阶跃拟合得更好时
