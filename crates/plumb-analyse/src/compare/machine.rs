//! Was the machine in the same state while each side was measured? Evidence from the records, and how much of a difference it can explain.
//!
//! Sides measured at different times are one session each: the variation between sessions cannot be estimated from rounds within them. What the
//! record has of the machine during the rounds bounds it instead (partial identification: Manski, "Partial Identification of Probability Distributions",
//! 2003): a figure would have been better by any amount from nothing to the time lost, so that the interval is widened by all of it.

use plumb_model::results::comparison::{ComparedMetric, Direction, MachineEvidence};
use plumb_model::statement::{Argument, Statement, Unit};

use crate::compare::figures::{Measured, quantile};
use crate::figures::counters::{BUSY, Counters, Timed, counter_rise};
use crate::figures::executions::Execution;
use crate::phrases;
use crate::phrases::rounded_percent;
use crate::statistics::mean;

/// Longest wait of a waking thread on an idle machine; only more than that is time taken by others.
const WAKE_UP_NS: f64 = 10_000.0;
/// CPU time of the process over that of its load threads from which on others do the work: the kernel's io_uring workers.
const BY_KERNEL_WORKERS: f64 = 1.25;
/// Shares above which nothing is left to compare.
const MOST_SHARE: f64 = 0.98;
/// Slack from which a piece of evidence is reported.
const REPORTED_FROM: f64 = 0.01;
/// Logarithm of the ratio by which CPU time per operation may differ between two sessions for each part of the CPUs that others took: shared cores, caches, memory
/// and clock. If others took the entire machine, half of the speed may be theirs.
const SHARED: f64 = 0.7;

/// State of the machine during the rounds of one step, as means over the rounds. Missing if not recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Machine {
    /// Share of the workers' time in which they could have run and waited for a CPU.
    waited: Option<f64>,
    /// Share of the time in which some task of the machine waited for a CPU.
    pressure: Option<f64>,
    /// Share of all CPUs that other programs took.
    others: Option<f64>,
    /// Share of the CPUs in use that the hypervisor gave to others.
    stolen: Option<f64>,
    /// CPU time of the load generator per operation.
    cpu_ns: Option<f64>,
    /// Time of a worker per operation, without that in which it waited for a CPU.
    time_ns: Option<f64>,
    /// Share of the workers' time on a CPU.
    on_cpu: Option<f64>,
    /// Mean response time.
    mean_ns: Option<f64>,
}

/// By how much an interval is wider, as logarithms of the ratio, and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Slack {
    pub below: f64,
    pub above: f64,
    pub evidence: Vec<MachineEvidence>,
}

impl Machine {
    pub fn of(measured: &Measured, step: usize, counters: &Counters) -> Machine {
        let rounds: Vec<Machine> = measured
            .complete_rounds(step)
            .map(|execution| of_round(execution, counters))
            .collect();
        // A round without data makes the mean unknown: the missing ones may be related to the disturbance.
        let all = |value: fn(&Machine) -> Option<f64>| {
            mean(&rounds.iter().map(value).collect::<Option<Vec<f64>>>()?)
        };
        Machine {
            waited: all(|round| round.waited),
            pressure: all(|round| round.pressure),
            others: all(|round| round.others),
            stolen: all(|round| round.stolen),
            cpu_ns: all(|round| round.cpu_ns),
            time_ns: all(|round| round.time_ns),
            on_cpu: all(|round| round.on_cpu),
            mean_ns: all(|round| round.mean_ns),
        }
    }

    /// Share of the workers' time that waiting for a CPU took. From records that do not hold it: the time in which any task of the machine waited, beyond
    /// what it waited on the other side, as far as the workers were not on a CPU.
    fn waiting(&self, other: &Machine) -> f64 {
        let by_pressure = || {
            let beyond = self.pressure? - other.pressure.unwrap_or(0.0);
            Some(beyond.clamp(0.0, 1.0 - self.on_cpu.unwrap_or(0.0).min(1.0)))
        };
        self.waited.or_else(by_pressure).unwrap_or(0.0)
    }

