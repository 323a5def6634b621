//! How is the connection between client and agent sealed? By the Noise protocol, NNpsk0: new keys for each connection, and the token as the pre-shared key,
//! so that only its holders can send, read, or change a byte (noiseprotocol.org, revision 34; the crate `snow`).

use plumb_load::secret::Secret;
use snow::{Builder, HandshakeState, StatelessTransportState};
use zeroize::Zeroizing;

use super::VERSION;
use super::token::key_of;

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_SHA256";
/// Longest message of the protocol, in bytes, as it goes over the wire.
pub const SEALED_MAX: usize = 65_535;
/// What sealing adds to a message.
const TAG_BYTES: usize = 16;
/// Most bytes in one sealed message.
pub const PLAIN_MAX: usize = SEALED_MAX - TAG_BYTES;

/// Something that does not open: another token, or bytes that were changed on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("received a message that was not authenticated with the token of this connection")]
pub struct NotSealed;

/// One end of a connection whose keys are not there yet.
pub struct Handshake(HandshakeState);

impl Handshake {
    /// The end that connects, and sends first.
    pub fn client(token: &Secret) -> Result<Handshake, NotSealed> {
        Handshake::new(token, |builder| builder.build_initiator())
    }

    /// The end that was connected to.
    pub fn agent(token: &Secret) -> Result<Handshake, NotSealed> {
        Handshake::new(token, |builder| builder.build_responder())
    }

    fn new(
        token: &Secret,
        build: fn(Builder<'_>) -> Result<HandshakeState, snow::Error>,
    ) -> Result<Handshake, NotSealed> {
        let key = Zeroizing::new(key_of(token));
        // The messages before the keys are part of the handshake hash: tampering is detected.
        let prologue = format!("plumb-agent {VERSION}");
        let builder = Builder::new(PATTERN.parse().map_err(|_| NotSealed)?);
        let builder = builder
            .psk(0, &key)
            .and_then(|builder| builder.prologue(prologue.as_bytes()))
            .map_err(|_| NotSealed)?;
        build(builder).map(Handshake).map_err(|_| NotSealed)
    }

    /// The next message of this end.
    pub fn write(&mut self) -> Result<Vec<u8>, NotSealed> {
        let mut message = vec![0; 128];
        let length = self
            .0
            .write_message(&[], &mut message)
            .map_err(|_| NotSealed)?;
        message.truncate(length);
        Ok(message)
    }

    /// Takes the message of the other end. Errors: it has another token.
    pub fn read(&mut self, message: &[u8]) -> Result<(), NotSealed> {
        // Messages of the handshake carry nothing, but the buffer has to hold what a stranger might put into one.
        self.0
            .read_message(message, &mut vec![0; message.len()])
            .map(drop)
            .map_err(|_| NotSealed)
    }

    /// The keys, after each end has sent its message.
    pub fn finish(self) -> Result<Seal, NotSealed> {
        self.0
            .into_stateless_transport_mode()
            .map(Seal)
            .map_err(|_| NotSealed)
    }
}

/// The keys of a connection, for both directions.
pub struct Seal(StatelessTransportState);

impl Seal {
    /// Seals message number `number` of this end, of [`PLAIN_MAX`] bytes at most, and appends it with its length to `out`.
    pub fn seal(&self, number: u64, plain: &[u8], out: &mut Vec<u8>) -> Result<(), NotSealed> {
        let start = out.len();
        out.resize(start + 2 + plain.len() + TAG_BYTES, 0);
        let length = self
            .0
            .write_message(number, plain, &mut out[start + 2..])
            .map_err(|_| NotSealed)?;
        out[start..start + 2]
            .copy_from_slice(&u16::try_from(length).map_err(|_| NotSealed)?.to_be_bytes());
        Ok(())
    }

    /// Opens message number `number` of the other end and appends it to `out`.
    pub fn open(&self, number: u64, sealed: &[u8], out: &mut Vec<u8>) -> Result<(), NotSealed> {
        let start = out.len();
        out.resize(start + sealed.len(), 0);
        let length = self
            .0
            .read_message(number, sealed, &mut out[start..])
            .map_err(|_| NotSealed)?;
        out.truncate(start + length);
        Ok(())
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes again; `None` for what are no hexadecimal digits.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_return_from_their_digits_and_nonsense_does_not() {
        assert_eq!(unhex(&hex(&[0, 15, 255])), Some(vec![0, 15, 255]));
        for nonsense in ["z0", "0", "é0"] {
            assert!(unhex(nonsense).is_none(), "{nonsense}");
        }
    }

    fn pair(client: &str, agent: &str) -> Result<(Seal, Seal), NotSealed> {
        let (mut client, mut agent) = (
            Handshake::client(&Secret::new(client))?,
            Handshake::agent(&Secret::new(agent))?,
        );
        agent.read(&client.write()?)?;
        client.read(&agent.write()?)?;
        Ok((client.finish()?, agent.finish()?))
    }

    #[test]
    fn only_the_same_token_makes_keys_and_no_message_can_be_changed_repeated_or_sent_back() {
        assert!(pair("a token of some length", "another one entirely!").is_err());
        let (client, agent) =
            pair("a token of some length", "a token of some length").expect("keys");
        let mut sealed = Vec::new();
        client.seal(0, b"look", &mut sealed).expect("sealed");
        assert!(!sealed.windows(4).any(|four| four == b"look"));
        let open = |seal: &Seal, number: u64, sealed: &[u8]| {
            let mut plain = Vec::new();
            seal.open(number, sealed, &mut plain).map(|()| plain)
        };
        assert_eq!(open(&agent, 0, &sealed[2..]).expect("opened"), b"look");
        assert!(
            open(&agent, 1, &sealed[2..]).is_err(),
            "an old message is worth nothing"
        );
        assert!(
            open(&client, 0, &sealed[2..]).is_err(),
            "nor is one that is sent back"
        );
        let (_, other) = pair("a token of some length", "a token of some length").expect("keys");
        assert!(
            open(&other, 0, &sealed[2..]).is_err(),
            "nor one of another connection"
        );
        sealed[5] ^= 1;
        assert!(
            open(&agent, 0, &sealed[2..]).is_err(),
            "nor one that was changed"
        );
        assert!(open(&agent, 0, &[]).is_err());
    }
}
