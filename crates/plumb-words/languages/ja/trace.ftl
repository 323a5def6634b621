### アプリケーションの呼び出しのトレースが示すこと。

## 概要

trace-overview = { $span } の間に応答のあった呼び出し { $calls } 件{ $connections ->
    [0] { "" }
   *[other] 、接続 { $connections } 本
}：読み取り { $read }、書き込み { $written }。
trace-cost = カーネルのトレースポイントで記録した。plumb はそのために CPU 時間 { $cpu }（1 コアの { $share }）を使った。
trace-cost-strace = strace で記録した。strace は呼び出しごとにプログラムを 2 回止める：単独で動くより遅く、呼び出しの時間には停止が含まれる。plumb はその出力を読むために CPU 時間 { $cpu }（1 コアの { $share }）を使った。
trace-cost-etw = Windows カーネルのイベント（ETW）で記録した。plumb はそのために CPU 時間 { $cpu }（1 コアの { $share }）を使った。Windows 自身が使った分はわからない。
trace-overview-without-times = { $span } の間に { $calls } 件の呼び出しがあり、{ $read } の読み取りと { $written } の書き込みを要求しています。いつ応答されたかはトレースに記されていません。時間はなく、未完了の数もわかりません。
trace-takes-time = { $call } が全呼び出しの時間の { $share } を占める：{ $count } 件、平均 { $mean }、99 % が { $p99 } 以内。
trace-takes-time-few = { $call } が全呼び出しの時間の { $share } を占める：{ $count } 件、平均 { $mean }、最長 { $longest }。
trace-one-at-a-time = 呼び出しは 1 件ずつ行われている：未完了がある間の平均は { $busy } 件、最大 { $max } 件。時間の { $idle } は未完了なし。
trace-outstanding = 未完了がある間の平均は { $busy } 件、最大 { $max } 件。時間の { $idle } は未完了なし。
trace-many-outstanding = 未完了がある間の平均は { $busy } 件、最大 { $max } 件。時間の { $idle } は未完了なし。これだけ多いと各呼び出しの時間には互いを待つ時間が含まれる：より少ない場合の時間と比べるまで、サーバーについてはほとんど何も言えない。
trace-sizes = { $call } の要求は平均 { $mean }（中央値 { $median }、最大 { $largest }）。
trace-sizes-and-offsets = { $call } の要求は平均 { $mean }（中央値 { $median }、最大 { $largest }）。{ $sequential } が同じファイルの直前の呼び出しに続く。開いたファイルは { $files } 個。
trace-mix = 呼び出しの { $reads } が読み取り、{ $writes } が書き込み、{ $metadata } がメタデータ。時間では { $read-time }、{ $write-time }、{ $metadata-time }。
trace-mix-without-times = 呼び出しの { $reads } が読み取り、{ $writes } が書き込み、{ $metadata } がメタデータ。
trace-think-time = スレッドはその時間の { $share } を呼び出しの間で別の処理または待機に使う：中央値 { $median }、90 % が { $p90 } 以内。
trace-busiest-file = 時間の { $share } が { $name } への呼び出し：{ $calls } 件、読み取り { $read }、書き込み { $written }。
trace-touched-once = 読み書きされたファイル { $files } 個のうち { $once } 個は 1 回だけ開かれ、1 回の呼び出しで読み書きされた（バイトの { $share }）。
trace-flushes = フラッシュ（fsync など）は { $flushes } 回、間隔の中央値は { $interval }。時間の { $share } を占める。
trace-flushes-written = フラッシュ（fsync など）は { $flushes } 回、間隔の中央値は { $interval }、その前にファイルへ { $written } を書き込む。時間の { $share } を占める。
trace-flushes-few = フラッシュ（fsync など）{ $flushes } 回が時間の { $share } を占める。平均 { $mean }。
trace-round-trip = サーバーまでの往復時間はハンドシェイクによると { $time } で、全呼び出しの時間の { $share } に当たる。
trace-round-trips = 各サーバーまでの往復時間はハンドシェイクによると { $least } から { $most } で、全呼び出しの時間の { $share } に当たる。
trace-round-trip-unknown = 時間のうちネットワークの占める割合は分からない：接続はキャプチャより前に始まっている。往復時間は最も速い応答 { $shortest } より長くはない。
trace-captured-near-server = キャプチャはサーバーの近くで取られている：クライアントは各応答をここに示すより { $rest } 長く待つ。
trace-errors = 応答の { $share } がエラー（{ $errors } 件）。最も多いのは { $call } への { $status }（{ $count } 件）。
trace-credits-used-up = { $requests } 件の要求がサーバーの与えた最後のクレジットを使った：応答が新しいクレジットをもたらすまで、クライアントは何も送れなかった。同時に使われたクレジットは最大 { $most }。
trace-channels = { $sessions } 個のセッションが同時に複数の接続を使っている（マルチチャネル）。このキャプチャに現れないチャネルは数値に含まれない。
trace-retransmissions = { $segments } 個のセグメントが再送された（パケットの { $share }）：ネットワークがパケットを失っているか、キャプチャに同じパケットが二重にある。

