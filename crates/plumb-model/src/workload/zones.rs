//! Which share of the operations goes to which share of the target, zone after zone?

use std::fmt;
use std::str::FromStr;

use crate::units::UnitError;

/// Most zones of an order.
pub const ZONES_MAX: usize = 32;

/// Zones of a target from its start on, each with a share of the operations and of the space, in percent. The shares of the space make up the whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zones {
    of: [(f32, f32); ZONES_MAX],
    count: u8,
}

impl Zones {
    /// Operations and space of each zone, in percent.
    pub fn each(&self) -> &[(f32, f32)] {
        &self.of[..usize::from(self.count)]
    }

    /// Zones from pairs of operations and space, in percent.
    ///
    /// # Errors
    /// There are none or too many, a share is out of range, all operations or all space do not add up to 100.
    pub fn new(pairs: &[(f64, f64)]) -> Result<Zones, String> {
        if pairs.is_empty() || pairs.len() > ZONES_MAX {
            return Err(format!(
                "{} zones: an order has 1 to {ZONES_MAX}",
                pairs.len()
            ));
        }
        let mut zones = Zones {
            of: [(0.0, 0.0); ZONES_MAX],
            count: pairs.len() as u8,
        };
        let whole = 0.0..=100.0;
        for (zone, (operations, space)) in zones.of.iter_mut().zip(pairs) {
            if !whole.contains(operations) || !whole.contains(space) || *space == 0.0 {
                return Err(format!(
                    "{operations}/{space} is no zone: write the percent of the operations, a slash, and the percent of the space"
                ));
            }
            *zone = (*operations as f32, *space as f32);
        }
        let sum = |share: fn(&(f64, f64)) -> f64| pairs.iter().map(share).sum::<f64>();
        for (what, sum) in [
            ("operations", sum(|zone| zone.0)),
            ("space", sum(|zone| zone.1)),
        ] {
            if (sum - 100.0).abs() > 0.01 {
                return Err(format!(
                    "the zones' shares of the {what} add up to {sum} percent, not to 100"
                ));
            }
        }
        Ok(zones)
    }
}

impl FromStr for Zones {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let pairs = text
            .split(':')
            .map(|zone| {
                let (operations, space) = zone.split_once('/')?;
                let number = |text: &str| text.trim_end_matches('%').parse::<f64>().ok();
                Some((number(operations)?, number(space)?))
            })
            .collect::<Option<Vec<_>>>();
        let pairs = pairs.ok_or_else(|| {
            UnitError(format!(
                "'{text}' are no zones: write for example 60/10:30/20:10/70"
            ))
        })?;
        Zones::new(&pairs).map_err(|why| UnitError(format!("'{text}': {why}")))
    }
}

impl fmt::Display for Zones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (operations, space)) in self.each().iter().enumerate() {
            let between = if place > 0 { ":" } else { "" };
            write!(f, "{between}{operations}/{space}")?;
        }
        Ok(())
    }
}
