//! How large is a difference, and is it significant? Ratios with intervals, adjusted p-values, and verdicts.

use plumb_model::results::comparison::{
    Cell, Design, Direction, Effect, Undecided, Verdict, side_letter,
};
use plumb_model::statement::Statement;

use crate::compare::entrants::Settings;
use crate::compare::failures::Failures;
use crate::compare::wording::percent_of;
use crate::phrases::clauses;
use crate::statistics::effect::{Shift, independent, location, paired};
use crate::statistics::holm::holm;

/// Rounds a side below which chance may have put all of one mode on one side: 3 and 3 rounds fall apart completely in 1 of 10 cases, 5 and
/// 5 in 1 of 126.
pub(crate) const LEAST_ROUNDS: usize = 5;
/// Number of further rounds that is unrealistic.
const MOST_FURTHER_ROUNDS: u32 = 1000;

/// One side of a cell, as it enters the statistics.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Column {
    /// One value per round; missing if it was left out or has no such figure.
    pub rounds: Vec<Option<f64>>,
    /// Complete rounds with too few operations to state this figure.
    pub too_few: usize,
    /// A published figure.
    pub published: bool,
    /// Why this side may not win: its operations failed more often than those of the other.
    pub failing: Option<Failures>,
    /// What the values are not known to, as a part of them: half a bucket of a histogram, half an operation of a count.
    pub resolution: f64,
}

impl Column {
    fn values(&self) -> Vec<f64> {
        self.rounds.iter().flatten().copied().collect()
    }

    /// Logarithms of the rounds, in their order; `None` when there are none, when they are a choice (only rounds with operations enough), or
    /// when one is not above 0.
    fn logarithms(&self) -> Option<Vec<f64>> {
        let values = self.values();
        let sound =
            !values.is_empty() && self.too_few == 0 && values.iter().all(|value| *value > 0.0);
        sound.then(|| values.iter().map(|value| value.ln()).collect())
    }

    /// Trimmed geometric mean of the rounds with its interval.
    pub fn location(&self) -> (Option<f64>, Option<(f64, f64)>) {
        // A published figure comes out as it was printed, without the rounding of a logarithm and back.
        if let [Some(only)] = self.rounds.as_slice() {
            return (
                Some(*only).filter(|only| only.is_finite() && *only > 0.0),
                None,
            );
        }
        let wider = |(low, high): (f64, f64)| {
            (
                (low - self.resolution).exp(),
                (high + self.resolution).exp(),
            )
        };
        match self
            .logarithms()
            .and_then(|logarithms| location(&logarithms))
        {
            Some((middle, interval)) => (Some(middle.exp()), interval.map(wider)),
            None => (None, None),
        }
    }
}

/// What is needed to judge an effect once all of them are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pending {
    shift: Option<Shift>,
    /// For sides measured at different times: the shift that the machine cannot explain, and the explanation.
    apart: Option<(Shift, Vec<Statement>)>,
    /// Rounds a side.
    rounds: usize,
    /// Why no verdict is possible, independent of the other cells.
    undecided: Option<Why>,
    /// Why the side that looks better may not win.
    failing_if_better: Option<Statement>,
    failing_if_worse: Option<Statement>,
}

/// Why no verdict is possible, as a kind and as a statement.
type Why = (Undecided, Statement);

/// An interval whose ends are further apart is meaningless: two rounds per side give some of 10^20.
const TELLING_FACTOR: f64 = 1000.0;

/// Side `side` against the baseline, without a verdict yet.
pub(crate) fn contrast(
    a: &Column,
    b: &Column,
    side: usize,
    design: Design,
    confidence: f64,
) -> (Effect, Pending) {
    contrast_named(
        (a, &side_letter(0)),
        (b, &side_letter(side)),
        side,
        design,
        confidence,
    )
}

