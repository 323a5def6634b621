//! How is an SSD written so that it is soon in the state in which long random writes would leave it?

use std::fmt;
use std::str::FromStr;

use crate::units::{Bytes, UnitError};

/// Regions where none are given, as in fio (`spr_num_regions`).
const REGIONS_DEFAULT: u32 = 100;
/// Most regions of an order.
const REGIONS_MAX: u32 = 100_000;

/// Random writes of as much as an SSD has flash: once over all blocks, and a second time over some of them. The flash is filled region by region, and so many
/// blocks of a region are written again while the next one is filled that each region has the share of valid pages that it has at steady state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preconditioning {
    /// Flash beyond the capacity, in percent of the capacity.
    pub over_provisioning_percent: f64,
    /// Regions of equal size in which the flash is filled.
    pub regions: u32,
    /// Write cache of the device. Above 0, blocks are written again at the end of the next region, not at its start, so that none is merged with the first
    /// write in the cache.
    pub cache: Bytes,
}

impl Preconditioning {
    /// Blocks that are written in one pass over `count` blocks.
    pub fn writes(&self, count: u64) -> u64 {
        count.saturating_add((count as f64 * self.over_provisioning_percent / 100.0).floor() as u64)
    }
}

impl FromStr for Preconditioning {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || {
            UnitError(format!(
                "'{text}' does not describe preconditioning: write the over-provisioning in percent (above 0, at most 100), and if needed the number of regions (2 to {REGIONS_MAX}) and the size of the write cache: 15, 15/100 or 15/100/64m"
            ))
        };
        let mut parts = text.splitn(3, '/').map(str::trim);
        let percent = parts.next().unwrap_or_default().trim_end_matches('%');
        let percent = percent.parse::<f64>().map_err(|_| bad())?;
        let regions = parts.next().map_or(Ok(REGIONS_DEFAULT), str::parse);
        let regions = regions.map_err(|_| bad())?;
        let cache = parts.next().map_or(Ok(Bytes(0)), str::parse)?;
        let fits = percent > 0.0 && percent <= 100.0 && (2..=REGIONS_MAX).contains(&regions);
        fits.then_some(Preconditioning {
            over_provisioning_percent: percent,
            regions,
            cache,
        })
        .ok_or_else(bad)
    }
}

impl fmt::Display for Preconditioning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.over_provisioning_percent, self.regions)?;
        match self.cache {
            Bytes(0) => Ok(()),
            cache => write!(f, "/{cache}"),
        }
    }
}
