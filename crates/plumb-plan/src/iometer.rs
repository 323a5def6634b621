//! What does an Iometer configuration file (*.icf) request, and how does a plan express it?
//!
//! Headings begin with an apostrophe, with values below them (PageSetup.cpp, AccessSpecList.cpp and Worker.cpp of Iometer 1.1.0). Nothing is read here.

mod reader;

use crate::{Entry, JobFile, PlanFile, StepFile, written};
use plumb_model::plan::{Order, PlanError};
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::{AccessLine, AccessLines};
use reader::{Configuration, Cycle, DiskWorker, Specification};

/// Most values of one cycle.
const CYCLE_MAX: usize = 1000;
/// Duration of a step whose test is stopped manually, in seconds.
const RUN_TIME_S: u64 = 30;

/// A parsed configuration file.
#[derive(Debug, Clone, PartialEq)]
pub struct IometerConfiguration {
    /// The equivalent plan: a step for each access specification.
    pub plan: PlanFile,
    /// Differences from Iometer, one sentence each without a period.
    pub remarks: Vec<String>,
}

/// Reads a configuration file. `source` names it in messages, and its stem names the plan.
///
/// # Errors
/// What cannot be read or carried out: file and line, what is wrong, and what to do.
pub fn read(text: &str, source: &str) -> Result<IometerConfiguration, PlanError> {
    let configuration = reader::read(text, source)?;
    let mut remarks = Vec::new();
    let shape =
        Shape::of(&configuration, &mut remarks).map_err(|why| PlanError::at(source, why))?;
    let mut steps: Vec<StepFile> = Vec::new();
    for name in assigned(&configuration) {
        if name.eq_ignore_ascii_case("idle") {
            remarks.push("the access specification Idle does nothing and is left out".into());
            continue;
        }
        let default = Specification::default_of_iometer();
        let known = configuration
            .specifications
            .iter()
            .find(|of| of.name == name);
        let known = known.or_else(|| Some(&default).filter(|default| default.name == name));
        let Some(specification) = known else {
            return Err(PlanError::at(
                source,
                format!(
                    "a worker uses the access specification '{name}', which is not in the file"
                ),
            ));
        };
        steps.push(step(specification, &shape, &steps, source)?);
    }
    if steps.is_empty() {
        return Err(PlanError::at(
            source,
            "no active access specification is assigned; assign one to a disk worker in Iometer",
        ));
    }
    let stem = source.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = printable(stem.strip_suffix(".icf").unwrap_or(stem));
    let described = configuration
        .description
        .as_deref()
        .map(printable)
        .filter(|text| !text.is_empty());
    let plan = PlanFile {
        source: source.to_string(),
        title: described
            .unwrap_or_else(|| format!("Workload of the Iometer configuration file {stem}.")),
        name: if stem.is_empty() {
            "iometer".into()
        } else {
            stem
        },
        order: Order::Sequential,
        steps,
        ..PlanFile::ad_hoc()
    };
    Ok(IometerConfiguration { plan, remarks })
}

/// The plan of a configuration file as TOML, with what differs from Iometer as comments above it.
pub fn as_toml(configuration: &IometerConfiguration) -> String {
    written::as_toml(
        &configuration.plan,
        "Iometer's configuration file",
        &configuration.remarks,
    )
}

/// Names of the access specifications in the order in which they run; all of them when no worker has any.
fn assigned(configuration: &Configuration) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for worker in &configuration.workers {
        names.extend(
            worker
                .specifications
                .iter()
                .filter(|name| !names.contains(name))
                .cloned()
                .collect::<Vec<_>>(),
        );
    }
    if names.is_empty() {
        configuration
            .specifications
            .iter()
            .map(|of| of.name.clone())
            .collect()
    } else {
        names
    }
}

/// What all steps have in common.
struct Shape {
    /// Keys with their values and lines.
    entries: Vec<Entry>,
    sweep: Vec<(String, Vec<String>)>,
}

