//! Does the CPU time of a step match the kernel's count for the process?

use std::path::Path;

use serde_json::Value;

/// CPU seconds of the children that a shell waited for, as its `times` prints them: `0m0.01s 0m0.02s` of itself, then the same of them.
fn cpu_of_children(times: &str) -> f64 {
    let seconds = |word: &str| {
        let (minutes, seconds) = word
            .trim_end_matches('s')
            .split_once('m')
            .expect("minutes and seconds");
        60.0 * minutes.parse::<f64>().expect("a number") + seconds.parse::<f64>().expect("a number")
    };
    times
        .lines()
        .nth(1)
        .expect("two lines")
        .split_whitespace()
        .map(seconds)
        .sum()
}

#[test]
fn the_kernel_s_threads_for_io_uring_are_in_the_cpu_time_of_a_step() {
    let memory = Path::new("/dev/shm");
    let Ok(folder) = tempfile::tempdir_in(memory) else {
        println!("skipped: no file system in memory at {}", memory.display());
        return;
    };
    let line = "run --target . --engine io_uring --depth 32 --pattern random-read --block 4k --size 8m --operations 600000 --direct=false --json --quiet --no-report --output out";
    let script = format!("\"$PLUMB\" {line} >/dev/null 2>&1; times");
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", &script])
        .env("PLUMB", assert_cmd::cargo::cargo_bin("plumb"))
        .current_dir(folder.path());
    let spent = cpu_of_children(&String::from_utf8_lossy(
        &shell.output().expect("a shell").stdout,
    ));
    let shown = crate::output_of(crate::plumb_in(folder.path(), "show out --json"), 0);
    let summary: Value = serde_json::from_str(&shown).expect("JSON");
    let step = &summary["steps"][0];
    let figure = |name: &str| step["cpu"][name].as_f64().expect(name);
    let told = (figure("user_percent") + figure("system_percent")) / 100.0
        * step["duration_s"].as_f64().expect("a time");
    // What plumb spends before and after the step is not the step's: most of it is, and all of it is not more than there was.
    assert!(
        told > 0.6 * spent && told < 1.1 * spent,
        "{told} s were told of {spent} s: {}",
        step["cpu"]
    );
}
