//! What is to be said of a waterfall? How much arrives at the top, which layer costs most, and what must not be read out of it.

use plumb_model::comparison::{Design, Verdict};
use plumb_model::run::Run;
use plumb_model::statement::Statement;
use plumb_model::summary::Sentence;
use plumb_model::units::{show_bandwidth, show_bytes, show_count, show_time_ns};
use plumb_model::waterfall::{
    Layer, LayerEffect, LayerFigures, LayerKind, LayeredStep, Measure, Waterfall, in_flight_text,
};

use super::laid::Laid;
use super::layers::{is_this_machine, main_target};
use crate::compare::effects::LEAST_ROUNDS;

/// Share of the requests asked for that must really be in flight.
const IN_FLIGHT: f64 = 0.8;
/// Blocks from this size on are told in bytes per second.
const LARGE_BLOCK_BYTES: u64 = 65_536;

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

/// `95 to 105`, or nothing when the interval is not known.
fn interval_ns(interval: Option<(f64, f64)>) -> String {
    interval.map_or_else(
        || "interval not known".into(),
        |(low, high)| format!("{} to {}", signed_ns(low), signed_ns(high)),
    )
}

fn signed_ns(ns: f64) -> String {
    if ns < 0.0 {
        format!("−{}", show_time_ns(-ns))
    } else {
        show_time_ns(ns)
    }
}

/// The figure of throughput: bytes for large blocks, operations for small ones.
fn throughput(step: &LayeredStep, figures: &LayerFigures) -> Option<(f64, String)> {
    let large = step
        .block_bytes
        .is_none_or(|block| block >= LARGE_BLOCK_BYTES);
    let bandwidth = figures.bandwidth_bytes_per_s.as_ref().filter(|_| large);
    let text = |measure: &Measure| show_bandwidth(measure.value);
    let operations = || {
        figures
            .iops
            .as_ref()
            .map(|iops| (iops.value, format!("{}/s", show_count(iops.value))))
    };
    bandwidth
        .map(|bandwidth| (bandwidth.value, text(bandwidth)))
        .or_else(operations)
}

/// How much of the lowest layer's speed arrives at the top.
fn arrives(waterfall: &Waterfall, step: &LayeredStep) -> Option<Sentence> {
    let stored = |index: &usize| {
        waterfall
            .layers
            .get(*index)
            .is_some_and(|layer| layer.kind.holds_storage())
    };
    let told: Vec<(usize, f64, String)> = (0..step.layers.len())
        .filter(stored)
        .filter_map(|index| {
            throughput(step, &step.layers[index]).map(|(value, text)| (index, value, text))
        })
        .collect();
    let ((bottom, low_value, low), (top, high_value, high)) = (told.first()?, told.last()?);
    if bottom == top || *low_value <= 0.0 {
        return None;
    }
    let share = high_value / low_value;
    let part = if share < 2.0 {
        format!("{:.0} % of", share * 100.0)
    } else {
        format!("{share:.1} times")
    };
    let block = step
        .block_bytes
        .map(|block| format!("{}, ", show_bytes(block as f64)))
        .unwrap_or_default();
    Some(Sentence {
        said: Statement::verbatim(format!(
            "{} ({block}{} in flight): {} gives {high}, {part} the {low} of {}.",
            step.step,
            in_flight_text(step.in_flight),
            name(waterfall, *top),
            name(waterfall, *bottom)
        )),
        evidence: told
            .iter()
            .map(|(index, _, text)| (name(waterfall, *index).to_string(), text.clone()))
            .collect(),
    })
}

/// Layers with what each adds to the one below, the dearest first.
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
    let told = |(index, cost, effect): &(usize, f64, &LayerEffect)| {
        let sign = if *cost < 0.0 { "" } else { "+" };
        let over = name(waterfall, effect.other as usize);
        format!(
            "{} {sign}{} per request over {over} ({})",
            name(waterfall, *index),
            signed_ns(*cost),
            interval_ns(effect.cost_interval_ns)
        )
    };
    let evidence = || {
        let one = |cost: &(usize, f64, &LayerEffect)| {
            (name(waterfall, cost.0).to_string(), signed_ns(cost.1))
        };
        costs.iter().map(one).collect()
    };
    let text = match (costs.as_slice(), step.dearest) {
        ([], _) => return None,
        (all, Some(dearest)) => {
            let dearest = all.iter().find(|(index, ..)| *index == dearest as usize)?;
            format!(
                "{}: the layer that costs most is {}.",
                step.step,
                told(dearest)
            )
        }
        (all, None)
            if all.iter().all(|(_, _, effect)| {
                effect.throughput.verdict == Verdict::Same || effect.cost_ns < Some(0.0)
            }) =>
        {
            format!("{}: no layer is shown to cost anything.", step.step)
        }
        (all, None) => {
            let first: Vec<String> = all
                .iter()
                .filter(|(_, cost, _)| *cost > 0.0)
                .take(3)
                .map(told)
                .collect();
            let what = if all.len() == 1 {
                "whether it costs anything"
            } else {
                "which layer costs most"
            };
            format!("{}: {what} is undecided: {}.", step.step, first.join("; "))
        }
    };
    Some(Sentence::verbatim(text, evidence()))
}

