//! What do SMB Direct connections transfer on Windows?

use plumb_model::windows_counters::SMB_DIRECT_CONNECTION;

use crate::counter_sets::{of_all_interfaces, open as open_set};
use crate::machine::Machine;
use crate::source::{Area, Reader, Scope, Source, System};

pub static SOURCE: Source = Source {
    name: "smb_direct_connection",
    system: System::Windows,
    meaning: "bytes, messages and stalls of each SMB connection over RDMA (Windows, counter set SMB Direct Connection)",
    areas: &[Area::Share, Area::Network, Area::SmbClient],
    metrics: SMB_DIRECT_CONNECTION.metrics,
    open,
};

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    open_set(
        &SMB_DIRECT_CONNECTION,
        machine,
        of_all_interfaces(scope),
        false,
    )
}
