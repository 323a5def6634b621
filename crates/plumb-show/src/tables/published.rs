//! What are the cells of the article's table with the measured figures beside it? In the units of the article, for the page, the terminal and Markdown.

use plumb_model::results::published::{
    MeasuredCell, Pinning, PublishedCell, PublishedRow, PublishedTable,
};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::{count, is_many_times, show_count, show_time_ns};

use crate::figure::{Column, Table};
use crate::wording::comparison::{ratio_text, some_names};
use crate::wording::{MISSING, sentence, with_micro_sign};

/// Published columns up to this many stand side by side; more are told in one line each.
const COLUMNS_MAX: usize = 2;

/// A table of the article.
pub(crate) struct ShownTable {
    /// The article's name of it.
    pub name: String,
    pub table: Table,
    /// For each row the steps beside it, and what was not as published; empty for a further line of a row.
    pub notes: Vec<String>,
}

/// All of an experiment.
pub(crate) struct ShownExperiment {
    /// `E6: Software RAID 1 on two operating systems`.
    pub heading: String,
    pub tables: Vec<ShownTable>,
    /// Rows without a measured figure by reason.
    pub missing: Vec<(String, Vec<String>)>,
    /// The last column, the latency, is in the table of steps as well.
    pub pinning: Option<Table>,
}

/// The tables of an experiment; without those rows that no run has if `measured_only`.
pub(crate) fn shown(of: &PublishedTable, words: Words) -> ShownExperiment {
    let form = Form::of(of);
    let mut tables: Vec<ShownTable> = Vec::new();
    let mut missing: Vec<(String, Vec<String>)> = Vec::new();
    for row in &of.rows {
        if tables.last().is_none_or(|last| last.name != row.table) {
            tables.push(ShownTable {
                name: row.table.clone(),
                table: Table {
                    columns: form.columns(of, words),
                    ..Table::default()
                },
                notes: Vec::new(),
            });
        }
        if let Some(last) = tables.last_mut() {
            form.add(row, of, last, words);
        }
        if let Some(reason) = row.reason.as_ref().filter(|_| !row.is_measured()) {
            let reason = sentence(reason, words);
            match missing.iter_mut().find(|(held, _)| *held == reason) {
                Some((_, rows)) => rows.push(row.name.clone()),
                None => missing.push((reason, vec![row.name.clone()])),
            }
        }
    }
    ShownExperiment {
        heading: words.sentence(
            &Statement::new("published-heading")
                .name("experiment", &of.experiment)
                .name("question", &of.question),
        ),
        tables,
        missing,
        pinning: pinning(&of.pinning, words),
    }
}

/// Rows without a figure under one reason: a few by name, the others by number.
pub(crate) fn missing_text(reason: &str, rows: &[String], words: Words) -> String {
    words.sentence(
        &Statement::new("published-not-measured")
            .name("rows", some_names(rows, words))
            .name("reason", reason),
    )
}

/// How the columns are laid out.
struct Form {
    /// Each system has a column; else each published figure has a line.
    side_by_side: bool,
    /// All runs share one column: no row has two.
    one_column: bool,
    /// Ratios are factors: one is too large for percent, and a column of both would have to be converted by the reader.
    in_times: bool,
}

impl Form {
    fn of(table: &PublishedTable) -> Form {
        let several = |row: &PublishedRow| row.measured.iter().flatten().count() > 1;
        let one_column = table.runs.len() == 1 || !table.rows.iter().any(several);
        let cells = table.rows.iter().flat_map(|row| row.measured.iter());
        let mut ratios = cells
            .flatten()
            .flat_map(|cell| cell.ratios.iter())
            .flatten()
            .copied();
        Form {
            side_by_side: table.systems.len() <= COLUMNS_MAX && one_column,
            one_column,
            in_times: ratios.any(is_many_times),
        }
    }

    fn columns(&self, table: &PublishedTable, words: Words) -> Vec<Column> {
        let label = |id: &str| words.label(id);
        let mut columns = vec![Column::text("")];
        if self.side_by_side {
            let systems = table.systems.iter();
            columns.extend(systems.map(|system| Column::number(system.system.clone())));
        } else {
            columns.push(Column::text(label("label-published-system")));
            columns.push(Column::number(label("label-published-figure")));
        }
        if self.one_column {
            columns.push(Column::number(label("label-published-yours")));
        } else {
            columns.extend(table.runs.iter().map(|run| Column::number(run.clone())));
        }
        if !self.one_column {
            return columns;
        }
        if !self.side_by_side || table.systems.len() == 1 {
            columns.push(Column::number(label("label-published-change")));
        } else {
            columns.extend(table.systems.iter().map(|system| {
                let against =
                    Statement::new("published-against").name("system", system.system.clone());
                Column::number(words.sentence(&against))
            }));
        }
        columns
    }

