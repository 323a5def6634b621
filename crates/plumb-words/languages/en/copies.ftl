### Sentences of a copy test.

## How it was measured

copy-places = Source in { $from }, copies in { $to }; seed { $seed }.
copies-cold = Cold: each source is dropped from the page cache before it is copied, and each copy before it is compared.
copies-cold-but-for-the-source = Cold: trees at the destination are dropped from the page cache before they are read; the source is in memory and cannot be dropped.
copies-not-cold = Sources were not dropped from the page cache: they are read from memory if they fit (--cold drops them).
copies-in-a-folder = The files to be read back were written by plumb, not by the program under test. The time to stable storage is that of syncfs: it includes data that other processes wrote there at the time.
copies-in-a-module = Written files were fetched back by rsync and then compared; the files to be read were put there by rsync.
copies-on-a-share = Written files were fetched back by plumb's own SMB client and then compared; the files to be read were put there by it. Timestamps and permissions are not compared.
copies-in-a-bucket = Written objects were fetched back by plumb's own S3 client and then compared; the objects to be read were put there by it. A bucket has no empty folders: the tree has none. Timestamps and permissions are not compared.
copies-by-a-daemon = plumb ran its own rsync daemon on this machine at the destination; its CPU time is not counted.

## What came out

copies-damaged = { $all ->
    [one] { $program }, { $step }: the only copy does not match the source, and the program reported no error{ $first }.{ $speed }
   *[other] { $program }, { $step }: { $count } of { $all } copies do not match the source, and the program reported no error{ $first }.{ $speed }
}
copies-failed = { $all ->
    [one] { $program }, { $step }: the only copy failed{ $first }.
   *[other] { $program }, { $step }: { $count } of { $all } copies failed{ $first }.
}
first-damage = : { $path } { $explanation }
first-damage-of-several = : { $path } { $explanation } ({ $problems } problems in that copy)
first-failure = : { $error }
spoiled-speed = { " " }Its { $speed } do not count.
program-could-not-be-measured = { $program } could not be measured: { $error }.
baseline-was-not-sound = { $program } is the baseline, and its copies failed or do not match the source: there are no verdicts against it.
copies-not-verified = { $count ->
    [one] { $program }: 1 copy could not be fetched back and is not verified.
   *[other] { $program }: { $count } copies could not be fetched back and are not verified.
}
program-did-not-keep = { $program } did not preserve { $lost } (reported, not counted as an error).
lost-file-times = { $count ->
    [one] 1 timestamp of a file
   *[other] { $count } timestamps of files
}
lost-parts-of-seconds = { $count ->
    [one] the sub-second part of 1 timestamp
   *[other] the sub-second part of { $count } timestamps
}
lost-folder-times = { $count ->
    [one] 1 timestamp of a folder
   *[other] { $count } timestamps of folders
}
lost-permissions = { $count ->
    [one] 1 set of permission bits
   *[other] { $count } sets of permission bits
}
copies-share-all-blocks = { $program }, { $step }: { $shared } of { $whole } copies share blocks with the source: no data was copied. Their speed is that of a reflink, not of a copy.
copies-share-some-blocks = { $program }, { $step }: { $shared } of { $whole } copies share blocks with the source: { $bytes } of { $all } were not copied. Their speed is that of a reflink, not of a copy.
all-copies-were-whole = { $copies ->
    [one] The only copy was compared with the source byte by byte and matches it.
   *[other] All { $copies } copies were compared with the source byte by byte and match it.
}

## The table of copy programs

copies-tree = { $files ->
    [one] { $tree }: 1 file, { $size }
   *[other] { $tree }: { $files } files, { $size }
}
copies-of = Copies of { $tree }
label-copies-program = program
label-copies-write = write MB/s
label-copies-stable-speed = stable MB/s
label-copies-read = read MB/s
label-copies-files = files/s
label-copies-cpu-column = CPU s/GiB
label-copies-verified = verified
copies-against = against { $baseline }
copies-counted-bad = { $number } of { $copies } bad
copies-counted-failed = { $number } of { $copies } failed
label-copies-not-verified = not verified
copies-counted-only-checked = only { $number } of { $copies }
copies-counted-whole-by-reflinks = { $number } of { $copies }, reflinks
copies-counted-whole = { $number } of { $copies }
label-copies-speed = MB/s until the program exited.
label-copies-speed-with-interval = MB/s until the program exited, with the 95 % interval in square brackets.
copies-change-against = Change against { $baseline }: ▲ faster, ▼ slower, = the same, ? undecided.
label-copies-in-brackets = Speeds in parentheses: copies that do not match the source, excluded from all verdicts.
label-copies-how-failed = exit, killed, timeout: how a program failed; it has no speed.
label-copies-stable = Stable: until everything was on stable storage.
label-copies-files-and-cpu = Files and CPU cover writing; CPU is that of the program, not of a server.
label-copies-cpu = CPU seconds cover writing, by the program and not by a server.
