### plumb 自带的客户端与服务器之间出了什么问题，按协议分列：用于拒绝、记录和页面。

# 任意共享。

share-folders-too-deep = { $path } 位于超过 { $folders } 层文件夹之下，plumb 从不创建这么深的文件夹：不予处理
share-lists-a-foreign-name = 服务器在 { $path } 中列出了并非由 plumb 起的名称 { $name }：该文件夹中的内容一概不删除
share-protocol-not-built = 此 plumb 构建不支持 { $scheme }:// 目标：请指定其他目标
share-not-cleaned-up = 无法删除 plumb 创建的内容：{ $error }；需手动删除：{ $place }

# SMB：尝试了什么、发生了什么、该怎么办。

smb-cannot = 无法{ $tried }：{ $reason }；{ $remedy }
smb-unfit = { $what }；{ $remedy }
smb-tried-open = 打开 { $place }
smb-tried-ask-for-room = 查询 { $place } 的可用空间
smb-tried-look-at = 查询 { $place }
smb-tried-list = 列出 { $place }
smb-tried-make-folder = 创建文件夹 { $place }
smb-tried-make-file = 创建文件 { $place }
smb-tried-write = 写入 { $place }
smb-tried-read = 读取 { $place }
smb-tried-set-length = 设置 { $place } 的长度
smb-tried-remove = 删除 { $place }
smb-tried-remove-folder = 删除文件夹 { $place }

# SMB：连接无法建立或已中断。

smb-name-not-resolved = 名称“{ $host }”无法解析（{ $error }）
smb-name-has-no-address = 名称“{ $host }”无法解析（没有地址）
smb-address-did-not-answer = { $address } 在 { $time } 内没有应答
smb-no-connection = 无法连接到 { $address }（{ $error }）
smb-connection-reset = 连接被服务器或途中设备重置
smb-connection-failed = 连接失败：{ $error }
smb-connection-closed = 连接已关闭
smb-server-closed = 服务器关闭了连接
smb-server-closed-amid-a-message = 服务器在一条消息的中途关闭了连接
smb-session-ended = 会话在服务器上已结束（{ $status }）
smb-no-answer-in-time = { $time } 内没有收到应答
smb-no-answer-in-time-but-a-part = { $time } 内没有收到应答，只收到其中一部分
smb-no-answer-in-time-but-at-work = { $time } 内没有收到应答，只收到服务器仍在处理的消息
smb-no-answer-after-stop = 停止之后，服务器在 { $time } 内没有应答
smb-not-over-in-time = 服务器在 { $time } 内没有完成
smb-request-never-answered = 有一个请求一直没有应答，而晚 { $time } 发送的请求已有应答

# SMB：服务器不应发送的内容，或没完没了的内容。

smb-not-smb = 收到的内容不是 SMB：{ $what }
smb-no-answer = 没有应答
smb-message-of-length = 一条 { $bytes } 字节的消息
smb-message-begins-with = 一条以 { $bytes } 开头的消息
smb-request-not-answer = 应为应答之处收到了请求
smb-answer-is-broken = 对 { $command } 的应答被截断或自相矛盾
smb-read-too-long = 对 { $asked } 字节的 READ 应答了 { $bytes } 字节
smb-frame-of-length = 一个 { $bytes } 字节的帧
smb-frame-of-type = 一个类型为 { $type } 的帧
smb-message-in-the-clear = 加密会话中的明文消息
smb-encrypted-frame-too-short = 过短的加密帧
smb-encryption-not-agreed = 未协商加密却收到加密消息
smb-encrypted-message-of-other-length = 一条 { $bytes } 字节的加密消息，却自称 { $said } 字节
smb-encrypted-message-of-another-session = 会话 { $session } 的加密消息，并非本会话
smb-message-points-beyond = 一条指向其后 { $next } 字节的消息，而帧只有 { $bytes } 字节
smb-answer-of-another-session = 会话 { $session } 的应答，并非本会话
smb-answer-was-not-asked = 对消息 { $message } 的应答，而该消息从未发出
smb-pending-without-number = 没有编号的中间应答（STATUS_PENDING）
smb-negotiate-unreadable = 无法读取对 NEGOTIATE 的应答：{ $error }
smb-dialect-not-offered = 服务器选择了未提供的 SMB { $dialect }
smb-too-few-bytes-to-read = 服务器只允许读取 { $bytes } 字节
smb-too-few-bytes-to-write = 服务器只允许写入 { $bytes } 字节
smb-too-few-bytes-to-query = 服务器只允许查询 { $bytes } 字节
smb-login-without-end = 没有尽头的登录
smb-login-unreadable = 无法读取的登录：{ $why }
smb-no-ticket = 没有票据
smb-more-than-a-ticket = 服务器要求的不只是票据
smb-no-credits = 服务器不再授予信用额度（credits），没有它就无法发出任何请求
smb-messages-answer-nothing = 服务器已发送 { $messages } 条消息，其中没有一条是应答
smb-lists-without-end = 服务器的列表没有尽头（到目前为止 { $answers } 个应答中有 { $names } 个名称）
smb-lists-without-end-of-answers = 服务器的列表没有尽头（到目前为止 { $answers } 个应答）

