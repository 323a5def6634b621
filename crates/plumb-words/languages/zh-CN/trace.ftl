### 应用程序调用的跟踪说明了什么。

## 一览

trace-overview = { $span } 内有 { $calls } 个已应答的调用{ $connections ->
    [0] { "" }
   *[other] ，经由 { $connections } 个连接
}：读取 { $read }，写入 { $written }。
trace-cost = 由内核的 tracepoint 记录，plumb 为此用了 { $cpu } 的 CPU 时间：单个核心的 { $share }。
trace-cost-strace = 由 strace 记录，它在每个调用处将程序停下两次：程序比单独运行时慢，调用的时间也含停顿。plumb 读取其输出用了 { $cpu } 的 CPU 时间：单个核心的 { $share }。
trace-cost-etw = 由 Windows 内核的事件（ETW）记录，plumb 为此用了 { $cpu } 的 CPU 时间：单个核心的 { $share }。Windows 自身为此用了多少不得而知。
trace-overview-without-times = { $span } 内发出 { $calls } 个调用，请求读取 { $read }、写入 { $written }。跟踪未给出调用何时完成：没有时间，也无从得知同时未完成的数量。
trace-takes-time = { $call } 占全部调用时间的 { $share }：{ $count } 个调用，平均 { $mean }，99 % 不超过 { $p99 }。
trace-takes-time-few = { $call } 占全部调用时间的 { $share }：{ $count } 个调用，平均 { $mean }，最长 { $longest }。
trace-one-at-a-time = 调用逐个发出：有未完成调用时平均 { $busy } 个，最多 { $max } 个；{ $idle } 的时间里没有未完成的调用。
trace-outstanding = 有未完成调用时平均 { $busy } 个，最多 { $max } 个；{ $idle } 的时间里没有未完成的调用。
trace-many-outstanding = 有未完成调用时平均 { $busy } 个，最多 { $max } 个；{ $idle } 的时间里没有未完成的调用。数量如此之多时，各调用的时间包含彼此等待：在与较少并发时的时间比较之前，不能据此评价服务器。
trace-sizes = { $call } 平均请求 { $mean }（中位数 { $median }，最大 { $largest }）。
trace-sizes-and-offsets = { $call } 平均请求 { $mean }（中位数 { $median }，最大 { $largest }）；{ $sequential } 紧接同一文件的前一个调用；打开的文件 { $files } 个。
trace-mix = { $reads } 的调用是读取，{ $writes } 是写入，{ $metadata } 是元数据；按时间分别为 { $read-time }、{ $write-time } 和 { $metadata-time }。
trace-mix-without-times = { $reads } 的调用是读取，{ $writes } 是写入，{ $metadata } 是元数据。
trace-think-time = 线程在其 { $share } 的时间里于调用之间做其他事情或等待：中位数 { $median }，90 % 不超过 { $p90 }。
trace-busiest-file = { $share } 的时间用于对 { $name } 的调用：{ $calls } 个调用，读取 { $read }，写入 { $written }。
trace-touched-once = 被读写的 { $files } 个文件中有 { $once } 个只打开一次并由一个调用读写（占字节的 { $share }）。
trace-flushes = { $flushes } 次刷写（fsync 等），间隔中位数为 { $interval }；占时间的 { $share }。
trace-flushes-written = { $flushes } 次刷写（fsync 等），间隔中位数为 { $interval }，每次之前向该文件写入 { $written }；占时间的 { $share }。
trace-flushes-few = { $flushes } 次刷写（fsync 等）占时间的 { $share }，平均 { $mean }。
trace-round-trip = 按握手计算，到服务器的往返时间为 { $time }，占全部调用时间的 { $share }。
trace-round-trips = 按握手计算，到各服务器的往返时间为 { $least } 至 { $most }，占全部调用时间的 { $share }。
trace-round-trip-unknown = 无法判断网络占多少时间：连接在抓包之前就已建立。往返时间不会长于最快的应答 { $shortest }。
trace-captured-near-server = 抓包位置靠近服务器：客户端等待每个应答的时间比这里显示的长 { $rest }。
trace-errors = { $share } 的应答是错误（{ $errors } 个），最多的是对 { $call } 的 { $status }（{ $count } 个）。
trace-credits-used-up = { $requests } 个请求用掉了服务器授予的最后一个信用（credit）：在应答带来新的信用之前，客户端不能再发出请求。同时使用的信用最多 { $most } 个。
trace-channels = { $sessions } 个会话同时使用多个连接（多通道）。此抓包看不到的通道不在数据之内。
trace-retransmissions = { $segments } 个 TCP 段被重传（占数据包的 { $share }）：网络丢包，或者抓包文件中有重复的数据包。

## 存疑之处

