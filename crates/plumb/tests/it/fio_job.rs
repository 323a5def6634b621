//! Do fio job files run, and transfer as much data as under fio?

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{json_of, left_in, measured, output_of, plumb_in, refusal_of};

/// A job file in the style of fio's documentation, and the steps that stand for its jobs.
struct Sample {
    name: &'static str,
    text: &'static str,
    /// Steps here that stand for fio's jobs, in their order.
    steps: &'static [usize],
}

/// All end by the amount they move, so that both programs must count the same.
const SAMPLES: &[Sample] = &[
    Sample {
        name: "basic-random-read",
        text: "; -- start job file --\n[random-read]\nrw=randread\nsize=4m\nbs=4k\nioengine=psync\n; -- end job file --\n",
        steps: &[0],
    },
    Sample {
        name: "ssd-test",
        text: "# Do some important numbers on SSD drives.\n[global]\nbs=4k\nioengine=psync\niodepth=4\nsize=2m\nfilename=ssd.test.file\n\n\
               [seq-read]\nrw=read\nstonewall\n\n[rand-read]\nrw=randread\nstonewall\n\n[seq-write]\nrw=write\nstonewall\n\n[rand-write]\nrw=randwrite\nstonewall\n",
        steps: &[0, 1, 2, 3],
    },
    Sample {
        name: "clones",
        text: "[random-writers]\nioengine=psync\nrw=randwrite\nbs=32k\ndirect=0\nsize=2m\nnumjobs=4\ngroup_reporting\n",
        steps: &[0],
    },
    Sample {
        name: "split-sizes",
        text: "[global]\ninclude common.inc\n[split]\nrw=randread\nbssplit=4k/50:64k/50\nsize=8m\nio_size=16m\n",
        steps: &[0],
    },
    Sample {
        name: "poisson",
        text: "[arrivals]\nrw=randread\nbs=4k\nioengine=psync\nsize=1m\nio_size=1m\nrate_iops=2000\nrate_process=poisson\n",
        steps: &[0],
    },
    Sample {
        name: "verify",
        text: "[write-and-verify]\nrw=randwrite\nbs=4k\nioengine=psync\nverify=crc32c\nsize=2m\n",
        steps: &[0],
    },
    Sample {
        name: "by-count",
        text: "[few]\nrw=rw\nrwmixread=60\nbs=8k\nioengine=psync\nsize=4m\nnumber_ios=200\n",
        steps: &[0],
    },
    Sample {
        name: "directions",
        text: "[unlike]\nrw=randrw\nrwmixread=60\nbs=4k,16k\npercentage_random=50,100\nioengine=sync\nsize=4m\nio_size=32m\n",
        steps: &[0],
    },
    Sample {
        name: "sequential-mix",
        text: "[mix]\nrw=rw\nbssplit=4k/50:8k/50,32k/100\nioengine=psync\nsize=8m\n",
        steps: &[0],
    },
    Sample {
        name: "flushed",
        text: "[new]\nrw=write\nbs=64k\nioengine=psync\nsize=4m\nend_fsync=1\n",
        steps: &[0],
    },
    Sample {
        name: "loops",
        text: "[again]\nrw=write\nbs=64k\nioengine=psync\nsize=1m\nloops=3\n",
        steps: &[0],
    },
];

fn write_sample(folder: &Path, sample: &Sample) {
    fs::write(folder.join("common.inc"), "ioengine=psync\n").expect("included file");
    fs::write(folder.join(format!("{}.fio", sample.name)), sample.text).expect("job file");
}

/// Bytes that a step moved: reads and writes of the job, over all rounds.
fn bytes_here(summary: &Value, step: usize) -> u64 {
    let operations = &summary["steps"][step]["operations"];
    ["read", "write"]
        .iter()
        .filter_map(|kind| operations[*kind]["bytes"].as_u64())
        .sum()
}

