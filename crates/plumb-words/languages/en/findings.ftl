### What findings say: of each rule, under its name, the claim, the advice and what the evidence is.

## How a finding is shown

label-nothing-found = Nothing stands out: no rule found anything to report.
label-nothing-would-spoil = No problem was found that would spoil a measurement here, as far as the facts above are known.
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
finding-effect = { $low } to { $high } times today's figure
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

## antivirus_scans_files

antivirus-scans-files = Microsoft Defender scans files as they are opened and written: its time is measured with that of the storage.
antivirus-scans-files-advice = Exclude the folder of the test files from the scan (as administrator: Add-MpPreference -ExclusionPath FOLDER), measure again and compare; remove the exclusion afterwards (Remove-MpPreference).

## array_not_clean

array-not-clean = The RAID array under the target is not clean ({ $state }): these are not the figures of a healthy array.
array-not-clean-advice = Wait until the array is rebuilt, or replace the failed member, and measure again; 'cat /proc/mdstat' shows the progress.

## buffers_below_the_path

buffers-below-the-path = The bandwidth-delay product of the path to the server is { $path }, but TCP's window grows only to about { $window }: one connection receives at most { $rate }.
buffers-below-the-path-advice = Raise the third number of net.ipv4.tcp_rmem (and of tcp_wmem on the other end) to more than twice that, enable window scaling, or use several connections.

## client_is_server

client-is-server = Client and server are the same machine: no network is measured, and both share its cores, caches and memory.
client-is-server-advice = Take the figures as the cost of the protocol and its software; for those of a network, run plumb on another machine.

## clocks_differ

clocks-differ-ahead = { $count ->
    [one] The clock of { $host } is { $time } ahead of that of rank 0's host.
   *[other] The clocks of { $count } hosts differ from that of rank 0's host; that of { $host } most, which is { $time } ahead.
}
clocks-differ-behind = { $count ->
    [one] The clock of { $host } is { $time } behind that of rank 0's host.
   *[other] The clocks of { $count } hosts differ from that of rank 0's host; that of { $host } most, which is { $time } behind.
}
clocks-differ-advice = No figure of this run rests on the time of day. Set the clocks (chrony, NTP) before the logs of these hosts are laid beside each other.
clock-is-ahead = { $time } ahead
clock-is-behind = { $time } behind
source-messages-of-ranks = messages between the ranks

## compressible_content_on_compressing_file_system

compressible-content-on-compressing-file-system = The file system compresses writes and the test data is compressible: less reaches the device than was written.
compressible-content-on-compressing-file-system-deduplicates = The file system deduplicates writes and the test data has duplicates: less reaches the device than was written.
compressible-content-on-compressing-file-system-advice = Write incompressible, unique content, as plumb does by default.
compressible-content-on-compressing-file-system-before = The file system compresses writes: figures depend on the test data.
compressible-content-on-compressing-file-system-deduplicates-before = The file system deduplicates writes: figures depend on the test data.
compressible-content-on-compressing-file-system-advice-before = Keep the content incompressible and unique, as it is by default, or give the shares of your own content with compress-percent and dedupe-percent.
compressible-content-on-compressing-file-system-content = content
compressible-content-on-compressing-file-system-settings = content { $content }, compress { $compress }, dedupe { $dedupe }

## connection_was_lost

connection-was-lost = { $gaps ->
    [one] The connection to the server was lost once, first { $first } after the start, for { $longest } at the longest; { $figures }.
   *[other] The connection to the server was lost { $gaps } times, counted for each worker, first { $first } after the start, for { $longest } at the longest; { $figures }.
}
connection-was-lost-and-not-restored = { $gaps ->
    [one] The connection to the server was lost once, first { $first } after the start, and not restored; { $figures }.
   *[other] The connection to the server was lost { $gaps } times, counted for each worker, first { $first } after the start, and not restored; { $figures }.
}
connection-was-lost-advice = Check the server's log and the link at that time; for figures without the gap, run again, or read the intervals before it.
connection-was-lost-operations-waited = means and percentiles hold that time too
connection-was-lost-operations-failed = operations that came meanwhile failed, so that the rate holds that time and the response times do not
connection-was-lost-operations-waited-or-failed = the rates hold that time too, the response times only where operations waited for the connection
connection-was-lost-step-ended = a test of iperf3 cannot be resumed, so that its step ended there, and its figures are those until then
connection-was-lost-both = { $held }; { $ended }
connection-was-lost-worker = worker { $worker } of job { $job }
connection-was-lost-for = { $start } after the start, for { $length }: { $text }
connection-was-lost-for-good = { $start } after the start, not restored: { $text }

