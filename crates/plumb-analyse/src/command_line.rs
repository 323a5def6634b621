//! Which complete command line repeats the measurement with other settings?

use plumb_model::plan::Origin;
use plumb_model::run::Run;
use plumb_model::text::shell::quoted;
use plumb_model::workload::{Direct, EngineChoice, Pin, Workload};
use serde_json::Value;

/// A key of the plan and the value that it is to have.
pub type Change = (&'static str, String);

/// Verbs that measure a plan, and take `--set KEY=VALUE` for each of its keys.
const VERBS: &[&str] = &["run", "check"];
/// Verbs that measure several things in turns: copy programs, the sides of a live comparison, layers. Of the keys they take `rounds` for all of them, as a
/// flag.
const IN_TURNS: &[&str] = &["copy-test", "compare", "layers"];

/// The command line that a run was started with, with these settings instead of those it had, and into a new folder; of a side of a live comparison, that
/// of the whole comparison. Missing where the verb does not take these settings, and for an imported result.
pub fn again(run: &Run, changes: &[Change]) -> Option<String> {
    let command = &run.header.command;
    let verb = command
        .get(1)
        .filter(|_| run.header.imported.is_none())?
        .as_str();
    let takes_all = VERBS.contains(&verb);
    if !takes_all && (!IN_TURNS.contains(&verb) || changes.iter().any(|(key, _)| *key != "rounds"))
    {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    let mut given = command.iter().peekable();
    while let Some(word) = given.next() {
        let flag = word.strip_prefix("--").map(|flag| {
            flag.split_once('=')
                .map_or((flag, None), |(flag, value)| (flag, Some(value)))
        });
        let replaced = |key: &str| changes.iter().any(|(changed, _)| *changed == key);
        match flag {
            Some(("json" | "quiet", None)) => {}
            Some(("output", value)) => drop(if value.is_none() { given.next() } else { None }),
            Some(("set", value)) => {
                let Some(pair) = value.or_else(|| given.next().map(String::as_str)) else {
                    continue;
                };
                if !pair
                    .split_once('=')
                    .is_some_and(|(key, _)| replaced(key.trim()))
                {
                    words.extend(["--set".to_string(), quoted(pair)]);
                }
            }
            Some((key, None)) if replaced(key) => {
                given.next_if(|next| is_value_of(key, next));
            }
            Some((key, Some(_))) if replaced(key) => {}
            _ => words.push(quoted(word)),
        }
    }
    let set = changes.iter().filter(|(_, value)| !value.is_empty());
    words.extend(set.flat_map(|(key, value)| match takes_all {
        true => ["--set".to_string(), quoted(&format!("{key}={value}"))],
        false => [format!("--{key}"), quoted(value)],
    }));
    Some(words.join(" "))
}

/// True if the word after `--KEY` is its value: flags with an optional value take only an unambiguous one.
fn is_value_of(key: &str, word: &str) -> bool {
    match key {
        "direct" => word.parse::<Direct>().is_ok(),
        "pin" => word.parse::<Pin>().is_ok(),
        "verify" | "keep" => matches!(word, "true" | "false"),
        _ => true,
    }
}

/// The command line that repeats one step of a run with other settings: the entire run if it has no other steps, else the step alone.
pub fn step_again(run: &Run, step: u32, changes: &[Change]) -> Option<String> {
    match run.header.plan.steps.len() {
        1 => again(run, changes),
        _ if run.header.imported.is_some() => None,
        _ => alone(run, step, changes),
    }
}

/// Keys not kept for a single step: values drawn for the run, and those that a short step of many needed.
const NOT_TAKEN_OVER: &[&str] = &["seed", "interval"];
/// How long a step is measured alone, and its warm-up, where nothing else is proposed: among many steps each had little time.
const ALONE: &[(&str, &str)] = &[("time", "10s"), ("warm-up", "1s")];

/// The command line that measures the main job of one step by itself, with these settings beside those that the plan gives it. An empty value takes a key
/// out.
fn alone(run: &Run, step: u32, changes: &[Change]) -> Option<String> {
    let step = run.header.plan.steps.get(step as usize)?;
    let (job, origins) = (step.jobs.first()?, step.origins.first()?);
    // A log that is replayed, and tests of programs, are more than their keys.
    if job.workload.replay.is_some() {
        return None;
    }
    let mut settings: Vec<(String, String)> = changes
        .iter()
        .map(|(key, value)| (key.to_string(), value.clone()))
        .collect();
    for (key, value) in ALONE {
        if job.workload.time.is_some() && !settings.iter().any(|(changed, _)| changed == key) {
            settings.push((key.to_string(), value.to_string()));
        }
    }
    let is_given = |key: &str| {
        origins
            .get(key)
            .is_some_and(|origin| *origin != Origin::Default)
            && !NOT_TAKEN_OVER.contains(&key)
    };
    let mut words = [run.header.command.first()?.as_str(), "run", "--target"]
        .map(quoted)
        .to_vec();
    words.push(quoted(&job.target.to_string()));
    let reported = stated_keys(&job.engine, &job.workload);
    let kept = reported
        .into_iter()
        .filter(|(key, _)| is_given(key) && !settings.iter().any(|(changed, _)| changed == key));
    let all: Vec<(String, String)> = kept
        .chain(
            settings
                .iter()
                .filter(|(_, value)| !value.is_empty())
                .cloned(),
        )
        .collect();
    words.extend(
        all.into_iter()
            .flat_map(|(key, value)| ["--set".to_string(), quoted(&format!("{key}={value}"))]),
    );
    Some(words.join(" "))
}

/// All keys that have a value, as text.
fn stated_keys(engine: &EngineChoice, workload: &Workload) -> Vec<(String, String)> {
    let mut reported = Vec::new();
    for part in [serde_json::to_value(engine), serde_json::to_value(workload)] {
        let Ok(Value::Object(keys)) = part else {
            continue;
        };
        reported.extend(keys.into_iter().filter_map(|(key, value)| match value {
            Value::String(text) => Some((key, text)),
            Value::Bool(_) | Value::Number(_) => Some((key, value.to_string())),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }));
    }
    reported
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Builder, ladder};

    fn command_again(line: &str, changes: &[Change]) -> Option<String> {
        let mut run = Builder::new(ladder("read", &[1])).finish();
        run.header.command = line.split(' ').map(String::from).collect();
        again(&run, changes)
    }

    #[test]
    fn a_run_is_repeated_as_it_was_typed_but_for_what_changes() {
        let rate = [
            ("rate", "7000".to_string()),
            ("arrivals", "poisson".to_string()),
        ];
        let check = |line: &str, expected: &str| {
            assert_eq!(
                command_again(line, &rate).as_deref(),
                Some(expected),
                "{line}"
            )
        };
        check(
            "plumb check /data --output x",
            "plumb check /data --set rate=7000 --set arrivals=poisson",
        );
        check(
            "./plumb run my.toml /data --output=x --rate 5",
            "./plumb run my.toml /data --set rate=7000 --set arrivals=poisson",
        );
        check(
            "plumb run --rate=5 --set arrivals=even --set depth=4",
            "plumb run --set depth=4 --set rate=7000 --set arrivals=poisson",
        );
        check(
            "plumb run --set=rate=5 --set=b=1",
            "plumb run --set b=1 --set rate=7000 --set arrivals=poisson",
        );
        assert_eq!(command_again("plumb compare --live a b", &rate), None);
        assert_eq!(command_again("plumb", &rate), None);
        assert_eq!(command_again("plumb copy-test cp", &rate), None);
        let rounds = command_again("plumb copy-test --rounds 3 cp", &[("rounds", "6".into())]);
        assert_eq!(rounds.as_deref(), Some("plumb copy-test cp --rounds 6"));
        let live = command_again(
            "plumb compare --live p.toml a b --rounds=3 --json",
            &[("rounds", "6".into())],
        );
        assert_eq!(
            live.as_deref(),
            Some("plumb compare --live p.toml a b --rounds 6")
        );
        let layers = command_again(
            "plumb layers --files . --rounds 2",
            &[("rounds", "6".into())],
        );
        assert_eq!(layers.as_deref(), Some("plumb layers --files . --rounds 6"));
        let pinned = |line: &str| command_again(line, &[("pin", "each".into())]);
        assert_eq!(
            pinned("plumb run --pin 0-1 depth").as_deref(),
            Some("plumb run depth --set pin=each")
        );
        assert_eq!(
            pinned("plumb run --pin depth").as_deref(),
            Some("plumb run depth --set pin=each")
        );
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        let mut run = Builder::new(ladder("read", &[1])).finish();
        run.header.command = ["plumb", "run", "--target", "my $(file)'s", "--block", "4k"]
            .map(String::from)
            .to_vec();
        assert_eq!(
            again(&run, &[("workers", "2".into())]).as_deref(),
            Some(r"plumb run --target 'my $(file)'\''s' --block 4k --set workers=2")
        );
    }

    #[test]
    fn a_step_alone_has_the_keys_that_its_plan_gives_it() {
        let mut run = Builder::new(ladder("read", &[1, 8])).finish();
        let step = &mut run.header.plan.steps[1];
        step.origins = vec![
            ["depth", "block"]
                .map(|key| (key.to_string(), Origin::File))
                .into_iter()
                .collect(),
        ];
        let found = step_again(&run, 1, &[("rate", "100".into()), ("time", "30s".into())]);
        let expected =
            "plumb run --target /data --set block=4k --set depth=8 --set rate=100 --set time=30s";
        assert_eq!(found.as_deref(), Some(expected));
        assert_eq!(step_again(&run, 9, &[]), None);
    }
}
