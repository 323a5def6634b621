//! Was this file made by plumb, and what does it hold? Written into an extended attribute of the file.
//!
//! A mark counts only while the file is as plumb left it: same length, same time of last change, one name, and nothing done to it since it was marked. Whoever
//! copies data of his own over a marked file keeps the attribute but changes the time, and is checked again; who puts that time back changes the inode's
//! (ctime),
//! which nobody can put back. That time cannot stand in the mark as it is, because the mark changes it: what stands there is a moment shortly after it, and plumb
//! holds the file until that moment has passed.

use std::fs::File;
use std::io;
use std::time::{Duration, Instant};

use crate::site::needs::Needs;
use crate::site::written::holds_nothing_else;
use crate::system::files::{self, Traits};

/// How far the file had come when it was marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A run is filling or changing it, or was killed at that.
    Working,
    /// Filled from end to end and not changed since.
    Filled,
    /// Filled, and then written by a run.
    Modified,
}

/// The mark of a file that plumb made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub state: State,
    /// Length of the file, in bytes.
    pub size_bytes: u64,
    /// Time of the last change, nanoseconds since 1970.
    pub modified_ns: i128,
    /// What it was filled with, as the run described it; one line.
    pub content: String,
    /// The inode's time is not later, by the clock of the file system, nanoseconds since 1970. Missing in marks of work in progress and of older versions, which
    /// do not count.
    pub until_ns: Option<i128>,
    /// What the run writes, one line each, while it is at work.
    pub written: Vec<String>,
}

/// From the inode's time before the mark is written to the moment that stands in it, at first: clocks of file systems tick every 4 to 10 ms. Four times as much
/// when that was too short, as over a slow network.
const MARGIN_NS: i128 = 20_000_000;
const MARGIN_TRIES: u32 = 6;
/// The clock of the file system may be a tick behind.
const TICK: Duration = Duration::from_millis(10);
/// Older file systems keep full seconds.
const SECOND_NS: i128 = 1_000_000_000;

/// A file with a mark that counts from a moment on that has yet to pass.
pub struct Marked {
    file: File,
    changed_ns: Option<i128>,
    passed: Instant,
}

impl Marked {
    /// Waits for that moment. Whoever changed the file until then takes the mark's worth away. Errors: the mark cannot be written.
    pub fn hold(self) -> io::Result<()> {
        std::thread::sleep(self.passed.saturating_duration_since(Instant::now()));
        match files::traits(&self.file)?.changed_ns == self.changed_ns {
            true => Ok(()),
            false => files::set_mark(&self.file, ""),
        }
    }
}

impl Mark {
    /// Reads the mark of an open file; `None` when it has none, or none that counts any more.
    pub fn read(file: &File) -> Option<Mark> {
        Mark::untouched(file).filter(|mark| mark.state != State::Working)
    }

    /// True for a file that a run left at its end, complete or shorter, and that was not changed since.
    pub fn is_as_left(file: &File) -> bool {
        Mark::untouched(file).is_some()
    }

    fn untouched(file: &File) -> Option<Mark> {
        let traits = files::traits(file).ok()?;
        let mark = Mark::parse(&files::mark(file)?)?;
        let untouched = mark.size_bytes == traits.size_bytes
            && Some(mark.modified_ns) == traits.modified_ns
            && traits.names == Some(1);
        let untouched = untouched
            && mark
                .until_ns
                .zip(traits.changed_ns)
                .is_some_and(|(until, changed)| changed <= until);
        untouched.then_some(mark)
    }

    /// True when plumb marked the file, whatever has become of it since.
    pub fn is_there(file: &File) -> bool {
        files::mark(file).is_some_and(|text| Mark::parse(&text).is_some())
    }

    /// True when a run marked the file as its work in progress and never came to the end of it.
    pub fn is_unfinished(file: &File) -> bool {
        files::mark(file)
            .and_then(|text| Mark::parse(&text))
            .is_some_and(|mark| mark.state == State::Working)
    }

    /// True when a file with this mark need not be filled again. A run that verifies and writes starts its write counts from 0, so it cannot continue with
    /// blocks
    /// that an earlier run has written.
    pub fn suits(&self, needs: &Needs) -> bool {
        self.content == needs.content
            && !(needs.verify && needs.modifies && self.state == State::Modified)
    }

    /// Marks an open file with its present length and time as work in progress.
    pub fn begin(file: &File, content: &str, written: &[String]) -> io::Result<()> {
        let mark = Mark::of(file, State::Working, content)?;
        let full = Mark {
            written: written.to_vec(),
            ..mark.clone()
        }
        .text();
        // Too many jobs for a mark, or too many for this file system: what they wrote will not be known.
        if full.len() <= files::MARK_BYTES_MAX && files::set_mark(file, &full).is_ok() {
            return Ok(());
        }
        files::set_mark(file, &mark.text())
    }

