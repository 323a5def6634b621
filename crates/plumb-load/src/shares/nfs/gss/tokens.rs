//! What is a message signed and encrypted by? Tokens of the Kerberos mechanism (RFC 4121, 4.2) with AES (RFC 3962): MIC tokens and sealed Wrap tokens.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use smb2::auth::kerberos::crypto::{
    decrypt_aes_cts, derive_key_aes, encrypt_aes_cts, usage_chk, usage_enc, usage_int,
};
use zeroize::Zeroizing;

/// Head of a token (4.2.6).
const HEAD_BYTES: usize = 16;
/// HMAC-SHA1-96 (RFC 3962, 6).
const MAC_BYTES: usize = 12;
/// A MIC token.
pub const MIC_BYTES: usize = HEAD_BYTES + MAC_BYTES;
/// Block of AES, and the random bytes before an encrypted message (RFC 3961, 5.3).
const BLOCK_BYTES: usize = 16;

const MIC_ID: [u8; 2] = [0x04, 0x04];
const WRAP_ID: [u8; 2] = [0x05, 0x04];

/// Flags of a token (4.2.2).
const SENT_BY_ACCEPTOR: u8 = 1;
const SEALED: u8 = 2;
const ACCEPTOR_SUBKEY: u8 = 4;

/// Key usages (RFC 4121, 2).
const ACCEPTOR_SEAL: u32 = 22;
const ACCEPTOR_SIGN: u32 = 23;
const INITIATOR_SEAL: u32 = 24;
const INITIATOR_SIGN: u32 = 25;

/// A token is not what the other side makes with this key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forged;

/// The keys of one direction.
struct Keys {
    flags: u8,
    checksum: Hmac<Sha1>,
    seal: Sealing,
}

/// Encryption by one key and usage (RFC 3961, 5.3).
pub(super) struct Sealing {
    integrity: Hmac<Sha1>,
    encryption: Zeroizing<Vec<u8>>,
}

fn mac(key: &[u8]) -> Result<Hmac<Sha1>, Forged> {
    Hmac::new_from_slice(key).map_err(|_| Forged)
}

fn derived(key: &[u8], usage: [u8; 5]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(derive_key_aes(key, &usage))
}

impl Sealing {
    /// `key`: 16 or 32 bytes.
    pub(super) fn new(key: &[u8], usage: u32) -> Result<Sealing, Forged> {
        Ok(Sealing {
            integrity: mac(&derived(key, usage_int(usage)))?,
            encryption: derived(key, usage_enc(usage)),
        })
    }

    /// Random bytes, `parts`; encrypted; and their checksum.
    pub(super) fn encrypt(&self, parts: &[&[u8]]) -> Result<Vec<u8>, getrandom::Error> {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let mut plain = Zeroizing::new(vec![0; BLOCK_BYTES]);
        plain.reserve_exact(len);
        getrandom::fill(&mut plain)?;
        parts.iter().for_each(|part| plain.extend_from_slice(part));
        let mut sealed = encrypt_aes_cts(&self.encryption, &[0; BLOCK_BYTES], &plain);
        let tag = self.integrity.clone().chain_update(&*plain).finalize();
        sealed.extend_from_slice(&tag.as_bytes()[..MAC_BYTES]);
        Ok(sealed)
    }

    /// What was encrypted, behind [`BLOCK_BYTES`] random bytes.
    fn decrypt_with_head(&self, sealed: &[u8]) -> Result<Vec<u8>, Forged> {
        let len = sealed.len().checked_sub(MAC_BYTES).ok_or(Forged)?;
        if len < BLOCK_BYTES {
            return Err(Forged);
        }
        let (sealed, tag) = sealed.split_at(len);
        let plain =
            decrypt_aes_cts(&self.encryption, &[0; BLOCK_BYTES], sealed).map_err(|_| Forged)?;
        let right = self.integrity.clone().chain_update(&plain);
        right.verify_truncated_left(tag).map_err(|_| Forged)?;
        Ok(plain)
    }

    /// What was encrypted.
    pub(super) fn decrypt(&self, sealed: &[u8]) -> Result<Vec<u8>, Forged> {
        let mut plain = self.decrypt_with_head(sealed)?;
        plain.drain(..BLOCK_BYTES);
        Ok(plain)
    }
}

impl Keys {
    fn new(key: &[u8], flags: u8, sign: u32, seal: u32) -> Result<Keys, Forged> {
        Ok(Keys {
            flags,
            checksum: mac(&derived(key, usage_chk(sign)))?,
            seal: Sealing::new(key, seal)?,
        })
    }

    fn of_initiator(key: &[u8], flags: u8) -> Result<Keys, Forged> {
        Keys::new(key, flags, INITIATOR_SIGN, INITIATOR_SEAL)
    }

