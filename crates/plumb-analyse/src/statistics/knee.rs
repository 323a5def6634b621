//! Beyond which depth does more depth only add latency?

/// One step of a ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// Requested operations in flight.
    pub depth: f64,
    /// Operations per second.
    pub iops: f64,
    /// Lowest and highest of the rounds; missing with one round.
    pub iops_range: Option<(f64, f64)>,
    /// Mean or median response time in nanoseconds.
    pub latency_ns: Option<f64>,
}

/// Where a ladder ends to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knee {
    /// From this rung (index) on throughput no longer rises, and latency does.
    At(usize),
    /// As `At`, and the last rung falls to less than nine tenths of the best.
    ThenFalls(usize),
    /// Throughput still rises at the last step: the ladder is too short.
    StillRising,
    /// Fewer than three rungs, or the latencies do not rise with the depth although throughput does not.
    Undecided,
}

/// Share of the greatest throughput that counts as reached.
const REACHED: f64 = 0.95;
/// As `REACHED`, for a rung whose rounds overlap those of the best: the difference may be chance.
const REACHED_WITHIN_SPREAD: f64 = 0.90;

/// Finds the smallest depth that reaches 95 % of the maximum (90 % when the rounds of both overlap). `rungs` are in rising order of depth.
///
/// With a saturated server throughput stays and latency grows in proportion to the depth (Little's law; the asymptotic bounds of Denning
/// and Buzen, "The Operational Analysis of Queueing Network Models", Computing Surveys 10, 1978); a knee is only stated when the latency of the last rung
/// is at least 1.2 times that at the knee.
pub fn knee(rungs: &[Rung]) -> Knee {
    let Some(best) = rungs
        .iter()
        .max_by(|a, b| a.iops.total_cmp(&b.iops))
        .filter(|best| best.iops > 0.0)
    else {
        return Knee::Undecided;
    };
    if rungs.len() < 3 {
        return Knee::Undecided;
    }
    let reaches = |rung: &Rung| {
        let overlap = matches!((rung.iops_range, best.iops_range), (Some((_, high)), Some((low, _))) if high >= low);
        rung.iops
            >= best.iops
                * if overlap {
                    REACHED_WITHIN_SPREAD
                } else {
                    REACHED
                }
    };
    let Some(first) = rungs.iter().position(reaches) else {
        return Knee::Undecided;
    };
    let (at, last) = (&rungs[first], &rungs[rungs.len() - 1]);
    if first + 1 == rungs.len() {
        return Knee::StillRising;
    }
    let slower =
        matches!((at.latency_ns, last.latency_ns), (Some(at), Some(last)) if last >= 1.2 * at);
    match slower {
        false => Knee::Undecided,
        true if last.iops < 0.9 * best.iops => Knee::ThenFalls(first),
        true => Knee::At(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(iops: &[f64], spread: f64) -> Vec<Rung> {
        let rung = |(i, iops): (usize, &f64)| {
            let depth = f64::from(1u32 << i);
            let iops_range =
                (spread > 0.0).then_some((iops * (1.0 - spread), iops * (1.0 + spread)));
            Rung {
                depth,
                iops: *iops,
                iops_range,
                latency_ns: Some(depth / iops * 1e9),
            }
        };
        iops.iter().enumerate().map(rung).collect()
    }

    #[test]
    fn a_saturated_device_has_a_knee() {
        // The asymptotic bounds of a server with 10 places of 100 us each: X(N) = min(N / 100 us, 100,000/s).
        assert_eq!(
            knee(&ladder(&[10e3, 20e3, 40e3, 80e3, 100e3, 100e3, 100e3], 0.0)),
            Knee::At(4)
        );
        assert_eq!(
            knee(&ladder(&[10e3, 20e3, 40e3, 80e3, 100e3, 70e3], 0.0)),
            Knee::ThenFalls(4)
        );
    }

    #[test]
    fn the_spread_of_the_rounds_is_considered() {
        let close = [10e3, 92e3, 99e3, 100e3];
        assert_eq!(knee(&ladder(&close, 0.0)), Knee::At(2));
        assert_eq!(knee(&ladder(&close, 0.05)), Knee::At(1));
    }

    #[test]
    fn no_knee_is_claimed_without_ground() {
        assert_eq!(
            knee(&ladder(&[10e3, 20e3, 40e3, 80e3], 0.0)),
            Knee::StillRising
        );
        assert_eq!(knee(&ladder(&[10e3, 20e3], 0.0)), Knee::Undecided);
        assert_eq!(knee(&ladder(&[0.0, 0.0, 0.0], 0.0)), Knee::Undecided);
        assert_eq!(knee(&[]), Knee::Undecided);
        let same: Vec<Rung> = ladder(&[5e3, 5e3, 5e3], 0.0)
            .iter()
            .map(|rung| Rung {
                latency_ns: Some(2e5),
                ..*rung
            })
            .collect();
        assert_eq!(knee(&same), Knee::Undecided);
    }
}
