### plumb 自身のクライアントとサーバーの間で起きた問題。プロトコルごと：拒否、記録、ページで使う。

# すべての共有。

share-folders-too-deep = { $path } は { $folders } 階層より深いフォルダーにあり、plumb はそのようなものを作らない：そのままにする
share-lists-a-foreign-name = サーバーが { $path } に plumb が付けていない名前 { $name } を示した：このフォルダーの内容は何も削除しない
share-protocol-not-built = この plumb のビルドは { $scheme }:// のターゲットに対応しない：別のターゲットを指定する
share-not-cleaned-up = plumb が作ったものを削除できなかった：{ $error }。手で削除するもの：{ $place }

# SMB：何を試み、何が起き、何をすべきか。

smb-cannot = { $tried }ことができない：{ $reason }。{ $remedy }
smb-unfit = { $what }。{ $remedy }
smb-tried-open = { $place } を開く
smb-tried-ask-for-room = { $place } の空き容量を調べる
smb-tried-look-at = { $place } を照会する
smb-tried-list = { $place } を一覧する
smb-tried-make-folder = フォルダー { $place } を作る
smb-tried-make-file = ファイル { $place } を作る
smb-tried-write = { $place } に書き込む
smb-tried-read = { $place } を読み取る
smb-tried-set-length = { $place } の長さを設定する
smb-tried-remove = { $place } を削除する
smb-tried-remove-folder = フォルダー { $place } を削除する

# SMB：成立しない、または切れた接続。

smb-name-not-resolved = 名前「{ $host }」を解決できない（{ $error }）
smb-name-has-no-address = 名前「{ $host }」を解決できない（アドレスがない）
smb-address-did-not-answer = { $address } が { $time } 以内に応答しなかった
smb-no-connection = { $address } に接続できない（{ $error }）
smb-connection-reset = 接続がサーバーまたは途中でリセットされた
smb-connection-failed = 接続が失敗した：{ $error }
smb-connection-closed = 接続が閉じられた
smb-server-closed = サーバーが接続を閉じた
smb-server-closed-amid-a-message = サーバーがメッセージの途中で接続を閉じた
smb-session-ended = サーバー上でセッションが終わった（{ $status }）
smb-no-answer-in-time = { $time } の間応答がなかった
smb-no-answer-in-time-but-a-part = { $time } の間応答がなく、その一部しか来なかった
smb-no-answer-in-time-but-at-work = { $time } の間応答がなく、サーバーが処理中というメッセージしか来なかった
smb-no-answer-after-stop = 停止後、サーバーは { $time } 以内に応答しなかった
smb-not-over-in-time = サーバーは { $time } 以内に完了しなかった
smb-request-never-answered = { $time } 後に送った要求には応答があるのに、応答のない要求がある

# SMB：サーバーが言ってはならないこと、または終わりのないもの。

smb-not-smb = 届いたものは SMB ではない：{ $what }
smb-no-answer = 応答なし
smb-message-of-length = { $bytes } バイトのメッセージ
smb-message-begins-with = { $bytes } で始まるメッセージ
smb-request-not-answer = 応答のはずのところに要求
smb-answer-is-broken = { $command } への途切れた、または矛盾した応答
smb-read-too-long = { $asked } バイトの READ に対する { $bytes } バイトの応答
smb-frame-of-length = { $bytes } バイトのフレーム
smb-frame-of-type = 種別 { $type } のフレーム
smb-message-in-the-clear = 暗号化セッション中の平文のメッセージ
smb-encrypted-frame-too-short = 短すぎる暗号化フレーム
smb-encryption-not-agreed = 暗号化を取り決めていないのに暗号化されたメッセージ
smb-encrypted-message-of-other-length = { $said } バイトと称する { $bytes } バイトの暗号化メッセージ
smb-encrypted-message-of-another-session = このセッションではないセッション { $session } の暗号化メッセージ
smb-message-points-beyond = { $bytes } バイトのフレームの中で { $next } バイト先を指すメッセージ
smb-answer-of-another-session = このセッションではないセッション { $session } の応答
smb-answer-was-not-asked = 要求していないメッセージ { $message } への応答
smb-pending-without-number = 番号のない中間応答（STATUS_PENDING）
smb-negotiate-unreadable = 読めない NEGOTIATE への応答：{ $error }
smb-dialect-not-offered = サーバーが提示していない SMB { $dialect } を選んだ
smb-too-few-bytes-to-read = サーバーは { $bytes } バイトしか読み取りを許さない
smb-too-few-bytes-to-write = サーバーは { $bytes } バイトしか書き込みを許さない
smb-too-few-bytes-to-query = サーバーは { $bytes } バイトしか照会を許さない
smb-login-without-end = 終わらないログイン
smb-login-unreadable = 読めないログイン：{ $why }
smb-no-ticket = チケットなし
smb-more-than-a-ticket = サーバーがチケット以上のものを求めている
smb-no-credits = サーバーがクレジットをもう与えず、それなしでは何も要求できない
smb-messages-answer-nothing = サーバーは { $messages } 件のメッセージを送ったが、どれも応答ではない
smb-lists-without-end = サーバーの一覧が終わらない（これまで { $answers } 件の応答に { $names } 件の名前）
smb-lists-without-end-of-answers = サーバーの一覧が終わらない（これまで { $answers } 件の応答）

