//! Does the S3 client do what real servers understand, and does it survive those that are not real? moto, versitygw where it is installed, and lies.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../../testdata/peers/object_stores.rs"]
mod object_stores;
#[path = "../../../testdata/peers/ports.rs"]
mod ports;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use object_stores::{KEY, SECRET, Store};
use plumb_load::engine::stop_request::StopRequest;
use plumb_load::secret::Secret;
use plumb_load::share::{Share, ShareError, ShareErrorKind, SharedShare};
use plumb_load::shares::s3::bucket::Bucket;
use plumb_load::shares::s3::client::Client;
use plumb_load::shares::s3::connection::Patience;
use plumb_load::shares::s3::endpoint::Endpoint;
use plumb_load::shares::s3::service::Service;
use plumb_load::shares::s3::settings::Settings;
use plumb_load::shares::s3::signature::Credentials;

fn settings(port: u16) -> Settings {
    Settings {
        bucket: "bucket".into(),
        endpoint: Endpoint {
            is_https: false,
            host: "127.0.0.1".into(),
            port,
            base: String::new(),
        },
        region: "us-east-1".into(),
        path_style: true,
        credentials: Credentials {
            key_id: KEY.into(),
            secret: Secret::new(SECRET),
            token: None,
            origin: "environment",
            expires: None,
        },
    }
}

fn client(settings: Settings) -> Client {
    let remote = "s3://bucket/mine".parse().expect("an address");
    let stop = StopRequest::default();
    let mut service = Service::with(&remote, settings, &stop).expect("a service");
    service.patience = Patience {
        connect: Duration::from_secs(2),
        silence: Duration::from_millis(500),
        request: Duration::from_secs(1),
        bytes_per_s: 64 << 10,
    };
    Client::new(service, &stop)
}

/// Of a server that is not in a hurry.
fn patient(settings: Settings) -> Bucket {
    let mut client = client(settings);
    client.service.patience = Patience::default();
    Bucket::new(&"s3://bucket/mine".parse().expect("an address"), client).expect("a bucket")
}

fn bucket(port: u16) -> Bucket {
    let remote = "s3://bucket/mine".parse().expect("an address");
    Bucket::new(&remote, client(settings(port))).expect("a bucket")
}

fn sevens(share: &mut dyn Share, path: &str, is_new: bool, len: u64) -> Result<bool, ShareError> {
    let mut next = |_: u64, piece: &mut [u8]| {
        piece.fill(7);
        true
    };
    share.write_file(path, is_new, 0, len, &mut next)
}

#[test]
fn objects_are_made_listed_read_and_removed_and_what_is_foreign_stays() {
    for store in Store::start_all() {
        let mut bucket = patient(settings(store.port()));
        sevens(&mut bucket, "foreign", true, 10).expect("written");
        sevens(&mut bucket, "mine/foreign", true, 10).expect("written");
        assert_eq!(bucket.look_up("mine/x").expect("looked up"), None);
        bucket.make_folder("mine/.plumb-1").expect("made");
        let again = bucket.make_folder("mine/.plumb-1").expect_err("exists");
        assert_eq!(again.kind, ShareErrorKind::Exists);
        let folder = bucket
            .look_up("mine/.plumb-1")
            .expect("found")
            .expect("one");
        assert!(folder.is_folder);
        sevens(&mut bucket, "mine/.plumb-1/a b+ü%", true, 300_000).expect("written");
        // In three parts.
        sevens(&mut bucket, "mine/.plumb-1/large", true, 40 << 20).expect("written");
        let exists = sevens(&mut bucket, "mine/foreign", true, 1).expect_err("exists");
        assert_eq!(exists.kind, ShareErrorKind::Exists);
        let entries = bucket.list("mine/.plumb-1").expect("listed");
        let mut entries: Vec<(String, u64)> = entries
            .into_iter()
            .map(|entry| (entry.name, entry.size_bytes))
            .collect();
        entries.sort();
        assert_eq!(
            entries,
            [
                ("a b+ü%".to_string(), 300_000),
                ("large".to_string(), 40 << 20)
            ]
        );
        let read = bucket
            .read_file("mine/.plumb-1/large", 0, 1000)
            .expect("read");
        assert_eq!(read, vec![7; 1000]);
        sevens(&mut bucket, "mine/.plumb-1/none", true, 0).expect("written");
        let read = bucket
            .read_file("mine/.plumb-1/none", 0, 1000)
            .expect("read");
        assert!(read.is_empty());
        bucket.set_length("mine/.plumb-1/large", 0).expect("set");
        let partly = bucket
            .set_length("mine/.plumb-1/large", 5)
            .expect_err("partly");
        assert!(partly.to_string().contains("entirely"), "{partly}");
        let missing = bucket
            .read_file("mine/missing", 0, 10)
            .expect_err("missing");
        assert_eq!(missing.kind, ShareErrorKind::NotFound, "{missing}");
        // An upload that the user ends leaves nothing.
        let mut stops = |offset: u64, _: &mut [u8]| offset < 20 << 20;
        let stopped = bucket.write_file("mine/.plumb-1/ended", true, 0, 64 << 20, &mut stops);
        assert!(!stopped.expect("stopped"));
        assert_eq!(
            bucket.look_up("mine/.plumb-1/ended").expect("looked up"),
            None
        );
        let share = SharedShare::new(Box::new(bucket));
        share.remove_all("mine/.plumb-1").expect("removed");
        assert_eq!(share.lock().look_up("mine/.plumb-1").expect("gone"), None);
        for foreign in ["foreign", "mine/foreign"] {
            let found = share.lock().look_up(foreign).expect("looked up");
            assert_eq!(found.expect("still there").size_bytes, 10);
        }
        assert!(!store.log().is_empty());
    }
}

