### 所見の内容：ルール名ごとに、主張、助言、根拠。

## hosts_are_busy

hosts-are-busy = 「{ $step }」で { $hosts } 台のホストの CPU が飽和していた（{ $host }：{ $cpu }）：測ったのはホストが要求できる量であり、ストレージが出せる量ではない。
hosts-are-busy-advice = ホストを増やすか、各ホストでブロックを大きくしワーカーを減らす。そこで他に何が動いているかも調べる（top）。
host-cpus-used = 全 CPU の { $cpu }。負荷生成は CPU { $own } 個分を使った
host-cpus-used-by-all = 全 CPU の { $cpu }
source-counters-of-host = 測定時間中のホストのカウンター

## hosts_scale

hosts-get-no-more = 「{ $group }」で { $hosts } 台のホストの合計は { $before } 台のときから増えない（{ $growth }）：共有リソースが限界である。
hosts-get-no-more-advice = { $hosts } 台のホストが要求している間のサーバーを調べる：CPU コア、ネットワークリンク、ディスク。ホストを増やしても待ち時間が長くなるだけである。
hosts-limit-themselves = 「{ $group }」で { $hosts } 台のホストはそれぞれ、1 台だけのときの { $efficiency } を得る：限界はホストにあり、ストレージにはない。
hosts-limit-themselves-advice = ストレージには { $hosts } 台のホストが要求した以上の余力がある：伸びが止まるまで、ホストを増やすか、workers と depth を上げる。
step-on-hosts = ホスト数 { $hosts }
hosts-get-together = 合計 { $iops }/s。線形スケーリングの { $efficiency }
source-sums-of-ranks = すべてのランクが動いていた時間の合計

## ranks_get_unequal_shares

ranks-get-unequal-shares = ランクの取り分が等しくない：「{ $step }」で { $host } のランク { $rank } は、最も多いランクの { $share } しか得ていない。
ranks-get-unequal-shares-advice = サーバー、共有ファイルのロック、ネットワークのキューが一部のクライアントを先に処理していないかを調べる。1 台のクライアントの見る値は各ランクの値であり、合計ではない。
step-named = 「{ $step }」
ranks-least-and-most = Jain の公平性指数 { $index }。ランク { $least } は { $low }/s、ランク { $most } は { $high }/s

## reads_were_discarded

reads-were-discarded = { $steps }で読んだデータはカーネル内で捨てられた（skip-rx-copy）。iperf3 --skip-rx-copy と同じく、値はサーバーとネットワークのもので、クライアントのコピーを含まない。
reads-were-discarded-advice = 同じく捨てた実行と比べる。アプリケーションは読んだデータをコピーする必要がある。得られる値を測るには skip-rx-copy を外す。
reads-were-discarded-in = 「{ $step }」のエンジンオプション

## recycle_bin_keeps_files

recycle-bin-keeps-files = 共有にごみ箱（{ $name }）がある：削除されたファイルはそこに残る。
recycle-bin-takes-deletes = 共有にごみ箱（{ $name }）がある：測定した削除はファイルをそこへ移しただけで、ブロックを解放していない。
recycle-bin-keeps-files-advice = 削除を測定するには共有のごみ箱を無効にし、後で空にする。plumb が自分用に作ったファイルは削除前に空にされ、ごみ箱の容量を使わない。

## 所見の表示

label-nothing-found = 特記事項なし：報告すべきルールはない。
label-nothing-would-spoil = 上の情報からわかる限り、測定を損なうものは見つからなかった。
label-severity-note = 注記
label-severity-warning = 警告
label-severity-severe = 重大
label-what-to-do = 対処：
label-expected = 見込み：
label-to-test-it = 確認方法：
label-rule = ルール
finding-expected = 見込み：{ $effect }
finding-to-test-it = 確認方法：{ $command }
finding-ruled-out = 除外：{ $reason }
finding-effect = 現在の値の { $low }～{ $high } 倍
finding-severe = 重大：{ $claim }
finding-warning = 警告：{ $claim }

## 複数のルールに共通の部分

steps-one = 「{ $step }」
steps-two = 「{ $first }」と「{ $second }」
steps-more = 「{ $first }」ほか { $more } ステップ
sentences = { $before }{ $next }
not-listed = 省略
more-of-this-kind = 同種のものがほか { $more } 件
part-of-whole = { $part }/{ $whole }
fact-time-per-mib = { $time }/MiB

iops-of-step = 「{ $step }」の IOPS
iops-of-step-in-round = 「{ $step }」ラウンド { $round } の IOPS
rate-of-step = 「{ $step }」のレート
figure-of-step = 「{ $step }」の { $figure }
operations-of-step = 「{ $step }」の操作
response-time-of-step = 「{ $step }」の応答時間

## 根拠の出所

source-environment = 測定前の環境
source-plan-step = 計画、ステップ「{ $step }」
source-engine-opened = 実際に開いたエンジン { $engine }
source-engine-or-plan = 実際に開いたエンジン、または計画
source-session = plumb が開いたセッション
source-ticks = 間隔の記録
source-notes = イベントの記録
source-notes-of-run = 測定のイベントの記録
source-summary = 要約
source-histogram = ヒストグラム
source-histogram-of-worst-round = ヒストグラム、最悪のラウンド
source-intervals = 各間隔
source-intervals-and-service-times = 各間隔とサービス時間
source-step-intervals = ステップの各間隔
source-rounds = 各ラウンド
source-last-rounds = 最後のラウンド
source-service-times = 測定時間に対するサービス時間
source-cpu-time-of-process = プロセスの CPU 時間（io_uring のカーネルスレッドを含む）
source-cpu-time-of-worker = スレッドの CPU 時間
source-measured-in-run = この測定でこのマシン上で測定
source-counters-over-run = 測定中のカウンター
source-device-counters = デバイスのカウンター
source-device-counters-and-own-bytes = デバイスのカウンターと自身のバイト数
source-device-counters-less-own-bytes = デバイスのカウンターから自身のバイト数を引いた値
source-tcp-info = TCP_INFO

