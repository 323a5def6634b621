//! Which sections move no data but run beside the jobs? CPU load (`ioengine=cpuio`) and programs (`ioengine=exec`).

use crate::fio_job::extent::at_least_one;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;

const SECOND_NS: u64 = 1_000_000_000;
const MICROSECOND_NS: u64 = 1000;
/// fio's default of `cpuchunks`.
const CHUNK_US: u64 = 50_000;

/// Options that only these sections have.
const OPTIONS: &[(&str, &str)] = &[
    ("cpuload", "cpuio"),
    ("cpuchunks", "cpuio"),
    ("cpumode", "cpuio"),
    ("exit_on_io_done", "cpuio"),
    ("program", "exec"),
    ("arguments", "exec"),
    ("grace_time", "exec"),
    ("std_redirect", "exec"),
];

/// A section that runs beside the jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Companion {
    pub name: String,
    /// Position of the section, as for its job's lines.
    pub line: usize,
    pub work: CompanionWork,
    /// How many of it run at once.
    pub clones: u32,
    /// From its beginning; missing: until the jobs or the program have ended.
    pub runtime_ns: Option<u64>,
    /// Companions of one number begin together, those of a higher one after all of them have ended.
    pub group: usize,
    /// The step of the plan with which it begins.
    pub step: usize,
    /// Message where no companions can run: a job file run by `plumb run`.
    pub refusal: PlanError,
}

/// What a companion does.
#[derive(Debug, Clone, PartialEq)]
pub enum CompanionWork {
    /// Keeps a CPU busy.
    Cpu {
        percent: u64,
        /// Length of each busy stretch.
        chunk_ns: u64,
        /// Sorts numbers instead of counting.
        sorts: bool,
        /// Ends with the jobs, also before its runtime is over.
        ends_with_jobs: bool,
    },
    /// Runs a program.
    Program {
        program: String,
        arguments: Vec<String>,
        /// Between the request to end and the end by force.
        grace_ns: u64,
        /// Output goes to files.
        is_redirected: bool,
    },
}

/// Refuses options of companions with another engine.
pub fn refuse_other_engines(section: &Section) -> Result<(), PlanError> {
    match OPTIONS
        .iter()
        .find(|(option, _)| section.text(option).is_some())
    {
        Some((option, engine)) => {
            Err(section.error(option, format!("it belongs to ioengine={engine}")))
        }
        None => Ok(()),
    }
}

/// The companion that a section is; `None`: it is a job.
pub fn companion(section: &Section) -> Result<Option<Companion>, PlanError> {
    let runtime_ns = section.span_ns("runtime", SECOND_NS)?;
    let runtime_ns = runtime_ns.filter(|time| *time > 0);
    let (work, why) = match section.text("ioengine") {
        Some("cpuio") => (cpu_load(section)?, "run the job file with `plumb fio`"),
        Some("exec") => (
            program(section, runtime_ns)?,
            "commands in a job file are not trusted by default; `plumb fio --allow-exec` runs them",
        ),
        _ => return Ok(None),
    };
    Ok(Some(Companion {
        name: section.name.clone(),
        line: section.source_line.outer_line,
        work,
        clones: at_least_one(section, "numjobs")?,
        runtime_ns,
        group: 0,
        step: 0,
        refusal: section.error("ioengine", why),
    }))
}

fn cpu_load(section: &Section) -> Result<CompanionWork, PlanError> {
    let percent = section.integer("cpuload")?.unwrap_or(0).min(100);
    if percent == 0 {
        return Err(section.error("cpuload", "ioengine=cpuio needs it; set 1 to 100 percent"));
    }
    let mode = section.word("cpumode", &["noop", "qsort"])?;
    let chunk_us = section.integer("cpuchunks")?.unwrap_or(CHUNK_US).max(1);
    Ok(CompanionWork::Cpu {
        percent,
        chunk_ns: chunk_us.saturating_mul(MICROSECOND_NS),
        sorts: mode == Some("qsort"),
        ends_with_jobs: section.flag("exit_on_io_done")?,
    })
}

fn program(section: &Section, runtime_ns: Option<u64>) -> Result<CompanionWork, PlanError> {
    let program = section
        .text("program")
        .filter(|program| !program.is_empty());
    let program = program.ok_or_else(|| section.error("program", "ioengine=exec needs it"))?;
    let seconds = runtime_ns.map_or(0, |time| time / SECOND_NS).to_string();
    let arguments = section.text("arguments").unwrap_or_default();
    let arguments = arguments
        .split_whitespace()
        .map(|word| word.replace("%r", &seconds).replace("%n", &section.name));
    Ok(CompanionWork::Program {
        program: program.to_string(),
        arguments: arguments.collect(),
        grace_ns: section
            .span_ns("grace_time", SECOND_NS)?
            .unwrap_or(SECOND_NS),
        is_redirected: section.flag_given("std_redirect")?.unwrap_or(true),
    })
}
