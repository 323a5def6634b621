//! What did iozone print? The matrix of its tests over file and record sizes, its throughput mode, and the reports of `-R`.

use std::collections::HashMap;

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::statement::Statement;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::iozone::{CELLS_MAX, COLUMNS, Cell, Flags, TESTS, Test, Unit};
use crate::importer::number::{finite, integer};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "iozone-text",
    program: "iozone",
    meaning: "what iozone 3 prints: the matrix of file and record sizes, throughput mode (-t), and the Excel output of -R if the matrix is missing; runs with the same command line become rounds",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

const BANNER: &str = "Iozone: Performance Test of File I/O";

fn recognizes(head: &Head<'_>) -> bool {
    head.text().lines().any(|line| {
        line.contains(BANNER) || table_header(line).is_some() || report_title(line).is_some()
    })
}

/// The line above a matrix: the end position of each of its columns, counted in characters.
fn table_header(line: &str) -> Option<Vec<usize>> {
    let mut words = words(line);
    let (first, second) = (words.next()?, words.next()?);
    let is_header = first.0.eq_ignore_ascii_case("kB") && second.0.eq_ignore_ascii_case("reclen");
    is_header.then(|| words.map(|(_, end)| end).collect())
}

/// Words of a line, each with its end position.
fn words(line: &str) -> impl Iterator<Item = (&str, usize)> {
    line.split_whitespace().map(move |word| {
        (
            word,
            word.as_ptr() as usize - line.as_ptr() as usize + word.len(),
        )
    })
}

/// `"Re-writer report"`: a test by the title of its report.
fn report_title(line: &str) -> Option<&'static Test> {
    let title = line
        .trim()
        .strip_prefix('"')?
        .strip_suffix('"')?
        .trim()
        .to_ascii_lowercase();
    let title = title.strip_suffix("report")?.trim();
    TESTS.iter().find(|test| test.report == title)
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut text, mut number) = (Text::default(), 0);
    while let Some(line) = source.line()? {
        number += 1;
        text.line(&line, number)?;
    }
    text.close_run();
    if text.cells == 0 {
        return Err(ImportError::of_file(
            "results of iozone: rows of numbers under 'kB reclen write rewrite ...', 'Children see throughput for ...', or a report of -R",
        ));
    }
    Ok(text
        .done
        .into_iter()
        .filter(|run| run.has_cells)
        .map(|run| run.builder.finish())
        .collect())
}

/// State of the parser.
#[derive(Default)]
struct Text {
    run: Option<Reading>,
    done: Vec<Reading>,
    /// Indexes of finished runs, by command line.
    indexes: HashMap<String, usize>,
    cells: usize,
}

/// One run of iozone being read.
struct Reading {
    builder: RunBuilder,
    command: Option<String>,
    flags: Flags,
    unit: Option<Unit>,
    file_kib: Option<u64>,
    record_kib: Option<u64>,
    /// End positions of the columns, within a matrix.
    columns: Option<Vec<usize>>,
    /// The test and its record sizes, within a report of -R.
    report: Option<(&'static Test, Vec<u64>)>,
    throughput: Option<Throughput>,
    /// True once the text had figures, which the reports of -R repeat.
    has_cells: bool,
    has_text: bool,
    complete: bool,
    /// Its index among the finished runs, if it continues one of them.
    index: Option<usize>,
}

/// A block of throughput mode, in the unit of the run.
#[derive(Default)]
struct Throughput {
    test: Option<&'static Test>,
    workers: u32,
    children: Option<f64>,
    parent: Option<f64>,
    figures: Vec<ReportedFigure>,
    idle: bool,
    /// Minimum of data moved by a process, in KiB.
    least_kib: Option<f64>,
}

impl Reading {
    fn new() -> Reading {
        Reading {
            builder: RunBuilder::new("iozone", None),
            command: None,
            flags: Flags::default(),
            unit: None,
            file_kib: None,
            record_kib: None,
            columns: None,
            report: None,
            throughput: None,
            has_cells: false,
            has_text: false,
            complete: false,
            index: None,
        }
    }

