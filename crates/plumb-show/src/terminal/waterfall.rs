//! How are layers printed? The layers, one table of all, then each step with the cost of every layer.

use plumb_model::results::waterfall::{LayeredStep, Waterfall};

use super::layout::{Cells, printable, wrapped};
use super::{Page, Tone};
use crate::figure::Table;
use crate::wording::waterfall::{
    DROPPED, layer_facts, layers_title, method_text, overview, step_table, step_title,
};
use crate::wording::{sentence, sentence_texts};

/// The waterfall as text.
pub fn waterfall_text(waterfall: &Waterfall, page: Page) -> String {
    let mut out = page.tone(
        Tone::Strong,
        &printable(&layers_title(waterfall, page.words)),
    ) + "\n";
    let widest = waterfall
        .layers
        .iter()
        .map(|layer| layer.name.chars().count())
        .max()
        .unwrap_or(0);
    for layer in &waterfall.layers {
        let name = super::layout::padded(&printable(&layer.name), widest);
        out += &wrapped(
            &layer_facts(waterfall, layer, page.words),
            &format!("  {name}  "),
            &" ".repeat(widest + 4),
            page.width,
        );
        for doubt in &layer.doubts {
            out += &page.tone(
                Tone::Warning,
                wrapped(&sentence(doubt, page.words), "    ? ", "      ", page.width).trim_end(),
            );
            out.push('\n');
        }
    }
    out += &heading(&page.words.label("label-layers-where-it-goes"), page);
    out += &laid_out(overview(waterfall, page.words), page);
    out += &heading(&page.words.label("label-verdict"), page);
    for sentence in sentence_texts(&waterfall.verdict, page.words) {
        out += &wrapped(&sentence, "  • ", "    ", page.width);
    }
    if waterfall.verdict.is_empty() {
        let nothing = page.words.label("label-layers-nothing");
        out += &wrapped(&nothing, "  ", "  ", page.width);
    }
    for step in &waterfall.steps {
        out += &of_step(waterfall, step, page);
    }
    if !waterfall.remarks.is_empty() {
        out += &heading(&page.words.label("label-to-keep-in-mind"), page);
        for remark in &waterfall.remarks {
            out += &wrapped(&sentence(remark, page.words), "  • ", "    ", page.width);
        }
    }
    out.push('\n');
    for sentence in method_text(waterfall, page.words) {
        out += &page.tone(
            Tone::Quiet,
            wrapped(&sentence, "", "  ", page.width).trim_end(),
        );
        out.push('\n');
    }
    out
}

fn heading(text: &str, page: Page) -> String {
    format!("\n{}\n", page.tone(Tone::Strong, &printable(text)))
}

fn of_step(waterfall: &Waterfall, step: &LayeredStep, page: Page) -> String {
    let table = step_table(waterfall, step, page.words);
    let note = table.note.clone();
    let mut out = heading(&step_title(step, page.words), page) + &laid_out(table, page);
    if !note.is_empty() {
        out += &page.tone(
            Tone::Quiet,
            wrapped(&note, "  ? ", "    ", page.width).trim_end(),
        );
        out.push('\n');
    }
    out
}

/// The table, with fewer columns on a narrow terminal.
fn laid_out(mut table: Table, page: Page) -> String {
    let room = page.width.saturating_sub(2);
    for dropped in DROPPED.map(|label| page.words.label(label)) {
        if cells(&table).width() <= room {
            break;
        }
        if let Some(at) = table
            .columns
            .iter()
            .position(|column| column.title == dropped)
        {
            table.columns.remove(at);
            table.rows.iter_mut().for_each(|row| drop(row.remove(at)));
        }
    }
    let mut out = String::new();
    for (place, line) in cells(&table).lines(room).into_iter().enumerate() {
        let line = format!("  {line}");
        out += &if place == 0 {
            page.tone(Tone::Quiet, &line)
        } else {
            line
        };
        out.push('\n');
    }
    out
}

fn cells(table: &Table) -> Cells {
    let titles = table
        .columns
        .iter()
        .map(|column| column.title.clone())
        .collect();
    let printed = table
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| printable(cell)).collect());
    Cells(std::iter::once(titles).chain(printed).collect())
}
