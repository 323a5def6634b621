//! Does `plumb serve` show the library to clients with the token, and refuse all others?

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::{left_in, output_of, plumb_in};

/// `plumb serve` on a free port of the loopback, ended by a signal when it is dropped.
pub struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
    pub token: String,
    said: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves `library` within `folder`, with these words besides.
    pub fn start(folder: &Path, words: &str) -> Server {
        let line = format!("serve library --listen 127.0.0.1:0 {words}");
        let prepared = plumb_in(folder, &line);
        let mut command = Command::new(prepared.get_program());
        command
            .args(prepared.get_args())
            .current_dir(folder)
            .env("PLUMB_LANGUAGE", "en");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut lines = BufReader::new(child.stderr.take().expect("piped"))
            .lines()
            .map_while(Result::ok);
        let open = lines
            .by_ref()
            .find(|line| line.starts_with("open "))
            .expect("it says how to open it");
        let address = open
            .trim_start_matches("open http://")
            .split('/')
            .next()
            .expect("an address")
            .to_string();
        let token = open.split("token=").nth(1).unwrap_or_default().to_string();
        let said = Arc::new(Mutex::new(Vec::new()));
        let kept = said.clone();
        // Somebody must read what it says, or it would wait for a reader.
        std::thread::spawn(move || lines.for_each(|line| kept.lock().expect("kept").push(line)));
        Server {
            child,
            address,
            token,
            said,
        }
    }

    /// Sends these bytes, and returns status, head and body. A connection that is closed without a word gives status 0.
    pub fn send(&self, bytes: &[u8]) -> (u16, String, String) {
        let mut stream = self.connect();
        // Who refuses early may close before all is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        (status, head.to_lowercase(), body.to_string())
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("timeout");
        stream
    }

    /// A request with these lines in its head.
    pub fn ask(
        &self,
        method: &str,
        path: &str,
        lines: &[&str],
        body: &str,
    ) -> (u16, String, String) {
        let host = format!("Host: {}", self.address);
        let named = lines.iter().any(|line| line.starts_with("Host:"));
        let mut head: Vec<&str> = lines.to_vec();
        if !named {
            head.push(&host);
        }
        let length = if method == "POST" {
            format!("Content-Length: {}\r\n", body.len())
        } else {
            String::new()
        };
        self.send(
            format!(
                "{method} {path} HTTP/1.1\r\n{}\r\n{length}Connection: close\r\n\r\n{body}",
                head.join("\r\n")
            )
            .as_bytes(),
        )
    }

    /// The head line that shows that a script has the token.
    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    /// A page, as one with the token sees it.
    pub fn page(&self, path: &str) -> (u16, String) {
        let (status, _, body) = self.ask("GET", path, &[&self.bearer()], "");
        (status, body)
    }

    /// The page with this status.
    pub fn shown(&self, path: &str) -> String {
        let (status, body) = self.page(path);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// The keys of the runs of the list, in its order.
    pub fn keys(&self) -> Vec<String> {
        let list = self.shown("/");
        list.split("name=\"run\" value=\"")
            .skip(1)
            .map(|rest| rest[..16].to_string())
            .collect()
    }

    /// The cookie that the token gives.
    fn cookie(&self) -> String {
        let (status, head, _) = self.ask("GET", &format!("/?token={}", self.token), &[], "");
        assert_eq!(status, 303, "{head}");
        let line = head
            .lines()
            .find(|line| line.starts_with("set-cookie:"))
            .expect("a cookie");
        line.trim_start_matches("set-cookie: ")
            .split(';')
            .next()
            .expect("a value")
            .to_string()
    }

    /// Ends it as Ctrl-C does; its exit code.
    pub fn interrupt(&mut self) -> Option<i32> {
        let _ = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        self.child.wait().expect("ended").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

/// A quick run of a plan called `other`.
pub fn other_into(folder: &Path, name: &str, words: &str) -> PathBuf {
    let plan = "name = 'other'\n[[step]]\nname = 'reads'\n";
    std::fs::write(folder.join("other.toml"), plan).expect("written");
    run_into(folder, name, &format!("{words} other.toml"))
}

/// A quick run into `library/NAME` of the folder.
pub fn run_into(folder: &Path, name: &str, words: &str) -> PathBuf {
    std::fs::create_dir_all(folder.join("library")).expect("folder");
    std::fs::create_dir_all(folder.join("data")).expect("folder");
    let line = format!(
        "run --target data --pattern random-read --block 4k --size 1m --time 200ms --warm-up 0s --interval 50ms --quiet --no-report --output library/{name} {words}"
    );
    let output = plumb_in(folder, &line).output().expect("started");
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder.join("library").join(name)
}

#[test]
fn nobody_without_the_token_sees_anything() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "one", "");
    let server = Server::start(folder.path(), "");
    assert_eq!(server.token.len(), 48, "24 random bytes");
    let key = server.keys().remove(0);
    for path in [
        "/",
        "/script.js",
        "/trend",
        &format!("/run/{key}"),
        &format!("/run/{key}/part"),
        "/?token=wrong",
        "/nowhere",
    ] {
        let (status, head, body) = server.ask("GET", path, &[], "");
        assert_eq!(status, 401, "{path}");
        assert!(
            !head.contains("set-cookie") && !body.contains(&key),
            "{path}: {body}"
        );
    }
    let other = match server.token.ends_with('0') {
        true => '1',
        false => '0',
    };
    let wrong = format!("Authorization: Bearer {}{other}", &server.token[..47]);
    assert_eq!(server.ask("GET", "/", &[&wrong], "").0, 401);
    let (status, head, _) = server.ask(
        "GET",
        &format!("/run/{key}?token={}", server.token),
        &[],
        "",
    );
    assert_eq!(status, 303, "{head}");
    let line = |name: &str| {
        head.lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_default()
            .to_string()
    };
    assert_eq!(line("location:"), format!("location: /run/{key}"));
    let cookie = line("set-cookie:");
    assert!(
        cookie.contains("httponly")
            && cookie.contains("samesite=strict")
            && !cookie.contains(&server.token),
        "{cookie}"
    );
    assert_eq!(line("referrer-policy:"), "referrer-policy: no-referrer");
    let cookie = format!("Cookie: {}", server.cookie());
    let (status, head, _) = server.ask("GET", "/", &[&cookie], "");
    assert_eq!(status, 200, "the cookie goes on");
    assert!(
        head.contains("frame-ancestors 'none'")
            && head.contains("default-src 'none'")
            && !head.contains("script-src 'unsafe-inline'"),
        "{head}"
    );
    let (status, head, _) = server.ask("POST", "/login", &[], &format!("token={}", server.token));
    assert!(status == 303 && head.contains("set-cookie"), "{head}");
    assert_eq!(server.ask("POST", "/login", &[], "token=wrong").0, 401);
    assert_eq!(
        *server.said.lock().expect("kept"),
        Vec::<String>::new(),
        "nothing is logged, the token least of all"
    );
}

