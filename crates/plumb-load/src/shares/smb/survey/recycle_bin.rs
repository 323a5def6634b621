//! Does a share keep what is deleted on it? Servers that do so have a folder for it at the top of the share.

use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{NoSlots, RequestHead};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{FileHandle, Opening};

/// As Samba's vfs_recycle calls it by itself, Synology's and QNAP's systems.
const NAMES: [&str; 3] = [".recycle", "#recycle", "@Recycle"];

/// Name of the recycle bin; `None`: there is none by any of the names that are known.
///
/// # Errors
/// A connection that failed.
pub fn recycle_bin(connection: &mut Connection) -> SmbResult<Option<&'static str>> {
    for name in NAMES {
        connection
            .begin(RequestHead::plain(Command::Create))
            .create(Opening::TO_LIST, name);
        connection
            .begin(RequestHead::plain(Command::Close))
            .close(FileHandle::RELATED);
        connection.end(None, &NoSlots)?;
        let replies = connection.replies(&mut NoSlots)?;
        let created = replies.first().ok_or_else(Fault::no_answer)?;
        if created.header.status.is_success() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
