//! Which value does each key of each step get, and from where? Default < preset < plan file < sweep < `--set` < flag.

use std::collections::BTreeMap;

use crate::file::{Entry, JobFile, PlanFile, StepFile, rounds_of};
use crate::read_back::add_read_back;
use crate::stop::settle_stop;
use crate::sweep::{Combination, SweptValues, combinations, is_too_large, ladder, rows};
use crate::validate::blocks::bypass_cache_if_possible;
use crate::validate::refuse_misfits;
use plumb_model::keys::sugar::{expand_layer, expands_to};
use plumb_model::keys::{KeyHome, Keys};
use plumb_model::plan::steady::refuse_unjudgeable;
use plumb_model::plan::{Origin, Plan, PlanError, Step};
use plumb_model::target::Target;
use plumb_model::text::nearest::plain_name;
use plumb_model::workload::{EngineChoice, Job, Workload};

/// Keys on the command line. A key may be prefixed with the name of a step or of a concurrent job: `random-read.depth`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// `--set key=value`, in the order given; later ones win.
    pub set: Vec<(String, String)>,
    /// Flags, by the key they stand for.
    pub flags: Vec<(String, String)>,
}

/// Kind of the plan, which determines the origin of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanKind {
    /// Built in.
    Preset,
    /// The user's file.
    File,
    /// A workload from flags.
    AdHoc,
}

/// One parsed override.
struct Override {
    /// Step or job that it applies to; `None`: all.
    only: Option<String>,
    key: String,
    text: String,
    origin: Origin,
    /// As the user wrote it, for messages.
    position: String,
}

/// Values of one job by key: text and origin.
type Values = BTreeMap<String, (String, Origin)>;

/// Resolves a plan as written into steps with every value set. Errors name the position: line, flag or step.
pub fn resolve(file: &PlanFile, overrides: &Overrides, kind: PlanKind) -> Result<Plan, PlanError> {
    let resolver = Resolver::new(file, overrides, kind)?;
    let mut plan = Plan {
        name: file.name.clone(),
        title: file.title.clone(),
        note: file.note.clone(),
        experiment: file.experiment.clone(),
        rounds: file.rounds,
        order: file.order,
        seed: file.seed,
        steady: file.steady.clone(),
        steps: Vec::new(),
        left_out: file.left_out,
    };
    resolver.apply_to_plan(&mut plan)?;
    let combinations = combinations(file, |key| {
        file.steps
            .iter()
            .all(|step| resolver.replaces(key, &step.main.name))
    })?;
    for position in 0..combinations.len() {
        for step in &file.steps {
            resolver.steps_of(step, &combinations, position, &mut plan)?;
        }
    }
    if plan.steps.is_empty() {
        let message = "the block is larger than the size in every swept step; use a larger size or a smaller block";
        return Err(PlanError::at(&file.source, message));
    }
    leave_sets_to_their_steps(&mut plan.steps);
    add_read_back(&mut plan);
    name_uniquely(&mut plan.steps);
    if kind != PlanKind::Preset || overrides != &Overrides::default() {
        refuse_misfits(&plan.steps, resolver.keys)?;
    }
    refuse_unjudgeable(&plan)?;
    Ok(plan)
}

struct Resolver<'a> {
    file: &'a PlanFile,
    keys: &'static Keys,
    overrides: Vec<Override>,
    /// Overrides of the plan itself: `rounds`, `order`.
    of_plan: Vec<Override>,
    written: Origin,
    kind: PlanKind,
}

impl<'a> Resolver<'a> {
    fn new(file: &'a PlanFile, overrides: &Overrides, kind: PlanKind) -> Result<Self, PlanError> {
        let written = if kind == PlanKind::Preset {
            Origin::Preset
        } else {
            Origin::File
        };
        let mut resolver = Resolver {
            file,
            keys: Keys::get(),
            overrides: Vec::new(),
            of_plan: Vec::new(),
            written,
            kind,
        };
        let given = overrides
            .set
            .iter()
            .map(|pair| (pair, Origin::Set))
            .chain(overrides.flags.iter().map(|pair| (pair, Origin::Flag)));
        for ((key, text), origin) in given {
            resolver.take(key, text, origin)?;
        }
        Ok(resolver)
    }

