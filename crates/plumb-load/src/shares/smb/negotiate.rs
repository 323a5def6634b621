//! What do client and server agree on? Dialect, sizes, and how messages are signed and encrypted.

use plumb_model::statement::Statement;
use plumb_model::workload::{Dialect as RequestedDialect, EngineChoice};
use smb2::crypto::kdf::PreauthHasher;
use smb2::msg::negotiate::{
    COMPRESSION_LZ4, COMPRESSION_LZ77, COMPRESSION_LZ77_HUFFMAN, COMPRESSION_LZNT1,
    COMPRESSION_PATTERN_V1, HASH_ALGORITHM_SHA512, NegotiateContext, NegotiateRequest,
    NegotiateResponse,
};
use smb2::pack::{Guid, Pack, ReadCursor, Unpack, WriteCursor};
use smb2::types::Dialect;
use smb2::types::flags::{Capabilities, SecurityMode};

use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{NoSlots, RequestHead};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::login::key::random;
use crate::shares::smb::protect::{Encryption, Signing};
use crate::shares::smb::status::Status;

/// Requests above this are never made, whatever a server allows: Samba and Windows allow 8 MiB.
const TRANSFER_MAX_BYTES: u32 = 8 << 20;
/// The most that a server without large requests takes (MS-SMB2 3.3.5.4).
const SMALL_TRANSFER_BYTES: u32 = 64 << 10;

/// What the server agreed to (MS-SMB2 2.2.4).
#[derive(Debug, Clone)]
pub struct Agreed {
    pub dialect: Dialect,
    pub server_guid: String,
    pub capabilities: u32,
    /// As received, with unrequested bits (`SecurityMode`).
    pub security_mode: u16,
    pub demands_signing: bool,
    pub signing: Signing,
    /// Missing: the server offers none with this dialect.
    pub encryption: Option<Encryption>,
    /// The server's compression algorithms, if queried.
    pub compression: Vec<&'static str>,
    pub read_max_bytes: u32,
    pub write_max_bytes: u32,
    pub transact_max_bytes: u32,
    /// What it chose from.
    pub offer: Offer,
}

/// What this client has offered (MS-SMB2 2.2.3).
#[derive(Debug, Clone)]
pub struct Offer {
    pub capabilities: u32,
    pub client_guid: [u8; 16],
    pub security_mode: u16,
    pub dialects: Vec<Dialect>,
}

impl Agreed {
    /// As plans and records write it.
    pub fn dialect_name(&self) -> &'static str {
        match self.dialect {
            Dialect::Smb2_0_2 => "2.0.2",
            Dialect::Smb2_1 => "2.1",
            Dialect::Smb3_0 => "3.0",
            Dialect::Smb3_0_2 => "3.0.2",
            Dialect::Smb3_1_1 => "3.1.1",
        }
    }

    /// The server has this capability (MS-SMB2 2.2.4, `Capabilities`).
    pub fn can(&self, capability: u32) -> bool {
        self.capabilities & capability != 0
    }

    /// Further connections may join a session: SMB 3 with multichannel.
    pub fn can_bind(&self) -> bool {
        self.can(Capabilities::MULTI_CHANNEL) && !is_smb2(self.dialect)
    }
}

/// Versions 2.0.2 and 2.1, which have neither encryption nor derived keys.
pub(super) fn is_smb2(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Smb2_0_2 | Dialect::Smb2_1)
}

fn dialects(choice: &EngineChoice) -> Vec<Dialect> {
    match choice.dialect {
        RequestedDialect::Auto => vec![
            Dialect::Smb2_0_2,
            Dialect::Smb2_1,
            Dialect::Smb3_0,
            Dialect::Smb3_0_2,
            Dialect::Smb3_1_1,
        ],
        RequestedDialect::Smb202 => vec![Dialect::Smb2_0_2],
        RequestedDialect::Smb21 => vec![Dialect::Smb2_1],
        RequestedDialect::Smb30 => vec![Dialect::Smb3_0],
        RequestedDialect::Smb302 => vec![Dialect::Smb3_0_2],
        RequestedDialect::Smb311 => vec![Dialect::Smb3_1_1],
    }
}

