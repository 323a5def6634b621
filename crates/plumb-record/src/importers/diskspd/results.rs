//! What stands in diskspd's XML? Its elements, read one after another into what is asked and what was measured.

use plumb_model::run::imported::ReportedLatency;
use plumb_model::statement::Statement;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::importer::ImportError;
use crate::importer::number::{finite, whole};

/// Deepest nesting: diskspd's own is 8.
const DEPTH_MAX: usize = 32;
/// Targets of one time span: each is looked for among the others.
const TARGETS_MAX: usize = 256;

/// The whole file.
#[derive(Debug, Default)]
pub struct Results {
    pub version: Option<String>,
    pub host: Option<String>,
    pub run_time: Option<String>,
    /// Time spans of the profile.
    pub asked: Vec<Asked>,
    /// Time spans that ran, in the same order.
    pub measured: Vec<TimeSpan>,
    /// Why the file was not read to its end.
    pub cut: Option<Statement>,
}

/// What a time span of the profile asks for.
#[derive(Debug, Default)]
pub struct Asked {
    pub seconds: u64,
    pub warm_up_seconds: u64,
    /// Threads over all targets; 0 where each target has its own.
    pub threads: u64,
    /// Requests in flight of each thread; 0 where each target has its own.
    pub requests: u64,
    pub targets: Vec<AskedTarget>,
}

/// What is asked of one target.
#[derive(Debug, Default)]
pub struct AskedTarget {
    pub path: String,
    pub block_bytes: Option<u64>,
    pub start_bytes: u64,
    pub is_random: bool,
    pub is_direct: bool,
    pub is_write_through: bool,
    pub write_percent: f64,
    pub threads: Option<u64>,
    pub requests: Option<u64>,
    /// Limit of each thread, where it is given in operations.
    pub operations_per_s: Option<f64>,
}

/// What was measured in one time span.
#[derive(Debug, Default)]
pub struct TimeSpan {
    /// Missing when it was interrupted before the measuring began.
    pub seconds: Option<f64>,
    pub cpu_percent: Option<f64>,
    pub user_percent: Option<f64>,
    pub kernel_percent: Option<f64>,
    pub latencies: Latencies,
    /// By path, over all threads.
    pub targets: Vec<(String, Moved)>,
    /// The percentile of the bucket that is being read.
    percentile: Option<f64>,
    /// The path of the target that is being read.
    path: String,
}

/// Operations and bytes of one target.
#[derive(Debug, Default)]
pub struct Moved {
    pub read: (u64, u64),
    pub written: (u64, u64),
    pub file_bytes: u64,
}

/// Latencies over all targets and threads.
#[derive(Debug, Default)]
pub struct Latencies {
    pub read: ReportedLatency,
    pub write: ReportedLatency,
    pub total: ReportedLatency,
}

impl Latencies {
    pub fn is_empty(&self) -> bool {
        [&self.read, &self.write, &self.total]
            .iter()
            .all(|latency| **latency == ReportedLatency::default())
    }
}

