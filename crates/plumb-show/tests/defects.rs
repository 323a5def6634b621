//! What once misled a reader of a figure, and must not again: values at the ends of whiskers, lines through time that nobody measured, bars that
//! cannot be seen.

#[allow(dead_code)]
mod synthetic;

use plumb_show::chart::Subject;
use plumb_show::charts::CHARTS;
use plumb_show::figure::{
    Axis, Bar, Figure, Hues, Mark, Naming, Point, Quantity, Scale, Stroke, Table,
};
use plumb_show::svg;

fn figure(x: Axis, y: (Quantity, Scale), marks: Vec<Mark>) -> Figure {
    Figure {
        name: "test",
        title: String::new(),
        caption: String::new(),
        x,
        y: Axis {
            label: "y".into(),
            quantity: y.0,
            scale: y.1,
        },
        marks,
        naming: Naming::Legend,
        alternative: String::new(),
        table: Table::default(),
    }
}

fn times() -> Axis {
    Axis {
        label: "time".into(),
        quantity: Quantity::Elapsed,
        scale: Scale::Linear,
    }
}

fn names(names: &[&str]) -> Axis {
    Axis {
        label: "x".into(),
        quantity: Quantity::Category,
        scale: Scale::Categories(names.iter().map(|name| name.to_string()).collect()),
    }
}

fn line(name: &str, hue: usize, values: &[Option<f64>]) -> Mark {
    let point = |(x, y): (usize, &Option<f64>)| Point {
        x: x as f64,
        y: *y,
        ..Point::default()
    };
    Mark::Line {
        name: name.into(),
        hue,
        stroke: Stroke::Solid,
        points: values.iter().enumerate().map(point).collect(),
        dots: false,
        ringed: None,
    }
}

/// The attribute of every element of a class, in the order drawn.
fn attributes(text: &str, class: &str, attribute: &str) -> Vec<String> {
    let document =
        roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    document
        .descendants()
        .filter(|node| {
            let classes = node.attribute("class").unwrap_or_default();
            classes.split(' ').any(|one| one == class)
        })
        .filter_map(|node| node.attribute(attribute).map(str::to_string))
        .collect()
}

#[test]
fn a_stall_breaks_a_logarithmic_line_and_is_a_stroke_at_the_edge() {
    let values = [
        Some(1000.0),
        Some(9.0),
        Some(0.0),
        Some(0.0),
        Some(900.0),
        Some(800.0),
    ];
    let scale = (Quantity::OperationsPerSecond, Scale::Logarithmic);
    let text = svg::inline(&figure(times(), scale, vec![line("a", 0, &values)]));
    let paths = attributes(&text, "stroke", "d");
    assert_eq!(paths.len(), 1);
    assert_eq!(paths[0].matches('M').count(), 2, "two pieces: {}", paths[0]);
    let stalls = attributes(&text, "stall", "d");
    assert_eq!(stalls.len(), 1, "one stroke for both intervals: {stalls:?}");
    assert_eq!(stalls[0].matches('M').count(), 1);
}

#[test]
fn what_was_not_measured_is_a_gap_and_no_zero() {
    let values = [Some(5.0), None, Some(5.0), Some(5.0)];
    let scale = (Quantity::OperationsPerSecond, Scale::Linear);
    let text = svg::inline(&figure(times(), scale, vec![line("a", 0, &values)]));
    let path = attributes(&text, "stroke", "d").concat();
    let heights: Vec<&str> = path
        .split(['M', ' '])
        .filter_map(|point| Some(point.split_once(',')?.1))
        .collect();
    assert!(heights.windows(2).all(|pair| pair[0] == pair[1]), "{path}");
    assert!(attributes(&text, "stall", "d").is_empty());
}

/// A bar: its category, its value and the range of its rounds.
type Drawn = (usize, f64, Option<(f64, f64)>);

fn bars(name: &str, hue: usize, values: &[Drawn]) -> Mark {
    let bar = |(category, value, range): &Drawn| Bar {
        category: *category,
        value: *value,
        range: *range,
        label: Quantity::Bandwidth.text(*value),
        ..Bar::default()
    };
    Mark::Bars {
        name: name.into(),
        hue,
        bars: values.iter().map(bar).collect(),
    }
}

#[test]
fn the_value_of_a_bar_stands_at_the_bar_and_not_at_the_end_of_its_whisker() {
    let marks = vec![bars(
        "a",
        0,
        &[(0, 50.0, Some((40.0, 100.0))), (1, 5.0, Some((1.0, 90.0)))],
    )];
    let scale = (Quantity::Bandwidth, Scale::Linear);
    let text = svg::inline(&figure(names(&["a", "b"]), scale, marks));
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let tops: Vec<f64> = attributes(&text, "bar", "y").iter().map(number).collect();
    let labels: Vec<f64> = attributes(&text, "bar-label", "y")
        .iter()
        .map(number)
        .collect();
    // The key of the legend is a bar too, and comes last.
    assert_eq!((tops.len(), labels.len()), (3, 2));
    assert!(labels[0] > tops[0], "inside the high bar");
    assert!((tops[1] - labels[1]).abs() < 8.0, "right above the low bar");
}

