//! What are the figures of one round of a step?

use plumb_model::results::summary::RoundSummary;
use plumb_model::run::tick::Phase;

use crate::figures::executions::Execution;
use crate::figures::reported::{self, Scope};
use crate::figures::tally::Kinds;

/// The figures of one round.
pub(crate) fn round_summary(execution: &Execution) -> RoundSummary {
    let mut kinds = Kinds::default();
    for tick in execution
        .ticks
        .iter()
        .filter(|tick| tick.phase != Phase::WarmUp)
    {
        kinds.add(tick, execution.in_rates(tick));
    }
    let total = kinds.total();
    let duration_s = execution.duration_ns() as f64 / 1e9;
    let mut figures = total.summary(duration_s);
    reported::complete(
        &mut figures,
        Scope {
            runs: &[execution],
            job: None,
            kind: None,
        },
    );
    RoundSummary {
        round: execution.round,
        execution: execution.index,
        duration_s,
        operations: figures.count,
        errors: figures.errors,
        iops: figures.iops,
        bandwidth_bytes_per_s: figures.bandwidth_bytes_per_s,
        response_mean_ns: figures.response_ns.mean,
        response_p50_ns: figures.response_ns.p50,
        response_p99_ns: figures.response_ns.p99,
        left_out: false,
    }
}
