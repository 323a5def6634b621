//! What is below each heading of a configuration file of Iometer?

use plumb_model::plan::PlanError;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::{AccessLine, BlockSpan};

/// Most access specifications and most workers of one file.
const ITEMS_MAX: usize = 10_000;
/// Most lines of one access specification (MAX_ACCESS_SPECS in IOAccess.h).
const LINES_MAX: usize = 100;
/// Longest test, in seconds.
const RUN_MAX_S: u64 = 1_000_000_000;

/// What the file says.
#[derive(Debug, Default)]
pub struct Configuration {
    pub description: Option<String>,
    /// 0: until it is stopped.
    pub run_time_s: u64,
    pub ramp_s: u64,
    pub worker_cycle: Cycle,
    pub depth_cycle: Cycle,
    test_type: usize,
    pub specifications: Vec<Specification>,
    pub managers: usize,
    pub workers: Vec<DiskWorker>,
    pub network_workers: usize,
}

/// How a number of workers or outstanding I/Os rises from test to test.
#[derive(Debug, Clone, Copy)]
pub struct Cycle {
    start: u64,
    pub end: u64,
    step: u64,
    exponential: bool,
}

/// An access specification.
#[derive(Debug)]
pub struct Specification {
    pub name: String,
    pub line: usize,
    pub lines: Vec<AccessLine>,
}

/// A disk worker.
#[derive(Debug)]
pub struct DiskWorker {
    pub name: String,
    pub line: usize,
    /// Outstanding I/Os on each target.
    pub outstanding: u64,
    /// Size of the part in use, in sectors of 512 bytes; 0: all.
    pub sectors: u64,
    pub first_sector: u64,
    /// 0 repeating bytes, 1 pseudo random, 2 full random.
    pub pattern: u64,
    pub specifications: Vec<String>,
    pub targets: Vec<String>,
    is_network: bool,
}

/// Words of the test type, in the order of the numbers that old files have.
const TEST_TYPES: [&str; 8] = [
    "NORMAL",
    "CYCLE_TARGETS",
    "CYCLE_WORKERS",
    "INCREMENT_TARGETS_PARALLEL",
    "INCREMENT_TARGETS_SERIAL",
    "CYCLE_WORKERS_AND_TARGETS",
    "CYCLE_OUTSTANDING_IOS",
    "CYCLE_OUTSTANDING_IOS_AND_TARGETS",
];

impl Configuration {
    fn test_type(&self) -> &'static str {
        TEST_TYPES.get(self.test_type).copied().unwrap_or("NORMAL")
    }

    pub fn cycles_workers(&self) -> bool {
        self.test_type().contains("WORKERS")
    }

    pub fn cycles_outstanding(&self) -> bool {
        self.test_type().contains("OUTSTANDING")
    }

    pub fn cycles_targets(&self) -> bool {
        self.test_type().contains("TARGETS")
    }
}

impl Default for Cycle {
    fn default() -> Self {
        Cycle {
            start: 1,
            end: 32,
            step: 2,
            exponential: true,
        }
    }
}

impl Cycle {
    /// The values from start to `end`, at most `max`.
    pub fn values(self, end: u64, max: usize) -> Result<Vec<u64>, String> {
        let Cycle {
            start,
            step,
            exponential,
            ..
        } = self;
        if start == 0 || step < if exponential { 2 } else { 1 } {
            return Err(format!(
                "start {start} and step {step} never reach {end}; use a start of at least 1 and an increasing step"
            ));
        }
        let next = |value: &u64| {
            if exponential {
                value.checked_mul(step)
            } else {
                value.checked_add(step)
            }
        };
        let values: Vec<u64> = std::iter::successors(Some(start), next)
            .take_while(|value| *value <= end)
            .take(max + 1)
            .collect();
        match values.len() {
            0 => Err(format!("start {start} is above end {end}")),
            count if count > max => Err(format!("more than {max} values; use a larger step")),
            _ => Ok(values),
        }
    }
}

impl Specification {
    /// The one that Iometer always has and writes into no file: `Default` (AccessSpecList.cpp).
    pub fn default_of_iometer() -> Specification {
        let line = AccessLine {
            size: BlockSpan::one(Bytes(2048)),
            reads_percent: 67.0,
            random_percent: 100.0,
            ..AccessLine::default()
        };
        Specification {
            name: "Default".into(),
            line: 1,
            lines: vec![line],
        }
    }
}

impl DiskWorker {
    /// True when it does the same, if on other targets.
    pub fn is_like(&self, other: &DiskWorker) -> bool {
        let settings = |of: &DiskWorker| {
            (
                of.outstanding,
                of.sectors,
                of.first_sector,
                of.pattern,
                of.targets.len(),
            )
        };
        settings(self) == settings(other) && self.specifications == other.specifications
    }
}

