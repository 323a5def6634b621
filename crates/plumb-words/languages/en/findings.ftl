### Findings: for each rule, under its name, the claim, the advice and the evidence.

## How a finding is shown

label-nothing-found = No findings: no rule has anything to report.
label-nothing-would-spoil = No problem found that would distort a measurement here, as far as the facts above are known.
label-severity-note = note
label-severity-warning = warning
label-severity-severe = severe
label-what-to-do = What to do:
label-expected = Expected:
label-to-test-it = To test it:
label-rule = Rule
finding-expected = expected: { $effect }
finding-to-test-it = to test it: { $command }
finding-ruled-out = Ruled out: { $reason }
finding-effect = { $low } to { $high } times the current figure
finding-severe = severe: { $claim }
finding-warning = warning: { $claim }

## Parts of several rules

steps-one = '{ $step }'
steps-two = '{ $first }' and '{ $second }'
steps-more = { $more ->
    [one] '{ $first }' and 1 other step
   *[other] '{ $first }' and { $more } other steps
}
# One sentence after another.
sentences = { $before } { $next }
not-listed = not listed
more-of-this-kind = { $more } more of this kind
part-of-whole = { $part } of { $whole }
fact-time-per-mib = { $time }/MiB

iops-of-step = IOPS of '{ $step }'
iops-of-step-in-round = IOPS of '{ $step }', round { $round }
rate-of-step = rate of '{ $step }'
figure-of-step = { $figure } of '{ $step }'
operations-of-step = operations of '{ $step }'
response-time-of-step = response time of '{ $step }'

## Where evidence comes from

source-environment = the environment before the run
source-plan-step = plan, step '{ $step }'
source-engine-opened = engine { $engine } as opened
source-engine-or-plan = engine as opened, or plan
source-session = the session that plumb opened
source-ticks = ticks
source-notes = notes
source-notes-of-run = notes of the run
source-summary = summary
source-histogram = histogram
source-histogram-of-worst-round = histogram, worst round
source-intervals = intervals
source-intervals-and-service-times = intervals and service times
source-step-intervals = intervals of the step
source-rounds = rounds
source-last-rounds = the last rounds
source-service-times = service times over measured time
source-cpu-time-of-process = CPU time of the process, kernel threads for io_uring included
source-cpu-time-of-worker = CPU time of the worker's thread
source-measured-in-run = measured on this machine in this run
source-counters-over-run = counters over the run
source-device-counters = the device's counters
source-device-counters-and-own-bytes = the device's counters and plumb's own bytes
source-device-counters-less-own-bytes = the device's counters minus plumb's own bytes
source-tcp-info = TCP_INFO

## accelerator_utilization

accelerator-utilization = The emulated accelerators computed { $utilization } of the time in '{ $step }' and waited for data during the rest.
accelerator-utilization-range = The emulated accelerators computed { $lowest } of the time in '{ $slowest }' to { $highest } in '{ $fastest }' and waited for data during the rest.
accelerator-utilization-advice = MLPerf Storage requires 90 % for 3D U-Net and ResNet-50 and 70 % for CosmoFlow. Below that, this storage feeds fewer accelerators: lower workers, or read more at once with depth and prefetch.
accelerator-utilization-of = accelerator utilization in '{ $step }'
accelerator-utilization-figures = { $utilization }, { $samples } samples/s, { $accelerators ->
    [one] 1 accelerator
   *[other] { $accelerators } accelerators
}

## antivirus_scans_files

antivirus-scans-files = Microsoft Defender scans files when they are opened and written: the measured times include the scans.
antivirus-scans-files-advice = Exclude the folder of the test files from scanning (as administrator: Add-MpPreference -ExclusionPath FOLDER), measure again and compare; then remove the exclusion (Remove-MpPreference).

## array_not_clean

array-not-clean = The RAID array under the target is not clean ({ $state }): its figures are not those of a healthy array.
array-not-clean-advice = Wait for the rebuild to finish, or replace the failed member, and measure again; 'cat /proc/mdstat' shows the progress.

## buffers_below_the_path

buffers-below-the-path = The bandwidth-delay product of the path to the server is { $path }, but the TCP window grows only to about { $window }: one connection receives at most { $rate }.
buffers-below-the-path-advice = Raise the third value of net.ipv4.tcp_rmem (and of tcp_wmem on the other end) to more than twice that product, enable window scaling, or use several connections.

## client_is_server

client-is-server = Client and server are the same machine: the network is not measured, and both share cores, caches and memory.
client-is-server-advice = Read the figures as the cost of the protocol and its software; to include the network, run plumb on another machine.

## clocks_differ

clocks-differ-ahead = { $count ->
    [one] The clock of { $host } is { $time } ahead of the clock of rank 0's host.
   *[other] The clocks of { $count } hosts differ from the clock of rank 0's host, at most by { $time } ({ $host }, ahead).
}
clocks-differ-behind = { $count ->
    [one] The clock of { $host } is { $time } behind the clock of rank 0's host.
   *[other] The clocks of { $count } hosts differ from the clock of rank 0's host, at most by { $time } ({ $host }, behind).
}
clocks-differ-advice = No figure of this run depends on the time of day. Synchronize the clocks (chrony, NTP) before comparing the logs of these hosts.
clock-is-ahead = { $time } ahead
clock-is-behind = { $time } behind
source-messages-of-ranks = messages between the ranks

