//! Does `plumb fio` describe options, engines and progress in fio's format, and name unsupported ones?

use std::process::Output;

use crate::fio_pair::{by_fio, by_plumb};
use crate::{output_of, plumb_in};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What stands before the colon of each line: the names of a list, or of the facts of one option.
fn names(output: &Output) -> Vec<String> {
    let text = text(&output.stdout);
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(name, _)| name.trim().to_string()).collect()
}

#[test]
fn options_are_told_in_fios_form() {
    let folder = tempfile::tempdir().expect("folder");
    let own = names(&by_plumb(folder.path(), "--cmdhelp"));
    if let Some(of_fio) = by_fio(folder.path(), "--cmdhelp") {
        for name in names(&of_fio) {
            assert!(own.contains(&name), "{name} is not listed");
        }
    }
    for option in [
        "rw",
        "blocksize",
        "iodepth",
        "percentile_list",
        "time_based",
    ] {
        let line = format!("--cmdhelp={option}");
        let own = by_plumb(folder.path(), &line);
        assert_eq!(own.status.code(), Some(0), "{option}");
        let mut facts = names(&own);
        assert_eq!(facts.pop().as_deref(), Some("in plumb"), "{option}");
        if let Some(of_fio) = by_fio(folder.path(), &line) {
            assert_eq!(facts, names(&of_fio), "{option}");
            let value = |output: &Output, name: &str| {
                let text = text(&output.stdout);
                let row = text.lines().find(|line| line.trim().starts_with(name));
                row.map(|row| row.trim().to_string())
            };
            for fact in ["default:", "alias:"] {
                assert_eq!(value(&own, fact), value(&of_fio, fact), "{option}");
            }
        }
    }
}

/// What scripts look at: the exit code, and the words that say so.
#[test]
fn what_there_is_none_of_is_told_as_fio_tells_it() {
    let folder = tempfile::tempdir().expect("folder");
    for (line, code, expected) in [
        ("--cmdhelp=nonsense7", 0, "No such command: nonsense7"),
        ("--cmdhelp=iodepht", 0, " - showing closest match"),
        ("--enghelp", 0, "Available IO engines:"),
        ("--enghelp=libaio", 0, "cmdprio_percentage"),
        ("--enghelp=libaio,nowait", 0, "nowait"),
        ("--enghelp=libaio,rw", 1, "No such command: rw"),
        ("--enghelp=psync", 1, "IO engine psync has no options"),
        ("--enghelp=nonsense", 1, "IO engine nonsense not found"),
        ("--showcmd", 0, ""),
    ] {
        for output in [
            Some(by_plumb(folder.path(), line)),
            by_fio(folder.path(), line),
        ]
        .into_iter()
        .flatten()
        {
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{line}: {said}");
            assert!(said.contains(expected), "{line}: {said}");
        }
    }
}

/// Rates in bits, where that is asked for, in all lines as under fio.
#[test]
fn rates_are_told_in_bits_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("folder");
    for (options, expected) in [
        ("--unit_base=1", 2),
        ("--unit_base=8", 0),
        (
            "--unit_base=1 --name=b --rw=read --size=1m --unit_base=8",
            1,
        ),
    ] {
        let line = format!("--name=a --rw=read --size=1m {options}");
        let own = by_plumb(folder.path(), &line);
        let of_bits = |output: &Output| {
            let text = text(&output.stdout);
            let lines = text
                .lines()
                .filter(|line| line.contains("bit/s (") && line.contains("bit/s)"));
            lines.count()
        };
        assert_eq!(of_bits(&own), expected, "{}", text(&own.stdout));
        if let Some(of_fio) = by_fio(folder.path(), &line) {
            assert_eq!(of_bits(&of_fio), expected, "{}", text(&of_fio.stdout));
        }
    }
}

#[test]
fn options_of_engines_that_plumb_does_not_have_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    for (engine, options) in [
        ("rbd", "--pool=p --rbdname=r --clientname=c"),
        ("rados", "--conf=x --touch_objects=0"),
        ("gfapi", "--volume=v --brick=b"),
        ("nbd", "--uri=nbd://h"),
        ("http", "--http_host=h --http_s3_key=k"),
        ("sg", "--stream_id=3"),
        ("libpmem", ""),
    ] {
        for asked in [format!("--ioengine={engine}"), String::new()] {
            if asked.is_empty() && options.is_empty() {
                continue;
            }
            let line = format!("--name=a --size=64k {asked} {options}");
            let refused = by_plumb(folder.path(), &line);
            let said = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{line}: {said}");
            let is_named = said.contains(engine) || options.is_empty();
            assert!(is_named, "{line}: {said}");
            assert!(!said.contains("unrecognized"), "{line}: {said}");
            assert!(!said.contains("has no option"), "{line}: {said}");
        }
    }
}

/// Lines end where `--eta-newline` says, and each has fio's parts.
#[test]
fn progress_is_told_as_fio_tells_it() {
    let folder = tempfile::tempdir().expect("folder");
    let job = "--name=a --rw=randrw --size=1m --rate_iops=200,100 --time_based --runtime=3200ms";
    let line = format!("{job} --eta=always --eta-newline=1");
    let has_parts = |text: &str, least: usize| {
        let lines: Vec<&str> = text
            .split(['\r', '\n'])
            .filter(|line| line.starts_with("Jobs: 1 (f=1)") && line.contains(" IOPS]["))
            .collect();
        assert!(lines.len() >= least, "{text}");
        for line in &lines {
            for part in ["[m(1)]", "%][r=", ",w=", "[eta 00m:"] {
                assert!(line.contains(part), "{part}: {line}");
            }
        }
    };
    let own = output_of(plumb_in(folder.path(), &format!("fio {line}")), 0);
    has_parts(&own, 2);
    assert!(
        own.matches("]\n").count() + own.matches("] \n").count() >= 2,
        "{own}"
    );
    if let Some(of_fio) = by_fio(folder.path(), &line) {
        // It leaves its first lines without rates, as long as it guesses the time that is left.
        has_parts(&text(&of_fio.stdout), 1);
    }
    // A result that programs read has no such lines, nor has one for which nobody asked.
    for options in ["--eta=always --output-format=json", "--eta-newline=1", ""] {
        let line = format!("{job} {options}").replace("3200ms", "1200ms");
        let own = output_of(plumb_in(folder.path(), &format!("fio {line}")), 0);
        assert!(!own.contains("[eta"), "{own}");
        if let Some(of_fio) = by_fio(folder.path(), &line) {
            assert!(!text(&of_fio.stdout).contains("[eta"), "{options}");
        }
    }
    for (option, why) in [
        ("--eta-interval=100ms", "too short"),
        ("--eta-newline=0", "too short"),
    ] {
        let refused = by_plumb(folder.path(), &format!("{job} {option}"));
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains(why));
        let of_fio = by_fio(folder.path(), &format!("{job} {option}"));
        assert!(of_fio.is_none_or(|output| output.status.code() == Some(1)));
    }
}
