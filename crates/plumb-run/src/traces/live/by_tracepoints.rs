//! How is a program followed by the kernel's tracepoints? Their records are looked at every few milliseconds, until it ends.

use std::time::{Duration, Instant};

use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::live_calls::{CallPoints, LiveCalls};

use super::subject::{Followed, Traced, Until};
use crate::system::process_is_there;
use crate::watch::command::WatchedCommand;

/// Between two looks: names of files are looked up while they are open.
const LOOK: Duration = Duration::from_millis(4);

/// Starts the command, where it is one, and follows it.
///
/// Errors: it cannot be started.
pub(super) fn follow(
    traced: Traced<'_>,
    points: CallPoints,
    until: &Until<'_>,
    receiver: &mut dyn TraceReceiver,
) -> anyhow::Result<Followed> {
    let mut calls = LiveCalls::of(points, receiver);
    let mut command = match traced {
        Traced::Command(words) => WatchedCommand::start(words, 0)?,
        Traced::Process(_) => None,
    };
    let begun = Instant::now();
    loop {
        std::thread::sleep(LOOK);
        calls.look();
        let elapsed = begun.elapsed();
        let now_ns = elapsed.as_nanos() as u64;
        let is_over = until.is_over(elapsed);
        match (&mut command, traced) {
            (Some(command), _) => {
                if command.has_ended(now_ns) {
                    break;
                }
                if is_over {
                    command.request_end(now_ns);
                }
            }
            (None, Traced::Process(process)) if process_is_there(process) && !is_over => {}
            (None, _) => break,
        }
    }
    Ok((calls.end(), command.and_then(|mut command| command.end())))
}
