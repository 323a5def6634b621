//! Does every published figure stand beside the right step of the built-in plans? Walked figure by figure; docs/book/experiments/published-figures.md is the table of it.

use std::fmt::Write;

use plumb_model::environment::Fact;
use plumb_model::plan::{Plan, Step};
use plumb_model::results::reference::{PublishedFigure, Reference};
use plumb_model::run::Run;
use plumb_model::workload::{EngineChoice, Job, Workload};
use plumb_plan::{Overrides, PlanKind, plans, references, resolve};

use super::assignment::{Matched, assignment};
use crate::compare::figures::Measured;
use crate::compare::recordings::{tests::share, with_steps};
use crate::english::in_english;
use crate::synthetic::Builder;

/// A plan with settings, as a reader would run it.
struct Walked {
    /// As typed.
    command: &'static str,
    experiment: &'static str,
    plan: &'static str,
    set: &'static [(&'static str, &'static str)],
    target: &'static str,
    on_network: bool,
}

const PUBLISHED_FILES: &[(&str, &str)] = &[
    ("size", "2512m"),
    ("files", "102400"),
    ("file-size", "0-16384"),
    ("folders", "20"),
    ("seq_stat.mix", "read-file"),
    ("ran_stat.mix", "read-file"),
];
const ONE_AT_A_TIME: &[(&str, &str)] = &[
    ("sequential-write.depth", "1"),
    ("sequential-read.depth", "1"),
];

const WALKED: &[Walked] = &[
    Walked {
        command: "layers --files DIRECTORY --depth 1",
        experiment: "E1",
        plan: "layers",
        set: ONE_AT_A_TIME,
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "layers --share smb://SERVER/SHARE --depth 1",
        experiment: "E1",
        plan: "layers",
        set: ONE_AT_A_TIME,
        target: "smb://server/share",
        on_network: true,
    },
    Walked {
        command: "layers --share smb://SERVER/SHARE",
        experiment: "E1",
        plan: "layers",
        set: &[],
        target: "smb://server/share",
        on_network: true,
    },
    Walked {
        command: "run rdma",
        experiment: "E1",
        plan: "rdma",
        set: &[],
        target: "rdma://server",
        on_network: false,
    },
    Walked {
        command: "run network-stream",
        experiment: "E1",
        plan: "network-stream",
        set: &[],
        target: "tcp://server",
        on_network: false,
    },
    Walked {
        command: "run netpipe",
        experiment: "E1",
        plan: "netpipe",
        set: &[],
        target: "tcp://server",
        on_network: false,
    },
    Walked {
        command: "run blocks",
        experiment: "E2",
        plan: "blocks",
        set: &[],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run depth",
        experiment: "E4",
        plan: "depth",
        set: &[],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run depth --set iopoll=true",
        experiment: "E4",
        plan: "depth",
        set: &[
            ("iopoll", "true"),
            ("engine", "io_uring"),
            ("direct", "true"),
        ],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run bonnie --set size=2512m --set files=102400 --set file-size=0-16384 --set folders=20 --set seq_stat.mix=read-file --set ran_stat.mix=read-file",
        experiment: "E6",
        plan: "bonnie",
        set: PUBLISHED_FILES,
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run iozone-raz",
        experiment: "E6",
        plan: "iozone-raz",
        set: &[],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run dd --set block=4k",
        experiment: "E6",
        plan: "dd",
        set: &[("block", "4k")],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run dd --set block=64k",
        experiment: "E6",
        plan: "dd",
        set: &[("block", "64k")],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run dd",
        experiment: "E6",
        plan: "dd",
        set: &[],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run dd --set block=100m --set size=1000m",
        experiment: "E6",
        plan: "dd",
        set: &[("block", "100m"), ("size", "1000m")],
        target: "/data",
        on_network: false,
    },
    Walked {
        command: "run dd --set block=1g --set size=100g",
        experiment: "E6",
        plan: "dd",
        set: &[("block", "1g"), ("size", "100g")],
        target: "/data",
        on_network: false,
    },
];

fn plan_of(walked: &Walked) -> Plan {
    let owned = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
    let overrides = Overrides {
        set: walked.set.iter().map(owned).collect(),
        flags: vec![("target".into(), walked.target.into())],
    };
    let file = plans::find(walked.plan)
        .and_then(|plan| plan.file().ok())
        .unwrap_or_else(|| panic!("plan {}", walked.plan));
    resolve(&file, &overrides, PlanKind::Preset)
        .unwrap_or_else(|error| panic!("{}: {error}", walked.command))
}

fn run_of(plan: Plan, on_network: bool) -> Run {
    let mut run = Builder::new(Vec::new())
        .fact("mount.network", Fact::Flag(on_network))
        .run;
    run.header.plan = plan;
    run
}

