//! Does the NFS client do what a kernel mount would, against a real server? nfs-ganesha on loopback, started for each test.
#![cfg(target_os = "linux")]
// What a proxy does to an answer has one form for all cases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::ptr_arg)]

#[path = "../../../testdata/peers/ganesha.rs"]
mod ganesha;
#[path = "../../../testdata/peers/go_nfs.rs"]
mod go_nfs;
#[path = "../../../testdata/peers/kdc.rs"]
mod kdc;
#[path = "../../../testdata/peers/nfs_4_0_lies.rs"]
mod nfs_4_0_lies;
#[path = "../../../testdata/peers/nfs_mirror.rs"]
mod nfs_mirror;
#[path = "../../../testdata/peers/nfs_proxy.rs"]
mod nfs_proxy;
#[path = "shares/operations.rs"]
mod operations;
#[path = "../../../testdata/peers/ports.rs"]
mod ports;
#[path = "../../../testdata/peers/samba.rs"]
mod samba;

use plumb_load::engine::failure::FailureKind;
use plumb_load::engine::operation::Op;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};
use ganesha::{Ganesha, in_own_network};
use operations::*;
use plumb_load::engine::buffers::Buffers;
use plumb_load::engine::journal::{Journal, JournalEntry};
use plumb_load::engine::meeting::Meeting;
use plumb_load::engine::{Opened, RemoteSetup, Setup, Unavailable, Wait};
use plumb_load::engines;
use plumb_load::feed::live_files::LiveFiles;
use plumb_load::share::{ShareError, ShareErrorKind, SharedShare};
use plumb_load::shares;
use plumb_load::site::{
    Admission, FileSetNeeds, Needs, Preparing, ShareLogin, Site, SiteFile, SiteKind,
};
use plumb_model::environment::Fact;
use plumb_model::run::ConnectionState;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{
    EngineChoice, NfsSecurity, NfsVersion, OperationKind, Weighted, Workload,
};

/// More than one request carries.
const BLOCK: u32 = 2 << 20;
const BLOCKS: u64 = 12;

fn remote(address: &str) -> Remote {
    address.parse().expect("an address")
}

fn connect(address: &str) -> Result<SharedShare, ShareError> {
    connect_by(address, NfsVersion::Auto)
}

fn connect_by(address: &str, version: NfsVersion) -> Result<SharedShare, ShareError> {
    shares::connect(&remote(address), None, &by(version))
}

fn by(version: NfsVersion) -> EngineChoice {
    EngineChoice {
        nfs: version,
        ..EngineChoice::default()
    }
}

fn refusal(address: &str) -> ShareError {
    connect(address).expect_err("a refusal")
}

fn is_kind<T: std::fmt::Debug>(result: Result<T, ShareError>, kind: ShareErrorKind, text: &str) {
    let error = result.expect_err(text);
    assert!(
        error.kind == kind && error.to_string().contains(text),
        "{error:?}"
    );
}

/// The name of a status in this version.
fn status(version: NfsVersion, name: &str) -> String {
    let number = if version == NfsVersion::V3 { 3 } else { 4 };
    format!("NFS{number}ERR_{name}")
}

#[test]
fn files_of_an_export_are_made_listed_and_removed() {
    if let Some(server) = Ganesha::start() {
        files_are_made_listed_and_removed(&server, NfsVersion::Auto);
        files_are_made_listed_and_removed(&server, NfsVersion::V41);
        files_are_made_listed_and_removed(&server, NfsVersion::V40);
    }
}

#[test]
fn nfs_3_makes_lists_and_removes_files_of_an_export() {
    if in_own_network("nfs_3_makes_lists_and_removes_files_of_an_export") {
        files_are_made_listed_and_removed(&Ganesha::start_3(), NfsVersion::V3);
    }
}

fn files_are_made_listed_and_removed(server: &Ganesha, version: NfsVersion) {
    let share = connect_by(&server.address("data/below"), version).expect("a share");
    let status = |name: &str| status(version, name);
    let room = share.lock().room().expect("room").expect("told");
    assert!(
        room.free_bytes > 0 && room.total_bytes >= room.free_bytes,
        "{room:?}"
    );
    share.lock().make_folder("folder").expect("made");
    is_kind(
        share.lock().make_folder("folder"),
        ShareErrorKind::Exists,
        &status("EXIST"),
    );
    is_kind(
        share.lock().make_folder("none/folder"),
        ShareErrorKind::NotFound,
        &status("NOENT"),
    );

    // No multiple of anything, and longer than a piece.
    let len = (13 << 20) + 1234;
    assert_eq!(write(&share, "folder/file", true, 0, len), Ok(true));
    let bytes = std::fs::read(server.data().join("folder/file")).expect("the file");
    assert!(
        bytes.len() as u64 == len
            && bytes
                .iter()
                .enumerate()
                .all(|(at, byte)| *byte == byte_at(at as u64))
    );
    is_kind(
        write(&share, "folder/file", true, 0, 1),
        ShareErrorKind::Exists,
        &status("EXIST"),
    );
    is_kind(
        write(&share, "folder/none", false, 0, 1),
        ShareErrorKind::NotFound,
        &status("NOENT"),
    );
    assert_eq!(
        share
            .lock()
            .write_file("folder/file", false, 0, 10, &mut |_, _| false),
        Ok(false)
    );
    assert_eq!(
        share.lock().read_file("folder/file", 0, 100).expect("read"),
        bytes[..100]
    );
    assert_eq!(
        share
            .lock()
            .read_file("folder/file", 0, 1 << 20)
            .expect("read"),
        bytes[..1 << 20]
    );

    share.lock().set_length("folder/file", 5000).expect("cut");
    let entry = share
        .lock()
        .look_up("folder/file")
        .expect("looked up")
        .expect("there");
    assert_eq!(
        (entry.name.as_str(), entry.is_folder, entry.size_bytes),
        ("file", false, 5000)
    );
    assert_eq!(share.lock().look_up("folder/none"), Ok(None));
    // More names than one answer of the server holds.
    for number in 0..1500 {
        std::fs::write(
            server
                .data()
                .join(format!("folder/a-name-that-takes-some-room-{number}")),
            "",
        )
        .expect("written");
    }
    let mut names: Vec<String> = share
        .lock()
        .list("folder")
        .expect("listed")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 1501);
    is_kind(
        share.lock().remove_folder("folder"),
        ShareErrorKind::Other,
        &status("NOTEMPTY"),
    );
    share.remove_all("folder").expect("removed");
    is_kind(
        share.lock().remove_file("folder"),
        ShareErrorKind::NotFound,
        &status("NOENT"),
    );
    assert_eq!(std::fs::read_dir(server.data()).expect("listed").count(), 0);
}

