//! Does a job of fio do the same I/O here: the same operations on the same files, with the same content left?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::fixtures::{Loop, Mounted, may_mount, run};
#[cfg(target_os = "linux")]
use crate::output_of;
use crate::{fio_pair, measured, plumb_in, refusal_of};

/// The words with which plumb runs a job file in its folder.
#[cfg(target_os = "linux")]
const JOB_BY_PLUMB: &[&str] = &[
    "run",
    "job.fio",
    "--quiet",
    "--output",
    "out",
    "--no-report",
];

/// Operations and bytes of reads and writes.
type Work = BTreeMap<&'static str, (u64, u64)>;

/// What fio did in each job; `None` where it is not installed.
fn by_fio(folder: &Path) -> Option<Vec<Work>> {
    let output = Command::new("fio")
        .current_dir(folder)
        .args(["--output-format=json", "job.fio"])
        .output();
    let Ok(output) = output else {
        println!("skipped: fio is not installed: the job is not compared with it");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let document: Value =
        serde_json::from_str(&text[text.find('{').expect("JSON")..]).expect("fio's JSON");
    let work = |job: &Value| {
        let of = |kind: &'static str| {
            let number = |key: &str| job[kind][key].as_u64().unwrap_or(0);
            (kind, (number("total_ios"), number("io_bytes")))
        };
        ["read", "write"].map(of).into_iter().collect()
    };
    Some(
        document["jobs"]
            .as_array()
            .expect("jobs")
            .iter()
            .map(work)
            .collect(),
    )
}

/// What plumb did in each step.
fn by_plumb(folder: &Path) -> Vec<Work> {
    let _ = fs::remove_dir_all(folder.join("out"));
    let summary = measured(plumb_in(
        folder,
        "run job.fio --json --quiet --output out --no-report",
    ));
    let steps = summary["steps"].as_array().expect("steps").iter();
    let work = |step: &Value| {
        let of = |kind: &'static str| {
            let number = |key: &str| step["operations"][kind][key].as_u64().unwrap_or(0);
            (kind, (number("count"), number("bytes")))
        };
        ["read", "write"].map(of).into_iter().collect()
    };
    steps.map(work).collect()
}

/// A folder with this job file for each program.
fn folders(text: &str) -> [tempfile::TempDir; 2] {
    [(); 2].map(|()| {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(folder.path().join("job.fio"), text).expect("job file");
        folder
    })
}

#[test]
fn verify_reads_back_what_was_written_and_no_more() {
    for text in [
        "rw=randwrite\nsize=8m\n",
        "rw=randwrite\nsize=8m\nio_size=2m\n",
        "rw=write\nsize=8m\nnumber_ios=100\n",
    ] {
        let text = format!("[a]\nioengine=psync\nbs=4k\nverify=crc32c\n{text}");
        let [fio, plumb] = folders(&text);
        let steps = by_plumb(plumb.path());
        let (written, read) = (steps[0]["write"], steps[1]["read"]);
        assert_eq!(written, read, "{text}");
        if let Some(jobs) = by_fio(fio.path()) {
            assert_eq!(
                (jobs[0]["write"], jobs[0]["read"]),
                (written, read),
                "{text}"
            );
        }
    }
}

#[test]
fn verify_of_a_mix_reads_back_its_writes() {
    let [_, plumb] =
        folders("[a]\nioengine=psync\nbs=4k\nrw=randrw\nsize=8m\nverify=crc32c\nnumjobs=2\n");
    let steps = by_plumb(plumb.path());
    assert!(steps[0]["write"].0 > 500, "{steps:?}");
    assert_eq!(
        steps[0]["write"], steps[1]["read"],
        "each block is written once"
    );
    assert_eq!(steps[1]["write"], (0, 0));
}

