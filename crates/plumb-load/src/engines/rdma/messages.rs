//! How does a responder take messages, send them back, and send those that it is granted?

use std::collections::VecDeque;
use std::io;

use plumb_model::statement::Statement;

use super::connection::tag;
use super::endpoint::{Begun, Completion, Context, Endpoint, Registration};
use super::error::error_cause;
use super::hello::Hello;
use crate::engine::buffers::Buffers;

/// Memory of buffers for messages, of each peer.
pub(super) const MESSAGES_BYTES_MAX: u64 = 256 << 20;

/// Buffers of messages, and what is to be done with them. Contexts: a receive and an echo for each buffer, then gifts.
pub(super) struct Messages {
    buffers: Buffers,
    registration: Registration,
    /// What gifts hold.
    gift: Buffers,
    gift_registration: Registration,
    contexts: Box<[Context]>,
    count: usize,
    message_bytes: usize,
    to_receive: VecDeque<usize>,
    /// Buffer, tag's slot, length.
    to_echo: VecDeque<(usize, u32, usize)>,
    /// Slot, length.
    granted: VecDeque<(u32, usize)>,
    granted_max: usize,
    /// Contexts of gifts that are free.
    gifts_free: Vec<usize>,
}

impl Messages {
    /// Buffers for messages of a peer: how many, and the bytes of each.
    pub(super) fn shape(hello: &Hello) -> (usize, u64) {
        // Grants come as messages too.
        let stride = u64::from(hello.message_bytes).max(4096);
        (
            usize::try_from((MESSAGES_BYTES_MAX / stride).clamp(4, u64::from(hello.depth) + 8))
                .unwrap_or(4),
            stride,
        )
    }

    /// Memory that they take, with the one for gifts.
    pub(super) fn bytes(hello: &Hello) -> u64 {
        let (count, stride) = Messages::shape(hello);
        if hello.message_bytes == 0 {
            0
        } else {
            (count as u64 + 1) * stride
        }
    }

    pub(super) fn new(endpoint: &mut Endpoint, hello: &Hello) -> Result<Messages, Statement> {
        let wrong = |error: io::Error| Statement::verbatim(error.to_string());
        let (count, stride) = Messages::shape(hello);
        let buffers = Buffers::new(count, stride as usize).map_err(wrong)?;
        let gift = Buffers::new(1, hello.message_bytes as usize).map_err(wrong)?;
        // SAFETY: the session drops the endpoint before the buffers.
        let mut register = |buffers: &Buffers| unsafe {
            endpoint.register(buffers.region().base, buffers.region().bytes, false)
        };
        let (registration, gift_registration) = (register(&buffers)?, register(&gift)?);
        let gifts = hello.depth as usize;
        Ok(Messages {
            buffers,
            registration,
            gift,
            gift_registration,
            contexts: Context::several(2 * count + gifts),
            count,
            message_bytes: hello.message_bytes as usize,
            to_receive: (0..count).collect(),
            to_echo: VecDeque::new(),
            granted: VecDeque::new(),
            granted_max: 2 * gifts,
            gifts_free: (2 * count..2 * count + gifts).collect(),
        })
    }

    fn buffer(&self, number: usize) -> *mut u8 {
        // SAFETY: the number is below the count.
        unsafe {
            self.buffers
                .region()
                .base
                .add(number * self.buffers.region().stride)
        }
    }

    /// Begins what is to be done, as far as the provider takes it.
    pub(super) fn begin(&mut self, endpoint: &mut Endpoint, client: u64) -> Result<(), Statement> {
        let contexts = self.contexts.as_mut_ptr();
        let descriptor = self.registration.descriptor;
        let went = |begun: Begun| match begun {
            Begun::Yes => Ok(true),
            Begun::Later => Ok(false),
            Begun::Failed(error) => {
                Err(Statement::new("rdma-connection-broken").part("error", error_cause(error)))
            }
        };
        while let Some(&number) = self.to_receive.front() {
            let buffer = (
                self.buffer(number),
                self.buffers.region().slot_bytes,
                descriptor,
            );
            // SAFETY: buffer and context belong to this receive until its completion; the session closes the endpoint before both.
            if !went(unsafe {
                endpoint.receive(buffer, client, (0, u64::MAX), contexts.add(number))
            })? {
                break;
            }
            self.to_receive.pop_front();
        }
        while let Some(&(number, slot, len)) = self.to_echo.front() {
            let buffer = (self.buffer(number).cast_const(), len, descriptor);
            // SAFETY: as above; the buffer is received into again only after the echo has gone.
            if !went(unsafe {
                endpoint.send(
                    buffer,
                    client,
                    tag::of(tag::PONG, slot),
                    contexts.add(self.count + number),
                )
            })? {
                break;
            }
            self.to_echo.pop_front();
        }
        while let (Some(&(slot, len)), Some(&free)) = (self.granted.front(), self.gifts_free.last())
        {
            let buffer = (
                self.gift.region().base.cast_const(),
                len,
                self.gift_registration.descriptor,
            );
            // SAFETY: as above; nobody writes to the gift.
            if !went(unsafe {
                endpoint.send(buffer, client, tag::of(tag::GIFT, slot), contexts.add(free))
            })? {
                break;
            }
            self.granted.pop_front();
            self.gifts_free.pop();
        }
        Ok(())
    }

    /// Something is left to begin.
    pub(super) fn is_behind(&self) -> bool {
        !self.to_receive.is_empty()
            || !self.to_echo.is_empty()
            || (!self.granted.is_empty() && !self.gifts_free.is_empty())
    }

    pub(super) fn take(&mut self, done: &Completion) -> Result<(), Statement> {
        if done.context.is_null() {
            return Ok(());
        }
        let number = (done.context.addr() - self.contexts.as_ptr().addr()) / size_of::<Context>();
        if number >= 2 * self.count {
            self.gifts_free.push(number);
        } else if number >= self.count {
            self.to_receive.push_back(number - self.count);
        } else {
            let len = done.len.min(self.buffers.region().slot_bytes);
            match done.tag >> 32 {
                tag::PING => self.to_echo.push_back((number, done.tag as u32, len)),
                kind => {
                    if kind == tag::GRANT {
                        self.take_grants(number, len)?;
                    }
                    self.to_receive.push_back(number);
                }
            }
        }
        Ok(())
    }

    fn take_grants(&mut self, number: usize, len: usize) -> Result<(), Statement> {
        let grants = &self.buffers.slot(number as u32)[..len];
        for grant in grants.chunks_exact(8) {
            let word = |at: usize| {
                grant[at..at + 4]
                    .iter()
                    .fold(0u32, |word, byte| word << 8 | u32::from(*byte))
            };
            let (slot, len) = (word(0), word(4) as usize);
            if len > self.message_bytes || self.granted.len() >= self.granted_max {
                return Err(Statement::new("rdma-peer-grants-too-much"));
            }
            self.granted.push_back((slot, len));
        }
        Ok(())
    }
}
