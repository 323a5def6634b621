//! What does a change of a part of the time give? By Amdahl's law, with the error of the part.

use plumb_model::explain::account::TimeAccount;

/// A part of the time that is smaller is no finding.
pub(super) const SHARE_MIN: f64 = 0.1;
/// Shares of the program's own time are taken to be known within this: an allowance, not a measured error.
pub(super) const ERROR: f64 = 0.07;

/// The factor where a share of the time takes only this part of its time.
pub(super) fn factor(share: f64, left: f64) -> f64 {
    1.0 / (1.0 - share * (1.0 - left)).max(0.01)
}

/// The range of the factor where a share takes only a part of its time, from the error of the share.
pub(super) fn range(share: f64, left: f64) -> (f64, f64) {
    let low = factor((share - ERROR).max(0.0), left);
    (low, factor((share + ERROR).min(1.0), left))
}

/// Share of the program's own time that it waits for a storage.
pub(super) fn storage_share(account: &TimeAccount, name: &str) -> f64 {
    let parts = account.program.iter();
    parts
        .filter(|part| part.activity.is_storage() && part.storage.as_deref() == Some(name))
        .map(|part| part.share)
        .sum()
}
