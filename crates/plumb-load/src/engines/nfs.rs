//! How are operations carried out on an NFS export that is not mounted? By a client of our own (NFS 4.1), as many requests on one connection as the depth says.

mod follow;
mod open_export;
mod pipeline;
mod tasks;

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::run::{ConnectionState, EngineAccount};
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::{OperationKind, Sync};

use crate::engine::failure::FailureKind;
use crate::engine::journal::Journal;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::reconnect::Reconnect;
use crate::engine::{Closing, Engine, EngineKind, Opened, RemoteSetup, Setup, Unavailable, Wait};
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::call::{Access, Stability};
use crate::shares::nfs::client::{Client, unique_name};
use crate::system::tcp_connections::connection_counters;
use open_export::{ExportSpec, OpenExport, again};
use pipeline::Pipeline;
use tasks::Terms;

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "nfs",
        meaning: "reads, writes and commits blocks of a file on an NFS 4.1 export, or creates, opens, reads, renames, lists and deletes small files, by a client of plumb's own",
        schemes: &[SchemeProperties {
            word: "nfs",
            meaning: "An export by NFS.",
            default_port: 2049,
            while_lost: WhileLost::Wait,
            is_share: true,
            lends_memory: false,
            asks_password: false,
            untried: None,
            unreachable_remedy: "check the name, the port and the firewall, and that the server runs",
        }],
        asynchronous: true,
        batch: 16,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Flush,
            OperationKind::Create,
            OperationKind::Open,
            OperationKind::Stat,
            OperationKind::ReadFile,
            OperationKind::Rename,
            OperationKind::Delete,
            OperationKind::Fsync,
            OperationKind::List,
        ],
        by_auto: true,
        does_work: true,
        maps_files: false,
        never_direct: None,
        shares_connection: true,
        own_options: &[],
        fio: &[],
    },
    open,
};

/// Longest wait for a connection or an answer before the loop looks at its intervals again.
const LOOK: Duration = Duration::from_millis(100);
/// After the end of a step, a server that brings no operation to its end for so long is not waited for any more.
const LAST_ANSWERS: Duration = Duration::from_secs(30);

struct Nfs<'a> {
    spec: ExportSpec,
    journal: Journal,
    /// Missing while the connection is lost.
    client: Option<Client>,
    reconnect: Option<Reconnect<OpenExport>>,
    pipeline: Pipeline<'a>,
    /// Operations that wait for the connection.
    waiting: Vec<Op>,
    /// Operations that are done and were not told yet.
    finished: Vec<Done>,
    /// Since when nothing new comes, and the last time an operation ended after that.
    ending: Option<Instant>,
    reconnects: u32,
}

/// What the client says ends with what to do.
fn unavailable(text: &str) -> Unavailable {
    let (reason, remedy) = text
        .rsplit_once(": ")
        .unwrap_or((text, "see the server's log"));
    Unavailable {
        reason: reason.into(),
        remedy: remedy.into(),
    }
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = setup.remote.clone() else {
        return Err(unavailable(
            "it works on shares only: name a target nfs://server/export",
        ));
    };
    let spec = spec(&remote, &setup);
    let opened = spec.open(None).map_err(|error| unavailable(&error.text))?;
    let stability = match remote.workload.sync {
        Sync::None => Stability::Unstable,
        Sync::Dsync => Stability::DataSync,
        Sync::Sync => Stability::FileSync,
    };
    // SAFETY: the worker keeps the buffers until the engine is gone, and does not touch a slot while its operation is in flight.
    let blocks = unsafe { Blocks::of_worker(setup.buffers, setup.depth) };
    let (connection, active, refused) = described(&opened.client, &setup, stability);
    let terms = terms(&opened, stability, setup.buffers.slot_bytes as u32);
    let engine = Nfs {
        spec,
        journal: remote.journal.clone(),
        client: Some(opened.client),
        reconnect: None,
        pipeline: Pipeline::new(blocks, terms, setup.live_files, setup.depth),
        waiting: Vec::with_capacity(setup.depth as usize),
        finished: Vec::with_capacity(setup.depth as usize),
        ending: None,
        reconnects: 0,
    };
    Ok(Opened {
        engine: Box::new(engine),
        connection,
        active,
        refused,
    })
}

