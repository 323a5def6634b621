//! How does a table become a sheet? Bold headers with units, numbers as numbers, strings that are never evaluated, missing values as empty cells.

use std::fmt::Write;
use std::ops::Range;

use super::xml::{DECLARATION, MAIN, RELATIONS, escaped};
use crate::exporter::table::{Cell, Column, Table, Values};

/// Rows that a sheet holds below its header (1,048,576 rows in Excel).
pub const LINES_MAX: usize = 1_048_575;

/// Prints the sheet at page width.
const FIT: &str = "<sheetPr><pageSetUpPr fitToPage=\"1\"/></sheetPr>";
const PAGE: &str = "<pageSetup orientation=\"landscape\" fitToWidth=\"1\" fitToHeight=\"0\"/>";

/// A sheet that holds only the charts.
pub fn empty() -> String {
    format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\">{FIT}<sheetViews><sheetView showGridLines=\"0\" tabSelected=\"1\" workbookViewId=\"0\"/></sheetViews>\
         <sheetData/>{PAGE}<drawing r:id=\"rId1\"/></worksheet>"
    )
}

/// The table, with a frozen header.
pub fn of(table: &Table) -> String {
    let mut out = format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN}\">{FIT}<sheetViews><sheetView workbookViewId=\"0\">\
         <pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>"
    );
    for (index, column) in table.columns.iter().enumerate() {
        let _ = write!(
            out,
            "<col min=\"{0}\" max=\"{0}\" width=\"{1}\" customWidth=\"1\"/>",
            index + 1,
            width(column)
        );
    }
    out += "</cols><sheetData><row r=\"1\">";
    for (index, column) in table.columns.iter().enumerate() {
        text(&mut out, index, 0, &head(column), 1);
    }
    out += "</row>";
    let divisors: Vec<f64> = table
        .columns
        .iter()
        .map(|column| column.head_for_people().1)
        .collect();
    for line in 0..table.lines() {
        let _ = write!(out, "<row r=\"{}\">", line + 2);
        for (index, column) in table.columns.iter().enumerate() {
            match column.cell(line) {
                Cell::Text("") | Cell::Integer(None) | Cell::Real(None) => {}
                Cell::Text(text_cell) => text(&mut out, index, line + 1, text_cell, 0),
                Cell::Integer(Some(value)) if divisors[index] == 1.0 => {
                    number(&mut out, index, line + 1, value, 2)
                }
                Cell::Integer(Some(value)) => {
                    number(&mut out, index, line + 1, value as f64 / divisors[index], 3)
                }
                Cell::Real(Some(value)) => {
                    number(&mut out, index, line + 1, value / divisors[index], 3)
                }
            }
        }
        out += "</row>";
    }
    out += "</sheetData>";
    if table.lines() > 0 {
        let _ = write!(
            out,
            "<autoFilter ref=\"A1:{}{}\"/>",
            letters(table.columns.len() - 1),
            table.lines() + 1
        );
    }
    out + PAGE + "</worksheet>"
}

/// An inline string (t="inlineStr"): no spreadsheet evaluates it, whatever its first character.
fn text(out: &mut String, index: usize, row: usize, text: &str, style: u8) {
    let _ = write!(
        out,
        "<c r=\"{}{}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
        letters(index),
        row + 1,
        escaped(text)
    );
}

fn number(out: &mut String, index: usize, row: usize, value: impl std::fmt::Display, style: u8) {
    let _ = write!(
        out,
        "<c r=\"{}{}\" s=\"{style}\"><v>{value}</v></c>",
        letters(index),
        row + 1
    );
}

/// Width of a column in characters: that of its header, and of its longest string up to a limit.
fn width(column: &Column) -> usize {
    let longest = match &column.values {
        Values::Text { dictionary, .. } => dictionary
            .iter()
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0),
        Values::Integer(_) | Values::Real(_) => 12,
    };
    (head(column).chars().count().max(longest) + 2).min(60)
}

/// The header of a column.
pub fn head(column: &Column) -> String {
    column.head_for_people().0
}

/// Name of a column: A, B, ... Z, AA, ...
fn letters(mut index: usize) -> String {
    let mut name = Vec::new();
    loop {
        name.push(b'A' + (index % 26) as u8);
        match (index / 26).checked_sub(1) {
            Some(rest) => index = rest,
            None => break,
        }
    }
    name.iter()
        .rev()
        .map(|letter| char::from(*letter))
        .collect()
}

/// Cell range of some rows of a column: `'Over time'!$K$2:$K$9`.
pub fn range(sheet: &str, column: usize, lines: Range<usize>) -> String {
    let letters = letters(column);
    format!(
        "'{sheet}'!${letters}${}:${letters}${}",
        lines.start + 2,
        lines.end.max(lines.start + 1) + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exporter::table::Unit;

    #[test]
    fn places_have_their_names() {
        assert_eq!(
            [0, 25, 26, 51, 52, 701, 702].map(letters),
            ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]
        );
        assert_eq!(range("Over time", 10, 0..8), "'Over time'!$K$2:$K$9");
    }

    #[test]
    fn texts_are_texts_and_missing_is_empty() {
        let mut table = Table::new(vec![
            Column::text("step"),
            Column::real("bandwidth", Unit::BytesPerSecond),
        ]);
        table.push([Cell::Text("=1+1 & \u{1}<b>"), Cell::Real(None)]);
        table.push([Cell::Text("b"), Cell::Real(Some(2.5e6))]);
        let xml = of(&table);
        assert!(xml.contains("t=\"inlineStr\"><is><t xml:space=\"preserve\">=1+1 &amp; &lt;b&gt;</t></is></c></row>"), "{xml}");
        assert!(
            xml.contains("<c r=\"B3\" s=\"3\"><v>2.5</v></c>")
                && xml.contains("bandwidth (MB/s)")
                && !xml.contains("<f>"),
            "{xml}"
        );
    }
}