# SMB：途中被更改的内容。

smb-changed-on-the-way = 收到的内容在途中被更改，或用另一个密钥签名或加密：{ $what }
smb-encrypted-message = 一条加密消息
smb-answer-not-signed = 状态为 { $status } 的应答，其签名缺失或错误
smb-login-not-signed = 登录的最后一个应答没有签名，SMB { $dialect } 允许服务器如此，3.1.1 则不允许（请将 dialect 保持为 auto）
smb-login-signed-wrong = 登录的最后一个应答没有会话密钥的签名
smb-negotiation-changed = 协商在本机与服务器之间被篡改，其结果为 SMB { $dialect }：{ $how }
smb-server-left = 要求确认时，服务器断开了（{ $why }）
smb-confirmation-not-signed = 确认协商的应答没有服务器的签名
smb-not-confirmed = 服务器不予确认（{ $status }）
smb-something-else-was-sent = 服务器发送的{ $what }与此不同
smb-the-dialect = 方言（dialect）
smb-the-capabilities = 能力（capabilities）
smb-what-is-signed = 签名要求
smb-the-servers-identity = 服务器标识

# SMB：协商结果不能满足要求。

smb-let-in-as-a-guest = 服务器只让 { $user } 以来宾身份进入，其消息无法签名；或者是途中有人这样声称
smb-another-dialect-than-before = 服务器协商的方言与之前不同
smb-another-server-there = 在服务器提供的地址 { $address } 上应答的是另一台服务器
smb-guest-has-no-channels = 来宾没有多通道
smb-multichannel-not-offered = 服务器不提供多通道
smb-server-without-multichannel = 服务器使用 SMB { $dialect }，它没有多通道
smb-dialect-without-multichannel = SMB { $dialect } 没有多通道，多通道自 SMB 3.0 起提供
smb-not-a-share-of-files = “{ $share }”不是文件共享，而是管道或打印机共享
smb-signing-is-demanded = 服务器要求消息签名
smb-no-key-for-demanded-signing = 服务器要求签名，而来宾或匿名会话没有密钥
smb-no-key-for-wanted-signing = 指定了签名，而来宾或匿名会话没有密钥
smb-encryption-is-demanded = 服务器要求每个会话加密
smb-encryption-is-demanded-by-share = 服务器要求此共享加密
smb-no-encryption-with-dialect = 服务器在 SMB { $dialect } 下不提供加密
smb-no-key-for-encryption = 加密需要密钥，而来宾或匿名会话没有密钥
smb-no-dialect-from-2-0-2-on = 服务器不支持 SMB 2.0.2 及以上的任何方言（{ $status }）
smb-speaks-smb-1-only = 服务器只支持 SMB 1，plumb 不支持该协议
smb-dialect-not-spoken = 服务器不支持 SMB { $dialect }（{ $status }）
smb-written-in-part = 服务器只接受了 { $bytes } 字节中的 { $moved } 字节
smb-key-of-wrong-length = 派生出的密钥长度不对
smb-no-more-connections-of-session = 该会话已有过 { $connections } 个连接，不能再加密更多
smb-message-too-long-to-encrypt = 消息过长，无法加密
smb-ticket-cache-unusable = 无法使用 Kerberos 票据缓存（KRB5CCNAME）：{ $why }
smb-no-ticket-for = 其中没有 { $service } 的票据
smb-ticket-not-there = 票据需要从服务器获取
smb-no-random-numbers = 此系统不提供随机数（{ $error }）

# SMB：被服务器拒绝的请求。

