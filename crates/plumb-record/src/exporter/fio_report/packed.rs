//! How are logs stored compressed (`log_store_compressed`, files .fz) and read again (`--inflate-log`)? As the text of the log in a zlib stream.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::logs::is_log;

/// So much is read to recognize a log.
const KNOWN_BY_BYTES: usize = 4096;

/// Writes what `write` writes compressed to `out`; nothing at all if that is nothing, as fio does.
///
/// # Errors
/// Those of `write` and `out`.
pub fn pack(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let mut passing = Passing {
        encoder: &mut encoder,
        out,
        is_empty: true,
    };
    write(&mut passing)?;
    let is_empty = passing.is_empty;
    let rest = encoder.finish()?;
    if is_empty {
        Ok(())
    } else {
        out.write_all(&rest)
    }
}

/// Hands compressed bytes on as they arise.
struct Passing<'a> {
    encoder: &'a mut ZlibEncoder<Vec<u8>>,
    out: &'a mut dyn Write,
    is_empty: bool,
}

impl Write for Passing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_empty &= bytes.is_empty();
        self.encoder.write_all(bytes)?;
        self.out.write_all(self.encoder.get_ref())?;
        self.encoder.get_mut().clear();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the text of a compressed log to `out`; nothing of an empty file.
///
/// # Errors
/// It is not the text of a log, such as the binary samples that fio itself stores, or it is damaged; `out` cannot be written.
pub fn unpack(mut packed: impl Read, out: &mut dyn Write) -> io::Result<()> {
    let mut first = [0];
    if packed.read(&mut first)? == 0 {
        return Ok(());
    }
    let mut text = ZlibDecoder::new(io::Cursor::new(first).chain(packed));
    let mut head = Vec::new();
    (&mut text)
        .take(KNOWN_BY_BYTES as u64)
        .read_to_end(&mut head)?;
    let is_cut = head.len() == KNOWN_BY_BYTES;
    // Complete lines, or complete columns of a longer one.
    let last = |mark| head.iter().rposition(|byte| *byte == mark);
    let end = last(b'\n').or_else(|| last(b','));
    let known = &head[..end.filter(|_| is_cut).unwrap_or(head.len())];
    let is_text = std::str::from_utf8(known).is_ok_and(is_log);
    if !is_text {
        let why = "not a log that plumb compressed; fio stores binary samples there, which only fio reads";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    out.write_all(&head)?;
    io::copy(&mut text, out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(pieces: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        pack(&mut out, |out| {
            pieces.iter().try_for_each(|piece| out.write_all(piece))
        })
        .expect("packed");
        out
    }

    fn unpacked(bytes: &[u8]) -> io::Result<String> {
        let mut out = Vec::new();
        unpack(bytes, &mut out).map(|()| String::from_utf8(out).expect("text"))
    }

    #[test]
    fn what_is_compressed_comes_back() {
        let line = "17, 4096, 0, 4096, 0\n";
        // Whatever column the part ends in that it is recognized by.
        for before in 0..30 {
            let text = format!("{}, 4096, 0\n{}", "1".repeat(before + 1), line.repeat(300));
            assert_eq!(unpacked(&packed(&[text.as_bytes()])).expect("read"), text);
        }
        let long = line.repeat(10_000);
        let bytes = packed(&[line.as_bytes(), b"", long.as_bytes()]);
        assert!(bytes.len() < 10_000, "{}", bytes.len());
        assert_eq!(unpacked(&bytes).expect("read"), format!("{line}{long}"));
        assert!(packed(&[]).is_empty());
        assert_eq!(unpacked(b"").expect("read"), "");
        // Damaged, of another program, and no zlib stream.
        assert!(unpacked(&bytes[..bytes.len() - 9]).is_err());
        assert!(unpacked(&packed(&[&[0, 1, 2, 200]])).is_err());
        assert!(unpacked(b"17, 4096, 0, 4096, 0\n").is_err());
    }
}
