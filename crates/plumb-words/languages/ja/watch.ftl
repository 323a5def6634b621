### 観測したカウンターが示すこと。

## 文

watch-overview = { $span }、間隔 { $intervals } 個。平均は間隔ごとではなく要求ごと。
watch-nothing = 活動なし：表示するカウンターはどれも増えなかった。
watch-idle = 活動なし
watch-no-interval = 間隔がない：カウンターの採取が 2 回必要。
watch-more-rows = ほか { $count } 個（より低い稼働率）
watch-command-status = コマンドは { $time } 後に終了ステータス { $status } で終了した。
watch-command-signal = コマンドは { $time } 後にシグナル { $signal } で終了した。
watch-cost = 観測は { $time } の間に CPU 時間 { $cpu } を使った：1 コアの { $share }。
watch-cost-unknown = 観測の負荷はこのシステムでは分からない。
watch-left-out = 前の採取が遅れたため、{ $count } 回の採取を省いた。
watch-collection-runs = { $name }: { $started } から実行中、記録先 { $folder }
watch-collection-ended = { $name }: { $started } に開始し終了済み、記録先 { $folder }。plumb watch stop { $name } で一覧から消えます
watch-collection-none = バックグラウンドの収集はありません。plumb watch start NAME で始めます。
watch-interrupted = 予定より前に終了した。それまでの記録は完全である。
watch-incomplete = 強制終了されたか、まだ続いている：負荷は分からない。

## ページ

watch-page-title = { $source } のカウンター
watch-figure-title = { $table }：{ $column }
watch-axis-logarithmic = { $column }（対数）
watch-table-means = { $table }：記録全体の平均
watch-table-largest = { $table }：1 間隔の最大値
label-watch-page = カウンターの時間変化
label-watch-overview = 概要
label-watch-figure-caption = 間隔ごとに 1 つの値。カウンターが値を示さないとき、または平均する要求がないときは線が途切れる。
label-watch-rate = 毎秒の回数
label-watch-mean-size = 要求の平均サイズ
label-watch-mean-time = 要求の平均時間
label-watch-mean-outstanding = 未完了要求の平均数
label-watch-stalled = いずれかのタスクが停滞した時間

## 見出しと列

label-watch-per-second = 毎秒
label-watch-bandwidth = 帯域幅
label-watch-size = サイズ
label-watch-time = 時間
label-watch-outstanding = 未完了
label-watch-outstanding-now = 採取時
label-watch-disks = ディスク
label-watch-read = 読み取り
label-watch-write = 書き込み
label-watch-discard = discard
label-watch-flush = フラッシュ
label-watch-all = 全体
label-watch-open = オープン
label-watch-metadata = メタデータ
label-watch-queue = 待ち
label-watch-round-trip = 往復
label-watch-retransmits = 再送/秒
label-watch-timeouts = タイムアウト/秒
label-watch-nfs = NFS マウント
label-watch-smb = SMB 共有
label-watch-failed = 失敗/秒
label-watch-errors = エラー/秒
label-watch-drops = 破棄/秒
label-watch-interfaces = インターフェース
label-watch-receive = 受信
label-watch-transmit = 送信
label-watch-rdma = RDMA ポート
label-watch-not-ready = 受信側未準備/s
label-watch-congestion = 輻輳/s
label-watch-tcp = TCP（全接続）
label-watch-sent = 送信/秒
label-watch-received = 受信/秒
label-watch-retransmitted = 再送の割合
label-watch-zero-windows = ゼロウィンドウ/秒
label-watch-connections = 接続数
label-watch-cores = コア
label-watch-busy = 稼働
label-watch-user = ユーザー
label-watch-system = システム
label-watch-irq = irq
label-watch-softirq = softirq
label-watch-steal = steal
label-watch-iowait = iowait
label-watch-pressure = プレッシャー（PSI）
label-watch-some = some
label-watch-full = full
label-watch-io = I/O
label-watch-cpu = CPU
label-watch-memory = メモリ
label-watch-available = 利用可能
label-watch-cached = キャッシュ
label-watch-dirty = ダーティ
label-watch-writeback = ライトバック
label-watch-swapped-in = スワップイン
label-watch-swapped-out = スワップアウト
label-watch-cgroup = コントロールグループ
label-watch-throttled = スロットル
label-watch-credit-stalls = クレジット待ち/秒
label-watch-other = カウンター
label-watch-value = 平均
