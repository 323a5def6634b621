//! How often do the intervals cover the truth, and how often is noise called a difference? Thousands of seeded comparisons of known samples.

use super::effect::{Shift, independent, paired};
use super::simulation::Draw;

/// Comparisons of each kind: the standard error of a share of 5 % is then 0.5 %.
const REPETITIONS: usize = 2000;

/// How the logarithms of rounds are distributed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rounds {
    /// Standard deviation 5 %.
    Normal,
    /// Far to one side: log-normal, on the scale of logarithms already.
    Heavy,
    /// Two modes 30 % apart; the share of the upper one.
    Bimodal(f64),
    /// One round in twenty takes 2.7 times as long.
    Hiccups,
    /// Each round resembles the one before.
    Autoregressive(f64),
}

/// Rounds that do not resemble their neighbours.
const APART: [Rounds; 6] = [
    Rounds::Normal,
    Rounds::Heavy,
    Rounds::Bimodal(0.5),
    Rounds::Bimodal(0.2),
    Rounds::Bimodal(0.1),
    Rounds::Hiccups,
];
/// Rounds that do.
const ALIKE: [Rounds; 3] = [
    Rounds::Autoregressive(0.3),
    Rounds::Autoregressive(0.6),
    Rounds::Autoregressive(0.8),
];
/// Numbers of rounds a side.
const SIZES: [usize; 5] = [5, 6, 10, 20, 40];