impl Results {
    /// Reads as far as the text is XML; what stands before a break is kept.
    pub fn read(text: &str) -> Result<Results, ImportError> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_end_names = true;
        let (mut results, mut path, mut value) =
            (Results::default(), Vec::<String>::new(), String::new());
        loop {
            let at = reader.buffer_position();
            match reader.read_event() {
                Ok(Event::Start(start)) => {
                    let name = start.name().as_ref().to_string();
                    value.clear();
                    results.opened(&path, &name, || {
                        start
                            .attributes()
                            .flatten()
                            .any(|unit| unit.value == "IOPS")
                    });
                    path.push(name);
                    if path.len() > DEPTH_MAX {
                        return Err(ImportError::at(
                            line_of(text, at),
                            format!("at most {DEPTH_MAX} elements within each other"),
                        ));
                    }
                }
                Ok(Event::Text(text)) => value.push_str(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) => match reference.resolve_char_ref() {
                    Ok(Some(letter)) => value.push(letter),
                    _ => value.push_str(
                        quick_xml::escape::resolve_predefined_entity(&reference).unwrap_or("?"),
                    ),
                },
                Ok(Event::End(_)) => {
                    results.closed(
                        &path.iter().map(String::as_str).collect::<Vec<_>>(),
                        value.trim(),
                    );
                    path.pop();
                    value.clear();
                }
                Ok(Event::Eof) if path.is_empty() => return Ok(results),
                Ok(Event::Eof) => {
                    results.cut = Some(
                        Statement::new("diskspd-ends-within")
                            .name("element", format!("<{}>", path.join("><"))),
                    );
                    return Ok(results);
                }
                Ok(_) => {}
                Err(error) => {
                    results.cut = Some(
                        Statement::new("diskspd-no-xml")
                            .name("line", line_of(text, at).to_string())
                            .name("error", error.to_string()),
                    );
                    return Ok(results);
                }
            }
        }
    }

    /// An element begins.
    fn opened(&mut self, path: &[String], name: &str, is_operations: impl FnOnce() -> bool) {
        let place: Vec<&str> = path.iter().map(String::as_str).collect();
        match (place.as_slice(), name) {
            (["Results"], "TimeSpan") => self.measured.push(TimeSpan::default()),
            (["Results", "Profile", "TimeSpans"], "TimeSpan") => self.asked.push(Asked::default()),
            (["Results", "Profile", "TimeSpans", "TimeSpan", "Targets"], "Target") => {
                if let Some(asked) = self
                    .asked
                    .last_mut()
                    .filter(|asked| asked.targets.len() < TARGETS_MAX)
                {
                    asked.targets.push(AskedTarget::default());
                }
            }
            ([.., "Targets", "Target"], "Throughput") if is_operations() => {
                if let Some(target) = self
                    .asked
                    .last_mut()
                    .and_then(|asked| asked.targets.last_mut())
                {
                    target.operations_per_s = Some(0.0);
                }
            }
            _ => {}
        }
    }

    /// An element ends, with the text that stood in it.
    fn closed(&mut self, path: &[&str], value: &str) {
        match path {
            ["Results", "System", "ComputerName"] => self.host = Some(value.into()),
            ["Results", "System", "Tool", "Version"] => self.version = Some(value.into()),
            ["Results", "System", "RunTime"] => self.run_time = Some(value.into()),
            ["Results", "Profile", "TimeSpans", "TimeSpan", rest @ ..] => {
                if let Some(asked) = self.asked.last_mut() {
                    asked.closed(rest, value);
                }
            }
            ["Results", "TimeSpan", rest @ ..] => {
                if let Some(span) = self.measured.last_mut() {
                    span.closed(rest, value);
                }
            }
            _ => {}
        }
    }
}