smb-refused = { $command } 被拒绝：{ $status }

# SMB：该怎么办。

smb-see-that-it-listens = 请确认 { $server } 有 SMB 服务器在监听，且中间没有防火墙阻挡
smb-see-whether-it-hangs = 请检查 { $server } 上的服务器是否停止响应（日志、存储），并确认在那里监听的是 SMB 服务器
smb-see-the-name = 请检查名称，或使用服务器的地址
smb-see-the-port = 请确认 { $server } 是 SMB 服务器的端口（445）；如果是，请查看其日志以及中间的网络
smb-see-the-log-of-the-listener = 请查看 { $server } 上监听者的日志，并确认它是可信的 SMB 服务器
smb-see-what-stands-between = 请查看本机与 { $server } 之间有什么（代理、WAN 加速器、攻击者），并更新不做签名的服务器
smb-leave-options = 请将引擎的选项保持为 auto
smb-leave-channels = 请将 channels 保持为 auto
smb-leave-dialect = 请将 dialect 保持为 auto
smb-leave-signing = 请将 signing 保持为 auto
smb-leave-encryption = 请将 encryption 保持为 auto
smb-leave-encryption-and-dialect = 请将 encryption 和 dialect 保持为 auto
smb-leave-signing-and-encryption = 请将 signing 和 encryption 保持为 auto
smb-allow-smb-2-or-3 = 请在服务器上允许 SMB 2 或 3
smb-name-a-known-user = 请指定服务器认识的用户；或不写用户以匿名进入；若确实要以来宾身份，请将 signing 设为 false
smb-name-a-user = 请指定有密码的用户
smb-name-another-share = 请指定其他共享
smb-see-its-log = 请查看其日志
smb-start-again = 请重新开始
smb-choose-smaller-blocks = 请减小块大小
smb-get-a-ticket = 请用 'kvno cifs/{ $host }' 获取票据，或提供密码
smb-see-getrandom = 请参阅 getrandom(2)，并确认 /dev/urandom 存在
smb-anonymous-user = 匿名用户
smb-takes-no-anonymous-users = 服务器不接受匿名用户：请指定用户，smb://user@server/share
smb-wrong-user-or-password = { $user } 的用户名或密码错误：请给出正确的，或将域写成 smb://DOMAIN;user@server/share
smb-takes-no-more-sessions = 服务器不再接受会话：请减少线程
smb-user-or-dialect-not-let-in = { $user } 不被允许进入，或服务器要求加密而该方言没有加密：请在服务器上允许，或将 dialect 保持为 auto
smb-user-not-let-in = 服务器不允许 { $user } 进入：请询问其管理员，或指定其他用户
smb-no-such-share = 没有共享“{ $share }”：可用 '{ $command }' 列出现有的共享
smb-user-may-not-use-share = { $user } 无权使用共享“{ $share }”，或服务器要求加密或签名：请在服务器上允许，或将 encryption、signing 和 dialect 保持为 auto（SMB 2 不能加密）
smb-name-not-taken = 服务器不接受此名称：请使用不含 \ : * ? " < > | 的名称
smb-name-too-long = 名称有 { $bytes } 字节，而服务器最多接受 { $most }：请使用更短的名称
smb-name-refused = 服务器拒绝此名称（Samba：参见该共享的 'veto files'）：请使用其他名称
smb-folder-does-not-exist = 其所在文件夹不存在：请创建，或指定其他文件夹
smb-dfs-link-leads-to = 该路径是 DFS 链接，plumb 不跟随它：请指定它所指向的位置 { $target }
smb-is-a-dfs-link = 该路径是 DFS 链接，指向另一个服务器或共享；plumb 不跟随它：请指定它所指向的位置
smb-user-may-not-do-that = { $user } 在此处无权执行：共享可能是只读的；请指定 { $user } 可写的文件夹
smb-share-is-full = 共享已满：请在那里释放空间，或用 --size 减小
smb-nothing-by-this-name = 没有此名称的内容：请检查路径
smb-exists-already = 已存在：请指定其他名称
smb-session-has-ended = 会话在服务器上已结束：请重试
smb-see-the-servers-log = 原因请查看服务器的日志

# NFS：尝试了什么，服务器说了什么。

