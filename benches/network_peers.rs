//! Is one TCP stream of plumb as fast as iperf3's, and its round trip of one byte as short as NetPIPE's? Interleaved over loopback, ratios of each round.
//!
//! `./dev bench network`, or with words: `./dev bench network rounds=7 seconds=2`, `only=latency` for the round trips alone. Ends with exit code 1 when a median ratio is below what the program
//! must reach, and 2 when a peer is missing.

#[path = "exit_code.rs"]
mod exit_code;
#[path = "../testdata/peers/ports.rs"]
mod ports;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use exit_code::exit_code;
use serde_json::Value;

/// Ratio to the peer's figure that counts as equal: two programs that make the same system calls differ by this much from round to round.
const EQUAL: f64 = 0.95;

struct Words {
    rounds: u32,
    seconds: u32,
    /// The round trips alone.
    latency_only: bool,
}

/// Bits per second of a stream, and CPU seconds for each gigabit at the client's and the server's end.
#[derive(Clone, Copy)]
struct Stream {
    bits_per_s: f64,
    client_s: f64,
    server_s: f64,
}

/// A program that waits for clients, stopped by its number.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> ExitCode {
    exit_code(words().and_then(|words| measure(&words)))
}

fn words() -> Result<Words, String> {
    let mut words = Words {
        rounds: 7,
        seconds: 2,
        latency_only: false,
    };
    // cargo itself adds --bench.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let wrong = || format!("'{word}' is not understood: rounds=7, seconds=2, only=latency");
        if word == "only=latency" {
            words.latency_only = true;
            continue;
        }
        let (name, value) = word.split_once('=').ok_or_else(wrong)?;
        let number = value
            .parse::<u32>()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(wrong)?;
        match name {
            "rounds" => words.rounds = number,
            "seconds" => words.seconds = number,
            _ => return Err(wrong()),
        }
    }
    Ok(words)
}

fn measure(words: &Words) -> Result<bool, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let (_responder, own_port) = responder()?;
    let iperf3_port = ports::free_port();
    let _iperf3 = server(
        "iperf3",
        &["-s", "--bind", "127.0.0.1", "-p", &iperf3_port.to_string()],
    )?;
    std::thread::sleep(Duration::from_millis(500));
    println!(
        "{} rounds of {} s; Gbit/s (CPU s per gigabit at client, server); one byte in us one way\n",
        words.rounds, words.seconds
    );
    let (mut sends, mut receives, mut latencies) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..words.rounds {
        let ours_first = round % 2 == 0;
        let streams = [("send", &mut sends), ("receive", &mut receives)];
        for (kind, ratios) in streams.into_iter().filter(|_| !words.latency_only) {
            let own = || own_stream(folder.path(), own_port, kind, words.seconds);
            let peer = || iperf3_stream(iperf3_port, kind, words.seconds);
            let (ours, theirs) = if ours_first {
                (own()?, peer()?)
            } else {
                swap(peer()?, own()?)
            };
            println!(
                "{kind:>8}: plumb {}   iperf3 {}   ratio {:.2}",
                shown(&ours),
                shown(&theirs),
                ours.bits_per_s / theirs.bits_per_s
            );
            ratios.push((
                ours.bits_per_s / theirs.bits_per_s,
                (ours.client_s + ours.server_s) / (theirs.client_s + theirs.server_s),
            ));
        }
        let own = || own_latency_us(folder.path(), own_port);
        let peer = || netpipe_latency_us(folder.path());
        let (ours, theirs) = if ours_first {
            (own()?, peer()?)
        } else {
            swap(peer()?, own()?)
        };
        println!(
            "  1 byte: plumb {ours:.2} us   NPtcp {theirs:.2} us   ratio {:.2}",
            ours / theirs
        );
        latencies.push(ours / theirs);
    }
    let latency = median(&latencies);
    println!("\nmedian ratios: one byte {}", spread(&latencies));
    let mut reached = latency <= 1.0 / EQUAL;
    for (kind, ratios) in [("send", &sends), ("receive", &receives)]
        .into_iter()
        .filter(|_| !words.latency_only)
    {
        let (rates, cpu): (Vec<f64>, Vec<f64>) = ratios.iter().copied().unzip();
        println!(
            "               {kind} {}, its CPU time {}",
            spread(&rates),
            spread(&cpu)
        );
        reached &= median(&rates) >= EQUAL;
    }
    Ok(reached)
}

/// Median, and where the middle half of the rounds lies.
fn spread(ratios: &[f64]) -> String {
    let mut sorted = ratios.to_vec();
    sorted.sort_by(f64::total_cmp);
    format!(
        "{:.2} (half of the rounds {:.2} to {:.2})",
        median(ratios),
        sorted[sorted.len() / 4],
        sorted[sorted.len() * 3 / 4]
    )
}

fn swap<T>(one: T, other: T) -> (T, T) {
    (other, one)
}

