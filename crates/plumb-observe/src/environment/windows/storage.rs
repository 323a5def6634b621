//! Which volume or share holds the target, and which disk carries it, according to Windows?

use plumb_model::environment::{Environment, Fact};

use crate::environment::fact::{number_fact, text_fact};
use crate::environment::target::TargetPath;
use crate::system::cim::{Class, Refusal, Row};
use crate::system::kernel_files::Known;
use crate::system::windows_facts::{Disk, DriveKind, Volume};
use crate::system::{self, Space};

/// "MSFT_DedupVolume class", Data Deduplication API: what Get-DedupVolume lists. The namespace comes with the feature.
pub(super) const DEDUPLICATED: Class = Class {
    namespace: r"root\Microsoft\Windows\Deduplication",
    name: "MSFT_DedupVolume",
};

/// FILE_READ_ONLY_VOLUME of winnt.h.
const READ_ONLY: u32 = 0x0008_0000;

/// Sets the facts of the mount.
pub(super) fn set_volume(
    target_path: &TargetPath,
    volume: &Known<Volume>,
    space: Known<Space>,
    environment: &mut Environment,
) {
    let of = |reported: &dyn Fn(&Volume) -> Fact| match volume {
        Ok(volume) => reported(volume),
        Err(reason) => Fact::Unknown(reason.clone()),
    };
    let remote = |volume: &Volume| volume.kind == DriveKind::Remote;
    let compresses = |volume: &Volume| match target_path.is_compressed {
        _ if remote(volume) => Fact::Unknown("the server does not report it".into()),
        Some(compressed) => Fact::Flag(compressed),
        None => Fact::Unknown("the attributes of the target cannot be read".into()),
    };
    for (id, fact) in [
        (
            "mount.point",
            of(&|volume| Fact::Text(volume.point.display().to_string())),
        ),
        (
            "mount.source",
            of(&|volume| Fact::Text(volume.source.clone())),
        ),
        (
            "mount.file_system",
            of(&|volume| text_fact(volume.file_system.clone())),
        ),
        (
            "mount.read_only",
            of(&|volume| Fact::Flag(volume.flags & READ_ONLY != 0)),
        ),
        ("mount.network", of(&|volume| Fact::Flag(remote(volume)))),
        (
            "mount.memory",
            of(&|volume| Fact::Flag(volume.kind == DriveKind::Memory)),
        ),
        ("mount.compresses", of(&compresses)),
        (
            "mount.deduplicates",
            of(&|_| Fact::Unknown("the server does not report it".into())),
        ),
        (
            "mount.cluster_bytes",
            of(&|volume| number_fact(volume.cluster_bytes.clone().map(|bytes| bytes as f64))),
        ),
        (
            "mount.free_bytes",
            number_fact(space.clone().map(|space| space.free_bytes as f64)),
        ),
        (
            "mount.total_bytes",
            number_fact(space.map(|space| space.total_bytes as f64)),
        ),
    ] {
        environment.set(id, fact);
    }
    if let Some(integrity) = volume.as_ref().ok().and_then(|volume| volume.integrity) {
        environment.set("mount.integrity_streams", Fact::Flag(integrity));
    }
}

/// Sets whether a local volume is deduplicated. Without the feature it is not.
pub(super) fn set_deduplicates(
    rows: Result<Vec<Row>, Refusal>,
    volume: &Volume,
    environment: &mut Environment,
) {
    let point = volume.point.display().to_string();
    let is_it = |row: &Row| {
        let named = |property: &str, name: &str| {
            let plain = |text: &str| text.trim_end_matches('\\').to_ascii_lowercase();
            row.text(property)
                .is_some_and(|reported| plain(reported) == plain(name))
        };
        named("Volume", &point) || named("VolumeId", &volume.source)
    };
    let fact = match rows {
        Ok(rows) => {
            let found = rows.iter().find(|row| is_it(row));
            Fact::Flag(found.is_some_and(|row| row.flag("Enabled") != Some(false)))
        }
        Err(Refusal::Missing(_)) => Fact::Flag(false),
        Err(Refusal::Other(reason)) => Fact::Unknown(reason),
    };
    environment.set("mount.deduplicates", fact);
}

