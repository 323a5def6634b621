### What went wrong between plumb's own clients and a server, by the protocol that they speak: in a refusal, in the record, on the page.

# Any share.

share-folders-too-deep = { $path } lies more than { $folders } folders deep, which plumb never makes: it is left alone
share-lists-a-foreign-name = the server lists a name in { $path } that plumb did not give, { $name }: nothing of the folder is removed
share-protocol-not-built = { $scheme }:// targets are not supported by this build of plumb: name another target
share-not-cleaned-up = what plumb made could not be removed: { $error }; to remove it by hand: { $place }

# SMB: what was tried, what happened, and what is to be done.

smb-cannot = cannot { $tried }: { $reason }: { $remedy }
smb-unfit = { $what }: { $remedy }
smb-tried-open = open { $place }
smb-tried-ask-for-room = ask for the room on { $place }
smb-tried-look-at = look at { $place }
smb-tried-list = list { $place }
smb-tried-make-folder = make folder { $place }
smb-tried-make-file = make file { $place }
smb-tried-write = write { $place }
smb-tried-read = read { $place }
smb-tried-set-length = set the length of { $place }
smb-tried-remove = remove { $place }
smb-tried-remove-folder = remove folder { $place }

# SMB: a connection that does not come about or is lost.

smb-name-not-resolved = the name '{ $host }' cannot be resolved ({ $error })
smb-name-has-no-address = the name '{ $host }' cannot be resolved (it has no address)
smb-address-did-not-answer = { $address } did not answer within { $time }
smb-no-connection = no connection to { $address } ({ $error })
smb-connection-reset = the connection was reset by the server or on the way
smb-connection-failed = the connection failed: { $error }
smb-connection-closed = the connection was closed
smb-server-closed = the server closed the connection
smb-server-closed-amid-a-message = the server closed the connection in the middle of a message
smb-session-ended = the session was closed by the server ({ $status })
smb-no-answer-in-time = no answer came for { $time }
smb-no-answer-in-time-but-a-part = no answer came for { $time }, but for a part of one
smb-no-answer-in-time-but-at-work = no answer came for { $time }, only messages that the server is still at work
smb-no-answer-after-stop = the server did not answer within { $time } after the end was asked for
smb-not-over-in-time = the server was not done within { $time }
smb-request-never-answered = a request was left without an answer, while one that was sent { $time } later has its answer

# SMB: what no server may say, or says without end.

smb-not-smb = what came is not SMB: { $what }
smb-no-answer = no answer
smb-message-of-length = a message of { $bytes } bytes
smb-message-begins-with = a message that begins with { $bytes }
smb-request-not-answer = a request where an answer was expected
smb-answer-is-broken = an answer to { $command } that is cut short or contradicts itself
smb-read-too-long = { $bytes } bytes in answer to a READ of { $asked }
smb-frame-of-length = a frame of { $bytes } bytes
smb-frame-of-type = a frame of type { $type }
smb-message-in-the-clear = a message in the clear in an encrypted session
smb-encrypted-frame-too-short = an encrypted frame that is too short
smb-encryption-not-agreed = an encrypted message where none was agreed
smb-encrypted-message-of-other-length = an encrypted message of { $bytes } bytes that says { $said }
smb-encrypted-message-of-another-session = an encrypted message of session { $session }, which is not this one
smb-message-points-beyond = a message that points { $next } bytes ahead, in a frame of { $bytes }
smb-answer-of-another-session = an answer of session { $session }, which is not this one
smb-answer-was-not-asked = an answer to message { $message }, which was not asked
smb-pending-without-number = an answer that is to come later, but is none of those that may (STATUS_PENDING without a number)
smb-negotiate-unreadable = an answer to NEGOTIATE that cannot be read: { $error }
smb-dialect-not-offered = the server chose SMB { $dialect }, which was not offered
smb-too-few-bytes-to-read = the server allows only { $bytes } bytes to read
smb-too-few-bytes-to-write = the server allows only { $bytes } bytes to write
smb-too-few-bytes-to-query = the server allows only { $bytes } bytes to query
smb-login-without-end = a login without end
smb-login-unreadable = a login that cannot be read: { $why }
smb-no-ticket = no ticket
smb-more-than-a-ticket = the server asks for more than a ticket
smb-no-credits = the server grants no more credits, and without them nothing can be asked
smb-messages-answer-nothing = the server has sent { $messages } messages, and none of them answers anything
smb-lists-without-end = the server sends an endless listing ({ $names } names in { $answers } answers so far)
smb-lists-without-end-of-answers = the server sends an endless listing ({ $answers } answers so far)

# SMB: what was changed on the way.

