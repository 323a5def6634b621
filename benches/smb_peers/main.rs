//! Is the SMB engine faster than smbclient and than the client of the crate `smb2`, and what does it cost? Interleaved on a private Samba over loopback.
//!
//! `./dev bench smb`, or with words: `./dev bench smb rounds=5 size=1024 only=write` (MiB; only the cases with this in their name). Prints MB/s and the
//! client's CPU seconds for each GiB, medians over the rounds, and the ratios that the program must reach; ends with exit code 1 when one is missed, and 2 when a peer is missing.
//!
//! Samba as it comes takes writes more slowly than this client sends them, so that a ratio of writes would be one of the server. Writes over a file that is there are therefore measured
//! on a second, quick server too (docs/decisions/0011): its file lies in huge pages where this user may mount them (root), and it takes the data of an unsigned write from the
//! socket into the file without buffering it completely (`min receivefile size`). New files gain nothing by either.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod crate_client;
#[path = "../exit_code.rs"]
mod exit_code;
mod huge_pages;
#[path = "../../testdata/peers/ports.rs"]
mod ports;
#[path = "../../testdata/peers/samba.rs"]
mod samba;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate_client::{FILE_BYTES, FILES};
use huge_pages::HugePages;
use plumb_load::engine::buffers::Buffers;
use plumb_load::engine::journal::Journal;
use plumb_load::engine::meeting::Meeting;
use plumb_load::engine::operation::{Done, Op};
use plumb_load::engine::{RemoteSetup, Setup, Wait};
use plumb_load::engines;
use plumb_load::feed::live_files::LiveFiles;
use plumb_load::secret::Secret;
use plumb_load::site::{Admission, FileSetNeeds, Needs, Preparing, Site, SiteFile, SiteKind};
use plumb_load::system;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{Channels, EngineChoice, OperationKind, Protection, Workload};
use samba::{PASSWORD, Samba};

/// What two programs of the same speed differ by from round to round.
const EQUAL: f64 = 0.95;

/// What was measured: MB/s or operations per second, and the client's CPU seconds for each GiB, where bytes are moved.
#[derive(Clone, Copy)]
struct Figure {
    rate: f64,
    cpu_s_per_gib: f64,
}

type Figures = BTreeMap<&'static str, Vec<Figure>>;

/// A server with a file of so many bytes on its share.
struct Bench {
    /// Before the server, in whose folder they are mounted.
    pages: Option<HugePages>,
    server: Samba,
    remote: Remote,
    secret: Secret,
    bytes: u64,
}

/// Which server a case needs.
#[derive(Clone, Copy)]
enum On {
    Usual,
    Quick,
}

fn main() -> ExitCode {
    if let Some(client) = crate_client::from_words() {
        println!("{}", client.measure());
        return ExitCode::SUCCESS;
    }
    exit_code::exit_code(measure())
}

fn word(name: &str) -> Result<Option<String>, String> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    if let Some(wrong) = words.iter().find(|word| {
        !["rounds=", "size=", "only="]
            .iter()
            .any(|name| word.starts_with(name))
    }) {
        return Err(format!(
            "'{wrong}' is not understood: rounds=5, size=1024 (MiB), only=write"
        ));
    }
    Ok(words
        .iter()
        .find_map(|word| word.strip_prefix(&format!("{name}=")))
        .map(str::to_string))
}

fn number(name: &str, default: u64) -> Result<u64, String> {
    word(name)?.map_or(Ok(default), |text| {
        text.parse()
            .ok()
            .filter(|number| *number > 0)
            .ok_or(format!("{name}={text} is no number above 0"))
    })
}

