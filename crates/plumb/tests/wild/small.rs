//! How is a command for a large disk reduced to a small file? The workload stays the same; targets, sizes and times change.

use std::fs;
use std::path::Path;

use crate::entries::Entry;

/// Options that bound a job by time, pace it, or ask for processors that are not here.
const LEFT_OUT: &[&str] = &[
    "runtime",
    "timeout",
    "time_based",
    "ramp_time",
    "startdelay",
    "start_delay",
    "rate",
    "rate_iops",
    "rate_process",
    "rate_min",
    "thinktime",
    "thinktime_blocks",
    "status-interval",
    "cpus_allowed",
    "cpus_allowed_policy",
    "idle-prof",
    "eta",
    "eta-newline",
    "eta-interval",
    "output",
    "output-format",
    "minimal",
    "terse-version",
    "continue_on_error",
    "write_iolog",
];

/// Options with one dash or two that take no value behind a space.
const FLAGS: &[&str] = &[
    "time_based",
    "group_reporting",
    "thread",
    "norandommap",
    "refill_buffers",
    "stonewall",
    "wait_for_previous",
    "minimal",
    "readonly",
    "new_group",
    "exitall",
    "fixedbufs",
];

const JOBS_MAX: u64 = 4;
const FILES_MAX: u64 = 8;
const LOOPS_MAX: u64 = 3;

/// A command that can run beside another: words and files of a job, all targets in the folder that it runs in.
pub struct Small {
    pub words: Vec<String>,
    pub files: Vec<(String, String)>,
    pub env: Vec<(String, String)>,
    /// Files that stand for devices, and folders.
    pub devices: Vec<String>,
    pub directories: Vec<String>,
    /// Something is read, so the files must be there before both programs start.
    pub reads: bool,
    /// Bytes of a file that stands for a device.
    device_bytes: u64,
}

/// How options of one entry change.
struct Change<'a> {
    wanted: &'a [(String, String)],
    /// What the size becomes, over what it was.
    ratio: f64,
    small: Small,
}

pub fn small(entry: &Entry) -> Small {
    let wanted = entry.sample.as_deref().expect("a sample");
    let mut change = Change {
        wanted,
        ratio: ratio(entry, wanted),
        small: Small {
            words: Vec::new(),
            files: Vec::new(),
            env: entry.env.clone(),
            devices: Vec::new(),
            directories: Vec::new(),
            reads: false,
            device_bytes: wanted_bytes(wanted, "device").unwrap_or(8 << 20),
        },
    };
    let (words, read_of_words) = change.words(entry);
    change.small.words = words;
    let files: Vec<(String, String)> = entry
        .files
        .iter()
        .map(|(name, text)| (name.clone(), change.file(text)))
        .collect();
    change.small.files = files;
    // A job without `rw` reads.
    let text = entry
        .files
        .iter()
        .map(|(_, text)| text.as_str())
        .collect::<String>();
    let said = read_of_words || text.contains("rw=") || text.contains("readwrite=");
    change.small.reads |= !said;
    change.small
}

fn wanted_bytes(wanted: &[(String, String)], key: &str) -> Option<u64> {
    let (_, value) = wanted.iter().find(|(name, _)| name == key)?;
    Some(bytes(value).expect("a size"))
}

/// A size as fio writes it: a number, and a letter for powers of 1,024.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.trim_end_matches('b').trim_end_matches('i');
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let power = match &text[digits.len()..] {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    number.checked_shl(10 * power)
}

/// The first size of the entry, and what it becomes.
fn ratio(entry: &Entry, wanted: &[(String, String)]) -> f64 {
    let Some(new) = wanted_bytes(wanted, "size") else {
        return 1.0;
    };
    let of_words = entry.words.iter().map(|word| word.trim_start_matches('-'));
    let of_files = entry.files.iter().flat_map(|(_, text)| text.lines());
    let old = of_words.chain(of_files).find_map(|word| {
        let (key, value) = word.split_once('=')?;
        matches!(key, "size" | "filesize").then(|| bytes(value))?
    });
    old.map_or(1.0, |old| new as f64 / old as f64)
}

