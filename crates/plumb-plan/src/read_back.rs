//! Is what a verified job writes read at all? A plan whose verified writers nobody reads after gets steps that read everything back, at its end.

use std::collections::BTreeMap;

use plumb_model::keys::{KeyHome, Keys};
use plumb_model::plan::{Order, Origin, Plan, Step};
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::{Direct, Job, Layout, Offsets, OperationKind, Weighted, Workload};

/// Keys that are the writer's.
const AS_WRITTEN: &[&str] = &[
    "depth",
    "size",
    "paths",
    "path-order",
    "start",
    "direct",
    "content",
    "compress-percent",
    "verify",
    "verify-as",
    "stop-at-mismatch",
    "verify-threads",
    "verify-pin",
    "dump-mismatches",
    "pin",
    "seed",
    "interval",
    "reuse",
    "extend",
    "keep",
];

/// Keys that make it the reader.
const SETTLED: &[&str] = &[
    "mix",
    "block",
    "offsets",
    "layout",
    "workers",
    "passes",
    "written-only",
    "cold",
];

/// Adds the steps. Left as they are: rounds in a drawn order or until they are steady, in which no step is the last; and what runs once, before the rounds.
pub(crate) fn add_read_back(plan: &mut Plan) {
    if plan.steady.is_some() || plan.order == Order::Shuffled {
        return;
    }
    let mut added: Vec<Step> = Vec::new();
    for (number, step) in plan.steps.iter().enumerate().filter(|(_, step)| !step.once) {
        for (job, origins) in step.jobs.iter().zip(&step.origins) {
            let with_it = &plan.steps[number..];
            let mut readers = with_it.iter().chain(&added).flat_map(|step| &step.jobs);
            if only_writes(job) && !readers.any(|reader| reads_back(reader, job)) {
                let name = format!("{} verify", step.group);
                let (job, origins) = reader_of(job, origins);
                added.push(Step {
                    group: name.clone(),
                    name,
                    jobs: vec![job],
                    origins: vec![origins],
                    ..Step::default()
                });
            }
        }
    }
    plan.steps.append(&mut added);
}

/// Verified writes without a single read that would check one.
fn only_writes(job: &Job) -> bool {
    let workload = &job.workload;
    workload.verify
        && workload.read_back
        && workload.replay.is_none()
        && workload.mix.0.iter().any(|(kind, _)| kind.writes_blocks())
        && !workload.reads_blocks()
}

/// Does `reader` check the blocks of the files that `writer` writes?
fn reads_back(reader: &Job, writer: &Job) -> bool {
    let files = |job: &Job| {
        let workload = &job.workload;
        let own = (workload.layout == Layout::Own).then_some(workload.workers);
        (own, workload.start, workload.size, workload.paths.clone())
    };
    reader.workload.verify
        && reader.workload.reads_blocks()
        && reader.target == writer.target
        && files(reader) == files(writer)
}

/// The job that reads back what `writer` wrote: each block once, in order, and from the storage where the page cache can be bypassed or dropped.
fn reader_of(writer: &Job, written: &BTreeMap<String, Origin>) -> (Job, BTreeMap<String, Origin>) {
    let written_with = writer.workload.clone();
    let own = written_with.layout == Layout::Own;
    let is_cached = matches!(writer.target, Target::Path(_)) && written_with.direct != Direct::Yes;
    let workload = Workload {
        mix: Weighted::only(OperationKind::Read),
        block: Weighted::only(Bytes(written_with.unit_bytes())),
        offsets: Offsets::Sequential,
        layout: written_with.layout,
        workers: if own { written_with.workers } else { 1 },
        passes: Some(1),
        written_only: true,
        verify: true,
        verify_as: written_with.verify_as,
        stop_at_mismatch: written_with.stop_at_mismatch,
        verify_threads: written_with.verify_threads,
        verify_pin: written_with.verify_pin,
        dump_mismatches: written_with.dump_mismatches,
        cold: is_cached,
        depth: written_with.depth,
        size: written_with.size,
        paths: written_with.paths,
        path_order: written_with.path_order,
        start: written_with.start,
        direct: written_with.direct,
        content: written_with.content,
        compress_percent: written_with.compress_percent,
        pin: written_with.pin,
        seed: written_with.seed,
        interval: written_with.interval,
        reuse: written_with.reuse,
        extend: written_with.extend,
        keep: written_with.keep,
        ..Workload::default()
    };
    let keys = Keys::get();
    let as_written = |key: &str| {
        AS_WRITTEN.contains(&key)
            || keys
                .find(key)
                .is_ok_and(|key| matches!(key.home, KeyHome::Engine | KeyHome::Target))
    };
    let kept = written.iter().filter(|(key, _)| as_written(key));
    let mut origins: BTreeMap<String, Origin> =
        kept.map(|(key, origin)| (key.clone(), *origin)).collect();
    origins.extend(
        SETTLED
            .iter()
            .map(|key| (key.to_string(), Origin::Resolved)),
    );
    (
        Job {
            name: String::new(),
            workload,
            ..writer.clone()
        },
        origins,
    )
}

#[cfg(test)]
mod tests {
    use crate::{Overrides, PlanKind, resolve};
    use plumb_model::plan::Plan;

    fn names(text: &str) -> Vec<String> {
        let plan = plan(text);
        plan.steps.iter().map(|step| step.name.clone()).collect()
    }

    fn plan(text: &str) -> Plan {
        let file = crate::PlanFile::parse(text, "test").expect("file");
        resolve(&file, &Overrides::default(), PlanKind::File).expect("plan")
    }

    #[test]
    fn what_only_writes_is_read_back_at_the_end() {
        let text = "[defaults]\nverify = true\nmix = 'write'\nsize = '1m'\n[[step]]\nname = 'a'\nblock = '4k:50,16k:50'\n[[step]]\nname = 'b'\ndepth = 4\n[[step]]\nname = 'own'\nlayout = 'own'\nworkers = 2";
        assert_eq!(names(text), ["a", "b", "own", "a verify", "own verify"]);
        let plan = plan(text);
        let [main] = plan.steps[4].jobs.as_slice() else {
            panic!("one job");
        };
        let workload = &main.workload;
        assert!(workload.written_only && workload.verify && !workload.modifies());
        assert_eq!(
            (workload.passes, workload.time, workload.workers),
            (Some(1), None, 2)
        );
        assert_eq!(plan.steps[3].jobs[0].workload.unit_bytes(), 4096);
    }

    #[test]
    fn what_is_read_anyway_is_not_read_twice() {
        let head = "[defaults]\nverify = true\nsize = '1m'\n[[step]]\nname = 'a'\n";
        assert_eq!(names(&format!("{head}mix = 'read:1,write:1'")), ["a"]);
        let read_after = "mix = 'write'\n[[step]]\nname = 'b'\nmix = 'read'";
        assert_eq!(names(&format!("{head}{read_after}")), ["a", "b"]);
        let shuffled = format!("order = 'shuffled'\n{head}mix = 'write'");
        assert_eq!(names(&shuffled), ["a"]);
    }

    #[test]
    fn nothing_is_read_back_where_that_is_said() {
        let text = "[[step]]\nname = 'a'\nverify = true\nmix = 'write'\nread-back = false";
        assert_eq!(names(text), ["a"]);
        assert_eq!(names(&plan(text).to_toml()), ["a"]);
    }

    #[test]
    fn a_printed_plan_has_the_step_already() {
        let plan = plan("[[step]]\nname = 'a'\nverify = true\nmix = 'write'");
        let printed = plan.to_toml();
        assert_eq!(names(&printed), ["a", "a verify"]);
    }
}