    /// Logarithm of the factor by which this side may have been better without disturbance.
    fn taken(&self, other: &Machine, metric: &ComparedMetric, value: Option<f64>) -> f64 {
        let waited = match (
            quantile(metric.id),
            self.mean_ns,
            value.filter(|value| *value > 0.0),
        ) {
            // Of all operations a part of 1 - q waits longer than the mean wait / (1 - q) at most (Markov's inequality): no quantile moves by more.
            (Some(q), Some(mean_ns), Some(value)) => {
                self.waiting(other) * mean_ns / (1.0 - q).max(1e-6) / value
            }
            _ => self.waiting(other),
        };
        [waited, self.stolen.unwrap_or(0.0)]
            .into_iter()
            .map(|share| -(1.0 - share.clamp(0.0, MOST_SHARE)).ln())
            .sum()
    }
}

/// What the machine explains of the difference between two sides that were measured at their own times. `same_code`: nothing that the records know of
/// differs in hardware, system, file system and engine, so that an operation takes the same CPU time on the same machine.
pub(super) fn slack(
    a: (&Machine, Option<f64>),
    b: (&Machine, Option<f64>),
    metric: &ComparedMetric,
    same_code: bool,
) -> Slack {
    let ((machine_a, value_a), (machine_b, value_b)) = (a, b);
    let speed = if metric.id == "cpu" {
        shared(machine_a, machine_b)
    } else {
        speed(machine_a, machine_b, same_code)
    };
    let taken = |(machine, other, value): (&Machine, &Machine, Option<f64>)| {
        if metric.id == "cpu" {
            0.0
        } else {
            machine.taken(other, metric, value)
        }
    };
    let (worse_a, worse_b) = (
        taken((machine_a, machine_b, value_a)) + speed.0,
        taken((machine_b, machine_a, value_b)) + speed.1,
    );
    // Time taken from B makes its true figure better than the measured one.
    let (below, above) = match metric.better {
        Direction::Higher => (worse_a, worse_b),
        Direction::Lower => (worse_b, worse_a),
    };
    let evidence = if below.max(above) >= REPORTED_FROM {
        evidence(machine_a, machine_b)
    } else {
        Vec::new()
    };
    Slack {
        below,
        above,
        evidence,
    }
}

/// By how much each side may have been slowed down on the CPU itself: (A, B).
fn speed(a: &Machine, b: &Machine, same_code: bool) -> (f64, f64) {
    let (Some(cpu_a), Some(cpu_b), Some(time_a), Some(time_b)) =
        (a.cpu_ns, b.cpu_ns, a.time_ns, b.time_ns)
    else {
        return (0.0, 0.0);
    };
    let share = |cpu: f64, time: f64| (cpu / time.max(1e-9)).clamp(0.0, 1.0);
    if !same_code {
        // The cost of an operation may really differ; others explain only the time that they took.
        let (slow_a, slow_b) = shared(a, b);
        return (slow_a * share(cpu_a, time_a), slow_b * share(cpu_b, time_b));
    }
    let slowed =
        |more: f64, less: f64, time: f64| ((time + more - less).max(time) / time.max(1e-9)).ln();
    (slowed(cpu_a, cpu_b, time_b), slowed(cpu_b, cpu_a, time_a))
}

/// By how much each side may have been slowed down by others on the same cores, caches and memory.
fn shared(a: &Machine, b: &Machine) -> (f64, f64) {
    let of =
        |machine: &Machine| SHARED * machine.others.unwrap_or(0.0) + machine.stolen.unwrap_or(0.0);
    (of(a), of(b))
}

