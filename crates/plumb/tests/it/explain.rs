//! Does `plumb explain` find the limit in real recordings, draw no conclusion without evidence, and store reusable explanations?

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{json_of, measured, output_of, plumb_in, refusal_of};

fn captures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures")
}

/// The finding of this rule; panics with what there is instead.
pub fn finding<'a>(explained: &'a Value, rule: &str) -> &'a Value {
    let findings = explained["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["rule"] == rule);
    found.unwrap_or_else(|| panic!("no {rule} in {explained:#}"))
}

/// Factors of a prediction.
pub fn interval(finding: &Value) -> (f64, f64) {
    let prediction = &finding["prediction"];
    let of = |name: &str| prediction[name].as_f64().expect("a factor");
    (of("low"), of("high"))
}

#[test]
fn a_short_capture_is_told_in_each_language_and_concludes_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let file = captures().join("reads.pcap");
    for (tag, words) in [
        ("en", "Nothing is concluded"),
        ("zh-CN", "没有结论"),
        ("ja", "結論なし"),
    ] {
        let line = format!("explain {} --language {tag}", file.display());
        let shown = output_of(plumb_in(folder.path(), &line), 2);
        assert!(shown.contains(words), "{tag}: {shown}");
    }
}

#[test]
fn pauses_of_the_load_are_the_applications_and_the_prediction_is_stored_and_kept() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("file"), vec![7u8; 1 << 20]).expect("a file");
    let run = |output: &str, more: &str| {
        let line = format!(
            "run --target file --pattern random-read --block 4k --depth 1 --time 2s --set warm-up=0s {more} \
             --quiet --json --no-report --output {output}"
        );
        measured(plumb_in(folder.path(), &line))
    };
    run("pauses", "--set think-time=5ms");
    run("none", "");
    let line = "explain pauses --output stored.json --json";
    let explained = json_of(plumb_in(folder.path(), line), 0);
    assert_eq!(explained["schema"], "plumb-explain-1");
    let first = &explained["findings"][0];
    assert_eq!(first["rule"], "storage_waits_for_application", "{first:#}");
    assert!(
        first["claim"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("waits"))
    );
    // What is stored explains a second recording as the first one does.
    let stored = json_of(
        plumb_in(folder.path(), "explain stored.json none --json"),
        0,
    );
    assert_eq!(stored["findings"], explained["findings"]);
    let factor = stored["second"]["requests_factor"]
        .as_f64()
        .expect("a factor");
    assert!(factor > 1.0, "{factor}");
    let shown = output_of(plumb_in(folder.path(), "explain stored.json none"), 0);
    assert!(shown.contains("Throughput is"), "{shown}");
    let refused = refusal_of(plumb_in(folder.path(), line));
    assert!(refused.contains("stored.json"), "{refused}");
}

/// The published case of a backup on a share, as counters that were rebuilt from its figures (testdata/pdh/README.md).
#[test]
fn the_published_case_is_one_request_at_a_time_and_the_gain_has_two_factors() {
    let folder = tempfile::tempdir().expect("folder");
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/pdh");
    let recording = |name: &str| recordings.join(name).display().to_string();
    let line = format!(
        "explain {} --output before.json --json",
        recording("e5-one-thread.csv")
    );
    let first = json_of(plumb_in(folder.path(), &line), 0);
    assert_eq!(first["withheld"], serde_json::json!([]), "{first:#}");
    let found = &first["findings"][0];
    assert_eq!(found["rule"], "too_few_outstanding_requests", "{found:#}");
    let (low, high) = interval(found);
    assert!(
        (2.5..2.7).contains(&low) && (7.9..8.5).contains(&high),
        "{low} {high}"
    );
    let lacks = |rule: &str| {
        let abstained = first["abstained"].as_array().expect("a list");
        abstained.iter().any(|of| of["rule"] == rule)
    };
    assert!(lacks("metadata") && lacks("distance"), "{first:#}");
    let line = format!(
        "explain before.json {} --json",
        recording("e5-eight-threads.csv")
    );
    let second = &json_of(plumb_in(folder.path(), &line), 0)["second"];
    let factor = |name: &str| second[name].as_f64().expect("a factor");
    assert!(
        (factor("requests_factor") - 4.26).abs() < 0.02,
        "{second:#}"
    );
    assert!((factor("size_factor") - 1.71).abs() < 0.02, "{second:#}");
    assert!(
        (factor("scaling_efficiency") - 0.53).abs() < 0.01,
        "{second:#}"
    );
    assert_eq!(second["prediction"]["held"], true);
}

/// Whether a page is whole: it ends, each figure is drawn, and no sentence lacks its words.
fn check_page(html: &str, figures: &[&str]) {
    assert!(html.trim_end().ends_with("</html>"));
    for figure in figures {
        let begin = format!("<figure id=\"{figure}\">");
        let rest = html.split_once(&begin).map(|(_, rest)| rest);
        let rest = rest.unwrap_or_else(|| panic!("no figure {figure}"));
        assert!(rest.contains("</svg>"), "{figure} is drawn");
    }
    for lacks in ["{label-", "{explain-", "{trace-", "{ $", "NaN"] {
        assert!(!html.contains(lacks), "{lacks}");
    }
}

