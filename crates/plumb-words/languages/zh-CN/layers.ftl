### 各层比较的内容。

## 结论

step-in-flight = { $step }（{ $block }，在途 { $requests } 个请求）
step-of-mixed-sizes-in-flight = { $step }（在途 { $requests } 个请求）
layer-gives-part = { $subject }：{ $top } 达到 { $high }，为 { $bottom }（{ $low }）的 { $share }。
layer-gives-more = { $subject }：{ $top } 达到 { $high }，{ $bottom } 为 { $low }：{ $change }。
operations-each-second = { $rate }/s
layer-costs-most = { $step }：开销最大的层：{ $cost }。
no-layer-costs = { $step }：没有证实任何一层有开销。
whether-it-costs-is-undecided = { $step }：有无开销尚无定论：{ $costs }。
which-costs-most-is-undecided = { $step }：哪一层开销最大尚无定论：{ $costs }。
layer-costs-more = { $layer } 相对 { $other } 每个请求 +{ $cost }（{ $interval }）
layer-costs-less = { $layer } 相对 { $other } 每个请求 { $cost }（{ $interval }）
interval-not-known = 区间未知
share-one-at-a-time = { $step }：{ $share } 的 { $whole } 中，存储本身占 { $stored }（{ $storage }），同样大小的消息占 { $carried }；其余 { $least } 为协议、客户端与服务器：请求逐个进行，没有重叠。
share-with-overlap = { $step }：{ $share } 的 { $whole } 中，存储本身占 { $stored }（{ $storage }），同样大小的消息占 { $carried }；协议、客户端与服务器占 { $least }（完全不重叠）到 { $most }（完全重叠）。
layer-is-faster = { $step }：{ $above } 比 { $below } 更快，吞吐量 { $change }：{ $why }。

## 某层比其下层更快的原因

faster-through-the-page-cache = 它经过页缓存，而 { $below } 绕过页缓存：已在内存中的数据不会到达下层存储
faster-by-the-cache-of-the-server = 服务器经其页缓存应答，而 { $below } 绕过页缓存；增加页缓存层（--cached）即可比较
faster-by-requests-in-flight = 共享上有多个请求在途，而消息引擎逐个执行
faster-in-other-blocks = 文件的块与所读取的设备部分不在同一位置：设备在该处可能更快、已缓存或从未写入
faster-for-unknown-reasons = 记录未说明原因：可能是缓存、设备上的不同位置或不同的 CPU

## 某层没有数值的原因

device-is-not-written = 不会写入 { $target }：需要 --overwrite={ $target }，这会销毁其中的数据
peer-cannot-do-this = 此对端不支持同样的操作
layer-has-no-such-step = 该层的测试没有此步骤
layer-could-not-run = 无法运行：{ $error }
layer-rounds-do-not-count = 各轮不予计入：有一轮{ $reason }
layer-never-ran = 从未运行
layer-stood-still = 有一轮没有完成任何操作

## 缓存

page-cache-bypassed = 绕过页缓存；设备自身的缓存未绕过
page-cache-because = 经页缓存：{ $why }
page-cache-used = 经页缓存：内存可容纳的数据由内存读取，写入未必到达设备
files-lie-in-memory = 文件位于内存中：其下没有存储设备
network-has-no-storage = 不含存储
nothing-is-carried-out = 不执行任何操作
server-cache-holds-the-file = 客户端无缓存；经过服务器的页缓存：其 { $memory } 内存可容纳 { $size }，因此由内存读取
server-cache-is-too-small = 客户端无缓存；经过服务器的页缓存：其 { $memory } 内存容纳不下 { $size }
server-cache-is-not-known = 客户端无缓存；经过服务器的页缓存；服务器的内存大小未知

## 注意事项

network-layer-has-no-storage = 网络层交换同样大小的消息，不含存储：写对应发送，读对应接收，同一时刻只有一个请求在途时为往返。共享并非仅以该层为基础：该层的时间与存储的时间同样包含在共享的时间中，两者可能重叠。
layers-measured-each-by-itself = 各层分别单独测量：两次测量之间的任何变化都包含在差异中。
too-few-rounds-of-layers = 少于 { $least } 轮时不作定论：差异可能出于偶然。
one-machine-for-both-ends = 同一台机器：客户端与服务器共用其 CPU，网络为环回，不经过线缆。CPU 数值为两端合计。
nobody-watched-the-server = CPU 数值仅为客户端的：没有观察服务器；请在服务器上启动 `plumb agent`，并用 --agent 指定。
machine-of-layers-was-busy = 测量各层时 { $host } 有 { $busy } 的 CPU 用于其他工作：各层的数值以及层间差值可能受其影响。请在空闲的机器上重新测量。
layer-lies-in-memory = { $layer }（{ $target }）：文件位于内存中（{ $kind }），其数值属于内存，而非磁盘。请用 --files 指定待评估存储上的目录。
one-core-of-server-is-full = { $layer }，{ $step }：服务器的核心 { $core } 忙 { $busy }，全部核心平均 { $all }：一条连接在那里由一个核心处理。增加线程（每个线程是会话的一个通道）或在服务器上启用接收端缩放可以分散负载。
fewer-requests-in-flight = { $layer } 上的在途请求少于所要求的：{ $steps }。其每请求时间由吞吐量得出。
requests-in-flight-of-step = { $step }（{ $achieved }/{ $asked }）

## 终端与页面

layered-step = { $step }：{ $requests } 个在途请求
layered-step-of-blocks = { $step }：{ $block }，{ $requests } 个在途请求
layers-from-the-storage-up = { $layers } 个层，自存储向上
layers-measured-on = { $layers } 个层，在 { $host } 上测量，自存储向上
layer-measured-on = 在 { $host } 上测量
layer-against = 与 { $other } 相比
layers-from-to = 从 { $bottom } 到 { $top }
label-layers = 各层
layers-question = { $layers } 个层各自的开销
layers-derived-with = 由 plumb { $version } 测量各层 · 本页所有数值均来自各层的记录。
layer-is-doubtful = 存疑：{ $doubt }
label-layers-nothing = 无法得出结论：没有步骤在两个层上都有数值。
label-layers-where-it-goes = 各层的吞吐量
label-layer-bandwidth = 带宽
label-layer-iops = IOPS
label-layer-per-request = 每请求
label-layer-cost = 开销
label-layer-of-the-one-below = 相对下层
label-layer-cpus-busy = 占用的 CPU
label-layer-measured-latency = 实测延迟
label-layer-cpu-of-threads = 负载线程的 CPU
layers-time-per-request-of = 每请求时间，{ $step }
layers-cpu-over-time-of = { $lines } 的 CPU 使用率随时间的变化。
label-layers-in-blocks = 所有层在同一组区组中运行，每个区组内顺序随机，并按区组逐一比较。
label-layers-by-themselves = 各层分别单独测量。
layers-intervals = 单位：轮次。100 次中有 { $cases } 次区间包含真值；比值相差 { $threshold } % 以内视为实际相同。
label-layers-time-per-request = 每请求时间等于在途请求数除以每秒操作数（利特尔定律）；开销是一层比其下层多用的时间。在一层中等待的请求不一定使另一层空闲：多个请求在途时各层重叠，吞吐量的开销不一定可以相加。
label-layers-cpus-busy-means = 占用的 CPU：产生负载的机器上全部进程的平均值；加号之后为服务器的数值。
