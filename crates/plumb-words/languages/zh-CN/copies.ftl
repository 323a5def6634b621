### 复制测试的内容。

## 测量方法

copy-places = 源位于 { $from }，副本写入 { $to }；随机种子 { $seed }。
copies-cold = 冷缓存：每次复制之前，从页缓存中清除其源；每次比较之前，清除副本。
copies-cold-but-for-the-source = 冷缓存：读取目标端的目录树之前，将其从页缓存中清除；源位于内存中，无法清除。
copies-not-cold = 未从页缓存中清除源：内存可容纳时由内存读取（--cold 会清除）。
copies-in-a-folder = 读回的数据由 plumb 写入，而不是由被测程序写入。到达稳定存储的时间为 syncfs 的时间：其中包含其他程序在此期间写入的数据。
copies-in-a-module = 写入的数据由 rsync 取回后比较，读回的数据由 rsync 写入。
copies-on-a-share = 写入的文件由 plumb 自己的 SMB 客户端取回后比较，待读取的文件也由它写入。不比较时间戳和权限。
copies-in-a-bucket = 写入的对象由 plumb 自己的 S3 客户端取回后比较，待读取的对象也由它写入。存储桶没有空文件夹，因此目录树中也没有。不比较时间戳和权限。
copies-by-a-daemon = 目标端为 plumb 在本机启动的 rsync 守护进程；其 CPU 不计入任何数值。

## 结果

copies-damaged = { $program }，{ $step }：{ $all } 个副本中有 { $count } 个与源不一致，而程序未报告错误{ $first }。{ $speed }
copies-failed = { $program }，{ $step }：{ $all } 次复制中有 { $count } 次失败{ $first }。
first-damage = ：{ $path } { $explanation }
first-damage-of-several = ：{ $path } { $explanation }（该副本有 { $problems } 处问题）
first-failure = ：{ $error }
spoiled-speed = 其 { $speed } 没有意义。
program-could-not-be-measured = 无法测量 { $program }：{ $error }。
baseline-was-not-sound = { $program } 是其他程序的比较基准，但其结果不可靠：不给出与它相比的结论。
copies-not-verified = { $program }：{ $count } 个副本无法取回，未经校验。
program-did-not-keep = { $program } 未保留 { $lost }（仅作说明，不计为错误）。
lost-file-times = { $count } 个文件的时间戳
lost-parts-of-seconds = { $count } 个时间戳的秒以下部分
lost-folder-times = { $count } 个文件夹的时间戳
lost-permissions = { $count } 组权限位
copies-share-all-blocks = { $program }，{ $step }：{ $whole } 个副本中有 { $shared } 个与源共享块：没有复制任何数据。其速度是 reflink 的速度，而不是复制的速度。
copies-share-some-blocks = { $program }，{ $step }：{ $whole } 个副本中有 { $shared } 个与源共享块：{ $all } 中有 { $bytes } 未复制。其速度是 reflink 的速度，而不是复制的速度。
all-copies-were-whole = 全部 { $copies } 个副本已与源逐字节比较，均一致。

## 复制程序的表格

copies-tree = { $tree }：{ $files } 个文件，{ $size }
copies-of = 复制 { $tree }
label-copies-program = 程序
label-copies-write = 写入 MB/s
label-copies-stable-speed = 落盘 MB/s
label-copies-read = 读取 MB/s
label-copies-files = 文件/s
label-copies-cpu-column = CPU s/GiB
label-copies-verified = 已校验
copies-against = 相对 { $baseline }
copies-counted-bad = { $copies } 次中 { $number } 次损坏
copies-counted-failed = { $copies } 次中 { $number } 次失败
label-copies-not-verified = 未校验
copies-counted-only-checked = { $copies } 次中仅 { $number } 次
copies-counted-whole-by-reflinks = { $number }/{ $copies }，reflink
copies-counted-whole = { $number }/{ $copies }
label-copies-speed = MB/s 计至程序结束。
label-copies-speed-with-interval = MB/s 计至程序结束，方括号内为 95 % 区间。
copies-change-against = 相对 { $baseline } 的变化：▲ 更快，▼ 更慢，= 相同，? 无法判定。
label-copies-in-brackets = 圆括号中的速度：副本与源不一致，不计入结论。
label-copies-how-failed = exit、killed、timeout：程序失败的方式，没有速度。
label-copies-stable = 落盘：直到全部数据写入稳定存储。
label-copies-files-and-cpu = 文件数与 CPU 为写入时的数值；CPU 属于该程序，不含服务器。
label-copies-cpu = CPU 秒数为写入时的数值，属于该程序，不含服务器。
