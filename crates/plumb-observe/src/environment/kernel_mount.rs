//! What did the kernel negotiate with the server of a mounted share, and over which transport? SMB (cifs) and NFS.

mod cifs;
mod nfs;
mod options;

use std::path::Path;

use plumb_model::environment::{Environment, Fact};
use plumb_model::target::remote::Scheme;

use super::network::Server;
use options::Options;

/// Sets the facts of the share under a mount that `environment` reports about already, when it is one of cifs or NFS. Returns its server, for a look
/// at the way to it.
pub(crate) fn look(root: &Path, trial: bool, environment: &mut Environment) -> Option<Server> {
    let file_system = environment.text("mount.file_system")?.to_owned();
    let (source, point) = (
        environment.text("mount.source")?.to_owned(),
        environment.text("mount.point")?.to_owned(),
    );
    let options = environment
        .text("mount.options")
        .unwrap_or_default()
        .to_owned();
    let options = Options(&options);
    let (scheme, host) = match file_system.as_str() {
        "cifs" | "smb3" => {
            cifs::look(root, &source, &options, environment);
            (
                Scheme::Smb,
                source
                    .trim_start_matches(['/', '\\'])
                    .split(['/', '\\'])
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            )
        }
        "nfs" | "nfs4" => {
            nfs::look(root, &point, &options, environment);
            // `server:/export`, and `[fe80::1]:/export`.
            (
                Scheme::Nfs,
                source
                    .rsplit_once(":/")
                    .map_or(source.as_str(), |(host, _)| host)
                    .trim_matches(['[', ']'])
                    .to_owned(),
            )
        }
        _ => return None,
    };
    environment.set("share.server", Fact::Text(host.clone()));
    // The kernel resolved the name once and keeps the address; the name may resolve differently by now.
    let host = options
        .value("addr")
        .or(options.value("ip"))
        .map_or(host, |address| address.trim_matches(['[', ']']).to_owned());
    let port = options
        .value("port")
        .and_then(|port| port.parse().ok())
        .filter(|port| *port != 0)
        .unwrap_or(scheme.default_port());
    // A server over RDMA listens on a port that TCP does not reach.
    let over_rdma = environment.text("share.transport") == Some("rdma");
    let connect = match (trial, over_rdma) {
        (false, _) => Err("connecting was not requested".into()),
        (true, true) => Err("the mount uses RDMA, so a TCP connect shows nothing".into()),
        (true, false) => Ok(()),
    };
    Some(Server {
        host,
        port,
        connect,
    })
}

