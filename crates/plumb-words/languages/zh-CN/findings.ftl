### 各项发现的内容：每条规则名下为结论、建议与证据。

## hosts_are_busy

hosts-are-busy = 在“{ $step }”中，{ $hosts } 台主机的 CPU 已满载（{ $host }：{ $cpu }）：测得的是主机所能请求的，而不是存储所能提供的。
hosts-are-busy-advice = 使用更多主机，或在每台主机上使用更大的块和更少的 worker；并检查那里还运行着什么（top）。
host-cpus-used = 全部 CPU 的 { $cpu }；负载生成器用了 { $own } 个 CPU
host-cpus-used-by-all = 全部 CPU 的 { $cpu }
source-counters-of-host = 主机在测量时间内的计数器

## hosts_scale

hosts-get-no-more = 在“{ $group }”中，{ $hosts } 台主机合计并不比 { $before } 台得到更多（{ $growth }）：瓶颈是共享的资源。
hosts-get-no-more-advice = 在 { $hosts } 台主机请求时查看服务器：CPU 核、网络链路和磁盘。更多主机只会等待更久。
hosts-limit-themselves = 在“{ $group }”中，{ $hosts } 台主机每台得到单独一台时的 { $efficiency }：瓶颈是主机，而不是存储。
hosts-limit-themselves-advice = 存储能提供的多于 { $hosts } 台主机所请求的：增加主机，或提高 workers 和 depth，直到不再增长。
step-on-hosts = 主机数：{ $hosts }
hosts-get-together = 合计 { $iops }/s；为线性扩展的 { $efficiency }
source-sums-of-ranks = 所有 rank 都在运行的时间内的总和

## ranks_get_unequal_shares

ranks-get-unequal-shares = 各 rank 得到的份额不等：在“{ $step }”中，{ $host } 上的 rank { $rank } 只得到最多者的 { $share }。
ranks-get-unequal-shares-advice = 检查服务器、共享文件上的锁或网络队列是否优先服务某些客户端；单个客户端看到的是各 rank 的数值，而不是总和。
step-named = “{ $step }”
ranks-least-and-most = Jain 公平性指数 { $index }；rank { $least } 得到 { $low }/s，rank { $most } 得到 { $high }/s

## reads_were_discarded

reads-were-discarded = { $steps }读到的数据在内核中被丢弃（skip-rx-copy），如同 iperf3 --skip-rx-copy：数值反映服务器与网络，不含客户端的复制。
reads-were-discarded-advice = 请与同样丢弃数据的运行比较。应用程序必须复制所读的数据：要测量它能得到的，请去掉 skip-rx-copy。
reads-were-discarded-in = “{ $step }”的引擎选项

## recycle_bin_keeps_files

recycle-bin-keeps-files = 共享有回收站（{ $name }）：删除的文件保留在其中。
recycle-bin-takes-deletes = 共享有回收站（{ $name }）：测得的每次删除都是把文件移到那里，并未释放其数据块。
recycle-bin-keeps-files-advice = 要测量删除，请关闭共享的回收站，并在之后清空。plumb 为自己创建的文件在删除前会被截断为空，不占用回收站空间。

## 发现的显示方式

label-nothing-found = 没有异常：没有规则需要报告。
label-nothing-would-spoil = 就上述已知信息而言，没有发现会影响测量的问题。
label-severity-note = 提示
label-severity-warning = 警告
label-severity-severe = 严重
label-what-to-do = 建议：
label-expected = 预期：
label-to-test-it = 验证方法：
label-rule = 规则
finding-expected = 预期：{ $effect }
finding-to-test-it = 验证方法：{ $command }
finding-ruled-out = 已排除：{ $reason }
finding-effect = 为当前数值的 { $low } 到 { $high } 倍
finding-severe = 严重：{ $claim }
finding-warning = 警告：{ $claim }

## 多条规则共用的部分

steps-one = “{ $step }”
steps-two = “{ $first }”和“{ $second }”
steps-more = “{ $first }”等（另有 { $more } 个步骤）
sentences = { $before }{ $next }
not-listed = 未列出
more-of-this-kind = 同类另有 { $more } 项
part-of-whole = { $part }/{ $whole }
fact-time-per-mib = { $time }/MiB

iops-of-step = “{ $step }”的 IOPS
iops-of-step-in-round = “{ $step }”第 { $round } 轮的 IOPS
rate-of-step = “{ $step }”的速率
figure-of-step = “{ $step }”的 { $figure }
operations-of-step = “{ $step }”的操作
response-time-of-step = “{ $step }”的响应时间

## 证据来源

source-environment = 测试前的环境
source-plan-step = 计划，步骤“{ $step }”
source-engine-opened = 实际打开的引擎 { $engine }
source-engine-or-plan = 实际打开的引擎，或计划
source-session = plumb 建立的会话
source-ticks = 间隔记录
source-notes = 事件记录
source-notes-of-run = 测试的事件记录
source-summary = 摘要
source-histogram = 直方图
source-histogram-of-worst-round = 直方图，最差的一轮
source-intervals = 各间隔
source-intervals-and-service-times = 各间隔与服务时间
source-step-intervals = 该步骤的各间隔
source-rounds = 各轮
source-last-rounds = 最后几轮
source-service-times = 服务时间与测量时间之比
source-cpu-time-of-process = 进程的 CPU 时间，含 io_uring 的内核线程
source-cpu-time-of-worker = 线程的 CPU 时间
source-measured-in-run = 本次测试中在本机测得
source-counters-over-run = 测试期间的计数器
source-device-counters = 设备计数器
source-device-counters-and-own-bytes = 设备计数器与自身字节数
source-device-counters-less-own-bytes = 设备计数器减去自身字节数
source-tcp-info = TCP_INFO

