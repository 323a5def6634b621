//! What of the machine and of the files is asked for around the load itself?

use super::{job, keys, main_keys};

fn has(text: &str, wanted: &str) -> bool {
    main_keys(&format!("[a]\n{text}")).contains(&wanted.to_string())
}

#[test]
fn files_are_only_laid_out() {
    let text = "rw=randwrite\nsize=1m\ncreate_only=1\nverify=md5\n";
    for wanted in ["prepare-only=true", "keep=true", "size=1m"] {
        assert!(has(text, wanted), "{wanted}");
    }
    assert!(!has(text, "verify=true") && !has(text, "fresh=true"));
    assert!(has("create_only=1\nsize=1m\nunlink=1\n", "keep=false"));
    assert!(!has("create_only=0\nsize=1m\n", "prepare-only=true"));
    let plan = job("[a]\nsize=1m\ncreate_only=1\n[b]\nsize=1m\n[c]\nsize=1m\n").plan;
    let jobs: Vec<usize> = plan.steps.iter().map(|step| step.beside.len()).collect();
    assert_eq!(jobs, [0, 1]);
}

#[test]
fn files_are_read_before() {
    let text = "size=1m\npre_read=1\n";
    assert!(has(text, "pre-read=true") && !has(text, "cold=true"));
    assert!(has("size=1m\npre_read=0\n", "cold=true"));
    let text = "rw=write\nsize=1m\npre_read=1\n";
    assert!(has(text, "pre-read=true") && !has(text, "fresh=true"));
}

#[test]
fn the_scheduler_stays_as_it_is() {
    let job = job("[a]\nsize=1m\nioscheduler=mq-deadline\n");
    assert!(
        !keys(&job.plan.steps[0].main)
            .iter()
            .any(|key| key.contains("deadline"))
    );
    let said = job.remarks.join("\n");
    assert!(
        said.contains("echo mq-deadline > /sys/block/DEVICE"),
        "{said}"
    );
}
