//! Are shares measured, examined and refused correctly? On a Samba server of the tests.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

use crate::ganesha::Ganesha;
use crate::samba::{PASSWORD, Samba, Section, is_installed};
use crate::{json_of, left_in, plumb_in, refusal_of};

fn with_password(folder: &Path, line: &str, password: &str) -> Command {
    let mut command = plumb_in(folder, line);
    command.env("PLUMB_PASSWORD", password);
    command
}

fn fact<'a>(facts: &'a Value, id: &str) -> &'a Value {
    let fact = facts
        .get(id)
        .and_then(Value::as_object)
        .unwrap_or_else(|| panic!("no {id} in {facts}"));
    fact.iter()
        .find(|(known, _)| *known != "unknown")
        .map(|(_, value)| value)
        .unwrap_or_else(|| panic!("{id} is unknown: {fact:?}"))
}

#[test]
fn check_measures_a_folder_of_a_share_and_leaves_it_as_it_was() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    let line = format!(
        "check {} --time 2s --size 16m --json --quiet --output out",
        server.address("share")
    );
    let summary = crate::measured(with_password(folder.path(), &line, PASSWORD));
    let steps = summary["steps"].as_array().expect("steps");
    for wanted in ["sequential-read", "random-write", "create", "delete"] {
        let step = steps.iter().find(|step| {
            step["name"]
                .as_str()
                .is_some_and(|name| name.starts_with(wanted))
        });
        let step = step.unwrap_or_else(|| panic!("no {wanted} in {summary}"));
        assert!(
            step["total"]["count"].as_u64().expect("count") > 0,
            "{step}"
        );
        assert_eq!(step["engine"], "smb");
    }
    assert!(
        left_in(&server.share()).is_empty(),
        "{:?}",
        left_in(&server.share())
    );
    let record = std::fs::read_to_string(folder.path().join("out/report.html")).expect("page");
    assert!(
        record.contains("3.1.1") && !record.contains(PASSWORD),
        "the page tells the dialect, and never the password"
    );
}

#[test]
fn check_reads_a_file_of_a_share_and_changes_nothing() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    let content: Vec<u8> = (0..16u32 << 20).map(|at| (at / 4096) as u8).collect();
    std::fs::write(server.share().join("file"), &content).expect("file");
    let line = format!(
        "check {} --time 1s --json --quiet --no-report",
        server.address("share/file")
    );
    let summary = crate::measured(with_password(folder.path(), &line, PASSWORD));
    assert!(
        summary["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .all(|step| step["operations"].get("write").is_none()),
        "{summary}"
    );
    assert!(
        std::fs::read(server.share().join("file")).expect("file") == content,
        "the file was changed"
    );
}

#[test]
fn what_is_done_on_a_share_is_exported_in_the_counters_of_windows() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    std::fs::write(server.share().join("file"), vec![7u8; 4 << 20]).expect("file");
    let address = server.address("share/file");
    let line = format!(
        "run --target {address} --pattern random-read --block 4k --depth 4 --time 2s --json --quiet --no-report --output r"
    );
    let summary = crate::measured(with_password(folder.path(), &line, PASSWORD));
    let measured = summary["steps"][0]["total"]["count"]
        .as_f64()
        .expect("count");
    crate::output_of(
        plumb_in(folder.path(), "export r --format pdh-csv --output r.csv"),
        0,
    );
    let recording = json_of(plumb_in(folder.path(), "show r.csv --json"), 0);
    let tables = recording["tables"].as_array().expect("tables");
    let table = tables.iter().find(|of| of["group"] == "smb_client_share");
    let rows = table.expect("a table")["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| row["kind"] == "read")
        .expect("reads");
    assert_eq!(row["instance"], "\\127.0.0.1\\share");
    let seconds = recording["span_ns"].as_f64().expect("span") / 1e9;
    let value = |at: usize| row["values"][at].as_f64().expect("a value");
    // Those of the warm-up are among them.
    assert!(value(0) * seconds > 0.95 * measured, "{row} {measured}");
    assert_eq!(value(2), 4096.0);
    // Little's law holds of the counters among themselves, and the depth bounds them.
    assert!(
        (value(4) - value(0) * value(3) / 1e9).abs() < 0.01 * value(4),
        "{row}"
    );
    assert!(value(4) > 0.5 && value(4) < 4.1, "{row}");

    // Looked at without the way over a file, they are the same.
    let watched = json_of(plumb_in(folder.path(), "watch r --json"), 0);
    let tables = watched["tables"].as_array().expect("tables");
    let table = tables.iter().find(|of| of["group"] == "smb_client_share");
    let rows = table.expect("a table")["rows"].as_array().expect("rows");
    let reads = rows.iter().find(|row| row["kind"] == "read");
    let of_run = reads.expect("reads")["values"][0].as_f64().expect("a rate");
    assert!((of_run / value(0) - 1.0).abs() < 0.01, "{of_run}: {row}");
}