    /// Parses one override: its key, its value, and its scope.
    fn take(&mut self, given: &str, text: &str, origin: Origin) -> Result<(), PlanError> {
        let position = if origin == Origin::Flag {
            format!("--{given} {text}")
        } else {
            format!("--set {given}={text}")
        };
        let (only, name) = match given.rsplit_once('.') {
            Some((only, name)) => (Some(only.trim().to_string()), name),
            None => (None, given),
        };
        let plain = plain_name(name);
        let of_steady = only.as_deref() == Some("steady") && !self.names().contains(&"steady");
        if of_steady || only.is_none() && (plain == "rounds" || plain == "order") {
            self.of_plan.push(Override {
                only,
                key: plain,
                text: text.into(),
                origin,
                position,
            });
            return Ok(());
        }
        let key = self
            .keys
            .find(name)
            .map_err(|message| PlanError::at(&position, message))?;
        key.value(text)
            .map_err(|message| PlanError::at(&position, message))?;
        if let Some(only) = &only {
            let names = self.names();
            if !names.contains(&only.as_str()) {
                let named: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
                let known = if named.is_empty() {
                    "a workload from flags has no names; remove it".into()
                } else {
                    format!("there are {}", named.join(", "))
                };
                return Err(PlanError::at(
                    position,
                    format!("the plan has no step or job '{only}'; {known}"),
                ));
            }
        }
        self.overrides.push(Override {
            only,
            key: key.name.clone(),
            text: text.trim().into(),
            origin,
            position,
        });
        Ok(())
    }

    /// Names of steps and of concurrent jobs.
    fn names(&self) -> Vec<&str> {
        self.file
            .steps
            .iter()
            .flat_map(|step| step.beside.iter().chain([&step.main]))
            .map(|job| job.name.as_str())
            .collect()
    }

    fn apply_to_plan(&self, plan: &mut Plan) -> Result<(), PlanError> {
        for item in &self.of_plan {
            let missing = || {
                PlanError::at(
                    &item.position,
                    "the plan has no [steady]: its rounds end after rounds",
                )
            };
            match item.key.as_str() {
                key if item.only.is_some() => {
                    let steady = plan.steady.as_mut().ok_or_else(missing)?;
                    steady
                        .set(key, std::slice::from_ref(&item.text))
                        .map_err(|message| PlanError::at(&item.position, message))?;
                }
                "rounds" => {
                    plan.rounds = rounds_of(&item.text)
                        .map_err(|message| PlanError::at(&item.position, message))?
                }
                _ => {
                    plan.order = item
                        .text
                        .parse()
                        .map_err(|error| PlanError::at(&item.position, format!("{error}")))?
                }
            }
        }
        // A seed for the entire run also fixes the order.
        if let Some(item) = self
            .overrides
            .iter()
            .rfind(|item| item.only.is_none() && item.key == "seed")
        {
            plan.seed = item.text.parse().unwrap_or(plan.seed);
        }
        Ok(())
    }

