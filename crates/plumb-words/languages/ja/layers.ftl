### 層についての文。

## 判定

step-in-flight = { $step }（{ $block }、同時 { $requests } 要求）
step-of-mixed-sizes-in-flight = { $step }（同時 { $requests } 要求）
layer-gives-part = { $subject }：{ $top } は { $high } で、{ $bottom } の { $low } の { $share }。
layer-gives-more = { $subject }：{ $top } は { $high }、{ $bottom } は { $low }：{ $change }。
operations-each-second = { $rate }/s
layer-costs-most = { $step }：最もコストの大きい層は { $cost }。
no-layer-costs = { $step }：コストがあると示された層はない。
whether-it-costs-is-undecided = { $step }：コストの有無は判定不能：{ $costs }。
which-costs-most-is-undecided = { $step }：どの層のコストが最大かは判定不能：{ $costs }。
layer-costs-more = { $layer }：{ $other } より要求あたり +{ $cost }（{ $interval }）
layer-costs-less = { $layer }：{ $other } より要求あたり { $cost }（{ $interval }）
interval-not-known = 区間は不明
share-one-at-a-time = { $step }：{ $share } の { $whole } のうち、ストレージだけで { $stored }（{ $storage }）、そのサイズのメッセージで { $carried }。残り { $least } はプロトコル、クライアント、サーバー：1 要求ずつなので重なりはない。
share-with-overlap = { $step }：{ $share } の { $whole } のうち、ストレージだけで { $stored }（{ $storage }）、そのサイズのメッセージで { $carried }。プロトコル、クライアント、サーバーは { $least }（重なりなし）～{ $most }（すべて重なる）。
layer-is-faster = { $step }：{ $above } は { $below } より速く、スループットは { $change }：{ $why }。

## 下の層より速い理由

faster-through-the-page-cache = ページキャッシュを通る（{ $below } は迂回する）：RAM にあるものは下のストレージに届かない
faster-by-the-cache-of-the-server = サーバーはページキャッシュから応答する（{ $below } は迂回する）。ページキャッシュの層（--cached）を加えると比べられる
faster-by-requests-in-flight = 共有では複数の要求が同時に進むが、メッセージのエンジンは 1 件ずつ実行する
faster-in-other-blocks = ファイルのブロックは、読んだデバイスの部分とは別の場所にある：そこではデバイスが速い、キャッシュにある、または一度も書かれていないことがある
faster-for-unknown-reasons = 記録からは理由がわからない：キャッシュ、デバイス上の別の場所、別の CPU などが考えられる

## 層に数値がない理由

device-is-not-written = { $target } には書き込まない：--overwrite={ $target } が必要で、内容は破壊される
peer-cannot-do-this = このピアは同じことができない
layer-has-no-such-step = この測定にそのステップがない
layer-could-not-run = 実行できなかった：{ $error }
layer-rounds-do-not-count = ラウンドは数えない：{ $reason }
layer-never-ran = 一度も実行されなかった
layer-stood-still = 何も完了しなかったラウンドがあった

## キャッシュ

page-cache-bypassed = ページキャッシュを迂回（デバイス自身のキャッシュは迂回しない）
page-cache-because = ページキャッシュ経由：{ $why }
page-cache-used = ページキャッシュ経由：RAM に収まるものはそこから読まれ、ライトはデバイスに届いていないことがある
files-lie-in-memory = ファイルはメモリ上にある：下にストレージはない
network-has-no-storage = ストレージなし
nothing-is-carried-out = 何も実行しない
server-cache-holds-the-file = クライアントにキャッシュなし。サーバーのページキャッシュがある：{ $size } はその RAM { $memory } に収まり、リードはそこから来る
server-cache-is-too-small = クライアントにキャッシュなし。サーバーのページキャッシュがある：{ $size } はその RAM { $memory } に収まらない
server-cache-is-not-known = クライアントにキャッシュなし。サーバーのページキャッシュがある。RAM の大きさは不明

## 留意点

