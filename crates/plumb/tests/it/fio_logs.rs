//! Do the logs and latencies of `plumb fio` match fio's, and do fio's own tools read them?

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{json_of, output_of, plumb_in};

/// Two jobs, the first of two processes; the second has logs of its own name, which hold its processes one after the other.
const JOBS: &str = "[global]\nioengine=psync\nbs=4k\nsize=2m\nruntime=1\ntime_based\nlog_avg_msec=200\n[a]\nrw=randrw\nnumjobs=2\ngroup_reporting\nwrite_lat_log=x\nwrite_bw_log=x\n[b]\nrw=read\nwrite_iops_log\nwrite_bw_log=x\n[c]\nrw=read\nper_job_logs=0\nwrite_bw_log\n";

fn logs(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".log")).collect()
}

/// Standard output of a program that may be missing.
fn told_by(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output();
    let Ok(output) = output else {
        println!("skipped: {program} is not installed");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program}: {text}{output:?}");
    Some(text)
}

#[test]
fn logs_have_the_names_and_the_columns_of_fio() {
    let (ours, theirs) = (tempfile::tempdir(), tempfile::tempdir());
    let (ours, theirs) = (ours.expect("a folder"), theirs.expect("a folder"));
    fs::write(ours.path().join("jobs.fio"), JOBS).expect("written");
    fs::write(theirs.path().join("jobs.fio"), JOBS).expect("written");
    output_of(plumb_in(ours.path(), "fio --output=result jobs.fio"), 0);
    let of_first = |name: &str| {
        let text = fs::read_to_string(ours.path().join(name)).expect("a log");
        let row = |line: &str| {
            let fields = line.split(", ").map(|field| field.parse().expect(line));
            fields.collect::<Vec<u64>>()
        };
        text.lines().map(row).collect::<Vec<_>>()
    };
    let rows = of_first("x_clat.1.log");
    let directions: BTreeSet<u64> = rows.iter().map(|row| row[2]).collect();
    assert_eq!(directions, BTreeSet::from([0, 1]));
    assert!(
        rows.iter().all(|row| row.len() == 5 && row[1] > 0),
        "{rows:?}"
    );
    assert!(
        rows.len() >= 4 && rows.is_sorted_by_key(|row| row[0]),
        "{rows:?}"
    );

    let Some(_) = told_by("fio", &["--output=result", "jobs.fio"], theirs.path()) else {
        return;
    };
    assert_eq!(logs(ours.path()), logs(theirs.path()));
    if let Some(text) = told_by("fio2gnuplot", &["-b"], ours.path()) {
        assert!(text.contains("_bw"), "{text}");
    }
}

/// The rows of a log.
fn rows_of(path: &Path) -> Vec<Vec<u64>> {
    let text = fs::read_to_string(path).expect("a log");
    let row = |line: &str| {
        line.split(',')
            .map(|field| field.trim().parse().expect(line))
            .collect()
    };
    text.lines().map(row).collect()
}

/// Lowest and highest value of one of fio's bins of latencies, in nanoseconds: 64 for each octave, exact up to 127 (as its json+ has them).
fn bin(number: usize) -> (u64, u64) {
    let octave = (number >> 6).saturating_sub(1) as u32;
    let low = ((number as u64) - (u64::from(octave) << 6)) << octave;
    (low, low + (1 << octave) - 1)
}

