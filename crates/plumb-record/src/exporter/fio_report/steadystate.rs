//! How does fio report steady state? The criterion, its value, and the rates in the window.

use plumb_model::plan::SteadyFigure;
use plumb_model::results::summary::StepSummary;
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::units::Nanos;
use plumb_model::workload::{
    Job, SteadyCriterion, SteadyLimit, SteadyWatch, SteadyWindow, UntilSteady,
};
use serde_json::{Value, json};

use super::scaled::{bandwidths, count};
use crate::exporter::figures::per_second;

/// Seconds of the longest window that is listed.
const WINDOW_MAX_S: u64 = 86_400;

/// The object `steadystate` of the first round; `None` for a job without this stop condition, or with a latency criterion, which fio 3.33 does not have.
pub fn steadystate(job: &Job, step: &StepSummary, ticks: &[&Tick]) -> Option<Value> {
    let goal = job
        .workload
        .until_steady
        .filter(|goal| goal.figure != SteadyFigure::Latency)?;
    let first = ticks.iter().map(|tick| tick.execution).min();
    let of_first: Vec<&Tick> = ticks
        .iter()
        .copied()
        .filter(|tick| Some(tick.execution) == first)
        .collect();
    let mut watch = SteadyWatch::new(goal, job.workload.interval);
    for tick in &of_first {
        watch.take(tick);
    }
    let window = watch.window();
    let rates = |of: fn(&KindTick) -> u64| rates(&of_first, window, of);
    let mean = |rates: &[f64]| {
        (!rates.is_empty()).then(|| (rates.iter().sum::<f64>() / rates.len() as f64).round())
    };
    let (iops, bandwidth) = (rates(|kind| kind.count), rates(|kind| kind.bytes));
    let rounded = |rates: &[f64]| {
        rates
            .iter()
            .map(|rate| rate.round() as u64)
            .collect::<Vec<_>>()
    };
    Some(json!({
        "ss": criterion(&goal),
        "duration": (goal.window.seconds()).round() as u64,
        "attained": u64::from(step.until_steady.first().is_some_and(|end| end.reached)),
        "criterion": window.and_then(|window| reached(&goal, window)),
        "max_deviation": window.map(|window| window.deviation),
        "slope": window.map(|window| window.slope),
        "data": {
            "bw_mean": mean(&bandwidth).map(|rate| rate as u64),
            "iops_mean": mean(&iops).map(|rate| rate as u64),
            "iops": rounded(&iops),
            "bw": rounded(&bandwidth),
        },
    }))
}

/// The line of the normal output: `attained=yes, bw=9.8MiB/s (10.3MB/s), iops=2509, iops mean dev=0.160%`.
pub fn line(found: &Value) -> String {
    let text = |name: &str| found[name].as_str().unwrap_or_default();
    let criterion = text("ss").split(':').next().unwrap_or_default();
    let (figure, way) = match criterion.strip_suffix("_slope") {
        Some(figure) => (figure, "slope"),
        None => (criterion, "mean dev"),
    };
    let (number, unit) = match text("criterion").strip_suffix('%') {
        Some(number) => (number, "%"),
        None => (text("criterion"), ""),
    };
    let mean = |name: &str| found["data"][name].as_f64().unwrap_or(0.0);
    let [rate, decimal] = bandwidths(mean("bw_mean"), false);
    let attained = if found["attained"] == 1 { "yes" } else { "no" };
    format!(
        "  steadystate  : attained={attained}, bw={rate} ({decimal}), iops={}, {figure} {way}={:.3}{unit}",
        count(mean("iops_mean")),
        number.parse::<f64>().unwrap_or(0.0),
    )
}

/// The object of a job that ended before a window of this length could begin, by its options.
pub fn without_a_window(criterion: &str, duration: &str) -> Option<Value> {
    let (figure, limit) = criterion.split_once(':')?;
    if figure.starts_with("lat") {
        return None;
    }
    let (number, percent) = limit
        .strip_suffix('%')
        .map_or((limit, ""), |number| (number, "%"));
    let limit: f64 = number.parse().ok()?;
    let bare_s = duration.parse().ok();
    let of_unit = || Some(duration.parse::<Nanos>().ok()?.seconds() as u64);
    let seconds: u64 = bare_s.or_else(of_unit)?;
    let nothing = vec![0; seconds.min(WINDOW_MAX_S) as usize];
    Some(json!({
        "ss": format!("{figure}:{limit:.6}{percent}"),
        "duration": seconds,
        "attained": 0,
        "criterion": format!("{:.6}{percent}", 0.0),
        "max_deviation": 0.0,
        "slope": 0.0,
        "data": { "bw_mean": 0, "iops_mean": 0, "iops": nothing, "bw": nothing },
    }))
}

/// `iops_slope:0.500000%`, as fio prints it.
fn criterion(goal: &UntilSteady) -> String {
    let figure = if goal.figure == SteadyFigure::Iops {
        "iops"
    } else {
        "bw"
    };
    let slope = if goal.criterion == SteadyCriterion::Slope {
        "_slope"
    } else {
        ""
    };
    match goal.limit {
        SteadyLimit::Percent(limit) => format!("{figure}{slope}:{limit:.6}%"),
        SteadyLimit::Absolute(limit) => format!("{figure}{slope}:{limit:.6}"),
    }
}

/// Value of the criterion.
fn reached(goal: &UntilSteady, window: &SteadyWindow) -> Option<String> {
    let (value, percent) = match goal.criterion {
        SteadyCriterion::Deviation => (window.deviation, window.deviation_percent()),
        SteadyCriterion::Slope => (window.slope, window.slope_percent()),
    };
    match goal.limit {
        SteadyLimit::Percent(_) => Some(format!("{:.6}%", percent?)),
        SteadyLimit::Absolute(_) => Some(format!("{value:.6}")),
    }
}

/// Rates of the intervals of the window.
fn rates(ticks: &[&Tick], window: Option<&SteadyWindow>, of: fn(&KindTick) -> u64) -> Vec<f64> {
    let Some(window) = window else {
        return Vec::new();
    };
    let inside = |tick: &&&Tick| {
        tick.phase == Phase::Measure
            && tick.start_ns >= window.start_ns
            && tick.end_ns <= window.end_ns
    };
    ticks
        .iter()
        .filter(inside)
        .filter_map(|tick| per_second(tick, tick.kinds.iter().map(of).sum()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As fio 3.42 writes it.
    #[test]
    fn a_job_that_ends_before_the_window_has_no_figures() {
        let found = without_a_window("bw_slope:0.1%", "3").expect("an object");
        let text = r#"{"ss":"bw_slope:0.100000%","duration":3,"attained":0,"criterion":"0.000000%","max_deviation":0.0,"slope":0.0,
            "data":{"bw_mean":0,"iops_mean":0,"iops":[0,0,0],"bw":[0,0,0]}}"#;
        assert_eq!(found, serde_json::from_str::<Value>(text).expect("JSON"));
        assert_eq!(
            without_a_window("iops:5", "1m").expect("an object")["duration"],
            60
        );
        assert_eq!(without_a_window("iops", "3"), None);
    }
}