#[test]
fn nfs_3_says_in_one_sentence_what_is_refused() {
    if !in_own_network("nfs_3_says_in_one_sentence_what_is_refused") {
        return;
    }
    let server = Ganesha::start_3();
    let by_3 = |address: &str| connect_by(address, NfsVersion::V3);
    let missing = by_3(&server.address("none")).expect_err("refused");
    let said = missing.to_string();
    assert!(
        said.contains("no export '/none'") && said.contains("/data, /readonly, /squashed"),
        "{said}"
    );
    is_kind(
        by_3(&server.address("readonly")).and_then(|share| share.lock().make_folder("x")),
        ShareErrorKind::Denied,
        "NFS3ERR_ROFS: the export is read-only",
    );
    is_kind(
        by_3(&server.address("squashed")).and_then(|share| share.lock().make_folder("x")),
        ShareErrorKind::Denied,
        "NFS3ERR_ACCES: the server checks the user id",
    );
    let other = format!("nfs://1234@127.0.0.1:{}/data", server.port());
    is_kind(
        by_3(&other).and_then(|share| share.lock().make_folder("x")),
        ShareErrorKind::Denied,
        "NFS3ERR_ACCES",
    );
    // MOUNT at a port without the service, given by the user.
    let choice = EngineChoice {
        mount_port: server.port(),
        ..by(NfsVersion::V3)
    };
    let error = shares::connect(&remote(&server.address("data")), None, &choice)
        .expect_err("no MOUNT there");
    assert!(error.to_string().contains("at this port"), "{error}");
    let choice = EngineChoice {
        mount_port: server.mount_port(),
        ..by(NfsVersion::V3)
    };
    shares::connect(&remote(&server.address("data")), None, &choice).expect("a share");
}

#[test]
fn nfs_3_finds_an_export_of_several_names() {
    if !in_own_network("nfs_3_finds_an_export_of_several_names") {
        return;
    }
    let server = Ganesha::start_3_by_folders();
    let folder = server.data();
    let path = folder.to_str().expect("a name").trim_start_matches('/');
    let share = connect_by(&server.address(path), NfsVersion::V3).expect("a share");
    // Paths begin below the first name, wherever the export begins.
    let (_, below) = path.split_once('/').expect("two names");
    share
        .lock()
        .make_folder(&format!("{below}/folder"))
        .expect("made");
    let file = format!("{below}/folder/file");
    assert_eq!(write(&share, &file, true, 0, 100_000), Ok(true));
    let bytes = std::fs::read(folder.join("folder/file")).expect("the file");
    assert!(bytes.len() == 100_000 && bytes[77_777] == byte_at(77_777));
    let (next, _) = below.split_once('/').unwrap_or((below, ""));
    let above: Vec<String> = share
        .lock()
        .list("")
        .expect("listed")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(above, [next], "the way to the export, and nothing else");
    is_kind(
        share.lock().make_folder(next),
        ShareErrorKind::Exists,
        "NFS3ERR_EXIST",
    );
    is_kind(
        share.lock().make_folder("elsewhere"),
        ShareErrorKind::Denied,
        "NFS3ERR_ROFS",
    );
    assert_eq!(share.lock().look_up("elsewhere"), Ok(None));
    share
        .remove_all(&format!("{below}/folder"))
        .expect("removed");
    assert_eq!(std::fs::read_dir(&folder).expect("listed").count(), 0);
    // The same path in the highest version has another name.
    connect(&server.address("data")).expect("a share of NFS 4");
}

#[test]
fn what_is_refused_is_reported_in_one_sentence() {
    if let Some(server) = Ganesha::start() {
        refuses_in_one_sentence(&server, NfsVersion::Auto);
        refuses_in_one_sentence(&server, NfsVersion::V40);
    }
}

fn refuses_in_one_sentence(server: &Ganesha, version: NfsVersion) {
    let connect = |address: &str| connect_by(address, version);
    let refusal = |address: &str| connect(address).expect_err("a refusal");
    let missing = refusal(&server.address("none"));
    assert!(
        missing.to_string().contains("no export 'none'")
            && missing.to_string().contains("data, readonly, squashed"),
        "{missing}"
    );
    let readonly = connect(&server.address("readonly")).expect("a share");
    is_kind(
        readonly.lock().make_folder("x"),
        ShareErrorKind::Denied,
        "NFS4ERR_ROFS: the export is read-only",
    );
    let squashed = connect(&server.address("squashed")).expect("a share");
    is_kind(
        squashed.lock().make_folder("x"),
        ShareErrorKind::Denied,
        "NFS4ERR_ACCESS: the server checks the user id",
    );
    let named = refusal(&format!("nfs://someone@127.0.0.1:{}/data", server.port()));
    assert!(
        named.kind == ShareErrorKind::Denied && named.to_string().contains("users by number"),
        "{named}"
    );
    // The export belongs to root.
    let other = connect(&format!("nfs://1234@127.0.0.1:{}/data", server.port())).expect("a share");
    is_kind(
        other.lock().make_folder("x"),
        ShareErrorKind::Denied,
        "NFS4ERR_ACCESS",
    );
    // The root of all exports can be looked at, and has no room.
    let root = connect(&server.address("")).expect("the root");
    assert_eq!(root.lock().list("").expect("listed").len(), 3);
    is_kind(
        root.lock().make_folder("x"),
        ShareErrorKind::Denied,
        "NFS4ERR_ROFS: no export is named",
    );
}

/// A server that answers the first message with `answer` and closes.
fn odd_server(answer: Vec<u8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("address").port();
    std::thread::spawn(move || {
        if let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(&answer);
        }
    });
    port
}

