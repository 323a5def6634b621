//! Does `plumb layers` measure, show again and refuse as documented?

use std::path::Path;

use serde_json::Value;

use crate::{json_of, left_in, output_of, plumb_in, refusal_of};

/// Short steps of all kinds: the machine that runs the tests decides nothing here.
const QUICK: &str =
    "--time 60ms --size 4m --rounds 2 --budget 1ms --set interval=20ms --set warm-up=10ms --quiet";

/// Long enough for readings of the CPU's use within each step, also on a machine that is busy: they are drawn.
const DRAWN: &str =
    "--time 400ms --size 4m --rounds 2 --budget 1ms --set interval=20ms --set warm-up=10ms --quiet";

fn made(folder: &Path, name: &str) {
    std::fs::create_dir(folder.join(name)).expect("folder");
}

fn layer<'a>(waterfall: &'a Value, kind: &str) -> (usize, &'a Value) {
    let layers = waterfall["layers"].as_array().expect("layers");
    layers
        .iter()
        .enumerate()
        .find(|(_, layer)| layer["kind"] == kind)
        .unwrap_or_else(|| panic!("no {kind} in {waterfall}"))
}

fn step<'a>(waterfall: &'a Value, name: &str) -> &'a Value {
    let steps = waterfall["steps"].as_array().expect("steps");
    steps
        .iter()
        .find(|step| step["step"] == name)
        .unwrap_or_else(|| panic!("no {name} in {waterfall}"))
}

#[test]
fn files_cache_and_loopback_make_a_waterfall_that_can_be_drawn_again() {
    let folder = tempfile::tempdir().expect("folder");
    made(folder.path(), "data");
    let line = format!(
        "layers --device none --files data --cached --network loopback --json --output out {DRAWN}"
    );
    let waterfall = json_of(plumb_in(folder.path(), &line), 0);
    let (network, _) = layer(&waterfall, "network");
    let (cache, cached) = layer(&waterfall, "page-cache");
    assert!(
        cached["caching"]["text"]
            .as_str()
            .expect("caching")
            .contains("through the page cache"),
        "{cached}"
    );
    for name in ["sequential-write", "sequential-read", "random-read"] {
        let step = step(&waterfall, name);
        for layer in [cache, network] {
            assert!(
                step["layers"][layer]["iops"]["value"]
                    .as_f64()
                    .expect("measured")
                    > 0.0,
                "{name}: {step}"
            );
        }
        assert!(
            step["layers"][network]["effects"]
                .as_array()
                .expect("effects")
                .is_empty(),
            "a network rests on nothing"
        );
    }
    assert_eq!(
        step(&waterfall, "random-read")["layers"][network]["operation"],
        "ping-pong"
    );
    assert_eq!(
        step(&waterfall, "sequential-write")["layers"][network]["operation"],
        "send"
    );
    assert!(
        waterfall["remarks"]
            .as_array()
            .expect("remarks")
            .iter()
            .any(|said| said["id"] == "one-machine-for-both-ends")
    );
    assert!(
        left_in(&folder.path().join("data")).is_empty(),
        "the directory is left as it was"
    );
    assert!(folder.path().join("out/report.html").is_file());
    let again = json_of(plumb_in(folder.path(), "layers --from out --json"), 0);
    assert_eq!(again, waterfall, "everything is derived from the records");
    let text = output_of(
        plumb_in(folder.path(), "layers --from out --report again.html"),
        0,
    );
    for expected in [
        "Throughput by layer",
        "Verdict",
        "network (tcp)",
        "in flight",
        "CPUs busy",
    ] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    let page = std::fs::read_to_string(folder.path().join("again.html")).expect("page");
    for figure in ["Time per request", "CPU use over time"] {
        assert!(page.contains(figure), "the page draws: {figure}");
    }
}

#[test]
fn stored_runs_are_layers_too_with_the_names_they_are_given() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["a", "b"] {
        made(folder.path(), name);
        let line = format!(
            "run layers {name} --time 40ms --size 2m --set interval=20ms --set warm-up=0 --rounds 2 --quiet --json --no-report --output run-{name}"
        );
        crate::measured(plumb_in(folder.path(), &line));
    }
    let waterfall = json_of(
        plumb_in(
            folder.path(),
            "layers --layer array=run-a --layer volume=run-b --json",
        ),
        0,
    );
    assert_eq!(waterfall["design"], "independent");
    let names: Vec<&str> = waterfall["layers"]
        .as_array()
        .expect("layers")
        .iter()
        .filter_map(|layer| layer["name"].as_str())
        .collect();
    assert_eq!(names, ["array", "volume"]);
    assert_eq!(waterfall["layers"][1]["below"], 0);
}

