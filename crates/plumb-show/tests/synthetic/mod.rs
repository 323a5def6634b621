//! What would a run of the main job look like? A seeded, synthetic one for tests and the gallery: plausible, but measured nowhere.

use std::collections::BTreeMap;

use plumb_model::environment::{Environment, Fact};
use plumb_model::plan::{Order, Origin, Plan, SteadyFigure, Step};
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::scaling::{Scaling, ScalingPoint};
use plumb_model::results::series::{
    Bar, Bars, Curve, CurvePoint, HeatMap, Matrix, MatrixCell, OverTime, Plots, Series, Span,
};
use plumb_model::results::summary::{
    Cpu, Latency, OperationSummary, RoundSummary, SUMMARY_SCHEMA, Sentence, SentenceEvidence,
    SteadyStep, SteadySummary, StepSummary, Summary,
};
use plumb_model::run::{EngineRecord, Event, Note, RUN_FORMAT, Run, RunHeader};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::workload::{EngineChoice, Job, OperationKind, Weighted, Workload};

/// A run with all that is derived from it.
pub struct Synthetic {
    pub run: Run,
    pub summary: Summary,
    pub plots: Plots,
}

/// Splitmix64: the same numbers for the same seed, everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The value, off by up to the share.
    fn around(&mut self, value: f64, share: f64) -> f64 {
        value * (1.0 + share * (2.0 * self.next() - 1.0))
    }
}

/// What one step of the synthetic plan does.
#[derive(Clone)]
struct Cell {
    group: &'static str,
    kind: &'static str,
    key: &'static str,
    value: String,
    depth: f64,
    block_bytes: f64,
    /// Operations per second and median latency.
    iops: f64,
    p50_ns: f64,
}

impl Cell {
    fn name(&self) -> String {
        if self.key.is_empty() {
            self.group.to_string()
        } else {
            format!("{} {}={}", self.group, self.key, self.value)
        }
    }
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for (group, kind, base_ns, ceiling) in [
        ("random-read", "read", 82_000.0, 96_000.0),
        ("random-write", "write", 31_000.0, 61_000.0),
    ] {
        for depth in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0f64] {
            // A smooth way from the latency limit to the ceiling.
            let free = depth / base_ns * 1e9;
            let iops = free * ceiling / (free.powi(3) + ceiling.powi(3)).cbrt();
            let p50_ns = depth / iops * 1e9;
            cells.push(Cell {
                group,
                kind,
                key: "depth",
                value: depth.to_string(),
                depth,
                block_bytes: 4096.0,
                iops,
                p50_ns,
            });
        }
    }
    for (group, kind, ceiling) in [
        ("sequential-read", "read", 2.1e9),
        ("sequential-write", "write", 1.1e9),
    ] {
        for (text, block_bytes) in [
            ("64k", 65_536.0),
            ("256k", 262_144.0),
            ("1m", 1_048_576.0),
            ("4m", 4_194_304.0),
        ] {
            let bandwidth = ceiling * (1.0 - (-block_bytes / 200_000.0f64).exp());
            let (iops, depth) = (bandwidth / block_bytes, 8.0);
            cells.push(Cell {
                group,
                kind,
                key: "block",
                value: text.into(),
                depth,
                block_bytes,
                iops,
                p50_ns: depth / iops * 1e9,
            });
        }
    }
    for (kind, iops) in [
        ("create", 11_800.0),
        ("stat", 412_000.0),
        ("read-file", 38_000.0),
        ("delete", 21_500.0),
    ] {
        let p50_ns = 1e9 / iops;
        cells.push(Cell {
            group: kind,
            kind,
            key: "",
            value: String::new(),
            depth: 1.0,
            block_bytes: 4096.0,
            iops,
            p50_ns,
        });
    }
    cells
}

/// The operation of this name; a read if there is none.
fn operation(name: &str) -> OperationKind {
    OperationKind::ALL
        .iter()
        .copied()
        .find(|kind| kind.word() == name)
        .unwrap_or(OperationKind::Read)
}

