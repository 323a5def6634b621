//! Are files and folders made, found, listed, renamed and removed, by the site's calls and by pipelined operations?

use plumb_load::engine::failure::FailureKind;
use plumb_load::engine::operation::Op;
use std::sync::atomic::AtomicBool;

use plumb_load::engine::Opened;
use plumb_load::feed::live_files::LiveFiles;
use plumb_load::share::ShareErrorKind;
use plumb_load::site::{Admission, FileSetNeeds, Needs, Preparing, Site};
use plumb_model::workload::{EngineChoice, OperationKind};

use crate::bench::*;
use crate::middle::{Deed, between};
use crate::samba::{self, Samba};

#[test]
fn files_of_a_share_are_made_listed_and_removed() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    let share = open_share(&server);
    let room = share.lock().room().expect("room").expect("told");
    assert!(
        room.free_bytes > 0 && room.total_bytes >= room.free_bytes,
        "{room:?}"
    );
    share.lock().make_folder("folder").expect("made");
    is_kind(
        share.lock().make_folder("folder"),
        ShareErrorKind::Exists,
        "STATUS_OBJECT_NAME_COLLISION",
    );
    is_kind(
        share.lock().make_folder("none/folder"),
        ShareErrorKind::NotFound,
        "STATUS_OBJECT_PATH_NOT_FOUND",
    );

    // No multiple of anything, and longer than a piece.
    let len = (13 << 20) + 1234;
    assert_eq!(write(&share, "folder/file", true, 0, len), Ok(true));
    let bytes = std::fs::read(server.share().join("folder/file")).expect("the file");
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
        "STATUS_OBJECT_NAME_COLLISION",
    );
    is_kind(
        write(&share, "folder/none", false, 0, 1),
        ShareErrorKind::NotFound,
        "STATUS_OBJECT_NAME_NOT_FOUND",
    );
    assert_eq!(
        share
            .lock()
            .write_file("folder/file", false, 0, 10, &mut |_, _| false),
        Ok(false)
    );
    assert_eq!(write(&share, "folder/small", true, 0, 5000), Ok(true));
    assert_eq!(
        std::fs::read(server.share().join("folder/small")).expect("the file"),
        bytes[..5000]
    );
    assert_eq!(
        share.lock().read_file("folder/file", 0, 100).expect("read"),
        bytes[..100]
    );
    assert_eq!(
        share
            .lock()
            .read_file("folder/file", 0, 3 << 20)
            .expect("read"),
        bytes[..3 << 20]
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
    assert_eq!(share.lock().look_up("none/none"), Ok(None));
    assert!(
        share
            .lock()
            .look_up("")
            .expect("looked up")
            .expect("there")
            .is_folder
    );
    // More names than one answer of the server holds.
    for number in 0..3000 {
        std::fs::write(
            server
                .share()
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
    assert_eq!(names.len(), 3002);
    is_kind(
        share.lock().remove_folder("folder"),
        ShareErrorKind::Other,
        "STATUS_DIRECTORY_NOT_EMPTY",
    );
    share.remove_all("folder").expect("removed");
    is_kind(
        share.lock().remove_file("folder"),
        ShareErrorKind::NotFound,
        "STATUS_OBJECT_NAME_NOT_FOUND",
    );
    assert!(share.lock().list("").expect("listed").is_empty());
}

/// Between two calls the server may have ended the connection: a share that was idle for a while still works.
/// A recycle bin keeps what is deleted: the file that is still held open, as a bin does, has no bytes left.
#[test]
fn a_file_is_emptied_before_it_is_deleted() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let share = open_share(&server);
    let held = std::fs::File::open(server.share().join("file")).expect("the file");
    share.lock().remove_file("file").expect("removed");
    assert!(!server.share().join("file").exists());
    assert_eq!(held.metadata().expect("of the file").len(), 0);
    is_kind(
        share.lock().remove_file("file"),
        ShareErrorKind::NotFound,
        "STATUS_OBJECT_NAME_NOT_FOUND",
    );
}

#[test]
fn a_connection_that_was_ended_meanwhile_is_made_anew() {
    if !samba::is_installed() {
        return;
    }
    let mut server = Samba::start(&[]);
    let share = open_share(&server);
    share.lock().make_folder("folder").expect("made");
    server.pause();
    server.resume();
    assert!(share.lock().look_up("folder").expect("looked up").is_some());
    server.pause();
    server.resume();
    assert_eq!(write(&share, "folder/file", true, 0, 3 << 20), Ok(true));
    server.pause();
    is_kind(
        share.lock().look_up("folder"),
        ShareErrorKind::Unreachable,
        "check that an SMB server listens",
    );
}

#[test]
fn small_files_are_made_found_and_removed() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
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
    let target = server.address("share").parse().expect("a target");
    let mut admission = Admission::default();
    admission
        .login
        .secrets
        .add(&remote(&server.address("share")), secret());
    let site = Site::claim(&target, &needs, &admission, &mut preparing)
        .unwrap_or_else(|error| panic!("{error}"));
    for choice in [
        EngineChoice::default(),
        EngineChoice {
            encryption: plumb_model::workload::Protection::Yes,
            ..EngineChoice::default()
        },
    ] {
        let mut bench = Bench::new(&server.address("share"), "create", None);
        let mut files = LiveFiles::new(site.file_set().expect("a file set").clone());
        files
            .prepare(&bench.workload, &mut preparing)
            .expect("prepared");
        (bench.files, bench.choice) = (Some(files), choice);
        exercise(&server, &bench);
    }
    site.release().expect("released");
    assert_eq!(
        std::fs::read_dir(server.share()).expect("listed").count(),
        0,
        "nothing stays behind"
    );
}

