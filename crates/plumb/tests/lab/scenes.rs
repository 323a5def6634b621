//! Which programs are in the lab? Each with its storage, what limits it, and the change that shows it.

use std::path::Path;

use crate::fault_fs::Call;

/// How a scene's storage behaves.
#[derive(Debug, Clone)]
pub struct Storage {
    /// Delayed calls, as shares of the scene's delay.
    pub delays: Vec<(Call, f64)>,
    /// How many calls are served at once.
    pub served: Served,
    /// Everything goes past the page cache.
    pub direct: bool,
    /// A Samba server has it as the share `slow`.
    pub shared: bool,
}

/// How calls are served that are delayed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Served {
    /// All at once.
    Together,
    /// One after another.
    OneSlot,
    /// So many in each time of the delay, the others later: a limit on the rate.
    Tokens(u32),
    /// On the first of so many disks of a stripe the delay is eight times as long.
    SlowDiskOf(u64),
}

/// What is changed.
pub enum Change {
    /// All delays are multiplied by this.
    Delays(f64),
    /// Another command.
    Command(Vec<String>),
    /// Without what runs beside it.
    Alone,
}

/// A program, its storage, what limits it, and changes by what `plumb why` calls them.
pub struct Scene {
    pub family: &'static str,
    /// Not looked into while rules are built.
    pub kept_apart: bool,
    pub storage: Storage,
    /// Milliseconds from and to which the delay is drawn.
    pub delay_ms: (f64, f64),
    pub command: Vec<String>,
    /// A shell script that runs once, before anything is slow.
    pub prepare: Option<String>,
    /// Bytes of memory of the control group `{group}`; none where there is none.
    pub memory_bytes: Option<u64>,
    /// Runs all the time beside the program, which does not start it.
    pub beside: Option<Vec<String>>,
    /// What may stand first; empty where nothing is wrong with the storage.
    pub first: &'static [&'static str],
    pub changes: Vec<(&'static str, Change)>,
}

const PYTHON: &str = "/usr/bin/python3";
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lab/programs.py");
/// A database cluster, as a user that it takes for another one than root.
const POSTGRES: &str = "unshare --user --map-user=1000 /usr/lib/postgresql/15/bin/";
const FILE_BYTES: usize = 8 << 20;
const SMALL_FILES: usize = 50;

/// Files that the scenes use: `big`, and a folder `small` of small ones.
pub fn lay_out(folder: &Path) {
    let bytes: Vec<u8> = (0..FILE_BYTES).map(|at| (at * 7 % 251) as u8).collect();
    std::fs::write(folder.join("big"), bytes).expect("a file");
    let small = folder.join("small");
    std::fs::create_dir(&small).expect("a folder");
    for number in 0..SMALL_FILES {
        std::fs::write(small.join(format!("f{number}")), [7; 3000]).expect("a file");
    }
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_string).collect()
}

fn python(rest: &str) -> Vec<String> {
    words(&format!("{PYTHON} {PROGRAMS} {rest}"))
}

/// A reader: threads, count, size, pause and computing in milliseconds, lock, barrier.
fn reader(
    threads: u32,
    count: u32,
    size: u32,
    pause: u32,
    compute: u32,
    how: (u8, u8),
) -> Vec<String> {
    let (lock, barrier) = how;
    python(&format!(
        "read {{}}/big {threads} {count} {size} {pause} {compute} {lock} {barrier}"
    ))
}

fn shell(script: &str) -> Vec<String> {
    vec!["sh".into(), "-c".into(), script.into()]
}

/// So many rows, of which each so many are a transaction of a database.
fn inserts(rows: u32, each: u32) -> Vec<String> {
    let rows: Vec<String> = (0..rows / each)
        .map(|at| {
            let values: Vec<String> = (0..each).map(|row| format!("({})", at + row)).collect();
            format!("insert into t values {};", values.join(","))
        })
        .collect();
    shell(&format!(
        "printf 'drop table if exists t;\\ncreate table t(a int);\\n{}\\n' | {POSTGRES}postgres --single -D {{}}/pg postgres > /dev/null 2>&1",
        rows.join("\\n")
    ))
}