/// Both programs write them in one form, and what a reader finds there is what their JSON has: of plumb all of it, of fio as much as its whole periods held.
#[test]
fn histograms_and_largest_values_over_time_are_those_of_the_result() {
    let line = "--name=a --rw=randrw --bs=8k --size=2m --ioengine=psync --runtime=1 --time_based --write_hist_log=x --log_hist_msec=300 --log_hist_coarseness=2 --write_lat_log=x --log_avg_msec=200 --log_max_value=1 --log_unix_epoch=1 --output-format=json+ --output=result";
    let now_ms = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.expect("after 1970").as_millis() as u64
    };
    for is_ours in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let began_ms = now_ms();
        if is_ours {
            output_of(plumb_in(folder.path(), &format!("fio {line}")), 0);
        } else {
            let arguments: Vec<&str> = line.split(' ').collect();
            if told_by("fio", &arguments, folder.path()).is_none() {
                return;
            }
        }
        let during = began_ms..=now_ms();
        let text = fs::read_to_string(folder.path().join("result")).expect("written");
        let result: Value = serde_json::from_str(&text).expect("JSON");
        let histograms = rows_of(&folder.path().join("x_clat_hist.1.log"));
        let largest = rows_of(&folder.path().join("x_clat.1.log"));
        for (direction, name) in [(0, "read"), (1, "write")] {
            let clat = &result["jobs"][0][name]["clat_ns"];
            let of = |row: &&Vec<u64>| row[1] == direction;
            let histograms: Vec<&Vec<u64>> = histograms.iter().filter(of).collect();
            assert!((1..=5).contains(&histograms.len()), "{histograms:?}");
            let mut counted = 0;
            for row in &histograms {
                assert_eq!((row[2], row.len()), (8192, 3 + 1856 / 4), "{row:?}");
                assert!(during.contains(&row[0]), "{during:?} {row:?}");
                for (place, count) in row[3..].iter().enumerate().filter(|(_, count)| **count > 0) {
                    let (low, high) = (bin(4 * place).0, bin(4 * place + 3).1);
                    let inside = clat["bins"].as_object().expect("bins").iter();
                    let inside: u64 = inside
                        .filter(|(ns, _)| (low..=high).contains(&ns.parse().expect("ns")))
                        .map(|(_, count)| count.as_u64().expect("a count"))
                        .sum();
                    assert!(*count <= inside, "{count} of {inside} in {low} to {high}");
                    counted += count;
                }
            }
            let largest = largest.iter().filter(|row| row[2] == direction);
            let values: Vec<u64> = largest.map(|row| row[1]).collect();
            assert!((1..=6).contains(&values.len()), "{values:?}");
            let (all, longest) = (clat["N"].as_u64(), clat["max"].as_u64());
            let found = (Some(counted), values.into_iter().max());
            let is_whole = found == (all, longest);
            assert!(
                is_whole || (!is_ours && found.0 <= all && found.1 <= longest),
                "{found:?} of {all:?} {longest:?}"
            );
        }
        // Without a period there is nothing to write down.
        let bare = "--name=b --rw=read --bs=64k --size=1m --write_hist_log=bare --output=other";
        if is_ours {
            output_of(plumb_in(folder.path(), &format!("fio {bare}")), 0);
            // What is longer than what is looked at to know a log is one too.
            output_of(plumb_in(folder.path(), &format!("fio {line}")), 0);
        } else {
            told_by("fio", &bare.split(' ').collect::<Vec<_>>(), folder.path());
        }
        let empty = fs::read(folder.path().join("bare_clat_hist.1.log")).expect("made");
        assert!(empty.is_empty(), "{empty:?}");
    }
}

/// Where an engine accepts an operation before its end, slat and clat are the parts of lat; elsewhere there is no slat. fio itself is asked the same.
#[test]
fn slat_and_clat_are_the_parts_of_lat() {
    for (engine, has_slat) in [("libaio", true), ("io_uring", true), ("psync", false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let line = format!(
            "--name=a --rw=randread --bs=4k --size=2m --iodepth=4 --ioengine={engine} --slat_percentiles=1 --output-format=json"
        );
        let ours = output_of(plumb_in(folder.path(), &format!("fio {line}")), 0);
        let arguments: Vec<&str> = line.split(' ').collect();
        for text in [Some(ours), told_by("fio", &arguments, folder.path())]
            .into_iter()
            .flatten()
        {
            let start = text.find('{').expect("a document");
            let document: Value = serde_json::from_str(&text[start..]).expect("JSON");
            let read = &document["jobs"][0]["read"];
            let expected = if has_slat { 512 } else { 0 };
            assert_eq!(read["slat_ns"]["N"], expected, "{engine}: {read}");
            assert_eq!(
                (&read["clat_ns"]["N"], &read["lat_ns"]["N"]),
                (&512.into(), &512.into())
            );
            let mean = |of: &str| read[of]["mean"].as_f64().expect("a mean");
            let parts = mean("slat_ns") + mean("clat_ns");
            assert!(
                (parts / mean("lat_ns") - 1.0).abs() < 0.1,
                "{engine}: {parts} {read}"
            );
            assert_eq!(
                read["slat_ns"]["percentile"]["50.000000"].as_u64() > Some(0),
                has_slat,
                "{read}"
            );
        }
    }
}

#[test]
fn an_engine_that_cannot_tell_submissions_apart_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "run --target . --pattern random-read --size 1m --set operations=10 --set engine=sync --set submission-latency=true --output out --no-report --json";
    let summary = json_of(plumb_in(folder.path(), line), 0);
    let step = &summary["steps"][0];
    let refused = step["engine_record"]["refused"].to_string();
    assert!(refused.contains("submission-latency"), "{step}");
    assert!(step["total"]["submission_ns"].is_null(), "{step}");
}

