### レポートのページ：見出し、注、図のまわりの文。

label-sections = 目次
label-verdict = 判定
label-findings = 所見
label-figures = 図
label-by-two-keys = 2 つのキー別
label-scaling = スケーリング
label-littles-law-at-each-step = 各ステップのリトルの法則
label-scaling-note = 最大スループットの 95 % に達する最小の負荷。漸近限界が交わる処理中の件数（無負荷のサービス時間 × 最大スループット）。最小二乗法による USL（Universal Scalability Law）と、そのピーク（処理中の件数）の 95 % 区間（ラウンドのブートストラップ）。
label-scaling-efficiency = スケーリング効率
label-all-steps-heading = 全ステップ
label-connections = 接続
label-how-it-was-measured = 測定方法
label-the-plan = 測定計画
label-environment = 測定環境
page-title = plumb：{ $subject } での { $plan }
page-footer-measured = 測定 { $run } · plumb { $version } で測定 · このページの数値はすべて、元の記録がある測定フォルダーから導出した。
page-footer-imported = 測定 { $run } · plumb { $version } で取り込み · このページの数値はすべて、元の記録がある測定フォルダーから導出した。
page-plan-name = 計画「{ $plan }」
page-state = この測定の状態は { $state }：数値は終了時点までのもの。
label-these-figures-as-a-table = 数値を表で見る
label-nothing-to-draw = 図示できる測定値がない。
label-nothing-was-measured = 何も測定されなかった。
label-no-plain-statement = 測定値からは明確なことが言えない。図を参照。
page-doubtful = 疑わしい点：{ $doubt }
page-more-sentences = あと { $count } 文
label-evidence = 根拠
label-theme-auto = テーマ：システムに従う
label-theme-light = テーマ：ライト
label-theme-dark = テーマ：ダーク
label-theme = ページの配色
label-scale-linear = 線形
label-scale-logarithmic = 対数
label-scale = 縦軸の目盛りを切り替える
label-zoom-reset = 全範囲
label-zoom = 図をドラッグすると拡大、ダブルクリックで全範囲に戻る
label-save-svg = 図を SVG で保存
label-save-png = 図を PNG で保存
label-save-csv = 数値を CSV で保存
label-copy = コピー
label-copied = コピーした
label-not-copied = コピーできなかった
label-copy-what = 図をクリップボードにコピー
label-no-facts = 記録にマシンの情報がない。
page-not-known = 不明：{ $reason }
matrix-title = { $name }、{ $unit }：縦 { $rows }、横 { $columns }

## ステップ

label-no-step-ran = 実行されたステップはない。
label-throughput-heading = スループット
label-response-time-heading = 応答時間
label-service-time-heading = サービス時間（発行から完了まで）
label-lateness-heading = 遅れ（予定時刻から発行まで）
label-cpu-of-the-generator = 負荷発生器が使った CPU
label-by-kind-of-operation = 操作の種類別
label-errors-heading = エラー
label-jobs-heading = 同時に実行したジョブ
label-workers-heading = 各ワーカー
label-spread-heading = 間隔ごとのばらつき
label-spread-note = 間隔の長さはプログラムにより異なり、短いほどばらつきは大きい（fio は 500 ms）。
label-intervals = 間隔数
label-interval-length = 長さ
label-lowest = 最低
label-highest = 最高
label-standard-deviation = 標準偏差
label-lowest-bandwidth = 最低帯域幅
label-highest-bandwidth = 最高帯域幅
label-split-heading = 投入と完了
label-split-note = 投入：システムが操作を受け付けるまで（fio の slat）。完了：そこから終了まで（fio の clat）。レイテンシは両者の和。
label-part = 区分
label-part-submission = 投入
label-part-completion = 完了
label-levels-heading = 処理中の操作数
label-levels-note = 同じワーカーで、投入直後に処理中だった操作の数ごとの割合（フラッシュを含む）と、一度に投入した操作数の平均。
label-submitted-at-once = 一度に投入
label-device-heading = ステップ中のデバイス
label-device-note = 計測時間中のカーネルのカウンターによる（他の利用を含む）。ビジー率は要求が処理中だった時間の割合で、並列に処理するデバイスは 100 % でも余力がありうる。
label-device = デバイス
label-busy = ビジー率
label-mean-queue = 平均キュー
label-reads-per-s = 読み取り/s
label-writes-per-s = 書き込み/s
label-device-read = 読み取り
label-device-written = 書き込み
label-context-switches = コンテキストスイッチ
label-preemptions = プリエンプション
label-minor-faults = マイナーフォルト
label-major-faults = メジャーフォルト
label-cpu-percent = CPU
label-as-the-program-states-it = 元のプログラムが報告した値
label-each-round-by-itself = 各ラウンド
label-what-the-figures-include = 数値に含まれるもの
label-depth-note = 指定キュー深度は全スレッドの合計（オープンループでは要求レート）。実キュー深度は実行中の操作数の平均。
label-flushes-note = フラッシュは、エラーと実キュー深度のほか、この表のどの数値にも含まれない。
label-cpu-note = 1 CPU に対する百分率：200 % は 2 CPU を使い切った状態。
label-percentiles-note = サンプルが足りないパーセンタイルは – とし、どのステップでも足りないものは省く。
label-failed-operations-note = 失敗した操作は、このページのほかの数値には含まれない。

