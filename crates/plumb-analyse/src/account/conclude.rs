//! What follows from a recording of a program and the account of its time?

use plumb_model::explain::account::{TimeAccount, WHY_SCHEMA, Why};
use plumb_model::run::watch::CommandEnd;
use plumb_model::statement::{Statement, Unit};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::summary::TraceSummary;

use super::devices::devices;
use super::what_if::{verdict, what_if};

/// Share of the events that may be lost.
const LOST_MAX: f64 = 0.005;

/// How often threads were looked at, and how far a share may be off for that alone: the standard error of a half, at 90 %.
fn sampled(facts: &TraceFacts, account: &TimeAccount) -> Option<Statement> {
    if facts.format != "samples" || facts.records == 0 {
        return None;
    }
    let looks = facts.records as f64;
    Some(
        Statement::new("why-sampled")
            .count("looks", facts.records)
            .quantity("each", account.span_ns as f64 / looks, Unit::Nanoseconds)
            .percent("error", (1.645 * 50.0 / looks.sqrt()).min(100.0)),
    )
}

/// The verdict and the findings, with what the recording does not show. `account` is missing where the recording has no times of threads.
pub fn conclude(
    trace: &TraceSummary,
    account: Option<TimeAccount>,
    end: Option<CommandEnd>,
) -> Why {
    let facts = trace.recorded.as_ref();
    let account = account.map(|account| TimeAccount {
        devices: devices(&account, facts.map_or(&[], |facts| &facts.devices)),
        memory_limits: facts.map_or_else(Vec::new, |facts| facts.memory_limits.clone()),
        io_limits: facts.map_or_else(Vec::new, |facts| facts.io_limits.clone()),
        ..account
    });
    let lost = facts.filter(|facts| {
        let lost = facts.lost + facts.damaged;
        lost as f64 > LOST_MAX * facts.records as f64
    });
    let (verdict, findings) = match (&account, lost) {
        (None, _) => (Statement::new("why-no-account"), Vec::new()),
        (Some(_), Some(facts)) => (
            Statement::new("why-lost")
                .count("lost", facts.lost + facts.damaged)
                .count("all", facts.records),
            Vec::new(),
        ),
        (Some(account), None) => (verdict(account), what_if(account)),
    };
    let mut doubts = trace.doubts.clone();
    doubts.extend(
        facts
            .zip(account.as_ref())
            .and_then(|(facts, account)| sampled(facts, account)),
    );
    if let Some(cut) = account.as_ref().filter(|account| account.is_cut) {
        doubts.push(Statement::new("why-cut").quantity(
            "span",
            cut.span_ns as f64,
            Unit::Nanoseconds,
        ));
    }
    Why {
        schema: WHY_SCHEMA.to_string(),
        plumb_version: trace.plumb_version.clone(),
        source: trace.source.clone(),
        end,
        account,
        verdict,
        findings,
        doubts,
        proof: None,
        against: None,
    }
}
