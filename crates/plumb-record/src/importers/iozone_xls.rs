//! What is in iozone's spreadsheet (`-b FILE.xls`)? A BIFF2 stream: one report per test, file sizes down, record sizes across.

use std::collections::BTreeMap;

use plumb_model::run::Run;
use plumb_model::statement::Statement;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::iozone::{CELLS_MAX, Cell, Flags, TESTS, Test, Unit};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "iozone-xls",
    program: "iozone",
    meaning: "the spreadsheet that iozone 3 writes with -b (BIFF2, as its libbif.c makes it): the reports of the matrix",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Records of BIFF2 (OpenOffice's documentation of the format, chapter 5): a code and a length of two bytes each, then the body.
const BOF: u16 = 0x0009;
const END: u16 = 0x000A;
const NUMBER: u16 = 0x0003;
const LABEL: u16 = 0x0004;
/// Longest file: each cell is 19 or 268 bytes.
const BYTES_MAX: u64 = 32 << 20;

/// iozone writes a BOF record of four bytes: version 2, worksheet.
const BEGINNING: [u8; 8] = [0x09, 0, 4, 0, 2, 0, 0x10, 0];

fn recognizes(head: &Head<'_>) -> bool {
    head.bytes.starts_with(&BEGINNING)
}

/// Cells of one row.
#[derive(Default)]
struct SheetRow {
    /// The text in column 0.
    label: Option<String>,
    /// By column.
    numbers: BTreeMap<u16, f64>,
}

/// Rows by number, and whether the stream ends with its end record.
fn rows(bytes: &[u8]) -> (BTreeMap<u16, SheetRow>, bool) {
    let (mut rows, mut rest) = (BTreeMap::<u16, SheetRow>::new(), bytes);
    let word = |bytes: &[u8], at: usize| {
        bytes
            .get(at..at + 2)
            .map(|two| u16::from_le_bytes([two[0], two[1]]))
    };
    while let (Some(code), Some(length)) = (word(rest, 0), word(rest, 2)) {
        let Some(body) = rest.get(4..4 + usize::from(length)) else {
            break;
        };
        rest = &rest[4 + body.len()..];
        if code == END {
            return (rows, true);
        }
        let (Some(row), Some(column)) = (word(body, 0), word(body, 2)) else {
            continue;
        };
        match code {
            // Three bytes of attributes, then the value.
            NUMBER => {
                let value = body
                    .get(7..15)
                    .and_then(|eight| Some(f64::from_le_bytes(eight.try_into().ok()?)));
                if let Some(value) = value.filter(|value| value.is_finite()) {
                    rows.entry(row).or_default().numbers.insert(column, value);
                }
            }
            LABEL if column == 0 => {
                let text = body
                    .get(7)
                    .and_then(|length| body.get(8..8 + usize::from(*length)));
                rows.entry(row).or_default().label =
                    text.map(|text| String::from_utf8_lossy(text).trim().to_string());
            }
            _ => {}
        }
    }
    (rows, false)
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let bytes = source.read_all(BYTES_MAX)?;
    if !bytes.starts_with(&BOF.to_le_bytes()) {
        return Err(ImportError::of_file(
            "a BIFF2 stream, which begins with the bytes 09 00",
        ));
    }
    let (rows, complete) = rows(&bytes);
    let mut builder = RunBuilder::new("iozone", None);
    let command = rows
        .first_key_value()
        .and_then(|(_, row)| row.label.clone())
        .unwrap_or_default();
    let flags = Flags::of(&command);
    builder.command(command.split_whitespace());
    flags.doubts(&mut builder);
    if !complete {
        builder.doubt(Statement::new("iozone-sheet-is-cut"));
    }
    // The spreadsheet does not state the unit, but the command line in its first row does.
    let unit = match flags.unit {
        Some('O') => Unit::Operations,
        Some(_) => Unit::Microseconds,
        None => Unit::Kibibytes,
    };
    let (mut report, mut records, mut cells): (Option<&Test>, Vec<(u16, f64)>, usize) =
        (None, Vec::new(), 0);
    for row in rows.values() {
        if let Some(label) = &row.label {
            let title = label.to_ascii_lowercase();
            report = title
                .strip_suffix("report")
                .and_then(|title| TESTS.iter().find(|test| test.report == title.trim()));
            records.clear();
            continue;
        }
        match (report, row.numbers.get(&0)) {
            (Some(_), None) => {
                records = row
                    .numbers
                    .iter()
                    .map(|(column, kib)| (*column, *kib))
                    .collect()
            }
            (Some(test), Some(file)) => {
                for (column, record) in &records {
                    let Some(value) = row.numbers.get(column) else {
                        continue;
                    };
                    cells += 1;
                    let cell = Cell {
                        test,
                        file_kib: Some(*file as u64),
                        record_kib: Some(*record as u64),
                        workers: 1,
                        flags,
                    };
                    cell.state(&mut builder, |kind| unit.reported(kind, *value));
                }
            }
            (None, _) => {}
        }
        if cells > CELLS_MAX {
            return Err(ImportError::of_file(format!(
                "at most {CELLS_MAX} figures in one file"
            )));
        }
    }
    if cells == 0 {
        return Err(ImportError::of_file(
            "reports of the matrix ('Writer Report' and following); results of throughput mode are only in iozone's text output",
        ));
    }
    Ok(vec![builder.finish()])
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    let check = |runs: &[Run]| {
        use crate::importer::{stated_of, workload_of};
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        // 5, 6 and 7 record sizes of three file sizes in 13 tests.
        assert_eq!(run.header.plan.steps.len(), 13 * (5 + 6 + 7));
        assert_eq!(
            stated_of(run, "write size=64k block=4k")[0].bandwidth_bytes_per_s,
            Some(627_470.0 * 1024.0)
        );
        assert_eq!(
            stated_of(run, "freread size=256k block=256k")[0].bandwidth_bytes_per_s,
            Some(5_022_044.0 * 1024.0)
        );
        assert_eq!(
            workload_of(run, "stride-read size=64k block=4k")
                .offsets
                .to_string(),
            "strided:18-blocks"
        );
        assert_eq!(run.header.command[1], "-a");
    };
    vec![Fixture {
        name: "b.xls",
        bytes: include_bytes!("../../../../testdata/imported/iozone/b.xls").to_vec(),
        check,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_longer_than_the_file_ends_it() {
        let bytes = [&BEGINNING[..], &[3, 0, 15, 0, 0]].concat();
        let (rows, complete) = rows(&bytes);
        assert!(
            rows.len() <= 1 && !complete,
            "the sheet type of BOF may look like a row"
        );
    }
}
