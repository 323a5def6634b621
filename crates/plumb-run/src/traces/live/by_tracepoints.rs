//! How is a program followed by the kernel's tracepoints? Their records are looked at every few milliseconds, until it ends.

use std::time::Duration;

use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::live_calls::{CallPoints, LiveCalls};

use super::subject::{Followed, Subject, Traced, Until};

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
    let mut subject = Subject::begin(traced)?;
    loop {
        std::thread::sleep(LOOK);
        calls.look();
        if !subject.goes_on(until) {
            break;
        }
    }
    Ok((calls.end(), subject.end()))
}
