//! Do imported logs of fio 3.33 have the same figures as the files?

use plumb_model::run::Event;
use plumb_model::run::imported::Reported;

use super::*;
use crate::importer::Fixture;

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../testdata/imported/", $name)).to_vec()
    };
}

pub fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture {
            name: "of_clat.1.log",
            bytes: file!("fio-3.33-offsets_clat.1.log"),
            check: clat,
        },
        Fixture {
            name: "la_lat.1.log",
            bytes: file!("fio-3.33_lat.1.log"),
            check: lat,
        },
        Fixture {
            name: "av_iops.1.log",
            bytes: file!("fio-3.33-windows_iops.1.log"),
            check: windows_of_iops,
        },
        Fixture {
            name: "av_bw.1.log",
            bytes: file!("fio-3.33-windows_bw.1.log"),
            check: windows_of_bandwidth,
        },
        Fixture {
            name: "av_clat.log",
            bytes: file!("fio-3.33-windows_clat.1.log"),
            check: windows_of_times,
        },
    ]
}

fn reported(run: &Run) -> Vec<&Reported> {
    run.notes
        .iter()
        .filter_map(|note| {
            if let Event::Reported { reported, .. } = &note.event {
                Some(reported)
            } else {
                None
            }
        })
        .collect()
}

fn only(runs: &[Run]) -> &Run {
    let [run] = runs else {
        panic!("{} runs", runs.len())
    };
    run
}

fn doubts(run: &Run) -> String {
    run.header
        .imported
        .as_ref()
        .expect("imported")
        .doubts
        .iter()
        .map(plumb_words::english)
        .collect::<Vec<_>>()
        .join("\n")
}

fn clat(runs: &[Run]) {
    let run = only(runs);
    assert_eq!(run.header.plan.steps[0].name, "of");
    let [tick] = run.ticks.as_slice() else {
        panic!("{} ticks", run.ticks.len())
    };
    let figures: Vec<_> = tick
        .kinds
        .iter()
        .map(|kind| (kind.kind, kind.count, kind.bytes, kind.service.sum_ns()))
        .collect();
    assert_eq!(figures.len(), 2);
    for expect in [
        (OperationKind::Read, 197, 197 * 4096, 50_742_896),
        (OperationKind::Write, 203, 203 * 4096, 910_490),
    ] {
        assert!(figures.contains(&expect), "{figures:?}");
    }
    assert!(
        tick.kinds.iter().all(|kind| kind.response.is_none())
            && doubts(run).contains("clat starts after")
    );
}

fn lat(runs: &[Run]) {
    let run = only(runs);
    let kinds: Vec<_> = run.ticks.iter().flat_map(|tick| &tick.kinds).collect();
    assert_eq!(kinds.iter().map(|kind| kind.count).sum::<u64>(), 300);
    let of_all = kinds.iter().filter_map(|kind| kind.response.as_ref());
    assert_eq!(
        of_all
            .map(|times| (times.sum_ns(), times.max_ns()))
            .fold((0, None), |a, b| (a.0 + b.0, a.1.max(b.1))),
        (11_055_859, Some(798_967))
    );
    assert!(
        kinds.iter().all(|kind| kind.service.count() == 0),
        "lat begins before the submission"
    );
}

fn windows_of_iops(runs: &[Run]) {
    let run = only(runs);
    let read = reported(run)[0];
    assert!(
        (read.iops.expect("reported") - 10_447.3).abs() < 0.1,
        "{read:?}"
    );
    let count: u64 = run
        .ticks
        .iter()
        .flat_map(|tick| &tick.kinds)
        .filter(|kind| kind.kind == OperationKind::Read)
        .map(|kind| kind.count)
        .sum();
    assert_eq!(count, 9884);
    assert!(
        run.ticks
            .iter()
            .flat_map(|tick| &tick.kinds)
            .all(|kind| kind.service.count() == 0)
    );
    assert_eq!(run.readings.len(), 18);
    assert!(doubts(run).contains("computed from its rates"));
}

fn windows_of_bandwidth(runs: &[Run]) {
    let run = only(runs);
    assert!((reported(run)[0].bandwidth_bytes_per_s.expect("reported") - 42_792_574.6).abs() < 1.0);
    assert!(
        run.ticks.iter().all(|tick| tick.kinds.is_empty()),
        "rates without sizes make no operations"
    );
}

fn windows_of_times(runs: &[Run]) {
    let run = only(runs);
    assert!(
        run.ticks.is_empty() || run.ticks.iter().all(|tick| tick.kinds.is_empty()),
        "a mean makes no histogram"
    );
    assert!(reported(run)[0].figures[0].name.starts_with("clat, mean"));
    assert_eq!(
        (
            run.readings[0].metric.as_ref(),
            run.readings[0].time_ns,
            run.readings[0].value
        ),
        ("fio.clat_ns", 111_000_000, Some(3_126_180.0))
    );
}

fn imported(name: &str, bytes: &[u8]) -> Result<Vec<Run>, ImportError> {
    let mut reader = bytes;
    import(&mut Source {
        name,
        reader: &mut reader,
    })
}

#[test]
fn the_file_name_gives_the_kind() {
    for (name, expect) in [
        ("a/b/my_job_clat.12.log", Some((Measure::Clat, "my_job"))),
        ("x_lat.log", Some((Measure::Lat, "x"))),
        ("iops.log", Some((Measure::Iops, ""))),
        ("x_bw.1.log", Some((Measure::Bandwidth, "x"))),
        ("x_clat_hist.1.log", Some((Measure::Clat, "x"))),
        ("log.txt", None),
    ] {
        assert_eq!(Measure::of(name), expect, "{name}");
    }
    let error = imported("log.txt", b"1, 2, 0, 4096, 0\n")
        .expect_err("no kind")
        .to_string();
    assert!(error.contains("NAME_clat.1.log"), "{error}");
}

#[test]
fn damaged_lines_are_counted_and_named() {
    let runs = imported(
        "x_lat.1.log",
        b"1, 2, 0, 4096, 0\nfio: terminating on signal 2\n2, 3, 0, 4096, 0\n3, 4, 1, 4096, 0\n",
    )
    .expect("three lines");
    assert!(
        doubts(&runs[0]).contains("line 2 is not a log line and is left out"),
        "{}",
        doubts(&runs[0])
    );
    assert_eq!(
        imported("x_lat.1.log", b"hello\n")
            .expect_err("no log")
            .line,
        Some(1)
    );
}

#[test]
fn times_since_1970_begin_at_the_first_line() {
    let run = imported(
        "x_bw.1.log",
        b"1795333850381, 5, 0, 4096, 0\n1795333851381, 5, 0, 4096, 0\n",
    )
    .expect("two")
    .remove(0);
    assert_eq!(
        (run.header.started.as_str(), run.ticks.len()),
        ("2026-11-22T07:50:50.381Z", 2)
    );
    assert_eq!(run.ticks[1].start_ns, 1_000_000_000);
}

#[test]
fn submission_times_are_figures() {
    let run = imported(
        "x_slat.1.log",
        b"1, 2000, 0, 4096, 0\n2, 4000, 0, 4096, 0\n",
    )
    .expect("two")
    .remove(0);
    assert_eq!(run.ticks[0].kinds[0].count, 2);
    assert_eq!(run.ticks[0].kinds[0].service.count(), 0);
    assert!(
        reported(&run)[0]
            .figures
            .iter()
            .any(|figure| figure.name == "slat mean" && figure.value == 3000.0)
    );
}