smb-changed-on-the-way = what came was changed on the way, or signed or encrypted with another key: { $what }
smb-encrypted-message = an encrypted message
smb-answer-not-signed = an answer with status { $status } whose signature is missing or wrong
smb-login-not-signed = the last answer of the login is not signed, which SMB { $dialect } leaves to the server and 3.1.1 does not (leave dialect at auto)
smb-login-signed-wrong = the last answer of the login does not carry the signature of the session's key
smb-negotiation-changed = someone between this host and the server has changed the negotiation, which ended at SMB { $dialect }: { $how }
smb-server-left = asked to confirm it, the server left ({ $why })
smb-confirmation-not-signed = the answer that confirms it does not carry the server's signature
smb-not-confirmed = the server does not confirm it ({ $status })
smb-something-else-was-sent = the server has sent something else for { $what }
smb-the-dialect = the dialect
smb-the-capabilities = the capabilities
smb-what-is-signed = what is to be signed
smb-the-servers-identity = the server's identity

# SMB: what is agreed cannot be what was asked for.

smb-let-in-as-a-guest = the server accepted { $user } only as a guest, whose messages cannot be signed, or someone on the way claims so
smb-another-dialect-than-before = the server agreed on another dialect than before
smb-another-server-there = at { $address }, which the server offers, another server answers
smb-guest-has-no-channels = a guest has no channels
smb-multichannel-not-offered = the server does not offer multichannel
smb-server-without-multichannel = the server speaks SMB { $dialect }, which has no multichannel
smb-dialect-without-multichannel = SMB { $dialect } has no multichannel, which came with SMB 3.0
smb-not-a-share-of-files = '{ $share }' is not a file share but one of pipes or printers
smb-signing-is-demanded = the server requires signed messages
smb-no-key-for-demanded-signing = the server demands signing, and a guest or anonymous session has no key
smb-no-key-for-wanted-signing = signing is asked for, and a guest or anonymous session has no key
smb-encryption-is-demanded = the server requires encryption for every session
smb-encryption-is-demanded-by-share = the server requires encryption for this share
smb-no-encryption-with-dialect = the server offers no encryption with SMB { $dialect }
smb-no-key-for-encryption = encryption needs a key, and a guest or anonymous session has none
smb-no-dialect-from-2-0-2-on = the server speaks no version of SMB from 2.0.2 on ({ $status })
smb-speaks-smb-1-only = the server speaks SMB 1 only, which plumb does not speak
smb-dialect-not-spoken = the server does not speak SMB { $dialect } ({ $status })
smb-written-in-part = the server took only { $moved } of { $bytes } bytes
smb-key-of-wrong-length = a key of the wrong length was derived
smb-no-more-connections-of-session = the session has had { $connections } connections, and no more can be encrypted
smb-message-too-long-to-encrypt = a message is too long to be encrypted
smb-ticket-cache-unusable = the Kerberos ticket cache (KRB5CCNAME) cannot be used: { $why }
smb-no-ticket-for = it holds no ticket for { $service }
smb-ticket-not-there = the ticket would have to be fetched from a server
smb-no-random-numbers = this system gives no random numbers ({ $error })

# SMB: a request that the server refused.

smb-refused = { $command } was refused with { $status }

# SMB: what is to be done.

