//! Does `plumb why` account for the time of a program as the kernel counted it, and say the same of a saved recording?

use std::fs;

use serde_json::Value;

use crate::trace_live::can_trace;
use crate::{json_of, output_of, plumb_in, refusal_of};

/// The program's own time of an activity, in milliseconds.
fn ms(why: &Value, activity: &str) -> f64 {
    let parts = why["account"]["program"].as_array().expect("parts");
    let of = parts.iter().filter(|part| part["activity"] == activity);
    of.map(|part| part["ns"].as_f64().expect("a time") / 1e6)
        .sum()
}

/// Computes, sleeps in a child, and writes what the kernel counted of its CPU time (`times` of sh).
const WORK: &str = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; sleep 0.3; times > used";

/// Seconds as `0m1.250000s`.
fn seconds(text: &str) -> f64 {
    let (minutes, seconds) = text.split_once('m').expect("minutes");
    let seconds: f64 = seconds.trim_end_matches('s').parse().expect("seconds");
    minutes.parse::<f64>().expect("minutes") * 60.0 + seconds
}

#[test]
fn the_time_is_that_which_the_kernel_counted() {
    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) {
        return;
    }
    fs::write(folder.path().join("work.sh"), WORK).expect("script");
    let why = json_of(plumb_in(folder.path(), "why --json -- sh work.sh"), 0);
    let used = fs::read_to_string(folder.path().join("used")).expect("times");
    let words: Vec<f64> = used.split_whitespace().take(2).map(seconds).collect();
    let kernel_ms = (words[0] + words[1]) * 1e3;
    // `times` counts in hundredths of a second, and the end of the shell comes after it.
    let cpu_ms = ms(&why, "cpu");
    assert!(
        (cpu_ms - kernel_ms).abs() < 0.15 * kernel_ms + 40.0,
        "{cpu_ms} ms on a CPU; the kernel counted {kernel_ms}"
    );
    let sleep_ms = ms(&why, "sleep");
    assert!((295.0..400.0).contains(&sleep_ms), "{sleep_ms} ms of sleep");
    let account = &why["account"];
    let parts = account["program"].as_array().expect("parts");
    let sum: f64 = parts
        .iter()
        .map(|part| part["ns"].as_f64().expect("a time"))
        .sum();
    let span = account["span_ns"].as_f64().expect("a span");
    assert!((sum - span).abs() < 0.01 * span, "{sum} of {span}");
    for thread in account["threads"].as_array().expect("threads") {
        let parts = thread["parts"].as_array().expect("parts");
        let sum: f64 = parts
            .iter()
            .map(|part| part["share"].as_f64().expect("a share"))
            .sum();
        assert!((sum - 1.0).abs() < 0.01, "{thread:#}");
    }
}

/// A program that asks for its own CPU time again and again makes a call each time, more than the kernel could record.
#[test]
fn calls_that_neither_wait_nor_concern_a_file_are_not_recorded() {
    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) {
        return;
    }
    let busy = "import time\nend = time.thread_time() + 1\nwhile time.thread_time() < end: pass";
    let mut command = plumb_in(folder.path(), "why --by perf --json -- python3 -c");
    command.arg(busy);
    let why = json_of(command, 0);
    assert_ne!(why["verdict"]["id"], "why-lost", "{}", why["verdict"]);
    assert!(ms(&why, "cpu") > 900.0, "{}", why["account"]["program"]);
    assert!(
        why["findings"]
            .as_array()
            .is_some_and(|of| of.iter().any(|of| of["question"] == "computing")),
        "{}",
        why["findings"]
    );
}

