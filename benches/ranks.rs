//! What does it cost to add up the intervals of many ranks?
//!
//! All ranks of a run, simulated in one process: bytes and microseconds at each level of the tree. Rank 0 by itself, in a process of its own that gets the
//! messages of the ranks below it: the most memory it takes.
//! `cargo bench --package plumb --bench ranks [-- ranks=10000]`

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use plumb_model::run::histogram::Histogram;
use plumb_model::run::ranks::{Placement, RankEnd, RankProcess, Ranks};
use plumb_model::run::tick::{KindTick, Phase, RankTick, Tick};
use plumb_model::workload::OperationKind;
use plumb_run::ranks::message::{Begun, Message};
use plumb_run::ranks::reduction::{FAN_OUT, Reduction, parent};

/// Operations of a rank in an interval.
const OPERATIONS: u64 = 5000;
const INTERVALS: u64 = 3;
/// How often rank 0 by itself gets the messages of all intervals.
const TIMES: u64 = 20;
/// By which this program knows that it is rank 0, of so many.
const ALONE: &str = "rank-0-of=";

/// What was seen at one level of the tree.
#[derive(Default)]
struct Level {
    ranks: u64,
    messages: u64,
    bytes: u64,
    longest: usize,
    microseconds: f64,
}

fn tick(rank: u32, interval: u64) -> Tick {
    let mut random = u64::from(rank) << 32 | interval << 16 | 1;
    let mut service = Histogram::default();
    for _ in 0..OPERATIONS {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Times of a device: most near 80 us, some much longer.
        let share = (random >> 11) as f64 / (1u64 << 53) as f64;
        service.record((80_000.0 * (1.0 - share).powf(-0.3)) as u64);
    }
    service.shrink();
    Tick {
        execution: 0,
        job: 0,
        phase: Phase::Measure,
        start_ns: interval * 1_000_000_000,
        end_ns: (interval + 1) * 1_000_000_000,
        kinds: vec![KindTick {
            kind: OperationKind::Read,
            count: OPERATIONS,
            bytes: OPERATIONS * 4096,
            errors: BTreeMap::new(),
            service,
            response: None,
            split: None,
            priorities: Vec::new(),
        }],
        lateness: None,
        backlog: None,
        workers: Vec::new(),
        ranks: Some(RankTick { ranks: 1, interval }),
    }
}

fn depth(rank: u32) -> usize {
    std::iter::successors(parent(rank), |above| parent(*above)).count()
}

fn simulate(size: u32) -> io::Result<()> {
    let mut tree: Vec<Reduction> = (0..size).map(|rank| Reduction::new(rank, size)).collect();
    let mut levels: BTreeMap<usize, Level> = BTreeMap::new();
    (0..size).for_each(|rank| levels.entry(depth(rank)).or_default().ranks += 1);
    let (mut summed, mut held_most) = (0u64, 0);
    let mut for_first: Vec<Vec<u8>> = Vec::new();
    for interval in 0..INTERVALS {
        for rank in (0..size).rev() {
            let level = depth(rank);
            let begun = Instant::now();
            let now = Instant::now();
            let own = tick(rank, interval);
            let made = begun.elapsed();
            tree[rank as usize].take(own, now);
            if rank == 0 {
                held_most = held_most.max(tree[0].held());
            }
            let ready = tree[rank as usize].ready(now);
            let seen = levels.entry(level).or_default();
            let Some(above) = parent(rank) else {
                summed += ready
                    .iter()
                    .flat_map(|tick| &tick.kinds)
                    .map(|kind| kind.count)
                    .sum::<u64>();
                seen.microseconds += (begun.elapsed() - made).as_secs_f64() * 1e6;
                continue;
            };
            let message = Message::Intervals {
                execution: 0,
                ticks: ready,
                ended: 0,
            };
            let bytes = serde_json::to_vec(&message).unwrap_or_default();
            seen.messages += 1;
            seen.bytes += bytes.len() as u64;
            seen.longest = seen.longest.max(bytes.len());
            seen.microseconds += (begun.elapsed() - made).as_secs_f64() * 1e6;
            if above == 0 {
                for_first.push(bytes.clone());
            }
            // What the rank above does with it is its own cost.
            let begun = Instant::now();
            if let Ok(Message::Intervals { ticks, .. }) = serde_json::from_slice(&bytes) {
                ticks
                    .into_iter()
                    .for_each(|tick| tree[above as usize].take(tick, now));
            }
            levels.entry(level - 1).or_default().microseconds +=
                begun.elapsed().as_secs_f64() * 1e6;
        }
    }
    assert_eq!(
        summed,
        u64::from(size) * INTERVALS * OPERATIONS,
        "the sums are exact"
    );
    show(size, &levels, held_most);
    show_memory(size, &for_first)?;
    show_straight(size);
    Ok(())
}