#[test]
fn a_token_from_a_file_is_never_printed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("library")).expect("folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "a token for tests only\n").expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("mode");
    let server = Server::start(folder.path(), "--token-file token");
    assert_eq!(server.token, "", "it is not said");
    let (status, _, body) = server.ask(
        "GET",
        "/",
        &["Authorization: Bearer a token for tests only"],
        "",
    );
    assert!(
        status == 200 && body.contains("There are no runs here yet"),
        "{body}"
    );
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("mode");
    let refused = crate::refusal_of(plumb_in(folder.path(), "serve library --token-file token"));
    assert!(refused.contains("readable by other users"), "{refused}");
}

#[test]
fn requests_of_other_hosts_and_sites_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "one", "");
    let server = Server::start(folder.path(), "--name lab.example");
    let cookie = format!("Cookie: {}", server.cookie());
    let port = server.address.rsplit(':').next().expect("port");
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "lab.example.evil",
    ] {
        let host = format!("Host: {host}:{port}");
        assert_eq!(
            server.ask("GET", "/", &[&host, &cookie], "").0,
            403,
            "{host}"
        );
    }
    let ours = format!("Host: {}", server.address);
    assert_eq!(
        server
            .ask("GET", "/", &[&ours, "Host: evil.example", &cookie], "")
            .0,
        403,
        "two hosts"
    );
    assert_eq!(
        server
            .send(format!("GET / HTTP/1.0\r\n{cookie}\r\n\r\n").as_bytes())
            .0,
        403,
        "no host"
    );
    assert_eq!(
        server
            .send(
                format!("GET http://evil.example/ HTTP/1.1\r\n{ours}\r\n{cookie}\r\n\r\n")
                    .as_bytes()
            )
            .0,
        400,
        "as a proxy"
    );
    for host in ["Host: lab.example", "Host: localhost:1", "Host: [::1]:80"] {
        assert_eq!(
            server.ask("GET", "/", &[host, &cookie], "").0,
            200,
            "{host}"
        );
    }
}

