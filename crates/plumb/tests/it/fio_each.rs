//! Do the logs of `plumb fio` have every operation, as fio's have without `log_avg_msec`?

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::fio_pair::{by_fio, by_plumb, jobs, json_by_fio, json_by_plumb};
use crate::left_in;

/// The rows of a log; a priority in hexadecimal is its number.
fn rows(folder: &Path, name: &str) -> Vec<Vec<u64>> {
    let text = fs::read_to_string(folder.join(name)).unwrap_or_else(|_| panic!("no {name}"));
    let number = |field: &str| match field.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).expect("digits"),
        None => field.trim().parse().unwrap_or_else(|_| panic!("{text}")),
    };
    let row = |line: &str| line.split(',').map(number).collect();
    text.lines().map(row).collect()
}

type By = (
    fn(&Path, &str) -> Option<Output>,
    fn(&Path, &str) -> Option<Output>,
);

/// Both programs: for output in any form, and for JSON.
const BOTH: [By; 2] = [
    (
        |folder, line| Some(by_plumb(folder, line)),
        |folder, line| Some(json_by_plumb(folder, line)),
    ),
    (by_fio, json_by_fio),
];

/// Runs the line by both programs, each in a folder of its own.
fn both(line: &str, check: impl Fn(&Path, &Output)) {
    for (_, by) in BOTH {
        let folder = tempfile::tempdir().expect("a folder");
        if let Some(output) = by(folder.path(), line) {
            assert!(output.status.success(), "{line}: {output:?}");
            check(folder.path(), &output);
        }
    }
}

fn column(rows: &[Vec<u64>], number: usize) -> Vec<u64> {
    rows.iter().map(|row| row[number]).collect()
}

/// Each log has each operation, with its place, and what it has is what the result says of all.
#[test]
fn every_operation_is_in_every_log() {
    for (engine, depth) in [("psync", 1), ("libaio", 4), ("io_uring", 4)] {
        let line = format!(
            "--name=a --rw=randrw --bs=4k --size=1m --ioengine={engine} --iodepth={depth} --write_lat_log=x --write_bw_log=x --write_iops_log=x --log_offset=1"
        );
        both(&line, |folder, output| {
            let job = &jobs(output)[0];
            for (log, key) in [("lat", "lat_ns"), ("clat", "clat_ns"), ("slat", "slat_ns")] {
                let rows = rows(folder, &format!("x_{log}.1.log"));
                for (direction, name) in [(0, "read"), (1, "write")] {
                    let of: Vec<u64> = rows
                        .iter()
                        .filter(|row| row[2] == direction)
                        .map(|row| row[1])
                        .collect();
                    let found = &job[name][key];
                    assert_eq!(found["N"], of.len(), "{engine} {log} {name}");
                    if log == "slat" && engine == "psync" {
                        assert!(
                            of.is_empty(),
                            "a call that ends the operation has no submission"
                        );
                        continue;
                    }
                    assert_eq!(
                        found["max"],
                        *of.iter().max().expect("some"),
                        "{engine} {log}"
                    );
                    assert_eq!(
                        found["min"],
                        *of.iter().min().expect("some"),
                        "{engine} {log}"
                    );
                    let mean = of.iter().sum::<u64>() as f64 / of.len() as f64;
                    let reported = found["mean"].as_f64().expect("a mean");
                    assert!((mean / reported - 1.0).abs() < 1e-3, "{mean} {reported}");
                }
                if log != "slat" || engine != "psync" {
                    // Each block once, and no other.
                    let places: BTreeSet<u64> = column(&rows, 4).into_iter().collect();
                    let blocks: BTreeSet<u64> = (0..256).map(|block| block * 4096).collect();
                    assert_eq!((places, rows.len()), (blocks, 256), "{engine} {log}");
                    assert!(
                        rows.iter()
                            .all(|row| row.len() == 6 && row[3] == 4096 && row[5] == 0)
                    );
                    assert!(column(&rows, 0).is_sorted(), "{engine} {log}");
                }
            }
            let (clat, bandwidth) = (rows(folder, "x_clat.1.log"), rows(folder, "x_bw.1.log"));
            for (clat, bandwidth) in clat.iter().zip(&bandwidth) {
                assert_eq!(
                    bandwidth[1],
                    4096 * 1_000_000 / clat[1],
                    "{clat:?} {bandwidth:?}"
                );
                assert_eq!(clat[2..], bandwidth[2..]);
            }
            let iops = rows(folder, "x_iops.1.log");
            assert_eq!(column(&iops, 1), [1; 256]);
        });
    }
}