# SMB：途中で変えられたもの。

smb-changed-on-the-way = 届いたものは途中で変えられたか、別の鍵で署名または暗号化されている：{ $what }
smb-encrypted-message = 暗号化されたメッセージ
smb-answer-not-signed = 署名がないか誤っている、ステータス { $status } の応答
smb-login-not-signed = ログインの最後の応答に署名がない。SMB { $dialect } ではサーバー次第だが、3.1.1 では必須（dialect を auto のままにする）
smb-login-signed-wrong = ログインの最後の応答にセッション鍵の署名がない
smb-negotiation-changed = このホストとサーバーの間でネゴシエーションが改変され、SMB { $dialect } になった：{ $how }
smb-server-left = 確認を求めると、サーバーが切断した（{ $why }）
smb-confirmation-not-signed = それを確認する応答にサーバーの署名がない
smb-not-confirmed = サーバーが確認しない（{ $status }）
smb-something-else-was-sent = サーバーが送った{ $what }が異なる
smb-the-dialect = ダイアレクト
smb-the-capabilities = 機能（capabilities）
smb-what-is-signed = 署名の要件
smb-the-servers-identity = サーバーの識別子

# SMB：取り決めた内容が求めたものになりえない。

smb-let-in-as-a-guest = サーバーは { $user } をゲストとしてしか受け入れず、そのメッセージには署名できない。または途中の誰かがそう称している
smb-another-dialect-than-before = サーバーが前と異なるダイアレクトを選んだ
smb-another-server-there = サーバーが示した { $address } では別のサーバーが応答する
smb-guest-has-no-channels = ゲストは複数チャネルを持てない
smb-multichannel-not-offered = サーバーがマルチチャネルを提供しない
smb-server-without-multichannel = サーバーは SMB { $dialect } を話し、それにマルチチャネルはない
smb-dialect-without-multichannel = SMB { $dialect } にマルチチャネルはなく、SMB 3.0 から
smb-not-a-share-of-files = 「{ $share }」はファイルの共有ではなく、パイプかプリンターの共有
smb-signing-is-demanded = サーバーがメッセージの署名を要求する
smb-no-key-for-demanded-signing = サーバーが署名を要求するが、ゲストや匿名のセッションには鍵がない
smb-no-key-for-wanted-signing = 署名が指定されたが、ゲストや匿名のセッションには鍵がない
smb-encryption-is-demanded = サーバーがすべてのセッションに暗号化を要求する
smb-encryption-is-demanded-by-share = サーバーがこの共有に暗号化を要求する
smb-no-encryption-with-dialect = サーバーは SMB { $dialect } では暗号化を提供しない
smb-no-key-for-encryption = 暗号化には鍵が必要だが、ゲストや匿名のセッションにはない
smb-no-dialect-from-2-0-2-on = サーバーは SMB 2.0.2 以降のどのダイアレクトも話さない（{ $status }）
smb-speaks-smb-1-only = サーバーは SMB 1 しか話さず、plumb はそれを話さない
smb-dialect-not-spoken = サーバーは SMB { $dialect } を話さない（{ $status }）
smb-written-in-part = サーバーは { $bytes } バイトのうち { $moved } バイトしか受け取らなかった
smb-key-of-wrong-length = 長さの違う鍵が導出された
smb-no-more-connections-of-session = このセッションは { $connections } 本の接続を使い、これ以上は暗号化できない
smb-message-too-long-to-encrypt = メッセージが長すぎて暗号化できない
smb-ticket-cache-unusable = Kerberos のチケットキャッシュ（KRB5CCNAME）を使えない：{ $why }
smb-no-ticket-for = { $service } のチケットがない
smb-ticket-not-there = チケットをサーバーから取得する必要がある
smb-no-random-numbers = このシステムは乱数を提供しない（{ $error }）

# SMB：サーバーが拒否した要求。

smb-refused = { $command } が { $status } で拒否された

# SMB：何をすべきか。

