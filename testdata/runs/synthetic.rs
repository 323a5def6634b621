//! What would a run look like if storage behaved so? Seeded synthetic runs for the tests of the analysis and of the record.

use std::collections::BTreeMap;

use plumb_model::environment::{Environment, Fact};
use plumb_model::plan::{Order, Plan, Step};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::metric::Reading;
use plumb_model::run::tick::{KindTick, Phase, Tick, WorkerTick};
use plumb_model::run::{EngineRecord, Event, Note, RUN_FORMAT, Run, RunHeader};
use plumb_model::target::Target;
use plumb_model::workload::{EngineChoice, Job, Workload};

/// splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0 to 1.
    pub fn next_share(&mut self) -> f64 {
        (self.next_number() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A step of one job.
pub fn step(name: &str, group: &str, swept: &[(&str, &str)], workload: Workload) -> Step {
    let target = Target::Path("/data".into());
    let engine = EngineChoice {
        engine: "io_uring".into(),
        ..EngineChoice::default()
    };
    Step {
        name: name.into(),
        group: group.into(),
        swept: swept
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect(),
        jobs: vec![Job {
            name: String::new(),
            target,
            engine,
            workload,
        }],
        origins: vec![BTreeMap::new()],
        ..Step::default()
    }
}

pub fn plan(steps: Vec<Step>) -> Plan {
    let (name, title) = (
        "synthetic".to_string(),
        "What would a run look like?".to_string(),
    );
    Plan {
        name,
        title,
        note: String::new(),
        experiment: None,
        rounds: 1,
        order: Order::Interleaved,
        seed: 1,
        steady: None,
        steps,
        left_out: 0,
    }
}

/// A depth ladder of 4 KiB random reads or writes.
pub fn ladder(kind: &str, depths: &[u32]) -> Vec<Step> {
    let group = format!("random-{kind}");
    let of = |depth: &u32| {
        let mix = kind.parse().expect("a mix");
        let workload = Workload {
            mix,
            depth: *depth,
            direct: plumb_model::workload::Direct::Yes,
            ..Workload::default()
        };
        step(
            &format!("{group} depth={depth}"),
            &group,
            &[("depth", &depth.to_string())],
            workload,
        )
    };
    depths.iter().map(of).collect()
}

/// What one interval of one job does.
#[derive(Clone)]
pub struct Interval {
    pub seconds: f64,
    pub iops: f64,
    /// Median latency; the tail is 1 % at ten times and 0.1 % at fifty times of it.
    pub latency_ns: f64,
    pub phase: Phase,
    pub errors: Vec<(&'static str, u64)>,
    /// Open loop: backlog at the end.
    pub backlog: Option<u64>,
    pub cpu_percent: f64,
    /// Share of the time in which each worker waited for a CPU; missing where the record does not say.
    pub waited_percent: Option<f64>,
}

impl Default for Interval {
    fn default() -> Self {
        Interval {
            seconds: 1.0,
            iops: 10_000.0,
            latency_ns: 100_000.0,
            phase: Phase::Measure,
            errors: Vec::new(),
            backlog: None,
            cpu_percent: 10.0,
            waited_percent: None,
        }
    }
}

/// Builds a run, execution by execution.
pub struct Builder {
    pub run: Run,
    pub now_ns: u64,
    executions: u32,
    random: Random,
}

impl Builder {
    pub fn new(steps: Vec<Step>) -> Builder {
        let header = RunHeader {
            format: RUN_FORMAT,
            id: "20261121-000000-synthetic".into(),
            plumb_version: "0.1.0".into(),
            started: "2026-11-21T00:00:00+00:00".into(),
            started_unix_ns: 1_795_219_200_000_000_000,
            command: vec!["plumb".into(), "run".into()],
            plan: plan(steps),
            environment: Environment::default(),
            findings: Vec::new(),
            tags: Vec::new(),
            side_of: None,
            imported: None,
            watch: None,
            ranks: None,
            rank_of: None,
        };
        let run = Run {
            header,
            ticks: Vec::new(),
            readings: Vec::new(),
            notes: Vec::new(),
            doubts: Vec::new(),
        };
        Builder {
            run,
            now_ns: 1_000_000,
            executions: 0,
            random: Random(42),
        }
    }

    pub fn fact(mut self, id: &str, fact: Fact) -> Builder {
        self.run.header.environment.set(id, fact);
        self
    }

    pub fn note(&mut self, event: Event) {
        self.run.notes.push(Note {
            time_ns: self.now_ns,
            event,
        });
    }

    /// One execution of a step: all its jobs do the same intervals. Returns its index.
    pub fn execute(&mut self, step: u32, round: u32, intervals: &[Interval]) -> u32 {
        let execution = self.executions;
        self.executions += 1;
        self.run.header.plan.rounds = self.run.header.plan.rounds.max(round + 1);
        self.note(Event::ExecutionStarted {
            execution,
            step,
            round,
        });
        let jobs = self.run.header.plan.steps[step as usize].jobs.clone();
        for (number, job) in jobs.iter().enumerate() {
            let engine = engine_record(job);
            self.note(Event::EngineOpened {
                execution,
                job: number as u32,
                engine,
            });
        }
        for interval in intervals {
            let start_ns = self.now_ns;
            self.now_ns += (interval.seconds * 1e9) as u64;
            for (number, job) in jobs.iter().enumerate() {
                let tick = self.tick(execution, number as u32, &job.workload, interval, start_ns);
                self.run.ticks.push(tick);
            }
        }
        self.note(Event::ExecutionEnded {
            execution,
            stopped_by: plumb_model::run::step_end::StopReason::Time,
        });
        self.now_ns += 1_000_000;
        execution
    }

    fn tick(
        &mut self,
        execution: u32,
        job: u32,
        workload: &Workload,
        interval: &Interval,
        start_ns: u64,
    ) -> Tick {
        let operations = interval.iops * interval.seconds;
        let weights: f64 = workload.mix.0.iter().map(|(_, weight)| weight).sum();
        let mut kinds = Vec::new();
        for (number, (kind, weight)) in workload.mix.0.iter().enumerate() {
            let count = (operations * weight / weights).round() as u64;
            let mut service = Histogram::default();
            let (slow, slowest) = (count / 100, count / 1000);
            service.record_n((interval.latency_ns * 50.0) as u64, slowest);
            service.record_n((interval.latency_ns * 10.0) as u64, slow - slowest);
            for twentieth in 0..20 {
                let rest = count - slow;
                let share = rest * (twentieth + 1) / 20 - rest * twentieth / 20;
                let jitter = 0.9 + 0.01 * twentieth as f64 + 0.001 * self.random.next_share();
                service.record_n((interval.latency_ns * jitter) as u64, share);
            }
            let errors = interval
                .errors
                .iter()
                .filter(|_| number == 0)
                .map(|(kind, count)| (kind.to_string(), *count))
                .collect();
            let bytes = if kind.moves_data() {
                count * workload.largest_block_bytes()
            } else {
                0
            };
            kinds.push(KindTick {
                kind: *kind,
                count,
                bytes,
                errors,
                response: workload.rate.map(|_| service.clone()),
                service,
                split: None,
                priorities: Vec::new(),
            });
        }
        let cpu_ns = (interval.seconds * 1e7 * interval.cpu_percent) as u64;
        let worker = |worker| WorkerTick {
            worker,
            operations: operations as u64 / u64::from(workload.workers),
            bytes: 0,
            cpu_user_ns: Some(cpu_ns / 4),
            cpu_system_ns: Some(cpu_ns - cpu_ns / 4),
            voluntary_switches: Some(operations as u64 / 8),
            involuntary_switches: Some(1),
            waited_for_cpu_ns: interval
                .waited_percent
                .map(|percent| (interval.seconds * 1e7 * percent) as u64),
        };
        Tick {
            execution,
            job,
            phase: interval.phase,
            start_ns,
            end_ns: self.now_ns,
            kinds,
            lateness: workload.rate.map(|_| Histogram::default()),
            backlog: interval.backlog,
            ranks: None,
            workers: (0..workload.workers).map(worker).collect(),
        }
    }

    pub fn reading(&mut self, metric: &'static str, instance: &str, value: Option<f64>) {
        self.run.readings.push(Reading {
            metric: metric.into(),
            instance: instance.into(),
            time_ns: self.now_ns,
            value,
        });
    }

    pub fn finish(mut self) -> Run {
        self.note(Event::Finished { interrupted: false });
        self.run
    }
}

fn engine_record(job: &Job) -> EngineRecord {
    EngineRecord {
        name: job.engine.engine.clone(),
        active: vec!["SINGLE_ISSUER".into()],
        refused: Vec::new(),
        stamping: "batch".into(),
        batch: 16,
        clock: "tsc".into(),
        target: job.target.to_string(),
        size_bytes: job.workload.size.map_or(1 << 30, |size| size.0),
        connection: Default::default(),
        direct: Some(job.workload.direct != plumb_model::workload::Direct::No),
    }
}