/// What an earlier run wrote is checked without being written: by a job that reads, and by the job that wrote it with `verify_only`.
#[test]
fn an_existing_file_is_verified_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("folder");
    let run = |line: &str| {
        let line = format!("fio --name=v --filename=f --bs=4k --size=1m --verify=crc32c {line}");
        let output = plumb_in(folder.path(), &line).output().expect("started");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let checks = [
        "--rw=read",
        "--rw=randread",
        "--rw=read --bs=64k --verify_interval=4k",
        "--rw=write --verify_only",
        "--rw=randwrite --verify_only=1",
        "--rw=randwrite --verify_only --norandommap",
    ];
    for line in checks {
        let (code, said) = run(line);
        assert!(
            code == Some(1) && said.contains("does not exist"),
            "{line}: {said}"
        );
    }
    assert_eq!(run("--rw=randwrite --do_verify=0").0, Some(0));
    let path = folder.path().join("f");
    let mut bytes = fs::read(&path).expect("written");
    for line in checks {
        let (code, said) = run(line);
        assert_eq!(code, Some(0), "{line}: {said}");
    }
    bytes[50_000] ^= 1;
    fs::write(&path, &bytes).expect("damaged");
    for line in checks {
        let (code, said) = run(line);
        assert!(
            code == Some(1) && said.contains("crc32c: verify failed at file f offset 49152"),
            "{line}: {said}"
        );
    }
    assert!(fs::read(&path).expect("there") == bytes, "it was written");
    // Headers every 4 KiB, where one every 64 KiB is requested: as under fio.
    let (_, said) = run("--rw=read --bs=64k");
    assert!(
        said.contains("bad header length 4096, wanted 65536"),
        "{said}"
    );
}

/// Names and lengths of the files in a folder that jobs made.
fn files_in(folder: &Path) -> Vec<(String, u64)> {
    let mut files: Vec<(String, u64)> = fs::read_dir(folder)
        .expect("folder")
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, entry.metadata().expect("metadata").len())
        })
        .filter(|(name, _)| name != "job.fio")
        .collect();
    files.sort();
    files
}

#[test]
fn files_that_stay_are_called_as_by_fio_and_are_used_again() {
    let text = "[global]\nioengine=psync\nrw=write\nbs=64k\nsize=1m\nunlink=0\n[a]\nnumjobs=2\n[b]\nsize=2m\n";
    let [fio, plumb] = folders(text);
    by_plumb(plumb.path());
    let left = files_in(plumb.path());
    let expected = [("a.0.0", 1 << 20), ("a.1.0", 1 << 20), ("b.0.0", 2 << 20)]
        .map(|(name, bytes): (&str, u64)| (name.to_string(), bytes));
    assert_eq!(left, expected);
    if by_fio(fio.path()).is_some() {
        assert_eq!(files_in(fio.path()), left);
    }
    // What plumb made is written again, and what it did not make is not.
    by_plumb(plumb.path());
    assert_eq!(files_in(plumb.path()), left);
    let _ = fs::remove_dir_all(plumb.path().join("out"));
    // Of another size it is no file of this job; of the same size fio uses it, whoever made it.
    let data = vec![7; (1 << 20) - 512];
    let put = |data: &[u8]| {
        fs::remove_file(plumb.path().join("a.0.0")).expect("removed");
        fs::write(plumb.path().join("a.0.0"), data).expect("written");
    };
    put(&data);
    let refused = refusal_of(plumb_in(plumb.path(), "run job.fio --quiet --output out"));
    assert!(refused.contains("a.0.0"), "{refused}");
    assert_eq!(fs::read(plumb.path().join("a.0.0")).expect("read"), data);
    put(&[7; 1 << 20]);
    by_plumb(plumb.path());
    assert_eq!(files_in(plumb.path()), left);
    let _ = fs::remove_dir_all(plumb.path().join("out"));
    // A program that has it open is not disturbed.
    put(&[7; 1 << 20]);
    let _used = fs::OpenOptions::new()
        .write(true)
        .open(plumb.path().join("a.0.0"))
        .expect("open");
    let refused = refusal_of(plumb_in(plumb.path(), "run job.fio --quiet --output out"));
    assert!(refused.contains("a.0.0"), "{refused}");
}

#[test]
fn a_missing_directory_is_an_error() {
    let [_, plumb] = folders("[a]\ndirectory=missing\nrw=write\nsize=1m\n");
    let refused = refusal_of(plumb_in(plumb.path(), "run job.fio --quiet --output out"));
    assert!(refused.contains("no such directory: missing"), "{refused}");
    assert!(!plumb.path().join("missing").exists());
}

