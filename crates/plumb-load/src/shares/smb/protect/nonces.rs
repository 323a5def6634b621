//! How does no nonce ever come twice under one key? By counting within a session, and by where each session begins to count.
//!
//! AES-GCM and AES-CCM give everything away when two messages are encrypted under one key with one nonce. Within a session the keys are new with NTLM, whose session
//! key is random. With Kerberos they need not be: a server that answers without a subkey of its own (RFC 4120 5.5.2) leaves the ticket's key as the session key, and
//! one ticket is good for many sessions. From 3.1.1 on the encryption keys also depend on the hash of all earlier messages, in which each negotiation has 32
//! new random bytes of this client, so they are new all the same; and so is the key of AES-GMAC, the only signature with a nonce. In 3.0 and 3.0.2 they follow
//! from the session key and constants alone (MS-SMB2 3.1.4.2): all sessions of a ticket encrypt with AES-128-CCM under the same key.
//!
//! So the 11 bytes that every cipher of SMB uses begin at a random value in each session, and count from there: 8 bytes for the messages of a channel, 3 for
//! the
//! channels. Within a session no nonce comes twice before 2^64 messages of a channel or 2^24 channels. Two sessions under one key meet only when their 88 bits begin close
//! to each other: for a thousand sessions of a ticket with 2^30 messages each the chance is about 2^-38.

use plumb_model::statement::Statement;

use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::login::key::random;

/// Bytes that a nonce has (MS-SMB2 2.2.41: 11 for CCM, 12 for GCM, of which the last stays zero here).
pub const NONCE_BYTES: usize = 11;
/// Channels that 3 bytes can number.
const CHANNELS_MAX: u32 = 1 << 24;

/// Nonces of a session, or of one of its channels.
#[derive(Debug, Clone)]
pub struct Nonces {
    message: u64,
    channel: u32,
}

impl Nonces {
    /// Those of a new session.
    ///
    /// # Errors
    /// A system that gives no random numbers.
    pub fn random() -> SmbResult<Nonces> {
        Ok(Nonces {
            message: u64::from_le_bytes(random()?),
            channel: u32::from_le_bytes(random()?) % CHANNELS_MAX,
        })
    }

    /// Those of this channel of the session.
    ///
    /// # Errors
    /// More channels than can be numbered.
    pub fn of_channel(&self, number: u32) -> SmbResult<Nonces> {
        if number >= CHANNELS_MAX {
            return Err(Fault::Unfit {
                what: Statement::new("smb-no-more-connections-of-session")
                    .count("connections", u64::from(number)),
                remedy: Statement::new("smb-start-again"),
            });
        }
        Ok(Nonces {
            message: self.message,
            channel: (self.channel + number) % CHANNELS_MAX,
        })
    }

    /// The next.
    pub fn next(&mut self) -> [u8; NONCE_BYTES] {
        self.message = self.message.wrapping_add(1);
        let mut nonce = [0; NONCE_BYTES];
        nonce[..8].copy_from_slice(&self.message.to_le_bytes());
        nonce[8..].copy_from_slice(&self.channel.to_le_bytes()[..3]);
        nonce
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_nonce_comes_twice_in_any_channel_of_any_session() {
        let mut seen = HashSet::new();
        for _ in 0..20 {
            let session = Nonces::random().expect("random numbers");
            for channel in [1, 2, 3, CHANNELS_MAX - 1] {
                let mut nonces = session.of_channel(channel).expect("a channel");
                assert!((0..1000).all(|_| seen.insert(nonces.next())));
            }
            assert!(session.of_channel(CHANNELS_MAX).is_err());
        }
        // Over the end of the counter.
        let mut last = Nonces {
            message: u64::MAX,
            channel: 5,
        };
        assert_eq!(
            (last.next(), last.next()),
            (
                [0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0],
                [1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0]
            )
        );
    }
}
