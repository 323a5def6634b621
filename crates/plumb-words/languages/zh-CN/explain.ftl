### 什么限制了应用程序，怎样改进。

## 数据的来源

explain-source-trace = 跟踪 { $file }，{ $begin } 至 { $end }
explain-source-counters = { $file } 中的计数器，{ $begin } 至 { $end }
explain-source-load = { $file } 中 的负载，{ $begin } 至 { $end }
explain-figure-outstanding = 未完成请求，平均
explain-figure-outstanding-most = 未完成请求，最多
explain-figure-waiting = 调用者等待存储的时间占比
explain-figure-requests = 读写请求
explain-figure-size = 每个请求的字节数
explain-figure-time = 每个请求的时间
explain-figure-bytes = 吞吐量
explain-figure-path = 占链路能力
explain-figure-round-trip = 往返时间
explain-figure-round-trip-share = 往返占全部调用时间
explain-figure-metadata = 元数据调用
explain-figure-metadata-time = 每个元数据调用的时间
explain-figure-metadata-share = 元数据占全部调用时间
explain-figure-credits-share = 用掉最后一个信用或等待信用的请求
explain-figure-credits = 同时使用的信用，最多
explain-figure-flushes = 刷新（flush）
explain-figure-flush-time = 每次刷新的时间
explain-figure-flush-share = 刷新占全部调用时间
explain-figure-request-cost = 请求除字节外的时间
explain-figure-bytes-cost = 其字节的时间
explain-figure-sequential = 紧接前一个请求的比例
explain-figure-busiest-core = 最忙的核心
explain-figure-all-cores = 全部核心

## 缺少什么

explain-lacks-outstanding = 未完成请求的平均数和最大数：跟踪或抓包（plumb trace），或计数器：plumb watch，或 Windows SMB 客户端的 'Avg. Data Queue Length' 和 'Current Data Queue Length'
explain-lacks-requests = 每秒请求数和未完成请求数：跟踪或抓包（plumb trace），或计数器：plumb watch，或 Windows SMB 客户端的 'Data Requests/sec'、'Avg. Data Queue Length' 和 'Current Data Queue Length'
explain-lacks-outstanding-disk = 磁盘未完成请求的平均数和最大数：跟踪（plumb trace），或计数器：plumb watch，或 Windows 的 'Avg. Disk Queue Length' 和 'Current Disk Queue Length'
explain-lacks-requests-disk = 磁盘的每秒请求数和未完成请求数：跟踪（plumb trace），或计数器：plumb watch，或 Windows 的 'Disk Transfers/sec'、'Avg. Disk Queue Length' 和 'Current Disk Queue Length'
explain-lacks-depths = 速率如何随未完成请求数变化；在这里该数几乎不变：{ $command }
explain-lacks-ceiling = 链路能承载多少：先测量（plumb run network-stream tcp://SERVER），再用 --ceiling 给出；或者不同大小的请求相互重叠的抓包
explain-lacks-round-trip = 到服务器的往返时间：包含连接开头的抓包
explain-lacks-metadata-times = 元数据调用的时间：没有这样的计数器；跟踪或抓包里有（plumb trace）
explain-lacks-credits = 请求是否等待过信用：Windows SMB 客户端的计数器 'Credit Stalls/sec'，或包含连接开头的抓包
explain-lacks-flush-times = 刷新的时间：跟踪或抓包（plumb trace）
explain-lacks-offsets = 请求在文件内是否前后相接：跟踪或抓包（plumb trace）
explain-lacks-sizes = 大小给请求的时间增加多少；这里大小都相同，或时间说明不了问题：{ $command }
explain-lacks-cores = 其间客户端每个核心有多忙：在应用程序运行时观察（plumb watch；Windows：每个处理器的 '% Processor Time'）

## 不是什么

explain-not-credits = 不是服务器的信用：请求没有为它等待。
explain-not-path = 不是链路：依次传输的字节只占 { $share } 的时间。
explain-not-ceiling = 不是链路：实测能力 { $ceiling }，只用了 { $bytes }。
explain-not-application = 不是应用程序自身的工作：它占 { $pauses } 的时间。
explain-not-storage = 不是存储：即使存储不花时间，应用程序最多也只是现在的 { $most }。
explain-not-server = 不是服务器：每个请求中它最多占 { $rest }。
explain-not-transfers = 不是读写：它们占全部调用时间的 { $rest }。
explain-not-threads = 不是线程太少：应用程序有请求等待发送。
explain-not-bytes = 不是字节：它们占请求时间的 { $share }。

## 结论