## accelerator_utilization

accelerator-utilization = 「{ $step }」で、模擬したアクセラレータは時間の { $utilization } を計算に使い、残りはデータを待った。
accelerator-utilization-range = 模擬したアクセラレータが計算に使った時間の割合は、「{ $slowest }」の { $lowest } から「{ $fastest }」の { $highest } までで、残りはデータを待った。
accelerator-utilization-advice = MLPerf Storage は 3D U-Net と ResNet-50 に 90 %、CosmoFlow に 70 % を求める。それを下回る場合、このストレージで供給できるアクセラレータはより少ない：workers を減らすか、depth と prefetch で同時により多く読む。
accelerator-utilization-of = 「{ $step }」のアクセラレータ使用率
accelerator-utilization-figures = { $utilization }、{ $samples } サンプル/秒、アクセラレータ { $accelerators } 個

## antivirus_scans_files

antivirus-scans-files = Microsoft Defender がファイルを開くときと書き込んだときにスキャンしている：その時間もストレージの時間と一緒に測定される。
antivirus-scans-files-advice = テストファイルのフォルダーをスキャンから除外し（管理者として：Add-MpPreference -ExclusionPath フォルダー）、もう一度測定して比較する。その後、除外を取り消す（Remove-MpPreference）。

## array_not_clean

array-not-clean = ターゲットの下の RAID アレイが正常でない（{ $state }）：測定値は正常なアレイのものではない。
array-not-clean-advice = アレイの再構築を待つか、故障したメンバーを交換して測り直す。進捗は 'cat /proc/mdstat' でわかる。

## buffers_below_the_path

buffers-below-the-path = サーバーまでの経路は { $path } を同時に運べるが、TCP のウィンドウは約 { $window } までしか広がらない：1 接続の受信は最大 { $rate }。
buffers-below-the-path-advice = net.ipv4.tcp_rmem の 3 番目の値（相手側では tcp_wmem も）をその 2 倍以上にするか、ウィンドウスケーリングを有効にするか、複数の接続を使う。

## client_is_server

client-is-server = クライアントとサーバーが同じマシン：ネットワークは測定されず、両者がコア、キャッシュ、メモリを共有する。
client-is-server-advice = 数値はプロトコルとそのプログラムのコストとみなす。ネットワークの値を得るには別のマシンで plumb を実行する。

## clocks_differ

clocks-differ-ahead = { $count } 台のホストの時計がランク 0 のホストと異なる。最も異なるのは { $host } で、{ $time } 進んでいる。
clocks-differ-behind = { $count } 台のホストの時計がランク 0 のホストと異なる。最も異なるのは { $host } で、{ $time } 遅れている。
clocks-differ-advice = この測定の数値は時刻によらない。これらのホストのログを並べる前に時計を合わせる（chrony、NTP）。
clock-is-ahead = { $time } 進んでいる
clock-is-behind = { $time } 遅れている
source-messages-of-ranks = ランク間のメッセージ

## compressible_content_on_compressing_file_system

compressible-content-on-compressing-file-system = ファイルシステムは書き込みを圧縮し、内容は圧縮できる：デバイスに届くデータは要求より少ない。
compressible-content-on-compressing-file-system-deduplicates = ファイルシステムは書き込みを重複排除し、内容は縮む：デバイスに届くデータは要求より少ない。
compressible-content-on-compressing-file-system-advice = plumb の既定どおり、圧縮できない重複のない内容を書く。
compressible-content-on-compressing-file-system-before = ファイルシステムは書き込みを圧縮する：数値は内容に左右される。
compressible-content-on-compressing-file-system-deduplicates-before = ファイルシステムは書き込みを重複排除する：数値は内容に左右される。
compressible-content-on-compressing-file-system-advice-before = 既定の圧縮できない重複のない内容のままにするか、自分の内容の割合を compress-percent と dedupe-percent で指定する。
compressible-content-on-compressing-file-system-content = 内容
compressible-content-on-compressing-file-system-settings = 内容 { $content }、圧縮 { $compress }、重複排除 { $dedupe }

## connection_was_lost

connection-was-lost = サーバーとの接続が { $gaps } 回（スレッドごとの合計）、最初は開始の { $first } 後、最長 { $longest } 切れた。{ $figures }。
connection-was-lost-and-not-restored = サーバーとの接続が { $gaps } 回（スレッドごとの合計）、最初は開始の { $first } 後に切れ、回復しなかった。{ $figures }。
connection-was-lost-advice = その時刻のサーバーのログとリンクを調べる。中断のない数値は、測り直すか、その前の間隔から読む。
connection-was-lost-operations-waited = 平均とパーセンタイルはその時間も含む
connection-was-lost-operations-failed = その間の操作は失敗したため、レートはその時間を含み、応答時間は含まない
connection-was-lost-operations-waited-or-failed = レートはその時間も含み、応答時間は操作が接続を待った場合だけ含む
connection-was-lost-step-ended = iperf3 のテストは再開できないため、ステップはそこで終わり、数値はそれまでのもの
connection-was-lost-both = { $held }。{ $ended }
connection-was-lost-worker = ジョブ { $job } のスレッド { $worker }
connection-was-lost-for = 開始の { $start } 後、{ $length }：{ $text }
connection-was-lost-for-good = 開始の { $start } 後、回復せず：{ $text }

## credits_limit_the_depth