/// The same for sides that have names in words.
pub(crate) fn contrast_named(
    (a, name_a): (&Column, &str),
    (b, name_b): (&Column, &str),
    side: usize,
    design: Design,
    confidence: f64,
) -> (Effect, Pending) {
    let shift = shift(a, b, design);
    let ratio = match &shift {
        Some((shift, _)) => Some(shift.estimate.exp()),
        None => a.location().0.zip(b.location().0).map(|(a, b)| b / a),
    };
    let rounds = shift.as_ref().map_or(0, |(_, rounds)| *rounds);
    let shift = shift.map(|(shift, _)| shift);
    let exponent = |(low, high): (f64, f64)| (low.exp(), high.exp());
    let effect = Effect {
        side: side as u32,
        ratio: ratio.filter(|ratio| ratio.is_finite()),
        interval: shift
            .map(|shift| exponent(shift.interval(confidence)))
            .filter(|(low, high)| high / low <= TELLING_FACTOR),
        p_value: shift.map(|shift| shift.p_value()),
        adjusted_p_value: None,
        threshold_p_value: None,
        verdict: Verdict::Undecided,
        undecided: None,
        reason: None,
        more_rounds: None,
        widened: shift.map_or(1.0, |shift| shift.inflation),
        resolution: (a.resolution + b.resolution).exp_m1(),
        machine: None,
    };
    let undecided = why_undecided((a, name_a), (b, name_b), shift.is_some(), rounds);
    let pending = Pending {
        shift,
        apart: None,
        rounds,
        undecided,
        failing_if_better: b
            .failing
            .map(|failures| shown_but_failing(name_b, &failures)),
        failing_if_worse: a
            .failing
            .map(|failures| shown_but_failing(name_a, &failures)),
    };
    (effect, pending)
}

/// The distance of the logarithms, and the number of rounds per side.
fn shift(a: &Column, b: &Column, design: Design) -> Option<(Shift, usize)> {
    if a.published || b.published {
        return None;
    }
    let (first, second) = (a.logarithms()?, b.logarithms()?);
    let resolution = a.resolution + b.resolution;
    match design {
        Design::Independent => {
            independent(&first, &second).map(|shift| (shift, (first.len() + second.len()) / 2))
        }
        Design::Blocks => {
            // A block without one side is not used.
            let pairs = a
                .rounds
                .iter()
                .zip(&b.rounds)
                .filter_map(|(a, b)| Some((*b)?.ln() - (*a)?.ln()));
            let differences: Vec<f64> = pairs.collect();
            paired(&differences).map(|shift| (shift, differences.len()))
        }
    }
    .filter(|(shift, _)| {
        shift.estimate.is_finite() && shift.standard_error.is_finite() && resolution.is_finite()
    })
    .map(|(shift, rounds)| (shift.with_slack(resolution, resolution), rounds))
}

type Named<'a> = (&'a Column, &'a str);

/// Why no verdict can be given from these rounds.
fn why_undecided(a: Named, b: Named, has_shift: bool, rounds: usize) -> Option<Why> {
    let both = [a, b];
    for (column, side) in both {
        if column.too_few > 0 {
            let all = column.too_few + column.values().len();
            let why = Statement::new("too-few-operations-to-state")
                .count("few", column.too_few as u64)
                .count("all", all as u64)
                .name("side", side);
            return Some((Undecided::NoFigure, why));
        }
    }
    let side_with = |fits: fn(&Column) -> bool| {
        both.iter()
            .find(|(column, _)| fits(column))
            .map(|(_, side)| *side)
    };
    if let Some(side) = side_with(|column| column.values().is_empty()) {
        let why = Statement::new("side-has-no-such-figure").name("side", side);
        return Some((Undecided::NoFigure, why));
    }
    if let Some(side) = side_with(|column| column.values().iter().any(|value| *value <= 0.0)) {
        let why = Statement::new("round-of-side-stood-still").name("side", side);
        return Some((Undecided::NoFigure, why));
    }
    if a.0.published || b.0.published {
        return Some((Undecided::Published, index_of_published(a, b)));
    }
    let single: Vec<&str> = both
        .iter()
        .filter(|(column, _)| column.values().len() < 2)
        .map(|(_, side)| *side)
        .collect();
    let is_few = |(column, _): &Named| column.values().len() < LEAST_ROUNDS;
    let few = match single.as_slice() {
        [] if !has_shift => Some(Statement::new("too-few-whole-blocks")),
        [] if rounds < LEAST_ROUNDS || both.iter().any(is_few) => {
            Some(Statement::new("too-few-rounds-a-side").count("least", LEAST_ROUNDS as u64))
        }
        [] => None,
        [side] => Some(Statement::new("side-has-one-round").name("side", *side)),
        _ => Some(Statement::new("one-round-shows-no-spread")),
    };
    few.map(|why| (Undecided::FewRounds, why))
}

/// Position of a published figure among the rounds of the other side.
fn index_of_published(a: Named, b: Named) -> Statement {
    let ((published, _), (measured, side)) = if a.0.published { (a, b) } else { (b, a) };
    let (figure, rounds) = (
        published.values().first().copied().unwrap_or(0.0),
        measured.values(),
    );
    if measured.published || rounds.len() < 2 {
        return Statement::new("published-figure-is-one-round");
    }
    let below = rounds.iter().filter(|value| **value < figure).count();
    Statement::new(match below {
        0 => "published-figure-below-all-rounds",
        all if all == rounds.len() => "published-figure-above-all-rounds",
        _ => "published-figure-above-some-rounds",
    })
    .count("some", below as u64)
    .count("rounds", rounds.len() as u64)
    .name("side", side)
}

