//! Where does an NFS 3 export begin? The portmapper (RFC 1833) returns the port of MOUNT, and MOUNT (RFC 1813, appendix I) the handle of the export.

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;

use crate::engine::statement_of_error;
use crate::engine::stop_request::StopRequest;
use crate::share::{ShareError, ShareErrorKind};
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::call::FileHandle;
use crate::shares::nfs::connection::Connection;
use crate::shares::nfs::exchange::exchange;
use crate::shares::nfs::message::{Call, NFS, Protocol};
use crate::shares::nfs::reach::{credential, reach};
use crate::shares::nfs::refusal::{error, no_such_export, unreachable};
use crate::shares::nfs::results::Failure;
use crate::shares::nfs::status::Status;
use crate::shares::nfs::xdr::{Garbled, Reader};

/// Where the portmapper listens.
const PORTMAPPER_PORT: u16 = 111;
const PORTMAPPER: Protocol = Protocol::Procedures {
    program: 100_000,
    version: 2,
};
const MOUNT_PROGRAM: u32 = 100_005;
const MOUNT: Protocol = Protocol::Procedures {
    program: MOUNT_PROGRAM,
    version: 3,
};
/// Bytes of one answer: a server may have thousands of exports.
const ANSWER_BYTES: u32 = 1 << 20;
/// Folders of a path that are tried as an export, when the server does not list its exports.
const TRIED_MAX: usize = 8;

/// An export that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mounted {
    pub root: FileHandle,
    /// How many names of the address's path lead to it.
    pub names: usize,
    /// All exports, where the server lists them.
    pub offered: Vec<String>,
    /// Security flavors, by their RPC numbers; empty if the server does not report them.
    pub flavors: Vec<u32>,
}

/// A connection to one program, for one question at a time.
struct ProgramConnection {
    connection: Connection,
    none: Blocks,
}

impl ProgramConnection {
    fn reach(
        remote: &Remote,
        port: u16,
        protocol: Protocol,
        stop: &StopRequest,
    ) -> Result<ProgramConnection, ShareError> {
        let (_, credential) = credential(remote)?;
        let at_port = Remote {
            port: Some(port),
            ..remote.clone()
        };
        let (stream, _) = reach(&at_port, stop)?;
        let none =
            Blocks::own(1, 1).map_err(|error| unreachable(remote, statement_of_error(&error)))?;
        let mut connection = Connection::new(stream, credential, protocol);
        connection.set_stop(stop);
        connection.enter(None, 1, ANSWER_BYTES);
        Ok(ProgramConnection { connection, none })
    }

