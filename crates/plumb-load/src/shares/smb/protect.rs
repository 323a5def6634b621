//! How are messages signed and encrypted? In place and in one pass, by the algorithms of the dialect.

pub(super) mod gcm;
pub(super) mod nonces;

use aes::cipher::KeyInit as _;
use aes::{Aes128, Aes256};
use ccm::aead::AeadInOut;
use ccm::consts::{U11, U16};
use cmac::{Cmac, Mac};
use hmac::Hmac;
use plumb_model::statement::Statement;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::HEADER_BYTES;
use crate::shares::smb::protect::gcm::{Gcm, GcmMessage, unfit_key};
use crate::shares::smb::protect::nonces::Nonces;

/// Bytes of a transform header (MS-SMB2 2.2.41).
pub const TRANSFORM_BYTES: usize = 52;
/// Where the authenticated part of a transform header begins: behind protocol number and signature (MS-SMB2 3.1.4.3).
const AUTHENTICATED_FROM: usize = 20;

/// How messages are signed (MS-SMB2 3.1.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signing {
    HmacSha256,
    AesCmac,
    AesGmac,
}

impl Signing {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Signing::HmacSha256 => "HMAC-SHA256",
            Signing::AesCmac => "AES-128-CMAC",
            Signing::AesGmac => "AES-128-GMAC",
        }
    }
}

/// How messages are encrypted (MS-SMB2 2.2.3.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    Aes128Ccm,
    Aes128Gcm,
    Aes256Ccm,
    Aes256Gcm,
}

impl Encryption {
    /// All, with the numbers that the negotiation uses, the cheapest first.
    pub const ALL: [(u16, Encryption); 4] = [
        (2, Encryption::Aes128Gcm),
        (4, Encryption::Aes256Gcm),
        (1, Encryption::Aes128Ccm),
        (3, Encryption::Aes256Ccm),
    ];

    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Encryption::Aes128Ccm => "AES-128-CCM",
            Encryption::Aes128Gcm => "AES-128-GCM",
            Encryption::Aes256Ccm => "AES-256-CCM",
            Encryption::Aes256Gcm => "AES-256-GCM",
        }
    }

    /// Length of its keys.
    pub fn key_bits(self) -> u32 {
        match self {
            Encryption::Aes128Ccm | Encryption::Aes128Gcm => 128,
            Encryption::Aes256Ccm | Encryption::Aes256Gcm => 256,
        }
    }
}

type Ccm128 = ccm::Ccm<Aes128, U16, U11>;
type Ccm256 = ccm::Ccm<Aes256, U16, U11>;

/// Signs and verifies the messages of a session or channel.
#[derive(Clone)]
pub struct Signer {
    way: Signing,
    key: SigningKey,
}

#[derive(Clone)]
enum SigningKey {
    Hmac(Box<Hmac<Sha256>>),
    Cmac(Box<Cmac<Aes128>>),
    Gmac(Box<Gcm>),
}

impl Signer {
    /// A signer by this algorithm with a key of 16 bytes.
    ///
    /// # Errors
    /// A key of another length.
    pub fn new(way: Signing, key: &[u8]) -> SmbResult<Signer> {
        let key = match way {
            Signing::HmacSha256 => SigningKey::Hmac(Box::new(
                Hmac::new_from_slice(key).map_err(|_| unfit_key())?,
            )),
            Signing::AesCmac => SigningKey::Cmac(Box::new(
                Cmac::new_from_slice(key).map_err(|_| unfit_key())?,
            )),
            Signing::AesGmac => SigningKey::Gmac(Box::new(Gcm::new(key)?)),
        };
        Ok(Signer { way, key })
    }

    /// The algorithm.
    pub fn way(&self) -> Signing {
        self.way
    }

    /// True when a message of the server carries its signature.
    pub fn has_signed(&self, message: &[u8], data: &[u8]) -> bool {
        is_same(&self.signature(true, message, data), &message[48..64])
    }

