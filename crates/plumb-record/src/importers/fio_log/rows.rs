//! What is in a line of a log? Time, value, direction and size of one operation, or of a time window.

use plumb_model::workload::operation::OperationKind;

/// Columns that are read: time, value, optional second value, direction, block size.
const COLUMNS: usize = 5;

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogEntry {
    pub time_ms: u64,
    /// Nanoseconds, KiB/s or operations per second, depending on the kind of log.
    pub value: u64,
    pub kind: OperationKind,
    /// 0 in a log with windows (`log_avg_msec`).
    pub block_bytes: u64,
}

/// Reads `time, value, direction, block size[, offset][, priority][, time of issue]` (fio's HOWTO, "Log file formats"); `two_values` if the mean of a window
/// is followed by its maximum (`log_window_value=both`). Fields after the block size are ignored.
pub fn row(line: &[u8], two_values: bool) -> Option<LogEntry> {
    let (columns, found) = numbers(line)?;
    let [time_ms, value, rest @ ..] = columns;
    let (direction, block_bytes, needed) = if two_values {
        (rest[1], rest[2], 5)
    } else {
        (rest[0], rest[1], 4)
    };
    (found >= needed).then_some(())?;
    let kind = match direction {
        0 => OperationKind::Read,
        1 => OperationKind::Write,
        2 => OperationKind::Trim,
        _ => return None,
    };
    Some(LogEntry {
        time_ms,
        value,
        kind,
        block_bytes,
    })
}

/// True for lines with `log_window_value=both`: the third number is not a direction, and the fourth is.
pub fn has_two_values(line: &[u8]) -> bool {
    row(line, false).is_none() && row(line, true).is_some()
}

/// The first numbers of a line, and their count.
fn numbers(line: &[u8]) -> Option<([u64; COLUMNS], usize)> {
    let (mut columns, mut found, mut at) = ([0u64; COLUMNS], 0, 0);
    while found < COLUMNS {
        while line.get(at) == Some(&b' ') {
            at += 1;
        }
        let (mut number, start) = (0u64, at);
        while let Some(digit) = line
            .get(at)
            .map(|byte| byte.wrapping_sub(b'0'))
            .filter(|digit| *digit < 10)
        {
            number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
            at += 1;
        }
        // The priority, which is hexadecimal in newer versions, may be the fifth: it is not needed.
        if at == start || line.get(at) == Some(&b'x') {
            break;
        }
        columns[found] = number;
        found += 1;
        match line.get(at) {
            Some(b',') => at += 1,
            None | Some(b'\n' | b'\r') => break,
            Some(_) => return None,
        }
    }
    Some((columns, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_versions_are_read() {
        let read = |time_ms, value, block_bytes| {
            Some(LogEntry {
                time_ms,
                value,
                kind: OperationKind::Read,
                block_bytes,
            })
        };
        let check = |line: &str, expect: Option<LogEntry>| {
            assert_eq!(row(line.as_bytes(), false), expect, "{line}")
        };
        check("503, 1380002, 0, 4096\n", read(503, 1_380_002, 4096));
        check("503, 1380002, 0, 4096, 0\r\n", read(503, 1_380_002, 4096));
        check(
            "503, 1380002, 0, 4096, 249856, 0x0000",
            read(503, 1_380_002, 4096),
        );
        check("503, 1380002, 0, 4096, 0x0000", read(503, 1_380_002, 4096));
        check(
            "503, 1380002, 0, 4096, 249856, 0, 88213123\n",
            read(503, 1_380_002, 4096),
        );
        for wrong in [
            "",
            "503, 1380002, 0",
            "503, 1380002, 7, 4096",
            "a, b, c, d",
            "503; 1; 0; 4096",
            "99999999999999999999, 1, 0, 1",
        ] {
            check(wrong, None);
        }
        let both = b"500, 2000, 9000, 1, 0, 0\n";
        assert!(has_two_values(both) && !has_two_values(b"500, 2000, 1, 0, 0\n"));
        assert_eq!(
            row(both, true).map(|row| (row.value, row.kind)),
            Some((2000, OperationKind::Write))
        );
    }
}
