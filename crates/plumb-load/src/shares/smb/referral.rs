//! Where does a DFS link lead? Asked of the server that refused the path (FSCTL_DFS_GET_REFERRALS, MS-DFSC 2.2.2 and 2.2.4).

use std::time::Duration;

use plumb_model::target::remote::Remote;

use crate::shares::smb::answer::{Fields, data};
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::RequestHead;
use crate::shares::smb::fault::SmbResult;

const GET_REFERRALS: u32 = 0x0006_0194;
/// The highest form of an answer that is understood.
const VERSION_MAX: u16 = 4;
const ANSWER_BYTES: u32 = 8 << 10;
/// A server that takes longer is treated as having none.
const REFERRAL_WAIT_MAX: Duration = Duration::from_secs(5);

/// The address that a path below the share leads to; missing if the server does not report it. `path`: without the share.
pub fn target_of(connection: &mut Connection, remote: &Remote, path: &str) -> Option<Remote> {
    let path = format!(
        "\\{}\\{}\\{}",
        remote.host,
        remote.share(),
        path.replace('/', "\\")
    );
    let (tree_id, signs) = (connection.tree_id, connection.signs);
    connection.within(REFERRAL_WAIT_MAX);
    let answer = answer(connection, remote, &path);
    connection.without_deadline();
    (connection.tree_id, connection.signs) = (tree_id, signs);
    let target = target(&answer.ok()?, &path)?;
    let (host, path) = target.trim_start_matches('\\').split_once('\\')?;
    Some(Remote {
        host: host.to_string(),
        path: path.trim_matches('\\').replace('\\', "/"),
        port: None,
        user: None,
        domain: None,
        ..remote.clone()
    })
}

/// The question goes to the share of the server's own services.
fn answer(connection: &mut Connection, remote: &Remote, path: &str) -> SmbResult<Vec<u8>> {
    // Signed whatever the session does: a server must refuse it else (MS-SMB2 3.3.5.7).
    let signs = connection.signs;
    connection.signs = connection.signer.is_some();
    connection
        .begin(RequestHead::plain(Command::TreeConnect))
        .tree_connect(&format!("//{}/IPC$", remote.host));
    let reply = connection.reply()?.success(Command::TreeConnect)?;
    (connection.tree_id, connection.signs) = (reply.header.tree_id, signs);
    let path = path.encode_utf16().chain([0]);
    let input: Vec<u8> = [VERSION_MAX]
        .into_iter()
        .chain(path)
        .flat_map(u16::to_le_bytes)
        .collect();
    connection
        .begin(RequestHead {
            bytes: ANSWER_BYTES,
            ..RequestHead::plain(Command::Ioctl)
        })
        .ioctl(GET_REFERRALS, &input, ANSWER_BYTES);
    let reply = connection.reply()?.success(Command::Ioctl)?;
    let fields = Fields(reply.body());
    let bytes = || {
        data(
            reply.body(),
            fields.u32(32)? as usize,
            fields.u32(36)? as usize,
        )
    };
    Ok(bytes().unwrap_or_default().to_vec())
}

/// The first target in a reply, with the part of the path below the link.
fn target(answer: &[u8], path: &str) -> Option<String> {
    let fields = Fields(answer);
    let (consumed_bytes, count) = (fields.u16(0)?, fields.u16(2)?);
    let entry = answer.get(8..).filter(|_| count > 0)?;
    let fields = Fields(entry);
    let address_at = match fields.u16(0)? {
        2 => fields.u16(20)?,
        // One that lists names of domain controllers has no address (MS-DFSC 2.2.5.3.2).
        3 | 4 if fields.u16(6)? & 2 == 0 => fields.u16(16)?,
        _ => return None,
    };
    let (pairs, _) = entry.get(usize::from(address_at)..)?.as_chunks::<2>();
    let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
    let address: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    let below = path.encode_utf16().skip(usize::from(consumed_bytes) / 2);
    let target_path: Vec<u16> = address.into_iter().chain(below).collect();
    String::from_utf16(&target_path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reply of version 3 with one target (MS-DFSC 2.2.4).
    fn referral(consumed: &str, target: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let numbers = [
            consumed.len() as u16 * 2,
            1,
            2,
            0,
            3,
            34,
            0,
            0,
            300,
            0,
            34,
            34,
            34,
        ];
        bytes.extend(numbers.into_iter().flat_map(u16::to_le_bytes));
        bytes.extend([0; 16]);
        bytes.extend(target.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        bytes
    }

    #[test]
    fn what_lies_below_the_link_lies_below_its_target() {
        let answer = referral("\\host\\share\\link", "\\other\\place");
        let of = |path| target(&answer, path);
        assert_eq!(of("\\host\\share\\link").as_deref(), Some("\\other\\place"));
        assert_eq!(
            of("\\host\\share\\link\\a\\b").as_deref(),
            Some("\\other\\place\\a\\b")
        );
    }

    #[test]
    fn answers_that_are_cut_short_or_strange_name_nothing() {
        let answer = referral("\\h\\s\\l", "\\other\\place");
        for len in 0..42 {
            let cut = target(&answer[..len], "\\h\\s\\l");
            assert!(cut.is_none_or(|target| target.is_empty()), "{len}");
        }
        let mut of_names = answer.clone();
        of_names[14] = 2;
        assert_eq!(target(&of_names, "\\h\\s\\l"), None);
        let mut far = answer;
        far[24] = 0xff;
        assert_eq!(target(&far, "\\h\\s\\l"), None);
    }
}