nfs-cannot = { $target }：无法{ $tried }：服务器返回 { $status }：{ $advice }
nfs-unreachable = { $target }：{ $what }
nfs-server-says = 服务器返回 { $status }
nfs-tried-introduce = 向服务器登记客户端
nfs-tried-introduce-4-0 = 向服务器登记客户端（SETCLIENTID）
nfs-tried-introduce-3 = 检查是否提供 NFS 3
nfs-tried-portmapper = 向端口映射器（端口 111）询问端口
nfs-tried-mount = 挂载“{ $export }”（MOUNT）
nfs-tried-open-session = 打开会话
nfs-tried-begin = 开始
nfs-tried-enter = 打开导出“{ $export }”
nfs-tried-ask-limits = 查询服务器的限制
nfs-tried-ask-for-room = 查询可用空间
nfs-tried-look-up = 查找“{ $path }”
nfs-tried-find = 找到“{ $path }”
nfs-tried-open = 打开“{ $path }”
nfs-tried-list = 列出“{ $path }”
nfs-tried-make-folder = 创建文件夹“{ $path }”
nfs-tried-write = 写入“{ $path }”
nfs-tried-read = 读取“{ $path }”
nfs-tried-set-length = 设置“{ $path }”的长度
nfs-tried-remove = 删除“{ $path }”

# NFS：连接无法建立或已中断。

nfs-name-not-resolved = 名称 { $host } 无法解析（{ $error }）：请检查名称，或使用地址
nfs-name-has-no-address = 该名称没有地址
nfs-no-connection = 无法连接到 { $server }：{ $error }；请检查 NFS 服务器是否运行、端口是否正确（未指定时为 2049）、中间是否有防火墙
nfs-socket-not-set-up = 无法设置套接字：{ $error }
nfs-no-handle = 没有句柄
nfs-server-closed = 服务器关闭了连接
nfs-connection-failed = 连接失败：{ $error }
nfs-no-answer = 服务器已有 { $time } 没有应答
nfs-no-answer-after-stop = 要求结束后，服务器在 { $time } 内没有应答
nfs-calls-left-unanswered = 服务器对会话的所有调用都没有应答
nfs-session-ended = 服务器结束了会话（{ $status }）
nfs-client-forgotten = 服务器不再认识此客户端或它打开的文件（{ $status }）
nfs-operation-lost-its-file = 有操作失去了其文件；这是 plumb 的缺陷

# NFS：服务器不应发送的内容，或没完没了的内容。

nfs-answer-is-broken = 服务器发送的应答不是有效的 NFS
nfs-message-too-long = 服务器发送了 { $bytes } 字节的消息，超过约定：它使用的不是 NFS
nfs-empty-fragment = 服务器发送了一个空片段，而它不是消息的最后一个片段
nfs-read-too-long = 服务器对 { $asked } 字节的 READ 应答了 { $bytes } 字节
nfs-read-beyond-buffer = 服务器对最多 { $most } 字节的 READ 应答了 { $bytes } 字节
nfs-written-too-much = 服务器对 { $asked } 字节的 WRITE 确认了 { $bytes } 字节
nfs-less-stable-than-asked = 服务器确认的 WRITE 的稳定性低于所要求的
nfs-messages-not-asked-for = 服务器发送了超过 { $most } 条无人请求的消息
nfs-name-of-no-file = 服务器列出了任何文件都不能使用的名称：{ $name }
nfs-lists-too-many-names = 服务器在一个文件夹中列出了超过 { $most } 个名称，或超过 { $size } 的名称
nfs-lists-too-long = 服务器在 { $time } 内没有列完一个文件夹

# NFS：与要求不符之处，以及该怎么办。

