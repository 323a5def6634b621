//! Which time is a number of a capture file? Nanoseconds since 1970, whatever its unit.

const NANOSECONDS: u64 = 1_000_000_000;

/// Units per second, and the offset to add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    per_second: u64,
    offset_s: i64,
}

impl Resolution {
    pub const MICROSECONDS: Resolution = Resolution {
        per_second: 1_000_000,
        offset_s: 0,
    };
    pub const NANOSECONDS: Resolution = Resolution {
        per_second: NANOSECONDS,
        offset_s: 0,
    };

    /// What the option if_tsresol says: a negative power of 10, or of 2 when the highest bit is set. Powers beyond 64 bits are read as microseconds.
    pub fn of_option(code: u8) -> Resolution {
        let power = u32::from(code & 0x7f);
        let per_second = match code & 0x80 {
            0 => 10u64.checked_pow(power),
            _ => 2u64.checked_pow(power),
        };
        Resolution {
            per_second: per_second.unwrap_or(1_000_000),
            offset_s: 0,
        }
    }

    /// With so many seconds added to each time (if_tsoffset).
    pub fn with_offset(self, offset_s: i64) -> Resolution {
        Resolution { offset_s, ..self }
    }

    /// Nanoseconds of so many units; 0 for times before 1970.
    pub fn of_units(self, units: u64) -> u64 {
        let ns = match self.per_second {
            NANOSECONDS => i128::from(units),
            1_000_000 => i128::from(units) * 1000,
            other => i128::from(units) * i128::from(NANOSECONDS) / i128::from(other),
        };
        let shifted = ns + i128::from(self.offset_s) * i128::from(NANOSECONDS);
        u64::try_from(shifted.max(0)).unwrap_or(u64::MAX)
    }

    /// Nanoseconds of seconds and a fraction in units; `None` when the fraction is a second or more.
    pub fn of_parts(self, seconds: u32, fraction: u32) -> Option<u64> {
        let fraction = u64::from(fraction);
        (fraction < self.per_second).then(|| {
            u64::from(seconds) * NANOSECONDS + fraction * (NANOSECONDS / self.per_second.max(1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_become_nanoseconds() {
        for (code, units, expected) in [
            (6, 1_500_000, 1_500_000_000),
            (9, 1_500_000, 1_500_000),
            (3, 1500, 1_500_000_000),
            (12, 1500, 1),
            (0x80 | 10, 1536, 1_500_000_000),
            (0x80 | 127, 7, 7000),
            (9, u64::MAX, u64::MAX),
        ] {
            assert_eq!(Resolution::of_option(code).of_units(units), expected);
        }
        assert_eq!(Resolution::of_option(6).with_offset(-1).of_units(5), 0);
        assert_eq!(
            Resolution::of_option(0).with_offset(2).of_units(5),
            7 * NANOSECONDS
        );
        let micro = Resolution::MICROSECONDS;
        assert_eq!(micro.of_parts(1, 999_999), Some(1_999_999_000));
        assert_eq!(micro.of_parts(1, 1_000_000), None);
    }
}
