//! The truth lab on a block device with a known limit, from the kernel's counters: is the limit found, and does its change give the predicted gain?

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::{Value, json};

use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::fixtures::{Mounted, may_mount, run};
use crate::trace_live::can_trace;
use crate::watch::witnessed::LoopDevice;
use crate::{json_of, output_of, plumb_in};

const SIZE: u64 = 64 << 20;
const SERVICE: Duration = Duration::from_millis(5);

/// A disk on a file of a file system that answers each read so.
struct SlowDisk {
    device: LoopDevice,
    files: FaultFs,
}

impl SlowDisk {
    /// Reads, or other calls, of the file below the disk end so.
    fn with(faults: &[(Call, Effect)]) -> Option<SlowDisk> {
        let files = FaultFs::mount(Options {
            always_direct: true,
            ..Options::default()
        })?;
        let image = files.path().join("image");
        let file = std::fs::File::create(&image).expect("a file");
        file.set_len(SIZE).expect("its size");
        drop(file);
        // Its requests are those of the device, as many at once as the device has.
        let Some(device) = LoopDevice::over(&image, &["--direct-io=on"]) else {
            println!("skipped: no loop device can be made (it takes root)");
            return None;
        };
        for (call, effect) in faults {
            files.inject(Fault::every(*call, 1, effect.clone()));
        }
        Some(SlowDisk { device, files })
    }

    fn name(&self) -> &str {
        self.device.0.trim_start_matches("/dev/")
    }

    /// What `plumb explain` says of what was watched of this disk while a command ran. Where other work on the machine changed the rate meanwhile, so that
    /// rightly nothing is concluded, it is watched again.
    fn explained(&self, folder: &Path, recording: &str, command: &str) -> Value {
        let attempt =
            |number| self.explained_once(folder, &format!("{recording}-{number}"), command);
        let mut attempts = (0..4).map(attempt);
        let is_of_one_piece = |explained: &Value| explained["withheld"] == json!([]);
        attempts
            .find(is_of_one_piece)
            .expect("a recording of one piece, of four")
    }

    fn explained_once(&self, folder: &Path, recording: &str, command: &str) -> Value {
        // Without the cores: other work on this machine keeps them busy, and then more requests are rightly not asked for.
        std::fs::write(folder.join("set.toml"), "sources = [\"diskstats\"]\n").expect("a set");
        let line = format!(
            "watch --interval 100ms --disk {} --set set.toml --quiet --output {recording} -- sh -c",
            self.name()
        );
        let mut watch = plumb_in(folder, &line);
        watch.arg(command.replace("DISK", &self.device.0));
        output_of(watch, 0);
        // fio takes a moment to begin and to end, in which it asks for nothing: those are other windows.
        let window = match command.starts_with("fio") {
            true => " --from 700ms --to 2900ms",
            false => "",
        };
        let line = format!("explain {recording} --json --share {}{window}", self.name());
        json_of(plumb_in(folder, &line), 0)
    }

    /// The rate of `after` is that of `before` times a factor in the interval that this rule's finding predicts. Other work on the machine may disturb one
    /// recording and not the other: both are made again then. What was watched last is given back.
    fn assert_gain(
        &self,
        folder: &Path,
        (explained, rule): (&Value, &str),
        before: &str,
        after: &str,
    ) -> Value {
        let prediction = prediction_of(explained, rule);
        let (low, high) = (figure(&prediction["low"]), figure(&prediction["high"]));
        let mut today = rate(explained);
        for round in 0..3 {
            if round > 0 {
                today = rate(&self.explained(folder, &format!("again{round}"), before));
            }
            let changed = self.explained(folder, &format!("after{round}"), after);
            let gain = rate(&changed) / today;
            println!("predicted {low:.2} to {high:.2}, measured {gain:.2}");
            if (low..=high).contains(&gain) {
                return changed;
            }
        }
        panic!("{prediction}");
    }
}

fn figure(of: &Value) -> f64 {
    of.as_f64().expect("a number")
}

fn prediction_of<'a>(explained: &'a Value, rule: &str) -> &'a Value {
    let findings = explained["findings"].as_array().expect("a list");
    let finding = findings.iter().find(|found| found["rule"] == rule);
    &finding.unwrap_or_else(|| panic!("no {rule} in {explained:#}"))["prediction"]
}

fn rules(explained: &Value) -> Vec<&str> {
    let findings = explained["findings"].as_array().expect("a list");
    findings
        .iter()
        .filter_map(|found| found["rule"].as_str())
        .collect()
}

fn rate(explained: &Value) -> f64 {
    let rate = explained["observed"]["requests_per_s"].as_f64();
    rate.unwrap_or_else(|| panic!("no rate in {explained}"))
}

/// So many programs, each of which reads one block after the other past the page cache.
fn readers(count: u32) -> String {
    let one = "dd if=DISK of=/dev/null bs=16k count=300 iflag=direct status=none";
    let places = (0..count).map(|at| format!("{one} skip={} &", at * 300));
    places.collect::<String>() + " wait"
}