#[test]
fn a_saved_recording_gives_the_same_answer() {
    let folder = tempfile::tempdir().expect("folder");
    if !can_trace(folder.path()) {
        return;
    }
    let words = "why --json --save app.calls -- dd if=/dev/zero of=out bs=4k count=50 oflag=dsync status=none";
    let live = json_of(plumb_in(folder.path(), words), 0);
    let again = json_of(plumb_in(folder.path(), "why --json app.calls"), 0);
    for part in ["program", "requests", "storages", "phases"] {
        assert_eq!(live["account"][part], again["account"][part], "{part}");
    }
    assert_eq!(live["findings"], again["findings"]);
    // `explain` of the recording says the same.
    let line = "explain app.calls --json --report app.html --output stored.json";
    let explained = json_of(plumb_in(folder.path(), line), 0);
    for part in ["account", "verdict", "findings"] {
        assert_eq!(explained[part], again[part], "{part}");
    }
    let page = fs::read_to_string(folder.path().join("app.html")).expect("a page");
    let figure = page
        .split_once("<figure id=\"time_of_threads\">")
        .expect("the figure");
    assert!(figure.1.contains("</svg>") && page.contains("synchronous writes"));
    assert!(!page.contains("{label-") && !page.contains("{why-") && !page.contains("NaN"));
    let stored = fs::read_to_string(folder.path().join("stored.json")).expect("stored");
    assert!(stored.contains("plumb-why-1"), "{stored}");
    let shown = output_of(plumb_in(folder.path(), "explain stored.json"), 0);
    assert!(shown.contains("Where the time went"), "{shown}");
    output_of(
        plumb_in(folder.path(), "report app.calls --output again.html"),
        0,
    );
    for line in [
        "explain app.calls --prove --target .",
        "explain app.calls app.calls",
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(refused.contains("plumb why --"), "{refused}");
    }
    // The other commands read it as before.
    let trace = json_of(plumb_in(folder.path(), "trace --json app.calls"), 0);
    assert_eq!(trace["recorded"]["damaged"], 0);
    let text = output_of(plumb_in(folder.path(), "why app.calls"), 0);
    for expected in [
        "Where the time went",
        "What would help",
        "synchronous writes",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let chinese = output_of(plumb_in(folder.path(), "--language zh-CN why app.calls"), 0);
    assert!(
        chinese.contains("时间去向") && !chinese.contains('{'),
        "{chinese}"
    );
    let japanese = output_of(plumb_in(folder.path(), "--language ja why app.calls"), 0);
    assert!(
        japanese.contains("時間の内訳") && !japanese.contains('{'),
        "{japanese}"
    );
}

#[test]
fn without_times_of_threads_that_is_said() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(
        folder.path().join("app.strace"),
        "10 1700000000.000000 pread64(3</data/f>, \"\"..., 4096, 0) = 4096 <0.005000>\n\
         10 1700000000.010000 pread64(3</data/f>, \"\"..., 4096, 4096) = 4096 <0.005000>\n",
    )
    .expect("a trace");
    let why = json_of(plumb_in(folder.path(), "why --json app.strace"), 0);
    assert_eq!(why["verdict"]["id"], "why-verdict-calls");
    assert_eq!(why["account"]["has_switches"], false);
    // Two reads of 5 ms in 15 ms, one after another.
    let share = why["account"]["program"][0]["share"]
        .as_f64()
        .expect("a share");
    assert!((share - 10.0 / 15.0).abs() < 0.001, "{share}");
    let no_calls = refusal_of(plumb_in(folder.path(), "why no-such-file"));
    assert!(
        no_calls.contains("no-such-file cannot be opened"),
        "{no_calls}"
    );
    let nothing = refusal_of(plumb_in(folder.path(), "why"));
    assert!(nothing.contains("RECORDING"), "{nothing}");
}

#[test]
fn threads_are_sampled_without_rights_and_a_changed_command_is_compared() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("work.sh"), "sleep 0.6").expect("script");
    let words = "why --by samples --json --save app.calls --against true --rounds 3 -- sh work.sh";
    let why = json_of(plumb_in(folder.path(), words), 0);
    let account = &why["account"];
    let parts = account["program"].as_array().expect("parts");
    let share = |of: &Value| of["share"].as_f64().expect("a share");
    assert!(
        (parts.iter().map(share).sum::<f64>() - 1.0).abs() < 0.01,
        "{account:#}"
    );
    assert_eq!(parts[0]["activity"], "sleep", "{account:#}");
    assert_eq!(why["findings"][0]["question"], "pauses");
    let sampled = why["doubts"].as_array().expect("doubts");
    assert!(
        sampled.iter().any(|of| of["id"] == "why-sampled"),
        "{sampled:?}"
    );
    // 0.6 s beside next to nothing.
    let factor = why["against"]["factor"][0].as_f64().expect("a factor");
    assert!(factor > 3.0, "{factor}");
    assert_eq!(
        why["against"]["before_ns"].as_array().expect("runs").len(),
        3
    );
    let again = json_of(plumb_in(folder.path(), "why --json app.calls"), 0);
    assert_eq!(account["program"], again["account"]["program"]);
    // A trace has calls, which samples do not show.
    let refused = refusal_of(plumb_in(folder.path(), "trace --by samples -- true"));
    assert!(refused.contains("plumb why --by samples"), "{refused}");
    let failing = "why --by samples --against false -- true";
    let refused = refusal_of(plumb_in(folder.path(), failing));
    assert!(refused.contains("--against"), "{refused}");
}

#[test]
fn a_program_that_seldom_calls_is_waited_for_by_the_storage() {
    let folder = tempfile::tempdir().expect("folder");
    let line = |at: u32| {
        format!(
            "10 17000000{at:02}.000000 pread64(3</data/f>, \"\"..., 4096, 0) = 4096 <0.005000>\n"
        )
    };
    let calls: String = (10..40).map(line).collect();
    fs::write(folder.path().join("app.strace"), calls).expect("a trace");
    for (line, flag) in [
        ("explain app.strace --ceiling 100m", "--ceiling"),
        ("report app.strace --share x", "--share"),
        ("why --rounds 3 -- true", "--prove"),
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(refused.contains(flag), "{line}: {refused}");
    }
    for verb in ["why", "explain"] {
        let why = json_of(
            plumb_in(folder.path(), &format!("{verb} --json app.strace")),
            0,
        );
        assert_eq!(why["verdict"]["id"], "why-verdict-few-calls");
        let first = &why["findings"][0];
        assert_eq!(first["question"], "between-calls");
        // 29 of 29.005 s pass between the reads.
        let share = first["share"].as_f64().expect("a share");
        assert!((share - (1.0 - 0.15 / 29.005)).abs() < 0.001, "{share}");
    }
}
