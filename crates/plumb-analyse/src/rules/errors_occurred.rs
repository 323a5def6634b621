//! Did operations fail?

use std::collections::BTreeMap;

use plumb_model::finding::{Finding, Severity};
use plumb_model::plan::Step;
use plumb_model::remote::Scheme;
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
    of_steps(case).into_iter().chain(of_warm_up(case)).collect()
}

/// Errors of the warm-up are in no figure; the storage that made them is the one that was measured.
fn of_warm_up(case: &Case) -> Option<Finding> {
    let (planned, failed): (Vec<&Step>, Vec<&StepSummary>) = case
        .steps()
        .filter(|(_, step)| !step.warm_up_errors.is_empty())
        .unzip();
    let errors: u64 = failed
        .iter()
        .flat_map(|step| step.warm_up_errors.values())
        .sum();
    if errors == 0 {
        return None;
    }
    let shown = failed.iter().map(|step| {
        evidence(
            format!("errors in the warm-up of '{}'", step.name),
            kinds_text(&step.warm_up_errors),
            "ticks",
        )
    });
    let names: Vec<&str> = failed.iter().map(|step| step.name.as_str()).collect();
    let (noun, verb) = if errors == 1 {
        ("operation", "it is")
    } else {
        ("operations", "they are")
    };
    let claim = format!(
        "{} {noun} failed in the warm-up of {}; {verb} in no figure.",
        show_count(errors as f64),
        name_steps(&names)
    );
    let advice = advice(&planned, &failed, |step| &step.warm_up_errors);
    // Wrong data is no accident, whenever it was read.
    let (severity, advice) = match failed
        .iter()
        .any(|step| step.warm_up_errors.contains_key("mismatch"))
    {
        true => (
            Severity::Severe,
            format!(
                "Stop using this storage for data that matters until the cause is found. {advice}"
            )
            .trim_end()
            .into(),
        ),
        false => (Severity::Warning, advice),
    };
    Some(finding(
        &RULE,
        severity,
        claim,
        shortened(shown.collect()),
        advice,
    ))
}