## credits_limit_the_depth

credits-limit-the-depth = The server grants too few credits for the requested depth in { $steps }: operations spent up to { $most } of their time waiting for credits in the client.
credits-limit-the-depth-advice = Raise the server's limit (Samba: smb2 max credits; Windows Server: Set-SmbServerConfiguration -Smb2CreditsMax), use several workers, each of which has a connection with credits of its own, or lower depth and block size: a request takes one credit for each 64 KiB.
credits-limit-the-depth-operations = { $waits }, which took { $part } of the time of all operations
credits-limit-the-depth-waits = operations of '{ $step }' that waited for credits

## depth_below_the_path

depth-below-the-path = Too little is in flight in { $steps } for the delay to the server: the bandwidth-delay product of the path is { $path }, in flight were as few as { $flight }, and with that no more than { $rate } can arrive.
depth-below-the-path-advice = Raise the queue depth (or workers, or the block size): { $depth } requests of { $block } fill the path. What server and disks can do shows only then.
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
    [one] 1 operation failed in { $steps }; it is in no rate and no latency.
   *[other] { $errors } operations failed in { $steps }; they are in no rate and no latency.
}
errors-occurred-on-rank = { $errors ->
    [one] 1 operation failed in { $steps }, on rank { $rank } on { $host }; it is in no rate and no latency.
   *[other] { $errors } operations failed in { $steps }, all on rank { $rank } on { $host }; they are in no rate and no latency.
}
errors-occurred-in-warm-up = { $errors ->
    [one] 1 operation failed in the warm-up of { $steps }; it is in no figure.
   *[other] { $errors } operations failed in the warm-up of { $steps }; they are in no figure.
}
errors-occurred-stop-using-it = Stop using this storage for data that matters until the cause is found.
errors-occurred-in-flight = They were in flight when the connection was lost: check the server's log and the link at that time.
errors-occurred-without-connection = Those with ENOTCONN came while there was no connection: check the server's log and the link at the time it was lost.
errors-occurred-in-flight-and-without-connection = Those with ENOTCONN came while there was no connection, those in flight when it was lost have the other errors: check the server's log and the link at that time.
errors-occurred-full = ENOSPC: the file system or share is full, EDQUOT: a quota is used up; free space there, or use a smaller size.
errors-occurred-not-permitted = EACCES, EPERM and EROFS are permission errors: check that this user has access, and whether it is mounted or shared read-only.
errors-occurred-files-gone = ENOENT and ESTALE: files were deleted during the test by something else; find it, or measure in a folder of your own.
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

## generator_was_the_limit

generator-was-the-limit = The CPU of the load generator was the bottleneck in { $steps }: the storage may be faster than shown.
generator-was-the-limit-advice = Use more workers, each on a CPU of its own; for buffered I/O the copy to and from the page cache is part of the cost.
generator-was-the-limit-of-share = The CPU of the load generator was the bottleneck in { $steps }: the share may be faster than shown.
generator-was-the-limit-of-share-advice = Use more workers, each on a CPU of its own; the protocol, its signing and its encryption are part of the cost.
generator-was-the-limit-of-network = The CPU of the load generator was the bottleneck in { $steps }: the network may be faster than shown.
generator-was-the-limit-of-network-advice = Use more workers, each on a CPU of its own; the copies to and from the system's buffers are part of the cost.
generator-was-the-limit-all-threads = all threads of '{ $step }'
generator-was-the-limit-of-cpus = { $cpus ->
    [one] { $used } of { $all } that 1 CPU has
   *[other] { $used } of { $all } that { $cpus } CPUs have
}
generator-was-the-limit-ceiling = null-engine ceiling of '{ $step }'
generator-was-the-limit-rates = { $rate } of { $ceiling } operations/s
generator-was-the-limit-worker = busiest worker of '{ $step }'
generator-was-the-limit-of-one-cpu = { $used } of one CPU

