//! What does a server of NFS 3 answer? The results of its procedures (RFC 1813, chapter 3).

use crate::shares::nfs::call::FileHandle;
use crate::shares::nfs::results::{Attributes, Entry, Failure, Page, Written};
use crate::shares::nfs::status::Status;
use crate::shares::nfs::xdr::{Garbled, Reader};

/// NFS3_FHSIZE.
const HANDLE_MAX: usize = 64;
/// Bytes of `wcc_attr`: size, time of the last change, time of the last change of attributes.
const BEFORE_BYTES: usize = 8 + 8 + 8;

type Got<T> = Result<T, Failure>;

/// A file or folder that was found or made. Both may be missing for what was made, the attributes always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub handle: Option<FileHandle>,
    pub attributes: Option<Attributes>,
}

/// What a file system allows (FSINFO); 0 for what the server leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSystem {
    pub read_max_bytes: u32,
    pub write_max_bytes: u32,
    /// Preferred size of a listing request.
    pub list_preferred_bytes: u32,
}

fn status(reader: &mut Reader<'_>) -> Got<()> {
    match Status(reader.u32()?) {
        Status::OK => Ok(()),
        status => Err(Failure::Status(status)),
    }
}

fn handle(reader: &mut Reader<'_>) -> Result<FileHandle, Garbled> {
    let bytes = reader.opaque()?;
    if bytes.len() > HANDLE_MAX {
        return Err(Garbled);
    }
    FileHandle::new(bytes).ok_or(Garbled)
}

/// `fattr3`.
fn attributes(reader: &mut Reader<'_>) -> Result<Attributes, Garbled> {
    let kind = reader.u32()?;
    // Mode, links, user, group.
    reader.take(4 * 4)?;
    let size = reader.u64()?;
    // Room in use, device, file system, number of the file, three times.
    reader.take(8 + 8 + 8 + 8 + 3 * 8)?;
    Ok(Attributes {
        kind: Some(kind),
        size_bytes: Some(size),
        ..Attributes::default()
    })
}

/// `post_op_attr`.
fn optional_attributes(reader: &mut Reader<'_>) -> Result<Option<Attributes>, Garbled> {
    match reader.bool()? {
        true => attributes(reader).map(Some),
        false => Ok(None),
    }
}

/// `wcc_data`: what the folder or file was before, and is now.
fn change(reader: &mut Reader<'_>) -> Result<(), Garbled> {
    if reader.bool()? {
        reader.take(BEFORE_BYTES)?;
    }
    optional_attributes(reader).map(drop)
}

/// GETATTR.
pub fn get_attributes(reader: &mut Reader<'_>) -> Got<Attributes> {
    status(reader)?;
    Ok(attributes(reader)?)
}

/// LOOKUP: there is always a handle.
pub fn look_up(reader: &mut Reader<'_>) -> Got<(FileHandle, Option<Attributes>)> {
    status(reader)?;
    Ok((handle(reader)?, optional_attributes(reader)?))
}

/// CREATE and MKDIR.
pub fn made(reader: &mut Reader<'_>) -> Got<Found> {
    status(reader)?;
    let handle = match reader.bool()? {
        true => Some(handle(reader)?),
        false => None,
    };
    Ok(Found {
        handle,
        attributes: optional_attributes(reader)?,
    })
}

/// SETATTR, REMOVE, RMDIR and RENAME: done or not.
pub fn done(reader: &mut Reader<'_>) -> Got<()> {
    status(reader)
}

/// The head of a READ: whether the end of the file was reached, and the length of the data that follows.
pub fn read_head(reader: &mut Reader<'_>) -> Got<(bool, u32)> {
    status(reader)?;
    optional_attributes(reader)?;
    let (count, is_end, len) = (reader.u32()?, reader.bool()?, reader.u32()?);
    if count != len {
        return Err(Garbled.into());
    }
    Ok((is_end, len))
}

/// READ, with its data.
pub fn read<'a>(reader: &mut Reader<'a>) -> Got<(bool, &'a [u8])> {
    let (is_end, len) = read_head(reader)?;
    Ok((is_end, reader.take(len as usize)?))
}

/// WRITE.
pub fn written(reader: &mut Reader<'_>) -> Got<Written> {
    status(reader)?;
    change(reader)?;
    Written::read(reader)
}

/// COMMIT: a number that changes when the server lost what was not committed.
pub fn committed(reader: &mut Reader<'_>) -> Got<[u8; 8]> {
    status(reader)?;
    change(reader)?;
    Ok(reader.fixed()?)
}

/// READDIRPLUS, or READDIR when it is `plain`. Each entry goes to `each`, but for the folder itself and the one above it.
pub fn list(reader: &mut Reader<'_>, plain: bool, mut each: impl FnMut(Entry)) -> Got<Page> {
    status(reader)?;
    optional_attributes(reader)?;
    let mut page = Page {
        verifier: reader.fixed()?,
        ..Page::default()
    };
    while reader.bool()? {
        // Number of the file.
        reader.u64()?;
        let name = reader.text()?;
        page.cookie = reader.u64()?;
        page.names += 1;
        let mut attributes_found = None;
        if !plain {
            attributes_found = optional_attributes(reader)?;
            if reader.bool()? {
                handle(reader)?;
            }
        }
        if !matches!(name.as_str(), "." | "..") {
            each(Entry {
                name,
                attributes: attributes_found.unwrap_or_default(),
            });
        }
    }
    page.is_last = reader.bool()?;
    Ok(page)
}

