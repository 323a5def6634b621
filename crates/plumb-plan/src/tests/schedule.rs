//! In which order do steps and rounds run?

use crate::{Overrides, PlanFile, PlanKind, resolve};
use plumb_model::plan::Plan;

fn plan(order: &str, steps: usize, rounds: u32, seed: u64) -> Plan {
    let values: Vec<String> = (1..=steps).map(|depth| depth.to_string()).collect();
    let text = format!(
        "order = '{order}'\nrounds = {rounds}\nseed = {seed}\n[[step]]\nname = 'a'\n[step.sweep]\ndepth = [{}]",
        values.join(",")
    );
    resolve(
        &PlanFile::parse(&text, "t").expect("plan"),
        &Overrides::default(),
        PlanKind::File,
    )
    .expect("resolved")
}

#[test]
fn orders() {
    assert_eq!(
        plan("sequential", 2, 2, 0).schedule(),
        [(0, 0), (0, 1), (1, 0), (1, 1)]
    );
    assert_eq!(
        plan("interleaved", 2, 2, 0).schedule(),
        [(0, 0), (1, 0), (0, 1), (1, 1)]
    );
}

#[test]
fn steps_of_a_combination_stay_together() {
    let swept = |order: &str, seed: u64| {
        let text = format!(
            "order = '{order}'\nrounds = 2\nseed = {seed}\n[sweep]\nblock = ['4k', '8k', '16k']\n[[step]]\nname = 'w'\n[[step]]\nname = 'r'"
        );
        resolve(
            &PlanFile::parse(&text, "t").expect("plan"),
            &Overrides::default(),
            PlanKind::File,
        )
        .expect("resolved")
        .schedule()
    };
    let cell = |first: usize, round: u32| [(first, round), (first + 1, round)];
    assert_eq!(
        swept("sequential", 0),
        [
            cell(0, 0),
            cell(0, 1),
            cell(2, 0),
            cell(2, 1),
            cell(4, 0),
            cell(4, 1)
        ]
        .concat()
    );
    assert_eq!(
        swept("interleaved", 0),
        [
            cell(0, 0),
            cell(2, 0),
            cell(4, 0),
            cell(0, 1),
            cell(2, 1),
            cell(4, 1)
        ]
        .concat()
    );
    let shuffled: Vec<Vec<(usize, u32)>> = (1..20).map(|seed| swept("shuffled", seed)).collect();
    assert!(
        shuffled
            .iter()
            .flat_map(|order| order.chunks(2))
            .all(|pair| pair[0].0 % 2 == 0 && pair[1] == (pair[0].0 + 1, pair[0].1))
    );
    assert!(
        shuffled.windows(2).any(|pair| pair[0] != pair[1]),
        "combinations change places"
    );
}

#[test]
fn shuffled_rounds_hold_every_step_once_and_repeat_with_the_seed() {
    let first = plan("shuffled", 20, 3, 7).schedule();
    assert_eq!(first, plan("shuffled", 20, 3, 7).schedule());
    assert_ne!(first, plan("shuffled", 20, 3, 8).schedule());
    let mut rounds = Vec::new();
    for round in 0..3 {
        let row: Vec<usize> = first
            .iter()
            .filter(|(_, of)| *of == round)
            .map(|(step, _)| *step)
            .collect();
        let mut sorted = row.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
        rounds.push(row);
    }
    assert_ne!(rounds[0], rounds[1]);
}

#[test]
fn open_seeds_are_drawn_and_given_ones_stay() {
    let mut drawn = plan("shuffled", 3, 1, 0);
    drawn.settle_seeds(99);
    let seeds: Vec<u64> = drawn
        .steps
        .iter()
        .filter_map(|step| step.jobs[0].workload.seed)
        .collect();
    assert_eq!(seeds.len(), 3);
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && drawn.seed != 0);
    let before = drawn.clone();
    drawn.settle_seeds(100);
    assert_eq!(before, drawn);
}
