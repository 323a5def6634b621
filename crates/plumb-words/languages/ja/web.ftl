### What `plumb serve` shows in a browser.

web-title = plumb: { $title }
label-web-library = ライブラリ
label-web-message = 実行されませんでした
label-web-filter = 絞り込む
label-web-all = すべての測定を表示
label-web-tag = タグ
label-web-since = 開始日
label-web-until = 終了日
label-web-choose = 選択
label-web-compare = 選択した測定を比較
label-web-trend = 推移
label-web-bandwidth = 最大帯域幅
label-web-iops = 最大 IOPS
label-web-latency = 最小中央値レイテンシ
label-web-best-of = 値は測定の全ステップのうち最良のもので、その下に該当するステップを示します。
label-web-running = 測定中
label-web-interrupted = 中断
label-web-incomplete = 不完全
label-web-empty = ここにはまだ測定がありません。plumb check で作成できます。
label-web-none = この条件に合う測定はありません。
label-web-newer = 新しい測定
label-web-older = 古い測定
label-web-choose-one = 推移は 1 つのプラン、1 台のホスト、1 つのターゲットについてのものです。選択してください:
web-page = { $page } / { $pages } ページ
web-pending = { $count } 件の測定の値をまだ読み込んでいます。
web-links = { $count } 個のシンボリックリンクはたどりませんでした。

## A run that goes on

web-live-title = { $plan }、ターゲット { $target }
label-web-live-note = 記録の書き込みに合わせて読み取ります。各区間は記録から 1 秒以内に表示されます。
label-web-live-needs-script = JavaScript がない場合、このページは読み込んだ時点の状態を示します。再読み込みすると更新されます。
label-web-ended = 測定が終了しました。
label-web-ended-early = 測定は中断されました。それまでの測定は記録されています。
label-web-stands-still = この記録には 15 秒間何も追加されておらず、終わりもありません。測定が強制終了されたか、待機しています。
label-web-report = レポートページ
label-web-live = ライブページ
label-web-now-iops = IOPS
label-web-now-bandwidth = 帯域幅
label-web-now-p50 = 中央値レイテンシ
label-web-now-p99 = 99 パーセンタイル
label-web-steps-ended = 終了したステップ
label-web-step = ステップ
label-web-round = ラウンド

## Starting and stopping

label-web-start = プランを開始
label-web-start-button = 開始
label-web-stop = 停止
label-web-needs-script = 開始と停止には JavaScript が必要です。
label-web-being-prepared = 準備中
web-preparing = { $plan }（ターゲット { $target }）を準備しています。測定の前にテストファイルを書き込みます。
web-current = { $plan }（ターゲット { $target }）を実行しています
web-not-carried-out = { $plan }（ターゲット { $target }）は実行されませんでした: { $error }
label-web-nothing-runs = ここから開始された測定はありません。
label-web-busy = すでにプランが実行中です。同時に 2 つ実行すると互いに影響します。停止するか、終了を待ってください。
label-web-read-only = このサーバーは測定を表示するだけです。開始と停止はサーバーの起動時に許可する必要があります: plumb serve --allow-run PLAN --allow-target TARGET
label-web-not-allowed = このプランまたはターゲットは、ここで開始できるものに含まれていません。

## Refusals

label-web-token = このページにはトークンが必要です。plumb serve が起動時に表示したアドレスを開いてください。
label-web-token-field = トークン
label-web-enter = 入る
label-web-wrong-host = ブラウザのアドレスにあるホスト名は、このサーバーのものではありません。IP アドレスか localhost を使うか、--name NAME を付けて起動してください。
label-web-cross-site = 別のサイトからのリクエストなので拒否しました。
label-web-not-found = このページは存在しないか、測定がライブラリからなくなっています。
label-web-method = このアドレスはその種のリクエストを受け付けません。
label-web-request = リクエストを解釈できません。
label-web-two-runs = 比較する測定を 2 件から 8 件選択してください。
label-web-too-large = この記録はブラウザで表示するには大きすぎます。plumb show で読み取れます。
label-web-no-regular-file = この記録には通常ファイルでないものが含まれているため、読み取りません。
label-web-too-long = 記録が大きいか、ほかの記録を読み込み中のため時間がかかっています。少し待って再読み込みしてください。
label-web-failed = ページの作成中に、この記録によって plumb が失敗しました。サーバーは動作を続けます。記録を添えて報告してください。
label-web-no-trend = これらの測定のステップには、推移に使える値がありません。
