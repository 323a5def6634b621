//! Which words of the command line are options, values, or job files? Parsed as getopt_long_only(3) does for fio.

use std::iter::Peekable;

use plumb_model::text::nearest::nearest;
use plumb_model::units::UnitError;

use crate::fio_command::command::FioCommand;
use crate::fio_command::lines::{head, is_job, kind, option};
use crate::fio_command::settings::{Answer, Formats, Settings};
use crate::fio_job::{OptionKind, span_ns};

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// Only after `=`.
    MayHave,
    /// After `=`, else the next word.
    Value,
}

/// fio's own options (fio --help), and plumb's.
const OWN: &[(&str, Takes)] = &[
    ("output", Takes::Value),
    ("output-format", Takes::Value),
    ("append-terse", Takes::MayHave),
    ("minimal", Takes::Nothing),
    ("terse-version", Takes::Value),
    ("bandwidth-log", Takes::MayHave),
    ("latency-log", Takes::Value),
    ("help", Takes::Nothing),
    ("version", Takes::Nothing),
    ("readonly", Takes::Nothing),
    ("eta", Takes::Value),
    ("eta-interval", Takes::Value),
    ("eta-newline", Takes::Value),
    ("status-interval", Takes::Value),
    ("parse-only", Takes::Nothing),
    ("merge-blktrace-only", Takes::Nothing),
    ("showcmd", Takes::Nothing),
    ("cmdhelp", Takes::MayHave),
    ("enghelp", Takes::MayHave),
    ("crctest", Takes::MayHave),
    ("memcpytest", Takes::MayHave),
    ("cpuclock-test", Takes::Nothing),
    ("idle-prof", Takes::Value),
    ("debug", Takes::Value),
    ("section", Takes::Value),
    ("alloc-size", Takes::Value),
    ("warnings-fatal", Takes::Nothing),
    ("max-jobs", Takes::Value),
    ("server", Takes::MayHave),
    ("daemonize", Takes::Value),
    ("client", Takes::Value),
    ("remote-config", Takes::Value),
    ("trigger-file", Takes::Value),
    ("trigger-timeout", Takes::Value),
    ("trigger", Takes::Value),
    ("trigger-remote", Takes::Value),
    ("aux-path", Takes::Value),
    ("inflate-log", Takes::Value),
    ("allow-exec", Takes::Nothing),
    ("plumb-overwrite", Takes::MayHave),
    ("plumb-as", Takes::Value),
    ("plumb-output", Takes::Value),
    ("plumb-no-report", Takes::Nothing),
    ("plumb-tag", Takes::Value),
    ("plumb-dry-run", Takes::Nothing),
    ("plumb-quiet", Takes::Nothing),
    ("plumb-notes", Takes::Value),
];

/// The command line as jobs and settings.
pub fn command(arguments: &[String], known: &[OptionKind]) -> Result<FioCommand, String> {
    let mut scanned = Scanned {
        known,
        command: FioCommand::default(),
        is_skipped: false,
        word_number: 0,
    };
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        scanned.word_number += 1;
        if word == "--" {
            scanned.command.files.extend(words.cloned());
            break;
        }
        let text = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            scanned.command.files.push(word.clone());
            continue;
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (text, None),
        };
        scanned.option(word, name, value, &mut words)?;
    }
    Ok(scanned.command)
}

struct Scanned<'k> {
    known: &'k [OptionKind],
    command: FioCommand,
    /// The current section is not one of those that `--section` selects.
    is_skipped: bool,
    /// Number of the word, from 1.
    word_number: usize,
}

