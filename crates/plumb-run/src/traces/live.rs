//! How is a program traced while it runs? It is started, or found, followed until it ends by the best method available, and its requests are counted on the
//! way.

mod by_events;
mod by_samples;
mod by_strace;
mod by_tracepoints;
mod subject;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use plumb_model::explain::account::TimeAccount;
use plumb_model::run::watch::CommandEnd;
use plumb_model::trace::summary::TraceSummary;
use plumb_observe::device_load::DevicesBefore;
use plumb_observe::group_limits::{GroupLimits, watch};
use plumb_observe::live_calls::{CallPoints, not_on_this_system};
use plumb_observe::trace_format::event_tracing::{self, EventSession};

use super::kept::{self, Both};
use super::{Window, Within};
use crate::Stop;
use crate::notices::say;
use crate::system::process_is_there;
pub use subject::Traced;
use subject::Until;

/// What helps where neither may be used.
const REMEDY: &str = "trace as root; or install strace, with which plumb traces without root privileges, but slows the program down";

/// By what calls are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// The kernel's tracepoints.
    Tracepoints,
    /// strace, which plumb starts.
    Strace,
    /// Looks at the threads in /proc, many times a second.
    Samples,
    /// The events of Windows' kernel.
    Events,
}

/// By what they are seen now.
enum Opened {
    Points(Box<CallPoints>),
    Strace,
    Samples,
    Events(EventSession),
}

/// What came of it.
pub struct LiveTrace {
    pub summary: TraceSummary,
    /// How the command ended; missing for a process that was there before.
    pub end: Option<CommandEnd>,
    pub interrupted: bool,
    /// Calls in the file in which they were to be kept, or why not all are; missing where none was wanted.
    pub kept: Option<anyhow::Result<u64>>,
    /// The account of time, where it was wanted and the calls have times.
    pub account: Option<TimeAccount>,
}

/// How a program is traced.
#[derive(Debug, Clone, Copy, Default)]
pub struct LiveSettings<'a> {
    /// By default tracepoints where they may be used, else strace; on Windows the events of its kernel.
    pub means: Option<Means>,
    pub duration: Option<Duration>,
    /// Keep calls in this file.
    pub keep: Option<&'a Path>,
    pub with_account: bool,
}

/// Traces until the command or process ends, the duration is over, or plumb is requested to stop; a command is then requested to end.
///
/// Errors: this system has neither, neither may be used, there is no such process, the command cannot be started, or the file is there already.
pub fn live(
    traced: Traced<'_>,
    settings: &LiveSettings<'_>,
    stop: &Stop,
) -> anyhow::Result<LiveTrace> {
    let LiveSettings {
        means,
        duration,
        keep,
        with_account,
    } = *settings;
    if let Some(reason) = not_on_this_system() {
        anyhow::bail!(reason);
    }
    if let Traced::Process(process) = traced
        && !process_is_there(process)
    {
        let finds = match event_tracing::IS_HERE {
            true => "tasklist",
            false => "pgrep -a NAME",
        };
        anyhow::bail!("no such process: {process}; find its ID with '{finds}'");
    }
    let window = Window::default();
    let mut within = match with_account {
        true => Within::with_account(&window),
        false => Within::of(&window),
    };
    let until = Until { duration, stop };
    let opened = opened(traced, means, with_account)?;
    let format = match opened {
        Opened::Points(_) => "perf",
        Opened::Strace => "strace",
        Opened::Samples => "samples",
        Opened::Events(_) => "etw",
    };
    let mut file = keep.map(|file| kept::begin(file, format)).transpose()?;
    let mut both = Both {
        figures: &mut within,
        kept: file.as_mut(),
    };
    let process = match traced {
        Traced::Command(_) => None,
        Traced::Process(process) => Some(process),
    };
    let devices = DevicesBefore::of(process);
    let (followed, limits) = with_limits(process, || match opened {
        Opened::Points(points) => by_tracepoints::follow(traced, *points, &until, &mut both),
        Opened::Strace => by_strace::follow(traced, &until, &mut both),
        Opened::Samples => by_samples::follow(traced, &until, &mut both),
        Opened::Events(session) => by_events::follow(traced, session, &until, &mut both),
    });
    if let (Err(_), Some(file)) = (&followed, keep) {
        // It was made a moment ago, and holds nothing.
        let _ = std::fs::remove_file(file);
    }
    let (mut facts, end) = followed?;
    facts.devices = devices.until_now();
    (facts.memory_limits, facts.io_limits) = (limits.memory, limits.io);
    let kept = file.zip(keep);
    let kept = kept.map(|(kept, file)| kept::end(kept, file, &facts));
    let version = env!("CARGO_PKG_VERSION");
    let account = within.take_account();
    Ok(LiveTrace {
        account,
        summary: within
            .tally
            .summary_of_calls(traced.shown(), version, facts),
        end,
        interrupted: stop.is_requested(),
        kept,
    })
}

