//! What did iostat -x see? Its reports as text or JSON: counters of block devices over time, as plumb watch records them.
//!
//! iostat prints rates and means of each interval. They become the counters that they were computed from, which rise by rate times interval: every rate and
//! mean of an interval is then what iostat printed.

mod devices;
mod json;
mod recording;
mod report;
mod text;

use plumb_model::run::Run;

use self::recording::Recording;
#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::{Head, ImportError, Importer, Source};

pub static IMPORTER: Importer = Importer {
    name: "iostat",
    program: "iostat",
    meaning: "reports of `iostat -x INTERVAL > FILE` (sysstat 10 to 12), as text or JSON (-o JSON): readings of each device over time; best with times (-t)",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    json::is_json(&text)
        || text
            .lines()
            .map(str::trim)
            .any(|line| text::columns_of(line).is_some())
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let is_json = source.begins_with(b'{')?;
    let mut recording = Recording::default();
    if is_json {
        json::read(source, &mut recording)?;
    } else {
        text::read(source, &mut recording)?;
    }
    recording.finish().map(|run| vec![run])
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    let file = Fixture::of;
    fn check(runs: &[Run]) {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(run.header.environment.text("host.name"), Some("vm"));
        let of_disk = |metric: &str| -> Vec<(u64, f64)> {
            let readings = run.readings.iter();
            readings
                .filter(|reading| reading.metric == metric && reading.instance == "vda")
                .map(|reading| {
                    (
                        reading.time_ns / 1_000_000_000,
                        reading.value.expect("a value"),
                    )
                })
                .collect()
        };
        let reads = of_disk("disk.reads");
        assert!(reads.len() >= 4 && reads[0] == (0, 0.0), "{reads:?}");
        assert!(
            reads.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1),
            "{reads:?}"
        );
    }
    vec![
        file(
            "times.txt",
            include_bytes!("../../../../testdata/foreign/iostat/12.6.1-times.txt"),
            check,
        ),
        file(
            "11.txt",
            include_bytes!("../../../../testdata/foreign/iostat/11.2.0-mebibytes.txt"),
            check,
        ),
        file(
            "12.json",
            include_bytes!("../../../../testdata/foreign/iostat/12.6.1.json"),
            check,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> Result<Run, ImportError> {
        let runs = IMPORTER.of_bytes(text.as_bytes());
        runs.map(|runs| runs.into_iter().next().expect("a run"))
    }

    #[test]
    fn of_a_long_file_reports_are_thinned_and_counters_stay() {
        let report = "Device r/s rkB/s w/s wkB/s %util\nsda 1.00 4.00 0.00 0.00 1.00\n\n";
        let run = imported(&report.repeat(60_000)).expect("a run");
        let doubts = &run.header.imported.as_ref().expect("imported").doubts;
        assert!(
            doubts.iter().any(|doubt| doubt.id == "iostat-thinned"),
            "{doubts:?}"
        );
        assert!(run.readings.len() <= 400_028);
        let mut readings = run.readings.iter().rev();
        let last = readings.find(|reading| reading.metric == "disk.reads");
        let last = last.expect("readings");
        assert_eq!(
            last.value,
            Some(last.time_ns as f64 / 1e9),
            "one read a second"
        );
    }

    #[test]
    fn what_is_no_report_is_refused_in_one_line() {
        for (text, expected) in [
            (
                "Device r/s rkB/s w/s wkB/s %util\nsda 1 4 0 0 1\n",
                "at least two reports",
            ),
            (
                "Device r/s rkB/s w/s wkB/s %util\nsda 1 4 0\nsdb 1 4 0 0 1\n",
                "line 2",
            ),
            (
                "Device r/s w/s %util\nsda 1 4 0\n\nDevice r/s w/s %util\nsda 1 4 0\n",
                "r/s, w/s and their bytes",
            ),
            ("nothing\n", "a line that begins with 'Device'"),
        ] {
            let error = imported(text).expect_err(text).to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_device_that_appears_later_begins_there() {
        let head = "Device r/s rkB/s w/s wkB/s %util\n";
        let (first, second) = (
            "sda 1,00 4,00 0,00 0,00 1,00\n",
            "sdb 2,00 8,00 0,00 0,00 1,00\n",
        );
        let run =
            imported(&format!("{head}{first}\n{head}{first}\n{head}{second}\n")).expect("a run");
        let of = |device: &str| -> Vec<_> {
            let readings = run.readings.iter();
            readings
                .filter(|reading| reading.metric == "disk.reads" && reading.instance == device)
                .map(|reading| (reading.time_ns / 1_000_000_000, reading.value))
                .collect()
        };
        assert_eq!(of("sda"), [(0, Some(0.0)), (1, Some(1.0)), (2, Some(1.0))]);
        assert_eq!(of("sdb"), [(1, Some(0.0)), (2, Some(2.0))]);
        assert!(run.readings.is_sorted_by_key(|reading| reading.time_ns));
    }
}
