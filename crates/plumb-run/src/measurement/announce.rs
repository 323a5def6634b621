//! How long will a run take, and how much will it write? Said before it starts.

use plumb_model::environment::Environment;
use plumb_model::plan::{Estimate, Origin, Plan, Step};
use plumb_model::target::Target;
use plumb_model::workload::{Job, OperationKind};
use plumb_show::terminal::{Page, left_out_text, sentence_text};
use plumb_words::Words;
use plumb_words::numbers::{show_bytes, show_time_ns};

use super::rate_search::RateSearch;
use crate::environment::{free_bytes, kind};

/// Default size of a test file: enough to leave the caches of most devices, soon written.
pub const DEFAULT_SIZE_BYTES: u64 = 1 << 30;

/// Seconds at most between two executions, for threads to start, files to be opened and what is in flight to end: 0.04 were seen on two busy virtual CPUs.
const BETWEEN_MAX_S: f64 = 0.1;

/// Lines after the first one begin below its text.
const INDENT: &str = "       ";

/// The estimate for a plan on a target that was looked at.
pub fn estimate(plan: &Plan, environment: &Environment) -> Estimate {
    let creates = plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .any(|job| has(job, OperationKind::Create));
    plan.estimate(|job| prepared_bytes(job, environment, creates))
}

fn has(job: &Job, kind: OperationKind) -> bool {
    job.workload.mix.0.iter().any(|(item, _)| *item == kind)
}

/// Bytes to be written for a job before it begins; `None` when the free space is not known.
fn prepared_bytes(job: &Job, environment: &Environment, files_are_created: bool) -> Option<u64> {
    let made = matches!(kind(environment), Some("directory" | "missing") | None);
    if job.target == Target::Null || !made {
        return Some(0);
    }
    if job.workload.has_file_operations() {
        let all = job
            .workload
            .files
            .saturating_mul(job.workload.largest_file_bytes());
        return Some(if files_are_created { 0 } else { all });
    }
    let requested = job.workload.size.map(|size| size.0);
    requested.or_else(|| default_size_bytes(environment))
}

/// Default size of a test file; `None` when the free space is not known.
pub fn default_size_bytes(environment: &Environment) -> Option<u64> {
    // Whole blocks of any usual size.
    free_bytes(environment).map(|free| DEFAULT_SIZE_BYTES.min(free / 10 / (1 << 20) * (1 << 20)))
}

/// What is about to happen, in two or three lines.
pub fn announcement(plan: &Plan, estimate: &Estimate) -> String {
    let steps = plan.steps.len();
    let rounds = match &plan.steady {
        Some(steady) => {
            let written = steady
                .capacities
                .map(|times| format!(" or have written the range in use {times} times"));
            let least = if written.is_some() { 1 } else { steady.window };
            format!(
                " in {least} to {} rounds ({}), until they are steady{}",
                plan.rounds,
                plan.order,
                written.unwrap_or_default()
            )
        }
        None if plan.rounds > 1 => format!(" in {} rounds ({})", plan.rounds, plan.order),
        None => String::new(),
    };
    let target = plan
        .steps
        .first()
        .and_then(|step| step.jobs.first())
        .map(|job| job.target.to_string())
        .unwrap_or_default();
    format!(
        "plumb: plan {} on {target}: {steps} {}{rounds}; {}.\n       {}.",
        plan.name,
        if steps == 1 { "step" } else { "steps" },
        duration_text(plan, estimate),
        writing_text(estimate)
    ) + cache_text(plan)
}

/// That the page cache is bypassed by default.
fn cache_text(plan: &Plan) -> &'static str {
    let chosen = |step: &Step| {
        let origins = step.origins.first();
        origins.is_some_and(|origins| origins.get("direct") == Some(&Origin::Resolved))
    };
    match plan.steps.iter().any(chosen) {
        true => {
            "\n       I/O is direct if the target supports it; --direct=false uses the page cache."
        }
        false => "",
    }
}

/// What is about to be searched, in three lines.
pub fn search_announcement(plan: &Plan, search: &RateSearch, estimate: &Estimate) -> String {
    let job = plan.steps.first().and_then(|step| step.jobs.first());
    let limit = job.and_then(|job| {
        let workload = &job.workload;
        Some((workload.latency_limit?, workload.latency_limit_percentile?))
    });
    let goal = limit.map_or_else(String::new, |(limit, percentile)| {
        format!(
            " at which {percentile} % of the operations end within {}",
            show_time_ns(limit.0 as f64)
        )
    });
    format!(
        "plumb: plan {} on {}: the highest rate{goal}; at most {}, usually far less.\n       {}.",
        plan.name,
        job.map(|job| job.target.to_string()).unwrap_or_default(),
        show_time_ns(search.most_s * 1e9),
        writing_text(estimate)
    )
}

/// What a plan leaves out, and what its figures include and what not; one line or more for each, empty if there is nothing to report.
pub fn plan_remarks(plan: &Plan) -> Vec<String> {
    let mut lines: Vec<String> = left_out_text(plan, Words::english())
        .map(|text| format!("{INDENT}{text}."))
        .into_iter()
        .collect();
    if !plan.note.is_empty() {
        let page = Page::of_stdout(Words::english());
        let note = sentence_text(
            &plan.note,
            Page {
                width: page.width.saturating_sub(INDENT.len()),
                ..page
            },
        );
        lines.extend(note.lines().map(|line| format!("{INDENT}{line}")));
    }
    lines
}

