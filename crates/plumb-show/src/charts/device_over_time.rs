//! Did the device process the I/O of plumb? Its own counters next to plumb's counts.

use plumb_model::statement::Statement;

use crate::chart::{
    Chart, Subject, any_value, line_name, rate_scale, span_marks, time_axis, timed_lines,
    timed_table,
};
use crate::figure::{Axis, Figure, Hues, Naming, Quantity, Scale, Stroke};

pub const CHART: Chart = Chart {
    name: "device_over_time",
    question: "Did the device see what we asked for?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let (device, over_time) = (&subject.plots.device_iops, &subject.plots.over_time);
    if !any_value(&device.iter().collect::<Vec<_>>()) {
        return None;
    }
    // Operations on files by name reach the device as other requests: only blocks are comparable.
    let mut ours: Vec<_> = over_time
        .iops
        .iter()
        .filter(|line| line.name == "read" || line.name == "write")
        .cloned()
        .collect();
    for line in &mut ours {
        line.statement = Some(if line.name == "read" {
            Statement::new("label-plumbs-reads")
        } else {
            Statement::new("label-plumbs-writes")
        });
    }
    let mut hues = Hues::default();
    // The device's counters cover the entire run: no breaks between steps. Plumb's lines are on top, else they would be hidden where both agree.
    let asked = timed_lines(&ours, &over_time.spans, Stroke::Dashed, &mut hues, words);
    let mut drawn = timed_lines(device, &[], Stroke::Solid, &mut hues, words);
    drawn.extend(asked);
    let (scale, stalls) = rate_scale(&drawn);
    let label = if scale == Scale::Linear {
        "label-operations-per-second"
    } else {
        "label-operations-per-second-logarithmic"
    };
    let names: Vec<String> = device.iter().map(|line| line_name(line, words)).collect();
    Some(Figure {
        name: CHART.name,
        title: words.label("label-device-count"),
        caption: words.captions([Some("label-device-count-caption"), stalls]),
        x: time_axis(words),
        y: Axis {
            label: words.label(label),
            quantity: Quantity::OperationsPerSecond,
            scale,
        },
        marks: span_marks(&over_time.spans, words).chain(drawn).collect(),
        naming: Naming::Legend,
        alternative: words
            .sentence(&Statement::new("chart-device-alternative").name("kinds", names.join(", "))),
        table: timed_table(
            words,
            &device.iter().collect::<Vec<_>>(),
            Quantity::OperationsPerSecond,
        ),
    })
}
