### 一次测试的图表：标题、说明、坐标轴、表格。

## 坐标轴与列

label-operations-per-second = 每秒操作数
label-operations-per-second-logarithmic = 每秒操作数（对数）
label-bandwidth-logarithmic = 带宽（对数）
label-response-time-logarithmic = 响应时间（对数）
label-mean-response-time = 平均响应时间
label-time-since-the-start = 自测试开始的时间
label-core = 核心
label-round = 轮次
label-block-size = 块大小
label-message-size = 消息大小
label-message-size-logarithmic = 消息大小（对数）
label-time-one-way-logarithmic = 单程时间（对数）
label-share-of-operations-this-quick = 至少这样快的操作所占比例
label-time = 时间
label-until = 截至
label-steps = 步骤
label-load = 负载
label-lowest-round = 最低轮
label-highest-round = 最高轮
label-median = 中位数
label-99th-percentile = 第 99 百分位
label-longest = 最长
label-steady = 稳定
label-not-steady = 未稳定

## 说明

label-stalls-at-the-edge = 没有完成任何操作的间隔在下边缘画短线。
label-throughput-over-time = 吞吐量随时间的变化
label-throughput-over-time-caption = 每个间隔一个数值。阴影区段为各步骤的运行时段：将指针停在其上可查看名称。
chart-throughput-over-time-alternative = { $count } 个已执行步骤的每秒操作数随时间的变化（{ $kinds }）。
label-bandwidth-over-time = 带宽随时间的变化
label-bandwidth-over-time-caption = 每个间隔一个数值；各步骤的块大小不同。
chart-bandwidth-over-time-alternative = { $count } 个已执行步骤的每秒字节数随时间的变化（{ $kinds }）。
label-bandwidth-by-block-size = 各块大小的带宽
label-bandwidth-by-block-size-caption = 各块大小下的每秒字节数。须线表示各轮的最低与最高值。
label-cpu-of-each-core = 各核心的 CPU 使用率
label-cpu-of-each-core-caption = 所有进程合计。若只有一行颜色很深，说明一个线程占满了该核心：此时瓶颈是处理器，而不是存储。
chart-cpu-alternative = { $cores } 个核心在 { $intervals } 个间隔中的 CPU 使用率（占各核心的百分比）。
label-host-scaling = 吞吐量随主机数的变化
label-host-scaling-caption = 一个步骤中所有主机的合计；百分比为与线性扩展（虚线）之比。曲线变平之处，瓶颈是共享的资源。须线为最低与最高的一轮。
label-hosts = 主机数
host-scaling-alternative = { $group }：{ $hosts } 台主机合计 { $rate }，为按比例增长的 { $efficiency }。
host-scaling-point = { $group }，{ $hosts } 台主机：{ $rate }，为线性扩展的 { $efficiency }
label-hosts-over-time-rates = 各主机每秒操作数
hosts-over-time-rates-caption = 一台主机的所有 rank 合计；最深的格子为 { $full }/s。浅色的行是得到较少的主机，浅色的列是所有主机都得到较少的时刻：原因在它们共用的部分。
hosts-over-time-rates-alternative = { $hosts } 台主机在 { $intervals } 个间隔中的每秒操作数。
label-hosts-over-time-longest = 各主机最长的操作
hosts-over-time-longest-caption = 从提交到完成；最深的格子为 { $full }。深色的列是存储让所有主机等待的时刻，单个深色格子只是一台主机。
hosts-over-time-longest-alternative = { $hosts } 台主机在 { $intervals } 个间隔中最长的操作。
chart-first-intervals = 共 { $count } 个间隔，此处为前 { $shown } 个；全部数据在测试文件夹中。
chart-first-rounds = 共 { $count } 轮，此处为前 { $shown } 轮；--json 给出全部。
label-device-count = 设备自身的计数
label-device-count-caption = 实线：设备自身的计数；虚线：plumb 发出的请求。由缓存应答或请求被合并时，设备计数较少；请求被拆分或有其他程序使用该设备时，设备计数较多。
chart-device-alternative = 按设备自身计数器的每秒操作数（{ $kinds }），与 plumb 的计数对照。
label-plumbs-reads = plumb 的读
label-plumbs-writes = plumb 的写
label-latency-over-time = 延迟随时间的变化
label-latency-over-time-caption = 每个间隔内完成的操作的响应时间，各类操作合计。空缺表示该间隔样本太少。将指针停在阴影区段上可查看其步骤。
label-latency-by-kind-over-time-caption = 每个间隔内完成的操作的响应时间，按操作类型：实线为中位数，虚线为第 99 百分位。空缺表示该间隔样本太少。将指针停在阴影区段上可查看其步骤。
chart-latency-over-time-alternative = { $count } 个已执行步骤的中位、第 99 百分位和最长响应时间随时间的变化。
label-bandwidth-by-message-size = 各消息大小的带宽
label-bandwidth-by-message-size-caption = 往返测试中同一时刻只有一条消息在途：消息大小除以往返时间的一半。发送与接收为单向流。
label-time-by-message-size = 各消息大小的单程时间
label-time-by-message-size-caption = 往返中位时间的一半，与 NetPIPE 给出延迟的方式相同。
chart-value-with-size = { $size } 时 { $value }
chart-from-to = { $name }：从 { $first } 到 { $last }。
label-latency-by-percentile = 各百分位的延迟
label-latency-by-percentile-caption = 最慢的操作要等多久：每多一个 9，出现的概率降为十分之一。样本不足处曲线终止。
chart-further-steps = 另有 { $count } 个步骤见全部步骤的表格。
chart-within = { $name }：{ $share } 在 { $time } 内
chart-operations-within = { $name }：{ $share } 的操作在 { $time } 内完成。
label-rounds-in-order = 各轮依次
label-rounds-in-order-caption = 虚线为窗口内的最佳线性拟合，窗口以阴影表示。
chart-further-tracked-steps = 另有 { $count } 个跟踪的步骤见各轮的表格。
chart-value-in-round = { $name }，第 { $round } 轮：{ $value }
chart-steady = 第 { $round } 轮后稳定：数值取自第 { $first } 至 { $round } 轮。
chart-not-steady = { $round } 轮后仍未稳定：数值取自第 { $first } 至 { $round } 轮。
label-no-whole-round = 没有一轮完整运行。
label-small-files = 小文件操作
label-small-files-caption = 各类操作的每秒次数。须线表示各轮的最低与最高值。
label-throughput-and-latency = 吞吐量与延迟
chart-each-point-is-a-step = 每个点是一个步骤；旁边的数字是其 { $key }。
label-median-and-tail-drawn = 实线：中位响应时间；虚线：第 99 百分位。
label-only-median-drawn = 图中为中位响应时间；尾部延迟见表格。
label-right-is-more = 越靠右 IOPS 越高，越靠下延迟越低。
label-ring-marks-the-knee = 圆圈标出拐点：自此负载再增加只会增加延迟。
chart-point = { $group }，{ $key } { $load }：{ $rate }，中位数 { $median }，99 % { $p99 }
chart-rate-with-median = { $key } { $load } 时 { $rate }（中位响应时间 { $median }）
chart-knee-from = ；从 { $key } { $load } 起，负载再增加只会增加延迟
chart-curve = { $group }：从 { $first } 到 { $last }{ $knee }。

label-layers-throughput = 各层的吞吐量
label-layers-operations = 各层的小请求
label-layers-caption = 各层执行相同的负载，存储在最左。须线为各轮平均值的区间。
label-layer = 层
label-layer-below-all = 最底层
label-layer-added = 增加
label-layer-gained = 减少
label-layer-messages = 仅消息（包含在共享中）
label-layers-time-caption = 每个柱从下一层结束处开始；须线为其增量的区间。消息单独测量，多个请求在途时与存储的时间重叠。
label-time-per-request = 每个请求的时间

label-cpu-over-time = CPU 使用率随时间的变化
label-cpu-over-time-caption = 各层运行期间，整台机器所有进程占全部 CPU 的百分比；轮到其他层运行时曲线中断。
label-cpu-use = CPU 使用率

# Executions and lines over time.

step-in-round = { $step }，第 { $round } 轮
device-reads = { $device } 的读操作
device-writes = { $device } 的写操作
device-bytes-read = { $device } 读取
device-bytes-written = { $device } 写入
