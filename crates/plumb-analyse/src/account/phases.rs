//! In which parts of the span does a program do the same? Cut where what it does most changes.

use plumb_model::explain::account::Phase;
use plumb_model::trace::events::Activity;

use super::critical::{BINS, Sweep};
use super::kinds::{Kind, SHARE_MIN, parts};

/// A part of the span that is shorter joins its neighbor.
const LEAST: f64 = 0.05;
/// What a program does most takes so much of the time at least; else it does several things.
const MOST: f64 = 0.6;

/// The phases in order; one if it does the same all the time.
pub(super) fn phases(
    sweep: &Sweep<'_>,
    name: &dyn Fn(Kind) -> (Activity, Option<String>),
) -> Vec<Phase> {
    let times: Vec<Vec<f64>> = (0..BINS).map(|bin| sweep.program_in(bin)).collect();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for (bin, times) in times.iter().enumerate() {
        let most = most(times);
        match runs.last_mut() {
            Some(last) if before == most || most.is_none() => last.1 = bin + 1,
            _ => runs.push((bin, bin + 1)),
        }
        before = most.or(before);
    }
    join_short(&mut runs, &times);
    let bin_ns = sweep.span_ns() as f64 / BINS as f64;
    let phase = |(from, to): &(usize, usize)| {
        let sums = sums(&times[*from..*to]);
        let (begin_ns, end_ns) = (*from as f64 * bin_ns, *to as f64 * bin_ns);
        Phase {
            begin_ns: begin_ns as u64,
            end_ns: end_ns as u64,
            program: parts(&sums, (end_ns - begin_ns) as u64, SHARE_MIN, name),
        }
    };
    runs.iter().map(phase).collect()
}

/// The kind that has most of the time; none of them (a number beyond all) where several share it.
fn most(times: &[f64]) -> Option<usize> {
    let all: f64 = times.iter().sum();
    let (kind, ns) = times.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    (all > 0.0).then_some(match *ns >= MOST * all {
        true => kind,
        false => times.len(),
    })
}

fn sums(times: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![0.0; times.first().map_or(0, Vec::len)];
    for times in times {
        for (sum, ns) in sums.iter_mut().zip(times) {
            *sum += ns;
        }
    }
    sums
}

/// The shortest run joins its longer neighbor until none is too short; neighbors of one kind are one.
fn join_short(runs: &mut Vec<(usize, usize)>, times: &[Vec<f64>]) {
    let length = |of: &(usize, usize)| of.1 - of.0;
    loop {
        let kind = |of: &(usize, usize)| most(&sums(&times[of.0..of.1]));
        let same = runs
            .windows(2)
            .position(|pair| kind(&pair[0]) == kind(&pair[1]));
        if let Some(at) = same {
            runs[at].1 = runs[at + 1].1;
            runs.remove(at + 1);
            continue;
        }
        let shortest = runs.iter().enumerate().min_by_key(|(_, of)| length(of));
        let Some((at, of)) = shortest else { return };
        if runs.len() < 2 || length(of) as f64 >= LEAST * BINS as f64 {
            return;
        }
        let left = at.checked_sub(1).map_or(0, |before| length(&runs[before]));
        let right = runs.get(at + 1).map_or(0, length);
        let (from, to) = if left >= right {
            (at - 1, at)
        } else {
            (at, at + 1)
        };
        runs[from].1 = runs[to].1;
        runs.remove(to);
    }
}
