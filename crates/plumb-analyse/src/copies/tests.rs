//! Is a sound program told from one that damages, and does damage come first?

use plumb_model::results::comparison::Verdict;
use plumb_model::results::copies::{copy_numbers as numbers, copy_steps};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{KindTick, Phase, Tick, WorkerTick};
use plumb_model::run::{EngineAccount, Event, SideOf};
use plumb_model::statement::Statement;
use plumb_model::units::Bytes;
use plumb_model::workload::{Offsets, OperationKind, Weighted, Workload};

use super::accounts::Account;
use super::*;
use crate::compare::{Entrant, Settings, compare};
use crate::english::in_english as text;
use crate::synthetic::{Builder, step};

const TREE_BYTES: u64 = 1 << 30;

/// What is said of a copy test.
fn sentences(table: &CopyTable) -> Vec<String> {
    table.sentences.iter().map(text).collect()
}

/// How one program does: seconds of a copy, and the error of each.
struct Doing {
    seconds: f64,
    error: Option<&'static str>,
    checked: bool,
}

fn run(side: u32, doing: &Doing) -> Run {
    let workload = || Workload {
        mix: Weighted::only(OperationKind::Copy),
        block: Weighted::only(Bytes(TREE_BYTES)),
        offsets: Offsets::Sequential,
        operations: Some(1),
        ..Workload::default()
    };
    let steps = [copy_steps::WRITE, copy_steps::READ].map(|name| step(name, name, &[], workload()));
    let mut builder = Builder::new(steps.to_vec());
    builder.run.header.side_of = Some(SideOf {
        comparison: "1".into(),
        side,
        sides: 3,
    });
    for round in 0..6u32 {
        for step in 0..2 {
            let execution = builder.execute(step, round, &[]);
            // A copy is one interval of its own length, with a little scatter.
            let elapsed_s = doing.seconds * (1.0 + 0.002 * f64::from(round % 3));
            builder
                .run
                .ticks
                .push(tick(execution, elapsed_s, doing, builder.now_ns));
            if let Some(Event::ExecutionEnded { stopped_by, .. }) =
                builder.run.notes.last_mut().map(|note| &mut note.event)
            {
                *stopped_by = plumb_model::run::step_end::StopReason::Operations;
            }
            let end = builder.run.notes.pop();
            tell(&mut builder, execution, elapsed_s, doing);
            builder.run.notes.extend(end);
            builder.now_ns += 3_000_000_000;
        }
    }
    builder.finish()
}

fn tick(execution: u32, elapsed_s: f64, doing: &Doing, start_ns: u64) -> Tick {
    let complete = u64::from(doing.error.is_none());
    let mut service = Histogram::default();
    service.record_n((elapsed_s * 1e9) as u64, complete);
    let errors = doing
        .error
        .map(|error| (error.to_string(), 1))
        .into_iter()
        .collect();
    let kind = KindTick {
        kind: OperationKind::Copy,
        count: complete,
        bytes: complete * TREE_BYTES,
        errors,
        service,
        response: None,
        split: None,
        priorities: Vec::new(),
    };
    let worker = WorkerTick {
        cpu_user_ns: Some(100_000_000),
        cpu_system_ns: Some(400_000_000),
        ..WorkerTick::default()
    };
    Tick {
        execution,
        job: 0,
        phase: Phase::Measure,
        start_ns,
        end_ns: start_ns + (elapsed_s * 1e9) as u64,
        kinds: vec![kind],
        lateness: None,
        backlog: None,
        ranks: None,
        workers: vec![worker],
    }
}

fn tell(builder: &mut Builder, execution: u32, elapsed_s: f64, doing: &Doing) {
    let mut numbers: Account = [
        (numbers::FILES, 4.0),
        (numbers::BYTES, TREE_BYTES as f64),
        (numbers::ELAPSED_S, elapsed_s),
        (numbers::STABLE_S, elapsed_s),
        (numbers::CPU_USER_S, 0.1),
        (numbers::CPU_SYSTEM_S, 0.4),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into();
    if doing.checked {
        numbers.insert(
            numbers::PROBLEMS.into(),
            if doing.error == Some("mismatch") {
                3.0
            } else {
                0.0
            },
        );
    }
    match doing.error {
        Some("mismatch") => builder.note(Event::Mismatch {
            execution,
            job: 0,
            path: "a/b".into(),
            offset: 7,
            block_bytes: 10,
            explanation: Statement::new("copied-file-differs").count("offset", 7),
            hex_window: String::new(),
        }),
        Some(_) => builder.note(Event::Warning {
            text: Statement::verbatim("prog ended with exit status 23: no more paper"),
        }),
        None => {}
    }
    if let Some(error) = doing.error {
        builder.note(Event::FirstError {
            execution,
            job: 0,
            kind: OperationKind::Copy,
            error: error.into(),
            path: "prog".into(),
            offset: 0,
        });
    }
    builder.note(Event::EngineClosed {
        execution,
        job: 0,
        worker: 0,
        account: EngineAccount {
            numbers,
            ..EngineAccount::default()
        },
    });
}

fn table(doings: &[(&str, Doing)]) -> CopyTable {
    let runs: Vec<Run> = doings
        .iter()
        .enumerate()
        .map(|(side, (_, doing))| run(side as u32, doing))
        .collect();
    let entrants: Vec<Entrant> = doings
        .iter()
        .zip(&runs)
        .map(|((name, _), run)| Entrant::Run {
            label: name.to_string(),
            run,
        })
        .collect();
    let bandwidth = plumb_model::results::comparison::compared_metric("bandwidth")
        .into_iter()
        .collect();
    let comparison = compare(
        &entrants,
        &Settings {
            metrics: bandwidth,
            ..Settings::default()
        },
    );
    let copiers: Vec<Copier> = doings.iter().map(|(name, _)| *name).zip(&runs).collect();
    copy_table(&copiers, &comparison, "large:1g", Vec::new())
}

const SOUND: Doing = Doing {
    seconds: 1.0,
    error: None,
    checked: true,
};

#[test]
fn sound_programs_have_figures_and_verdicts() {
    let table = table(&[
        ("cp", SOUND),
        (
            "fast",
            Doing {
                seconds: 0.5,
                ..SOUND
            },
        ),
        (
            "same",
            Doing {
                seconds: 1.001,
                ..SOUND
            },
        ),
    ]);
    let names: Vec<&str> = table.rows.iter().map(|row| row.program.as_str()).collect();
    assert_eq!(
        (names, table.baseline.as_str(), table.files, table.bytes),
        (vec!["cp", "fast", "same"], "cp", 4, TREE_BYTES)
    );
    let write = &table.rows[0].write;
    let near = |value: Option<f64>, expected: f64| {
        assert!(
            value.is_some_and(|value| (value / expected - 1.0).abs() < 0.01),
            "{value:?}, not {expected}"
        )
    };
    near(write.bandwidth_bytes_per_s, TREE_BYTES as f64);
    near(write.stable_bytes_per_s, TREE_BYTES as f64 / 2.0);
    near(write.files_per_s, 4.0);
    near(write.cpu_s_per_gib, 0.5);
    assert_eq!(
        (
            write.copies,
            write.intact,
            write.checked,
            write.against_baseline.is_none()
        ),
        (6, 6, 6, true)
    );
    assert!(
        write
            .interval
            .is_some_and(|(low, high)| low < TREE_BYTES as f64 && high > 0.99 * TREE_BYTES as f64)
    );
    let verdict = |row: usize| {
        table.rows[row]
            .read
            .against_baseline
            .as_ref()
            .map(|effect| effect.verdict)
    };
    assert_eq!(
        (verdict(1), verdict(2)),
        (Some(Verdict::Better), Some(Verdict::Same))
    );
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.soundness == Soundness::Intact)
    );
    assert_eq!(
        sentences(&table),
        ["All 36 copies were compared with the source byte by byte and match it."]
    );
}

