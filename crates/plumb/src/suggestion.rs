//! Which command line is meant by one with fio's flags, or with a pattern or a plan in the wrong position?

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use plumb_model::engines::ENGINES;
use plumb_model::keys::Keys;
use plumb_model::keys::sugar::PATTERNS;
use plumb_model::text::shell::quoted;
use plumb_plan::fio_job::{OptionKind, options};
use plumb_plan::plans;

/// The commands that take the flags of a workload.
const VERBS: [&str; 3] = ["run", "find", "launch"];

/// Flags of a workload that fio has under the same name and with the same meaning.
const SHARED_FLAGS: [&str; 3] = ["size", "direct", "sync"];

/// The values of fio's option rw with plumb's patterns, and the share of reads in percent where plumb's default differs.
const FIO_PATTERNS: &[(&str, &str, Option<u32>)] = &[
    ("read", "sequential-read", None),
    ("write", "sequential-write", None),
    ("trim", "sequential-trim", None),
    ("randread", "random-read", None),
    ("randwrite", "random-write", None),
    ("randtrim", "random-trim", None),
    ("rw", "sequential-mixed", Some(50)),
    ("readwrite", "sequential-mixed", Some(50)),
    ("randrw", "random-mixed", Some(50)),
];

/// A key of plumb with its value.
type Setting = (String, String);

/// The message with the correct command line of `command`, for one that was refused. None: nothing in it is known.
pub fn of(mut command: Command, arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments
        .iter()
        .skip(1)
        .map(|word| word.to_str())
        .collect::<Option<_>>()?;
    command.build();
    let position = words
        .iter()
        .position(|word| command.find_subcommand(word).is_some());
    let verb = position.and_then(|position| words.get(position)).copied();
    let rest = position.map_or(0, |position| position + 1);
    let verb_or_run = verb.unwrap_or("run");
    if !VERBS.contains(&verb_or_run) {
        return None;
    }
    let line = Line::read(
        words.get(rest..)?,
        command.find_subcommand(verb_or_run)?,
        verb_or_run,
    )?;
    line.message(verb)
}

/// True for the name of a pattern, fio's or plumb's own, that names neither a plan nor a file.
pub fn is_pattern(name: &str) -> bool {
    pattern_of(name).is_some() && plans::find(name).is_none() && !Path::new(name).exists()
}

/// A command line after its verb.
struct Line<'a> {
    verb: &'a str,
    /// Flags of plumb with their values, as they were given.
    kept: Vec<String>,
    /// One of them is not fio's too.
    is_mixed: bool,
    /// What fio's flags and the pattern mean here.
    settings: Vec<Setting>,
    positionals: Vec<&'a str>,
    /// The pattern that stands where a plan is expected.
    pattern: Option<&'a str>,
    /// fio's flags as they were given, for `plumb fio`.
    of_fio: Vec<String>,
    /// One clause for each of fio's flags: `--bs is --block`.
    renamed: Vec<String>,
    /// fio's flags that no flag or key of plumb stands for.
    without_flag: Vec<String>,
}

