//! What is to be known of a capture of packets? How much it holds, whose connections, and what was lost, cut, or cannot be looked into.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// A packet capture and what was found in it beside the calls themselves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureFacts {
    /// `pcap` or `pcapng`.
    pub format: String,
    /// Bytes of the file that were read.
    pub file_bytes: u64,
    pub packets: u64,
    /// Nanoseconds since 1970 (UTC) of the first and the last packet; missing without a packet that has a time.
    pub first_unix_ns: Option<u64>,
    pub last_unix_ns: Option<u64>,
    /// Why the file was not read to its end, and how far it was; missing when it was.
    pub damage: Option<Statement>,
    pub packet_losses: PacketLosses,
    pub message_losses: MessageLosses,
    pub protection: Protection,
    /// Connections that speak SMB, those with the most bytes first; at most 100 are listed.
    pub connections: Vec<Connection>,
    /// How many there are.
    pub connections_count: u64,
    /// Sessions that use more than one connection at the same time (multichannel).
    pub multichannel_sessions: u64,
}

/// What of the packets is not there or could not be used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PacketLosses {
    /// Packets that the capturing program or system says it dropped; missing when the file does not say.
    pub dropped: Option<u64>,
    /// Packets of which only the beginning was stored (snapshot length).
    pub cut: u64,
    /// Packets of a kind of link that plumb does not read.
    pub unknown_link: u64,
    /// Packets without a time (simple packet blocks), which are left out.
    pub without_time: u64,
    /// Fragments of IP packets, which are left out.
    pub fragments: u64,
    /// TCP segments that the connections sent again.
    pub retransmitted: u64,
    /// TCP segments that came before earlier ones.
    pub out_of_order: u64,
    /// Packets that are in the file twice.
    pub duplicates: u64,
    /// Gaps in the streams of TCP: packets that were sent and are not in the file.
    pub gaps: u64,
    /// Bytes in these gaps.
    pub gap_bytes: u64,
}

/// What of the messages is not there or could not be used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageLosses {
    /// Requests whose answer was not seen.
    pub unanswered: u64,
    /// Answers whose request was not seen.
    #[serde(rename = "unasked")]
    pub unmatched_responses: u64,
    /// Requests with the number of one that was still unanswered.
    pub repeated: u64,
    /// Messages whose header was cut or lost.
    pub cut: u64,
    /// Messages that are not as the specification wants them.
    pub malformed: u64,
    /// How often the beginning of a message had to be searched for, after a gap or in a capture that began in the middle.
    pub searches: u64,
    /// Requests that were given up because more were outstanding than plumb keeps in memory.
    #[serde(rename = "forgotten")]
    pub evicted: u64,
}

/// What cannot be looked into.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Protection {
    /// Messages in clear.
    pub clear_messages: u64,
    pub encrypted_messages: u64,
    pub encrypted_bytes: u64,
    pub compressed_messages: u64,
    /// Messages of SMB 1, which are counted only.
    pub smb1_messages: u64,
}

/// One TCP connection that speaks SMB.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connection {
    /// Address and port of who asks.
    pub client: String,
    /// Address and port of who answers.
    pub server: String,
    /// `3.1.1`; missing when the negotiation is not in the capture.
    pub dialect: Option<String>,
    /// Time from the client's SYN to its ACK of the server's, in nanoseconds: a whole round trip, wherever the capture was taken. Missing without handshake.
    pub handshake_ns: Option<u64>,
    /// The part of it between where the capture was taken and the server: what each service time here contains at least.
    pub to_server_ns: Option<u64>,
    pub requests: u64,
    pub bytes_to_server: u64,
    pub bytes_to_client: u64,
    /// Largest read and write that the server offered, in bytes; missing as `dialect`.
    pub read_max_bytes: Option<u64>,
    pub write_max_bytes: Option<u64>,
    pub credits: Credits,
    pub retransmitted: u64,
    pub gaps: u64,
    pub encrypted_messages: u64,
    /// Requests that cancel others; they have no answer.
    pub cancels: u64,
    /// What the server sent unasked: oplock and lease breaks.
    pub notifications: u64,
    /// First session on it, as the protocol numbers it, in hexadecimal; missing without one.
    pub session: Option<String>,
}

/// What a server granted a client to ask for, in credits of 64 KiB (MS-SMB2, 3.1.5.2), and what it used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Credits {
    pub granted: u64,
    pub used: u64,
    /// Most that requests outstanding at once had used.
    pub outstanding_max: u64,
    /// Fewest that a client had left after a request for a file; missing when the connection began before the capture, or parts of it are lost.
    pub left_min: Option<i64>,
    /// Requests for files that took the last credit; missing as `left_min`.
    #[serde(rename = "took_last")]
    pub last_credit: Option<u64>,
}