/// Sets the facts of the disk under a volume of this machine.
pub(super) fn set_disk(disk: Known<Disk>, environment: &mut Environment) {
    let disk = match disk {
        Ok(disk) => disk,
        Err(reason) => return unknown(&reason, environment),
    };
    let count = |known: Known<u32>| number_fact(known.map(f64::from));
    for (id, fact) in [
        (
            "device.name",
            text_fact(disk.number.map(|number| format!("PhysicalDrive{number}"))),
        ),
        ("device.kind", Fact::Text("disk".into())),
        ("device.model", text_fact(disk.model)),
        ("device.transport", text_fact(disk.bus.map(transport))),
        (
            "device.size_bytes",
            number_fact(disk.size_bytes.map(|bytes| bytes as f64)),
        ),
        (
            "device.rotational",
            disk.seek_penalty.map_or_else(Fact::Unknown, Fact::Flag),
        ),
        (
            "device.write_cache",
            text_fact(disk.write_cache.and_then(write_cache)),
        ),
        (
            "device.logical_block_bytes",
            count(disk.logical_sector_bytes),
        ),
        (
            "device.physical_block_bytes",
            count(disk.physical_sector_bytes),
        ),
        (
            "device.transfer_limit_bytes",
            count(disk.transfer_max_bytes),
        ),
    ] {
        environment.set(id, fact);
    }
}

fn unknown(reason: &str, environment: &mut Environment) {
    for id in [
        "device.name",
        "device.kind",
        "device.model",
        "device.transport",
        "device.size_bytes",
        "device.rotational",
        "device.write_cache",
        "device.logical_block_bytes",
        "device.physical_block_bytes",
        "device.transfer_limit_bytes",
    ] {
        environment.set(id, Fact::Unknown(reason.to_owned()));
    }
}

/// STORAGE_BUS_TYPE of winioctl.h, in the words that Linux' transports have where there are such.
fn transport(bus: u32) -> String {
    const NAMES: [&str; 20] = [
        "unknown",
        "scsi",
        "atapi",
        "ata",
        "ieee1394",
        "ssa",
        "fibre channel",
        "usb",
        "raid",
        "iscsi",
        "sas",
        "sata",
        "sd",
        "mmc",
        "virtual",
        "file-backed virtual",
        "storage spaces",
        "nvme",
        "scm",
        "ufs",
    ];
    match NAMES.get(bus as usize) {
        Some(name) => (*name).to_owned(),
        None => format!("bus type {bus}"),
    }
}

/// WRITE_CACHE_TYPE and WRITE_CACHE_ENABLE of winioctl.h.
fn write_cache((kind, is_enabled): (i32, i32)) -> Known<String> {
    match (kind, is_enabled) {
        (1, _) | (_, 1) | (3, 2) => Ok("write through".into()),
        (2, 2) => Ok("write back".into()),
        _ => Err("the driver does not report whether its write cache is on".into()),
    }
}

