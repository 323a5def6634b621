//! What is in the table of copy programs of the terminal, the page and Markdown?

use plumb_model::results::comparison::{Effect, Verdict};
use plumb_model::results::copies::{CopyFigures, CopyRow, CopyTable, Soundness};
use plumb_model::statement::{Argument, Statement};
use plumb_words::Words;
use plumb_words::numbers::show_count;

use crate::figure::{Column, ColumnKind, Table};
use crate::wording::MISSING;
use crate::wording::comparison::change_text;

/// The copied tree, in one line.
pub(crate) fn title(table: &CopyTable, words: Words) -> String {
    words.sentence(
        &Statement::new("copies-tree")
            .name("tree", &table.tree)
            .count("files", table.files)
            .bytes("size", table.bytes as f64),
    )
}

/// Legend of the signs.
fn legend(table: &CopyTable, detail: Detail, words: Words) -> String {
    let any = |of: fn(&CopyRow) -> bool| table.rows.iter().any(of);
    let speed = match any(|row| row.write.interval.is_some()) {
        true => "label-copies-speed-with-interval",
        false => "label-copies-speed",
    };
    let compared = any(|row| row.write.against_baseline.is_some());
    let change = Statement::new("copies-change-against").name("baseline", &table.baseline);
    let spoiled = any(|row| {
        row.write.spoiled_bytes_per_s.is_some() || row.read.spoiled_bytes_per_s.is_some()
    });
    let failed = any(|row| row.write.failed.is_some() || row.read.failed.is_some());
    let stable = any(|row| row.write.stable_bytes_per_s.is_some());
    let cpu = match detail {
        Detail::All => Some("label-copies-files-and-cpu"),
        Detail::Most => Some("label-copies-cpu"),
        Detail::Least => None,
    };
    words.sentences([
        Some(words.label(speed)),
        compared.then(|| words.sentence(&change)),
        spoiled.then(|| words.label("label-copies-in-brackets")),
        failed.then(|| words.label("label-copies-how-failed")),
        (detail == Detail::All && stable).then(|| words.label("label-copies-stable")),
        cpu.map(|label| words.label(label)),
    ])
}

/// Detail of the table, by available room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    All,
    /// Without the figures of stable storage and files.
    Most,
    /// Also without CPU.
    Least,
}

/// Longest baseline name that fits into a column title.
const BASELINE_LETTERS: usize = 8;

/// The table in this detail.
pub(crate) fn table(table: &CopyTable, detail: Detail, words: Words) -> Table {
    let wide = detail == Detail::All;
    let against = match table.baseline.chars().count() <= BASELINE_LETTERS && wide {
        true => words.sentence(&Statement::new("copies-against").name("baseline", &table.baseline)),
        false => words.label("label-change"),
    };
    let number = |label: &str| Column {
        title: words.label(label),
        kind: ColumnKind::Number,
    };
    let change_column = || Column {
        title: against.clone(),
        kind: ColumnKind::Number,
    };
    let mut columns = vec![
        Column::text(words.label("label-copies-program")),
        number("label-copies-write"),
        change_column(),
    ];
    let stable = table
        .rows
        .iter()
        .any(|row| row.write.stable_bytes_per_s.is_some());
    if wide && stable {
        columns.push(number("label-copies-stable-speed"));
    }
    columns.extend([number("label-copies-read"), change_column()]);
    if wide {
        columns.push(number("label-copies-files"));
    }
    if detail != Detail::Least {
        columns.push(number("label-copies-cpu-column"));
    }
    columns.push(number("label-copies-verified"));
    let row = |row: &CopyRow| {
        let mut cells = vec![
            program(row),
            speed(&row.write),
            change(row.write.against_baseline.as_ref(), words),
        ];
        if wide && stable {
            cells.push(megabytes(row.write.stable_bytes_per_s));
        }
        cells.extend([
            speed(&row.read),
            change(row.read.against_baseline.as_ref(), words),
        ]);
        if wide {
            cells.push(known(row.write.files_per_s, show_count));
        }
        if detail != Detail::Least {
            cells.push(known(row.write.cpu_s_per_gib, |cpu| format!("{cpu:.2}")));
        }
        cells.push(verified(row, words));
        cells
    };
    let mut rows: Vec<Vec<String>> = table.rows.iter().map(row).collect();
    // Without a second program there is no comparison.
    if table.rows.len() < 2 {
        drop_columns(&mut columns, &mut rows, &against);
    }
    Table {
        columns,
        rows,
        note: legend(table, detail, words),
    }
}