#[test]
fn one_command_goes_from_the_files_to_the_share_on_one_machine() {
    use crate::samba::{PASSWORD, Samba, is_installed};

    if !is_installed() {
        return;
    }
    let (folder, samba) = (tempfile::tempdir().expect("folder"), Samba::start(&[]));
    let line = format!(
        "layers --files {} --share {} --json --output out {QUICK}",
        samba.share().display(),
        samba.address("share")
    );
    let mut command = plumb_in(folder.path(), &line);
    command.env("PLUMB_PASSWORD", PASSWORD);
    let waterfall = json_of(command, 0);
    let (share, held) = layer(&waterfall, "share");
    assert!(
        held["below"].is_u64()
            && held["caching"]["text"]
                .as_str()
                .expect("caching")
                .contains("fit into its"),
        "{held}"
    );
    let (_, files) = layer(&waterfall, "file-system");
    assert_eq!(files["name"], "file system (memory)", "{files}");
    let remarks = waterfall["remarks"].to_string();
    assert!(remarks.contains("are in memory (tmpfs)"), "{remarks}");
    let (network, _) = layer(&waterfall, "network");
    for name in ["sequential-write", "sequential-read", "random-read"] {
        let step = step(&waterfall, name);
        let against: Vec<u64> = step["layers"][share]["effects"]
            .as_array()
            .expect("effects")
            .iter()
            .filter_map(|effect| effect["other"].as_u64())
            .collect();
        assert_eq!(
            against,
            [held["below"].as_u64().expect("below"), network as u64],
            "the storage below, and the network: {step}"
        );
        let (least, most) = (
            &step["remainder"]["least_ns"],
            &step["remainder"]["most_ns"],
        );
        assert!(
            least.as_f64().expect("least") <= most.as_f64().expect("most"),
            "{step}"
        );
    }
    assert!(
        left_in(&samba.share()).is_empty(),
        "nothing stays on the share"
    );
    for side in ["a", "b", "c"] {
        let header = std::fs::read_to_string(folder.path().join("out").join(side).join("run.json"))
            .expect("header");
        assert!(!header.contains(PASSWORD), "{side} holds the password");
    }
}

#[test]
fn a_device_under_a_file_system_is_read_and_never_written() {
    use crate::fixtures::{Loop, Mounted, may_mount, run};

    if !may_mount("a_device_under_a_file_system_is_read_and_never_written") {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let disk = Loop::new(64 << 20, |_| {});
    run("mkfs.ext4", &["-q", disk.name()]).expect("a file system");
    let mounted = Mounted::device(&disk.device).expect("mounted");
    let line = format!(
        "layers --files {} --json --output out {QUICK}",
        mounted.path().display()
    );
    let waterfall = json_of(plumb_in(folder.path(), &line), 0);
    let (device, found) = layer(&waterfall, "device");
    assert_eq!(
        found["target"],
        disk.name(),
        "the device under the files is found"
    );
    let (files, held) = layer(&waterfall, "file-system");
    assert_eq!(held["below"], device, "{held}");
    let read = step(&waterfall, "sequential-read");
    assert!(
        read["layers"][files]["effects"][0]["throughput"]["ratio"]
            .as_f64()
            .expect("ratio")
            > 0.0,
        "{read}"
    );
    let write = step(&waterfall, "sequential-write");
    assert!(
        write["layers"][device]["missing"]["text"]
            .as_str()
            .expect("why")
            .contains("is not written: writing it needs --overwrite="),
        "{write}"
    );
    assert!(
        write["layers"][files]["iops"]["value"]
            .as_f64()
            .expect("measured")
            > 0.0
    );
    let word = format!(
        "layers --device {0} --files {1} --overwrite={0} {QUICK}",
        disk.name(),
        mounted.path().display()
    );
    let refusal = refusal_of(plumb_in(folder.path(), &word));
    assert!(
        refusal.contains("in use") && refusal.contains("omit --overwrite"),
        "{refusal}"
    );
}

#[test]
fn what_makes_no_waterfall_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["data", "more"] {
        made(folder.path(), name);
    }
    std::fs::write(
        folder.path().join("mix.toml"),
        "[[step]]\nname = 's'\npattern = 'create'\ntime = '1s'\n",
    )
    .expect("plan");
    for (line, expected) in [
        ("layers", "give at least two"),
        ("layers --device none --files data", "is the only layer"),
        ("layers --device data --files more", "--files"),
        (
            "layers --device none --files nowhere --files data",
            "no such directory",
        ),
        (
            "layers --device none --files data --share smb:server",
            "smb://",
        ),
        (
            "layers --device none --files data --share tcp://server",
            "is not a share",
        ),
        (
            "layers --device none --files data --share smb://u:secret@server/x",
            "PLUMB_PASSWORD",
        ),
        (
            "layers --device none --files data --network smb://server/x",
            "is not a network peer",
        ),
        (
            "layers --device none --files data --network agent",
            "no agent is given",
        ),
        (
            "layers mix.toml --device none --files data --files more",
            "not every layer supports",
        ),
        (
            "layers nosuch --device none --files data --files more",
            "available: check",
        ),
        (
            "layers --device none --files data --files more --overwrite=/dev/nosuch",
            "matches no layer",
        ),
        (
            "layers --device none --files data --files more --block 4x",
            "not a size",
        ),
        ("layers --from nowhere", "contains no layers"),
        (
            "layers --layer array=nowhere --layer b=nowhere",
            "no such folder",
        ),
        ("layers --layer array", "key=value"),
        ("layers --agent server --files data", "--token-file"),
    ] {
        let before = left_in(folder.path());
        let message = refusal_of(plumb_in(folder.path(), line));
        assert!(message.contains(expected), "{line}:\n{message}");
        assert!(!message.contains("secret@"), "{message}");
        assert_eq!(left_in(folder.path()), before, "{line} left something");
    }
}