fn offer(choice: &EngineChoice, client_guid: [u8; 16]) -> Offer {
    let dialects = dialects(choice);
    let mut capabilities = Capabilities::DFS;
    if dialects != [Dialect::Smb2_0_2] {
        capabilities |= Capabilities::LEASING | Capabilities::LARGE_MTU;
    }
    if !dialects.iter().all(|dialect| is_smb2(*dialect)) {
        // Without ENCRYPTION no server picks a cipher for 3.0, nor Samba for 3.1.1.
        capabilities |= Capabilities::MULTI_CHANNEL | Capabilities::ENCRYPTION;
    }
    Offer {
        capabilities,
        client_guid,
        security_mode: SecurityMode::SIGNING_ENABLED,
        dialects,
    }
}

fn request(offer: &Offer, offers_compression: bool) -> SmbResult<Vec<u8>> {
    let mut negotiate_contexts = Vec::new();
    if offer.dialects.contains(&Dialect::Smb3_1_1) {
        let salt = random::<32>()?.to_vec();
        negotiate_contexts = vec![
            NegotiateContext::PreauthIntegrity {
                hash_algorithms: vec![HASH_ALGORITHM_SHA512],
                salt,
            },
            NegotiateContext::Encryption {
                ciphers: Encryption::ALL.iter().map(|(number, _)| *number).collect(),
            },
            // GMAC, CMAC, HMAC-SHA256.
            NegotiateContext::Signing {
                algorithms: vec![2, 1, 0],
            },
        ];
        if offers_compression {
            let algorithms = COMPRESSION.iter().map(|(number, _)| *number).collect();
            negotiate_contexts.push(NegotiateContext::Compression {
                flags: 1,
                algorithms,
            });
        }
    }
    let guid = |bytes: [u8; 16]| Guid::unpack(&mut ReadCursor::new(&bytes)).unwrap_or_default();
    let request = NegotiateRequest {
        security_mode: SecurityMode::new(offer.security_mode),
        capabilities: Capabilities::new(offer.capabilities),
        client_guid: guid(offer.client_guid),
        dialects: offer.dialects.clone(),
        negotiate_contexts,
    };
    let mut cursor = WriteCursor::new();
    request.pack(&mut cursor);
    Ok(cursor.into_inner())
}

const COMPRESSION: &[(u16, &str)] = &[
    (COMPRESSION_PATTERN_V1, "pattern"),
    (COMPRESSION_LZ77, "LZ77"),
    (COMPRESSION_LZ77_HUFFMAN, "LZ77+Huffman"),
    (COMPRESSION_LZNT1, "LZNT1"),
    (COMPRESSION_LZ4, "LZ4"),
];

/// Agrees with the server on a dialect. The hasher has seen both messages. Compression is negotiated only to report it: what is measured is the
/// transport of the data as it is.
///
/// # Errors
/// A server that does not support the dialect, or SMB at all.
pub fn negotiate(
    connection: &mut Connection,
    choice: &EngineChoice,
    client_guid: [u8; 16],
    offers_compression: bool,
) -> SmbResult<(Agreed, PreauthHasher)> {
    let mut hasher = PreauthHasher::new();
    let offer = offer(choice, client_guid);
    let body = request(&offer, offers_compression)?;
    connection
        .begin(RequestHead::plain(Command::Negotiate))
        .raw(&body);
    connection.end_hashed(&mut hasher, false)?;
    let reply = connection
        .replies(&mut NoSlots)?
        .pop()
        .ok_or_else(Fault::no_answer)?;
    if [Status::NOT_SUPPORTED, Status(0xC05D_0000)].contains(&reply.header.status) {
        return Err(unsupported_dialect(choice.dialect, reply.header.status));
    }
    let reply = reply.success(Command::Negotiate)?;
    hasher.update(&reply.message);
    let response =
        NegotiateResponse::unpack(&mut ReadCursor::new(reply.body())).map_err(|error| {
            Fault::Garbage(
                Statement::new("smb-negotiate-unreadable").name("error", error.to_string()),
            )
        })?;
    let agreed = agreed(&response, offer)?;
    connection.large_requests = agreed.can(Capabilities::LARGE_MTU);
    connection
        .inbox
        .allow(agreed.read_max_bytes.max(agreed.transact_max_bytes));
    Ok((agreed, hasher))
}

