//! How do programs that read fio logs read a run over time? One file per step and figure: milliseconds, value, direction, block size, offset.

use crate::exporter::fio::{block_bytes, distinct, executions, is_known, rw, steps};
use crate::exporter::fio_report::{Form, Log};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "fio-logs",
    meaning: "fio logs of IOPS, bandwidth and latency over time (log_avg_msec), with the file names that fio-plot -g and bench-fio expect",
    is_text: true,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let mut names = Vec::new();
    let mut files = Vec::new();
    for at in steps(subject)? {
        let step = &subject.summary.steps[at];
        let Some(of) = subject.run.header.plan.steps.get(step.step as usize) else {
            continue;
        };
        let executions = executions(subject, step.step);
        for (number, job) in of.jobs.iter().enumerate().filter(|(_, job)| is_known(job)) {
            let workload = &job.workload;
            let word = rw(workload).replace(':', "-");
            let stem = distinct(
                &mut names,
                &format!(
                    "{word}-iodepth-{}-numjobs-{}",
                    workload.depth, workload.workers
                ),
            );
            let ticks = || {
                subject.run.ticks.iter().filter(|tick| {
                    tick.job == number as u32 && executions.contains(&tick.execution)
                })
            };
            let form = Form {
                block: block_bytes(workload),
                ..Form::default()
            };
            for log in Log::ALL {
                let text = log.text(ticks(), &form);
                if text.is_empty() {
                    continue;
                }
                files.push(ExportedFile::from_bytes(
                    format!("{stem}_{}.1.log", log.word()),
                    text.into_bytes(),
                ));
            }
        }
    }
    if files.is_empty() {
        return Err(ExportError(
            "the run has no intervals, so there is nothing over time; use csv or xlsx, which accept any run".into(),
        ));
    }
    Ok(files)
}
