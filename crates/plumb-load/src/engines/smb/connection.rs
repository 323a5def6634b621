//! How does a worker get its connection, and how does it get it back?

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plumb_model::run::active;
use plumb_model::statement::Statement;
use plumb_model::workload::{Channels, EngineChoice, OperationKind, Sync};

use crate::engine::RemoteSetup;
use crate::engine::lookout::Waiting;
use crate::engine::reconnect::{Pauses, Reconnect};
use crate::engines::smb::joint::{Joined, Joiner, JointSession, Ways};
use crate::shares::smb::answer::Created;
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::exchange::RequestHead;
use crate::shares::smb::fault::SmbResult;
use crate::shares::smb::frame_builder::{FileHandle, Opening};
use crate::shares::smb::session::{self, Access, Channel};
use crate::site::SiteFile;

/// Between attempts to connect again.
const PAUSES: Pauses = Pauses {
    before: Duration::ZERO,
    first: Duration::from_millis(100),
    most: Duration::from_secs(1),
};

/// What follows from closing the file is done by the server with the connection too, so that its answer is no longer waited for.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// All that is needed to make a worker's connection, also again.
pub struct Blueprint {
    access: Access,
    /// The file of the blocks, below the share, and how it is opened.
    file: Option<(String, bool)>,
    writes_through: bool,
    /// Missing: every worker has a session of its own.
    common: Option<Arc<JointSession>>,
    worker: u32,
    credits_target: u32,
    /// How answers are waited for once all is there.
    waiting: Waiting,
}

/// A worker's connection.
pub struct WorkerConnection {
    pub channel: Channel,
    /// The open file of the blocks.
    pub file: Option<FileHandle>,
    pub is_writable: bool,
    /// Each write is answered once it is on stable storage; SMB does not distinguish dsync from sync.
    pub writes_through: bool,
    oplock: u8,
    /// Where the channels of the session go; missing: it is of this connection alone.
    ways: Option<Ways>,
}

impl Blueprint {
    /// What this worker's connection is to be like.
    pub fn new(setup: &RemoteSetup<'_>, choice: &EngineChoice, depth: u32) -> Blueprint {
        let access = Access {
            remote: setup.remote.clone(),
            secret: setup.secret.cloned(),
            choice: choice.clone(),
            stop: setup.stop.clone(),
        };
        let workload = setup.workload;
        let does = |kind: OperationKind| workload.mix.0.iter().any(|(does, _)| *does == kind);
        let writes =
            does(OperationKind::Write) || does(OperationKind::Flush) || workload.fsync_every > 0;
        let path = |file: &SiteFile| (file.path.to_string_lossy().into_owned(), writes);
        let shares = workload.workers > 1 && access.choice.channels != Channels::Sessions;
        let common = if shares {
            setup
                .meeting
                .join::<Arc<JointSession>, std::convert::Infallible>(|| Ok(Arc::default()))
                .ok()
        } else {
            None
        };
        let bytes = workload.buffer_bytes().min(u64::from(u32::MAX)) as u32;
        let each = bytes.div_ceil(64 << 10).max(1) + 2;
        Blueprint {
            access,
            file: setup.file.map(path),
            writes_through: workload.sync != Sync::None,
            common: common.map(|common| (*common).clone()),
            worker: setup.worker,
            waiting: Waiting::of(choice.busy_poll, setup.workers_on_host()),
            credits_target: depth.saturating_mul(each).saturating_mul(2),
        }
    }

    /// Connects, and opens the file. Also returns what was wanted and could not be had.
    ///
    /// # Errors
    /// As [`session::open`], or the file cannot be opened.
    pub fn establish(&self, is_first: bool) -> SmbResult<(WorkerConnection, Vec<Statement>)> {
        let mut refused = Vec::new();
        let Joined { mut channel, ways } = match &self.common {
            Some(common) => {
                let joiner = Joiner {
                    access: &self.access,
                    worker: self.worker,
                    is_first,
                };
                joiner.join(common, &mut refused)?
            }
            None => Joined {
                channel: session::open(&self.access, None)?,
                ways: None,
            },
        };
        channel.connection.set_credits_target(self.credits_target);
        let mut line = WorkerConnection {
            channel,
            file: None,
            is_writable: false,
            writes_through: self.writes_through,
            oplock: 0,
            ways,
        };
        if let Some((path, writes)) = &self.file {
            line.open_file(path, *writes)?;
        }
        if self.access.choice.skip_rx_copy {
            line.channel.connection.discard_data()?;
        }
        line.channel.connection.lookout.set(self.waiting);
        Ok((line, refused))
    }
}