## accelerator_utilization

accelerator-utilization = 在“{ $step }”中，模拟的加速器有 { $utilization } 的时间在计算，其余时间在等待数据。
accelerator-utilization-range = 模拟的加速器用于计算的时间占比从“{ $slowest }”中的 { $lowest } 到“{ $fastest }”中的 { $highest }，其余时间在等待数据。
accelerator-utilization-advice = MLPerf Storage 要求 3D U-Net 和 ResNet-50 达到 90 %，CosmoFlow 达到 70 %。低于此值时，该存储能供给的加速器更少：减小 workers，或用 depth 和 prefetch 同时读取更多。
accelerator-utilization-of = “{ $step }”的加速器利用率
accelerator-utilization-figures = { $utilization }，{ $samples } 样本/秒，{ $accelerators } 个加速器

## antivirus_scans_files

antivirus-scans-files = Microsoft Defender 在打开和写入文件时进行扫描：测得的时间包含扫描的时间。
antivirus-scans-files-advice = 请将测试文件所在文件夹排除在扫描之外（以管理员身份：Add-MpPreference -ExclusionPath 文件夹），再次测量并比较；之后请取消该排除项（Remove-MpPreference）。

## array_not_clean

array-not-clean = 目标之下的 RAID 阵列不正常（{ $state }）：测得的不是健康阵列的性能。
array-not-clean-advice = 等待阵列重建完成，或更换故障成员后再测；'cat /proc/mdstat' 显示进度。

## buffers_below_the_path

buffers-below-the-path = 到服务器的路径可容纳 { $path } 在途数据，而 TCP 窗口最多增至约 { $window }：单条连接的接收速率至多为 { $rate }。
buffers-below-the-path-advice = 将 net.ipv4.tcp_rmem 的第三个值（以及对端的 tcp_wmem）提高到其两倍以上，启用窗口缩放，或使用多条连接。

## client_is_server

client-is-server = 客户端与服务器是同一台机器：没有测量网络，且两者共用核心、缓存和内存。
client-is-server-advice = 可将数值视为协议及其程序的开销；要测量网络，请在另一台机器上运行 plumb。

## clocks_differ

clocks-differ-ahead = { $count } 台主机的时钟与 rank 0 的主机不同；相差最大的是 { $host }，快 { $time }。
clocks-differ-behind = { $count } 台主机的时钟与 rank 0 的主机不同；相差最大的是 { $host }，慢 { $time }。
clocks-differ-advice = 本次测试的数值都不依赖时刻。要对照这些主机的日志，请先校准时钟（chrony、NTP）。
clock-is-ahead = 快 { $time }
clock-is-behind = 慢 { $time }
source-messages-of-ranks = rank 之间的消息

## compressible_content_on_compressing_file_system

compressible-content-on-compressing-file-system = 文件系统会压缩写入的数据，而该内容可压缩：到达设备的数据少于所要求的。
compressible-content-on-compressing-file-system-deduplicates = 文件系统会对写入的数据去重，而该内容会缩小：到达设备的数据少于所要求的。
compressible-content-on-compressing-file-system-advice = 写入不可压缩且不重复的内容，这是 plumb 的默认设置。
compressible-content-on-compressing-file-system-before = 文件系统会压缩写入的数据：数值取决于内容。
compressible-content-on-compressing-file-system-deduplicates-before = 文件系统会对写入的数据去重：数值取决于内容。
compressible-content-on-compressing-file-system-advice-before = 保持默认的不可压缩、不重复内容，或用 compress-percent 和 dedupe-percent 给出自己内容的比例。
compressible-content-on-compressing-file-system-content = 内容
compressible-content-on-compressing-file-system-settings = 内容 { $content }，压缩 { $compress }，去重 { $dedupe }

## connection_was_lost

connection-was-lost = 与服务器的连接中断 { $gaps } 次（按线程计），首次在开始后 { $first }，最长 { $longest }；{ $figures }。
connection-was-lost-and-not-restored = 与服务器的连接中断 { $gaps } 次（按线程计），首次在开始后 { $first }，且未恢复；{ $figures }。
connection-was-lost-advice = 查看服务器在该时刻的日志以及链路；要得到不含中断的数值，请重新测试，或查看中断之前的间隔。
connection-was-lost-operations-waited = 平均值和百分位数也包含这段时间
connection-was-lost-operations-failed = 期间的操作失败，因此速率包含这段时间，响应时间不包含
connection-was-lost-operations-waited-or-failed = 速率也包含这段时间，响应时间仅在操作等待连接时包含
connection-was-lost-step-ended = iperf3 的测试无法恢复，步骤在该处结束，数值截至该时刻
connection-was-lost-both = { $held }；{ $ended }
connection-was-lost-worker = 作业 { $job } 的线程 { $worker }
connection-was-lost-for = 开始后 { $start }，持续 { $length }：{ $text }
connection-was-lost-for-good = 开始后 { $start }，未恢复：{ $text }

## credits_limit_the_depth

