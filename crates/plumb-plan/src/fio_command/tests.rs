//! Command lines in, sections out.

use super::*;
use crate::fio_job::Surroundings;

fn read(line: &str) -> Result<FioCommand, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
    parse(&words)
}

fn understood(line: &str, file: &str) -> Result<Understood, String> {
    let command = read(line)?;
    let mut surroundings = Surroundings {
        include: &mut |_| Err("none".into()),
        variable: &|_| None,
        pattern: &|_| Err("no file".into()),
        keyword: &|_| None,
    };
    command
        .understood(&mut |_| Ok(file.to_string()), &mut surroundings)
        .map_err(|error| error.to_string())
}

/// The keys of the first step's main job, as text.
fn key(understood: &Understood, step: usize, key: &str) -> Option<String> {
    let job = &understood.job.plan.steps[step].main;
    let entry = job.entries.iter().find(|entry| entry.key == key)?;
    Some(entry.text.clone())
}

#[test]
fn options_are_written_in_every_way_that_fio_takes() {
    for line in [
        "--name=a --rw=randread --bs=8k --size=1m --time_based --runtime=5",
        "-name=a -rw=randread -bs=8k -size=1m -time_based -runtime=5",
        "--name a --rw randread --bs 8k --size 1m --time_based --runtime 5",
        "-name a -rw randread -blocksize 8k -size 1m -time_based=1 -timeout 5",
        "--name=a --readwr=randread --bs=8k --size=1m --time_b --runt=5",
    ] {
        let found = understood(line, "").unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(key(&found, 0, "block").as_deref(), Some("8k"), "{line}");
        assert_eq!(key(&found, 0, "time").as_deref(), Some("5s"), "{line}");
        assert_eq!(found.job.plan.steps[0].main.name, "a");
    }
}

#[test]
fn what_stands_before_the_first_name_concerns_all_jobs() {
    let found = understood(
        "--bs=16k --size=1m --name=a --rw=read --name=b --rw=write --bs=4k --stonewall --name=c",
        "",
    )
    .expect("jobs");
    let names: Vec<&str> = found.written.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(key(&found, 0, "block").as_deref(), Some("16k"));
    assert_eq!(key(&found, 1, "block").as_deref(), Some("4k"));
    assert_eq!(found.written[2].value("bs"), Some("16k"));
    assert!(found.written[1].is_on("stonewall") && !found.written[2].is_on("stonewall"));
    assert_eq!(
        found.global,
        [
            ("bs".into(), Some("16k".into())),
            ("size".into(), Some("1m".into()))
        ]
    );
    // A section by the name global is one.
    let found =
        understood("--name=global --bs=2k --size=1m --name=a --rw=read", "").expect("a job");
    assert_eq!(
        (found.written.len(), found.written[0].value("bs")),
        (1, Some("2k"))
    );
}

#[test]
fn job_files_come_after_the_jobs_of_the_command_line_and_inherit_from_it() {
    let file = "[global]\nbs=4k\n[x]\nrw=read\n[y]\nrw=write\nstonewall\n";
    let found = understood("--size=2m job.txt --runtime=3", file).expect("jobs");
    assert_eq!(found.written.len(), 2);
    assert_eq!(key(&found, 1, "time").as_deref(), Some("3s"));
    assert_eq!(found.job.plan.name, "job.txt");
    let found = understood("--size=2m --name=first --rw=read -", file).expect("jobs");
    let names: Vec<&str> = found.written.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["first", "x", "y"]);
    let lines: Vec<usize> = found.written.iter().map(|job| job.line).collect();
    assert!(lines.is_sorted_by(|a, b| a < b), "{lines:?}");
    let found = understood("--size=2m --section=y job.fio", file).expect("a job");
    assert_eq!(found.written.len(), 1);
    assert!(understood("--size=2m --section=z job.fio", file).is_err());
}

#[test]
fn files_that_fio_leaves_are_left() {
    let found = understood("--name=a --rw=write --size=1m", "").expect("a job");
    assert_eq!(key(&found, 0, "keep").as_deref(), Some("true"));
    let found = understood("--name=a --rw=write --size=1m --unlink=1", "").expect("a job");
    assert_ne!(key(&found, 0, "keep").as_deref(), Some("true"));
}