## 方法

label-command = コマンド
label-started = 開始
label-program = プログラム
label-rounds-heading = ラウンド数
page-rounds-in-order = { $rounds }、順序 { $order }
label-until-steady = 定常状態まで
label-seed = シード
page-several-seeds = { $count } 個の異なるシード（計画を参照）
label-warm-up-of-each-step = 各ステップのウォームアップ
page-warm-up = { $times }（どの数値にも含まれない）
label-engines-heading = 実際に動いたエンジン
label-what-happened = 出来事
label-all-steps = 全ステップ
page-steps-such-as = { $count } ステップ（{ $first }、{ $second } など）
label-bypassed = 迂回
label-used = 使用
label-time-stamps-note = タイムスタンプ：「batch」はバッチの前後に 1 回ずつ、「each」は操作ごとに 2 回時計を読む。
page-round-of-step = { $step }、ラウンド { $round }
page-execution = 実行 { $number }
page-event-worker = { $subject }、スレッド { $worker }：{ $text }
page-event-prepared = { $path } を準備：{ $time } で { $size } を書き込み
page-event-ended = { $subject } は終了（{ $reason }）
page-event-failed = { $subject } は失敗：{ $error }
page-event-mismatch = { $subject }：{ $path } のオフセット { $offset } の { $bytes } バイトのブロックが書き込んだ内容と異なる：{ $explanation }
page-event-first-error = { $subject }：{ $kind } で最初の { $error }（{ $place }）
page-event-write-back = { $subject }：ライトの完了通知の後、{ $path } の { $call } が { $error } で失敗：データが失われた
page-event-ceiling = { $subject }：負荷発生器だけなら（null エンジン）ここで { $rate } に達する
label-event-ended-early = シグナルまたはメモリ不足で途中終了
label-event-finished = 完了

## 計画

label-shared-and-set = 全ステップ共通で、指定されたキー
label-shared-defaults = 全ステップ共通の既定値
label-differing-keys = ステップごとに異なるキー
label-origin-note = 括弧内は値の由来。

## 接続