credits-limit-the-depth = 在{ $steps }中，服务器授予的信用数不够所设的队列深度：操作最多有 { $most } 的时间在客户端等待信用。
credits-limit-the-depth-advice = 请提高服务器的上限（Samba：smb2 max credits；Windows Server：Set-SmbServerConfiguration -Smb2CreditsMax），使用多个线程（每个线程的连接有自己的信用），或减小深度和块大小：每 64 KiB 请求占用一个信用。
credits-limit-the-depth-operations = { $waits }，占全部操作时间的 { $part }
credits-limit-the-depth-waits = “{ $step }”中等待过信用的操作

## depth_below_the_path

depth-below-the-path = { $steps } 中在途数据对到服务器的延迟而言太少：路径的带宽时延积为 { $path }，最少只用了 { $flight }，因此最多只能达到 { $rate }。
depth-below-the-path-advice = 请增大队列深度（或线程数、块大小）：{ $depth } 个 { $block } 的请求可填满路径。只有那时才能看出服务器和磁盘的能力。
depth-below-the-path-in = '{ $step }' 的在途量
depth-below-the-path-of = { $depth } 个 { $block } 的请求

## depth_not_achieved

depth-not-achieved = { $steps }未达到设定的队列深度：提交本身在等待，或目标的应答快于操作的提交。
depth-not-achieved-advice = 使用更多线程、每线程更小的队列深度，并确认使用了直接 I/O：缓存 I/O 和某些文件系统在提交时即执行请求。
depth-not-achieved-by-blocking-engine = { $steps }未达到设定的队列深度：引擎 { $engine } 每个线程只有一个在途操作。
depth-not-achieved-by-blocking-engine-advice = 对该引擎请设定线程数而不是队列深度，或使用支持排队的引擎，例如 io_uring。
depth-not-achieved-in = “{ $step }”的实际队列深度

## direct_refused

direct-refused = 此目标不支持 O_DIRECT：I/O 经过页缓存。
direct-refused-advice = 使用至少为内存两倍的测试文件，使缓存无法容纳；或在支持 O_DIRECT 的文件系统上测量。
direct-refused-in = 步骤“{ $step }”
direct-refused-buffered = 缓存 I/O

## errors_occurred

errors-occurred = { $steps }中有 { $errors } 次操作失败；它们不计入速率和延迟。
errors-occurred-on-rank = { $steps }中有 { $errors } 次操作失败，全部发生在 { $host } 上的 rank { $rank }；它们不计入速率和延迟。
errors-occurred-in-warm-up = { $steps }的预热期间有 { $errors } 次操作失败；它们不计入任何数值。
errors-occurred-stop-using-it = 查明原因之前，请勿将此存储用于重要数据。
errors-occurred-in-flight = 连接中断时这些操作正在途中：请查看服务器在该时刻的日志以及链路。
errors-occurred-without-connection = ENOTCONN 出现在没有连接期间：请查看连接中断时刻的服务器日志以及链路。
errors-occurred-in-flight-and-without-connection = ENOTCONN 出现在没有连接期间，中断时在途的操作为其他错误：请查看该时刻的服务器日志以及链路。
errors-occurred-slow-down = SlowDown：对象存储要求减少请求（HTTP 503 或 429）。请减小 depth 或 workers，把键分散到更多前缀，或提高服务器上的限制。
errors-occurred-full = ENOSPC：文件系统或共享已满，EDQUOT：配额已用尽；请腾出空间，或减小要求（--size）。
errors-occurred-not-permitted = EACCES、EPERM 和 EROFS 属于权限问题：请检查该用户是否有权操作，以及是否以只读方式挂载或共享。
errors-occurred-files-gone = ENOENT 和 ESTALE：原有的文件已消失，有其他程序在删除；请找出它，或在自己的文件夹中测量。
errors-occurred-on-share = 在信任该共享或这些数值之前，请查看服务器的日志及其存储。
errors-occurred-at-peer = 在信任这些数值之前，请查看对端程序的输出。
errors-occurred-on-device = 在信任该存储或这些数值之前，请查看内核日志（dmesg）和设备健康状况。
errors-occurred-of = “{ $step }”的错误
errors-occurred-in-warm-up-of = “{ $step }”预热期间的错误
errors-occurred-of-kind = { $count } × { $kind }
errors-occurred-first = 首个错误
errors-occurred-first-of-file = { $path } 的文件 { $file }，{ $operation }：{ $error }
errors-occurred-first-at-offset = { $path } 偏移 { $offset } 处，{ $operation }：{ $error }
errors-occurred-first-of = { $path }，{ $operation }：{ $error }
errors-occurred-first-with = 与 { $path }，{ $operation }：{ $error }

## fuse_file_system

fuse-file-system = 目标为 FUSE 文件系统（{ $kind }）：测得的包含服务该文件系统的程序的速度与缓存。
fuse-file-system-advice = 要测量存储本身，请以该程序之下的目录或设备为目标，并比较两者。

## overlay_file_system

overlay-file-system = 目标位于 overlay 文件系统（容器自身的文件即在其上）：首次写入下层的文件会复制整个文件，测得的不是卷的数值。
overlay-file-system-advice = 要测量卷，请以卷上的路径为目标；'findmnt' 列出各挂载点。

## generator_was_the_limit

