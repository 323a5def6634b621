//! What does FreeBSD report about the machine, and about the mount, disks and array of a target? With sysctl, getfsstat(2) and GEOM.

use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use super::fact::{number_fact, text_fact};
use super::target::TargetPath;
use crate::system::IS_FREEBSD;
use crate::system::freebsd_facts::{Host, MountedAt, holds, host, mounts};
use crate::system::geom::{Element, Geom, mesh};
use crate::system::kernel_files::Known;

/// Classes of GEOM that make one device of several: gmirror(8), gstripe(8), gconcat(8), graid3(8), graid(8).
const ARRAYS: [&str; 5] = ["MIRROR", "STRIPE", "CONCAT", "RAID3", "RAID"];

/// True for the real machine, if it runs FreeBSD.
pub(super) fn is_here(root: &Path) -> bool {
    IS_FREEBSD && root == Path::new("/")
}

/// Sets the facts of the machine.
pub(super) fn look_at_machine(environment: &mut Environment) {
    match host() {
        Ok(host) => set_host(host, environment),
        Err(reason) => environment.set("host.system", Fact::Unknown(reason)),
    }
}

fn set_host(host: Host, environment: &mut Environment) {
    let count = |known: Known<u64>| number_fact(known.map(|number| number as f64));
    for (id, fact) in [
        ("host.name", text_fact(host.name)),
        ("host.system", text_fact(host.system)),
        ("host.kernel", text_fact(host.kernel)),
        (
            "host.architecture",
            Fact::Text(std::env::consts::ARCH.into()),
        ),
        ("host.virtualisation", text_fact(host.hypervisor)),
        ("host.load_1min", number_fact(host.load_1min)),
        ("cpu.model", text_fact(host.processor)),
        ("cpu.threads", count(host.threads)),
        ("numa.nodes", count(host.domains)),
        ("memory.total_bytes", count(host.memory_bytes)),
        ("memory.available_bytes", count(host.memory_available_bytes)),
        ("clock.source", text_fact(host.clock)),
    ] {
        environment.set(id, fact);
    }
}

/// Sets the facts of mount, device and array of a path. Returns the disks that carry it.
pub(super) fn look_at_storage(
    target_path: &TargetPath,
    environment: &mut Environment,
) -> Vec<String> {
    let mounts = mounts();
    let mount = mounts.as_deref().map_err(|reason| reason.clone());
    let mount = mount.and_then(|mounts| {
        holds(mounts, &target_path.existing)
            .ok_or_else(|| "getfsstat lists no mount of it".to_owned())
    });
    set_mount(&mount, environment);
    let device = match device_of(target_path, mount.as_ref().ok().copied()) {
        Some(device) => device,
        None => return Vec::new(),
    };
    let set = device.and_then(|name| {
        let mesh = mesh().ok_or("sysctl kern.geom.confxml returns nothing")?;
        set_device(&mesh, &name, environment)
    });
    set.unwrap_or_else(|reason| {
        for id in ["device.name", "device.model", "device.size_bytes"] {
            environment.set(id, Fact::Unknown(reason.clone()));
        }
        Vec::new()
    })
}

/// The disks that carry a path.
pub(super) fn disks_of_path(target_path: &TargetPath) -> Vec<String> {
    look_at_storage(target_path, &mut Environment::default())
}

/// Name under /dev of the device that carries a path; `None` if there is none, on a server or in memory.
fn device_of(target_path: &TargetPath, mount: Option<&MountedAt>) -> Option<Known<String>> {
    let of = |path: &Path| {
        let name = path.strip_prefix("/dev").ok()?;
        Some(name.to_string_lossy().into_owned())
    };
    if let Some(device) = of(&target_path.existing).filter(|name| !name.is_empty()) {
        return Some(Ok(device));
    }
    let mount = mount?;
    if mount.is_remote() || mount.is_in_memory() {
        return None;
    }
    Some(of(Path::new(&mount.source)).ok_or_else(|| {
        let source = &mount.source;
        match mount.file_system.as_str() {
            "zfs" => {
                let pool = source.split('/').next().unwrap_or_default();
                format!("{source} is in the pool {pool}; 'zpool status {pool}' lists its devices")
            }
            other => format!("{source} ({other}) is not on a device"),
        }
    }))
}

