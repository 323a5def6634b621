//! What is one layer of a waterfall? A run, and where it lies.

use plumb_model::run::Run;

use crate::compare::figures::Measured;

/// The record of one layer, with the name that the user gave it, if he did.
#[derive(Debug, Clone)]
pub struct LayerRun<'a> {
    pub name: Option<String>,
    pub run: &'a Run,
}

/// A layer as the analysis holds it: what it is called and what ran.
pub struct Laid<'a> {
    pub layer: plumb_model::results::waterfall::Layer,
    pub measured: Measured<'a>,
}