/// Bytes that fio's job moved; `None` where fio is not installed.
fn bytes_of_fio(folder: &Path, sample: &Sample) -> Option<Vec<u64>> {
    let output = Command::new("fio")
        .current_dir(folder)
        .arg("--output-format=json")
        .arg(format!("{}.fio", sample.name))
        .output();
    let Ok(output) = output else {
        println!(
            "skipped: fio is not installed: {} is not compared with it",
            sample.name
        );
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let json = &text[text.find('{').expect("JSON")..];
    fs::write(folder.join("fio.json"), json).expect("written");
    let document: Value = serde_json::from_str(json)
        .unwrap_or_else(|error| panic!("{}: {error}\n{text}", sample.name));
    let jobs = document["jobs"].as_array().expect("jobs");
    let bytes = |job: &Value, direction: &str| job[direction]["io_bytes"].as_u64().expect("bytes");
    // What fio reads back to verify is no part of the job.
    let reads = sample.name != "verify";
    Some(
        jobs.iter()
            .map(|job| if reads { bytes(job, "read") } else { 0 } + bytes(job, "write"))
            .collect(),
    )
}

#[test]
fn job_files_move_as_much_as_under_fio() {
    for sample in SAMPLES {
        let folder = tempfile::tempdir().expect("folder");
        write_sample(folder.path(), sample);
        let summary = measured(plumb_in(
            folder.path(),
            &format!(
                "run {}.fio --json --quiet --output out --no-report",
                sample.name
            ),
        ));
        assert_eq!(summary["plan"]["name"], sample.name);
        let ours: Vec<u64> = sample
            .steps
            .iter()
            .map(|step| bytes_here(&summary, *step))
            .collect();
        assert!(
            ours.iter().all(|bytes| *bytes > 0),
            "{}: {ours:?}",
            sample.name
        );
        let mut expected = [
            format!("{}.fio", sample.name),
            "common.inc".into(),
            "out".into(),
        ];
        expected.sort();
        assert_eq!(left_in(folder.path()), expected, "{}", sample.name);
        let Some(theirs) = bytes_of_fio(folder.path(), sample) else {
            continue;
        };
        println!("{}: {ours:?} bytes here, {theirs:?} with fio", sample.name);
        assert_eq!(ours.len(), theirs.len(), "{}", sample.name);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            // With several block sizes either program may go over by part of its largest block.
            assert!(
                ours.abs_diff(*theirs) <= 64 << 10,
                "{}: {ours} bytes here, {theirs} with fio",
                sample.name
            );
        }
        // fio's own result of the job file is one of the same work. What it reads back to verify is a step of its own here only.
        let comparison = json_of(plumb_in(folder.path(), "compare fio.json out --json"), 0);
        let refused = comparison["refused"]
            .as_array()
            .expect("refused")
            .iter()
            .filter(|refusal| refusal["step"] != "write-and-verify verify");
        assert_eq!(
            refused.count(),
            0,
            "{}: {}",
            sample.name,
            comparison["refused"]
        );
        assert!(
            comparison["cells"]
                .as_array()
                .is_some_and(|cells| !cells.is_empty()),
            "{}: {comparison}",
            sample.name
        );
    }
}