fn plan(cells: &[Cell], target: &str) -> Plan {
    let step = |cell: &Cell| {
        let workload = Workload {
            mix: Weighted::only(operation(cell.kind)),
            block: Weighted::only(plumb_model::units::Bytes(cell.block_bytes as u64)),
            depth: cell.depth as u32,
            time: Some(plumb_model::units::Nanos(700_000_000)),
            warm_up: plumb_model::units::Nanos(100_000_000),
            seed: Some(77),
            ..Workload::default()
        };
        let job = Job {
            name: String::new(),
            target: Target::Path(target.into()),
            engine: EngineChoice::default(),
            workload,
        };
        let mut origins = BTreeMap::from([
            ("target".to_string(), Origin::Flag),
            ("time".into(), Origin::Preset),
            ("seed".into(), Origin::Resolved),
        ]);
        origins.extend([
            ("mix".to_string(), Origin::Preset),
            ("warm-up".to_string(), Origin::Preset),
        ]);
        let swept = if cell.key.is_empty() {
            BTreeMap::new()
        } else {
            BTreeMap::from([(cell.key.to_string(), cell.value.clone())])
        };
        origins.extend(swept.keys().map(|key| (key.clone(), Origin::Sweep)));
        Step {
            name: cell.name(),
            group: cell.group.into(),
            swept,
            jobs: vec![job],
            origins: vec![origins],
            ..Step::default()
        }
    };
    Plan {
        name: "check".into(),
        title: "What does this storage deliver, and where are its limits?".into(),
        note: String::new(),
        experiment: None,
        rounds: 3,
        order: Order::Interleaved,
        seed: 1,
        steady: None,
        steps: cells.iter().map(step).collect(),
        left_out: 0,
    }
}

fn environment() -> Environment {
    let mut environment = Environment::default();
    let texts = [
        ("host.name", "storage-07"),
        ("host.system", "Debian GNU/Linux 13"),
        ("host.kernel", "6.12.48"),
        ("host.virtualisation", "none"),
        ("cpu.model", "AMD EPYC 9354P 32-Core Processor"),
        ("cpu.governor", "performance"),
        ("target.given", "/srv/data"),
        ("target.path", "/srv/data"),
        ("target.kind", "directory"),
        ("mount.point", "/srv"),
        ("mount.source", "/dev/nvme0n1p2"),
        ("mount.file_system", "ext4"),
        (
            "mount.options",
            "rw,relatime,errors=remount-ro,stripe=256,data=ordered,commit=30",
        ),
        ("device.name", "nvme0n1p2"),
        ("device.model", "Example NVMe 2 TB"),
        ("device.scheduler", "none"),
        ("device.write_cache", "write back"),
        ("clock.source", "tsc"),
    ];
    texts
        .iter()
        .for_each(|(id, text)| environment.set(*id, Fact::Text((*text).into())));
    let numbers = [
        ("cpu.threads", 8.0),
        ("memory.total_bytes", 64.0 * 1024f64.powi(3)),
        ("memory.available_bytes", 51.3 * 1024f64.powi(3)),
        ("mount.free_bytes", 812.0 * 1024f64.powi(3)),
        ("device.size_bytes", 2e12),
        ("device.logical_block_bytes", 512.0),
        ("device.hardware_queues", 8.0),
        ("activity.device_operations_per_s", 3.3),
        ("activity.cpu_busy_percent", 1.7),
        ("cpu.frequency_max_hz", 3.8e9),
    ];
    numbers
        .iter()
        .for_each(|(id, number)| environment.set(*id, Fact::Number(*number)));
    environment.set("device.rotational", Fact::Flag(false));
    environment.set("target.direct", Fact::Flag(true));
    environment.set(
        "host.cloud",
        Fact::Unknown("the DMI tables name no provider that is known".into()),
    );
    environment.set(
        "mount.compresses",
        Fact::Unknown("the driver does not tell".into()),
    );
    environment
}

