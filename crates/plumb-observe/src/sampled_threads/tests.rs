//! Real threads of this program: one that computes, one that sleeps, one that waits for a pipe, one that waits for a child.
#![cfg(target_os = "linux")]

use std::io::Read;
use std::process::Command;
use std::time::{Duration, Instant};

use plumb_model::trace::events::{Activity, OffCpu, ThreadLife, TraceEvent};

use super::*;

#[derive(Default)]
struct Seen {
    off: Vec<OffCpu>,
    lives: Vec<ThreadLife>,
    names: Vec<String>,
}

impl TraceReceiver for Seen {
    fn take(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::OffCpu(of) => self.off.push(of),
            TraceEvent::Ended(of) => self.lives.push(of),
            _ => {}
        }
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        match self.names.get_mut(lane as usize) {
            Some(known) => *known = name.to_string(),
            None => self.names.push(name.to_string()),
        }
    }
}

impl Seen {
    /// Share of the life of the thread of a program that it spent so.
    fn share(&self, command: &str, activity: Activity) -> f64 {
        let lane = self.names.iter().position(|name| name.ends_with(command));
        let lane = lane.unwrap_or_else(|| panic!("no {command} in {:?}", self.names)) as u32;
        let life = self
            .lives
            .iter()
            .find(|life| life.lane == lane)
            .expect("as expected");
        let of_lane = self.off.iter().filter(|of| of.lane == lane);
        let spent: u64 = of_lane
            .filter(|of| of.activity == activity)
            .map(|of| of.end_ns - of.begin_ns)
            .sum();
        spent as f64 / (life.end_ns - life.begin_ns) as f64
    }
}

/// Samples a command until it ends.
fn sampled(script: &str) -> (Seen, TraceFacts) {
    let mut seen = Seen::default();
    let mut child = Command::new("bash")
        .args(["-c", script])
        .spawn()
        .expect("as expected");
    let mut threads = SampledThreads::of(child.id(), &mut seen);
    let begun = Instant::now();
    while child.try_wait().expect("as expected").is_none()
        && begun.elapsed() < Duration::from_secs(20)
    {
        threads.look();
        std::thread::sleep(Duration::from_millis(1));
    }
    let facts = threads.end();
    (seen, facts)
}

#[test]
fn threads_wait_for_a_child_a_pause_and_a_pipe() {
    let (seen, facts) = sampled("sleep 0.8 | cat; :");
    assert!(facts.records > 50, "{facts:?}");
    assert!(seen.share("sleep", Activity::Sleep) > 0.8);
    assert!(seen.share("cat", Activity::Pipe) > 0.8);
    assert!(seen.share("bash", Activity::Child) > 0.8);
}

#[test]
fn time_on_a_cpu_is_that_of_the_kernel() {
    // It computes for a while by itself, and says how long: its own CPU time, in hundredths of a second.
    let script = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; sleep 0.2; cat /proc/$$/schedstat > $OUT";
    let folder = tempfile::tempdir().expect("as expected");
    let out = folder.path().join("out");
    let (seen, _) = sampled(&script.replace("$OUT", &out.display().to_string()));
    let mut text = String::new();
    std::fs::File::open(&out)
        .expect("as expected")
        .read_to_string(&mut text)
        .expect("as expected");
    let mut fields = text
        .split_ascii_whitespace()
        .map(|field| field.parse::<f64>().expect("as expected"));
    let kernel_ns = fields.next().expect("as expected") + fields.next().expect("as expected");
    let lane = seen
        .names
        .iter()
        .position(|name| name.ends_with("bash"))
        .expect("as expected") as u32;
    let life = seen
        .lives
        .iter()
        .find(|life| life.lane == lane)
        .expect("as expected");
    let off = seen
        .off
        .iter()
        .filter(|of| of.lane == lane && of.activity != Activity::Ready);
    let off_ns: u64 = off.map(|of| of.end_ns - of.begin_ns).sum();
    let on_ns = (life.end_ns - life.begin_ns - off_ns) as f64;
    // What it had run before the first look is not of the account, nor what it ran after the last one.
    assert!(
        (on_ns - kernel_ns).abs() < 0.1 * kernel_ns + 20e6,
        "{on_ns} {kernel_ns}"
    );
}

#[test]
fn a_program_that_polls_a_socket_waits_for_its_other_end() {
    let script = "import select, socket, time; a, b = socket.socketpair(); POLL";
    let python = |poll: &str| {
        format!(
            "exec /usr/bin/python3 -c '{}'",
            script.replace("POLL", poll)
        )
    };
    let by_poll =
        python("p = select.poll(); p.register(a); p.modify(a, select.POLLIN); p.poll(900)");
    let by_epoll = python("p = select.epoll(); p.register(a, select.EPOLLIN); p.poll(0.9)");
    for script in [by_poll, by_epoll] {
        let (seen, _) = sampled(&script);
        let share = seen.share("python3", Activity::Socket);
        assert!(share > 0.6, "{script}: {share}");
    }
}