fn left_of_share(waterfall: &Waterfall, step: &LayeredStep) -> Option<Sentence> {
    let rest = step.remainder.as_ref()?;
    let time = |index: u32| {
        step.layers
            .get(index as usize)
            .and_then(|figures| figures.time_ns.as_ref())
            .map(|time| show_time_ns(time.value))
    };
    let (share, storage, network) = (time(rest.share)?, time(rest.storage)?, time(rest.network)?);
    let least = show_time_ns(rest.least_ns);
    let left = match step.in_flight {
        1 => format!(
            "the rest, {least}, is protocol, client and server: one request at a time, nothing overlaps"
        ),
        _ => format!(
            "protocol, client and server take between {least} (nothing overlaps) and {} (all of it overlaps) of them",
            show_time_ns(rest.most_ns)
        ),
    };
    let text = format!(
        "{}: of the {share} of {} the storage alone takes {storage} ({}) and messages of that size {network}; {left}.",
        step.step,
        name(waterfall, rest.share as usize),
        name(waterfall, rest.storage as usize)
    );
    let evidence = vec![
        (name(waterfall, rest.storage as usize).to_string(), storage),
        (name(waterfall, rest.network as usize).to_string(), network),
        (name(waterfall, rest.share as usize).to_string(), share),
    ];
    Some(Sentence::verbatim(text, evidence))
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
        let ratio = effect
            .throughput
            .ratio
            .map(|ratio| format!("{ratio:.2} times"))
            .unwrap_or_default();
        let (above, below) = (
            name(waterfall, index),
            name(waterfall, effect.other as usize),
        );
        Some(Sentence {
            said: Statement::verbatim(format!(
                "{}: {above} is faster than {below}, {ratio} its throughput: {why}.",
                step.step
            )),
            evidence: vec![("ratio".into(), ratio)],
        })
    })
}

pub(super) fn remarks(waterfall: &Waterfall, laid: &[Laid], server: Option<&Run>) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(machines(laid, server));
    if waterfall
        .layers
        .iter()
        .any(|layer| layer.kind == LayerKind::Network)
    {
        remarks.push(
            "The network layer exchanges messages of the same size and has no storage in it: send for writes, receive for reads, ping-pong where one request is in \
             flight at a time. It is no layer that the share rests on alone: its time is contained in the share's, beside that of the storage, and both may overlap."
                .into(),
        );
    }
    if waterfall.design == Design::Independent {
        remarks.push("The layers were measured each by itself: whatever changed between them is part of their differences.".into());
    }
    let rounds = laid
        .iter()
        .map(|laid| laid.measured.run.header.plan.rounds as usize)
        .min()
        .unwrap_or(0);
    if rounds < LEAST_ROUNDS {
        remarks.push(format!(
            "With fewer than {LEAST_ROUNDS} rounds nothing is decided: chance may have sorted them."
        ));
    }
    remarks.extend(not_in_flight(waterfall));
    remarks
}

/// Whose CPUs did the work.
fn machines(laid: &[Laid], server: Option<&Run>) -> Option<String> {
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
        return Some(
            "One machine: client and server share its CPUs, and the network is the loopback, which has no wire in it. CPU figures are those of both ends together."
                .into(),
        );
    }
    match server {
        Some(_) => None,
        None => {
            Some("CPU figures are the client's: nobody watched the server; start `plumb agent` there, and name it with --agent.".into())
        }
    }
}

/// Layers on which fewer requests were in flight than asked for, as the measured latency tells.
fn not_in_flight(waterfall: &Waterfall) -> Vec<String> {
    let of = |(index, layer): (usize, &Layer)| {
        let few = |step: &LayeredStep| {
            let figures = step.layers.get(index)?;
            let (iops, latency) = (figures.iops.as_ref()?, figures.latency_ns.as_ref()?);
            let really = iops.value * latency.value / 1e9;
            let told = format!(
                "{} ({} of {})",
                step.step,
                show_count((really * 10.0).round() / 10.0),
                step.in_flight
            );
            (really < IN_FLIGHT * f64::from(step.in_flight)).then_some(told)
        };
        let steps: Vec<String> = waterfall.steps.iter().filter_map(few).collect();
        let text = format!(
            "On {} fewer requests were in flight than asked for: {}. Its time per request there is that of its throughput.",
            layer.name,
            steps.join(", ")
        );
        (!steps.is_empty()).then_some(text)
    };
    waterfall.layers.iter().enumerate().filter_map(of).collect()
}
