//! Does `plumb watch` show the kernel's counters, and is its recording complete after any kind of end?

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::{json_of, left_in, output_of, plumb_in, refusal_of};

/// The value of one column in the row of this instance and kind.
fn value(summary: &Value, group: &str, instance: &str, kind: &str, column: &str) -> f64 {
    cell("values", summary, [group, instance, kind, column])
}

/// The largest value of an interval in it.
#[cfg(target_os = "linux")]
fn largest(summary: &Value, group: &str, instance: &str, kind: &str, column: &str) -> f64 {
    cell("largest", summary, [group, instance, kind, column])
}

fn cell(of: &str, summary: &Value, [group, instance, kind, column]: [&str; 4]) -> f64 {
    let tables = summary["tables"].as_array().expect("tables");
    let table = tables.iter().find(|table| table["group"] == group);
    let table = table.unwrap_or_else(|| panic!("no table {group} in {summary}"));
    let columns = table["columns"].as_array().expect("columns");
    let at = columns.iter().position(|known| known["id"] == column);
    let rows = table["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| row["instance"] == instance && row["kind"] == kind);
    let row = row.unwrap_or_else(|| panic!("no row {instance} {kind} in {table}"));
    let value = &row[of][at.expect("the column")];
    value.as_f64().unwrap_or_else(|| panic!("{column}: {row}"))
}

/// A command that watches in `folder`, without its output.
fn started(folder: &Path, line: &str) -> Child {
    let prepared = plumb_in(folder, line);
    let mut command = Command::new(prepared.get_program());
    command
        .args(prepared.get_args())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("started")
}

/// Waits until the recording has so many samples.
fn await_samples(recording: &Path, count: usize) {
    for _ in 0..1200 {
        let text = std::fs::read_to_string(recording.join("readings.jsonl")).unwrap_or_default();
        if text.lines().filter(|line| line.contains("\"v\"")).count() >= count {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{} has no {count} samples", recording.display());
}

#[cfg(target_os = "linux")]
pub(crate) mod witnessed {
    use super::*;
    use crate::fixtures;
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    /// A block device that nobody else uses, until this value goes.
    pub(crate) struct LoopDevice(pub String);

    impl LoopDevice {
        /// `None` where none can be made, which takes root.
        pub fn over(file: &Path, options: &[&str]) -> Option<LoopDevice> {
            let made = std::process::Command::new("losetup")
                .args(["--find", "--show"])
                .args(options)
                .arg(file)
                .output()
                .ok()?;
            let device = String::from_utf8_lossy(&made.stdout).trim().to_string();
            made.status.success().then_some(LoopDevice(device))
        }

        /// The numbers that the kernel has for it: name, then the fields of Documentation/admin-guide/iostats.rst.
        fn counters(&self) -> Vec<f64> {
            let name = self.0.trim_start_matches("/dev/");
            let text = std::fs::read_to_string("/proc/diskstats").expect("diskstats");
            let line = text
                .lines()
                .map(|line| line.split_ascii_whitespace().collect::<Vec<_>>())
                .find(|words| words[2] == name)
                .expect("the device is counted");
            line[3..]
                .iter()
                .map(|word| word.parse().expect("a number"))
                .collect()
        }
    }

    impl Drop for LoopDevice {
        fn drop(&mut self) {
            let _ = fixtures::run("losetup", &["-d", &self.0]);
        }
    }

    /// A program of others, until this value goes.
    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// What an HTTP server answers.
    fn body_of(port: u16, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
        let request = format!("GET {path} HTTP/1.0\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text.split_once("\r\n\r\n")?.1.to_owned())
    }

    fn free_port() -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.local_addr().expect("bound").port()
    }

    /// A Prometheus that listens at `theirs` and scrapes `ours` each second.
    fn scraping(folder: &Path, ours: u16, theirs: u16) -> Running {
        let configuration = format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs: [{{job_name: p, static_configs: [{{targets: ['127.0.0.1:{ours}']}}]}}]\n"
        );
        std::fs::write(folder.join("p.yml"), configuration).expect("file");
        let prometheus = Command::new("prometheus")
            .args(["--config.file=p.yml", "--storage.tsdb.path=data"])
            .arg(format!("--web.listen-address=127.0.0.1:{theirs}"))
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Running(prometheus.expect("started"))
    }

    /// The series that a query gives.
    fn series_of(prometheus: u16, query: &str) -> Vec<Value> {
        let mut encoded = String::new();
        for byte in query.bytes() {
            encoded += &format!("%{byte:02X}");
        }
        let answer = body_of(prometheus, &format!("/api/v1/query?query={encoded}"));
        let answer: Value = serde_json::from_str(&answer.unwrap_or_default()).unwrap_or_default();
        let of = answer["data"]["result"].as_array();
        of.cloned().unwrap_or_default()
    }

    /// Every query of the dashboard gives data of what `plumb watch` serves; one that names another metric gives none.
    #[test]
    fn queries_of_the_dashboard_find_what_is_served() {
        if Command::new("prometheus")
            .arg("--version")
            .output()
            .is_err()
        {
            println!("skipped: there is no prometheus (apt-get install prometheus)");
            return;
        }
        let text = plumb_house::workspace::text_of("packaging/grafana/plumb.json");
        let dashboard: Value = serde_json::from_str(&text).expect("JSON");
        let panels = dashboard["panels"].as_array().expect("panels");
        let targets = panels
            .iter()
            .flat_map(|panel| panel["targets"].as_array().expect("targets"));
        let mut queries: Vec<String> = targets
            .map(|target| target["expr"].as_str().expect("a query").to_string())
            .collect();
        let variables = dashboard["templating"]["list"].as_array().expect("list");
        let of_variables = variables.iter().filter_map(|variable| {
            let query = variable["query"].as_str().expect("a query");
            let (series, _) = query.strip_prefix("label_values(")?.rsplit_once(", ")?;
            Some(series.to_string())
        });
        queries.extend(of_variables);
        assert!(queries.len() >= 20, "{queries:?}");
        let folder = tempfile::tempdir().expect("folder");
        let (ours, theirs) = (free_port(), free_port());
        let line =
            format!("watch --interval 200ms --no-record --quiet --open-metrics 127.0.0.1:{ours}");
        let _watching = Running(started(folder.path(), &line));
        let _prometheus = scraping(folder.path(), ours, theirs);
        let as_grafana_does = |query: &str| {
            query
                .replace("$__rate_interval", "1m")
                .replace("$job", ".+")
                .replace("$instance", ".+")
                .replace("$disk", ".+")
        };
        let mut unanswered = queries;
        for _ in 0..300 {
            unanswered.retain(|query| series_of(theirs, &as_grafana_does(query)).is_empty());
            if unanswered.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(unanswered, Vec::<String>::new());
        // The test can fail: a metric that is not served gives nothing.
        let wrong = "rate(plumb_disk_reads[1m])";
        assert!(series_of(theirs, wrong).is_empty());
    }

    /// A real Prometheus scrapes plumb; what it has stored is a reading of plumb's own record, with its time.
    #[test]
    fn prometheus_stores_the_readings_that_are_recorded() {
        if Command::new("prometheus")
            .arg("--version")
            .output()
            .is_err()
        {
            println!("skipped: there is no prometheus (apt-get install prometheus)");
            return;
        }
        let folder = tempfile::tempdir().expect("folder");
        let (ours, theirs) = (free_port(), free_port());
        let line = format!(
            "watch --set cpu --interval 100ms --output r.plumb --open-metrics 127.0.0.1:{ours}"
        );
        let mut watching = Running(started(folder.path(), &line));
        let _prometheus = scraping(folder.path(), ours, theirs);
        let query =
            "/api/v1/query?query=plumb_cpu_user_seconds_total%7Bname%3D%22cpu0%22%7D%5B1m%5D";
        let mut stored = Value::Null;
        for _ in 0..600 {
            let answer = body_of(theirs, query).unwrap_or_default();
            let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
            stored = answer["data"]["result"][0]["values"].clone();
            if stored.as_array().is_some_and(|values| values.len() >= 2) {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let stored = stored.as_array().expect("Prometheus has values").clone();
        assert!(stored.len() >= 2, "{stored:?}");
        let sent = Command::new("kill")
            .args(["-INT", &watching.0.id().to_string()])
            .status();
        assert!(sent.expect("kill is there").success());
        assert_eq!(watching.0.wait().expect("ended").code(), Some(0));
        let run = std::fs::read_to_string(folder.path().join("r.plumb/run.json")).expect("header");
        let run: Value = serde_json::from_str(&run).expect("JSON");
        let started_ns = run["started_unix_ns"].as_u64().expect("start");
        let recorded: Vec<(u64, f64)> = plumb_record::read_run(&folder.path().join("r.plumb"))
            .expect("record")
            .readings
            .iter()
            .filter(|reading| reading.metric == "cpu.user_ns" && reading.instance == "cpu0")
            .map(|reading| {
                let unix_ms = (started_ns + reading.time_ns) / 1_000_000;
                (unix_ms, reading.value.expect("a value") * 1e-9)
            })
            .collect();
        for value in &stored {
            let unix_ms = (value[0].as_f64().expect("time") * 1e3).round() as u64;
            let seconds: f64 = value[1].as_str().expect("text").parse().expect("number");
            assert!(
                recorded.contains(&(unix_ms, seconds)),
                "{unix_ms} {seconds}: {recorded:?}"
            );
        }
    }

    /// dd writes 300 requests of 64 KiB and reads 200 of 16 KiB, past the page cache; the kernel's own numbers before and after are the witness.
    #[test]
    fn figures_of_a_disk_are_those_of_the_work_that_was_done_and_of_the_kernels_numbers() {
        let folder = tempfile::tempdir().expect("folder");
        let image = folder.path().join("image");
        std::fs::write(&image, vec![7u8; 32 << 20]).expect("image");
        let Some(device) = LoopDevice::over(&image, &[]) else {
            println!("skipped: no loop device can be made (it takes root)");
            return;
        };
        let name = device.0.trim_start_matches("/dev/").to_string();
        let before = device.counters();
        let work = format!(
            "dd if=/dev/zero of={0} bs=64k count=300 oflag=direct status=none && dd if={0} of=/dev/null bs=16k count=200 iflag=direct status=none",
            device.0
        );
        let mut command = plumb_in(
            folder.path(),
            &format!(
                "watch --json --interval 100ms --disk {name} --set disk --output r.plumb -- sh -c"
            ),
        );
        command.arg(work);
        let watched = json_of(command, 0);
        let after = device.counters();
        let rose = |field: usize| after[field - 1] - before[field - 1];
        assert_eq!((rose(5), rose(7)), (300.0, 300.0 * 128.0), "dd wrote it");
        let seconds = watched["span_ns"].as_f64().expect("time") / 1e9;
        let of = |kind: &str, column: &str| value(&watched, "disk", &name, kind, column);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
        // udev looks at the device when dd closes it: reads are those of the kernel, and no fewer than dd's.
        assert!(rose(1) >= 200.0, "{}", rose(1));
        for (kind, requests, sectors, time_ms) in [("read", 1, 3, 4), ("write", 5, 7, 8)] {
            assert!(near(of(kind, "per_second") * seconds, rose(requests)));
            let bytes = rose(sectors) * 512.0;
            assert!(near(of(kind, "bytes_per_second") * seconds, bytes));
            assert!(near(of(kind, "request_bytes"), bytes / rose(requests)));
            let (await_ns, outstanding) = (
                rose(time_ms) * 1e6 / rose(requests),
                rose(time_ms) / 1e3 / seconds,
            );
            // Milliseconds that are still below one: the kernel's clock has not counted them.
            if rose(time_ms) > 0.0 {
                assert!(near(of(kind, "time_ns"), await_ns), "{kind} {await_ns}");
                assert!(near(of(kind, "outstanding"), outstanding), "{kind}");
            }
        }
        assert_eq!(of("write", "request_bytes"), 65536.0);
        // The recording gives the same figures as the live view.
        let shown = json_of(plumb_in(folder.path(), "show --json r.plumb"), 0);
        assert_eq!(shown["tables"], watched["tables"]);
        assert_eq!(shown["command_end"]["status"], 0);
        exports_are_read_again(folder.path(), &watched, &name);
    }
}

/// What is written as PDH-CSV is shown again with the same figures of each interval, under the names of Windows.
#[cfg(target_os = "linux")]
fn exports_are_read_again(folder: &Path, watched: &Value, disk: &str) {
    let export = "export r.plumb --format pdh-csv --output again.csv";
    output_of(plumb_in(folder, export), 0);
    let again = json_of(plumb_in(folder, "show --json again.csv"), 0);
    assert_eq!(again["intervals"], watched["intervals"]);
    let same = |of: f64, again: f64, what: &str| {
        let near = (again - of).abs() <= 1e-9 * of.abs();
        assert!(near, "{what}: {again}, not {of}");
    };
    for kind in ["read", "write", "all"] {
        for column in [
            "per_second",
            "bytes_per_second",
            "request_bytes",
            "outstanding",
        ] {
            let of = largest(watched, "disk", disk, kind, column);
            let back = largest(&again, "physical_disk", disk, kind, column);
            same(of, back, column);
        }
    }
    // Every interval as CSV: what dd wrote is the sum of rate times length.
    let csv = output_of(plumb_in(folder, "export r.plumb --format csv-counters"), 0);
    let written: f64 = csv
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|fields| fields[2..6] == ["disk", disk, "write", "per_second"])
        .map(|fields| {
            let number = |at: usize| fields[at].parse::<f64>().expect("a number");
            number(6) * (number(1) - number(0)) / 1e9
        })
        .sum();
    same(300.0, written, "requests that dd wrote");
}

#[test]
fn a_recording_of_windows_is_exported_as_it_was_read() {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/pdh/e5-eight-threads.csv");
    let folder = tempfile::tempdir().expect("folder");
    let shown = |file: &Path| {
        let mut command = plumb_in(folder.path(), "show --json");
        command.arg(file);
        json_of(command, 0)
    };
    let mut command = plumb_in(folder.path(), "export --format pdh-csv --output again.csv");
    command.arg(&recording);
    output_of(command, 0);
    let (before, after) = (shown(&recording), shown(&folder.path().join("again.csv")));
    assert_eq!(after["tables"], before["tables"]);
    assert_eq!(after["started"], before["started"]);
    assert!(before["intervals"].as_u64().expect("intervals") > 10);
}

#[test]
fn a_command_is_watched_while_it_runs_and_its_end_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    let mut command = plumb_in(folder.path(), "watch --set cpu --output r.plumb -- sh -c");
    command.arg("echo its own words; exit 3");
    let output = command.output().expect("started");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // The command's output is its own.
    assert_eq!(output.stdout, b"its own words\n");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("ended with exit status 3"), "{said}");
    let shown = output_of(plumb_in(folder.path(), "show r.plumb"), 0);
    assert!(shown.contains("exit status 3"), "{shown}");
    assert!(shown.contains("Watching took"), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_program_reads_and_writes_is_told_with_that_of_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = plumb_in(folder.path(), "watch --set cpu --output w --json -- sh -c");
    // The child asks for 1,000 blocks of 4 KiB, and its parent for 300 more.
    command.arg(
        "sh -c 'dd if=/dev/zero of=a bs=4k count=1000'; exec dd if=/dev/zero of=b bs=4k count=300",
    );
    let output = command.output().expect("started");
    assert!(output.status.success(), "{output:?}");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let seconds = summary["span_ns"].as_f64().expect("span") / 1e9;
    if !crate::trace_live::is_root() && !summary.to_string().contains("\"kind\":\"read\"") {
        return println!("skipped: this kernel shows what an ended process has read to root alone");
    }
    for (kind, least) in [("read", 1300.0), ("write", 1300.0)] {
        let calls = value(&summary, "program", "sh", kind, "per_second") * seconds;
        // Beside the blocks, programs read the libraries that they need and write a line or two.
        assert!((least..least + 200.0).contains(&calls), "{kind}: {calls}");
        let bytes = value(&summary, "program", "sh", kind, "bytes_per_second") * seconds;
        let blocks = 1300.0 * 4096.0;
        assert!(
            (blocks..blocks + 200_000.0).contains(&bytes),
            "{kind}: {bytes}"
        );
    }
}

#[test]
fn what_is_no_measurement_is_no_ceiling() {
    let folder = tempfile::tempdir().unwrap();
    let null =
        "run --target null: --pattern random-read --time 200ms --quiet --no-report --output n";
    output_of(plumb_in(folder.path(), null), 0);
    let watched = "watch --interval 100ms --duration 300ms --quiet --output w";
    output_of(plumb_in(folder.path(), watched), 0);
    for (run, why) in [
        ("n", "has no I/O of a device or mounted share"),
        ("w", "has no I/O of a device or mounted share"),
        ("absent", "no such folder"),
    ] {
        let refusal = refusal_of(plumb_in(folder.path(), &format!("watch --ceiling {run}")));
        assert!(refusal.contains(why), "{refusal}");
    }
}

#[test]
fn a_recording_has_a_page_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "watch --interval 100ms --duration 500ms --output w --quiet",
        "report w",
        "show w --report shown.html",
    ] {
        output_of(plumb_in(folder.path(), line), 0);
    }
    let page = std::fs::read_to_string(folder.path().join("w/report.html")).unwrap();
    let shown = std::fs::read_to_string(folder.path().join("shown.html")).unwrap();
    assert_eq!(page, shown);
    assert!(page.contains("<h3>core: busy</h3>"), "{page}");
    assert!(page.contains("core: means over the recording"), "{page}");
    // Nothing was loaded, and so nothing is said of steps and a verdict.
    for absent in ["Nothing was measured", "id=\"steps\"", "id=\"verdict\""] {
        assert!(!page.contains(absent), "{absent}");
    }
}

#[test]
fn a_command_that_cannot_be_started_leaves_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let refusal = refusal_of(plumb_in(
        folder.path(),
        "watch --output new/r.plumb -- ./no-such-command",
    ));
    assert!(refusal.contains("./no-such-command"), "{refusal}");
    assert_eq!(left_in(folder.path()), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_recording_that_is_interrupted_is_whole() {
    let folder = tempfile::tempdir().expect("folder");
    let recording = folder.path().join("r.plumb");
    let mut child = started(folder.path(), "watch --interval 100ms --output r.plumb");
    await_samples(&recording, 3);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill is there").success());
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    let shown = json_of(plumb_in(folder.path(), "show --json r.plumb"), 0);
    assert_eq!(shown["state"], "finished");
    assert!(shown["cost"]["cpu_ns"].as_u64().expect("cost") > 0);
    assert!(shown["cost"]["samples"].as_u64().expect("samples") >= 3);
    assert!(shown["intervals"].as_u64().expect("intervals") >= 2);
}

#[cfg(unix)]
#[test]
fn a_recording_that_is_killed_is_read_up_to_its_last_sample() {
    let folder = tempfile::tempdir().expect("folder");
    let recording = folder.path().join("r.plumb");
    let mut child = started(
        folder.path(),
        "watch --interval 100ms --set cpu --output r.plumb",
    );
    // Cores without any work are not shown.
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let begun = std::time::Instant::now();
            // As long as samples are waited for.
            while !is_over.load(std::sync::atomic::Ordering::Relaxed)
                && begun.elapsed() < Duration::from_secs(60)
            {
                std::hint::spin_loop();
            }
        });
        await_samples(&recording, 3);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    child.kill().expect("killed");
    child.wait().expect("ended");
    let shown = output_of(plumb_in(folder.path(), "show r.plumb"), 0);
    assert!(shown.contains("killed, or is still running"), "{shown}");
    assert!(shown.contains("busy"), "{shown}");
}

