//! Did the machine swap during the measurement?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Statement, Unit};

use crate::figures::counters::Counters;
use crate::figures::executions::span_ns;
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "machine_swapped",
    needs: &["swap.in_bytes", "swap.out_bytes"],
    meaning: "Swapping reads and writes storage for other reasons than the test, and stalls whatever waits for the pages: tails grow, and where swap is on the measured device its throughput falls.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Swapped bytes per second from which it matters: less is the kernel swapping out unused pages.
const MATTERS: f64 = 1024.0 * 1024.0;

fn judge(case: &Case) -> Vec<Finding> {
    let Some((run, (start, end))) = case.run.and_then(|run| Some((run, span_ns(run)?))) else {
        return Vec::new();
    };
    let counters = Counters::of(&run.readings);
    let swapped: Vec<(&str, f64)> = RULE
        .needs
        .iter()
        .filter_map(|metric| Some((*metric, counters.rise_of_all(metric, start, end)?)))
        .collect();
    let bytes: f64 = swapped.iter().map(|(_, bytes)| bytes).sum();
    let seconds = (end - start) as f64 / 1e9;
    if seconds <= 0.0 || bytes / seconds < MATTERS {
        return Vec::new();
    }
    let shown = swapped.into_iter().map(|(metric, bytes)| {
        let source = Statement::new("source-counters-over-run");
        evidence(metric, (bytes, Unit::Bytes), source)
    });
    vec![finding(
        &RULE,
        Severity::Warning,
        Statement::new("machine-swapped").bytes("swapped", bytes),
        shown.collect(),
        Statement::new("machine-swapped-advice"),
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    fn swapped(bytes: [f64; 2]) -> Scene {
        let metrics = ["swap.in_bytes", "swap.out_bytes"];
        let mut builder = Builder::new(ladder("read", &[1]));
        for metric in metrics {
            builder.reading(metric, "", Some(4096.0));
        }
        builder.execute(0, 0, &vec![Interval::default(); 10]);
        for (metric, rise) in metrics.into_iter().zip(bytes) {
            builder.reading(metric, "", Some(4096.0 + rise));
        }
        Scene::run(builder.finish())
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![swapped([0.0, 1e9]), swapped([6e8, 6e8])],
            silent: vec![swapped([0.0, 0.0]), swapped([4096.0, 1e6])],
        }
    }
}
