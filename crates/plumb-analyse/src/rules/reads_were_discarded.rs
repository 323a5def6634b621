//! Was received data discarded in the kernel instead of copied to the program?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::active;
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "reads_were_discarded",
    needs: &[],
    meaning: "With skip-rx-copy the kernel drops the data of large reads behind their headers (recv(2) with MSG_TRUNC), as iperf3 --skip-rx-copy does: server and network are measured without the client's copy, which costs an application CPU time and often rate.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let mut names: Vec<&str> = Vec::new();
    for (_, step) in case.steps() {
        let record = step.engine_record.as_ref();
        if record.is_some_and(|record| record.has(active::DISCARDS)) {
            names.push(&step.name);
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    let shown = names.iter().map(|name| {
        evidence(
            Statement::new("reads-were-discarded-in").name("step", *name),
            active::DISCARDS,
            Statement::new("source-engine-or-plan"),
        )
    });
    let claim = Statement::new("reads-were-discarded").part("steps", name_steps(&names));
    let advice = Statement::new("reads-were-discarded-advice");
    vec![finding(
        &RULE,
        Severity::Info,
        claim,
        shortened(shown.collect()),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use plumb_model::run::Event;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    fn run(option: &str) -> Scene {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        let mut run = builder.finish();
        for note in &mut run.notes {
            if let Event::EngineOpened { engine, .. } = &mut note.event {
                engine.active.push(option.to_string());
            }
        }
        Scene::run(run)
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![run(super::active::DISCARDS)],
            silent: vec![run("SMB 3.1.1")],
        }
    }
}
