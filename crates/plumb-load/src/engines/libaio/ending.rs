//! What becomes of requests that are in flight when the engine is given up? They are waited for; memory of those that stay is left to the kernel.

use std::time::{Duration, Instant};

use super::queue::LinuxAio;

/// How long requests may take to come back: io_cancel(2) is known to few drivers, and io_destroy(2) would wait for ever.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time of one wait.
const TURN: Duration = Duration::from_millis(100);

impl LinuxAio<'_> {
    /// Takes back what is in flight. Returns how many did not come back: their buffers and the context are left to the kernel.
    #[cold]
    pub(super) fn let_go(&mut self) -> u32 {
        self.waiting.clear();
        if self.context == 0 {
            return 0;
        }
        let (begun, mut done) = (Instant::now(), Vec::new());
        while self.in_flight > 0 && begun.elapsed() < PATIENCE {
            if self.collect(1, Some(TURN), &mut done).is_err() {
                std::thread::sleep(TURN);
            }
            done.clear();
        }
        let out = std::mem::take(&mut self.in_flight);
        let context = std::mem::take(&mut self.context);
        if out > 0 {
            // SAFETY: the worker owns the buffers and drops the engine first. The requests themselves were copied by io_submit(2).
            unsafe { self.region.leave_to_kernel() };
        } else {
            // SAFETY: the context is this engine's, and nothing of it is in flight.
            unsafe { libc::syscall(libc::SYS_io_destroy, context) };
        }
        out
    }
}

/// However the engine ends: a worker that panicked has requests in flight too.
impl Drop for LinuxAio<'_> {
    fn drop(&mut self) {
        self.let_go();
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use plumb_model::workload::{EngineChoice, OperationKind};

    use crate::engine::buffers::Buffers;
    use crate::engine::operation::Op;
    use crate::engine::{Engine, OpenFile, Setup, Wait};

    /// Requests beyond what was set up wait in the engine, and all come back once.
    #[test]
    fn more_than_the_kernel_takes_waits_and_returns() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("file");
        File::create(&path)
            .and_then(|mut file| file.write_all(&[7; 65_536]))
            .expect("written");
        let files = [OpenFile {
            file: File::open(&path).expect("opened"),
            path,
            end_bytes: 65_536,
            readable: true,
            writable: false,
            direct: false,
            block_device: false,
            hint: plumb_model::workload::AccessHint::None,
        }];
        let buffers = Buffers::new(16, 4096).expect("buffers");
        let choice = EngineChoice::default();
        let setup = Setup {
            files: &files,
            end_bytes: 0,
            buffers: buffers.region(),
            depth: 16,
            batch: 16,
            choice: &choice,
            live_files: None,
            trims: false,
            flush_metadata: false,
            remote: None,
        };
        let mut engine = super::super::queue::make(&setup).expect("Linux AIO");
        let mut done = Vec::new();
        let ops: Vec<Op> = (0..16)
            .map(|slot| Op {
                offset: u64::from(slot) * 4096,
                len: if slot == 3 { 8192 } else { 4096 },
                slot,
                file: 0,
                kind: OperationKind::Read,
                priority: 0,
            })
            .filter(|op| op.slot != 3)
            .collect();
        // As if the kernel had had no room for the first.
        engine.submit(&ops[..1], &mut done).expect("taken");
        engine.waiting.push_back(0);
        engine.submit(&ops[1..], &mut done).expect("taken");
        while engine.in_flight > 0 || !engine.waiting.is_empty() {
            engine.reap(Wait::One, &mut done).expect("reaped");
        }
        assert_eq!(done.len(), ops.len() + 1, "the first was given twice");
        assert!(done.iter().all(|done| done.outcome.is_all_of(4096)));
        drop(engine);
        assert!(!buffers.are_left());
    }
}
