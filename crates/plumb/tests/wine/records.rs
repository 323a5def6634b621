//! Are the operations of a seed the same on both systems, and does each read, compare and report what the other recorded?

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{here, is_well, json, on_windows, printed, text_of};

/// Reads and writes of a file as strace saw them: call, bytes, offset.
fn operations(log: &Path) -> Vec<(String, u64, u64)> {
    let text = fs::read_to_string(log).expect("a log");
    let of_line = |line: &str| {
        let begin = ["pread64(", "pwrite64("]
            .iter()
            .find_map(|call| Some((*call, line.find(call)?)))?;
        let (arguments, _) = line[begin.1..].rsplit_once(')')?;
        let mut last = arguments.rsplit(", ");
        let offset = last.next()?.parse().ok()?;
        Some((begin.0.to_string(), last.next()?.parse().ok()?, offset))
    };
    text.lines().filter_map(of_line).collect()
}

#[test]
fn the_same_seed_gives_the_same_operations() {
    let folder = tempfile::tempdir().expect("folder");
    let load = "--mix read:50,write:50 --operations 300 --block 4k --seed 7 --engine sync --quiet --overwrite";
    let mut seen = Vec::new();
    for (name, plumb) in [
        ("linux", Some(here(folder.path(), ""))),
        ("windows", on_windows(folder.path(), "")),
    ] {
        let Some(plumb) = plumb else { return };
        let file = folder.path().join(name);
        fs::write(&file, vec![0; 1 << 20]).expect("file");
        let log = folder.path().join(format!("{name}.strace"));
        let mut traced = Command::new("strace");
        traced
            .args(["-f", "-e", "trace=pread64,pwrite64", "-P"])
            .arg(&file)
            .arg("-o")
            .arg(&log)
            .arg(plumb.get_program())
            .args(plumb.get_args())
            .args(["run", "--target", name, "--output", &format!("{name}.run")])
            .args(load.split(' '))
            .current_dir(folder.path())
            .env("WINEDEBUG", "-all");
        let Ok(output) = traced.output() else {
            return println!("skipped: strace is not installed");
        };
        assert!(is_well(&output), "{}", text_of(&output));
        seen.push((operations(&log), fs::read(&file).expect("file")));
    }
    let [(ours, our_file), (theirs, their_file)] = seen.try_into().expect("two");
    // Beside the load, a few looks at the begin of the file.
    assert!(ours.len() >= 300, "{}", ours.len());
    assert_eq!(ours, theirs);
    assert!(our_file == their_file, "the files differ");
}

/// Short steps: nothing is measured here.
const SHORT: &str = "--size 4m --seed 3 --rounds 1 --set time=200ms --set warm-up=0s --quiet";

/// Logarithms and exponentials of two C libraries differ in their last digit.
const LAST_DIGIT: f64 = 1e-12;

/// Where two values differ, and how; `None` where they are the same but for the last digits of their numbers.
fn difference(at: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("f64"), b.as_f64().expect("f64"));
            ((a - b).abs() > LAST_DIGIT * a.abs()).then(|| format!("{at}: {one} and {other}"))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => (0..a.len())
            .find_map(|index| difference(&format!("{at}[{index}]"), &a[index], &b[index])),
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .find_map(|(key, value)| difference(&format!("{at}.{key}"), value, &b[key])),
        _ => (one != other).then(|| format!("{at}: {one} and {other}")),
    }
}

/// What a text says, and its numbers: of each number, the digits that two C libraries agree on.
fn words_and_numbers(text: &str) -> (Vec<&str>, Vec<f64>) {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let (mut words, mut numbers) = (Vec::new(), Vec::new());
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(is_number).unwrap_or(rest.len()));
        let digits = after.find(|c| !is_number(c)).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        match number.parse() {
            Ok(number) => {
                words.push(word);
                numbers.push(number);
            }
            Err(_) => words.extend([word, number]),
        }
        rest = after;
    }
    (words, numbers)
}

/// Where two pages differ by more than the last digit of a coordinate (a tenth of a pixel).
fn difference_of_pages(one: &str, other: &str) -> Option<String> {
    let ((words, numbers), (other_words, other_numbers)) =
        (words_and_numbers(one), words_and_numbers(other));
    if let Some((one, other)) = words.iter().zip(&other_words).find(|(a, b)| a != b) {
        return Some(format!("{one:?} and {other:?}"));
    }
    if (words.len(), numbers.len()) != (other_words.len(), other_numbers.len()) {
        return Some("one is longer".to_string());
    }
    let is_same = |a: f64, b: f64| (a - b).abs() <= f64::max(0.101, LAST_DIGIT * a.abs());
    let differ = numbers
        .iter()
        .zip(&other_numbers)
        .find(|(a, b)| !is_same(**a, **b));
    differ.map(|(one, other)| format!("{one} and {other}"))
}

