//! Has a run that waits for steady figures enough rounds?

use std::path::Path;

use plumb_analyse::steady_rounds;
use plumb_model::plan::{Plan, Steady};
use plumb_model::results::summary::SteadySummary;
use plumb_model::statement::Statement;
use plumb_record::{RecordError, read_run};

/// True when the execution at `index` of the schedule ends a round that is to be judged.
pub fn ends_round(plan: &Plan, schedule: &[(usize, u32)], index: usize) -> bool {
    let Some((step, round)) = schedule.get(index).copied() else {
        return false;
    };
    let next = schedule.get(index + 1);
    let once = |step: usize| plan.steps.get(step).is_some_and(|step| step.once);
    plan.steady.is_some() && !once(step) && next.is_none_or(|(_, other)| *other != round)
}

/// Judges what is recorded so far: whether it is enough, and how it stands. Errors: the record cannot be read.
pub fn judge(plan: &Plan, folder: &Path) -> Result<(bool, Option<Statement>), RecordError> {
    // The final report is derived from the same record, so both agree.
    let Some((steady, found)) = plan.steady.as_ref().zip(steady_rounds(&read_run(folder)?)) else {
        return Ok((false, None));
    };
    let written_enough = steady
        .capacities
        .zip(found.capacities)
        .is_some_and(|(steady, written)| written >= steady);
    Ok((
        found.reached || written_enough,
        Some(standing(steady, &found)),
    ))
}

fn standing(steady: &Steady, found: &SteadySummary) -> Statement {
    let largest = |of: fn(&plumb_model::results::summary::SteadyStep) -> Option<f64>| {
        let values: Option<Vec<f64>> = found
            .steps
            .iter()
            .map(|step| of(step).map(f64::abs))
            .collect();
        values?.into_iter().reduce(f64::max)
    };
    match (
        largest(|step| step.data_excursion_percent),
        largest(|step| step.slope_excursion_percent),
    ) {
        (Some(data), Some(slope)) => Statement::new(if found.reached {
            "steady-after-round"
        } else {
            "not-steady-after-round"
        })
        .count("round", found.rounds.into())
        .name("spread", format!("{data:.1}"))
        .name("spread-limit", steady.data_excursion_percent.to_string())
        .name("slope", format!("{slope:.1}"))
        .name("slope-limit", steady.slope_excursion_percent.to_string()),
        _ => Statement::new("judged-from-rounds-on")
            .count("round", found.rounds.into())
            .count("rounds", steady.window.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

    #[test]
    fn rounds_end_with_their_last_step_and_preconditioning_is_none() {
        let text = "rounds = 5\norder = 'shuffled'\nseed = 3\n[steady]\n[[step]]\nname = 'fill'\nonce = true\n[[step]]\nname = 'a'\n[[step]]\nname = 'b'\n";
        let mut plan = resolve(
            &PlanFile::parse(text, "t").expect("plan"),
            &Overrides::default(),
            PlanKind::File,
        )
        .expect("resolved");
        let ends = |plan: &Plan| {
            (0..11)
                .map(|index| ends_round(plan, &plan.schedule(), index))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ends(&plan),
            [
                false, false, true, false, true, false, true, false, true, false, true
            ]
        );
        plan.steady = None;
        assert!(!ends(&plan).contains(&true));
    }
}
