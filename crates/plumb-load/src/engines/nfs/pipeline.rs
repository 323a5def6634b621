//! How do operations become requests, and answers completions? A queue before the session's slots, and a list of what is on its way.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::tasks::{Path, RequestResult, Step, Task, Terms, Which};
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::stages::CommandTimes;
use crate::feed::live_files::LiveFiles;
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::call::FileHandle;
use crate::shares::nfs::connection::{Answer, Connection};
use crate::shares::nfs::open_owner::OpenOwner;
use crate::shares::nfs::results::Failure;
use crate::shares::nfs::status::Status;

/// Answers after which the worker gets its turn.
const ANSWERS_AT_ONCE: u32 = 1024;
/// Parts of a block are multiples of this.
const PART_BYTES: u32 = 4096;

/// What was counted.
#[derive(Debug, Default)]
pub struct Counts {
    pub requests: u64,
    /// Requests that waited for a slot of the session.
    pub slot_waits: u64,
    /// Replies that asked for a retry later.
    pub delayed: u64,
    /// WRITEs that the server has in memory until a COMMIT, and those that it has on stable storage.
    pub unstable_writes: u64,
    pub stable_writes: u64,
}

/// Where a worker's operations are turned into requests.
pub struct Pipeline<'a> {
    blocks: Blocks,
    pub terms: Terms,
    live_files: Option<&'a LiveFiles>,
    /// By slot of the worker.
    pub(super) tasks: Vec<Option<Task>>,
    /// Requests that wait for a slot of the session, by slot of the worker.
    queue: VecDeque<(u32, Step)>,
    /// Requests at its end that came since it was last looked at.
    fresh: usize,
    /// Requests that are to be sent again at some moment.
    pub(super) later: Vec<(Instant, u32, Step)>,
    /// Operations on a small file that another operation works on.
    blocked: VecDeque<Op>,
    /// Requests on their way, by token; `None` for a token that is free.
    flying: Vec<Option<(u32, Step)>>,
    free_tokens: Vec<u32>,
    pub(super) folders: HashMap<String, FileHandle>,
    /// Who opens small files in NFS 4.0, by slot of the worker.
    owners: Vec<OpenOwner>,
    /// The write verifier of the first write, which changes when the server restarts; and whether there are uncommitted writes.
    pub(super) verifier: Option<[u8; 8]>,
    pub(super) uncommitted: bool,
    /// The server lost writes that were not committed.
    pub(super) lost_writes: bool,
    failure: Option<Failure>,
    /// No more retries: a request that the server wants repeated later fails with this.
    pub(super) given_up: Option<Outcome>,
    pub counts: Counts,
    pub commands: BTreeMap<&'static str, CommandTimes>,
    pub remarks: Vec<Statement>,
}

