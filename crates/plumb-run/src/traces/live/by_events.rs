//! How is a program followed by the events of Windows' kernel? A session is begun before it starts, and what comes of it is looked at until it ends.

use std::time::{Duration, Instant};

use anyhow::bail;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::trace_format::event_tracing::{EventSession, LiveEvents};

use super::subject::{Followed, Traced, Until};
use crate::system::process_is_there;
use crate::watch::command::WatchedCommand;

/// Between two looks. Windows hands over its buffers once a second, or when they are full.
const LOOK: Duration = Duration::from_millis(20);

/// Starts the command, where it is one, and follows it.
///
/// Errors: it cannot be started.
pub(super) fn follow(
    traced: Traced<'_>,
    session: EventSession,
    until: &Until<'_>,
    receiver: &mut dyn TraceReceiver,
) -> anyhow::Result<Followed> {
    let mut command = match traced {
        Traced::Command(words) => WatchedCommand::start(words, 0)?,
        Traced::Process(_) => None,
    };
    let process = match (&command, traced) {
        (Some(command), _) => command.process(),
        (None, Traced::Process(process)) => process,
        (None, Traced::Command(_)) => bail!("nothing to trace"),
    };
    let mut events = LiveEvents::of(session, process, receiver);
    let begun = Instant::now();
    loop {
        std::thread::sleep(LOOK);
        events.look();
        let elapsed = begun.elapsed();
        let now_ns = elapsed.as_nanos() as u64;
        let is_over = until.is_over(elapsed);
        match &mut command {
            Some(command) => {
                if command.has_ended(now_ns) {
                    break;
                }
                if is_over {
                    command.request_end(now_ns);
                }
            }
            None if process_is_there(process) && !is_over => {}
            None => break,
        }
    }
    Ok((events.end(), command.and_then(|mut command| command.end())))
}
