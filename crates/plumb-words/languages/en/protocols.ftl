### Errors between plumb's own clients and a server, by protocol: in errors, in the record, on the page.

# Any share.

share-folders-too-deep = { $path } is more than { $folders } folders deep, which plumb never creates: it is left alone
share-lists-a-foreign-name = the server lists a name in { $path } that plumb did not create, { $name }: nothing in the folder is removed
share-protocol-not-built = { $scheme }:// targets are not supported by this build of plumb: name another target
share-not-cleaned-up = files that plumb created could not be removed: { $error }; to remove them by hand: { $place }

# SMB: the failed action, the reason and the remedy.

smb-cannot = cannot { $tried }: { $reason }: { $remedy }
smb-unfit = { $what }: { $remedy }
smb-tried-open = open { $place }
smb-tried-ask-for-room = query the free space of { $place }
smb-tried-look-at = query { $place }
smb-tried-list = list { $place }
smb-tried-make-folder = create folder { $place }
smb-tried-make-file = create file { $place }
smb-tried-write = write { $place }
smb-tried-read = read { $place }
smb-tried-set-length = set the size of { $place }
smb-tried-remove = remove { $place }
smb-tried-remove-folder = remove folder { $place }

# SMB: a connection that cannot be opened or is lost.

smb-name-not-resolved = the name '{ $host }' cannot be resolved ({ $error })
smb-name-has-no-address = the name '{ $host }' cannot be resolved (it has no address)
smb-address-did-not-answer = { $address } did not answer within { $time }
smb-no-connection = no connection to { $address } ({ $error })
smb-connection-reset = the connection was reset by the server or in the network
smb-connection-failed = the connection failed: { $error }
smb-connection-closed = the connection was closed
smb-server-closed = the server closed the connection
smb-server-closed-amid-a-message = the server closed the connection in the middle of a message
smb-session-ended = the session was closed by the server ({ $status })
smb-no-answer-in-time = no reply for { $time }
smb-no-answer-in-time-but-a-part = no reply for { $time }, except part of one
smb-no-answer-in-time-but-at-work = no reply for { $time }, only messages that the server is still working
smb-no-answer-after-stop = the server did not reply within { $time } after the stop
smb-not-over-in-time = the server did not finish within { $time }
smb-request-never-answered = a request got no reply, although one sent { $time } later did

# SMB: invalid or endless replies.

smb-not-smb = the data received is not SMB: { $what }
smb-no-answer = no reply
smb-message-of-length = a message of { $bytes } bytes
smb-message-begins-with = a message that begins with { $bytes }
smb-request-not-answer = a request where a reply was expected
smb-answer-is-broken = a reply to { $command } that is cut short or contradicts itself
smb-read-too-long = { $bytes } bytes in reply to a READ of { $asked }
smb-frame-of-length = a frame of { $bytes } bytes
smb-frame-of-type = a frame of type { $type }
smb-message-in-the-clear = an unencrypted message in an encrypted session
smb-encrypted-frame-too-short = an encrypted frame that is too short
smb-encryption-not-agreed = an encrypted message where encryption was not negotiated
smb-encrypted-message-of-other-length = an encrypted message of { $bytes } bytes that states { $said }
smb-encrypted-message-of-another-session = an encrypted message of another session, { $session }
smb-message-points-beyond = a message that points { $next } bytes ahead, in a frame of { $bytes }
smb-answer-of-another-session = a reply of another session, { $session }
smb-answer-was-not-asked = a reply to message { $message }, which was never sent
smb-pending-without-number = an interim reply without a number (STATUS_PENDING)
smb-negotiate-unreadable = a reply to NEGOTIATE that cannot be parsed: { $error }
smb-dialect-not-offered = the server chose SMB { $dialect }, which was not offered
smb-too-few-bytes-to-read = the server allows only { $bytes } bytes to read
smb-too-few-bytes-to-write = the server allows only { $bytes } bytes to write
smb-too-few-bytes-to-query = the server allows only { $bytes } bytes to query
smb-login-without-end = an endless login
smb-login-unreadable = a login that cannot be parsed: { $why }
smb-no-ticket = no ticket
smb-more-than-a-ticket = the server requires more than a ticket
smb-no-credits = the server grants no more credits, and no request can be sent without them
smb-messages-answer-nothing = the server has sent { $messages } messages, none of which is a reply to a request
smb-lists-without-end = the server sends an endless listing ({ $names } names in { $answers } replies so far)
smb-lists-without-end-of-answers = the server sends an endless listing ({ $answers } replies so far)