smb-see-that-it-listens = check that an SMB server listens at { $server }, and that no firewall blocks it
smb-see-whether-it-hangs = check whether the server at { $server } hangs (its log, its storage), and that what listens there is an SMB server
smb-see-the-name = check the name, or use the server's IP address
smb-see-the-port = check that { $server } is the port of an SMB server (445); if it is, check its log, and what is between it and this host
smb-see-the-log-of-the-listener = check the log of whatever listens at { $server }, and that it is an SMB server that can be trusted
smb-see-what-stands-between = check what is between this host and { $server } (a proxy, a WAN accelerator, an attacker), and update a server that does not sign
smb-leave-options = leave the options of the engine at auto
smb-leave-channels = leave channels at auto
smb-leave-dialect = leave dialect at auto
smb-leave-signing = leave signing at auto
smb-leave-encryption = leave encryption at auto
smb-leave-encryption-and-dialect = leave encryption and dialect at auto
smb-leave-signing-and-encryption = leave signing and encryption at auto
smb-allow-smb-2-or-3 = allow SMB 2 or 3 there
smb-name-a-known-user = name a user that the server knows, omit the user to connect anonymously, or set signing to false if a guest session is what you want
smb-name-a-user = name a user with a password
smb-name-another-share = name another
smb-see-its-log = check its log
smb-start-again = start again
smb-choose-smaller-blocks = choose smaller blocks
smb-get-a-ticket = get a ticket with 'kvno cifs/{ $host }', or give a password
smb-see-getrandom = check getrandom(2), and that /dev/urandom exists
smb-anonymous-user = an anonymous user
smb-takes-no-anonymous-users = the server accepts no anonymous users: name one, smb://user@server/share
smb-wrong-user-or-password = user name or password of { $user } is wrong: give the right ones, or the domain as smb://DOMAIN;user@server/share
smb-takes-no-more-sessions = the server accepts no more sessions: use fewer workers
smb-user-or-dialect-not-let-in = { $user } is denied access, or the server requires encryption and the dialect has none: allow it there, or leave dialect at auto
smb-user-not-let-in = the server denies access to { $user }: ask its administrator, or name another user
smb-no-such-share = there is no share '{ $share }': list those there are with '{ $command }'
smb-user-may-not-use-share = { $user } may not use share '{ $share }', or the server demands encryption or signing: allow it there, or leave encryption, signing and dialect at auto (SMB 2 cannot encrypt)
smb-name-not-taken = the server does not accept this name: choose one without \ : * ? " < > |
smb-name-too-long = the name has { $bytes } bytes, and servers take at most { $most }: choose a shorter one
smb-name-refused = the server refuses this name (Samba: see 'veto files' of the share): choose another
smb-folder-does-not-exist = its folder does not exist: make it, or name another
smb-dfs-link-leads-to = this path is a DFS link, which plumb does not follow: name the place that it leads to, { $target }
smb-is-a-dfs-link = this path is a DFS link, which leads to another server or share; plumb does not follow it: name the place that it leads to
smb-user-may-not-do-that = { $user } may not do that here: the share may be read-only; name a folder that { $user } may write to
smb-share-is-full = the share is full: free space there, or use a smaller --size
smb-nothing-by-this-name = there is no such file or directory: check the path
smb-exists-already = it exists already: name another
smb-session-has-ended = the session was closed by the server: try again
smb-see-the-servers-log = check the server's log for the reason

# NFS: what was tried, and what the server said.

nfs-cannot = { $target }: cannot { $tried }: the server says { $status }: { $advice }
nfs-unreachable = { $target }: { $what }
nfs-server-says = the server says { $status }
nfs-tried-introduce = register with the server (EXCHANGE_ID)
nfs-tried-introduce-4-0 = register with the server (SETCLIENTID)
nfs-tried-introduce-3 = ask whether it serves NFS 3
nfs-tried-portmapper = ask the portmapper (port 111) for a port
nfs-tried-mount = mount '{ $export }' (MOUNT)
nfs-tried-open-session = open a session
nfs-tried-begin = begin
nfs-tried-enter = enter '{ $export }'
nfs-tried-ask-limits = ask what the server allows
nfs-tried-ask-for-room = ask for the room
nfs-tried-look-up = look up '{ $path }'
nfs-tried-find = find '{ $path }'
nfs-tried-open = open '{ $path }'
nfs-tried-list = list '{ $path }'
nfs-tried-make-folder = make the folder '{ $path }'
nfs-tried-write = write '{ $path }'
nfs-tried-read = read '{ $path }'
nfs-tried-set-length = set the length of '{ $path }'
nfs-tried-remove = remove '{ $path }'

# NFS: a connection that does not come about or is lost.

nfs-name-not-resolved = the name { $host } cannot be resolved ({ $error }): check it, or write the address
nfs-name-has-no-address = the name has no address
nfs-no-connection = no connection to { $server }: { $error }; check that the NFS server is running, that the port is right (2049 by default), and that no firewall blocks it
nfs-socket-not-set-up = the socket cannot be set up: { $error }
nfs-no-handle = no handle
nfs-server-closed = the server closed the connection
nfs-connection-failed = the connection failed: { $error }
nfs-no-answer = the server has not answered for { $time }
nfs-no-answer-after-stop = the server did not answer within { $time } after the end was asked for
nfs-calls-left-unanswered = the server has left all calls of the session without an answer
nfs-session-ended = the server has ended the session ({ $status })
nfs-client-forgotten = the server no longer knows the client, or what it has open ({ $status })
nfs-operation-lost-its-file = an operation has lost its file; this is a defect of plumb

# NFS: what no server may say, or says without end.

