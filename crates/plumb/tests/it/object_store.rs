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
        .env("AWS_EC2_METADATA_DISABLED", "true")
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

/// Of several ranks, each has its own objects or all read one; the sum of their operations is what the store has logged.
#[cfg(target_os = "linux")]
#[test]
fn ranks_count_together_what_the_store_has_logged() {
    for store in Store::start_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = plumb_at(store.port(), folder.path(), "");
        let ranks = |line: &str| {
            let mut command = crate::many_hosts::launcher("mpirun.openmpi", 2)?;
            let set = settings.get_envs();
            command.envs(set.filter_map(|(name, value)| Some((name, value?))));
            let ran = command
                .arg(settings.get_program())
                .args(line.split(' '))
                .current_dir(folder.path())
                .output();
            let ran = ran.expect("a launcher");
            let errors = String::from_utf8_lossy(&ran.stderr);
            let summary = serde_json::from_slice::<serde_json::Value>(&ran.stdout);
            Some(summary.unwrap_or_else(|error| panic!("{error}: {errors}"))["steps"][0].clone())
        };
        let blocks = "run --target s3://bucket/mine --pattern random-read --block 64k --size 1m --operations 60 --depth 2 --verify --json --quiet --output blocks";
        let Some(step) = ranks(blocks) else { return };
        assert_eq!(step["total"]["count"], 120, "{step:#}");
        assert_eq!(count(&store.log(), "GET", "/shared"), 120);
        let files = "run --target s3://bucket/mine --mix create:1,read-file:1 --files 10 --set file-size=8k --operations 50 --depth 2 --json --quiet --output files";
        let step = ranks(files).expect("as before");
        let total = &step["total"];
        assert_eq!(
            (&total["count"], &total["errors"]),
            (&100.into(), &0.into()),
            "{step:#}"
        );
        assert_eq!(
            left(&store, folder.path()),
            "No leftovers of killed runs found.\n"
        );
    }
}

/// The store is a layer above the files and the network of its host, measured by the same steps.
#[test]
fn a_bucket_is_a_layer_like_a_share() {
    let Some(store) = Store::moto() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("files")).expect("a folder");
    let line = "layers --device none --files files --share s3://bucket/mine --network loopback --size 1m --time 60ms --set interval=20ms --rounds 2 --budget 1ms \
                --json --quiet --output out";
    let layers = measured(plumb_at(store.port(), folder.path(), line));
    let kinds = layers["layers"].as_array().expect("layers").iter();
    let share = kinds.clone().position(|of| of["kind"] == "share");
    let share = share.unwrap_or_else(|| panic!("{layers:#}"));
    let engine = layers["layers"][share]["engine"].as_str();
    assert!(engine.is_some_and(|engine| engine.starts_with("s3")));
    assert!(kinds.clone().any(|of| of["kind"] == "network"));
    let steps = layers["steps"].as_array().expect("steps").iter();
    let read = steps.filter(|step| step["step"] == "sequential-read");
    let rates: Vec<f64> = read
        .filter_map(|step| step["layers"][share]["iops"]["value"].as_f64())
        .collect();
    assert!(rates.len() == 1 && rates[0] > 0.0, "{layers:#}");
    assert_eq!(
        left(&store, folder.path()),
        "No leftovers of killed runs found.\n"
    );
}

/// An object store has no rename: a copy within the bucket and a deletion, each timed apart.
#[test]
fn objects_are_renamed_by_a_copy_and_a_deletion() {
    for store in Store::start_all() {
        // With few objects, nearly every operation waits for others on the same ones.
        for (files, depth) in [(20, 4), (3, 8)] {
            let folder = tempfile::tempdir().expect("a folder");
            let line = format!(
                "run --target s3://bucket/mine --mix rename:1,read-file:1,stat:1 --files {files} --depth {depth} --set file-size=8k --operations 300 --json --quiet --output out"
            );
            let summary = measured(plumb_at(store.port(), folder.path(), &line));
            let step = &summary["steps"][0];
            assert_eq!(
                (&step["total"]["count"], &step["total"]["errors"]),
                (&300.into(), &0.into()),
                "{step:#}"
            );
            let renames = &step["operations"]["rename"]["count"];
            let commands = &step["connections"]["commands"];
            for command in ["COPY", "DELETE"] {
                assert_eq!(&commands[command]["count"], renames, "{commands:#}");
            }
            let total = 300 + renames.as_u64().expect("a count");
            assert_eq!(step["connections"]["numbers"]["requests"], total as f64);
            assert_eq!(
                left(&store, folder.path()),
                "No leftovers of killed runs found.\n"
            );
        }
    }
}