/// A log for each clone, or one with all of a job; warm-up is left out, and each loop and what it reads back follow each other.
#[test]
fn clones_loops_and_warm_ups_have_the_lines_of_fio() {
    let size = "--bs=4k --size=16k --ioengine=psync --log_offset=1";
    let line = format!("--name=a --rw=read {size} --numjobs=3 --write_bw_log=x");
    both(&line, |folder, _| {
        for clone in 1..=3 {
            let places = column(&rows(folder, &format!("x_bw.{clone}.log")), 4);
            assert_eq!(places, [0, 4096, 8192, 12288], "{clone}");
        }
        assert!(!folder.join("x_bw.4.log").exists());
    });
    let line = format!(
        "--name=a --rw=read {size} --numjobs=2 --group_reporting --per_job_logs=0 --write_bw_log=x"
    );
    both(&line, |folder, _| {
        let places = column(&rows(folder, "x_bw.log"), 4);
        assert_eq!(places, [0, 4096, 8192, 12288, 0, 4096, 8192, 12288]);
    });
    let line = format!("--name=a --rw=write {size} --loops=2 --verify=md5 --write_lat_log=x");
    both(&line, |folder, _| {
        let rows = rows(folder, "x_lat.1.log");
        let of_loop = [[1; 4], [0; 4]].concat();
        assert_eq!(column(&rows, 2), of_loop.repeat(2));
        assert_eq!(column(&rows, 4), [0, 4096, 8192, 12288].repeat(4));
        assert!(column(&rows, 0).is_sorted());
    });
    let line = "--name=a --rw=read --bs=4k --size=1m --ioengine=psync --rate_iops=50 --ramp_time=1 --runtime=1 --time_based --write_iops_log=x";
    both(line, |folder, output| {
        let rows = rows(folder, "x_iops.1.log");
        assert_eq!(jobs(output)[0]["read"]["total_ios"], rows.len());
        assert!((40..=55).contains(&rows.len()), "{rows:?}");
        let last = rows.last().expect("some")[0];
        assert!(rows[0][0] < 100 && (900..1100).contains(&last), "{rows:?}");
        assert!(rows.iter().all(|row| row[1..] == [1, 0, 4096, 0]));
    });
}

/// A block is trimmed, then written.
#[test]
fn trims_are_in_the_logs_of_the_null_engine() {
    let line = "--name=a --rw=randtrimwrite --bs=4k --filesize=64k --ioengine=null --write_bw_log=a --log_offset=1 --per_job_logs=0";
    both(line, |folder, _| {
        let rows = rows(folder, "a_bw.log");
        assert_eq!(rows.len(), 32);
        for pair in rows.chunks(2) {
            assert_eq!((pair[0][2], pair[1][2]), (2, 1));
            assert_eq!(pair[0][3..], pair[1][3..]);
        }
    });
}

#[test]
fn priorities_dates_and_issue_times_are_those_of_fio() {
    let line = "--name=a --rw=read --bs=4k --size=16k --ioengine=psync --write_lat_log=x";
    both(
        &format!("{line} --log_prio=1 --prioclass=2 --prio=3"),
        |folder, _| {
            assert_eq!(column(&rows(folder, "x_lat.1.log"), 4), [0x4003; 4]);
        },
    );
    both(&format!("{line} --prioclass=2 --prio=3"), |folder, _| {
        assert_eq!(column(&rows(folder, "x_lat.1.log"), 4), [0; 4]);
    });
    let now_ms = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.expect("after 1970").as_millis() as u64
    };
    let from_ms = now_ms();
    both(&format!("{line} --log_unix_epoch=1"), |folder, _| {
        let times = column(&rows(folder, "x_clat.1.log"), 0);
        assert!(times.iter().all(|ms| (from_ms..=now_ms()).contains(ms)));
    });
    // fio 3.33 has no log_issue_time.
    let folder = tempfile::tempdir().expect("a folder");
    let output = by_plumb(
        folder.path(),
        &format!("{line} --log_offset=1 --log_issue_time=1"),
    );
    assert!(output.status.success(), "{output:?}");
    for row in rows(folder.path(), "x_lat.1.log") {
        let completed_ms = (row[6] + row[1]) / 1_000_000;
        assert_eq!((row.len(), row[0]), (7, completed_ms), "{row:?}");
    }
}

#[test]
fn compressed_logs_are_the_same_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |line: &str| by_plumb(folder.path(), line);
    let line = "--name=a --rw=write --bs=128k --filesize=1000m --ioengine=null --write_bw_log=x --per_job_logs=0 --log_offset=1 --log_compression=10k";
    for stored in [false, true] {
        let output = run(&format!(
            "{line} --log_store_compressed={}",
            u8::from(stored)
        ));
        assert!(output.status.success(), "{output:?}");
        if stored {
            let bytes = fs::metadata(folder.path().join("x_bw.log.fz")).expect("a log");
            assert!(bytes.len() < 8000 * 16, "{bytes:?}");
            let output = run("--inflate-log=x_bw.log.fz");
            assert!(output.status.success(), "{output:?}");
            fs::write(folder.path().join("x_bw.log"), output.stdout).expect("written");
        }
        let places = column(&rows(folder.path(), "x_bw.log"), 4);
        let blocks: Vec<u64> = (0..8000).map(|block| block * 131_072).collect();
        assert_eq!(places, blocks, "{stored}");
        fs::remove_file(folder.path().join("x_bw.log")).expect("removed");
    }
    // A compressed log is replaced by one; another file stays, and what is no log is not printed.
    let again = run(&format!("{line} --log_store_compressed=1"));
    assert!(again.status.success(), "{again:?}");
    fs::write(folder.path().join("x_bw.log.fz"), "what I need").expect("written");
    for refused in [
        run(&format!("{line} --log_store_compressed=1")),
        run("--inflate-log=x_bw.log.fz"),
        run("--inflate-log=missing.fz"),
    ] {
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(
            refused.stdout.is_empty() && !refused.stderr.is_empty(),
            "{refused:?}"
        );
    }
}

