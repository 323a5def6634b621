//! What is in a plan file? TOML as written: every key is checked and kept with its line, nothing is resolved yet.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::plan_keys::{PLAN_KEYS, unknown_in_a_job};
use plumb_model::keys::Keys;
use plumb_model::plan::{Order, Origin, PlanError, Steady};
use plumb_model::results::reference::EXPERIMENTS;
use plumb_model::text::nearest::{nearest, plain_name};

/// Most values of one swept key, and most steps of one sweep.
pub const SWEEP_MAX: usize = 10_000;

/// Most bytes of a note.
const NOTE_BYTES_MAX: usize = 4000;

/// A plan as written.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanFile {
    /// Its source, for messages: a path, or `built-in plan depth`.
    pub source: String,
    pub name: String,
    pub title: String,
    /// What the figures include and what they do not.
    pub note: String,
    /// The published experiment that the plan repeats, such as `E6`.
    pub experiment: Option<String>,
    pub rounds: u32,
    pub order: Order,
    /// Seed of the order; 0 means drawn when the run begins.
    pub seed: u64,
    /// Sweeps over the complete list of steps, one after another; each as in [`StepFile::sweep`].
    pub sweeps: Vec<Sweep>,
    /// Only in a printed resolved plan: steps of its sweeps that were left out.
    pub left_out: u32,
    /// Rounds stop once these figures are steady. Missing: after `rounds`.
    pub steady: Option<Steady>,
    /// Keys of all steps.
    pub defaults: Vec<Entry>,
    pub steps: Vec<StepFile>,
}

/// One key with its value as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Name of a key of [`Keys`].
    pub key: String,
    pub text: String,
    /// Line in the file, from 1.
    pub line: usize,
}

/// A job as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobFile {
    pub name: String,
    pub line: usize,
    pub entries: Vec<Entry>,
    /// Only in a printed resolved plan: the origins of values.
    pub origins: Option<BTreeMap<String, Origin>>,
}

/// Swept keys with their values, in file order; the first one changes slowest.
pub type Sweep = Vec<(String, Vec<String>)>;

/// A step as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepFile {
    pub main: JobFile,
    /// What the step's figures include and what they do not.
    pub note: String,
    pub sweep: Sweep,
    /// Concurrent jobs, which stop with the main one.
    pub beside: Vec<JobFile>,
    /// Tests of other programs that the step stands for.
    pub stands_for: Vec<String>,
    /// Runs once, before the rounds of the other steps.
    pub once: bool,
    /// Only in a printed resolved plan: the group of its sweep.
    pub group: Option<String>,
    /// Only in a printed resolved plan: the swept keys and their values in this step.
    pub swept: BTreeMap<String, String>,
    /// Only in a printed resolved plan: the combination of the plan's sweep.
    pub combination: Option<u32>,
}

/// A key and its value, each with its position in the text.
type Pair<'a> = (&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>);

impl PlanFile {
    /// Reads a plan. `source` names it in messages. Errors name the line and what is expected there.
    pub fn parse(text: &str, source: &str) -> Result<PlanFile, PlanError> {
        let reader = Reader {
            line_ends: text
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(index, _)| index)
                .collect(),
            source,
            keys: Keys::get(),
        };
        let document = DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| reader.line_at(span.start));
            PlanError::at(
                format!("{source}, line {line}"),
                format!(
                    "this is not valid TOML: {}",
                    error.message().trim().replace('\n', " ")
                ),
            )
        })?;
        reader.plan(&in_order(document.get_ref()))
    }

    /// The plan of a workload given only by flags: one step without keys.
    pub fn ad_hoc() -> PlanFile {
        PlanFile {
            source: "command line".into(),
            name: "ad-hoc".into(),
            title: "A workload from the command line.".into(),
            note: String::new(),
            experiment: None,
            rounds: 1,
            order: Order::Sequential,
            seed: 0,
            sweeps: Vec::new(),
            left_out: 0,
            steady: None,
            defaults: Vec::new(),
            steps: vec![StepFile::default()],
        }
    }
}

