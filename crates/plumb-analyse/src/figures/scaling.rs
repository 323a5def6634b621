//! How does throughput scale along the ladders of a run: does Little's law hold, what bounds it, which law fits, and which load saturates it?

use plumb_model::plan::Step;
use plumb_model::results::scaling::{
    EnoughLoad, ScalabilityLaw, Scaling, ScalingBounds, ScalingPoint,
};
use plumb_model::results::series::Curve;
use plumb_model::results::summary::{StepSummary, Summary};
use plumb_model::statement::Statement;

use crate::figures::planned::step_of;
use crate::plots::curves::{HOSTS, throughput_latency};
use crate::statistics::range;
use crate::statistics::universal_scalability::{Law, Measured, POINTS_MIN, fit, peak_interval};

/// Part of the maximum that counts as reached.
const ENOUGH: f64 = 0.95;
/// Range of concurrency divided by the requested one in which Little's law fits. The lower end is that of the rule depth_not_achieved.
const FITS: (f64, f64) = (0.8, 1.1);
/// Greatest deviation of a step from the law with which it still describes the ladder.
const DESCRIBES: f64 = 0.15;
/// Throughput over its bound up to which it is within what measuring is worth.
const BOUND_PASSED: f64 = 1.1;

/// Each ladder of depths or workers, or of both; rates make an open loop, which does not scale.
pub(crate) fn scaling(summary: &Summary) -> Vec<Scaling> {
    let curves = throughput_latency(summary);
    let closed = curves.iter().filter(|curve| !curve.key.contains("rate"));
    closed
        .filter_map(|curve| of_curve(summary, curve))
        .collect()
}

/// One step of a ladder with its figures.
struct Rung<'a> {
    step: &'a StepSummary,
    planned: &'a Step,
    point: ScalingPoint,
}

fn of_curve(summary: &Summary, curve: &Curve) -> Option<Scaling> {
    let rungs: Vec<Rung> = curve
        .points
        .iter()
        .filter_map(|point| {
            let step = summary.steps.iter().find(|step| step.step == point.step)?;
            rung(step, step_of(summary, step)?, &point.label)
        })
        .collect();
    let complete = rungs.len() == curve.points.len() && rungs.len() > 1;
    if !complete {
        return None;
    }
    let rungs = match curve.key.as_str() {
        HOSTS => with_efficiency(rungs),
        _ => rungs,
    };
    let bounds = bounds(&rungs);
    let (law, law_withheld) = law(&rungs);
    Some(Scaling {
        group: curve.group.clone(),
        key: curve.key.clone(),
        enough: enough(&rungs),
        bounds,
        law,
        law_withheld,
        points: rungs.into_iter().map(|rung| rung.point).collect(),
    })
}

fn rung<'a>(step: &'a StepSummary, planned: &'a Step, label: &str) -> Option<Rung<'a>> {
    let (requested, iops) = (step.requested_depth?, step.total.iops?);
    let concurrency = concurrency(step);
    let judged = concurrency.filter(|_| !has_pauses(planned) && requested > 0.0);
    let point = ScalingPoint {
        label: label.to_string(),
        step: step.step,
        requested,
        iops,
        efficiency_percent: None,
        efficiency_in_rounds: None,
        concurrency,
        fits: judged.map(|n| (FITS.0..=FITS.1).contains(&(n / requested))),
    };
    Some(Rung {
        step,
        planned,
        point,
    })
}

