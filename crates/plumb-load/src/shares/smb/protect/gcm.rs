//! How is a message encrypted and authenticated in Galois/counter mode piece by piece, without a copy of it?

// The crate aes-gcm wants a message in one buffer that it may write to. Here the data of a WRITE is read from the worker's buffer and goes encrypted to
// what is sent, and the data of a READ is decrypted as it comes, in the worker's buffer: docs/decisions/0001-libraries.md.

use aes::cipher::{BlockCipherEncrypt, KeyInit as _};
use aes::{Aes128, Aes256, Block};
use ctr::Ctr32BE;
use ctr::cipher::inout::InOutBuf;
use ctr::cipher::{InnerIvInit, StreamCipher};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use plumb_model::statement::Statement;
use zeroize::{Zeroize, Zeroizing};

use crate::shares::smb::fault::{Fault, SmbResult};

/// Bytes that are hashed and encrypted in a row, so that they stay in the first-level cache.
const CHUNK_BYTES: usize = 8 << 10;

/// A key in the wrong length cannot come from our own derivation; it is an error all the same.
pub(in crate::shares::smb) fn unfit_key() -> Fault {
    Fault::Unfit {
        what: Statement::new("smb-key-of-wrong-length"),
        remedy: Statement::new("smb-leave-signing-and-encryption"),
    }
}

/// AES with either length of key.
#[derive(Clone)]
enum Aes {
    Short(Box<Aes128>),
    Long(Box<Aes256>),
}

impl Aes {
    fn new(key: &[u8]) -> SmbResult<Aes> {
        match key.len() {
            16 => Ok(Aes::Short(Box::new(
                Aes128::new_from_slice(key).map_err(|_| unfit_key())?,
            ))),
            32 => Ok(Aes::Long(Box::new(
                Aes256::new_from_slice(key).map_err(|_| unfit_key())?,
            ))),
            _ => Err(unfit_key()),
        }
    }

    fn block(&self, block: &mut Block) {
        match self {
            Aes::Short(aes) => aes.encrypt_block(block),
            Aes::Long(aes) => aes.encrypt_block(block),
        }
    }
}

/// The key stream of one message.
enum Stream {
    Short(Box<Ctr32BE<Aes128>>),
    Long(Box<Ctr32BE<Aes256>>),
}

impl Stream {
    fn apply(&mut self, bytes: InOutBuf<'_, '_, u8>) {
        match self {
            Stream::Short(stream) => stream.apply_keystream_inout(bytes),
            Stream::Long(stream) => stream.apply_keystream_inout(bytes),
        }
    }
}

/// GHASH over bytes that come in pieces of any length.
struct Hash {
    ghash: GHash,
    carry: [u8; 16],
    carried: usize,
    bytes: u64,
}

impl Hash {
    fn new(ghash: &GHash) -> Hash {
        Hash {
            ghash: ghash.clone(),
            carry: [0; 16],
            carried: 0,
            bytes: 0,
        }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if self.carried > 0 {
            let taken = bytes.len().min(16 - self.carried);
            self.carry[self.carried..self.carried + taken].copy_from_slice(&bytes[..taken]);
            self.carried += taken;
            bytes = &bytes[taken..];
            if self.carried < 16 {
                return;
            }
            self.ghash.update_padded(&self.carry);
            self.carried = 0;
        }
        let full_blocks = bytes.len() / 16 * 16;
        self.ghash.update_padded(&bytes[..full_blocks]);
        self.carried = bytes.len() - full_blocks;
        self.carry[..self.carried].copy_from_slice(&bytes[full_blocks..]);
    }

    /// Fills up the last block; what follows begins a new one.
    fn pad(&mut self) -> u64 {
        self.ghash.update_padded(&self.carry[..self.carried]);
        self.carried = 0;
        std::mem::take(&mut self.bytes)
    }

    /// The value over authenticated and encrypted bytes, of which there were so many (NIST SP 800-38D 7.1).
    fn finish(mut self, authenticated_bytes: u64) -> [u8; 16] {
        let encrypted_bytes = self.pad();
        let mut lengths = [0; 16];
        lengths[..8].copy_from_slice(&(authenticated_bytes * 8).to_be_bytes());
        lengths[8..].copy_from_slice(&(encrypted_bytes * 8).to_be_bytes());
        self.ghash.update_padded(&lengths);
        self.ghash.finalize().into()
    }
}

