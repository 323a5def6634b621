//! How is a table written as HTML?

use std::fmt::Write;

use crate::escape::escape;
use crate::figure::{ColumnKind, Table};
use crate::wording::MISSING;

/// A table that scrolls horizontally if the page is too narrow. Columns without values are left out.
pub(super) fn html(table: &Table) -> String {
    let mut out = String::from("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>");
    let class = |place: usize| match table.columns.get(place).map(|column| column.kind) {
        Some(ColumnKind::Number) => " class=\"n\"",
        Some(ColumnKind::Prose) => " class=\"p\"",
        _ => "",
    };
    let empty = |place: usize| {
        let cells = || table.rows.iter().filter_map(|row| row.get(place));
        place > 0 && cells().all(|cell| cell.is_empty() || cell == MISSING)
    };
    let kept: Vec<usize> = (0..table.columns.len())
        .filter(|place| !empty(*place))
        .collect();
    for place in &kept {
        let _ = write!(
            out,
            "<th scope=\"col\"{}>{}</th>",
            class(*place),
            escape(&table.columns[*place].title)
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (place, cell) in kept
            .iter()
            .filter_map(|place| Some((*place, row.get(*place)?)))
        {
            let (open, close) = if place == 0 {
                ("<th scope=\"row\"", "</th>")
            } else {
                ("<td", "</td>")
            };
            let _ = write!(out, "{open}{}>{}{close}", class(place), escape(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    if !table.note.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&table.note));
    }
    out
}

/// A folded table with a summary line.
pub(super) fn folded(heading: &str, table: &Table, open: bool) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let open = if open { " open" } else { "" };
    format!(
        "<details{open}><summary>{}</summary>\n{}</details>\n",
        escape(heading),
        html(table)
    )
}
