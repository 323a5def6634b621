//! What is in Iometer's results file? Headings begin with an apostrophe, and define the lines below them.

use std::collections::{HashMap, HashSet};

use plumb_model::run::imported::ReportedLatency;

use crate::importer::columns::{Columns, CsvRow};
use crate::importer::number::{finite, integer};

/// One run of Iometer: the sections from one `'Test Type` to the next.
#[derive(Debug, Default)]
pub struct Section {
    pub version: Option<String>,
    pub aborted: bool,
    /// Lines of each access specification, by name.
    pub specifications: HashMap<String, Vec<SpecificationLine>>,
    pub measured: Vec<Measured>,
    /// Specifications measured with several numbers of workers, disks or outstanding I/Os.
    pub varying: HashSet<String>,
    /// Workers, disks and outstanding I/Os of the first test of a specification.
    first: HashMap<String, (u64, u64, u64)>,
    below: Below,
    name: String,
    columns: Columns,
}

/// Meaning of the lines below the last heading.
#[derive(Debug, Default, PartialEq, Eq)]
enum Below {
    #[default]
    Nothing,
    Version,
    Name,
    Lines,
    Rows,
}

/// `size,% of size,% reads,% random,delay,burst,align,reply`.
#[derive(Debug, Clone, Copy)]
pub struct SpecificationLine {
    pub block_bytes: u64,
    pub share: f64,
    pub reads_percent: f64,
    pub random_percent: f64,
    pub delay_ms: u64,
    pub burst: u64,
}

/// A row `ALL`: one test over all managers.
#[derive(Debug)]
pub struct Measured {
    pub specification: String,
    pub workers: u64,
    pub disks: u64,
    /// Outstanding I/Os of each worker on each disk.
    pub depth: u64,
    pub iops: Option<f64>,
    pub read: Moved,
    pub written: Moved,
    /// Reads and writes together.
    pub latency: ReportedLatency,
    /// CPU utilization, by column name.
    pub percent: Vec<(String, f64)>,
}

/// Operations of one kind.
#[derive(Debug)]
pub struct Moved {
    pub count: u64,
    pub bytes: u64,
    pub errors: u64,
    pub latency: ReportedLatency,
}

impl Measured {
    /// The time that Iometer's rates are based on, which rows ALL do not state.
    pub fn seconds(&self) -> Option<f64> {
        let count = self.read.count.saturating_add(self.written.count) as f64;
        self.iops
            .filter(|iops| *iops > 0.0)
            .map(|iops| count / iops)
    }
}

impl Section {
    /// Adds a line; true if it is a test.
    pub fn line(&mut self, line: &str) -> Result<bool, String> {
        self.aborted |= line.contains("Aborted");
        if let Some(heading) = line.strip_prefix('\'') {
            self.heading(heading);
            return Ok(false);
        }
        match self.below {
            Below::Nothing => {}
            Below::Version => {
                self.version = Some(line.trim().to_string()).filter(|version| !version.is_empty());
                self.below = Below::Nothing;
            }
            Below::Name => {
                self.name = line
                    .rsplit_once(',')
                    .map_or(line, |(name, _)| name)
                    .trim()
                    .to_string()
            }
            Below::Lines => {
                let line = specification_line(line).ok_or_else(|| {
                    format!("eight numbers 'size,% of size,% reads,% random,delay,burst,align,reply', found '{}'", line.trim())
                })?;
                self.specifications
                    .entry(self.name.clone())
                    .or_default()
                    .push(line);
            }
            Below::Rows => return Ok(self.row(line)),
        }
        Ok(false)
    }

    fn heading(&mut self, heading: &str) {
        self.below = match heading.split(',').next().unwrap_or_default().trim() {
            "Version" => Below::Version,
            "Access specification name" => Below::Name,
            "size" => Below::Lines,
            "Target Type" => {
                self.columns = Columns::of(heading);
                Below::Rows
            }
            _ => Below::Nothing,
        };
    }

    fn row(&mut self, line: &str) -> bool {
        let row = self.columns.row(line);
        let kind = row.text("Target Type");
        // Outstanding I/Os are in the worker rows that follow.
        if let (Some("WORKER" | "DISK"), Some(depth), Some(last)) =
            (kind, row.integer("Queue Depth"), self.measured.last_mut())
        {
            if last.depth == 0 {
                last.depth = depth;
                self.note_variation();
            }
            return false;
        }
        if kind != Some("ALL") || row.len() < 10 {
            return false;
        }
        let measured = measured(&row, &self.columns);
        self.measured.push(measured);
        self.note_variation();
        true
    }

