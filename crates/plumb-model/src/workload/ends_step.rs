//! Does the end of a job end those beside it?

use std::fmt;
use std::str::FromStr;

use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

words! {
    /// When a job ends its step.
    EndsStep, "ends-step" {
        /// The others go on.
        Never = "never",
        /// Whatever ended it.
        Always = "always",
        /// An error ended it.
        OnError = "on-error",
    }
}

impl EndsStep {
    pub(crate) fn is_never(&self) -> bool {
        *self == EndsStep::Never
    }
}