    /// All cells of one step's sweep in the combination at `place`.
    fn steps_of(
        &self,
        written: &StepFile,
        combinations: &[Combination<'_>],
        position: usize,
        plan: &mut Plan,
    ) -> Result<(), PlanError> {
        let name = &written.main.name;
        let sweep: Vec<&(String, Vec<String>)> = written
            .sweep
            .iter()
            .filter(|(key, _)| !self.replaces(key, name))
            .collect();
        let ladder = ladder(combinations, &sweep);
        let Combination { number, row: outer } = &combinations[position];
        for inner in rows(&sweep) {
            let row: SweptValues<'_> = outer
                .iter()
                .copied()
                .filter(|(key, _)| !self.replaces(key, name))
                .chain(inner)
                .collect();
            let mut step = self.step(written, &row, ladder)?;
            step.combination = number.or(step.combination);
            match is_too_large(&step, &row) {
                true => plan.left_out += 1,
                false => plan.steps.push(step),
            }
        }
        Ok(())
    }

    /// True if the command line sets everything that a swept key stands for: it replaces the sweep.
    fn replaces(&self, swept: &str, step: &str) -> bool {
        let set: Vec<&str> = self
            .concerning(step, true)
            .flat_map(|item| expands_to(&item.key))
            .collect();
        expands_to(swept).iter().all(|key| set.contains(key))
    }

    fn concerning<'s>(&'s self, name: &'s str, main: bool) -> impl Iterator<Item = &'s Override> {
        let once = self.runs_once(name);
        self.overrides.iter().filter(move |item| match &item.only {
            Some(only) => only == name,
            // A stop condition for all steps does not apply to one that runs once, before the rounds: it ends when its work is done.
            None if once && self.keys.is_stop(&item.key) => false,
            None => main || self.keys.is_run_wide(&item.key),
        })
    }

    fn runs_once(&self, name: &str) -> bool {
        self.file
            .steps
            .iter()
            .any(|step| step.once && step.main.name == name)
    }

    fn step(
        &self,
        written: &StepFile,
        row: &[(&str, &str)],
        ladder: Option<&str>,
    ) -> Result<Step, PlanError> {
        let position = format!("{}, step '{}'", self.file.source, written.main.name);
        let values = self.values_of(&written.main, row, true)?;
        let (mut main, mut origins) =
            build(self.keys, &values).map_err(|message| PlanError::at(&position, message))?;
        let resolved_before = written.main.origins.is_some();
        if !resolved_before {
            settle_stop(&mut main.workload);
            bypass_cache_if_possible(&mut main, &mut origins);
        } else if let Some(earlier) = &written.main.origins {
            origins = take_over(&origins, earlier, self.written);
        }
        let name = if self.kind == PlanKind::AdHoc {
            describe(&main.workload)
        } else {
            written.main.name.clone()
        };
        let mut step = Step {
            group: written.group.clone().unwrap_or_else(|| {
                full_name(&name, row.iter().filter(|(key, _)| Some(*key) != ladder))
            }),
            name: full_name(&name, row.iter()),
            swept: row
                .iter()
                .map(|(key, text)| (key.to_string(), text.to_string()))
                .collect(),
            combination: written.combination,
            note: written.note.clone(),
            stands_for: written.stands_for.clone(),
            jobs: vec![main],
            once: written.once,
            origins: vec![origins],
        };
        if resolved_before {
            step.swept = written
                .swept
                .iter()
                .filter(|(key, _)| !self.replaces(key, &written.main.name))
                .map(|(key, text)| (key.clone(), text.clone()))
                .collect();
        }
        for beside in &written.beside {
            self.add_beside(beside, &mut step)
                .map_err(|error| PlanError::at(&position, error.to_string()))?;
        }
        Ok(step)
    }

    /// Adds a concurrent job: same warm-up and interval as the main one, and no stop condition unless it sets one.
    fn add_beside(&self, written: &JobFile, step: &mut Step) -> Result<(), PlanError> {
        let values = self.values_of(written, &[], false)?;
        let (mut job, mut origins) = build(self.keys, &values)
            .map_err(|message| PlanError::at(format!("job '{}'", written.name), message))?;
        job.name = written.name.clone();
        if let Some(earlier) = &written.origins {
            origins = take_over(&origins, earlier, self.written);
        }
        if let [main, ..] = step.jobs.as_mut_slice() {
            main.name = "main".into();
            job.workload.interval = main.workload.interval;
            job.workload.warm_up = main.workload.warm_up;
            for key in ["interval", "warm-up"] {
                match step.origins[0].get(key) {
                    Some(origin) => origins.insert(key.into(), *origin),
                    None => origins.remove(key),
                };
            }
        }
        if step.jobs.iter().any(|other| other.name == job.name) {
            return Err(PlanError::at(
                format!("job '{}'", job.name),
                "two jobs of the step have this name ('main' is the step's own); choose another",
            ));
        }
        step.jobs.push(job);
        step.origins.push(origins);
        Ok(())
    }

    /// Merges the layers, lowest first.
    fn values_of(
        &self,
        job: &JobFile,
        row: &[(&str, &str)],
        main: bool,
    ) -> Result<Values, PlanError> {
        let mut values = Values::new();
        let stops = main && !self.runs_once(&job.name);
        let defaults: Vec<&Entry> = self
            .file
            .defaults
            .iter()
            .filter(|entry| stops || !self.keys.is_stop(&entry.key))
            .collect();
        for entries in [defaults, job.entries.iter().collect()] {
            let line = entries.first().map_or(job.line, |entry| entry.line);
            let pairs: Vec<(&str, &str)> = entries
                .iter()
                .map(|entry| (entry.key.as_str(), entry.text.as_str()))
                .collect();
            lay(&mut values, &pairs, self.written).map_err(|message| {
                PlanError::at(format!("{}, line {line}", self.file.source), message)
            })?;
        }
        lay(&mut values, row, Origin::Sweep).map_err(|message| {
            PlanError::at(
                format!("{}, sweep of '{}'", self.file.source, job.name),
                message,
            )
        })?;
        for origin in [Origin::Set, Origin::Flag] {
            let pairs: Vec<&Override> = self
                .concerning(&job.name, main)
                .filter(|item| item.origin == origin)
                .collect();
            // Overrides for the entire plan first, then those for this job.
            for only in [false, true] {
                let layer: Vec<(&str, &str)> = pairs
                    .iter()
                    .filter(|item| item.only.is_some() == only)
                    .map(|item| (item.key.as_str(), item.text.as_str()))
                    .collect();
                let position = || {
                    pairs
                        .iter()
                        .map(|item| item.position.as_str())
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                lay(&mut values, &layer, origin)
                    .map_err(|message| PlanError::at(position(), message))?;
            }
        }
        Ok(values)
    }
}

/// Merges one layer over the values below it; sugar is expanded, explicit keys of the same layer take precedence.
fn lay(values: &mut Values, layer: &[(&str, &str)], origin: Origin) -> Result<(), String> {
    let last = |name: &str| {
        layer
            .iter()
            .rfind(|(key, _)| *key == name)
            .map(|(_, text)| *text)
    };
    if last("mix").is_some() && (last("pattern").is_some() || last("read-percent").is_some()) {
        return Err(
            "mix conflicts with pattern or read-percent, which set the same; use one of them"
                .into(),
        );
    }
    if last("access").is_some() {
        // It replaces these keys in lower layers.
        OF_ACCESS.iter().for_each(|key| drop(values.remove(*key)));
    }
    if last("replay").is_some() {
        OF_REPLAY.iter().for_each(|key| drop(values.remove(*key)));
    }
    for (key, text) in expand_layer(last("pattern"), last("read-percent"))? {
        values.insert(key.to_string(), (text, origin));
    }
    for (key, text) in layer
        .iter()
        .filter(|(key, _)| *key != "pattern" && *key != "read-percent")
    {
        values.insert((*key).to_string(), ((*text).to_string(), origin));
    }
    Ok(())
}

/// Keys that are derived from an access specification.
const OF_ACCESS: &[&str] = &["mix", "block", "offsets", "burst-operations", "burst-pause"];

/// Keys that are derived from the log of a replay.
const OF_REPLAY: &[&str] = &["mix", "block", "offsets", "access", "replay-holds"];

/// Sets what an access specification determines; conflicting keys are refused. A printed plan sets the same.
fn settle_access(
    workload: &mut Workload,
    values: &Values,
    origins: &mut BTreeMap<String, Origin>,
) -> Result<(), String> {
    let Some(lines) = &workload.access else {
        return Ok(());
    };
    let mut settled = workload.clone();
    (settled.mix, settled.block, settled.offsets) = (lines.mix(), lines.block(), lines.offsets());
    let bursts = lines.bursts().map_err(|error| format!("access: {error}"))?;
    // Lines without a delay allow pauses of the entire job.
    if let Some((operations, pause)) = bursts {
        (settled.burst_operations, settled.burst_pause) = (operations, pause);
    }
    for key in OF_ACCESS {
        let same = match *key {
            "mix" => settled.mix == workload.mix,
            "block" => settled.block == workload.block,
            "offsets" => settled.offsets == workload.offsets,
            "burst-operations" => settled.burst_operations == workload.burst_operations,
            _ => settled.burst_pause == workload.burst_pause,
        };
        match values.get(*key) {
            Some((text, _)) if !same => {
                return Err(format!(
                    "{key} = {text} contradicts access, whose lines already set it; use one of them"
                ));
            }
            Some(_) => {}
            None if same => {}
            None => drop(origins.insert(key.to_string(), Origin::Resolved)),
        }
    }
    *workload = settled;
    Ok(())
}

/// Builds the job from its values.
fn build(keys: &Keys, values: &Values) -> Result<(Job, BTreeMap<String, Origin>), String> {
    let (mut workload, mut engine) = (toml::Table::new(), toml::Table::new());
    let mut target = Target::Path(".".into());
    let mut origins = BTreeMap::new();
    for (name, (text, origin)) in values {
        let key = keys.find(name)?;
        let value = key
            .value(text)
            .map_err(|message| format!("{name}: {message}"))?;
        match key.home {
            KeyHome::Workload => drop(workload.insert(name.clone(), value)),
            KeyHome::Engine => drop(engine.insert(name.clone(), value)),
            KeyHome::Target => target = text.parse().map_err(|error| format!("target: {error}"))?,
            KeyHome::Sugar => {}
        }
        origins.insert(name.clone(), *origin);
    }
    let mut job = Job {
        name: String::new(),
        target,
        engine: engine
            .try_into::<EngineChoice>()
            .map_err(|error| error.message().to_string())?,
        workload: workload
            .try_into::<Workload>()
            .map_err(|error| error.message().to_string())?,
    };
    settle_access(&mut job.workload, values, &mut origins)?;
    Ok((job, origins))
}

/// A printed plan contains the origins of its values; only the current command line is newer.
fn take_over(
    now: &BTreeMap<String, Origin>,
    earlier: &BTreeMap<String, Origin>,
    written: Origin,
) -> BTreeMap<String, Origin> {
    let mut origins = earlier.clone();
    origins.extend(
        now.iter()
            .filter(|(_, origin)| **origin != written)
            .map(|(key, origin)| (key.clone(), *origin)),
    );
    origins
}

/// `random-read`, or the mix and the order of offsets if no pattern has that name.
fn describe(workload: &Workload) -> String {
    if workload.access.is_some() {
        return "access".to_string();
    }
    if workload.replay.is_some() {
        return "replay".to_string();
    }
    let (mix, offsets) = (workload.mix.to_string(), workload.offsets.to_string());
    let found = plumb_model::keys::sugar::PATTERNS
        .iter()
        .find(|pattern| pattern.mix == mix && pattern.offsets.is_none_or(|word| word == offsets));
    match found {
        Some(pattern) => pattern.word.to_string(),
        // Files and messages have no offsets.
        None if workload.has_file_operations()
            || workload.mix.0.iter().all(|(kind, _)| kind.is_message()) =>
        {
            mix
        }
        None => format!("{offsets} {mix}"),
    }
}

fn full_name<'r>(name: &str, row: impl Iterator<Item = &'r (&'r str, &'r str)>) -> String {
    row.fold(name.to_string(), |name, (key, text)| {
        format!("{name} {key}={text}")
    })
}

/// Defaults and command line options for the set of small files apply to the steps that use it, if there are any.
fn leave_sets_to_their_steps(steps: &mut [Step]) {
    let on_files = |job: &Job| job.workload.has_file_operations();
    if !steps.iter().flat_map(|step| &step.jobs).any(on_files) {
        return;
    }
    for step in steps {
        for (job, origins) in step
            .jobs
            .iter_mut()
            .zip(&mut step.origins)
            .filter(|(job, _)| !on_files(job))
        {
            let Workload {
                file_size,
                folders,
                names,
                file_order,
                ..
            } = Workload::default();
            job.workload = Workload {
                file_size,
                folders,
                names,
                file_order,
                ..job.workload.clone()
            };
            for key in ["file-size", "folders", "names", "file-order"] {
                origins.remove(key);
            }
        }
    }
}

/// Steps with equal names (from a sweep that the command line replaced) get numbers.
fn name_uniquely(steps: &mut [Step]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for step in steps {
        let count = seen.entry(step.name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            step.name = format!("{} ({count})", step.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::DEFAULT_TIME;
    use plumb_model::units::Nanos;

    fn overrides(set: &[(&str, &str)], flags: &[(&str, &str)]) -> Overrides {
        let own = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(key, text)| (key.to_string(), text.to_string()))
                .collect()
        };
        Overrides {
            set: own(set),
            flags: own(flags),
        }
    }

    fn resolved(text: &str, given: &Overrides) -> Result<Plan, PlanError> {
        resolve(&PlanFile::parse(text, "my.toml")?, given, PlanKind::File)
    }

    fn plan(text: &str, given: &Overrides) -> Plan {
        resolved(text, given).unwrap_or_else(|error| panic!("{error}"))
    }

    const SWEPT: &str = "[defaults]\ndepth = 2\nblock = '8k'\n[[step]]\nname = 'a'\nblock = '16k'\n[step.sweep]\nworkers = [1, 2]\ndepth = [4, 8]\n";

    #[test]
    fn later_layers_win_and_every_value_names_its_origin() {
        let plan = plan(
            SWEPT,
            &overrides(&[("block", "32k"), ("time", "1s")], &[("time", "2s")]),
        );
        let names: Vec<&str> = plan.steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "a workers=1 depth=4",
                "a workers=1 depth=8",
                "a workers=2 depth=4",
                "a workers=2 depth=8"
            ]
        );
        let (job, origins) = (&plan.steps[3].jobs[0], &plan.steps[3].origins[0]);
        assert_eq!((job.workload.depth, origins["depth"]), (8, Origin::Sweep));
        assert_eq!(
            (job.workload.block.to_string().as_str(), origins["block"]),
            ("32k", Origin::Set)
        );
        assert_eq!(
            (job.workload.time, origins["time"]),
            (Some(Nanos(2_000_000_000)), Origin::Flag)
        );
        assert!(!origins.contains_key("pin"), "defaults are left out");
        assert_eq!(plan.steps[3].swept["workers"], "2");
    }