/// What this worker wants of the server.
fn spec(remote: &RemoteSetup<'_>, setup: &Setup<'_>) -> ExportSpec {
    let mix = &remote.workload.mix.0;
    let reads = mix.iter().any(|(kind, _)| *kind == OperationKind::Read);
    let writes = mix.iter().any(|(kind, _)| *kind == OperationKind::Write);
    let access = match (reads, writes) {
        (_, false) => Access::Read,
        (false, true) => Access::Write,
        (true, true) => Access::Both,
    };
    let folder = setup.live_files.and_then(|files| {
        // Files lie in numbered folders of one folder.
        Some(
            files
                .path(0)
                .parent()?
                .parent()?
                .to_string_lossy()
                .into_owned(),
        )
    });
    ExportSpec {
        remote: remote.remote.clone(),
        name: unique_name(),
        file: remote
            .file
            .map(|file| (file.path.to_string_lossy().into_owned(), access)),
        folder,
    }
}

fn terms(opened: &OpenExport, stability: Stability, slot_bytes: u32) -> Terms {
    let limits = opened.client.limits();
    Terms {
        client: opened.client.number(),
        read_max_bytes: limits.read_max_bytes,
        write_max_bytes: limits.write_max_bytes,
        stability,
        slot_bytes,
        file: opened.file,
        folder: opened.folder,
    }
}

/// What was agreed, for the record: facts, features in use, and what could not be had.
fn described(
    client: &Client,
    setup: &Setup<'_>,
    stability: Stability,
) -> (BTreeMap<String, String>, Vec<String>, Vec<Statement>) {
    let limits = client.limits();
    let stability = match stability {
        Stability::Unstable => "unstable (durable after a flush)",
        Stability::DataSync => "data-sync (each write durable)",
        Stability::FileSync => "file-sync (each write durable, with its attributes)",
    };
    let facts = [
        ("dialect", Some("NFS 4.1 over TCP".to_string())),
        ("server", client.server().map(str::to_string)),
        ("security", Some(format!("sys, user {}", client.user()))),
        (
            "source_port",
            Some(
                if client.has_privileged_port() {
                    "privileged"
                } else {
                    "unprivileged"
                }
                .to_string(),
            ),
        ),
        ("read_max_bytes", Some(limits.read_max_bytes.to_string())),
        ("write_max_bytes", Some(limits.write_max_bytes.to_string())),
        ("session_slots", Some(limits.slots.to_string())),
        ("lease_s", limits.lease_s.map(|seconds| seconds.to_string())),
        ("stability", Some(stability.to_string())),
    ];
    let facts = facts
        .into_iter()
        .filter_map(|(name, fact)| Some((name.to_string(), fact?)))
        .collect();
    let largest = setup.buffers.slot_bytes as u32;
    let smallest = limits.read_max_bytes.min(limits.write_max_bytes);
    let parts = largest.div_ceil(smallest);
    let active = (parts > 1)
        .then(|| format!("blocks above {smallest} bytes split into requests, up to {parts}"))
        .into_iter()
        .collect();
    let short = setup.depth > limits.slots;
    let refused = short.then(|| {
        Statement::new("refused-depth-by-server")
            .count("depth", u64::from(setup.depth))
            .count("slots", u64::from(limits.slots))
    });
    (facts, active, refused.into_iter().collect())
}