fn slow(delays: &[(Call, f64)]) -> Storage {
    Storage {
        delays: delays.to_vec(),
        served: Served::Together,
        direct: true,
        shared: false,
    }
}

/// The same through the page cache.
fn cached(delays: &[(Call, f64)]) -> Storage {
    Storage {
        direct: false,
        ..slow(delays)
    }
}

fn scene(
    family: &'static str,
    storage: Storage,
    command: Vec<String>,
    first: &'static [&'static str],
    changes: Vec<(&'static str, Change)>,
) -> Scene {
    Scene {
        family,
        kept_apart: false,
        storage,
        delay_ms: (4.0, 10.0),
        command,
        prepare: None,
        memory_bytes: None,
        beside: None,
        first,
        changes,
    }
}

fn twice() -> (&'static str, Change) {
    ("why-gain-storage-twice", Change::Delays(0.5))
}

fn instead(change: &'static str, command: Vec<String>) -> (&'static str, Change) {
    (change, Change::Command(command))
}

const METADATA: [(Call, f64); 3] = [(Call::Lookup, 1.0), (Call::Open, 1.0), (Call::List, 1.0)];

/// All scenes.
pub fn all() -> Vec<Scene> {
    let mut all = built_with();
    all.extend(kept_apart().into_iter().map(|scene| Scene {
        kept_apart: true,
        ..scene
    }));
    all
}

