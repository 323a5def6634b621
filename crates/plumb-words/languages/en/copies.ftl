### What a copy test says.

copies-damaged = { $all ->
    [one] { $program }, { $step }: the one copy was not whole, and it said nothing{ $first }.{ $speed }
   *[other] { $program }, { $step }: { $count } of { $all } copies were not whole, and it said nothing{ $first }.{ $speed }
}
copies-failed = { $all ->
    [one] { $program }, { $step }: the one copy failed{ $first }.
   *[other] { $program }, { $step }: { $count } of { $all } copies failed{ $first }.
}
first-damage = : { $path } { $explanation }
first-damage-of-several = : { $path } { $explanation } ({ $problems } problems in that copy)
first-failure = : { $error }
spoiled-speed = { " " }Its { $speed } are worth nothing.
program-could-not-be-measured = { $program } could not be measured: { $error }.
baseline-was-not-sound = { $program } is what the others are compared with, and was not sound: there are no verdicts against it.
copies-not-verified = { $count ->
    [one] { $program }: 1 copy could not be fetched back and is not verified.
   *[other] { $program }: { $count } copies could not be fetched back and are not verified.
}
program-did-not-keep = { $program } did not keep { $lost } (told, not counted as an error).
lost-file-times = { $count ->
    [one] 1 time stamp of a file
   *[other] { $count } time stamps of files
}
lost-parts-of-seconds = { $count ->
    [one] 1 part of a second in a time stamp
   *[other] { $count } parts of a second in time stamps
}
lost-folder-times = { $count ->
    [one] 1 time stamp of a folder
   *[other] { $count } time stamps of folders
}
lost-permissions = { $count ->
    [one] 1 set of permission bits
   *[other] { $count } sets of permission bits
}
copies-share-all-blocks = { $program }, { $step }: { $shared } of { $whole } copies share blocks with the source: no data was copied. Their speed is that of a reflink, and not of a copy.
copies-share-some-blocks = { $program }, { $step }: { $shared } of { $whole } copies share blocks with the source: { $bytes } of { $all } were not copied. Their speed is that of a reflink, and not of a copy.
all-copies-were-whole = { $copies ->
    [one] The one copy was compared with the source byte by byte, and was whole.
   *[other] All { $copies } copies were compared with the source byte by byte, and were whole.
}
