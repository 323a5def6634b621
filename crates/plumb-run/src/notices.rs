//! How does the user hear of what goes on while something is measured? By the crate `log`: the program says where it is shown, and without one nothing is.

/// The target of all records: what the user of plumb is told, as opposed to what other crates log.
pub const TARGET: &str = "plumb";

/// Tells the user something that is no result, in one or several lines.
pub(crate) fn say(text: &str) {
    log::info!(target: TARGET, "{text}");
}
