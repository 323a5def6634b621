//! Do fio command lines run unchanged, with fio's output?

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{fio_pair, left_in, output_of, plumb_in};

/// A mix that ends by its amount and has everything that fio tells of: reads, writes, flushes, clones together.
const MIX: &str = "--name=mix --rw=randrw --rwmixread=70 --bs=4k --size=4m --fdatasync=8 --numjobs=2 --group_reporting --ioengine=psync --time_based --runtime=1200ms";

/// Standard output of a command line under fio; `None` where fio is not installed.
fn fio(folder: &Path, line: &str) -> Option<String> {
    let output = Command::new("fio")
        .current_dir(folder)
        .args(line.split_whitespace())
        .output();
    let Ok(output) = output else {
        println!("skipped: fio is not installed: '{line}' is not compared with it");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Standard output of the same under plumb.
fn ours(folder: &Path, line: &str) -> String {
    output_of(plumb_in(folder, &format!("fio {line}")), 0)
}

fn json(text: &str) -> Value {
    let start = text.find('{').unwrap_or_else(|| panic!("no JSON: {text}"));
    serde_json::from_str(&text[start..]).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// All paths of keys in a document: places in lists and values are left out.
fn paths(value: &Value, above: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                // Values of latencies, which differ from run to run.
                if above.ends_with("bins") {
                    continue;
                }
                let path = format!("{above}/{key}");
                paths(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| paths(value, above, found)),
        _ => {}
    }
}

/// What plumb does not measure, and so does not write.
const NOT_MEASURED: [&str; 3] = [
    "/disk_util/read_merges",
    "/disk_util/write_merges",
    "/disk_util/aggr_",
];

#[test]
fn json_has_every_key_that_fio_writes() {
    for format in ["json", "json+"] {
        // A file that fio made is not written by plumb without a word, so each run has a folder of its own.
        let (folder, of_fio) = (
            tempfile::tempdir().expect("folder"),
            tempfile::tempdir().expect("folder"),
        );
        let line = format!("{MIX} --output-format={format}");
        let own = json(&ours(folder.path(), &line));
        let Some(theirs) = fio(of_fio.path(), &line) else {
            return;
        };
        let theirs = json(&theirs);
        let (mut own_paths, mut their_paths) = (BTreeSet::new(), BTreeSet::new());
        paths(&own, "", &mut own_paths);
        paths(&theirs, "", &mut their_paths);
        let missing: Vec<&String> = their_paths
            .difference(&own_paths)
            .filter(|path| !NOT_MEASURED.iter().any(|known| path.starts_with(known)))
            // The device below may not be known to plumb here.
            .filter(|path| {
                own["disk_util"] != Value::Array(Vec::new()) || !path.starts_with("/disk_util")
            })
            .collect();
        assert!(missing.is_empty(), "{format}: {missing:?}");
        for name in ["iops", "total_ios", "bw"] {
            assert!(own["jobs"][0]["write"][name].as_f64().expect(name) > 0.0);
        }
        for of in [&own, &theirs] {
            // fio's total_ios of flushes is 0 where jobs are reported together.
            let flushes = of["jobs"][0]["sync"]["lat_ns"]["N"].as_u64();
            assert!(flushes.is_some_and(|count| count > 0), "{of}");
        }
        assert_eq!(own["jobs"][0]["job options"]["rwmixread"], "70");
    }
}

/// The kinds of lines of a normal output: what is not a number, a unit or a word of the run.
fn kinds(text: &str) -> BTreeSet<String> {
    let kind = |line: &str| {
        let start: String = line
            .chars()
            .take_while(|c| !matches!(c, '=' | '[' | '('))
            .collect();
        let start = start.replace(|c: char| c.is_ascii_digit(), "N");
        start.trim_end().to_string()
    };
    text.lines()
        .map(kind)
        .filter(|kind| {
            !kind.trim().is_empty() && !kind.contains("Laying out") && !kind.contains("note")
        })
        .filter(|kind| !kind.starts_with("fio-"))
        .collect()
}

#[test]
fn normal_output_has_the_lines_of_fio() {
    let folder = tempfile::tempdir().expect("folder");
    let own = ours(folder.path(), MIX);
    let Some(theirs) = fio(folder.path(), MIX) else {
        return;
    };
    let missing: Vec<String> = kinds(&theirs)
        .difference(&kinds(&own))
        .filter(|kind| {
            let of_this_run = ["vda", "  lat"];
            !of_this_run.iter().any(|known| kind.contains(known))
        })
        .cloned()
        .collect();
    let device_is_unknown = !own.contains("Disk stats");
    let missing: Vec<&String> = missing
        .iter()
        .filter(|kind| !device_is_unknown || !kind.contains("Disk stats"))
        .filter(|kind| !kind.starts_with("  ") || !kind.ends_with(':') || kind.contains("read"))
        .collect();
    assert!(missing.is_empty(), "{missing:?}\n{own}\n{theirs}");
    assert!(
        own.lines()
            .next()
            .is_some_and(|line| { theirs.lines().any(|of_fio| of_fio == line) }),
        "{own}\n{theirs}"
    );
}

#[test]
fn terse_output_has_its_fields_where_scripts_expect_them() {
    let folder = tempfile::tempdir().expect("folder");
    // Fields without those of a disk, of which there are nine.
    for (version, fields) in [(2, 161), (3, 121), (4, 162), (5, 180)] {
        let line = format!("--minimal --terse-version={version} --name=t --rw=read --size=1m");
        let own = ours(folder.path(), &line);
        let count = |text: &str| text.trim_end().split(';').count();
        let expected = |count: usize| count == fields || (version > 2 && count == fields + 9);
        assert!(
            expected(count(&own)),
            "version {version}: {} fields\n{own}",
            count(&own)
        );
        if let Some(theirs) = fio(folder.path(), &line) {
            assert!(expected(count(&theirs)), "version {version}: {theirs}");
        }
        let bytes = if version == 2 { 4 } else { 5 };
        assert_eq!(own.split(';').nth(bytes), Some("1024"), "{own}");
    }
    // Terse lines come before JSON, and that before the normal text, whichever was named first.
    let line = "--name=a --name=b --rw=read --size=64k --output-format=normal,json,terse";
    let begins = |text: &str| {
        let begin = |line: &str| match line {
            "{" => Some('{'),
            line if line.starts_with("3;fio-") => Some('3'),
            line if line.contains(": (groupid=") => Some('n'),
            _ => None,
        };
        text.lines().filter_map(begin).collect::<String>()
    };
    let line = line.replace("--name=a", "--name=a --rw=read --size=64k");
    let own = ours(folder.path(), &line);
    assert_eq!(begins(&own), "33{nn", "{own}");
    if let Some(theirs) = fio(folder.path(), &line) {
        assert_eq!(begins(&theirs), "33{nn", "{theirs}");
    }
    // yabs.sh takes these fields: KiB/s and IOPS of reads and of writes.
    let line = "--name=rand_rw_4k --ioengine=libaio --rw=randrw --rwmixread=50 --bs=4k --iodepth=64 --numjobs=2 --size=4m --runtime=1 \
                --time_based --gtod_reduce=1 --filename=test.fio --group_reporting --minimal";
    let own = ours(folder.path(), line);
    let fields: Vec<&str> = own.split(';').collect();
    assert_eq!((fields[0], fields[2], fields[4]), ("3", "rand_rw_4k", "0"));
    for field in [7, 8, 48, 49] {
        let value: f64 = fields[field - 1].parse().expect("a number");
        assert!(value > 0.0, "field {field}: {own}");
    }
}

/// The number behind a word, as scripts cut it out.
fn behind<'t>(text: &'t str, line_holds: &str, word: &str) -> &'t str {
    let line = text
        .lines()
        .find(|line| line.contains(line_holds) && line.contains(word))
        .unwrap_or_else(|| panic!("no line with {line_holds} and {word}:\n{text}"));
    let rest = &line[line.find(word).expect("word") + word.len()..];
    let end = rest.find([',', ' ', '(']).unwrap_or(rest.len());
    &rest[..end]
}

