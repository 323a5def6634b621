//! What are the figures of each layer in each step, and what does it add to the layer below? One value per round, compared round by round.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Step;
use plumb_model::results::comparison::{
    COMPARED_METRICS, Cell, ComparedMetric, Design, Direction, Effect, Verdict,
};
use plumb_model::results::waterfall::{
    LayerEffect, LayerFigures, LayerKind, LayeredStep, Measure, Remainder,
};
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::statement::Statement;
use plumb_model::workload::Workload;

use super::cpu::{Busy, busy_cpus, stretches};
use super::laid::Laid;
use crate::compare::Settings;
use crate::compare::effects::{Column, Pending, contrast_named, decide};
use crate::compare::failures::Failures;
use crate::figures::executions::left_out;

/// The figures taken from each round, in this order.
const FIGURES: [&str; 4] = ["iops", "bandwidth", "mean", "cpu"];

/// The rounds of one layer in one step; in blocks, round i has index i.
#[derive(Default)]
struct Rounds {
    iops: Vec<Option<f64>>,
    bandwidth: Vec<Option<f64>>,
    latency: Vec<Option<f64>>,
    cpu: Vec<Option<f64>>,
    /// Requests in flight divided by operations per second, in nanoseconds.
    time: Vec<Option<f64>>,
    failing: Option<Failures>,
}

/// An effect that waits for its verdict: (step, layer, index of the effect).
type EffectIndex = (usize, usize, usize);

pub(super) fn steps(
    laid: &[Laid],
    server: Option<&Run>,
    design: Design,
    settings: &Settings,
) -> Vec<LayeredStep> {
    let clients: Vec<Busy> = laid
        .iter()
        .map(|laid| Busy::of(laid.measured.run))
        .collect();
    let server = server.map(Busy::of);
    let mut waiting = Waiting::default();
    let mut steps: Vec<LayeredStep> = Vec::new();
    for name in names(laid) {
        let at: Vec<Option<usize>> = laid.iter().map(|laid| step_index(laid, &name)).collect();
        let numbers: BTreeSet<u32> = laid
            .iter()
            .zip(&at)
            .flat_map(|(laid, at)| round_numbers(laid, *at))
            .collect();
        let rounds: Vec<Rounds> = laid
            .iter()
            .zip(&at)
            .map(|(laid, at)| rounds_of(laid, *at, design, &numbers))
            .collect();
        let (ranks, step) = some_step(laid, &at).unzip();
        let mut layers: Vec<LayerFigures> = Vec::new();
        for (index, (held, rounds)) in laid.iter().zip(&rounds).enumerate() {
            layers.push(figures_of(held, at[index], rounds, step));
            let running = at[index]
                .map(|step| stretches(held, step))
                .unwrap_or_default();
            if let Some(figures) = layers.last_mut() {
                figures.busy_cpus = clients
                    .get(index)
                    .and_then(|busy| busy_cpus(busy, &running));
                figures.server_busy_cpus =
                    server.as_ref().and_then(|busy| busy_cpus(busy, &running));
            }
        }
        for index in 0..laid.len() {
            for other in rests_on(laid, &layers, index) {
                waiting.add(
                    (steps.len(), index, layers[index].effects.len()),
                    (laid, &rounds),
                    (other, index),
                    (design, settings),
                );
                let throughput = waiting.last_effect();
                let (cost_ns, cost_interval_ns) = cost(layers[other].time_ns.as_ref(), &throughput);
                layers[index].effects.push(LayerEffect {
                    other: other as u32,
                    throughput,
                    cost_ns,
                    cost_interval_ns,
                    faster_because: None,
                });
            }
        }
        let block_bytes = step.and_then(block_of);
        steps.push(LayeredStep {
            step: name,
            block_bytes,
            in_flight: step.map_or(1, |step| in_flight(step, ranks.unwrap_or(1))),
            layers,
            remainder: None,
            costliest: None,
        });
    }
    waiting.settle(&mut steps, settings);
    steps.into_iter().map(|step| finished(step, laid)).collect()
}

