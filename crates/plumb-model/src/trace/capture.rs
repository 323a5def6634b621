//! What does a packet capture contain? Its size, connections, and what was lost, truncated, or cannot be decoded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// A packet capture, and what it contains besides the calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureFacts {
    /// `pcap` or `pcapng`.
    pub format: String,
    /// Bytes read of the file.
    pub file_bytes: u64,
    pub packets: u64,
    /// Nanoseconds since 1970 (UTC) of the first and the last packet; missing without a packet with a timestamp.
    pub first_unix_ns: Option<u64>,
    pub last_unix_ns: Option<u64>,
    /// Why and where reading of the file stopped early; missing if it was read to the end.
    pub damage: Option<Statement>,
    pub packet_losses: PacketLosses,
    pub message_losses: MessageLosses,
    pub protection: Protection,
    /// Calls of NFS over UDP, which are only counted.
    #[serde(default)]
    pub nfs_udp_calls: u64,
    /// Connections of SMB and NFS, most bytes first; at most 100 are listed.
    pub connections: Vec<Connection>,
    /// Total number of connections.
    pub connections_count: u64,
    /// Sessions that use more than one connection at the same time (multichannel).
    pub multichannel_sessions: u64,
}

/// Packets that are missing or could not be used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PacketLosses {
    /// Packets dropped, as reported by the capturing program or system; missing if the file does not record it.
    pub dropped: Option<u64>,
    /// Truncated packets (snapshot length).
    pub cut: u64,
    /// Packets of an unsupported link type.
    pub unknown_link: u64,
    /// Packets without a timestamp (simple packet blocks), which are ignored.
    pub without_time: u64,
    /// IP fragments, which are ignored.
    pub fragments: u64,
    /// Retransmitted TCP segments.
    pub retransmitted: u64,
    /// TCP segments out of order.
    pub out_of_order: u64,
    /// Duplicate packets in the file.
    pub duplicates: u64,
    /// Gaps in TCP streams: packets that were sent but are not in the file.
    pub gaps: u64,
    /// Bytes in these gaps.
    pub gap_bytes: u64,
}

/// Messages that are missing or could not be used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageLosses {
    /// Requests without a response in the capture.
    pub unanswered: u64,
    /// Responses without a request in the capture.
    #[serde(rename = "unasked")]
    pub unmatched_responses: u64,
    /// Requests with the message id of one that was still outstanding.
    pub repeated: u64,
    /// Messages whose header was truncated or lost.
    pub cut: u64,
    /// Messages that violate the specification.
    pub malformed: u64,
    /// How often the start of a message had to be searched, after a gap or in a capture that started in the middle.
    pub searches: u64,
    /// Requests dropped because more were outstanding than plumb keeps in memory.
    #[serde(rename = "forgotten")]
    pub evicted: u64,
}

/// Messages that cannot be decoded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Protection {
    /// Unencrypted messages.
    pub clear_messages: u64,
    pub encrypted_messages: u64,
    pub encrypted_bytes: u64,
    pub compressed_messages: u64,
    /// SMB 1 messages, which are only counted.
    pub smb1_messages: u64,
}

/// What a connection speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    #[default]
    Smb,
    Nfs,
}

/// One connection of SMB or NFS over TCP.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connection {
    #[serde(default)]
    pub protocol: Protocol,
    /// Address and port of the client.
    pub client: String,
    /// Address and port of the server.
    pub server: String,
    /// `3.1.1` of SMB, `NFS 4.2`; missing if the negotiation is not in the capture, or no call of NFS says it.
    pub dialect: Option<String>,
    /// Time from the client's SYN to its ACK of the server's, in nanoseconds: a full round trip, wherever the capture was taken. Missing without handshake.
    pub handshake_ns: Option<u64>,
    /// The part of it between the capture point and the server: a lower bound of each service time here.
    pub to_server_ns: Option<u64>,
    pub requests: u64,
    pub bytes_to_server: u64,
    pub bytes_to_client: u64,
    /// Largest read and write that the server offered, in bytes; missing as `dialect`.
    pub read_max_bytes: Option<u64>,
    pub write_max_bytes: Option<u64>,
    /// Of SMB.
    pub credits: Credits,
    /// Calls of NFS that were sent again before their reply came.
    #[serde(default)]
    pub calls_again: u64,
    pub retransmitted: u64,
    pub gaps: u64,
    pub encrypted_messages: u64,
    /// Cancel requests; they have no response.
    pub cancels: u64,
    /// Unsolicited messages of the server: oplock and lease breaks; calls of NFS back to the client.
    pub notifications: u64,
    /// Id of the first session on it, in hexadecimal; missing without one.
    pub session: Option<String>,
}

/// Credits of 64 KiB that a server granted, and that the client used (MS-SMB2, 3.1.5.2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Credits {
    pub granted: u64,
    pub used: u64,
    /// Most credits used by requests outstanding at once.
    pub outstanding_max: u64,
    /// Fewest credits left after a request for a file; missing if the connection started before the capture, or parts of it are lost.
    pub left_min: Option<i64>,
    /// Requests for files that took the last credit; missing as `left_min`.
    #[serde(rename = "took_last")]
    pub last_credit: Option<u64>,
}
