//! Does one CPU process all received packets?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Statement, Unit};

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "one_queue_takes_all",
    needs: &[
        "network.speed_bits_per_s",
        "network.receive_queues",
        "network.rss_queues",
        "network.queues_max",
        "network.rps",
        "network.interrupts",
        "network.interrupt_cpus",
        "network.interrupt_top_percent",
        "network.packets_since_boot",
        "cpu.threads",
    ],
    meaning: "With one receive queue, without receive-side scaling, or with all interrupts on one CPU, that CPU is the bottleneck of a fast link, however idle the others are (Documentation/networking/scaling.rst).",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

const FAST_BITS_PER_S: f64 = 10e9;
/// One CPU has nearly all interrupts, and there were enough of them.
const TOP_PERCENT: f64 = 90.0;
const PACKETS_MIN: f64 = 1e6;

fn judge(case: &Case) -> Vec<Finding> {
    let number = |id: &str| case.environment.number(id);
    let fast = number("network.speed_bits_per_s").filter(|speed| *speed >= FAST_BITS_PER_S);
    let (Some(speed), Some(queues)) = (fast, number("network.receive_queues")) else {
        return Vec::new();
    };
    if number("cpu.threads").is_some_and(|cpus| cpus < 2.0)
        || case
            .environment
            .text("network.rps")
            .is_some_and(|rps| rps != "off")
    {
        return Vec::new();
    }
    let spread = number("network.rss_queues");
    let (claim, advice) = if queues == 1.0 {
        (
            Statement::new("one-queue-takes-all").quantity("speed", speed, Unit::BitsPerSecond),
            Statement::new("one-queue-takes-all-advice"),
        )
    } else if spread == Some(1.0) {
        (
            Statement::new("one-queue-takes-all-by-scaling")
                .number("queues", queues)
                .quantity("speed", speed, Unit::BitsPerSecond),
            Statement::new("one-queue-takes-all-by-scaling-advice"),
        )
    } else if number("network.interrupts").is_some_and(|lines| lines > 1.0)
        && number("network.interrupt_top_percent").is_some_and(|top| top >= TOP_PERCENT)
        && number("network.packets_since_boot").is_some_and(|packets| packets >= PACKETS_MIN)
    {
        (
            Statement::new("one-queue-takes-all-by-interrupts").number("queues", queues),
            Statement::new("one-queue-takes-all-by-interrupts-advice"),
        )
    } else {
        return Vec::new();
    };
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::{Number, Text};

    fn scene(speed: f64, queues: f64, spread: f64, top: f64, rps: &str) -> Scene {
        Scene::environment(&[
            ("network.speed_bits_per_s", Number(speed)),
            ("network.receive_queues", Number(queues)),
            ("network.rss_queues", Number(spread)),
            ("network.interrupts", Number(queues)),
            ("network.interrupt_top_percent", Number(top)),
            ("network.packets_since_boot", Number(5e6)),
            ("network.rps", Text(rps.into())),
            ("cpu.threads", Number(16.0)),
        ])
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![
                scene(25e9, 1.0, 1.0, 100.0, "off"),
                scene(25e9, 8.0, 1.0, 20.0, "off"),
                scene(25e9, 8.0, 8.0, 97.0, "off"),
            ],
            silent: vec![
                scene(25e9, 8.0, 8.0, 20.0, "off"),
                scene(1e9, 1.0, 1.0, 100.0, "off"),
                scene(25e9, 1.0, 1.0, 100.0, "on for 1 of 1 queues, CPU mask ff"),
                Scene::environment(&[("network.receive_queues", Number(1.0))]),
            ],
        }
    }
}