fn measure() -> Result<bool, String> {
    if !samba::is_installed() {
        return Err("Samba and smbclient are needed".into());
    }
    let (rounds, bytes) = (number("rounds", 5)?, number("size", 1024)? << 20);
    let (usual, quick) = (
        Bench::start(bytes, On::Usual)?,
        Bench::start(bytes, On::Quick)?,
    );
    let only = word("only")?.unwrap_or_default();
    let cases: Vec<_> = cases()
        .into_iter()
        .filter(|(name, ..)| name.contains(&only))
        .collect();
    if cases.is_empty() {
        return Err(format!(
            "no case has '{only}' in its name: only=write, only=64k"
        ));
    }
    let mut figures = Figures::new();
    for round in 0..rounds as usize {
        for place in 0..cases.len() {
            // Each round begins with another case, so that none is always the first after a pause.
            let (name, on, case) = &cases[(place + round * 3) % cases.len()];
            let bench = match on {
                On::Usual => &usual,
                On::Quick => &quick,
            };
            figures.entry(name).or_default().push(case(bench));
        }
    }
    println!(
        "{rounds} rounds, {} MiB in memory, Samba on loopback; medians",
        bytes >> 20
    );
    let pages = if quick.pages.is_some() {
        "file in huge pages"
    } else {
        "file in small pages: this user may not mount huge ones"
    };
    println!("quick: min receivefile size, {pages}\n");
    println!("{:<34} {:>10} {:>16}", "", "MB/s, op/s", "client CPU s/GiB");
    for (name, ..) in &cases {
        let (rate, cpu) = (
            median(&figures[name], |figure| figure.rate),
            median(&figures[name], |figure| figure.cpu_s_per_gib),
        );
        println!(
            "{name:<34} {rate:>10.0} {}",
            if cpu.is_nan() {
                String::new()
            } else {
                format!("{cpu:>16.2}")
            }
        );
    }
    println!();
    Ok(judge(&figures))
}

type Case = Box<dyn Fn(&Bench) -> Figure>;

fn cases() -> Vec<(&'static str, On, Case)> {
    use OperationKind::{Create, Delete, Read, Stat, Write};
    use Protection::{Auto, Yes};
    let own = |kind, block: u32, depth, signing, encryption| -> Case {
        let choice = EngineChoice {
            signing,
            encryption,
            ..EngineChoice::default()
        };
        Box::new(move |bench| bench.own("file", kind, block, depth, 1, choice.clone()))
    };
    let two = |channels, block, depth| -> Case {
        let choice = EngineChoice {
            channels,
            ..EngineChoice::default()
        };
        Box::new(move |bench| bench.own("file", Read, block, depth, 2, choice.clone()))
    };
    let (mib, small) = (1 << 20, 64 << 10);
    let of_quick = [
        ("write 1m q8, quick server", own(Write, mib, 8, Auto, Auto)),
        (
            "smb2 write 1m, quick server",
            Box::new(|bench: &Bench| bench.of_own_process("write-over")) as Case,
        ),
    ];
    let of_usual = [
        ("read 1m q8", own(Read, mib, 8, Auto, Auto)),
        (
            "smbclient get",
            Box::new(|bench: &Bench| bench.smbclient(true)) as Case,
        ),
        (
            "smb2 read 1m q8 (GMAC)",
            Box::new(|bench| bench.of_own_process("read")),
        ),
        ("read 1m q8 signed (GMAC)", own(Read, mib, 8, Yes, Auto)),
        ("read 1m q8 encrypted (GCM)", own(Read, mib, 8, Auto, Yes)),
        ("write 1m q8", own(Write, mib, 8, Auto, Auto)),
        (
            "smb2 write 1m (GMAC)",
            Box::new(|bench| bench.of_own_process("write-over")),
        ),
        (
            "new file 1m q8",
            Box::new(|bench| bench.own_new(8, EngineChoice::default())),
        ),
        ("smbclient put", Box::new(|bench| bench.smbclient(false))),
        (
            "smb2 new file 1m (GMAC)",
            Box::new(|bench| bench.of_own_process("write")),
        ),
        ("write 1m q8 signed (GMAC)", own(Write, mib, 8, Yes, Auto)),
        ("write 1m q8 encrypted (GCM)", own(Write, mib, 8, Auto, Yes)),
        ("read 64k q1", own(Read, small, 1, Auto, Auto)),
        ("read 64k q2", own(Read, small, 2, Auto, Auto)),
        ("read 64k q8", own(Read, small, 8, Auto, Auto)),
        ("write 64k q8", own(Write, small, 8, Auto, Auto)),
        (
            "read 1m q8, two channels",
            two(Channels::Multichannel, mib, 8),
        ),
        ("read 1m q8, two sessions", two(Channels::Sessions, mib, 8)),
        (
            "read 64k q1, two channels",
            two(Channels::Multichannel, small, 1),
        ),
        ("create q8", Box::new(|bench| bench.own_files(Create))),
        (
            "smb2 create q8",
            Box::new(|bench| bench.of_own_process("create")),
        ),
        ("stat q8", Box::new(|bench| bench.own_files(Stat))),
        (
            "smb2 stat q8",
            Box::new(|bench| bench.of_own_process("stat")),
        ),
        ("delete q8", Box::new(|bench| bench.own_files(Delete))),
        (
            "smb2 delete q8",
            Box::new(|bench| bench.of_own_process("delete")),
        ),
    ];
    let on = |on| move |(name, case)| (name, on, case);
    of_quick
        .into_iter()
        .map(on(On::Quick))
        .chain(of_usual.into_iter().map(on(On::Usual)))
        .collect()
}

