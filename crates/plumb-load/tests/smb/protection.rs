//! Do all dialects work, signed, encrypted and bare, as requested and as the server requires?

use plumb_load::engine::Opened;
use plumb_model::workload::{Dialect, EngineChoice, Protection};

use crate::bench::*;
use crate::samba::{self, PASSWORD, Samba};

/// Writes and reads through the engine, and looks at the file past it. Returns signing and encryption as the record names them.
fn work(server: &Samba, share: &str, choice: EngineChoice) -> (String, String) {
    make_zeros(server);
    let mut buffers = buffers();
    let mut bench = Bench::new(&server.address(share), "read:1,write:1", Some("file"));
    bench.choice = choice.clone();
    let Opened {
        mut engine,
        connection,
        ..
    } = bench
        .try_open(&buffers, 0)
        .unwrap_or_else(|error| panic!("{choice:?}: {error}: {}", server.log()));
    if choice.dialect != Dialect::Auto {
        assert_eq!(connection["dialect"], choice.dialect.word());
    }
    write_blocks(engine.as_mut(), &mut buffers);
    assert!(is_whole(server), "{choice:?}");
    read_blocks(engine.as_mut(), &mut buffers);
    // Small ones take another way than large ones.
    let small = [op(
        plumb_model::workload::OperationKind::Read,
        12_345,
        1000,
        0,
    )];
    assert_eq!(carry_out(engine.as_mut(), &small), [Ok(1000)]);
    assert!(holds(&mut buffers, &small[0]));
    close(engine);
    (
        connection["signing"].clone(),
        connection["encryption"].clone(),
    )
}

fn choice(dialect: Dialect, signing: Protection, encryption: Protection) -> EngineChoice {
    EngineChoice {
        dialect,
        signing,
        encryption,
        ..EngineChoice::default()
    }
}

#[test]
fn every_dialect_signs_and_encrypts_as_requested() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    use Protection::{Auto, Yes};
    for (dialect, signing, encryption) in [
        (Dialect::Smb202, "HMAC-SHA256", None),
        (Dialect::Smb21, "HMAC-SHA256", None),
        (Dialect::Smb30, "AES-128-CMAC", Some("AES-128-CCM")),
        (Dialect::Smb302, "AES-128-CMAC", Some("AES-128-CCM")),
        (Dialect::Smb311, "AES-128-GMAC", Some("AES-128-GCM")),
    ] {
        let agreed =
            |signing, encryption| work(&server, "share", choice(dialect, signing, encryption));
        assert_eq!(
            agreed(Auto, Auto),
            ("none".into(), "none".into()),
            "{dialect}"
        );
        assert_eq!(
            agreed(Yes, Auto),
            (signing.into(), "none".into()),
            "{dialect}"
        );
        match encryption {
            // What is encrypted is not signed too (MS-SMB2 3.2.4.1.1).
            Some(encryption) => assert_eq!(
                agreed(Auto, Yes),
                ("none".into(), encryption.into()),
                "{dialect}"
            ),
            None => {
                let error = connect(&server.address("share"), &choice(dialect, Auto, Yes))
                    .expect_err("refused")
                    .to_string();
                let expected = format!("offers no encryption with SMB {dialect}:");
                assert!(error.contains(&expected), "{error}");
            }
        }
    }
}