/// Follows, and looks meanwhile for limits of control groups; there are none where no thread can be started for it.
fn with_limits<T>(process: Option<u32>, follow: impl FnOnce() -> T) -> (T, GroupLimits) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = std::thread::Builder::new().spawn_scoped(scope, || watch(process, &is_over));
        let followed = follow();
        is_over.store(true, Ordering::Release);
        let limits = watcher.ok().and_then(|watcher| {
            watcher.thread().unpark();
            watcher.join().ok()
        });
        (followed, limits.unwrap_or_default())
    })
}

/// What is to be used, opened where it has to be.
fn opened(traced: Traced<'_>, means: Option<Means>, with_account: bool) -> anyhow::Result<Opened> {
    match (event_tracing::IS_HERE, means) {
        (true, None | Some(Means::Events)) => return Ok(Opened::Events(EventSession::begin()?)),
        (true, Some(_)) => anyhow::bail!(
            "tracepoints and strace are available on Linux only; on Windows plumb trace uses kernel events: omit '--by'"
        ),
        (false, Some(Means::Events)) => anyhow::bail!(
            "event tracing is available on Windows only; use '--by perf' or '--by strace'"
        ),
        (false, _) => {}
    }
    if means == Some(Means::Strace) {
        return match by_strace::is_installed() {
            true => Ok(Opened::Strace),
            false => Err(anyhow!("strace is not installed; {REMEDY}")),
        };
    }
    if means == Some(Means::Samples) {
        return match with_account {
            true => Ok(Opened::Samples),
            false => Err(anyhow!(
                "samples show the time of threads and no calls: use 'plumb why --by samples'"
            )),
        };
    }
    let opened = match traced {
        Traced::Command(_) => CallPoints::of_started_programs(),
        Traced::Process(process) => CallPoints::of_process(process),
    };
    match opened {
        Ok(points) => Ok(Opened::Points(Box::new(points))),
        Err(error) if means.is_none() && with_account => {
            say(&format!(
                "the kernel's tracepoints are not available ({error}): threads are sampled instead, which shows no single calls. As root, plumb sees each call; '--by strace' shows those on files, and slows the program down"
            ));
            Ok(Opened::Samples)
        }
        Err(error) if means.is_none() && by_strace::is_installed() => {
            say(&format!(
                "the kernel's tracepoints are not available ({error}): tracing with strace, which slows the program down"
            ));
            Ok(Opened::Strace)
        }
        Err(error) => Err(refused(&error, means)),
    }
}

fn refused(error: &io::Error, means: Option<Means>) -> anyhow::Error {
    let remedy = match means {
        None => REMEDY,
        Some(_) => "trace as root, or with '--by strace', which slows the program down",
    };
    anyhow!("the kernel's tracepoints (raw_syscalls) are not available ({error}); {remedy}")
}
