//! How are bars drawn, with the range of their rounds and their values?

use std::fmt::Write;

use super::drawing::{Drawing, px};
use super::labels::{Rect, text_width};
use crate::escape::escape;
use crate::figure::{Bar, Figure, Mark};
use crate::wording::MISSING;

/// Font size of the values at bars.
const LABEL: f64 = 11.5;
/// Minimum height of a bar with a value: a small value stays visible.
const LEAST_PX: f64 = 2.0;
/// Height of a bar from which its value fits inside, at its foot.
const FOOT_PX: f64 = 24.0;

/// Position of bars within their category.
struct Lanes {
    count: usize,
    width: f64,
    slot: f64,
    /// Bars of one category begin where others end: their values are not written.
    stacked: bool,
}

impl Drawing {
    /// Bars side by side in their category, with whiskers and values.
    pub(super) fn bars(&mut self, figure: &Figure) {
        let groups: Vec<(usize, usize, &Vec<Bar>)> = figure
            .marks
            .iter()
            .enumerate()
            .filter_map(|(place, mark)| match mark {
                Mark::Bars { hue, bars, .. } => Some((place, *hue, bars)),
                _ => None,
            })
            .collect();
        if groups.is_empty() {
            return;
        }
        let slot = self.x.slot_px();
        let all = || groups.iter().flat_map(|(_, _, bars)| bars.iter());
        // A single bar is centered in its category, and so are bars that begin where others end.
        let mut places: Vec<(usize, u64)> = all()
            .map(|bar| (bar.category, bar.base.to_bits()))
            .collect();
        let bars_drawn = places.len();
        places.sort_unstable();
        places.dedup();
        let count = match places.len() == bars_drawn {
            true => 1,
            false => groups.len(),
        };
        let mut categories: Vec<usize> = all().map(|bar| bar.category).collect();
        categories.sort_unstable();
        categories.dedup();
        let lanes = Lanes {
            count,
            width: (slot * 0.8 / count as f64).min(76.0),
            slot,
            stacked: categories.len() < places.len(),
        };
        for (lane, (mark, hue, bars)) in groups.into_iter().enumerate() {
            let _ = write!(self.out, "<g class=\"mark\" data-m=\"{mark}\">");
            let shift = match count {
                1 => 0.0,
                _ => (lane as f64 - (count as f64 - 1.0) / 2.0) * lanes.width,
            };
            for bar in bars {
                self.bar(hue, bar, shift, &lanes);
            }
            // A missing bar means that nothing was measured: no foot of a bar of 0.
            let absent = |category: &&usize| !bars.iter().any(|bar| bar.category == **category);
            for category in categories.iter().filter(absent).filter(|_| count > 1) {
                if let Some(centre) = self.x.place(*category as f64) {
                    let foot = self.plot.y + self.plot.height - 4.0;
                    self.text("bar-absent tick", "middle", centre + shift, foot, MISSING);
                }
            }
            self.out += "</g>";
        }
    }

    fn bar(&mut self, hue: usize, bar: &Bar, shift: f64, lanes: &Lanes) {
        let (Some(centre), Some(end)) =
            (self.x.place(bar.category as f64), self.y.place(bar.value))
        else {
            return;
        };
        let base = match bar.base == 0.0 {
            true => self.y.base_px(),
            false => self.y.place(bar.base).unwrap_or(self.y.base_px()),
        };
        let (mut top, bottom) = (end.min(base), end.max(base));
        if bar.value != bar.base {
            top = top.min(bottom - LEAST_PX);
        }
        let (x, width) = (centre + shift, lanes.width * 0.92);
        let _ = write!(
            self.out,
            "<rect class=\"bar c{hue}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\"><title>{}</title></rect>",
            px(x - width / 2.0),
            px(top),
            px(width),
            px(bottom - top),
            escape(&bar.label)
        );
        if lanes.stacked {
            return;
        }
        let whisker = self.whisker(x, width, bar.range);
        let room = match lanes.count {
            1 => lanes.slot,
            _ => width,
        };
        self.bar_label(&bar.label, (x, room), (top, bottom), whisker);
    }

    /// The value of a bar: above it, or at its foot if there is a whisker; never at the end of the whisker, which is another value.
    fn bar_label(
        &mut self,
        label: &str,
        (x, room): (f64, f64),
        (top, bottom): (f64, f64),
        whisker: Option<(f64, f64)>,
    ) {
        let width = text_width(label, LABEL);
        let mut place = (x, top - 6.0, "middle", "bar-label tick");
        if let Some((low, _)) = whisker {
            // Inside, below the lower end of the whisker, else beside the whisker.
            place = match bottom - low.max(top) >= FOOT_PX && width <= room - 6.0 {
                true => (x, bottom - 7.0, "middle", "bar-label inside"),
                false => (x + 9.0, top - 5.0, "start", "bar-label tick halo"),
            };
        }
        let left = match place.2 {
            "middle" => place.0 - width / 2.0,
            _ => place.0,
        };
        let rect = Rect {
            x: left,
            y: place.1 - LABEL,
            width,
            height: LABEL * 1.15,
        };
        let fits = match place.2 {
            "middle" => width <= room - 2.0,
            _ => left + width <= self.plot.x + self.plot.width + 20.0,
        };
        if fits && self.room.is_free(&rect) {
            self.room.take(rect);
            self.text(place.3, place.2, place.0, place.1, label);
        }
    }

    /// The range of the rounds as a line with ends; returns its lower and upper end.
    fn whisker(&mut self, x: f64, width: f64, range: Option<(f64, f64)>) -> Option<(f64, f64)> {
        let (low, high) = range?;
        let (low, high) = (self.y.place(low)?, self.y.place(high)?);
        let half = (width * 0.16).min(7.0);
        let (left, right) = (px(x - half), px(x + half));
        let (middle, low_text, high_text) = (px(x), px(low), px(high));
        let _ = write!(
            self.out,
            "<path class=\"whisker\" d=\"M{left},{high_text} H{right} M{middle},{high_text} V{low_text} M{left},{low_text} H{right}\"/>"
        );
        self.room.take(Rect {
            x: x - half,
            y: high,
            width: 2.0 * half,
            height: (low - high).abs().max(1.0),
        });
        Some((low, high))
    }
}
