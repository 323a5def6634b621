//! How is memory registered, so that the adapter or a peer may use it?

use std::ptr;

use plumb_model::statement::Statement;

use super::super::bindings::*;
use super::super::error::{call_failed, not_offered};
use super::{Endpoint, Registration};

impl Endpoint {
    /// Registers memory. `remote`: the peer reads and writes it.
    ///
    /// # Errors
    /// The library's error; with an adapter often that the limit of locked memory is too low.
    ///
    /// # Safety
    /// The memory outlives the endpoint.
    pub unsafe fn register(
        &mut self,
        start: *mut u8,
        bytes: usize,
        remote: bool,
    ) -> Result<Registration, Statement> {
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
        let requested_key = if mode & FI_MR_PROV_KEY == 0 {
            self.next_key
        } else {
            0
        };
        self.next_key += 1;
        let mut region: *mut MemoryFid = ptr::null_mut();
        // SAFETY: the domain is open; the memory is valid, as the caller promises.
        let rc = unsafe {
            let reg = (*(*self.domain).mr)
                .reg
                .ok_or_else(|| not_offered("fi_mr_reg"))?;
            reg(
                self.domain.cast(),
                start.cast(),
                bytes,
                access,
                0,
                requested_key,
                0,
                &raw mut region,
                ptr::null_mut(),
            )
        };
        if rc != 0 {
            return Err(Statement::new(match rc == -libc::ENOMEM {
                true => "rdma-memory-not-registered-by-limit",
                false => "rdma-memory-not-registered",
            })
            .bytes("bytes", bytes as f64)
            .name("error", self.library.error(rc as isize)));
        }
        self.registrations.push(region);
        if mode & FI_MR_ENDPOINT != 0 {
            // SAFETY: both objects are open.
            let rc = unsafe {
                let ops = &*(*region).fid.ops;
                let (bind, control) = ops
                    .bind
                    .zip(ops.control)
                    .ok_or_else(|| not_offered("fi_mr_bind"))?;
                match bind(region.cast(), self.endpoint.cast(), 0) {
                    0 => control(region.cast(), FI_ENABLE, ptr::null_mut()),
                    rc => rc,
                }
            };
            if rc != 0 {
                return Err(call_failed(&self.library, "fi_mr_enable", rc as isize));
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
}
