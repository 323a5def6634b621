//! Does plumb keep its promises when it is killed, misled, or run on storage that fails? Whole matrices, which take minutes: `./dev harm`.
//!
//! Words choose a part and its size: `./dev harm kills=500`, `./dev harm refusals`, `./dev harm mangled=20000`; `seed=N` repeats a run. Without a part all
//! of them run. Ends with exit code 1 when a promise was broken, and 2 when a part could not be tried.

#[path = "../exit_code.rs"]
mod exit_code;
#[path = "../../crates/plumb-load/tests/site/ground.rs"]
#[allow(dead_code, clippy::expect_used, clippy::unwrap_used)]
mod ground;
mod kills;
mod mangled;
mod random;
mod refusals;

use std::process::ExitCode;

use exit_code::exit_code;
use random::Random;

/// How often each part is tried when no number is given.
const KILLS: u64 = 500;
const MANGLED: u64 = 20_000;

/// What is asked for.
#[derive(Debug, Default)]
struct Words {
    parts: Vec<(String, Option<u64>)>,
    seed: Option<u64>,
}

fn words() -> Result<Words, String> {
    let mut words = Words::default();
    // cargo adds --bench to the words.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let (name, number) = word.split_once('=').map_or((word.as_str(), None), |(name, number)| (name, Some(number)));
        let number = number.map(|text| text.parse::<u64>().map_err(|_| format!("'{word}': after the equals sign stands a whole number")));
        match name {
            "seed" => words.seed = number.transpose()?,
            "kills" | "refusals" | "mangled" => words.parts.push((name.to_string(), number.transpose()?)),
            _ => return Err(format!("'{word}' is no part: choose of kills, refusals and mangled, and seed=N")),
        }
    }
    Ok(words)
}

/// One part. `false`: a promise was broken, and what it was has been printed.
fn part(name: &str, number: Option<u64>, random: &mut Random) -> Result<bool, String> {
    match name {
        "kills" => kills::kills(number.unwrap_or(KILLS), random),
        "refusals" => refusals::refusals(),
        _ => mangled::mangled(number.unwrap_or(MANGLED), random),
    }
}

fn main() -> ExitCode {
    let tried = words().and_then(|words| {
        let seed = words.seed.unwrap_or_else(|| u64::from(std::process::id()));
        println!("seed={seed}");
        let all = ["refusals", "mangled", "kills"].map(|name| (name.to_string(), None)).to_vec();
        let parts = if words.parts.is_empty() { all } else { words.parts };
        let mut random = Random(seed);
        parts.iter().try_fold(true, |kept, (name, number)| part(name, *number, &mut random).map(|here| here && kept))
    });
    exit_code(tried)
}