credits-limit-the-depth = { $steps }で、サーバーが与えるクレジットが指定キュー深度に足りない：操作は時間の最大 { $most } をクライアントでのクレジット待ちに費やした。
credits-limit-the-depth-advice = サーバーの上限を上げる（Samba：smb2 max credits、Windows Server：Set-SmbServerConfiguration -Smb2CreditsMax）。またはスレッドを増やす（接続ごとにクレジットがある）か、深度とブロックサイズを下げる：要求は 64 KiB ごとにクレジットを一つ使う。
credits-limit-the-depth-operations = { $waits }、全操作の時間の { $part }
credits-limit-the-depth-waits = 「{ $step }」でクレジットを待った操作

## depth_below_the_path

depth-below-the-path = { $steps } では、サーバーまでの遅延に対して処理中のデータが少なすぎる：経路の帯域遅延積は { $path }、使われているのは少ないところで { $flight } で、届くのは最大 { $rate } まで。
depth-below-the-path-advice = キューの深さ（またはスレッド数、ブロックサイズ）を増やす：{ $block } の要求 { $depth } 個で経路が埋まる。サーバーとディスクの能力はそのとき初めて見える。
depth-below-the-path-in = 「{ $step }」の処理中の量
depth-below-the-path-of = { $block } の要求 { $depth } 個

## depth_not_achieved

depth-not-achieved = { $steps }で指定キュー深度に達しなかった：発行そのものが待たされたか、ターゲットの応答が発行より速かった。
depth-not-achieved-advice = スレッドを増やして各深度を小さくし、ダイレクト I/O が使われているか確かめる。バッファード I/O と一部のファイルシステムは発行時に要求を実行する。
depth-not-achieved-by-blocking-engine = { $steps }で指定キュー深度に達しなかった：エンジン { $engine } はスレッドあたり 1 件しか実行しない。
depth-not-achieved-by-blocking-engine-advice = このエンジンでは深度ではなくスレッド数を指定するか、io_uring のようなキューを持つエンジンを使う。
depth-not-achieved-in = 「{ $step }」の実キュー深度

## direct_refused

direct-refused = このターゲットでは O_DIRECT が使えない：I/O はページキャッシュを通る。
direct-refused-advice = キャッシュに収まらないよう RAM の 2 倍以上のテストファイルを使うか、O_DIRECT が使えるファイルシステムで測る。
direct-refused-in = ステップ「{ $step }」
direct-refused-buffered = バッファード I/O

## errors_occurred

errors-occurred = { $steps }で { $errors } 回の操作が失敗した。レートにもレイテンシにも含まれない。
errors-occurred-on-rank = { $steps }で { $errors } 回の操作が失敗した。すべて { $host } のランク { $rank } のもの。レートにもレイテンシにも含まれない。
errors-occurred-in-warm-up = { $steps }のウォームアップで { $errors } 回の操作が失敗した。どの数値にも含まれない。
errors-occurred-stop-using-it = 原因がわかるまで、このストレージを大切なデータに使わない。
errors-occurred-in-flight = 接続が切れたとき実行中だった操作：その時刻のサーバーのログとリンクを調べる。
errors-occurred-without-connection = ENOTCONN は接続がない間のもの：接続が切れた時刻のサーバーのログとリンクを調べる。
errors-occurred-in-flight-and-without-connection = ENOTCONN は接続がない間のもので、切れたとき実行中だった操作はほかのエラーになった：その時刻のサーバーのログとリンクを調べる。
errors-occurred-slow-down = SlowDown：オブジェクトストアが要求を減らすよう求めた（HTTP 503 または 429）。depth または workers を減らすか、キーを多くのプレフィックスに分散するか、サーバーの制限を上げる。
errors-occurred-full = ENOSPC：ファイルシステムまたは共有が満杯、EDQUOT：クォータを使い切った。空きを作るか、要求を減らす（--size）。
errors-occurred-not-permitted = EACCES、EPERM、EROFS は権限の問題：このユーザーに許されているか、読み取り専用でマウントまたは共有されていないか調べる。
errors-occurred-files-gone = ENOENT と ESTALE：あったファイルが消えた。何かが削除している。それを見つけるか、自分のフォルダーで測る。
errors-occurred-on-share = 共有や数値を信頼する前に、サーバーのログとストレージを調べる。
errors-occurred-at-peer = 数値を信頼する前に、相手側のプログラムの出力を調べる。
errors-occurred-on-device = ストレージや数値を信頼する前に、カーネルログ（dmesg）とデバイスの健全性を調べる。
errors-occurred-of = 「{ $step }」のエラー
errors-occurred-in-warm-up-of = 「{ $step }」のウォームアップのエラー
errors-occurred-of-kind = { $count } × { $kind }
errors-occurred-first = 最初のエラー
errors-occurred-first-of-file = { $path } のファイル { $file }、{ $operation }：{ $error }
errors-occurred-first-at-offset = { $path } のオフセット { $offset }、{ $operation }：{ $error }
errors-occurred-first-of = { $path }、{ $operation }：{ $error }
errors-occurred-first-with = { $path } との{ $operation }：{ $error }

## fuse_file_system

fuse-file-system = ターゲットは FUSE ファイルシステム（{ $kind }）：それを提供するプログラムの速度とキャッシュもストレージと一緒に測定される。
fuse-file-system-advice = ストレージそのものを測るには、そのプログラムの下のディレクトリかデバイスをターゲットにして比較する。

## overlay_file_system

overlay-file-system = ターゲットは overlay ファイルシステム上にある（コンテナー自身のファイルがそうである）：下層のファイルへの最初の書き込みはファイル全体をコピーし、数値はボリュームのものではない。
overlay-file-system-advice = ボリュームを測るには、その上のパスをターゲットにする。'findmnt' でマウントの一覧を確認できる。

## generator_was_the_limit

