//! What does every fuzz target do? Hands the bytes to one importer, to one reader of plans, to the reader of logs, to that of captures, to those of object stores, or to those of
//! traces, as a file of its kind.

use std::io::BufReader;

use plumb_analyse::trace::TraceTally;
use plumb_load::shares::s3::chunks::{Chunks, MalformedChunk};
use plumb_load::shares::s3::xml;
use plumb_model::workload::iolog::IologReader;
use plumb_model::trace::events::TraceEvent;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::captures::read_capture;
use plumb_observe::trace_formats::{BlkparseLayout, FORMATS, is_of_layout, read_blkparse, read_trace};
use plumb_plan::fio_job::{self, Surroundings};
use plumb_plan::{Overrides, PlanFile, PlanKind, iometer, resolve};
use plumb_model::workload::replay::{ReplayRules, ReplaySurvey};
use plumb_model::workload::{ReplayFiles, Workload};
use plumb_record::importer::{HEAD_BYTES, Head, Source};
use plumb_record::importers;

/// Recognises and imports the bytes; the answer may be anything but a panic, a hang, or memory without end.
///
/// # Panics
/// There is no importer of this name, or it panics.
pub fn import(importer: &str, bytes: &[u8]) {
    let importer = importers::by_name(importer).unwrap_or_else(|error| panic!("{error}"));
    let _ = (importer.recognizes)(&Head {
        name: "fuzzed",
        bytes: &bytes[..bytes.len().min(HEAD_BYTES)],
    });
    let mut reader = BufReader::with_capacity(HEAD_BYTES, bytes);
    if let Ok(runs) = importers::import(
        &mut Source {
            name: "fuzzed",
            reader: &mut reader,
        },
        Some(importer),
    ) {
        // Times go forward: what draws and summarises runs rests on it.
        assert!(
            runs.iter()
                .flat_map(|run| &run.ticks)
                .all(|tick| tick.start_ns <= tick.end_ns)
        );
    }
}

/// Reads the bytes as a job file of fio; what is read is written as a plan file, which reads back, and is resolved or refused.
///
/// # Panics
/// The reader panics, or what it wrote is no plan file.
pub fn fio_job(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    // Included files are made of the same text: what includes itself must end.
    let mut include = |name: &str| {
        text.get(name.len()..)
            .map(str::to_string)
            .ok_or_else(|| "no such file".to_string())
    };
    let variable = |name: &str| (name == "SIZE").then(|| "64m".to_string());
    let mut surroundings = Surroundings {
        include: &mut include,
        variable: &variable,
        pattern: &|_| Err("no file".into()),
        keyword: &|_| Some(4096),
    };
    if let Ok(job) = fio_job::read(text, "fuzzed.fio", &mut surroundings) {
        read_back(&job.plan, &fio_job::as_toml(&job));
    }
}

/// Reads the bytes as a configuration file of Iometer, and does the same with it.
///
/// # Panics
/// The reader panics, or what it wrote is no plan file.
pub fn iometer_configuration(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(configuration) = iometer::read(&text, "fuzzed.icf") {
        read_back(&configuration.plan, &iometer::as_toml(&configuration));
    }
}

/// Reads the bytes as a plan file and resolves it; a plan that is resolved is printed, and the print gives the same plan.
///
/// # Panics
/// A reader panics, or the printed plan is another one.
pub fn plan(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(file) = PlanFile::parse(text, "fuzzed.toml") else {
        return;
    };
    let Ok(plan) = resolve(&file, &Overrides::default(), PlanKind::File) else {
        return;
    };
    let printed = plan.to_toml();
    let again = PlanFile::parse(&printed, "printed.toml")
        .unwrap_or_else(|error| panic!("{error}\n{printed}"));
    let again = resolve(&again, &Overrides::default(), PlanKind::File)
        .unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again, plan, "{printed}");
}

