//! Did the network lose or reorder incoming segments?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::figures::counters::Counters;
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "segments_arrived_out_of_order",
    needs: &[
        "tcp.segments_received",
        "tcp.out_of_order",
        "network.same_machine",
    ],
    meaning: "A receiver sees no retransmissions: what is lost or reordered on the way of reads shows as segments that arrive before those they follow. They wait until the gap is filled, and the sender slows down. The counters are those of the whole machine.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the segments received, and how many at least, from which on it matters.
const PART: f64 = 1e-3;
const LEAST: f64 = 100.0;

fn judge(case: &Case) -> Vec<Finding> {
    let Some(run) = case.run else {
        return Vec::new();
    };
    let counters = Counters::of(&run.readings);
    let rise = |metric: &str| counters.rise(metric, "");
    let (Some(received), Some(early)) = (rise("tcp.segments_received"), rise("tcp.out_of_order"))
    else {
        return Vec::new();
    };
    if early < LEAST || early < PART * received {
        return Vec::new();
    }
    let value = Statement::new("segments-arrived-out-of-order-part")
        .number("early", early)
        .number("received", received);
    let source = Statement::new("source-counters-over-run");
    let mut shown = vec![evidence("tcp.out_of_order", value, source)];
    shown.extend(case.facts(&["network.same_machine"]));
    let claim = Statement::new("segments-arrived-out-of-order");
    let advice = Statement::new("segments-arrived-out-of-order-advice");
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |received: f64, early: Option<f64>| {
            let mut builder = Builder::new(ladder("read", &[1]));
            let tell = |builder: &mut Builder, received: f64, early: Option<f64>| {
                builder.reading("tcp.segments_received", "", Some(1e6 + received));
                builder.reading("tcp.out_of_order", "", early.map(|early| 745.0 + early));
            };
            tell(&mut builder, 0.0, early.map(|_| 0.0));
            builder.execute(0, 0, &vec![Interval::default(); 3]);
            tell(&mut builder, received, early);
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![run(1e7, Some(167_000.0)), run(1e5, Some(100.0))],
            silent: vec![
                run(1e5, None),
                run(1e5, Some(0.0)),
                run(1e5, Some(99.0)),
                run(1e6, Some(999.0)),
            ],
        }
    }
}
