//! How are operations carried out on objects of an S3 bucket? One connection for each operation in flight, one request on it at a time.

mod lane;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::run::{EngineAccount, PathAccount};
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::OperationKind;
use rustix::event::{PollFd, Timespec, poll};

use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::stages::{CommandTimes, RequestTimes};
use crate::engine::stop_request::StopRequest;
use crate::engine::{Closing, Engine, EngineKind, Opened, RemoteSetup, Setup, Unavailable};
use crate::feed::live_files::LiveFiles;
use crate::shares::nfs::buffers::{Blocks, Part};
use crate::shares::s3::client::Client;
use crate::shares::s3::fault::Fault;
use crate::shares::s3::service::Service;
use lane::{Lane, Terms};

/// `reap` returns after this time at the latest, so that the intervals of the record continue.
const TURN: Duration = Duration::from_millis(100);
/// Most codes of S3 that are counted by name; a server may invent any number of them.
const CODES_MAX: usize = 32;

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "s3",
        meaning: "reads ranges of an object in an S3 bucket and writes complete objects, or creates, reads, lists, renames (COPY and DELETE) and deletes many objects, with plumb's built-in client and one connection per operation in flight",
        schemes: &[SchemeProperties {
            word: "s3",
            meaning: "A bucket of an S3 object store.",
            default_port: 443,
            while_lost: WhileLost::Fail,
            is_share: true,
            host_is_share: true,
            writes_entire_files: true,
            lends_memory: false,
            needs_password: false,
            untried: Some(
                "the server of a bucket is known by its endpoint, not by the address of the target",
            ),
            unreachable_remedy: "check the endpoint (--set endpoint-url=URL), the port and the firewall, and whether the server is running",
        }],
        asynchronous: true,
        batch: 16,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Create,
            OperationKind::Stat,
            OperationKind::ReadFile,
            OperationKind::Rename,
            OperationKind::Delete,
            OperationKind::List,
        ],
        by_auto: true,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &[
            "endpoint-url",
            "region",
            "addressing-style",
            "aws-profile",
            "keep-alive",
            "object-checksum",
        ],
        fio: &[],
    },
    open,
};

struct S3<'a> {
    service: Service,
    blocks: Blocks,
    /// By slot of the worker.
    lanes: Vec<Lane>,
    /// Operations on an object that another operation works on.
    blocked: VecDeque<Op>,
    terms: Terms<'a>,
    counts: Counts,
    stop: StopRequest,
    /// Since when a stop is requested.
    stopped_at: Option<Instant>,
}

/// What was counted.
#[derive(Default)]
struct Counts {
    requests: u64,
    slow_downs: u64,
    connections: u64,
    /// Connections that the server closed after a reply, or that failed.
    closed: u64,
    by_code: BTreeMap<String, u64>,
    commands: BTreeMap<&'static str, CommandTimes>,
    first_bytes: BTreeMap<&'static str, CommandTimes>,
    /// Connect and TLS handshake of each connection, which the time of its first request includes.
    set_ups: BTreeMap<&'static str, CommandTimes>,
    paths: Vec<PathAccount>,
    /// Why the first request failed, for the reader of the figures.
    first: Option<Statement>,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = setup.remote.clone() else {
        return Err(Unavailable(Statement::new("target-is-no-bucket")));
    };
    let service = Service::of(remote.remote, setup.choice, remote.worker, &remote.stop)
        .map_err(|error| Unavailable(error.why))?;
    let mut client = Client::new(service, &remote.stop);
    let key = remote
        .file
        .map(|file| file.path.to_string_lossy().into_owned());
    let object_bytes = match &key {
        Some(key) => object_bytes(&mut client, key)?,
        None => 0,
    };
    refuse_parts(&setup, &remote, object_bytes)?;
    let mut service = client.service;
    service.begin_with(remote.worker);
    // SAFETY: the worker keeps the buffers until the engine is gone, and does not touch a slot while its operation is in flight.
    let blocks = unsafe { Blocks::of_worker(setup.buffers, setup.depth) };
    let connection = described(&service);
    let terms = Terms {
        key,
        object_bytes,
        folder: setup.live_files.and_then(folder_of),
        live_files: setup.live_files,
        dials_each: !setup.choice.keep_alive,
        checksum: setup.choice.object_checksum,
    };
    let engine = S3 {
        service,
        blocks,
        lanes: (0..setup.depth).map(|_| Lane::default()).collect(),
        blocked: VecDeque::new(),
        terms,
        counts: Counts::default(),
        stop: remote.stop.clone(),
        stopped_at: None,
    };
    Ok(Opened {
        engine: Box::new(engine),
        connection,
        active: Vec::new(),
        refused: Vec::new(),
    })
}