#[test]
fn doctor_tells_what_the_server_agrees_to_and_how_much_room_it_has() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    let examination = json_of(
        with_password(
            folder.path(),
            &format!("doctor {} --json", server.address("share")),
            PASSWORD,
        ),
        0,
    );
    let facts = &examination["environment"];
    assert_eq!(fact(facts, "smb.dialect"), "3.1.1");
    assert_eq!(fact(facts, "share.named"), "directory");
    assert!(fact(facts, "share.free_bytes").as_f64().expect("known") > 0.0);
    for id in [
        "smb.round_trip_us",
        "smb.signing_ns_per_mib",
        "smb.encryption_ns_per_mib",
    ] {
        assert!(
            fact(facts, id).as_f64().expect("measured") > 0.0,
            "{id}: {facts}"
        );
    }
}

#[test]
fn what_a_server_refuses_is_said_with_its_status_and_what_to_do() {
    if !is_installed() {
        return;
    }
    let sealed = tempfile::tempdir().expect("folder");
    let sections = [Section {
        name: "sealed",
        path: sealed.path(),
        lines: &["read only = no", "server smb encrypt = required"],
    }];
    let (server, folder) = (
        Samba::with_shares(&[], &sections),
        tempfile::tempdir().expect("folder"),
    );
    let address = |path: &str| server.address(path);
    let refused =
        |line: String, password: &str| refusal_of(with_password(folder.path(), &line, password));
    for verb in ["doctor", "check"] {
        let text = refused(format!("{verb} {}", address("share")), "not-the-password");
        assert!(
            text.contains("STATUS_LOGON_FAILURE") && text.contains("password"),
            "{text}"
        );
        let text = refused(format!("{verb} {}", address("nowhere")), PASSWORD);
        assert!(
            text.contains("STATUS_BAD_NETWORK_NAME") && text.contains("nowhere"),
            "{text}"
        );
        assert!(
            text.contains(&format!("smbclient -L 127.0.0.1 -p {} -U ", server.port)),
            "{text}"
        );
    }
    let text = refused(format!("check {}", address("share/absent")), PASSWORD);
    assert!(
        text.contains("absent") && text.contains("no such file or directory"),
        "{text}"
    );
    let unencrypted = "--set encryption=false --pattern random-read --time 1s --size 1m --quiet";
    let text = refused(
        format!("run --target {} {unencrypted}", address("sealed")),
        PASSWORD,
    );
    assert!(text.contains("encrypt"), "{text}");
    let text = refused("check smb://root:secret@127.0.0.1/share".into(), PASSWORD);
    assert!(
        !text.contains("secret") && text.contains("password"),
        "{text}"
    );
}