# SMB: data modified in transit.

smb-changed-on-the-way = the data received was modified in transit, or signed or encrypted with another key: { $what }
smb-encrypted-message = an encrypted message
smb-answer-not-signed = a reply with status { $status } whose signature is missing or wrong
smb-login-not-signed = the last reply of the login is not signed, which SMB { $dialect } leaves to the server and 3.1.1 does not (leave dialect at auto)
smb-login-signed-wrong = the last reply of the login is not signed with the session's key
smb-negotiation-changed = the negotiation was modified between this host and the server, and ended at SMB { $dialect }: { $how }
smb-server-left = the server closed the connection instead of confirming it ({ $why })
smb-confirmation-not-signed = the reply that confirms it is not signed by the server
smb-not-confirmed = the server does not confirm it ({ $status })
smb-something-else-was-sent = the server sent a different value for { $what }
smb-the-dialect = the dialect
smb-the-capabilities = the capabilities
smb-what-is-signed = the signed content
smb-the-servers-identity = the server's identity

# SMB: requested settings that could not be negotiated.

smb-let-in-as-a-guest = the server accepted { $user } only as a guest, whose messages cannot be signed, or an attacker in between claims so
smb-another-dialect-than-before = the server negotiated another dialect than before
smb-another-server-there = another server responds at { $address }, which the server offers
smb-guest-has-no-channels = a guest has no channels
smb-multichannel-not-offered = the server does not offer multichannel
smb-server-without-multichannel = the server uses SMB { $dialect }, which has no multichannel
smb-dialect-without-multichannel = SMB { $dialect } has no multichannel, which came with SMB 3.0
smb-not-a-share-of-files = '{ $share }' is not a file share but a pipe or printer share
smb-signing-is-demanded = the server requires signed messages
smb-no-key-for-demanded-signing = the server requires signing, and a guest or anonymous session has no key
smb-no-key-for-wanted-signing = signing is requested, and a guest or anonymous session has no key
smb-encryption-is-demanded = the server requires encryption for every session
smb-encryption-is-demanded-by-share = the server requires encryption for this share
smb-no-encryption-with-dialect = the server offers no encryption with SMB { $dialect }
smb-no-key-for-encryption = encryption needs a key, and a guest or anonymous session has none
smb-no-dialect-from-2-0-2-on = the server supports no version of SMB from 2.0.2 up ({ $status })
smb-speaks-smb-1-only = the server supports only SMB 1, which plumb does not
smb-dialect-not-spoken = the server does not support SMB { $dialect } ({ $status })
smb-written-in-part = the server wrote only { $moved } of { $bytes } bytes
smb-key-of-wrong-length = a key of the wrong length was derived
smb-no-more-connections-of-session = the session has had { $connections } connections, and encryption allows no more
smb-message-too-long-to-encrypt = a message is too long to be encrypted
smb-ticket-cache-unusable = the Kerberos ticket cache (KRB5CCNAME) cannot be used: { $why }
smb-no-ticket-for = it holds no ticket for { $service }
smb-ticket-not-there = a ticket would have to be requested from a server
smb-no-random-numbers = this system provides no random numbers ({ $error })

# SMB: a request that the server refused.

smb-refused = { $command } was refused with { $status }

# SMB: remedies.