/// More names than a page of a list has.
#[test]
fn long_lists_come_in_pages() {
    let Some(store) = Store::versitygw().or_else(Store::moto) else {
        return;
    };
    let mut bucket = patient(settings(store.port()));
    for number in 0..1005 {
        sevens(&mut bucket, &format!("mine/{number}"), true, 1).expect("written");
    }
    assert_eq!(bucket.list("mine").expect("listed").len(), 1005);
}

/// versitygw checks signatures: what it says of wrong keys has its remedy.
#[test]
fn wrong_keys_and_buckets_are_explained() {
    let Some(store) = Store::versitygw() else {
        return;
    };
    let of = |change: fn(&mut Settings)| {
        let mut settings = settings(store.port());
        change(&mut settings);
        patient(settings)
            .list("mine")
            .expect_err("refused")
            .to_string()
    };
    let secret = of(|settings| settings.credentials.secret = Secret::new("wrong"));
    assert!(
        secret.contains("SignatureDoesNotMatch") && secret.contains("AWS_SECRET_ACCESS_KEY"),
        "{secret}"
    );
    let key = of(|settings| settings.credentials.key_id = "wrong".into());
    assert!(
        key.contains("HTTP 40") && key.contains("AWS_ACCESS_KEY_ID"),
        "{key}"
    );
    let name = of(|settings| settings.bucket = "another".into());
    assert!(
        name.contains("NoSuchBucket") && name.contains("endpoint-url"),
        "{name}"
    );
    for text in [&secret, &key, &name] {
        assert!(!text.contains(SECRET), "{text}");
    }
}

/// A server that replies to each request as `lie` does, given its head and its number; a connection that `lie` returns `false` for is closed.
fn liar(lie: impl Fn(&mut TcpStream, &str, usize) -> bool + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let mut number = 0;
        while let Ok((mut stream, _)) = listener.accept() {
            while let Some(head) = head(&mut stream) {
                number += 1;
                if !lie(&mut stream, &head, number) {
                    break;
                }
            }
        }
    });
    port
}

/// The head of a request, whose body is read too.
fn head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        (stream.read(&mut byte).ok()? == 1).then_some(())?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length = length.map_or(0, |length| length.parse().unwrap_or(0));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(head)
}

fn send(stream: &mut TcpStream, text: &str) -> bool {
    stream.write_all(text.as_bytes()).is_ok()
}

/// Peak of the memory of this process in bytes (VmHWM, proc_pid_status(5)); 0 where there is none.
fn peak_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.map(|line| line.trim().trim_end_matches(" kB").trim());
    number
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or(0)
        << 10
}

/// What listing, reading and writing against this server bring: all must end soon, in an error or not, without memory for what is only announced.
fn errors_of(port: u16) -> Vec<String> {
    let before = peak_bytes();
    let begun = Instant::now();
    let mut bucket = bucket(port);
    let mut errors = Vec::new();
    errors.extend(bucket.list("mine").err());
    errors.extend(bucket.read_file("mine/x", 0, 1000).err());
    errors.extend(sevens(&mut bucket, "mine/x", false, 1000).err());
    errors.extend(bucket.look_up("mine/x").err());
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    assert!(peak_bytes().saturating_sub(before) < 256 << 20);
    errors.iter().map(ToString::to_string).collect()
}