impl Shape {
    fn of(configuration: &Configuration, remarks: &mut Vec<String>) -> Result<Shape, String> {
        let lone = DiskWorker::default();
        let workers = &configuration.workers;
        let first = workers.first().unwrap_or(&lone);
        let count = workers.len().max(1);
        remark_on_workers(configuration, first, remarks);
        let targets = first.targets.len().max(1) as u64;
        let mut shape = Shape {
            entries: Vec::new(),
            sweep: Vec::new(),
        };
        let mut set = |key: &str, text: String| {
            shape.entries.push(Entry {
                key: key.into(),
                text,
                line: first.line,
            })
        };
        set("direct", "try".into());
        // Outstanding I/Os are those of each worker on each of its targets.
        let depth = |outstanding: u64| outstanding.max(1).saturating_mul(targets).to_string();
        set("depth", depth(first.outstanding));
        set("workers", count.to_string());
        let mut all: Vec<&String> = workers.iter().flat_map(|worker| &worker.targets).collect();
        all.sort();
        all.dedup();
        if count > 1 {
            set(
                "layout",
                if all.len() > 1 { "own" } else { "shared" }.into(),
            );
        }
        if first.sectors > 0 {
            set(
                "size",
                Bytes(
                    first
                        .sectors
                        .saturating_mul(512)
                        .saturating_mul(if all.len() > 1 { count as u64 } else { 1 }),
                )
                .to_string(),
            );
        }
        if first.first_sector > 0 {
            set(
                "start",
                Bytes(first.first_sector.saturating_mul(512)).to_string(),
            );
        }
        match first.pattern {
            // One byte again and again, another one for each operation.
            0 => set("compress-percent", "100".into()),
            1 => set("content", "reused".into()),
            _ => {}
        }
        let mut run_time_s = configuration.run_time_s;
        if run_time_s == 0 {
            run_time_s = RUN_TIME_S;
            remarks.push(format!(
                "the test runs until stopped manually; plumb measures each step for {RUN_TIME_S} s"
            ));
        }
        set(
            "time",
            Nanos(run_time_s.saturating_mul(1_000_000_000)).to_string(),
        );
        if configuration.ramp_s > 0 {
            set(
                "warm-up",
                Nanos(configuration.ramp_s.saturating_mul(1_000_000_000)).to_string(),
            );
        }
        if configuration.cycles_workers() {
            shape.add_cycle(
                "workers",
                configuration.worker_cycle,
                count as u64,
                u64::to_string,
            )?;
        }
        if configuration.cycles_outstanding() {
            let cycle = configuration.depth_cycle;
            shape.add_cycle("depth", cycle, cycle.end, |outstanding| depth(*outstanding))?;
        }
        Ok(shape)
    }

    fn add_cycle(
        &mut self,
        key: &str,
        cycle: Cycle,
        end: u64,
        text: impl Fn(&u64) -> String,
    ) -> Result<(), String> {
        let values = cycle
            .values(end, CYCLE_MAX)
            .map_err(|why| format!("cycling of {key}: {why}"))?;
        self.sweep
            .push((key.into(), values.iter().map(text).collect()));
        self.entries.retain(|entry| entry.key != key);
        Ok(())
    }
}

fn remark_on_workers(configuration: &Configuration, first: &DiskWorker, remarks: &mut Vec<String>) {
    let mut remark = |text: String| remarks.push(text);
    if !first.targets.is_empty() {
        remark(format!(
            "target: Iometer's are {}; give the directory, file or device with --target",
            first.targets.join(", ")
        ));
    }
    if configuration.workers.is_empty() {
        remark("the file assigns no disk worker; plumb uses one with one outstanding I/O for all access specifications".into());
    }
    if configuration.managers > 1 {
        remark(format!(
            "the workers of all {} managers run on this host; start plumb on each host with its share of them",
            configuration.managers
        ));
    }
    if configuration.network_workers > 0 {
        remark(format!(
            "{} network workers are left out: plumb run network-stream tcp://HOST tests the network",
            configuration.network_workers
        ));
    }
    if first.targets.len() > 1 {
        let count = first.targets.len();
        remark(format!(
            "each worker has {count} targets in Iometer and one here, with {count} times as many outstanding operations"
        ));
    }
    if configuration
        .workers
        .iter()
        .any(|worker| !worker.is_like(first))
    {
        remark(format!(
            "the workers differ; all are treated like {}; add the others as concurrent jobs ([[step.beside]])",
            first.name
        ));
    }
    if configuration.cycles_targets() {
        remark(
            "cycling of targets: a plumb step has one target; run the plan on each of them".into(),
        );
    }
}

/// The step of one access specification.
fn step(
    specification: &Specification,
    shape: &Shape,
    earlier: &[StepFile],
    source: &str,
) -> Result<StepFile, PlanError> {
    let origin = |line: usize| format!("{source}, line {line}");
    let lines: Vec<AccessLine> = specification
        .lines
        .iter()
        .filter(|line| line.share > 0.0)
        .copied()
        .collect();
    if lines.is_empty() {
        return Err(PlanError::at(
            origin(specification.line),
            format!(
                "the access specification '{}' has no line",
                specification.name
            ),
        ));
    }
    let lines = AccessLines(lines);
    lines
        .bursts()
        .map_err(|error| PlanError::at(origin(specification.line), error.0))?;
    let wanted = Some(printable(&specification.name))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "access".into());
    let taken = |name: &str| earlier.iter().any(|step| step.main.name == name);
    let mut names =
        std::iter::once(wanted.clone()).chain((2..).map(|number| format!("{wanted} ({number})")));
    let name = names.find(|name| !taken(name)).unwrap_or(wanted);
    let mut entries = vec![Entry {
        key: "access".into(),
        text: lines.to_string(),
        line: specification.line,
    }];
    entries.extend(shape.entries.iter().cloned());
    let main = JobFile {
        name,
        line: specification.line,
        entries,
        ..JobFile::default()
    };
    Ok(StepFile {
        main,
        sweep: shape.sweep.clone(),
        ..StepFile::default()
    })
}

/// A name as plan files take it: printable and not too long.
fn printable(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let plain = plain.trim();
    plain[..plain.floor_char_boundary(100)].trim().to_string()
}

#[cfg(test)]
mod tests;
