//! When does a step without a stop condition end?

use plumb_model::units::Nanos;
use plumb_model::workload::{FileOrder, OperationKind, Workload};

/// Duration of a step without a stop condition: enough for a p99.9 on a disk with 1,000 operations per second.
pub(crate) const DEFAULT_TIME: Nanos = Nanos(10_000_000_000);

/// Windows after which a step without a stop condition stops waiting for steady state.
const WINDOWS_MAX: u64 = 10;

/// A step without a stop condition ends after the default time; creating and deleting end when every file of the set was used once, and so do steps with
/// their own file order; a replay ends with its log. A pass over small files has as many operations as files. A step that waits for steady state gets more
/// time.
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
