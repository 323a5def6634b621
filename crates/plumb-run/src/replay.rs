//! How does a trace become a plan that replays it? Its calls are written as a log of requests into the run folder, and the log is what the workload replays.

pub mod conversion;

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plumb_model::plan::{Origin, Plan};
use plumb_model::workload::ReplayPace;
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
use plumb_record::folder::{HEADER, REPLAYED};
use plumb_words::numbers::count;

use crate::measurement::claim_folder;
use crate::named_plan::refuse_impossible_engines;
use crate::named_plan::replays;
use crate::traces::{TraceSource, read};
use conversion::{Conversion, Converted};

/// First bytes of a log of requests of fio.
const LOG_HEAD: &[u8] = b"fio version";
/// Requests in flight at most, where the trace gives them their moments: enough that hardly any waits for another.
const IN_FLIGHT: u64 = 128;
/// Memory of their buffers, which lowers that number where requests are large, and the number that stays.
const BUFFERS_BYTES: u64 = 256 << 20;
const IN_FLIGHT_MIN: u64 = 8;
/// Requests in flight as fast as possible, if the trace does not contain the application's.
const IN_FLIGHT_UNKNOWN: u32 = 32;
/// Names of calls that a remark lists.
const NAMED_MAX: usize = 6;

/// When the requests of a trace start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// At their moments, so many times as fast.
    Recorded(f64),
    /// As soon as so many at most are in flight; missing: as many as the application had at most.
    AsFastAsPossible(Option<u32>),
}

/// What is replayed, where, and how.
#[derive(Debug, Clone)]
pub struct ReplayRequest {
    pub trace: PathBuf,
    pub target: String,
    pub pace: Pace,
    pub rounds: u32,
    /// Other keys of the workload.
    pub set: Vec<(String, String)>,
}

/// A trace as a plan.
pub struct Replay {
    pub plan: Plan,
    /// What of the log is carried out otherwise, one sentence each without its full stop. What of the trace is not carried out is the plan's note.
    pub remarks: Vec<String>,
    /// The run folder, which holds the requests of the trace; missing for a log that is replayed from where it lies.
    pub folder: Option<ReplayFolder>,
}

/// A folder with the requests of a trace that goes again, unless a run was recorded in it.
pub struct ReplayFolder {
    pub path: PathBuf,
    made: Vec<PathBuf>,
}

impl Drop for ReplayFolder {
    fn drop(&mut self) {
        if !self.path.join(HEADER).exists() {
            drop(fs::remove_file(self.path.join(REPLAYED)));
            self.made
                .iter()
                .for_each(|folder| drop(fs::remove_dir(folder)));
        }
    }
}

/// Makes the plan that replays a trace. `output` is the run folder, as for [`claim_folder`].
///
/// Errors: the trace cannot be read or holds nothing that could be replayed, the folder is not empty, or the workload contradicts itself.
pub fn replay(request: &ReplayRequest, output: Option<&Path>) -> anyhow::Result<Replay> {
    let shown = request.trace.display().to_string();
    if is_log(&request.trace)? {
        let plan = plan(request, &shown, None)?;
        return finished(plan, request, None);
    }
    let (path, made) = claim_folder(output, "replay")?;
    let folder = ReplayFolder { path, made };
    let log = folder.path.join(REPLAYED);
    let (converted, source) = write_log(&request.trace, &log)?;
    if converted.requests == 0 {
        bail!("{}", nothing_in(&shown, &converted, &source));
    }
    let remarks = remarks_of(&shown, &converted, &source);
    let text = log.to_str().with_context(|| {
        format!(
            "{}: the folder name is not UTF-8, as plans require; set another with --output",
            folder.path.display()
        )
    })?;
    let mut plan = plan(request, text, converted.outstanding_most)?;
    plan.note = remarks.join(". ") + ".";
    finished(plan, request, Some(folder))
}