## governor_not_performance

governor-not-performance = The CPU frequency governor is '{ $governor }': latencies at low depth may be longer and vary more than those of the storage itself.
governor-not-performance-advice = For the measurement: 'cpupower frequency-set -g performance' (as root), and back afterwards.

## hosts_are_busy

hosts-are-busy = In '{ $step }' the CPUs of { $hosts ->
    [one] one host
   *[other] { $hosts } hosts
} were busy ({ $host }: { $cpu }): what was measured is what the hosts can ask for, not what the storage can give.
hosts-are-busy-advice = Use more hosts, or larger blocks and fewer workers on each; and look what else runs there (top).
host-cpus-used = { $cpu } of all its CPUs; the load generator used { $own } CPUs
host-cpus-used-by-all = { $cpu } of all its CPUs
source-counters-of-host = counters of the host over the measured time

## hosts_scale

hosts-get-no-more = In '{ $group }', { $hosts } hosts get no more together than { $before } ({ $growth }): what they share is the limit.
hosts-get-no-more-advice = Look at the server while { $hosts } hosts ask: its CPU cores, its network link and its disks. More hosts will only wait longer.
hosts-limit-themselves = In '{ $group }', each of { $hosts } hosts gets { $efficiency } of what one gets alone: the hosts are the limit, not the storage.
hosts-limit-themselves-advice = The storage has more to give than { $hosts } hosts asked for: add hosts, or raise workers and depth, until growth ends.
step-on-hosts = hosts: { $hosts }
hosts-get-together = { $iops }/s together; { $efficiency } of growth in proportion
source-sums-of-ranks = sums of all ranks over the time in which all ran

## interface_has_errors

interface-has-errors-in-run = The interface to the server had packets with errors, or dropped some, while the run went on.
interface-has-errors-since-boot = The interface to the server had packets with errors, or dropped some, since boot.
interface-has-errors-advice = Check 'ethtool -S INTERFACE' for the kind: checksum errors point to cable and connectors, missed packets to rings ('ethtool -g') and interrupts.
interface-has-errors-count = { $count } on { $interface }

## latency_limit_missed

latency-limit-missed = The response time limit was missed in { $steps }.
latency-limit-missed-advice = Use a lower depth or rate (a sweep of depth or rate finds what the limit allows), or a lower percentile (latency-limit-percentile).
latency-limit-missed-operations = operations of '{ $step }' within { $limit }
latency-limit-missed-share = { $within } % of the required { $asked } %

## link_is_slow

link-is-slow = The link of { $interface } runs at { $speed }: at most about { $payload } can pass in one direction, however fast the storage behind it is.
link-is-slow-advice = Compare throughput with that of the link, not of a disk; check that the link runs at the speed that cable, switch and adapter support.
link-is-slow-half-duplex = The link of { $interface } runs in half duplex: only one side sends at a time, and collisions cost throughput.
link-is-slow-half-duplex-advice = Let both ends negotiate ('ethtool -s INTERFACE autoneg on'), or set full duplex on both; look at cable and switch port.
link-is-slow-interface = the interface

## logged_in_as_guest

logged-in-as-guest = The server does not know the user and has let it in as a guest: nothing is signed or encrypted, and rights and limits are those of the guest.
logged-in-as-guest-advice = Name a user whom the server knows, or check how it maps unknown users (Samba: map to guest).

## low_free_space

low-free-space = Only { $free } ({ $share }) of the file system is free: writes may be slower than on an emptier one.
low-free-space-advice = Free at least a tenth of the file system and run 'fstrim' on it before measuring writes.

