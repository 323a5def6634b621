//! What are the sentences on a waterfall? How much of the speed reaches the top, which layer costs most, and what it does not show.

use std::collections::BTreeMap;

use plumb_model::results::comparison::{Design, Verdict};
use plumb_model::results::summary::Sentence;
use plumb_model::results::waterfall::{
    Layer, LayerEffect, LayerFigures, LayerKind, LayeredStep, Measure, Waterfall,
};
use plumb_model::run::Run;
use plumb_model::statement::{Argument, Statement, Unit};

use super::cpu::{fullest_core, stretches};
use super::figures::step_index;
use super::laid::Laid;
use super::layers::{is_this_machine, main_target, memory_of};
use crate::compare::effects::LEAST_ROUNDS;
use crate::phrases::{change, clauses, phrase, rests_on, times};
use crate::rules::machine_was_busy;

/// Share of the requested depth that must be achieved.
const IN_FLIGHT: f64 = 0.8;
/// Block size from which bytes per second are stated.
const LARGE_BLOCK_BYTES: u64 = 65_536;
/// Below this ratio the upper layer gives a part of the lower one (96 % of), from it on so much more (+140 %).
const PERCENT_BELOW: f64 = 2.0;
/// Busy part of a core from which on it is full: accounting in ticks and preemption cost some percent. And the part of all cores up to which others have time.
const FULL_CORE: f64 = 0.95;
const OTHERS_HAVE_TIME: f64 = 0.75;

pub(super) fn verdict(waterfall: &Waterfall) -> Vec<Sentence> {
    waterfall
        .steps
        .iter()
        .flat_map(|step| of_step(waterfall, step))
        .collect()
}

fn name(waterfall: &Waterfall, layer: usize) -> &str {
    waterfall
        .layers
        .get(layer)
        .map_or("?", |layer| layer.name.as_str())
}

fn of_step(waterfall: &Waterfall, step: &LayeredStep) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = arrives(waterfall, step).into_iter().collect();
    sentences.extend(costs_most(waterfall, step));
    sentences.extend(left_of_share(waterfall, step));
    sentences.extend(faster(waterfall, step));
    sentences
}

/// The figure of throughput: bytes for large blocks, operations for small ones.
fn throughput(step: &LayeredStep, figures: &LayerFigures) -> Option<Throughput> {
    let large = step
        .block_bytes
        .is_none_or(|block| block >= LARGE_BLOCK_BYTES);
    let bandwidth = figures.bandwidth_bytes_per_s.as_ref().filter(|_| large);
    let of_bandwidth = |bandwidth: &Measure| Throughput {
        value: bandwidth.value,
        argument: Argument::Quantity {
            value: bandwidth.value,
            unit: Unit::BytesPerSecond,
        },
    };
    let of_operations = |iops: &Measure| Throughput {
        value: iops.value,
        argument: phrase(Statement::new("operations-each-second").number("rate", iops.value)),
    };
    bandwidth
        .map(of_bandwidth)
        .or_else(|| figures.iops.as_ref().map(of_operations))
}

/// A figure of throughput.
struct Throughput {
    value: f64,
    argument: Argument,
}

/// How much of the lowest layer's speed arrives at the top.
fn arrives(waterfall: &Waterfall, step: &LayeredStep) -> Option<Sentence> {
    let stored = |index: &usize| {
        waterfall
            .layers
            .get(*index)
            .is_some_and(|layer| layer.kind.holds_storage())
    };
    let known: Vec<(usize, Throughput)> = (0..step.layers.len())
        .filter(stored)
        .filter_map(|index| Some((index, throughput(step, &step.layers[index])?)))
        .collect();
    let ((bottom, low), (top, high)) = (known.first()?, known.last()?);
    if bottom == top || low.value <= 0.0 {
        return None;
    }
    let ratio = high.value / low.value;
    let subject = match step.block_bytes {
        Some(block) => Statement::new("step-in-flight").bytes("block", block as f64),
        None => Statement::new("step-of-mixed-sizes-in-flight"),
    }
    .name("step", &step.step)
    .count("requests", u64::from(step.in_flight));
    let statement = match ratio < PERCENT_BELOW {
        true => Statement::new("layer-gives-part").percent("share", (ratio * 100.0).round()),
        false => Statement::new("layer-gives-more").with("change", change(ratio)),
    }
    .part("subject", subject)
    .name("top", name(waterfall, *top))
    .with("high", high.argument.clone())
    .with("low", low.argument.clone())
    .name("bottom", name(waterfall, *bottom));
    let evidence = known
        .iter()
        .map(|(index, figure)| rests_on(name(waterfall, *index), figure.argument.clone()))
        .collect();
    Some(Sentence {
        statement,
        evidence,
    })
}

