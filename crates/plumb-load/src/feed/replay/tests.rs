//! Does every request of a log arrive, in its order, at its offset and time: in the worker's loop on a virtual clock, and on real files?

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::workload::Job;
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

use super::*;
use crate::clock::Clock;
use crate::crew::assignment::Assignment;
use crate::crew::{LoadEvent, run_execution};
use crate::site::{Needs, Overwrite, Preparing, Site};
use crate::worker::Stopped;
use crate::worker::simulated::{START_NS, SimulatedStep, Simulation};

const MS: u64 = 1_000_000;

/// A job of these keys that replays a log with this text, its plan made ready.
fn job(folder: &Path, log: &str, keys: &str) -> Result<Job, String> {
    let path = folder.join("some.log");
    fs::write(&path, log).expect("log");
    let pairs = keys
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, text)| (key.to_string(), text.to_string()));
    let set = pairs
        .chain([("replay".to_string(), path.display().to_string())])
        .collect();
    let plan = resolve(
        &PlanFile::ad_hoc(),
        &Overrides {
            set,
            flags: Vec::new(),
        },
        PlanKind::AdHoc,
    );
    let mut plan = plan.map_err(|error| error.to_string())?;
    plumb_plan::settle_replays(&mut plan, &mut read_log).map_err(|error| error.to_string())?;
    Ok(plan.steps[0].jobs[0].clone())
}

fn simulated(log: &str, keys: &str) -> SimulatedStep {
    let folder = tempfile::tempdir().expect("folder");
    let workload = job(folder.path(), log, keys).expect(keys).workload;
    Simulation::of(workload).run().expect("a step")
}

/// What was submitted: kind, offset, length.
fn requests(outcome: &SimulatedStep) -> Vec<(OperationKind, u64, u32)> {
    outcome
        .submitted
        .iter()
        .map(|(_, op)| (op.kind, op.offset, op.len))
        .collect()
}

const LOG: &str = "fio version 3 iolog\n0 a add\n0 a open\n1000 a write 8192 4096\n2000 a read 0 512\n2000 b read 1000 24\n5000 a sync 0 0\n\
                   9000 a trim 4096 8192\n10000 a close\n";

#[test]
fn every_request_comes_in_its_order_and_at_its_moment() {
    use OperationKind::{Flush, Read, Trim, Write};
    let outcome = simulated(LOG, "depth=4");
    // The second file lies behind the first, which ends at 12 KiB.
    let expected = [
        (Write, 8192, 4096),
        (Read, 0, 512),
        (Read, 12_288 + 1000, 24),
        (Flush, 0, 0),
        (Trim, 4096, 8192),
    ];
    assert_eq!(requests(&outcome), expected);
    assert_eq!(outcome.stopped, Stopped::Operations);
    for ((time_ns, _), due_ms) in outcome.submitted.iter().zip([1, 2, 2, 5, 9]) {
        let late_ns = time_ns - (START_NS + due_ms * MS);
        assert!(late_ns < 10_000, "{due_ms} ms: {late_ns} ns late");
    }
    let lateness: u64 = outcome
        .ticks
        .iter()
        .filter_map(|tick| tick.lateness.as_ref())
        .map(|lateness| lateness.count())
        .sum();
    assert_eq!(lateness, 5, "an open loop");
}

#[test]
fn pace_speed_and_passes_are_as_requested() {
    let moments = |keys: &str| -> Vec<u64> {
        let submitted = simulated(LOG, keys).submitted;
        submitted
            .iter()
            .map(|(time_ns, _)| (time_ns - START_NS + 50_000) / 100_000)
            .collect()
    };
    assert_eq!(
        moments("depth=4 replay-speed-percent=200"),
        [5, 10, 10, 25, 45],
        "tenths of milliseconds"
    );
    assert_eq!(
        moments("depth=4 replay-speed-percent=50"),
        [20, 40, 40, 100, 180]
    );
    // The log lasts 10 ms, until its last line.
    assert_eq!(
        moments("depth=4 passes=2"),
        [10, 20, 20, 50, 90, 110, 120, 120, 150, 190]
    );
    // One after the other, 0.1 ms each.
    assert_eq!(moments("depth=1 replay-pace=none"), [0, 1, 2, 3, 4]);
    assert_eq!(
        moments("depth=4 replay-pace=none rate=1000 operations=3"),
        [0, 10, 20]
    );
    assert_eq!(
        moments("depth=4 time=4ms"),
        [10, 20, 20],
        "time cuts a replay off"
    );
}