/// The length of the object that holds the blocks.
fn object_bytes(client: &mut Client, key: &str) -> Result<u64, Unavailable> {
    let found = client.length(key);
    let tried = Statement::new("s3-tried-look-up").name("path", key);
    match found {
        Ok(Some(bytes)) => Ok(bytes),
        // A step that writes it makes it.
        Ok(None) => Ok(0),
        Err(fault) => Err(Unavailable(client.error(&fault, tried).why)),
    }
}

/// An object is written entirely or not at all.
fn refuse_parts(
    setup: &Setup<'_>,
    remote: &RemoteSetup<'_>,
    object_bytes: u64,
) -> Result<(), Unavailable> {
    let mix = &remote.workload.mix.0;
    let writes = mix.iter().any(|(kind, _)| *kind == OperationKind::Write);
    let Some(file) = remote.file.filter(|_| writes) else {
        return Ok(());
    };
    let block = setup.buffers.slot_bytes as u64;
    let smallest = remote.workload.smallest_block_bytes();
    if file.start == 0 && file.len == block && smallest == block && object_bytes <= block {
        return Ok(());
    }
    Err(Unavailable(
        Statement::new("s3-engine-writes-entire-objects")
            .bytes("block", smallest as f64)
            .bytes("size", file.len.max(object_bytes) as f64),
    ))
}

/// Folders of small files lie in one folder.
fn folder_of(files: &LiveFiles) -> Option<String> {
    let path = files.path(0);
    let folder = path.parent()?.parent()?;
    Some(folder.to_string_lossy().into_owned())
}

/// What the requests go by, for the record.
fn described(service: &Service) -> BTreeMap<String, String> {
    let settings = &service.settings;
    let is_https = settings.endpoint.is_https;
    let addressing = if settings.path_style {
        "path"
    } else {
        "virtual"
    };
    let bodies = match is_https {
        true => "unsigned (protected by TLS)",
        false => "signed (SHA-256)",
    };
    let facts = [
        ("dialect", "S3 over HTTP/1.1".to_string()),
        ("server", settings.server()),
        ("region", settings.region.clone()),
        ("addressing", addressing.to_string()),
        ("tls", if is_https { "yes" } else { "no" }.to_string()),
        ("bodies", bodies.to_string()),
        ("addresses", service.addresses().len().to_string()),
    ];
    facts
        .into_iter()
        .map(|(name, fact)| (name.to_string(), fact))
        .collect()
}

impl S3<'_> {
    /// Sends and receives for one operation; appends it when it is done.
    fn advance(&mut self, slot: u32, done: &mut Vec<Done>) {
        let lane = &mut self.lanes[slot as usize];
        let part = Part {
            block: slot,
            at: 0,
            len: self.blocks.bytes_each() as u32,
        };
        let block = self.blocks.get_mut(part);
        if let Some(result) = lane.advance(&mut self.service, &self.terms, block) {
            self.end(slot, result, done);
        }
    }

    fn end(&mut self, slot: u32, result: Result<u32, Fault>, done: &mut Vec<Done>) {
        let lane = &mut self.lanes[slot as usize];
        self.counts.requests += u64::from(std::mem::take(&mut lane.requests));
        let times = |response| RequestTimes {
            response,
            send_queue: None,
            wake_up: None,
        };
        if let Some(set_up) = lane.set_up.take() {
            let parts = [("connect", set_up.connect), ("TLS handshake", set_up.tls)];
            for (part, time) in parts {
                if let Some(time) = time {
                    self.counts
                        .set_ups
                        .entry(part)
                        .or_default()
                        .record(&times(time));
                }
            }
        }
        for (command, response, first_byte) in lane.times.drain(..) {
            let of_command = self.counts.commands.entry(command).or_default();
            of_command.record(&times(response));
            if let Some(first_byte) = first_byte {
                let of_command = self.counts.first_bytes.entry(command).or_default();
                of_command.record(&times(first_byte));
            }
        }
        let outcome = match &result {
            Ok(bytes) => Outcome::moved(*bytes),
            Err(fault) => {
                self.counts.note(fault);
                fault.outcome()
            }
        };
        done.push(Done { slot, outcome });
    }

    /// True when the operation must wait for another one on the same small object: it is in flight, or was blocked before.
    fn conflicts(&self, op: &Op) -> bool {
        let running = self.lanes.iter().filter_map(Lane::op);
        running.chain(&self.blocked).any(|other| op.clashes(other))
    }

    fn begin(&mut self, op: Op, done: &mut Vec<Done>) {
        let part = Part {
            block: op.slot,
            at: 0,
            len: self.blocks.bytes_each() as u32,
        };
        let block = self.blocks.get_mut(part);
        if self.lanes[op.slot as usize].begin(op, &self.terms, block) {
            return self.advance(op.slot, done);
        }
        done.push(Done {
            slot: op.slot,
            outcome: Outcome::failed(FailureKind::Invalid),
        });
    }

    /// Begins operations that waited for another one to end, in order: each waits for those before it alone.
    fn unblock(&mut self, done: &mut Vec<Done>) {
        for op in std::mem::take(&mut self.blocked) {
            match self.conflicts(&op) {
                true => self.blocked.push_back(op),
                false => self.begin(op, done),
            }
        }
    }

    /// Takes operations that wait for a server for too long, or after a stop, for failed.
    fn give_up_overdue(&mut self, done: &mut Vec<Done>) {
        let now = Instant::now();
        let waited = match self.stop.is_made() {
            true => self.stop.is_enough(*self.stopped_at.get_or_insert(now)),
            false => None,
        };
        for slot in 0..self.lanes.len() as u32 {
            let lane = &mut self.lanes[slot as usize];
            if let Some(fault) = lane.give_up(now, waited) {
                self.end(slot, Err(fault), done);
            }
        }
        self.unblock(done);
    }

    /// Waits until a connection is ready, and advances those that are.
    fn wait(&mut self, at_most: Duration, done: &mut Vec<Done>) {
        let time = Timespec {
            tv_sec: at_most.as_secs() as _,
            tv_nsec: at_most.subsec_nanos() as _,
        };
        let (mut slots, mut sockets) = (Vec::new(), Vec::new());
        for (slot, lane) in (0..).zip(&self.lanes) {
            if let Some(connection) = lane.waits_for() {
                slots.push(slot);
                let stream = connection.wire().stream();
                sockets.push(PollFd::new(stream, connection.interest()));
            }
        }
        // A signal ends the wait, and an error is found by the connection that has it.
        let count = poll(&mut sockets, Some(&time)).unwrap_or(0);
        if count == 0 {
            return;
        }
        let ready = sockets.iter().map(|socket| !socket.revents().is_empty());
        let ready = slots
            .into_iter()
            .zip(ready)
            .filter(|(_, is_ready)| *is_ready);
        let ready: Vec<u32> = ready.map(|(slot, _)| slot).collect();
        let before = done.len();
        for slot in ready {
            self.advance(slot, done);
        }
        if done.len() > before && !self.blocked.is_empty() {
            self.unblock(done);
        }
    }
}

