//! How does an engine get in, and in again after its connection was lost? Connected, file open, folder of the small files found.

use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::NfsVersion;

use crate::engine::lookout::Waiting;
use crate::engine::reconnect::{Pauses, Reconnect};
use crate::share::{ShareError, ShareErrorKind};
use crate::shares::nfs::call::{Access, FileHandle, Opening, StateId};
use crate::shares::nfs::client::{Client, ConnectOptions};

/// Between attempts to connect again.
const PAUSES: Pauses = Pauses {
    before: Duration::ZERO,
    first: Duration::from_millis(50),
    most: Duration::from_secs(1),
};

/// What an engine wants of the server.
#[derive(Debug, Clone)]
pub struct ExportSpec {
    pub remote: Remote,
    pub options: ConnectOptions,
    /// The client's name, the same each time.
    pub name: String,
    /// The file with the blocks, relative to the export, and what it is opened for.
    pub file: Option<(String, Access)>,
    /// The folder that holds the folders of small files.
    pub folder: Option<String>,
    /// How answers are waited for once all is there.
    pub waiting: Waiting,
    /// The data of large READs is discarded in the kernel.
    pub discards: bool,
}

/// What an engine works with.
#[derive(Debug)]
pub struct OpenExport {
    pub client: Client,
    pub file: Option<(FileHandle, StateId)>,
    pub folder: Option<FileHandle>,
}

fn names(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

impl ExportSpec {
    /// Gets in. `known`: the file, when it was open before.
    ///
    /// # Errors
    /// The server's status, and what to do next.
    pub fn open(&self, known: Option<FileHandle>) -> Result<OpenExport, ShareError> {
        let mut client = Client::connect(&self.remote, self.options.clone(), &self.name)?;
        // A server that was started again lets only those open files for a while who had them open before. A server that was not restarted refuses, and the
        // file is opened
        // anew below. NFS 3 has nothing open.
        let mut file = None;
        let known = known.filter(|_| client.version() != NfsVersion::V3);
        if let (Some((_, access)), Some(known)) = (&self.file, known) {
            file = client.open(known, Opening::Reclaimed, *access).ok();
        }
        client.enter_export()?;
        let root = client.root();
        if let (Some((path, access)), None) = (&self.file, file) {
            let mut folder = names(path);
            let name = folder.pop().unwrap_or_default();
            let opened = client
                .walk(root, &folder)
                .and_then(|folder| client.open(folder, Opening::Existing(name), *access));
            let tried = Statement::new("nfs-tried-open").name("path", path);
            file = Some(opened.map_err(|failure| client.error(tried, failure))?);
        }
        let folder = match &self.folder {
            Some(path) => {
                let tried = Statement::new("nfs-tried-find").name("path", path);
                let found = client.walk(root, &names(path));
                Some(found.map_err(|failure| client.error(tried, failure))?)
            }
            None => None,
        };
        client.keep_lease();
        if self.discards {
            let refused = |what| ShareError {
                kind: ShareErrorKind::Other,
                why: Statement::new("share-cannot-be-opened")
                    .name("target", self.remote.to_string())
                    .part("reason", what)
                    .part("remedy", Statement::new("leave-skip-rx-copy")),
            };
            client.connection().discard_data().map_err(refused)?;
        }
        client.connection().lookout.set(self.waiting);
        Ok(OpenExport {
            client,
            file,
            folder,
        })
    }
}

/// Tries to get in again. `known`: the file, when it was open before.
pub fn again(spec: &ExportSpec, known: Option<FileHandle>) -> Reconnect<OpenExport> {
    let spec = spec.clone();
    Reconnect::new("plumb-nfs-again", PAUSES, move || spec.open(known).ok())
}
