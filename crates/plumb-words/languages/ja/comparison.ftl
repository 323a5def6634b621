### 比較の結果。

## 指標と変化

figure-iops = IOPS
figure-bandwidth = 帯域幅
figure-mean = 平均レイテンシ
figure-cpu = 操作あたりの CPU
figure-percentile = { $percentile }
figure-and-time = { $figure } { $time }
step-and-figure = { $step }、{ $figure }
step-figure-and-kind = { $step }、{ $operations }の { $figure }

completes-more = 毎秒の{ $operations }が { $amount } 多い{ $interval }
completes-fewer = 毎秒の{ $operations }が { $amount } 少ない{ $interval }
completes-times-as-many = 毎秒の{ $operations }が { $amount }{ $interval }
moves-more = 毎秒のバイト数が { $amount } 多い{ $interval }
moves-fewer = 毎秒のバイト数が { $amount } 少ない{ $interval }
moves-times-as-many = 毎秒のバイト数が { $amount }{ $interval }
moves-more-by = { $operations }による毎秒のバイト数が { $amount } 多い{ $interval }
moves-fewer-by = { $operations }による毎秒のバイト数が { $amount } 少ない{ $interval }
moves-times-as-many-by = { $operations }による毎秒のバイト数が { $amount }{ $interval }
needs-more-cpu-time = 操作あたりの CPU 時間が { $amount } 多い{ $interval }
needs-less-cpu-time = 操作あたりの CPU 時間が { $amount } 少ない{ $interval }
needs-times-as-much-cpu-time = 操作あたりの CPU 時間が { $amount }{ $interval }
is-longer = { $time }が { $amount } 長い{ $interval }
is-shorter = { $time }が { $amount } 短い{ $interval }
is-times-as-long = { $time }が { $amount }{ $interval }
its-mean = 応答時間の平均
its-median = 応答時間の中央値
its-percentile = { $percentile } パーセンタイル
mean-of-its = { $operations }の応答時間の平均
median-of-its = { $operations }の応答時間の中央値
percentile-of-its = { $operations }の { $percentile } パーセンタイル
between-times = （{ $low }～{ $high } 倍）
between-changes = （{ $low }～{ $high }）

## 判定