fn findings() -> Vec<Finding> {
    let evidence = |what: &str, value: &str, source: &str| Evidence {
        what: what.into(),
        value: value.into(),
        source: Statement::verbatim(source),
    };
    vec![
        Finding {
            rule: "write_cache_volatile".into(),
            severity: Severity::Info,
            claim: Statement::verbatim(
                "The device has a volatile write cache, and no step flushed it: a power cut would lose the last writes that these figures count as done.",
            ),
            evidence: vec![evidence(
                "device.write_cache",
                "write back",
                "/sys/block/nvme0n1/queue/write_cache",
            )],
            ruled_out: vec![],
            advice: Statement::verbatim(
                "Measure durable writes with --set sync=dsync before relying on the write figures for a database.",
            ),
            predicted_effect: None,
            experiment: Some(
                "plumb run latency --set mix=write --set sync=dsync --target /srv/data".into(),
            ),
        },
        Finding {
            rule: "not_steady".into(),
            severity: Severity::Warning,
            claim: Statement::verbatim(
                "Random writes at depth 64 grew slower while they were measured.",
            ),
            evidence: vec![
                evidence(
                    "steps[14].first_half.iops",
                    "63,100/s",
                    "random-write depth=64, rounds 1 to 3",
                ),
                evidence(
                    "steps[14].last_half.iops",
                    "58,400/s",
                    "random-write depth=64, rounds 1 to 3",
                ),
            ],
            ruled_out: vec![Statement::verbatim(
                "Other I/O on the device: its own counters agree with plumb's within 1 %.",
            )],
            advice: Statement::verbatim(
                "Run longer, so that the device reaches its steady state: plumb check --time 10m.",
            ),
            predicted_effect: Some((0.8, 0.95)),
            experiment: None,
        },
    ]
}

fn latency(cell: &Cell, count: u64, random: &mut Random) -> Latency {
    let at = |factor: f64, needed: u64| (count >= needed).then_some(cell.p50_ns * factor);
    let tail = random.around(1.0, 0.1);
    Latency {
        count,
        min: at(0.71, 1),
        mean: at(1.06, 1),
        p50: at(1.0, 2),
        p90: at(1.3 * tail, 100),
        p95: at(1.5 * tail, 200),
        p99: at(2.3 * tail, 1_000),
        p99_9: at(4.9 * tail, 10_000),
        p99_99: at(11.0 * tail, 100_000),
        p99_999: at(19.0 * tail, 1_000_000),
        p99_9999: at(30.0 * tail, 10_000_000),
        max: at(41.0 * tail, 1),
    }
}

fn engine_record(cell: &Cell) -> EngineRecord {
    EngineRecord {
        name: "io_uring".into(),
        active: [
            "SINGLE_ISSUER",
            "DEFER_TASKRUN",
            "registered file",
            "registered buffers",
            "O_DIRECT",
        ]
        .map(String::from)
        .to_vec(),
        stamping: if cell.depth >= 8.0 {
            "batch".into()
        } else {
            "each".into()
        },
        batch: cell.depth.min(16.0) as u32,
        clock: "tsc".into(),
        target: "/srv/data/.plumb-5f3a/0".into(),
        size_bytes: 1 << 30,
        refused: vec![],
        connection: BTreeMap::new(),
        direct: Some(true),
    }
}

/// The rounds of the first step, judged as those of a plan that waits until it is steady.
fn steady(steps: &[StepSummary]) -> Option<SteadySummary> {
    let step = steps.first()?;
    let values: Vec<Option<f64>> = step.rounds.iter().map(|round| round.iops).collect();
    let (first, last) = (
        values.first().copied().flatten(),
        values.last().copied().flatten(),
    );
    let window = Some((0, values.len() as u32 - 1));
    let rounds = values.len() as u32;
    let judged = SteadyStep {
        name: step.name.clone(),
        step: step.step,
        values,
        average: first,
        data_excursion_percent: Some(4.5),
        slope_excursion_percent: Some(-2.0),
        fit: first.zip(last),
        steady: true,
    };
    Some(SteadySummary {
        reached: true,
        rounds,
        capacities: None,
        window,
        figure: SteadyFigure::Iops,
        steps: vec![judged],
    })
}

