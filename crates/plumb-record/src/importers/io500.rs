//! What did IO500 measure? The scores of its phases: result.txt (INI) and result_summary.txt, or what it printed.

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{FileSizes, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::{finite, integer};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "io500",
    program: "IO500",
    meaning: "result.txt and result_summary.txt of IO500 (sc20 to sc25), or its terminal output: each phase becomes a step with its score",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Phases of one file.
const PHASES_MAX: usize = 20_000;
const GIBIBYTE: f64 = 1_073_741_824.0;

/// The kind of operation of a phase: `None` for a phase that is not one of IO500, or carries out several kinds.
fn kind_of(phase: &str) -> Option<Option<OperationKind>> {
    let (family, action) = phase.rsplit_once('-').unwrap_or((phase, ""));
    let kind = match action {
        "write" if family.starts_with("ior-") => Some(OperationKind::Write),
        "read" if family.starts_with("ior-") => Some(OperationKind::Read),
        "write" if family.starts_with("mdtest-") => Some(OperationKind::Create),
        "stat" if family.starts_with("mdtest-") => Some(OperationKind::Stat),
        "read" if family.starts_with("mdtest-") => Some(OperationKind::ReadFile),
        "delete" if family.starts_with("mdtest-") => Some(OperationKind::Delete),
        "create" if family == "mdworkbench" => Some(OperationKind::Create),
        "delete" if family == "mdworkbench" => Some(OperationKind::Delete),
        // Stats, reads, deletions and creations of files in turn.
        "bench" if family == "mdworkbench" => None,
        // Files whose names and attributes find has looked at.
        _ if phase == "find" || phase.starts_with("find-") => Some(OperationKind::Stat),
        _ => return None,
    };
    Some(kind)
}

/// `[ior-easy-write]`
fn section_of(line: &str) -> Option<&str> {
    line.strip_prefix('[')?
        .strip_suffix(']')
        .filter(|name| !name.is_empty() && !name.contains(['[', ']']))
}

/// A score as it is printed in result_summary.txt.
#[derive(Debug)]
struct Printed<'a> {
    phase: &'a str,
    score: f64,
    seconds: Option<f64>,
    is_invalid: bool,
}

/// `[RESULT]       ior-easy-write        0.764612 GiB/s : time 34.035 seconds [INVALID]`; optional phases begin with `[      ]`.
fn printed(line: &str) -> Option<Printed<'_>> {
    let rest = line
        .strip_prefix("[RESULT]")
        .or_else(|| line.strip_prefix("[      ]"))?;
    let words: Vec<&str> = rest.split_whitespace().take(12).collect();
    let [phase, score, unit, ":", "time", seconds, ..] = words.as_slice() else {
        return None;
    };
    kind_of(phase)?;
    let is_known = matches!(*unit, "GiB/s" | "kIOPS");
    is_known.then_some(Printed {
        phase,
        score: finite(score)?,
        seconds: finite(seconds),
        is_invalid: rest.contains("[INVALID]"),
    })
}

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let mut in_phase = false;
    text.lines().map(str::trim).any(|line| {
        if let Some(section) = section_of(line) {
            in_phase = kind_of(section).is_some();
        }
        let key = line.split_once('=').map(|(key, _)| key.trim());
        in_phase && matches!(key, Some("score" | "t_start" | "t_delta")) || printed(line).is_some()
    })
}

/// A section of result.txt.
#[derive(Debug, Default)]
struct Phase {
    name: String,
    score: Option<f64>,
    seconds: Option<f64>,
    /// Bandwidth until the stonewall.
    to_stonewall: Option<f64>,
    exe: Option<String>,
}

/// A file, as it is read.
struct Results {
    builder: RunBuilder,
    procs: Option<u64>,
    phase: Phase,
    section: String,
    found: usize,
    without_score: u64,
    scores: Vec<ReportedFigure>,
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut results = Results {
        builder: RunBuilder::new("IO500", None),
        procs: None,
        phase: Phase::default(),
        section: String::new(),
        found: 0,
        without_score: 0,
        scores: Vec::new(),
    };
    results.builder.does_not_state(&["direct"]);
    let mut number = 0u64;
    while let Some(line) = source.line()? {
        number += 1;
        results.line(line.trim());
        if results.found > PHASES_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {PHASES_MAX} phases in one file"),
            ));
        }
    }
    results.end_phase();
    if results.found == 0 {
        return Err(ImportError::of_file(
            "results of IO500: sections such as [ior-easy-write] with score, or lines such as '[RESULT] ior-easy-write 2.345678 GiB/s : time 300.1 seconds'",
        ));
    }
    Ok(vec![results.finish()])
}

