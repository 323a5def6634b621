### 报告页：标题、注释，以及图表周围的文字。

label-sections = 章节
label-verdict = 结论
label-findings = 发现
label-figures = 图表
label-by-two-keys = 按两个参数
label-scaling = 可扩展性
label-littles-law-at-each-step = 各步骤的利特尔定律
label-scaling-note = 达到最大吞吐量 95 % 的最小负载；渐近界相交处的在途操作数（无负载服务时间 × 最大吞吐量）；用最小二乘法拟合的通用可扩展性定律（USL），其峰值（在途操作数）的 95 % 区间由各轮自助法得出。
label-scaling-efficiency = 扩展效率
label-all-steps-heading = 全部步骤
label-connections = 连接
label-how-it-was-measured = 测量方法
label-the-plan = 测试计划
label-environment = 测试环境
page-title = plumb：{ $subject } 上的 { $plan }
page-footer-measured = 测试 { $run } · 由 plumb { $version } 测得 · 本页所有数值均由测试文件夹中的原始记录得出。
page-footer-imported = 测试 { $run } · 由 plumb { $version } 导入 · 本页所有数值均由测试文件夹中的原始记录得出。
page-plan-name = 计划“{ $plan }”
page-state = 本次测试的状态为 { $state }：数值截至其结束处。
label-these-figures-as-a-table = 以表格显示这些数值
label-nothing-to-draw = 没有测得可以绘图的数据。
label-nothing-was-measured = 没有测得任何数据。
label-no-plain-statement = 测量结果不足以支持明确的结论；请看图表。
page-doubtful = 存疑：{ $doubt }
page-more-sentences = 另有 { $count } 句
label-evidence = 依据
label-theme-auto = 主题：跟随系统
label-theme-light = 主题：浅色
label-theme-dark = 主题：深色
label-theme = 页面颜色
label-scale-linear = 线性
label-scale-logarithmic = 对数
label-scale = 切换纵轴刻度
label-zoom-reset = 完整范围
label-zoom = 在图中拖动可放大，双击恢复完整范围
label-save-svg = 将图保存为 SVG
label-save-png = 将图保存为 PNG
label-save-csv = 将数值保存为 CSV
label-copy = 复制
label-copied = 已复制
label-not-copied = 未能复制
label-copy-what = 将图复制到剪贴板
label-no-facts = 记录中没有关于机器的信息。
page-not-known = 未知：{ $reason }
matrix-title = { $name }，{ $unit }：纵向为 { $rows }，横向为 { $columns }

## 步骤

label-no-step-ran = 没有运行任何步骤。
label-throughput-heading = 吞吐量
label-response-time-heading = 响应时间
label-service-time-heading = 服务时间（从提交到完成）
label-lateness-heading = 滞后（从应当提交到实际提交）
label-cpu-of-the-generator = 负载发生器占用的 CPU
label-by-kind-of-operation = 按操作类型
label-errors-heading = 错误
label-jobs-heading = 同时运行的作业
label-workers-heading = 各工作线程
label-spread-heading = 各间隔的离散程度
label-spread-note = 各程序的间隔长度不同，间隔越短离散越大：fio 为 500 ms。
label-intervals = 间隔数
label-interval-length = 长度
label-lowest = 最低
label-highest = 最高
label-standard-deviation = 标准差
label-lowest-bandwidth = 最低带宽
label-highest-bandwidth = 最高带宽
label-split-heading = 提交与完成
label-split-note = 提交：直到系统接受操作（fio 的 slat）。完成：从那时到操作结束（fio 的 clat）。延迟为两者之和。
label-part = 部分
label-part-submission = 提交
label-part-completion = 完成
label-levels-heading = 在途操作数
label-levels-note = 按同一工作线程提交后在途操作数划分的操作占比（含刷写），以及平均一次提交的操作数。
label-submitted-at-once = 一次提交
label-device-heading = 步骤期间的设备
label-device-note = 依据内核在测量期间的计数器，含其他程序的请求。忙碌率是有请求在途的时间占比：并行处理请求的设备在 100 % 时仍可能有余量。
label-device = 设备
label-busy = 忙碌
label-mean-queue = 平均队列
label-reads-per-s = 读/s
label-writes-per-s = 写/s
label-device-read = 读取
label-device-written = 写入
label-context-switches = 上下文切换
label-preemptions = 抢占
label-minor-faults = 次缺页
label-major-faults = 主缺页
label-cpu-percent = CPU
label-as-the-program-states-it = 原程序报告的数值
label-each-round-by-itself = 各轮结果
label-what-the-figures-include = 数值包含的内容
label-depth-note = 设定队列深度为所有线程合计（开环测试中为要求的速率）；实际队列深度为在途操作数的平均值。
label-flushes-note = 除错误和实际队列深度外，本表其他数值均不含刷写。
label-cpu-note = 以单个 CPU 的百分比表示：200 % 即占满两个 CPU。
label-percentiles-note = 样本不足以给出该百分位时显示 –；所有步骤都样本不足的百分位不列出。
label-failed-operations-note = 失败的操作不计入本页其他任何数值。

## 方法