/// The requests that Linux AIO was given, as the kernel saw them.
#[test]
#[cfg(target_os = "linux")]
fn libaio_is_the_kernels_own_asynchronous_io() {
    let [_, plumb] = folders("[a]\nioengine=libaio\nrw=randread\nbs=4k\nsize=1m\niodepth=4\n");
    let traced = Command::new("strace")
        .current_dir(plumb.path())
        .args([
            "-f",
            "-e",
            "trace=io_submit,io_setup,pread64",
            "-o",
            "trace",
        ])
        .arg(env!("CARGO_BIN_EXE_plumb"))
        .args(JOB_BY_PLUMB)
        .output();
    let Ok(traced) = traced else {
        println!("skipped: strace is not installed: the calls are not looked at");
        return;
    };
    let said = String::from_utf8_lossy(&traced.stderr);
    let trace = fs::read_to_string(plumb.path().join("trace")).unwrap_or_default();
    let requests = trace.matches("aio_lio_opcode=IOCB_CMD_PREAD").count();
    assert!(requests >= 256, "{requests} requests\n{said}\n{trace}");
}

/// Jobs over several files: work and files are as fio's.
const SEVERAL: &[&str] = &[
    "rw=write\nsize=4m\nfilename=x:y\nend_fsync=1\n",
    "rw=randwrite\nsize=4m\nnrfiles=4\nnumjobs=2\ngroup_reporting\n",
    "rw=randread\nfilesize=1m\nnrfiles=3\n",
    "rw=write\nsize=4m\nfilename=x:y\nfile_service_type=sequential\nverify=crc32c\n",
];

#[test]
fn several_files_are_several() {
    for text in SEVERAL {
        let text = format!("[a]\nioengine=psync\nbs=4k\nunlink=0\n{text}");
        let [fio, plumb] = folders(&text);
        let steps = by_plumb(plumb.path());
        let left = files_in(plumb.path());
        assert!(left.len() > 1, "{text}: {left:?}");
        let Some(jobs) = by_fio(fio.path()) else {
            continue;
        };
        let of_fio: Vec<_> = files_in(fio.path())
            .into_iter()
            .filter(|(name, _)| !name.ends_with("verify.state"))
            .collect();
        assert_eq!(left, of_fio, "{text}");
        let sum = |all: &[Work], kind| all.iter().map(|work| work[kind].1).sum::<u64>();
        if !text.contains("numjobs") {
            for kind in ["read", "write"] {
                assert_eq!(sum(&steps, kind), sum(&jobs, kind), "{text}: {kind}");
            }
        }
        for (name, bytes) in &left {
            let content = fs::read(plumb.path().join(name)).expect("read");
            let empty = content
                .chunks(4096)
                .filter(|block| block.iter().all(|byte| *byte == 0));
            assert_eq!(
                empty.count(),
                0,
                "{text}: {name} of {bytes} bytes has holes"
            );
        }
    }
}

/// The writes to each file, in their order: (file, offset in blocks).
#[cfg(target_os = "linux")]
fn writes_of(folder: &Path, program: &str, arguments: &[&str]) -> Option<Vec<(String, u64)>> {
    let traced = Command::new("strace")
        .current_dir(folder)
        .args(["-f", "-y", "-e", "trace=pwrite64", "-o", "trace", program])
        .args(arguments)
        .output();
    let Ok(traced) = traced else {
        println!("skipped: strace is not installed: the order of writes is not looked at");
        return None;
    };
    let said = String::from_utf8_lossy(&traced.stderr);
    if said.contains("Can't stat") {
        println!("skipped: {program} is not installed");
        return None;
    }
    let printed = String::from_utf8_lossy(&traced.stdout);
    assert!(traced.status.success(), "{program}: {printed}{said}");
    let trace = fs::read_to_string(folder.join("trace")).expect("trace");
    let write = |line: &str| {
        let (_, rest) = line.split_once("pwrite64(")?;
        let path = rest.split(['<', '>']).nth(1)?;
        let end = rest.rsplit_once(") ")?.0;
        let offset: u64 = end
            .rsplit(", ")
            .next()?
            .trim()
            .trim_end_matches(')')
            .parse()
            .ok()?;
        let name = path.rsplit('/').next()?.to_string();
        ["x", "y"]
            .contains(&name.as_str())
            .then_some((name, offset / 4096))
    };
    Some(trace.lines().filter_map(write).collect())
}

