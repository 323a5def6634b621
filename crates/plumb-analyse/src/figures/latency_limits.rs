//! Did the required share of operations meet the latency limit? Judged by round: a result that the next round contradicts is undecided.

use plumb_model::plan::Step;
use plumb_model::results::summary::{LimitRound, LimitSummary, LimitVerdict};
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::Phase;
use plumb_model::workload::OperationKind;

use crate::figures::executions::{Execution, executions, left_out};
use crate::figures::tally::flushes_apart;

/// The jobs of a step that have a limit. Rounds that did not run to their end are left out.
pub(crate) fn limits(step: &Step, runs: &[&Execution]) -> Vec<LimitSummary> {
    let complete: Vec<&Execution> = runs
        .iter()
        .copied()
        .filter(|execution| left_out(execution).is_none())
        .collect();
    let of_job = |(number, job): (usize, &plumb_model::workload::Job)| {
        let limit_ns = job.workload.latency_limit?.0;
        let percentile = job.workload.latency_limit_percentile.unwrap_or(100.0);
        let rounds: Vec<LimitRound> = complete
            .iter()
            .map(|execution| round(execution, number as u32, limit_ns, percentile))
            .collect();
        let all =
            |kept: bool| !rounds.is_empty() && rounds.iter().all(|round| round.kept == Some(kept));
        let verdict = match (all(true), all(false)) {
            (true, _) => LimitVerdict::Kept,
            (_, true) => LimitVerdict::Missed,
            _ => LimitVerdict::Undecided,
        };
        Some(LimitSummary {
            job: job.name.clone(),
            limit_ns: limit_ns as f64,
            percentile,
            verdict,
            rounds,
        })
    };
    step.jobs.iter().enumerate().filter_map(of_job).collect()
}

/// Whether this step's first job kept its limit in this round of what is recorded so far; `None` where it did not run to its end or too little ended to
/// tell.
pub fn limit_kept(run: &Run, step: u32, round: u32) -> Option<bool> {
    let (executions, _) = executions(run);
    let of_step: Vec<&Execution> = executions
        .iter()
        .filter(|execution| execution.step == step)
        .collect();
    let limits = limits(run.header.plan.steps.get(step as usize)?, &of_step);
    let rounds = &limits.first()?.rounds;
    rounds.iter().find(|of| of.round == round)?.kept
}

