//! How would fio name the work of a step? Its options `rw`, `bs`, `iodepth`, `numjobs` and so on (HOWTO.rst of fio 3.x), for all formats of fio.

use plumb_model::engines;
use std::collections::BTreeMap;

use plumb_model::keys::{KeyUnit, Keys};
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{
    AccessHint, Arrivals, BlockSpan, Content, Direct, Job, Offsets, Workload,
};
use serde_json::Value;

use super::execution_index::ExecutionIndex;
use super::{ExportError, Subject};

/// fio's three directions, in the order of its log files (0, 1, 2).
pub const DIRECTIONS: [(OperationKind, &str); 3] = [
    (OperationKind::Read, "read"),
    (OperationKind::Write, "write"),
    (OperationKind::Trim, "trim"),
];

/// Can fio's formats hold this job? They hold only reads, writes and trims.
pub fn is_known(job: &Job) -> bool {
    job.workload
        .mix
        .0
        .iter()
        .any(|(kind, _)| direction(*kind).is_some())
}

/// fio's number of a direction. As in fio's net engine, received messages count as reads, and sent messages as writes, also where they are sent back.
pub fn direction(kind: OperationKind) -> Option<usize> {
    let of_blocks = match kind {
        OperationKind::Receive => OperationKind::Read,
        OperationKind::Send | OperationKind::PingPong => OperationKind::Write,
        kind => kind,
    };
    DIRECTIONS.iter().position(|(of, _)| *of == of_blocks)
}

/// The steps that fio's formats can hold, as indexes into the summary. A run without any is refused.
///
/// # Errors
/// There are steps, but none of them reads, writes or trims.
pub fn steps(subject: &Subject<'_>) -> Result<Vec<usize>, ExportError> {
    let steps = &subject.summary.steps;
    let plan = &subject.run.header.plan.steps;
    let known = |at: &usize| {
        plan.get(steps[*at].step as usize)
            .is_some_and(|step| step.jobs.iter().any(is_known))
    };
    let of: Vec<usize> = (0..steps.len()).filter(known).collect();
    if of.is_empty() && !steps.is_empty() {
        return Err(ExportError(
            "fio formats hold only reads, writes and trims, and this run has none; use csv, xlsx or parquet".into(),
        ));
    }
    Ok(of)
}

/// Executions of a step of the plan.
pub fn executions(subject: &Subject<'_>, step: u32) -> Vec<u32> {
    let executions = ExecutionIndex::of(subject.run);
    let mut of: Vec<u32> = subject
        .run
        .ticks
        .iter()
        .map(|tick| tick.execution)
        .filter(|at| executions.step_of(*at) == Some(step))
        .collect();
    of.dedup();
    of.sort_unstable();
    of.dedup();
    of
}

/// `randread`, `rw`, ...: the option `rw`.
pub fn rw(workload: &Workload) -> String {
    let has = |kind| {
        workload
            .mix
            .0
            .iter()
            .any(|(of, weight)| direction(*of) == direction(kind) && *weight > 0.0)
    };
    let word = match (
        has(OperationKind::Read),
        has(OperationKind::Write),
        has(OperationKind::Trim),
    ) {
        (true, true, _) => "rw",
        (_, false, true) => "trim",
        (_, true, _) => "write",
        _ => "read",
    };
    match workload.offsets {
        _ if workload.is_partly_random() => format!("rand{word}"),
        Offsets::Sequential => word.to_string(),
        Offsets::Reverse => format!("{word}:-{}", workload.smallest_block_bytes()),
        Offsets::Strided(_) | Offsets::StridedBlocks(_) => {
            format!(
                "{word}:{}",
                workload
                    .stride_bytes()
                    .unwrap_or(0)
                    .saturating_sub(workload.smallest_block_bytes())
            )
        }
        _ => format!("rand{word}"),
    }
}

/// The block size of most operations.
pub fn block_bytes(workload: &Workload) -> u64 {
    workload
        .block
        .0
        .iter()
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map_or(0, |(block, _)| block.from.0)
}

/// The fio options that describe this job, which this engine carried out; all values are strings, as in fio's output.
pub fn options(job: &Job, engine: &str) -> BTreeMap<String, String> {
    let mut options = of_keys(&job.workload);
    let of_work = blocks_and_mix(&job.workload)
        .into_iter()
        .chain(pace(&job.workload))
        .chain(content(&job.workload));
    let always = always(job, engine).into_iter();
    options.extend(
        always
            .chain(of_work)
            .map(|(name, text)| (name.to_string(), text)),
    );
    options
}

