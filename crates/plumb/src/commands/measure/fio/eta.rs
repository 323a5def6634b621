//! What is the progress of the jobs? The status line of fio on standard output (`--eta=always`, `--eta-newline`, `--eta-interval`).

use std::cell::RefCell;
use std::io::IsTerminal;
use std::rc::Rc;

use plumb_model::run::tick::Tick;
use plumb_model::workload::OperationKind;
use plumb_plan::fio_command::Settings;
use plumb_record::exporter::fio_report::{Entry, binary, count};
use plumb_run::measurement::{OnInterval, OpenView, Seen};
use plumb_show::live::{LiveState, Shown, View};

use super::jobs::Jobs;
use crate::streams::print_exactly;

/// fio's default period of the status line.
const EVERY_NS: u64 = 1_000_000_000;
/// Tolerance for an interval that ends slightly early.
const TOLERANCE_S: f64 = 0.05;

/// The status line.
pub struct Eta {
    every_s: f64,
    newline_s: Option<f64>,
    jobs: Rc<Jobs>,
    moved: Rc<RefCell<Moved>>,
}

/// The work since the last status line.
#[derive(Debug, Default)]
struct Moved {
    since_ns: Option<u64>,
    until_ns: u64,
    /// Operations and bytes of reads, writes and trims.
    kinds: [(u64, u64); 3],
}

impl Moved {
    fn add(&mut self, tick: &Tick) {
        self.since_ns.get_or_insert(tick.start_ns);
        self.until_ns = self.until_ns.max(tick.end_ns);
        for kind in &tick.kinds {
            let number = match kind.kind {
                OperationKind::Read => 0,
                OperationKind::Write => 1,
                OperationKind::Trim => 2,
                _ => continue,
            };
            self.kinds[number].0 += kind.count;
            self.kinds[number].1 += kind.bytes;
        }
    }

    /// `[r=2000KiB/s,w=1000KiB/s][r=500,w=250 IOPS]`; empty if no time has passed.
    fn rates(&self) -> String {
        let since_ns = self.since_ns.unwrap_or(self.until_ns);
        let seconds = self.until_ns.saturating_sub(since_ns) as f64 / 1e9;
        let used: Vec<(&str, &(u64, u64))> = ["r", "w", "t"]
            .into_iter()
            .zip(&self.kinds)
            .filter(|(_, (operations, _))| *operations > 0)
            .collect();
        if seconds <= 0.0 || used.is_empty() {
            return String::new();
        }
        let list = |of: &dyn Fn(&(u64, u64)) -> String| -> String {
            let each = used.iter().map(|(name, one)| format!("{name}={}", of(one)));
            each.collect::<Vec<_>>().join(",")
        };
        let bytes = list(&|(_, bytes)| binary(*bytes as f64 / seconds) + "/s");
        let operations = list(&|(operations, _)| count(*operations as f64 / seconds));
        format!("[{bytes}][{operations} IOPS]")
    }
}

impl Eta {
    /// `None`: the line is off, or would be part of machine-readable output. There are no errors.
    pub fn wanted(settings: &Settings, jobs: &Rc<Jobs>) -> Option<Eta> {
        let formats = settings.formats();
        let is_asked = match settings.eta.as_deref() {
            Some("always") => true,
            Some("never") => false,
            _ => {
                let of_line = settings.eta_newline_ns.or(settings.eta_interval_ns);
                of_line.is_some() && std::io::stdout().is_terminal()
            }
        };
        let is_apart = formats.normal || settings.output.is_some();
        (is_asked && is_apart).then(|| Eta {
            every_s: settings.eta_interval_ns.unwrap_or(EVERY_NS) as f64 / 1e9,
            newline_s: settings.eta_newline_ns.map(|ns| ns as f64 / 1e9),
            jobs: jobs.clone(),
            moved: Rc::default(),
        })
    }

    /// Adds the work of an interval.
    pub fn on_interval(&self) -> OnInterval {
        let moved = self.moved.clone();
        Rc::new(move |seen: &Seen<'_>| moved.borrow_mut().add(seen.tick))
    }

    /// Writes the line.
    pub fn view(&self) -> OpenView {
        let (every_s, newline_s) = (self.every_s, self.newline_s);
        let (jobs, moved) = (self.jobs.clone(), self.moved.clone());
        Box::new(move || {
            View::Screen(Box::new(Lines {
                every_s,
                newline_s,
                jobs: jobs.clone(),
                moved: moved.clone(),
                told_s: 0.0,
                began_s: 0.0,
                width: 0,
            }))
        })
    }
}

struct Lines {
    every_s: f64,
    newline_s: Option<f64>,
    jobs: Rc<Jobs>,
    moved: Rc<RefCell<Moved>>,
    /// Time of the last output, and of the start of the line, in seconds since the start of the run.
    told_s: f64,
    began_s: f64,
    /// Length of the line that the next one overwrites; 0: none.
    width: usize,
}

impl Shown for Lines {
    fn update(&mut self, state: &LiveState) {
        if state.elapsed_s - self.told_s + TOLERANCE_S < self.every_s {
            return;
        }
        self.told_s = state.elapsed_s;
        let text = line(state, &self.jobs.entries, &self.moved.borrow());
        // Work from here on belongs to the next line.
        *self.moved.borrow_mut() = Moved::default();
        let is_ended = self
            .newline_s
            .is_some_and(|every_s| state.elapsed_s - self.began_s + TOLERANCE_S >= every_s);
        let padded = format!("{text:<width$}", width = self.width);
        let end = if is_ended { "\n" } else { "\r" };
        if is_ended {
            self.began_s = state.elapsed_s;
        }
        self.width = if is_ended { 0 } else { text.chars().count() };
        // A closed output is not an error of the run.
        let _ = print_exactly((padded + end).as_bytes());
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.width) > 0 {
            let _ = print_exactly(b"\n");
        }
    }
}

