//! What did each Windows network adapter transfer?

use plumb_model::windows_counters::NETWORK_INTERFACE;

use crate::counter_sets::{Selection, is_adapter, open as open_set};
use crate::machine::Machine;
use crate::source::{Area, Reader, Scope, Source, System};

pub static SOURCE: Source = Source {
    name: "network_interface",
    system: System::Windows,
    meaning: "bytes, packets, errors and drops of each network adapter (Windows, counter set Network Interface)",
    areas: &[Area::Network, Area::Share, Area::SmbClient],
    metrics: NETWORK_INTERFACE.metrics,
    open,
};

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    open_set(
        &NETWORK_INTERFACE,
        machine,
        Selection::of(scope.interfaces.as_ref(), is_adapter),
        false,
    )
}
