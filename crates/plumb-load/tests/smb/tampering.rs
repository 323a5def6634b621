//! Is tampering with negotiation or login detected? A real server, and a real man in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plumb_load::shares;
use plumb_model::workload::{Dialect, EngineChoice, Protection};

use crate::bench::*;
use crate::middle::{Deed, IOCTL, Message, NEGOTIATE, SESSION_SETUP, VALIDATE, between};
use crate::samba::{self, Samba, Section};

/// Messages about a modified message and a modified negotiation.
const CHANGED: [&str; 2] = [
    "the data received was modified in transit, or signed or encrypted with another key",
    "the negotiation was modified between this host and the server",
];

fn says_changed(text: &str) -> bool {
    CHANGED.iter().any(|said| text.contains(said))
}

fn speaks(dialect: Dialect) -> EngineChoice {
    EngineChoice {
        dialect,
        ..EngineChoice::default()
    }
}

/// The client must stop, and report the possible cause and what to do.
fn is_noticed(
    server: &Samba,
    choice: &EngineChoice,
    what: &str,
    meddle: impl Fn(&mut Message) -> Deed + Send + Sync + 'static,
) {
    let address = between(server, "share", meddle);
    match connect(&address, choice) {
        Ok(_) => panic!("{what}: the client went on"),
        Err(error) => assert!(
            says_changed(&error.to_string()) && error.to_string().contains("check what is between"),
            "{what}: {error}"
        ),
    }
}

/// Leaves only the first `count` dialects that the client offers: 2.0.2, 2.1, 3.0, 3.0.2, 3.1.1 (MS-SMB2 2.2.3).
fn lower(message: &mut Message, count: u16) {
    assert!(
        message.u16(66) == 5 && message.u16(108) == 0x311,
        "all five are offered"
    );
    message.put(66, &count.to_le_bytes());
    // Without 3.1.1 there are no contexts.
    message.put(92, &[0; 8]);
    message.bytes.truncate(100 + 2 * usize::from(count));
}

fn is_question(message: &Message) -> bool {
    message.asks(IOCTL) && message.u32(68) == VALIDATE
}

#[test]
fn a_negotiation_that_is_lowered_on_the_way_is_noticed() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    for (count, what) in [(4, "3.0.2"), (3, "3.0"), (2, "2.1"), (1, "2.0.2")] {
        let lowered = move |message: &mut Message| {
            if message.asks(NEGOTIATE) {
                lower(message, count);
            }
            Deed::Pass
        };
        is_noticed(&server, &EngineChoice::default(), what, lowered);
        // Who lowers it also sees to the question, and answers in the server's name.
        for status in [0xC000_00BB_u32, 0xC000_0128, 0xC000_0010] {
            let forged = move |message: &mut Message| match () {
                () if is_question(message) => Deed::Answer(message.refusal(status)),
                () => lowered(message),
            };
            is_noticed(
                &server,
                &EngineChoice::default(),
                &format!("{what}, forged {status:x}"),
                forged,
            );
        }
    }
}

#[test]
fn capabilities_and_demands_that_are_cleared_on_the_way_are_noticed() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["server signing = mandatory"]);
    for dialect in [
        Dialect::Smb202,
        Dialect::Smb21,
        Dialect::Smb30,
        Dialect::Smb302,
        Dialect::Smb311,
    ] {
        // Signing is demanded no more (2.2.4: SecurityMode); the server is no longer who it was (ServerGuid).
        is_noticed(
            &server,
            &speaks(dialect),
            &format!("{dialect}: the demand"),
            |message| {
                if message.grants(NEGOTIATE) {
                    assert_eq!(message.u16(66), 3, "it demands signing");
                    message.put(66, &[1, 0]);
                }
                Deed::Pass
            },
        );
        is_noticed(
            &server,
            &speaks(dialect),
            &format!("{dialect}: the capabilities"),
            |message| {
                if message.grants(NEGOTIATE) {
                    // All but DFS, leases and large requests.
                    message.put(88, &7u32.to_le_bytes());
                    message.bytes[72] ^= 1;
                }
                Deed::Pass
            },
        );
    }
}