    /// Checks whether the last test differs from the first one of its specification.
    fn note_variation(&mut self) {
        let Some(last) = self.measured.last() else {
            return;
        };
        let (specification, of) = (
            last.specification.clone(),
            (last.workers, last.disks, last.depth),
        );
        let first = self.first.entry(specification.clone()).or_insert(of);
        // The depth follows after ALL: until then it is unknown.
        if first.2 == 0 {
            *first = of;
        }
        if of.2 != 0 && *first != of {
            self.varying.insert(specification);
        }
    }
}

fn specification_line(line: &str) -> Option<SpecificationLine> {
    let fields: Vec<&str> = line.split(',').collect();
    let at = |index: usize| fields.get(index).copied().unwrap_or_default();
    Some(SpecificationLine {
        block_bytes: integer(at(0))?,
        share: finite(at(1))?,
        reads_percent: finite(at(2)).filter(|percent| *percent <= 100.0)?,
        random_percent: finite(at(3)).filter(|percent| *percent <= 100.0)?,
        delay_ms: integer(at(4))?,
        burst: integer(at(5))?,
    })
}

fn measured(row: &CsvRow<'_>, columns: &Columns) -> Measured {
    let moved = |of: &str, bytes: &str| {
        let count = row.integer(&format!("{of} I/Os")).unwrap_or(0);
        // A mean of 0 stands for no value.
        let time = |which: &str| {
            row.number(&format!("{which} {of} Response Time"))
                .filter(|_| count > 0)
                .map(|milliseconds| milliseconds * 1e6)
        };
        let latency = ReportedLatency {
            mean_ns: time("Average"),
            max_ns: time("Maximum"),
            ..ReportedLatency::default()
        };
        Moved {
            count,
            bytes: row.integer(bytes).unwrap_or(0),
            errors: row.integer(&format!("{of} Errors")).unwrap_or(0),
            latency,
        }
    };
    let time = |name: &str| row.number(name).map(|milliseconds| milliseconds * 1e6);
    let percent = |name: &str| Some((name.to_string(), row.number(name)?));
    Measured {
        specification: row
            .text("Access Specification Name")
            .unwrap_or("test")
            .to_string(),
        workers: row.integer("# Workers").unwrap_or(1),
        disks: row.integer("# Disks").unwrap_or(1),
        depth: row.integer("Queue Depth").unwrap_or(0),
        iops: row.number("IOps"),
        read: moved("Read", "Bytes Read"),
        written: moved("Write", "Bytes Written"),
        latency: ReportedLatency {
            mean_ns: time("Average Response Time"),
            max_ns: time("Maximum Response Time"),
            quantiles_ns: quantiles(row, columns),
            ..ReportedLatency::default()
        },
        percent: ["% CPU Utilization", "% User Time", "% Privileged Time"]
            .into_iter()
            .filter_map(percent)
            .collect(),
    }
}

/// Shares of the operations at the upper edges of the latency classes.
fn quantiles(row: &CsvRow<'_>, columns: &Columns) -> Vec<(f64, f64)> {
    let classes: Vec<(f64, f64)> = columns
        .names()
        .filter_map(|name| Some((upper_edge_ns(name)?, row.number(name)?)))
        .collect();
    let total: f64 = classes.iter().map(|(_, count)| count).sum();
    let (mut below, mut quantiles) = (0.0, Vec::new());
    for (edge, count) in classes {
        below += count;
        if count > 0.0 && below < total {
            quantiles.push((below / total, edge));
        }
    }
    quantiles
}

/// `50 to 100 uS`: the upper edge of a latency class; infinity for the last one, `>= 10 s`.
fn upper_edge_ns(name: &str) -> Option<f64> {
    if name.starts_with(">=") {
        return Some(f64::INFINITY);
    }
    let (number, unit) = name.split_once(" to ")?.1.split_once(' ')?;
    let factor = match unit {
        "uS" => 1e3,
        "mS" => 1e6,
        "S" | "s" => 1e9,
        _ => return None,
    };
    Some(finite(number)? * factor)
}
