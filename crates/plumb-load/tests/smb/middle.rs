//! Who stands between client and server in the tests? Somebody who passes every message on, and may change it, hold it back, or answer it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use crate::samba::Samba;

/// Commands of SMB2 (MS-SMB2 2.2.1.2).
pub const NEGOTIATE: u16 = 0;
pub const SESSION_SETUP: u16 = 1;
pub const IOCTL: u16 = 11;

/// FSCTL_VALIDATE_NEGOTIATE_INFO (MS-SMB2 2.2.31.4).
pub const VALIDATE: u32 = 0x0014_0204;

/// A message on its way, without its length field.
pub struct Message {
    pub bytes: Vec<u8>,
    /// From the server, not to it.
    pub is_answer: bool,
}

impl Message {
    pub fn u16(&self, at: usize) -> u16 {
        self.bytes.get(at..at + 2).map_or(0, |bytes| {
            u16::from_le_bytes(bytes.try_into().expect("two"))
        })
    }

    pub fn u32(&self, at: usize) -> u32 {
        self.bytes.get(at..at + 4).map_or(0, |bytes| {
            u32::from_le_bytes(bytes.try_into().expect("four"))
        })
    }

    /// What it is, unless it is encrypted.
    fn command(&self) -> Option<u16> {
        self.bytes.starts_with(b"\xfeSMB").then(|| self.u16(12))
    }

    pub fn asks(&self, command: u16) -> bool {
        !self.is_answer && self.command() == Some(command)
    }

    /// An answer with success.
    pub fn grants(&self, command: u16) -> bool {
        self.is_answer && self.command() == Some(command) && self.u32(8) == 0
    }

    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Takes the signature off.
    pub fn strip(&mut self) {
        self.bytes[16] &= !8;
        self.bytes[48..64].fill(0);
    }

    /// An answer to this request with a status that is a failure, in nobody's name.
    pub fn refusal(&self, status: u32) -> Vec<u8> {
        let mut answer = Message {
            bytes: self.bytes[..64].to_vec(),
            is_answer: true,
        };
        answer.strip();
        answer.put(8, &status.to_le_bytes());
        answer.put(14, &[1, 0]);
        answer.bytes[16] |= 1;
        answer.bytes.extend_from_slice(&[9, 0, 0, 0, 0, 0, 0, 0, 0]);
        answer.bytes
    }
}

/// What becomes of a message.
pub enum Deed {
    Pass,
    /// It goes no further; this goes back to who sent it.
    Answer(Vec<u8>),
}

fn receive(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut bytes = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

pub fn send(stream: &mut TcpStream, bytes: &[u8]) -> Option<()> {
    stream
        .write_all(&[&(bytes.len() as u32).to_be_bytes(), bytes].concat())
        .ok()
}

fn pass_on(
    mut from: TcpStream,
    mut to: TcpStream,
    is_answer: bool,
    meddle: &(dyn Fn(&mut Message) -> Deed + Send + Sync),
) {
    while let Some(bytes) = receive(&mut from) {
        let mut message = Message { bytes, is_answer };
        let sent = match meddle(&mut message) {
            Deed::Pass => send(&mut to, &message.bytes),
            Deed::Answer(bytes) => send(&mut from, &bytes),
        };
        if sent.is_none() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

/// Stands in front of a server from now on. Returns the address of `share`, for its user, by way of the middle.
pub fn between(
    server: &Samba,
    share: &str,
    meddle: impl Fn(&mut Message) -> Deed + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("address").port();
    let (behind, meddle) = (server.port, Arc::new(meddle));
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", behind)) else {
                break;
            };
            for (from, to, is_answer) in [(&client, &server, false), (&server, &client, true)] {
                let (from, to, meddle) = (
                    from.try_clone().expect("socket"),
                    to.try_clone().expect("socket"),
                    meddle.clone(),
                );
                std::thread::spawn(move || pass_on(from, to, is_answer, meddle.as_ref()));
            }
        }
    });
    format!("smb://{}@127.0.0.1:{port}/{share}", server.user)
}
