//! What would a comparison look like? Seeded, synthetic ones for tests and the gallery: plausible, but measured nowhere.

use std::collections::BTreeMap;

use plumb_model::environment::Fact;
use plumb_model::results::comparison::{
    COMPARISON_SCHEMA, Cell, CellSide, Comparison, ComparisonPlots, Condition, ConditionOutcome,
    Design, Difference, Direction, Effect, Method, Refusal, Side, SideKind, StepPercentiles, Tally,
    Verdict, compared_metric,
};
use plumb_model::results::series::Series;
use plumb_model::results::summary::{Sentence, SentenceEvidence};
use plumb_model::statement::Statement;

/// Splitmix64, and from it numbers that are nearly normal: the same for the same seed, everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Mean 0, standard deviation 1: the sum of twelve.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// A step and what the other sides' throughput is to the baseline's, and how far its rounds scatter.
#[derive(Clone)]
pub struct StepShape {
    pub group: &'static str,
    pub key: &'static str,
    pub value: String,
    pub iops: f64,
    pub block_bytes: f64,
    pub ratio: f64,
    pub spread: f64,
    pub kinds: &'static [&'static str],
}

impl StepShape {
    fn name(&self) -> String {
        if self.key.is_empty() {
            self.group.to_string()
        } else {
            format!("{} {}={}", self.group, self.key, self.value)
        }
    }
}

fn shapes() -> Vec<StepShape> {
    let mut shapes = Vec::new();
    let step = |group, key, value: String, iops, block_bytes, ratio, spread| StepShape {
        group,
        key,
        value,
        iops,
        block_bytes,
        ratio,
        spread,
        kinds: &[""],
    };
    for (depth, iops, ratio, spread) in [
        (1, 12_100.0, 1.0, 0.006),
        (2, 23_400.0, 0.995, 0.008),
        (4, 43_000.0, 0.99, 0.01),
        (8, 70_000.0, 0.96, 0.012),
        (16, 88_000.0, 0.91, 0.014),
        (32, 92_100.0, 0.88, 0.02),
        (64, 93_800.0, 0.87, 0.03),
        (128, 94_000.0, 0.93, 0.13),
    ] {
        shapes.push(step(
            "random-read",
            "depth",
            depth.to_string(),
            iops,
            4096.0,
            ratio,
            spread,
        ));
    }
    for (value, bytes, bandwidth, ratio) in [
        ("64k", 65_536.0, 0.62e9, 1.01),
        ("256k", 262_144.0, 1.5e9, 1.3),
        ("1m", 1_048_576.0, 2.0e9, 2.3),
        ("4m", 4_194_304.0, 2.1e9, 2.6),
    ] {
        shapes.push(step(
            "sequential-read",
            "block",
            value.into(),
            bandwidth / bytes,
            bytes,
            ratio,
            0.02,
        ));
    }
    shapes.push(StepShape {
        kinds: &["read", "write"],
        ..step(
            "mixed 70/30",
            "",
            String::new(),
            31_000.0,
            8192.0,
            1.08,
            0.05,
        )
    });
    shapes.push(step("create", "", String::new(), 11_800.0, 0.0, 0.7, 0.04));
    shapes
}

/// What is compared in a step of this shape, with the baseline's level.
fn metrics(shape: &StepShape) -> Vec<(&'static str, f64)> {
    let depth: f64 = shape.value.parse().unwrap_or(8.0);
    let p50_ns = depth / shape.iops * 1e9;
    let throughput = if shape.block_bytes >= 65_536.0 {
        ("bandwidth", shape.iops * shape.block_bytes)
    } else {
        ("iops", shape.iops)
    };
    vec![throughput, ("p50", p50_ns), ("p99", p50_ns * 3.1)]
}

fn mean_and_error(logs: &[f64]) -> (f64, f64) {
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}

fn cell_side(rounds: Vec<Option<f64>>, remarks: Vec<Statement>) -> CellSide {
    let logs: Vec<f64> = rounds.iter().flatten().map(|value| value.ln()).collect();
    if logs.is_empty() || logs.iter().any(|log| !log.is_finite()) {
        return CellSide {
            rounds,
            value: None,
            interval: None,
            remarks,
        };
    }
    let (mean, error) = mean_and_error(&logs);
    let interval =
        (logs.len() > 1).then(|| ((mean - 2.3 * error).exp(), (mean + 2.3 * error).exp()));
    CellSide {
        rounds,
        value: Some(mean.exp()),
        interval,
        remarks,
    }
}

