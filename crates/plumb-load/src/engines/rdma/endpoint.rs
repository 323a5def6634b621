//! How does one thread exchange memory and messages with a peer? An endpoint of libfabric with its queue of completions.

mod description;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use super::bindings::*;
use super::library::{Library, Offers};
use super::provider::{Wanted, choose, provider_of};

/// Completions taken at once.
const ENTRIES: usize = 64;
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

/// What libfabric says to a call, in words.
fn said(library: &Library, what: &str, rc: isize) -> String {
    format!("{what}: {}", library.error(rc))
}

impl Endpoint {
    /// Opens an endpoint.
    ///
    /// # Errors
    /// No provider fits, or one of its parts cannot be had: what, and what the library says.
    pub fn open(library: &Arc<Library>, wanted: &Wanted<'_>) -> Result<Endpoint, String> {
        let (offers, info) = choose(library, wanted)?;
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
            polling: wanted.polling,
            memory: ptr::null(),
            tagged: ptr::null(),
            counts: Counts::default(),
        };
        let provider = endpoint.provider();
        endpoint
            .assemble(wanted)
            .map_err(|error| format!("provider {provider}: {error}"))?;
        Ok(endpoint)
    }

    /// Opens fabric, domain, queue, addresses and endpoint, in this order; what was opened is closed by `Drop`.
    fn assemble(&mut self, wanted: &Wanted<'_>) -> Result<(), String> {
        let library = self.library.clone();
        let checked = |what: &str, rc: c_int| {
            if rc == 0 {
                Ok(())
            } else {
                Err(said(&library, what, rc as isize))
            }
        };
        let missing = |what: &str| format!("{what} is not offered");
        // SAFETY: `info` is an entry of `offers`, which lives as long; each object is used only after the call that made it has succeeded, with the
        // table of functions that it came with.
        unsafe {
            checked(
                "fi_fabric",
                (library.open_fabric)(
                    (*self.info).fabric_attr,
                    &raw mut self.fabric,
                    ptr::null_mut(),
                ),
            )?;
            let domain = (*(*self.fabric).ops)
                .domain
                .ok_or_else(|| missing("fi_domain"))?;
            checked(
                "fi_domain",
                domain(
                    self.fabric,
                    self.info,
                    &raw mut self.domain,
                    ptr::null_mut(),
                ),
            )?;
            let ops = &*(*self.domain).ops;
            let mut attributes = QueueAttributes {
                size: (4 * wanted.depth + 64).next_power_of_two(),
                flags: 0,
                format: FI_CQ_FORMAT_TAGGED,
                wait_obj: if wanted.polling {
                    FI_WAIT_NONE
                } else {
                    FI_WAIT_UNSPEC
                },
                signaling_vector: 0,
                wait_cond: 0,
                wait_set: ptr::null_mut(),
            };
            let open = ops.cq_open.ok_or_else(|| missing("fi_cq_open"))?;
            checked(
                "fi_cq_open",
                open(
                    self.domain,
                    &raw mut attributes,
                    &raw mut self.queue,
                    ptr::null_mut(),
                ),
            )?;
            let mut attributes = AddressAttributes {
                kind: FI_AV_TABLE,
                rx_ctx_bits: 0,
                count: 1,
                ep_per_node: 0,
                name: ptr::null(),
                map_addr: ptr::null_mut(),
                flags: 0,
            };
            let open = ops.av_open.ok_or_else(|| missing("fi_av_open"))?;
            checked(
                "fi_av_open",
                open(
                    self.domain,
                    &raw mut attributes,
                    &raw mut self.addresses,
                    ptr::null_mut(),
                ),
            )?;
            let open = ops.endpoint.ok_or_else(|| missing("fi_endpoint"))?;
            checked(
                "fi_endpoint",
                open(
                    self.domain,
                    self.info,
                    &raw mut self.endpoint,
                    ptr::null_mut(),
                ),
            )?;
            let own = &*(*self.endpoint).fid.ops;
            let (bind, control) = own
                .bind
                .zip(own.control)
                .ok_or_else(|| missing("fi_ep_bind"))?;
            let fid: *mut Fid = self.endpoint.cast();
            checked(
                "fi_ep_bind",
                bind(fid, self.queue.cast(), FI_TRANSMIT | FI_RECV),
            )?;
            checked("fi_ep_bind", bind(fid, self.addresses.cast(), 0))?;
            checked("fi_enable", control(fid, FI_ENABLE, ptr::null_mut()))
                .map_err(|error| error + self.remedy_of_queues())?;
            (self.memory, self.tagged) = ((*self.endpoint).rma, (*self.endpoint).tagged);
            let whole = !self.memory.is_null()
                && !self.tagged.is_null()
                && (*self.memory).read.is_some()
                && (*self.memory).write.is_some()
                && (*self.memory).writemsg.is_some()
                && (*self.tagged).recv.is_some()
                && (*self.tagged).send.is_some()
                && (*(*self.queue).ops).read.is_some()
                && (*(*self.queue).ops).readerr.is_some();
            if whole {
                Ok(())
            } else {
                Err(missing(
                    "one of fi_read, fi_write, fi_tsend, fi_trecv, fi_cq_read",
                ))
            }
        }
    }

    /// What helps when the endpoint's queues cannot be had: ofi_rxm makes one completion queue for all messages of 256 peers at once, 262,144
    /// entries (seen: libfabric 1.17), and Linux's RDMA in software allows 32,767.
    fn remedy_of_queues(&self) -> &'static str {
        if self.provider().ends_with("ofi_rxm") && std::env::var_os("FI_UNIVERSE_SIZE").is_none() {
            " (set FI_UNIVERSE_SIZE=16 in the environment of both ends where an adapter, such as RDMA in software, has no room for long queues)"
        } else {
            ""
        }
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
    /// What the library says.
    pub fn name(&self) -> Result<Vec<u8>, String> {
        let mut name = vec![0u8; ADDRESS_BYTES_MAX];
        let mut len = name.len();
        // SAFETY: the endpoint is enabled; the buffer is as long as `len` says.
        let rc = unsafe {
            let getname = (*self.endpoint)
                .cm
                .as_ref()
                .and_then(|ops| ops.getname)
                .ok_or("fi_getname is not offered")?;
            getname(self.endpoint.cast(), name.as_mut_ptr().cast(), &raw mut len)
        };
        if rc != 0 || len > name.len() {
            return Err(said(&self.library, "fi_getname", rc as isize));
        }
        name.truncate(len);
        Ok(name)
    }

    /// Makes the address of a peer known; returns how it is named from now on.
    ///
    /// # Errors
    /// What the library says: it is no address of this provider.
    pub fn insert(&mut self, address: &[u8]) -> Result<u64, String> {
        let own = self.name()?;
        if address.len() != own.len() {
            return Err(format!(
                "the peer's address has {} bytes, and {} has addresses of {}",
                address.len(),
                self.provider(),
                own.len()
            ));
        }
        let mut peer = u64::MAX;
        // SAFETY: the address has the length of those of this provider, and outlives the call.
        let count = unsafe {
            let insert = (*(*self.addresses).ops)
                .insert
                .ok_or("fi_av_insert is not offered")?;
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
            Err(said(&self.library, "fi_av_insert", (count as isize).min(0)))
        }
    }

    /// Registers memory. `remote`: the peer reads and writes it.
    ///
    /// # Errors
    /// What the library says; with an adapter often that too little memory may be locked.
    ///
    /// # Safety
    /// The memory outlives the endpoint.
    pub unsafe fn register(
        &mut self,
        start: *mut u8,
        bytes: usize,
        remote: bool,
    ) -> Result<Registration, String> {
        let mode = self.memory_mode();
        if !remote && mode & FI_MR_LOCAL == 0 {
            return Ok(Registration {
                descriptor: ptr::null_mut(),
                key: 0,
                base: 0,
            });
        }
        let local = FI_READ | FI_WRITE | FI_TRANSMIT | FI_RECV;
        let access = if remote {
            FI_REMOTE_READ | FI_REMOTE_WRITE | local
        } else {
            local
        };
        let asked = if mode & FI_MR_PROV_KEY == 0 {
            self.next_key
        } else {
            0
        };
        self.next_key += 1;
        let mut region: *mut MemoryFid = ptr::null_mut();
        // SAFETY: the domain is open; the memory is valid, as the caller promises.
        let rc = unsafe {
            let reg = (*(*self.domain).mr).reg.ok_or("fi_mr_reg is not offered")?;
            reg(
                self.domain.cast(),
                start.cast(),
                bytes,
                access,
                0,
                asked,
                0,
                &raw mut region,
                ptr::null_mut(),
            )
        };
        if rc != 0 {
            let hint = if rc == -libc::ENOMEM {
                " (raise the limit of locked memory: ulimit -l unlimited)"
            } else {
                ""
            };
            return Err(format!(
                "{}{hint}",
                said(
                    &self.library,
                    &format!("registering {bytes} bytes of memory"),
                    rc as isize
                )
            ));
        }
        self.registrations.push(region);
        if mode & FI_MR_ENDPOINT != 0 {
            // SAFETY: both objects are open.
            let rc = unsafe {
                let ops = &*(*region).fid.ops;
                let (bind, control) = ops
                    .bind
                    .zip(ops.control)
                    .ok_or("fi_mr_bind is not offered")?;
                match bind(region.cast(), self.endpoint.cast(), 0) {
                    0 => control(region.cast(), FI_ENABLE, ptr::null_mut()),
                    rc => rc,
                }
            };
            if rc != 0 {
                return Err(said(&self.library, "fi_mr_enable", rc as isize));
            }
        }
        // SAFETY: the registration is open; its fields are for its user.
        let (descriptor, key) = unsafe { ((*region).mem_desc, (*region).key) };
        Ok(Registration {
            descriptor,
            key,
            base: if mode & FI_MR_VIRT_ADDR != 0 {
                start as u64
            } else {
                0
            },
        })
    }

    fn begun(&mut self, rc: isize) -> Begun {
        match -rc {
            0 => Begun::Yes,
            FI_EAGAIN => {
                self.counts.put_off += 1;
                Begun::Later
            }
            error => Begun::Failed(i32::try_from(error).unwrap_or(libc::EIO)),
        }
    }

    /// Reads `len` bytes of the peer's memory (`write`: writes them), one-sided. Done when the data is here (there).
    ///
    /// # Safety
    /// `buffer` and `context` are valid, and nobody else uses them, until the completion; `descriptor` is that of the buffer's registration.
    pub unsafe fn move_memory(
        &mut self,
        write: bool,
        (buffer, len, descriptor): (*mut u8, usize, *mut c_void),
        peer: u64,
        (address, key): (u64, u64),
        context: *mut Context,
    ) -> Begun {
        // SAFETY: the table was found whole when the endpoint was opened; the rest is the caller's promise.
        let rc = unsafe {
            let call = if write {
                (*self.memory).write
            } else {
                (*self.memory).read
            };
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    buffer.cast(),
                    len,
                    descriptor,
                    peer,
                    address,
                    key,
                    context.cast(),
                )
            })
        };
        self.begun(rc)
    }

    /// Writes to the peer's memory as [`Endpoint::move_memory`] does, but done when `buffer` may be used again: the peer tells nothing, and sees the data by
    /// looking. Over TCP this saves the message back that a write with completion at delivery waits for; adapters acknowledge every write by themselves.
    ///
    /// # Safety
    /// As for [`Endpoint::move_memory`].
    pub unsafe fn put(
        &mut self,
        (buffer, len, descriptor): (*mut u8, usize, *mut c_void),
        peer: u64,
        (address, key): (u64, u64),
        context: *mut Context,
    ) -> Begun {
        let here = LocalRange {
            start: buffer.cast(),
            len,
        };
        let there = RemoteRange {
            addr: address,
            len,
            key,
        };
        let message = RemoteMemoryMessage {
            msg_iov: &raw const here,
            desc: &raw const descriptor,
            iov_count: 1,
            addr: peer,
            rma_iov: &raw const there,
            rma_iov_count: 1,
            context: context.cast(),
            data: 0,
        };
        // SAFETY: the table was found whole when the endpoint was opened; the lists are read within the call (fi_rma(3)); the rest is the caller's promise.
        let rc = unsafe {
            let call = (*self.memory).writemsg;
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    &raw const message,
                    FI_COMPLETION | FI_INJECT_COMPLETE,
                )
            })
        };
        self.begun(rc)
    }

    /// Sends a message. Done when the peer has it.
    ///
    /// # Safety
    /// As for [`Endpoint::move_memory`].
    pub unsafe fn send(
        &mut self,
        (buffer, len, descriptor): (*const u8, usize, *mut c_void),
        peer: u64,
        tag: u64,
        context: *mut Context,
    ) -> Begun {
        // SAFETY: as above.
        let rc = unsafe {
            let call = (*self.tagged).send;
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    buffer.cast(),
                    len,
                    descriptor,
                    peer,
                    tag,
                    context.cast(),
                )
            })
        };
        self.begun(rc)
    }

    /// Awaits a message with this tag, apart from the bits of `ignore`.
    ///
    /// # Safety
    /// As for [`Endpoint::move_memory`].
    pub unsafe fn receive(
        &mut self,
        (buffer, len, descriptor): (*mut u8, usize, *mut c_void),
        peer: u64,
        (tag, ignore): (u64, u64),
        context: *mut Context,
    ) -> Begun {
        // SAFETY: as above.
        let rc = unsafe {
            let call = (*self.tagged).recv;
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    buffer.cast(),
                    len,
                    descriptor,
                    peer,
                    tag,
                    ignore,
                    context.cast(),
                )
            })
        };
        self.begun(rc)
    }

    /// Appends what is done. `timeout_ms` 0 does not wait; else it waits for one completion, in the kernel, and comes back without any after this time.
    ///
    /// # Errors
    /// The queue itself is broken: the error number and what the library says.
    pub fn completions(
        &mut self,
        timeout_ms: i32,
        done: &mut Vec<Completion>,
    ) -> Result<(), (i32, String)> {
        let none = QueueEntry {
            op_context: ptr::null_mut(),
            flags: 0,
            len: 0,
            buf: ptr::null_mut(),
            data: 0,
            tag: 0,
        };
        let mut entries = [none; ENTRIES];
        self.counts.progress_calls += 1;
        // SAFETY: the queue is open; the array is as long as said and of the format that the queue was opened with.
        let rc = unsafe {
            let ops = &*(*self.queue).ops;
            let (room, count) = (entries.as_mut_ptr().cast(), ENTRIES);
            match (ops.read, ops.sread) {
                (_, Some(sread)) if timeout_ms > 0 && !self.polling => {
                    self.counts.waits += 1;
                    sread(self.queue, room, count, ptr::null(), timeout_ms)
                }
                (Some(read), _) => read(self.queue, room, count),
                (None, _) => -(libc::EIO as isize),
            }
        };
        match -rc {
            FI_EAGAIN | FI_EINTR => Ok(()),
            FI_EAVAIL => self.failed_completion(done),
            error if error > 0 => Err((
                i32::try_from(error).unwrap_or(libc::EIO),
                said(&self.library, "fi_cq_read", rc),
            )),
            _ => {
                let taken = &entries[..(rc as usize).min(ENTRIES)];
                done.extend(taken.iter().map(|entry| Completion {
                    context: entry.op_context.cast(),
                    len: entry.len,
                    tag: entry.tag,
                    error: 0,
                }));
                Ok(())
            }
        }
    }

    #[cold]
    fn failed_completion(&mut self, done: &mut Vec<Completion>) -> Result<(), (i32, String)> {
        // SAFETY: all fields may be zero.
        let mut failed: QueueError = unsafe { std::mem::zeroed() };
        // SAFETY: the queue is open and the structure is as long as the library's, and more.
        let rc = unsafe {
            let readerr = (*(*self.queue).ops).readerr;
            readerr.map_or(-(libc::EIO as isize), |readerr| {
                readerr(self.queue, &raw mut failed, 0)
            })
        };
        if -rc == FI_EAGAIN {
            return Ok(());
        }
        if rc < 0 {
            return Err((libc::EIO, said(&self.library, "fi_cq_readerr", rc)));
        }
        // What was taken back because the endpoint closes, and errors without an operation, have no context.
        let error = if failed.err > 0 {
            failed.err
        } else {
            libc::EIO
        };
        done.push(Completion {
            context: failed.entry.op_context.cast(),
            len: 0,
            tag: failed.entry.tag,
            error,
        });
        Ok(())
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let close = |fid: *mut Fid| {
            // SAFETY: each object is closed once, the endpoint first (fi_endpoint(3)), and what stands on others before those.
            if let Some(close) = unsafe { fid.as_ref().and_then(|fid| (*fid.ops).close) } {
                // SAFETY: as above. An object that is still in use says so and stays: a leak at the end of a connection is better than its abuse.
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