smb-see-that-it-listens = { $server } で SMB サーバーが待ち受けているか、ファイアウォールが遮っていないかを確認する
smb-see-whether-it-hangs = { $server } のサーバーが固まっていないか（ログ、ストレージ）、そこで待ち受けているのが SMB サーバーか確認する
smb-see-the-name = 名前を確認するか、サーバーのアドレスを書く
smb-see-the-port = { $server } が SMB サーバーのポート（445）か確認し、そうであればそのログと、間のネットワークを調べる
smb-see-the-log-of-the-listener = { $server } で待ち受けているもののログを見て、信頼できる SMB サーバーか確認する
smb-see-what-stands-between = このホストと { $server } の間に何があるか（プロキシ、WAN アクセラレーター、攻撃者）を調べ、署名しないサーバーは更新する
smb-leave-options = エンジンのオプションを auto のままにする
smb-leave-channels = channels を auto のままにする
smb-leave-dialect = dialect を auto のままにする
smb-leave-signing = signing を auto のままにする
smb-leave-encryption = encryption を auto のままにする
smb-leave-encryption-and-dialect = encryption と dialect を auto のままにする
smb-leave-signing-and-encryption = signing と encryption を auto のままにする
smb-allow-smb-2-or-3 = サーバーで SMB 2 か 3 を許可する
smb-name-a-known-user = サーバーが知るユーザーを指定するか、ユーザーを書かずに匿名で入るか、ゲストでよいなら signing を false にする
smb-name-a-user = パスワードのあるユーザーを指定する
smb-name-another-share = 別の共有を指定する
smb-see-its-log = サーバーのログを見る
smb-start-again = もう一度始める
smb-choose-smaller-blocks = ブロックを小さくする
smb-get-a-ticket = 'kvno cifs/{ $host }' でチケットを取得するか、パスワードを渡す
smb-see-getrandom = getrandom(2) を参照し、/dev/urandom があるか確認する
smb-anonymous-user = 匿名ユーザー
smb-takes-no-anonymous-users = サーバーは匿名ユーザーを受け入れない：smb://user@server/share のように指定する
smb-wrong-user-or-password = { $user } のユーザー名かパスワードが誤り：正しいものを渡すか、ドメインを smb://DOMAIN;user@server/share のように書く
smb-takes-no-more-sessions = サーバーはこれ以上セッションを受け入れない：スレッドを減らす
smb-user-or-dialect-not-let-in = { $user } は受け入れられないか、サーバーが暗号化を要求しダイアレクトにそれがない：サーバーで許可するか、dialect を auto のままにする
smb-user-not-let-in = サーバーが { $user } を受け入れない：管理者に尋ねるか、別のユーザーを指定する
smb-no-such-share = 共有「{ $share }」はない：'{ $command }' で一覧できる
smb-user-may-not-use-share = { $user } は共有「{ $share }」を使えないか、サーバーが暗号化か署名を要求する：サーバーで許可するか、encryption、signing、dialect を auto のままにする（SMB 2 は暗号化できない）
smb-name-not-taken = サーバーはこの名前を受け付けない：\ : * ? " < > | を含まない名前にする
smb-name-too-long = 名前が { $bytes } バイトあり、サーバーは最大 { $most } バイト：短い名前にする
smb-name-refused = サーバーがこの名前を拒否する（Samba：共有の 'veto files' を参照）：別の名前にする
smb-folder-does-not-exist = そのフォルダーがない：作るか、別のものを指定する
smb-dfs-link-leads-to = このパスは DFS リンクで、plumb はたどらない：リンク先の { $target } を指定する
smb-is-a-dfs-link = このパスは別のサーバーか共有を指す DFS リンクで、plumb はたどらない：リンク先の場所を指定する
smb-user-may-not-do-that = { $user } にはここでその権限がない：共有が読み取り専用かもしれない。{ $user } が書き込めるフォルダーを指定する
smb-share-is-full = 共有が満杯：空きを作るか、--size を小さくする
smb-nothing-by-this-name = この名前のものはない：パスを確認する
smb-exists-already = すでに存在する：別の名前を指定する
smb-session-has-ended = サーバー上でセッションが終わった：もう一度試す
smb-see-the-servers-log = 理由はサーバーのログを見る

# NFS：何を試み、サーバーが何と答えたか。