generator-was-the-limit = { $steps }では負荷発生器の CPU が限界だった：ストレージは表示より速い可能性がある。
generator-was-the-limit-advice = スレッドを増やし、それぞれに専用の CPU を与える。バッファード I/O ではページキャッシュとのコピーもコストに入る。
generator-was-the-limit-of-share = { $steps }では負荷発生器の CPU が限界だった：共有は表示より速い可能性がある。
generator-was-the-limit-of-share-advice = スレッドを増やし、それぞれに専用の CPU を与える。プロトコルとその署名・暗号化もコストに入る。
generator-was-the-limit-of-network = { $steps }では負荷発生器の CPU が限界だった：ネットワークは表示より速い可能性がある。
generator-was-the-limit-of-network-advice = スレッドを増やし、それぞれに専用の CPU を与える。システムのバッファーとのコピーもコストに入る。
generator-was-the-limit-all-threads = 「{ $step }」の全スレッド
generator-was-the-limit-of-cpus = { $used }（{ $cpus } CPU で { $all }）
generator-was-the-limit-ceiling = 「{ $step }」の null エンジンの上限
generator-was-the-limit-rates = { $rate }/{ $ceiling } 操作/秒
generator-was-the-limit-worker = 「{ $step }」の最も忙しいスレッド
generator-was-the-limit-of-one-cpu = 1 CPU の { $used }

## governor_not_performance

governor-not-performance = CPU の周波数ガバナーが「{ $governor }」：低い深度のレイテンシが、ストレージ本来より長く不揃いになることがある。
governor-not-performance-advice = 測定中は 'cpupower frequency-set -g performance'（root で）とし、後で戻す。

## interface_has_errors

interface-has-errors-in-run = 測定中、サーバーへのインターフェースでパケットのエラーまたは破棄があった。
interface-has-errors-since-boot = 起動以来、サーバーへのインターフェースでパケットのエラーまたは破棄があった。
interface-has-errors-advice = 'ethtool -S INTERFACE' で種類を調べる：チェックサムの誤りはケーブルとコネクター、取りこぼしはリング（'ethtool -g'）と割り込みの問題。
interface-has-errors-count = { $interface } で { $count }

## latency_limit_missed

latency-limit-missed = { $steps }で応答時間の上限を超えた。
latency-limit-missed-advice = 一度の要求を減らす（深度やレートの掃引で上限が許す値がわかる）か、割合（latency-limit-percentile）を下げる。
latency-limit-missed-operations = 「{ $step }」で { $limit } 以内に完了した操作
latency-limit-missed-share = { $within } %（要求 { $asked } %）

## link_is_slow

link-is-slow = { $interface } のリンクは { $speed }：背後のストレージがどれほど速くても、一方向に通るのは約 { $payload } まで。
link-is-slow-advice = スループットはディスクではなくリンクと比べる。リンクがケーブル、スイッチ、アダプターの能力どおりか確かめる。
link-is-slow-half-duplex = { $interface } のリンクは半二重：同時に送れるのは片側だけで、残りは衝突で失われる。
link-is-slow-half-duplex-advice = 両端で自動折衝にする（'ethtool -s INTERFACE autoneg on'）か、両方を全二重にする。ケーブルとスイッチのポートも調べる。
link-is-slow-interface = インターフェース

## logged_in_as_guest

logged-in-as-guest = サーバーはユーザーを知らず、ゲストとしてログインさせた：署名も暗号化もなく、権限と制限はゲストのもの。
logged-in-as-guest-advice = サーバーが知るユーザーを指定するか、未知のユーザーの扱い（Samba：map to guest）を確認する。

## low_free_space

low-free-space = ファイルシステムの空きは { $free }（{ $share }）だけ：ライトは余裕があるときより遅いことがある。
low-free-space-advice = ライトを測る前に、少なくとも 1 割を空けて 'fstrim' を実行する。

## machine_swapped

machine-swapped = 測定中にマシンがスワップした：{ $swapped } がスワップとの間で移動した。
machine-swapped-advice = メモリを空けるか、バッファとファイルを小さくして測り直す。'vmstat 1' の si と so の列でスワップの様子がわかる。

## machine_was_busy

machine-was-busy = 開始前にマシンが忙しかった：ほかの仕事が全 CPU の { $busy } を使っていた。
machine-was-busy-advice = ほかの仕事を止める（'top' でわかる）か、マシンが空いているときに測る。

## memory_file_system

memory-file-system = ターゲットはメモリ上にある：数値はストレージではなくカーネルとメモリのもの。
memory-file-system-advice = 測りたいストレージ上のディレクトリをターゲットにする。

## mtu_is_small_for_the_link

mtu-is-small-for-the-link = { $speed } のリンクでパケットは最大 { $mtu } バイト：全速では各方向に毎秒 { $packets } パケットになる。
mtu-is-small-for-the-link-advice = 経路の全ポートが対応していれば両端の MTU を 9000 にし（'ip link set dev INTERFACE mtu 9000'）、'ping -M do -s 8972 SERVER' で確かめ、両方を測る。

## network_file_system

network-file-system = ターゲットは { $kind } マウント：クライアント、ネットワーク、サーバーが一緒に測定され、サーバーのキャッシュも含まれる。
network-file-system-of-any-kind = ターゲットはネットワークマウント：クライアント、ネットワーク、サーバーが一緒に測定され、サーバーのキャッシュも含まれる。
network-file-system-advice = サーバーのディスクに届くよう、サーバーのメモリより大きいデータを使う。比較のためサーバー上でも測る。

## never_became_steady

never-became-steady = { $rounds } ラウンド後も{ $steps }は定常状態にならなかった。
never-became-steady-at-once = { $rounds } ラウンドのどのウィンドウでも、追跡した数値が同時に定常状態になることはなかった。
never-became-steady-advice = ラウンドを増やすか、前処理を長くする。落ち着かない数値に単一の値はない。
never-became-steady-round-figures = 最低と最高の差 { $data }、線形近似の変化 { $slope }
never-became-steady-step = { $steps }は定常状態になる前に終了した。
never-became-steady-step-advice = 時間を増やすか、その前に前処理をする。落ち着かない数値に単一の値はない。
never-became-steady-window = 「{ $step }」の最後のウィンドウ
never-became-steady-window-figures = 最大の差 { $departure }、間隔ごとの傾き { $slope }。要求は { $asked }