## 疑わしい点

trace-encrypted = { $all } 件のメッセージのうち { $messages } 件が暗号化されている（{ $bytes }）：どのコマンドかは見えない。暗号化しないセッションをキャプチャするか、クライアントまたはサーバーのカウンターを使う。
trace-compressed = { $all } 件のメッセージのうち { $messages } 件が圧縮されている：どのコマンドかは見えない。
trace-smb1 = { $messages } 件のメッセージは SMB 1 で、内容は調べていない。
trace-nfs-udp = NFS の呼び出し { $calls } 件は UDP で送られた。UDP の内容は調べていない。proto=tcp でマウントする。
capture-damaged = ファイルはバイト { $at } 以降が壊れている。それより前を使った。
capture-cut = ファイルはバイト { $at } から始まるパケットの途中で終わっている。それより前を使った。
capture-unreadable = ファイルを最後まで読めなかった：{ $error }
capture-dropped = キャプチャ中に { $packets } 個のパケットが破棄された。
capture-gaps = 接続に { $gaps } か所の欠落がある：{ $bytes } が送られたがファイルにない。
capture-unknown-link = { $packets } 個のパケットは plumb が読めない種類のリンクのもの。
capture-without-time = { $packets } 個のパケットには時刻がなく、除外した。
capture-fragments = IP パケットの断片 { $packets } 個を除外した。
capture-duplicates = { $packets } 個のパケットがファイルに二重にある。それぞれ 1 回だけ数えた。
trace-headers-cut = { $messages } 件のメッセージがヘッダーの途中で切れている。パケット全体を取るか、それぞれ少なくとも 256 バイト取る（tcpdump -s 256）。
trace-searched = 次のメッセージの先頭を { $searches } 回探す必要があった：パケットが失われたか、別のメッセージが続くメッセージの途中で切れている。その間の内容は失われた。
trace-malformed = { $messages } 件のメッセージはプロトコルに合わず、除外した。
trace-unanswered = { $requests } 件の要求には、キャプチャに応答がない。いつまで未完了だったかが分からないため、未完了の数には含めない。未完了のない時間は長すぎる可能性がある。
trace-outstanding-contradictory = 未完了の呼び出しの数値が互いに矛盾するため（未完了がある間の平均 { $busy }、最大 { $max }、未完了のない時間 { $idle }）、除外した。これは plumb の欠陥である。可能ならトレースを添えて報告してほしい。
trace-unasked = { $answers } 件の応答には、キャプチャに要求がない。
trace-repeated = { $requests } 件の要求が、まだ応答のない要求と同じ番号を使った。
trace-nfs-sent-again = NFS の呼び出し { $calls } 件は、応答の前に再送された（同じ xid）：サーバーが遅いか、接続が切れた。その時間は最初の送信から数える。
trace-forgotten = { $requests } 件の要求を諦めた：未応答の要求がメモリに保つ数を超えた。
calls-not-ended = ファイルは最後まで書かれていません。最後の行より後に起きたことは欠けており、トレース中に失われたもの、除かれたものはわかりません。
calls-damaged = { $all } 行のうち { $records } 行はこの形式ではないため除外しました。最初は { $first } 行目です。
calls-lost = トレースの記録中に { $records } 件の記録が失われました。
calls-ended-early = トレースが終わる前に Windows カーネルのイベントが途切れました：{ $error }
calls-unanswered = { $calls } 件の呼び出しはトレースに終了がありません。
calls-unasked = 終了した { $answers } 件の呼び出しはトレースに開始がありません。
calls-io-uring = io_uring が使われています（io_uring_enter の呼び出し { $calls } 回）：この方法による読み書きは個別のシステムコールではないため、このトレースにはありません。
calls-libaio = libaio が使われています（io_submit の呼び出し { $calls } 回）：この方法による読み書きは個別のシステムコールではないため、このトレースにはありません。
calls-32-bit = 32 ビットのプログラムの呼び出し { $calls } 件は除外しました。番号の意味がこのシステムの呼び出しと異なります。'plumb trace --by strace' なら読み取れます。
calls-mapped = 1 MiB 以上のファイルが { $files } 回メモリにマップされました：そこでの読み書きはシステムコールではないため、このトレースにはありません。
calls-not-files = パイプ、ソケット、端末などに対する { $calls } 件の呼び出しは除外しました。
calls-paging = Windows のキャッシュとメモリ管理による読み書き { $calls } 件は除外しました。キャッシュされたファイルへの呼び出しが下の層で引き起こしたもの、および呼び出しを伴わないマップされたファイルの読み書きです。
calls-disk-requests = 記録にはディスクへの要求も { $requests } 件あります。ファイル操作より下の層のものなので除外しました。
calls-unnamed = 開かれたファイル { $files } 個の名前はトレースに記されていません。