fn agreed(response: &NegotiateResponse, offer: Offer) -> SmbResult<Agreed> {
    let dialect = response.dialect_revision;
    if !offer.dialects.contains(&dialect) {
        return Err(Fault::Garbage(
            Statement::new("smb-dialect-not-offered").name("dialect", dialect.to_string()),
        ));
    }
    let capabilities = response.capabilities.bits();
    let mut signing = if is_smb2(dialect) {
        Signing::HmacSha256
    } else {
        Signing::AesCmac
    };
    let mut encryption = match dialect {
        Dialect::Smb3_0 | Dialect::Smb3_0_2 => {
            (capabilities & Capabilities::ENCRYPTION != 0).then_some(Encryption::Aes128Ccm)
        }
        _ => None,
    };
    let mut compression = Vec::new();
    for context in &response.negotiate_contexts {
        match context {
            NegotiateContext::Encryption { ciphers } => {
                encryption = Encryption::ALL
                    .iter()
                    .find(|(number, _)| ciphers.first() == Some(number))
                    .map(|(_, way)| *way);
            }
            NegotiateContext::Signing { algorithms } => {
                signing = match algorithms.first() {
                    Some(0) => Signing::HmacSha256,
                    Some(2) => Signing::AesGmac,
                    _ => Signing::AesCmac,
                };
            }
            NegotiateContext::Compression { algorithms, .. } => {
                compression = COMPRESSION
                    .iter()
                    .filter(|(number, _)| algorithms.contains(number))
                    .map(|(_, name)| *name)
                    .collect();
            }
            NegotiateContext::PreauthIntegrity { .. } | NegotiateContext::Unknown { .. } => {}
        }
    }
    let limit = if capabilities & Capabilities::LARGE_MTU == 0 {
        SMALL_TRANSFER_BYTES
    } else {
        TRANSFER_MAX_BYTES
    };
    Ok(Agreed {
        dialect,
        server_guid: response.server_guid.to_string(),
        capabilities,
        security_mode: response.security_mode.bits(),
        demands_signing: response.security_mode.bits() & SecurityMode::SIGNING_REQUIRED != 0,
        signing,
        encryption,
        compression,
        read_max_bytes: bounded(response.max_read_size, limit, Command::Read)?,
        write_max_bytes: bounded(response.max_write_size, limit, Command::Write)?,
        transact_max_bytes: bounded(response.max_transact_size, limit, Command::QueryInfo)?,
        offer,
    })
}

/// The most bytes of one request that are used, of what the server allows.
fn bounded(bytes: u32, limit: u32, command: Command) -> SmbResult<u32> {
    match bytes.min(limit) {
        0..4096 => Err(Fault::Garbage(
            Statement::new(match command {
                Command::Read => "smb-too-few-bytes-to-read",
                Command::Write => "smb-too-few-bytes-to-write",
                _ => "smb-too-few-bytes-to-query",
            })
            .count("bytes", u64::from(bytes)),
        )),
        bytes => Ok(bytes),
    }
}

/// None of the dialects that were offered.
fn unsupported_dialect(requested: RequestedDialect, status: Status) -> Fault {
    let status = status.to_string();
    match requested {
        RequestedDialect::Auto => Fault::Unfit {
            what: Statement::new("smb-no-dialect-from-2-0-2-on").name("status", status),
            remedy: Statement::new("smb-allow-smb-2-or-3"),
        },
        requested => Fault::Unfit {
            what: Statement::new("smb-dialect-not-spoken")
                .name("dialect", requested.to_string())
                .name("status", status),
            remedy: Statement::new("smb-leave-dialect"),
        },
    }
}
