//! In which steps do the sides run the same code on the same system, as far as known? There an operation takes the same CPU time on the same machine.

use std::collections::BTreeSet;

use plumb_model::results::comparison::Difference;

/// What is known to differ between the sides.
pub(in crate::compare) struct Differences<'d> {
    pub environment: &'d [Difference],
    pub work: &'d [Difference],
}

impl<'d> Differences<'d> {
    /// Where a side differs from the baseline. Found once for all steps: there may be thousands of them on both lists.
    pub fn of_side(&self, side: usize) -> OtherCode<'d> {
        let differs =
            |difference: &&Difference| difference.values.first() != difference.values.get(side);
        let environment = self
            .environment
            .iter()
            .filter(|difference| !difference.what.starts_with("target."));
        let mut other = OtherCode::default();
        for difference in environment.chain(self.work).filter(differs) {
            other.everywhere |= difference.steps.is_empty();
            other
                .steps
                .extend(difference.steps.iter().map(String::as_str));
        }
        other
    }
}

/// Where something is known to differ in what a side runs on and how.
#[derive(Default)]
pub(in crate::compare) struct OtherCode<'d> {
    everywhere: bool,
    steps: BTreeSet<&'d str>,
}

impl OtherCode<'_> {
    /// True when nothing is known to differ: then an operation of this step takes the same CPU time on the same machine.
    pub fn is_same(&self, step: &str) -> bool {
        !self.everywhere && !self.steps.contains(step)
    }
}