smb-see-that-it-listens = check that an SMB server listens at { $server }, and that no firewall blocks it
smb-see-whether-it-hangs = check whether the server at { $server } hangs (its log, its storage), and that the service there is an SMB server
smb-see-the-name = check the name, or use the server's IP address
smb-see-the-port = check that { $server } is the port of an SMB server (445); if it is, check its log and the network in between
smb-see-the-log-of-the-listener = check the log of the service at { $server }, and that it is an SMB server that can be trusted
smb-see-what-stands-between = check what is between this host and { $server } (a proxy, a WAN accelerator, an attacker), and update a server that does not sign
smb-leave-options = leave the options of the engine at auto
smb-leave-channels = leave channels at auto
smb-leave-dialect = leave dialect at auto
smb-leave-signing = leave signing at auto
smb-leave-encryption = leave encryption at auto
smb-leave-encryption-and-dialect = leave encryption and dialect at auto
smb-leave-signing-and-encryption = leave signing and encryption at auto
smb-allow-smb-2-or-3 = allow SMB 2 or 3 there
smb-name-a-known-user = name a user that the server knows, omit the user to connect anonymously, or set signing to false to use a guest session
smb-name-a-user = name a user with a password
smb-name-another-share = name another
smb-see-its-log = check its log
smb-start-again = start again
smb-choose-smaller-blocks = use smaller blocks
smb-get-a-ticket = get a ticket with 'kvno cifs/{ $host }', or give a password
smb-see-getrandom = check getrandom(2), and that /dev/urandom exists
smb-anonymous-user = an anonymous user
smb-takes-no-anonymous-users = the server accepts no anonymous users: name one, smb://user@server/share
smb-wrong-user-or-password = user name or password of { $user } is wrong: correct it, or give the domain as smb://DOMAIN;user@server/share
smb-takes-no-more-sessions = the server accepts no more sessions: use fewer workers
smb-user-or-dialect-not-let-in = { $user } is denied access, or the server requires encryption and the dialect has none: allow it there, or leave dialect at auto
smb-user-not-let-in = the server denies access to { $user }: ask its administrator, or name another user
smb-no-such-share = there is no share '{ $share }': list the shares with '{ $command }'
smb-user-may-not-use-share = { $user } may not use share '{ $share }', or the server requires encryption or signing: allow it there, or leave encryption, signing and dialect at auto (SMB 2 cannot encrypt)
smb-name-not-taken = the server does not accept this name: choose one without \ : * ? " < > |
smb-name-too-long = the name has { $bytes } bytes, and servers accept at most { $most }: choose a shorter one
smb-name-refused = the server refuses this name (Samba: see 'veto files' of the share): choose another
smb-folder-does-not-exist = its folder does not exist: create it, or name another
smb-dfs-link-leads-to = this path is a DFS link, which plumb does not follow: name its target, { $target }
smb-is-a-dfs-link = this path is a DFS link to another server or share, which plumb does not follow: name its target
smb-user-may-not-do-that = { $user } may not do that here: the share may be read-only; name a folder that { $user } may write to
smb-share-is-full = the share is full: free space there, or use a smaller --size
smb-nothing-by-this-name = there is no such file or directory: check the path
smb-exists-already = it already exists: name another
smb-session-has-ended = the session was closed by the server: try again
smb-see-the-servers-log = check the server's log for the reason

# NFS: the failed action and the server's status.

nfs-cannot = { $target }: cannot { $tried }: the server says { $status }: { $advice }
nfs-unreachable = { $target }: { $what }
nfs-server-says = the server says { $status }
nfs-tried-introduce = register with the server (EXCHANGE_ID)
nfs-tried-introduce-4-0 = register with the server (SETCLIENTID)
nfs-tried-introduce-3 = check whether it serves NFS 3
nfs-tried-portmapper = query the portmapper (port 111) for a port
nfs-tried-mount = mount '{ $export }' (MOUNT)
nfs-tried-open-session = open a session
nfs-tried-begin = start
nfs-tried-enter = open export '{ $export }'
nfs-tried-ask-limits = query the server's limits
nfs-tried-ask-for-room = query the free space
nfs-tried-look-up = look up '{ $path }'
nfs-tried-find = find '{ $path }'
nfs-tried-open = open '{ $path }'
nfs-tried-list = list '{ $path }'
nfs-tried-make-folder = create the folder '{ $path }'
nfs-tried-write = write '{ $path }'
nfs-tried-read = read '{ $path }'
nfs-tried-set-length = set the size of '{ $path }'
nfs-tried-remove = remove '{ $path }'

# NFS: a connection that cannot be opened or is lost.

nfs-name-not-resolved = the name { $host } cannot be resolved ({ $error }): check it, or use the address
nfs-name-has-no-address = the name has no address
nfs-no-connection = no connection to { $server }: { $error }; check that the NFS server is running, that the port is right (2049 by default), and that no firewall blocks it
nfs-socket-not-set-up = the socket cannot be set up: { $error }
nfs-no-handle = no file handle
nfs-server-closed = the server closed the connection
nfs-connection-failed = the connection failed: { $error }
nfs-no-answer = the server has not replied for { $time }
nfs-no-answer-after-stop = the server did not reply within { $time } after the stop
nfs-calls-left-unanswered = the server has not replied to any call of the session
nfs-session-ended = the server has ended the session ({ $status })
nfs-client-forgotten = the server no longer knows the client, or what it has open ({ $status })
nfs-operation-lost-its-file = an operation has lost its file; this is a defect of plumb

