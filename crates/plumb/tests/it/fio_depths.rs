//! Does the queue of `plumb fio` fill, drain and refill as fio's does?

use std::fs;
use std::process::Output;

use crate::fio_pair::{jobs, json_by_fio as by_fio, json_by_plumb as by_plumb};

/// Points of a percentage by which both may differ: at the begin and the end of a job the queue is not full.
const TOLERANCE: f64 = 2.0;

/// How many were in flight, submitted at once and taken at once: shares in percent, by the names of fio's JSON.
fn shares(output: &Output) -> Vec<(String, f64)> {
    let job = &jobs(output)[0];
    let of = |group: &str| {
        let levels = job[group].as_object().expect(group).clone();
        levels
            .into_iter()
            .map(|(level, share)| (format!("{group} {level}"), share.as_f64().expect("a share")))
            .collect::<Vec<_>>()
    };
    ["iodepth_level", "iodepth_submit", "iodepth_complete"]
        .into_iter()
        .flat_map(of)
        .collect()
}

/// A file in the page cache: each operation has ended when its submission has, so that nothing but the order of both decides how full the queue is.
#[test]
fn the_queue_is_filled_and_drained_as_under_fio() {
    for options in [
        "",
        "--iodepth_batch=4",
        "--iodepth_batch=0",
        "--iodepth_batch_complete_min=4",
        "--iodepth_batch_complete_max=8",
        "--iodepth_batch_complete_max=16",
        "--iodepth_batch_complete_min=4 --iodepth_batch_complete_max=8",
        "--iodepth_batch=8 --iodepth_batch_complete_min=8",
        "--iodepth_low=4",
        "--iodepth_low=4 --iodepth_batch=4",
        "--iodepth_batch=16 --iodepth_batch_complete_min=16",
        "--iodepth_batch_complete_min=0",
    ] {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(folder.path().join("f"), vec![7; 4 << 20]).expect("written");
        let line = format!(
            "--name=a --filename=f --rw=read --bs=4k --size=4m --ioengine=libaio --iodepth=16 --invalidate=0 {options}"
        );
        let own = shares(&by_plumb(folder.path(), &line));
        let Some(of_fio) = by_fio(folder.path(), &line) else {
            return;
        };
        for ((name, own), (same, of_fio)) in own.iter().zip(shares(&of_fio)) {
            assert_eq!(*name, same);
            assert!(
                (own - of_fio).abs() <= TOLERANCE,
                "{options}: {name}: {own} for {of_fio}"
            );
        }
    }
}
