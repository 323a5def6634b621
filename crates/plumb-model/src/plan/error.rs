//! What is wrong with a plan, and where?

/// An invalid plan: where it is wrong, and what is expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {message}")]
pub struct PlanError {
    /// File and line, flag, or step.
    pub location: String,
    /// What is wrong and what to write instead.
    pub message: String,
}

impl PlanError {
    /// An error at this location.
    pub fn at(location: impl Into<String>, message: impl Into<String>) -> PlanError {
        PlanError {
            location: location.into(),
            message: message.into(),
        }
    }
}
