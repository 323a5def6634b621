//! For how many requests does a program wait one after another? The slope of its run time against the time that each call is held; and what faster storage would give by that.

use plumb_model::explain::account::{CachedRuns, Gain, HeldPoint, HeldProof, TimeAccount, WhatIf};
use plumb_model::explain::conclusion::ProofState;
use plumb_model::statement::{Statement, Unit};
use plumb_model::trace::events::Activity;

use super::against::factor_of_rounds;
use super::what_if::twice_between;
use crate::statistics::effect::t_quantile;
use crate::statistics::trend;

/// Part of the bytes read that the device read: from there on the files were not in the page cache.
const COLD: f64 = 0.8;
/// Of the intervals.
const CONFIDENCE: f64 = 0.9;
/// Calls that were held may differ by so much between the points; else the program did not do the same.
const CALLS_DIFFER: f64 = 0.1;
/// The run time cannot grow by more than all calls are held, but for this; if it does, the storage or the machine became slower.
const STEEP: f64 = 1.2;
/// An interval of the share that is wider proves nothing.
const WIDE: f64 = 0.4;
/// The measured share may be so far from the predicted one.
const SHARE_DIFFERS: f64 = 0.15;

/// What runs with held calls say of a finding. `alone_ns`: run times without anything held or notified.
pub fn held_proof(
    account: &TimeAccount,
    finding: &WhatIf,
    points: Vec<HeldPoint>,
    alone_ns: &[u64],
) -> HeldProof {
    let storage = finding.storage.clone().unwrap_or_default();
    let mut proof = HeldProof {
        storage: storage.clone(),
        points,
        alone_ns: alone_ns.to_vec(),
        in_turn: None,
        gain: None,
        state: ProofState::Undecided,
        statement: Statement::new("why-proof-no-line"),
        cached: None,
    };
    let calls: Vec<f64> = proof.points.iter().map(|of| of.calls).collect();
    let (least, most) = calls.iter().fold((f64::MAX, 0.0f64), |(least, most), of| {
        (least.min(*of), most.max(*of))
    });
    if most < 1.0 {
        proof.statement = Statement::new("why-proof-no-calls").name("storage", storage);
        return proof;
    }
    if most - least > CALLS_DIFFER * most {
        proof.statement = Statement::new("why-proof-calls-differ")
            .number("least", least)
            .number("most", most);
        return proof;
    }
    let Some((slope, error)) = slope(&proof.points) else {
        return proof;
    };
    if slope - error > STEEP * most {
        proof.statement = Statement::new("why-proof-too-steep")
            .number("in-turn", slope.round())
            .number("calls", most.round());
        return proof;
    }
    let slope = slope.min(most);
    let of_storage = || {
        let all = account.requests.iter();
        all.filter(|of| of.storage == finding.storage)
    };
    let waited_ns: f64 = of_storage().map(|of| of.waited_ns as f64).sum();
    let count: f64 = of_storage().map(|of| of.count as f64).sum();
    let each_ns = waited_ns / count.max(1.0);
    let alone = median(alone_ns);
    let share = |in_turn: f64| (in_turn.max(0.0) * each_ns / alone.max(1.0)).min(1.0);
    let (low, high) = (share(slope - error), share(slope + error));
    let (gain_low, gain_high) = twice_between(low, high);
    proof.in_turn = Some((slope, (slope - error).max(0.0), slope + error));
    proof.gain = Some(Gain {
        change: Statement::new("why-gain-storage-twice"),
        low: gain_low,
        high: gain_high,
    });
    // A lock is held while the storage is waited for: its own share is that of the waiting threads.
    let predicted = account
        .program
        .iter()
        .filter(|part| part.storage == finding.storage && part.activity.is_storage())
        .fold(0.0, |sum, part| sum + part.share);
    proof.state = match () {
        () if high < 0.5 * predicted => ProofState::Refuted,
        () if high - low <= WIDE
            && low <= predicted + SHARE_DIFFERS
            && high >= predicted - SHARE_DIFFERS
            && low > 0.0 =>
        {
            ProofState::Proven
        }
        () => ProofState::Undecided,
    };
    let figures = Statement::new("why-proof-figures")
        .name("storage", storage)
        .number("in-turn", slope.max(0.0).round())
        .number(
            "calls",
            (calls.iter().sum::<f64>() / calls.len() as f64).round(),
        )
        .percent("low", low * 100.0)
        .percent("high", high * 100.0)
        .percent("predicted", predicted * 100.0)
        .quantity("each", each_ns, Unit::Nanoseconds);
    proof.statement = match proof.state {
        ProofState::Proven => Statement::new("why-proof-proven").part("figures", figures),
        ProofState::Refuted => Statement::new("why-proof-refuted").part("figures", figures),
        ProofState::Undecided => Statement::new("why-proof-undecided").part("figures", figures),
    };
    proof
}

