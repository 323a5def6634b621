//! Is an object store measured as its own log shows, left as it was, and explained when it refuses? On moto, on versitygw where it is installed, and on a store that lies.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use assert_cmd::Command;

use crate::object_stores::{KEY, SECRET, Store};
use crate::{measured, plumb_in, refusal_of};

fn plumb_at(port: u16, folder: &Path, line: &str) -> Command {
    let mut command = plumb_in(folder, line);
    command
        .env("AWS_ACCESS_KEY_ID", KEY)
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))
        .env_remove("AWS_PROFILE")
        .env("AWS_CONFIG_FILE", folder.join("config"))
        .env("AWS_SHARED_CREDENTIALS_FILE", folder.join("credentials"));
    command
}

/// Requests in the log of a store that are about the files of blocks, by method.
fn count(log: &str, method: &str, of: &str) -> usize {
    let is_one = |line: &&str| {
        let by_moto = line.contains(&format!("{method} /bucket/")) && line.contains(of);
        let operation = match method {
            "GET" => "s3_GetObject",
            "PUT" => "s3_PutObject",
            _ => "s3_DeleteObject",
        };
        by_moto || (line.contains(operation) && line.contains(of))
    };
    log.lines().filter(is_one).count()
}

#[test]
fn what_is_counted_is_what_the_store_has_logged() {
    for store in Store::start_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = "run --target s3://bucket/mine --pattern random-read --block 64k --size 1m --operations 200 --depth 4 --verify --json --quiet --output out";
        let summary = measured(plumb_at(store.port(), folder.path(), line));
        let step = &summary["steps"][0];
        assert_eq!(step["engine"], "s3");
        assert_eq!(step["total"]["count"], 200);
        assert_eq!(step["total"]["bytes"], 200 << 16);
        let numbers = &step["connections"]["numbers"];
        assert_eq!(numbers["requests"], 200.0, "{numbers}");
        let log = store.log();
        assert_eq!(count(&log, "GET", "/shared"), 200, "{log}");
        assert!(!log.contains(SECRET));
        let record = std::fs::read_to_string(folder.path().join("out/report.html")).expect("page");
        assert!(!record.contains(SECRET) && record.contains("S3 over HTTP/1.1"));
        assert_eq!(
            left(&store, folder.path()),
            "No leftovers of killed runs found.\n"
        );
    }
}

/// What `plumb clean` lists in the prefix of the tests.
fn left(store: &Store, folder: &Path) -> String {
    let output = plumb_at(store.port(), folder, "clean s3://bucket/mine")
        .output()
        .expect("plumb");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn objects_are_created_read_listed_and_deleted() {
    for store in Store::start_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = "run --target s3://bucket/mine --mix create:1,stat:1,read-file:2,delete:1 --files 40 --set file-size=8k --operations 300 --depth 4 --json --quiet --output out";
        let summary = measured(plumb_at(store.port(), folder.path(), line));
        let total = &summary["steps"][0]["total"];
        assert_eq!(
            (&total["count"], &total["errors"]),
            (&300.into(), &0.into()),
            "{total}"
        );
        let line = "run --target s3://bucket/mine --pattern random-write --block 64k --size 64k --operations 20 --verify --json --quiet --output again";
        let summary = measured(plumb_at(store.port(), folder.path(), line));
        assert_eq!(summary["steps"][0]["total"]["count"], 20);
        let line =
            "run --target s3://bucket/mine --pattern random-write --block 64k --size 1m --time 1s";
        let text = refusal_of(plumb_at(store.port(), folder.path(), line));
        assert!(
            text.contains("entirely") && text.contains("mix = create"),
            "{text}"
        );
    }
}

/// A run that is killed leaves what `plumb clean` names and removes.
#[test]
fn what_a_killed_run_leaves_is_named_and_removed() {
    let Some(store) = Store::moto() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "run --target s3://bucket/mine --pattern random-read --block 64k --size 1m --time 60s --quiet --output out";
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    command
        .current_dir(folder.path())
        .args(line.split(' '))
        .env("AWS_ACCESS_KEY_ID", KEY)
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .env(
            "AWS_ENDPOINT_URL",
            format!("http://127.0.0.1:{}", store.port()),
        );
    let mut run = command.spawn().expect("plumb");
    let begun = Instant::now();
    while count(&store.log(), "GET", "/shared") == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", store.log());
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().expect("killed");
    run.wait().expect("ended");
    let listed = left(&store, folder.path());
    assert!(listed.starts_with("s3://bucket/mine/.plumb-"), "{listed}");
    // As the book has it: the endpoint by a key, as in the run before.
    let endpoint = format!("http://127.0.0.1:{}", store.port());
    let line = format!("clean s3://bucket/mine --set endpoint-url={endpoint} --remove");
    let mut clean = plumb_at(store.port(), folder.path(), &line);
    clean.env_remove("AWS_ENDPOINT_URL");
    let output = clean.output().expect("plumb");
    let removed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && removed.starts_with("removed: s3://bucket/mine/.plumb-"),
        "{removed}"
    );
    assert_eq!(
        left(&store, folder.path()),
        "No leftovers of killed runs found.\n"
    );
}