fn built_with() -> Vec<Scene> {
    let again = python("again {}/large 4");
    let reads = || slow(&[(Call::Read, 1.0)]);
    vec![
        scene(
            "reads one after another",
            reads(),
            reader(1, 120, 4096, 0, 0, (0, 0)),
            &["one-at-a-time"],
            vec![
                twice(),
                instead("why-gain-at-once", reader(8, 120, 4096, 0, 0, (0, 0))),
            ],
        ),
        scene(
            "reads with a pause",
            reads(),
            reader(1, 80, 4096, 6, 0, (0, 0)),
            &["one-at-a-time", "pauses"],
            vec![
                twice(),
                instead("why-gain-no-pauses", reader(1, 80, 4096, 0, 0, (0, 0))),
            ],
        ),
        scene(
            "computes between reads",
            reads(),
            reader(1, 40, 4096, 0, 30, (0, 0)),
            &["computing"],
            vec![twice()],
        ),
        scene(
            "threads in step",
            reads(),
            reader(8, 480, 4096, 8, 0, (0, 1)),
            &["pauses", "storage-is-slow"],
            vec![
                twice(),
                instead("why-gain-no-pauses", reader(8, 480, 4096, 0, 0, (0, 1))),
            ],
        ),
        scene(
            "lock convoy",
            reads(),
            reader(8, 120, 4096, 0, 0, (1, 0)),
            &["lock"],
            vec![
                twice(),
                instead("why-gain-no-lock", reader(8, 120, 4096, 0, 0, (0, 0))),
            ],
        ),
        scene(
            "eight threads, one slot",
            Storage {
                served: Served::OneSlot,
                ..reads()
            },
            reader(8, 120, 4096, 0, 0, (0, 0)),
            &["storage-is-slow"],
            vec![twice()],
        ),
        scene(
            "sqlite, WAL",
            cached(&[(Call::Fsync, 1.0)]),
            python("commit {} 120 1 wal"),
            &["durability"],
            vec![
                twice(),
                instead("why-gain-flushes", python("commit {} 120 4 wal")),
            ],
        ),
        scene(
            "tar of small files",
            slow(&METADATA),
            words("tar cf /dev/null {}/small"),
            &["metadata"],
            vec![twice()],
        ),
        scene(
            "dd dsync",
            cached(&[(Call::Fsync, 1.0)]),
            words("dd if=/dev/zero of={}/out bs=4k count=120 oflag=dsync"),
            &["durability"],
            vec![
                twice(),
                instead(
                    "why-gain-flushes",
                    words("dd if=/dev/zero of={}/out bs=16k count=30 oflag=dsync"),
                ),
            ],
        ),
        scene(
            "checksum of a cached file",
            cached(&[]),
            shell("for i in 1 2 3 4 5 6 7 8; do sha256sum {}/big; done"),
            &[],
            Vec::new(),
        ),
        scene(
            "mapped file",
            cached(&[(Call::Read, 1.0)]),
            python("map {}/big 120"),
            &["page-faults"],
            Vec::new(),
        ),
        scene(
            "pipeline that compresses",
            cached(&[(Call::Read, 0.05)]),
            shell("cat {}/big {}/big {}/big | gzip -9 > /dev/null"),
            &["computing"],
            Vec::new(),
        ),
        scene(
            "cp -r",
            slow(&METADATA),
            shell("rm -rf /tmp/lab-copy; cp -r {}/small /tmp/lab-copy; rm -rf /tmp/lab-copy"),
            &["metadata"],
            vec![twice()],
        ),
        scene(
            "fio, one at a time",
            reads(),
            words(
                "fio --name=a --filename={}/big --rw=randread --bs=4k --ioengine=psync --number_ios=150 --size=8m",
            ),
            &["one-at-a-time"],
            vec![twice()],
        ),
        scene(
            "fio, io_uring depth 16",
            reads(),
            words(
                "fio --name=a --filename={}/big --rw=randread --bs=4k --ioengine=io_uring --iodepth=16 --number_ios=1200 --io_size=12m --size=8m --thread",
            ),
            &["storage-is-slow"],
            vec![twice()],
        ),
        Scene {
            beside: Some(shell("while :; do :; done").into_iter().collect()),
            ..scene(
                "one CPU, and another program on it",
                cached(&[]),
                words(
                    "taskset -c 0 sha256sum {}/big {}/big {}/big {}/big {}/big {}/big {}/big {}/big",
                ),
                &["no-cpu"],
                vec![("why-gain-cpu-free", Change::Alone)],
            )
        },
        scene(
            "starts up, then reads",
            reads(),
            shell(&format!(
                "{PYTHON} -c 'sum(i*i for i in range(2000000))'; {}",
                reader(1, 150, 4096, 0, 0, (0, 0)).join(" ")
            )),
            &["one-at-a-time"],
            vec![twice()],
        ),
        scene(
            "bursts of reads",
            reads(),
            shell(&format!(
                "for i in 1 2 3 4 5; do {}; sleep 0.4; done",
                reader(8, 160, 4096, 0, 0, (0, 0)).join(" ")
            )),
            &["pauses"],
            vec![instead(
                "why-gain-no-pauses",
                shell(&format!(
                    "for i in 1 2 3 4 5; do {}; done",
                    reader(8, 160, 4096, 0, 0, (0, 0)).join(" ")
                )),
            )],
        ),
        scene(
            "a client of Samba",
            Storage {
                shared: true,
                ..slow(&[(Call::Read, 2.0)])
            },
            words("smbclient -p {port} -U {user} //127.0.0.1/slow -c get#big#/dev/null"),
            &["peer"],
            vec![("why-gain-peer-twice", Change::Delays(0.5))],
        ),
        Scene {
            delay_ms: (20.0, 40.0),
            ..scene(
                "a limit on reads per second",
                Storage {
                    served: Served::Tokens(20),
                    ..reads()
                },
                reader(1, 1000, 4096, 0, 0, (0, 0)),
                &["rate-limit"],
                vec![("why-gain-limit-twice", Change::Delays(0.5))],
            )
        },
        Scene {
            prepare: Some("head -c 40M /dev/zero > {}/large".into()),
            memory_bytes: Some(24 << 20),
            ..scene(
                "a limit on memory",
                cached(&[(Call::Read, 0.25)]),
                shell(&format!("echo $$ > {{group}}; exec {}", again.join(" "))),
                &["memory-limit"],
                vec![instead("why-gain-memory", again)],
            )
        },
        scene(
            "local tar, cached",
            cached(&[]),
            words("tar cf /dev/null /usr/share/perl"),
            &[],
            Vec::new(),
        ),
    ]
}

