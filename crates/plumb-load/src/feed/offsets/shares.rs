//! Which of several items comes next, when each has a share? One table look-up for any number of items.

/// Walker's alias table (Walker 1977, built as Vose 1991): exact to 2^-32, two loads and one comparison for a draw.
#[derive(Debug, Clone)]
pub(crate) struct Shares<T> {
    columns: Vec<Column<T>>,
}

#[derive(Debug, Clone, Copy)]
struct Column<T> {
    /// Below this of 2^32 the column gives `own`, else `other`.
    threshold: u64,
    own: T,
    other: T,
}

const FULL_SCALE: f64 = (1u64 << 32) as f64;

impl<T: Copy> Shares<T> {
    /// The table of these items and their weights (any scale; items of weight 0 never come).
    ///
    /// # Errors
    /// Says so when no weight is above 0 or one is negative or no number.
    pub(crate) fn new(items: &[(T, f64)]) -> Result<Self, String> {
        let sum: f64 = items.iter().map(|(_, weight)| weight).sum();
        if !(sum.is_finite() && sum > 0.0 && items.iter().all(|(_, weight)| *weight >= 0.0)) {
            return Err("weights must not be negative, and one must be above 0: for example read:70,write:30".into());
        }
        let scale = items.len() as f64 / sum;
        let mut left: Vec<f64> = items.iter().map(|(_, weight)| weight * scale).collect();
        let mut columns: Vec<Column<T>> = items
            .iter()
            .map(|(item, _)| Column {
                threshold: 1 << 32,
                own: *item,
                other: *item,
            })
            .collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..items.len()).partition(|at| left[*at] < 1.0);
        while let (Some(low), Some(high)) = (small.pop(), large.pop()) {
            columns[low].threshold = (left[low] * FULL_SCALE).round() as u64;
            columns[low].other = items[high].0;
            left[high] -= 1.0 - left[low];
            if left[high] < 1.0 {
                small.push(high)
            } else {
                large.push(high)
            }
        }
        Ok(Shares { columns })
    }

    /// The only item, when there is but one.
    pub(crate) fn only(&self) -> Option<T> {
        match self.columns.as_slice() {
            [column] => Some(column.own),
            _ => None,
        }
    }

    /// The item that these 64 random bits choose.
    #[inline(always)]
    pub(crate) fn pick(&self, bits: u64) -> T {
        let index = ((bits >> 32) * self.columns.len() as u64) >> 32;
        let column = &self.columns[index as usize];
        if u64::from(bits as u32) < column.threshold {
            column.own
        } else {
            column.other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::generator::Generator;
    use super::*;

    #[test]
    fn items_come_in_their_shares() {
        for weights in [
            vec![70.0, 30.0],
            vec![1.0],
            vec![1.0, 2.0, 3.0, 4.0],
            vec![99.9, 0.1],
            vec![0.0, 5.0, 0.0],
            vec![1e-3, 1e3, 7.0],
        ] {
            let items: Vec<(usize, f64)> = weights.iter().copied().enumerate().collect();
            let shares = Shares::new(&items).expect("weights are valid");
            let mut generator = Generator::from_parts(&[3]);
            let draws = 400_000;
            let mut counts = vec![0u64; items.len()];
            (0..draws).for_each(|_| counts[shares.pick(generator.draw())] += 1);
            let sum: f64 = weights.iter().sum();
            for (at, weight) in weights.iter().enumerate() {
                let share = weight / sum;
                // Five standard deviations of a binomial count.
                let bound = 5.0 * (draws as f64 * share * (1.0 - share)).sqrt();
                assert!(
                    (counts[at] as f64 - draws as f64 * share).abs() <= bound,
                    "{weights:?}: item {at} came {} times",
                    counts[at]
                );
            }
        }
    }

    #[test]
    fn weights_that_make_no_sense_are_refused() {
        for weights in [
            vec![],
            vec![0.0],
            vec![-1.0, 2.0],
            vec![f64::NAN],
            vec![f64::INFINITY],
        ] {
            let items: Vec<(usize, f64)> = weights.iter().copied().enumerate().collect();
            assert!(Shares::new(&items).is_err(), "{weights:?}");
        }
    }
}
