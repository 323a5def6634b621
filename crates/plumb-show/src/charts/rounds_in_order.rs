//! Did the tracked figures become steady? Values by round, with the window that the results are based on.

use plumb_model::statement::Statement;
use plumb_words::Words;

use plumb_model::plan::SteadyFigure;
use plumb_model::results::summary::{SteadyStep, SteadySummary};

use crate::chart::{Chart, Subject, or_dash};
use crate::figure::{Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table};

pub const CHART: Chart = Chart {
    name: "rounds_in_order",
    question: "Did the tracked figures become steady, and after which round?",
    figure,
};

/// More lines than this cannot be told apart.
const LINES: usize = 6;
/// Rounds up to which each has a dot.
const DOTS: usize = 60;
/// Rounds that the table lists.
const ROUNDS_LISTED: usize = 300;

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let steady = subject.summary.steady.as_ref()?;
    let drawn: Vec<&SteadyStep> = steady
        .steps
        .iter()
        .filter(|step| step.values.iter().any(Option::is_some))
        .take(LINES)
        .collect();
    if drawn.is_empty() {
        return None;
    }
    let (quantity, label) = match steady.figure {
        SteadyFigure::Iops => (Quantity::OperationsPerSecond, "label-operations-per-second"),
        SteadyFigure::Bandwidth => (Quantity::Bandwidth, "label-bandwidth"),
        SteadyFigure::Latency => (Quantity::Latency, "label-mean-response-time"),
    };
    let mut marks: Vec<Mark> = window_mark(words, steady).into_iter().collect();
    for (hue, step) in drawn.iter().enumerate() {
        marks.push(line(words, step, hue, quantity));
        marks.extend(fit_line(steady, step, hue));
    }
    let left_out = steady.steps.len() - drawn.len();
    let rest = (left_out > 0).then(|| {
        let told = Statement::new("chart-further-tracked-steps").count("count", left_out as u64);
        words.sentence(&told)
    });
    Some(Figure {
        name: CHART.name,
        title: words.label("label-rounds-in-order"),
        caption: words.sentences([
            Some(outcome(words, steady)),
            Some(words.label("label-rounds-in-order-caption")),
            rest,
        ]),
        x: Axis {
            label: words.label("label-round"),
            quantity: Quantity::Category,
            scale: Scale::Categories(numbers(steady.rounds)),
        },
        y: Axis {
            label: words.label(label),
            quantity,
            scale: Scale::Linear,
        },
        marks,
        naming: Naming::Legend,
        alternative: outcome(words, steady),
        table: table(words, steady, &drawn, quantity),
    })
}

fn numbers(rounds: u32) -> Vec<String> {
    (1..=rounds).map(|round| round.to_string()).collect()
}

fn window_mark(words: Words, steady: &SteadySummary) -> Option<Mark> {
    let (first, last) = steady.window?;
    let label = if steady.reached {
        "label-steady"
    } else {
        "label-not-steady"
    };
    Some(Mark::Span {
        label: words.label(label),
        from: f64::from(first) - 0.5,
        to: f64::from(last) + 0.5,
    })
}

fn line(words: Words, step: &SteadyStep, hue: usize, quantity: Quantity) -> Mark {
    let point = |(round, value): (usize, &Option<f64>)| Point {
        x: round as f64,
        y: value.filter(|value| value.is_finite()),
        label: None,
        hover: words.sentence(
            &Statement::new("chart-value-in-round")
                .name("name", &step.name)
                .count("round", round as u64 + 1)
                .name("value", or_dash(quantity, *value)),
        ),
    };
    let points = step.values.iter().enumerate().map(point).collect();
    Mark::Line {
        name: step.name.clone(),
        hue,
        stroke: Stroke::Solid,
        points,
        dots: step.values.len() <= DOTS,
        ringed: None,
    }
}

fn fit_line(steady: &SteadySummary, step: &SteadyStep, hue: usize) -> Option<Mark> {
    let ((first, last), (from, to)) = (steady.window?, step.fit?);
    let point = |round: u32, value: f64| Point {
        x: f64::from(round),
        y: Some(value),
        ..Point::default()
    };
    let points = vec![point(first, from), point(last, to)];
    Some(Mark::Line {
        name: String::new(),
        hue,
        stroke: Stroke::Dashed,
        points,
        dots: false,
        ringed: None,
    })
}

fn outcome(words: Words, steady: &SteadySummary) -> String {
    match steady.window {
        Some((first, last)) if steady.reached => words.sentence(
            &Statement::new("chart-steady")
                .count("round", u64::from(last) + 1)
                .count("first", u64::from(first) + 1),
        ),
        Some((first, last)) => words.sentence(
            &Statement::new("chart-not-steady")
                .count("round", u64::from(last) + 1)
                .count("first", u64::from(first) + 1),
        ),
        None => words.label("label-no-whole-round"),
    }
}

fn table(words: Words, steady: &SteadySummary, drawn: &[&SteadyStep], quantity: Quantity) -> Table {
    let columns = std::iter::once(Column::number(words.label("label-round")))
        .chain(drawn.iter().map(|step| Column::number(&step.name)))
        .collect();
    let rounds = steady.rounds as usize;
    let row = |round: usize| {
        let value =
            |step: &&SteadyStep| or_dash(quantity, step.values.get(round).copied().flatten());
        std::iter::once((round + 1).to_string())
            .chain(drawn.iter().map(value))
            .collect()
    };
    let note = if rounds > ROUNDS_LISTED {
        words.sentence(
            &Statement::new("chart-first-rounds")
                .count("shown", ROUNDS_LISTED as u64)
                .count("count", rounds as u64),
        )
    } else {
        String::new()
    };
    Table {
        columns,
        rows: (0..rounds.min(ROUNDS_LISTED)).map(row).collect(),
        note,
    }
}
