//! Does `plumb launch` connect to hosts over real ssh? An OpenSSH server on each of two hosts, with keys of the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use plumb_record::read_run;
use serde_json::Value;

use crate::hosts::Hosts;
use crate::many_hosts::{program, text};

const PORT: u16 = 2222;
const NET: u8 = 57;

/// Stopped by its number.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Debian keeps it where users have no path to.
fn server_program() -> Option<PathBuf> {
    let found = ["/usr/sbin/sshd", "/usr/bin/sshd"]
        .into_iter()
        .map(PathBuf::from);
    let found = found.into_iter().find(|program| program.is_file());
    if found.is_none() || Command::new("ssh").arg("-V").output().is_err() {
        println!(
            "skipped: ssh or sshd is not installed (Debian packages openssh-client and openssh-server)"
        );
        return None;
    }
    found
}

fn key(folder: &Path, name: &str) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(folder.join(name))
        .status();
    assert!(made.expect("ssh-keygen").success());
}

/// A server on a host, which has this name there.
fn serve(hosts: &Hosts, host: usize, sshd: &Path, folder: &Path) -> Stopped {
    let (name, place) = (["hosta", "hostb"][host], folder.display());
    let address = format!("10.231.{NET}.{}", host + 1);
    let settings = folder.join(format!("{name}.conf"));
    let text = format!(
        "Port {PORT}\nListenAddress {address}\nHostKey {place}/of_host\nAuthorizedKeysFile {place}/of_user.pub\nPidFile none\nUsePAM no\n\
         PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\nStrictModes no\n"
    );
    fs::write(&settings, text).expect("settings");
    // It wants a folder of its own in /run.
    let script = format!(
        "hostname {name}; mount -t tmpfs tmpfs /run; mkdir /run/sshd; exec {} -D -e -f {}",
        sshd.display(),
        settings.display()
    );
    let log = fs::File::create(folder.join(format!("{name}.log"))).expect("log");
    let server = hosts
        .on(host, "unshare")
        .args(["--uts", "--mount", "sh", "-ec", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    let server = Stopped(server.expect("started"));
    let begun = Instant::now();
    let log = || fs::read_to_string(folder.join(format!("{name}.log"))).unwrap_or_default();
    while !log().contains("Server listening") {
        assert!(begun.elapsed() < Duration::from_secs(30), "{}", log());
        std::thread::sleep(Duration::from_millis(20));
    }
    server
}

/// How ssh finds the two: with this key on the second.
fn client_settings(folder: &Path, name: &str, second_key: &str) {
    let place = folder.display();
    let host = |name: &str, number: u8, key: &str| {
        format!(
            "Host {name}\n HostName 10.231.{NET}.{number}\n Port {PORT}\n IdentityFile {place}/{key}\n IdentitiesOnly yes\n BatchMode yes\n \
             StrictHostKeyChecking no\n UserKnownHostsFile /dev/null\n LogLevel ERROR\n"
        )
    };
    let text = host("hosta", 1, "of_user") + &host("hostb", 2, second_key);
    fs::write(folder.join(name), text).expect("settings");
}

#[test]
fn two_hosts_are_reached_by_ssh_and_the_one_that_refuses_is_named() {
    let Some(sshd) = server_program() else { return };
    let Some(hosts) = Hosts::new(NET) else { return };
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    for name in ["of_host", "of_user", "of_nobody"] {
        key(at, name);
    }
    let _servers = [0, 1].map(|host| serve(&hosts, host, &sshd, at));
    client_settings(at, "ssh.conf", "of_user");
    client_settings(at, "refused.conf", "of_nobody");
    let data = at.join("data");
    fs::create_dir(&data).expect("folder");
    let launch = |settings: &str| -> Output {
        let line = format!(
            "launch --hosts hosta,hostb --target {} --pattern random-write --size 4m --direct try --time 600ms --set interval=200ms --quiet \
             --output run.plumb",
            data.display()
        );
        hosts
            .on(0, program().to_str().expect("a path"))
            .args(line.split_whitespace())
            .arg(format!("--ssh=ssh -F {}", at.join(settings).display()))
            .arg("--program")
            .arg(program())
            .current_dir(at)
            .env("PLUMB_LANGUAGE", "en")
            .stdin(Stdio::null())
            .output()
            .expect("ran")
    };
    let refused = launch("refused.conf");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    for said in [
        "Permission denied",
        "rank 2: hostb: ssh did not connect to a plumb agent",
    ] {
        assert!(text(&refused).contains(said), "{}", text(&refused));
    }
    let ran = launch("ssh.conf");
    assert!(matches!(ran.status.code(), Some(0 | 1)), "{}", text(&ran));
    let output = at.join("run.plumb");
    let mut show = crate::plumb();
    show.args(["show", "--json"]).arg(&output);
    let summary = crate::measured(show);
    let places = summary["ranks"]["places"].as_array().cloned();
    let names = places.iter().flatten().map(|place| place["host"].clone());
    assert_eq!(names.collect::<Vec<Value>>(), ["hosta", "hostb"]);
    let count = |run: &Path| -> u64 {
        let run = read_run(run).unwrap_or_else(|error| panic!("{}: {error}", run.display()));
        let kinds = run.ticks.iter().flat_map(|tick| &tick.kinds);
        kinds.map(|kind| kind.count).sum()
    };
    let of_ranks = [1, 2].map(|rank| count(&output.join(format!("ranks/{rank:04}"))));
    assert!(of_ranks.iter().all(|count| *count > 0), "{of_ranks:?}");
    assert_eq!(count(&output), of_ranks.iter().sum::<u64>());
    assert_eq!(crate::left_in(&data), Vec::<String>::new());
}
