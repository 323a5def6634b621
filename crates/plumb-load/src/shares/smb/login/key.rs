//! How does a key come from the login to where messages are signed and encrypted, and nowhere else?

use plumb_model::statement::Statement;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::shares::smb::fault::{Fault, SmbResult};

/// Bytes that nobody can foretell, from the system's generator: for what must never come twice.
///
/// # Errors
/// A system that gives none.
pub fn random<const BYTES: usize>() -> SmbResult<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    let unfit = |error: getrandom::Error| Fault::Unfit {
        what: Statement::new("smb-no-random-numbers").name("error", error.to_string()),
        remedy: Statement::new("smb-see-getrandom"),
    };
    getrandom::fill(&mut bytes).map_err(unfit)?;
    Ok(bytes)
}

/// A key of a session. Shows itself nowhere; only [`Key::expose`] gives it. Its memory is overwritten when it is dropped.
#[derive(Clone)]
#[cfg_attr(test, derive(PartialEq, Eq))]
pub struct Key(Zeroizing<Vec<u8>>);

impl ZeroizeOnDrop for Key {}

impl Key {
    /// Keeps a key.
    pub fn new(bytes: Vec<u8>) -> Key {
        Key(Zeroizing::new(bytes))
    }

    /// The key, for the one who signs or encrypts with it.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// At least so many bytes, the missing ones zero (MS-SMB2 3.2.5.3.3: a short session key is filled up).
    pub fn filled_up_to(&self, bytes: usize) -> Key {
        // All room at once: a vector that grows leaves a copy behind.
        let mut filled = Zeroizing::new(vec![0; bytes.max(self.0.len())]);
        filled[..self.0.len()].copy_from_slice(&self.0);
        Key(filled)
    }

    /// The first so many bytes, or all there are.
    pub fn first(&self, bytes: usize) -> &[u8] {
        &self.0[..self.0.len().min(bytes)]
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_nowhere_and_filled_up_with_zeros() {
        let key = Key::new(vec![0xab; 8]);
        assert_eq!(
            format!("{key:?} {:?}", Some(&key)),
            "Key(***) Some(Key(***))"
        );
        assert_eq!(key.filled_up_to(16).expose(), [[0xab; 8], [0; 8]].concat());
        assert_eq!(
            (key.filled_up_to(4), key.first(3), key.first(9)),
            (key.clone(), &[0xab; 3][..], &[0xab; 8][..])
        );
    }

    /// All memory that holds a key or derived data is overwritten, in the libraries too, by their features.
    #[test]
    fn what_holds_a_key_is_overwritten_when_it_is_dropped() {
        fn is_overwritten<T: ZeroizeOnDrop>() {}
        is_overwritten::<Key>();
        is_overwritten::<Zeroizing<String>>();
        is_overwritten::<aes::Aes128>();
        is_overwritten::<aes::Aes256>();
        is_overwritten::<cmac::block_api::CmacCore<aes::Aes128>>();
        is_overwritten::<sha2::Sha256>();
    }
}