#[test]
fn who_has_no_nfs_is_distinguished() {
    let words = |numbers: &[u32]| {
        numbers
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect::<Vec<u8>>()
    };
    // The first number of a message: serial 1, slot 0.
    let xid = 1 << 10;
    let odd = [
        (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".to_vec(), "is not NFS"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), "is not NFS"),
        (Vec::new(), "closed the connection"),
        // Half of an answer.
        (words(&[1 << 31 | 100, xid, 1, 0]), "closed the connection"),
        // An answer to nobody.
        (
            words(&[1 << 31 | 24, 77, 1, 0, 0, 0, 0]),
            "closed the connection",
        ),
        // Accepted, and another version: 2 to 3.
        (
            words(&[1 << 31 | 32, xid, 1, 0, 0, 0, 2, 2, 3]),
            "only supports NFS versions 2 to 3",
        ),
        (words(&[1 << 31 | 24, xid, 1, 0, 0, 0, 1]), "offers no NFS"),
        // Denied: AUTH_TOOWEAK.
        (words(&[1 << 31 | 20, xid, 1, 1, 1, 5]), "allow sec=sys"),
        // A COMPOUND with the status of a minor version that is not there, and one with a result of another operation.
        (
            words(&[1 << 31 | 36, xid, 1, 0, 0, 0, 0, 10021, 0, 0]),
            "NFS4ERR_MINOR_VERS_MISMATCH",
        ),
        (
            words(&[1 << 31 | 44, xid, 1, 0, 0, 0, 0, 0, 0, 1, 4, 0]),
            "not valid NFS",
        ),
        // The same in two fragments.
        (
            words(&[8, xid, 1, 1 << 31 | 28, 0, 0, 0, 0, 10021, 0, 0]),
            "NFS4ERR_MINOR_VERS_MISMATCH",
        ),
    ];
    for (answer, expected) in odd {
        for version in [NfsVersion::V41, NfsVersion::V40] {
            let address = format!("nfs://127.0.0.1:{}/data", odd_server(answer.clone()));
            let error = connect_by(&address, version).expect_err("a refusal");
            let said = error.to_string();
            assert!(said.contains(expected), "{version}: {answer:?}: {said}");
        }
    }
    let closed = ports::free_port();
    let error = refusal(&format!("nfs://127.0.0.1:{closed}/data"));
    assert!(
        error.kind == ShareErrorKind::Unreachable
            && error.to_string().contains("that the NFS server is running"),
        "{error}"
    );
}

/// A server of NFS 3 alone, which ignores the requested version, and lists no exports.
#[test]
fn a_server_in_go_is_found_to_support_nfs_3() {
    let Some(server) = go_nfs::GoNfs::start(env!("CARGO_TARGET_TMPDIR")) else {
        return;
    };
    let share = connect(&server.address("any/folder")).expect("a share");
    assert_eq!(write(&share, "file", true, 0, 3_000_001), Ok(true));
    let bytes = std::fs::read(server.data().join("file")).expect("the file");
    let is_whole = bytes.len() == 3_000_001
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| *byte == byte_at(at as u64));
    assert!(is_whole, "the folder holds what was written");
    let mut buffers = buffers();
    let bench = Bench::new(
        &server.address("any"),
        "read:1,write:1,flush:1",
        Some("file"),
    );
    let Opened {
        mut engine,
        connection,
        ..
    } = bench.open(&buffers);
    assert_eq!(connection["dialect"], "NFS 3 over TCP");
    // From end to end, and over the end.
    let ops = [
        op(OperationKind::Read, 0, BLOCK, 0),
        op(OperationKind::Read, u64::from(BLOCK), BLOCK, 1),
        op(OperationKind::Read, 12_345, 777, 2),
    ];
    assert_eq!(
        carry_out(engine.as_mut(), &ops),
        moved([BLOCK, 3_000_001 - BLOCK, 777])
    );
    let whole = [
        ops[0],
        Op {
            len: 900_000,
            ..ops[1]
        },
        ops[2],
    ];
    whole
        .iter()
        .for_each(|op| assert!(holds(&mut buffers, op), "{op:?}"));
    let write = op(OperationKind::Write, 4096, 100_000, 0);
    buffers.slot(0).fill(0x5a);
    assert_eq!(carry_out(engine.as_mut(), &[write]), moved([100_000]));
    assert_eq!(
        carry_out(engine.as_mut(), &[op(OperationKind::Flush, 0, 0, 0)]),
        [Ok(0)]
    );
    let bytes = std::fs::read(server.data().join("file")).expect("the file");
    assert!(
        bytes[4096..104_096].iter().all(|byte| *byte == 0x5a) && bytes[104_096] == byte_at(104_096)
    );
    let numbers = close(engine).account.numbers;
    assert_eq!(
        (numbers["unstable_writes"], numbers["stable_writes"]),
        (0.0, 1.0),
        "this server writes to its disk before it answers"
    );
    share.lock().remove_file("file").expect("removed");
    assert!(!server.data().join("file").exists());
}

/// A server that reports each write as stable, and refuses COMMIT as a procedure that it does not have: nothing is to be committed.
#[test]
fn a_server_without_commit_is_filled_written_and_flushed() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("nfs://127.0.0.1:{}/", nfs_mirror::serve(folder.path()));
    let share = connect(&address).expect("a share");
    assert_eq!(write(&share, "file", true, 0, 3_000_001), Ok(true));
    let bytes = std::fs::read(folder.path().join("file")).expect("the file");
    assert!(
        bytes.len() == 3_000_001 && (0..).zip(&bytes).all(|(at, byte)| *byte == byte_at(at)),
        "the folder holds what was written"
    );
    let mut buffers = buffers();
    let bench = Bench::new(&address, "write:1,flush:1", Some("file"));
    let Opened { mut engine, .. } = bench.open(&buffers);
    buffers.slot(0).fill(0x5a);
    let ops = [
        op(OperationKind::Write, 4096, 100_000, 0),
        op(OperationKind::Flush, 0, 0, 0),
    ];
    assert_eq!(carry_out(engine.as_mut(), &ops[..1]), moved([100_000]));
    assert_eq!(carry_out(engine.as_mut(), &ops[1..]), [Ok(0)]);
    let bytes = std::fs::read(folder.path().join("file")).expect("the file");
    assert!(bytes[4096..104_096].iter().all(|byte| *byte == 0x5a));
    let numbers = close(engine).account.numbers;
    assert_eq!(
        (numbers["unstable_writes"], numbers["stable_writes"]),
        (0.0, 1.0)
    );
    share.lock().make_folder("folder").expect("made");
    assert_eq!(write(&share, "folder/second", true, 0, 1), Ok(true));
    let mut names: Vec<String> = share
        .lock()
        .list("")
        .expect("listed")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    names.sort();
    assert_eq!(names, ["file", "folder"]);
}