    fn request<T>(
        &mut self,
        build: impl Fn(&mut Call),
        mut read: impl FnMut(&mut Reader<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        exchange(
            &mut self.connection,
            &mut self.none,
            build,
            |connection, answer| read(&mut connection.reply(answer)?),
        )
    }
}

/// The port of a program by TCP, as the portmapper has it; `None`: it is not registered there.
fn port_of(remote: &Remote, program: u32, stop: &StopRequest) -> Result<Option<u16>, ShareError> {
    const GETPORT: u32 = 3;
    const TCP: u32 = 6;
    let mut portmapper = ProgramConnection::reach(remote, PORTMAPPER_PORT, PORTMAPPER, stop)?;
    let port = portmapper.request(
        |call| {
            call.procedure(GETPORT);
            call.numbers(&[program, 3, TCP, 0]);
        },
        |reader| Ok(reader.u32()?),
    );
    let port = port.map_err(|failure| {
        error(
            remote,
            true,
            Statement::new("nfs-tried-portmapper"),
            failure,
        )
    })?;
    Ok(u16::try_from(port).ok().filter(|port| *port != 0))
}

/// Port of NFS 3: the port of the address, the portmapper's, or the default.
pub fn nfs_port(remote: &Remote, stop: &StopRequest) -> u16 {
    remote
        .port
        .or_else(|| port_of(remote, NFS, stop).ok().flatten())
        .unwrap_or_else(|| remote.port())
}

/// Finds the export on the way of the address's path. `port`: port of MOUNT; `None`: tried at the NFS port, which small servers use
/// for both, and at the portmapper: the latter first when the address has no port.
///
/// # Errors
/// There is no such export, with those there are; it may not be used; or there is no MOUNT service.
pub fn mount(
    remote: &Remote,
    nfs_port: u16,
    port: Option<u16>,
    stop: &StopRequest,
) -> Result<Mounted, ShareError> {
    if let Some(port) = port {
        return mount_at(remote, port, stop).map_err(|failed| failed.why(remote));
    }
    let nfs_port_first = remote.port.is_some();
    let first = match mount_by(remote, nfs_port, nfs_port_first, stop) {
        Err(MountFailure::NoService(error)) if !stop.is_made() => error,
        other => return other.map_err(|failed| failed.why(remote)),
    };
    mount_by(remote, nfs_port, !nfs_port_first, stop).map_err(|failed| match failed {
        MountFailure::NoService(error) => ShareError {
            why: Statement::new("nfs-no-mount-service")
                .part("first", first.why)
                .part("then", error.why),
            ..error
        },
        refused => refused.why(remote),
    })
}

/// With MOUNT at the port of NFS, or where the portmapper has it.
fn mount_by(
    remote: &Remote,
    nfs_port: u16,
    on_nfs_port: bool,
    stop: &StopRequest,
) -> Result<Mounted, MountFailure> {
    if on_nfs_port {
        return mount_at(remote, nfs_port, stop);
    }
    match port_of(remote, MOUNT_PROGRAM, stop) {
        Ok(Some(port)) => mount_at(remote, port, stop),
        Ok(None) => Err(MountFailure::NoService(unreachable(
            remote,
            Statement::new("nfs-mount-not-registered"),
        ))),
        Err(_) => Err(MountFailure::NoService(unreachable(
            remote,
            Statement::new("nfs-no-portmapper").name("host", &remote.host),
        ))),
    }
}

/// Why an export was not mounted.
enum MountFailure {
    /// There is no MOUNT service.
    NoService(ShareError),
    /// The server refused all names, the last one with this status; it offers these exports.
    Refused(Status, Vec<String>),
}

impl MountFailure {
    fn why(self, remote: &Remote) -> ShareError {
        let path = format!("/{}", remote.path);
        match self {
            MountFailure::NoService(error) => error,
            MountFailure::Refused(status, offered) if status.kind() == ShareErrorKind::Denied => {
                let is_offered = offered.iter().any(|export| leads_to(export, &path));
                if is_offered || offered.is_empty() {
                    let tried = Statement::new("nfs-tried-mount").name("export", path);
                    let status = Statement::new("nfs-cannot")
                        .name("target", remote.to_string())
                        .part("tried", tried)
                        .name("status", mount_status(status))
                        .part("advice", Statement::new("nfs-not-exported-to-this-host"));
                    return ShareError {
                        kind: ShareErrorKind::Denied,
                        why: status,
                    };
                }
                no_such_export(remote, &path, &mount_status(status), &offered)
            }
            MountFailure::Refused(status, offered) => {
                no_such_export(remote, &path, &mount_status(status), &offered)
            }
        }
    }
}

/// The name of a status in MOUNT (`mountstat3`).
fn mount_status(status: Status) -> String {
    status.name(true).replacen("NFS3ERR", "MNT3ERR", 1)
}

fn mount_at(remote: &Remote, port: u16, stop: &StopRequest) -> Result<Mounted, MountFailure> {
    let no_service = |failure: Failure| {
        let tried = Statement::new("nfs-tried-mount").name("export", format!("/{}", remote.path));
        MountFailure::NoService(error(remote, true, tried, failure))
    };
    let mut service =
        ProgramConnection::reach(remote, port, MOUNT, stop).map_err(MountFailure::NoService)?;
    let offered = match exports(&mut service) {
        Ok(offered) => offered,
        // Small servers have no EXPORT; whether they have MNT is seen below.
        Err(Failure::Unsupported(_) | Failure::Status(_)) => Vec::new(),
        Err(failure) => return Err(no_service(failure)),
    };
    let path = format!("/{}", remote.path);
    let nearest = offered
        .iter()
        .filter(|export| leads_to(export, &path))
        .max_by_key(|export| names(export).count());
    let candidates: Vec<String> = match nearest {
        Some(export) => vec![export.clone()],
        None if remote.path.is_empty() => vec!["/".to_string()],
        None => {
            let ends = names(&path).count().min(TRIED_MAX);
            let to = |count| {
                names(&path)
                    .take(count)
                    .fold(String::new(), |to, name| to + "/" + name)
            };
            (1..=ends).map(to).collect()
        }
    };
    let mut refused = Status::NOENT;
    for export in candidates {
        match mount_one(&mut service, &export) {
            Ok((root, flavors)) => {
                return Ok(Mounted {
                    root,
                    names: names(&export).count(),
                    offered,
                    flavors,
                });
            }
            Err(Failure::Status(status)) => refused = status,
            Err(failure) => return Err(no_service(failure)),
        }
    }
    Err(MountFailure::Refused(refused, offered))
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

/// True when the export lies on the way of the path.
fn leads_to(export: &str, path: &str) -> bool {
    let mut way = names(path);
    names(export).all(|name| way.next() == Some(name))
}

/// The handle of an export, and how a user may prove who he is.
fn mount_one(
    service: &mut ProgramConnection,
    export: &str,
) -> Result<(FileHandle, Vec<u32>), Failure> {
    const MNT: u32 = 1;
    service.request(
        |call| {
            call.procedure(MNT);
            call.opaque(export.as_bytes());
        },
        read_mounted,
    )
}

fn read_mounted(reader: &mut Reader<'_>) -> Result<(FileHandle, Vec<u32>), Failure> {
    /// FHSIZE3.
    const HANDLE_MAX: usize = 64;
    match Status(reader.u32()?) {
        Status::OK => {}
        status => return Err(Failure::Status(status)),
    }
    let handle = reader.opaque()?;
    let root = FileHandle::new(handle).filter(|_| handle.len() <= HANDLE_MAX);
    let root = root.ok_or(Garbled)?;
    // As many as there are, which is not always the announced count.
    let flavors: Result<Vec<u32>, Garbled> = (0..reader.u32()?).map(|_| reader.u32()).collect();
    Ok((root, flavors?))
}

/// The paths of all exports.
fn exports(service: &mut ProgramConnection) -> Result<Vec<String>, Failure> {
    const EXPORT: u32 = 5;
    service.request(|call| call.procedure(EXPORT), read_exports)
}

/// As long as the answer, which has a bound: each name takes its bytes of it.
fn read_exports(reader: &mut Reader<'_>) -> Result<Vec<String>, Failure> {
    let mut exports = Vec::new();
    while reader.bool()? {
        exports.push(reader.text()?);
        // Whom it is exported to.
        while reader.bool()? {
            reader.opaque()?;
        }
    }
    Ok(exports)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shares::nfs::xdr::{put_opaque, put_u32};

    #[test]
    fn exports_on_the_way_of_a_path() {
        let check = |export: &str, path: &str, expected: bool| {
            assert_eq!(leads_to(export, path), expected, "{export} {path}");
        };
        check("/srv/data", "/srv/data/below", true);
        check("/srv/data", "/srv/data", true);
        check("/", "/anything", true);
        check("/srv/data", "/srv/database", false);
        check("/srv/data/below", "/srv/data", false);
    }

    #[test]
    fn a_list_of_exports_and_a_handle_are_read() {
        let mut bytes = Vec::new();
        for (export, groups) in [("/srv/data", &["10.0.0.0/8", "host"][..]), ("/more", &[])] {
            put_u32(&mut bytes, 1);
            put_opaque(&mut bytes, export.as_bytes());
            for group in groups {
                put_u32(&mut bytes, 1);
                put_opaque(&mut bytes, group.as_bytes());
            }
            put_u32(&mut bytes, 0);
        }
        put_u32(&mut bytes, 0);
        assert_eq!(
            read_exports(&mut Reader::new(&bytes)),
            Ok(vec!["/srv/data".to_string(), "/more".to_string()])
        );
        let cut = &bytes[..bytes.len() - 4];
        assert_eq!(read_exports(&mut Reader::new(cut)), Err(Garbled.into()));

        let mounted = |flavors: &[u32], handle_bytes: usize| {
            let mut bytes = Vec::new();
            put_u32(&mut bytes, 0);
            put_opaque(&mut bytes, &vec![7; handle_bytes]);
            put_u32(&mut bytes, flavors.len() as u32);
            flavors
                .iter()
                .for_each(|flavor| put_u32(&mut bytes, *flavor));
            read_mounted(&mut Reader::new(&bytes)).map(|(_, flavors)| flavors)
        };
        assert_eq!(mounted(&[390_003, 1], 28), Ok(vec![390_003, 1]));
        assert_eq!(mounted(&[], 28), Ok(Vec::new()));
        assert_eq!(mounted(&[1], 65), Err(Garbled.into()));
        // Four billion flavors are announced, and none is present.
        let endless = [0u32, 0, u32::MAX].map(u32::to_be_bytes).concat();
        assert_eq!(
            read_mounted(&mut Reader::new(&endless)),
            Err(Garbled.into())
        );
    }
}
