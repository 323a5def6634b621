//! How are the two programs run, and what do they report? Each reports its own figures; both share one CPU of the machine, always the same.

use std::process::Command;

use serde_json::Value;

/// The program that cargo built for this benchmark.
pub const PLUMB: &str = env!("CARGO_BIN_EXE_plumb");

/// What one run reached.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// I/Os per second.
    pub per_s: f64,
    /// I/Os per second of CPU time of the threads that generate the load, user and system.
    pub per_cpu_s: f64,
}

/// First line of `PROGRAM --version`.
pub fn version(program: &str) -> Result<String, String> {
    let output = Command::new(program).arg("--version").output();
    let output =
        output.map_err(|error| format!("{program} cannot be started ({error}): install it, on Debian with `apt-get install {program}`"))?;
    Ok(String::from_utf8_lossy(&output.stdout)
        .lines()
        .next()
        .unwrap_or_default()
        .to_string())
}

/// A command on the last CPU: the first usually serves more interrupts.
fn on_one_cpu(program: &str) -> Command {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", &(cpus - 1).to_string(), program]);
    command
}

fn json_of(mut command: Command) -> Result<Value, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    // 1 of plumb is a severe finding about the machine; the load ran.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{command:?} printed no JSON: {error}"))
}

/// A number in a document, which must be there.
fn number(document: &Value, path: &str) -> Result<f64, String> {
    document
        .pointer(path)
        .and_then(Value::as_f64)
        .ok_or_else(|| format!("the program told no {path}"))
}

/// One run of plumb.
pub fn plumb(flags: &[String], seconds: f64) -> Result<Figures, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let mut command = on_one_cpu(PLUMB);
    command.arg("run").args(flags).args([
        "--time",
        &format!("{:.0}ms", seconds * 1e3),
        "--json",
        "--quiet",
        "--no-report",
        "--output",
    ]);
    command.arg(folder.path().join("run"));
    let summary = json_of(command)?;
    let step = "/steps/0";
    if number(&summary, &format!("{step}/total/errors"))? > 0.0 {
        return Err("I/Os of plumb failed".into());
    }
    let per_s = number(&summary, &format!("{step}/total/iops"))?;
    let cpu_percent = number(&summary, &format!("{step}/cpu/user_percent"))?
        + number(&summary, &format!("{step}/cpu/system_percent"))?;
    Ok(Figures {
        per_s,
        per_cpu_s: per_s / (cpu_percent / 100.0),
    })
}

/// One run of fio.
pub fn fio(options: &[String], seconds: f64) -> Result<Figures, String> {
    let mut command = on_one_cpu("fio");
    command
        .args([
            "--name=x",
            "--thread",
            "--time_based",
            "--output-format=json",
            &format!("--runtime={:.0}ms", seconds * 1e3),
        ])
        .args(options);
    let document = json_of(command)?;
    let job = "/jobs/0";
    if number(&document, &format!("{job}/error"))? > 0.0 {
        return Err("I/Os of fio failed".into());
    }
    let per_s = number(&document, &format!("{job}/read/iops"))?
        + number(&document, &format!("{job}/write/iops"))?;
    let cpu_percent = number(&document, &format!("{job}/usr_cpu"))?
        + number(&document, &format!("{job}/sys_cpu"))?;
    Ok(Figures {
        per_s,
        per_cpu_s: per_s / (cpu_percent / 100.0),
    })
}