    /// The unit of the figures; adds a doubt if the text does not state it.
    fn unit(&mut self) -> Unit {
        self.unit.unwrap_or_else(|| match self.flags.unit {
            Some('O') => Unit::Operations,
            Some(_) => Unit::Microseconds,
            None => {
                self.builder.doubt(Statement::new("iozone-unit-not-said"));
                Unit::Kibibytes
            }
        })
    }

    fn cell(&mut self, test: &'static Test, sizes: (u64, u64), value: f64) {
        let unit = self.unit();
        let cell = Cell {
            test,
            file_kib: Some(sizes.0),
            record_kib: Some(sizes.1),
            workers: 1,
            flags: self.flags,
        };
        cell.state(&mut self.builder, |kind| unit.reported(kind, value));
        self.has_cells |= value > 0.0;
    }

    /// A row of the matrix: skipped tests are blank.
    fn row(&mut self, line: &str, columns: &[usize]) -> usize {
        let mut fields = words(line);
        let sizes = fields
            .next()
            .and_then(|(word, _)| integer(word))
            .zip(fields.next().and_then(|(word, _)| integer(word)));
        let (Some(sizes), Some(values)) = (
            sizes,
            fields
                .flat_map(apart)
                .map(|(word, end)| Some((finite(word)?, end)))
                .collect::<Option<Vec<_>>>(),
        ) else {
            self.columns = None;
            return 0;
        };
        let Some(indexes) = indexes(
            &values.iter().map(|(_, end)| *end).collect::<Vec<_>>(),
            columns,
        ) else {
            self.builder.doubt(Statement::new("iozone-rows-left-out"));
            return 0;
        };
        let mut cells = 0;
        for ((value, _), index) in values.iter().zip(indexes) {
            match TESTS.get(index).filter(|_| index < COLUMNS) {
                Some(test) => {
                    self.cell(test, sizes, *value);
                    cells += 1;
                }
                None => self
                    .builder
                    .doubt(Statement::new("iozone-columns-left-out")),
            }
        }
        self.has_text = true;
        cells
    }

    /// A row of a report of -R: `"64"   627470 983980`.
    fn report_row(&mut self, line: &str) -> usize {
        let Some((test, records)) = self.report.take() else {
            return 0;
        };
        let fields: Vec<&str> = line.split_whitespace().collect();
        let quoted = |field: &str| {
            field
                .strip_prefix('"')
                .and_then(|field| field.strip_suffix('"'))
                .and_then(integer)
        };
        if fields.is_empty() {
            return 0;
        }
        if records.is_empty() {
            self.report = fields
                .iter()
                .map(|field| quoted(field))
                .collect::<Option<Vec<_>>>()
                .map(|records| (test, records));
            return 0;
        }
        let values: Option<Vec<f64>> = fields[1..].iter().map(|field| finite(field)).collect();
        let (Some(file), Some(values)) = (quoted(fields[0]), values) else {
            return 0;
        };
        for (record, value) in records.iter().zip(&values) {
            self.cell(test, (file, *record), *value);
        }
        self.report = Some((test, records));
        values.len()
    }

