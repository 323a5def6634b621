//! How is an interval written? One line of JSON with short names and packed histograms; lines of the first format, with long names, can be read too.
//!
//! | name | is | left out when |
//! |---|---|---|
//! | `e` | execution | |
//! | `j` | job | 0 |
//! | `p` | phase | `measure` |
//! | `t` | start in nanoseconds since the start of the run, and length | |
//! | `k` | by kind: `o` kind of operation, `n` operations, `b` bytes, `x` errors, `s` service times, `r` response times, `u` until submissions were accepted, `c` from there to the end, `a` by priority: number, service times, response times, from acceptance to the end | `b`: 0; `x`: none; `r`: closed loop; `u`, `c`: not measured; `a`: one priority |
//! | `l` | lateness of an open loop | closed loop |
//! | `q` | backlog of an open loop | closed loop |
//! | `v` | by worker, numbered from 0: operations, user and system time in microseconds, voluntary and involuntary switches, time waited for a CPU in nanoseconds; `null` where unknown, and for a worker that has none. Each moved as many bytes for an operation as all together, `b` / `n` | workers are written as `w` |
//! | `w` | by worker: number, operations, bytes, user and system time in nanoseconds, voluntary and involuntary switches, time waited for a CPU; `null` where unknown | workers are written as `v`, or there are none |
//! | `h` | common record of many ranks: how many ranks' work it is, and the number of the interval in the execution | record of one process |
//!
//! Histograms are strings: see [`Histogram::packed`].

use std::collections::BTreeMap;

use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{
    KindTick, Phase, PriorityTick, RankTick, SplitLatency, Tick, WorkerTick,
};
use plumb_model::workload::operation::OperationKind;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct TickLine {
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    v: Vec<Option<ShortWorker>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    w: Vec<Worker>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    h: Option<(u32, u64)>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    u: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    a: Vec<OfPriority>,
}

/// Priority, service times, response times, from acceptance to the end.
type OfPriority = (u16, String, Option<String>, Option<String>);

/// Number, operations, bytes, CPU time in user and kernel mode, voluntary and involuntary switches, time waited for a CPU.
type Worker = (
    u32,
    u64,
    u64,
    Option<u64>,
    Option<u64>,
    Option<u64>,
    Option<u64>,
    Option<u64>,
);

/// Operations, CPU time in user and kernel mode in microseconds, voluntary and involuntary switches, time waited for a CPU in nanoseconds.
type ShortWorker = (
    u64,
    Option<u64>,
    Option<u64>,
    Option<u64>,
    Option<u64>,
    Option<u64>,
);

/// Bytes of each operation, if all can have moved the same number.
fn bytes_of_each(kinds: impl Iterator<Item = (u64, u64)>) -> Option<u64> {
    let (count, bytes) = kinds.fold((0u64, 0u64), |(count, bytes), (n, b)| {
        (count.saturating_add(n), bytes.saturating_add(b))
    });
    if count == 0 {
        Some(0)
    } else {
        bytes.is_multiple_of(count).then(|| bytes / count)
    }
}

/// Most missing workers between two: each takes five bytes.
const MOST_MISSING: usize = 8;

/// The workers in the short form, if that loses nothing: the kernel reports CPU times in full microseconds (getrusage(2)).
fn in_short(tick: &Tick) -> Option<Vec<Option<ShortWorker>>> {
    let each = bytes_of_each(tick.kinds.iter().map(|kind| (kind.count, kind.bytes)))?;
    let micros = |ns: Option<u64>| match ns {
        Some(ns) => ns.is_multiple_of(1_000).then_some(Some(ns / 1_000)),
        None => Some(None),
    };
    let mut all: Vec<Option<ShortWorker>> = Vec::with_capacity(tick.workers.len());
    for worker in &tick.workers {
        let number = worker.worker as usize;
        if !(all.len()..all.len() + MOST_MISSING).contains(&number)
            || worker.operations.checked_mul(each) != Some(worker.bytes)
        {
            return None;
        }
        all.resize(number, None);
        let (user, system) = (micros(worker.cpu_user_ns)?, micros(worker.cpu_system_ns)?);
        let rest = (
            worker.voluntary_switches,
            worker.involuntary_switches,
            worker.waited_for_cpu_ns,
        );
        all.push(Some((
            worker.operations,
            user,
            system,
            rest.0,
            rest.1,
            rest.2,
        )));
    }
    Some(all)
}

