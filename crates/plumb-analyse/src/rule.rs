//! What is a rule? A check of the environment or a run that fires with evidence, or stays silent.

use plumb_model::environment::Environment;
use plumb_model::environment::fact_unit::in_unit;
use plumb_model::plan::{Plan, Step};
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::{StepSummary, Summary};
use plumb_model::run::Run;
use plumb_model::statement::{Argument, Statement};
use plumb_model::workload::{Job, Workload};

/// A rule: one file in `rules/`, named by its finding.
pub struct Rule {
    /// The finding's name, equal to the file's.
    pub name: &'static str,
    /// Ids of the facts ([`plumb_model::environment::FACTS`]) and metrics (`disk.read_bytes`) that it uses besides plan, ticks and notes.
    pub needs: &'static [&'static str],
    /// One or two sentences for the reference pages: what is judged, and why it matters.
    pub meaning: &'static str,
    /// Judges; returns no findings if required data is missing.
    pub judge: fn(&Case) -> Vec<Finding>,
    /// Cases on which it must fire and must be silent, for the contract test.
    #[cfg(test)]
    pub examples: fn() -> Examples,
}

/// All that a rule may look at. Before a run there is only the environment, and the plan when one is known.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub environment: &'a Environment,
    pub plan: Option<&'a Plan>,
    pub run: Option<&'a Run>,
    /// The figures of `run`.
    pub summary: Option<&'a Summary>,
}

impl<'a> Case<'a> {
    /// The jobs of the plan with their steps.
    pub fn jobs(&self) -> impl Iterator<Item = (&'a Step, &'a Job)> + use<'a> {
        self.plan
            .into_iter()
            .flat_map(|plan| &plan.steps)
            .flat_map(|step| step.jobs.iter().map(move |job| (step, job)))
    }

    /// True when a job of the plan has such a workload; false without a plan.
    pub fn any_workload(&self, fits: impl Fn(&Workload) -> bool) -> bool {
        self.jobs().any(|(_, job)| fits(&job.workload))
    }

    /// The steps that ran, with their plan.
    pub fn steps(&self) -> impl Iterator<Item = (&'a Step, &'a StepSummary)> + use<'a> {
        let plan = self.plan;
        let steps = self.summary.into_iter().flat_map(|summary| &summary.steps);
        steps.filter_map(move |step| Some((plan?.steps.get(step.step as usize)?, step)))
    }

    /// A fact as evidence, when it is known.
    pub fn fact(&self, id: &str) -> Option<Evidence> {
        use plumb_model::environment::Fact;
        let value = match self.environment.facts.get(id)? {
            Fact::Text(text) => text.as_str().into(),
            Fact::Number(number) => in_unit(id, *number).unwrap_or(Argument::Number(*number)),
            Fact::Flag(true) => Statement::new("label-yes").into(),
            Fact::Flag(false) => Statement::new("label-no").into(),
            Fact::Unknown(_) => return None,
        };
        Some(evidence(id, value, Statement::new("source-environment")))
    }

    /// Several facts as evidence; unknown ones are left out.
    pub fn facts(&self, ids: &[&str]) -> Vec<Evidence> {
        ids.iter().filter_map(|id| self.fact(id)).collect()
    }
}

/// A number as evidence. `what` is the id of a fact or metric, or a statement.
pub fn evidence(
    what: impl Into<Argument>,
    value: impl Into<Argument>,
    source: Statement,
) -> Evidence {
    Evidence {
        what: what.into(),
        value: value.into(),
        source,
    }
}

/// A finding without ruled-out alternatives, prediction or experiment; add these if known.
pub fn finding(
    rule: &Rule,
    severity: Severity,
    claim: Statement,
    evidence: Vec<Evidence>,
    advice: Statement,
) -> Finding {
    Finding {
        rule: rule.name.to_string(),
        severity,
        claim,
        evidence,
        ruled_out: Vec::new(),
        advice,
        predicted_effect: None,
        experiment: None,
    }
}

/// Most steps that a finding lists one by one.
const LISTED: usize = 5;

/// Names for a claim: `a`, `a and b`, `a and 3 other steps`.
pub fn name_steps(names: &[&str]) -> Statement {
    match names {
        [] => Statement::new("none"),
        [one] => Statement::new("steps-one").name("step", *one),
        [one, other] => Statement::new("steps-two")
            .name("first", *one)
            .name("second", *other),
        [one, rest @ ..] => Statement::new("steps-more")
            .name("first", *one)
            .count("more", rest.len() as u64),
    }
}

/// Several sentences as one statement; `none` when there are none.
pub fn sentences(statements: impl IntoIterator<Item = Statement>) -> Statement {
    statements
        .into_iter()
        .reduce(|before, next| {
            Statement::new("sentences")
                .part("before", before)
                .part("next", next)
        })
        .unwrap_or_else(|| Statement::new("none"))
}

/// Shortens a list of evidence, and states how many were left out.
pub fn shortened(mut evidence: Vec<Evidence>) -> Vec<Evidence> {
    let more = evidence.len().saturating_sub(LISTED);
    if more > 0 {
        evidence.truncate(LISTED);
        evidence.push(self::evidence(
            Statement::new("not-listed"),
            Statement::new("more-of-this-kind").count("more", more as u64),
            Statement::new("source-summary"),
        ));
    }
    evidence
}

/// What a rule is tested on.
#[cfg(test)]
pub struct Examples {
    pub fires: Vec<Scene>,
    pub silent: Vec<Scene>,
}

/// An environment, plan or run to judge.
#[cfg(test)]
pub struct Scene {
    pub environment: Environment,
    pub plan: Option<Plan>,
    pub run: Option<Run>,
}

#[cfg(test)]
impl Scene {
    /// Environment with these facts, before any plan.
    pub fn environment(facts: &[(&str, plumb_model::environment::Fact)]) -> Scene {
        let mut environment = Environment::default();
        facts
            .iter()
            .for_each(|(id, fact)| environment.set(*id, fact.clone()));
        Scene {
            environment,
            plan: None,
            run: None,
        }
    }

    /// The same with a plan.
    pub fn planned(mut self, steps: Vec<Step>) -> Scene {
        self.plan = Some(crate::synthetic::plan(steps));
        self
    }

    /// A run with its own environment and plan.
    pub fn run(run: Run) -> Scene {
        Scene {
            environment: run.header.environment.clone(),
            plan: Some(run.header.plan.clone()),
            run: Some(run),
        }
    }

    /// Findings of the rule.
    pub fn judge(&self, rule: &Rule) -> Vec<Finding> {
        let summary = self.run.as_ref().map(crate::figures::summarise::figures);
        let case = Case {
            environment: &self.environment,
            plan: self.plan.as_ref(),
            run: self.run.as_ref(),
            summary: summary.as_ref(),
        };
        (rule.judge)(&case)
    }
}
