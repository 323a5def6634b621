### Caveats of figures that another program measured.

fio-several-clients = several clients ran at the same time: each job is imported with its host (@HOST), and totals are the sums of these; fio's own totals ('All clients') are left out
fio-impossible-jobs = { $count ->
    [one] 1 job reports an impossible number of operations or bytes and is left out
   *[other] { $count } jobs report an impossible number of operations or bytes and are left out
}
fio-short-job = '{ $name }' took only { $time }, and fio counts full milliseconds: its rates are imprecise
fio-sum-of-group = '{ $name }' is the total of its group (group_reporting): it includes other jobs, although name and options are those of one
fio-jobs-added-up = the { $count } jobs '{ $name }' are summed: their histograms are merged
fio-job-at-another-time = '{ $name }' did not run at the same time as the other jobs of its group (wait_for, startdelay, or its start time): it is its own step, and its rates are not added to theirs
fio-terse-lines-apart = terse output does not show whether lines of one group are jobs that ran at the same time or runs appended to the file: each line is its own step; if they are jobs of one run, add their rates
fio-text-times-not-said = fio's text does not state whether the jobs of a group ran at the same time: '{ $names }' ran for { $least } to { $most }, and their total holds only if they did (not with wait_for or startdelay)
fio-flushes-not-counted = '{ $name }': the text does not state how many fdatasync or sync_file_range calls were timed: their latency is known, their rate is not
fio-flushes-not-timed = '{ $name }' flushed after writes, and fio reports no flush times (it does since 3.4): how long durable writes took is not known
fio-further-runs-left-out = the file has more runs or jobs than plumb reads: those after the first { $count } are left out
fio-job-did-nothing = '{ $name }' did no I/O
fio-job-had-errors = '{ $name }' had errors, the first { $error }
fio-not-steady = '{ $name }' waited for a steady state ({ $criterion }) and did not reach it
fio-directions-as-one = '{ $name }' reports reads, writes and trims together (unified_rw_reporting): their shares are not known
fio-clat-only = fio reports only the distribution of clat, which starts after submission: response times here are clat, shorter than lat by the submission (lat_percentiles=1 reports both)
fio-percentiles-end = '{ $name }', { $what }: fio's percentiles are capped at 17.1 s, and some operations took longer
fio-operations-dropped = '{ $name }', { $what }: { $count } operations were dropped
fio-directions-took-different-times = reads, writes and trims of '{ $name }' ran for different times: the rate of each is over its own time
text-beside-json = text outside the JSON is left out: '{ $text }'
last-document-left-out = the last document is left out: { $error }
document-without-a-job = a document without a job is left out
file-breaks-off = the file is truncated; the jobs before the cut are imported: { $error }
fio-interim-reports = { $count ->
    [one] 1 interim report (--status-interval) is left out: the final report has its figures
   *[other] { $count } interim reports (--status-interval) are left out: the final report has their figures
}
iozone-unit-not-said = the output does not state the unit of its figures: KiB per second is assumed, the default of iozone
iozone-rows-left-out = rows of the matrix with numbers outside its columns are left out
iozone-columns-left-out = columns after repread are left out
iozone-test-not-known = an unknown throughput-mode test is left out
iozone-throughput-of-parent = throughput mode: the figure is the parent's, all bytes over wall-clock time; the children's figure in iozone's reports adds up rates over different times
iozone-idle-process = in throughput mode, one process did no I/O before the first one ended the test
iozone-ended-by-first = the first process to finish ended the throughput-mode test: others had not finished their files
iozone-text-is-cut = the output does not end with 'iozone test complete.': the run ended early, or the output is truncated
iozone-sheet-is-cut = the spreadsheet has no end record: it is truncated, or iozone ended early
iozone-reads-of-cache = iozone does not drop the page cache between tests unless it remounts (option -U): its reads come from the page cache if the file fits
iozone-record-size-not-said = the file does not state the record size: 4 KiB is assumed, the default of iozone
diskspd-2-2-times = diskspd 2.2 measures latency at depths above 1 differently from 2.1: its release notes recommend new baselines
diskspd-interrupted = { $count } time spans were interrupted before measuring started
diskspd-no-latency = latency was not measured: it needs diskspd's option -L
diskspd-latency-over-all = diskspd reports latencies for all targets combined: they are shown at the first target
diskspd-text-cut = { $count ->
    [one] 1 time span has no complete table of its operations and is left out: the text is truncated
   *[other] { $count } time spans have no complete table of their operations and are left out: the text is truncated
}
diskspd-version-not-said = the text does not state the version: diskspd 2.2 measures latency at depths above 1 differently from 2.1
diskspd-random-share = some targets mix sequential and random offsets (-rs): they are shown as random
diskspd-text-of-targets = percentiles of single targets are left out
diskspd-text-total-only = the tables of reads and writes are missing: figures cover both
iometer-aborted = a test of this run was aborted
iometer-classes = Iometer does not count operations that started before measuring, and bins latencies: percentiles are upper edges of bins
iometer-no-io = a test did no I/O, so its duration is not known
bonnie-no-cache-dropped = bonnie++ does not drop the page cache: its reads come from the storage only if the file is about twice the RAM, which the line does not state
bonnie-rates-rounded = rates are rounded to full KiB or operations per second, and test durations are not stated
bonnie-no-version = the line states no version: its columns are those of 1.03
bonnie-chunk-not-said = the line does not state the chunk size (2.00 never does): 8 KiB is assumed, the default of bonnie++
bonnie-stat-reads = seq_stat and ran_stat also open and read the files, because the files are not empty
bonnie-too-fast = missing because too fast to measure (+++++, less than half a second): { $tests }
perfmon-column-without-name = column { $column } has no counter name and is left out
perfmon-names-not-english = counter names are in the display language of that Windows, and plumb reads only English and German ones: disks and shares are not recognized. Record with 'plumb watch' on that machine (its names are always English), or convert the .blg with 'relog FILE.blg -f csv -o FILE.csv' on an English Windows
perfmon-load-not-known = counters of a machine: the file does not say which load they belong to
perfmon-means-of-some = means are shown for the first { $shown } of { $all } counters; samples are kept for all
perfmon-rows-left-out = { $count ->
    [one] 1 row has no timestamp later than the row before and is left out: line { $line }
   *[other] { $count } rows have no timestamp later than the row before and are left out; the first is line { $line }
}
perfmon-readings-thinned = the file is long: one sample in { $every } is kept; means and maxima are over all samples
perfmon-no-time-zone = the file does not state its time zone: its start time is not known
perfmon-second-head = line { $line } starts a second recording, which is left out
perfmon-code-page = the file is not Unicode: it was read in code page 1252, and names in other languages may be wrong
perfmon-first-values-left-out = { $count ->
    [one] 1 value of the first row is left out
   *[other] { $count } values of the first row are left out
}: a rate or a mean needs two samples
perfmon-hour-twice = the clock was set back by an hour within the file: times continue without a jump
perfmon-hour-missing = the clock was set forward by an hour within the file: the missing hour is not counted
perfmon-clock-put-back = { $count ->
    [one] the clock was set back once
   *[other] the clock was set back { $count } times
}: rows are kept in file order, at the usual interval there
netpipe-fastest-trials = NetPIPE 3 reports the mean of the fastest of several trials: times are best cases, and there are no percentiles
netpipe-direction-not-said = the file does not state whether messages were ping-pong (the default) or one way (-s, --stream): ping-pong is assumed
netpipe-lines-left-out = { $count ->
    [one] 1 line is left out: its size, rate and time do not agree
   *[other] { $count } lines are left out: their sizes, rates and times do not agree
}
elbencho-rates-rounded = rates are rounded down to full operations and MiB per second, over the time until the slowest thread finished
elbencho-first-figures = figures named [first] cover the time until the fastest thread finished: after it, fewer threads are at work
elbencho-phases-left-out = phases that are not operations on files or blocks (DROPCACHE, object ACLs) are left out
elbencho-phase-of-directories = { $phase } is for directories or buckets, where plumb has files
ior-bandwidth-from-open = bandwidth is over the time from the first open to the last close of all tasks, operations per second over reading or writing alone
ior-lines-between = IOR printed other lines between the JSON: they are left out
ior-stonewall = the test was ended by a deadline (stonewall): tasks moved different amounts, and the largest bandwidth of IOR's summary may be wrong
ior-writes-not-flushed = writes were not flushed (no option -e): data that fits may only have reached the page caches of the nodes
ior-own-cache = each task may have read data that it wrote itself (no option -C), from the page cache of its node
dd-times-together = dd's time covers reads and writes together, and a flush at the end only with conv=fsync or conv=fdatasync
dd-ends-not-said = dd does not state what it copied from and to: the step is called a write, which is right for of=FILE
dd-partial-records = some records were not read or written in full: the block size differs from that of bs=
dd-moved-nothing = a dd in this file copied nothing: its time is not a speed
iperf3-ended-with-error = iperf3 ended with an error: { $error }
iperf3-no-messages = iperf3 counts bytes of a stream, not messages: operation counts are not known
iperf3-packets-lost = some packets were lost: the bytes of a sender are those it sent, not those that arrived
iperf3-first-seconds-omitted = the first seconds are excluded from all figures (--omit), as in iperf3
fio-log-lines-left-out = { $count ->
    [one] line { $line } is not a log line and is left out
   *[other] { $count } lines are not log lines and are left out; the first is line { $line }
}
fio-log-two-values = each window has a mean and a maximum (log_window_value=both): the mean is used
fio-log-of-clat = clat starts after submission: response times here are clat
fio-log-of-slat = a log of submission times: it does not state how long the operations took
fio-log-mixed = some lines are windows and some are single operations: log_avg_msec was not the same for all
iozone-timed-fsync-and-close = the time of a test includes fsync and close (options -e and -c)
iozone-timed-fsync = the time of a test includes fsync (option -e), but not close
iozone-timed-close = the time of a test includes close (option -c), but not fsync
iozone-timed-neither = the time of a test includes neither fsync nor close (no option -e or -c): its writes are those of the page cache
bonnie-putc = putc writes single characters: through stdio over the entire file in 1.03, one write() per byte of 3 MiB since then; its time includes fsync and close
bonnie-put-block = the time of put_block includes creating the file, fsync and close
bonnie-rewrite = rewrite reads each chunk, changes a byte and writes it back: its bytes are counted once, its time covers both; fsync and close are included
bonnie-getc = getc reads single characters: through stdio over the entire file in 1.03, one read() per byte of 3 MiB since then
bonnie-seeks = seeks counts random reads, one in ten of which also writes its chunk back; several processes share them
fio-log-windows-of-iops = a log of windows (log_avg_msec): operation counts are computed from its rates, which fio rounds; it has no sizes
fio-log-windows-of-bandwidth = a log of windows (log_avg_msec): it has no operation counts
fio-log-windows-of-latency = a log of windows (log_avg_msec): it has one mean per window, or the maximum (log_max_value), but no percentiles or operation counts
results-do-not-agree = the results do not agree on { $fact }, which is left out of the environment
iozone-backwards = bkwd-read reads the file twice and reports only the first time
iozone-one-record = record-rewrite rewrites one record at the start of the file: no other test touches so little data
iozone-skips = stride-read reads one record, skips 17 (option -j), and at the end starts again one record further
iozone-stdio = fwrite, frewrite, fread and freread go through stdio with a buffer of one record
iozone-mixed = the mixed workload runs random readers and random writers at once, with one figure for both
diskspd-ends-within = the file ends within { $element }: everything before it is kept
diskspd-no-xml = line { $line } is not XML; everything before it is kept: { $error }
bonnie-line-left-out = line { $line } of the file looks like a result but cannot be parsed: it is left out
rest-of-file-left-out = the rest of the file is left out: { $error }
sysbench-rand-type = the text does not state how random offsets are distributed: sysbench's default (special) sends most requests to a small part of the files
sysbench-latency-of-all = sysbench reports one latency for reads, writes and fsyncs together
sysbench-times-rounded = sysbench prints times in 1/100 ms: those printed as 0.00 are missing
ioping-without-pauses = rates are over the time of the requests alone, without the pauses between them (-i), as ioping reports them
ioping-writes-flushed = the time of a write includes fdatasync, unless ioping ran with -C
ioping-left-out = { $count ->
    [one] 1 request is left out, as ioping does: warm-up, too fast, too slow, or failed
   *[other] { $count } requests are left out, as ioping does: warm-up, too fast, too slow, or failed
}
ioping-direction-not-said = the statistics do not state whether requests read or wrote: figures cover both
ior-best-only = IOR printed only the largest bandwidth of the repetitions, not the rate of each round
mdtest-mean-of-iterations = mdtest prints the mean of its iterations, not each of them
mdtest-directories = operations on directories are shown as operations on files
mdtest-tree = one task alone creates and removes the directory tree
io500-invalid = IO500 marked phases or the score as invalid: a rule was not kept, such as the shortest time of a write phase
io500-several-kinds = '{ $phase }' carries out several kinds of operations: its rate is shown without a kind
io500-without-score = { $count ->
    [one] 1 phase has no score and is left out: it did not end
   *[other] { $count } phases have no score and are left out: they did not end
}
crystaldiskmark-best = each figure is the best of several runs, not their mean
crystaldiskmark-zeros = the test file was filled with zeros (0Fill): compression and deduplication make it faster
crystaldiskmark-block-not-said = some rows do not state their block size: that of the version is assumed
iostat-first-report = the first report is left out: without -y, it is the mean since boot
iostat-rounded = iostat prints rates and times with two decimals: short times are imprecise
iostat-no-times = some reports state no time (option -t): one second between them is assumed; rates and latencies do not depend on it
iostat-devices-omitted = devices are missing in some reports: they are taken as idle there, as option -z omits them
iostat-cut = the file ends within a report, or another recording begins: everything before is kept
iostat-thinned = the file is long: one report in { $every } is kept; rates are means over the others
sar-kinds-together = sar reports requests, their times and the queue for reads and writes together
sar-thinned = the file is long: one report in { $every } is kept
elbencho-options-not-said = the text does not state block size, threads or files: phases of the same name are taken as rounds of one measurement
elbencho-percentiles-of-buckets = percentiles are upper edges of buckets, four of which make a doubling: the true ones are up to a sixth lower
iperf3-intervals-left-out = only the summary of each test is read: intervals are in iperf3's JSON (-J)
iperf3-test-without-summary = a test without a summary is left out: it was interrupted, or the text is truncated
iperf3-block-not-said = the text does not state the block size (option -V does): the default of TCP is shown, 128 KiB
netpipe-both-ways = messages went both ways at once (-2, --bidir): rates count both directions, times are those of one message each way
netpipe-sizes-rounded = sizes from 1 MB on are printed with three decimals: np.out has them in full
smbclient-milliseconds = smbclient measures whole milliseconds, of the read or write of one file at a time, with what it does locally
spdk-perf-names-no-work = the table names neither the pattern nor the queue depth; the block size is that of its rates. A command line before the table is read
spdk-perf-is-polled = each core polls without a pause, so that its CPU time is that of the whole run
smbclient-too-fast = { $count ->
    [one] 1 file is left out: it was empty, already there, or took less than a millisecond
   *[other] { $count } files are left out: they were empty, already there, or took less than a millisecond
}
warp-averages-of-its-own = rates are all requests over the time from the first to the last; warp prints averages over full seconds in which all threads were busy, which differ
warp-requests-left-out = { $count ->
    [one] 1 row is left out: not a request that plumb knows, or impossible
   *[other] { $count } rows are left out: not requests that plumb knows, or impossible
}
warp-operation-left-out = operations { $operation } are left out: plumb has no such kind
warp-not-final = warp was stopped or still running when it wrote this file
warp-bytes-of-failed-requests = some requests failed, and warp adds their bytes to its sum: the bandwidth is missing; `--full` keeps each request
warp-percentiles-of-segments = times are from several segments, clients or object sizes: means, and extremes where warp states them; warp keeps no percentiles over all of them (`--full` keeps each request)