fn exercise(server: &Samba, bench: &Bench) {
    let files = bench.files.as_ref().expect("files");
    let paths = [0, 1, 999, 1000, 2001].map(|number| server.share().join(files.path(number)));
    let mut buffers = buffers();
    let Opened {
        engine: mut boxed, ..
    } = bench.open(&buffers);
    let engine = boxed.as_mut();
    use OperationKind::{Create, Delete, Fsync, List, Open, ReadFile, Rename, Stat};
    // Also in a folder that does not exist yet, larger than one frame holds, and larger than one request carries.
    let large = 9 << 20;
    let made = [
        op(Create, 0, 5000, 0),
        op(Create, 1, 0, 1),
        op(Create, 999, large, 2),
        op(Create, 1000, 4096, 3),
        op(Create, 1001, 1, 4),
        op(Create, 3, BLOCK, 5),
    ];
    made.iter().for_each(|op| fill(&mut buffers, op));
    let lens: Vec<Came> = made.iter().map(|op| Ok(op.len)).collect();
    assert_eq!(carry_out(engine, &made), lens);
    for (path, len) in paths.iter().zip([5000, 0, large as usize, 4096]) {
        assert_eq!(std::fs::read(path).expect("made").len(), len, "{path:?}");
    }
    let looked = [
        op(Stat, 0, 0, 0),
        op(Open, 1000, 0, 1),
        op(Fsync, 999, 0, 2),
        op(List, 0, 0, 3),
        op(ReadFile, 0, 5000, 4),
        op(ReadFile, 999, 0, 5),
    ];
    assert_eq!(carry_out(engine, &looked), moved([0, 0, 0, 0, 5000, large]));
    let whole = Op {
        len: large,
        ..looked[5]
    };
    let content_of = |offset: u64| byte_at(999 + offset);
    assert!(
        buffers.slot(whole.slot)[..whole.len as usize]
            .iter()
            .enumerate()
            .all(|(at, byte)| *byte == content_of(at as u64))
    );
    small_files_fail(engine);
    // Into a folder that does not exist yet; and one after the other on the same file, whatever the depth.
    let chain = [
        op(Rename, 1, 2000, 0),
        op(Create, 7, BLOCK, 1),
        op(ReadFile, 7, BLOCK, 2),
        op(Rename, 7, 1, 3),
        op(Stat, 8, 0, 4),
        op(Delete, 8, 0, 5),
    ];
    assert_eq!(carry_out(engine, &chain), moved([0, BLOCK, BLOCK, 0, 0, 0]));
    assert!(paths[4].exists() && !paths[1].exists());
    let closing = close(boxed);
    assert!(
        [
            "CREATE",
            "CLOSE",
            "SET_INFO",
            "QUERY_INFO",
            "QUERY_DIRECTORY",
            "READ",
            "WRITE",
            "FLUSH"
        ]
        .iter()
        .all(|name| closing.account.commands.contains_key(*name))
    );
}

/// Who changes the end of every listing into another name makes it endless.
#[test]
fn an_operation_that_lists_without_end_is_abandoned() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
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
    let mut admission = Admission::default();
    admission
        .login
        .secrets
        .add(&remote(&server.address("share")), secret());
    let target = server.address("share").parse().expect("a target");
    let site = Site::claim(&target, &needs, &admission, &mut preparing)
        .unwrap_or_else(|error| panic!("{error}"));
    let address = between(&server, "share", |message| {
        const QUERY_DIRECTORY: u16 = 14;
        if message.is_answer && message.u16(12) == QUERY_DIRECTORY && message.u32(8) == 0x8000_0006
        {
            message.put(8, &[0; 4]);
            message.bytes.truncate(64);
            message
                .bytes
                .extend_from_slice(&[9, 0, 72, 0, 106, 0, 0, 0]);
            message.bytes.resize(64 + 8 + 106, 0);
            message.put(64 + 8 + 60, &[2]);
        }
        Deed::Pass
    });
    let mut bench = Bench::new(&address, "list", None);
    let mut files = LiveFiles::new(site.file_set().expect("a file set").clone());
    files
        .prepare(&bench.workload, &mut preparing)
        .expect("prepared");
    bench.files = Some(files);
    let buffers = buffers();
    let mut engine = bench.open(&buffers).engine;
    assert_eq!(
        carry_out(engine.as_mut(), &[op(OperationKind::List, 0, 0, 0)]),
        [Err(FailureKind::ConnectionReset)]
    );
    close(engine);
    let told = bench.connections();
    assert!(
        told.iter()
            .any(|(_, text)| text.contains("the server sends an endless listing")),
        "{told:?}"
    );
    drop(bench);
    site.release().expect("released");
}
