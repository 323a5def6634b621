//! What did each Windows volume do?

use plumb_model::windows_counters::LOGICAL_DISK;

use crate::counter_sets::{Selection, is_disk, open as open_set};
use crate::machine::Machine;
use crate::source::{Area, Reader, Scope, Source, System};

pub static SOURCE: Source = Source {
    name: "logical_disk",
    system: System::Windows,
    meaning: "requests, bytes, times and queues of each volume (Windows, counter set LogicalDisk)",
    areas: &[Area::Disk],
    metrics: LOGICAL_DISK.metrics,
    open,
};

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    open_set(
        &LOGICAL_DISK,
        machine,
        Selection::of(scope.disks.as_ref(), is_disk),
        false,
    )
}
