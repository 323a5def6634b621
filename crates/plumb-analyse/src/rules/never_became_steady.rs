//! Did the rounds end without the steady state that the plan waits for?

use plumb_model::finding::{Finding, Severity};

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "never_became_steady",
    needs: &[],
    meaning: "A plan with [steady] goes on until the tracked figures hold the two criteria of the SNIA performance test specification over a window of rounds. When the most rounds are reached before, its figures are those of the last rounds, and the next rounds may tell others.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let Some((steady, plan)) = case.summary.and_then(|summary| summary.steady.as_ref()).zip(case.plan) else { return Vec::new() };
    let whole = steady.steps.iter().all(|step| step.average.is_some());
    // A run that was interrupted, or had too few whole rounds, is not judged.
    if steady.reached || !whole || steady.rounds < plan.rounds {
        return Vec::new();
    }
    let unsteady: Vec<_> = steady.steps.iter().filter(|step| !step.steady).collect();
    let names: Vec<&str> = unsteady.iter().map(|step| step.name.as_str()).collect();
    let shown = unsteady.iter().filter_map(|step| {
        let (data, slope) = (step.data_excursion_percent?, step.slope_excursion_percent?);
        let value = format!("{data:.1} % between lowest and highest, {slope:+.1} % by the linear fit");
        Some(evidence(format!("{} of '{}'", steady.figure, step.name), value, "the last rounds"))
    });
    let claim = match names.as_slice() {
        [] => format!("The tracked figures were not steady at once in any window of {} rounds.", steady.rounds),
        _ => format!("After {} rounds {} had not become steady.", steady.rounds, name_steps(&names)),
    };
    let advice = "Go on for more rounds (--rounds), or precondition longer (--set precondition.passes=4); a figure that never settles has no single value to give.";
    vec![finding(&RULE, Severity::Warning, claim, shortened(shown.collect()), advice)]
}

#[cfg(test)]
mod tests {
    use plumb_model::plan::Steady;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |rounds: &[f64], most: u32| {
            let mut builder = Builder::new(ladder("write", &[1]));
            builder.run.header.plan.steady = Some(Steady::default());
            builder.run.header.plan.rounds = most;
            for (round, iops) in rounds.iter().enumerate() {
                builder.execute(0, round as u32, &[Interval { iops: *iops, ..Interval::default() }]);
            }
            Scene::run(builder.finish())
        };
        let falling = [10_000.0, 9_000.0, 8_000.0, 7_000.0, 6_000.0, 5_000.0];
        Examples {
            fires: vec![run(&falling, 6), run(&[8_000.0, 12_000.0, 8_000.0, 12_000.0, 8_000.0], 5)],
            // Steady, interrupted, and too few to judge.
            silent: vec![run(&[10_000.0; 5], 25), run(&falling, 25), run(&falling[..3], 3)],
        }
    }
}
