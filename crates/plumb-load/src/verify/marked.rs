//! How are blocks verified that are marked as fio marks them?

use plumb_model::statement::Statement;
use plumb_model::workload::Workload;

use super::fio::{Intact, Marks, Position, Wrong};
use super::unit::{Mismatch, Units, hex_lines};
use super::{COUNT, Ticket, Verifier, Word, has_backlog, tables};
use crate::feed::offsets::Span;

/// What is known of an interval that was read.
enum Known {
    /// It must be this write.
    Write(u32),
    /// A write was in flight or failed: it is between these writes, or torn.
    Between(u32, u32),
    Nothing,
}

impl Known {
    /// The write that must be there.
    fn count(&self) -> Option<u32> {
        match self {
            Known::Write(count) => Some(*count),
            Known::Between(..) | Known::Nothing => None,
        }
    }
}

impl Verifier {
    /// A verifier for jobs that mark blocks as fio does (`verify_as`); the rest as [`Verifier::new`].
    ///
    /// # Errors
    /// What cannot be verified, and what to change.
    pub fn marked(workloads: &[&Workload], seed: u64, files: &[Span]) -> Result<Self, String> {
        let smallest = workloads
            .iter()
            .map(|workload| workload.smallest_block_bytes());
        let unit_bytes = smallest.min().unwrap_or(0);
        let mut marks: Vec<Marks> = Vec::new();
        for workload in workloads {
            let Some(of_fio) = &workload.verify_as else {
                return Err(
                    "some steps verify as fio does and some as plumb does: set verify-as for all or none"
                        .into(),
                );
            };
            if !marks.iter().any(|marks| marks.is_of(workload)) {
                marks.push(Marks::new(workload, of_fio, seed)?);
            }
        }
        let (Some(first), true) = (
            workloads.first(),
            (1..=u64::from(u32::MAX)).contains(&unit_bytes),
        ) else {
            return Err("verify requires blocks: set block".into());
        };
        let units = Units::new(first, seed, unit_bytes as u32)?;
        Ok(Verifier {
            marks,
            ..Verifier::of_tables(tables(files, unit_bytes, has_backlog(workloads))?, units)
        })
    }

    /// How the jobs of this workload mark blocks; `None`: as plumb does.
    pub fn marks_of(&self, workload: &Workload) -> Option<&Marks> {
        self.marks.iter().find(|marks| marks.is_of(workload))
    }

    /// As [`Verifier::try_begin_write`], marked as fio does it.
    #[must_use]
    pub fn try_begin_marked_write(
        &self,
        marks: &Marks,
        file: u32,
        offset: u64,
        block: &mut [u8],
    ) -> Option<Ticket> {
        let ticket = self.begin(file, offset, block.len())?;
        let before = ticket.words.as_slice();
        let unit_bytes = self.units.bytes() as usize;
        marks.make(file, offset, block, |at| {
            before
                .get(at / unit_bytes)
                .map_or(0, |word| word.begin().begun())
        });
        Some(ticket)
    }

    /// As [`Verifier::check`], for blocks marked as fio does it. `is_existing`: of an earlier run, so that nothing is known of their writes.
    ///
    /// # Errors
    /// The first interval that is wrong, explained.
    pub fn check_marked(
        &self,
        marks: &Marks,
        is_existing: bool,
        ticket: Ticket,
        block: &[u8],
    ) -> Result<(), Mismatch> {
        let now = self.now(&ticket, block.len());
        let unit_bytes = self.units.bytes() as usize;
        let (mut checked, mut undecided) = (0, 0);
        let mut first: Option<Mismatch> = None;
        for (index, interval) in block.chunks_exact(marks.interval()).enumerate() {
            let at = index * marks.interval();
            let position = Position {
                file: ticket.file,
                block_offset: ticket.offset,
                at,
            };
            let words = (
                ticket.words.as_slice().get(at / unit_bytes),
                now.as_slice().get(at / unit_bytes).copied(),
            );
            let known = match words {
                (Some(before), Some(after)) if !is_existing => known(*before, after),
                _ => Known::Nothing,
            };
            checked += 1;
            let mut found = marks.check(position, interval);
            if let (Known::Write(count), Ok(Intact::Count(written))) = (&known, &found)
                && count == written
            {
                let content = marks.check_content(position, *count, interval);
                found = content.map(|()| Intact::Count(*count));
            }
            let wrong = match judge(marks, is_existing, &known, found) {
                Judged::Right => continue,
                Judged::Undecided => {
                    undecided += 1;
                    continue;
                }
                Judged::Wrong(statement) => statement,
            };
            let mismatch = first.get_or_insert_with(|| Mismatch {
                file: ticket.file,
                offset: position.offset(),
                block_bytes: interval.len() as u32,
                wrong_units: 0,
                explanation: wrong,
                hex_window: hex_lines(position.offset(), 0, &[("found", interval)]).into(),
                received: interval.into(),
                expected: marks
                    .expected(position, interval, known.count())
                    .map(Into::into),
            });
            mismatch.wrong_units += 1;
        }
        self.counts.add(ticket.worker, checked, undecided);
        first.map_or(Ok(()), Err)
    }
}

fn known(before: Word, after: Word) -> Known {
    let is_quiet = before == after && !before.in_flight();
    if before.unknown() || after.unknown() {
        Known::Nothing
    } else if is_quiet && before.begun() == before.acknowledged() {
        Known::Write(before.acknowledged())
    } else {
        Known::Between(before.acknowledged(), after.begun())
    }
}

/// The judgement of one interval.
enum Judged {
    Right,
    Undecided,
    Wrong(Statement),
}

fn judge(marks: &Marks, is_existing: bool, known: &Known, found: Result<Intact, Wrong>) -> Judged {
    match (known, found) {
        (Known::Nothing, Ok(_)) if is_existing => Judged::Right,
        (Known::Nothing, Err(wrong)) if is_existing => match marks.skips(&wrong) {
            true => Judged::Undecided,
            false => Judged::Wrong(wrong.statement()),
        },
        (Known::Nothing, _) => Judged::Undecided,
        (_, Ok(Intact::Nameless)) => Judged::Right,
        (Known::Write(expected), Ok(Intact::Count(count))) if count == *expected => Judged::Right,
        (Known::Write(expected), Ok(Intact::Count(count))) => {
            let is_later = (count.wrapping_sub(*expected) & COUNT as u32) < COUNT as u32 / 2;
            Judged::Wrong(
                Statement::new(match is_later {
                    true => "block-of-unknown-write",
                    false => "block-of-older-write",
                })
                .name("found", count.to_string())
                .name("count", expected.to_string()),
            )
        }
        (Known::Write(_), Ok(Intact::Other { rand_seed })) => Judged::Wrong(
            Statement::new("fio-block-of-another-run").name("seed", rand_seed.to_string()),
        ),
        (Known::Write(_), Err(wrong)) => Judged::Wrong(wrong.statement()),
        (Known::Between(first, last), Ok(Intact::Count(count))) => {
            let range = last.wrapping_sub(*first) & COUNT as u32;
            let distance = count.wrapping_sub(*first) & COUNT as u32;
            if distance <= range {
                Judged::Right
            } else {
                let older = Statement::new("block-of-older-write")
                    .name("found", count.to_string())
                    .name("count", first.to_string());
                Judged::Wrong(older)
            }
        }
        // It may be torn, or of before a write that failed.
        (Known::Between(..), _) => Judged::Undecided,
    }
}