## machine_swapped

machine-swapped = The machine swapped while it was measured: { $swapped } went to and from swap.
machine-swapped-advice = Free memory, or ask for smaller buffers and files, and measure again; the columns si and so of 'vmstat 1' show swapping as it happens.

## machine_was_busy

machine-was-busy = The machine was busy before the start: other processes took { $busy } of all CPUs.
machine-was-busy-advice = Stop the other processes ('top' shows them), or measure when the machine is idle.

## memory_file_system

memory-file-system = The target is in memory: the figures are those of the kernel and of memory, not of storage.
memory-file-system-advice = Use a directory on the storage to be measured as the target.

## mtu_is_small_for_the_link

mtu-is-small-for-the-link = Packets are at most { $mtu } bytes on a link of { $speed }: at full speed that is { $packets } packets a second in each direction.
mtu-is-small-for-the-link-advice = Where every port on the way takes it, set an MTU of 9000 on both ends ('ip link set dev INTERFACE mtu 9000'), check it with 'ping -M do -s 8972 SERVER', and measure both.

## network_file_system

network-file-system = The target is a { $kind } mount: client, network and server are measured together, and the server's cache is part of it.
network-file-system-of-any-kind = The target is a network mount: client, network and server are measured together, and the server's cache is part of it.
network-file-system-advice = Use a working set larger than the server's memory to reach its disks, and measure on the server itself for comparison.

## never_became_steady

never-became-steady = After { $rounds } rounds { $steps } had not reached steady state.
never-became-steady-at-once = The tracked figures were not steady at the same time in any window of { $rounds } rounds.
never-became-steady-advice = Run more rounds, or precondition longer; a figure that never settles has no single value.
never-became-steady-round-figures = range { $data }, linear fit { $slope }
never-became-steady-step = { $steps } ended before reaching steady state.
never-became-steady-step-advice = Give it more time, or precondition first; a figure that never settles has no single value.
never-became-steady-window = last window of '{ $step }'
never-became-steady-window-figures = largest deviation { $departure }, slope { $slope } per interval; requested: { $asked }

## nfs_single_connection

nfs-single-connection = One TCP connection carries the NFS mount over a link of { $speed }.
nfs-single-connection-advice = Unmount every mount of that server, mount with '-o nconnect=8' (Linux 5.3 or newer), and compare; the first mount of a server decides for all others.

## not_steady

not-steady = Throughput changed during { $steps }: the mean is not a steady-state value.
not-steady-fell = Throughput fell during { $steps }: the mean is not a steady-state value.
not-steady-rose = Throughput rose during { $steps }: the mean is not a steady-state value.
not-steady-advice = Run longer, after a warm-up, until the last part equals the first; a write cache or a burst credit shows as one drop.
not-steady-figures = { $slope } by the linear fit (limit 10 %), { $change } from the first third to the last, p = { $p }

## nothing_completed

nothing-completed = Nothing completed in { $steps } for { $length }, about { $start } after the start, while operations were in flight: rates and means hold that time.
nothing-completed-several-times = Nothing completed { $pauses } times in { $steps } for { $length } at the longest, about { $start } after the start, while operations were in flight: rates and means hold that time.
nothing-completed-advice = Check the kernel's log (dmesg) for timeouts and resets at that time, the device's firmware and power saving, and whether the whole machine stalled; for figures without the stall, run again.
nothing-completed-of-server-advice = Check the server at that time (its log, storage and load) and the link (packet loss, a switch that restarted), and whether this machine itself stalled; for figures without the stall, run again.
nothing-completed-pause = pause of '{ $step }'{ $job }{ $round }
nothing-completed-job = , job '{ $job }'
nothing-completed-round = , round { $round }
nothing-completed-length = { $length }, about { $start } after the start
nothing-completed-length-beyond-end = { $length }, about { $start } after the start, beyond the end of the step
nothing-completed-rate-without-pauses = rate of '{ $step }' without the intervals of the pauses
nothing-completed-rates = { $without }/s; { $with }/s with them

