//! How is a program followed without root's rights? plumb starts strace, which writes its log into a pipe, and ends it when the command has ended.

use std::ffi::OsString;
use std::io::PipeWriter;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_model::run::watch::CommandEnd;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::live_calls::name_mounts;
use plumb_observe::strace_log::{FirstProgram, options, read_log};

use super::subject::{Followed, Traced, Until};
use crate::system::{path_of_pipe, process_is_there, terminate_grandchild};
use crate::watch::command::WatchedCommand;

/// Between two looks at whether the command has ended.
const LOOK: Duration = Duration::from_millis(20);
/// strace runs as long as any process that the command has started: this long after the command's end it is stopped, and the rest continues without it.
const PATIENCE: Duration = Duration::from_millis(500);

/// strace's version; `None` if it cannot be started.
fn version() -> Option<String> {
    let version = Command::new("strace")
        .arg("-V")
        .stdin(Stdio::null())
        .output();
    let output = version.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether there is a strace that can be started.
pub(super) fn is_installed() -> bool {
    version().is_some()
}

/// Starts the command by strace, or has strace attach to the process, and follows it.
///
/// Errors: the command cannot be started, or strace may not trace it.
pub(super) fn follow(
    traced: Traced<'_>,
    until: &Until<'_>,
    receiver: &mut dyn TraceReceiver,
) -> anyhow::Result<Followed> {
    let (log, written) = std::io::pipe().context("cannot create a pipe for strace")?;
    let mut words: Vec<OsString> = vec!["strace".into()];
    words.extend(options(&version().unwrap_or_default()).map(OsString::from));
    words.extend(["-o".into(), path_of_pipe(&written).into()]);
    match traced {
        Traced::Command(command) => {
            words.push("--".into());
            words.extend(command.iter().cloned());
        }
        Traced::Process(process) => words.extend(["-p".into(), process.to_string().into()]),
    }
    let Some(strace) = WatchedCommand::start(&words)? else {
        bail!("nothing to trace");
    };
    name_mounts(&mut |point, file_system, source| receiver.mount(point, file_system, source));
    let program = FirstProgram::default();
    let (facts, ended) = std::thread::scope(|scope| {
        let overseer = scope.spawn(|| oversee(strace, written, traced, until, &program));
        let facts = read_log(log, &program, receiver);
        (facts, overseer.join())
    });
    let Ok(Ended { end, by_itself }) = ended else {
        bail!("the monitor of strace failed");
    };
    if facts.records == 0 && by_itself && end.as_ref().is_some_and(|end| !end.is_success()) {
        match traced {
            Traced::Command(command) => bail!(
                "{}: strace could not start it, and nothing was recorded; see its message above",
                command
                    .first()
                    .map(|word| word.to_string_lossy())
                    .unwrap_or_default()
            ),
            Traced::Process(process) => bail!(
                "strace could not attach to process {process}, and nothing was recorded; see its message above. Root is required for processes of other users and, if /proc/sys/kernel/yama/ptrace_scope is not 0, for all processes that strace did not start: start it with 'plumb trace -- COMMAND'"
            ),
        }
    }
    let is_command = matches!(traced, Traced::Command(_));
    Ok((facts, end.filter(|_| is_command)))
}

/// How strace ended, which ends as the command does.
struct Ended {
    end: Option<CommandEnd>,
    by_itself: bool,
}

/// Waits for the end of strace, or brings it about. The log ends when strace and `_written` have ended.
fn oversee(
    mut strace: WatchedCommand,
    _written: PipeWriter,
    traced: Traced<'_>,
    until: &Until<'_>,
    program: &FirstProgram,
) -> Ended {
    let begun = Instant::now();
    let (mut requested_at, mut alone_since): (Option<Instant>, Option<Instant>) = (None, None);
    loop {
        std::thread::sleep(LOOK);
        let now = Instant::now();
        let now_ns = (now - begun).as_nanos() as u64;
        if strace.has_ended() {
            return Ended {
                end: strace.end(),
                by_itself: requested_at.is_none(),
            };
        }
        if until.is_over(now - begun) && now - begun >= PATIENCE {
            match traced {
                // It leaves the process as it was.
                Traced::Process(_) => strace.request_end(now_ns),
                // A terminal sends Ctrl-C to the command too, which strace does not take for itself.
                Traced::Command(_) => {
                    if let (None, Some(process)) = (requested_at, program.process()) {
                        terminate_grandchild(process, strace.process());
                    }
                }
            }
            requested_at.get_or_insert(now);
        }
        let is_gone = |process| !process_is_there(process);
        let is_alone =
            matches!(traced, Traced::Command(_)) && program.process().is_some_and(is_gone);
        if is_alone && now - *alone_since.get_or_insert(now) >= PATIENCE {
            strace.kill();
            let end = CommandEnd {
                status: program.status(),
                signal: None,
                elapsed_ns: now_ns,
            };
            return Ended {
                end: Some(end),
                by_itself: false,
            };
        }
    }
}