## compressible_content_on_compressing_file_system

compressible-content-on-compressing-file-system = The file system compresses writes and the test data is compressible: less reaches the device than was written.
compressible-content-on-compressing-file-system-deduplicates = The file system deduplicates writes and the test data has duplicates: less reaches the device than was written.
compressible-content-on-compressing-file-system-advice = Write incompressible, unique content, as plumb does by default.
compressible-content-on-compressing-file-system-before = The file system compresses writes: figures depend on the test data.
compressible-content-on-compressing-file-system-deduplicates-before = The file system deduplicates writes: figures depend on the test data.
compressible-content-on-compressing-file-system-advice-before = Keep the default content (incompressible, unique), or set compress-percent and dedupe-percent to match your data.
compressible-content-on-compressing-file-system-content = content
compressible-content-on-compressing-file-system-settings = content { $content }, compress { $compress }, dedupe { $dedupe }

## connection_was_lost

connection-was-lost = { $gaps ->
    [one] The connection to the server was lost once, { $first } after the start, for { $longest }; { $figures }.
   *[other] The connection to the server was lost { $gaps } times (summed over workers), first { $first } after the start, for up to { $longest }; { $figures }.
}
connection-was-lost-and-not-restored = { $gaps ->
    [one] The connection to the server was lost once, { $first } after the start, and not restored; { $figures }.
   *[other] The connection to the server was lost { $gaps } times (summed over workers), first { $first } after the start, and not restored; { $figures }.
}
connection-was-lost-advice = Check the server's log and the link at that time; for figures without the gap, run again or use the intervals before it.
connection-was-lost-operations-waited = means and percentiles include that time
connection-was-lost-operations-failed = operations issued meanwhile failed, so the rate includes that time and the response times do not
connection-was-lost-operations-waited-or-failed = rates include that time, response times only where operations waited for the connection
connection-was-lost-step-ended = an iperf3 test cannot be resumed: its step ended there, and its figures cover the time until then
connection-was-lost-both = { $held }; { $ended }
connection-was-lost-worker = worker { $worker } of job { $job }
connection-was-lost-for = { $start } after the start, for { $length }: { $text }
connection-was-lost-for-good = { $start } after the start, not restored: { $text }

## credits_limit_the_depth

credits-limit-the-depth = The server grants too few credits for the requested depth in { $steps }: operations spent up to { $most } of their time waiting for credits in the client.
credits-limit-the-depth-advice = Raise the server's limit (Samba: smb2 max credits; Windows Server: Set-SmbServerConfiguration -Smb2CreditsMax), use several workers (each has its own connection and credits), or lower depth and block size: a request takes one credit per 64 KiB.
credits-limit-the-depth-operations = { $waits }, which took { $part } of the time of all operations
credits-limit-the-depth-waits = operations of '{ $step }' that waited for credits

## depth_below_the_path

depth-below-the-path = Too little is in flight in { $steps } for the round-trip time to the server: the bandwidth-delay product of the path is { $path }, but as little as { $flight } was in flight, which limits throughput to { $rate }.
depth-below-the-path-advice = Raise the queue depth (or workers, or the block size): { $depth } requests of { $block } fill the path. Only then do the figures show what the server and its disks can do.
depth-below-the-path-in = in flight in '{ $step }'
depth-below-the-path-of = { $depth } requests of { $block }

## depth_not_achieved

depth-not-achieved = The requested queue depth was not achieved in { $steps }: submission itself blocked, or the target completed operations faster than they could be submitted.
depth-not-achieved-advice = Use more workers with a lower depth each, and check that direct I/O is in use: buffered I/O and some file systems complete requests at submission.
depth-not-achieved-by-blocking-engine = The requested queue depth was not achieved in { $steps }: the engine { $engine } has one operation in flight per worker.
depth-not-achieved-by-blocking-engine-advice = Set workers instead of depth with this engine, or use an asynchronous engine such as io_uring.
depth-not-achieved-in = achieved depth of '{ $step }'

## direct_refused

direct-refused = O_DIRECT does not work on this target: I/O goes through the page cache.
direct-refused-advice = Use a test file of at least twice the RAM, so that the page cache cannot hold it, or measure on a file system that supports O_DIRECT.
direct-refused-in = step '{ $step }'
direct-refused-buffered = buffered I/O

## errors_occurred