fn effect(side: usize, a: &CellSide, b: &CellSide, better: Direction) -> Effect {
    let logs = |side: &CellSide| {
        side.rounds
            .iter()
            .flatten()
            .map(|value| value.ln())
            .collect::<Vec<f64>>()
    };
    let ratio = a.value.zip(b.value).map(|(a, b)| b / a);
    let mut effect = Effect {
        side: side as u32,
        ratio,
        interval: None,
        p_value: None,
        adjusted_p_value: None,
        threshold_p_value: None,
        verdict: Verdict::Undecided,
        undecided: None,
        reason: Some(Statement::verbatim(
            "one round says nothing about the spread",
        )),
        more_rounds: None,
        widened: 1.0,
        resolution: 0.0,
        machine: None,
    };
    let (Some(ratio), 2.., 2..) = (ratio, logs(a).len(), logs(b).len()) else {
        return effect;
    };
    let half = 2.3 * mean_and_error(&logs(a)).1.hypot(mean_and_error(&logs(b)).1);
    let (low, high) = ((ratio.ln() - half).exp(), (ratio.ln() + half).exp());
    effect.interval = Some((low, high));
    let p = (-2.0 * (ratio.ln() / half * 2.0).powi(2))
        .exp()
        .clamp(1e-9, 1.0);
    (effect.p_value, effect.adjusted_p_value) = (Some(p / 20.0), Some(p));
    let (least, most) = (1.0 / 1.05, 1.05);
    let gained = (ratio > 1.0) == (better == Direction::Higher);
    (effect.verdict, effect.reason) = if low > least && high < most {
        (
            Verdict::Same,
            Some(Statement::verbatim("the interval lies within 5 %")),
        )
    } else if low > most || high < least {
        (
            if gained {
                Verdict::Better
            } else {
                Verdict::Worse
            },
            Some(Statement::verbatim("shown to differ by more than 5 %")),
        )
    } else {
        effect.more_rounds = Some(((half / 0.03).powi(2) * 6.0).ceil() as u32);
        (
            Verdict::Undecided,
            Some(Statement::verbatim(
                "the interval reaches from a real difference to none",
            )),
        )
    };
    effect
}

fn side(letter: &str, label: &str) -> Side {
    Side {
        letter: letter.into(),
        label: label.into(),
        kind: SideKind::Run,
        id: format!("2026-11-22-{letter}"),
        started: "2026-11-22T10:22:33.5+01:00".into(),
        plan: Some("check".into()),
        target: Some(format!("/mnt/{letter}")),
        source: None,
        program: None,
        doubts: Vec::new(),
    }
}

fn fact(text: &str) -> Option<Fact> {
    Some(Fact::Text(text.into()))
}

/// Any number of sides; the others stand to the baseline as the shapes say, the further the more.
pub fn of(shapes: &[StepShape], sides: usize, rounds: usize) -> Comparison {
    let mut random = Random(7);
    let letter = |place: usize| match place {
        0..26 => char::from(b'A' + place as u8).to_string(),
        place => format!(
            "{}{}",
            char::from(b'A' + (place / 26 - 1) as u8),
            char::from(b'A' + (place % 26) as u8)
        ),
    };
    let labels = ["/mnt/ext4", "/mnt/xfs", "/mnt/btrfs"];
    let sides: Vec<Side> = (0..sides)
        .map(|place| {
            side(
                &letter(place),
                labels
                    .get(place)
                    .copied()
                    .unwrap_or(&format!("runs/{place}")),
            )
        })
        .collect();
    let mut cells = Vec::new();
    for shape in shapes {
        for kind in shape.kinds {
            for (metric, level) in metrics(shape) {
                let Some(metric) = compared_metric(metric) else {
                    continue;
                };
                let of_side = |place: usize, random: &mut Random| {
                    let gain = shape.ratio.powi(place as i32);
                    let level = if metric.better == Direction::Higher {
                        level * gain
                    } else {
                        level / gain
                    };
                    let drifts = shape.name() == "create" && place == 1;
                    let value = |round: usize| {
                        let drift = if drifts { -0.03 * round as f64 } else { 0.0 };
                        Some(
                            level
                                * (drift
                                    + random.normal()
                                        * shape.spread
                                        * if metric.id == "p99" { 2.5 } else { 1.0 })
                                .exp(),
                        )
                    };
                    let values = (0..rounds).map(value).collect();
                    let remark =
                        "drift: the figure falls from round to round, by 15 % over all rounds";
                    cell_side(
                        values,
                        if drifts {
                            vec![Statement::verbatim(remark)]
                        } else {
                            Vec::new()
                        },
                    )
                };
                let of_sides: Vec<CellSide> = (0..sides.len())
                    .map(|place| of_side(place, &mut random))
                    .collect();
                let effects = (1..sides.len())
                    .map(|place| effect(place, &of_sides[0], &of_sides[place], metric.better))
                    .collect();
                let swept =
                    (!shape.key.is_empty()).then(|| (shape.key.to_string(), shape.value.clone()));
                cells.push(Cell {
                    step: shape.name(),
                    group: shape.group.into(),
                    swept: swept.into_iter().collect::<BTreeMap<_, _>>(),
                    kind: (!kind.is_empty()).then(|| (*kind).to_string()),
                    metric: metric.id.into(),
                    unit: metric.unit.into(),
                    better: metric.better,
                    sides: of_sides,
                    effects,
                });
            }
        }
    }
    bare(sides, cells)
}

