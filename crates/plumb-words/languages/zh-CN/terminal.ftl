### 终端摘要与实时视图。

terminal-plan = 计划 { $plan }
label-support-no-statement = 测量结果不足以支持明确的结论。
label-ops-per-s = 操作/秒
label-depth = 队列深度
label-max = 最大
label-cpu = CPU
terminal-and-more = { $step } 等（另有 { $count } 个）
terminal-step-ended = { $step }：{ $reason }
detail-intervals = 每 { $length } 区间 { $low } 至 { $high }
detail-submission = 平均提交 { $submission } + 完成 { $completion }
detail-depth = 在途：{ $levels }
detail-switches = { $count } 次上下文切换（其中抢占 { $preempted } 次）
detail-device = { $device } 忙 { $busy }
terminal-not-in-force = 未生效：{ $reason }
detail-paths = 各路径的字节：{ $paths }
terminal-more-in-the-report = 另有 { $count } 项见报告
terminal-plan-size = { $steps } 个步骤，{ $rounds } 轮，顺序 { $order }
terminal-left-out = 略去 { $count } 个扫描步骤：块大于总大小
terminal-verdict-more = 还有 { $count } 句：plumb show
label-settings-of-all-steps = 全部步骤
label-note = 注：

## 实时视图

live-step-of = 步骤 { $step }/{ $steps }
live-round-of = 轮次 { $round }/{ $rounds }
live-left = 剩余 { $time }
live-left-at-most = 最多剩余 { $time }
live-so-far = 已用 { $time }
label-live-read = 读
label-live-write = 写
label-live-operations = 操作
label-live-cores = 核心
label-live-skipped = 已跳过
label-live-closing = 与 A 方的差异及其区间，每一块之后都会收窄
label-live-key-stop = 停止
label-live-key-skip = 跳过步骤
label-live-key-pause = 暂停
label-live-key-go-on = 继续
label-live-key-help = 帮助
live-queue = 队列深度 { $depth }，在途 { $in-flight }
live-beside = 同时运行：{ $job }
live-paused = 已暂停：没有负载；按 p 继续
live-pause-asked = 本步骤结束后暂停；再按 p 取消
live-help-stop = q、Ctrl-C：停止运行；此前测得的结果会保留，退出码为 130
live-help-skip = s：结束本步骤并进入下一步骤；记录中会注明，其数据不计入
live-help-pause = p：在下一步骤之前暂停，绝不在步骤之中；记录会写明暂停多久；再按 p 继续
live-help-suspend = Ctrl-Z：立即停住 plumb 及其负载；fg 继续，这会体现在数据中
live-help-marks = ✓ 完成，▶ 进行中，· 待执行，✗ 有错误；队列深度为所请求的值，在途为速率乘以平均服务时间
by-skip = 按键 s
run-was-paused = 运行在两个步骤之间暂停了 { $time }：目标在此期间空闲，测量时间不含这段时间
label-live-throughput = 吞吐量
label-live-latency-50 = 延迟 p50
live-moved = 读 { $read }  写 { $written }
live-errors = 错误 { $count }
live-hosts-between = 最慢主机 { $slowest } { $least }，最快主机 { $fastest } { $most }
live-hosts = { $hosts } 台主机，{ $ranks } 个 rank
label-live-host-behind = 不到其他主机的一半
live-host-silent = 已有 { $seconds } 秒没有消息
live-before = 上一步：{ $figures }
live-warning = 警告：{ $text }
live-finished = { $step }：{ $figures }
live-finished-round = { $step }，第 { $round }/{ $rounds } 轮：{ $figures }
live-failed = 失败：{ $error }
label-nothing-completed = 没有完成任何操作
live-error-count = { $count } 个错误
live-step-and-phase = { $step }（{ $phase }）

## 环境信息