const EMPTY_LIST: &str = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nETag: \"1\"\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn servers_that_lie_end_in_an_error_each() {
    type Lie = fn(&mut TcpStream, &str, usize) -> bool;
    let lies: &[(&str, Lie)] = &[
        ("nothing was sent or received", |_, _, _| {
            std::thread::sleep(Duration::from_secs(2));
            false
        }),
        // One byte of a header now and then.
        ("not complete after", |stream, _, _| {
            for byte in "HTTP/1.1 200 OK\r\nx: "
                .chars()
                .chain(std::iter::repeat_n('y', 60))
            {
                std::thread::sleep(Duration::from_millis(50));
                if !send(stream, &byte.to_string()) {
                    return false;
                }
            }
            false
        }),
        ("headers of the reply are longer", |stream, _, _| {
            send(stream, "HTTP/1.1 200 OK\r\nx: ");
            while send(stream, &"y".repeat(10_000)) {}
            false
        }),
        // Heads before that of the reply, a thousand at once.
        ("headers of the reply are longer", |stream, _, _| {
            send(stream, &"HTTP/1.1 100 \r\n\r\n".repeat(10_000))
        }),
        ("not HTTP", |stream, _, _| {
            send(stream, "SSH-2.0-OpenSSH_9.2\r\n\r\n")
        }),
        ("not HTTP", |stream, _, _| {
            send(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            )
        }),
        ("closed the connection without a reply", |_, _, _| false),
        ("before its reply was complete", |stream, _, _| {
            send(
                stream,
                "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 100\r\n\r\nab",
            );
            false
        }),
        ("longer than", |stream, _, _| {
            send(
                stream,
                "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 99999999999\r\n\r\n",
            );
            while send(stream, &"y".repeat(10_000)) {}
            false
        }),
        ("chunks", |stream, _, _| {
            send(
                stream,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            )
        }),
        ("XML", |stream, _, _| {
            send(stream, &ok("<html>hello</html>"))
        }),
        ("XML", |stream, _, _| {
            send(stream, &ok(&"<a>".repeat(20_000)))
        }),
        ("redirects to http://elsewhere", |stream, _, _| {
            send(
                stream,
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n",
            )
        }),
        ("region=eu-west-1", |stream, _, _| {
            send(
                stream,
                "HTTP/1.1 301 Moved\r\nx-amz-bucket-region: eu-west-1\r\nContent-Length: 0\r\n\r\n",
            )
        }),
        ("fewer requests", |stream, _, _| {
            send(
                stream,
                "HTTP/1.1 503 Slow Down\r\nContent-Length: 42\r\n\r\n<Error><Code>SlowDown</Code></Error>      ",
            )
        }),
        (
            "clocks of this machine and the server differ",
            |stream, _, _| {
                let body = "<Error><Code>RequestTimeTooSkewed</Code></Error>";
                send(
                    stream,
                    &format!(
                        "HTTP/1.1 403 Forbidden\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\nContent-Length: {}\r\n\r\n{body}",
                        body.len()
                    ),
                )
            },
        ),
    ];
    for (expected, lie) in lies {
        let errors = errors_of(liar(lie));
        assert!(
            errors.iter().any(|error| error.contains(expected)),
            "{expected}: {errors:#?}"
        );
    }
}

#[test]
fn lists_that_do_not_end_are_given_up() {
    // The same page again and again, and pages with new tokens and nothing in them.
    let same = liar(|stream, _, _| {
        send(
            stream,
            &ok(
                "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
            ),
        )
    });
    let empty = liar(|stream, _, number| {
        send(
            stream,
            &ok(&format!(
                "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>{number}</NextContinuationToken></ListBucketResult>"
            )),
        )
    });
    for port in [same, empty] {
        let error = bucket(port).list("mine").expect_err("endless").to_string();
        assert!(error.contains("does not end"), "{error}");
    }
}

#[test]
fn what_a_server_stores_is_compared_by_its_etag_and_foreign_keys_are_refused() {
    let etag = liar(|stream, head, _| match head.starts_with("HEAD") {
        true => send(
            stream,
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        ),
        false => send(
            stream,
            "HTTP/1.1 200 OK\r\nETag: \"00000000000000000000000000000000\"\r\nContent-Length: 0\r\n\r\n",
        ),
    });
    let error = sevens(&mut bucket(etag), "mine/x", true, 1000)
        .expect_err("another")
        .to_string();
    assert!(error.contains("MD5"), "{error}");
    let foreign = liar(|stream, _, _| {
        send(
            stream,
            &ok(
                "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>other/x</Key><Size>1</Size></Contents></ListBucketResult>",
            ),
        )
    });
    let error = bucket(foreign)
        .list("mine")
        .expect_err("foreign")
        .to_string();
    assert!(error.contains("XML document"), "{error}");
}

/// A server closes connections that are idle: the next request is sent on another, once.
#[test]
fn an_idle_connection_that_was_closed_is_replaced() {
    let port = liar(|stream, _, _| {
        send(stream, &ok(EMPTY_LIST));
        false
    });
    let mut bucket = bucket(port);
    for _ in 0..5 {
        assert_eq!(bucket.list("mine").expect("listed"), []);
        std::thread::sleep(Duration::from_millis(20));
    }
}
