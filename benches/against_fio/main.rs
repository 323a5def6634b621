//! How much more load does plumb generate than fio? Both run in turn, and each round gives one ratio; the median over the rounds is compared with the goal.
//!
//! `./dev bench`, or with words: `./dev bench rounds=3 seconds=0.5 only=zero`. Ends with exit code 1 when a goal is missed.

mod contests;
mod programs;

#[path = "../exit_code.rs"]
mod exit_code;

use std::process::ExitCode;

use exit_code::exit_code;

use contests::{Contest, Measure, Places, contests};
use programs::{Figures, fio, plumb};

struct Words {
    rounds: usize,
    seconds: f64,
    only: String,
}

fn main() -> ExitCode {
    exit_code(words().and_then(|words| race(&words)))
}

fn words() -> Result<Words, String> {
    let mut words = Words {
        rounds: 7,
        seconds: 1.0,
        only: String::new(),
    };
    // cargo itself adds --bench.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let wrong = || format!("'{word}' is not understood: rounds=7, seconds=1, only=NAME");
        match word.split_once('=').ok_or_else(wrong)? {
            ("rounds", number) => {
                words.rounds = number
                    .parse()
                    .ok()
                    .filter(|rounds| *rounds > 0)
                    .ok_or_else(wrong)?
            }
            ("seconds", number) => {
                words.seconds = number
                    .parse()
                    .ok()
                    .filter(|seconds| *seconds >= 0.1)
                    .ok_or_else(wrong)?
            }
            ("only", name) => words.only = name.to_string(),
            _ => return Err(wrong()),
        }
    }
    Ok(words)
}

/// Runs all contests; whether all goals were met.
fn race(words: &Words) -> Result<bool, String> {
    let places = Places::make()?;
    let contests: Vec<Contest> = contests(&places)
        .into_iter()
        .filter(|contest| contest.name.contains(&words.only))
        .collect();
    if contests.is_empty() {
        return Err(format!("no contest has '{}' in its name", words.only));
    }
    println!(
        "{}, {}; {} interleaved rounds of {} s",
        programs::version("fio")?,
        programs::version(programs::PLUMB)?,
        words.rounds,
        words.seconds
    );
    println!(
        "thousand I/Os per second, medians; ratios are medians of the rounds' ratios; (per CPU) is I/Os per second of CPU time\n"
    );
    println!(
        "{:<58} {:>9} {:>9} {:>8} {:>10} {:>6}",
        "", "plumb", "fio", "ratio", "(per CPU)", "goal"
    );
    let mut met = true;
    for contest in &contests {
        met &= contest.run(words)?;
    }
    Ok(met)
}

impl Contest {
    /// Runs all rounds and prints a line for each opponent; whether the goals were met.
    fn run(&self, words: &Words) -> Result<bool, String> {
        let seconds = words.seconds * self.stretch;
        let mut ours = Vec::new();
        let mut theirs: Vec<Vec<Figures>> = vec![Vec::new(); self.opponents.len()];
        for round in 0..words.rounds {
            // Every second round runs backwards: a drift of the machine's speed touches both sides alike.
            let mut order: Vec<usize> = (0..=self.opponents.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for place in order {
                match place.checked_sub(1) {
                    None => ours.push(
                        plumb(&self.plumb, seconds)
                            .map_err(|reason| format!("{}: {reason}", self.name))?,
                    ),
                    Some(opponent) => {
                        let options = &self.opponents[opponent].options;
                        theirs[opponent].push(
                            fio(options, seconds)
                                .map_err(|reason| format!("{}: {reason}", self.name))?,
                        );
                    }
                }
            }
        }
        Ok(self
            .opponents
            .iter()
            .zip(&theirs)
            .fold(true, |met, (opponent, theirs)| {
                met & self.line(opponent, &ours, theirs)
            }))
    }

    fn line(&self, opponent: &contests::Opponent, ours: &[Figures], theirs: &[Figures]) -> bool {
        let by = |figure: fn(&Figures) -> f64| {
            median(
                ours.iter()
                    .zip(theirs)
                    .map(|(ours, theirs)| figure(ours) / figure(theirs)),
            )
        };
        let (rate, per_cpu) = (by(|figures| figures.per_s), by(|figures| figures.per_cpu_s));
        let judged = match self.measure {
            Measure::Rate => rate,
            Measure::PerCpu => per_cpu,
        };
        let met = opponent.goal.is_none_or(|goal| judged >= goal);
        println!(
            "{:<58} {:>9.1} {:>9.1} {rate:>8.2} {:>10} {:>6} {}",
            format!("{} : {}", self.name, opponent.name),
            median(ours.iter().map(|figures| figures.per_s)) / 1e3,
            median(theirs.iter().map(|figures| figures.per_s)) / 1e3,
            format!("({per_cpu:.2})"),
            opponent.goal.map_or("-".into(), |goal| goal.to_string()),
            match (opponent.goal, met, self.measure) {
                (None, ..) => "",
                (_, false, _) => "MISSED",
                (_, true, Measure::Rate) => "met",
                (_, true, Measure::PerCpu) => "met (per CPU)",
            }
        );
        met
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}