#[test]
fn what_damages_or_fails_comes_first_and_has_no_speed() {
    let damaging = Doing {
        seconds: 0.1,
        error: Some("mismatch"),
        checked: true,
    };
    let failing = Doing {
        seconds: 0.1,
        error: Some("exit-23"),
        checked: true,
    };
    let table = table(&[("cp", SOUND), ("fails", failing), ("bad", damaging)]);
    let rows: Vec<(&str, Soundness)> = table
        .rows
        .iter()
        .map(|row| (row.program.as_str(), row.soundness))
        .collect();
    assert_eq!(
        rows,
        [
            ("bad", Soundness::Damaged),
            ("fails", Soundness::Failed),
            ("cp", Soundness::Intact)
        ]
    );
    for row in &table.rows[..2] {
        assert_eq!(
            (row.write.bandwidth_bytes_per_s, row.write.intact),
            (None, 0)
        );
        let is_failed = row.soundness == Soundness::Failed;
        assert_eq!(
            (
                row.write.spoiled_bytes_per_s.is_none(),
                row.read.failed.as_deref()
            ),
            (is_failed, is_failed.then_some("exit-23"))
        );
        assert_ne!(
            row.write
                .against_baseline
                .as_ref()
                .map(|effect| effect.verdict),
            Some(Verdict::Better)
        );
    }
    let found = sentences(&table).join("\n");
    assert!(found.contains("bad, write: 6 of 6 copies do not match the source, and the program reported no error: a/b differs from the source, first at offset 7 (3 problems in that copy)."), "{found}");
    assert!(
        found.contains(
            "fails, read: 6 of 6 copies failed: prog ended with exit status 23: no more paper."
        ),
        "{found}"
    );
    assert!(found.contains("do not count"), "{found}");
}

#[test]
fn what_was_not_checked_is_not_called_verified() {
    let table = table(&[
        (
            "cp",
            Doing {
                checked: false,
                ..SOUND
            },
        ),
        ("other", SOUND),
    ]);
    assert_eq!(table.rows[0].soundness, Soundness::Unchecked);
    assert!(
        table.sentences.iter().any(|statement| text(statement)
            .contains("12 copies could not be fetched back and are not verified")),
        "{:?}",
        table.sentences
    );
    assert!(
        !table
            .sentences
            .iter()
            .any(|statement| text(statement).contains("match it"))
    );
}

#[test]
fn a_baseline_that_damages_is_told() {
    let table = table(&[
        (
            "bad",
            Doing {
                seconds: 0.1,
                error: Some("mismatch"),
                checked: true,
            },
        ),
        ("cp", SOUND),
    ]);
    assert!(
        table
            .sentences
            .iter()
            .any(|statement| text(statement).contains("there are no verdicts against it")),
        "{:?}",
        table.sentences
    );
    assert_ne!(
        table.rows[1]
            .write
            .against_baseline
            .as_ref()
            .map(|effect| effect.verdict),
        Some(Verdict::Better)
    );
}

#[test]
fn the_summary_of_a_program_that_only_failed_has_no_bandwidth() {
    let of = |error| run(0, &Doing { error, ..SOUND });
    let bandwidth = |run: &Run| {
        let step = crate::figures::summarise::summarise(run).steps.remove(0);
        (
            step.total.bandwidth_bytes_per_s.is_some(),
            step.rounds[0].bandwidth_bytes_per_s.is_some(),
            step.total.errors,
        )
    };
    assert_eq!(
        (bandwidth(&of(None)), bandwidth(&of(Some("exit-3")))),
        ((true, true, 0), (false, false, 6))
    );
}
