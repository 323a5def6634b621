//! Does comparing eight times as many steps take eight times the work? Instructions counted by callgrind, which repeats on every machine: a gate, not a timing.
//!
//! Every step of the two runs has something to report that names its steps: the machine was not the same, a round is left out, or how the work
//! was carried out differs. Whoever looks up a step among all that were named before takes more for each step the more there are.

use std::path::Path;
use std::process::Command;

use plumb_model::run::step_end::StopReason;
use plumb_model::run::{Event, Run};
use plumb_model::units::Nanos;
use plumb_words::numbers::group_thousands;

use crate::synthetic::{Builder, Interval, Random, ladder};
use crate::write;

/// Steps of the runs that are compared.
const STEPS: [u32; 2] = [1_500, 12_000];
const ROUNDS: u32 = 2;
/// Factor by which a step may cost more where there are eight times as many: names grow by a digit, and trees by a level or two.
const MOST_GROWTH: f64 = 1.1;

/// Counts and reports whether the work grows no faster than the number of steps.
pub fn is_linear(folder: &Path) -> Result<bool, String> {
    let mut per_step = [0.0; 2];
    for (place, steps) in per_step.iter_mut().zip(STEPS) {
        let (a, b) = (
            folder.join(format!("grown-a-{steps}")),
            folder.join(format!("grown-b-{steps}")),
        );
        write(&a, &run(steps, false))?;
        write(&b, &run(steps, true))?;
        *place = instructions(&a, &b, &folder.join(format!("{steps}.callgrind")))? as f64
            / f64::from(steps);
    }
    let growth = per_step[1] / per_step[0];
    let met = growth <= MOST_GROWTH;
    let shown = |count: f64| group_thousands(count as i64);
    println!(
        "\ninstructions for each step of {ROUNDS} rounds a side: {} of {} steps, {} of {}: {growth:.3} times as many, at most {MOST_GROWTH}{}",
        shown(per_step[0]),
        shown(f64::from(STEPS[0])),
        shown(per_step[1]),
        shown(f64::from(STEPS[1])),
        if met { "" } else { "   MISSED" }
    );
    Ok(met)
}

/// A run of a machine that others use, whose last rounds end with an error. Of the later one, every second step took another time.
fn run(steps: u32, later: bool) -> Run {
    let mut builder = Builder::new(ladder("read", &(1..=steps).collect::<Vec<u32>>()));
    for step in builder
        .run
        .header
        .plan
        .steps
        .iter_mut()
        .skip(1)
        .step_by(2)
        .filter(|_| later)
    {
        step.jobs[0].workload.time = Some(Nanos(7_000_000_000));
    }
    let mut random = Random(u64::from(later) + 1);
    let (cpu_percent, waited_percent) = if later {
        (60.0, Some(30.0))
    } else {
        (20.0, Some(5.0))
    };
    for round in 0..ROUNDS {
        for step in 0..steps {
            let latency_ns = 100_000.0 * (0.97 + 0.06 * random.next_share());
            let interval = Interval {
                iops: 2_000.0,
                latency_ns,
                cpu_percent,
                waited_percent,
                ..Interval::default()
            };
            builder.execute(step, round, &[interval]);
            if let (true, Some(Event::ExecutionEnded { stopped_by, .. })) = (
                round + 1 == ROUNDS,
                builder.run.notes.last_mut().map(|note| &mut note.event),
            ) {
                *stopped_by = StopReason::Error(plumb_model::statement::Statement::verbatim("EIO"));
            }
        }
    }
    let mut run = builder.finish();
    run.header.id = format!("grown-{later}");
    run
}

/// Instructions of one comparison, all threads together.
fn instructions(a: &Path, b: &Path, counted: &Path) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            &format!("--callgrind-out-file={}", counted.display()),
            env!("CARGO_BIN_EXE_plumb"),
            "compare",
        ])
        .args([a, b])
        .output()
        .map_err(|error| {
            format!("valgrind cannot be started ({error}): install the package valgrind")
        })?;
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(complaint);
    }
    let text = std::fs::read_to_string(counted)
        .map_err(|error| format!("{}: {error}", counted.display()))?;
    let totals = text.lines().find_map(|line| line.strip_prefix("totals:"));
    totals
        .and_then(|totals| totals.trim().parse().ok())
        .ok_or_else(|| format!("callgrind told no total: {complaint}"))
}
