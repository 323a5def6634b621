//! What did the Windows SMB client do on each share?

use plumb_model::windows_counters::SMB_CLIENT_SHARES;

use crate::counter_sets::{Selection, is_share, open as open_set};
use crate::machine::Machine;
use crate::source::{Area, Reader, Scope, Source, System};

pub static SOURCE: Source = Source {
    name: "smb_client_shares",
    system: System::Windows,
    meaning: "requests, bytes, times and queues of each share connected by the SMB client (Windows, counter set SMB Client Shares)",
    areas: &[Area::Share, Area::SmbClient],
    metrics: SMB_CLIENT_SHARES.metrics,
    open,
};

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    open_set(
        &SMB_CLIENT_SHARES,
        machine,
        Selection::of(scope.shares.as_ref(), is_share),
        false,
    )
}
