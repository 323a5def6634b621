//! Which calls did a program make? strace's files, one per thread, as reads, writes and syncs of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// System calls that strace is asked for.
pub const CALLS: &str = "openat,openat2,open,lseek,read,write,readv,writev,pread64,pwrite64,preadv,pwritev,preadv2,pwritev2,\
                         io_submit,io_uring_enter,fsync,fdatasync,sync_file_range";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Read,
    Write,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Io {
        file: String,
        kind: Kind,
        offset: u64,
        bytes: u64,
    },
    /// The name of the call.
    Sync { file: String, call: String },
}

#[derive(Debug, Default)]
pub struct Trace {
    /// Of each thread, in its order.
    pub threads: Vec<Vec<Event>>,
    /// O_DIRECT, O_SYNC and O_DSYNC of the descriptors that moved something, by file.
    pub flags: BTreeMap<String, BTreeSet<String>>,
    /// io_uring was used: what it carried out does not show.
    pub through_rings: bool,
}

/// Reads `prefix.PID` of every thread in a folder; of files below `root` only, named from there.
pub fn trace(folder: &Path, prefix: &str, root: &Path) -> Trace {
    let mut trace = Trace::default();
    let mut opened: BTreeMap<(String, u64), BTreeSet<String>> = BTreeMap::new();
    let mut used: BTreeSet<(String, u64)> = BTreeSet::new();
    let root = format!("{}/", root.display());
    for file in fs::read_dir(folder).expect("a folder") {
        let file = file.expect("a file");
        if !file.file_name().to_string_lossy().starts_with(prefix) {
            continue;
        }
        let text = fs::read(file.path()).expect("read");
        let mut thread = Thread {
            root: &root,
            positions: BTreeMap::new(),
            opened: &mut opened,
            used: BTreeSet::new(),
            events: Vec::new(),
            through_rings: false,
        };
        for line in String::from_utf8_lossy(&text).lines() {
            thread.take(line);
        }
        trace.through_rings |= thread.through_rings;
        let mut events = thread.events;
        let tried = tried(&events);
        events.retain(|event| !tried.contains(event.file()));
        let not_tried = |key: &(String, u64)| !tried.contains(&key.0);
        used.extend(thread.used.into_iter().filter(not_tried));
        trace.threads.push(events);
    }
    for key in used {
        let flags = opened.get(&key).cloned().unwrap_or_default();
        trace.flags.entry(key.0).or_default().extend(flags);
    }
    trace
}

/// Files of which a thread only reads one sector from the beginning, to see what they can do.
fn tried(events: &[Event]) -> BTreeSet<String> {
    let mut moved: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for event in events {
        if let Event::Io {
            file,
            kind,
            offset,
            bytes,
        } = event
        {
            let (count, is_sector) = moved.entry(file).or_default();
            *count += 1;
            *is_sector = *count == 1 && (*kind, *offset, *bytes) == (Kind::Read, 0, 512);
        }
    }
    let only = moved.iter().filter(|(_, (_, is_sector))| *is_sector);
    only.map(|(file, _)| (*file).to_owned()).collect()
}

impl Event {
    fn file(&self) -> &str {
        match self {
            Event::Io { file, .. } | Event::Sync { file, .. } => file,
        }
    }
}

struct Thread<'a> {
    root: &'a str,
    positions: BTreeMap<(String, u64), u64>,
    opened: &'a mut BTreeMap<(String, u64), BTreeSet<String>>,
    used: BTreeSet<(String, u64)>,
    events: Vec<Event>,
    through_rings: bool,
}

