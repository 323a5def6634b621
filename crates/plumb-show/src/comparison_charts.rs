//! Which charts of a comparison exist? The list, in the order of the report.

mod effects;
mod ladders;
mod percentiles_of_sides;
mod round_after_round;
mod rounds;

use crate::comparison_chart::ComparisonChart;

/// Every chart of a comparison.
pub const COMPARISON_CHARTS: &[&ComparisonChart] = &[
    &effects::CHART,
    &rounds::CHART,
    &ladders::CHART,
    &percentiles_of_sides::CHART,
    &round_after_round::CHART,
];
