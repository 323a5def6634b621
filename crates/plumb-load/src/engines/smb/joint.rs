//! How do the workers of a job come to be channels of one session (SMB multichannel), and over which addresses?

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::workload::{Channels, Dialect};

use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::session::keys::Session;
use crate::shares::smb::session::paths::{Path, best};
use crate::shares::smb::session::{self, Access, Channel, Further};
use crate::shares::smb::survey::{described_interfaces, offered};
use crate::system::interfaces::{connect_from, local_addresses};

/// A server that takes longer to list its interfaces is treated as having none.
const INTERFACES_WAIT_MAX: Duration = Duration::from_secs(5);
/// An address that answers does so about as soon as the one that was named: after so many times that, and within these bounds, it does not.
const ROUND_TRIPS: u32 = 20;
const REACHED_MIN: Duration = Duration::from_millis(200);
const REACHED_MAX: Duration = Duration::from_secs(2);

/// The session that the workers of a job have in common; missing until the first has one.
#[derive(Default)]
pub struct JointSession(Mutex<Option<Joint>>);

struct Joint {
    session: Arc<Session>,
    ways: Ways,
}

/// Where the channels of a session go.
#[derive(Default, Clone)]
pub struct Ways {
    /// What the server offers, as text; missing if it does not report it.
    pub interfaces: Option<String>,
    /// Empty: all as the first connection.
    pub paths: Vec<Path>,
    /// Indices of paths that were tried without success.
    failed: Vec<bool>,
}

/// A worker's connection, and what it belongs to.
pub struct Joined {
    pub channel: Channel,
    /// Missing: it has a session of its own.
    pub ways: Option<Ways>,
}

/// Who joins.
pub struct Joiner<'a> {
    pub access: &'a Access,
    /// Its number among the workers of the job.
    pub worker: u32,
    /// At the start of a step; else after an outage, when nothing is reported and little is tried.
    pub is_first: bool,
}