generator-was-the-limit = { $steps }受限于负载发生器的 CPU：存储可能比所示更快。
generator-was-the-limit-advice = 使用更多线程，每个线程占用自己的 CPU；缓存 I/O 中与页缓存之间的复制也是开销的一部分。
generator-was-the-limit-of-share = { $steps }受限于负载发生器的 CPU：共享可能比所示更快。
generator-was-the-limit-of-share-advice = 使用更多线程，每个线程占用自己的 CPU；协议及其签名和加密也是开销的一部分。
generator-was-the-limit-of-network = { $steps }受限于负载发生器的 CPU：网络可能比所示更快。
generator-was-the-limit-of-network-advice = 使用更多线程，每个线程占用自己的 CPU；与系统缓冲区之间的复制也是开销的一部分。
generator-was-the-limit-all-threads = “{ $step }”的所有线程
generator-was-the-limit-of-cpus = { $used }，{ $cpus } 个 CPU 共 { $all }
generator-was-the-limit-ceiling = “{ $step }”的 null 引擎上限
generator-was-the-limit-rates = { $rate }/{ $ceiling } 操作/秒
generator-was-the-limit-worker = “{ $step }”最忙的线程
generator-was-the-limit-of-one-cpu = 单个 CPU 的 { $used }

## governor_not_performance

governor-not-performance = CPU 频率调节器为“{ $governor }”：低队列深度下的延迟可能比存储自身的更长、更不均匀。
governor-not-performance-advice = 测量期间执行 'cpupower frequency-set -g performance'（以 root 身份），之后恢复。

## interface_has_errors

interface-has-errors-in-run = 测试期间，到服务器的接口出现了错误或丢弃的报文。
interface-has-errors-since-boot = 开机以来，到服务器的接口出现过错误或丢弃的报文。
interface-has-errors-advice = 用 'ethtool -S INTERFACE' 查看种类：校验错误与线缆和接头有关，丢失与接收环（'ethtool -g'）和中断有关。
interface-has-errors-count = { $interface } 上 { $count } 个

## latency_limit_missed

latency-limit-missed = { $steps }超出了响应时间上限。
latency-limit-missed-advice = 降低同时的负载（扫描队列深度或速率可找到上限允许的值），或要求更小的比例（latency-limit-percentile）。
latency-limit-missed-operations = “{ $step }”在 { $limit } 内完成的操作
latency-limit-missed-share = { $within } %，要求 { $asked } %

## link_is_slow

link-is-slow = { $interface } 的链路为 { $speed }：无论其后的存储多快，单方向至多约 { $payload }。
link-is-slow-advice = 请将吞吐量与链路而不是磁盘比较；检查链路是否达到线缆、交换机和网卡的能力。
link-is-slow-half-duplex = { $interface } 的链路为半双工：同一时刻只有一方发送，冲突又消耗其余。
link-is-slow-half-duplex-advice = 让两端自动协商（'ethtool -s INTERFACE autoneg on'），或都设为全双工；检查线缆与交换机端口。
link-is-slow-interface = 接口

## logged_in_as_guest

logged-in-as-guest = 服务器不认识该用户，将其作为来宾登录：没有签名和加密，权限和限制都是来宾的。
logged-in-as-guest-advice = 请指定服务器认识的用户，或检查它如何映射未知用户（Samba：map to guest）。

## low_free_space

low-free-space = 文件系统仅剩 { $free }（{ $share }）空闲：写入可能比有余量时更慢。
low-free-space-advice = 测量写入之前，至少腾出文件系统的十分之一并运行 'fstrim'。

## machine_swapped

machine-swapped = 测量期间机器发生了换页：共有 { $swapped } 在内存与交换空间之间移动。
machine-swapped-advice = 释放内存，或使用更小的缓冲区和文件，然后重新测量；'vmstat 1' 的 si 和 so 列可实时显示换页。

## machine_was_busy

machine-was-busy = 开始前机器繁忙：其他工作占用了全部 CPU 的 { $busy }。
machine-was-busy-advice = 停止其他工作（'top' 可显示），或在机器空闲时测量。

## memory_file_system

memory-file-system = 目标位于内存中：数值反映的是内核与内存，而不是存储。
memory-file-system-advice = 请以待测存储上的目录为目标。

## mtu_is_small_for_the_link

mtu-is-small-for-the-link = { $speed } 的链路上报文至多 { $mtu } 字节：全速时每个方向每秒 { $packets } 个报文。
mtu-is-small-for-the-link-advice = 若沿途每个端口都支持，请将两端 MTU 设为 9000（'ip link set dev INTERFACE mtu 9000'），用 'ping -M do -s 8972 SERVER' 检查，并分别测量。

## network_file_system

network-file-system = 目标为 { $kind } 挂载：客户端、网络与服务器一并测量，服务器的缓存也包含在内。
network-file-system-of-any-kind = 目标为网络挂载：客户端、网络与服务器一并测量，服务器的缓存也包含在内。
network-file-system-advice = 使用大于服务器内存的数据集以触及其磁盘，并在服务器本机测量以作比较。

## never_became_steady

never-became-steady = { $rounds } 轮之后，{ $steps }仍未稳定。
never-became-steady-at-once = 在任何 { $rounds } 轮的窗口中，所跟踪的数值都没有同时稳定。
never-became-steady-advice = 继续更多轮次，或延长预处理；始终不稳定的数值没有单一值可给出。
never-became-steady-round-figures = 最低与最高相差 { $data }，线性拟合变化 { $slope }
never-became-steady-step = { $steps }在稳定之前结束。
never-became-steady-step-advice = 给予更长时间，或在其之前进行预处理；始终不稳定的数值没有单一值可给出。
never-became-steady-window = “{ $step }”的最后窗口
never-became-steady-window-figures = 最大偏离 { $departure }，每间隔斜率 { $slope }；要求为 { $asked }