nothing-could-be-compared = 比較できるものがなかった。
nothing-could-be-compared-but-refused = 比較できるものがなかった：{ $refused } 件のステップまたは数値は、それぞれの理由で比較を拒否した。
compares-a-run-with-itself = A と { $side } は同じ記録：測定を自分自身と比較しており、何も示さない。
side-fails = { $side } はほかの側にない失敗がある：{ $steps } で{ $failures }。失敗する側は速いとはいえない。
side-fails-in-several-steps = { $side } はほかの側にない失敗が { $steps } にある。その最初では{ $failures }。失敗する側は速いとはいえない。
no-figure-in-common = { $side } と A に共通の数値がない。
all-figures-are-the-same = { $side } は { $all } 件の数値すべてで A と { $threshold } 以内で同等。
side-came-out = { $first }{ $better }{ $same }{ $undecided }。
side-is-worse-in = { $side } は { $all } 件中 { $count } 件の数値で A より悪い
side-is-better-in = { $side } は { $all } 件中 { $count } 件の数値で A より良い
side-is-the-same-in = { $side } は { $all } 件中 { $count } 件の数値で A と同等
side-is-worse-in-all = { $side } は { $all } 件の数値すべてで A より悪い
side-is-better-in-all = { $side } は { $all } 件の数値すべてで A より良い
and-better-in = 、{ $count } 件で良い
and-the-same-in = 、{ $count } 件で同等
and-undecided = 、{ $count } 件は判定不能
nothing-is-decided = { $side } と A の間では何も判定できない：{ $all } 件の数値すべてが判定不能。
no-verdict-of-one-round = { $side } については判定できない：A は { $ours }、{ $side } は { $theirs } で、1 ラウンドではばらつきがわからない。{ $advice }
no-verdict-of-few-rounds = { $side } については判定できない：A は { $ours }、{ $side } は { $theirs } で、これほど少ないと偶然かもしれない。{ $advice }
rounds-of-a-side = { $rounds } ラウンド
let-program-measure-both = { $program } で両方を { $rounds } 回以上測り、それぞれの結果を 1 つの測定のラウンドとして取り込む（plumb import --rounds FILES）。
let-program-measure-side = { $program } で { $side } を { $rounds } 回以上測り、結果を 1 つの測定のラウンドとして取り込む（plumb import --rounds FILES）。
measure-both-by = 両方を { $rounds } ラウンドで測る：`{ $command }`。
measure-side-by = { $side } を { $rounds } ラウンドで測る：`{ $command }`。
measure-side = { $side } を { $rounds } ラウンド以上で測る。
step-is-better = { $step }：{ $side } のほうが良い：{ $effects }。
step-is-worse = { $step }：{ $side } のほうが悪い：{ $effects }。
more-steps-differ = ほかに { $more } ステップが異なる：表を参照。
more-rounds-decide-all = 各側あと約 { $rounds } ラウンドで、判定不能の { $all } 件はおそらくすべて判定できる。{ $turns }
more-rounds-decide-some = 各側あと約 { $rounds } ラウンドで、判定不能の { $all } 件のうち { $decided } 件はおそらく判定できる。{ $turns }
turns-may-take-fewer = 交互に測る（`plumb compare --live`）か、ラウンドを長くすれば、もっと少なくて済むことがある。
figures-in-common-with-published = { $first } と { $second } に共通の数値は { $figures } 件。公表値は別の構成の 1 ラウンドなので、判定はせず位置だけを示す。
figure-is-times-the-other = { $step }：{ $first-side } では { $first }、{ $second-side } では { $second }。{ $a } に対する { $b }：{ $ratio }。
figures-are-equal = { $step }：{ $first-side } は { $first }、{ $second-side } は { $second }：等しい。
published-side = { $side }（公表値）
measured-side = { $side }
more-in-the-table = ほかに { $more } 件が表にある。
published-figures-measured = { $measured ->
    [0] { $experiment } の { $figures } 行はいずれも測定されていない。
   *[other] { $experiment } の { $figures } 行のうち { $measured } 行を測定した。公表された数値は別の環境での 1 ラウンドであり、判定せずに参考として示す。
}
one-figure-against-published = { $run } と { $system } の比較: { $low } ({ $low-row })。
figures-against-published = { $run } と { $system } の比較、{ $figures } 件: { $low } ({ $low-row }) から { $high } ({ $high-row }) まで。
one-figure-times-published = { $run } と { $system } の比較: 公表値の { $low } ({ $low-row })。
figures-times-published = { $run } と { $system } の比較、{ $figures } 件: 公表値の { $low } ({ $low-row }) から { $high } ({ $high-row }) まで。
pinning-changed = CPU への固定: { $all } 通りの設定のうち { $shown } 通りで、区間が「変化なし」を含まない。IOPS の最大の変化は { $change } ({ $interval }): { $test }、{ $workers } x { $depth } (ワーカー数 x 深さ)。
pinning-interval = { $low } から { $high }
pinning-without-interval = 区間なし: 1 ラウンドのみ

## 判定の理由

interval-within-threshold = 区間が { $threshold } 以内にある
difference-beyond-threshold = { $threshold } を超える差が示された
difference-not-beyond-threshold = 差は示されたが、{ $threshold } を超えるとは示されない
difference-shown-but-failing = 差は示されたが、{ $side } では{ $failures }
beyond-threshold-but-not-among-many = 単独なら { $threshold } を超える差といえるが、{ $tested } 件の中では偶然でも起こりやすい
difference-but-not-among-many = 単独なら差といえるが、{ $tested } 件の中では偶然でも起こりやすい
rounds-scatter-too-much = ラウンドのばらつきが大きく、差も { $threshold } 以内の同等も示せない
rounds-give-no-interval = ラウンドから区間が得られない
machine-not-the-same = 両側でマシンの状態が同じでない、または空いていなかった
machine-not-the-same-because = 両側でマシンの状態が同じでない、または空いていなかった：{ $evidence }
too-few-operations-to-state = { $side } の { $all } ラウンドのうち { $few } は操作が少なすぎて、この数値を示せない
side-has-no-such-figure = { $side } にこの数値がない
round-of-side-stood-still = { $side } のあるラウンドでは何も完了しなかった：比を求められない
too-few-whole-blocks = 完全なブロックが少なすぎる：1 つではばらつきがわからない
too-few-rounds-a-side = 各側 { $least } ラウンド未満では、偶然かもしれない
side-has-one-round = { $side } は 1 ラウンドだけで、ばらつきがわからない
one-round-shows-no-spread = 1 ラウンドではばらつきがわからない
published-figure-is-one-round = 公表値は 1 ラウンドで、ばらつきがわからない
published-figure-below-all-rounds = 公表値は 1 ラウンドで、ばらつきがわからない。{ $side } の { $rounds } ラウンドすべてより低い
published-figure-above-all-rounds = 公表値は 1 ラウンドで、ばらつきがわからない。{ $side } の { $rounds } ラウンドすべてより高い
published-figure-above-some-rounds = 公表値は 1 ラウンドで、ばらつきがわからない。{ $side } の { $rounds } ラウンドのうち { $some } より高い
sides-are-the-same-record = { $a } と { $b } は同じ記録