impl Default for DiskWorker {
    fn default() -> Self {
        DiskWorker {
            name: "Worker 1".into(),
            line: 1,
            outstanding: 1,
            sectors: 0,
            first_sector: 0,
            pattern: 0,
            specifications: Vec::new(),
            targets: Vec::new(),
            is_network: false,
        }
    }
}

/// What the last heading announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    Nothing,
    Description,
    RunTime,
    Ramp,
    WorkerCycle,
    DepthCycle,
    TestType,
    SpecificationName,
    SpecificationLine,
    Manager,
    Worker,
    WorkerType,
    Outstanding,
    DiskSize,
    AssignedSpecification,
    Target,
}

/// What is below a heading: its beginning decides, since versions differ in what follows.
fn below(heading: &str) -> Below {
    const HEADINGS: &[(&str, Below)] = &[
        ("test description", Below::Description),
        ("run time", Below::RunTime),
        ("ramp up time", Below::Ramp),
        ("worker cycling", Below::WorkerCycle),
        ("queue depth cycling", Below::DepthCycle),
        ("test type", Below::TestType),
        ("access specification name", Below::SpecificationName),
        ("size,% of size", Below::SpecificationLine),
        ("manager id", Below::Manager),
        ("worker type", Below::WorkerType),
        ("number of outstanding ios", Below::Outstanding),
        ("disk maximum size", Below::DiskSize),
        ("assigned access specs", Below::AssignedSpecification),
    ];
    let lower = heading.trim().to_ascii_lowercase();
    match lower.as_str() {
        "worker" => Below::Worker,
        "target" => Below::Target,
        _ => HEADINGS
            .iter()
            .find(|(beginning, _)| lower.starts_with(beginning))
            .map_or(Below::Nothing, |(_, below)| *below),
    }
}

/// Reads the whole file.
pub fn read(text: &str, source: &str) -> Result<Configuration, PlanError> {
    let mut configuration = Configuration::default();
    let (mut at, mut known) = (Below::Nothing, false);
    for (index, line) in text.lines().enumerate() {
        if let Some(heading) = line.trim_start().strip_prefix('\'') {
            // A heading that begins with blanks only names the columns of the one before it.
            if !heading.starts_with([' ', '\t']) {
                at = below(heading);
                known |= at != Below::Nothing;
            }
        } else if !line.trim().is_empty() {
            configuration
                .value(at, line.trim(), index + 1)
                .map_err(|why| PlanError::at(format!("{source}, line {}", index + 1), why))?;
        }
    }
    if !known {
        return Err(PlanError::at(
            source,
            "this is not an Iometer configuration file: headings such as 'ACCESS SPECIFICATIONS are missing",
        ));
    }
    configuration.network_workers = configuration
        .workers
        .iter()
        .filter(|worker| worker.is_network)
        .count();
    if configuration.network_workers > 0
        && configuration.network_workers == configuration.workers.len()
    {
        return Err(PlanError::at(
            source,
            "all its workers are network workers: plumb run network-stream tcp://HOST tests the network",
        ));
    }
    configuration.workers.retain(|worker| !worker.is_network);
    Ok(configuration)
}

impl Configuration {
    /// Takes the value below a heading.
    fn value(&mut self, at: Below, text: &str, line: usize) -> Result<(), String> {
        match at {
            Below::Nothing => {}
            Below::Description => self.description = Some(text.to_string()),
            Below::RunTime => {
                let numbers = numbers(text)?;
                let seconds = numbers.iter().fold(0u64, |sum, number| {
                    sum.saturating_mul(60).saturating_add(*number)
                });
                let right = numbers.len() == 3 && seconds <= RUN_MAX_S;
                self.run_time_s = Some(seconds).filter(|_| right).ok_or_else(|| {
                    format!("expected hours, minutes and seconds, found '{text}'")
                })?;
            }
            Below::Ramp => {
                self.ramp_s = number(text)
                    .ok()
                    .filter(|ramp| *ramp <= RUN_MAX_S)
                    .ok_or_else(|| format!("'{text}' is not a number of seconds"))?
            }
            Below::WorkerCycle => self.worker_cycle = cycle(text, false)?,
            Below::DepthCycle => self.depth_cycle = cycle(text, true)?,
            Below::TestType => {
                let known = TEST_TYPES
                    .iter()
                    .position(|word| word.eq_ignore_ascii_case(text));
                let known = known.or_else(|| {
                    text.parse()
                        .ok()
                        .filter(|number| *number < TEST_TYPES.len())
                });
                self.test_type = known.ok_or_else(|| {
                    format!(
                        "the test type '{text}' is not one of {}",
                        TEST_TYPES.join(", ")
                    )
                })?;
            }
            Below::SpecificationName => {
                let name = text
                    .rsplit_once(',')
                    .map_or(text, |(name, _)| name)
                    .trim()
                    .to_string();
                self.specifications.push(Specification {
                    name,
                    line,
                    lines: Vec::new(),
                });
            }
            Below::SpecificationLine => {
                let parsed = specification_line(text)?;
                let specification = self
                    .specifications
                    .last_mut()
                    .ok_or("a line of an access specification without its name")?;
                specification.lines.push(parsed);
                if specification.lines.len() > LINES_MAX {
                    return Err(format!(
                        "an access specification has at most {LINES_MAX} lines"
                    ));
                }
            }
            Below::Manager => self.managers += 1,
            Below::Worker => self.workers.push(DiskWorker {
                name: text.to_string(),
                line,
                ..DiskWorker::default()
            }),
            _ => return self.of_worker(at, text),
        }
        if self.specifications.len().max(self.workers.len()) > ITEMS_MAX {
            return Err(format!(
                "at most {ITEMS_MAX} access specifications and workers in one file"
            ));
        }
        Ok(())
    }