#[test]
fn what_changes_something_must_come_from_a_page_of_the_server() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "one", "");
    let server = Server::start(folder.path(), "--allow-run latency --allow-target data");
    let cookie = format!("Cookie: {}", server.cookie());
    // Neither the cookie nor a form of another page is enough.
    let page = server.ask("GET", "/", &[&cookie], "").2;
    let key = page
        .split("name=\"plumb-key\" content=\"")
        .nth(1)
        .expect("a key")[..64]
        .to_string();
    let key = format!("X-Plumb-Key: {key}");
    let start = |lines: &[&str]| server.ask("POST", "/start", lines, "plan=0&target=0").0;
    let (evil, cross) = ("Origin: http://evil.example", "Sec-Fetch-Site: cross-site");
    assert_eq!(start(&[&cookie]), 403, "no key");
    assert_eq!(start(&[&key]), 401, "no cookie");
    assert_eq!(start(&[&cookie, &key, evil]), 403);
    assert_eq!(start(&[&cookie, &key, "Origin: null"]), 403);
    assert_eq!(start(&[&cookie, &key, cross]), 403);
    let fetched = [&cookie, cross, "Sec-Fetch-Mode: cors"];
    assert_eq!(server.ask("GET", "/", &fetched, "").0, 403);
    let same = format!("Origin: http://{}", server.address);
    assert_eq!(
        server.ask("POST", "/stop", &[&cookie, &key, &same], "").0,
        409,
        "it comes in: there is nothing to stop"
    );
    assert_eq!(
        left_in(&folder.path().join("library")),
        ["one"],
        "nothing was started"
    );
}

#[test]
fn malformed_large_and_slow_requests_hold_nobody_up() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "one", "");
    let server = Server::start(folder.path(), "");
    let bearer = server.bearer();
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"] {
        assert_eq!(server.ask(method, "/", &[&bearer], "").0, 405, "{method}");
    }
    assert_eq!(server.ask("POST", "/login", &[], &"x".repeat(5000)).0, 413);
    let long = format!("X-Long: {}", "x".repeat(40_000));
    assert_eq!(server.ask("GET", "/", &[&bearer, &long], "").0, 431);
    let many = vec!["X-Many: x"; 200];
    assert_eq!(server.ask("GET", "/", &many, "").0, 431);
    for garbage in ["\0\0\0\0\r\n\r\n", "GET / HTTP/1.1 x\r\n\r\n", "{}\n\n"] {
        assert!(
            matches!(server.send(garbage.as_bytes()).0, 0 | 400),
            "{garbage:?}"
        );
    }
    // A length and chunks at the same time: two readers would see two requests.
    let both = format!(
        "POST /stop HTTP/1.1\r\nHost: {}\r\n{bearer}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        server.address
    );
    assert_eq!(server.send(both.as_bytes()).0, 400);
    // Connections that say nothing, and one that goes on for ever with its head.
    let mut idle: Vec<TcpStream> = (0..60).map(|_| server.connect()).collect();
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").expect("sent");
    assert_eq!(server.page("/").0, 200, "others are served beside them");
    for _ in 0..100 {
        idle.push(server.connect());
    }
    let mut end = [0; 16];
    let gone = slow.read(&mut end);
    assert!(
        matches!(gone, Ok(0))
            || (gone.is_ok() && end.starts_with(b"HTTP/1.1 408"))
            || gone.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset),
        "a slow head ends"
    );
    for stream in &mut idle {
        let closed = stream.read(&mut end);
        assert!(
            !matches!(&closed, Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)),
            "an idle connection is closed: {closed:?}"
        );
    }
    assert_eq!(server.page("/").0, 200);
}

/// What tries to leave the library, or to name a file in it.
const PATHS: [&str; 22] = [
    "/../../../../etc/passwd",
    "/run/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/run/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "//etc/passwd",
    "/run//etc/passwd",
    "/run/..",
    "/run/..%5c..%5cwindows%5cwin.ini",
    "/run/..\\..\\windows\\win.ini",
    "/run/C:%5CWindows",
    "/run/CON",
    "/run/NUL.txt",
    "/run/elsewhere",
    "/run/library%2Finner",
    "/run/inner",
    "/library/inner/run.json",
    "/run.json",
    "/run/%00",
    "/run/....//....//etc/passwd",
    "/run/%c0%ae%c0%ae/",
    "/token",
    "/.git/config",
];