/// The space at a place.
pub(super) fn space(target_path: &TargetPath) -> Known<Space> {
    system::space(&target_path.existing).map_err(|error| {
        format!(
            "cannot query the space at {}: {error}",
            target_path.existing.display()
        )
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::environment::target::tests::target_path;
    use crate::system::cim::Value;

    fn volume(kind: DriveKind) -> Volume {
        Volume {
            point: r"D:\".into(),
            source: r"\\?\Volume{1}\".into(),
            file_system: Ok("ReFS".into()),
            flags: 0,
            kind,
            cluster_bytes: Ok(65536),
            integrity: Some(true),
        }
    }

    fn disk() -> Disk {
        Disk {
            number: Ok(1),
            model: Ok("INTEL SSDPED1K375GA".into()),
            bus: Ok(17),
            size_bytes: Ok(375_083_606_016),
            seek_penalty: Ok(false),
            write_cache: Ok((2, 2)),
            logical_sector_bytes: Ok(512),
            physical_sector_bytes: Ok(4096),
            transfer_max_bytes: Ok(131_072),
        }
    }

    /// Sets every fact of a volume and its disk.
    pub(crate) fn set_all(environment: &mut Environment) {
        let space = Space {
            total_bytes: 1 << 40,
            free_bytes: 1 << 39,
        };
        let target_path = target_path(r"D:\x", (0, 0));
        set_volume(
            &target_path,
            &Ok(volume(DriveKind::Fixed)),
            Ok(space),
            environment,
        );
        set_disk(Ok(disk()), environment);
    }

    #[test]
    fn a_volume_and_its_disk_are_told_in_the_words_of_all_systems() {
        let mut facts = Environment::default();
        set_all(&mut facts);
        for (id, expected) in [
            ("mount.point", r"D:\"),
            ("mount.file_system", "ReFS"),
            ("device.name", "PhysicalDrive1"),
            ("device.transport", "nvme"),
            ("device.write_cache", "write back"),
        ] {
            assert_eq!(facts.text(id), Some(expected), "{id}");
        }
        for (id, expected) in [
            ("mount.cluster_bytes", 65536.0),
            ("mount.total_bytes", (1u64 << 40) as f64),
            ("device.physical_block_bytes", 4096.0),
        ] {
            assert_eq!(facts.number(id), Some(expected), "{id}");
        }
        assert_eq!(facts.flag("mount.integrity_streams"), Some(true));
        assert_eq!(facts.flag("device.rotational"), Some(false));
        // Nobody could read the attributes.
        assert!(matches!(facts.facts["mount.compresses"], Fact::Unknown(_)));
    }

    #[test]
    fn a_volume_is_deduplicated_where_the_feature_lists_it() {
        let mut row = Row::default();
        row.set("Volume", Value::Text("d:".into()));
        row.set("Enabled", Value::Flag(true));
        let mut off = row.clone();
        off.set("Enabled", Value::Flag(false));
        let missing = Refusal::Missing("no such namespace".into());
        let denied = Refusal::Other("denied".into());
        for (rows, expected) in [
            (Ok(vec![row]), Fact::Flag(true)),
            (Ok(vec![off]), Fact::Flag(false)),
            (Ok(Vec::new()), Fact::Flag(false)),
            (Err(missing), Fact::Flag(false)),
            (Err(denied), Fact::Unknown("denied".into())),
        ] {
            let mut facts = Environment::default();
            set_deduplicates(rows, &volume(DriveKind::Fixed), &mut facts);
            assert_eq!(facts.facts["mount.deduplicates"], expected);
        }
    }

    #[test]
    fn caches_are_told_only_where_the_driver_knows() {
        for (reported, expected) in [
            ((2, 2), Some("write back")),
            ((2, 1), Some("write through")),
            ((3, 2), Some("write through")),
            ((1, 0), Some("write through")),
            ((0, 0), None),
            ((0, 2), None),
            ((2, 0), None),
        ] {
            assert_eq!(
                write_cache(reported).ok().as_deref(),
                expected,
                "{reported:?}"
            );
        }
        assert_eq!(transport(16), "storage spaces");
        assert_eq!(transport(99), "bus type 99");
    }

    #[test]
    fn what_cannot_be_asked_is_unknown() {
        let mut facts = Environment::default();
        let target_path = target_path(r"D:\x", (0, 0));
        let none = || Err::<Volume, String>("access denied".into());
        set_volume(
            &target_path,
            &none(),
            Err("access denied".into()),
            &mut facts,
        );
        set_disk(Err("access denied".into()), &mut facts);
        assert!(
            facts
                .facts
                .values()
                .all(|fact| matches!(fact, Fact::Unknown(why) if why == "access denied")),
            "{facts:?}"
        );
    }
}