impl Nfs<'_> {
    /// Sends what is to be sent, takes what is there.
    fn turn(&mut self, done: &mut Vec<Done>) {
        let Some(client) = &mut self.client else {
            return;
        };
        let before = done.len();
        if let Err(text) = self.pipeline.turn(client.connection(), done) {
            self.lose(&text, done);
        }
        if done.len() > before {
            // Answers alone are no end: a server could go on with a listing for ever.
            self.ending = self.ending.map(|_| Instant::now());
        }
        for text in self.pipeline.remarks.drain(..) {
            self.journal.remark(text);
        }
    }

    /// The connection is of no use any more: what is in flight fails, and what comes waits for the next one.
    fn lose(&mut self, text: &str, done: &mut Vec<Done>) {
        self.client = None;
        self.pipeline
            .fail_all(Outcome::failed(FailureKind::ConnectionReset), done);
        if self.ending.is_some() {
            return;
        }
        self.journal
            .connection(ConnectionState::Lost, Statement::verbatim(text));
        let known = self.pipeline.terms.file.map(|(handle, _)| handle);
        let reconnect = self.reconnect.insert(again(&self.spec, known));
        // When there is no thread to spare, there may be one later.
        let _ = reconnect.begin();
    }

    /// Waits for the connection to come back, at most `timeout`.
    fn await_connection(&mut self, timeout: Duration, done: &mut Vec<Done>) {
        let Some(reconnect) = &mut self.reconnect else {
            return;
        };
        let opened = match reconnect.poll(timeout) {
            Ok(Some(opened)) => opened,
            Ok(None) => return,
            // There was no thread to spare; there may be one later.
            Err(_) => return std::thread::sleep(timeout),
        };
        self.reconnect = None;
        self.reconnects += 1;
        self.pipeline.renew(terms(
            &opened,
            self.pipeline.terms.stability,
            self.pipeline.terms.slot_bytes,
        ));
        self.client = Some(opened.client);
        self.journal.connection(
            ConnectionState::Restored,
            Statement::new("connection-restored-session"),
        );
        for op in std::mem::take(&mut self.waiting) {
            self.pipeline.begin(op, done);
        }
    }
}

impl Engine for Nfs<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        if self.client.is_none() {
            self.waiting.extend_from_slice(ops);
            return Ok(());
        }
        for op in ops {
            self.pipeline.begin(*op, done);
        }
        let Some(client) = &mut self.client else {
            return Ok(());
        };
        if let Err(failure) = self.pipeline.send(client.connection()) {
            // Told by the next `reap`, with what came in before the end.
            self.pipeline.note_failure(failure);
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let limit = match wait {
            Wait::No => Duration::ZERO,
            Wait::One => LOOK,
            Wait::AtMost(ns) => Duration::from_nanos(ns).min(LOOK),
        };
        done.append(&mut self.finished);
        let begun = Instant::now();
        loop {
            self.turn(done);
            let left = limit.saturating_sub(begun.elapsed());
            if !done.is_empty() {
                return Ok(());
            }
            match &self.client {
                _ if left.is_zero() && self.client.is_some() => break,
                Some(_) => {}
                None if self.ending.is_some() => return Ok(()),
                None => {
                    self.await_connection(left, done);
                    if self.client.is_none() {
                        return Ok(());
                    }
                    continue;
                }
            }
            if let Some(client) = &mut self.client {
                client.connection().wait(self.pipeline.until_due(left));
            }
        }
        if self
            .ending
            .is_some_and(|since| since.elapsed() > LAST_ANSWERS)
        {
            self.lose("the server does not answer", done);
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.ending = Some(Instant::now());
        self.reconnect = None;
        self.finished.extend(self.waiting.drain(..).map(|op| Done {
            slot: op.slot,
            outcome: Outcome::failed(FailureKind::ConnectionReset),
        }));
        let mut failed = Vec::new();
        self.pipeline
            .give_up_waiting(Outcome::failed(FailureKind::TryAgain), &mut failed);
        self.finished.append(&mut failed);
    }

    fn close(&mut self) -> Closing {
        let mut numbers: BTreeMap<String, f64> = BTreeMap::new();
        let counts = &self.pipeline.counts;
        let counted = [
            ("requests", counts.requests),
            ("slot_waits", counts.slot_waits),
            ("delayed_by_server", counts.delayed),
            ("reconnects", u64::from(self.reconnects)),
        ];
        numbers.extend(counted.map(|(name, count)| (name.to_string(), count as f64)));
        if let Some(client) = &mut self.client {
            let counters = connection_counters(client.connection().stream());
            numbers.extend(
                counters
                    .retransmits
                    .map(|retransmits| ("retransmits".to_string(), retransmits as f64)),
            );
            numbers.extend(
                counters
                    .round_trip_us
                    .map(|us| ("round_trip_us".to_string(), us)),
            );
            if let Some((file, state)) = self.pipeline.terms.file {
                // The server closes it with the session at the latest.
                let _ = client.close(file, state);
            }
            client.leave();
        }
        let commands = std::mem::take(&mut self.pipeline.commands)
            .into_iter()
            .map(|(name, times)| (name.to_string(), times))
            .collect();
        Closing {
            remarks: std::mem::take(&mut self.pipeline.remarks),
            account: EngineAccount { numbers, commands },
            ..Closing::default()
        }
    }
}
