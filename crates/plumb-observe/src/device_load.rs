//! What did each block device do while a program ran, and how much of it was for others? From two looks at /proc/diskstats and at what the kernel charged to the program.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use plumb_model::trace::facts::DeviceLoad;

use crate::system::block_devices::{Device, counters_of_disks};
use crate::system::mounts::mounts;
use crate::system::processes::bytes_of_process;

const SECTOR_BYTES: u64 = 512;

/// Fields of one line: the kernel's document (iostats.rst) numbers them from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    reads: u64,
    read_bytes: u64,
    writes: u64,
    write_bytes: u64,
    /// Total time of all reads and writes, in milliseconds.
    time_ms: u64,
    busy_ms: u64,
    /// Requests in flight times time.
    queue_ms: u64,
    flushes: u64,
    flush_ms: u64,
}

fn counts(text: &str) -> BTreeMap<String, Counts> {
    let line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let name = words.nth(2)?.to_string();
        let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let field = |number: usize| numbers.get(number - 1).copied();
        let counts = Counts {
            reads: field(1)?,
            read_bytes: field(3)? * SECTOR_BYTES,
            writes: field(5)?,
            write_bytes: field(7)? * SECTOR_BYTES,
            time_ms: field(4)? + field(8)?,
            busy_ms: field(10)?,
            queue_ms: field(11)?,
            flushes: field(16).unwrap_or(0),
            flush_ms: field(17).unwrap_or(0),
        };
        Some((name, counts))
    };
    text.lines().filter_map(line).collect()
}

/// The state of all devices when a program begins.
pub struct DevicesBefore {
    counts: BTreeMap<String, Counts>,
    process: String,
    charged: Option<(u64, u64)>,
    begun: Instant,
}

impl DevicesBefore {
    /// Of a process that runs, or of the commands that plumb starts from now on, waits for, and whose bytes are charged to itself.
    pub fn of(process: Option<u32>) -> DevicesBefore {
        let process = process.map_or_else(|| "self".to_string(), |number| number.to_string());
        DevicesBefore {
            counts: counts(&counters_of_disks()),
            charged: bytes_of_process(&process),
            process,
            begun: Instant::now(),
        }
    }

    /// What devices did until now, as far as they did anything.
    pub fn until_now(&self) -> Vec<DeviceLoad> {
        let after = counts(&counters_of_disks());
        let span_ms = self.begun.elapsed().as_secs_f64() * 1e3;
        let now = bytes_of_process(&self.process);
        let own = self.charged.zip(now).map(|(before, now)| {
            let read = now.0.saturating_sub(before.0);
            (read, now.1.saturating_sub(before.1))
        });
        let mut points: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for mount in mounts(Path::new("/")).unwrap_or_default() {
            if let Ok(device) = Device::of_number(Path::new("/"), mount.number) {
                points.entry(device.name).or_default().push(mount.point);
            }
        }
        let loads = after.iter().filter_map(|(name, after)| {
            let before = self.counts.get(name)?;
            let points = points.remove(name).unwrap_or_default();
            load(name, points, (before, after), span_ms)
        });
        let mut loads: Vec<DeviceLoad> = loads.collect();
        for load in &mut loads {
            (load.own_read_bytes, load.own_write_bytes) = own.unzip();
        }
        loads
    }
}

/// The difference of two looks; `None` where nothing was done.
fn load(
    name: &str,
    mounts: Vec<String>,
    (before, after): (&Counts, &Counts),
    span_ms: f64,
) -> Option<DeviceLoad> {
    let since = |of: fn(&Counts) -> u64| of(after).saturating_sub(of(before));
    let (reads, writes) = (since(|of| of.reads), since(|of| of.writes));
    let requests = reads + writes;
    let flushes = since(|of| of.flushes);
    if requests + flushes == 0 || span_ms <= 0.0 {
        return None;
    }
    let each = |time_ms: u64, count: u64| time_ms as f64 * 1e6 / count.max(1) as f64;
    Some(DeviceLoad {
        device: name.to_string(),
        mounts,
        reads,
        read_bytes: since(|of| of.read_bytes),
        writes,
        write_bytes: since(|of| of.write_bytes),
        request_ns: each(since(|of| of.time_ms), requests),
        flushes,
        flush_ns: each(since(|of| of.flush_ms), flushes),
        busy_share: (since(|of| of.busy_ms) as f64 / span_ms).min(1.0),
        outstanding: since(|of| of.queue_ms) as f64 / span_ms,
        own_read_bytes: None,
        own_write_bytes: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_looks_give_what_was_done_between_them() {
        let before = "   8       0 sda 100 5 2048 40 10 0 80 20 0 50 60 0 0 0 0 10 30\n 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n";
        let after = "   8       0 sda 300 5 6144 440 60 0 480 220 3 950 4060 0 0 0 0 20 80\n 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n";
        let (before, after) = (counts(before), counts(after));
        let of = |name: &str| {
            load(
                name,
                vec!["/".into()],
                (&before[name], &after[name]),
                1000.0,
            )
        };
        let sda = of("sda").unwrap();
        assert_eq!((sda.reads, sda.read_bytes), (200, 4096 * 512));
        assert_eq!((sda.writes, sda.write_bytes), (50, 400 * 512));
        // 400 ms of reads and 200 ms of writes, over 250 requests.
        assert_eq!(sda.request_ns, 2_400_000.0);
        assert_eq!((sda.busy_share, sda.outstanding), (0.9, 4.0));
        assert_eq!((sda.flushes, sda.flush_ns), (10, 5_000_000.0));
        assert!(of("loop0").is_none());
    }
}