/// Options that map one to one to a key, if the key is not at its default.
fn of_keys(workload: &Workload) -> BTreeMap<String, String> {
    let values = serde_json::to_value(workload).unwrap_or_default();
    let keys = Keys::get();
    let options = keys.all().iter().filter_map(|key| {
        let fio = key.traits.fio.as_ref()?;
        let value = values.get(&key.name)?;
        let is_idle = key.traits.needs.is_some_and(|needs| !workload.has(needs));
        if is_idle || key.is_default(value) {
            return None;
        }
        let text = match (key.unit, key.number(value), value) {
            (KeyUnit::Nanos, Some(ns), _) => runtime(ns as u64),
            (_, _, Value::Bool(is_on)) => u8::from(*is_on).to_string(),
            (_, _, Value::String(text)) => text.clone(),
            (_, Some(number), _) => number.to_string(),
            _ => return None,
        };
        Some((fio.name.clone(), text))
    });
    options.collect()
}

/// An option with its value.
type FioOption = (&'static str, String);

/// Options that every fio job has.
fn always(job: &Job, engine: &str) -> Vec<FioOption> {
    let workload = &job.workload;
    vec![
        ("rw", rw(workload)),
        ("bs", size(block_bytes(workload))),
        ("iodepth", workload.depth.to_string()),
        ("numjobs", workload.workers.to_string()),
        ("group_reporting", "1".to_string()),
        ("ioengine", engine_word(engine).to_string()),
        ("filename", job.target.to_string()),
        (
            "direct",
            if workload.direct == Direct::No {
                "0"
            } else {
                "1"
            }
            .to_string(),
        ),
        // fio invalidates the page cache of its file by default.
        ("invalidate", u8::from(workload.cold).to_string()),
        // And by default announces the order of accesses.
        (
            "fadvise_hint",
            match workload.access_hint {
                AccessHint::None => "0".to_string(),
                hint => hint.to_string(),
            },
        ),
    ]
}

/// Several block sizes, and the read/write mix.
fn blocks_and_mix(workload: &Workload) -> Vec<FioOption> {
    let mut options = Vec::new();
    let total: f64 = workload.block.0.iter().map(|(_, weight)| weight).sum();
    let is_range = workload
        .block
        .0
        .iter()
        .any(|(block, _)| block.only().is_none());
    if is_range {
        options.push((
            "bsrange",
            format!(
                "{}-{}",
                size(workload.smallest_block_bytes()),
                size(workload.largest_block_bytes())
            ),
        ));
    } else if workload.block.0.len() > 1 {
        let part = |(block, weight): &(BlockSpan, f64)| {
            format!("{}/{:.0}", size(block.from.0), 100.0 * weight / total)
        };
        options.push((
            "bssplit",
            workload
                .block
                .0
                .iter()
                .map(part)
                .collect::<Vec<_>>()
                .join(":"),
        ));
    }
    let weight = |kind| {
        workload
            .mix
            .0
            .iter()
            .filter(|(of, _)| *of == kind)
            .map(|(_, weight)| weight)
            .sum::<f64>()
    };
    let (reads, writes) = (weight(OperationKind::Read), weight(OperationKind::Write));
    if reads > 0.0 && writes > 0.0 {
        options.push((
            "rwmixread",
            format!("{:.0}", 100.0 * reads / (reads + writes)),
        ));
    }
    options
}

/// Rate limits and stop conditions.
fn pace(workload: &Workload) -> Vec<FioOption> {
    let mut options = Vec::new();
    let mut some =
        |name: &'static str, value: Option<String>| options.extend(value.map(|text| (name, text)));
    // With a runtime alone a fio job would end after one pass over its file.
    let by_time = workload.time.is_some()
        && workload.bytes.is_none()
        && workload.operations.is_none()
        && workload.passes.is_none();
    some("time_based", by_time.then(|| "1".to_string()));
    let flush = match workload.flush_metadata {
        true => "fsync",
        false => "fdatasync",
    };
    some(
        flush,
        (workload.fsync_every > 0).then(|| workload.fsync_every.to_string()),
    );
    let workers = u64::from(workload.workers.max(1));
    some(
        "io_size",
        workload
            .bytes
            .filter(|bytes| bytes.0.is_multiple_of(workers))
            .map(|bytes| size(bytes.0 / workers)),
    );
    some(
        "number_ios",
        workload
            .operations
            .filter(|count| count.is_multiple_of(workers))
            .map(|count| (count / workers).to_string()),
    );
    let is_poisson = workload.rate.is_some() && workload.arrivals == Arrivals::Poisson;
    some("rate_process", is_poisson.then(|| "poisson".to_string()));
    some(
        "latency_target",
        workload.latency_limit.map(|limit| format!("{}ns", limit.0)),
    );
    some(
        "rate_iops",
        workload
            .rate
            .map(|rate| format!("{:.0}", rate / f64::from(workload.workers.max(1)))),
    );
    options
}

/// Content of written data and where it is written.
fn content(workload: &Workload) -> Vec<FioOption> {
    let mut options = Vec::new();
    let mut some =
        |name: &'static str, value: Option<String>| options.extend(value.map(|text| (name, text)));
    some(
        "zero_buffers",
        (workload.content == Content::Zeros).then(|| "1".to_string()),
    );
    some(
        "scramble_buffers",
        (workload.content == Content::Reused).then(|| "0".to_string()),
    );
    // Files that are only written: fio creates them without content and preallocates them.
    let made_by_writes = workload.modifies_blocks() && !workload.reads_blocks();
    let as_it_comes = workload.fresh || workload.unfilled;
    some(
        "overwrite",
        (made_by_writes && !as_it_comes).then(|| "1".to_string()),
    );
    let unallocated = made_by_writes && as_it_comes && !workload.preallocate;
    some("fallocate", unallocated.then(|| "none".to_string()));
    let random = workload
        .access
        .as_ref()
        .filter(|_| workload.is_partly_random())
        .map(|lines| lines.random_percent());
    some(
        "percentage_random",
        random.map(|share| format!("{share:.0}")),
    );
    some("random_distribution", distribution(&workload.offsets));
    if let Offsets::Precondition(how) = &workload.offsets {
        some("sprandom", Some("1".to_string()));
        let share = how.over_provisioning_percent / 100.0;
        some("spr_op", Some(share.to_string()));
        some("spr_num_regions", Some(how.regions.to_string()));
        some("spr_cs", (how.cache.0 > 0).then(|| size(how.cache.0)));
    }
    options
}

/// In full seconds if exact, else in microseconds, the finest unit of fio.
fn runtime(ns: u64) -> String {
    if ns.is_multiple_of(1_000_000_000) {
        format!("{}s", ns / 1_000_000_000)
    } else {
        format!("{}us", ns / 1000)
    }
}

fn distribution(offsets: &Offsets) -> Option<String> {
    match offsets {
        Offsets::Zipf(exponent) => Some(format!("zipf:{exponent}")),
        Offsets::Pareto(power) => Some(format!("pareto:{power}")),
        Offsets::Normal(deviation) => Some(format!("normal:{deviation}")),
        Offsets::Zoned(zones) => Some(format!("zoned:{zones}")),
        _ => None,
    }
}

/// The fio engine that corresponds to this engine; names of other programs' engines stay unchanged.
fn engine_word(name: &str) -> &str {
    engines::named(name)
        .and_then(|engine| engine.fio.first())
        .unwrap_or(&name)
}

fn size(bytes: u64) -> String {
    plumb_model::units::Bytes(bytes).to_string()
}

/// A file name for a step, without characters that some system forbids.
pub fn file_stem(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.=".contains(c) {
                c
            } else {
                '-'
            }
        })
        .take(100)
        .collect();
    let plain = plain.trim_matches(['.', '-']);
    if plain.is_empty() {
        "step".into()
    } else {
        plain.into()
    }
}

