//! After which round were the tracked figures steady, and which rounds are the result?

use plumb_model::plan::{Plan, SteadyFigure};
use plumb_model::results::summary::{RoundSummary, SteadyStep, SteadySummary};
use plumb_model::run::Run;
use plumb_model::run::tick::Tick;

use crate::figures::executions::left_out;
use crate::figures::executions::{Execution, executions};
use crate::figures::round_summary::round_summary;
use crate::statistics::steady_state::{Excursions, excursions};

/// Judges the rounds that a run has so far. `None` when its plan tracks nothing.
pub fn steady_rounds(run: &Run) -> Option<SteadySummary> {
    of_executions(&run.header.plan, &executions(run).0)
}

/// The same of executions that are at hand.
pub(crate) fn of_executions(plan: &Plan, executions: &[Execution]) -> Option<SteadySummary> {
    let steady = plan.steady.as_ref()?;
    let rounds = executions
        .iter()
        .map(|execution| execution.round as usize + 1)
        .max()
        .unwrap_or(0);
    let mut figures: Vec<SteadyStep> = Vec::new();
    for (index, step) in plan
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| steady.tracks(step))
    {
        let mut values = vec![None; rounds];
        for execution in executions
            .iter()
            .filter(|execution| execution.step as usize == index && left_out(execution).is_none())
        {
            values[execution.round as usize] = value(steady.figure, &round_summary(execution));
        }
        figures.push(SteadyStep {
            name: step.name.clone(),
            step: index as u32,
            values,
            ..SteadyStep::default()
        });
    }
    let complete = |round: usize| figures.iter().all(|figure| figure.values[round].is_some());
    let last = (0..rounds)
        .rev()
        .find(|round| !figures.is_empty() && complete(*round));
    let window = steady.window as usize;
    let mut windows = (window..=rounds)
        .map(|end| end - window..end)
        .filter(|window| !figures.is_empty() && window.clone().all(complete));
    let is_steady = |figure: &SteadyStep, found: &std::ops::Range<usize>| {
        judged(figure, found).is_some_and(|held| fits(&held, plan))
    };
    let reached = windows.find(|window| figures.iter().all(|figure| is_steady(figure, window)));
    let chosen = reached
        .clone()
        .or(last.map(|last| (last + 1).saturating_sub(window)..last + 1));
    if let Some(chosen) = &chosen {
        for figure in &mut figures {
            let held = judged(figure, chosen).filter(|_| chosen.len() >= window);
            figure.average = held.map(|held| held.average);
            figure.data_excursion_percent = held.map(|held| 100.0 * held.data);
            figure.slope_excursion_percent = held.map(|held| 100.0 * held.slope);
            figure.fit = held.map(|held| held.fit);
            figure.steady = held.is_some_and(|held| fits(&held, plan));
        }
    }
    Some(SteadySummary {
        reached: reached.is_some(),
        rounds: rounds as u32,
        capacities: capacities(plan, executions),
        window: chosen.map(|chosen| (chosen.start as u32, chosen.end as u32 - 1)),
        figure: steady.figure,
        steps: figures,
    })
}

/// How many times the tracked steps have written the part in use, warm-up included: what wears a device in does not ask for the phase.
fn capacities(plan: &Plan, executions: &[Execution]) -> Option<f64> {
    let steady = plan.steady.as_ref()?;
    let tracked = executions.iter().filter(|execution| {
        plan.steps
            .get(execution.step as usize)
            .is_some_and(|step| steady.tracks(step))
    });
    let times = |execution: &Execution, tick: &Tick| {
        let size_bytes = execution
            .engines
            .get(&tick.job)
            .map(|engine| engine.size_bytes)
            .filter(|size| *size > 0)?;
        let written: u64 = tick
            .kinds
            .iter()
            .filter(|kind| kind.kind.writes_blocks())
            .map(|kind| kind.bytes)
            .sum();
        (written > 0).then(|| written as f64 / size_bytes as f64)
    };
    tracked
        .flat_map(|execution| {
            execution
                .ticks
                .iter()
                .filter_map(|tick| times(execution, tick))
        })
        .reduce(|sum, more| sum + more)
}

