//! Which results are rounds of one measurement? Those of one program with the same workload: one run holds them, one after another.

use plumb_model::environment::{Environment, Fact};
use plumb_model::plan::Step;
use plumb_model::run::{Event, Run};
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
    let (Some(mut combined), false) = (runs.pop(), further.is_empty()) else {
        return Err("rounds are several results of the same work, and there is only one; name the others too".into());
    };
    let first = file_of(&combined);
    for run in further {
        if let Some(what) = difference(&combined, &run) {
            return Err(format!(
                "{first} and {} are not rounds of one measurement: {what}",
                file_of(&run)
            ));
        }
        append(&mut combined, run);
    }
    Ok(combined)
}

fn file_of(run: &Run) -> String {
    run.header
        .imported
        .as_ref()
        .map(|imported| imported.file.clone())
        .unwrap_or_default()
}

/// What prevents two runs from being rounds of one.
fn difference(one: &Run, other: &Run) -> Option<String> {
    let program = |run: &Run| {
        let imported = run.header.imported.as_ref()?;
        Some(
            [Some(imported.program.clone()), imported.version.clone()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
        )
    };
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

/// Appends a run to the combined one.
fn append(combined: &mut Run, run: Run) {
    let begun = combined
        .notes
        .iter()
        .filter(|note| matches!(note.event, Event::ExecutionStarted { .. }))
        .count();
    let executions = u32::try_from(begun).unwrap_or(u32::MAX);
    let end_ns = combined
        .notes
        .iter()
        .map(|note| note.time_ns)
        .chain(combined.ticks.iter().map(|tick| tick.end_ns))
        .max()
        .unwrap_or(0);
    let rounds = combined.header.plan.rounds;
    combined.header.plan.rounds = rounds.saturating_add(run.header.plan.rounds);
    let doubts = keep_agreed(&mut combined.header.environment, run.header.environment);
    // The end of the last one is the end.
    combined.notes.retain(|note| note.event.state().is_none());
    combined.ticks.extend(run.ticks.into_iter().map(|mut tick| {
        tick.execution = tick.execution.saturating_add(executions);
        tick.start_ns = tick.start_ns.saturating_add(end_ns);
        tick.end_ns = tick.end_ns.saturating_add(end_ns);
        tick
    }));
    combined
        .readings
        .extend(run.readings.into_iter().map(|mut reading| {
            reading.time_ns = reading.time_ns.saturating_add(end_ns);
            reading
        }));
    combined.notes.extend(run.notes.into_iter().map(|mut note| {
        note.time_ns = note.time_ns.saturating_add(end_ns);
        if let Some(execution) = note.event.execution_mut() {
            *execution = execution.saturating_add(executions);
        }
        if let Event::ExecutionStarted { round, .. } = &mut note.event {
            *round = round.saturating_add(rounds);
        }
        note
    }));
    let (Some(imported), Some(further)) = (&mut combined.header.imported, run.header.imported)
    else {
        return;
    };
    imported.file += &format!(", {}", further.file);
    imported.names_all_options &= further.names_all_options;
    for doubt in further.doubts.into_iter().chain(doubts) {
        if !imported.doubts.contains(&doubt) {
            imported.doubts.push(doubt);
        }
    }
    combined.doubts.extend(run.doubts);
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
