//! How are blocks moved where each call has flags of its own: polled, without waiting, uncached, or untorn?

use std::io;

use plumb_model::statement::Statement;
use plumb_model::workload::{EngineChoice, OperationKind};

use super::calls::{Sync, system_calls};
use crate::engine::failure::Code;
use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, OpenFile, Opened, Setup, Unavailable, Wait};

/// The plain engine with preadv2(2) and pwritev2(2) instead of pread and pwrite.
struct WithFlags<'a> {
    sync: Sync<'a>,
    /// Of reads, and of writes.
    flags: [libc::c_int; 2],
}

/// The names of the flags that these options stand for, and the flags of reads and of writes.
fn flags_of(choice: &EngineChoice) -> (Vec<&'static str>, [libc::c_int; 2]) {
    let flags = [
        (choice.hipri, "RWF_HIPRI", [libc::RWF_HIPRI; 2]),
        (choice.nowait, "RWF_NOWAIT", [libc::RWF_NOWAIT; 2]),
        (choice.uncached, "RWF_DONTCACHE", [libc::RWF_DONTCACHE; 2]),
        (choice.atomic, "RWF_ATOMIC", [0, libc::RWF_ATOMIC]),
    ];
    let flags = flags.into_iter().filter(|(is_requested, ..)| *is_requested);
    flags.fold(
        (Vec::new(), [0; 2]),
        |(mut names, sum), (_, name, flags)| {
            names.push(name);
            (names, [sum[0] | flags[0], sum[1] | flags[1]])
        },
    )
}

/// The engine `sync` with flags in its calls, where the kernel and the file system take them.
///
/// # Errors
/// Which file takes none, and why.
pub fn open<'a>(sync: Sync<'a>, setup: &Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let (names, flags) = flags_of(setup.choice);
    let (names, engine) = (names.join(", "), WithFlags { sync, flags });
    for (file, open) in engine.sync.files.iter().zip(setup.files) {
        if let Some(error) = refusal(file.raw, open, setup, flags[0]) {
            return Err(Unavailable(
                Statement::new("flags-are-not-taken")
                    .name("path", open.path.display().to_string())
                    .name("flags", names)
                    .name("error", error.to_string()),
            ));
        }
    }
    let active = vec![format!("preadv2 and pwritev2 with {names}")];
    Ok(Opened {
        active,
        ..Opened::local(engine)
    })
}

/// Where no file has anything: a read there ends at once, after the kernel has looked at the flags (kiocb_set_rw_flags in linux/fs.h), and brings nothing into
/// the page cache.
const BEHIND_ALL: u64 = 1 << 50;

/// Why the file takes no reads with these flags; `None` when it does, and if it cannot be tested.
fn refusal(
    raw: system_calls::Raw,
    file: &OpenFile,
    setup: &Setup<'_>,
    flags: libc::c_int,
) -> Option<io::Error> {
    // Buffers of a load that only trims hold nothing.
    if !file.readable || setup.buffers.slot_bytes <= 1 {
        return None;
    }
    let bytes = setup.buffers.slot_bytes as u32;
    // SAFETY: the buffer is the first slot, which is as long; the file is open.
    let outcome =
        unsafe { system_calls::read_with(raw, setup.buffers.base, bytes, BEHIND_ALL, flags) };
    match outcome.get().err()?.code {
        Code::System(error) => {
            let error = error as i32;
            let of_flags = matches!(error, libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL);
            of_flags.then(|| io::Error::from_raw_os_error(error))
        }
        _ => None,
    }
}

impl WithFlags<'_> {
    fn carry_out(&mut self, op: &Op) -> Outcome {
        debug_assert!(
            op.slot < self.sync.slots
                && (op.kind == OperationKind::Trim || op.len as usize <= self.sync.slot_bytes)
        );
        // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
        let buffer = unsafe { self.sync.base.add(op.slot as usize * self.sync.stride) };
        let [reads, writes] = self.flags;
        let raw = |sync: &Sync<'_>| sync.files[op.file as usize].raw;
        // SAFETY: buffer and length lie inside the slot; the file is open as long as the engine lives.
        unsafe {
            match op.kind {
                OperationKind::Read => {
                    system_calls::read_with(raw(&self.sync), buffer, op.len, op.offset, reads)
                }
                OperationKind::Write => {
                    system_calls::write_with(raw(&self.sync), buffer, op.len, op.offset, writes)
                }
                _ => self.sync.carry_out_other(op, buffer),
            }
        }
    }
}

impl Engine for WithFlags<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| self.carry_out(op));
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        self.sync.fsync(file)
    }

    fn close(&mut self) -> Closing {
        self.sync.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_never_atomic() {
        let choice = EngineChoice {
            hipri: true,
            atomic: true,
            ..EngineChoice::default()
        };
        let (names, flags) = flags_of(&choice);
        assert_eq!(names, ["RWF_HIPRI", "RWF_ATOMIC"]);
        assert_eq!(flags, [0x1, 0x41]);
        assert_eq!(flags_of(&EngineChoice::default()), (Vec::new(), [0, 0]));
    }
}