/// What must be reached; prints each.
fn judge(figures: &Figures) -> bool {
    let mut reached = true;
    let mut must = |text: String, is: bool| {
        println!("{} {text}", if is { "reached:" } else { "MISSED: " });
        reached &= is;
    };
    for (ours, theirs, at_least) in [
        ("read 1m q8", "smbclient get", 1.0),
        ("new file 1m q8", "smbclient put", 1.0),
        ("read 1m q8", "smb2 read 1m q8 (GMAC)", 3.0),
        (
            "write 1m q8, quick server",
            "smb2 write 1m, quick server",
            3.0,
        ),
        // Samba as it comes limits the one and not the other.
        ("write 1m q8", "smb2 write 1m (GMAC)", 1.5),
        // The server finds room for the file in this time, which both pay for alike.
        ("new file 1m q8", "smb2 new file 1m (GMAC)", 2.0),
        ("read 64k q8", "read 64k q1", 1.5),
        // Samba serves all channels of a session by one process, which one channel with eight requests fills: no goal for that.
        ("read 64k q1, two channels", "read 64k q1", 1.0),
        ("create q8", "smb2 create q8", 1.0),
        ("stat q8", "smb2 stat q8", 1.0),
        ("delete q8", "smb2 delete q8", 1.0),
    ] {
        let (Some(of_ours), Some(of_theirs)) = (figures.get(ours), figures.get(theirs)) else {
            continue;
        };
        let mut ratios: Vec<f64> = of_ours
            .iter()
            .zip(of_theirs)
            .map(|(ours, theirs)| ours.rate / theirs.rate)
            .collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios[ratios.len() / 2];
        let (low, high) = (ratios[0], ratios[ratios.len() - 1]);
        must(
            format!("{ours} / {theirs}: {ratio:.2} ({low:.2} to {high:.2}), at least {at_least}"),
            ratio >= at_least * EQUAL,
        );
    }
    for (name, at_most) in [
        ("read 1m q8", 0.3),
        ("write 1m q8", 0.3),
        ("read 1m q8 signed (GMAC)", 0.7),
        ("write 1m q8 signed (GMAC)", 0.7),
        ("read 1m q8 encrypted (GCM)", 1.0),
        ("write 1m q8 encrypted (GCM)", 1.0),
    ] {
        let Some(of_case) = figures.get(name) else {
            continue;
        };
        let cpu = median(of_case, |figure| figure.cpu_s_per_gib);
        must(
            format!("{name}: {cpu:.2} CPU s/GiB, at most {at_most}"),
            cpu <= at_most,
        );
    }
    reached
}

fn median(figures: &[Figure], of: impl Fn(&Figure) -> f64) -> f64 {
    let mut values: Vec<f64> = figures.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn cpu_s() -> f64 {
    system::thread_account().map_or(f64::NAN, |account| {
        (account.user_ns + account.system_ns) as f64 / 1e9
    })
}

/// CPU time of the children that have ended.
fn cpu_of_children_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    // cutime and cstime are the 16th and 17th field (proc(5)), in hundredths of a second.
    (fields[13] + fields[14]) / 100.0
}

impl Bench {
    fn start(bytes: u64, on: On) -> Result<Bench, String> {
        let server = match on {
            On::Usual => Samba::start(&[]),
            On::Quick => Samba::start(&["min receivefile size = 16384"]),
        };
        let pages = match on {
            On::Usual => None,
            On::Quick => HugePages::mount(&server.share(), bytes + (64 << 20)),
        };
        let remote = server
            .address("share")
            .parse()
            .map_err(|error| format!("{error}"))?;
        let content: Vec<u8> = (0..bytes)
            .map(|at| (at / 4096 * 37 + at % 251) as u8)
            .collect();
        std::fs::write(server.share().join("file"), &content)
            .map_err(|error| format!("no room for {bytes} bytes in memory: {error}"))?;
        Ok(Bench {
            pages,
            server,
            remote,
            secret: Secret::new(PASSWORD),
            bytes,
        })
    }