impl WorkerConnection {
    fn open_file(&mut self, path: &str, writes: bool) -> SmbResult<()> {
        let opening = if writes {
            Opening::TO_READ_AND_WRITE
        } else {
            Opening::TO_READ
        };
        let connection = &mut self.channel.connection;
        connection
            .begin(RequestHead::plain(Command::Create))
            .create(opening, path);
        let reply = connection.reply()?;
        let reply = reply.success(Command::Create)?;
        let created = Created::read(reply.body())?;
        (self.file, self.is_writable, self.oplock) = (Some(created.file), writes, created.oplock);
        Ok(())
    }

    /// Closes the file, and with it the connection; a server that does not answer any more is left alone.
    pub fn close(&mut self) {
        let connection = &mut self.channel.connection;
        if let Some(file) = self
            .file
            .take()
            .filter(|_| connection.due() == 0 && connection.credits() > 0)
        {
            connection.within(CLOSE_MAX);
            connection.lookout.set(Waiting::default());
            connection
                .begin(RequestHead::plain(Command::Close))
                .close(file);
            // Nothing depends on it: the server closes the file with the connection too.
            let _ = connection.reply();
        }
    }

    /// What was agreed, by name, and the features in use.
    pub fn describe(&self, workers: u32, depth: u32) -> (BTreeMap<String, String>, Vec<String>) {
        let Channel {
            connection,
            agreed,
            address,
            authentication,
            ..
        } = &self.channel;
        let sealed = connection.sealer.as_ref().map(|sealer| sealer.way().name());
        let signed = connection
            .signer
            .as_ref()
            .filter(|_| connection.signs && sealed.is_none())
            .map(|signer| signer.way().name());
        let channels = match (workers, &self.ways) {
            (1, _) => "1".to_string(),
            (workers, Some(_)) => format!("{workers} channels of one session"),
            (workers, None) => format!("{workers} sessions of one channel each"),
        };
        let oplock = match self.oplock {
            0 => "none requested, none granted".to_string(),
            other => format!("0x{other:02x} granted without a request"),
        };
        let rows = [
            ("dialect", agreed.dialect_name().to_string()),
            ("signing", signed.unwrap_or("none").to_string()),
            ("encryption", sealed.unwrap_or("none").to_string()),
            ("compression", "none requested".to_string()),
            ("leases", oplock),
            ("read_max_bytes", agreed.read_max_bytes.to_string()),
            ("write_max_bytes", agreed.write_max_bytes.to_string()),
            ("transact_max_bytes", agreed.transact_max_bytes.to_string()),
            ("credits", connection.credits().to_string()),
            ("channels", channels),
            ("server_guid", agreed.server_guid.clone()),
            ("authentication", authentication.clone()),
            ("address", address.to_string()),
            ("server_demands_signing", agreed.demands_signing.to_string()),
            (
                "server_demands_encryption",
                self.channel.demands_encryption.to_string(),
            ),
        ];
        let mut active = vec![format!("SMB {}", agreed.dialect_name())];
        active.extend(signed.map(|name| format!("signing {name}")));
        active.extend(sealed.map(|name| format!("encryption {name}")));
        let waits = connection.lookout.waiting().in_use(depth);
        active.extend(waits.map(str::to_string));
        active.extend(connection.discards().then(|| active::DISCARDS.to_string()));
        active.extend(self.writes_through.then(|| "write-through".to_string()));
        active.extend((self.ways.is_some() && workers > 1).then(|| "multichannel".to_string()));
        let ways = self.ways.iter().flat_map(|ways| {
            let interfaces = ways.interfaces.clone();
            let paths = Some(ways.described()).filter(|paths| !paths.is_empty());
            let rows = [("server_interfaces", interfaces), ("paths", paths)];
            rows.into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
        });
        let rows = rows.into_iter().chain(ways);
        (
            rows.map(|(name, value)| (name.to_string(), value))
                .collect(),
            active,
        )
    }
}

/// Tries for another connection.
pub fn again(blueprint: &Arc<Blueprint>) -> Reconnect<WorkerConnection> {
    let blueprint = blueprint.clone();
    Reconnect::new("plumb-smb-again", PAUSES, move || {
        blueprint.establish(false).ok().map(|(line, _)| line)
    })
}
