//! Does the normal output of `plumb fio` have the jobs, blocks and errors of fio's, and do its figures cover all loops?

use std::process::Output;

use crate::fio_pair::{by_fio, by_plumb, jobs, json_by_plumb};

/// Lines that say which jobs there are and how they ended, without figures, versions, process numbers and dates.
fn frame(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let of = |line: &str| -> Option<String> {
        if line.contains(": (g=") || line == "..." || line.starts_with("Starting ") {
            return Some(line.into());
        }
        let (job, end) = line.split_once(": (groupid=")?;
        let number = end.split("err=").nth(1)?.trim_start();
        let number: String = number.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("{job} ended with {number}"))
    };
    text.lines().filter_map(of).collect()
}

#[test]
fn jobs_and_their_ends_are_as_in_fios_output() {
    for (line, lines) in [
        (
            "--name=a --ioengine=null --rw=randrw --size=1m --numjobs=3",
            6,
        ),
        (
            "--name=a --ioengine=null --rw=read --size=1m --numjobs=3 --group_reporting",
            4,
        ),
        (
            "--name=a --ioengine=null --size=1m --numjobs=2 --name=b --ioengine=null --size=1m --new_group",
            7,
        ),
        // What comes before the first name is for all jobs, unless they have their own.
        (
            "--rw=randread --ioengine=null --size=1m --iodepth=4 --name=a --rw=write --iodepth=8 --name=b",
            5,
        ),
        // It begins, and fails with its first write.
        (
            "--name=a --filename=/dev/full --rw=write --size=64k --name=b --ioengine=null --size=1m",
            5,
        ),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let of_plumb = frame(&by_plumb(folder.path(), line));
        assert_eq!(of_plumb.len(), lines, "{line}: {of_plumb:?}");
        if let Some(of_fio) = by_fio(folder.path(), line) {
            assert_eq!(of_plumb, frame(&of_fio), "{line}");
        }
    }
}

/// Times of each process cover all its loops: as many as there were operations, and no percentile beyond the longest.
#[test]
fn times_of_a_process_cover_all_its_loops() {
    for options in ["", "--group_reporting"] {
        let folder = tempfile::tempdir().expect("folder");
        let line = format!(
            "--name=a --ioengine=null --rw=randrw --size=1m --numjobs=2 --loops=3 {options}"
        );
        let of = jobs(&json_by_plumb(folder.path(), &line));
        let mut operations = 0;
        for direction in of.iter().flat_map(|job| [&job["read"], &job["write"]]) {
            operations += direction["total_ios"].as_u64().expect("operations");
            for times in ["clat_ns", "lat_ns"] {
                assert_eq!(
                    direction[times]["N"], direction["total_ios"],
                    "{line}: {direction}"
                );
            }
            let [longest, mean] =
                ["max", "mean"].map(|figure| direction["clat_ns"][figure].as_f64());
            let percentile = direction["clat_ns"]["percentile"]["99.990000"].as_f64();
            assert!(
                percentile <= longest && mean <= longest,
                "{line}: {direction}"
            );
        }
        assert_eq!(operations, 2 * 3 * 256, "{line}");
    }
}

/// Operations in flight when the time was over count, with their times, as in fio.
#[test]
fn what_was_in_flight_at_the_end_is_counted() {
    let folder = tempfile::tempdir().expect("folder");
    for options in [
        "--ioengine=libaio --iodepth=32 --direct=1 --rw=randread",
        "--ioengine=libaio --iodepth=16 --direct=1 --rw=randrw --numjobs=2",
        "--ioengine=libaio --iodepth=16 --direct=1 --rw=randrw --numjobs=2 --group_reporting --bssplit=4k/50:8k/50",
    ] {
        let line =
            format!("--name=a --filename=f --size=4m --time_based --runtime=500ms {options}");
        for job in jobs(&json_by_plumb(folder.path(), &line)) {
            for direction in [&job["read"], &job["write"]] {
                let [operations, bytes] = ["total_ios", "io_bytes"]
                    .map(|name| direction[name].as_u64().expect("a number"));
                assert_eq!(direction["clat_ns"]["N"], operations, "{line}: {direction}");
                let sizes = operations * 4096..=operations * 8192;
                assert!(sizes.contains(&bytes), "{line}: {direction}");
                assert!(
                    options.contains("bssplit") || bytes == operations * 4096,
                    "{line}"
                );
            }
        }
    }
}

/// (operations, error) of each job, exit code, messages about errors.
fn ends(output: &Output) -> (Vec<(u64, u64)>, Option<i32>, usize) {
    let number = |of: &serde_json::Value| of.as_u64().unwrap_or(0);
    let of = |job: &serde_json::Value| {
        let operations = number(&job["write"]["total_ios"]) + number(&job["read"]["total_ios"]);
        (operations, number(&job["error"]))
    };
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.matches("fio: io_u error on file /dev/full: No space left on device: write offset=0, buflen=4096\n").count();
    (
        jobs(output).iter().map(of).collect(),
        output.status.code(),
        lines,
    )
}

