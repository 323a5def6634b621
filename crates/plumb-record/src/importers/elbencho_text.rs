//! What did elbencho print? A block of rows for each phase.

use plumb_model::run::Run;
use plumb_model::run::imported::ReportedLatency;
use plumb_model::statement::Statement;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::elbencho::{
    Figures, MEBIBYTE, Options, PHASES_MAX, Phase, Rates, is_mixed, run_of,
};
use crate::importer::number::finite;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "elbencho-text",
    program: "elbencho",
    meaning: "what elbencho prints (`elbencho ... > FILE`): each phase becomes a step, the same phase again a round; figures are those at the end of the slowest thread",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = [words.next(), words.next(), words.next()];
    first == [Some("OPERATION"), Some("RESULT"), Some("TYPE")]
}

fn recognizes(head: &Head<'_>) -> bool {
    head.text().lines().take(10_000).any(is_header)
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut builder = run_of(None, []);
    builder.doubt(Statement::new("elbencho-options-not-said"));
    builder.does_not_state(&["block", "offsets", "depth", "direct", "file-size"]);
    let (mut block, mut number, mut phases) = (None::<Block>, 0, 0);
    while let Some(line) = source.line()? {
        number += 1;
        let (name, value) = match line.split_once(':') {
            Some((name, value)) => (name, value.trim()),
            // Rows of a phase follow one another.
            None => {
                phases += usize::from(close(&mut builder, &mut block));
                continue;
            }
        };
        let begins = name
            .split_once("Elapsed time")
            .map(|(phase, _)| phase.trim());
        if let Some(phase) = begins.filter(|phase| !phase.is_empty()) {
            phases += usize::from(close(&mut builder, &mut block));
            block = Some(Block::of(phase));
        }
        let row = begins.map_or(name.trim(), |_| "Elapsed time");
        if let Some(block) = &mut block {
            block.row(row, value, &mut builder);
        }
        if phases > PHASES_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {PHASES_MAX} phases in one file"),
            ));
        }
    }
    phases += usize::from(close(&mut builder, &mut block));
    if phases == 0 {
        return Err(ImportError::of_file(
            "phases below 'OPERATION RESULT TYPE', each with rows such as 'IOPS : 302 298'",
        ));
    }
    Ok(vec![builder.finish()])
}

/// Ends the phase that is being read. True if it has figures.
fn close(builder: &mut RunBuilder, block: &mut Option<Block>) -> bool {
    let Some(block) = block.take() else {
        return false;
    };
    let has_figures = (&block.figures, &block.reads) != (&Figures::default(), &Figures::default());
    if has_figures {
        block.phase().add(builder);
    }
    has_figures
}

/// A phase that is being read.
struct Block {
    name: String,
    last_s: f64,
    figures: Figures,
    reads: Figures,
    cpu: Option<f64>,
    is_of_objects: bool,
}

impl Block {
    fn of(name: &str) -> Block {
        Block {
            name: name.into(),
            last_s: 0.0,
            figures: Figures::default(),
            reads: Figures::default(),
            cpu: None,
            is_of_objects: false,
        }
    }

