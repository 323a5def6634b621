//! How is each kind of mark drawn?

use std::fmt::Write;

use super::drawing::{Drawing, FONT, px};
use super::labels::{Rect, text_height, text_width};
use super::markers::marker;
use crate::escape::escape;
use crate::figure::{Figure, HUES, Mark, Point, Quantity, Stroke};

/// Most points of a line that get a hover text each.
const HOVERED_POINTS: usize = 200;
/// Color steps of a heat map: one path each keeps the page small for any number of cells.
const LEVELS: usize = 20;

/// The class of a stroke.
pub(super) fn stroke_class(stroke: Stroke) -> &'static str {
    match stroke {
        Stroke::Solid => "solid",
        Stroke::Dashed => "dashed",
        Stroke::Dotted => "dotted",
    }
}

/// The first, lowest, highest and last of a stretch, each once, in order.
pub(super) fn extremes<T>(part: &[T], height: impl Fn(&T) -> f64) -> Vec<&T> {
    let places = 0..part.len();
    let by_height = |a: &usize, b: &usize| height(&part[*a]).total_cmp(&height(&part[*b]));
    // NaN would be the highest.
    let finite = |place: &usize| height(&part[*place]).is_finite();
    let mut kept: Vec<usize> = [
        places.clone().next(),
        places.clone().filter(finite).min_by(by_height),
        places.clone().filter(finite).max_by(by_height),
        places.clone().next_back(),
    ]
    .into_iter()
    .flatten()
    .collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|place| &part[place]).collect()
}

/// Keeps the visible points of a line: of all points in one half pixel the first, lowest, highest and last.
fn thinned(piece: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for column in piece.chunk_by(|a, b| (a.0 * 2.0).floor() == (b.0 * 2.0).floor()) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let four = [
            column.first(),
            column.iter().min_by(by_height),
            column.iter().max_by(by_height),
            column.last(),
        ];
        let from = kept.len();
        for point in four.into_iter().flatten() {
            if !kept[from..].contains(point) {
                kept.push(*point);
            }
        }
    }
    kept
}

impl Drawing {
    /// Shades every other named span and writes the names that fit.
    pub(super) fn spans(&mut self, figure: &Figure) {
        let spans = figure.marks.iter().filter_map(|mark| match mark {
            Mark::Span { label, from, to } => Some((label, *from, *to)),
            _ => None,
        });
        let (top, height) = (self.plot.y, self.plot.height);
        for (at, (label, from, to)) in spans.enumerate() {
            let (Some(left), Some(right)) = (self.x.place(from), self.x.place(to)) else {
                continue;
            };
            let class = if at % 2 == 0 {
                "shade"
            } else {
                "shade\" fill-opacity=\"0"
            };
            let _ = write!(
                self.out,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
                px(left),
                px(top),
                px((right - left).max(0.0)),
                px(height),
                escape(label)
            );
            if right - left > text_width(label, 11.0) + 8.0 {
                self.text("span-name", "start", left + 4.0, top + 12.0, label);
                self.room.take(Rect {
                    x: left,
                    y: top,
                    width: text_width(label, 11.0) + 8.0,
                    height: 16.0,
                });
            }
        }
    }

    /// A line with its gaps; a point between two gaps becomes a dot.
    pub(super) fn line(
        &mut self,
        hue: usize,
        stroke: Stroke,
        points: &[Point],
        dots: bool,
        ringed: Option<usize>,
    ) {
        let places = self.places(points);
        let mut path = String::new();
        let mut alone = Vec::new();
        for piece in places.split(Option::is_none) {
            let piece = thinned(&piece.iter().flatten().copied().collect::<Vec<_>>());
            if let [only] = piece.as_slice() {
                alone.push(*only);
                continue;
            }
            for (at, (x, y)) in piece.iter().enumerate() {
                let _ = write!(
                    path,
                    "{}{},{}",
                    if at == 0 { "M" } else { " " },
                    px(*x),
                    px(*y)
                );
            }
            for pair in piece.windows(2) {
                self.room.take_line(pair[0], pair[1]);
            }
        }
        let class = stroke_class(stroke);
        if !path.is_empty() {
            let _ = write!(
                self.out,
                "<path class=\"stroke {class} c{hue}\" d=\"{path}\"/>"
            );
        }
        self.stalls(hue, points);
        if dots {
            self.dots(hue, points, &places, ringed);
        } else {
            // A hundred thousand dots at one position look like one: thinned as for lines.
            for place in thinned(&alone) {
                self.out += &marker(hue, place, 3.0, "");
            }
            if self.marked {
                self.markers_along(hue, &places);
            }
        }
    }

