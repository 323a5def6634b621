//! Do complete steps on real files do what their workload specifies: passes, rewrites, flushes, and ends that are errors?

use std::collections::BTreeMap;
use std::path::Path;

use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::Phase;
use plumb_model::workload::OperationKind;
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

use super::*;
use crate::site::{Needs, Overwrite, Preparing, Site};
use plumb_model::workload::Job;

const BLOCK: u64 = 4096;
const BLOCKS: u64 = 61;

/// What a step did.
struct Ran {
    ended: StopReason,
    ticks: Vec<Tick>,
}

impl Ran {
    fn counts(&self) -> BTreeMap<&'static str, (u64, u64)> {
        let mut counts = BTreeMap::new();
        for kind in self.ticks.iter().flat_map(|tick| &tick.kinds) {
            let sum: &mut (u64, u64) = counts.entry(kind.kind.word()).or_default();
            *sum = (sum.0 + kind.count, sum.1 + kind.bytes);
        }
        counts
    }
}

/// An ad-hoc job of these keys: `mix=read block=4k`; an underscore stands for a space.
fn job(target: &Path, keys: &str) -> Job {
    let set = keys
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, text)| (key.into(), text.replace('_', " ")))
        .collect();
    let flags = vec![("target".into(), target.display().to_string())];
    let plan = resolve(
        &PlanFile::ad_hoc(),
        &Overrides { set, flags },
        PlanKind::AdHoc,
    )
    .unwrap_or_else(|error| panic!("{keys}: {error}"));
    plan.steps[0].jobs[0].clone()
}

/// A site for a job; each byte is a function of its offset.
fn site(job: &Job) -> Site {
    let needs = Needs {
        size_bytes: Some(BLOCK * BLOCKS),
        ..Needs::of([&job.workload], 1)
    };
    let mut fill = |_: u32, offset: u64, bytes: &mut [u8]| {
        bytes
            .iter_mut()
            .zip(offset..)
            .for_each(|(byte, at)| *byte = (at / 7) as u8)
    };
    let stop = AtomicBool::new(false);
    let mut preparing = Preparing {
        fill: &mut fill,
        stop: &stop,
        progress: &mut |_| {},
    };
    Site::claim(&job.target, &needs, &Overwrite::No.into(), &mut preparing).expect("a site")
}

fn execute(job: &Job, site: &Site) -> Ran {
    let mut ticks = Vec::new();
    let assignment = Assignment {
        job,
        site: Some(site),
        live_files: None,
        verifier: None,
        seed: 5,
    };
    let stop = AtomicBool::new(false);
    let ended = run_execution(0, &[assignment], Clock::start(), &stop, &mut |event| {
        if let LoadEvent::Tick(tick) = event {
            ticks.push(tick);
        }
    });
    Ran {
        ended: ended.unwrap_or_else(|error| panic!("{error}")),
        ticks,
    }
}

/// Jobs of a flow group on the null target, side by side for a fifth of a second: their operations in the first three intervals, in which none of them
/// has ended, whatever the machine does.
fn in_flow(weights: &[&str]) -> Vec<u64> {
    let job = |weight: &&str| {
        let keys = format!("time=200ms interval=50ms flow-weight={weight} to-its-end=true");
        job(Path::new("null:"), &keys)
    };
    let jobs: Vec<Job> = weights.iter().map(job).collect();
    let assigned = |job| Assignment {
        job,
        site: None,
        live_files: None,
        verifier: None,
        seed: 5,
    };
    let assignments: Vec<Assignment<'_>> = jobs.iter().map(assigned).collect();
    let (stop, mut counts) = (AtomicBool::new(false), vec![0; weights.len()]);
    let mut intervals = vec![0; weights.len()];
    let ended = run_execution(0, &assignments, Clock::start(), &stop, &mut |event| {
        if let LoadEvent::Tick(tick) = event {
            let done: u64 = tick.kinds.iter().map(|kind| kind.count).sum();
            let job = tick.job as usize;
            intervals[job] += 1;
            counts[job] += if intervals[job] <= 3 { done } else { 0 };
        }
    });
    assert_eq!(ended.expect("it ran"), StopReason::Time);
    counts
}