/// Ten minutes of uneven gaps, at the recorded speed and others: no request is later at the end than at the beginning.
#[test]
fn a_long_log_does_not_drift() {
    let mut log = String::from("fio version 3 iolog\n");
    let (mut us, mut due_us) = (0u64, Vec::new());
    while us < 600_000_000 {
        log += &format!("{us} a read {} 4096\n", us % 997 * 4096);
        due_us.push(us);
        // 1 to 10 ms, in an order without a pattern.
        us += 1000 + us.wrapping_mul(7919) % 9001;
    }
    for (keys, speed) in [
        ("depth=64", 1.0),
        ("depth=64 replay-speed-percent=1000", 10.0),
        ("depth=64 replay-speed-percent=33", 0.33),
    ] {
        let outcome = simulated(&log, keys);
        assert_eq!(outcome.submitted.len(), due_us.len());
        let latest = outcome
            .submitted
            .iter()
            .zip(&due_us)
            .map(|((time_ns, _), us)| (time_ns - START_NS) as f64 - *us as f64 * 1000.0 / speed)
            .fold(0.0, |latest: f64, late| latest.max(late.abs()));
        println!("{keys}: {} requests, {latest} ns off at most", due_us.len());
        assert!(latest < 20_000.0, "{keys}: {latest} ns of 10 minutes");
    }
}

/// With a target that stalls, what was due meanwhile counts from when it was due.
#[test]
fn a_late_request_counts_from_its_moment() {
    let folder = tempfile::tempdir().expect("folder");
    let workload = job(folder.path(), LOG, "depth=1").expect("job").workload;
    let outcome = Simulation {
        stall: (0, START_NS + 9 * MS),
        ..Simulation::of(workload)
    }
    .run()
    .expect("a step");
    let of = |tick: &crate::worker::tick_buffer::TickBuffer, kind| {
        let kind = tick
            .kinds
            .iter()
            .find(|counted| counted.kind == kind)
            .expect("kind");
        kind.response
            .as_ref()
            .and_then(|response| response.max_ns())
    };
    let longest = outcome
        .ticks
        .iter()
        .filter_map(|tick| of(tick, OperationKind::Read))
        .max()
        .expect("reads");
    assert!(
        (7 * MS..8 * MS).contains(&longest),
        "due at 2 ms, possible from 9 ms on: {longest}"
    );
}

#[test]
fn rules_change_offsets_and_leave_out_kinds() {
    use OperationKind::{Read, Write};
    let outcome = simulated(
        LOG,
        "depth=4 replay-skip=trim,sync replay-divisor=3 replay-align=512 replay-files=together",
    );
    assert_eq!(
        requests(&outcome),
        [(Write, 2560, 4096), (Read, 0, 512), (Read, 0, 24)]
    );
    assert_eq!(
        outcome
            .submitted
            .last()
            .map(|(time_ns, _)| (time_ns - START_NS) / MS),
        Some(2)
    );
}

#[test]
fn a_log_without_times_comes_as_fast_as_the_target_answers() {
    let outcome = simulated(
        "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf read 4096 4096\nf close\n",
        "",
    );
    assert_eq!(requests(&outcome).len(), 2);
    assert!(
        outcome.ticks.iter().all(|tick| tick.lateness.is_none()),
        "a closed loop"
    );
    let outcome = simulated(
        "fio version 2 iolog\nf read 0 4096\nf wait 3000 0\nf read 4096 4096\nf wait 50 0\nf read 0 512\n",
        "depth=8",
    );
    let due: Vec<u64> = outcome
        .submitted
        .iter()
        .map(|(time_ns, _)| (time_ns - START_NS) / 10_000)
        .collect();
    assert_eq!(due, [0, 300, 305]);
}

#[test]
fn what_cannot_be_replayed_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().expect("folder");
    let refused = |log: &str, keys: &str| job(folder.path(), log, keys).expect_err(keys);
    for (log, keys, expected) in [
        (LOG, "size=8k", "extends to byte 13312, beyond size = 8k"),
        (LOG, "replay-skip=read,write,trim", "removes all"),
        (LOG, "direct=true", "direct = false"),
        (LOG, "mix=read", "mix has no effect"),
        (LOG, "rate=100", "replay-pace = none"),
        (LOG, "warm-up=1s", "every request of the log is replayed"),
        (
            "fio version 2 iolog\nf read 0 1\n",
            "replay-pace=recorded",
            "has no timestamps",
        ),
        (
            "fio version 2 iolog\nf add\n",
            "",
            "no reads, writes or trims",
        ),
        (
            "fio version 2 iolog\nf reed 0 1\n",
            "",
            "some.log, line 2: 'reed' is no action",
        ),
        ("", "", "is empty"),
    ] {
        let error = refused(log, keys);
        assert!(error.contains(expected), "{keys}: {error}");
    }
    let missing = Workload {
        replay: Some(folder.path().join("none.log").display().to_string()),
        ..Workload::default()
    };
    assert!(
        read_log(&missing)
            .expect_err("missing")
            .to_string()
            .contains("none.log: cannot read the replay log")
    );
    let directory = Workload {
        replay: Some(folder.path().display().to_string()),
        ..Workload::default()
    };
    assert!(
        read_log(&directory)
            .expect_err("directory")
            .to_string()
            .contains("regular file")
    );
    let job = job(folder.path(), LOG, "").expect("job");
    fs::write(
        folder.path().join("some.log"),
        LOG.replace("8192 4096", "8192 65536"),
    )
    .expect("log");
    let error = ReplayLog::load(&job.workload).expect_err("another log");
    assert!(error.contains("has changed since"), "{error}");
}

