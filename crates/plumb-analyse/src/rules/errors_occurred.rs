//! Did operations fail?

use std::collections::BTreeMap;

use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::{PartSummary, StepSummary};

use plumb_model::run::Event;
use plumb_model::statement::{Argument, Statement};
use plumb_model::target::remote::Scheme;
use plumb_model::workload::OperationKind;

use crate::rule::{Case, Rule, evidence, finding, name_steps, sentences, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "errors_occurred",
    needs: &[],
    meaning: "Operations that failed or moved fewer bytes than asked are in no rate and no latency: with many of them the figures are not those of the requested workload.",
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
            Statement::new("errors-occurred-in-warm-up-of").name("step", &step.name),
            by_kind(&step.warm_up_errors),
            Statement::new("source-ticks"),
        )
    });
    let names: Vec<&str> = failed.iter().map(|step| step.name.as_str()).collect();
    let claim = Statement::new("errors-occurred-in-warm-up")
        .count("errors", errors)
        .part("steps", name_steps(&names));
    let advice = advice(&planned, &failed, |step| &step.warm_up_errors);
    // Wrong data is no accident, whenever it was read.
    let damaged = failed
        .iter()
        .any(|step| step.warm_up_errors.contains_key("mismatch"));
    let severity = if damaged {
        Severity::Severe
    } else {
        Severity::Warning
    };
    let stop = damaged.then(|| Statement::new("errors-occurred-stop-using-it"));
    Some(finding(
        &RULE,
        severity,
        claim,
        shortened(shown.collect()),
        sentences(stop.into_iter().chain(advice)),
    ))
}

/// `3 x EIO and 1 x short`.
fn by_kind<'a>(errors: impl IntoIterator<Item = (&'a String, &'a u64)>) -> Argument {
    let of = |(kind, count): (&String, &u64)| {
        let one = Statement::new("errors-occurred-of-kind")
            .count("count", *count)
            .name("kind", kind);
        Argument::from(one)
    };
    Argument::List(errors.into_iter().map(of).collect())
}

/// Errors of a step by kind, except wrong data, which has its own rule.
fn failures(step: &StepSummary) -> impl Iterator<Item = (&String, &u64)> {
    let errors = step.total.errors_by_kind.iter();
    errors.filter(|(kind, _)| *kind != "mismatch")
}

fn count_of(step: &StepSummary) -> u64 {
    failures(step).map(|(_, count)| count).sum()
}

/// The first recorded error, and its location.
fn first_error(case: &Case) -> Option<Evidence> {
    let notes = case.run.into_iter().flat_map(|run| &run.notes);
    let first = notes.into_iter().find_map(|note| match &note.event {
        Event::FirstError {
            kind,
            error,
            path,
            offset,
            ..
        } => Some((*kind, error, path, *offset)),
        _ => None,
    });
    let (kind, error, path, offset) = first?;
    let value = match kind {
        _ if kind.is_file_operation() => {
            Statement::new("errors-occurred-first-of-file").count("file", offset)
        }
        _ if kind.reads_blocks() || kind.writes_blocks() || kind == OperationKind::Trim => {
            Statement::new("errors-occurred-first-at-offset").name("offset", offset.to_string())
        }
        OperationKind::Flush | OperationKind::Copy => Statement::new("errors-occurred-first-of"),
        _ => Statement::new("errors-occurred-first-with"),
    }
    .name("operation", kind.word())
    .name("path", path)
    .name("error", error);
    Some(evidence(
        Statement::new("errors-occurred-first"),
        value,
        Statement::new("source-notes"),
    ))
}

/// Ranks of these steps in which operations failed, where many ran.
fn failed_ranks<'a>(steps: &[&'a StepSummary]) -> Vec<&'a PartSummary> {
    let ranks = steps.iter().filter_map(|step| step.ranks.as_ref());
    let ranks = ranks.flat_map(|step| &step.ranks);
    let failed = |rank: &&PartSummary| rank.errors.keys().any(|kind| kind != "mismatch");
    ranks.filter(failed).collect()
}

/// `3`, as in lists of names.
fn number_of(rank: &PartSummary) -> String {
    let number = rank.rank.map(|rank| rank.to_string());
    number.unwrap_or_default()
}