explain-few-claim-one = 每次只有一个请求：平均 { $outstanding } 个未完成，应用程序有 { $waiting } 的时间在等待应答。每个请求需要 { $time }，所以每秒不可能更多。
explain-few-claim = 同时的请求太少：最多 { $most } 个未完成，每个调用者有 { $waiting } 的时间在等待应答；未完成的越多，存储应答的也越多。
explain-few-advice = 保持 { $to } 个未完成请求：增加线程，或使用异步请求。
explain-few-refuted = 有 { $twice } 个未完成请求时仍低于每秒 { $rate } 个。
explain-pauses-claim = 存储在等待应用程序：调用者只有 { $waiting } 的时间在等待应答；{ $pauses } 的时间处于应答与下一个请求之间。
explain-pauses-advice = 在改动存储之前，先看应用程序在请求之间做什么（处理器时间、读取别处、锁）。
explain-pauses-refuted = 没有停顿的相同请求达不到每秒 { $rate } 个。
explain-many-claim = 未完成请求多于存储所能利用的：平均 { $outstanding } 个，每个 { $time }，减少后速率不变。
explain-many-flat = 不是太少：有 { $many } 个未完成时的速率与 { $few } 个时相同。
explain-many-queue = 不是太少：每个请求都在等待先发出的请求。
explain-many-advice = 减半，到 { $to } 个：吞吐量相同，等待减半。
explain-many-refuted = 未完成请求减半后低于每秒 { $rate } 个。
explain-disk-claim = 磁盘 { $disk } 是瓶颈：{ $busy } 的时间处于忙碌状态，{ $outstanding } 个未完成请求各需 { $time }。
explain-disk-advice = 减少该磁盘的负担：更大的顺序请求、缓存，或把部分工作移到另一块磁盘；同时发出更多请求只会等待更久。更快的磁盘有帮助。
explain-path-claim = 链路已满：{ $bytes } 是其能力的 { $share }。
explain-path-measured = 不是请求的数量或大小：实测上限为 { $ceiling }。
explain-path-seen = 不是请求的数量或大小：每个请求都等待它前面的字节，这些字节以 { $ceiling } 通过。
explain-path-advice = 更多或更大的请求都没有帮助：需要更快的链路、多条链路（多通道、nconnect），或更少的字节。
explain-path-refuted = 未完成请求加倍后超过 { $bytes }。
explain-distance-claim = 花时间的是距离，不是服务器：往返时间为 { $round }，往返占全部调用时间的 { $share }。
explain-distance-advice = 减少往返：同时发出更多请求，使用更大的请求，减少打开和关闭；或让应用程序靠近服务器运行。
explain-distance-refuted = 在服务器旁边运行时低于每秒 { $rate } 个。
explain-metadata-claim = 花时间的是名称、属性、打开和关闭：占全部调用时间的 { $share }，其中最多的是 { $most }；每个读写对应 { $each } 个这样的调用。
explain-metadata-advice = 减少这类调用：保持文件打开，把小文件合并为一个，让客户端缓存名称和属性；或同时处理多个文件。
explain-metadata-refuted = 相同的字节放在一个文件里达不到每秒 { $rate } 个。
explain-credits-claim = 限制在于服务器的信用：{ $share } 的请求用掉了最后一个信用或不得不等待。
explain-credits-advice = 让服务器授予更多信用（Windows：Smb2CreditsMax；Samba：smb2 max credits），或使用多个连接；更多线程没有帮助。
explain-credits-refuted = 信用为四倍时低于每秒 { $rate } 个。
explain-flushes-claim = 花时间的是使数据持久化：刷新占全部调用时间的 { $share }，每次 { $time }，每 { $writes } 个读写一次。
explain-flushes-advice = 多次写入只刷新一次（例如 { $together } 次），或使用写缓存有断电保护的存储。不要省掉刷新。
explain-flushes-refuted = 四次并为一次刷新时低于每秒 { $rate } 个。
explain-small-claim = 请求太小：每个 { $size }，其时间的 { $share } 对更大的请求也一样。
explain-small-advice = 每次请求 { $to }：在应用程序中使用更大的缓冲区、预读、挂载的 rsize 和 wsize。
explain-small-refuted = 四倍大的请求低于 { $bytes }。
explain-core-claim = 限制在于一个核心：它有 { $busy } 的时间忙于一个连接或一个线程。
explain-core-advice = 把工作分到多个核心：更多连接（多通道、nconnect）或线程、网卡的接收端缩放，或更省的签名和加密。
explain-core-refuted = 连接数为四倍时低于每秒 { $rate } 个。
explain-next-path = 下一个限制是链路，以及任务足够多时的服务器。
explain-next-unknown = 下一个限制是什么，试过才知道。
explain-next-server = 下一个限制是服务器。
explain-next-transfers = 下一个限制是读写本身。

