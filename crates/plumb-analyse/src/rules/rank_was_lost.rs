//! Was a rank of many lost before the end?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "rank_was_lost",
    needs: &[],
    meaning: "Figures of many ranks are of the time in which all of them ran. A rank that dies or cannot be reached ends that time, and what it had not handed over yet is in its own record only.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let ranks = case.summary.and_then(|summary| summary.ranks.as_ref());
    let Some((ranks, first)) = ranks.and_then(|ranks| Some((ranks, ranks.lost.first()?))) else {
        return Vec::new();
    };
    let shown = ranks.lost.iter().map(|lost| {
        let what = Statement::new("rank-on-host")
            .name("rank", lost.rank.to_string())
            .name("host", &lost.host);
        let value = Statement::new("rank-was-lost-then")
            .time_ns("time", lost.time_s * 1e9)
            .part("why", lost.why.clone());
        evidence(what, value, Statement::new("source-notes-of-run"))
    });
    let claim = Statement::new("rank-was-lost")
        .count("count", ranks.lost.len() as u64)
        .count("ranks", u64::from(ranks.ranks))
        .name("rank", first.rank.to_string())
        .name("host", &first.host);
    let advice = Statement::new("rank-was-lost-advice");
    vec![finding(
        &RULE,
        Severity::Severe,
        claim,
        shown.collect(),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use plumb_model::run::Event;
    use plumb_model::statement::Statement;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use crate::two_hosts::on_two_hosts;

    pub fn examples() -> Examples {
        let run = |is_lost: bool| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &[Interval::default()]);
            let mut run = on_two_hosts(builder.finish(), [1000, 1000], 0);
            if is_lost {
                let mut note = run.notes[0].clone();
                note.event = Event::RankLost {
                    execution: Some(0),
                    rank: 1,
                    host: "hostb".into(),
                    why: Statement::new("rank-was-silent").count("seconds", 15),
                };
                run.notes.push(note);
            }
            Scene::run(run)
        };
        Examples {
            fires: vec![run(true)],
            silent: vec![run(false)],
        }
    }
}