#[test]
fn scripts_find_what_they_look_for_in_the_text() {
    let folder = tempfile::tempdir().expect("folder");
    let text = ours(folder.path(), MIX);
    // dbench: grep 'read ?:' | grep -Eo 'IOPS=[0-9k.]+', 'BW=[0-9GMKiBs/.]+', and ' lat.*avg'.
    for direction in ["  read:", "  write:"] {
        let iops = behind(&text, direction, "IOPS=");
        assert!(
            iops.chars()
                .all(|c| c.is_ascii_digit() || "k.M".contains(c)),
            "{iops}"
        );
        let bandwidth = behind(&text, direction, "BW=");
        assert!(bandwidth.ends_with("iB/s"), "{bandwidth}");
    }
    assert!(
        behind(&text, " lat (", "avg=")
            .parse::<f64>()
            .expect("a mean")
            > 0.0
    );
    // The check for etcd: the 99th percentile of the flushes.
    let sync = text.split("sync percentiles").nth(1).expect("flushes");
    assert!(sync.contains("99.00th=["), "{text}");
    // Phoronix and cloud guides: the lines of the group.
    for name in ["   READ: bw=", "  WRITE: bw="] {
        let bandwidth = behind(&text, name, "bw=");
        assert!(bandwidth.ends_with("iB/s"), "{bandwidth}");
        assert!(
            behind(&text, name, "io=").ends_with("iB") && text.contains(", run=1"),
            "{text}"
        );
    }
}

