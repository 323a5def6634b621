//! Does a job go over the files that earlier ones left, lengthen them, and write them again, as fio does? Command after command in one folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use crate::fio_pair::{jobs, json_by_fio, json_by_plumb};

/// Operations of each job in order (reads, writes), and the lengths of all files in KiB.
type Work = (Vec<[u64; 2]>, BTreeMap<String, u64>);

fn work(folder: &Path, output: &Output) -> Work {
    assert!(output.status.success(), "{output:?}");
    let count = |job: &serde_json::Value, direction: &str| {
        let count = &job[direction]["total_ios"];
        count.as_u64().expect("a count")
    };
    let of_jobs = jobs(output);
    let operations = of_jobs.iter();
    let operations = operations.map(|job| [count(job, "read"), count(job, "write")]);
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let files = files.map(|file| {
        let length = file.metadata().expect("a length").len();
        (
            file.file_name().to_string_lossy().into_owned(),
            length >> 10,
        )
    });
    // Records of plumb's runs.
    let files = files.filter(|(name, _)| !name.starts_with("plumb-"));
    (operations.collect(), files.collect())
}

#[test]
fn each_job_finds_what_the_one_before_left() {
    // Operations of the last command.
    let named = "--name=w --filename=f --rw=write --bs=64k --size=4m";
    for (commands, last) in [
        // Longer reads lengthen the files of before, under names of fio and of the user.
        (
            &[
                "--name=a --rw=write --size=1m",
                "--name=a --rw=read --size=3m",
            ][..],
            &[[768, 0]][..],
        ),
        (
            &[
                "--name=a --rw=read --size=1m",
                "--name=a --rw=randread --size=1m --offset=4m",
            ],
            &[[256, 0]],
        ),
        (
            &[
                "--name=a --rw=read --size=2m --nrfiles=2",
                "--name=a --rw=read --size=4m --nrfiles=4",
            ],
            &[[1024, 0]],
        ),
        (
            &[
                "--name=a --rw=read --size=1m --numjobs=2",
                "--name=a --rw=read --size=2m --numjobs=3",
            ],
            &[[512, 0]; 3],
        ),
        // What was lengthened may be written: it is still a file of the job's.
        (
            &[
                "--name=a --filename=f --rw=read --size=1m",
                "--name=a --filename=f --rw=read --size=2m",
                "--name=b --filename=f --rw=randwrite --size=2m",
            ],
            &[[0, 512]],
        ),
        // Both name one file.
        (
            &[
                "--name=a --rw=write --size=1m --name=b --stonewall --rw=read --size=2m --filename=a.0.0",
            ],
            &[[0, 256], [512, 0]],
        ),
        // Without a size, or with a share of it, it is that of the files.
        (
            &["--name=a --rw=write --size=4m", "--name=a --rw=read"],
            &[[1024, 0]],
        ),
        (
            &[
                "--name=a --rw=write --size=4m",
                "--name=a --rw=randread --size=50%",
            ],
            &[[512, 0]],
        ),
        (
            &[
                "--name=a --rw=write --size=4m --nrfiles=2",
                "--name=a --rw=read --offset=1m --nrfiles=2",
            ],
            &[[512, 0]],
        ),
        (
            &[named, "--name=b --filename=f --rw=read --offset=25%"],
            &[[768, 0]],
        ),
        (
            &[
                named,
                "--name=b --filename=f --rw=randread --offset=30% --size=50%",
            ],
            &[[512, 0]],
        ),
        (
            &[
                named,
                "--name=b --filename=f --rw=read --numjobs=2 --offset_increment=25% --size=1m",
            ],
            &[[256, 0]; 2],
        ),
        // One direction of a mix has all of it, and holes end with the file; zones begin anew.
        (
            &[named, "--name=b --filename=f --rw=rw --rwmixread=100"],
            &[[1024, 0]],
        ),
        (
            &[named, "--name=b --filename=f --rw=rw --rwmixwrite=100"],
            &[[0, 1024]],
        ),
        (&[named, "--name=b --filename=f --rw=read:8k"], &[[342, 0]]),
        (
            &[
                named,
                "--name=b --filename=f --rw=read --zonemode=strided --zonesize=64k --zoneskip=64k",
            ],
            &[[1024, 0]],
        ),
    ] {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let [own, other] = folders.each_ref().map(|folder| folder.path());
        let mut done = (Vec::new(), BTreeMap::new());
        for command in commands {
            done = work(own, &json_by_plumb(own, command));
            if let Some(output) = json_by_fio(other, command) {
                assert_eq!(done, work(other, &output), "{command} of {commands:?}");
            }
        }
        assert_eq!(done.0, last, "{commands:?}");
    }
}