    /// A line of throughput mode. True if it begins a block.
    fn throughput_line(&mut self, line: &str) -> bool {
        let Some((what, value)) = line.split_once('=') else {
            return false;
        };
        let Some(value) = value.split_whitespace().next().and_then(finite) else {
            return false;
        };
        let what = what.trim();
        if let Some(who) = what.strip_prefix("Children see throughput for") {
            self.close_throughput();
            let (workers, who) = who.trim().split_once(' ').unwrap_or_default();
            let workers = integer(workers).unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32;
            let test = TESTS.iter().find(|test| test.processes == who.trim());
            self.throughput = Some(Throughput {
                test,
                workers,
                children: Some(value),
                ..Throughput::default()
            });
            return true;
        }
        let unit = self.unit();
        let Some(block) = self.throughput.as_mut() else {
            return false;
        };
        if what.starts_with("Parent sees throughput for") {
            block.parent = Some(value);
        } else if what == "Min xfer" {
            block.least_kib = Some(value).filter(|_| unit == Unit::Kibibytes);
            block.figures.push(ReportedFigure {
                name: what.into(),
                value,
                unit: if unit == Unit::Kibibytes {
                    "KiB"
                } else {
                    "operations"
                }
                .into(),
            });
        } else if what.ends_with("throughput per process") {
            block.idle |= what.starts_with("Min") && value == 0.0;
            block.figures.push(in_unit(what, value, unit));
        }
        false
    }

    fn close_throughput(&mut self) {
        let Some(mut block) = self.throughput.take() else {
            return;
        };
        let unit = self.unit();
        let Some(test) = block.test else {
            self.builder.doubt(Statement::new("iozone-test-not-known"));
            return;
        };
        if let Some(children) = block.children {
            block
                .figures
                .insert(0, in_unit("Children see throughput", children, unit));
        }
        self.builder
            .doubt(Statement::new("iozone-throughput-of-parent"));
        if block.idle {
            self.builder.doubt(Statement::new("iozone-idle-process"));
        }
        if block
            .least_kib
            .zip(self.file_kib)
            .is_some_and(|(least, file)| least < file as f64)
        {
            self.builder.doubt(Statement::new("iozone-ended-by-first"));
        }
        let (file_kib, record_kib) = (self.file_kib, self.record_kib);
        let cell = Cell {
            test,
            file_kib,
            record_kib,
            workers: block.workers,
            flags: self.flags,
        };
        let figure = block.parent.or(block.children).unwrap_or(0.0);
        cell.state(&mut self.builder, |kind| {
            let reported = unit.reported(kind, figure).unwrap_or(Reported {
                kind,
                ..Reported::default()
            });
            Some(Reported {
                figures: block.figures,
                ..reported
            })
        });
        (self.has_cells, self.has_text) = (true, true);
    }
}

/// Digits of a number in a column that has no blank before it.
const COLUMN_DIGITS: usize = 8;

/// The numbers of a word of a row. With -E, the column of pread is as wide as its number of eight digits, and the number before it ends there.
fn apart((word, end): (&str, usize)) -> impl Iterator<Item = (&str, usize)> {
    let is_two = word.len() > COLUMN_DIGITS + 1 && word.bytes().all(|byte| byte.is_ascii_digit());
    let at = word.len().saturating_sub(COLUMN_DIGITS);
    let (first, second) = match word.split_at_checked(at).filter(|_| is_two) {
        Some((first, second)) => (Some((first, end - COLUMN_DIGITS)), second),
        None => (None, word),
    };
    first.into_iter().chain([(second, end)])
}

/// A rate in addition to the main figure.
fn in_unit(name: &str, value: f64, unit: Unit) -> ReportedFigure {
    let (value, unit) = match unit {
        Unit::Kibibytes => (value * 1024.0, "B/s"),
        Unit::Operations => (value, "operations/s"),
        Unit::Microseconds => (value * 1000.0, "ns"),
    };
    ReportedFigure {
        name: name.into(),
        value,
        unit: unit.into(),
    }
}

/// The column of each number: in order if the row is full, else the one with the nearest end, at most three characters away. `None` if there is none.
fn indexes(ends: &[usize], columns: &[usize]) -> Option<Vec<usize>> {
    if ends.len() == columns.len() {
        return Some((0..ends.len()).collect());
    }
    let mut indexes = Vec::new();
    for end in ends {
        let (index, column) = columns
            .iter()
            .enumerate()
            .min_by_key(|(_, column)| column.abs_diff(*end))?;
        let fits = column.abs_diff(*end) <= 3 && indexes.last().is_none_or(|last| *last < index);
        indexes.push(Some(index).filter(|_| fits)?);
    }
    Some(indexes)
}

impl Text {
    fn close_run(&mut self) {
        let Some(mut run) = self.run.take() else {
            return;
        };
        run.close_throughput();
        if !run.complete {
            run.builder.doubt(Statement::new("iozone-text-is-cut"));
        }
        run.flags.doubts(&mut run.builder);
        if let Some(earlier) = run.index.and_then(|index| self.done.get_mut(index)) {
            *earlier = run;
            return;
        }
        let next = self.done.len();
        if let Some(command) = &run.command {
            self.indexes.entry(command.clone()).or_insert(next);
        }
        self.done.push(run);
    }

