//! Do configuration files as Iometer writes them become the plans that ask for the same?

use super::*;
use crate::{Overrides, PlanKind, resolve};

/// As Iometer 1.1.0 writes it.
const WHOLE: &str = include_str!("../../../../testdata/iometer/whole.icf");

fn taken(text: &str) -> IometerConfiguration {
    read(text, "dir/my.icf").unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    read(text, "dir/my.icf").expect_err(text).to_string()
}

fn keys(step: &StepFile) -> Vec<String> {
    let mut keys: Vec<String> = step
        .main
        .entries
        .iter()
        .map(|entry| format!("{}={}", entry.key, entry.text))
        .collect();
    keys.sort();
    keys
}

#[test]
fn a_whole_file_is_a_step_for_each_access_specification() {
    let found = taken(WHOLE);
    let names: Vec<&str> = found
        .plan
        .steps
        .iter()
        .map(|step| step.main.name.as_str())
        .collect();
    assert_eq!(
        (found.plan.name.as_str(), found.plan.title.as_str()),
        ("my", "File server, 1 to 64 outstanding")
    );
    assert_eq!(
        names,
        ["File Server", "4 KiB; 100% Read; 0% random", "Default"]
    );
    let [files, stream, default] = found.plan.steps.as_slice() else {
        panic!("three steps")
    };
    assert_eq!(
        keys(stream),
        [
            "access=4k reads 100 random 0 align 4k",
            "compress-percent=100",
            "direct=try",
            "layout=shared",
            "size=1g",
            "start=64k",
            "time=1m",
            "warm-up=10s",
            "workers=2"
        ]
    );
    assert!(
        keys(files)[0]
            .starts_with("access=512 share 10 reads 80 random 100; 1k share 5 reads 80 random 100"),
        "{:?}",
        keys(files)
    );
    assert_eq!(keys(default)[0], "access=2k reads 67 random 100");
    let depths: Vec<String> = ["1", "2", "4", "8", "16", "32", "64"]
        .map(String::from)
        .into();
    assert_eq!(files.sweep, [("depth".to_string(), depths)]);
    assert_eq!(
        found.remarks,
        ["target: Iometer's are C: \"System\"; give the directory, file or device with --target"]
    );
    let plan = resolve(&found.plan, &Overrides::default(), PlanKind::File)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(plan.steps.len(), 21);
    assert_eq!(plan.steps[6].jobs[0].workload.depth, 64);
}

/// Found by fuzzing: a text of many bytes and few letters was written as a title that no plan may have.
#[test]
fn a_long_description_in_any_script_is_a_title_that_a_plan_may_have() {
    let long = "\u{8a66}\u{9a13}".repeat(40);
    let found = taken(&WHOLE.replace("File server, 1 to 64 outstanding", &long));
    assert!(
        long.starts_with(&found.plan.title) && found.plan.title.len() > 90,
        "{}",
        found.plan.title
    );
    assert_eq!(
        PlanFile::parse(&as_toml(&found), "my.toml").map(|plan| plan.title),
        Ok(found.plan.title)
    );
}

#[test]
fn the_written_plan_is_the_plan_that_was_read() {
    let found = taken(WHOLE);
    let toml = as_toml(&found);
    assert!(
        toml.starts_with("# Made from Iometer's configuration file dir/my.icf.\n# target: "),
        "{toml}"
    );
    let again = PlanFile::parse(&toml, "my.toml").unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let resolved = |file: &PlanFile| {
        resolve(file, &Overrides::default(), PlanKind::File)
            .unwrap_or_else(|error| panic!("{error}\n{toml}"))
    };
    assert_eq!(resolved(&again), resolved(&found.plan));
}

#[test]
fn test_types_are_sweeps() {
    let of = |word: &str| {
        let found = taken(&WHOLE.replace("CYCLE_OUTSTANDING_IOS\n", &format!("{word}\n")));
        let sweep: Vec<String> = found.plan.steps[0]
            .sweep
            .iter()
            .map(|(key, values)| format!("{key}={}", values.join(",")))
            .collect();
        (
            sweep,
            found
                .remarks
                .iter()
                .any(|remark| remark.starts_with("cycling of targets")),
        )
    };
    assert_eq!(of("NORMAL"), (vec![], false));
    assert_eq!(of("CYCLE_WORKERS"), (vec!["workers=1,2".into()], false));
    assert_eq!(
        of("CYCLE_WORKERS_AND_TARGETS"),
        (vec!["workers=1,2".into()], true)
    );
    assert_eq!(of("INCREMENT_TARGETS_PARALLEL"), (vec![], true));
    assert_eq!(
        of("7"),
        (vec!["depth=1,2,4,8,16,32,64".into()], true),
        "old files have numbers"
    );
    let linear = taken(&WHOLE.replace("64         2          EXPONENTIAL", "20 5 LINEAR"));
    assert_eq!(linear.plan.steps[0].sweep[0].1, ["1", "6", "11", "16"]);
}