nfs-answer-is-broken = the server sent an answer that is no valid NFS
nfs-message-too-long = the server sent a message of { $bytes } bytes, more than was agreed: it speaks no NFS
nfs-empty-fragment = the server sent an empty fragment that is not the last one of its message
nfs-read-too-long = the server answered { $bytes } bytes to a READ of { $asked }
nfs-read-beyond-buffer = the server answered { $bytes } bytes to a READ of { $most } at most
nfs-written-too-much = the server confirmed { $bytes } bytes of a WRITE of { $asked }
nfs-less-stable-than-asked = the server confirmed a WRITE as less stable than it was asked for
nfs-messages-not-asked-for = the server sent more than { $most } messages that nobody asked for
nfs-name-of-no-file = the server listed a name that no file can have: { $name }
nfs-lists-too-many-names = the server lists more than { $most } names, or { $size } of them, in one folder
nfs-lists-too-long = the server has not come to the end of a folder in { $time }

# NFS: what is not as it is asked for, and what is to be done.

nfs-number-is-no-proof = the server does not accept the user's proof (RPC AUTH_ERROR { $error }): with AUTH_SYS, allow sec=sys for the export, or set nfs-security to krb5, krb5i or krb5p; if it requires a port below 1024, run as root or export it with 'insecure'
nfs-another-version-of-rpc = the server speaks another version of RPC
nfs-other-versions-only = the server only supports NFS versions { $first } to { $last }: set nfs to one of these, or leave it out
nfs-not-at-this-port = the server at this port offers no NFS: check the port
nfs-request-was-not-read = the server could not decode the request (RPC accept_stat { $status }): check its log
nfs-no-such-export = { $server } has no export '{ $export }' ({ $status }); it offers { $offered }: name one of these, as in nfs://{ $server }/export/path
nfs-no-such-export-of-many = { $server } has no export '{ $export }' ({ $status }); it offers { $offered }, and { $more } more: name one of these, as in nfs://{ $server }/export/path
nfs-no-export-at-all = { $server } has no export '{ $export }' ({ $status }); it offers nothing to this host: export a folder to it there
nfs-user-is-no-number = { $target }: '{ $user }' is not a number, and NFS knows users by number (sec=sys): omit it, which means the user who runs plumb, or write nfs://1000@{ $host }
nfs-room-is-not-said = { $target }: the server does not report its free space: name an export with a folder, not the root of all
nfs-no-export-named = no export is named: write nfs://server/export
nfs-see-owner-and-squash = the server checks the user id of the user who runs plumb: check owner and mode of the folder, and the export's squash option (root is nobody unless it says no_root_squash)
nfs-export-is-read-only = the export is read-only: measure reads, or make it writable
nfs-export-is-full = choose a smaller --size or another target (what had been written is removed)
nfs-quota-is-used-up = the quota is used up: choose a smaller --size or another target
nfs-folder-is-not-there = a folder of the path does not exist: create it, or name one that exists
nfs-export-wants-another-proof = the export requires another security flavor (nfs-security: sys, krb5, krb5i, krb5p), or a source port below 1024 (run as root, or export it with 'insecure'): allow that for the export, or measure a kernel mount by its path
nfs-no-ticket = Kerberos cannot be used: { $why }: get a ticket with 'kinit' and 'kvno nfs/{ $host }', KRB5CCNAME naming the cache (a file)
nfs-no-ticket-for = the cache (KRB5CCNAME) holds no ticket for { $service }
nfs-ticket-has-ended = the ticket for { $service } has expired
nfs-ticket-of-another-cipher = the ticket for { $service } is of encryption type { $cipher }, and plumb has 17 (aes128-cts-hmac-sha1-96) and 18 (aes256-cts-hmac-sha1-96)
nfs-no-random-numbers = this system gives no random numbers ({ $error })
nfs-tried-log-in = log in by Kerberos (RPCSEC_GSS_INIT)
nfs-gss-answer-unreadable = the server's answer to the Kerberos login cannot be read
nfs-gss-server-not-proved = the server did not prove that it has the key of the ticket: its answer to the login was changed on the way, or is another server's
nfs-gss-another-cipher = the server chose encryption type { $cipher } for the session, and plumb has 17 (aes128-cts-hmac-sha1-96) and 18 (aes256-cts-hmac-sha1-96)
nfs-gss-kerberos-error = KRB_ERROR { $error }
nfs-gss-not-taken = the server refuses the Kerberos ticket (GSS major { $major }, minor { $minor }): check that its keytab holds the current key of nfs/{ $host }, and that the clocks agree
nfs-gss-not-taken-by-kerberos = the server refuses the Kerberos ticket ({ $error }): check that its keytab holds the current key of nfs/{ $host }, and that the clocks agree
nfs-gss-changed-on-the-way = an answer was changed on the way, or signed or encrypted with another key (RPCSEC_GSS): nothing of it was used
nfs-gss-context-ended = all numbers of the Kerberos context are used up: a new one is needed
nfs-gss-context-refused = the server no longer knows the Kerberos context, or its ticket has expired (RPC AUTH_ERROR { $error })
nfs-export-wants-kerberos = { $target }: the export requires { $offered }: { $why }
nfs-security-not-taken = { $target }: the export does not accept { $security }, and does not say what it does: set nfs-security to krb5, krb5i or krb5p, or check the export's sec= option
nfs-other-security-only = { $target }: the export does not accept { $security }, it requires { $offered }: set nfs-security to one of these, or leave it out; what plumb does not have, a kernel mount may
nfs-no-such-minor-version = the server does not support this version of NFS 4: enable it there, or leave out nfs=, which means the highest that it supports
nfs-no-version-in-common = { $four }; nor does it serve NFS 3: { $three }
nfs-mount-not-registered = the portmapper of the server knows no MOUNT service of version 3
nfs-no-mount-service = { $first }; { $then }: give the port of the MOUNT service with --set mount-port=PORT
nfs-no-portmapper = no portmapper answers at port 111 of { $host }
nfs-not-exported-to-this-host = the export is not for this host or this user: add it to the export there, or, if the server requires a port below 1024, run as root or export it with 'insecure'
nfs-name-too-long = the name is too long, most servers take at most 255 bytes: choose a shorter one
nfs-opened-is-gone = the open file no longer exists on the server: start again
nfs-server-asks-to-wait = the server is in its grace period or asks to wait, perhaps because it was just started: try again in a minute or two
nfs-see-the-servers-log = check the server's log

