//! In which environment does a run take place? Facts of host, target, mount, device and array, collected before the start.

pub(crate) mod activity;
pub(crate) mod array;
mod cpu_model;
mod device;
pub(crate) mod device_use;
mod fact;
mod freebsd;
pub(crate) mod interface;
pub(crate) mod kernel_mount;
pub(crate) mod limits;
pub(crate) mod machine;
pub(crate) mod mount;
pub(crate) mod network;
pub(crate) mod rdma;
pub(crate) mod target;
mod windows;
mod windows_interface;

use std::path::{Path, PathBuf};
use std::time::Duration;

use plumb_model::environment::{Environment, Fact};
use plumb_model::target::Target;

use crate::source::Scope;
use crate::system;
use crate::system::block_devices::Device;
use network::Server;
use target::TargetPath;

/// How to collect facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Root of the kernel files: `/`, or a fixture tree.
    pub root: PathBuf,
    /// How long to watch other activity on the device and the cores; zero disables it, and then no `activity.` fact is set.
    pub watch: Duration,
    /// Connect to the server of a network target. Also test O_DIRECT with one read of the target, or, in a directory, by writing 4 KiB to an unnamed scratch
    /// file.
    pub trial: bool,
}

impl Default for Options {
    /// The running system, watched for 300 ms, with the O_DIRECT test.
    fn default() -> Self {
        Options {
            root: PathBuf::from("/"),
            watch: Duration::from_millis(300),
            trial: true,
        }
    }
}

/// Collects the environment of `target`: sets facts of [`plumb_model::environment::FACTS`] and no other.
///
/// Each fact that applies is set, to what was found or to [`Fact::Unknown`] with the reason. Not set is what does not apply: `mount.` and
/// `device.` for `null:`, `network.` for what no network carries, `device.` for a file system on the network or in memory, `array.` for a device that is no array. Where "none" is an
/// answer, a number is the text `none`, and `device.mounted_at` the flag `false`.
///
/// Takes the watch time plus some milliseconds; an unresponsive server takes seconds. Only the scratch file of the test is written.
pub fn look(target: &Target, options: &Options) -> Environment {
    let mut environment = Environment::default();
    environment.set("target.given", Fact::Text(target.to_string()));
    let on_windows = system::is_this_windows(&options.root);
    let on_freebsd = freebsd::is_here(&options.root);
    match (on_windows, on_freebsd) {
        (true, _) => windows::look_at_machine(&mut environment),
        (_, true) => freebsd::look_at_machine(&mut environment),
        _ => machine::look(&options.root, &mut environment),
    }
    let target_path = match target {
        Target::Null => {
            environment.set("target.kind", Fact::Text("null".into()));
            None
        }
        Target::Remote(remote) => {
            environment.set(
                "target.kind",
                Fact::Text(
                    if remote.scheme.is_share() {
                        "share"
                    } else {
                        "peer"
                    }
                    .into(),
                ),
            );
            // The server of a bucket is in no address.
            if !remote.scheme.is(|of| of.host_is_share) {
                network::look(
                    &options.root,
                    &Server::of(remote, options.trial),
                    &mut environment,
                );
            }
            None
        }
        Target::Path(path) => Some(target::look(path, options.trial, &mut environment)),
    };
    if on_windows {
        look_on_windows(target, target_path.as_ref(), options, &mut environment);
        return environment;
    }
    if on_freebsd {
        if let Some(target_path) = &target_path {
            freebsd::look_at_storage(target_path, &mut environment);
        }
        return environment;
    }
    let device = target_path
        .as_ref()
        .and_then(|target_path| look_at_storage(&options.root, target_path, &mut environment));
    if let Some(server) = kernel_mount::look(&options.root, options.trial, &mut environment) {
        network::look(&options.root, &server, &mut environment);
    }
    limits::look(&options.root, device.as_ref(), &mut environment);
    if !options.watch.is_zero() {
        activity::look(
            &options.root,
            device.as_ref(),
            options.watch,
            &mut environment,
        );
    }
    environment
}

