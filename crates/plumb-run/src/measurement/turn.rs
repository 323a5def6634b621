//! Whose turn is it? One step in one round.

/// One step in one round.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub execution: u32,
    pub step: usize,
    pub round: u32,
}
