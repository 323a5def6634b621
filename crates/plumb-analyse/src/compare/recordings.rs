//! What of a recording of counters is compared? The requests of each disk and share, as the figures of a step in one round.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Step;
use plumb_model::results::watch::{WatchRow, WatchTable};
use plumb_model::run::imported::{Reported, ReportedLatency};
use plumb_model::run::step_end::StopReason;
use plumb_model::run::{Event, Note, Run};
use plumb_model::target::Target;
use plumb_model::workload::{EngineChoice, Job, OperationKind, Weighted, Workload};

use crate::figures::watch::{is_recording, summarise_recording};

/// Groups of counters that tell requests of a storage.
const STORAGE: [&str; 6] = [
    "disk",
    "nfs_mount",
    "smb_mount",
    "smb_client_share",
    "physical_disk",
    "logical_disk",
];
/// What the requests of a share stand for in published figures, reads and writes together.
const SHARE_REQUESTS: &str = "share data requests";

/// A recording of counters with one step for each disk and share that was active; any other run as it is.
pub fn with_steps(mut run: Run) -> Run {
    if !is_recording(&run) {
        return run;
    }
    let summary = summarise_recording(&run, "", drop);
    let mut names = BTreeSet::new();
    run.header.plan.steps.clear();
    run.notes
        .retain_mut(|note| note.event.execution_mut().is_none());
    for table in summary.tables {
        if !STORAGE.contains(&table.group) {
            continue;
        }
        for row in table.rows.iter().filter(|row| row.is_active) {
            let Some(reported) = reported(&table, row) else {
                continue;
            };
            let mut name = format!("{} {}", row.instance, row.kind).trim().to_string();
            if !names.insert(name.clone()) {
                name = format!("{} {name}", table.group);
            }
            add(&mut run, step(name, &table, row), summary.span_ns, reported);
        }
    }
    run
}

fn reported(table: &WatchTable, row: &WatchRow) -> Option<Reported> {
    let value = |id: &str| {
        let at = table.columns.iter().position(|column| column.id == id)?;
        row.values.get(at).copied().flatten()
    };
    Some(Reported {
        iops: Some(value("per_second")?),
        bandwidth_bytes_per_s: value("bytes_per_second"),
        service: value("time_ns").map(|mean| ReportedLatency {
            mean_ns: Some(mean),
            ..ReportedLatency::default()
        }),
        ..Reported::default()
    })
}

fn step(name: String, table: &WatchTable, row: &WatchRow) -> Step {
    let of_share = table.group != "disk" && !table.group.ends_with("_disk") && row.kind == "all";
    let mut workload = Workload::default();
    let kind = match row.kind {
        "read" => Some(OperationKind::Read),
        "write" => Some(OperationKind::Write),
        "discard" => Some(OperationKind::Trim),
        "flush" => Some(OperationKind::Flush),
        _ => None,
    };
    if let Some(kind) = kind {
        workload.mix = Weighted::only(kind);
    }
    Step {
        group: name.clone(),
        name,
        stands_for: of_share
            .then(|| SHARE_REQUESTS.to_string())
            .into_iter()
            .collect(),
        jobs: vec![Job {
            name: String::new(),
            target: Target::Path(row.instance.as_ref().into()),
            engine: EngineChoice::default(),
            workload,
        }],
        origins: vec![BTreeMap::new()],
        ..Step::default()
    }
}

/// Appends the step, and its one round.
fn add(run: &mut Run, step: Step, span_ns: u64, reported: Reported) {
    let execution = run.header.plan.steps.len() as u32;
    run.header.plan.steps.push(step);
    let events = [
        (
            0,
            Event::ExecutionStarted {
                execution,
                step: execution,
                round: 0,
            },
        ),
        (
            span_ns,
            Event::Reported {
                execution,
                job: 0,
                reported,
            },
        ),
        (
            span_ns,
            Event::ExecutionEnded {
                execution,
                stopped_by: StopReason::Program,
            },
        ),
    ];
    run.notes
        .extend(events.map(|(time_ns, event)| Note { time_ns, event }));
}

#[cfg(test)]
pub(crate) mod tests {
    use plumb_model::run::metric::Reading;

    use super::*;
    use crate::compare::{Entrant, Settings, compare};
    use crate::synthetic::{Builder, Interval, ladder};

    const SECOND: u64 = 1_000_000_000;

    /// A share over ten seconds: requests and bytes per second, and the seconds that one takes.
    pub(crate) fn share(requests: f64, bytes: f64, seconds: f64) -> Run {
        let mut run = Builder::new(Vec::new()).finish();
        let counters = [
            ("smb_client_share.data_requests_per_second", requests),
            ("smb_client_share.data_bytes_per_second", bytes),
            ("smb_client_share.data_request_seconds", seconds),
        ];
        run.readings = (0..=10u64)
            .flat_map(|second| {
                counters.map(|(metric, value)| Reading {
                    metric: metric.into(),
                    instance: "\\nas\\backup".into(),
                    time_ns: second * SECOND,
                    value: Some(value),
                })
            })
            .collect();
        run
    }

    #[test]
    fn counters_of_two_recordings_are_compared_without_a_verdict() {
        let (one, eight) = (
            with_steps(share(176.0, 18.2e6, 0.005_68)),
            with_steps(share(750.0, 133e6, 0.010_67)),
        );
        let entrant = |label: &str, run| Entrant::Run {
            label: label.into(),
            run,
        };
        let compared = compare(
            &[entrant("a", &one), entrant("b", &eight)],
            &Settings::default(),
        );
        let ratios: Vec<_> = compared
            .cells
            .iter()
            .map(|cell| {
                assert_eq!(cell.step, "\\nas\\backup all");
                // One recording is one round.
                assert_eq!(cell.effects[0].interval, None);
                let percent = cell.effects[0].ratio.map(|ratio| (ratio * 100.0).round());
                (cell.metric.as_str(), percent)
            })
            .collect();
        assert_eq!(
            ratios,
            [
                ("iops", Some(426.0)),
                ("bandwidth", Some(731.0)),
                ("mean", Some(188.0))
            ]
        );
        assert_eq!(compared.refused, []);
    }

    #[test]
    fn a_run_with_a_load_of_its_own_stays_as_it_is() {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        let mut run = builder.finish();
        run.readings = share(1.0, 1.0, 1.0).readings;
        let steps = run.header.plan.steps.clone();
        assert_eq!(with_steps(run).header.plan.steps, steps);
    }
}
