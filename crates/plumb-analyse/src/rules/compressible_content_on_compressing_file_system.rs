//! Does the file system or the device below shrink what is written?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_model::workload::{Content, Workload};

use crate::command_line::again;
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "compressible_content_on_compressing_file_system",
    needs: &[
        "mount.compresses",
        "mount.deduplicates",
        "mount.file_system",
        "mount.options",
    ],
    meaning: "A file system that compresses or deduplicates stores zeros, patterns and repeated blocks almost for nothing: the figures are then those of the CPU, not of the storage.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Why the content of a workload shrinks: compressible, or repeated.
fn shrinks(workload: &Workload, compresses: bool, deduplicates: bool) -> bool {
    let constant = workload.content != Content::Random;
    let compressible = constant || workload.compress_percent > 0.0;
    let repeated =
        constant && workload.content != Content::Scrambled || workload.dedupe_percent > 0.0;
    workload.modifies() && ((compresses && compressible) || (deduplicates && repeated))
}

fn judge(case: &Case) -> Vec<Finding> {
    let compresses = case.environment.flag("mount.compresses") == Some(true);
    let deduplicates = case.environment.flag("mount.deduplicates") == Some(true);
    if !compresses && !deduplicates {
        return Vec::new();
    }
    let mut shown = case.facts(RULE.needs);
    let described = |workload: &Workload| {
        Statement::new("compressible-content-on-compressing-file-system-settings")
            .name("content", workload.content.to_string())
            .percent("compress", workload.compress_percent)
            .percent("dedupe", workload.dedupe_percent)
    };
    let found = case
        .jobs()
        .find(|(_, job)| shrinks(&job.workload, compresses, deduplicates));
    if let Some((step, job)) = found {
        shown.push(evidence(
            Statement::new("compressible-content-on-compressing-file-system-content"),
            described(&job.workload),
            Statement::new("source-plan-step").name("step", &step.name),
        ));
        let claim = Statement::new(if compresses {
            "compressible-content-on-compressing-file-system"
        } else {
            "compressible-content-on-compressing-file-system-deduplicates"
        });
        let mut reported = finding(
            &RULE,
            Severity::Warning,
            claim,
            shown,
            Statement::new("compressible-content-on-compressing-file-system-advice"),
        );
        let incompressible = [
            ("content", "random"),
            ("compress-percent", "0"),
            ("dedupe-percent", "0"),
        ];
        reported.experiment = case.run.and_then(|run| {
            again(
                run,
                &incompressible.map(|(key, value)| (key, value.to_string())),
            )
        });
        return vec![reported];
    }
    if case.plan.is_some() {
        return Vec::new();
    }
    let claim = Statement::new(if compresses {
        "compressible-content-on-compressing-file-system-before"
    } else {
        "compressible-content-on-compressing-file-system-deduplicates-before"
    });
    let advice = Statement::new("compressible-content-on-compressing-file-system-advice-before");
    vec![finding(&RULE, Severity::Info, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Examples, Scene};
    use crate::synthetic::step;
    use plumb_model::environment::Fact::Flag;

    pub fn examples() -> Examples {
        let environment =
            |compresses: bool| Scene::environment(&[("mount.compresses", Flag(compresses))]);
        let writes = |content: Content| {
            let workload = Workload {
                mix: "write".parse().expect("a mix"),
                content,
                ..Workload::default()
            };
            vec![step("write", "write", &[], workload)]
        };
        Examples {
            fires: vec![
                environment(true),
                environment(true).planned(writes(Content::Zeros)),
                environment(true).planned(writes(Content::Scrambled)),
            ],
            silent: vec![
                environment(true).planned(writes(Content::Random)),
                environment(false).planned(writes(Content::Zeros)),
            ],
        }
    }
}
