//! Did the network lose segments that were retransmitted?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::statement::Statement;

use crate::figures::counters::Counters;
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "retransmits_in_the_run",
    needs: &[
        "tcp.segments_sent",
        "tcp.segments_retransmitted",
        "tcp.timeouts",
        "nfs.retransmits",
        "network.pause_frames",
        "network.mtu_bytes",
        "network.same_machine",
    ],
    meaning: "Segments that TCP retransmitted during the run were lost on the way: each loss slows the sender down, and a timeout costs 200 ms or more. The counters are those of the whole machine.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the segments sent, and how many at least, from which on losses matter.
const PART: f64 = 1e-3;
const LEAST: f64 = 20.0;

fn judge(case: &Case) -> Vec<Finding> {
    let Some(run) = case.run else {
        return Vec::new();
    };
    let counters = Counters::of(&run.readings);
    // On loopback nothing is lost: retransmissions there are due to a reader without CPU.
    let same_machine = case.environment.flag("network.same_machine") == Some(true);
    let mut shown = if same_machine {
        Vec::new()
    } else {
        lost_segments(&counters)
    };
    for mount in counters.instances("nfs.retransmits") {
        if let Some(rise) = counters
            .rise("nfs.retransmits", mount)
            .filter(|rise| *rise >= 1.0)
        {
            shown.push(evidence(
                "nfs.retransmits",
                Statement::new("retransmits-in-the-run-requests")
                    .number("requests", rise)
                    .name("mount", mount),
                over_run(),
            ));
        }
    }
    if shown.is_empty() {
        return Vec::new();
    }
    shown.extend(case.facts(&["network.pause_frames", "network.mtu_bytes"]));
    let claim = Statement::new("retransmits-in-the-run");
    let advice = Statement::new("retransmits-in-the-run-advice");
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

fn over_run() -> Statement {
    Statement::new("source-counters-over-run")
}

fn lost_segments(counters: &Counters) -> Vec<Evidence> {
    let rise = |metric: &str| counters.rise(metric, "");
    let (Some(sent), Some(again)) = (
        rise("tcp.segments_sent"),
        rise("tcp.segments_retransmitted"),
    ) else {
        return Vec::new();
    };
    // Other programs of this machine count too: only a run over the network has its own losses.
    if again < LEAST || again < PART * sent {
        return Vec::new();
    }
    let value = Statement::new("retransmits-in-the-run-segments")
        .number("again", again)
        .number("sent", sent)
        .percent("share", 100.0 * again / sent.max(1.0));
    let mut shown = vec![evidence("tcp.segments_retransmitted", value, over_run())];
    if let Some(timeouts) = rise("tcp.timeouts").filter(|count| *count > 0.0) {
        shown.push(evidence("tcp.timeouts", timeouts, over_run()));
    }
    shown
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |again: f64, requests: f64| {
            let mut builder = Builder::new(ladder("read", &[1]));
            let tell = |builder: &mut Builder, sent: f64, again: f64, requests: f64| {
                builder.reading("tcp.segments_sent", "", Some(1e6 + sent));
                builder.reading("tcp.segments_retransmitted", "", Some(70.0 + again));
                builder.reading("tcp.timeouts", "", Some(3.0));
                builder.reading("nfs.retransmits", "/mnt/n", Some(2.0 + requests));
            };
            tell(&mut builder, 0.0, 0.0, 0.0);
            builder.execute(0, 0, &vec![Interval::default(); 3]);
            tell(&mut builder, 1e5, again, requests);
            Scene::run(builder.finish())
        };
        let mut here = run(500.0, 0.0);
        here.environment.set(
            "network.same_machine",
            plumb_model::environment::Fact::Flag(true),
        );
        Examples {
            fires: vec![run(500.0, 0.0), run(0.0, 3.0)],
            silent: vec![run(0.0, 0.0), run(15.0, 0.0), run(50.0, 0.0), here],
        }
    }
}
