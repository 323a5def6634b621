//! Which steps did the work of a published figure, and how does a run's set-up differ from the published one?

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::environment::{FACTS, Fact};
use plumb_model::plan::Step;
use plumb_model::results::comparison::Difference;
use plumb_model::results::reference::{CONDITIONS, PublishedWork, Reference};
use plumb_model::run::{EngineRecord, Event, Run, active};
use plumb_model::statement::Statement;
use plumb_model::units::Bytes;
use plumb_model::workload::{Job, Offsets, Pin, Workload};
use plumb_words::numbers::show_bytes;

/// File sizes that differ by less than this fraction are the same: publications rarely state whether they count by 1000 or by 1024 (1 GB and 1 GiB differ by 7 %).
const SIZE_TOLERANCE: f64 = 0.1;
/// Numbers of facts up to this part apart are the same.
const NUMBER_TOLERANCE: f64 = 0.01;

/// Whether a step did the work of a published figure: one job with one kind of operation in a closed loop without pauses, and equal in all that
/// was published. What was not published fits anything.
pub fn fits(work: &PublishedWork, step: &Step) -> bool {
    let [job] = step.jobs.as_slice() else {
        return false;
    };
    let workload = &job.workload;
    let [(kind, _)] = workload.mix.0.as_slice() else {
        return false;
    };
    *kind == work.kind
        && work.step.as_ref().is_none_or(|name| *name == step.name)
        && work.scheme.is_none_or(|scheme| {
            job.target
                .remote()
                .is_some_and(|remote| remote.scheme == scheme)
        })
        && keeps_going(workload)
        && fits_blocks(work, workload)
        && fits_order(work, workload)
        && fits_concurrency(work, workload)
}

/// A closed loop without pauses or flushes in between: what every published load was.
fn keeps_going(workload: &Workload) -> bool {
    !workload.is_open()
        && workload.replay.is_none()
        && workload.think_time.0 == 0
        && workload.burst_operations == 0
        && workload.fsync_every == 0
}

fn fits_blocks(work: &PublishedWork, workload: &Workload) -> bool {
    let (smallest, largest) = (
        Bytes(workload.smallest_block_bytes()),
        Bytes(workload.largest_block_bytes()),
    );
    let block = match work.block_to {
        Some(to) => work.block.is_none_or(|from| smallest >= from) && largest <= to,
        None => work
            .block
            .is_none_or(|block| smallest == block && largest == block),
    };
    let near = |published: Bytes, ours: Bytes| {
        (ours.0 as f64 / published.0 as f64 - 1.0).abs() <= SIZE_TOLERANCE
    };
    block
        && work
            .size
            .is_none_or(|published| workload.size.is_some_and(|ours| near(published, ours)))
}

/// Neither hot spots nor strides nor orders that are random in part were published: they fit nothing. Operations on files have no offsets.
fn fits_order(work: &PublishedWork, workload: &Workload) -> bool {
    let random = match workload.offsets {
        _ if workload.is_partly_random() => return false,
        Offsets::Random | Offsets::RandomMap | Offsets::RandomWithReplacement => true,
        Offsets::Sequential => false,
        _ => return work.kind.is_file_operation(),
    };
    work.kind.is_file_operation() || work.random.is_none_or(|published| published == random)
}

fn fits_concurrency(work: &PublishedWork, workload: &Workload) -> bool {
    let in_flight = in_flight(workload);
    work.depth.is_none_or(|depth| u64::from(depth) == in_flight)
        && work
            .depth_from
            .is_none_or(|depth| u64::from(depth) <= in_flight)
        && work
            .workers
            .is_none_or(|workers| workers == workload.workers)
        && work
            .pinned
            .is_none_or(|pinned| pinned == (workload.pin != Pin::No))
}

