//! Does `plumb fio` come to fio's figures? People's command lines, each run by both programs in turn, and the rounds of both compared by `plumb compare`.
//!
//! `./dev bench figures`, or with words: `./dev bench figures rounds=8 seconds=2 size=512m only=NAME folder=/mnt/data`. What fio's JSON says counts for both programs. Ends with exit code 1
//! when plumb is shown to do fewer operations per second, by more than 5 %.

#[path = "exit_code.rs"]
mod exit_code;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use exit_code::exit_code;
use plumb_model::results::comparison::{Cell, Comparison, Effect, Verdict};

const PLUMB: &str = env!("CARGO_BIN_EXE_plumb");

/// Command lines as they stand in testdata/fio/wild under these names; targets, sizes and times are those of the bench, and there are at most 4 processes.
const LINES: [(&str, &str); 20] = [
    (
        "aws-ebs-io1-randwrite",
        "--rw=randwrite --bs=16k --numjobs=4 --direct=1 --norandommap --group_reporting",
    ),
    (
        "aws-ebs-io1-randread",
        "--rw=randread --bs=16k --numjobs=4 --direct=1 --norandommap --group_reporting",
    ),
    (
        "aws-ebs-st1-read",
        "--rw=read --bs=1024k --iodepth=8 --ioengine=libaio --direct=1 --randrepeat=0",
    ),
    (
        "aws-ebs-st1-write",
        "--rw=write --bs=1024k --iodepth=8 --ioengine=libaio --direct=1 --randrepeat=0",
    ),
    (
        "gcp-pd-write-iops",
        "--rw=randwrite --bs=4K --iodepth=256 --ioengine=libaio --direct=1 --iodepth_batch_submit=256 --iodepth_batch_complete_max=256 --group_reporting",
    ),
    (
        "gcp-pd-read-iops",
        "--rw=randread --bs=4K --iodepth=256 --ioengine=libaio --direct=1 --iodepth_batch_submit=256 --iodepth_batch_complete_max=256 --group_reporting",
    ),
    (
        "gcp-latency-percentiles",
        "--rw=randwrite --bs=8K --iodepth=4 --ioengine=libaio --direct=1 --randrepeat=0 --iodepth_batch_submit=4 --iodepth_batch_complete_max=4",
    ),
    (
        "azure-netapp-8k-randread",
        "--rw=randread --bs=8k --iodepth=128 --numjobs=4 --ioengine=libaio --direct=1 --group_reporting",
    ),
    (
        "azure-aks-randwrite",
        "--rw=randwrite --bs=4k --iodepth=1 --numjobs=4 --ioengine=libaio --direct=0 --group_reporting",
    ),
    (
        "oracle-block-randrw",
        "--rw=randrw --bs=4k --iodepth=256 --numjobs=4 --ioengine=libaio --direct=1 --group_reporting",
    ),
    (
        "oracle-block-latency",
        "--rw=randread --bs=4k --iodepth=1 --ioengine=libaio --direct=1 --group_reporting --readonly",
    ),
    (
        "alibaba-essd-rand-read",
        "--rw=randread --bs=4k --iodepth=128 --ioengine=libaio --direct=1 --group_reporting",
    ),
    (
        "tencent-cbs-randrw-latency",
        "--rw=randrw --bs=4k --iodepth=1 --ioengine=libaio --direct=1 --refill_buffers --norandommap --randrepeat=0 --group_reporting",
    ),
    (
        "ibm-ceph-4k",
        "--rw=randwrite --bs=4k --iodepth=32 --ioengine=libaio --direct=1 --group_reporting",
    ),
    (
        "dbench-read-latency",
        "--rw=randread --bs=4K --iodepth=4 --ioengine=libaio --direct=1 --randrepeat=0",
    ),
    (
        "dbench-mix",
        "--rw=randrw --rwmixread=75 --bs=4k --iodepth=64 --ioengine=libaio --direct=1 --gtod_reduce=1 --randrepeat=0",
    ),
    (
        "rook-proxmox-sync",
        "--rw=write --bs=4K --iodepth=1 --ioengine=libaio --direct=1 --sync=1",
    ),
    (
        "longhorn-issue-fsync",
        "--rw=randwrite --bs=4k --iodepth=32 --ioengine=io_uring --direct=1 --fsync=1 --thread --group_reporting",
    ),
    (
        "etcd-fdatasync",
        "--rw=write --bs=2300 --ioengine=sync --fdatasync=1",
    ),
    (
        "yabs-4k",
        "--rw=randrw --rwmixread=50 --bs=4k --iodepth=64 --numjobs=2 --ioengine=libaio --direct=1 --gtod_reduce=1 --group_reporting --randrepeat=0",
    ),
];

