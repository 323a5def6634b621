//! How does a run's set-up differ from the published one?

pub(super) mod assignment;
pub(super) mod fit;
pub(super) mod pinning;
pub(super) mod rounds;
pub(super) mod sentences;
pub mod table;
#[cfg(test)]
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::environment::{FACTS, Fact};
use plumb_model::results::comparison::Difference;
use plumb_model::results::reference::{CONDITIONS, Reference};
use plumb_model::run::{EngineRecord, Event, Run, active};
use plumb_model::statement::Statement;
use plumb_model::workload::{Job, Pin};
use plumb_words::numbers::show_bytes;

use crate::compare::published::fit::in_flight;
use crate::figures::watch::is_recording;

/// Numbers of facts up to this part apart are the same.
const NUMBER_TOLERANCE: f64 = 0.01;

/// A side whose set-up is compared.
#[derive(Debug, Clone, Copy)]
pub enum Setup<'a> {
    Run(&'a Run),
    Reference(&'a Reference),
}

/// Differences between the set-ups of runs and of published measurements: facts that a publication states, in the order of [`FACTS`], then its conditions
/// in words, each with the run's counterpart where there is one. Values are in the order of the sides. What no publication states is not listed, and what is
/// the same on all sides is not either.
pub fn setup_differences(sides: &[Setup<'_>]) -> Vec<Difference> {
    let environments = FACTS.iter().map(|(id, meaning)| {
        (
            *id,
            *meaning,
            sides
                .iter()
                .map(|side| fact_of(side, id))
                .collect::<Vec<_>>(),
        )
    });
    let conditions = CONDITIONS.iter().map(|(key, meaning)| {
        (
            *key,
            *meaning,
            sides.iter().map(|side| condition_of(side, key)).collect(),
        )
    });
    let reported = |what: &str| {
        sides.iter().any(|side| match side {
            Setup::Reference(reference) => {
                reference.environment.contains_key(what) || reference.conditions.contains_key(what)
            }
            Setup::Run(_) => false,
        })
    };
    environments
        .chain(conditions)
        .filter(|(what, _, values)| reported(what) && differ(values))
        .map(|(what, meaning, values)| Difference {
            what: what.into(),
            meaning: Statement::verbatim(meaning),
            values,
            steps: Vec::new(),
        })
        .collect()
}

fn fact_of(side: &Setup<'_>, id: &str) -> Option<Fact> {
    match side {
        Setup::Run(run) => run.header.environment.facts.get(id).cloned(),
        Setup::Reference(reference) => reference.environment.get(id).cloned(),
    }
}

fn condition_of(side: &Setup<'_>, key: &str) -> Option<Fact> {
    match side {
        Setup::Run(run) => counterpart(run, key).map(Fact::Text),
        Setup::Reference(reference) => reference.conditions.get(key).cloned().map(Fact::Text),
    }
}

fn differ(values: &[Option<Fact>]) -> bool {
    values.windows(2).any(|pair| match (&pair[0], &pair[1]) {
        (Some(Fact::Number(a)), Some(Fact::Number(b))) => {
            (a - b).abs() > NUMBER_TOLERANCE * a.abs().max(b.abs())
        }
        // `NTFS` and `ntfs` are one.
        (Some(Fact::Text(a)), Some(Fact::Text(b))) => !a.eq_ignore_ascii_case(b),
        (a, b) => a != b,
    })
}

/// The value of one of the [`CONDITIONS`] in a run, as text; `None` if unknown.
fn counterpart(run: &Run, key: &str) -> Option<String> {
    let jobs = || run.header.plan.steps.iter().flat_map(|step| &step.jobs);
    let of_load = [
        "method",
        "caching",
        "files",
        "concurrency",
        "pinning",
        "completion",
    ];
    if is_recording(run) && of_load.contains(&key) {
        // The counters are of a load that the recording does not describe.
        return None;
    }
    let text = match key {
        "program" => match (
            &run.header.imported,
            words(engines(run).map(|engine| engine.name.clone())),
        ) {
            (Some(from), _) => match &from.version {
                Some(version) => format!("{} {version}", from.program),
                None => from.program.clone(),
            },
            (None, Some(engines)) => {
                format!("plumb {}, engine {engines}", run.header.plumb_version)
            }
            (None, None) => format!("plumb {}", run.header.plumb_version),
        },
        "method" => format!(
            "{} of every step, {}",
            counted(u64::from(run.header.plan.rounds), "round"),
            run.header.plan.order
        ),
        "caching" => caching(run)?,
        "file size" => span(sizes(run).into_iter(), |bytes| show_bytes(bytes as f64))?,
        "files" => files(jobs())?,
        "concurrency" => format!(
            "{} in flight",
            span(jobs().map(|job| in_flight(&job.workload)), |count| count
                .to_string())?
        ),
        "pinning" => words(jobs().map(|job| pinning(&job.workload.pin)))?,
        "completion" => words(engines(run).map(|engine| {
            match engine.has(active::POLLS) || engine.has(active::POLLS_SOCKET) {
                true => "polling",
                false => "interrupts",
            }
            .to_string()
        }))?,
        "network" => match run.header.environment.flag("mount.network")? {
            true => format!(
                "network file system {}",
                run.header.environment.text("mount.file_system")?
            ),
            false => "none".into(),
        },
        "array cache" => format!(
            "{}, as the device says",
            run.header.environment.text("device.write_cache")?
        ),
        _ => return None,
    };
    Some(text)
}

/// What really ran.
fn engines(run: &Run) -> impl Iterator<Item = &EngineRecord> {
    run.notes.iter().filter_map(|note| match &note.event {
        Event::EngineOpened { engine, .. } => Some(engine),
        _ => None,
    })
}

/// Bytes that operations on blocks worked on, of every job that ran.
fn sizes(run: &Run) -> Vec<u64> {
    let mut step_of = BTreeMap::new();
    let mut sizes = Vec::new();
    for note in &run.notes {
        match &note.event {
            Event::ExecutionStarted {
                execution, step, ..
            } => drop(step_of.insert(*execution, *step as usize)),
            Event::EngineOpened {
                execution,
                job,
                engine,
            } => {
                let step = step_of
                    .get(execution)
                    .and_then(|step| run.header.plan.steps.get(*step));
                let job = step.and_then(|step| step.jobs.get(*job as usize));
                sizes.extend(
                    job.filter(|job| !job.workload.has_file_operations())
                        .map(|_| engine.size_bytes),
                );
            }
            _ => {}
        }
    }
    sizes
}

fn caching(run: &Run) -> Option<String> {
    let direct: BTreeSet<bool> = engines(run).filter_map(|engine| engine.direct).collect();
    let text = match (direct.contains(&true), direct.contains(&false)) {
        (true, true) => "bypassed in some steps, used in others",
        (true, false) => "bypassed (O_DIRECT)",
        (false, true) => "through the page cache",
        (false, false) => return None,
    };
    Some(text.into())
}

fn files<'a>(jobs: impl Iterator<Item = &'a Job>) -> Option<String> {
    let of_files = jobs.filter(|job| job.workload.has_file_operations());
    words(of_files.map(|job| {
        format!(
            "{} of {}",
            counted(job.workload.files, "file"),
            job.workload.block
        )
    }))
}

fn pinning(pin: &Pin) -> String {
    match pin {
        Pin::No => "not pinned".into(),
        Pin::Each => "each thread on a CPU of its own".into(),
        Pin::Cpus(_) | Pin::Numa(_) => format!("pinned to {pin}"),
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Different words, each once.
fn words(items: impl Iterator<Item = String>) -> Option<String> {
    let words: BTreeSet<String> = items.collect();
    (!words.is_empty()).then(|| words.into_iter().collect::<Vec<_>>().join("; "))
}

/// `a`, or `a to b`.
fn span(items: impl Iterator<Item = u64>, show: impl Fn(u64) -> String) -> Option<String> {
    let (least, most) = items.fold((u64::MAX, 0), |(least, most), item| {
        (least.min(item), most.max(item))
    });
    match least.cmp(&most) {
        std::cmp::Ordering::Less => Some(format!("{} to {}", show(least), show(most))),
        std::cmp::Ordering::Equal => Some(show(least)),
        std::cmp::Ordering::Greater => None,
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::environment::Environment;
    use plumb_model::plan::Step;
    use plumb_plan::{Overrides, PlanFile, PlanKind, references, resolve};

    use super::*;
    use crate::synthetic::{Builder, Interval};

    /// The step of an ad-hoc plan with these flags: `pattern=random-read depth=8`.
    pub(super) fn step(flags: &str) -> Step {
        let pairs = flags
            .split_whitespace()
            .map(|pair| pair.split_once('=').expect("key=value"));
        let flags = pairs
            .map(|(key, text)| (key.to_string(), text.to_string()))
            .collect();
        let overrides = Overrides {
            set: Vec::new(),
            flags,
        };
        resolve(&PlanFile::ad_hoc(), &overrides, PlanKind::AdHoc)
            .expect("a plan")
            .steps
            .remove(0)
    }

    #[test]
    fn set_ups_are_put_side_by_side() {
        let mut builder = Builder::new(vec![step(
            "pattern=random-read depth=4 workers=2 pin=each direct=true",
        )])
        .fact("host.system", Fact::Text("Debian".into()))
        .fact("device.transport", Fact::Text("NVMe".into()))
        .fact("cpu.cores", Fact::Number(40.1))
        .fact("cpu.sockets", Fact::Unknown("not told".into()))
        .fact("memory.total_bytes", Fact::Number(1e9))
        .fact("mount.network", Fact::Flag(false));
        builder.execute(0, 0, &[Interval::default()]);
        let run = builder.finish();
        let reference = references::find("optane-p4800x").expect("reference");
        let differences = setup_differences(&[Setup::Run(&run), Setup::Reference(&reference)]);
        let found: Vec<&str> = differences
            .iter()
            .map(|difference| difference.what.as_str())
            .collect();
        let expected = [
            "host.system",
            "cpu.model",
            "cpu.sockets",
            "cpu.frequency_max_hz",
            "device.model",
            "device.rotational",
            "program",
            "method",
        ];
        assert_eq!(
            found, expected,
            "what is equal (transport, cores) or not published (memory) is left out"
        );
        let of = |what: &str| {
            differences
                .iter()
                .find(|difference| difference.what == what)
                .expect("listed")
                .values
                .clone()
        };
        assert_eq!(
            of("program"),
            [
                Some(Fact::Text("plumb 0.1.0, engine auto".into())),
                Some(Fact::Text("Iometer".into()))
            ]
        );
        assert_eq!(of("device.rotational"), [None, Some(Fact::Flag(false))]);
        assert!(matches!(&of("cpu.sockets")[0], Some(Fact::Unknown(_))));
        assert!(
            differences
                .iter()
                .all(|difference| difference.meaning != Statement::verbatim("")
                    && difference.values.len() == 2)
        );
    }

    #[test]
    fn runs_answer_to_the_conditions_that_they_know() {
        let mut builder = Builder::new(vec![
            step("pattern=random-read depth=4 workers=2 pin=each direct=true size=1m"),
            step("pattern=create files=5 block=8k"),
        ]);
        builder.execute(0, 0, &[Interval::default()]);
        builder.execute(1, 1, &[Interval::default()]);
        let mut run = builder.finish();
        let check = |run: &Run, key: &str, expected: Option<&str>| {
            assert_eq!(counterpart(run, key).as_deref(), expected, "{key}")
        };
        check(&run, "method", Some("2 rounds of every step, interleaved"));
        check(
            &run,
            "caching",
            Some("bypassed in some steps, used in others"),
        );
        check(&run, "file size", Some("1 MiB"));
        check(&run, "files", Some("5 files of 8k"));
        check(&run, "concurrency", Some("1 to 8 in flight"));
        check(
            &run,
            "pinning",
            Some("each thread on a CPU of its own; not pinned"),
        );
        check(&run, "completion", Some("interrupts"));
        check(&run, "network", None);
        check(&run, "security", None);
        run.notes.clear();
        run.header.plan.steps.clear();
        run.header.environment = Environment::default();
        for (key, _) in CONDITIONS {
            check(
                &run,
                key,
                match *key {
                    "program" => Some("plumb 0.1.0"),
                    "method" => Some("2 rounds of every step, interleaved"),
                    _ => None,
                },
            );
        }
    }

    #[test]
    fn two_publications_differ_in_what_either_states() {
        let (one, other) = (
            references::find("refs-2012").expect("one"),
            references::find("ntfs-2012").expect("other"),
        );
        let differences = setup_differences(&[Setup::Reference(&one), Setup::Reference(&other)]);
        let found: Vec<&str> = differences
            .iter()
            .map(|difference| difference.what.as_str())
            .collect();
        assert_eq!(found, ["mount.file_system"]);
        assert!(setup_differences(&[]).is_empty());
    }
}
