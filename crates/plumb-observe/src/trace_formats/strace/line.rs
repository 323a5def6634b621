//! What is at the beginning of a line of strace? The thread and the time, in the forms that its options -f, -t, -tt, -ttt and -r give them.

use crate::trace_format::text::{number, seconds_ns};

const DAY_NS: u64 = 24 * 3600 * 1_000_000_000;
/// Seconds from which on a number is a time since 1970 and not one since the line before.
const SINCE_1970_NS: u64 = 100_000_000 * 1_000_000_000;

/// Thread and time of a line, and the rest of it.
pub struct Line<'a> {
    /// Missing without -f.
    pub thread: Option<u32>,
    pub at_ns: u64,
    pub rest: &'a [u8],
}

/// A clock that goes with the lines, as times of the day and differences have no beginning.
#[derive(Default)]
pub struct Clock {
    /// Time of the line before, in nanoseconds since 1970, or since the first midnight.
    last_ns: u64,
    /// Midnights that were passed.
    days_ns: u64,
}

impl Clock {
    /// The parts of a line; `None` when it has no time.
    pub fn line<'a>(&mut self, line: &'a [u8]) -> Option<Line<'a>> {
        let mut rest = line.trim_ascii_start();
        let mut thread = None;
        if let Some(after) = rest.strip_prefix(b"[pid") {
            let end = after.iter().position(|byte| *byte == b']')?;
            thread = Some(number(after.get(..end)?.trim_ascii())?);
            rest = after.get(end + 1..)?.trim_ascii_start();
        }
        let (mut first, mut after) = first_word(rest)?;
        if thread.is_none() && number(first).is_some() {
            thread = number(first);
            (first, after) = first_word(after.trim_ascii_start())?;
        }
        let at_ns = self.time(first)?;
        let mut rest = after.trim_ascii_start();
        // -r beside another form is in brackets.
        if let Some(within) = rest.strip_prefix(b"(+") {
            let end = within.iter().position(|byte| *byte == b')')?;
            seconds_ns(within.get(..end)?.trim_ascii())?;
            rest = within.get(end + 1..)?.trim_ascii_start();
        }
        let thread = match thread {
            Some(thread) => Some(u32::try_from(thread).ok()?),
            None => None,
        };
        Some(Line {
            thread,
            at_ns,
            rest,
        })
    }

    /// Time of the last line.
    pub fn last_ns(&self) -> u64 {
        self.last_ns
    }

    fn time(&mut self, word: &[u8]) -> Option<u64> {
        let at_ns = if word.contains(&b':') {
            let mut parts = word.split(|byte| *byte == b':');
            let (hours, minutes) = (number(parts.next()?)?, number(parts.next()?)?);
            let seconds = seconds_ns(parts.next()?)?;
            if parts.next().is_some() || hours > 23 || minutes > 59 {
                return None;
            }
            let of_day_ns = (hours * 60 + minutes) * 60 * 1_000_000_000 + seconds;
            if self.days_ns + of_day_ns + DAY_NS / 2 < self.last_ns {
                self.days_ns += DAY_NS;
            }
            self.days_ns + of_day_ns
        } else {
            // Whole seconds are a thread without a time.
            if !word.contains(&b'.') {
                return None;
            }
            match seconds_ns(word)? {
                since if since < SINCE_1970_NS => self.last_ns.checked_add(since)?,
                absolute => absolute,
            }
        };
        self.last_ns = at_ns;
        Some(at_ns)
    }
}

fn first_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(u8::is_ascii_whitespace)?;
    Some((text.get(..end)?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(lines: &[&str]) -> Vec<Option<(Option<u32>, u64)>> {
        let mut clock = Clock::default();
        let parts = lines.iter().map(|line| clock.line(line.as_bytes()));
        parts
            .map(|line| line.map(|line| (line.thread, line.at_ns)))
            .collect()
    }

    #[test]
    fn every_form_of_time_is_read() {
        assert_eq!(
            times(&[
                "12 1795492229.662178 close(3) = 0",
                "[pid    7] 1795492229.7 close(3) = 0",
                "12 close(3) = 0",
                "close(3) = 0",
            ]),
            [
                Some((Some(12), 1_795_492_229_662_178_000)),
                Some((Some(7), 1_795_492_229_700_000_000)),
                None,
                None,
            ]
        );
        assert_eq!(
            times(&[
                "12 23:59:59.5 close(3) = 0",
                "00:00:00.5 close(3) = 0",
                "1 00:00:01 (+     0.5) close(3) = 0",
                "25:00:00 close(3) = 0",
            ]),
            [
                Some((Some(12), 86_399_500_000_000)),
                Some((None, 86_400_500_000_000)),
                Some((Some(1), 86_401_000_000_000)),
                None,
            ]
        );
        assert_eq!(
            times(&[
                "     0.000000 a() = 0",
                "     0.25 b() = 0",
                "9      0.25 c() = 0"
            ]),
            [
                Some((None, 0)),
                Some((None, 250_000_000)),
                Some((Some(9), 500_000_000)),
            ]
        );
    }
}