impl<'a> Line<'a> {
    /// None: it has a flag that neither plumb nor fio knows.
    fn read(words: &[&'a str], command: &Command, verb: &'a str) -> Option<Line<'a>> {
        let options = options(Keys::get());
        let mut line = Line {
            verb,
            kept: Vec::new(),
            is_mixed: false,
            settings: Vec::new(),
            positionals: Vec::new(),
            pattern: None,
            of_fio: Vec::new(),
            renamed: Vec::new(),
            without_flag: Vec::new(),
        };
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
                line.positionals.push(word);
                continue;
            };
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (flag, None),
            };
            let found = options
                .iter()
                .find(|option| option.name == name || option.aliases.contains(&name));
            if let Some(takes_value) =
                flag_of_plumb(command, name).filter(|_| !is_value_of_fio(name, value))
            {
                let next = (takes_value && value.is_none())
                    .then(|| words.next())
                    .flatten();
                line.kept.push(word.into());
                line.kept.extend(next.map(String::from));
                match value.or(next).filter(|_| SHARED_FLAGS.contains(&name)) {
                    Some(value) => line.of_fio.push(format!("--{name}={value}")),
                    None => line.is_mixed = true,
                }
            } else {
                let option = found?;
                let value = value
                    .or_else(|| words.next_if(|next| !option.alone && !next.starts_with("--")));
                line.take_option(option, name, value.unwrap_or("1"));
            }
        }
        line.take_pattern();
        Some(line)
    }

    fn take_option(&mut self, option: &OptionKind, name: &str, value: &str) {
        self.of_fio.push(format!("--{name}={value}"));
        match settings_of(option.name, value) {
            Some(settings) => {
                match settings.first() {
                    Some((key, _)) if flag(key) == format!("--{name}") => {}
                    Some((key, _)) => self.renamed.push(format!("--{name} is {}", flag(key))),
                    None => self.renamed.push(format!("--{name} is not needed")),
                }
                self.set(settings);
            }
            None => self.without_flag.push(format!("--{name}={value}")),
        }
    }

    /// Adds settings: the first replaces one of the same key, the others are defaults.
    fn set(&mut self, settings: Vec<Setting>) {
        for (index, (key, value)) in settings.into_iter().enumerate() {
            match self.settings.iter_mut().find(|(known, _)| *known == key) {
                Some(known) if index == 0 => known.1 = value,
                Some(_) => {}
                None => self.settings.push((key, value)),
            }
        }
    }

    /// True if a flag of plumb that was given sets this key.
    fn keeps(&self, key: &str) -> bool {
        let flag = format!("--{key}");
        self.kept
            .iter()
            .any(|word| word.split('=').next() == Some(flag.as_str()))
    }

    /// Takes a pattern that stands in the position of a plan, and a target that follows it or stands there instead.
    fn take_pattern(&mut self) {
        if self.verb == "find" {
            return;
        }
        let first = self.positionals.first().copied();
        if let Some(word) = first.filter(|word| is_pattern(word)) {
            self.pattern = Some(word);
            self.positionals.remove(0);
            self.set(pattern_of(word).unwrap_or_default());
        }
        let has_pattern = self.settings.iter().any(|(key, _)| key == "pattern");
        let is_target = |word: &str| {
            self.pattern.is_some()
                || (has_pattern && word.contains('/') && plans::find(word).is_none())
        };
        if let Some(target) = self
            .positionals
            .first()
            .copied()
            .filter(|word| is_target(word))
        {
            self.positionals.remove(0);
            self.settings.insert(0, ("target".into(), target.into()));
        }
    }

    fn message(&self, verb: Option<&str>) -> Option<String> {
        let plan = self
            .positionals
            .first()
            .filter(|plan| plans::find(plan).is_some());
        let reason = if let Some(pattern) = self.pattern {
            format!("'{pattern}' is a pattern, not a plan or a command: set it with --pattern")
        } else if !self.without_flag.is_empty() {
            return self.by_plumb_fio();
        } else if !self.renamed.is_empty() {
            format!("these are fio's flags: {}", self.renamed.join(", "))
        } else if let (None, Some(plan)) = (verb, plan) {
            format!("'{plan}' is a plan, not a command: use plumb run")
        } else {
            return None;
        };
        let mut words = vec!["plumb".to_string(), self.verb.to_string()];
        words.extend(self.positionals.iter().map(|word| quoted(word)));
        let settings = self.settings.iter().filter(|(key, _)| !self.keeps(key));
        words.extend(settings.map(|(key, value)| as_flag(key, value)));
        words.extend(self.kept.iter().map(|word| quoted(word)));
        let mut message = format!("{reason}. Run:\n  {}", words.join(" "));
        let is_cache_chosen =
            self.settings.iter().any(|(key, _)| key == "direct") || self.keeps("direct");
        if !self.renamed.is_empty() && !is_cache_chosen {
            message.push_str("\nfio uses the page cache by default, plumb bypasses it where possible: add --direct=false to use it.");
        }
        Some(message)
    }

    /// The message for options that only `plumb fio` takes.
    fn by_plumb_fio(&self) -> Option<String> {
        let names: Vec<&str> = self
            .without_flag
            .iter()
            .filter_map(|option| option.split('=').next())
            .collect();
        let reason = format!(
            "plumb {} has no flag for fio's {}; plumb fio runs fio's command lines",
            self.verb,
            names.join(", ")
        );
        if self.is_mixed {
            return Some(format!("{reason} (plumb fio --help)"));
        }
        let named = self
            .positionals
            .iter()
            .map(|word| match Path::new(word).is_dir() {
                true => format!("--directory={word}"),
                false => format!("--filename={word}"),
            });
        let words: Vec<String> = ["plumb", "fio", "--name=job"]
            .into_iter()
            .map(String::from)
            .chain(
                self.of_fio
                    .iter()
                    .filter(|option| !option.starts_with("--name="))
                    .map(|option| quoted(option)),
            )
            .chain(named.map(|option| quoted(&option)))
            .collect();
        Some(format!("{reason}. Run:\n  {}", words.join(" ")))
    }
}