## one_host_is_slower

one-host-is-slower = { $host } gets { $share } of what the other hosts get in '{ $step }'.
one-host-is-slower-advice = Look at the path of { $host } (link speed, errors, switch port, route), its mount options and its CPUs, and at whether the server serves it last; then run the plan on it alone.
step-on-host = '{ $step }' on { $host }
host-gets-share = { $share } of the median of the other hosts, for each rank; { $cpu } of one CPU used
host-gets-share-of-others = { $share } of the median of the other hosts, for each rank
source-ends-of-ranks = what each rank reported at the end of the step

## one_path_loses_segments

one-path-loses-segments = { $host } sends { $part } of its TCP segments again in '{ $step }', the other hosts { $others } at most: the loss is on its own path.
one-path-loses-segments-advice = On { $host }, look at 'ip -s link' and 'ethtool -S INTERFACE' for errors and drops, at duplex and speed, and at the switch port and the cable; then run the plan on it alone.
host-sent-again = { $again } of { $sent } segments sent again; the other hosts { $others } at most

## one_queue_takes_all

one-queue-takes-all = The adapter has one receive queue for a link of { $speed }: one CPU handles all packets.
one-queue-takes-all-advice = Configure more queues ('ethtool -L INTERFACE combined N'; for a virtual machine in its definition), or enable receive packet steering (rps_cpus).
one-queue-takes-all-by-scaling = Receive-side scaling uses one of { $queues } queues: one CPU handles all packets of a link of { $speed }.
one-queue-takes-all-by-scaling-advice = Reset the indirection table: 'ethtool -X INTERFACE equal N', with N the number of queues.
one-queue-takes-all-by-interrupts = Nearly all interrupts of the adapter's { $queues } queues went to one CPU since boot.
one-queue-takes-all-by-interrupts-advice = Distribute them: start irqbalance, or set /proc/irq/N/smp_affinity_list of each queue to a CPU of the adapter's NUMA node.

## operations_were_split

operations-were-split = The blocks of { $steps } are larger than the server takes in one request: each went as several requests.
operations-were-split-advice = Choose blocks of that size or smaller to measure single requests, or raise the limit of the server (Samba: smb2 max read, smb2 max write; NFS: the size of READ and WRITE that the server offers).
operations-were-split-counted = operations of '{ $step }' that were split
operations-were-split-in = blocks of '{ $step }'
operations-were-split-requests = { $block } each, at most { $most } in one request: { $requests } requests

## other_io_on_device

other-io-on-device = Other processes used the device during the test: part of its time was not available to plumb.
other-io-on-device-advice = Find the other process ('iotop -o', or 'pidstat -d 1'), stop it, and measure again.
other-io-on-device-during = bytes of other processes on { $device } during '{ $step }'
other-io-on-device-share = { $others } of { $all } ({ $rate })

## power_plan_saves_power

power-plan-saves-power = The power plan of Windows is '{ $plan }': latencies at low depth may be longer and vary more than those of the storage itself.
power-plan-saves-power-advice = For the measurement: powercfg /setactive SCHEME_MIN (as administrator; it is High performance), and back afterwards (SCHEME_BALANCED).

## rank_was_lost

rank-was-lost = { $count ->
    [one] Rank { $rank } on { $host } was lost. The figures are of the time in which all { $ranks } ranks ran.
   *[other] { $count } of { $ranks } ranks were lost, rank { $rank } on { $host } first. The figures are of the time in which all ranks ran.
}
rank-was-lost-advice = Look at the host (was the process killed? is the link down?). What the rank had measured is in its own record, on its host or in ranks/ of the run folder. Run again for figures of all ranks.
rank-on-host = rank { $rank } on { $host }
rank-was-lost-then = lost { $time } after the start: { $why }

## ranks_get_unequal_shares