    /// Takes a value that belongs to the last worker.
    fn of_worker(&mut self, at: Below, text: &str) -> Result<(), String> {
        let worker = self
            .workers
            .last_mut()
            .ok_or("a worker setting comes before the first worker")?;
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let field = |index: usize| fields.get(index).map_or(Ok(0), |text| number(text));
        match at {
            Below::WorkerType => worker.is_network = !text.eq_ignore_ascii_case("DISK"),
            Below::Outstanding => worker.outstanding = field(0)?.min(u64::from(u32::MAX)),
            Below::DiskSize => {
                (worker.sectors, worker.first_sector, worker.pattern) =
                    (field(0)?, field(1)?, field(2)?)
            }
            Below::AssignedSpecification => worker.specifications.push(text.to_string()),
            _ => worker.targets.push(text.to_string()),
        }
        let count = worker.specifications.len().max(worker.targets.len());
        if count > ITEMS_MAX {
            Err(format!(
                "a worker has at most {ITEMS_MAX} access specifications and targets"
            ))
        } else {
            Ok(())
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("'{}' is not an integer", text.trim()))
}

fn numbers(text: &str) -> Result<Vec<u64>, String> {
    text.split_whitespace().map(number).collect()
}

/// `1 32 2 EXPONENTIAL`: start, end where it has one, step, kind of step.
fn cycle(text: &str, has_end: bool) -> Result<Cycle, String> {
    let (values, kind) = text.rsplit_once(char::is_whitespace).unwrap_or((text, ""));
    let exponential = match kind.to_ascii_uppercase().as_str() {
        "EXPONENTIAL" => true,
        "LINEAR" => false,
        other => {
            return Err(format!(
                "the step type '{other}' is neither LINEAR nor EXPONENTIAL"
            ));
        }
    };
    match (numbers(values)?.as_slice(), has_end) {
        ([start, end, step], true) => Ok(Cycle {
            start: *start,
            end: *end,
            step: *step,
            exponential,
        }),
        ([start, step], false) => Ok(Cycle {
            start: *start,
            end: u64::MAX,
            step: *step,
            exponential,
        }),
        _ => Err(format!(
            "expected start, {}step and step type, found '{text}'",
            if has_end { "end, " } else { "" }
        )),
    }
}

/// `4096,100,67,100,0,1,0,0`: size, share, reads, random, delay in ms, burst, alignment, reply.
fn specification_line(text: &str) -> Result<AccessLine, String> {
    let fields = text
        .split(',')
        .map(str::trim)
        .filter(|field| !field.is_empty())
        .map(number)
        .collect::<Result<Vec<_>, _>>();
    let expected = || {
        format!(
            "expected eight numbers 'size,% of size,% reads,% random,delay,burst,align,reply', found '{text}'"
        )
    };
    let fields = fields.map_err(|_| expected())?;
    let [size, share, reads, random, delay_ms, burst, align, reply] = fields.as_slice() else {
        return Err(expected());
    };
    if *reply > 0 {
        return Err(format!(
            "a reply of {reply} bytes belongs to a network test: plumb run netpipe tcp://HOST exchanges messages"
        ));
    }
    if *size == 0
        || [share, reads, random]
            .into_iter()
            .any(|percent| *percent > 100)
    {
        return Err(expected());
    }
    Ok(AccessLine {
        size: BlockSpan::one(Bytes(*size)),
        share: *share as f64,
        reads_percent: *reads as f64,
        random_percent: *random as f64,
        delay: Nanos(delay_ms.saturating_mul(1_000_000)),
        burst: (*burst).clamp(1, u64::from(u32::MAX)),
        align: Bytes(*align),
        ..AccessLine::default()
    })
}
