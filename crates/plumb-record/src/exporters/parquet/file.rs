//! How is a table laid out as a Parquet file? Pages without compression, strings as a dictionary, as parquet-format's README and parquet.thrift specify.
//!
//! The crate `parquet` would do the same for 50 seconds of build time; of its many encodings and types a run needs two and three.

use std::io::{self, Write};

use super::thrift::{Struct, varint};
use crate::exporter::table::{Column, Table, Values};

// enum Type.
const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
// enum Encoding.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;
// enum PageType.
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;
// enum FieldRepetitionType.
const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;
// enum ConvertedType.
const UTF8: i32 = 0;

const MAGIC: &[u8] = b"PAR1";

/// A file that is written one row group at a time.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    /// The columns, without rows.
    columns: Table,
    about: Vec<(String, String)>,
    groups: Vec<Struct>,
    lines: usize,
    written: usize,
}

impl<'a> Writer<'a> {
    /// A file of these columns, with these strings as metadata.
    pub fn begin(
        out: &'a mut dyn Write,
        columns: Table,
        about: &[(&str, &str)],
    ) -> io::Result<Writer<'a>> {
        out.write_all(MAGIC)?;
        let about = about
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        Ok(Writer {
            out,
            columns,
            about,
            groups: Vec::new(),
            lines: 0,
            written: MAGIC.len(),
        })
    }

    /// Adds a row group of these rows; none if there are none.
    pub fn group(&mut self, table: &Table) -> io::Result<()> {
        if table.lines() == 0 {
            return Ok(());
        }
        let mut pages = Pages {
            start: self.written,
            bytes: Vec::new(),
        };
        let chunks = table
            .columns
            .iter()
            .map(|column| chunk(column, table.lines(), &mut pages))
            .collect();
        let size = pages.bytes.len() as i64;
        self.groups.push(
            Struct::default()
                .structures(1, chunks)
                .i64(2, size)
                .i64(3, table.lines() as i64),
        );
        self.out.write_all(&pages.bytes)?;
        self.written += pages.bytes.len();
        self.lines += table.lines();
        Ok(())
    }

    /// Writes the footer.
    pub fn end(self) -> io::Result<()> {
        let footer = Struct::default()
            .i32(1, 1)
            .structures(2, schema(&self.columns))
            .i64(3, self.lines as i64)
            .structures(4, self.groups)
            .structures(
                5,
                self.about
                    .iter()
                    .map(|(key, value)| Struct::default().text(1, key).text(2, value))
                    .collect(),
            )
            .text(6, concat!("plumb version ", env!("CARGO_PKG_VERSION")))
            .finish();
        self.out.write_all(&footer)?;
        self.out.write_all(&(footer.len() as u32).to_le_bytes())?;
        self.out.write_all(MAGIC)
    }
}

/// Pages of a row group, and their file offsets.
struct Pages {
    start: usize,
    bytes: Vec<u8>,
}

impl Pages {
    fn end(&self) -> usize {
        self.start + self.bytes.len()
    }
}

fn schema(table: &Table) -> Vec<Struct> {
    let root = Struct::default()
        .text(4, "schema")
        .i32(5, table.columns.len() as i32);
    let of = |column: &Column| {
        let name = column.head();
        match column.values {
            Values::Text { .. } => Struct::default()
                .i32(1, BYTE_ARRAY)
                .i32(3, REQUIRED)
                .text(4, &name)
                .i32(6, UTF8),
            Values::Integer(_) => Struct::default()
                .i32(1, INT64)
                .i32(3, OPTIONAL)
                .text(4, &name),
            Values::Real(_) => Struct::default()
                .i32(1, DOUBLE)
                .i32(3, OPTIONAL)
                .text(4, &name),
        }
    };
    std::iter::once(root)
        .chain(table.columns.iter().map(of))
        .collect()
}