/// `Jobs: 1 (f=1): [R(1)][75.0%][r=2000KiB/s][r=500 IOPS][eta 00m:01s]`.
fn line(state: &LiveState, entries: &[Entry], moved: &Moved) -> String {
    let letters = entries
        .iter()
        .map(|entry| (letter(entry, state.step_number), entry.members));
    let mut runs: Vec<(char, u32)> = Vec::new();
    for (letter, members) in letters {
        match runs.last_mut() {
            Some((last, count)) if *last == letter => *count += members,
            _ => runs.push((letter, members)),
        }
    }
    let running: u32 = runs
        .iter()
        .filter(|(letter, _)| !matches!(letter, 'P' | '_'))
        .map(|(_, members)| members)
        .sum();
    let begin = format!("Jobs: {running} (f={running})");
    let rates = moved.rates();
    if rates.is_empty() {
        return begin;
    }
    let map: Vec<String> = runs
        .iter()
        .map(|(letter, members)| format!("{letter}({members})"))
        .collect();
    let (done, left) = match (state.done, state.left_s) {
        (Some(done), Some(left_s)) => (format!("{:.1}%", done * 100.0), clock(left_s)),
        _ => ("-.-%".to_string(), "--".to_string()),
    };
    format!("{begin}: [{}][{done}]{rates}[eta {left}]", map.join(","))
}

/// State of a job: R, W, M and D for sequential, lower case for random; P before its start, _ after its end.
fn letter(entry: &Entry, step_number: u32) -> char {
    // Step numbers start at 1; 0 is before the first. A listening section has none.
    let steps = || entry.parts.iter().flat_map(|part| &part.steps);
    if entry.listener_traffic.is_none() && !steps().any(|step| step + 1 == step_number) {
        let is_over = steps().all(|step| step + 1 < step_number);
        return if is_over { '_' } else { 'P' };
    }
    let given = entry
        .options
        .iter()
        .find(|(name, _)| matches!(name.as_str(), "rw" | "readwrite"));
    let text = given.map_or("read", |(_, value)| value.as_str());
    let (is_random, kind) = match text.strip_prefix("rand") {
        Some(kind) => (true, kind),
        None => (false, text),
    };
    let letter = match kind.split(':').next().unwrap_or_default() {
        "read" => 'R',
        "write" => 'W',
        "trim" => 'D',
        _ => 'M',
    };
    if is_random {
        letter.to_ascii_lowercase()
    } else {
        letter
    }
}

/// `01m:30s`, with hours and days if needed.
fn clock(seconds: f64) -> String {
    let all = seconds.max(0.0).round() as u64;
    let (days, hours) = (all / 86400, all / 3600 % 24);
    let mut text = format!("{:02}m:{:02}s", all / 60 % 60, all % 60);
    if days > 0 || hours > 0 {
        text = format!("{hours:02}h:{text}");
    }
    if days > 0 {
        text = format!("{days:02}d:{text}");
    }
    text
}

#[cfg(test)]
mod tests {
    use plumb_record::exporter::fio_report::RunPart;

    use super::*;

    fn entry(rw: &str, members: u32, steps: &[u32]) -> Entry {
        Entry {
            members,
            options: vec![("rw".into(), rw.into())],
            parts: vec![RunPart {
                steps: steps.to_vec(),
                ..RunPart::default()
            }],
            ..Entry::default()
        }
    }

    #[test]
    fn the_line_is_fios() {
        let entries = [
            entry("write", 1, &[0]),
            entry("randread:8", 2, &[1]),
            entry("randrw", 1, &[1]),
            entry("trim", 1, &[2]),
        ];
        let mut state = LiveState {
            step_number: 2,
            done: Some(0.6),
            left_s: Some(3725.0),
            ..LiveState::default()
        };
        let mut moved = Moved {
            since_ns: Some(0),
            until_ns: 2_000_000_000,
            kinds: [(1000, 4_096_000), (400, 1_638_400), (0, 0)],
        };
        assert_eq!(
            line(&state, &entries, &moved),
            "Jobs: 3 (f=3): [_(1),r(2),m(1),P(1)][60.0%][r=2000KiB/s,w=800KiB/s][r=500,w=200 IOPS][eta 01h:02m:05s]"
        );
        state.left_s = None;
        moved.kinds[0] = (0, 0);
        assert!(line(&state, &entries, &moved).contains("[-.-%][w=800KiB/s][w=200 IOPS][eta --]"));
        moved = Moved::default();
        assert_eq!(line(&state, &entries, &moved), "Jobs: 3 (f=3)");
    }
}
