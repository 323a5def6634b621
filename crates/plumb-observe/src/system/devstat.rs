//! What has each disk done, as FreeBSD counts it? From sysctl kern.devstat.all (devstat(9)): a number of the list's generation, then one record for each device.

/// What a device has done since it was there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DiskCounts {
    /// `ada0`.
    pub name: String,
    pub reads: Transfers,
    pub writes: Transfers,
    /// What the kernel calls BIO_DELETE.
    pub discards: Transfers,
    pub in_flight: u32,
    pub busy_ns: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Transfers {
    pub operations: u64,
    pub bytes: u64,
    /// Times of all of them added up.
    pub time_ns: f64,
}

/// The counts of all disks; `None` where there is no such list.
pub(crate) fn disk_counts() -> Option<Vec<DiskCounts>> {
    #[cfg(target_os = "freebsd")]
    {
        let version = super::sysctl::number(c"kern.devstat.version");
        (version == Some(VERSION)).then(|| {
            let bytes = super::sysctl::bytes(c"kern.devstat.all");
            bytes.as_deref().and_then(parse)
        })?
    }
    #[cfg(not(target_os = "freebsd"))]
    None
}

/// DEVSTAT_VERSION of sys/devicestat.h, with the places below on processors of 64 bits.
#[cfg(target_os = "freebsd")]
const VERSION: u64 = 6;
/// The number before the records: a long.
const GENERATION_BYTES: usize = 8;
const RECORD_BYTES: usize = 288;
const STARTED: usize = 8;
const ENDED: usize = 12;
const NAME: usize = 44;
const NAME_BYTES: usize = 16;
const UNIT: usize = 60;
const BYTES: usize = 64;
const OPERATIONS: usize = 96;
/// Durations are struct bintime: seconds, and parts of a second in 2^-64.
const DURATIONS: usize = 128;
const BUSY: usize = 192;
const TYPE: usize = 260;
const LAST_SEQUENCE: usize = 280;
/// DEVSTAT_TYPE_PASS: another way to a device that is listed by itself.
const TYPE_PASS: u32 = 0x100;

#[cfg(all(target_os = "freebsd", target_pointer_width = "64"))]
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<libc::devstat>() == RECORD_BYTES);
    assert!(offset_of!(libc::devstat, start_count) == STARTED);
    assert!(offset_of!(libc::devstat, end_count) == ENDED);
    assert!(offset_of!(libc::devstat, device_name) == NAME);
    assert!(offset_of!(libc::devstat, unit_number) == UNIT);
    assert!(offset_of!(libc::devstat, bytes) == BYTES);
    assert!(offset_of!(libc::devstat, operations) == OPERATIONS);
    assert!(offset_of!(libc::devstat, duration) == DURATIONS);
    assert!(offset_of!(libc::devstat, busy_time) == BUSY);
    assert!(offset_of!(libc::devstat, device_type) == TYPE);
    assert!(offset_of!(libc::devstat, sequence1) == LAST_SEQUENCE);
};

/// The records; `None` when these are no whole records.
#[cfg_attr(not(any(target_os = "freebsd", test)), allow(dead_code))]
fn parse(bytes: &[u8]) -> Option<Vec<DiskCounts>> {
    let records = bytes.get(GENERATION_BYTES..)?;
    if !records.len().is_multiple_of(RECORD_BYTES) {
        return None;
    }
    Some(
        records
            .chunks_exact(RECORD_BYTES)
            .filter_map(record)
            .collect(),
    )
}