/// True when the execution is in the figures of the run: rounds before the window are recorded and drawn, and left out.
pub(crate) fn counts(steady: Option<&SteadySummary>, plan: &Plan, execution: &Execution) -> bool {
    let once = plan
        .steps
        .get(execution.step as usize)
        .is_some_and(|step| step.once);
    let window = steady.and_then(|steady| steady.window);
    once || window.is_none_or(|(first, last)| (first..=last).contains(&execution.round))
}

fn value(figure: SteadyFigure, round: &RoundSummary) -> Option<f64> {
    match figure {
        SteadyFigure::Iops => round.iops,
        SteadyFigure::Bandwidth => round.bandwidth_bytes_per_s,
        SteadyFigure::Latency => round.response_mean_ns,
    }
}

/// The excursions of a window; `None` when a round of it has no value.
fn judged(figure: &SteadyStep, window: &std::ops::Range<usize>) -> Option<Excursions> {
    let values: Option<Vec<f64>> = figure.values.get(window.clone())?.iter().copied().collect();
    excursions(&values?)
}

fn fits(held: &Excursions, plan: &Plan) -> bool {
    plan.steady.as_ref().is_some_and(|steady| {
        100.0 * held.data <= steady.data_excursion_percent
            && 100.0 * held.slope.abs() <= steady.slope_excursion_percent
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::summarise;
    use crate::synthetic::{Builder, Interval, Random, ladder};
    use plumb_model::plan::Steady;

    /// A run of a tracked step with these rounds, and one beside it that is not tracked.
    fn run(rounds: &[f64], figure: SteadyFigure) -> Run {
        let mut builder = Builder::new(ladder("write", &[1, 4]));
        let steps = vec!["random-write depth=4".to_string()];
        builder.run.header.plan.steady = Some(Steady {
            steps,
            figure,
            ..Steady::default()
        });
        builder.run.header.plan.rounds = 25;
        for (round, iops) in rounds.iter().enumerate() {
            builder.execute(
                0,
                round as u32,
                &[Interval {
                    iops: 1000.0 * (round + 1) as f64,
                    ..Interval::default()
                }],
            );
            builder.execute(
                1,
                round as u32,
                &[Interval {
                    iops: *iops,
                    latency_ns: 1e9 / iops,
                    ..Interval::default()
                }],
            );
        }
        builder.finish()
    }

    fn judged(rounds: &[f64]) -> SteadySummary {
        steady_rounds(&run(rounds, SteadyFigure::Iops)).expect("a plan that tracks")
    }

    #[test]
    fn a_falling_figure_is_steady_once_it_has_fallen() {
        let found = judged(&[
            50_000.0, 30_000.0, 20_000.0, 15_000.0, 12_000.0, 11_000.0, 10_500.0, 10_400.0,
            10_300.0, 10_350.0,
        ]);
        // Rounds 5 to 9: 12,000 to 10,300 is 15.7 % of 10,840, but the fit falls by 14.8 %. Rounds 6 to 10 hold both.
        assert_eq!(
            (found.reached, found.rounds, found.window),
            (true, 10, Some((5, 9)))
        );
        let step = &found.steps[0];
        assert_eq!(
            (step.name.as_str(), step.values.len(), step.steady),
            ("random-write depth=4", 10, true)
        );
        assert!((step.average.expect("average") - 10_510.0).abs() < 1.0);
        assert!(
            (step.data_excursion_percent.expect("data") - 100.0 * 700.0 / 10_510.0).abs() < 0.01
        );
        let (first, last) = step.fit.expect("fit");
        assert!(
            ((last - first) / 10_510.0 * 100.0 - step.slope_excursion_percent.expect("slope"))
                .abs()
                < 1e-6
        );
    }

    #[test]
    fn drifting_and_noisy_figures_are_not_steady() {
        let drifting: Vec<f64> = (0..25)
            .map(|round| 10_000.0 * 0.96f64.powi(round))
            .collect();
        let found = judged(&drifting);
        assert_eq!((found.reached, found.window), (false, Some((20, 24))));
        let step = &found.steps[0];
        assert!(
            step.data_excursion_percent.expect("data") < 20.0
                && step.slope_excursion_percent.expect("slope") < -10.0
        );
        let noisy: Vec<f64> = (0..25)
            .map(|round| if round % 2 == 0 { 8_000.0 } else { 12_000.0 })
            .collect();
        let step = &judged(&noisy).steps[0];
        assert!(
            step.data_excursion_percent.expect("data") > 20.0
                && step.slope_excursion_percent.expect("slope").abs() < 10.0
        );
        let mut random = Random(7);
        let quiet: Vec<f64> = (0..25)
            .map(|_| 10_000.0 + 400.0 * random.next_share())
            .collect();
        assert_eq!(judged(&quiet).window, Some((0, 4)));
    }

    #[test]
    fn too_few_rounds_and_failed_ones_are_not_judged() {
        let few = judged(&[10_000.0; 4]);
        assert_eq!(
            (few.reached, few.window, few.steps[0].average),
            (false, Some((0, 3)), None)
        );
        assert_eq!((judged(&[]).rounds, judged(&[]).window), (0, None));
        let mut broken = run(&[10_000.0; 8], SteadyFigure::Iops);
        for note in &mut broken.notes {
            if let plumb_model::run::Event::ExecutionEnded {
                execution: 5,
                stopped_by,
            } = &mut note.event
            {
                *stopped_by = plumb_model::run::step_end::StopReason::Error(
                    plumb_model::statement::Statement::verbatim("the disk is gone"),
                );
            }
        }
        // Execution 5 is the tracked step in the third round: five whole rounds follow it.
        assert_eq!(steady_rounds(&broken).expect("tracks").window, Some((3, 7)));
    }

    #[test]
    fn latency_and_bandwidth_can_be_tracked_too() {
        let rounds = [10_000.0, 10_100.0, 10_000.0, 10_100.0, 10_000.0];
        let latency = steady_rounds(&run(&rounds, SteadyFigure::Latency)).expect("tracks");
        assert!(
            latency.reached && latency.steps[0].average.is_some_and(|ns| ns > 90_000.0),
            "{latency:?}"
        );
        let bandwidth = steady_rounds(&run(&rounds, SteadyFigure::Bandwidth)).expect("tracks");
        assert!(
            (bandwidth.steps[0].average.expect("average") / (10_040.0 * 4096.0) - 1.0).abs() < 1e-6
        );
    }

    #[test]
    fn the_figures_of_the_run_are_those_of_the_window() {
        let rounds = [
            50_000.0, 40_000.0, 10_000.0, 10_000.0, 10_000.0, 10_000.0, 10_000.0,
        ];
        let mut run = run(&rounds, SteadyFigure::Iops);
        run.header
            .plan
            .steps
            .insert(0, ladder("read", &[1]).remove(0));
        run.header.plan.steps[0].once = true;
        for note in &mut run.notes {
            if let plumb_model::run::Event::ExecutionStarted { step, .. } = &mut note.event {
                *step += 1;
            }
        }
        let summary = summarise(&run);
        let tracked = summary
            .steps
            .iter()
            .find(|step| step.name == "random-write depth=4")
            .expect("tracked");
        assert_eq!(
            (tracked.total.iops, tracked.duration_s, tracked.rounds.len()),
            (Some(10_000.0), 5.0, 7)
        );
        let left_out: Vec<bool> = tracked.rounds.iter().map(|round| round.left_out).collect();
        assert_eq!(left_out, [true, true, false, false, false, false, false]);
        let other = summary
            .steps
            .iter()
            .find(|step| step.name == "random-write depth=1")
            .expect("not tracked");
        assert_eq!(
            other.total.iops,
            Some(5_000.0),
            "rounds 3 to 7 of 1,000 to 7,000"
        );
        let text = &crate::english::text(&summary.verdict[0]);
        assert!(
            text.contains("Steady after round 7") && text.contains("rounds 3 to 7"),
            "{text}"
        );
        assert!(
            !summary
                .findings
                .iter()
                .any(|finding| finding.rule == "rounds_disagree"
                    && crate::english::in_english(&finding.claim).contains("depth=4")),
            "{:?}",
            summary.findings
        );
    }
}