/// What runs with the files in the page cache say beside those without, in the same rounds.
pub fn cached_runs(alone_ns: &[u64], elapsed_ns: Vec<u64>) -> CachedRuns {
    let factor = factor_of_rounds(alone_ns, &elapsed_ns);
    let statement = match factor {
        None => Statement::new("why-against-too-few"),
        Some((middle, low, high)) if low > 1.0 || high < 1.0 => Statement::new("why-proof-cached")
            .number("factor", middle)
            .number("low", low)
            .number("high", high),
        Some((_, low, high)) => Statement::new("why-proof-cached-undecided")
            .number("low", low)
            .number("high", high),
    };
    CachedRuns {
        elapsed_ns,
        factor,
        statement,
    }
}

/// Whether what a program read of a storage came from there: a proof begins each of its runs as cold as that one was.
pub fn reads_were_cold(account: &TimeAccount, storage: &str) -> bool {
    let device = account.devices.iter().find(|of| {
        let mut names = of.storages.iter();
        names.any(|name| name == storage)
    });
    if let Some(reads) = device.and_then(|of| of.reads.as_ref()) {
        return reads.device_bytes as f64 >= COLD * reads.bytes as f64;
    }
    let reads = account
        .requests
        .iter()
        .filter(|of| of.activity == Activity::Read && of.storage.as_deref() == Some(storage));
    let all = reads.fold(Reads::default(), |all, of| Reads {
        count: all.count + of.count,
        waited: all.waited + of.waited,
        bytes: all.bytes + of.bytes,
        waited_ns: all.waited_ns + of.waited_ns,
        cpu_ns: all.cpu_ns + of.cpu_ns,
    });
    // Of reads ahead, few calls wait. The device moved as much as the program read, if not for it alone, and the calls spent their time waiting.
    let moved = device.map_or(0, |of| of.load.read_bytes);
    let is_read_ahead = moved as f64 >= COLD * all.bytes as f64 && all.waited_ns > all.cpu_ns;
    all.waited > 0 && (is_read_ahead || 2 * all.waited >= all.count)
}

/// The reads of a storage, together.
#[derive(Default)]
struct Reads {
    count: u64,
    waited: u64,
    bytes: u64,
    waited_ns: u64,
    cpu_ns: u64,
}

/// The slope of all runs, and half of its interval; `None` where the calls were not held for different times.
fn slope(points: &[HeldPoint]) -> Option<(f64, f64)> {
    let all: Vec<(f64, f64)> = points
        .iter()
        .flat_map(|of| of.elapsed_ns.iter().map(|ns| (of.held_ns, *ns as f64)))
        .collect();
    let line = trend(&all).filter(|_| all.len() > 3)?;
    let n = all.len() as f64;
    let mean = all.iter().map(|(x, _)| x).sum::<f64>() / n;
    let spread: f64 = all.iter().map(|(x, _)| (x - mean).powi(2)).sum();
    let away: f64 = all
        .iter()
        .map(|(x, y)| (y - line.intercept - line.slope * x).powi(2))
        .sum();
    let error = (away / (n - 2.0) / spread).sqrt() * t_quantile(CONFIDENCE, n - 2.0);
    error.is_finite().then_some((line.slope, error))
}

