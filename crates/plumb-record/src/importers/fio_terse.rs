//! What is in fio's terse output? Versions 2 to 5 (`--minimal`, `--output-format=terse`), one line for each job, converted to the JSON that fio would have
//! written.

use std::collections::BTreeSet;

use plumb_model::run::Run;
use plumb_model::statement::Statement;
use serde_json::{Map, Value, json};

use crate::importer::fio;
use crate::importer::{Head, ImportError, Importer, Source};

pub static IMPORTER: Importer = Importer {
    name: "fio-terse",
    program: "fio",
    meaning: "what fio 2 and 3 write with --minimal or --output-format=terse, versions 2 to 5, also with other text around it",
    recognizes,
    import,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Most jobs of one file.
const JOBS_MAX: usize = 100_000;
/// Number of percentile fields.
const PERCENTILES: usize = 20;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    // If a file has several outputs, JSON has the most detail.
    !text.contains("\"fio version\"") && text.lines().any(|line| Fields::of(line).is_some())
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut jobs, mut version) = (Vec::new(), String::new());
    let mut groups = BTreeSet::new();
    let (mut is_ambiguous, mut is_cut) = (false, false);
    while let Some(line) = source.line()? {
        let Some(mut fields) = Fields::of(&line) else {
            continue;
        };
        if jobs.len() == JOBS_MAX {
            is_cut = true;
            break;
        }
        version = fields.program.clone();
        if let Some(mut job) = fields.job() {
            // Jobs of one group, or runs that were appended to one file: adding up the latter would be wrong, so none are.
            is_ambiguous |= !groups.insert(job["groupid"].to_string());
            job["groupid"] = jobs.len().into();
            jobs.push(job);
        }
    }
    if jobs.is_empty() {
        return Err(ImportError::of_file(
            "at least one complete line of fio terse output",
        ));
    }
    let apart = is_ambiguous.then(|| Statement::new("fio-terse-lines-apart"));
    let cut = is_cut.then(|| fio::left_out(JOBS_MAX));
    let doubts = apart.into_iter().chain(cut);
    fio::of_documents(
        &[json!({ "fio version": version, "jobs": jobs })],
        doubts,
        &[],
    )
}

/// The fields of one line, consumed in order.
struct Fields<'l> {
    terse_version: u8,
    /// `fio-3.33`.
    program: String,
    rest: std::vec::IntoIter<&'l str>,
}

impl<'l> Fields<'l> {
    /// `None` for any other line.
    fn of(line: &'l str) -> Option<Fields<'l>> {
        let fields: Vec<&str> = line.trim().split(';').collect();
        let terse_version: u8 = fields.first()?.parse().ok()?;
        // Minimum number of fields, and number of fields before those of the job.
        let (least, program) = match terse_version {
            2 => (150, None),
            3 => (121, Some(*fields.get(1)?)),
            4 => (162, Some(*fields.get(1)?)),
            5 => (180, Some(*fields.get(1)?)),
            _ => return None,
        };
        let is_of_fio = program.is_none_or(|program| program.starts_with("fio-"));
        if fields.len() < least || !is_of_fio {
            return None;
        }
        let skipped = if program.is_some() { 2 } else { 1 };
        // Version 2 does not state the fio version: its units are those of version 3 lines.
        let program = program.unwrap_or("fio-3.0").to_string();
        let rest: Vec<&str> = fields.into_iter().skip(skipped).collect();
        Some(Fields {
            terse_version,
            program,
            rest: rest.into_iter(),
        })
    }

    fn text(&mut self) -> &'l str {
        self.rest.next().unwrap_or_default()
    }