fn of_steps(case: &Case) -> Vec<Finding> {
    let (planned, failed): (Vec<&Step>, Vec<&StepSummary>) =
        case.steps().filter(|(_, step)| count_of(step) > 0).unzip();
    if failed.is_empty() {
        return Vec::new();
    }
    let shown = failed.iter().map(|step| {
        evidence(
            Statement::new("errors-occurred-of").name("step", &step.name),
            by_kind(failures(step)),
            Statement::new("source-ticks"),
        )
    });
    let mut shown = shortened(shown.collect());
    let ranks = failed_ranks(&failed);
    let of_ranks = ranks.iter().map(|rank| {
        let errors = rank.errors.iter().filter(|(kind, _)| *kind != "mismatch");
        evidence(
            Statement::new("rank-on-host")
                .name("rank", number_of(rank))
                .name("host", &rank.host),
            by_kind(errors),
            Statement::new("source-ends-of-ranks"),
        )
    });
    shown.extend(shortened(of_ranks.collect()));
    shown.extend(first_error(case));
    let errors: u64 = failed.iter().map(|step| count_of(step)).sum();
    let operations: u64 = failed.iter().map(|step| step.all_operations()).sum();
    // More than one in a thousand is no accident: the figures of such a step are those of another workload.
    let severity = if errors * 1000 > operations {
        Severity::Severe
    } else {
        Severity::Warning
    };
    let names: Vec<&str> = failed.iter().map(|step| step.name.as_str()).collect();
    let claim = match ranks.first() {
        Some(first) if ranks.iter().all(|rank| rank.rank == first.rank) => {
            Statement::new("errors-occurred-on-rank")
                .name("rank", number_of(first))
                .name("host", &first.host)
                .count("errors", errors)
                .part("steps", name_steps(&names))
        }
        _ => Statement::new("errors-occurred")
            .count("errors", errors)
            .part("steps", name_steps(&names)),
    };
    vec![finding(
        &RULE,
        severity,
        claim,
        shown,
        sentences(advice(&planned, &failed, |step| &step.total.errors_by_kind)),
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
) -> Vec<Statement> {
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
    let mut statements = Vec::new();
    let mut take = |fits: &dyn Fn(&str, Option<Scheme>) -> bool| {
        let before = left.len();
        left.retain(|(kind, scheme)| !fits(kind, *scheme));
        left.len() < before
    };
    let in_flight = take(&|kind, scheme| scheme.is_some() && OF_CONNECTIONS.contains(&kind));
    let without = take(&|kind, scheme| scheme.is_some() && kind == WITHOUT_CONNECTION);
    statements.extend(match (in_flight, without) {
        (true, true) => Some(Statement::new(
            "errors-occurred-in-flight-and-without-connection",
        )),
        (true, false) => Some(Statement::new("errors-occurred-in-flight")),
        (false, true) => Some(Statement::new("errors-occurred-without-connection")),
        (false, false) => None,
    });
    if take(&|kind, scheme| scheme.is_some() && kind == "SlowDown") {
        statements.push(Statement::new("errors-occurred-slow-down"));
    }
    if take(&|kind, _| ["ENOSPC", "EDQUOT"].contains(&kind)) {
        statements.push(Statement::new("errors-occurred-full"));
    }
    if take(&|kind, _| ["EACCES", "EPERM", "EROFS"].contains(&kind)) {
        statements.push(Statement::new("errors-occurred-not-permitted"));
    }
    if take(&|kind, _| ["ENOENT", "ESTALE"].contains(&kind)) {
        statements.push(Statement::new("errors-occurred-files-gone"));
    }
    if take(&|_, scheme| scheme.is_some_and(Scheme::is_share)) {
        statements.push(Statement::new("errors-occurred-on-share"));
    }
    if take(&|_, scheme| scheme.is_some()) {
        statements.push(Statement::new("errors-occurred-at-peer"));
    }
    if take(&|_, _| true) {
        statements.push(Statement::new("errors-occurred-on-device"));
    }
    statements
}

#[cfg(test)]
mod tests {
    use plumb_model::results::finding::Severity;
    use plumb_model::run::Event;
    use plumb_model::run::tick::Phase;
    use plumb_model::workload::OperationKind;

    use crate::english::{in_english, of_evidence};
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use crate::two_hosts::on_two_hosts;

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
            in_english(&Scene::run(run).judge(&super::RULE).remove(0).advice)
        };
        let (share, peer) = ("smb://server/share", "rdma://server");
        assert!(advice("/dev/sda", vec![("EIO", 1)]).contains("dmesg"));
        assert!(
            advice("/dev/sda", vec![("ETIMEDOUT", 1)]).contains("dmesg"),
            "a device that does not answer has lost no connection"
        );
        assert!(advice(share, vec![("EIO", 1)]).starts_with("Check the server's log"));
        assert!(
            advice(share, vec![("ENOSPC", 1)]).contains("full")
                && !advice(share, vec![("ENOSPC", 1)]).contains("log")
        );
        assert!(advice("/data", vec![("EDQUOT", 1)]).contains("quota"));
        assert!(
            advice(share, vec![("EACCES", 1)]).contains("permission")
                && advice("/data", vec![("EROFS", 1)]).contains("read-only")
        );
        assert!(advice(share, vec![("ENOENT", 1)]).contains("deleted files during the test"));
        assert!(
            advice(peer, vec![("ECANCELED", 1)])
                .starts_with("They were in flight when the connection was lost")
        );
        assert!(advice("tcp://server", vec![("ENOTCONN", 54)]).starts_with(
            "Operations that failed with ENOTCONN were issued while there was no connection:"
        ));
        let both = advice(
            "tcp://server",
            vec![("ENOTCONN", 54), ("ECONNRESET", 1), ("EACCES", 1)],
        );
        assert!(
            both.contains("those with other errors") && both.contains("permission"),
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
        let found = findings(vec![("EIO", 3), ("short", 1)], vec![]).remove(0);
        assert!(
            in_english(&found.claim)
                .starts_with("4 operations failed in the warm-up of 'random-read depth=1'"),
            "{}",
            in_english(&found.claim)
        );
        assert_eq!(
            (of_evidence(&found.evidence[0])[1].as_str(), found.severity),
            ("3 x EIO and 1 x short", Severity::Warning)
        );
        assert!(
            in_english(&found.advice).contains("dmesg"),
            "{:?}",
            found.advice
        );
        assert_eq!(
            findings(vec![("mismatch", 1)], vec![]).remove(0).severity,
            Severity::Severe
        );
        assert_eq!(findings(vec![("EIO", 1)], vec![("EIO", 1)]).len(), 2);
    }

    #[test]
    fn the_rank_is_named_in_which_operations_failed() {
        let found = |failing: &[u32]| {
            let mut builder = Builder::new(ladder("read", &[1]));
            let failed = Interval {
                errors: vec![("ENOSPC", 3)],
                ..Interval::default()
            };
            builder.execute(0, 0, &[failed]);
            let mut run = on_two_hosts(builder.finish(), [1000, 1000], 0);
            for note in &mut run.notes {
                if let Event::RankEnded { end, .. } = &mut note.event
                    && !failing.contains(&end.rank)
                {
                    end.kinds.iter_mut().for_each(|kind| kind.errors.clear());
                }
            }
            Scene::run(run).judge(&super::RULE).remove(0)
        };
        let one = found(&[1]);
        assert!(
            in_english(&one.claim).contains("all on rank 1 on hostb"),
            "{}",
            in_english(&one.claim)
        );
        assert_eq!(
            of_evidence(&one.evidence[1])[..2],
            ["rank 1 on hostb", "3 x ENOSPC"]
        );
        let both = found(&[0, 1]);
        assert!(
            !in_english(&both.claim).contains("rank"),
            "{}",
            in_english(&both.claim)
        );
        assert_eq!(both.evidence.len(), 3);
    }

    #[test]
    fn the_first_error_says_where_it_happened() {
        let index = |kind: OperationKind| {
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
            let found = Scene::run(builder.finish()).judge(&super::RULE).remove(0);
            of_evidence(&found.evidence[1])[1].clone()
        };
        assert_eq!(
            index(OperationKind::Read),
            "read at offset 456 of /data: EIO"
        );
        assert_eq!(
            index(OperationKind::Create),
            "create of file 456 of /data: EIO"
        );
        assert_eq!(index(OperationKind::PingPong), "ping-pong with /data: EIO");
    }
}