/// Facts of the server, by id.
fn surveyed(address: &str, version: NfsVersion) -> std::collections::BTreeMap<String, Fact> {
    let facts = shares::nfs::survey(&remote(address), &by(version), &Default::default());
    facts.expect("surveyed").into_iter().collect()
}

#[test]
fn a_survey_reports_versions_exports_and_limits() {
    if let Some(server) = Ganesha::start() {
        let facts = surveyed(&server.address("data"), NfsVersion::Auto);
        assert_eq!(facts["nfs.versions"], Fact::Text("4.2, 4.1, 4.0".into()));
        assert_eq!(facts["nfs.dialect"], Fact::Text("NFS 4.2".into()));
        assert_eq!(facts["nfs.security"], Fact::Text("sys".into()));
        let exports = Fact::Text("data, readonly, squashed".into());
        assert_eq!(facts["nfs.exports"], exports);
        let is_positive = |id: &str| matches!(facts[id], Fact::Number(number) if number > 0.0);
        for id in [
            "session_slots",
            "lease_s",
            "read_max_bytes",
            "round_trip_us",
        ] {
            assert!(is_positive(&format!("nfs.{id}")), "{id}: {facts:?}");
        }
        let facts = surveyed(&server.address("data"), NfsVersion::V40);
        assert_eq!(facts["nfs.dialect"], Fact::Text("NFS 4.0".into()));
        assert_eq!(facts["nfs.security"], Fact::Text("sys".into()));
        assert_eq!(facts["nfs.exports"], exports);
        assert_eq!(facts["nfs.lease_s"], Fact::Number(60.0));
        assert!(matches!(facts["nfs.session_slots"], Fact::Unknown(_)));
        for id in ["nfs.read_max_bytes", "nfs.write_max_bytes"] {
            assert_eq!(facts[id], Fact::Number(f64::from(1 << 20)));
        }
    }
}

#[test]
fn nfs_3_is_surveyed_beside_4() {
    if !in_own_network("nfs_3_is_surveyed_beside_4") {
        return;
    }
    let server = Ganesha::start_3();
    let facts = surveyed(&server.address("data"), NfsVersion::V3);
    assert_eq!(facts["nfs.versions"], Fact::Text("4.2, 4.1, 4.0, 3".into()));
    assert_eq!(facts["nfs.dialect"], Fact::Text("NFS 3".into()));
    assert_eq!(facts["nfs.security"], Fact::Text("sys".into()));
    let exports = Fact::Text("/data, /readonly, /squashed".into());
    assert_eq!(facts["nfs.exports"], exports);
    assert!(matches!(facts["nfs.lease_s"], Fact::Unknown(_)));
    assert!(matches!(facts["nfs.round_trip_us"], Fact::Number(us) if us > 0.0));
}

type Reports = (
    crossbeam_channel::Sender<JournalEntry>,
    Receiver<JournalEntry>,
);

/// An engine on a path of a server, with its parts.
struct Bench {
    remote: Remote,
    workload: Workload,
    meeting: Meeting,
    choice: EngineChoice,
    file: Option<SiteFile>,
    files: Option<LiveFiles>,
    reports: Reports,
}

impl Bench {
    fn new(address: &str, mix: &str, file: Option<&str>) -> Bench {
        Bench::by(NfsVersion::Auto, address, mix, file)
    }

    fn by(version: NfsVersion, address: &str, mix: &str, file: Option<&str>) -> Bench {
        let mix: Weighted<OperationKind> = mix.parse().expect("a mix");
        let file = file.map(|path| SiteFile {
            index: 0,
            path: path.into(),
            start: 0,
            len: BLOCKS * u64::from(BLOCK),
            kind: SiteKind::Share,
            identity: None,
            folder: None,
        });
        Bench {
            remote: remote(address),
            workload: Workload {
                mix,
                ..Workload::default()
            },
            meeting: Meeting::default(),
            choice: by(version),
            file,
            files: None,
            reports: unbounded(),
        }
    }

    fn open<'a>(&'a self, buffers: &Buffers) -> Opened<'a> {
        self.try_open(buffers)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn try_open<'a>(&'a self, buffers: &Buffers) -> Result<Opened<'a>, Unavailable> {
        let remote = RemoteSetup {
            remote: &self.remote,
            secret: None,
            file: self.file.as_ref(),
            worker: 0,
            workload: &self.workload,
            meeting: &self.meeting,
            jobs: Vec::new(),
            step_meeting: &self.meeting,
            journal: self.journal(),
            stop: Default::default(),
        };
        let setup = Setup {
            files: &[],
            end_bytes: 0,
            buffers: buffers.region(),
            depth: DEPTH,
            batch: DEPTH,
            choice: &self.choice,
            live_files: self.files.as_ref(),
            trims: false,
            flush_metadata: false,
            remote: Some(remote),
        };
        (engines::by_name("nfs").expect("listed").open)(setup)
    }

    fn journal(&self) -> Journal {
        let sender = self.reports.0.clone();
        Journal::new(move |entry| drop(sender.send(entry)))
    }

    fn connections(&self) -> Vec<ConnectionState> {
        let reports = self.reports.1.try_iter();
        reports
            .filter_map(|entry| match entry {
                JournalEntry::Connection { state, .. } => Some(state),
                _ => None,
            })
            .collect()
    }
}

fn buffers() -> Buffers {
    Buffers::new(DEPTH as usize, BLOCK as usize).expect("buffers")
}

/// A file of zeros as long as all blocks, in place of one that is there.
fn make_file(server: &Ganesha) {
    let share = connect(&server.address("data")).expect("a share");
    let _ = share.lock().remove_file("file");
    let zeros = &mut |_: u64, piece: &mut [u8]| {
        piece.fill(0);
        true
    };
    share
        .lock()
        .write_file("file", true, 0, BLOCKS * u64::from(BLOCK), zeros)
        .expect("made");
}

#[test]
fn blocks_are_read_back_as_they_were_written() {
    if let Some(server) = Ganesha::start() {
        blocks_are_read_back(&server, NfsVersion::Auto);
        blocks_are_read_back(&server, NfsVersion::V40);
    }
}

#[test]
fn nfs_3_reads_blocks_back_as_they_were_written() {
    if in_own_network("nfs_3_reads_blocks_back_as_they_were_written") {
        blocks_are_read_back(&Ganesha::start_3(), NfsVersion::V3);
    }
}

