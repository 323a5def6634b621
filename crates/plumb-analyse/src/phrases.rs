//! Which phrases do several kinds of sentences share? Lists of clauses, named steps, optional parts.

use plumb_model::results::summary::SentenceEvidence;
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::workload::OperationKind;

/// Names that a sentence lists before it counts the rest.
pub(crate) const NAMED: usize = 3;

/// A part of a sentence that is left out.
pub(crate) fn none() -> Statement {
    Statement::new("none")
}

/// A part of a sentence that may be left out.
pub(crate) fn optional(part: Option<Statement>) -> Statement {
    part.unwrap_or_else(none)
}

/// Clauses in one sentence: `a; b; c`.
pub(crate) fn clauses(parts: impl IntoIterator<Item = Statement>) -> Statement {
    joined(parts, |first, rest| {
        Statement::new("clauses")
            .part("first", first)
            .part("rest", rest)
    })
}

/// Sentences in a row.
pub(crate) fn sentences(parts: impl IntoIterator<Item = Statement>) -> Statement {
    joined(parts, |first, rest| {
        Statement::new("sentences")
            .part("before", first)
            .part("next", rest)
    })
}

fn joined(
    parts: impl IntoIterator<Item = Statement>,
    pair: fn(Statement, Statement) -> Statement,
) -> Statement {
    let parts: Vec<Statement> = parts.into_iter().collect();
    let joined = parts
        .into_iter()
        .rev()
        .reduce(|rest, first| pair(first, rest));
    optional(joined)
}

/// At most three clauses, and how many more there are.
pub(crate) fn some_clauses(parts: Vec<Statement>) -> Statement {
    let more = parts.len().saturating_sub(NAMED);
    let shown = clauses(parts.into_iter().take(NAMED));
    match more {
        0 => shown,
        _ => Statement::new("clauses-and-more")
            .part("clauses", shown)
            .count("more", more as u64),
    }
}

/// `x`, `x and y`, `x, y, z and 12 more`.
pub(crate) fn named<T: AsRef<str>>(names: &[T]) -> Statement {
    match names {
        [first, second, third, rest @ ..] if !rest.is_empty() => Statement::new("names-and-more")
            .name("first", first.as_ref())
            .name("second", second.as_ref())
            .name("third", third.as_ref())
            .count("more", rest.len() as u64),
        names => Statement::new("names").names("names", names.iter().map(AsRef::as_ref)),
    }
}

/// Several operations of a kind: `reads`.
pub(crate) fn several(kind: OperationKind) -> Statement {
    Statement::new(match kind {
        OperationKind::Read => "operations-read",
        OperationKind::Write => "operations-write",
        OperationKind::Rewrite => "operations-rewrite",
        OperationKind::Trim => "operations-trim",
        OperationKind::Flush => "operations-flush",
        OperationKind::Create => "operations-create",
        OperationKind::Open => "operations-open",
        OperationKind::Stat => "operations-stat",
        OperationKind::ReadFile => "operations-read-file",
        OperationKind::Rename => "operations-rename",
        OperationKind::Delete => "operations-delete",
        OperationKind::Fsync => "operations-fsync",
        OperationKind::List => "operations-list",
        OperationKind::Send => "operations-send",
        OperationKind::Receive => "operations-receive",
        OperationKind::PingPong => "operations-ping-pong",
        OperationKind::Copy => "operations-copy",
    })
}

/// Evidence of a sentence: subject and value.
pub(crate) fn rests_on(what: impl Into<Argument>, value: impl Into<Argument>) -> SentenceEvidence {
    SentenceEvidence {
        what: what.into(),
        value: value.into(),
    }
}

/// Some of all: `3 of 4`.
pub(crate) fn part_of(part: impl Into<Argument>, all: impl Into<Argument>) -> Statement {
    Statement::new("evidence-part-of")
        .with("part", part.into())
        .with("all", all.into())
}

/// A statement as an argument.
pub(crate) fn phrase(statement: Statement) -> Argument {
    Argument::Statement(Box::new(statement))
}

/// A factor as an argument.
pub(crate) fn times(ratio: f64) -> Argument {
    Argument::Quantity {
        value: ratio,
        unit: Unit::Times,
    }
}

/// A change is stated in percent up to this factor, up or down, and as a factor beyond; plumb_words::numbers does the same for tables.
const PERCENT_UP_TO: f64 = 10.0;

/// A part as percent with as many digits as a reader takes in: one decimal below 10.
pub(crate) fn rounded_percent(part: f64) -> f64 {
    let percent = part * 100.0;
    if percent.abs() < 9.95 {
        (percent * 10.0).round() / 10.0
    } else {
        percent.round()
    }
}

pub(crate) fn is_factor(ratio: f64) -> bool {
    !(1.0 / PERCENT_UP_TO..=PERCENT_UP_TO).contains(&ratio)
}

/// A ratio as a change: `+12 %`, `-9.1 %`, `134 times lower`.
pub(crate) fn change(ratio: f64) -> Argument {
    if is_factor(ratio) {
        return phrase(match ratio < 1.0 {
            true => Statement::new("times-lower").number("factor", 1.0 / ratio),
            false => Statement::new("times-higher").number("factor", ratio),
        });
    }
    Argument::Quantity {
        value: rounded_percent(ratio - 1.0),
        unit: Unit::PercentChange,
    }
}