errors-occurred = { $errors ->
    [one] 1 operation failed in { $steps }; it is not counted in rates or latencies.
   *[other] { $errors } operations failed in { $steps }; they are not counted in rates or latencies.
}
errors-occurred-on-rank = { $errors ->
    [one] 1 operation failed in { $steps }, on rank { $rank } on { $host }; it is not counted in rates or latencies.
   *[other] { $errors } operations failed in { $steps }, all on rank { $rank } on { $host }; they are not counted in rates or latencies.
}
errors-occurred-in-warm-up = { $errors ->
    [one] 1 operation failed in the warm-up of { $steps }; it is not counted in any figure.
   *[other] { $errors } operations failed in the warm-up of { $steps }; they are not counted in any figure.
}
errors-occurred-stop-using-it = Stop using this storage for data that matters until the cause is found.
errors-occurred-in-flight = They were in flight when the connection was lost: check the server's log and the link at that time.
errors-occurred-without-connection = Operations that failed with ENOTCONN were issued while there was no connection: check the server's log and the link at the time it was lost.
errors-occurred-in-flight-and-without-connection = Operations that failed with ENOTCONN were issued while there was no connection, and those with other errors were in flight when it was lost: check the server's log and the link at that time.
errors-occurred-slow-down = SlowDown: the object store wants fewer requests (HTTP 503 or 429). Reduce depth or workers, spread keys over more prefixes, or raise the limit on the server.
errors-occurred-full = ENOSPC: the file system or share is full; EDQUOT: the quota is exhausted. Free space there, or use a smaller size.
errors-occurred-not-permitted = EACCES, EPERM and EROFS are permission errors: check that this user has access, and whether the target is mounted or shared read-only.
errors-occurred-files-gone = ENOENT and ESTALE: something else deleted files during the test; find it, or measure in a folder that nothing else uses.
errors-occurred-on-share = Check the server's log and its storage before trusting the share or these figures.
errors-occurred-at-peer = Check what the program at the other end reports before trusting these figures.
errors-occurred-on-device = Check the kernel's log (dmesg) and the device's health before trusting the storage or these figures.
errors-occurred-of = errors of '{ $step }'
errors-occurred-in-warm-up-of = errors in the warm-up of '{ $step }'
errors-occurred-of-kind = { $count } x { $kind }
errors-occurred-first = first error
errors-occurred-first-of-file = { $operation } of file { $file } of { $path }: { $error }
errors-occurred-first-at-offset = { $operation } at offset { $offset } of { $path }: { $error }
errors-occurred-first-of = { $operation } of { $path }: { $error }
errors-occurred-first-with = { $operation } with { $path }: { $error }

## fuse_file_system

fuse-file-system = The target is a FUSE file system ({ $kind }): the speed and caches of its user-space daemon are measured together with the storage.
fuse-file-system-advice = To measure the storage itself, use a directory or device below that daemon as the target, and compare the two.

## overlay_file_system

overlay-file-system = The target is on an overlay file system, as the own files of a container are: the first write to a file of a lower layer copies the entire file, and the figures are not those of a volume.
overlay-file-system-advice = To measure a volume, use a path on it as the target; 'findmnt' lists what is mounted where.

## generator_was_the_limit

generator-was-the-limit = The CPU of the load generator was the bottleneck in { $steps }: the storage may be faster than shown.
generator-was-the-limit-advice = Use more workers, each on its own CPU; for buffered I/O the copy to and from the page cache is part of the cost.
generator-was-the-limit-of-share = The CPU of the load generator was the bottleneck in { $steps }: the share may be faster than shown.
generator-was-the-limit-of-share-advice = Use more workers, each on its own CPU; the protocol, its signing and its encryption are part of the cost.
generator-was-the-limit-of-network = The CPU of the load generator was the bottleneck in { $steps }: the network may be faster than shown.
generator-was-the-limit-of-network-advice = Use more workers, each on its own CPU; the copies to and from the socket buffers are part of the cost.
generator-was-the-limit-all-threads = all threads of '{ $step }'
generator-was-the-limit-of-cpus = { $cpus ->
    [one] { $used } of { $all } available on 1 CPU
   *[other] { $used } of { $all } available on { $cpus } CPUs
}
generator-was-the-limit-ceiling = null-engine ceiling of '{ $step }'
generator-was-the-limit-rates = { $rate } of { $ceiling } operations/s
generator-was-the-limit-worker = busiest worker of '{ $step }'
generator-was-the-limit-of-one-cpu = { $used } of one CPU

## governor_not_performance

governor-not-performance = The CPU frequency governor is '{ $governor }': latencies at low depth may be longer and vary more than the storage alone would cause.
governor-not-performance-advice = For the measurement: 'cpupower frequency-set -g performance' (as root); restore the governor afterwards.

## hosts_are_busy

hosts-are-busy = In '{ $step }' the CPUs of { $hosts ->
    [one] one host
   *[other] { $hosts } hosts
} were busy ({ $host }: { $cpu }): the figures show what the hosts can generate, not what the storage can deliver.
hosts-are-busy-advice = Use more hosts, or larger blocks and fewer workers on each; check what else runs there (top).
host-cpus-used = { $cpu } of all its CPUs; the load generator used { $own } CPUs
host-cpus-used-by-all = { $cpu } of all its CPUs
source-counters-of-host = counters of the host over the measured time

## hosts_scale

