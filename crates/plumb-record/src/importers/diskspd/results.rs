//! What is in diskspd's XML? Its elements, read one after another into the profile and the measured results.

use plumb_model::run::imported::ReportedLatency;
use plumb_model::statement::Statement;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::importer::ImportError;
use crate::importer::diskspd::{TARGETS_MAX, TargetProfile, TimeSpanProfile};
use crate::importer::number::{finite, integer};

/// Deepest nesting: diskspd's own is 8.
const DEPTH_MAX: usize = 32;

/// The entire file.
#[derive(Debug, Default)]
pub struct Results {
    pub version: Option<String>,
    pub host: Option<String>,
    pub run_time: Option<String>,
    /// Time spans of the profile.
    pub profile: Vec<TimeSpanProfile>,
    /// Time spans that ran, in the same order.
    pub measured: Vec<TimeSpan>,
    /// Why the file was not read to its end.
    pub cut: Option<Statement>,
}

/// Measured results of one time span.
#[derive(Debug, Default)]
pub struct TimeSpan {
    /// Missing if it was interrupted before the measurement began.
    pub seconds: Option<f64>,
    pub cpu_percent: Option<f64>,
    pub user_percent: Option<f64>,
    pub kernel_percent: Option<f64>,
    pub latencies: Latencies,
    /// By path, over all threads.
    pub targets: Vec<(String, Moved)>,
    /// The percentile of the current bucket.
    percentile: Option<f64>,
    /// The path of the current target.
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
    /// Reads up to the first XML error; what precedes it is kept.
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

    /// Start of an element.
    fn opened(&mut self, path: &[String], name: &str, is_operations: impl FnOnce() -> bool) {
        let parents: Vec<&str> = path.iter().map(String::as_str).collect();
        match (parents.as_slice(), name) {
            (["Results"], "TimeSpan") => self.measured.push(TimeSpan::default()),
            (["Results", "Profile", "TimeSpans"], "TimeSpan") => {
                self.profile.push(TimeSpanProfile::default())
            }
            (["Results", "Profile", "TimeSpans", "TimeSpan", "Targets"], "Target") => {
                if let Some(profile) = self
                    .profile
                    .last_mut()
                    .filter(|profile| profile.targets.len() < TARGETS_MAX)
                {
                    profile.targets.push(TargetProfile::default());
                }
            }
            ([.., "Targets", "Target"], "Throughput") if is_operations() => {
                if let Some(target) = self
                    .profile
                    .last_mut()
                    .and_then(|profile| profile.targets.last_mut())
                {
                    target.operations_per_s = Some(0.0);
                }
            }
            _ => {}
        }
    }

    /// End of an element, with its text.
    fn closed(&mut self, path: &[&str], value: &str) {
        match path {
            ["Results", "System", "ComputerName"] => self.host = Some(value.into()),
            ["Results", "System", "Tool", "Version"] => self.version = Some(value.into()),
            ["Results", "System", "RunTime"] => self.run_time = Some(value.into()),
            ["Results", "Profile", "TimeSpans", "TimeSpan", rest @ ..] => {
                if let Some(profile) = self.profile.last_mut() {
                    profile_closed(profile, rest, value);
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

/// The line number of a position in the text, counted from 1.
fn line_of(text: &str, at: u64) -> u64 {
    let before = text
        .as_bytes()
        .get(..at as usize)
        .unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// A value of a time span of the profile, by the path of its element.
fn profile_closed(profile: &mut TimeSpanProfile, path: &[&str], value: &str) {
    match path {
        ["Duration"] => profile.seconds = integer(value).unwrap_or(0),
        ["Warmup"] => profile.warm_up_seconds = integer(value).unwrap_or(0),
        ["ThreadCount"] => profile.threads = integer(value).unwrap_or(0),
        ["RequestCount"] => profile.requests = integer(value).unwrap_or(0),
        ["Targets", "Target", name] => {
            if let Some(target) = profile.targets.last_mut() {
                target_closed(target, name, value);
            }
        }
        _ => {}
    }
}

fn target_closed(target: &mut TargetProfile, name: &str, value: &str) {
    let yes = value == "true";
    match name {
        "Path" => target.path = value.into(),
        "BlockSize" => target.block_bytes = integer(value),
        "BaseFileOffset" => target.start_bytes = integer(value).unwrap_or(0),
        "Random" => target.is_random = true,
        "DisableOSCache" | "DisableAllCache" => {
            target.is_direct |= yes;
            target.is_write_through |= yes && name == "DisableAllCache";
        }
        "WriteThrough" => target.is_write_through |= yes,
        "WriteRatio" => target.write_percent = finite(value).unwrap_or(0.0),
        "ThreadsPerFile" => target.threads = integer(value),
        "RequestCount" => target.requests = integer(value),
        "Throughput" if target.operations_per_s.is_some() => {
            target.operations_per_s = finite(value)
        }
        _ => {}
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

    /// A percentile: 0 is the minimum, 100 the maximum.
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

    /// A number of one thread's target; the path precedes the others.
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
        let Some(number) = integer(value) else { return };
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
