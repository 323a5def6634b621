//! What has each core done with its time, as FreeBSD counts it? From sysctl kern.cp_times, in ticks of the statistics clock (kern.clockrate).

/// Times of a core since the machine was started, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CoreTimes {
    /// In user mode, nice or not.
    pub user_ns: f64,
    pub system_ns: f64,
    pub interrupt_ns: f64,
    pub idle_ns: f64,
}

/// Those of all cores; `None` where there is no such list.
pub(crate) fn core_times() -> Option<Vec<CoreTimes>> {
    #[cfg(target_os = "freebsd")]
    {
        let (rate, times) = (
            super::sysctl::bytes(c"kern.clockrate")?,
            super::sysctl::bytes(c"kern.cp_times")?,
        );
        parse(&rate, &times)
    }
    #[cfg(not(target_os = "freebsd"))]
    None
}

/// `rate` is struct clockinfo of sys/time.h: hz, tick, a spare, stathz, profhz, each an int. `times` are five longs for each core: user, nice, system, interrupt, idle
/// (sys/resource.h, CPUSTATES).
#[cfg_attr(not(any(target_os = "freebsd", test)), allow(dead_code))]
fn parse(rate: &[u8], times: &[u8]) -> Option<Vec<CoreTimes>> {
    let ticks = i32::from_le_bytes(rate.get(12..16)?.try_into().ok()?);
    if ticks <= 0 || times.is_empty() || !times.len().is_multiple_of(40) {
        return None;
    }
    let tick_ns = 1e9 / f64::from(ticks);
    let core = |core: &[u8]| {
        let mut sums = [0.0; 5];
        for (sum, long) in sums.iter_mut().zip(core.chunks_exact(8)) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(long);
            *sum = u64::from_le_bytes(bytes) as f64 * tick_ns;
        }
        let [user, nice, system, interrupt, idle] = sums;
        CoreTimes {
            user_ns: user + nice,
            system_ns: system,
            interrupt_ns: interrupt,
            idle_ns: idle,
        }
    };
    Some(times.chunks_exact(40).map(core).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_those_of_the_statistics_clock() {
        let rate: Vec<u8> = [1000i32, 1000, 0, 125, 8126]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let times: Vec<u8> = [1u64, 2, 3, 4, 5, 125, 0, 0, 0, 250]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let found = parse(&rate, &times).unwrap();
        let first = CoreTimes {
            user_ns: 24e6,
            system_ns: 24e6,
            interrupt_ns: 32e6,
            idle_ns: 40e6,
        };
        assert_eq!((found.len(), found[0]), (2, first));
        assert_eq!((found[1].user_ns, found[1].idle_ns), (1e9, 2e9));
        assert_eq!(parse(&rate[..15], &times), None);
        assert_eq!(parse(&rate, &times[..39]), None);
        assert_eq!(parse(&[0; 20], &times), None);
    }
}
