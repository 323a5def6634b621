//! May this target be written? Nothing that plumb did not make is, without the user's word; what is in use, not without his naming it twice.

use std::io::Read;
use std::path::{Path, PathBuf};

use plumb_model::units::show_bytes;
use plumb_model::workload::EngineChoice;

use super::host::{self, Flags, PathKind, Traits};
use super::refusal::SiteError;
use super::resolve::goes_through_symlink;
use super::{signature, usage};
use crate::secret::Secrets;

/// The user's word on destroying what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// Nothing was said.
    #[default]
    No,
    /// `--overwrite`: what plumb did not make may be overwritten, unless it is in use.
    Yes,
    /// `--overwrite=PATH`: the target is named twice, and may be overwritten even though it is in use.
    Named(PathBuf),
}

/// With what a target is entered: the user's word, and what a share asks for.
#[derive(Debug, Clone, Default)]
pub struct Admission {
    pub overwrite: Overwrite,
    /// Passwords of shares.
    pub secrets: Secrets,
    /// How a share is spoken to (dialect, signing, ...) while it is made ready.
    pub choice: EngineChoice,
}

impl From<Overwrite> for Admission {
    fn from(overwrite: Overwrite) -> Admission {
        Admission { overwrite, ..Admission::default() }
    }
}

/// A target that exists, with symlinks resolved.
#[derive(Debug, Clone)]
pub struct Subject {
    /// As the user named it.
    pub given: PathBuf,
    /// Symlinks resolved.
    pub path: PathBuf,
    pub traits: Traits,
}

impl Subject {
    /// The path for a message; a name that went through a symlink is told too.
    pub fn name(&self) -> String {
        match goes_through_symlink(&self.given, &self.path) {
            false => self.path.display().to_string(),
            true => format!("{} (given as {}, which leads there by a symlink)", self.path.display(), self.given.display()),
        }
    }
}

/// How much of the user's word is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    Overwrite,
    NamedTwice,
    /// No word is enough.
    Never,
}

/// Asks whether an existing target that plumb did not make may be written. `Err` says what it is, who uses it, and which word would allow it.
pub fn ask(subject: &Subject, permission: &Overwrite) -> Result<(), SiteError> {
    let (word, description) = match subject.traits.kind {
        PathKind::File => judge_file(subject),
        PathKind::BlockDevice => judge_block_device(subject)?,
        PathKind::CharacterDevice => judge_character_device(subject),
        PathKind::Directory | PathKind::Other => (Word::Never, "no file or device".into()),
    };
    let named = match permission {
        Overwrite::Named(path) => is_same(path, subject),
        Overwrite::No | Overwrite::Yes => false,
    };
    let allowed = match word {
        Word::Overwrite => named || *permission == Overwrite::Yes,
        Word::NamedTwice => named,
        Word::Never => false,
    };
    if allowed {
        return Ok(());
    }
    let mut text = format!("{} is not written: it is {description}", subject.name());
    if let (Overwrite::Named(other), false) = (permission, named) {
        text += &format!("; --overwrite names {}, which is something else", other.display());
    }
    text += &match word {
        Word::Never => "; name another target".to_owned(),
        Word::Overwrite => {
            "; if its content may be destroyed, add --overwrite; else name a file that does not exist yet, or a directory".to_owned()
        }
        Word::NamedTwice => {
            format!("; release it first, or, if all of that may be destroyed, name it twice: --overwrite={}", subject.path.display())
        }
    };
    Err(SiteError::Refused(text))
}

/// True when a path leads to the subject.
fn is_same(path: &Path, subject: &Subject) -> bool {
    std::fs::canonicalize(path).is_ok_and(|path| path == subject.path)
}

fn judge_file(subject: &Subject) -> (Word, String) {
    let mut facts = usage::file_uses(&subject.path);
    if let Some(names) = subject.traits.names.filter(|names| *names > 1) {
        facts.push(format!("a file with {names} names (hard links), all of which would change"));
    }
    let what = format!("a file of {} that plumb did not make", show_bytes(subject.traits.size_bytes as f64));
    match facts.is_empty() {
        true => (Word::Overwrite, what),
        false => (Word::NamedTwice, format!("{what}, and {}", facts.join(", "))),
    }
}

fn judge_block_device(subject: &Subject) -> Result<(Word, String), SiteError> {
    let mut file = host::open(&subject.path, Flags { read: true, ..Flags::default() }).map_err(SiteError::kernel("open", &subject.path))?;
    let mut head = Vec::new();
    // A device that cannot be read at its beginning is judged by what the kernel knows of its use.
    let _ = file.by_ref().take(signature::HEAD_BYTES as u64).read_to_end(&mut head);
    let found = signature::recognise(&head);
    let uses = match subject.traits.device_number {
        Some(number) => usage::device_uses(&subject.path, number),
        None => vec!["a device whose use cannot be found out".into()],
    };
    let mut what = "a block device".to_owned();
    if let Some(signature) = found {
        what += &format!(" that holds {}", signature.name);
    }
    let word = match uses.is_empty() && !found.is_some_and(|signature| signature.partition_table) {
        true => Word::Overwrite,
        false => Word::NamedTwice,
    };
    let parts: Vec<_> = std::iter::once(what).chain(uses).collect();
    Ok((word, parts.join(", ")))
}

fn judge_character_device(subject: &Subject) -> (Word, String) {
    // Documentation/admin-guide/devices.txt, major 1: 1 /dev/mem, 2 /dev/kmem, 4 /dev/port.
    match subject.traits.device_number {
        Some((1, 1 | 2 | 4)) => (Word::Never, "the memory or the ports of this machine".into()),
        _ => (Word::NamedTwice, "a character device, and what writing to it does is unknown".into()),
    }
}

/// True for /dev/null (1:3), /dev/zero (1:5) and /dev/full (1:7): writing to them harms nothing.
pub fn is_harmless(traits: &Traits) -> bool {
    traits.kind == PathKind::CharacterDevice && matches!(traits.device_number, Some((1, 3 | 5 | 7)))
}