nfs-cannot = { $target }：{ $tried }ことができない：サーバーの返答は { $status }。{ $advice }
nfs-unreachable = { $target }：{ $what }
nfs-server-says = サーバーの返答は { $status }
nfs-tried-introduce = サーバーにクライアントを登録する
nfs-tried-introduce-4-0 = サーバーにクライアントを登録する（SETCLIENTID）
nfs-tried-introduce-3 = NFS 3 を提供するか確認する
nfs-tried-portmapper = ポートマッパー（ポート 111）にポートを問い合わせる
nfs-tried-mount = 「{ $export }」をマウントする（MOUNT）
nfs-tried-open-session = セッションを開く
nfs-tried-begin = 開始する
nfs-tried-enter = エクスポート「{ $export }」を開く
nfs-tried-ask-limits = サーバーの制限を問い合わせる
nfs-tried-ask-for-room = 空き容量を調べる
nfs-tried-look-up = 「{ $path }」を調べる
nfs-tried-find = 「{ $path }」を見つける
nfs-tried-open = 「{ $path }」を開く
nfs-tried-list = 「{ $path }」を一覧する
nfs-tried-make-folder = フォルダー「{ $path }」を作る
nfs-tried-write = 「{ $path }」に書き込む
nfs-tried-read = 「{ $path }」を読み取る
nfs-tried-set-length = 「{ $path }」の長さを設定する
nfs-tried-remove = 「{ $path }」を削除する

# NFS：成立しない、または切れた接続。

nfs-name-not-resolved = 名前 { $host } を解決できない（{ $error }）：確認するか、アドレスを書く
nfs-name-has-no-address = 名前にアドレスがない
nfs-no-connection = { $server } に接続できない：{ $error }。NFS サーバーが動いているか、ポートが正しいか（指定がなければ 2049）、ファイアウォールが遮っていないかを確認する
nfs-socket-not-set-up = ソケットを設定できない：{ $error }
nfs-no-handle = ハンドルがない
nfs-server-closed = サーバーが接続を閉じた
nfs-connection-failed = 接続が失敗した：{ $error }
nfs-no-answer = サーバーが { $time } の間応答していない
nfs-no-answer-after-stop = 終了の要求後、サーバーは { $time } 以内に応答しなかった
nfs-calls-left-unanswered = サーバーがセッションのすべての呼び出しに応答しない
nfs-session-ended = サーバーがセッションを終えた（{ $status }）
nfs-client-forgotten = サーバーがこのクライアント、またはその開いているファイルを認識しなくなった（{ $status }）
nfs-operation-lost-its-file = 操作が対象のファイルを失った。これは plumb の不具合

# NFS：サーバーが言ってはならないこと、または終わりのないもの。

nfs-answer-is-broken = サーバーの応答は正しい NFS ではない
nfs-message-too-long = サーバーが取り決めより長い { $bytes } バイトのメッセージを送った：NFS を話していない
nfs-empty-fragment = サーバーがメッセージの最後ではない空のフラグメントを送った
nfs-read-too-long = サーバーが { $asked } バイトの READ に { $bytes } バイトで応答した
nfs-read-beyond-buffer = サーバーが最大 { $most } バイトの READ に { $bytes } バイトで応答した
nfs-written-too-much = サーバーが { $asked } バイトの WRITE に { $bytes } バイトを確認した
nfs-less-stable-than-asked = サーバーが、要求より低い安定性で WRITE を確認した
nfs-messages-not-asked-for = サーバーが要求のないメッセージを { $most } 件より多く送った
nfs-name-of-no-file = サーバーが、どのファイルも持てない名前を示した：{ $name }
nfs-lists-too-many-names = サーバーが 1 つのフォルダーに { $most } 件を超える名前、または { $size } を超える名前を示した
nfs-lists-too-long = サーバーの 1 つのフォルダーの一覧が { $time } で終わらない

# NFS：求めたとおりでないことと、何をすべきか。

