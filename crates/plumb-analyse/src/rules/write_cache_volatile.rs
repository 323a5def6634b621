//! Are writes acknowledged before they are durable?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_model::workload::{OperationKind, Sync, Workload};

use crate::command_line::again;
use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "write_cache_volatile",
    needs: &["device.write_cache", "device.name", "device.model"],
    meaning: "A device with a write-back cache reports a write done when it is in the device's memory (Documentation/block/writeback_cache_control.rst); without fsync, O_DSYNC or O_SYNC the figures are those of writes that a power failure may lose.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn writes_unsafely(workload: &Workload) -> bool {
    let writes = workload.mix.0.iter().any(|(kind, _)| kind.writes_blocks());
    let flushes = workload
        .mix
        .0
        .iter()
        .any(|(kind, _)| *kind == OperationKind::Flush);
    writes
        && !flushes
        && workload.sync == Sync::None
        && workload.fsync_every == 0
        && !workload.flush_at_end
}

fn judge(case: &Case) -> Vec<Finding> {
    let write_back = case.environment.text("device.write_cache") == Some("write back");
    if !write_back || !(case.plan.is_none() || case.any_workload(writes_unsafely)) {
        return Vec::new();
    }
    let claim = Statement::new("write-cache-volatile");
    let advice = Statement::new("write-cache-volatile-advice");
    let mut found = finding(&RULE, Severity::Info, claim, case.facts(RULE.needs), advice);
    found.experiment = case
        .run
        .and_then(|run| again(run, &[("sync", "dsync".to_string())]));
    vec![found]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{ladder, step};
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let environment =
            |cache: &str| Scene::environment(&[("device.write_cache", Text(cache.into()))]);
        let safe = Workload {
            mix: "write".parse().expect("a mix"),
            sync: Sync::Dsync,
            ..Workload::default()
        };
        Examples {
            fires: vec![
                environment("write back"),
                environment("write back").planned(ladder("write", &[1])),
            ],
            silent: vec![
                environment("write through"),
                environment("write back").planned(ladder("read", &[1])),
                environment("write back").planned(vec![step("log", "log", &[], safe)]),
            ],
        }
    }
}
