### 推移についての文。

## 留意点

runs-with-other-work = 最新の測定と同じ負荷でないため省いた（{ $key } が異なる）：{ $steps } の { $runs }。
run-stalled = { $run } はステップ { $step } から省いた：半分以上のラウンドで 1 件も完了しなかった。
operations-failed-in-steps = { $steps } で操作が失敗した。数値は残りの操作のもの。
errors-of-step-and-run = { $run } の { $step }（{ $errors }）
run-is-doubtful = { $run }：{ $doubts }。
more-runs-are-doubtful = ほかに { $more } 件の測定が終わっていないか、記録が壊れている。
too-few-runs = { $runs } 件の測定では変化を探すには少なすぎる：{ $least } 件以上が必要。2 件なら 'plumb compare' で比較する。
changes-by-chance = { $lines } 個の系列を検定した。実際の変化がなくても 1,000 個に約 1 個は偶然に変化を示す。連続する測定に相関がある場合や、一方への外れ値が多い場合は 100 個に最大 6 個。

## 変化したか判断できない理由

figure-in-too-few-runs = この数値があるのは { $runs } 件。変化は { $least } 件から探す
figure-missing-in-runs = { $runs } 件のうち { $missing } 件は一部のラウンドにこの数値がない（操作が少なすぎる）：変化したか判断できない

## 方法のパラメーター

trend-values = 各測定のラウンドの中央値の対数
trend-runs = { $runs } 件の測定
trend-largest-p-value = { $p }（最良の位置の選択と、連続する測定の相関について補正）
trend-smallest-change = { $change }
trend-drift = 同じ p 値と最小の変化による最小二乗の直線（段差より適合する場合）

## 端末とページ

label-trend-no-runs = 実行がない
label-trend-several-targets = 複数のターゲット
label-trend-several = 複数
trend-days = { $first } から { $last }
trend-subject = プラン { $plan } の実行 { $runs } 回、ターゲット { $target }、{ $days }
trend-subject-on-host = プラン { $plan } の実行 { $runs } 回、ターゲット { $target }、ホスト { $host }、{ $days }
trend-of-plan = プラン「{ $plan }」の推移
label-trend-drift-of-lines = ゆるやかなドリフト（変化した実行は特定できない）
label-trend-slow-drift = ゆるやかなドリフト
label-trend-slow-drift-means = 段差よりも直線のほうがよく合う：変化した実行は特定できない。
label-trend-nothing-asked = 指定されたステップと数値は、これらの実行にはない。
trend-sparklines-last = グラフは直近の { $runs } 回の実行だけを示す。
trend-method = 方法：{ $name }（{ $source }）。
trend-e-divisive = 窓ごとの E-divisive means、検定は Student の t 検定（Hunter、現 Apache Otava）
trend-lines = { $lines } 本の系列（{ $names }）
trend-lines-and-more = { $lines } 本の系列（{ $names }、ほか { $more } 本）
trend-no-change-in = { $lines }に変化はない。
trend-no-change-in-others = その他の { $lines }に変化はない。
trend-no-change-in-any = { $count } 本の系列のいずれにも変化はない。
trend-said-change = { $figure }：{ $when }に{ $change }（{ $values }）、{ $verdict }。
trend-said-drift = { $figure }：緩やかに{ $change }（{ $values }）、{ $verdict }。
trend-cannot-tell-in = { $lines }は判定不能：{ $reason }。
trend-lines-changed = { $lines } 本の系列が変化した
trend-run-of = 実行 { $number } / { $runs }：{ $folder }
label-trend-with-it = 同時の変化
label-trend-nothing-with-it = 記録された環境に変化はない
label-trend-nothing-changed-with-it = 記録された環境は、これとともには変わっていない。
label-trend-changed-with-it = 同時に変わったもの：
trend-more-differences = ほかに { $more } 件の違い（--report、--json）
trend-more-lines = ほかに { $more } 本の系列（--report FILE、--json）
label-trend-not-known = 不明
trend-not-known-because = 不明（{ $reason }）
label-trend-not-looked = 変化は調べていない：下記を参照。
trend-all-runs = 全 { $count } 回の実行
trend-derived-with = plumb { $version } で導出 · このページの数値はすべて各実行の記録による。
trend-more-above = ほか { $count } 件は上の表にある。
trend-more-in-json = ほか { $count } 件は `plumb trend --json` にある。
label-trend-from-to = 変化前 → 変化後
label-trend-run = 実行
label-trend-lowest-round = 最低のラウンド
label-trend-highest-round = 最高のラウンド
label-trend-folder = フォルダー
label-trend-started = 開始
label-trend-host = ホスト
label-trend-tags = タグ
label-trend-runs-in-order = 時刻順の実行
label-trend-response-time = 応答時間
trend-over-runs = { $name }、実行 { $runs } 回。
trend-runs-not-drawn = 実行 { $runs } 回のうち { $drawn } 回を描画：隣り合う組ごとの最小と最大、および変化の前後。すべては `plumb trend --json` にある。
trend-older-runs = これより古い実行 { $count } 回は `plumb trend --json` にある。
trend-caption-change = { $change }（{ $values }、{ $verdict }）。
trend-caption-drift = { $change } のゆるやかなドリフト（{ $values }、{ $verdict }）。
label-trend-no-change = 変化なし。
label-trend-dots = 点は一回の実行の各ラウンドの中央値、線は各ラウンドの範囲。
label-trend-median-of-a-run = 一回の実行の中央値
label-trend-drift = ドリフト
label-trend-mean-of-a-stretch = 変化と変化の間の平均
label-trend-values = 値
label-trend-window = 窓
label-trend-largest-p-value = p 値の上限
label-trend-smallest-change = 最小の変化
label-trend-shortest-stretch = 最短の区間
label-trend-fewest-runs = 最少の測定数
label-trend-parameter-drift = ドリフト