/// That a side that is shown to be better may not win.
fn shown_but_failing(side: &str, failures: &Failures) -> Statement {
    Statement::new("difference-shown-but-failing")
        .name("side", side)
        .parts("failures", failures.statements())
}

/// Standard deviation of the logarithm of a figure between two sessions on a machine of which nothing is known to have changed: assumed, as one session a side
/// cannot tell it, from repeated runs on a quiet machine (docs/decisions/0006-comparison.md).
const BETWEEN_SESSIONS: f64 = 0.005;

/// Widens an effect of two sides that were measured each at its own time: by what may differ between any two sessions, and by `slack` (logarithms, below and
/// above), which is what the machine may explain, by this evidence.
pub(crate) fn widen(
    effect: &mut Effect,
    pending: &mut Pending,
    slack: (f64, f64),
    evidence: Vec<Statement>,
    confidence: f64,
) {
    let Some(shift) = pending.shift else { return };
    let standard_error = shift
        .standard_error
        .hypot(BETWEEN_SESSIONS * std::f64::consts::SQRT_2);
    let between = Shift {
        standard_error,
        ..shift
    };
    let widened = between.with_slack(slack.0, slack.1);
    let (low, high) = widened.interval(confidence);
    pending.apart = (slack.0.max(slack.1) > 0.0).then_some((between, evidence));
    pending.shift = Some(widened);
    effect.interval =
        Some((low.exp(), high.exp())).filter(|(low, high)| high / low <= TELLING_FACTOR);
    effect.p_value = Some(widened.p_value());
    effect.machine = pending
        .apart
        .is_some()
        .then(|| (-(-slack.0).exp_m1(), slack.1.exp_m1()));
}

/// Adjusts the p-values for their number and gives every effect its verdict. Returns how many were tested.
pub(crate) fn decide(cells: &mut [Cell], pending: &[Vec<Pending>], settings: &Settings) -> u32 {
    let limit = settings.threshold.ln_1p();
    let shifts: Vec<Shift> = pending
        .iter()
        .flatten()
        .filter_map(Pending::tested)
        .collect();
    let adjusted_of = |p_value: &dyn Fn(&Shift) -> f64| {
        holm(&shifts.iter().map(p_value).collect::<Vec<f64>>()).into_iter()
    };
    let mut adjusted = adjusted_of(&Shift::p_value);
    let mut beyond = adjusted_of(&|shift| shift.p_value_beyond(limit));
    for (cell, pending) in cells.iter_mut().zip(pending) {
        let better = cell.better;
        for (effect, held) in cell.effects.iter_mut().zip(pending) {
            if held.tested().is_some() {
                (effect.adjusted_p_value, effect.threshold_p_value) =
                    (adjusted.next(), beyond.next());
            }
            judge(effect, held, better, shifts.len(), settings);
        }
    }
    shifts.len() as u32
}

impl Pending {
    /// No verdict is given, independent of the rounds.
    pub fn refuse(&mut self, kind: Undecided, why: Statement) {
        (self.undecided, self.shift, self.apart) = (Some((kind, why)), None, None);
    }

    /// The tested effect; `None` if no verdict is possible in any case.
    pub fn tested(&self) -> Option<Shift> {
        self.shift.filter(|_| self.undecided.is_none())
    }
}

fn judge(
    effect: &mut Effect,
    held: &Pending,
    better: Direction,
    tested: usize,
    settings: &Settings,
) {
    effect.more_rounds = None;
    if let Some((kind, reason)) = &held.undecided {
        (effect.undecided, effect.reason) = (Some(*kind), Some(reason.clone()));
        effect.more_rounds = held
            .shift
            .and_then(|shift| more_rounds(&shift, held.rounds, tested.max(1), settings));
        return;
    }
    let (Some(ratio), Some(interval), Some(shift)) = (effect.ratio, effect.interval, held.shift)
    else {
        let (kind, reason) = machine_not_same(held, settings).unwrap_or_else(|| {
            (
                Undecided::Scatter,
                Statement::new("rounds-give-no-interval"),
            )
        });
        (effect.undecided, effect.reason) = (Some(kind), Some(reason));
        return;
    };
    let percent = percent_of(settings.threshold);
    let wins = (ratio > 1.0) == (better == Direction::Higher);
    let failing = if wins {
        &held.failing_if_better
    } else {
        &held.failing_if_worse
    };
    let within = || Statement::new("interval-within-threshold").percent("threshold", percent);
    let shown = || Statement::new("difference-beyond-threshold").percent("threshold", percent);
    match (found(effect, interval, tested, settings), failing) {
        (Found::Within, _) => (effect.verdict, effect.reason) = (Verdict::Same, Some(within())),
        (Found::Beyond, Some(failing)) => {
            (effect.undecided, effect.reason) = (Some(Undecided::Failing), Some(failing.clone()));
        }
        (Found::Beyond, None) => {
            (effect.verdict, effect.reason) = (
                if wins {
                    Verdict::Better
                } else {
                    Verdict::Worse
                },
                Some(shown()),
            )
        }
        (Found::Neither(kind, reason), _) => match machine_not_same(held, settings) {
            Some((kind, reason)) => (effect.undecided, effect.reason) = (Some(kind), Some(reason)),
            None => {
                (effect.undecided, effect.reason) = (Some(kind), Some(reason));
                effect.more_rounds = more_rounds(&shift, held.rounds, tested, settings);
            }
        },
    }
}

