//! How is an interval written? One line of JSON with short names and packed histograms; lines of the first format, with long names, are read as well.
//!
//! | name | is | left out when |
//! |---|---|---|
//! | `e` | execution | |
//! | `j` | job | 0 |
//! | `p` | phase | `measure` |
//! | `t` | start in nanoseconds since the start of the run, and length | |
//! | `k` | by kind: `o` kind of operation, `n` operations, `b` bytes, `x` errors, `s` service times, `r` response times | `b`: 0; `x`: none; `r`: closed loop |
//! | `l` | lateness of an open loop | closed loop |
//! | `q` | backlog of an open loop | closed loop |
//! | `w` | by worker: number, operations, bytes, user and system time in nanoseconds, voluntary and involuntary switches, time waited for a CPU; `null` where unknown | |
//!
//! Histograms are texts: see [`Histogram::packed`].

use std::collections::BTreeMap;

use plumb_model::histogram::Histogram;
use plumb_model::operation::OperationKind;
use plumb_model::tick::{KindTick, Phase, Tick, WorkerTick};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Line {
    e: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    j: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    p: Option<Phase>,
    t: (u64, u64),
    k: Vec<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    l: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    q: Option<u64>,
    w: Vec<Worker>,
}

#[derive(Serialize, Deserialize)]
struct Kind {
    o: OperationKind,
    n: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    b: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    x: BTreeMap<String, u64>,
    s: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    r: Option<String>,
}

/// Number, operations, bytes, CPU time in user and kernel mode, voluntary and involuntary switches, time waited for a CPU.
type Worker = (u32, u64, u64, Option<u64>, Option<u64>, Option<u64>, Option<u64>, Option<u64>);

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What is written of an interval.
pub(crate) fn line(tick: &Tick) -> impl Serialize + use<> {
    // Whoever adds a field decides here how it is recorded.
    let Tick { execution, job, phase, start_ns, end_ns, kinds, lateness, backlog, workers } = tick;
    let kind = |kind: &KindTick| {
        let KindTick { kind, count, bytes, errors, service, response } = kind;
        let response = response.as_ref().map(Histogram::packed);
        Kind { o: *kind, n: *count, b: *bytes, x: errors.clone(), s: service.packed(), r: response }
    };
    let worker = |account: &WorkerTick| {
        let WorkerTick {
            worker,
            operations,
            bytes,
            cpu_user_ns,
            cpu_system_ns,
            voluntary_switches,
            involuntary_switches,
            waited_for_cpu_ns,
        } = *account;
        (worker, operations, bytes, cpu_user_ns, cpu_system_ns, voluntary_switches, involuntary_switches, waited_for_cpu_ns)
    };
    Line {
        e: *execution,
        j: u64::from(*job),
        p: Some(*phase).filter(|phase| *phase != Phase::Measure),
        t: (*start_ns, end_ns.saturating_sub(*start_ns)),
        k: kinds.iter().map(kind).collect(),
        l: lateness.as_ref().map(Histogram::packed),
        q: *backlog,
        w: workers.iter().map(worker).collect(),
    }
}

/// The interval of a line. Errors: what is wrong with the line.
pub(crate) fn parse(line: &[u8]) -> Result<Tick, String> {
    // Of the first format; its names are those of `Tick`.
    if line.starts_with(b"{\"execution\"") {
        return serde_json::from_slice(line).map_err(|error| error.to_string());
    }
    let Line { e, j, p, t, k, l, q, w } = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let kind = |Kind { o, n, b, x, s, r }| -> Result<KindTick, String> {
        let response = r.as_deref().map(Histogram::unpacked).transpose()?;
        Ok(KindTick { kind: o, count: n, bytes: b, errors: x, service: Histogram::unpacked(&s)?, response })
    };
    let worker =
        |(worker, operations, bytes, cpu_user_ns, cpu_system_ns, voluntary_switches, involuntary_switches, waited_for_cpu_ns): Worker| {
            WorkerTick {
                worker,
                operations,
                bytes,
                cpu_user_ns,
                cpu_system_ns,
                voluntary_switches,
                involuntary_switches,
                waited_for_cpu_ns,
            }
        };
    // Collected where a line may be refused, they would take room for four of each: too much where there are many intervals.
    let mut kinds = Vec::with_capacity(k.len());
    k.into_iter().try_for_each(|of| kind(of).map(|kind| kinds.push(kind)))?;
    let mut workers = Vec::with_capacity(w.len());
    workers.extend(w.into_iter().map(worker));
    Ok(Tick {
        execution: e,
        job: u32::try_from(j).map_err(|_| "there is no such job")?,
        phase: p.unwrap_or(Phase::Measure),
        start_ns: t.0,
        end_ns: t.0.checked_add(t.1).ok_or("the interval has no end")?,
        kinds,
        lateness: l.as_deref().map(Histogram::unpacked).transpose()?,
        backlog: q,
        workers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::synthetic::{Builder, Interval, ladder};

    #[test]
    fn an_interval_comes_back_from_both_formats() {
        let mut steps = ladder("read:1,write:1", &[4]);
        let second = steps[0].jobs[0].clone();
        steps[0].jobs.push(second);
        steps[0].jobs[1].workload.rate = Some(500.0);
        let mut builder = Builder::new(steps);
        let warm = Interval { phase: Phase::WarmUp, errors: vec![("EIO", 2)], backlog: Some(7), ..Interval::default() };
        builder.execute(0, 0, &[warm, Interval { iops: 0.0, ..Interval::default() }, Interval::default()]);
        builder.run.ticks[0].workers[0].cpu_user_ns = None;
        builder.run.ticks.iter_mut().for_each(|tick| tick.kinds.retain(|kind| kind.count > 0));
        assert_eq!(builder.run.ticks.len(), 6);
        for tick in &builder.run.ticks {
            let new = serde_json::to_string(&line(tick)).expect("JSON");
            let old = serde_json::to_string(tick).expect("JSON");
            assert_eq!(parse(new.as_bytes()).as_ref(), Ok(tick), "{new}");
            assert_eq!(parse(old.as_bytes()).as_ref(), Ok(tick), "{old}");
            assert!(new.len() * 2 < old.len(), "{new}\n{old}");
        }
    }
}