/// `3 x EIO, 1 x short`.
fn kinds_text(errors: &BTreeMap<String, u64>) -> String {
    errors
        .iter()
        .map(|(kind, count)| format!("{} x {kind}", show_count(*count as f64)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn of_steps(case: &Case) -> Vec<Finding> {
    let of = |step: &StepSummary| -> u64 {
        step.total
            .errors_by_kind
            .iter()
            .filter(|(kind, _)| *kind != "mismatch")
            .map(|(_, count)| count)
            .sum()
    };
    let (planned, failed): (Vec<&Step>, Vec<&StepSummary>) =
        case.steps().filter(|(_, step)| of(step) > 0).unzip();
    if failed.is_empty() {
        return Vec::new();
    }
    let mut shown = Vec::new();
    for step in &failed {
        let kinds = step
            .total
            .errors_by_kind
            .iter()
            .filter(|(kind, _)| *kind != "mismatch");
        let text = kinds
            .map(|(kind, count)| format!("{} x {kind}", show_count(*count as f64)))
            .collect::<Vec<_>>()
            .join(", ");
        shown.push(evidence(
            format!("errors of '{}'", step.name),
            text,
            "ticks",
        ));
    }
    let mut shown = shortened(shown);
    let first = case
        .run
        .into_iter()
        .flat_map(|run| &run.notes)
        .find_map(|note| match &note.event {
            Event::FirstError {
                kind,
                error,
                path,
                offset,
                ..
            } => Some(format!("{kind} {}: {error}", kind.place(*offset, path))),
            _ => None,
        });
    shown.extend(first.map(|text| evidence("first error", text, "notes")));
    let errors: u64 = failed.iter().map(|step| of(step)).sum();
    let operations: u64 = failed.iter().map(|step| step.all_operations()).sum();
    // More than one in a thousand is no accident: the figures of such a step are those of another workload.
    let severity = if errors * 1000 > operations {
        Severity::Severe
    } else {
        Severity::Warning
    };
    let names: Vec<&str> = failed.iter().map(|step| step.name.as_str()).collect();
    let (noun, verb) = if errors == 1 {
        ("operation", "is")
    } else {
        ("operations", "are")
    };
    let claim = format!(
        "{} {noun} failed in {}; they {verb} in no rate and no latency.",
        show_count(errors as f64),
        name_steps(&names)
    );
    let claim = if errors == 1 {
        claim.replace("they is", "it is")
    } else {
        claim
    };
    vec![finding(
        &RULE,
        severity,
        claim,
        shown,
        advice(&planned, &failed, |step| &step.total.errors_by_kind),
    )]
}

/// Names of errors by which operations in flight fail when their connection is lost.
const OF_CONNECTIONS: &[&str] = &[
    "ECONNRESET",
    "ETIMEDOUT",
    "EPIPE",
    "ECONNABORTED",
    "ECANCELED",
];
/// Of those that found no connection.
const WITHOUT_CONNECTION: &str = "ENOTCONN";

/// What to do, a sentence for each group of errors.
fn advice(
    planned: &[&Step],
    failed: &[&StepSummary],
    errors: fn(&StepSummary) -> &BTreeMap<String, u64>,
) -> String {
    // Each error with the target of its step's main job.
    let of_step = |(planned, step): (&&Step, &&StepSummary)| {
        let remote = planned
            .jobs
            .first()
            .and_then(|job| job.target.remote())
            .map(|remote| remote.scheme);
        let kinds = errors(step).keys().filter(|kind| *kind != "mismatch");
        kinds.map(|kind| (kind.clone(), remote)).collect::<Vec<_>>()
    };
    let mut left: Vec<(String, Option<Scheme>)> =
        planned.iter().zip(failed).flat_map(of_step).collect();
    let mut said = Vec::new();
    let mut take = |fits: &dyn Fn(&str, Option<Scheme>) -> bool| {
        let before = left.len();
        left.retain(|(kind, scheme)| !fits(kind, *scheme));
        left.len() < before
    };
    let in_flight = take(&|kind, scheme| scheme.is_some() && OF_CONNECTIONS.contains(&kind));
    let without = take(&|kind, scheme| scheme.is_some() && kind == WITHOUT_CONNECTION);
    said.extend(match (in_flight, without) {
        (true, true) => Some("Those with ENOTCONN came while there was no connection, those in flight when it was lost have the other errors: look for that moment in the server's log and at the link."),
        (true, false) => Some("They were in flight when the connection was lost: look for that moment in the server's log and at the link."),
        (false, true) => Some("Those with ENOTCONN came while there was no connection: look for the moment when it was lost in the server's log and at the link."),
        (false, false) => None,
    });
    if take(&|kind, _| ["ENOSPC", "EDQUOT"].contains(&kind)) {
        said.push("ENOSPC: the file system or share is full, EDQUOT: a quota is used up; make room there, or ask for less (--size).");
    }
    if take(&|kind, _| ["EACCES", "EPERM", "EROFS"].contains(&kind)) {
        said.push("EACCES, EPERM and EROFS are a matter of rights: look whether this user may do that there, and whether it is mounted or shared read-only.");
    }
    if take(&|kind, _| ["ENOENT", "ESTALE"].contains(&kind)) {
        said.push(
            "ENOENT and ESTALE: files were there and are gone, something else removes them; find it, or measure in a folder of your own.",
        );
    }
    if take(&|_, scheme| scheme.is_some_and(Scheme::is_share)) {
        said.push("Look into the server's log, and at its storage, before trusting the share or these figures.");
    }
    if take(&|_, scheme| scheme.is_some()) {
        said.push("Look at what the program at the other end says, before trusting these figures.");
    }
    if take(&|_, _| true) {
        said.push("Look into the kernel's log (dmesg) and at the device's health before trusting the storage or these figures.");
    }
    said.join(" ")
}

#[cfg(test)]
mod tests {
    use plumb_model::finding::Severity;
    use plumb_model::run::Event;
    use plumb_model::tick::Phase;
    use plumb_model::workload::OperationKind;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |errors: Vec<(&'static str, u64)>| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(
                0,
                0,
                &[Interval {
                    errors,
                    ..Interval::default()
                }],
            );
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![run(vec![("EIO", 3)]), run(vec![("short", 1)])],
            silent: vec![run(vec![]), run(vec![("mismatch", 2)])],
        }
    }

    #[test]
    fn what_to_do_follows_from_error_and_target() {
        let advice = |target: &str, errors: Vec<(&'static str, u64)>| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(
                0,
                0,
                &[Interval {
                    errors,
                    ..Interval::default()
                }],
            );
            let mut run = builder.finish();
            run.header.plan.steps[0].jobs[0].target = target.parse().expect("a target");
            Scene::run(run).judge(&super::RULE).remove(0).advice
        };
        let (share, peer) = ("smb://server/share", "rdma://server");
        assert!(advice("/dev/sda", vec![("EIO", 1)]).contains("dmesg"));
        assert!(
            advice("/dev/sda", vec![("ETIMEDOUT", 1)]).contains("dmesg"),
            "a device that does not answer has lost no connection"
        );
        assert!(advice(share, vec![("EIO", 1)]).starts_with("Look into the server's log"));
        assert!(
            advice(share, vec![("ENOSPC", 1)]).contains("full")
                && !advice(share, vec![("ENOSPC", 1)]).contains("log")
        );
        assert!(advice("/data", vec![("EDQUOT", 1)]).contains("quota"));
        assert!(
            advice(share, vec![("EACCES", 1)]).contains("rights")
                && advice("/data", vec![("EROFS", 1)]).contains("read-only")
        );
        assert!(advice(share, vec![("ENOENT", 1)]).contains("removes them"));
        assert!(
            advice(peer, vec![("ECANCELED", 1)])
                .starts_with("They were in flight when the connection was lost")
        );
        assert!(
            advice("tcp://server", vec![("ENOTCONN", 54)])
                .starts_with("Those with ENOTCONN came while there was no connection:")
        );
        let both = advice(
            "tcp://server",
            vec![("ENOTCONN", 54), ("ECONNRESET", 1), ("EACCES", 1)],
        );
        assert!(
            both.contains("have the other errors") && both.contains("rights"),
            "{both}"
        );
    }

    #[test]
    fn errors_of_the_warm_up_are_told_apart_from_those_that_were_measured() {
        let findings = |errors: Vec<(&'static str, u64)>, measured: Vec<(&'static str, u64)>| {
            let mut builder = Builder::new(ladder("read", &[1]));
            let warm_up = Interval {
                phase: Phase::WarmUp,
                errors,
                ..Interval::default()
            };
            builder.execute(
                0,
                0,
                &[
                    warm_up,
                    Interval {
                        errors: measured,
                        ..Interval::default()
                    },
                ],
            );
            Scene::run(builder.finish()).judge(&super::RULE)
        };
        let told = findings(vec![("EIO", 3), ("short", 1)], vec![]).remove(0);
        assert!(
            told.claim
                .starts_with("4 operations failed in the warm-up of 'random-read depth=1'"),
            "{}",
            told.claim
        );
        assert_eq!(
            (told.evidence[0].value.as_str(), told.severity),
            ("3 x EIO, 1 x short", Severity::Warning)
        );
        assert!(told.advice.contains("dmesg"), "{}", told.advice);
        assert_eq!(
            findings(vec![("mismatch", 1)], vec![]).remove(0).severity,
            Severity::Severe
        );
        assert_eq!(findings(vec![("EIO", 1)], vec![("EIO", 1)]).len(), 2);
    }

    #[test]
    fn the_first_error_says_where_it_happened() {
        let place = |kind: OperationKind| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(
                0,
                0,
                &[Interval {
                    errors: vec![("EIO", 1)],
                    ..Interval::default()
                }],
            );
            let (error, path) = ("EIO".to_string(), "/data".to_string());
            builder.note(Event::FirstError {
                execution: 0,
                job: 0,
                kind,
                error,
                path,
                offset: 456,
            });
            Scene::run(builder.finish())
                .judge(&super::RULE)
                .remove(0)
                .evidence[1]
                .value
                .clone()
        };
        assert_eq!(
            place(OperationKind::Read),
            "read at offset 456 of /data: EIO"
        );
        assert_eq!(
            place(OperationKind::Create),
            "create of file 456 of /data: EIO"
        );
        assert_eq!(place(OperationKind::PingPong), "ping-pong with /data: EIO");
    }
}
