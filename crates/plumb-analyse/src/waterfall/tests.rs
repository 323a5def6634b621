//! Is the arithmetic of a waterfall exact on runs whose rounds are known?

use plumb_model::environment::Fact;
use plumb_model::results::comparison::{Design, Verdict};
use plumb_model::results::waterfall::{LayerKind, Waterfall};
use plumb_model::run::{Run, SideOf};
use plumb_model::workload::{Direct, OperationKind, Weighted, Workload};

use super::{LayerRun, cpu_over_time, waterfall};
use crate::compare::Settings;
use crate::english::in_english;
use crate::synthetic::{Builder, Interval, step};

/// Scatter that all layers of a block share: the machine was slower or faster in it.
const BLOCKS: [f64; 6] = [1.0, 0.9, 1.1, 1.05, 0.95, 1.02];
const IN_FLIGHT: f64 = 8.0;

struct Made<'a> {
    target: &'a str,
    kind: Option<&'a str>,
    operation: OperationKind,
    direct: Direct,
    iops: f64,
    /// Own scatter of each round.
    scatter: f64,
    side: Option<u32>,
}

impl Default for Made<'_> {
    fn default() -> Self {
        Made {
            target: "/dev/md0",
            kind: Some("block-device"),
            operation: OperationKind::Read,
            direct: Direct::Yes,
            iops: 1000.0,
            scatter: 0.0,
            side: Some(0),
        }
    }
}

fn run(made: &Made) -> Run {
    let workload = Workload {
        mix: Weighted::only(made.operation),
        block: Weighted::only(plumb_model::units::Bytes(1 << 20)),
        depth: IN_FLIGHT as u32,
        direct: made.direct,
        ..Workload::default()
    };
    let mut layer = step("stream", "stream", &[], workload);
    layer.jobs[0].target = made.target.parse().expect("target");
    let mut builder = Builder::new(vec![layer])
        .fact("host.name", Fact::Text("box".into()))
        .fact("memory.total_bytes", Fact::Number(8e9));
    if let Some(kind) = made.kind {
        builder = builder.fact("target.kind", Fact::Text(kind.into()));
    }
    for (round, block) in BLOCKS.iter().enumerate() {
        let own = 1.0 + made.scatter * if round % 2 == 0 { 1.0 } else { -1.0 };
        let iops = made.iops * block * own;
        // Other layers have their turn in between.
        builder.now_ns += 4_000_000_000;
        builder.reading("cpu.user_ns", "0", Some(round as f64 * 1e9));
        builder.execute(
            0,
            round as u32,
            &[Interval {
                iops,
                latency_ns: IN_FLIGHT / iops * 1e9,
                ..Interval::default()
            }],
        );
        // Half a CPU of two is busy while it runs.
        builder.reading("cpu.user_ns", "0", Some(round as f64 * 1e9 + 0.5e9));
    }
    let mut run = builder.finish();
    run.header.side_of = made.side.map(|side| SideOf {
        comparison: "c".into(),
        side,
        sides: 4,
    });
    run
}

fn of(runs: &[Run]) -> Waterfall {
    let layers: Vec<LayerRun> = runs
        .iter()
        .map(|run| LayerRun { name: None, run })
        .collect();
    waterfall(&layers, None, &Settings::default())
}

fn stack() -> [Run; 4] {
    [
        run(&Made {
            target: "smb://u@127.0.0.1/share",
            kind: Some("share"),
            direct: Direct::No,
            iops: 400.0,
            side: Some(0),
            ..Made::default()
        }),
        run(&Made {
            side: Some(1),
            ..Made::default()
        }),
        run(&Made {
            target: "tcp://127.0.0.1",
            kind: Some("peer"),
            operation: OperationKind::Receive,
            iops: 1600.0,
            side: Some(2),
            ..Made::default()
        }),
        run(&Made {
            target: "/srv",
            kind: Some("directory"),
            iops: 800.0,
            side: Some(3),
            ..Made::default()
        }),
    ]
}

fn near(got: f64, expect: f64) {
    assert!(
        (got / expect - 1.0).abs() < 0.03,
        "{got} is not about {expect}"
    );
}

#[test]
fn layers_stand_from_the_storage_up_whatever_the_order() {
    let waterfall = of(&stack());
    let kinds: Vec<LayerKind> = waterfall.layers.iter().map(|layer| layer.kind).collect();
    assert_eq!(
        kinds,
        [
            LayerKind::Device,
            LayerKind::FileSystem,
            LayerKind::Network,
            LayerKind::Share
        ]
    );
    let below: Vec<Option<u32>> = waterfall.layers.iter().map(|layer| layer.below).collect();
    assert_eq!(
        below,
        [None, Some(0), None, Some(1)],
        "nothing rests on messages"
    );
    assert_eq!(waterfall.design, Design::Blocks);
    assert!(
        in_english(&waterfall.layers[3].caching).contains("1 GiB fit into its 7.45 GiB of RAM"),
        "{:?}",
        waterfall.layers[3].caching
    );
}

