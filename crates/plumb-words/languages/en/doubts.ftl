### What is doubtful of figures that another program measured.

fio-several-clients = several clients: each is a step of its own, though they ran at the same time; fio's own sums ('All clients') are left out
fio-impossible-jobs = { $count ->
    [one] 1 job claims more operations or bytes than can be, and is left out
   *[other] { $count } jobs claim more operations or bytes than can be, and are left out
}
fio-short-job = '{ $name }' took { $time } only, and fio counts whole milliseconds: its rates are rough
fio-sum-of-group = '{ $name }' is the sum of its group (group_reporting): other jobs of the group are in it, though name and options are its own
fio-jobs-added-up = the { $count } jobs '{ $name }' are added up: their buckets make one distribution
fio-job-did-nothing = '{ $name }' did no I/O
fio-job-had-errors = '{ $name }' had errors, the first { $error }
fio-not-steady = '{ $name }' waited for a steady state ({ $criterion }) and did not reach it
fio-directions-as-one = '{ $name }' gives reads, writes and trims as one (unified_rw_reporting): their shares are not known
fio-clat-only = fio gives the distribution of clat, which begins when the submission has ended: response times are those of clat here, and shorter than lat by the submission (lat_percentiles=1 gives both)
fio-percentiles-end = '{ $name }', { $what }: fio's percentiles end at 17.1 s, and some operations took longer
fio-operations-dropped = '{ $name }', { $what }: { $count } operations were dropped
fio-directions-took-different-times = directions of '{ $name }' took different times: the rate of each is over its own
text-beside-json = text beside the JSON is left out: '{ $text }'
last-document-left-out = the last document is left out: { $error }
document-without-a-job = a document without a job is left out
file-breaks-off = the file breaks off, jobs before that are taken: { $error }
fio-interim-reports = { $count ->
    [one] 1 interim report (--status-interval) is left out: the last one holds its figures
   *[other] { $count } interim reports (--status-interval) are left out: the last one holds their figures
}
iozone-unit-not-said = the text does not say the unit of its figures: they are taken for KiB per second, iozone's default
iozone-rows-left-out = rows of the matrix whose numbers stand under no column are left out
iozone-columns-left-out = columns after repread are left out
iozone-test-not-known = a test of throughput mode that is not known is left out
iozone-throughput-of-parent = throughput mode: the figure is that of the parent, all bytes over the wall clock; the children's, which iozone's reports show, adds up rates of different times
iozone-idle-process = a process of throughput mode did nothing before the first one ended the test
iozone-ended-by-first = the first process to finish ended the test of throughput mode: others had not moved their whole file
iozone-text-is-cut = the text does not end with 'iozone test complete.': the run was ended early, or what it printed is cut
iozone-sheet-is-cut = the spreadsheet has no end record: it is cut, or iozone was ended early
iozone-reads-of-cache = iozone drops no cache between tests, unless it mounts anew (option -U): its reads are those of the page cache while the file fits in it
iozone-record-size-not-said = the file does not say the record size: 4 KiB is iozone's default
diskspd-2-2-times = diskspd 2.2 times requests at depths above 1 otherwise than 2.1 did: its release notes ask for new baselines
diskspd-interrupted = { $count } of the time spans were interrupted before the measuring began
diskspd-no-latency = latency was not measured: that takes diskspd's option -L
diskspd-latency-over-all = diskspd states latencies over all targets together: they stand at the first one
iometer-aborted = a test of this run was aborted
iometer-classes = Iometer counts no operation that began before the measuring, and knows the times of latencies in classes only: percentiles are upper edges
iometer-no-io = a test did no I/O, so its length is not known
bonnie-no-cache-dropped = bonnie++ drops no cache: its reads are those of the storage only when the file is about twice the memory, which the line does not say
bonnie-rates-rounded = rates are rounded to whole KiB or operations per second, and the time of a test is not stated
bonnie-no-version = the line names no version: it has the columns of 1.03
bonnie-chunk-not-said = the line does not say the size of a chunk (2.00 never does): 8 KiB is the default of bonnie++
bonnie-stat-reads = seq_stat and ran_stat also open and read the files, which have a size
bonnie-too-fast = too fast to measure (+++++, less than half a second), so missing: { $tests }
perfmon-column-without-name = column { $column } has no counter's name and is left out
perfmon-load-not-known = readings of a machine: which load they belong to is not in the file
perfmon-means-of-some = means are shown of the first { $shown } of { $all } counters; the readings are there of all
perfmon-rows-left-out = { $count ->
    [one] 1 row has no time that follows the others and is left out: line { $line }
   *[other] { $count } rows have no time that follows the others and are left out, the first is line { $line }
}
perfmon-readings-thinned = the file is long: of the readings, one in { $every } is kept; means and maxima are of all
perfmon-no-time-zone = the file does not name its time zone: when it began is not known
perfmon-second-head = line { $line } is the head of a second recording: what follows it is left out
perfmon-code-page = the file is no Unicode text: it was read in code page 1252, and names in other languages may be wrong
perfmon-first-values-left-out = { $count ->
    [one] 1 value of the first row is left out
   *[other] { $count } values of the first row are left out
}: a rate or a mean needs two samples
perfmon-hour-twice = the clock was put back by an hour within the file: times go on
perfmon-hour-missing = the clock was put forward by an hour within the file: the hour that is missing is not counted
perfmon-clock-put-back = { $count ->
    [one] the clock was put back once
   *[other] the clock was put back { $count } times
}: the rows follow each other in the order of the file, at the usual interval there
netpipe-fastest-trials = NetPIPE gives the mean of the fastest of several trials: times are at their best, and there are no percentiles
netpipe-direction-not-said = the file does not say whether messages went to and fro (ping-pong, the default) or one way (-s): a ping-pong is assumed
netpipe-lines-left-out = { $count ->
    [one] 1 line is left out: size, rate and time in it do not agree
   *[other] { $count } lines are left out: sizes, rates and times in them do not agree
}
elbencho-rates-rounded = rates are rounded down to whole operations and MiB per second, by the time until the slowest thread had ended
elbencho-first-figures = figures named [first] are of the time until the fastest thread had ended: later ones come with fewer threads at work
elbencho-phases-left-out = phases that are no operation on files or blocks (DROPCACHE, access rights of objects) are left out
elbencho-phase-of-directories = { $phase } is of directories or buckets, where plumb has files
ior-bandwidth-from-open = bandwidth rests on the time from the first open to the last close over all tasks, operations per second on reading or writing alone
ior-lines-between = IOR wrote other lines between the JSON: they are left out
ior-stonewall = the test was ended by a deadline (stonewall): tasks moved different amounts, and the largest bandwidth of IOR's summary may be wrong
ior-writes-not-flushed = writes were not flushed (no option -e): what fits in the page caches of the nodes is written to those
ior-own-cache = each task read what it may have written itself (no option -C): its node's page cache may have answered
dd-times-together = dd counts the time of its reads and writes together, and of a flush at the end only with conv=fsync or conv=fdatasync
dd-ends-not-said = dd does not say what it copied from and to: the step is called a write, which holds for of=FILE
dd-partial-records = some records were not read or written in full: the block size is not that of bs=
dd-moved-nothing = a dd of this file moved nothing: its time is no speed
iperf3-ended-with-error = iperf3 ended with an error: { $error }
iperf3-no-messages = iperf3 counts the bytes of a stream and no messages: numbers of operations are not known
iperf3-packets-lost = some packets were lost: bytes of a sender are those it sent, not those that arrived
iperf3-first-seconds-omitted = the first seconds are left out of all figures (--omit), as iperf3 leaves them out
fio-log-lines-left-out = { $count ->
    [one] line { $line } is no line of a log and is left out
   *[other] { $count } lines are no lines of a log and are left out, the first is line { $line }
}
fio-log-two-values = each window has a mean and a maximum (log_window_value=both): the mean is taken
fio-log-of-clat = clat begins when the submission has ended: response times are those of clat here
fio-log-of-slat = a log of submission times: how long the operations took is not in it
fio-log-mixed = some lines are of windows and some of single operations: log_avg_msec cannot have been the same for all
iozone-timed-fsync-and-close = fsync and close are in the time of a test (options -e and -c)
iozone-timed-fsync = fsync is in the time of a test (option -e), close is not
iozone-timed-close = close is in the time of a test (option -c), fsync is not
iozone-timed-neither = neither fsync nor close is in the time of a test (no option -e or -c): its writes are those of the page cache
bonnie-putc = putc writes single characters: through stdio over the whole file in 1.03, one write() for each byte of 3 MiB since; fsync and close are in its time
bonnie-put-block = put_block has the creating of the file, fsync and close in its time
bonnie-rewrite = rewrite reads each chunk, changes a byte and writes it back: what it moved is counted once, the time holds both; fsync and close are in it
bonnie-getc = getc reads single characters: through stdio over the whole file in 1.03, one read() for each byte of 3 MiB since
bonnie-seeks = seeks counts random reads of which every tenth also writes its chunk back; several processes share them
fio-log-windows-of-iops = a log of windows (log_avg_msec): numbers of operations are computed from its rates, which fio rounds; sizes are not in it
fio-log-windows-of-bandwidth = a log of windows (log_avg_msec): numbers of operations are not in it
fio-log-windows-of-latency = a log of windows (log_avg_msec): it has one mean for each, or the maximum (log_max_value), and neither percentiles nor numbers of operations
results-do-not-agree = the results do not agree on { $fact }, which is left out of the environment
iozone-backwards = bkwd-read goes through the file twice and reports the first time only
iozone-one-record = record-rewrite writes one record at the beginning of the file again and again: no other test touches so little
iozone-skips = stride-read reads one record, skips 17 (option -j) and begins again one record further at the end
iozone-stdio = fwrite, frewrite, fread and freread go through stdio with a buffer of one record
iozone-mixed = the mixed workload has random readers and random writers at once, and one figure for both
diskspd-ends-within = the file ends within { $element }: what stands before is kept
diskspd-no-xml = line { $line } is no XML, what stands before is kept: { $error }
bonnie-line-left-out = line { $line } of the file looks like a result and cannot be read: it is left out
rest-of-file-left-out = what follows in the file is left out: { $error }
