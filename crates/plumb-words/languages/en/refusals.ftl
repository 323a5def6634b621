### Requested engine features that are not available, in the record and on the page.

refused-o-direct = O_DIRECT: { $reason }
refused-by-kernel = { $feature }: refused by this kernel ({ $error })
refused-with-error = { $feature }: { $error }
refused-submission-latency = submission-latency: with the engine { $engine } the time of a submission cannot be separated from that of the operation
refused-interfaces-not-told = the server does not report its interfaces ({ $reason }): all channels go to the named address
refused-multichannel = multichannel: { $reason }; each worker has its own session
refused-multichannel-not-offered = multichannel: the server does not offer it; each worker has its own session
refused-multichannel-of-worker = multichannel: { $reason }; this worker has its own session
refused-path = channel to { $address }, which the server offers: { $reason }; another path is used
refused-depth-by-server = depth { $depth }: at most { $slots } requests are in flight at a time, the others wait
refused-depth-by-provider = depth { $depth }: the provider accepts { $outstanding } operations at a time, the others wait in plumb
aio-queue-is-short = depth { $depth }: the kernel accepts { $limit } requests per process at a time, the others wait in plumb; raise vfs.aio.max_aio_queue_per_proc

# Engines that are not available: reason and remedy.

engine-not-available = engine { $engine } is not available: { $why }
no-engine-of-this-system = no engine of this system can do this
no-io-uring = this kernel has no io_uring (needs Linux 5.1), or a sandbox hides it; use engine sync
no-extents-of-ext4 = engine defragment moves extents of ext4, and { $path } is not a file on ext4 with extents; use engine sync
no-donor-of-extents = engine defragment cannot allocate extents next to { $path }: { $error }; free space there, or check the permissions of the folder
io-uring-is-disabled = it is disabled by sysctl kernel.io_uring_disabled={ $value }; allow it with 'sysctl kernel.io_uring_disabled=0' (as root), or use engine sync
io-uring-is-forbidden = it is blocked by a sandbox (seccomp); run outside the container or allow io_uring in its profile, or use engine sync
locked-memory-is-too-low = the locked memory limit is too low (RLIMIT_MEMLOCK); raise it with 'ulimit -l', or lower the depth
ring-cannot-be-set-up = the ring cannot be set up: { $error }; lower the depth, omit iopoll and sqpoll, or use engine sync
aio-cannot-be-set-up = POSIX AIO cannot be used: { $error }; see aio(4), or use engine sync
aio-is-unsafe-here = the kernel allows asynchronous requests only for disks and for regular files on local file systems, and { $path } is neither; use engine sync (vfs.aio.enable_unsafe allows others, see aio(4))
linux-aio-cannot-be-set-up = Linux AIO cannot be used: { $error }; use engine io_uring or sync
linux-aio-has-no-room = the kernel has no room for { $depth } more AIO requests: raise /proc/sys/fs/aio-max-nr, or lower depth or workers
target-cannot-be-polled = { $path } cannot be polled (IOPOLL): its driver has no poll queues, or it is not opened with O_DIRECT; omit iopoll, or load the driver with poll queues (nvme.poll_queues=N) and use --direct
no-nvme-generic-device = { $path } is no generic character device of an NVMe namespace with blocks, such as /dev/ng0n1 ('ls /dev/ng*' shows them; they need Linux 5.19); name one, or omit engine
nvme-transfer-is-too-large = { $path } takes at most { $most } in one command, and blocks have up to { $block }; use smaller blocks
nvme-has-no-polled-queues = { $path } cannot be polled (IOPOLL): its driver has no polled queues; omit iopoll, or load the driver with nvme.poll_queues=N
nvme-commands-are-forbidden = this user may not give commands to { $path }; run as root
flags-are-not-taken = { $path } does not support calls with { $flags }: { $error }; omit hipri, nowait, uncached or atomic, or name a file on a file system that supports them
flags-are-of-linux = hipri, nowait, uncached and atomic are flags of Linux calls; omit them
trial-read-fails = a read of { $bytes } bytes from { $path } fails: { $error }; check block size and alignment, or use engine sync
stdio-is-not-aligned = the buffers of the C library are not aligned as O_DIRECT requires; omit --direct, or use io_uring or sync
file-cannot-be-a-stream = { $path } cannot be opened as a stream: { $error }; use engine sync
mapping-is-never-direct = a mapping always goes through the page cache; omit --direct, or use io_uring or sync
no-rings-of-windows = this version of Windows has no I/O rings that can write (Windows 11 22H2 or later has); use engine overlapped
ring-of-windows-refused = no I/O ring can be created: { $error }; use engine overlapped
ring-registers-no-files = registered files: { $error }
ring-registers-no-buffers = registered buffers: { $error }
no-completion-port = no completion port can be created: { $error }; use engine sync
file-is-not-overlapped = { $path } cannot be opened for overlapped I/O: { $error }; use engine sync
file-takes-no-completion-port = { $path } does not support a completion port: { $error }; use engine sync
completions-are-not-skipped = FILE_SKIP_COMPLETION_PORT_ON_SUCCESS: { $error }
mapped-file-has-no-size = { $path } has no size; name a size with --size
mapped-file-is-not-readable = { $path } is not open for reading, which every mapping needs; use io_uring or sync
file-cannot-be-mapped = { $path } cannot be mapped: { $error }; use io_uring or sync
memory-was-refused = the kernel refuses { $bytes } of memory for each worker: { $error }; use a smaller --size or fewer workers
too-many-mappings = too many mappings at once; use fewer workers or files
target-is-no-peer = the target is not a peer; use one such as tcp://host
target-is-no-rdma-peer = this engine works on a peer only; use a target such as rdma://host
target-is-no-udp-peer = the target is not a UDP address; use one such as udp://host
target-is-no-iperf3-server = the target is not an iperf3 server; use one such as iperf3://host
target-is-no-smb-share = the target is not an SMB share; use one such as smb://user@server/share
target-is-no-nfs-share = this engine works on NFS shares only; use a target such as nfs://server/export
share-cannot-be-opened = cannot open { $target }: { $reason }; { $remedy }
discard-in-signed-session = the SMB messages are signed, which covers the data, and skip-rx-copy leaves the data in the kernel
discard-in-encrypted-session = the SMB messages are encrypted, and skip-rx-copy leaves the data in the kernel
discard-in-protected-session = the NFS data is protected by Kerberos (krb5i or krb5p), and skip-rx-copy leaves it in the kernel
discard-on-this-system = skip-rx-copy needs recv(2) with MSG_TRUNC for TCP, which only Linux has
discard-on-this-system-alone = skip-rx-copy needs recv(2) with MSG_TRUNC for TCP, which only Linux has: omit it
leave-skip-rx-copy = omit skip-rx-copy
socket-takes-no-time-outs = the socket does not support timeouts ({ $error }); use another system
message-is-too-long-for-udp = a message of { $bytes } bytes does not fit into one datagram; use at most { $most } bytes (block)
message-is-too-long = a message of { $bytes } bytes is too long; use less than 4g
window-is-too-large = no socket supports a window of { $bytes } bytes; use less than 2g, or omit window
iperf3-streams-are-taken = all streams of the test are in use; this is a defect of plumb
udp-is-one-way = a job over UDP either sends, receives or exchanges messages; define one job for each
udp-address-is-not-own = cannot receive at { $place }: { $error }; a job that receives has an address of this machine or a multicast group as its target: use udp://0.0.0.0:PORT for all interfaces, and a port that is free
udp-group-is-not-joined = cannot use the multicast group { $place }: { $error }; check the route to it (ip route), and multicast-interface, an address of this machine (for IPv6 the index of an interface)
no-udp-socket = cannot open a UDP socket for { $place }: { $error }; check the address and the route to it (ip route get)
no-port-for-worker = worker { $worker } has no port: each worker has one of its own, from { $port } up; use a lower port or fewer workers
iperf3-is-one-way = an iperf3 stream goes in one direction; omit send or receive from the mix, and define the other direction as a second job
iperf3-streams-differ = an iperf3 server has the same number of streams in both directions, and here { $sending } send and { $receiving } receive; give the jobs the same number of workers, or use 'plumb serve-net' on that host
iperf3-is-one-test = the jobs on this server are one iperf3 test, with one window and one no-delay; set the same for all of them, or use 'plumb serve-net' on that host
rdma-library-is-missing = { $reason }; install it (Debian and Ubuntu: libfabric1; Fedora, RHEL and FreeBSD: libfabric; macOS: brew install libfabric)
rdma-peer-refuses = { $place }: { $reason }; check that 'plumb serve-net --rdma' listens at this port (7474 by default); if it does, lower size, block or depth, or see 'plumb doctor rdma' on both hosts for providers, and choose one with --set provider=NAME
rdma-peer-does-not-answer = no peer responds at { $place }: { $error }; start 'plumb serve-net --listen any --rdma' there, and check name, port and firewall