    /// Signature of a message in pieces, the first of which holds at least the header; what stands there as a signature counts as zero.
    pub fn signature(&self, from_server: bool, message: &[u8], data: &[u8]) -> [u8; 16] {
        let mut header = [0; HEADER_BYTES];
        header[..48].copy_from_slice(&message[..48]);
        let pieces = [&header[..], &message[HEADER_BYTES..], data];
        match &self.key {
            SigningKey::Hmac(hmac) => {
                let mut mac = (**hmac).clone();
                pieces.iter().for_each(|piece| mac.update(piece));
                let mut signature = [0; 16];
                signature.copy_from_slice(&mac.finalize().into_bytes()[..16]);
                signature
            }
            SigningKey::Cmac(cmac) => {
                let mut mac = (**cmac).clone();
                pieces.iter().for_each(|piece| mac.update(piece));
                mac.finalize().into_bytes().into()
            }
            SigningKey::Gmac(gcm) => {
                // The nonce is the message number and the sender's role (MS-SMB2 3.1.4.1).
                let mut nonce = [0; 12];
                nonce[..8].copy_from_slice(&message[24..32]);
                nonce[8] = u8::from(from_server);
                gcm.authenticate(&nonce, &pieces)
            }
        }
    }
}

/// Encrypts and decrypts the messages of a session: one key for each direction.
pub struct Sealer {
    way: Encryption,
    session_id: u64,
    out: SealingKey,
    back: SealingKey,
    nonces: Nonces,
}

enum SealingKey {
    Gcm(Gcm),
    CcmShort(Box<Ccm128>),
    CcmLong(Box<Ccm256>),
}

impl SealingKey {
    fn new(way: Encryption, key: &[u8]) -> SmbResult<SealingKey> {
        Ok(match way {
            Encryption::Aes128Gcm | Encryption::Aes256Gcm => SealingKey::Gcm(Gcm::new(key)?),
            Encryption::Aes128Ccm => SealingKey::CcmShort(Box::new(
                Ccm128::new_from_slice(key).map_err(|_| unfit_key())?,
            )),
            Encryption::Aes256Ccm => SealingKey::CcmLong(Box::new(
                Ccm256::new_from_slice(key).map_err(|_| unfit_key())?,
            )),
        })
    }

    /// Encrypts a message with an algorithm that needs it contiguous.
    fn seal_message(
        &self,
        nonce: &[u8; 11],
        authenticated: &[u8],
        message: &mut [u8],
    ) -> SmbResult<[u8; 16]> {
        let nonce = (*nonce).into();
        let tag = match self {
            SealingKey::CcmShort(ccm) => {
                ccm.encrypt_inout_detached(&nonce, authenticated, message.into())
            }
            SealingKey::CcmLong(ccm) => {
                ccm.encrypt_inout_detached(&nonce, authenticated, message.into())
            }
            SealingKey::Gcm(_) => return Err(unfit_key()),
        };
        Ok(tag
            .map_err(|_| Fault::Unfit {
                what: Statement::new("smb-message-too-long-to-encrypt"),
                remedy: Statement::new("smb-choose-smaller-blocks"),
            })?
            .into())
    }
}

impl Sealer {
    /// A sealer of the session. `nonces` are those of its channel.
    ///
    /// # Errors
    /// Keys of the wrong length.
    pub fn new(
        way: Encryption,
        session_id: u64,
        out_key: &[u8],
        back_key: &[u8],
        nonces: Nonces,
    ) -> SmbResult<Sealer> {
        let (out, back) = (
            SealingKey::new(way, out_key)?,
            SealingKey::new(way, back_key)?,
        );
        Ok(Sealer {
            way,
            session_id,
            out,
            back,
            nonces,
        })
    }

    /// The algorithm.
    pub fn way(&self) -> Encryption {
        self.way
    }

    /// Encrypts `frame`: its first [`TRANSFORM_BYTES`] become the transform header, the message follows, and at its end is room for `data`.
    ///
    /// # Errors
    /// Only a message beyond the cipher's limit.
    pub fn seal(&mut self, frame: &mut [u8], data: &[u8]) -> SmbResult<()> {
        let (header, message) = frame.split_at_mut(TRANSFORM_BYTES);
        header.fill(0);
        header[..4].copy_from_slice(b"\xfdSMB");
        header[20..31].copy_from_slice(&self.nonces.next());
        header[36..40].copy_from_slice(&(message.len() as u32).to_le_bytes());
        // Encrypted (3.1.1); AES-128-CCM (3.0): the same number.
        header[42] = 1;
        header[44..52].copy_from_slice(&self.session_id.to_le_bytes());
        let (nonce, authenticated) = (&header[20..32], &header[AUTHENTICATED_FROM..]);
        let data_from = message.len() - data.len();
        let tag: [u8; 16] = match &self.out {
            SealingKey::Gcm(gcm) => {
                let mut sealing = gcm.begin(nonce, authenticated);
                let (head, room) = message.split_at_mut(data_from);
                sealing.encrypt(head);
                sealing.encrypt_into(room, data);
                sealing.tag()
            }
            ccm => {
                message[data_from..].copy_from_slice(data);
                ccm.seal_message(&short_nonce(nonce), authenticated, message)?
            }
        };
        header[4..20].copy_from_slice(&tag);
        Ok(())
    }

