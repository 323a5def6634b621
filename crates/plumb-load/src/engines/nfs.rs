//! How are operations carried out on an NFS export that is not mounted? By a client of our own (NFS 4.2, 4.1, 4.0 or 3), as many requests on one connection as the depth says.

mod follow;
mod open_export;
mod pipeline;
mod tasks;
mod version3;
mod version4;
mod version4_0;

use std::collections::BTreeMap;
use std::time::Duration;

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::run::{EngineAccount, active};
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::{OperationKind, Sync};

use crate::engine::connected::{Connected, Lost, Requests};
use crate::engine::failure::FailureKind;
use crate::engine::journal::Journal;
use crate::engine::lookout::Waiting;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::reconnect::Reconnect;
use crate::engine::traffic::Traffic;
use crate::engine::{Closing, EngineKind, Opened, RemoteSetup, Setup, Unavailable};
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::call::{Access, Stability};
use crate::shares::nfs::client::{Client, ConnectOptions, unique_name};
use crate::system::tcp_connections::connection_counters;
use open_export::{ExportSpec, OpenExport, again};
use pipeline::{Pipeline, why};
use tasks::Terms;

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "nfs",
        meaning: "reads, writes and commits blocks of a file on an NFS export (4.2, 4.1, 4.0 or 3), or creates, opens, reads, renames, lists and deletes small files, with plumb's built-in client",
        schemes: &[SchemeProperties {
            word: "nfs",
            meaning: "An NFS export.",
            default_port: 2049,
            while_lost: WhileLost::Wait,
            is_share: true,
            host_is_share: false,
            writes_entire_files: false,
            lends_memory: false,
            needs_password: false,
            untried: None,
            unreachable_remedy: "check the name, the port and the firewall, and whether the server is running",
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
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: true,
        own_options: &["nfs", "nfs-security", "mount-port"],
        fio: &["nfs"],
    },
    open,
};

struct Nfs<'a> {
    spec: ExportSpec,
    journal: Journal,
    pipeline: Pipeline<'a>,
    /// How long sockets were looked at before the worker slept or went on.
    socket_poll: Duration,
}

/// The client's message ends with what to do.
fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = setup.remote.clone() else {
        return Err(Unavailable(Statement::new("target-is-no-nfs-share")));
    };
    let mut spec = spec(&remote, &setup);
    let opened = spec.open(None).map_err(|error| Unavailable(error.why))?;
    // A server that is coming up again may not offer all its versions at once.
    spec.options = opened.client.agreed();
    let stability = match remote.workload.sync {
        Sync::None => Stability::Unstable,
        Sync::Dsync => Stability::DataSync,
        Sync::Sync => Stability::FileSync,
    };
    // SAFETY: the worker keeps the buffers until the engine is gone, and does not touch a slot while its operation is in flight.
    let blocks = unsafe { Blocks::of_worker(setup.buffers, setup.depth) };
    let (connection, active, refused) = described(&opened.client, &setup, spec.waiting, stability);
    let terms = terms(&opened, stability, setup.buffers.slot_bytes as u32);
    let requests = Nfs {
        spec,
        journal: remote.journal.clone(),
        pipeline: Pipeline::new(blocks, terms, setup.live_files, setup.depth),
        socket_poll: Duration::ZERO,
    };
    Ok(Opened {
        engine: Box::new(Connected::new(requests, opened, remote.journal.clone())),
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
        options: ConnectOptions::of(setup.choice, &remote.stop),
        name: unique_name(),
        file: remote
            .file
            .map(|file| (file.path.to_string_lossy().into_owned(), access)),
        folder,
        waiting: Waiting::of(setup.choice.busy_poll, remote.workers_on_host()),
        discards: setup.choice.skip_rx_copy,
    }
}