hosts-get-no-more = In '{ $group }', { $hosts } hosts get no more together than { $before } hosts ({ $growth }): a shared resource is the limit.
hosts-get-no-more-advice = Check the server while { $hosts } hosts run: its CPU cores, network link and disks. More hosts only wait longer.
hosts-limit-themselves = In '{ $group }', each of { $hosts } hosts gets { $efficiency } of what one gets alone: the hosts are the limit, not the storage.
hosts-limit-themselves-advice = The storage can deliver more than { $hosts } hosts requested: add hosts, or raise workers and depth, until throughput stops growing.
step-on-hosts = hosts: { $hosts }
hosts-get-together = { $iops }/s together; { $efficiency } of linear scaling
source-sums-of-ranks = sums over all ranks for the time in which all ran

## interface_has_errors

interface-has-errors-in-run = The interface to the server had packet errors or drops during the run.
interface-has-errors-since-boot = The interface to the server has had packet errors or drops since boot.
interface-has-errors-advice = Check 'ethtool -S INTERFACE' for the kind: checksum errors point to cable and connectors, missed packets to ring sizes ('ethtool -g') and interrupts.
interface-has-errors-count = { $count } on { $interface }

## latency_limit_missed

latency-limit-missed = The response time limit was missed in { $steps }.
latency-limit-missed-advice = Use a lower depth or rate (a sweep of depth or rate finds what the limit allows), or a lower percentile (latency-limit-percentile).
latency-limit-missed-operations = operations of '{ $step }' within { $limit }
latency-limit-missed-share = { $within } % of the required { $asked } %

## link_is_slow

link-is-slow = The link of { $interface } runs at { $speed }: throughput is limited to about { $payload } in each direction, regardless of the storage behind it.
link-is-slow-advice = Compare throughput with the link speed, not with a disk; check that the link runs at the speed that cable, switch and adapter support.
link-is-slow-half-duplex = The link of { $interface } runs in half duplex: only one side can send at a time, and collisions reduce throughput.
link-is-slow-half-duplex-advice = Let both ends negotiate ('ethtool -s INTERFACE autoneg on'), or set full duplex on both; check cable and switch port.
link-is-slow-interface = the interface

## logged_in_as_guest

logged-in-as-guest = The server does not know the user and logged it in as a guest: nothing is signed or encrypted, and the guest's rights and limits apply.
logged-in-as-guest-advice = Name a user that the server knows, or check how it maps unknown users (Samba: map to guest).

## low_free_space

low-free-space = Only { $free } ({ $share }) of the file system is free: writes may be slower than with more free space.
low-free-space-advice = Free at least 10 % of the file system and run 'fstrim' on it before measuring writes.

## machine_swapped

machine-swapped = The machine swapped during the measurement: { $swapped } moved to and from swap.
machine-swapped-advice = Free memory, or use smaller buffers and files, and measure again; the columns si and so of 'vmstat 1' show swapping as it happens.

## machine_was_busy

machine-was-busy = The machine was busy before the start: other processes used { $busy } of all CPUs.
machine-was-busy-advice = Stop the other processes ('top' shows them), or measure when the machine is idle.

## memory_file_system

memory-file-system = The target is in memory: the figures are those of the kernel and RAM, not of storage.
memory-file-system-advice = Use a directory on the storage to be measured as the target.

## mtu_is_small_for_the_link

mtu-is-small-for-the-link = The MTU is { $mtu } bytes on a link of { $speed }: at full speed that is { $packets } packets per second in each direction.
mtu-is-small-for-the-link-advice = If every port on the path supports it, set an MTU of 9000 on both ends ('ip link set dev INTERFACE mtu 9000'), check it with 'ping -M do -s 8972 SERVER', and measure with both.

## network_file_system

network-file-system = The target is a { $kind } mount: client, network and server are measured together, including the server's cache.
network-file-system-of-any-kind = The target is a network mount: client, network and server are measured together, including the server's cache.
network-file-system-advice = Use a working set larger than the server's memory to reach its disks, and measure on the server itself for comparison.

## never_became_steady

never-became-steady = After { $rounds } rounds { $steps } had not reached steady state.
never-became-steady-at-once = The tracked figures were not steady at the same time in any window of { $rounds } rounds.
never-became-steady-advice = Run more rounds, or precondition longer; a figure that never settles has no single value.
never-became-steady-round-figures = range { $data }, linear fit { $slope }
never-became-steady-step = { $steps } ended before reaching steady state.
never-became-steady-step-advice = Run longer, or precondition first; a figure that never settles has no single value.
never-became-steady-window = last window of '{ $step }'
never-became-steady-window-figures = largest deviation { $departure }, slope { $slope } per interval; requested: { $asked }

## nfs_single_connection

nfs-single-connection = One TCP connection carries the NFS mount over a link of { $speed }.
nfs-single-connection-advice = Unmount every mount of that server, mount with '-o nconnect=8' (Linux 5.3 or newer), and compare; the first mount of a server determines the connections of all others.

## not_steady

not-steady = Throughput changed during { $steps }: the mean is not a steady-state value.
not-steady-fell = Throughput fell during { $steps }: the mean is not a steady-state value.
not-steady-rose = Throughput rose during { $steps }: the mean is not a steady-state value.
not-steady-advice = Run longer, after a warm-up, until the last part equals the first; a write cache or a burst credit shows as one drop.
not-steady-figures = { $slope } by the linear fit (limit 10 %), { $change } from the first third to the last, p = { $p }

