//! How does a figure become SVG? Own writer: scales, grid, marks and texts that never overlap; colours by CSS variables.

mod axis;
mod drawing;
mod labels;
mod marks;
mod rows;

use std::fmt::Write;

use crate::escape::escape;
use crate::figure::{Figure, Mark, Naming, Quantity, Scale, Shape};
use axis::Projection;
use drawing::{Drawing, FONT, px};
use labels::{Rect, Room, text_width};

/// Width of every figure in pixels of its own; the page scales it.
const WIDTH: f64 = 920.0;
/// Height of the plot between the axes.
const PLOT_HEIGHT: f64 = 320.0;
/// Most room kept to the right of the plot for the names of lines.
const NAMES_MAX: f64 = 200.0;

/// The rules that figures need; the page holds them once, a standalone figure carries them along.
pub const STYLE: &str = include_str!("svg/figure.css");

/// The figure as an SVG element for a page that holds [`STYLE`].
pub fn inline(figure: &Figure) -> String {
    inline_as(figure, figure.name)
}

/// The figure as an SVG element under an id of its own, for a page that holds several of one name.
pub fn inline_as(figure: &Figure, id: &str) -> String {
    element(figure, id, "")
}

/// The figure as an SVG file of its own.
pub fn standalone(figure: &Figure) -> String {
    element(
        figure,
        figure.name,
        &format!("<style>{STYLE}</style><rect class=\"ground\" width=\"100%\" height=\"100%\"/>"),
    )
}

fn element(figure: &Figure, id: &str, before: &str) -> String {
    // Names at the lines if all of them find room there, else above the plot.
    let direct = if figure.naming == Naming::Direct {
        Drawing::new(figure, false).draw(figure)
    } else {
        None
    };
    let (body, height) = direct
        .or_else(|| Drawing::new(figure, true).draw(figure))
        .unwrap_or_default();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-labelledby=\"{id}-title {id}-text\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-text\">{}</desc>{before}{body}</svg>\n",
        px(height),
        escape(&figure.title),
        escape(&figure.alternative)
    )
}

impl Drawing {
    fn new(figure: &Figure, legend: bool) -> Drawing {
        let names = names(figure);
        let legend_rows = if legend && !names.is_empty() {
            legend_rows(&names).len()
        } else {
            0
        };
        let widest = names
            .iter()
            .map(|(name, _, _)| text_width(name, FONT))
            .fold(0.0, f64::max);
        let right = if legend || names.is_empty() {
            24.0
        } else {
            (widest + 16.0).clamp(24.0, NAMES_MAX)
        };
        let right = right.max((rows::widest_row_text(figure, FONT) + 16.0).min(NAMES_MAX));
        let rows_height = rows::rows_height(figure);
        let plot_height = match &figure.y.scale {
            Scale::Categories(_) if rows_height.is_some() => rows_height.unwrap_or(PLOT_HEIGHT),
            Scale::Categories(rows) => {
                rows.len() as f64 * (PLOT_HEIGHT / rows.len().max(1) as f64).clamp(3.0, 24.0)
            }
            _ => PLOT_HEIGHT,
        };
        // The ticks of a tall plot stand above it too.
        let top = 26.0
            + legend_rows as f64 * 20.0
            + if rows_height.is_some_and(|height| height > rows::TALL_PX) {
                16.0
            } else {
                0.0
            };
        let from_zero = figure.y.quantity.is_amount();
        let y = Projection::fit(
            &figure.y,
            values(figure, true),
            from_zero,
            top + plot_height,
            top,
        );
        let y = if matches!(figure.y.scale, Scale::Categories(_)) {
            Projection::fit(
                &figure.y,
                values(figure, true),
                false,
                top,
                top + plot_height,
            )
        } else {
            y
        };
        let left = y
            .ticks
            .iter()
            .map(|(_, text)| text_width(text, FONT))
            .fold(20.0, f64::max)
            + 12.0;
        let plot = Rect {
            x: left,
            y: top,
            width: WIDTH - left - right,
            height: plot_height,
        };
        let from_zero = figure.x.quantity == Quantity::OperationsPerSecond;
        let x = Projection::fit(
            &figure.x,
            values(figure, false),
            from_zero,
            left,
            left + plot.width,
        );
        let room = Room::new(Rect {
            x: left + 1.0,
            y: top - 8.0,
            width: WIDTH - left - 3.0,
            height: plot_height + 6.0,
        });
        Drawing {
            out: String::new(),
            plot,
            room,
            x,
            y,
            legend,
            height: top + plot_height + 46.0,
        }
    }

