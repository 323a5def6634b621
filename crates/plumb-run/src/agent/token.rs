//! Which secret do both ends of an agent's connection have? A token in a file that only its owner may read; it is never sent.

use std::path::Path;

use anyhow::{Context, bail};
use plumb_load::secret::Secret;
use plumb_model::text::shell::quoted;
use sha2::{Digest, Sha256};

use crate::system;

/// Shortest token: 16 characters of base64 are 96 bits.
const TOKEN_CHARACTERS_MIN: usize = 16;

/// The token from the first line of its file. Errors: it cannot be read, is too short, or may be read by others.
pub fn token(file: &Path) -> anyhow::Result<Secret> {
    let path = quoted(&file.display().to_string());
    let text = std::fs::read_to_string(file).with_context(|| {
        format!("{}: cannot read the token file; create one with: (umask 077; head -c 24 /dev/urandom | base64 > {path})", file.display())
    })?;
    let text = zeroize::Zeroizing::new(text);
    let line = text.lines().next().unwrap_or_default().trim();
    if line.len() < TOKEN_CHARACTERS_MIN {
        bail!(
            "{}: a token has at least {TOKEN_CHARACTERS_MIN} characters in its first line, and this one has {}; create one with: head -c 24 /dev/urandom | base64",
            file.display(),
            line.len()
        );
    }
    if system::others_may_read(file) {
        bail!(
            "{}: readable by other users: chmod 600 {path}",
            file.display()
        );
    }
    Ok(Secret::new(line))
}

/// The pre-shared key of the connection, 32 bytes, made of the token. A token is long and random, so that one hash is enough.
pub fn key_of(token: &Secret) -> [u8; 32] {
    Sha256::new()
        .chain_update(b"plumb-agent-2 key\0")
        .chain_update(token.expose().as_bytes())
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_its_token() {
        let key = |token: &str| key_of(&Secret::new(token));
        assert_eq!(key("a token of some length"), key("a token of some length"));
        assert_ne!(key("a token of some length"), key("a token of some lengtH"));
    }
}
