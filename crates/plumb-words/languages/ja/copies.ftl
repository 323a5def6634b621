### コピーテストについての文。

## 測定の方法

copy-places = コピー元は { $from }、コピー先は { $to }。シードは { $seed }。
copies-cold = コールド：各コピーの前にコピー元を、照合の前に各コピーをページキャッシュから落とす。
copies-cold-but-for-the-source = コールド：コピー先のツリーは読む前にページキャッシュから落とす。コピー元はメモリ上にあり、落とせない。
copies-not-cold = コピー元はページキャッシュから落としていない：収まるならメモリから読まれる（--cold で落とす）。
copies-in-a-folder = 読み戻すものは、試験対象のプログラムではなく plumb が置いた。安定したストレージまでの時間は syncfs の時間で、その時点でほかのプログラムが書いたものも含む。
copies-in-a-module = 書いたものは rsync で取り戻してから照合し、読み戻すものは rsync が置いた。
copies-on-a-share = 書いたものは smbclient で取り戻してから照合し、読み戻すものは smbclient が置いた。
copies-by-a-daemon = コピー先には、このマシン上の plumb 自身の rsync デーモンがあった。その CPU はどの数値にも含まれない。

## 結果

copies-damaged = { $program }、{ $step }：{ $all } 件のうち { $count } 件のコピーが不完全なのに、エラーを報告しなかった{ $first }。{ $speed }
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
all-copies-were-whole = { $copies } 件のコピーをすべてコピー元とバイト単位で照合し、どれも完全だった。
