//! Did a step do the work of a published figure, and if not, in what does it differ?

use plumb_model::environment::Fact;
use plumb_model::plan::Step;
use plumb_model::results::reference::{
    PublishedCache, PublishedFigure, PublishedOrder, PublishedWork, Reference,
};
use plumb_model::run::{EngineRecord, Run};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::{
    Direct, FileNames, FileOrder, Job, Offsets, OperationKind, Pin, Workload,
};

/// File sizes that differ by less than this fraction are the same: publications rarely state whether they count by 1000 or by 1024 (1 GB and 1 GiB differ by 7 %).
const SIZE_TOLERANCE: f64 = 0.1;

/// In what a step of the same test differs from what was published, each as a statement; empty if it did the published work. `None` if it is another test.
/// What was not published fits anything.
pub(in crate::compare) fn misfits(
    figure: &PublishedFigure,
    reference: &Reference,
    run: &Run,
    index: usize,
    engine: Option<&EngineRecord>,
) -> Option<Vec<Statement>> {
    let work = figure.work.as_ref()?;
    let step = run.header.plan.steps.get(index)?;
    let [job] = step.jobs.as_slice() else {
        return None;
    };
    let same_test = stands_for(work, run, step)
        && is_of_kind(work, step, job)
        && is_at_the_location(work, reference, run, job)
        && keeps_going(&job.workload)
        && is_in_order(figure.order, &job.workload);
    if !same_test {
        return None;
    }
    let partial = (run.header.imported.as_ref()).is_some_and(|from| !from.names_all_options);
    let mut differing = Vec::new();
    differing.extend(kind(work, &job.workload));
    differing.extend(block(work, &job.workload));
    differing.extend(size(work, &job.workload, partial));
    differing.extend(files(work, &job.workload, partial));
    // What another program did not write down is not known to differ.
    if !partial {
        differing.extend(concurrency(work, job));
        differing.extend(caching(figure.cache, &job.workload, engine));
    }
    Some(differing)
}

/// The step says that it stands for the published test, or is the result of it.
fn stands_for(work: &PublishedWork, run: &Run, step: &Step) -> bool {
    let Some(test) = &work.test else {
        return true;
    };
    let imported = run.header.imported.as_ref().is_some_and(|from| {
        test.strip_prefix(from.program.as_str())
            .and_then(|rest| rest.strip_prefix(' '))
            .is_some_and(|rest| step.name.split(' ').next() == Some(rest))
    });
    imported || step.stands_for.iter().any(|name| name == test)
}

/// The kind of operation is right, or the step names the test: then another kind is a difference.
fn is_of_kind(work: &PublishedWork, step: &Step, job: &Job) -> bool {
    (work.test.is_some() || work.kind.is_some() && only_kind(&job.workload) == work.kind)
        && work.step.as_ref().is_none_or(|name| *name == step.name)
}

fn only_kind(workload: &Workload) -> Option<OperationKind> {
    match workload.mix.0.as_slice() {
        [(kind, _)] => Some(*kind),
        _ => None,
    }
}

fn kind(work: &PublishedWork, workload: &Workload) -> Option<Statement> {
    let published = work.kind?;
    (only_kind(workload) != Some(published)).then(|| differs("mix", published, &workload.mix))
}

/// On a share where the figure is of a share, on local storage where it is of that, over the network where no storage was involved.
fn is_at_the_location(work: &PublishedWork, reference: &Reference, run: &Run, job: &Job) -> bool {
    let scheme = job.target.remote().map(|remote| remote.scheme);
    if let Some(published) = work.scheme {
        return scheme == Some(published);
    }
    if work.kind == Some(OperationKind::Copy) {
        return true;
    }
    let on_network = match (&job.target, scheme) {
        (Target::Null, _) => return false,
        (_, Some(scheme)) if !scheme.is_share() => return false,
        (_, Some(_)) => Some(true),
        (_, None) => run.header.environment.flag("mount.network"),
    };
    // A figure of files is no figure of the device under them.
    let on_device = matches!(
        run.header.environment.text("target.kind"),
        Some("block-device" | "character-device")
    );
    if on_device && reference.environment.contains_key("mount.file_system") {
        return false;
    }
    match (reference.environment.get("mount.network"), on_network) {
        (Some(published), Some(ours)) => *published == Fact::Flag(ours),
        _ => true,
    }
}