    /// Draws everything; `None` when the names should stand at the lines and do not fit there.
    fn draw(mut self, figure: &Figure) -> Option<(String, f64)> {
        self.spans(figure);
        self.grid(figure);
        self.rules(figure);
        for mark in &figure.marks {
            match mark {
                Mark::Line {
                    hue,
                    stroke,
                    points,
                    dots,
                    ringed,
                    ..
                } => self.line(*hue, *stroke, points, *dots, *ringed),
                Mark::Bars { .. } | Mark::Span { .. } | Mark::Rule { .. } => {}
                Mark::Rows {
                    hue,
                    shape,
                    lane,
                    lanes,
                    values,
                    ..
                } => self.row_values(*hue, *shape, (*lane, *lanes), values),
                Mark::Whiskers { hue, whiskers } => self.whiskers(*hue, whiskers),
                Mark::Cells { edges, cells, full } => self.cells(edges, cells, *full),
            }
        }
        self.bars(figure);
        if self.legend {
            self.legend_above(figure)
        } else if !self.names_at_lines(figure) {
            return None;
        }
        self.point_labels(figure);
        Some((self.out, self.height))
    }

    /// Writes a text; `anchor` is start, middle or end.
    fn text(&mut self, class: &str, anchor: &str, x: f64, y: f64, text: &str) {
        let _ = write!(
            self.out,
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{}\" y=\"{}\">{}</text>",
            px(x),
            px(y),
            escape(text)
        );
    }

    /// Hairlines at the ticks, tick texts and axis labels.
    fn grid(&mut self, figure: &Figure) {
        let (left, bottom) = (self.plot.x, self.plot.y + self.plot.height);
        let right = left + self.plot.width;
        let rows = matches!(figure.y.scale, Scale::Categories(_));
        let of_rows = rows::rows_height(figure).is_some();
        let tall = of_rows && self.plot.height > rows::TALL_PX;
        let mut last = f64::NEG_INFINITY;
        for (value, text) in self.y.ticks.clone() {
            let Some(y) = self.y.place(value) else {
                continue;
            };
            if !rows {
                let class = if value == 0.0 { "axis" } else { "grid" };
                let _ = write!(
                    self.out,
                    "<line class=\"{class}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                    px(left),
                    px(right),
                    px(y),
                    px(y)
                );
            }
            // Rows of a tall heat map are lower than a text: name as many as fit.
            if (y - last).abs() >= FONT {
                self.text("tick", "end", left - 8.0, y + 4.5, &text);
                last = y;
            }
        }
        let categories = matches!(figure.x.scale, Scale::Categories(_));
        let mut free_from = f64::NEG_INFINITY;
        for (value, text) in self.x.ticks.clone() {
            let Some(x) = self.x.place(value) else {
                continue;
            };
            if !categories && (!rows || of_rows) {
                let _ = write!(
                    self.out,
                    "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                    px(x),
                    px(x),
                    px(self.plot.y),
                    px(bottom)
                );
            }
            let half = text_width(&text, FONT) / 2.0;
            if x - half >= free_from {
                self.text("tick", "middle", x, bottom + 18.0, &text);
                if tall {
                    self.text("tick", "middle", x, self.plot.y - 6.0, &text);
                }
                free_from = x + half + 6.0;
            }
        }
        let _ = write!(
            self.out,
            "<line class=\"axis\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
            px(left),
            px(right),
            px(bottom),
            px(bottom)
        );
        self.text("label", "start", 2.0, 13.0, &figure.y.label);
        self.text("label", "end", right, bottom + 38.0, &figure.x.label);
    }

    /// The names of lines and bars with their colours, in rows above the plot.
    fn legend_above(&mut self, figure: &Figure) {
        let names = names(figure);
        if names.is_empty() {
            return;
        }
        for (row, entries) in legend_rows(&names).into_iter().enumerate() {
            let y = 13.0 + 20.0 * (row + 1) as f64;
            let mut x = self.plot.x;
            for (name, hue, class) in entries {
                let (from, to, middle) = (px(x), px(x + 22.0), px(y - 4.5));
                let _ = match *class {
                    "ring-key" => write!(
                        self.out,
                        "<circle class=\"hollow c{hue}\" cx=\"{}\" cy=\"{middle}\" r=\"4\"/>",
                        px(x + 16.0)
                    ),
                    "dot-key" => write!(
                        self.out,
                        "<circle class=\"dot c{hue}\" cx=\"{}\" cy=\"{middle}\" r=\"5\"/>",
                        px(x + 16.0)
                    ),
                    class => {
                        write!(
                            self.out,
                            "<line class=\"key {class} c{hue}\" x1=\"{from}\" x2=\"{to}\" y1=\"{middle}\" y2=\"{middle}\"/>"
                        )
                    }
                };
                self.text("name", "start", x + 28.0, y, name);
                x += 28.0 + text_width(name, FONT) + 20.0;
            }
        }
    }
}