# NFS: invalid or endless replies.

nfs-answer-is-broken = the server sent a reply that is not valid NFS
nfs-message-too-long = the server sent a message of { $bytes } bytes, more than was negotiated: it is not NFS
nfs-empty-fragment = the server sent an empty fragment that is not the last one of its message
nfs-read-too-long = the server returned { $bytes } bytes for a READ of { $asked }
nfs-read-beyond-buffer = the server returned { $bytes } bytes for a READ of { $most } at most
nfs-written-too-much = the server confirmed { $bytes } bytes of a WRITE of { $asked }
nfs-less-stable-than-asked = the server confirmed a WRITE as less stable than requested
nfs-messages-not-asked-for = the server sent more than { $most } messages that are replies to no request
nfs-name-of-no-file = the server listed a name that no file can have: { $name }
nfs-lists-too-many-names = the server lists more than { $most } names, or { $size } of them, in one folder
nfs-lists-too-long = the server has not finished listing a folder in { $time }

# NFS: settings that the server does not accept, and remedies.

nfs-number-is-no-proof = the server does not accept the user's proof (RPC AUTH_ERROR { $error }): with AUTH_SYS, allow sec=sys for the export, or set nfs-security to krb5, krb5i or krb5p; if it requires a port below 1024, run as root or export it with 'insecure'
nfs-another-version-of-rpc = the server uses another version of RPC
nfs-other-versions-only = the server only supports NFS versions { $first } to { $last }: set nfs to one of these, or omit it
nfs-not-at-this-port = the server at this port offers no NFS: check the port
nfs-request-was-not-read = the server could not decode the request (RPC accept_stat { $status }): check its log
nfs-no-such-export = { $server } has no export '{ $export }' ({ $status }); it offers { $offered }: name one of these, as in nfs://{ $server }/export/path
nfs-no-such-export-of-many = { $server } has no export '{ $export }' ({ $status }); it offers { $offered }, and { $more } more: name one of these, as in nfs://{ $server }/export/path
nfs-no-export-at-all = { $server } has no export '{ $export }' ({ $status }); it offers nothing to this host: export a folder to it there
nfs-user-is-no-number = { $target }: '{ $user }' is not a number, and NFS knows users by number (sec=sys): omit it, which means the user who runs plumb, or write nfs://1000@{ $host }
nfs-room-is-not-said = { $target }: the server does not report its free space: name an export with a folder, not the root of all exports
nfs-no-export-named = no export is named: write nfs://server/export
nfs-see-owner-and-squash = the server checks the user id of the user who runs plumb: check owner and mode of the folder, and the export's squash option (root is mapped to nobody without no_root_squash)
nfs-export-is-read-only = the export is read-only: measure reads, or make it writable
nfs-export-is-full = choose a smaller --size or another target (files already written are removed)
nfs-quota-is-used-up = the quota is exhausted: choose a smaller --size or another target
nfs-folder-is-not-there = a folder of the path does not exist: create it, or name one that exists
nfs-export-wants-another-proof = the export requires another security flavor (nfs-security: sys, krb5, krb5i, krb5p), or a source port below 1024 (run as root, or export it with 'insecure'): allow that for the export, or measure a kernel mount by its path
nfs-no-ticket = Kerberos cannot be used: { $why }: get a ticket with 'kinit' and 'kvno nfs/{ $host }', KRB5CCNAME naming the cache (a file)
nfs-no-ticket-for = the cache (KRB5CCNAME) holds no ticket for { $service }
nfs-ticket-has-ended = the ticket for { $service } has expired
nfs-ticket-of-another-cipher = the ticket for { $service } is of encryption type { $cipher }, and plumb supports 17 (aes128-cts-hmac-sha1-96) and 18 (aes256-cts-hmac-sha1-96)
nfs-no-random-numbers = this system provides no random numbers ({ $error })
nfs-tried-log-in = log in with Kerberos (RPCSEC_GSS_INIT)
nfs-gss-answer-unreadable = the server's reply to the Kerberos login cannot be parsed
nfs-gss-server-not-proved = the server did not prove that it has the key of the ticket: its reply to the login was modified in transit, or came from another server
nfs-gss-another-cipher = the server chose encryption type { $cipher } for the session, and plumb supports 17 (aes128-cts-hmac-sha1-96) and 18 (aes256-cts-hmac-sha1-96)
nfs-gss-kerberos-error = KRB_ERROR { $error }
nfs-gss-not-taken = the server refuses the Kerberos ticket (GSS major { $major }, minor { $minor }): check that its keytab holds the current key of nfs/{ $host }, and that the clocks agree
nfs-gss-not-taken-by-kerberos = the server refuses the Kerberos ticket ({ $error }): check that its keytab holds the current key of nfs/{ $host }, and that the clocks agree
nfs-gss-changed-on-the-way = a reply was modified in transit, or signed or encrypted with another key (RPCSEC_GSS): it was discarded
nfs-gss-context-ended = all sequence numbers of the Kerberos context are used up: a new context is needed
nfs-gss-context-refused = the server no longer knows the Kerberos context, or its ticket has expired (RPC AUTH_ERROR { $error })
nfs-export-wants-kerberos = { $target }: the export requires { $offered }: { $why }
nfs-security-not-taken = { $target }: the export does not accept { $security }, and does not report what it accepts: set nfs-security to krb5, krb5i or krb5p, or check the export's sec= option
nfs-other-security-only = { $target }: the export does not accept { $security }, it requires { $offered }: set nfs-security to one of these, or omit it; for a flavor that plumb does not support, use a kernel mount
nfs-no-such-minor-version = the server does not support this version of NFS 4: enable it there, or omit nfs=, which uses the highest that it supports
nfs-no-version-in-common = { $four }; and it does not serve NFS 3: { $three }
nfs-mount-not-registered = the server's portmapper knows no MOUNT service of version 3
nfs-no-mount-service = { $first }; { $then }: give the port of the MOUNT service with --set mount-port=PORT
nfs-no-portmapper = no portmapper responds at port 111 of { $host }
nfs-not-exported-to-this-host = the export is not for this host or this user: add it to the export there, or, if the server requires a port below 1024, run as root or export it with 'insecure'
nfs-name-too-long = the name is too long, most servers accept at most 255 bytes: choose a shorter one
nfs-opened-is-gone = the open file no longer exists on the server: start again
nfs-server-asks-to-wait = the server is in its grace period or not ready, perhaps because it has just started: try again in a minute or two
nfs-see-the-servers-log = check the server's log