fn finished(
    mut plan: Plan,
    request: &ReplayRequest,
    folder: Option<ReplayFolder>,
) -> anyhow::Result<Replay> {
    let remarks = replays::settle(&mut plan)?;
    let has_depth = request.set.iter().any(|(key, _)| key == "depth");
    if !has_depth {
        set_depth(&mut plan);
    }
    refuse_impossible_engines(&plan)?;
    Ok(Replay {
        plan,
        remarks,
        folder,
    })
}

/// Leaves room for all that may be in flight at once where requests come at their moments.
fn set_depth(plan: &mut Plan) {
    for step in &mut plan.steps {
        for (job, origins) in step.jobs.iter_mut().zip(&mut step.origins) {
            let workload = &mut job.workload;
            if workload.replay_pace == ReplayPace::Recorded {
                let fit = BUFFERS_BYTES / workload.largest_block_bytes().max(1);
                workload.depth = fit.clamp(IN_FLIGHT_MIN, IN_FLIGHT) as u32;
                origins.insert("depth".into(), Origin::Resolved);
            }
        }
    }
}

/// The plan as requested on the command line.
fn plan(request: &ReplayRequest, log: &str, outstanding: Option<u32>) -> anyhow::Result<Plan> {
    let mut set = vec![("replay".to_string(), log.to_string())];
    match request.pace {
        Pace::Recorded(speed) => {
            if speed != 1.0 {
                set.push(("replay-speed-percent".into(), format!("{}", speed * 100.0)));
            }
        }
        Pace::AsFastAsPossible(depth) => {
            let depth = depth.or(outstanding).unwrap_or(IN_FLIGHT_UNKNOWN).max(1);
            set.push(("replay-pace".into(), "none".into()));
            set.push(("depth".into(), depth.to_string()));
        }
    }
    set.extend(request.set.iter().cloned());
    let overrides = Overrides {
        set,
        flags: vec![
            ("target".into(), request.target.clone()),
            ("rounds".into(), request.rounds.to_string()),
        ],
    };
    let file = PlanFile {
        name: "replay".into(),
        title: format!("Replay of {}.", request.trace.display()),
        ..PlanFile::ad_hoc()
    };
    Ok(resolve(&file, &overrides, PlanKind::AdHoc)?)
}

/// True for a log of requests in fio's form, which is replayed as it is.
fn is_log(trace: &Path) -> anyhow::Result<bool> {
    let shown = trace.display();
    if trace.as_os_str() == "-" {
        return Ok(false);
    }
    if trace.is_dir() {
        bail!("{shown} is a folder, not a trace file");
    }
    let file = File::open(trace).with_context(|| format!("{shown} cannot be opened"))?;
    let mut head = Vec::new();
    file.take(LOG_HEAD.len() as u64)
        .read_to_end(&mut head)
        .with_context(|| format!("{shown} cannot be read"))?;
    Ok(head == LOG_HEAD)
}

/// Writes the requests of a trace as a log: a stream from one file to the other.
fn write_log(trace: &Path, log: &Path) -> anyhow::Result<(Converted, TraceSource)> {
    let unwritten = || format!("{}: cannot write the requests", log.display());
    let out = File::create_new(log).with_context(unwritten)?;
    let mut conversion = Conversion::new(BufWriter::new(out)).with_context(unwritten)?;
    let source = read(trace, &mut conversion)?;
    let (mut out, mut converted) = conversion.finish().with_context(unwritten)?;
    out.flush().with_context(unwritten)?;
    if !source.tells_answers() {
        converted.outstanding_most = None;
    }
    Ok((converted, source))
}

/// Why a trace cannot be replayed.
fn nothing_in(shown: &str, converted: &Converted, source: &TraceSource) -> String {
    let encrypted = encrypted_messages(source);
    let why = if encrypted > 0 {
        format!("its {} messages are encrypted", count(encrypted))
    } else {
        left_out(converted).unwrap_or_else(|| "it contains no calls".into())
    };
    format!("{shown} contains no read, write or flush to replay: {why}")
}