#[test]
fn time_per_request_is_little_s_law_and_a_cost_is_the_ratio_put_on_the_time_below() {
    let waterfall = of(&stack());
    let step = &waterfall.steps[0];
    let time = |layer: usize| step.layers[layer].time_ns.as_ref().expect("time").value;
    // 8 in flight: 8 / 1000, 8 / 800, 8 / 1600 and 8 / 400 of a second, at the geometric mean of the blocks.
    for (layer, expect_ns) in [(0, 8e6), (1, 10e6), (2, 5e6), (3, 20e6)] {
        near(time(layer), expect_ns);
    }
    let file_system = &step.layers[1].effects[0];
    near(file_system.cost_ns.expect("cost"), 2e6);
    near(file_system.throughput.ratio.expect("ratio"), 0.8);
    let (low, high) = file_system.throughput.interval.expect("interval");
    assert!(
        high - low < 1e-3,
        "the blocks' common scatter is no scatter of the ratio: {low} to {high}"
    );
    assert_eq!(file_system.throughput.verdict, Verdict::Worse);
    let share = &step.layers[3].effects;
    assert_eq!(
        share.iter().map(|effect| effect.other).collect::<Vec<_>>(),
        [1, 2]
    );
    near(share[0].cost_ns.expect("cost"), 10e6);
    near(share[1].throughput.ratio.expect("ratio"), 0.25);
    assert_eq!(step.costliest, Some(3));
    let rest = step.remainder.as_ref().expect("remainder");
    near(rest.least_ns, 5e6);
    near(rest.most_ns, 10e6);
    assert!(
        waterfall
            .verdict
            .iter()
            .any(|sentence| crate::english::text(sentence)
                .contains("most expensive layer is share (SMB)")),
        "{:?}",
        waterfall.verdict
    );
    assert!(
        crate::english::text(&waterfall.verdict[0]).contains("40 %"),
        "{:?}",
        waterfall.verdict[0]
    );
}

#[test]
fn a_layer_that_is_not_shown_to_cost_most_is_not_named() {
    let noisy = |iops: f64, target, kind, side| {
        run(&Made {
            target,
            kind: Some(kind),
            iops,
            scatter: 0.4,
            side: Some(side),
            ..Made::default()
        })
    };
    let waterfall = of(&[run(&Made::default()), noisy(800.0, "/srv", "directory", 1)]);
    let step = &waterfall.steps[0];
    assert_eq!(
        (step.costliest, step.layers[1].effects[0].throughput.verdict),
        (None, Verdict::Undecided)
    );
    assert!(
        waterfall
            .verdict
            .iter()
            .any(|sentence| crate::english::text(sentence).contains("undecided")),
        "{:?}",
        waterfall.verdict
    );
}

#[test]
fn a_faster_layer_is_told_with_the_likely_reason() {
    let cached = run(&Made {
        target: "/srv",
        kind: Some("directory"),
        direct: Direct::No,
        iops: 5000.0,
        side: Some(1),
        ..Made::default()
    });
    let waterfall = of(&[run(&Made::default()), cached]);
    assert_eq!(waterfall.layers[1].kind, LayerKind::PageCache);
    let effect = &waterfall.steps[0].layers[1].effects[0];
    assert!(effect.cost_ns.expect("cost") < 0.0);
    assert!(
        effect
            .faster_because
            .as_ref()
            .map(in_english)
            .expect("reason")
            .contains("page cache"),
        "{effect:?}"
    );
    assert!(
        waterfall
            .verdict
            .iter()
            .any(|sentence| crate::english::text(sentence).contains("is faster than device")),
        "{:?}",
        waterfall.verdict
    );
    assert!(
        waterfall
            .verdict
            .iter()
            .any(|sentence| crate::english::text(sentence)
                .contains("no layer has a measurable cost")),
        "{:?}",
        waterfall.verdict
    );
}

#[test]
fn what_a_layer_does_not_have_is_missing_with_the_reason() {
    let mut device = run(&Made::default());
    device.header.plan.steps[0].name = "read".into();
    let mut files = run(&Made {
        target: "/srv",
        kind: Some("directory"),
        operation: OperationKind::Write,
        side: Some(1),
        ..Made::default()
    });
    files.header.plan.steps[0].name = "sequential-write".into();
    let waterfall = of(&[device, files]);
    assert_eq!(waterfall.steps.len(), 2);
    let write = waterfall
        .steps
        .iter()
        .find(|step| step.step == "sequential-write")
        .expect("step");
    assert_eq!(write.layers[0].iops, None);
    assert!(
        write.layers[0]
            .missing
            .as_ref()
            .map(in_english)
            .expect("why")
            .contains("--overwrite=/dev/md0"),
        "{write:?}"
    );
    assert_eq!(write.costliest, None);
    assert!(
        write.layers[1].effects.is_empty(),
        "there is nothing to compare with"
    );
}

