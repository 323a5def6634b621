//! What does an access specification of Iometer say? Lines of sizes with their shares, reads, random places, pauses and alignment.

use std::fmt;
use std::str::FromStr;

use crate::units::{Bytes, Nanos, UnitError};
use crate::workload::operation::OperationKind;
use crate::workload::{BlockSizes, BlockSpan, Mix, Offsets, Weighted, serde_as_text, words};

/// Most lines of one specification. Iometer has 100; a job file of fio may stand for more.
const LINES_MAX: usize = 4096;
/// What an alignment of 0 means: a sector, the unit that Iometer counts its disks in.
pub const SECTOR_BYTES: u64 = 512;

/// One line of an access specification.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccessLine {
    /// Length of each operation.
    pub size: BlockSpan,
    /// Share of the bursts, in percent of all lines' shares together; above 0.
    pub share: f64,
    /// Share of reads in percent, the others are writes.
    pub reads_percent: f64,
    /// Share of operations at a random place in percent; the others begin where the one before ended.
    pub random_percent: f64,
    /// Each random place comes once before any comes again, over all lines that say so; one that would meet a block that came ends there, as with fio.
    pub once: bool,
    /// Which one before.
    pub after: After,
    /// Pause before each burst.
    pub delay: Nanos,
    /// Operations of one burst, at least 1: as many follow each other before a line is drawn again.
    pub burst: u64,
    /// Offsets are multiples of it; 0 stands for a sector.
    pub align: Bytes,
}

words! {
    /// After which operation the next one comes that goes to no random place.
    After, "operation before" {
        /// The one before it, whatever it was, as with Iometer.
        Any = "any",
        /// The last one of the same kind: reads and writes each go their own way, as with fio.
        Same = "same",
    }
}

impl Default for AccessLine {
    fn default() -> Self {
        let size = BlockSpan::one(Bytes(2048));
        AccessLine {
            size,
            share: 100.0,
            reads_percent: 100.0,
            random_percent: 0.0,
            once: false,
            after: After::Any,
            delay: Nanos(0),
            burst: 1,
            align: Bytes(0),
        }
    }
}

impl AccessLine {
    /// Alignment of offsets in bytes.
    pub fn align_bytes(&self) -> u64 {
        if self.align.0 == 0 {
            SECTOR_BYTES
        } else {
            self.align.0
        }
    }

    /// How many operations it stands for, on the scale of the shares.
    fn weight(&self) -> f64 {
        self.share * self.burst as f64
    }
}

/// An access specification: at least one line.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessLines(pub Vec<AccessLine>);

impl AccessLines {
    /// The mix of operations that comes out of the lines.
    pub fn mix(&self) -> Mix {
        let shares = [
            (OperationKind::Read, self.mean(|line| line.reads_percent)),
            (
                OperationKind::Write,
                self.mean(|line| 100.0 - line.reads_percent),
            ),
        ];
        Weighted(
            shares
                .into_iter()
                .filter(|(_, share)| *share > 0.0)
                .collect(),
        )
    }

    /// The block sizes that come out of the lines, with their shares of the operations.
    pub fn block(&self) -> BlockSizes {
        let total: f64 = self.0.iter().map(AccessLine::weight).sum();
        let mut sizes: Vec<(BlockSpan, f64)> = Vec::new();
        for line in &self.0 {
            match sizes.iter_mut().find(|(size, _)| *size == line.size) {
                Some((_, weight)) => *weight += line.weight(),
                None => sizes.push((line.size, line.weight())),
            }
        }
        Weighted(
            sizes
                .into_iter()
                .map(|(size, weight)| (size, rounded(weight * 100.0 / total)))
                .collect(),
        )
    }

    /// The order of offsets that most operations follow.
    pub fn offsets(&self) -> Offsets {
        if self.random_percent() >= 50.0 {
            Offsets::RandomWithReplacement
        } else {
            Offsets::Sequential
        }
    }

    /// Share of the operations that go to a random place, in percent.
    pub fn random_percent(&self) -> f64 {
        self.mean(|line| line.random_percent)
    }

