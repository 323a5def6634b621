//! What is the position of a value, and which values get a tick?

use crate::figure::{Axis, Quantity, Scale, clock_text};

/// Maps values of one axis to positions in pixels.
#[derive(Debug, Clone)]
pub struct Projection {
    logarithmic: bool,
    low: f64,
    high: f64,
    from_px: f64,
    to_px: f64,
    /// Values with a tick and their texts, in rising order.
    pub ticks: Vec<(f64, String)>,
}

/// Decades up to which ticks are at 1, 2 and 5 instead of only at 1.
const FINE_DECADES: f64 = 2.2;
/// Ratio of the ends of an axis of ratios above which its ticks are multiples.
const WIDE_RATIO: f64 = 4.0;
/// Ratio of the ends of an axis of ratios up to which its ticks are close.
const FINE_RATIO: f64 = 40.0;
/// Target number of ticks on a linear axis.
const LINEAR_TICKS: f64 = 5.0;

impl Projection {
    /// Fits an axis to the finite values drawn along it, from `from_px` (low values) to `to_px`.
    /// Bars and rates start at 0: `from_zero`.
    pub fn fit(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        from_zero: bool,
        from_px: f64,
        to_px: f64,
    ) -> Projection {
        let logarithmic = axis.scale == Scale::Logarithmic;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        // Beyond 1e300 the next decade would overflow.
        for value in values.filter(|value| value.abs() < 1e300 && (!logarithmic || *value > 1e-300))
        {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = if logarithmic { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let narrow = is_narrow(axis, low, high);
        let (low, high, ticks) = match &axis.scale {
            Scale::Categories(names) => (
                -0.5,
                names.len().max(1) as f64 - 0.5,
                (0..names.len()).map(|at| at as f64).collect(),
            ),
            _ if axis.quantity == Quantity::Nines => nines(high),
            Scale::Logarithmic if narrow => ratio_ticks(low, high),
            Scale::Logarithmic if axis.quantity == Quantity::Size => size_ticks(low, high),
            Scale::Logarithmic if axis.quantity == Quantity::Ratio && high / low < FINE_RATIO => {
                logarithmic_ticks(low, high, &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0])
            }
            Scale::Logarithmic if (high / low).log10() <= FINE_DECADES => {
                logarithmic_ticks(low, high, &[1.0, 2.0, 5.0])
            }
            Scale::Logarithmic => logarithmic_ticks(low, high, &[1.0]),
            Scale::Linear if axis.quantity == Quantity::Elapsed => {
                let high = if high > low { high } else { low + 1.0 };
                (low, high, elapsed_ticks(low, high))
            }
            Scale::Linear if axis.quantity == Quantity::Size => {
                binary_ticks(if from_zero { low.min(0.0) } else { low }, high)
            }
            Scale::Linear => linear_ticks(if from_zero { low.min(0.0) } else { low }, high),
        };
        let text = |value: f64| match &axis.scale {
            Scale::Categories(names) => names.get(value as usize).cloned().unwrap_or_default(),
            Scale::Linear if axis.quantity == Quantity::Elapsed && high >= 120.0 => {
                clock_text(value)
            }
            _ if narrow => change_text(value),
            _ => axis.quantity.tick(value),
        };
        let ticks = ticks
            .into_iter()
            .map(|value| (value, text(value)))
            .collect();
        Projection {
            logarithmic,
            low,
            high,
            from_px,
            to_px,
            ticks,
        }
    }

    /// The position of a value; `None` if it is not finite, or not above 0 on a logarithmic axis.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.logarithmic && value <= 0.0) {
            return None;
        }
        let (value, low, high) = if self.logarithmic {
            (value.log10(), self.low.log10(), self.high.log10())
        } else {
            (value, self.low, self.high)
        };
        let share = ((value - low) / (high - low)).clamp(-0.02, 1.02);
        Some(self.from_px + share * (self.to_px - self.from_px))
    }

    /// True if it is logarithmic, so that 0 has no position.
    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// The values and the positions of both ends.
    pub fn ends(&self) -> [f64; 4] {
        [self.low, self.high, self.from_px, self.to_px]
    }

    /// The position of the low end.
    pub fn base_px(&self) -> f64 {
        self.from_px
    }

    /// Pixels per unit of a category axis.
    pub fn slot_px(&self) -> f64 {
        (self.to_px - self.from_px).abs() / (self.high - self.low)
    }
}