/// Name, colour and line class of everything that has a name.
fn names(figure: &Figure) -> Vec<(&str, usize, &'static str)> {
    let mut names: Vec<(&str, usize, &'static str)> = Vec::new();
    for mark in &figure.marks {
        let entry = match mark {
            Mark::Line {
                name, hue, stroke, ..
            } => (name.as_str(), *hue, marks::stroke_class(*stroke)),
            Mark::Bars { name, hue, .. } => (name.as_str(), *hue, "solid thick"),
            Mark::Rows {
                name, hue, shape, ..
            } => (
                name.as_str(),
                *hue,
                if *shape == Shape::Ring {
                    "ring-key"
                } else {
                    "dot-key"
                },
            ),
            Mark::Span { .. } | Mark::Cells { .. } | Mark::Whiskers { .. } | Mark::Rule { .. } => {
                continue;
            }
        };
        if !entry.0.is_empty() && !names.contains(&entry) {
            names.push(entry);
        }
    }
    names
}

/// Breaks the legend into rows that fit the width.
fn legend_rows<'a, 'b>(
    names: &'a [(&'b str, usize, &'static str)],
) -> Vec<Vec<&'a (&'b str, usize, &'static str)>> {
    let mut rows: Vec<Vec<_>> = vec![Vec::new()];
    let mut x = 0.0;
    for entry in names {
        let width = 48.0 + text_width(entry.0, FONT);
        if x + width > WIDTH - 110.0 && x > 0.0 {
            rows.push(Vec::new());
            x = 0.0;
        }
        x += width;
        if let Some(row) = rows.last_mut() {
            row.push(entry);
        }
    }
    rows
}

/// All values drawn along one axis.
fn values(figure: &Figure, along_y: bool) -> impl Iterator<Item = f64> + '_ {
    figure.marks.iter().flat_map(move |mark| -> Vec<f64> {
        match mark {
            Mark::Line { points, .. } if along_y => {
                points.iter().filter_map(|point| point.y).collect()
            }
            // A point without a value is not drawn and must not stretch the axis either.
            Mark::Line { points, .. } => points
                .iter()
                .filter(|point| point.y.is_some())
                .map(|point| point.x)
                .collect(),
            Mark::Bars { bars, .. } if along_y => bars
                .iter()
                .flat_map(|bar| {
                    [
                        bar.value,
                        bar.base,
                        bar.range.map_or(bar.value, |(_, high)| high),
                    ]
                })
                .collect(),
            Mark::Span { from, to, .. } if !along_y => vec![*from, *to],
            Mark::Rows { values, .. } if !along_y => values
                .iter()
                .flat_map(|value| {
                    [value.value]
                        .into_iter()
                        .chain(value.range.map(|(low, _)| low))
                        .chain(value.range.map(|(_, high)| high))
                })
                .collect(),
            Mark::Whiskers { whiskers, .. } if along_y => whiskers
                .iter()
                .flat_map(|whisker| [whisker.low, whisker.high])
                .collect(),
            Mark::Rule { at, upright, .. } if *upright != along_y => vec![*at],
            Mark::Cells { edges, .. } if !along_y => edges.clone(),
            Mark::Bars { .. }
            | Mark::Span { .. }
            | Mark::Cells { .. }
            | Mark::Rows { .. }
            | Mark::Whiskers { .. }
            | Mark::Rule { .. } => Vec::new(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Point, Stroke, Table};

    fn figure(values: &[f64]) -> Figure {
        let points = values
            .iter()
            .enumerate()
            .map(|(x, y)| Point {
                x: x as f64,
                y: Some(*y),
                ..Point::default()
            })
            .collect();
        Figure {
            name: "test",
            title: "<b>& a title".into(),
            caption: String::new(),
            x: Axis {
                label: "x".into(),
                quantity: Quantity::Elapsed,
                scale: Scale::Linear,
            },
            y: Axis {
                label: "y".into(),
                quantity: Quantity::Latency,
                scale: Scale::Logarithmic,
            },
            marks: vec![Mark::Line {
                name: "a <line>".into(),
                hue: 0,
                stroke: Stroke::Solid,
                points,
                dots: false,
                ringed: None,
            }],
            naming: Naming::Direct,
            alternative: "a \"quoted\" text".into(),
            table: Table::default(),
        }
    }

    #[test]
    fn drawings_are_well_formed_and_hold_only_numbers() {
        for values in [
            &[][..],
            &[1.0],
            &[0.0, -1.0],
            &[f64::NAN, f64::INFINITY, 1e308],
            &[1e-308, 5.0, 7e11],
        ] {
            for svg in [inline(&figure(values)), standalone(&figure(values))] {
                let document = roxmltree::Document::parse(&svg)
                    .unwrap_or_else(|error| panic!("{error}: {svg}"));
                for attribute in document.descendants().flat_map(|node| node.attributes()) {
                    assert!(
                        !attribute.value().contains("NaN") && !attribute.value().contains("inf"),
                        "{svg}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_long_line_stays_small_and_keeps_its_extremes() {
        let mut values = vec![100.0; 200_000];
        values[123_456] = 9_000.0;
        let svg = inline(&figure(&values));
        assert!(svg.len() < 100_000, "{} bytes", svg.len());
        let highest = Projection::fit(
            &figure(&values).y,
            values.iter().copied(),
            false,
            26.0 + PLOT_HEIGHT,
            26.0,
        )
        .place(9_000.0);
        assert!(
            svg.contains(&format!(",{}", px(highest.expect("placed")))),
            "the peak is drawn"
        );
    }
}