    /// Operations between two pauses and the length of each; `None`: no line pauses. The error: lines pause in different ways.
    pub fn bursts(&self) -> Result<Option<(u64, Nanos)>, UnitError> {
        let Some(first) = self.0.iter().find(|line| line.delay.0 > 0) else {
            return Ok(None);
        };
        match self
            .0
            .iter()
            .find(|line| (line.delay, line.burst) != (first.delay, first.burst))
        {
            None => Ok(Some((first.burst, first.delay))),
            Some(other) => Err(UnitError(format!(
                "lines of one specification pause alike: '{first}' and '{other}' have another delay or burst; give all the same, or make a job of each"
            ))),
        }
    }

    /// The number that all offsets and lengths are multiples of, in bytes.
    pub fn unit_bytes(&self) -> u64 {
        self.0
            .iter()
            .flat_map(|line| [line.size.from.0, line.align_bytes()])
            .fold(0, greatest_common_divisor)
    }

    /// The mean over all operations.
    fn mean(&self, of: impl Fn(&AccessLine) -> f64) -> f64 {
        let total: f64 = self.0.iter().map(AccessLine::weight).sum();
        rounded(
            self.0
                .iter()
                .map(|line| of(line) * line.weight())
                .sum::<f64>()
                / total,
        )
    }
}

/// To nine digits behind the point: sums of shares such as 33.3 carry an error in the sixteenth digit, which would be shown.
pub fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

/// The largest number that both are multiples of; `a` where `b` is 0.
pub fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

impl FromStr for AccessLine {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = |what: &str| {
            UnitError(format!(
                "'{}' is no line of an access specification: {what}; write for example 4k share 67 reads 100 random 100 delay 0ms burst 1 align 0",
                text.trim()
            ))
        };
        let mut words = text.split_whitespace();
        let size = words
            .next()
            .ok_or_else(|| bad("the size is missing"))?
            .parse::<BlockSpan>()
            .map_err(|error| bad(&error.0))?;
        let mut line = AccessLine {
            size,
            ..AccessLine::default()
        };
        while let Some(name) = words.next() {
            let value = words
                .next()
                .ok_or_else(|| bad(&format!("{name} has no value")))?;
            let percent = || {
                let share = value
                    .trim_end_matches('%')
                    .parse::<f64>()
                    .ok()
                    .filter(|share| (0.0..=100.0).contains(share));
                share.ok_or_else(|| bad(&format!("{name} {value} is no percentage from 0 to 100")))
            };
            match name.to_ascii_lowercase().as_str() {
                "share" => line.share = percent()?,
                "reads" => line.reads_percent = percent()?,
                "random" => line.random_percent = percent()?,
                "places" if value == "once" => line.once = true,
                "places" if value == "any" => line.once = false,
                "places" => return Err(bad(&format!("places {value} is neither once nor any"))),
                "delay" => line.delay = value.parse().map_err(|error: UnitError| bad(&error.0))?,
                "after" => line.after = value.parse().map_err(|error: UnitError| bad(&error.0))?,
                "align" => line.align = value.parse().map_err(|error: UnitError| bad(&error.0))?,
                "burst" => {
                    let burst = value.parse::<u32>().ok().filter(|burst| *burst > 0);
                    line.burst = burst.map(u64::from).ok_or_else(|| {
                        bad(&format!(
                            "burst {value} is no number of operations from 1 on"
                        ))
                    })?;
                }
                "reply" if value.parse::<Bytes>().is_ok_and(|bytes| bytes.0 == 0) => {}
                "reply" => {
                    return Err(bad(
                        "replies are messages of a network target: plumb run netpipe exchanges those",
                    ));
                }
                other => {
                    return Err(bad(&format!(
                        "'{other}' is none of share, reads, random, places, after, delay, burst, align"
                    )));
                }
            }
        }
        Ok(line)
    }
}

impl fmt::Display for AccessLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.size)?;
        if self.share != 100.0 {
            write!(f, " share {}", self.share)?;
        }
        write!(
            f,
            " reads {} random {}",
            self.reads_percent, self.random_percent
        )?;
        if self.once {
            write!(f, " places once")?;
        }
        if self.after != After::Any {
            write!(f, " after {}", self.after)?;
        }
        if self.delay.0 > 0 {
            write!(f, " delay {}", self.delay)?;
        }
        if self.burst != 1 {
            write!(f, " burst {}", self.burst)?;
        }
        if self.align.0 > 0 {
            write!(f, " align {}", self.align)?;
        }
        Ok(())
    }
}

