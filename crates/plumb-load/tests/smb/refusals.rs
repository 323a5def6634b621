//! Is every refusal reported in one sentence, with the server's status and what to do next?

use plumb_load::engine::failure::FailureKind;
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use plumb_load::secret::Secret;
use plumb_load::share::{ShareError, ShareErrorKind};
use plumb_load::shares;
use plumb_model::workload::{Channels, Dialect, EngineChoice};

use crate::bench::*;
use crate::ports::free_port;
use crate::samba::{self, Samba, Section};

fn refusal(address: &str, password: &str) -> ShareError {
    let error = shares::connect(
        &remote(address),
        Some(&Secret::new(password)),
        &EngineChoice::default(),
    )
    .expect_err("a refusal");
    assert!(
        !error.to_string().contains(password) && !error.to_string().contains('\n'),
        "{error}"
    );
    error
}

#[test]
fn who_may_not_or_is_not_there_is_reported() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    let right = samba::PASSWORD;
    let wrong = refusal(&server.address("share"), "a-wrong-one");
    assert!(
        wrong.kind == ShareErrorKind::Denied
            && wrong
                .to_string()
                .contains("STATUS_LOGON_FAILURE: user name or password of"),
        "{wrong}"
    );
    let stranger = refusal(
        &format!("smb://nobody-of-that-name@127.0.0.1:{}/share", server.port),
        right,
    );
    assert!(
        stranger.to_string().contains("STATUS_LOGON_FAILURE"),
        "{stranger}"
    );
    let anonymous = refusal(&format!("smb://127.0.0.1:{}/share", server.port), right);
    assert!(
        anonymous.to_string().contains("STATUS_ACCESS_DENIED")
            || anonymous.to_string().contains("STATUS_LOGON_FAILURE"),
        "{anonymous}"
    );
    let share = refusal(&server.address("none"), right);
    assert!(
        share.kind == ShareErrorKind::NotFound
            && share
                .to_string()
                .contains("STATUS_BAD_NETWORK_NAME: there is no share 'none'"),
        "{share}"
    );
    let pipes = refusal(&server.address("IPC$"), right);
    assert!(pipes.to_string().contains("not a file share"), "{pipes}");
    let host = refusal("smb://user@no-such-host.invalid/share", right);
    assert!(
        host.kind == ShareErrorKind::Unreachable && host.to_string().contains("cannot be resolved"),
        "{host}"
    );
    let port = refusal(
        &format!("smb://user@127.0.0.1:{}/share", free_port()),
        right,
    );
    assert!(
        port.kind == ShareErrorKind::Unreachable
            && port.to_string().contains("refused")
            && port
                .to_string()
                .contains("check that an SMB server listens"),
        "{port}"
    );
}

#[test]
fn a_dialect_that_the_server_does_not_support_is_reported() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["server max protocol = SMB2_10"]);
    let choice = EngineChoice {
        dialect: Dialect::Smb311,
        ..EngineChoice::default()
    };
    let error = connect(&server.address("share"), &choice)
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("does not support SMB 3.1.1") && error.contains("leave dialect at auto"),
        "{error}"
    );
    assert!(connect(&server.address("share"), &EngineChoice::default()).is_ok());
}

#[test]
fn what_a_forced_dialect_cannot_do_is_reported() {
    if !samba::is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let sealed = Section {
        name: "sealed",
        path: folder.path(),
        lines: &["read only = no", "server smb encrypt = required"],
    };
    let server = Samba::with_shares(&[], &[sealed]);
    let choice = EngineChoice {
        dialect: Dialect::Smb21,
        channels: Channels::Multichannel,
        ..EngineChoice::default()
    };
    let error = connect(&server.address("sealed"), &choice)
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("leave encryption, signing and dialect at auto"),
        "{error}"
    );
    make_file(&server);
    let mut bench = Bench::new(&server.address("share"), "read", Some("file"));
    (bench.workload.workers, bench.choice) = (2, choice);
    let refused = bench.try_open(&buffers(), 0).err().expect("refused");
    assert!(
        refused.to_string().contains("SMB 2.1 has no multichannel")
            && refused.to_string().ends_with("leave dialect at auto"),
        "{refused:?}"
    );
}

#[test]
fn a_guest_is_let_in_where_guests_are() {
    if !samba::is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("file"), "content").expect("file");
    let open = Section {
        name: "open",
        path: folder.path(),
        lines: &["guest ok = yes", "read only = yes"],
    };
    let server = Samba::with_shares(
        &[
            "map to guest = bad user",
            &format!("guest account = {}", samba::user()),
        ],
        &[open],
    );
    for user in ["", "nobody-of-that-name@"] {
        let address = format!("smb://{user}127.0.0.1:{}/open", server.port);
        let share = shares::connect(&remote(&address), None, &EngineChoice::default())
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            share.lock().read_file("file", 0, 100).expect("read"),
            b"content",
            "{address}"
        );
    }
}

