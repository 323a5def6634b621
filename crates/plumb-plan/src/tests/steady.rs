//! Which plans track a figure, and which cannot?

use crate::{Overrides, PlanFile, PlanKind, resolve};
use plumb_model::plan::{Plan, PlanError, SteadyFigure};

const STEPS: &str = "[[step]]\nname = 'fill'\nonce = true\npattern = 'sequential-write'\n[[step]]\nname = 'w'\n[step.sweep]\nblock = ['4k', '8k']\n";

fn plan(head: &str, set: &[(&str, &str)]) -> Result<Plan, PlanError> {
    let overrides = Overrides {
        set: set
            .iter()
            .map(|(key, text)| (key.to_string(), text.to_string()))
            .collect(),
        flags: Vec::new(),
    };
    resolve(
        &PlanFile::parse(&format!("{head}\n{STEPS}"), "my.toml")?,
        &overrides,
        PlanKind::File,
    )
}

#[test]
fn keys_are_read_overridden_and_printed() {
    let head = "rounds = 25\norder = 'interleaved'\n[steady]\nsteps = ['w block=4k']\nfigure = 'latency'\ncapacities = 4\n";
    let plan = plan(
        head,
        &[
            ("steady.window", "3"),
            ("steady.data-excursion-percent", "30"),
        ],
    )
    .expect("plan");
    let steady = plan.steady.clone().expect("steady");
    assert_eq!(
        (steady.figure, steady.window, steady.data_excursion_percent),
        (SteadyFigure::Latency, 3, 30.0)
    );
    assert_eq!(steady.capacities, Some(4.0));
    let tracked: Vec<bool> = plan.steps.iter().map(|step| steady.tracks(step)).collect();
    assert_eq!(tracked, [false, true, false]);
    let again = resolve(
        &PlanFile::parse(&plan.to_toml(), "printed").expect("printed"),
        &Overrides::default(),
        PlanKind::File,
    );
    assert_eq!(again.expect("resolved"), plan);
}

#[test]
fn steps_that_run_once_come_first_and_count_once() {
    let plan = plan("rounds = 2\norder = 'interleaved'", &[("time", "3s")]).expect("plan");
    assert_eq!(plan.schedule(), [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1)]);
    let estimate = plan.estimate(|_| Some(0));
    assert_eq!(
        (
            estimate.executions,
            estimate.duration_s,
            estimate.least_duration_s
        ),
        (5, Some(22.0), Some(22.0)),
        "a time for all steps is none for what runs once"
    );
}

#[test]
fn what_can_never_be_judged_is_refused() {
    for (head, expected) in [
        (
            "rounds = 9\norder = 'interleaved'\n[steady]\nsteps = 'x*'",
            "there are w block=4k, w block=8k",
        ),
        (
            "rounds = 9\norder = 'interleaved'\n[steady]\nsteps = 'fill'",
            "no step that runs in every round is named 'fill'",
        ),
        (
            "rounds = 3\norder = 'interleaved'\n[steady]",
            "rounds = 5 or more",
        ),
        ("rounds = 9\n[steady]", "order = \"interleaved\""),
        (
            "rounds = 9\n[steady]\nwindow = 1",
            "my.toml, line 3: window: '1'",
        ),
        (
            "rounds = 9\n[steady]\nfigure = 'speed'",
            "choose one of iops, bandwidth, latency",
        ),
        (
            "rounds = 9\n[steady]\nslope-excursion-percent = 0",
            "above 0",
        ),
        ("rounds = 9\n[steady]\nwindows = 3", "did you mean 'window'"),
        (
            "rounds = 9\n[steady]\ncapacities = 0",
            "no number of times above 0",
        ),
    ] {
        let error = plan(head, &[]).expect_err(head).to_string();
        assert!(error.contains(expected), "{head}: {error}");
    }
    let error = plan("", &[("steady.window", "3")])
        .expect_err("no steady")
        .to_string();
    assert!(error.contains("the plan has no [steady]"), "{error}");
    let only = "[[step]]\nname = 'fill'\nonce = true";
    let error = resolve(
        &PlanFile::parse(only, "t").expect("plan"),
        &Overrides::default(),
        PlanKind::File,
    )
    .expect_err("once");
    assert!(
        error.to_string().contains("every step runs once"),
        "{error}"
    );
}