/// FSSTAT: bytes in all, and those free to this user.
pub fn room(reader: &mut Reader<'_>) -> Got<Attributes> {
    status(reader)?;
    optional_attributes(reader)?;
    let total = reader.u64()?;
    // Free to the superuser.
    reader.u64()?;
    Ok(Attributes {
        total_bytes: Some(total),
        free_bytes: Some(reader.u64()?),
        ..Attributes::default()
    })
}

/// FSINFO.
pub fn limits(reader: &mut Reader<'_>) -> Got<FileSystem> {
    status(reader)?;
    optional_attributes(reader)?;
    let read_max_bytes = reader.u32()?;
    // Preferred size of a READ, and what it is best a multiple of.
    reader.take(4 + 4)?;
    let write_max_bytes = reader.u32()?;
    reader.take(4 + 4)?;
    Ok(FileSystem {
        read_max_bytes,
        write_max_bytes,
        list_preferred_bytes: reader.u32()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shares::nfs::call::Stability;
    use crate::shares::nfs::xdr::{put_opaque, put_u32, put_u64};

    fn numbers(numbers: &[u32]) -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect()
    }

    #[test]
    fn a_write_says_how_safe_its_data_is() {
        // Done; nothing known of before and after; 4096 bytes, UNSTABLE, a verifier.
        let bytes = numbers(&[0, 0, 0, 4096, 0, 1, 2]);
        let written = written(&mut Reader::new(&bytes)).expect("written");
        assert_eq!(
            (written.bytes, written.stability, written.verifier),
            (4096, Stability::Unstable, [0, 0, 0, 1, 0, 0, 0, 2])
        );
        assert!(written.of(4096, Stability::Unstable).is_ok());
        let sentence = |result: Result<Written, Failure>| match result {
            Err(Failure::Connection(why)) => plumb_words::english(&why),
            other => panic!("{other:?}"),
        };
        let less = sentence(written.of(4096, Stability::FileSync));
        assert!(less.contains("less stable"), "{less}");
        let more = sentence(written.of(4095, Stability::Unstable));
        assert!(more.contains("4,096 bytes"), "{more}");
    }

    #[test]
    fn a_listing_leaves_out_the_folder_and_the_one_above() {
        let mut bytes = numbers(&[0, 0, 7, 7]);
        for (cookie, name) in [".", "..", "file"].iter().enumerate() {
            put_u32(&mut bytes, 1);
            put_u64(&mut bytes, 99);
            put_opaque(&mut bytes, name.as_bytes());
            put_u64(&mut bytes, cookie as u64 + 1);
            // Neither attributes nor handle.
            bytes.extend(numbers(&[0, 0]));
        }
        bytes.extend(numbers(&[0, 1]));
        let mut names = Vec::new();
        let page = list(&mut Reader::new(&bytes), false, |entry| {
            names.push(entry.name);
        })
        .expect("listed");
        assert_eq!(names, ["file"]);
        assert_eq!((page.names, page.cookie, page.is_last), (3, 3, true));
    }

    #[test]
    fn a_handle_longer_than_the_protocol_allows_is_garbled() {
        let mut bytes = numbers(&[0]);
        put_opaque(&mut bytes, &[1; 65]);
        put_u32(&mut bytes, 0);
        assert_eq!(look_up(&mut Reader::new(&bytes)), Err(Garbled.into()));
        // More data is announced than present, and count differs from length.
        for wrong in [[0, 0, 8, 0, 8], [0, 0, 4, 0, 3]] {
            assert_eq!(
                read(&mut Reader::new(&numbers(&wrong))),
                Err(Garbled.into())
            );
        }
    }

    /// Whatever a server sends, there is an answer or a failure, never a panic.
    #[test]
    fn mangled_replies_are_failures() {
        use rand_core::{Rng, SeedableRng};
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(3);
        let mut understood = 0;
        for _ in 0..20_000 {
            let mut bytes = numbers(&[0]);
            let len = random.next_u64() as usize % 200;
            bytes.extend((0..len).map(|_| {
                if random.next_u64() % 3 == 0 {
                    random.next_u64() as u8 % 8
                } else {
                    0
                }
            }));
            let reader = || Reader::new(&bytes);
            let mut entries = 0;
            let outcomes = [
                get_attributes(&mut reader()).is_ok(),
                look_up(&mut reader()).is_ok(),
                made(&mut reader()).is_ok(),
                read(&mut reader()).is_ok(),
                written(&mut reader()).is_ok(),
                committed(&mut reader()).is_ok(),
                list(&mut reader(), false, |_| entries += 1).is_ok(),
                list(&mut reader(), true, |_| entries += 1).is_ok(),
                room(&mut reader()).is_ok(),
                limits(&mut reader()).is_ok(),
            ];
            understood += outcomes.into_iter().filter(|ok| *ok).count();
        }
        assert!(understood > 0, "some of them are whole by chance");
    }
}