## 为什么没有结论

explain-too-few-requests = { $requests } 个读写请求太少，不能得出结论；需要 { $needed } 个。
explain-outstanding-off = 数据彼此不符：平均有 { $outstanding } 个请求未完成，而 { $idle } 的时间没有未完成的请求。只要有，就至少有一个：实例或时钟有误。
explain-little-off = 数据彼此不符：每秒请求数乘以每个请求的时间为 { $product }，而未完成的是 { $outstanding }（利特尔法则）。单位、实例或时钟有误。
explain-not-steady = 请求速率在 { $at } 处从每秒 { $before } 变为每秒 { $after }。可用 --from 和 --to 分别解释各部分。
explain-part = 所解释的是 { $begin } 到 { $end } 的部分，占全部请求时间的 { $share }。{ $why }
explain-other-part = { $begin } 到 { $end }，占全部请求时间的 { $share }：{ $found }
explain-calls-lost = 跟踪的 { $all } 条记录中有 { $lost } 条丢失或损坏：其数据不代表该应用程序。
explain-capture-lost = 抓包丢失过多：缺少 { $lost } 个数据包或片段。
explain-load-failed = 有 { $errors } 个操作失败：它们的时间不能说明问题。
explain-encrypted = { $all } 条消息中有 { $hidden } 条已加密或压缩，无法查看。
explain-unanswered = 有 { $messages } 条消息在抓包中没有对应的另一半。

## 预测与第二次记录

explain-change-outstanding = 有 { $to } 个未完成请求时
explain-change-no-pauses = 应用程序没有停顿时
explain-change-no-metadata = 没有元数据调用时
explain-change-no-round-trip = 在服务器旁边时
explain-change-credits = 信用为 { $times } 时
explain-change-flushes = 现在的 { $flushes } 次刷新并为一次时
explain-change-size = 每个请求 { $bytes } 时
explain-change-connections = 连接数为 { $times } 时
explain-predicted-size = { $change }：{ $low } 至 { $high }，现在为 { $today }（{ $least } 至 { $greatest }）。
explain-predicted = { $change }：每秒 { $low } 至 { $high } 个请求，现在为 { $today }（{ $least } 至 { $greatest }）。
explain-predicted-bytes = 请求大小不变时为 { $low } 至 { $high }。
explain-nothing = 没有规则在这些数据中找到限制。
explain-time = { $span } 中的 { $seconds }，{ $share }
explain-second-factors = 吞吐量是原来的 { $bytes }：每秒请求数 { $requests }，每个请求的大小 { $size }。
explain-second-parts = 提升的 { $requests } 来自更多请求，{ $size } 来自更大的请求，后者没有预测到：是同样的工作吗？
explain-second-scaling = 未完成请求是原来的 { $outstanding }；其中 { $efficiency } 变成了每秒请求数（扩展效率）。
explain-second-limit = 按这两个点，每个请求有 { $serial } 的时间在等待其他请求，永远不会超过每秒 { $limit } 个。两个点只能说明这些：请求再多很多时速率是否会下降，不得而知。
explain-second-held = 预测成立：每秒请求数为 { $measured }，预测为 { $low } 至 { $high }。
explain-second-missed = 预测不成立：每秒请求数为 { $measured }，预测为 { $low } 至 { $high }。
label-explain-time = 解释的时间
label-explain-evidence = 证据
label-explain-ruled-out = 已排除
label-explain-advice = 建议
label-explain-predicted = 预测
label-explain-next = 下一个限制
label-explain-experiment = 实验
label-explain-refuted = 反驳条件
label-explain-withheld = 没有结论
label-explain-abstained = 因缺少数据而未判断
label-explain-second = 第二次记录
explain-proven-gain = 已证实：改变至少带来 { $least }，并且符合预测。
explain-disproven-gain = 已反驳：改变带来的不到 { $least }，或少于所预测的。
explain-proven-keep = 已证实：未完成请求减半后至少保持速率的 { $least }。
explain-disproven-keep = 已反驳：未完成请求减半后保持的速率不到 { $least }。
explain-proven-no-gain = 已证实：未完成请求加倍后不到 { $most }：没有值得一提的提升。
explain-disproven-no-gain = 已反驳：未完成请求加倍后超过 { $most }。
explain-undecided = 未定：这些轮次既不能证实也不能反驳；更多轮次或许可以（--rounds）。
explain-undecided-more = 未定：这一改变带来的提升超过预测，因此除该结论所述之外还有别的因素起作用。
explain-undecided-elsewhere = 未定：当前设置在这里每秒 { $here } 个请求，在记录中为 { $recorded }：这是另一个目标，或者由缓存应答。
explain-proof-requests = 每秒 { $rate } 个请求
explain-proof-bytes = { $rate }
explain-proof-today = { $setting }：{ $rate }。
explain-proof-setting = { $setting }：{ $rate }，{ $factor }（{ $low } 至 { $high }），预测为 { $least } 至 { $most }。
explain-setting-outstanding = { $outstanding } 个未完成请求
explain-setting-pauses = 停顿 { $pause }
explain-setting-no-pauses = 没有停顿
explain-setting-files = 每个请求一个文件
explain-setting-one-file = 相同的字节在一个文件里
explain-setting-flushes = 每 { $writes } 次写入刷新一次
explain-setting-connections = 通过 { $connections } 个连接
explain-setting-size = 每个请求 { $bytes }
explain-prove-distance = 在这个目标上没有实验能去掉到服务器的路程：请在服务器旁边运行相同的负载（plumb run），并把它的记录作为第二次记录（plumb explain { $recording } NEAR）。
explain-prove-folder = 这个实验会建立文件：--target 必须是本机或共享上的文件夹。
explain-prove-share = 这个实验需要到服务器的多个连接：--target 必须是共享（smb://server/share，nfs://server/path）。
label-explain-proof = 实验结果

