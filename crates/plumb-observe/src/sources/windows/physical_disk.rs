//! What did each Windows disk do?

use plumb_model::windows_counters::PHYSICAL_DISK;

use crate::counter_sets::{Selection, is_disk, open as open_set};
use crate::machine::Machine;
use crate::source::{Area, Reader, Scope, Source, System};

pub static SOURCE: Source = Source {
    name: "physical_disk",
    system: System::Windows,
    meaning: "requests, bytes, times and queues of each disk (Windows, counter set PhysicalDisk)",
    areas: &[Area::Disk],
    metrics: PHYSICAL_DISK.metrics,
    open,
};

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    open_set(
        &PHYSICAL_DISK,
        machine,
        Selection::of(scope.disks.as_ref(), is_disk),
        false,
    )
}
