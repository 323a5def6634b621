//! Does `plumb trace -- COMMAND` see every file call of a program exactly once, like strace?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{json_of, output_of, plumb_in, refusal_of};

/// True when the kernel's tracepoints can be used; else why the test is skipped is printed.
pub fn can_trace(folder: &Path) -> bool {
    let tried = Command::new(assert_cmd::cargo::cargo_bin("plumb"))
        .args(["why", "--json", "--by", "perf", "--", "true"])
        .current_dir(folder)
        .output()
        .expect("plumb");
    let said = String::from_utf8_lossy(&tried.stderr);
    let can = tried.status.success();
    if !can {
        println!("skipped: {said}");
    }
    can
}

/// Answered calls by name.
fn counts(summary: &Value) -> BTreeMap<String, u64> {
    let calls = summary["calls"].as_array().expect("calls");
    calls
        .iter()
        .map(|call| {
            let name = call["name"].as_str().expect("a name");
            (name.to_string(), call["count"].as_u64().expect("a count"))
        })
        .collect()
}

fn call<'a>(summary: &'a Value, name: &str) -> &'a Value {
    let calls = summary["calls"].as_array().expect("calls");
    calls
        .iter()
        .find(|call| call["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {summary:#}"))
}

/// A program with children: 300 blocks of 4 KiB are written, made durable and read again by two processes.
const WORK: &str = "dd if=/dev/zero of=data bs=4k count=300 conv=fsync status=none; dd if=data of=copy bs=8k status=none; rm copy";

#[test]
fn a_command_and_its_children_are_traced_as_strace_sees_them() {
    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) {
        return;
    }
    fs::write(folder.path().join("work.sh"), WORK).expect("script");
    let traced = json_of(plumb_in(folder.path(), "trace --json -- sh work.sh"), 0);
    assert_eq!(traced["recorded"]["format"], "perf");
    assert_eq!(traced["recorded"]["lost"], 0, "{:#}", traced["recorded"]);
    assert!(
        traced["recorded"]["cpu_ns"]
            .as_u64()
            .is_some_and(|ns| ns > 0)
    );
    // What dd was told to do, whoever looks: 300 writes of 4 KiB and 150 of 8 KiB.
    let writes = call(&traced, "write");
    assert_eq!(writes["count"], 450, "{writes:#}");
    assert_eq!(writes["transfer"]["bytes"], 2 * 300 * 4096, "{writes:#}");
    assert_eq!(writes["transfer"]["sequential"], 448, "{writes:#}");
    assert_eq!(call(&traced, "fsync")["count"], 1);
    assert_eq!(writes["unanswered"], 0);
    let flushes = &traced["flushes"];
    assert_eq!(
        (&flushes["count"], &flushes["written_before"]["max"]),
        (&1.into(), &f64::from(300 * 4096).into()),
        "{flushes:#}"
    );
    // The shell and two programs that it starts, one of which it may become; rm is one more.
    let threads = traced["threads"]["count"].as_u64().expect("threads");
    assert!((3..=4).contains(&threads), "{:#}", traced["threads"]);
    let log = Command::new("strace")
        .args(["-f", "-ttt", "-T", "-y", "-o", "log", "sh", "work.sh"])
        .current_dir(folder.path())
        .status();
    if !log.is_ok_and(|status| status.success()) {
        return println!("skipped: strace is not installed");
    }
    let seen = json_of(plumb_in(folder.path(), "trace log --json"), 0);
    let (ours, theirs) = (counts(&traced), counts(&seen));
    for name in [
        "read",
        "write",
        "fsync",
        "openat",
        "unlinkat",
        "unlink",
        "ftruncate",
    ] {
        assert_eq!(
            ours.get(name),
            theirs.get(name),
            "{name}: {ours:?} {theirs:?}"
        );
    }
    assert_eq!(
        call(&traced, "read")["transfer"]["bytes"],
        call(&seen, "read")["transfer"]["bytes"]
    );
}

