### What `plumb serve` shows in a browser.

web-title = plumb: { $title }
label-web-library = Library
label-web-message = Not done
label-web-filter = Filter
label-web-all = Show all runs
label-web-tag = tag
label-web-since = since
label-web-until = until
label-web-choose = choose
label-web-compare = Compare the chosen runs
label-web-trend = Trend
label-web-bandwidth = highest bandwidth
label-web-iops = highest IOPS
label-web-latency = lowest median latency
label-web-best-of = The figures are the best of all steps of a run; below each stands its step.
label-web-running = running
label-web-interrupted = interrupted
label-web-incomplete = incomplete
label-web-empty = There are no runs here yet: plumb check makes one.
label-web-none = No run fits these filters.
label-web-newer = Newer
label-web-older = Older
label-web-choose-one = One trend is of one plan, one host and one target. Choose:
web-page = Page { $page } of { $pages }
web-pending = { $count ->
    [one] The figures of one run are still being read.
   *[other] The figures of { $count } runs are still being read.
}
web-links = { $count ->
    [one] One symbolic link was not followed.
   *[other] { $count } symbolic links were not followed.
}

## A run that goes on

web-live-title = { $plan } on { $target }
label-web-live-note = Read from the record as it is written: an interval stands here within a second of being recorded.
label-web-live-needs-script = Without JavaScript this page shows the moment at which it was loaded; load it again for a newer one.
label-web-ended = The run has finished.
label-web-ended-early = The run was interrupted; what was measured until then is recorded.
label-web-stands-still = Nothing was added to this record for 15 seconds, and it has no end: the run was killed, or it waits.
label-web-report = Report page
label-web-live = Live page
label-web-now-iops = IOPS
label-web-now-bandwidth = bandwidth
label-web-now-p50 = median latency
label-web-now-p99 = 99th percentile
label-web-steps-ended = Steps that have ended
label-web-step = step
label-web-round = round

## Starting and stopping

label-web-start = Start a plan
label-web-start-button = Start
label-web-stop = Stop
label-web-needs-script = Starting and stopping need JavaScript.
label-web-being-prepared = Being prepared
web-preparing = { $plan } on { $target } is being prepared: test files are filled before anything is measured.
web-current = { $plan } on { $target } is running
web-not-carried-out = { $plan } on { $target } was not carried out: { $error }
label-web-nothing-runs = Nothing is running that was started here.
label-web-busy = A plan is running already. Two at a time would disturb each other: stop it, or wait for its end.
label-web-read-only = This server only shows runs. Starting and stopping must be allowed when it is started: plumb serve --allow-run PLAN --allow-target TARGET
label-web-not-allowed = This plan or this target is not among those that may be started here.

## Refusals

label-web-token = This page needs the token. Open the address that plumb serve printed when it started.
label-web-token-field = token
label-web-enter = Enter
label-web-wrong-host = The address in the browser names a host that this server does not go by. Use its IP address or localhost, or start it with --name NAME.
label-web-cross-site = The request came from another site and was refused.
label-web-not-found = There is no such page, or the run is not in the library any more.
label-web-method = This address does not take such a request.
label-web-request = The request is not understood.
label-web-two-runs = Choose two to eight runs to compare.
label-web-too-large = This record is too large for a page in the browser; plumb show reads it.
label-web-no-regular-file = This record holds a file that is no regular file; it is not read.
label-web-too-long = This is taking long, because the record is large or others are being read; load the page again in a moment.
label-web-failed = This record made plumb fail while the page was made. The server goes on; please report it with the record.
label-web-no-trend = No step of these runs has figures for a trend.
