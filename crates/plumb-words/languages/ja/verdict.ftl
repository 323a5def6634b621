### 測定結果の判定。

## 文の部分

none = { "" }
in-brackets = （{ $text }）
iops = { $rate } IOPS
about = 約 { $value }
between = { $low }～{ $high } の間
exactly = { $value }
from-to = { $low }～{ $high }
rate-with-flushes = { $rate }、ほかに毎秒 { $flushes } 回のフラッシュ
in-flight = 、実行中 { $count } 件
settings = （{ $settings }）

latency-median-and-99 = レイテンシ中央値 { $median }、99 % が { $p99 } 未満
latency-median = レイテンシ中央値 { $median }、99 % の値にはサンプルが不足
latency-mean = レイテンシ平均 { $mean }、パーセンタイルにはサンプルが不足
flush-times-not-known = フラッシュ時間は報告されていない

## ステップの負荷

workload = { $order }{ $operations }{ $durable }{ $cached }{ $nowhere }
workload-of-block = { $block } { $order }{ $operations }{ $durable }{ $cached }{ $nowhere }
workload-of-mixed-sizes = 混合ブロックサイズの{ $order }{ $operations }{ $durable }{ $cached }{ $nowhere }
workload-with-settings = { $workload }{ $settings }
workload-of-step = { $workload }（「{ $step }」）

order-replayed = リプレイ
order-partly-random = 部分ランダム
order-sequential = シーケンシャル
order-reverse = 逆順
order-strided = ストライド
order-first = 同一位置
order-random = ランダム
order-zipf = Zipf 分布
order-pareto = パレート分布
order-hot-spot = ホットスポット
order-normal = 正規分布
order-zoned = ゾーン別
order-random-runs = ランダムな位置の連続ブロック
order-random-repeats = ランダムな位置を繰り返す
order-listed = 指定ブロック順の
order-precondition = プリコンディショニングの
order-unstated = 条件不明の

operations-mixed = { $kinds }（{ $shares }）
operations-any = 操作
operations-read = リード
operations-write = ライト
operations-rewrite = リライト
operations-trim = TRIM
operations-flush = フラッシュ
operations-create = ファイル作成
operations-open = オープン
operations-stat = stat
operations-read-file = ファイル全体のリード
operations-rename = 名前変更
operations-delete = 削除
operations-fsync = fsync
operations-list = 一覧取得
operations-send = 送信
operations-receive = 受信
operations-ping-pong = 往復
operations-copy = コピー

durable-sync = （O_SYNC）
durable-dsync = （O_DSYNC）
durable-flush-at-end = （終了時に fsync）
durable-fsync-each = （ライトごとに { $call }）
durable-fsync-every = （{ $every } 回のライトごとに { $call }）
through-the-page-cache = （ページキャッシュ経由）
by-an-engine-without-storage = （{ $engine } エンジン）

## Many ranks

ranks-measured-one-job = { $hosts } 台のホストの { $ranks } ランクが 1 つのジョブを共に実行した。数値とサイズは全体のもので、キュー深度とスレッド数は各ランクのもの。
ranks-measured-together = { $hosts } 台のホストの { $ranks } ランクが共に測定した。数値は全体のもので、キュー深度、スレッド数、サイズは各ランクのもの。

## 負荷の大きさ

load-asked = （要求 { $rate }/s）
load-depth = （キュー深度 { $depth }{ $shortfall }）
load-workers-and-depth = （{ $workers } スレッド、キュー深度 { $depth }{ $shortfall }）
load-workers-with-depth = （{ $workers } スレッド、各キュー深度 { $depth }）
with-hosts = { $hosts } 台のホストで
at-depth = （キュー深度 { $depth }）
with-workers = （{ $workers } スレッド）
at-swept = （{ $key } = { $value }）

## ステップの数値

step-figures = { $subject }：{ $throughput }{ $load }{ $latency }。
of-step = { $step }：{ $said }
job-figures = 「{ $job }」{ $beside }{ $load }：{ $figures }。
job-beside = （「{ $step }」と同時）
job-beside-later = （「{ $step }」の開始から { $delay } 後に同時）
job-bandwidth = { $kind } { $bandwidth }{ $latency }
job-rate = 毎秒 { $rate } 回の{ $kind }{ $latency }

## キュー深度・スレッド数・レートの段階

