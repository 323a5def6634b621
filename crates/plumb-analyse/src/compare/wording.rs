//! How are figures, changes and methods worded without statistics?

use plumb_model::results::comparison::{Cell, ComparedMetric, Design, Effect};
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::workload::OperationKind;

use crate::compare::entrants::Settings;
use crate::phrases::{change, is_factor, phrase, rounded_percent, several, times};

/// A threshold or a confidence as percent, without rounding noise: 5 for 0.05.
pub(super) fn percent_of(part: f64) -> f64 {
    (part * 1e4).round() / 100.0
}

/// A value with its unit, and the name of the figure if the unit does not imply it: `580,000 IOPS`, `p99 1.2 ms`.
pub(super) fn figure(metric: &ComparedMetric, value: f64) -> Argument {
    match metric.unit {
        "bytes/s" => Argument::Quantity {
            value,
            unit: Unit::BytesPerSecond,
        },
        "ns" => phrase(
            Statement::new("figure-and-time")
                .part("figure", metric_name(metric.id))
                .time_ns("time", value),
        ),
        _ => phrase(Statement::new("iops").quantity("rate", value, Unit::PerSecond)),
    }
}

/// The name of a figure: `IOPS`, `p99`.
pub(super) fn metric_name(id: &str) -> Statement {
    match id {
        "iops" => Statement::new("figure-iops"),
        "bandwidth" => Statement::new("figure-bandwidth"),
        "mean" => Statement::new("figure-mean"),
        "cpu" => Statement::new("figure-cpu"),
        _ => Statement::new("figure-percentile"),
    }
    .name("percentile", id)
}

/// `random-read depth=32, p99`, with the kind of operation where the step has several.
pub(super) fn cell_name(cell: &Cell) -> Statement {
    match &cell.kind {
        Some(kind) => Statement::new("step-figure-and-kind").part("operations", operations(kind)),
        None => Statement::new("step-and-figure"),
    }
    .name("step", &cell.step)
    .part("figure", metric_name(&cell.metric))
}

/// Several operations of a kind.
fn operations(kind: &str) -> Statement {
    match kind.parse::<OperationKind>() {
        Ok(kind) => several(kind),
        Err(_) => Statement::new("operations-any"),
    }
}

/// Wording of the size of a change.
enum Size {
    /// This part more.
    More,
    /// This part less.
    Less,
    /// So many times as much.
    Times,
}

/// An effect as a clause: `it completes 12 % fewer operations per second (between 9.1 % and 15 %)`, `its median response time is 26 % longer (between 24 %
/// and 27 %)`. `None` without a ratio.
pub(super) fn effect_in_words(cell: &Cell, effect: &Effect) -> Option<Statement> {
    let ratio = effect.ratio?;
    let (size, amount) = match ratio {
        // 134 times fewer, not 0.00746 times as many.
        _ if is_factor(ratio) && ratio < 1.0 => (Size::Less, times(1.0 / ratio)),
        _ if is_factor(ratio) => (Size::Times, times(ratio)),
        _ if ratio < 1.0 => (Size::Less, percent(1.0 - ratio)),
        _ => (Size::More, percent(ratio - 1.0)),
    };
    let of_kind = cell.kind.as_deref().map(operations);
    let clause = match (cell.metric.as_str(), &of_kind) {
        ("iops", _) => Statement::new(match size {
            Size::More => "completes-more",
            Size::Less => "completes-fewer",
            Size::Times => "completes-times-as-many",
        })
        .part(
            "operations",
            of_kind
                .clone()
                .unwrap_or_else(|| Statement::new("operations-any")),
        ),
        ("bandwidth", None) => Statement::new(match size {
            Size::More => "moves-more",
            Size::Less => "moves-fewer",
            Size::Times => "moves-times-as-many",
        }),
        ("bandwidth", Some(kind)) => Statement::new(match size {
            Size::More => "moves-more-by",
            Size::Less => "moves-fewer-by",
            Size::Times => "moves-times-as-many-by",
        })
        .part("operations", kind.clone()),
        ("cpu", _) => Statement::new(match size {
            Size::More => "needs-more-cpu-time",
            Size::Less => "needs-less-cpu-time",
            Size::Times => "needs-times-as-much-cpu-time",
        }),
        (metric, kind) => Statement::new(match size {
            Size::More => "is-longer",
            Size::Less => "is-shorter",
            Size::Times => "is-times-as-long",
        })
        .part("time", response_time(metric, kind.as_ref())),
    }
    .with("amount", amount)
    .part("interval", interval(ratio, effect.interval));
    Some(clause)
}

fn percent(part: f64) -> Argument {
    Argument::Quantity {
        value: rounded_percent(part),
        unit: Unit::Percent,
    }
}

/// `its median response time`, `the 99th percentile of its reads`.
fn response_time(metric: &str, kind: Option<&Statement>) -> Statement {
    let percentile = metric.trim_start_matches('p');
    match (metric, kind) {
        ("mean", None) => Statement::new("its-mean"),
        ("p50", None) => Statement::new("its-median"),
        (_, None) => Statement::new("its-percentile").name("percentile", percentile),
        ("mean", Some(kind)) => Statement::new("mean-of-its").part("operations", kind.clone()),
        ("p50", Some(kind)) => Statement::new("median-of-its").part("operations", kind.clone()),
        (_, Some(kind)) => Statement::new("percentile-of-its")
            .name("percentile", percentile)
            .part("operations", kind.clone()),
    }
}

/// The interval of a change in brackets, the end that is nearer to no change first.
fn interval(ratio: f64, interval: Option<(f64, f64)>) -> Statement {
    let Some((low, high)) = interval else {
        return Statement::new("none");
    };
    let is_lower = ratio < 1.0;
    if is_factor(ratio) && (low < 1.0) == (high < 1.0) {
        let (near, far) = match is_lower {
            true => (1.0 / high, 1.0 / low),
            false => (low, high),
        };
        return Statement::new("between-times")
            .number("low", near)
            .number("high", far);
    }
    let (first, second) = match (low < 1.0, high < 1.0) {
        (true, false) => (change(low), change(high)),
        _ if is_factor(low) || is_factor(high) => (change(low), change(high)),
        (true, true) => (percent(1.0 - high), percent(1.0 - low)),
        (false, _) => (percent(low - 1.0), percent(high - 1.0)),
    };
    Statement::new("between-changes")
        .with("low", first)
        .with("high", second)
}

/// What was done, one sentence each, with its source.
pub(super) fn method(design: Design, settings: &Settings, tested: u32) -> Vec<Statement> {
    let confidence = percent_of(settings.confidence);
    vec![
        Statement::new("method-unit"),
        Statement::new("method-values"),
        Statement::new(match design {
            Design::Independent => "method-independent",
            Design::Blocks => "method-blocks",
        })
        .percent("confidence", confidence),
        Statement::new("method-holm").count("tested", u64::from(tested)),
        Statement::new("method-verdicts").percent("threshold", percent_of(settings.threshold)),
        Statement::new("method-resolution"),
    ]
}