/// True if the state of the machine is what keeps a figure undecided.
fn machine_not_same(held: &Pending, settings: &Settings) -> Option<Why> {
    let (apart, evidence) = held.apart.as_ref()?;
    let (low, high) = apart.interval(settings.confidence);
    let limit = settings.threshold.ln_1p();
    let decided = (low >= -limit && high <= limit) || low > limit || high < -limit;
    decided.then(|| {
        let why = match evidence.is_empty() {
            true => Statement::new("machine-not-the-same"),
            false => Statement::new("machine-not-the-same-because"),
        }
        .part("evidence", clauses(evidence.iter().cloned()));
        (Undecided::MachineNotSame, why)
    })
}

/// Position of an interval.
enum Found {
    /// Wholly within the practical threshold.
    Within,
    /// Wholly beyond it, which is shown among all effects that are tested.
    Beyond,
    Neither(Undecided, Statement),
}

fn found(effect: &Effect, (low, high): (f64, f64), tested: usize, settings: &Settings) -> Found {
    let percent = percent_of(settings.threshold);
    let (least, most) = (1.0 / (1.0 + settings.threshold), 1.0 + settings.threshold);
    let is_shown = |p: Option<f64>| p.is_some_and(|p| p < 1.0 - settings.confidence);
    if low >= least && high <= most {
        Found::Within
    } else if is_shown(effect.threshold_p_value) {
        Found::Beyond
    } else if low > most || high < least {
        Found::Neither(
            Undecided::ManyFigures,
            Statement::new("beyond-threshold-but-not-among-many")
                .percent("threshold", percent)
                .count("tested", tested as u64),
        )
    } else if is_shown(effect.adjusted_p_value) {
        Found::Neither(
            Undecided::NotBeyondThreshold,
            Statement::new("difference-not-beyond-threshold").percent("threshold", percent),
        )
    } else if is_shown(effect.p_value) {
        Found::Neither(
            Undecided::ManyFigures,
            Statement::new("difference-but-not-among-many").count("tested", tested as u64),
        )
    } else {
        Found::Neither(
            Undecided::Scatter,
            Statement::new("rounds-scatter-too-much").percent("threshold", percent),
        )
    }
}

/// Further rounds per side until the interval is probably within the threshold, or entirely beyond it among all tests.
fn more_rounds(shift: &Shift, rounds: usize, tested: usize, settings: &Settings) -> Option<u32> {
    let (distance, limit) = (shift.estimate.abs(), settings.threshold.ln_1p());
    let strict = 1.0 - (1.0 - settings.confidence) / tested as f64;
    let needed = if distance > limit {
        shift.rounds_needed(rounds, distance - limit, strict)
    } else {
        shift.rounds_needed(rounds, limit - distance, settings.confidence)
    };
    let further = needed?
        .max(LEAST_ROUNDS as u32)
        .saturating_sub(rounds as u32)
        .max(1);
    (further <= MOST_FURTHER_ROUNDS).then_some(further)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_tells_nothing_is_not_stated() {
        let column = |rounds: &[f64]| Column {
            rounds: rounds.iter().copied().map(Some).collect(),
            ..Column::default()
        };
        let interval = |a: &[f64], b: &[f64]| {
            contrast(&column(a), &column(b), 1, Design::Blocks, 0.95)
                .0
                .interval
        };
        assert_eq!(interval(&[100.0, 100.0], &[100.0, 300.0]), None);
        let (low, high) = interval(
            &[100.0, 101.0, 99.0, 100.0, 102.0],
            &[200.0, 201.0, 202.0, 199.0, 203.0],
        )
        .expect("five rounds");
        assert!(
            low > 1.9 && low < 2.0 && high > 2.0 && high < 2.1,
            "{low} to {high}"
        );
    }
}