nfs-number-is-no-proof = 服务器不接受该用户凭证（RPC AUTH_ERROR { $error }）：使用 AUTH_SYS 时请为该导出允许 sec=sys，或将 nfs-security 设为 krb5、krb5i 或 krb5p；若它要求 1024 以下的端口，请以 root 运行或以 'insecure' 导出
nfs-another-version-of-rpc = 服务器使用另一版本的 RPC
nfs-other-versions-only = 服务器只支持 NFS 版本 { $first } 至 { $last }：请将 nfs 设为其中之一，或去掉它
nfs-not-at-this-port = 此端口的服务器不提供 NFS：请指定 NFS 的端口
nfs-request-was-not-read = 服务器无法读取请求（RPC accept_stat { $status }）：请查看其日志
nfs-no-such-export = { $server } 没有导出“{ $export }”（{ $status }）；它提供 { $offered }：请指定其中之一，如 nfs://{ $server }/export/path
nfs-no-such-export-of-many = { $server } 没有导出“{ $export }”（{ $status }）；它提供 { $offered } 以及另外 { $more } 个：请指定其中之一，如 nfs://{ $server }/export/path
nfs-no-export-at-all = { $server } 没有导出“{ $export }”（{ $status }）；它没有向本机导出任何内容：请在服务器上向本机导出一个文件夹
nfs-user-is-no-number = { $target }：“{ $user }”不是编号，而 NFS 以编号识别用户（sec=sys）：请去掉它，即使用运行 plumb 的用户，或写成 nfs://1000@{ $host }
nfs-room-is-not-said = { $target }：服务器没有说明有多少空间：请指定带文件夹的导出，而不是所有导出的根
nfs-no-export-named = 没有指定导出：请写成 nfs://server/export
nfs-see-owner-and-squash = 服务器使用运行 plumb 的用户的编号：请查看文件夹的属主和权限，以及导出的 squash 选项（除非写有 no_root_squash，root 视为 nobody）
nfs-export-is-read-only = 该导出是只读的：请测量读取，或以可写方式导出
nfs-export-is-full = 请减小 --size 或使用其他目标（已写入的内容已删除）
nfs-quota-is-used-up = 配额已用完：请减小 --size 或使用其他目标
nfs-folder-is-not-there = 路径上的某个文件夹不存在：请创建，或指定存在的文件夹
nfs-export-wants-another-proof = 该导出要求其他安全方式（nfs-security：sys、krb5、krb5i、krb5p），或 1024 以下的源端口（请以 root 运行，或以 'insecure' 导出）：请为该导出允许，或按路径测量内核挂载
nfs-no-ticket = 无法使用 Kerberos：{ $why }：请用 'kinit' 和 'kvno nfs/{ $host }' 获取票据，并以 KRB5CCNAME 指定缓存文件
nfs-no-ticket-for = 缓存（KRB5CCNAME）中没有 { $service } 的票据
nfs-ticket-has-ended = { $service } 的票据已过期
nfs-ticket-of-another-cipher = { $service } 的票据使用加密类型 { $cipher }，plumb 只支持 17（aes128-cts-hmac-sha1-96）和 18（aes256-cts-hmac-sha1-96）
nfs-no-random-numbers = 此系统不提供随机数（{ $error }）
nfs-tried-log-in = 以 Kerberos 登录（RPCSEC_GSS_INIT）
nfs-gss-answer-unreadable = 无法读取服务器对 Kerberos 登录的应答
nfs-gss-server-not-proved = 服务器未能证明它持有票据的密钥：对登录的应答在途中被更改，或来自另一台服务器
nfs-gss-another-cipher = 服务器为会话选择了加密类型 { $cipher }，plumb 只支持 17（aes128-cts-hmac-sha1-96）和 18（aes256-cts-hmac-sha1-96）
nfs-gss-kerberos-error = KRB_ERROR { $error }
nfs-gss-not-taken = 服务器拒绝该 Kerberos 票据（GSS major { $major }，minor { $minor }）：请检查其 keytab 是否含有 nfs/{ $host } 的当前密钥，以及时钟是否一致
nfs-gss-not-taken-by-kerberos = 服务器拒绝该 Kerberos 票据（{ $error }）：请检查其 keytab 是否含有 nfs/{ $host } 的当前密钥，以及时钟是否一致
nfs-gss-changed-on-the-way = 应答在途中被更改，或以其他密钥签名或加密（RPCSEC_GSS）：其内容未被使用
nfs-gss-context-ended = Kerberos 上下文的编号已用完：需要新的上下文
nfs-gss-context-refused = 服务器不再认识该 Kerberos 上下文，或其票据已过期（RPC AUTH_ERROR { $error }）
nfs-export-wants-kerberos = { $target }：该导出要求 { $offered }：{ $why }
nfs-security-not-taken = { $target }：该导出不接受 { $security }，也未说明接受什么：请将 nfs-security 设为 krb5、krb5i 或 krb5p，或检查导出的 sec= 选项
nfs-other-security-only = { $target }：该导出不接受 { $security }，要求 { $offered }：请将 nfs-security 设为其中之一，或去掉它；plumb 不支持的，内核挂载可能支持
nfs-no-such-minor-version = 服务器不支持此版本的 NFS 4：请在服务器上启用，或去掉 nfs=，即使用它支持的最高版本
nfs-no-version-in-common = { $four }；它也不提供 NFS 3：{ $three }
nfs-mount-not-registered = 服务器的端口映射器没有版本 3 的 MOUNT 服务
nfs-no-mount-service = { $first }；{ $then }：请用 --set mount-port=PORT 指定 MOUNT 服务的端口
nfs-no-portmapper = { $host } 的端口 111 上没有端口映射器应答
nfs-not-exported-to-this-host = 该导出不允许本机或此用户使用：请在服务器上加入导出；若服务器要求 1024 以下的端口，请以 root 运行或以 'insecure' 导出
nfs-name-too-long = 名称过长，多数服务器最多接受 255 字节：请使用更短的名称
nfs-opened-is-gone = 已打开的内容在服务器上不复存在：请重新开始
nfs-server-asks-to-wait = 服务器要求等待，它可能刚刚启动：请一两分钟后重试
nfs-see-the-servers-log = 请查看服务器的日志