/// Length of a round in seconds.
const ROUND_S: f64 = 0.7;

fn rounds(place: usize, cell: &Cell, plan: &Plan, random: &mut Random) -> Vec<RoundSummary> {
    let mut round_summary = |round| {
        let iops = random.around(cell.iops, 0.025);
        RoundSummary {
            round,
            execution: round * plan.steps.len() as u32 + place as u32,
            duration_s: ROUND_S,
            operations: (iops * ROUND_S) as u64,
            errors: 0,
            iops: Some(iops),
            bandwidth_bytes_per_s: (cell.kind != "stat").then_some(iops * cell.block_bytes),
            response_mean_ns: Some(cell.p50_ns * 1.1),
            response_p50_ns: Some(random.around(cell.p50_ns, 0.02)),
            response_p99_ns: Some(random.around(cell.p50_ns * 2.3, 0.1)),
            left_out: false,
        }
    };
    (0..plan.rounds).map(&mut round_summary).collect()
}

fn step_summary(place: usize, cell: &Cell, plan: &Plan, random: &mut Random) -> StepSummary {
    let rounds = rounds(place, cell, plan, random);
    let count: u64 = rounds.iter().map(|round| round.operations).sum();
    let duration_s = ROUND_S * f64::from(plan.rounds);
    let latency = latency(cell, count, random);
    let errors = if cell.group == "delete" { 2 } else { 0 };
    let total = OperationSummary {
        count,
        bytes: (count as f64 * cell.block_bytes) as u64,
        uncounted: false,
        errors,
        errors_by_kind: if errors > 0 {
            BTreeMap::from([("ENOENT".to_string(), errors)])
        } else {
            BTreeMap::new()
        },
        iops: Some(count as f64 / duration_s),
        bandwidth_bytes_per_s: (cell.kind != "stat")
            .then(|| count as f64 * cell.block_bytes / duration_s),
        response_ns: latency.clone(),
        service_ns: latency.clone(),
        submission_ns: None,
        completion_ns: None,
        intervals: None,
    };
    StepSummary {
        unstated: Vec::new(),
        ranks: None,
        name: cell.name(),
        step: place as u32,
        swept: plan.steps[place].swept.clone(),
        duration_s,
        engine: "io_uring".into(),
        engine_record: Some(engine_record(cell)),
        requested_depth: Some(cell.depth),
        achieved_depth: Some(cell.depth * 0.993),
        requested_rate: None,
        operations: BTreeMap::from([(cell.kind.to_string(), total.clone())]),
        total,
        response_ns: latency.clone(),
        service_ns: latency,
        lateness_ns: None,
        unsubmitted: None,
        cpu: Cpu {
            user_percent: Some(cell.iops / 9_000.0),
            system_percent: Some(cell.iops / 1_900.0),
            ns_per_operation: Some(5_800.0),
            workers_percent: None,
            busiest_worker_percent: Some(cell.iops / 1_600.0),
            switches_per_operation: Some(0.94),
            ..Cpu::default()
        },
        rounds,
        jobs: vec![],
        workers: vec![],
        depth_levels: vec![],
        operations_per_submission: None,
        device: None,
        connections: None,
        warm_up_errors: BTreeMap::new(),
        write_back_failures: Vec::new(),
        until_steady: Vec::new(),
        latency_limits: Vec::new(),
        reported: Vec::new(),
        ended_by: vec![plumb_model::run::step_end::StepEnd::default()],
    }
}