/// Layers with what each adds to the one below, the costliest first.
fn costs(step: &LayeredStep) -> Vec<(usize, f64, &LayerEffect)> {
    let mut costs: Vec<(usize, f64, &LayerEffect)> = step
        .layers
        .iter()
        .enumerate()
        .filter_map(|(index, figures)| {
            figures
                .effects
                .first()
                .and_then(|effect| Some((index, effect.cost_ns?, effect)))
        })
        .collect();
    costs.sort_by(|a, b| b.1.total_cmp(&a.1));
    costs
}

fn costs_most(waterfall: &Waterfall, step: &LayeredStep) -> Option<Sentence> {
    let costs = costs(step);
    let cost = |cost: &(usize, f64, &LayerEffect)| cost_of(waterfall, cost);
    let costs_nothing = |(_, _, effect): &(usize, f64, &LayerEffect)| {
        effect.throughput.verdict == Verdict::Same || effect.cost_ns < Some(0.0)
    };
    let statement = match (costs.as_slice(), step.costliest) {
        ([], _) => return None,
        (all, Some(costliest)) => {
            let costliest = all
                .iter()
                .find(|(index, ..)| *index == costliest as usize)?;
            Statement::new("layer-costs-most")
                .name("step", &step.step)
                .part("cost", cost(costliest))
        }
        (all, None) if all.iter().all(costs_nothing) => {
            Statement::new("no-layer-costs").name("step", &step.step)
        }
        (all, None) => {
            let first = all.iter().filter(|(_, cost, _)| *cost > 0.0).take(3);
            Statement::new(match all.len() {
                1 => "whether-it-costs-is-undecided",
                _ => "which-costs-most-is-undecided",
            })
            .name("step", &step.step)
            .part("costs", clauses(first.map(cost)))
        }
    };
    let evidence = costs
        .iter()
        .map(|(index, cost, _)| rests_on(name(waterfall, *index), (*cost, Unit::Nanoseconds)))
        .collect();
    Some(Sentence {
        statement,
        evidence,
    })
}

/// Cost that a layer adds to the one below.
fn cost_of(waterfall: &Waterfall, (index, cost, effect): &(usize, f64, &LayerEffect)) -> Statement {
    let interval = match effect.cost_interval_ns {
        Some((low, high)) => Statement::new("from-to")
            .time_ns("low", low)
            .time_ns("high", high),
        None => Statement::new("interval-not-known"),
    };
    Statement::new(match *cost < 0.0 {
        true => "layer-costs-less",
        false => "layer-costs-more",
    })
    .name("layer", name(waterfall, *index))
    .name("other", name(waterfall, effect.other as usize))
    .time_ns("cost", *cost)
    .part("interval", interval)
}

fn left_of_share(waterfall: &Waterfall, step: &LayeredStep) -> Option<Sentence> {
    let rest = step.remainder.as_ref()?;
    let time = |index: u32| {
        let figures = step.layers.get(index as usize)?;
        figures.time_ns.as_ref().map(|time| time.value)
    };
    let (share, storage, network) = (time(rest.share)?, time(rest.storage)?, time(rest.network)?);
    let layer = |index: u32| name(waterfall, index as usize);
    let statement = Statement::new(match step.in_flight {
        1 => "share-one-at-a-time",
        _ => "share-with-overlap",
    })
    .name("step", &step.step)
    .name("share", layer(rest.share))
    .time_ns("whole", share)
    .name("storage", layer(rest.storage))
    .time_ns("stored", storage)
    .time_ns("carried", network)
    .time_ns("least", rest.least_ns)
    .time_ns("most", rest.most_ns);
    let evidence = [
        (rest.storage, storage),
        (rest.network, network),
        (rest.share, share),
    ]
    .map(|(index, time)| rests_on(layer(index), (time, Unit::Nanoseconds)))
    .to_vec();
    Some(Sentence {
        statement,
        evidence,
    })
}

fn faster<'a>(
    waterfall: &'a Waterfall,
    step: &'a LayeredStep,
) -> impl Iterator<Item = Sentence> + 'a {
    let effects = step
        .layers
        .iter()
        .enumerate()
        .flat_map(|(index, figures)| figures.effects.iter().map(move |effect| (index, effect)));
    effects.filter_map(|(index, effect)| {
        let why = effect.faster_because.as_ref()?;
        let ratio = effect.throughput.ratio?;
        let statement = Statement::new("layer-is-faster")
            .name("step", &step.step)
            .name("above", name(waterfall, index))
            .name("below", name(waterfall, effect.other as usize))
            .with("change", change(ratio))
            .part("why", why.clone());
        Some(Sentence {
            statement,
            evidence: vec![rests_on(Statement::new("evidence-ratio"), times(ratio))],
        })
    })
}