## nfs_single_connection

nfs-single-connection = { $speed } のリンクで、NFS マウントは 1 本の TCP 接続だけを使っている。
nfs-single-connection-advice = そのサーバーのマウントをすべて外し、'-o nconnect=8'（Linux 5.3 以降）でマウントして比較する。サーバーの最初のマウントがほかのすべてを決める。

## not_steady

not-steady = { $steps }の間にスループットが変化した：平均は定常値ではない。
not-steady-fell = { $steps }の間にスループットが低下した：平均は定常値ではない。
not-steady-rose = { $steps }の間にスループットが上昇した：平均は定常値ではない。
not-steady-advice = ウォームアップの後、終わりの部分が初めと等しくなるまで長く測る。ライトキャッシュやバースト枠は一度の低下として現れる。
not-steady-figures = 線形近似の変化 { $slope }（上限 10 %）、最初の 1/3 から最後の 1/3 へ { $change }、p = { $p }

## nothing_completed

nothing-completed = { $steps }で { $length }、開始の約 { $start } 後、実行中の操作があるのに 1 件も完了しなかった：レートと平均はその時間を含む。
nothing-completed-several-times = { $steps }で { $pauses } 回、最長 { $length }、開始の約 { $start } 後、実行中の操作があるのに 1 件も完了しなかった：レートと平均はその時間を含む。
nothing-completed-advice = その時刻のタイムアウトやリセットをカーネルログ（dmesg）で、またデバイスのファームウェアと省電力、マシン全体が止まっていなかったかを調べる。停止のない数値は測り直す。
nothing-completed-of-server-advice = その時刻のサーバー（ログ、ストレージ、負荷）とリンク（損失、復帰したスイッチ）、またこのマシン自身が止まっていなかったかを調べる。停止のない数値は測り直す。
nothing-completed-pause = 「{ $step }」{ $job }{ $round }の停止
nothing-completed-job = 、ジョブ「{ $job }」
nothing-completed-round = 、ラウンド { $round }
nothing-completed-length = { $length }、開始の約 { $start } 後
nothing-completed-length-beyond-end = { $length }、開始の約 { $start } 後、ステップの終わりを越える
nothing-completed-rate-without-pauses = 停止の間隔を除いた「{ $step }」のレート
nothing-completed-rates = { $without }/s。含めると { $with }/s

## one_host_is_slower

one-host-is-slower = 「{ $step }」で { $host } は他のホストの { $share } しか得ていない。
one-host-is-slower-advice = { $host } の経路（リンク速度、エラー、スイッチのポート、ルート）、マウントオプション、CPU と、サーバーが後回しにしていないかを調べる。その後、このホストだけで計画を実行する。
step-on-host = { $host } の「{ $step }」
host-gets-share = ランクあたりで他のホストの中央値の { $share }。1 CPU の { $cpu } を使用
host-gets-share-of-others = ランクあたりで他のホストの中央値の { $share }
source-ends-of-ranks = ステップの終わりに各ランクが報告した値

## one_path_loses_segments

one-path-loses-segments = 「{ $step }」で { $host } は TCP セグメントの { $part } を再送した。他のホストは最大 { $others }：損失はこのホストの経路にある。
one-path-loses-segments-advice = { $host } で 'ip -s link' と 'ethtool -S INTERFACE' のエラーと破棄、デュプレックスと速度、スイッチのポートとケーブルを調べる。その後、このホストだけで計画を実行する。
host-sent-again = { $sent } セグメントのうち { $again } を再送。他のホストは最大 { $others }

## one_queue_takes_all

one-queue-takes-all = アダプターの受信キューは { $speed } のリンクに 1 本だけ：1 CPU がすべてのパケットを処理する。
one-queue-takes-all-advice = キューを増やす（'ethtool -L INTERFACE combined N'、仮想マシンではその定義で）か、RPS（rps_cpus）を有効にする。
one-queue-takes-all-by-scaling = RSS は { $queues } 本のうち 1 本のキューにしか振り分けていない：1 CPU が { $speed } のリンクの全パケットを処理する。
one-queue-takes-all-by-scaling-advice = テーブルを作り直す：'ethtool -X INTERFACE equal N'（N はキュー数）。
one-queue-takes-all-by-interrupts = 起動以来、アダプターの { $queues } 本のキューの割り込みがほぼすべて 1 CPU に集中した。
one-queue-takes-all-by-interrupts-advice = 分散させる：irqbalance を起動するか、各キューの /proc/irq/N/smp_affinity_list をアダプターのメモリノードの CPU にする。

## operations_were_split

operations-were-split = { $steps }のブロックはサーバーが一つの要求で受け付けるサイズより大きく、それぞれ複数の要求で送られた。
operations-were-split-advice = 単独の要求を測るにはそのサイズ以下のブロックを選ぶ。またはサーバーの上限を上げる（Samba：smb2 max read、smb2 max write、NFS：サーバーが示す READ と WRITE のサイズ）。
operations-were-split-counted = 「{ $step }」で分割された操作
operations-were-split-in = 「{ $step }」のブロック
operations-were-split-requests = 各 { $block }、一つの要求は最大 { $most }：{ $requests } 要求

## other_io_on_device

other-io-on-device = 測定中にほかのプロセスがデバイスを使っていた：時間の一部は plumb のものではない。
other-io-on-device-advice = ほかの利用者を見つけ（'iotop -o' か 'pidstat -d 1'）、止めて測り直す。
other-io-on-device-during = 「{ $step }」の間の { $device } のほかの利用者のバイト数
other-io-on-device-share = { $all } のうち { $others }（{ $rate }）

