//! Do messages and barriers go by the MPI libraries that are installed here? Each test starts itself under a launcher, and is then one of its ranks.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used)]

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use plumb_run::ranks::join_by_mpi;
use plumb_run::ranks::launcher::{Launched, launched};
use plumb_run::ranks::wire::Wire;

/// What hangs is to fail.
const LONG: Duration = Duration::from_secs(60);
const PATIENCE: Duration = Duration::from_secs(20);

/// The program of a launcher, and what it takes to start more ranks than there are cores, as root too.
struct Launcher {
    programs: &'static [&'static str],
    package: &'static str,
    arguments: &'static [&'static str],
    /// With these the others continue when one rank is lost.
    going_on: &'static [&'static str],
}

const OPEN_MPI: Launcher = Launcher {
    programs: &["mpirun.openmpi", "mpirun"],
    package: "openmpi-bin",
    arguments: &["--allow-run-as-root", "--oversubscribe"],
    going_on: &["--enable-recovery"],
};

/// Hydra ends the ranks of the host on which one was killed, whatever its options: each has a host of its own, by another name of this one.
const MPICH: Launcher = Launcher {
    programs: &["mpiexec.mpich", "mpiexec.hydra"],
    package: "mpich",
    arguments: &["-launcher", "fork"],
    going_on: &[
        "-disable-auto-cleanup",
        "-hosts",
        "localhost,127.0.0.1,127.0.0.2,127.0.0.3",
        "-ppn",
        "1",
    ],
};

/// This process as a rank, where a launcher started it.
fn rank() -> Option<Launched> {
    launched(&|name| std::env::var(name).ok()).expect("a launcher that makes sense")
}

impl Launcher {
    /// The program; `None`, with a message, if it is not installed.
    fn program(&self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        for program in self.programs {
            let found = folders.iter().map(|folder| folder.join(program));
            if let Some(found) = found.into_iter().find(|file| file.is_file()) {
                let version = Command::new(&found).arg("--version").output();
                let is_open_mpi = version.is_ok_and(|output| {
                    String::from_utf8_lossy(&output.stdout).contains("(Open MPI)")
                });
                if is_open_mpi == (self.package == OPEN_MPI.package) {
                    return Some(found);
                }
            }
        }
        println!(
            "skipped: {} is not installed (Debian package {})",
            self.programs[0], self.package
        );
        None
    }

    /// Output of four ranks of a test, and whether the launcher succeeded. `None` when it is not installed.
    fn run(&self, test: &str, more: &[&str], variables: &[(&str, &str)]) -> Option<(String, bool)> {
        let program = self.program()?;
        let output = Command::new(program)
            .args(self.arguments)
            .args(more)
            .args(["-n", "4"])
            .arg(std::env::current_exe().expect("this test"))
            .args(["--exact", test, "--nocapture"])
            .envs(variables.iter().copied())
            .output()
            .expect("the launcher starts");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        Some((text, output.status.success()))
    }
}

