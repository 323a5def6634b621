//! How is a run of many ranks printed? One line per step and host.

use plumb_model::results::summary::Summary;
use plumb_model::statement::Statement;

use super::layout::{Cells, printable};
use super::{Page, Tone};
use crate::figure::Table;
use crate::tables::ranks::{hosts, machines};

/// Most hosts shown over all steps; the page has all.
const LINES_MAX: usize = 40;

/// Empty for a run of one process.
pub fn ranks_text(summary: &Summary, page: Page) -> String {
    let Some(ranks) = &summary.ranks else {
        return String::new();
    };
    let title = Statement::new("ranks-on-hosts")
        .count("ranks", u64::from(ranks.ranks))
        .count("hosts", u64::from(ranks.hosts))
        .name("carrier", &ranks.carrier);
    let table = hosts(summary, page.words);
    let mut out = lines(&page.words.sentence(&title), &table, page);
    if let Some(machines) = machines(summary, page.words) {
        out.push('\n');
        out += &lines(&page.words.label("label-machines"), &machines, page);
    }
    out
}

/// One line per row, if there are not too many.
fn lines(title: &str, table: &Table, page: Page) -> String {
    let head = table.columns.iter().map(|column| column.title.clone());
    let rows = table.rows.iter().take(LINES_MAX).map(|row| {
        let cells = row.iter().map(|cell| printable(cell));
        cells.collect::<Vec<String>>()
    });
    let cells = Cells(std::iter::once(head.collect()).chain(rows).collect());
    let mut out = page.tone(Tone::Strong, title) + "\n";
    for (place, line) in cells.lines(page.width).into_iter().enumerate() {
        out += &match place {
            0 => page.tone(Tone::Quiet, &line),
            _ => line,
        };
        out.push('\n');
    }
    let more = table.rows.len().saturating_sub(LINES_MAX);
    if more > 0 {
        let more = Statement::new("ranks-more-on-page").count("count", more as u64);
        out += &format!("{}\n", page.words.sentence(&more));
    }
    out
}
