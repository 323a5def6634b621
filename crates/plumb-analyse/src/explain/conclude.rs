//! What is concluded from observed figures? The gates first, then every rule; the finding that explains the most time is first.

use plumb_model::explain::conclusion::{Abstention, EXPLAIN_SCHEMA, Explained};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::Statement;

use crate::explain::gates;
use crate::explain::parts::parts;
use crate::explain::rule::Judgement;
use crate::explain::rules::RULES;

/// A part with less of the requests' time than this is not explained for itself.
const MATTERS: f64 = 0.1;

/// The conclusions on all of a recording; where its rate of requests changed, those on the part with most of the requests' time, and what was found in the others
/// that matter. `read` gives the figures between two times, in nanoseconds after the begin of the recording. Errors: those of `read`.
pub fn explain_by_parts<E>(
    observed: Observed,
    plumb_version: &str,
    mut read: impl FnMut(u64, u64) -> Result<Observed, E>,
) -> Result<Explained, E> {
    let all = explain(observed, plumb_version);
    let is_cut = matches!(&all.withheld[..], [only] if only.id == "explain-not-steady");
    if !is_cut {
        return Ok(all);
    }
    let mut explained = Vec::new();
    for part in parts(&all.observed) {
        if explained.is_empty() || part.share >= MATTERS {
            let of_part = explain(read(part.begin_ns, part.end_ns)?, plumb_version);
            explained.push((part, of_part));
        }
    }
    // The part with the most that permits a conclusion.
    let Some(at) = explained.iter().position(|(_, of)| of.withheld.is_empty()) else {
        return Ok(all);
    };
    let (part, mut main) = explained.remove(at);
    main.parts = vec![
        Statement::new("explain-part")
            .time_ns("begin", part.begin_ns as f64)
            .time_ns("end", part.end_ns as f64)
            .percent("share", part.share * 100.0)
            .part("why", all.withheld[0].clone()),
    ];
    for (part, other) in &explained {
        let found = match (other.withheld.first(), other.findings.first()) {
            (Some(why), _) => why.clone(),
            (None, Some(first)) => first.claim.clone(),
            (None, None) => Statement::new("explain-nothing"),
        };
        main.parts.push(
            Statement::new("explain-other-part")
                .time_ns("begin", part.begin_ns as f64)
                .time_ns("end", part.end_ns as f64)
                .percent("share", part.share * 100.0)
                .part("found", found),
        );
    }
    Ok(main)
}

/// The conclusions. Nothing is found where a gate is closed.
pub fn explain(observed: Observed, plumb_version: &str) -> Explained {
    let mut explained = Explained {
        schema: EXPLAIN_SCHEMA.into(),
        plumb_version: plumb_version.into(),
        withheld: gates::closed(&observed),
        observed,
        parts: Vec::new(),
        findings: Vec::new(),
        abstained: Vec::new(),
        silent: Vec::new(),
        second: None,
        proof: None,
    };
    if !explained.withheld.is_empty() {
        return explained;
    }
    for rule in RULES {
        match (rule.judge)(&explained.observed) {
            Judgement::Found(found) => explained.findings.push(*found),
            Judgement::Silent => explained.silent.push(rule.name.to_string()),
            Judgement::Abstains(missing) => explained.abstained.push(Abstention {
                rule: rule.name.to_string(),
                missing,
            }),
        }
    }
    explained
        .findings
        .sort_by(|a, b| b.time_share.total_cmp(&a.time_share));
    explained
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::english::in_english;
    use crate::explain::rule::one_at_a_time;

    /// The first three tenths of what is recorded are the setting up of a session.
    fn set_up_and_load() -> Observed {
        let rates = |at: usize| if at < 30 { 9.0 } else { 200.0 };
        let outstanding = |at: usize| if at < 30 { 0.0 } else { 1.0 };
        Observed {
            requests_over_time: (0..100).map(rates).collect(),
            outstanding_over_time: (0..100).map(outstanding).collect(),
            ..one_at_a_time()
        }
    }

    #[test]
    fn a_recording_that_changes_is_explained_by_its_part_with_most_of_the_time() {
        let all = set_up_and_load();
        let mut read = Vec::new();
        let explained = explain_by_parts(all.clone(), "0", |begin_ns, end_ns| {
            read.push((begin_ns, end_ns));
            Ok::<_, Infallible>(Observed {
                begin_ns,
                span_ns: end_ns - begin_ns,
                ..one_at_a_time()
            })
        });
        let explained = explained.unwrap_or_else(|never| match never {});
        let begin_ns = all.begin_ns + all.span_ns / 10 * 3;
        assert_eq!(read, [(begin_ns, all.begin_ns + all.span_ns)]);
        assert_eq!(explained.observed.begin_ns, begin_ns);
        assert_eq!(explained.withheld, []);
        assert_eq!(explained.findings[0].rule, "too_few_outstanding_requests");
        let [part] = &explained.parts[..] else {
            panic!("{:?}", explained.parts);
        };
        let text = in_english(part);
        assert!(
            text.contains("100 %") && text.contains("9 to 200"),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_concluded_where_no_part_permits_it() {
        let explained = explain_by_parts(set_up_and_load(), "0", |_, _| {
            Ok::<_, Infallible>(Observed {
                requests: Some(7),
                ..one_at_a_time()
            })
        });
        let explained = explained.unwrap_or_else(|never| match never {});
        assert_eq!(explained.withheld[0].id, "explain-not-steady");
        assert_eq!((explained.findings.len(), explained.parts.len()), (0, 0));
    }
}