# RDMA and libfabric.

libfabric-error = libfabric 错误 { $number }
libfabric-was-not-found = 找不到访问 RDMA 适配器所需的 libfabric（查找了 { $names }：{ $error }）
libfabric-is-another-library = { $name } 不是 libfabric：{ $error }
libfabric-has-no-memory-for-hints = libfabric 内存不足
libfabric-call-failed = { $call }：{ $error }
libfabric-call-not-offered = 该 provider 不提供 { $call }
libfabric-provider-failed = provider { $provider }：{ $reason }
libfabric-queues-too-long = { $error }（若适配器没有空间容纳长队列，例如软件实现的 RDMA，请在两端的环境中设置 FI_UNIVERSE_SIZE=16）
libfabric-no-provider-fits = libfabric 没有任何 provider 提供所需的功能（可靠数据报、远程内存、带标签的消息、送达时完成）
libfabric-no-known-provider = plumb 自动选择的 provider 都不存在；{ $others } 可用：请用 provider=NAME 指定一个
libfabric-provider-does-not-fit = libfabric 的 provider { $provider } 在此不提供所需的功能（可靠数据报、远程内存、带标签的消息、送达时完成），其他 provider 也不提供
libfabric-provider-does-not-fit-others = libfabric 的 provider { $provider } 在此不提供所需的功能（可靠数据报、远程内存、带标签的消息、送达时完成）；可用的有 { $others }
rdma-memory-not-registered = 无法注册 { $bytes } 内存：{ $error }
rdma-memory-not-registered-by-limit = 无法注册 { $bytes } 内存：{ $error }（请提高锁定内存的限制：ulimit -l unlimited）
rdma-name-has-no-address = 该名称没有地址
rdma-peer-closed-without-answer = 对端没有应答就关闭了连接
rdma-peer-did-not-answer = 对端在 { $time } 内没有应答
rdma-peer-refused = 对端拒绝：{ $reason }
rdma-block-is-too-large = provider { $provider } 一次最多传输 { $most }，而 block 为 { $block }
rdma-peer-lends-too-little = 对端提供 { $bytes } 内存，而要求的是 { $asked }
rdma-peer-lends-nothing-for-ping-pongs = 对端没有为通过写操作的 ping-pong 提供内存
rdma-peer-lends-another-length = 对端为 { $asked } 的消息提供了 { $bytes }
rdma-peer-lends-beyond-all-addresses = 对端提供的内存超出了地址范围
rdma-peer-grants-too-much = 对端许可的数量超过了它所声明的
rdma-address-of-another-length = 对端的地址有 { $bytes } 字节，而 { $provider } 的地址有 { $own } 字节
rdma-reading-failed = 读取对端内存失败：{ $error }
rdma-reading-took-too-long = 在 { $time } 内未能读取对端的内存
rdma-connection-broken = 连接已中断：{ $error }
rdma-not-plumbs-protocol = 对方使用的不是 plumb 的 RDMA 协议（{ $what }）
rdma-protocol-of-another-version = 对方使用 plumb 的 RDMA 协议版本 { $other }，本端为版本 { $own }：请在两台主机上运行相同的 plumb
rdma-unknown-beginning = 未知的开头
rdma-message-of-length = { $bytes } 字节的消息
rdma-message-ends-too-early = 过早结束的消息
rdma-message-too-long = 过长的消息
rdma-answer-of-kind = 类型为 { $kind } 的应答

