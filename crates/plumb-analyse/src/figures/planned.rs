//! Which step of the plan does a summary belong to?

use plumb_model::plan::Step;
use plumb_model::results::summary::{StepSummary, Summary};

/// The step of the plan that a summary belongs to.
pub(crate) fn step_of<'a>(summary: &'a Summary, step: &StepSummary) -> Option<&'a Step> {
    summary.plan.steps.get(step.step as usize)
}
