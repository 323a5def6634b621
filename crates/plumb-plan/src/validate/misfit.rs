//! What is said of a value that does not fit? The key, and what to write instead.

/// Linux moves at most this many bytes in one call (MAX_RW_COUNT, include/linux/fs.h).
pub(super) const BLOCK_MAX: u64 = 0x7fff_f000;

/// A misfit: the key that is named first, and what is wrong.
pub(super) type Misfit = (&'static str, String);

/// The misfit of this key, if something is wrong.
pub(super) fn misfit(
    wrong: bool,
    key: &'static str,
    message: impl FnOnce() -> String,
) -> Option<Misfit> {
    wrong.then(|| (key, message()))
}