#[test]
#[cfg(target_os = "linux")]
fn several_files_are_taken_in_the_order_of_fio() {
    for order in ["roundrobin", "sequential"] {
        let [fio, plumb] = folders(&format!(
            "[a]\nioengine=psync\nbs=4k\nrw=write\nsize=64k\nfilename=x:y\nfile_service_type={order}\n"
        ));
        let ours = writes_of(plumb.path(), env!("CARGO_BIN_EXE_plumb"), JOB_BY_PLUMB);
        let theirs = writes_of(fio.path(), "fio", &["job.fio"]);
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return;
        };
        // Before the job plumb fills files that are written over.
        let ours = &ours[ours.len() - 16..];
        assert_eq!(ours, theirs, "{order}");
    }
}

/// Holes and zones: where each write goes, where it begins anew, and where the job ends.
#[test]
#[cfg(target_os = "linux")]
fn holes_and_zones_are_left_out_as_fio_leaves_them_out() {
    for (options, whole) in [
        ("rw=write:8k", true),
        ("rw=write:4k", true),
        ("rw=write:12k\nloops=2", true),
        (
            "rw=write\nzonemode=strided\nzonesize=16k\nzoneskip=24k",
            true,
        ),
        (
            "rw=write\nzonemode=strided\nzonesize=16k\nzonerange=8k\nzoneskip=8k",
            true,
        ),
        (
            "rw=randwrite\nzonemode=strided\nzonesize=16k\nzonerange=16k\nzoneskip=16k",
            false,
        ),
    ] {
        let [fio, plumb] = folders(&format!(
            "[a]\nioengine=psync\nbs=4k\nsize=64k\nfilename=x\nfallocate=none\n{options}\n"
        ));
        // Both find the file written: plumb need not fill it, and fio's zones go to its end.
        for folder in [fio.path(), plumb.path()] {
            fs::write(folder.join("x"), vec![1; 64 * 1024]).expect("written");
        }
        let line: Vec<&str> = JOB_BY_PLUMB
            .iter()
            .copied()
            .chain(["--overwrite"])
            .collect();
        let ours = writes_of(plumb.path(), env!("CARGO_BIN_EXE_plumb"), &line);
        let theirs = writes_of(fio.path(), "fio", &["job.fio"]);
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return;
        };
        if whole {
            assert_eq!(ours, theirs, "{options}");
        } else {
            // Random within each zone of four blocks: the zones are the same.
            let zones = |writes: &[(String, u64)]| -> Vec<Vec<u64>> {
                let sorted = |zone: &[(String, u64)]| {
                    let mut places: Vec<u64> = zone.iter().map(|(_, place)| *place).collect();
                    places.sort_unstable();
                    places
                };
                writes.chunks(4).map(sorted).collect()
            };
            assert_eq!(zones(&ours), zones(&theirs), "{options}");
        }
    }
}

/// The priority that a job asks the kernel for is the one that fio asks for.
#[test]
#[cfg(target_os = "linux")]
fn requests_have_the_priority_that_fio_gives_them() {
    let text = "[a]\nioengine=psync\nrw=read\nbs=4k\nsize=64k\nprio=3\nprioclass=2\n";
    let asked = |folder: &Path, program: &str, arguments: &[&str]| {
        let traced = Command::new("strace")
            .current_dir(folder)
            .args(["-f", "-e", "trace=ioprio_set", "-o", "trace", program])
            .args(arguments)
            .output();
        if !traced.is_ok_and(|output| output.status.success()) {
            println!("skipped: strace or {program} is not installed: priorities are not compared");
            return None;
        }
        let trace = fs::read_to_string(folder.join("trace")).expect("trace");
        let value = trace
            .split_once("ioprio_set(")
            .and_then(|(_, after)| after.split_once(" = "))
            .and_then(|(call, _)| call.splitn(3, ", ").nth(2));
        let Some(value) = value else {
            panic!("{program} does not ask for a priority: {trace}");
        };
        Some(value.to_string())
    };
    let [fio, plumb] = folders(text);
    let ours = asked(plumb.path(), env!("CARGO_BIN_EXE_plumb"), JOB_BY_PLUMB);
    let theirs = asked(fio.path(), "fio", &["job.fio"]);
    if let (Some(ours), Some(theirs)) = (ours, theirs) {
        assert_eq!(ours, theirs);
    }
}

