//! Which rank comes next when few blocks get most operations? Zipf's and Pareto's laws from a table, without logarithm or power in the loop.

use super::generator::Generator;
use super::shares::Shares;

/// Ranks `0..count` with falling frequencies. Below [`EXACT`] each rank has its own entry; above, ranks stand in buckets that are 1/16 of their first rank wide.
/// A bucket comes with exactly its probability; within it the density falls linearly, which for exponents up to 2 is within 0.2 % of the law.
/// About 700 buckets for 2^40 ranks.
#[derive(Debug)]
pub(crate) struct Ranks {
    buckets: Vec<Bucket>,
    shares: Shares<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    first: u64,
    width: u64,
    /// Of 2^32 draws in the bucket, this many take the lower of two positions: that makes a density which falls linearly from 1 + t to 1 - t for t of the
    /// whole.
    lower_of_two: u64,
}

/// Ranks below this are drawn exactly.
const EXACT: u64 = 64;

impl Ranks {
    /// Zipf's law: the frequency of rank r (counted from 0) is proportional to (r + 1)^-exponent.
    ///
    /// # Errors
    /// Says so when the exponent is not above 0.
    pub(crate) fn zipf(count: u64, exponent: f64) -> Result<Self, String> {
        if !(exponent > 0.0 && exponent.is_finite()) {
            return Err(format!(
                "zipf:{exponent} is out of range: use an exponent above 0, such as zipf:1.1"
            ));
        }
        // The midpoint rule turned round: the sum over ranks a..b of f is the integral of f from a - 1/2 to b - 1/2, to 1e-5 from rank 64 on.
        let integral = |x: f64| {
            if (exponent - 1.0).abs() < 1e-9 {
                x.ln()
            } else {
                x.powf(1.0 - exponent) / (1.0 - exponent)
            }
        };
        let density = |rank: f64| (rank + 1.0).powf(-exponent);
        let mass = |first: u64, width: u64| match width {
            1 => density(first as f64),
            _ => integral((first + width) as f64 + 0.5) - integral(first as f64 + 0.5),
        };
        Self::new(count, mass, density)
    }

    /// Pareto's law as fio has it: the share x of the ranks, from the first on, gets the share x^(1/p) of the operations, with p = ln(power) / ln(1 - power), so that
    /// the share `power` of the ranks gets 1 - `power`.
    ///
    /// # Errors
    /// Says so when the power is not between 0 and 1.
    pub(crate) fn pareto(count: u64, power: f64) -> Result<Self, String> {
        if !(power > 0.0 && power < 1.0) {
            return Err(format!(
                "pareto:{power} is out of range: use a power between 0 and 1, such as pareto:0.2"
            ));
        }
        let exponent = (1.0 - power).ln() / power.ln();
        let part = |rank: u64| (rank as f64 / count as f64).powf(exponent);
        Self::new(
            count,
            |first, width| part(first + width) - part(first),
            |rank| (rank + 0.5).powf(exponent - 1.0),
        )
    }

    /// From the probability of `width` ranks from `first` on, and the density at a rank, both up to a factor.
    fn new(
        count: u64,
        mass: impl Fn(u64, u64) -> f64,
        density: impl Fn(f64) -> f64,
    ) -> Result<Self, String> {
        let (mut buckets, mut weights, mut first) = (Vec::new(), Vec::new(), 0);
        while first < count {
            let width = if first < EXACT {
                1
            } else {
                (first / 16).min(count - first)
            };
            let (high, low) = (
                density(first as f64 - 0.5 * f64::from(width > 1)),
                density((first + width) as f64 - 0.5),
            );
            // A rising density (Pareto with a power above 0.5) is drawn flat within a bucket.
            let tilt = ((high - low) / (high + low)).clamp(0.0, 1.0);
            let tilt = if width == 1 || !tilt.is_finite() {
                0.0
            } else {
                tilt
            };
            buckets.push(Bucket {
                first,
                width,
                lower_of_two: (tilt * (1u64 << 32) as f64) as u64,
            });
            weights.push((buckets.len() as u32 - 1, mass(first, width).max(0.0)));
            first += width;
        }
        Ok(Ranks {
            shares: Shares::new(&weights)?,
            buckets,
        })
    }

