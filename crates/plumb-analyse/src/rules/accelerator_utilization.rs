//! Did the storage keep the accelerators of a training reader busy?

use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::StepSummary;
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "accelerator_utilization",
    needs: &[],
    meaning: "A step with prefetch reads the batches of a training job: each worker is an accelerator that computes for a fixed time on each batch, and waits where the next one has not been read. The share of the time in which it computes is what MLPerf Storage calls accelerator utilization.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// The figures of a step.
struct Training<'a> {
    step: &'a str,
    utilization_percent: f64,
    samples_per_s: f64,
    accelerators: u64,
}

fn judge(case: &Case) -> Vec<Finding> {
    let mut steps: Vec<Training> = case
        .steps()
        .filter_map(|(planned, step)| of_step(planned, step))
        .collect();
    let shown: Vec<Evidence> = steps.iter().map(seen).collect();
    steps.sort_by(|a, b| a.utilization_percent.total_cmp(&b.utilization_percent));
    let claim = match steps.as_slice() {
        [] => return Vec::new(),
        [one] => Statement::new("accelerator-utilization")
            .percent("utilization", one.utilization_percent)
            .name("step", one.step),
        [lowest, .., highest] => Statement::new("accelerator-utilization-range")
            .percent("lowest", lowest.utilization_percent)
            .name("slowest", lowest.step)
            .percent("highest", highest.utilization_percent)
            .name("fastest", highest.step),
    };
    let advice = Statement::new("accelerator-utilization-advice");
    vec![finding(&RULE, Severity::Info, claim, shown, advice)]
}

/// Each batch that was read is a batch that was computed: what is read ahead when the measurement begins was read before, and as much is read ahead when it ends.
fn of_step<'a>(planned: &Step, step: &'a StepSummary) -> Option<Training<'a>> {
    // With several jobs the completions of the others would count as batches.
    let [job] = planned.jobs.as_slice() else {
        return None;
    };
    let workload = &job.workload;
    workload.prefetch?;
    let operations = workload.burst_operations as f64;
    let batches_per_s = step.total.iops? / operations;
    let ranks = step.ranks.as_ref().map_or(1, |ranks| ranks.ranks.len());
    let accelerators = u64::from(workload.workers) * ranks as u64;
    let compute_s = workload.burst_pause.0 as f64 / 1e9;
    let busy = batches_per_s * compute_s / accelerators as f64;
    (operations > 0.0 && accelerators > 0).then(|| Training {
        step: &step.name,
        utilization_percent: 100.0 * busy.min(1.0),
        samples_per_s: batches_per_s
            * workload
                .burst_samples
                .map_or(operations, |samples| samples as f64),
        accelerators,
    })
}

fn seen(training: &Training) -> Evidence {
    let what = Statement::new("accelerator-utilization-of").name("step", training.step);
    let value = Statement::new("accelerator-utilization-figures")
        .percent("utilization", training.utilization_percent)
        .number("samples", training.samples_per_s)
        .count("accelerators", training.accelerators);
    evidence(what, value, Statement::new("source-ticks"))
}

#[cfg(test)]
mod tests {
    use plumb_model::units::Nanos;
    use plumb_model::workload::Workload;

    use crate::english::{in_english, of_evidence};
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, step};

    /// Two accelerators that compute for 100 ms on each batch of 10 reads, which are 4 samples: 200 reads per second keep them busy.
    fn run(iops: &[f64], prefetch: Option<u64>) -> Scene {
        let workload = Workload {
            workers: 2,
            burst_operations: 10,
            burst_pause: Nanos(100_000_000),
            burst_samples: prefetch.map(|_| 4),
            prefetch,
            ..Workload::default()
        };
        let names: Vec<String> = (0..iops.len()).map(|n| format!("read-{n}")).collect();
        let steps = names
            .iter()
            .map(|name| step(name, name, &[], workload.clone()));
        let mut builder = Builder::new(steps.collect());
        for (number, iops) in iops.iter().enumerate() {
            let interval = Interval {
                iops: *iops,
                ..Interval::default()
            };
            builder.execute(number as u32, 0, &vec![interval; 5]);
        }
        Scene::run(builder.finish())
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![run(&[150.0], Some(2)), run(&[150.0, 200.0], Some(0))],
            silent: vec![run(&[150.0], None)],
        }
    }

    #[test]
    fn utilization_is_compute_time_by_time_and_samples_are_those_of_the_batches() {
        let found = run(&[150.0], Some(2)).judge(&super::RULE).remove(0);
        let claim = in_english(&found.claim);
        assert!(claim.contains("75 %"), "{claim}");
        let [_, figures, _] = of_evidence(&found.evidence[0]);
        assert!(figures.contains("75 %"), "{figures}");
        assert!(figures.contains("60 samples/s"), "{figures}");
        assert!(figures.contains("2 accelerators"), "{figures}");
        let both = run(&[150.0, 210.0], Some(2)).judge(&super::RULE).remove(0);
        let claim = in_english(&both.claim);
        assert!(
            claim.contains("75 % of the time in 'read-0'") && claim.contains("100 % in 'read-1'"),
            "more than all of the time is what was read ahead: {claim}"
        );
    }
}