#[test]
fn a_little_beside_much_is_seen() {
    let marks = vec![bars("a", 0, &[(0, 512.0, None), (1, 2e9, None)])];
    let scale = (Quantity::Bandwidth, Scale::Linear);
    let text = svg::inline(&figure(names(&["512 B", "1 MiB"]), scale, marks));
    let heights = attributes(&text, "bar", "height");
    assert!(
        heights[0].parse::<f64>().expect("a number") >= 2.0,
        "{heights:?}"
    );
}

#[test]
fn bars_of_two_groups_stand_side_by_side() {
    let both = [(0, 10.0, None), (1, 20.0, None)];
    let marks = vec![bars("seq", 2, &both), bars("ran", 3, &both)];
    let scale = (Quantity::Bandwidth, Scale::Linear);
    let text = svg::inline(&figure(names(&["create", "delete"]), scale, marks));
    let mut places = attributes(&text, "bar", "x");
    places.truncate(4);
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 4, "{places:?}");
}

#[test]
fn twelve_lines_are_drawn_in_twelve_ways() {
    let mut hues = Hues::default();
    let marks: Vec<Mark> = (0..12)
        .map(|at| {
            let name = format!("series {at}");
            let hue = hues.of(&name);
            line(&name, hue, &[Some(1.0 + at as f64), Some(2.0 + at as f64)])
        })
        .collect();
    let scale = (Quantity::OperationsPerSecond, Scale::Linear);
    let text = svg::inline(&figure(times(), scale, marks));
    let mut looks = attributes(&text, "key", "class");
    assert_eq!(looks.len(), 12);
    looks.sort();
    looks.dedup();
    assert_eq!(looks.len(), 12, "{looks:?}");
}

#[test]
fn a_bar_that_was_not_measured_is_a_dash_and_not_nothing() {
    let marks = vec![
        bars("seq", 2, &[(0, 10.0, None), (1, 20.0, None)]),
        bars("ran", 3, &[(0, 10.0, None)]),
    ];
    let scale = (Quantity::Bandwidth, Scale::Linear);
    let text = svg::inline(&figure(names(&["create", "delete"]), scale, marks));
    assert_eq!(attributes(&text, "bar-absent", "x").len(), 1);
}

#[test]
fn bars_of_many_groups_are_those_that_can_be_told_apart_without_empty_places() {
    use plumb_model::results::series;
    let mut synthetic = synthetic::full("/srv/data");
    let bar = |group: usize| series::Bar {
        label: if group < 12 { "4k" } else { "1m" }.into(),
        group: format!("group {group}"),
        value: Some(1e6),
        range: None,
    };
    synthetic.plots.block_bars = Some(series::Bars {
        unit: "bytes/s".into(),
        bars: (0..30).map(bar).collect(),
    });
    let chart = CHARTS.iter().find(|chart| chart.name == "block_size_bars");
    let subject = Subject {
        run: &synthetic.run,
        summary: &synthetic.summary,
        plots: &synthetic.plots,
        words: plumb_words::Words::english(),
    };
    let figure = (chart.expect("listed").figure)(&subject).expect("drawn");
    assert_eq!(figure.marks.len(), 12);
    assert_eq!(figure.x.scale, Scale::Categories(vec!["4 KiB".into()]));
    assert!(figure.caption.contains("18 further"), "{}", figure.caption);
    assert_eq!(figure.table.rows.len(), 30, "the table has them all");
}

/// The page is 920 px wide; a digit takes about 8 px in the widest of usual faces.
#[test]
fn the_last_tick_is_whole() {
    let rates = Axis {
        label: "operations per second".into(),
        quantity: Quantity::OperationsPerSecond,
        scale: Scale::Linear,
    };
    let point = |x: f64| Point {
        x,
        y: Some(1.0),
        ..Point::default()
    };
    let mark = Mark::Line {
        name: "a".into(),
        hue: 0,
        stroke: Stroke::Solid,
        points: [0.0, 150_000.0].map(point).to_vec(),
        dots: false,
        ringed: None,
    };
    let text = svg::inline(&figure(
        rates,
        (Quantity::Latency, Scale::Linear),
        vec![mark],
    ));
    let document = roxmltree::Document::parse(&text).expect("a figure");
    let last = document
        .descendants()
        .find(|node| node.text() == Some("150,000"))
        .expect("the last tick");
    let middle: f64 = last
        .attribute("x")
        .and_then(|x| x.parse().ok())
        .expect("a place");
    let half = "150,000".len() as f64 * 8.0 / 2.0;
    assert!(middle + half <= 920.0, "its middle is at {middle}");
}