## power_plan_saves_power

power-plan-saves-power = Windows の電源プランが「{ $plan }」：低い深度のレイテンシが、ストレージ本来より長く不揃いになることがある。
power-plan-saves-power-advice = 測定中は powercfg /setactive SCHEME_MIN（管理者として；「高パフォーマンス」のこと）とし、後で戻す（SCHEME_BALANCED）。

## rank_was_lost

rank-was-lost = { $ranks } ランク中 { $count } ランクが失われた。最初は { $host } のランク { $rank }。数値は全ランクが動いていた時間のもの。
rank-was-lost-advice = そのホストを調べる（プロセスが強制終了されたか、リンクが切れたか）。そのランクの測定結果は、そのホスト上または実行フォルダーの ranks/ にある自身の記録に残っている。全ランクの数値が必要なら再実行する。
rank-on-host = { $host } のランク { $rank }
rank-was-lost-then = 開始の { $time } 後に失われた：{ $why }

## rate_not_achieved

rate-not-achieved = { $steps }で要求レートに達しなかった：{ $reason }{ $unsubmitted }。
rate-not-achieved-unsubmitted = 。予定された { $operations } 件が発行されなかった：待った時間で数えるため、パーセンタイルは下限値
rate-not-achieved-by-pause = 最長 { $length } の間、1 件も完了しなかった
rate-not-achieved-by-pause-advice = 何が止まったか（ターゲット、ネットワーク、このマシン）を調べて測り直す。低いレートでも維持できなかったはず。
rate-not-achieved-by-errors = { $errors } 回の操作が失敗した
rate-not-achieved-by-errors-advice = まず失敗の原因を調べる：失敗したものはレートに入らない。
rate-not-achieved-by-overload = ターゲットはそれを持続できず、応答時間が測定の長さとともに伸びる
rate-not-achieved-by-overload-advice = レート（リプレイでは replay-speed-percent）をターゲットが持続できる値まで下げるか、負荷発生器が待っていたなら実行中の数（深度、スレッド）を増やす。
rate-not-achieved-rates = { $rate } 操作/秒（要求 { $asked }）、終了時に { $waiting } 件が待機中
rate-not-achieved-rates-late = { $rate } 操作/秒（要求 { $asked }）、終了時に { $waiting } 件が待機中、99 % が { $lateness } 以内に発行

## rdma_available_but_not_used

rdma-available-but-not-used = 共有は TCP を使っているが、サーバーへの経路の { $device } は RDMA に対応している。
rdma-available-but-not-used-offered = 共有は TCP を使っているが、{ $device } もサーバーも RDMA に対応している。
rdma-available-but-not-used-by-plumb = plumb は共有と TCP で通信する。サーバーへの経路の { $device } は RDMA に対応しており、RDMA を使うクライアントはそれを使う。
rdma-available-but-not-used-adapter = アダプター
rdma-available-but-not-used-advice = ファブリックそのもの（'plumb run rdma rdma://SERVER'、相手側で 'plumb serve-net --listen any --rdma'）と、RDMA を使うマウントを並べて測る。
rdma-available-but-not-used-smb-advice = カーネルとサーバーが SMB Direct に対応していれば '-o rdma' でマウントして比較する。ファブリックの性能は 'plumb run rdma rdma://SERVER' でわかる。
rdma-available-but-not-used-nfs-advice = サーバーが NFS over RDMA に対応していれば '-o proto=rdma,port=20049' でマウントして比較する。先にそのサーバーのほかのマウントをすべて外す。

## reads_from_cache_below

reads-from-cache-below = { $steps }のリードはストレージから来るはずが、そうではなかった：デバイスの転送量は読んだ量よりはるかに少ない。数値はファイルの下のキャッシュ、または一度も書かれていないブロックのもの。
reads-from-cache-below-advice = 圧縮できない内容で、書き込み済みの、メモリより大きいファイルで測るか、下のデバイスで測る。
reads-from-cache-below-loop-device = { $steps }のリードはストレージから来るはずが、そうではなかった：デバイスの転送量は読んだ量よりはるかに少ない。数値は、ファイルをページキャッシュ経由で読む loop デバイスの下のページキャッシュのもの。
reads-from-cache-below-loop-device-advice = loop デバイスをダイレクト I/O で作る（'losetup --direct-io=on'）か、そのファイルがあるファイルシステムで測る。
reads-from-cache-below-file-in-memory = loop デバイスの実体ファイルはメモリ上にある：数値はストレージではなくメモリのもの。
reads-from-cache-below-file-in-memory-advice = デバイス、またはデバイス上のファイルの loop デバイスで測る。
reads-from-cache-below-during = 「{ $step }」の間に読んだバイト数
reads-from-cache-below-bytes = { $device } は { $moved }、ステップは { $read }

## reads_never_written_blocks

reads-never-written-blocks = ファイルの { $unwritten } は一度も書かれていない：そのリードはストレージなしで応答される。
reads-never-written-blocks-advice = 全体が書かれたファイルを読む：ディレクトリをターゲットにする（plumb が自分のファイルを書く）か、先にこのファイルを埋める。

## retransmits_in_the_run

retransmits-in-the-run = 測定中にネットワークへ送ったものの一部が失われ、再送された。
retransmits-in-the-run-advice = 損失の場所を探す：両端のインターフェースのエラー、バッファーが満杯のスイッチポート、MTU の不一致。その後測り直す。
retransmits-in-the-run-requests = { $mount } で { $requests } 要求
retransmits-in-the-run-segments = 送信 { $sent } のうち再送 { $again }、{ $share }

## rounds_disagree