/// Entries of a table in file order.
fn in_order<'a>(table: &'a DeTable<'a>) -> Vec<Pair<'a>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// A value as it would be written on the command line: lists as `a,b`, tables as `read:70,write:30`.
fn plain_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string(), |number| number.to_string()),
        DeValue::Float(number) => number.as_str().to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(items) => items
            .iter()
            .map(|item| plain_text(item.get_ref()))
            .collect::<Vec<_>>()
            .join(","),
        DeValue::Table(table) => {
            let shares = in_order(table)
                .into_iter()
                .map(|(key, value)| format!("{}:{}", key.get_ref(), plain_text(value.get_ref())));
            shares.collect::<Vec<_>>().join(",")
        }
    }
}

struct Reader<'a> {
    /// Offsets of all line ends: a printed plan has as many keys as lines, and each needs its line number.
    line_ends: Vec<usize>,
    source: &'a str,
    keys: &'static Keys,
}

impl Reader<'_> {
    fn line_at(&self, offset: usize) -> usize {
        self.line_ends.partition_point(|end| *end < offset) + 1
    }

    fn line_of<T>(&self, item: &Spanned<T>) -> usize {
        self.line_at(item.span().start)
    }

    fn error<T>(&self, item: &Spanned<T>, message: impl Into<String>) -> PlanError {
        PlanError::at(
            format!("{}, line {}", self.source, self.line_of(item)),
            message,
        )
    }

    fn plan(&self, table: &[Pair<'_>]) -> Result<PlanFile, PlanError> {
        let stem = self
            .source
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .trim_end_matches(".toml");
        let mut plan = PlanFile {
            name: stem.to_string(),
            title: String::new(),
            source: self.source.into(),
            steps: Vec::new(),
            ..PlanFile::ad_hoc()
        };
        for (key, value) in table {
            match plain_name(key.get_ref()).as_str() {
                "name" => plan.name = self.word(value)?,
                "title" => plan.title = self.word(value)?,
                "note" => plan.note = self.sentences(value)?,
                "experiment" => plan.experiment = Some(self.experiment(value)?),
                "rounds" => {
                    plan.rounds = rounds_of(&plain_text(value.get_ref()))
                        .map_err(|message| self.error(value, message))?
                }
                "order" => {
                    plan.order = plain_text(value.get_ref())
                        .parse()
                        .map_err(|error| self.error(value, format!("order: {error}")))?
                }
                "seed" => {
                    plan.seed = seed_of(&plain_text(value.get_ref()))
                        .map_err(|message| self.error(value, message))?
                }
                "steady" => plan.steady = Some(self.steady(&self.table(value, "steady")?)?),
                "defaults" => plan.defaults = self.entries(&self.table(value, "defaults")?)?,
                "sweep" => plan.sweeps = self.sweeps(value)?,
                "left-out" => plan.left_out = self.integer(value)?,
                "step" => {
                    let tables = self.tables(value, "step")?;
                    plan.steps = tables
                        .iter()
                        .enumerate()
                        .map(|(index, step)| self.step(step, index))
                        .collect::<Result<_, _>>()?;
                }
                other => {
                    let names: Vec<&str> = PLAN_KEYS.iter().map(|(name, _)| *name).collect();
                    let hint = if self.keys.find(other).is_ok() {
                        ": it belongs in [defaults] or in a [[step]]".to_string()
                    } else {
                        nearest(other, &names)
                    };
                    return Err(self.error(
                        key,
                        format!(
                            "'{other}' is not a top-level key of a plan{hint}; the keys are {}",
                            names.join(", ")
                        ),
                    ));
                }
            }
        }
        self.refuse_incomplete(plan)
    }

    fn refuse_incomplete(&self, plan: PlanFile) -> Result<PlanFile, PlanError> {
        if plan.steps.is_empty() {
            return Err(PlanError::at(
                self.source,
                "the plan has no step; add at least one [[step]] with a name and a pattern",
            ));
        }
        for (index, step) in plan.steps.iter().enumerate() {
            if plan.steps[..index]
                .iter()
                .any(|earlier| earlier.main.name == step.main.name)
            {
                let where_ = format!("{}, line {}", self.source, step.main.line);
                return Err(PlanError::at(
                    where_,
                    format!(
                        "two steps are named '{}'; give each its own name",
                        step.main.name
                    ),
                ));
            }
        }
        Ok(plan)
    }

    fn steady(&self, table: &[Pair<'_>]) -> Result<Steady, PlanError> {
        let mut steady = Steady::default();
        for (key, value) in table {
            let texts: Vec<String> = match value.get_ref().as_array() {
                Some(list) => list.iter().map(|item| plain_text(item.get_ref())).collect(),
                None => vec![plain_text(value.get_ref())],
            };
            steady
                .set(key.get_ref(), &texts)
                .map_err(|message| self.error(value, message))?;
        }
        Ok(steady)
    }

    fn word(&self, value: &Spanned<DeValue<'_>>) -> Result<String, PlanError> {
        let text = value
            .get_ref()
            .as_str()
            .ok_or_else(|| self.error(value, "expected a string in quotes"))?;
        // Names are printed on the terminal and used in file names.
        if text.trim().is_empty() || text.len() > 200 || text.chars().any(char::is_control) {
            return Err(self.error(value, "expected a string of 1 to 200 printable characters"));
        }
        Ok(text.trim().to_string())
    }

    /// One of the experiments with published figures.
    fn experiment(&self, value: &Spanned<DeValue<'_>>) -> Result<String, PlanError> {
        let word = self.word(value)?;
        let known: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
        match known.contains(&word.as_str()) {
            true => Ok(word),
            false => Err(self.error(
                value,
                format!(
                    "'{word}' is no published experiment; there are {}",
                    known.join(", ")
                ),
            )),
        }
    }

    /// A string, or a list of strings.
    fn texts(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, PlanError> {
        match value.get_ref().as_array() {
            Some(list) => list.iter().map(|item| self.word(item)).collect(),
            None => Ok(vec![self.word(value)?]),
        }
    }

    /// A text of several sentences; line breaks become spaces.
    fn sentences(&self, value: &Spanned<DeValue<'_>>) -> Result<String, PlanError> {
        let text = value
            .get_ref()
            .as_str()
            .ok_or_else(|| self.error(value, "expected a string in quotes"))?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.len() > NOTE_BYTES_MAX || text.chars().any(char::is_control) {
            return Err(self.error(
                value,
                format!("expected at most {NOTE_BYTES_MAX} bytes of printable text"),
            ));
        }
        Ok(text)
    }

    fn integer(&self, value: &Spanned<DeValue<'_>>) -> Result<u32, PlanError> {
        let text = plain_text(value.get_ref());
        text.parse().map_err(|_| {
            self.error(
                value,
                format!("'{text}' is not an integer from 0 to {}", u32::MAX),
            )
        })
    }

    fn table<'v>(
        &self,
        value: &'v Spanned<DeValue<'v>>,
        name: &str,
    ) -> Result<Vec<Pair<'v>>, PlanError> {
        let table = value.get_ref().as_table().ok_or_else(|| {
            self.error(
                value,
                format!("'{name}' is a table: write [{name}] and its keys below"),
            )
        })?;
        Ok(in_order(table))
    }

    fn tables<'v>(
        &self,
        value: &'v Spanned<DeValue<'v>>,
        name: &str,
    ) -> Result<Vec<&'v Spanned<DeValue<'v>>>, PlanError> {
        let list = value.get_ref().as_array().ok_or_else(|| {
            self.error(
                value,
                format!("'{name}' is a list of tables: write [[{name}]]"),
            )
        })?;
        Ok(list.iter().collect())
    }

    /// Keys of a job; each key must be known and its value valid.
    fn entries(&self, table: &[Pair<'_>]) -> Result<Vec<Entry>, PlanError> {
        let mut entries: Vec<Entry> = Vec::new();
        for (key, value) in table {
            let known = self
                .keys
                .find(key.get_ref())
                .map_err(|message| self.error(key, unknown_in_a_job(key.get_ref(), message)))?;
            let text = plain_text(value.get_ref());
            known
                .value(&text)
                .map_err(|message| self.error(value, format!("{}: {message}", known.name)))?;
            if entries.iter().any(|entry| entry.key == known.name) {
                return Err(self.error(key, format!("'{}' is given twice", known.name)));
            }
            entries.push(Entry {
                key: known.name.clone(),
                text,
                line: self.line_of(key),
            });
        }
        Ok(entries)
    }

    fn step(&self, value: &Spanned<DeValue<'_>>, index: usize) -> Result<StepFile, PlanError> {
        let mut step = StepFile::default();
        let mut job = Vec::new();
        for (key, value) in self.table(value, "step")? {
            match plain_name(key.get_ref()).as_str() {
                "note" => step.note = self.sentences(value)?,
                "sweep" => step.sweep = self.sweep(value, "step.sweep")?,
                "beside" => {
                    let tables = self.tables(value, "step.beside")?;
                    step.beside = tables
                        .iter()
                        .enumerate()
                        .map(|(index, job)| self.beside(job, index))
                        .collect::<Result<_, _>>()?;
                }
                "stands-for" => step.stands_for = self.texts(value)?,
                "once" => {
                    let flag = value.get_ref().as_bool();
                    step.once = flag.ok_or_else(|| {
                        self.error(
                            value,
                            "once is true (the step runs one time, before the rounds) or false",
                        )
                    })?;
                }
                "group" => step.group = Some(self.word(value)?),
                "combination" => step.combination = Some(self.integer(value)?),
                "swept" => {
                    let table = self.table(value, "step.swept")?;
                    step.swept = table
                        .iter()
                        .map(|(key, value)| {
                            (key.get_ref().to_string(), plain_text(value.get_ref()))
                        })
                        .collect();
                }
                _ => job.push((key, value)),
            }
        }
        step.main = self.job(&job, self.line_of(value), || format!("step-{}", index + 1))?;
        Ok(step)
    }

    fn beside(&self, value: &Spanned<DeValue<'_>>, index: usize) -> Result<JobFile, PlanError> {
        let table = self.table(value, "step.beside")?;
        self.job(&table, self.line_of(value), || {
            format!("beside-{}", index + 1)
        })
    }

    fn job(
        &self,
        table: &[Pair<'_>],
        line: usize,
        default_name: impl Fn() -> String,
    ) -> Result<JobFile, PlanError> {
        let mut job = JobFile {
            name: default_name(),
            line,
            ..JobFile::default()
        };
        let mut keys = Vec::new();
        for (key, value) in table {
            match plain_name(key.get_ref()).as_str() {
                "name" => job.name = self.word(value)?,
                "origins" => job.origins = Some(self.origins(value)?),
                _ => keys.push((*key, *value)),
            }
        }
        job.entries = self.entries(&keys)?;
        Ok(job)
    }

    fn origins(&self, value: &Spanned<DeValue<'_>>) -> Result<BTreeMap<String, Origin>, PlanError> {
        let mut origins = BTreeMap::new();
        for (key, value) in self.table(value, "origins")? {
            let known = self
                .keys
                .find(key.get_ref())
                .map_err(|message| self.error(key, message))?;
            let origin = plain_text(value.get_ref())
                .parse()
                .map_err(|error| self.error(value, format!("{error}")))?;
            origins.insert(known.name.clone(), origin);
        }
        Ok(origins)
    }

    /// The sweeps of the plan: one table, or a list of them.
    fn sweeps(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Sweep>, PlanError> {
        match value.get_ref().as_array() {
            Some(tables) => tables
                .iter()
                .map(|table| self.sweep(table, "sweep"))
                .collect(),
            None => Ok(vec![self.sweep(value, "sweep")?]),
        }
    }

    fn sweep(&self, value: &Spanned<DeValue<'_>>, name: &str) -> Result<Sweep, PlanError> {
        let mut sweep = Sweep::new();
        let mut cells: usize = 1;
        for (key, value) in self.table(value, name)? {
            let known = self
                .keys
                .find(key.get_ref())
                .map_err(|message| self.error(key, message))?;
            let list = value.get_ref().as_array().filter(|list| !list.is_empty());
            let list = list.ok_or_else(|| {
                self.error(
                    value,
                    format!(
                        "a swept key takes a list of values: {} = [ ... ]",
                        known.name
                    ),
                )
            })?;
            // Counted before the values are checked.
            cells = cells.saturating_mul(list.len());
            if cells > SWEEP_MAX {
                let message = format!(
                    "this sweep makes {cells} steps, but the limit is {SWEEP_MAX}; sweep fewer values"
                );
                return Err(self.error(value, message));
            }
            let mut values = Vec::new();
            for item in list.iter() {
                let text = plain_text(item.get_ref()).trim().to_string();
                known
                    .value(&text)
                    .map_err(|message| self.error(item, format!("{}: {message}", known.name)))?;
                if values.contains(&text) {
                    return Err(self.error(
                        item,
                        format!("{}: the value {text} is given twice", known.name),
                    ));
                }
                values.push(text);
            }
            if sweep.iter().any(|(name, _)| *name == known.name) {
                return Err(self.error(key, format!("'{}' is swept twice", known.name)));
            }
            sweep.push((known.name.clone(), values));
        }
        Ok(sweep)
    }
}

/// The number of rounds: 1 to 10,000.
pub(crate) fn rounds_of(text: &str) -> Result<u32, String> {
    let rounds = text
        .trim()
        .parse::<u32>()
        .ok()
        .filter(|rounds| (1..=10_000).contains(rounds));
    rounds.ok_or_else(|| format!("rounds: '{text}' is not an integer from 1 to 10000"))
}

fn seed_of(text: &str) -> Result<u64, String> {
    let seed = text
        .trim()
        .parse::<u64>()
        .ok()
        .filter(|seed| *seed <= plumb_model::keys::INTEGER_MAX);
    seed.ok_or_else(|| {
        format!(
            "seed: '{text}' is not an integer from 0 to {}",
            plumb_model::keys::INTEGER_MAX
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        PlanFile::parse(text, "my.toml")
            .expect_err(text)
            .to_string()
    }

    #[test]
    fn errors_name_file_line_and_remedy() {
        for (text, expected) in [
            ("title = 'x'\nstep = 3", "my.toml, line 2"),
            (
                "[[step]]\nname = 'a'\ndept = 3",
                "my.toml, line 3: unknown key 'dept' (did you mean 'depth'?)",
            ),
            (
                "[[step]]\nname = 'a'\nrounds = 3",
                "my.toml, line 3: 'rounds' is a top-level key; put it at the top",
            ),
            (
                "[[step]]\nname = 'a'\nblock = '4x'",
                "my.toml, line 3: block: '4x' is not a size",
            ),
            (
                "[[step]]\nname = 'a'\n[step.sweep]\ndepth = [1, 'x']",
                "line 4: depth: 'x' is not",
            ),
            (
                "[[step]]\nname = 'a'\n[step.sweep]\ndepth = []",
                "takes a list of values",
            ),
            (
                "[[step]]\nname = 'a'\n[step.sweep]\ndepth = 4",
                "takes a list of values",
            ),
            (
                "[[step]]\nname = 'a'\n[step.sweep]\nblock = ['4k', '4k ']",
                "the value 4k is given twice",
            ),
            ("depth = 3\n[[step]]\nname='a'", "belongs in [defaults]"),
            ("round = 3", "did you mean 'rounds'"),
            ("rounds = 0\n[[step]]", "1 to 10000"),
            ("order = 'x'\n[[step]]", "interleaved"),
            ("title = 'x'", "no step"),
            (
                "[[step]]\nname='a'\n[[step]]\nname='a'",
                "line 3: two steps are named 'a'",
            ),
            ("[[step]\n", "line 1: this is not valid TOML"),
            (
                "[[step]]\nseed = 18446744073709551615",
                "9223372036854775807",
            ),
            ("[[step]]\nname = ''", "printable"),
        ] {
            let error = refused(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn sweeps_and_tables_keep_the_order_of_the_file() {
        let text = "[[step]]\nname = 'a'\nmix = { write = 30, read = 70 }\npin = [0, 2]\n[step.sweep]\nworkers = [2, 1]\nblock = ['64k', 4096]\n";
        let plan = PlanFile::parse(text, "dir/my.toml").expect("plan");
        assert_eq!(plan.name, "my");
        let step = &plan.steps[0];
        assert_eq!(
            step.sweep,
            vec![
                ("workers".into(), vec!["2".into(), "1".into()]),
                ("block".into(), vec!["64k".into(), "4096".into()])
            ]
        );
        assert_eq!(step.main.entries[0].text, "write:30,read:70");
        assert_eq!(step.main.entries[1].text, "0,2");
        assert_eq!(step.main.entries[1].line, 4);
    }
}
