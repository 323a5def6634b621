//! Which flags set keys of a workload? Those defined by the keys, and two keys of the plan.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Arg, ArgAction, ArgMatches, Command};
use plumb_model::keys::{KeyForm, KeyHome, Keys};
use plumb_model::target::Target;
use plumb_model::workload::EngineChoice;
use plumb_plan::{Overrides, PLAN_KEYS, PlanFile, PlanKind, resolve};
use plumb_run::measurement::free_name;
use plumb_run::named_plan::{main_choice, refuse_impossible_engines};

use crate::preferences::Preferences;

/// Keys of the plan with a flag, and the placeholder of their values. Keys of a job define their flags next to their fields.
const PLAN_FLAGS: [(&str, &str); 2] = [("rounds", "N"), ("order", "WORD")];

/// The given flags as keys with values, in the order of the table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings(pub Vec<(String, String)>);

impl clap::FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let keys = Keys::get();
        let names = keys.with_flags().into_iter().map(|key| key.name.as_str());
        let given = names
            .chain(PLAN_FLAGS.map(|(name, _)| name))
            .filter_map(|name| {
                let text = matches.get_one::<String>(name)?;
                Some((name.to_string(), text.clone()))
            });
        Ok(Settings(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Settings::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Settings {
    /// Defines the flags only for the called verb: reading the keys takes longer than the rest of the command line.
    fn augment_args(command: Command) -> Command {
        command.defer(|command| command.args(flags()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args(command)
    }
}

/// One flag for each key that defines one.
fn flags() -> Vec<Arg> {
    let of_jobs = Keys::get().with_flags().into_iter().filter_map(|key| {
        let flag = key.traits.flag.as_ref()?;
        let argument = argument(&key.name, &flag.value_name, &key.meaning);
        Some(match &flag.alone {
            Some(alone) => argument
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value(alone.clone()),
            None => argument,
        })
    });
    let of_plan = PLAN_FLAGS.iter().filter_map(|(name, value_name)| {
        let (_, meaning) = PLAN_KEYS.iter().find(|(key, _)| key == name)?;
        Some(argument(name, value_name, meaning))
    });
    of_jobs.chain(of_plan).collect()
}

fn argument(name: &str, value_name: &str, meaning: &str) -> Arg {
    Arg::new(name.to_string())
        .long(name.to_string())
        .value_name(value_name.to_string())
        .help(meaning.trim_end_matches('.').to_string())
        .help_heading("Workload")
        .allow_negative_numbers(true)
        .action(ArgAction::Set)
}

/// The user's defaults, set once by `main`.
static PREFERRED: OnceLock<Preferences> = OnceLock::new();

/// Sets the user's defaults. The first call counts.
pub fn prefer(preferences: Preferences) {
    let _ = PREFERRED.set(preferences);
}

/// The user's defaults. Flags override them.
pub fn preferences() -> Preferences {
    PREFERRED.get().cloned().unwrap_or_default()
}

/// The run folder: the requested one, else a new name in the user's output folder; `None`: in the current directory.
pub fn run_folder(requested: Option<&PathBuf>, name: &str) -> Option<PathBuf> {
    requested.cloned().or_else(|| {
        let folder = preferences().output?;
        Some(free_name(&folder, name))
    })
}

/// The directory of run folders: the requested one, else the user's output folder; an empty path is the current directory.
pub fn run_folders(requested: Option<&PathBuf>) -> PathBuf {
    requested
        .cloned()
        .or_else(|| preferences().output)
        .unwrap_or_default()
}

/// `key=value` of `--set`.
pub fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_string(), value.to_string()))
        }
        _ => Err(format!(
            "'{text}' does not have the form key=value, such as depth=32"
        )),
    }
}

/// The connection to a target that `--set` requests, of a command that applies no load.
pub fn connection_choice(
    target: &Target,
    set: &[(String, String)],
) -> anyhow::Result<EngineChoice> {
    if set.is_empty() {
        return Ok(EngineChoice::default());
    }
    let is_share = target
        .remote()
        .is_some_and(|remote| remote.scheme.is_share());
    if !is_share {
        anyhow::bail!(
            "--set configures the connection to a share, and {target} is not a share: omit it, or name a share (smb://user@server/share, nfs://server/export)"
        );
    }
    let keys = Keys::get();
    for (key, _) in set {
        let of_load = keys.find(key).is_ok_and(|key| key.home != KeyHome::Engine);
        if of_load {
            anyhow::bail!(
                "--set {key}: this command applies no load; it supports only keys of the connection, such as nfs, dialect, signing, encryption, channels and endpoint-url"
            );
        }
    }
    let overrides = Overrides {
        set: set.to_vec(),
        flags: vec![("target".into(), target.to_string())],
    };
    let plan = resolve(&PlanFile::ad_hoc(), &overrides, PlanKind::AdHoc)?;
    refuse_impossible_engines(&plan)?;
    Ok(main_choice(&plan))
}

/// Joins `--direct try` and `--pin 0-3` with an equals sign. These flags have an optional value, so the parser accepts a value only after `=`;
/// the next word is joined if it can only be their value. So is a negative number with its unit (`--time -5s`), which the parser would
/// read as a flag: validation of the value reports the error.
pub fn join_optional_values(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let takes = |flag: &str, value: &str| {
        let key = Keys::get()
            .with_flags()
            .into_iter()
            .find(|key| flag.strip_prefix("--") == Some(key.name.as_str()));
        key.filter(|key| {
            key.traits
                .flag
                .as_ref()
                .is_some_and(|flag| flag.alone.is_some())
        })
        .is_some_and(|key| match key.form {
            // 1 or on may also be the name of a plan.
            KeyForm::Flag => matches!(value, "true" | "false"),
            _ => key.value(value).is_ok() || names_nothing(value),
        })
    };
    let mut joined: Vec<OsString> = Vec::new();
    for argument in arguments {
        let value = argument.to_str().unwrap_or_default();
        let last = joined.last().and_then(|last| last.to_str());
        let joins = last.is_some_and(|last| {
            last.len() > 2
                && last.starts_with("--")
                && !last.contains('=')
                && (is_negative(value) || takes(last, value))
        });
        match joined.last_mut().filter(|_| joins) {
            Some(last) => {
                last.push("=");
                last.push(argument);
            }
            None => joined.push(argument),
        }
    }
    joined
}

/// `-5s`, `-4k`: no flag begins with a digit.
fn is_negative(word: &str) -> bool {
    let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
    letters.next().is_some_and(|letter| letter.is_ascii_digit())
}

/// True for a single word that is neither a plan nor a file nor an address: it can only be a mistyped value.
fn names_nothing(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|letter| letter.is_ascii_alphanumeric())
        && plumb_plan::plans::find(word).is_none()
        && !std::path::Path::new(word).exists()
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
        let flags = flags();
        assert!(flags.len() > 20);
        for argument in &flags {
            let meaning = argument.get_help().map(ToString::to_string);
            assert!(meaning.is_some_and(|text| text.len() > 15), "{argument}");
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
            ("plumb run --direct maybe", "maybe"),
            ("plumb run --pin x.toml", "each"),
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
