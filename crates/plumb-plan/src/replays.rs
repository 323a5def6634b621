//! What follows from the logs that a plan replays? Kinds, blocks, size and end of each such job are set, and then validated.

use std::collections::BTreeMap;

use crate::validate::refuse_misfits;
use plumb_model::keys::Keys;
use plumb_model::plan::{Origin, Plan, PlanError, ReadLog, Step};
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::{
    Direct, Job, Layout, OperationKind, ReplayFiles, ReplayPace, Workload,
};
use plumb_words::numbers::{show_bytes, show_count};

/// Smallest logical block of any device: offset and length of direct I/O are multiples of it (open(2), NOTES on O_DIRECT).
const SECTOR_BYTES: u64 = 512;

/// The parameters of reading a log, so that a sweep reads it once: file, skipped kinds, divisor, alignment.
type Key = (String, String, u64, u64);

/// Sets what the logs of all replays determine, asking `read` for each log, and validates the steps that have one. Returns remarks on what is not carried out
/// as logged, one sentence each without a period.
///
/// # Errors
/// A log cannot be read, or contains what the step cannot do: step or log and line, what is wrong, and an alternative.
pub fn settle_replays(
    plan: &mut Plan,
    read: &mut dyn FnMut(&Workload) -> Result<ReadLog, PlanError>,
) -> Result<Vec<String>, PlanError> {
    let mut logs: BTreeMap<Key, ReadLog> = BTreeMap::new();
    let mut remarks = Vec::new();
    let keys = Keys::get();
    for step in &mut plan.steps {
        let mut of_step = Vec::new();
        for (job, origins) in step.jobs.iter_mut().zip(&mut step.origins) {
            let Some(path) = &job.workload.replay else {
                continue;
            };
            let workload = &job.workload;
            let key = (
                path.clone(),
                workload.replay_skip.to_string(),
                workload.replay_divisor,
                workload.replay_align.0,
            );
            if !logs.contains_key(&key) {
                logs.insert(key.clone(), read(workload)?);
            }
            let Some(log) = logs.get(&key) else { continue };
            let at_step = |message: String| PlanError::at(format!("step '{}'", step.name), message);
            of_step.extend(remarks_of(path, log, job));
            settle(job, origins, log).map_err(at_step)?;
        }
        if step.jobs.iter().any(|job| job.workload.replay.is_some()) {
            refuse_misfits(std::slice::from_ref(step), keys)?;
            note(step, &of_step);
        }
        of_step.retain(|text| !remarks.contains(text));
        remarks.extend(of_step);
    }
    Ok(remarks)
}

/// The step's figures must be read with these remarks.
fn note(step: &mut Step, remarks: &[String]) {
    for remark in remarks
        .iter()
        .filter(|remark| !step.note.contains(remark.as_str()))
        .cloned()
        .collect::<Vec<_>>()
    {
        step.note = format!(
            "{}{}{remark}.",
            step.note,
            if step.note.is_empty() { "" } else { " " }
        );
    }
}

fn settle(
    job: &mut Job,
    origins: &mut BTreeMap<String, Origin>,
    log: &ReadLog,
) -> Result<(), String> {
    let path = job.workload.replay.clone().unwrap_or_default();
    let workload = &mut job.workload;
    let survey = &log.survey;
    let holds = survey
        .holds(workload.replay_files, log.length_ns)
        .map_err(|why| format!("{path}: {why}"))?;
    if holds.end.0 == 0 {
        let why = if log.skipped > 0 {
            "replay-skip removes all reads, writes and trims"
        } else {
            "it has no reads, writes or trims"
        };
        return Err(format!("{path} cannot be replayed: {why}"));
    }
    let is_free = |key: &str| {
        origins
            .get(key)
            .is_none_or(|origin| matches!(origin, Origin::Default | Origin::Resolved))
    };
    let (free_size, free_operations, free_pace) = (
        is_free("size"),
        is_free("operations"),
        is_free("replay-pace"),
    );
    (workload.mix, workload.block, workload.offsets) =
        (survey.mix(), survey.block().0, survey.offsets());
    workload.replay_holds = Some(holds);
    let mut found = vec!["mix", "block", "offsets", "replay-holds"];
    if free_operations {
        let once = holds.requests.saturating_mul(workload.passes.unwrap_or(1));
        workload.operations = Some(
            once.saturating_mul(u64::from(workload.workers))
                .min(plumb_model::keys::INTEGER_MAX),
        );
        found.push("operations");
    }
    let needed = size_bytes(workload, holds.end.0);
    match workload.size.filter(|_| !free_size) {
        None => {
            workload.size = Some(Bytes(needed));
            found.push("size");
        }
        Some(size) if size.0 < needed => {
            return Err(format!(
                "{path} extends to byte {needed}, beyond size = {size}; remove size, or scale the offsets down with replay-divisor"
            ));
        }
        Some(_) => {}
    }
    if log.length_ns == 0 && workload.replay_pace == ReplayPace::Recorded {
        if !free_pace {
            return Err(format!(
                "{path} has no timestamps for its requests; use replay-pace = none"
            ));
        }
        workload.replay_pace = ReplayPace::None;
        found.push("replay-pace");
    }
    if workload.direct != Direct::No && !survey.unit_bytes().is_multiple_of(SECTOR_BYTES) {
        return Err(format!(
            "direct I/O needs offsets and lengths that are multiples of {SECTOR_BYTES} bytes, and those of {path} are multiples of {}; use direct = false{}",
            survey.unit_bytes(),
            if workload.replay_divisor > 1 {
                ", or replay-align = 4k"
            } else {
                ""
            }
        ));
    }
    for key in found {
        origins.insert(key.into(), Origin::Resolved);
    }
    Ok(())
}

