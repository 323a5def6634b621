//! How do the latencies of the sides compare? Percentiles of every compared step, all rounds merged.

use std::collections::BTreeSet;

use plumb_model::results::comparison::{Comparison, ComparisonPlots, StepPercentiles};
use plumb_model::results::series::Series;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::Phase;
use plumb_model::workload::OperationKind;

use crate::compare::entrants::{Entrant, Settings};
use crate::compare::figures::Measured;
use crate::compare::matching;
use crate::figures::tally::flushes_apart;
use crate::plots::curves::quantiles;

/// What the charts of a comparison draw that is not in the comparison itself.
pub fn comparison_plots(entrants: &[Entrant], comparison: &Comparison) -> ComparisonPlots {
    let measured: Vec<Option<Measured>> = entrants
        .iter()
        .map(|entrant| entrant.run().map(Measured::of))
        .collect();
    // The steps that were compared are those with cells: whatever work was refused has none.
    let compared: BTreeSet<&str> = comparison
        .cells
        .iter()
        .map(|cell| cell.step.as_str())
        .collect();
    let settings = Settings {
        any_work: true,
        ..Settings::default()
    };
    let mut percentiles = Vec::new();
    let mut scratch = Histogram::default();
    for row in matching::rows(entrants, &measured, &settings).0 {
        if !compared.contains(row.name.as_str()) {
            continue;
        }
        let line = |(side, (measured, step)): (usize, (&Option<Measured>, &Option<usize>))| {
            let series = percentile_line(measured.as_ref()?, (*step)?, &mut scratch)?;
            Some((side as u32, series))
        };
        let lines: Vec<(u32, Series)> = measured
            .iter()
            .zip(&row.steps)
            .enumerate()
            .filter_map(line)
            .collect();
        if lines.len() > 1 {
            percentiles.push(StepPercentiles {
                step: row.name,
                lines,
            });
        }
    }
    ComparisonPlots { percentiles }
}

fn percentile_line(measured: &Measured, step: usize, scratch: &mut Histogram) -> Option<Series> {
    scratch.clear();
    let ticks = || {
        measured
            .complete_rounds(step)
            .flat_map(|execution| &execution.ticks)
            .copied()
            .filter(|tick| tick.phase != Phase::WarmUp)
    };
    let without_flushes = flushes_apart(ticks());
    for tick in ticks() {
        let kinds = tick
            .kinds
            .iter()
            .filter(|kind| !without_flushes || kind.kind != OperationKind::Flush);
        kinds.for_each(|kind| scratch.merge(kind.response.as_ref().unwrap_or(&kind.service)));
    }
    let points = quantiles(scratch);
    let name = measured.step(step)?.name.clone();
    (!points.is_empty()).then(|| Series {
        name,
        statement: None,
        unit: "ns".into(),
        points,
    })
}
