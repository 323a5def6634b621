//! What does a prediction imply for settings between the current and the advised one, and which gain is too small?

use plumb_model::explain::conclusion::{Change, Prediction};

use crate::explain::scaling::{SERIAL_MAX, factor};

/// A gain below this is none.
const GAIN_MIN: f64 = 1.05;

/// The factor below which a finding is refuted: half of the least gain that is predicted.
pub fn least_gain(prediction: &Prediction) -> f64 {
    (1.0 + 0.5 * (prediction.low - 1.0)).max(GAIN_MIN)
}

/// What is predicted for another number of outstanding requests than the one that is advised, by the same law and no farther than for that.
pub fn of_outstanding(prediction: &Prediction, outstanding: f64) -> (f64, f64) {
    let Change::Outstanding { from, to } = prediction.change else {
        return (prediction.low, prediction.high);
    };
    if (outstanding - to).abs() < 0.5 {
        return (prediction.low, prediction.high);
    }
    if outstanding <= from {
        return (1.0, 1.0);
    }
    let by_law = |serial| factor(from, outstanding, serial);
    let low = by_law(SERIAL_MAX).min(prediction.low);
    (low, (by_law(0.0) * 1.05).min(prediction.high.max(low)))
}

/// Prediction for one flush in place of `times` flushes.
pub fn fewer_flushes(prediction: &Prediction, times: f64) -> (f64, f64) {
    let Change::FlushesTogether { flushes } = prediction.change else {
        return (prediction.low, prediction.high);
    };
    if times <= 1.0 {
        return (1.0, 1.0);
    }
    // The predicted share of time in flushes, and the part of it that is saved.
    let saved_of = |gain: f64| (gain - 1.0) / gain / (1.0 - 1.0 / flushes);
    let at = |gain: f64| 1.0 / (1.0 - saved_of(gain) * (1.0 - 1.0 / times)).max(0.02);
    (at(prediction.low), at(prediction.high.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_predicted_lies_between_today_and_what_is_advised() {
        let prediction = Prediction {
            change: Change::FlushesTogether { flushes: 4.0 },
            requests_per_s: 100.0,
            low: 1.6,
            high: 2.5,
        };
        assert_eq!(fewer_flushes(&prediction, 1.0), (1.0, 1.0));
        let (low, high) = fewer_flushes(&prediction, 4.0);
        assert!((low - 1.6).abs() < 1e-9 && (high - 2.5).abs() < 1e-9);
        // Flushes take half of the time where four times fewer bring 1.6: two times fewer save a quarter.
        let (low, _) = fewer_flushes(&prediction, 2.0);
        assert!((low - 1.0 / 0.75).abs() < 1e-9, "{low}");
        assert!((least_gain(&prediction) - 1.3).abs() < 1e-9);
    }

    #[test]
    fn twice_as_many_have_the_same_law_and_no_more_than_what_is_advised() {
        let prediction = Prediction {
            change: Change::Outstanding { from: 1.0, to: 8.0 },
            requests_per_s: 176.0,
            low: 1.2,
            high: 1.4,
        };
        assert_eq!(of_outstanding(&prediction, 1.0), (1.0, 1.0));
        assert_eq!(of_outstanding(&prediction, 8.0), (1.2, 1.4));
        let (low, high) = of_outstanding(&prediction, 2.0);
        assert!(low == 1.2 && high == 1.4, "{low} {high}");
    }
}