    /// A value of 0 has no position on a logarithmic axis: a stroke at its lower edge, as long as the stall.
    fn stalls(&mut self, hue: usize, points: &[Point]) {
        if !self.y.is_logarithmic() {
            return;
        }
        let edge = self.y.base_px();
        let stalled = |point: &Point| {
            let is_none = point.y.is_some_and(|value| value <= 0.0);
            is_none.then(|| self.x.place(point.x)).flatten()
        };
        let places: Vec<Option<f64>> = points.iter().map(stalled).collect();
        let mut path = String::new();
        for piece in places.split(Option::is_none) {
            if let (Some(Some(first)), Some(Some(last))) = (piece.first(), piece.last()) {
                let (from, length) = (first - 2.0, last - first + 4.0);
                let _ = write!(path, "M{},{}h{}", px(from), px(edge), px(length));
            }
        }
        if !path.is_empty() {
            let _ = write!(self.out, "<path class=\"stall c{hue}\" d=\"{path}\"/>");
        }
    }

    /// A few markers along a line, so that it is distinguishable without color.
    fn markers_along(&mut self, hue: usize, places: &[Option<(f64, f64)>]) {
        let apart = self.plot.width / 6.0;
        // Overlapping lines have their markers at different positions.
        let mut next = self.plot.x + apart * (0.2 + 0.8 * hue as f64 / HUES as f64);
        for (x, y) in places.iter().flatten() {
            if *x >= next {
                self.out += &marker(hue, (*x, *y), 3.6, "");
                let (left, top) = (x - 4.0, y - 4.0);
                self.room.take(Rect {
                    x: left,
                    y: top,
                    width: 8.0,
                    height: 8.0,
                });
                next = x + apart;
            }
        }
    }

    /// Positions of the points of a line; `None` for those without one.
    fn places(&self, points: &[Point]) -> Vec<Option<(f64, f64)>> {
        points
            .iter()
            .map(|point| Some((self.x.place(point.x)?, self.y.place(point.y?)?)))
            .collect()
    }

    fn dots(
        &mut self,
        hue: usize,
        points: &[Point],
        places: &[Option<(f64, f64)>],
        ringed: Option<usize>,
    ) {
        for (at, (point, place)) in points.iter().zip(places).enumerate() {
            let Some((x, y)) = place else { continue };
            let hover = match at > HOVERED_POINTS {
                true => "",
                false => point.hover.as_str(),
            };
            self.out += &marker(hue, (*x, *y), 4.5, hover);
            self.room.take(Rect {
                x: x - 5.0,
                y: y - 5.0,
                width: 10.0,
                height: 10.0,
            });
            if ringed == Some(at) {
                let _ = write!(
                    self.out,
                    "<circle class=\"ring c{hue}\" cx=\"{}\" cy=\"{}\" r=\"9\"/>",
                    px(*x),
                    px(*y)
                );
                self.room.take(Rect {
                    x: x - 9.0,
                    y: y - 9.0,
                    width: 18.0,
                    height: 18.0,
                });
            }
        }
    }

    /// Writes the name of each line next to its last point; false if one does not fit.
    pub(super) fn names_at_lines(&mut self, figure: &Figure) -> bool {
        let named: Vec<(usize, &String, usize, &Vec<Point>)> = figure
            .marks
            .iter()
            .enumerate()
            .filter_map(|(place, mark)| match mark {
                Mark::Line {
                    name, hue, points, ..
                } if !name.is_empty() => Some((place, name, *hue, points)),
                _ => None,
            })
            .collect();
        for (mark, name, hue, points) in named {
            let Some(last) = self.places(points).into_iter().flatten().next_back() else {
                continue;
            };
            // With its marker before it: names have the text color.
            let with_key = format!("M {name}");
            let Some((x, y)) = self.room.place_near(last, &with_key, FONT, true) else {
                return false;
            };
            let _ = write!(self.out, "<g class=\"key-of\" data-m=\"{mark}\">");
            self.out += &marker(hue, (x + 5.0, y - 4.5), 3.6, "");
            self.text("name halo", "start", x + 13.0, y, name);
            self.out += "</g>";
        }
        true
    }