#[test]
fn a_share_that_cannot_be_written_or_is_full_is_reported() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let readonly = connect(&server.address("readonly"), &EngineChoice::default()).expect("a share");
    is_kind(
        readonly.lock().make_folder("x"),
        ShareErrorKind::Denied,
        "the share may be read-only",
    );
    is_kind(
        write(&readonly, "x", true, 0, 10),
        ShareErrorKind::Denied,
        "STATUS_ACCESS_DENIED",
    );
    is_kind(
        write(&readonly, "file", false, 0, 1 << 20),
        ShareErrorKind::Denied,
        "STATUS_ACCESS_DENIED",
    );
    is_kind(
        readonly.lock().remove_file("file"),
        ShareErrorKind::Denied,
        "",
    );

    let small = tempfile::tempdir().expect("folder");
    let mount = |what: &[&str]| {
        Command::new(what[0])
            .args(&what[1..])
            .arg(small.path())
            .output()
            .expect("mount")
    };
    let mounted = mount(&["mount", "-t", "tmpfs", "-o", "size=4m", "none"]);
    if !mounted.status.success() {
        return println!(
            "skipped: a full share needs a small file system, and it cannot be mounted: {}",
            String::from_utf8_lossy(&mounted.stderr)
        );
    }
    let server = Samba::with_shares(
        &[],
        &[Section {
            name: "small",
            path: small.path(),
            lines: &["read only = no"],
        }],
    );
    let share = connect(&server.address("small"), &EngineChoice::default()).expect("a share");
    let room = share.lock().room().expect("room").expect("told");
    let full = write(&share, "file", true, 0, 20 << 20);
    let mut bench = Bench::new(&server.address("small"), "write", Some("file"));
    bench.choice = EngineChoice::default();
    let buffers = buffers();
    let mut engine = bench.open(&buffers).engine;
    let past = carry_out(
        engine.as_mut(),
        &[op(
            plumb_model::workload::OperationKind::Write,
            30 << 20,
            BLOCK,
            0,
        )],
    );
    close(engine);
    drop(server);
    mount(&["umount"]);
    assert_eq!(room.total_bytes, 4 << 20, "{room:?}");
    is_kind(
        full,
        ShareErrorKind::Full,
        "STATUS_DISK_FULL: the share is full",
    );
    assert_eq!(past, [Err(FailureKind::NoSpace)]);
}

#[test]
fn names_that_the_server_refuses_are_reported() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["veto files = /*.vetoed/"]);
    let share = open_share(&server);
    let vetoed = write(&share, "x.vetoed", true, 0, 10).expect_err("refused");
    assert!(
        vetoed
            .to_string()
            .contains("STATUS_OBJECT_NAME_NOT_FOUND: the server refuses this name"),
        "{vetoed}"
    );
    let absent = share.lock().remove_file("absent").expect_err("refused");
    assert!(
        absent
            .to_string()
            .contains("there is no such file or directory"),
        "{absent}"
    );
    let refused = write(&share, "a*b?", true, 0, 10).expect_err("refused");
    assert!(
        refused.to_string().contains("STATUS_OBJECT_NAME_INVALID")
            && refused.to_string().contains("choose one without"),
        "{refused}"
    );
    let long = write(&share, &"x".repeat(300), true, 0, 10).expect_err("refused");
    assert!(
        long.to_string().contains("STATUS_")
            && long.to_string().contains("the name has 300 bytes")
            && long.to_string().contains("shorter"),
        "{long}"
    );
    let long = share
        .lock()
        .look_up(&"x".repeat(300))
        .map_or_else(|error| error.to_string(), |found| format!("{found:?}"));
    assert!(
        long == "None" || long.contains("the name has 300 bytes"),
        "{long}"
    );
    let missing = write(&share, "none/file", true, 0, 10).expect_err("refused");
    assert!(
        missing.kind == ShareErrorKind::NotFound
            && missing.to_string().contains("its folder does not exist"),
        "{missing}"
    );
}

#[test]
fn a_server_that_never_says_a_word_is_not_waited_for_as_long_as_a_busy_one() {
    // Nobody takes the connection from the listener's queue: connecting succeeds, and no answer comes.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("address").port();
    let error = refusal(
        &format!("smb://user@127.0.0.1:{port}/share"),
        "some-password",
    );
    assert!(
        error.to_string().contains("no reply for 10 s")
            && error
                .to_string()
                .contains("that the service there is an SMB server"),
        "{error}"
    );
}

#[test]
fn another_service_is_distinguished() {
    for greeting in [
        &b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"[..],
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"",
        b"\0\0\0\x40\xffSMB",
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("address").port();
        let server = std::thread::spawn(move || {
            use std::io::{Read, Write};
            let (mut stream, _): (TcpStream, _) = listener.accept().expect("a client");
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(greeting);
        });
        let error = refusal(
            &format!("smb://user@127.0.0.1:{port}/share"),
            "some-password",
        );
        assert!(
            error.kind == ShareErrorKind::Unreachable
                && (error.to_string().contains("not SMB")
                    || error.to_string().contains("closed the connection")),
            "{error}"
        );
        server.join().expect("server");
    }
}

#[test]
fn a_link_of_dfs_is_called_so() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["msdfs root = yes"]);
    std::os::unix::fs::symlink("msdfs:other\\share", server.share().join("link")).expect("a link");
    let share = open_share(&server);
    for (path, target) in [
        ("link", "smb://other/share"),
        ("link/below", "smb://other/share/below"),
    ] {
        let error = share.lock().look_up(path).expect_err("a link").to_string();
        assert!(
            error.contains("STATUS_PATH_NOT_COVERED") && error.contains("is a DFS link"),
            "{path}: {error}"
        );
        assert!(
            error.ends_with(&format!("name its target, {target}")),
            "{path}: {error}"
        );
    }
}