/// A predicted time: no fractions of a second where they are meaningless.
fn foretold(seconds: f64) -> String {
    let rounded = if seconds >= 5.0 {
        seconds.round()
    } else {
        seconds
    };
    show_time_ns(rounded * 1e9)
}

/// How long load of so many seconds takes in so many executions: one figure where it holds within a tenth, else a range.
fn taking(load_s: f64, executions: u64) -> String {
    let most_s = load_s + BETWEEN_MAX_S * executions as f64;
    match most_s <= 1.1 * load_s {
        true => format!("for about {}", foretold(load_s)),
        false => format!("for {} to {}", foretold(load_s), foretold(most_s)),
    }
}

fn duration_text(plan: &Plan, estimate: &Estimate) -> String {
    let span = |estimate: &Estimate| match (estimate.least_duration_s, estimate.duration_s) {
        (Some(least), Some(most)) if least < most => Some(format!(
            "for at least {} and at most {}",
            foretold(least),
            foretold(most + BETWEEN_MAX_S * estimate.executions as f64)
        )),
        (_, Some(seconds)) => Some(taking(seconds, estimate.executions)),
        (_, None) => None,
    };
    let in_rounds = || {
        let steps = plan
            .steps
            .iter()
            .filter(|step| !step.once)
            .cloned()
            .collect();
        Plan {
            steps,
            ..plan.clone()
        }
        .estimate(|_| Some(0))
    };
    match span(estimate) {
        Some(span) => format!("load runs {span}"),
        None => match span(&in_rounds()).filter(|_| plan.steps.iter().any(|step| step.once)) {
            Some(span) => format!("the rounds run {span}, after the steps that run once, whose duration depends on the target"),
            None => "the duration depends on the target: a step stops by bytes or operations, not by time".into(),
        },
    }
}

/// What is written before and by the steps, as the rest of a sentence.
pub fn writing_text(estimate: &Estimate) -> String {
    let prepared = match estimate.prepared_bytes {
        Some(0) => None,
        Some(bytes) => Some(format!(
            "before the run, {} are written as data to read",
            show_bytes(bytes as f64)
        )),
        None => Some(
            "before the run, a test file is written; its size depends on the free space".into(),
        ),
    };
    let steps = match estimate.written_bytes_max {
        Some(0) => "the steps write nothing".to_string(),
        Some(bytes) => {
            let time = estimate.write_s_max.filter(|seconds| *seconds > 0.0);
            let within = time.map(|seconds| {
                format!(
                    "what the target accepts in {}, and ",
                    show_time_ns(seconds * 1e9)
                )
            });
            format!(
                "the steps write {}at most {}",
                within.unwrap_or_default(),
                show_bytes(bytes as f64)
            )
        }
        None if estimate.unbounded_write_s == 0.0 => {
            "the amount that the steps write depends on the size of the target".to_string()
        }
        None => {
            let seconds = show_time_ns(estimate.unbounded_write_s * 1e9);
            format!(
                "the steps write for {seconds} as fast as the target allows, overwriting the same blocks"
            )
        }
    };
    match prepared {
        Some(prepared) => format!("{prepared}; {steps}"),
        None => steps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::environment::Fact;
    use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

    fn text(keys: &[(&str, &str)], facts: &[(&str, Fact)]) -> String {
        let set = keys
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        let plan = resolve(
            &PlanFile::ad_hoc(),
            &Overrides {
                set,
                flags: Vec::new(),
            },
            PlanKind::AdHoc,
        )
        .expect("plan");
        let mut environment = Environment::default();
        facts
            .iter()
            .for_each(|(id, fact)| environment.set(*id, fact.clone()));
        announcement(&plan, &estimate(&plan, &environment))
    }

    #[test]
    fn reports_time_and_bytes_or_that_they_are_not_known() {
        let directory = ("target.kind", Fact::Text("directory".into()));
        let free = ("mount.free_bytes", Fact::Number(1e12));
        let reads = text(&[("time", "5s")], &[directory.clone(), free.clone()]);
        assert!(
            reads.contains("about 5 s")
                && reads.contains("1 GiB")
                && reads.contains("write nothing")
                && reads.contains("I/O is direct if the target supports it"),
            "{reads}"
        );
        let writes = text(
            &[("mix", "write"), ("size", "64m"), ("time", "5s")],
            &[directory.clone(), free],
        );
        assert!(
            writes.contains("64 MiB") && writes.contains("for 5 s as fast as"),
            "{writes}"
        );
        let unknown = text(&[("operations", "10"), ("mix", "write")], &[directory]);
        assert!(
            unknown.contains("depends on the target")
                && unknown.contains("depends on the free space")
                && unknown.contains("at most 40 KiB"),
            "{unknown}"
        );
        let short = text(&[("time", "100ms"), ("rounds", "100")], &[]);
        assert!(short.contains("runs for 10 s to 20 s"), "{short}");
        let device = text(
            &[("time", "5s")],
            &[("target.kind", Fact::Text("block-device".into()))],
        );
        assert!(!device.contains("before the run"), "{device}");
    }
}
