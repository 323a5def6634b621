//! What is in a line of a histogram log (`write_hist_log`)? Time, direction, block size, and how many operations of a window fell into each bucket.

use plumb_model::workload::operation::OperationKind;

/// Buckets of a group, by binary order of magnitude (FIO_IO_U_PLAT_VAL of stat.h).
const GROUP: u64 = 64;
/// Buckets of fio 3, of nanoseconds, and of fio 2, of microseconds.
const BUCKETS: [(usize, u64); 2] = [(29 * GROUP as usize, 1), (19 * GROUP as usize, 1000)];
/// Largest `log_hist_coarseness`: each step joins pairs of buckets.
const COARSENESS_MAX: u32 = 6;

/// One window of one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub time_ms: u64,
    pub kind: OperationKind,
    pub block_bytes: u64,
    /// Occupied buckets: the middle of each in nanoseconds, and its count.
    pub times: Vec<(u64, u64)>,
}

/// Reads `time, direction, block size, count of bucket 0, count of bucket 1, ...` (fio's HOWTO, `write_hist_log`).
pub fn window(line: &[u8]) -> Option<Window> {
    let fields = line.iter().filter(|byte| **byte == b',').count() + 1;
    let (unit_ns, coarseness) = BUCKETS.iter().find_map(|(buckets, unit_ns)| {
        let coarseness = (0..=COARSENESS_MAX).find(|of| fields == 3 + (buckets >> of))?;
        Some((*unit_ns, coarseness))
    })?;
    let mut numbers = std::str::from_utf8(line)
        .ok()?
        .split(',')
        .map(|field| field.trim().parse::<u64>().ok());
    let mut next = || numbers.next().flatten();
    let (time_ms, direction, block_bytes) = (next()?, next()?, next()?);
    let kind = match direction {
        0 => OperationKind::Read,
        1 => OperationKind::Write,
        2 => OperationKind::Trim,
        _ => return None,
    };
    let mut times = Vec::new();
    for bucket in 0..fields as u64 - 3 {
        let count = next()?;
        if count > 0 {
            let (first, last) = (bucket << coarseness, ((bucket + 1) << coarseness) - 1);
            let (low, high) = (lowest(first), lowest(last + 1) - 1);
            times.push(((low + (high - low) / 2).saturating_mul(unit_ns), count));
        }
    }
    Some(Window {
        time_ms,
        kind,
        block_bytes,
        times,
    })
}

/// The lowest value of a bucket (`plat_idx_to_val` of stat.c has the middle).
fn lowest(bucket: u64) -> u64 {
    if bucket < 2 * GROUP {
        return bucket;
    }
    let bits = bucket / GROUP - 1;
    (GROUP + bucket % GROUP) << bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(buckets: usize, filled: &[(usize, u64)]) -> String {
        let mut counts = vec![0; buckets];
        filled.iter().for_each(|(at, count)| counts[*at] = *count);
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        format!("500, 1, 4096, {}\n", counts.join(", "))
    }

    #[test]
    fn buckets_have_the_values_of_fio() {
        let times = |buckets, filled: &[(usize, u64)]| {
            window(line(buckets, filled).as_bytes()).map(|window| window.times)
        };
        // Values that fio's own plat_idx_to_val gives for these buckets: 127, 129, 257, 17,112,760,320.
        assert_eq!(
            times(1856, &[(127, 1), (128, 2), (192, 3), (1855, 4)]),
            Some(vec![(127, 1), (128, 2), (257, 3), (17_112_760_319, 4)])
        );
        // Two steps coarser: bucket 32 is 128 to 135.
        assert_eq!(times(464, &[(32, 7)]), Some(vec![(131, 7)]));
        // fio 2 has microseconds.
        assert_eq!(times(1216, &[(5, 1)]), Some(vec![(5000, 1)]));
        assert_eq!(times(1855, &[(5, 1)]), None);
    }

    #[test]
    fn other_lines_are_none() {
        assert_eq!(window(b"503, 1380002, 0, 4096\n"), None);
        let wrong = line(1856, &[]).replacen("500, 1", "500, 7", 1);
        assert_eq!(window(wrong.as_bytes()), None);
    }
}
