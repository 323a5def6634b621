### 端末の要約とライブ表示。

terminal-plan = 計画 { $plan }
label-support-no-statement = 測定値からは明確なことが言えない。
label-ops-per-s = 操作/秒
label-depth = 深度
label-max = 最大
label-cpu = CPU
terminal-and-more = { $step } ほか { $count } 件
terminal-step-ended = { $step }：{ $reason }
detail-intervals = { $length } の区間ごとに { $low } ～ { $high }
detail-submission = 平均：投入 { $submission } ＋ 完了 { $completion }
detail-depth = 処理中：{ $levels }
detail-switches = コンテキストスイッチ { $count } 回（うちプリエンプション { $preempted } 回）
detail-device = { $device } のビジー率 { $busy }
terminal-not-in-force = 適用されず：{ $reason }
detail-paths = 経路別のバイト：{ $paths }
terminal-more-in-the-report = ほか { $count } 件はレポートに
terminal-plan-size = { $steps } ステップ、{ $rounds } ラウンド、順序 { $order }
terminal-left-out = 掃引ステップ { $count } 件を省略：ブロックがサイズより大きい
terminal-verdict-more = ほかに { $count } 文：plumb show
label-settings-of-all-steps = 全ステップ
label-note = 注：

## ライブ表示

live-step-of = ステップ { $step }/{ $steps }
live-round-of = ラウンド { $round }/{ $rounds }
live-left = 残り { $time }
live-left-at-most = 残り最大 { $time }
live-so-far = 経過 { $time }
label-live-read = 読み取り
label-live-write = 書き込み
label-live-operations = 操作
label-live-cores = コア
label-live-skipped = スキップ
label-live-closing = A 側との差とその区間（ブロックごとに狭まる）
label-live-key-stop = 停止
label-live-key-skip = ステップを飛ばす
label-live-key-pause = 一時停止
label-live-key-go-on = 再開
label-live-key-help = ヘルプ
live-queue = キュー深度 { $depth }、実行中 { $in-flight }
live-beside = 同時に実行中：{ $job }
live-paused = 一時停止中：負荷なし。p で再開
live-pause-asked = このステップの終了後に一時停止。p で取り消し
live-help-stop = q、Ctrl-C：実行を停止する。それまでの測定結果は残り、終了コードは 130
live-help-skip = s：このステップを終えて次のステップに進む。記録に残り、その数値は数えない
live-help-pause = p：次のステップの前で一時停止する（ステップの途中では止めない）。時間は記録に残る。もう一度 p で再開
live-help-suspend = Ctrl-Z：plumb と負荷を直ちに止める。fg で再開し、その間は数値に現れる
live-help-marks = ✓ 完了、▶ 実行中、· 未実行、✗ エラーあり。キュー深度は要求値、実行中は毎秒の操作数と平均サービス時間の積
by-skip = キー s
run-was-paused = 実行は 2 つのステップの間で { $time } 一時停止した：その間、対象はアイドルだった。測定時間には含まれない
label-live-throughput = スループット
label-live-latency-50 = レイテンシ p50
live-moved = リード { $read }  ライト { $written }
live-errors = エラー { $count }
live-hosts-between = 最も遅いホスト { $slowest } { $least }、最も速いホスト { $fastest } { $most }
live-hosts = { $hosts } ホスト、{ $ranks } ランク
label-live-host-behind = 他のホストの半分未満
live-host-silent = { $seconds } 秒間応答なし
live-before = 直前：{ $figures }
live-warning = 警告：{ $text }
live-finished = { $step }：{ $figures }
live-finished-round = { $step }、ラウンド { $round }/{ $rounds }：{ $figures }
live-failed = 失敗：{ $error }
label-nothing-completed = 完了した操作なし
live-error-count = エラー { $count } 件
live-step-and-phase = { $step }（{ $phase }）

## 環境情報