#[test]
fn a_process_that_runs_is_traced_with_the_files_that_it_has_open() {
    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) {
        return;
    }
    // It has a file open before, waits to be told, and reads on in it from where it stood.
    fs::write(folder.path().join("data"), vec![1; 64 << 10]).expect("data");
    fs::write(folder.path().join("other"), "").expect("another file");
    let script = "exec 3<data; head -c 4096 <&3 >/dev/null; read go; cat <&3 >/dev/null; : <other; cd ..; cd -; : <other; sleep 0.2";
    let mut process = Command::new("sh")
        .args(["-c", script])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("sh");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let line = format!("trace --json --pid {}", process.id());
    let prepared = plumb_in(folder.path(), &line);
    let tracer = Command::new(prepared.get_program())
        .args(prepared.get_args())
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("plumb");
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(process.stdin.take());
    process.wait().expect("ended");
    let output = tracer.wait_with_output().expect("ended");
    assert!(output.status.success());
    let traced: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reads = call(&traced, "read");
    // All but the first 4 KiB of the file; what the programs' own files give is less than 16 KiB more.
    let bytes = reads["transfer"]["bytes"].as_u64().expect("bytes");
    assert!((60 << 10..76 << 10).contains(&bytes), "{reads:#}");
    if traced["recorded"]["names_at_open"] == true {
        let whole = folder.path().canonicalize().expect("a path").join("other");
        let files = traced["files"]["most"].as_array().expect("files");
        let named = |file: &&Value| file["name"] == whole.to_str().expect("UTF-8");
        let other = files.iter().find(named);
        assert_eq!(
            other.expect("the file by its path")["opens"],
            2,
            "{files:#?}"
        );
    }
}

#[test]
fn what_cannot_be_traced_live_is_refused_and_a_failed_command_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) {
        return;
    }
    for (line, expected) in [
        ("trace", "a trace is required"),
        ("trace --pid nobody", "invalid value"),
        ("trace --pid 4194303", "no such process: 4194303"),
        (
            "trace -- ./no-such-program",
            "no-such-program: cannot be started",
        ),
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(refused.contains(expected), "{line}: {refused}");
    }
    output_of(plumb_in(folder.path(), "trace --json -- false"), 1);
    assert!(crate::left_in(folder.path()).is_empty());
}

/// plumb of a user without rights in this folder, and what it says; `None` when there can be none.
fn as_nobody(folder: &Path, arguments: &[&str]) -> Option<std::process::Output> {
    use std::os::unix::fs::PermissionsExt;

    let program = assert_cmd::cargo::cargo_bin("plumb");
    let mut command = if is_root() {
        // What is to be traced is made by nobody, too.
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(folder, open).expect("permissions");
        let copy = folder.join("plumb");
        crate::copy_program(&program, &copy);
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        command.arg(copy);
        command
    } else {
        Command::new(program)
    };
    command.args(arguments).current_dir(folder);
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: setpriv: {error}");
            None
        }
    }
}

/// True for the user root.
pub fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("status");
    let user = status.lines().find(|line| line.starts_with("Uid:"));
    user.is_some_and(|line| line.split_whitespace().nth(2) == Some("0"))
}

fn strace_is_installed() -> bool {
    let found = Command::new("strace").arg("-V").output().is_ok();
    if !found {
        println!("skipped: strace is not installed");
    }
    found
}