fn curves(steps: &[StepSummary], cells: &[Cell]) -> Vec<Curve> {
    let curve = |group: &str, knee: usize| Curve {
        group: group.into(),
        key: "depth".into(),
        knee: Some(knee),
        points: steps
            .iter()
            .zip(cells)
            .filter(|(_, cell)| cell.group == group)
            .map(|(step, cell)| CurvePoint {
                label: cell.value.clone(),
                step: step.step,
                depth: step.requested_depth,
                achieved_depth: step.achieved_depth,
                iops: step.total.iops,
                iops_range: step.total.iops.map(|iops| (iops * 0.98, iops * 1.02)),
                bandwidth_bytes_per_s: step.total.bandwidth_bytes_per_s,
                mean_ns: step.response_ns.mean,
                p50_ns: step.response_ns.p50,
                p99_ns: step.response_ns.p99,
                p99_9_ns: step.response_ns.p99_9,
            })
            .collect(),
    };
    vec![curve("random-read", 4), curve("random-write", 2)]
}

fn percentile_line(step: &StepSummary) -> Series {
    let latency = &step.response_ns;
    let figures = [
        (2f64.log10(), latency.p50),
        (1.0, latency.p90),
        (20f64.log10(), latency.p95),
        (2.0, latency.p99),
        (3.0, latency.p99_9),
        (4.0, latency.p99_99),
        (5.0, latency.p99_999),
        (6.0, latency.p99_9999),
    ];
    let points = figures
        .into_iter()
        .filter(|(_, value)| value.is_some())
        .collect();
    series(&step.name, "ns", points)
}

fn bars(steps: &[StepSummary], cells: &[Cell], wanted: fn(&Cell) -> bool, unit: &str) -> Bars {
    let bar = |(step, cell): (&StepSummary, &Cell)| {
        let (label, group) = if cell.key == "block" {
            (cell.value.clone(), cell.group)
        } else {
            (cell.kind.to_string(), "small files")
        };
        let value = if cell.key == "block" {
            step.total.bandwidth_bytes_per_s
        } else {
            step.total.iops
        };
        Bar {
            label,
            group: group.into(),
            value,
            range: value.map(|value| (value * 0.96, value * 1.03)),
        }
    };
    Bars {
        unit: unit.into(),
        bars: steps
            .iter()
            .zip(cells)
            .filter(|(_, cell)| wanted(cell))
            .map(bar)
            .collect(),
    }
}

/// Ticks of 100 ms over all rounds, interleaved, with a tenth of a second between the steps.
fn over_time(cells: &[Cell], rounds: u32, random: &mut Random) -> (OverTime, Vec<Series>, f64) {
    let named = |name: &str, unit: &str| series(name, unit, vec![]);
    let mut over_time = OverTime {
        p50_ns: named("p50", "ns"),
        p99_ns: named("p99", "ns"),
        max_ns: named("max", "ns"),
        ..OverTime::default()
    };
    over_time.errors = named("errors", "operations/s");
    let mut device = vec![
        named("nvme0n1 reads", "operations/s"),
        named("nvme0n1 writes", "operations/s"),
    ];
    let mut now = 2.0;
    for round in 0..rounds {
        for (step, cell) in cells.iter().enumerate() {
            over_time.spans.push(Span {
                name: cell.name(),
                step: step as u32,
                round,
                rounds,
                start_s: now,
                end_s: now + 0.7,
            });
            for _ in 0..7 {
                now += 0.1;
                let iops = random.around(cell.iops, 0.05);
                push(
                    &mut over_time.iops,
                    cell.kind,
                    "operations/s",
                    (now, Some(iops)),
                );
                push(
                    &mut over_time.bandwidth,
                    cell.kind,
                    "bytes/s",
                    (now, Some(iops * cell.block_bytes)),
                );
                let slow = if random.next() > 0.97 { 8.0 } else { 1.0 };
                over_time
                    .p50_ns
                    .points
                    .push((now, Some(random.around(cell.p50_ns, 0.03))));
                over_time.p99_ns.points.push((
                    now,
                    (iops > 1_000.0).then(|| random.around(cell.p50_ns * 2.3, 0.15)),
                ));
                over_time
                    .max_ns
                    .points
                    .push((now, Some(random.around(cell.p50_ns * 9.0 * slow, 0.4))));
                over_time.errors.points.push((now, Some(0.0)));
                let (reads, writes) = if cell.kind.contains("read") {
                    (iops, 12.0)
                } else {
                    (7.0, iops * 1.02)
                };
                device[0].points.push((now, Some(reads)));
                device[1].points.push((now, Some(writes)));
            }
            now += 0.1;
        }
    }
    (over_time, device, now)
}

