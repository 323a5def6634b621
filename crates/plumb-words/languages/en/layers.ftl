### Sentences about layers.

## The verdict

step-in-flight = { $requests ->
    [one] { $step } ({ $block }, 1 request in flight)
   *[other] { $step } ({ $block }, { $requests } requests in flight)
}
step-of-mixed-sizes-in-flight = { $requests ->
    [one] { $step } (1 request in flight)
   *[other] { $step } ({ $requests } requests in flight)
}
layer-gives-part = { $subject }: { $top } delivers { $high }, { $share } of the { $low } of { $bottom }.
layer-gives-more = { $subject }: { $top } delivers { $high }, { $bottom } { $low }: { $change }.
operations-each-second = { $rate }/s
layer-costs-most = { $step }: the most expensive layer is { $cost }.
no-layer-costs = { $step }: no layer has a measurable cost.
whether-it-costs-is-undecided = { $step }: whether a layer has a cost is undecided: { $costs }.
which-costs-most-is-undecided = { $step }: which layer is the most expensive is undecided: { $costs }.
layer-costs-more = { $layer } +{ $cost } per request over { $other } ({ $interval })
layer-costs-less = { $layer } { $cost } per request over { $other } ({ $interval })
interval-not-known = interval not known
share-one-at-a-time = { $step }: of the { $whole } of { $share }, the storage alone takes { $stored } ({ $storage }) and messages of that size { $carried }; the rest, { $least }, is protocol, client and server: with one request at a time, nothing overlaps.
share-with-overlap = { $step }: of the { $whole } of { $share }, the storage alone takes { $stored } ({ $storage }) and messages of that size { $carried }; protocol, client and server take between { $least } (nothing overlaps) and { $most } (all of it overlaps).
layer-is-faster = { $step }: { $above } is faster than { $below }, { $change } throughput: { $why }.

## Why a layer is faster than the layer below

faster-through-the-page-cache = it goes through the page cache, which { $below } bypasses: I/O served from RAM never reaches the storage below
faster-by-the-cache-of-the-server = the server answers through its page cache, which { $below } bypasses; a page-cache layer (--cached) makes them comparable
faster-by-requests-in-flight = several requests are in flight on the share, where the message engine runs one at a time
faster-in-other-blocks = the blocks of the file are elsewhere on the device than the range that was read: the device may be faster there, or the blocks cached or never written
faster-for-unknown-reasons = the records do not show why: caches, other locations on the device, or other CPUs are likely

## Why a layer has no figures

device-is-not-written = { $target } is not written: writing it needs --overwrite={ $target }, which destroys its contents
peer-cannot-do-this = this peer has no equivalent
layer-has-no-such-step = its run has no such step
layer-could-not-run = could not run: { $error }
layer-rounds-do-not-count = its rounds do not count: one of them { $reason }
layer-never-ran = never ran
layer-stood-still = nothing completed in a round

## Caches

page-cache-bypassed = page cache bypassed; caches of the device itself are not
page-cache-because = through the page cache: { $why }
page-cache-used = through the page cache: data that fits into RAM is read from there, and writes may not have reached the device
files-lie-in-memory = the files are in memory, not on storage
network-has-no-storage = no storage
nothing-is-carried-out = no I/O is done
server-cache-holds-the-file = no cache on the client; the server's page cache is in use: { $size } fit into its { $memory } of RAM, so reads come from there
server-cache-is-too-small = no cache on the client; the server's page cache is in use: { $size } do not fit into its { $memory } of RAM
server-cache-is-not-known = no cache on the client; the server's page cache is in use; the size of its RAM is not known

## Notes

network-layer-has-no-storage = The network layer exchanges messages of the same size, without storage: send for writes, receive for reads, ping-pong where one request is in flight at a time. Its time is part of that of the share, as is the time of the storage, and both may overlap.
layers-measured-each-by-itself = The layers were measured separately: anything that changed between the measurements is part of their differences.
too-few-rounds-of-layers = With fewer than { $least } rounds nothing is decided: differences could be chance.
one-machine-for-both-ends = One machine: client and server share its CPUs, and the network is the loopback device, without a wire. CPU figures are those of both ends together.
nobody-watched-the-server = CPU figures are those of the client: the server was not monitored; start `plumb agent` there, and name it with --agent.
machine-of-layers-was-busy = { $host } was { $busy } busy with other work when the layers were measured, which may have changed the figures and the differences between layers. Measure again on an idle machine.
layer-lies-in-memory = { $layer } ({ $target }): the files are in memory ({ $kind }), so its figures are those of memory, not of a disk. Use --files to name a directory on the storage to be measured.
one-core-of-server-is-full = { $layer }, { $step }: core { $core } of the server was { $busy } busy, all its cores { $all } on average: one core handles one connection there. More workers (each a channel of the session), or receive-side scaling on the server, spread the work.
fewer-requests-in-flight = On { $layer } fewer requests were in flight than requested: { $steps }. Its time per request there follows from its throughput.
requests-in-flight-of-step = { $step } ({ $achieved } of { $asked })

## The terminal and the page

layered-step = { $requests ->
    [one] { $step }: 1 request in flight
   *[other] { $step }: { $requests } requests in flight
}
layered-step-of-blocks = { $requests ->
    [one] { $step }: { $block }, 1 request in flight
   *[other] { $step }: { $block }, { $requests } requests in flight
}
layers-from-the-storage-up = { $layers } layers, from the storage up
layers-measured-on = { $layers } layers, measured on { $host }, from the storage up
layer-measured-on = measured on { $host }
layer-against = against { $other }
layers-from-to = From { $bottom } to { $top }
label-layers = Layers
layers-question = Cost of each of { $layers } layers
layers-derived-with = Layers with plumb { $version } · every figure on this page is derived from the records of the layers.
layer-is-doubtful = Caution: { $doubt }
label-layers-nothing = Nothing can be concluded: no step has figures on two layers.
label-layers-where-it-goes = Throughput by layer
label-layer-bandwidth = bandwidth
label-layer-iops = IOPS
label-layer-per-request = per request
label-layer-cost = cost
label-layer-of-the-one-below = of the layer below
label-layer-cpus-busy = CPUs busy
label-layer-measured-latency = measured latency
label-layer-cpu-of-threads = CPU of the load's threads
layers-time-per-request-of = Time per request, { $step }
layers-cpu-over-time-of = CPU use over time of { $lines }.
label-layers-in-blocks = All layers ran in the same blocks, in random order within each block, and are compared block by block.
label-layers-by-themselves = The layers were measured separately.
layers-intervals = Unit: the round. { $cases } % confidence intervals; a ratio within { $threshold } % is the same for all practical purposes.
label-layers-time-per-request = Time per request is requests in flight divided by operations per second (Little's law); cost is the time that a layer adds to the one below it. With several requests in flight the layers overlap, and costs in throughput need not add up.
label-layers-cpus-busy-means = CPUs busy: mean over all processes of the machine that ran the load; after a plus sign, those of the server.
