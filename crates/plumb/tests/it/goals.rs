//! Do jobs start on time, is a latency limit checked, and does a step end at steady state - in plans, and as in fio?

use std::fs;
use std::path::Path;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::Duration;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::{json_of, measured, output_of, plumb_in};

/// fio's result of a job file; `None` where fio is not installed.
fn result_of_fio(folder: &Path, file: &str) -> Option<Value> {
    let Ok(output) = Command::new("fio")
        .current_dir(folder)
        .args(["--output-format=json", file])
        .output()
    else {
        println!("skipped: fio is not installed: {file} is not compared with it");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let json = &text[text
        .find('{')
        .unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)))..];
    Some(serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

fn texts(summary: &Value) -> Vec<&str> {
    summary["verdict"]
        .as_array()
        .expect("a verdict")
        .iter()
        .filter_map(|sentence| sentence["text"].as_str())
        .collect()
}

/// The ticks of a run: (job, start in nanoseconds, end).
fn ticks(folder: &Path) -> Vec<(u64, u64, u64)> {
    let mut ticks = Vec::new();
    plumb_record::each_tick(&folder.join("out"), |tick| {
        ticks.push((u64::from(tick.job), tick.start_ns, tick.end_ns))
    })
    .expect("ticks");
    ticks
}

const LATE: &str = "[global]\nrw=randread\nbs=4k\nsize=1m\nioengine=psync\ntime_based\n\
                    [main]\nruntime=900ms\nrate_iops=1000\n[late]\nruntime=300ms\nstartdelay=400ms\n";

#[test]
fn a_job_of_a_job_file_begins_later_and_has_figures_of_its_own_time() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("late.fio"), LATE).expect("job file");
    let summary = measured(plumb_in(
        folder.path(),
        "run late.fio --json --quiet --output out",
    ));
    assert_eq!(
        summary["plan"]["steps"][0]["jobs"][1]["workload"]["start-delay"],
        "400ms"
    );
    let ticks = ticks(folder.path());
    let begun_ns = |job: u64| {
        ticks
            .iter()
            .filter(|tick| tick.0 == job)
            .map(|tick| tick.1)
            .min()
            .expect("ticks")
    };
    assert!(
        begun_ns(1) >= begun_ns(0) + 400_000_000,
        "{} and {}",
        begun_ns(0),
        begun_ns(1)
    );
    let late = &summary["steps"][0]["jobs"][1];
    assert_eq!(late["name"], "late");
    let (count, iops) = (
        late["operations"]["read"]["count"].as_f64().expect("count"),
        late["operations"]["read"]["iops"].as_f64(),
    );
    // Its rate is that of its own 300 ms, and not of the step's 900 ms.
    assert!(
        iops.is_some_and(|iops| count / iops < 0.8),
        "{count} reads at {iops:?}/s"
    );
    assert!(
        texts(&summary)
            .iter()
            .any(|text| text.starts_with("'late' alongside 'main', starting after 400 ms")),
        "{:?}",
        texts(&summary)
    );
    if let Some(theirs) = result_of_fio(folder.path(), "late.fio") {
        let [main, theirs] = theirs["jobs"].as_array().expect("jobs").as_slice() else {
            panic!("two jobs")
        };
        assert_eq!(
            (&main["jobname"], &theirs["jobname"]),
            (&"main".into(), &"late".into())
        );
        // It ran for its own 300 ms under fio too, and the main job at the rate that it was given, here and there.
        let runtime = theirs["read"]["runtime"].as_f64().expect("ms");
        let ours = summary["steps"][0]["jobs"][0]["operations"]["read"]["iops"]
            .as_f64()
            .expect("a rate");
        let rate = main["read"]["iops"].as_f64().expect("a rate");
        assert!((250.0..600.0).contains(&runtime), "{runtime} ms");
        assert!(
            (rate / 1000.0 - 1.0).abs() < 0.2 && (ours / 1000.0 - 1.0).abs() < 0.2,
            "1,000/s were asked for: {ours} here, {rate} with fio"
        );
    }
}