one-at-a-time = { $subject }、1 件ずつ：{ $rate }{ $mean }（{ $latency }）{ $skew }。
mean-time = 、平均 { $mean }
few-long-operations = 。平均は中央値の { $times } 倍：少数の長い操作（最長 { $longest }）が時間全体の約 { $share } を占める
closed-loop = { $subject }：{ $rate }{ $place }{ $shortfall }{ $latency }。{ $ending }。
more-depth-only-adds-latency = キュー深度をこれ以上増やしてもレイテンシが増えるだけ
more-concurrency-only-adds-latency = 並行数をこれ以上増やしてもレイテンシが増えるだけ
more-depth-makes-it-fall = キュー深度をさらに増やすとレイテンシが増え、スループットは { $rate } に低下{ $place }
more-concurrency-makes-it-fall = 並行数をさらに増やすとレイテンシが増え、スループットは { $rate } に低下{ $place }
more-depth-may-give-more = なお上昇中で、試した値より大きいキュー深度ならさらに伸びる可能性がある
more-concurrency-may-give-more = なお上昇中で、試した値より大きい並行数ならさらに伸びる可能性がある
more-depth-undecided = キュー深度を増やす効果は判定できない
more-concurrency-undecided = 並行数を増やす効果は判定できない
rates-kept = { $subject }：{ $rate }/s まで維持{ $latency }{ $lost }。
no-rate-kept = { $subject }：要求したレートはどれも維持できなかった{ $lost }。
rate-lost = 。要求 { $asked }/s に対し { $reached }/s
scaling = { $subject }：{ $smallest }{ $law }{ $misfit }。
smallest-depth = 最大スループットの 95 % に達する最小のキュー深度：{ $value }{ $last }{ $rounds }
smallest-workers = 最大スループットの 95 % に達する最少のスレッド数：{ $value }{ $last }{ $rounds }
smallest-load = 最大スループットの 95 % に達する最小の { $key }：{ $value }{ $last }{ $rounds }
smallest-is-the-greatest-tried = （試した中で最大）
smallest-in-rounds = （ラウンド単独では { $low }～{ $high }）
scaling-peak = 。USL（Universal Scalability Law）では処理中の操作が { $low }～{ $high } 件でスループットが最大（95 % 区間）
scaling-no-peak = 。USL（Universal Scalability Law）ではピークは試した範囲にない（処理中 { $above } 件より上）
scaling-no-peak-cell = 試した範囲にない（{ $above } より上）
scaling-law-withheld = 。{ $why }
scaling-has-pauses = 負荷に休止があるため法則は当てはめない
scaling-has-several-jobs = 複数のジョブが同時に動くため法則は当てはめない
scaling-has-few-points = USL（Universal Scalability Law）は当てはめない：要求どおり処理中だったのは { $points } ステップで、少なくとも { $needed } 必要
scaling-law-misses = USL（Universal Scalability Law）はこの段階を表さない（{ $deviation } 外れるステップがある）
scaling-has-one-round = 1 ラウンドでは USL（Universal Scalability Law）のピークに区間がない
scaling-misfit = 。{ $steps } ステップでリトルの法則が合わない：{ $value } のとき処理中は { $asked } 件中 { $concurrency } 件
replay-timing = 「{ $step }」：リクエストの開始は平均 { $mean } 遅れ{ $tail }、最大 { $longest }。所要 { $took }、記録は { $asked }（{ $drift }）。
replay-late-99 = （99 % は { $p99 } 以内）
law-parameters = 処理中 1 件で { $one }、競合 { $contention }、一貫性 { $coherency }

## ブロックサイズ

block-sizes = { $subject }：{ $bandwidth }、{ $place }{ $fall }。
block-workload = { $workload }{ $settings }{ $load }
blocks-still-rising = ブロックサイズ { $block } のとき。ブロックサイズとともになお上昇中
blocks-undecided = ブロックサイズ { $block } のとき。さらに大きいブロックの効果は判定できない
blocks-from-smallest = 最小のブロックサイズ（{ $block }）から到達
blocks-from = ブロックサイズ { $block } から到達
blocks-fall = 。ブロックサイズ { $block } では { $bandwidth }

## 小さなファイル、キャッシュ

small-files = { $subject }：{ $figures }{ $cached }。
small-files-of = { $size } の小さなファイル{ $workers }{ $settings }
small-files-unsized = 小さなファイル{ $workers }{ $settings }
workers = （{ $workers } スレッド）
operations-per-second = 毎秒 { $rate } 回の{ $operations }
answered-from-memory = 。{ $operations }はメモリから応答された
writes-absorbed = ライト（「{ $group }」）は { $amount } まではキャッシュまたはバースト枠に吸収され、その後は { $after }。
verified-blocks = 検証済み：読み出した { $checked } ブロックはすべて書き込んだとおり。
verified-some-blocks = 検証済み：{ $checked } ブロックを読み出し、誤りはなかった。うち { $undecided } ブロックは、その時書き込み中だったか、この実行で書き込まれていないため判定できない。
verified-no-block = 何も検証していない：ブロックは一つも読まれなかった。
test-file-size = テストファイルのサイズは { $size }。

