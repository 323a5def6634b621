//! When does a step end that does not say so?

use plumb_model::units::Nanos;
use plumb_model::workload::{FileOrder, OperationKind, Workload};

/// Time of a step that names no stop: long enough for a p99.9 on a disk with 1,000 operations per second.
pub(crate) const DEFAULT_TIME: Nanos = Nanos(10_000_000_000);

/// Windows after which a step gives up that waits to be steady and names no other stop.
const WINDOWS_MAX: u64 = 10;

/// A step that names no stop ends after the default time; creating and deleting end when every file of the set was taken once, and so does what takes
/// the files in an order of their own, and a replay ends with its log. A pass over small files is as many operations as there are files. Who waits for a
/// steady figure gets time for it.
pub(crate) fn settle_stop(workload: &mut Workload) {
    if workload.replay.is_some() {
        return;
    }
    if let Some(passes) = workload.passes.filter(|_| {
        workload
            .mix
            .0
            .iter()
            .all(|(kind, _)| kind.is_file_operation())
    }) {
        workload.operations = workload
            .operations
            .or(Some(passes.saturating_mul(workload.files)));
        workload.passes = None;
    }
    let ordered = workload.has_file_operations() && workload.file_order != FileOrder::Offsets;
    let once = |kind: &OperationKind| {
        ordered || matches!(kind, OperationKind::Create | OperationKind::Delete)
    };
    if workload.mix.0.iter().all(|(kind, _)| once(kind)) && workload.operations.is_none() {
        workload.operations = Some(workload.files);
    }
    if workload.time.is_none()
        && workload.bytes.is_none()
        && workload.operations.is_none()
        && workload.passes.is_none()
    {
        workload.time = Some(workload.until_steady.map_or(DEFAULT_TIME, |steady| {
            Nanos(
                steady
                    .after
                    .0
                    .saturating_add(steady.window.0.saturating_mul(WINDOWS_MAX)),
            )
        }));
    }
}
