### 推移についての文。

## 留意点

runs-with-other-work = 最新の測定と同じ負荷でないため省いた（{ $key } が異なる）：{ $steps } の { $runs }。
run-stalled = { $run } はステップ { $step } から省いた：半分以上のラウンドで 1 件も完了しなかった。
operations-failed-in-steps = { $steps } で操作が失敗した。数値は残りの操作のもの。
errors-of-step-and-run = { $run } の { $step }（{ $errors }）
run-is-doubtful = { $run }：{ $doubts }。
more-runs-are-doubtful = ほかに { $more } 件の測定が終わっていないか、記録が壊れている。
too-few-runs = { $runs } 件の測定では変化を探すには少なすぎる：{ $least } 件以上が必要。2 件なら 'plumb compare' で比較する。
changes-by-chance = { $lines } 本の線を調べた。何も変わっていなくても 1,000 本に約 1 本は変化を示す。各測定が前の測定に似ている場合や、ときどき一方へ大きく外れる場合は 100 本に最大 6 本。

## 変化したか判断できない理由

figure-in-too-few-runs = この数値があるのは { $runs } 件。変化は { $least } 件から探す
figure-missing-in-runs = { $runs } 件のうち { $missing } 件は一部のラウンドにこの数値がない（操作が少なすぎる）：変化したか判断できない

## 方法のパラメーター

trend-values = 各測定のラウンドの中央値の対数
trend-runs = { $runs } 件の測定
trend-largest-p-value = { $p }（最良の位置の選択と、隣り合う測定の類似について補正）
trend-smallest-change = { $change }
trend-drift = 同じ p 値と最小の変化による最小二乗の直線（段差より適合する場合）