    /// Decrypts a message that came with this transform header.
    ///
    /// # Errors
    /// [`Fault::Tampered`] when it was changed on the way or is not of the session.
    pub fn open(&self, header: &[u8; TRANSFORM_BYTES], message: &mut [u8]) -> SmbResult<()> {
        self.expect(header, message.len())?;
        let (nonce, authenticated, tag) = (
            &header[20..32],
            &header[AUTHENTICATED_FROM..],
            &header[4..20],
        );
        let forged = || Fault::tampered(Statement::new("smb-encrypted-message"));
        let ccm_tag = <[u8; 16]>::try_from(tag).map_err(|_| forged())?.into();
        match &self.back {
            SealingKey::Gcm(gcm) => {
                let mut opening = gcm.begin(nonce, authenticated);
                opening.decrypt(message);
                is_same(&opening.tag(), tag)
                    .then_some(())
                    .ok_or_else(forged)
            }
            SealingKey::CcmShort(ccm) => ccm
                .decrypt_inout_detached(
                    &short_nonce(nonce).into(),
                    authenticated,
                    message.into(),
                    &ccm_tag,
                )
                .map_err(|_| forged()),
            SealingKey::CcmLong(ccm) => ccm
                .decrypt_inout_detached(
                    &short_nonce(nonce).into(),
                    authenticated,
                    message.into(),
                    &ccm_tag,
                )
                .map_err(|_| forged()),
        }
    }

    /// A transform header of the session, on a message of so many bytes (MS-SMB2 3.2.5.1.1.1).
    fn expect(&self, header: &[u8; TRANSFORM_BYTES], bytes: usize) -> SmbResult<()> {
        let (size, session_id) = (
            header[36..40].try_into().map(u32::from_le_bytes),
            header[44..52].try_into().map(u64::from_le_bytes),
        );
        match (size, session_id) {
            (Ok(size), _) if size as usize != bytes => Err(Fault::Garbage(
                Statement::new("smb-encrypted-message-of-other-length")
                    .count("bytes", bytes as u64)
                    .count("said", u64::from(size)),
            )),
            (_, Ok(id)) if id != self.session_id => Err(Fault::Garbage(
                Statement::new("smb-encrypted-message-of-another-session")
                    .name("session", format!("{id:#x}")),
            )),
            _ => Ok(()),
        }
    }

    /// Begins to decrypt a message piece by piece, where the algorithm allows it. Nothing may be believed before [`Opening::end`].
    pub fn begin_opening(&self, header: &[u8; TRANSFORM_BYTES], bytes: usize) -> Option<Opening> {
        let SealingKey::Gcm(gcm) = &self.back else {
            return None;
        };
        self.expect(header, bytes).ok()?;
        let mut tag = [0; 16];
        tag.copy_from_slice(&header[4..20]);
        Some(Opening {
            message: gcm.begin(&header[20..32], &header[AUTHENTICATED_FROM..]),
            tag,
        })
    }
}

/// Whether a tag is the right one, in constant time.
fn is_same(tag: &[u8], other: &[u8]) -> bool {
    tag.ct_eq(other).into()
}

/// The 11 bytes of a nonce for CCM.
fn short_nonce(nonce: &[u8]) -> [u8; 11] {
    let mut short = [0; 11];
    short.copy_from_slice(&nonce[..11]);
    short
}

/// A message that is decrypted piece by piece.
pub struct Opening {
    message: GcmMessage,
    tag: [u8; 16],
}

impl Opening {
    /// Decrypts the next piece.
    pub fn decrypt(&mut self, piece: &mut [u8]) {
        self.message.decrypt(piece);
    }

