//! How does a file get longer and shorter without data? Each write is one ftruncate(2) to its offset.

use std::io;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

use crate::engine::by_call::ByCall;
use crate::engine::operation::Op;
use crate::engine::{EngineKind, OpenFile, Opened, Setup, Unavailable};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "resize",
        meaning: "transfers no data: a write sets the file size to its offset (ftruncate); depth is 1 per worker",
        schemes: &[],
        asynchronous: false,
        batch: 1,
        operations: &[OperationKind::Write, OperationKind::Flush],
        by_auto: false,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &[],
        fio: &["ftruncate"],
    },
    open,
};

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let engine = ByCall {
        files: setup.files,
        call: set_length,
    };
    Ok(Opened::local(engine))
}

fn set_length(file: &OpenFile, op: &Op) -> io::Result<u32> {
    file.file.set_len(op.offset).map(|()| op.len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_a_length() {
        let file = OpenFile {
            file: tempfile::tempfile().expect("a file"),
            path: "f".into(),
            end_bytes: 1 << 20,
            readable: true,
            writable: true,
            direct: false,
            block_device: false,
            hint: plumb_model::workload::AccessHint::None,
        };
        for offset in [65_536, 4096, 0] {
            let op = Op {
                offset,
                len: 4096,
                slot: 0,
                file: 0,
                kind: OperationKind::Write,
                priority: 0,
            };
            set_length(&file, &op).expect("set");
            assert_eq!(file.file.metadata().expect("metadata").len(), offset);
        }
    }
}
