### Events of a run: notes of the record, on the page, in the live view and in the summary.

# A connection that was lost or restored.

connection-lost = the connection to { $place } was lost: { $cause }
connection-restored = connected to { $place } again
connection-lost-at-end = the server completed nothing for 30 s after the last operation was submitted
connection-restored-after = { $attempts ->
    [one] connected again after { $time } and 1 attempt
   *[other] connected again after { $time } and { $attempts } attempts
}
connection-restored-memory-new = { $place }: connected again, its memory is new (earlier contents are lost)
connection-restored-memory-kept = { $place }: connected again, its memory is unchanged
connection-lost-and-restored = { $lost }; { $restored }
rdma-connection-lost = { $place }: { $cause }
stream-lost = the stream to { $place } was lost: { $cause }; an iperf3 test cannot be resumed
cause-no-byte-moved = no data moved for { $time }
cause-closed-by-peer = the other end closed it
cause-not-known = the system gives no reason
cause-peer-closed = the peer closed the connection
cause-peer-silent = the peer does not answer

# Notes of engines about their figures.

aio-queue-was-full = { $count } requests waited in plumb because the kernel queue was full, so fewer were in flight than requested: raise vfs.aio.max_aio_queue and vfs.aio.max_aio_queue_per_proc
operations-never-came-back = { $count ->
    [one] 1 operation never completed in the kernel; its memory is not used again
   *[other] { $count } operations never completed in the kernel; their memory is not used again
}
overlapped-was-synchronous = { $at-once } of { $started } overlapped operations completed within their call: I/O to the target is synchronous here (a cache answers, or the file is compressed, encrypted or being extended), so fewer were in flight than requested
kernel-workers-helped = { $count ->
    [one] 1 kernel worker thread (iou-wrk) ran operations that could not be started without blocking: I/O to the target is not asynchronous here, and its CPU time is not counted for the worker
   *[other] { $count } kernel worker threads (iou-wrk) ran operations that could not be started without blocking: I/O to the target is not asynchronous here, and their CPU time is not counted for the worker
}
peer-counts-disagree = the two ends disagree: { $sent } bytes were sent and { $arrived } arrived, { $returned } were sent back and { $received } arrived
peer-counts-not-known = the peer did not report what it received and sent: its counts and its CPU time are not known
udp-arrivals-not-known = the rate is that at which { $count } messages were handed to the network: UDP acknowledges none of them; the job that receives counts what arrived and what was lost
udp-messages-returned = { $count } messages came back: nothing listened at { $place }; start the job that receives first, and check address, port and firewall
other-end-has-not-begun = nothing arrived within { $time }; start the job that sends, and check address, port and firewall
udp-end-by-silence = nothing arrived for { $time }, and the message that ends the stream did not arrive either: the job ended
iperf3-counts-not-known = the iperf3 server's own counts and CPU time are not known: { $reason }
server-forgot-writes = the server restarted and may have lost writes that were not flushed: the next flush fails with EIO, and verification will find the blocks
buffered-data-was-lost = the last bytes that fwrite had accepted could not be written when the file was closed: { $error }; not all data counted as written is in the file
operation-log-held-load-up = the load waited for the log of its operations (log-each): { $count ->
    [one] its worker { $time }
   *[other] its { $count } workers { $time } in total
}; the rates are lower by that much. Put the record on a faster disk, or leave the log out
job-never-began = job '{ $job }' never started: the main job ended before its start-delay of { $delay }

# The target, before and after a step.

target-is-a-symlink = { $given } is a symlink to { $path }, which is used
target-was-left-unfinished = { $left }; parts of it may never have been written
killed-run-left-folder = { $folder } was left by a run that was killed; to list and remove such files: { $command }
folder-of-another-run = { $folder } belongs to another run of plumb: if that run has ended, remove the folder to free its space
free-space-is-not-told = { $place }: the server does not report its free space: whether the files fit could not be checked; --size sets how much is written
target-is-being-made = { $path } is being created by another run of plumb: wait until that run ends, or name another file
target-was-left-by-killed-run = { $path } was left by a run that was killed before the file was complete; to inspect it: { $command }; to remove it: { $command } --remove
use-is-not-certain = plumb cannot determine whether another program uses { $path }: { $why }
unseen-processes-of-others = processes of other users cannot be inspected (root can)
unseen-outside-the-container = this is a container (a PID namespace of its own): processes outside of it cannot be seen
unseen-on-this-system = this system does not show which processes have a file open
kept-file-cannot-be-marked = the file system of { $path } supports no extended attributes: later runs will treat the kept file as one that plumb did not create
earlier-data-was-lost = { $call } of { $path } failed with { $error } before the step: data that was written earlier is lost
not-brought-to-storage = { $path } could not be synced to stable storage: { $error }
could-not-be-removed = files that plumb created could not be removed: { $error }
cold-has-no-cache = cold: { $path } is a character device, which has no pages in the page cache
cold-cannot-be-had = cold: this system cannot drop { $path } from the page cache; reads may come from memory (direct = true bypasses it)
cold-stayed-cached = cold: { $size } of { $path } stayed in the page cache (a file system in memory, or another program uses the file): the step did not start cold