# S3：发送请求之前缺少什么或有什么错误。

s3-unusable = { $target }：{ $what }
s3-no-credentials = 没有对象存储的凭证（配置文件 { $profile }）：请设置 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY，或写入 ~/.aws/credentials 并用 AWS_PROFILE 或 --set aws-profile=NAME 指定；容器和实例也没有提供
s3-checksum-is-another = 对象附带的校验和为 { $kept }，而其内容的校验和为 { $found }
s3-object-is-not-deleted = 服务器没有删除 { $path }（{ $code }）
s3-metadata-status = 其返回 HTTP 状态 { $status }
s3-metadata-malformed = 其回复不是凭证
s3-metadata-is-far = AWS_CONTAINER_CREDENTIALS_FULL_URI（{ $url }）既不属于本机，也不是容器的代理：令牌会以明文发送。请把凭证放入环境变量
s3-no-credentials-of-container = 无法从容器的代理 { $url } 获取凭证：{ $why }。请检查任务或 Pod 的角色，或把凭证放入环境变量
s3-no-credentials-of-instance = 无法从实例的元数据服务获取凭证：{ $why }。请检查实例的角色，或设置 AWS_EC2_METADATA_DISABLED=true 并把凭证放入环境变量
s3-half-of-the-credentials-in-environment = 环境变量中只有一半凭证：请同时设置 { $missing }，或取消另一个以使用 ~/.aws/credentials 中的配置
s3-half-of-the-credentials-in-profile = ~/.aws 中的配置 { $profile } 只有一半凭证：请添加 { $missing }
s3-credentials-from-elsewhere = 配置 { $profile } 从其他地方（{ $key }）获取凭证，plumb 不支持：请放入环境变量，例如 'eval "$(aws configure export-credentials --profile { $profile } --format env)"'
s3-no-such-profile = ~/.aws/config 和 ~/.aws/credentials 中没有配置 { $profile }：请检查名称（'aws configure list-profiles'），或 AWS_CONFIG_FILE 和 AWS_SHARED_CREDENTIALS_FILE 指定的文件
s3-no-region = 没有为 AWS 设置区域：请设置 AWS_REGION，在配置中加入 region，或使用 --set region=eu-central-1；其他对象存储请用 --set endpoint-url=URL 或 AWS_ENDPOINT_URL 指定服务器
s3-region-is-malformed = '{ $region }' 不是区域：请使用字母、数字和连字符，例如 eu-central-1
s3-endpoint-is-malformed = '{ $endpoint }' 不是端点：请写 http://host:port 或 https://host:port
s3-endpoint-holds-a-user = 端点在 @ 之前包含用户或密码：请删除，并用 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY 或配置提供密钥
s3-file-is-malformed = { $file } 第 { $line } 行：既不是 [section] 也不是 key = value：请更正该行
s3-file-is-unreadable = 无法读取 { $file }（{ $error }）：请检查其权限
s3-prefix-is-malformed = { $target }：前缀的斜杠之间有空名称、. 或 ..：请指定普通前缀，例如 s3://bucket/a/b
s3-name-is-not-resolved = 无法解析端点名称 '{ $host }'（{ $error }）：请检查 --set endpoint-url=URL 或 AWS_ENDPOINT_URL；如果名称的第一部分是存储桶，请使用 --set addressing-style=path
s3-no-tls-on-this-processor = https 需要此处理器没有的指令（x86-64 上的 AES、AVX2、ADX 和 BMI2，ARM 上的加密扩展）：请使用 http 端点或较新的机器
s3-certificates-are-unreadable = AWS_CA_BUNDLE 指定的 { $file } 无法使用（{ $error }）：请指定 PEM 格式的证书文件
s3-no-certificates = 此系统不信任任何证书颁发机构：请安装 ca-certificates 软件包，或用 AWS_CA_BUNDLE 指定证书文件
s3-tls-failed = 无法设置 TLS（{ $error }）：请使用 http 端点
target-is-no-bucket = 目标不是存储桶：请指定一个，例如 s3://bucket/prefix
s3-engine-writes-entire-objects = 对象只能整体写入：无法在 { $size } 的对象中写入 { $block } 的块；请让对象等于一个块（--size 等于 --block，不设 start），或用操作 create 写入多个对象（--mix create --files N --file-size SIZE）