## nfs_single_connection

nfs-single-connection = { $speed } 的链路上，NFS 挂载只用一条 TCP 连接。
nfs-single-connection-advice = 卸载该服务器的所有挂载，以 '-o nconnect=8' 挂载（Linux 5.3 或更新）并比较；同一服务器的首个挂载决定其余挂载。

## not_steady

not-steady = { $steps }期间吞吐量有变化：平均值不是稳定值。
not-steady-fell = { $steps }期间吞吐量下降：平均值不是稳定值。
not-steady-rose = { $steps }期间吞吐量上升：平均值不是稳定值。
not-steady-advice = 预热后延长测试，直到末段与首段相同；写缓存或突发额度表现为一次下降。
not-steady-figures = 线性拟合变化 { $slope }（上限 10 %），从首三分之一到末三分之一 { $change }，p = { $p }

## nothing_completed

nothing-completed = { $steps }中有 { $length } 没有完成任何操作（约在开始后 { $start }），而操作仍在途中：速率和平均值包含这段时间。
nothing-completed-several-times = { $steps }中有 { $pauses } 次没有完成任何操作，最长 { $length }（约在开始后 { $start }），而操作仍在途中：速率和平均值包含这些时间。
nothing-completed-advice = 查看内核日志（dmesg）中该时刻的超时与复位、设备固件与节能设置，以及整台机器是否停顿；要得到不含停顿的数值，请重新测试。
nothing-completed-of-server-advice = 查看服务器在该时刻的情况（日志、存储、负载）和链路（丢包、重新上线的交换机），以及本机是否停顿；要得到不含停顿的数值，请重新测试。
nothing-completed-pause = “{ $step }”{ $job }{ $round }的停顿
nothing-completed-job = ，作业“{ $job }”
nothing-completed-round = ，第 { $round } 轮
nothing-completed-length = { $length }，约在开始后 { $start }
nothing-completed-length-beyond-end = { $length }，约在开始后 { $start }，超出步骤结束
nothing-completed-rate-without-pauses = “{ $step }”除去停顿间隔的速率
nothing-completed-rates = { $without }/s；含停顿为 { $with }/s

## one_host_is_slower

one-host-is-slower = 在“{ $step }”中，{ $host } 只得到其他主机的 { $share }。
one-host-is-slower-advice = 检查 { $host } 的路径（链路速率、错误、交换机端口、路由）、挂载选项和 CPU，以及服务器是否最后才服务它；然后单独在它上面运行该计划。
step-on-host = { $host } 上的“{ $step }”
host-gets-share = 按每个 rank 计，为其他主机中位数的 { $share }；使用一个 CPU 的 { $cpu }
host-gets-share-of-others = 按每个 rank 计，为其他主机中位数的 { $share }
source-ends-of-ranks = 各 rank 在步骤结束时的报告

## one_path_loses_segments

one-path-loses-segments = 在“{ $step }”中 { $host } 重传了 { $part } 的 TCP 段，其他主机最多 { $others }：丢失发生在它自己的路径上。
one-path-loses-segments-advice = 在 { $host } 上查看 'ip -s link' 和 'ethtool -S INTERFACE' 的错误与丢弃、双工与速率，以及交换机端口和线缆；然后单独在它上面运行该计划。
host-sent-again = { $sent } 个段中重传了 { $again } 个；其他主机最多 { $others }

## one_queue_takes_all

one-queue-takes-all = 网卡对 { $speed } 的链路只有一个接收队列：由一个 CPU 处理所有报文。
one-queue-takes-all-advice = 增加队列（'ethtool -L INTERFACE combined N'；虚拟机在其定义中设置），或启用 RPS（rps_cpus）。
one-queue-takes-all-by-scaling = RSS 只分配到 { $queues } 个队列中的一个：由一个 CPU 处理 { $speed } 链路的所有报文。
one-queue-takes-all-by-scaling-advice = 重新填充表：'ethtool -X INTERFACE equal N'，N 为队列数。
one-queue-takes-all-by-interrupts = 开机以来，网卡 { $queues } 个队列的中断几乎都由一个 CPU 处理。
one-queue-takes-all-by-interrupts-advice = 请分散中断：启动 irqbalance，或将每个队列的 /proc/irq/N/smp_affinity_list 设为网卡所在内存节点的 CPU。

## operations_were_split

operations-were-split = { $steps }的块大于服务器单个请求的上限：每个块分成多个请求发送。
operations-were-split-advice = 要测量单个请求，请选择不大于该上限的块，或提高服务器的上限（Samba：smb2 max read、smb2 max write；NFS：服务器提供的 READ 和 WRITE 大小）。
operations-were-split-counted = “{ $step }”中被拆分的操作
operations-were-split-in = “{ $step }”的块
operations-were-split-requests = 每块 { $block }，单个请求最多 { $most }：{ $requests } 个请求

## other_io_on_device

other-io-on-device = 测试期间有其他进程使用该设备：部分时间不属于 plumb。
other-io-on-device-advice = 找出其他使用者（'iotop -o' 或 'pidstat -d 1'），停止后再测。
other-io-on-device-during = “{ $step }”期间其他程序在 { $device } 上的字节
other-io-on-device-share = { $others }，共 { $all }（{ $rate }）