impl FromStr for AccessLines {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut lines = Vec::new();
        for part in text
            .split([';', ',', '\n'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            if lines.len() == LINES_MAX {
                return Err(UnitError(format!(
                    "an access specification has at most {LINES_MAX} lines"
                )));
            }
            lines.push(part.parse::<AccessLine>()?);
        }
        lines.retain(|line| line.share > 0.0);
        if lines.is_empty() {
            return Err(UnitError(
                "an access specification needs a line with a share above 0: write for example 4k reads 67 random 100".into(),
            ));
        }
        Ok(AccessLines(lines))
    }
}

impl fmt::Display for AccessLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, line) in self.0.iter().enumerate() {
            write!(f, "{}{line}", if place > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

serde_as_text!(
    AccessLines,
    "AccessLines",
    "lines of an access specification, separated by semicolons: 4k share 67 reads 100 random 100 delay 0ms burst 1 align 0; 64k share 33 reads 0 random 0"
);

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> AccessLines {
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn every_line_reads_back() {
        for (text, shown) in [
            (
                "4k random 80 places once after same",
                "4k reads 100 random 80 places once after same",
            ),
            (
                "2k share 100 reads 67 random 100 delay 0ms burst 1 align 0",
                "2k reads 67 random 100",
            ),
            ("4k", "4k reads 100 random 0"),
            (
                "4k after same reads 50 delay 0s",
                "4k reads 50 random 0 after same",
            ),
            (
                "4k share 67.5% reads 100 random 0 delay 5ms burst 16 align 4k reply 0; 64k random 50 share 32.5 reads 0",
                "4k share 67.5 reads 100 random 0 delay 5ms burst 16 align 4k; 64k share 32.5 reads 0 random 50",
            ),
            (
                "4k share 0, 8k share 5\n512 share 1",
                "8k share 5 reads 100 random 0; 512 share 1 reads 100 random 0",
            ),
        ] {
            assert_eq!(lines(text).to_string(), shown);
            assert_eq!(lines(shown), lines(text));
        }
    }

    #[test]
    fn what_comes_out_of_the_lines_is_weighed_by_operations() {
        let found =
            lines("4k share 50 reads 100 random 100; 64k share 25 reads 0 random 0 burst 2");
        assert_eq!(found.mix().to_string(), "read:50,write:50");
        assert_eq!(found.block().to_string(), "4k:50,64k:50");
        assert_eq!(
            (found.random_percent(), found.offsets()),
            (50.0, Offsets::RandomWithReplacement)
        );
        assert_eq!(found.unit_bytes(), 512);
        assert_eq!(lines("6k align 4k; 8k align 4k").unit_bytes(), 2048);
        assert_eq!(lines("8k").mix().to_string(), "read");
        assert_eq!(lines("8k reads 0").mix().to_string(), "write");
    }

    #[test]
    fn pauses_are_those_of_all_lines() {
        assert_eq!(lines("4k; 8k burst 3").bursts(), Ok(None));
        assert_eq!(
            lines("4k delay 2ms burst 3; 8k delay 2ms burst 3").bursts(),
            Ok(Some((3, Nanos(2_000_000))))
        );
        assert!(
            lines("4k delay 2ms; 8k")
                .bursts()
                .expect_err("unlike")
                .0
                .contains("pause alike")
        );
    }

    #[test]
    fn nonsense_is_refused_with_an_example() {
        for (text, expected) in [
            ("", "4k reads 67"),
            ("4k share 0", "share above 0"),
            ("reads 50", "not a size"),
            ("4k reads", "reads has no value"),
            ("4k reads 101", "0 to 100"),
            ("4k random x", "0 to 100"),
            ("4k burst 0", "from 1 on"),
            ("4k after lunch", "any, same"),
            ("4k reply 64", "network target"),
            ("4k stride 4", "none of share"),
        ] {
            let error = text.parse::<AccessLines>().expect_err(text).0;
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!("1;".repeat(LINES_MAX + 1).parse::<AccessLines>().is_err());
    }
}
