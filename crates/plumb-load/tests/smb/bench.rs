//! What do the tests of the SMB engine have in common? An engine on a private Samba, and operations with recognizable content.

use plumb_words::english;

use crossbeam_channel::{Receiver, unbounded};
use plumb_load::engine::buffers::Buffers;
use plumb_load::engine::journal::{Journal, JournalEntry};
use plumb_load::engine::meeting::Meeting;
use plumb_load::engine::stop_request::StopRequest;
use plumb_load::engine::{Opened, RemoteSetup, Setup, Unavailable};
use plumb_load::engines;
use plumb_load::feed::live_files::LiveFiles;
use plumb_load::secret::Secret;
use plumb_load::share::{ShareError, ShareErrorKind, SharedShare};
use plumb_load::shares;
use plumb_load::site::{SiteFile, SiteKind};
use plumb_model::run::ConnectionState;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{EngineChoice, OperationKind, Weighted, Workload};

pub use crate::operations::*;
use crate::samba::{PASSWORD, Samba};

pub const BLOCK: u32 = 256 << 10;
pub const BLOCKS: u64 = 24;

pub fn remote(address: &str) -> Remote {
    address.parse().expect("an address")
}

pub fn secret() -> Secret {
    Secret::new(PASSWORD)
}

pub fn connect(address: &str, choice: &EngineChoice) -> Result<SharedShare, ShareError> {
    shares::connect(&remote(address), Some(&secret()), choice)
}

/// The share of a server, by a client that takes what the server demands.
pub fn open_share(server: &Samba) -> SharedShare {
    connect(&server.address("share"), &EngineChoice::default())
        .unwrap_or_else(|error| panic!("{error}: {}", server.log()))
}

pub fn is_kind<T: std::fmt::Debug>(
    result: Result<T, ShareError>,
    kind: ShareErrorKind,
    text: &str,
) {
    let error = result.expect_err(text);
    assert!(
        error.kind == kind && error.to_string().contains(text),
        "{error:?}"
    );
}

/// A file as long as all blocks, with the content that is expected of it.
pub fn make_file(server: &Samba) {
    let content: Vec<u8> = (0..BLOCKS * u64::from(BLOCK)).map(byte_at).collect();
    std::fs::write(server.share().join("file"), content).expect("file");
}

type Reports = (
    crossbeam_channel::Sender<JournalEntry>,
    Receiver<JournalEntry>,
);

/// An engine on a path of a server, with its parts.
pub struct Bench {
    pub remote: Remote,
    pub secret: Secret,
    pub workload: Workload,
    pub meeting: Meeting,
    pub choice: EngineChoice,
    pub file: Option<SiteFile>,
    pub files: Option<LiveFiles>,
    pub reports: Reports,
    pub stop: StopRequest,
}

impl Bench {
    pub fn new(address: &str, mix: &str, file: Option<&str>) -> Bench {
        let mix: Weighted<OperationKind> = mix.parse().expect("a mix");
        let len = BLOCKS * u64::from(BLOCK);
        let file = file.map(|path| SiteFile {
            index: 0,
            path: path.into(),
            start: 0,
            len,
            kind: SiteKind::Share,
            identity: None,
            folder: None,
        });
        Bench {
            remote: remote(address),
            secret: secret(),
            workload: Workload {
                mix,
                ..Workload::default()
            },
            meeting: Meeting::default(),
            choice: EngineChoice::default(),
            file,
            files: None,
            reports: unbounded(),
            stop: StopRequest::default(),
        }
    }

    pub fn try_open<'a>(
        &'a self,
        buffers: &Buffers,
        worker: u32,
    ) -> Result<Opened<'a>, Unavailable> {
        let remote = RemoteSetup {
            remote: &self.remote,
            secret: Some(&self.secret),
            file: self.file.as_ref(),
            worker,
            workload: &self.workload,
            meeting: &self.meeting,
            jobs: Vec::new(),
            step_meeting: &self.meeting,
            journal: self.journal(),
            stop: self.stop.clone(),
        };
        let setup = Setup {
            files: &[],
            end_bytes: 0,
            buffers: buffers.region(),
            depth: DEPTH,
            batch: DEPTH,
            choice: &self.choice,
            live_files: self.files.as_ref(),
            trims: false,
            flush_metadata: false,
            remote: Some(remote),
        };
        (engines::by_name("smb").expect("listed").open)(setup)
    }

    pub fn open<'a>(&'a self, buffers: &Buffers) -> Opened<'a> {
        self.try_open(buffers, 0)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn journal(&self) -> Journal {
        let sender = self.reports.0.clone();
        Journal::new(move |entry| drop(sender.send(entry)))
    }

    /// Events of the connection.
    pub fn connections(&self) -> Vec<(ConnectionState, String)> {
        let reports = self.reports.1.try_iter();
        reports
            .filter_map(|entry| match entry {
                JournalEntry::Connection { state, text, .. } => Some((state, english(&text))),
                _ => None,
            })
            .collect()
    }
}

pub fn buffers() -> Buffers {
    Buffers::new(DEPTH as usize, 10 << 20).expect("buffers")
}

/// The file on the server has the expected content, seen past the client.
pub fn is_whole(server: &Samba) -> bool {
    let bytes = std::fs::read(server.share().join("file")).expect("file");
    bytes.len() as u64 == BLOCKS * u64::from(BLOCK)
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| *byte == byte_at(at as u64))
}

/// A file of zeros as long as all blocks.
pub fn make_zeros(server: &Samba) {
    std::fs::write(
        server.share().join("file"),
        vec![0; (BLOCKS * u64::from(BLOCK)) as usize],
    )
    .expect("file");
}

/// True in a process of its own, in which only this test runs. Elsewhere starts one, and expects that it succeeds.
pub fn is_alone(test: &str) -> bool {
    const ALONE: &str = "PLUMB_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let started = || {
        let mut program = std::process::Command::new(std::env::current_exe().expect("program"));
        let alone = program.args(["--exact", test, "--nocapture"]);
        alone.env(ALONE, "1").output().expect("started")
    };
    // Where memory is short, a thread that was given a kept stack may find no room for its signal stack, and the standard library then ends the
    // process before the client sends anything; so does any small allocation of a thread that starts just then.
    let is_of_std = |output: &std::process::Output| {
        let error = String::from_utf8_lossy(&output.stderr);
        error.contains("failed to allocate an alternative stack")
            || error.contains("memory allocation of")
    };
    let mut tries = (0..5).map(|_| started());
    let output = tries.find(|output| !is_of_std(output));
    let output = output.expect("one of five tries has room for its threads");
    assert!(output.status.success(), "{output:?}");
    println!("{}", String::from_utf8_lossy(&output.stdout));
    false
}

/// A line of /proc/self/status, in KiB: `VmSize:` now, `VmHWM:` at most so far.
pub fn memory_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let size = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .expect("a line");
    size.trim()
        .trim_end_matches("kB")
        .trim()
        .parse()
        .expect("a number")
}
