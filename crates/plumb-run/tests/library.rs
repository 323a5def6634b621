//! Can another program measure with plumb? A file is measured by calls alone, into a folder that is read back.

use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
use plumb_run::Stop;
use plumb_run::measurement::{Request, measure};

const PLAN: &str = "[[step]]\nname = 'reads'\npattern = 'random-read'\nblock = '4k'\noperations = 500\ndirect = false";

#[test]
fn a_file_is_measured_and_the_record_says_the_same() {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("file");
    std::fs::write(&file, vec![1; 1 << 20]).expect("a file");
    let overrides = Overrides {
        set: Vec::new(),
        flags: vec![("target".into(), file.display().to_string())],
    };
    let written = PlanFile::parse(PLAN, "test").expect("a plan");
    let plan = resolve(&written, &overrides, PlanKind::File).expect("a plan");
    let request = Request {
        output: Some(place.path().join("run")),
        ..Request::quiet(plan)
    };
    let measured = measure(request, &Stop::new()).expect("measured");
    assert!(measured.failures.is_empty() && !measured.interrupted);
    let step = &measured.derived.summary.steps[0];
    assert_eq!(step.total.count, 500);
    assert!(step.total.iops.is_some_and(|iops| iops > 0.0));
    let read = plumb_record::read_run(&measured.folder).expect("a record");
    assert_eq!(read.header.id, measured.derived.summary.id);
}

#[test]
fn a_request_to_end_that_came_before_ends_it_at_once() {
    let place = tempfile::tempdir().expect("a folder");
    let plan = resolve(
        &PlanFile::parse(PLAN, "test").expect("a plan"),
        &Overrides {
            set: Vec::new(),
            flags: vec![("target".into(), "null:".into())],
        },
        PlanKind::File,
    )
    .expect("a plan");
    let stop = Stop::new();
    stop.request_end();
    let request = Request {
        output: Some(place.path().join("run")),
        ..Request::quiet(plan)
    };
    let measured = measure(request, &stop).expect("a record of nothing");
    assert!(measured.interrupted && measured.derived.summary.steps.is_empty());
    assert!(stop.reason("nothing is recorded").contains("interrupted"));
}