    fn add(&self, row: &PublishedRow, of: &PublishedTable, table: &mut ShownTable, words: Words) {
        let cells: Vec<(usize, &PublishedCell)> = row
            .published
            .iter()
            .enumerate()
            .filter_map(|(column, cell)| Some((column, cell.as_ref()?)))
            .collect();
        let in_unit = |cell: &MeasuredCell| {
            let unit = cells.iter().find_map(|(_, published)| unit_of(published));
            unit.map_or_else(
                || show_count(cell.value),
                |(unit, is)| format!("{} {unit}", show_count(cell.value / is)),
            )
        };
        let run = row
            .measured
            .iter()
            .position(Option::is_some)
            .filter(|_| self.one_column);
        let yours = |row: &PublishedRow| -> Vec<String> {
            let text = |cell: &Option<MeasuredCell>| {
                cell.as_ref().map_or_else(|| MISSING.to_string(), in_unit)
            };
            match self.one_column {
                true => vec![
                    run.and_then(|run| row.measured.get(run))
                        .map_or_else(|| MISSING.to_string(), text),
                ],
                false => row.measured.iter().map(text).collect(),
            }
        };
        let change = |column: usize| {
            run.and_then(|run| row.measured.get(run)?.as_ref())
                .and_then(|cell| cell.ratios.get(column).copied().flatten())
                .map_or_else(
                    || MISSING.to_string(),
                    |ratio| match self.in_times {
                        true => times(ratio),
                        false => ratio_text(ratio, 0, words),
                    },
                )
        };
        let note = note(row, of, words);
        if self.side_by_side {
            let mut line = vec![row.row.clone()];
            line.extend(
                row.published
                    .iter()
                    .map(|cell| cell.as_ref().map_or_else(|| MISSING.to_string(), printed)),
            );
            line.extend(yours(row));
            line.extend((0..row.published.len()).map(change));
            table.table.rows.push(line);
            table.notes.push(note);
            return;
        }
        for (number, (column, cell)) in cells.iter().enumerate() {
            let first = number == 0;
            let mut line = vec![match first {
                true => row.row.clone(),
                false => String::new(),
            }];
            line.push(
                of.systems
                    .get(*column)
                    .map_or_else(String::new, |system| system.system.clone()),
            );
            line.push(printed(cell));
            line.extend(match first {
                true => yours(row),
                false => vec![String::new(); if self.one_column { 1 } else { of.runs.len() }],
            });
            if self.one_column {
                line.push(change(*column));
            }
            table.table.rows.push(line);
            table.notes.push(match number + 1 == cells.len() {
                true => note.clone(),
                false => String::new(),
            });
        }
    }
}

/// The steps beside a row, what was not as published, and the caveats of the publication.
fn note(row: &PublishedRow, of: &PublishedTable, words: Words) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (run, cell) in row.measured.iter().enumerate() {
        let Some(cell) = cell else { continue };
        let steps = match cell.steps.as_slice() {
            [only] => only.clone(),
            several => words.sentence(
                &Statement::new("published-mean-of-steps")
                    .count("count", several.len() as u64)
                    .name("first", several.first().map_or("", String::as_str))
                    .name("last", several.last().map_or("", String::as_str)),
            ),
        };
        parts.push(match of.runs.get(run).filter(|_| of.runs.len() > 1) {
            Some(label) => format!("{label}: {steps}"),
            None => steps,
        });
        if !cell.others.is_empty() {
            parts.push(words.sentence(
                &Statement::new("published-other-steps").count("count", cell.others.len() as u64),
            ));
        }
        parts.extend(cell.caveats.iter().map(|caveat| sentence(caveat, words)));
    }
    parts.join("; ")
}

/// A published unit without doubt: `KB/s` of 1,024 bytes are KiB/s.
fn unit_of(cell: &PublishedCell) -> Option<(String, f64)> {
    let (unit, is) = (cell.unit.as_ref()?, cell.unit_is?);
    let plain = match (unit.as_str(), is) {
        ("KB/s", 1024.0) => "KiB/s",
        ("MB/s", 1_048_576.0) => "MiB/s",
        ("Mbit/s", 131_072.0) => "Mibit/s",
        (unit, _) => unit,
    };
    let plain = with_micro_sign(&format!(" {plain}"));
    Some((plain.trim_start().to_string(), is))
}

/// A figure as printed, in its unit without doubt.
fn printed(cell: &PublishedCell) -> String {
    match (unit_of(cell), &cell.unit) {
        (Some((plain, _)), Some(unit)) => {
            cell.printed
                .replacen(&format!(" {unit}"), &format!(" {plain}"), 1)
        }
        _ => with_micro_sign(&cell.printed),
    }
}

/// A ratio as a factor: `×5.68`.
fn times(ratio: f64) -> String {
    format!("×{}", show_count(ratio))
}

/// What pinning gave, a line for each pair of steps.
fn pinning(pinning: &[Pinning], words: Words) -> Option<Table> {
    if pinning.is_empty() {
        return None;
    }
    let label = |id: &str| words.label(id);
    let both = |(free, pinned): (Option<f64>, Option<f64>), show: &dyn Fn(f64) -> String| {
        let text = |value: Option<f64>| value.map_or_else(|| MISSING.to_string(), show);
        format!("{} / {}", text(free), text(pinned))
    };
    let ratio = |held: &Pinning| {
        let Some(ratio) = held.ratio else {
            return MISSING.to_string();
        };
        let interval = held.interval.map(|(low, high)| {
            let between = Statement::new("compared-interval")
                .name("low", times(low))
                .name("high", times(high));
            format!(" ({})", words.sentence(&between))
        });
        times(ratio) + &interval.unwrap_or_default()
    };
    let row = |held: &Pinning| {
        vec![
            format!(
                "{} {} x {}",
                held.test,
                count(held.workers.into()),
                count(held.depth.into())
            ),
            both(held.iops, &show_count),
            ratio(held),
            both(held.cpu_ns, &show_time_ns),
            both(held.iops_per_core, &show_count),
            both(held.mean_ns, &show_time_ns),
        ]
    };
    Some(Table {
        columns: vec![
            Column::text(label("label-workers-times-depth")),
            Column::number(label("label-pinning-iops")),
            Column::number(format!(
                "{} ({})",
                label("label-change"),
                label("label-pinning-interval")
            )),
            Column::number(label("label-pinning-cpu")),
            Column::number(label("label-pinning-iops-per-core")),
            Column::number(label("label-pinning-latency")),
        ],
        rows: pinning.iter().map(row).collect(),
        note: label("label-pinning-note"),
    })
}