#[test]
fn one_reader_of_a_disk_that_answers_late_is_too_few_and_eight_bring_what_was_predicted() {
    let Some(disk) = SlowDisk::with(&[(Call::Read, Effect::Delay(SERVICE))]) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let explained = disk.explained(folder.path(), "before", &readers(1));
    assert_eq!(
        rules(&explained),
        ["too_few_outstanding_requests"],
        "{explained:#}"
    );
    let observed = &explained["observed"];
    assert_eq!(observed["outstanding_most"], 1);
    assert_eq!(observed["bytes_per_request"], 16384.0);
    let waits = observed["request_ns"].as_f64().expect("a time");
    // Nothing answers earlier; how much later depends on what else the machine does.
    assert!(waits >= 4.9e6, "{waits}");
    let rule = "too_few_outstanding_requests";
    let to = figure(&prediction_of(&explained, rule)["change"]["to"]);
    let more = readers(to.round() as u32);
    disk.assert_gain(folder.path(), (&explained, rule), &readers(1), &more);
}

#[test]
fn more_readers_are_not_asked_for_where_a_disk_serves_one_at_a_time() {
    let Some(disk) = SlowDisk::with(&[(Call::Read, Effect::Serve(SERVICE))]) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let explained = disk.explained(folder.path(), "w", &readers(4));
    let rules = rules(&explained);
    for wrong in [
        "too_few_outstanding_requests",
        "storage_waits_for_application",
    ] {
        assert!(!rules.contains(&wrong), "{explained:#}");
    }
    assert_eq!(explained["observed"]["outstanding_most"], 4);
}

/// fio reads or writes blocks of 16 KiB one after the other for three seconds.
fn fio(pattern: &str, more: &str) -> String {
    format!(
        "fio --name=x --filename=DISK --rw={pattern} --bs=16k --direct=1 --ioengine=psync --size=64m --runtime=3 --time_based --randrepeat=1 {more}"
    )
}

#[test]
fn of_two_limits_the_pauses_are_found_first_and_without_them_the_one_request_at_a_time() {
    let Some(disk) = SlowDisk::with(&[(Call::Read, Effect::Delay(SERVICE))]) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let before = fio("randread", "--thinktime=15ms");
    let explained = disk.explained(folder.path(), "w", &before);
    assert_eq!(
        rules(&explained).first(),
        Some(&"storage_waits_for_application"),
        "{explained:#}"
    );
    let of_pauses = (&explained, "storage_waits_for_application");
    let after = disk.assert_gain(folder.path(), of_pauses, &before, &fio("randread", ""));
    assert_eq!(rules(&after), ["too_few_outstanding_requests"], "{after:#}");
}

#[test]
fn a_disk_whose_writes_are_each_flushed_is_limited_by_its_flushes() {
    let slow = [
        (Call::Write, Effect::Delay(Duration::from_millis(2))),
        (Call::Fsync, Effect::Delay(Duration::from_millis(20))),
    ];
    let Some(disk) = SlowDisk::with(&slow) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let before = fio("randwrite", "--fsync=1");
    let explained = disk.explained(folder.path(), "w", &before);
    // One at a time is its other limit; which of them weighs more depends on how much longer than its delay each call takes here.
    let change = &prediction_of(&explained, "durability")["change"];
    let together = figure(&change["flushes"]).round();
    let after = fio("randwrite", &format!("--fsync={together}"));
    disk.assert_gain(folder.path(), (&explained, "durability"), &before, &after);
}