# RDMA and libfabric.

libfabric-error = libfabric error { $number }
libfabric-was-not-found = libfabric, which reaches RDMA adapters, was not found (looked for { $names }: { $error })
libfabric-is-another-library = { $name } is not libfabric: { $error }
libfabric-has-no-memory-for-hints = libfabric ran out of memory
libfabric-call-failed = { $call }: { $error }
libfabric-call-not-offered = the provider does not offer { $call }
libfabric-provider-failed = provider { $provider }: { $reason }
libfabric-queues-too-long = { $error } (set FI_UNIVERSE_SIZE=16 in the environment of both ends if an adapter, such as RDMA in software, has no room for long queues)
libfabric-no-provider-fits = no provider of libfabric offers what is needed (reliable datagrams, remote memory, tagged messages, completion at delivery)
libfabric-no-known-provider = none of the providers that plumb chooses from is available; { $others } would work: name one with provider=NAME
libfabric-provider-does-not-fit = provider { $provider } of libfabric does not offer what is needed (reliable datagrams, remote memory, tagged messages, completion at delivery), and neither does another
libfabric-provider-does-not-fit-others = provider { $provider } of libfabric does not offer what is needed (reliable datagrams, remote memory, tagged messages, completion at delivery); these do: { $others }
rdma-memory-not-registered = { $bytes } of memory could not be registered: { $error }
rdma-memory-not-registered-by-limit = { $bytes } of memory could not be registered: { $error } (raise the limit of locked memory: ulimit -l unlimited)
rdma-name-has-no-address = the name has no address
rdma-peer-closed-without-answer = the peer closed the connection without a reply
rdma-peer-did-not-answer = the peer did not reply within { $time }
rdma-peer-refused = the peer refused: { $reason }
rdma-block-is-too-large = provider { $provider } moves at most { $most } per operation, and block is { $block }
rdma-peer-lends-too-little = the peer offers { $bytes } of memory, and { $asked } were requested
rdma-peer-lends-nothing-for-ping-pongs = the peer offers no memory for ping-pongs by writes
rdma-peer-lends-another-length = the peer offers { $bytes } for messages of { $asked }
rdma-peer-lends-beyond-all-addresses = the memory that the peer offers ends beyond the address space
rdma-peer-grants-too-much = it granted more than it had announced
rdma-address-of-another-length = the peer's address has { $bytes } bytes, those of { $provider } have { $own }
rdma-reading-failed = reading the peer's memory failed: { $error }
rdma-reading-took-too-long = the peer's memory could not be read within { $time }
rdma-connection-broken = the connection is broken: { $error }
rdma-not-plumbs-protocol = it does not use plumb's protocol for RDMA ({ $what })
rdma-protocol-of-another-version = it uses version { $other } of plumb's protocol for RDMA, and this is version { $own }: run the same plumb on both hosts
rdma-unknown-beginning = an unknown header
rdma-message-of-length = a message of { $bytes } bytes
rdma-message-ends-too-early = a message that ends too early
rdma-message-too-long = a message that is too long
rdma-answer-of-kind = a reply of kind { $kind }