/// The facts of volume, disk, server and activity, as Windows reports them.
fn look_on_windows(
    target: &Target,
    target_path: Option<&TargetPath>,
    options: &Options,
    environment: &mut Environment,
) {
    let disk =
        target_path.and_then(|target_path| windows::look_at_storage(target_path, environment));
    if let Target::Remote(_) = target {
        windows::look_at_adapters(environment);
    }
    if let Some((server, _)) =
        target_path.and_then(|target_path| windows::share_of(target_path, options.trial))
    {
        network::look(&options.root, &server, environment);
    }
    if !options.watch.is_zero() {
        windows::look_at_activity(disk.as_deref(), options.watch, environment);
    }
}

/// The facts of mount, device and array under a known path; the device that carries it, if there is one.
fn look_at_storage(
    root: &Path,
    target_path: &TargetPath,
    environment: &mut Environment,
) -> Option<Device> {
    let is_character_device = environment.text("target.kind") == Some("character-device");
    let namespace = is_character_device
        .then(|| Device::of_nvme_generic(root, &target_path.existing))
        .flatten();
    let device = match (target_path.block_device, namespace) {
        (Some(number), _) => Some(Device::of_number(root, number)),
        // The file system of its node says nothing of it.
        (None, Some(device)) => Some(Ok(device)),
        (None, None) => mount::look(root, target_path, environment),
    }?;
    match device {
        Ok(device) => {
            device::look(root, &device, environment);
            device_use::look(root, target_path, &device, environment);
            array::look(root, &device, environment);
            Some(device)
        }
        Err(reason) => {
            device::unknown(&reason, environment);
            None
        }
    }
}

/// Kernel names of the block devices to watch for `target`: the one that carries it and all it rests on (whole disk, members of an array,
/// the file system under a loop device). Empty for `null:`, a file system on the network or in memory, and where nothing could be found out.
pub fn disks_of(root: &Path, target: &Target) -> Vec<String> {
    let Target::Path(path) = target else {
        return Vec::new();
    };
    let mut unused = Environment::default();
    let target_path = target::look(path, false, &mut unused);
    if system::is_this_windows(root) {
        return windows::disk_of_path(&target_path).into_iter().collect();
    }
    if freebsd::is_here(root) {
        return freebsd::disks_of_path(&target_path);
    }
    let device = match target_path.block_device {
        Some(number) => Device::of_number(root, number).ok(),
        None => mount::look(root, &target_path, &mut unused).and_then(Result::ok),
    };
    device.map(|device| device.names()).unwrap_or_default()
}

/// What an observer watches in a run on these targets: the disks under them, the interfaces to their servers, and the shares mounted by the kernel.
pub fn scope_of(root: &Path, targets: &[Target]) -> Scope {
    let mut scope = Scope {
        disks: Some(Vec::new()),
        interfaces: Some(Vec::new()),
        shares: Some(Vec::new()),
        ..Scope::default()
    };
    let add = |to: &mut Option<Vec<String>>, name: String| {
        if let Some(names) = to.as_mut().filter(|names| !names.contains(&name)) {
            names.push(name);
        }
    };
    for target in targets {
        disks_of(root, target)
            .into_iter()
            .for_each(|disk| add(&mut scope.disks, disk));
        let mut facts = Environment::default();
        let server = match target {
            Target::Null => None,
            Target::Remote(remote) => Some(Server::of(remote, false)),
            Target::Path(path) => {
                let target_path = target::look(path, false, &mut Environment::default());
                if system::is_this_windows(root) {
                    windows::share_of(&target_path, false).map(|(server, share)| {
                        add(&mut scope.shares, share);
                        server
                    })
                } else if freebsd::is_here(root) {
                    None
                } else {
                    if target_path.block_device.is_none() {
                        mount::look(root, &target_path, &mut facts);
                    }
                    kernel_mount::look(root, false, &mut facts)
                }
            }
        };
        let Some(server) = server else { continue };
        network::interface_name(&server.host, server.port)
            .into_iter()
            .for_each(|name| add(&mut scope.interfaces, name));
        let share = match facts.text("share.protocol") {
            Some("cifs") => facts.text("mount.source").map(kernel_mount::name_in_stats),
            Some(_) => facts.text("mount.point").map(str::to_owned),
            None => None,
        };
        share
            .into_iter()
            .for_each(|name| add(&mut scope.shares, name));
    }
    scope
}