# A peer that cannot be reached.

host-is-not-known = the name '{ $host }' is not known ({ $error }); check it, or use an address
nothing-listens = nothing listens at { $place } (connection refused); start { $listener } on that host, or name another port
peer-did-not-answer = { $place } did not respond within { $time }; check the address, that { $listener } runs there, and that no firewall drops the port
no-connection-to-peer = no connection to { $place } ({ $error }); check the address and the route to it
listener-is-foreign = the service at { $place } is not 'plumb serve-net' ({ $what }); check the port, or start 'plumb serve-net --listen any' there
listener-is-no-iperf3 = the service at { $place } is not an iperf3 server ({ $what }); check that 'iperf3 -s' of version 3.1 or later runs there
it-speaks-another-protocol = it uses another protocol
it-closed-the-connection = it closed the connection
it-said-nothing = it sent nothing for { $time }
it-answered-out-of-turn = unexpected protocol state { $state }
serve-net-refuses = the 'plumb serve-net' at { $place } refuses: { $why }
serve-net-speaks-another-version = it uses another version of the protocol; use the same version of plumb on both ends
serve-net-does-not-serve-this-address = it does not serve this address; start it with --allow and the address of this host
serve-net-is-full = it has reached its limit of connections; use fewer workers, or wait until others have ended
serve-net-has-no-memory = it has no memory for messages of this length; use a smaller block, or fewer workers
serve-net-did-not-understand = it did not understand the greeting; use the same version of plumb on both ends
iperf3-is-busy = the iperf3 server at { $place } is busy with another test, and runs one at a time; wait until it has ended, or start another server on another port (iperf3 -s -p PORT)
iperf3-denies-access = the iperf3 server at { $place } denies access: it requires a user and a password, which plumb does not support; start one without --rsa-private-key-path and --authorized-users-path
iperf3-cannot-carry-it-out = the iperf3 server at { $place } cannot run the test; see its own output; use fewer workers or a smaller window
iperf3-cannot-carry-it-out-because = the iperf3 server at { $place } cannot run the test (its error { $number }: { $error }); see its own output; use fewer workers or a smaller window
iperf3-was-ended = the iperf3 server at { $place } was terminated; start it again