impl Results {
    fn line(&mut self, line: &str) {
        if let Some(printed) = printed(line) {
            let phase = Phase {
                name: printed.phase.into(),
                score: Some(printed.score),
                seconds: printed.seconds,
                ..Phase::default()
            };
            if printed.is_invalid {
                self.builder.doubt(Statement::new("io500-invalid"));
            }
            self.add(&phase);
            return;
        }
        if let Some(rest) = line.strip_prefix("IO500 version ") {
            self.version(rest.split(' ').next().unwrap_or_default());
        } else if let Some(rest) = line
            .strip_prefix("[SCORE ]")
            .or_else(|| line.strip_prefix("[SCORE] "))
        {
            self.score_line(rest);
        } else if let Some(section) = section_of(line) {
            self.end_phase();
            self.section = section.into();
            if kind_of(section).is_some() {
                self.phase.name = section.into();
            }
        } else if line.starts_with("; ERROR INVALID") {
            self.builder.doubt(Statement::new("io500-invalid"));
        } else if let Some((key, value)) = line.split_once('=') {
            self.value(key.trim(), value.trim());
        }
    }

    fn version(&mut self, version: &str) {
        if let Some(imported) = &mut self.builder.run().header.imported {
            imported.version = Some(version.into());
        }
    }

    /// `Bandwidth 0.585873 GiB/s : IOPS 4.148649 kiops : TOTAL 1.559032 [INVALID]`
    fn score_line(&mut self, rest: &str) {
        let after = |name: &str| {
            let (_, rest) = rest.split_once(name)?;
            finite(rest.split_whitespace().next()?)
        };
        let (bandwidth, operations, total) = (after("Bandwidth "), after("IOPS "), after("TOTAL "));
        self.score("BW", bandwidth);
        self.score("MD", operations);
        self.score("SCORE", total);
    }

    fn score(&mut self, name: &str, value: Option<f64>) {
        let (name, unit) = match name {
            "BW" => ("score of bandwidth", "GiB/s"),
            "MD" => ("score of operations", "kIOPS"),
            _ => ("score", ""),
        };
        self.scores.extend(value.map(|value| ReportedFigure {
            name: name.into(),
            value,
            unit: unit.into(),
        }));
    }

    fn value(&mut self, key: &str, value: &str) {
        let number = || finite(value.split(' ').next().unwrap_or_default());
        match (self.section.as_str(), key) {
            (_, "procs") => self.procs = integer(value),
            ("run", "version") => self.version(value),
            ("SCORE", "MD" | "BW" | "SCORE") => {
                let number = number();
                self.score(key, number);
                if value.contains("[INVALID]") {
                    self.builder.doubt(Statement::new("io500-invalid"));
                }
            }
            (_, "score") => self.phase.score = number(),
            (_, "t_delta") => self.phase.seconds = number(),
            (_, "throughput-stonewall") => self.phase.to_stonewall = number(),
            (_, "exe") => self.phase.exe = Some(value.into()),
            _ => {}
        }
    }

    fn end_phase(&mut self) {
        let phase = std::mem::take(&mut self.phase);
        if phase.name.is_empty() {
            return;
        }
        match phase.score {
            Some(_) => self.add(&phase),
            None => self.without_score += 1,
        }
    }

    fn add(&mut self, phase: &Phase) {
        let (Some(kind), Some(score)) = (kind_of(&phase.name), phase.score) else {
            return;
        };
        self.found += 1;
        let is_bandwidth = phase.name.starts_with("ior-");
        let job = RunBuilder::job(
            "",
            Target::Path("unknown".into()),
            "posix",
            workload(&phase.name, kind, self.procs),
        );
        let step = self.builder.step_of_work(&phase.name, job);
        let span = self.builder.execution(step, phase.seconds.unwrap_or(0.0));
        if kind.is_none() {
            self.builder
                .doubt(Statement::new("io500-several-kinds").name("phase", &phase.name));
        }
        let to_stonewall = phase.to_stonewall.map(|rate| ReportedFigure {
            name: "bandwidth until the first task was done (stonewall)".into(),
            value: rate * GIBIBYTE,
            unit: "B/s".into(),
        });
        // A phase that was left out is printed with a score of 0.
        let score = Some(score).filter(|score| *score > 0.0);
        self.builder.reported(
            span,
            0,
            Reported {
                kind,
                iops: score.filter(|_| !is_bandwidth).map(|score| score * 1e3),
                bandwidth_bytes_per_s: score.filter(|_| is_bandwidth).map(|score| score * GIBIBYTE),
                figures: to_stonewall.into_iter().collect(),
                ..Reported::default()
            },
        );
    }

