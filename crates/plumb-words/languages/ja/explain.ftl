### 何がアプリケーションを制限しているか、何が役立つか。

## 数値の出所

explain-source-trace = トレース { $file }、{ $begin } から { $end }
explain-source-counters = { $file } のカウンター、{ $begin } から { $end }
explain-source-load = { $file } の負荷、{ $begin } から { $end }
explain-figure-outstanding = 未完了、平均
explain-figure-outstanding-most = 未完了、最大
explain-figure-waiting = 呼び出し元がストレージを待つ時間の割合
explain-figure-requests = 読み書き
explain-figure-size = 要求あたりのバイト数
explain-figure-time = 要求あたりの時間
explain-figure-bytes = スループット
explain-figure-path = 経路の能力に対する割合
explain-figure-round-trip = 往復時間
explain-figure-round-trip-share = 全呼び出しの時間に占める往復
explain-figure-metadata = メタデータの呼び出し
explain-figure-metadata-time = メタデータの呼び出しあたりの時間
explain-figure-metadata-share = 全呼び出しの時間に占めるメタデータ
explain-figure-credits-share = 最後のクレジットを使ったか、それを待った要求
explain-figure-credits = 同時に使われたクレジット、最大
explain-figure-flushes = フラッシュ
explain-figure-flush-time = フラッシュあたりの時間
explain-figure-flush-share = 全呼び出しの時間に占めるフラッシュ
explain-figure-request-cost = バイトを除く要求の時間
explain-figure-bytes-cost = そのバイトの時間
explain-figure-sequential = 直前の要求に続く要求の割合
explain-figure-busiest-core = 最も忙しいコア
explain-figure-all-cores = 全コア

## 足りないもの

explain-lacks-outstanding = 未完了の要求の平均と最大：トレースまたはキャプチャ（plumb trace）、またはカウンター：plumb watch、Windows の SMB クライアントの 'Avg. Data Queue Length' と 'Current Data Queue Length'
explain-lacks-requests = 毎秒の要求数と未完了の要求数：トレースまたはキャプチャ（plumb trace）、またはカウンター：plumb watch、Windows の SMB クライアントの 'Data Requests/sec'、'Avg. Data Queue Length'、'Current Data Queue Length'
explain-lacks-outstanding-disk = ディスクの未完了の要求の平均と最大：トレース（plumb trace）、またはカウンター：plumb watch、Windows の 'Avg. Disk Queue Length' と 'Current Disk Queue Length'
explain-lacks-requests-disk = ディスクの毎秒の要求数と未完了の要求数：トレース（plumb trace）、またはカウンター：plumb watch、Windows の 'Disk Transfers/sec'、'Avg. Disk Queue Length'、'Current Disk Queue Length'
explain-lacks-depths = 未完了の要求数によって速度がどう変わるか。ここではその数がほとんど変わらなかった：{ $command }
explain-lacks-ceiling = 経路が運べる量：測定して（plumb run network-stream tcp://SERVER）--ceiling で示す。または大きさの異なる要求が重なるキャプチャ
explain-lacks-round-trip = サーバーまでの往復時間：接続の始まりを含むキャプチャ
explain-lacks-metadata-times = メタデータの呼び出しの時間：そのカウンターはない。トレースまたはキャプチャにはある（plumb trace）
explain-lacks-credits = 要求がクレジットを待ったかどうか：Windows の SMB クライアントのカウンター 'Credit Stalls/sec'、または接続の始まりを含むキャプチャ
explain-lacks-flush-times = フラッシュの時間：トレースまたはキャプチャ（plumb trace）
explain-lacks-offsets = 要求がファイル内で続いているかどうか：トレースまたはキャプチャ（plumb trace）
explain-lacks-sizes = 大きさが要求の時間に加えるもの。ここでは大きさがすべて同じか、時間から読み取れない：{ $command }
explain-lacks-cores = その間クライアントの各コアがどれだけ忙しかったか：アプリケーションの実行中に観察する（plumb watch、Windows では各プロセッサの '% Processor Time'）