nfs-number-is-no-proof = サーバーがユーザーの証明を受け付けない（RPC AUTH_ERROR { $error }）：AUTH_SYS ならエクスポートに sec=sys を許可するか、nfs-security を krb5、krb5i、krb5p のどれかにする。1024 未満のポートを求めるなら root で実行するか 'insecure' でエクスポートする
nfs-another-version-of-rpc = サーバーが別バージョンの RPC を話す
nfs-other-versions-only = サーバーは NFS バージョン { $first } から { $last } のみ：nfs をそのどれかにするか、省く
nfs-not-at-this-port = このポートのサーバーは NFS を提供しない：NFS のポートを指定する
nfs-request-was-not-read = サーバーが要求を読めなかった（RPC accept_stat { $status }）：サーバーのログを見る
nfs-no-such-export = { $server } にエクスポート「{ $export }」がない（{ $status }）。あるのは { $offered }：nfs://{ $server }/export/path のようにどれかを指定する
nfs-no-such-export-of-many = { $server } にエクスポート「{ $export }」がない（{ $status }）。あるのは { $offered } とほか { $more } 件：nfs://{ $server }/export/path のようにどれかを指定する
nfs-no-export-at-all = { $server } にエクスポート「{ $export }」がない（{ $status }）。このホストには何もエクスポートされていない：サーバーでこのホストにフォルダーをエクスポートする
nfs-user-is-no-number = { $target }：「{ $user }」は番号ではなく、NFS はユーザーを番号で識別する（sec=sys）：外して plumb を実行するユーザーにするか、nfs://1000@{ $host } と書く
nfs-room-is-not-said = { $target }：サーバーが容量を示さない：全エクスポートのルートではなく、フォルダー付きのエクスポートを指定する
nfs-no-export-named = エクスポートの指定がない：nfs://server/export と書く
nfs-see-owner-and-squash = サーバーは plumb を実行するユーザーの番号を使う：フォルダーの所有者とモード、エクスポートの squash オプションを確認する（no_root_squash がなければ root は nobody になる）
nfs-export-is-read-only = エクスポートは読み取り専用：読み取りを測定するか、書き込み可でエクスポートする
nfs-export-is-full = --size を小さくするか、別のターゲットにする（書き込んだものは削除済み）
nfs-quota-is-used-up = クォータを使い切った：--size を小さくするか、別のターゲットにする
nfs-folder-is-not-there = 途中のフォルダーがない：作るか、あるものを指定する
nfs-export-wants-another-proof = エクスポートが別のセキュリティフレーバー（nfs-security：sys、krb5、krb5i、krb5p）か 1024 未満の送信元ポートを求める（root で実行するか 'insecure' でエクスポートする）：エクスポートに許可するか、カーネルマウントをパスで測定する
nfs-no-ticket = Kerberos を使えない：{ $why }：'kinit' と 'kvno nfs/{ $host }' でチケットを取得し、KRB5CCNAME でキャッシュのファイルを指定する
nfs-no-ticket-for = キャッシュ（KRB5CCNAME）に { $service } のチケットがない
nfs-ticket-has-ended = { $service } のチケットは期限切れ
nfs-ticket-of-another-cipher = { $service } のチケットの暗号化タイプは { $cipher } で、plumb が使えるのは 17（aes128-cts-hmac-sha1-96）と 18（aes256-cts-hmac-sha1-96）
nfs-no-random-numbers = このシステムは乱数を提供しない（{ $error }）
nfs-tried-log-in = Kerberos でログインする（RPCSEC_GSS_INIT）
nfs-gss-answer-unreadable = Kerberos ログインへのサーバーの応答を読めない
nfs-gss-server-not-proved = サーバーはチケットの鍵を持つことを証明しなかった：ログインへの応答が途中で変更されたか、別のサーバーのもの
nfs-gss-another-cipher = サーバーがセッションに選んだ暗号化タイプは { $cipher } で、plumb が使えるのは 17（aes128-cts-hmac-sha1-96）と 18（aes256-cts-hmac-sha1-96）
nfs-gss-kerberos-error = KRB_ERROR { $error }
nfs-gss-not-taken = サーバーが Kerberos チケットを拒否した（GSS major { $major }、minor { $minor }）：keytab に nfs/{ $host } の現在の鍵があるか、時計が合っているかを確認する
nfs-gss-not-taken-by-kerberos = サーバーが Kerberos チケットを拒否した（{ $error }）：keytab に nfs/{ $host } の現在の鍵があるか、時計が合っているかを確認する
nfs-gss-changed-on-the-way = 応答が途中で変更されたか、別の鍵で署名または暗号化された（RPCSEC_GSS）：その内容は使われていない
nfs-gss-context-ended = Kerberos コンテキストの番号を使い切った：新しいコンテキストが必要
nfs-gss-context-refused = サーバーはこの Kerberos コンテキストをもう知らないか、チケットが期限切れ（RPC AUTH_ERROR { $error }）
nfs-export-wants-kerberos = { $target }：エクスポートは { $offered } を求める：{ $why }
nfs-security-not-taken = { $target }：エクスポートは { $security } を受け付けず、何を受け付けるかも示さない：nfs-security を krb5、krb5i、krb5p のどれかにするか、エクスポートの sec= を確認する
nfs-other-security-only = { $target }：エクスポートは { $security } を受け付けず、{ $offered } を求める：nfs-security をそのどれかにするか、省く。plumb にないものはカーネルマウントが使えることがある
nfs-no-such-minor-version = サーバーはこのバージョンの NFS 4 に対応していない：サーバーで有効にするか、nfs= を省く（対応する最も高いバージョンになる）
nfs-no-version-in-common = { $four }。NFS 3 も提供しない：{ $three }
nfs-mount-not-registered = サーバーのポートマッパーにバージョン 3 の MOUNT サービスがない
nfs-no-mount-service = { $first }。{ $then }：--set mount-port=PORT で MOUNT サービスのポートを指定する
nfs-no-portmapper = { $host } のポート 111 でポートマッパーが応答しない
nfs-not-exported-to-this-host = このエクスポートはこのホストまたはこのユーザーには許可されていない：サーバーでエクスポートに加えるか、サーバーが 1024 未満のポートを要求するなら root で実行するか 'insecure' でエクスポートする
nfs-name-too-long = 名前が長すぎる。多くのサーバーは最大 255 バイト：短い名前にする
nfs-opened-is-gone = 開いていたものがサーバーからなくなった：もう一度始める
nfs-server-asks-to-wait = サーバーが待つよう求めている。起動直後かもしれない：1、2 分後にもう一度試す
nfs-see-the-servers-log = サーバーのログを見る