/// AES in Galois/counter mode, whose parts can be fed piece by piece.
#[derive(Clone)]
pub(in crate::shares::smb) struct Gcm {
    aes: Aes,
    ghash: GHash,
}

/// One message on its way through [`Gcm`].
pub(in crate::shares::smb) struct GcmMessage {
    hash: Hash,
    stream: Stream,
    mask: Zeroizing<[u8; 16]>,
    authenticated_bytes: u64,
}

impl Gcm {
    pub(in crate::shares::smb) fn new(key: &[u8]) -> SmbResult<Gcm> {
        let aes = Aes::new(key)?;
        let mut key = Block::default();
        aes.block(&mut key);
        let ghash = GHash::new(&key);
        key.as_mut_slice().zeroize();
        Ok(Gcm { aes, ghash })
    }

    /// A counter block of a nonce.
    fn counter(&self, nonce: &[u8], count: u32) -> Block {
        let mut block = Block::default();
        block[..12].copy_from_slice(nonce);
        block[12..].copy_from_slice(&count.to_be_bytes());
        block
    }

    /// The first counter block of a nonce, encrypted: it masks the hash.
    fn mask(&self, nonce: &[u8]) -> Zeroizing<[u8; 16]> {
        let mut block = self.counter(nonce, 1);
        self.aes.block(&mut block);
        let mask = Zeroizing::new(block.into());
        block.as_mut_slice().zeroize();
        mask
    }

    pub(in crate::shares::smb) fn begin(&self, nonce: &[u8], authenticated: &[u8]) -> GcmMessage {
        let mask = self.mask(nonce);
        let first = self.counter(nonce, 2);
        let stream = match &self.aes {
            Aes::Short(aes) => Stream::Short(Box::new(Ctr32BE::from_core(
                ctr::CtrCore::inner_iv_init((**aes).clone(), &first),
            ))),
            Aes::Long(aes) => Stream::Long(Box::new(Ctr32BE::from_core(
                ctr::CtrCore::inner_iv_init((**aes).clone(), &first),
            ))),
        };
        let mut hash = Hash::new(&self.ghash);
        hash.update(authenticated);
        let authenticated_bytes = hash.pad();
        GcmMessage {
            hash,
            stream,
            mask,
            authenticated_bytes,
        }
    }

    /// The tag of bytes that are not encrypted.
    pub(in crate::shares::smb) fn authenticate(&self, nonce: &[u8], pieces: &[&[u8]]) -> [u8; 16] {
        let mask = self.mask(nonce);
        let mut hash = Hash::new(&self.ghash);
        pieces.iter().for_each(|piece| hash.update(piece));
        let bytes = hash.pad();
        masked(hash.finish(bytes), &mask)
    }
}

fn masked(mut tag: [u8; 16], mask: &[u8; 16]) -> [u8; 16] {
    tag.iter_mut()
        .zip(mask)
        .for_each(|(byte, mask)| *byte ^= mask);
    tag
}

impl GcmMessage {
    pub(in crate::shares::smb) fn encrypt(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(CHUNK_BYTES) {
            self.stream.apply(chunk.into());
            self.hash.update(chunk);
        }
    }

    /// Encrypts bytes into as much room elsewhere.
    pub(in crate::shares::smb) fn encrypt_into(&mut self, room: &mut [u8], bytes: &[u8]) {
        for (room, bytes) in room.chunks_mut(CHUNK_BYTES).zip(bytes.chunks(CHUNK_BYTES)) {
            let length = room.len().min(bytes.len());
            if let Ok(both) = InOutBuf::new(&bytes[..length], &mut room[..length]) {
                self.stream.apply(both);
            }
            self.hash.update(room);
        }
    }

    pub(in crate::shares::smb) fn decrypt(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(CHUNK_BYTES) {
            self.hash.update(chunk);
            self.stream.apply(chunk.into());
        }
    }

    pub(in crate::shares::smb) fn tag(self) -> [u8; 16] {
        masked(self.hash.finish(self.authenticated_bytes), &self.mask)
    }
}
