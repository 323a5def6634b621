//! How many bytes per second moved over time? Drawn if block sizes differ, because operations per second then mean little.

use plumb_model::statement::Statement;
use plumb_model::workload::BlockSizes;

use crate::chart::rate_over_time::{Rate, rate_over_time};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "bandwidth_over_time",
    question: "How many bytes per second moved over time?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let blocks: Vec<&BlockSizes> = subject
        .summary
        .plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .map(|job| &job.workload.block)
        .collect();
    let differ = blocks
        .iter()
        .any(|block| block.0.len() > 1 || block.0.iter().any(|(block, _)| block.only().is_none()))
        || blocks.windows(2).any(|pair| pair[0] != pair[1]);
    if !differ {
        return None;
    }
    let rate = Rate {
        name: CHART.name,
        quantity: Quantity::Bandwidth,
        title: "label-bandwidth-over-time",
        caption: "label-bandwidth-over-time-caption",
        axis: ["label-bandwidth", "label-bandwidth-logarithmic"],
        alternative: |kinds, count| {
            Statement::new("chart-bandwidth-over-time-alternative")
                .name("kinds", kinds)
                .count("count", count)
        },
    };
    rate_over_time(subject, &subject.plots.over_time.bandwidth, rate)
}
