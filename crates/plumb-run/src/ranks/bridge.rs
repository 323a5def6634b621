//! How does a protocol of connections go through the standard input and output of a shell? A connection of this process to itself, and two threads that copy.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Child;
use std::thread::Builder;

/// Two ends of one connection within this process.
pub fn bridge() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let far = TcpStream::connect(listener.local_addr()?)?;
    let expected = far.local_addr()?;
    loop {
        let (near, from) = listener.accept()?;
        // Any process of this machine may connect; only the own end is taken.
        if from == expected {
            return Ok((far, near));
        }
    }
}

/// Joins a connection to the standard input and output of a child, and sends the token first.
pub fn to_child(child: &mut Child, token: &str, stream: TcpStream) -> io::Result<()> {
    let gone = || io::Error::other("the shell has no standard input and output");
    let mut input = child.stdin.take().ok_or_else(gone)?;
    let output = child.stdout.take().ok_or_else(gone)?;
    writeln!(input, "{token}")?;
    join(output, input, stream)
}

/// Joins a connection to the standard input and output of this process, after the token, which is the first line. Returns the token.
pub fn to_own_streams(stream: TcpStream) -> io::Result<String> {
    let mut token = String::new();
    // Byte by byte: what follows the line is not for here.
    for byte in io::stdin().lock().bytes() {
        match byte? {
            b'\n' => break,
            byte if token.len() < 256 => token.push(char::from(byte)),
            _ => return Err(io::Error::other("the first line is not a token")),
        }
    }
    join(io::stdin(), io::stdout(), stream)?;
    Ok(token.trim().to_string())
}

/// Copies both ways until one end closes.
fn join(
    from: impl Read + Send + 'static,
    to: impl Write + Send + 'static,
    stream: TcpStream,
) -> io::Result<()> {
    let (reading, writing) = (stream.try_clone()?, stream);
    Builder::new().name("plumb-copy-in".into()).spawn(move || {
        let _ = copy(from, &writing);
        let _ = writing.shutdown(Shutdown::Write);
    })?;
    Builder::new()
        .name("plumb-copy-out".into())
        .spawn(move || {
            let _ = copy(&reading, to);
            let _ = reading.shutdown(Shutdown::Read);
        })?;
    Ok(())
}

/// What is there is passed on at once: the other end waits for it.
fn copy(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut part = [0; 65_536];
    loop {
        match from.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                to.write_all(&part[..read])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