#[test]
fn cpus_are_counted_where_the_layer_ran_only() {
    let runs = [
        run(&Made::default()),
        run(&Made {
            target: "/srv",
            kind: Some("directory"),
            side: Some(1),
            ..Made::default()
        }),
    ];
    let figures = of(&runs);
    near(figures.steps[0].layers[0].busy_cpus.expect("watched"), 0.5);
    let layers: Vec<LayerRun> = runs
        .iter()
        .map(|run| LayerRun { name: None, run })
        .collect();
    let over_time = cpu_over_time(&layers, Some(&runs[0]));
    assert_eq!(over_time.lines.len(), 3, "two layers and the server");
    let shares: Vec<f64> = over_time.lines[0]
        .points
        .iter()
        .filter_map(|(_, value)| *value)
        .collect();
    assert_eq!(
        shares.len(),
        BLOCKS.len(),
        "one point for each round: {shares:?}"
    );
    shares.iter().for_each(|share| near(*share, 50.0));
}

#[test]
fn layers_measured_each_by_itself_are_told_so_and_nothing_at_all_is_no_panic() {
    let waterfall = of(&[
        run(&Made {
            side: None,
            ..Made::default()
        }),
        run(&Made {
            side: None,
            target: "/srv",
            kind: Some("directory"),
            ..Made::default()
        }),
    ]);
    assert_eq!(waterfall.design, Design::Independent);
    assert!(
        waterfall
            .remarks
            .iter()
            .any(|remark| in_english(remark).contains("measured separately")),
        "{:?}",
        waterfall.remarks
    );
    assert!(of(&[]).steps.is_empty());
}

#[test]
fn a_busy_machine_is_told_once_with_the_most_that_was_seen() {
    let busy = |side: u32, percent: f64| {
        let mut run = run(&Made {
            side: Some(side),
            ..Made::default()
        });
        let facts = &mut run.header.environment;
        facts.set("activity.cpu_busy_percent", Fact::Number(percent));
        run.header.findings =
            crate::judge_environment(&run.header.environment, Some(&run.header.plan));
        run
    };
    let found = |runs: &[Run]| -> Vec<String> {
        let remarks = of(runs).remarks;
        let all = remarks.iter().map(in_english);
        all.filter(|remark| remark.contains("busy")).collect()
    };
    let [one] = found(&[busy(0, 31.0), busy(1, 60.0)])
        .try_into()
        .expect("one sentence");
    assert!(one.contains("box") && one.contains("60"), "{one}");
    assert!(found(&[busy(0, 3.0), busy(1, 4.0)]).is_empty());
}

#[test]
fn files_in_memory_are_no_storage() {
    let mut runs = stack();
    let facts = &mut runs[3].header.environment;
    facts.set("mount.memory", Fact::Flag(true));
    facts.set("mount.file_system", Fact::Text("tmpfs".into()));
    let waterfall = of(&runs);
    let names: Vec<&str> = waterfall
        .layers
        .iter()
        .map(|layer| layer.name.as_str())
        .collect();
    assert_eq!(names[1], "file system (memory)", "{names:?}");
    let remarks: Vec<String> = waterfall.remarks.iter().map(in_english).collect();
    assert!(
        remarks.iter().any(|remark| remark.contains("(tmpfs)")),
        "{remarks:?}"
    );
}

#[test]
fn one_full_core_of_the_server_is_told_while_others_have_time() {
    let share = || {
        run(&Made {
            target: "smb://u@nas/share",
            kind: Some("share"),
            direct: Direct::No,
            side: Some(0),
            ..Made::default()
        })
    };
    let reported = |busy: [f64; 4]| {
        let mut server = share();
        // Each core from the first reading to the last of every round, whose length is that of the readings of the one core that the runs have.
        let of_one: Vec<_> = server.readings.drain(..).collect();
        for pair in of_one.chunks_exact(2) {
            let length_ns = (pair[1].time_ns - pair[0].time_ns) as f64;
            for (core, busy) in busy.iter().enumerate() {
                for (reading, value) in pair.iter().zip([0.0, busy * length_ns]) {
                    let mut reading = reading.clone();
                    (reading.instance, reading.value) =
                        (core.to_string(), Some(pair[0].time_ns as f64 + value));
                    server.readings.push(reading);
                }
            }
        }
        let runs = [share(), run(&Made::default())];
        let layers: Vec<LayerRun> = runs
            .iter()
            .map(|run| LayerRun { name: None, run })
            .collect();
        let found = waterfall(&layers, Some(&server), &Settings::default());
        let remarks: Vec<String> = found.remarks.iter().map(in_english).collect();
        remarks.into_iter().find(|remark| remark.contains("core "))
    };
    let found = reported([0.1, 0.99, 0.2, 0.1]).expect("told");
    assert!(found.contains("core 1") && found.contains("35"), "{found}");
    assert_eq!(reported([0.1, 0.8, 0.2, 0.1]), None, "not full");
    assert_eq!(reported([0.99; 4]), None, "all of them are");
}
