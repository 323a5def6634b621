//! What is in each section, with all global options above it, variables substituted, and every option known?

pub(super) mod lines;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::fio_job::numbers::arithmetic;
use crate::fio_job::numbers::{self, Size};
use crate::fio_job::options::{Class, OptionKind, find, options};
use crate::fio_job::pattern_files::with_files;
use crate::fio_job::section::lines::{JobFileLine, SourceLine};
use crate::fio_job::surroundings::Surroundings;
use plumb_model::keys::Keys;
use plumb_model::plan::PlanError;
use plumb_model::text::nearest::nearest;

/// Longest value after substitution of variables, in bytes.
const VALUE_MAX_BYTES: usize = 64 << 10;
/// Most refusals in one message.
const TOLD_MAX: usize = 20;

/// The value of an option, and its position.
#[derive(Debug)]
pub struct Given {
    pub value: String,
    pub source_line: SourceLine,
    /// Increases from option to option: of two conflicting ones the later counts.
    pub order: usize,
    pub class: Class,
}

/// Keywords that stand for facts of the machine.
const KEYWORDS: [&str; 3] = ["$pagesize", "$mb_memory", "$ncpus"];

/// Options by name.
type Options = BTreeMap<&'static str, Rc<Given>>;

/// fio's default of `filename_format`.
const FILE_NAMES: &str = "$jobname.$jobnum.$filenum";

/// One job section.
#[derive(Debug)]
pub struct Section {
    pub name: String,
    /// The name in brackets: files get it, even if the option `name` differs.
    pub head: String,
    pub source_line: SourceLine,
    options: Options,
    kb_base: u64,
}

/// All job sections, in file order. A global section applies to those below it.
///
/// # Errors
/// Unknown options, or options that plumb refuses: all of them in one message.
pub fn sections(
    lines: &[JobFileLine],
    keys: &Keys,
    surroundings: &Surroundings<'_>,
) -> Result<Vec<Section>, PlanError> {
    let known = options(keys);
    let (mut global, mut sections, mut in_global) = (Options::new(), Vec::<Section>::new(), false);
    let mut refusals: Vec<PlanError> = Vec::new();
    for (order, line) in lines.iter().enumerate() {
        match line {
            JobFileLine::Head { name, source_line } => {
                // init.c compares the first six letters only.
                in_global = name.starts_with("global");
                if !in_global {
                    sections.push(Section {
                        name: name.clone(),
                        head: name.clone(),
                        source_line: source_line.clone(),
                        options: global.clone(),
                        kb_base: 1024,
                    });
                }
            }
            JobFileLine::Option {
                key,
                value,
                source_line,
            } => match option(&known, key, value.as_deref(), surroundings) {
                Ok((kind, value)) => {
                    let given = Rc::new(Given {
                        value,
                        source_line: source_line.clone(),
                        order,
                        class: kind.class,
                    });
                    let last = sections
                        .last_mut()
                        .filter(|_| !in_global)
                        .map(|section| &mut section.options);
                    last.unwrap_or(&mut global).insert(kind.name, given);
                }
                Err(message) => refusals.push(source_line.error(message)),
            },
        }
    }
    if let Some(all) = together(refusals) {
        return Err(all);
    }
    if sections.is_empty() {
        let file = lines.first().map_or("the job file", |line| match line {
            JobFileLine::Head { source_line, .. } | JobFileLine::Option { source_line, .. } => {
                &source_line.file
            }
        });
        return Err(PlanError::at(
            file,
            "it contains no job; add a section such as [job] with rw=randread and size=1g",
        ));
    }
    for section in &mut sections {
        section.kb_base = match section.text("kb_base") {
            None | Some("1024") => 1024,
            Some("1000") => 1000,
            Some(other) => {
                return Err(section.error("kb_base", format!("'{other}' is neither 1000 nor 1024")));
            }
        };
        if let Some(name) = section.text("name") {
            section.name = name.to_string();
        }
    }
    Ok(sections)
}