## メッセージ

message-one-way = { $size } のメッセージの片道時間は { $time }：往復時間の中央値 { $round-trip } の半分。
message-one-way-mean = { $size } のメッセージの片道時間は { $time }：往復時間の平均 { $round-trip } の半分。
message-one-way-by-write = 相手がポーリングするメモリへの片側ライトで、{ $size } のメッセージの片道時間は { $time }：往復時間の中央値 { $round-trip } の半分。
message-one-way-by-write-mean = 相手がポーリングするメモリへの片側ライトで、{ $size } のメッセージの片道時間は { $time }：往復時間の平均 { $round-trip } の半分。
messages-to-and-fro = 往復メッセージは { $size } で { $rate } に達し、{ $sizes } 通りのサイズで最大。
round-trip-among-others = { $depth } 件を実行中のとき { $size } の往復時間は { $time }（中央値）。ほかのメッセージを待つ時間を含む。
round-trip-at-rate = 要求 { $rate }/s のとき { $size } の往復時間は { $time }（中央値）。
stream-sent = { $over }で送信：{ $rate }、メッセージサイズ { $size }{ $most }{ $cost }{ $again }。
stream-received = { $over }で受信：{ $rate }、メッセージサイズ { $size }{ $most }{ $cost }{ $again }。
over-rdma = RDMA（未完了 { $outstanding } 件）
over-connections = { $connections } 本の接続
most-of-sizes = 、{ $sizes } 通りのサイズで最大
cpu-here = 。この側の CPU 時間は 1 ギガビットあたり { $here }
cpu-at-both-ends = 。CPU 時間は 1 ギガビットあたり、この側 { $here }、相手側 { $there }
over-udp = UDP（ソケット { $sockets } 個）
messages-lost = { $count ->
    [0] 、メッセージの損失なし
   *[other] 、損失メッセージ { $count }（{ $share }）
}
sent-again = 、再送セグメント { $segments }
at-the-same-time = 同時（「{ $step }」）：{ $figures }。
kind-and-rate = { $kind } { $rate }

## 応答時間の上限

share-all = すべて
ladder-keeps-limit = { $subject }：試した最大の { $last } まで、{ $share }が { $limit } 以内に完了{ $took }。
ladder-limit-undecided = { $subject }：試した最小の { $first } から、{ $share }が { $limit } 以内に完了するか判定できない{ $took }{ $again }。
ladder-misses-limit = { $subject }：試した最小の { $first } でも、{ $share }は { $limit } 以内に完了しなかった：{ $lost }{ $again }。
ladder-keeps-limit-up-to = { $subject }：{ $share }が { $limit } 以内に完了した最大は { $best }{ $took }。{ $next } では{ $lost }{ $again }。
limit-kept-again = 、ただし { $rung } では再び維持
limit-undecided-at = 判定できない{ $took }
limit-time-was = { $time }
limit-more-failed = 失敗した操作が多すぎる
rung-depth = キュー深度 { $depth }
rung = { $key } = { $value }
limit-of-step = 「{ $step }」
limit-of-job = 「{ $job }」（「{ $step }」と同時）
limit-kept = { $subject } は上限 { $limit } を満たした：{ $share }が { $time } 以内に完了（{ $limit } 以内に完了：{ $inside }）。
limit-missed = { $subject } は上限を超過：{ $limit } 以内に完了したのは{ $inside }、要求は{ $share }で、これには { $time } かかった。
limit-missed-by-failures = { $subject } は上限を超過：{ $limit } 以内に完了したのは{ $inside }、要求は{ $share }：残りより多くの操作が失敗した。
limit-undecided = { $subject }：{ $share }が { $limit } 以内に完了するか判定できない：{ $why }。
limit-none-inside = 0 件
limit-no-round = 最後まで実行されたラウンドがない
limit-nothing-completed = 完了した操作がない
limit-too-few = 操作 { $operations } 回では少なすぎて判断できない
limit-rounds-disagree = ラウンド間で結果が一致しない
limit-rounds-disagree-by = ラウンド間で結果が一致しない（{ $time }）

## 定常状態

steady-no-round = 完全なラウンドがないため、定常状態については何も言えない。
steady-after-rounds = ラウンド { $round }（最大 { $rounds }）の後に定常状態：{ $figures }。数値はラウンド { $first }～{ $last } のもの。それ以前のラウンドも記録し図示している。
steady-not-judged = 定常状態は判定していない：ウィンドウは { $window } ラウンドで、完全なものは { $judged }{ $written }。数値はラウンド { $first }～{ $last } のもの。それ以前のラウンドも記録し図示している。
not-steady-after-rounds = { $round } ラウンド後も定常状態でない{ $written }：{ $figures }。数値はラウンド { $first }～{ $last } のもの。それ以前のラウンドも記録し図示している。
steady-written = 、使用領域を { $written } 回書き込んだ（最大 { $most } 回）
steady-figures = 「{ $step }」{ $among }は平均 { $average }、最低と最高のラウンドの差 { $data }（上限 { $data-limit } %）、線形近似の変化 { $slope }（上限 { $slope-limit } %）
steady-least-of = （追跡した { $tracked } 件で最も不安定）
steady-no-figure = 「{ $step }」は最後のラウンドの一部で数値がない