/// The worker with this number; each of its operations moved this many bytes. Errors: impossible figures.
fn in_full(
    number: usize,
    each: u64,
    (operations, user, system, voluntary, involuntary, waited): ShortWorker,
) -> Result<WorkerTick, String> {
    let ns = |micros: Option<u64>| {
        micros
            .map(|micros| micros.checked_mul(1_000).ok_or("a CPU time is too long"))
            .transpose()
    };
    Ok(WorkerTick {
        worker: u32::try_from(number).map_err(|_| "no such worker")?,
        operations,
        bytes: operations
            .checked_mul(each)
            .ok_or("counts more bytes than any machine can move")?,
        cpu_user_ns: ns(user)?,
        cpu_system_ns: ns(system)?,
        voluntary_switches: voluntary,
        involuntary_switches: involuntary,
        waited_for_cpu_ns: waited,
    })
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The recorded form of a kind of operation.
fn kind_line(kind: &KindTick) -> Kind {
    let KindTick {
        kind,
        count,
        bytes,
        errors,
        service,
        response,
        split,
        priorities,
    } = kind;
    let of_priority = |of: &PriorityTick| {
        let packed = |part: &Option<Histogram>| part.as_ref().map(Histogram::packed);
        (
            of.priority,
            of.service.packed(),
            packed(&of.response),
            packed(&of.completion),
        )
    };
    let response = response.as_ref().map(Histogram::packed);
    let split = split.as_ref();
    Kind {
        o: *kind,
        n: *count,
        b: *bytes,
        x: errors.clone(),
        s: service.packed(),
        r: response,
        u: split.map(|split| split.submission.packed()),
        c: split.map(|split| split.completion.packed()),
        a: priorities.iter().map(of_priority).collect(),
    }
}

/// The recorded form of an interval.
pub(crate) fn line(tick: &Tick) -> impl Serialize + use<> {
    // A new field needs a decision here on how it is recorded.
    let Tick {
        execution,
        job,
        phase,
        start_ns,
        end_ns,
        kinds,
        lateness,
        backlog,
        workers,
        ranks,
    } = tick;
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
        (
            worker,
            operations,
            bytes,
            cpu_user_ns,
            cpu_system_ns,
            voluntary_switches,
            involuntary_switches,
            waited_for_cpu_ns,
        )
    };
    let short = in_short(tick);
    TickLine {
        e: *execution,
        j: u64::from(*job),
        p: Some(*phase).filter(|phase| *phase != Phase::Measure),
        t: (*start_ns, end_ns.saturating_sub(*start_ns)),
        k: kinds.iter().map(kind_line).collect(),
        l: lateness.as_ref().map(Histogram::packed),
        q: *backlog,
        w: if short.is_some() {
            Vec::new()
        } else {
            workers.iter().map(worker).collect()
        },
        v: short.unwrap_or_default(),
        h: ranks.map(|of| (of.ranks, of.interval)),
    }
}

/// Errors: a histogram cannot be read.
fn kind_of(of: Kind) -> Result<KindTick, String> {
    let histogram = |packed: Option<String>| packed.as_deref().map(Histogram::unpacked).transpose();
    let parts = histogram(of.u)?.zip(histogram(of.c)?);
    let of_priority = |(priority, service, response, completion): OfPriority| {
        Ok(PriorityTick {
            priority,
            service: Histogram::unpacked(&service)?,
            response: histogram(response)?,
            completion: histogram(completion)?,
        })
    };
    Ok(KindTick {
        kind: of.o,
        count: of.n,
        bytes: of.b,
        errors: of.x,
        service: Histogram::unpacked(&of.s)?,
        response: histogram(of.r)?,
        split: parts.map(|(submission, completion)| SplitLatency {
            submission,
            completion,
        }),
        priorities: of
            .a
            .into_iter()
            .map(of_priority)
            .collect::<Result<_, String>>()?,
    })
}

