//! How are figures, changes and methods put into words that need no statistics?

use plumb_model::comparison::{Cell, ComparedMetric, Design, Effect, compared_metric};
use plumb_model::units::{show_bandwidth, show_count, show_time_ns};
use plumb_model::workload::OperationKind;

use super::effects::wording_percent;
use super::entrants::Settings;

/// Ratios from and up to which a change is told as a factor instead of in percent.
const MANY_TIMES: f64 = 2.0;
const FEW_TIMES: f64 = 0.1;

/// `12 %` with as many digits as a reader takes in.
fn percent(part: f64) -> String {
    let value = part.abs() * 100.0;
    if value < 9.95 {
        format!("{value:.1} %")
    } else {
        format!("{value:.0} %")
    }
}

fn is_factor(ratio: f64) -> bool {
    ratio >= MANY_TIMES || ratio <= FEW_TIMES
}

/// A ratio as a change: `+12 %`, `-9.1 %`, `3.1 times`.
pub(super) fn change(ratio: f64) -> String {
    if is_factor(ratio) {
        return format!("{} times", show_count(ratio));
    }
    format!(
        "{}{}",
        if ratio < 1.0 { '-' } else { '+' },
        percent(ratio - 1.0)
    )
}

/// A value with its unit, and the name of the metric where the unit does not tell it: `580,000 IOPS`, `p99 1.2 ms`.
pub(super) fn figure(metric: &ComparedMetric, value: f64) -> String {
    match metric.unit {
        "ns" => format!("{} {}", metric.name, show_time_ns(value)),
        "bytes/s" => show_bandwidth(value),
        _ => format!("{} {}", show_count(value), metric.name),
    }
}

/// `random-read depth=32, p99`, with the kind of operation where the step has several.
pub(super) fn cell_name(cell: &Cell) -> String {
    let name = compared_metric(&cell.metric).map_or(cell.metric.as_str(), |metric| metric.name);
    match &cell.kind {
        Some(kind) => format!("{}, {name} of {}", cell.step, plural(kind)),
        None => format!("{}, {name}", cell.step),
    }
}

/// Several operations of a kind.
fn plural(kind: &str) -> &'static str {
    match kind.parse::<OperationKind>() {
        Ok(kind) => crate::verdict::plural(kind),
        Err(_) => "operations",
    }
}

/// An effect as a part of a sentence whose subject is the side: `completes 12 % fewer operations per second (between 9.1 % and 15 %)`,
/// `its median response time is 26 % longer (between 24 % and 27 %)`.
pub(super) fn effect_in_words(cell: &Cell, effect: &Effect) -> Option<String> {
    let ratio = effect.ratio?;
    let plural = cell.kind.as_deref().map(plural);
    let of_kind = plural.map_or(String::new(), |plural| format!(" of its {plural}"));
    let longer = |what: &str| {
        let its = if plural.is_some() { "the" } else { "its" };
        let text = amount(ratio, effect.interval, ("longer", "shorter", "as long"));
        format!("{its} {what}{of_kind} is {}{}", text.0, text.1)
    };
    let does = |verb: &str, what: &str, words: (&str, &str, &str)| {
        let text = amount(ratio, effect.interval, words);
        format!("{verb} {} {what}{}", text.0, text.1)
    };
    Some(match cell.metric.as_str() {
        "iops" => does(
            "completes",
            &format!("{} per second", plural.unwrap_or("operations")),
            ("more", "fewer", "as many"),
        ),
        "bandwidth" => does(
            "moves",
            &format!(
                "bytes per second{}",
                plural.map_or(String::new(), |plural| format!(" by {plural}"))
            ),
            ("more", "fewer", "as many"),
        ),
        "cpu" => does(
            "needs",
            "CPU time per operation",
            ("more", "less", "as much"),
        ),
        "mean" => longer("mean response time"),
        "p50" => longer("median response time"),
        other => longer(&format!("{}th percentile", other.trim_start_matches('p'))),
    })
}

/// The size of a change, and its interval in brackets. `words` are those for more, for less, and for a factor.
fn amount(ratio: f64, interval: Option<(f64, f64)>, words: (&str, &str, &str)) -> (String, String) {
    let (more, less, factor) = words;
    let word = |ratio: f64| if ratio < 1.0 { less } else { more };
    if is_factor(ratio) {
        let between = |(low, high)| {
            format!(
                " (between {} and {} times)",
                show_count(low),
                show_count(high)
            )
        };
        return (
            format!("{} times {factor}", show_count(ratio)),
            interval.map_or(String::new(), between),
        );
    }
    let between = |(low, high): (f64, f64)| {
        if (low < 1.0) != (high < 1.0) {
            return format!(
                " (between {} {less} and {} {more})",
                percent(low - 1.0),
                percent(high - 1.0)
            );
        }
        let (near, far) = if low < 1.0 { (high, low) } else { (low, high) };
        format!(
            " (between {} and {})",
            percent(near - 1.0),
            percent(far - 1.0)
        )
    };
    (
        format!("{} {}", percent(ratio - 1.0), word(ratio)),
        interval.map_or(String::new(), between),
    )
}

/// What was done, one sentence each, with its source.
pub(super) fn method(design: Design, settings: &Settings, tested: u32) -> Vec<String> {
    let confidence = wording_percent(settings.confidence);
    let mut steps = vec![
        "The unit is the round: one repetition of a step gives one value, however many operations it has.".to_string(),
        "Values are trimmed geometric means of the rounds: on logarithms, a tenth of the rounds cut at each end, none below ten rounds."
            .to_string(),
    ];
    steps.push(match design {
        Design::Independent => format!(
            "Sides were measured each by itself: {confidence} intervals of the ratio by the trimmed t test for unequal variances (Yuen, Biometrika 61, 1974), widened as far as neighbouring rounds resemble each other. A side is one session, from which nobody can tell how much sessions differ: half a percent is \
             taken for it, and the intervals are widened by all that the machine may have taken from either side, as far as its record tells (time waited for a CPU, CPU time of others \
             and of the hypervisor, CPU time per operation)."
        ),
        Design::Blocks => format!(
            "Sides ran in blocks in a drawn order: {confidence} intervals of the ratio from the differences within blocks by the trimmed t test of one sample (Tukey and McLaughlin, Sankhya A 25, 1963)."
        ),
    });
    steps.push(format!("{tested} effects were tested together; their p-values are adjusted for that number (Holm, Scandinavian Journal of Statistics 6, 1979)."));
    steps.push(format!(
        "The same: the whole interval lies within {percent}. Better or worse: shown to differ by more than {percent}, as the whole interval lies beyond it and the test against \
         {percent} itself holds among all effects. Undecided: neither. A condition of --fail-if is tested against its own limit in the same way.",
        percent = wording_percent(settings.threshold)
    ));
    steps.push(
        "What the figures of a round are not known to is in the intervals: half the width of the histogram's bucket for a percentile, half an operation for a rate."
            .to_string(),
    );
    steps
}
