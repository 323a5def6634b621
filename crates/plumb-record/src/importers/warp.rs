//! What did warp measure? Every request of `--full` (tab-separated), with its time to the first byte.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::run::tick::KindTick;
use plumb_model::statement::Statement;
use plumb_model::workload::operation::OperationKind;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::intervals::Intervals;
use crate::importer::warp::{Load, kind_of, run_of};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, date};

pub static IMPORTER: Importer = Importer {
    name: "warp",
    program: "warp",
    meaning: "every request of warp (`--full`, its .csv.zst file as it is or unpacked): requests without a pause of a second become a step, those of the preparation another one",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// First columns of every version.
const COLUMNS: &str = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart";
/// Longest time from the first request to the last: ten years.
const SPAN_MAX_NS: u64 = 10 * 366 * 86_400 * 1_000_000_000;
/// Most bytes of a request, and of all: larger sums would overflow.
const BYTES_MAX: u64 = 1 << 58;
/// In a benchmark each thread sends one request after the other: nobody sends any between its parts.
const PAUSE_NS: u64 = 1_000_000_000;
const PARTS_MAX: usize = 1000;
/// Different errors, threads and sizes that are kept apart.
const NAMES_MAX: usize = 32;
const THREADS_MAX: usize = 100_000;

fn recognizes(head: &Head<'_>) -> bool {
    head.text().trim_start().starts_with(COLUMNS)
}

/// One request.
struct Request<'a> {
    kind: OperationKind,
    objects: u64,
    bytes: u64,
    error: &'a str,
    start_ns: u64,
    /// Missing for uploads, and where nothing was received.
    first_byte_ns: Option<u64>,
    end_ns: u64,
}

/// All requests of one kind.
#[derive(Default)]
struct Requests {
    count: u64,
    objects: u64,
    first_bytes: Histogram,
    load: Load,
}

#[derive(Default)]
struct Columns(BTreeMap<String, usize>);

impl Columns {
    fn text<'a>(&self, row: &'a csv::StringRecord, name: &str) -> &'a str {
        let at = self.0.get(name);
        at.and_then(|at| row.get(*at)).unwrap_or_default()
    }

    /// Nanoseconds since 1970.
    fn time(&self, row: &csv::StringRecord, name: &str) -> Option<u64> {
        let time: Timestamp = self.text(row, name).parse().ok()?;
        u64::try_from(time.as_nanosecond()).ok()
    }

    fn request<'a>(&self, row: &'a csv::StringRecord) -> Option<Request<'a>> {
        let (start_ns, end_ns) = (self.time(row, "start")?, self.time(row, "end")?);
        let bytes = self.text(row, "bytes").parse().ok()?;
        let is_possible = end_ns >= start_ns && bytes <= BYTES_MAX;
        is_possible.then_some(Request {
            kind: kind_of(self.text(row, "op"))?,
            objects: self.text(row, "n_objects").parse().unwrap_or(1),
            bytes,
            error: self.text(row, "error"),
            start_ns,
            first_byte_ns: self
                .time(row, "first_byte")
                .filter(|first| (start_ns..=end_ns).contains(first)),
            end_ns,
        })
    }
}

/// Requests without a pause between them: the preparation, or the benchmark.
#[derive(Default)]
struct Part {
    start_ns: u64,
    end_ns: u64,
    kinds: BTreeMap<&'static str, (OperationKind, Requests)>,
    intervals: Intervals,
}

/// What was read, before it becomes a run. Times since its first request.
#[derive(Default)]
struct Benchmark {
    /// Of the first request in the file, since 1970.
    base_ns: Option<u64>,
    parts: Vec<Part>,
    bytes: u64,
    left_out: u64,
}

