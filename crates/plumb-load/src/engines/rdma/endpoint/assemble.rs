//! What does an endpoint stand on? Fabric, domain, queue and addresses, which are opened one after the other.

use std::ffi::c_int;
use std::ptr;

use plumb_model::statement::Statement;

use super::super::bindings::*;
use super::super::error::{call_failed, not_offered};
use super::super::provider::EndpointRequest;
use super::Endpoint;

impl Endpoint {
    /// Opens fabric, domain, queue, addresses and endpoint, in this order; what was opened is closed by `Drop`.
    pub(super) fn assemble(
        &mut self,
        endpoint_request: &EndpointRequest<'_>,
    ) -> Result<(), Statement> {
        let library = self.library.clone();
        let checked = |call: &'static str, rc: c_int| {
            if rc == 0 {
                Ok(())
            } else {
                Err(call_failed(&library, call, rc as isize))
            }
        };
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
                .ok_or_else(|| not_offered("fi_domain"))?;
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
                size: (4 * endpoint_request.depth + 64).next_power_of_two(),
                flags: 0,
                format: FI_CQ_FORMAT_TAGGED,
                wait_obj: if endpoint_request.polling {
                    FI_WAIT_NONE
                } else {
                    FI_WAIT_UNSPEC
                },
                signaling_vector: 0,
                wait_cond: 0,
                wait_set: ptr::null_mut(),
            };
            let open = ops.cq_open.ok_or_else(|| not_offered("fi_cq_open"))?;
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
            let open = ops.av_open.ok_or_else(|| not_offered("fi_av_open"))?;
            checked(
                "fi_av_open",
                open(
                    self.domain,
                    &raw mut attributes,
                    &raw mut self.addresses,
                    ptr::null_mut(),
                ),
            )?;
            let open = ops.endpoint.ok_or_else(|| not_offered("fi_endpoint"))?;
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
                .ok_or_else(|| not_offered("fi_ep_bind"))?;
            let fid: *mut Fid = self.endpoint.cast();
            checked(
                "fi_ep_bind",
                bind(fid, self.queue.cast(), FI_TRANSMIT | FI_RECV),
            )?;
            checked("fi_ep_bind", bind(fid, self.addresses.cast(), 0))?;
            checked("fi_enable", control(fid, FI_ENABLE, ptr::null_mut()))
                .map_err(|error| self.with_remedy_of_queues(error))?;
            (self.memory, self.tagged) = ((*self.endpoint).rma, (*self.endpoint).tagged);
            let is_complete = !self.memory.is_null()
                && !self.tagged.is_null()
                && (*self.memory).read.is_some()
                && (*self.memory).write.is_some()
                && (*self.memory).writemsg.is_some()
                && (*self.tagged).recv.is_some()
                && (*self.tagged).send.is_some()
                && (*(*self.queue).ops).read.is_some()
                && (*(*self.queue).ops).readerr.is_some();
            if is_complete {
                Ok(())
            } else {
                Err(not_offered(
                    "one of fi_read, fi_write, fi_tsend, fi_trecv, fi_cq_read",
                ))
            }
        }
    }

    /// What helps when the endpoint's queues cannot be had: ofi_rxm makes one completion queue for all messages of 256 peers at once, 262,144
    /// entries (seen: libfabric 1.17), and Linux's RDMA in software allows 32,767.
    fn with_remedy_of_queues(&self, error: Statement) -> Statement {
        if self.provider().ends_with("ofi_rxm") && std::env::var_os("FI_UNIVERSE_SIZE").is_none() {
            Statement::new("libfabric-queues-too-long").part("error", error)
        } else {
            error
        }
    }
}