/// A read-only export is reported.
fn refuses_writes(server: &Ganesha, version: NfsVersion, buffers: &Buffers) {
    let readonly = Bench::by(version, &server.address("readonly"), "write", Some("file"));
    if version == NfsVersion::V3 {
        // Nothing is opened: the first write is refused.
        let Opened { mut engine, .. } = readonly.open(buffers);
        let refused = carry_out(engine.as_mut(), &[op(OperationKind::Write, 0, 4096, 0)]);
        assert_eq!(refused, [Err(FailureKind::ReadOnly)]);
    } else {
        let refused = readonly.try_open(buffers).err().expect("refused");
        let remedy = "measure reads, or make it writable";
        assert!(refused.to_string().ends_with(remedy), "{refused}");
    }
}

fn blocks_are_read_back(server: &Ganesha, version: NfsVersion) {
    make_file(server);
    let mut buffers = buffers();
    let bench = Bench::by(
        version,
        &server.address("data"),
        "read:1,write:1,flush:1",
        Some("file"),
    );
    let Opened {
        mut engine,
        connection,
        active,
        refused,
    } = bench.open(&buffers);
    let (dialect, has_sessions) = match version {
        NfsVersion::V3 => ("NFS 3 over TCP", false),
        NfsVersion::V40 => ("NFS 4.0 over TCP", false),
        _ => ("NFS 4.2 over TCP", true),
    };
    assert!(
        connection["dialect"] == dialect
            && connection.contains_key("session_slots") == has_sessions,
        "{connection:?}"
    );
    assert!(
        connection["read_max_bytes"]
            .parse::<u32>()
            .expect("a number")
            < BLOCK,
        "{connection:?}"
    );
    assert!(
        active[0].contains("split") && refused.is_empty(),
        "{active:?} {refused:?}"
    );
    write_blocks(engine.as_mut(), &mut buffers);
    assert_eq!(
        carry_out(engine.as_mut(), &[op(OperationKind::Flush, 0, 0, 0)]),
        [Ok(0)]
    );
    let bytes = std::fs::read(server.data().join("file")).expect("the file");
    let is_whole = bytes.len() as u64 == BLOCKS * u64::from(BLOCK)
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| *byte == byte_at(at as u64));
    assert!(is_whole, "another way in sees the same bytes");
    read_blocks(engine.as_mut(), &mut buffers);
    refuses_writes(server, version, &buffers);
    // All sizes, from what is copied to what is received in place, odd ones too, and mixed.
    let sizes = [1, 511, 4096, 16_383, 16_384, 100_001, 1_044_480, BLOCK];
    for round in 0..8 {
        let at = |place: usize| (place as u64 * 77_777 + round * 1013) % 1_000_000;
        let ops: Vec<Op> = sizes
            .iter()
            .enumerate()
            .map(|(place, len)| op(OperationKind::Read, at(place), *len, place as u32))
            .collect();
        assert_eq!(carry_out(engine.as_mut(), &ops), sizes.map(Ok));
        ops.iter()
            .for_each(|op| assert!(holds(&mut buffers, op), "{op:?}"));
    }
    // At the end of the file, and over it.
    let end = BLOCKS * u64::from(BLOCK);
    let over = [
        op(OperationKind::Read, end, BLOCK, 0),
        op(OperationKind::Read, end - 1_500_000, BLOCK, 1),
    ];
    assert_eq!(carry_out(engine.as_mut(), &over), moved([0, 1_500_000]));
    let closing = close(engine);
    let commands: Vec<&str> = closing
        .account
        .commands
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(commands, ["COMMIT", "READ", "WRITE"]);
    assert!(
        closing.account.commands["WRITE"].count() >= 2 * BLOCKS,
        "blocks were split"
    );
    assert_eq!(
        (
            closing.account.numbers["reconnects"],
            closing.account.numbers["delayed_by_server"]
        ),
        (0.0, 0.0)
    );
    let (unstable, stable) = (
        closing.account.numbers["unstable_writes"],
        closing.account.numbers["stable_writes"],
    );
    let writes = closing.account.commands["WRITE"].count() as f64;
    assert_eq!((unstable, stable), (writes, 0.0), "until the COMMIT");
    assert!(bench.connections().is_empty());
}

#[test]
fn small_files_are_made_found_and_removed() {
    if let Some(server) = Ganesha::start() {
        small_files(&server.address("data"), &server, NfsVersion::Auto);
        let commands = small_files(&server.address("data"), &server, NfsVersion::V40);
        let expected = [
            "CLOSE",
            "COMMIT",
            "CREATE",
            "LOOKUP",
            "LOOKUP+GETATTR",
            "OPEN",
            "OPEN_CONFIRM",
            "READ",
            "READDIR",
            "REMOVE",
            "RENAME",
            "WRITE",
        ];
        assert_eq!(commands, expected);
    }
}

/// A proxy in front of the server that sends what ganesha itself does not.
#[test]
fn nfs_4_0_opens_small_files_whatever_the_server_grants_and_counts() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    let through = |lie: nfs_proxy::Lie, of: usize| {
        let port = nfs_proxy::proxy(format!("127.0.0.1:{}", server.port()), lie, of);
        let address = format!("nfs://127.0.0.1:{port}/data");
        small_files(&address, &server, NfsVersion::V40)
    };
    let commands = through(nfs_4_0_lies::delegates, 0);
    assert!(commands.contains(&"DELEGRETURN".into()), "{commands:?}");
    // Only one: the retry comes before or after the others, and is not to be refused a second time.
    through(nfs_4_0_lies::expects_another_number, 1);
    let refused = nfs_4_0_lies::REFUSED.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(refused, 1);
}

#[test]
fn nfs_3_makes_finds_and_removes_small_files() {
    if in_own_network("nfs_3_makes_finds_and_removes_small_files") {
        let server = Ganesha::start_3();
        let commands = small_files(&server.address("data"), &server, NfsVersion::V3);
        let expected = [
            "COMMIT",
            "CREATE",
            "LOOKUP",
            "MKDIR",
            "READ",
            "READDIRPLUS",
            "REMOVE",
            "RENAME",
            "WRITE",
        ];
        assert_eq!(commands, expected);
    }
}

fn admission(version: NfsVersion) -> Admission {
    Admission {
        login: ShareLogin {
            choice: by(version),
            ..ShareLogin::default()
        },
        ..Admission::default()
    }
}