    /// The command line identifies the run: one seen before gets another round.
    fn command(&mut self, command: &str) {
        let fresh = self
            .run
            .as_ref()
            .is_some_and(|run| !run.has_cells && run.command.is_none());
        let index = self.indexes.get(command).copied().filter(|_| fresh);
        if let Some((index, earlier)) =
            index.and_then(|index| Some((index, self.done.get_mut(index)?)))
        {
            let earlier = std::mem::replace(earlier, Reading::new());
            self.run = Some(Reading {
                index: Some(index),
                complete: false,
                has_text: false,
                columns: None,
                report: None,
                ..earlier
            });
            return;
        }
        let run = self.run.get_or_insert_with(Reading::new);
        run.command = Some(command.to_string());
        run.flags = Flags::of(command);
        run.builder.command(command.split_whitespace());
    }

    fn line(&mut self, line: &str, number: u64) -> Result<(), ImportError> {
        let trimmed = line.trim();
        if trimmed.contains(BANNER) {
            self.close_run();
            self.run = Some(Reading::new());
        } else if let Some(command) = trimmed.strip_prefix("Command line used:") {
            self.command(command.trim());
        } else {
            self.cells += self.run.get_or_insert_with(Reading::new).line(line);
        }
        if self.cells > CELLS_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {CELLS_MAX} figures in one file"),
            ));
        }
        Ok(())
    }
}