/// A closed loop without pauses or flushes in between: what every published load was.
fn keeps_going(workload: &Workload) -> bool {
    !workload.is_open()
        && workload.replay.is_none()
        && workload.think_time.0 == 0
        && workload.burst_operations == 0
        && workload.fsync_every == 0
}

/// Neither hot spots nor strides nor orders that are random in part were published: they fit nothing. Operations on files have the order of their names or
/// that in which they are taken.
fn is_in_order(published: Option<PublishedOrder>, workload: &Workload) -> bool {
    if workload.has_file_operations() {
        let order = match (workload.names, workload.file_order) {
            (FileNames::Random, _) | (_, FileOrder::Shuffled) => PublishedOrder::Random,
            (FileNames::Numbered, FileOrder::Listed) => PublishedOrder::Listed,
            (FileNames::Numbered, FileOrder::Offsets) => PublishedOrder::Sequential,
        };
        return published.is_none_or(|published| published == order);
    }
    let order = match workload.offsets {
        _ if workload.is_partly_random() => return false,
        Offsets::Random | Offsets::RandomMap | Offsets::RandomWithReplacement => {
            PublishedOrder::Random
        }
        Offsets::Sequential => PublishedOrder::Sequential,
        _ => return false,
    };
    published.is_none_or(|published| published == order)
}

fn differs(key: &str, published: impl ToString, ours: impl ToString) -> Statement {
    Statement::new("differs-from-published")
        .name("key", key)
        .name("published", published.to_string())
        .name("measured", ours.to_string())
}

fn block(work: &PublishedWork, workload: &Workload) -> Option<Statement> {
    if work.block.is_none() && work.block_to.is_none() {
        return None;
    }
    let (smallest, largest) = (
        Bytes(workload.smallest_block_bytes()),
        Bytes(workload.largest_block_bytes()),
    );
    let fits = match work.block_to {
        Some(to) => work.block.is_none_or(|from| smallest >= from) && largest <= to,
        None => work
            .block
            .is_none_or(|block| smallest == block && largest == block),
    };
    let published = match (work.block, work.block_to) {
        (Some(from), Some(to)) => format!("{from}-{to}"),
        (Some(one), None) | (None, Some(one)) => one.to_string(),
        (None, None) => String::new(),
    };
    (!fits).then(|| differs("block", published, &workload.block))
}

fn size(work: &PublishedWork, workload: &Workload, partial: bool) -> Option<Statement> {
    let published = work.size?;
    let Some(ours) = workload.size else {
        return (!partial).then(|| differs("size", published, "?"));
    };
    let near = (ours.0 as f64 / published.0 as f64 - 1.0).abs() <= SIZE_TOLERANCE;
    (!near).then(|| differs("size", published, ours))
}

fn files(work: &PublishedWork, workload: &Workload, partial: bool) -> Option<Statement> {
    let (from, to) = work.file_bytes?;
    let known = !partial || workload.file_size.is_some();
    let ours = (
        Bytes(workload.smallest_file_bytes()),
        Bytes(workload.largest_file_bytes()),
    );
    (known && ours != (from, to)).then(|| {
        differs(
            "file-size",
            format!("{from}-{to}"),
            match ours {
                (from, to) if from == to => from.to_string(),
                (from, to) => format!("{from}-{to}"),
            },
        )
    })
}

/// Operations in flight over all workers.
pub(in crate::compare) fn in_flight(workload: &Workload) -> u64 {
    u64::from(workload.depth) * u64::from(workload.workers)
}