/// By an engine that reaches the server at this address. Returns the names of the requests.
fn small_files(address: &str, server: &Ganesha, version: NfsVersion) -> Vec<String> {
    let (mut content, mut progress) = (
        |_: u32, offset: u64, piece: &mut [u8]| piece.fill(byte_at(offset)),
        |_: plumb_load::site::Progress<'_>| {},
    );
    let stop = AtomicBool::new(false);
    let mut preparing = Preparing {
        fill: &mut content,
        stop: &stop,
        progress: &mut progress,
    };
    let needs = Needs {
        shared: false,
        file_set: Some(FileSetNeeds {
            files: 10,
            bytes_each: 5000,
        }),
        ..Needs::default()
    };
    let target = server.address("data").parse().expect("a target");
    let site = Site::claim(&target, &needs, &admission(version), &mut preparing).expect("a site");
    let mut bench = Bench::by(version, address, "create", None);
    let mut files = LiveFiles::new(site.file_set().expect("a file set").clone());
    files
        .prepare(&bench.workload, &mut preparing)
        .expect("prepared");
    let on_server = |number: u64| server.data().join(files.path(number));
    let paths: Vec<_> = [0, 1, 999, 1000, 2001].map(on_server).into();
    bench.files = Some(files);
    let mut buffers = buffers();
    let Opened {
        engine: mut boxed, ..
    } = bench.open(&buffers);
    let engine = boxed.as_mut();
    use OperationKind::{Create, Delete, Fsync, List, Open, ReadFile, Rename, Stat};
    // Also in a folder that does not exist yet, and larger than one request carries.
    let made = [
        op(Create, 0, 5000, 0),
        op(Create, 1, 0, 1),
        op(Create, 999, BLOCK, 2),
        op(Create, 1000, 4096, 3),
        op(Create, 1001, 1, 4),
    ];
    made.iter().for_each(|op| fill(&mut buffers, op));
    let lens: Vec<Came> = made.iter().map(|op| Ok(op.len)).collect();
    assert_eq!(carry_out(engine, &made), lens);
    for (path, len) in paths.iter().zip([5000, 0, BLOCK as usize, 4096]) {
        assert_eq!(std::fs::read(path).expect("made").len(), len, "{path:?}");
    }
    let looked = [
        op(Stat, 0, 0, 0),
        op(Open, 1000, 0, 1),
        op(Fsync, 999, 0, 2),
        op(List, 0, 0, 3),
        op(ReadFile, 0, 0, 4),
        op(ReadFile, 999, 0, 5),
    ];
    assert_eq!(carry_out(engine, &looked), moved([0, 0, 0, 0, 5000, BLOCK]));
    let read = Op {
        len: BLOCK,
        ..looked[5]
    };
    let content_of = |offset: u64| byte_at(999 + offset);
    assert!(
        buffers.slot(read.slot)[..read.len as usize]
            .iter()
            .enumerate()
            .all(|(at, byte)| *byte == content_of(at as u64))
    );
    small_files_fail(engine);
    // Into a folder that does not exist yet; and one after the other on the same file, whatever the depth.
    let chain = [
        op(Rename, 1, 2000, 0),
        op(Create, 7, 10, 1),
        op(Stat, 7, 0, 2),
        op(Rename, 7, 1, 3),
        op(Stat, 8, 0, 4),
        op(Delete, 8, 0, 5),
    ];
    assert_eq!(carry_out(engine, &chain), moved([0, 10, 0, 0, 0, 0]));
    assert!(paths[4].exists() && !paths[1].exists());
    // At the end of a step what waits for another one on its file is carried out too: it is no failure of the server.
    let last = [
        op(Create, 30, 10, 0),
        op(Stat, 30, 0, 1),
        op(Rename, 30, 1, 2),
        op(Delete, 31, 0, 3),
    ];
    let mut done = Vec::new();
    engine.submit(&last, &mut done).expect("submitted");
    engine.finish();
    while done.len() < last.len() {
        engine.reap(Wait::One, &mut done).expect("reaped");
    }
    assert!(
        done.iter()
            .all(|done| came(done) == Ok(if done.slot == 0 { 10 } else { 0 })),
        "{done:?}"
    );
    let closing = close(boxed);
    drop(bench);
    site.release().expect("released");
    assert_eq!(
        std::fs::read_dir(server.data()).expect("listed").count(),
        0,
        "nothing stays behind"
    );
    closing.account.commands.into_keys().collect()
}

#[test]
fn a_server_that_goes_away_and_returns_is_survived() {
    if let Some(server) = Ganesha::start() {
        goes_and_comes_back(server, NfsVersion::Auto);
    }
}

#[test]
fn nfs_4_0_survives_a_server_that_goes_away_and_returns() {
    if let Some(server) = Ganesha::start() {
        goes_and_comes_back(server, NfsVersion::V40);
    }
}

/// A server of NFS 4.0 alone is found, and the lease of a client that does nothing does not run out.
#[test]
fn a_server_of_nfs_4_0_alone_is_found_and_its_lease_kept() {
    let Some(mut server) = Ganesha::start() else {
        return;
    };
    // The server counts in whole seconds.
    server.limit_to_4_0(4);
    server.restart();
    let facts = surveyed(&server.address("data"), NfsVersion::Auto);
    assert_eq!(facts["nfs.versions"], Fact::Text("4.0".into()));
    let error = connect_by(&server.address("data"), NfsVersion::V41).expect_err("4.1");
    assert!(error.to_string().contains("MINOR_VERS_MISMATCH"), "{error}");
    make_file(&server);
    let mut buffers = buffers();
    let bench = Bench::new(&server.address("data"), "read:1,write:1", Some("file"));
    let Opened {
        mut engine,
        connection,
        ..
    } = bench.open(&buffers);
    assert_eq!(connection["dialect"], "NFS 4.0 over TCP");
    write_blocks(engine.as_mut(), &mut buffers);
    std::thread::sleep(Duration::from_secs(6));
    read_blocks(engine.as_mut(), &mut buffers);
    assert_eq!(close(engine).account.numbers["connections_lost"], 0.0);
}

#[test]
fn nfs_3_survives_a_server_that_goes_and_comes_back() {
    if in_own_network("nfs_3_survives_a_server_that_goes_and_comes_back") {
        goes_and_comes_back(Ganesha::start_3(), NfsVersion::V3);
    }
}