## nothing_completed

nothing-completed = Nothing completed in { $steps } for { $length }, about { $start } after the start, while operations were in flight: rates and means include that time.
nothing-completed-several-times = Nothing completed { $pauses } times in { $steps }, for up to { $length }, about { $start } after the start, while operations were in flight: rates and means include that time.
nothing-completed-advice = Check the kernel's log (dmesg) for timeouts and resets at that time, the device's firmware and power saving, and whether the machine itself stalled; for figures without the stall, run again.
nothing-completed-of-server-advice = Check the server at that time (its log, storage and load) and the link (packet loss, a switch that restarted), and whether this machine itself stalled; for figures without the stall, run again.
nothing-completed-pause = stall of '{ $step }'{ $job }{ $round }
nothing-completed-job = , job '{ $job }'
nothing-completed-round = , round { $round }
nothing-completed-length = { $length }, about { $start } after the start
nothing-completed-length-beyond-end = { $length }, about { $start } after the start, beyond the end of the step
nothing-completed-rate-without-pauses = rate of '{ $step }' without the stalled intervals
nothing-completed-rates = { $without }/s; { $with }/s with them

## one_host_is_slower

one-host-is-slower = { $host } gets { $share } of what the other hosts get in '{ $step }'.
one-host-is-slower-advice = Check the path of { $host } (link speed, errors, switch port, route), its mount options and its CPUs, and whether the server serves it last; then run the plan on it alone.
step-on-host = '{ $step }' on { $host }
host-gets-share = { $share } of the median of the other hosts, per rank; { $cpu } of one CPU used
host-gets-share-of-others = { $share } of the median of the other hosts, per rank
source-ends-of-ranks = what each rank reported at the end of the step

## one_path_loses_segments

one-path-loses-segments = { $host } retransmits { $part } of its TCP segments in '{ $step }', the other hosts at most { $others }: the loss is on its own path.
one-path-loses-segments-advice = On { $host }, check 'ip -s link' and 'ethtool -S INTERFACE' for errors and drops, duplex and speed, the switch port and the cable; then run the plan on it alone.
host-sent-again = { $again } of { $sent } segments retransmitted; at most { $others } on the other hosts

## one_queue_takes_all

one-queue-takes-all = The adapter has one receive queue for a link of { $speed }: one CPU handles all packets.
one-queue-takes-all-advice = Configure more queues ('ethtool -L INTERFACE combined N'; for a virtual machine in its definition), or enable receive packet steering (rps_cpus).
one-queue-takes-all-by-scaling = Receive-side scaling uses one of { $queues } queues: one CPU handles all packets of a link of { $speed }.
one-queue-takes-all-by-scaling-advice = Reset the indirection table: 'ethtool -X INTERFACE equal N', with N the number of queues.
one-queue-takes-all-by-interrupts = Nearly all interrupts of the adapter's { $queues } queues went to one CPU since boot.
one-queue-takes-all-by-interrupts-advice = Distribute them: start irqbalance, or set /proc/irq/N/smp_affinity_list of each queue to a CPU of the adapter's NUMA node.

## operations_were_split

operations-were-split = Blocks of { $steps } exceed the largest request that the server accepts: each was sent as several requests.
operations-were-split-advice = Use blocks of that size or smaller to measure single requests, or raise the server's limit (Samba: smb2 max read, smb2 max write; NFS: the READ and WRITE size that the server offers).
operations-were-split-counted = operations of '{ $step }' that were split
operations-were-split-in = blocks of '{ $step }'
operations-were-split-requests = { $block } each, at most { $most } in one request: { $requests } requests

## other_io_on_device

other-io-on-device = Other processes used the device during the test: part of its time was not available to plumb.
other-io-on-device-advice = Find the other process ('iotop -o', or 'pidstat -d 1'), stop it, and measure again.
other-io-on-device-during = bytes of other processes on { $device } during '{ $step }'
other-io-on-device-share = { $others } of { $all } ({ $rate })

## power_plan_saves_power

power-plan-saves-power = The power plan of Windows is '{ $plan }': latencies at low depth may be longer and vary more than the storage alone would cause.
power-plan-saves-power-advice = For the measurement: powercfg /setactive SCHEME_MIN (as administrator; it is High performance); restore it afterwards (SCHEME_BALANCED).

## rank_was_lost

rank-was-lost = { $count ->
    [one] Rank { $rank } on { $host } was lost. The figures cover the time in which all { $ranks } ranks ran.
   *[other] { $count } of { $ranks } ranks were lost, rank { $rank } on { $host } first. The figures cover the time in which all ranks ran.
}
rank-was-lost-advice = Check the host (process killed, link down). What the rank had measured is in its own record, on its host or in ranks/ of the run folder. Run again for figures of all ranks.
rank-on-host = rank { $rank } on { $host }
rank-was-lost-then = lost { $time } after the start: { $why }

## ranks_get_unequal_shares

