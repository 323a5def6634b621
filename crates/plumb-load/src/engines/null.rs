//! How fast is the generator itself? Operations end at once and touch nothing.

use std::io;

use plumb_model::workload::OperationKind;

use crate::engine::{Closing, Engine, EngineKind, Opened, Setup, Unavailable, Wait};
use crate::operation::{Done, Op, Outcome};

pub static ENGINE: EngineKind = EngineKind {
    name: "null",
    meaning: "completes every operation at once without doing anything: the ceiling of the generator itself",
    schemes: &[],
    asynchronous: true,
    batch: 32,
    supports: |_| true,
    open,
};

struct Null;

fn open<'a>(_: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    Ok(Opened::local(Null))
}

impl Engine for Null {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        done.extend(ops.iter().map(|op| {
            let moved = matches!(
                op.kind,
                OperationKind::Read
                    | OperationKind::Write
                    | OperationKind::Rewrite
                    | OperationKind::Create
                    | OperationKind::ReadFile
            );
            Done {
                slot: op.slot,
                outcome: Outcome::moved(if moved { op.len } else { 0 }),
            }
        }));
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> Closing {
        Closing::default()
    }
}
