//! When did bytes of a TCP connection arrive? The kernel's time stamps of received packets (socket(7), `SO_TIMESTAMPNS`), which come with the bytes themselves.

use std::io::{self, IoSliceMut};
use std::net::TcpStream;
use std::time::SystemTime;

/// What one call received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    pub bytes: usize,
    /// When the last of these bytes reached the machine, by the wall clock. Missing if the system does not report it.
    pub arrived: Option<SystemTime>,
}

/// Has the kernel stamp what arrives on this connection from now on; where it cannot, nothing is stamped.
#[cfg(target_os = "linux")]
pub fn stamp_arrivals(stream: &TcpStream) {
    use std::os::fd::AsRawFd;
    let on: libc::c_int = 1;
    // SAFETY: the option is an int, which outlives the call. A kernel that refuses sends no stamps, which is then reported.
    unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
}

/// No other system stamps what arrives over TCP.
#[cfg(not(target_os = "linux"))]
pub fn stamp_arrivals(_: &TcpStream) {}

/// Receives into these parts, one after the other, as readv(2) does.
///
/// # Errors
/// The system's own.
#[cfg(target_os = "linux")]
pub fn receive(stream: &TcpStream, parts: &mut [IoSliceMut<'_>]) -> io::Result<Received> {
    receive_by(stream, parts, 0)
}

/// Whether [`discard`] works here.
pub const CAN_DISCARD: bool = cfg!(target_os = "linux");

/// Takes bytes that have come, as many as the part is long at most, and leaves the part as it is: the kernel drops them without a copy (tcp(7), `MSG_TRUNC`).
///
/// # Errors
/// The system's own.
#[cfg(target_os = "linux")]
pub fn discard(stream: &TcpStream, part: &mut [u8]) -> io::Result<Received> {
    receive_by(stream, &mut [IoSliceMut::new(part)], libc::MSG_TRUNC)
}

/// No other system drops bytes of a stream for a reader.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn discard(_: &TcpStream, _: &mut [u8]) -> io::Result<Received> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn receive_by(
    stream: &TcpStream,
    parts: &mut [IoSliceMut<'_>],
    flags: libc::c_int,
) -> io::Result<Received> {
    use std::os::fd::AsRawFd;

    /// Room for the stamp and for other control messages of the kernel, aligned as control messages are.
    #[repr(align(8))]
    struct Control([u8; 128]);

    let mut control = Control([0; 128]);
    // SAFETY: a header of zeros is one without name, parts and control messages.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    // IoSliceMut has the layout of iovec (std::io::IoSliceMut).
    message.msg_iov = parts.as_mut_ptr().cast();
    message.msg_iovlen = parts.len() as _;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    // SAFETY: the parts and the room for control messages outlive the call, and their lengths are theirs.
    let got = unsafe { libc::recvmsg(stream.as_raw_fd(), &mut message, flags) };
    if got < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Received {
        bytes: got as usize,
        arrived: stamp_of(&message),
    })
}

/// The time stamp among the control messages.
#[cfg(target_os = "linux")]
fn stamp_of(message: &libc::msghdr) -> Option<SystemTime> {
    // The old form of the option has other numbers where a long has 32 bits.
    if cfg!(not(target_pointer_width = "64")) {
        return None;
    }
    // SAFETY: the kernel has filled the control messages, and the macros of cmsg(3) stay within them.
    unsafe {
        let mut at = libc::CMSG_FIRSTHDR(message);
        while !at.is_null() {
            let is_stamp = (*at).cmsg_level == libc::SOL_SOCKET
                && (*at).cmsg_type == libc::SO_TIMESTAMPNS
                && (*at).cmsg_len as usize >= libc::CMSG_LEN(16) as usize;
            if is_stamp {
                let [seconds, nanoseconds] =
                    std::ptr::read_unaligned(libc::CMSG_DATA(at).cast::<[u64; 2]>());
                let since = std::time::Duration::new(seconds, u32::try_from(nanoseconds).ok()?);
                return SystemTime::UNIX_EPOCH.checked_add(since);
            }
            at = libc::CMSG_NXTHDR(message, at);
        }
    }
    None
}

/// The same without stamps.
///
/// # Errors
/// The system's own.
#[cfg(not(target_os = "linux"))]
pub fn receive(mut stream: &TcpStream, parts: &mut [IoSliceMut<'_>]) -> io::Result<Received> {
    use std::io::Read;
    Ok(Received {
        bytes: stream.read_vectored(parts)?,
        arrived: None,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_stamp_is_of_the_arrival_and_not_of_the_receipt() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listener");
        let address = listener.local_addr().expect("address");
        let reader = TcpStream::connect(address).expect("connected");
        let (mut writer, _) = listener.accept().expect("accepted");
        stamp_arrivals(&reader);
        // The kernel starts to stamp a moment after the first request.
        std::thread::sleep(Duration::from_millis(50));
        let before = SystemTime::now();
        writer.write_all(b"twelve bytes").expect("written");
        std::thread::sleep(Duration::from_millis(60));
        let (mut one, mut two) = ([0; 5], [0; 20]);
        let parts = &mut [IoSliceMut::new(&mut one), IoSliceMut::new(&mut two)];
        let received = receive(&reader, parts).expect("received");
        assert_eq!(
            (received.bytes, &one, &two[..7]),
            (12, b"twelv", &b"e bytes"[..])
        );
        let arrived = received.arrived.expect("a stamp");
        let waited = SystemTime::now().duration_since(arrived).expect("the past");
        assert!(arrived >= before - Duration::from_millis(5), "{arrived:?}");
        assert!(waited >= Duration::from_millis(40), "{waited:?}");
        // Discarded data is not written, and the stream continues after it.
        writer.write_all(b"gone, and here").expect("written");
        let mut one = [7; 5];
        assert_eq!(discard(&reader, &mut one).expect("discarded").bytes, 5);
        assert_eq!(one, [7; 5]);
        let parts = &mut [IoSliceMut::new(&mut two)];
        let received = receive(&reader, parts).expect("received");
        assert_eq!(&two[..received.bytes], b" and here");
        reader.set_nonblocking(true).expect("not blocking");
        let nothing = receive(&reader, &mut [IoSliceMut::new(&mut one)]).expect_err("nothing");
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        drop(writer);
        reader.set_nonblocking(false).expect("blocking");
        let end = receive(&reader, &mut [IoSliceMut::new(&mut one)]).expect("the end");
        assert_eq!((end.bytes, end.arrived), (0, None));
    }
}
