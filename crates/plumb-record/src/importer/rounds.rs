//! Which results are rounds of one measurement? Those of one program with the same workload: one run holds them, one after another.

use std::collections::{BTreeMap, HashMap};

use plumb_model::environment::{Environment, Fact};
use plumb_model::plan::Step;
use plumb_model::run::tick::Tick;
use plumb_model::run::{Event, Note, Run};
use plumb_model::statement::Statement;

/// The runs as rounds of one run: ordered by start time if all state it, else in the given order. Environment facts on which they disagree are left out.
///
/// # Errors
/// In one sentence: there are fewer than two; program, steps or workload differ; a result is included twice, which is not a second measurement.
pub fn as_rounds(mut runs: Vec<Run>) -> Result<Run, String> {
    if runs.iter().all(|run| run.header.started_unix_ns > 0) {
        runs.sort_by_key(|run| run.header.started_unix_ns);
    }
    for (index, run) in runs.iter().enumerate() {
        if let Some(same) = runs[..index]
            .iter()
            .find(|other| (&other.ticks, &other.notes) == (&run.ticks, &run.notes))
        {
            return Err(match (file_of(same), file_of(run)) {
                (one, other) if one == other => format!(
                    "{one} holds the same result twice, which is not a second measurement; leave one out"
                ),
                (one, other) => format!(
                    "{one} and {other} hold the same result, which is not a second measurement; leave one out"
                ),
            });
        }
    }
    let further = runs.split_off(runs.len().min(1));
    let (Some(combined), false) = (runs.pop(), further.is_empty()) else {
        return Err("rounds are several results of the same work, and there is only one; name the others too".into());
    };
    let first = file_of(&combined);
    if let Some((what, run)) = further
        .iter()
        .find_map(|run| Some((difference(&combined, run)?, run)))
    {
        return Err(format!(
            "{first} and {} are not rounds of one measurement: {what}",
            file_of(run)
        ));
    }
    let mut all = Joined::begin(combined);
    further.into_iter().for_each(|run| all.append(run));
    Ok(all.run)
}

/// The runs of one file, one after another: a step that an earlier run has too, with the same work on the same target, is another round of it, and any other
/// step is a new one. Runs of another program or version, and the same result once more, stay runs of their own.
pub fn joined(runs: impl IntoIterator<Item = Run>) -> Vec<Run> {
    let mut done: Vec<Joined> = Vec::new();
    for run in runs {
        match done.last_mut() {
            Some(last) if last.takes(&run) => last.append(run),
            _ => done.push(Joined::begin(run)),
        }
    }
    done.into_iter().map(|all| all.run).collect()
}

fn file_of(run: &Run) -> String {
    run.header
        .imported
        .as_ref()
        .map(|imported| imported.file.clone())
        .unwrap_or_default()
}

