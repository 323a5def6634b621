//! Is the target on an array: at which RAID level, with which members, and in which state? From md and btrfs in /sys.

use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use super::fact::{number_fact, text_fact};
use crate::system::block_devices::{Device, DeviceKind};
use crate::system::btrfs;
use crate::system::kernel_files::Known;

/// Sets the facts of the topmost array in the chain under `device`; none when there is no array.
pub(crate) fn look(root: &Path, device: &Device, environment: &mut Environment) {
    if !device.peers.is_empty() {
        look_at_btrfs(root, device, environment);
        return;
    }
    match topmost(device) {
        Some(array) if array.kind == DeviceKind::Md => look_at_md(array, environment),
        Some(mapping) => look_at_mapping(mapping, environment),
        None => {}
    }
}

/// The first device of the chain that is an array: md, or a mapping over several devices that are not just paths to the same one.
fn topmost(device: &Device) -> Option<&Device> {
    let is_mapping =
        device.kind == DeviceKind::Dm && device.below.len() > 1 && !device.is_mapping("mpath");
    if device.kind == DeviceKind::Md || is_mapping {
        Some(device)
    } else {
        device.below.iter().find_map(topmost)
    }
}

/// Kernel document: Documentation/admin-guide/md.rst.
fn look_at_md(array: &Device, environment: &mut Environment) {
    environment.set("array.level", text_fact(array.text("md/level")));
    let chunk = array.text("md/chunk_size").and_then(|text| {
        text.parse()
            .map_err(|_| format!("md reports chunk size '{text}'"))
    });
    environment.set("array.chunk_bytes", number_fact(chunk));
    let members: Vec<String> = array
        .below
        .iter()
        .map(|member| member_with_state(array, member))
        .collect();
    let members = if members.is_empty() {
        Err(format!("/sys lists no members of {}", array.name))
    } else {
        Ok(members.join(", "))
    };
    environment.set("array.members", text_fact(members));
    environment.set("array.state", text_fact(md_state(array)));
}

/// `sda1`, or `sdb1 (faulty)` when it is not in sync.
fn member_with_state(array: &Device, member: &Device) -> String {
    match array.text(&format!("md/dev-{}/state", member.name.replace('/', "!"))) {
        Ok(state) if state != "in_sync" => format!("{} ({state})", member.name),
        _ => member.name.clone(),
    }
}

/// The state of the array, missing members, and the current action.
fn md_state(array: &Device) -> Known<String> {
    let mut state = array.text("md/array_state")?;
    // RAID 0 and linear have no such file: they cannot run without a member.
    let degraded = array
        .text("md/degraded")
        .ok()
        .and_then(|text| text.parse::<u32>().ok())
        .unwrap_or(0);
    if degraded > 0 {
        let of = array
            .text("md/raid_disks")
            .map(|disks| format!(" of {disks}"))
            .unwrap_or_default();
        state.push_str(&format!(", degraded: {degraded}{of} members missing"));
    }
    let action = array.text("md/sync_action").unwrap_or_default();
    if !["", "idle", "frozen"].contains(&action.as_str()) {
        // `1000 / 4000` in sectors, or `none`.
        let done = array.text("md/sync_completed").ok().and_then(|text| {
            let (done, all) = text.split_once('/')?;
            let (done, all): (f64, f64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
            (all > 0.0).then(|| format!(" {:.1} % done", 100.0 * done / all))
        });
        state.push_str(&format!(", {action}{}", done.unwrap_or_default()));
    }
    Ok(state)
}

fn look_at_mapping(mapping: &Device, environment: &mut Environment) {
    let reason = "only root can read the table of a device mapping (`dmsetup table`)";
    let members: Vec<&str> = mapping
        .below
        .iter()
        .map(|member| member.name.as_str())
        .collect();
    environment.set("array.members", Fact::Text(members.join(", ")));
    for id in ["array.level", "array.chunk_bytes", "array.state"] {
        environment.set(id, Fact::Unknown(reason.into()));
    }
}

fn look_at_btrfs(root: &Path, device: &Device, environment: &mut Environment) {
    let Some(file_system) = btrfs::of_device(root, &device.name) else {
        return;
    };
    let profiles = file_system.profiles(root);
    let level = if profiles.is_empty() {
        Err(format!(
            "/{}/allocation/data shows no profile",
            file_system.folder
        ))
    } else {
        Ok(profiles.join(", "))
    };
    environment.set(
        "array.level",
        text_fact(level.map(|level| format!("btrfs {level}"))),
    );
    // The stripe is fixed: BTRFS_STRIPE_LEN in fs/btrfs/volumes.h.
    environment.set("array.chunk_bytes", Fact::Number(65536.0));
    let (missing, all) = file_system.missing_devices(root);
    environment.set("array.members", Fact::Text(file_system.devices.join(", ")));
    let state = if missing == 0 {
        "complete".into()
    } else {
        format!("degraded: {missing} of {all} devices missing")
    };
    environment.set("array.state", Fact::Text(state));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn facts_of(name: &str, device: &str) -> Environment {
        let tree = fixture::tree(name);
        let root = tree.path().canonicalize().unwrap();
        let mut device = Device::of_name(&root, device).unwrap();
        device.peers = btrfs::peers(&root, &device);
        let mut environment = Environment::default();
        look(&root, &device, &mut environment);
        environment
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_degraded_array_says_what_is_missing_and_what_it_does() {
        let facts = facts_of("proc-raid", "md0");
        assert_eq!(facts.text("array.level"), Some("raid5"));
        assert_eq!(facts.number("array.chunk_bytes"), Some(524288.0));
        assert_eq!(
            facts.text("array.members"),
            Some("sda1, sdb1, sdc1 (spare)")
        );
        assert_eq!(
            facts.text("array.state"),
            Some("active, degraded: 1 of 4 members missing, recover 12.5 % done")
        );
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn an_array_is_found_under_a_mapping() {
        let facts = facts_of("proc-raid", "dm-1");
        assert_eq!(facts.text("array.level"), Some("raid5"));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_btrfs_over_several_devices_is_an_array() {
        let facts = facts_of("proc-nvme", "nvme1n1");
        assert_eq!(facts.text("array.level"), Some("btrfs raid1"));
        assert_eq!(facts.text("array.members"), Some("nvme1n1, nvme2n1"));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_disk_is_no_array() {
        assert!(facts_of("proc-nvme", "nvme0n1p2").facts.is_empty());
        assert!(facts_of("proc-nvme", "dm-0").facts.is_empty());
    }
}