#[test]
fn no_path_leads_out_of_the_library() {
    let folder = tempfile::tempdir().expect("folder");
    let run = run_into(folder.path(), "inner", "");
    let outside = run_into(folder.path(), "outer", "--tag outside");
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(&outside, &elsewhere).expect("moved");
    let library = folder.path().join("library");
    std::os::unix::fs::symlink(&elsewhere, library.join("linked")).expect("a link");
    std::os::unix::fs::symlink("/", library.join("root")).expect("a link");
    // A run whose header lies elsewhere, and one whose intervals never end.
    for name in ["borrowed", "endless"] {
        std::fs::create_dir(library.join(name)).expect("folder");
    }
    std::os::unix::fs::symlink(
        elsewhere.join("run.json"),
        library.join("borrowed/run.json"),
    )
    .expect("a link");
    std::fs::copy(run.join("run.json"), library.join("endless/run.json")).expect("copied");
    let made = Command::new("mkfifo")
        .arg(library.join("endless/ticks.jsonl"))
        .status()
        .expect("mkfifo");
    assert!(made.success());
    let server = Server::start(folder.path(), "");
    let keys = server.keys();
    assert_eq!(keys.len(), 1, "only the run that lies in the library");
    let list = server.shown("/");
    assert!(
        !list.contains("outside") && list.contains("2 symbolic links were not followed"),
        "{list}"
    );
    assert_eq!(
        list.matches("something other than a regular file").count(),
        2,
        "{list}"
    );
    let key = &keys[0];
    let under = [
        format!("/run/{key}/run.json"),
        format!("/run/{key}/../{key}"),
        format!("/run/{key}%00"),
        format!("/run/{key}/live/../part"),
        format!("/run/{key}/"),
    ];
    for path in PATHS.iter().map(|path| path.to_string()).chain(under) {
        let (status, body) = server.page(&path);
        assert!(matches!(status, 400 | 404), "{path}: {status}");
        assert!(
            !body.contains("root:x:") && !body.contains("\"format\""),
            "{path}: {body}"
        );
    }
    assert_eq!(
        server
            .page(&format!("/compare?run={key}&run=..%2F..%2Felsewhere"))
            .0,
        404
    );
    assert_eq!(
        server.page(&format!("/run/{key}")).0,
        200,
        "what lies in it is shown"
    );
}

#[test]
fn a_damaged_or_hostile_record_shows_a_message_and_the_server_goes_on() {
    let folder = tempfile::tempdir().expect("folder");
    let whole = run_into(folder.path(), "whole", "--tag <script>alert(1)</script>");
    let library = folder.path().join("library");
    let header = std::fs::read(whole.join("run.json")).expect("read");
    let copy = |name: &str, header: &[u8]| {
        let to = library.join(name);
        std::fs::create_dir(&to).expect("folder");
        std::fs::write(to.join("run.json"), header).expect("written");
        for file in ["ticks.jsonl", "notes.jsonl", "readings.jsonl"] {
            std::fs::copy(whole.join(file), to.join(file)).expect("copied");
        }
        to
    };
    copy("cut", &header[..header.len() / 2]);
    copy("deep", "[".repeat(200_000).as_bytes());
    copy("empty", b"");
    let huge = copy("huge", b"{");
    std::fs::OpenOptions::new()
        .write(true)
        .open(huge.join("run.json"))
        .and_then(|file| file.set_len(1 << 40))
        .expect("a hole");
    let long = copy("long", &header);
    std::fs::OpenOptions::new()
        .write(true)
        .open(long.join("ticks.jsonl"))
        .and_then(|file| file.set_len(1 << 40))
        .expect("a hole");
    let garbled = copy("garbled", &header);
    std::fs::write(
        garbled.join("ticks.jsonl"),
        b"{\"e\":4294967295,\"t\":[0,18446744073709551615],\"k\":[]}\nnonsense\n\xff\xfe\n",
    )
    .expect("written");
    std::fs::write(garbled.join("notes.jsonl"), b"{\"time_ns\":1,\"event\":\"execution_started\",\"execution\":0,\"step\":4000000000,\"round\":4000000000}\n").expect("written");
    let server = Server::start(folder.path(), "");
    let list = server.shown("/");
    for name in ["cut", "deep", "empty", "huge", "long"] {
        assert!(
            list.contains("not read: ") && list.contains(&format!("library/{name}")),
            "{name}: {list}"
        );
    }
    assert!(
        list.contains("&lt;script&gt;alert(1)") && !list.contains("<script>alert"),
        "markup in a tag is text"
    );
    let keys = server.keys();
    assert_eq!(keys.len(), 2, "the whole one and the garbled one");
    for key in &keys {
        let report = server.shown(&format!("/run/{key}"));
        assert!(!report.contains("<script>alert"), "{report}");
        assert_eq!(server.page(&format!("/run/{key}/live")).0, 200);
    }
    assert_eq!(
        server
            .page(&format!("/compare?run={}&run={}", keys[0], keys[1]))
            .0,
        200
    );
}