/// How each step of a ladder of hosts grew, against the first.
fn with_efficiency(mut rungs: Vec<Rung<'_>>) -> Vec<Rung<'_>> {
    let hosts = |rung: &Rung| rung.point.label.parse::<f64>().ok();
    let Some((first, one)) = rungs.first().and_then(|first| Some((hosts(first)?, first))) else {
        return rungs;
    };
    let (one_iops, one_rounds) = (one.point.iops, rates_of_rounds(one.step));
    for rung in &mut rungs {
        let Some(times) = hosts(rung).map(|count| count / first) else {
            continue;
        };
        let percent = |iops: f64, one: f64| (one > 0.0).then(|| 100.0 * iops / one / times);
        let rounds = rates_of_rounds(rung.step);
        let each = rounds.iter().zip(&one_rounds);
        let each: Vec<f64> = each
            .filter_map(|(iops, one)| percent(*iops, *one))
            .collect();
        rung.point.efficiency_percent = percent(rung.point.iops, one_iops);
        rung.point.efficiency_in_rounds = range(&each).filter(|_| each.len() > 1);
    }
    rungs
}

/// Little's law over all kinds of operation: N = X R.
fn concurrency(step: &StepSummary) -> Option<f64> {
    let kinds = step.operations.values().filter(|kind| kind.is_measured());
    let each: Option<Vec<f64>> = kinds
        .map(|kind| Some(kind.iops? * kind.service_ns.mean? / 1e9))
        .collect();
    each.filter(|each| !each.is_empty())
        .map(|each| each.iter().sum())
}

/// Pauses keep operations out of flight on purpose.
fn has_pauses(step: &Step) -> bool {
    step.jobs.iter().any(|job| {
        let workload = &job.workload;
        workload.think_time.0 > 0
            || workload.burst_operations > 0
            || workload.start_delay.is_some_and(|delay| delay.0 > 0)
    })
}

fn enough(rungs: &[Rung]) -> Option<EnoughLoad> {
    let rates: Vec<f64> = rungs.iter().map(|rung| rung.point.iops).collect();
    let at = first_that_is_enough(&rates)?;
    let most = rates.iter().copied().fold(0.0, f64::max);
    let rung = &rungs[at].point;
    // Rounds of the same number are adjacent in time.
    let rounds = rungs.iter().map(|rung| rates_of_rounds(rung.step).len());
    let rounds = rounds.min().unwrap_or(0);
    let each: Vec<usize> = (0..rounds)
        .filter_map(|round| {
            let of_round: Vec<f64> = rungs
                .iter()
                .map(|rung| rates_of_rounds(rung.step)[round])
                .collect();
            first_that_is_enough(&of_round)
        })
        .collect();
    let label = |at: usize| rungs[at].point.label.clone();
    let ends = each.iter().min().zip(each.iter().max());
    Some(EnoughLoad {
        label: rung.label.clone(),
        step: rung.step,
        requested: rung.requested,
        of_maximum_percent: 100.0 * rung.iops / most,
        is_last: at + 1 == rungs.len(),
        in_rounds: ends
            .filter(|(low, high)| rounds > 1 && low != high)
            .map(|(low, high)| (label(*low), label(*high))),
    })
}

fn first_that_is_enough(rates: &[f64]) -> Option<usize> {
    let most = rates.iter().copied().fold(0.0, f64::max);
    rates
        .iter()
        .position(|rate| most > 0.0 && *rate >= ENOUGH * most)
}

/// Throughput of each round that counts.
fn rates_of_rounds(step: &StepSummary) -> Vec<f64> {
    let counted = step.rounds.iter().filter(|round| !round.left_out);
    counted.filter_map(|round| round.iops).collect()
}

fn bounds(rungs: &[Rung]) -> Option<ScalingBounds> {
    let first = rungs.iter().find(|rung| rung.point.requested == 1.0)?;
    let unloaded_ns = first.step.service_ns.mean.filter(|mean| *mean > 0.0)?;
    let most_per_s = rungs.iter().map(|rung| rung.point.iops).fold(0.0, f64::max);
    let bound = |rung: &Rung| rung.point.requested * 1e9 / unloaded_ns;
    let passed = rungs
        .iter()
        .filter(|rung| rung.point.iops > BOUND_PASSED * bound(rung));
    Some(ScalingBounds {
        unloaded_ns,
        most_per_s,
        knee: most_per_s * unloaded_ns / 1e9,
        exceeded_at: passed.map(|rung| rung.point.label.clone()).collect(),
    })
}

/// The law of a ladder, and why there is none or no interval of its peak.
fn law(rungs: &[Rung]) -> (Option<ScalabilityLaw>, Option<Statement>) {
    if rungs.iter().any(|rung| has_pauses(rung.planned)) {
        return (None, Some(Statement::new("scaling-has-pauses")));
    }
    if rungs.iter().any(|rung| rung.planned.jobs.len() > 1) {
        return (None, Some(Statement::new("scaling-has-several-jobs")));
    }
    let fitting: Vec<Measured> = rungs
        .iter()
        .filter(|rung| rung.point.fits == Some(true))
        .map(measured)
        .filter(|measured| !measured.rounds.is_empty())
        .collect();
    let points: Vec<(f64, f64)> = fitting
        .iter()
        .map(|measured| (measured.concurrency, geometric_mean(&measured.rounds)))
        .collect();
    let Some(found) = fit(&points) else {
        let withheld = Statement::new("scaling-has-few-points")
            .count("points", points.len() as u64)
            .count("needed", POINTS_MIN as u64);
        return (None, Some(withheld));
    };
    let deviation_percent = 100.0 * found.deviation(&points);
    if deviation_percent > 100.0 * DESCRIBES {
        let withheld =
            Statement::new("scaling-law-misses").percent("deviation", deviation_percent.round());
        return (None, Some(withheld));
    }
    with_peak(&found, &fitting, deviation_percent)
}

fn with_peak(
    found: &Law,
    fitting: &[Measured],
    deviation_percent: f64,
) -> (Option<ScalabilityLaw>, Option<Statement>) {
    let tried = fitting.iter().map(|at| at.concurrency).fold(0.0, f64::max);
    let interval = peak_interval(found, fitting, fitting.len() as u64);
    let within = interval
        .and_then(|interval| Some((interval.low?, interval.high?)))
        .filter(|(_, high)| *high <= tried);
    let above = match (within, interval) {
        // With all of the interval beyond the ladder, no more is known than that.
        (None, Some(interval)) => Some(interval.low.unwrap_or(tried).min(tried)),
        _ => None,
    };
    let withheld = interval
        .is_none()
        .then(|| Statement::new("scaling-has-one-round"));
    let law = ScalabilityLaw {
        points: fitting.len() as u64,
        one_per_s: found.one,
        contention: found.contention,
        coherency: found.coherency,
        deviation_percent,
        peak: found.peak(),
        peak_interval: within,
        peak_above: above,
    };
    (Some(law), withheld)
}

fn measured(rung: &Rung) -> Measured {
    let rounds = rates_of_rounds(rung.step);
    Measured {
        concurrency: rung.point.requested,
        rounds: rounds.into_iter().filter(|rate| *rate > 0.0).collect(),
    }
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::summarise;
    use crate::synthetic::{Builder, Interval, Random, ladder, step};
    use crate::two_hosts::hosts_that_share;
    use plumb_model::run::Run;
    use plumb_model::units::Nanos;
    use plumb_model::workload::Workload;

    const DEPTHS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

    /// Latency in the builder is the median; its mean is so many times of it.
    const MEAN_OVER_MEDIAN: f64 = 1.135;

    /// A ladder whose throughput at each depth is known, with rounds that deviate by so much.
    fn run(depths: &[u32], rounds: u32, deviation: f64, x: impl Fn(f64) -> f64) -> Run {
        let mut builder = Builder::new(ladder("read", depths));
        let mut random = Random(3);
        for round in 0..rounds {
            for (number, depth) in depths.iter().enumerate() {
                let n = f64::from(*depth);
                let iops = x(n) * (1.0 + deviation * (2.0 * random.next_share() - 1.0));
                builder.execute(
                    number as u32,
                    round,
                    &[Interval {
                        iops,
                        latency_ns: n / iops * 1e9 / MEAN_OVER_MEDIAN,
                        ..Interval::default()
                    }],
                );
            }
        }
        builder.finish()
    }

    fn of(run: &Run) -> Scaling {
        let mut found = summarise(run).scaling;
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    fn law_of(n: f64) -> f64 {
        Law {
            one: 5000.0,
            contention: 0.05,
            coherency: 0.0005,
        }
        .throughput(n)
    }

    /// How a bounded server answers: in proportion up to its places, and no more beyond.
    fn ten_slots(n: f64) -> f64 {
        10_000.0 * n.min(10.0)
    }

    #[test]
    fn a_known_law_is_found_with_its_peak() {
        let found = of(&run(&DEPTHS, 3, 0.04, law_of));
        let law = found.law.expect("a law");
        assert_eq!((law.points, found.law_withheld), (8, None));
        assert!((law.contention - 0.05).abs() < 0.02, "{law:?}");
        let (low, high) = law.peak_interval.expect("an interval");
        // The truth is 43.6.
        assert!(low < 43.6 && 43.6 < high && high < 128.0, "{low} {high}");
        assert_eq!(law.peak_above, None);
        // The law has 94.8 % of its maximum at 32 x 0.9: the ladder reaches 95 % at 32.
        let enough = found.enough.expect("a load");
        assert_eq!((enough.label.as_str(), enough.is_last), ("32", false));
        assert!(found.points.iter().all(|point| point.fits == Some(true)));
    }

    #[test]
    fn a_peak_beyond_the_ladder_is_not_claimed() {
        let found = of(&run(&DEPTHS[..6], 3, 0.04, |n| {
            Law {
                one: 5000.0,
                contention: 0.05,
                coherency: 0.0,
            }
            .throughput(n)
        }));
        let law = found.law.expect("a law");
        assert_eq!(law.peak_interval, None);
        assert!(law.peak_above.is_some_and(|above| above <= 32.0), "{law:?}");
    }

    #[test]
    fn a_law_that_does_not_describe_the_ladder_is_withheld() {
        let found = of(&run(&DEPTHS, 2, 0.0, ten_slots));
        assert_eq!(found.law, None);
        assert_eq!(found.law_withheld.expect("why").id, "scaling-law-misses");
        let bounds = found.bounds.expect("bounds");
        assert!((bounds.knee - 10.0).abs() < 0.3, "{bounds:?}");
        assert!((bounds.most_per_s - 100_000.0).abs() < 1.0, "{bounds:?}");
        assert!(bounds.exceeded_at.is_empty());
        assert_eq!(found.enough.expect("a load").label, "16");
    }

    /// One host gets 10,000, two get nearly twice that, and four no more than two.
    #[test]
    fn a_ladder_of_hosts_tells_its_efficiency() {
        let found = of(&hosts_that_share([10e3, 19e3, 20e3]));
        assert_eq!(found.key, HOSTS);
        let labels: Vec<&str> = found
            .points
            .iter()
            .map(|point| point.label.as_str())
            .collect();
        assert_eq!(labels, ["1", "2", "4"]);
        let efficiency: Vec<f64> = found
            .points
            .iter()
            .filter_map(|point| point.efficiency_percent)
            .map(f64::round)
            .collect();
        assert_eq!(efficiency, [100.0, 95.0, 50.0]);
        // Each host has one operation in flight.
        let requested: Vec<f64> = found.points.iter().map(|point| point.requested).collect();
        assert_eq!(requested, [1.0, 2.0, 4.0]);
        assert!(found.points[2].efficiency_in_rounds.is_some());
    }

    #[test]
    fn few_points_and_one_round_are_said() {
        let few = of(&run(&DEPTHS[..5], 3, 0.02, law_of));
        assert_eq!(few.law, None);
        assert_eq!(few.law_withheld.expect("why").id, "scaling-has-few-points");
        let once = of(&run(&DEPTHS, 1, 0.02, law_of));
        let law = once.law.expect("a law");
        assert_eq!((law.peak_interval, law.peak_above), (None, None));
        assert_eq!(once.law_withheld.expect("why").id, "scaling-has-one-round");
    }

    /// An engine that has one operation in flight whatever is asked: X R is 1 at every depth.
    #[test]
    fn what_was_not_in_flight_is_no_point_of_a_law() {
        let mut builder = Builder::new(ladder("read", &DEPTHS));
        for number in 0..DEPTHS.len() {
            let one = Interval {
                latency_ns: 1e9 / 10_000.0 / MEAN_OVER_MEDIAN,
                ..Interval::default()
            };
            builder.execute(number as u32, 0, &[one]);
        }
        let found = of(&builder.finish());
        let fits: Vec<Option<bool>> = found.points.iter().map(|point| point.fits).collect();
        assert_eq!(fits[0], Some(true));
        assert!(
            fits[1..].iter().all(|fits| *fits == Some(false)),
            "{fits:?}"
        );
        assert_eq!(
            found.law_withheld.expect("why").id,
            "scaling-has-few-points"
        );
        assert_eq!(found.enough.expect("a load").label, "1");
    }

    #[test]
    fn rounds_that_disagree_give_a_range() {
        let mut builder = Builder::new(ladder("read", &[1, 2, 4, 8]));
        for (round, rates) in [[10e3, 20e3, 40e3, 41e3], [10e3, 20e3, 30e3, 41e3]]
            .iter()
            .enumerate()
        {
            for (number, iops) in rates.iter().enumerate() {
                builder.execute(
                    number as u32,
                    round as u32,
                    &[Interval {
                        iops: *iops,
                        ..Interval::default()
                    }],
                );
            }
        }
        let enough = of(&builder.finish()).enough.expect("a load");
        assert_eq!((enough.label.as_str(), enough.is_last), ("8", true));
        assert_eq!(enough.in_rounds, Some(("4".into(), "8".into())));
    }

    #[test]
    fn ladders_with_pauses_and_of_rates_are_not_fitted() {
        let steps = |change: fn(&mut Workload)| {
            let mut steps = ladder("read", &DEPTHS);
            steps
                .iter_mut()
                .for_each(|step| change(&mut step.jobs[0].workload));
            let mut builder = Builder::new(steps);
            (0..DEPTHS.len()).for_each(|number| {
                builder.execute(number as u32, 0, &[Interval::default()]);
            });
            summarise(&builder.finish()).scaling
        };
        let paused = &steps(|workload| workload.think_time = Nanos(1000))[0];
        assert_eq!(paused.points[3].fits, None);
        assert_eq!(
            paused.law_withheld.as_ref().expect("why").id,
            "scaling-has-pauses"
        );
        let rates = [1000.0, 2000.0].map(|rate| {
            let workload = Workload {
                rate: Some(rate),
                ..Workload::default()
            };
            step(
                &format!("rate={rate}"),
                "r",
                &[("rate", &rate.to_string())],
                workload,
            )
        });
        let mut builder = Builder::new(rates.to_vec());
        (0..2).for_each(|number| {
            builder.execute(number, 0, &[Interval::default()]);
        });
        assert!(summarise(&builder.finish()).scaling.is_empty());
    }
}
