//! Was this file made by plumb, and what does it hold? Written into an extended attribute of the file.
//!
//! A mark counts only while the file is as plumb left it: same length, same time of last change, one name, and nothing done to it since it was marked. Whoever
//! copies data of his own over a marked file keeps the attribute but changes the time, and is asked again; who puts that time back changes the inode's (ctime),
//! which nobody can put back.

use std::fs::File;
use std::io;

use super::Needs;
use super::host::{self, Traits};

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
    /// When it was marked by the clock of the file system, nanoseconds since 1970: the inode's time must not be much later. Missing in marks of older
    /// versions, which are believed without it.
    pub marked_ns: Option<i128>,
}

/// The mark itself changes the inode, a little after the time that it holds: clocks of file systems tick every 4 to 10 ms, and a network may be slow.
const MARKING_NS: i128 = 1_500_000_000;

impl Mark {
    /// Reads the mark of an open file; `None` when it has none, or none that counts any more.
    pub fn read(file: &File) -> Option<Mark> {
        let traits = host::traits(&file.metadata().ok()?);
        let mark = Mark::parse(&host::mark(file)?)?;
        let untouched = mark.size_bytes == traits.size_bytes && Some(mark.modified_ns) == traits.modified_ns && traits.names == Some(1);
        let since = mark.marked_ns.zip(traits.changed_ns).map_or(0, |(marked, changed)| changed - marked);
        let untouched = untouched && since <= MARKING_NS;
        (untouched && mark.state != State::Working).then_some(mark)
    }

    /// True when plumb marked the file, whatever has become of it since.
    pub fn is_there(file: &File) -> bool {
        host::mark(file).is_some_and(|text| Mark::parse(&text).is_some())
    }

    /// True when a run marked the file as its work in progress and never came to the end of it.
    pub fn is_unfinished(file: &File) -> bool {
        host::mark(file).and_then(|text| Mark::parse(&text)).is_some_and(|mark| mark.state == State::Working)
    }

    /// True when a file with this mark need not be filled again. A run that verifies and writes begins its write counts anew, so it cannot go on with blocks
    /// that an earlier run has written.
    pub fn suits(&self, needs: &Needs) -> bool {
        self.content == needs.content && !(needs.verify && needs.modifies && self.state == State::Modified)
    }

    /// Marks an open file with its present length and time.
    pub fn write(file: &File, state: State, content: &str) -> io::Result<()> {
        let Traits { size_bytes, modified_ns, .. } = host::traits(&file.metadata()?);
        let mark = Mark { state, size_bytes, modified_ns: modified_ns.unwrap_or(0), content: content.replace('\n', " "), marked_ns: None };
        // Marked twice: the first time sets the inode's time, which the second one holds, by the clock of the file system.
        host::set_mark(file, &mark.text())?;
        let marked_ns = host::traits(&file.metadata()?).changed_ns;
        host::set_mark(file, &Mark { marked_ns, ..mark }.text())
    }

    fn text(&self) -> String {
        let state = match self.state {
            State::Working => "working",
            State::Filled => "filled",
            State::Modified => "modified",
        };
        let marked = self.marked_ns.map(|marked| format!("marked_ns={marked}\n")).unwrap_or_default();
        format!(
            "plumb 1\nstate={state}\nsize_bytes={}\nmodified_ns={}\ncontent={}\n{marked}",
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
        Some(Mark { state, size_bytes, modified_ns, content, marked_ns: value("marked_ns").and_then(|text| text.parse().ok()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_and_nonsense_does_not() {
        for state in [State::Working, State::Filled, State::Modified] {
            for marked_ns in [None, Some(1_700_000_001_123_456_789)] {
                let content = "random seed=7 a=b".into();
                let mark = Mark { state, size_bytes: 4096, modified_ns: 1_700_000_000_123_456_789, content, marked_ns };
                assert_eq!(Mark::parse(&mark.text()), Some(mark));
            }
        }
        for text in
            ["", "plumb 2\nstate=filled\n", "plumb 1\nstate=full\nsize_bytes=1\nmodified_ns=1\ncontent=\n", "plumb 1\nstate=filled\n"]
        {
            assert_eq!(Mark::parse(text), None, "{text}");
        }
    }
}
