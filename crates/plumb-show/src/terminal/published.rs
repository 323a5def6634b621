//! How is the article's table with the measured figures printed?

use plumb_model::results::published::PublishedTable;

use super::layout::{padded, padded_left, printable, width, wrapped};
use super::{Page, Tone};
use crate::figure::{ColumnKind, Table};
use crate::tables::published::{missing_text, shown};

/// Columns between two columns.
const GAP: usize = 2;

/// The tables of all experiments; empty without one.
pub fn published_text(tables: &[PublishedTable], page: Page) -> String {
    tables.iter().map(|table| one(table, page)).collect()
}

fn one(table: &PublishedTable, page: Page) -> String {
    let experiment = shown(table, page.words);
    let mut out = String::from("\n");
    out += &page.tone(
        Tone::Strong,
        wrapped(&experiment.heading, "", "    ", page.width).trim_end(),
    );
    out.push('\n');
    for held in &experiment.tables {
        out += &wrapped(&held.name, "  ", "  ", page.width);
        out += &laid_out(&held.table, &held.notes, page);
    }
    for (reason, rows) in &experiment.missing {
        out += &wrapped(
            &missing_text(reason, rows, page.words),
            "  – ",
            "    ",
            page.width,
        );
    }
    if let Some(pinning) = &experiment.pinning {
        out.push('\n');
        out += &page.tone(Tone::Strong, &page.words.label("label-what-pinning-gave"));
        out.push('\n');
        out += &laid_out(&narrowed(pinning, page), &[], page);
        out += &page.tone(
            Tone::Quiet,
            wrapped(&pinning.note, "  ", "  ", page.width).trim_end(),
        );
        out.push('\n');
    }
    out
}

/// Width from which on a table has all of its columns.
const WIDE: usize = 130;

/// Without the last column where there is little room.
fn narrowed(table: &Table, page: Page) -> Table {
    let mut table = table.clone();
    if page.width < WIDE {
        table.columns.pop();
        for row in &mut table.rows {
            row.pop();
        }
    }
    table
}