#[test]
fn options_of_the_output_are_kept_for_it_and_change_nothing_of_the_work() {
    let found = understood(
        "--name=a --rw=read --size=1m --gtod_reduce=1 --percentile_list=50:99 --lat_percentiles=1 --unified_rw_reporting=mixed",
        "",
    )
    .expect("a job");
    let remarked = found.job.remarks.join("; ");
    assert!(
        !remarked.contains("gtod_reduce") && !remarked.contains("percentile"),
        "{remarked}"
    );
    let written = &found.written[0];
    assert_eq!(
        (
            written.value("percentile_list"),
            written.value("unified_rw_reporting")
        ),
        (Some("50:99"), Some("mixed"))
    );
    assert!(written.is_on("gtod_reduce"));
}

#[test]
fn settings_of_fio_itself() {
    let settings = |line: &str| read(line).expect("a command").settings;
    let found =
        settings("--output-format=json,normal --output=x.json --terse-version=5 --eta=never a.fio");
    let formats = found.formats();
    assert!(formats.json && formats.normal && !formats.terse && !formats.json_plus);
    assert_eq!(
        (found.terse_version, found.output),
        (Some(5), Some("x.json".into()))
    );
    assert!(settings("--minimal").formats().terse && !settings("--minimal").formats().normal);
    assert!(settings("--append-terse").formats().normal);
    // As fio 3.33: the later counts.
    let both = settings("--output-format=json --append-terse").formats();
    assert!(both.json && both.terse);
    let later = settings("--append-terse --output-format=json").formats();
    assert!(later.json && !later.terse);
    assert_eq!(
        settings("--status-interval=30").status_interval_ns,
        Some(30_000_000_000)
    );
    assert_eq!(settings("-v").answer, Some(Answer::Version));
    assert_eq!(
        settings("--cmdhelp=rw").answer,
        Some(Answer::OptionHelp("rw".into()))
    );
    assert_eq!(settings("--enghelp").answer, Some(Answer::EngineHelp(None)));
    // fio's overwrite has a value, plumb's word has none or a path.
    assert_eq!(settings("--overwrite --name=x").overwrite, Some(None));
    assert_eq!(
        settings("--overwrite=/dev/x").overwrite,
        Some(Some("/dev/x".into()))
    );
    assert_eq!(settings("--overwrite=1").overwrite, None);
    assert_eq!(settings("--name=a --overwrite 1").overwrite, None);
}

#[test]
fn what_is_wrong_is_named() {
    for (line, expected) in [
        ("--bogus=1", "unrecognized option '--bogus=1'"),
        ("--nmjobs=1", "did you mean 'numjobs'?"),
        ("--name=a --rw", "'--rw' requires an argument"),
        ("--verify_ba=1 --name=a", "is ambiguous"),
        ("--minimal=3", "takes no value"),
        ("--terse-version=9", "not one of 2, 3, 4 and 5"),
        (
            "--output-format=xml",
            "not one of normal, terse, json and json+",
        ),
        ("--client=host a.fio", "plumb launch --hosts"),
        ("--server", "plumb launch --hosts"),
        ("--trigger-remote=reboot", "use --trigger"),
        ("--status-interval=0", "too short"),
        ("--eta-interval=200ms", "the minimum is 250 ms"),
        ("--eta=soon", "not one of auto, always and never"),
        ("--max-jobs=0", "not a number of jobs"),
    ] {
        let error = read(line).expect_err(line);
        assert!(error.contains(expected), "{line}: {error}");
    }
    let error = |line: &str| understood(line, "").err().expect("refused");
    assert!(error("--name=a --rw=bogus --size=1m").contains("bogus"));
    assert!(error("--name=a --rw= --size=1m").contains("needs a value"));
    assert!(!read("--bs=4k").expect("no job").has_jobs());
}

#[test]
fn a_job_file_is_shown_as_a_command_line() {
    let file = "[global]\nrw=read\nsize=1m\n[a]\nbs=8k\ndescription=two words\n[b]\nstonewall\n";
    let command = read("g.fio").expect("a command");
    let mut surroundings = Surroundings {
        include: &mut |_| Err("none".into()),
        variable: &|_| None,
        pattern: &|_| Err("no file".into()),
        keyword: &|_| None,
    };
    let line = shown(&command, &mut |_| Ok(file.to_string()), &mut surroundings).expect("a line");
    assert_eq!(
        line,
        "fio --rw=read --size=1m --name=a --bs=8k '--description=two words' --name=b --stonewall"
            .replace("'--description=two words'", "--description='two words'")
            + "\n"
    );
}
