//! How did each logical processor of Windows spend its time?

use plumb_model::windows_counters::PROCESSOR_INFORMATION;

use crate::counter_sets::{Selection, open as open_set};
use crate::machine::Machine;
use crate::source::{Area, Reader, Scope, Source, System};

pub static SOURCE: Source = Source {
    name: "processor_information",
    system: System::Windows,
    meaning: "time in user and kernel mode, in interrupts and DPCs, and frequency of each logical processor (Windows, counter set Processor Information)",
    areas: &[
        Area::Disk,
        Area::Share,
        Area::Network,
        Area::Cpu,
        Area::SmbClient,
    ],
    metrics: PROCESSOR_INFORMATION.metrics,
    open,
};

fn open(machine: &Machine, _: &Scope) -> Box<dyn Reader> {
    open_set(&PROCESSOR_INFORMATION, machine, Selection::All, true)
}
