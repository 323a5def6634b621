//! Does `plumb serve` show a run while it is recorded, and start and stop only allowed runs?

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::serve::{Server, run_into};
use crate::{json_of, left_in, plumb_in, refusal_of};

/// A plan of one step that goes on for longer than any test.
pub const LONG: &str = "name = 'long'\nrounds = 1\n[[step]]\nname = 'reads'\npattern = 'random-read'\nblock = '4k'\nsize = '1m'\ntime = '10m'\nwarm-up = '0s'\ninterval = '50ms'\n";

/// Asks again until the answer is there.
pub fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = ask() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{what} did not come");
}

/// The moments in seconds at which the intervals of a record end.
pub fn moments(run: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(run.join("ticks.jsonl")).unwrap_or_default();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let end = |tick: Value| Some(tick["t"][0].as_u64()? + tick["t"][1].as_u64()?);
    lines
        .filter_map(end)
        .map(|ns| format!("{:.3}", ns as f64 / 1e9))
        .collect()
}

/// The moment of the last interval that a live page shows.
pub fn moment_of(page: &str) -> Option<String> {
    let at = page
        .split("data-at=\"")
        .nth(1)?
        .split('"')
        .next()?
        .to_string();
    (at != "0.000").then_some(at)
}

struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

#[test]
fn a_run_of_another_process_is_shown_as_it_is_recorded() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "old", "");
    let server = Server::start(folder.path(), "");
    std::fs::write(folder.path().join("long.toml"), LONG).expect("written");
    let prepared = plumb_in(
        folder.path(),
        "run long.toml data --quiet --no-report --output library/now",
    );
    let mut command = Command::new(prepared.get_program());
    command
        .args(prepared.get_args())
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = Ended(command.spawn().expect("started"));
    let key = eventually("the run", || {
        Some(server.keys())
            .filter(|keys| keys.len() == 2)
            .map(|mut keys| keys.remove(0))
    });
    let part = || server.shown(&format!("/run/{key}/part"));
    let first = eventually("an interval", || moment_of(&part()));
    let later = eventually("a later one", || {
        moment_of(&part()).filter(|moment| *moment != first)
    });
    let recorded = moments(&folder.path().join("library/now"));
    assert!(
        recorded.contains(&first) && recorded.contains(&later),
        "{first} and {later} are in the record: {recorded:?}"
    );
    assert!(server.shown("/").contains(">running<"), "the list says so");
    assert!(!part().contains("data-end"));
    let killed = Command::new("kill")
        .arg(child.0.id().to_string())
        .status()
        .expect("kill");
    assert!(killed.success() && child.0.wait().is_ok());
    eventually("its end", || part().contains("data-end").then_some(()));
    let report = server.shown(&format!("/run/{key}"));
    assert!(report.contains("interrupted"), "{report}");
}

#[test]
fn a_server_that_allows_nothing_starts_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "old", "");
    let server = Server::start(folder.path(), "");
    for path in ["/start", "/stop"] {
        let (status, _, body) = server.ask("POST", path, &[&server.bearer()], "plan=0&target=0");
        assert_eq!(status, 403, "{path}");
        assert!(
            body.contains("This server only shows runs") && body.contains("--allow-run"),
            "{body}"
        );
    }
    assert!(!server.shown("/").contains("data-post"));
    assert_eq!(left_in(&folder.path().join("library")), ["old"]);
    for (line, text) in [
        ("serve library --allow-run check", "--allow-target"),
        (
            "serve library --allow-run nosuch --allow-target data",
            "no built-in plan 'nosuch'",
        ),
        ("serve nowhere", "no such folder"),
        ("serve library --listen foo", "address of this host"),
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(refused.contains(text), "{line}: {refused}");
    }
}

/// The key of the run that was started, when it has an interval.
fn started(server: &Server) -> String {
    let bearer = server.bearer();
    let key = eventually("the run", || {
        let (_, head, _) = server.ask("GET", "/running", &[&bearer], "");
        let line = head
            .lines()
            .find(|line| line.starts_with("location: /run/"))?
            .to_string();
        Some(line.split('/').nth(2)?.to_string())
    });
    eventually("an interval", || {
        moment_of(&server.shown(&format!("/run/{key}/part")))
    });
    key
}

#[test]
fn what_is_allowed_is_started_and_stopped_and_its_record_kept() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "old", "");
    std::fs::write(folder.path().join("long.toml"), LONG).expect("written");
    let mut server = Server::start(folder.path(), "--allow-run long.toml --allow-target data");
    let bearer = server.bearer();
    let post = |path: &str, body: &str| {
        let (status, _, body) = server.ask("POST", path, &[&bearer], body);
        (status, body)
    };
    for form in [
        "plan=1&target=0",
        "plan=0&target=1",
        "plan=check&target=0",
        "plan=0&target=/etc",
        "plan=0&target=-1",
        "",
        "plan=0",
    ] {
        let (status, body) = post("/start", form);
        assert_eq!(status, 403, "{form}: {body}");
    }
    assert_eq!(post("/stop", "").0, 409);
    assert_eq!(
        post("/start", "plan=0&target=0"),
        (200, "/running".to_string())
    );
    let key = started(&server);
    assert_eq!(post("/start", "plan=0&target=0").0, 409, "one at a time");
    assert!(
        server
            .shown(&format!("/run/{key}/live"))
            .contains("data-post=\"/stop\"")
    );
    assert_eq!(post("/stop", "").0, 200);
    eventually("its end", || {
        server
            .shown(&format!("/run/{key}/part"))
            .contains("data-end")
            .then_some(())
    });
    eventually("a free place", || {
        (post("/stop", "").0 == 409).then_some(())
    });
    assert_eq!(
        left_in(&folder.path().join("data")),
        Vec::<String>::new(),
        "what the run made is removed"
    );
    // Another one, which the end of the server ends.
    assert_eq!(post("/start", "plan=0&target=0").0, 200);
    let second = started(&server);
    assert_ne!(second, key);
    assert_eq!(server.interrupt(), Some(0));
    assert_eq!(left_in(&folder.path().join("data")), Vec::<String>::new());
    let library = json_of(
        plumb_in(folder.path(), "list library --plan long --json"),
        0,
    );
    let states: Vec<&str> = library["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|run| run["state"].as_str())
        .collect();
    assert_eq!(states, ["interrupted", "interrupted"]);
}

#[test]
fn a_plan_that_cannot_be_carried_out_says_why() {
    let folder = tempfile::tempdir().expect("folder");
    run_into(folder.path(), "old", "");
    std::fs::write(folder.path().join("writes.toml"), "name = 'writes'\n[[step]]\nname = 'w'\npattern = 'random-write'\nblock = '4k'\ntime = '100ms'\n").expect("written");
    std::fs::write(folder.path().join("mine"), vec![7; 1 << 20]).expect("written");
    let server = Server::start(folder.path(), "--allow-run writes.toml --allow-target mine");
    assert_eq!(
        server
            .ask("POST", "/start", &[&server.bearer()], "plan=0&target=0")
            .0,
        200
    );
    let list = eventually("the reason", || {
        Some(server.shown("/")).filter(|list| list.contains("could not run"))
    });
    assert!(list.contains("writes.toml on mine"), "{list}");
    assert_eq!(
        std::fs::read(folder.path().join("mine")).expect("read"),
        vec![7; 1 << 20],
        "a file that is there is not overwritten"
    );
    assert_eq!(left_in(&folder.path().join("library")), ["old"]);
}