## 页面与图

explain-page-title = 什么限制了 { $place }
explain-page-footer = 由 plumb { $version } 解释。预测是 90 % 的区间；对损坏、过短或不连贯的记录不下结论。
explain-page-window = { $file }，{ $begin } 至 { $end }
label-explain-page = 什么限制了应用程序，怎样改进
label-explain-source = 来源
label-explain-curve = 吞吐量与延迟：当前位置
label-explain-curve-caption = 越靠右 IOPS 越高，越靠下延迟越低；点旁的数字是未完成请求数。
label-explain-curve-seen-caption = 实线：本次记录中各未完成请求数下的情况。
label-explain-curve-predicted-caption = 点线与虚线之间是对更多未完成请求的预测，置信度 90 %；不是测量值。
label-explain-curve-rate-caption = 阴影是第一个结论对其改变所预测的速率，置信度 90 %；不是测量值。
label-explain-curve-ceiling-caption = 竖线是按当前请求大小、链路在测量中达到的上限。
label-explain-requests-per-s = 每秒请求数
label-explain-time-logarithmic = 每个请求的时间（对数）
label-explain-ceiling = 实测上限
label-explain-predicted-least = 预测，至少
label-explain-predicted-most = 预测，至多
label-explain-seen = 本次记录
label-explain-measured = 实验测得
label-explain-here = 当前位置
label-explain-outstanding = 未完成请求
explain-curve-alternative = 应用程序有 { $outstanding } 个未完成请求，速率 { $rate }，每个需要 { $time }。
explain-curve-point = { $what }：{ $outstanding } 个未完成，{ $rate }，每个 { $time }
label-explain-outstanding-over-time = 未完成请求随时间的变化
label-explain-time-since-first = 自时段开始的时间
explain-outstanding-caption = 已发出而尚未应答的调用，间隔为 { $length }。线在底部时，存储在等待应用程序；线平直时，有这么多调用者在等待存储。
explain-outstanding-alternative = { $intervals } 个间隔中的未完成调用；最大的平均值为 { $most }。
label-explain-size-and-time = 大小与服务时间
label-explain-size-and-time-caption = 每行是一种大小的读写；颜色越深，用这么长时间的越多。一行有两处深色，说明有两种存储，例如缓存和磁盘。
label-explain-service-time-logarithmic = 服务时间（对数）
label-explain-size-up-to = 大小不超过
explain-size-row = { $size }（{ $count }）
explain-size-and-time-alternative = { $sizes } 种大小的读写的服务时间。
label-explain-until = 时间不超过
label-explain-time-by-command = 各命令的时间
label-explain-time-by-command-caption = 同类调用的服务时间之和：花时间最多的，而不是调用次数最多的。同时未完成的调用分别计入。
label-explain-sum-of-times = 服务时间之和
explain-command-alternative = 花时间最多的是 { $command }：共 { $time }。
label-explain-commands-note = 服务时间从请求结束到应答结束。等待某事发生的调用（例如文件夹的变化）没有占比。
trace-page-title = { $source } 中的调用
trace-page-footer = 由 plumb { $version } 得出。
label-trace-page = 应用程序向存储请求了什么
label-trace-calls-heading = 调用
