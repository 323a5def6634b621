//! What does the system report of a TCP connection? The counters of TCP_INFO, and its names for what went wrong.

use std::net::TcpStream;

/// Counters of one connection, as the system keeps them; those not reported are missing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ConnectionCounters {
    /// Largest segment that is sent, in bytes.
    pub segment_bytes: Option<u32>,
    /// Segments that were sent again.
    pub retransmits: Option<u64>,
    /// Smoothed round-trip time, its variation, and the shortest one seen, in microseconds.
    pub round_trip_us: Option<f64>,
    pub round_trip_variation_us: Option<f64>,
    pub round_trip_min_us: Option<f64>,
    /// Bytes that may be under way without an acknowledgement.
    pub congestion_window_bytes: Option<u64>,
    /// The latest estimate of the rate at which the peer gets data.
    pub delivery_rate_bytes_per_s: Option<u64>,
    /// Bytes that were handed to the system and that the peer has not acknowledged: not sent yet, or on their way.
    pub unacknowledged_bytes: Option<u64>,
}

/// The counters of a connection.
#[cfg(target_os = "linux")]
pub fn connection_counters(stream: &TcpStream) -> ConnectionCounters {
    use std::os::fd::AsRawFd;

    /// struct tcp_info of include/uapi/linux/tcp.h; the kernel appends to it and returns how much it filled.
    const INFO_BYTES: usize = 256;
    let mut bytes = [0u8; INFO_BYTES];
    let mut length = INFO_BYTES as libc::socklen_t;
    // SAFETY: the buffer holds `length` bytes, and the kernel writes at most that many.
    let rc = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if rc != 0 {
        return ConnectionCounters::default();
    }
    let filled = &bytes[..(length as usize).min(INFO_BYTES)];
    let number32 = |at: usize| {
        filled
            .get(at..at + 4)
            .map(|four| u32::from_ne_bytes([four[0], four[1], four[2], four[3]]))
    };
    let number64 = |at: usize| {
        Some(u64::from(number32(at)?) | u64::from(number32(at + 4)?) << 32)
            .filter(|_| cfg!(target_endian = "little"))
    };
    // The offsets of tcpi_snd_mss, tcpi_unacked, tcpi_rtt, tcpi_rttvar, tcpi_snd_cwnd, tcpi_total_retrans, tcpi_notsent_bytes, tcpi_min_rtt,
    // tcpi_delivery_rate.
    let segment_bytes = number32(16);
    let unsent = number32(144).map(u64::from);
    let under_way = number32(24)
        .zip(segment_bytes)
        .map(|(segments, bytes)| u64::from(segments) * u64::from(bytes));
    let microseconds = |at: usize| {
        number32(at)
            .filter(|us| *us > 0 && *us < u32::MAX)
            .map(f64::from)
    };
    ConnectionCounters {
        segment_bytes,
        retransmits: number32(100).map(u64::from),
        round_trip_us: microseconds(68),
        round_trip_variation_us: microseconds(72),
        round_trip_min_us: microseconds(148),
        congestion_window_bytes: number32(80)
            .zip(segment_bytes)
            .map(|(segments, bytes)| u64::from(segments) * u64::from(bytes)),
        delivery_rate_bytes_per_s: number64(160).filter(|rate| *rate > 0),
        unacknowledged_bytes: unsent
            .zip(under_way)
            .map(|(unsent, under_way)| unsent + under_way),
    }
}

/// Other systems keep counters under other names, which are not read.
#[cfg(not(target_os = "linux"))]
pub fn connection_counters(_: &TcpStream) -> ConnectionCounters {
    ConnectionCounters::default()
}

/// The algorithm that decides how much may be under way, such as `cubic`; `None` if the system does not report it.
#[cfg(target_os = "linux")]
pub fn congestion_control(stream: &TcpStream) -> Option<String> {
    let name = socket2::SockRef::from(stream).tcp_congestion().ok()?;
    Some(
        String::from_utf8_lossy(&name)
            .trim_end_matches('\0')
            .to_string(),
    )
    .filter(|name| !name.is_empty())
}

#[cfg(not(target_os = "linux"))]
pub fn congestion_control(_: &TcpStream) -> Option<String> {
    None
}

/// A peer that has vanished is noticed: an idle connection is probed, and data that nobody acknowledges ends it after `seconds`.
#[cfg(target_os = "linux")]
pub fn notice_vanished_peer(stream: &TcpStream, seconds: u64) {
    use std::time::Duration;
    let socket = socket2::SockRef::from(stream);
    let probing = socket2::TcpKeepalive::new()
        .with_time(Duration::from_secs(10))
        .with_interval(Duration::from_secs(5))
        .with_retries(3);
    // A connection without these works as well; it only ends later when the peer is gone.
    let _ = socket.set_tcp_keepalive(&probing);
    let _ = socket.set_tcp_user_timeout(Some(Duration::from_secs(seconds)));
}

#[cfg(not(target_os = "linux"))]
pub fn notice_vanished_peer(stream: &TcpStream, _: u64) {
    let _ = socket2::SockRef::from(stream).set_keepalive(true);
}

/// [`wake_at`] holds for poll(2) too.
pub const HAS_LOW_WATER: bool = cfg!(unix);

/// Wakes who reads the connection once so many bytes have come, or once no more can come. A system that refuses wakes for every segment.
#[cfg(unix)]
pub fn wake_at(stream: &TcpStream, bytes: usize) {
    use std::os::fd::AsRawFd;

    let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    // SAFETY: the option's value is one integer, which lives through the call.
    unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVLOWAT,
            (&raw const bytes).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        );
    }
}

/// Winsock has no such option.
#[cfg(not(unix))]
pub fn wake_at(_: &TcpStream, _: usize) {}
