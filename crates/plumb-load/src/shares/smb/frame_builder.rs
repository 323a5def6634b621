//! How is a request laid out? Headers and bodies of SMB2, several of them chained to one frame.

use crate::shares::smb::command::Command;

/// Bytes of a header (MS-SMB2 2.2.1).
pub const HEADER_BYTES: usize = 64;
/// Where the data of a WRITE begins: header and fixed part of the body.
pub const WRITE_DATA_OFFSET: usize = HEADER_BYTES + 48;
/// The message answers or carries a signature.
pub const FLAG_SIGNED: u32 = 8;
/// The message uses the session, share and file of the previous one in the frame (related).
pub const FLAG_RELATED: u32 = 4;
/// SMB2_WRITEFLAG_WRITE_THROUGH (2.2.21), from dialect 2.1 on.
const WRITE_THROUGH: u32 = 1;

/// Handle of an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHandle(pub [u8; 16]);

impl FileHandle {
    /// The file of the CREATE earlier in the same frame (MS-SMB2 3.2.4.1.4).
    pub const RELATED: FileHandle = FileHandle([0xff; 16]);
}

/// What stands in the header of a request.
#[derive(Debug, Clone, Copy)]
pub struct Heading {
    pub command: Command,
    pub credit_charge: u16,
    pub credits_requested: u16,
    pub flags: u32,
    pub message_id: u64,
    pub tree_id: u32,
    pub session_id: u64,
}

/// One frame of requests in the making; used again and again, so that it does not allocate.
#[derive(Debug, Default)]
pub struct FrameBuilder {
    bytes: Vec<u8>,
    /// Where each message begins.
    starts: Vec<usize>,
}

impl FrameBuilder {
    /// Empty again.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }

    /// What is laid out so far, without the data of a slot that follows it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, to set signatures.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Where each message begins.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Begins a message; one that follows another in the same frame starts on a multiple of 8 bytes (MS-SMB2 3.2.4.1.4).
    pub fn begin(&mut self, heading: &Heading) {
        if let Some(before) = self.starts.last().copied() {
            self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
            let distance = (self.bytes.len() - before) as u32;
            self.bytes[before + 20..before + 24].copy_from_slice(&distance.to_le_bytes());
        }
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(b"\xfeSMB");
        self.u16(HEADER_BYTES as u16);
        self.u16(heading.credit_charge);
        self.u32(0);
        self.u16(heading.command as u16);
        self.u16(heading.credits_requested);
        self.u32(heading.flags);
        self.u32(0);
        self.u64(heading.message_id);
        self.u32(0);
        self.u32(heading.tree_id);
        self.u64(heading.session_id);
        self.bytes.extend_from_slice(&[0; 16]);
    }

    fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends bytes as they are: a body made elsewhere, or data that is copied.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }

    /// A name in UTF-16, with `\` between its parts.
    fn name(&mut self, path: &str) -> u16 {
        let before = self.bytes.len();
        for unit in path.encode_utf16() {
            self.u16(if unit == u16::from(b'/') {
                u16::from(b'\\')
            } else {
                unit
            });
        }
        (self.bytes.len() - before) as u16
    }

    /// SESSION_SETUP (MS-SMB2 2.2.5).
    pub fn session_setup(&mut self, binding: bool, signing_required: bool, token: &[u8]) {
        self.u16(25);
        self.raw(&[u8::from(binding), if signing_required { 2 } else { 1 }]);
        self.zeros(8);
        self.u16(HEADER_BYTES as u16 + 24);
        self.u16(token.len() as u16);
        self.u64(0);
        self.raw(token);
    }

    /// TREE_CONNECT (2.2.9) to `\\server\share`.
    pub fn tree_connect(&mut self, path: &str) {
        self.u16(9);
        self.u16(0);
        self.u16(HEADER_BYTES as u16 + 8);
        let position = self.bytes.len();
        self.u16(0);
        let bytes = self.name(path);
        self.bytes[position..position + 2].copy_from_slice(&bytes.to_le_bytes());
    }

    /// CREATE (2.2.13) without a lease or oplock: nothing is cached here, so nothing has to be called back.
    pub fn create(&mut self, open: Opening, path: &str) {
        self.u16(57);
        self.raw(&[0, 0]);
        self.u32(2);
        self.zeros(16);
        self.u32(open.access);
        self.u32(if open.options & OPTION_FOLDER != 0 {
            0x10
        } else {
            0x80
        });
        // Others may read, write and delete at the same time.
        self.u32(7);
        self.u32(open.disposition);
        self.u32(open.options);
        self.u16(HEADER_BYTES as u16 + 56);
        let position = self.bytes.len();
        self.zeros(10);
        let bytes = self.name(path);
        self.bytes[position..position + 2].copy_from_slice(&bytes.to_le_bytes());
        if bytes == 0 {
            self.raw(&[0]);
        }
    }

    /// CLOSE (2.2.15).
    pub fn close(&mut self, file: FileHandle) {
        self.u16(24);
        self.zeros(6);
        self.raw(&file.0);
    }

    /// FLUSH (2.2.17).
    pub fn flush(&mut self, file: FileHandle) {
        self.u16(24);
        self.zeros(6);
        self.raw(&file.0);
    }

    /// READ (2.2.19); the reply's data is requested right behind its fixed part.
    pub fn read(&mut self, file: FileHandle, offset: u64, len: u32) {
        self.u16(49);
        self.raw(&[HEADER_BYTES as u8 + 16, 0]);
        self.u32(len);
        self.u64(offset);
        self.raw(&file.0);
        self.zeros(17);
    }

    /// WRITE (2.2.21); its data follows. With `is_through` the server answers once it is on stable storage.
    pub fn write(&mut self, file: FileHandle, offset: u64, len: u32, is_through: bool) {
        self.u16(49);
        self.u16(WRITE_DATA_OFFSET as u16);
        self.u32(len);
        self.u64(offset);
        self.raw(&file.0);
        self.zeros(12);
        self.u32(if is_through { WRITE_THROUGH } else { 0 });
    }

    /// QUERY_INFO (2.2.37) of a file (`kind` 1) or file system (2).
    pub fn query_info(&mut self, file: FileHandle, kind: u8, class: u8, answer_bytes: u32) {
        self.u16(41);
        self.raw(&[kind, class]);
        self.u32(answer_bytes);
        self.zeros(16);
        self.raw(&file.0);
    }

    /// SET_INFO (2.2.39) of a file.
    pub fn set_info(&mut self, file: FileHandle, class: u8, value: &[u8]) {
        self.u16(33);
        self.raw(&[1, class]);
        self.u32(value.len() as u32);
        self.u16(HEADER_BYTES as u16 + 32);
        self.zeros(6);
        self.raw(&file.0);
        self.raw(value);
    }

    /// FileRenameInformation (MS-FSCC 2.4.37.2) to a path of the share that must not exist.
    pub fn rename(&mut self, file: FileHandle, to: &str) {
        self.u16(33);
        self.raw(&[1, CLASS_RENAME]);
        let position = self.bytes.len();
        self.u32(0);
        self.u16(HEADER_BYTES as u16 + 32);
        self.zeros(6);
        self.raw(&file.0);
        self.zeros(16);
        let length_place = self.bytes.len();
        self.u32(0);
        let bytes = u32::from(self.name(to));
        self.bytes[length_place..length_place + 4].copy_from_slice(&bytes.to_le_bytes());
        // The structure counts a character of the name: no server takes less than 24 bytes.
        let padding = 4usize.saturating_sub(bytes as usize);
        self.zeros(padding);
        let end = 20 + bytes + padding as u32;
        self.bytes[position..position + 4].copy_from_slice(&end.to_le_bytes());
    }

    /// QUERY_DIRECTORY (2.2.33): all names with their attributes (FileIdBothDirectoryInformation).
    pub fn query_directory(&mut self, file: FileHandle, restart: bool, answer_bytes: u32) {
        self.u16(33);
        self.raw(&[0x25, u8::from(restart)]);
        self.u32(0);
        self.raw(&file.0);
        self.u16(HEADER_BYTES as u16 + 32);
        self.u16(2);
        self.u32(answer_bytes);
        self.u16(u16::from(b'*'));
    }

    /// IOCTL (2.2.31): a file system control on no particular file.
    pub fn ioctl(&mut self, control: u32, input: &[u8], answer_bytes: u32) {
        self.u16(57);
        self.u16(0);
        self.u32(control);
        self.raw(&FileHandle::RELATED.0);
        self.u32(if input.is_empty() {
            0
        } else {
            HEADER_BYTES as u32 + 56
        });
        self.u32(input.len() as u32);
        self.zeros(12);
        self.u32(answer_bytes);
        self.u32(1);
        self.u32(0);
        self.raw(input);
    }

    /// ECHO (2.2.28), LOGOFF (2.2.7) and others without a content.
    pub fn empty(&mut self) {
        self.u16(4);
        self.u16(0);
    }
}