/// Reads and writes with blocks of their own: as many of each as fio does, by the shares of both.
#[test]
fn each_direction_has_its_share_as_under_fio() {
    let folder = tempfile::tempdir().expect("folder");
    let sample = SAMPLES
        .iter()
        .find(|sample| sample.name == "directions")
        .expect("sample");
    write_sample(folder.path(), sample);
    let summary = measured(plumb_in(
        folder.path(),
        "run directions.fio --json --quiet --output out --no-report",
    ));
    let operations = &summary["steps"][0]["operations"];
    let count = |kind: &str| operations[kind]["count"].as_f64().expect("count");
    assert_eq!(
        operations["read"]["bytes"].as_f64(),
        Some(count("read") * 4096.0)
    );
    assert_eq!(
        operations["write"]["bytes"].as_f64(),
        Some(count("write") * 16384.0)
    );
    let ours = count("read") / (count("read") + count("write"));
    let output = Command::new("fio")
        .current_dir(folder.path())
        .args(["--output-format=json", "directions.fio"])
        .output();
    let Ok(output) = output else {
        return println!(
            "skipped: fio is not installed: shares of directions are not compared with it"
        );
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let job = serde_json::from_str::<Value>(&text[text.find('{').expect("JSON")..]).expect("JSON")
        ["jobs"][0]
        .clone();
    let of = |direction: &str| job[direction]["total_ios"].as_f64().expect("count");
    let theirs = of("read") / (of("read") + of("write"));
    // 3,600 draws each: five standard deviations of either are 0.041.
    assert!(
        (ours - 0.6).abs() < 0.041 && (ours - theirs).abs() < 0.06,
        "{ours} here, {theirs} with fio"
    );
}

#[test]
fn a_flush_ends_the_job_and_pages_are_dropped_before_it_begins() {
    let folder = tempfile::tempdir().expect("folder");
    let sample = SAMPLES
        .iter()
        .find(|sample| sample.name == "flushed")
        .expect("sample");
    write_sample(folder.path(), sample);
    let summary = measured(plumb_in(
        folder.path(),
        "run flushed.fio --json --quiet --output out --no-report",
    ));
    let (step, workload) = (
        &summary["steps"][0],
        &summary["plan"]["steps"][0]["jobs"][0]["workload"],
    );
    assert_eq!(
        (
            &step["operations"]["write"]["count"],
            &step["operations"]["flush"]["count"]
        ),
        (&64.into(), &1.into())
    );
    assert_eq!(
        (
            &workload["fresh"],
            &workload["cold"],
            &workload["flush-at-end"]
        ),
        (&true.into(), &true.into(), &true.into())
    );
}

#[test]
fn what_is_written_with_verify_is_read_back() {
    let folder = tempfile::tempdir().expect("folder");
    let sample = SAMPLES
        .iter()
        .find(|sample| sample.name == "verify")
        .expect("sample");
    write_sample(folder.path(), sample);
    let summary = measured(plumb_in(
        folder.path(),
        "run verify.fio --json --quiet --output out --no-report",
    ));
    let steps = summary["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[1]["operations"]["read"]["bytes"], 2 << 20);
    assert_eq!(steps[1]["operations"]["read"]["errors"], 0);
    let notes = fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    assert!(notes.contains("\"checked\":{\"count\":512}"), "{notes}");
}

#[test]
fn files_are_created_as_many_as_fio_creates() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(
        folder.path().join("create.fio"),
        "[create]\nioengine=filecreate\nnrfiles=120\nnumjobs=2\nfilesize=4k\n",
    )
    .expect("job file");
    let summary = measured(plumb_in(
        folder.path(),
        "run create.fio --json --quiet --output out --no-report",
    ));
    assert_eq!(summary["steps"][0]["operations"]["create"]["count"], 240);
    assert_eq!(left_in(folder.path()), ["create.fio", "out"]);
    match Command::new("fio")
        .current_dir(folder.path())
        .args(["--output=fio.txt", "create.fio"])
        .status()
    {
        Ok(_) => {
            let made = left_in(folder.path())
                .iter()
                .filter(|name| name.starts_with("create.") && *name != "create.fio")
                .count();
            assert_eq!(made, 240);
        }
        Err(error) => println!("skipped: fio is not installed ({error})"),
    }
}

#[test]
fn what_differs_is_told_before_the_announcement_and_dry_runs_show_origins() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "[a]\nrw=randread\nbs=8k\nioengine=posixaio\nsize=1m\nruntime=100ms\ntime_based\nthread\ngroup_reporting\n";
    fs::write(folder.path().join("my.fio"), text).expect("job file");
    let output = plumb_in(folder.path(), "run my.fio --dry-run --set depth=3")
        .output()
        .expect("started");
    let (out, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(
        error.contains("accepted, without effect here: thread."),
        "{error}"
    );
    assert!(
        error.contains("ioengine=posixaio: plumb's closest engine is io_uring"),
        "{error}"
    );
    assert!(
        out.contains("plan file") && out.contains("--set") && out.contains("8k"),
        "{out}"
    );
    let run = plumb_in(
        folder.path(),
        "run my.fio --set engine=sync --output out --no-report",
    )
    .output()
    .expect("started");
    let told = String::from_utf8_lossy(&run.stderr);
    let (remark, announced) = (told.find("without effect"), told.find("plan my on"));
    assert!(
        remark.is_some() && announced.is_some() && remark < announced,
        "{told}"
    );
    let plan = json_of(plumb_in(folder.path(), "run my.fio --dry-run --json"), 0);
    assert_eq!(plan["plan"]["steps"][0]["origins"][0]["block"], "plan file");
}

#[test]
fn a_job_file_is_printed_as_a_plan_that_runs() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(
        folder.path().join("my.fio"),
        "[a]\nrw=write\nsize=256k\nbs=64k\n[b]\nstonewall\nrw=read\nsize=${HOW_MUCH}\n",
    )
    .expect("job file");
    let mut command = plumb_in(folder.path(), "plans my.fio");
    command.env("HOW_MUCH", "2*$pagesize");
    let printed = output_of(command, 0);
    fs::write(folder.path().join("mine.toml"), &printed).expect("plan");
    let summary = measured(plumb_in(
        folder.path(),
        "run mine.toml --json --quiet --output out --no-report",
    ));
    assert_eq!(bytes_here(&summary, 0), 256 << 10, "{printed}");
    assert!(bytes_here(&summary, 1) >= 8192, "{printed}");
}

#[test]
fn job_files_write_over_nothing_that_exists_and_are_refused_by_line() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("precious"), "precious".repeat(1000)).expect("file");
    fs::write(
        folder.path().join("w.fio"),
        "[w]\nrw=write\nfilename=precious\nsize=4k\n",
    )
    .expect("job file");
    let error = refusal_of(plumb_in(folder.path(), "run w.fio --quiet"));
    assert!(
        error.contains("precious") && error.contains("--overwrite"),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("precious")).expect("file"),
        "precious".repeat(1000)
    );
    for (text, expected) in [
        (
            "[a]\nrw=randread\nread_iolog=x\nzonemode=zbd\n",
            "bad.fio, line 4: zonemode is not supported here",
        ),
        (
            "[a]\nioengine=rbd\n",
            "line 2: [a] ioengine: plumb has no equivalent of the engine rbd",
        ),
        ("[a]\ninclude missing.inc\n", "missing.inc"),
        ("[a]\nreadwrite=sideways\n", "not one of read"),
        ("\u{0}[", "bad.fio"),
    ] {
        fs::write(folder.path().join("bad.fio"), text).expect("job file");
        let error = refusal_of(plumb_in(folder.path(), "run bad.fio"));
        assert!(error.contains(expected), "{text}: {error}");
    }
    assert!(refusal_of(plumb_in(folder.path(), "run none.fio")).contains("none.fio"));
    assert_eq!(left_in(folder.path()), ["bad.fio", "precious", "w.fio"]);
}