#[cfg(unix)]
#[test]
fn a_collection_goes_on_in_the_background_until_it_is_stopped() {
    let folder = tempfile::tempdir().expect("folder");
    let asked = |line: &str| {
        let mut command = plumb_in(folder.path(), line);
        command.env("XDG_STATE_HOME", folder.path().join("state"));
        command
    };
    let none = output_of(asked("watch status"), 0);
    assert!(none.contains("plumb watch start"), "{none}");
    output_of(asked("watch start night --set cpu --interval 100ms"), 0);
    let recording = folder.path().join("night.plumb");
    await_samples(&recording, 3);
    let status = output_of(asked("watch status"), 0);
    assert!(status.starts_with("night: since 2"), "{status}");
    assert!(status.contains("night.plumb"), "{status}");
    let refusal = refusal_of(asked("watch start night --output other.plumb"));
    assert!(refusal.contains("plumb watch stop night"), "{refusal}");
    let refusal = refusal_of(asked("watch start day --set dsik"));
    assert!(refusal.contains("disk"), "{refusal}");
    let refusal = refusal_of(asked("watch stop nigth"));
    assert!(refusal.contains("there are night"), "{refusal}");
    output_of(asked("watch stop night"), 0);
    let shown = json_of(asked("show --json night.plumb"), 0);
    assert_eq!(shown["state"], "finished");
    assert!(shown["intervals"].as_u64().expect("intervals") >= 2);
    assert_eq!(output_of(asked("watch status"), 0), none);
    // The folder is there now, and nothing is written over.
    let refusal = refusal_of(asked("watch start night"));
    assert!(refusal.contains("--output"), "{refusal}");
    assert_eq!(
        left_in(&folder.path().join("state/plumb/watch")),
        Vec::<String>::new()
    );
}