/// One message for all refusals.
fn together(refusals: Vec<PlanError>) -> Option<PlanError> {
    let count = refusals.len();
    let mut refusals = refusals.into_iter();
    let mut first = refusals.next()?;
    for other in refusals.by_ref().take(TOLD_MAX - 1) {
        first.message.push_str(&format!("\n  {other}"));
    }
    if count > TOLD_MAX {
        first
            .message
            .push_str(&format!("\n  and {} more", count - TOLD_MAX));
    }
    Some(first)
}

/// The option of a line with its value, or why it is refused.
fn option(
    known: &[OptionKind],
    key: &str,
    value: Option<&str>,
    surroundings: &Surroundings<'_>,
) -> Result<(OptionKind, String), String> {
    let kind = find(known, key)?;
    let value = match value {
        Some(value) => Some(filled_in(value, surroundings).map_err(|why| format!("{key}: {why}"))?),
        None => None,
    };
    let is_pattern = ["buffer_pattern", "verify_pattern"].contains(&key);
    let value = match value {
        Some(pattern) if is_pattern => Some(
            with_files(&pattern, surroundings.pattern).map_err(|why| format!("{key}: {why}"))?,
        ),
        value => value,
    };
    let value = match value {
        Some(value) if !value.is_empty() => value,
        None if kind.alone => "1".to_string(),
        _ => return Err(format!("{key} needs a value; use {key}=...")),
    };
    match kind.class {
        Class::Refused { unless, instead } if !unless.contains(&value.as_str()) => {
            Err(format!("{key} is not supported here: {instead}"))
        }
        _ => Ok((kind, value)),
    }
}

/// The value with `${NAME}` and reserved keywords substituted; an expression with a keyword is evaluated, as fio does with bc.
fn filled_in(value: &str, surroundings: &Surroundings<'_>) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), value);
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after
            .split_once('}')
            .ok_or("a variable is written as ${NAME}: } is missing")?;
        let found = (surroundings.variable)(name);
        filled.push_str(before);
        filled.push_str(&found.ok_or_else(|| {
            format!(
                "the environment variable {name} is not set (fio would use an empty value); set it first"
            )
        })?);
        rest = after;
        if filled.len() > VALUE_MAX_BYTES {
            return Err(format!("the value is longer than {VALUE_MAX_BYTES} bytes"));
        }
    }
    filled.push_str(rest);
    let used: Vec<&str> = KEYWORDS
        .iter()
        .copied()
        .filter(|word| filled.contains(word))
        .collect();
    if used.is_empty() {
        return Ok(filled);
    }
    let mut replaced = filled;
    for word in used {
        let number = (surroundings.keyword)(word.trim_start_matches('$'));
        let number =
            number.ok_or_else(|| format!("{word} is unknown on this system; give the number"))?;
        replaced = replaced.replace(word, &number.to_string());
    }
    let computed =
        arithmetic::value(&replaced, &|_| None).filter(|value| (0.0..9e18).contains(value));
    Ok(computed.map_or(replaced, |value| (value as u64).to_string()))
}