/// The steps of a copy test by an rsync daemon, which is no plan.
fn copies() -> Plan {
    let step = |name: &str| Step {
        name: name.into(),
        group: name.into(),
        stands_for: vec!["rsync with a daemon".into()],
        jobs: vec![Job {
            name: String::new(),
            target: "/data".parse().expect("a target"),
            engine: EngineChoice::default(),
            workload: Workload {
                mix: "copy".parse().expect("a mix"),
                size: Some("1500m".parse().expect("a size")),
                offsets: plumb_model::workload::Offsets::Sequential,
                ..Workload::default()
            },
        }],
        ..Step::default()
    };
    Plan {
        steps: vec![step("write"), step("read")],
        ..Plan::without_steps("copy-test", String::new())
    }
}

/// All runs of an experiment, each with what is typed for it.
fn runs(experiment: &str) -> Vec<(&'static str, Run)> {
    if experiment == "E3" {
        return vec![(
            "copy-test --daemon --tree large:1500m rsync",
            run_of(copies(), false),
        )];
    }
    if experiment == "E5" {
        let recording = with_steps(share(176.0, 18.2e6, 0.005_68));
        return vec![("compare RECORDING ref:E5", recording)];
    }
    WALKED
        .iter()
        .filter(|walked| walked.experiment == experiment)
        .map(|walked| (walked.command, run_of(plan_of(walked), walked.on_network)))
        .collect()
}