/// fio 3.33 with ioengine=null and flow=1 beside flow=8: 470352 and 3762801 operations.
#[test]
fn jobs_of_a_flow_group_keep_their_proportion() {
    // How many there are depends on the machine; that neither gets ahead does not, but for what is in hand at the end of an interval, which a busy machine
    // makes longer: then it is tried again. Without the group both do as many, however often it is tried.
    let in_proportion = |counts: &Vec<u64>| {
        let (light, heavy) = (counts[0], counts[1]);
        light > 0 && heavy.abs_diff(8 * light) <= 64 + heavy / 20
    };
    let mut attempts = Vec::new();
    while !attempts.last().is_some_and(in_proportion) {
        assert!(attempts.len() < 10, "{attempts:?}");
        attempts.push(in_flow(&["1", "8"]));
    }
}

/// One pass of rewrites adds one to the first byte of each block, by whichever engine, order, layout and number of workers; nothing else changes.
#[test]
fn a_pass_of_rewrites_changes_each_block_once() {
    let engines = [
        "engine=sync",
        "positioned=false",
        "engine=stdio",
        "per-character=true",
        "stdio-buffer=64k",
        "engine=mmap",
        "engine=auto",
    ];
    for engine in engines {
        for (layout, workers) in [
            ("shared", 1),
            ("shared", 4),
            ("own", 3),
            ("own", 4),
            ("stream", 4),
        ] {
            for order in ["random", "sequential"] {
                let folder = tempfile::tempdir().expect("a folder");
                let keys = format!(
                    "mix=rewrite block=4k passes=1 {engine} layout={layout} workers={workers} offsets={order}"
                );
                let job = job(folder.path(), &keys);
                let site = site(&job);
                let before: Vec<Vec<u8>> = site
                    .files()
                    .iter()
                    .map(|file| std::fs::read(&file.path).expect("read"))
                    .collect();
                let ran = execute(&job, &site);
                assert_eq!(ran.ended, StopReason::Bytes, "{keys}");
                for (file, before) in site.files().iter().zip(before) {
                    let after = std::fs::read(&file.path).expect("read");
                    let expected = |(at, byte): (usize, &u8)| {
                        if (at as u64).is_multiple_of(BLOCK) {
                            byte.wrapping_add(1)
                        } else {
                            *byte
                        }
                    };
                    assert!(before.iter().enumerate().map(expected).eq(after), "{keys}");
                }
                assert_eq!(
                    ran.counts()["rewrite"],
                    (BLOCKS, BLOCKS * BLOCK),
                    "{keys}: bytes count once"
                );
            }
        }
    }
}

#[test]
fn a_pass_with_many_in_flight_covers_a_stream_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for (passes, workers) in [(1, 3), (2, 4)] {
        let keys = format!(
            "mix=write block=4k passes={passes} depth=16 layout=stream workers={workers} content=pattern:ab"
        );
        let job = job(folder.path(), &keys);
        let site = site(&job);
        let ran = execute(&job, &site);
        assert_eq!(
            ran.counts()["write"],
            (passes * BLOCKS, passes * BLOCKS * BLOCK),
            "{keys}"
        );
        assert!(
            std::fs::read(&site.files()[0].path)
                .expect("read")
                .iter()
                .all(|byte| *byte == 0xab),
            "{keys}: each block was written"
        );
    }
}

