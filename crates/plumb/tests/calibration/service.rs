//! How long does each operation of a simulated target take?

use crate::synthetic::Random;

/// A target that is known exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Behaviour {
    /// Independent of each other, log-normal around 0.1 ms.
    Apart,
    /// Log-normal as well, but each operation takes about as long as the one before: what single I/Os as samples would be misled by.
    Alike,
    /// A cache that hits for long stretches (60 us) and misses for others (250 us).
    Cache,
    /// 0.1 ms, and now and then a pause of 20 ms.
    Hiccups,
}

pub const BEHAVIOURS: [Behaviour; 4] = [
    Behaviour::Apart,
    Behaviour::Alike,
    Behaviour::Cache,
    Behaviour::Hiccups,
];

/// Mean 0, standard deviation 1 (Box and Muller 1958).
pub fn normal(random: &mut Random) -> f64 {
    (-2.0 * (1.0 - random.next_share()).ln()).sqrt()
        * (std::f64::consts::TAU * random.next_share()).cos()
}

impl Behaviour {
    /// Service times of the operations of one round in nanoseconds, all of them `factor` times as long as they would be.
    pub fn service(self, seed: u64, factor: f64) -> Box<dyn FnMut() -> u64> {
        let mut random = Random(seed);
        let mut level = normal(&mut random);
        let mut hits = random.next_share() < 0.5;
        let mut next_us = move || match self {
            Behaviour::Apart => 100.0 * (0.4 * normal(&mut random)).exp(),
            Behaviour::Alike => {
                level = 0.95 * level + (1.0 - 0.95f64 * 0.95).sqrt() * normal(&mut random);
                100.0 * (0.4 * level).exp()
            }
            Behaviour::Cache => {
                hits ^= random.next_share() < 1.0 / 300.0;
                (if hits { 60.0 } else { 250.0 }) * (0.1 * normal(&mut random)).exp()
            }
            Behaviour::Hiccups => {
                let pause = if random.next_share() < 1.0 / 3000.0 {
                    20_000.0
                } else {
                    0.0
                };
                100.0 * (0.1 * normal(&mut random)).exp() + pause
            }
        };
        Box::new(move || (1000.0 * factor * next_us()) as u64)
    }
}