impl Counts {
    fn note(&mut self, fault: &Fault) {
        if !matches!(fault, Fault::Stopped(_)) {
            self.first.get_or_insert_with(|| fault.reason());
        }
        let Fault::Refused(refused) = fault else {
            return;
        };
        self.slow_downs += u64::from(refused.is_slow_down());
        let code = refused.code.clone();
        if self.by_code.contains_key(&code) || self.by_code.len() < CODES_MAX {
            *self.by_code.entry(code).or_default() += 1;
        }
    }
}

impl Engine for S3<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            match self.conflicts(op) {
                true => self.blocked.push_back(*op),
                false => self.begin(*op, done),
            }
        }
        Ok(())
    }

    fn reap(&mut self, wait: crate::engine::Wait, done: &mut Vec<Done>) -> io::Result<()> {
        use crate::engine::Wait;
        let limit = match wait {
            Wait::No => Duration::ZERO,
            Wait::One => TURN,
            Wait::AtMost(ns) => Duration::from_nanos(ns).min(TURN),
        };
        let before = done.len();
        self.wait(Duration::ZERO, done);
        if done.len() > before || limit.is_zero() {
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            self.wait(left, done);
            if done.len() > before {
                return Ok(());
            }
            if left.is_zero() || begun.elapsed() >= limit {
                break;
            }
        }
        self.give_up_overdue(done);
        Ok(())
    }

    fn close(&mut self) -> Closing {
        for lane in &mut self.lanes {
            self.counts.connections += lane.connections;
            self.counts.closed += lane.closed;
            lane.retire();
            for path in lane.paths.drain(..) {
                path.add_to(&mut self.counts.paths);
            }
        }
        let counts = std::mem::take(&mut self.counts);
        let numbers = [
            ("requests", counts.requests),
            ("slow_downs", counts.slow_downs),
            ("connections", counts.connections),
            ("connections_closed", counts.closed),
        ];
        let mut numbers: BTreeMap<String, f64> = numbers
            .map(|(name, count)| (name.to_string(), count as f64))
            .into();
        for (code, count) in counts.by_code {
            numbers.insert(format!("refused_{code}"), count as f64);
        }
        let mut account = EngineAccount {
            numbers,
            paths: counts.paths,
            ..EngineAccount::default()
        };
        for (command, times) in counts.commands {
            times.report(command, &mut account);
        }
        for (command, times) in counts.first_bytes {
            times.report(&format!("{command} to the first byte"), &mut account);
        }
        for (part, times) in counts.set_ups {
            times.report(part, &mut account);
        }
        let remarks = counts
            .first
            .map(|first| Statement::new("s3-first-refusal").part("reason", first));
        Closing {
            remarks: remarks.into_iter().collect(),
            account,
            ..Closing::default()
        }
    }
}