fn in_flight(workload: &Workload) -> u64 {
    u64::from(workload.depth) * u64::from(workload.workers)
}

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
    let text = match key {
        "program" => match words(engines(run).map(|engine| engine.name.clone())) {
            Some(engines) => format!("plumb {}, engine {engines}", run.header.plumb_version),
            None => format!("plumb {}", run.header.plumb_version),
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
    use plumb_model::target::remote::Scheme;
    use plumb_plan::{Overrides, PlanFile, PlanKind, plans, references, resolve};

    use super::*;
    use crate::synthetic::{Builder, Interval};

    fn step(flags: &str) -> Step {
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

    fn work(text: &str) -> PublishedWork {
        let head = "id='a'\ntitle='b'\nexperiment='E1'\npublished='2012'\nsource='c'\n[[figure]]\nname='n'\nmetric='iops'\nvalue=1\nprinted='1'\nwork=";
        references::parse(&format!("{head}{{ {text} }}"), "test")
            .expect(text)
            .figures
            .remove(0)
            .work
            .expect("work")
    }

    #[test]
    fn only_steps_that_did_the_same_work_fit() {
        let check = |published: &str, flags: &str, expected: bool| {
            assert_eq!(
                fits(&work(published), &step(flags)),
                expected,
                "{published} / {flags}"
            )
        };
        let published =
            "kind = 'read', random = true, block = '4k', depth = 32, workers = 16, pinned = true";
        check(
            published,
            "pattern=random-read depth=2 workers=16 pin=each",
            true,
        );
        check(
            published,
            "mix=read offsets=random-with-replacement depth=2 workers=16 pin=0-3",
            true,
        );
        for flags in [
            "pattern=random-write depth=2 workers=16 pin=each",
            "pattern=random-mixed depth=2 workers=16 pin=each",
            "pattern=sequential-read depth=2 workers=16 pin=each",
            "pattern=zipf-read depth=2 workers=16 pin=each",
            "pattern=random-read depth=2 workers=16 pin=each block=8k",
            "pattern=random-read depth=2 workers=16 pin=each block=4k:50,8k:50",
            "pattern=random-read depth=32 workers=1 pin=each",
            "pattern=random-read depth=32 workers=16 pin=each",
            "pattern=random-read depth=2 workers=16",
            "pattern=random-read depth=2 workers=16 pin=each rate=1000",
            "pattern=random-read depth=2 workers=16 pin=each think-time=1ms",
            "pattern=random-read depth=2 workers=16 pin=each burst-operations=10 burst-pause=1s",
        ] {
            check(published, flags, false);
        }
        check(
            "kind = 'read'",
            "pattern=sequential-read block=1m depth=7",
            true,
        );
        check("kind = 'read'", "pattern=reverse-read", false);
        check("kind = 'read', scheme = 'rdma'", "mix=read", false);
        check(
            "kind = 'read', scheme = 'rdma'",
            "mix=read target=rdma://host",
            true,
        );
        check(
            "kind = 'write'",
            "pattern=random-write fsync-every=1",
            false,
        );
        check("kind = 'read', step = 'back'", "mix=read", false);
        check(
            "kind = 'read', depth_from = 2",
            "pattern=random-read depth=1",
            false,
        );
        check(
            "kind = 'read', depth_from = 2",
            "pattern=random-read depth=1 workers=3",
            true,
        );
    }

    #[test]
    fn means_over_block_sizes_fit_every_one_of_them() {
        let published =
            work("kind = 'write', random = false, block = '4k', block_to = '16m', size = '1g'");
        let check = |flags: &str, expected: bool| {
            assert_eq!(fits(&published, &step(flags)), expected, "{flags}")
        };
        check("pattern=sequential-write block=4k size=1g", true);
        check(
            "pattern=sequential-write block=4k:50,16m:50 size=1000000000",
            true,
        );
        check("pattern=sequential-write block=2k size=1g", false);
        check("pattern=sequential-write block=32m size=1g", false);
        check("pattern=sequential-write block=4k size=128m", false);
        check("pattern=sequential-write block=4k", false);
    }

    #[test]
    fn operations_on_files_have_no_order() {
        let published = work("kind = 'create', block_to = '16k', depth = 1, workers = 1");
        assert!(fits(&published, &step("pattern=create files=100")));
        assert!(!fits(
            &published,
            &step("pattern=create files=100 block=32k")
        ));
        assert!(!fits(&published, &step("pattern=delete files=100")));
    }

    #[test]
    fn jobs_beside_the_main_one_fit_nothing() {
        let mut both = step("pattern=random-read");
        assert!(fits(&work("kind = 'read'"), &both));
        both.jobs.push(both.jobs[0].clone());
        assert!(!fits(&work("kind = 'read'"), &both));
        both.jobs.clear();
        assert!(!fits(&work("kind = 'read'"), &both));
    }

    /// The flags by which a reader does the work of a published figure.
    fn flags_for(work: &PublishedWork) -> String {
        let mut flags = vec![format!("mix={}", work.kind)];
        let scheme = work
            .scheme
            .or(work.kind.is_message().then_some(Scheme::Tcp));
        flags.extend(scheme.map(|scheme| format!("target={scheme}://host")));
        if let Some(random) = work.random {
            flags.push(format!(
                "offsets={}",
                if random { "random" } else { "sequential" }
            ));
        }
        flags.extend(
            work.block
                .or(work.block_to)
                .map(|block| format!("block={block}")),
        );
        flags.extend(work.size.map(|size| format!("size={size}")));
        let workers = work.workers.unwrap_or(1);
        flags.push(format!("workers={workers}"));
        flags.extend(
            work.depth
                .or(work.depth_from)
                .map(|depth| format!("depth={}", depth / workers)),
        );
        flags.extend(
            work.pinned
                .map(|pinned| format!("pin={}", if pinned { "each" } else { "false" })),
        );
        flags.join(" ")
    }

    #[test]
    fn every_published_work_can_be_done() {
        let mut done = 0;
        for reference in references::all().expect("references") {
            for figure in &reference.figures {
                let Some(work) = &figure.work else { continue };
                let mut step = step(&flags_for(work));
                step.name = work.step.clone().unwrap_or(step.name);
                assert!(
                    fits(work, &step),
                    "{}, {}: {}",
                    reference.id,
                    figure.name,
                    flags_for(work)
                );
                done += 1;
            }
        }
        assert!(done > 80, "{done} figures have work");
    }

    /// The built-in plans are what most readers run.
    #[test]
    fn built_in_plans_meet_published_figures() {
        let met = |plan: &str, id: &str| -> usize {
            let file = plans::find(plan).expect(plan).file().expect(plan);
            let plan = resolve(&file, &Overrides::default(), PlanKind::Preset).expect("a plan");
            let reference = references::find(id).expect(id);
            let meets = |work: &PublishedWork| plan.steps.iter().any(|step| fits(work, step));
            reference
                .figures
                .iter()
                .filter(|figure| figure.work.as_ref().is_some_and(meets))
                .count()
        };
        assert_eq!(met("blocks", "refs-2012"), 8);
        assert!(met("check", "optane-p4800x") >= 3);
        assert_eq!(met("check", "rsync-linux-2012"), 0);
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

    /// The built-in plans do what was published: whoever runs them sees the figures beside their own.
    #[test]
    fn built_in_plans_do_the_work_of_the_experiments() {
        let check = |id: &str, plan: &str, expected: usize| {
            let file = plans::find(plan).expect("a plan").file().expect("a plan");
            let plan = resolve(&file, &Overrides::default(), PlanKind::Preset).expect("a plan");
            let reference = references::find(id).expect("a reference");
            let works = reference
                .figures
                .iter()
                .filter_map(|figure| figure.work.as_ref());
            assert_eq!(
                works
                    .filter(|work| plan.steps.iter().any(|step| fits(work, step)))
                    .count(),
                expected,
                "{id}"
            );
        };
        check("refs-2012", "blocks", 8);
        check("ntfs-2012", "blocks", 8);
        // All but the figure of 16 workers and the sequential ones.
        check("optane-p4800x", "depth", 9);
        check("p3700", "depth", 3);
        check("smb3-rdma-2012-fabric", "network-stream", 2);
        check("smb3-rdma-2012-fabric", "netpipe", 3);
    }
}