#[test]
fn flushes_between_writes_take_no_place_from_them() {
    let folder = tempfile::tempdir().expect("a folder");
    for keys in [
        "engine=sync",
        "depth=8",
        "offsets=random depth=8",
        "layout=stream workers=2 depth=4",
    ] {
        let job = job(
            folder.path(),
            &format!(
                "mix=write offsets=sequential block=4k passes=1 fsync-every=3 content=pattern:ab {keys}"
            ),
        );
        let site = site(&job);
        let ran = execute(&job, &site);
        assert_eq!(ran.counts()["write"].0, BLOCKS, "{keys}");
        assert!(
            std::fs::read(&site.files()[0].path)
                .expect("read")
                .iter()
                .all(|byte| *byte == 0xab),
            "{keys}: each block was written"
        );
        assert!(
            (19..=20).contains(&ran.counts()["flush"].0),
            "{keys}: {:?}",
            ran.counts()
        );
    }
}

/// The flush of each worker is measured, whatever ends the step: it is the last interval, and nothing drains after it.
#[test]
fn a_flush_at_the_end_is_counted_and_timed() {
    let folder = tempfile::tempdir().expect("a folder");
    for keys in [
        "passes=1 engine=sync",
        "passes=1 engine=stdio",
        "time=30ms depth=16",
        "operations=100 depth=4",
        "passes=1 engine=mmap",
    ] {
        let job = job(
            folder.path(),
            &format!("mix=write block=4k workers=2 flush-at-end=true interval=10ms {keys}"),
        );
        let site = site(&job);
        let ran = execute(&job, &site);
        assert!(
            [StopReason::Time, StopReason::Bytes, StopReason::Operations].contains(&ran.ended),
            "{keys}: {:?}",
            ran.ended
        );
        assert_eq!(ran.counts()["flush"].0, 2, "{keys}");
        assert!(
            ran.ticks.iter().all(|tick| tick.phase == Phase::Measure),
            "{keys}: nothing is in flight after the flush"
        );
        let last = ran.ticks.last().expect("ticks");
        let flush = last
            .kinds
            .iter()
            .find(|kind| kind.kind == OperationKind::Flush)
            .expect("the flush comes last");
        assert!(
            last.end_ns - last.start_ns >= flush.service.max_ns().expect("a time"),
            "{keys}: its time lies in the interval"
        );
    }
}

#[test]
fn reads_that_move_nothing_are_an_error_of_the_step() {
    let folder = tempfile::tempdir().expect("a folder");
    for (keys, left, error) in [
        ("mix=read operations=10", 0, true),
        ("mix=read operations=10 engine=stdio", 0, true),
        ("mix=rewrite passes=1", 0, true),
        ("mix=read time=60s depth=4", 0, true),
        ("mix=read passes=1 workers=2 layout=own", 0, true),
        // Some are there: the others are counted as short, and the step continues.
        ("mix=read offsets=sequential passes=1", 3, false),
        ("mix=read:1,write:1 passes=2", BLOCKS, false),
    ] {
        let job = job(folder.path(), &format!("block=4k {keys}"));
        let site = site(&job);
        for file in site.files() {
            std::fs::OpenOptions::new()
                .write(true)
                .open(&file.path)
                .and_then(|file| file.set_len(left * BLOCK))
                .expect("cut");
        }
        let ran = execute(&job, &site);
        assert_eq!(
            ran.ended
                .error()
                .is_some_and(|error| plumb_words::english(error).contains("returned no data")),
            error,
            "{keys}: {:?}",
            ran.ended
        );
    }
}

