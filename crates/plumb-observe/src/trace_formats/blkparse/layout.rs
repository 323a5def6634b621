//! What is a column of blkparse's output in a format of the user's own? The fields of its option `-f` (blkparse(1), OUTPUT DESCRIPTION AND FORMATTING).

use super::event::Event;
use crate::trace_format::block_requests::{Extent, SECTOR_BYTES};
use crate::trace_format::text::number;

/// Longest format, so that no line takes long.
const FORMAT_BYTES_MAX: usize = 1024;
/// Longest line: a command of several words is looked for at each of its bytes.
const LINE_BYTES_MAX: usize = 1024;
/// The fields of blkparse.
const FIELDS: &[u8] = b"acCdDeMmnNpPsStTuU";

/// A format of `blkparse -f`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlkparseLayout {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A character other than a blank. Blanks separate, and pad fields: their number says nothing.
    Literal(u8),
    Blank,
    /// The letter after `%`.
    Field(u8),
}

/// What the fields of a line say; missing for those that the format lacks.
#[derive(Debug, Clone, Copy, Default)]
struct Values<'a> {
    action: Option<&'a [u8]>,
    kinds: Option<&'a [u8]>,
    device: Option<(u64, u64)>,
    major: Option<u64>,
    minor: Option<u64>,
    error: Option<u64>,
    sectors: Option<u64>,
    bytes: Option<u64>,
    process: Option<u64>,
    sector: Option<u64>,
    seconds: Option<u64>,
    nanoseconds: Option<u64>,
}

impl std::str::FromStr for BlkparseLayout {
    type Err = String;

    /// The format as blkparse takes it: `%5T.%9t, %a, %d, %S, %n\n`, with `\n` and `\t` written as such.
    ///
    /// Errors: what it lacks, or what plumb cannot distinguish, in one sentence.
    fn from_str(text: &str) -> Result<BlkparseLayout, String> {
        if text.len() > FORMAT_BYTES_MAX {
            return Err(format!(
                "a format of blkparse has at most {FORMAT_BYTES_MAX} characters here"
            ));
        }
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        let text = text.replace("\\r", "").replace("\\\\", "\\");
        let layout = BlkparseLayout {
            parts: parts_of(text.trim_end_matches('\n'))?,
        };
        layout.check()?;
        Ok(layout)
    }
}

fn parts_of(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        parts.push(match byte {
            b'%' => {
                let letter = rest.find(|byte| !byte.is_ascii_digit() && *byte != b'-');
                let letter = letter.ok_or("the format ends within a field: '%' needs a letter")?;
                match FIELDS.contains(&letter) {
                    true => Part::Field(letter),
                    false => Part::Literal(letter),
                }
            }
            b'\n' => {
                return Err("a format with a line end within it spreads an event over several lines; use one that has '\\n' at its end only".into());
            }
            byte if byte.is_ascii_whitespace() => Part::Blank,
            byte => Part::Literal(byte),
        });
    }
    Ok(parts)
}

impl BlkparseLayout {
    fn has(&self, field: u8) -> bool {
        self.parts.contains(&Part::Field(field))
    }

    /// Whether requests can be read by it.
    fn check(&self) -> Result<(), String> {
        let mut lacking = Vec::new();
        for (fields, meaning) in [
            (&b"a"[..], "the action, %a"),
            (b"d", "what is requested, %d"),
            (b"S", "the sector, %S"),
            (b"nN", "the size, %n or %N"),
            (b"T", "the seconds, %T"),
            (b"t", "the nanoseconds, %t"),
        ] {
            if !fields.iter().any(|field| self.has(*field)) {
                lacking.push(meaning);
            }
        }
        if !lacking.is_empty() {
            return Err(format!(
                "the format lacks {}: without it requests cannot be measured. Run blkparse with -f \"%D %5T.%9t %p %a %d %S %n\\n\"",
                lacking.join(", ")
            ));
        }
        for (at, part) in self.parts.iter().enumerate() {
            let (Part::Field(field), next) = (part, self.parts.get(at + 1)) else {
                continue;
            };
            let name = char::from(*field);
            if let Some(Part::Field(next)) = next {
                return Err(format!(
                    "nothing separates %{name} from %{}: their columns cannot be distinguished",
                    char::from(*next)
                ));
            }
            if self.parts[..at].contains(part) {
                return Err(format!("the format has %{name} twice"));
            }
        }
        Ok(())
    }

