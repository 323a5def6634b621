//! Where do the tests get Kerberos tickets from? A KDC of their own on loopback: private realm, free port, stopped by its process number.

#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const REALM: &str = "PLUMB.TEST";
const PASSWORD: &str = "ticket-pass-1";

/// A running KDC with a user and a service on `localhost`. Ends with this value.
pub struct Kdc {
    folder: tempfile::TempDir,
    server: Child,
}

/// True when the programs are installed; else says why the test is skipped.
pub fn is_installed() -> bool {
    let missing = ["krb5kdc", "kdb5_util", "kadmin.local", "kinit", "kvno"]
        .into_iter()
        .find(|program| {
            !std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .chain([PathBuf::from("/usr/sbin")])
                .any(|folder| folder.join(program).exists())
        });
    if let Some(program) = missing {
        println!(
            "skipped: {program} is not installed (Debian packages krb5-kdc, krb5-admin-server and krb5-user)"
        );
    }
    missing.is_none()
}

impl Kdc {
    /// Starts a KDC that knows this user, and an SMB server.
    pub fn start(user: &str) -> Kdc {
        Kdc::start_for(user, "cifs")
    }

    /// Starts a KDC that knows this user, and a service on `localhost`.
    pub fn start_for(user: &str, service: &str) -> Kdc {
        let service = format!("{service}/localhost");
        let folder = tempfile::Builder::new()
            .prefix("plumb-kdc-")
            .tempdir()
            .expect("folder");
        let (place, port) = (
            folder.path().display().to_string(),
            super::ports::free_port(),
        );
        let client = format!(
            "[libdefaults]\n default_realm = {REALM}\n dns_lookup_kdc = false\n dns_canonicalize_hostname = false\n rdns = false\n\
             [realms]\n {REALM} = {{\n  kdc = 127.0.0.1:{port}\n }}\n[domain_realm]\n localhost = {REALM}\n"
        );
        // A server outside of a domain takes no ticket with authorisation of one in it (PAC).
        let server = format!(
            "[realms]\n {REALM} = {{\n  database_name = {place}/principal\n  key_stash_file = {place}/stash\n  acl_file = {place}/acl\n  \
             kdc_listen = 127.0.0.1:{port}\n  kdc_tcp_listen = 127.0.0.1:{port}\n  supported_enctypes = aes256-cts-hmac-sha1-96:normal\n  \
             master_key_type = aes256-cts-hmac-sha1-96\n  disable_pac = true\n }}\n"
        );
        std::fs::write(folder.path().join("krb5.conf"), client).expect("settings");
        std::fs::write(folder.path().join("kdc.conf"), server).expect("settings");
        let run = |program: &str, words: &[&str]| {
            drop(super::samba::run(
                in_realm(folder.path(), program).args(words),
                "",
            ))
        };
        run(
            "kdb5_util",
            &["create", "-s", "-r", REALM, "-P", "master-pass-1"],
        );
        run(
            "kadmin.local",
            &["-q", &format!("addprinc -pw {PASSWORD} {user}")],
        );
        run(
            "kadmin.local",
            &["-q", &format!("addprinc -randkey {service}")],
        );
        run(
            "kadmin.local",
            &["-q", &format!("ktadd -k {place}/service.keytab {service}")],
        );
        let child = in_realm(folder.path(), "krb5kdc")
            .arg("-n")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("krb5kdc");
        let kdc = Kdc {
            folder,
            server: child,
        };
        let begun = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "the KDC does not listen"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        super::samba::run(
            in_realm(kdc.folder.path(), "kinit").arg(user),
            &format!("{PASSWORD}\n"),
        );
        super::samba::run(in_realm(kdc.folder.path(), "kvno").arg(&service), "");
        kdc
    }

    /// The user's tickets, for `KRB5CCNAME`.
    pub fn tickets(&self) -> PathBuf {
        self.folder.path().join("tickets")
    }

    /// The service's key.
    pub fn keytab(&self) -> PathBuf {
        self.folder.path().join("service.keytab")
    }

    /// The realm, for `KRB5_CONFIG`.
    pub fn settings(&self) -> PathBuf {
        self.folder.path().join("krb5.conf")
    }

    /// Lines of a Samba's `[global]` section by which it takes them.
    pub fn samba_lines(&self) -> [String; 3] {
        let keytab = self.keytab();
        [
            format!("realm = {REALM}"),
            "kerberos method = dedicated keytab".into(),
            format!("dedicated keytab file = FILE:{}", keytab.display()),
        ]
    }
}

impl Drop for Kdc {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn in_realm(folder: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .env("KRB5_CONFIG", folder.join("krb5.conf"))
        .env("KRB5_KDC_PROFILE", folder.join("kdc.conf"));
    command.env("KRB5CCNAME", folder.join("tickets"));
    command
}