/// Figures that depend on verdicts: why a layer is faster, the remainder of a share, and the costliest layer.
fn finished(mut step: LayeredStep, laid: &[Laid]) -> LayeredStep {
    for (index, figures) in step.layers.iter_mut().enumerate() {
        for effect in figures
            .effects
            .iter_mut()
            .filter(|effect| effect.throughput.verdict == Verdict::Better)
        {
            effect.faster_because = Some(faster_because(laid, index, effect.other as usize));
        }
    }
    step.remainder = remainder(&step, laid);
    step.costliest = costliest(&step);
    step
}

/// Names of all steps: in the order of the layer that has most of them, then what only others have.
fn names(laid: &[Laid]) -> Vec<String> {
    let of = |laid: &Laid| -> Vec<String> {
        laid.measured
            .run
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.clone())
            .collect()
    };
    let mut names = laid.iter().map(of).max_by_key(Vec::len).unwrap_or_default();
    for name in laid.iter().flat_map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn step_index(laid: &Laid, name: &str) -> Option<usize> {
    laid.measured
        .run
        .header
        .plan
        .steps
        .iter()
        .position(|step| step.name == name)
}

/// The step on the first layer that has it, and how many ranks carried it out there.
fn some_step<'l>(laid: &'l [Laid], at: &[Option<usize>]) -> Option<(u32, &'l Step)> {
    let mut placed = laid.iter().zip(at);
    placed.find_map(|(laid, at)| Some((ranks_of(laid), laid.measured.step((*at)?)?)))
}

/// Ranks that carried out a layer; 1 where one process did.
fn ranks_of(laid: &Laid) -> u32 {
    let ranks = laid.measured.run.header.ranks.as_ref();
    ranks.map_or(1, |ranks| ranks.processes.len() as u32)
}

fn workload_of(step: &Step) -> Option<&Workload> {
    step.jobs.first().map(|job| &job.workload)
}

fn block_of(step: &Step) -> Option<u64> {
    workload_of(step)
        .and_then(Workload::only_block)
        .map(|block| block.0)
}

/// Requests that all ranks together keep in flight.
fn in_flight(step: &Step, ranks: u32) -> u32 {
    workload_of(step).map_or(1, |workload| {
        let of_one = workload.depth.saturating_mul(workload.workers);
        of_one.saturating_mul(ranks)
    })
}

fn round_numbers(laid: &Laid, step: Option<usize>) -> Vec<u32> {
    step.map(|step| {
        laid.measured
            .executions(step)
            .iter()
            .map(|execution| execution.round)
            .collect()
    })
    .unwrap_or_default()
}

fn metrics() -> Vec<&'static ComparedMetric> {
    FIGURES
        .iter()
        .filter_map(|id| COMPARED_METRICS.iter().find(|metric| metric.id == *id))
        .collect()
}

fn rounds_of(laid: &Laid, step: Option<usize>, design: Design, numbers: &BTreeSet<u32>) -> Rounds {
    let Some((index, step)) = step.and_then(|index| Some((index, laid.measured.step(index)?)))
    else {
        return Rounds::default();
    };
    let found = laid
        .measured
        .rounds(index, None, &metrics(), &mut Histogram::default());
    let by_number: BTreeMap<u32, &Vec<Option<f64>>> = found
        .iter()
        .map(|round| (round.number, &round.values))
        .collect();
    let column = |figure: usize| -> Vec<Option<f64>> {
        match design {
            Design::Independent => found
                .iter()
                .map(|round| round.values.get(figure).copied().flatten())
                .collect(),
            Design::Blocks => numbers
                .iter()
                .map(|number| by_number.get(number)?.get(figure).copied().flatten())
                .collect(),
        }
    };
    let iops = column(0);
    let open = workload_of(step).is_some_and(|workload| workload.is_open());
    let requests = f64::from(in_flight(step, ranks_of(laid)));
    let time = iops
        .iter()
        .map(|iops| {
            iops.filter(|iops| *iops > 0.0 && !open)
                .map(|iops| requests / iops * 1e9)
        })
        .collect();
    // A message that comes back moves its bytes twice; a layer is charged for one direction, as a read or a write is.
    let directions = step
        .jobs
        .first()
        .and_then(|job| job.workload.mix.0.first())
        .map_or(1.0, |(operation, _)| operation.directions() as f64);
    let bandwidth = column(1)
        .into_iter()
        .map(|bandwidth| bandwidth.map(|bandwidth| bandwidth / directions))
        .collect();
    let failures = Failures::of(&laid.measured, index);
    let failing = failures.spoil().then_some(failures);
    Rounds {
        iops,
        bandwidth,
        latency: column(2),
        cpu: column(3),
        time,
        failing,
    }
}