/// The line of a place in the text, counted from 1.
fn line_of(text: &str, at: u64) -> u64 {
    let before = text
        .as_bytes()
        .get(..at as usize)
        .unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

impl Asked {
    fn closed(&mut self, path: &[&str], value: &str) {
        match path {
            ["Duration"] => self.seconds = whole(value).unwrap_or(0),
            ["Warmup"] => self.warm_up_seconds = whole(value).unwrap_or(0),
            ["ThreadCount"] => self.threads = whole(value).unwrap_or(0),
            ["RequestCount"] => self.requests = whole(value).unwrap_or(0),
            ["Targets", "Target", name] => {
                if let Some(target) = self.targets.last_mut() {
                    target.closed(name, value);
                }
            }
            _ => {}
        }
    }
}

impl AskedTarget {
    fn closed(&mut self, name: &str, value: &str) {
        let yes = value == "true";
        match name {
            "Path" => self.path = value.into(),
            "BlockSize" => self.block_bytes = whole(value),
            "BaseFileOffset" => self.start_bytes = whole(value).unwrap_or(0),
            "Random" => self.is_random = true,
            "DisableOSCache" | "DisableAllCache" => {
                self.is_direct |= yes;
                self.is_write_through |= yes && name == "DisableAllCache";
            }
            "WriteThrough" => self.is_write_through |= yes,
            "WriteRatio" => self.write_percent = finite(value).unwrap_or(0.0),
            "ThreadsPerFile" => self.threads = whole(value),
            "RequestCount" => self.requests = whole(value),
            "Throughput" if self.operations_per_s.is_some() => {
                self.operations_per_s = finite(value)
            }
            _ => {}
        }
    }
}

impl TimeSpan {
    fn closed(&mut self, path: &[&str], value: &str) {
        match path {
            ["TestTimeSeconds"] => self.seconds = finite(value),
            ["CpuUtilization", "Average", "UsagePercent"] => self.cpu_percent = finite(value),
            ["CpuUtilization", "Average", "UserPercent"] => self.user_percent = finite(value),
            ["CpuUtilization", "Average", "KernelPercent"] => self.kernel_percent = finite(value),
            ["Latency", "Bucket", name] => self.bucket(name, value),
            ["Latency", name] => self.latency(name, value),
            ["Thread", "Target", name] => self.moved(name, value),
            _ => {}
        }
    }

    /// Mean and deviation, in milliseconds with three decimals.
    fn latency(&mut self, name: &str, value: &str) {
        let Some(ns) = finite(value).map(|milliseconds| milliseconds * 1e6) else {
            return;
        };
        let Latencies { read, write, total } = &mut self.latencies;
        match name {
            "AverageReadMilliseconds" => read.mean_ns = Some(ns),
            "ReadLatencyStdev" => read.standard_deviation_ns = Some(ns),
            "AverageWriteMilliseconds" => write.mean_ns = Some(ns),
            "WriteLatencyStdev" => write.standard_deviation_ns = Some(ns),
            "AverageTotalMilliseconds" => total.mean_ns = Some(ns),
            "LatencyStdev" => total.standard_deviation_ns = Some(ns),
            _ => {}
        }
    }

    /// A percentile: 0 is the least, 100 the most.
    fn bucket(&mut self, name: &str, value: &str) {
        let Latencies { read, write, total } = &mut self.latencies;
        let of = match name {
            "Percentile" => {
                self.percentile = finite(value).filter(|percent| *percent <= 100.0);
                return;
            }
            "ReadMilliseconds" => read,
            "WriteMilliseconds" => write,
            "TotalMilliseconds" => total,
            _ => return,
        };
        let (Some(percent), Some(ns)) = (
            self.percentile,
            finite(value).map(|milliseconds| milliseconds * 1e6),
        ) else {
            return;
        };
        let rises = of
            .quantiles_ns
            .last()
            .is_none_or(|(last, before)| *last < percent / 100.0 && *before <= ns);
        if percent == 0.0 {
            of.min_ns = Some(ns);
        } else if percent == 100.0 {
            of.max_ns = Some(ns);
        } else if rises {
            of.quantiles_ns.push((percent / 100.0, ns));
        }
    }

    /// A number of one thread's target; the path stands before the others.
    fn moved(&mut self, name: &str, value: &str) {
        if name == "Path" {
            self.path = value.into();
            if self.targets.len() < TARGETS_MAX
                && !self.targets.iter().any(|(path, _)| path == value)
            {
                self.targets.push((value.into(), Moved::default()));
            }
            return;
        }
        let path = &self.path;
        let Some((_, moved)) = self.targets.iter_mut().find(|(of, _)| of == path) else {
            return;
        };
        let Some(number) = whole(value) else { return };
        match name {
            "FileSize" => moved.file_bytes = number,
            "ReadCount" => moved.read.0 = moved.read.0.saturating_add(number),
            "ReadBytes" => moved.read.1 = moved.read.1.saturating_add(number),
            "WriteCount" => moved.written.0 = moved.written.0.saturating_add(number),
            "WriteBytes" => moved.written.1 = moved.written.1.saturating_add(number),
            _ => {}
        }
    }
}