fn shown(stream: &Stream) -> String {
    format!(
        "{:6.2} ({:.3}, {:.3})",
        stream.bits_per_s / 1e9,
        stream.client_s,
        stream.server_s
    )
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn server(program: &str, arguments: &[&str]) -> Result<Server, String> {
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started
        .map(Server)
        .map_err(|error| format!("{program} cannot be started ({error}): install it"))
}

fn responder() -> Result<(Server, u16), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plumb"));
    command
        .args(["serve-net", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| format!("plumb serve-net: {error}"))?;
    let said = child.stderr.take().ok_or("plumb serve-net says nothing")?;
    let mut lines = BufReader::new(said).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    std::thread::spawn(move || lines.for_each(drop));
    let port = first
        .strip_prefix("listening on 127.0.0.1:")
        .and_then(|rest| rest.split(',').next()?.parse().ok());
    Ok((
        Server(child),
        port.ok_or_else(|| format!("plumb serve-net said: {first}"))?,
    ))
}

/// The summary of one step of plumb.
fn own_step(
    folder: &Path,
    port: u16,
    mix: &str,
    block: &str,
    time: &str,
    rounds: u32,
) -> Result<Value, String> {
    let record = folder.join("run");
    let _ = std::fs::remove_dir_all(&record);
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args([
            "run",
            "--target",
            &format!("tcp://127.0.0.1:{port}"),
            "--set",
            &format!("mix={mix}"),
            "--block",
            block,
        ])
        .args([
            "--set",
            "offsets=sequential",
            "--time",
            time,
            "--rounds",
            &rounds.to_string(),
            "--json",
            "--quiet",
            "--no-report",
            "--output",
        ])
        .arg(&record)
        .output()
        .map_err(|error| format!("plumb run: {error}"))?;
    let summary: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "plumb run: {error}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })?;
    Ok(summary["steps"][0].clone())
}

fn own_stream(folder: &Path, port: u16, kind: &str, seconds: u32) -> Result<Stream, String> {
    let step = own_step(folder, port, kind, "128k", &format!("{seconds}s"), 1)?;
    let number = |value: &Value| {
        value
            .as_f64()
            .ok_or_else(|| format!("a figure is missing in {step}"))
    };
    let busy_s = (number(&step["cpu"]["user_percent"])? + number(&step["cpu"]["system_percent"])?)
        / 100.0
        * number(&step["duration_s"])?;
    let peer = &step["connections"]["numbers"];
    let peer_s = number(&peer["peer_cpu_user_s"])? + number(&peer["peer_cpu_system_s"])?;
    let peer_bits =
        (number(&peer["bytes_received_by_peer"])? + number(&peer["bytes_sent_by_peer"])?) * 8.0;
    let bits = number(&step["total"]["bytes"])? * 8.0;
    Ok(Stream {
        bits_per_s: number(&step["total"]["bandwidth_bytes_per_s"])? * 8.0,
        client_s: busy_s / (bits / 1e9),
        server_s: peer_s / (peer_bits / 1e9),
    })
}

fn iperf3_stream(port: u16, kind: &str, seconds: u32) -> Result<Stream, String> {
    let mut command = Command::new("iperf3");
    command.args([
        "-c",
        "127.0.0.1",
        "-p",
        &port.to_string(),
        "-t",
        &seconds.to_string(),
        "-N",
        "-J",
    ]);
    if kind == "receive" {
        command.arg("-R");
    }
    let output = command
        .output()
        .map_err(|error| format!("iperf3: {error}"))?;
    let result: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("iperf3: {error}"))?;
    let end = &result["end"];
    let number = |value: &Value| {
        value
            .as_f64()
            .ok_or_else(|| format!("iperf3 said: {}", result["error"]))
    };
    let received = &end["sum_received"];
    let (bits_per_s, length_s) = (
        number(&received["bits_per_second"])?,
        number(&received["seconds"])?,
    );
    let each = |percent: f64| percent / 100.0 * length_s / (bits_per_s * length_s / 1e9);
    let used = &end["cpu_utilization_percent"];
    Ok(Stream {
        bits_per_s,
        client_s: each(number(&used["host_total"])?),
        server_s: each(number(&used["remote_total"])?),
    })
}

/// Half of the mean round trip, the best of three trials of a quarter of a second: so does NetPIPE (TRIALS and RUNTM of netpipe.h).
fn own_latency_us(folder: &Path, port: u16) -> Result<f64, String> {
    let step = own_step(folder, port, "ping-pong", "1", "250ms", 3)?;
    let mean_us =
        |round: &Value| Some(round["duration_s"].as_f64()? / round["operations"].as_f64()? * 1e6);
    let trials = step["rounds"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let best = trials.iter().filter_map(mean_us).min_by(f64::total_cmp);
    best.map(|round_trip| round_trip / 2.0)
        .ok_or_else(|| format!("no round trips in {step}"))
}

/// The third column of NetPIPE's file: seconds one way.
fn netpipe_latency_us(folder: &Path) -> Result<f64, String> {
    let (port, file) = (ports::free_port().to_string(), folder.join("np.out"));
    let _receiver = server("NPtcp", &["-P", &port, "-u", "1", "-p", "0"])?;
    std::thread::sleep(Duration::from_millis(300));
    let said = Command::new("NPtcp")
        .args(["-h", "127.0.0.1", "-P", &port, "-u", "1", "-p", "0", "-o"])
        .arg(&file)
        .output()
        .map_err(|error| format!("NPtcp: {error}"))?;
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("NPtcp: {error}: {}", String::from_utf8_lossy(&said.stderr)))?;
    let seconds = text
        .lines()
        .next()
        .and_then(|line| line.split_whitespace().nth(2)?.parse::<f64>().ok());
    seconds
        .map(|seconds| seconds * 1e6)
        .ok_or_else(|| format!("NPtcp wrote: {text}"))
}
