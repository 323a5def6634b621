//! Does a copy go as its program goes, and is what became of it recorded for what it is?

use plumb_model::run::step_end::StopReason;
use std::path::Path;

use plumb_model::results::copies::copy_numbers;
use plumb_model::run::EngineAccount;
use plumb_model::run::tick::Tick;

use super::*;
use crate::copy::tree::Tree;

/// One copy of a small tree by `sh -c script`, with {from} and {to} put in: all events, and what ended it.
fn copy(
    script: &str,
    timeout: Option<Duration>,
) -> (Vec<LoadEvent>, Result<StopReason, LoadError>) {
    let (from, to) = (
        tempfile::tempdir().expect("folder"),
        tempfile::tempdir().expect("folder"),
    );
    let tree = Arc::new(Tree::lay_out("small:5x20k".parse().expect("shape"), 3));
    tree.make(from.path(), &AtomicBool::new(false), &mut |_| {})
        .expect("made");
    std::fs::write(to.path().join("left over"), "x").expect("written");
    let put = |place: &Path| place.display().to_string();
    let script = script
        .replace("{from}", &put(from.path()))
        .replace("{to}", &put(to.path()));
    let step = CopyStep {
        tree,
        words: vec!["sh".into(), "-c".into(), script],
        environment: Vec::new(),
        exit_max: 0,
        from: Some(from.path().into()),
        landing: Landing::Here(to.path().into()),
    };
    let copying = Copying {
        steps: vec![step],
        timeout,
        cold: true,
        timestamps: Timestamps::Required,
    };
    let mut events = Vec::new();
    let ended = run_copy(
        0,
        &copying,
        0,
        Clock::start(),
        &AtomicBool::new(false),
        &mut |event| events.push(event),
    );
    (events, ended)
}