/// Makes names unique: repeated ones get a number.
pub fn distinct(names: &mut Vec<String>, name: &str) -> String {
    let numbered = |number: u32| {
        if number == 1 {
            name.to_string()
        } else {
            format!("{name}-{number}")
        }
    };
    let free = (1..)
        .map(numbered)
        .find(|name| !names.contains(name))
        .unwrap_or_default();
    names.push(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::units::Bytes;

    #[test]
    fn workloads_have_fio_names() {
        for (mix, offsets, expected) in [
            ("read", "random", "randread"),
            ("write", "sequential", "write"),
            ("read:70,write:30", "zipf:1.1", "randrw"),
            ("read", "reverse", "read:-4096"),
            ("read", "strided:72k", "read:69632"),
            ("trim", "random", "randtrim"),
        ] {
            let (mix, offsets) = (
                mix.parse().expect("a mix"),
                offsets.parse().expect("offsets"),
            );
            assert_eq!(
                rw(&Workload {
                    mix,
                    offsets,
                    ..Workload::default()
                }),
                expected
            );
        }
    }

    #[test]
    fn sizes_that_most_operations_have_are_the_block_size() {
        let workload = Workload {
            block: "4k:30,64k:70".parse().expect("sizes"),
            ..Workload::default()
        };
        let job = Job {
            name: String::new(),
            target: "null:".parse().expect("a target"),
            engine: Default::default(),
            workload,
        };
        let options = options(&job, "sync");
        assert_eq!(options["ioengine"], "psync");
        assert_eq!(
            [runtime(2_000_000_000), runtime(600_000_000)],
            ["2s", "600000us"]
        );
        assert_eq!(
            (options["bs"].as_str(), options["bssplit"].as_str()),
            ("64k", "4k/30:64k/70")
        );
        assert_eq!(
            block_bytes(&Workload {
                block: plumb_model::workload::Weighted::only(Bytes(512)),
                ..Workload::default()
            }),
            512
        );
    }

    #[test]
    fn names_of_files_are_plain_and_once() {
        assert_eq!(
            [
                file_stem("../a b"),
                file_stem(""),
                file_stem("random-read depth=4")
            ],
            ["a-b", "step", "random-read-depth=4"]
        );
        let mut names = Vec::new();
        assert_eq!(
            [
                distinct(&mut names, "a"),
                distinct(&mut names, "a"),
                distinct(&mut names, "b")
            ],
            ["a", "a-2", "b"]
        );
    }
}