trace-encrypted = { $all } 条消息中有 { $messages } 条已加密（{ $bytes }）：看不到是哪些命令。请抓取未加密的会话，或使用客户端或服务器的计数器。
trace-compressed = { $all } 条消息中有 { $messages } 条已压缩：看不到是哪些命令。
trace-smb1 = { $messages } 条消息属于 SMB 1，未作分析。
trace-nfs-udp = { $calls } 个 NFS 调用经 UDP 发送，未作分析。请用 proto=tcp 挂载。
capture-damaged = 文件自字节 { $at } 起损坏；使用了此前的内容。
capture-cut = 文件在始于字节 { $at } 的数据包中间结束；使用了此前的内容。
capture-unreadable = 文件未能读到结尾：{ $error }
capture-dropped = 抓包时丢弃了 { $packets } 个数据包。
capture-gaps = 连接中有 { $gaps } 处缺口：{ $bytes } 已发送但不在文件中。
capture-unknown-link = { $packets } 个数据包来自 plumb 不能读取的链路类型。
capture-without-time = { $packets } 个数据包没有时间，未计入。
capture-fragments = { $packets } 个 IP 分片未计入。
capture-duplicates = { $packets } 个数据包在文件中出现两次；各只计一次。
trace-headers-cut = { $messages } 条消息在头部被截断。请抓取完整的数据包，或每个至少 256 字节（tcpdump -s 256）。
trace-searched = 有 { $searches } 次必须搜索下一条消息的开头：数据包丢失，或在后面还有消息的消息中间被截断。其间的内容丢失。
trace-malformed = { $messages } 条消息不符合协议，未计入。
trace-unanswered = { $requests } 个请求在抓包中没有应答。它们未完成了多久无从得知，因此不计入未完成的调用；空闲时间可能偏长。
trace-outstanding-contradictory = 未完成调用的数据互相矛盾（有未完成调用期间平均 { $busy }，最多 { $max }，空闲 { $idle }），已略去。这是 plumb 的缺陷：请报告，并尽可能附上该跟踪。
trace-unasked = { $answers } 个应答在抓包中没有请求。
trace-repeated = { $requests } 个请求使用了尚未应答的请求的编号。
trace-nfs-sent-again = { $calls } 个 NFS 调用在应答到来之前被重发（xid 相同）：服务器慢，或连接中断。其时间从首次发送算起。
trace-forgotten = { $requests } 个请求被放弃：未应答的请求多于内存中保留的数量。
calls-not-ended = 文件没有写到结尾：最后一行之后发生的事情缺失，跟踪时丢失或略去的内容无从得知。
calls-damaged = { $all } 行中有 { $records } 行不属于该格式，未计入；首处为第 { $first } 行。
calls-lost = 记录跟踪时丢失了 { $records } 条记录。
calls-ended-early = Windows 内核的事件在跟踪结束之前就已终止：{ $error }
calls-unanswered = { $calls } 个调用在跟踪中没有结束。
calls-unasked = { $answers } 个结束的调用在跟踪中没有开始。
calls-io-uring = 使用了 io_uring（io_uring_enter 调用 { $calls } 次）：以此方式进行的读写不是单独的系统调用，不在此跟踪中。
calls-libaio = 使用了 libaio（io_submit 调用 { $calls } 次）：以此方式进行的读写不是单独的系统调用，不在此跟踪中。
calls-32-bit = 32 位程序的 { $calls } 个调用未计入：其编号与本系统的调用不同。'plumb trace --by strace' 可以读取它们。
calls-mapped = 有 { $files } 次将 1 MiB 或更大的文件映射到内存：在映射中的读写不是系统调用，不在此跟踪中。
calls-not-files = 对管道、套接字、终端等的 { $calls } 个调用未计入。
calls-paging = Windows 缓存和内存管理器的 { $calls } 次读写未计入：它们是缓存文件的调用在下层引起的读写，以及映射文件不经调用的读写。
calls-disk-requests = 记录中还有 { $requests } 个磁盘请求；它们位于文件操作的下层，未计入。
calls-unnamed = 跟踪未给出 { $files } 个已打开文件的名称。

## 标题与列

label-trace-command = 命令
label-trace-calls = 调用数
label-trace-time = 时间占比
label-trace-sum = 合计
label-trace-sizes = 大小与偏移
label-trace-median = 中位数
label-trace-largest = 最大
label-trace-sequential = 顺序
label-trace-aligned = 按 4 KiB 对齐
label-trace-bytes = 字节
label-trace-outstanding = 未完成的调用
label-trace-share-of-time = 时间占比
label-trace-over-time = 随时间变化，各区间的平均值
label-trace-connections = 连接
label-trace-client = 客户端
label-trace-server = 服务器
label-trace-dialect = 协议版本
label-trace-round-trip = 往返时间
label-trace-requests = 请求数
label-trace-to-server = 发往服务器
label-trace-to-client = 发往客户端
label-trace-credits = 已用信用
label-trace-statuses = 非成功的应答
label-trace-status = 状态
label-trace-mix = 读取、写入与元数据
label-trace-class = 类别
label-trace-of-calls = 调用占比
label-trace-reads = 读取
label-trace-writes = 写入
label-trace-metadata = 元数据
label-trace-sessions = 会话
label-trace-waits = 等待
label-trace-files = 用时最多的文件
label-trace-file = 文件
label-trace-opens = 打开次数
label-trace-read = 读取
label-trace-written = 写入
label-trace-unnamed = （无名称）
label-trace-other-files = （其余全部）
label-trace-no-file = （无打开的文件）
label-trace-threads = 最忙的线程
label-trace-thread = 线程
label-trace-busy = 调用中占比
label-trace-thread-span = 从首到末
label-trace-other-threads = （其余全部）
label-trace-slowest = 最慢的调用
label-trace-after = 时刻
label-trace-took = 用时
label-trace-offset = 偏移
label-trace-size = 大小
label-trace-answer = 应答