impl Rounds {
    fn draw(self, draw: &mut Draw, n: usize) -> Vec<f64> {
        match self {
            Rounds::Normal => draw.rounds(n, |draw| 0.05 * draw.normal()),
            Rounds::Heavy => draw.rounds(n, |draw| 0.05 * (0.8 * draw.normal()).exp()),
            Rounds::Bimodal(share) => draw.rounds(
                n,
                |draw| if draw.share() < share { 0.3 } else { 0.0 } + 0.01 * draw.normal(),
            ),
            Rounds::Hiccups => draw.rounds(
                n,
                |draw| if draw.share() < 0.05 { 1.0 } else { 0.0 } + 0.02 * draw.normal(),
            ),
            Rounds::Autoregressive(r) => draw.autoregressive(n, r, 0.05),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Sides {
    Independent,
    Blocks,
}

impl Sides {
    /// A comparison whose second side takes longer by `shift`.
    fn compare(self, draw: &mut Draw, rounds: Rounds, n: usize, shift: f64) -> Shift {
        match self {
            Sides::Independent => {
                let (a, b) = (rounds.draw(draw, n), rounds.draw(draw, n));
                independent(&a, &b.iter().map(|value| value + shift).collect::<Vec<_>>())
            }
            Sides::Blocks => {
                // One series of rounds; who goes first is drawn for each pair of blocks and turned round in the second of them.
                let series = rounds.draw(draw, 2 * n);
                let mut sign = 1.0;
                let difference = |(index, block): (usize, &[f64])| {
                    sign = if index % 2 == 1 {
                        -sign
                    } else if draw.share() < 0.5 {
                        1.0
                    } else {
                        -1.0
                    };
                    sign * (block[1] - block[0]) + shift
                };
                let differences: Vec<f64> = series.chunks(2).enumerate().map(difference).collect();
                paired(&differences)
            }
        }
        .expect("enough rounds")
    }
}

/// Shares of [`REPETITIONS`] comparisons.
struct Shares {
    /// The interval at 95 % does not cover the truth. Without a true shift this is also how often p < 0.05.
    missed: f64,
    /// A difference of more than 5 % is shown: the entire interval is beyond it.
    shown: f64,
}

fn shares(sides: Sides, rounds: Rounds, n: usize, shift: f64) -> Shares {
    let mut draw = Draw::seeded(n as u64);
    let (mut missed, mut shown) = (0, 0);
    for _ in 0..REPETITIONS {
        let got = sides.compare(&mut draw, rounds, n, shift);
        let (low, high) = got.interval(0.95);
        missed += usize::from(!(low..=high).contains(&shift));
        shown += usize::from(got.p_value_beyond(0.05f64.ln_1p()) < 0.05);
    }
    Shares {
        missed: missed as f64 / REPETITIONS as f64,
        shown: shown as f64 / REPETITIONS as f64,
    }
}

/// Without a true difference: the interval misses, and a difference would be shown, at most so often.
fn at_most(sides: Sides, rounds: Rounds, n: usize, missed: f64, shown: f64) {
    let got = shares(sides, rounds, n, 0.0);
    assert!(
        got.missed <= missed && got.shown <= shown,
        "{sides:?}, {rounds:?}, {n} rounds: missed {:.4} (at most {missed}), shown {:.4} (at most {shown})",
        got.missed,
        got.shown
    );
}

/// Three standard errors above 5 %.
const FIVE_IN_A_HUNDRED: f64 = 0.065;

#[test]
fn independent_sides_keep_to_five_in_a_hundred() {
    for rounds in APART {
        for n in SIZES {
            at_most(Sides::Independent, rounds, n, 0.05, 0.05);
        }
    }
}

/// Known weak spot: from a few rounds the likeness of neighbours cannot be told, and each side may have met its own weather.
#[test]
fn independent_sides_of_rounds_that_resemble_their_neighbours_are_wrong_more_often() {
    let limits = [
        [0.08, 0.08, 0.07, 0.06, 0.05],
        [0.14, 0.14, 0.09, 0.06, 0.05],
        [0.22, 0.21, 0.13, 0.075, 0.055],
    ];
    for (rounds, limits) in ALIKE.into_iter().zip(limits) {
        for (n, limit) in SIZES.into_iter().zip(limits) {
            at_most(Sides::Independent, rounds, n, limit, limit);
        }
    }
}

#[test]
fn sides_in_blocks_keep_to_five_in_a_hundred() {
    for rounds in APART {
        for n in SIZES {
            // Known weak spot: 20 differences of two modes, of which one end may be cut off altogether.
            let limit = if rounds == Rounds::Bimodal(0.5) && n >= 20 {
                0.085
            } else {
                FIVE_IN_A_HUNDRED
            };
            at_most(Sides::Blocks, rounds, n, limit, limit);
        }
    }
}

/// Known weak spot: as the order of a block is that of the one before turned round, their differences resemble each other a little.
/// Differences that count are hardly ever shown all the same.
#[test]
fn sides_in_blocks_do_not_mind_rounds_that_resemble_their_neighbours() {
    for rounds in ALIKE {
        for n in SIZES {
            at_most(Sides::Blocks, rounds, n, 0.085, 0.04);
        }
    }
}

#[test]
fn a_difference_of_twenty_percent_is_shown_to_be_more_than_five() {
    let at_least = |sides: Sides, rounds: Rounds, n: usize, least: f64| {
        let got = shares(sides, rounds, n, 0.2f64.ln_1p()).shown;
        assert!(
            got >= least,
            "{sides:?}, {rounds:?}, {n} rounds: shown {got:.4}, at least {least}"
        );
    };
    for (rounds, independent, blocks) in [
        (Rounds::Normal, [0.60, 0.80, 0.98], [0.70, 0.90, 0.98]),
        (Rounds::Heavy, [0.52, 0.79, 0.97], [0.64, 0.88, 0.98]),
        // Plain means would need far more rounds: one hiccup doubles their interval.
        (Rounds::Hiccups, [0.48, 0.80, 0.82], [0.52, 0.82, 0.85]),
        // What side by side is for: their common weather falls out.
        (
            Rounds::Autoregressive(0.8),
            [0.30, 0.20, 0.22],
            [0.98, 0.99, 0.99],
        ),
    ] {
        for (n, (independent, blocks)) in [6, 10, 20]
            .into_iter()
            .zip(independent.into_iter().zip(blocks))
        {
            at_least(Sides::Independent, rounds, n, independent);
            at_least(Sides::Blocks, rounds, n, blocks);
        }
    }
}

#[test]
fn many_figures_together_keep_to_five_in_a_hundred() {
    let mut draw = Draw::seeded(3);
    for sides in [Sides::Independent, Sides::Blocks] {
        let family = |_: &usize| {
            let p_values: Vec<f64> = (0..24)
                .map(|_| sides.compare(&mut draw, Rounds::Normal, 6, 0.0).p_value())
                .collect();
            super::holm::holm(&p_values).iter().any(|p| *p < 0.05)
        };
        let alarmed = (0..500).filter(family).count();
        // Three standard errors above 25.
        assert!(alarmed <= 39, "{sides:?}: {alarmed} of 500");
    }
}

#[test]
fn the_interval_of_one_side_covers_its_centre() {
    let mut draw = Draw::seeded(4);
    for n in SIZES {
        let misses = |_: &usize| {
            let (_, interval) =
                super::effect::location(&Rounds::Normal.draw(&mut draw, n)).expect("rounds");
            interval.is_none_or(|(low, high)| !(low..=high).contains(&0.0))
        };
        let missed = (0..REPETITIONS).filter(misses).count();
        assert!(
            (70..=130).contains(&missed),
            "{n} rounds: {missed} of {REPETITIONS}"
        );
    }
}

/// What is foretold after six rounds suffices about half of the time: as many pilots see too little spread as see too much.
#[test]
fn foretold_rounds_are_about_enough() {
    let mut draw = Draw::seeded(5);
    let enough = |_: &usize| {
        let pilot = Sides::Blocks.compare(&mut draw, Rounds::Normal, 6, 0.0);
        let rounds = pilot.rounds_needed(6, 0.03, 0.95).expect("a number");
        Sides::Blocks
            .compare(&mut draw, Rounds::Normal, rounds as usize, 0.0)
            .half_width(0.95)
            <= 0.03
    };
    let enough = (0..REPETITIONS).filter(enough).count() as f64 / REPETITIONS as f64;
    assert!((0.35..=0.65).contains(&enough), "{enough}");
}