## 比較しなかったもの

no-figure-for-all-sides = 全側について示せる数値がない：ラウンドの操作が少なすぎる
step-could-not-run-on = { $side } で実行できなかった：{ $error }
step-never-ran-on = { $side } で一度も実行されなかった
no-round-ended-as-it-should = { $side } で正しく終わったラウンドがない
side-has-no-such-step = { $side } にこの名前のステップがなく、この負荷だけを行うステップもない
not-the-same-work = 同じ負荷でない：{ $differences }
key-differs = { $key } は A で { $on-a }、{ $side } で { $on-b }
not-set = 未設定
publication-has-no-value = 公表資料に値がない
no-such-figure-is-compared = plumb はこの種類の数値を比較しない
no-workload-does-this = plumb のどの負荷もこれを行わない
no-step-did-this-work = この負荷を行ったステップがない
others-have-no-such-figure = ほかの側にこの名前の数値がない
differs-from-published = { $key } が { $published } ではなく { $measured }
nearest-step-differs-from-published = 最も近いステップは { $step } だが、{ $differences }
no-step-stands-for = { $test } に対応するステップがない
step-has-no-such-figure = このステップにこの数値がない
file-fits-into-memory-here = ファイル ({ $size }) がメモリー ({ $memory }) に収まる。公表された測定では収まらなかった
file-is-larger-than-memory-here = ファイル ({ $size }) がメモリー ({ $memory }) より大きい。公表された測定ではそうではなかった

## 失敗

blocks-not-as-written = { $blocks } ブロックが書いたとおりに読み出せなかった
copies-were-not-whole = { $copies } 件のコピーがコピー元と一致しない
some-operations-failed = { $all } 回の操作のうち { $failed } 回が失敗した
rounds-failed = { $rounds } ラウンドが実行できなかったか、エラーで終わった
failures-of-side = { $step } の { $side }：{ $failures }。
more-steps-fail-on-one-side = ほかに { $more } ステップで片側だけに失敗がある。

## マシン

machine-was-not-the-same = A と { $side } を測ったとき、{ $steps } でマシンの状態が同じでない、または空いていなかった：{ $evidence }。それが差のすべてかもしれないため、A に対する { $side } の区間を{ $widened }広げた。`plumb compare --live` は同じマシンで両方を測る。
widened-by-more-than-half = 半分より大きく
widened-by-up-to = 最大 { $part }
workers-waited-for-a-cpu = スレッドが CPU を待った時間は { $a } で { $on-a }、{ $b } で { $on-b }
other-programs-took-cpus = ほかのプログラムが使った CPU は { $a } で { $on-a }、{ $b } で { $on-b }
hypervisor-took-cpus = ハイパーバイザーが取った時間は { $a } で { $on-a }、{ $b } で { $on-b }
operation-took-cpu-time = 操作あたりの CPU 時間は { $a } で { $on-a }、{ $b } で { $on-b }
tasks-waited-for-a-cpu = タスクが CPU を待った時間は { $a } で { $on-a }、{ $b } で { $on-b }
unknown-part = 不明な割合

## 測定の時期

measured-each-by-itself = 各側は別々に測定した：その間に変わったことはすべて差に含まれる。`plumb compare --live` は交互に測る。
measured-at-different-times = 各側は別々に測定し、{ $last } は { $first } の { $time } 後だった：その間に変わったことはすべて差に含まれる。`plumb compare --live` は交互に測る。
less-than-an-hour = { $time }
hours = { $hours } 時間
days = { $days } 日
sides-have-the-same-record = { $a } と { $b } は同じ記録：自分自身との比較になる。
doubt-run-was-interrupted = 測定が中断された：終わらなかったラウンドは省いた
doubt-run-has-no-end = 測定が強制終了されたか実行中：終わらなかったラウンドは省いた

## 数値のラウンド

rounds-left-out = { $rounds } ラウンドを省いた：{ $reason }
round-could-not-run = 実行できなかった
round-did-not-end = 終わらなかった
round-was-interrupted = 中断された
round-was-skipped = キー s で飛ばされた
round-ended-with-an-error = エラーで終わった
round-has-no-measured-time = 測定時間がない
too-few-operations-for = { $figure } には操作が少なすぎる
rounds-resemble-their-neighbours = 連続するラウンドに相関がある：区間を { $factor } に広げた
drifts-over-rounds = ラウンドを通じて変動：最初から最後まで { $ratio }
drifts-within-rounds = ラウンド内で変動：最初の 3 分の 1 から最後の 3 分の 1 まで { $ratio }
two-modes-of-rounds = 2 つの水準：ラウンドの { $share } が { $high } 付近、ほかは { $low } 付近
two-modes-of-intervals = 2 つの水準：間隔の { $share } が { $high } 付近、ほかは { $low } 付近
rounds-far-from-the-others = ラウンド { $rounds } がほかから離れている