struct Words {
    rounds: u32,
    seconds: u32,
    size: String,
    only: String,
    folder: PathBuf,
}

fn main() -> ExitCode {
    exit_code(words().and_then(|words| beside(&words)))
}

fn words() -> Result<Words, String> {
    let mut words = Words {
        rounds: 8,
        seconds: 2,
        size: "512m".into(),
        only: String::new(),
        folder: env!("CARGO_TARGET_TMPDIR").into(),
    };
    // cargo itself adds --bench.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let wrong = || {
            format!(
                "'{word}' is not understood: rounds=8, seconds=2, size=512m, only=NAME, folder=PATH"
            )
        };
        let (key, value) = word.split_once('=').ok_or_else(wrong)?;
        match key {
            "rounds" => words.rounds = value.parse().map_err(|_| wrong())?,
            "seconds" => words.seconds = value.parse().map_err(|_| wrong())?,
            "size" => words.size = value.into(),
            "only" => words.only = value.into(),
            "folder" => words.folder = value.into(),
            _ => return Err(wrong()),
        }
    }
    Ok(words)
}

fn beside(words: &Words) -> Result<bool, String> {
    let outer = tempfile::tempdir_in(&words.folder)
        .map_err(|error| format!("{}: {error}", words.folder.display()))?;
    let folder = outer.path();
    println!(
        "{} rounds of {} s each, file of {}, in {}; change of plumb against fio with its 95 % interval\n",
        words.rounds,
        words.seconds,
        words.size,
        words.folder.display()
    );
    println!(
        "{:34} {:>10} {:>10}  {:26}  {:26}  CPU per operation",
        "", "fio IOPS", "plumb", "IOPS", "p50"
    );
    let mut is_reached = true;
    let mut lines = LINES
        .iter()
        .filter(|(name, _)| name.contains(&words.only))
        .peekable();
    if lines.peek().is_none() {
        return Err(format!("no line has '{}' in its name", words.only));
    }
    for (name, line) in lines {
        let comparison = compared(words, folder, name, line)?;
        is_reached &= told(name, &comparison);
    }
    Ok(is_reached)
}