/// fio ends a job at its first error, unless it is told to count them, and a job with exitall ends the others.
#[test]
fn errors_and_ends_stop_what_they_stop_in_fio() {
    let folder = tempfile::tempdir().expect("folder");
    let run = |line: &str| ends(&json_by_plumb(folder.path(), line));
    let full = "--name=a --filename=/dev/full --rw=write --size=64k";
    assert_eq!(run(full), (vec![(0, 28)], Some(1), 1));
    let counted = format!("{full} --ignore_error=,ENOSPC");
    assert_eq!(run(&counted), (vec![(0, 28)], Some(0), 0));
    let text = by_plumb(folder.path(), &counted);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("errors    : total=16, first_error=28/<No space left on device>"),
        "{text}"
    );
    // The other job has minutes of work.
    let other = "--name=b --ioengine=null --rw=read --size=1g --rate_iops=100 --rw=read";
    let first = "--name=a --ioengine=null --rw=write --size=64k --rate_iops=50";
    for (line, error) in [
        (format!("{first} --exitall {other}"), 0),
        (
            format!("{first} --exitall {other} --time_based --runtime=100"),
            0,
        ),
        (format!("{full} --exitall_on_error {other}"), 28),
    ] {
        let (jobs, ..) = run(&line);
        assert_eq!(jobs[0].1, error, "{line}");
        assert!(jobs[1].0 < 1000 && jobs[1].1 == 0, "{line}: {jobs:?}");
    }
    if let Some(of_fio) = by_fio(folder.path(), &format!("--output-format=json {counted}")) {
        assert_eq!(ends(&of_fio).1, Some(0));
    }
}

#[test]
fn job_files_run_one_after_another() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["one", "two"] {
        let text = format!(
            "[{name}]\nioengine=null\nrw=read\nsize=1m\n[beside]\nioengine=null\nsize=1m\n"
        );
        std::fs::write(folder.path().join(name), text).expect("a job file");
    }
    let groups = |output: &Output| -> Vec<u64> {
        let of = |job: &serde_json::Value| job["groupid"].as_u64().expect("a group");
        jobs(output).iter().map(of).collect()
    };
    let of_plumb = groups(&json_by_plumb(folder.path(), "one two"));
    assert_eq!(of_plumb, [0, 0, 1, 1]);
    if let Some(of_fio) = by_fio(folder.path(), "--output-format=json one two") {
        assert_eq!(groups(&of_fio), of_plumb);
    }
}

/// The status line is output, not a note: it comes also where notes do not.
#[test]
fn the_status_line_comes_when_it_is_requested() {
    let folder = tempfile::tempdir().expect("folder");
    let lines = |more: &str| {
        let line = format!(
            "--name=a --ioengine=null --rate_iops=100 --size=1m --time_based --runtime=2 --eta-interval=500ms {more}"
        );
        let output = by_plumb(folder.path(), &line);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.matches("Jobs: 1 (f=1)").count()
    };
    for notes in ["never", "always"] {
        assert!(
            lines(&format!("--eta=always --plumb-notes={notes}")) > 0,
            "{notes}"
        );
        assert_eq!(lines(&format!("--plumb-notes={notes}")), 0, "{notes}");
    }
}

/// Which files are made before the jobs begin is in the output.
#[test]
fn files_that_are_laid_out_are_named_as_by_fio() {
    let lines = |output: &Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let of = text.lines().filter(|line| line.contains("Laying out"));
        of.map(str::to_string).collect::<Vec<String>>()
    };
    for (jobs, expected) in [
        (&["--name=a --rw=read --size=2m"][..], &[1][..]),
        // The second job finds the file of the first one, or one that is too short.
        (
            &[
                "--name=a --rw=write --size=2m",
                "--name=a --rw=randread --size=2m",
                "--name=a --rw=read --size=3m",
                "--name=a --rw=read --size=1m --offset=2m",
            ],
            &[1, 0, 1, 0],
        ),
        (&["--name=a --rw=randwrite --size=5m --nrfiles=3"], &[1]),
        (&["--name=a --rw=read --size=1m --numjobs=3"], &[3]),
        (
            &["--name=a --filename=f --rw=read --size=1m --numjobs=3"],
            &[1],
        ),
        (
            &["--size=1m --rw=read --name=a --filename=x:y --name=b --filename=y:z"],
            &[2],
        ),
        (&["--name=a --rw=write --size=1m --create_on_open=1"], &[0]),
        (&["--name=a --ioengine=null --size=1m"], &[0]),
        (&["--name=a --filename=/dev/zero --rw=read --size=1m"], &[0]),
        (
            &["--name=a --rw=read --size=1m --output-format=terse"],
            &[0],
        ),
    ] {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
        for (job, expected) in jobs.iter().zip(expected) {
            let own = lines(&by_plumb(folders[0].path(), job));
            assert_eq!(own.len(), *expected, "{job}: {own:?}");
            if let Some(of_fio) = by_fio(folders[1].path(), job) {
                assert_eq!(own, lines(&of_fio), "{job}");
            }
        }
    }
}

