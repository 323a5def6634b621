//! Do priorities of single operations (`cmdprio_*`) have the times that fio reports for each?

use std::collections::BTreeMap;

use serde_json::Value;

use crate::fio_pair::{jobs, json_by_fio, json_by_plumb};

/// Operations by class and level, as far as there are several.
fn counts(direction: &Value) -> BTreeMap<(u64, u64), u64> {
    let number = |value: &Value| value.as_u64().expect("a number");
    let priorities = direction["prios"].as_array().into_iter().flatten();
    let of = |priority: &Value| {
        let place = (number(&priority["prioclass"]), number(&priority["prio"]));
        (place, number(&priority["clat_ns"]["N"]))
    };
    priorities.map(of).collect()
}

#[test]
fn times_are_reported_by_priority() {
    for (options, reads, writes) in [
        (
            "--rw=randrw --bs=4k --cmdprio_percentage=40,60 --cmdprio_class=2 --cmdprio=3,5",
            vec![(0, 0), (2, 3)],
            vec![(0, 0), (2, 5)],
        ),
        (
            "--rw=randrw --bssplit=4k/50:8k/50 --cmdprio_bssplit=4k/100/2/1:8k/40/2/6,4k/0",
            vec![(0, 0), (2, 1), (2, 6)],
            vec![],
        ),
        ("--rw=randread --bs=4k", vec![], vec![]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let line = format!("--name=a --size=4m --ioengine=libaio --iodepth=4 {options}");
        let check = |job: &Value| {
            for (direction, expected) in [("read", &reads), ("write", &writes)] {
                let of = &job[direction];
                let counts = counts(of);
                assert_eq!(
                    counts.keys().copied().collect::<Vec<_>>(),
                    *expected,
                    "{line}"
                );
                if counts.is_empty() {
                    continue;
                }
                assert_eq!(counts.values().sum::<u64>(), of["total_ios"], "{line}");
                let ends = ["min", "max"].map(|end| of["clat_ns"][end].as_u64());
                let each = of["prios"].as_array().expect("priorities").iter();
                let each = each.map(|priority| &priority["clat_ns"]);
                let least = each.clone().filter_map(|times| times["min"].as_u64()).min();
                let most = each.filter_map(|times| times["max"].as_u64()).max();
                assert_eq!([least, most], ends, "{line}");
            }
        };
        check(&jobs(&json_by_plumb(folder.path(), &line))[0]);
        let folder = tempfile::tempdir().expect("a folder");
        if let Some(of_fio) = json_by_fio(folder.path(), &line) {
            check(&jobs(&of_fio)[0]);
        }
    }
}