## power_plan_saves_power

power-plan-saves-power = Windows 的电源计划为“{ $plan }”：低队列深度下的延迟可能比存储自身的更长、更不均匀。
power-plan-saves-power-advice = 测量期间执行 powercfg /setactive SCHEME_MIN（以管理员身份；即“高性能”），之后恢复（SCHEME_BALANCED）。

## rank_was_lost

rank-was-lost = { $ranks } 个 rank 中有 { $count } 个失联，首先是 { $host } 上的 rank { $rank }。数值取自所有 rank 都在运行的时间。
rank-was-lost-advice = 检查该主机（进程是否被终止？链路是否中断？）。该 rank 测得的内容在它自己的记录中，位于其主机上或运行目录的 ranks/ 中。要得到所有 rank 的数值，请重新运行。
rank-on-host = { $host } 上的 rank { $rank }
rank-was-lost-then = 开始后 { $time } 失联：{ $why }

## rate_not_achieved

rate-not-achieved = { $steps }未达到要求的速率：{ $reason }{ $unsubmitted }。
rate-not-achieved-unsubmitted = ；{ $operations } 次到期操作从未提交：按其已等待的时间计入，因此百分位数为下限
rate-not-achieved-by-pause = 最长 { $length } 没有完成任何操作
rate-not-achieved-by-pause-advice = 查明停顿的是目标、网络还是本机，然后重新测试；更低的速率同样无法保持。
rate-not-achieved-by-errors = { $errors } 次操作失败
rate-not-achieved-by-errors-advice = 请先查明失败的原因：失败的操作不计入速率。
rate-not-achieved-by-overload = 目标无法持续该速率，响应时间随测试时长增长
rate-not-achieved-by-overload-advice = 将速率（重放时为 replay-speed-percent）降到目标可持续的水平以下；若是负载发生器在等待，请允许更多在途操作（更大的队列深度、更多线程）。
rate-not-achieved-rates = { $rate } 操作/秒，要求 { $asked }，结束时仍有 { $waiting } 个等待
rate-not-achieved-rates-late = { $rate } 操作/秒，要求 { $asked }，结束时仍有 { $waiting } 个等待，99 % 在 { $lateness } 内提交

## rdma_available_but_not_used

rdma-available-but-not-used = 共享经 TCP 传输，而到服务器路径上的 { $device } 支持 RDMA。
rdma-available-but-not-used-offered = 共享经 TCP 传输，而 { $device } 与服务器都支持 RDMA。
rdma-available-but-not-used-by-plumb = plumb 经 TCP 访问共享；到服务器路径上的 { $device } 支持 RDMA，使用 RDMA 的客户端会采用它。
rdma-available-but-not-used-adapter = 网卡
rdma-available-but-not-used-advice = 请测量网络本身（'plumb run rdma rdma://SERVER'，对端运行 'plumb serve-net --listen any --rdma'），并与使用 RDMA 的挂载对照。
rdma-available-but-not-used-smb-advice = 若内核与服务器支持 SMB Direct，请以 '-o rdma' 挂载并比较；'plumb run rdma rdma://SERVER' 给出网络本身的性能。
rdma-available-but-not-used-nfs-advice = 若服务器支持 NFS over RDMA，请以 '-o proto=rdma,port=20049' 挂载并比较；须先卸载该服务器的其他所有挂载。

## reads_from_cache_below

reads-from-cache-below = { $steps }的读本应来自存储，实际并非如此：设备传输的字节远少于读取的字节。数值反映的是文件之下的缓存，或从未写入的块。
reads-from-cache-below-advice = 请用不可压缩的内容、已写满且大于内存的文件测量，或直接测量下层设备。
reads-from-cache-below-loop-device = { $steps }的读本应来自存储，实际并非如此：设备传输的字节远少于读取的字节。数值反映的是 loop 设备之下的页缓存，它经由页缓存读取其文件。
reads-from-cache-below-loop-device-advice = 以直接 I/O 建立 loop 设备（'losetup --direct-io=on'），或在其文件所在的文件系统上测量。
reads-from-cache-below-file-in-memory = loop 设备所示的文件位于内存中：数值反映的是内存，而不是存储。
reads-from-cache-below-file-in-memory-advice = 请在设备上测量，或在其文件位于设备上的 loop 设备上测量。
reads-from-cache-below-during = “{ $step }”期间读取的字节
reads-from-cache-below-bytes = { $device } 传输 { $moved }，步骤读取 { $read }

## reads_never_written_blocks

reads-never-written-blocks = 文件中有 { $unwritten } 从未写入：对其读取无需访问存储即可应答。
reads-never-written-blocks-advice = 请读取完整写入过的文件：以目录为目标（plumb 会写入自己的文件），或先填满此文件。

## retransmits_in_the_run

retransmits-in-the-run = 测试期间经网络发送的数据有一部分丢失并重传。
retransmits-in-the-run-advice = 请查找丢失的位置：两端接口的错误、缓冲区已满的交换机端口、不一致的 MTU；然后重新测量。
retransmits-in-the-run-requests = { $mount } 上 { $requests } 个请求
retransmits-in-the-run-segments = 发送 { $sent }，其中重传 { $again }，{ $share }

## rounds_disagree