ranks-get-unequal-shares = Ranks get unequal shares: in '{ $step }', rank { $rank } on { $host } gets { $share } of what the fastest rank gets.
ranks-get-unequal-shares-advice = Check whether the server, a lock on the shared file or a network queue serves some clients first; the figures of each rank show what one client sees, the sum does not.
step-named = '{ $step }'
ranks-least-and-most = Jain's fairness index { $index }; rank { $least } gets { $low }/s, rank { $most } { $high }/s

## rate_not_achieved

rate-not-achieved = The requested rate was not achieved in { $steps }: { $reason }{ $unsubmitted }.
rate-not-achieved-unsubmitted = { $operations ->
    [one] ; 1 operation was due but never submitted: it is counted with the time it had waited
   *[other] ; { $operations } operations were due but never submitted: they are counted with the time they had waited, so percentiles are lower bounds
}
rate-not-achieved-by-pause = nothing completed for up to { $length }
rate-not-achieved-by-pause-advice = Find out what stalled (the target, the network, or this machine), and run again; a lower rate would not have been sustained either.
rate-not-achieved-by-errors = { $errors ->
    [one] 1 operation failed
   *[other] { $errors } operations failed
}
rate-not-achieved-by-errors-advice = Find the cause of the failures first: failed operations are not counted in rates.
rate-not-achieved-by-overload = the target sustains less, and response times grow with the length of the run
rate-not-achieved-by-overload-advice = Lower the rate (of a replay: replay-speed-percent) below what the target sustains, or allow more in flight (more depth, more workers) if the generator waited.
rate-not-achieved-rates = { $rate } of { $asked } operations/s, { $waiting } still waiting at the end
rate-not-achieved-rates-late = { $rate } of { $asked } operations/s, { $waiting } still waiting at the end, 99 % submitted within { $lateness }

## rdma_available_but_not_used

rdma-available-but-not-used = The share uses TCP, although { $device } on the path to the server supports RDMA.
rdma-available-but-not-used-offered = The share uses TCP, although both { $device } and the server support RDMA.
rdma-available-but-not-used-by-plumb = plumb accesses the share over TCP; { $device } on the path to the server supports RDMA, which an RDMA client would use.
rdma-available-but-not-used-adapter = the adapter
rdma-available-but-not-used-advice = Measure the fabric itself ('plumb run rdma rdma://SERVER', with 'plumb serve-net --listen any --rdma' there), and compare with a mount over RDMA.
rdma-available-but-not-used-smb-advice = Mount with '-o rdma' if kernel and server support SMB Direct, and compare; 'plumb run rdma rdma://SERVER' shows what the fabric can do.
rdma-available-but-not-used-nfs-advice = Mount with '-o proto=rdma,port=20049' if the server supports NFS over RDMA, and compare; unmount every other mount of that server first.

## reads_from_cache_below

reads-from-cache-below = Reads of { $steps } did not come from the device: it transferred far fewer bytes than were read. The figures are those of a cache below the file, or of blocks that were never written.
reads-from-cache-below-advice = Measure with incompressible content in fully written files larger than RAM, or on the device below.
reads-from-cache-below-loop-device = Reads of { $steps } did not come from the device: it transferred far fewer bytes than were read. The figures are those of the page cache under the loop device, which buffers its backing file.
reads-from-cache-below-loop-device-advice = Set the loop device up with direct I/O ('losetup --direct-io=on'), or measure in the file system that holds its backing file.
reads-from-cache-below-file-in-memory = The backing file of the loop device is in memory: the figures are those of memory, not of storage.
reads-from-cache-below-file-in-memory-advice = Measure on a device, or on a loop device whose backing file is on one.
reads-from-cache-below-during = bytes read during '{ $step }'
reads-from-cache-below-bytes = { $moved } by { $device }, { $read } by the step

## reads_never_written_blocks

reads-never-written-blocks = { $unwritten } of the file was never written: reads of it are answered without accessing the storage.
reads-never-written-blocks-advice = Read a file that was written in full: use a directory as the target (plumb then writes its own file), or fill this one first.

## reads_were_discarded

reads-were-discarded = The data that { $steps } read was discarded in the kernel (skip-rx-copy), as iperf3 --skip-rx-copy does: the figures cover server and network, without the copy on the client.
reads-were-discarded-advice = Compare only with runs that also did so. An application has to copy what it reads: omit skip-rx-copy to include that.
reads-were-discarded-in = engine options of '{ $step }'

## recycle_bin_keeps_files

recycle-bin-keeps-files = The share has a recycle bin ({ $name }): deleted files are kept in it.
recycle-bin-takes-deletes = The share has a recycle bin ({ $name }): each measured delete moved the file there and did not free its blocks.
recycle-bin-keeps-files-advice = Turn off the recycle bin of the share to measure deletes, and empty it afterwards. Files that plumb creates for itself are truncated before they are deleted, and take no space there.

## retransmits_in_the_run

retransmits-in-the-run = Packets were lost on the network during the run, and their data was sent again.
retransmits-in-the-run-advice = Find where packets are lost: interface errors on both ends, a switch port with full buffers, mismatched MTUs; then measure again.
retransmits-in-the-run-requests = { $requests } requests on { $mount }
retransmits-in-the-run-segments = { $again } of { $sent } sent, { $share }

## rounds_disagree

