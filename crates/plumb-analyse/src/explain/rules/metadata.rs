//! Does the time go to names, attributes, opens and closes, and not to reads and writes?

use plumb_model::explain::conclusion::Change;
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::call_time::{self, Limit};
use crate::explain::rule::{Judgement, Rule};

/// The rule.
pub const RULE: Rule = Rule {
    name: "metadata",
    meaning: "Many small files cost a handful of calls each before and after their few bytes. Where those take the time, larger requests or a faster path gain little.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the time that these calls take, from which on they are the limit.
const SHARE_MIN: f64 = 0.4;

fn judge(observed: &Observed) -> Judgement {
    let metadata = &observed.metadata;
    let lacks = Statement::new("explain-lacks-metadata-times");
    call_time::judge(RULE.name, observed, metadata, (lacks, SHARE_MIN), |calls| {
        Some(Limit {
            claim: Statement::new("explain-metadata-claim")
                .percent("share", calls.share * 100.0)
                .name("most", metadata.most.as_ref()?)
                .number("each", calls.per_s / calls.requests_per_s.max(1e-9)),
            figures: [
                Statement::new("explain-figure-metadata"),
                Statement::new("explain-figure-metadata-time"),
                Statement::new("explain-figure-metadata-share"),
            ],
            advice: Statement::new("explain-metadata-advice"),
            change: Change::NoMetadata,
            saved: 1.0,
            refuted_by: |rate| {
                Statement::new("explain-metadata-refuted").quantity("rate", rate, Unit::PerSecond)
            },
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::{CallShare, Observed};

    pub fn examples() -> Examples {
        let with = |time_share| Observed {
            metadata: CallShare {
                per_s: Some(500.0),
                mean_ns: Some(1_400_000.0),
                time_share: Some(time_share),
                most: Some("CREATE".into()),
            },
            ..one_at_a_time()
        };
        Examples {
            fires: vec![with(0.72)],
            silent: vec![with(0.1)],
        }
    }
}