## 複数ステップにわたる側のラウンド

rounds-of-side-left-out = { $steps } で { $side } のラウンドを省いた：{ $reason }。
figure-not-compared = { $steps } では { $figure } を比較しない：ラウンドの操作が少なすぎる。ラウンドを長くするとよい。
intervals-are-widened = { $steps } では連続するラウンドに相関がある：A に対する { $side } の区間を広げた。`plumb compare --live` ではこれが起こらない。
side-drifts-over-rounds = { $steps } で { $side } の数値がラウンドごとに変動する：値は測った時期による。
side-drifts-within-rounds = { $steps } で { $side } のスループットがラウンド内で変動する：落ち着いておらず、ラウンドを長くすると別の値になる。
side-has-two-modes-of-rounds = { $steps } で { $side } のラウンドが 2 つの水準に分かれる：値は実際に現れる 2 つの間にある。
side-has-two-modes-of-intervals = { $steps } で { $side } の間隔が 2 つの水準に分かれる：値は実際に現れる 2 つの間にある。
side-has-rounds-far-from-the-others = { $steps } で { $side } の一部のラウンドがほかから離れている。

## --fail-if の条件

condition-looks-at-nothing = 「{ $condition }」に当てはまる数値がない：ステップ名と指標を確かめる
condition-failed = 不合格：{ $failed }
condition-failed-and-unproven = 不合格：{ $failed }。限度を超えたが確かとはいえないもの：{ $unproven }
condition-unproven = 限度を超えたが確かとはいえない：{ $unproven }
condition-held = { $figures } 件の数値はどれも限度を超えない
condition-not-tested = { $figures } 件の数値はどれも限度を超えないが、うち { $untested } 件はラウンドか操作が少なすぎて検定できない
figure-changed = { $side } の { $figure }：{ $change }
figure-changed-not-shown = { $side } の { $figure }：{ $change }（{ $why }）
not-among-so-many-figures = 単独ではいえるが、これほど多くの数値の中ではいえない

## 方法

method-unit = 単位はラウンド：ステップの 1 回の繰り返しが、操作の数によらず 1 つの値を与える。
method-values = 値はラウンドの刈り込み幾何平均：対数上で両端を 1 割ずつ除く（10 ラウンド未満では除かない）。
method-independent = 各側は別々に測定した：比の { $confidence } 区間は、不等分散の刈り込み t 検定（Yuen, Biometrika 61, 1974）により、隣り合うラウンドが似ている分だけ広げた。側は 1 回のセッションであり、セッション間の差はわからない：0.5 % とみなし、記録からわかる限りマシンが各側から奪いえた分（CPU 待ち、ほかのプログラムとハイパーバイザーの CPU 時間、操作あたりの CPU 時間）だけ区間を広げた。
method-blocks = 各側は無作為な順序のブロックで実行した：比の { $confidence } 区間は、ブロック内の差の 1 標本刈り込み t 検定（Tukey and McLaughlin, Sankhya A 25, 1963）による。
method-holm = { $tested } 件の効果をまとめて検定し、p 値をその数で補正した（Holm, Scandinavian Journal of Statistics 6, 1979）。
method-verdicts = 同等：区間全体が { $threshold } 以内。改善・悪化：区間全体が { $threshold } を超え、{ $threshold } に対する検定が全効果の中で成り立つ。判定不能：どちらでもない。--fail-if の条件は、その限度に対して同じ方法で検定する。
method-resolution = ラウンドの数値の分解能も区間に含む：パーセンタイルはヒストグラムの区間幅の半分、レートは操作の半分。

difference-jobs = 同時に動くジョブ
difference-rounds = 計画全体の繰り返し
difference-engine = 実際に動いたエンジン
difference-engine-options = 有効だったエンジンのオプション
difference-clock = 時刻の取得元
difference-size = 使うターゲットの範囲（全スレッド）
difference-direct = ページキャッシュを迂回
difference-plumb-version = plumb のバージョン
difference-target = ターゲット
difference-known-facts = 判明している環境の情報
machine-waited-for-cpu = 負荷発生器のスレッドが CPU を待った時間の割合
machine-others-cpu = ほかのプログラムが使った全 CPU の割合
machine-stolen-cpu = ハイパーバイザーがほかに与えた使用中 CPU の割合
machine-cpu-pressure = いずれかのタスクが CPU を待った時間の割合
machine-cpu-per-operation = 負荷発生器の操作あたり CPU 時間