    fn number(&mut self) -> Option<f64> {
        let text = self.text().trim_end_matches('%');
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The job in fio's JSON form; `None` if its fields are incomplete.
    fn job(&mut self) -> Option<Value> {
        let mut job = Map::new();
        job.insert("jobname".into(), self.text().into());
        job.insert("groupid".into(), self.number().into());
        job.insert("error".into(), self.number().into());
        let directions = match self.terse_version {
            3 => ["read", "write"].as_slice(),
            _ => &["read", "write", "trim"],
        };
        for direction in directions {
            job.insert((*direction).into(), self.direction()?);
        }
        for name in ["usr_cpu", "sys_cpu", "ctx", "majf", "minf"] {
            job.insert(name.into(), self.number().into());
        }
        Some(Value::Object(job))
    }

    /// Reads, writes or trims: amounts in KiB, times in microseconds.
    fn direction(&mut self) -> Option<Value> {
        let kib = self.number()?;
        let (kib_per_s, iops, runtime) = (self.number()?, self.number()?, self.number()?);
        let count = (iops * runtime / 1e3).round();
        let slat = self.times(count);
        let mut clat = self.times(count);
        let mut percentiles = Map::new();
        for _ in 0..PERCENTILES {
            let Some((percent, us)) = self.text().split_once("%=") else {
                continue;
            };
            let known = percent.parse::<f64>().ok().zip(us.parse::<f64>().ok());
            if let Some((percent, us)) = known.filter(|(percent, _)| *percent > 0.0 && count > 0.0)
            {
                percentiles.insert(format!("{percent:.6}"), json!(us * 1e3));
            }
        }
        let lat = self.times(count);
        if let Some(clat) = clat.as_object_mut().filter(|_| !percentiles.is_empty()) {
            clat.insert("percentile".into(), Value::Object(percentiles));
        }
        // Minimum, maximum, share, mean and deviation of the bandwidth samples.
        for _ in 0..5 {
            self.text();
        }
        let mut out = json!({
            "io_bytes": kib * 1024.0,
            "bw_bytes": kib_per_s * 1024.0,
            "iops": iops,
            "runtime": runtime,
            "total_ios": count,
            "slat_ns": slat,
            "clat_ns": clat,
            "lat_ns": lat,
        });
        if self.terse_version == 5 {
            self.text();
            for name in [
                "iops_min",
                "iops_max",
                "iops_mean",
                "iops_stddev",
                "iops_samples",
            ] {
                out[name] = self.number().into();
            }
        }
        Some(out)
    }

    /// Minimum, maximum, mean and deviation.
    fn times(&mut self, count: f64) -> Value {
        let mut ns = || self.number().map(|us| us * 1e3);
        let (min, max, mean, deviation) = (ns(), ns(), ns(), ns());
        match mean.filter(|mean| *mean > 0.0) {
            Some(mean) => {
                json!({ "min": min, "max": max, "mean": mean, "stddev": deviation, "N": count })
            }
            None => json!({ "N": 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importer::Fixture;
    use plumb_model::run::Event;

    const THREE: &str = include_str!("../../../../testdata/imported/fio-3.33-terse-3.txt");
    const FIVE: &str = include_str!("../../../../testdata/imported/fio-3.33-terse-5.txt");
    const TWO: &str = include_str!("../../../../testdata/imported/fio-3.33-terse-2.txt");

    pub fn fixtures() -> Vec<Fixture> {
        let fixture = |name, text: &str, check| Fixture {
            name,
            bytes: text.as_bytes().to_vec(),
            check,
        };
        vec![
            fixture("three.txt", THREE, check),
            fixture("five.txt", FIVE, check),
            fixture("two.txt", TWO, check),
        ]
    }

    /// All three describe the same job: 4 MiB in blocks of 4 KiB, half of them reads.
    fn check(runs: &[Run]) {
        assert_eq!(runs.len(), 1);
        let run = &runs[0];
        assert_eq!(run.header.plan.steps[0].name, "mix");
        let stated = run
            .notes
            .iter()
            .filter(|note| matches!(note.event, Event::Reported { .. }));
        assert!(stated.count() > 0, "{:?}", run.notes);
    }

    #[test]
    fn other_lines_are_skipped() {
        for line in ["", "3;fio-3.33;a", "7;x", "3;iperf;a", "a;b;c"] {
            assert!(Fields::of(line).is_none(), "{line}");
        }
    }
}
