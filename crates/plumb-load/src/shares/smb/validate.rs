//! Did the negotiation arrive as it was sent? Before SMB 3.1.1 nothing protects it, so it is queried again, signed (MS-SMB2 3.2.5.5).

use plumb_model::statement::Statement;
use smb2::pack::{Guid, ReadCursor, Unpack};
use smb2::types::Dialect;

use crate::shares::smb::answer::{Fields, data, part};
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{Reply, RequestHead};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::VALIDATE_NEGOTIATE;
use crate::shares::smb::negotiate::{Agreed, Offer, is_smb2};
use crate::shares::smb::status::Status;

/// Bytes of the answer (2.2.32.6).
const ANSWER_BYTES: u32 = 24;
/// Reply of an SMB 2 server that does not know the request (3.2.5.14.12). It is trusted only with the session's signature.
const KNOWS_NOTHING: [Status; 3] = [
    Status::NOT_SUPPORTED,
    Status::FILE_CLOSED,
    Status::INVALID_DEVICE_REQUEST,
];

/// Queries the server for what was negotiated, and compares. Not needed in dialect 3.1.1: all keys depend on the negotiation. A guest or an anonymous user has
/// no key that an answer could be proved with.
///
/// # Errors
/// [`Fault::Tampered`] if either side received something else, or if nothing proves that it did not.
pub fn confirm(connection: &mut Connection, agreed: &Agreed) -> SmbResult<()> {
    if agreed.dialect == Dialect::Smb3_1_1 || connection.signer.is_none() {
        return Ok(());
    }
    let signs = std::mem::replace(&mut connection.signs, true);
    let head = RequestHead {
        bytes: ANSWER_BYTES,
        ..RequestHead::plain(Command::Ioctl)
    };
    connection
        .begin(head)
        .ioctl(VALIDATE_NEGOTIATE, &question(&agreed.offer), ANSWER_BYTES);
    let reply = connection.reply();
    connection.signs = signs;
    judge(reply, agreed)
}

/// VALIDATE_NEGOTIATE_INFO (2.2.31.4): what this client has offered.
fn question(offer: &Offer) -> Vec<u8> {
    let mut question = offer.capabilities.to_le_bytes().to_vec();
    question.extend_from_slice(&offer.client_guid);
    question.extend_from_slice(&offer.security_mode.to_le_bytes());
    question.extend_from_slice(&(offer.dialects.len() as u16).to_le_bytes());
    offer
        .dialects
        .iter()
        .for_each(|dialect| question.extend_from_slice(&u16::from(*dialect).to_le_bytes()));
    question
}

fn judge(reply: SmbResult<Reply>, agreed: &Agreed) -> SmbResult<()> {
    let changed = |how: Statement| {
        Err(Fault::Tampered(
            Statement::new("smb-negotiation-changed")
                .name("dialect", agreed.dialect_name())
                .part("how", how),
        ))
    };
    let reply = match reply {
        Ok(reply) => reply,
        Err(Fault::Lost(why)) => {
            return changed(Statement::new("smb-server-left").part("why", why));
        }
        Err(Fault::Tampered(_)) => {
            return changed(Statement::new("smb-confirmation-not-signed"));
        }
        Err(fault) => return Err(fault),
    };
    match reply.header.status {
        status if is_smb2(agreed.dialect) && KNOWS_NOTHING.contains(&status) => {
            return Ok(());
        }
        Status::SUCCESS => {}
        status => {
            let status = status.to_string();
            return changed(Statement::new("smb-not-confirmed").name("status", status));
        }
    }
    let differing = differing(&reply, agreed)?;
    if differing.is_empty() {
        Ok(())
    } else {
        changed(Statement::new("smb-something-else-was-sent").parts("what", differing))
    }
}

