//! What does a request of NFS 3 look like? The arguments of its procedures (RFC 1813, chapter 3).

use crate::shares::nfs::buffers::Part;
use crate::shares::nfs::call::{FileHandle, Stability};
use crate::shares::nfs::message::{Call, NFS, Protocol};

/// The protocol in use.
pub const PROTOCOL: Protocol = Protocol::Procedures {
    program: NFS,
    version: 3,
};

const GETATTR: u32 = 1;
const SETATTR: u32 = 2;
const LOOKUP: u32 = 3;
const READ: u32 = 6;
const WRITE: u32 = 7;
const CREATE: u32 = 8;
const MKDIR: u32 = 9;
const REMOVE: u32 = 12;
const RMDIR: u32 = 13;
const RENAME: u32 = 14;
const READDIR: u32 = 16;
const READDIRPLUS: u32 = 17;
const FSSTAT: u32 = 18;
const FSINFO: u32 = 19;
const COMMIT: u32 = 21;

/// A procedure that is about a file or folder.
fn about(call: &mut Call, procedure: u32, of: &FileHandle) {
    call.procedure(procedure);
    call.opaque(of.as_bytes());
}

/// A procedure that is about a name in a folder.
fn named(call: &mut Call, procedure: u32, folder: &FileHandle, name: &str) {
    about(call, procedure, folder);
    call.opaque(name.as_bytes());
}

/// Attributes that are set (`sattr3`): mode and size, where they are given; owner, group and times are left alone.
fn attributes(call: &mut Call, mode: Option<u32>, size: Option<u64>) {
    match mode {
        Some(mode) => call.numbers(&[1, mode]),
        None => call.numbers(&[0]),
    }
    call.numbers(&[0, 0]);
    match size {
        Some(size) => {
            call.numbers(&[1]);
            call.long(size);
        }
        None => call.numbers(&[0]),
    }
    call.numbers(&[0, 0]);
}

/// Asks for the attributes of a file or folder.
pub fn get_attributes(call: &mut Call, of: &FileHandle) {
    about(call, GETATTR, of);
}

/// Sets the length of a file.
pub fn set_size(call: &mut Call, file: &FileHandle, size: u64) {
    about(call, SETATTR, file);
    attributes(call, None, Some(size));
    // No guard: whatever the time of its last change.
    call.numbers(&[0]);
}

/// Asks for the handle of a name in a folder.
pub fn look_up(call: &mut Call, folder: &FileHandle, name: &str) {
    named(call, LOOKUP, folder, name);
}

/// Reads from a file.
pub fn read(call: &mut Call, file: &FileHandle, offset: u64, len: u32) {
    about(call, READ, file);
    call.long(offset);
    call.numbers(&[len]);
}

/// Writes to a file what lies at `part` when the call is sent.
pub fn write(call: &mut Call, file: &FileHandle, offset: u64, stability: Stability, part: Part) {
    about(call, WRITE, file);
    call.long(offset);
    call.numbers(&[part.len, stability as u32, part.len]);
    call.payload(part);
}

/// Makes a file, which must not exist.
pub fn create(call: &mut Call, folder: &FileHandle, name: &str) {
    const GUARDED: u32 = 1;
    named(call, CREATE, folder, name);
    call.numbers(&[GUARDED]);
    attributes(call, Some(0o644), None);
}

/// Makes a folder.
pub fn make_folder(call: &mut Call, folder: &FileHandle, name: &str) {
    named(call, MKDIR, folder, name);
    attributes(call, Some(0o755), None);
}

/// Removes a file.
pub fn remove(call: &mut Call, folder: &FileHandle, name: &str) {
    named(call, REMOVE, folder, name);
}

/// Removes an empty folder.
pub fn remove_folder(call: &mut Call, folder: &FileHandle, name: &str) {
    named(call, RMDIR, folder, name);
}

/// Renames.
pub fn rename(call: &mut Call, of: (&FileHandle, &str), to: (&FileHandle, &str)) {
    named(call, RENAME, of.0, of.1);
    call.opaque(to.0.as_bytes());
    call.opaque(to.1.as_bytes());
}

/// Lists a folder from a cookie on; start with 0 and zeros. `plain`: names only, for servers without READDIRPLUS.
pub fn list(
    call: &mut Call,
    folder: &FileHandle,
    (cookie, verifier): (u64, [u8; 8]),
    answer_bytes: u32,
    plain: bool,
) {
    about(call, if plain { READDIR } else { READDIRPLUS }, folder);
    call.long(cookie);
    call.fixed(&verifier);
    if !plain {
        // Of the names alone.
        call.numbers(&[answer_bytes]);
    }
    call.numbers(&[answer_bytes]);
}

/// Asks for the room of the file system.
pub fn room(call: &mut Call, root: &FileHandle) {
    about(call, FSSTAT, root);
}

/// Asks for the limits of the file system.
pub fn limits(call: &mut Call, root: &FileHandle) {
    about(call, FSINFO, root);
}

/// Brings what was written to a file to stable storage: offset and length 0, all of it.
pub fn commit(call: &mut Call, file: &FileHandle) {
    about(call, COMMIT, file);
    call.numbers(&[0, 0, 0]);
}