#[test]
fn other_programs_that_keep_a_disk_busy_are_named_with_their_share() {
    let Some(disk) = SlowDisk::with(&[(Call::Read, Effect::Serve(SERVICE))]) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let why = |folder: &Path| -> Value {
        let mut command = plumb_in(folder, "why --by samples --json -- sh -c");
        command.arg(
            "dd if=DISK of=/dev/null bs=16k count=150 iflag=direct status=none"
                .replace("DISK", &disk.device.0),
        );
        json_of(command, 0)
    };
    let elapsed = |why: &Value| figure(&why["end"]["elapsed_ns"]);
    let alone = why(folder.path());
    let device = &alone["account"]["devices"][0];
    assert_eq!(device["load"]["device"], disk.name(), "{alone:#}");
    let others = figure(&device["others_share"]);
    assert!(others < 0.1, "{others}: nobody else reads");
    assert!(
        alone["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .all(|of| of["question"] != "interference")
    );
    // Four others, each with one request after another, on a disk that serves one at a time.
    let read = "while :; do dd if=DISK of=/dev/null bs=16k iflag=direct status=none; done";
    let read = read.replace("DISK", &disk.device.0);
    let mut readers: Vec<Child> = (0..4)
        .map(|_| {
            let mut reader = Command::new("sh");
            let started = reader.args(["-c", &read]).process_group(0).spawn();
            started.expect("a reader")
        })
        .collect();
    let beside = why(folder.path());
    for reader in &mut readers {
        let group = format!("-{}", reader.id());
        let killed = Command::new("kill").args(["-KILL", "--", &group]).status();
        assert!(killed.expect("kill").success());
        let _ = reader.wait();
    }
    let findings = beside["findings"].as_array().expect("findings");
    let finding = findings.iter().find(|of| of["question"] == "interference");
    let finding = finding.unwrap_or_else(|| panic!("{beside:#}"));
    let others = figure(&beside["account"]["devices"][0]["others_share"]);
    assert!(
        (0.6..0.95).contains(&others),
        "{others}: four of five requests are others'"
    );
    let gain = &finding["gains"][0];
    let truth = elapsed(&beside) / elapsed(&alone);
    let (low, high) = (figure(&gain["low"]), figure(&gain["high"]));
    println!("predicted {low:.2} to {high:.2} without the others, measured {truth:.2}");
    assert!((low..=high).contains(&truth), "{low} {truth} {high}");
}

#[test]
fn what_iostat_printed_of_a_disk_is_explained() {
    let Some(disk) = SlowDisk::with(&[(Call::Read, Effect::Delay(SERVICE))]) else {
        return;
    };
    if Command::new("iostat").arg("-V").output().is_err() {
        println!("skipped: iostat is not installed (Debian package sysstat)");
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    for (command, rule) in [
        (
            readers(1).replace("count=300", "count=1600"),
            "too_few_outstanding_requests",
        ),
        ("sleep 8".to_string(), "storage_waits_for_application"),
    ] {
        let command = command.replace("DISK", &disk.device.0);
        // Something is read in any case, so that there is a time of a request.
        let script = format!(
            "{command} & dd if={} of=/dev/null bs=16k count=40 iflag=direct status=none; S_TIME_FORMAT=ISO LC_ALL=C iostat -x -y -d {} 1 7 > io.txt; dd if={} of=/dev/null bs=16k count=3 iflag=direct status=none",
            disk.device.0,
            disk.name(),
            disk.device.0
        );
        let beside = format!(
            "(while :; do dd if={} of=/dev/null bs=4k count=2 iflag=direct status=none; sleep 0.9; done) & P=$!; {script}; kill $P",
            disk.device.0
        );
        let ran = Command::new("bash")
            .args(["-c", &beside])
            .current_dir(folder.path())
            .status();
        assert!(ran.expect("bash").success());
        let explained = json_of(plumb_in(folder.path(), "explain io.txt --json"), 0);
        let first = rules(&explained);
        assert_eq!(first.first(), Some(&rule), "{explained:#}");
    }
}

/// True from Linux 6.5 on.
fn reports_what_is_cached() -> bool {
    let release = Command::new("uname").arg("-r").output().expect("uname");
    let release = String::from_utf8_lossy(&release.stdout).into_owned();
    let numbers = release
        .split(['.', '-'])
        .map_while(|word| word.parse().ok());
    let numbers: Vec<u32> = numbers.collect();
    numbers >= vec![6, 5]
}

#[test]
fn a_proof_begins_as_cold_as_the_recorded_run_and_shows_what_the_page_cache_gives() {
    let folder = tempfile::tempdir().expect("folder");
    if !may_mount("a proof with a cold page cache") || !can_trace(folder.path()) {
        return;
    }
    let Some(disk) = SlowDisk::with(&[]) else {
        return;
    };
    run("mkfs.ext4", &["-q", &disk.device.0]).expect("a file system");
    let mounted = Mounted::device(Path::new(&disk.device.0)).expect("mounted");
    let big = mounted.path().join("big").display().to_string();
    std::fs::write(&big, vec![7u8; 4 << 20]).expect("a file");
    run("sync", &["-f", &big]).expect("written");
    run("dd", &[&format!("if={big}"), "iflag=nocache", "count=0"]).expect("dropped");
    // Far longer than a busy machine takes to start a program.
    let service = 20 * SERVICE;
    let slow = Fault::every(Call::Read, 1, Effect::Delay(service));
    disk.files.inject(slow);
    let line = format!(
        "why --by perf --json --prove --rounds 3 -- dd if={big} of=/dev/null bs=1M status=none"
    );
    let why = json_of(plumb_in(folder.path(), &line), 0);
    let proof = &why["proof"];
    let times = |of: &Value| -> Vec<f64> {
        let all = of.as_array().expect("run times").iter();
        all.map(figure).collect()
    };
    // No run that reads from the disk is shorter than one of its requests.
    let least = service.as_nanos() as f64;
    for cold in times(&proof["alone_ns"]) {
        assert!(cold > least, "{cold}: {proof:#}");
    }
    if !reports_what_is_cached() {
        println!("left out: what the page cache gives, as cachestat(2) came with Linux 6.5");
        return;
    }
    let cached = &proof["cached"];
    assert_eq!(times(&cached["elapsed_ns"]).len(), 3, "{proof:#}");
    assert!(figure(&cached["factor"][1]) > 1.0, "{proof:#}");
    assert_eq!(cached["statement"]["id"], "why-proof-cached");
}
