//! The truth lab on a block device whose limit is known, by what the kernel counts of it: is the limit found, and does its change bring what was predicted?

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::watch::witnessed::LoopDevice;
use crate::{json_of, output_of, plumb_in};

const SIZE: u64 = 64 << 20;
const SERVICE: Duration = Duration::from_millis(5);

/// A disk on a file of a file system that answers each read so.
struct SlowDisk {
    device: LoopDevice,
    _files: FaultFs,
}

impl SlowDisk {
    fn with(effect: Effect) -> Option<SlowDisk> {
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
        files.inject(Fault::every(Call::Read, 1, effect));
        Some(SlowDisk {
            device,
            _files: files,
        })
    }

    fn name(&self) -> &str {
        self.device.0.trim_start_matches("/dev/")
    }

    /// What `plumb explain` says of what was watched of this disk while a command ran.
    fn explained(&self, folder: &Path, recording: &str, command: &str) -> Value {
        let line = format!(
            "watch --interval 100ms --disk {} --set disk --quiet --output {recording} -- sh -c",
            self.name()
        );
        let mut watch = plumb_in(folder, &line);
        watch.arg(command.replace("DISK", &self.device.0));
        output_of(watch, 0);
        let line = format!("explain {recording} --json --share {}", self.name());
        json_of(plumb_in(folder, &line), 0)
    }
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
    let Some(disk) = SlowDisk::with(Effect::Delay(SERVICE)) else {
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
    let prediction = &explained["findings"][0]["prediction"];
    let figure = |of: &Value| of.as_f64().expect("a number");
    let to = figure(&prediction["change"]["to"]);
    let (low, high) = (figure(&prediction["low"]), figure(&prediction["high"]));
    // Other work on the machine may disturb one recording and not the other: both are made again then.
    let mut today = rate(&explained);
    let holds = (0..3).any(|round| {
        if round > 0 {
            let again = disk.explained(folder.path(), &format!("again{round}"), &readers(1));
            today = rate(&again);
        }
        let more = readers(to.round() as u32);
        let after = disk.explained(folder.path(), &format!("after{round}"), &more);
        let gain = rate(&after) / today;
        println!("with {to}: predicted {low:.2} to {high:.2}, measured {gain:.2}");
        (low..=high).contains(&gain)
    });
    assert!(holds, "{prediction}");
}

#[test]
fn a_disk_whose_reader_pauses_waits_for_it() {
    let Some(disk) = SlowDisk::with(Effect::Delay(SERVICE)) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let command = "i=0; while [ $i -lt 60 ]; do dd if=DISK of=/dev/null bs=16k count=1 skip=$i iflag=direct status=none; sleep 0.04; i=$((i+1)); done";
    let explained = disk.explained(folder.path(), "w", command);
    let rules = rules(&explained);
    assert_eq!(
        rules.first(),
        Some(&"storage_waits_for_application"),
        "{explained:#}"
    );
    assert!(
        !rules.contains(&"too_few_outstanding_requests"),
        "{rules:?}"
    );
}

#[test]
fn more_readers_are_not_asked_for_where_a_disk_serves_one_at_a_time() {
    let Some(disk) = SlowDisk::with(Effect::Serve(SERVICE)) else {
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