#[test]
fn what_the_server_demands_is_done() {
    if !samba::is_installed() {
        return;
    }
    for (settings, share, expected) in [
        (
            &["server signing = mandatory"][..],
            "share",
            ("AES-128-GMAC", "none"),
        ),
        (
            &["server smb encrypt = required"],
            "share",
            ("none", "AES-128-GCM"),
        ),
        (&[], "sealed", ("none", "AES-128-GCM")),
        (
            &[
                "server smb3 encryption algorithms = AES-256-GCM",
                "server smb encrypt = required",
            ],
            "share",
            ("none", "AES-256-GCM"),
        ),
        (
            &[
                "server smb3 encryption algorithms = AES-256-CCM",
                "server smb encrypt = required",
            ],
            "share",
            ("none", "AES-256-CCM"),
        ),
        (
            &[
                "server smb3 encryption algorithms = AES-128-CCM",
                "server smb encrypt = required",
            ],
            "share",
            ("none", "AES-128-CCM"),
        ),
        (
            &[
                "server smb3 signing algorithms = AES-128-CMAC",
                "server signing = mandatory",
            ],
            "share",
            ("AES-128-CMAC", "none"),
        ),
        (
            &[
                "server smb3 signing algorithms = HMAC-SHA256",
                "server signing = mandatory",
            ],
            "share",
            ("HMAC-SHA256", "none"),
        ),
        (
            &[
                "server smb3 encryption algorithms = AES-256-GCM",
                "server signing = mandatory",
            ],
            "share",
            ("AES-128-GMAC", "none"),
        ),
    ] {
        let server = Samba::start(settings);
        let (signing, encryption) = work(&server, share, EngineChoice::default());
        assert_eq!(
            (signing.as_str(), encryption.as_str()),
            expected,
            "{settings:?}"
        );
    }
}

#[test]
fn what_the_server_demands_is_not_left_out() {
    if !samba::is_installed() {
        return;
    }
    use Protection::{Auto, No};
    let refused = |server: &Samba, share: &str, choice: EngineChoice| {
        connect(&server.address(share), &choice)
            .expect_err("refused")
            .to_string()
    };
    let server = Samba::start(&["server signing = mandatory"]);
    let error = refused(&server, "share", choice(Dialect::Auto, No, Auto));
    assert!(
        error.contains("requires signed messages: leave signing at auto"),
        "{error}"
    );
    let server = Samba::start(&[]);
    let error = refused(&server, "sealed", choice(Dialect::Auto, Auto, No));
    assert!(
        error.contains("requires encryption for this share: leave encryption at auto"),
        "{error}"
    );
    let server = Samba::start(&["server smb encrypt = required"]);
    let error = refused(&server, "share", choice(Dialect::Auto, Auto, No));
    assert!(
        error.contains("requires encryption for every session: leave encryption at auto"),
        "{error}"
    );
    let error = refused(&server, "share", choice(Dialect::Smb21, Auto, Auto));
    assert!(
        error.contains("STATUS_ACCESS_DENIED") && error.contains("encryption"),
        "{error}"
    );
}

#[test]
fn another_client_sees_the_same() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    let folder = tempfile::tempdir().expect("folder");
    let (there, back) = (folder.path().join("there"), folder.path().join("back"));
    let share = open_share(&server);
    let len = (13 << 20) + 1234;
    assert_eq!(write(&share, "ours", true, 0, len), Ok(true));
    server.smbclient("share", &format!("get ours {}", back.display()));
    let bytes = std::fs::read(&back).expect("file");
    assert!(
        bytes.len() as u64 == len
            && bytes
                .iter()
                .enumerate()
                .all(|(at, byte)| *byte == byte_at(at as u64))
    );
    std::fs::write(&there, &bytes[..3 << 20]).expect("file");
    server.smbclient("share", &format!("put {} theirs", there.display()));
    assert!(share.lock().read_file("theirs", 0, 1 << 30).expect("read") == bytes[..3 << 20]);
    assert!(!server.log().contains(PASSWORD));
}

/// Signatures and ciphers need the data: whoever requires them is named, with a remedy.
#[test]
fn data_of_protected_sessions_is_not_discarded() {
    if !samba::is_installed() {
        return;
    }
    for (setting, told) in [
        ("server signing = mandatory", "are signed"),
        ("server smb encrypt = required", "are encrypted"),
    ] {
        let server = Samba::start(&[setting]);
        make_zeros(&server);
        let mut bench = Bench::new(&server.address("share"), "read", Some("file"));
        bench.choice.skip_rx_copy = true;
        let refused = bench.try_open(&buffers(), 0).err().expect("refused");
        let refused = refused.to_string();
        assert!(
            refused.contains(told) && refused.ends_with("omit skip-rx-copy"),
            "{refused}"
        );
    }
}
