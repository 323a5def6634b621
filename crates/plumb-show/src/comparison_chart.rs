//! What is a chart of a comparison? Figures that answer one question about the sides, if the comparison has the data.

use plumb_model::results::comparison::{Cell, Comparison, ComparisonPlots};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::figure::{Axis, Figure, HUES, Mark, Quantity, Scale};
use crate::terminal::shortened;
use crate::wording::comparison::figure_name;

/// Input of a chart of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonSubject<'a> {
    pub comparison: &'a Comparison,
    pub plots: &'a ComparisonPlots,
    /// The language.
    pub words: Words,
}

/// One chart of a comparison.
pub struct ComparisonChart {
    /// Name of its file.
    pub name: &'static str,
    /// The question it answers, in one sentence.
    pub question: &'static str,
    /// Draws it, in one or several figures; none if the comparison has nothing to draw.
    pub figures: fn(&ComparisonSubject) -> Vec<Figure>,
}

/// Number of sides with distinguishable colors; further ones are only in the tables.
pub(crate) const SIDES_DRAWN: usize = 8;
/// Characters of the name of a row.
const ROW_NAME: usize = 44;

/// The color of a side, the same in every figure.
pub(crate) fn hue_of(side: usize) -> usize {
    side % HUES
}

/// The name of a side in a figure: `A /mnt/ext4`.
pub(crate) fn side_name(comparison: &Comparison, side: usize) -> String {
    comparison.sides.get(side).map_or_else(
        || "?".into(),
        |side| format!("{} {}", side.letter, shortened(&side.label, 32)),
    )
}

/// A sentence for the caption about sides that are not drawn; none if all are.
pub(crate) fn sides_left_out(comparison: &Comparison, words: Words) -> Option<String> {
    let sides = comparison.sides.len();
    (sides > SIDES_DRAWN).then(|| {
        words.sentence(
            &Statement::new("compared-sides-drawn")
                .count("sides", sides as u64)
                .count("drawn", SIDES_DRAWN as u64),
        )
    })
}

/// Names of rows: the step before its first row, then only what differs; and rules between steps.
pub(crate) fn row_names(rows: &[(&str, String)]) -> (Vec<String>, Vec<Mark>) {
    let mut names = Vec::new();
    let mut rules = Vec::new();
    for (place, (step, figure)) in rows.iter().enumerate() {
        let first = place == 0 || rows[place - 1].0 != *step;
        let room = ROW_NAME.saturating_sub(figure.chars().count() + 3).max(16);
        names.push(if first {
            format!("{} · {figure}", shortened(step, room))
        } else {
            figure.clone()
        });
        if first && place > 0 {
            rules.push(Mark::Rule {
                at: place as f64 - 0.5,
                upright: false,
                strong: false,
                label: String::new(),
            });
        }
    }
    (names, rules)
}

/// The axis of ratios to the baseline, with the band that counts as the same and a line at no change.
pub(crate) fn ratio_axis(comparison: &Comparison, label: String) -> (Axis, [Mark; 2]) {
    let threshold = 1.0 + comparison.method.threshold.max(0.0);
    let band = Mark::Span {
        // The caption explains it: a label would overlap the first row.
        label: String::new(),
        from: 1.0 / threshold,
        to: threshold,
    };
    let axis = Axis {
        label,
        quantity: Quantity::Ratio,
        scale: Scale::Logarithmic,
    };
    (
        axis,
        [
            band,
            Mark::Rule {
                at: 1.0,
                upright: true,
                strong: true,
                label: String::new(),
            },
        ],
    )
}

/// The axis of rows.
pub(crate) fn rows_axis(names: Vec<String>) -> Axis {
    Axis {
        label: String::new(),
        quantity: Quantity::Category,
        scale: Scale::Categories(names),
    }
}

/// Full name of a cell: `random-read depth=32, p99`.
pub(crate) fn cell_name(cell: &Cell) -> String {
    format!("{}, {}", cell.step, figure_name(cell))
}