fn kept_apart() -> Vec<Scene> {
    let reads = || slow(&[(Call::Read, 1.0)]);
    vec![
        scene(
            "sqlite, rollback journal",
            cached(&[(Call::Fsync, 1.0)]),
            python("commit {} 60 1 delete"),
            &["durability"],
            vec![
                twice(),
                instead("why-gain-flushes", python("commit {} 60 4 delete")),
            ],
        ),
        Scene {
            prepare: Some(format!(
                "{POSTGRES}initdb -D {{}}/pg --no-sync -U x > /dev/null 2>&1"
            )),
            ..scene(
                "postgres",
                cached(&[(Call::Fsync, 1.0)]),
                inserts(120, 1),
                &["durability"],
                vec![twice(), instead("why-gain-flushes", inserts(120, 4))],
            )
        },
        Scene {
            delay_ms: (20.0, 40.0),
            ..scene(
                "a limit on reads per second, eight threads",
                Storage {
                    served: Served::Tokens(20),
                    ..reads()
                },
                reader(8, 1200, 4096, 0, 0, (0, 0)),
                &["rate-limit", "storage-is-slow"],
                vec![twice(), ("why-gain-limit-twice", Change::Delays(0.5))],
            )
        },
        scene(
            "a slow disk in a stripe",
            Storage {
                served: Served::SlowDiskOf(4),
                ..slow(&[(Call::Read, 0.3)])
            },
            reader(1, 240, 4096, 0, 0, (0, 0)),
            &["one-at-a-time"],
            vec![twice()],
        ),
        scene(
            "grep -r",
            slow(&METADATA),
            shell("grep -r nothing {}/small || true"),
            &["metadata"],
            vec![twice()],
        ),
        scene(
            "find and du",
            slow(&METADATA),
            words("find {}/small -size +1k -newer {}/big"),
            &["metadata"],
            vec![twice()],
        ),
        scene(
            "rsync",
            slow(&METADATA),
            shell("rsync -a {}/small/ /tmp/lab-rsync/; rm -rf /tmp/lab-rsync"),
            &["metadata"],
            vec![twice()],
        ),
        scene(
            "cat of a file",
            slow(&[(Call::Read, 2.0)]),
            shell("cat {}/big {}/big {}/big {}/big > /dev/null"),
            &["one-at-a-time"],
            vec![twice()],
        ),
        scene(
            "eight threads",
            reads(),
            reader(8, 640, 4096, 0, 0, (0, 0)),
            &["storage-is-slow"],
            vec![twice()],
        ),
        scene(
            "one thread, one slot",
            Storage {
                served: Served::OneSlot,
                ..reads()
            },
            reader(1, 120, 4096, 0, 0, (0, 0)),
            &["one-at-a-time"],
            vec![
                twice(),
                instead("why-gain-at-once", reader(8, 120, 4096, 0, 0, (0, 0))),
            ],
        ),
        scene(
            "flushes of many files",
            cached(&[(Call::Fsync, 1.0)]),
            shell(
                "for i in $(seq 40); do dd if=/dev/zero of={}/f$i bs=4k count=2 conv=fsync status=none; done",
            ),
            &["durability"],
            vec![twice()],
        ),
        scene(
            "a pipeline whose first stage reads",
            slow(&[(Call::Read, 2.0)]),
            shell("cat {}/big {}/big {}/big | sha256sum | cat > /dev/null"),
            &["one-at-a-time"],
            vec![twice()],
        ),
        scene(
            "gzip of a cached file",
            cached(&[]),
            shell("gzip -9 -c {}/big > /dev/null"),
            &[],
            Vec::new(),
        ),
        scene(
            "git status",
            slow(&METADATA),
            shell("cd {}/small && git init -q . && git status > /dev/null; rm -rf .git"),
            &["metadata"],
            vec![twice()],
        ),
        scene(
            "a third of the time computing",
            reads(),
            reader(1, 80, 4096, 0, 3, (0, 0)),
            &["one-at-a-time", "computing"],
            vec![twice()],
        ),
    ]
}