rounds-disagree = { $steps }のラウンドは 1/4 より大きく異なる：1 ラウンドだけでは誤解を招く。
rounds-disagree-on-two-levels = { $steps }のラウンドは 1/4 より大きく異なり、2 つの水準に分かれる：1 ラウンドだけでは誤解を招く。
rounds-disagree-advice = ラウンドを増やしステップを長くし、単一の値ではなく範囲を比べ、ラウンドの間に何が変わるかを調べる。
rounds-disagree-rates = { $rounds } ラウンドで { $low }～{ $high } IOPS、中央値 { $median }
rounds-disagree-rates-with-mean = { $rounds } ラウンドで { $low }～{ $high } IOPS、平均は { $mean-low }～{ $mean-high }（95 %）
rounds-disagree-rates-on-two-levels = { $rounds } ラウンドで { $low }～{ $high } IOPS、2 つの水準

## segments_arrived_out_of_order

segments-arrived-out-of-order = 測定中にネットワークから届いたものの一部が途中で失われたか順序が入れ替わった：先行するものより先に届いたセグメントがある。
segments-arrived-out-of-order-advice = このホストまでの経路のどこでパケットが失われるか入れ替わるかを探す：両端のインターフェース、バッファーが満杯のスイッチポート、一つの接続を分散するボンディングやマルチパス。その後測り直す。
segments-arrived-out-of-order-part = 順序外 { $early }、受信 { $received }

## sent_and_not_arrived

sent-and-not-arrived = { $steps }で送信と数えたものの一部は、終了時に届いていなかった：レートは最大 { $most } 過大かもしれない。
sent-and-not-arrived-advice = バッファーが満ちてから（1 s 以上のウォームアップの後）測り始めるか、長く測る：そうすれば送った量と届く量が等しくなる。
sent-and-not-arrived-at-end = 「{ $step }」の終了時に未確認
sent-and-not-arrived-bytes = 送信 { $sent } のうち { $under-way }、{ $share }

## share_is_old_dialect

share-is-old-dialect = 共有は { $dialect } で使われている：{ $why }。
share-is-old-dialect-smb-1 = 遅くて安全でなく、サーバーもクライアントも廃止した
share-is-old-dialect-smb-2 = 複数チャネルも暗号化もない
share-is-old-dialect-smb-3-0 = 署名は AES-CMAC、暗号化は AES-CCM で、SMB 3.1.1 の数倍の CPU を使う
share-is-old-dialect-nfs-2 = 要求は最大 8 KiB
share-is-old-dialect-nfs-4-0 = セッションがない：トランキングと、両者で合意する制限は 4.1 から
share-is-old-dialect-advice = クライアントとサーバーに共通の最新バージョンで合意させ（マウントに vers= を書かず、plumb では dialect auto）、比較する。
share-is-old-dialect-agreed = ダイアレクト

## share_without_multichannel

share-without-multichannel = サーバーは RSS 対応のインターフェースを提供しているのに、共有は 1 本の接続だけを使っている。
share-without-multichannel-of-interfaces = サーバーは同じ速度のインターフェースを複数提供しているのに、共有は 1 本の接続だけを使っている。
share-without-multichannel-advice = '-o multichannel,max_channels=4'（SMB 3.1.1。先にその共有をどこでもアンマウントする）でマウントして比較する。
share-without-multichannel-asked-advice = マウントはもっと多くのチャネルを要求したが得られていない：カーネルログ（dmesg）で理由を調べ、サーバーのほかのアドレスにここから届くか確かめる。

## signing_or_encryption_costs

signing-or-encryption-costs-signed = 共有のメッセージは署名されている：共有そのもののコストに加え、各バイトが両端の CPU 時間を使う。
signing-or-encryption-costs-encrypted = 共有のメッセージは暗号化されている：共有そのもののコストに加え、各バイトが両端の CPU 時間を使う。
signing-or-encryption-costs-in-trial = 短い試行では、このマシンの 1 コアで { $rate } だった。
signing-or-encryption-costs-advice = 信頼できないネットワークではこれでよい。コストを知るには、サーバーが要求しない場合に、それなしで同じ共有を測る（NFS では sec=krb5 か sys のエクスポート）。
signing-or-encryption-costs-signing = 署名
signing-or-encryption-costs-encryption = 暗号化

## slow_clock_source

slow-clock-source = カーネルのクロックソースが「{ $source }」：時計を読むたびに遅く、1 CPU で発生できるレートが下がる。
slow-clock-source-advice = タイムスタンプカウンターが使われなくなった理由をカーネルログで調べる（'dmesg | grep -i tsc'）。ファームウェアの更新や 'tsc=reliable' で戻ることがある。

## small_rsize_or_wsize

small-rsize-or-wsize = マウントはブロックを最大 { $size } の要求に分割する。
small-rsize-or-wsize-advice = rsize と wsize を書かずにマウントし、両者に最大値で合意させる。サーバーが制限している場合はサーバーで上げる。

## socket_was_polled

socket-was-polled = { $steps }のワーカーは応答をソケットのポーリングで待った（busy-poll）：応答時間にスリープからの起床は含まれず、各ワーカーは CPU を一つ使い切る。
socket-was-polled-advice = 同じくポーリングした実行と比べる。多くのアプリケーションは応答までスリープする。それらが見る値は busy-poll = false で測る。
socket-was-polled-by-more-than-cpus = { $steps }の { $workers } ワーカーがソケットをポーリングする（busy-poll）が、CPU はそれより少ない：ワーカーは CPU を交代で使い、その間応答は待たされる。
socket-was-polled-by-more-than-cpus-advice = ワーカーを CPU より少なくし、カーネルとこのマシン上のサーバーにも CPU を残す。または busy-poll を外す。
socket-was-polled-before-sleeping = { $steps }のワーカーはスリープする前に最長 100 us ソケットをポーリングした（busy-poll = auto）：その間に届いた応答はスリープ中のスレッドを起こす必要がなく、CPU の値にはポーリングが含まれる。
socket-was-polled-before-sleeping-advice = 多くのアプリケーションは応答までスリープする。それらが見る値と、ポーリングなしのクライアントのコストは busy-poll = false で測る。
socket-was-polled-in = 「{ $step }」のワーカー
socket-was-polled-by = busy-poll を使う { $workers }
socket-was-polled-part = ワーカーの時間の { $part }（ウォームアップを含む）