fn terms(opened: &OpenExport, stability: Stability, slot_bytes: u32) -> Terms {
    let limits = opened.client.limits();
    Terms {
        version: opened.client.version(),
        lists_plain: false,
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
    waiting: Waiting,
    stability: Stability,
) -> (BTreeMap<String, String>, Vec<String>, Vec<Statement>) {
    let limits = client.limits();
    let stability = match stability {
        Stability::Unstable => "unstable (durable after a flush)",
        Stability::DataSync => "data-sync (each write durable)",
        Stability::FileSync => "file-sync (each write durable, with its attributes)",
    };
    let has_session = client.version().has_sessions();
    let facts = [
        (
            "dialect",
            Some(format!("NFS {} over TCP", client.version())),
        ),
        ("server", client.server().map(str::to_string)),
        ("security", Some(client.identity())),
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
        (
            "session_slots",
            has_session.then(|| limits.slots.to_string()),
        ),
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
    let split = (parts > 1)
        .then(|| format!("blocks above {smallest} bytes split into requests, up to {parts}"));
    let waits = waiting.in_use(setup.depth).map(str::to_string);
    let discards = setup.choice.skip_rx_copy;
    let discards = discards.then(|| active::DISCARDS.to_string());
    let active = split.into_iter().chain(waits).chain(discards).collect();
    let short = setup.depth > limits.slots;
    let refused = short.then(|| {
        Statement::new("refused-depth-by-server")
            .count("depth", u64::from(setup.depth))
            .count("slots", u64::from(limits.slots))
    });
    (facts, active, refused.into_iter().collect())
}

impl Requests for Nfs<'_> {
    type Connection = OpenExport;
    /// As a hard mount, the default of nfs(5): a server that was started again may keep its clients waiting for a grace period of minutes.
    const WAIT_MAX: Duration = Duration::MAX;

    fn begin(&mut self, op: Op, done: &mut Vec<Done>) {
        self.pipeline.begin(op, done);
    }

    fn send(&mut self, export: &mut OpenExport, _: &mut Vec<Done>) -> Lost {
        if let Err(failure) = self.pipeline.send(export.client.connection()) {
            // Told by the next turn, with what came in before the end.
            self.pipeline.note_failure(failure);
        }
        Ok(())
    }

    fn turn(&mut self, export: &mut OpenExport, done: &mut Vec<Done>) -> Lost {
        let result = self.pipeline.turn(export.client.connection(), done);
        for remark in self.pipeline.remarks.drain(..) {
            self.journal.remark(remark);
        }
        result.map(|_| ())
    }

    fn wait(&mut self, export: &mut OpenExport, at_most: Duration) -> Lost {
        let at_most = self.pipeline.until_due(at_most);
        export.client.connection().wait(at_most).map_err(why)
    }

    fn abandon(&mut self, outcome: Outcome, unasked: &mut Vec<Op>, done: &mut Vec<Done>) {
        self.pipeline.abandon(outcome, unasked, done);
    }

    fn retire(&mut self, export: &mut OpenExport) {
        self.socket_poll += export.client.connection().lookout.looked();
    }

    fn traffic(export: &mut OpenExport) -> Option<Traffic<'_>> {
        let connection = export.client.connection();
        let (sent_bytes, received_bytes) = connection.moved_bytes();
        Some(Traffic {
            stream: connection.stream(),
            sent_bytes,
            received_bytes,
        })
    }

    fn renew(&mut self, export: &OpenExport) {
        let terms = &self.pipeline.terms;
        let terms = self::terms(export, terms.stability, terms.slot_bytes);
        self.pipeline.renew(terms);
    }

    fn again(&self) -> Reconnect<OpenExport> {
        let known = self.pipeline.terms.file.map(|(handle, _)| handle);
        again(&self.spec, known)
    }

    fn finish(&mut self, done: &mut Vec<Done>) {
        let outcome = Outcome::failed(FailureKind::TryAgain);
        self.pipeline.give_up_waiting(outcome, done);
    }

    fn close(&mut self, export: Option<OpenExport>) -> Closing {
        let counts = &self.pipeline.counts;
        let counted = [
            ("requests", counts.requests),
            ("slot_waits", counts.slot_waits),
            ("delayed_by_server", counts.delayed),
            ("unstable_writes", counts.unstable_writes),
            ("stable_writes", counts.stable_writes),
        ];
        let mut numbers: BTreeMap<String, f64> = counted
            .map(|(name, count)| (name.to_string(), count as f64))
            .into();
        let looked = self.socket_poll.as_secs_f64();
        numbers.insert("socket_poll_s".to_string(), looked);
        if let Some(OpenExport { mut client, .. }) = export {
            let counters = connection_counters(client.connection().stream());
            let counted = [
                (
                    "retransmits",
                    counters.retransmits.map(|count| count as f64),
                ),
                ("round_trip_us", counters.round_trip_us),
            ];
            let counted = counted
                .into_iter()
                .filter_map(|(name, count)| Some((name.to_string(), count?)));
            numbers.extend(counted);
            client.connection().lookout.set(Waiting::default());
            if let Some((file, state)) = self.pipeline.terms.file {
                // The server closes it with the session at the latest.
                let _ = client.close(file, state);
            }
            client.leave();
        }
        let mut account = EngineAccount {
            numbers,
            ..EngineAccount::default()
        };
        for (command, times) in std::mem::take(&mut self.pipeline.commands) {
            times.report(command, &mut account);
        }
        Closing {
            remarks: std::mem::take(&mut self.pipeline.remarks),
            account,
            ..Closing::default()
        }
    }
}