label-yes = 是
label-no = 否
fact-number-of-bytes = { $count } 字节
fact-each-second = { $value }/s
fact-gigahertz = { $gigahertz } GHz
fact-seconds = { $seconds } s
origin-imported = 由 { $program } 测得，从 { $file } 导入
origin-imported-version = 由 { $program } { $version } 测得，从 { $file } 导入
before-the-rounds = 各轮之前执行一次：{ $steps }
rounds-end-when-steady = 当 { $steps } 的 { $figure } 在 { $window } 轮内稳定时结束：最低与最高相差至多 { $spread } %，线性拟合变化至多 { $slope } %
rounds-end-when-steady-or-written = { $steady }；或已将使用部分写入 { $times } 遍
two-sentences = { $first }；{ $second }
label-group-target = 目标
label-group-file-system = 文件系统
label-group-device = 设备
label-group-whole-disk = 整个磁盘
label-group-array = 阵列
label-group-share = 共享
label-group-smb-server = SMB 服务器
label-group-nfs-server = NFS 服务器
label-group-object-store = 对象存储
label-group-network = 网络
label-group-rdma = RDMA
label-group-machine = 机器
label-group-processor = 处理器
label-group-memory-nodes = NUMA 节点
label-group-memory = 内存
label-group-clock = 时钟
label-group-io-uring = io_uring
label-group-limits = 限制
label-group-control-group = 控制组
label-group-counter-sets = Windows 计数器集
label-group-activity = 开始前的活动

## 当前阶段

phase-preparing = 准备中
phase-between-steps = 步骤之间
phase-warm-up = 预热
phase-measuring = 测量中
phase-writing = 加载前准备：正在写入 { $path }，{ $done }/{ $total }{ $pace }
phase-syncing = 加载前准备：等待设备写完 { $path }，{ $done }/{ $total }{ $pace }
phase-making-files = 加载前准备：正在 { $path } 中创建文件，{ $done }/{ $total }{ $pace }
live-load = { $engine }，{ $block }，队列深度 { $depth } × { $workers }{ $rate }{ $cache }
live-load-rate = ，{ $rate }/s { $arrivals }
live-load-direct = ，直接 I/O
live-load-buffered = ，缓存 I/O
search-between = 在 { $kept }/s 以内满足，从 { $missed }/s 起不满足
search-kept = 目前在 { $kept }/s 以内满足
search-missed = 在 { $missed }/s 及以上不满足
steady-after-round = 第 { $round } 轮后：稳定（极差 { $spread } %，上限 { $spread-limit } %；拟合 { $slope } %，上限 { $slope-limit } %）
not-steady-after-round = 第 { $round } 轮后：未稳定（极差 { $spread } %，上限 { $spread-limit } %；拟合 { $slope } %，上限 { $slope-limit } %）
judged-from-rounds-on = 第 { $round } 轮后：满 { $rounds } 个完整轮次后开始判断
stands-after-blocks = { $blocks } 个区组后：{ $counts }
stands-with-nothing = { $blocks } 个区组后：尚无可比较的数值
stands-worse = { $count } 项变差
stands-better = { $count } 项变好
stands-same = { $count } 项相同
stands-undecided = { $count } 项无定论
stands-between-counts = { $first }，{ $rest }
blocks-done = 已完成 { $count } 个区组

## 测试列表

list-runs = { $runs } 次测试
list-runs-of = { $found } 次测试中的 { $shown } 次
list-not-read = 未读取：{ $why }
list-more-not-read = 另有 { $folders } 个未读取
label-list-newest-first = 最新的在前
label-list-started = 开始时间
label-list-plan = 方案
label-list-target = 目标
label-list-iops = 最高 IOPS
label-list-bandwidth = 最高带宽
label-list-median = 最低中位延迟
label-list-host = 主机
label-list-kernel = 内核
label-list-tags = 标签
label-list-state = 状态
label-list-folder = 文件夹

## 多个 rank

ranks-on-hosts = { $hosts } 台主机上的 { $ranks } 个 rank，由 { $carrier } 连接
ranks-more-on-page = 其余 { $count } 行见页面
