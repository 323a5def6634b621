### 引擎要求但未得到的功能。

refused-o-direct = O_DIRECT：{ $reason }
refused-by-kernel = { $feature }：被此内核拒绝（{ $error }）
refused-with-error = { $feature }：{ $error }
refused-multichannel = 多通道：{ $reason }；每个线程使用自己的会话
refused-multichannel-not-offered = 多通道：服务器不提供；每个线程使用自己的会话
refused-multichannel-of-worker = 多通道：{ $reason }；此线程使用自己的会话
refused-depth-by-server = 队列深度 { $depth }：服务器一次授予 { $slots } 个请求，其余等待
refused-depth-by-provider = 队列深度 { $depth }：provider 一次接受 { $outstanding } 个操作，其余在 plumb 中等待
