//! Does a trim discard blocks with every engine? By the kernel's counters of the device.

use serde_json::Value;

use crate::{fixtures, measured, plumb_in};

/// What the device counted: sectors written, discards, sectors discarded. Documentation/block/stat.rst.
fn counted(device: &str) -> [u64; 3] {
    let name = device.rsplit('/').next().expect("a name");
    let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).expect("counters");
    let fields: Vec<u64> = text
        .split_ascii_whitespace()
        .map(|field| field.parse().expect("a number"))
        .collect();
    [fields[6], fields[11], fields[13]]
}

#[test]
fn trims_of_a_device_are_discards_with_every_engine() {
    if !fixtures::may_mount("discards of a device") {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    for (engine, depth) in [("sync", 1), ("io_uring", 8)] {
        let device = fixtures::Loop::new(64 << 20, |_| {});
        let before = counted(device.name());
        let line = format!(
            "run --target {} --overwrite --engine {engine} --depth {depth} --set mix=trim --block 64k --operations 500 --json --quiet --no-report --output {engine}",
            device.name()
        );
        let summary = measured(plumb_in(folder.path(), &line));
        let after = counted(device.name());
        let moved: Vec<u64> = after
            .iter()
            .zip(before)
            .map(|(after, before)| after - before)
            .collect();
        let trim = &summary["steps"][0]["operations"]["trim"];
        assert_eq!(
            (&trim["count"], &trim["errors"]),
            (&Value::from(500), &Value::from(0)),
            "{engine}: {summary}"
        );
        assert_eq!(trim["bytes"], 500 * 64 * 1024, "{engine}");
        // The block layer may merge neighbors into one request.
        let (written, requests, discarded) = (moved[0], moved[1], moved[2]);
        assert_eq!(
            (written, discarded),
            (0, 500 * 128),
            "{engine}: sectors written and discarded"
        );
        assert!(
            (1..=500).contains(&requests),
            "{engine}: {requests} discards"
        );
        let active = summary["steps"][0]["engine_record"]["active"].to_string();
        assert!(
            active.contains("trim by ioctl BLKDISCARD")
                || engine == "io_uring" && active.contains("trim by BLOCK_URING_CMD_DISCARD"),
            "{active}"
        );
    }
}

#[test]
fn trims_of_a_file_are_holes_with_every_engine() {
    let folder = tempfile::tempdir().expect("folder");
    for (engine, depth) in [("sync", 1), ("io_uring", 8)] {
        let path = folder.path().join(engine);
        std::fs::write(&path, vec![1; 8 << 20]).expect("a file");
        let line = format!(
            "run --target {engine} --overwrite --engine {engine} --depth {depth} --set mix=trim --set offsets=sequential --block 64k --operations 128 --json --quiet --no-report --output {engine}-run"
        );
        let summary = measured(plumb_in(folder.path(), &line));
        assert_eq!(
            summary["steps"][0]["operations"]["trim"]["bytes"],
            8 << 20,
            "{engine}"
        );
        assert!(
            summary["steps"][0]["engine_record"]["active"]
                .to_string()
                .contains("trim by fallocate PUNCH_HOLE")
        );
        let blocks =
            std::os::unix::fs::MetadataExt::blocks(&std::fs::metadata(&path).expect("a file"));
        assert_eq!(blocks, 0, "{engine}: all of it was given back");
    }
}