ranks-get-unequal-shares = Ranks get unequal shares: in '{ $step }', rank { $rank } on { $host } gets { $share } of what the best one gets.
ranks-get-unequal-shares-advice = Look whether the server, a lock on the shared file or a network queue serves some clients first; the figures of each rank tell what one client sees, the sum does not.
step-named = '{ $step }'
ranks-least-and-most = Jain's fairness index { $index }; rank { $least } gets { $low }/s, rank { $most } { $high }/s

## rate_not_achieved

rate-not-achieved = The requested rate was not achieved in { $steps }: { $reason }{ $unsubmitted }.
rate-not-achieved-unsubmitted = { $operations ->
    [one] ; 1 operation was due and never submitted: it counts with the time it had waited
   *[other] ; { $operations } operations were due and never submitted: they count with the time they had waited, so that percentiles are lower bounds
}
rate-not-achieved-by-pause = nothing completed for { $length } at the longest
rate-not-achieved-by-pause-advice = Find out what stalled (the target, the network, or this machine), and run again; a lower rate would not have been sustained either.
rate-not-achieved-by-errors = { $errors ->
    [one] 1 operation failed
   *[other] { $errors } operations failed
}
rate-not-achieved-by-errors-advice = Find the cause of the failures first: failed operations are in no rate.
rate-not-achieved-by-overload = the target sustains less, and response times grow with the length of the run
rate-not-achieved-by-overload-advice = Lower the rate (of a replay: replay-speed-percent) below what the target sustains, or allow more in flight (more depth, more workers) if the generator waited.
rate-not-achieved-rates = { $rate } of { $asked } operations/s, { $waiting } still waiting at the end
rate-not-achieved-rates-late = { $rate } of { $asked } operations/s, { $waiting } still waiting at the end, 99 % submitted within { $lateness }

## rdma_available_but_not_used

rdma-available-but-not-used = The share goes over TCP, though { $device } on the way to the server can do RDMA.
rdma-available-but-not-used-offered = The share goes over TCP, though { $device } and the server both can do RDMA.
rdma-available-but-not-used-by-plumb = plumb speaks to the share over TCP; { $device } on the way to the server can do RDMA, which a client that uses it would take.
rdma-available-but-not-used-adapter = the adapter
rdma-available-but-not-used-advice = Measure the fabric itself ('plumb run rdma rdma://SERVER', with 'plumb serve-net --listen any --rdma' there), and a mount with RDMA beside this.
rdma-available-but-not-used-smb-advice = Mount with '-o rdma' where kernel and server have SMB Direct, and compare; 'plumb run rdma rdma://SERVER' tells what the fabric gives.
rdma-available-but-not-used-nfs-advice = Mount with '-o proto=rdma,port=20049' where the server has NFS over RDMA, and compare; unmount every other mount of that server first.

## reads_from_cache_below

reads-from-cache-below = Reads of { $steps } that should come from the storage did not: the device moved far fewer bytes than were read. The figures are those of a cache below the file, or of blocks that were never written.
reads-from-cache-below-advice = Measure with content that does not compress, in files that were written, larger than the memory, or on the device below.
reads-from-cache-below-loop-device = Reads of { $steps } that should come from the storage did not: the device moved far fewer bytes than were read. The figures are those of the page cache under the loop device, which reads its file through it.
reads-from-cache-below-loop-device-advice = Set the loop device up with direct I/O ('losetup --direct-io=on'), or measure in the file system that holds its file.
reads-from-cache-below-file-in-memory = The backing file of the loop device is in memory: the figures are those of memory, not of storage.
reads-from-cache-below-file-in-memory-advice = Measure on a device, or on a loop device over a file that lies on one.
reads-from-cache-below-during = bytes read during '{ $step }'
reads-from-cache-below-bytes = { $moved } by { $device }, { $read } by the step

## reads_never_written_blocks

reads-never-written-blocks = { $unwritten } of the file was never written: reads of it are answered without accessing the storage.
reads-never-written-blocks-advice = Read a file that was written in full: use a directory as the target (plumb then writes its own file), or fill this one first.

## reads_were_discarded