#[test]
fn the_page_shows_the_finding_and_where_the_application_stands_in_each_language() {
    let folder = tempfile::tempdir().expect("folder");
    let counters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/pdh");
    let counters = counters.join("e5-one-thread.csv").display().to_string();
    for (tag, words) in [
        ("en", ["you are here", "One request at a time"]),
        ("zh-CN", ["当前位置", "每次只有一个请求"]),
        ("ja", ["現在の位置", "要求は 1 件ずつ"]),
    ] {
        let line =
            format!("explain {counters} --ceiling 280m --report {tag}.html --language {tag}");
        output_of(plumb_in(folder.path(), &line), 0);
        let html = fs::read_to_string(folder.path().join(format!("{tag}.html"))).expect("a page");
        check_page(&html, &["operating_curve", "outstanding_over_time"]);
        for words in words {
            assert!(html.contains(words), "{tag}: {words}");
        }
        assert!(html.contains("<code>too_few_outstanding_requests</code>"));
        assert!(html.contains("--prove"), "the experiment");
    }
    // What is there and is no page of plumb's is not written over.
    fs::write(folder.path().join("mine.html"), "mine").expect("written");
    let line = format!("explain {counters} --report mine.html");
    let refused = refusal_of(plumb_in(folder.path(), &line));
    assert!(refused.contains("mine.html"), "{refused}");
}

#[test]
fn the_page_of_a_capture_shows_its_calls() {
    let folder = tempfile::tempdir().expect("folder");
    let capture = captures().join("reads.pcap").display().to_string();
    // The capture is too short to explain, and shown all the same.
    for (verb, code) in [("trace --pcap", 0), ("explain", 2)] {
        let line = format!("{verb} {capture} --report page.html");
        output_of(plumb_in(folder.path(), &line), code);
        let html = fs::read_to_string(folder.path().join("page.html")).expect("a page");
        let figures = ["outstanding_over_time", "time_by_command", "size_and_time"];
        check_page(&html, &figures);
    }
}

#[test]
fn whatever_was_recorded_becomes_a_page() {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let counters = testdata.join("pdh/e5-one-thread.csv").display().to_string();
    let capture = captures().join("reads.pcap").display().to_string();
    let page_of = |line: &str, name: &str, figures: &[&str]| {
        output_of(plumb_in(place, line), 0);
        let html = fs::read_to_string(place.join(name)).unwrap_or_else(|_| panic!("no {name}"));
        check_page(&html, figures);
        html
    };
    let calls = ["outstanding_over_time", "time_by_command", "size_and_time"];
    page_of(&format!("report {capture}"), "reads.html", &calls);
    let line = format!("report {counters} --ceiling 280m");
    let html = page_of(&line, "e5-one-thread.html", &["operating_curve"]);
    assert!(html.contains("294 MB/s"), "the ceiling");
    // What was proven stands beside its finding.
    fs::create_dir(place.join("t")).expect("a folder");
    let prove = "--prove --target t --rounds 2 --time 100ms --quiet --output before.json";
    let line = format!("explain {counters} {prove}");
    output_of(plumb_in(place, &line), 0);
    let html = page_of("report before.json", "before.html", &["operating_curve"]);
    let (_, finding) = html.split_once("<article").expect("a finding");
    let (finding, _) = finding.split_once("</article>").expect("a finding");
    assert!(finding.contains("v-undecided"), "two rounds prove nothing");
    assert!(finding.contains("8 outstanding"), "{finding}");
    // A run.
    let run = "run --target t --pattern random-read --size 4m --time 300ms --quiet --no-report";
    output_of(plumb_in(place, &format!("{run} --output a.plumb")), 0);
    let html = page_of("report a.plumb", "a.plumb/report.html", &[]);
    assert!(html.contains("random-read"));
    for (line, words) in [
        ("report absent", ["absent", "no such"]),
        ("report a.plumb --from 1s", ["a.plumb", "--from"]),
        ("report before.json --from 1s", ["before.json", "--from"]),
        (
            "report before.json --output run.json",
            ["run.json", "not a plumb report"],
        ),
    ] {
        fs::write(place.join("run.json"), "mine").expect("written");
        let refused = refusal_of(plumb_in(place, line));
        let all = words.iter().all(|word| refused.contains(word));
        assert!(all, "{line}: {refused}");
    }
}

#[test]
fn what_cannot_be_explained_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("text"), "no recording").expect("written");
    fs::write(
        folder.path().join("x.json"),
        "{\"schema\": \"plumb-explain-1\"}",
    )
    .expect("written");
    let reads = captures().join("reads.pcap").display().to_string();
    for (line, words) in [
        (
            "explain absent.pcap".to_string(),
            ["absent.pcap", "no such"],
        ),
        ("explain text".to_string(), ["text", "unknown format"]),
        (
            "explain x.json".to_string(),
            ["x.json", "not an explanation"],
        ),
        (
            format!("explain {reads} --from 2s --to 1s"),
            ["--from", "empty"],
        ),
    ] {
        let refused = refusal_of(plumb_in(folder.path(), &line));
        assert!(
            words.iter().all(|word| refused.contains(word)),
            "{line}: {refused}"
        );
    }
}