/// What the server reports now, different from the negotiation (2.2.32.6).
fn differing(reply: &Reply, agreed: &Agreed) -> SmbResult<Vec<Statement>> {
    let (capabilities, guid, security_mode, dialect) = part("IOCTL", || {
        let fields = Fields(reply.body());
        let fields = Fields(data(
            reply.body(),
            fields.u32(32)? as usize,
            fields.u32(36)? as usize,
        )?);
        let guid = Guid::unpack(&mut ReadCursor::new(fields.bytes(4, 16)?)).ok()?;
        Some((
            fields.u32(0)?,
            guid.to_string(),
            fields.u16(20)?,
            fields.u16(22)?,
        ))
    })?;
    let compared = [
        (
            Statement::new("smb-the-dialect"),
            dialect != u16::from(agreed.dialect),
        ),
        (
            Statement::new("smb-the-capabilities"),
            capabilities != agreed.capabilities,
        ),
        (
            Statement::new("smb-what-is-signed"),
            security_mode != agreed.security_mode,
        ),
        (
            Statement::new("smb-the-servers-identity"),
            guid != agreed.server_guid,
        ),
    ];
    let differing = compared
        .into_iter()
        .filter_map(|(what, differs)| differs.then_some(what));
    Ok(differing.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shares::smb::answer::AnswerHeader;
    use crate::shares::smb::protect::Signing;

    fn agreed(dialect: Dialect) -> Agreed {
        Agreed {
            dialect,
            server_guid: Guid::default().to_string(),
            capabilities: 7,
            security_mode: 3,
            demands_signing: true,
            signing: Signing::AesCmac,
            encryption: None,
            compression: Vec::new(),
            read_max_bytes: 1 << 20,
            write_max_bytes: 1 << 20,
            transact_max_bytes: 1 << 20,
            offer: Offer {
                capabilities: 0x47,
                client_guid: [3; 16],
                security_mode: 1,
                dialects: vec![Dialect::Smb2_1, Dialect::Smb3_1_1],
            },
        }
    }

    fn reply(status: u32, info: &[u8]) -> Reply {
        let mut message = vec![0; 64 + 48];
        message[..6].copy_from_slice(b"\xfeSMB\x40\0");
        message[8..12].copy_from_slice(&status.to_le_bytes());
        message[16] = 1;
        message[64 + 32..64 + 36].copy_from_slice(&112u32.to_le_bytes());
        message[64 + 36..64 + 40].copy_from_slice(&(info.len() as u32).to_le_bytes());
        message.extend_from_slice(info);
        Reply {
            header: AnswerHeader::read(&message).expect("a header"),
            was_sealed: false,
            moved: 0,
            message,
        }
    }

    /// Capabilities, server, security mode, dialect.
    fn info(capabilities: u32, guid: u8, security_mode: u16, dialect: u16) -> Vec<u8> {
        [
            &capabilities.to_le_bytes()[..],
            &[guid; 16],
            &security_mode.to_le_bytes(),
            &dialect.to_le_bytes(),
        ]
        .concat()
    }

    #[test]
    fn what_was_offered_is_requested() {
        let expected = [
            &[0x47, 0, 0, 0][..],
            &[3; 16],
            &[1, 0, 2, 0, 0x10, 2, 0x11, 3],
        ]
        .concat();
        assert_eq!(question(&agreed(Dialect::Smb2_1).offer), expected);
    }

    #[test]
    fn any_difference_is_seen() {
        let judged = |info: &[u8]| judge(Ok(reply(0, info)), &agreed(Dialect::Smb3_0_2));
        assert_eq!(judged(&info(7, 0, 3, 0x302)), Ok(()));
        for (other, what) in [
            (info(3, 0, 3, 0x302), "the capabilities"),
            (info(7, 1, 3, 0x302), "the server's identity"),
            (info(7, 0, 1, 0x302), "the signed content"),
            (info(7, 0, 3, 0x311), "the dialect"),
        ] {
            let fault = judged(&other).expect_err(what);
            let info = |why: &Statement| {
                let text = plumb_words::english(why);
                text.contains("SMB 3.0.2") && text.ends_with(what)
            };
            assert!(
                matches!(&fault, Fault::Tampered(why) if info(why)),
                "{fault:?}"
            );
        }
        assert!(matches!(
            judged(&info(7, 0, 3, 0x302)[..23]),
            Err(Fault::Garbage(_))
        ));
    }

    /// Only servers of SMB 2 may know nothing of the question; that the answer is signed was seen when it came.
    #[test]
    fn a_server_that_does_not_know_the_question_is_believed_only_with_an_old_dialect() {
        for status in [0xC000_00BB_u32, 0xC000_0128, 0xC000_0010] {
            assert_eq!(
                judge(Ok(reply(status, &[])), &agreed(Dialect::Smb2_1)),
                Ok(())
            );
            assert!(matches!(
                judge(Ok(reply(status, &[])), &agreed(Dialect::Smb3_0)),
                Err(Fault::Tampered(_))
            ));
        }
        for dialect in [Dialect::Smb2_1, Dialect::Smb3_0_2] {
            assert!(matches!(
                judge(Ok(reply(0xC000_0022, &[])), &agreed(dialect)),
                Err(Fault::Tampered(_))
            ));
            assert!(matches!(
                judge(
                    Err(Fault::Lost(Statement::new("smb-server-closed"))),
                    &agreed(dialect)
                ),
                Err(Fault::Tampered(_))
            ));
        }
    }
}