    /// True of a file that was left unfinished and that holds nothing but what its run wrote. `false` also if that is unknown.
    pub fn is_unfinished_and_untouched(file: &File) -> bool {
        let mark = files::mark(file)
            .and_then(|text| Mark::parse(&text))
            .filter(|mark| mark.state == State::Working);
        mark.is_some_and(|mark| matches!(holds_nothing_else(file, &mark.written), Ok(Some(true))))
    }

    /// Marks an open file with its present length and time; the mark counts once it has been held.
    pub fn end(file: File, state: State, content: &str) -> io::Result<Marked> {
        let mark = Mark::of(&file, state, content)?;
        // Sets the inode's time by the clock of the file system.
        files::set_mark(
            &file,
            &Mark {
                state: State::Working,
                ..mark.clone()
            }
            .text(),
        )?;
        let changed_ns = |file: &File| files::traits(file).map(|traits| traits.changed_ns);
        let mut margin_ns = MARGIN_NS;
        for _ in 0..MARGIN_TRIES {
            let Some(before_ns) = changed_ns(&file)? else {
                break;
            };
            let until_ns = before_ns + margin_ns;
            files::set_mark(
                &file,
                &Mark {
                    until_ns: Some(until_ns),
                    ..mark.clone()
                }
                .text(),
            )?;
            let (written, now_ns) = (Instant::now(), changed_ns(&file)?);
            if let Some(rest_ns) = now_ns.map(|now| until_ns - now).filter(|rest| *rest >= 0) {
                let is_coarse = until_ns % SECOND_NS == margin_ns;
                let rest = Duration::from_nanos(if is_coarse {
                    SECOND_NS as u64
                } else {
                    rest_ns as u64
                });
                return Ok(Marked {
                    file,
                    changed_ns: now_ns,
                    passed: written + rest + TICK,
                });
            }
            margin_ns *= 4;
        }
        Err(io::Error::other(
            "the times of the file system do not fit together",
        ))
    }

    fn of(file: &File, state: State, content: &str) -> io::Result<Mark> {
        let Traits {
            size_bytes,
            modified_ns,
            ..
        } = files::traits(file)?;
        Ok(Mark {
            state,
            size_bytes,
            modified_ns: modified_ns.unwrap_or(0),
            content: content.replace('\n', " "),
            until_ns: None,
            written: Vec::new(),
        })
    }

    fn text(&self) -> String {
        let state = match self.state {
            State::Working => "working",
            State::Filled => "filled",
            State::Modified => "modified",
        };
        let until = self
            .until_ns
            .map(|until| format!("until_ns={until}\n"))
            .unwrap_or_default();
        let written: String = self
            .written
            .iter()
            .map(|line| format!("written={line}\n"))
            .collect();
        format!(
            "plumb 1\nstate={state}\nsize_bytes={}\nmodified_ns={}\ncontent={}\n{until}{written}",
            self.size_bytes, self.modified_ns, self.content
        )
    }

    fn parse(text: &str) -> Option<Mark> {
        let mut lines = text.strip_prefix("plumb 1\n")?.lines();
        let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix('=');
        let state = match value("state")? {
            "working" => State::Working,
            "filled" => State::Filled,
            "modified" => State::Modified,
            _ => return None,
        };
        let size_bytes = value("size_bytes")?.parse().ok()?;
        let modified_ns = value("modified_ns")?.parse().ok()?;
        let content = value("content")?.to_owned();
        let rest: Vec<&str> = lines.collect();
        let of = |key: &'static str| {
            rest.iter()
                .filter_map(move |line| line.strip_prefix(key)?.strip_prefix('='))
        };
        let until_ns = of("until_ns").next().and_then(|text| text.parse().ok());
        Some(Mark {
            state,
            size_bytes,
            modified_ns,
            content,
            until_ns,
            written: of("written").map(str::to_owned).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_and_nonsense_does_not() {
        for state in [State::Working, State::Filled, State::Modified] {
            for until_ns in [None, Some(1_700_000_001_123_456_789)] {
                let content = "random seed=7 a=b".into();
                let mark = Mark {
                    state,
                    size_bytes: 4096,
                    modified_ns: 1_700_000_000_123_456_789,
                    content,
                    until_ns,
                    written: vec!["1 2 0 random".into(); 2],
                };
                assert_eq!(Mark::parse(&mark.text()), Some(mark));
            }
        }
        for text in [
            "",
            "plumb 2\nstate=filled\n",
            "plumb 1\nstate=full\nsize_bytes=1\nmodified_ns=1\ncontent=\n",
            "plumb 1\nstate=filled\n",
        ] {
            assert_eq!(Mark::parse(text), None, "{text}");
        }
    }
}
