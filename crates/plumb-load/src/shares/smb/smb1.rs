//! Does a server support SMB 1 only? It is sent a negotiate request of that protocol, and nothing more.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A server that takes longer for a step is treated as not supporting it.
const PATIENCE: Duration = Duration::from_secs(3);
/// What begins each message of the protocol, and the command with which it begins (MS-CIFS 2.2.3.1, 2.2.4.52).
const NEGOTIATE: [u8; 5] = *b"\xffSMB\x72";
/// The dialect of NT, which all such servers know (MS-CIFS 1.7), in the form of the request.
const DIALECT: &[u8] = b"\x02NT LM 0.12\0";
/// The index in an answer that means none of the dialects.
const NONE: [u8; 2] = [0xff; 2];
/// Header of a message, without the length before it.
const HEADER_BYTES: usize = 32;

/// True where the server at this address chooses a dialect of SMB 1 when that is all that is offered.
pub fn is_supported_at(address: SocketAddr) -> bool {
    probe(address).unwrap_or(false)
}

fn probe(address: SocketAddr) -> std::io::Result<bool> {
    let mut socket = TcpStream::connect_timeout(&address, PATIENCE)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    socket.write_all(&question())?;
    // Length, header, count of words, and the index of the dialect that was chosen.
    let mut answer = [0; 4 + HEADER_BYTES + 3];
    socket.read_exact(&mut answer)?;
    Ok(answer[4..9] == NEGOTIATE && answer[4 + HEADER_BYTES + 1..] != NONE)
}

/// SMB_COM_NEGOTIATE with one dialect (MS-CIFS 2.2.4.52.1), behind its length.
fn question() -> Vec<u8> {
    let mut message = NEGOTIATE.to_vec();
    message.resize(HEADER_BYTES, 0);
    // Status codes of NT (0x4000), long names (0x0001).
    message[10..12].copy_from_slice(&0x4001u16.to_le_bytes());
    message.push(0);
    message.extend_from_slice(&(DIALECT.len() as u16).to_le_bytes());
    message.extend_from_slice(DIALECT);
    let len = (message.len() as u32).to_be_bytes();
    [&len[..], &message].concat()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Result for a server that replies with these bytes and closes.
    fn is_smb1_with(answer: Vec<u8>) -> bool {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().expect("a client");
            let mut request = vec![0; question().len()];
            socket.read_exact(&mut request).expect("a question");
            socket.write_all(&answer).expect("sent");
            request
        });
        let supported = is_supported_at(address);
        assert_eq!(server.join().expect("asked"), question());
        supported
    }

    fn answer(begin: &[u8], index: u16) -> Vec<u8> {
        let mut message = begin.to_vec();
        message.resize(HEADER_BYTES, 0);
        message.push(17);
        message.extend_from_slice(&index.to_le_bytes());
        [&[0, 0, 0, 39][..], &message, &[0; 4]].concat()
    }

    #[test]
    fn only_a_server_that_chooses_the_dialect_supports_it() {
        assert!(is_smb1_with(answer(&NEGOTIATE, 0)));
        assert!(!is_smb1_with(answer(&NEGOTIATE, 0xffff)));
        assert!(!is_smb1_with(answer(b"\xfeSMB\x40", 0)));
        assert!(!is_smb1_with(answer(&NEGOTIATE, 0)[..20].to_vec()));
        assert!(!is_smb1_with(Vec::new()));
    }
}