/// The certificate is one that the system does not trust, and AWS_CA_BUNDLE does: the store's refusal then comes over TLS.
#[test]
fn a_certificate_is_checked_against_the_authorities_that_are_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((store, certificate)) = Store::moto_with_tls(folder.path()) else {
        return;
    };
    let line = "run --target s3://missing --pattern random-read --block 64k --size 1m --time 1s";
    let of = |bundle: Option<&Path>, endpoint: &str| {
        let mut command = plumb_at(store.port(), folder.path(), line);
        command.env("AWS_ENDPOINT_URL", format!("{endpoint}:{}", store.port()));
        match bundle {
            Some(bundle) => command.env("AWS_CA_BUNDLE", bundle),
            None => command.env_remove("AWS_CA_BUNDLE"),
        };
        refusal_of(command)
    };
    let untrusted = of(None, "https://127.0.0.1");
    assert!(
        untrusted.contains("AWS_CA_BUNDLE") || untrusted.contains("ca-certificates"),
        "{untrusted}"
    );
    let trusted = of(Some(&certificate), "https://127.0.0.1");
    assert!(trusted.contains("NoSuchBucket"), "{trusted}");
    let missing = of(Some(Path::new("missing.pem")), "https://127.0.0.1");
    assert!(missing.contains("AWS_CA_BUNDLE"), "{missing}");
    let plain = of(None, "http://127.0.0.1");
    assert!(plain.contains("http and https"), "{plain}");
}

/// A store that has one object of 1 MiB, and replies to every fourth read of it that it wants fewer requests.
fn store_in_a_hurry() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let reads = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        for stream in listener.incoming() {
            let (Ok(mut stream), reads) = (stream, reads.clone()) else {
                return;
            };
            std::thread::spawn(move || {
                let mut head = Vec::new();
                let mut byte = [0];
                while stream.read(&mut byte).is_ok_and(|count| count == 1) {
                    head.push(byte[0]);
                    if !head.ends_with(b"\r\n\r\n") {
                        continue;
                    }
                    let text = String::from_utf8_lossy(&head).into_owned();
                    head.clear();
                    let reply = reply_of(&text, &reads);
                    if stream.write_all(&reply).is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

fn reply_of(head: &str, reads: &std::sync::atomic::AtomicUsize) -> Vec<u8> {
    let body = |status: &str, body: &[u8]| {
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body].concat()
    };
    if head.starts_with("HEAD ") {
        return b"HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n".to_vec();
    }
    if head.contains("list-type=2") {
        return body(
            "200 OK",
            b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>",
        );
    }
    match reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 4 {
        3 => body("503 Slow Down", b"<Error><Code>SlowDown</Code></Error>"),
        _ => body("206 Partial Content", &[7; 65_536]),
    }
}

/// Nothing is repeated behind the figures: what the store refused is counted as that.
#[test]
fn requests_that_a_store_refuses_are_counted_by_their_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "run --target s3://bucket/object --pattern random-read --block 64k --operations 100 --json --quiet --output out";
    let output = plumb_at(store_in_a_hurry(), folder.path(), line)
        .output()
        .expect("plumb");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let step = &summary["steps"][0];
    assert_eq!(step["total"]["errors"], 25, "{step}");
    let numbers = &step["connections"]["numbers"];
    assert_eq!(numbers["slow_downs"], 25.0, "{numbers}");
    assert_eq!(numbers["refused_SlowDown"], 25.0, "{numbers}");
    assert_eq!(numbers["requests"], 100.0, "{numbers}");
    assert!(text.contains("SlowDown"));
}

#[test]
fn what_is_missing_is_named_before_anything_is_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "check --quick s3://bucket";
    let mut half = plumb_at(1, folder.path(), line);
    half.env_remove("AWS_SECRET_ACCESS_KEY");
    let text = refusal_of(half);
    assert!(text.contains("AWS_SECRET_ACCESS_KEY"), "{text}");
    let mut of_aws = plumb_at(1, folder.path(), line);
    for name in ["AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION"] {
        of_aws.env_remove(name);
    }
    let text = refusal_of(of_aws);
    assert!(text.contains("AWS_REGION"), "{text}");
    let text = refusal_of(plumb_at(1, folder.path(), line));
    assert!(
        text.contains("endpoint-url") && text.contains("127.0.0.1:1"),
        "{text}"
    );
}