/// Sides and cells, with the tallies that follow from them.
pub fn bare(sides: Vec<Side>, cells: Vec<Cell>) -> Comparison {
    let effects = || cells.iter().flat_map(|cell| &cell.effects);
    let tally = |side: u32| {
        let count = |verdict| {
            effects()
                .filter(|effect| effect.side == side && effect.verdict == verdict)
                .count() as u32
        };
        let (better, worse) = (count(Verdict::Better), count(Verdict::Worse));
        Tally {
            side,
            better,
            worse,
            same: count(Verdict::Same),
            undecided: count(Verdict::Undecided),
        }
    };
    let method = Method {
        confidence: 0.95,
        threshold: 0.05,
        design: Design::Independent,
        tested: effects().filter(|effect| effect.p_value.is_some()).count() as u32,
        steps: vec![
            Statement::verbatim("Location: trimmed geometric mean of the rounds (Yuen 1974)."),
            Statement::verbatim("Adjusted by Holm (1979)."),
        ],
    };
    Comparison {
        schema: COMPARISON_SCHEMA.into(),
        plumb_version: "0.1.0".into(),
        method,
        tallies: (1..sides.len() as u32).map(tally).collect(),
        sides,
        environment: Vec::new(),
        machine: Vec::new(),
        work: Vec::new(),
        refused: Vec::new(),
        verdict: Vec::new(),
        cells,
        remarks: Vec::new(),
        conditions: Vec::new(),
        failing: Vec::new(),
        published: Vec::new(),
    }
}

fn refusals() -> Vec<Refusal> {
    vec![
        Refusal {
            step: "stat".into(),
            side: Some(0),
            reason: Statement::verbatim("only A has it"),
        },
        Refusal {
            step: "delete".into(),
            side: Some(0),
            reason: Statement::verbatim("only A has it"),
        },
        Refusal {
            step: "sequential-write".into(),
            side: None,
            reason: Statement::verbatim("not the same work: block 1m against 64k"),
        },
    ]
}

/// Two file systems on one device, six rounds each: every verdict, every part.
pub fn full() -> Comparison {
    let mut comparison = of(&shapes(), 2, 6);
    let interrupted = "interrupted in round 6: the figures cover the time until it ended";
    comparison.sides[1].doubts = vec![Statement::verbatim(interrupted)];
    comparison.environment = vec![
        Difference {
            what: "mount.file_system".into(),
            meaning: Statement::verbatim("file system"),
            values: vec![fact("ext4"), fact("xfs")],
            steps: Vec::new(),
        },
        Difference {
            what: "host.kernel".into(),
            meaning: Statement::verbatim("kernel release and version"),
            values: vec![
                fact("6.12.1-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.12.1-1 (2026-10-30)"),
                fact("6.14.0-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.14.0-3 (2026-11-12)"),
            ],
            steps: Vec::new(),
        },
        Difference {
            what: "memory.total_bytes".into(),
            meaning: Statement::verbatim("RAM"),
            values: vec![
                Some(Fact::Number(8.0 * 1024f64.powi(3))),
                Some(Fact::Unknown("no permission".into())),
            ],
            steps: Vec::new(),
        },
        Difference {
            what: "device.scheduler".into(),
            meaning: Statement::verbatim("I/O scheduler"),
            values: vec![fact("none"), None],
            steps: Vec::new(),
        },
    ];
    comparison.work = vec![Difference {
        what: "direct".into(),
        meaning: Statement::verbatim("whether the page cache is bypassed"),
        values: vec![Some(Fact::Flag(true)), Some(Fact::Flag(false))],
        steps: [
            "create",
            "mixed 70/30",
            "random-read depth=1",
            "random-read depth=2",
        ]
        .map(String::from)
        .to_vec(),
    }];
    comparison.refused = refusals();
    comparison.verdict = vec![
        Sentence::verbatim(
            "B is worse than A in 10 of 45 figures, better in 9 and the same in 8; the others are undecided.",
            evidence("largest loss", "create: −30 % operations per second"),
        ),
        Sentence::verbatim(
            "random-read depth=32: B completes 12 % fewer operations per second (between 9 and 15 % fewer), at 348 us instead of 305 us.",
            evidence("B / A", "0.88"),
        ),
    ];
    comparison.remarks = vec![
        Statement::verbatim(
            "The sides were measured at different times: whatever changed between is part of their difference; plumb compare --live runs them in turns.",
        ),
        Statement::verbatim("create: the rounds of B drift."),
    ];
    let condition =
        |steps: &str, metric: &str, above, change, explanation: &str| ConditionOutcome {
            condition: Condition {
                steps: steps.into(),
                metric: metric.into(),
                above,
                change,
            },
            failed: above,
            undecided: false,
            cells: 14,
            explanation: Statement::verbatim(explanation),
        };
    comparison.conditions = vec![
        condition(
            "*",
            "p99",
            true,
            0.1,
            "random-read depth=64: p99 of B is 16 % above that of A",
        ),
        condition(
            "sequential*",
            "bandwidth",
            false,
            -0.05,
            "none of 4 figures is beyond the limit",
        ),
    ];
    comparison
}