fn push(lines: &mut Vec<Series>, name: &str, unit: &str, point: (f64, Option<f64>)) {
    match lines.iter_mut().find(|line| line.name == name) {
        Some(line) => line.points.push(point),
        None => lines.push(series(name, unit, vec![point])),
    }
}

fn heat_map(end_s: f64, random: &mut Random) -> HeatMap {
    let columns_s: Vec<f64> = (1..=end_s as u32).map(f64::from).collect();
    let row = |core: usize, random: &mut Random| {
        let busy = [3.0, 4.0, 96.0, 12.0, 2.0, 30.0, 5.0, 1.0][core % 8];
        columns_s
            .iter()
            .map(|at| {
                (*at as u32 != 20 || core != 1).then(|| random.around(busy, 0.7).clamp(0.0, 100.0))
            })
            .collect()
    };
    let rows = (0..8).map(|core| format!("cpu{core}")).collect();
    HeatMap {
        unit: "percent".into(),
        rows,
        start_s: 0.0,
        cells: (0..8).map(|core| row(core, random)).collect(),
        columns_s,
    }
}

/// The whole synthetic run on a target of this name.
pub fn full(target: &str) -> Synthetic {
    let mut random = Random(7);
    let cells = cells();
    let plan = plan(&cells, target);
    let steps: Vec<StepSummary> = cells
        .iter()
        .enumerate()
        .map(|(place, cell)| step_summary(place, cell, &plan, &mut random))
        .collect();
    let (over_time, device_iops, end_s) = over_time(&cells, plan.rounds, &mut random);
    let plots = Plots {
        published: Vec::new(),
        over_time,
        throughput_latency: curves(&steps, &cells),
        percentiles: steps.iter().map(percentile_line).collect(),
        block_bars: Some(bars(&steps, &cells, |cell| cell.key == "block", "bytes/s")),
        matrices: vec![matrix()],
        message_bandwidth: vec![message_line("bit/s", |size| {
            32e9 * size / (size + 40_000.0)
        })],
        message_latency: vec![message_line("ns", |size| 5_000.0 + size / 4.0)],
        file_operation_bars: Some(bars(
            &steps,
            &cells,
            |cell| cell.key.is_empty(),
            "operations/s",
        )),
        cpu_heat_map: Some(heat_map(end_s, &mut random)),
        host_iops: Some(heat_map(end_s, &mut random)),
        host_longest: Some(heat_map(end_s, &mut random)),
        device_iops,
        device_bandwidth: vec![],
    };
    let sentence = |text: &str, evidence: &[(&str, &str)]| Sentence {
        statement: plumb_model::statement::Statement::verbatim(text),
        evidence: evidence
            .iter()
            .map(|(what, value)| SentenceEvidence {
                what: (*what).into(),
                value: (*value).into(),
            })
            .collect(),
    };
    let verdict = vec![
        sentence(
            "Random 4 KiB reads reach about 92,000 operations per second at depth 16; more depth only adds latency.",
            &[
                ("random-read depth=16", "91,800/s"),
                ("random-read depth=128", "95,900/s"),
                ("median at depth 16", "174 us"),
            ],
        ),
        sentence(
            "One read at a time takes 82 us (median), 99 % within 190 us.",
            &[("random-read depth=1", "12,200/s")],
        ),
        sentence(
            "Random 4 KiB writes reach about 61,000 operations per second from depth 4 on.",
            &[("random-write depth=4", "60,800/s")],
        ),
        sentence(
            "Sequential reads reach 2.1 GB/s from 1 MiB blocks on, sequential writes 1.1 GB/s.",
            &[("sequential-read block=1m", "2.09 GB/s")],
        ),
        sentence(
            "Small files: 11,800 created, 38,000 read and 21,500 deleted per second.",
            &[("create", "11,800/s"), ("delete", "21,500/s")],
        ),
    ];
    finish(plan, steps, verdict, plots)
}

