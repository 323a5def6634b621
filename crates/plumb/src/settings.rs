//! Which flag stands for which key? One table; meanings come from the keys themselves.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command};
use plumb_model::keys::Keys;
use plumb_model::workload::{Direct, Pin};
use plumb_plan::PLAN_KEYS;

/// A flag that stands for a key of the same name.
struct Flag {
    key: &'static str,
    value_name: &'static str,
    /// Value when the flag stands alone: `--direct` is `--direct=true`.
    alone: Option<&'static str>,
}

const fn flag(key: &'static str, value_name: &'static str) -> Flag {
    Flag {
        key,
        value_name,
        alone: None,
    }
}

const fn switch(key: &'static str, value_name: &'static str, alone: &'static str) -> Flag {
    Flag {
        key,
        value_name,
        alone: Some(alone),
    }
}

/// The flags of `plumb run`. Every other key is given with `--set`.
const FLAGS: &[Flag] = &[
    flag("target", "PATH|null:"),
    flag("engine", "NAME"),
    flag("pattern", "WORD"),
    flag("read-percent", "PERCENT"),
    flag("mix", "MIX"),
    flag("offsets", "ORDER"),
    flag("block", "SIZE"),
    flag("depth", "N"),
    flag("workers", "N"),
    flag("layout", "WORD"),
    flag("rate", "PER_SECOND"),
    flag("arrivals", "WORD"),
    flag("time", "TIME"),
    flag("bytes", "SIZE"),
    flag("operations", "N"),
    flag("warm-up", "TIME"),
    flag("size", "SIZE"),
    switch("direct", "WORD", "true"),
    flag("sync", "WORD"),
    switch("verify", "FLAG", "true"),
    switch("pin", "WHERE", "each"),
    flag("seed", "N"),
    flag("interval", "TIME"),
    flag("files", "N"),
    switch("keep", "FLAG", "true"),
    flag("rounds", "N"),
    flag("order", "WORD"),
];

/// The flags that were given, as keys with values, in the order of the table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings(pub Vec<(String, String)>);

impl clap::FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = FLAGS.iter().filter_map(|flag| {
            Some((
                flag.key.to_string(),
                matches.get_one::<String>(flag.key)?.clone(),
            ))
        });
        Ok(Settings(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Settings::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Settings {
    fn augment_args(command: Command) -> Command {
        let keys = Keys::derive();
        FLAGS.iter().fold(command, |command, flag| {
            command.arg(argument(flag, &meaning(&keys, flag.key)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args(command)
    }
}

fn meaning(keys: &Keys, name: &str) -> String {
    let of_plan = PLAN_KEYS
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, meaning)| (*meaning).to_string());
    let meaning = keys
        .find(name)
        .map(|key| key.meaning.clone())
        .ok()
        .or(of_plan)
        .unwrap_or_default();
    meaning.trim_end_matches('.').to_string()
}

fn argument(flag: &Flag, meaning: &str) -> Arg {
    let argument = Arg::new(flag.key)
        .long(flag.key)
        .value_name(flag.value_name)
        .help(meaning.to_string())
        .help_heading("Workload")
        .allow_negative_numbers(true)
        .action(ArgAction::Set);
    match flag.alone {
        Some(alone) => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(alone),
        None => argument,
    }
}

/// `key=value` of `--set`.
pub fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_string(), value.to_string()))
        }
        _ => Err(format!(
            "'{text}' is not of the form key=value, such as depth=32"
        )),
    }
}

/// Joins `--direct try` and `--pin 0-3` with an equals sign. These flags may stand alone, so the parser takes a value only after `=`;
/// but the next word is joined when it can be nothing else than their value.
pub fn join_optional_values(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for argument in arguments {
        let value = argument.to_str().unwrap_or_default();
        let takes = match joined.last().and_then(|last| last.to_str()) {
            Some("--direct") => value.parse::<Direct>().is_ok(),
            Some("--pin") => value.parse::<Pin>().is_ok(),
            Some("--verify" | "--keep") => matches!(value, "true" | "false"),
            _ => false,
        };
        match joined.last_mut().filter(|_| takes) {
            Some(last) => {
                last.push("=");
                last.push(argument);
            }
            None => joined.push(argument),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    use crate::cli::{Cli, Verb};

    fn run(line: &str) -> Vec<(String, String)> {
        let words = join_optional_values(line.split(' ').map(OsString::from));
        match Cli::try_parse_from(words)
            .unwrap_or_else(|error| panic!("{line}: {error}"))
            .verb
        {
            Verb::Run(run) => run.settings.0,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_flag_is_a_key_with_a_meaning() {
        let keys = Keys::derive();
        for flag in FLAGS {
            assert!(meaning(&keys, flag.key).len() > 15, "{}", flag.key);
        }
    }

    #[test]
    fn flags_become_keys() {
        let given = run(
            "plumb run --target ./x --pattern random-read --block 4k --depth 32 --workers 4 --time 10s",
        );
        assert_eq!(given[0], ("target".into(), "./x".into()));
        assert_eq!(given.len(), 6);
    }

    #[test]
    fn values_of_direct_and_pin_are_optional() {
        for (line, expected) in [
            ("plumb run --direct depth", "true"),
            ("plumb run --direct try", "try"),
            ("plumb run --direct=false", "false"),
            ("plumb run --direct --depth 4", "true"),
            ("plumb run --pin", "each"),
            ("plumb run --pin 0-3 x.toml", "0-3"),
            ("plumb run --pin numa:0", "numa:0"),
        ] {
            let given = run(line);
            let value = given
                .iter()
                .find(|(key, _)| key == "direct" || key == "pin")
                .map(|(_, value)| value.as_str());
            assert_eq!(value, Some(expected), "{line}");
        }
    }

    #[test]
    fn pairs() {
        assert_eq!(parse_pair("a = b=c"), Ok(("a".into(), " b=c".into())));
        assert!(parse_pair("depth").is_err() && parse_pair("=3").is_err());
    }
}
