//! Which loads are compared, against which options of fio, and what is the goal?

use std::io::Read as _;
use std::path::Path;

/// What is held against the goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// I/Os per second: where the generator is the limit.
    Rate,
    /// I/Os per second of CPU time: where the device is.
    PerCpu,
}

/// One load.
pub struct Contest {
    pub name: &'static str,
    pub plumb: Vec<String>,
    pub measure: Measure,
    /// How many times as long as the others a run lasts: what a real disk does varies more.
    pub stretch: f64,
    pub opponents: Vec<Opponent>,
}

/// fio with these options.
pub struct Opponent {
    pub name: &'static str,
    pub options: Vec<String>,
    /// The ratio that plumb must reach; none where the line is there to be read beside another.
    pub goal: Option<f64>,
}

/// plumb as `BEST` has fio: up to 16 at once on a disk too. By itself it submits that many only while all completions are there at once.
const BATCHES: &str = "--set batch=16";

/// fio's options that reduce its cost, with latencies still on. Both programs then submit up to 16 at once and reap what is there.
const BEST: &str = "--fixedbufs=1 --registerfiles=1 --norandommap --iodepth_batch_submit=16 --iodepth_batch_complete_min=1 --iodepth_batch_complete_max=16";

/// Files that are read, removed at the end.
pub struct Places {
    folder: tempfile::TempDir,
}

impl Places {
    /// Makes the files beside the build's own, on a disk.
    pub fn make() -> Result<Places, String> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .map_err(|error| format!("{}: {error}", env!("CARGO_TARGET_TMPDIR")))?;
        for (name, mebibytes) in [("8m", 8), ("256m", 256), ("disk", 1024)] {
            fill(&folder.path().join(name), mebibytes << 20)
                .map_err(|error| format!("{}/{name}: {error}", folder.path().display()))?;
        }
        Ok(Places { folder })
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

/// A file of random bytes, on the disk and in the page cache.
fn fill(path: &Path, bytes: u64) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    std::io::copy(
        &mut std::fs::File::open("/dev/urandom")?.take(bytes),
        &mut file,
    )?;
    file.sync_all()
}

fn split(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_string).collect()
}

fn contest(name: &'static str, plumb: &str, opponents: Vec<Opponent>) -> Contest {
    Contest {
        name,
        plumb: split(plumb),
        measure: Measure::Rate,
        stretch: 1.0,
        opponents,
    }
}

fn against(name: &'static str, options: &str, goal: impl Into<Option<f64>>) -> Opponent {
    Opponent {
        name,
        options: split(options),
        goal: goal.into(),
    }
}

/// All contests; the goals are those of the project's first issue.
pub fn contests(places: &Places) -> Vec<Contest> {
    let mut contests = generator_alone();
    contests.extend(character_devices());
    contests.extend(cached_files(places));
    contests.extend(real_disk(places));
    contests
}

/// Nothing but the generator.
fn generator_alone() -> Vec<Contest> {
    let fio = "--ioengine=null --rw=randread --bs=4k --iodepth=32 --size=1g";
    let plumb = "--target null: --engine null --pattern random-read --block 4k --depth 32";
    let opponents = |goal| {
        vec![
            against("null", &format!("{fio} --norandommap"), goal),
            against("null, random map", fio, None),
        ]
    };
    vec![
        contest(
            "null, stamp per batch",
            &format!("{plumb} --set stamping=batch"),
            opponents(10.0),
        ),
        contest(
            "null, stamps per I/O",
            &format!("{plumb} --set stamping=each"),
            opponents(3.0),
        ),
    ]
}

/// The generator and the way into the kernel and back.
fn character_devices() -> Vec<Contest> {
    let plumb = "--pattern random-read --block 4k --target /dev/zero --size 1g";
    let zero = "--filename=/dev/zero --size=1g --rw=randread --bs=4k --invalidate=0";
    let null = "--filename=/dev/null --size=1g --rw=randwrite --bs=4k --invalidate=0 --ioengine=io_uring --iodepth=32";
    let writes = "--engine io_uring --pattern random-write --block 4k --target /dev/null --size 1g --depth 32";
    vec![
        contest(
            "io_uring /dev/zero depth 32",
            &format!("{plumb} --engine io_uring --depth 32"),
            vec![
                against(
                    "best",
                    &format!("{zero} --ioengine=io_uring --iodepth=32 {BEST}"),
                    2.2,
                ),
                against(
                    "defaults",
                    &format!("{zero} --ioengine=io_uring --iodepth=32"),
                    4.0,
                ),
            ],
        ),
        // fio fills its buffers once and then writes them again and again, a few words changed. The same work for both is to leave them alone.
        contest(
            "io_uring /dev/null writes, zeros",
            &format!("{writes} --set content=zeros"),
            vec![
                against("best", &format!("{null} --zero_buffers=1 {BEST}"), 2.8),
                against("defaults", &format!("{null} --zero_buffers=1"), 4.0),
            ],
        ),
        // And to generate every block anew.
        contest(
            "io_uring /dev/null writes, all unlike",
            writes,
            vec![
                against(
                    "best, refilled",
                    &format!("{null} --refill_buffers=1 {BEST}"),
                    None,
                ),
                against("best", &format!("{null} {BEST}"), None),
            ],
        ),
        contest(
            "sync /dev/zero",
            &format!("{plumb} --engine sync --depth 1"),
            vec![against(
                "psync",
                &format!("{zero} --ioengine=psync --norandommap"),
                1.8,
            )],
        ),
    ]
}

/// What is in the page cache: the copy is most of the work.
fn cached_files(places: &Places) -> Vec<Contest> {
    let contest_of = |name, file: &str, goal| {
        let path = places.path(file);
        contest(
            name,
            &format!(
                "--engine io_uring --pattern random-read --block 4k --depth 32 --direct=false --target {path}"
            ),
            vec![against(
                "best",
                &format!(
                    "--filename={path} --rw=randread --bs=4k --invalidate=0 --ioengine=io_uring --iodepth=32 {BEST}"
                ),
                goal,
            )],
        )
    };
    let small = places.path("8m");
    vec![
        contest_of("io_uring cached 8 MiB depth 32", "8m", 1.4),
        contest_of("io_uring cached 256 MiB depth 32", "256m", 1.2),
        contest(
            "mmap cached 8 MiB",
            &format!("--engine mmap --pattern random-read --block 4k --depth 1 --target {small}"),
            vec![against(
                "mmap",
                &format!(
                    "--filename={small} --rw=randread --bs=4k --invalidate=0 --ioengine=mmap --norandommap"
                ),
                1.7,
            )],
        ),
    ]
}

/// A real disk sets the pace; what counts is the CPU time that it takes.
fn real_disk(places: &Places) -> Vec<Contest> {
    let path = places.path("disk");
    let fio = format!(
        "--filename={path} --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=32"
    );
    let plumb = format!(
        "--engine io_uring --pattern random-read --block 4k --depth 32 --direct=true --target {path}"
    );
    let best = against("best", &format!("{fio} {BEST}"), 1.0);
    let defaults = against("defaults", &fio, 1.0);
    [
        contest(
            "io_uring disk, O_DIRECT, depth 32",
            &format!("{plumb} {BATCHES}"),
            vec![best],
        ),
        contest(
            "io_uring disk, O_DIRECT, depth 32, defaults of both",
            &plumb,
            vec![defaults],
        ),
    ]
    .map(|contest| Contest {
        measure: Measure::PerCpu,
        stretch: 3.0,
        ..contest
    })
    .into()
}
