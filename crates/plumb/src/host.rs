//! What differs between systems here? Which signals end a run in good order.

/// Signals after which files are removed and the record is closed: interrupt (Ctrl-C), terminate, quit, and a lost terminal.
#[cfg(unix)]
pub const ENDING_SIGNALS: &[i32] =
    &[signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGQUIT, signal_hook::consts::SIGHUP];

/// Ctrl-C and terminate.
#[cfg(not(unix))]
pub const ENDING_SIGNALS: &[i32] = &[signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];