fn goes_and_comes_back(mut server: Ganesha, version: NfsVersion) {
    make_file(&server);
    let mut buffers = buffers();
    let bench = Bench::by(
        version,
        &server.address("data"),
        "read:1,write:1",
        Some("file"),
    );
    let Opened { mut engine, .. } = bench.open(&buffers);
    write_blocks(engine.as_mut(), &mut buffers);
    server.stop();
    let lost = carry_out(engine.as_mut(), &blocks(OperationKind::Read)[..2]);
    assert_eq!(lost, [Err(FailureKind::ConnectionReset); 2]);
    assert_eq!(bench.connections(), [ConnectionState::Lost]);
    let waiting = waits_until_back(engine.as_mut(), &mut buffers, || server.restart());
    assert_eq!(bench.connections(), [ConnectionState::Restored]);
    read_blocks(engine.as_mut(), &mut buffers);
    server.stop();
    ends_without_server(engine.as_mut(), waiting);
    assert_eq!(engine.close().account.numbers["reconnects"], 1.0);
}

/// A server of all versions with exports for those who have a ticket, and a KDC; within [`in_own_network`], which says where tickets are looked for.
fn with_kerberos() -> (Ganesha, kdc::Kdc) {
    let kdc = kdc::Kdc::start_for("alice", "nfs");
    let cache = std::env::var_os("KRB5CCNAME").expect("a name for the cache");
    std::fs::copy(kdc.tickets(), cache).expect("tickets");
    let mut server = Ganesha::start_3();
    server.require_kerberos(kdc.settings(), kdc.keytab());
    server.restart();
    // The server knows no number for the principal, and takes it for nobody.
    let all = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(server.data(), all).expect("permissions");
    (server, kdc)
}

fn secured(version: NfsVersion, security: NfsSecurity) -> EngineChoice {
    EngineChoice {
        nfs_security: security,
        ..by(version)
    }
}

/// The address with the name that the ticket is for.
fn by_name(port: u16, path: &str) -> String {
    format!("nfs://localhost:{port}/{path}")
}

const VERSIONS: [NfsVersion; 4] = [
    NfsVersion::V42,
    NfsVersion::V41,
    NfsVersion::V40,
    NfsVersion::V3,
];
const KERBEROS: [NfsSecurity; 3] = [NfsSecurity::Krb5, NfsSecurity::Krb5i, NfsSecurity::Krb5p];

#[test]
fn by_kerberos_every_version_reads_back_what_it_wrote() {
    if !kdc::is_installed() || !in_own_network("by_kerberos_every_version_reads_back_what_it_wrote")
    {
        return;
    }
    let (server, _kdc) = with_kerberos();
    let address = by_name(server.port(), "data");
    let mut buffers = buffers();
    for version in VERSIONS {
        for security in KERBEROS {
            let choice = secured(version, security);
            let what = format!("NFS {version}, {security}");
            let share = shares::connect(&remote(&address), None, &choice);
            let share = share.unwrap_or_else(|error| panic!("{what}: {error:?}"));
            let zeros = &mut |_: u64, piece: &mut [u8]| {
                piece.fill(0);
                true
            };
            let len = 2 * u64::from(BLOCK);
            let made = share.lock().write_file("file", true, 0, len, zeros);
            assert!(made.is_ok_and(|whole| whole), "{what}");
            let mut bench = Bench::by(version, &address, "read:1,write:1", Some("file"));
            bench.choice = choice;
            let mut opened = bench.open(&buffers);
            let said = &opened.connection["security"];
            let alice = format!("{security}, alice@PLUMB.TEST");
            assert!(said.starts_with(&alice), "{what}: {said}");
            let encrypted = security == NfsSecurity::Krb5p;
            assert_eq!(said.ends_with("encrypted"), encrypted, "{what}: {said}");
            let writes = &blocks(OperationKind::Write)[..2];
            writes.iter().for_each(|op| fill(&mut buffers, op));
            assert_eq!(carry_out(opened.engine.as_mut(), writes), [Ok(BLOCK); 2]);
            let reads = &blocks(OperationKind::Read)[..2];
            reads.iter().for_each(|op| buffers.slot(op.slot).fill(0xee));
            assert_eq!(carry_out(opened.engine.as_mut(), reads), [Ok(BLOCK); 2]);
            assert!(reads.iter().all(|op| holds(&mut buffers, op)), "{what}");
            let short: Vec<Op> = (0..DEPTH)
                .map(|slot| op(OperationKind::Read, u64::from(slot) * 4096, 4096, slot))
                .collect();
            assert_eq!(carry_out(opened.engine.as_mut(), &short), vec![Ok(4096); 8]);
            assert!(short.iter().all(|op| holds(&mut buffers, op)), "{what}");
            close(opened.engine);
            let head = share.lock().read_file("file", 0, 100_003).expect("read");
            let right = (0..100_003).map(byte_at);
            assert!(head.into_iter().eq(right), "{what}");
            share.lock().remove_file("file").expect("removed");
        }
    }
}

/// Krb5 leaves data as it is, which may be discarded in the kernel; what has a checksum or is encrypted may not.
#[test]
fn data_under_krb5i_and_krb5p_is_not_discarded() {
    if !kdc::is_installed() || !in_own_network("data_under_krb5i_and_krb5p_is_not_discarded") {
        return;
    }
    let (server, _kdc) = with_kerberos();
    let address = by_name(server.port(), "data");
    let by_krb5 = secured(NfsVersion::V42, NfsSecurity::Krb5);
    let share = shares::connect(&remote(&address), None, &by_krb5).expect("a share");
    write(&share, "file", true, 0, BLOCKS * u64::from(BLOCK)).expect("written");
    let mut buffers = buffers();
    for security in KERBEROS {
        let mut bench = Bench::by(NfsVersion::V42, &address, "read", Some("file"));
        bench.choice = EngineChoice {
            skip_rx_copy: true,
            ..secured(NfsVersion::V42, security)
        };
        match bench.try_open(&buffers) {
            Ok(mut opened) => {
                assert_eq!(security, NfsSecurity::Krb5);
                let reads = &blocks(OperationKind::Read)[..2];
                reads.iter().for_each(|op| buffers.slot(op.slot).fill(0xee));
                assert_eq!(carry_out(opened.engine.as_mut(), reads), [Ok(BLOCK); 2]);
                // What came with the header is there.
                let data = &buffers.slot(reads[0].slot)[1024..1 << 20];
                assert!(data.iter().all(|byte| *byte == 0xee));
                let small = [op(OperationKind::Read, 12_345, 1000, 0)];
                assert_eq!(carry_out(opened.engine.as_mut(), &small), [Ok(1000)]);
                assert!(holds(&mut buffers, &small[0]));
                close(opened.engine);
            }
            Err(refused) => {
                let refused = refused.to_string();
                assert_ne!(security, NfsSecurity::Krb5, "{refused}");
                assert!(
                    refused.contains("is protected by Kerberos")
                        && refused.ends_with("omit skip-rx-copy"),
                    "{refused}"
                );
            }
        }
    }
}

