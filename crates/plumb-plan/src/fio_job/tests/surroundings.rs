//! What of the machine and of the files is queried for around the load itself?

use super::{job, keys, main_keys, refused};

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
    let remarked = job.remarks.join("\n");
    assert!(
        remarked.contains("echo mq-deadline > /sys/block/DEVICE"),
        "{remarked}"
    );
}

#[test]
fn the_end_of_the_room_is_an_end() {
    for (text, passes) in [
        ("fill_device=1\nrw=write\nfilename=x\n", "passes=1"),
        ("fill_fs=1\nrw=write\nnumjobs=2\n", "passes=1"),
        ("fill_fs=1\nrw=write\nnumjobs=2\nunlink=0\n", "passes=1"),
        ("fill_device=1\nrw=write\nsize=1m\n", "bytes=1m"),
    ] {
        assert!(has(text, "until-full=true") && has(text, passes), "{text}");
        assert!(
            !has(text, "fresh=true") && !has(text, "unfilled=true"),
            "{text}"
        );
    }
    assert!(refused("[a]\nrw=randread\nfill_device=1\nsize=1m\n").contains("rw=write"));
    let text = "[global]\nverify=meta\nfilename=x\n[a]\nrw=write\nfill_device=1\ndo_verify=0\n[b]\nstonewall\nrw=read\n";
    let steps = job(text).plan.steps;
    assert!(keys(&steps[1].main).contains(&"written-only=true".to_string()));
}

#[test]
fn blocks_are_trimmed_and_written() {
    for word in ["trimwrite", "randtrimwrite"] {
        let text = format!("rw={word}\nsize=1m\nfilename=x\n");
        for wanted in [
            "mix=trim:1,write:1",
            "trim-first=true",
            "bytes=2m",
            "size=1m",
        ] {
            assert!(has(&text, wanted), "{text}{wanted}");
        }
    }
    assert!(has("rw=trimwrite\nfilename=x\nnumjobs=3\n", "passes=6"));
}

#[test]
fn what_is_not_stored_is_not_checked() {
    let plan = job("[a]\nioengine=null\nrw=write\nsize=1m\nverify=crc32c\n").plan;
    let keys = plan.steps.iter().map(|step| keys(&step.main));
    let [written, read] = keys.collect::<Vec<_>>().try_into().expect("two steps");
    assert!(!written.contains(&"verify=true".to_string()));
    assert!(read.contains(&"mix=read".to_string()) && read.contains(&"bytes=1m".to_string()));
    let text = "[a]\nioengine=null\nrw=randwrite\nruntime=1m\ntime_based\nverify=md5\n";
    assert_eq!(job(text).plan.steps.len(), 1);
}

#[test]
fn space_is_allocated_without_data() {
    for (ours, theirs) in [("allocate", "falloc"), ("resize", "ftruncate")] {
        let text = format!("ioengine={theirs}\nrw=write\nsize=1m\nfilename=x\n");
        assert!(has(&text, &format!("engine={ours}")), "{text}");
    }
}