/// File size x record size, a corner of it left out.
fn matrix() -> Matrix {
    let cell = |row: u32, column: u32| {
        let rate = 2e8 * f64::from(row + 2 * column + 1);
        (column <= row + 1).then_some(MatrixCell {
            step: row * 3 + column,
            iops: Some(rate / 4096.0),
            bandwidth_bytes_per_s: Some(rate),
        })
    };
    Matrix {
        name: "rewrite <all>".into(),
        unit: "bytes/s".into(),
        row_key: "size".into(),
        column_key: "block".into(),
        rows: ["64k", "128k", "256k"].map(String::from).to_vec(),
        columns: ["4k", "64k", "256k"].map(String::from).to_vec(),
        cells: (0..3)
            .map(|row| (0..3).map(|column| cell(row, column)).collect())
            .collect(),
    }
}

/// A figure over the sizes of NetPIPE's ladder without its perturbations.
fn message_line(unit: &str, of: impl Fn(f64) -> f64) -> Series {
    let points = (0..=23)
        .map(|power| 2f64.powi(power))
        .map(|size| (size, Some(of(size))))
        .collect();
    series("ping-pong", unit, points)
}

/// One step, one round, one interval: the least that a run can hold.
pub fn tiny() -> Synthetic {
    let mut random = Random(7);
    let cells = vec![cells().remove(0)];
    let mut plan = plan(&cells, "/srv/data");
    plan.rounds = 1;
    let steps = vec![step_summary(0, &cells[0], &plan, &mut random)];
    let one = |name: &str, value: f64| series(name, "", vec![(2.1, Some(value))]);
    let mut curves = curves(&steps, &cells);
    curves.truncate(1);
    curves[0].knee = None;
    let plots = Plots {
        published: Vec::new(),
        over_time: OverTime {
            spans: vec![Span {
                name: cells[0].name(),
                step: 0,
                round: 0,
                rounds: 1,
                start_s: 2.0,
                end_s: 2.1,
            }],
            iops: vec![one("read", 12_000.0)],
            bandwidth: vec![one("read", 5e7)],
            p50_ns: one("p50", 82_000.0),
            p99_ns: one("p99", 190_000.0),
            max_ns: one("max", 700_000.0),
            kinds: vec![],
            errors: one("errors", 0.0),
            backlog: None,
        },
        throughput_latency: curves,
        percentiles: vec![series(
            &cells[0].name(),
            "ns",
            vec![(2f64.log10(), Some(82_000.0))],
        )],
        block_bars: Some(Bars {
            unit: "bytes/s".into(),
            bars: vec![Bar {
                label: "4k".into(),
                group: "read".into(),
                value: Some(5e7),
                range: None,
            }],
        }),
        matrices: Vec::new(),
        message_bandwidth: vec![series("send", "bit/s", vec![(1.0, Some(8e6))])],
        message_latency: vec![series("ping-pong", "ns", vec![(1.0, Some(5_000.0))])],
        file_operation_bars: Some(Bars {
            unit: "operations/s".into(),
            bars: vec![Bar {
                label: "create".into(),
                group: String::new(),
                value: Some(1.0),
                range: None,
            }],
        }),
        cpu_heat_map: Some(one_cell("cpu0", "percent")),
        host_iops: Some(one_cell("hosta", "operations/s")),
        host_longest: Some(one_cell("hosta", "ns")),
        device_iops: vec![one("vda reads", 12_000.0)],
        device_bandwidth: vec![],
    };
    finish(plan, steps, vec![], plots)
}