fn set_mount(mount: &Known<&MountedAt>, environment: &mut Environment) {
    let of = |tell: &dyn Fn(&MountedAt) -> Fact| match mount {
        Ok(mount) => tell(mount),
        Err(reason) => Fact::Unknown(reason.clone()),
    };
    for (id, fact) in [
        ("mount.point", of(&|mount| Fact::Text(mount.point.clone()))),
        (
            "mount.source",
            of(&|mount| Fact::Text(mount.source.clone())),
        ),
        (
            "mount.file_system",
            of(&|mount| Fact::Text(mount.file_system.clone())),
        ),
        ("mount.options", of(&|mount| Fact::Text(mount.options()))),
        (
            "mount.read_only",
            of(&|mount| Fact::Flag(mount.is_read_only())),
        ),
        ("mount.network", of(&|mount| Fact::Flag(mount.is_remote()))),
        (
            "mount.memory",
            of(&|mount| Fact::Flag(mount.is_in_memory())),
        ),
        (
            "mount.free_bytes",
            of(&|mount| Fact::Number(mount.free_bytes.max(0) as f64)),
        ),
        (
            "mount.total_bytes",
            of(&|mount| Fact::Number(mount.total_bytes as f64)),
        ),
    ] {
        environment.set(id, fact);
    }
}

/// Sets the facts of a device and of the topmost array under it. The disks that it rests on.
fn set_device(mesh: &Element, name: &str, environment: &mut Environment) -> Known<Vec<String>> {
    let chain = mesh.chain(name);
    let Some((geom, provider)) = chain.first() else {
        return Err(format!("GEOM has no device {name}"));
    };
    let number = |value: Option<&str>| {
        let known = value.and_then(|text| text.parse().ok());
        number_fact(known.ok_or_else(|| format!("GEOM does not report it for {name}")))
    };
    let on_disks: Vec<&Element> = chain
        .iter()
        .filter(|(geom, _)| geom.class == "DISK")
        .map(|(_, disk)| *disk)
        .collect();
    let disks: Vec<String> = on_disks
        .iter()
        .filter_map(|disk| disk.value("name").map(str::to_owned))
        .collect();
    let models: Vec<&str> = on_disks
        .iter()
        .filter_map(|disk| disk.setting("descr"))
        .collect();
    for (id, fact) in [
        ("device.name", Fact::Text(name.into())),
        ("device.kind", Fact::Text(geom.class.to_lowercase())),
        ("device.size_bytes", number(provider.value("mediasize"))),
        (
            "device.logical_block_bytes",
            number(provider.value("sectorsize")),
        ),
        (
            "device.model",
            text_fact(match models.is_empty() {
                true => Err(format!("GEOM reports no model for {name}")),
                false => Ok(models.join(", ")),
            }),
        ),
        ("device.rotational", rotational(name, &on_disks)),
    ] {
        environment.set(id, fact);
    }
    if disks.iter().any(|disk| disk != name) {
        environment.set("device.disk", Fact::Text(disks.join(", ")));
    }
    let array = chain.iter().find(|(geom, _)| ARRAYS.contains(&geom.class));
    if let Some((geom, provider)) = array {
        set_array(mesh, *geom, provider, environment);
    }
    Ok(disks)
}

/// Rotation rate in revolutions per minute, 0 for solid state (disk(9), d_rotation_rate); one rotating disk makes the target rotational.
fn rotational(name: &str, disks: &[&Element]) -> Fact {
    let rates: Option<Vec<u32>> = disks
        .iter()
        .map(|disk| disk.setting("rotationrate")?.parse().ok())
        .collect();
    match rates.filter(|rates| !rates.is_empty()) {
        Some(rates) => Fact::Flag(rates.iter().any(|rate| *rate > 0)),
        None => Fact::Unknown(format!("GEOM reports no rotation rate for {name}")),
    }
}

