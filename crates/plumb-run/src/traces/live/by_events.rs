//! How is a program followed by the events of Windows' kernel? A session is begun before it starts, and what comes of it is looked at until it ends.

use std::time::Duration;

use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::trace_format::event_tracing::{EventSession, LiveEvents};

use super::subject::{Followed, Subject, Traced, Until};

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
    let mut subject = Subject::begin(traced)?;
    let mut events = LiveEvents::of(session, subject.process(), receiver);
    loop {
        std::thread::sleep(LOOK);
        events.look();
        if !subject.goes_on(until) {
            break;
        }
    }
    Ok((events.end(), subject.end()))
}