impl Benchmark {
    /// Adds a request; false if it is not possible.
    fn take(&mut self, request: &Request<'_>, thread: (&str, &str)) -> bool {
        let base_ns = *self.base_ns.get_or_insert(request.start_ns);
        // Rows are in the order of their starts, but for a few of other hosts.
        let since = |ns: u64| ns.saturating_sub(base_ns);
        let (start_ns, end_ns) = (since(request.start_ns), since(request.end_ns));
        if end_ns > SPAN_MAX_NS || self.bytes + request.bytes > BYTES_MAX {
            return false;
        }
        self.bytes += request.bytes;
        let is_over = |part: &Part| start_ns > part.end_ns + PAUSE_NS;
        if self.parts.last().is_none_or(is_over) && self.parts.len() < PARTS_MAX {
            self.parts.push(Part {
                start_ns,
                end_ns,
                ..Part::default()
            });
        }
        let Some(part) = self.parts.last_mut() else {
            return false;
        };
        part.take(request, (start_ns, end_ns), thread);
        true
    }

    fn into_run(self, mut builder: RunBuilder) -> Run {
        let base_ns = self.base_ns.unwrap_or_default();
        builder.started(date::rfc3339(base_ns), base_ns);
        if self.left_out > 0 {
            builder.doubt(Statement::new("warp-requests-left-out").count("count", self.left_out));
        }
        for part in self.parts {
            part.add(&mut builder);
        }
        builder.finish()
    }
}

impl Part {
    fn take(
        &mut self,
        request: &Request<'_>,
        (start_ns, end_ns): (u64, u64),
        thread: (&str, &str),
    ) {
        self.start_ns = self.start_ns.min(start_ns);
        self.end_ns = self.end_ns.max(end_ns);
        let entry = self.kinds.entry(request.kind.word());
        let (_, requests) = entry.or_insert_with(|| (request.kind, Requests::default()));
        if requests.load.threads.len() < THREADS_MAX {
            let (client, number) = thread;
            requests.load.threads.insert(format!("{client}/{number}"));
        }
        // Rows that begin earlier than the first one are rare, and counted in its interval.
        let ended_ms = end_ns.saturating_sub(self.start_ns) / 1_000_000;
        if !request.error.is_empty() {
            let name = error_name(request.error);
            self.intervals.fail(ended_ms, request.kind, name, NAMES_MAX);
            return;
        }
        requests.count += 1;
        requests.objects = requests.objects.saturating_add(request.objects);
        requests.load.add_size(request.bytes, 1);
        if let Some(first_ns) = request.first_byte_ns {
            requests.first_bytes.record(first_ns - request.start_ns);
        }
        let took_ns = request.end_ns - request.start_ns;
        self.intervals
            .add(ended_ms, request.kind, (1, request.bytes), Some(took_ns));
    }

    /// Becomes a step, or another round of it.
    fn add(self, builder: &mut RunBuilder) {
        let loads: Vec<(OperationKind, u64, &Load)> = self
            .kinds
            .values()
            .map(|(kind, requests)| (*kind, requests.count.max(1), &requests.load))
            .collect();
        let step = Load::step(builder, &loads);
        let length_ns = self.end_ns - self.start_ns;
        let span = builder.execution(step, length_ns as f64 / 1e9);
        let at = |ms: u64| ms.saturating_mul(1_000_000).min(length_ns);
        for (from_ms, to_ms, cell) in self.intervals.finish(length_ns / 1_000_000 + 1) {
            let kinds = cell.into_iter().map(kind_tick).collect();
            builder.interval(span, 0, (at(from_ms), at(to_ms)), kinds);
        }
        for (kind, requests) in self.kinds.values() {
            builder.reported(span, 0, requests.reported(*kind));
        }
    }
}

impl Requests {
    /// What ticks cannot hold.
    fn reported(&self, kind: OperationKind) -> Reported {
        let times = &self.first_bytes;
        let at = |quantile: f64| {
            let ns = times.quantile_ns(quantile);
            ns.filter(|_| times.supports(quantile)).map(|ns| ns as f64)
        };
        let objects = Some(self.objects as f64).filter(|_| self.objects != self.count);
        let figures = [
            ("time to first byte: mean", times.mean_ns(), "ns"),
            ("time to first byte: 50 %", at(0.5), "ns"),
            ("time to first byte: 99 %", at(0.99), "ns"),
            ("objects", objects, ""),
        ];
        let figure = |(name, value, unit): (&str, Option<f64>, &str)| {
            ReportedFigure::known(name, value, unit)
        };
        Reported {
            kind: Some(kind),
            figures: figures.into_iter().filter_map(figure).collect(),
            ..Reported::default()
        }
    }
}