#[test]
fn what_stays_on_a_share_whose_server_is_gone_is_told_at_the_end() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    let (address, there) = (
        server.address("share"),
        format!("smb://127.0.0.1:{}/share/.plumb-", server.port),
    );
    let line = format!(
        "run --target {address} --pattern random-write --size 1m --time 4s --interval 50ms --quiet --no-report --output out"
    );
    let prepared = with_password(folder.path(), &line, PASSWORD);
    let mut child = std::process::Command::new(prepared.get_program())
        .args(prepared.get_args())
        .env("PLUMB_PASSWORD", PASSWORD)
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    while std::fs::metadata(folder.path().join("out/ticks.jsonl")).map_or(0, |file| file.len()) == 0
    {
        assert!(
            child.try_wait().expect("waited").is_none(),
            "ended before the server did"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(server);
    let output = child.wait_with_output().expect("ended");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        text.matches("files that plumb created could not be removed")
            .count(),
        1,
        "{text}"
    );
    assert!(
        text.contains(&format!("to remove them by hand: {there}")),
        "{text}"
    );
    let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    assert!(
        notes.contains("to remove them by hand"),
        "the record tells it too: {notes}"
    );
}

#[test]
fn a_kerberos_ticket_stands_for_the_password() {
    use crate::kdc::{self, Kdc};

    if !is_installed() || !kdc::is_installed() {
        return;
    }
    let kdc = Kdc::start(&crate::samba::user());
    let lines = kdc.samba_lines();
    let (server, folder) = (
        Samba::start(&lines.each_ref().map(String::as_str)),
        tempfile::tempdir().expect("folder"),
    );
    let target = server.address("share").replace("127.0.0.1", "localhost");
    let line = format!(
        "run --target {target} --pattern random-read --size 1m --time 100ms --set encryption=true --json --quiet --no-report"
    );
    let mut command = plumb_in(folder.path(), &line);
    command
        .env_remove("PLUMB_PASSWORD")
        .env("KRB5CCNAME", kdc.tickets());
    let summary = crate::measured(command);
    let agreed = &summary["steps"][0]["engine_record"]["connection"];
    assert_eq!(agreed["authentication"], "Kerberos");
    assert_eq!(agreed["encryption"], "AES-128-GCM");
    assert_eq!(summary["steps"][0]["total"]["errors"], 0);
    let mut command = plumb_in(folder.path(), &line.replace("localhost", "127.0.0.1"));
    command
        .env_remove("PLUMB_PASSWORD")
        .env("KRB5CCNAME", kdc.tickets());
    let text = refusal_of(command);
    assert!(
        text.contains("no ticket for cifs/127.0.0.1") && text.contains("kvno"),
        "{text}"
    );
}

/// As bonnie++ makes them: of many sizes, in several folders, with random names, and each gone through once.
const SMALL_FILES: &str = "name = 'files'\n[defaults]\nfiles = 200\nfile-size = '1-16k'\nfolders = 4\nnames = 'random'\npasses = 1\n\
    [[step]]\nname = 'create'\nmix = 'create'\n[[step]]\nname = 'stat'\nmix = 'stat'\nfile-order = 'shuffled'\n\
    [[step]]\nname = 'read-file'\nmix = 'read-file'\nfile-order = 'shuffled'\n[[step]]\nname = 'delete'\nmix = 'delete'\nfile-order = 'shuffled'\n";

/// Runs it on a share whose folder is this one here.
fn small_files_on(address: &str, behind: &Path) {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("files.toml"), SMALL_FILES).expect("plan");
    let line = format!("run files.toml --target {address} --json --quiet --no-report --output out");
    let summary = crate::measured(with_password(folder.path(), &line, PASSWORD));
    let moved = |kind: &str| {
        let steps = summary["steps"].as_array().expect("steps");
        let step = steps
            .iter()
            .find(|step| step["name"] == kind)
            .unwrap_or_else(|| panic!("no {kind} in {summary}"));
        assert_eq!(step["total"]["errors"], 0, "{step}");
        (
            step["operations"][kind]["count"].as_u64(),
            step["operations"][kind]["bytes"].as_u64().unwrap_or(0),
        )
    };
    let (created, bytes) = moved("create");
    assert_eq!(
        [
            created,
            moved("stat").0,
            moved("read-file").0,
            moved("delete").0
        ],
        [Some(200); 4]
    );
    // 200 sizes drawn evenly from 1 to 16,384: their sum is 1.64 million, with a deviation of 67 thousand.
    assert!(
        (1_300_000..2_000_000).contains(&bytes) && moved("read-file").1 == bytes,
        "{bytes} created, {:?} read",
        moved("read-file")
    );
    assert!(left_in(behind).is_empty(), "{:?}", left_in(behind));
}

