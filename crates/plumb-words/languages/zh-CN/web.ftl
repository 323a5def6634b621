### What `plumb serve` shows in a browser.

web-title = plumb：{ $title }
label-web-library = 测试记录
label-web-message = 未执行
label-web-filter = 筛选
label-web-all = 显示所有测试
label-web-tag = 标签
label-web-since = 自
label-web-until = 至
label-web-choose = 选择
label-web-compare = 比较所选测试
label-web-trend = 趋势
label-web-bandwidth = 最高带宽
label-web-iops = 最高 IOPS
label-web-latency = 最低中位延迟
label-web-best-of = 数值为一次测试所有步骤中的最佳值；其下为对应的步骤。
label-web-running = 运行中
label-web-interrupted = 已中断
label-web-incomplete = 不完整
label-web-empty = 这里还没有测试：plumb check 会生成一次。
label-web-none = 没有符合这些条件的测试。
label-web-newer = 较新
label-web-older = 较旧
label-web-choose-one = 一个趋势只针对一个计划、一台主机和一个目标。请选择：
web-page = 第 { $page } 页，共 { $pages } 页
web-pending = 还在读取 { $count } 次测试的数值。
web-links = 有 { $count } 个符号链接未被跟随。

## A run that goes on

web-live-title = { $plan }，目标 { $target }
label-web-live-note = 随记录的写入读取：每个区间在记录后一秒内显示于此。
label-web-live-needs-script = 没有 JavaScript 时，本页显示加载时的状态；重新加载可看到更新的状态。
label-web-ended = 测试已完成。
label-web-ended-early = 测试被中断；在此之前的测量结果已记录。
label-web-stands-still = 此记录已有 15 秒没有新增内容，也没有结尾：测试被强行终止，或正在等待。
label-web-report = 报告页
label-web-live = 实时页
label-web-now-iops = IOPS
label-web-now-bandwidth = 带宽
label-web-now-p50 = 中位延迟
label-web-now-p99 = 第 99 百分位
label-web-steps-ended = 已结束的步骤
label-web-step = 步骤
label-web-round = 轮次

## Starting and stopping

label-web-start = 启动计划
label-web-start-button = 启动
label-web-stop = 停止
label-web-needs-script = 启动和停止需要 JavaScript。
label-web-being-prepared = 准备中
web-preparing = 正在准备 { $plan }，目标 { $target }：测量之前先填充测试文件。
web-current = 正在运行 { $plan }，目标 { $target }
web-not-carried-out = { $plan }（目标 { $target }）未执行：{ $error }
label-web-nothing-runs = 没有从这里启动的测试。
label-web-busy = 已有计划在运行。同时运行两个会互相干扰：请停止它，或等待其结束。
label-web-read-only = 此服务器只显示测试。启动和停止须在服务器启动时允许：plumb serve --allow-run PLAN --allow-target TARGET
label-web-not-allowed = 此计划或此目标不在允许启动的列表中。

## Refusals

label-web-token = 此页面需要令牌。请打开 plumb serve 启动时输出的地址。
label-web-token-field = 令牌
label-web-enter = 进入
label-web-wrong-host = 浏览器地址中的主机名不属于此服务器。请使用其 IP 地址或 localhost，或以 --name NAME 启动。
label-web-cross-site = 请求来自其他网站，已被拒绝。
label-web-not-found = 没有此页面，或该测试已不在记录中。
label-web-method = 此地址不接受这种请求。
label-web-request = 无法理解该请求。
label-web-two-runs = 请选择两到八次测试进行比较。
label-web-too-large = 此记录过大，无法在浏览器中显示；可用 plumb show 读取。
label-web-no-regular-file = 此记录含有非普通文件，未读取。
label-web-too-long = 耗时较长，因为记录较大或正在读取其他记录；请稍后重新加载页面。
label-web-failed = 生成页面时，此记录使 plumb 出错。服务器继续运行；请连同记录一起报告。
label-web-no-trend = 这些测试的步骤没有可用于趋势的数值。
