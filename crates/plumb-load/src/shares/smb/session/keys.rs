//! Which keys does a session have, and how do the connections that join it get theirs?

use std::sync::atomic::{AtomicU32, Ordering};

use smb2::crypto::kdf::{PreauthHasher, sp800_108_kdf};
use smb2::types::Dialect;

use crate::shares::smb::fault::SmbResult;
use crate::shares::smb::login::key::Key;
use crate::shares::smb::negotiate::{Agreed, is_smb2};
use crate::shares::smb::protect::Sealer;
use crate::shares::smb::protect::nonces::Nonces;

/// A session that further connections may join (MS-SMB2 3.2.1.3).
pub struct Session {
    pub(super) id: u64,
    pub(super) signing_key: Key,
    pub(super) client_guid: [u8; 16],
    pub(super) server_guid: String,
    pub(super) dialect: Dialect,
    pub(super) demands_encryption: bool,
    /// The keys for encryption, there and back.
    sealing_keys: Option<(Key, Key)>,
    /// Where its nonces begin.
    nonces: Nonces,
    /// Connections so far; sets their nonces apart.
    channels: AtomicU32,
}

impl Session {
    /// A session with this number, of a login that ended with this key.
    pub(super) fn begin(
        id: u64,
        key: &Key,
        demands_encryption: bool,
        agreed: &Agreed,
        hasher: &PreauthHasher,
    ) -> SmbResult<Session> {
        let key = key.filled_up_to(16);
        let sealing_keys = agreed.encryption.map(|way| {
            let bits = way.key_bits();
            let key = if bits == 256 {
                key.expose()
            } else {
                key.first(16)
            };
            let there = derive(
                agreed,
                key,
                hasher,
                ["SMBC2SCipherKey", "SMB2AESCCM", "ServerIn "],
                bits,
            );
            let back = derive(
                agreed,
                key,
                hasher,
                ["SMBS2CCipherKey", "SMB2AESCCM", "ServerOut"],
                bits,
            );
            (there, back)
        });
        Ok(Session {
            id,
            signing_key: signing_key(agreed, &key, hasher),
            client_guid: agreed.offer.client_guid,
            server_guid: agreed.server_guid.clone(),
            dialect: agreed.dialect,
            demands_encryption,
            sealing_keys,
            nonces: Nonces::random()?,
            channels: AtomicU32::new(1),
        })
    }

    /// What encrypts and decrypts the messages of one more connection.
    pub(super) fn sealer(&self, agreed: &Agreed) -> SmbResult<Option<Sealer>> {
        let (Some(way), Some((there, back))) = (agreed.encryption, &self.sealing_keys) else {
            return Ok(None);
        };
        let number = self.channels.fetch_add(1, Ordering::Relaxed);
        Sealer::new(
            way,
            self.id,
            there.expose(),
            back.expose(),
            self.nonces.of_channel(number)?,
        )
        .map(Some)
    }
}

/// Without its keys.
impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({:#x}, SMB {})", self.id, self.dialect)
    }
}

/// A key of a session: by its label from the session key (MS-SMB2 3.1.4.2). Before 3.1.1 the context is a word, from then on all messages so far.
fn derive(agreed: &Agreed, key: &[u8], hasher: &PreauthHasher, words: [&str; 3], bits: u32) -> Key {
    let [label_311, label_30, word] = words.map(|word| format!("{word}\0").into_bytes());
    Key::new(match agreed.dialect {
        Dialect::Smb3_1_1 => sp800_108_kdf(key, &label_311, hasher.value(), bits),
        _ => sp800_108_kdf(key, &label_30, &word, bits),
    })
}

