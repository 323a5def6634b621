//! Do plumb and fio read each other's verify states, and verify the data up to that state?

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::fio_pair::{jobs, json_by_fio as by_fio, json_by_plumb as by_plumb};

const STATE: &str = "local-s-0-verify.state";

/// Reads of the only job.
fn reads(output: &Output) -> u64 {
    let text = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{error}");
    jobs(output)[0]["read"]["total_ios"]
        .as_u64()
        .expect("reads")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("folder")
}

#[test]
fn a_verified_job_leaves_the_state_that_fio_leaves() {
    for (options, files) in [
        ("", 1),
        ("--numjobs=2", 2),
        ("--offset=8k --ioengine=libaio --iodepth=4", 1),
        ("--ioengine=libaio --iodepth=16 --number_ios=5", 1),
        ("--loops=2 --do_verify=0", 1),
        ("--verify_state_save=0", 0),
    ] {
        let line = format!("--name=s --rw=write --bs=4k --size=64k --verify=md5 {options}");
        let states = |folder: &Path| -> Vec<Vec<u8>> {
            let file = |clone: u32| fs::read(folder.join(format!("local-s-{clone}-verify.state")));
            (0..2).filter_map(|clone| file(clone).ok()).collect()
        };
        let (own, other) = (folder(), folder());
        by_plumb(own.path(), &line);
        assert_eq!(states(own.path()).len(), files, "{options}");
        if by_fio(other.path(), &line).is_some() {
            assert_eq!(states(own.path()), states(other.path()), "{options}");
        }
    }
}

const CHECK: &str = "--name=s --filename=f --rw=write --bs=4k --size=256k --verify=md5 --verify_only --verify_state_load=1";

/// Blocks that were never written are not asked for; each program goes by the state that the other left.
#[test]
fn what_is_there_is_verified_as_far_as_the_state_says() {
    let write = "--name=s --filename=f --rw=write --bs=4k --size=256k --verify=md5 --number_ios=20";
    let own = folder();
    by_plumb(own.path(), write);
    let state = fs::read(own.path().join(STATE)).expect("a state");
    assert_eq!(reads(&by_plumb(own.path(), CHECK)), 20);
    // Only its first twelve writes are known to have been done.
    let other = folder();
    if by_fio(other.path(), &write.replace("=20", "=12")).is_some() {
        let of_fio = fs::read(other.path().join(STATE)).expect("a state");
        fs::write(own.path().join(STATE), of_fio).expect("written");
        assert_eq!(reads(&by_plumb(own.path(), CHECK)), 12);
        by_fio(
            other.path(),
            &write.replace("--number_ios=20", "--verify_state_save=0"),
        );
        fs::write(other.path().join(STATE), &state).expect("written");
        let checked = by_fio(other.path(), CHECK).expect("fio is there");
        assert_eq!(reads(&checked), 20);
    }
}

/// So many reads as there were writes, at their places, also where others were never written; fio reads as many (but for lfsr, whose state it cannot load).
#[test]
fn random_places_are_verified_as_far_as_the_state_says() {
    for options in [
        "",
        "--random_generator=lfsr",
        "--ioengine=libaio --iodepth=8",
        "--offset=64k",
    ] {
        let write = format!(
            "--name=s --filename=f --rw=randwrite --bs=4k --size=256k --verify=md5 --do_verify=0 --number_ios=20 {options}"
        );
        let check = format!(
            "--name=s --filename=f --rw=randwrite --bs=4k --size=256k --verify=md5 --verify_only --verify_state_load=1 {options}"
        );
        let own = folder();
        by_plumb(own.path(), &write);
        assert!(own.path().join(STATE).exists(), "{options}");
        assert_eq!(reads(&by_plumb(own.path(), &check)), 20, "{options}");
        let other = folder();
        if options.is_empty() && by_fio(other.path(), &write).is_some() {
            assert_eq!(reads(&by_fio(other.path(), &check).expect("fio")), 20);
            // Each refuses the other's.
            for (from, to) in [(own.path(), other.path()), (other.path(), own.path())] {
                fs::copy(from.join(STATE), to.join("kept")).expect("copied");
            }
            fs::rename(other.path().join("kept"), other.path().join(STATE)).expect("moved");
            fs::rename(own.path().join("kept"), own.path().join(STATE)).expect("moved");
            let of_fio = by_fio(other.path(), &check).expect("fio");
            assert_ne!(of_fio.status.code(), Some(0));
            let refused = by_plumb(own.path(), &check);
            let said = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert_eq!(refused.status.code(), Some(1), "{said}");
            assert!(said.contains("fio's random state"), "{said}");
        }
    }
}