reads-were-discarded = The data that { $steps } read was discarded in the kernel (skip-rx-copy), as iperf3 --skip-rx-copy does: the figures are of server and network, without the client's copy.
reads-were-discarded-advice = Compare with runs that did so too. An application has to copy what it reads: leave skip-rx-copy out to measure what it gets.
reads-were-discarded-in = engine options of '{ $step }'

## recycle_bin_keeps_files

recycle-bin-keeps-files = The share has a recycle bin ({ $name }): what is deleted there is kept in it.
recycle-bin-takes-deletes = The share has a recycle bin ({ $name }): each delete that was measured moved the file there, and did not free its blocks.
recycle-bin-keeps-files-advice = Turn the recycle bin of the share off to measure deletes, and empty it afterwards. The files that plumb makes for itself are emptied before they are deleted, and take no room there.

## retransmits_in_the_run

retransmits-in-the-run = Part of what was sent over the network during the run was lost and had to be sent again.
retransmits-in-the-run-advice = Find where packets are lost: errors of the interfaces on both ends, a switch port with full buffers, mismatched MTUs; then measure again.
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

segments-arrived-out-of-order = Part of what the network delivered during the run was lost or reordered on the way: segments arrived before those they follow.
segments-arrived-out-of-order-advice = Find where the way to this host loses or reorders packets: the interfaces of both ends, a switch port with full buffers, bonding or multipath that spreads one connection; then measure again.
segments-arrived-out-of-order-part = { $early } out of order, { $received } received

## sent_and_not_arrived

sent-and-not-arrived = Part of the data counted as sent in { $steps } had not arrived when the step ended: the rate may be up to { $most } too high.
sent-and-not-arrived-advice = Start measuring when the buffers are full, after a warm-up of 1 s or longer, or measure for longer: then as much arrives as is sent.
sent-and-not-arrived-at-end = not acknowledged at the end of '{ $step }'
sent-and-not-arrived-bytes = { $under-way } of { $sent }, { $share }

## share_is_old_dialect

share-is-old-dialect = The share uses { $dialect }: { $why }.
share-is-old-dialect-smb-1 = it is slow and insecure, and both servers and clients have dropped it
share-is-old-dialect-smb-2 = it supports neither multichannel nor encryption
share-is-old-dialect-smb-3-0 = it signs with AES-CMAC and encrypts with AES-CCM, which cost several times the CPU of the ciphers of SMB 3.1.1
share-is-old-dialect-nfs-2 = its requests hold 8 KiB at most
share-is-old-dialect-nfs-4-0 = it has no sessions: trunking, and limits that client and server agree on, begin with 4.1
share-is-old-dialect-advice = Let client and server negotiate the newest version that both support (no vers= on the mount, dialect auto in plumb), and compare.
share-is-old-dialect-agreed = dialect

## share_without_multichannel

share-without-multichannel = The share uses one connection, though the server offers an interface with receive-side scaling.
share-without-multichannel-of-interfaces = The share uses one connection, though the server offers several interfaces of one speed.
share-without-multichannel-advice = Mount it with '-o multichannel,max_channels=4' (SMB 3.1.1; the share must be unmounted everywhere first), and compare.
share-without-multichannel-asked-advice = The mount requests more channels and did not get them: check the kernel's log for the reason (dmesg), and whether the server's other addresses can be reached from here.

## signing_or_encryption_costs

signing-or-encryption-costs-signed = Messages of the share are signed: each byte costs CPU time on both ends, on top of the share itself.
signing-or-encryption-costs-encrypted = Messages of the share are encrypted: each byte costs CPU time on both ends, on top of the share itself.
signing-or-encryption-costs-in-trial = One core of this machine did { $rate } of it in a short trial.
signing-or-encryption-costs-advice = That is right where the network is not trusted. To see what it costs, measure the same share without it, where the server does not require it (NFS: an export with sec=krb5 or sys).
signing-or-encryption-costs-signing = signing
signing-or-encryption-costs-encryption = encryption

## slow_clock_source

