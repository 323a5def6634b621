### コピーテストについての文。

## 測定の方法

copy-places = コピー元は { $from }、コピー先は { $to }。シードは { $seed }。
copies-cold = コールド：各コピーの前にコピー元を、照合の前に各コピーをページキャッシュから落とす。
copies-cold-but-for-the-source = コールド：コピー先のツリーは読む前にページキャッシュから落とす。コピー元はメモリ上にあり、落とせない。
copies-not-cold = コピー元はページキャッシュから落としていない：収まるならメモリから読まれる（--cold で落とす）。
copies-in-a-folder = 読み戻すものは、試験対象のプログラムではなく plumb が置いた。安定したストレージまでの時間は syncfs の時間で、その時点でほかのプログラムが書いたものも含む。
copies-in-a-module = 書いたものは rsync で取り戻してから照合し、読み戻すものは rsync が置いた。
copies-on-a-share = 書いたファイルは plumb 自身の SMB クライアントで取り戻してから照合し、読み戻すファイルもそれで置いた。タイムスタンプと権限は比較しない。
copies-in-a-bucket = 書いたオブジェクトは plumb 自身の S3 クライアントで取り戻してから照合し、読み戻すオブジェクトもそれで置いた。バケットには空のフォルダーがないため、ツリーにも含めない。タイムスタンプと権限は比較しない。
copies-by-a-daemon = コピー先には、このマシン上の plumb 自身の rsync デーモンがあった。その CPU はどの数値にも含まれない。

## 結果

copies-damaged = { $program }、{ $step }：{ $all } 件のうち { $count } 件のコピーがコピー元と一致しないのに、プログラムはエラーを報告しなかった{ $first }。{ $speed }
copies-failed = { $program }、{ $step }：{ $all } 件のうち { $count } 件のコピーが失敗した{ $first }。
first-damage = ：{ $path } { $explanation }
first-damage-of-several = ：{ $path } { $explanation }（そのコピーに { $problems } 件の問題）
first-failure = ：{ $error }
spoiled-speed = その { $speed } には意味がない。
program-could-not-be-measured = { $program } は測定できなかった：{ $error }。
baseline-was-not-sound = 比較の基準である { $program } が正常でなかった：これに対する判定はない。
copies-not-verified = { $program }：{ $count } 件のコピーは取り戻せず、検証していない。
program-did-not-keep = { $program } は { $lost } を保たなかった（参考で、エラーには数えない）。
lost-file-times = ファイルのタイムスタンプ { $count } 件
lost-parts-of-seconds = タイムスタンプの秒未満 { $count } 件
lost-folder-times = フォルダーのタイムスタンプ { $count } 件
lost-permissions = パーミッション { $count } 件
copies-share-all-blocks = { $program }、{ $step }：{ $whole } 件のうち { $shared } 件のコピーがコピー元とブロックを共有している：データはコピーされていない。速度はコピーではなく reflink のもの。
copies-share-some-blocks = { $program }、{ $step }：{ $whole } 件のうち { $shared } 件のコピーがコピー元とブロックを共有している：{ $all } のうち { $bytes } はコピーされていない。速度はコピーではなく reflink のもの。
all-copies-were-whole = { $copies } 件のコピーをすべてコピー元とバイト単位で照合し、どれも一致した。

## コピープログラムの表

copies-tree = { $tree }：{ $files } ファイル、{ $size }
copies-of = コピー：{ $tree }
label-copies-program = プログラム
label-copies-write = ライト MB/s
label-copies-stable-speed = 永続化まで MB/s
label-copies-read = リード MB/s
label-copies-files = ファイル/s
label-copies-cpu-column = CPU s/GiB
label-copies-verified = 検証済み
copies-against = { $baseline } との比
copies-counted-bad = { $copies } 回中 { $number } 回破損
copies-counted-failed = { $copies } 回中 { $number } 回失敗
label-copies-not-verified = 未検証
copies-counted-only-checked = { $copies } 回中 { $number } 回のみ
copies-counted-whole-by-reflinks = { $number }/{ $copies }、reflink
copies-counted-whole = { $number }/{ $copies }
label-copies-speed = MB/s はプログラムの終了まで。
label-copies-speed-with-interval = MB/s はプログラムの終了まで、角括弧内は 95 % 区間。
copies-change-against = { $baseline } に対する変化：▲ 速い、▼ 遅い、= 同じ、? 判定できない。
label-copies-in-brackets = 丸括弧内の速度：コピー元と一致しないコピーで、判定に含めない。
label-copies-how-failed = exit、killed、timeout：プログラムの失敗の仕方で、速度はない。
label-copies-stable = 永続化まで：すべてが安定したストレージに載るまで。
label-copies-files-and-cpu = ファイル数と CPU はライト時のもの。CPU はプログラムのもので、サーバーは含まない。
label-copies-cpu = CPU 秒はライト時のもので、プログラムのもの。サーバーは含まない。