## 見出しと列

label-trace-command = コマンド
label-trace-calls = 呼び出し
label-trace-time = 時間の割合
label-trace-sum = 合計
label-trace-sizes = サイズとオフセット
label-trace-median = 中央値
label-trace-largest = 最大
label-trace-sequential = シーケンシャル
label-trace-aligned = 4 KiB 境界
label-trace-bytes = バイト
label-trace-outstanding = 未完了の呼び出し
label-trace-share-of-time = 時間の割合
label-trace-over-time = 時間の経過、区間ごとの平均
label-trace-connections = 接続
label-trace-client = クライアント
label-trace-server = サーバー
label-trace-dialect = ダイアレクト
label-trace-round-trip = 往復時間
label-trace-requests = 要求
label-trace-to-server = サーバーへ
label-trace-to-client = クライアントへ
label-trace-credits = 使用クレジット
label-trace-statuses = 成功以外の応答
label-trace-status = ステータス
label-trace-mix = 読み取り・書き込み・メタデータ
label-trace-class = 種類
label-trace-of-calls = 件数の割合
label-trace-reads = 読み取り
label-trace-writes = 書き込み
label-trace-metadata = メタデータ
label-trace-sessions = セッション
label-trace-waits = 待機
label-trace-files = 時間の最も多いファイル
label-trace-file = ファイル
label-trace-opens = オープン
label-trace-read = 読み取り
label-trace-written = 書き込み
label-trace-unnamed = （名前なし）
label-trace-other-files = （その他すべて）
label-trace-no-file = （開いたファイルなし）
label-trace-threads = 最も忙しいスレッド
label-trace-thread = スレッド
label-trace-busy = 呼び出し中
label-trace-thread-span = 最初から最後
label-trace-other-threads = （その他すべて）
label-trace-slowest = 最も遅い呼び出し
label-trace-after = 時点
label-trace-took = 所要時間
label-trace-offset = オフセット
label-trace-size = サイズ
label-trace-answer = 応答
