//! Can a step reach what it waits for, and do its concurrent jobs ever start?

use super::rule::{Rule, rule};
use plumb_model::plan::{PlanError, SteadyFigure, Step};
use plumb_model::units::Nanos;
use plumb_model::workload::{INTERVALS_MIN, Job};

pub(super) const RULES: &[Rule] = &[
    // A window needs enough intervals, and the step must last for one.
    rule("until-steady", |job| {
        let (steady, interval) = (job.workload.until_steady?, job.workload.interval);
        (steady.window.0 < interval.0.saturating_mul(INTERVALS_MIN)).then(|| {
            format!(
                "until-steady needs at least {INTERVALS_MIN} intervals in its window of {}, and interval = {interval}",
                steady.window
            )
        })
    }),
    rule("until-steady", |job| {
        let (steady, time) = (job.workload.until_steady?, job.workload.time?);
        (time < steady.least()).then(|| {
            format!(
                "time = {time} ends before one window of {} is complete; set at least time = {}",
                steady.window,
                steady.least()
            )
        })
    }),
    rule("until-steady", |job| {
        let (steady, mix) = (job.workload.until_steady?, &job.workload.mix);
        let moves_data = mix.0.iter().any(|(kind, _)| kind.moves_data());
        (steady.figure == SteadyFigure::Bandwidth && !moves_data).then(|| {
            format!("the mix {mix} transfers no data, so it has no bandwidth; use iops or latency")
        })
    }),
    rule("latency-limit", |job| {
        (job.workload.latency_limit? == Nanos(0))
            .then(|| "latency-limit = 0 is impossible; use a time such as 2ms".into())
    }),
    rule("latency-limit-percentile", |job| {
        let share = job.workload.latency_limit_percentile?;
        (!(share > 0.0 && share <= 100.0))
            .then(|| format!("latency-limit-percentile = {share} is not above 0 and at most 100"))
    }),
    rule("latency-limit-percentile", |job| {
        let workload = &job.workload;
        (workload.latency_limit_percentile.is_some() && workload.latency_limit.is_none()).then(|| {
            "latency-limit-percentile needs a limit; set latency-limit = 2ms or another time, or remove it".into()
        })
    }),
];

/// Concurrent jobs end with the main one, or at their own end: none of them waits for steady state, and each starts before that end.
///
/// # Errors
/// The job, and an alternative.
pub(super) fn refuse_beside(step: &Step) -> Result<(), PlanError> {
    let [main, beside @ ..] = step.jobs.as_slice() else {
        return Ok(());
    };
    let position = |job: &Job| format!("step '{}', job '{}'", step.name, job.name);
    if let Some(job) = beside
        .iter()
        .find(|job| job.workload.until_steady.is_some())
    {
        let message = "a concurrent job ends with the main one; set until-steady for the step itself, or remove it";
        return Err(PlanError::at(position(job), message));
    }
    if let Some(job) = beside
        .iter()
        .find(|job| job.workload.prepare_only != main.workload.prepare_only)
    {
        let message = "either all or none of the concurrent jobs can have prepare-only; use a separate step for preparation";
        return Err(PlanError::at(position(job), message));
    }
    let has_end = |job: &&Job| {
        let workload = &job.workload;
        workload.time.is_some()
            || workload.bytes.is_some()
            || workload.operations.is_some()
            || workload.passes.is_some()
            || workload.replay.is_some()
    };
    if let Some(job) = beside
        .iter()
        .find(|job| job.workload.to_its_end && !has_end(job))
    {
        let message = "to-its-end needs a job with its own end; set time, bytes, operations or passes for it, or remove to-its-end";
        return Err(PlanError::at(position(job), message));
    }
    let delay = |job: &Job| job.workload.start_delay.unwrap_or_default();
    let Some(time) = main.workload.time else {
        return Ok(());
    };
    let end = Nanos(
        delay(main)
            .0
            .saturating_add(main.workload.warm_up.0)
            .saturating_add(time.0),
    );
    match beside
        .iter()
        .find(|job| delay(job) >= end && !job.workload.to_its_end)
    {
        None => Ok(()),
        Some(job) => {
            let message = format!(
                "start-delay = {}, but the step ends after {end}, so the job would never start",
                delay(job)
            );
            Err(PlanError::at(position(job), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Overrides, PlanFile, PlanKind, resolve};

    fn refusal(main: &str, beside: &str) -> Option<String> {
        let text =
            format!("[[step]]\nname = 'a'\n{main}\n[[step.beside]]\nname = 'late'\n{beside}\n");
        let file = PlanFile::parse(&text, "t").unwrap_or_else(|error| panic!("{error}"));
        resolve(&file, &Overrides::default(), PlanKind::File)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_job_that_would_never_begin_is_refused() {
        assert_eq!(
            refusal("time = '5s'\nwarm-up = '1s'", "start-delay = '5999ms'"),
            None
        );
        let error =
            refusal("time = '5s'\nwarm-up = '1s'", "start-delay = '6s'").expect("a refusal");
        assert!(
            error.contains("step 'a', job 'late'") && error.contains("ends after 6s"),
            "{error}"
        );
        assert_eq!(
            refusal("time = '5s'\nstart-delay = '2s'", "start-delay = '6s'"),
            None,
            "the main job begins late too"
        );
        assert_eq!(
            refusal("bytes = '1g'", "start-delay = '1h'"),
            None,
            "how long the main job takes is not known"
        );
    }

    #[test]
    fn a_job_that_goes_on_to_its_end_has_one() {
        let error = refusal("time = '5s'", "to-its-end = true").expect("a refusal");
        assert!(error.contains("its own end"), "{error}");
        assert_eq!(
            refusal(
                "time = '5s'",
                "to-its-end = true\noperations = 9\nstart-delay = '6s'"
            ),
            None
        );
    }

    #[test]
    fn a_job_beside_does_not_wait_to_be_steady() {
        let error =
            refusal("time = '9s'", "until-steady = 'iops slope 1% over 5s'").expect("a refusal");
        assert!(
            error.contains("job 'late'") && error.contains("for the step itself"),
            "{error}"
        );
    }
}