# RDMA and libfabric.

libfabric-error = libfabric エラー { $number }
libfabric-was-not-found = RDMA アダプターに到達するための libfabric が見つからない（{ $names } を探した：{ $error }）
libfabric-is-another-library = { $name } は libfabric ではない：{ $error }
libfabric-has-no-memory-for-hints = libfabric のメモリー不足
libfabric-call-failed = { $call }：{ $error }
libfabric-call-not-offered = このプロバイダーは { $call } を提供しない
libfabric-provider-failed = プロバイダー { $provider }：{ $reason }
libfabric-queues-too-long = { $error }（ソフトウェア RDMA など、長いキューの余地がないアダプターでは、両端の環境に FI_UNIVERSE_SIZE=16 を設定する）
libfabric-no-provider-fits = 必要な機能（信頼性のあるデータグラム、リモートメモリー、タグ付きメッセージ、到達時の完了）を提供する libfabric のプロバイダーがない
libfabric-no-known-provider = plumb が自動で選ぶプロバイダーはないが、{ $others } が使える：provider=NAME で指定する
libfabric-provider-does-not-fit = libfabric のプロバイダー { $provider } は、ここで必要な機能（信頼性のあるデータグラム、リモートメモリー、タグ付きメッセージ、到達時の完了）を提供せず、ほかのプロバイダーも提供しない
libfabric-provider-does-not-fit-others = libfabric のプロバイダー { $provider } は、ここで必要な機能（信頼性のあるデータグラム、リモートメモリー、タグ付きメッセージ、到達時の完了）を提供しない。提供するのは { $others }
rdma-memory-not-registered = { $bytes } のメモリーを登録できない：{ $error }
rdma-memory-not-registered-by-limit = { $bytes } のメモリーを登録できない：{ $error }（ロックできるメモリーの上限を上げる：ulimit -l unlimited）
rdma-name-has-no-address = その名前にはアドレスがない
rdma-peer-closed-without-answer = ピアは応答せずに接続を閉じた
rdma-peer-did-not-answer = ピアが { $time } 以内に応答しなかった
rdma-peer-refused = ピアが拒否した：{ $reason }
rdma-block-is-too-large = プロバイダー { $provider } が一度に転送できるのは { $most } までだが、block は { $block }
rdma-peer-lends-too-little = ピアが提供するメモリーは { $bytes } だが、{ $asked } が求められた
rdma-peer-lends-nothing-for-ping-pongs = ピアは書き込みによるピンポンのためのメモリーを提供しない
rdma-peer-lends-another-length = ピアは { $asked } のメッセージに { $bytes } を提供している
rdma-peer-lends-beyond-all-addresses = ピアが提供するメモリーがアドレスの範囲を超えている
rdma-peer-grants-too-much = 相手が宣言した数を超えて許可した
rdma-address-of-another-length = ピアのアドレスは { $bytes } バイトだが、{ $provider } のアドレスは { $own } バイト
rdma-reading-failed = ピアのメモリーの読み取りに失敗した：{ $error }
rdma-reading-took-too-long = ピアのメモリーを { $time } 以内に読み取れなかった
rdma-connection-broken = 接続が壊れている：{ $error }
rdma-not-plumbs-protocol = 相手は plumb の RDMA プロトコルを話していない（{ $what }）
rdma-protocol-of-another-version = 相手は plumb の RDMA プロトコルのバージョン { $other }、こちらはバージョン { $own }：両方のホストで同じ plumb を実行する
rdma-unknown-beginning = 未知の先頭
rdma-message-of-length = { $bytes } バイトのメッセージ
rdma-message-ends-too-early = 途中で終わるメッセージ
rdma-message-too-long = 長すぎるメッセージ
rdma-answer-of-kind = 種類 { $kind } の応答

# S3：要求を送る前に足りないもの、誤り。