## tail_of_closed_loop

tail-of-closed-loop = 裾のレイテンシはクローズドループのもの：独立に到着する要求に対しては、クローズドループの裾は小さく出る。
tail-of-closed-loop-advice = サービスの保証には、固定レートとランダムな到着（オープンループ）で測る：応答時間は要求の予定時刻から数える。
tail-of-closed-loop-times = 99.9 % が { $within } 以内、最長 { $longest }

## throttled

throttled = 測定はストレージそのもの以外の制限に抑えられた。
throttled-before = 測定を抑える制限が設定されている。
throttled-advice = 測定中は制限（コントロールグループ、電力、熱）を外すか、バーストの終わりを越えて測り、その後の水準を持続値とする。
throttled-by-quota = 測定中のコントロールグループの CPU クォータ
throttled-by-hypervisor = 測定中にハイパーバイザーがほかに与えた CPU 時間
throttled-by-heat = 測定中に熱で CPU が減速
throttled-share-of-cpus = 全 CPU の { $share }
throttled-burst = { $time } の間 { $before } IOPS、その後 { $after } IOPS で一定

## too_short_for_percentile

too-short-for-percentile = { $steps }の操作は 1,000 回未満：99 パーセンタイルは示せない。
too-short-for-percentile-advice = 裾が重要なら、長く測るかラウンドを増やす。
too-short-for-percentile-operations = { $operations }。1,000 回には { $time }

## verification_failed

verification-failed = { $blocks } ブロックが書いたとおりに読み出せなかった：データが失われたか壊れている。
verification-failed-advice = 原因がわかるまで、このストレージを大切なデータに使わない：メモリ、ケーブル、コントローラー、ファームウェア、ドライバー、または同じターゲットへのほかの書き込み。
verification-failed-block = { $path }、オフセット { $offset }、{ $bytes } バイト
verification-failed-blocks = 異なるブロック
verification-failed-copies = { $copies } 件のコピーがコピー元と一致しない。
verification-failed-copies-advice = 欠けたもの、元と異なるもの、プログラムのコマンドラインを調べる。確かなプログラムを並べて実行すれば（'plumb copy-test rsync ...'）、プログラムとストレージのどちらかがわかる。
verification-failed-copies-that-differ = 異なるコピー

## virtual_machine

virtual-machine = 仮想マシンまたはコンテナー（{ $kind }）：ホストがストレージをキャッシュ、制限、共有することがある。
virtual-machine-advice = 結論を出す前に別の時間帯にも測り、この大きさのマシンの制限を事業者の資料で確かめる。

## workers_read_the_same

workers-read-the-same = { $workers } 個のワーカーが同じブロックを同じ順に読む：一つが読んだものを、ほかはキャッシュで見つけることがある。
workers-read-the-same-advice = それぞれに別の範囲を与える：fio のジョブでは offset_increment、プランでは same-start = false か layout = own。

## working_set_fits_in_ram

working-set-fits-in-ram = { $steps }が使う全データがページキャッシュに収まる：数値はストレージではなくメモリのもの。
working-set-fits-in-ram-advice = ダイレクト I/O でページキャッシュを迂回するか、RAM の 2 倍以上のテストファイルを使う。
working-set-fits-in-ram-size = 「{ $step }」が使うサイズ
working-set-fits-in-ram-moved = 「{ $step }」の間のデバイスの転送量
working-set-fits-in-ram-share = 要求したバイト数の { $share }

## write_back_failed

write-back-failed = { $steps }のライトは完了通知の後、ストレージに書き戻せなかった：データは失われ、これらのライトの数値はストレージのものではない。
write-back-failed-advice = このストレージにデータを預ける前に、カーネルログ（dmesg）と、下のデバイス、シンプロビジョニングのボリューム、またはサーバーを調べる。
write-back-failed-full = ENOSPC：ファイルシステムは領域を与えたが、下のストレージが満杯（シンプロビジョニング）：そこに空きを作る。
write-back-failed-call = { $path } の { $call }
write-back-failed-error = 「{ $step }」の後に { $error }

## write_cache_volatile

write-cache-volatile = デバイスに揮発性のライトキャッシュがある：fsync のないライトは、安全になる前に完了とみなされる。
write-cache-volatile-advice = 安全なライトの速度を知るには、各ライトを永続化して測る。停電対策のあるキャッシュなら差は出ない。

## object_store_keeps_versions

object-store-keeps-versions = バケットはバージョニングが有効：置き換えや削除をしたオブジェクトは古いバージョンとして残る。
object-store-keeps-versions-advice = 削除はバージョニングのないバケットで測定する。plumb は自分のオブジェクトの古いバージョンを削除する。s3:DeleteObjectVersion と s3:ListBucketVersions を許可し、'plumb clean s3://BUCKET/PREFIX' で確認する。
object-store-locks-objects = バケットは新しいオブジェクトをロックする（{ $lock }）：測定が書いたものはその期間が終わるまで削除できない。
object-store-locks-objects-advice = 既定の保持期間のないバケットで測定する：'aws s3api create-bucket --bucket BUCKET'。

## object_store_clock_differs

object-store-clock-ahead = オブジェクトストアの時計はこのマシンより { $by } 進んでいる。
object-store-clock-behind = オブジェクトストアの時計はこのマシンより { $by } 遅れている。
object-store-clock-advice = 両方を NTP で同期する（'timedatectl set-ntp true'）。差が 15 分を超えると要求は拒否される。