fn encrypted_messages(source: &TraceSource) -> u64 {
    match source {
        TraceSource::Capture(facts) => facts.protection.encrypted_messages,
        TraceSource::Calls(_) => 0,
    }
}

/// What of a trace is carried out, and what is not.
fn remarks_of(shown: &str, converted: &Converted, source: &TraceSource) -> Vec<String> {
    let (files, parts) = match converted.files {
        1 => ("1 file".to_string(), ""),
        files => (
            format!("{} files", count(files)),
            "; each file maps to a part of one test file, one after the other",
        ),
    };
    let mut remarks = vec![format!(
        "{shown}: replays {} requests to {}{}",
        count(converted.requests),
        files,
        parts
    )];
    remarks.extend(left_out(converted).map(|text| format!("{shown}: not replayed: {text}")));
    if converted.shorter > 0 {
        remarks.push(format!(
            "{shown}: {} requests have the size transferred, which was less than requested",
            count(converted.shorter)
        ));
    }
    if !source.tells_answers() {
        remarks.push(format!(
            "{shown} does not record the bytes transferred: requests are replayed with the size requested"
        ));
    } else if converted.unanswered > 0 {
        remarks.push(format!(
            "{shown}: {} requests without a recorded response are replayed with the size requested",
            count(converted.unanswered)
        ));
    }
    if converted.shared_files > 0 {
        remarks.push(format!(
            "{shown}: {} files share a part with an earlier one, as a log is limited to {}",
            count(converted.shared_files),
            count(conversion::FILES_MAX)
        ));
    }
    remarks.extend(not_seen(source).map(|text| format!("{shown}{text}")));
    remarks
}

/// What the trace itself does not hold, each after its name.
fn not_seen(source: &TraceSource) -> impl Iterator<Item = String> {
    let (is_damaged, numbers) = match source {
        TraceSource::Capture(facts) => (
            facts.damage.is_some(),
            vec![(
                facts.protection.encrypted_messages,
                "encrypted messages are not replayed",
            )],
        ),
        TraceSource::Calls(facts) => {
            let hidden = &facts.not_shown;
            (
                facts.damage.is_some(),
                vec![
                    (facts.damaged, "damaged records were skipped"),
                    (facts.lost, "records were lost during recording"),
                    (
                        hidden.io_uring,
                        "calls of io_uring_enter, whose requests are not in the trace",
                    ),
                    (
                        hidden.libaio,
                        "calls of io_submit, whose requests are not in the trace",
                    ),
                    (
                        hidden.mapped_files,
                        "memory-mapped files, whose reads and writes are not in the trace",
                    ),
                ],
            )
        }
    };
    let damaged = is_damaged
        .then(|| " is damaged or truncated: the records before that are replayed".to_string());
    let counted = numbers
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(move |(number, what)| format!(": {} {what}", count(number)));
    damaged.into_iter().chain(counted)
}

/// `40 CREATE, 40 CLOSE, 3 that failed`; `None` when all is carried out.
fn left_out(converted: &Converted) -> Option<String> {
    let mut names: Vec<(&str, u64)> = converted
        .other_calls
        .iter()
        .map(|(name, calls)| (*name, *calls))
        .collect();
    names.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
    let more: u64 = names.iter().skip(NAMED_MAX).map(|(_, calls)| calls).sum();
    let mut parts: Vec<String> = names
        .iter()
        .take(NAMED_MAX)
        .map(|(name, calls)| format!("{} {name}", count(*calls)))
        .collect();
    for (number, what) in [
        (more, "other calls"),
        (converted.without_offset, "without an offset or a length"),
        (converted.failed, "that failed"),
        (converted.moved_nothing, "that transferred nothing"),
    ] {
        if number > 0 {
            parts.push(format!("{} {what}", count(number)));
        }
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