# Verification, and blocks that differ from what was written.

verified-all = { $checked ->
    [one] verify: 1 block was checked, with a definite result
   *[other] verify: { $checked } blocks were checked, all with a definite result
}
verified-nothing = verify: no block was read, so nothing was checked
verified-as-cached = { $checked ->
    [one] verify: 1 block was checked, as held in the page cache
   *[other] verify: { $checked } blocks were checked, as held in the page cache
}
verified-in-part = verify: { $checked } blocks were checked; { $undecided } of them without a definite result, because they were being written at that moment or were never written in this run
verified-before-loss = { $verified }; writing back to { $path } failed ({ $error }), so the storage does not hold what was checked
block-is-zeros = all zeros, although write { $count } to this offset was acknowledged: it was lost, or the block was discarded
block-of-another-place = holds the block of offset { $offset } of file { $file } (its write { $found }): a write or this read went to the wrong location
block-of-older-write = holds write { $found }, although write { $count } was acknowledged: the later one was lost, or a stale copy was read
block-of-unknown-write = holds write { $found } to this offset, although only { $count } were issued
block-of-another-run = holds a block of another run (seed { $seed }, offset { $offset }): write { $count } of this run was acknowledged and lost
block-of-another-program = holds bytes that plumb did not write
block-is-damaged = checksum wrong: { $differing } of { $bytes } bytes differ from write { $count }; first differing byte { $first } (offset { $offset })
block-is-foreign = { $damage }; almost nothing of the block is left: other data was written here, or the read went to the wrong location
block-is-torn = torn: holds { $pieces }; write { $count } was acknowledged in full
piece-of-write = write { $count } from byte { $at }
existing-block-is-zeros = all zeros, where an earlier run should have written: nothing was written here, or it was lost or discarded
existing-block-of-another-place = holds the block of offset { $offset } of an earlier run: a write or this read went to the wrong location
existing-block-is-damaged = a block of an earlier run with a wrong checksum: damaged, or partially written
existing-block-of-fio = a block with a header of fio, which only verify-as reads: set verify-as to the check that it was written with, such as crc32c
existing-block-without-pattern = neither the pattern that the plan expects (content) nor a block that a verified run of plumb wrote
existing-block-without-header = not a block that a verified run of plumb wrote: another program wrote here, or the block size differs from that of the writes
fio-block-without-header = no header of fio: it begins with { $found } instead of { $expected }; nothing was written here with verify, or something else was
fio-block-field = { $field } in fio's header is { $found } instead of { $expected }
fio-block-checksum = { $check } of the data is { $found }, and fio's header says { $expected }: damaged, or partially written
fio-block-pattern = byte { $at } of the block is { $found }, and { $expected } according to verify_pattern
fio-block-content = byte { $at } of the block is { $found }, and { $expected } was written
fio-block-of-another-run = an intact block, but not of this run (rand_seed { $seed }): the write of this run was acknowledged and lost

# Problems of a copied file, after its path.

copied-file-is-missing = is missing
copied-file-is-elsewhere = is missing: the program put it into a subfolder, { $folder }; make it copy the contents of { $from }, as in { $from }/.
copied-file-cannot-be-seen = cannot be inspected: { $error }
copied-file-is-symlink = is a symbolic link to { $target }: no data was copied
copied-file-is-symlink-elsewhere = is a symbolic link: no data was copied
copied-file-is-the-source = is the file of the source itself (a hard link): no data was copied
copied-folder-is-none = is no longer a directory
copied-file-is-none = is no longer a regular file
copied-file-size = has { $found } bytes instead of { $asked }
copied-file-cannot-be-read = cannot be read: { $error }
copied-file-lost-time = metadata not preserved: its timestamp is off by { $off }
copied-file-differs = differs from the source, first at offset { $offset }
copied-folder-cannot-be-listed = cannot be listed: { $error }
copied-file-is-extra = is not in the source

# Exit of a copy program.

program-exited = { $program } ended with exit status { $status }
program-was-killed = { $program } was killed by signal { $signal }
program-took-too-long = { $program } did not finish within { $time } and was terminated
program-was-stopped = { $program } was terminated with the run
program-ended-and-said = { $ended }: { $said }
program-ended-and-said-nothing = { $ended } and printed nothing
program-left-others = { $program } left programs running when it ended; they were terminated too

# In the live view and on standard error.

live-operation-failed = { $kind } { $place } failed: { $error }
live-block-differs = { $path } at offset { $offset }: { $explanation }
live-more-blocks-differ = more blocks were not read back as written: the page lists the first 100, and the verdict gives the total
live-data-was-lost = data was lost: { $call } of { $path } failed with { $error } after the writes were acknowledged

live-rank-lost = rank { $rank } on { $host } is lost: { $why }
rank-was-silent = no message from it for { $seconds } s
rank-did-not-report = it did not report the end of the step, which others did
ranks-sums-differ = the common record holds { $recorded } operations of this step, and the ranks reported { $reported }: the rest is in the records of the ranks
steps-need-more-hosts = { $left } of { $all } steps were left out: they need more hosts than the { $hosts } available (on-ranks)