fn median(values: &[u64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::explain::account::{Part, Question, RequestFigures};

    const MS: f64 = 1e6;

    /// 400 reads of 2 ms in a second, of which so many wait for another.
    fn proof(in_turn: f64, calls: [f64; 3], noise: f64) -> HeldProof {
        let storage = Some("/mnt/slow".to_string());
        let account = TimeAccount {
            has_switches: true,
            span_ns: 1_000_000_000,
            is_cut: false,
            program: vec![Part {
                activity: Activity::Read,
                storage: storage.clone(),
                ns: 800_000_000,
                share: 0.8,
            }],
            threads: Vec::new(),
            threads_count: 1,
            phases: Vec::new(),
            requests: vec![RequestFigures {
                activity: Activity::Read,
                storage: storage.clone(),
                call: "pread64".into(),
                count: 400,
                waited: 400,
                bytes: 0,
                waited_ns: 800_000_000,
                p50_ns: None,
                p99_ns: None,
                cpu_ns: 0,
                at_once: Some(1.0),
                at_once_max: 1,
                sequential_share: None,
                steady_rate: None,
            }],
            locks: None,
            devices: Vec::new(),
            memory_limits: Vec::new(),
            io_limits: Vec::new(),
            storages: Vec::new(),
        };
        let finding = WhatIf {
            question: Question::OneAtATime,
            storage,
            share: 0.8,
            claim: Statement::new("why-pauses"),
            gains: Vec::new(),
            advice: Statement::new("why-pauses-advice"),
            test: None,
        };
        let points = (0..3)
            .map(|at| {
                let held_ns = at as f64 * MS;
                let run = |side: f64| (1000.0 * MS + in_turn * held_ns + side * noise * MS) as u64;
                HeldPoint {
                    held_ns,
                    calls: calls[at],
                    elapsed_ns: vec![run(-1.0), run(0.0), run(1.0)],
                }
            })
            .collect();
        held_proof(&account, &finding, points, &[1_000_000_000])
    }

    #[test]
    fn the_slope_is_the_number_of_requests_in_turn() {
        let proven = proof(400.0, [400.0; 3], 5.0);
        let (value, low, high) = proven.in_turn.unwrap();
        assert!((value - 400.0).abs() < 1e-6 && low < 400.0 && high > 400.0);
        assert_eq!(proven.state, ProofState::Proven);
        let gain = proven.gain.unwrap();
        assert!(gain.low < 1.0 / 0.6 && gain.high > 1.0 / 0.6, "{gain:?}");
        // Eight at once: an eighth waits.
        assert_eq!(proof(50.0, [400.0; 3], 5.0).state, ProofState::Refuted);
        // It overlaps what was predicted, and much else.
        assert_eq!(proof(400.0, [400.0; 3], 200.0).state, ProofState::Undecided);
        // Nothing can be seen through the noise.
        assert_eq!(
            proof(200.0, [400.0; 3], 2000.0).state,
            ProofState::Undecided
        );
    }

    #[test]
    fn a_program_that_does_something_else_each_time_is_not_judged() {
        let differs = proof(400.0, [400.0, 400.0, 300.0], 5.0);
        assert_eq!(differs.statement.id, "why-proof-calls-differ");
        assert_eq!((differs.state, differs.gain), (ProofState::Undecided, None));
        // Time that the calls cannot have taken.
        assert_eq!(
            proof(600.0, [400.0; 3], 5.0).statement.id,
            "why-proof-too-steep"
        );
        assert_eq!(proof(0.0, [0.0; 3], 5.0).statement.id, "why-proof-no-calls");
    }
}
