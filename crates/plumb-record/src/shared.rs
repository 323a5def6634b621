//! How does a run become one file to send, and a run folder again? As a gzip-compressed tar archive (POSIX ustar) with only the files of the record.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::folder::{HEADER, NOTES, READINGS, REPLAYED, TICKS};

/// Files of a shared run; the header comes first, so that the beginning identifies the file.
const NAMES: [&str; 6] = [HEADER, NOTES, TICKS, READINGS, REPLAYED, "report.html"];
/// Block size of an archive: headers take one block, contents are padded to full blocks.
const BLOCK: usize = 512;
/// The largest size that fits into the header: eleven octal digits.
const FILE_BYTES_MAX: u64 = 0o777_7777_7777;
/// JSON lines compress about twenty times: an archive that unpacks to more than both this ratio and the fixed limit is rejected as a decompression bomb.
const RATIO_MAX: u64 = 400;
const UNPACKED_BYTES_MAX: u64 = 32 << 30;
const ALWAYS_ALLOWED_BYTES: u64 = 16 << 20;

/// Why a run could not be packed, or a file is not a shared run that can be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("no run.json in it; give a run folder that plumb run or plumb check wrote")]
    NoRun,
    #[error("{0} is larger than 8 GiB, the most that the archive format can hold")]
    TooLarge(String),
    #[error("not an archive that plumb share wrote: {0}; nothing was unpacked")]
    Refused(String),
}

fn refused<T>(why: impl Into<String>) -> Result<T, SharedError> {
    Err(SharedError::Refused(why.into()))
}

/// True for files that `plumb share` wrote, by their beginning.
pub fn is_shared(file: &Path) -> bool {
    let mut block = [0; BLOCK];
    let read = File::open(file).and_then(|file| GzDecoder::new(file).read_exact(&mut block));
    read.is_ok() && block[257..262] == *b"ustar" && name_of(&block).as_deref() == Some(HEADER)
}

/// Packs the record of a run folder into a new file. Returns both sizes in bytes. Errors: not a run folder; the file exists; I/O.
pub fn pack(folder: &Path, file: &Path) -> Result<(u64, u64), SharedError> {
    if !folder.join(HEADER).is_file() {
        return Err(SharedError::NoRun);
    }
    let out = OpenOptions::new().write(true).create_new(true).open(file)?;
    let packed = pack_into(folder, out);
    if packed.is_err() {
        let _ = fs::remove_file(file);
    }
    Ok((packed?, fs::metadata(file)?.len()))
}

fn pack_into(folder: &Path, out: File) -> Result<u64, SharedError> {
    let mut out = GzEncoder::new(out, Compression::default());
    let mut all = 0;
    for name in NAMES {
        let path = folder.join(name);
        // A symlink there might send another file.
        let Some(of) = fs::symlink_metadata(&path)
            .ok()
            .filter(fs::Metadata::is_file)
        else {
            continue;
        };
        let size = of.len();
        if size > FILE_BYTES_MAX {
            return Err(SharedError::TooLarge(name.into()));
        }
        out.write_all(&header(name, size))?;
        // A run in progress grows: its current content is packed.
        let copied = io::copy(&mut File::open(&path)?.take(size), &mut out)?;
        let missing = size - copied + padding(size);
        io::copy(&mut io::repeat(0).take(missing), &mut out)?;
        all += size;
    }
    out.write_all(&[0; 2 * BLOCK])?;
    out.finish()?.sync_all()?;
    Ok(all)
}