impl Scanned<'_> {
    fn option<'w>(
        &mut self,
        word: &str,
        name: &str,
        value: Option<String>,
        words: &mut Peekable<impl Iterator<Item = &'w String>>,
    ) -> Result<(), String> {
        let name = self.full_name(word, name)?;
        // fio's overwrite has a value, which may be the next word; plumb's, which its messages name, has none or a path.
        let is_fios = |word: &&String| matches!(word.as_str(), "0" | "1");
        if name == "overwrite"
            && !(value.is_none() && words.peek().is_some_and(is_fios))
            && value
                .as_ref()
                .is_none_or(|value| value.contains(['/', '\\']))
        {
            self.command.settings.overwrite = Some(value.map(Into::into));
            return Ok(());
        }
        let own = OWN.iter().find(|(own, _)| *own == name);
        let takes = own.map_or_else(|| self.takes(name), |(_, takes)| *takes);
        let value = match (takes, value) {
            (Takes::Nothing, Some(value)) => {
                return Err(format!(
                    "option '--{name}' takes no value, but '{value}' is given"
                ));
            }
            (Takes::Value, None) => {
                self.word_number += 1;
                let next = words.next().cloned();
                Some(next.ok_or_else(|| format!("option '--{name}' requires an argument"))?)
            }
            (_, value) => value,
        };
        match own {
            Some((own, _)) => own_option(&mut self.command.settings, own, value),
            None => {
                self.of_job(name, value);
                Ok(())
            }
        }
    }

    /// An option may be abbreviated as long as it is unambiguous.
    fn full_name(&self, word: &str, name: &str) -> Result<&'static str, String> {
        let of_jobs = self
            .known
            .iter()
            .flat_map(|kind| std::iter::once(&kind.name).chain(kind.aliases));
        let names: Vec<&'static str> = OWN
            .iter()
            .map(|(own, _)| own)
            .chain(of_jobs)
            .copied()
            .collect();
        if let Some(found) = names.iter().find(|known| **known == name) {
            return Ok(found);
        }
        match (name, word.starts_with("--")) {
            ("v" | "V", false) => return Ok("version"),
            ("h", false) => return Ok("help"),
            _ => {}
        }
        let mut begins: Vec<&'static str> = names
            .iter()
            .filter(|known| known.starts_with(name) && !known.starts_with("plumb-"))
            .copied()
            .collect();
        begins.sort_unstable();
        begins.dedup();
        let shown: String = word.chars().filter(|c| !c.is_control()).take(80).collect();
        match begins.as_slice() {
            [only] => Ok(only),
            [] => Err(format!(
                "unrecognized option '{shown}'{}",
                nearest(&name.to_ascii_lowercase(), &names)
            )),
            several => Err(format!(
                "option '{shown}' is ambiguous; candidates: --{}",
                several
                    .iter()
                    .take(6)
                    .copied()
                    .collect::<Vec<_>>()
                    .join(", --")
            )),
        }
    }

    /// Whether a job option has a value: flags may be without.
    fn takes(&self, name: &str) -> Takes {
        match kind(self.known, name) {
            Some(kind) if kind.alone => Takes::MayHave,
            _ => Takes::Value,
        }
    }

    /// An option of a job, or of all following ones if none has begun.
    fn of_job(&mut self, name: &str, value: Option<String>) {
        let lines = &mut self.command.lines;
        if name == "name" {
            let name = value.unwrap_or_default();
            let asked = &self.command.settings.sections;
            self.is_skipped =
                !asked.is_empty() && !name.starts_with("global") && !asked.contains(&name);
            if !self.is_skipped {
                lines.push(head(&name, self.word_number));
                if is_job(&head(&name, 0)) {
                    lines.push(option("name", Some(name), self.word_number));
                }
            }
            return;
        }
        if self.is_skipped {
            return;
        }
        if lines.is_empty() {
            lines.push(head("global", self.word_number));
        }
        lines.push(option(name, value, self.word_number));
    }
}