/// What kubestr reads (pkg/fio/parsable_fio.go): all of these are numbers.
const READ_BY_KUBESTR: &[&str] = &[
    "/jobs/0/groupid",
    "/jobs/0/error",
    "/jobs/0/eta",
    "/jobs/0/elapsed",
    "/jobs/0/read/io_bytes",
    "/jobs/0/read/bw_bytes",
    "/jobs/0/read/bw",
    "/jobs/0/read/iops",
    "/jobs/0/read/runtime",
    "/jobs/0/read/total_ios",
    "/jobs/0/read/slat_ns/mean",
    "/jobs/0/read/clat_ns/stddev",
    "/jobs/0/read/lat_ns/N",
    "/jobs/0/read/bw_min",
    "/jobs/0/read/bw_agg",
    "/jobs/0/read/bw_samples",
    "/jobs/0/read/iops_stddev",
    "/jobs/0/write/iops_mean",
    "/jobs/0/trim/total_ios",
    "/jobs/0/sync/total_ios",
    "/jobs/0/sync/lat_ns/min",
    "/jobs/0/job_runtime",
    "/jobs/0/usr_cpu",
    "/jobs/0/sys_cpu",
    "/jobs/0/ctx",
    "/jobs/0/majf",
    "/jobs/0/minf",
    "/jobs/0/iodepth_level/>=64",
    "/jobs/0/iodepth_submit/4",
    "/jobs/0/iodepth_complete/64",
    "/jobs/0/latency_depth",
    "/jobs/0/latency_target",
    "/jobs/0/latency_percentile",
    "/jobs/0/latency_window",
    "/jobs/0/latency_us/250",
    "/jobs/0/latency_ms/>=2000",
    "/timestamp",
    "/timestamp_ms",
];

#[test]
fn programs_find_what_they_read_in_the_json() {
    let folder = tempfile::tempdir().expect("folder");
    let line = format!("--direct=0 {MIX} --output-format=json --output=out.json");
    assert_eq!(ours(folder.path(), &line), "");
    let text = fs::read_to_string(folder.path().join("out.json")).expect("an output");
    let document = json(&text);
    for path in READ_BY_KUBESTR {
        let value = document.pointer(path);
        assert!(value.is_some_and(Value::is_number), "{path}: {value:?}");
    }
    assert!(
        document["time"]
            .as_str()
            .is_some_and(|time| time.len() == 24)
    );
    assert_eq!(document["global options"]["direct"], "0");
    assert_eq!(document["jobs"][0]["jobname"], "mix");
    // Scripts that grep read the first figure of a direction behind its name.
    let read = text.find("\"read\" : {").expect("reads");
    assert!(
        text[read..].find("\"iops\" : ").is_some_and(|at| at < 300),
        "{text}"
    );
}

