### Texts of `plumb serve` in a browser.

web-title = plumb: { $title }
label-web-library = Library
label-web-message = Not done
label-web-filter = Filter
label-web-all = Show all runs
label-web-tag = tag
label-web-since = since
label-web-until = until
label-web-choose = select
label-web-compare = Compare the selected runs
label-web-trend = Trend
label-web-bandwidth = highest bandwidth
label-web-iops = highest IOPS
label-web-latency = lowest median latency
label-web-best-of = The figures are the best of all steps of a run; the step of each is below it.
label-web-running = running
label-web-interrupted = interrupted
label-web-incomplete = incomplete
label-web-empty = There are no runs here yet: plumb check makes one.
label-web-none = No run matches these filters.
label-web-newer = Newer
label-web-older = Older
label-web-choose-one = A trend covers one plan, one host and one target. Select:
web-page = Page { $page } of { $pages }
web-pending = { $count ->
    [one] The figures of one run are still being read.
   *[other] The figures of { $count } runs are still being read.
}
web-links = { $count ->
    [one] One symbolic link was not followed.
   *[other] { $count } symbolic links were not followed.
}

## A run in progress

web-live-title = { $plan } on { $target }
label-web-live-note = Read from the record as it is written: an interval appears here within a second of being recorded.
label-web-live-needs-script = Without JavaScript this page shows the state when it was loaded; reload it to update.
label-web-ended = The run has finished.
label-web-ended-early = The run was interrupted; the results until then are recorded.
label-web-stands-still = Nothing was added to this record for 15 seconds, and it has no end: the run was killed, or it waits.
label-web-report = Report page
label-web-live = Live page
label-web-now-iops = IOPS
label-web-now-bandwidth = bandwidth
label-web-now-p50 = median latency
label-web-now-p99 = 99th percentile
label-web-steps-ended = Completed steps
label-web-step = step
label-web-round = round

## Starting and stopping

label-web-start = Start a plan
label-web-start-button = Start
label-web-stop = Stop
label-web-needs-script = Starting and stopping need JavaScript.
label-web-being-prepared = Preparing
web-preparing = { $plan } on { $target } is being prepared: test files are filled before anything is measured.
web-current = { $plan } on { $target } is running
web-not-carried-out = { $plan } on { $target } could not run: { $error }
label-web-nothing-runs = No run that was started here is running.
label-web-busy = A plan is already running. Two at a time would disturb each other: stop it, or wait for it to end.
label-web-read-only = This server only shows runs. To start and stop runs here, start it with plumb serve --allow-run PLAN --allow-target TARGET
label-web-not-allowed = This plan or this target is not allowed here.

## Refusals

label-web-token = This page needs the token. Open the address that plumb serve printed when it started.
label-web-token-field = token
label-web-enter = Enter
label-web-wrong-host = The host name in this address is not allowed by this server. Use its IP address or localhost, or start it with --name NAME.
label-web-cross-site = The request came from another site and was refused.
label-web-not-found = There is no such page, or the run is no longer in the library.
label-web-method = This address does not support such a request.
label-web-request = The request is not valid.
label-web-two-runs = Select two to eight runs to compare.
label-web-too-large = This record is too large for a page in the browser; plumb show reads it.
label-web-no-regular-file = This record contains something other than a regular file; it is not read.
label-web-too-long = This is taking long, because the record is large or others are being read; reload the page in a moment.
label-web-failed = plumb failed to create the page of this record. The server continues; please report it with the record.
label-web-no-trend = No step of these runs has figures for a trend.