rounds-disagree = { $steps }的各轮相差超过四分之一：只看一轮会产生误导。
rounds-disagree-on-two-levels = { $steps }的各轮相差超过四分之一，并分为两个水平：只看一轮会产生误导。
rounds-disagree-advice = 增加轮次、延长步骤，比较范围而不是单个数值，并查明各轮之间有何变化。
rounds-disagree-rates = { $rounds } 轮为 { $low } 到 { $high } IOPS，中位数 { $median }
rounds-disagree-rates-with-mean = { $rounds } 轮为 { $low } 到 { $high } IOPS，平均值在 { $mean-low } 到 { $mean-high } 之间（95 %）
rounds-disagree-rates-on-two-levels = { $rounds } 轮为 { $low } 到 { $high } IOPS，分为两个水平

## segments_arrived_out_of_order

segments-arrived-out-of-order = 测试期间网络送达的数据有一部分在途中丢失或乱序：有些报文段早于其前面的报文段到达。
segments-arrived-out-of-order-advice = 请查找到本机的路径上何处丢包或乱序：两端的接口、缓冲区已满的交换机端口、把一个连接分散到多条链路的聚合或多路径；然后重新测量。
segments-arrived-out-of-order-part = 乱序 { $early }，收到 { $received }

## sent_and_not_arrived

sent-and-not-arrived = { $steps }中计为已发送的数据，在步骤结束时有一部分尚未到达：速率可能最多偏高 { $most }。
sent-and-not-arrived-advice = 在缓冲区填满后（预热 1 s 或更长）开始测量，或测量更长时间：此时到达量与发送量相等。
sent-and-not-arrived-at-end = “{ $step }”结束时未确认
sent-and-not-arrived-bytes = { $under-way }，共发送 { $sent }，{ $share }

## share_is_old_dialect

share-is-old-dialect = 共享使用 { $dialect }：{ $why }。
share-is-old-dialect-smb-1 = 速度慢且不安全，服务器和客户端均已弃用
share-is-old-dialect-smb-2 = 既没有多通道也没有加密
share-is-old-dialect-smb-3-0 = 以 AES-CMAC 签名、以 AES-CCM 加密，CPU 开销为 SMB 3.1.1 的数倍
share-is-old-dialect-nfs-2 = 其请求最多 8 KiB
share-is-old-dialect-nfs-4-0 = 没有会话：聚合以及客户端与服务器协商的限制从 4.1 开始
share-is-old-dialect-advice = 让客户端与服务器协商双方都支持的最新版本（挂载时不写 vers=，plumb 中 dialect 为 auto）并比较。
share-is-old-dialect-agreed = 协议版本

## share_without_multichannel

share-without-multichannel = 共享只用一条连接，而服务器提供支持 RSS 的接口。
share-without-multichannel-of-interfaces = 共享只用一条连接，而服务器提供多个同速接口。
share-without-multichannel-advice = 以 '-o multichannel,max_channels=4' 挂载（SMB 3.1.1；须先在各处卸载该共享）并比较。
share-without-multichannel-asked-advice = 挂载要求更多通道但未得到：请查看内核日志（dmesg）中的原因，以及从本机能否访问服务器的其他地址。

## signing_or_encryption_costs

signing-or-encryption-costs-signed = 共享的消息已签名：除共享本身的开销外，每个字节还消耗两端的 CPU 时间。
signing-or-encryption-costs-encrypted = 共享的消息已加密：除共享本身的开销外，每个字节还消耗两端的 CPU 时间。
signing-or-encryption-costs-in-trial = 在简短试验中，本机单个核心可达 { $rate }。
signing-or-encryption-costs-advice = 在不可信的网络中这是应当的。要了解其开销，可在服务器不强制的情况下测量不签名、不加密的同一共享（NFS：以 sec=krb5 或 sys 导出）。
signing-or-encryption-costs-signing = 签名
signing-or-encryption-costs-encryption = 加密

## slow_clock_source

slow-clock-source = 内核的时钟源为“{ $source }”：每次读取时钟都很慢，单个 CPU 可产生的速率因此较低。
slow-clock-source-advice = 从内核日志查明为何弃用时间戳计数器（'dmesg | grep -i tsc'）；固件更新或 'tsc=reliable' 可能使其恢复。

## small_rsize_or_wsize

small-rsize-or-wsize = 挂载将块拆分为至多 { $size } 的请求。
small-rsize-or-wsize-advice = 挂载时不写 rsize 和 wsize，使双方协商最大值；若由服务器限制，请在服务器上提高。

## socket_was_polled

socket-was-polled = { $steps }的工作线程以轮询套接字的方式等待应答（busy-poll）：响应时间不含唤醒睡眠线程的时间，且每个工作线程占满一个 CPU。
socket-was-polled-advice = 请与同样轮询的运行比较。多数应用会睡眠到应答到来：用 busy-poll = false 测量它们所见。
socket-was-polled-by-more-than-cpus = { $steps }有 { $workers } 个工作线程轮询套接字（busy-poll），而 CPU 更少：它们轮流使用 CPU，其间应答在等待。
socket-was-polled-by-more-than-cpus-advice = 使工作线程少于 CPU，以便内核和本机上的服务器也有 CPU 可用；或去掉 busy-poll。
socket-was-polled-before-sleeping = { $steps }的工作线程在睡眠前轮询套接字，最长 100 us（busy-poll = auto）：在此期间到来的应答无需唤醒睡眠的线程，CPU 数值包含轮询。
socket-was-polled-before-sleeping-advice = 多数应用会睡眠到应答到来：用 busy-poll = false 测量它们所见，以及客户端不轮询时的开销。
socket-was-polled-in = “{ $step }”的工作线程
socket-was-polled-by = { $workers } 个使用 busy-poll
socket-was-polled-part = 工作线程时间的 { $part }（含预热）