rounds-disagree = The rounds of { $steps } differ by more than 25 %: a single round would mislead.
rounds-disagree-on-two-levels = The rounds of { $steps } differ by more than 25 % and are bimodal: a single round would mislead.
rounds-disagree-advice = Use more rounds and longer steps, compare ranges instead of single figures, and find out what changes between rounds.
rounds-disagree-rates = { $rounds } rounds from { $low } to { $high } IOPS, median { $median }
rounds-disagree-rates-with-mean = { $rounds } rounds from { $low } to { $high } IOPS, mean within { $mean-low } to { $mean-high } (95 %)
rounds-disagree-rates-on-two-levels = { $rounds } rounds from { $low } to { $high } IOPS, bimodal

## segments_arrived_out_of_order

segments-arrived-out-of-order = The network lost or reordered packets during the run: segments arrived out of order.
segments-arrived-out-of-order-advice = Find where packets are lost or reordered on the path to this host: interfaces on both ends, a switch port with full buffers, bonding or multipath that spreads one connection; then measure again.
segments-arrived-out-of-order-part = { $early } out of order, { $received } received

## sent_and_not_arrived

sent-and-not-arrived = Part of the data counted as sent in { $steps } had not arrived when the step ended: the rate may be up to { $most } too high.
sent-and-not-arrived-advice = Use a warm-up of 1 s or longer, so that buffers are full when measuring starts, or measure longer: then as much arrives as is sent.
sent-and-not-arrived-at-end = not acknowledged at the end of '{ $step }'
sent-and-not-arrived-bytes = { $under-way } of { $sent }, { $share }

## share_is_old_dialect

share-is-old-dialect = The share uses { $dialect }: { $why }.
share-is-old-dialect-smb-1 = it is slow and insecure, and current servers and clients no longer support it
share-is-old-dialect-smb-2 = it supports neither multichannel nor encryption
share-is-old-dialect-smb-3-0 = it signs with AES-CMAC and encrypts with AES-CCM, which take several times the CPU time of the SMB 3.1.1 ciphers
share-is-old-dialect-nfs-2 = its requests are limited to 8 KiB
share-is-old-dialect-nfs-4-0 = it has no sessions: trunking and negotiated limits need 4.1
share-is-old-dialect-advice = Let client and server negotiate the newest version that both support (no vers= on the mount, dialect auto in plumb), and compare.
share-is-old-dialect-agreed = dialect

## share_without_multichannel

share-without-multichannel = The share uses one connection, although the server offers an interface with receive-side scaling.
share-without-multichannel-of-interfaces = The share uses one connection, although the server offers several interfaces of the same speed.
share-without-multichannel-advice = Mount it with '-o multichannel,max_channels=4' (SMB 3.1.1; the share must be unmounted everywhere first), and compare.
share-without-multichannel-asked-advice = The mount requests more channels and did not get them: check the kernel's log for the reason (dmesg), and whether the server's other addresses are reachable from here.

## signing_or_encryption_costs

signing-or-encryption-costs-signed = Messages of the share are signed: each byte costs CPU time on both ends, in addition to the share itself.
signing-or-encryption-costs-encrypted = Messages of the share are encrypted: each byte costs CPU time on both ends, in addition to the share itself.
signing-or-encryption-costs-in-trial = One core of this machine processed { $rate } in a short trial.
signing-or-encryption-costs-advice = Keep it on networks that are not trusted. To see its cost, measure the same share without it, if the server does not require it (NFS: an export with sec=krb5 or sys).
signing-or-encryption-costs-signing = signing
signing-or-encryption-costs-encryption = encryption

## slow_clock_source

slow-clock-source = The kernel's clock source is '{ $source }': reading the clock is slow, which lowers the rate that one CPU can generate.
slow-clock-source-advice = Check the kernel's log for why the TSC was marked unstable ('dmesg | grep -i tsc'); a firmware update or 'tsc=reliable' may restore it.

## small_rsize_or_wsize

small-rsize-or-wsize = The mount splits blocks into requests of at most { $size }.
small-rsize-or-wsize-advice = Mount without rsize and wsize, so that client and server negotiate the largest size that both support; where the server sets the limit, raise it there.

## socket_was_polled

socket-was-polled = Workers of { $steps } polled the socket for replies (busy-poll): response times include no thread wake-up, and each worker keeps a CPU fully busy.
socket-was-polled-advice = Compare only with runs that also polled. Most applications sleep until the reply arrives: busy-poll = false measures what they see.
socket-was-polled-by-more-than-cpus = { $workers } workers of { $steps } poll the socket for replies (busy-poll), more than there are CPUs: workers share CPUs, and replies wait meanwhile.
socket-was-polled-by-more-than-cpus-advice = Use fewer workers than CPUs, to leave one for the kernel and for a server on this machine, or omit busy-poll.
socket-was-polled-before-sleeping = Workers of { $steps } polled the socket for up to 100 us before they slept (busy-poll = auto): replies within that time needed no thread wake-up, and the CPU figures include the polling.
socket-was-polled-before-sleeping-advice = Most applications sleep until the reply arrives: busy-poll = false measures what they see, and what the client costs without polling.
socket-was-polled-in = workers of '{ $step }'
socket-was-polled-by = { $workers } with busy-poll
socket-was-polled-part = { $part } of the time of the workers (warm-up included)