## 原因ではないもの

explain-not-credits = サーバーのクレジットではない：要求はそれを待たなかった。
explain-not-path = 経路ではない：順に運ばれるバイトは時間の { $share } を占めるだけである。
explain-not-ceiling = 経路ではない：測定された { $ceiling } のうち { $bytes } を運んでいる。
explain-not-application = アプリケーション自身の処理ではない：それは時間の { $pauses } である。
explain-not-storage = ストレージではない：その時間がなくても、アプリケーションは最大で { $most } の速さにしかならない。
explain-not-server = サーバーではない：各要求のうち最大でも { $rest } である。
explain-not-transfers = 読み書きではない：全呼び出しの時間の { $rest } である。
explain-not-threads = スレッド不足ではない：アプリケーションには送るべき要求がある。
explain-not-bytes = バイトではない：それらは要求の時間の { $share } である。

## 結論

explain-few-claim-one = 要求は 1 件ずつ：未完了は平均 { $outstanding } 件で、アプリケーションは時間の { $waiting } を応答待ちに費やす。1 件に { $time } かかるため、毎秒それ以上はできない。
explain-few-claim = 同時の要求が少ない：未完了は最大 { $most } 件で、各呼び出し元は時間の { $waiting } を応答待ちに費やす。未完了が多いほどストレージはより多く応答する。
explain-few-advice = 未完了の要求を { $to } 件に保つ：スレッドを増やすか、非同期の要求を使う。
explain-few-refuted = 未完了が { $twice } 件でも毎秒 { $rate } 件に届かない。
explain-pauses-claim = ストレージがアプリケーションを待っている：呼び出し元が応答を待つのは時間の { $waiting } だけで、{ $pauses } は応答と次の要求の間に過ぎる。
explain-pauses-advice = ストレージを変える前に、アプリケーションが要求の間に何をしているか（プロセッサー時間、他での読み取り、ロック）を調べる。
explain-pauses-refuted = 休みのない同じ要求が毎秒 { $rate } 件に届かない。
explain-many-claim = ストレージが使える以上の要求が未完了である：平均 { $outstanding } 件、それぞれ { $time }。減らしても速度は同じである。
explain-many-flat = 少なすぎるのではない：未完了 { $many } 件の速度は { $few } 件の速度と同じである。
explain-many-queue = 少なすぎるのではない：各要求は先に送られた要求を待っている。
explain-many-advice = 半分の { $to } 件にする：スループットは同じで、待ち時間は半分になる。
explain-many-refuted = 未完了を半分にすると毎秒 { $rate } 件を下回る。
explain-disk-claim = ディスク { $disk } が限界である：時間の { $busy } は稼働中で、未完了 { $outstanding } 件の要求はそれぞれ { $time } かかる。
explain-disk-advice = このディスクの仕事を減らす：大きく連続した要求にする、キャッシュする、一部を別のディスクに移す。同時に出す要求を増やしても待ち時間が延びるだけである。速いディスクは役立つ。
explain-path-claim = 経路が満杯である：{ $bytes } は能力の { $share } に当たる。
explain-path-measured = 要求の数や大きさではない：測定された上限は { $ceiling } である。
explain-path-seen = 要求の数や大きさではない：各要求は前のバイトを待ち、それらは { $ceiling } で通る。
explain-path-advice = 要求を増やしても大きくしても役立たない：より速い経路、複数の経路（マルチチャネル、nconnect）、またはより少ないバイトが必要である。
explain-path-refuted = 未完了の要求を 2 倍にすると { $bytes } を超える。
explain-distance-claim = 時間を取るのはサーバーではなく距離である：往復に { $round } かかり、往復は全呼び出しの時間の { $share } を占める。
explain-distance-advice = 往復を減らす：同時により多くの要求、より大きな要求、開閉の削減。またはアプリケーションをサーバーの近くで動かす。
explain-distance-refuted = サーバーの隣で毎秒 { $rate } 件に届かない。
explain-metadata-claim = 時間を取るのは名前、属性、オープンとクローズである：全呼び出しの時間の { $share }、その中で最も多いのは { $most }。読み書き 1 件につき { $each } 件ある。
explain-metadata-advice = その呼び出しを減らす：ファイルを開いたままにする、小さなファイルを 1 つにまとめる、名前と属性をクライアントにキャッシュさせる。または複数のファイルを同時に処理する。
explain-metadata-refuted = 同じバイトを 1 つのファイルに置いても 毎秒 { $rate } 件に届かない。
explain-credits-claim = サーバーのクレジットが制限である：要求の { $share } が最後のクレジットを使ったか、それを待った。
explain-credits-advice = サーバーがより多くのクレジットを与えるようにする（Windows：Smb2CreditsMax、Samba：smb2 max credits）か、複数の接続を使う。スレッドを増やしても役立たない。
explain-credits-refuted = クレジットが 4 倍でも毎秒 { $rate } 件に届かない。
explain-flushes-claim = 時間を取るのはデータの永続化である：フラッシュは全呼び出しの時間の { $share }、1 回 { $time }、読み書き { $writes } 件ごとに 1 回。
explain-flushes-advice = 複数の書き込みに 1 回フラッシュする（例えば { $together } 件）か、書き込みキャッシュが停電に耐えるストレージを使う。フラッシュを省いてはならない。
explain-flushes-refuted = 4 回分を 1 回のフラッシュにしても毎秒 { $rate } 件に届かない。
explain-small-claim = 要求が小さい：1 件 { $size } で、その時間の { $share } はより大きな要求でも同じである。
explain-small-advice = 一度に { $to } を要求する：アプリケーションの大きなバッファー、先読み、マウントの rsize と wsize。
explain-small-refuted = 4 倍の大きさの要求でも { $bytes } に届かない。
explain-core-claim = 一つのコアが限界である：時間の { $busy } を一つの接続またはスレッドの処理に費やしている。
explain-core-advice = 処理を複数のコアに分ける：接続（マルチチャネル、nconnect）やスレッドを増やす、ネットワークカードの受信側スケーリング、より軽い署名と暗号化。
explain-core-refuted = 接続を 4 倍にしても毎秒 { $rate } 件に届かない。
explain-next-path = 次の制限は経路、そして十分な仕事があればサーバーである。
explain-next-unknown = 次に何が制限するかは、試すまで分からない。
explain-next-server = 次の制限はサーバーである。
explain-next-transfers = 次の制限は読み書きそのものである。