#[test]
fn a_recording_of_windows_is_shown_like_our_own() {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/pdh/e5-one-thread.csv");
    let mut command = plumb_in(Path::new("."), "show --json");
    let summary = json_of(
        {
            command.arg(&recording);
            command
        },
        0,
    );
    let share = |column: &str| value(&summary, "smb_client_share", "\\nas\\backup", "all", column);
    // testdata/pdh/README.md: 176 requests/s, 18.2 MB/s, one outstanding.
    let (rate, size, time_ns) = (
        share("per_second"),
        share("request_bytes"),
        share("time_ns"),
    );
    assert!((rate - 176.0).abs() < 1.0, "{rate}");
    assert!((size - 103_409.0).abs() < 1.0, "{size}");
    assert!((share("outstanding") - 1.0).abs() < 1e-6);
    // Little's law holds over the whole: outstanding = rate x time.
    assert!(
        (rate * time_ns / 1e9 - 1.0).abs() < 1e-6,
        "{rate} {time_ns}"
    );
    let mut command = plumb_in(Path::new("."), "watch");
    let shown = output_of(
        {
            command.arg(&recording);
            command
        },
        0,
    );
    assert!(shown.contains("2018-06-05 09:00:01"), "{shown}");
    assert!(shown.contains(r"\nas\backup all"), "{shown}");
}

#[test]
fn nonsense_is_refused_with_what_to_write_instead() {
    let folder = tempfile::tempdir().expect("folder");
    let refused = |line: &str, expected: &str| {
        let refusal = refusal_of(plumb_in(folder.path(), line));
        assert!(refusal.contains(expected), "{line}: {refusal}");
    };
    std::fs::write(folder.path().join("mine.toml"), "sources = [\"nsf\"]\n").expect("file");
    std::fs::write(folder.path().join("typo.toml"), "source = [\"nfs\"]\n").expect("file");
    refused("watch --set dsik", "disk");
    refused("watch --set mine.toml", "'nsf'");
    refused("watch --set typo.toml", "unknown field `source`");
    refused("watch --interval 10ms", "too short");
    refused("watch --duration 0s", "longer than 0");
    refused("watch --duration 1s -- true", "--duration");
    refused("watch --open-metrics 9101", "an IP address of this host");
    refused("watch --open-metrics :99999", "an IP address of this host");
    refused("watch no-such.plumb", "no such folder");
    assert_eq!(left_in(folder.path()), ["mine.toml", "typo.toml"]);
}
