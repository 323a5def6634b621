//! Which rules does the advisor have? The list; each is supported by the truth lab (tests/truth_lab).

mod distance;
mod durability;
mod flow_control;
mod metadata;
mod more_outstanding_than_needed;
mod one_core_is_busy;
mod path_is_full;
mod requests_too_small;
mod storage_waits_for_application;
mod too_few_outstanding_requests;

use crate::explain::rule::Rule;

/// All rules.
pub const RULES: &[&Rule] = &[
    &too_few_outstanding_requests::RULE,
    &storage_waits_for_application::RULE,
    &more_outstanding_than_needed::RULE,
    &requests_too_small::RULE,
    &path_is_full::RULE,
    &one_core_is_busy::RULE,
    &distance::RULE,
    &metadata::RULE,
    &flow_control::RULE,
    &durability::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::{in_english, of_evidence};
    use crate::explain::rule::Judgement;
    use plumb_model::explain::observed::{Observed, ObservedFrom};

    fn is_sentence(text: &str) -> bool {
        !text.is_empty() && !text.contains("NaN") && !text.contains(['{', '}'])
    }

    #[test]
    fn every_rule_fires_and_is_silent() {
        for rule in RULES {
            assert!(rule.meaning.ends_with('.') && rule.meaning.len() > 40);
            let examples = (rule.examples)();
            assert!(!examples.fires.is_empty() && !examples.silent.is_empty());
            for observed in &examples.fires {
                let Judgement::Found(found) = (rule.judge)(observed) else {
                    panic!("{} does not fire: {:?}", rule.name, (rule.judge)(observed));
                };
                assert_eq!(found.rule, rule.name);
                assert!(found.evidence.len() >= 2, "{}", rule.name);
                assert!(found.experiment.starts_with("plumb "));
                let prediction = &found.prediction;
                assert!(prediction.low <= prediction.high && prediction.low > 0.0);
                assert!((0.0..=1.0).contains(&found.time_share));
                let texts = [
                    &found.claim,
                    &found.advice,
                    &found.next_limit,
                    &found.refuted_by,
                ];
                for text in texts.into_iter().chain(&found.ruled_out).map(in_english) {
                    assert!(
                        text.ends_with('.') && is_sentence(&text),
                        "{}: {text}",
                        rule.name
                    );
                }
                for texts in found.evidence.iter().map(of_evidence) {
                    assert!(texts.iter().all(|text| is_sentence(text)), "{texts:?}");
                }
            }
            for observed in &examples.silent {
                assert_eq!((rule.judge)(observed), Judgement::Silent, "{}", rule.name);
            }
        }
    }

    #[test]
    fn every_rule_abstains_where_nothing_is_known_and_says_what_it_lacks() {
        for rule in RULES {
            let unknown = Observed::unknown(ObservedFrom::Counters, "x.csv");
            let Judgement::Abstains(missing) = (rule.judge)(&unknown) else {
                panic!("{} judges without anything to judge by", rule.name);
            };
            assert!(!missing.is_empty());
            for text in missing.iter().map(in_english) {
                assert!(is_sentence(&text), "{}: {text}", rule.name);
            }
        }
    }
}
