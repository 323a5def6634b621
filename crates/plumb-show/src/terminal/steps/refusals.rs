//! Which requested engine features were not available, in particular on shares and peers? Each reason once, on its own line: why `auto` chose otherwise.

use plumb_model::results::summary::StepSummary;
use plumb_model::statement::Statement;

use super::super::layout::wrapped;
use super::super::{Page, Tone};

/// Most reasons shown; the report has all.
const REASONS_MAX: usize = 4;

pub(super) fn refusals(steps: &[&StepSummary], page: Page) -> String {
    let mut reasons: Vec<&Statement> = Vec::new();
    for record in steps.iter().filter_map(|step| step.engine_record.as_ref()) {
        // For local targets only unavailable engines: others have findings, or do not affect figures.
        let is_told = |reason: &&Statement| {
            !record.connection.is_empty() || reason.id == "engine-not-available"
        };
        for reason in record.refused.iter().filter(is_told) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    let more = reasons.len().saturating_sub(REASONS_MAX);
    let more = (more > 0)
        .then(|| Statement::new("terminal-more-in-the-report").count("count", more as u64));
    let line = |reason: &Statement| {
        let statement = Statement::new("terminal-not-in-force").part("reason", reason.clone());
        let text = wrapped(&page.words.sentence(&statement), "", "  ", page.width);
        page.tone(Tone::Warning, text.trim_end()) + "\n"
    };
    reasons
        .into_iter()
        .take(REASONS_MAX)
        .chain(&more)
        .map(line)
        .collect()
}