    #[test]
    fn one_curve_per_group() {
        let plan = plan(SWEPT, &Overrides::default());
        let groups: Vec<&str> = plan.steps.iter().map(|step| step.group.as_str()).collect();
        assert_eq!(
            groups,
            ["a workers=1", "a workers=1", "a workers=2", "a workers=2"]
        );
    }

    #[test]
    fn a_flag_on_a_swept_key_replaces_the_sweep() {
        let once = plan(SWEPT, &overrides(&[], &[("depth", "64")]));
        assert_eq!(once.steps.len(), 2);
        assert!(
            once.steps
                .iter()
                .all(|step| step.jobs[0].workload.depth == 64 && !step.swept.contains_key("depth"))
        );
        let text =
            "[[step]]\nname = 'a'\n[step.sweep]\npattern = ['random-read', 'sequential-write']\n";
        assert_eq!(
            plan(text, &Overrides::default()).steps[1].jobs[0]
                .workload
                .mix
                .to_string(),
            "write"
        );
        let flagged = plan(text, &overrides(&[], &[("pattern", "mixed")]));
        assert_eq!(
            (flagged.steps.len(), flagged.steps[0].name.as_str()),
            (1, "a")
        );
    }

    const MATRIX: &str = "[[sweep]]\nsize = ['64k', '128k']\nblock = ['64k', '128k']\n[[sweep]]\nsize = ['1m']\nblock = ['128k']\n\
        [[step]]\nname = 'w'\npattern = 'sequential-write'\nnote = \"of\\nthis\"\n[[step]]\nname = 'r'\npattern = 'sequential-read'\n";

