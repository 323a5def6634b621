//! How is the highest rate found that keeps a limit of the response time? A plan of many rates, of which a search tries a few.

use anyhow::bail;
use plumb_model::plan::{Origin, Plan};
use plumb_model::units::Nanos;
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

use super::rate_search::RateSearch;
use crate::named_plan::refuse_impossible_engines;

/// Operations beyond the limit that a step has room for before the limit counts as missed: with fewer, chance decides.
const BEYOND: f64 = 10.0;
/// Lowest and highest rate of a plan, in operations per second.
const LOWEST: f64 = 1.0;
const HIGHEST: f64 = 10e6;
/// From one rate to the next until the border is passed.
const FACTOR: f64 = 2.0;
/// No step takes longer for the sake of rare operations.
const TIME_MOST_S: f64 = 120.0;
/// Keys that a search sets itself.
const OWN_KEYS: [&str; 5] = [
    "rate",
    "latency-limit",
    "latency-limit-percentile",
    "replay",
    "until-steady",
];

/// What is searched for, where, and how.
#[derive(Debug, Clone)]
pub struct FindRequest {
    /// That share of the operations, in percent, is to end within this time.
    pub percentile: f64,
    pub limit: Nanos,
    /// From one rate of the plan to the next, as a part of one.
    pub resolution: f64,
    /// Rate that is tried first, in operations per second.
    pub start: Option<f64>,
    /// Maximum duration of the search.
    pub most: Nanos,
    /// Keys of the workload: flags (with `rounds`, those of the rates beside the border), and `--set`.
    pub flags: Vec<(String, String)>,
    pub set: Vec<(String, String)>,
}

/// The plan, and how it is searched.
///
/// Errors: a key that the search sets itself, or a workload that contradicts itself.
pub fn find(request: &FindRequest) -> anyhow::Result<(Plan, RateSearch)> {
    let set = request.flags.iter().chain(&request.set);
    let mut names = set.map(|(key, _)| key.as_str());
    if let Some(key) = names.find(|key| OWN_KEYS.contains(key)) {
        bail!("'{key}' is set by the search: omit it, or use 'plumb run' for your own workload");
    }
    let start = request.start.unwrap_or_else(|| first_rate(request));
    let (rates, first) = ladder(start, request.resolution);
    let written: Vec<String> = rates.iter().map(f64::to_string).collect();
    let text = format!(
        "name = 'find'\ntitle = 'Which is the highest rate at which {} % of the operations end within {}?'\nrounds = 3\norder = 'interleaved'\n\
         [defaults]\npattern = 'random-read'\ndirect = 'try'\ndepth = 128\narrivals = 'poisson'\ntime = '3s'\nwarm-up = '500ms'\n\
         latency-limit = '{}'\nlatency-limit-percentile = {}\n[[step]]\nname = 'find'\n[step.sweep]\nrate = [{}]\n",
        request.percentile,
        request.limit,
        request.limit,
        request.percentile,
        written.join(", ")
    );
    let overrides = Overrides {
        set: request.set.clone(),
        flags: request.flags.clone(),
    };
    let file = PlanFile::parse(&text, "plumb find")?;
    let mut plan = resolve(&file, &overrides, PlanKind::File)?;
    for step in &mut plan.steps {
        for (job, origins) in step.jobs.iter_mut().zip(&mut step.origins) {
            let workload = &mut job.workload;
            let least_s = least_s(request, workload.rate.unwrap_or(start));
            let is_shorter = workload.time.is_some_and(|time| time.seconds() < least_s);
            if is_shorter {
                workload.time = Some(Nanos((least_s * 1e9) as u64));
                origins.insert("time".into(), Origin::Resolved);
            }
        }
    }
    refuse_impossible_engines(&plan)?;
    let stride = (FACTOR.ln() / (1.0 + request.resolution).ln()).round();
    let search = RateSearch::new(
        rates.len(),
        first,
        stride as usize,
        plan.rounds,
        request.most.seconds(),
    );
    Ok((plan, search))
}

/// How long a step must be at this rate, so that chance does not decide.
fn least_s(request: &FindRequest, rate: f64) -> f64 {
    let beyond = (1.0 - request.percentile / 100.0).max(1e-6);
    (BEYOND / beyond / rate).ceil().min(TIME_MOST_S)
}

/// A rate at which three seconds are enough.
fn first_rate(request: &FindRequest) -> f64 {
    let beyond = (1.0 - request.percentile / 100.0).max(1e-6);
    (BEYOND / beyond / 3.0).clamp(100.0, 1e5)
}

/// Rates that rise by `resolution`, and the number of `start` among them.
fn ladder(start: f64, resolution: f64) -> (Vec<f64>, usize) {
    let below = (start / LOWEST).ln() / (1.0 + resolution).ln();
    let below = below.max(0.0) as i32;
    let rate = |step: i32| rounded(start * (1.0 + resolution).powi(step), resolution);
    let mut rates: Vec<f64> = (-below..)
        .map(rate)
        .take_while(|rate| *rate <= HIGHEST)
        .collect();
    rates.dedup();
    let first = rates
        .iter()
        .position(|rate| *rate >= rounded(start, resolution));
    (rates, first.unwrap_or(0))
}

/// Written with three digits, or four where rates lie close together.
fn rounded(rate: f64, resolution: f64) -> f64 {
    let digits = if resolution < 0.03 { 4.0 } else { 3.0 };
    let last = 10f64.powf(rate.log10().floor() + 1.0 - digits);
    // The second rounding takes what a power of ten below one leaves.
    ((rate / last).round() * last * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(percentile: f64) -> FindRequest {
        FindRequest {
            percentile,
            limit: Nanos(1_000_000),
            resolution: 0.05,
            start: None,
            most: Nanos(600_000_000_000),
            flags: vec![("target".into(), "null:".into())],
            set: Vec::new(),
        }
    }

    #[test]
    fn rates_rise_by_the_resolution_and_hold_the_first() {
        for (start, resolution) in [(333.0, 0.05), (100.0, 0.01), (12_345.6, 0.2), (1.0, 0.5)] {
            let (rates, first) = ladder(start, resolution);
            assert!(
                (rates[first] / start - 1.0).abs() < 4e-3,
                "{}",
                rates[first]
            );
            assert!(rates[0] < 1.6 && rates[rates.len() - 1] > HIGHEST / 1.6);
            for pair in rates.windows(2) {
                let rise = pair[1] / pair[0] - 1.0;
                assert!((rise - resolution).abs() < 0.011, "{pair:?} {resolution}");
            }
        }
    }

    #[test]
    fn a_step_is_long_enough_for_its_percentile() {
        for (percentile, expected) in [(99.0, 1000.0), (99.9, 10_000.0), (50.0, 20.0)] {
            let (plan, _) = find(&request(percentile)).expect("a plan");
            for step in &plan.steps {
                let workload = &step.jobs[0].workload;
                let time_s = workload.time.expect("a time").seconds();
                let operations = time_s * workload.rate.expect("a rate");
                assert!(
                    operations >= 0.99 * expected || time_s >= TIME_MOST_S,
                    "{operations} {}",
                    step.name
                );
            }
        }
    }

    #[test]
    fn what_the_search_sets_is_refused() {
        for key in OWN_KEYS {
            let mut request = request(99.0);
            request.set.push((key.into(), "1".into()));
            let error = find(&request).expect_err("refused").to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