/// The used range of the target: workers with their own parts each need the full range of the log, in full blocks.
fn size_bytes(workload: &Workload, end_bytes: u64) -> u64 {
    if workload.layout != Layout::Own {
        return end_bytes;
    }
    end_bytes
        .next_multiple_of(workload.largest_block_bytes().max(1))
        .saturating_mul(u64::from(workload.workers))
}

/// Remarks on what is not carried out as logged.
fn remarks_of(path: &str, log: &ReadLog, job: &Job) -> Vec<String> {
    let workload = &job.workload;
    let counts = log.counts;
    let count = |number: u64, one: &str, several: &str| {
        format!(
            "{} {}",
            show_count(number as f64),
            if number == 1 { one } else { several }
        )
    };
    let mut remarks = Vec::new();
    if log.skipped > 0 {
        remarks.push(format!(
            "{path}: {} skipped by replay-skip = {}",
            count(log.skipped, "request is", "requests are"),
            workload.replay_skip
        ));
    }
    if counts.file_actions > 0 {
        let text = count(
            counts.file_actions,
            "opening or closing of a file is",
            "openings and closings of files are",
        );
        remarks.push(format!(
            "{path}: {text} not carried out; the target stays open"
        ));
    }
    let flushes = !workload.replay_skip.0.contains(&OperationKind::Flush);
    if counts.full_syncs > 0 && flushes {
        let text = count(counts.full_syncs, "sync is", "syncs are");
        remarks.push(format!("{path}: {text} carried out as fdatasync, which skips metadata that is not needed to read the data back"));
    }
    if counts.empty > 0 {
        remarks.push(format!(
            "{path}: {} of 0 bytes left out",
            count(counts.empty, "request is", "requests are")
        ));
    }
    if counts.waits > 0 && workload.replay_pace == ReplayPace::Recorded {
        remarks.push(format!(
            "{path}: a wait counts microseconds from the previous wait, as fio's documentation says; fio 3.33 uses milliseconds since its start"
        ));
    }
    if counts.backward > 0 && workload.replay_pace == ReplayPace::Recorded {
        let text = count(counts.backward, "time stamp goes", "time stamps go");
        remarks.push(format!(
            "{path}: {text} backwards; such requests follow the previous one immediately"
        ));
    }
    if log.length_ns == 0 && workload.replay_pace == ReplayPace::Recorded {
        remarks.push(format!(
            "{path} has no timestamps; its requests run as fast as the target completes them"
        ));
    }
    if log.survey.files() > 1 && workload.replay_files == ReplayFiles::Apart {
        remarks.push(format!(
            "{path} uses {} files ({}), which are placed one after another in the target; replay-files = together places them at the same offset",
            log.survey.files(),
            named(&log.files)
        ));
    }
    if !log.survey.block().1 {
        remarks.push(format!(
            "{path} has requests of {} lengths; block lists the most frequent, all are carried out",
            log.survey.lengths()
        ));
    }
    remarks
}

/// Some of the names.
fn named(files: &[String]) -> String {
    const NAMED_MAX: usize = 3;
    let more = if files.len() > NAMED_MAX {
        format!(" and {} more", files.len() - NAMED_MAX)
    } else {
        String::new()
    };
    format!("{}{more}", files[..files.len().min(NAMED_MAX)].join(", "))
}

