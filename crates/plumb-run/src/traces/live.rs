//! How is a program traced while it runs? It is started, or found, followed until it ends, and what it asked for is counted on the way.

use std::ffi::OsString;
use std::io;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use plumb_model::run::watch::CommandEnd;
use plumb_model::trace::summary::TraceSummary;
use plumb_observe::live_calls::LiveCalls;

use super::{Window, Within};
use crate::Stop;
use crate::system::process_is_there;
use crate::watch::command::WatchedCommand;

/// Between two looks: names of files are looked up while they are open.
const LOOK: Duration = Duration::from_millis(4);
/// What helps where the kernel's tracepoints may not be used.
const REMEDY: &str = "trace as root, or without its rights by strace, which slows the program down: 'strace -f -ttt -T -y -o app.strace COMMAND' (or '-p PID'), then 'plumb trace app.strace'";

/// Who is traced.
#[derive(Debug, Clone, Copy)]
pub enum Traced<'a> {
    /// A command that is started for it: the program and its arguments.
    Command(&'a [OsString]),
    /// A process that runs.
    Process(u32),
}

/// What came of it.
pub struct LiveTrace {
    pub summary: TraceSummary,
    /// How the command ended; missing for a process that was there before.
    pub end: Option<CommandEnd>,
    pub interrupted: bool,
}

/// Traces until the command or process ends, `duration` is over, or plumb is asked to stop; a command is asked to end then.
///
/// Errors: the kernel's tracepoints may not be used, there is no such process, or the command cannot be started.
pub fn live(
    traced: Traced<'_>,
    duration: Option<Duration>,
    stop: &Stop,
) -> anyhow::Result<LiveTrace> {
    let window = Window::default();
    let mut within = Within::of(&window);
    let (shown, mut calls, mut command) = match traced {
        Traced::Command(words) => {
            let calls = LiveCalls::of_started_programs(&mut within).map_err(refused)?;
            let command = WatchedCommand::start(words, 0)?;
            let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
            (words.join(" "), calls, command)
        }
        Traced::Process(process) => {
            if !process_is_there(process) {
                anyhow::bail!("there is no process {process}; 'pgrep -a NAME' finds its number");
            }
            let calls = LiveCalls::of_process(process, &mut within).map_err(refused)?;
            (format!("process {process}"), calls, None)
        }
    };
    let begun = Instant::now();
    loop {
        std::thread::sleep(LOOK);
        calls.look();
        let now_ns = begun.elapsed().as_nanos() as u64;
        let is_over = duration.is_some_and(|duration| begun.elapsed() >= duration);
        match (&mut command, traced) {
            (Some(command), _) => {
                if command.has_ended(now_ns) {
                    break;
                }
                if is_over || stop.is_asked() {
                    command.ask_to_end(now_ns);
                }
            }
            (None, Traced::Process(process))
                if process_is_there(process) && !is_over && !stop.is_asked() => {}
            (None, _) => break,
        }
    }
    let facts = calls.end();
    Ok(LiveTrace {
        summary: within
            .tally
            .summary_of_calls(shown, env!("CARGO_PKG_VERSION"), facts),
        end: command.and_then(|mut command| command.end()),
        interrupted: stop.is_asked(),
    })
}

fn refused(error: io::Error) -> anyhow::Error {
    anyhow!("the kernel's tracepoints (raw_syscalls) cannot be used ({error}); {REMEDY}")
}
