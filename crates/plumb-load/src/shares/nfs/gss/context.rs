//! How is each call of RPC protected, and each answer checked, once both sides have a key (RFC 2203, 5.3)?

use plumb_model::statement::Statement;

use super::Service;
use super::tokens::Tokens;
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::message::Call;
use crate::shares::nfs::results::Failure;
use crate::shares::nfs::xdr::{Reader, put_opaque, put_u32};

/// Version of RPCSEC_GSS, and its procedures (RFC 2203, 5).
const VERSION: u32 = 1;
const DATA: u32 = 0;
const INIT: u32 = 1;
/// From this number on a context takes no more calls (5.3.3.1).
const SEQUENCE_END: u32 = 0x8000_0000;

/// What both sides have agreed on.
#[derive(Debug)]
pub struct Context {
    handle: Vec<u8>,
    service: Service,
    /// Calls that may be on their way: the server drops those whose number is further behind the latest.
    window: u32,
    sequence: u32,
    tokens: Tokens,
}

/// The credential of a call (5.3.1).
fn credential(procedure: u32, service: Service, handle: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for number in [VERSION, procedure, 0, service as u32] {
        put_u32(&mut body, number);
    }
    put_opaque(&mut body, handle);
    body
}

/// The credential of the call that begins a context (5.2.2).
pub fn first_credential(service: Service) -> Vec<u8> {
    credential(INIT, service, &[])
}

fn changed() -> Failure {
    Failure::Connection(Statement::new("nfs-gss-changed-on-the-way"))
}

impl Context {
    pub fn new(handle: Vec<u8>, service: Service, window: u32, tokens: Tokens) -> Context {
        Context {
            handle,
            service,
            window: window.max(1),
            sequence: 0,
            tokens,
        }
    }

    /// The credential of its calls; the number is filled in when a call is sent.
    pub fn credential(&self) -> Vec<u8> {
        credential(DATA, self.service, &self.handle)
    }

    /// Calls that may be on their way at a time.
    pub fn window(&self) -> u32 {
        self.window
    }

    /// Results are protected, and must be verified completely before they are parsed.
    pub fn covers_results(&self) -> bool {
        self.service != Service::None
    }

    /// The number of the next call.
    ///
    /// # Errors
    /// The context has none left: another one is needed.
    pub fn next_number(&mut self) -> Result<u32, Failure> {
        if self.sequence + 1 >= SEQUENCE_END {
            return Err(Failure::Connection(Statement::new("nfs-gss-context-ended")));
        }
        self.sequence += 1;
        Ok(self.sequence)
    }

    /// Protects a call that has its number (5.3.1 to 5.3.2): its data is taken from where it lies, its head is signed.
    ///
    /// # Errors
    /// There are no random numbers.
    pub fn seal(&mut self, call: &mut Call, blocks: &Blocks) -> Result<(), Failure> {
        let Some(sequence) = call.sequence_to_seal() else {
            return Ok(());
        };
        let number = sequence.to_be_bytes();
        if self.covers_results() {
            let (head, payload, tail) = call.arguments();
            let data = payload.map_or(&[][..], |part| blocks.get(part));
            let mut body = Vec::with_capacity(head.len() + data.len() + tail.len() + 128);
            if self.service == Service::Privacy {
                let sealed = self.tokens.seal(&[&number, head, data, tail]);
                let sealed = sealed.map_err(|error| {
                    Failure::Connection(
                        Statement::new("nfs-no-random-numbers").name("error", error.to_string()),
                    )
                })?;
                put_opaque(&mut body, &sealed);
            } else {
                let covered = [&number, head, data, tail];
                let len: usize = covered.iter().map(|part| part.len()).sum();
                put_u32(&mut body, len as u32);
                covered.iter().for_each(|part| body.extend_from_slice(part));
                let mic = self.tokens.sign(&body[4..]);
                put_opaque(&mut body, &mic);
            }
            call.replace_arguments(&body);
        }
        call.sign_head(|head| self.tokens.sign(head));
        Ok(())
    }

    /// Whether the verifier of an answer is that of the call with this number (5.3.3.2).
    ///
    /// # Errors
    /// It is not: the answer was changed, or is one to another call.
    pub fn check(&self, sequence: u32, verifier: &[u8]) -> Result<(), Failure> {
        let checked = self.tokens.check(&sequence.to_be_bytes(), verifier);
        checked.map_err(|_| changed())
    }

    /// The results of the call with this number (5.3.3.4): they lie in `body` from there to there, or, decrypted, in bytes of their own.
    ///
    /// # Errors
    /// They were changed on the way, or belong to another call.
    pub fn open(&self, sequence: u32, body: &[u8]) -> Result<Opened, Failure> {
        let mut reader = Reader::new(body);
        let number = sequence.to_be_bytes();
        match self.service {
            Service::None => Ok(Opened::There(0, body.len())),
            Service::Integrity => {
                let covered = reader.opaque().map_err(|_| changed())?;
                let mic = reader.opaque().map_err(|_| changed())?;
                self.tokens.check(covered, mic).map_err(|_| changed())?;
                if covered.get(..4) != Some(&number[..]) {
                    return Err(changed());
                }
                Ok(Opened::There(8, 4 + covered.len()))
            }
            Service::Privacy => {
                let sealed = reader.opaque().map_err(|_| changed())?;
                let plain = self.tokens.open(sealed).map_err(|_| changed())?;
                if plain.get(..4) != Some(&number[..]) {
                    return Err(changed());
                }
                Ok(Opened::Decrypted(plain))
            }
        }
    }
}