/// Trimmed geometric mean with its interval.
fn measure(rounds: &[Option<f64>]) -> Option<Measure> {
    let (value, interval) = Column {
        rounds: rounds.to_vec(),
        ..Column::default()
    }
    .location();
    Some(Measure {
        value: value?,
        interval,
    })
}

/// `elsewhere`: the step as some layer has it.
fn figures_of(
    laid: &Laid,
    step: Option<usize>,
    rounds: &Rounds,
    elsewhere: Option<&Step>,
) -> LayerFigures {
    let described = step.and_then(|step| laid.measured.step(step));
    let operation = described.and_then(workload_of).map(|workload| {
        let kinds: Vec<&str> = workload.mix.0.iter().map(|(kind, _)| kind.word()).collect();
        kinds.join(", ")
    });
    let iops = measure(&rounds.iops);
    let missing = iops.is_none().then(|| why_missing(laid, step, elsewhere));
    LayerFigures {
        operation: operation.unwrap_or_default(),
        bandwidth_bytes_per_s: measure(&rounds.bandwidth),
        iops,
        time_ns: measure(&rounds.time),
        latency_ns: measure(&rounds.latency),
        cpu_ns: measure(&rounds.cpu),
        busy_cpus: None,
        server_busy_cpus: None,
        missing,
        effects: Vec::new(),
    }
}

fn why_missing(laid: &Laid, step: Option<usize>, elsewhere: Option<&Step>) -> Statement {
    let Some(step) = step else {
        let mut jobs = elsewhere.into_iter().flat_map(|step| &step.jobs);
        return match laid.layer.kind {
            LayerKind::Device if jobs.any(|job| job.workload.writes_data()) => {
                Statement::new("device-is-not-written").name("target", &laid.layer.target)
            }
            LayerKind::Network => Statement::new("peer-cannot-do-this"),
            _ => Statement::new("layer-has-no-such-step"),
        };
    };
    let executions = laid.measured.executions(step);
    if let Some(error) = executions.iter().find_map(|execution| execution.failed) {
        return Statement::new("layer-could-not-run").part("error", error.clone());
    }
    match executions.iter().find_map(left_out) {
        Some(reason) => {
            Statement::new("layer-rounds-do-not-count").part("reason", reason.statement())
        }
        None if executions.is_empty() => Statement::new("layer-never-ran"),
        None => Statement::new("layer-stood-still"),
    }
}

/// The layers that one is compared with: the next below that has figures, and for a share the network too.
fn rests_on(laid: &[Laid], layers: &[LayerFigures], index: usize) -> Vec<usize> {
    let measured = |other: &usize| {
        layers
            .get(*other)
            .is_some_and(|figures| figures.iops.is_some())
    };
    let held = laid
        .get(index)
        .filter(|held| held.layer.kind.holds_storage() && measured(&index));
    let Some(held) = held else { return Vec::new() };
    let below = (0..index)
        .rev()
        .find(|other| laid[*other].layer.kind.holds_storage() && measured(other));
    let network = laid
        .iter()
        .position(|other| other.layer.kind == LayerKind::Network);
    let network =
        network.filter(|network| held.layer.kind == LayerKind::Share && measured(network));
    below.into_iter().chain(network).collect()
}

/// Additional time per request of a layer over another: the ratio of both, applied to the other's time. The interval is that of the ratio; so cost, ratio and verdict
/// agree, and a block in which the machine stalled affects all of them alike.
fn cost(other: Option<&Measure>, throughput: &Effect) -> (Option<f64>, Option<(f64, f64)>) {
    let Some(other) = other else {
        return (None, None);
    };
    let added = |ratio: f64| other.value * (1.0 / ratio - 1.0);
    let sound = |ratio: &f64| *ratio > 0.0 && ratio.is_finite();
    let interval = throughput
        .interval
        .filter(|(low, high)| sound(low) && sound(high))
        .map(|(low, high)| (added(high), added(low)));
    (throughput.ratio.filter(sound).map(added), interval)
}

