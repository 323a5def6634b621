//! Does a worker do what `min-rate` requires at least? Judged over an interval, or over as many as have room for two operations.

use plumb_model::statement::Statement;
use plumb_model::workload::{MinRate, OperationKind, Workload};

use crate::worker::tick_buffer::TickBuffer;

/// What was done since the rate was last judged.
#[derive(Debug, Default)]
pub(super) struct LeastRate {
    ns: u64,
    done: Vec<Done>,
}

/// Of one kind of the mix.
#[derive(Debug)]
struct Done {
    kind: OperationKind,
    bytes: u64,
    operations: u64,
}

impl LeastRate {
    /// Takes an interval that ends now; says which kind is slower than this worker's share of the minimum, if one is. One operation may end just after it.
    pub fn judge(
        &mut self,
        workload: &Workload,
        tick: &TickBuffer,
        now_ns: u64,
    ) -> Option<Statement> {
        let least = workload.min_rate?;
        self.take(workload, tick, now_ns);
        let (per_second, operation) = match least {
            MinRate::Bandwidth(bytes) => (bytes.0 as f64, workload.largest_block_bytes() as f64),
            MinRate::Iops(count) => (count, 1.0),
        };
        let seconds = self.ns as f64 / 1e9;
        let required = per_second / f64::from(workload.all_workers()) * seconds;
        if required < 2.0 * operation {
            return None;
        }
        let judged = std::mem::take(self);
        let slow = judged.done.iter().find(|done| {
            let done = match least {
                MinRate::Bandwidth(_) => done.bytes,
                MinRate::Iops(_) => done.operations,
            };
            done as f64 + operation < required
        })?;
        Some(
            Statement::new("rate-below-its-minimum")
                .name("kind", slow.kind.word())
                .bytes("bandwidth", slow.bytes as f64 / seconds)
                .number("iops", (slow.operations as f64 / seconds).round())
                .name("least", least.to_string()),
        )
    }

    fn take(&mut self, workload: &Workload, tick: &TickBuffer, now_ns: u64) {
        self.ns += now_ns - tick.start_ns;
        let of_mix = |kind: OperationKind| workload.mix.0.iter().any(|(of, _)| *of == kind);
        for of in tick.kinds.iter().filter(|of| of_mix(of.kind)) {
            let (kind, bytes, operations) = (of.kind, of.bytes, of.service.count());
            match self.done.iter_mut().find(|done| done.kind == kind) {
                Some(done) => {
                    done.bytes += bytes;
                    done.operations += operations;
                }
                None => self.done.push(Done {
                    kind,
                    bytes,
                    operations,
                }),
            }
        }
    }
}