impl Change<'_> {
    /// The words, and whether one of them says what is done.
    fn words(&mut self, entry: &Entry) -> (Vec<String>, bool) {
        let mut words = Vec::new();
        let mut said = false;
        let mut rest = entry.words.iter().peekable();
        while let Some(word) = rest.next() {
            let option = word.trim_start_matches('-');
            if option.len() == word.len() {
                words.push(word.clone());
                continue;
            }
            let dashes = &word[..word.len() - option.len()];
            let (key, value) = match option.split_once('=') {
                Some((key, value)) => (key, Some(value.to_owned())),
                None => {
                    let follows =
                        |next: &&String| !next.starts_with('-') && !FLAGS.contains(&option);
                    let is_file =
                        |next: &&String| entry.files.iter().any(|(name, _)| *name == **next);
                    let next = rest.next_if(|next| follows(next) && !is_file(next));
                    (option, next.cloned())
                }
            };
            said |= matches!(key, "rw" | "readwrite");
            match (self.option(key, value.as_deref().unwrap_or("")), value) {
                (None, _) => {}
                (Some(_), None) => words.push(word.clone()),
                (Some(new), Some(_)) => words.push(format!("{dashes}{key}={new}")),
            }
        }
        (words, said)
    }

    /// A job file, or one that it includes.
    fn file(&mut self, text: &str) -> String {
        let mut lines = Vec::new();
        for line in text.lines() {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let key = key.trim();
            match self.option(key, value.trim()) {
                None => {}
                Some(_) if value.is_empty() => lines.push(line.to_owned()),
                Some(new) => lines.push(format!("{key}={new}")),
            }
        }
        lines.join("\n") + "\n"
    }

    /// What becomes of an option; `None`: it is left out.
    fn option(&mut self, key: &str, value: &str) -> Option<String> {
        if let Some((_, wanted)) = self.wanted.iter().find(|(name, _)| name == key) {
            return (!(key == "size" && value.contains('%')))
                .then(|| wanted.clone())
                .or_else(|| Some(value.to_owned()));
        }
        if LEFT_OUT.contains(&key) {
            return None;
        }
        let at_most = |limit: u64| {
            let number = value.parse::<u64>().map(|number| number.min(limit));
            number.map_or(value.to_owned(), |number| number.to_string())
        };
        Some(match key {
            "filename" => self.targets(value),
            "directory" => self.directory(value),
            "filesize" => {
                let size = self.wanted.iter().find(|(name, _)| name == "size");
                size.map_or(value.to_owned(), |(_, size)| size.clone())
            }
            "io_size" | "offset_increment" | "offset" => self.scaled(value),
            "numjobs" | "numjob" => at_most(JOBS_MAX),
            "nrfiles" => at_most(FILES_MAX),
            "loops" => at_most(LOOPS_MAX),
            "overwrite" => {
                // fio fills such a file first.
                self.small.reads |= value == "1";
                value.to_owned()
            }
            "rw" | "readwrite" => {
                let kind = value.split(':').next().unwrap_or_default();
                self.small.reads |= !matches!(kind, "write" | "randwrite");
                value.to_owned()
            }
            _ => value.to_owned(),
        })
    }

    fn targets(&mut self, value: &str) -> String {
        let names = value.split(':').map(|path| {
            if matches!(path, "/dev/null" | "/dev/zero") {
                return path.to_owned();
            }
            let name = plain(path);
            if !path.starts_with("/dev/") {
                return name;
            }
            let name = format!("device-{name}");
            self.small.devices.push(name.clone());
            name
        });
        let names: Vec<String> = names.collect();
        names.join(":")
    }

    fn directory(&mut self, value: &str) -> String {
        let name = format!("in-{}", plain(value));
        self.small.directories.push(name.clone());
        name
    }

    /// In proportion to the size, in whole KiB of four.
    fn scaled(&self, value: &str) -> String {
        let Some(old) = bytes(value) else {
            return value.to_owned();
        };
        let pages = (old as f64 * self.ratio / 4096.0).round() as u64;
        format!("{}k", 4 * pages.max(1))
    }
}

/// The last part of a path, in letters that stand in any job file.
fn plain(path: &str) -> String {
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let letter = |character: char| character.is_ascii_alphanumeric() || ".-_".contains(character);
    let name: String = last
        .chars()
        .filter(|character| letter(*character))
        .collect();
    if matches!(name.as_str(), "" | "." | "..") {
        "here".to_owned()
    } else {
        name
    }
}

impl Small {
    /// Writes the files of the job, makes its folders, and fills what stands for a device.
    pub fn lay(&self, folder: &Path) {
        for (name, text) in &self.files {
            fs::write(folder.join(name), text).expect("written");
        }
        for name in &self.directories {
            fs::create_dir_all(folder.join(name)).expect("made");
        }
        let content: Vec<u8> = (0..self.device_bytes)
            .map(|at| (at / 512 % 251) as u8 | 1)
            .collect();
        for name in &self.devices {
            fs::write(folder.join(name), &content).expect("filled");
        }
    }
}

#[test]
fn a_big_command_becomes_small() {
    let text = "=== x\nfrom: y\nneeds: device\nsample: size=4m\n\
                fio -direct=1 --runtime 30 --filename=/dev/sda:/dev/sdb --size=2g --io_size=1G --numjobs=16 --time_based -name x job\n--- file job\n\
                [global]\ndirectory=/mnt/x y/\nruntime=60\nsize=30g\ngroup_reporting\nrw=randwrite\nnrfiles=3\n";
    let entry = crate::entries::entries_of(text).remove(0);
    let small = small(&entry);
    assert_eq!(
        small.words.join(" "),
        "-direct=1 --filename=device-sda:device-sdb --size=4m --io_size=2048k --numjobs=4 -name=x job"
    );
    assert_eq!(
        small.files[0].1,
        "[global]\ndirectory=in-xy\nsize=4m\ngroup_reporting\nrw=randwrite\nnrfiles=3\n"
    );
    assert_eq!(small.devices, ["device-sda", "device-sdb"]);
    assert!(!small.reads);
}
