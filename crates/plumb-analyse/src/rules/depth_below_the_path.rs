//! Were enough requests in flight for the delay of the path to the server?

use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::StepSummary;
use plumb_model::statement::{Argument, Statement, Unit};

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "depth_below_the_path",
    needs: &[
        "network.speed_bits_per_s",
        "network.round_trip_us",
        "network.same_machine",
    ],
    meaning: "A path holds speed times round trip (the bandwidth-delay product). Fewer bytes in flight than that cannot fill it: each request waits at least one round trip, whatever server and disks do.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the rate that the delay alone would allow, from which on the delay is most of each request's time.
const MOSTLY_DELAY: f64 = 0.5;

/// A step that the delay holds back.
struct Held<'a> {
    step: &'a StepSummary,
    /// Bytes of all operations in flight, and of one.
    in_flight: f64,
    block: f64,
}

fn judge(case: &Case) -> Vec<Finding> {
    let number = |id: &str| case.environment.number(id).filter(|value| *value > 0.0);
    let (Some(speed), Some(round_trip_us)) = (
        number("network.speed_bits_per_s"),
        number("network.round_trip_us"),
    ) else {
        return Vec::new();
    };
    if case.environment.flag("network.same_machine") == Some(true) {
        return Vec::new();
    }
    let (path, round_trip_s) = (speed / 8.0 * round_trip_us / 1e6, round_trip_us / 1e6);
    let held: Vec<Held> = case
        .steps()
        .filter(|(planned, _)| is_of_share(planned))
        .filter_map(|(_, step)| held(step, path, round_trip_s))
        .collect();
    let Some(least) = held
        .iter()
        .min_by(|one, other| one.in_flight.total_cmp(&other.in_flight))
    else {
        return Vec::new();
    };
    let names: Vec<&str> = held.iter().map(|held| held.step.name.as_str()).collect();
    let mut shown: Vec<Evidence> = shortened(held.iter().map(of_step).collect());
    shown.extend(case.facts(RULE.needs));
    let claim = Statement::new("depth-below-the-path")
        .part("steps", name_steps(&names))
        .bytes("path", path)
        .bytes("flight", least.in_flight)
        .quantity("rate", least.in_flight / round_trip_s, Unit::BytesPerSecond);
    let advice = Statement::new("depth-below-the-path-advice")
        .bytes("block", least.block)
        .count("depth", (path / least.block).ceil() as u64);
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

fn is_of_share(planned: &Step) -> bool {
    let job = planned.jobs.first();
    let remote = job.and_then(|job| job.target.remote());
    remote.is_some_and(|remote| remote.scheme.is_share())
}

fn held(step: &StepSummary, path: f64, round_trip_s: f64) -> Option<Held<'_>> {
    let (iops, bandwidth) = (step.total.iops?, step.total.bandwidth_bytes_per_s?);
    let depth = step.achieved_depth?;
    if iops <= 0.0 || bandwidth <= 0.0 {
        return None;
    }
    let block = bandwidth / iops;
    let in_flight = depth * block;
    let by_delay = in_flight / round_trip_s;
    (in_flight < path && bandwidth >= MOSTLY_DELAY * by_delay).then_some(Held {
        step,
        in_flight,
        block,
    })
}

fn of_step(held: &Held) -> Evidence {
    let bytes = |value: f64| Argument::Quantity {
        value,
        unit: Unit::Bytes,
    };
    let depth = held.in_flight / held.block;
    evidence(
        Statement::new("depth-below-the-path-in").name("step", &held.step.name),
        Statement::new("depth-below-the-path-of")
            .number("depth", (10.0 * depth).round() / 10.0)
            .with("block", bytes(held.block)),
        Statement::new("source-service-times"),
    )
}

#[cfg(test)]
mod tests {
    use plumb_model::environment::Fact;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    /// 4 KiB reads at depth 1, each of so many microseconds, over a way with this round trip at 1 Gbit/s.
    fn run(target: &str, round_trip_us: f64, latency_us: f64) -> Scene {
        let mut steps = ladder("read", &[1]);
        steps[0].jobs[0].target = target.parse().expect("a target");
        let mut builder = Builder::new(steps)
            .fact("network.speed_bits_per_s", Fact::Number(1e9))
            .fact("network.round_trip_us", Fact::Number(round_trip_us));
        let interval = Interval {
            iops: 1e6 / latency_us,
            latency_ns: 1000.0 * latency_us,
            ..Interval::default()
        };
        builder.execute(0, 0, &vec![interval; 3]);
        Scene::run(builder.finish())
    }

    pub fn examples() -> Examples {
        const SHARE: &str = "smb://u@nas/share";
        let mut here = run(SHARE, 1000.0, 1200.0);
        let same = Fact::Flag(true);
        here.environment.set("network.same_machine", same);
        Examples {
            fires: vec![run(SHARE, 1000.0, 1200.0), run("nfs://nas/x", 200.0, 210.0)],
            silent: vec![
                // The server takes most of the time.
                run(SHARE, 1000.0, 9000.0),
                // The path holds less than one block.
                run(SHARE, 10.0, 15.0),
                run("/dev/sda", 1000.0, 1200.0),
                here,
            ],
        }
    }
}