label-yes = はい
label-no = いいえ
fact-number-of-bytes = { $count } バイト
fact-each-second = { $value }/s
fact-gigahertz = { $gigahertz } GHz
fact-seconds = { $seconds } s
origin-imported = { $program } で測定、{ $file } から取り込み
origin-imported-version = { $program } { $version } で測定、{ $file } から取り込み
before-the-rounds = ラウンドの前に 1 回：{ $steps }
rounds-end-when-steady = { $steps } の { $figure } が { $window } ラウンドにわたり定常状態になると終了：最低と最高の差が { $spread } % 以内、線形近似の変化が { $slope } % 以内
rounds-end-when-steady-or-written = { $steady }。または使用領域を { $times } 回書き込んだとき
two-sentences = { $first }。{ $second }
label-group-target = ターゲット
label-group-file-system = ファイルシステム
label-group-device = デバイス
label-group-whole-disk = ディスク全体
label-group-array = アレイ
label-group-share = 共有
label-group-smb-server = SMB サーバー
label-group-nfs-server = NFS サーバー
label-group-object-store = オブジェクトストア
label-group-network = ネットワーク
label-group-rdma = RDMA
label-group-machine = マシン
label-group-processor = プロセッサ
label-group-memory-nodes = NUMA ノード
label-group-memory = メモリ
label-group-clock = 時計
label-group-io-uring = io_uring
label-group-limits = 制限
label-group-control-group = コントロールグループ
label-group-counter-sets = Windows のカウンター セット
label-group-activity = 開始前の活動

## 進行状況

phase-preparing = 準備中
phase-between-steps = ステップ間
phase-warm-up = ウォームアップ
phase-measuring = 測定中
phase-writing = 負荷の前の準備：{ $path } に書き込み中、{ $done }/{ $total }{ $pace }
phase-syncing = 負荷の前の準備：デバイスが { $path } を書き終えるのを待機、{ $done }/{ $total }{ $pace }
phase-making-files = 負荷の前の準備：{ $path } にファイルを作成中、{ $done }/{ $total }{ $pace }
live-load = { $engine }、{ $block }、キュー深度 { $depth } × { $workers }{ $rate }{ $cache }
live-load-rate = 、{ $rate }/s { $arrivals }
live-load-direct = 、ダイレクト I/O
live-load-buffered = 、バッファード I/O
search-between = { $kept }/s まで満たす、{ $missed }/s から満たさない
search-kept = 今のところ { $kept }/s まで満たす
search-missed = { $missed }/s 以上では満たさない
steady-after-round = ラウンド { $round } の後：定常状態（最大差 { $spread } %、上限 { $spread-limit } %。近似 { $slope } %、上限 { $slope-limit } %）
not-steady-after-round = ラウンド { $round } の後：定常状態でない（最大差 { $spread } %、上限 { $spread-limit } %。近似 { $slope } %、上限 { $slope-limit } %）
judged-from-rounds-on = ラウンド { $round } の後：完全な { $rounds } ラウンドから判定
stands-after-blocks = { $blocks } ブロック後：{ $counts }
stands-with-nothing = { $blocks } ブロック後：比較できる数値はまだない
stands-worse = 悪化 { $count }
stands-better = 改善 { $count }
stands-same = 同等 { $count }
stands-undecided = 判定不能 { $count }
stands-between-counts = { $first }、{ $rest }
blocks-done = { $count } ブロック完了

## 測定の一覧

list-runs = 測定 { $runs } 件
list-runs-of = 測定 { $found } 件中 { $shown } 件
list-not-read = 読めなかったもの：{ $why }
list-more-not-read = 読めなかったもの：ほか { $folders } 件
label-list-newest-first = 新しい順
label-list-started = 開始
label-list-plan = プラン
label-list-target = ターゲット
label-list-iops = 最大 IOPS
label-list-bandwidth = 最大帯域
label-list-median = 最小の中央値
label-list-host = ホスト
label-list-kernel = カーネル
label-list-tags = タグ
label-list-state = 状態
label-list-folder = フォルダー

## 多数のランク

ranks-on-hosts = { $hosts } 台のホストに { $ranks } ランク、{ $carrier } で接続
ranks-more-on-page = 残り { $count } 行はページに