    /// The event of a line; `None` if the line is not of this format.
    pub(super) fn event<'a>(&self, line: &'a [u8]) -> Option<Event<'a>> {
        if line.len() > LINE_BYTES_MAX {
            return None;
        }
        let values = matched(&self.parts, line, Values::default())?;
        let sectors = values
            .sectors
            .or_else(|| Some(values.bytes? / SECTOR_BYTES))?;
        let seconds_ns = values.seconds?.checked_mul(1_000_000_000)?;
        Some(Event {
            device: values.device.or(values.major.zip(values.minor)),
            at_ns: seconds_ns.checked_add(values.nanoseconds.filter(|of| *of < 1_000_000_000)?)?,
            process: values.process,
            action: values.action?,
            kinds: values.kinds?,
            extent: Extent::of(values.sector?, sectors),
            error: values.error,
        })
    }
}

/// The values of a line by these parts; `None` if it does not have them, or has more.
fn matched<'a>(parts: &[Part], line: &'a [u8], mut values: Values<'a>) -> Option<Values<'a>> {
    let mut rest = line;
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Blank => continue,
            Part::Literal(byte) => rest = rest.trim_ascii_start().strip_prefix(&[*byte])?,
            // A command or packet data may be of several words: they end where the rest of the line is that of the format.
            Part::Field(b'C' | b'P') => {
                let following = parts.get(at + 1..).unwrap_or_default();
                if following.iter().all(|part| *part == Part::Blank) {
                    return Some(values);
                }
                return (0..=rest.len()).find_map(|end| matched(following, &rest[end..], values));
            }
            Part::Field(field) => {
                rest = rest.trim_ascii_start();
                let is_of = |byte: &u8| match field {
                    b'a' => byte.is_ascii_alphabetic(),
                    b'd' => byte.is_ascii_uppercase(),
                    b'e' => byte.is_ascii_digit() || *byte == b'-',
                    b'u' | b'U' => !byte.is_ascii_whitespace(),
                    _ => byte.is_ascii_digit(),
                };
                let (text, after) = split(rest, is_of)?;
                rest = after;
                let (text, after) = match field {
                    b'D' => {
                        let minor = rest.strip_prefix(b",")?;
                        let (minor, after) = split(minor, u8::is_ascii_digit)?;
                        values.device = Some((number(text)?, number(minor)?));
                        (text, after)
                    }
                    _ => (text, rest),
                };
                rest = after;
                take(*field, text, &mut values)?;
            }
        }
    }
    rest.trim_ascii_start().is_empty().then_some(values)
}

/// The bytes at the beginning that are such, at least one, and what follows them.
fn split(text: &[u8], is_of: impl Fn(&u8) -> bool) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !is_of(byte));
    let (of, after) = text.split_at(end.unwrap_or(text.len()));
    (!of.is_empty()).then_some((of, after))
}

/// Keeps the value of a field; `None` if it is none.
fn take<'a>(field: u8, text: &'a [u8], values: &mut Values<'a>) -> Option<()> {
    let place = match field {
        b'a' => {
            values.action = Some(text);
            return Some(());
        }
        b'd' => {
            values.kinds = Some(text);
            return Some(());
        }
        b'e' => {
            let error = text.strip_prefix(b"-").unwrap_or(text);
            values.error = Some(number(error)?);
            return Some(());
        }
        b'M' => &mut values.major,
        b'm' => &mut values.minor,
        b'n' => &mut values.sectors,
        b'N' => &mut values.bytes,
        b'p' => &mut values.process,
        b'S' => &mut values.sector,
        b'T' => &mut values.seconds,
        b't' => &mut values.nanoseconds,
        // CPU and number of the event in the trace, and what belongs to no request.
        _ => return Some(()),
    };
    *place = Some(number(text)?);
    Some(())
}