fn round(execution: &Execution, job: u32, limit_ns: u64, percentile: f64) -> LimitRound {
    let mut response = Histogram::default();
    let mut failed = 0u64;
    let ticks = || {
        let ticks = execution.ticks.iter().copied();
        ticks.filter(|tick| tick.job == job && tick.phase != Phase::WarmUp)
    };
    // As in the total figures, and in fio's latency_target: flushes among other operations are separate.
    let apart = flushes_apart(ticks());
    for kind in ticks()
        .flat_map(|tick| &tick.kinds)
        .filter(|kind| !apart || kind.kind != OperationKind::Flush)
    {
        response.merge(kind.response.as_ref().unwrap_or(&kind.service));
        failed += kind.errors.values().sum::<u64>();
    }
    let operations = response.count() + failed;
    let within = response.count_within(limit_ns);
    let requested = (percentile / 100.0 * operations as f64).ceil() as u64;
    let reached_ns = if requested == operations {
        response.max_ns().filter(|_| failed == 0)
    } else {
        response.ranked_ns(requested.max(1))
    };
    // If the required share leaves room for less than one operation, neither one nor no late operation decides it.
    let room = (1.0 - percentile / 100.0) * operations as f64;
    let tells = operations > 0 && (percentile == 100.0 || room >= 0.999 || operations - within > 1);
    LimitRound {
        round: execution.round,
        operations,
        within_percent: (operations > 0).then(|| 100.0 * within as f64 / operations as f64),
        reached_ns: reached_ns.map(|ns| ns as f64),
        kept: tells.then_some(within >= requested),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::{figures, summarise};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::units::Nanos;

    /// Depths with the median latency in microseconds of each round: 1 % takes ten times as long, 0.1 % fifty times.
    fn run(percentile: Option<f64>, iops: f64, depths: &[(u32, &[f64])]) -> Run {
        let mut steps = ladder(
            "read",
            &depths.iter().map(|(depth, _)| *depth).collect::<Vec<_>>(),
        );
        for workload in steps
            .iter_mut()
            .flat_map(|step| &mut step.jobs)
            .map(|job| &mut job.workload)
        {
            (workload.latency_limit, workload.latency_limit_percentile) =
                (Some(Nanos(2_000_000)), percentile);
        }
        let mut builder = Builder::new(steps);
        for round in 0..depths[0].1.len() {
            for (number, (_, latencies_us)) in depths.iter().enumerate() {
                let latency_ns = 1000.0 * latencies_us[round];
                builder.execute(
                    number as u32,
                    round as u32,
                    &[Interval {
                        iops,
                        latency_ns,
                        ..Interval::default()
                    }],
                );
            }
        }
        builder.finish()
    }

    fn verdicts(run: &Run) -> Vec<LimitVerdict> {
        figures(run)
            .steps
            .iter()
            .map(|step| step.latency_limits[0].verdict)
            .collect()
    }

    use LimitVerdict::{Kept, Missed, Undecided};

    #[test]
    fn each_round_must_keep_it() {
        // 99 % are at the median, so that 99.5 % are at ten times of it: 2 ms is kept up to 200 us.
        let rounds: &[(u32, &[f64])] = &[
            (1, &[100.0, 110.0]),
            (2, &[190.0, 210.0]),
            (4, &[400.0, 390.0]),
        ];
        assert_eq!(
            verdicts(&run(Some(99.5), 10_000.0, rounds)),
            [Kept, Undecided, Missed]
        );
        assert_eq!(
            verdicts(&run(Some(90.0), 10_000.0, rounds)),
            [Kept, Kept, Kept]
        );
        assert_eq!(
            verdicts(&run(None, 10_000.0, &[(1, &[39.0]), (2, &[41.0])])),
            [Kept, Missed],
            "the longest takes fifty times the median"
        );
    }

    #[test]
    fn the_figures_are_those_of_the_histogram() {
        let found = figures(&run(Some(99.5), 10_000.0, &[(1, &[400.0])]));
        let round = &found.steps[0].latency_limits[0].rounds[0];
        assert_eq!(
            (round.operations, round.within_percent, round.kept),
            (10_000, Some(99.0), Some(false))
        );
        assert!(
            round
                .reached_ns
                .is_some_and(|ns| (ns / 4_000_000.0 - 1.0).abs() < 0.004),
            "{round:?}"
        );
    }

    #[test]
    fn failed_operations_did_not_end_within_it() {
        let mut broken = run(Some(99.5), 10_000.0, &[(1, &[100.0])]);
        assert_eq!(verdicts(&broken), [Kept]);
        broken.ticks[0].kinds[0].errors.insert("EIO".into(), 60);
        assert_eq!(verdicts(&broken), [Missed]);
        broken.ticks[0].kinds[0].errors.insert("EIO".into(), 20_000);
        assert_eq!(
            figures(&broken).steps[0].latency_limits[0].rounds[0].reached_ns,
            None
        );
    }

    #[test]
    fn too_few_operations_tell_nothing() {
        // 100 operations, one of which takes ten times the median.
        assert_eq!(
            verdicts(&run(
                Some(99.9),
                100.0,
                &[(1, &[100.0]), (2, &[400.0]), (4, &[3000.0])]
            )),
            [Undecided, Undecided, Missed]
        );
        assert_eq!(
            verdicts(&run(None, 100.0, &[(1, &[30.0]), (2, &[400.0])])),
            [Kept, Missed],
            "of all of them it is known"
        );
        let nothing = figures(&run(None, 0.0, &[(1, &[100.0])]));
        let limit = &nothing.steps[0].latency_limits[0];
        assert_eq!(
            (
                limit.verdict,
                limit.rounds[0].within_percent,
                limit.rounds[0].reached_ns
            ),
            (Undecided, None, None)
        );
    }

    fn texts(run: &Run) -> Vec<String> {
        let sentences = summarise(run).verdict;
        assert!(
            sentences
                .iter()
                .all(|sentence| !sentence.evidence.is_empty())
        );
        sentences
            .iter()
            .map(crate::english::text)
            .filter(|text| text.contains("within 2 ms"))
            .collect()
    }

    #[test]
    fn a_ladder_names_the_greatest_depth_that_keeps_it() {
        let found = run(
            Some(99.5),
            10_000.0,
            &[(1, &[100.0]), (8, &[170.0]), (16, &[310.0]), (32, &[800.0])],
        );
        assert_eq!(
            texts(&found),
            [
                "Random 4 KiB reads: depth 8 is the largest value at which 99.5 % completed within 2 ms (1.7 ms); at depth 16 it was 3.1 ms."
            ]
        );
        let found = run(None, 10_000.0, &[(1, &[10.0]), (8, &[30.0]), (16, &[50.0])]);
        assert_eq!(
            texts(&found),
            [
                "Random 4 KiB reads: depth 8 is the largest value at which all completed within 2 ms (1.5 ms); at depth 16 it was 2.5 ms."
            ]
        );
        let found = run(Some(99.5), 10_000.0, &[(1, &[100.0]), (2, &[150.0])]);
        assert_eq!(
            texts(&found),
            [
                "Random 4 KiB reads: 99.5 % completed within 2 ms up to the largest value tried, depth 2 (1.5 ms)."
            ]
        );
        let found = run(Some(99.5), 10_000.0, &[(1, &[300.0]), (2, &[500.0])]);
        assert_eq!(
            texts(&found),
            [
                "Random 4 KiB reads: 99.5 % did not complete within 2 ms even at the smallest value tried, depth 1: it was 3.01 ms."
            ]
        );
        let found = run(
            Some(99.5),
            10_000.0,
            &[
                (1, &[100.0, 100.0]),
                (2, &[190.0, 210.0]),
                (4, &[500.0, 500.0]),
            ],
        );
        assert_eq!(
            texts(&found),
            [
                "Random 4 KiB reads: depth 1 is the largest value at which 99.5 % completed within 2 ms (1 ms); at depth 2 it is undecided (1.9 ms to 2.11 ms)."
            ]
        );
        let found = run(
            Some(99.5),
            10_000.0,
            &[(1, &[100.0]), (2, &[300.0]), (4, &[150.0])],
        );
        assert!(
            texts(&found)[0]
                .ends_with("at depth 2 it was 3.01 ms, and at depth 4 the limit was met again."),
            "{:?}",
            texts(&found)
        );
    }

    #[test]
    fn a_step_by_itself_says_so_too() {
        let found = run(Some(99.5), 10_000.0, &[(4, &[100.0])]);
        assert_eq!(
            texts(&found),
            [
                "'random-read depth=4' met its limit of 2 ms: 99.5 % completed within 1 ms (within 2 ms: 99.9 %)."
            ]
        );
        let missed = run(Some(99.5), 10_000.0, &[(4, &[310.0])]);
        assert_eq!(
            texts(&missed),
            [
                "'random-read depth=4' MISSED its limit: 99 % completed within 2 ms, and 99.5 % were required (99.5 % took 3.1 ms)."
            ]
        );
        let rules = |run: &Run| {
            summarise(run)
                .findings
                .iter()
                .filter(|finding| finding.rule == "latency_limit_missed")
                .count()
        };
        assert_eq!((rules(&found), rules(&missed)), (0, 1));
        let few = run(Some(99.9), 100.0, &[(4, &[100.0])]);
        assert_eq!(
            texts(&few),
            [
                "'random-read depth=4': whether 99.9 % complete within 2 ms is undecided: 100 operations are too few to tell."
            ]
        );
    }
}
