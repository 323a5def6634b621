//! What do RDMA adapters do on Windows?

use plumb_model::windows_counters::RDMA_ACTIVITY;

use crate::counter_sets::{of_all_interfaces, open as open_set};
use crate::machine::Machine;
use crate::source::{Area, Reader, Scope, Source, System};

pub static SOURCE: Source = Source {
    name: "rdma_activity",
    system: System::Windows,
    meaning: "bytes, frames, connections and errors of each RDMA adapter (Windows, counter set RDMA Activity)",
    areas: &[Area::Network, Area::Share, Area::SmbClient],
    metrics: RDMA_ACTIVITY.metrics,
    open,
};

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    open_set(&RDMA_ACTIVITY, machine, of_all_interfaces(scope), false)
}