/// What the class reports about itself, of its device (graid), or of its members.
fn set_array(mesh: &Element, geom: Geom<'_>, provider: &Element, environment: &mut Environment) {
    let reported = |name: &str| geom.setting(name).or_else(|| provider.setting(name));
    let level = reported("RAIDLevel").map_or_else(
        || geom.class.to_lowercase(),
        |level| format!("{} ({})", level, geom.class.to_lowercase()),
    );
    let member = |consumer| {
        let name = mesh.name_of(consumer)?;
        Some(match consumer.setting("State") {
            Some(state) => format!("{name} ({state})"),
            None => name.to_owned(),
        })
    };
    let members: Vec<String> = geom.members().filter_map(member).collect();
    let state = reported("State").or_else(|| reported("Status"));
    let untold = |what: &str| format!("GEOM reports no {what} for {}", geom.name());
    for (id, fact) in [
        ("array.level", Fact::Text(level)),
        (
            "array.members",
            text_fact(match members.is_empty() {
                true => Err(untold("members")),
                false => Ok(members.join(", ")),
            }),
        ),
        (
            "array.state",
            text_fact(state.ok_or_else(|| untold("state"))),
        ),
    ] {
        environment.set(id, fact);
    }
    let chunk = reported("Stripesize").or_else(|| reported("Strip"));
    if let Some(bytes) = chunk.and_then(|text| text.parse().ok()) {
        environment.set("array.chunk_bytes", Fact::Number(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::geom::parse;
    use crate::system::geom::tests::MIRROR;

    fn mounted(point: &str, source: &str, file_system: &str, flags: u64) -> MountedAt {
        MountedAt {
            point: point.into(),
            source: source.into(),
            file_system: file_system.into(),
            flags,
            total_bytes: 1000,
            free_bytes: -5,
        }
    }

    fn target_path(path: &str) -> TargetPath {
        TargetPath {
            existing: path.into(),
            device: (0, 0),
            mount_id: None,
            block_device: None,
            is_compressed: None,
        }
    }

    #[test]
    fn a_partition_of_a_mirror_has_facts_of_its_disks_and_of_the_array() {
        let mut environment = Environment::default();
        let disks = set_device(&parse(MIRROR), "mirror/gm0p2", &mut environment);
        assert_eq!(disks, Ok(vec!["ada0".to_owned(), "ada1".to_owned()]));
        for (id, expected) in [
            ("device.name", Fact::Text("mirror/gm0p2".into())),
            ("device.kind", Fact::Text("part".into())),
            ("device.size_bytes", Fact::Number(107374182400.0)),
            ("device.logical_block_bytes", Fact::Number(512.0)),
            (
                "device.model",
                Fact::Text("Vendor <A> & B, 480 GB, Vendor Disk, 480 GB".into()),
            ),
            ("device.rotational", Fact::Flag(true)),
            ("device.disk", Fact::Text("ada0, ada1".into())),
            ("array.level", Fact::Text("mirror".into())),
            (
                "array.members",
                Fact::Text("ada0 (ACTIVE), ada1 (SYNCHRONIZING)".into()),
            ),
            ("array.state", Fact::Text("DEGRADED".into())),
        ] {
            assert_eq!(environment.facts.get(id), Some(&expected), "{id}");
        }
        assert_eq!(environment.facts.get("array.chunk_bytes"), None);
        assert!(set_device(&parse(MIRROR), "ada7", &mut environment).is_err());
    }

    #[test]
    fn mounts_are_told_as_mount_shows_them() {
        let mounts = [
            mounted("/", "/dev/mirror/gm0p2", "ufs", 0x0020_1000),
            mounted("/data", "tank/data", "zfs", 0x1010),
            mounted("/data/nfs", "server:/export", "nfs", 0x1),
        ];
        let held = |path: &str| holds(&mounts, Path::new(path)).unwrap();
        let device = |path: &str| device_of(&target_path(path), Some(held(path)));
        assert_eq!(held("/home/x").options(), "local, soft-updates");
        assert_eq!(device("/home/x"), Some(Ok("mirror/gm0p2".into())));
        assert_eq!(device("/dev/ada0"), Some(Ok("ada0".into())));
        let pool = device("/data/x").unwrap().unwrap_err();
        assert!(pool.contains("zpool status tank"), "{pool}");
        assert_eq!(device("/data/nfs/y"), None);
        let mut environment = Environment::default();
        set_mount(&Ok(held("/data/nfs/y")), &mut environment);
        for (id, expected) in [
            ("mount.point", Fact::Text("/data/nfs".into())),
            ("mount.options", Fact::Text("read-only".into())),
            ("mount.network", Fact::Flag(true)),
            ("mount.free_bytes", Fact::Number(0.0)),
        ] {
            assert_eq!(environment.facts.get(id), Some(&expected), "{id}");
        }
    }
}