#[test]
fn the_export_says_whether_kerberos_is_needed() {
    if !kdc::is_installed() || !in_own_network("the_export_says_whether_kerberos_is_needed") {
        return;
    }
    let (server, _kdc) = with_kerberos();
    let connection = |path: &str, version| {
        let bench = Bench::by(version, &by_name(server.port(), path), "stat:1", None);
        let said = bench.open(&buffers()).connection["security"].clone();
        said.split(',').next().map(str::to_string)
    };
    for version in VERSIONS {
        let both = connection("squashed", version);
        assert_eq!(both, Some("sys".to_string()), "{version}");
        // One of those that the server names: which is its first is up to the server.
        let only = connection("data", version).unwrap_or_default();
        assert!(only.starts_with("krb5"), "{version}: {only}");
        // Numbers where a ticket is wanted, and one for another host's name.
        let refused = |address: &str, security| {
            let refused =
                shares::connect(&remote(address), None, &secured(version, security)).err();
            let refused = refused.unwrap_or_else(|| panic!("{version}: {address} lets us in"));
            plumb_words::english(&refused.why)
        };
        let said = refused(&by_name(server.port(), "data"), NfsSecurity::Sys);
        assert!(
            said.contains("does not accept sys, it requires krb5") && said.contains("krb5i"),
            "{said}"
        );
        let said = refused(&by_name(server.port(), "squashed"), NfsSecurity::Krb5);
        assert!(
            said.contains("does not accept krb5, it requires ") && said.contains("krb5p"),
            "{said}"
        );
        for security in [NfsSecurity::Auto, NfsSecurity::Krb5i] {
            let said = refused(&server.address("data"), security);
            assert!(said.contains("kvno nfs/127.0.0.1"), "{said}");
        }
    }
    let choice = secured(NfsVersion::Auto, NfsSecurity::Krb5p);
    let address = remote(&by_name(server.port(), "data"));
    let facts = shares::nfs::survey(&address, &choice, &Default::default()).expect("surveyed");
    let facts: std::collections::BTreeMap<String, Fact> = facts.into_iter().collect();
    assert_eq!(
        facts["nfs.security"],
        Fact::Text("krb5p, krb5i, krb5".into())
    );
    let logins = "krb5p, alice@PLUMB.TEST, encrypted; krb5i, alice@PLUMB.TEST, integrity-protected; krb5, alice@PLUMB.TEST";
    assert_eq!(facts["nfs.login"], Fact::Text(logins.into()));
}

/// Answers with a status of RPC: so many in a row are as they were, and this one is changed: in its verifier, at its end, or into a refusal of the context.
fn flips_verifier(number: usize, answer: &mut Vec<u8>, of: usize, _: &mut Vec<Vec<u8>>) {
    if number == of {
        answer[45] ^= 1;
    }
}

fn flips_end(number: usize, answer: &mut Vec<u8>, of: usize, _: &mut Vec<Vec<u8>>) {
    if number == of {
        let last = answer.len() - 1;
        answer[last] ^= 1;
    }
}

fn forgets_context(number: usize, answer: &mut Vec<u8>, of: usize, _: &mut Vec<Vec<u8>>) {
    // REPLY, MSG_DENIED, AUTH_ERROR, RPCSEC_GSS_CREDPROBLEM (RFC 5531, 9).
    if number == of {
        answer.truncate(4);
        let refusal = [1u32, 1, 1, 13].map(u32::to_be_bytes).concat();
        answer.extend_from_slice(&refusal);
    }
}

#[test]
fn answers_that_were_changed_on_the_way_are_refused_and_a_forgotten_context_is_agreed_anew() {
    let name =
        "answers_that_were_changed_on_the_way_are_refused_and_a_forgotten_context_is_agreed_anew";
    if !kdc::is_installed() || !in_own_network(name) {
        return;
    }
    let (server, _kdc) = with_kerberos();
    let through = |lie, of| {
        let port = nfs_proxy::proxy(format!("127.0.0.1:{}", server.port()), lie, of);
        by_name(port, "data")
    };
    let connect = |address: &str, security| {
        shares::connect(&remote(address), None, &secured(NfsVersion::V41, security))
    };
    // Answer 0 begins the context, 1 and those that follow are of the session and of the export.
    for (security, lie) in [
        (NfsSecurity::Krb5, flips_verifier as nfs_proxy::Lie),
        (NfsSecurity::Krb5i, flips_verifier),
        (NfsSecurity::Krb5i, flips_end),
        (NfsSecurity::Krb5p, flips_verifier),
        (NfsSecurity::Krb5p, flips_end),
    ] {
        for of in 1..4 {
            let refused = connect(&through(lie, of), security).err();
            let refused = refused.unwrap_or_else(|| panic!("{security}, answer {of} is taken"));
            let said = plumb_words::english(&refused.why);
            assert!(
                said.contains("was modified in transit"),
                "{security}: {said}"
            );
        }
        let refused = connect(&through(flips_verifier, 0), security).err();
        let said = plumb_words::english(&refused.expect("refused").why);
        assert!(said.contains("did not prove"), "{security}: {said}");
    }
    // The context is forgotten in the middle: once it is begun anew, and the requests are answered.
    let forgotten = 9;
    let share = connect(&through(forgets_context, forgotten), NfsSecurity::Krb5p).expect("in");
    for _ in 0..2 * forgotten {
        let listed = share.lock().list("");
        listed.unwrap_or_else(|error| panic!("{}", plumb_words::english(&error.why)));
    }
    // A server that forgets each at once is reported by name.
    let refused = connect(&through(forgets_context, 1), NfsSecurity::Krb5p).err();
    let said = plumb_words::english(&refused.expect("refused").why);
    assert!(
        said.contains("no longer knows the Kerberos context"),
        "{said}"
    );
}
