//! How does diskspd describe its workload? Shared by the importers of its XML and of its text.

use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Offsets, Sync, Weighted, Workload};

use super::date::unix_s;

/// Targets of one time span: each is searched for among the others.
pub(crate) const TARGETS_MAX: usize = 256;

/// One time span of the profile.
#[derive(Debug, Default)]
pub(crate) struct TimeSpanProfile {
    pub seconds: u64,
    pub warm_up_seconds: u64,
    /// Threads over all targets; 0 if each target has its own.
    pub threads: u64,
    /// Requests in flight of each thread; 0 if each target has its own.
    pub requests: u64,
    pub targets: Vec<TargetProfile>,
}

/// One target of the profile.
#[derive(Debug, Default)]
pub(crate) struct TargetProfile {
    pub path: String,
    pub block_bytes: Option<u64>,
    pub start_bytes: u64,
    pub is_random: bool,
    pub is_direct: bool,
    pub is_write_through: bool,
    pub write_percent: f64,
    pub threads: Option<u64>,
    pub requests: Option<u64>,
    /// Rate limit of each thread, if given in operations.
    pub operations_per_s: Option<f64>,
}

impl TargetProfile {
    /// What was asked of this target, which is `file_bytes` large (0 if unknown).
    pub fn workload(&self, profile: &TimeSpanProfile, file_bytes: u64) -> Workload {
        let writes = self.write_percent.clamp(0.0, 100.0);
        let mix = [
            (OperationKind::Read, 100.0 - writes),
            (OperationKind::Write, writes),
        ];
        let threads = if profile.threads > 0 {
            profile.threads
        } else {
            self.threads.unwrap_or(1)
        };
        let depth = if profile.requests > 0 {
            profile.requests
        } else {
            self.requests.unwrap_or(2)
        };
        let integer = |number: u64| number.clamp(1, u64::from(u32::MAX)) as u32;
        Workload {
            mix: Weighted(mix.into_iter().filter(|(_, share)| *share > 0.0).collect()),
            block: Weighted::only(Bytes(
                self.block_bytes
                    .filter(|bytes| *bytes > 0)
                    .unwrap_or(65_536),
            )),
            // Offsets of -r are drawn independently; a sequence with occasional jumps (-rs) has a share of them.
            offsets: if self.is_random {
                Offsets::RandomWithReplacement
            } else {
                Offsets::Sequential
            },
            workers: integer(threads),
            depth: integer(depth),
            rate: self
                .operations_per_s
                .map(|rate| rate * threads as f64)
                .filter(|rate| *rate > 0.0),
            time: Some(Nanos(profile.seconds.saturating_mul(1_000_000_000)))
                .filter(|time| time.0 > 0),
            warm_up: Nanos(profile.warm_up_seconds.saturating_mul(1_000_000_000)),
            size: Some(Bytes(file_bytes)).filter(|size| size.0 > 0),
            start: Bytes(self.start_bytes),
            direct: if self.is_direct {
                Direct::Yes
            } else {
                Direct::No
            },
            sync: if self.is_write_through {
                Sync::Dsync
            } else {
                Sync::None
            },
            ..Workload::default()
        }
    }
}

/// `2024/11/05 09:30:15 UTC` as RFC 3339 and nanoseconds since 1970.
pub(crate) fn rfc3339(text: &str) -> Option<(String, u64)> {
    let (date, time) = text
        .trim()
        .strip_suffix("UTC")
        .or_else(|| text.trim().strip_suffix("GMT"))?
        .trim()
        .split_once(' ')?;
    let three = |text: &str, by: char| -> Option<[u64; 3]> {
        text.split(by)
            .map(|part| part.parse().ok())
            .collect::<Option<Vec<u64>>>()?
            .try_into()
            .ok()
    };
    let ([year, month, day], [hour, minute, second]) = (three(date, '/')?, three(time, ':')?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let of_day = (hour * 60 + minute) * 60 + second;
    let [year_of, month_of, day_of] =
        [year, month, day].map(|part| i64::try_from(part).unwrap_or(-1));
    let unix_s = u64::try_from(unix_s(year_of, month_of, day_of, of_day as i64)?).ok()?;
    Some((
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
        unix_s.checked_mul(1_000_000_000)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_only_if_present() {
        assert_eq!(
            rfc3339("1970/01/01 00:00:00 UTC").map(|(_, ns)| ns),
            Some(0)
        );
        assert_eq!(
            rfc3339("2000/02/29 12:00:00 GMT").map(|(_, ns)| ns / 1_000_000_000),
            Some(951_825_600)
        );
        for text in [
            "",
            "2024/11/05 09:30:15",
            "2024/13/05 09:30:15 UTC",
            "0000/01/01 00:00:00 UTC",
            "9/9 9 UTC",
        ] {
            assert_eq!(rfc3339(text), None, "{text}");
        }
    }
}