    fn of_acceptor(key: &[u8], flags: u8) -> Result<Keys, Forged> {
        let flags = flags | SENT_BY_ACCEPTOR;
        Keys::new(key, flags, ACCEPTOR_SIGN, ACCEPTOR_SEAL)
    }
}

/// Both directions of a context.
pub struct Tokens {
    sent: u64,
    send: Keys,
    receive: Keys,
}

impl fmt::Debug for Tokens {
    /// Keys are shown nowhere.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tokens").finish_non_exhaustive()
    }
}

impl Tokens {
    /// Of the client. `by_acceptor`: the server chose the key.
    ///
    /// # Errors
    /// The key does not fit.
    pub fn of_client(key: &[u8], by_acceptor: bool) -> Result<Tokens, Forged> {
        let flags = if by_acceptor { ACCEPTOR_SUBKEY } else { 0 };
        Ok(Tokens {
            sent: 0,
            send: Keys::of_initiator(key, flags)?,
            receive: Keys::of_acceptor(key, flags)?,
        })
    }

    fn numbered(&mut self) -> [u8; 8] {
        let number = self.sent;
        self.sent += 1;
        number.to_be_bytes()
    }

    /// The MIC token of a message (4.2.6.1).
    pub fn sign(&mut self, message: &[u8]) -> [u8; MIC_BYTES] {
        let mut token = [0xff; MIC_BYTES];
        token[..2].copy_from_slice(&MIC_ID);
        token[2] = self.send.flags;
        token[8..HEAD_BYTES].copy_from_slice(&self.numbered());
        let right = self.send.checksum.clone().chain_update(message);
        let tag = right.chain_update(&token[..HEAD_BYTES]).finalize();
        token[HEAD_BYTES..].copy_from_slice(&tag.as_bytes()[..MAC_BYTES]);
        token
    }

    /// Whether a MIC token is that of the other side for this message. Their order is not looked at: RPC has numbers of its own (RFC 2203, 5.3.3.1).
    ///
    /// # Errors
    /// It is not.
    pub fn check(&self, message: &[u8], token: &[u8]) -> Result<(), Forged> {
        if token.len() != MIC_BYTES || token[..2] != MIC_ID || token[2] != self.receive.flags {
            return Err(Forged);
        }
        let (head, tag) = token.split_at(HEAD_BYTES);
        if head[3..8] != [0xff; 5] {
            return Err(Forged);
        }
        let right = self.receive.checksum.clone().chain_update(message);
        let right = right.chain_update(head);
        right.verify_truncated_left(tag).map_err(|_| Forged)
    }

    /// The sealed Wrap token of a message (4.2.6.2): no filler, nothing rotated.
    ///
    /// # Errors
    /// There are no random numbers.
    pub fn seal(&mut self, parts: &[&[u8]]) -> Result<Vec<u8>, getrandom::Error> {
        let mut head = [0; HEAD_BYTES];
        head[..2].copy_from_slice(&WRAP_ID);
        head[2] = self.send.flags | SEALED;
        head[3] = 0xff;
        head[8..].copy_from_slice(&self.numbered());
        let sealed = self.send.seal.encrypt(&[parts, &[&head[..]]].concat())?;
        Ok([&head[..], &sealed].concat())
    }