#[test]
fn what_differs_is_told() {
    let remarked = |text: &str, expected: &str| {
        let remarks = taken(text).remarks;
        assert!(
            remarks.iter().any(|remark| remark.contains(expected)),
            "{expected}: {remarks:?}"
        );
    };
    let specifications = &WHOLE
        [WHOLE.find("'ACCESS").expect("specifications")..WHOLE.find("'MANAGER").expect("managers")];
    remarked(specifications, "assigns no disk worker");
    remarked(specifications, "until stopped manually");
    remarked(
        &WHOLE.replacen("8,DISABLED", "9,DISABLED", 1),
        "the workers differ",
    );
    remarked(
        &WHOLE.replacen(
            "\tC: \"System\"\n",
            "\tC: \"System\"\n'Target type\n\tDISK\n'End target\n'Target\n\tD: \"\"\n",
            1,
        ),
        "has 2 targets in Iometer",
    );
    remarked(
        &WHOLE.replacen("'Worker type\n\tDISK", "'Worker type\n\tNETWORK,TCP", 1),
        "1 network workers are left out",
    );
    remarked(
        &WHOLE.replacen(
            "'Manager ID",
            "'Manager ID, manager name\n\t2,OTHER\n'Manager ID",
            1,
        ),
        "all 2 managers",
    );
    remarked(
        &WHOLE.replacen("\tFile Server\n", "\tIdle\n\tFile Server\n", 1),
        "Idle does nothing",
    );
}

#[test]
fn what_cannot_be_carried_out_is_refused_by_line() {
    for (from, to, expected) in [
        (
            "512,10,80,100,0,1,0,0",
            "512,10,80,100,0,1,0,64",
            "line 38: a reply of 64 bytes",
        ),
        (
            "512,10,80,100,0,1,0,0",
            "512,10,80,100",
            "expected eight numbers",
        ),
        (
            "512,10,80,100,0,1,0,0",
            "512,10,80,101,0,1,0,0",
            "expected eight numbers",
        ),
        (
            "512,10,80,100,0,1,0,0",
            "512,10,80,100,5,1,0,0",
            "pause alike",
        ),
        ("CYCLE_OUTSTANDING_IOS", "SIDEWAYS", "not one of NORMAL"),
        (
            "64         2          EXPONENTIAL",
            "64 1 EXPONENTIAL",
            "an increasing step",
        ),
        (
            "64         2          EXPONENTIAL",
            "64 2 ROUND",
            "neither LINEAR nor EXPONENTIAL",
        ),
        (
            "64         2          EXPONENTIAL",
            "99999 1 LINEAR",
            "more than 1000 values",
        ),
        (
            "0          1          0",
            "0 1",
            "hours, minutes and seconds",
        ),
        (
            "\tFile Server\n\t4 KiB",
            "\tNo Such\n\t4 KiB",
            "'No Such', which is not in the file",
        ),
    ] {
        assert!(WHOLE.contains(from), "{from}");
        let error = refused(&WHOLE.replacen(from, to, 1));
        assert!(
            error.contains(expected) && error.starts_with("dir/my.icf"),
            "{to}: {error}"
        );
    }
    assert!(
        refused("").contains("not an Iometer configuration file")
            && refused("[a]\nrw=read\n").contains("not an Iometer configuration file")
    );
    assert!(
        refused(&WHOLE.replace("'Worker type\n\tDISK", "'Worker type\n\tNETWORK,TCP"))
            .contains("network-stream")
    );
}

/// Files that were cut and filled with noise are read or refused, and never panic.
#[test]
fn mangled_files_never_panic() {
    let noise = [
        "'",
        "\n",
        ",",
        "\t",
        "0",
        "99999999999999999999",
        "-1",
        "ü",
        "\0",
        "'Worker\n",
        "'Target\n",
        "LINEAR",
        "\r",
    ];
    let mut state = 7u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut text = WHOLE.to_string();
        for _ in 0..=draw(3) {
            let mut at = draw(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match draw(3) {
                0 => text.truncate(at),
                _ => text.insert_str(at, noise[draw(noise.len())]),
            }
        }
        match read(&text, "x.icf") {
            Ok(found) => {
                taken += 1;
                let toml = as_toml(&found);
                PlanFile::parse(&toml, "again")
                    .unwrap_or_else(|error| panic!("{error}\n{text}\n{toml}"));
            }
            Err(error) => {
                refused += 1;
                assert!(!error.message.is_empty());
            }
        }
    }
    assert!(
        taken > 300 && refused > 300,
        "{taken} taken, {refused} refused"
    );
}
