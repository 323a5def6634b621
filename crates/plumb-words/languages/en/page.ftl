### The report page: headings, notes, and what stands around the figures.

label-sections = Sections
label-verdict = Verdict
label-findings = Findings
label-figures = Figures
label-by-two-keys = By two keys
label-scaling = Scaling
label-littles-law-at-each-step = Little's law at each step
label-scaling-note = The smallest load that reaches 95 % of the maximum; operations in flight at which the asymptotic bounds cross (unloaded service time × maximum throughput); the Universal Scalability Law by least squares, with the 95 % interval of its peak in operations in flight, bootstrapped over the rounds.
label-scaling-efficiency = Of growth in proportion to the hosts
label-all-steps-heading = All steps
label-connections = Connections
label-how-it-was-measured = How it was measured
label-the-plan = The plan
label-environment = Environment
page-title = plumb: { $plan } on { $subject }
page-footer-measured = Run { $run } · measured with plumb { $version } · every figure on this page is derived from the run folder, which holds the raw record.
page-footer-imported = Run { $run } · imported with plumb { $version } · every figure on this page is derived from the run folder, which holds the raw record.
page-plan-name = plan “{ $plan }”
page-state = This run is { $state }: the figures are those up to where it ended.
label-these-figures-as-a-table = These figures as a table
label-nothing-to-draw = Nothing was measured that could be drawn.
label-nothing-was-measured = Nothing was measured.
label-no-plain-statement = The measurements allow no clear statement; see the figures.
page-doubtful = Doubtful: { $doubt }
label-evidence = Evidence
label-theme-auto = Theme: as the system
label-theme-light = Theme: light
label-theme-dark = Theme: dark
label-theme = Colours of the page
label-scale-linear = Linear
label-scale-logarithmic = Logarithmic
label-scale = Change the scale of the upright axis
label-zoom-reset = Whole range
label-zoom = Drag across the plot to zoom in, double-click for the whole range
label-save-svg = Save the figure as SVG
label-save-png = Save the figure as PNG
label-save-csv = Save the values as CSV
label-copy = Copy
label-copied = Copied
label-not-copied = Not copied
label-copy-what = Copy the figure to the clipboard
page-more-sentences = { $count ->
    [one] One more sentence
   *[other] { $count } more sentences
 }
label-no-facts = The record holds no facts about the machine.
page-not-known = not known: { $reason }
matrix-title = { $name }, { $unit }: { $rows } down, { $columns } across

## Steps

label-no-step-ran = No step ran.
label-throughput-heading = Throughput
label-response-time-heading = Response time
label-service-time-heading = Service time, from submission to completion
label-lateness-heading = Lateness, from when operations were due to their submission
label-cpu-of-the-generator = CPU use of the load generator
label-by-kind-of-operation = By kind of operation
label-errors-heading = Errors
label-jobs-heading = Jobs that ran together
label-workers-heading = Each worker
label-spread-heading = Spread of the intervals
label-spread-note = Programs differ in the length of an interval, and short ones spread more: those of fio are of 500 ms.
label-intervals = intervals
label-interval-length = length
label-lowest = lowest
label-highest = highest
label-standard-deviation = standard deviation
label-lowest-bandwidth = lowest bandwidth
label-highest-bandwidth = highest bandwidth
label-split-heading = Submission and completion
label-split-note = Submission: until the system had accepted the operation (fio's slat). Completion: from there to its end (fio's clat). The latency is the sum of both.
label-part = Part
label-part-submission = submission
label-part-completion = completion
label-levels-heading = Operations in flight
label-levels-note = Operations by how many of the same worker were in flight once they had been submitted, flushes among them.
label-device-heading = The device meanwhile
label-device-note = By the kernel's counters over the measured time, with what others asked of the device. Busy is the share of the time with a request in flight: a device that serves requests in parallel may have room left at 100 %.
label-device = device
label-busy = busy
label-mean-queue = mean queue
label-reads-per-s = reads/s
label-writes-per-s = writes/s
label-device-read = read
label-device-written = written
label-context-switches = context switches
label-preemptions = of them preemptions
label-minor-faults = page faults
label-major-faults = page faults from storage
label-cpu-percent = CPU
label-as-the-program-states-it = As the program states it
label-each-round-by-itself = Each round
label-what-the-figures-include = What the figures include and what they do not
label-depth-note = Queue depth is requested over all workers (or the requested rate, in an open loop); achieved queue depth is the mean number of operations in flight.
label-flushes-note = Flushes are counted in no other figure of this table except errors and achieved queue depth.
label-cpu-note = Percent of one CPU: 200 % is two CPUs fully busy.
label-percentiles-note = – stands where there are too few samples to state the percentile; a percentile that no step has samples for is left out.
label-failed-operations-note = Failed operations are counted in no other figure of this page.

## Method