/// The next message. Panics when none comes.
fn next(wire: &mut dyn Wire) -> (u32, Vec<u8>) {
    let until = Instant::now() + LONG;
    loop {
        if let Some(message) = wire.receive().expect("received") {
            return message;
        }
        assert!(Instant::now() < until, "no message comes");
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn barrier(wire: &mut dyn Wire) {
    let until = Instant::now() + LONG;
    wire.enter_barrier().expect("entered");
    while !wire.is_barrier_passed().expect("looked") {
        assert!(Instant::now() < until, "the barrier is never passed");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// A long message that differs at every offset and by sender.
fn long(rank: u32) -> Vec<u8> {
    (0..3 << 20)
        .map(|at: u32| (at / 251 + at + rank) as u8)
        .collect()
}

/// One of four ranks: a ring, long messages with a short one behind each, a thousand messages of each to rank 0, and barriers between them.
fn exchange(launched: &Launched) {
    let mut joined = join_by_mpi(launched).expect("joined");
    let wire = &mut *joined;
    let (rank, ranks) = (wire.rank(), wire.size());
    let (before, after) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    wire.send(after, &rank.to_le_bytes()).expect("sent");
    assert_eq!(next(wire), (before, before.to_le_bytes().to_vec()));
    barrier(wire);
    wire.send(after, &long(rank)).expect("sent");
    wire.send(after, b"").expect("sent");
    let (from, bytes) = next(wire);
    assert_eq!(from, before);
    assert!(bytes == long(before), "{} bytes are others", bytes.len());
    assert_eq!(next(wire), (before, Vec::new()));
    barrier(wire);
    if rank > 0 {
        (0..1000u32).for_each(|number| wire.send(0, &number.to_le_bytes()).expect("sent"));
    } else {
        let mut expected = vec![0u32; ranks as usize];
        for _ in 0..1000 * (ranks - 1) {
            let (from, number) = next(wire);
            let expected = &mut expected[from as usize];
            assert_eq!(number, expected.to_le_bytes(), "of rank {from}");
            *expected += 1;
        }
    }
    barrier(wire);
    let name = wire.name();
    joined.close(PATIENCE);
    println!("rank {rank} of {ranks} left {name}");
}

fn messages_arrive(launcher: &Launcher, test: &str, library: &str) {
    if let Some(launched) = rank() {
        return exchange(&launched);
    }
    let Some((text, is_well)) = launcher.run(test, &[], &[]) else {
        return;
    };
    assert!(is_well, "{text}");
    for rank in 0..4 {
        let left = format!("rank {rank} of 4 left {library}");
        assert!(text.contains(&left), "{left}: {text}");
    }
}

#[test]
fn messages_arrive_whole_and_in_order_by_open_mpi() {
    let test = "messages_arrive_whole_and_in_order_by_open_mpi";
    messages_arrive(&OPEN_MPI, test, "Open MPI v");
}

#[test]
fn messages_arrive_whole_and_in_order_by_mpich() {
    let test = "messages_arrive_whole_and_in_order_by_mpich";
    messages_arrive(&MPICH, test, "MPICH ");
}

/// One of four ranks, of which rank 2 is killed in the middle of a long message: the others still reach each other, and leave.
fn lose(launched: &Launched) {
    let mut joined = join_by_mpi(launched).expect("joined");
    let wire = &mut *joined;
    barrier(wire);
    let rank = wire.rank();
    if rank == 2 {
        wire.send(0, &long(2)).expect("sent");
        let kill = format!("kill -9 {}", std::process::id());
        let _ = Command::new("sh").args(["-c", &kill]).status();
        unreachable!("it was killed");
    }
    // Without a call of MPI in between: the long message has been announced, and its sender is gone.
    std::thread::sleep(Duration::from_secs(1));
    let living: Vec<u32> = [0, 1, 3].into_iter().filter(|to| *to != rank).collect();
    for to in &living {
        wire.send(*to, &[rank as u8]).expect("sent");
    }
    let mut heard: Vec<u32> = living
        .iter()
        .map(|_| next(wire).0)
        .filter(|from| *from != 2)
        .collect();
    while heard.len() < living.len() {
        heard.push(next(wire).0);
    }
    heard.sort_unstable();
    assert_eq!(heard, living);
    joined.close(Duration::from_secs(2));
    println!("rank {rank} goes on");
}

fn the_others_go_on(launcher: &Launcher, test: &str) {
    if let Some(launched) = rank() {
        return lose(&launched);
    }
    let Some((text, _)) = launcher.run(test, launcher.going_on, &[]) else {
        return;
    };
    for rank in [0, 1, 3] {
        assert!(text.contains(&format!("rank {rank} goes on")), "{text}");
    }
}

#[test]
fn the_others_go_on_when_a_rank_of_open_mpi_is_killed() {
    let test = "the_others_go_on_when_a_rank_of_open_mpi_is_killed";
    the_others_go_on(&OPEN_MPI, test);
}

#[test]
fn the_others_go_on_when_a_rank_of_mpich_is_killed() {
    let test = "the_others_go_on_when_a_rank_of_mpich_is_killed";
    the_others_go_on(&MPICH, test);
}

#[test]
fn a_library_that_is_not_the_launchers_is_refused_by_name() {
    if let Some(launched) = rank() {
        let refused = join_by_mpi(&launched).map(drop).expect_err("refused");
        return println!("refused: {refused}");
    }
    if OPEN_MPI.program().is_none() {
        return;
    }
    let test = "a_library_that_is_not_the_launchers_is_refused_by_name";
    let other = [("PLUMB_MPI_LIBRARY", "libmpi.so.40")];
    let Some((text, is_well)) = MPICH.run(test, &[], &other) else {
        return;
    };
    assert!(is_well, "{text}");
    for rank in 0..4 {
        let says =
            format!("refused: the launcher (MPICH) reports rank {rank} of 4, and Open MPI v");
        assert!(text.contains(&says), "{says}: {text}");
    }
    assert!(text.contains("reports rank 0 of 1"), "{text}");
}