/// Effects until all are known: p-values are adjusted for their number.
#[derive(Default)]
struct Waiting {
    positions: Vec<EffectIndex>,
    cells: Vec<Cell>,
    pending: Vec<Vec<Pending>>,
}

impl Waiting {
    fn add(
        &mut self,
        position: EffectIndex,
        (laid, rounds): (&[Laid], &[Rounds]),
        (first, second): (usize, usize),
        (design, settings): (Design, &Settings),
    ) {
        let column = |index: usize| Column {
            rounds: rounds[index].iops.clone(),
            failing: rounds[index].failing,
            ..Column::default()
        };
        let (a, b) = (column(first), column(second));
        let named = |index: usize| laid[index].layer.name.as_str();
        let (effect, pending) = contrast_named(
            (&a, named(first)),
            (&b, named(second)),
            second,
            design,
            settings.confidence,
        );
        self.positions.push(position);
        self.cells.push(Cell {
            step: String::new(),
            group: String::new(),
            swept: BTreeMap::new(),
            kind: None,
            metric: "iops".into(),
            unit: "operations/s".into(),
            better: Direction::Higher,
            sides: Vec::new(),
            effects: vec![effect],
        });
        self.pending.push(vec![pending]);
    }

    fn last_effect(&self) -> Effect {
        self.cells[self.cells.len() - 1].effects[0].clone()
    }

    fn settle(mut self, steps: &mut [LayeredStep], settings: &Settings) {
        decide(&mut self.cells, &self.pending, settings);
        for ((step, layer, effect), cell) in self.positions.into_iter().zip(self.cells) {
            if let Some(throughput) = cell.effects.into_iter().next() {
                steps[step].layers[layer].effects[effect].throughput = throughput;
            }
        }
    }
}

/// Why a layer is faster than the one below, as far as recorded.
fn faster_because(laid: &[Laid], layer: usize, below: usize) -> Statement {
    let (above, under) = (&laid[layer].layer, &laid[below].layer);
    let bypassed = matches!(under.kind, LayerKind::Device | LayerKind::FileSystem);
    match above.kind {
        LayerKind::PageCache if bypassed => {
            Statement::new("faster-through-the-page-cache").name("below", &under.name)
        }
        LayerKind::Share if bypassed => {
            Statement::new("faster-by-the-cache-of-the-server").name("below", &under.name)
        }
        LayerKind::Share if under.kind == LayerKind::Network => {
            Statement::new("faster-by-requests-in-flight")
        }
        LayerKind::FileSystem if under.kind == LayerKind::Device => {
            Statement::new("faster-in-other-blocks")
        }
        _ => Statement::new("faster-for-unknown-reasons"),
    }
}

fn remainder(step: &LayeredStep, laid: &[Laid]) -> Option<Remainder> {
    let position = |kind: LayerKind| laid.iter().position(|laid| laid.layer.kind == kind);
    let (share, network) = (position(LayerKind::Share)?, position(LayerKind::Network)?);
    let below = |effect: &&LayerEffect| laid[effect.other as usize].layer.kind.holds_storage();
    let storage = step.layers[share].effects.iter().find(below)?.other as usize;
    let time = |index: usize| step.layers[index].time_ns.as_ref().map(|time| time.value);
    let (total, stored, carried) = (time(share)?, time(storage)?, time(network)?);
    Some(Remainder {
        share: share as u32,
        storage: storage as u32,
        network: network as u32,
        least_ns: (total - stored - carried).max(0.0),
        most_ns: (total - stored.max(carried)).max(0.0),
    })
}

/// The layer that is shown to cost something, and more than every other one: the intervals of their costs do not touch.
fn costliest(step: &LayeredStep) -> Option<u32> {
    let cost = |(index, figures): (usize, &LayerFigures)| {
        let effect = figures.effects.first()?;
        Some((index, effect.throughput.verdict, effect.cost_interval_ns?))
    };
    let mut candidates: Vec<(usize, Verdict, (f64, f64))> =
        step.layers.iter().enumerate().filter_map(cost).collect();
    candidates.sort_by(|a, b| b.2.0.total_cmp(&a.2.0));
    let ((first, verdict, (low, _)), others) = candidates.split_first()?;
    let shown = *verdict == Verdict::Worse
        && *low > 0.0
        && others.iter().all(|(_, _, (_, high))| high < low);
    shown.then_some(*first as u32)
}
