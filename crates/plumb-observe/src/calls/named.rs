//! Which call has this name? System calls on files, io_uring requests, and Windows file operations.

use plumb_model::trace::events::CallClass;

use super::table::{REQUESTS, system_call};
use crate::system::event_tracing::operations::operation_named;

/// Its name and class; `None` if it does not use files.
pub fn call_named(name: &[u8]) -> Option<(&'static str, CallClass)> {
    if let Some(call) = system_call(name) {
        return Some((call.name, call.class?));
    }
    let request = REQUESTS.iter().find(|(_, of, _)| of.as_bytes() == name);
    let request = request.map(|(_, name, class)| (*name, *class));
    request.or_else(|| operation_named(name))
}