fn record(record: &[u8]) -> Option<DiskCounts> {
    let number = |at: usize| u32::from_le_bytes(part(record, at));
    let long = |at: usize| u64::from_le_bytes(part(record, at));
    let ns = |at: usize| {
        let fraction = long(at + 8) as f64 / 2f64.powi(64);
        (long(at) as f64 + fraction) * 1e9
    };
    // The numbers at both ends differ while the kernel writes the record: it is missing at this reading.
    if number(0) != number(LAST_SEQUENCE) || number(TYPE) & TYPE_PASS != 0 {
        return None;
    }
    // In the order of devstat_trans_flags: none, read, write, free.
    let transfers = |kind: usize| Transfers {
        operations: long(OPERATIONS + kind * 8),
        bytes: long(BYTES + kind * 8),
        time_ns: ns(DURATIONS + kind * 16),
    };
    let name = &record[NAME..NAME + NAME_BYTES];
    let end = name.iter().position(|byte| *byte == 0);
    let name = std::str::from_utf8(&name[..end?]).ok()?;
    Some(DiskCounts {
        name: format!("{name}{}", number(UNIT)),
        reads: transfers(1),
        writes: transfers(2),
        discards: transfers(3),
        in_flight: number(STARTED).wrapping_sub(number(ENDED)),
        busy_ns: ns(BUSY),
    })
}

fn part<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&record[at..at + N]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record as sys/devicestat.h lays it out on amd64.
    fn device(name: &str, unit: u32, kind: u32) -> Vec<u8> {
        let mut record = Vec::new();
        let number = |record: &mut Vec<u8>, value: u32| record.extend(value.to_le_bytes());
        let long = |record: &mut Vec<u8>, value: u64| record.extend(value.to_le_bytes());
        for value in [9, 1, 1007, 1000] {
            number(&mut record, value);
        }
        for value in [0, 0, 0] {
            long(&mut record, value);
        }
        number(&mut record, 3);
        let mut padded = name.as_bytes().to_vec();
        padded.resize(NAME_BYTES, 0);
        record.extend(padded);
        number(&mut record, unit);
        for value in [0, 4096, 8192, 512, 11, 22, 33, 44] {
            long(&mut record, value);
        }
        for (seconds, half) in [(0, 0), (1, 1u64 << 63), (2, 0), (0, 1u64 << 62)] {
            long(&mut record, seconds);
            long(&mut record, half);
        }
        for value in [3, 1u64 << 63, 77, 0] {
            long(&mut record, value);
        }
        number(&mut record, 512);
        number(&mut record, 0);
        for value in [0, 0, 0] {
            long(&mut record, value);
        }
        for value in [0, kind, 0x10, 0] {
            number(&mut record, value);
        }
        long(&mut record, 0xdead);
        number(&mut record, 9);
        number(&mut record, 0);
        assert_eq!(record.len(), RECORD_BYTES);
        record
    }

    fn list(records: &[Vec<u8>]) -> Vec<u8> {
        [&17u64.to_le_bytes()[..], &records.concat()].concat()
    }

    #[test]
    fn a_disk_is_told_and_its_pass_through_device_is_not() {
        let found = parse(&list(&[device("ada", 1, 0x020), device("pass", 1, 0x120)]));
        let expected = DiskCounts {
            name: "ada1".into(),
            reads: Transfers {
                operations: 22,
                bytes: 4096,
                time_ns: 1.5e9,
            },
            writes: Transfers {
                operations: 33,
                bytes: 8192,
                time_ns: 2e9,
            },
            discards: Transfers {
                operations: 44,
                bytes: 512,
                time_ns: 0.25e9,
            },
            in_flight: 7,
            busy_ns: 3.5e9,
        };
        assert_eq!(found, Some(vec![expected]));
    }

    #[test]
    fn a_record_that_is_being_written_and_a_list_of_another_kind_are_missing() {
        let mut writing = device("nda", 0, 0);
        writing[0] ^= 1;
        let found = parse(&list(&[writing, device("nda", 1, 0)]));
        let names: Vec<_> = found
            .iter()
            .flatten()
            .map(|disk| disk.name.as_str())
            .collect();
        assert_eq!(names, ["nda1"]);
        let complete = list(&[device("ada", 0, 0)]);
        assert_eq!(parse(&complete[..complete.len() - 1]), None);
        assert_eq!(parse(&complete[..7]), None);
        assert_eq!(parse(&complete[..8]), Some(Vec::new()));
    }
}