#[test]
fn called_by_the_name_fio_it_is_fio() {
    let folder = tempfile::tempdir().expect("folder");
    let program = assert_cmd::cargo::cargo_bin("plumb");
    let called = folder
        .path()
        .join(if cfg!(windows) { "fio.exe" } else { "fio" });
    if fs::hard_link(&program, &called).is_err() {
        fs::copy(&program, &called).expect("copied");
    }
    let output = Command::new(&called)
        .arg("--version")
        .output()
        .expect("started");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "fio-3.33\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let output = Command::new(&called)
        .current_dir(folder.path())
        .args([
            "-name",
            "a",
            "-rw",
            "randread",
            "-size",
            "1m",
            "--output-format",
            "json",
        ])
        .output()
        .expect("started");
    let document = json(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(document["jobs"][0]["read"]["io_bytes"], 1 << 20);
}

#[test]
fn job_files_and_standard_input_are_mixed_with_options() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "[global]\nrw=read\nbs=8k\ngroup_reporting\n[a]\nfilename=x\n[b]\nfilename=x\nstonewall\n[c]\nfilename=y\n";
    fs::write(folder.path().join("jobs.txt"), text).expect("written");
    let own = json(&ours(
        folder.path(),
        "--size=1m jobs.txt --output-format=json",
    ));
    let groups: Vec<&Value> = own["jobs"]
        .as_array()
        .expect("jobs")
        .iter()
        .map(|job| &job["groupid"])
        .collect();
    assert_eq!(
        groups,
        [0, 1],
        "jobs of a group with group_reporting are one"
    );
    assert_eq!(own["jobs"][1]["read"]["io_bytes"], 2 << 20);
    if let Some(theirs) = fio(folder.path(), "--size=1m jobs.txt --output-format=json") {
        let theirs = json(&theirs);
        for job in 0..2 {
            for path in ["jobname", "groupid", "error"] {
                assert_eq!(own["jobs"][job][path], theirs["jobs"][job][path], "{path}");
            }
            let bytes = |of: &Value| of["jobs"][job]["read"]["io_bytes"].clone();
            assert_eq!(bytes(&own), bytes(&theirs));
        }
        assert_eq!(
            own["global options"]["size"],
            theirs["global options"]["size"]
        );
    }
    let mut command = plumb_in(folder.path(), "fio - --size=1m --section=c --minimal");
    command.write_stdin(text);
    let line = output_of(command, 0);
    assert!(
        line.starts_with("3;") && line.contains(";c;0;0;1024;"),
        "{line}"
    );
    // plumb run knows a job file by what is in it.
    let mut command = plumb_in(
        folder.path(),
        "run - --quiet --no-report --output out --one-line",
    );
    command.write_stdin("[d]\nrw=read\nsize=1m\n");
    assert!(output_of(command, 0).contains('d'));
    output_of(
        plumb_in(folder.path(), "run jobs.txt --size 1m --dry-run"),
        0,
    );
}

#[test]
fn what_is_only_told_runs_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(
        folder.path().join("g.fio"),
        "[global]\nrw=write\nsize=1m\n[a]\nbs=8k\n[b]\nstonewall\nnumjobs=2\n",
    )
    .expect("written");
    let shown = ours(folder.path(), "--showcmd g.fio");
    if let Some(theirs) = fio(folder.path(), "--showcmd g.fio") {
        assert_eq!(shown.trim_end(), theirs.trim_end());
    }
    assert_eq!(ours(folder.path(), "--parse-only g.fio"), "");
    assert!(ours(folder.path(), "--cmdhelp=rw").contains("readwrite"));
    // fio 3.33 ends with 0 here too.
    let unknown = plumb_in(folder.path(), "fio --cmdhelp=nonsense");
    assert_eq!(output_of(unknown, 0), "\n");
    assert!(ours(folder.path(), "--enghelp").contains("libaio"));
    assert!(ours(folder.path(), "--help").contains("--output-format"));
    assert!(ours(folder.path(), "--plumb-dry-run g.fio").contains("step"));
    assert_eq!(left_in(folder.path()), ["g.fio"]);
}

#[test]
fn what_cannot_be_done_is_said_with_fios_exit_code() {
    let folder = tempfile::tempdir().expect("folder");
    for (line, expected) in [
        ("", "No job(s) defined"),
        ("--bogus=1", "unrecognized option '--bogus=1'"),
        ("--name=a --rw", "'--rw' requires an argument"),
        ("--name=a --rw=sideways --size=1m", "sideways"),
        ("--name=a --rw=write --size=1m --readonly", "read-only mode"),
        ("--client=host jobs.fio", "plumb launch --hosts"),
        ("missing.fio", "cannot read the job file"),
        (
            "--name=a --rw=read --size=1m --numjobs=3 --max-jobs=2",
            "raise --max-jobs",
        ),
        ("--name=a --ioengine=rbd --rw=read --size=1m", "rbd"),
        ("--enghelp=rbd", "rbd"),
        (
            "--name=a --rw=read --size=1m --filename=.",
            "is a directory",
        ),
        ("--name=a --rw=read --size=1m --numjobs=0", "out of range"),
        ("--name=a --rw=read --size=1m --iodepth=0", "out of range"),
        (
            "--name=a --rw=write --size=1m --directory=missing --filename=x/y",
            "no such directory",
        ),
        (
            "--name=a --rw=read --size=1m --output=missing/x.json",
            "cannot be written",
        ),
    ] {
        let output = plumb_in(folder.path(), &format!("fio {line}"))
            .output()
            .expect("started");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(error.contains(expected), "{line}: {error}");
        assert!(!error.contains("panicked"), "{line}: {error}");
    }
    assert!(
        left_in(folder.path()).is_empty(),
        "{:?}",
        left_in(folder.path())
    );
    // What is there is not overwritten without a word.
    fs::write(folder.path().join("precious"), "data").expect("written");
    let output = plumb_in(
        folder.path(),
        "fio --name=a --filename=precious --rw=write --size=64k",
    )
    .output()
    .expect("started");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--overwrite"));
    assert_eq!(
        fs::read(folder.path().join("precious")).expect("kept"),
        b"data"
    );
}

