//! Which layer costs how much throughput? The same steps on every layer, each layer compared with the one below.
//!
//! The method and its limits are in docs/decisions/0009-layers.md.

mod cpu;
mod figures;
mod laid;
mod layers;
mod sentences;

pub use laid::LayerRun;

use plumb_model::results::comparison::Design;
use plumb_model::results::waterfall::{CpuOverTime, WATERFALL_SCHEMA, Waterfall};
use plumb_model::run::Run;

use crate::compare::Settings;

/// The waterfall of these layers, in any order; `server` is the recording on the server. Never fails: missing values of a layer stay missing,
/// with the reason.
pub fn waterfall(runs: &[LayerRun], server: Option<&Run>, settings: &Settings) -> Waterfall {
    let laid = layers::in_order(runs, server);
    let design = design(runs);
    let steps = figures::steps(&laid, server, design, settings);
    let mut waterfall = Waterfall {
        schema: WATERFALL_SCHEMA.into(),
        plumb_version: settings.plumb_version.clone(),
        confidence: settings.confidence,
        threshold: settings.threshold,
        design,
        layers: laid.iter().map(|laid| laid.layer.clone()).collect(),
        steps,
        verdict: Vec::new(),
        remarks: Vec::new(),
    };
    waterfall.verdict = sentences::verdict(&waterfall);
    waterfall.remarks = sentences::remarks(&waterfall, &laid, server);
    waterfall
}

/// CPU use while each layer ran, and of the server all the time.
pub fn cpu_over_time(runs: &[LayerRun], server: Option<&Run>) -> CpuOverTime {
    cpu::over_time(&layers::in_order(runs, server), server)
}

/// Blocks when all layers are sides of one live measurement.
fn design(runs: &[LayerRun]) -> Design {
    let comparison = |layer: &LayerRun| {
        layer
            .run
            .header
            .side_of
            .as_ref()
            .map(|side| side.comparison.clone())
    };
    let first = runs.first().and_then(comparison);
    if first.is_some() && runs.iter().all(|layer| comparison(layer) == first) {
        Design::Blocks
    } else {
        Design::Independent
    }
}

#[cfg(test)]
mod tests;