#[test]
fn a_run_of_database_is_read_compared_and_reported_on_the_other_system() {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    for name in ["data", "theirs.d"] {
        fs::create_dir(place.join(name)).expect("folder");
    }
    let line = |target: &str, output: &str| {
        format!("run database --target {target} --output {output} --no-report {SHORT}")
    };
    let Some(run) = on_windows(place, &line("theirs.d", "theirs")) else {
        return;
    };
    printed(run);
    printed(here(place, &line("data", "ours")));
    let left: Vec<_> = fs::read_dir(place.join("theirs.d"))
        .expect("folder")
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let windows = |line: &str| on_windows(place, line).expect("it is there");
    for record in ["ours", "theirs"] {
        let show = format!("show {record} --json");
        let (here_told, there_told) = (json(here(place, &show)), json(windows(&show)));
        assert_eq!(difference(record, &here_told, &there_told), None);
        printed(here(
            place,
            &format!("report {record} --output {record}-here.html"),
        ));
        printed(windows(&format!(
            "report {record} --output {record}-there.html"
        )));
        let page = |name: &str| fs::read_to_string(place.join(name)).expect("a page");
        let [ours, other] = ["here", "there"].map(|side| page(&format!("{record}-{side}.html")));
        assert_eq!(difference_of_pages(&ours, &other), None, "{record}");
    }
    let theirs = json(here(place, "show theirs --json"));
    assert_eq!(theirs["steps"][0]["engine"], "overlapped", "{theirs:#}");
    for pair in ["ours theirs", "theirs ours"] {
        let line = format!("compare {pair} --json");
        let (here_told, there_told) = (json(here(place, &line)), json(windows(&line)));
        assert_eq!(difference(pair, &here_told, &there_told), None);
    }
}

#[test]
fn the_self_test_runs_every_engine_of_windows() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(test) = on_windows(folder.path(), "doctor . --self-test --json") else {
        return;
    };
    let summary = json(test);
    let steps = summary["steps"].as_array().expect("steps");
    let engines: Vec<_> = steps.iter().map(|step| &step["engine"]).collect();
    for engine in ["overlapped", "sync", "mmap", "stdio"] {
        assert!(engines.iter().any(|of| *of == engine), "{engines:?}");
    }
    for step in steps {
        let kinds = step["operations"].as_object().expect("operations");
        let counts = kinds.values().filter_map(|kind| kind["count"].as_u64());
        let count = counts.sum::<u64>();
        // At the end every block is read back that some step wrote.
        match step["name"]
            .as_str()
            .is_some_and(|name| name.ends_with(" verify"))
        {
            true => assert!((3000..=4096).contains(&count), "{step:#}"),
            false => assert_eq!(count, 4000, "{step:#}"),
        }
        assert_eq!(step["total"]["errors"], 0, "{step:#}");
    }
}

#[test]
fn check_runs_whole() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(check) = on_windows(
        folder.path(),
        "check . --output checked --set time=100ms --set warm-up=0s --rounds 1 --size 16m --set files=40 --quiet",
    ) else {
        return;
    };
    printed(check);
    let told = json(here(folder.path(), "show checked --json"));
    let steps = told["steps"].as_array().expect("steps");
    assert!(steps.len() > 10, "{}", steps.len());
    for step in steps {
        assert_eq!(step["total"]["errors"], 0, "{step:#}");
        assert_eq!(step["write_back_failures"], Value::Null, "{step:#}");
    }
    assert!(folder.path().join("checked/report.html").is_file());
}

/// Depth, verification, both kinds of caching: what was written is read back, nothing is lost or left, and the depth is achieved as far as Wine's own way
/// (done within the call) lets it be seen: a batch is the depth.
#[test]
fn operations_are_verified_at_every_depth() {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    fs::create_dir(place.join("data")).expect("folder");
    for depth in [1, 32, 256] {
        for direct in [true, false] {
            let output = format!("run-{depth}-{direct}");
            let line = format!(
                "run --target data --engine overlapped --mix read:50,write:50 --block 4k --size 4m --operations 3000 --depth {depth} --set batch={depth} \
                 --verify --direct={direct} --seed 9 --quiet --no-report --output {output}"
            );
            let Some(run) = on_windows(place, &line) else {
                return;
            };
            printed(run);
            let told = json(here(place, &format!("show {output} --json")));
            let total = &told["steps"][0]["total"];
            assert_eq!(total["count"], 3000, "{total:#}");
            assert_eq!(total["errors"], 0, "{total:#}");
            let achieved = told["steps"][0]["achieved_depth"].as_f64();
            assert!(
                achieved.is_some_and(|achieved| achieved > f64::from(depth) * 0.2),
                "depth {depth}: {achieved:?}"
            );
        }
    }
    assert_eq!(fs::read_dir(place.join("data")).expect("folder").count(), 0);
}