/// As in fio's output, the signal comes before the results up to then.
#[test]
fn a_signal_that_ends_the_jobs_is_in_the_output() {
    let folder = tempfile::tempdir().expect("folder");
    let job =
        "--name=a --ioengine=null --size=1m --time_based --runtime=1m --rate_iops=100 --eta=always";
    let stopped = |signal: &str, program: &[&str]| {
        let path = folder.path().join("output");
        let mut child = std::process::Command::new(program[0])
            .args(&program[1..])
            .args(job.split(' '))
            .current_dir(folder.path())
            .env("PLUMB_FIO_RECORD", "off")
            .stdout(std::fs::File::create(&path).expect("a file"))
            .spawn()
            .expect("started");
        let output = || std::fs::read_to_string(&path).expect("text");
        // The status line shows that the job runs.
        while !output().contains("Jobs: 1 (") {
            let ended = child.try_wait().expect("a state");
            assert!(ended.is_none(), "{ended:?}: {}", output());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let child_id = child.id().to_string();
        let kill = std::process::Command::new("kill")
            .args([format!("-{signal}"), child_id])
            .status();
        assert!(kill.expect("kill").success());
        child.wait().expect("ended");
        let text = output();
        let lines = text.lines().filter(|line| line.starts_with("fio: "));
        let lines: Vec<String> = lines.map(str::to_string).collect();
        (lines, text)
    };
    let own = [env!("CARGO_BIN_EXE_plumb"), "fio"];
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let (lines, text) = stopped(signal, &own);
        let line = format!("fio: terminating on signal {number}");
        assert_eq!(lines.join("\n"), line, "{text}");
        assert!(
            text.contains(&format!("\n{line}\n\na: (groupid=0,")),
            "{text}"
        );
        if std::process::Command::new("fio")
            .arg("--version")
            .output()
            .is_ok()
        {
            assert_eq!(stopped(signal, &["fio"]).0, lines);
        }
    }
}

/// Findings are messages there, which are printed without control characters.
#[test]
fn notes_on_a_terminal_hold_no_escape_codes_as_text() {
    let folder = tempfile::tempdir().expect("folder");
    let shell = "\"$plumb\" fio --name=a --ioengine=null --size=1m --eta=never";
    let output = std::process::Command::new("script")
        .args(["--quiet", "--return", "--command", shell, "/dev/null"])
        .current_dir(folder.path())
        .env("plumb", env!("CARGO_BIN_EXE_plumb"))
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .env("PLUMB_LANGUAGE", "en")
        .env("PLUMB_FIO_RECORD", "off")
        .env_remove("NO_COLOR")
        .output();
    let Ok(output) = output else {
        println!("skipped: script is not installed: no terminal is tried");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("99th percentile cannot be stated"), "{text}");
    assert!(!text.contains("u{1b}"), "{text}");
}

/// Services and `nobody` often have no home that can be written.
#[test]
fn without_a_home_the_job_runs_all_the_same() {
    let folder = tempfile::tempdir().expect("folder");
    let run = |notes: &str| {
        let line = format!("fio --name=a --ioengine=null --size=1m --plumb-notes={notes}");
        let output = crate::plumb_in(folder.path(), &line)
            .env_remove("PLUMB_FIO_RECORD")
            .env_remove("PLUMB_OUTPUT")
            .env_remove("XDG_DATA_HOME")
            .env("HOME", "/dev/null/home")
            .output()
            .expect("started");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(run("never"), "");
    assert!(run("always").contains("record: none, /dev/null/home/"));
}

/// The engine exists in fio after 3.42 only. Each process has memory of its own, whose pages come with the first access.
#[test]
fn page_faults_are_measured_on_memory_that_is_not_there_yet() {
    let folder = tempfile::tempdir().expect("folder");
    let faults = |line: &str| {
        let of = jobs(&json_by_plumb(folder.path(), line));
        assert_eq!(of[0]["error"], 0, "{line}");
        of[0]["minf"].as_u64().expect("page faults")
    };
    let line = "--name=a --ioengine=page_fault --rw=write --bs=4k --size=4m --loops=4";
    let (few, many) = (
        faults(line),
        faults(&line.replace("size=4m --loops=4", "size=16m")),
    );
    assert!(many - few > 2048, "{few} of 1,024 pages, {many} of 4,096");
}