/// The program of a run, with its version.
fn program(run: &Run) -> Option<String> {
    let imported = run.header.imported.as_ref()?;
    let words = [Some(imported.program.clone()), imported.version.clone()];
    Some(words.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// What prevents two runs from being rounds of one.
fn difference(one: &Run, other: &Run) -> Option<String> {
    if program(one) != program(other) {
        let words = |run| program(run).unwrap_or_else(|| "plumb".into());
        return Some(format!(
            "one is from {}, the other from {}",
            words(one),
            words(other)
        ));
    }
    let (ours, theirs) = (&one.header.plan.steps, &other.header.plan.steps);
    let lacking = |steps: &[Step], of: &[Step]| {
        of.iter()
            .find(|step| steps.iter().all(|other| other.name != step.name))
            .map(|step| step.name.clone())
    };
    if let Some(name) = lacking(ours, theirs).or_else(|| lacking(theirs, ours)) {
        return Some(format!("step '{name}' is in only one of them"));
    }
    let differs = |(ours, theirs): (&Step, &Step)| {
        (ours.jobs != theirs.jobs || ours.name != theirs.name).then(|| ours.name.clone())
    };
    ours.iter()
        .zip(theirs)
        .find_map(differs)
        .map(|name| format!("step '{name}' did different work or used a different target"))
}

/// A run that others are appended to.
struct Joined {
    run: Run,
    /// The last one that was appended: its results alone, to notice the same again.
    last: (Vec<Tick>, Vec<Note>),
    /// Where its notes begin: a file may hold ten thousand runs.
    last_at: usize,
    executions: u32,
    end_ns: u64,
    /// Rounds by step.
    rounds: BTreeMap<u32, u32>,
    /// Steps by name.
    steps: HashMap<String, u32>,
}

impl Joined {
    fn begin(run: Run) -> Joined {
        let names = run.header.plan.steps.iter().map(|step| step.name.clone());
        let mut all = Joined {
            last: (run.ticks.clone(), run.notes.clone()),
            last_at: 0,
            executions: 0,
            end_ns: end_ns(&run),
            rounds: BTreeMap::new(),
            steps: names.zip(0..).collect(),
            run,
        };
        for note in &all.run.notes {
            if let Event::ExecutionStarted { step, .. } = note.event {
                all.executions = all.executions.saturating_add(1);
                *all.rounds.entry(step).or_default() += 1;
            }
        }
        all
    }

    fn takes(&self, run: &Run) -> bool {
        program(&self.run) == program(run)
            && (&self.last.0, &self.last.1) != (&run.ticks, &run.notes)
    }

    /// The index of the step with this work, which is added if there is none.
    fn step(&mut self, mut step: Step) -> u32 {
        let (name, mut number) = (step.name.clone(), 2);
        while let Some(at) = self.steps.get(&step.name) {
            let known = self.run.header.plan.steps.get(*at as usize);
            if known.is_some_and(|known| known.jobs == step.jobs) {
                return *at;
            }
            step.name = format!("{name} #{number}");
            number += 1;
        }
        let at = u32::try_from(self.run.header.plan.steps.len()).unwrap_or(u32::MAX);
        self.steps.insert(step.name.clone(), at);
        step.group.clone_from(&step.name);
        self.run.header.plan.steps.push(step);
        at
    }

    fn append(&mut self, run: Run) {
        self.last = (run.ticks.clone(), run.notes.clone());
        let (executions, end_ns, further_ns) = (self.executions, self.end_ns, end_ns(&run));
        let steps: Vec<u32> = run
            .header
            .plan
            .steps
            .into_iter()
            .map(|step| self.step(step))
            .collect();
        let doubts = keep_agreed(&mut self.run.header.environment, run.header.environment);
        // The end of the last one is the end; those before it have none left.
        let mut last = self.run.notes.split_off(self.last_at);
        last.retain(|note| note.event.state().is_none());
        self.run.notes.append(&mut last);
        self.last_at = self.run.notes.len();
        self.run.ticks.extend(run.ticks.into_iter().map(|mut tick| {
            tick.execution = tick.execution.saturating_add(executions);
            tick.start_ns = tick.start_ns.saturating_add(end_ns);
            tick.end_ns = tick.end_ns.saturating_add(end_ns);
            tick
        }));
        self.run
            .readings
            .extend(run.readings.into_iter().map(|mut reading| {
                reading.time_ns = reading.time_ns.saturating_add(end_ns);
                reading
            }));
        for mut note in run.notes {
            note.time_ns = note.time_ns.saturating_add(end_ns);
            if let Some(execution) = note.event.execution_mut() {
                *execution = execution.saturating_add(executions);
            }
            if let Event::ExecutionStarted { step, round, .. } = &mut note.event {
                *step = steps.get(*step as usize).copied().unwrap_or(*step);
                let rounds = self.rounds.entry(*step).or_default();
                *round = *rounds;
                *rounds = rounds.saturating_add(1);
                self.executions = self.executions.saturating_add(1);
            }
            self.run.notes.push(note);
        }
        self.end_ns = end_ns.saturating_add(further_ns);
        self.run.header.plan.rounds = self.rounds.values().copied().max().unwrap_or(1);
        self.run.doubts.extend(run.doubts);
        let (Some(imported), Some(further)) = (&mut self.run.header.imported, run.header.imported)
        else {
            return;
        };
        if imported.file != further.file {
            imported.file += &format!(", {}", further.file);
        }
        imported.names_all_options &= further.names_all_options;
        for key in further.unstated {
            if imported.states(&key) {
                imported.unstated.push(key);
            }
        }
        for doubt in further.doubts.into_iter().chain(doubts) {
            if !imported.doubts.contains(&doubt) {
                imported.doubts.push(doubt);
            }
        }
    }
}

/// When the last event or tick of a run ended.
fn end_ns(run: &Run) -> u64 {
    let notes = run.notes.iter().map(|note| note.time_ns);
    let ticks = run.ticks.iter().map(|tick| tick.end_ns);
    notes.chain(ticks).max().unwrap_or(0)
}

/// Removes environment facts on which the other disagrees, and returns a doubt for each; facts that only one of them states stay.
fn keep_agreed(environment: &mut Environment, other: Environment) -> Vec<Statement> {
    let mut doubts = Vec::new();
    for (id, fact) in other.facts {
        match environment.facts.get(&id) {
            Some(own) if *own != fact => {
                doubts.push(Statement::new("results-do-not-agree").name("fact", &id));
                environment
                    .facts
                    .insert(id, Fact::Unknown("the results disagree on it".into()));
            }
            Some(_) => {}
            None => drop(environment.facts.insert(id, fact)),
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use plumb_model::workload::Workload;
    use plumb_model::workload::operation::OperationKind;

    use super::super::RunBuilder;
    use super::*;

    fn result(file: &str, started_unix_ns: u64, kernel: &str) -> Run {
        let mut builder = RunBuilder::new("dd", None);
        builder.fact("host.kernel", Fact::Text(kernel.into()));
        builder.fact("memory.total_bytes", Fact::Number(1e9));
        builder.started("at some time", started_unix_ns);
        let step = builder.step("write", || {
            vec![RunBuilder::job(
                "write",
                "/data".parse().unwrap(),
                "sync",
                Workload::default(),
            )]
        });
        let span = builder.execution(step, 2.0);
        builder.tally(
            span,
            0,
            OperationKind::Write,
            started_unix_ns,
            1 << 20,
            None,
        );
        builder.run().header.imported.as_mut().unwrap().file = file.into();
        builder.finish()
    }

    #[test]
    fn rounds_follow_one_another_by_their_start() {
        let run = as_rounds(vec![
            result("late", 9, "6.1"),
            result("early", 4, "6.1"),
            result("between", 6, "6.1"),
        ])
        .unwrap();
        let imported = run.header.imported.as_ref().unwrap();
        assert_eq!(
            (
                imported.file.as_str(),
                run.header.started_unix_ns,
                run.header.plan.rounds
            ),
            ("early, between, late", 4, 3)
        );
        let ticks: Vec<_> = run
            .ticks
            .iter()
            .map(|tick| (tick.execution, tick.start_ns, tick.kinds[0].count))
            .collect();
        assert_eq!(
            ticks,
            [(0, 0, 4), (1, 2_000_000_000, 6), (2, 4_000_000_000, 9)]
        );
        let begun = run.notes.iter().filter_map(|note| match note.event {
            Event::ExecutionStarted {
                execution,
                step,
                round,
            } => Some((note.time_ns, execution, step, round)),
            _ => None,
        });
        assert_eq!(
            begun.collect::<Vec<_>>(),
            [
                (0, 0, 0, 0),
                (2_000_000_000, 1, 0, 1),
                (4_000_000_000, 2, 0, 2)
            ]
        );
        assert_eq!(
            run.notes
                .iter()
                .filter(|note| note.event.state().is_some())
                .count(),
            1
        );
    }

    #[test]
    fn the_environment_keeps_what_all_agree_on() {
        let run = as_rounds(vec![
            result("a", 1, "6.1"),
            result("b", 2, "6.2"),
            result("c", 3, "6.2"),
        ])
        .unwrap();
        assert_eq!(
            (
                run.header.environment.text("host.kernel"),
                run.header.environment.number("memory.total_bytes")
            ),
            (None, Some(1e9))
        );
        assert_eq!(
            run.header
                .imported
                .unwrap()
                .doubts
                .iter()
                .map(plumb_words::english)
                .collect::<Vec<_>>(),
            ["the results do not agree on host.kernel, which is left out of the environment"]
        );
    }
}