    fn figure(&self, begun: Instant, cpu_s: f64) -> Figure {
        Figure {
            rate: self.bytes as f64 / 1e6 / begun.elapsed().as_secs_f64(),
            cpu_s_per_gib: cpu_s / (self.bytes as f64 / f64::from(1 << 30)),
        }
    }

    /// Writes a new file, so that the server finds room for it each time, as for smbclient's put.
    fn own_new(&self, depth: u32, choice: EngineChoice) -> Figure {
        let new = self.server.share().join("new");
        std::fs::File::create(&new).expect("a file on the share");
        let figure = self.own("new", OperationKind::Write, 1 << 20, depth, 1, choice);
        let _ = std::fs::remove_file(&new);
        figure
    }

    /// Moves the entire file by the engine, `channels` workers at once, each its part.
    fn own(
        &self,
        path: &str,
        kind: OperationKind,
        block: u32,
        depth: u32,
        channels: u32,
        choice: EngineChoice,
    ) -> Figure {
        let workload = Workload {
            mix: plumb_model::workload::Weighted::only(kind),
            workers: channels,
            ..Workload::default()
        };
        let meeting = Meeting::default();
        let part = self.bytes / u64::from(channels);
        let barrier = std::sync::Barrier::new(channels as usize + 1);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..channels)
                .map(|worker| {
                    let (choice, workload, meeting, barrier) =
                        (&choice, &workload, &meeting, &barrier);
                    scope.spawn(move || {
                        let file = SiteFile {
                            index: 0,
                            path: path.into(),
                            start: 0,
                            len: self.bytes,
                            kind: SiteKind::Share,
                            identity: None,
                            folder: None,
                        };
                        let remote = self.setup(Some(&file), worker, workload, meeting);
                        let ops = (0..part / u64::from(block)).map(|place| {
                            (
                                kind,
                                u64::from(worker) * part + place * u64::from(block),
                                block,
                            )
                        });
                        drive(choice, remote, None, depth, block, ops, || {
                            barrier.wait();
                        })
                    })
                })
                .collect();
            barrier.wait();
            let begun = Instant::now();
            let cpu_s = workers
                .into_iter()
                .map(|worker| worker.join().expect("worker"))
                .sum();
            self.figure(begun, cpu_s)
        })
    }

    fn setup<'a>(
        &'a self,
        file: Option<&'a SiteFile>,
        worker: u32,
        workload: &'a Workload,
        meeting: &'a Meeting,
    ) -> RemoteSetup<'a> {
        // Nobody listens to the journal: the connection is on loopback.
        let journal = Journal::new(|_| {});
        RemoteSetup {
            remote: &self.remote,
            secret: Some(&self.secret),
            file,
            worker,
            workload,
            meeting,
            jobs: Vec::new(),
            step_meeting: meeting,
            journal,
            stop: Default::default(),
        }
    }

    /// Operations per second on small files at depth 8.
    fn own_files(&self, kind: OperationKind) -> Figure {
        let mut target = self.remote.clone();
        target.path = "share".into();
        let (mut content, mut progress) = (
            |_: u32, _: u64, piece: &mut [u8]| piece.fill(7),
            |_: plumb_load::site::Progress<'_>| {},
        );
        let stop = AtomicBool::new(false);
        let mut preparing = Preparing {
            fill: &mut content,
            stop: &stop,
            progress: &mut progress,
        };
        let set = FileSetNeeds {
            files: FILES,
            bytes_each: u64::from(FILE_BYTES),
        };
        let needs = Needs {
            shared: false,
            file_set: Some(set),
            ..Needs::default()
        };
        let mut admission = Admission::default();
        admission.login.secrets.add(&target, self.secret.clone());
        let site = Site::claim(
            &plumb_model::target::Target::Remote(target),
            &needs,
            &admission,
            &mut preparing,
        )
        .expect("a site");
        let mut files = LiveFiles::new(site.file_set().expect("a file set").clone());
        let workload = Workload {
            mix: plumb_model::workload::Weighted::only(kind),
            files: FILES,
            ..Workload::default()
        };
        files.prepare(&workload, &mut preparing).expect("prepared");
        let meeting = Meeting::default();
        let len = if kind == OperationKind::Create {
            FILE_BYTES
        } else {
            0
        };
        let mut begun = Instant::now();
        drive(
            &EngineChoice::default(),
            self.setup(None, 0, &workload, &meeting),
            Some(&files),
            8,
            FILE_BYTES,
            (0..FILES).map(|number| (kind, number, len)),
            || begun = Instant::now(),
        );
        let rate = FILES as f64 / begun.elapsed().as_secs_f64();
        site.release().expect("released");
        Figure {
            rate,
            cpu_s_per_gib: f64::NAN,
        }
    }

    fn smbclient(&self, gets: bool) -> Figure {
        let copy = self.server.share().with_file_name("copy");
        let command = if gets {
            format!("get file {}", copy.display())
        } else {
            format!("put {} put", copy.display())
        };
        if !copy.exists() {
            std::fs::copy(self.server.share().join("file"), &copy).expect("room for a copy");
        }
        let (begun, before) = (Instant::now(), cpu_of_children_s());
        self.server.smbclient("share", &command);
        let figure = self.figure(begun, cpu_of_children_s() - before);
        let _ = std::fs::remove_file(self.server.share().join("put"));
        figure
    }

    /// The same by the crate `smb2`, in a process of its own: what a program on that crate gets, whatever this one's memory has been used for.
    fn of_own_process(&self, work: &str) -> Figure {
        let share = self.server.share();
        let words = [
            format!("client={work}"),
            format!("port={}", self.server.port),
            format!("user={}", self.server.user),
            format!("share={}", share.display()),
            format!("bytes={}", self.bytes),
        ];
        let program = std::env::current_exe().expect("this program");
        let text = samba::run(std::process::Command::new(program).args(words), "");
        let (rate, cpu_s_per_gib) = text.trim().split_once(' ').expect("two numbers");
        Figure {
            rate: rate.parse().expect("a number"),
            cpu_s_per_gib: cpu_s_per_gib.parse().expect("a number"),
        }
    }
}