/// Whether the flag of this command takes a value as the next word; none: it has no such flag.
fn flag_of_plumb(command: &Command, name: &str) -> Option<bool> {
    let argument = command.get_arguments().find(|argument| {
        argument.get_long() == Some(name)
            || argument
                .get_all_aliases()
                .is_some_and(|aliases| aliases.contains(&name))
    })?;
    Some(argument.get_action().takes_values() && !argument.is_require_equals_set())
}

/// True for a flag that both programs have, with a value that only fio takes.
fn is_value_of_fio(name: &str, value: Option<&str>) -> bool {
    matches!(name, "direct" | "sync") && matches!(value, Some("0" | "1"))
}

/// The keys that fio's word for a pattern, or plumb's own, stands for.
fn pattern_of(word: &str) -> Option<Vec<Setting>> {
    let pattern = |word: &str| ("pattern".to_string(), word.to_string());
    if let Some((_, ours, read_percent)) = FIO_PATTERNS.iter().find(|(theirs, ..)| *theirs == word)
    {
        let share = read_percent.map(|share| ("read-percent".to_string(), share.to_string()));
        return Some(std::iter::once(pattern(ours)).chain(share).collect());
    }
    PATTERNS
        .iter()
        .any(|pattern| pattern.word == word)
        .then(|| vec![pattern(word)])
}

/// The keys that an option of fio stands for; empty where plumb does that anyway. None: no key stands for it, or not for this value.
fn settings_of(option: &str, value: &str) -> Option<Vec<Setting>> {
    let one = |key: &str, value: String| Some(vec![(key.to_string(), value)]);
    let number = value.parse::<u64>().ok();
    // Two values are for reads and writes, which plumb has no two keys for.
    if value.contains(',') && option != "cpus_allowed" {
        return None;
    }
    let time = |unit: &str| match number {
        Some(number) => format!("{number}{unit}"),
        None => value.to_string(),
    };
    match option {
        "rw" => pattern_of(value),
        "bs" => one("block", value.into()),
        "iodepth" => one("depth", value.into()),
        "numjobs" => one("workers", value.into()),
        "runtime" => one("time", time("s")),
        "ramp_time" => one("warm-up", time("s")),
        "thinktime" => one("think-time", time("us")),
        "ioengine" => {
            let engine = ENGINES.iter().find(|engine| engine.fio.contains(&value))?;
            one("engine", engine.name.into())
        }
        "filename" | "directory" => one("target", value.into()),
        "rwmixread" => one("read-percent", value.into()),
        "rwmixwrite" => one("read-percent", 100u64.checked_sub(number?)?.to_string()),
        "rate_iops" => one("rate", value.into()),
        "fsync" | "fdatasync" => one("fsync-every", value.into()),
        "loops" => one("passes", value.into()),
        "number_ios" => one("operations", value.into()),
        "io_size" => one("bytes", value.into()),
        "offset" => one("start", value.into()),
        "randseed" => one("seed", value.into()),
        "cpus_allowed" => one("pin", value.into()),
        "direct" => one("direct", (number? == 1).to_string()),
        "buffered" => one("direct", (number? == 0).to_string()),
        "sync" => one("sync", if number? == 1 { "sync" } else { "none" }.into()),
        "end_fsync" => one("flush-at-end", (number? == 1).to_string()),
        "name" | "time_based" | "group_reporting" => Some(Vec::new()),
        _ => None,
    }
}

/// `--depth`, or `--set passes` for a key without a flag of its own.
fn flag(key: &str) -> String {
    match Keys::get()
        .with_flags()
        .iter()
        .any(|known| known.name == key)
    {
        true => format!("--{key}"),
        false => format!("--set {key}=..."),
    }
}