/// A block that was written and is damaged is found, and one of another job's size is not looked at by chance.
#[test]
fn a_state_of_random_places_is_of_its_job_alone() {
    let own = folder();
    let line = "--name=s --filename=f --rw=randwrite --bs=4k --verify=md5";
    by_plumb(own.path(), &format!("{line} --size=256k --io_size=80k"));
    let check = format!("{line} --verify_only --verify_state_load=1");
    let refused = by_plumb(own.path(), &format!("{check} --size=128k"));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("another size"), "{said}");
    assert_eq!(
        reads(&by_plumb(own.path(), &format!("{check} --size=256k"))),
        20
    );
    let path = own.path().join("f");
    let mut bytes = fs::read(&path).expect("read");
    let written = bytes
        .chunks(4096)
        .position(|block| block.iter().any(|byte| *byte != 0));
    bytes[written.expect("a block") * 4096 + 100] ^= 1;
    fs::write(&path, bytes).expect("written");
    let failed = by_plumb(own.path(), &format!("{check} --size=256k"));
    assert_ne!(failed.status.code(), Some(0));
}

#[test]
fn what_is_no_state_of_the_job_is_refused_and_kept() {
    let folder = folder();
    let refused = |line: &str, why: &str| {
        let output = by_plumb(folder.path(), line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.contains(why), "{line}: {said}");
    };
    refused(CHECK, "cannot be read: No such file");
    let write = "--name=s --filename=f --rw=write --bs=4k --size=256k --verify=md5";
    by_plumb(folder.path(), write);
    let path = folder.path().join(STATE);
    let state = fs::read(&path).expect("a state");
    let mut damaged = state.clone();
    damaged[40] ^= 1;
    fs::write(&path, &damaged).expect("written");
    refused(CHECK, "corrupt");
    fs::write(&path, "of another program\n").expect("written");
    refused(write, "not overwritten");
    let kept = fs::read_to_string(&path).expect("read");
    assert_eq!(kept, "of another program\n");
    fs::write(&path, &state).expect("written");
    let random = CHECK.replace("rw=write", "rw=randwrite");
    refused(&random, "one of the two jobs is sequential");
}

/// As by later versions; fio 3.33 verifies what is there once, whatever `loops` says.
#[test]
fn what_is_there_is_verified_in_each_loop() {
    let (own, other) = (folder(), folder());
    let write = "--name=s --filename=f --rw=write --bs=4k --size=64k --verify=md5 --do_verify=0";
    let check = "--name=s --filename=f --rw=read --bs=4k --size=64k --verify=md5 --loops=3";
    by_plumb(own.path(), write);
    assert_eq!(reads(&by_plumb(own.path(), check)), 48);
    if by_fio(other.path(), write).is_some() {
        assert_eq!(reads(&by_fio(other.path(), check).expect("fio")), 16);
    }
}

/// The places of a random job are the same in each run, unless another order is requested, as under fio.
#[test]
fn places_are_repeated_as_by_fio() {
    let folders = [folder(), folder()];
    let [here, beside] = folders.each_ref().map(|folder| folder.path());
    let line = |options: &str| {
        format!(
            "--name=s --filename=f --rw=randwrite --bs=4k --size=1m --write_iolog=log {options}"
        )
    };
    let places = |folder: &Path, output: &Output| {
        assert!(output.status.success(), "{output:?}");
        let log = fs::read_to_string(folder.join("log")).expect("a log");
        fs::remove_file(folder.join("log")).expect("removed");
        let writes = log.lines().filter_map(|line| line.split_once(" write "));
        let places: Vec<String> = writes.map(|(_, place)| place.to_string()).collect();
        assert_eq!(places.len(), 256, "{log}");
        places
    };
    let own = |options: &str| places(here, &by_plumb(here, &line(options)));
    let other = |options: &str| Some(places(beside, &by_fio(beside, &line(options))?));
    for (one, two, alike) in [
        ("", "", true),
        ("", "--randrepeat=1", true),
        ("--allrandrepeat=1", "--allrandrepeat=1", true),
        ("--randseed=7", "--randseed=7", true),
        // Alone it has an effect in later versions of fio only.
        (
            "--randrepeat=0 --randseed=7",
            "--randrepeat=0 --randseed=8",
            false,
        ),
        ("--randrepeat=0 --randseed=7", "--randrepeat=0", false),
        (
            "--randrepeat=0 --randseed=7",
            "--randrepeat=0 --randseed=7",
            true,
        ),
        ("--randrepeat=0", "--randrepeat=0", false),
        // As in later versions, where it is another name of randrepeat; 3.33 repeats all the same.
        ("--allrandrepeat=0", "--allrandrepeat=0", false),
        (
            "--randrepeat=0 --allrandrepeat=1",
            "--randrepeat=0 --allrandrepeat=1",
            true,
        ),
    ] {
        assert_eq!(own(one) == own(two), alike, "{one} | {two}");
        let first = Some(one).filter(|one| !one.contains("allrandrepeat=0"));
        if let Some(first) = first.and_then(other) {
            let second = other(two).expect("fio");
            assert_eq!(first == second, alike, "fio: {one} | {two}");
        }
    }
}