/// An option of fio itself.
fn own_option(
    settings: &mut Settings,
    name: &'static str,
    value: Option<String>,
) -> Result<(), String> {
    let text = value.clone().unwrap_or_default();
    match name {
        "output" => settings.output = Some(text.into()),
        "output-format" => {
            settings.formats = Some(Formats::parse(&text)?);
            settings.append_terse = false;
        }
        "minimal" => settings.formats = Some(Formats::parse("terse")?),
        "append-terse" => settings.append_terse = true,
        "terse-version" => {
            let version = text
                .parse()
                .ok()
                .filter(|version| (2..=5).contains(version));
            settings.terse_version =
                Some(version.ok_or_else(|| {
                    format!("--terse-version: '{text}' is not one of 2, 3, 4 and 5")
                })?);
        }
        "section" => settings.sections.push(text),
        "readonly" => settings.readonly = true,
        "parse-only" => settings.parse_only = true,
        "help" => settings.answer = Some(Answer::Help),
        "version" => settings.answer = Some(Answer::Version),
        "showcmd" => settings.answer = Some(Answer::ShowCommand),
        "cmdhelp" => {
            settings.answer = Some(Answer::OptionHelp(value.unwrap_or_else(|| "all".into())))
        }
        "inflate-log" => settings.answer = Some(Answer::InflatedLog(text.into())),
        "enghelp" => settings.answer = Some(Answer::EngineHelp(value)),
        "eta" => match text.as_str() {
            "auto" | "always" | "never" => settings.eta = Some(text),
            _ => {
                return Err(format!(
                    "--eta: '{text}' is not one of auto, always and never"
                ));
            }
        },
        "status-interval" => settings.status_interval_ns = Some(period_ns(name, &text, 1)?),
        "eta-newline" => settings.eta_newline_ns = Some(period_ns(name, &text, 1)?),
        "eta-interval" => settings.eta_interval_ns = Some(period_ns(name, &text, 250)?),
        "trigger-file" => settings.trigger_file = Some(text.into()),
        "trigger-timeout" => {
            let ns = span_ns(&text, 1_000_000_000).map_err(|why| format!("--{name}: {why}"))?;
            settings.trigger_timeout_ns = Some(ns);
        }
        "trigger" => settings.trigger = Some(text),
        "max-jobs" => {
            let most = text.parse().ok().filter(|most| *most > 0);
            settings.max_jobs =
                Some(most.ok_or_else(|| format!("--max-jobs: '{text}' is not a number of jobs"))?);
        }
        "warnings-fatal" => settings.warnings_fatal = true,
        "aux-path" => settings.aux_path = Some(text.into()),
        "debug" => {
            let shows = |kind: &str| {
                let mut kinds = text.split(',').map(str::trim);
                kinds.any(|asked| asked == kind || asked == "all")
            };
            settings.shows_seeds |= shows("random");
            settings.shows_limits |= shows("parse");
            if !settings.shows_seeds && !settings.shows_limits {
                settings.idle.push(name);
            }
        }
        "alloc-size" | "bandwidth-log" | "idle-prof" => settings.idle.push(name),
        "allow-exec" => settings.allow_exec = true,
        "plumb-overwrite" => settings.overwrite = Some(value.map(Into::into)),
        "plumb-as" => {
            let version = text.parse();
            settings.fio_version =
                Some(version.map_err(|why: UnitError| format!("--plumb-as: {why}"))?);
        }
        "plumb-output" => settings.run_folder = Some(text.into()),
        "plumb-no-report" => settings.no_report = true,
        "plumb-tag" => settings.tags.push(text),
        "plumb-dry-run" => settings.dry_run = true,
        "plumb-quiet" => settings.quiet = true,
        "plumb-notes" => {
            settings.notes = Some(notes(&text).ok_or_else(|| {
                format!("--plumb-notes: '{text}' is not one of always and never")
            })?);
        }
        _ => return Err(format!("--{name} is not supported: {}", instead_of(name))),
    }
    Ok(())
}

/// Whether this asks for notes of plumb; `None` for any other word.
pub fn notes(word: &str) -> Option<bool> {
    match word {
        "always" => Some(true),
        "never" => Some(false),
        _ => None,
    }
}

/// The alternative to a refused option.
fn instead_of(name: &str) -> &'static str {
    match name {
        "client" | "server" | "remote-config" | "daemonize" => {
            "plumb does not speak fio's protocol between client and server, which changes with each version of fio and lets anyone who connects run jobs as its user; run the job on many hosts at once, with one result, by `plumb launch --hosts a,b JOB.fio TARGET`"
        }
        "trigger-remote" => "it is for --client; use --trigger on the host that runs the jobs",
        "crctest" | "memcpytest" => {
            "it tests fio itself; `plumb run --target null: --time 5s` measures the maximum of plumb on this machine"
        }
        "cpuclock-test" => {
            "it tests fio's clock; `plumb doctor` shows the clock that plumb uses here"
        }
        "latency-log" => "add write_lat_log=NAME to the job",
        _ => "convert the traces to one iolog and set read_iolog to it",
    }
}

/// A time of at least this many milliseconds; a bare number counts seconds.
fn period_ns(name: &str, text: &str, least_ms: u64) -> Result<u64, String> {
    let ns = span_ns(text, 1_000_000_000).map_err(|why| format!("--{name}: {why}"))?;
    if ns < least_ms * 1_000_000 {
        return Err(format!(
            "--{name}: '{text}' is too short; the minimum is {least_ms} ms"
        ));
    }
    Ok(ns)
}
