//! Does plumb keep its promises when it is killed, misled, or run on storage that fails? Whole matrices, which take minutes: `./dev harm`.
//!
//! Words choose a part and its size: `./dev harm kills=500`, `./dev harm refusals`, `./dev harm mangled=20000`, `./dev harm faults`, `./dev harm aa=40`;
//! `seed=N` repeats a run. Without a part all of them run. Ends with exit code 1 when a promise was broken, and 2 when a part could not be tried.

mod aa;
#[path = "../exit_code.rs"]
mod exit_code;
#[cfg(target_os = "linux")]
#[path = "../../testdata/peers/fault_fs/mod.rs"]
#[allow(clippy::expect_used, clippy::unwrap_used)]
mod fault_fs;
#[cfg(target_os = "linux")]
mod faults;
#[path = "../../crates/plumb-load/tests/site/fixtures.rs"]
#[allow(dead_code, clippy::expect_used, clippy::unwrap_used)]
mod fixtures;
#[path = "../../testdata/peers/ganesha.rs"]
#[allow(clippy::expect_used, clippy::unwrap_used)]
mod ganesha;
mod kills;
mod mangled;
#[path = "../../testdata/peers/ports.rs"]
#[allow(dead_code, clippy::expect_used, clippy::unwrap_used)]
mod ports;
mod random;
mod refusals;
#[path = "../../testdata/peers/samba.rs"]
#[allow(clippy::expect_used, clippy::unwrap_used)]
mod samba;
mod servers;

use std::process::ExitCode;

use exit_code::exit_code;
use random::Random;

/// How often each part is tried when no number is given.
const KILLS: u64 = 500;
const MANGLED: u64 = 20_000;
const PAIRS: u64 = 40;

/// The request.
#[derive(Debug, Default)]
struct Words {
    parts: Vec<(String, Option<u64>)>,
    seed: Option<u64>,
}

fn words() -> Result<Words, String> {
    let mut words = Words::default();
    // cargo adds --bench to the words.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let (name, number) = word
            .split_once('=')
            .map_or((word.as_str(), None), |(name, number)| (name, Some(number)));
        let number = number.map(|text| {
            text.parse::<u64>()
                .map_err(|_| format!("'{word}': after the equals sign stands a whole number"))
        });
        match name {
            "seed" => words.seed = number.transpose()?,
            "kills" | "refusals" | "mangled" | "faults" | "aa" => {
                words.parts.push((name.to_string(), number.transpose()?))
            }
            _ => {
                return Err(format!(
                    "'{word}' is no part: choose of kills, refusals, mangled, faults and aa, and seed=N"
                ));
            }
        }
    }
    Ok(words)
}

/// One part. `false`: a promise was broken, and what it was has been printed.
fn part(name: &str, number: Option<u64>, random: &mut Random) -> Result<bool, String> {
    match name {
        "kills" => kills::kills(number.unwrap_or(KILLS), random),
        "refusals" => refusals::refusals(),
        #[cfg(target_os = "linux")]
        "faults" => faults::faults(random),
        #[cfg(not(target_os = "linux"))]
        "faults" => Err("the file system with faults is one of Linux (FUSE)".into()),
        "aa" => aa::aa(number.unwrap_or(PAIRS), random),
        _ => mangled::mangled(number.unwrap_or(MANGLED), random),
    }
}

fn main() -> ExitCode {
    let tried = words().and_then(|words| {
        let seed = words.seed.unwrap_or_else(|| u64::from(std::process::id()));
        println!("seed={seed}");
        let all = ["refusals", "mangled", "faults", "aa", "kills"]
            .map(|name| (name.to_string(), None))
            .to_vec();
        let parts = if words.parts.is_empty() {
            all
        } else {
            words.parts
        };
        parts.iter().try_fold(true, |kept, (name, number)| {
            // Each part begins with the seed: alone it does the same again.
            let here = part(name, *number, &mut Random(seed))?;
            if !here {
                let number = number.map_or(String::new(), |number| format!("={number}"));
                println!("{name}: to try the same again: ./dev harm {name}{number} seed={seed}");
            }
            Ok(here && kept)
        })
    });
    exit_code(tried)
}
