//! Where does an engine tell what happens to it while it works?

use std::time::Duration;

use crossbeam_channel::Sender;
use plumb_model::run::ConnectionState;

use crate::worker::Report;

/// Leads to the record, with the job and worker that speak. Telling never blocks.
#[derive(Clone)]
pub struct Journal {
    job: u32,
    worker: u32,
    reports: Sender<(u32, Report)>,
}

impl Journal {
    /// A journal of this worker of this job.
    pub fn new(job: u32, worker: u32, reports: Sender<(u32, Report)>) -> Journal {
        Journal {
            job,
            worker,
            reports,
        }
    }

    /// The connection was lost, or is there again; `text` says how, without the time.
    pub fn connection(&self, state: ConnectionState, text: String) {
        // The crew outlives its workers; a closed channel would mean that nobody wants the report.
        let _ = self.reports.send((
            self.job,
            Report::Connection {
                worker: self.worker,
                state,
                text,
                ago: Duration::ZERO,
            },
        ));
    }

    /// The connection is taken for lost now, and the last byte moved so long `ago`.
    pub fn lost(&self, text: String, ago: Duration) {
        let _ = self.reports.send((
            self.job,
            Report::Connection {
                worker: self.worker,
                state: ConnectionState::Lost,
                text,
                ago,
            },
        ));
    }

    /// Something that a reader of the figures should know.
    pub fn remark(&self, text: String) {
        let _ = self.reports.send((self.job, Report::Remark(text)));
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Journal({}.{})", self.job, self.worker)
    }
}
