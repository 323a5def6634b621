//! What is one event of Windows' kernel, and how are the fields of its payload read? Strictly: a field that does not lie wholly in it is none.

/// One event as Windows hands it over (EVENT_RECORD of evntcons.h).
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// The GUID of its class, `DiskIo`, `FileIo`, as a number in the order in which it is written.
    pub class: u128,
    /// Event type: EventDescriptor.Opcode.
    pub kind: u8,
    pub version: u8,
    /// Of the system that recorded it: 4 or 8.
    pub pointer_bytes: usize,
    /// Missing where the header of the event has none.
    pub thread: Option<u32>,
    pub process: Option<u32>,
    /// In units of 100 ns since 1601 (FILETIME), as Windows converts them from the clock of the session.
    pub filetime: i64,
    /// Ticks per second in which response times of disks are reported; 0 where it is not known.
    pub ticks_per_second: u64,
    pub payload: &'a [u8],
}

/// Between the FILETIME's 1601 and 1970, in units of 100 ns.
const UNITS_TO_1970: i64 = 116_444_736_000_000_000;

impl<'a> Event<'a> {
    /// Nanoseconds since 1970; `None` for a time before.
    pub fn at_ns(&self) -> Option<u64> {
        let units = u64::try_from(self.filetime.checked_sub(UNITS_TO_1970)?).ok()?;
        units.checked_mul(100)
    }

    pub fn fields(&self) -> Fields<'a> {
        Fields {
            rest: self.payload,
            pointer_bytes: self.pointer_bytes,
        }
    }
}

/// Fields of a payload, one after the other, without gaps (MOF qualifier WmiDataId).
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    rest: &'a [u8],
    pointer_bytes: usize,
}

impl<'a> Fields<'a> {
    pub fn skip(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (skipped, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(skipped)
    }

    pub fn skip_pointers(&mut self, pointers: usize) -> Option<&'a [u8]> {
        self.skip(self.pointer_bytes * pointers)
    }

    pub fn u32(&mut self) -> Option<u32> {
        let bytes = self.skip(4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    }

    pub fn u64(&mut self) -> Option<u64> {
        let bytes = self.skip(8)?.try_into().ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    pub fn pointer(&mut self) -> Option<u64> {
        match self.pointer_bytes {
            4 => self.u32().map(u64::from),
            _ => self.u64(),
        }
    }

    /// UTF-16 up to a 0 or the end.
    pub fn wide_text(&mut self) -> String {
        let units = self.rest.chunks_exact(2).map(|pair| match pair {
            [low, high] => u16::from_le_bytes([*low, *high]),
            _ => 0,
        });
        let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        let end = (2 * units.len() + 2).min(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or_default();
        String::from_utf16_lossy(&units)
    }

    /// Bytes up to a 0 or the end.
    pub fn text(&mut self) -> String {
        let end = self.rest.iter().position(|byte| *byte == 0);
        let text = self.rest.get(..end.unwrap_or(self.rest.len()));
        String::from_utf8_lossy(text.unwrap_or_default()).into_owned()
    }

    /// What a user is reported by: 0, or a TOKEN_USER of two pointers and a security identifier with its parts counted in its second byte (MOF extension "Sid").
    pub fn skip_user(&mut self) -> Option<()> {
        let mut ahead = *self;
        if ahead.u32()? == 0 {
            *self = ahead;
            return Some(());
        }
        self.skip_pointers(2)?;
        let parts = usize::from(*self.rest.get(1)?);
        self.skip(8 + 4 * parts)?;
        Some(())
    }
}
