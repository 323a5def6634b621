//! Do the ranks share files as requested? Each block once, each file once, and nothing left behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plumb_load::site::{Admission, Overwrite};
use plumb_model::run::{Event, Run};
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
use plumb_record::read_run;

use super::super::{OnLostRank, RanksRequest, measure};
use super::wires;
use crate::Stop;
use crate::measurement::Request;

/// Measures a plan with so many ranks; the run of all.
fn run(size: u32, text: &str, folder: &Path) -> Run {
    let output = folder.join("all.plumb");
    let file = PlanFile::parse(text, "a test").expect("a plan file");
    let plan = resolve(&file, &Overrides::default(), PlanKind::File).expect("a plan");
    std::thread::scope(|scope| {
        for wire in wires(size).0 {
            let (plan, output) = (plan.clone(), output.clone());
            scope.spawn(move || {
                let admission = Admission {
                    overwrite: Overwrite::Yes,
                    ..Admission::default()
                };
                let request = RanksRequest {
                    request: Request {
                        admission,
                        output: Some(output),
                        ..Request::quiet(plan)
                    },
                    join: Box::new(move || Ok(Box::new(wire))),
                    on_lost_rank: OnLostRank::Continue,
                    side: None,
                };
                measure(request, &Stop::new()).expect("measured");
            });
        }
    });
    read_run(&output).expect("the common record")
}

/// Operations by execution and kind, all of them, and no error among them.
fn operations(run: &Run) -> BTreeMap<(u32, String), u64> {
    let mut counts = BTreeMap::new();
    for tick in &run.ticks {
        for kind in &tick.kinds {
            assert!(kind.errors.is_empty(), "{:?}", kind.errors);
            *counts
                .entry((tick.execution, kind.kind.to_string()))
                .or_default() += kind.count;
        }
    }
    counts
}

#[test]
fn each_block_of_a_shared_file_is_written_by_one_worker_of_all() {
    let folder = tempfile::tempdir().expect("folder");
    let target = folder.path().join("file");
    fs::write(&target, vec![0; 1 << 20]).expect("a file");
    for (keys, blocks) in [
        // Two segments of 6 blocks of 8 KiB; the rest holds no third one.
        ("segment-block = \"8k\"\nsize = \"100k\"\n", 24),
        ("size = \"96k\"\n", 24),
        ("size = \"96k\"\nlayout = \"own\"\n", 24),
        ("size = \"96k\"\noffsets = \"random\"\n", 24),
    ] {
        fs::write(&target, vec![0; 1 << 20]).expect("a file");
        let text = format!(
            "[defaults]\ntarget = '{}'\nranks = \"together\"\nworkers = 2\nmix = \"write\"\ncontent = \"pattern:5a\"\npasses = 1\n\
             offsets = \"sequential\"\nengine = \"sync\"\n[[step]]\nname = \"write\"\n",
            target.display(),
        );
        let text = match keys.contains("offsets") {
            true => text.replace("offsets = \"sequential\"\n", ""),
            false => text,
        };
        let text = text + keys;
        let output = tempfile::tempdir().expect("folder");
        let run = run(3, &text, output.path());
        let expected = BTreeMap::from([((0, "write".to_string()), blocks)]);
        assert_eq!(operations(&run), expected, "{keys}");
        let content = fs::read(&target).expect("the file");
        let written = content.iter().position(|byte| *byte != 0x5a);
        assert_eq!(written, Some(96 << 10), "{keys}");
        assert!(content[96 << 10..].iter().all(|byte| *byte == 0), "{keys}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "an empty folder stays behind under Wine")]
fn files_of_all_ranks_lie_in_one_folder_and_go_with_the_run() {
    let folder = tempfile::tempdir().expect("folder");
    let target = folder.path().join("share");
    fs::create_dir(&target).expect("a folder");
    for layout in ["shared", "own"] {
        let text = format!(
            r#"
[defaults]
target = '{}'
ranks = "together"
layout = "{layout}"
files = 61
file-size = "3901"
workers = 2
passes = 1
engine = "sync"
[[step]]
name = "create"
mix = "create"
[[step]]
name = "stat"
mix = "stat"
files-of = 1
[[step]]
name = "read"
mix = "read-file"
files-of = "next-host"
[[step]]
name = "delete"
mix = "delete"
"#,
            target.display()
        );
        let output = tempfile::tempdir().expect("folder");
        let run = run(3, &text, output.path());
        let expected = ["create", "stat", "read-file", "delete"]
            .into_iter()
            .zip(0..);
        let expected = expected.map(|(kind, at)| ((at, kind.to_string()), 61));
        assert_eq!(operations(&run), expected.collect(), "{layout}");
        let left = fs::read_dir(&target).expect("the folder").count();
        assert_eq!(left, 0, "{layout}");
    }
}

#[test]
fn a_rank_reads_the_file_that_another_wrote() {
    let folder = tempfile::tempdir().expect("folder");
    let text = format!(
        r#"
[defaults]
target = '{}'
ranks = "together"
layout = "own"
size = "192k"
passes = 1
engine = "sync"
fresh = true
[[step]]
name = "write"
pattern = "sequential-write"
[[step]]
name = "read"
pattern = "sequential-read"
fresh = false
files-of = 1
"#,
        folder.path().display()
    );
    let output = tempfile::tempdir().expect("folder");
    let run = run(3, &text, output.path());
    let expected = [((0, "write".into()), 48), ((1, "read".into()), 48)];
    assert_eq!(operations(&run), BTreeMap::from(expected));
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

#[test]
fn readers_run_beside_writers_and_a_step_for_more_hosts_is_left_out() {
    let folder = tempfile::tempdir().expect("folder");
    let text = format!(
        r#"
[defaults]
target = '{}'
size = "64k"
engine = "sync"
interval = "50ms"
[[step]]
name = "mixed"
pattern = "random-read"
operations = 100
on-ranks = "even"
[[step.beside]]
name = "writers"
pattern = "random-write"
operations = 40
on-ranks = "odd"
[[step]]
name = "two hosts"
pattern = "random-read"
operations = 10
on-ranks = "hosts:2"
[[step]]
name = "one rank"
pattern = "random-read"
operations = 10
on-ranks = "1"
"#,
        folder.path().display()
    );
    let output = tempfile::tempdir().expect("folder");
    let run = run(3, &text, output.path());
    let expected = [
        ((0, "read".into()), 200),
        ((0, "write".into()), 40),
        ((2, "read".into()), 10),
    ];
    assert_eq!(operations(&run), BTreeMap::from(expected));
    // The writers are job 1 of the step, on the rank where they are the only job too.
    let jobs = |kind: &str| {
        let mut ticks = run.ticks.iter().filter(|tick| tick.execution == 0);
        ticks.find_map(|tick| {
            let mut kinds = tick.kinds.iter();
            let has = kinds.any(|of| of.kind.to_string() == kind && of.count > 0);
            has.then_some(tick.job)
        })
    };
    assert_eq!((jobs("read"), jobs("write")), (Some(0), Some(1)));
    let warned = run.notes.iter().any(|note| {
        matches!(&note.event, Event::Warning { text } if plumb_words::english(text).contains("1 of 3 steps"))
    });
    assert!(warned, "{:?}", run.notes);
}
