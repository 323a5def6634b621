//! Which share of a whole has each of several items? `read:70,write:30`, or a single item.

use std::fmt;
use std::str::FromStr;

use crate::units::UnitError;

/// Shares of a whole: `read:70,write:30` or a single item. Weights are relative, at least one is above 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted<T>(pub Vec<(T, f64)>);

impl<T> Weighted<T> {
    /// All of one kind.
    pub fn only(item: impl Into<T>) -> Self {
        Weighted(vec![(item.into(), 100.0)])
    }

    /// Several with their weights.
    pub fn of(items: Vec<(impl Into<T>, f64)>) -> Self {
        let items = items.into_iter();
        Weighted(items.map(|(item, weight)| (item.into(), weight)).collect())
    }
}

impl<T: FromStr<Err = UnitError>> FromStr for Weighted<T> {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut items = Vec::new();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (item, weight) = match part.split_once([':', '=']) {
                Some((item, weight)) => {
                    let share = weight
                        .trim()
                        .trim_end_matches('%')
                        .parse::<f64>()
                        .ok()
                        .filter(|w| w.is_finite() && *w >= 0.0);
                    (
                        item,
                        share.ok_or_else(|| {
                            UnitError(format!(
                                "'{weight}' in '{text}' is no weight: write a number such as 70"
                            ))
                        })?,
                    )
                }
                None => (part, 100.0),
            };
            items.push((item.trim().parse::<T>()?, weight));
        }
        if !items.iter().any(|(_, weight)| *weight > 0.0) {
            return Err(UnitError(format!(
                "'{text}' has no item with a weight above 0: write for example 4k:70,64k:30"
            )));
        }
        items.retain(|(_, weight)| *weight > 0.0);
        Ok(Weighted(items))
    }
}

impl<T: fmt::Display> fmt::Display for Weighted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(only, _)] = self.0.as_slice() {
            return write!(f, "{only}");
        }
        for (place, (item, weight)) in self.0.iter().enumerate() {
            write!(f, "{}{item}:{weight}", if place > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}