/// A store may begin to reply to a copy before it fails.
fn fails_while_it_copies(request: &str) -> Option<&'static str> {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 66\r\n\r\n<Error><Code>InternalError</Code><Message>later</Message></Error>\n";
    request.contains("x-amz-copy-source").then_some(reply)
}

#[test]
fn a_copy_that_fails_with_the_status_of_a_success_is_an_error() {
    let Some(store) = Store::moto() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (port, _) = gateway_to(store.port(), fails_while_it_copies);
    let line = "run --target s3://bucket/mine --mix rename --files 20 --set file-size=8k --operations 15 --json --quiet --output out";
    let output = plumb_at(port, folder.path(), line).output().expect("plumb");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let step = &summary["steps"][0];
    let numbers = &step["connections"]["numbers"];
    assert_eq!(step["total"]["errors"], 15, "{step:#}");
    assert_eq!(numbers["refused_InternalError"], 15.0, "{numbers}");
    assert_eq!(numbers["requests"], 15.0, "{numbers}");
    assert_eq!(
        left(&store, folder.path()),
        "No leftovers of killed runs found.\n"
    );
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

/// What a store of the tests replies to a request with this head; reads are counted.
type Replies = fn(&str, &std::sync::atomic::AtomicUsize) -> Vec<u8>;

/// A store that replies so; its port.
fn store_that(replies: Replies) -> u16 {
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
                    let reply = replies(&text, &reads);
                    if stream.write_all(&reply).is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

/// It has one object of 1 MiB, and wants fewer requests at every fourth read of it.
fn wants_fewer(head: &str, reads: &std::sync::atomic::AtomicUsize) -> Vec<u8> {
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
    let output = plumb_at(store_that(wants_fewer), folder.path(), line)
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

/// Facts of a doctor's examination of the prefix of the tests.
fn examined(store: &Store, folder: &Path) -> serde_json::Value {
    let output = plumb_at(store.port(), folder, "doctor s3://bucket/mine --json")
        .output()
        .expect("plumb");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn doctor_names_the_settings_of_a_bucket_that_change_what_a_run_leaves() {
    let folder = tempfile::tempdir().expect("a folder");
    let fact = |of: &serde_json::Value, id: &str, kind: &str| {
        of["environment"][format!("s3.{id}")][kind].clone()
    };
    for store in Store::start_all() {
        let found = examined(&store, folder.path());
        let endpoint = format!("http://127.0.0.1:{}", store.port());
        assert_eq!(fact(&found, "endpoint", "text"), endpoint, "{found:#}");
        assert_eq!(fact(&found, "addressing", "text"), "path");
        assert_eq!(fact(&found, "tls", "text"), "none");
        assert_eq!(fact(&found, "unfinished_uploads", "number"), 0.0);
        let time = |id: &str| fact(&found, id, "number").as_f64().expect("a time");
        assert!(time("tcp_connect_us") > 0.0 && time("round_trip_us") > 0.0);
        assert!(time("clock_ahead_s").abs() <= 2.0);
        assert_eq!(found["environment"].get("s3.tls_handshake_us"), None);
    }
    let Some(store) = Store::moto() else { return };
    let found = examined(&store, folder.path());
    assert_eq!(
        fact(&found, "versioning", "text"),
        "never enabled",
        "{found:#}"
    );
    assert_eq!(fact(&found, "object_lock", "text"), "none");
    assert_eq!(fact(&found, "lifecycle", "number"), 0.0);
    let set = |what: &str, body: &str| {
        let reply = store.request(&format!("PUT /bucket?{what}"), body);
        assert!(reply.contains(" 200 "), "{reply}");
    };
    set(
        "versioning",
        "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
    );
    let rule = |id: &str, status: &str| {
        format!(
            "<Rule><ID>{id}</ID><Filter><Prefix>{id}</Prefix></Filter><Status>{status}</Status><Expiration><Days>7</Days></Expiration></Rule>"
        )
    };
    let rules = [
        rule("a", "Enabled"),
        rule("b", "Disabled"),
        rule("c", "Enabled"),
    ]
    .concat();
    set(
        "lifecycle",
        &format!("<LifecycleConfiguration>{rules}</LifecycleConfiguration>"),
    );
    set(
        "encryption",
        "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>",
    );
    store.request("POST /bucket/mine/an-upload?uploads", "");
    store.request("POST /bucket/other/an-upload?uploads", "");
    let found = examined(&store, folder.path());
    assert_eq!(fact(&found, "versioning", "text"), "enabled", "{found:#}");
    assert_eq!(fact(&found, "lifecycle", "number"), 2.0);
    assert_eq!(fact(&found, "encryption", "text"), "AES256");
    assert_eq!(fact(&found, "unfinished_uploads", "number"), 1.0);
    let rules = found["findings"].as_array().expect("findings");
    assert!(
        rules
            .iter()
            .any(|of| of["rule"] == "object_store_keeps_versions"),
        "{rules:#?}"
    );
}

#[test]
fn a_bucket_with_versions_keeps_none_of_the_objects_of_a_run() {
    let Some(store) = Store::moto() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let versioned = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    let foreign = ["/mine/of-another", "/of-another"];
    for (line, body) in [
        ("PUT /bucket?versioning".to_string(), versioned),
        (format!("PUT /bucket{}", foreign[0]), "theirs"),
        (format!("PUT /bucket{}", foreign[1]), "theirs"),
    ] {
        let reply = store.request(&line, body);
        assert!(reply.contains(" 200 "), "{line}: {reply}");
    }
    let line = "run --target s3://bucket/mine --mix create:1,read-file:2,delete:1 --files 20 --set file-size=8k --operations 120 --depth 4 --json --quiet --output out";
    let summary = measured(plumb_at(store.port(), folder.path(), line));
    assert_eq!(summary["steps"][0]["total"]["errors"], 0);
    // Objects, and then their versions and markers, were removed by few requests.
    let removals = store.log().matches("?delete").count();
    assert!((1..=20).contains(&removals), "{removals}");
    let left = store.request("GET /bucket?versions", "");
    let versions = left.matches("<Key>").count();
    assert_eq!(
        (versions, left.matches("of-another").count()),
        (2, 2),
        "{left}"
    );
}

#[test]
fn connections_and_their_tls_are_timed_apart_from_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((store, certificate)) = Store::moto_with_tls(folder.path()) else {
        return;
    };
    // The bucket is made by a program that knows TLS.
    let made = std::process::Command::new("openssl")
        .args(["s_client", "-quiet", "-verify_quiet", "-connect"])
        .arg(format!("127.0.0.1:{}", store.port()))
        .arg("-ign_eof")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .and_then(|mut child| {
            let request = "PUT /bucket HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            child.stdin.take().expect("stdin").write_all(request.as_bytes())?;
            child.wait_with_output()
        })
        .expect("openssl");
    let reply = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(reply.contains(" 200 "), "{reply}");
    let line = "run --target s3://bucket/mine --pattern random-read --block 16k --size 1m --operations 100 --depth 4 --json --quiet --output out";
    let mut command = plumb_at(store.port(), folder.path(), line);
    command
        .env(
            "AWS_ENDPOINT_URL",
            format!("https://127.0.0.1:{}", store.port()),
        )
        .env("AWS_CA_BUNDLE", &certificate);
    let summary = measured(command);
    let connections = &summary["steps"][0]["connections"]["numbers"]["connections"];
    for part in ["connect", "TLS handshake"] {
        let count = &summary["steps"][0]["connections"]["commands"][part]["count"];
        assert_eq!(count.as_f64(), connections.as_f64(), "{part}: {summary:#}");
    }
}

#[test]
fn credentials_that_a_machine_offers_are_used_and_named() {
    let Some(store) = Store::moto() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let service = format!("http://127.0.0.1:{}", store.port());
    let without_keys = |line: &str| {
        let mut command = plumb_at(store.port(), folder.path(), line);
        command
            .env_remove("AWS_ACCESS_KEY_ID")
            .env_remove("AWS_SECRET_ACCESS_KEY");
        command
    };
    let instance = |line: &str| {
        let mut command = without_keys(line);
        command
            .env_remove("AWS_EC2_METADATA_DISABLED")
            .env("AWS_EC2_METADATA_SERVICE_ENDPOINT", &service);
        command
    };
    let doctor = "doctor s3://bucket/mine --json";
    let facts = |mut command: Command| -> serde_json::Value {
        let output = command.output().expect("plumb");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        found["environment"].clone()
    };
    let found = facts(instance(doctor));
    assert_eq!(found["s3.credentials"]["text"], "instance", "{found:#}");
    assert!(found["s3.credentials_expire"]["text"].is_string());
    let asked = [
        "PUT /latest/api/token",
        "GET /latest/meta-data/iam/security-credentials/default-role",
    ];
    let log = store.log();
    assert!(asked.iter().all(|request| log.contains(request)), "{log}");
    let line = "run --target s3://bucket/mine --pattern random-read --block 16k --size 256k --operations 20 --json --quiet --output out";
    let summary = measured(instance(line));
    assert_eq!(summary["steps"][0]["total"]["count"], 20);
    for file in ["run.json", "notes.jsonl", "readings.jsonl", "report.html"] {
        let text = std::fs::read_to_string(folder.path().join("out").join(file)).expect(file);
        assert!(
            !text.contains("test-secret-key") && !text.contains("test-session-token"),
            "{file}"
        );
    }
    // The agent of a container is named by its address; its reply has the same form.
    let role = format!("{service}/latest/meta-data/iam/security-credentials/default-role");
    let container = |url: &str| {
        let mut command = without_keys(doctor);
        command
            .env("AWS_CONTAINER_CREDENTIALS_FULL_URI", url)
            .env("AWS_CONTAINER_AUTHORIZATION_TOKEN", "of-the-pod");
        command
    };
    assert_eq!(
        facts(container(&role))["s3.credentials"]["text"],
        "container"
    );
    // Without TLS a token goes to no other machine.
    let far = refusal_of(container("http://192.0.2.7/credentials"));
    assert!(
        far.contains("192.0.2.7") && !far.contains("of-the-pod"),
        "{far}"
    );
    let nothing = refusal_of(container(&format!("{service}/latest/meta-data/none")));
    assert!(nothing.contains("role"), "{nothing}");
    // A machine that offers nothing.
    let none = refusal_of(without_keys(doctor));
    assert!(none.contains("AWS_ACCESS_KEY_ID"), "{none}");
}

#[test]
fn a_connection_for_each_request_is_what_the_store_sees() {
    let Some(store) = Store::moto() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "run --target s3://bucket/mine --pattern random-read --block 16k --size 256k --operations 60 --depth 3 --set keep-alive=false --json --quiet --output out";
    let summary = measured(plumb_at(store.port(), folder.path(), line));
    let connections = &summary["steps"][0]["connections"];
    assert_eq!(connections["numbers"]["requests"], 60.0);
    assert_eq!(connections["numbers"]["connections"], 60.0);
    assert_eq!(
        connections["commands"]["connect"]["count"], 60,
        "{connections:#}"
    );
}

#[test]
fn checksums_are_kept_by_the_store_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, store) in Store::start_all().into_iter().enumerate() {
        for checksum in ["crc32c", "sha256"] {
            let line = format!(
                "run --target s3://bucket/mine --mix create:1,read-file:2 --files 20 --set file-size=8k --operations 100 --depth 2 --set object-checksum={checksum} --json --quiet --output out{number}{checksum}"
            );
            let summary = measured(plumb_at(store.port(), folder.path(), &line));
            let total = &summary["steps"][0]["total"];
            assert_eq!(
                (&total["count"], &total["errors"]),
                (&100.into(), &0.into()),
                "{checksum}: {total}"
            );
        }
    }
    // A store whose object changed: every fourth read has another checksum than it was written with.
    let line = "run --target s3://bucket/object --pattern random-read --block 16k --operations 100 --set object-checksum=crc32c --json --quiet --output out";
    let output = plumb_at(store_that(changes_an_object), folder.path(), line)
        .output()
        .expect("plumb");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(summary["steps"][0]["total"]["errors"], 25, "{summary:#}");
    let record = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("record");
    assert!(record.contains("lGQLhQ=="), "{record}");
}

/// It has one object of 16 KiB of zeros; the CRC-32C of that is 0x94640b85.
fn changes_an_object(head: &str, reads: &std::sync::atomic::AtomicUsize) -> Vec<u8> {
    if head.starts_with("HEAD ") {
        return b"HTTP/1.1 200 OK\r\nContent-Length: 16384\r\n\r\n".to_vec();
    }
    if head.contains("list-type=2") {
        return wants_fewer(head, reads);
    }
    if !head.starts_with("GET /bucket/object ") {
        return b"HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n".to_vec();
    }
    assert!(head.contains("x-amz-checksum-mode: ENABLED"), "{head}");
    let mut content = vec![0; 16384];
    if reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 4 == 3 {
        content[8000] = 1;
    }
    let head =
        "HTTP/1.1 200 OK\r\nContent-Length: 16384\r\nx-amz-checksum-crc32c: lGQLhQ==\r\n\r\n";
    [head.as_bytes(), &content].concat()
}

/// What a gateway replies to a request itself.
type Answer = fn(&str) -> Option<&'static str>;

/// A gateway in front of a store: its port, and how many requests for a block went through it.
fn gateway_to(store: u16, answer: Answer) -> (u16, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    use std::sync::atomic::Ordering;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let reads = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = reads.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(client) = client else { return };
            let server = std::net::TcpStream::connect(("127.0.0.1", store)).expect("the store");
            let (mut from_server, mut to_client) = (
                server.try_clone().expect("a copy"),
                client.try_clone().expect("a copy"),
            );
            std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
            let counted = counted.clone();
            std::thread::spawn(move || {
                let (mut client, mut server) = (client, server);
                let mut bytes = [0; 16 << 10];
                while let Ok(count @ 1..) = client.read(&mut bytes) {
                    let text = String::from_utf8_lossy(&bytes[..count]);
                    counted.fetch_add(text.matches("GET /bucket/mine/").count(), Ordering::Relaxed);
                    if let Some(reply) = answer(&text) {
                        let _ = client.write_all(reply.as_bytes());
                        continue;
                    }
                    if server.write_all(&bytes[..count]).is_err() {
                        return;
                    }
                }
                let _ = server.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    (port, reads)
}

#[test]
fn several_endpoints_share_the_workers() {
    let Some(store) = Store::moto() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let gateways = [(); 2].map(|()| gateway_to(store.port(), |_| None));
    let [first, second] = gateways
        .each_ref()
        .map(|(port, _)| format!("http://127.0.0.1:{port}"));
    let line = format!(
        "run --target s3://bucket/mine --endpoint-url {first},{second} --pattern random-read --block 16k --size 256k --operations 80 --workers 2 --json --quiet --output out"
    );
    let summary = measured(plumb_at(store.port(), folder.path(), &line));
    assert_eq!(summary["steps"][0]["total"]["count"], 80);
    let reads = gateways.map(|(_, reads)| reads.load(std::sync::atomic::Ordering::Relaxed));
    // Each worker reads half of it.
    assert_eq!(reads, [40, 40]);
}
