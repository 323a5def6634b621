//! Do the clocks of the hosts show different times of day?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "clocks_differ",
    needs: &[],
    meaning: "plumb's times of many ranks rest on clocks that nobody sets, compared by messages. Logs of the hosts and of the server rest on the time of day: where that differs, what happened at the same time has different times there.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Times of day that differ by more than this cannot be correlated.
const APART_NS: u64 = 500_000_000;

fn judge(case: &Case) -> Vec<Finding> {
    let ranks = case.summary.and_then(|summary| summary.ranks.as_ref());
    let processes = ranks.into_iter().flat_map(|ranks| &ranks.processes);
    let mut off: Vec<(&str, i64)> = Vec::new();
    for index in processes {
        let ahead_ns = index.time_of_day_ahead_ns;
        let is_off = ahead_ns.unsigned_abs() > APART_NS.max(10 * index.clock_uncertainty_ns);
        if is_off && !off.iter().any(|(host, _)| *host == index.host) {
            off.push((&index.host, ahead_ns));
        }
    }
    let Some((host, ahead_ns)) = off
        .iter()
        .max_by_key(|(_, ahead_ns)| ahead_ns.unsigned_abs())
    else {
        return Vec::new();
    };
    let shown = off.iter().map(|(host, ahead_ns)| {
        let apart_ns = ahead_ns.unsigned_abs() as f64;
        let value = match *ahead_ns < 0 {
            true => Statement::new("clock-is-behind").time_ns("time", apart_ns),
            false => Statement::new("clock-is-ahead").time_ns("time", apart_ns),
        };
        evidence(
            Statement::verbatim(*host),
            value,
            Statement::new("source-messages-of-ranks"),
        )
    });
    let apart_ns = ahead_ns.unsigned_abs() as f64;
    let count = off.len() as u64;
    let claim = match *ahead_ns < 0 {
        true => Statement::new("clocks-differ-behind")
            .time_ns("time", apart_ns)
            .name("host", *host)
            .count("count", count),
        false => Statement::new("clocks-differ-ahead")
            .time_ns("time", apart_ns)
            .name("host", *host)
            .count("count", count),
    };
    let advice = Statement::new("clocks-differ-advice");
    vec![finding(
        &RULE,
        Severity::Info,
        claim,
        shown.collect(),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use crate::two_hosts::on_two_hosts;

    pub fn examples() -> Examples {
        let run = |ahead_ns: i64| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &[Interval::default()]);
            Scene::run(on_two_hosts(builder.finish(), [1000, 1000], ahead_ns))
        };
        Examples {
            fires: vec![run(-3_000_000_000)],
            silent: vec![run(2_000_000)],
        }
    }
}
