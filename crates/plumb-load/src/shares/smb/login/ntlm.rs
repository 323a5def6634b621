//! How does a user prove knowledge of a password without sending it? By NTLM version 2 (MS-NLMP), in our own code: nothing derived from a password stays in
//! memory.

use hmac::{Hmac, KeyInit, Mac};
use md4::{Digest, Md4};
use md5::Md5;
use zeroize::Zeroizing;

use crate::secret::Secret;
use crate::shares::smb::answer::{Fields, part};
use crate::shares::smb::fault::SmbResult;
use crate::shares::smb::login::key::{Key, random};

/// What begins each message, with its kind behind it.
const SIGNATURE: &[u8; 8] = b"NTLMSSP\0";
/// Unicode, the target's name and what is known of it, signing and sealing with a key of the client's, NTLM with extended session security, 128 and 56 bits
/// (2.2.2.5), and a version: some servers look for the proof over all messages eight bytes earlier without it. No message is signed or sealed by NTLM itself
/// here, but without one of the two no server takes a key.
const FLAGS: u32 = 0xE288_8235;
const HAS_VERSION: u32 = 0x0200_0000;
/// 10.0, build 19041, revision 15 of NTLM (2.2.2.10): what a server takes for a client of today.
const VERSION: [u8; 8] = [10, 0, 0x61, 0x4a, 0, 0, 0, 15];
/// Where the version stands in the last message (2.2.1.3).
const VERSION_AT: usize = 64;
const SIGN: u32 = 0x10;
const SEAL: u32 = 0x20;
const KEY_EXCHANGE: u32 = 0x4000_0000;
/// Pairs in a server's description of itself (2.2.2.1).
const END: u16 = 0;
const PAIR_FLAGS: u16 = 6;
const PAIR_TIME: u16 = 7;
/// The proof covers all three messages.
const HAS_PROOF: u32 = 2;
/// Where the proof over all messages stands in the last (2.2.1.3).
const PROOF_AT: usize = 72;
/// 100-ns steps from 1601 to 1970.
const UNIX_EPOCH_STEPS: u64 = 116_444_736_000_000_000;

/// 16 bytes that nobody else may know.
type Hidden = Zeroizing<[u8; 16]>;

/// A login in progress.
pub struct Ntlm {
    user: String,
    domain: String,
    password: Secret,
    greeting: Vec<u8>,
    session_key: Option<Key>,
}

/// What is drawn for one login.
struct Drawn {
    challenge: [u8; 8],
    key: Hidden,
    /// Now, in 100-ns steps since 1601; used where not reported by the servers own time.
    time: u64,
}

impl Drawn {
    fn new() -> SmbResult<Drawn> {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        let time = UNIX_EPOCH_STEPS + (since.as_nanos() / 100) as u64;
        Ok(Drawn {
            challenge: random()?,
            key: Zeroizing::new(random()?),
            time,
        })
    }
}

/// The server's CHALLENGE_MESSAGE (2.2.1.2).
struct Challenge<'a> {
    flags: u32,
    challenge: &'a [u8],
    /// Pairs of number and value, without the end.
    pairs: Vec<(u16, &'a [u8])>,
}

impl<'a> Challenge<'a> {
    fn read(message: &'a [u8]) -> SmbResult<Challenge<'a>> {
        let fields = Fields(message);
        part("the first step of NTLM", || {
            (fields.bytes(0, 8)? == SIGNATURE && fields.u32(8)? == 2).then_some(())?;
            let (flags, challenge) = (fields.u32(20)?, fields.bytes(24, 8)?);
            // Old servers send no information about themselves, not even an empty list.
            let target = if message.len() < 48 {
                &[]
            } else {
                fields.bytes(fields.u32(44)? as usize, usize::from(fields.u16(40)?))?
            };
            Some(Challenge {
                flags,
                challenge,
                pairs: pairs(target)?,
            })
        })
    }

    fn pair(&self, number: u16) -> Option<&'a [u8]> {
        self.pairs
            .iter()
            .find(|(found, _)| *found == number)
            .map(|(_, value)| *value)
    }