/// A run in which nothing was measured.
pub fn empty() -> Synthetic {
    let mut synthetic = finish(
        plan(&cells(), "/srv/data"),
        vec![],
        vec![],
        Plots::default(),
    );
    synthetic.summary.environment = Environment::default();
    synthetic.summary.findings.clear();
    synthetic.summary.state = "incomplete".into();
    synthetic
}

fn header(plan: Plan) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: "20261121-102233-5f3a".into(),
        plumb_version: "0.1.0".into(),
        started: "2026-11-21T10:22:33.123+01:00".into(),
        started_unix_ns: 1_795_252_953_123_000_000,
        command: ["plumb", "check", "/srv/data"].map(String::from).to_vec(),
        plan,
        environment: environment(),
        findings: vec![],
        tags: Vec::new(),
        side_of: None,
        imported: None,
        watch: None,
        ranks: None,
        rank_of: None,
    }
}

fn finish(plan: Plan, steps: Vec<StepSummary>, verdict: Vec<Sentence>, plots: Plots) -> Synthetic {
    let note = |time_ns, event| Note { time_ns, event };
    let run = Run {
        header: header(plan.clone()),
        ticks: vec![],
        readings: vec![],
        notes: vec![
            note(
                1_000,
                Event::Prepared {
                    path: "/srv/data/.plumb-5f3a/0".into(),
                    bytes: 1 << 30,
                    duration_ns: 1_900_000_000,
                },
            ),
            note(
                1_950_000_000,
                Event::Ceiling {
                    execution: 5,
                    job: 0,
                    operations_per_s: 14_200_000.0,
                },
            ),
            note(
                2_000_000_000,
                Event::ExecutionStarted {
                    execution: 0,
                    step: 0,
                    round: 0,
                },
            ),
            note(
                2_800_000_000,
                Event::ExecutionEnded {
                    execution: 0,
                    stopped_by: plumb_model::run::step_end::StopReason::Time,
                },
            ),
            note(64_000_000_000, Event::Finished { interrupted: false }),
        ],
        doubts: vec![],
    };
    let summary = Summary {
        ranks: None,
        schema: SUMMARY_SCHEMA.into(),
        id: run.header.id.clone(),
        plumb_version: run.header.plumb_version.clone(),
        started: run.header.started.clone(),
        state: "finished".into(),
        plan,
        environment: environment(),
        findings: findings(),
        verdict,
        steady: steady(&steps),
        scaling: ladder_of_hosts(steps.len()),
        steps,
        grid: vec![],
        doubts: vec![],
        imported: None,
    };
    Synthetic {
        run,
        summary,
        plots,
    }
}

fn one_cell(row: &str, unit: &str) -> HeatMap {
    HeatMap {
        unit: unit.into(),
        rows: vec![row.into()],
        columns_s: vec![1.0],
        start_s: 0.0,
        cells: vec![vec![Some(50.0)]],
    }
}

/// One, two and four hosts; a single step is no ladder.
fn ladder_of_hosts(steps: usize) -> Vec<Scaling> {
    let point = |hosts: u32, efficiency: f64| ScalingPoint {
        label: hosts.to_string(),
        requested: f64::from(hosts),
        iops: 20_000.0 * f64::from(hosts) * efficiency / 100.0,
        efficiency_percent: Some(efficiency),
        efficiency_in_rounds: Some((efficiency - 2.0, efficiency + 2.0)),
        ..ScalingPoint::default()
    };
    let ladder = Scaling {
        group: "random-read".into(),
        key: "hosts".into(),
        points: vec![point(1, 100.0), point(2, 95.0), point(4, 60.0)],
        enough: None,
        bounds: None,
        law: None,
        law_withheld: None,
    };
    (steps > 1).then_some(ladder).into_iter().collect()
}

/// A line that has a name.
fn series(name: &str, unit: &str, points: Vec<(f64, Option<f64>)>) -> Series {
    Series {
        name: name.into(),
        unit: unit.into(),
        points,
        ..Series::default()
    }
}