## tail_of_closed_loop

tail-of-closed-loop = Tail latencies come from a closed loop: closed-loop tails understate latency under independent arrivals.
tail-of-closed-loop-advice = For a service-level figure, measure at a fixed rate with random arrivals (an open loop): response times then count from when a request was due.
tail-of-closed-loop-times = 99.9 % within { $within }, longest { $longest }

## throttled

throttled = The run was throttled by a limit outside the storage itself.
throttled-before = A limit is set that will throttle a run.
throttled-advice = Remove the limit for the measurement (control group, power, temperature), or run past the end of the burst and take the level after it as the sustained rate.
throttled-by-quota = the control group's CPU quota, over the run
throttled-by-hypervisor = CPU time that the hypervisor gave to other guests (steal), over the run
throttled-by-heat = thermal throttling of the CPU, over the run
throttled-share-of-cpus = { $share } of all CPUs
throttled-burst = { $before } IOPS for { $time }, then a constant { $after } IOPS

## too_short_for_percentile

too-short-for-percentile = { $number ->
    [one] { $steps } has fewer than 1,000 operations: the 99th percentile cannot be stated.
   *[other] { $steps } have fewer than 1,000 operations: the 99th percentile cannot be stated.
}
too-short-for-percentile-advice = Run longer or use more rounds where the tail matters.
too-short-for-percentile-operations = { $operations }; 1,000 take { $time }

## verification_failed

verification-failed = { $blocks ->
    [one] 1 block was not read back as written: data is lost or damaged.
   *[other] { $blocks } blocks were not read back as written: data is lost or damaged.
}
verification-failed-advice = Stop using this storage for data that matters until the cause is found: memory, cable, controller, firmware, driver, or another writer on the same target.
verification-failed-block = { $path }, offset { $offset }, { $bytes } bytes
verification-failed-blocks = blocks that differ
verification-failed-copies = { $copies ->
    [one] 1 copy does not match its source.
   *[other] { $copies } copies do not match their source.
}
verification-failed-copies-advice = Check what is missing or different from the source, and the program's command line; a run of a known good program ('plumb copy-test rsync ...') shows whether the program or the storage is at fault.
verification-failed-copies-that-differ = copies that differ

## virtual_machine

virtual-machine = This is a virtual machine or container ({ $kind }): the host may cache, limit and share the storage.
virtual-machine-advice = Repeat the measurement at another time of day before drawing conclusions, and check the provider's limits for this instance size.

## workers_read_the_same

workers-read-the-same = { $workers } workers read the same blocks at the same time: what one has read, the others may find in a cache.
workers-read-the-same-advice = Give each worker its own region: offset_increment in a fio job, same-start = false or layout = own in a plan.

## working_set_fits_in_ram

working-set-fits-in-ram = { $number ->
    [one] The page cache can hold all data of { $steps }: the figures are those of memory, not of the storage.
   *[other] The page cache can hold all data of { $steps }: the figures are those of memory, not of the storage.
}
working-set-fits-in-ram-advice = Bypass the page cache with direct I/O, or use a test file of at least twice the RAM.
working-set-fits-in-ram-size = size in use of '{ $step }'
working-set-fits-in-ram-moved = moved by the device during '{ $step }'
working-set-fits-in-ram-share = { $share } of the requested bytes

## write_back_failed

write-back-failed = Writes of { $steps } were acknowledged but could not be written back to the storage: data is lost, and the figures of these writes are not those of the storage.
write-back-failed-advice = Check the kernel's log (dmesg) and the device below, a thinly provisioned volume or the server, before trusting this storage with data.
write-back-failed-full = ENOSPC: the storage below is full although the file system had allocated the space (thin provisioning): free space there.
write-back-failed-call = { $call } of { $path }
write-back-failed-error = { $error } after '{ $step }'

## write_cache_volatile

write-cache-volatile = The device has a volatile write cache: writes without fsync complete before they are durable.
write-cache-volatile-advice = For the speed of durable writes, measure with each write synced (the key sync = dsync); on a cache with power-loss protection this makes no difference.

## object_store_keeps_versions

object-store-keeps-versions = The bucket has versioning: objects that are replaced or deleted stay as old versions.
object-store-keeps-versions-advice = Measure deletes in a bucket without versioning. plumb removes the old versions of its own objects; allow s3:DeleteObjectVersion and s3:ListBucketVersions, and look with: 'plumb clean s3://BUCKET/PREFIX'.
object-store-locks-objects = The bucket locks new objects ({ $lock }): what a run writes cannot be removed before that time ends.
object-store-locks-objects-advice = Measure in a bucket without a default retention: 'aws s3api create-bucket --bucket BUCKET'.

## object_store_clock_differs

object-store-clock-ahead = The clock of the object store is { $by } ahead of that of this machine.
object-store-clock-behind = The clock of the object store is { $by } behind that of this machine.
object-store-clock-advice = Synchronize both with NTP ('timedatectl set-ntp true'). Requests are refused from a difference of 15 minutes on.