## 結論を出さない理由

explain-too-few-requests = 読み書き { $requests } 件は結論を出すには少なすぎる。{ $needed } 件が必要である。
explain-outstanding-off = 数値が互いに合わない：未完了は平均 { $outstanding } 件で、未完了のない時間は { $idle } である。未完了がある間は少なくとも 1 件あるため、インスタンスまたは時計が誤っている。
explain-little-off = 数値が互いに合わない：毎秒の要求数と各要求の時間の積は { $product } で、未完了は { $outstanding } である（リトルの法則）。単位、インスタンス、または時計が誤っている。
explain-not-steady = 要求の速度が { $at } で毎秒 { $before } 件から { $after } 件に変わった。--from と --to で部分ごとに説明させる。
explain-part = 説明するのは { $begin } から { $end } までの部分で、すべての要求の時間の { $share } を占める。{ $why }
explain-other-part = { $begin } から { $end } まで、すべての要求の時間の { $share }：{ $found }
explain-calls-lost = トレースの { $all } 件の記録のうち { $lost } 件が失われたか壊れています：その数値はアプリケーションのものではありません。
explain-capture-lost = キャプチャが失ったものが多すぎる：パケットまたは断片が { $lost } 個欠けている。
explain-load-failed = { $errors } 件の操作が失敗した：その時間は何も示さない。
explain-encrypted = { $all } 件のメッセージのうち { $hidden } 件は暗号化または圧縮されていて、中を見ることができない。
explain-unanswered = { $messages } 件のメッセージに、キャプチャの中で対応するものがない。

## 予測と 2 回目の記録

