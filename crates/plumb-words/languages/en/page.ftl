### The report page: headings, notes and texts around the figures.

label-sections = Sections
label-verdict = Verdict
label-findings = Findings
label-figures = Figures
label-by-two-keys = By two keys
label-scaling = Scaling
label-littles-law-at-each-step = Little's law at each step
label-scaling-note = The smallest load that reaches 95 % of the maximum; operations in flight at which the asymptotic bounds cross (unloaded service time × maximum throughput); the Universal Scalability Law by least squares, with the 95 % interval of its peak in operations in flight, bootstrapped over the rounds.
label-scaling-efficiency = Scaling efficiency
label-all-steps-heading = All steps
label-connections = Connections
label-how-it-was-measured = How it was measured
label-the-plan = The plan
label-environment = Environment
page-title = plumb: { $plan } on { $subject }
page-footer-measured = Run { $run } · measured with plumb { $version } · every figure on this page is derived from the run folder, which holds the raw record.
page-footer-imported = Run { $run } · imported with plumb { $version } · every figure on this page is derived from the run folder, which holds the raw record.
page-plan-name = plan “{ $plan }”
page-state = This run is { $state }: the figures cover the time until it ended.
label-these-figures-as-a-table = These figures as a table
label-nothing-to-draw = There is nothing to plot.
label-nothing-was-measured = Nothing was measured.
label-no-plain-statement = The measurements allow no clear statement; see the figures.
page-doubtful = Caution: { $doubt }
label-evidence = Evidence
label-theme-auto = Theme: system
label-theme-light = Theme: light
label-theme-dark = Theme: dark
label-theme = Page colors
label-scale-linear = Linear
label-scale-logarithmic = Logarithmic
label-scale = Change the scale of the vertical axis
label-zoom-reset = Full range
label-zoom = Drag across the plot to zoom in, double-click for the full range
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
matrix-title = { $name }, { $unit }: { $rows } in rows, { $columns } in columns

## Steps

label-no-step-ran = No step ran.
label-throughput-heading = Throughput
label-response-time-heading = Response time
label-service-time-heading = Service time, from submission to completion
label-lateness-heading = Lateness, from due time to submission
label-cpu-of-the-generator = CPU use of the load generator
label-by-kind-of-operation = By kind of operation
label-errors-heading = Errors
label-jobs-heading = Jobs that ran together
label-workers-heading = Each worker
label-spread-heading = Spread of the intervals
label-spread-note = Interval lengths differ between programs, and short intervals vary more: those of fio are 500 ms.
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
label-levels-note = Operations by the number in flight on the same worker after submission, including flushes; and how many were submitted at once, on average.
label-submitted-at-once = submitted at once
label-device-heading = Device during the step
label-device-note = Kernel counters over the measured time, including I/O of other processes. Busy is the share of the time with a request in flight: a device that serves requests in parallel may have capacity left at 100 %.
label-device = device
label-busy = busy
label-mean-queue = mean queue
label-reads-per-s = reads/s
label-writes-per-s = writes/s
label-device-read = read
label-device-written = written
label-context-switches = context switches
label-preemptions = preemptions
label-minor-faults = minor page faults
label-major-faults = major page faults
label-cpu-percent = CPU
label-as-the-program-states-it = As reported by the program
label-each-round-by-itself = Each round
label-what-the-figures-include = What the figures include
label-depth-note = Requested queue depth is summed over all workers (in an open loop, the requested rate is shown); achieved queue depth is the mean number of operations in flight.
label-flushes-note = Flushes are counted in no other figure of this table except errors and achieved queue depth.
label-cpu-note = Percent of one CPU: 200 % is two CPUs fully busy.
label-percentiles-note = – means that there are too few samples to state the percentile; a percentile that no step has samples for is left out.
label-failed-operations-note = Failed operations are counted in no other figure of this page.

## Method

