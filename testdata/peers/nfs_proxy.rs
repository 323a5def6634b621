//! A proxy before a real NFS server that changes what the server says.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

/// Changes the answer with this number, counted from 0, on each connection: the record without its mark. Records that are pushed to `before` go first.
pub type Lie = fn(number: usize, answer: &mut Vec<u8>, of: usize, before: &mut Vec<Vec<u8>>);

/// A proxy for all connections of a test; ends with the process. Returns its port.
pub fn proxy(server: String, lie: Lie, of: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(upstream) = TcpStream::connect(&server) else {
                return;
            };
            // A record goes out in two parts, of which the second is not to wait for an acknowledgement of the first.
            let _ = client.set_nodelay(true);
            let _ = upstream.set_nodelay(true);
            let (mut from_client, mut to_server) = (
                client.try_clone().expect("a socket"),
                upstream.try_clone().expect("a socket"),
            );
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from_client, &mut to_server);
                let _ = to_server.shutdown(Shutdown::Write);
            });
            std::thread::spawn(move || answers(upstream, client, lie, of));
        }
    });
    port
}

fn answers(mut server: TcpStream, mut client: TcpStream, lie: Lie, of: usize) {
    'connection: for number in 0.. {
        let mut mark = [0; 4];
        if server.read_exact(&mut mark).is_err() {
            break;
        }
        let mut answer = vec![0; (u32::from_be_bytes(mark) & 0x7fff_ffff) as usize];
        if server.read_exact(&mut answer).is_err() {
            break;
        }
        let mut records = Vec::new();
        lie(number, &mut answer, of, &mut records);
        records.push(answer);
        for record in records {
            let mark = (record.len() as u32 | 1 << 31).to_be_bytes();
            if client
                .write_all(&mark)
                .and_then(|()| client.write_all(&record))
                .is_err()
            {
                break 'connection;
            }
        }
    }
    let _ = client.shutdown(Shutdown::Both);
}
