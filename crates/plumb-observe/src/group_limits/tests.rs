//! Are limits of both versions of control groups found, and told only where they are full?
#![cfg(target_os = "linux")]

use super::*;
use crate::fixture;

fn looked(root: &Path) -> Watched {
    let mut watched = Watched::default();
    watched.meet(root, membership(root, "self").unwrap());
    watched
}

#[test]
fn limits_of_version_2_are_found_in_all_groups_above() {
    let tree = fixture::tree("proc-machine");
    let root = tree.path().canonicalize().unwrap();
    let watched = looked(&root);
    let io: Vec<_> = watched.io.iter().collect();
    assert_eq!(io.len(), 1, "{io:?}");
    assert_eq!(
        (io[0].device.as_str(), io[0].kind),
        ("vda", IoLimitKind::ReadBytes)
    );
    assert_eq!(io[0].per_second, 1_048_576);
    assert!(io[0].file.ends_with("/io.max"), "{}", io[0].file);
    let limits: Vec<u64> = watched.memory.iter().map(|of| of.limit_bytes).collect();
    assert!(limits.contains(&1_073_741_824), "{limits:?}");
}

#[test]
fn limits_of_version_1_have_a_file_each() {
    let tree = fixture::tree("proc-raid");
    let root = tree.path().canonicalize().unwrap();
    let watched = looked(&root);
    assert_eq!(watched.io.len(), 1, "{:?}", watched.io);
    let io = &watched.io[0];
    assert_eq!(
        (io.device.as_str(), io.kind, io.per_second),
        ("md0", IoLimitKind::Writes, 500)
    );
    assert!(
        io.file.ends_with("/blkio.throttle.write_iops_device"),
        "{}",
        io.file
    );
}

#[test]
fn a_full_group_that_reads_pages_again_is_told_and_one_with_room_is_not() {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    std::fs::create_dir(root.join("g")).unwrap();
    let write = |file: &str, text: &str| std::fs::write(root.join("g").join(file), text).unwrap();
    for (used, expected) in [("950", true), ("500", false)] {
        write("memory.stat", "anon 1\nworkingset_refault_file 10\n");
        write("memory.current", used);
        let mut group = MemoryGroup {
            folder: "g".into(),
            file: "g/memory.max".into(),
            limit_bytes: 1000,
            version: Version::Two,
            refaults: (10, 10),
            was_full: false,
        };
        write("memory.stat", "anon 1\nworkingset_refault_file 30\n");
        group.look(root);
        let watched = Watched {
            memory: vec![group],
            ..Watched::default()
        };
        let page = page_bytes() as u64;
        let told: Vec<u64> = watched
            .limits()
            .memory
            .iter()
            .map(|of| of.refaulted_bytes)
            .collect();
        assert_eq!(told, if expected { vec![20 * page] } else { vec![] });
    }
}
