//! How do two ends show each other that they have the same token, without sending it? HMAC-SHA-256 over the other's random bytes (RFC 2104, FIPS 180-4).

use std::path::Path;

use anyhow::{Context, bail};
use hmac::{Hmac, KeyInit, Mac};
use plumb_load::secret::Secret;
use sha2::Sha256;

use crate::host;

/// Shortest token: 16 characters of base64 are 96 bits.
const TOKEN_CHARACTERS_MIN: usize = 16;

/// Which end a proof is of: the one must not be taken for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Client,
    Agent,
}

/// The token from the first line of its file. Errors: it cannot be read, is too short, or may be read by others.
pub fn token(file: &Path) -> anyhow::Result<Secret> {
    let text = std::fs::read_to_string(file).with_context(|| {
        format!("{0}: the token file cannot be read; make one with: (umask 077; head -c 24 /dev/urandom | base64 > {0})", file.display())
    })?;
    let line = text.lines().next().unwrap_or_default().trim();
    if line.len() < TOKEN_CHARACTERS_MIN {
        bail!(
            "{}: a token has at least {TOKEN_CHARACTERS_MIN} characters in its first line, and this one has {}; make one with: head -c 24 /dev/urandom | base64",
            file.display(),
            line.len()
        );
    }
    if host::others_may_read(file) {
        bail!("{0}: other users may read the token: chmod 600 {0}", file.display());
    }
    Ok(Secret::new(line.to_string()))
}

/// 32 bytes that nobody can foretell, in hexadecimal digits.
pub fn random_hex() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("the system has no random numbers: {error}"))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn keyed(token: &Secret, end: End, challenge: &str, nonce: &str) -> anyhow::Result<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(token.expose().as_bytes()).map_err(|_| anyhow::anyhow!("the token cannot be used"))?;
    let role = match end {
        End::Client => "plumb-agent-1 client",
        End::Agent => "plumb-agent-1 agent",
    };
    // Lengths first: no two sets of parts give the same bytes.
    for part in [role, challenge, nonce] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    Ok(mac)
}

/// The proof of one end.
pub fn prove(token: &Secret, end: End, challenge: &str, nonce: &str) -> anyhow::Result<String> {
    Ok(hex(&keyed(token, end, challenge, nonce)?.finalize().into_bytes()))
}

/// Whether a proof holds, in a time that does not depend on how much of it is right.
pub fn holds(token: &Secret, end: End, (challenge, nonce): (&str, &str), proof: &str) -> bool {
    let digits = |at: usize| proof.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..proof.len()).step_by(2).map(digits).collect();
    let mac = keyed(token, end, challenge, nonce);
    bytes.zip(mac.ok()).is_some_and(|(bytes, mac)| mac.verify_slice(&bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_holds_for_its_token_end_and_numbers_only() {
        let (token, other) = (Secret::new("a token of some length"), Secret::new("another one entirely!"));
        let proof = prove(&token, End::Client, "c", "n").expect("proof");
        assert!(holds(&token, End::Client, ("c", "n"), &proof));
        assert!(!holds(&other, End::Client, ("c", "n"), &proof));
        assert!(!holds(&token, End::Agent, ("c", "n"), &proof), "a proof must not be sent back to its maker");
        assert!(!holds(&token, End::Client, ("d", "n"), &proof), "an old one is worth nothing");
        for nonsense in ["", "zz", "0", "é", &proof[..62]] {
            assert!(!holds(&token, End::Client, ("c", "n"), nonsense), "{nonsense}");
        }
        assert_ne!(random_hex().expect("random"), random_hex().expect("random"));
    }

    #[test]
    fn the_mac_is_the_standard_one() {
        // RFC 4231, test case 2: key "Jefe", "what do ya want for nothing?".
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("key");
        mac.update(b"what do ya want for nothing?");
        assert_eq!(hex(&mac.finalize().into_bytes()), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