    /// What goes back of the pairs: with a time among them, also that the last message carries a proof over all three.
    fn answered(&self, is_proved: bool) -> Vec<u8> {
        let mut answered = Vec::new();
        let mut put = |number: u16, value: &[u8]| {
            answered.extend_from_slice(&number.to_le_bytes());
            answered.extend_from_slice(&(value.len() as u16).to_le_bytes());
            answered.extend_from_slice(value);
        };
        self.pairs
            .iter()
            .filter(|(number, _)| !(is_proved && *number == PAIR_FLAGS))
            .for_each(|(number, value)| put(*number, value));
        if is_proved {
            let flags = self
                .pair(PAIR_FLAGS)
                .and_then(|value| Fields(value).u32(0))
                .unwrap_or(0);
            put(PAIR_FLAGS, &(flags | HAS_PROOF).to_le_bytes());
        }
        put(END, &[]);
        answered
    }
}

/// The pairs up to the end; `None` when one reaches beyond.
fn pairs(target: &[u8]) -> Option<Vec<(u16, &[u8])>> {
    let (fields, mut at, mut found) = (Fields(target), 0, Vec::new());
    while at < target.len() {
        let (number, len) = (fields.u16(at)?, usize::from(fields.u16(at + 2)?));
        if number == END {
            break;
        }
        found.push((number, fields.bytes(at + 4, len)?));
        at += 4 + len;
    }
    Some(found)
}

fn wide(text: &str) -> Zeroizing<Vec<u8>> {
    // All room at once: a vector that grows leaves a copy behind.
    let mut wide = Zeroizing::new(Vec::with_capacity(2 * text.len()));
    text.encode_utf16()
        .for_each(|unit| wide.extend_from_slice(&unit.to_le_bytes()));
    wide
}