s3-unusable = { $target }：{ $what }
s3-no-credentials = オブジェクトストアの認証情報がない（プロファイル { $profile }）：AWS_ACCESS_KEY_ID と AWS_SECRET_ACCESS_KEY を設定するか、~/.aws/credentials に書いて AWS_PROFILE または --set aws-profile=NAME で指定する。コンテナーからもインスタンスからも得られない
s3-checksum-is-another = オブジェクトのチェックサムは { $kept } だが、内容のチェックサムは { $found } である
s3-object-is-not-deleted = サーバーは { $path } を削除しなかった（{ $code }）
s3-metadata-status = HTTP ステータス { $status } で応答した
s3-metadata-malformed = 応答は認証情報ではない
s3-metadata-is-far = AWS_CONTAINER_CREDENTIALS_FULL_URI（{ $url }）はこのマシンのものでもコンテナーのエージェントのものでもない：トークンが暗号化されずに送られる。認証情報は環境変数に入れる
s3-no-credentials-of-container = コンテナーのエージェント { $url } から認証情報を得られない：{ $why }。タスクまたはポッドのロールを確認するか、認証情報を環境変数に入れる
s3-no-credentials-of-instance = インスタンスのメタデータサービスから認証情報を得られない：{ $why }。インスタンスのロールを確認するか、AWS_EC2_METADATA_DISABLED=true を設定して認証情報を環境変数に入れる
s3-half-of-the-credentials-in-environment = 環境変数に認証情報の半分しかない：{ $missing } も設定するか、もう一方を解除して ~/.aws/credentials のプロファイルを使う
s3-half-of-the-credentials-in-profile = ~/.aws のプロファイル { $profile } に認証情報の半分しかない：{ $missing } を追加する
s3-credentials-from-elsewhere = プロファイル { $profile } は認証情報を別の場所（{ $key }）から得るが、plumb は対応しない：環境変数に入れる。例：'eval "$(aws configure export-credentials --profile { $profile } --format env)"'
s3-no-such-profile = ~/.aws/config にも ~/.aws/credentials にもプロファイル { $profile } がない：名前（'aws configure list-profiles'）、または AWS_CONFIG_FILE と AWS_SHARED_CREDENTIALS_FILE のファイルを確認する
s3-no-region = AWS のリージョンが設定されていない：AWS_REGION を設定するか、プロファイルに region を加えるか、--set region=eu-central-1 を使う。ほかのオブジェクトストアは --set endpoint-url=URL または AWS_ENDPOINT_URL で指定する
s3-region-is-malformed = '{ $region }' はリージョンではない：eu-central-1 のように英字、数字、ハイフンを使う
s3-endpoint-is-malformed = '{ $endpoint }' はエンドポイントではない：http://host:port または https://host:port と書く
s3-endpoint-holds-a-user = エンドポイントの @ の前にユーザーまたはパスワードがある：削除し、キーは AWS_ACCESS_KEY_ID と AWS_SECRET_ACCESS_KEY またはプロファイルで与える
s3-file-is-malformed = { $file } の { $line } 行目：[section] でも key = value でもない：その行を直す
s3-file-is-unreadable = { $file } を読めない（{ $error }）：アクセス権を確認する
s3-prefix-is-malformed = { $target }：プレフィックスのスラッシュの間に空の名前、. または .. がある：s3://bucket/a/b のような普通のプレフィックスを指定する
s3-name-is-not-resolved = エンドポイントの名前 '{ $host }' を解決できない（{ $error }）：--set endpoint-url=URL または AWS_ENDPOINT_URL を確認する。名前の先頭がバケットなら --set addressing-style=path を使う
s3-no-tls-on-this-processor = https にはこのプロセッサーにない命令が要る（x86-64 では AES、AVX2、ADX、BMI2、ARM では暗号拡張）：http のエンドポイントか新しいマシンを使う
s3-certificates-are-unreadable = AWS_CA_BUNDLE の { $file } を使えない（{ $error }）：PEM 形式の証明書ファイルを指定する
s3-no-certificates = このシステムには信頼する認証局がない：パッケージ ca-certificates をインストールするか、AWS_CA_BUNDLE で証明書ファイルを指定する
s3-tls-failed = TLS を準備できない（{ $error }）：http のエンドポイントを使う
target-is-no-bucket = ターゲットはバケットではない：s3://bucket/prefix のように指定する
s3-engine-writes-entire-objects = オブジェクトは全体を書くことしかできない：{ $size } のオブジェクトに { $block } のブロックは書けない。オブジェクトを 1 ブロックにする（--size を --block と同じにし、start なし）か、操作 create で多数のオブジェクトを書く（--mix create --files N --file-size SIZE）