/// A job that keeps no max_latency or rate_min ends with fio's error number, in the text and in JSON.
#[test]
fn a_limit_that_is_not_kept_ends_a_job_with_the_error_of_fio() {
    for (limit, number) in [
        ("--max_latency=1ns", 110),
        ("--rate_iops_min=1000000000", 5),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let line = format!(
            "fio --name=a --rw=randread --bs=4k --size=1m --runtime=3 --time_based {limit} --output-format=normal,json --output=result"
        );
        let output = plumb_in(folder.path(), &line).output().expect("started");
        assert_eq!(output.status.code(), Some(1), "{limit}");
        let text = fs::read_to_string(folder.path().join("result")).expect("written");
        assert!(text.contains(&format!("err={number:2}")), "{text}");
        let json = &text[text.find("\n{").expect("JSON")..text.rfind("\n}").expect("its end") + 2];
        let found: Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(found["jobs"][0]["error"], number, "{limit}");
    }
}

/// What is in the file stays; with unlink=1, where fio removes it, it has its length again.
#[test]
fn a_job_that_reads_beyond_a_file_lengthens_it() {
    for (options, bytes, after) in [
        ("--size=128k", 131_072, 131_072),
        ("--size=128k --unlink=1", 131_072, 50_001),
        ("--offset=64k --size=64k", 65_536, 131_072),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let content = [7; 50_001];
        fs::write(folder.path().join("f"), content).expect("a file");
        let line = format!("--name=a --filename=f --rw=read --bs=4k {options}");
        let done = fio_pair::json_by_plumb(folder.path(), &line);
        let job = &fio_pair::jobs(&done)[0];
        assert_eq!(job["read"]["io_bytes"], bytes, "{line}");
        let left = fs::read(folder.path().join("f")).expect("the file");
        assert_eq!(left.len(), after, "{line}");
        assert_eq!(left[..content.len()], content, "{line}");
    }
}

#[cfg(target_os = "linux")]
/// First and last physical block of each extent of a file, as filefrag(8) prints them.
fn extents_of(file: &Path) -> Vec<String> {
    let listed = run("filefrag", &["-v", &file.display().to_string()]).expect("extents");
    let lines = listed.lines().filter(|line| line.contains(".."));
    lines
        .filter_map(|line| Some(line.split(':').nth(2)?.trim().to_string()))
        .collect()
}

#[cfg(target_os = "linux")]
/// fio's e4defrag moves blocks to other extents: all of them, without a change of the data, and without a donor file that stays.
#[test]
fn blocks_are_moved_to_other_extents_with_their_data() {
    let test = "blocks_are_moved_to_other_extents_with_their_data";
    if !may_mount(test) {
        return;
    }
    let disk = Loop::new(64 << 20, |_| {});
    run("mkfs.ext4", &["-q", disk.name()]).expect("a file system");
    let mounted = Mounted::device(&disk.device).expect("mounted");
    let file = mounted.path().join("data");
    let data: Vec<u8> = (0..4 << 20).map(|at: u32| (at / 997) as u8).collect();
    for inplace in ["0", "1"] {
        std::fs::write(&file, &data).expect("written");
        let synced = std::fs::File::open(&file).and_then(|file| file.sync_all());
        synced.expect("on the disk");
        let before = extents_of(&file);
        let line = format!(
            "fio --name=d --ioengine=e4defrag --donorname=donor --inplace={inplace} --filename={} --size=4m --bs=64k --rw=randwrite --overwrite --output-format=json",
            file.display()
        );
        let printed = output_of(plumb_in(mounted.path(), &line), 0);
        let result: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
        let written = &result["jobs"][0]["write"];
        assert_eq!(written["total_ios"], 64, "{printed}");
        assert_eq!(written["io_bytes"], 4 << 20, "{printed}");
        let after = extents_of(&file);
        let kept = after.iter().filter(|extent| before.contains(extent));
        assert_eq!(kept.count(), 0, "inplace={inplace}: {before:?}, {after:?}");
        assert!(
            std::fs::read(&file).expect("read") == data,
            "inplace={inplace}"
        );
        let names = std::fs::read_dir(mounted.path()).expect("listed");
        let names: Vec<_> = names
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert!(!names.iter().any(|name| name == "donor"), "{names:?}");
        std::fs::remove_file(&file).expect("removed");
    }
    let elsewhere = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
    let line = "fio --name=d --ioengine=e4defrag --donorname=donor --size=1m --rw=write";
    let ended = plumb_in(elsewhere.path(), line).output().expect("run");
    let printed = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{printed}");
    assert!(printed.contains("not a file on ext4"), "{printed}");
}