    /// What lies in a sealed Wrap token of the other side.
    ///
    /// # Errors
    /// It is none of its.
    pub fn open(&self, token: &[u8]) -> Result<Vec<u8>, Forged> {
        let (head, sealed) = token.split_first_chunk::<HEAD_BYTES>().ok_or(Forged)?;
        if head[..2] != WRAP_ID || head[2] != self.receive.flags | SEALED || head[3] != 0xff {
            return Err(Forged);
        }
        let filler = usize::from(u16::from_be_bytes([head[4], head[5]]));
        let rotated = usize::from(u16::from_be_bytes([head[6], head[7]]));
        let mut plain = match rotated % sealed.len().max(1) {
            0 => self.receive.seal.decrypt_with_head(sealed)?,
            by => {
                // Rotated to the right by the sender (4.2.5).
                let mut sealed = sealed.to_vec();
                sealed.rotate_left(by);
                self.receive.seal.decrypt_with_head(&sealed)?
            }
        };
        // The head is encrypted behind the message, with nothing rotated.
        let mut head = *head;
        head[6..8].fill(0);
        let at = plain.len() - BLOCK_BYTES;
        let end = at.checked_sub(HEAD_BYTES + filler).ok_or(Forged)?;
        if plain[plain.len() - HEAD_BYTES..] != head {
            return Err(Forged);
        }
        plain.drain(..BLOCK_BYTES);
        plain.truncate(end);
        Ok(plain)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The other side of [`Tokens::of_client`].
    pub fn of_server(key: &[u8], by_acceptor: bool) -> Tokens {
        let client = Tokens::of_client(key, by_acceptor).unwrap();
        Tokens {
            sent: 0,
            send: client.receive,
            receive: client.send,
        }
    }

    const KEYS: [&[u8]; 2] = [&[7; 16], &[9; 32]];

    #[test]
    fn tokens_are_taken_by_the_other_side_and_by_no_others() {
        for (key, by_acceptor) in KEYS.into_iter().flat_map(|key| [(key, false), (key, true)]) {
            let mut client = Tokens::of_client(key, by_acceptor).unwrap();
            let server = of_server(key, by_acceptor);
            for len in [0, 1, 4, 15, 16, 17, 100_003] {
                let message = vec![len as u8; len];
                let mic = client.sign(&message);
                assert_eq!(server.check(&message, &mic), Ok(()));
                let sealed = client.seal(&[&message]).unwrap();
                assert_eq!(server.open(&sealed), Ok(message.clone()));
                // Returned to their sender.
                assert_eq!(client.check(&message, &mic), Err(Forged));
                assert_eq!(client.open(&sealed), Err(Forged));
                // Another choice of the key, and another key.
                let other = of_server(key, !by_acceptor);
                assert_eq!(other.check(&message, &mic), Err(Forged));
                assert_eq!(other.open(&sealed), Err(Forged));
                let other = of_server(&[1; 16], by_acceptor);
                assert_eq!(other.check(&message, &mic), Err(Forged));
                assert_eq!(other.open(&sealed), Err(Forged));
            }
        }
    }

    #[test]
    fn a_flipped_bit_anywhere_is_seen() {
        let mut client = Tokens::of_client(KEYS[1], true).unwrap();
        let server = of_server(KEYS[1], true);
        let message = b"twenty bytes of text".to_vec();
        let (mic, sealed) = (client.sign(&message), client.seal(&[&message]).unwrap());
        for bit in 0..mic.len() * 8 {
            let mut mic = mic;
            mic[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(server.check(&message, &mic), Err(Forged), "{bit}");
        }
        for bit in 0..message.len() * 8 {
            let mut message = message.clone();
            message[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(server.check(&message, &mic), Err(Forged), "{bit}");
        }
        for bit in 0..sealed.len() * 8 {
            let mut sealed = sealed.clone();
            sealed[bit / 8] ^= 1 << (bit % 8);
            let opened = server.open(&sealed);
            // The rotation is not signed (4.2.5); a full rotation is none.
            let is_whole_turns = opened.as_ref() == Ok(&message) && matches!(bit / 8, 6 | 7);
            assert!(is_whole_turns || opened == Err(Forged), "{bit}: {opened:?}");
        }
        for len in 0..sealed.len() {
            assert_eq!(server.open(&sealed[..len]), Err(Forged), "{len}");
        }
    }

    /// A token that was rotated by any count, with filler before the head inside (RFC 4121, 4.2.4 and 4.2.5).
    #[test]
    fn a_rotated_token_with_filler_is_read() {
        let mut server = of_server(KEYS[0], true);
        let client = Tokens::of_client(KEYS[0], true).unwrap();
        let mut head = [0; HEAD_BYTES];
        head[..2].copy_from_slice(&WRAP_ID);
        head[2..4].copy_from_slice(&[server.send.flags | SEALED, 0xff]);
        head[5] = 3;
        head[8..].copy_from_slice(&server.numbered());
        let sealed = server
            .send
            .seal
            .encrypt(&[b"text", &[0; 3], &head])
            .unwrap();
        for by in [0, 1, 28, sealed.len() - 1, sealed.len(), 1000] {
            let (mut head, mut sealed) = (head, sealed.clone());
            head[6..8].copy_from_slice(&(by as u16).to_be_bytes());
            let len = sealed.len();
            sealed.rotate_right(by % len);
            let token = [&head[..], &sealed].concat();
            assert_eq!(client.open(&token), Ok(b"text".to_vec()), "{by}");
        }
    }

    /// RFC 3962, appendix B, by which the library's cipher is held: 32 bytes with the key `chicken teriyaki`; and RFC 2202, 3, case 1, by which the checksum is.
    #[test]
    fn ciphers_are_those_of_the_standards() {
        let text = b"I would like the General Gau's Chicken";
        let sealed = encrypt_aes_cts(b"chicken teriyaki", &[0; 16], &text[..32]);
        let hex: String = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            hex,
            "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584"
        );
        let tag = mac(&[0x0b; 20]).unwrap().chain_update(b"Hi There");
        let hex: String = tag
            .finalize()
            .as_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(hex, "b617318655057264e28bc0b6fb378c8ef146be00");
    }
}