/// Removes the columns with this title.
fn drop_columns(columns: &mut Vec<Column>, rows: &mut [Vec<String>], title: &str) {
    let kept: Vec<bool> = columns.iter().map(|column| column.title != title).collect();
    for cells in rows {
        let mut place = 0;
        cells.retain(|_| {
            place += 1;
            kept[place - 1]
        });
    }
    columns.retain(|column| column.title != title);
}

/// The text of a figure, or a dash.
fn known(figure: Option<f64>, text: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| MISSING.into(), text)
}

fn program(row: &CopyRow) -> String {
    let mark = if is_bad(row) { "✗ " } else { "" };
    format!("{mark}{}", row.program)
}

/// True if a sentence is about this program.
pub(crate) fn is_about(statement: &Statement, row: &CopyRow) -> bool {
    matches!(statement.arguments.get("program"), Some(Argument::Name(name)) if *name == row.program)
}

/// True if the program damaged data or failed.
pub(crate) fn is_bad(row: &CopyRow) -> bool {
    row.soundness <= Soundness::NotRun
}

fn megabytes(bytes_per_s: Option<f64>) -> String {
    bytes_per_s.map_or_else(|| MISSING.into(), |speed| show_count(speed / 1e6))
}

/// `480 [456–504]`, the 95 % interval in square brackets; in parentheses the speed of damaged copies; `exit 3` for a program that failed, which has no speed.
fn speed(figures: &CopyFigures) -> String {
    let (Some(value), interval) = (figures.bandwidth_bytes_per_s, figures.interval) else {
        let failed = || {
            figures
                .failed
                .as_ref()
                .map_or_else(|| MISSING.into(), |failed| failed.replace('-', " "))
        };
        return figures
            .spoiled_bytes_per_s
            .map_or_else(failed, |speed| format!("({})", show_count(speed / 1e6)));
    };
    let text = show_count(value / 1e6);
    match interval {
        Some((low, high)) if low > 0.0 && high.is_finite() => {
            format!(
                "{text} [{}–{}]",
                show_count(low / 1e6),
                show_count(high / 1e6)
            )
        }
        _ => text,
    }
}

fn change(effect: Option<&Effect>, words: Words) -> String {
    let Some(effect) = effect else {
        return String::new();
    };
    let mark = match effect.verdict {
        Verdict::Better => "▲",
        Verdict::Worse => "▼",
        Verdict::Same => "=",
        Verdict::Undecided if effect.ratio.is_none() => return MISSING.into(),
        Verdict::Undecided => "?",
    };
    format!("{mark} {}", change_text(effect, words))
}

fn verified(row: &CopyRow, words: Words) -> String {
    let sum = |of: fn(&CopyFigures) -> u32| of(&row.write) + of(&row.read);
    let (copies, whole, checked) = (
        sum(|figures| figures.copies),
        sum(|figures| figures.intact),
        sum(|figures| figures.checked),
    );
    let count = match row.soundness {
        Soundness::NotRun => return MISSING.into(),
        Soundness::Unchecked if checked == 0 => return words.label("label-copies-not-verified"),
        Soundness::Damaged | Soundness::Failed => copies - whole,
        Soundness::Unchecked => checked,
        Soundness::Intact => whole,
    };
    let by_reflinks = row.write.shared + row.read.shared > 0;
    let statement = Statement::new(match row.soundness {
        Soundness::Damaged => "copies-counted-bad",
        Soundness::Failed => "copies-counted-failed",
        Soundness::Unchecked => "copies-counted-only-checked",
        _ if by_reflinks => "copies-counted-whole-by-reflinks",
        _ => "copies-counted-whole",
    })
    .count("number", u64::from(count))
    .count("copies", u64::from(copies));
    words.sentence(&statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_failed_shows_how_and_no_speed() {
        let failed = CopyFigures {
            copies: 2,
            failed: Some("exit-3".into()),
            ..CopyFigures::default()
        };
        assert_eq!(speed(&failed), "exit 3");
        assert_eq!(
            speed(&CopyFigures {
                spoiled_bytes_per_s: Some(5e6),
                ..failed.clone()
            }),
            "(5)"
        );
        assert_eq!(speed(&CopyFigures::default()), MISSING);
        let row = CopyRow {
            letter: "B".into(),
            program: "bad".into(),
            command: "false".into(),
            soundness: Soundness::Failed,
            write: failed.clone(),
            read: failed,
        };
        let shown = table(
            &CopyTable {
                rows: vec![row],
                ..CopyTable::default()
            },
            Detail::Most,
            Words::english(),
        );
        assert_eq!(shown.rows[0][..3], ["✗ bad", "exit 3", "exit 3"]);
        assert!(
            shown.note.contains("it has no speed") && !shown.note.contains("in brackets"),
            "{}",
            shown.note
        );
    }
}