fn keyed(key: &[u8; 16], pieces: &[&[u8]]) -> Hidden {
    let block = padded(key);
    let mut mac = <Hmac<Md5> as KeyInit>::new((&*block).into());
    pieces.iter().for_each(|piece| mac.update(piece));
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// HMAC fills a key up to a block with zeros (RFC 2104).
fn padded(key: &[u8; 16]) -> Zeroizing<[u8; 64]> {
    let mut block = Zeroizing::new([0; 64]);
    block[..16].copy_from_slice(key);
    block
}

/// RC4, which NTLM wraps a key with (3.1.5.1.2: RC4K).
fn rc4(key: &[u8; 16], bytes: &mut [u8]) {
    let mut state = Zeroizing::new([0; 256]);
    (0..=255)
        .zip(state.iter_mut())
        .for_each(|(value, index)| *index = value);
    let mut other = 0u8;
    for at in 0..256 {
        other = other.wrapping_add(state[at]).wrapping_add(key[at % 16]);
        state.swap(at, usize::from(other));
    }
    let (mut at, mut other) = (0u8, 0u8);
    for byte in bytes {
        at = at.wrapping_add(1);
        other = other.wrapping_add(state[usize::from(at)]);
        state.swap(usize::from(at), usize::from(other));
        *byte ^= state[usize::from(state[usize::from(at)].wrapping_add(state[usize::from(other)]))];
    }
}

/// NTOWFv2 (3.3.2): what servers keep of a password, bound to user and domain.
fn password_key(password: &str, user: &str, domain: &str) -> Hidden {
    let hash: Hidden = Zeroizing::new(Md4::digest(wide(password).as_slice()).into());
    keyed(&hash, &[&wide(&user.to_uppercase()), &wide(domain)])
}

impl Ntlm {
    /// A login of this user; the domain may be empty.
    pub fn new(user: &str, domain: &str, password: Secret) -> Ntlm {
        let mut greeting = [&SIGNATURE[..], &1u32.to_le_bytes(), &FLAGS.to_le_bytes()].concat();
        greeting.resize(32, 0);
        greeting.extend_from_slice(&VERSION);
        Ntlm {
            user: user.into(),
            domain: domain.into(),
            password,
            greeting,
            session_key: None,
        }
    }

    /// There is something to prove.
    pub fn has_password(&self) -> bool {
        !self.password.expose().is_empty()
    }

    /// NEGOTIATE_MESSAGE (2.2.1.1).
    pub fn greeting(&self) -> &[u8] {
        &self.greeting
    }

    /// AUTHENTICATE_MESSAGE (2.2.1.3), in answer to the server's challenge. From then on there is a session key.
    ///
    /// # Errors
    /// A challenge that cannot be read.
    pub fn prove(&mut self, challenge: &[u8]) -> SmbResult<Vec<u8>> {
        self.prove_with(challenge, &Drawn::new()?)
    }

    /// The key that both sides know now.
    pub fn session_key(&self) -> Option<&Key> {
        self.session_key.as_ref()
    }

    fn prove_with(&mut self, message: &[u8], drawn: &Drawn) -> SmbResult<Vec<u8>> {
        let challenge = Challenge::read(message)?;
        let key = password_key(self.password.expose(), &self.user, &self.domain);
        let server_time = challenge.pair(PAIR_TIME);
        let time = server_time
            .and_then(|value| Fields(value).u64(0))
            .unwrap_or(drawn.time);
        // 3.3.2: the client's part, under the proof of the password.
        let mut part = vec![1, 1, 0, 0, 0, 0, 0, 0];
        part.extend_from_slice(&time.to_le_bytes());
        part.extend_from_slice(&drawn.challenge);
        part.extend_from_slice(&[0; 4]);
        part.extend_from_slice(&challenge.answered(server_time.is_some()));
        part.extend_from_slice(&[0; 4]);
        let proof = keyed(&key, &[challenge.challenge, &part]);
        let base_key = keyed(&key, &[&*proof]);
        let old_way = match server_time {
            Some(_) => vec![0; 24],
            None => [
                &keyed(&key, &[challenge.challenge, &drawn.challenge])[..],
                &drawn.challenge,
            ]
            .concat(),
        };
        let exchanges = challenge.flags & KEY_EXCHANGE != 0 && challenge.flags & (SIGN | SEAL) != 0;
        let (session_key, mut wrapped) = if exchanges {
            (drawn.key.clone(), drawn.key.to_vec())
        } else {
            (base_key.clone(), Vec::new())
        };
        rc4(&base_key, &mut wrapped);
        let new_way = [&proof[..], &part].concat();
        let texts = [wide(&self.domain), wide(&self.user)];
        let pieces = [&old_way[..], &new_way, &texts[0], &texts[1], &[], &wrapped];
        let mut answer = laid_out(pieces, challenge.flags, server_time.is_some());
        if server_time.is_some() {
            let all = keyed(&session_key, &[&self.greeting, message, &answer]);
            answer[PROOF_AT..PROOF_AT + 16].copy_from_slice(&*all);
        }
        self.session_key = Some(Key::new(session_key.to_vec()));
        Ok(answer)
    }
}

/// The last message with these pieces, in the order of their fields: answers to the challenge in the old way and the new, domain, user, workstation, key.
fn laid_out(pieces: [&[u8]; 6], flags: u32, has_proof: bool) -> Vec<u8> {
    let head = if has_proof { PROOF_AT + 16 } else { PROOF_AT };
    // Names come first, as other clients have it; the order is nobody's business (2.2.1.3).
    const ORDER: [usize; 6] = [2, 3, 4, 0, 1, 5];
    let mut message = [&SIGNATURE[..], &3u32.to_le_bytes()].concat();
    message.resize(head, 0);
    message[60..64].copy_from_slice(&flags.to_le_bytes());
    if flags & HAS_VERSION != 0 {
        message[VERSION_AT..PROOF_AT].copy_from_slice(&VERSION);
    }
    for index in ORDER {
        let field = 12 + 8 * index;
        let (len, at) = (pieces[index].len() as u16, message.len() as u32);
        message[field..field + 2].copy_from_slice(&len.to_le_bytes());
        message[field + 2..field + 4].copy_from_slice(&len.to_le_bytes());
        message[field + 4..field + 8].copy_from_slice(&at.to_le_bytes());
        message.extend_from_slice(pieces[index]);
    }
    message
}

#[cfg(test)]
mod tests {
    use smb2::auth::ntlm::{NtlmAuthenticator, NtlmCredentials};

    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text
            .chars()
            .filter_map(|digit| digit.to_digit(16))
            .map(|digit| digit as u8)
            .collect();
        digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect()
    }

    fn field(message: &[u8], index: usize) -> Vec<u8> {
        let fields = Fields(message);
        let at = 12 + 8 * index;
        let len = usize::from(fields.u16(at).expect("length"));
        fields
            .bytes(fields.u32(at + 4).expect("place") as usize, len)
            .expect("a piece")
            .to_vec()
    }

    /// A challenge with these flags and pairs.
    fn challenge(flags: u32, pairs: &[(u16, &[u8])]) -> Vec<u8> {
        let mut target = Vec::new();
        for (number, value) in pairs.iter().chain(&[(END, &[][..])]) {
            target.extend_from_slice(&number.to_le_bytes());
            target.extend_from_slice(&(value.len() as u16).to_le_bytes());
            target.extend_from_slice(value);
        }
        let mut message = [
            &SIGNATURE[..],
            &2u32.to_le_bytes(),
            &[0; 8],
            &flags.to_le_bytes(),
            &hex("0123456789abcdef"),
            &[0; 8],
        ]
        .concat();
        let len = (target.len() as u16).to_le_bytes();
        message
            .extend_from_slice(&[&len[..], &len, &56u32.to_le_bytes(), &[0; 8], &target].concat());
        message
    }

    /// The example of the specification (MS-NLMP 4.2.1 and 4.2.4).
    #[test]
    fn the_specification_comes_to_the_same() {
        assert_eq!(
            *password_key("Password", "User", "Domain"),
            *hex("0c868a403bfd7a93a3001ef22ef02e3f")
        );
        let names = [(2u16, &wide("Domain")[..]), (1, &wide("Server"))]
            .map(|(number, value)| (number, value.to_vec()));
        let pairs: Vec<(u16, &[u8])> = names
            .iter()
            .map(|(number, value)| (*number, &value[..]))
            .collect();
        let drawn = Drawn {
            challenge: [0xaa; 8],
            key: Zeroizing::new([0x55; 16]),
            time: 0,
        };
        let mut ntlm = Ntlm::new("User", "Domain", Secret::new("Password"));
        let answer = ntlm
            .prove_with(&challenge(0xE28A_8233, &pairs), &drawn)
            .expect("an answer");
        assert_eq!(
            field(&answer, 0),
            hex("86c35097ac9cec102554764a57cccc19 aaaaaaaaaaaaaaaa")
        );
        assert_eq!(
            field(&answer, 1)[..16],
            hex("68cd0ab851e51c96aabc927bebef6a1c")
        );
        assert_eq!(
            (field(&answer, 2), field(&answer, 3)),
            (wide("Domain").to_vec(), wide("User").to_vec())
        );
        assert_eq!(field(&answer, 5), hex("c5dad2544fc9799094ce1ce90bc9d03e"));
        assert_eq!(ntlm.session_key().expect("a key").expose(), [0x55; 16]);
        assert_eq!(ntlm.session_key, Some(Key::new(vec![0x55; 16])));
    }

    /// What a server does with the last message: the password is proved, all three messages are covered, and both come to one key.
    fn accept(greeting: &[u8], challenge: &[u8], answer: &[u8], login: [&str; 3]) -> Vec<u8> {
        let [password, user, domain] = login;
        let key = password_key(password, user, domain);
        let (proof, part) = (
            field(answer, 1)[..16].to_vec(),
            field(answer, 1)[16..].to_vec(),
        );
        assert_eq!(*keyed(&key, &[&challenge[24..32], &part]), *proof);
        let base_key = keyed(&key, &[&proof]);
        let mut session_key = field(answer, 5);
        rc4(&base_key, &mut session_key);
        if session_key.is_empty() {
            session_key = base_key.to_vec();
        }
        if field(answer, 0) == [0; 24] {
            let mut bare = answer.to_vec();
            bare[PROOF_AT..PROOF_AT + 16].fill(0);
            let all = keyed(
                session_key[..].try_into().expect("16 bytes"),
                &[greeting, challenge, &bare],
            );
            assert_eq!(*all, answer[PROOF_AT..PROOF_AT + 16]);
        }
        session_key
    }

    /// Another implementation, which servers of all kinds have taken, makes the same messages, but for what is drawn.
    #[test]
    fn another_client_says_the_same() {
        let (time, flags) = ([7; 8], 3u32.to_le_bytes());
        let (short, long) = (wide("ÄPFEL").to_vec(), wide(&"x".repeat(300)).to_vec());
        let sets: [&[(u16, &[u8])]; 5] = [
            &[],
            &[(2, &short), (1, &long)],
            &[(2, &short), (PAIR_TIME, &time)],
            &[
                (PAIR_FLAGS, &flags),
                (3, &short),
                (PAIR_TIME, &time),
                (9, &[]),
            ],
            &[(PAIR_FLAGS, &flags), (3, &short)],
        ];
        for login in [
            ["plumb-pass-1", "anna", ""],
            ["pass wörd €", "Jürgen", "WORK"],
            ["", "x", "d"],
        ] {
            let [password, user, domain] = login;
            for (pairs, answer_flags) in sets.iter().flat_map(|pairs| {
                [0xE28A_8235_u32, 0x628A_8205, 0xA28A_8235].map(|flags| (pairs, flags))
            }) {
                let challenge = challenge(answer_flags, pairs);
                let mut ours = Ntlm::new(user, domain, Secret::new(password));
                let credentials = NtlmCredentials {
                    username: user.into(),
                    password: password.into(),
                    domain: domain.into(),
                };
                let mut theirs = NtlmAuthenticator::new(credentials);
                // No version given.
                let mut greeting = ours.greeting()[..32].to_vec();
                greeting[15] &= !2;
                assert_eq!(greeting, theirs.negotiate());
                let theirs_greeting = greeting;
                let answers = [
                    ours.prove(&challenge).expect("ours"),
                    theirs.authenticate(&challenge).expect("theirs"),
                ];
                let our_key = accept(ours.greeting(), &challenge, &answers[0], login);
                let their_key = accept(&theirs_greeting, &challenge, &answers[1], login);
                assert_eq!(ours.session_key().expect("a key").expose(), our_key);
                assert_eq!(theirs.session_key().expect("a key"), their_key);
                let [mut our_answer, mut their_answer] = answers;
                for answer in [&mut our_answer, &mut their_answer] {
                    // What is drawn, and what follows from it: proofs, the client's challenge and the time without the server's, the wrapped key.
                    let at = |index: usize| {
                        Fields(&answer[..]).u32(12 + 8 * index + 4).expect("place") as usize
                    };
                    let (old, new, wrapped, end) = (at(0), at(1), at(5), answer.len());
                    let drawn = [
                        old..old + 24,
                        new..new + 16,
                        new + 24..new + 40,
                        wrapped..end,
                    ];
                    drawn.into_iter().for_each(|range| answer[range].fill(0));
                    answer[VERSION_AT..PROOF_AT].fill(0);
                    if pairs.iter().any(|(number, _)| *number == PAIR_TIME) {
                        answer[PROOF_AT..PROOF_AT + 16].fill(0);
                    }
                }
                assert_eq!(
                    our_answer, their_answer,
                    "{login:?} {pairs:?} {answer_flags:x}"
                );
            }
        }
    }

    #[test]
    fn a_challenge_that_is_none_is_refused() {
        let complete = challenge(FLAGS, &[(2, b"ab"), (PAIR_TIME, &[7; 8])]);
        let prove = |message: &[u8]| Ntlm::new("x", "", Secret::new("y")).prove(message);
        prove(&complete).expect("an answer");
        for at in (0..32).chain(48..complete.len()) {
            // After the last complete pair the terminator may be missing.
            assert!(prove(&complete[..at]).is_err(), "{at}");
        }
        for (at, byte) in [
            (0, b'M'),
            (8, 3),
            (44, 0xff),
            (47, 0xff),
            (40, 0xff),
            (58, 0xff),
        ] {
            let mut broken = complete.clone();
            broken[at] = byte;
            assert!(prove(&broken).is_err(), "{at}");
        }
    }
}