    #[test]
    fn a_sweep_of_the_plan_goes_through_all_steps_for_each_combination() {
        let found = plan(MATRIX, &Overrides::default());
        let names: Vec<&str> = found.steps.iter().map(|step| step.name.as_str()).collect();
        let cells = [
            "size=64k block=64k",
            "size=128k block=64k",
            "size=128k block=128k",
            "size=1m block=128k",
        ];
        let expected: Vec<String> = cells
            .iter()
            .flat_map(|cell| [format!("w {cell}"), format!("r {cell}")])
            .collect();
        assert_eq!(names, expected);
        assert_eq!(
            (found.left_out, found.steps[0].note.as_str()),
            (2, "of this"),
            "a block of 128 KiB does not fit into 64 KiB"
        );
        let combinations: Vec<Option<u32>> =
            found.steps.iter().map(|step| step.combination).collect();
        assert_eq!(combinations, [1, 1, 3, 3, 4, 4, 5, 5].map(Some));
        assert_eq!(found.steps[4].group, "w size=128k");
        let again = resolved(&found.to_toml(), &Overrides::default()).expect("printed");
        assert_eq!(again.schedule(), found.schedule());
        assert_eq!(again, found);
    }

    #[test]
    fn the_command_line_replaces_a_sweep_of_the_plan() {
        let names = |given: &Overrides| {
            plan(MATRIX, given)
                .steps
                .iter()
                .map(|step| step.name.clone())
                .collect::<Vec<_>>()
        };
        let block = plan(MATRIX, &overrides(&[("block", "4k")], &[]));
        assert_eq!(block.steps.len(), 6);
        assert!(
            block
                .steps
                .iter()
                .all(|step| step.jobs[0].workload.block.to_string() == "4k"
                    && !step.swept.contains_key("block"))
        );
        assert_eq!(
            names(&overrides(&[("block", "4k")], &[("size", "8k")])),
            ["w", "r"],
            "one combination is left of both sweeps"
        );
        let error = resolved(MATRIX, &overrides(&[("size", "4k")], &[]))
            .expect_err("nothing fits")
            .to_string();
        assert!(
            error.contains("larger than the size in every swept step"),
            "{error}"
        );
    }