/// Percentiles from the median to the last whole nine drawn.
fn nines(high: f64) -> (f64, f64, Vec<f64>) {
    let median = 2f64.log10();
    let last = high.clamp(1.0, 12.0);
    let ticks = std::iter::once(median)
        .chain((1..=last.floor() as u32).map(f64::from))
        .collect();
    (median, last, ticks)
}

/// Ticks at these factors of each decade; the ends are ticks too.
fn logarithmic_ticks(low: f64, high: f64, factors: &[f64]) -> (f64, f64, Vec<f64>) {
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32 + 1;
    let all: Vec<f64> = (first..=last)
        .flat_map(|decade| {
            factors
                .iter()
                .map(move |factor| factor * 10f64.powi(decade))
        })
        .collect();
    // The tick at or below the lowest value, and the one at or above the highest; with tolerance for rounding.
    let from = all
        .iter()
        .rposition(|tick| *tick <= low * 1.000_001)
        .unwrap_or(0);
    let to = all
        .iter()
        .position(|tick| *tick >= high * 0.999_999)
        .unwrap_or(all.len() - 1)
        .max(from + 1)
        .min(all.len() - 1);
    let kept = &all[from..=to];
    // More than a dozen decades would crowd the axis: every second or third tick is enough.
    let every = kept.len().div_ceil(12);
    (
        all[from],
        all[to],
        kept.iter().copied().step_by(every).collect(),
    )
}

/// Powers of two, spaced so that at most a dozen fit; the axis ends at the values.
fn size_ticks(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let (first, last) = (low.log2().floor() as i32, high.log2().ceil() as i32);
    let every = ((last - first + 1) / 12 + 1).max(1);
    let ticks = (first..=last)
        .filter(|power| power.rem_euclid(every) == 0)
        .map(|power| 2f64.powi(power));
    let high = high.max(low * 2.0);
    (
        low,
        high,
        ticks.filter(|tick| *tick >= low && *tick <= high).collect(),
    )
}

/// Ratios so close together that percent is clearer than multiples.
fn is_narrow(axis: &Axis, low: f64, high: f64) -> bool {
    axis.quantity == Quantity::Ratio && high / low < WIDE_RATIO && low > 0.2 && high < 5.0
}

/// A ratio as a change: `+10 %`.
fn change_text(ratio: f64) -> String {
    let percent = ((ratio - 1.0) * 1000.0).round() / 10.0;
    match percent {
        percent if percent > 0.0 => format!("+{percent} %"),
        percent if percent < 0.0 => format!("−{} %", -percent),
        _ => "0 %".into(),
    }
}

/// Round steps of percent on both sides of no change.
fn ratio_ticks(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    const STEPS: [f64; 9] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    let step = STEPS
        .iter()
        .copied()
        .find(|step| (high - low) / step <= 8.0)
        .unwrap_or(1.0);
    let first = ((low - 1.0) / step * 0.999_999).floor();
    let last = ((high - 1.0) / step * 0.999_999).ceil().max(first + 1.0);
    let ticks: Vec<f64> = (0..=(last - first) as u32)
        .map(|at| 1.0 + (first + f64::from(at)) * step)
        .filter(|tick| *tick > 0.0)
        .collect();
    // With large steps the lowest one would be at -100 %: the axis then starts at its lowest value.
    let from = if 1.0 + first * step > 0.0 {
        1.0 + first * step
    } else {
        low
    };
    (from, 1.0 + last * step, ticks)
}

/// About five round steps.
fn linear_ticks(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let span = if high > low {
        high - low
    } else {
        high.abs().max(1.0)
    };
    let rough = span / LINEAR_TICKS;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step).floor();
    let last = (high / step * 0.999_999).ceil().max(first + 1.0);
    let ticks = (0..=(last - first) as u32)
        .map(|at| (first + f64::from(at)) * step)
        .collect();
    (first * step, last * step, ticks)
}

/// About five steps of a power of two: sizes are in binary units.
fn binary_ticks(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let span = if high > low {
        high - low
    } else {
        high.abs().max(1.0)
    };
    let step = 2f64.powf((span / LINEAR_TICKS).log2().ceil());
    let first = (low / step).floor();
    let last = (high / step * 0.999_999).ceil().max(first + 1.0);
    let ticks = (0..=(last - first) as u32)
        .map(|at| (first + f64::from(at)) * step)
        .collect();
    (first * step, last * step, ticks)
}