label-command = Command
label-started = Started
label-program = Program
label-rounds-heading = Rounds
page-rounds-in-order = { $rounds }, order { $order }
label-until-steady = Until steady
label-seed = Seed
page-several-seeds = { $count } different ones, see the plan
label-warm-up-of-each-step = Warm-up of each step
page-warm-up = { $times }, left out of all figures
label-engines-heading = Engines that ran
label-what-happened = What happened
label-all-steps = all steps
page-steps-such-as = { $count } steps, such as { $first } and { $second }
label-bypassed = bypassed
label-used = used
label-time-stamps-note = Time stamps: “batch” reads the clock once before and once after each batch, “each” twice for every operation.
page-round-of-step = { $step }, round { $round }
page-execution = execution { $number }
page-event-worker = { $subject }, worker { $worker }: { $text }
page-event-prepared = prepared { $path }: wrote { $size } in { $time }
page-event-ended = { $subject } ended by { $reason }
page-event-failed = { $subject } failed: { $error }
page-event-mismatch = { $subject }: the block of { $bytes } bytes at offset { $offset } of { $path } does not match what was written: { $explanation }
page-event-first-error = { $subject }: first { $error } of a { $kind } { $place }
page-event-write-back = { $subject }: { $call } of { $path } failed with { $error } after the writes were acknowledged: data was lost
page-event-ceiling = { $subject }: the load generator alone (null engine) reaches { $rate } here
label-event-ended-early = ended early, by a signal or out of memory
label-event-finished = finished

## Plan

label-shared-and-set = Keys set for all steps
label-shared-defaults = Defaults of all steps
label-differing-keys = Keys that differ between steps
label-origin-note = In brackets where the value came from.

## Connections

label-without-a-connection = Without a connection
label-what-was-agreed = Negotiated settings
label-time-by-command = Response time by command of the protocol
label-what-the-engines-counted = What the engines counted
label-agreed-note = As seen by the first worker in the first round.
label-bytes-by-path = Bytes by path
label-client-address = Client's address
label-server-address = Server's address
label-received = Received
label-sent = Sent
label-part-of-bytes = Part of all bytes
label-paths-note = Bytes that plumb gave to TCP and took from it, over all rounds, with login and warm-up; the headers of TCP and IP are not among them.
label-commands-note = From sending the request to the complete reply, per protocol request; one operation may need several.
label-send-queue-note = Send queue (p50): the part of it until the socket had taken the last byte of the request.
label-wake-up-note = Wake-up (p50): the part of it from when the last bytes of the reply reached this machine, by the kernel's time stamp of the packet, until the reply was taken. The rest is the network and the server.
label-counted-note = Sums over all workers and rounds; what ends in us or bytes is a mean, what ends in per s the sum over the workers and the mean over the rounds.
label-not-again = not restored
label-lost-note = Operations in flight failed with the connection.
label-lost-waits = On shares and RDMA peers later operations waited for the next connection, and their response times include the wait.
label-lost-fails = On TCP peers operations before the next connection failed too: the rate includes the time, the response times do not.
label-lost-ends = A test of iperf3 cannot be resumed: its step ended there.

## Headings of other pages

label-copy-programs = Copy programs
label-what-differs = What differs
label-all-figures = All figures
label-to-keep-in-mind = Notes
label-how-it-was-compared = How it was compared
label-what-changed = What changed
label-figures-that-did-not = Figures that did not change, or cannot be judged
label-how-it-was-looked-for = Method
label-the-runs = The runs

## Index of a library

label-library-page = Stored runs
library-title = plumb: { $count } runs in { $folders }
library-runs = { $count ->
    [one] One run
   *[other] { $count } runs
 } of { $plans ->
    [one] one plan
   *[other] { $plans } plans
 } on { $targets ->
    [one] one target
   *[other] { $targets } targets
 }
label-library-filter = Filter: words that a row must have
label-library-latest = The latest run of each plan and target
label-library-all = All runs
label-library-none = No run was found.
label-library-unreadable = Could not be read
library-footer = Written with plumb { $version }; a run's page is written by plumb report RUN.

## Hosts and ranks

label-hosts-and-ranks = Hosts and ranks
label-host = host
label-rank = rank
label-ranks = ranks
label-process = process
label-rank-iops = IOPS
label-rank-p50 = p50
label-rank-p99 = p99
label-rank-longest = longest
label-rank-cpus = CPUs
label-hosts-note = Each host, all its ranks together, by the measured time of its own ranks. Times are from submission to completion; CPUs are those that the load generator used, 1 is one CPU.
label-machines = Counters of the hosts
label-machine-cpus = CPUs
label-machine-cpu = CPU use
label-machine-busiest = busiest CPU
label-machine-interface = interface
label-machine-received = received
label-machine-sent = sent
label-machine-again = segments sent again
label-machine-device = device
label-machine-read = read
label-machine-written = written
label-machines-note = Of each whole host, all its processes together, over the measured time: the use of all its CPUs and of the busiest one, and the interface and the block device below the target that most went over. ranks/ in the run folder has all counters of each host over time.
label-ranks-note = Each rank by its own measured time.
label-each-rank = Each rank
label-begin-and-end-of-ranks = Begin and end
label-start-spread = starts apart
label-first-done = first done
label-last-done = last done
label-iops-until-last-done = IOPS until last done
label-bandwidth-until-last-done = bandwidth until last done
label-spans-note = The figures of a step are of the time in which all ranks ran. IOR and mdtest report all the work by the time until the last rank was done, which is in the last two columns: the lower of the two where some ranks end before others.
label-places-of-ranks = Places and clocks
label-clock-ahead = clock ahead
label-clock-within = compared within
label-places-note = By how much the time of day of each host is ahead of that of rank 0's host, and how exactly the clocks that the figures rest on were compared (half of the shortest round trip of a message).
