//! What does `--json` print? The JSON schema of each document.

use plumb_model::summary::Summary;
use schemars::schema_for;

use super::Outcome;
use super::doctor::Examination;
use super::run::DryRun;
use crate::cli::{SchemaArguments, SchemaOf};
use crate::streams::print_json;

/// `plumb schema`.
pub fn schema(arguments: &SchemaArguments) -> anyhow::Result<Outcome> {
    let schema = match arguments.what {
        SchemaOf::Summary => schema_for!(Summary),
        SchemaOf::Plan => schema_for!(DryRun),
        SchemaOf::Doctor => schema_for!(Examination),
    };
    print_json(&schema)?;
    Ok(Outcome::Done)
}