fn evidence(a: &Machine, b: &Machine) -> Vec<MachineEvidence> {
    type Figure = fn(&Machine) -> Option<f64>;
    let figures: [(&str, Statement, &str, Figure); 5] = [
        (
            "waited_for_cpu",
            Statement::new("machine-waited-for-cpu"),
            "percent",
            |machine| Some(100.0 * machine.waited?),
        ),
        (
            "others_cpu",
            Statement::new("machine-others-cpu"),
            "percent",
            |machine| Some(100.0 * machine.others?),
        ),
        (
            "stolen_cpu",
            Statement::new("machine-stolen-cpu"),
            "percent",
            |machine| Some(100.0 * machine.stolen?),
        ),
        (
            "cpu_pressure",
            Statement::new("machine-cpu-pressure"),
            "percent",
            |machine| Some(100.0 * machine.pressure?),
        ),
        (
            "cpu_per_operation",
            Statement::new("machine-cpu-per-operation"),
            "ns",
            |machine| machine.cpu_ns,
        ),
    ];
    let differs = |unit: &str, a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) if unit == "ns" => (b / a).ln().abs() >= REPORTED_FROM,
        (a, b) => a.unwrap_or(0.0).max(b.unwrap_or(0.0)) >= 100.0 * REPORTED_FROM,
    };
    let of = |(what, meaning, unit, value): (&str, Statement, &str, Figure)| {
        let values = [value(a), value(b)];
        differs(unit, values[0], values[1]).then(|| MachineEvidence {
            what: what.into(),
            meaning,
            unit: unit.into(),
            baseline: values[0],
            value: values[1],
            steps: Vec::new(),
            side: 0,
        })
    };
    figures.into_iter().filter_map(of).collect()
}

/// The evidence as clauses: `other programs took 3 % of the CPUs on A and 45 % on B`.
pub(super) fn machine_statements(evidence: &[MachineEvidence], a: &str, b: &str) -> Vec<Statement> {
    let part = |held: &MachineEvidence| {
        let value = |value: Option<f64>| match (value, held.unit.as_str()) {
            (Some(value), "ns") => Argument::Quantity {
                value,
                unit: Unit::Nanoseconds,
            },
            (Some(value), _) => Argument::Quantity {
                value: rounded_percent(value / 100.0),
                unit: Unit::Percent,
            },
            (None, _) => phrases::phrase(Statement::new("unknown-part")),
        };
        let waited = |held: &MachineEvidence| held.what == "waited_for_cpu";
        let statement = match held.what.as_str() {
            "waited_for_cpu" => Statement::new("workers-waited-for-a-cpu"),
            "others_cpu" => Statement::new("other-programs-took-cpus"),
            "stolen_cpu" => Statement::new("hypervisor-took-cpus"),
            "cpu_per_operation" => Statement::new("operation-took-cpu-time"),
            "cpu_pressure" if !evidence.iter().any(waited) => {
                Statement::new("tasks-waited-for-a-cpu")
            }
            _ => return None,
        }
        .name("a", a)
        .name("b", b)
        .with("on-a", value(held.baseline))
        .with("on-b", value(held.value));
        Some(statement)
    };
    evidence.iter().filter_map(part).collect()
}

/// The same evidence of several steps is one entry: the figures are those of the first step.
pub(super) fn add_evidence(
    all: &mut Vec<MachineEvidence>,
    evidence: Vec<MachineEvidence>,
    side: usize,
    step: &str,
) {
    for found in evidence {
        match all
            .iter_mut()
            .find(|held| held.side as usize == side && held.what == found.what)
        {
            // The cells of one step follow each other.
            Some(held) if held.steps.last().is_some_and(|known| known == step) => {}
            Some(held) => held.steps.push(step.to_string()),
            None => all.push(MachineEvidence {
                steps: vec![step.to_string()],
                side: side as u32,
                ..found
            }),
        }
    }
}