explain-change-outstanding = 未完了の要求が { $to } 件のとき
explain-change-no-pauses = アプリケーションの休みがないとき
explain-change-no-metadata = メタデータの呼び出しがないとき
explain-change-no-round-trip = サーバーの隣では
explain-change-credits = クレジットが { $times } のとき
explain-change-flushes = 現在の { $flushes } 回分を 1 回のフラッシュにしたとき
explain-change-size = { $bytes } の要求で
explain-change-connections = 接続が { $times } で
explain-predicted-size = { $change }：{ $low } から { $high }、今は { $today }（{ $least } から { $greatest }）。
explain-predicted = { $change }：毎秒 { $low } から { $high } 件、現在は { $today }（{ $least } から { $greatest }）。
explain-predicted-bytes = 要求の大きさが同じなら { $low } から { $high }。
explain-nothing = これらの数値の中に制限を見つけた規則はない。
explain-time = { $span } のうち { $seconds }、{ $share }
explain-second-factors = スループットは以前の { $bytes }：毎秒の要求数は { $requests }、各要求の大きさは { $size }。
explain-second-parts = 増加の { $requests } は要求の増加、{ $size } は要求の拡大による。後者は予測されていなかった：同じ仕事だろうか。
explain-second-scaling = 未完了の要求は { $outstanding }。その { $efficiency } が毎秒の要求数になった（スケーリング効率）。
explain-second-limit = この 2 点によると、各要求は時間の { $serial } を他の要求待ちに費やし、毎秒 { $limit } 件を超えることは決してない。2 点から言えるのはそこまでで、さらに増やしたとき速度が下がるかどうかは分からない。
explain-second-held = 予測は当たった：毎秒の要求数は { $measured }、予測は { $low } から { $high }。
explain-second-missed = 予測は外れた：毎秒の要求数は { $measured }、予測は { $low } から { $high }。
label-explain-time = 説明する時間
label-explain-evidence = 根拠
label-explain-ruled-out = 除外したもの
label-explain-advice = 助言
label-explain-predicted = 予測
label-explain-next = 次の制限
label-explain-experiment = 実験
label-explain-refuted = 反証の条件
label-explain-withheld = 結論なし
label-explain-abstained = 足りないものがあり判断していない
label-explain-second = 2 回目の記録
explain-proven-gain = 証明された：変更は少なくとも { $least } をもたらし、予測どおりである。
explain-disproven-gain = 反証された：変更がもたらすのは { $least } 未満、または予測より少ない。
explain-proven-keep = 証明された：未完了の要求を半分にしても速度の少なくとも { $least } が保たれる。
explain-disproven-keep = 反証された：未完了の要求を半分にすると、保たれる速度は { $least } 未満である。
explain-proven-no-gain = 証明された：未完了の要求を 2 倍にしても { $most } 未満：意味のある増加はない。
explain-disproven-no-gain = 反証された：未完了の要求を 2 倍にすると { $most } を超える。
explain-undecided = 未定：これらの回では証明も反証もできない。回数を増やせばできるかもしれない（--rounds）。
explain-undecided-more = 未定：この変更の効果は予測を超えた。この所見が述べること以外の要因も働いている。
explain-undecided-elsewhere = 未定：現在の設定はここでは毎秒 { $here } 件、記録では { $recorded } 件。別の対象であるか、キャッシュが応答している。
explain-proof-requests = 毎秒 { $rate } 件
explain-proof-bytes = { $rate }
explain-proof-today = { $setting }：{ $rate }。
explain-proof-setting = { $setting }：{ $rate }、{ $factor }（{ $low } から { $high }）、予測は { $least } から { $most }。
explain-setting-outstanding = 未完了 { $outstanding } 件
explain-setting-pauses = { $pause } の休みあり
explain-setting-no-pauses = 休みなし
explain-setting-files = 要求ごとに一つのファイル
explain-setting-one-file = 同じバイトを一つのファイルに
explain-setting-flushes = { $writes } 回の書き込みごとにフラッシュ
explain-setting-connections = { $connections } 本の接続
explain-setting-size = { $bytes } の要求
explain-prove-distance = この対象では、サーバーまでの道のりをなくす実験はできない：サーバーの隣で同じ負荷を実行し（plumb run）、その記録を二つ目の記録として渡す（plumb explain { $recording } NEAR）。
explain-prove-folder = この実験はファイルを作る：--target はこの機械か共有のフォルダーでなければならない。
explain-prove-share = この実験にはサーバーへの複数の接続が要る：--target は共有（smb://server/share、nfs://server/path）でなければならない。
label-explain-proof = 実験の結果