# Steps that could not run, or that an error ended.

engine-failed = the engine failed: { $error }
operation-took-too-long = { $kind } took { $took }, longer than max-latency = { $limit } allows
block-not-dumped = the block that differs could not be written to { $file }: { $error }
stopped-at-mismatch = a block differs from what was written, and stop-at-mismatch ends the job at the first one
rate-below-its-minimum = too slow: { $kind } reached { $bandwidth } and { $iops } operations in a second of one worker, below its share of min-rate = { $least }
stopped-at-error = an operation failed with { $error }, and stop-at-error ends the job at the first one
failures-in-a-row = { $count } consecutive operations failed, the last with { $error }
reads-in-a-row-of-nothing = { $count } consecutive operations failed, the last with { $error }: they returned no data, the target ends before that offset
reads-of-nothing = { $count } reads of { $path } returned no data: it ends before that offset; use a smaller --size or --start
storage-hangs = { $count } operations did not complete after the run was stopped: the storage hangs
iperf3-stream-is-gone = the stream to { $place } was lost, and an iperf3 test cannot be resumed
peer-memory-is-new = the peer was restarted and its memory is new: data written there is lost, and nothing can be verified
recorder-cannot-start = the recording thread cannot be started: { $error }
small-files-cannot-be-noted = the record of the small-file folder cannot be written: { $error }
worker-cannot-start = worker { $worker } cannot be started: { $error }; lower the number of workers
worker-cannot-be-pinned = worker { $worker } cannot run on CPU { $cpus }: { $error }; 'plumb doctor' shows the allowed CPUs
log-is-another-file = { $path } exists and is not a fio iolog, so it is not overwritten: name another file with write-iolog, or remove it
log-cannot-be-written = { $path }: the log of the operations cannot be written: { $error }; name another file, or omit write-iolog
priority-cannot-be-had = the I/O priority { $priority } cannot be set: { $error }; omit io-priority, or run as root for realtime
memory-policy-cannot-be-had = the memory policy { $policy } cannot be set: { $error }; omit memory-policy, or name nodes that this machine has (numactl --hardware)
pinning-is-not-available = pinning is not available on this system: omit --pin
no-cpus-to-pin-to = the list of CPUs to pin to is empty
no-such-memory-node = there is no NUMA node { $node } with CPUs: see 'plumb doctor'
worker-ended-too-early = a worker ended before it started; this is a defect of plumb
copy-program-is-missing = { $program } was not found: install it, or use its full path
copy-program-may-not-run = { $program } is not executable: make it executable (chmod +x)
copy-program-cannot-start = { $program } cannot be started: { $error }
copy-place-is-not-clear = files left by the last copy cannot be removed: { $error }
copy-source-cannot-be-read = { $path }: cannot be read: { $error }
copy-not-brought-to-storage = { $path }: the copy cannot be synced to stable storage: { $error }
copy-destination-not-emptied = the destination cannot be emptied: { $why }
copy-cannot-be-fetched = { $path } cannot be written: { $error }; free some space there, or name another folder with --from
