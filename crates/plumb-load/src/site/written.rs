//! What did a run write into a file of blocks? Noted in the mark of a file that is being made, so that what somebody put into it after a kill is not taken for it.

use std::fs::File;
use std::io::{self, BufReader, Seek};

use plumb_model::workload::{Content, Job, OperationKind, Workload};

use crate::feed::content::known::{Known, POOLS_MAX, SECTOR};
use crate::feed::content::{Body, seed_of_round};

/// Read at once.
const PIECE_BYTES: usize = 1 << 20;
/// Rounds for which content is looked for at least: live comparisons may make more than they set out to.
const ROUNDS_MIN: u32 = 64;
/// Longer patterns are not noted.
const PATTERN_MAX_BYTES: usize = 512;
/// Stands for content that nobody can foretell.
const ANY: &str = "any";

/// What one job writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    seed: u64,
    rounds: u32,
    compress_percent: f64,
    /// `None`: cannot be foretold.
    content: Option<Content>,
}

/// True of a pattern for which a mark of a file has no room: extended attributes have a few KiB.
fn is_long(content: &Content) -> bool {
    matches!(content, Content::Pattern(bytes) if bytes.len() > PATTERN_MAX_BYTES)
}

impl Written {
    /// The blocks of a job in so many rounds.
    pub fn by(job: &Job, rounds: u32) -> Written {
        let workload = &job.workload;
        let is_whole = |bytes: u64| bytes.is_multiple_of(SECTOR as u64);
        let rewrites = workload
            .mix
            .0
            .iter()
            .any(|(kind, _)| *kind == OperationKind::Rewrite);
        let by_sectors = workload
            .block
            .0
            .iter()
            .all(|(block, _)| is_whole(block.from.0))
            && is_whole(workload.start.0);
        // A kill may come while a sector is copied into a mapping.
        let is_mapped = job.engine.maps_files();
        let foretold = by_sectors
            && !rewrites
            && !is_mapped
            && workload.access.is_none()
            && workload.replay.is_none()
            // Blocks of fio's form are not looked for.
            && workload.verify_as.is_none()
            // Its marks are known to nobody.
            && workload.content != Content::Scrambled
            && !is_long(&workload.content);
        Written {
            seed: workload.seed.unwrap_or_default(),
            rounds,
            compress_percent: workload.compress_percent,
            content: foretold.then(|| workload.content.clone()),
        }
    }

    /// One line.
    pub fn text(&self) -> String {
        let content = self
            .content
            .as_ref()
            .map_or(ANY.to_string(), Content::to_string);
        format!(
            "{} {} {} {content}",
            self.seed, self.rounds, self.compress_percent
        )
    }

    fn parse(text: &str) -> Option<Written> {
        let mut words = text.split(' ');
        let seed = words.next()?.parse().ok()?;
        let (rounds, compress_percent) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let content = match words.next()? {
            ANY => None,
            content => Some(content.parse().ok()?),
        };
        Some(Written {
            seed,
            rounds,
            compress_percent,
            content,
        })
    }
}

/// True if the file contains nothing but what the jobs of these lines write; `None` if that is unknown.
///
/// # Errors
/// The file cannot be read.
pub fn holds_nothing_else(file: &File, lines: &[String]) -> io::Result<Option<bool>> {
    let Some(known) = known(lines) else {
        return Ok(None);
    };
    let mut file = file.try_clone()?;
    file.rewind()?;
    known
        .is_all(BufReader::with_capacity(PIECE_BYTES, file))
        .map(Some)
}

fn known(lines: &[String]) -> Option<Known> {
    let jobs: Vec<Written> = lines
        .iter()
        .map(|line| Written::parse(line))
        .collect::<Option<_>>()?;
    let share = POOLS_MAX.checked_div(jobs.len())? as u32;
    let mut known = Known::default();
    for job in jobs {
        let workload = Workload {
            content: job.content?,
            compress_percent: job.compress_percent,
            ..Workload::default()
        };
        let rounds = if workload.content == Content::Random || workload.content == Content::Reused {
            job.rounds.max(ROUNDS_MIN)
        } else {
            1
        };
        for round in 0..rounds.min(share.max(1)) {
            known.add(Body::new(&workload, seed_of_round(job.seed, round)).ok()?);
        }
    }
    Some(known)
}

#[cfg(test)]
mod tests {
    use plumb_model::target::Target;
    use plumb_model::units::Bytes;
    use plumb_model::workload::{EngineChoice, Weighted};

    use super::*;

    #[test]
    fn lines_read_back_and_what_cannot_be_foretold_is_not_known() {
        let by = |workload: Workload| {
            Written::by(
                &Job {
                    name: String::new(),
                    target: Target::Null,
                    engine: EngineChoice::default(),
                    workload,
                },
                3,
            )
        };
        let plain = by(Workload::default());
        assert_eq!(Written::parse(&plain.text()).as_ref(), Some(&plain));
        assert!(known(&[plain.text()]).is_some());
        let odd = by(Workload {
            block: Weighted::only(Bytes(1000)),
            ..Workload::default()
        });
        assert_eq!(Written::parse(&odd.text()).as_ref(), Some(&odd));
        // The mark of a file would have no room for it.
        let long = by(Workload {
            content: Content::Pattern(vec![7; 16 << 10]),
            ..Workload::default()
        });
        assert!(long.text().len() < 100);
        let of_fio = by(Workload {
            verify: true,
            verify_as: "md5".parse().ok(),
            ..Workload::default()
        });
        for lines in [
            vec![],
            vec![long.text()],
            vec![of_fio.text()],
            vec![odd.text()],
            vec![plain.text(), odd.text()],
            vec!["nonsense".into()],
        ] {
            assert!(known(&lines).is_none(), "{lines:?}");
        }
    }
}
