//! When does a call fail, and how? The faults that are injected, what was served, and what hangs.

use std::collections::HashMap;
use std::time::Duration;

/// What the kernel can ask for that can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// A name is looked up, or attributes are read.
    Lookup,
    Open,
    Create,
    Read,
    Write,
    /// fsync(2), fdatasync(2), msync(2).
    Fsync,
    /// close(2), each of them.
    Close,
    /// ftruncate(2) and changes of mode or owner.
    SetAttributes,
    /// fallocate(2), holes included.
    Allocate,
    MakeFolder,
    Remove,
    Rename,
    List,
}

/// What is done instead.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Nothing is done; the errno is told.
    Error(i32),
    /// A read or write of at most this many bytes, told as such.
    Short(u32),
    /// One bit of this byte of a read is wrong; what is stored is right.
    FlipBit(usize),
    /// A write is acknowledged and not stored.
    Lost,
    /// A write is acknowledged and only this many bytes of it are stored.
    Torn(u32),
    /// A write is acknowledged and not stored, and the next fsync of the file fails with this errno: write-back that failed.
    FailAtFsync(i32),
    /// Done, and answered so much later.
    Delay(Duration),
    /// Done by the one server that there is: one call after the other, each for so long.
    Serve(Duration),
    /// Done; so many in each slice of time, and those that come later wait for the next one: a bucket of tokens.
    Tokens(u32, Duration),
    /// Done, and not answered before `FaultFs::release`.
    Hang,
}

/// Which of the calls that fit, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Nth(u64),
    Every(u64),
    From(u64),
    /// Each so-many-th of those that come after this many bytes.
    AfterBytes(u64, u64),
}

/// A fault to inject.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    call: Call,
    when: When,
    effect: Effect,
    size: Option<u32>,
    name: Option<String>,
    /// Bytes of a stripe, and of how many the first one.
    stripes: Option<(u64, u64)>,
}

impl Fault {
    /// The n-th call that fits, once.
    pub fn nth(call: Call, number: u64, effect: Effect) -> Fault {
        Fault {
            call,
            when: When::Nth(number),
            effect,
            size: None,
            name: None,
            stripes: None,
        }
    }

    /// Each n-th call that fits.
    pub fn every(call: Call, number: u64, effect: Effect) -> Fault {
        Fault {
            when: When::Every(number),
            ..Fault::nth(call, 1, effect)
        }
    }

    /// The n-th call that fits and all after it.
    pub fn from(call: Call, number: u64, effect: Effect) -> Fault {
        Fault {
            when: When::From(number),
            ..Fault::nth(call, 1, effect)
        }
    }

    /// All calls that fit.
    pub fn always(call: Call, effect: Effect) -> Fault {
        Fault::from(call, 1, effect)
    }

    /// Of the calls that come after this many bytes of such calls, each n-th: what lays a file of a known size out is left alone.
    pub fn after_bytes(call: Call, bytes: u64, number: u64, effect: Effect) -> Fault {
        Fault {
            when: When::AfterBytes(bytes, number),
            ..Fault::nth(call, 1, effect)
        }
    }

    /// Only reads and writes of exactly this many bytes.
    pub fn of_size(self, bytes: u32) -> Fault {
        Fault {
            size: Some(bytes),
            ..self
        }
    }

    /// Only files and folders with this in their name.
    pub fn of_name(self, part: &str) -> Fault {
        Fault {
            name: Some(part.into()),
            ..self
        }
    }

    /// Only offsets on the first of so many disks over which stripes of so many bytes are laid.
    pub fn of_first_disk(self, disks: u64, stripe_bytes: u64) -> Fault {
        Fault {
            stripes: Some((stripe_bytes, disks)),
            ..self
        }
    }

    fn fits(&self, call: Call, name: &str, offset: u64, size: u32) -> bool {
        self.call == call
            && self
                .stripes
                .is_none_or(|(bytes, disks)| (offset / bytes).is_multiple_of(disks))
            && self.size.is_none_or(|wanted| wanted == size)
            && self
                .name
                .as_ref()
                .is_none_or(|part| name.contains(part.as_str()))
    }
}

/// A fault that was injected.
#[derive(Debug, Clone, PartialEq)]
pub struct Injection {
    pub call: Call,
    pub effect: Effect,
    /// Name of the file, without its folders.
    pub name: String,
    /// Where, for reads, writes and fallocate; 0 else.
    pub offset: u64,
    /// Bytes asked for; 0 where there are none.
    pub size: u32,
}

/// All faults of a file system.
#[derive(Default)]
pub struct Faults {
    /// Each with how many calls fitted it so far, and their bytes.
    active: Vec<(Fault, u64, u64)>,
    pub injections: Vec<Injection>,
    pub served: HashMap<Call, u64>,
    /// Replies that are kept back.
    pub held: Vec<Box<dyn FnOnce() + Send>>,
}

impl Faults {
    pub fn inject(&mut self, fault: Fault) {
        self.active.push((fault, 0, 0));
    }

    pub fn heal(&mut self) {
        self.active.clear();
    }

    /// What is to go wrong with this call; it is counted as injected.
    pub fn judge(&mut self, call: Call, name: &str, offset: u64, size: u32) -> Option<Effect> {
        *self.served.entry(call).or_default() += 1;
        let mut taken = None;
        for (fault, seen, bytes) in &mut self.active {
            if !fault.fits(call, name, offset, size) {
                continue;
            }
            let before = *bytes;
            *bytes += u64::from(size);
            if matches!(fault.when, When::AfterBytes(laid_out, _) if before < laid_out) {
                continue;
            }
            *seen += 1;
            let due = match fault.when {
                When::Nth(number) => *seen == number,
                When::Every(number) | When::AfterBytes(_, number) => *seen % number == 0,
                When::From(number) => *seen >= number,
            };
            if due && taken.is_none() {
                taken = Some(fault.effect.clone());
            }
        }
        if let Some(effect) = &taken {
            self.injections.push(Injection {
                call,
                effect: effect.clone(),
                name: name.into(),
                offset,
                size,
            });
        }
        taken
    }
}
