//! How many requests were outstanding, as seen by samples?

/// Part of the samples that a number has to be seen in, for it to be more than a moment.
const MOMENT: f64 = 0.01;

/// The largest number of outstanding requests that was more than a moment, which a single sample always is: whoever looks at a disk or share once is none of
/// its users. `None` where nothing was under way, or there are no two samples.
pub(super) fn most_at_samples(samples: impl Iterator<Item = f64>) -> Option<u64> {
    let mut values: Vec<f64> = samples.collect();
    values.sort_by(f64::total_cmp);
    let moments = ((values.len() as f64 * MOMENT) as usize).max(1);
    let value = values.get(values.len().checked_sub(1 + moments)?)?;
    (*value >= 1.0).then_some(value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_not_the_most() {
        let most = |values: &[f64]| most_at_samples(values.iter().copied());
        assert_eq!(most(&[1.0, 1.0, 7.0, 1.0]), Some(1));
        assert_eq!(most(&[7.0, 1.0, 7.0]), Some(7));
        assert_eq!(most(&[0.0, 0.0, 3.0]), None);
        assert_eq!(most(&[2.0]), None);
        assert_eq!(most(&[]), None);
        let mut many = vec![2.0; 300];
        many[..3].fill(9.0);
        assert_eq!(most(&many), Some(2));
        many[3] = 9.0;
        assert_eq!(most(&many), Some(9));
    }
}
