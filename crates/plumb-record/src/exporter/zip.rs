//! How do several files become one archive? Stored without compression, as APPNOTE.TXT of PKWARE describes in sections 4.3.7 to 4.3.16.

use super::ExportError;

/// Format version that a reader needs: 2.0, for folders.
const VERSION: u16 = 20;
/// Names are UTF-8 (general purpose bit 11).
const FLAGS: u16 = 1 << 11;
/// 1 January 1980 in MS-DOS format: the same files always give the same archive.
const DATE: u16 = (1 << 5) | 1;

/// An archive of these files, each with its path in it.
///
/// # Errors
/// More than 65,535 files, or more than 4 GiB.
pub fn archive(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, ExportError> {
    let too_large =
        || ExportError("the archive would be larger than 4 GiB; use csv or parquet".into());
    let count = u16::try_from(files.len()).map_err(|_| too_large())?;
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let offset = u32::try_from(out.len()).map_err(|_| too_large())?;
        let size = u32::try_from(bytes.len()).map_err(|_| too_large())?;
        let mut entry = Vec::new();
        // Version, flags, method (0: stored), time and date, checksum, both sizes, lengths of name and of extra fields.
        [VERSION, FLAGS, 0, 0, DATE]
            .iter()
            .for_each(|value| entry.extend(value.to_le_bytes()));
        [crc32fast::hash(bytes), size, size]
            .iter()
            .for_each(|value| entry.extend(value.to_le_bytes()));
        [name.len() as u16, 0]
            .iter()
            .for_each(|value| entry.extend(value.to_le_bytes()));
        out.extend(b"PK\x03\x04");
        out.extend(&entry);
        out.extend(name.as_bytes());
        out.extend(bytes);
        directory.extend(b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&entry);
        // Length of the comment, number of the disk, attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = u32::try_from(out.len()).map_err(|_| too_large())?;
    let length = u32::try_from(directory.len()).map_err(|_| too_large())?;
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    [count, count]
        .iter()
        .for_each(|value| out.extend(value.to_le_bytes()));
    [length, start]
        .iter()
        .for_each(|value| out.extend(value.to_le_bytes()));
    out.extend([0; 2]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_at_its_directory_offset() {
        let files = [
            ("a.txt".to_string(), b"123456789".to_vec()),
            ("folder/b".to_string(), Vec::new()),
        ];
        let archive = super::archive(&files).expect("small");
        let number = |at: usize| {
            u32::from_le_bytes(archive[at..at + 4].try_into().expect("four bytes")) as usize
        };
        let end = archive.len() - 22;
        assert_eq!(&archive[end..end + 4], b"PK\x05\x06");
        let mut at = number(end + 16);
        for (name, bytes) in &files {
            assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
            assert_eq!(&archive[at + 46..at + 46 + name.len()], name.as_bytes());
            assert_eq!(
                (number(at + 20), number(at + 24)),
                (bytes.len(), bytes.len())
            );
            let local = number(at + 42);
            assert_eq!(&archive[local..local + 4], b"PK\x03\x04");
            let content = local + 30 + name.len();
            assert_eq!(&archive[content..content + bytes.len()], bytes.as_slice());
            at += 46 + name.len();
        }
        // The check value of CRC-32 (of "123456789").
        assert_eq!(number(number(end + 16) + 16), 0xCBF4_3926);
    }
}