## tail_of_closed_loop

tail-of-closed-loop = 尾部延迟来自闭环测试：在独立到达的负载下，闭环的尾部延迟偏低。
tail-of-closed-loop-advice = 要作出服务承诺，请以固定速率、随机到达（开环）测量：此时响应时间从请求到期时算起。
tail-of-closed-loop-times = 99.9 % 在 { $within } 内，最长 { $longest }

## throttled

throttled = 测试受到存储本身之外的限制。
throttled-before = 已设置会限制测试的上限。
throttled-advice = 测量期间取消限制（控制组、功耗与散热），或运行到突发结束之后，以其后的水平为持久水平。
throttled-by-quota = 测试期间控制组的 CPU 配额
throttled-by-hypervisor = 测试期间虚拟机监控程序分给他人的 CPU 时间
throttled-by-heat = 测试期间 CPU 因温度降频
throttled-share-of-cpus = 全部 CPU 的 { $share }
throttled-burst = { $before } IOPS 持续 { $time }，之后平稳于 { $after } IOPS

## too_short_for_percentile

too-short-for-percentile = { $steps }的操作少于 1,000 次：无法给出第 99 百分位。
too-short-for-percentile-advice = 若关注尾部延迟，请延长测试或增加轮次。
too-short-for-percentile-operations = { $operations }；1,000 次需 { $time }

## verification_failed

verification-failed = { $blocks } 个块读回的与写入的不同：数据丢失或损坏。
verification-failed-advice = 查明原因之前，请勿将此存储用于重要数据：内存、线缆、控制器、固件、驱动，或同一目标上的其他写入者。
verification-failed-block = { $path }，偏移 { $offset }，{ $bytes } 字节
verification-failed-blocks = 不一致的块
verification-failed-copies = { $copies } 个副本与源不一致。
verification-failed-copies-advice = 请查看缺少或与源不同的内容，以及程序的命令行；同时运行一个已知可靠的程序（'plumb copy-test rsync ...'）即可看出问题在程序还是存储。
verification-failed-copies-that-differ = 不一致的副本

## virtual_machine

virtual-machine = 这是虚拟机或容器（{ $kind }）：宿主机可能缓存、限制和共享存储。
virtual-machine-advice = 下结论之前，请在一天中的其他时间重复测量，并查阅提供商对此规格机器的限制。

## workers_read_the_same

workers-read-the-same = { $workers } 个工作线程按相同顺序读取相同的块：一个读过的内容，其他的可能在缓存中找到。
workers-read-the-same-advice = 让每个各用一段：fio 作业中用 offset_increment，计划中用 same-start = false 或 layout = own。

## working_set_fits_in_ram

working-set-fits-in-ram = 页缓存可容纳{ $steps }使用的全部数据：数值反映的是内存，而不是存储。
working-set-fits-in-ram-advice = 以直接 I/O 绕过页缓存，或使用至少为内存两倍的测试文件。
working-set-fits-in-ram-size = “{ $step }”使用的大小
working-set-fits-in-ram-moved = “{ $step }”期间设备传输
working-set-fits-in-ram-share = 所要求字节的 { $share }

## write_back_failed

write-back-failed = { $steps }的写入已得到确认但无法写回存储：数据已丢失，这些写入的数值不代表存储的性能。
write-back-failed-advice = 在将数据交给该存储之前，请查看内核日志（dmesg）以及下层设备、精简配置卷或服务器。
write-back-failed-full = ENOSPC：文件系统已给出空间，但下层存储已满（精简配置）：请在下层腾出空间。
write-back-failed-call = { $path } 的 { $call }
write-back-failed-error = “{ $step }”之后 { $error }

## write_cache_volatile

write-cache-volatile = 设备有易失性写缓存：没有 fsync 的写入在真正安全之前即算完成。
write-cache-volatile-advice = 要了解安全写入的速度，请以每次写入均持久化的方式测量；有掉电保护的缓存不会显示差别。

## object_store_keeps_versions

object-store-keeps-versions = 存储桶启用了版本控制：被替换或删除的对象会保留为旧版本。
object-store-keeps-versions-advice = 请在未启用版本控制的存储桶中测量删除。plumb 会删除自己对象的旧版本；请允许 s3:DeleteObjectVersion 和 s3:ListBucketVersions，并用 'plumb clean s3://BUCKET/PREFIX' 检查。
object-store-locks-objects = 存储桶会锁定新对象（{ $lock }）：测量写入的内容在此期限结束前无法删除。
object-store-locks-objects-advice = 请在没有默认保留期的存储桶中测量：'aws s3api create-bucket --bucket BUCKET'。

## object_store_clock_differs

object-store-clock-ahead = 对象存储的时钟比本机快 { $by }。
object-store-clock-behind = 对象存储的时钟比本机慢 { $by }。
object-store-clock-advice = 用 NTP 同步两者（'timedatectl set-ntp true'）。相差超过 15 分钟时请求会被拒绝。