    /// The next rank.
    #[inline(always)]
    pub(crate) fn draw(&self, generator: &mut Generator) -> u64 {
        let bucket = &self.buckets[self.shares.pick(generator.draw()) as usize];
        let (one, two) = (generator.draw(), generator.draw());
        // The low half of `two` decides, its high half gives the position: independent of each other.
        let position = if u64::from(two as u32) < bucket.lower_of_two {
            one.min(two)
        } else {
            one
        };
        bucket.first + ((u128::from(position) * u128::from(bucket.width)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares drawn frequencies with the law over groups of ranks, by chi-square.
    fn check(ranks: &Ranks, count: u64, law: impl Fn(u64) -> f64, name: &str) {
        let edges: Vec<u64> = [
            0, 1, 2, 3, 4, 6, 10, 20, 40, 63, 64, 65, 66, 67, 68, 70, 72, 80, 100, 101, 102, 103,
            150, 300, 301, 310, 320, 330, 1000, 2000, 5000, count,
        ]
        .into_iter()
        .filter(|edge| *edge <= count)
        .collect();
        let sum: f64 = (0..count).map(&law).sum();
        let draws = 2_000_000;
        let mut counts = vec![0u64; count as usize];
        let mut generator = Generator::from_parts(&[5]);
        (0..draws).for_each(|_| counts[ranks.draw(&mut generator) as usize] += 1);
        let (mut chi, mut groups) = (0.0, 0.0);
        for edge in edges.windows(2) {
            let found: u64 = counts[edge[0] as usize..edge[1] as usize].iter().sum();
            let expected = (edge[0]..edge[1]).map(&law).sum::<f64>() / sum * f64::from(draws);
            if expected > 10.0 {
                chi += (found as f64 - expected).powi(2) / expected;
                groups += 1.0;
            }
        }
        assert!(
            chi < groups + 5.0 * (2.0f64 * groups).sqrt(),
            "{name}: chi-square {chi} for {groups} groups of ranks"
        );
    }

    #[test]
    fn ranks_follow_zipf() {
        for exponent in [0.2, 0.8, 1.0, 1.1, 1.5, 2.5] {
            let ranks = Ranks::zipf(20_000, exponent).expect("valid");
            check(
                &ranks,
                20_000,
                |rank| ((rank + 1) as f64).powf(-exponent),
                &format!("zipf:{exponent}"),
            );
        }
    }

    #[test]
    fn ranks_follow_pareto() {
        for power in [0.05f64, 0.2, 0.35, 0.5] {
            let (count, exponent) = (20_000, (1.0 - power).ln() / power.ln());
            let part = |rank: u64| (rank as f64 / count as f64).powf(exponent);
            let ranks = Ranks::pareto(count, power).expect("valid");
            check(
                &ranks,
                count,
                |rank| part(rank + 1) - part(rank),
                &format!("pareto:{power}"),
            );
        }
    }

    #[test]
    fn any_number_of_ranks_works_and_stays_inside() {
        for count in [1, 2, 63, 64, 65, 66, 1000, 1 << 40] {
            for ranks in [
                Ranks::zipf(count, 1.0),
                Ranks::zipf(count, 10.0),
                Ranks::pareto(count, 0.2),
                Ranks::pareto(count, 0.9),
            ] {
                let ranks = ranks.expect("valid");
                assert!(ranks.buckets.len() < 800, "{} buckets", ranks.buckets.len());
                let mut generator = Generator::from_parts(&[count]);
                assert!((0..10_000).all(|_| ranks.draw(&mut generator) < count));
            }
        }
    }
}
