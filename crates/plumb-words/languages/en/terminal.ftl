### The summary in the terminal, and the live view.

terminal-plan = plan { $plan }
label-support-no-statement = The measurements allow no clear statement.
label-ops-per-s = ops/s
label-depth = depth
label-max = max
label-cpu = CPU
terminal-and-more = { $step } and { $count } more
terminal-step-ended = { $step }: { $reason }
detail-intervals = { $low } to { $high } in intervals of { $length }
detail-submission = submission { $submission } + completion { $completion } on average
detail-depth = in flight: { $levels }
detail-switches = { $count } context switches ({ $preempted } of them preemptions)
detail-device = { $device } { $busy } busy
terminal-not-in-force = not in effect: { $reason }
detail-paths = bytes by path: { $paths }
terminal-more-in-the-report = { $count ->
    [one] one more is in the report
   *[other] { $count } more are in the report
}
terminal-plan-size = { $steps ->
    [one] one step
   *[other] { $steps } steps
}, { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
}, order { $order }
terminal-left-out = { $count ->
    [one] 1 swept step is left out: the block is larger than the size
   *[other] { $count } swept steps are left out: the block is larger than the size
}
terminal-verdict-more = { $count ->
    [one] 1 more sentence: plumb show
   *[other] { $count } more sentences: plumb show
}
label-settings-of-all-steps = all steps
label-note = note:

## The live view

live-step-of = step { $step } of { $steps }
live-round-of = round { $round } of { $rounds }
live-left = { $time } left
live-left-at-most = at most { $time } left
live-so-far = { $time } so far
label-live-read = read
label-live-write = write
label-live-operations = operations
label-live-cores = cores
label-live-skipped = skipped
label-live-closing = difference to side A with its interval, which narrows with each block
label-live-key-stop = stop
label-live-key-skip = skip step
label-live-key-pause = pause
label-live-key-go-on = continue
label-live-key-help = help
live-queue = queue depth { $depth }, in flight { $in-flight }
live-beside = alongside: { $job }
live-paused = paused: no load runs; p continues
live-pause-asked = pauses when this step has ended; p cancels
live-help-stop = q, Ctrl-C: stops the run; the results until then are kept, and the exit code is 130
live-help-skip = s: ends this step and continues with the next; the record notes it, and the step's figures do not count
live-help-pause = p: pauses before the next step, never within one; the record notes for how long; p again continues
live-help-suspend = Ctrl-Z: suspends plumb and its load at once; fg continues, and the figures include the pause
live-help-marks = ✓ done, ▶ running, · to come, ✗ with errors; queue depth: as requested, in flight: rate times mean service time
by-skip = the key s
run-was-paused = the run was paused between two steps for { $time }: the target was idle meanwhile, and no measured time includes it
label-live-throughput = throughput
label-live-latency-50 = latency p50
live-moved = read { $read }  written { $written }
live-errors = errors { $count }
live-hosts-between = slowest host { $slowest } { $least }, fastest { $fastest } { $most }
live-hosts = { $hosts } hosts, { $ranks ->
    [one] 1 rank
   *[other] { $ranks } ranks
}
label-live-host-behind = less than half of the others
live-host-silent = no message for { $seconds } s
live-before = before: { $figures }
live-warning = warning: { $text }
live-finished = { $step }: { $figures }
live-finished-round = { $step }, round { $round } of { $rounds }: { $figures }
live-failed = failed: { $error }
label-nothing-completed = nothing completed
live-error-count = { $count ->
    [one] 1 error
   *[other] { $count } errors
}
live-step-and-phase = { $step } ({ $phase })

## Facts

label-yes = yes
label-no = no
fact-number-of-bytes = { $count } bytes
fact-each-second = { $value }/s
fact-gigahertz = { $gigahertz } GHz
fact-seconds = { $seconds } s
origin-imported = measured by { $program }, imported from { $file }
origin-imported-version = measured by { $program } { $version }, imported from { $file }
before-the-rounds = before the rounds, once: { $steps }
rounds-end-when-steady = rounds end when the { $figure } of { $steps } is steady over { $window } rounds: range at most { $spread } % of the average, linear fit at most { $slope } %
rounds-end-when-steady-or-written = { $steady }; or when the range in use has been written { $times } times
two-sentences = { $first }; { $second }
label-group-target = Target
label-group-file-system = File system
label-group-device = Device
label-group-whole-disk = Disk
label-group-array = Array
label-group-share = Share
label-group-smb-server = SMB server
label-group-nfs-server = NFS server
label-group-object-store = Object store
label-group-network = Network
label-group-rdma = RDMA
label-group-machine = Machine
label-group-processor = Processor
label-group-memory-nodes = NUMA nodes
label-group-memory = Memory
label-group-clock = Clock
label-group-io-uring = io_uring
label-group-limits = Limits
label-group-control-group = Control group
label-group-counter-sets = Windows counter sets
label-group-activity = Activity before the start

## Phases

phase-preparing = preparing
phase-between-steps = between steps
phase-warm-up = warm-up
phase-measuring = measuring
phase-writing = preparing, before the load: writing { $path }, { $done } of { $total }{ $pace }
phase-syncing = preparing, before the load: flushing { $path } to the device, { $done } of { $total }{ $pace }
phase-making-files = preparing, before the load: creating files in { $path }, { $done } of { $total }{ $pace }
live-load = { $engine }, { $block }, depth { $depth } x { $workers }{ $rate }{ $cache }
live-load-rate = , { $rate }/s { $arrivals }
live-load-direct = , direct
live-load-buffered = , buffered
search-between = sustained up to { $kept }/s, missed from { $missed }/s up
search-kept = sustained up to { $kept }/s so far
search-missed = missed at { $missed }/s and above
steady-after-round = after round { $round }: steady (range { $spread } %, limit { $spread-limit } %; linear fit { $slope } %, limit { $slope-limit } %)
not-steady-after-round = after round { $round }: not steady (range { $spread } %, limit { $spread-limit } %; linear fit { $slope } %, limit { $slope-limit } %)
judged-from-rounds-on = after round { $round }: judged once { $rounds } rounds are complete
stands-after-blocks = after { $blocks ->
    [one] one block
   *[other] { $blocks } blocks
}: { $counts }
stands-with-nothing = after { $blocks ->
    [one] one block
   *[other] { $blocks } blocks
}: nothing to compare yet
stands-worse = { $count } worse
stands-better = { $count } better
stands-same = { $count } the same
stands-undecided = { $count } undecided
stands-between-counts = { $first }, { $rest }
blocks-done = { $count ->
    [one] one block done
   *[other] { $count } blocks done
}

## A list of runs

list-runs = { $runs ->
    [one] 1 run
   *[other] { $runs } runs
}
list-runs-of = { $shown } of { $found } runs
list-not-read = not read: { $why }
list-more-not-read = not read: { $folders } more
label-list-newest-first = newest first
label-list-started = started
label-list-plan = plan
label-list-target = target
label-list-iops = most IOPS
label-list-bandwidth = most bandwidth
label-list-median = lowest median
label-list-host = host
label-list-kernel = kernel
label-list-tags = tags
label-list-state = state
label-list-folder = folder

## Many ranks

ranks-on-hosts = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
} on { $hosts ->
    [one] { $hosts } host
   *[other] { $hosts } hosts
}, connected by { $carrier }
ranks-more-on-page = and { $count } more lines on the page
