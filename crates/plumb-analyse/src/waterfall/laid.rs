//! What is one layer of a waterfall? A run, and its folder.

use plumb_model::run::Run;

use crate::compare::figures::Measured;

/// The record of one layer, with the name that the user gave it, if he did.
#[derive(Debug, Clone)]
pub struct LayerRun<'a> {
    pub name: Option<String>,
    pub run: &'a Run,
}

/// A layer in the analysis: its name and its run.
pub struct Laid<'a> {
    pub layer: plumb_model::results::waterfall::Layer,
    pub measured: Measured<'a>,
}