impl Section {
    /// Options that are accepted without effect.
    pub fn idle(&self) -> impl Iterator<Item = &'static str> {
        self.options
            .iter()
            .filter(|(_, given)| given.class == Class::WithoutEffect)
            .map(|(name, _)| *name)
    }

    /// The text of an option; never empty.
    pub fn text(&self, option: &str) -> Option<&str> {
        self.options.get(option).map(|given| given.value.as_str())
    }

    /// Position of the option in the file: later ones are higher. 0 if not given.
    pub fn order(&self, option: &str) -> usize {
        self.options.get(option).map_or(0, |given| given.order)
    }

    /// Line of the job file that gives this option, else of the section.
    pub fn line(&self, option: &str) -> usize {
        self.options
            .get(option)
            .map_or(self.source_line.outer_line, |given| {
                given.source_line.outer_line
            })
    }

    /// An error about this option.
    pub fn error(&self, option: &str, message: impl std::fmt::Display) -> PlanError {
        let source_line = self
            .options
            .get(option)
            .map_or(&self.source_line, |given| &given.source_line);
        source_line.error(format!("[{}] {option}: {message}", self.name))
    }

    /// The value of an option, parsed by this function.
    pub fn read<T>(
        &self,
        option: &str,
        reader: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, PlanError> {
        self.text(option)
            .map(reader)
            .transpose()
            .map_err(|why| self.error(option, why))
    }

    /// True for a job that goes on until its runtime is over; without one `time_based` has no effect, as in fio.
    ///
    /// # Errors
    /// A value cannot be read.
    pub fn until_time(&self) -> Result<bool, PlanError> {
        let runtime_ns = self.span_ns("runtime", 1_000_000_000)?;
        Ok(self.flag("time_based")? && runtime_ns.is_some_and(|time| time > 0))
    }

    /// True when the option is on; false when it is off or not given.
    pub fn flag(&self, option: &str) -> Result<bool, PlanError> {
        Ok(self.flag_given(option)?.unwrap_or(false))
    }

    /// The name of a file of a clone, both from 0 on, where `filename` names none.
    pub fn file_name(&self, clone: u32, file: u32) -> String {
        let format = self.text("filename_format").unwrap_or(FILE_NAMES);
        format
            .replace("$jobname", &self.head)
            .replace("$jobnum", &clone.to_string())
            .replace("$filenum", &file.to_string())
    }

    /// Whether the option is on, if it is given.
    pub fn flag_given(&self, option: &str) -> Result<Option<bool>, PlanError> {
        self.read(option, |text| match text {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(format!("'{other}' is neither 0 nor 1")),
        })
    }

    pub fn integer(&self, option: &str) -> Result<Option<u64>, PlanError> {
        self.read(option, numbers::integer)
    }

    /// An integer that fits into 32 bits.
    pub fn count(&self, option: &str) -> Result<Option<u32>, PlanError> {
        self.read(option, |text| {
            numbers::integer(text)?
                .try_into()
                .map_err(|_| format!("{text} is more than {}", u32::MAX))
        })
    }

    /// A size in bytes or percent.
    pub fn size(&self, option: &str) -> Result<Option<Size>, PlanError> {
        self.read(option, |text| numbers::size(text, self.kb_base))
    }

    /// A size in bytes.
    pub fn bytes(&self, option: &str) -> Result<Option<u64>, PlanError> {
        self.read(option, |text| self.bytes_of(text))
    }

    /// The bytes that a text stands for.
    pub fn bytes_of(&self, text: &str) -> Result<u64, String> {
        match numbers::size(text, self.kb_base)? {
            Size::Bytes(bytes) => Ok(bytes),
            Size::Percent(_) => Err(format!(
                "'{text}' depends on the size of the file or device, which is unknown here; give bytes"
            )),
        }
    }

    /// A percentage, with or without its sign.
    pub fn percent(&self, option: &str) -> Result<Option<f64>, PlanError> {
        self.read(option, percent)
    }

    /// A duration in nanoseconds; a bare number counts units of `bare_ns`.
    pub fn span_ns(&self, option: &str, bare_ns: u64) -> Result<Option<u64>, PlanError> {
        self.read(option, |text| numbers::span_ns(text, bare_ns))
    }

    /// One of several words.
    pub fn word(
        &self,
        option: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, PlanError> {
        self.read(option, |text| {
            let found = words.iter().copied().find(|word| *word == text);
            found.ok_or_else(|| {
                format!(
                    "'{text}' is not one of {}{}",
                    words.join(", "),
                    nearest(text, words)
                )
            })
        })
    }
}

/// A percentage.
pub fn percent(text: &str) -> Result<f64, String> {
    let share = numbers::real(text.trim_end_matches('%'))
        .ok()
        .filter(|share| (0.0..=100.0).contains(share));
    share.ok_or_else(|| format!("'{text}' is not a percentage from 0 to 100"))
}