impl Reading {
    /// A line of a run; returns its number of figures.
    fn line(&mut self, line: &str) -> usize {
        let trimmed = line.trim();
        let after = |prefix: &str| trimmed.strip_prefix(prefix).map(str::trim);
        let number = |text: &str| text.split_whitespace().next().and_then(integer);
        if let Some(columns) = table_header(line) {
            self.columns = Some(columns);
        } else if let Some(columns) = self
            .columns
            .take_if(|_| trimmed.starts_with(|first: char| first.is_ascii_digit()))
        {
            self.columns = Some(columns.clone());
            return self.row(line, &columns);
        } else if self.throughput_line(line) {
            return 1;
        } else if let Some(test) = report_title(line) {
            // The reports repeat the figures above them.
            self.report = Some((test, Vec::new())).filter(|_| !self.has_text);
        } else if self.report.is_some() {
            return self.report_row(line);
        } else if let Some(version) = after("Version $Revision:") {
            if let Some(imported) = self.builder.run().header.imported.as_mut() {
                imported.version = Some(version.trim_end_matches('$').trim().to_string());
            }
        } else if let Some(words) = after("Output is in") {
            self.unit = Unit::of(words);
        } else if let Some(size) = after("File size set to") {
            self.file_kib = number(size);
        } else if let Some(size) = after("Record Size") {
            self.record_kib = number(size);
        } else if trimmed == "iozone test complete." {
            self.complete = true;
            self.columns = None;
        }
        0
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let matrix = include_str!("../../../../testdata/imported/iozone/a-R.txt");
    let throughput = include_bytes!("../../../../testdata/imported/iozone/throughput.txt");
    let reports = &matrix[matrix.find("Excel output is below").expect("reports")
        ..matrix.find("\"Reader report").expect("a third report")];
    let fixture = Fixture::of;
    vec![
        fixture("a-R.txt", matrix.as_bytes(), |runs| {
            let [run] = runs else {
                panic!("{} runs", runs.len())
            };
            assert_eq!(
                run.header
                    .imported
                    .as_ref()
                    .and_then(|imported| imported.version.as_deref()),
                Some("3.487")
            );
            assert_eq!(
                (run.header.plan.steps.len(), run.header.plan.rounds),
                (13 * (5 + 6 + 7), 1)
            );
            assert_eq!(
                stated_of(run, "write size=64k block=4k")[0].bandwidth_bytes_per_s,
                Some(627_470.0 * 1024.0)
            );
            assert_eq!(
                stated_of(run, "record-rewrite size=256k block=8k")[0].bandwidth_bytes_per_s,
                Some(95.0 * 1024.0)
            );
            assert_eq!(
                workload_of(run, "random-write size=64k block=4k")
                    .offsets
                    .to_string(),
                "random"
            );
        }),
        fixture("reports.txt", reports.as_bytes(), |runs| {
            let [run] = runs else {
                panic!("{} runs", runs.len())
            };
            assert_eq!(run.header.plan.steps.len(), 2 * (5 + 6 + 7));
            assert_eq!(
                stated_of(run, "rewrite size=256k block=256k")[0].bandwidth_bytes_per_s,
                Some(7_965_107.0 * 1024.0)
            );
        }),
        fixture(
            "pwrite.txt",
            include_bytes!("../../../../testdata/imported/iozone/a-E.txt"),
            |runs| {
                let [run] = runs else {
                    panic!("{} runs", runs.len())
                };
                assert_eq!(run.header.plan.steps.len(), 17);
                assert_eq!(
                    stated_of(run, "pwrite size=16m block=64k")[0].bandwidth_bytes_per_s,
                    Some(7_460_745.0 * 1024.0)
                );
                assert_eq!(
                    stated_of(run, "repread size=16m block=64k")[0].bandwidth_bytes_per_s,
                    Some(6_210_635.0 * 1024.0)
                );
                assert_eq!(
                    ["write", "fwrite", "pwrite"].map(|test| workload_of(
                        run,
                        &format!("{test} size=16m block=64k")
                    )
                    .fresh),
                    [true, false, false]
                );
            },
        ),
        fixture("throughput.txt", throughput, |runs| {
            let [run] = runs else {
                panic!("{} runs", runs.len())
            };
            let names: Vec<_> = run
                .header
                .plan
                .steps
                .iter()
                .map(|step| step.group.as_str())
                .collect();
            assert_eq!(
                names,
                [
                    "write",
                    "rewrite",
                    "read",
                    "reread",
                    "random-read",
                    "random-write"
                ]
            );
            let reported = &stated_of(run, "write size=1m block=64k workers=2")[0];
            assert_eq!(reported.bandwidth_bytes_per_s, Some(214_997.70 * 1024.0));
            assert_eq!(
                (reported.figures[0].name.as_str(), reported.figures[0].value),
                ("Children see throughput", 3_103_736.0 * 1024.0)
            );
            let doubts = &run.header.imported.as_ref().expect("imported").doubts;
            assert!(
                doubts
                    .iter()
                    .map(plumb_words::english)
                    .any(|doubt| doubt.contains("did no I/O")),
                "{doubts:?}"
            );
            assert_eq!(
                workload_of(run, "read size=1m block=64k workers=2")
                    .size
                    .map(|size| size.0),
                Some(2 << 20)
            );
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importer::stated_of;

    const HEADER: &str = "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite frewrite    fread  freread\n";
    const ROW: &str = "              64       4   627470  1183548  3363612  2772930  1991276  1143223  1188789   2133730   2772930  1101022  1087638  1421755  1638743\n";

    fn runs(text: &str) -> Vec<Run> {
        let runs = IMPORTER.of_bytes(text.as_bytes());
        runs.expect("iozone's text")
    }

    /// As iozone prints it if only these tests are selected (-i): blanks for the others.
    fn without(columns: &[usize]) -> String {
        let mut row = ROW.to_string();
        let spans: Vec<_> = words(ROW)
            .skip(2)
            .map(|(word, end)| (end - word.len(), end))
            .collect();
        for column in columns {
            let (from, to) = spans[*column];
            row.replace_range(from..to, &" ".repeat(to - from));
        }
        format!("{}\n", row.trim_end())
    }

    #[test]
    fn numbers_are_assigned_to_their_tests_even_with_gaps() {
        let all: Vec<&str> = TESTS.iter().take(13).map(|test| test.name).collect();
        for left_out in [
            vec![4, 5, 6, 7, 8, 9, 10, 11, 12],
            vec![2, 3],
            vec![0, 1, 4, 5, 6],
            vec![11, 12],
            vec![8],
        ] {
            let runs = runs(&format!(
                "{HEADER}{}iozone test complete.\n",
                without(&left_out)
            ));
            let names: Vec<_> = runs[0]
                .header
                .plan
                .steps
                .iter()
                .map(|step| step.group.as_str())
                .collect();
            let kept: Vec<_> = all
                .iter()
                .enumerate()
                .filter(|(index, _)| !left_out.contains(index))
                .map(|(_, name)| *name)
                .collect();
            assert_eq!(names, kept);
        }
    }

    #[test]
    fn the_same_command_again_is_a_round_and_another_a_run() {
        let once = |command: &str| {
            format!(
                "{BANNER}\nCommand line used: {command}\nOutput is in ops/sec\n{HEADER}{ROW}\niozone test complete.\n"
            )
        };
        let runs = runs(
            &[
                once("iozone -a -O"),
                once("iozone -a -O -I"),
                once("iozone -a -O"),
            ]
            .concat(),
        );
        assert_eq!(
            runs.iter()
                .map(|run| run.header.plan.rounds)
                .collect::<Vec<_>>(),
            [2, 1]
        );
        let writes: Vec<_> = stated_of(&runs[0], "write size=64k block=4k")
            .iter()
            .map(|reported| reported.iops)
            .collect();
        assert_eq!(writes, [Some(627_470.0), Some(627_470.0)]);
    }

    #[test]
    fn numbers_without_a_blank_between_them_are_two() {
        let text = include_str!("../../../../testdata/imported/iozone/a-E.txt");
        let row = text
            .lines()
            .find(|line| line.trim_start().starts_with("16384"));
        let row = row.expect("a row").trim_end().to_string();
        let ends: Vec<_> = words(&row).map(|(_, end)| end).collect();
        let [.., repwrite, pread, _] = ends.as_slice() else {
            panic!("{row}")
        };
        let (mut before, behind) = (row[..*repwrite].to_string(), &row[*pread..]);
        before.truncate(before.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        let joined = format!("{before}  922051211489839{behind}");
        let runs = runs(&text.replace(&row, &joined));
        let rate = |test: &str| {
            stated_of(&runs[0], &format!("{test} size=16m block=64k"))[0].bandwidth_bytes_per_s
        };
        assert_eq!(rate("repwrite"), Some(9_220_512.0 * 1024.0));
        assert_eq!(rate("pread"), Some(11_489_839.0 * 1024.0));
    }

    #[test]
    fn a_cut_matrix_is_doubted() {
        let runs = runs(&format!("{HEADER}{ROW}"));
        let doubts = &runs[0].header.imported.as_ref().expect("imported").doubts;
        assert!(
            doubts
                .iter()
                .map(plumb_words::english)
                .any(|doubt| doubt.contains("iozone test complete")),
            "{doubts:?}"
        );
    }
}