#[test]
fn without_rights_strace_traces_and_the_commands_end_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    if !strace_is_installed() {
        return;
    }
    fs::write(folder.path().join("work.sh"), WORK).expect("script");
    let arguments = ["trace", "--json", "--", "sh", "work.sh"];
    let Some(output) = as_nobody(folder.path(), &arguments) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("tracing with strace, which slows the program down"),
        "{said}"
    );
    let traced: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(traced["recorded"]["format"], "strace");
    let writes = call(&traced, "write");
    assert_eq!(writes["count"], 450, "{writes:#}");
    assert_eq!(writes["transfer"]["bytes"], 2 * 300 * 4096);
    assert_eq!(
        traced["flushes"]["written_before"]["max"],
        f64::from(300 * 4096)
    );
    let whole = folder.path().canonicalize().expect("a path").join("data");
    let files = traced["files"]["most"].as_array().expect("files");
    let data = files
        .iter()
        .find(|file| file["name"] == whole.to_str().expect("UTF-8"));
    // Written, and read again by another open.
    assert_eq!(
        data.expect("the file by its whole path")["opens"],
        2,
        "{files:#?}"
    );
    assert!(
        traced["verdict"]
            .as_array()
            .expect("a verdict")
            .iter()
            .any(|of| of["id"] == "trace-cost-strace")
    );
    // What ended otherwise is told, and so is what cannot be started; a process that goes on after the command is not waited for.
    let goes_on = "sleep 60 >/dev/null 2>&1 & echo $! >goes-on";
    for (script, code) in [("exit 3", 1), (goes_on, 0), ("kill -9 $$", 1)] {
        let arguments = ["trace", "--json", "--", "sh", "-c", script];
        let output = as_nobody(folder.path(), &arguments).expect("setpriv");
        assert_eq!(output.status.code(), Some(code), "{script}");
    }
    let process = fs::read_to_string(folder.path().join("goes-on")).expect("a number");
    let ended = Command::new("kill").arg(process.trim()).status();
    assert!(
        ended.expect("kill").success(),
        "it had ended with its trace"
    );
    let refused = as_nobody(folder.path(), &["trace", "--by", "strace", "--", "./none"]);
    let refused = refused.expect("setpriv");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("./none: strace could not start it"), "{said}");
}

#[test]
fn strace_attaches_to_a_process_and_leaves_it_as_it_was() {
    let folder = tempfile::tempdir().expect("folder");
    if !strace_is_installed() {
        return;
    }
    fs::write(folder.path().join("data"), vec![1; 4096]).expect("data");
    let script = "while :; do read line <data; sleep 0.01; done";
    let mut process = Command::new("sh")
        .args(["-c", script])
        .current_dir(folder.path())
        .spawn()
        .expect("sh");
    let line = format!(
        "trace --json --by strace --duration 1s --pid {}",
        process.id()
    );
    let output = plumb_in(folder.path(), &line).output().expect("plumb");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        process.try_wait().expect("the process").is_none(),
        "it has ended: {said}"
    );
    process.kill().expect("killed");
    process.wait().expect("ended");
    if !output.status.success() && said.contains("could not attach") {
        return println!("skipped: {said}");
    }
    assert!(output.status.success(), "{said}");
    let traced: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(
        call(&traced, "read")["count"]
            .as_u64()
            .is_some_and(|count| count > 5)
    );
    assert_eq!(
        traced["files"]["most"][0]["name"]
            .as_str()
            .map(|name| name.ends_with("/data")),
        Some(true)
    );
}

/// What differs between two summaries, but for where they come from.
fn differences(live: &Value, read: &Value, place: &str, found: &mut Vec<String>) {
    match (live, read) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            for (key, value) in a {
                let place = format!("{place}.{key}");
                differences(value, b.get(key).unwrap_or(&Value::Null), &place, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (number, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &format!("{place}[{number}]"), found);
            }
        }
        _ if live == read => {}
        _ => found.push(format!("{place}: {live} {read}")),
    }
}

