//! Do workers go over one target in step?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_model::workload::Workload;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "workers_read_the_same",
    needs: &["target.kind"],
    meaning: "Workers that all begin at the start of one file or device read the same blocks one after the other: all but the first may find them in the cache of the system, of the device or of a server.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn reads_in_step(workload: &Workload) -> bool {
    workload.same_start && workload.workers > 1 && workload.reads_blocks()
}

fn judge(case: &Case) -> Vec<Finding> {
    // Nothing is cached where nothing is stored.
    if case.environment.text("target.kind").is_none() {
        return Vec::new();
    }
    let mut jobs = case.jobs().map(|(_, job)| &job.workload);
    let Some(workload) = jobs.find(|workload| reads_in_step(workload)) else {
        return Vec::new();
    };
    let claim =
        Statement::new("workers-read-the-same").count("workers", u64::from(workload.workers));
    let advice = Statement::new("workers-read-the-same-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::ladder;
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let scene = |pattern: &str, workers: u32, same_start: bool| {
            let mut steps = ladder(pattern, &[1]);
            for job in steps.iter_mut().flat_map(|step| &mut step.jobs) {
                (job.workload.workers, job.workload.same_start) = (workers, same_start);
            }
            Scene::environment(&[("target.kind", Text("file".into()))]).planned(steps)
        };
        Examples {
            fires: vec![scene("read", 4, true)],
            silent: vec![
                scene("read", 4, false),
                scene("read", 1, true),
                scene("write", 4, true),
            ],
        }
    }
}
