//! What is the English text of a statement? For tests of what a user reads.

use plumb_model::results::finding::Evidence;
use plumb_model::results::summary::Sentence;
use plumb_model::statement::Statement;
use plumb_words::Words;

/// The sentence of a verdict as a user reads it.
pub fn text(sentence: &Sentence) -> String {
    in_english(&sentence.statement)
}

/// A statement as a user reads it.
pub fn in_english(statement: &Statement) -> String {
    Words::english().sentence(statement)
}

/// What, value and source of a piece of evidence.
pub fn of_evidence(evidence: &Evidence) -> [String; 3] {
    let words = Words::english();
    [
        words.argument(&evidence.what),
        words.argument(&evidence.value),
        words.sentence(&evidence.source),
    ]
}