#[test]
fn what_was_kept_of_a_trace_has_the_same_figures() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("work.sh"), WORK).expect("script");
    let mut means = Vec::new();
    if can_trace(folder.path()) {
        means.push("perf");
    }
    if strace_is_installed() {
        means.push("strace");
    }
    for means in means {
        let line = format!("trace --json --by {means} --save {means}.calls -- sh work.sh");
        let live = json_of(plumb_in(folder.path(), &line), 0);
        let kept = format!("trace --json {means}.calls");
        let read = json_of(plumb_in(folder.path(), &kept), 0);
        assert_eq!(call(&read, "write")["count"], 450);
        let mut found = Vec::new();
        differences(&live, &read, "", &mut found);
        found.sort();
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(
            found[0].starts_with(".recorded.file_bytes: 0 "),
            "{found:#?}"
        );
        assert!(found[1].starts_with(".source: "), "{found:#?}");
        let again = refusal_of(plumb_in(folder.path(), &line));
        assert!(
            again.contains("exists already and is not overwritten"),
            "{again}"
        );
        let bytes = fs::read(folder.path().join(format!("{means}.calls"))).expect("the file");
        fs::write(folder.path().join("cut"), &bytes[..bytes.len() / 2]).expect("half of it");
        let part = json_of(plumb_in(folder.path(), "trace --json cut"), 0);
        let doubts = part["doubts"].as_array().expect("doubts");
        assert!(
            doubts.iter().any(|of| of["id"] == "calls-not-ended"),
            "{doubts:#?}"
        );
        let page = format!("report {means}.calls --output {means}.html");
        output_of(plumb_in(folder.path(), &page), 0);
        let page = fs::read_to_string(folder.path().join(format!("{means}.html")));
        let page = page.expect("the page");
        for table in [
            "Reads, writes and metadata",
            "Files with the most time",
            "Slowest calls",
        ] {
            assert!(page.contains(table), "{table}");
        }
        output_of(
            plumb_in(
                folder.path(),
                &format!("replay {means}.calls target --dry-run"),
            ),
            0,
        );
    }
}

#[test]
fn nothing_is_kept_of_what_did_not_start() {
    let folder = tempfile::tempdir().expect("folder");
    for line in [
        "trace --save kept --by strace -- ./none",
        "trace --save kept --by perf -- ./none",
        "trace --save no/folder -- true",
        "trace --save kept --pid 4194303",
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(!refused.is_empty(), "{line}");
    }
    assert!(crate::left_in(folder.path()).is_empty());
    assert!(!folder.path().join("kept").exists());
}

/// Files that were opened, as often as they were, by the lines of a trace that was kept; links are followed, as strace does.
fn opened(folder: &Path, kept: &str) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(folder.join(kept)).expect("the file");
    let mut found = BTreeMap::new();
    for line in text
        .lines()
        .filter(|line| line.contains(",openat,") && line.contains(",ok,"))
    {
        let name = line.split(',').nth(6).expect("a column");
        // What is removed by now has no links to follow.
        let whole = fs::canonicalize(name).map_or(name.to_string(), |of| of.display().to_string());
        *found.entry(whole).or_default() += 1;
    }
    found
}

/// Files that are open for a moment, by paths from the root, from working directories that change, and from descriptors of folders.
const NAMES: &str = "for i in $(seq 300); do echo $i >file$i; done; for i in $(seq 300); do read x <file$i; done; \
    mkdir sub; cp file1 file2 sub; cd sub; cat file1 ./file2 ../file3 >/dev/null; cd /; cat etc/hostname >/dev/null; cd - >/dev/null; (cd ..; cat file4 >/dev/null); find .. >/dev/null";