/// Latencies that are not to be measured have no log.
#[test]
fn what_is_disabled_has_no_log() {
    let line = "--name=a --rw=read --size=16k --ioengine=psync --write_lat_log=x --disable_lat=1 --disable_slat=1";
    both(line, |folder, _| {
        let logs = left_in(folder).into_iter();
        let logs: Vec<String> = logs.filter(|name| name.ends_with(".log")).collect();
        assert_eq!(logs, ["x_clat.1.log"]);
    });
}

/// More operations than fit between the load and the disk are all there, and the record of plumb's own plans has them too, as far as it came when killed.
#[test]
#[cfg(unix)]
fn a_record_with_every_operation_outlives_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |time: &str, name: &str| {
        let line = format!(
            "run --target null: --pattern random-read --size 1g --time {time} --set log-each=true --set interval=100ms --set workers=2 --output {name} --no-report --quiet"
        );
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("plumb"));
        command.current_dir(folder.path()).args(line.split(' '));
        command.spawn().expect("started")
    };
    let operations = |name: &str| {
        let reader = plumb_record::OperationReader::open(&folder.path().join(name));
        reader.expect("readable").expect("a log")
    };
    assert!(run("1s", "whole").wait().expect("ended").success());
    let record = plumb_record::read_run(&folder.path().join("whole")).expect("a run");
    let counted: u64 = record
        .ticks
        .iter()
        .flat_map(|tick| &tick.kinds)
        .map(|kind| kind.count)
        .sum();
    let whole = operations("whole");
    assert_eq!((whole.len(), whole.is_cut), (counted, false));
    assert!(counted > 50_000, "{counted}");

    let mut killed = run("1h", "killed");
    let path = folder.path().join("killed").join("operations.bin");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while fs::metadata(&path).map_or(0, |found| found.len()) < 200_000 {
        assert!(std::time::Instant::now() < deadline, "no operations");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    killed.kill().expect("killed");
    killed.wait().expect("ended");
    let mut kept = operations("killed");
    let (mut last, mut count) = ([0; 2], 0);
    kept.each(
        |_, _, _| true,
        |batch| {
            for operation in batch.operations {
                assert!(operation.completed_ns >= last[batch.worker as usize]);
                last[batch.worker as usize] = operation.completed_ns;
                count += 1;
            }
            Ok::<_, plumb_record::RecordError>(())
        },
    )
    .expect("whole frames");
    assert!(count > 10_000 && count == kept.len(), "{count}");
}

/// The record among the data of the user keeps no copy of what is in the logs; one that was asked for has it.
#[test]
fn the_record_keeps_operations_where_it_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("home");
    let run = |line: &str, chosen: bool| {
        let mut command = crate::plumb_in(folder.path(), "fio");
        command.args(line.split(' ')).env("XDG_DATA_HOME", &home);
        if !chosen {
            command.env_remove("PLUMB_FIO_RECORD");
        }
        crate::output_of(command, 0);
    };
    let line = "--name=a --rw=read --size=64k --ioengine=null --write_bw_log=x --output=o";
    run(line, false);
    let kept = home.join("plumb/fio");
    let [record] = left_in(&kept).try_into().expect("one record");
    assert!(!left_in(&kept.join(record)).contains(&"operations.bin".to_string()));
    run(&format!("{line} --plumb-output=mine"), true);
    let operations = plumb_record::OperationReader::open(&folder.path().join("mine"));
    assert_eq!(operations.expect("readable").expect("a log").len(), 16);
}

/// What a log of averages has is as before.
#[test]
fn averages_have_a_line_for_each_interval() {
    let line = "--name=a --rw=read --bs=4k --size=1m --ioengine=psync --rate_iops=100 --time_based --runtime=1 --log_avg_msec=250 --write_iops_log=x";
    both(line, |folder, output| {
        let rows = rows(folder, "x_iops.1.log");
        assert!((3..=5).contains(&rows.len()), "{rows:?}");
        assert_ne!(jobs(output)[0]["read"]["total_ios"], rows.len());
    });
}