/// `--depth 32`, `--direct=true`, `--set passes=2`.
fn as_flag(key: &str, value: &str) -> String {
    let keys = Keys::get().with_flags();
    match keys
        .iter()
        .find(|known| known.name == key)
        .and_then(|key| key.traits.flag.as_ref())
    {
        Some(flag) if flag.alone.is_some() => format!("--{key}={}", quoted(value)),
        Some(_) => format!("--{key} {}", quoted(value)),
        None => format!("--set {}", quoted(&format!("{key}={value}"))),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use plumb_plan::fio_job::options;

    use super::*;
    use crate::cli::{self, Cli};
    use crate::settings::join_optional_values;

    fn suggested(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        of(cli::command(), &words)
    }

    #[test]
    fn fio_flags_and_patterns_become_a_command_line_that_plumb_takes() {
        for (line, expected) in [
            ("plumb run randread", "plumb run --pattern random-read"),
            (
                "plumb run randread /mnt/data --dry-run",
                "plumb run --target /mnt/data --pattern random-read --dry-run",
            ),
            ("plumb run write", "plumb run --pattern sequential-write"),
            (
                "plumb run randrw",
                "plumb run --pattern random-mixed --read-percent 50",
            ),
            (
                "plumb run --rw=randread --bs=4k --iodepth=32 --numjobs=4 --runtime=60 --time_based",
                "plumb run --pattern random-read --block 4k --depth 32 --workers 4 --time 60s",
            ),
            (
                "plumb run --rw randrw --rwmixread 80 --ioengine psync --filename /dev/x --direct=1",
                "plumb run --pattern random-mixed --read-percent 80 --engine sync --target /dev/x --direct=true",
            ),
            (
                "plumb run /mnt/data --rw=read --size 1g --loops=2",
                "plumb run --target /mnt/data --pattern sequential-read --set passes=2 --size 1g",
            ),
            (
                "plumb run --rwmixread=80 --rw=randrw --size 1g",
                "plumb run --read-percent 80 --pattern random-mixed --size 1g",
            ),
            (
                "plumb run --rw=randrw --read-percent 90",
                "plumb run --pattern random-mixed --read-percent 90",
            ),
            (
                "plumb run depth /mnt --bs=8k",
                "plumb run depth /mnt --block 8k",
            ),
            (
                "plumb find /mnt --p99 <1ms --bs 8k",
                "plumb find /mnt --block 8k --p99 '<1ms'",
            ),
            (
                "plumb --rw=randwrite --bs=4k",
                "plumb run --pattern random-write --block 4k",
            ),
            ("plumb depth /mnt/data", "plumb run depth /mnt/data"),
            ("plumb randread", "plumb run --pattern random-read"),
        ] {
            let message = suggested(line).unwrap_or_else(|| panic!("{line}"));
            let meant = message.lines().nth(1).expect("the second line").trim();
            assert_eq!(meant, expected, "{line}: {message}");
            let words = meant.replace('\'', "");
            let words = join_optional_values(words.split(' ').map(OsString::from));
            Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{meant}: {error}"));
        }
    }

    #[test]
    fn the_message_names_each_flag_that_is_meant() {
        let message =
            suggested("plumb run --rw=randread --bs=4k --loops=2 --name=a").expect("known");
        assert!(
            message.contains("--rw is --pattern, --bs is --block, --loops is --set passes=..., --name is not needed"),
            "{message}"
        );
        assert!(message.contains("--direct=false"), "{message}");
    }

    #[test]
    fn an_option_without_a_flag_is_left_to_plumb_fio() {
        for line in [
            "plumb run --rw=randread --bs=4k --size=1g --zonemode=zbd",
            "plumb run --rw=randread:8 --size=1g",
            "plumb run --bs=4k,8k --size=1g",
        ] {
            let message = suggested(line).expect(line);
            assert!(
                message.contains("plumb fio --name=job --"),
                "{line}: {message}"
            );
        }
    }

    #[test]
    fn what_neither_program_knows_is_left_to_the_parser() {
        for line in [
            "plumb run --no-such-flag",
            "plumb frobnicate",
            "plumb check --bs=4k",
            "plumb run --depth",
        ] {
            assert_eq!(suggested(line), None, "{line}");
        }
    }

    #[test]
    fn every_option_that_is_translated_is_one_of_fio_and_gives_a_key() {
        let known = options(Keys::get());
        for (option, value) in [
            ("rw", "randtrim"),
            ("bs", "4k"),
            ("iodepth", "2"),
            ("numjobs", "2"),
            ("runtime", "2"),
            ("ramp_time", "2"),
            ("thinktime", "2"),
            ("ioengine", "libaio"),
            ("filename", "x"),
            ("directory", "x"),
            ("rwmixread", "20"),
            ("rwmixwrite", "20"),
            ("rate_iops", "20"),
            ("fsync", "1"),
            ("fdatasync", "1"),
            ("loops", "2"),
            ("number_ios", "9"),
            ("io_size", "1g"),
            ("offset", "4k"),
            ("randseed", "1"),
            ("cpus_allowed", "0,1"),
            ("direct", "1"),
            ("buffered", "1"),
            ("sync", "1"),
            ("end_fsync", "1"),
        ] {
            assert!(known.iter().any(|kind| kind.name == option), "{option}");
            let settings = settings_of(option, value).unwrap_or_else(|| panic!("{option}"));
            for (key, value) in settings {
                let found = Keys::get()
                    .find(&key)
                    .unwrap_or_else(|error| panic!("{error}"));
                if key != "pattern" && key != "read-percent" && key != "target" {
                    assert!(found.value(&value).is_ok(), "{key}={value}");
                }
            }
        }
    }
}
