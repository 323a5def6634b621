### エンジンが要求したが得られなかったもの。

refused-o-direct = O_DIRECT：{ $reason }
refused-by-kernel = { $feature }：このカーネルが拒否（{ $error }）
refused-with-error = { $feature }：{ $error }
refused-multichannel = マルチチャネル：{ $reason }。各スレッドは自分のセッションを持つ
refused-multichannel-not-offered = マルチチャネル：サーバーが提供しない。各スレッドは自分のセッションを持つ
refused-multichannel-of-worker = マルチチャネル：{ $reason }。このスレッドは自分のセッションを持つ
refused-depth-by-server = キュー深度 { $depth }：サーバーは一度に { $slots } 要求しか許さず、残りは待つ
refused-depth-by-provider = キュー深度 { $depth }：プロバイダーは一度に { $outstanding } 操作を受け付け、残りは plumb で待つ
