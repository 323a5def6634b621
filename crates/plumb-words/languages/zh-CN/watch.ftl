### 所观察的计数器说明了什么。

## 句子

watch-overview = { $span }，{ $intervals } 个间隔；平均值按请求计算，而不是按间隔计算。
watch-nothing = 没有活动：所显示的计数器均未增加。
watch-idle = 无活动
watch-no-interval = 没有间隔：需要对计数器采样两次。
watch-more-rows = 另有 { $count } 个较不繁忙
watch-command-status = 命令在 { $time } 后结束，退出状态为 { $status }。
watch-command-signal = 命令在 { $time } 后被信号 { $signal } 终止。
watch-cost = 观察在 { $time } 内用了 { $cpu } 的 CPU 时间：一个核心的 { $share }。
watch-cost-unknown = 在此系统上无法得知观察的开销。
watch-left-out = 因前一次采样延迟，略去了 { $count } 次采样。
watch-collection-runs = { $name }：自 { $started } 起，记录在 { $folder }
watch-collection-ended = { $name }：始于 { $started }，已结束，记录在 { $folder }；plumb watch stop { $name } 将其移除
watch-collection-none = 后台没有采集；用 plumb watch start NAME 开始。
watch-interrupted = 提前结束；此前记录的内容是完整的。
watch-incomplete = 它被强行终止，或仍在进行：其开销未知。

## 页面

watch-page-title = { $source } 的计数器
watch-figure-title = { $table }：{ $column }
watch-axis-logarithmic = { $column }（对数）
watch-table-means = { $table }：整个记录的平均值
watch-table-largest = { $table }：单个间隔的最大值
label-watch-page = 计数器随时间的变化
label-watch-overview = 概览
label-watch-figure-caption = 每个间隔一个值。计数器没有给出数值，或没有可求平均的请求时，线条中断。
label-watch-rate = 每秒次数
label-watch-mean-size = 请求平均大小
label-watch-mean-time = 请求平均时间
label-watch-mean-outstanding = 平均未完成请求数
label-watch-stalled = 有任务停滞的时间

## 标题与列

label-watch-per-second = 每秒
label-watch-bandwidth = 带宽
label-watch-size = 大小
label-watch-time = 时间
label-watch-outstanding = 未完成
label-watch-outstanding-now = 采样时
label-watch-disks = 磁盘
label-watch-read = 读
label-watch-write = 写
label-watch-discard = 丢弃
label-watch-flush = 刷写
label-watch-all = 全部
label-watch-open = 打开
label-watch-metadata = 元数据
label-watch-queue = 排队
label-watch-round-trip = 往返
label-watch-retransmits = 重传/秒
label-watch-timeouts = 超时/秒
label-watch-nfs = NFS 挂载
label-watch-smb = SMB 共享
label-watch-failed = 失败/秒
label-watch-errors = 错误/秒
label-watch-drops = 丢包/秒
label-watch-interfaces = 网络接口
label-watch-receive = 接收
label-watch-transmit = 发送
label-watch-rdma = RDMA 端口
label-watch-not-ready = 接收方未就绪/s
label-watch-congestion = 拥塞/s
label-watch-tcp = TCP（全部连接）
label-watch-sent = 发送/秒
label-watch-received = 接收/秒
label-watch-retransmitted = 重传占比
label-watch-zero-windows = 零窗口/秒
label-watch-connections = 连接数
label-watch-cores = 核心
label-watch-busy = 忙
label-watch-user = 用户态
label-watch-system = 内核态
label-watch-irq = 硬中断
label-watch-softirq = 软中断
label-watch-steal = 被窃取
label-watch-iowait = iowait
label-watch-pressure = 压力（PSI）
label-watch-some = 部分
label-watch-full = 全部
label-watch-io = I/O
label-watch-cpu = CPU
label-watch-memory = 内存
label-watch-available = 可用
label-watch-cached = 缓存
label-watch-dirty = 脏页
label-watch-writeback = 回写
label-watch-swapped-in = 换入
label-watch-swapped-out = 换出
label-watch-cgroup = 控制组
label-watch-throttled = 被限流
label-watch-credit-stalls = 信用等待/秒
label-watch-other = 计数器
label-watch-value = 平均