#[test]
fn a_run_that_is_removed_or_damaged_while_it_is_served_is_missed_by_nobody() {
    let folder = tempfile::tempdir().expect("folder");
    let (damaged, removed) = (
        run_into(folder.path(), "a", ""),
        run_into(folder.path(), "b", ""),
    );
    let server = Server::start(folder.path(), "");
    let keys = server.keys();
    std::fs::write(damaged.join("run.json"), b"{").expect("written");
    std::fs::remove_dir_all(&removed).expect("removed");
    for key in &keys {
        let (status, _) = server.page(&format!("/run/{key}"));
        assert!(matches!(status, 404 | 422), "{key}: {status}");
    }
    assert_eq!(server.page("/").0, 200);
}

#[test]
fn pages_are_those_that_the_commands_write() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["a", "b"] {
        run_into(folder.path(), name, "--set rounds=2");
    }
    other_into(folder.path(), "c", "--tag lab");
    let server = Server::start(folder.path(), "");
    let keys = server.keys();
    assert_eq!(keys.len(), 3);
    let key_of_b = &keys[1];
    output_of(
        plumb_in(folder.path(), "report library/b --output b.html"),
        0,
    );
    let written = std::fs::read_to_string(folder.path().join("b.html")).expect("a page");
    let shown = server.shown(&format!("/run/{key_of_b}"));
    let (before, rest) = shown
        .split_once("<style>body>.serve-bar")
        .expect("a line that leads back");
    let after = rest.split_once("</p>\n").expect("its end").1;
    assert_eq!(format!("{before}{after}"), written);
    for script in written.split("<script>").skip(1) {
        let script = script.split("</script>").next().unwrap_or_default();
        assert!(
            plumb_show::report::SCRIPTS.contains(&script),
            "the policy lets a browser run the scripts of report::SCRIPTS alone: {script}"
        );
    }
    for (path, text) in [
        (
            format!("/compare?run={}&run={}", keys[1], keys[2]),
            "plumb compare",
        ),
        ("/trend?plan=ad-hoc".to_string(), "plumb trend"),
        ("/trend".to_string(), "Select:"),
    ] {
        assert!(
            server.shown(&path).contains(text),
            "{path}: {}",
            server.shown(&path)
        );
    }
}

#[test]
fn the_list_has_the_filters_of_the_command() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["a", "b"] {
        run_into(folder.path(), name, "");
    }
    other_into(folder.path(), "c", "--tag lab");
    let server = Server::start(folder.path(), "");
    let rows = |query: &str| {
        server
            .shown(&format!("/?{query}"))
            .matches("name=\"run\" value=")
            .count()
    };
    for (query, expected) in [
        ("", 3),
        ("tag=lab", 1),
        ("plan=oth*", 1),
        ("plan=ad-hoc", 2),
        ("target=data", 3),
        ("target=nowhere", 0),
        ("since=1h", 3),
        ("since=2099-01-01", 0),
        ("until=2001-01-01", 0),
        ("host=*", 3),
        ("host=nobody", 0),
        ("plan=ad-hoc&tag=lab", 0),
        ("plan=", 3),
    ] {
        assert_eq!(rows(query), expected, "{query}");
    }
    let misunderstood = server.shown("/?since=yesterday-ish");
    assert!(
        misunderstood.contains("is neither a date nor an age"),
        "{misunderstood}"
    );
    for (query, status) in [
        ("run=1", 400),
        ("run=0000000000000000&run=1111111111111111", 404),
        ("run=%zz", 400),
    ] {
        assert_eq!(
            server.page(&format!("/compare?{query}")).0,
            status,
            "{query}"
        );
    }
}