/// Padding to the end of the last block.
fn padding(size: u64) -> u64 {
    (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64
}

/// The header of a file (POSIX.1-2024, pax, ustar interchange format). Owner and time are not included.
fn header(name: &str, size: u64) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// The name in a header, if a shared run may hold it.
fn name_of(block: &[u8; BLOCK]) -> Option<String> {
    let end = block[..100].iter().position(|byte| *byte == 0)?;
    let name = std::str::from_utf8(&block[..end]).ok()?;
    // A prefix would make it another name.
    (NAMES.contains(&name) && block[345] == 0).then(|| name.to_string())
}

fn size_of(block: &[u8; BLOCK]) -> Option<u64> {
    let digits = std::str::from_utf8(&block[124..135]).ok()?;
    u64::from_str_radix(digits, 8).ok()
}

fn has_its_sum(block: &[u8; BLOCK]) -> bool {
    let digits = std::str::from_utf8(&block[148..154]).unwrap_or_default();
    let blank = (0..BLOCK).map(|at| match at {
        148..156 => u32::from(b' '),
        _ => u32::from(block[at]),
    });
    u32::from_str_radix(digits, 8).ok() == Some(blank.sum())
}

/// Unpacks a shared run into an existing empty folder. If the archive holds anything else (other names, links, folders, too much data), nothing is unpacked.
///
/// Errors: not a shared run, or an incomplete one; I/O.
pub fn unpack(file: &Path, folder: &Path) -> Result<(), SharedError> {
    let packed = File::open(file)?;
    let most = packed.metadata()?.len().saturating_mul(RATIO_MAX);
    let mut left = most.clamp(ALWAYS_ALLOWED_BYTES, UNPACKED_BYTES_MAX);
    let mut input = GzDecoder::new(BufReader::new(packed));
    let mut seen: Vec<String> = Vec::new();
    loop {
        let mut block = [0; BLOCK];
        if let Err(error) = input.read_exact(&mut block) {
            return refused(format!("it is truncated or damaged ({error})"));
        }
        if block == [0; BLOCK] {
            break;
        }
        if block[257..262] != *b"ustar" || !has_its_sum(&block) {
            return refused("one of its headers is damaged");
        }
        let Some(name) = name_of(&block) else {
            return refused("it holds a file that is not part of a run");
        };
        if !matches!(block[156], b'0' | 0) {
            return refused(format!("{name} is not a regular file"));
        }
        if seen.contains(&name) {
            return refused(format!("it holds {name} twice"));
        }
        let size = size_of(&block).unwrap_or(u64::MAX);
        if size > left {
            return refused("unpacked, it would be far larger than a run");
        }
        left -= size;
        let mut out = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(folder.join(&name))?;
        let copied = io::copy(&mut (&mut input).take(size), &mut out);
        let skipped = io::copy(&mut (&mut input).take(padding(size)), &mut io::sink());
        match (copied, skipped) {
            (Ok(copied), Ok(skipped)) if copied == size && skipped == padding(size) => {}
            (Err(error), _) | (_, Err(error)) => return refused(format!("{name}: {error}")),
            _ => return refused(format!("{name} is incomplete")),
        }
        seen.push(name);
    }
    match seen.iter().any(|name| name == HEADER) {
        true => Ok(()),
        false => refused("it holds no run.json"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(folder: &Path, entries: &[(&str, u8, &[u8])]) -> std::path::PathBuf {
        let file = folder.join("hostile.tar.gz");
        let mut out = GzEncoder::new(File::create(&file).expect("made"), Compression::default());
        for (name, kind, content) in entries {
            let mut block = header(name, content.len() as u64);
            block[156] = *kind;
            block[148..156].fill(b' ');
            let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
            block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            out.write_all(&block).expect("written");
            out.write_all(content).expect("written");
            let padding = vec![0; padding(content.len() as u64) as usize];
            out.write_all(&padding).expect("written");
        }
        out.write_all(&[0; 2 * BLOCK]).expect("written");
        out.finish().expect("written");
        file
    }

    #[test]
    fn packed_runs_unpack_and_nothing_is_overwritten() {
        let place = tempfile::tempdir().expect("a folder");
        let (run, back) = (place.path().join("run"), place.path().join("back"));
        fs::create_dir(&run).expect("made");
        fs::create_dir(&back).expect("made");
        let ticks = "{}\n".repeat(5000);
        fs::write(run.join(HEADER), "{}").expect("written");
        fs::write(run.join(TICKS), &ticks).expect("written");
        fs::write(run.join("secret.txt"), "not of the record").expect("written");
        let file = place.path().join("run.tar.gz");
        let (all, packed) = pack(&run, &file).expect("packed");
        assert!(all > 15_000 && packed < 2_000, "{all} {packed}");
        assert!(is_shared(&file) && !is_shared(&run.join(HEADER)));
        assert!(pack(&run, &file).is_err(), "it is there");
        unpack(&file, &back).expect("unpacked");
        assert_eq!(fs::read_to_string(back.join(TICKS)).expect("there"), ticks);
        assert!(!back.join("secret.txt").exists());
        assert!(unpack(&file, &back).is_err(), "the folder is not empty");
        assert!(matches!(
            pack(&back.join("x"), &file),
            Err(SharedError::NoRun)
        ));
    }

    #[test]
    fn hostile_archives_are_refused() {
        let bomb = vec![b' '; 40 << 20];
        for (entries, expected) in [
            (
                &[("../run.json", b'0', &b"{}"[..])][..],
                "not part of a run",
            ),
            (&[("/tmp/run.json", b'0', b"{}")], "not part of a run"),
            (
                &[(HEADER, b'0', b"{}"), ("x/../../y", b'0', b"")],
                "not part of a run",
            ),
            (&[(HEADER, b'2', b"")], "not a regular file"),
            (&[(HEADER, b'5', b"")], "not a regular file"),
            (&[(HEADER, b'0', b"{}"), (HEADER, b'0', b"{}")], "twice"),
            (&[(HEADER, b'0', b"{}"), (TICKS, b'0', &bomb)], "far larger"),
            (&[(TICKS, b'0', b"{}")], "no run.json"),
        ] {
            let place = tempfile::tempdir().expect("a folder");
            let into = place.path().join("into");
            fs::create_dir(&into).expect("made");
            let file = archive(place.path(), entries);
            let error = unpack(&file, &into).expect_err("refused").to_string();
            assert!(error.contains(expected), "{error}");
        }
        let place = tempfile::tempdir().expect("a folder");
        let file = archive(place.path(), &[(HEADER, b'0', b"{}")]);
        let bytes = fs::read(&file).expect("read");
        for end in 0..bytes.len() {
            let into = place.path().join(format!("into-{end}"));
            fs::create_dir(&into).expect("made");
            fs::write(&file, &bytes[..end]).expect("written");
            // The two blocks at the end may be missing; nothing of the run may.
            if unpack(&file, &into).is_ok() {
                assert_eq!(fs::read(into.join(HEADER)).expect("there"), b"{}");
            }
        }
    }
}