/// Columns as wide as their cells. Where the page is too narrow, the name of a row has a line of its own; where it is narrower still, each cell has one.
fn laid_out(table: &Table, notes: &[String], page: Page) -> String {
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let cells = table.rows.iter().filter_map(|row| row.get(place));
            cells
                .map(|cell| width(&printable(cell)))
                .chain([width(&column.title)])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let indent = 4;
    let further: usize = widths.iter().skip(1).map(|width| width + GAP).sum();
    let first = widths.first().copied().unwrap_or(0);
    let beside = indent + first + further <= page.width;
    let stacked = indent + further > page.width;
    let cells = |row: &[String]| -> String {
        let mut line = String::new();
        for (place, cell) in row.iter().enumerate().skip(1) {
            let space = widths.get(place).copied().unwrap_or(0);
            line += &" ".repeat(GAP);
            line += &match table.columns.get(place).map(|column| column.kind) {
                Some(ColumnKind::Number) => padded_left(&printable(cell), space),
                _ => padded(&printable(cell), space),
            };
        }
        line
    };
    let titles: Vec<String> = table
        .columns
        .iter()
        .map(|column| column.title.clone())
        .collect();
    let mut out = String::new();
    let margin = " ".repeat(indent);
    let quiet = |text: &str| page.tone(Tone::Quiet, text.trim_end()) + "\n";
    match (stacked, beside) {
        (true, _) => {}
        (false, true) => {
            let name = titles.first().map_or("", String::as_str);
            out += &quiet(&format!(
                "{margin}{}{}",
                padded(name, first),
                cells(&titles)
            ));
        }
        (false, false) => out += &quiet(&format!("{margin}{}", cells(&titles))),
    }
    for (number, row) in table.rows.iter().enumerate() {
        let name = printable(row.first().map_or("", String::as_str));
        if stacked {
            if !name.is_empty() {
                out += &wrapped(&name, &margin, &margin, page.width);
            }
            for (title, cell) in titles.iter().zip(row).skip(1) {
                if !cell.is_empty() {
                    let text = match title.is_empty() {
                        true => cell.clone(),
                        false => format!("{title}: {cell}"),
                    };
                    out += &wrapped(&text, "      ", "        ", page.width);
                }
            }
        } else if beside {
            let line = format!("{margin}{}{}", padded(&name, first), cells(row));
            out += line.trim_end();
            out.push('\n');
        } else {
            if !name.is_empty() {
                out += &wrapped(&name, &margin, &margin, page.width);
            }
            let line = format!("{margin}{}", cells(row));
            out += line.trim_end();
            out.push('\n');
        }
        if let Some(note) = notes.get(number).filter(|note| !note.is_empty()) {
            out += &quiet(&wrapped(note, "        ", "        ", page.width));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use plumb_model::results::published::{
        MeasuredCell, PublishedCell, PublishedRow, PublishedSystem,
    };
    use plumb_model::statement::Statement;
    use plumb_words::Words;

    use super::*;

    fn cell(printed: &str, value: f64, unit: &str, is: f64) -> Option<PublishedCell> {
        Some(PublishedCell {
            printed: printed.into(),
            value: Some(value),
            unit: Some(unit.into()),
            unit_is: Some(is),
            unit_known_by: None,
            note: None,
        })
    }

    fn table(systems: &[&str]) -> PublishedTable {
        let all = [
            cell("169 KB/s", 173_056.0, "KB/s", 1024.0),
            cell("22,183 KB/s", 22_715_392.0, "KB/s", 1024.0),
            cell("1,000 KB/s", 1_024_000.0, "KB/s", 1024.0),
        ];
        let row = |name: &str, measured: Option<MeasuredCell>| PublishedRow {
            table: "bonnie++".into(),
            row: name.into(),
            name: format!("bonnie++ {name}"),
            program: "bonnie++".into(),
            operation: "putc".into(),
            metric: Some("bandwidth".into()),
            published: all.iter().take(systems.len()).cloned().collect(),
            reason: match measured {
                Some(_) => None,
                None => Some(Statement::new("no-step-stands-for").name("test", "bonnie++ putc")),
            },
            measured: vec![measured],
        };
        let yours = MeasuredCell {
            steps: vec!["putc".into()],
            others: vec!["other".into()],
            value: 2_048_000.0,
            interval: None,
            rounds: 1,
            ratios: all
                .iter()
                .map(|cell| Some(2_048_000.0 / cell.as_ref()?.value?))
                .collect(),
            caveats: Vec::new(),
        };
        PublishedTable {
            experiment: "E6".into(),
            question: "Software RAID 1 on two operating systems".into(),
            systems: systems
                .iter()
                .map(|system| PublishedSystem {
                    reference: system.to_string(),
                    system: system.to_string(),
                })
                .collect(),
            runs: vec!["mine".into()],
            rows: vec![
                row("sequential output per char", Some(yours)),
                row("rewrite", None),
            ],
            pinning: Vec::new(),
        }
    }

    fn text(systems: &[&str], columns: usize) -> String {
        let page = Page {
            width: columns,
            colour: false,
            words: Words::english(),
        };
        published_text(&[table(systems)], page)
    }

    #[test]
    fn two_systems_have_a_column_each() {
        let line = |name: &str, cells: [&str; 5]| {
            let [a, b, c, d, e] = cells;
            format!("    {name:<26}  {a:>9}  {b:>12}  {c:>11}  {d:>11}  {e:>9}\n")
        };
        let titles = ["FreeBSD", "Linux", "yours", "vs. FreeBSD", "vs. Linux"];
        let first = ["169 KiB/s", "22,183 KiB/s", "2,000 KiB/s", "×11.8", "×0.09"];
        let second = ["169 KiB/s", "22,183 KiB/s", "–", "–", "–"];
        let expected = [
            "\nE6: Software RAID 1 on two operating systems\n  bonnie++\n",
            &line("", titles),
            &line("sequential output per char", first),
            "        putc; 1 other step fits too\n",
            &line("rewrite", second),
            "  – not measured: bonnie++ rewrite: no step measures bonnie++ putc\n",
        ];
        assert_eq!(text(&["FreeBSD", "Linux"], 130), expected.concat());
    }

    #[test]
    fn every_figure_is_there_whatever_the_width() {
        for systems in [&["FreeBSD"][..], &["FreeBSD", "Linux"], &["a", "b", "c"]] {
            for columns in [40, 60, 80, 100, 200] {
                let text = text(systems, columns);
                assert!(
                    text.lines().all(|line| width(line) <= columns),
                    "{columns}\n{text}"
                );
                let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
                for there in ["169 KiB/s", "2,000 KiB/s", "putc", "not measured:"] {
                    assert!(plain.contains(there), "{columns}: {there}\n{text}");
                }
            }
        }
    }
}