/// The facts of every port of every RDMA adapter of this machine, those of `rdma.`; empty if there is none.
pub fn rdma_ports(root: &Path) -> Vec<Environment> {
    let of = |port: &rdma::Port| {
        let mut environment = Environment::default();
        rdma::look_at_port(root, port, &mut environment);
        environment
    };
    rdma::ports(root).iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use plumb_model::environment::FACTS;
    use std::collections::BTreeSet;

    /// Facts that are set only in some cases: the others must always be there for a target of that kind.
    const CONDITIONAL: [&str; 8] = [
        "target.direct_refusal",
        "target.direct_alignment_bytes",
        "target.unwritten_bytes",
        "target.cached_bytes",
        "device.backing",
        "device.loop_direct",
        "device.backing_memory",
        "device.disk",
    ];

    fn check_ids(environment: &Environment) {
        let known: BTreeSet<&str> = FACTS.iter().map(|(id, _)| *id).collect();
        let strange: Vec<&String> = environment
            .facts
            .keys()
            .filter(|id| !known.contains(id.as_str()))
            .collect();
        assert!(
            strange.is_empty(),
            "facts that the model does not list: {strange:?}"
        );
        for (id, fact) in &environment.facts {
            assert!(
                !matches!(fact, Fact::Unknown(why) if why.is_empty()),
                "{id} is unknown without a reason"
            );
            assert!(
                !matches!(fact, Fact::Number(number) if !number.is_finite()),
                "{id} is no number"
            );
        }
    }

    fn groups_set(environment: &Environment) -> BTreeSet<&str> {
        environment
            .facts
            .keys()
            .filter_map(|id| Some(id.split_once('.')?.0))
            .collect()
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
    fn every_fact_of_the_model_is_set_by_some_look_and_no_other() {
        let tree = fixture::tree("proc-raid");
        let root = tree.path().canonicalize().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, b"content").unwrap();
        let mut all = look(
            &Target::Path(file.clone()),
            &Options {
                watch: Duration::from_millis(1),
                ..Options::default()
            },
        );
        let target_path = target::tests::target_path("/srv/pool/x", (9, 0));
        let device = look_at_storage(&root, &target_path, &mut all).unwrap();
        limits::look(&root, Some(&device), &mut all);
        activity::look(&root, Some(&device), Duration::from_millis(1), &mut all);
        let tree = fixture::tree("proc-nvme");
        let root = tree.path().canonicalize().unwrap();
        device::look(&root, &Device::of_name(&root, "loop0").unwrap(), &mut all);
        all.set(
            "target.direct_refusal",
            Fact::Text("set only where O_DIRECT is refused".into()),
        );
        let tree = fixture::tree("proc-share");
        let root = tree.path().canonicalize().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            host: "localhost".into(),
            port: listener.local_addr().unwrap().port(),
            connect: Ok(()),
        };
        network::look(Path::new("/"), &server, &mut all);
        interface::look(&root, "bond0", &mut all);
        rdma::look(&root, Some("eth0"), &mut all);
        for (path, number) in [("/mnt/n/x", (0, 26)), ("/mnt/c/x", (0, 24))] {
            mount::look(&root, &target::tests::target_path(path, number), &mut all);
            kernel_mount::look(&root, true, &mut all);
        }
        all.set("rdma.lid", Fact::Text("set only for InfiniBand".into()));
        windows::set_all(&mut all);
        check_ids(&all);
        // What a server or peer says to plumb's own session is set by those who speak with it.
        let requested = |id: &str| {
            ["smb.", "nfs.", "s3.", "rdma.peer_"]
                .iter()
                .any(|of| id.starts_with(of))
                || ["share.named", "share.free_bytes", "share.total_bytes"].contains(&id)
        };
        let of_the_environment = FACTS.iter().map(|(id, _)| *id).filter(|id| !requested(id));
        let unset: Vec<&str> = of_the_environment
            .filter(|id| !all.facts.contains_key(*id))
            .collect();
        assert_eq!(
            unset,
            Vec::<&str>::new(),
            "facts of the model that nothing sets"
        );
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
    fn a_directory_of_this_machine_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::Path(folder.path().to_owned());
        let environment = look(
            &target,
            &Options {
                watch: Duration::from_millis(30),
                ..Options::default()
            },
        );
        check_ids(&environment);
        assert_eq!(environment.text("target.kind"), Some("directory"));
        let groups = groups_set(&environment);
        for group in [
            "host", "cpu", "memory", "mount", "target", "activity", "cgroup", "limit",
        ] {
            assert!(groups.contains(group), "{group}: {groups:?}");
        }
        if !Path::new("/proc/self/mountinfo").exists() {
            eprintln!("skipped: this system has no /proc/self/mountinfo");
            return;
        }
        let free_bytes = environment.number("mount.free_bytes").unwrap();
        assert!(free_bytes > 0.0 && free_bytes <= environment.number("mount.total_bytes").unwrap());
        let point = environment.text("mount.point").unwrap();
        assert!(
            folder.path().canonicalize().unwrap().starts_with(point),
            "{point}"
        );
        // Where a device carries it, all that every device has is reported.
        if environment.facts.contains_key("device.name") {
            let missing: Vec<&str> = FACTS
                .iter()
                .map(|(id, _)| *id)
                .filter(|id| {
                    id.starts_with("device.")
                        && !CONDITIONAL.contains(id)
                        && !environment.facts.contains_key(*id)
                })
                .collect();
            assert_eq!(missing, Vec::<&str>::new());
            assert_eq!(
                environment.text("device.name").map(str::to_owned),
                disks_of(Path::new("/"), &target).first().cloned()
            );
        }
    }

    #[test]
    #[cfg(windows)]
    fn a_directory_of_this_windows_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::Path(folder.path().to_owned());
        let options = Options {
            watch: Duration::from_millis(30),
            ..Options::default()
        };
        let environment = look(&target, &options);
        for (id, fact) in &environment.facts {
            println!("{id}: {fact:?}");
        }
        check_ids(&environment);
        assert_eq!(environment.text("target.kind"), Some("directory"));
        assert_eq!(environment.flag("target.symlink"), Some(false));
        let groups = groups_set(&environment);
        for group in [
            "host", "cpu", "memory", "mount", "target", "device", "counters", "activity",
        ] {
            assert!(groups.contains(group), "{group}: {groups:?}");
        }
        // Nothing of the system that Wine runs on.
        let reasons = environment.facts.values().filter_map(|fact| match fact {
            Fact::Unknown(why) => Some(why),
            _ => None,
        });
        for why in reasons {
            assert!(!why.contains("/proc") && !why.contains("/sys"), "{why}");
        }
        assert!(environment.text("host.system").unwrap().contains("Windows"));
        let free_bytes = environment.number("mount.free_bytes").unwrap();
        assert!(free_bytes > 0.0 && free_bytes <= environment.number("mount.total_bytes").unwrap());
        assert!(environment.number("mount.cluster_bytes").unwrap() >= 512.0);
        let point = environment.text("mount.point").unwrap();
        assert_eq!(
            disks_of(Path::new("/"), &target),
            [point.trim_end_matches('\\')]
        );
    }

    #[test]
    fn null_has_a_machine_and_nothing_else() {
        let environment = look(
            &Target::Null,
            &Options {
                watch: Duration::ZERO,
                ..Options::default()
            },
        );
        check_ids(&environment);
        assert_eq!(environment.text("target.kind"), Some("null"));
        let groups = groups_set(&environment);
        assert!(
            groups.is_disjoint(&BTreeSet::from(["mount", "device", "array", "activity"])),
            "{groups:?}"
        );
        assert_eq!(
            disks_of(Path::new("/"), &Target::Null),
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_is_watched_follows_from_the_targets() {
        let scope = scope_of(
            Path::new("/"),
            &[
                Target::Null,
                "tcp://127.0.0.1".parse().unwrap(),
                "smb://127.0.0.1/share".parse().unwrap(),
            ],
        );
        let interfaces = if cfg!(target_os = "linux") {
            vec!["lo".to_owned()]
        } else if cfg!(windows) {
            // However Windows describes loopback.
            scope.interfaces.clone().unwrap()
        } else {
            Vec::new()
        };
        assert_eq!(
            scope,
            Scope {
                disks: Some(Vec::new()),
                interfaces: Some(interfaces),
                shares: Some(Vec::new()),
                ..Scope::default()
            }
        );
        let folder = tempfile::tempdir().unwrap();
        let scope = scope_of(Path::new("/"), &[Target::Path(folder.path().to_owned())]);
        assert_eq!(
            (scope.interfaces, scope.shares),
            (Some(Vec::new()), Some(Vec::new())),
            "no network carries a local folder"
        );
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn every_port_of_every_rdma_adapter_is_told() {
        let tree = fixture::tree("proc-share");
        let ports = rdma_ports(tree.path());
        let devices: Vec<_> = ports.iter().map(|port| port.text("rdma.device")).collect();
        assert_eq!(devices, [Some("mlx5_0"), Some("rxe0")]);
        ports.iter().for_each(check_ids);
    }

    #[test]
    fn a_character_device_has_no_block_device() {
        if !Path::new("/dev/zero").exists() {
            eprintln!("skipped: this system has no /dev/zero");
            return;
        }
        let environment = look(
            &Target::Path("/dev/zero".into()),
            &Options {
                watch: Duration::ZERO,
                ..Options::default()
            },
        );
        check_ids(&environment);
        assert_eq!(environment.text("target.kind"), Some("character-device"));
        assert!(!environment.facts.contains_key("target.direct"));
    }

    #[test]
    fn the_root_device_of_this_machine_is_never_called_free() {
        let mounts = crate::system::mounts::mounts(Path::new("/")).unwrap_or_default();
        let candidates = mounts
            .iter()
            .filter(|mount| mount.number.0 != 0)
            .filter_map(|mount| Device::of_number(Path::new("/"), mount.number).ok());
        let Some(path) = candidates
            .map(|device| PathBuf::from(format!("/dev/{}", device.name)))
            .find(|path| path.exists())
        else {
            eprintln!("skipped: no mounted block device of this machine can be seen");
            return;
        };
        let environment = look(
            &Target::Path(path.clone()),
            &Options {
                watch: Duration::ZERO,
                ..Options::default()
            },
        );
        check_ids(&environment);
        assert_eq!(environment.text("target.kind"), Some("block-device"));
        assert!(
            environment.text("device.mounted_at").is_some(),
            "{}: {:?}",
            path.display(),
            environment.facts["device.mounted_at"]
        );
    }

    #[test]
    fn cpus_of_a_node_and_of_this_process_are_told() {
        let tree = fixture::tree("proc-nvme");
        assert_eq!(machine::allowed_cpus(tree.path()), [0, 1, 2]);
    }
}