/// What fwrite has taken and the kernel refuses when the stream is closed counts as written: the step must not end as if all were well.
#[test]
#[cfg(target_os = "linux")]
fn data_that_a_stream_loses_when_it_is_closed_ends_the_step_with_an_error() {
    let full = Path::new("/dev/full");
    let job = job(
        full,
        "mix=write offsets=sequential block=1k operations=3 size=61k engine=stdio stdio-buffer=64k",
    );
    let ran = execute(&job, &site(&job));
    assert_eq!(ran.counts()["write"].0, 3, "the buffer took them");
    assert!(
        ran.ended
            .error()
            .is_some_and(|error| plumb_words::english(error).contains("No space left")),
        "{:?}",
        ran.ended
    );
    // With a flush at the end the loss is an error of that operation.
    let job = self::job(
        full,
        "mix=write offsets=sequential block=1k operations=3 size=61k engine=stdio stdio-buffer=64k flush-at-end=true",
    );
    let ran = execute(&job, &site(&job));
    let errors: Vec<_> = ran
        .ticks
        .iter()
        .flat_map(|tick| &tick.kinds)
        .flat_map(|kind| kind.errors.keys())
        .collect();
    assert_eq!(errors, ["ENOSPC"]);
}

/// Jobs of these keys together, on nothing: how they ended, their ticks, when the load started, and what was remarked.
fn together(keys: &[&str]) -> (Ran, u64, Vec<String>) {
    let mut jobs: Vec<Job> = keys
        .iter()
        .map(|keys| job(Path::new("null:"), keys))
        .collect();
    jobs.iter_mut()
        .enumerate()
        .for_each(|(number, job)| job.name = format!("job {number}"));
    let assignment = |job| Assignment {
        job,
        site: None,
        live_files: None,
        verifier: None,
        seed: 5,
    };
    let assignments: Vec<Assignment<'_>> = jobs.iter().map(assignment).collect();
    let (mut ticks, mut started_ns, mut remarks) = (Vec::new(), 0, Vec::new());
    let ended = run_execution(
        0,
        &assignments,
        Clock::start(),
        &AtomicBool::new(false),
        &mut |event| match event {
            LoadEvent::Tick(tick) => ticks.push(tick),
            LoadEvent::Started { time_ns } => started_ns = time_ns,
            LoadEvent::Remark { text, .. } => remarks.push(plumb_words::english(&text)),
            _ => {}
        },
    );
    (
        Ran {
            ended: ended.unwrap_or_else(|error| panic!("{error}")),
            ticks,
        },
        started_ns,
        remarks,
    )
}

/// The receiver of events may take any time.
#[test]
fn intervals_are_kept_while_nobody_looks() {
    let job = job(Path::new("null:"), "time=400ms interval=10ms");
    let assignment = Assignment {
        job: &job,
        site: None,
        live_files: None,
        verifier: None,
        seed: 5,
    };
    let (kept, keeping) = unbounded();
    let mut told = 0;
    let mut keep = |tick: &Tick| _ = kept.send(tick.end_ns);
    let ended = run_recorded(
        0,
        &[assignment],
        Clock::start(),
        Orders {
            stop: &AtomicBool::new(false),
            skip: &AtomicBool::new(false),
            may_start: &|| true,
        },
        Keep {
            tick: &mut keep,
            operations: &mut |_| panic!("no operation is logged unless the plan says so"),
        },
        &mut |event| match event {
            // Comes back only when ten intervals have been kept in the meantime.
            LoadEvent::Started { .. } => {
                let ends: Vec<u64> = (0..10)
                    .map(|_| keeping.recv_timeout(Duration::from_secs(30)).expect("kept"))
                    .collect();
                assert!(ends.is_sorted());
            }
            LoadEvent::Tick(_) => told += 1,
            _ => {}
        },
    );
    assert_eq!(
        (ended, told),
        (Ok(StopReason::Time), 10 + keeping.try_iter().count()),
        "what was kept is told as well"
    );
}

const MS: u64 = 1_000_000;