fn of_round(execution: &Execution, counters: &Counters) -> Machine {
    let ticks = || {
        execution
            .ticks
            .iter()
            .filter(|tick| execution.in_rates(tick))
    };
    let workers = || ticks().flat_map(|tick| tick.workers.iter().map(move |worker| (tick, worker)));
    let worker_ns: f64 = workers()
        .map(|(tick, _)| tick.end_ns.saturating_sub(tick.start_ns) as f64)
        .sum();
    let operations = ticks()
        .flat_map(|tick| &tick.kinds)
        .map(|kind| kind.count as f64)
        .sum::<f64>();
    let sum = |value: &dyn Fn(&plumb_model::run::tick::WorkerTick) -> Option<u64>| {
        // Without workers nothing is known: an imported run has none.
        workers().next()?;
        workers()
            .map(|(_, worker)| Some(value(worker)? as f64))
            .sum::<Option<f64>>()
    };
    let share = |ns: f64, of: f64| (of > 0.0).then(|| (ns / of).clamp(0.0, 1.0));
    let waited_ns = sum(&|worker| worker.waited_for_cpu_ns);
    let waited = waited_ns
        .zip(sum(&|worker| worker.voluntary_switches))
        .and_then(|(ns, woke)| share((ns - WAKE_UP_NS * woke).max(0.0), worker_ns));
    let threads_ns = sum(&|worker| Some(worker.cpu_user_ns?.saturating_add(worker.cpu_system_ns?)));
    let window = Window::around(execution, counters);
    let own_ns = window
        .as_ref()
        .and_then(|window| window.rise(&["process.user_ns", "process.system_ns"], ""));
    let machine_ns = window.as_ref().and_then(Window::cpus);
    let pressure = window
        .as_ref()
        .and_then(|window| share(window.rise(&["pressure.cpu_some_ns"], "")?, window.span_ns));
    let ratio =
        |above: Option<f64>, below: f64| above.filter(|_| below > 0.0).map(|above| above / below);
    let scale = window.as_ref().map_or(1.0, |window| {
        execution.duration_ns() as f64 / window.span_ns
    });
    // The process has the kernel's io_uring workers too, whose work is done for it, and for whose turn on a CPU a worker waits asleep.
    let cpu_ns = threads_ns.map(|threads| own_ns.map_or(threads, |own| threads.max(own * scale)));
    let on_cpu = cpu_ns.and_then(|ns| share(ns, worker_ns));
    let waited = match (threads_ns, cpu_ns, on_cpu, pressure) {
        (Some(threads), Some(all), Some(on_cpu), Some(pressure))
            if all > BY_KERNEL_WORKERS * threads =>
        {
            waited.map(|waited| waited.max(pressure.min(1.0 - on_cpu)))
        }
        _ => waited,
    };
    let responses = || {
        ticks()
            .flat_map(|tick| &tick.kinds)
            .map(|kind| kind.response.as_ref().unwrap_or(&kind.service))
    };
    Machine {
        waited,
        pressure,
        others: machine_ns
            .zip(own_ns)
            .and_then(|((busy, _, complete), own)| share((busy - own).max(0.0), complete)),
        stolen: machine_ns.and_then(|(busy, stolen, _)| share(stolen, busy + stolen)),
        cpu_ns: ratio(cpu_ns, operations),
        time_ns: ratio(Some(worker_ns * (1.0 - waited.unwrap_or(0.0))), operations),
        on_cpu,
        mean_ns: ratio(
            Some(responses().map(|held| held.sum_ns() as f64).sum()),
            responses().map(|held| held.count() as f64).sum(),
        ),
    }
}

/// The readings nearest to the begin and the end of an execution.
struct Window<'c, 'a> {
    counters: &'c Counters<'a>,
    start_ns: u64,
    end_ns: u64,
    span_ns: f64,
}

impl<'c, 'a> Window<'c, 'a> {
    /// `None` if there are none near enough: the rates in between would not be those of the execution.
    fn around(execution: &Execution, counters: &'c Counters<'a>) -> Option<Window<'c, 'a>> {
        let (start_ns, end_ns) = execution.extent_ns()?;
        let core = *counters.instances(BUSY[0]).first()?;
        let line = counters.line(BUSY[0], core);
        let (first, last) = (nearest(line, start_ns)?.0, nearest(line, end_ns)?.0);
        let (span, requested) = (
            last.saturating_sub(first) as f64,
            end_ns.saturating_sub(start_ns) as f64,
        );
        ((0.5..=2.0).contains(&(span / requested.max(1.0)))).then_some(Window {
            counters,
            start_ns: first,
            end_ns: last,
            span_ns: span,
        })
    }

