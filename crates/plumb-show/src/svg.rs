//! How is a figure written as SVG? Own writer: scales, grid, marks and texts that never overlap; colors by CSS variables.

mod axis;
mod bars;
mod drawing;
mod for_script;
mod labels;
mod legend;
mod markers;
mod marks;
mod rows;

use std::fmt::Write;

use crate::escape::escape;
use crate::figure::{Figure, Mark, Naming, Quantity, Scale};
use axis::Projection;
use drawing::{Drawing, FONT, WIDTH, px};
use labels::{Rect, Room, text_width};
use legend::{legend_rows, names};

/// Height of the plot between the axes.
const PLOT_HEIGHT: f64 = 320.0;
/// Maximum room to the right of the plot for line names.
const NAMES_MAX: f64 = 200.0;

/// The style rules of figures; a page contains them once, a standalone figure includes them.
pub const STYLE: &str = include_str!("svg/figure.css");

/// The figure as an SVG element for a page that contains [`STYLE`].
pub fn inline(figure: &Figure) -> String {
    inline_as(figure, figure.name)
}

/// The figure as an SVG element with its own id, for a page with several of one name.
pub fn inline_as(figure: &Figure, id: &str) -> String {
    element(figure, id, "")
}

/// The figure as a standalone SVG file.
pub fn standalone(figure: &Figure) -> String {
    element(
        figure,
        figure.name,
        &format!("<style>{STYLE}</style><rect class=\"ground\" width=\"100%\" height=\"100%\"/>"),
    )
}

fn element(figure: &Figure, id: &str, before: &str) -> String {
    wrapped(figure, id, before, drawn(figure))
}

/// The figure as an SVG element, and the data to redraw it by script: JSON that is safe in a script element.
pub fn inline_for_script(figure: &Figure, id: &str) -> (String, String) {
    let drawing = drawn(figure);
    let values = for_script::json(figure, &drawing);
    (wrapped(figure, id, "", drawing), values)
}

fn drawn(figure: &Figure) -> Drawing {
    // Names at the lines if all fit there, else above the plot.
    if figure.naming == Naming::Direct {
        let mut direct = Drawing::new(figure, false);
        if direct.draw(figure) {
            return direct;
        }
    }
    let mut above = Drawing::new(figure, true);
    above.draw(figure);
    above
}

fn wrapped(figure: &Figure, id: &str, before: &str, drawing: Drawing) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-labelledby=\"{id}-title {id}-text\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-text\">{}</desc>{before}{}</svg>\n",
        px(drawing.height),
        escape(&figure.title),
        escape(&figure.alternative),
        drawing.out
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
            .map(|named| text_width(named.name, FONT))
            .fold(0.0, f64::max);
        let right = if legend || names.is_empty() {
            24.0
        } else {
            (widest + 30.0).clamp(24.0, NAMES_MAX)
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
        // A tall plot has ticks above it too.
        let top = 26.0
            + legend_rows as f64 * 20.0
            + if rows_height.is_some_and(|height| height > rows::TALL_PX) {
                16.0
            } else {
                0.0
            };
        let y = upright(figure, top, plot_height);
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
            marked: several_lines(figure),
            height: top + plot_height + 46.0,
        }
    }

    /// Draws everything; false if the names should be at the lines and do not fit there.
    fn draw(&mut self, figure: &Figure) -> bool {
        self.out += "<g class=\"frame\">";
        self.spans(figure);
        self.grid(figure);
        self.rules(figure);
        self.out += "</g>";
        for (place, mark) in figure.marks.iter().enumerate() {
            if matches!(
                mark,
                Mark::Bars { .. } | Mark::Span { .. } | Mark::Rule { .. }
            ) {
                continue;
            }
            let _ = write!(self.out, "<g class=\"mark\" data-m=\"{place}\">");
            match mark {
                Mark::Line {
                    hue,
                    stroke,
                    points,
                    dots,
                    ringed,
                    ..
                } => self.line(*hue, *stroke, points, *dots, *ringed),
                Mark::Rows {
                    hue,
                    shape,
                    lane,
                    lanes,
                    values,
                    ..
                } => self.row_values(*hue, *shape, (*lane, *lanes), values),
                Mark::Whiskers { hue, whiskers } => self.whiskers(*hue, whiskers),
                Mark::Cells {
                    edges,
                    cells,
                    full,
                    of,
                } => {
                    self.cells(edges, cells, *full);
                    self.colour_key(*full, *of);
                }
                Mark::Bars { .. } | Mark::Span { .. } | Mark::Rule { .. } => {}
            }
            self.out += "</g>";
        }
        self.bars(figure);
        if self.legend {
            self.legend_above(figure)
        } else if !self.names_at_lines(figure) {
            return false;
        }
        self.point_labels(figure);
        true
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
            // Rows of a tall heat map are lower than a line of text: name as many as fit.
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
                // The text of the last tick may be wider than the margin.
                let middle = x.min(WIDTH - half - 4.0);
                self.text("tick", "middle", middle, bottom + 18.0, &text);
                if tall {
                    self.text("tick", "middle", middle, self.plot.y - 6.0, &text);
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
}

/// The y axis: values rise from the bottom of the plot, rows follow one another from its top.
fn upright(figure: &Figure, top: f64, plot_height: f64) -> Projection {
    let rows = matches!(figure.y.scale, Scale::Categories(_));
    let (from_px, to_px) = match rows {
        true => (top, top + plot_height),
        false => (top + plot_height, top),
    };
    let from_zero = !rows && figure.y.quantity.is_amount();
    Projection::fit(&figure.y, values(figure, true), from_zero, from_px, to_px)
}

/// True if lines need more than their color to be distinguished.
fn several_lines(figure: &Figure) -> bool {
    let lines = figure.marks.iter();
    lines
        .filter(|mark| matches!(mark, Mark::Line { .. }))
        .count()
        > 1
}

/// All values drawn along one axis.
fn values(figure: &Figure, along_y: bool) -> impl Iterator<Item = f64> + '_ {
    figure.marks.iter().flat_map(move |mark| -> Vec<f64> {
        match mark {
            Mark::Line { points, .. } if along_y => {
                points.iter().filter_map(|point| point.y).collect()
            }
            // A point without a value is not drawn and must not extend the axis.
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