label-without-a-connection = 接続が切れた期間
label-what-was-agreed = 折衝の結果
label-time-by-command = プロトコルのコマンド別応答時間
label-what-the-engines-counted = エンジンの計数
label-agreed-note = 最初のラウンドの最初のスレッドによる。
label-bytes-by-path = 経路別のバイト数
label-client-address = クライアントのアドレス
label-server-address = サーバーのアドレス
label-received = 受信
label-sent = 送信
label-part-of-bytes = 全バイトに占める割合
label-paths-note = plumb が TCP に渡し、TCP から受け取ったバイト数。全ラウンド、ログインとウォームアップを含み、TCP と IP のヘッダーは含まない。
label-commands-note = 要求の送信から応答全体の受信まで、エンジンが各要求を個別に測った値。1 操作に複数の要求が必要なことがある。
label-send-queue-note = 送信待ち（p50）：そのうち、ソケットが要求の最後のバイトを受け取るまでの時間。
label-wake-up-note = ウェイクアップ（p50）：そのうち、応答の最後のバイトがこのマシンに届いた時刻（カーネルのパケット時刻）から応答が取り出されるまでの時間。残りはネットワークとサーバーの時間。
label-counted-note = 全スレッド・全ラウンドの合計。us や bytes で終わるものは平均、per s で終わるものはスレッドの合計のラウンド平均。
label-not-again = 回復せず
label-lost-note = 実行中の操作は接続とともに失敗した。
label-lost-waits = 共有と RDMA では、その後の操作は再接続を待ち、応答時間に待ち時間が含まれる。
label-lost-fails = TCP では、再接続までの操作も失敗する：レートにはその時間が含まれ、応答時間には含まれない。
label-lost-ends = iperf3 のテストは再開できない：ステップはそこで終了した。

## ほかのページの見出し

label-copy-programs = コピープログラム
label-what-differs = 違い
label-all-figures = 全数値
label-to-keep-in-mind = 留意点
label-how-it-was-compared = 比較方法
label-what-changed = 変化
label-figures-that-did-not = 変化しなかった、または判断できない数値
label-how-it-was-looked-for = 検出方法
label-the-runs = 測定の一覧

## 実行ライブラリの索引

label-library-page = 保存された実行
library-title = plumb：{ $folders } の { $count } 件の実行
library-runs = 実行 { $count } 件、計画 { $plans } 件、ターゲット { $targets } 件
label-library-filter = 語で行を絞り込む
label-library-latest = 計画とターゲットごとの最新の実行
label-library-all = すべての実行
label-library-none = 実行は見つからなかった。
label-library-unreadable = 読めなかったもの
library-footer = plumb { $version } が書き出した。実行のページは plumb report RUN が書く。

## ホストとランク

label-hosts-and-ranks = ホストとランク
label-host = ホスト
label-rank = ランク
label-ranks = ランク数
label-process = プロセス
label-rank-iops = IOPS
label-rank-p50 = p50
label-rank-p99 = p99
label-rank-longest = 最長
label-rank-cpus = CPU 数
label-hosts-note = ホストごとに全ランクの合計。自身のランクの測定時間による。時間は発行から完了まで。CPU 数は負荷生成に使ったもので、1 が 1 CPU。
label-machines = ホストのカウンター
label-machine-cpus = CPU 数
label-machine-cpu = CPU 使用率
label-machine-busiest = 最も忙しい CPU
label-machine-interface = インターフェース
label-machine-received = 受信
label-machine-sent = 送信
label-machine-again = 再送セグメント
label-machine-device = デバイス
label-machine-read = 読み出し
label-machine-written = 書き込み
label-machines-note = 各ホスト全体（全プロセスの合計）の測定時間中の値：全 CPU と最も忙しい CPU の使用率、通信量の最も多いインターフェース、対象の下で転送量の最も多いブロックデバイス。測定フォルダーの ranks/ に各ホストの全カウンターの推移がある。
label-ranks-note = ランクごとに自身の測定時間による。
label-each-rank = 各ランク
label-begin-and-end-of-ranks = 開始と終了
label-start-spread = 開始のずれ
label-first-done = 最初の完了
label-last-done = 最後の完了
label-iops-until-last-done = 最後の完了までの IOPS
label-bandwidth-until-last-done = 最後の完了までの帯域幅
label-spans-note = ステップの数値は全ランクが動いていた時間のもの。IOR と mdtest は、全作業を最後のランクの完了までの時間で割った値を報告する。それは最後の 2 列で、先に終わるランクがあると低くなる。
label-places-of-ranks = 配置と時計
label-clock-ahead = 時計の進み
label-clock-within = 比較の精度
label-places-note = 各ホストの時刻がランク 0 のホストよりどれだけ進んでいるかと、数値の基になる時計をどの精度で比べたか（メッセージの最短の往復時間の半分）。
