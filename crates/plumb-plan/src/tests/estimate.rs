//! What does a plan take, in time and bytes?

use crate::{Overrides, PlanFile, PlanKind, resolve};
use plumb_model::plan::Estimate;

fn estimate(steps: &str) -> Estimate {
    let file = PlanFile::parse(&format!("rounds = 2\n{steps}"), "t").expect("plan");
    let plan = resolve(&file, &Overrides::default(), PlanKind::File).expect("resolved");
    plan.estimate(|job| job.workload.size.map(|size| size.0))
}

#[test]
fn time_and_bytes_add_up_over_rounds() {
    let found = estimate(
        "[[step]]\nname='r'\ntime='3s'\nwarm-up='1s'\nsize='1m'\n[[step]]\nname='w'\npattern='random-write'\noperations=10\ntime='2s'\nsize='2m'\n",
    );
    assert_eq!(found.executions, 4);
    assert_eq!(found.duration_s, Some(12.0));
    assert_eq!(found.written_bytes_max, Some(2 * 10 * 4096));
    assert_eq!(
        found.prepared_bytes,
        Some(2 << 20),
        "both steps share one target"
    );
    assert_eq!(found.unbounded_write_s, 0.0);
}

#[test]
fn what_a_fresh_step_writes_is_not_prepared() {
    let steps = "[[step]]\nname='w'\npattern='sequential-write'\nfresh=true\npasses=1\nsize='1m'\n[[step]]\nname='r'\nsize='1m'\n";
    assert_eq!(estimate(steps).prepared_bytes, Some(0));
    assert_eq!(
        estimate(&format!("order='shuffled'\n{steps}")).prepared_bytes,
        Some(1 << 20),
        "the reads may come first"
    );
    let reads_first = "[[step]]\nname='r'\nsize='1m'\n[[step]]\nname='w'\npattern='sequential-write'\nfresh=true\nsize='1m'\n";
    assert_eq!(estimate(reads_first).prepared_bytes, Some(1 << 20));
}

#[test]
fn a_step_that_waits_to_be_steady_ends_between_one_window_and_its_time() {
    let found = estimate(
        "[[step]]\nname='r'\nsize='1m'\nuntil-steady='iops slope 1% over 30s after 5s'\nwarm-up='2s'\nstart-delay='3s'\n",
    );
    assert_eq!(
        (found.least_duration_s, found.duration_s),
        (Some(80.0), Some(620.0)),
        "two rounds; without a time ten windows"
    );
}

#[test]
fn what_cannot_be_known_is_missing() {
    let found = estimate("[[step]]\nname='w'\npattern='random-write'\ntime='2s'\n");
    assert_eq!(
        (
            found.written_bytes_max,
            found.unbounded_write_s,
            found.prepared_bytes
        ),
        (None, 4.0, None)
    );
    let found = estimate("[[step]]\nname='w'\npattern='random-write'\nbytes='1g'\nsize='1m'\n");
    assert_eq!(
        (found.written_bytes_max, found.duration_s),
        (Some(2 << 30), None)
    );
    let found =
        estimate("[[step]]\nname='w'\npattern='random-write'\nrate=100\ntime='2s'\nsize='1m'\n");
    assert_eq!(found.written_bytes_max, Some(2 * 200 * 4096));
    let found = estimate(
        "[[step]]\nname='w'\npattern='random-write'\nbytes='1g'\ntime='3s'\nwarm-up='1s'\nsize='1m'\n",
    );
    assert_eq!(
        (found.written_bytes_max, found.unbounded_write_s),
        (None, 8.0),
        "the bound does not hold in the warm-up"
    );
    let found = estimate("[[step]]\nname='w'\npattern='random-write'\npasses=3\nsize='1m'\n");
    assert_eq!(
        (found.written_bytes_max, found.duration_s),
        (Some(2 * (3 << 20)), None)
    );
    let found = estimate("[[step]]\nname='n'\npattern='random-write'\ntarget='null:'\n");
    assert_eq!(
        (found.prepared_bytes, found.written_bytes_max),
        (Some(0), Some(0))
    );
}