    /// Sum of the increases of these counters of one instance; `None` if one of them is unknown.
    fn rise(&self, metrics: &[&str], instance: &str) -> Option<f64> {
        let of = |metric: &&str| {
            let line = self.counters.line(metric, instance);
            counter_rise(
                nearest(line, self.start_ns)?.1?,
                nearest(line, self.end_ns)?.1?,
            )
        };
        metrics.iter().map(of).sum()
    }

    /// Time of all CPUs: in use by this machine, taken by the hypervisor, and total.
    fn cpus(&self) -> Option<(f64, f64, f64)> {
        let cores = self.counters.instances(BUSY[0]);
        let sum = |metrics: &[&str]| {
            cores
                .iter()
                .map(|core| self.rise(metrics, core))
                .sum::<Option<f64>>()
        };
        let (busy, stolen) = (
            sum(&[
                "cpu.user_ns",
                "cpu.system_ns",
                "cpu.irq_ns",
                "cpu.softirq_ns",
            ])?,
            sum(&["cpu.steal_ns"])?,
        );
        Some((busy, stolen, self.span_ns * cores.len() as f64))
    }
}

/// The reading nearest to a moment, by halving.
fn nearest(line: &[Timed], time_ns: u64) -> Option<Timed> {
    let after = line.partition_point(|(time, _)| *time < time_ns);
    let candidates = line.get(after.saturating_sub(1)..line.len().min(after + 1))?;
    candidates
        .iter()
        .min_by_key(|(time, _)| time.abs_diff(time_ns))
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::results::comparison::compared_metric;

    /// 10 us of CPU time in the 100 us of each operation, and nothing else on the machine.
    fn quiet() -> Machine {
        Machine {
            waited: Some(0.0),
            pressure: None,
            others: Some(0.0),
            stolen: Some(0.0),
            cpu_ns: Some(10_000.0),
            time_ns: Some(100_000.0),
            on_cpu: Some(0.1),
            mean_ns: Some(100_000.0),
        }
    }

    fn of(a: &Machine, b: &Machine, metric: &str, value: f64, same_code: bool) -> Slack {
        let metric = compared_metric(metric).expect("a metric");
        slack((a, Some(value)), (b, Some(value)), metric, same_code)
    }

    #[test]
    fn what_was_taken_from_a_side_may_have_made_it_better() {
        let check = |b: &Machine, metric: &str, value: f64, (below, above): (f64, f64)| {
            let got = of(&quiet(), b, metric, value, true);
            assert!(
                (got.below - below).abs() < 1e-12 && (got.above - above).abs() < 1e-12,
                "{metric}: {got:?}, not {below} and {above}"
            );
            // The other way round it was taken from A.
            let back = of(b, &quiet(), metric, value, true);
            assert_eq!((back.below, back.above), (got.above, got.below), "{metric}");
        };
        // A quarter of the time waited for a CPU: without that a rate of 4/3, or three quarters of a mean.
        let waited = Machine {
            waited: Some(0.25),
            ..quiet()
        };
        let quarter = (4.0f64 / 3.0).ln();
        check(&waited, "iops", 1.0, (0.0, quarter));
        check(&waited, "mean", 1.0, (quarter, 0.0));
        check(&waited, "cpu", 1.0, (0.0, 0.0));
        // Of all, one in a hundred waits for at most a hundred times the mean wait of 25 us: 2.5 of 100 ms.
        check(&waited, "p99", 1e8, (-(0.975f64.ln()), 0.0));
        // Of all time nothing is left to compare beyond 98 %.
        let all = Machine {
            waited: Some(1.0),
            ..quiet()
        };
        check(&all, "iops", 1.0, (0.0, 50.0f64.ln()));
        let stolen = Machine {
            stolen: Some(0.2),
            ..quiet()
        };
        check(&stolen, "iops", 1.0, (0.0, 1.25f64.ln()));
        // 20 us more CPU time for the same operation, on 100 us.
        let slower = Machine {
            cpu_ns: Some(30_000.0),
            ..quiet()
        };
        check(&slower, "iops", 1.0, (0.0, 1.2f64.ln()));
        check(&Machine::default(), "iops", 1.0, (0.0, 0.0));
    }

    #[test]
    fn others_on_the_same_cores_explain_a_part_of_the_cpu_time() {
        // Half of the machine: 0.7 times half as a logarithm; a tenth of the time is on a CPU.
        let others = Machine {
            others: Some(0.5),
            ..quiet()
        };
        let other_code = of(&quiet(), &others, "iops", 1.0, false);
        assert!((other_code.above - 0.035).abs() < 1e-12 && other_code.below == 0.0);
        let cpu = of(&quiet(), &others, "cpu", 1.0, true);
        assert!((cpu.below - 0.35).abs() < 1e-12 && cpu.above == 0.0);
        let stolen = Machine {
            stolen: Some(0.2),
            ..quiet()
        };
        let cpu = of(&quiet(), &stolen, "cpu", 1.0, true);
        assert!((cpu.below - 0.2).abs() < 1e-12);
        // Of the same code, its CPU time is known to be the same.
        assert_eq!(of(&quiet(), &others, "iops", 1.0, true).above, 0.0);
    }

    #[test]
    fn pressure_stands_for_waits_that_were_not_recorded() {
        let machine = |pressure: f64, on_cpu: f64| Machine {
            waited: None,
            pressure: Some(pressure),
            on_cpu: Some(on_cpu),
            ..quiet()
        };
        // What is beyond the pressure of the other side, and no more than the time off a CPU.
        let waiting = machine(0.5, 0.3).waiting(&machine(0.1, 0.3));
        assert!((waiting - 0.4).abs() < 1e-12);
        let waiting = machine(0.5, 0.8).waiting(&machine(0.1, 0.3));
        assert!((waiting - 0.2).abs() < 1e-12);
        assert_eq!(machine(0.1, 0.3).waiting(&machine(0.5, 0.3)), 0.0);
        assert_eq!(quiet().waiting(&machine(0.5, 0.3)), 0.0, "recorded");
    }

    #[test]
    fn evidence_is_listed_from_one_percent_on() {
        let listed = |b: &Machine| -> Vec<String> {
            let evidence = of(&quiet(), b, "iops", 1.0, true).evidence;
            evidence.iter().map(|held| held.what.clone()).collect()
        };
        let waited = |share: f64| Machine {
            waited: Some(share),
            ..quiet()
        };
        assert_eq!(listed(&waited(0.01)), ["waited_for_cpu"]);
        assert!(listed(&waited(0.0098)).is_empty());
        let also = |others: f64, cpu_ns: f64| Machine {
            others: Some(others),
            cpu_ns: Some(cpu_ns),
            ..waited(0.1)
        };
        assert_eq!(
            listed(&also(0.01, 10_102.0)),
            ["waited_for_cpu", "others_cpu", "cpu_per_operation"]
        );
        assert_eq!(listed(&also(0.0099, 10_099.0)), ["waited_for_cpu"]);
    }

    #[test]
    fn the_nearest_reading_is_the_one_before_of_two_at_the_same_distance() {
        let line = [(10, Some(1.0)), (20, Some(2.0)), (30, None)];
        let at = |time_ns| nearest(&line, time_ns).map(|(time, _)| time);
        for (time_ns, expect) in [
            (0, 10),
            (10, 10),
            (15, 10),
            (16, 20),
            (25, 20),
            (26, 30),
            (99, 30),
        ] {
            assert_eq!(at(time_ns), Some(expect), "{time_ns}");
        }
        assert_eq!(nearest(&[], 5), None);
    }
}