    /// Writes the labels of points if there is room; those of ringed points first.
    pub(super) fn point_labels(&mut self, figure: &Figure) {
        let mut wanted = Vec::new();
        for mark in &figure.marks {
            let Mark::Line {
                points,
                ringed,
                hue,
                ..
            } = mark
            else {
                continue;
            };
            for (at, place) in self.places(points).into_iter().enumerate() {
                if let (Some(place), Some(label)) = (place, &points[at].label) {
                    wanted.push((*ringed != Some(at), place, label, *hue));
                }
            }
        }
        wanted.sort_by_key(|(not_ringed, ..)| *not_ringed);
        self.out += "<g class=\"point-labels\">";
        for (not_ringed, place, label, hue) in wanted {
            if let Some((x, y)) = self.room.place_near(place, label, FONT, false) {
                let class = if not_ringed {
                    format!("halo c{hue}")
                } else {
                    format!("halo ringed-label c{hue}")
                };
                self.text(&class, "start", x, y, label);
            }
        }
        self.out += "</g>";
    }

    /// A heat map: adjacent cells of one level are one rectangle, all of one level one path.
    pub(super) fn cells(&mut self, edges: &[f64], cells: &[Vec<Option<f64>>], full: f64) {
        let mut paths = vec![String::new(); LEVELS + 2];
        let half = self.y.slot_px() / 2.0;
        let gap = if half > 4.0 { 1.0 } else { 0.0 };
        for (row, values) in cells.iter().enumerate() {
            let Some(middle) = self.y.place(row as f64) else {
                continue;
            };
            let levels: Vec<usize> = values
                .iter()
                .take(edges.len().saturating_sub(1))
                .map(|value| level(*value, full))
                .collect();
            let mut column = 0;
            for run in levels.chunk_by(|a, b| a == b) {
                let (from, to) = (column, column + run.len());
                column = to;
                let (Some(left), Some(right)) =
                    (self.x.place(edges[from]), self.x.place(edges[to]))
                else {
                    continue;
                };
                let (x, y, width, height) = (
                    px(left),
                    px(middle - half),
                    px(right - left),
                    px(2.0 * half - gap),
                );
                let _ = write!(paths[run[0]], "M{x},{y}h{width}v{height}h-{width}z");
            }
        }
        for (level, path) in paths
            .iter()
            .enumerate()
            .filter(|(_, path)| !path.is_empty())
        {
            let _ = match level {
                level if level > LEVELS => {
                    write!(self.out, "<path class=\"absent\" d=\"{path}\"/>")
                }
                level => write!(
                    self.out,
                    "<path class=\"cell\" fill-opacity=\"{:.2}\" d=\"{path}\"/>",
                    0.04 + 0.96 * level as f64 / LEVELS as f64
                ),
            };
        }
    }

    /// The color scale of a heat map, above its right end.
    pub(super) fn colour_key(&mut self, full: f64, of: Quantity) {
        let right = self.plot.x + self.plot.width;
        let text = of.text(full);
        let mut x = right - text_width(&text, FONT) - 4.0 - 100.0;
        self.text("tick", "end", x - 5.0, 13.0, &of.tick(0.0));
        for level in 0..10 {
            let opacity = 0.04 + 0.96 * f64::from(level) / 9.0;
            let _ = write!(
                self.out,
                "<rect class=\"cell\" fill-opacity=\"{opacity:.2}\" x=\"{}\" y=\"3\" width=\"10\" height=\"{}\"/>",
                px(x),
                px(text_height(FONT) - 4.0)
            );
            x += 10.0;
        }
        self.text("tick", "start", x + 5.0, 13.0, &text);
    }
}

/// The color step of a cell; the last one is for missing values.
fn level(value: Option<f64>, full: f64) -> usize {
    match value {
        Some(value) if value.is_finite() => {
            ((value / full).clamp(0.0, 1.0) * LEVELS as f64).round() as usize
        }
        _ => LEVELS + 1,
    }
}