    fn phase(&self) -> Phase<'_> {
        Phase {
            name: &self.name,
            last_s: self.last_s,
            figures: self.figures.clone(),
            reads: self.reads.clone(),
            cpu: self.cpu,
            options: Options {
                is_of_objects: self.is_of_objects,
                ..Options::default()
            },
        }
    }

    /// `Throughput MiB/s :   302   298`: figures when the first and the last thread had finished.
    fn row(&mut self, name: &str, value: &str, builder: &mut RunBuilder) {
        let mixed = is_mixed(&self.name);
        let (name, of) = match name.strip_suffix(" read") {
            Some(name) if mixed => (name, &mut self.reads),
            _ => match name.strip_prefix("IO rd ") {
                Some(_) => (name, &mut self.reads),
                None => (
                    name.strip_suffix(" write").unwrap_or(name),
                    &mut self.figures,
                ),
            },
        };
        let mut columns = value.split_whitespace();
        let (first, last) = (columns.next().unwrap_or_default(), columns.next_back());
        let last = last.unwrap_or(first);
        let mut both = |set: fn(&mut Rates) -> &mut Option<f64>, unit: f64| {
            let number = |text: &str| finite(text).map(|number| number * unit);
            *set(&mut of.first) = number(first);
            *set(&mut of.last) = number(last);
        };
        self.is_of_objects |= matches!(name, "Objects/s" | "Buckets/s");
        match name {
            "Elapsed time" => self.last_s = time_ns(last).unwrap_or(0.0) / 1e9,
            "IOPS" => both(|rates| &mut rates.iops, 1.0),
            "Throughput MiB/s" | "MiB/s" => both(|rates| &mut rates.bytes_per_s, MEBIBYTE),
            "Total MiB" | "MiB" => both(|rates| &mut rates.bytes, MEBIBYTE),
            // Option --base10.
            "Throughput MB/s" | "MB/s" => both(|rates| &mut rates.bytes_per_s, 1e6),
            "Total MB" | "MB" => both(|rates| &mut rates.bytes, 1e6),
            "Files/s" | "Dirs/s" | "Objects/s" | "Buckets/s" => {
                both(|rates| &mut rates.entries_per_s, 1.0);
            }
            "Files total" | "Dirs total" | "Objects total" | "Buckets total" => {
                both(|rates| &mut rates.entries, 1.0);
            }
            "CPU util %" => self.cpu = finite(last),
            name if name.ends_with(" latency") => {
                let times = of.times(name);
                for (word, value) in value.split_whitespace().filter_map(|at| at.split_once('=')) {
                    let ns = time_ns(value);
                    match word {
                        "min" => times.min_ns = ns,
                        "avg" => times.mean_ns = ns,
                        "max" => times.max_ns = ns,
                        _ => {}
                    }
                }
            }
            name if name.ends_with(" lat % us") => {
                builder.doubt(Statement::new("elbencho-percentiles-of-buckets"));
                let shares = value
                    .split_whitespace()
                    .filter_map(|at| at.split_once("%<="));
                let quantile = |(share, us): (&str, &str)| {
                    let share = finite(share).filter(|share| *share <= 100.0)?;
                    Some((share / 100.0, finite(us)? * 1000.0))
                };
                of.times(name).quantiles_ns = shares.filter_map(quantile).collect();
            }
            _ => {}
        }
    }
}

impl Figures {
    /// The times that a row is about: `IO latency`, `IO wr lat % us`, or `Files latency`.
    fn times(&mut self, row: &str) -> &mut ReportedLatency {
        let of = match row.starts_with("IO ") {
            true => &mut self.of_blocks,
            false => &mut self.of_entries,
        };
        of.get_or_insert_default()
    }
}

/// `356us`, `6.62ms`, `1.310s`, `2m1.500s` or `1h2m3s` in nanoseconds.
fn time_ns(text: &str) -> Option<f64> {
    let (mut rest, mut ns) = (text, 0.0);
    for (unit, of_unit) in [("h", 3600e9), ("m", 60e9)] {
        let split = rest.split_once(unit);
        // `ms` is no minute.
        let split = split.filter(|(_, behind)| behind.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((number, behind)) = split {
            ns += finite(number)? * of_unit;
            rest = behind;
        }
    }
    let (number, unit) = [("us", 1e3), ("ms", 1e6), ("s", 1e9)]
        .iter()
        .find_map(|(name, unit)| Some((rest.strip_suffix(name)?, unit)))?;
    Some(ns + finite(number)? * unit)
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::stated_of;
    vec![Fixture {
        name: "files.txt",
        bytes: include_bytes!("../../../../testdata/foreign/elbencho/3.1-10-files.txt").to_vec(),
        check: |runs| {
            let names = runs[0].header.plan.steps.iter();
            let names: Vec<_> = names.map(|step| step.name.as_str()).collect();
            assert_eq!(
                names,
                ["MKDIRS", "WRITE", "STAT", "READ", "RMFILES", "RMDIRS"]
            );
            let write = &stated_of(&runs[0], "WRITE")[0];
            let quantiles = write.service.as_ref().map(|of| of.quantiles_ns.len());
            assert_eq!(quantiles, Some(4), "of blocks, not of files");
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_each_unit() {
        for (text, ns) in [
            ("0us", Some(0.0)),
            ("356us", Some(356e3)),
            ("6.62ms", Some(6.62e6)),
            ("1.310s", Some(1.31e9)),
            ("2m1.500s", Some(121.5e9)),
            ("1h2m3s", Some(3723e9)),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(time_ns(text), ns, "{text}");
        }
    }
}