fn concurrency(work: &PublishedWork, job: &Job) -> Vec<Statement> {
    let workload = &job.workload;
    let in_flight = in_flight(workload);
    let workers = |workers: u32| workers != workload.workers;
    let pinned = workload.pin != Pin::No;
    let yes = |flag: bool| if flag { "true" } else { "false" };
    [
        work.depth
            .filter(|depth| u64::from(*depth) != in_flight)
            .map(|depth| differs("workers x depth", depth, in_flight)),
        work.depth_from
            .filter(|depth| u64::from(*depth) > in_flight)
            .map(|depth| differs("workers x depth", format!("{depth}+"), in_flight)),
        work.workers
            .filter(|count| workers(*count))
            .map(|count| differs("workers", count, workload.workers)),
        work.pinned
            .filter(|published| *published != pinned)
            .map(|published| differs("pin", yes(published), &workload.pin)),
        work.polling
            .filter(|published| *published != job.engine.iopoll)
            .map(|published| differs("iopoll", yes(published), yes(job.engine.iopoll))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The page cache, as it was used in fact.
fn caching(
    published: PublishedCache,
    workload: &Workload,
    engine: Option<&EngineRecord>,
) -> Option<Statement> {
    if workload.has_file_operations() {
        return None;
    }
    let direct = match engine.and_then(|engine| engine.direct) {
        Some(direct) => direct,
        None => match workload.direct {
            Direct::Yes => true,
            Direct::No => false,
            Direct::Try => return None,
        },
    };
    match published {
        PublishedCache::Bypassed if !direct => Some(differs("direct", "true", "false")),
        PublishedCache::PageCache | PublishedCache::LargerThanMemory if direct => {
            Some(differs("direct", "false", "true"))
        }
        PublishedCache::PageCache if workload.cold => Some(differs("cold", "false", "true")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use plumb_plan::references;

    use super::*;
    use crate::compare::published::tests::step;
    use crate::synthetic::Builder;

    /// A figure with these lines, of a reference without a set-up.
    fn reference(lines: &str) -> Reference {
        let text = format!(
            "id='a'\ntitle='b'\nexperiment='E1'\nsystem='s'\npublished='2012'\nsource='c'\n[[program]]\nname='p'\nunits=[{{printed='IOPS', is=1, known_by='k'}}]\n[[figure]]\nname='n'\ntable='t'\nrow='r'\nprogram='p'\noperation='o'\nmetric='iops'\nvalue=1\nunit='IOPS'\nprinted='1 IOPS'\n{}",
            match lines.contains("cache = ") {
                true => lines.to_string(),
                false => format!("cache = 'not-published'\n{lines}"),
            }
        );
        references::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"))
    }

    /// `None`: another test.
    fn differing(lines: &str, step: Step, imported: bool) -> Option<usize> {
        let reference = reference(lines);
        let mut run = Builder::new(vec![step]).run;
        run.header.imported = imported.then(|| plumb_model::run::imported::Imported {
            program: "bonnie++".into(),
            version: None,
            importer: "bonnie".into(),
            file: "x".into(),
            names_all_options: false,
            unstated: Vec::new(),
            doubts: Vec::new(),
        });
        misfits(&reference.figures[0], &reference, &run, 0, None).map(|differing| differing.len())
    }

    #[test]
    fn only_steps_that_did_the_same_work_fit() {
        let check = |lines: &str, flags: &str, expected: Option<usize>| {
            assert_eq!(
                differing(lines, step(flags), false),
                expected,
                "{lines} / {flags}"
            )
        };
        let published = "order = 'random'\nwork = { kind = 'read', block = '4k', depth = 32, workers = 16, pinned = true }";
        let same = "pattern=random-read depth=2 workers=16 pin=each";
        check(published, same, Some(0));
        check(
            published,
            "mix=read offsets=random-with-replacement depth=2 workers=16 pin=0-3",
            Some(0),
        );
        for (flags, expected) in [
            ("pattern=random-write depth=2 workers=16 pin=each", None),
            ("pattern=random-mixed depth=2 workers=16 pin=each", None),
            ("pattern=sequential-read depth=2 workers=16 pin=each", None),
            ("pattern=zipf-read depth=2 workers=16 pin=each", None),
            (
                "pattern=random-read depth=2 workers=16 pin=each block=8k",
                Some(1),
            ),
            (
                "pattern=random-read depth=2 workers=16 pin=each block=4k:50,8k:50",
                Some(1),
            ),
            ("pattern=random-read depth=32 workers=1 pin=each", Some(1)),
            ("pattern=random-read depth=32 workers=16 pin=each", Some(1)),
            ("pattern=random-read depth=2 workers=16", Some(1)),
            ("pattern=random-read depth=1 workers=1", Some(3)),
            (
                "pattern=random-read depth=2 workers=16 pin=each rate=1000",
                None,
            ),
            (
                "pattern=random-read depth=2 workers=16 pin=each think-time=1ms",
                None,
            ),
            (
                "pattern=random-read depth=2 workers=16 pin=each burst-operations=10 burst-pause=1s",
                None,
            ),
        ] {
            check(published, flags, expected);
        }
        let read = "work = { kind = 'read' }";
        check(read, "pattern=sequential-read block=1m depth=7", Some(0));
        check(read, "pattern=reverse-read", None);
        check(read, "mix=read target=rdma://host", None);
        check(read, "mix=read target=null:", None);
        let over_rdma = "work = { kind = 'read', scheme = 'rdma' }";
        check(over_rdma, "mix=read", None);
        check(over_rdma, "mix=read target=rdma://host", Some(0));
        check(
            "work = { kind = 'write' }",
            "pattern=random-write fsync-every=1",
            None,
        );
        check("work = { kind = 'read', step = 'back' }", "mix=read", None);
        let from_two = "work = { kind = 'read', depth_from = 2 }";
        check(from_two, "pattern=random-read depth=1", Some(1));
        check(from_two, "pattern=random-read depth=1 workers=3", Some(0));
    }

    #[test]
    fn the_page_cache_is_part_of_the_test() {
        let check = |cache: &str, flags: &str, expected: Option<usize>| {
            let lines = format!("cache = '{cache}'\nwork = {{ kind = 'read' }}");
            assert_eq!(
                differing(&lines, step(flags), false),
                expected,
                "{cache} {flags}"
            )
        };
        check("bypassed", "mix=read direct=true", Some(0));
        check("bypassed", "mix=read direct=try", Some(0));
        check("bypassed", "mix=read direct=false", Some(1));
        check("page-cache", "mix=read direct=true", Some(1));
        check("page-cache", "mix=read direct=false", Some(0));
        check("page-cache", "mix=read direct=false cold=true", Some(1));
        check("larger-than-memory", "mix=read direct=true", Some(1));
        check("not-published", "mix=read direct=false", Some(0));
    }

    #[test]
    fn means_over_block_sizes_fit_every_one_of_them() {
        let lines = "order = 'sequential'\nwork = { kind = 'write', block = '4k', block_to = '16m', size = '1g', mean = true }";
        let check = |flags: &str, expected: usize| {
            assert_eq!(
                differing(lines, step(flags), false),
                Some(expected),
                "{flags}"
            )
        };
        check("pattern=sequential-write block=4k size=1g", 0);
        check(
            "pattern=sequential-write block=4k:50,16m:50 size=1000000000",
            0,
        );
        check("pattern=sequential-write block=2k size=1g", 1);
        check("pattern=sequential-write block=32m size=1g", 1);
        check("pattern=sequential-write block=4k size=128m", 1);
        check("pattern=sequential-write block=4k", 1);
    }

    #[test]
    fn files_have_sizes_and_an_order() {
        let check = |order: &str, flags: &str, expected: Option<usize>| {
            let lines = format!(
                "order = '{order}'\nwork = {{ kind = 'create', file_bytes = ['0', '16k'] }}"
            );
            assert_eq!(
                differing(&lines, step(flags), false),
                expected,
                "{order} {flags}"
            )
        };
        check("sequential", "mix=create file-size=0-16384", Some(0));
        check("sequential", "mix=create file-size=0", Some(1));
        check("random", "mix=create file-size=0-16384", None);
        check(
            "random",
            "mix=create file-size=0-16384 names=random",
            Some(0),
        );
        check(
            "sequential",
            "mix=create file-size=0-16384 names=random",
            None,
        );
        check("sequential", "mix=delete file-size=0-16384", None);
    }

    /// A test that an article names needs a step that says it stands for it, or a result of that program.
    #[test]
    fn tests_are_known_by_their_name() {
        let lines = "work = { test = 'bonnie++ put_block', kind = 'write' }";
        let mut named = step("pattern=sequential-write block=8k");
        assert_eq!(differing(lines, named.clone(), false), None);
        named.stands_for = vec!["bonnie++ putc".into()];
        assert_eq!(differing(lines, named.clone(), false), None);
        named.stands_for.push("bonnie++ put_block".into());
        assert_eq!(differing(lines, named.clone(), false), Some(0));
        named.stands_for.clear();
        assert_eq!(differing(lines, named.clone(), true), None);
        named.name = "put_block".into();
        assert_eq!(differing(lines, named.clone(), true), Some(0));
        named.name = "putc".into();
        assert_eq!(differing(lines, named, true), None);
    }

    #[test]
    fn jobs_beside_the_main_one_fit_nothing() {
        let mut both = step("pattern=random-read");
        let lines = "work = { kind = 'read' }";
        both.jobs.push(both.jobs[0].clone());
        assert_eq!(differing(lines, both.clone(), false), None);
        both.jobs.clear();
        assert_eq!(differing(lines, both, false), None);
    }
}