impl<'a> Pipeline<'a> {
    pub fn new(
        blocks: Blocks,
        terms: Terms,
        live_files: Option<&'a LiveFiles>,
        depth: u32,
    ) -> Pipeline<'a> {
        Pipeline {
            blocks,
            terms,
            live_files,
            tasks: (0..depth).map(|_| None).collect(),
            queue: VecDeque::with_capacity(2 * depth as usize),
            fresh: 0,
            later: Vec::new(),
            blocked: VecDeque::new(),
            flying: Vec::with_capacity(2 * depth as usize),
            free_tokens: Vec::with_capacity(2 * depth as usize),
            folders: HashMap::new(),
            owners: (0..depth).map(OpenOwner::new).collect(),
            verifier: None,
            uncommitted: false,
            lost_writes: false,
            failure: None,
            given_up: None,
            counts: Counts::default(),
            commands: BTreeMap::new(),
            remarks: Vec::new(),
        }
    }

    /// After a new connection: handles and limits may be others.
    pub fn renew(&mut self, terms: Terms) {
        self.terms = terms;
        self.folders.clear();
        // The client has another number, and nothing is open.
        self.owners = (0..self.owners.len() as u32).map(OpenOwner::new).collect();
    }

    /// The connection failed outside of [`Pipeline::turn`], which will report it.
    pub fn note_failure(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }

    /// Takes an operation.
    pub fn begin(&mut self, op: Op, done: &mut Vec<Done>) {
        if op.kind.is_file_operation() {
            return if self.conflicts(&op) {
                self.blocked.push_back(op)
            } else {
                self.begin_file(op, done)
            };
        }
        let steps = match op.kind {
            _ if self.terms.file.is_none() => 0,
            OperationKind::Read => self.split(&op, self.terms.read_max_bytes, |at, len| {
                Step::Read { at, len }
            }),
            OperationKind::Write => self.split(&op, self.terms.write_max_bytes, |at, len| {
                Step::Write { at, len }
            }),
            OperationKind::Flush => {
                self.enqueue(op.slot, Step::Commit);
                1
            }
            _ => 0,
        };
        if steps == 0 {
            return done.push(Done {
                slot: op.slot,
                outcome: Outcome::failed(FailureKind::Invalid),
            });
        }
        let mut task = Task::new(op, Path::default(), Path::default());
        // Of a block: a part that comes back short ends it there.
        (task.requests, task.moved) = (steps, op.len);
        self.tasks[op.slot as usize] = Some(task);
    }

    /// Parts of a block, all on their way at once: as equal as may be. Returns how many.
    fn split(&mut self, op: &Op, most: u32, step: fn(u32, u32) -> Step) -> u32 {
        let parts = op.len.div_ceil(most).max(1);
        let each = if parts == 1 {
            op.len
        } else {
            op.len
                .div_ceil(parts)
                .next_multiple_of(PART_BYTES)
                .min(most)
        };
        let (mut at, mut count) = (0, 0);
        while at < op.len || count == 0 {
            let len = each.min(op.len - at);
            self.enqueue(op.slot, step(at, len));
            (at, count) = (at + len, count + 1);
        }
        count
    }

    /// True when the operation must wait for another one on the same small file: it is in flight, or was blocked before.
    fn conflicts(&self, op: &Op) -> bool {
        let running = self.tasks.iter().flatten().map(|task| &task.op);
        running.chain(&self.blocked).any(|other| op.clashes(other))
    }

    fn begin_file(&mut self, op: Op, done: &mut Vec<Done>) {
        let Some(files) = self.live_files.filter(|_| self.terms.folder.is_some()) else {
            return done.push(Done {
                slot: op.slot,
                outcome: Outcome::failed(FailureKind::Invalid),
            });
        };
        let path = |number: u64| {
            let path = files.path(number);
            let part = |part: Option<&std::ffi::OsStr>| {
                part.map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default()
            };
            Path {
                folder: part(path.parent().and_then(|folder| folder.file_name())),
                name: part(path.file_name()),
                handle: None,
            }
        };
        let to = if op.kind == OperationKind::Rename {
            path(op.renamed())
        } else {
            Path::default()
        };
        self.tasks[op.slot as usize] = Some(Task::new(op, path(op.offset), to));
        self.advance(op.slot);
    }

    /// Queues the next request of an operation on a small file: its folder first, when that is not known.
    pub(super) fn advance(&mut self, slot: u32) {
        let Some(task) = &mut self.tasks[slot as usize] else {
            return;
        };
        let mut next = Step::Main;
        for which in [Which::To, Which::Of] {
            if which == Which::To && task.op.kind != OperationKind::Rename {
                continue;
            }
            let path = if which == Which::Of {
                &mut task.of
            } else {
                &mut task.to
            };
            path.handle = path
                .handle
                .or_else(|| self.folders.get(&path.folder).copied());
            if path.handle.is_none() {
                next = Step::FindFolder(which);
            }
        }
        self.request(slot, next);
    }

    fn enqueue(&mut self, slot: u32, step: Step) {
        self.fresh += 1;
        self.queue.push_back((slot, step));
    }

    pub(super) fn request(&mut self, slot: u32, step: Step) {
        if let Some(task) = &mut self.tasks[slot as usize] {
            task.requests += 1;
            self.enqueue(slot, step);
        }
    }

    /// Sends what is queued, as far as there are slots of the session and room in the socket.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn send(&mut self, connection: &mut Connection) -> Result<(), Failure> {
        if !self.later.is_empty() {
            let now = Instant::now();
            let due = self.later.extract_if(.., |(due, _, _)| *due <= now);
            self.queue.extend(due.map(|(_, slot, step)| (slot, step)));
        }
        while connection.has_free_slot() {
            let Some((slot, step)) = self.queue.pop_front() else {
                break;
            };
            let Some(task) = &self.tasks[slot as usize] else {
                continue;
            };
            let mut call = connection.call();
            let owner = &self.owners[slot as usize];
            if task.build(&mut call, step, &self.terms, owner).is_none() {
                // Nothing is open that it could work on; cannot happen to an operation that was begun.
                return Err(Failure::Connection(Statement::new(
                    "nfs-operation-lost-its-file",
                )));
            }
            let token = self.free_tokens.pop().unwrap_or(self.flying.len() as u32);
            if token as usize == self.flying.len() {
                self.flying.push(None);
            }
            self.flying[token as usize] = Some((slot, step));
            connection.send(call, u64::from(token), task.data(step))?;
            self.counts.requests += 1;
        }
        self.counts.slot_waits += self.fresh.min(self.queue.len()) as u64;
        self.fresh = 0;
        connection.push(&self.blocks)
    }

    /// Sends, takes all answers that are there, and sends what follows from them. Returns the number of answers.
    ///
    /// # Errors
    /// Why the connection, or the session, is of no use any more.
    pub fn turn(
        &mut self,
        connection: &mut Connection,
        done: &mut Vec<Done>,
    ) -> Result<u32, Statement> {
        let mut answers = 0;
        loop {
            let mut came = 0;
            while let Some(answer) = connection.next_answer(&mut self.blocks).map_err(why)? {
                self.take(connection, &answer, done)?;
                came += 1;
            }
            answers += came;
            if let Some(failure) = self.failure.take() {
                return Err(why(failure));
            }
            self.begin_blocked(came > 0, done);
            self.send(connection).map_err(why)?;
            // The worker has its intervals to keep, however fast a server answers.
            if came == 0 || answers >= ANSWERS_AT_ONCE {
                return Ok(answers);
            }
        }
    }

    fn begin_blocked(&mut self, changed: bool, done: &mut Vec<Done>) {
        if !changed || self.blocked.is_empty() {
            return;
        }
        for op in std::mem::take(&mut self.blocked) {
            self.begin(op, done);
        }
    }

    fn take(
        &mut self,
        connection: &Connection,
        answer: &Answer,
        done: &mut Vec<Done>,
    ) -> Result<(), Statement> {
        let Some((slot, step)) = self
            .flying
            .get_mut(answer.token as usize)
            .and_then(Option::take)
        else {
            return Ok(());
        };
        self.free_tokens.push(answer.token as u32);
        let Some(task) = &mut self.tasks[slot as usize] else {
            return Ok(());
        };
        let command = task.command(step, &self.terms);
        self.commands
            .entry(command)
            .or_default()
            .record(&answer.times);
        let outcome = match answer.data() {
            Some((moved, is_end)) => RequestResult {
                moved,
                is_end,
                ..RequestResult::default()
            },
            None => task.read(connection, answer, step, &self.terms, &mut self.blocks),
        };
        task.requests -= 1;
        if let Some(status) = outcome.owner_status {
            self.owners[slot as usize].settle(status);
        }
        if let Some(failure) = outcome.failure.clone()
            && failure.status().is_none()
        {
            return Err(why(failure));
        }
        if let Some(status) = outcome.failure.as_ref().and_then(Failure::status) {
            // The server may have recalled a delegation; that says nothing about the client.
            let is_of_client = !self.terms.is_version_3() && step != Step::ReturnDelegation;
            if status.ends_session() && is_of_client {
                let name = status.name(false);
                return Err(if self.terms.version.has_sessions() {
                    Statement::new("nfs-session-ended").name("status", name)
                } else {
                    Statement::new("nfs-client-forgotten").name("status", name)
                });
            }
            let has_opened = outcome.opened.is_some();
            if self.makes_again((slot, step), status, has_opened, done) {
                return Ok(());
            }
            if status == Status::STALE {
                self.folders.clear();
            }
        }
        self.compare_verifier(outcome.verifier, outcome.written, step);
        self.follow(slot, step, outcome);
        self.conclude(slot, done);
        Ok(())
    }

    /// Tells an operation that has no request left.
    pub(super) fn conclude(&mut self, slot: u32, done: &mut Vec<Done>) {
        let entry = &mut self.tasks[slot as usize];
        let Some(task) = entry.take_if(|task| task.requests == 0) else {
            return;
        };
        let moves = task.op.kind.moves_data();
        let moved = Outcome::moved(if moves { task.moved } else { 0 });
        let outcome = task.error.unwrap_or(moved);
        done.push(Done { slot, outcome });
    }

    /// How long the connection may be waited for, with `left` at most: until a request is due to be sent again.
    pub fn until_due(&self, left: Duration) -> Duration {
        let now = Instant::now();
        self.later
            .iter()
            .map(|(due, _, _)| due.saturating_duration_since(now))
            .min()
            .unwrap_or(left)
            .min(left)
    }

    /// Operations that were begun fail with this; those that waited for another to let a file go are handed back.
    pub fn abandon(&mut self, outcome: Outcome, unasked: &mut Vec<Op>, done: &mut Vec<Done>) {
        let begun = self
            .tasks
            .iter_mut()
            .filter_map(Option::take)
            .map(|task| task.op.slot);
        done.extend(begun.map(|slot| Done { slot, outcome }));
        unasked.extend(self.blocked.drain(..));
        self.queue.clear();
        self.later.clear();
        self.flying.clear();
        self.free_tokens.clear();
        self.failure = None;
    }

    /// Operations that the server asked to repeat fail with this from now on. Those that waited for them to release a file are started.
    pub fn give_up_waiting(&mut self, outcome: Outcome, done: &mut Vec<Done>) {
        self.given_up = Some(outcome);
        for (_, slot, _) in self.later.drain(..) {
            if let Some(task) = &mut self.tasks[slot as usize] {
                task.requests -= 1;
                task.error = task.error.or(Some(outcome));
            }
        }
        for slot in 0..self.tasks.len() as u32 {
            self.conclude(slot, done);
        }
        self.begin_blocked(true, done);
    }
}

/// Why the connection is of no use any more.
pub(super) fn why(failure: Failure) -> Statement {
    match failure {
        Failure::Connection(why) | Failure::Unsupported(why) | Failure::Stopped(why) => why,
        Failure::Status(status) => {
            Statement::new("nfs-server-says").name("status", status.name(false))
        }
    }
}