fn kind_tick(of: crate::importer::intervals::Completed) -> KindTick {
    KindTick {
        kind: of.kind,
        count: of.count,
        bytes: of.bytes,
        errors: of.errors,
        service: of.times,
        response: None,
        split: None,
        priorities: Vec::new(),
    }
}

/// `Get "http://...": dial tcp 10.0.0.1:9000: connect: connection refused`: its last part, which names no object.
fn error_name(text: &str) -> String {
    let last = text.rsplit(": ").next().unwrap_or(text).trim();
    last.chars().take(60).collect()
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut rows = csv::ReaderBuilder::new()
        .delimiter(b'\t')
        .has_headers(false)
        .flexible(true)
        .from_reader(&mut *source.reader);
    let (mut row, mut columns) = (csv::StringRecord::new(), Columns::default());
    let (mut benchmark, mut command) = (Benchmark::default(), None);
    let mut stopped = None;
    loop {
        match rows.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                stopped = Some(error.to_string());
                break;
            }
        }
        let first = row.get(0).unwrap_or_default();
        if let Some(words) = first.strip_prefix("# ") {
            command.get_or_insert_with(|| words.to_string());
            continue;
        }
        if first == "idx" {
            let named = row.iter().enumerate();
            columns = Columns(named.map(|(at, name)| (name.into(), at)).collect());
            continue;
        }
        let (client, number) = (
            columns.text(&row, "client_id"),
            columns.text(&row, "thread"),
        );
        let taken = columns
            .request(&row)
            .is_some_and(|request| benchmark.take(&request, (client, number)));
        benchmark.left_out += u64::from(!taken);
    }
    if benchmark.parts.is_empty() {
        return Err(ImportError::at(
            2,
            "rows of requests with a known operation (GET, PUT, STAT, DELETE, LIST), bytes, start and end",
        ));
    }
    let mut builder = run_of(None, command.as_deref().unwrap_or_default());
    if let Some(error) = stopped {
        builder.doubt(Statement::new("rest-of-file-left-out").name("error", error));
    }
    Ok(vec![benchmark.into_run(builder)])
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    let range = include_bytes!("../../../../testdata/foreign/warp/1.6-full-get.csv.zst");
    let errors = include_bytes!("../../../../testdata/foreign/warp/1.6-full-errors.csv.zst");
    let cut = include_bytes!("../../../../testdata/foreign/warp/1.6-cut.csv");
    vec![
        Fixture::of("cut.csv", cut, |runs| {
            assert_eq!(runs[0].header.plan.steps.len(), 2);
        }),
        Fixture::of("full-get.csv.zst", range, |runs| {
            let steps = &runs[0].header.plan.steps;
            let names: Vec<_> = steps.iter().map(|step| step.name.as_str()).collect();
            assert_eq!(names, ["create", "read-file"], "the preparation is a step");
            assert_eq!(steps[1].jobs[0].workload.workers, 4);
            assert_eq!(runs[0].header.command[..2], ["/tmp/warp", "get"]);
        }),
        Fixture::of("full-errors.csv.zst", errors, |runs| {
            let kinds = runs[0].ticks.iter().flat_map(|tick| &tick.kinds);
            let errors: Vec<_> = kinds.flat_map(|of| &of.errors).collect();
            let refused: u64 = errors
                .iter()
                .filter(|(name, _)| name.as_str() == "connection refused")
                .map(|(_, count)| **count)
                .sum();
            assert_eq!(refused, 8, "{errors:?}");
        }),
    ]
}
