### 測定の図：題、説明、軸、表。

## 軸と列

label-operations-per-second = 毎秒操作数
label-operations-per-second-logarithmic = 毎秒操作数（対数）
label-bandwidth-logarithmic = 帯域幅（対数）
label-response-time-logarithmic = 応答時間（対数）
label-mean-response-time = 平均応答時間
label-time-since-the-start = 測定開始からの時間
label-core = コア
label-round = ラウンド
label-block-size = ブロックサイズ
label-message-size = メッセージサイズ
label-message-size-logarithmic = メッセージサイズ（対数）
label-time-one-way-logarithmic = 片道時間（対数）
label-share-of-operations-this-quick = この時間以内に完了した操作の割合
label-time = 時間
label-until = ここまで
label-steps = ステップ
label-load = 負荷
label-lowest-round = 最低ラウンド
label-highest-round = 最高ラウンド
label-median = 中央値
label-99th-percentile = 99 パーセンタイル
label-longest = 最長
label-steady = 定常状態
label-not-steady = 定常状態でない

## 説明

label-stalls-at-the-edge = 操作が 1 件も完了しなかった間隔は下端に短い線で示す。
label-throughput-over-time = スループットの推移
label-throughput-over-time-caption = 間隔ごとに 1 つの値。網掛けは各ステップの実行区間で、ポインターを置くと名前が出る。
chart-throughput-over-time-alternative = 実行した { $count } ステップの毎秒操作数の推移（{ $kinds }）。
label-bandwidth-over-time = 帯域幅の推移
label-bandwidth-over-time-caption = 間隔ごとに 1 つの値。ブロックサイズはステップごとに異なる。
chart-bandwidth-over-time-alternative = 実行した { $count } ステップの毎秒バイト数の推移（{ $kinds }）。
label-bandwidth-by-block-size = ブロックサイズ別の帯域幅
label-bandwidth-by-block-size-caption = ブロックサイズごとの毎秒バイト数。ひげは最低と最高のラウンドを示す。
label-cpu-of-each-core = コア別の CPU 使用率
label-cpu-of-each-core-caption = 全プロセスの合計。1 行だけ濃い場合は 1 スレッドがそのコアを使い切っており、限界はストレージではなくプロセッサにある。
chart-cpu-alternative = { $cores } コア、{ $intervals } 間隔の CPU 使用率（各コアに対する百分率）。
label-host-scaling = ホスト数に対するスループット
label-host-scaling-caption = 1 つのステップの全ホストの合計。百分率は線形スケーリング（破線）に対する割合。線が水平になるところでは、共有リソースが限界である。ひげは最低と最高のラウンド。
label-hosts = ホスト数
host-scaling-alternative = { $group }：{ $hosts } 台のホストの合計 { $rate }、比例した伸びの { $efficiency }。
host-scaling-point = { $group }、{ $hosts } 台のホスト：{ $rate }、線形スケーリングの { $efficiency }
label-hosts-over-time-rates = ホスト別の毎秒操作数
hosts-over-time-rates-caption = ホストの全ランクの合計。最も濃いセルは { $full }/s。薄い行は得る量の少ないホスト、薄い列は全ホストが少なかった時点で、その場合は共有しているものに原因がある。
hosts-over-time-rates-alternative = { $hosts } 台のホスト、{ $intervals } 間隔の毎秒操作数。
label-hosts-over-time-longest = ホスト別の最長の操作
hosts-over-time-longest-caption = 発行から完了まで。最も濃いセルは { $full }。濃い列はストレージが全ホストを待たせた時点、濃いセル 1 つは 1 台のホストだけである。
hosts-over-time-longest-alternative = { $hosts } 台のホスト、{ $intervals } 間隔の最長の操作。
chart-first-intervals = 全 { $count } 間隔のうち最初の { $shown }。すべては測定フォルダーにある。
chart-first-rounds = 全 { $count } ラウンドのうち最初の { $shown }。すべては --json で得られる。
label-device-count = デバイス自身のカウンター
label-device-count-caption = 実線：デバイス自身の計数、破線：plumb の要求。キャッシュが応答したり要求が併合されるとデバイスの計数は少なく、分割されたりほかの利用者がいると多くなる。
chart-device-alternative = デバイス自身のカウンターによる毎秒操作数（{ $kinds }）と plumb の計数。
label-plumbs-reads = plumb のリード
label-plumbs-writes = plumb のライト
label-latency-over-time = レイテンシの推移
label-latency-over-time-caption = 各間隔に完了した操作の応答時間（全種類）。空白はサンプルが少なすぎる間隔。網掛けにポインターを置くとステップ名が出る。
label-latency-by-kind-over-time-caption = 各間隔に完了した操作の応答時間（操作の種類別）：実線は中央値、破線は 99 パーセンタイル。空白はサンプルが少なすぎる間隔。網掛けにポインターを置くとステップ名が出る。
chart-latency-over-time-alternative = 実行した { $count } ステップの応答時間の中央値、99 パーセンタイル、最長の推移。
label-bandwidth-by-message-size = メッセージサイズ別の帯域幅
label-bandwidth-by-message-size-caption = ピンポンでは同時に 1 件だけ送る：サイズを往復時間の半分で割った値。送信と受信は一方向のストリーム。
label-time-by-message-size = メッセージサイズ別の片道時間
label-time-by-message-size-caption = ピンポンの往復時間の中央値の半分。NetPIPE のレイテンシと同じ定義。
chart-value-with-size = { $size } で { $value }
chart-from-to = { $name }：{ $first } から { $last } まで。
label-latency-by-percentile = パーセンタイル別のレイテンシ
label-latency-by-percentile-caption = 最も遅い操作はどれだけかかるか：9 が 1 つ増えるごとに頻度は 10 分の 1 になる。サンプルが足りなくなる所で線は終わる。
chart-further-steps = ほかに { $count } ステップが全ステップの表にある。
chart-within = { $name }：{ $share } が { $time } 以内
chart-operations-within = { $name }：操作の { $share } が { $time } 以内。
label-rounds-in-order = ラウンドの順
label-rounds-in-order-caption = 破線はウィンドウ（網掛け）の線形近似。
chart-further-tracked-steps = ほかに { $count } の追跡ステップがラウンドの表にある。
chart-value-in-round = { $name }、ラウンド { $round }：{ $value }
chart-steady = ラウンド { $round } の後に定常状態：数値はラウンド { $first }～{ $round } のもの。
chart-not-steady = { $round } ラウンド後も定常状態でない：数値はラウンド { $first }～{ $round } のもの。
label-no-whole-round = 完全なラウンドがない。
label-small-files = 小さなファイルの操作
label-small-files-caption = 種類ごとの毎秒操作数。ひげは最低と最高のラウンドを示す。
label-throughput-and-latency = スループットとレイテンシ
chart-each-point-is-a-step = 各点が 1 ステップ。横の数字はその { $key }。
label-median-and-tail-drawn = 実線：応答時間の中央値、破線：99 パーセンタイル。
label-only-median-drawn = 図は応答時間の中央値。裾は表にある。
label-right-is-more = 右ほど IOPS が高く、下ほどレイテンシが低い。
label-ring-marks-the-knee = 丸印は、負荷を増やしてもレイテンシが増えるだけになる点。
chart-point = { $group }、{ $key } { $load }：{ $rate }、中央値 { $median }、99 % { $p99 }
chart-rate-with-median = { $key } { $load } で { $rate }（応答時間の中央値 { $median }）
chart-knee-from = 。{ $key } { $load } からは負荷を増やしてもレイテンシが増えるだけ
chart-curve = { $group }：{ $first } から { $last } まで{ $knee }。

label-layers-throughput = 各層のスループット
label-layers-operations = 各層の小さな要求
label-layers-caption = 全層で同じ負荷。ストレージが左端。ひげはラウンド平均の区間。
label-layer = 層
label-layer-below-all = 最下層
label-layer-added = 増加分
label-layer-gained = 減少分
label-layer-messages = メッセージのみ（共有に含まれる）
label-layers-time-caption = 各棒は下の層の終わりから始まる。ひげは増分の区間。メッセージは単独で測定しており、複数の要求を同時に実行するとストレージの時間と重なる。
label-time-per-request = 要求あたりの時間

label-cpu-over-time = CPU 使用率の推移
label-cpu-over-time-caption = 各層の実行中の、マシンの全プロセスの使用率（全 CPU に対する百分率）。ほかの層の順番では線が途切れる。
label-cpu-use = CPU 使用率

# Executions and lines over time.

step-in-round = { $step }、ラウンド { $round }
device-reads = { $device } のリード
device-writes = { $device } のライト
device-bytes-read = { $device } の読み取り
device-bytes-written = { $device } の書き込み