#[test]
fn an_honest_server_is_asked_once_and_believed() {
    if !samba::is_installed() {
        return;
    }
    for (highest, dialects) in [
        (
            "SMB3_11",
            &[
                (Dialect::Smb202, 1),
                (Dialect::Smb21, 1),
                (Dialect::Smb30, 1),
                (Dialect::Smb302, 1),
                (Dialect::Smb311, 0),
                (Dialect::Auto, 0),
            ][..],
        ),
        ("SMB3_02", &[(Dialect::Auto, 1), (Dialect::Smb21, 1)]),
        ("SMB2_10", &[(Dialect::Auto, 1), (Dialect::Smb202, 1)]),
        ("SMB2_02", &[(Dialect::Auto, 1)]),
    ] {
        let server = Samba::start(&[&format!("server max protocol = {highest}")]);
        make_file(&server);
        for (dialect, expected) in dialects {
            let asked = Arc::new(AtomicUsize::new(0));
            let seen = asked.clone();
            let address = between(&server, "share", move |message| {
                if is_question(message) {
                    assert_ne!(message.bytes[16] & 8, 0, "it is signed");
                    seen.fetch_add(1, Ordering::Relaxed);
                }
                Deed::Pass
            });
            let share = connect(&address, &speaks(*dialect))
                .unwrap_or_else(|error| panic!("{highest} {dialect}: {error}"));
            assert!(share.lock().look_up("file").expect("a look").is_some());
            assert_eq!(
                asked.load(Ordering::Relaxed),
                *expected,
                "{highest} {dialect}"
            );
        }
        // On an encrypted share the question is encrypted too.
        if highest == "SMB3_02" {
            connect(&server.address("sealed"), &EngineChoice::default())
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn a_login_whose_end_is_not_signed_is_refused() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    for dialect in [
        Dialect::Smb202,
        Dialect::Smb21,
        Dialect::Smb30,
        Dialect::Smb302,
        Dialect::Smb311,
    ] {
        let ends = |message: &Message| message.grants(SESSION_SETUP);
        is_noticed(
            &server,
            &speaks(dialect),
            &format!("{dialect}: bare"),
            move |message| {
                if ends(message) {
                    assert_ne!(message.bytes[16] & 8, 0, "the server signs it");
                    message.strip();
                }
                Deed::Pass
            },
        );
        is_noticed(
            &server,
            &speaks(dialect),
            &format!("{dialect}: no flag"),
            move |message| {
                if ends(message) {
                    message.bytes[16] &= !8;
                }
                Deed::Pass
            },
        );
        // Credits that the server did not grant, with the signature that it made and without one.
        for bare in [false, true] {
            is_noticed(
                &server,
                &speaks(dialect),
                &format!("{dialect}: another byte"),
                move |message| {
                    if ends(message) {
                        message.bytes[14] ^= 1;
                        if bare {
                            message.strip();
                        }
                    }
                    Deed::Pass
                },
            );
        }
    }
}

#[test]
fn a_user_with_a_password_is_not_made_a_guest_on_the_way() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    for dialect in [
        Dialect::Smb202,
        Dialect::Smb21,
        Dialect::Smb302,
        Dialect::Smb311,
    ] {
        for flag in [1, 2, 3] {
            let address = between(&server, "share", move |message| {
                if message.grants(SESSION_SETUP) {
                    message.bytes[66] |= flag;
                    message.strip();
                }
                Deed::Pass
            });
            let error = connect(&address, &speaks(dialect))
                .err()
                .unwrap_or_else(|| panic!("{dialect}: flag {flag} is believed"))
                .to_string();
            assert!(
                error.contains("only as a guest")
                    && error.contains("or an attacker in between claims so"),
                "{error}"
            );
        }
    }
}

#[test]
fn a_guest_who_has_a_password_is_let_in_only_when_nothing_is_to_be_signed() {
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
    let address = format!("smb://nobody-of-that-name@127.0.0.1:{}/open", server.port);
    let choice = |signing| EngineChoice {
        signing,
        ..EngineChoice::default()
    };
    for signing in [Protection::Auto, Protection::Yes] {
        let error = connect(&address, &choice(signing))
            .expect_err("refused")
            .to_string();
        assert!(
            error.contains("only as a guest") && error.contains("set signing to false"),
            "{error}"
        );
    }
    let share =
        connect(&address, &choice(Protection::No)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        share.lock().read_file("file", 0, 100).expect("read"),
        b"content"
    );
    // Who names nobody, or has nothing to prove, wants no more.
    for user in ["", "nobody-of-that-name@"] {
        let address = format!("smb://{user}127.0.0.1:{}/open", server.port);
        shares::connect(&remote(&address), None, &EngineChoice::default())
            .unwrap_or_else(|error| panic!("{address}: {error}"));
    }
}

/// Each connection is looked at, not only the first of a session.
#[test]
fn a_further_channel_that_is_lowered_on_the_way_is_noticed() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let negotiations = AtomicUsize::new(0);
    let address = between(&server, "share", move |message| {
        if message.asks(NEGOTIATE) && negotiations.fetch_add(1, Ordering::Relaxed) > 0 {
            lower(message, 4);
        }
        Deed::Pass
    });
    let (mut first, second) = (buffers(), buffers());
    let mut bench = Bench::new(&address, "read", Some("file"));
    bench.workload.workers = 2;
    let mut one = bench.open(&first);
    assert!(
        one.refused
            .iter()
            .any(|refused| plumb_words::english(refused)
                .contains("negotiated another dialect than before")),
        "{:?}",
        one.refused
    );
    read_blocks(one.engine.as_mut(), &mut first);
    let refused = bench.try_open(&second, 1).err().expect("refused");
    assert!(
        says_changed(&refused.to_string()) && refused.to_string().contains("check what is between"),
        "{refused:?}"
    );
}