/// Reads the bytes as a log of requests; what it holds adds up, and is what its printed form says.
///
/// # Panics
/// The reader panics, or its requests go back in time, move nothing, or lie outside of what the survey tells.
pub fn iolog(bytes: &[u8]) {
    let (mut reader, mut survey, mut last_ns) =
        (IologReader::new("fuzzed"), ReplaySurvey::default(), 0);
    let rules = ReplayRules::of(&Workload::default());
    let mut farthest = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Ok(request) = reader.line(line) else {
            return;
        };
        let Some(request) = request.and_then(|request| rules.apply(request)) else {
            continue;
        };
        assert!(request.time_ns >= last_ns && usize::from(request.file) < reader.files().len());
        last_ns = request.time_ns;
        farthest = farthest.max(request.offset + u64::from(request.len));
        survey.add(&request);
    }
    assert_eq!(survey.end_bytes(ReplayFiles::Together), Ok(farthest));
    if let Ok(holds) = survey.holds(ReplayFiles::Apart, reader.length_ns()) {
        assert_eq!(holds.to_string().parse(), Ok(holds));
    }
}

/// Reads the bytes as a capture of packets; each call is answered or not, once, and the figures add up.
///
/// # Panics
/// The reader or the analysis panics, or loses a call.
pub fn capture(bytes: &[u8]) {
    let (mut tally, mut open) = (TraceTally::default(), 0i64);
    let read = read_capture(bytes, &mut |event| {
        open += match event {
            TraceEvent::Made(_) => 1,
            TraceEvent::Answered(_) | TraceEvent::Unanswered(..) => -1,
            TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => 0,
        };
        tally.take(&event);
    });
    let Ok(facts) = read else { return };
    assert_eq!(open, 0);
    let summary = tally.summary("fuzzed".into(), "0", Some(facts));
    let shares = summary.calls.iter().filter_map(|call| call.time_share);
    let whole: f64 = shares.sum();
    assert!(whole < 1.000_001, "{whole}");
    let outstanding = summary.outstanding.expect("a capture tells answers");
    assert!((0.0..=1.0).contains(&outstanding.idle_share));
}

/// Reads the bytes as a trace of each format; each call is answered or not, once, where the trace tells answers at all.
///
/// # Panics
/// A reader or the analysis panics, or loses a call.
pub fn trace(bytes: &[u8]) {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    for format in FORMATS {
        let _ = (format.recognizes)(head);
        counted(|take| read_trace(format, Vec::new(), bytes, take));
    }
    for layout in [
        "%5T.%9t %p %a %d %S %n",
        "%C|%D|%T.%t|%a|%d|%S + %N [%P] %e",
        "%P%% %C, %M,%m %T.%t %a %d %S %n",
    ] {
        let layout: BlkparseLayout = layout
            .parse()
            .unwrap_or_else(|error| panic!("{layout}: {error}"));
        let _ = is_of_layout(&layout, head);
        counted(|take| read_blkparse(&layout, Vec::new(), bytes, take));
    }
    // The format itself comes from the user.
    let _ = String::from_utf8_lossy(head).parse::<BlkparseLayout>();
}

/// Reads a trace; each call is answered or not, once, and the figures add up.
fn counted(read: impl Fn(&mut dyn TraceReceiver) -> TraceFacts) {
    let (mut tally, mut made, mut ended) = (TraceTally::default(), 0u64, 0u64);
    let mut take = |event: TraceEvent| {
        match event {
            TraceEvent::Made(_) => made += 1,
            TraceEvent::Answered(_) | TraceEvent::Unanswered(..) => ended += 1,
            TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
        }
        tally.take(&event);
    };
    let facts = read(&mut take);
    assert_eq!(ended, if facts.has_responses { made } else { 0 });
    drop(tally.summary_of_calls("fuzzed".into(), "0", facts));
}

fn read_back(plan: &PlanFile, written: &str) {
    PlanFile::parse(written, "written.toml").unwrap_or_else(|error| panic!("{error}\n{written}"));
    drop(resolve(plan, &Overrides::default(), PlanKind::File));
}

/// Reads the bytes as each document of an object store, and as a body in chunks; content is no longer than what it comes in.
///
/// # Panics
/// One of the readers panics.
pub fn object_store(bytes: &[u8]) {
    let _ = (xml::listing(bytes), xml::versions(bytes), xml::uploads(bytes));
    let _ = (xml::settings(bytes), xml::refusal(bytes), xml::not_deleted(bytes));
    let _ = xml::upload_id(bytes);
    let mut chunks = Chunks::default();
    let mut content = 0;
    let taken = chunks.take(bytes, |part| {
        content += part.len();
        Ok::<(), MalformedChunk>(())
    });
    assert!(content <= bytes.len() && taken.unwrap_or(0) <= bytes.len());
}