/// Where a figure stands: the first command whose run has a step for it, and the step; else why there is none.
fn place(
    reference: &Reference,
    index: usize,
    runs: &[(&'static str, Run)],
) -> Result<(&'static str, String), String> {
    let mut why = String::from("plumb has no plan for it");
    for (command, run) in runs {
        let measured = Measured::of(run);
        let name = |step: usize| {
            measured
                .step(step)
                .map_or("", |step| &step.name)
                .to_string()
        };
        match assignment(reference, &measured).into_iter().nth(index) {
            Some(Matched::Step { step, .. }) => return Ok((command, name(step))),
            Some(Matched::Mean(steps)) => {
                let (first, last) = (steps.first().copied(), steps.last().copied());
                return Ok((
                    command,
                    format!(
                        "mean of {}: {} to {}",
                        steps.len(),
                        first.map(name).unwrap_or_default(),
                        last.map(|step| measured
                            .step(step)
                            .map_or("", |step| &step.name)
                            .to_string())
                            .unwrap_or_default()
                    ),
                ));
            }
            Some(Matched::None(reason)) => why = in_english(&reason),
            None => {}
        }
    }
    Err(why)
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn row(
    reference: &Reference,
    figure: &PublishedFigure,
    place: &Result<(&str, String), String>,
) -> String {
    let unit = reference.unit_of(figure).map_or_else(
        || "-".to_string(),
        |unit| format!("1 {} = {}: {}", unit.printed, unit.is, unit.known_by),
    );
    let (command, step) = match place {
        Ok((command, step)) => (format!("`plumb {command}`"), format!("`{step}`")),
        Err(why) => ("-".to_string(), format!("none: {why}")),
    };
    let order = figure.order.map_or("not published", |order| order.word());
    let cells = [
        format!("{}: {}", figure.table, figure.row),
        format!("{}: {}", figure.program, figure.operation),
        order.to_string(),
        figure.cache.word().to_string(),
        figure.printed.clone(),
        unit,
        command,
        step,
    ];
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    format!("| {} |", cells.join(" | "))
}

fn page() -> String {
    let mut out = String::from(
        "# Published figures and the steps next to them\n\n\
         Written by a test (crates/plumb-analyse/src/compare/published/walk.rs), which also holds it: `PLUMB_WRITE_TABLE=1 cargo test -p plumb-analyse walk`.\n\n\
         A figure is set next to a step that did the published work: the same test of the same program where the article names one (`stands-for` of a step, or an \
         imported result of that program), else the same operation, order, block, depth, workers, pinning and cache state, as far as these were published. If \
         several steps fit, one is taken: not pinned, unless the figure is; the most operations in flight (the fewest where the figure holds from some depth on), \
         then the most workers, then the largest block. The matches are rows of the articles' tables.\n",
    );
    for reference in references::all().expect("references") {
        let runs = runs(&reference.experiment);
        let _ = write!(
            out,
            "\n## {}: {} ({})\n\n`ref:{}`, {}\n\n| place in the article | program: test | order | cache | printed | unit | run | step |\n|---|---|---|---|---|---|---|---|\n",
            reference.experiment, reference.title, reference.system, reference.id, reference.source
        );
        for (index, figure) in reference.figures.iter().enumerate() {
            let place = place(&reference, index, &runs);
            out += &row(&reference, figure, &place);
            out.push('\n');
        }
    }
    out
}

#[test]
fn the_walk_over_all_figures_is_the_table() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/book/experiments/published-figures.md"
    );
    let page = page();
    if std::env::var_os("PLUMB_WRITE_TABLE").is_some() {
        std::fs::write(file, &page).expect("the table");
    }
    assert_eq!(
        std::fs::read_to_string(file).expect("docs/book/experiments/published-figures.md"),
        page,
        "docs/book/experiments/published-figures.md is stale: PLUMB_WRITE_TABLE=1 cargo test -p plumb-analyse walk"
    );
}

/// What was wrong once, figure by figure.
#[test]
fn figures_stand_beside_their_own_test() {
    let check = |id: &str, name: &str, expected: Result<&str, &str>| {
        let reference = references::find(id).expect(id);
        let index = reference
            .figures
            .iter()
            .position(|figure| figure.name == name)
            .unwrap_or_else(|| panic!("{id}: {name}"));
        let found = place(&reference, index, &runs(&reference.experiment));
        match expected {
            Ok(step) => assert_eq!(found.map(|(_, step)| step), Ok(step.to_string()), "{name}"),
            Err(why) => assert!(
                found.as_ref().is_err_and(|found| found.contains(why)),
                "{name}: {found:?}"
            ),
        }
    };
    let linux = "linux-md-2010";
    for (name, step) in [
        ("bonnie++ sequential output per char", "putc"),
        ("bonnie++ sequential output, block", "put_block"),
        ("bonnie++ rewrite", "rewrite"),
        ("bonnie++ sequential input per char", "getc"),
        ("bonnie++ sequential input, block", "get_block"),
        ("bonnie++ random seeks", "seeks"),
        ("bonnie++ sequential create of files", "seq_create"),
        ("bonnie++ sequential read of files", "seq_stat"),
        ("bonnie++ sequential delete of files", "seq_del"),
        ("bonnie++ random create of files", "ran_create"),
        ("bonnie++ random read of files", "ran_stat"),
        ("bonnie++ random delete of files", "ran_del"),
        ("dd read, 1 MB", "read"),
        ("dd write, 1 MB", "write"),
        ("dd read, 4 KB", "read"),
        (
            "iozone write, 16 MB file",
            "mean of 13: write size=16m block=4k to write size=16m block=16m",
        ),
    ] {
        check(linux, name, Ok(step));
        check("freebsd-gmirror-2010", name, Ok(step));
    }
    check(linux, "dd read, 1 GB x 100", Err("no value"));
    let fabric = "smb3-rdma-2012-fabric";
    check(fabric, "RDMA write: latency", Ok("write-ping-pong block=2"));
    check(
        fabric,
        "TCP, messages of 1 MiB",
        Ok("ping-pong block=1048576"),
    );
    check(
        "smb3-rdma-2012-share",
        "sequential, 1 MB: server CPU",
        Err("no figure of this kind"),
    );
    let optane = "optane-p4800x";
    check(
        optane,
        "random read, 4 KB, 1 worker x depth 4, pinned: CPU",
        Ok("random-read pin=each workers=1 depth=4"),
    );
    check(
        "optane-p4800x-2012r2",
        "random read, 4 KB: IOPS of one core",
        Ok("random-read pin=each workers=1 depth=32"),
    );
}

/// A figure stands beside nothing that only resembles its test.
#[test]
fn what_is_not_the_same_test_is_not_set_beside_it() {
    let stands = |id: &str, plan: Plan, on_network: bool| -> Vec<(String, String)> {
        let reference = references::find(id).expect(id);
        let run = run_of(plan, on_network);
        let measured = Measured::of(&run);
        let matches = assignment(&reference, &measured);
        let figures = reference.figures.iter().zip(matches);
        figures
            .filter_map(|(figure, place)| match place {
                Matched::Step { step, .. } => {
                    Some((figure.name.clone(), measured.step(step)?.name.clone()))
                }
                _ => None,
            })
            .collect()
    };
    let walked = |command: &str| {
        let walked = WALKED.iter().find(|walked| walked.command == command);
        plan_of(walked.expect(command))
    };
    // A share's figures are none of the local file system, and the other way round.
    let layers = || walked("layers --files DIRECTORY --depth 1");
    assert!(stands("smb3-rdma-2012-share", layers(), false).is_empty());
    assert_eq!(stands("smb3-rdma-2012-array", layers(), false).len(), 2);
    assert!(stands("smb3-rdma-2012-array", layers(), true).is_empty());
    // One at a time is not eight at a time.
    let share = stands(
        "smb3-rdma-2012-share",
        walked("layers --share smb://SERVER/SHARE"),
        true,
    );
    assert!(
        share
            .iter()
            .all(|(figure, _)| figure.starts_with("concurrent"))
            && share.len() == 2,
        "{share:?}"
    );
    // Every figure of dd has one step, and only those of dd are beside dd's.
    let dd = stands("linux-md-2010", walked("run dd"), false);
    assert_eq!(
        dd,
        [
            ("dd write, 1 MB".to_string(), "write".to_string()),
            ("dd read, 1 MB".to_string(), "read".to_string())
        ]
    );
    // The same steps without the words that they stand for are no test of bonnie++.
    let mut plan = walked(WALKED[9].command);
    plan.steps
        .iter_mut()
        .for_each(|step| step.stands_for.clear());
    assert!(stands("linux-md-2010", plan, false).is_empty());
    // Through the page cache is not around it.
    let mut plan = walked("run depth");
    for job in plan.steps.iter_mut().flat_map(|step| &mut step.jobs) {
        job.workload.direct = plumb_model::workload::Direct::No;
    }
    assert!(stands("optane-p4800x", plan, false).is_empty());
}
