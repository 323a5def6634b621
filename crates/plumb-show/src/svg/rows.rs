//! How are values on rows, intervals and straight lines drawn?

use std::fmt::Write;

use super::drawing::{Drawing, px};
use super::labels::{Rect, text_width};
use crate::escape::escape;
use crate::figure::{Figure, Mark, RowValue, Scale, Shape, Whisker};

/// Height of a lane, and extra height of a row.
const LANE_PX: f64 = 10.0;
const ROW_MARGIN_PX: f64 = 8.0;
/// Minimum height of a row: a line of text.
const ROW_MIN_PX: f64 = 19.0;
/// Height of the plot from which it has ticks above it too.
pub(super) const TALL_PX: f64 = 500.0;
/// Half the length of the end of a whisker.
const WHISKER_END_PX: f64 = 4.0;

/// Height of the plot of a figure with values on rows; `None` for other figures.
pub(super) fn rows_height(figure: &Figure) -> Option<f64> {
    let lanes = figure
        .marks
        .iter()
        .filter_map(|mark| {
            if let Mark::Rows { lanes, .. } = mark {
                Some(*lanes)
            } else {
                None
            }
        })
        .max()?;
    let Scale::Categories(rows) = &figure.y.scale else {
        return None;
    };
    let row = (lanes as f64 * LANE_PX + ROW_MARGIN_PX).max(ROW_MIN_PX);
    Some(rows.len().max(1) as f64 * row)
}

/// The widest text at the right end of a row.
pub(super) fn widest_row_text(figure: &Figure, size_px: f64) -> f64 {
    let texts = figure.marks.iter().flat_map(|mark| {
        if let Mark::Rows { values, .. } = mark {
            values.as_slice()
        } else {
            &[]
        }
    });
    texts
        .map(|value| text_width(&value.text, size_px))
        .fold(0.0, f64::max)
}

impl Drawing {
    /// Straight lines across the plot.
    pub(super) fn rules(&mut self, figure: &Figure) {
        let (left, top) = (self.plot.x, self.plot.y);
        let (right, bottom) = (left + self.plot.width, top + self.plot.height);
        for mark in &figure.marks {
            let Mark::Rule {
                at,
                upright,
                strong,
                label,
            } = mark
            else {
                continue;
            };
            let class = if *strong { "rule" } else { "grid" };
            let Some(place) = (if *upright {
                self.x.place(*at)
            } else {
                self.y.place(*at)
            }) else {
                continue;
            };
            let (x1, x2, y1, y2) = if *upright {
                (place, place, top, bottom)
            } else {
                (left, right, place, place)
            };
            let _ = write!(
                self.out,
                "<line class=\"{class}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                px(x1),
                px(x2),
                px(y1),
                px(y2)
            );
            if *upright && !label.is_empty() {
                self.rule_label(place, label);
            }
        }
    }

    /// The label of a vertical line: next to its upper end, or lower if there is no room.
    fn rule_label(&mut self, x: f64, label: &str) {
        for step in 0..4 {
            let y = self.plot.y + 12.0 + f64::from(step) * 16.0;
            if let Some((x, y)) = self.room.place_near((x, y), label, 11.0, true) {
                self.text("span-name halo", "start", x, y, label);
                return;
            }
        }
    }

    /// Values on their rows, with their intervals and the texts at the right end.
    pub(super) fn row_values(
        &mut self,
        hue: usize,
        shape: Shape,
        lane: (usize, usize),
        values: &[RowValue],
    ) {
        let slot = self.y.slot_px();
        let lanes = lane.1.max(1) as f64;
        let height = ((slot - ROW_MARGIN_PX) / lanes).max(1.0);
        for value in values {
            let (Some(x), Some(middle)) =
                (self.x.place(value.value), self.y.place(value.row as f64))
            else {
                continue;
            };
            let top = middle - height * lanes / 2.0 + lane.0 as f64 * height;
            // Specks keep a margin to the edges of their lane, so that lanes are separate.
            let y = top + height * (0.15 + 0.7 * value.shift.clamp(0.0, 1.0));
            if let Some((low, high)) = value
                .range
                .and_then(|(low, high)| Some((self.x.place(low)?, self.x.place(high)?)))
            {
                let _ = write!(
                    self.out,
                    "<path class=\"interval c{hue}\" d=\"M{},{} H{}\"/>",
                    px(low),
                    px(y),
                    px(high)
                );
            }
            self.row_shape(hue, shape, (x, y), height, &value.hover);
            if !value.text.is_empty() {
                let right = self.plot.x + self.plot.width;
                self.text(
                    &format!("c{hue}"),
                    "start",
                    right + 10.0,
                    middle + 4.5,
                    &value.text,
                );
            }
        }
    }

    fn row_shape(&mut self, hue: usize, shape: Shape, place: (f64, f64), height: f64, hover: &str) {
        let title = if hover.is_empty() {
            String::new()
        } else {
            format!("<title>{}</title>", escape(hover))
        };
        let (x, y) = (px(place.0), px(place.1));
        let (class, radius) = match shape {
            Shape::Dot => ("dot", 4.6),
            Shape::Ring => ("hollow", 4.0),
            Shape::Speck => ("speck", 2.6),
            Shape::Stroke => {
                let (above, length) = (px(place.1 - height * 0.5), px(height));
                let _ = write!(
                    self.out,
                    "<path class=\"middle c{hue}\" d=\"M{x},{above} v{length}\">{title}</path>"
                );
                return;
            }
        };
        let _ = write!(
            self.out,
            "<circle class=\"{class} c{hue}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\">{title}</circle>"
        );
    }

    /// Vertical intervals with ends.
    pub(super) fn whiskers(&mut self, hue: usize, whiskers: &[Whisker]) {
        for whisker in whiskers {
            let places = (
                self.x.place(whisker.x),
                self.y.place(whisker.low),
                self.y.place(whisker.high),
            );
            let (Some(x), Some(low), Some(high)) = places else {
                continue;
            };
            let (left, right) = (px(x - WHISKER_END_PX), px(x + WHISKER_END_PX));
            let (middle, low_text, high_text) = (px(x), px(low), px(high));
            let _ = write!(
                self.out,
                "<path class=\"interval thin c{hue}\" d=\"M{left},{high_text} H{right} M{middle},{high_text} V{low_text} M{left},{low_text} H{right}\"/>"
            );
            self.room.take(Rect {
                x: x - WHISKER_END_PX,
                y: high,
                width: 2.0 * WHISKER_END_PX,
                height: (low - high).abs().max(1.0),
            });
        }
    }
}