/// FileEndOfFileInformation (MS-FSCC 2.4.13).
pub const CLASS_END_OF_FILE: u8 = 20;
/// FileDispositionInformation (MS-FSCC 2.4.11): to be removed when it is closed.
pub const CLASS_DISPOSITION: u8 = 13;
/// FileRenameInformation.
const CLASS_RENAME: u8 = 10;
/// FileNetworkOpenInformation (MS-FSCC 2.4.29): times, sizes, attributes.
pub const CLASS_NETWORK_OPEN: u8 = 34;
/// FileFsFullSizeInformation (MS-FSCC 2.5.4).
pub const CLASS_FULL_SIZE: u8 = 7;
/// FSCTL_QUERY_NETWORK_INTERFACE_INFO (MS-SMB2 2.2.32.5).
pub const QUERY_INTERFACES: u32 = 0x0014_01FC;
/// FSCTL_VALIDATE_NEGOTIATE_INFO (MS-SMB2 2.2.31.4).
pub const VALIDATE_NEGOTIATE: u32 = 0x0014_0204;

const OPTION_FOLDER: u32 = 1;
const OPTION_NOT_A_FOLDER: u32 = 0x40;
const OPTION_DELETE_ON_CLOSE: u32 = 0x1000;

/// Read data, attributes and extended attributes, and synchronise.
const ACCESS_READ: u32 = 0x0012_0089;
/// Write data and attributes, append, and synchronise.
const ACCESS_WRITE: u32 = 0x0012_0116;
const ACCESS_READ_ATTRIBUTES: u32 = 0x0010_0080;
const ACCESS_DELETE: u32 = 0x0011_0080;

/// How a file or folder is opened: access, what to do if it exists or does not, options (MS-SMB2 2.2.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    access: u32,
    disposition: u32,
    options: u32,
}

impl Opening {
    const fn new(access: u32, disposition: u32, options: u32) -> Opening {
        Opening {
            access,
            disposition,
            options,
        }
    }

    pub const TO_READ: Opening = Opening::new(ACCESS_READ, 1, OPTION_NOT_A_FOLDER);
    pub const TO_WRITE: Opening = Opening::new(ACCESS_WRITE, 1, OPTION_NOT_A_FOLDER);
    pub const TO_READ_AND_WRITE: Opening =
        Opening::new(ACCESS_READ | ACCESS_WRITE, 1, OPTION_NOT_A_FOLDER);
    /// A file that does not exist yet.
    pub const NEW: Opening = Opening::new(ACCESS_WRITE, 2, OPTION_NOT_A_FOLDER);
    /// A folder that does not exist yet.
    pub const NEW_FOLDER: Opening = Opening::new(ACCESS_READ_ATTRIBUTES, 2, OPTION_FOLDER);
    /// Whatever has the name, to look at its attributes.
    pub const TO_LOOK: Opening = Opening::new(ACCESS_READ_ATTRIBUTES, 1, 0);
    pub const TO_LIST: Opening = Opening::new(ACCESS_READ, 1, OPTION_FOLDER);
    pub const TO_RENAME: Opening = Opening::new(ACCESS_DELETE, 1, OPTION_NOT_A_FOLDER);
    pub const TO_DELETE: Opening = Opening::new(
        ACCESS_DELETE,
        1,
        OPTION_NOT_A_FOLDER | OPTION_DELETE_ON_CLOSE,
    );
    /// The same for a file that is emptied first.
    pub const TO_EMPTY_AND_DELETE: Opening = Opening::new(
        ACCESS_DELETE | ACCESS_WRITE,
        1,
        OPTION_NOT_A_FOLDER | OPTION_DELETE_ON_CLOSE,
    );
    pub const TO_DELETE_FOLDER: Opening = Opening::new(ACCESS_DELETE, 1, OPTION_FOLDER);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_says_whether_it_is_to_be_durable() {
        let flags = |is_through| {
            let mut draft = FrameBuilder::default();
            draft.write(FileHandle::RELATED, 7, 512, is_through);
            // MS-SMB2 2.2.21: 48 bytes of fixed part, the flags last.
            assert_eq!(draft.bytes().len(), 48);
            draft.bytes()[44..48].to_vec()
        };
        assert_eq!((flags(false), flags(true)), (vec![0; 4], vec![1, 0, 0, 0]));
    }
}
