//! What do all parts of a figure draw on? A growing SVG text, with the projections of both axes.

use super::axis::Projection;
use super::labels::{Rect, Room};

/// Width of every figure in pixels of its own; the page scales it.
pub const WIDTH: f64 = 920.0;
/// Size of all texts.
pub const FONT: f64 = 13.0;

/// A position with one decimal: a tenth of a pixel is finer than any screen.
pub fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
}

/// A figure being drawn.
pub struct Drawing {
    pub out: String,
    /// Area between the axes.
    pub plot: Rect,
    /// Free room for texts.
    pub room: Room,
    pub x: Projection,
    pub y: Projection,
    pub legend: bool,
    /// Lines have markers, if there are several.
    pub marked: bool,
    pub height: f64,
}
