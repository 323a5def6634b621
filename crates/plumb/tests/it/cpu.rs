//! Is the CPU time that a step is said to have cost the one that the kernel counted for the process?

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

/// Ends a child and gives the CPU time of all its threads in seconds (wait4(2)).
fn cpu_of(child: std::process::Child) -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the child is ours and was not waited for; the kernel fills the structure.
    let usage = unsafe {
        assert_eq!(libc::wait4(child.id() as i32, std::ptr::null_mut(), 0, usage.as_mut_ptr()), child.id() as i32);
        usage.assume_init()
    };
    [usage.ru_utime, usage.ru_stime].iter().map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6).sum()
}

#[test]
fn the_kernel_s_threads_for_io_uring_are_in_the_cpu_time_of_a_step() {
    let memory = Path::new("/dev/shm");
    let Ok(folder) = tempfile::tempdir_in(memory) else {
        println!("skipped: no file system in memory at {}", memory.display());
        return;
    };
    let line = "run --target . --engine io_uring --depth 32 --pattern random-read --block 4k --size 8m --operations 600000 --direct=false --json --quiet --no-report --output out";
    let binary = assert_cmd::cargo::cargo_bin("plumb");
    let mut command = std::process::Command::new(binary);
    command.args(line.split(' ')).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).arg0("plumb");
    let spent = cpu_of(command.spawn().expect("started"));
    let shown = crate::output_of(crate::plumb_in(folder.path(), "show out --json"), 0);
    let summary: Value = serde_json::from_str(&shown).expect("JSON");
    let step = &summary["steps"][0];
    let figure = |name: &str| step["cpu"][name].as_f64().expect(name);
    let told = (figure("user_percent") + figure("system_percent")) / 100.0 * step["duration_s"].as_f64().expect("a time");
    // What plumb spends before and after the step is not the step's: most of it is, and all of it is not more than there was.
    assert!(told > 0.6 * spent && told < 1.1 * spent, "{told} s were told of {spent} s: {}", step["cpu"]);
}
