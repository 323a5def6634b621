//! Which call has this name? System calls on files, io_uring requests, requests of block devices, and Windows file operations.

use plumb_model::trace::events::CallClass;

use super::table::{REQUESTS, system_call};
use crate::system::event_tracing::operations::operation_named;

/// Requests of block devices that no system call is named like (`trace_format::block_requests::meaning`).
const BLOCK_REQUESTS: [&str; 4] = ["discard", "flush", "other", "zone"];

/// Its name and class; `None` if it does not use files.
pub fn call_named(name: &[u8]) -> Option<(&'static str, CallClass)> {
    if let Some(call) = system_call(name) {
        return Some((call.name, call.class?));
    }
    let request = REQUESTS.iter().find(|(_, of, _)| of.as_bytes() == name);
    let request = request.map(|(_, name, class)| (*name, *class));
    let block_request = || {
        let name = BLOCK_REQUESTS.iter().find(|of| of.as_bytes() == name)?;
        Some((*name, CallClass::Metadata))
    };
    request
        .or_else(|| operation_named(name))
        .or_else(block_request)
}
