//! What does `--json` print? The JSON schema of each document.

use plumb_model::comparison::Comparison;
use plumb_model::copies::CopyTable;
use plumb_model::library::Library;
use plumb_model::summary::Summary;
use plumb_model::trend::Trend;
use plumb_model::waterfall::Waterfall;
use schemars::schema_for;

use super::Outcome;
use super::doctor::{Examination, FabricExamination};
use super::import::ImportResult;
use super::run::DryRun;
use crate::cli::{SchemaArguments, SchemaOf};
use crate::streams::print_json;

/// `plumb schema`.
pub fn schema(arguments: &SchemaArguments) -> anyhow::Result<Outcome> {
    let schema = match arguments.what {
        SchemaOf::Summary => schema_for!(Summary),
        SchemaOf::Plan => schema_for!(DryRun),
        SchemaOf::Doctor => schema_for!(Examination),
        SchemaOf::DoctorRdma => schema_for!(FabricExamination),
        SchemaOf::Comparison => schema_for!(Comparison),
        SchemaOf::Copies => schema_for!(CopyTable),
        SchemaOf::Trend => schema_for!(Trend),
        SchemaOf::List => schema_for!(Library),
        SchemaOf::Layers => schema_for!(Waterfall),
        SchemaOf::Import => schema_for!(ImportResult),
    };
    print_json(&schema)?;
    Ok(Outcome::Done)
}