#[test]
fn a_job_that_never_began_is_a_warning_and_no_figure() {
    let folder = tempfile::tempdir().expect("folder");
    let plan = "[[step]]\nname = 'short'\noperations = 100\ntarget = './x'\nsize = '1m'\n[[step.beside]]\nname = 'late'\ntarget = './x'\nsize = '1m'\nstart-delay = '1h'\n";
    fs::write(folder.path().join("p.toml"), plan).expect("plan");
    let summary = measured(plumb_in(
        folder.path(),
        "run p.toml --json --quiet --output out",
    ));
    let [main, late] = summary["steps"][0]["jobs"]
        .as_array()
        .expect("jobs")
        .as_slice()
    else {
        panic!("two jobs")
    };
    assert_eq!(main["operations"]["read"]["count"], 100);
    assert!(
        late["operations"]
            .as_object()
            .is_some_and(|operations| operations.is_empty()),
        "{late}"
    );
    let notes = fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    assert!(
        notes.contains("job-never-began") && notes.contains("late"),
        "{notes}"
    );
}

fn ladder(limit: &str) -> String {
    format!(
        "[defaults]\ntarget = './x'\nsize = '1m'\ntime = '60ms'\ninterval = '20ms'\n\
         [[step]]\nname = 'read'\nlatency-limit = '{limit}'\nlatency-limit-percentile = 99\n[step.sweep]\ndepth = [1, 2, 4]\n"
    )
}

