//! Was the page cache bypassed as requested?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_model::workload::Direct;

use crate::figures::executions::executions;
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "direct_refused",
    needs: &[
        "target.direct",
        "target.direct_refusal",
        "mount.file_system",
    ],
    meaning: "Where O_DIRECT does not work, reads and writes go through the page cache: the figures mix memory and storage.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let chosen = |direct: Direct| matches!(direct, Direct::Yes | Direct::Try);
    let requested = case.plan.is_none() || case.any_workload(|workload| chosen(workload.direct));
    if !requested {
        return Vec::new();
    }
    let mut shown = Vec::new();
    if case.environment.flag("target.direct") == Some(false) {
        shown.extend(case.facts(RULE.needs));
    }
    if let (Some(run), Some(plan)) = (case.run, case.plan) {
        for execution in executions(run).0 {
            let Some(step) = plan.steps.get(execution.step as usize) else {
                continue;
            };
            let buffered = |(job, engine): &(&u32, &&plumb_model::run::EngineRecord)| {
                engine.direct == Some(false)
                    && step
                        .jobs
                        .get(**job as usize)
                        .is_some_and(|job| chosen(job.workload.direct))
            };
            if let Some((_, engine)) = execution.engines.iter().find(buffered) {
                let mut refused = engine.refused.iter();
                let reason = refused.find(|refused| refused.id == "refused-o-direct");
                shown.push(evidence(
                    Statement::new("direct-refused-in").name("step", &step.name),
                    reason
                        .cloned()
                        .unwrap_or_else(|| Statement::new("direct-refused-buffered")),
                    Statement::new("source-engine-opened").name("engine", &engine.name),
                ));
                break;
            }
        }
    }
    if shown.is_empty() {
        return Vec::new();
    }
    let claim = Statement::new("direct-refused");
    let advice = Statement::new("direct-refused-advice");
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder, step};
    use plumb_model::environment::Fact;
    use plumb_model::run::Event;
    use plumb_model::statement::Statement;
    use plumb_model::workload::Workload;

    pub fn examples() -> Examples {
        let environment = |works: bool| {
            Scene::environment(&[
                ("target.direct", Fact::Flag(works)),
                ("target.direct_refusal", Fact::Text("EINVAL".into())),
            ])
        };
        let run = |direct: bool| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &[Interval::default()]);
            let mut run = builder.finish();
            for note in &mut run.notes {
                if let Event::EngineOpened { engine, .. } = &mut note.event {
                    engine.direct = Some(direct);
                }
            }
            Scene::run(run)
        };
        let buffered = vec![step("read", "read", &[], Workload::default())];
        Examples {
            fires: vec![environment(false), run(false)],
            silent: vec![
                environment(true),
                environment(false).planned(buffered),
                run(true),
            ],
        }
    }

    #[test]
    fn the_reason_of_the_engine_is_evidence() {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        let mut run = builder.finish();
        let value = |run: &plumb_model::run::Run| {
            let found = Scene::run(run.clone()).judge(&super::RULE).remove(0);
            crate::english::of_evidence(&found.evidence[0])[1].clone()
        };
        let mut set = |refused: Vec<Statement>| {
            for note in &mut run.notes {
                if let Event::EngineOpened { engine, .. } = &mut note.event {
                    (engine.direct, engine.refused) = (Some(false), refused.clone());
                }
            }
            value(&run)
        };
        let sqpoll = Statement::verbatim("SQPOLL: EPERM, not DIRECT");
        assert_eq!(set(vec![sqpoll.clone()]), "buffered I/O");
        let direct = Statement::new("refused-o-direct").name("reason", "EINVAL");
        assert_eq!(set(vec![sqpoll, direct]), "O_DIRECT: EINVAL");
    }
}