/// `\\server\share` of `//server/share/folder`: as /proc/fs/cifs/Stats names the share.
pub(crate) fn name_in_stats(source: &str) -> String {
    let parts: Vec<&str> = source
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .take(2)
        .collect();
    format!(r"\\{}", parts.join(r"\"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::mount;
    use crate::environment::target::tests::target_path;
    use crate::fixture;

    /// Facts of the share at this path of the fixture, and its server.
    fn facts_at(path: &str, number: (u32, u32)) -> (Environment, Option<Server>) {
        let tree = fixture::tree("proc-share");
        let root = tree.path().canonicalize().unwrap();
        let mut environment = Environment::default();
        mount::look(&root, &target_path(path, number), &mut environment);
        let server = look(&root, true, &mut environment);
        (environment, server)
    }

    #[test]
    fn a_cifs_mount_tells_its_channels_and_what_the_server_offers() {
        let (facts, server) = facts_at("/mnt/c/f", (0, 24));
        assert_eq!(facts.text("share.protocol"), Some("cifs"));
        assert_eq!(facts.text("share.server"), Some("10.9.9.2"));
        assert_eq!(facts.text("share.dialect"), Some("SMB 3.1.1"));
        assert_eq!(facts.text("share.transport"), Some("tcp"));
        assert_eq!(
            (
                facts.number("share.channels"),
                facts.number("share.channels_asked")
            ),
            (Some(4.0), Some(4.0))
        );
        assert_eq!(
            facts.text("share.server_interfaces"),
            Some("10.9.9.2 10 Gbit/s rss, 10.9.9.3 25 Gbit/s, 127.0.0.1 1 Gbit/s")
        );
        assert_eq!(
            (
                facts.flag("share.server_rss"),
                facts.flag("share.server_rdma")
            ),
            (Some(true), Some(false))
        );
        assert_eq!(facts.number("share.server_fast_interfaces"), Some(1.0));
        assert_eq!(
            (facts.flag("share.signed"), facts.flag("share.encrypted")),
            (Some(false), Some(false))
        );
        assert_eq!(facts.number("share.credits"), Some(469.0));
        assert_eq!(facts.number("share.read_max_bytes"), Some(4_194_304.0));
        assert_eq!(facts.text("share.cache"), Some("strict"));
        assert_eq!(facts.number("share.attribute_cache_s"), Some(1.0));
        assert_eq!(facts.number("share.reconnects"), Some(0.0));
        assert_eq!(
            server,
            Some(Server {
                host: "10.9.9.2".into(),
                port: 445,
                connect: Ok(())
            })
        );
    }

    #[test]
    fn an_encrypted_mount_of_an_old_dialect_is_told_as_such() {
        let (facts, _) = facts_at("/mnt/e/g", (0, 25));
        assert_eq!(facts.text("share.dialect"), Some("SMB 3.0"));
        assert_eq!(
            (
                facts.flag("share.encrypted"),
                facts.number("share.channels")
            ),
            (Some(true), Some(1.0))
        );
        assert_eq!(facts.number("share.channels_asked"), Some(1.0));
        assert_eq!(facts.text("share.cache"), Some("none"));
    }

    #[test]
    fn nfs_mounts_tell_their_connections_and_round_trips() {
        let (facts, server) = facts_at("/mnt/n/f", (0, 26));
        assert_eq!(
            (facts.text("share.protocol"), facts.text("share.dialect")),
            (Some("nfs"), Some("NFS 4.2"))
        );
        assert_eq!(
            (
                facts.text("share.transport"),
                facts.number("share.channels")
            ),
            (Some("tcp"), Some(3.0))
        );
        assert_eq!(facts.number("share.channels_asked"), Some(3.0));
        assert_eq!(facts.number("share.read_max_bytes"), Some(131_072.0));
        assert_eq!(facts.text("share.security"), Some("sys"));
        assert_eq!(facts.number("share.retransmits"), Some(0.0));
        assert_eq!(facts.number("share.age_s"), Some(103.0));
        assert_eq!(
            facts.number("share.write_round_trip_us").map(f64::round),
            Some((7849.0f64 * 1000.0 / 82.0).round())
        );
        assert_eq!(facts.number("share.read_round_trip_us"), Some(6120.0));
        assert_eq!(
            server,
            Some(Server {
                host: "127.0.0.1".into(),
                port: 2049,
                connect: Ok(())
            })
        );
        let (facts, server) = facts_at("/mnt/r/g", (0, 27));
        assert_eq!(facts.text("share.transport"), Some("rdma"));
        assert!(server.is_some_and(|server| server.port == 20049 && server.connect.is_err()));
    }

    #[test]
    fn a_share_is_named_as_the_kernel_counts_it() {
        assert_eq!(name_in_stats("//10.9.9.2/shm/folder"), r"\\10.9.9.2\shm");
        assert_eq!(name_in_stats("//server"), r"\\server");
    }

    #[test]
    fn what_is_no_share_has_no_such_facts() {
        let (facts, server) = facts_at("/x", (8, 1));
        assert_eq!(server, None);
        assert!(
            facts.facts.keys().all(|id| !id.starts_with("share.")),
            "{facts:?}"
        );
    }

    #[test]
    fn without_the_kernels_files_the_options_are_told_and_the_rest_is_unknown() {
        let nothing = tempfile::tempdir().unwrap();
        for (file_system, source) in [("cifs", "//server/share"), ("nfs4", "[fe80::1]:/export")] {
            let mut facts = Environment::default();
            facts.set("mount.file_system", Fact::Text(file_system.into()));
            facts.set("mount.source", Fact::Text(source.into()));
            facts.set("mount.point", Fact::Text("/m".into()));
            facts.set(
                "mount.options",
                Fact::Text("rw,rsize=65536,wsize=nonsense".into()),
            );
            let server = look(nothing.path(), false, &mut facts).unwrap();
            assert!(
                server.host == "server" || server.host == "fe80::1",
                "{server:?}"
            );
            assert_eq!(facts.number("share.read_max_bytes"), Some(65536.0));
            for id in ["share.write_max_bytes", "share.dialect", "share.channels"] {
                assert!(
                    matches!(&facts.facts[id], Fact::Unknown(why) if !why.is_empty()),
                    "{file_system} {id}: {:?}",
                    facts.facts[id]
                );
            }
        }
    }
}
