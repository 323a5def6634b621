//! How does one thread exchange memory and messages with a peer? An endpoint of libfabric with its queue of completions.

mod assemble;
mod completions;
mod description;
mod operations;
mod registration;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use plumb_model::statement::Statement;

use super::bindings::*;
use super::error::{call_failed, not_offered};
use super::library::{Library, Offers};
use super::provider::{EndpointRequest, choose, provider_of};

/// Longest address of an endpoint; providers use 4 to 64 bytes.
pub const ADDRESS_BYTES_MAX: usize = 256;

/// Room for the provider's notes on an operation (FI_CONTEXT2); its address names the operation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Context([usize; 8]);

impl Context {
    /// Room for `count` operations.
    pub fn several(count: usize) -> Box<[Context]> {
        vec![Context([0; 8]); count].into_boxed_slice()
    }
}

/// What came back.
#[derive(Debug, Clone, Copy)]
pub struct Completion {
    /// Address of the [`Context`].
    pub context: *const Context,
    /// Bytes received; 0 for what was sent.
    pub len: usize,
    pub tag: u64,
    /// 0, or the error number.
    pub error: i32,
}

/// What became of an operation that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    Yes,
    /// The provider's queue is full: again after some completions.
    Later,
    /// The error number.
    Failed(i32),
}

/// A range of memory, registered.
pub struct Registration {
    pub descriptor: *mut c_void,
    pub key: u64,
    /// What a peer adds to an offset: the address of the memory, or 0.
    pub base: u64,
}

/// An endpoint with all that it stands on. Stays on its thread.
pub struct Endpoint {
    library: Arc<Library>,
    offers: Offers,
    info: *mut Offer,
    fabric: *mut FabricFid,
    domain: *mut DomainFid,
    queue: *mut QueueFid,
    addresses: *mut AddressFid,
    endpoint: *mut EndpointFid,
    registrations: Vec<*mut MemoryFid>,
    next_key: u64,
    polling: bool,
    /// Tables of functions, taken out once.
    memory: *const RemoteMemoryOps,
    tagged: *const TaggedOps,
    pub counts: Counts,
}

/// How the endpoint was used.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    /// Looks at the queue of completions, which drive the provider.
    pub progress_calls: u64,
    /// Waits in the kernel among them.
    pub waits: u64,
    /// Operations that the provider's full queue put off.
    pub put_off: u64,
}

impl Endpoint {
    /// Opens an endpoint.
    ///
    /// # Errors
    /// No provider fits, or one of its parts cannot be created: what, and the library's error.
    pub fn open(
        library: &Arc<Library>,
        endpoint_request: &EndpointRequest<'_>,
    ) -> Result<Endpoint, Statement> {
        let (offers, info) = choose(library, endpoint_request)?;
        let mut endpoint = Endpoint {
            library: library.clone(),
            offers,
            info,
            fabric: ptr::null_mut(),
            domain: ptr::null_mut(),
            queue: ptr::null_mut(),
            addresses: ptr::null_mut(),
            endpoint: ptr::null_mut(),
            registrations: Vec::new(),
            next_key: 1,
            polling: endpoint_request.polling,
            memory: ptr::null(),
            tagged: ptr::null(),
            counts: Counts::default(),
        };
        let provider = endpoint.provider();
        endpoint.assemble(endpoint_request).map_err(|reason| {
            Statement::new("libfabric-provider-failed")
                .name("provider", provider)
                .part("reason", reason)
        })?;
        Ok(endpoint)
    }

    /// What was chosen of what is offered.
    pub fn info(&self) -> &Offer {
        debug_assert!(!self.offers.first().is_null());
        // SAFETY: an entry of `offers`, which lives as long as `self`.
        unsafe { &*self.info }
    }

    /// The provider's full name.
    pub fn provider(&self) -> String {
        provider_of(self.info())
    }

    /// Largest message or memory operation, in bytes.
    pub fn message_bytes_max(&self) -> usize {
        // SAFETY: an offer has all its parts.
        unsafe { (*self.info().ep_attr).max_msg_size }
    }

    /// Operations that the provider holds outstanding.
    pub fn outstanding_max(&self) -> usize {
        // SAFETY: an offer has all its parts.
        unsafe { (*self.info().tx_attr).size }
    }

    fn memory_mode(&self) -> c_int {
        // SAFETY: an offer has all its parts.
        unsafe { (*self.info().domain_attr).mr_mode }
    }

    /// The endpoint's address for [`Endpoint::insert`] of the peer.
    ///
    /// # Errors
    /// The library's error.
    pub fn name(&self) -> Result<Vec<u8>, Statement> {
        let mut name = vec![0u8; ADDRESS_BYTES_MAX];
        let mut len = name.len();
        // SAFETY: the endpoint is enabled; the buffer is `len` bytes long.
        let rc = unsafe {
            let getname = (*self.endpoint)
                .cm
                .as_ref()
                .and_then(|ops| ops.getname)
                .ok_or_else(|| not_offered("fi_getname"))?;
            getname(self.endpoint.cast(), name.as_mut_ptr().cast(), &raw mut len)
        };
        if rc != 0 || len > name.len() {
            return Err(call_failed(&self.library, "fi_getname", rc as isize));
        }
        name.truncate(len);
        Ok(name)
    }

    /// Makes the address of a peer known; returns how it is named from now on.
    ///
    /// # Errors
    /// The library's error: not an address of this provider.
    pub fn insert(&mut self, address: &[u8]) -> Result<u64, Statement> {
        let own = self.name()?;
        if address.len() != own.len() {
            return Err(Statement::new("rdma-address-of-another-length")
                .count("bytes", address.len() as u64)
                .name("provider", self.provider())
                .count("own", own.len() as u64));
        }
        let mut peer = u64::MAX;
        // SAFETY: the address has the length of those of this provider, and outlives the call.
        let count = unsafe {
            let insert = (*(*self.addresses).ops)
                .insert
                .ok_or_else(|| not_offered("fi_av_insert"))?;
            insert(
                self.addresses,
                address.as_ptr().cast(),
                1,
                &raw mut peer,
                0,
                ptr::null_mut(),
            )
        };
        if count == 1 {
            Ok(peer)
        } else {
            Err(call_failed(
                &self.library,
                "fi_av_insert",
                (count as isize).min(0),
            ))
        }
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let close = |fid: *mut Fid| {
            // SAFETY: each object is closed once, the endpoint first (fi_endpoint(3)), and what stands on others before those.
            if let Some(close) = unsafe { fid.as_ref().and_then(|fid| (*fid.ops).close) } {
                // SAFETY: as above. An object that is still in use reports it and stays: a leak at the end of a connection is better than its abuse.
                unsafe { close(fid) };
            }
        };
        close(self.endpoint.cast());
        self.registrations
            .drain(..)
            .for_each(|region| close(region.cast()));
        close(self.queue.cast());
        close(self.addresses.cast());
        close(self.domain.cast());
        close(self.fabric.cast());
    }
}
