//! Do the figures, the share done and the time left follow from the intervals?

use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::KindTick;

use super::*;
use plumb_model::run::step_end::StopReason;
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

fn plan(text: &str) -> Plan {
    resolve(
        &PlanFile::parse(text, "t").expect("plan"),
        &Overrides::default(),
        PlanKind::File,
    )
    .expect("resolved")
}

fn tick(phase: Phase, count: u64) -> Tick {
    let mut service = Histogram::default();
    service.record_n(1000, count);
    let kind = KindTick {
        kind: OperationKind::Read,
        count,
        bytes: count * 4096,
        errors: [("EIO".to_string(), 2)].into(),
        service,
        response: None,
        split: None,
        priorities: Vec::new(),
    };
    Tick {
        execution: 0,
        job: 0,
        phase,
        start_ns: 0,
        end_ns: 500_000_000,
        kinds: vec![kind],
        lateness: None,
        backlog: None,
        workers: Vec::new(),
        ranks: None,
    }
}

#[test]
fn measured_intervals_make_the_figures_of_a_step() {
    let plan = plan("rounds = 2\n[[step]]\nname = 'a'\ntime = '3s'\nwarm-up = '1s'\n");
    let mut state = LoadState::new(&plan);
    state.start(0, 0, &plan.steps[0]);
    state.started(10.0);
    state.tick(&tick(Phase::WarmUp, 1));
    assert_eq!(state.live.phase, Some(Statement::new("phase-warm-up")));
    state.tick(&tick(Phase::Measure, 5000));
    state.at(12.0);
    assert_eq!(
        (state.live.done, state.live.left_s),
        (Some(0.25), Some(6.0))
    );
    state.end(StepEnd::Stopped(StopReason::Time), 0);
    state.at(14.0);
    assert_eq!((state.live.done, state.live.left_s), (Some(0.5), Some(4.0)));
    // Half a second between the executions: the second one is foretold with it.
    state.at(14.5);
    assert_eq!(state.live.left_s, Some(4.5));
    let finished = &state.live.finished[0];
    assert_eq!(
        (finished.iops, finished.errors, finished.round),
        (Some(10_000.0), 2, 1)
    );
    assert!(finished.p99_ns.is_some());
    assert_eq!(state.live.errors, 4);
    assert_eq!(state.live.history.len(), 2);
}

#[test]
fn a_step_without_an_end_by_time_is_taken_to_last_as_it_did_before() {
    let plan = plan("rounds = 2\n[[step]]\nname = 'a'\nbytes = '1m'\n");
    let mut state = LoadState::new(&plan);
    state.start(0, 0, &plan.steps[0]);
    state.started(1.0);
    state.at(2.0);
    assert_eq!((state.live.done, state.live.left_s), (Some(0.0), None));
    state.at(3.0);
    state.end(StepEnd::Stopped(StopReason::Bytes), 0);
    state.at(3.0);
    assert_eq!((state.live.done, state.live.left_s), (Some(0.5), Some(2.0)));
    state.start(0, 1, &plan.steps[0]);
    state.started(3.0);
    state.at(4.0);
    assert_eq!(
        (state.live.done, state.live.left_s),
        (Some(0.75), Some(1.0))
    );
    // It takes longer than before: not less than nothing is left.
    state.at(9.0);
    assert_eq!((state.live.done, state.live.left_s), (Some(1.0), Some(0.0)));
}

#[test]
fn of_rounds_that_end_when_they_are_steady_the_most_is_reported_once_what_runs_once_has_ended() {
    let plan = plan(
        "rounds = 25\n[steady]\nsteps = ['b']\nfigure = 'iops'\n[[step]]\nname = 'a'\nonce = true\npattern = 'sequential-write'\npasses = 1\n[[step]]\nname = 'b'\ntime = '2s'\n",
    );
    let mut state = LoadState::new(&plan);
    assert!(state.live.may_end_earlier);
    state.start(0, 0, &plan.steps[0]);
    state.started(0.0);
    state.at(10.0);
    assert_eq!(state.live.left_s, None);
    state.end(StepEnd::Stopped(StopReason::Bytes), 0);
    state.start(1, 0, &plan.steps[1]);
    state.started(10.0);
    state.at(11.0);
    assert_eq!(state.live.left_s, Some(49.0));
}

#[test]
fn a_finished_step_reports_all_jobs_and_a_drain_of_fixed_work_as_the_table_does() {
    let plan = plan("[[step]]\nname = 'a'\ntime = '3s'\n");
    let finished = |ended_by: StopReason| {
        let mut state = LoadState::new(&plan);
        state.start(0, 0, &plan.steps[0]);
        state.tick(&tick(Phase::Measure, 5000));
        // Another job, at the same time.
        state.tick(&Tick {
            job: 1,
            ..tick(Phase::Measure, 1000)
        });
        state.tick(&Tick {
            start_ns: 500_000_000,
            end_ns: 1_000_000_000,
            ..tick(Phase::Drain, 2000)
        });
        state.end(StepEnd::Stopped(ended_by), 0);
        (state.live.finished[0].iops, state.live.finished[0].errors)
    };
    assert_eq!(finished(StopReason::Time), (Some(12_000.0), 6));
    assert_eq!(finished(StopReason::Operations), (Some(8_000.0), 6));
}