#[test]
fn small_files_of_many_sizes_go_through_their_life_on_shares() {
    if is_installed() {
        let server = Samba::start(&[]);
        small_files_on(&server.address("share"), &server.share());
    }
    if let Some(server) = Ganesha::start() {
        small_files_on(&server.address("data"), &server.data());
    }
}

#[test]
fn a_recorded_pattern_is_replayed_on_a_share() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    let log = "fio version 2 iolog\nfile add\nfile open\nfile write 0 4096\nfile write 65536 8192\nfile read 0 4096\nfile datasync 0 0\nfile close\n";
    std::fs::write(folder.path().join("recorded.log"), log).expect("log");
    std::fs::write(
        folder.path().join("replay.toml"),
        "name = 'replay'\n[[step]]\nname = 'again'\nreplay = 'recorded.log'\n",
    )
    .expect("plan");
    std::fs::write(server.share().join("file"), vec![0; 1 << 20]).expect("file");
    let line = format!(
        "run replay.toml --target {} --overwrite --json --quiet --no-report",
        server.address("share/file")
    );
    let summary = crate::measured(with_password(folder.path(), &line, PASSWORD));
    let operations = &summary["steps"][0]["operations"];
    assert_eq!(
        (
            operations["write"]["bytes"].as_u64(),
            operations["read"]["bytes"].as_u64()
        ),
        (Some(12_288), Some(4096)),
        "{operations}"
    );
    assert_eq!(
        operations["flush"]["count"]
            .as_u64()
            .or(operations["fsync"]["count"].as_u64()),
        Some(1),
        "{operations}"
    );
    let written = std::fs::read(server.share().join("file")).expect("file");
    assert!(
        written.len() == 1 << 20 && written[65_536..73_728].iter().any(|byte| *byte != 0),
        "nothing was written in its place"
    );
}

#[test]
fn doctor_takes_keys_of_the_connection_and_no_others() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    let address = server.address("share");
    let line = format!("doctor {address} --set dialect=3.0 --json");
    let told = crate::measured(with_password(folder.path(), &line, PASSWORD));
    let facts = &told["environment"];
    assert_eq!(*fact(facts, "smb.dialect"), "3.0", "{facts}");
    for (line, expected) in [
        (
            format!("{address} --set depth=8"),
            "this command applies no load",
        ),
        (format!("{address} --set nfs=3"), "nfs"),
        (format!("{address} --set dialect=9"), "dialect"),
        (". --set dialect=3.0".into(), "is not a share"),
    ] {
        let line = format!("doctor {line}");
        let error = refusal_of(with_password(folder.path(), &line, PASSWORD));
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn why_auto_takes_another_way_is_told_in_the_terminal() {
    if !is_installed() {
        return;
    }
    let server = Samba::start(&["server multi channel support = no"]);
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target {} --pattern random-read --block 4k --size 1m --workers 2 --set warm-up=0s --time 1s --no-report --output out",
        server.address("share")
    );
    let mut run = with_password(folder.path(), &line, PASSWORD);
    let said = String::from_utf8_lossy(&run.output().expect("started").stdout).into_owned();
    let told = "not in effect: multichannel: the server does not offer it";
    assert!(said.contains(told), "{said}");
}