# S3：尝试了什么、发生了什么、该怎么办。

s3-cannot = { $target }（{ $server }）：无法{ $tried }：{ $reason }；{ $remedy }
s3-tried-look-up = 查找 { $path }
s3-tried-list = 列出 '{ $path }'
s3-tried-make-folder = 创建文件夹 { $path }
s3-tried-write = 写入 { $path }
s3-tried-read = 读取 { $path }
s3-tried-remove = 删除 { $path }
s3-refused = 服务器回复 { $code }（HTTP { $status }）
s3-refused-with-a-message = 服务器回复 { $code }（HTTP { $status }），'{ $message }'
s3-first-refusal = 第一个失败的请求：{ $reason }
s3-no-answer-after-stop = 请求结束后 { $time } 内没有回复
s3-connection-failed = 连接失败（{ $error }）
s3-certificate-is-refused = 不信任服务器的证书（{ $error }）
s3-closed-without-a-reply = 服务器没有回复就关闭了连接
s3-closed-within-a-reply = 服务器在回复完成之前关闭了连接
s3-server-is-silent = { $time } 内没有收发任何数据
s3-server-is-slow = { $time } 后回复仍未完成
s3-head-is-too-long = 回复的头部超过 { $most }
s3-head-is-malformed = 回复不是 HTTP
s3-chunk-is-malformed = 回复的分块格式错误
s3-length-is-another = 回复有 { $announced } 字节，而请求的是 { $requested } 字节
s3-reply-is-too-long = 回复超过 { $most }
s3-document-is-malformed = 回复不是对象存储的 XML 文档
s3-no-length = 回复没有给出对象的大小
s3-no-etag = 写入的回复没有 ETag
s3-etag-is-another = 服务器在 { $path } 中存储了别的内容：其 ETag 为 { $etag }，而发送内容的 MD5 为 { $sum }
s3-object-has-another-length = { $path } 有 { $found } 字节，而写入了 { $written } 字节
s3-list-is-endless = '{ $path }' 的列表没有尽头（目前 { $names } 个名称）
s3-folder-is-not-empty = { $path } 中有对象
s3-objects-are-written-entirely = { $path } 是对象，对象只能整体写入：不能更改其中一部分
s3-remedy-region = 存储桶在另一个区域：请使用 --set region={ $region } 或 AWS_REGION={ $region }
s3-remedy-unknown-region = 存储桶在另一个区域或另一个端点：请将 region 和 endpoint-url 设为该存储桶的值
s3-remedy-redirect = 服务器重定向到 { $location }，plumb 不跟随：请将 endpoint-url 设为存放该存储桶的服务器
s3-remedy-bucket = 请检查名称，创建存储桶，或将 endpoint-url 设为存放它的服务器
s3-remedy-clock = 本机与服务器的时钟相差 { $time }：请校正错误的一方（NTP）
s3-remedy-token = 会话令牌已失效：请获取新的凭证
s3-remedy-key = 服务器不认识此访问密钥：请检查 AWS_ACCESS_KEY_ID 或配置，以及端点
s3-remedy-signature = 私有密钥与访问密钥不匹配：请检查 AWS_SECRET_ACCESS_KEY 或配置；更改请求的代理也有同样的效果
s3-remedy-permission = 该密钥没有权限：请为此存储桶和前缀允许 s3:ListBucket、s3:GetObject、s3:PutObject、s3:DeleteObject 和 s3:AbortMultipartUpload
s3-remedy-missing = 请指定存在的对象
s3-remedy-exists = 同名对象已存在，且不是 plumb 创建的：请指定其他前缀
s3-remedy-size = 请选择较小的 --size 或其他存储桶（已写入的对象会被删除）
s3-remedy-fewer-requests = 对象存储要求减少请求：请减小 depth 或 workers 后重试
s3-remedy-not-offered = 服务器不提供此请求：请使用其他服务器，或去掉该操作
s3-remedy-log = 请查看服务器日志
s3-remedy-certificate = 请用 AWS_CA_BUNDLE 指定其颁发机构证书的文件，将其加入系统证书，或使用证书中的名称作为端点
s3-remedy-connection = 请检查端点（--set endpoint-url=URL）、防火墙以及服务器是否在运行；http 与 https 不能互换
s3-remedy-no-object-store = 请检查此端点是否为 S3 对象存储，且没有更改其回复的代理
