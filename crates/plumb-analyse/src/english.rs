//! What do the sentences of a verdict say in English? For tests, which look for what a user reads.

use plumb_model::summary::Sentence;

/// The sentence as a user reads it.
pub fn text(sentence: &Sentence) -> String {
    plumb_words::Words::english().sentence(&sentence.said)
}