#[test]
fn a_ladder_names_the_greatest_depth_that_keeps_the_limit() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("p.toml"), ladder("1h")).expect("plan");
    let summary = measured(plumb_in(
        folder.path(),
        "run p.toml --json --quiet --output out",
    ));
    let verdicts: Vec<&Value> = summary["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| &step["latency_limits"][0]["verdict"])
        .collect();
    assert_eq!(verdicts, ["kept"; 3]);
    let sentence = "99 % completed within 1 h 0 min up to the largest value tried, depth 4 (";
    assert!(
        texts(&summary).iter().any(|text| text.contains(sentence)),
        "{:?}",
        texts(&summary)
    );
    for line in ["show out", "export out --format markdown"] {
        let shown = output_of(plumb_in(folder.path(), line), 0)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(shown.contains(sentence), "{line}: {shown}");
    }
    assert!(
        fs::read_to_string(folder.path().join("out/report.html"))
            .expect("report")
            .contains(sentence)
    );
    fs::write(folder.path().join("q.toml"), ladder("1ns")).expect("plan");
    let missed = measured(plumb_in(
        folder.path(),
        "run q.toml --json --quiet --no-report",
    ));
    assert!(texts(&missed).iter().any(|text| text.contains(
        "99 % did not complete within 1 ns even at the smallest value tried, depth 1: it was "
    )));
    let rules: Vec<&Value> = missed["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| &finding["rule"])
        .collect();
    assert!(
        rules.contains(&&Value::from("latency_limit_missed")),
        "{rules:?}"
    );
}

/// A file system that serves one read after the other, 10 ms each: at depth n a read takes n times that, and half of them end within 35 ms up to
/// depth 3, however late a busy machine wakes some.
#[test]
#[cfg(target_os = "linux")]
fn a_latency_target_of_a_job_file_finds_the_depth_that_fio_finds() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(served) = FaultFs::mount(Options::default()) else {
        return;
    };
    let text = format!(
        "[device]\ndirectory={}\nrw=randread\nbs=4k\nsize=1m\nioengine=libaio\ndirect=1\niodepth=8\nlatency_target=35ms\nlatency_window=600ms\n\
         latency_percentile=50\nruntime=9\ntime_based\n",
        served.path().display()
    );
    fs::write(folder.path().join("target.fio"), text).expect("job file");
    served
        .inject(Fault::always(Call::Read, Effect::Serve(Duration::from_millis(10))).of_size(4096));
    let told = plumb_in(folder.path(), "run target.fio --dry-run")
        .output()
        .expect("started");
    assert!(
        String::from_utf8_lossy(&told.stderr)
            .contains("measures each of the depths 1, 2, 3, 4, 6, 8 for"),
        "{told:?}"
    );
    let summary = measured(plumb_in(
        folder.path(),
        "run target.fio --set time=1s --json --quiet --output out --no-report",
    ));
    let said = texts(&summary);
    assert!(
        said.iter().any(|text| text
            .contains("depth 3 is the largest value at which 50 % completed within 35 ms")),
        "{said:?}"
    );
    let ours = json_of(
        plumb_in(folder.path(), "fio target.fio --output-format=json"),
        0,
    );
    assert_eq!(ours["jobs"][0]["latency_depth"], 3);
    if let Some(theirs) = result_of_fio(folder.path(), "target.fio") {
        // It settles after few windows, and one that a busy machine disturbs takes it one deeper or less deep.
        let depth = theirs["jobs"][0]["latency_depth"]
            .as_u64()
            .expect("a depth");
        assert!((2..=4).contains(&depth), "{}", theirs["jobs"][0]);
    }
    assert_eq!(
        json_of(
            plumb_in(
                folder.path(),
                "run target.fio --dry-run --json --set depth=2"
            ),
            0
        )["plan"]["steps"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

/// No three figures depart from their mean by more than twice the mean: the criterion holds as soon as there is a window.
#[test]
fn a_job_that_waits_to_be_steady_ends_as_under_fio() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "[steady]\nrw=randread\nbs=4k\nsize=1m\nioengine=psync\nrate_iops=2000\ntime_based\nruntime=60\nss=iops:300%\nss_dur=3\n";
    fs::write(folder.path().join("steady.fio"), text).expect("job file");
    let summary = measured(plumb_in(
        folder.path(),
        "run steady.fio --json --quiet --output out",
    ));
    let step = &summary["steps"][0];
    assert_eq!(
        (&step["ended_by"], &step["until_steady"][0]["reached"]),
        (&"steady".into(), &true.into())
    );
    let ours = step["until_steady"][0]["mean"].as_f64().expect("a mean");
    assert!(
        texts(&summary)[0]
            .starts_with("'steady' was steady after 3 s of at most 1 min 0 s: over the last 3 s "),
        "{:?}",
        texts(&summary)
    );
    json_of(plumb_in(folder.path(), "show out --json"), 0);
    output_of(
        plumb_in(
            folder.path(),
            "export out --format fio-json --output exported",
        ),
        0,
    );
    let exported: Value = serde_json::from_str(
        &fs::read_to_string(folder.path().join("exported")).expect("exported"),
    )
    .expect("JSON");
    let mine = &exported["jobs"][0]["steadystate"];
    assert_eq!(
        (&mine["attained"], &mine["duration"]),
        (&1.into(), &3.into()),
        "{mine}"
    );
    let Some(theirs) = result_of_fio(folder.path(), "steady.fio") else {
        return;
    };
    let theirs = &theirs["jobs"][0]["steadystate"];
    assert_eq!(mine["attained"], theirs["attained"]);
    assert_eq!(mine["ss"], theirs["ss"]);
    let keys = |value: &Value| {
        value
            .as_object()
            .map(|map| map.keys().cloned().collect::<Vec<_>>())
    };
    assert_eq!(
        (keys(mine), keys(&mine["data"])),
        (keys(theirs), keys(&theirs["data"]))
    );
    let mean = theirs["data"]["iops_mean"].as_f64().expect("a mean");
    println!("mean of the window: {ours} here, {mean} with fio");
    assert!(
        (ours / mean - 1.0).abs() < 0.25,
        "2,000 were asked for: {ours} here, {mean} with fio"
    );
}

#[test]
fn a_step_that_is_not_steady_says_so_with_its_figures() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "run --target ./x --size 1m --time 400ms --interval 20ms --set until-steady=iops_slope --json --quiet --output out";
    let mut command = plumb_in(folder.path(), line);
    command.args([
        "--set",
        "until-steady=iops slope 0.00000001% over 100ms after 40ms",
    ]);
    let refused = command.output().expect("started");
    assert_eq!(
        refused.status.code(),
        Some(2),
        "what is no criterion is refused"
    );
    let mut command = plumb_in(
        folder.path(),
        &line.replace(" --set until-steady=iops_slope", ""),
    );
    command.args([
        "--set",
        "until-steady=iops slope 0.00000001% over 100ms after 40ms",
    ]);
    let summary = measured(command);
    assert_eq!(summary["steps"][0]["ended_by"], "time");
    let said = texts(&summary);
    assert!(
        said[0].contains("was NOT steady when time ended it: over the last 100 ms ")
            && said[0].contains("with a slope of "),
        "{said:?}"
    );
    let announced = plumb_in(
        folder.path(),
        "run --target ./x --size 1m --no-report --set",
    )
    .args(["until-steady=iops deviation 2% over 30s", "--dry-run"])
    .output();
    let announced = announced.expect("started");
    let text = String::from_utf8_lossy(&announced.stdout).into_owned()
        + &String::from_utf8_lossy(&announced.stderr);
    assert!(
        text.contains("iops deviation 2% over 30s")
            && text.contains("for at least 30 s and at most 5 min 0 s"),
        "{text}"
    );
}