/// What signs the messages of a connection.
pub(super) fn signing_key(agreed: &Agreed, key: &Key, hasher: &PreauthHasher) -> Key {
    let short = key.first(16);
    match agreed.dialect {
        dialect if is_smb2(dialect) => Key::new(short.to_vec()),
        _ => derive(
            agreed,
            short,
            hasher,
            ["SMBSigningKey", "SMB2AESCMAC", "SmbSign"],
            128,
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::shares::smb::negotiate::Offer;
    use plumb_model::target::remote::Remote;
    use plumb_model::workload::EngineChoice;

    use super::*;
    use crate::secret::Secret;
    use crate::shares::smb::login::key::random;
    use crate::shares::smb::protect::{Encryption, Signing, TRANSFORM_BYTES};
    use crate::shares::smb::session::Access;

    fn agreed(dialect: Dialect) -> Agreed {
        let (signing, encryption) = match dialect {
            Dialect::Smb2_1 => (Signing::HmacSha256, None),
            Dialect::Smb3_1_1 => (Signing::AesGmac, Some(Encryption::Aes128Gcm)),
            _ => (Signing::AesCmac, Some(Encryption::Aes128Ccm)),
        };
        Agreed {
            dialect,
            server_guid: String::new(),
            capabilities: 0,
            security_mode: 1,
            demands_signing: false,
            signing,
            encryption,
            compression: Vec::new(),
            read_max_bytes: 1 << 20,
            write_max_bytes: 1 << 20,
            transact_max_bytes: 1 << 20,
            offer: Offer {
                capabilities: 0,
                client_guid: [0; 16],
                security_mode: 1,
                dialects: vec![dialect],
            },
        }
    }

    /// A session under the key of a ticket, after a negotiation of its own: the hash has seen other salts.
    fn session(dialect: Dialect, id: u64) -> Session {
        let mut hasher = PreauthHasher::new();
        hasher.update(&random::<32>().expect("random numbers"));
        Session::begin(
            id,
            &Key::new(vec![0x4b; 32]),
            false,
            &agreed(dialect),
            &hasher,
        )
        .expect("a session")
    }

    fn keys(session: &Session) -> Vec<Key> {
        let sealing = session
            .sealing_keys
            .iter()
            .flat_map(|(there, back)| [there.clone(), back.clone()]);
        [session.signing_key.clone()]
            .into_iter()
            .chain(sealing)
            .collect()
    }

    fn exposed(session: &Session) -> Vec<Vec<u8>> {
        keys(session)
            .iter()
            .map(|key| key.expose().to_vec())
            .collect()
    }

    /// A Kerberos server without a subkey of its own gives every session of a ticket the same key (module `nonces`).
    #[test]
    fn sessions_of_one_ticket_never_encrypt_two_messages_alike() {
        let (one, two) = (session(Dialect::Smb3_1_1, 1), session(Dialect::Smb3_1_1, 2));
        assert!(
            keys(&one)
                .iter()
                .zip(keys(&two))
                .all(|(one, two)| one.expose() != two.expose()),
            "3.1.1: the keys follow from the salts too"
        );
        let mut nonces = HashSet::new();
        for dialect in [Dialect::Smb3_0, Dialect::Smb3_0_2] {
            for id in 1..=20 {
                let session = session(dialect, id);
                assert!(
                    exposed(&session) == exposed(&self::session(dialect, 99)),
                    "{dialect}: the keys are the same"
                );
                for _channel in 0..3 {
                    let mut sealer = session
                        .sealer(&agreed(dialect))
                        .expect("keys")
                        .expect("encryption");
                    for _message in 0..100 {
                        let mut frame = vec![0; TRANSFORM_BYTES + 64];
                        sealer.seal(&mut frame, &[]).expect("sealed");
                        assert!(
                            nonces.insert(frame[20..36].to_vec()),
                            "{dialect}: session {id} uses a nonce of another"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_holds_keys_and_passwords_does_not_show_them() {
        let secret = Secret::new("plumb-pass-1");
        let remote: Remote = "smb://user@host/share".parse().expect("an address");
        let access = Access {
            remote,
            secret: Some(secret),
            choice: EngineChoice::default(),
            stop: Default::default(),
        };
        for dialect in [Dialect::Smb2_1, Dialect::Smb3_0, Dialect::Smb3_1_1] {
            let session = session(dialect, 1);
            let shown = format!("{access:?} {session:?} {session:#?}");
            assert!(!shown.contains("plumb-pass-1"), "{shown}");
            for key in keys(&session) {
                let numbers = format!("{:?}", &key.expose()[..4]);
                assert!(
                    !shown.contains(numbers.trim_matches(['[', ']'])),
                    "{dialect}: {shown}"
                );
                assert!(!shown.contains(&format!("{:?}", key.expose())));
            }
        }
    }
}