#[test]
fn a_job_begins_when_its_delay_is_over_and_ends_with_the_main_job() {
    // Whoever has a rate is measured from the common start on, also when it is woken late.
    let main = "time=400ms interval=10ms rate=1000";
    for late in [
        "start-delay=80ms interval=10ms workers=2",
        "start-delay=80ms interval=10ms rate=5000",
        "start-delay=70ms warm-up=20ms interval=10ms",
    ] {
        let (ran, started_ns, remarks) = together(&[main, late]);
        assert_eq!((ran.ended, remarks.len()), (StopReason::Time, 0), "{late}");
        let of = |job: u32| ran.ticks.iter().filter(move |tick| tick.job == job);
        let first = |job: u32, phase: Phase| {
            of(job)
                .filter(|tick| tick.phase == phase)
                .map(|tick| tick.start_ns)
                .min()
        };
        let delay_ns = if late.contains("warm-up") {
            70 * MS
        } else {
            80 * MS
        };
        assert_eq!(
            first(0, Phase::Measure),
            Some(started_ns),
            "{late}: the main job does not wait"
        );
        let begun = of(1).map(|tick| tick.start_ns).min();
        assert!(
            begun.is_some_and(|ns| ns >= started_ns + delay_ns),
            "{late}"
        );
        assert_eq!(
            first(1, Phase::WarmUp).is_some(),
            late.contains("warm-up"),
            "{late}: its warm-up is its own"
        );
        if let (Some(warm_up), Some(measure)) = (first(1, Phase::WarmUp), first(1, Phase::Measure))
        {
            assert!(measure >= warm_up + 20 * MS);
        }
        let operations: u64 = of(1)
            .flat_map(|tick| &tick.kinds)
            .map(|kind| kind.count)
            .sum();
        assert!(operations > 0, "{late}");
    }
}

#[test]
fn a_main_job_may_begin_late_too() {
    let (ran, started_ns, _) =
        together(&["start-delay=50ms operations=10", "interval=10ms rate=1000"]);
    assert_eq!(ran.ended, StopReason::Operations);
    let of = |job: u32| ran.ticks.iter().filter(move |tick| tick.job == job);
    assert!(
        of(0).all(|tick| tick.start_ns >= started_ns + 50 * MS),
        "nothing was done before"
    );
    assert_eq!(
        of(1).map(|tick| tick.start_ns).min(),
        Some(started_ns),
        "the other did not wait"
    );
}

#[test]
fn a_job_whose_time_never_came_is_reported() {
    let (ran, _, remarks) = together(&["operations=10", "start-delay=1h workers=3"]);
    assert_eq!(ran.ended, StopReason::Operations);
    assert!(
        ran.ticks.iter().all(|tick| tick.job == 0),
        "it did nothing, and no interval says that it did"
    );
    assert_eq!(
        remarks,
        ["job 'job 1' never started: the main job ended before its start-delay of 1h"]
    );
}

#[test]
fn a_step_ends_when_its_figures_are_steady_or_at_its_time() {
    // No interval of three departs from their mean by more than twice the mean.
    for keys in [
        "workers=1",
        "workers=3 depth=8",
        "rate=2000",
        "warm-up=20ms",
    ] {
        let asked = format!(
            "time=1h interval=10ms until-steady=iops_deviation_1000%_over_30ms_after_20ms {keys}"
        );
        let (ran, ..) = together(&[&asked, "interval=10ms"]);
        assert_eq!(ran.ended, StopReason::Steady, "{keys}");
        let measured = ran
            .ticks
            .iter()
            .filter(|tick| tick.job == 0 && tick.phase == Phase::Measure)
            .count();
        assert!(
            measured >= 4,
            "{keys}: 20 ms and one window of 30 ms, {measured} intervals"
        );
    }
    let (ran, ..) =
        together(&["time=150ms interval=10ms until-steady=iops_slope_0.0000001%_over_100ms"]);
    assert_eq!(ran.ended, StopReason::Time);
}

#[test]
fn a_step_that_is_steady_flushes_at_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = "mix=write block=4k workers=2 flush-at-end=true interval=10ms time=1h until-steady=iops_deviation_1000%_over_30ms";
    let job = job(folder.path(), keys);
    let ran = execute(&job, &site(&job));
    assert_eq!(
        (&ran.ended, ran.counts()["flush"].0),
        (&StopReason::Steady, 2)
    );
}