/// Runs a line by both programs in turn; the one that begins alternates.
fn compared(words: &Words, outer: &Path, name: &str, line: &str) -> Result<Comparison, String> {
    let folder = outer.join(name);
    let results = ["fio", "plumb"].map(|side| folder.join(side));
    for made in &results {
        fs::create_dir_all(made).map_err(|error| format!("{}: {error}", made.display()))?;
    }
    let target = outer.join("file");
    let common = format!(
        "--name={name} --filename={} --size={} --runtime={} --time_based --output-format=json {line}",
        target.display(),
        words.size,
        words.seconds,
    );
    // fio lays the file out, so that both find it written.
    let laid = format!(
        "--name=lay --filename={} --size={} --rw=write --bs=1m --end_fsync=1 --overwrite=0",
        target.display(),
        words.size
    );
    carried_out("fio", &laid, &folder, &folder.join("laid"))?;
    for round in 0..words.rounds {
        let mut sides = [("fio", &results[0]), (PLUMB, &results[1])];
        if round % 2 == 1 {
            sides.reverse();
        }
        for (program, made) in sides {
            carried_out(
                program,
                &common,
                &folder,
                &made.join(format!("{round}.json")),
            )?;
        }
    }
    let records = results.map(|made| imported(words.rounds, &made));
    let [fio, plumb] = records;
    let output = Command::new(PLUMB)
        .arg("compare")
        .args([fio?, plumb?])
        .args([
            "--json", "--metric", "iops", "--metric", "p50", "--metric", "cpu",
        ])
        .output()
        .map_err(|error| format!("plumb compare: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "{name}: nothing is compared ({error}): {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn carried_out(program: &str, line: &str, folder: &Path, result: &Path) -> Result<(), String> {
    let mut command = Command::new(program);
    if program == PLUMB {
        command.args(["fio", "--plumb-overwrite"]);
    }
    let output = command
        .args(line.split_whitespace())
        .arg("--output")
        .arg(result)
        .env("PLUMB_OUTPUT", folder.join("record"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    // A record is made anew each time.
    let _ = fs::remove_dir_all(folder.join("record"));
    // 1 of plumb may be a severe finding about the machine; the load ran.
    let has_run = output.status.success() || program == PLUMB && result.exists();
    has_run.then_some(()).ok_or_else(|| {
        format!(
            "{program} {line}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// All results of a side as rounds of one run.
fn imported(rounds: u32, results: &Path) -> Result<PathBuf, String> {
    let output = Command::new(PLUMB)
        .args(["import", "--rounds", "--output"])
        .arg(results.join("run"))
        .args((0..rounds).map(|round| results.join(format!("{round}.json"))))
        .output()
        .map_err(|error| format!("plumb import: {error}"))?;
    let made = fs::read_dir(results.join("run")).ok();
    let run = made.and_then(|mut made| made.next()?.ok());
    run.map(|run| run.path())
        .ok_or_else(|| format!("plumb import: {}", String::from_utf8_lossy(&output.stderr)))
}

fn cells<'a>(comparison: &'a Comparison, metric: &'a str) -> impl Iterator<Item = &'a Cell> {
    comparison
        .cells
        .iter()
        .filter(move |cell| cell.metric == metric)
}

/// Prints the figures of a line; false where plumb is shown to do fewer operations.
fn told(name: &str, comparison: &Comparison) -> bool {
    let (mut is_reached, mut is_shown) = (true, false);
    // What one side alone counts, as flushes are, is no figure of both.
    let both = |cell: &&Cell| cell.sides.iter().all(|side| side.value.is_some());
    for iops in cells(comparison, "iops").filter(both) {
        let of_step = |metric| {
            let mut found = cells(comparison, metric)
                .filter(|cell| cell.step == iops.step && cell.kind == iops.kind);
            found.find_map(|cell| cell.effects.first())
        };
        let values: Vec<String> = iops
            .sides
            .iter()
            .map(|side| side.value.map_or("-".into(), |value| format!("{value:.0}")))
            .collect();
        let effect = iops.effects.first();
        let kind = iops.kind.as_deref().unwrap_or_default();
        println!(
            "{:34} {:>10} {:>10}  {:26}  {:26}  {}",
            format!("{name} {kind}"),
            values.first().map_or("-", String::as_str),
            values.get(1).map_or("-", String::as_str),
            change(effect),
            change(of_step("p50")),
            change(of_step("cpu")),
        );
        is_reached &= effect.is_none_or(|effect| effect.verdict != Verdict::Worse);
        is_shown = true;
    }
    for refusal in &comparison.refused {
        println!(
            "{name:34} {} is not compared: {}",
            refusal.step,
            plumb_words::Words::english().sentence(&refusal.reason)
        );
        is_reached = false;
    }
    is_reached && is_shown
}

/// `-3 % (-5 to -1) same`.
fn change(effect: Option<&Effect>) -> String {
    let Some(effect) = effect else {
        return "-".into();
    };
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let Some(ratio) = effect.ratio else {
        return "-".into();
    };
    let interval = effect
        .interval
        .map(|(from, to)| format!(" ({:+.0} to {:+.0})", percent(from), percent(to)));
    let verdict = format!("{:?}", effect.verdict).to_lowercase();
    format!(
        "{:+.0} %{} {verdict}",
        percent(ratio),
        interval.unwrap_or_default()
    )
}
