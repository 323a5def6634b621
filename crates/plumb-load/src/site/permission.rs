//! May this target be written? Nothing that plumb did not make is, without the user's word; what is in use, not without his naming it twice.

pub(super) mod resolve;
mod signature;
pub(super) mod subject;
pub(super) mod usage;

use std::path::{Path, PathBuf};

use plumb_model::statement::Statement;
use plumb_model::text::shell::quoted;
use plumb_words::english;
use plumb_words::numbers::show_bytes;

use crate::site::permission::subject::Subject;
use crate::site::refusal::SiteError;
use crate::system::files::{self, Flags, PathKind, Traits};
use usage::Uses;

/// The user's word on destroying what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// Not specified.
    #[default]
    No,
    /// `--overwrite`: what plumb did not make may be overwritten, unless it is in use or a device with known content.
    Yes,
    /// `--overwrite=PATH`: the target is named twice, and may be overwritten regardless of users and content.
    Named(PathBuf),
}

/// How much of the user's word is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    Overwrite,
    NamedTwice,
    /// No word is enough.
    Never,
}

/// Checks whether an existing target that plumb did not create may be written. `Err` tells what it is, who uses it, and how to allow it.
/// `is_busy`: it is a block device that could not be claimed, or shows the bytes of one. What cannot be known is returned for the user to read.
pub fn authorize(
    subject: &Subject,
    permission: &Overwrite,
    is_busy: bool,
) -> Result<Option<Statement>, SiteError> {
    let Judgement {
        word,
        description,
        unseen,
    } = match subject.traits.kind {
        PathKind::File => judge_file(subject),
        PathKind::BlockDevice => judge_block_device(subject, is_busy)?,
        PathKind::CharacterDevice => match files::shown_block_device(&subject.traits) {
            Some(shown) => judge_block_device(&shown_subject(&shown)?, is_busy)
                .map(|judgement| judgement.of_namespace(&shown))?,
            None => judge_character_device(subject),
        },
        PathKind::Directory | PathKind::Other => Judgement {
            word: Word::Never,
            description: "not a file or device".into(),
            unseen: None,
        },
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
    let unseen = unseen.map(|unseen| {
        Statement::new("use-is-not-certain")
            .name("path", subject.path.display().to_string())
            .part("why", unseen)
    });
    if allowed {
        return Ok(unseen);
    }
    let mut text = format!("{} is not written: it is {description}", subject.name());
    if let (Overwrite::Named(other), false) = (permission, named) {
        text += &format!(
            "; --overwrite names {}, which is another path",
            other.display()
        );
    }
    text += &match word {
        Word::Never => "; name another target".to_owned(),
        Word::Overwrite => {
            "; to destroy its content, add --overwrite; otherwise name a new file, or a directory"
                .to_owned()
        }
        Word::NamedTwice => {
            format!(
                "; release it first, or, to destroy all of that, repeat its name: --overwrite={}",
                quoted(&subject.path.to_string_lossy())
            )
        }
    };
    if let (Some(unseen), true) = (unseen, word == Word::Overwrite) {
        text += &format!("; {}", english(&unseen));
    }
    Err(SiteError::Refused(text))
}

/// What is known of a target.
struct Judgement {
    word: Word,
    /// What it is and who uses it.
    description: String,
    /// Whose use cannot be seen.
    unseen: Option<Statement>,
}

impl Judgement {
    /// The same of a character device that gives commands to the namespace that the block device shows.
    fn of_namespace(self, block_device: &Path) -> Judgement {
        let description = format!(
            "the NVMe namespace of {}, {}",
            block_device.display(),
            self.description
        );
        Judgement {
            description,
            ..self
        }
    }
}

/// The block device that shows the bytes of a character device.
pub fn shown_subject(block_device: &Path) -> Result<Subject, SiteError> {
    let error = SiteError::kernel("examine", block_device);
    let traits = files::traits_at(block_device).map_err(error)?;
    if traits.kind != PathKind::BlockDevice {
        return Err(SiteError::Refused(format!(
            "{} is not a block device: what uses the namespace cannot be determined; mount devtmpfs on /dev",
            block_device.display()
        )));
    }
    Ok(Subject {
        given: block_device.to_path_buf(),
        path: block_device.to_path_buf(),
        traits,
    })
}

/// True when a path leads to the subject.
fn is_same(path: &Path, subject: &Subject) -> bool {
    files::resolved(path).is_ok_and(|path| path == subject.path)
}

fn judge_file(subject: &Subject) -> Judgement {
    let Uses {
        found: mut facts,
        unseen,
    } = usage::file_uses(&subject.path, subject.traits.identity);
    if let Some(names) = subject.traits.names.filter(|names| *names > 1) {
        facts.push(format!(
            "a file with {names} hard links, all of which would change"
        ));
    }
    let what = format!(
        "a file of {} that plumb did not create",
        show_bytes(subject.traits.size_bytes as f64)
    );
    match facts.is_empty() {
        true => Judgement {
            word: Word::Overwrite,
            description: what,
            unseen,
        },
        false => Judgement {
            word: Word::NamedTwice,
            description: format!("{what}, and {}", facts.join(", ")),
            unseen,
        },
    }
}

fn judge_block_device(subject: &Subject, is_busy: bool) -> Result<Judgement, SiteError> {
    let mut file = files::open(
        &subject.path,
        Flags {
            read: true,
            ..Flags::default()
        },
    )
    .map_err(SiteError::kernel("open", &subject.path))?;
    let found = signature::contents(&mut file, &subject.path);
    let Uses {
        found: uses,
        unseen,
    } = match (
        files::uses_of_device(&subject.path),
        subject.traits.device_number,
    ) {
        (Some(mut found), _) => {
            if is_busy {
                found.push("a disk with a volume on which files are open".into());
            }
            Uses {
                found,
                unseen: None,
            }
        }
        (None, Some(number)) => usage::device_uses(number, is_busy),
        (None, None) => Uses {
            found: vec!["a device whose use cannot be determined".into()],
            unseen: None,
        },
    };
    let what = match found.is_empty() {
        true => "a block device".to_owned(),
        false => format!("a block device that holds {}", found.join(" and ")),
    };
    let word = if uses.is_empty() && found.is_empty() {
        Word::Overwrite
    } else {
        Word::NamedTwice
    };
    let parts: Vec<_> = std::iter::once(what).chain(uses).collect();
    Ok(Judgement {
        word,
        description: parts.join(", "),
        unseen,
    })
}

fn judge_character_device(subject: &Subject) -> Judgement {
    // Documentation/admin-guide/devices.txt, major 1: 1 /dev/mem, 2 /dev/kmem, 4 /dev/port.
    let (word, description) = match subject.traits.device_number {
        Some((1, 1 | 2 | 4)) => (Word::Never, "the memory or the I/O ports of this machine"),
        _ => (
            Word::NamedTwice,
            "a character device; the effect of writing to it is unknown",
        ),
    };
    let uses = files::disk_uses(&subject.path);
    let parts: Vec<_> = std::iter::once(description.to_owned())
        .chain(uses)
        .collect();
    Judgement {
        word,
        description: parts.join(", "),
        unseen: None,
    }
}

/// True for /dev/null (1:3), /dev/zero (1:5) and /dev/full (1:7): writing to them harms nothing.
pub fn is_harmless(traits: &Traits) -> bool {
    traits.kind == PathKind::CharacterDevice && matches!(traits.device_number, Some((1, 3 | 5 | 7)))
}