    #[test]
    fn a_sweep_of_the_plan_is_refused_where_it_cannot_be() {
        let twice = resolved(
            "[sweep]\noffsets = ['random']\n[[step]]\nname = 'a'\npattern = 'random-read'",
            &Overrides::default(),
        );
        let error = twice.expect_err("twice").to_string();
        assert!(
            error.contains("line 3: 'pattern' of step 'a' is already swept by the plan"),
            "{error}"
        );
        let values: Vec<u32> = (1..=80).collect();
        let many = format!(
            "[sweep]\ndepth = {values:?}\nworkers = {values:?}\n[[step]]\nname = 'a'\n[[step]]\nname = 'b'"
        );
        assert!(
            resolved(&many, &Overrides::default())
                .expect_err("too many")
                .to_string()
                .contains("the limit is 10000")
        );
        let thousands: Vec<u32> = (1..=6000).collect();
        let many = format!(
            "[[step]]\nname = 'a'\n[step.sweep]\ndepth = {thousands:?}\n[[step]]\nname = 'b'\n[step.sweep]\ndepth = {thousands:?}"
        );
        let error = resolved(&many, &Overrides::default())
            .expect_err("too many together")
            .to_string();
        assert!(error.contains("makes 12000 steps"), "{error}");
    }

    #[test]
    fn sugar_is_expanded_layer_by_layer() {
        let text = "[[step]]\nname = 'a'\npattern = 'random-read'\n";
        let job = |given: &Overrides| plan(text, given).steps[0].jobs[0].workload.clone();
        assert_eq!(
            job(&overrides(&[], &[("read-percent", "60")]))
                .mix
                .to_string(),
            "read:60,write:40"
        );
        assert_eq!(
            job(&overrides(&[("offsets", "zipf:1.2")], &[])).offsets,
            plumb_model::workload::Offsets::Zipf(1.2)
        );
        assert_eq!(
            job(&overrides(
                &[("mix", "stat")],
                &[("pattern", "sequential-write")]
            ))
            .mix
            .to_string(),
            "write"
        );
        let error = resolved(
            text,
            &overrides(&[], &[("pattern", "random-write"), ("read-percent", "50")]),
        )
        .expect_err("contradiction");
        assert!(
            error
                .to_string()
                .contains("--pattern random-write --read-percent 50: "),
            "{error}"
        );
        let error = resolved(
            "[[step]]\nname='a'\npattern='mixed'\nmix='read'",
            &Overrides::default(),
        )
        .expect_err("twice");
        assert!(
            error
                .to_string()
                .contains("my.toml, line 3: mix conflicts with pattern"),
            "{error}"
        );
    }

