//! How fast is the generator itself? Operations end at once and touch nothing.

use std::io;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, EngineKind, Opened, Setup, Unavailable, Wait};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "null",
        meaning: "completes every operation at once without doing any I/O: the upper limit of the load generator",
        schemes: &[],
        asynchronous: true,
        batch: 32,
        operations: OperationKind::ALL,
        by_auto: false,
        does_work: false,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &[],
        fio: &["null"],
    },
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