#[test]
fn results_come_while_it_goes_on() {
    let folder = tempfile::tempdir().expect("folder");
    let text = ours(
        folder.path(),
        "--name=s --rw=read --size=1m --time_based --runtime=2500ms --status-interval=1 --output-format=json --eta=never",
    );
    let documents = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let counts: Vec<u64> = documents
        .map(|document| {
            let document = document.unwrap_or_else(|error| panic!("{error}:\n{text}"));
            document["jobs"][0]["read"]["total_ios"]
                .as_u64()
                .expect("a count")
        })
        .collect();
    assert!(counts.len() >= 2 && counts.is_sorted(), "{counts:?}");
}

/// Its outputs are taken in as those of fio are, and say the same.
#[test]
fn what_it_prints_is_taken_in_again() {
    let folder = tempfile::tempdir().expect("folder");
    for (name, format) in [("n.txt", "normal"), ("t.txt", "terse"), ("j.json", "json+")] {
        let line =
            format!("{MIX} --output-format={format} --output={name} --plumb-output=run-{format}");
        ours(folder.path(), &line);
        let of = |what: &str| -> Value {
            let text = output_of(plumb_in(folder.path(), &format!("show {what} --json")), 0);
            serde_json::from_str(&text).expect("JSON")
        };
        let (ran, back) = (of(&format!("run-{format}")), of(name));
        for kind in ["read", "write"] {
            let iops = |summary: &Value| {
                let found = summary["steps"][0]["operations"][kind]["iops"].as_f64();
                found.unwrap_or_else(|| panic!("{format}: {summary}"))
            };
            // The text has three figures of it.
            let ratio = iops(&back) / iops(&ran);
            assert!((ratio - 1.0).abs() < 0.01, "{format}, {kind}: {ratio}");
        }
    }
}

/// What reads both streams together finds nothing but the result.
#[cfg(target_os = "linux")]
#[test]
fn nothing_stands_among_the_json_where_both_streams_are_one() {
    let folder = tempfile::tempdir().expect("folder");
    let program = assert_cmd::cargo::cargo_bin("plumb");
    let line = format!(
        "{} fio --name=a --rw=read --size=1m --output-format=json 2>&1",
        program.display()
    );
    let output = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &line])
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    let document: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(document["jobs"][0]["read"]["io_bytes"], 1 << 20);
    // The help of plumb itself names the verb.
    let mut help = crate::plumb();
    help.args(["fio", "--help"]);
    assert!(output_of(help, 0).contains("run by plumb"));
}

/// The folder of a file that is named is made, as fio makes it; of several files fio 3.33 makes that of the first.
#[test]
fn folders_of_named_files_are_made() {
    let line = "--name=a --rw=write --size=64k --output=result --filename=x/y/f";
    let [own, other] = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let length = |folder: &Path, name: &str| fs::metadata(folder.join(name)).map(|file| file.len());
    ours(own.path(), line);
    assert_eq!(length(own.path(), "x/y/f").ok(), Some(64 << 10));
    if fio(other.path(), line).is_some() {
        assert_eq!(length(other.path(), "x/y/f").ok(), Some(64 << 10));
    }
    ours(own.path(), &format!("{line}:z/g --plumb-overwrite"));
    assert_eq!(length(own.path(), "z/g").ok(), Some(32 << 10));
}

/// As fio's own tests of the steady state call it.
#[test]
fn limits_are_shown_without_a_job() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "--parse-only --debug=parse --ss_dur=10s --ss=bw:12k --ss_ramp=5";
    let shown = fio_pair::by_plumb(folder.path(), line);
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.status.success(), "{text}");
    assert!(
        text.contains("set steady state BW threshold to 12288\n"),
        "{text}"
    );
}