    #[test]
    fn access_lines_stand_for_mix_block_and_offsets() {
        let text = "[defaults]\nblock = '16k'\n[[step]]\nname = 'a'\naccess = ['4k share 60 reads 100 random 100', '64k share 40 reads 0 random 0']\n";
        let found = plan(text, &Overrides::default());
        let (workload, origins) = (&found.steps[0].jobs[0].workload, &found.steps[0].origins[0]);
        assert_eq!(
            (
                workload.mix.to_string().as_str(),
                workload.block.to_string().as_str()
            ),
            ("read:60,write:40", "4k:60,64k:40")
        );
        assert_eq!(
            (origins["access"], origins["mix"], origins["block"]),
            (Origin::File, Origin::Resolved, Origin::Resolved)
        );
        let paused = plan(text, &overrides(&[("access", "8k delay 3ms burst 5")], &[]));
        let workload = &paused.steps[0].jobs[0].workload;
        assert_eq!(
            (
                workload.burst_operations,
                workload.burst_pause,
                workload.mix.to_string().as_str()
            ),
            (5, Nanos(3_000_000), "read")
        );
        for (key, value) in [
            ("block", "8k"),
            ("mix", "read"),
            ("offsets", "zipf:1.1"),
            ("pattern", "random-read"),
        ] {
            let error = resolved(text, &overrides(&[(key, value)], &[]))
                .expect_err(key)
                .to_string();
            assert!(error.contains("contradicts access"), "{key}: {error}");
        }
        let pause_twice = overrides(
            &[
                ("access", "8k delay 3ms burst 5"),
                ("burst-operations", "4"),
            ],
            &[],
        );
        assert!(
            resolved(text, &pause_twice)
                .expect_err("two pauses")
                .to_string()
                .contains("contradicts access")
        );
        let printed =
            PlanFile::parse(&paused.to_toml(), "printed").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            resolve(&printed, &Overrides::default(), PlanKind::File).expect("again"),
            paused
        );
        let other = resolve(
            &printed,
            &overrides(&[("access", "2k reads 0")], &[]),
            PlanKind::File,
        )
        .expect("other lines");
        assert_eq!(
            (
                other.steps[0].jobs[0].workload.mix.to_string().as_str(),
                other.steps[0].origins[0]["access"]
            ),
            ("write", Origin::Set)
        );
        let swept = "[[step]]\nname = 'a'\n[step.sweep]\naccess = ['4k reads 0', ['4k share 50', '8k share 50 random 100']]\n";
        let mixes: Vec<String> = plan(swept, &Overrides::default())
            .steps
            .iter()
            .map(|step| step.jobs[0].workload.block.to_string())
            .collect();
        assert_eq!(mixes, ["4k", "4k:50,8k:50"]);
        let error = resolved(
            "[[step]]\nname='a'\naccess='4k delay 1ms; 8k'\n",
            &Overrides::default(),
        )
        .expect_err("unlike")
        .to_string();
        assert!(error.contains("pause alike"), "{error}");
    }

    const BESIDE: &str = "[defaults]\ntime = '3s'\n[[step]]\nname = 'a'\ninterval = '50ms'\nwarm-up = '2s'\n[[step.beside]]\nname = 'log'\npattern = 'sequential-write'\n";

    #[test]
    fn jobs_beside_share_the_run_wide_keys_and_stop_with_the_main_one() {
        let found = plan(
            BESIDE,
            &overrides(
                &[("log.depth", "3")],
                &[("depth", "9"), ("target", "/x"), ("time", "5s")],
            ),
        );
        let [main, log] = found.steps[0].jobs.as_slice() else {
            panic!("two jobs")
        };
        assert_eq!((main.name.as_str(), log.name.as_str()), ("main", "log"));
        assert_eq!((main.workload.depth, log.workload.depth), (9, 3));
        assert_eq!(main.target, log.target);
        assert_eq!(
            (main.workload.time, log.workload.time),
            (Some(Nanos(5_000_000_000)), None)
        );
        assert_eq!(
            (log.workload.interval, log.workload.warm_up),
            (Nanos(50_000_000), Nanos(2_000_000_000))
        );
        let error = resolved(BESIDE, &overrides(&[("lock.depth", "3")], &[]))
            .expect_err("no such job")
            .to_string();
        assert!(
            error.contains(
                "--set lock.depth=3: the plan has no step or job 'lock'; there are log, a"
            ),
            "{error}"
        );
    }

    #[test]
    fn stops_are_settled() {
        let workload = |text: &str| {
            plan(
                &format!("[[step]]\nname='a'\n{text}"),
                &Overrides::default(),
            )
            .steps[0]
                .jobs[0]
                .workload
                .clone()
        };
        assert_eq!(workload("").time, Some(DEFAULT_TIME));
        assert_eq!(workload("bytes = '1m'").time, None);
        assert_eq!(
            (
                workload("pattern = 'create'\nfiles = 7").operations,
                workload("pattern = 'create'").time
            ),
            (Some(7), None)
        );
        assert_eq!(workload("pattern = 'stat'").time, Some(DEFAULT_TIME));
        assert_eq!(
            (
                workload("pattern = 'stat'\nfiles = 7\npasses = 2").operations,
                workload("pattern = 'stat'\npasses = 2").passes
            ),
            (Some(14), None)
        );
    }

    #[test]
    fn what_is_said_of_small_files_concerns_the_steps_that_have_some() {
        let text = "[defaults]\nfolders = 3\n[[step]]\nname = 'read'\n[[step]]\nname = 'create'\npattern = 'create'";
        let found = plan(text, &overrides(&[("file-size", "2k")], &[]));
        let folders: Vec<u64> = found
            .steps
            .iter()
            .map(|step| step.jobs[0].workload.folders)
            .collect();
        assert_eq!(folders, [0, 3]);
        assert_eq!(
            found.steps[1].jobs[0]
                .workload
                .file_size
                .map(|sizes| sizes.to_bytes),
            Some(2048)
        );
        assert!(!found.steps[0].origins[0].contains_key("file-size"));
        assert!(
            resolved(
                "[[step]]\nname = 'read'\nfolders = 3",
                &Overrides::default()
            )
            .is_err(),
            "nothing here has small files"
        );
    }

    #[test]
    fn the_plan_itself_can_be_overridden() {
        let found = plan(
            SWEPT,
            &overrides(
                &[("rounds", "7"), ("order", "shuffled"), ("seed", "5")],
                &[],
            ),
        );
        assert_eq!(
            (found.rounds, found.order, found.seed),
            (7, plumb_model::plan::Order::Shuffled, 5)
        );
        assert!(
            resolved(SWEPT, &overrides(&[("rounds", "none")], &[]))
                .expect_err("rounds")
                .to_string()
                .contains("1 to 10000")
        );
    }

    #[test]
    fn an_ad_hoc_workload_is_named_by_its_pattern() {
        let name = |flags: &[(&str, &str)]| {
            resolve(&PlanFile::ad_hoc(), &overrides(&[], flags), PlanKind::AdHoc)
                .expect("plan")
                .steps[0]
                .name
                .clone()
        };
        assert_eq!(name(&[("pattern", "random-read")]), "random-read");
        assert_eq!(
            name(&[("pattern", "mixed"), ("read-percent", "90")]),
            "random read:90,write:10"
        );
        assert_eq!(
            name(&[("target", "tcp://host"), ("mix", "receive")]),
            "receive"
        );
    }

    #[test]
    fn mangled_plans_never_panic() {
        let mut state = 42u64;
        let mut draw = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below.max(1)
        };
        let seeds: Vec<&str> = crate::plans::PLANS
            .iter()
            .map(|plan| plan.text)
            .chain([SWEPT, BESIDE, MATRIX])
            .collect();
        let scraps = [
            "[[step]]",
            "[step.sweep]",
            "= [",
            "]",
            "\"",
            "'",
            "9999999999999999999999",
            "-1",
            "inf",
            "nan",
            "\u{1F4A5}",
            "depth",
            "{",
            "}",
            "\0",
        ];
        let (mut taken, mut refused) = (0, 0);
        for _ in 0..3000 {
            let mut text = seeds[draw(seeds.len())].to_string();
            for _ in 0..=draw(3) {
                let mut at = draw(text.len() + 1);
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                match draw(4) {
                    0 => text.truncate(at),
                    1 => text.insert_str(at, scraps[draw(scraps.len())]),
                    2 => drop(text.split_off(at).char_indices().nth(1).map(|_| ())),
                    _ => {
                        let rest = text.split_off(at);
                        let skip = rest
                            .char_indices()
                            .nth(draw(12))
                            .map_or(rest.len(), |(index, _)| index);
                        text.push_str(&rest[skip..]);
                    }
                }
            }
            match resolved(&text, &Overrides::default()) {
                Ok(plan) => {
                    taken += 1;
                    assert!(plan.schedule().len() <= 10_000 * plan.steps.len());
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.message.is_empty() && !error.location.is_empty());
                }
            }
        }
        assert!(
            taken > 50 && refused > 500,
            "the mangling must leave some whole and break many: {taken} taken, {refused} refused"
        );
    }
}