/// The interval of a line. Errors: what is wrong with the line.
pub(crate) fn parse(line: &[u8]) -> Result<Tick, String> {
    // First format, with the names of `Tick`.
    if line.starts_with(b"{\"execution\"") {
        return serde_json::from_slice(line).map_err(|error| error.to_string());
    }
    let TickLine {
        e,
        j,
        p,
        t,
        k,
        l,
        q,
        v,
        w,
        h,
    } = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let worker = |(
        worker,
        operations,
        bytes,
        cpu_user_ns,
        cpu_system_ns,
        voluntary_switches,
        involuntary_switches,
        waited_for_cpu_ns,
    ): Worker| {
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
    // Collecting fallibly would reserve room for four of each: too much for many intervals.
    let mut kinds = Vec::with_capacity(k.len());
    k.into_iter()
        .try_for_each(|of| kind_of(of).map(|kind| kinds.push(kind)))?;
    let mut workers = Vec::with_capacity(v.len().max(w.len()));
    workers.extend(w.into_iter().map(worker));
    if !v.is_empty() {
        let each = bytes_of_each(kinds.iter().map(|kind: &KindTick| (kind.count, kind.bytes)))
            .ok_or("a block size is too large")?;
        let known = v
            .into_iter()
            .enumerate()
            .filter_map(|(number, short)| Some((number, short?)));
        known
            .map(|(number, short)| in_full(number, each, short))
            .try_for_each(|full| full.map(|full| workers.push(full)))?;
    }
    Ok(Tick {
        execution: e,
        job: u32::try_from(j).map_err(|_| "no such job")?,
        phase: p.unwrap_or(Phase::Measure),
        start_ns: t.0,
        end_ns: t.0.checked_add(t.1).ok_or("the interval has no end")?,
        kinds,
        lateness: l.as_deref().map(Histogram::unpacked).transpose()?,
        backlog: q,
        workers,
        ranks: h.map(|(ranks, interval)| RankTick { ranks, interval }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::synthetic::{Builder, Interval, ladder};

    #[test]
    fn an_interval_comes_back_from_all_formats() {
        let mut steps = ladder("read:1,write:1", &[4]);
        let second = steps[0].jobs[0].clone();
        steps[0].jobs.push(second);
        steps[0].jobs[1].workload.rate = Some(500.0);
        let mut builder = Builder::new(steps);
        let warm = Interval {
            phase: Phase::WarmUp,
            errors: vec![("EIO", 2)],
            backlog: Some(7),
            ..Interval::default()
        };
        builder.execute(
            0,
            0,
            &[
                warm,
                Interval {
                    iops: 0.0,
                    ..Interval::default()
                },
                Interval::default(),
            ],
        );
        builder.run.ticks[0].workers[0].cpu_user_ns = None;
        builder
            .run
            .ticks
            .iter_mut()
            .for_each(|tick| tick.kinds.retain(|kind| kind.count > 0));
        assert_eq!(builder.run.ticks.len(), 6);
        for tick in &mut builder.run.ticks {
            tick.workers
                .iter_mut()
                .for_each(|worker| worker.bytes = worker.operations * 4096);
        }
        // One whose figures do not fit the short form.
        let changed = |change: fn(&mut WorkerTick)| {
            let mut odd = builder.run.ticks[1].clone();
            change(&mut odd.workers[0]);
            odd
        };
        let odd = [
            changed(|worker| worker.cpu_user_ns = Some(1_001)),
            changed(|worker| worker.bytes += 1),
            changed(|worker| worker.worker = 70),
        ]
        .to_vec();
        let others = [
            changed(|worker| worker.worker = 3),
            changed(|worker| worker.waited_for_cpu_ns = Some(17)),
        ];
        for tick in builder.run.ticks.iter().chain(&odd).chain(&others) {
            let text = serde_json::to_string(&line(tick)).expect("JSON");
            assert_eq!(text.contains("\"w\""), odd.contains(tick), "{text}");
            assert_eq!(parse(text.as_bytes()).as_ref(), Ok(tick), "{text}");
        }
        // A line of format 2.
        let second = r##"{"e":0,"j":6,"t":[30845325127,10000000],"k":[{"o":"read","n":5,"b":20480,"s":"2701 502 611 AChe3yc__8","r":"287904 39054 74532 ACkmH__-NDDTeg"}],"l":"285203 38511 74030 ACkln__-NDDSew","q":0,"w":[[0,5,20480,46001,null,5,0,427438]]}"##;
        let second = parse(second.as_bytes()).expect("an interval");
        assert_eq!(
            (
                second.workers[0].cpu_user_ns,
                second.workers[0].cpu_system_ns,
                second.job
            ),
            (Some(46_001), None, 6)
        );
        assert_eq!(
            (
                second.kinds[0].service.count(),
                second.kinds[0].service.sum_ns()
            ),
            (5, 2701)
        );
        for tick in &builder.run.ticks {
            let new = serde_json::to_string(&line(tick)).expect("JSON");
            let old = serde_json::to_string(tick).expect("JSON");
            assert_eq!(parse(new.as_bytes()).as_ref(), Ok(tick), "{new}");
            assert_eq!(parse(old.as_bytes()).as_ref(), Ok(tick), "{old}");
            assert!(new.len() * 2 < old.len(), "{new}\n{old}");
        }
    }
}
