//! Which figures of a comparison are shown if there is no room for all? Decided ones first, the rest in plan order.

use std::cmp::Ordering;

use plumb_model::results::comparison::{Cell, Comparison, Effect, Verdict};

/// One effect with its cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellRow<'a> {
    pub cell: &'a Cell,
    pub effect: &'a Effect,
}

/// Shown effects in plan order, and counts of the others.
#[derive(Debug, Default)]
pub(crate) struct Rows<'a> {
    pub shown: Vec<CellRow<'a>>,
    /// Better or worse, but not shown.
    pub decided_left_out: usize,
    /// Same or undecided, and not shown.
    pub others_left_out: usize,
}

impl CellRow<'_> {
    /// Decided better or worse.
    pub fn is_decided(&self) -> bool {
        matches!(self.effect.verdict, Verdict::Better | Verdict::Worse)
    }

    /// Distance of the ratio from 1, as the absolute value of its logarithm; 0 if there is none.
    pub fn size(&self) -> f64 {
        let size = self
            .effect
            .ratio
            .filter(|ratio| *ratio > 0.0)
            .map_or(0.0, |ratio| ratio.ln().abs());
        if size.is_finite() { size } else { 0.0 }
    }
}

/// All effects in the order of the plan.
pub(crate) fn all(comparison: &Comparison) -> impl Iterator<Item = CellRow<'_>> {
    comparison.cells.iter().flat_map(|cell| {
        cell.effects
            .iter()
            .map(move |effect| CellRow { cell, effect })
    })
}

/// The most important effect of each cell, in plan order.
pub(crate) fn one_per_cell(comparison: &Comparison) -> impl Iterator<Item = CellRow<'_>> {
    let rows = |cell| move |effect| CellRow { cell, effect };
    comparison
        .cells
        .iter()
        .filter_map(move |cell| cell.effects.iter().map(rows(cell)).min_by(more_telling))
}

/// Decided before undecided, then large before small.
pub(crate) fn more_telling(a: &CellRow, b: &CellRow) -> Ordering {
    b.is_decided()
        .cmp(&a.is_decided())
        .then(b.size().total_cmp(&a.size()))
}

/// At most this many better or worse ones, and at most this many others, in plan order.
pub(crate) fn in_order(comparison: &Comparison, decided_max: usize, others_max: usize) -> Rows<'_> {
    let mut rows = Rows::default();
    let (mut decided, mut others) = (0, 0);
    for row in all(comparison) {
        let (count, limit, left_out) = match row.is_decided() {
            true => (&mut decided, decided_max, &mut rows.decided_left_out),
            false => (&mut others, others_max, &mut rows.others_left_out),
        };
        if *count < limit {
            *count += 1;
            rows.shown.push(row);
        } else {
            *left_out += 1;
        }
    }
    rows
}

/// The most important ones: decided first, then the largest, at most `limit`; returned in plan order.
pub(crate) fn most_telling<'a>(rows: impl Iterator<Item = CellRow<'a>>, limit: usize) -> Rows<'a> {
    let mut ranked: Vec<(usize, CellRow)> = rows.enumerate().collect();
    ranked.sort_by(|(_, a), (_, b)| more_telling(a, b));
    let beyond = ranked.split_off(limit.min(ranked.len()));
    ranked.sort_by_key(|(place, _)| *place);
    let decided_left_out = beyond.iter().filter(|(_, row)| row.is_decided()).count();
    Rows {
        shown: ranked.into_iter().map(|(_, row)| row).collect(),
        decided_left_out,
        others_left_out: beyond.len() - decided_left_out,
    }
}