# S3: what is missing or wrong before a request is sent.

s3-unusable = { $target }: { $what }
s3-no-credentials = no credentials for the object store (profile { $profile }): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put them in ~/.aws/credentials and name the profile with AWS_PROFILE or --set aws-profile=NAME; neither a container nor an instance offers any
s3-checksum-is-another = the object came with the checksum { $kept }, and its content has { $found }
s3-object-is-not-deleted = the server did not delete { $path } ({ $code })
s3-metadata-status = it replied with HTTP status { $status }
s3-metadata-malformed = its reply is not one with credentials
s3-metadata-is-far = AWS_CONTAINER_CREDENTIALS_FULL_URI ({ $url }) is neither of this machine nor of the agent of a container: it would get a token unencrypted. Put the credentials in the environment
s3-no-credentials-of-container = no credentials from the agent of the container at { $url }: { $why }. Check the role of the task or pod, or put the credentials in the environment
s3-no-credentials-of-instance = no credentials from the metadata service of the instance: { $why }. Check the role of the instance, or set AWS_EC2_METADATA_DISABLED=true and put the credentials in the environment
s3-half-of-the-credentials-in-environment = half of the credentials is in the environment: also set { $missing }, or unset the other one to use a profile of ~/.aws/credentials
s3-half-of-the-credentials-in-profile = profile { $profile } of ~/.aws has only half of the credentials: add { $missing }
s3-credentials-from-elsewhere = profile { $profile } gets its credentials from elsewhere ({ $key }), which plumb does not support: put them in the environment, as with 'eval "$(aws configure export-credentials --profile { $profile } --format env)"'
s3-no-such-profile = there is no profile { $profile } in ~/.aws/config or ~/.aws/credentials: check the name ('aws configure list-profiles'), or the files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name
s3-no-region = no region is set for AWS: set AWS_REGION, add region to the profile, or use --set region=eu-central-1; for another object store, name its server with --set endpoint-url=URL or AWS_ENDPOINT_URL
s3-region-is-malformed = '{ $region }' is not a region: use letters, digits and hyphens, as in eu-central-1
s3-endpoint-is-malformed = '{ $endpoint }' is not an endpoint: write http://host:port or https://host:port
s3-endpoint-holds-a-user = the endpoint contains a user or a password before an @: remove it, and give the key by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or by a profile
s3-file-is-malformed = { $file }, line { $line }: neither a [section] nor key = value: correct the line
s3-file-is-unreadable = cannot read { $file } ({ $error }): check its permissions
s3-prefix-is-malformed = { $target }: the prefix has an empty name, . or .. between its slashes: name a plain prefix, as in s3://bucket/a/b
s3-name-is-not-resolved = the name '{ $host }' of the endpoint cannot be resolved ({ $error }): check --set endpoint-url=URL or AWS_ENDPOINT_URL; if the bucket is the first part of the name, use --set addressing-style=path
s3-no-tls-on-this-processor = https needs instructions that this processor does not have (AES, AVX2, ADX and BMI2 on x86-64, the cryptography extension on ARM): use an http endpoint, or a newer machine
s3-certificates-are-unreadable = AWS_CA_BUNDLE names { $file }, which cannot be used ({ $error }): name a file of certificates in PEM format
s3-no-certificates = no certificate authority is trusted on this system: install the package ca-certificates, or name a file of certificates with AWS_CA_BUNDLE
s3-tls-failed = TLS cannot be set up ({ $error }): use an http endpoint
target-is-no-bucket = the target is not a bucket: name one, as in s3://bucket/prefix
s3-engine-writes-entire-objects = an object is written entirely or not at all: blocks of { $block } cannot be written in an object of { $size }; make the object one block (--size equal to --block, no start), or write many objects with the operation create (--mix create --files N --file-size SIZE)