slow-clock-source = The kernel's clock source is '{ $source }': reading the clock is slow, which lowers the rate that one CPU can generate.
slow-clock-source-advice = Find out from the kernel's log why the TSC was marked unstable ('dmesg | grep -i tsc'); a firmware update or 'tsc=reliable' may restore it.

## small_rsize_or_wsize

small-rsize-or-wsize = The mount splits blocks into requests of at most { $size }.
small-rsize-or-wsize-advice = Mount without rsize and wsize, so that client and server negotiate the largest size that both support; where the server sets the limit, raise it there.

## socket_was_polled

socket-was-polled = Workers of { $steps } polled the socket for replies (busy-poll): no wake-up of a sleeping thread is in the response times, and each worker keeps a CPU fully busy.
socket-was-polled-advice = Compare with runs that polled too. Most applications sleep until the reply comes: busy-poll = false measures what they see.
socket-was-polled-by-more-than-cpus = { $workers } workers of { $steps } poll the socket for replies (busy-poll), and there are fewer CPUs: the workers take turns on them, and replies wait meanwhile.
socket-was-polled-by-more-than-cpus-advice = Use fewer workers than CPUs, so that the kernel, and a server on this machine, have one too; or leave busy-poll out.
socket-was-polled-before-sleeping = Workers of { $steps } polled the socket for up to 100 us before they slept (busy-poll = auto): replies that came within that time did not have to wake a sleeping thread, and the CPU figures include the polling.
socket-was-polled-before-sleeping-advice = Most applications sleep until the reply comes: busy-poll = false measures what they see, and what the client costs without polling.
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
throttled-advice = Lift the limit for the measurement (control group, power, temperature), or run past the end of the burst and take the level after it as the sustained one.
throttled-by-quota = the control group's CPU quota, over the run
throttled-by-hypervisor = CPU time that the hypervisor gave to other guests (steal), over the run
throttled-by-heat = thermal throttling of the CPU, over the run
throttled-share-of-cpus = { $share } of all CPUs
throttled-burst = { $before } IOPS for { $time }, then { $after } IOPS and flat

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
verification-failed-copies-advice = Check what is missing or different from the source, and the program's command line; a known good program beside it ('plumb copy-test rsync ...') shows whether it is the program or the storage.
verification-failed-copies-that-differ = copies that differ

## virtual_machine

virtual-machine = This is a virtual machine or container ({ $kind }): the host may cache, limit and share the storage.
virtual-machine-advice = Repeat the measurement at another time of day before drawing conclusions, and check the provider's limits for this instance size.

## workers_read_the_same

workers-read-the-same = { $workers } workers go over the same blocks in step: what one has read, the others may find in a cache.
workers-read-the-same-advice = Give each a part of its own: offset_increment in a job of fio, same-start = false or layout = own in a plan.

## working_set_fits_in_ram

working-set-fits-in-ram = { $number ->
    [one] The page cache can hold all that { $steps } uses: the figures are those of memory, not of the storage.
   *[other] The page cache can hold all that { $steps } use: the figures are those of memory, not of the storage.
}
working-set-fits-in-ram-advice = Bypass the page cache with direct I/O, or use a test file of at least twice the RAM.
working-set-fits-in-ram-size = size in use of '{ $step }'
working-set-fits-in-ram-moved = moved by the device during '{ $step }'
working-set-fits-in-ram-share = { $share } of the bytes asked for

## write_back_failed

write-back-failed = Writes of { $steps } were acknowledged and could not be written back to the storage: data is lost, and the figures of these writes are not those of the storage.
write-back-failed-advice = Check the kernel's log (dmesg) and the device below, a thinly provisioned volume or the server, before trusting this storage with data.
write-back-failed-full = ENOSPC: the storage below is full although the file system had allocated the space (thin provisioning): free space there.
write-back-failed-call = { $call } of { $path }
write-back-failed-error = { $error } after '{ $step }'

## write_cache_volatile

write-cache-volatile = The device has a volatile write cache: writes without fsync complete before they are durable.
write-cache-volatile-advice = For the speed of durable writes, measure with each write synced (the key sync = dsync); on a cache with power-loss protection this makes no difference.
