//! How do several clients measure a layer at once? Each is a rank of a run whose steps are requested one by one, between those of the other layers.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use anyhow::{Context, anyhow};
use plumb_load::secret::Secret;
use plumb_model::run::SideOf;

use crate::Stop;
use crate::live_comparison::{LiveSide, Side};
use crate::measurement::{Measurement, Outlook, Request};
use crate::ranks::agenda::TurnQueue;
use crate::ranks::launch::{LaunchRequest, Way, launch, name_of_measurement};
use crate::ranks::{AsSide, OnLostRank};

/// The clients of a share, each with an agent that listens.
pub struct Clients {
    /// HOST or HOST:PORT of each.
    hosts: Vec<String>,
    token: Secret,
    /// The layers that they measure are of one measurement: their agents take ranks of no other meanwhile.
    measurement: String,
    tags: Vec<String>,
    stop: Stop,
}

impl Clients {
    pub fn new(hosts: &[String], token: Secret, tags: &[String], stop: &Stop) -> Clients {
        Clients {
            hosts: hosts.to_vec(),
            token,
            measurement: name_of_measurement(),
            tags: tags.to_vec(),
            stop: stop.clone(),
        }
    }

    /// Begins a side whose record goes to `folder`. Errors: a client cannot be reached, or cannot begin.
    pub fn begin(&self, side: &LiveSide, of: SideOf, folder: &Path) -> anyhow::Result<ClientsSide> {
        let (turns, sent) = channel();
        let (done, reports) = channel();
        let plan = side.plan.clone();
        let (folder, tags) = (folder.to_path_buf(), self.tags.clone());
        let (hosts, way) = (self.hosts.clone(), Way::Agents(self.token.clone()));
        let (measurement, stop) = (self.measurement.clone(), self.stop.clone());
        let carry_out = move || {
            let request = Request {
                output: Some(folder),
                tags,
                ..Request::quiet(plan)
            };
            let side = AsSide {
                of,
                agenda: TurnQueue { turns: sent, done },
            };
            let launched = LaunchRequest {
                request,
                hosts,
                way,
                program: String::new(),
                ranks_per_host: 1,
                overwrite: false,
                on_lost_rank: OnLostRank::Stop,
                measurement,
                side: Some(side),
            };
            launch(launched, &stop)
        };
        let thread = std::thread::Builder::new()
            .name("plumb-clients".into())
            .spawn(carry_out)
            .context("cannot start more threads")?;
        let mut begun = ClientsSide {
            turns,
            reports,
            thread: Some(thread),
            failures: Vec::new(),
        };
        match begun.reports.recv() {
            Ok(_) => Ok(begun),
            // It has ended before it began.
            Err(_) => {
                begun.joined()?;
                Err(anyhow!("the clients ended before they started"))
            }
        }
    }
}

/// A side that clients measure.
pub struct ClientsSide {
    turns: Sender<(usize, u32)>,
    /// What could not run so far: at the beginning, and after each turn.
    reports: Receiver<Vec<String>>,
    thread: Option<JoinHandle<anyhow::Result<Measurement>>>,
    failures: Vec<String>,
}

impl ClientsSide {
    /// Waits for the end. Errors: why it ended before its time, or that its record could not be written.
    fn joined(&mut self) -> anyhow::Result<()> {
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        let measured = thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        self.failures = measured.failures;
        Ok(())
    }
}

impl Side for ClientsSide {
    fn execute(&mut self, step: usize, round: u32, _: Outlook) {
        let sent = self.turns.send((step, round));
        match sent.ok().and_then(|()| self.reports.recv().ok()) {
            Some(failures) => self.failures = failures,
            // Ended by the user, or by itself, with the reason.
            None => {
                if let Err(error) = self.joined() {
                    self.failures.push(format!("{error:#}"));
                }
            }
        }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }

    fn end(mut self: Box<Self>) -> anyhow::Result<Vec<String>> {
        // No more requests: the ranks close their records.
        let (nobody, _) = channel();
        self.turns = nobody;
        self.joined()?;
        Ok(self.failures)
    }
}