fn execute(job: &Job) -> (StopReason, Vec<Tick>) {
    let mut fill = |_: u32, _: u64, bytes: &mut [u8]| bytes.fill(0x11);
    let stop = AtomicBool::new(false);
    let mut preparing = Preparing {
        fill: &mut fill,
        stop: &stop,
        progress: &mut |_| {},
    };
    let site = Site::claim(
        &job.target,
        &Needs::of([&job.workload], 1),
        &Overwrite::No.into(),
        &mut preparing,
    )
    .expect("a site");
    let mut ticks = Vec::new();
    let assignment = Assignment {
        job,
        site: Some(&site),
        live_files: None,
        verifier: None,
        seed: 5,
    };
    let ended = run_execution(0, &[assignment], Clock::start(), &stop, &mut |event| {
        if let LoadEvent::Tick(tick) = event {
            ticks.push(tick);
        }
    });
    site.release().expect("released");
    (ended.unwrap_or_else(|error| panic!("{error}")), ticks)
}

/// Count and bytes of a kind.
fn moved(ticks: &[Tick], kind: OperationKind) -> (u64, u64) {
    let measured = ticks
        .iter()
        .filter(|tick| tick.phase != Phase::WarmUp)
        .flat_map(|tick| &tick.kinds);
    measured
        .filter(|counted| counted.kind == kind)
        .fold((0, 0), |sum, counted| {
            (sum.0 + counted.count, sum.1 + counted.bytes)
        })
}

/// On a real file, with every engine that can: exactly the offsets of the log are written.
#[test]
fn a_real_file_is_written_where_the_log_says() {
    let log = "fio version 3 iolog\n0 /elsewhere/a add\n1 /elsewhere/a write 4096 1024\n2 /elsewhere/a write 100 50\n3 /elsewhere/a datasync 0 0\n\
               4 /elsewhere/a read 0 8192\n5 /elsewhere/a write 20000 4096\n";
    for (engine, workers) in [("sync", 1u32), ("sync", 3), ("auto", 1), ("mmap", 1)] {
        let folder = tempfile::tempdir().expect("folder");
        let target = folder.path().join("target");
        let keys = format!(
            "engine={engine} workers={workers} content=pattern:ee keep=true target={}",
            target.display()
        );
        let job = job(folder.path(), log, &keys).expect("job");
        assert_eq!(job.workload.size.map(|size| size.0), Some(24_096));
        let (ended, ticks) = execute(&job);
        assert_eq!(ended, StopReason::Operations, "{engine}");
        let times = u64::from(workers);
        assert_eq!(
            moved(&ticks, OperationKind::Write),
            (3 * times, 5170 * times),
            "{engine}"
        );
        assert_eq!(
            moved(&ticks, OperationKind::Read),
            (times, 8192 * times),
            "{engine}"
        );
        assert_eq!(moved(&ticks, OperationKind::Flush), (times, 0), "{engine}");
        let bytes = fs::read(&target).expect("target");
        assert_eq!(bytes.len(), 24_096);
        let is_written = |at: usize| {
            (4096..5120).contains(&at) || (100..150).contains(&at) || (20_000..24_096).contains(&at)
        };
        assert!(
            bytes
                .iter()
                .enumerate()
                .all(|(at, byte)| *byte == if is_written(at) { 0xee } else { 0x11 }),
            "{engine}"
        );
        assert!(!Path::new("/elsewhere").exists());
    }
}

/// Workers with files of their own each replay the entire log.
#[test]
fn workers_with_files_of_their_own_each_replay_the_entire_log() {
    let folder = tempfile::tempdir().expect("folder");
    let target = folder.path().join("target");
    fs::create_dir(&target).expect("directory");
    let log = "fio version 2 iolog\nf read 0 4096\nf read 12288 512\nf read 4096 4096\n";
    let job = job(
        folder.path(),
        log,
        &format!(
            "engine=sync workers=2 layout=own target={}",
            target.display()
        ),
    )
    .expect("job");
    let (ended, ticks) = execute(&job);
    assert_eq!(
        (ended, moved(&ticks, OperationKind::Read)),
        (StopReason::Operations, (6, 2 * 8704))
    );
}