label-command = 命令
label-started = 开始时间
label-program = 程序
label-rounds-heading = 轮数
page-rounds-in-order = { $rounds }，顺序 { $order }
label-until-steady = 直到稳定
label-seed = 随机种子
page-several-seeds = { $count } 个不同的种子，见测试计划
label-warm-up-of-each-step = 每步预热
page-warm-up = { $times }，不计入任何数值
label-engines-heading = 实际使用的引擎
label-what-happened = 事件
label-all-steps = 全部步骤
page-steps-such-as = { $count } 个步骤，例如 { $first } 和 { $second }
label-bypassed = 绕过
label-used = 使用
label-time-stamps-note = 时间戳：“batch”在每批前后各读一次时钟，“each”对每次操作读两次。
page-round-of-step = { $step }，第 { $round } 轮
page-execution = 第 { $number } 次执行
page-event-worker = { $subject }，线程 { $worker }：{ $text }
page-event-prepared = 已准备 { $path }：用时 { $time } 写入 { $size }
page-event-ended = { $subject }结束，原因：{ $reason }
page-event-failed = { $subject }失败：{ $error }
page-event-mismatch = { $subject }：{ $path } 偏移 { $offset } 处 { $bytes } 字节的块与写入的不同：{ $explanation }
page-event-first-error = { $subject }：{ $kind } 首次出现 { $error }（{ $place }）
page-event-write-back = { $subject }：写入得到确认之后，对 { $path } 的 { $call } 失败（{ $error }）：数据已丢失
page-event-ceiling = { $subject }：仅负载发生器（null 引擎）在此可达 { $rate }
label-event-ended-early = 因信号或内存不足而提前结束
label-event-finished = 完成

## 计划

label-shared-and-set = 所有步骤共有且经设定的参数
label-shared-defaults = 所有步骤共有的默认值
label-differing-keys = 各步骤不同的参数
label-origin-note = 括号内为数值的来源。

## 连接

label-without-a-connection = 连接中断
label-what-was-agreed = 协商结果
label-time-by-command = 各协议命令的响应时间
label-what-the-engines-counted = 引擎的计数
label-agreed-note = 取自第一轮的第一个线程。
label-bytes-by-path = 各路径的字节数
label-client-address = 客户端地址
label-server-address = 服务器地址
label-received = 接收
label-sent = 发送
label-part-of-bytes = 占全部字节
label-paths-note = plumb 交给 TCP 和从 TCP 取得的字节，含所有轮次、登录和预热；不含 TCP 和 IP 报头。
label-commands-note = 从发出请求到收到完整应答，由引擎对每个协议请求单独计时；一次操作可能需要多个请求。
label-send-queue-note = 发送队列（p50）：其中从发出请求到套接字收下请求最后一个字节的部分。
label-wake-up-note = 唤醒（p50）：其中从应答的最后字节到达本机（内核给数据包的时间戳）到应答被取走的部分。其余为网络和服务器的时间。
label-counted-note = 所有线程与轮次的合计；以 us 或 bytes 结尾的为平均值，以 per s 结尾的为各线程之和在各轮的平均值。
label-not-again = 未恢复
label-lost-note = 在途操作随连接中断而失败。
label-lost-waits = 对共享和 RDMA 对端，其后的操作等待重新连接，其响应时间包含等待。
label-lost-fails = 对 TCP 对端，重新连接之前的操作也失败：速率包含这段时间，响应时间不包含。
label-lost-ends = iperf3 的测试无法恢复：步骤在该处结束。

## 其他页面的标题

label-copy-programs = 复制程序
label-what-differs = 差异
label-all-figures = 全部数值
label-to-keep-in-mind = 注意事项
label-how-it-was-compared = 比较方法
label-what-changed = 变化
label-figures-that-did-not = 没有变化或无法判断的数值
label-how-it-was-looked-for = 检测方法
label-the-runs = 各次测试

## 运行库索引

label-library-page = 已存储的运行
library-title = plumb：{ $folders } 中的 { $count } 次运行
library-runs = { $count } 次运行，{ $plans } 个计划，{ $targets } 个目标
label-library-filter = 按词筛选行
label-library-latest = 每个计划和目标的最近一次运行
label-library-all = 所有运行
label-library-none = 没有找到运行。
label-library-unreadable = 无法读取
library-footer = 由 plumb { $version } 写成；plumb report RUN 写出一次运行的页面。

## 主机和 rank

label-hosts-and-ranks = 主机和 rank
label-host = 主机
label-rank = rank
label-ranks = rank 数
label-process = 进程
label-rank-iops = IOPS
label-rank-p50 = p50
label-rank-p99 = p99
label-rank-longest = 最长
label-rank-cpus = CPU 数
label-hosts-note = 每台主机的所有 rank 合计，按其自身 rank 的测量时间。时间为提交到完成；CPU 数为负载生成器所用，1 即一个 CPU。
label-machines = 主机的计数器
label-machine-cpus = CPU 数
label-machine-cpu = CPU 使用率
label-machine-busiest = 最忙的 CPU
label-machine-interface = 接口
label-machine-received = 接收
label-machine-sent = 发送
label-machine-again = 重传的段
label-machine-device = 设备
label-machine-read = 读
label-machine-written = 写
label-machines-note = 各主机整体（所有进程合计）在测量时间内：全部 CPU 与最忙 CPU 的使用率，以及流量最大的接口和目标之下流量最大的块设备。测试文件夹中的 ranks/ 保存每台主机随时间变化的全部计数器。
label-ranks-note = 每个 rank 按其自身的测量时间。
label-each-rank = 每个 rank
label-begin-and-end-of-ranks = 开始与结束
label-start-spread = 开始时间差
label-first-done = 最先完成
label-last-done = 最后完成
label-iops-until-last-done = 到最后完成的 IOPS
label-bandwidth-until-last-done = 到最后完成的带宽
label-spans-note = 步骤的数值取自所有 rank 都在运行的时间。IOR 和 mdtest 报告的是全部工作除以直到最后一个 rank 完成的时间，见最后两列；有 rank 先结束时，后者较低。
label-places-of-ranks = 放置与时钟
label-clock-ahead = 时钟超前
label-clock-within = 比对精度
label-places-note = 每台主机的时刻比 rank 0 的主机超前多少，以及数值所依据的时钟的比对精度（消息最短往返时间的一半）。
