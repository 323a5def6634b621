//! What does `--json` print? The JSON schema of each document.

use plumb_model::explain::account::Why;
use plumb_model::explain::conclusion::Explained;
use plumb_model::keys::traits::{KeyTraits, X_KEY};
use plumb_model::results::comparison::Comparison;
use plumb_model::results::copies::CopyTable;
use plumb_model::results::summary::Summary;
use plumb_model::results::trend::Trend;
use plumb_model::results::watch::WatchSummary;
use plumb_model::results::waterfall::Waterfall;
use plumb_model::run::library::Library;
use plumb_model::trace::summary::TraceSummary;
use schemars::schema_for;
use serde_json::{Map, Value};

use super::Outcome;
use super::measure::run::DryRun;
use super::measure::stream::IntervalLine;
use super::observe::doctor::{Examination, FabricExamination};
use super::results::import::ImportResult;
use crate::cli::{SchemaArguments, SchemaOf};
use crate::streams::{print, print_json};

/// Schemas of earlier versions, which this version no longer writes.
const FIRST_SUMMARY: &str = include_str!("../../../../docs/plumb-summary-1.schema.json");
const FIRST_DOCTOR: &str = include_str!("../../../../docs/plumb-doctor-1.schema.json");
const FIRST_COMPARISON: &str = include_str!("../../../../docs/plumb-comparison-1.schema.json");
const FIRST_COPIES: &str = include_str!("../../../../docs/plumb-copies-1.schema.json");
const FIRST_TREND: &str = include_str!("../../../../docs/plumb-trend-1.schema.json");
const FIRST_LAYERS: &str = include_str!("../../../../docs/plumb-layers-1.schema.json");

/// `plumb schema`.
pub fn schema(arguments: &SchemaArguments) -> anyhow::Result<Outcome> {
    let mut schema = match arguments.what {
        SchemaOf::Summary => schema_for!(Summary),
        SchemaOf::Plan => schema_for!(DryRun),
        SchemaOf::Doctor => schema_for!(Examination),
        SchemaOf::DoctorRdma => schema_for!(FabricExamination),
        SchemaOf::Comparison => schema_for!(Comparison),
        SchemaOf::Copies => schema_for!(CopyTable),
        SchemaOf::Trace => schema_for!(TraceSummary),
        SchemaOf::Explain => schema_for!(Explained),
        SchemaOf::Why => schema_for!(Why),
        SchemaOf::Watch => schema_for!(WatchSummary),
        SchemaOf::Trend => schema_for!(Trend),
        SchemaOf::List => schema_for!(Library),
        SchemaOf::Layers => schema_for!(Waterfall),
        SchemaOf::Import => schema_for!(ImportResult),
        SchemaOf::Interval => schema_for!(IntervalLine),
        SchemaOf::FirstSummary => return old(FIRST_SUMMARY),
        SchemaOf::FirstDoctor => return old(FIRST_DOCTOR),
        SchemaOf::FirstComparison => return old(FIRST_COMPARISON),
        SchemaOf::FirstCopies => return old(FIRST_COPIES),
        SchemaOf::FirstTrend => return old(FIRST_TREND),
        SchemaOf::FirstLayers => return old(FIRST_LAYERS),
    };
    publish(schema.ensure_object(), arguments.what == SchemaOf::Plan);
    print_json(&schema)?;
    Ok(Outcome::Done)
}

fn old(schema: &str) -> anyhow::Result<Outcome> {
    print(schema)?;
    Ok(Outcome::Done)
}

/// Removes the internal parts of the schema. A plan has ranges instead: measurements of other programs may be outside of them.
fn publish(object: &mut Map<String, Value>, with_ranges: bool) {
    let traits: Option<KeyTraits> = object
        .remove(X_KEY)
        .and_then(|traits| serde_json::from_value(traits).ok());
    let is_number = object
        .get("type")
        .is_some_and(|of| of == "integer" || of == "number");
    if let Some(traits) = traits.filter(|_| with_ranges && is_number) {
        let limits = [("minimum", traits.least), ("maximum", traits.greatest)];
        for (name, limit) in limits {
            if let Some(limit) = limit {
                let limit = match limit.fract() == 0.0 {
                    true => (limit as i64).into(),
                    false => limit.into(),
                };
                object.insert(name.into(), limit);
            }
        }
    }
    for value in object.values_mut() {
        match value {
            Value::Object(below) => publish(below, with_ranges),
            Value::Array(list) => list
                .iter_mut()
                .filter_map(Value::as_object_mut)
                .for_each(|below| publish(below, with_ranges)),
            _ => {}
        }
    }
}