## ページと図

explain-page-title = 何が { $place } を制限しているか
explain-page-footer = plumb { $version } による説明。予測は 90 % の区間である。壊れた記録、短すぎる記録、一続きでない記録からは結論を出さない。
explain-page-window = { $file }、{ $begin } から { $end }
label-explain-page = 何がアプリケーションを制限しているか、何が役立つか
label-explain-source = 出所
label-explain-curve = スループットと遅延：現在の位置
label-explain-curve-caption = 右ほど IOPS が高く、下ほどレイテンシが低い。点の横の数は未完了の要求数である。
label-explain-curve-seen-caption = 実線：この記録での、未完了の要求数ごとの様子。
label-explain-curve-predicted-caption = 点線と破線の間が、より多くの未完了の要求に対する予測である（信頼度 90 %）。測定値ではない。
label-explain-curve-rate-caption = 網掛けは、最初の結論がその変更について予測する速度である（信頼度 90 %）。測定値ではない。
label-explain-curve-ceiling-caption = 縦線は、今の要求の大きさで、測定において経路が運べた上限である。
label-explain-requests-per-s = 毎秒の要求数
label-explain-time-logarithmic = 要求あたりの時間（対数）
label-explain-ceiling = 測定された上限
label-explain-predicted-least = 予測、少なくとも
label-explain-predicted-most = 予測、多くても
label-explain-seen = この記録
label-explain-measured = 実験での測定
label-explain-here = 現在の位置
label-explain-outstanding = 未完了
explain-curve-alternative = アプリケーションの未完了の要求は { $outstanding } 件、速度は { $rate }、1 件に { $time } かかる。
explain-curve-point = { $what }：未完了 { $outstanding } 件、{ $rate }、1 件 { $time }
label-explain-outstanding-over-time = 未完了の要求の推移
label-explain-time-since-first = 窓の始まりからの時間
explain-outstanding-caption = 送られてまだ応答のない呼び出し、{ $length } ごと。線が底にあればストレージがアプリケーションを待ち、平らであればその数の呼び出し元がストレージを待っている。
explain-outstanding-alternative = { $intervals } 個の区間の未完了の呼び出し。平均の最大は { $most }。
label-explain-size-and-time = 大きさとサービス時間
label-explain-size-and-time-caption = 各行は読み書きの一つの大きさで、濃いほどその時間のものが多い。一行に濃い所が二つあれば、キャッシュとディスクのように二種類のストレージである。
label-explain-service-time-logarithmic = サービス時間（対数）
label-explain-size-up-to = 大きさ（以下）
explain-size-row = { $size }（{ $count }）
explain-size-and-time-alternative = { $sizes } 種類の大きさの読み書きのサービス時間。
label-explain-until = 時間（以下）
label-explain-time-by-command = コマンド別の時間
label-explain-time-by-command-caption = 種類ごとのすべての呼び出しのサービス時間の合計：多く呼ばれたものではなく、時間を使うもの。同時に未完了の呼び出しは別々に数える。
label-explain-sum-of-times = サービス時間の合計
explain-command-alternative = 最も時間を使うのは { $command }：合計 { $time }。
label-explain-commands-note = サービス時間は要求の終わりから応答の終わりまで。フォルダーの変化など何かを待つ呼び出しには割合がない。
trace-page-title = { $source } の呼び出し
trace-page-footer = plumb { $version } による算出。
label-trace-page = アプリケーションがストレージに求めたもの
label-trace-calls-heading = 呼び出し