steps-settled = { $steps } ステップ中 { $settled } が定常状態になって終了。
steps-settled-but = { $steps } ステップ中 { $settled } が定常状態になって終了。定常状態でないもの：{ $others }。
settled-of-step = 「{ $step }」は
settled-of-rounds = 「{ $step }」は { $rounds } ラウンド中 { $reached } で定常状態。ラウンド { $round } は
settled-after = { $subject } { $time } 後に定常状態：{ $figures }。
settled-after-at-most = { $subject } { $time } 後に定常状態（最大 { $most }）：{ $figures }。
not-settled = { $subject } { $by }で終了した時点で定常状態でない：{ $figures }。
not-settled-round = { $subject } { $by }で終了した時点で定常状態でない：{ $figures }。
settling-not-judged = { $subject } 判定していない：1 つのウィンドウ { $window } が終わる前に{ $by }で終了した。
settled-slope = 最後の { $window } の平均 { $mean }、間隔ごとの傾き { $value }（上限 { $limit }）
settled-departs-at-most = 最後の { $window } の平均 { $mean }、各間隔の差は最大 { $value }（上限 { $limit }）
settled-departs = 最後の { $window } の平均 { $mean }、差が { $value } の間隔がある（上限 { $limit }）
percent-text = { $percent } %
less-than-a-hundredth-percent = 0.01 % 未満
by-time = 時間
by-bytes = バイト数
by-operations = 操作数
by-end-of-files = ファイルの終わり
by-end-of-stream = ストリームの終わり
by-no-room = 空き容量なし
by-steady = 定常状態
by-signal = シグナル
by-program = 元のプログラム
by-error = エラー
by-kill = 強制終了（または実行中）
by-the-end = 終了
ended-by-error = エラー：{ $error }
ended-by-failing = 失敗：{ $error }

## 問題

nothing-measured = 何も測定されなかった。
more-in-tables = ほかに { $count } 件の結果が表にある。
copies-not-whole = { $count } 件のコピーがコピー元と一致しない。
blocks-differ = 書き込んだデータがそのまま読み出せなかった：{ $count } ブロックが異なる。
step-could-not-run = 「{ $step }」は実行できなかった：{ $error }。
step-could-not-run-in-some-rounds = 「{ $step }」は一部のラウンドで実行できなかった：{ $error }。
steps-could-not-run = 「{ $step }」ほか { $more } 件は実行できなかった：{ $error }。
steps-could-not-run-in-some-rounds = 「{ $step }」ほか { $more } 件は一部のラウンドで実行できなかった：{ $error }。
step-ended-early = 「{ $step }」は途中で終了した：{ $error }。
operations-failed = { $count } 回の操作が失敗した。
operations-failed-in-warm-up = ウォームアップ中に { $count } 回の操作が失敗した。
run-interrupted = 測定は中断された：数値は実行された部分のもの。
run-incomplete = 測定は強制終了されたか実行中：数値は記録された部分のもの。
writes-lost = データが失われた：{ $steps } のライトは完了通知の後、{ $path } への書き戻しに失敗した（{ $call }：{ $error }）。その数値はストレージの性能を表さない。
connection-lost-until-the-end = サーバーとの接続が{ $times }切れ、回復しなかった。ステップはそこで終了し、数値はそれまでのもの。
connection-lost-for-good = サーバーとの接続が{ $times }切れ、回復しなかった。数値は待ち時間を含む。
connection-lost-once = サーバーとの接続が 1 回、{ $time } 切れた。数値はその時間も含む。
connection-lost-often = サーバーとの接続が{ $times }、最長 { $time } 切れた。数値はその時間も含む。
times-lost = { $count ->
    [1] 1 回
   *[other] 全スレッドで { $count } 回
}

## 記録の疑わしい点

doubt-file-is-missing = { $file } がない
doubt-last-line-is-cut-off = { $file }：最後の行が途切れているため省いた：測定が強制終了されたか、実行中
doubt-line-is-left-out = { $file }：{ $line } 行目を省いた：{ $problem }
doubt-more-lines-are-left-out = { $file }：壊れた行をほかに { $count } 行省いた
doubt-intervals-of-no-step = { $count } 個の間隔はどのステップにも属さないため省いた