    fn finish(mut self) -> Run {
        if self.without_score > 0 {
            self.builder
                .doubt(Statement::new("io500-without-score").count("count", self.without_score));
        }
        if !self.scores.is_empty() {
            let step = self.builder.step("score", Vec::new);
            let span = self.builder.execution(step, 0.0);
            let figures = std::mem::take(&mut self.scores);
            self.builder.reported(
                span,
                0,
                Reported {
                    figures,
                    ..Reported::default()
                },
            );
        }
        self.builder.finish()
    }
}

/// What the rules of IO500 fix of a phase; the sizes of easy phases are free, and in no result.
fn workload(phase: &str, kind: Option<OperationKind>, procs: Option<u64>) -> Workload {
    let default = Workload::default();
    let block = match phase {
        _ if phase.starts_with("ior-hard-") => Weighted::only(Bytes(47_008)),
        _ if phase.starts_with("ior-rnd4K-") => Weighted::only(Bytes(4096)),
        _ if phase.starts_with("ior-rnd1MB-") => Weighted::only(Bytes(1 << 20)),
        _ => default.block.clone(),
    };
    // What md-workbench does in turn.
    let several = [
        OperationKind::Stat,
        OperationKind::ReadFile,
        OperationKind::Delete,
        OperationKind::Create,
    ];
    // Files of mdtest-easy are empty.
    let file_bytes = match phase {
        _ if phase.starts_with("mdtest-easy-") => Some(0),
        _ if phase.starts_with("mdtest-hard-") => Some(3901),
        _ => None,
    };
    Workload {
        mix: kind.map_or_else(
            || Weighted(several.map(|kind| (kind, 25.0)).to_vec()),
            Weighted::only,
        ),
        file_size: file_bytes.map(|bytes| FileSizes::between(bytes, bytes)),
        block,
        offsets: if phase.starts_with("ior-rnd") {
            Offsets::Random
        } else {
            Offsets::Sequential
        },
        workers: procs.unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32,
        ..default
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let file = Fixture::of;
    fn check(runs: &[Run]) {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let names: Vec<_> = run
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(
            (names.len(), names.first(), names.last()),
            (14, Some(&"ior-easy-write"), Some(&"score")),
            "{names:?}"
        );
        assert_eq!(
            workload_of(run, "ior-hard-read").largest_block_bytes(),
            47_008
        );
        let kind = |name: &str| stated_of(run, name)[0].kind;
        assert_eq!(kind("mdtest-hard-read"), Some(OperationKind::ReadFile));
        assert_eq!(kind("find"), Some(OperationKind::Stat));
        let doubts = &run.header.imported.as_ref().expect("imported").doubts;
        assert!(doubts.contains(&Statement::new("io500-invalid")));
        let scores: Vec<_> = stated_of(run, "score")[0]
            .figures
            .iter()
            .map(|of| of.name.clone())
            .collect();
        assert_eq!(scores.len(), 3);
    }
    let small = |runs: &[Run]| {
        let [write] = stated_of(&runs[0], "ior-easy-write")
            .try_into()
            .expect("one");
        assert_eq!(write.bandwidth_bytes_per_s, Some(1.5 * GIBIBYTE));
        assert_eq!(workload_of(&runs[0], "ior-easy-write").workers, 640);
    };
    vec![
        file(
            "result.txt",
            include_bytes!("../../../../testdata/foreign/io500/sc25-result.txt"),
            check,
        ),
        file(
            "result_summary.txt",
            include_bytes!("../../../../testdata/foreign/io500/sc25-result_summary.txt"),
            check,
        ),
        file(
            "small.ini",
            b"[run]\nprocs = 640\nversion = io500\n\n[ior-easy-write]\nexe = ./ior -C\nscore = 1.5\n",
            small,
        ),
    ]
}