/// Three sides, of which one has no figure in one step and a round that stalled in another.
pub fn three() -> Comparison {
    let mut comparison = of(&shapes()[4..9], 3, 10);
    comparison.cells[0].sides[2] = CellSide::default();
    comparison.cells[0].effects[1] = effect(
        2,
        &comparison.cells[0].sides[0],
        &CellSide::default(),
        Direction::Higher,
    );
    comparison.cells[3].sides[2].rounds[4] = Some(0.0);
    comparison.cells[3].sides[2].value = None;
    comparison.cells[3].effects[1] = effect(
        2,
        &CellSide::default(),
        &comparison.cells[3].sides[2],
        Direction::Higher,
    );
    let mut comparison = bare(comparison.sides, comparison.cells);
    comparison.method.design = Design::Blocks;
    comparison
}

/// One's own run beside published figures: one round, so nothing is decided.
pub fn reference() -> Comparison {
    let mut comparison = of(&shapes()[5..6], 2, 10);
    let published = comparison.cells.remove(0);
    comparison.cells = vec![published];
    let cell = &mut comparison.cells[0];
    cell.sides[1] = cell_side(vec![Some(580_000.0)], Vec::new());
    cell.effects[0] = Effect {
        reason: Some(Statement::verbatim("above all 10 rounds of A")),
        ..effect(1, &cell.sides[0], &cell.sides[1], Direction::Higher)
    };
    comparison.sides[1] = Side {
        letter: "B".into(),
        label: "ref:optane-p4800x".into(),
        kind: SideKind::Reference,
        id: "optane-p4800x".into(),
        started: "2018".into(),
        plan: None,
        target: None,
        source: Some("a magazine's test bench".into()),
        program: None,
        doubts: vec![Statement::verbatim("one run of each")],
    };
    bare(comparison.sides, comparison.cells)
}

/// One figure, one round a side.
pub fn tiny() -> Comparison {
    let mut comparison = of(&shapes()[..1], 2, 1);
    comparison.cells.truncate(1);
    bare(comparison.sides, comparison.cells)
}

/// Nothing at all.
pub fn empty() -> Comparison {
    bare(Vec::new(), Vec::new())
}

/// As many sides, steps and rounds as asked for.
pub fn large(sides: usize, steps: usize, rounds: usize) -> Comparison {
    let shape = |place: usize| StepShape {
        group: "random-read",
        key: "depth",
        value: (place + 1).to_string(),
        iops: 10_000.0 + place as f64,
        block_bytes: 4096.0,
        ratio: if place.is_multiple_of(7) { 0.9 } else { 1.0 },
        spread: 0.01,
        kinds: &[""],
    };
    of(&(0..steps).map(shape).collect::<Vec<_>>(), sides, rounds)
}

/// Percentiles of every step on all sides.
pub fn plots(comparison: &Comparison) -> ComparisonPlots {
    let of_cell = |cell: &Cell| {
        let line = |(place, side): (usize, &CellSide)| {
            let p99_ns = side.value?;
            let points = (1..=12)
                .map(|at| f64::from(at) * 0.4)
                .map(|nines| (nines, Some(p99_ns * (0.32 + 0.17 * nines * nines))))
                .collect();
            let name = comparison.sides[place].label.clone();
            Some((
                place as u32,
                Series {
                    name,
                    statement: None,
                    unit: "ns".into(),
                    points,
                },
            ))
        };
        StepPercentiles {
            step: cell.step.clone(),
            lines: cell.sides.iter().enumerate().filter_map(line).collect(),
        }
    };
    let percentiles = comparison
        .cells
        .iter()
        .filter(|cell| cell.metric == "p99")
        .map(of_cell)
        .collect();
    ComparisonPlots { percentiles }
}

fn evidence(what: &str, value: &str) -> Vec<SentenceEvidence> {
    vec![SentenceEvidence {
        what: what.into(),
        value: value.into(),
    }]
}
