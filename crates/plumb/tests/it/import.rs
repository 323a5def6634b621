//! Do files of other programs become run folders that can be shown, listed and compared, and does a bad file leave the others unaffected?

use std::path::Path;

use crate::{json_of, left_in, output_of, plumb_in, refusal_of};

const DD: &str = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.5 s, 2.1 GB/s\n";

fn place_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("folder");
    files
        .iter()
        .for_each(|(name, text)| std::fs::write(place.path().join(name), text).expect("written"));
    place
}

/// Standard output and error of a command that ends with this exit code.
fn told(place: &Path, line: &str, code: i32) -> (String, String) {
    let output = plumb_in(place, line).output().expect("started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        output.status.code(),
        Some(code),
        "{line}: {}",
        text(&output.stderr)
    );
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_run_of_another_program_is_shown_listed_and_compared() {
    let place = place_with(&[("dd.txt", DD)]);
    let (out, err) = told(place.path(), "import dd.txt dd.txt --tag old", 0);
    assert!(
        out.contains("dd.txt: dd (dd), 1 step: plumb show plumb-import-dd.plumb\n"),
        "{out}"
    );
    assert!(
        out.contains("plumb show plumb-import-dd-2.plumb")
            && out.contains("  ? dd's time covers")
            && err.is_empty(),
        "{out}{err}"
    );
    assert_eq!(
        left_in(place.path()),
        ["dd.txt", "plumb-import-dd-2.plumb", "plumb-import-dd.plumb"]
    );
    let summary = json_of(
        plumb_in(place.path(), "show plumb-import-dd.plumb --json"),
        0,
    );
    assert_eq!(
        summary["steps"][0]["operations"]["write"]["bandwidth_bytes_per_s"],
        2_147_483_648.0
    );
    assert_eq!(
        (
            &summary["started"],
            &summary["steps"][0]["response_ns"]["mean"]
        ),
        (&"".into(), &serde_json::Value::Null)
    );
    let shown = output_of(
        plumb_in(
            place.path(),
            "show plumb-import-dd.plumb --report page.html",
        ),
        0,
    );
    assert!(shown.contains("plan dd · –"), "{shown}");
    assert!(
        std::fs::read_to_string(place.path().join("page.html"))
            .expect("page")
            .contains("GB/s")
    );
    let list = output_of(plumb_in(place.path(), "list --tag old"), 0);
    assert!(
        list.starts_with("2 runs")
            && list.contains("–  ")
            && list.contains("plumb-import-dd-2.plumb"),
        "{list}"
    );
    // When it ran is not known, so that it is in no span of time.
    assert_eq!(
        json_of(plumb_in(place.path(), "list --until 2100-01-01 --json"), 0)["runs"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
    let compared = output_of(
        plumb_in(
            place.path(),
            "compare plumb-import-dd.plumb plumb-import-dd-2.plumb",
        ),
        0,
    );
    assert!(
        compared.contains("2.15 GB/s") && !compared.contains("after A"),
        "{compared}"
    );
}

#[test]
fn a_bad_file_is_named_with_its_line_and_the_others_go_on() {
    let broken = format!("{DD}17 bytes copied, unknown\n");
    let place = place_with(&[
        ("a.txt", DD),
        ("broken.txt", &broken),
        ("diary.txt", "Dear diary,\n"),
        ("b.txt", DD),
    ]);
    std::fs::create_dir(place.path().join("folder")).expect("made");
    let (out, err) = told(
        place.path(),
        "import a.txt broken.txt diary.txt folder missing.txt b.txt --output lib",
        2,
    );
    assert_eq!(out.matches("plumb show").count(), 2, "{out}");
    assert_eq!(
        left_in(&place.path().join("lib")),
        ["plumb-import-a.plumb", "plumb-import-b.plumb"]
    );
    for part in [
        "broken.txt: line 4: expected",
        "diary.txt: has an unknown format",
        "folder: is a folder",
        "missing.txt: cannot be opened",
    ] {
        assert!(err.contains(part), "'{part}' is not in {err}");
    }
    let result = json_of(plumb_in(place.path(), "import a.txt diary.txt --json"), 2);
    assert_eq!(
        (&result["schema"], &result["runs"][0]["steps"]),
        (&"plumb-import-1".into(), &1.into())
    );
    assert_eq!(
        (
            &result["failures"][0]["file"],
            &result["runs"][0]["started"]
        ),
        (&"diary.txt".into(), &serde_json::Value::Null)
    );
}

#[test]
fn kinds_are_listed_and_one_can_be_asked_for() {
    let place = place_with(&[("diary.txt", "Dear diary,\n")]);
    let list = output_of(plumb_in(place.path(), "import --list"), 0);
    assert!(list.lines().any(|line| line.starts_with("dd ")), "{list}");
    assert!(
        refusal_of(plumb_in(place.path(), "import diary.txt --as fio-jso"))
            .contains("choose one of")
    );
    let refused = refusal_of(plumb_in(place.path(), "import diary.txt --as dd"));
    assert!(
        refused.contains("diary.txt: expected a line like"),
        "{refused}"
    );
    assert!(refusal_of(plumb_in(place.path(), "import")).contains("<FILE>"));
    assert_eq!(left_in(place.path()), ["diary.txt"]);
}

#[test]
fn a_job_file_of_fio_becomes_a_plan_that_runs() {
    let job = "; a job\n[global]\nioengine=libaio\nrw=randread\nbs=4k\nsize=1m\nruntime=50ms\ntime_based\ndisable_clat=1\n\n[reads]\niodepth=2\n";
    let place = place_with(&[("old.fio", job), ("job", job)]);
    std::fs::create_dir(place.path().join("data")).expect("made");
    let (out, err) = told(place.path(), "import old.fio job old.fio", 0);
    assert!(
        out.contains("old.fio: fio job file, converted to a plan: plumb run old.toml\n")
            && err.is_empty(),
        "{out}{err}"
    );
    assert!(
        out.contains("plumb run job.toml") && out.contains("plumb run old-2.toml"),
        "nothing is overwritten: {out}"
    );
    assert!(
        out.contains("disable_clat"),
        "what has no effect here is named: {out}"
    );
    let summary = crate::measured(plumb_in(
        place.path(),
        "run old.toml data --json --quiet --no-report",
    ));
    assert_eq!(summary["steps"][0]["asked_depth"], 2.0, "{summary}");
    assert!(
        summary["steps"][0]["operations"]["read"]["count"]
            .as_u64()
            .expect("reads")
            > 0
    );
    let error = told(place.path(), "import data", 2).1;
    assert!(error.contains("folder"), "{error}");
}

#[test]
fn a_result_is_shown_compared_and_exported_as_it_is() {
    let folder = tempfile::tempdir().expect("folder");
    let bonnie = include_str!("../../../../testdata/imported/bonnie/2.00a.csv");
    std::fs::write(folder.path().join("result.csv"), bonnie).expect("written");
    let shown = output_of(plumb_in(folder.path(), "show result.csv"), 0);
    assert!(
        shown.contains("measured by bonnie++ 2.00a, imported from result.csv"),
        "{shown}"
    );
    output_of(plumb_in(folder.path(), "compare result.csv result.csv"), 0);
    assert!(
        output_of(
            plumb_in(folder.path(), "export result.csv --format markdown"),
            0
        )
        .contains("bonnie++")
    );
    assert_eq!(left_in(folder.path()), ["result.csv"]);
    std::fs::write(
        folder.path().join("two.csv"),
        format!("{bonnie}\n{}", bonnie.replace(",64M,", ",32M,")),
    )
    .expect("written");
    for (line, reason) in [
        (
            "show two.csv",
            "contains 2 runs; `plumb import two.csv` creates a run folder of each",
        ),
        ("show job.fio", "run it with `plumb run job.fio`"),
        (
            "compare result.csv nothing",
            "nothing: has an unknown format",
        ),
        (
            "import app.strace",
            "it is a trace of calls or packets: use 'plumb trace app.strace' to show it",
        ),
        (
            "import windows.etl",
            "it is a trace of calls or packets, not a result; use 'plumb trace windows.etl' to show it",
        ),
    ] {
        std::fs::write(
            folder.path().join("app.strace"),
            "7 1700000000.000001 read(3, \"a\", 1) = 1 <0.000010>\n",
        )
        .expect("written");
        std::fs::write(folder.path().join("windows.etl"), [0; 4096]).expect("written");
        std::fs::write(folder.path().join("job.fio"), "[a]\nrw=read\nsize=1m\n").expect("written");
        std::fs::write(folder.path().join("nothing"), "no result of any program\n")
            .expect("written");
        let said = refusal_of(plumb_in(folder.path(), line));
        assert!(
            reason.split(": ").all(|part| said.contains(part)),
            "{line}: {said}"
        );
    }
}

#[test]
fn results_of_the_same_work_are_rounds_of_one_run() {
    let dd = |hundredths: u32| {
        format!(
            "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.{hundredths} s\n"
        )
    };
    let files: Vec<(String, String)> = (0..6)
        .zip([3, 0, 4, 1, 5, 2])
        .flat_map(|(turn, more)| {
            [
                (format!("old-{turn}.txt"), dd(80 + more)),
                (format!("new-{turn}.txt"), dd(40 + more)),
            ]
        })
        .collect();
    let named: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let place = place_with(&named);
    let names = |side: &str| {
        (0..6)
            .map(|turn| format!("{side}-{turn}.txt"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let alone = json_of(
        plumb_in(place.path(), "compare old-0.txt new-0.txt --json"),
        0,
    )["verdict"]
        .to_string();
    assert!(
        alone.contains(
            "Run dd on both at least 6 times, and import the results of each as rounds of one run"
        ),
        "{alone}"
    );
    let out = told(
        place.path(),
        &format!("import --rounds {}", names("old")),
        0,
    )
    .0;
    assert!(
        out.contains("old-0.txt, old-1.txt")
            && out.contains("dd (dd), 1 step in 6 rounds: plumb show plumb-import-old-0.plumb"),
        "{out}"
    );
    let result = json_of(
        plumb_in(
            place.path(),
            &format!("import --json --rounds {}", names("new")),
        ),
        0,
    );
    assert_eq!(
        (
            &result["runs"][0]["rounds"],
            result["runs"].as_array().map(Vec::len)
        ),
        (&6.into(), Some(1))
    );
    let compared = json_of(
        plumb_in(
            place.path(),
            "compare plumb-import-old-0.plumb plumb-import-new-0.plumb --json",
        ),
        0,
    );
    let cell = &compared["cells"][0];
    let rounds = |side: usize| {
        cell["sides"][side]["rounds"]
            .as_array()
            .map(|rounds| rounds.iter().filter(|round| round.is_number()).count())
    };
    assert_eq!(
        (rounds(0), rounds(1), &cell["effects"][0]["verdict"]),
        (Some(6), Some(6), &"better".into()),
        "{cell}"
    );
    let shown = json_of(
        plumb_in(place.path(), "show plumb-import-old-0.plumb --json"),
        0,
    );
    assert_eq!(
        (&shown["state"], &shown["steps"][0]["total"]["bytes"]),
        (&"finished".into(), &(6_u64 << 30).into())
    );
}

#[test]
fn what_is_no_round_of_the_others_is_told_and_nothing_is_made() {
    let bonnie = include_str!("../../../../testdata/imported/bonnie/2.00a.csv");
    let smaller = bonnie.replace(",64M,", ",32M,");
    let files = [
        ("a.txt", DD),
        ("same.txt", DD),
        ("b.csv", bonnie),
        ("smaller.csv", &smaller),
        ("job.fio", "[a]\nrw=read\nsize=1m\n"),
    ];
    let place = place_with(&files);
    for (words, reason) in [
        ("a.txt", "there is only one; name the others too"),
        (
            "a.txt same.txt",
            "a.txt and same.txt hold the same result, which is not a second measurement",
        ),
        (
            "b.csv smaller.csv",
            "b.csv and smaller.csv are not rounds of one measurement: step '",
        ),
        (
            "a.txt b.csv",
            "a.txt and b.csv are not rounds of one measurement: one is from dd, the other from bonnie++ 2.00a",
        ),
        (
            "a.txt job.fio",
            "job.fio: describes a measurement, it is not a result",
        ),
        ("a.txt missing.txt", "missing.txt: cannot be opened"),
    ] {
        let error = refusal_of(plumb_in(place.path(), &format!("import --rounds {words}")));
        assert!(error.contains(reason), "{words}: {error}");
        assert_eq!(left_in(place.path()).len(), files.len(), "{words}");
    }
}

/// What a result does not state is no condition of it: neither a block size, nor an order, nor a depth, nor the page cache. The files are those of the programs.
#[test]
fn what_a_result_does_not_state_is_not_said_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let foreign = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/foreign");
    let shown = |file: &Path| {
        let line = format!("show {}", file.display());
        let text = output_of(plumb_in(folder.path(), &line), 0);
        let sentences = text.lines().filter(|line| line.contains('•'));
        sentences.collect::<Vec<_>>().join("\n")
    };
    for (file, stated, unstated) in [
        ("dd/several.txt", "Sequential", &["page cache"][..]),
        (
            "ioping/0.6-rapid.txt",
            "Random 4 KiB reads",
            &["page cache"],
        ),
        (
            "smbclient/4.17.12-appended.txt",
            "Sequential reads",
            &["page cache", "MiB reads", "depth"],
        ),
        (
            "elbencho/3.1-10-large.txt",
            "Unspecified",
            &["page cache", "MiB", "depth", "Sequential"],
        ),
        ("fio/2.2.10-read.txt", "4 KiB reads", &["page cache"]),
        (
            "fio/2.2.10-read.json",
            "Unspecified",
            &["page cache", "depth"],
        ),
        (
            "fio/2.2.10-terse.txt",
            "Unspecified",
            &["page cache", "depth"],
        ),
    ] {
        let text = shown(&foreign.join(file));
        assert!(text.contains(stated), "{file}: {text}");
        for word in unstated {
            assert!(!text.contains(word), "{file}, {word}: {text}");
        }
    }
    // The same measurement in a format that states them.
    let text = shown(&foreign.join("elbencho/3.1-10-large.csv"));
    assert!(
        text.contains("page cache") && text.contains("depth"),
        "{text}"
    );
}

/// Objects are operations of an object store, as in plumb's own runs, and no files of a size that nobody stated. The layout is that of elbencho's sources.
#[test]
fn results_of_elbencho_on_an_object_store_are_of_objects() {
    let text = "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n\
=========== ================    ==========   =========\n\
WRITE       Elapsed time     :       200ms       250ms\n            \
Objects/s        :         500         400\n            \
Throughput MiB/s :          31          25\n            \
Total MiB        :           6           6\n            \
Objects total    :         100         100\n            \
IO latency       : [ min=1.00ms avg=2.00ms max=9.00ms ]\n            \
Objects latency  : [ min=1.50ms avg=3.00ms max=9.50ms ]\n\
---\n\
HEADOBJ     Elapsed time     :        40ms        50ms\n            \
Objects/s        :        2500        2000\n            \
Objects total    :         100         100\n";
    let place = place_with(&[("objects.txt", text)]);
    let summary = json_of(plumb_in(place.path(), "show objects.txt --json"), 0);
    let step = &summary["steps"][0];
    assert_eq!(step["engine"], "s3", "{step:#}");
    assert_eq!(step["operations"]["create"]["iops"], 400.0, "{step:#}");
    assert_eq!(step["service_ns"]["mean"], 3e6, "{step:#}");
    assert_eq!(summary["steps"][1]["operations"]["stat"]["iops"], 2000.0);
    let shown = output_of(plumb_in(place.path(), "show objects.txt"), 0);
    assert!(
        shown.contains("Small files: 400 creates/s and 2,000 stats/s"),
        "{shown}"
    );
}