#[test]
fn a_file_that_is_no_log_is_not_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let mine = folder.path().join("mine_bw.1.log");
    fs::write(&mine, "what I need").expect("written");
    let line = "fio --name=a --rw=read --size=1m --write_bw_log=mine";
    let output = plumb_in(folder.path(), line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("mine_bw.1.log: exists and is not an fio log"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&mine).expect("there"), "what I need");
    let line_of = "fio --name=a --rw=read --size=1m --write_bw_log=missing/x --output=result";
    let output = plumb_in(folder.path(), line_of).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("the folder missing of the log does not exist"),
        "{error}"
    );
    assert!(!folder.path().join("result").exists(), "nothing was run");
    // A log of an earlier run is.
    fs::write(&mine, "500, 100, 0, 4096, 0\n").expect("written");
    output_of(plumb_in(folder.path(), line), 0);
    let text = fs::read_to_string(&mine).expect("there");
    assert!(
        !text.contains("500, 100,") && text.matches(", 0, 4096, 0\n").count() == 256,
        "{text}"
    );
}

#[test]
fn an_iolog_takes_the_place_of_an_iolog_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mine = folder.path().join("mine");
    fs::write(&mine, "what I need").expect("written");
    let line = "fio --name=a --rw=read --bs=4k --size=64k --write_iolog=mine";
    let output = plumb_in(folder.path(), line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("exists and is not a fio iolog"), "{error}");
    assert_eq!(fs::read_to_string(&mine).expect("there"), "what I need");
    fs::write(&mine, "fio version 2 iolog\nan earlier one").expect("written");
    output_of(plumb_in(folder.path(), line), 0);
    let text = fs::read_to_string(&mine).expect("there");
    assert_eq!(text.matches(" read ").count(), 16, "{text}");
    assert!(!text.contains("earlier"), "{text}");
}

#[test]
fn latencies_come_out_of_json_as_fio_writes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "fio --name=a --rw=randrw --bs=4k --size=2m --ioengine=libaio --iodepth=4 --output-format=json+ --output=result";
    output_of(plumb_in(folder.path(), line), 0);
    let arguments = ["result", "out.csv"];
    let Some(_) = told_by("fio_jsonplus_clat2csv", &arguments, folder.path()) else {
        return;
    };
    let text = fs::read_to_string(folder.path().join("out_job0.csv")).expect("a table");
    let mut lines = text.lines();
    let head: Vec<&str> = lines
        .next()
        .expect("a head")
        .split(',')
        .map(str::trim)
        .collect();
    let sum_of = |name: &str| -> u64 {
        let place = head.iter().position(|field| *field == name).expect(name);
        let cells = lines
            .clone()
            .filter_map(|line| line.split(',').nth(place)?.trim().parse::<u64>().ok());
        cells.sum()
    };
    let counts = [sum_of("read_clat_ns_count"), sum_of("write_clat_ns_count")];
    assert_eq!(counts.iter().sum::<u64>(), 512, "{counts:?}");
}

#[test]
fn operations_go_and_come_one_by_one_unless_batches_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "fio --name=a --rw=randread --bs=4k --size=2m --ioengine=libaio --iodepth=16 --output-format=json --output=result";
    // As fio has it: at most 4, 8, ... together.
    let together = |options: &str, asked: &str| {
        output_of(plumb_in(folder.path(), &format!("{line} {options}")), 0);
        let text = fs::read_to_string(folder.path().join("result")).expect("written");
        let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let shares = found["jobs"][0][asked].as_object().expect("shares").clone();
        let used = shares
            .into_iter()
            .filter(|(_, share)| share.as_f64() > Some(0.0));
        used.map(|(most, _)| most).collect::<Vec<_>>()
    };
    assert_eq!(together("", "iodepth_submit"), ["4"]);
    assert_eq!(together("", "iodepth_complete"), ["4"]);
    let batches = "--iodepth_batch=16 --iodepth_batch_complete_max=16";
    assert_eq!(together(batches, "iodepth_submit"), ["16"]);
    assert_eq!(together(batches, "iodepth_complete"), ["16"]);
}

/// `log_offset` and `log_prio` change the columns; where a log averages there is nothing in them.
#[test]
fn places_and_priorities_have_their_columns() {
    let line = "--name=a --rw=write --bs=4k --size=160k --rate_iops=100 --log_avg_msec=100 --write_bw_log=x --output=result";
    for (options, ending) in [
        ("", ", 1, 0, 0"),
        ("--log_offset=1", ", 1, 0, 0, 0"),
        ("--log_prio=1", ", 1, 0, 0x0000"),
        ("--log_offset=1 --log_prio=1", ", 1, 0, 0, 0x0000"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let same = |text: String| {
            let ends = |row: &str| {
                row.ends_with(ending) && row.matches(',').count() == ending.matches(',').count() + 1
            };
            assert!(
                text.lines().count() > 0 && text.lines().all(ends),
                "{options}: {text}"
            );
        };
        let read = || fs::read_to_string(folder.path().join("x_bw.1.log")).expect("a log");
        output_of(plumb_in(folder.path(), &format!("fio {line} {options}")), 0);
        same(read());
        let words: Vec<&str> = line.split(' ').chain(options.split_whitespace()).collect();
        if told_by("fio", &words, folder.path()).is_some() {
            same(read());
        }
    }
}
