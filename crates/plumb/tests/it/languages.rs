//! Does plumb use the requested language, on the page and in the terminal, while output for programs stays the same?

use std::fs;

use crate::{output_of, plumb_in};

const RUN: &str = "run --target null: --pattern random-read --block 4k --size 1m --time 200ms --rounds 2 --output out --quiet";

#[test]
fn the_flag_counts_before_the_variable_and_that_before_the_locale() {
    let place = tempfile::tempdir().expect("a folder");
    output_of(plumb_in(place.path(), RUN), 0);
    let shown = |flag: &str, variables: &[(&str, &str)]| {
        let mut command = plumb_in(place.path(), &format!("show out {flag}"));
        for name in ["PLUMB_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        output_of(command, 0)
    };
    let (chinese, japanese) = ("随机读", "ランダムリード");
    let all = [
        ("PLUMB_LANGUAGE", "ja"),
        ("LANG", "zh_CN.UTF-8"),
        ("LC_ALL", ""),
    ];
    assert!(shown("", &all).contains(japanese));
    assert!(shown("", &all[1..]).contains(chinese));
    assert!(shown("--language zh-CN", &all).contains(chinese));
    assert!(shown("--language en", &all).contains("Random 4 KiB reads"));
    assert!(shown("", &[("LANG", "de_DE.UTF-8")]).contains("Random 4 KiB reads"));
    assert!(shown("", &[]).contains("Random 4 KiB reads"));
}

#[test]
fn a_language_that_plumb_does_not_speak_is_refused_with_those_that_it_does() {
    let place = tempfile::tempdir().expect("a folder");
    let mut by_variable = plumb_in(place.path(), "plans");
    by_variable.env("PLUMB_LANGUAGE", "tlh");
    for mut command in [plumb_in(place.path(), "plans --language tlh"), by_variable] {
        let output = command.output().expect("started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        for part in ["'tlh'", "en (English)", "zh-CN (简体中文)", "ja (日本語)"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}

#[test]
fn pages_are_in_the_language_and_what_programs_read_is_not() {
    let place = tempfile::tempdir().expect("a folder");
    output_of(plumb_in(place.path(), RUN), 0);
    let json = output_of(plumb_in(place.path(), "show out --json"), 0);
    for (tag, parts) in [
        (
            "zh-CN",
            [
                "<h2>结论</h2>",
                "吞吐量随时间的变化",
                "测试计划",
                "队列深度",
            ],
        ),
        (
            "ja",
            [
                "<h2>判定</h2>",
                "スループットの推移",
                "測定計画",
                "キュー深度",
            ],
        ),
    ] {
        let page = format!("{tag}.html");
        let line = format!("show out --language {tag} --report {page}");
        output_of(plumb_in(place.path(), &line), 0);
        let html = fs::read_to_string(place.path().join(&page)).expect("a page");
        assert!(html.contains(&format!("<html lang=\"{tag}\">")), "{tag}");
        for part in parts {
            assert!(html.contains(part), "{tag}: {part}");
        }
        // What a catalogue lacks would show as its identifier in braces.
        for fault in ["{label-", "{$", "{page-", "{chart-"] {
            assert!(!html.contains(fault), "{tag}: {fault}");
        }
        let line = format!("show out --json --language {tag}");
        assert_eq!(output_of(plumb_in(place.path(), &line), 0), json, "{tag}");
    }
}