pub(super) fn remarks(
    waterfall: &Waterfall,
    laid: &[Laid],
    server: Option<&Run>,
) -> Vec<Statement> {
    let mut remarks = Vec::new();
    remarks.extend(busy(laid, server));
    remarks.extend(in_memory(laid));
    remarks.extend(machines(laid, server));
    if waterfall
        .layers
        .iter()
        .any(|layer| layer.kind == LayerKind::Network)
    {
        remarks.push(Statement::new("network-layer-has-no-storage"));
    }
    if waterfall.design == Design::Independent {
        remarks.push(Statement::new("layers-measured-each-by-itself"));
    }
    let rounds = laid
        .iter()
        .map(|laid| laid.measured.run.header.plan.rounds as usize)
        .min()
        .unwrap_or(0);
    if rounds < LEAST_ROUNDS {
        let least = LEAST_ROUNDS as u64;
        remarks.push(Statement::new("too-few-rounds-of-layers").count("least", least));
    }
    remarks.extend(not_in_flight(waterfall));
    remarks.extend(
        server
            .into_iter()
            .flat_map(|server| full_core(waterfall, laid, server)),
    );
    remarks
}

/// Other load of a machine, as recorded before each load started: the maximum, once per machine.
fn busy(laid: &[Laid], server: Option<&Run>) -> Vec<Statement> {
    let runs = laid.iter().map(|laid| laid.measured.run).chain(server);
    let mut hosts: BTreeMap<&str, f64> = BTreeMap::new();
    for header in runs.map(|run| &run.header) {
        let found = header
            .findings
            .iter()
            .any(|finding| finding.rule == machine_was_busy::RULE.name);
        let percent = header.environment.number("activity.cpu_busy_percent");
        if let Some(percent) = percent.filter(|_| found) {
            let host = header.environment.text("host.name").unwrap_or("?");
            let most = hosts.entry(host).or_default();
            *most = most.max(percent);
        }
    }
    let statements = hosts.into_iter().map(|(host, percent)| {
        Statement::new("machine-of-layers-was-busy")
            .name("host", host)
            .percent("busy", percent.round())
    });
    statements.collect()
}

/// Layers without storage under them, which look like some.
fn in_memory(laid: &[Laid]) -> Vec<Statement> {
    let statements = laid.iter().filter_map(|laid| {
        let file_system = memory_of(laid.layer.kind, laid.measured.run)?;
        Some(
            Statement::new("layer-lies-in-memory")
                .name("layer", &laid.layer.name)
                .name("target", &laid.layer.target)
                .name("kind", file_system),
        )
    });
    statements.collect()
}

/// Whose CPUs did the work.
fn machines(laid: &[Laid], server: Option<&Run>) -> Option<Statement> {
    let remote: Vec<&Laid> = laid
        .iter()
        .filter(|laid| matches!(laid.layer.kind, LayerKind::Network | LayerKind::Share))
        .collect();
    if remote.is_empty() {
        return None;
    }
    let here = |laid: &&Laid| {
        main_target(laid.measured.run)
            .and_then(|target| is_this_machine(target, &laid.measured.run.header.environment))
    };
    if remote.iter().any(|laid| here(laid) == Some(true)) {
        return Some(Statement::new("one-machine-for-both-ends"));
    }
    match server {
        Some(_) => None,
        None => Some(Statement::new("nobody-watched-the-server")),
    }
}

/// Steps of a share during which one core of the server had no time left and the others had.
fn full_core(waterfall: &Waterfall, laid: &[Laid], server: &Run) -> Vec<Statement> {
    let shares = laid
        .iter()
        .filter(|laid| laid.layer.kind == LayerKind::Share);
    let steps = shares.flat_map(|share| {
        let names = waterfall.steps.iter().map(|step| step.step.as_str());
        names.map(move |name| (share, name))
    });
    let statements = steps.filter_map(|(share, name)| {
        let step = step_index(share, name)?;
        let core = fullest_core(server, &stretches(share, step))?;
        let is_alone = core.busy >= FULL_CORE && core.all <= OTHERS_HAVE_TIME;
        is_alone.then(|| {
            Statement::new("one-core-of-server-is-full")
                .name("layer", &share.layer.name)
                .name("step", name)
                .name("core", core.name)
                .percent("busy", (100.0 * core.busy).min(100.0).round())
                .percent("all", (100.0 * core.all).round())
        })
    });
    statements.collect()
}

/// Layers with fewer requests in flight than requested, by the measured latency.
fn not_in_flight(waterfall: &Waterfall) -> Vec<Statement> {
    let of = |(index, layer): (usize, &Layer)| {
        let few = |step: &LayeredStep| {
            let figures = step.layers.get(index)?;
            let (iops, latency) = (figures.iops.as_ref()?, figures.latency_ns.as_ref()?);
            let achieved = iops.value * latency.value / 1e9;
            let statement = Statement::new("requests-in-flight-of-step")
                .name("step", &step.step)
                .number("achieved", (achieved * 10.0).round() / 10.0)
                .count("asked", u64::from(step.in_flight));
            (achieved < IN_FLIGHT * f64::from(step.in_flight)).then_some(statement)
        };
        let steps: Vec<Statement> = waterfall.steps.iter().filter_map(few).collect();
        (!steps.is_empty()).then(|| {
            Statement::new("fewer-requests-in-flight")
                .name("layer", &layer.name)
                .parts("steps", steps)
        })
    };
    waterfall.layers.iter().enumerate().filter_map(of).collect()
}
