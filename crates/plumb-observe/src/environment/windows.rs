//! What does Windows report about the machine and the storage of the target, and which counters can be read?

mod activity;
mod adapters;
mod host;
mod protection;
mod smb_client;
mod spaces;
mod storage;

use plumb_model::environment::{Environment, Fact};
use plumb_model::target::remote::Scheme;
use plumb_model::windows_counters::{
    CounterSet, LOGICAL_DISK, NETWORK_INTERFACE, PHYSICAL_DISK, PROCESSOR_INFORMATION,
    RDMA_ACTIVITY, SMB_CLIENT_SHARES, SMB_DIRECT_CONNECTION,
};

use super::network::Server;
use super::target::TargetPath;
use crate::counter_sets::missing;
use crate::system::cim::rows;
use crate::system::kernel_files::Known;
use crate::system::windows_facts::{DriveKind, Volume, disk_of, filter_drivers, host, volume_of};

pub(super) use activity::look as look_at_activity;

/// The counter sets and their facts.
const SETS: [(&str, &CounterSet); 7] = [
    ("counters.physical_disk", &PHYSICAL_DISK),
    ("counters.logical_disk", &LOGICAL_DISK),
    ("counters.smb_client_shares", &SMB_CLIENT_SHARES),
    ("counters.smb_direct_connection", &SMB_DIRECT_CONNECTION),
    ("counters.rdma_activity", &RDMA_ACTIVITY),
    ("counters.network_interface", &NETWORK_INTERFACE),
    ("counters.processor_information", &PROCESSOR_INFORMATION),
];

/// Sets the facts of the machine.
pub(super) fn look_at_machine(environment: &mut Environment) {
    match host() {
        Ok(host) => host::set(&host, environment),
        Err(reason) => environment.set("host.system", Fact::Unknown(reason)),
    }
    host::set_filter_drivers(filter_drivers(), environment);
    protection::set(rows(protection::STATUS), environment);
    look_at_counters(environment);
}

pub(super) fn look_at_counters(environment: &mut Environment) {
    for (id, set) in SETS {
        let fact = match missing(set) {
            None => Fact::Flag(true),
            Some(status) => Fact::Unknown(format!("{}: {status}", set.name)),
        };
        environment.set(id, fact);
    }
}

/// Sets the facts of the volume and its disk, or of the share. Returns its name in the volume counters.
pub(super) fn look_at_storage(
    target_path: &TargetPath,
    environment: &mut Environment,
) -> Option<String> {
    let volume = volume_of(&target_path.existing);
    storage::set_volume(
        target_path,
        &volume,
        storage::space(target_path),
        environment,
    );
    let volume = volume.ok()?;
    if volume.kind == DriveKind::Remote {
        let share = counted_as(&volume);
        // Other redirectors (WebDAV, folders of a virtual machine's host) have drive letters, too.
        if share.starts_with(r"\\") {
            let (connections, channels) =
                (rows(smb_client::CONNECTIONS), rows(smb_client::CHANNELS));
            smb_client::set(&share, connections, channels, environment);
        }
        look_at_adapters(environment);
        return None;
    }
    storage::set_deduplicates(rows(storage::DEDUPLICATED), &volume, environment);
    let disk = disk_of(&volume);
    let space = disk.as_ref().ok().filter(|of| of.bus == Ok(spaces::BUS));
    if let Some(number) = space.and_then(|of| of.number.clone().ok()) {
        let (disks, spaces) = (rows(spaces::DISKS), rows(spaces::VIRTUAL_DISKS));
        spaces::set(number, disks, spaces, environment);
    }
    storage::set_disk(disk, environment);
    Some(counted_as(&volume))
}

/// `C:` of `C:\`.
fn counted_as(volume: &Volume) -> String {
    let point = volume.point.display().to_string();
    point.trim_end_matches('\\').to_owned()
}

/// The server of a place that is on a share, and the share as the SMB client counts it.
pub(super) fn share_of(target_path: &TargetPath, trial: bool) -> Option<(Server, String)> {
    let volume = volume_of(&target_path.existing).ok()?;
    let share = (volume.kind == DriveKind::Remote).then(|| counted_as(&volume))?;
    let host = share
        .trim_start_matches('\\')
        .split('\\')
        .next()?
        .to_owned();
    // A drive letter of a share does not report whose it is.
    (share.starts_with(r"\\") && !host.is_empty()).then(|| {
        let server = Server {
            host,
            port: Scheme::Smb.default_port(),
            connect: match trial {
                true => Ok(()),
                false => Err("connecting was not requested".into()),
            },
        };
        (server, share)
    })
}

/// Facts of the machine that a share beyond its own client needs too.
pub(super) fn look_at_adapters(environment: &mut Environment) {
    adapters::set_rss(rows(adapters::RSS), environment);
    adapters::set_rdma(rows(adapters::RDMA), environment);
}

/// The volume of a path, as named in disk counters; none on a share.
pub(super) fn disk_of_path(target_path: &TargetPath) -> Option<String> {
    let volume: Known<Volume> = volume_of(&target_path.existing);
    let local = volume.ok().filter(|of| of.kind != DriveKind::Remote)?;
    Some(counted_as(&local))
}

/// Sets every Windows-only fact, as if run on Windows.
#[cfg(test)]
pub(super) fn set_all(environment: &mut Environment) {
    look_at_machine(environment);
    host::tests::set_all(environment);
    look_at_counters(environment);
    storage::tests::set_all(environment);
    smb_client::tests::set_all(environment);
    look_at_adapters(environment);
}
