//! Do sections that move no data run beside the jobs, as under fio: CPU load and programs?

use std::fs;

use serde_json::Value;

use crate::fio_pair::{by_plumb, jobs, json_by_fio, json_by_plumb};

/// Names of the jobs, and the operations of each.
fn counts(jobs: &[Value]) -> Vec<(String, u64)> {
    let of = |job: &Value| {
        let name = job["jobname"].as_str().expect("a name").to_string();
        (name, job["read"]["total_ios"].as_u64().expect("a count"))
    };
    jobs.iter().map(of).collect()
}

#[test]
fn programs_and_load_run_beside_jobs() {
    const LINE: &str = "--allow-exec --name=p --ioengine=exec --program=/bin/echo --arguments=%n~%r --runtime=20 --name=c --ioengine=cpuio --cpuload=10 --exit_on_io_done=1 --runtime=20 --name=j --ioengine=null --size=1m --rw=read";
    let folder = tempfile::tempdir().expect("a folder");
    let found = counts(&jobs(&json_by_plumb(folder.path(), LINE)));
    let expected = [("p", 0), ("c", 0), ("j", 256)].map(|(name, count)| (name.to_string(), count));
    assert_eq!(found, expected);
    let written = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    assert_eq!(
        (written("p.stdout"), written("p.stderr")),
        ("p 20\n".into(), String::new())
    );
    // Its own files are written again.
    json_by_plumb(folder.path(), LINE);
}

#[test]
fn sections_without_data_run_alone() {
    for line in [
        "--name=c --ioengine=cpuio --cpuload=50 --cpumode=qsort --runtime=1 --time_based",
        "--allow-exec --name=p --ioengine=exec --program=/bin/true --std_redirect=0 --runtime=9",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let found = counts(&jobs(&json_by_plumb(folder.path(), line)));
        // fio counts stretches of CPU load as reads without bytes: plumb counts no operation that moved nothing.
        let names: Vec<&String> = found.iter().map(|(name, _)| name).collect();
        assert!(found.iter().all(|(_, count)| *count == 0), "{found:?}");
        if let Some(of_fio) = json_by_fio(folder.path(), line).filter(|_| line.contains("cpuio")) {
            let of_fio = counts(&jobs(&of_fio));
            let of_fio: Vec<&String> = of_fio.iter().map(|(name, _)| name).collect();
            assert_eq!(names, of_fio, "{line}");
        }
    }
}

#[test]
fn programs_need_permission_and_write_over_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "--name=p --ioengine=exec --program=/bin/echo --arguments=x";
    for (words, why) in [
        (line.to_string(), "--allow-exec"),
        (format!("--allow-exec {line}"), "p.stdout"),
    ] {
        fs::write(folder.path().join("p.stdout"), "mine").expect("a file");
        let refused = by_plumb(folder.path(), &words);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(
            refused.status.code() == Some(1) && said.contains(why),
            "{said}"
        );
        let kept = fs::read_to_string(folder.path().join("p.stdout"));
        assert_eq!(kept.expect("the file"), "mine");
    }
}
