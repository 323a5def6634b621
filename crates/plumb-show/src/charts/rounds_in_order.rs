//! Did the tracked figures become steady? Round after round, with the window that the figures of the run rest on.

use plumb_model::plan::SteadyFigure;
use plumb_model::summary::{SteadyStep, SteadySummary};

use crate::chart::{Chart, Subject, or_dash};
use crate::figure::{Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table};
use crate::wording::comparison::whole;

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
        SteadyFigure::Iops => (Quantity::OperationsPerSecond, "operations per second"),
        SteadyFigure::Bandwidth => (Quantity::Bandwidth, "bandwidth"),
        SteadyFigure::Latency => (Quantity::Latency, "mean response time"),
    };
    let mut marks: Vec<Mark> = window_mark(steady).into_iter().collect();
    for (hue, step) in drawn.iter().enumerate() {
        marks.push(line(step, hue, quantity));
        marks.extend(fit_line(steady, step, hue));
    }
    let left_out = steady.steps.len() - drawn.len();
    let rest = if left_out > 0 {
        format!(" {left_out} further tracked steps are in the table of rounds.")
    } else {
        String::new()
    };
    Some(Figure {
        name: CHART.name,
        title: "Rounds in order".into(),
        caption: format!(
            "{} Dashed is the best linear fit over the window, which is shaded.{rest}",
            outcome(steady)
        ),
        x: Axis {
            label: "round".into(),
            quantity: Quantity::Category,
            scale: Scale::Categories(numbers(steady.rounds)),
        },
        y: Axis {
            label: label.into(),
            quantity,
            scale: Scale::Linear,
        },
        marks,
        naming: Naming::Legend,
        alternative: outcome(steady),
        table: table(steady, &drawn, quantity),
    })
}

fn numbers(rounds: u32) -> Vec<String> {
    (1..=rounds).map(|round| round.to_string()).collect()
}

fn window_mark(steady: &SteadySummary) -> Option<Mark> {
    let (first, last) = steady.window?;
    let label = if steady.reached {
        "steady"
    } else {
        "not steady"
    };
    Some(Mark::Span {
        label: label.into(),
        from: f64::from(first) - 0.5,
        to: f64::from(last) + 0.5,
    })
}

fn line(step: &SteadyStep, hue: usize, quantity: Quantity) -> Mark {
    let point = |(round, value): (usize, &Option<f64>)| Point {
        x: round as f64,
        y: value.filter(|value| value.is_finite()),
        label: None,
        hover: format!(
            "{}, round {}: {}",
            step.name,
            round + 1,
            or_dash(quantity, *value)
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

fn outcome(steady: &SteadySummary) -> String {
    match steady.window {
        Some((first, last)) if steady.reached => {
            format!(
                "Steady after round {}: the figures are those of rounds {} to {}.",
                last + 1,
                first + 1,
                last + 1
            )
        }
        Some((first, last)) => {
            format!(
                "Not steady after {} rounds: the figures are those of rounds {} to {}.",
                last + 1,
                first + 1,
                last + 1
            )
        }
        None => "No round was whole.".into(),
    }
}

fn table(steady: &SteadySummary, drawn: &[&SteadyStep], quantity: Quantity) -> Table {
    let columns = std::iter::once(Column::number("round"))
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
        format!(
            "The first {ROUNDS_LISTED} of {} rounds; --json has all.",
            whole(rounds)
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