network-layer-has-no-storage = ネットワークの層は同じサイズのメッセージを交換し、ストレージを含まない：ライトには送信、リードには受信、1 要求ずつのところではピンポン。共有がその上だけに載る層ではなく、その時間はストレージの時間と並んで共有の時間に含まれ、両者は重なることがある。
layers-measured-each-by-itself = 各層は別々に測定した：その間に変わったことはすべて差に含まれる。
too-few-rounds-of-layers = { $least } ラウンド未満では何も判定しない：偶然かもしれない。
one-machine-for-both-ends = 1 台のマシン：クライアントとサーバーが CPU を共有し、ネットワークは線のないループバック。CPU の値は両端の合計。
nobody-watched-the-server = CPU の値はクライアントのもの：サーバーは観測していない。サーバーで `plumb agent` を起動し、--agent で指定する。
machine-of-layers-was-busy = 各層の測定時、{ $host } の CPU は他の処理で { $busy } 使われていた：各層の値と層間の差はその影響かもしれない。空いているマシンで測り直す。
layer-lies-in-memory = { $layer }（{ $target }）：ファイルはメモリ上（{ $kind }）にあり、値はディスクではなくメモリのもの。評価するストレージ上のディレクトリを --files で指定する。
one-core-of-server-is-full = { $layer }、{ $step }：サーバーのコア { $core } は { $busy } ビジーで、全コアの平均は { $all }：1 本の接続は 1 つのコアで処理される。スレッド（それぞれがセッションのチャネル）を増やすか、サーバーで受信側スケーリングを有効にすると分散する。
fewer-requests-in-flight = { $layer } では同時の要求が指定より少なかった：{ $steps }。そこでの要求あたりの時間は、そのスループットでの値。
requests-in-flight-of-step = { $step }（{ $asked } のうち { $achieved }）

## 端末とページ

layered-step = { $step }：実行中のリクエスト { $requests } 個
layered-step-of-blocks = { $step }：{ $block }、実行中のリクエスト { $requests } 個
layers-from-the-storage-up = { $layers } 層、ストレージから上へ
layers-measured-on = { $layers } 層、{ $host } で測定、ストレージから上へ
layer-measured-on = { $host } で測定
layer-against = { $other } との比較
layers-from-to = { $bottom } から { $top } まで
label-layers = 層
layers-question = { $layers } 層のそれぞれのコスト
layers-derived-with = plumb { $version } による層の測定 · このページの数値はすべて各層の記録から導いた。
layer-is-doubtful = 疑わしい点：{ $doubt }
label-layers-nothing = 何も言えない：二つの層で数値のあるステップがない。
label-layers-where-it-goes = 層ごとのスループット
label-layer-bandwidth = 帯域幅
label-layer-iops = IOPS
label-layer-per-request = リクエスト当たり
label-layer-cost = コスト
label-layer-of-the-one-below = 下の層に対して
label-layer-cpus-busy = 使用中の CPU
label-layer-measured-latency = 実測レイテンシ
label-layer-cpu-of-threads = 負荷スレッドの CPU
layers-time-per-request-of = リクエスト当たりの時間、{ $step }
layers-cpu-over-time-of = { $lines } の CPU 使用率の推移。
label-layers-in-blocks = すべての層は同じブロックの中で、ブロックごとに抽選した順序で実行し、ブロックごとに比較した。
label-layers-by-themselves = 各層は別々に測定した。
layers-intervals = 単位：ラウンド。区間は 100 回中 { $cases } 回真の値を含む。比が { $threshold } % 以内なら実用上は同じとみなす。
label-layers-time-per-request = リクエスト当たりの時間は、実行中のリクエスト数を毎秒の操作数で割ったもの（リトルの法則）。コストは、ある層が下の層より多く要する時間。ある層で待つリクエストは別の層を空けるとは限らない：複数が実行中なら層は重なり、スループットのコストは足し合わせられるとは限らない。
label-layers-cpus-busy-means = 使用中の CPU：負荷をかけたマシンの全プロセスの平均。プラス記号の後はサーバーのもの。