    /// All pieces were decrypted.
    ///
    /// # Errors
    /// [`Fault::Tampered`] when it was changed on the way or is not of the session.
    pub fn end(self) -> SmbResult<()> {
        if is_same(&self.message.tag(), &self.tag) {
            Ok(())
        } else {
            Err(Fault::tampered(Statement::new("smb-encrypted-message")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_words::english;
    use smb2::crypto::{encryption, signing};

    fn nonces() -> Nonces {
        Nonces::random().expect("random numbers")
    }

    fn message(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|n| (n * 7 + n / 251) as u8).collect()
    }

    /// The crate that the logins come from has its own signing and encryption: both must agree.
    #[test]
    fn signatures_are_those_of_another_implementation() {
        use signing::SigningAlgorithm::{AesCmac, AesGmac, HmacSha256};
        let key = [0x5a; 16];
        for (ours, theirs) in [
            (Signing::HmacSha256, HmacSha256),
            (Signing::AesCmac, AesCmac),
            (Signing::AesGmac, AesGmac),
        ] {
            for bytes in [64, 73, 112, 113, 4096 + 112, 100_003] {
                let mut signed = message(bytes);
                let number = u64::from_le_bytes(signed[24..32].try_into().expect("number"));
                signing::sign_message(&mut signed, &key, theirs, number, false).expect("sign");
                let signer = Signer::new(ours, &key).expect("signer");
                for cut in [HEADER_BYTES, bytes.min(112), bytes] {
                    assert_eq!(
                        signer.signature(false, &signed[..cut], &signed[cut..]),
                        signed[48..64],
                        "{ours:?} {bytes} {cut}"
                    );
                }
            }
        }
    }

    #[test]
    fn encryption_is_that_of_another_implementation() {
        use encryption::Cipher;
        let ways = [
            (Encryption::Aes128Ccm, Cipher::Aes128Ccm),
            (Encryption::Aes128Gcm, Cipher::Aes128Gcm),
            (Encryption::Aes256Ccm, Cipher::Aes256Ccm),
            (Encryption::Aes256Gcm, Cipher::Aes256Gcm),
        ];
        for (ours, theirs) in ways {
            let key = message(ours.key_bits() as usize / 8);
            for bytes in [64, 73, 112, 70_001] {
                let plain = message(bytes);
                let mut sealer = Sealer::new(ours, 7, &key, &key, nonces()).expect("sealer");
                let (head, data) = plain.split_at(bytes / 5);
                let mut frame =
                    [vec![0; TRANSFORM_BYTES], head.to_vec(), vec![0; data.len()]].concat();
                sealer.seal(&mut frame, data).expect("seal");
                let (header, sealed) = frame.split_at_mut(TRANSFORM_BYTES);
                assert_eq!(
                    encryption::decrypt_message(header, sealed, &key, theirs).expect("theirs"),
                    plain,
                    "{ours:?}"
                );
                let header: [u8; TRANSFORM_BYTES] = (&*header).try_into().expect("header");
                if let Some(mut opening) = sealer.begin_opening(&header, bytes) {
                    let mut pieces = sealed.to_vec();
                    let (first, rest) = pieces.split_at_mut(bytes / 3);
                    opening.decrypt(first);
                    opening.decrypt(rest);
                    opening.end().expect("untouched");
                    assert_eq!(pieces, plain);
                }
                let mut forged = sealed.to_vec();
                forged[bytes / 2] ^= 1;
                assert!(
                    sealer.open(&header, &mut forged).is_err(),
                    "{ours:?}: a changed bit is seen"
                );
                sealer.open(&header, sealed).expect("open");
                assert_eq!(sealed, plain, "{ours:?}");
            }
        }
    }

    #[test]
    fn an_encrypted_message_of_another_session_is_refused_though_the_key_is_right() {
        for (_, way) in Encryption::ALL {
            let key = message(way.key_bits() as usize / 8);
            let sealer = |id| Sealer::new(way, id, &key, &key, nonces()).expect("sealer");
            let sealed = |id| {
                let mut frame = [&[0; TRANSFORM_BYTES][..], &message(200)].concat();
                sealer(id).seal(&mut frame, &[]).expect("seal");
                (
                    <[u8; TRANSFORM_BYTES]>::try_from(&frame[..TRANSFORM_BYTES]).expect("header"),
                    frame[TRANSFORM_BYTES..].to_vec(),
                )
            };
            let (header, mut sealed_here) = sealed(7);
            sealer(7).open(&header, &mut sealed_here).expect("its own");
            let (header, mut sealed_elsewhere) = sealed(8);
            assert!(sealer(7).begin_opening(&header, 200).is_none());
            let fault = sealer(7)
                .open(&header, &mut sealed_elsewhere)
                .expect_err("of session 8");
            assert!(
                english(&fault.statement()).contains("session, 0x8"),
                "{way:?}: {fault:?}"
            );
            let (header, mut longer) = sealed(7);
            longer.push(0);
            assert!(sealer(7).open(&header, &mut longer).is_err());
        }
    }
}
