//! How is a rate drawn over time, a line for each kind of operation?

use plumb_model::results::series::Series;
use plumb_model::statement::Statement;

use crate::chart::{
    Subject, any_value, rate_scale, span_marks, time_axis, timed_lines, timed_table,
};
use crate::figure::{Axis, Figure, Hues, Naming, Quantity, Scale, Stroke};

/// What the chart says of its rate. Of labels their identifiers.
pub(crate) struct Rate {
    pub name: &'static str,
    pub quantity: Quantity,
    pub title: &'static str,
    pub caption: &'static str,
    /// The axis, linear and logarithmic.
    pub axis: [&'static str; 2],
    /// By the names of the lines and the number of spans.
    pub alternative: fn(String, u64) -> Statement,
}

/// Nothing where no line has a value.
pub(crate) fn rate_over_time(subject: &Subject, series: &[Series], rate: Rate) -> Option<Figure> {
    let (words, spans) = (subject.words, &subject.plots.over_time.spans);
    let lines: Vec<_> = series.iter().collect();
    if !any_value(&lines) {
        return None;
    }
    let drawn = timed_lines(series, spans, Stroke::Solid, &mut Hues::default(), words);
    let (scale, stalls) = rate_scale(&drawn);
    let [linear, logarithmic] = rate.axis;
    let label = if scale == Scale::Linear {
        linear
    } else {
        logarithmic
    };
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    Some(Figure {
        name: rate.name,
        title: words.label(rate.title),
        caption: words.captions([Some(rate.caption), stalls]),
        x: time_axis(words),
        y: Axis {
            label: words.label(label),
            quantity: rate.quantity,
            scale,
        },
        marks: span_marks(spans, words).chain(drawn).collect(),
        naming: Naming::Legend,
        alternative: words.sentence(&(rate.alternative)(names.join(", "), spans.len() as u64)),
        table: timed_table(words, &lines, rate.quantity),
    })
}