impl Thread<'_> {
    fn take(&mut self, line: &str) {
        let Some((call, rest)) = line.split_once('(') else {
            return;
        };
        let Some((arguments, result)) = rest.rsplit_once(") = ").or_else(|| {
            // strace pads short lines.
            let (arguments, result) = rest.rsplit_once(" = ")?;
            Some((arguments.trim_end().strip_suffix(')')?, result))
        }) else {
            return;
        };
        let number = result.split(|c: char| !c.is_ascii_digit()).next();
        let Some(number) = number.and_then(|digits| digits.parse::<u64>().ok()) else {
            return;
        };
        match call {
            "open" | "openat" | "openat2" => self.open(arguments, result, number),
            "io_submit" => self.submitted(arguments, number),
            "io_uring_enter" => self.through_rings |= number > 0,
            "lseek" => {
                if let Some(key) = self.descriptor(arguments) {
                    self.positions.insert(key, number);
                }
            }
            "fsync" | "fdatasync" | "sync_file_range" => {
                if let Some((file, _)) = self.descriptor(arguments) {
                    let call = call.to_owned();
                    self.events.push(Event::Sync { file, call });
                }
            }
            _ => self.moved(call, arguments, number),
        }
    }

    /// `7</folder/name>` as the name below the root, and 7.
    fn descriptor(&self, text: &str) -> Option<(String, u64)> {
        let (number, rest) = text.split_once('<')?;
        let path = &rest[..rest.find('>')?];
        let path = path.strip_prefix(self.root)?;
        let path = path.trim_end_matches(" (deleted)").to_owned();
        Some((path, number.trim().parse().ok()?))
    }

    fn open(&mut self, arguments: &str, result: &str, _: u64) {
        let Some(key) = self.descriptor(result) else {
            return;
        };
        let flag = |name: &&str| {
            let said = arguments.split(|c: char| !c.is_ascii_uppercase() && c != '_');
            said.into_iter().any(|word| word == *name)
        };
        let flags = ["O_DIRECT", "O_SYNC", "O_DSYNC"].into_iter().filter(flag);
        let flags = flags.map(str::to_owned);
        self.positions.insert(key.clone(), 0);
        self.opened.entry(key).or_default().extend(flags);
    }

    fn moved(&mut self, call: &str, arguments: &str, bytes: u64) {
        let kind = match call {
            "read" | "readv" | "pread64" | "preadv" | "preadv2" => Kind::Read,
            _ => Kind::Write,
        };
        let Some(key) = self.descriptor(arguments) else {
            return;
        };
        let from_end = match call {
            "pread64" | "pwrite64" | "preadv" | "pwritev" => Some(0),
            "preadv2" | "pwritev2" => Some(1),
            _ => None,
        };
        let offset = match from_end {
            Some(place) => {
                let word = arguments.rsplit(", ").nth(place).unwrap_or_default();
                word.trim().parse().ok()
            }
            None => {
                let position = self.positions.entry(key.clone()).or_default();
                *position += bytes;
                Some(*position - bytes)
            }
        };
        if let Some(offset) = offset
            && bytes > 0
        {
            self.io(key, kind, offset, bytes);
        }
    }

    fn io(&mut self, key: (String, u64), kind: Kind, offset: u64, bytes: u64) {
        self.used.insert(key.clone());
        self.events.push(Event::Io {
            file: key.0,
            kind,
            offset,
            bytes,
        });
    }

    /// The first `taken` requests of an array.
    fn submitted(&mut self, arguments: &str, taken: u64) {
        let requests = arguments.split("aio_lio_opcode=IOCB_CMD_").skip(1);
        for request in requests.take(usize::try_from(taken).unwrap_or_default()) {
            let opcode = request.split(',').next().unwrap_or_default();
            let field = |name: &str| {
                let rest = &request[request.find(name)? + name.len()..];
                rest.split(|c: char| !c.is_ascii_digit())
                    .next()?
                    .parse::<u64>()
                    .ok()
            };
            let descriptor = request.split_once("aio_fildes=");
            let Some(key) = descriptor.and_then(|(_, rest)| self.descriptor(rest)) else {
                continue;
            };
            let (offset, bytes) = (
                field("aio_offset="),
                field("aio_nbytes=").or(field("iov_len=")),
            );
            match (opcode, offset, bytes) {
                ("PREAD" | "PREADV", Some(offset), Some(bytes)) => {
                    self.io(key, Kind::Read, offset, bytes)
                }
                ("PWRITE" | "PWRITEV", Some(offset), Some(bytes)) => {
                    self.io(key, Kind::Write, offset, bytes)
                }
                ("FSYNC" | "FDSYNC", ..) => {
                    let call = if opcode == "FSYNC" {
                        "fsync"
                    } else {
                        "fdatasync"
                    };
                    let (file, call) = (key.0, call.to_owned());
                    self.events.push(Event::Sync { file, call });
                }
                _ => {}
            }
        }
    }
}

#[test]
fn calls_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = "openat(AT_FDCWD</x>, \"f\", O_RDWR|O_CREAT|O_DIRECT, 0600) = 7</x/t/f>\n\
                 pwrite64(7</x/t/f>, \"\"..., 4096, 8192) = 4096\n\
                 preadv2(7</x/t/f>, [{iov_base=\"\"..., iov_len=512}], 1, 1024, 0) = 512\n\
                 read(7</x/t/f>, \"\"..., 100) = 100\nread(7</x/t/f>, \"\"..., 100) = 50\n\
                 read(7</x/t/f>, \"\"..., 100) = -1 EIO (Input/output error)\n\
                 read(3</etc/passwd>, \"\"..., 100) = 50\n\
                 fdatasync(7</x/t/f>)             = 0\n\
                 io_submit(0x7f0, 2, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=7</x/t/f>, aio_buf=\"\"..., aio_nbytes=4096, aio_offset=45056}, \
                 {aio_data=0, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=7</x/t/f>, aio_buf=0x1, aio_nbytes=1, aio_offset=2}]) = 1\n\
                 io_uring_enter(5<anon_inode:[io_uring]>, 1, 1, 0, NULL, 8) = 1\n";
    fs::write(folder.path().join("t.12"), lines).expect("written");
    fs::write(folder.path().join("other"), lines).expect("written");
    let trace = trace(folder.path(), "t.", Path::new("/x/t"));
    assert!(trace.through_rings);
    assert_eq!(trace.flags["f"], BTreeSet::from(["O_DIRECT".to_owned()]));
    let io = |kind, offset, bytes| Event::Io {
        file: "f".to_owned(),
        kind,
        offset,
        bytes,
    };
    let sync = Event::Sync {
        file: "f".to_owned(),
        call: "fdatasync".to_owned(),
    };
    let expected = [
        io(Kind::Write, 8192, 4096),
        io(Kind::Read, 1024, 512),
        io(Kind::Read, 0, 100),
        io(Kind::Read, 100, 50),
        sync,
        io(Kind::Write, 45056, 4096),
    ];
    assert_eq!(trace.threads, [expected]);
}