# RDMA and libfabric.

libfabric-error = libfabric error { $number }
libfabric-was-not-found = libfabric, which reaches RDMA adapters, was not found (looked for { $names }: { $error })
libfabric-is-another-library = { $name } is no libfabric: { $error }
libfabric-has-no-memory-for-hints = libfabric has no memory for what it is asked
libfabric-call-failed = { $call }: { $error }
libfabric-call-not-offered = the provider does not offer { $call }
libfabric-provider-failed = provider { $provider }: { $reason }
libfabric-queues-too-long = { $error } (set FI_UNIVERSE_SIZE=16 in the environment of both ends where an adapter, such as RDMA in software, has no room for long queues)
libfabric-no-provider-fits = no provider of libfabric offers what is needed (reliable datagrams, remote memory, tagged messages, completion at delivery)
libfabric-no-known-provider = none of the providers that plumb chooses from is there; { $others } would do: name one with provider=NAME
libfabric-provider-does-not-fit = provider { $provider } of libfabric does not offer what is needed here (reliable datagrams, remote memory, tagged messages, completion at delivery), and neither does another
libfabric-provider-does-not-fit-others = provider { $provider } of libfabric does not offer what is needed here (reliable datagrams, remote memory, tagged messages, completion at delivery); those that do are { $others }
rdma-memory-not-registered = { $bytes } of memory could not be registered: { $error }
rdma-memory-not-registered-by-limit = { $bytes } of memory could not be registered: { $error } (raise the limit of locked memory: ulimit -l unlimited)
rdma-name-has-no-address = the name has no address
rdma-peer-closed-without-answer = the peer closed the connection without an answer
rdma-peer-did-not-answer = the peer did not answer within { $time }
rdma-peer-refused = the peer refused: { $reason }
rdma-block-is-too-large = provider { $provider } moves at most { $most } at once, and block is { $block }
rdma-peer-lends-too-little = the peer offers { $bytes } of memory, and { $asked } were asked for
rdma-peer-lends-nothing-for-ping-pongs = the peer lends no memory for ping-pongs by writes
rdma-peer-lends-another-length = the peer lends { $bytes } for messages of { $asked }
rdma-peer-lends-beyond-all-addresses = the memory that the peer lends ends beyond all addresses
rdma-peer-grants-too-much = it granted more than it had announced
rdma-address-of-another-length = the peer's address has { $bytes } bytes, and those of { $provider } have { $own }
rdma-reading-failed = reading the peer's memory failed: { $error }
rdma-reading-took-too-long = the peer's memory could not be read within { $time }
rdma-connection-broken = the connection is broken: { $error }
rdma-not-plumbs-protocol = it does not speak plumb's protocol for RDMA ({ $what })
rdma-protocol-of-another-version = it speaks version { $other } of plumb's protocol for RDMA, and this is version { $own }: run the same plumb on both hosts
rdma-unknown-beginning = an unknown beginning
rdma-message-of-length = a message of { $bytes } bytes
rdma-message-ends-too-early = a message that ends too early
rdma-message-too-long = a message that is too long
rdma-answer-of-kind = an answer of kind { $kind }