/// Keeps the engine at `depth` until all operations are done; returns the CPU seconds of this thread. `start` is called when it is connected.
fn drive(
    choice: &EngineChoice,
    remote: RemoteSetup<'_>,
    live_files: Option<&LiveFiles>,
    depth: u32,
    block: u32,
    mut ops: impl Iterator<Item = (OperationKind, u64, u32)>,
    start: impl FnOnce(),
) -> f64 {
    let mut buffers = Buffers::new(depth as usize, block as usize).expect("buffers");
    (0..depth).for_each(|slot| buffers.slot(slot).fill(7));
    let setup = Setup {
        files: &[],
        end_bytes: 0,
        buffers: buffers.region(),
        depth,
        batch: depth,
        choice,
        live_files,
        trims: false,
        flush_metadata: false,
        remote: Some(remote),
    };
    let mut engine = (engines::by_name("smb").expect("listed").open)(setup)
        .unwrap_or_else(|error| panic!("{error}"))
        .engine;
    start();
    let before = cpu_s();
    let mut free: Vec<u32> = (0..depth).collect();
    let (mut batch, mut done): (Vec<Op>, Vec<Done>) = (Vec::new(), Vec::new());
    loop {
        batch.clear();
        while let Some(slot) = free.pop() {
            let Some((kind, offset, len)) = ops.next() else {
                free.push(slot);
                break;
            };
            batch.push(Op {
                offset,
                len,
                slot,
                file: 0,
                kind,
                priority: 0,
            });
        }
        if !batch.is_empty() {
            engine.submit(&batch, &mut done).expect("submitted");
        }
        if free.len() == depth as usize {
            break;
        }
        engine
            .reap(
                if done.is_empty() { Wait::One } else { Wait::No },
                &mut done,
            )
            .expect("reaped");
        for done in done.drain(..) {
            assert!(done.outcome.is_success(), "{done:?}");
            free.push(done.slot);
        }
    }
    let cpu_s = cpu_s() - before;
    engine.finish();
    engine.close();
    cpu_s
}