fn only_tick(events: &[LoadEvent]) -> &Tick {
    let ticks: Vec<&Tick> = events
        .iter()
        .filter_map(|event| {
            if let LoadEvent::Tick(tick) = event {
                Some(tick)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(ticks.len(), 1);
    ticks[0]
}

fn account(events: &[LoadEvent]) -> &EngineAccount {
    events
        .iter()
        .find_map(|event| {
            if let LoadEvent::EngineClosed { account, .. } = event {
                Some(account)
            } else {
                None
            }
        })
        .expect("an account")
}

/// The error kind of the copy, and its messages.
fn error_of(script: &str, timeout: Option<Duration>) -> (String, String) {
    let (events, ended) = copy(script, timeout);
    assert_eq!(ended, Ok(StopReason::Operations));
    let kind = &only_tick(&events).kinds[0];
    assert_eq!((kind.count, kind.bytes, kind.service.count()), (0, 0, 0));
    let messages = events.iter().filter_map(|event| match event {
        LoadEvent::Mismatch {
            path, explanation, ..
        } => Some(format!("{path} {}", plumb_words::english(explanation))),
        LoadEvent::Remark { text, .. } => Some(plumb_words::english(text)),
        _ => None,
    });
    (
        kind.errors.keys().cloned().collect::<Vec<_>>().join(","),
        messages.collect::<Vec<_>>().join("; "),
    )
}

/// False, and said, for a user other than root where the kernel shows what an ended process has read and written to root alone (seen with Linux 6.18).
#[cfg(target_os = "linux")]
fn shows_its_calls(numbers: &std::collections::BTreeMap<String, f64>) -> bool {
    let shown = rustix::process::geteuid().is_root()
        || numbers.contains_key(copy_numbers::READ_CALLS_BYTES);
    if !shown {
        println!("skipped: this kernel shows the calls of an ended process to root alone");
    }
    shown
}

#[test]
fn a_complete_copy_is_one_operation_with_its_account() {
    let (events, ended) = copy("cp -a {from}/. {to}", None);
    assert_eq!(ended, Ok(StopReason::Operations));
    let kind = &only_tick(&events).kinds[0];
    assert_eq!(
        (kind.count, kind.bytes, kind.errors.len()),
        (1, 5 * 20_480, 0)
    );
    let numbers = &account(&events).numbers;
    assert_eq!(
        (
            numbers[copy_numbers::FILES],
            numbers[copy_numbers::CHECKED_BYTES]
        ),
        (5.0, 5.0 * 20_480.0)
    );
    assert_eq!(numbers[copy_numbers::PROBLEMS], 0.0);
    assert!(numbers[copy_numbers::CPU_USER_S] + numbers[copy_numbers::CPU_SYSTEM_S] > 0.0);
    let worker = &only_tick(&events).workers[0];
    assert!(worker.cpu_system_ns.is_some() && worker.operations == 1);
    #[cfg(target_os = "linux")]
    {
        // The copying was done by a child of the shell, or the shell itself: both are covered.
        if shows_its_calls(numbers) {
            assert!(
                numbers[copy_numbers::WRITE_CALLS_BYTES] + numbers[copy_numbers::READ_CALLS_BYTES]
                    > 0.0
            );
        }
        assert!(numbers.contains_key(copy_numbers::STABLE_S));
    }
}

#[test]
fn children_are_in_the_account() {
    let (events, _) = copy(
        "(dd if=/dev/zero of=/dev/null bs=1M count=64 2>/dev/null); cp -a {from}/. {to}; true",
        None,
    );
    let numbers = &account(&events).numbers;
    #[cfg(target_os = "linux")]
    if shows_its_calls(numbers) {
        assert!(
            numbers[copy_numbers::READ_CALLS_BYTES] >= (64 << 20) as f64,
            "{numbers:?}"
        );
    }
    assert!(numbers[copy_numbers::MEMORY_BYTES] > 0.0);
}

#[test]
fn damage_is_an_error_though_the_program_says_nothing() {
    let flip = "cp -a {from}/. {to}; f={to}/d0000/f0000003; chmod 644 $f; printf X | dd of=$f bs=1 seek=20000 conv=notrunc 2>/dev/null; \
                touch -r {from}/d0000/f0000003 $f";
    let (error, messages) = error_of(flip, None);
    assert_eq!(error, "mismatch");
    assert!(
        messages.contains("f0000003 differs from the source, first at offset 20,000"),
        "{messages}"
    );
    let (error, messages) = error_of("cp -a {from}/. {to}; rm -f {to}/d0000/f0000001", None);
    assert!(
        error == "mismatch" && messages.contains("f0000001 is missing"),
        "{error}: {messages}"
    );
    let (error, messages) = error_of("cp -a {from} {to}", None);
    assert!(
        error == "mismatch"
            && messages.contains("is missing: the program put it into a subfolder, "),
        "{error}: {messages}"
    );
    let (error, messages) = error_of("cp -r {from}/. {to}", None);
    assert!(
        error == "mismatch" && messages.contains("metadata not preserved"),
        "{error}: {messages}"
    );
}

#[test]
fn programs_that_fail_are_reported_with_their_last_words() {
    let (error, messages) = error_of(
        "cp -a {from}/. {to}; echo first >&2; echo no more paper >&2; exit 23",
        None,
    );
    assert_eq!(error, "exit-23");
    assert!(
        messages.contains("sh ended with exit status 23") && messages.contains("no more paper"),
        "{messages}"
    );
    let (error, messages) = error_of("kill -9 $$", None);
    assert!(
        error == "killed-9" && messages.contains("signal 9"),
        "{error}: {messages}"
    );
}

#[test]
fn what_hangs_is_ended_with_all_that_it_started() {
    let marker = tempfile::NamedTempFile::new().expect("file");
    let script = format!(
        "(sleep 3; echo late > {}) & sleep 1000",
        marker.path().display()
    );
    let (error, messages) = error_of(&script, Some(Duration::from_millis(200)));
    assert_eq!(error, "timeout");
    assert!(
        messages.contains("did not finish within 200 ms"),
        "{messages}"
    );
    // Longer than what was started in the background would have taken.
    std::thread::sleep(Duration::from_millis(3500));
    assert_eq!(std::fs::read_to_string(marker.path()).expect("read"), "");
}

#[test]
fn a_program_that_writes_much_neither_hangs_nor_fills_the_memory() {
    let (events, ended) = copy("yes | head -c 30000000; cp -a {from}/. {to}", None);
    assert_eq!(ended, Ok(StopReason::Operations));
    assert_eq!(only_tick(&events).kinds[0].count, 1);
}

#[test]
fn what_cannot_be_started_is_reported() {
    let step = |words: &[&str]| CopyStep {
        tree: Arc::new(Tree::lay_out("large:1k".parse().expect("shape"), 3)),
        words: words.iter().map(|word| word.to_string()).collect(),
        environment: Vec::new(),
        exit_max: 0,
        from: None,
        landing: Landing::Here(tempfile::tempdir().expect("folder").keep()),
    };
    let copying = Copying {
        steps: vec![step(&["no-such-program-1"])],
        timeout: None,
        cold: false,
        timestamps: Timestamps::Required,
    };
    let error = run_copy(
        0,
        &copying,
        0,
        Clock::start(),
        &AtomicBool::new(false),
        &mut |_| {},
    )
    .expect_err("not there")
    .to_string();
    assert!(error.contains("no-such-program-1 was not found"), "{error}");
    let Landing::Here(folder) = &copying.steps[0].landing else {
        unreachable!()
    };
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn the_user_ends_a_copy_and_its_program() {
    let stop = AtomicBool::new(false);
    let supervisor = Supervisor {
        clock: Clock::start(),
        stop: &stop,
        timeout: None,
        environment: &[],
    };
    let words = ["sleep", "1000"].map(String::from);
    let ended = supervisor
        .run(&words, &mut |_| stop.store(true, Ordering::Relaxed))
        .expect("started");
    assert_eq!(ended.how, HowEnded::Stopped);
}