/// Where results are.
#[derive(Debug, PartialEq, Eq)]
pub enum Opened {
    /// Within what was given.
    There(usize, usize),
    /// Behind the number of the call, which is 4 bytes.
    Decrypted(Vec<u8>),
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tests::of_server;
    use super::*;
    use crate::shares::nfs::buffers::Part;
    use crate::shares::nfs::message::Protocol;

    const KEY: [u8; 32] = [3; 32];
    const SERVICES: [Service; 3] = [Service::None, Service::Integrity, Service::Privacy];

    fn context(service: Service) -> Context {
        let tokens = Tokens::of_client(&KEY, true).unwrap();
        Context::new(b"handle".to_vec(), service, 128, tokens)
    }

    /// What a server answers to a call with this number.
    fn answer(service: Service, sequence: u32, results: &[u8]) -> Vec<u8> {
        let mut server = of_server(&KEY, true);
        let covered = [&sequence.to_be_bytes(), results].concat();
        let mut body = Vec::new();
        match service {
            Service::None => return results.to_vec(),
            Service::Integrity => {
                put_opaque(&mut body, &covered);
                put_opaque(&mut body, &server.sign(&covered));
            }
            Service::Privacy => put_opaque(&mut body, &server.seal(&[&covered]).unwrap()),
        }
        body
    }

    #[test]
    fn results_are_those_of_the_call_and_unchanged() {
        for service in [Service::Integrity, Service::Privacy] {
            let context = context(service);
            let body = answer(service, 7, b"results!");
            let results = match context.open(7, &body).unwrap() {
                Opened::There(from, to) => body[from..to].to_vec(),
                Opened::Decrypted(plain) => plain[4..].to_vec(),
            };
            assert_eq!(results, b"results!");
            assert_eq!(context.open(8, &body), Err(changed()), "of another call");
            for at in 0..body.len() {
                let mut body = body.clone();
                body[at] ^= 0x40;
                assert_eq!(context.open(7, &body), Err(changed()), "{at}");
                assert_eq!(context.open(7, &body[..at]), Err(changed()), "{at}");
            }
        }
    }

    #[test]
    fn a_verifier_is_that_of_one_call() {
        let context = context(Service::None);
        let verifier = of_server(&KEY, true).sign(&7u32.to_be_bytes());
        assert_eq!(context.check(7, &verifier), Ok(()));
        assert_eq!(context.check(8, &verifier), Err(changed()));
        assert_eq!(context.check(7, &[]), Err(changed()));
    }

    #[test]
    fn a_call_is_sealed_as_a_server_opens_it() {
        for service in SERVICES {
            let mut context = context(service);
            let mut blocks = Blocks::own(1, 4096).unwrap();
            let part = Part {
                block: 0,
                at: 0,
                len: 5,
            };
            blocks.get_mut(part).copy_from_slice(b"bytes");
            let protocol = Protocol::Procedures {
                program: 100_003,
                version: 3,
            };
            let mut call = Call::begin_secured(Vec::new(), &context.credential(), protocol);
            call.procedure(7);
            call.numbers(&[5]);
            call.payload(part);
            let sequence = context.next_number().unwrap();
            call.number_in_context(sequence);
            call.finish(0x400, 0, 0, 1);
            context.seal(&mut call, &blocks).unwrap();
            let (head, payload, tail) = call.parts();
            let data = payload.map_or(&[][..], |part| blocks.get(part));
            let message = [head, data, tail].concat();
            assert_eq!(message.len(), call.wire_bytes());
            let mark = u32::from_be_bytes(message[..4].try_into().unwrap());
            assert_eq!(mark, 1 << 31 | (message.len() - 4) as u32);
            let server = of_server(&KEY, true);
            let mut reader = Reader::new(&message[4..]);
            let start: Vec<u32> = (0..7).map(|_| reader.u32().unwrap()).collect();
            assert_eq!(start, [0x400, 0, 2, 100_003, 3, 7, 6]);
            let credential = reader.opaque().unwrap();
            assert_eq!(credential[8..12], sequence.to_be_bytes());
            let signed = &message[4..4 + reader.position()];
            assert_eq!(reader.u32(), Ok(6));
            assert_eq!(server.check(signed, reader.opaque().unwrap()), Ok(()));
            let arguments = b"\0\0\0\x05bytes\0\0\0";
            let rest = &message[4 + reader.position()..];
            let covered = match service {
                Service::None => rest.to_vec(),
                Service::Integrity => {
                    let covered = reader.opaque().unwrap();
                    assert_eq!(server.check(covered, reader.opaque().unwrap()), Ok(()));
                    covered[4..].to_vec()
                }
                Service::Privacy => server.open(reader.opaque().unwrap()).unwrap()[4..].to_vec(),
            };
            assert_eq!(covered, arguments);
        }
    }

    #[test]
    fn numbers_end_before_the_server_takes_no_more() {
        let mut context = context(Service::None);
        context.sequence = SEQUENCE_END - 2;
        assert_eq!(context.next_number(), Ok(SEQUENCE_END - 1));
        let ended = Failure::Connection(Statement::new("nfs-gss-context-ended"));
        assert_eq!(context.next_number(), Err(ended));
    }
}