/// Steps of full seconds, minutes and hours; the axis ends at the values.
fn elapsed_ticks(low: f64, high: f64) -> Vec<f64> {
    const STEPS: [f64; 21] = [
        0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0,
        1800.0, 3600.0, 7200.0, 14_400.0, 43_200.0, 86_400.0,
    ];
    let span = (high - low).max(0.001);
    let step = STEPS
        .iter()
        .copied()
        .find(|step| span / step <= 8.0)
        .unwrap_or_else(|| 86_400.0 * (span / 86_400.0 / 8.0).ceil());
    let first = (low / step).ceil();
    (0..=((high / step * 1.000_001).floor() - first).max(0.0) as u32)
        .map(|at| (first + f64::from(at)) * step)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(quantity: Quantity, scale: Scale) -> Axis {
        Axis {
            label: String::new(),
            quantity,
            scale,
        }
    }

    #[test]
    fn linear_axes_begin_at_zero_and_end_above_the_largest() {
        let axis = axis(Quantity::OperationsPerSecond, Scale::Linear);
        let projection = Projection::fit(&axis, [37_000.0, 92_000.0].into_iter(), true, 0.0, 100.0);
        let texts: Vec<&str> = projection
            .ticks
            .iter()
            .map(|(_, text)| text.as_str())
            .collect();
        assert_eq!(
            texts,
            ["0", "20,000", "40,000", "60,000", "80,000", "100,000"]
        );
        assert_eq!(projection.place(50_000.0), Some(50.0));
    }

    #[test]
    fn logarithmic_axes_end_at_ticks_and_refuse_zero() {
        let axis = axis(Quantity::Latency, Scale::Logarithmic);
        let projection = Projection::fit(
            &axis,
            [41_000.0, 900_000.0, 0.0, f64::NAN].into_iter(),
            false,
            0.0,
            100.0,
        );
        let texts: Vec<&str> = projection
            .ticks
            .iter()
            .map(|(_, text)| text.as_str())
            .collect();
        assert_eq!(
            texts,
            ["20 µs", "50 µs", "100 µs", "200 µs", "500 µs", "1 ms"]
        );
        assert_eq!(
            (projection.place(0.0), projection.place(f64::INFINITY)),
            (None, None)
        );
    }

    #[test]
    fn ratios_are_percent_when_they_lie_together_and_multiples_when_not() {
        let texts = |low: f64, high: f64| {
            let projection = Projection::fit(
                &axis(Quantity::Ratio, Scale::Logarithmic),
                [low, high].into_iter(),
                false,
                0.0,
                100.0,
            );
            projection
                .ticks
                .into_iter()
                .map(|(_, text)| text)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            texts(0.88, 1.06),
            ["−15 %", "−10 %", "−5 %", "0 %", "+5 %", "+10 %"]
        );
        assert_eq!(
            texts(0.3, 2.2),
            ["×0.3", "×0.5", "×0.7", "×1", "×1.5", "×2", "×3"]
        );
        assert_eq!(texts(0.04, 40.0), ["×0.01", "×0.1", "×1", "×10", "×100"]);
        assert!(texts(1.0, 1.0).len() >= 2);
    }

    #[test]
    fn one_value_and_none_still_make_an_axis() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            for values in [
                vec![],
                vec![5.0],
                vec![0.0],
                vec![f64::NAN],
                vec![1e-299],
                vec![1e299],
                vec![1e-299, 1e299],
            ] {
                let projection = Projection::fit(
                    &axis(Quantity::Latency, scale.clone()),
                    values.iter().copied(),
                    true,
                    0.0,
                    100.0,
                );
                assert!(projection.low < projection.high, "{scale:?} {values:?}");
                assert!(
                    projection.ticks.len() >= 2 && projection.ticks.len() < 30,
                    "{scale:?} {values:?} {}",
                    projection.ticks.len()
                );
            }
        }
    }

    #[test]
    fn time_axes_tick_whole_units() {
        for (end, step) in [
            (0.8, 0.1),
            (7.0, 1.0),
            (60.0, 10.0),
            (600.0, 120.0),
            (86_400.0, 14_400.0),
        ] {
            let ticks = elapsed_ticks(0.0, end);
            assert!((ticks[1] - step).abs() < 1e-9, "{end}: {ticks:?}");
        }
    }
}