/// What goes by no tree: from rank 0 to each as the run begins, and from each to rank 0 at the end of a step.
fn show_straight(size: u32) {
    let place = |rank: u32| RankProcess {
        rank,
        host: format!("node{:04}", rank / FAN_OUT),
        process: 100_000 + rank,
        time_of_day_ahead_ns: 1_234_567,
        clock_uncertainty_ns: 23_456,
    };
    let begun = Begun {
        run: "20261126-165858-c4366ff2".into(),
        folder: "/mnt/share/run.plumb".into(),
        seed: u64::MAX,
        offset_ns: 1_234_567_890,
        placement: Placement::of(&Ranks {
            carrier: "Open MPI v4.1.4 (libmpi.so.40)".into(),
            processes: (0..size).map(place).collect(),
        }),
    };
    let end = RankEnd {
        rank: size - 1,
        jobs: Some(vec![0]),
        started_ns: 1_000_000_000,
        ended_ns: 4_000_000_000,
        measured_from_ns: 1_000_000_000,
        measured_to_ns: 4_000_000_000,
        stopped_by: None,
        failed: None,
        kinds: tick(0, 0).kinds,
        measured_operations: OPERATIONS,
        measured_bytes: OPERATIONS * 4096,
        cpu_ns: Some(1_000_000_000),
        machine: None,
    };
    let bytes = |message: &Message| serde_json::to_vec(message).unwrap_or_default().len();
    let begun = bytes(&Message::Begun(Box::new(begun)));
    let ended = bytes(&Message::Ended { execution: 0, end });
    let megabytes = |each: usize| each as f64 * f64::from(size) / 1e6;
    println!(
        "straight: {begun} bytes to each as it begins ({:.1} MB to all), {ended} bytes from each at the end of a step ({:.1} MB of all)",
        megabytes(begun),
        megabytes(ended)
    );
}

/// What rank 0 takes, in a process of its own.
fn show_memory(size: u32, messages: &[Vec<u8>]) -> io::Result<()> {
    let program = std::env::current_exe()?;
    let mut child = Command::new(program)
        .arg(format!("{ALONE}{size}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    for message in (0..TIMES).flat_map(|_| messages) {
        let length = (message.len() as u32).to_be_bytes();
        input.write_all(&length)?;
        input.write_all(message)?;
    }
    drop(input);
    let output = child.wait_with_output()?;
    assert!(output.status.success(), "rank 0 by itself failed");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

/// Rank 0 by itself: takes messages from standard input as from the ranks below, and reports how much memory that took.
fn be_first(size: u32) -> io::Result<()> {
    let mut reduction = Reduction::new(0, size);
    let before = memory("VmRSS:");
    let (mut input, mut length) = (std::io::stdin().lock(), [0; 4]);
    let (mut number, mut summed, mut held_most) = (0u64, 0u64, 0);
    let below = FAN_OUT.min(size - 1);
    while input.read_exact(&mut length).is_ok() {
        let mut message = vec![0; u32::from_be_bytes(length) as usize];
        input.read_exact(&mut message)?;
        let Ok(Message::Intervals { ticks, .. }) = serde_json::from_slice(&message) else {
            panic!("no intervals");
        };
        let interval = number / u64::from(below);
        for mut tick in ticks {
            let ranks = tick.ranks.map_or(0, |of| of.ranks);
            tick.ranks = Some(RankTick { ranks, interval });
            reduction.take(tick, Instant::now());
        }
        number += 1;
        if number.is_multiple_of(u64::from(below)) {
            reduction.take(tick(0, interval), Instant::now());
            held_most = held_most.max(reduction.held());
            let ready = reduction.ready(Instant::now());
            let kinds = ready.iter().flat_map(|tick| &tick.kinds);
            summed += kinds.map(|kind| kind.count).sum::<u64>();
        }
    }
    assert_eq!(
        summed,
        u64::from(size) * OPERATIONS * INTERVALS * TIMES,
        "the sums are exact"
    );
    println!(
        "rank 0 by itself: {} KiB more than before the first of {} intervals at most, {held_most} held at once",
        memory("VmHWM:") - before,
        INTERVALS * TIMES
    );
    Ok(())
}

/// Of this process, in KiB (proc_pid_status(5)).
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_default()
}

/// A table of the levels.
fn show(size: u32, levels: &BTreeMap<usize, Level>, held_most: usize) {
    println!(
        "\n{size} ranks, {OPERATIONS} operations of each in an interval, {FAN_OUT} ranks below each"
    );
    println!(
        "{:>6} {:>8} {:>16} {:>16} {:>24}",
        "level", "ranks", "bytes/message", "longest", "us/rank and interval"
    );
    for (level, seen) in levels {
        let each = |value: f64, of: u64| if of == 0 { 0.0 } else { value / of as f64 };
        println!(
            "{level:>6} {:>8} {:>16.0} {:>16} {:>24.1}",
            seen.ranks,
            each(seen.bytes as f64, seen.messages),
            seen.longest,
            each(seen.microseconds, seen.ranks * INTERVALS)
        );
    }
    println!(
        "rank 0 held {held_most} interval(s) at most, and takes {} messages an interval",
        FAN_OUT.min(size - 1)
    );
}

fn main() -> io::Result<()> {
    let alone = std::env::args().find_map(|argument| argument.strip_prefix(ALONE)?.parse().ok());
    if let Some(size) = alone {
        return be_first(size);
    }
    let asked = std::env::args().find_map(|argument| argument.strip_prefix("ranks=")?.parse().ok());
    match asked {
        Some(size) => simulate(size),
        None => [16, 256, 10_000].into_iter().try_for_each(simulate),
    }
}