/// Writes the pages of some rows of a column, and returns their description.
fn chunk(column: &Column, lines: usize, pages: &mut Pages) -> Struct {
    let start = pages.end();
    let mut dictionary_offset = None;
    let (kind, encoding, page) = match &column.values {
        Values::Text {
            dictionary,
            indexes,
        } => {
            dictionary_offset = Some(start as i64);
            let head = Struct::default()
                .i32(1, dictionary.len() as i32)
                .i32(2, PLAIN);
            write_page(
                &mut pages.bytes,
                DICTIONARY_PAGE,
                (7, head),
                &plain_values(dictionary),
            );
            (
                BYTE_ARRAY,
                RLE_DICTIONARY,
                index_page(indexes, dictionary.len()),
            )
        }
        Values::Integer(values) => {
            // Values beyond the signed range cannot be real counts.
            let values = values
                .iter()
                .map(|value| value.and_then(|value| i64::try_from(value).ok()));
            (
                INT64,
                PLAIN,
                optional_page(
                    &values
                        .map(|value| value.map(i64::to_le_bytes))
                        .collect::<Vec<_>>(),
                ),
            )
        }
        Values::Real(values) => {
            let values: Vec<_> = values
                .iter()
                .map(|value| value.map(f64::to_le_bytes))
                .collect();
            (DOUBLE, PLAIN, optional_page(&values))
        }
    };
    let first_page = pages.end() as i64;
    let head = Struct::default()
        .i32(1, lines as i32)
        .i32(2, encoding)
        .i32(3, RLE)
        .i32(4, RLE);
    write_page(&mut pages.bytes, DATA_PAGE, (5, head), &page);
    let size = (pages.end() - start) as i64;
    let description = Struct::default()
        .i32(1, kind)
        .i32s(
            2,
            if dictionary_offset.is_some() {
                &[PLAIN, RLE, RLE_DICTIONARY]
            } else {
                &[PLAIN, RLE]
            },
        )
        .texts(3, &[&column.head()])
        .i32(4, 0)
        .i64(5, lines as i64)
        .i64(6, size)
        .i64(7, size)
        .i64(9, first_page);
    let description = match dictionary_offset {
        Some(offset) => description.i64(11, offset),
        None => description,
    };
    Struct::default()
        .i64(2, start as i64)
        .structure(3, description)
}

fn write_page(out: &mut Vec<u8>, kind: i32, (number, head): (u8, Struct), page: &[u8]) {
    let size = page.len() as i32;
    out.extend(
        Struct::default()
            .i32(1, kind)
            .i32(2, size)
            .i32(3, size)
            .structure(number, head)
            .finish(),
    );
    out.extend(page);
}

fn plain_values(dictionary: &[String]) -> Vec<u8> {
    let mut page = Vec::new();
    for entry in dictionary {
        page.extend((entry.len() as u32).to_le_bytes());
        page.extend(entry.as_bytes());
    }
    page
}

fn index_page(indexes: &[u32], dictionary: usize) -> Vec<u8> {
    let bits = usize::BITS - dictionary.saturating_sub(1).leading_zeros();
    let mut page = vec![bits as u8];
    runs(
        &mut page,
        indexes.iter().copied(),
        bits.div_ceil(8) as usize,
    );
    page
}

/// Which values are present (definition levels, preceded by their length), then the values.
fn optional_page(values: &[Option<[u8; 8]>]) -> Vec<u8> {
    let mut levels = Vec::new();
    runs(
        &mut levels,
        values.iter().map(|value| u32::from(value.is_some())),
        1,
    );
    let mut page = (levels.len() as u32).to_le_bytes().to_vec();
    page.extend(levels);
    values.iter().flatten().for_each(|value| page.extend(value));
    page
}

/// Run lengths (the "RLE" of Encodings.md, without its bit-packed runs): twice the length, then the value in this many bytes.
fn runs(out: &mut Vec<u8>, values: impl Iterator<Item = u32>, bytes: usize) {
    let mut write = |value: u32, length: u64| {
        varint(out, length << 1);
        out.extend(&value.to_le_bytes()[..bytes]);
    };
    let mut run: Option<(u32, u64)> = None;
    for value in values {
        run = Some(match run {
            Some((same, length)) if same == value => (same, length + 1),
            Some((other, length)) => {
                write(other, length);
                (value, 1)
            }
            None => (value, 1),
        });
    }
    if let Some((value, length)) = run {
        write(value, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exporter::table::{Cell, Unit};

    #[test]
    fn runs_of_equal_values_are_one() {
        let mut out = Vec::new();
        runs(&mut out, [1, 1, 1, 0].into_iter(), 1);
        assert_eq!(out, [6, 1, 2, 0]);
        assert_eq!(index_page(&[0, 0], 1), [0, 4]);
        assert_eq!(index_page(&[4, 2], 5), [3, 2, 4, 2, 2]);
    }

    /// Readers are tested with DuckDB and pandas, see crates/plumb/tests/it/export.rs.
    #[test]
    fn the_footer_is_found_from_the_end() {
        let mut table = Table::new(vec![Column::text("step"), Column::real("iops", Unit::None)]);
        table.push([Cell::Text("a"), Cell::Real(None)]);
        let mut bytes = Vec::new();
        let mut file = Writer::begin(&mut bytes, table.clone(), &[("run", "x")]).expect("memory");
        file.group(&table)
            .and_then(|()| file.end())
            .expect("memory");
        assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC));
        let at = bytes.len() - 8;
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        assert_eq!(
            bytes[at - length..at - length + 2],
            [0x15, 2],
            "version 1 is its first field"
        );
    }
}