# S3: the failed action, the reason and the remedy.

s3-cannot = { $target } at { $server }: cannot { $tried }: { $reason }: { $remedy }
s3-tried-look-up = look up { $path }
s3-tried-list = list '{ $path }'
s3-tried-make-folder = create folder { $path }
s3-tried-write = write { $path }
s3-tried-read = read { $path }
s3-tried-remove = remove { $path }
s3-refused = the server replied { $code } (HTTP { $status })
s3-refused-with-a-message = the server replied { $code } (HTTP { $status }), '{ $message }'
s3-first-refusal = the first request that failed: { $reason }
s3-no-answer-after-stop = no reply within { $time } after the request to end
s3-connection-failed = the connection failed ({ $error })
s3-certificate-is-refused = the certificate of the server is not trusted ({ $error })
s3-closed-without-a-reply = the server closed the connection without a reply
s3-closed-within-a-reply = the server closed the connection before its reply was complete
s3-server-is-silent = nothing was sent or received for { $time }
s3-server-is-slow = the reply was not complete after { $time }
s3-head-is-too-long = the headers of the reply are longer than { $most }
s3-head-is-malformed = the reply is not HTTP
s3-chunk-is-malformed = the chunks of the reply are malformed
s3-length-is-another = the reply has { $announced } bytes, and { $requested } were requested
s3-reply-is-too-long = the reply is longer than { $most }
s3-document-is-malformed = the reply is not the XML document of an object store
s3-no-length = the reply does not report the size of the object
s3-no-etag = the reply to a write has no ETag
s3-etag-is-another = the server stored something else in { $path }: its ETag is { $etag }, and the MD5 of what was sent { $sum }
s3-object-has-another-length = { $path } has { $found } bytes, and { $written } were written
s3-list-is-endless = the list of '{ $path }' does not end ({ $names } names so far)
s3-folder-is-not-empty = { $path } holds objects
s3-objects-are-written-entirely = { $path } is an object, and an object is written entirely: a part of it cannot be changed
s3-remedy-region = the bucket is in another region: use --set region={ $region } or AWS_REGION={ $region }
s3-remedy-unknown-region = the bucket is in another region or at another endpoint: set region and endpoint-url to those of the bucket
s3-remedy-redirect = the server redirects to { $location }, which plumb does not follow: set endpoint-url to the server that holds the bucket
s3-remedy-bucket = check the name, create the bucket, or set endpoint-url to the server that holds it
s3-remedy-clock = the clocks of this machine and the server differ by { $time }: correct the wrong one (NTP)
s3-remedy-token = the session token is not valid any more: get new credentials
s3-remedy-key = the server does not know this access key: check AWS_ACCESS_KEY_ID or the profile, and the endpoint
s3-remedy-signature = the secret key does not belong to the access key: check AWS_SECRET_ACCESS_KEY or the profile; a proxy that changes requests has the same effect
s3-remedy-permission = the key may not do this: allow s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload for this bucket and prefix
s3-remedy-missing = name an object that exists
s3-remedy-exists = an object of this name exists, and plumb did not create it: name another prefix
s3-remedy-size = choose a smaller --size or another bucket (objects already written are removed)
s3-remedy-fewer-requests = the object store wants fewer requests: reduce depth or workers, and try again
s3-remedy-not-offered = the server does not offer this request: use another server, or leave the operation out
s3-remedy-log = check the server's log
s3-remedy-certificate = name a file with the certificate of its authority by AWS_CA_BUNDLE, add it to those of the system, or use the name that is in the certificate as endpoint
s3-remedy-connection = check the endpoint (--set endpoint-url=URL), the firewall, and whether the server is running; http and https are not interchangeable
s3-remedy-no-object-store = check that an S3 object store is at this endpoint, and no proxy that changes its replies
