//! What does a sample of a given distribution look like? Seeded draws for the tests of the statistics.

/// A source of draws.
pub struct Draw(crate::synthetic::Random);

impl Draw {
    pub fn seeded(seed: u64) -> Draw {
        Draw(crate::synthetic::Random(seed))
    }

    /// 0 to 1.
    pub fn share(&mut self) -> f64 {
        self.0.next_share()
    }

    /// Mean 0, standard deviation 1 (Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.share()).ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }

    /// `n` logarithms of rounds that are independent of each other.
    pub fn rounds(&mut self, n: usize, one: impl Fn(&mut Draw) -> f64) -> Vec<f64> {
        (0..n).map(|_| one(self)).collect()
    }

    /// `n` logarithms of rounds that resemble their neighbours: autoregressive of the first order with coefficient `r`.
    pub fn autoregressive(&mut self, n: usize, r: f64, deviation: f64) -> Vec<f64> {
        let mut last = self.normal();
        let mut next = |index: usize| {
            if index > 0 {
                last = r * last + (1.0 - r * r).sqrt() * self.normal();
            }
            deviation * last
        };
        (0..n).map(&mut next).collect()
    }
}
