//! Did operations fail?

use plumb_model::finding::{Finding, Severity};
use plumb_model::run::Event;
use plumb_model::summary::StepSummary;
use plumb_model::units::show_count;

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "errors_occurred",
    needs: &[],
    meaning: "Operations that failed or moved fewer bytes than asked are in no rate and no latency: with many of them the figures tell of something else than was asked for.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let of = |step: &StepSummary| -> u64 {
        step.total.errors_by_kind.iter().filter(|(kind, _)| *kind != "mismatch").map(|(_, count)| count).sum()
    };
    let failed: Vec<_> = case.steps().map(|(_, step)| step).filter(|step| of(step) > 0).collect();
    if failed.is_empty() {
        return Vec::new();
    }
    let mut shown = Vec::new();
    for step in &failed {
        let kinds = step.total.errors_by_kind.iter().filter(|(kind, _)| *kind != "mismatch");
        let text = kinds.map(|(kind, count)| format!("{} x {kind}", show_count(*count as f64))).collect::<Vec<_>>().join(", ");
        shown.push(evidence(format!("errors of '{}'", step.name), text, "ticks"));
    }
    let mut shown = shortened(shown);
    let first = case.run.into_iter().flat_map(|run| &run.notes).find_map(|note| match &note.event {
        Event::FirstError { kind, error, path, offset, .. } => Some(format!("{kind} at offset {offset} of {path}: {error}")),
        _ => None,
    });
    shown.extend(first.map(|text| evidence("first error", text, "notes")));
    let errors: u64 = failed.iter().map(|step| of(step)).sum();
    let operations: u64 = failed.iter().map(|step| step.total.count).sum();
    // More than one in a thousand is no accident: the figures of such a step are those of another workload.
    let severity = if errors * 1000 > operations { Severity::Severe } else { Severity::Warning };
    let names: Vec<&str> = failed.iter().map(|step| step.name.as_str()).collect();
    let (noun, verb) = if errors == 1 { ("operation", "is") } else { ("operations", "are") };
    let claim = format!("{} {noun} failed in {}; they {verb} in no rate and no latency.", show_count(errors as f64), name_steps(&names));
    let claim = if errors == 1 { claim.replace("they is", "it is") } else { claim };
    vec![finding(&RULE, severity, claim, shown, advice(&failed))]
}

/// Names of errors by which operations in flight fail when their connection is lost.
const OF_CONNECTIONS: &[&str] = &["ECONNRESET", "ENOTCONN", "ETIMEDOUT", "EPIPE", "ECONNABORTED"];

fn advice(failed: &[&StepSummary]) -> &'static str {
    let mut kinds = failed.iter().flat_map(|step| step.total.errors_by_kind.keys());
    if kinds.all(|kind| OF_CONNECTIONS.contains(&kind.as_str())) {
        "They were in flight when the connection was lost: look for that moment in the server's log and at the link."
    } else {
        "Look into the kernel's log (dmesg) and at the device's health before trusting the storage or these figures."
    }
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |errors: Vec<(&'static str, u64)>| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &[Interval { errors, ..Interval::default() }]);
            Scene::run(builder.finish())
        };
        Examples { fires: vec![run(vec![("EIO", 3)]), run(vec![("short", 1)])], silent: vec![run(vec![]), run(vec![("mismatch", 2)])] }
    }
}
