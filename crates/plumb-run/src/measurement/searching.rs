//! How is a search carried out? Step by step, each chosen by the results of those before it, from the record.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use plumb_analyse::limit_kept;
use plumb_model::plan::Plan;
use plumb_model::statement::Statement;
use plumb_record::read_run;

use super::load_state::Outlook;
use super::ongoing::Ongoing;
use super::rate_search::RateSearch;

/// Runs the steps that `search` requests, until it is done, its time is over, a step cannot run, or a stop is requested.
///
/// Errors: the record cannot be read.
pub fn carry_out(
    ongoing: &mut Ongoing<'_>,
    plan: &Plan,
    mut search: RateSearch,
    folder: &Path,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    while let Some((step, round)) = search.next() {
        let spent_s = ongoing.record.clock().now_ns() as f64 / 1e9;
        if stop.load(Ordering::Relaxed) || spent_s >= search.most_s {
            break;
        }
        ongoing.record.look_ahead(Outlook {
            side: String::new(),
            standing: standing(plan, &search),
            comparison: None,
            rounds: plan.rounds,
            spent_s,
            most_s: search.most_s,
            reported_s: spent_s,
        });
        ongoing.execute(step, round);
        // What cannot run at one rate cannot at another.
        if !ongoing.failures().is_empty() || stop.load(Ordering::Relaxed) {
            break;
        }
        // With too few completed operations the rate was not sustained.
        let kept = limit_kept(&read_run(folder)?, step as u32, round).unwrap_or(false);
        search.take(step, kept);
    }
    Ok(())
}

fn standing(plan: &Plan, search: &RateSearch) -> Option<Statement> {
    let border = search.border();
    let rate = |step: Option<usize>| {
        let step = plan.steps.get(step?)?;
        step.jobs.first()?.workload.rate
    };
    match (rate(border.kept), rate(border.missed)) {
        (Some(kept), Some(missed)) => Some(
            Statement::new("search-between")
                .number("kept", kept)
                .number("missed", missed),
        ),
        (Some(kept), None) => Some(Statement::new("search-kept").number("kept", kept)),
        (None, Some(missed)) => Some(Statement::new("search-missed").number("missed", missed)),
        (None, None) => None,
    }
}
