//! How does an engine get in, and in again after its connection was lost? Connected, file open, folder of the small files found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use plumb_model::remote::Remote;

use crate::nfs::call::{Access, FileHandle, Opening, StateId};
use crate::nfs::client::Client;
use crate::share::ShareError;

/// Pause before the first attempt to connect again; it doubles from one to the next, up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// How often a pause looks whether nobody waits any more.
const LOOK: Duration = Duration::from_millis(20);
/// The file with the blocks is opened by this owner; small files by the number of their slot.
const OWNER: u32 = u32::MAX;

/// What an engine wants of the server.
#[derive(Debug, Clone)]
pub struct Entrance {
    pub remote: Remote,
    /// The client's name, the same each time.
    pub name: String,
    /// The file with the blocks, relative to the export, and what it is opened for.
    pub file: Option<(String, Access)>,
    /// The folder that holds the folders of small files.
    pub folder: Option<String>,
}

/// What an engine works with.
#[derive(Debug)]
pub struct Entered {
    pub client: Client,
    pub file: Option<(FileHandle, StateId)>,
    pub folder: Option<FileHandle>,
}

fn names(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

impl Entrance {
    /// Gets in. `known`: the file, when it was open before.
    ///
    /// # Errors
    /// The server's status, and what to do next.
    pub fn enter(&self, known: Option<FileHandle>) -> Result<Entered, ShareError> {
        let mut client = Client::connect(&self.remote, &self.name)?;
        // A server that was started again lets only those open files for a while who had them open before. One that was not says no, and the file is opened
        // anew below.
        let mut file = None;
        if let (Some((_, access)), Some(known)) = (&self.file, known) {
            file = client.open(known, Opening::Reclaimed, *access, OWNER).ok();
        }
        client.enter_export()?;
        let root = client.root();
        if let (Some((path, access)), None) = (&self.file, file) {
            let mut folder = names(path);
            let name = folder.pop().unwrap_or_default();
            let opened = client
                .walk(root, &folder)
                .and_then(|folder| client.open(folder, Opening::Existing(name), *access, OWNER));
            file =
                Some(opened.map_err(|failure| client.error(&format!("open '{path}'"), failure))?);
        }
        let folder = match &self.folder {
            Some(path) => Some(
                client
                    .walk(root, &names(path))
                    .map_err(|failure| client.error(&format!("find '{path}'"), failure))?,
            ),
            None => None,
        };
        Ok(Entered {
            client,
            file,
            folder,
        })
    }
}

/// Attempts to get in again, on a thread of their own, so that the record of a run goes on meanwhile.
#[derive(Debug)]
pub struct Comeback {
    arrived: Receiver<Entered>,
    given_up: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Comeback {
    /// Begins; `None` when the system has no thread to spare.
    pub fn begin(entrance: &Entrance, known: Option<FileHandle>) -> Option<Comeback> {
        let (sender, arrived) = channel();
        let given_up = Arc::new(AtomicBool::new(false));
        let (entrance, stop) = (entrance.clone(), given_up.clone());
        let attempts = move || {
            let mut pause = FIRST_PAUSE;
            while !stop.load(Ordering::Relaxed) {
                if let Ok(entered) = entrance.enter(known) {
                    // Whoever waited may be gone.
                    let _ = sender.send(entered);
                    return;
                }
                for _ in 0..pause.as_millis() / LOOK.as_millis() {
                    if !stop.load(Ordering::Relaxed) {
                        std::thread::sleep(LOOK);
                    }
                }
                pause = (pause * 2).min(LAST_PAUSE);
            }
        };
        let thread = std::thread::Builder::new()
            .name("plumb-nfs-again".into())
            .spawn(attempts)
            .ok()?;
        Some(Comeback {
            arrived,
            given_up,
            thread: Some(thread),
        })
    }

    /// Waits for the arrival, at most `timeout`.
    pub fn wait(&self, timeout: Duration) -> Option<Entered> {
        match self.arrived.try_recv() {
            Err(TryRecvError::Empty) if !timeout.is_zero() => {
                self.arrived.recv_timeout(timeout).ok()
            }
            arrived => arrived.ok(),
        }
    }
}

impl Drop for Comeback {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic there has said what it had to say.
            let _ = thread.join();
        }
    }
}