/// The content of a plan's logs, one sentence for each without a period.
pub fn remarks(plan: &Plan) -> Vec<String> {
    let mut remarks = Vec::new();
    for workload in plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .map(|job| &job.workload)
    {
        let (Some(path), Some(holds)) = (&workload.replay, workload.replay_holds) else {
            continue;
        };
        let pace = match workload.replay_pace {
            ReplayPace::Recorded => {
                let length =
                    Nanos((holds.length.0 as f64 * 100.0 / workload.replay_speed_percent) as u64);
                format!(
                    "within {}",
                    plumb_words::numbers::show_time_ns(length.0 as f64)
                )
            }
            ReplayPace::None => "as fast as the target completes them".to_string(),
        };
        let text = format!(
            "{path} has {} requests: {} read, {} written, up to byte {} of the target, {pace}",
            show_count(holds.requests as f64),
            show_bytes(holds.read.0 as f64),
            show_bytes(holds.written.0 as f64),
            holds.end.0
        );
        if !remarks.contains(&text) {
            remarks.push(text);
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use plumb_model::workload::iolog::IologCounts;
    use plumb_model::workload::replay::ReplaySurvey;

    use super::*;
    use crate::{Overrides, PlanFile, PlanKind, resolve};
    use plumb_model::workload::iolog::Request;

    /// Ten writes of 4 KiB, a second long.
    fn log(_: &Workload) -> Result<ReadLog, PlanError> {
        let mut survey = ReplaySurvey::default();
        for number in 0..10 {
            survey.add(&Request {
                kind: OperationKind::Write,
                file: 0,
                offset: number * 8192,
                len: 4096,
                time_ns: number * 100_000_000,
            });
        }
        let counts = IologCounts {
            file_actions: 3,
            full_syncs: 1,
            ..IologCounts::default()
        };
        Ok(ReadLog {
            survey,
            counts,
            skipped: 0,
            length_ns: 1_000_000_000,
            files: vec!["/a".into()],
        })
    }

    fn settled(text: &str, set: &[(&str, &str)]) -> Result<Plan, PlanError> {
        let set = set
            .iter()
            .map(|(key, text)| (key.to_string(), text.to_string()))
            .collect();
        let mut plan = resolve(
            &PlanFile::parse(text, "my.toml")?,
            &Overrides {
                set,
                flags: Vec::new(),
            },
            PlanKind::File,
        )?;
        settle_replays(&mut plan, &mut log)?;
        Ok(plan)
    }

    const PLAN: &str = "[defaults]\nblock = '64k'\n[[step]]\nname = 'r'\nreplay = 'some.log'\nworkers = 3\nlayout = 'own'\n";

    #[test]
    fn the_log_gives_kinds_blocks_size_and_end() {
        let plan = settled(PLAN, &[]).expect("plan");
        let (workload, origins) = (&plan.steps[0].jobs[0].workload, &plan.steps[0].origins[0]);
        assert_eq!(
            (
                workload.mix.to_string().as_str(),
                workload.block.to_string().as_str()
            ),
            ("write", "4k")
        );
        assert_eq!(
            (workload.operations, workload.size, workload.time),
            (Some(30), Some(Bytes(3 * 77_824)), None)
        );
        assert!(
            ["mix", "block", "offsets", "operations", "size"]
                .iter()
                .all(|key| origins[*key] == Origin::Resolved),
            "{origins:?}"
        );
        assert!(
            plan.steps[0].note.contains("3 openings and closings")
                && plan.steps[0].note.contains("fdatasync"),
            "{}",
            plan.steps[0].note
        );
        let estimate = plan.estimate(|job| job.workload.size.map(|size| size.0));
        assert_eq!(
            (estimate.duration_s, estimate.prepared_bytes),
            (Some(1.0), Some(3 * 77_824))
        );
        assert_eq!(estimate.written_bytes_max, Some(3 * 40_960));
        let remarks = remarks(&plan).join(" ");
        assert!(
            remarks.contains("10 requests") && remarks.contains("up to byte 77824"),
            "{remarks}"
        );
    }

    #[test]
    fn a_printed_plan_gives_the_same_and_takes_another_pace() {
        let plan = settled(PLAN, &[]).expect("plan");
        let again = settled(&plan.to_toml(), &[]).expect("printed");
        assert_eq!(again, plan);
        let faster = settled(&plan.to_toml(), &[("replay-speed-percent", "400")]).expect("faster");
        assert_eq!(faster.estimate(|_| Some(0)).duration_s, Some(0.25));
        let other = settled(&plan.to_toml(), &[("replay", "other.log"), ("passes", "2")])
            .expect("another log");
        assert_eq!(other.steps[0].jobs[0].workload.operations, Some(60));
        let error = settled(&plan.to_toml(), &[("mix", "read")])
            .expect_err("a mix")
            .to_string();
        assert!(error.contains("mix has no effect"), "{error}");
    }

    #[test]
    fn a_swept_speed_reads_its_log_once() {
        let text = "[[step]]\nname = 'r'\nreplay = 'some.log'\n[step.sweep]\nreplay-speed-percent = [50, 100, 200]\n";
        let mut plan = resolve(
            &PlanFile::parse(text, "t").expect("plan"),
            &Overrides::default(),
            PlanKind::File,
        )
        .expect("resolved");
        let mut reads = 0;
        let remarks = settle_replays(&mut plan, &mut |workload| {
            reads += 1;
            log(workload)
        });
        assert_eq!(
            (
                reads,
                remarks.expect("remarks").len(),
                plan.estimate(|_| Some(0)).duration_s
            ),
            (1, 2, Some(3.5))
        );
    }
}