#[test]
fn files_that_are_open_for_a_moment_have_the_names_that_strace_sees() {
    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) || !strace_is_installed() {
        return;
    }
    fs::write(folder.path().join("names.sh"), NAMES).expect("script");
    let run = |means: &str| {
        let line = format!("trace --json --by {means} --save {means}.calls -- sh names.sh");
        let traced = json_of(plumb_in(folder.path(), &line), 0);
        let seen = opened(folder.path(), &format!("{means}.calls"));
        fs::remove_dir_all(folder.path().join("sub")).expect("made by the script");
        (traced, seen)
    };
    let (live, by_perf) = run("perf");
    if live["recorded"]["names_at_open"] != true {
        return println!("skipped: the kernel does not let BPF read paths as they are opened");
    }
    let (_, by_strace) = run("strace");
    assert_eq!(live["recorded"]["unnamed_files"], 0);
    assert!(by_perf.len() > 300, "{by_perf:#?}");
    assert_eq!(by_perf, by_strace);
    // Another program that follows the ends of all calls comes before plumb: then the kernel tells that a call has ended before it tells its path.
    fs::remove_file(folder.path().join("perf.calls")).expect("kept calls");
    let beside = "stat -a -e raw_syscalls:sys_exit -o counted";
    let traced = "trace --json --save perf.calls -- sh names.sh";
    let beside = Command::new("perf")
        .args(beside.split(' '))
        .arg(assert_cmd::cargo::cargo_bin("plumb"))
        .args(traced.split(' '))
        .current_dir(folder.path())
        .output();
    let Ok(beside) = beside else {
        return println!("skipped: perf is not installed");
    };
    let live: Value = serde_json::from_slice(&beside.stdout).expect("a summary");
    let beside_it = opened(folder.path(), "perf.calls");
    assert_eq!(live["recorded"]["unnamed_files"], 0);
    assert_eq!(beside_it, by_strace);
}

/// A program for 32-bit x86 without any library: opens itself, reads nothing from it ten times, and ends with status 0.
#[cfg(target_arch = "x86_64")]
fn program_of_32_bit() -> Vec<u8> {
    const BASE: u32 = 0x0804_8000;
    const HEADERS: u32 = 52 + 32;
    let mut code = vec![0xb8, 5, 0, 0, 0, 0xbb];
    let name_at = code.len();
    code.extend([0; 4]);
    // open(name, 0, 0); ten times read(file, 0, 0); exit(0).
    code.extend([0x31, 0xc9, 0x31, 0xd2, 0xcd, 0x80, 0x89, 0xc3]);
    code.extend([
        0xbe, 10, 0, 0, 0, 0xb8, 3, 0, 0, 0, 0xcd, 0x80, 0x4e, 0x75, 0xf6,
    ]);
    code.extend([0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80]);
    let name = BASE + HEADERS + code.len() as u32;
    code[name_at..name_at + 4].copy_from_slice(&name.to_le_bytes());
    code.extend(b"narrow\0");
    let bytes = HEADERS + code.len() as u32;
    // The header of ELF for 32 bits and i386, and one segment to be loaded.
    let mut program = b"\x7fELF\x01\x01\x01".to_vec();
    program.resize(16, 0);
    program.extend([2, 0, 3, 0]);
    for word in [1, BASE + HEADERS, 52, 0, 0] {
        program.extend(word.to_le_bytes());
    }
    for half in [52u16, 32, 1, 40, 0, 0] {
        program.extend(half.to_le_bytes());
    }
    for word in [1, 0, BASE, BASE, bytes, bytes, 5, 4096] {
        program.extend(word.to_le_bytes());
    }
    program.extend(code);
    program
}

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_of_a_32_bit_program_are_left_out_and_said() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) {
        return;
    }
    let program = folder.path().join("narrow");
    fs::write(&program, program_of_32_bit()).expect("written");
    let runs = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&program, runs).expect("permissions");
    if let Err(error) = Command::new(&program).current_dir(folder.path()).status() {
        return println!("skipped: this kernel carries out no 32-bit programs: {error}");
    }
    fs::write(
        folder.path().join("work.sh"),
        "./narrow; cat narrow >/dev/null",
    )
    .expect("script");
    let traced = json_of(plumb_in(folder.path(), "trace --json -- sh work.sh"), 0);
    assert_eq!(traced["recorded"]["not_shown"]["of_32_bit"], 12);
    assert_eq!(traced["recorded"]["unanswered"], 0);
    if strace_is_installed() {
        let told = json_of(
            plumb_in(folder.path(), "trace --json --by strace -- ./narrow"),
            0,
        );
        assert_eq!(call(&told, "read")["count"], 10);
        assert_eq!(told["recorded"]["damaged"], 0, "{:#}", told["recorded"]);
    }
}