label-command = Command
label-started = Started
label-program = Program
label-rounds-heading = Rounds
page-rounds-in-order = { $rounds }, order { $order }
label-until-steady = Until steady
label-seed = Seed
page-several-seeds = { $count } different seeds, see the plan
label-warm-up-of-each-step = Warm-up of each step
page-warm-up = { $times }, excluded from all figures
label-engines-heading = Engines that ran
label-what-happened = Events
label-all-steps = all steps
page-steps-such-as = { $count } steps, such as { $first } and { $second }
label-bypassed = bypassed
label-used = used
label-time-stamps-note = Timestamps: “batch” reads the clock once before and once after each batch, “each” twice for every operation.
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
label-origin-note = The origin of each value is in parentheses.

## Connections

label-without-a-connection = Without a connection
label-what-was-agreed = Negotiated settings
label-time-by-command = Response time by command of the protocol
label-what-the-engines-counted = Engine counters
label-agreed-note = From the first worker in the first round.
label-bytes-by-path = Bytes by path
label-client-address = Client's address
label-server-address = Server's address
label-received = Received
label-sent = Sent
label-part-of-bytes = Share of all bytes
label-paths-note = Bytes that plumb sent and received over TCP, over all rounds, including login and warm-up, without TCP and IP headers.
label-commands-note = From sending the request to the complete reply, per protocol request; one operation may need several.
label-send-queue-note = Send queue (p50): the part of the response time until the socket had accepted the last byte of the request.
label-wake-up-note = Wake-up (p50): the part of the response time from the arrival of the last bytes of the reply at this machine, by the kernel's packet timestamp, until the reply was read. The rest is the network and the server.
label-counted-note = Sums over all workers and rounds; counters in us or bytes are means, those per s are sums over the workers and means over the rounds.
label-not-again = not restored
label-lost-note = Operations in flight failed with the connection.
label-lost-waits = On shares and RDMA peers later operations waited for the next connection, and their response times include the wait.
label-lost-fails = On TCP peers operations before the next connection failed too: the rate includes that time, the response times do not.
label-lost-ends = An iperf3 test cannot be resumed: its step ended there.

## Headings of other pages

label-copy-programs = Copy programs
label-what-differs = Differences
label-all-figures = All figures
label-to-keep-in-mind = Notes
label-how-it-was-compared = How it was compared
label-what-changed = What changed
label-figures-that-did-not = Figures without a change, or that cannot be judged
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
label-library-filter = Filter rows by words
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
label-hosts-note = Each host with all its ranks, over the measured time of its own ranks. Times are from submission to completion; CPUs are those that the load generator used, 1 is one CPU.
label-machines = Counters of the hosts
label-machine-cpus = CPUs
label-machine-cpu = CPU use
label-machine-busiest = busiest CPU
label-machine-interface = interface
label-machine-received = received
label-machine-sent = sent
label-machine-again = segments retransmitted
label-machine-device = device
label-machine-read = read
label-machine-written = written
label-machines-note = All processes of each host, over the measured time: the use of all its CPUs and of the busiest one, and the network interface and the block device below the target with the most traffic. ranks/ in the run folder has all counters of each host over time.
label-ranks-note = Each rank over its own measured time.
label-each-rank = Each rank
label-begin-and-end-of-ranks = Start and end
label-start-spread = start spread
label-first-done = first done
label-last-done = last done
label-iops-until-last-done = IOPS until last done
label-bandwidth-until-last-done = bandwidth until last done
label-spans-note = The figures of a step cover the time in which all ranks ran. IOR and mdtest divide all work by the time until the last rank finished, as the last two columns do: they are lower if some ranks finish before others.
label-places-of-ranks = Placement and clocks
label-clock-ahead = clock ahead
label-clock-within = compared within
label-places-note = How far the time of day of each host is ahead of that of rank 0's host, and the accuracy of comparing the clocks that the figures use (half of the shortest round trip of a message).
