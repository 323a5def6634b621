//! Which call has this name? System calls that concern files, and requests of io_uring.

use plumb_model::trace::events::CallClass;

use super::requests::REQUESTS;
use super::table::system_call;

/// Its name and class; `None` when it concerns no file.
pub fn call_named(name: &[u8]) -> Option<(&'static str, CallClass)> {
    if let Some(call) = system_call(name) {
        return Some((call.name, call.class?));
    }
    let request = REQUESTS.iter().find(|(_, of, _)| of.as_bytes() == name);
    request.map(|(_, name, class)| (*name, *class))
}
