//! What is one part of the verdict? Sentences on a step, each with its evidence.

use plumb_model::results::summary::{Sentence, SentenceEvidence};
use plumb_model::statement::Statement;

/// Sentences on the same steps, so that order and repetition can be decided.
pub struct Part {
    /// Indexes of the steps in the plan.
    pub steps: Vec<u32>,
    pub sentences: Vec<Sentence>,
}

pub fn sentence(statement: Statement, evidence: Vec<SentenceEvidence>) -> Sentence {
    Sentence {
        statement,
        evidence,
    }
}