impl Joiner<'_> {
    /// A channel of the session that all share, where the server lets them; `refused` receives what was requested and is not available.
    ///
    /// # Errors
    /// As [`session::open`]; a session without further channels where those are insisted on.
    pub fn join(&self, common: &JointSession, refused: &mut Vec<Statement>) -> SmbResult<Joined> {
        let mut joint_slot = common.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(joint) = joint_slot.as_mut() {
            match self.further(joint, refused) {
                Ok(channel) => {
                    let ways = Some(joint.ways.clone());
                    return Ok(Joined { channel, ways });
                }
                Err(fault) if self.is_first && self.insists() => return Err(fault),
                Err(fault) if self.is_first => {
                    refused.push(
                        Statement::new("refused-multichannel-of-worker")
                            .part("reason", fault.statement()),
                    );
                    return self.alone();
                }
                // The session went with the connection: the first that comes back makes another.
                Err(_) => {}
            }
        }
        self.begin(&mut joint_slot, refused)
    }

    fn insists(&self) -> bool {
        self.access.choice.channels == Channels::Multichannel
    }

    fn alone(&self) -> SmbResult<Joined> {
        Ok(Joined {
            channel: session::open(self.access, None)?,
            ways: None,
        })
    }

    /// The first of them makes the session.
    fn begin(
        &self,
        joint_slot: &mut Option<Joint>,
        refused: &mut Vec<Statement>,
    ) -> SmbResult<Joined> {
        let mut channel = session::open(self.access, None)?;
        let session = channel
            .session
            .clone()
            .filter(|_| channel.agreed.can_bind());
        let Some(session) = session else {
            if self.insists() {
                return Err(without_multichannel(
                    channel.agreed.dialect_name(),
                    self.access.choice.dialect,
                ));
            }
            refused.push(Statement::new("refused-multichannel-not-offered"));
            return Ok(Joined {
                channel,
                ways: None,
            });
        };
        let ways = self.ways(&mut channel, refused)?;
        let mut joint = Joint { session, ways };
        let own = joint.ways.path_of(self.worker);
        let is_there = own.is_none_or(|path| path.to == channel.address);
        // A server may refuse what it offers, and the record contains the facts: tried before it is recorded.
        let tried = match (is_there, self.is_first) {
            (true, true) => {
                let next = Joiner {
                    worker: self.worker + 1,
                    ..*self
                };
                next.further(&mut joint, refused).map(drop)
            }
            (true, false) => Ok(()),
            (false, _) => self
                .further(&mut joint, refused)
                .map(|better| channel = better),
        };
        match tried {
            Ok(()) => {
                let ways = Some(joint.ways.clone());
                *joint_slot = Some(joint);
                Ok(Joined { channel, ways })
            }
            Err(fault) if self.insists() => Err(fault),
            Err(fault) => {
                refused
                    .push(Statement::new("refused-multichannel").part("reason", fault.statement()));
                Ok(Joined {
                    channel,
                    ways: None,
                })
            }
        }
    }

    /// What the server offers, beside what this machine has.
    fn ways(&self, channel: &mut Channel, refused: &mut Vec<Statement>) -> SmbResult<Ways> {
        channel.connection.within(INTERFACES_WAIT_MAX);
        let interfaces = offered(&mut channel.connection);
        channel.connection.without_deadline();
        let offered = match interfaces {
            Ok(offered) => offered,
            Err(fault @ Fault::Status(..)) => {
                refused.push(
                    Statement::new("refused-interfaces-not-told").part("reason", fault.statement()),
                );
                return Ok(Ways::default());
            }
            Err(fault) => return Err(fault),
        };
        let local = local_addresses().unwrap_or_default();
        let patience = (ROUND_TRIPS * channel.steps.connect).clamp(REACHED_MIN, REACHED_MAX);
        let paths = best(channel.address, &offered, &local, |to| {
            if self.access.stop.is_made() {
                return false;
            }
            let answer = connect_from(None, to, patience);
            let text = |error: &std::io::Error| Statement::verbatim(error.to_string());
            let error = answer.as_ref().err().map(text);
            refused.extend(error.map(|error| refused_path(to, error)));
            answer.is_ok()
        });
        Ok(Ways {
            interfaces: Some(described_interfaces(&offered)),
            failed: vec![false; paths.len()],
            paths,
        })
    }

    /// One more channel: by this worker's path, else by another that works, at last as the first connection went.
    fn further(&self, joint: &mut Joint, refused: &mut Vec<Statement>) -> SmbResult<Channel> {
        let Joint { session, ways } = joint;
        let session = &*session;
        let count = ways.paths.len();
        let tries = if self.is_first { count } else { count.min(1) };
        for joint_slot in (0..tries).map(|turn| (self.worker as usize + turn) % count) {
            if ways.failed[joint_slot] && self.is_first {
                continue;
            }
            let path = Some(&ways.paths[joint_slot]);
            match session::open(self.access, Some(Further { session, path })) {
                Ok(channel) => return Ok(channel),
                // A server that refuses one channel refuses all of them.
                Err(fault @ (Fault::Stopped(_) | Fault::Status(..))) => return Err(fault),
                Err(fault) => {
                    ways.failed[joint_slot] = true;
                    refused.push(refused_path(ways.paths[joint_slot].to, fault.statement()));
                }
            }
        }
        let path = None;
        session::open(self.access, Some(Further { session, path }))
    }
}

impl Ways {
    fn path_of(&self, worker: u32) -> Option<&Path> {
        self.paths.get(worker as usize % self.paths.len().max(1))
    }

    /// The paths that are taken, in words.
    pub fn described(&self) -> String {
        let each = self
            .paths
            .iter()
            .zip(&self.failed)
            .filter(|(_, failed)| !**failed)
            .map(|(path, _)| match &path.from {
                Some(from) => format!("{} ({}) to {}", from.address, from.interface, path.to),
                None => path.to.to_string(),
            });
        each.collect::<Vec<_>>().join(", ")
    }
}

fn refused_path(to: SocketAddr, reason: Statement) -> Statement {
    Statement::new("refused-path")
        .name("address", to.to_string())
        .part("reason", reason)
}

/// Why further connections cannot join the session, and what to do: multichannel came with SMB 3.0 (MS-SMB2 1.7).
fn without_multichannel(agreed: &str, requested: Dialect) -> Fault {
    let (what, remedy) = match (agreed.starts_with('2'), requested) {
        (false, _) => (
            Statement::new("smb-multichannel-not-offered"),
            Statement::new("smb-leave-channels"),
        ),
        (true, Dialect::Auto) => (
            Statement::new("smb-server-without-multichannel").name("dialect", agreed),
            Statement::new("smb-leave-channels"),
        ),
        (true, _) => (
            Statement::new("smb-dialect-without-multichannel").name("dialect", agreed),
            Statement::new("smb-leave-dialect"),
        ),
    };
    Fault::Unfit { what, remedy }
}