# S3：何を試み、何が起き、何をすべきか。

s3-cannot = { $target }（{ $server }）：{ $tried }ことができない：{ $reason }。{ $remedy }
s3-tried-look-up = { $path } を調べる
s3-tried-list = '{ $path }' を一覧する
s3-tried-make-folder = フォルダー { $path } を作る
s3-tried-write = { $path } を書く
s3-tried-read = { $path } を読む
s3-tried-remove = { $path } を削除する
s3-refused = サーバーが { $code }（HTTP { $status }）を返した
s3-refused-with-a-message = サーバーが { $code }（HTTP { $status }）、'{ $message }' を返した
s3-first-refusal = 最初に失敗した要求：{ $reason }
s3-no-answer-after-stop = 終了の要求から { $time } 以内に応答がない
s3-connection-failed = 接続に失敗した（{ $error }）
s3-certificate-is-refused = サーバーの証明書を信頼できない（{ $error }）
s3-closed-without-a-reply = サーバーが応答せずに接続を閉じた
s3-closed-within-a-reply = サーバーが応答の途中で接続を閉じた
s3-server-is-silent = { $time } の間、何も送受信されなかった
s3-server-is-slow = { $time } 後も応答が完了しなかった
s3-head-is-too-long = 応答のヘッダーが { $most } を超える
s3-head-is-malformed = 応答が HTTP ではない
s3-chunk-is-malformed = 応答のチャンクが不正である
s3-length-is-another = 応答は { $announced } バイトで、要求は { $requested } バイトだった
s3-reply-is-too-long = 応答が { $most } を超える
s3-document-is-malformed = 応答がオブジェクトストアの XML 文書ではない
s3-no-length = 応答がオブジェクトのサイズを示さない
s3-no-etag = 書き込みの応答に ETag がない
s3-etag-is-another = サーバーは { $path } に別の内容を保存した：ETag は { $etag }、送った内容の MD5 は { $sum }
s3-object-has-another-length = { $path } は { $found } バイトで、書いたのは { $written } バイトである
s3-list-is-endless = '{ $path }' の一覧が終わらない（これまでに { $names } 個の名前）
s3-folder-is-not-empty = { $path } にオブジェクトがある
s3-objects-are-written-entirely = { $path } はオブジェクトで、全体を書くことしかできない：一部は変更できない
s3-remedy-region = バケットは別のリージョンにある：--set region={ $region } または AWS_REGION={ $region } を使う
s3-remedy-unknown-region = バケットは別のリージョンまたは別のエンドポイントにある：region と endpoint-url をバケットのものにする
s3-remedy-redirect = サーバーは { $location } へ転送するが、plumb は従わない：endpoint-url をバケットのあるサーバーにする
s3-remedy-bucket = 名前を確認するか、バケットを作るか、endpoint-url をバケットのあるサーバーにする
s3-remedy-clock = このマシンとサーバーの時計が { $time } ずれている：誤った方を直す（NTP）
s3-remedy-token = セッショントークンはもう有効でない：新しい認証情報を取得する
s3-remedy-key = サーバーはこのアクセスキーを知らない：AWS_ACCESS_KEY_ID またはプロファイルと、エンドポイントを確認する
s3-remedy-signature = シークレットキーがアクセスキーのものではない：AWS_SECRET_ACCESS_KEY またはプロファイルを確認する。要求を書き換えるプロキシでも同じことが起きる
s3-remedy-permission = このキーには許可がない：このバケットとプレフィックスに s3:ListBucket、s3:GetObject、s3:PutObject、s3:DeleteObject、s3:AbortMultipartUpload を許可する
s3-remedy-missing = 存在するオブジェクトを指定する
s3-remedy-exists = この名前のオブジェクトがあり、plumb が作ったものではない：別のプレフィックスを指定する
s3-remedy-size = 小さい --size か別のバケットを選ぶ（書いたオブジェクトは削除される）
s3-remedy-fewer-requests = オブジェクトストアが要求を減らすよう求めている：depth または workers を減らして再び試す
s3-remedy-not-offered = サーバーはこの要求に対応しない：別のサーバーを使うか、操作を外す
s3-remedy-log = サーバーのログを確認する
s3-remedy-certificate = その認証局の証明書のファイルを AWS_CA_BUNDLE で指定するか、システムの証明書に加えるか、証明書にある名前をエンドポイントに使う
s3-remedy-connection = エンドポイント（--set endpoint-url=URL）、ファイアウォール、サーバーが動いているかを確認する。http と https は互換ではない
s3-remedy-no-object-store = このエンドポイントが S3 オブジェクトストアであり、応答を書き換えるプロキシがないことを確認する
