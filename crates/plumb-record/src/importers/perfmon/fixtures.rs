//! What must be imported from Windows recordings? A real one, reconstructions of a known case, and one with every quirk.

use plumb_model::run::Run;
use plumb_model::run::metric::Reading;

use crate::importer::Fixture;

pub(super) fn fixtures() -> Vec<Fixture> {
    let bytes = include_bytes!("../../../../../testdata/imported/perfmon-pdh-csv-4.0.csv").to_vec();
    let check = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(
            (
                run.header.started.as_str(),
                run.header.environment.text("host.name")
            ),
            ("2026-11-22T06:50:48.123Z", Some("FILESRV"))
        );
        assert_eq!(run.readings.len(), 16);
        let first = &run.readings[0];
        assert_eq!(
            (first.metric.as_ref(), first.instance.as_str(), first.value),
            ("physical_disk.reads_per_second", "0 C:", None)
        );
        let later = &run.readings[4];
        assert_eq!(
            (later.time_ns, later.value),
            (1_000_000_000, Some(12.987254))
        );
        assert_eq!(run.readings[6].instance, "a \"b\", c");
        let notes = serde_json::to_string(&run.notes).expect("JSON");
        assert!(
            notes.contains(
                r#""name":"Memory\\Available Bytes, max","value":4294967296.0,"unit":"B""#
            ),
            "{notes}"
        );
    };
    let quirks = r#"
"(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)","\\HOST\SMB-Clientfreigaben(\srv\da(t)a#1)\Datenanforderungen/Sek.","\\HOST\SMB Client Shares(\srv\b)\Avg. sec/Data Request","\\OTHER\SMB Direct Connection(_Total)\Stalls (Send Credit)/sec","\\HOST\SMB-Clientfreigaben(\srv\b)\Aktuelle Länge der Datenwarteschlange","comment"
"10/25/2026 02:59:59.000","99.99"," "," ","1",""
"10/25/2026 02:00:00.000","176,5","-1","0.5"," ",""
"10/25/2026 02:00:01.000","177.5","0.00568","0.5","2",""
Exiting, please wait...
The command completed successfully.
"#;
    let wide = quirks.encode_utf16().flat_map(u16::to_le_bytes);
    let recording = |name, bytes: Vec<u8>, check| Fixture { name, bytes, check };
    // Chinese and Japanese Windows have English names of counters, and the time zone in their own code page.
    let of_zone = |zone: &[u8]| {
        let rest = b"\",\"\\\\NAS\\LogicalDisk(D:)\\Avg. Disk sec/Read\",\"\\\\NAS\\LogicalDisk(D:)\\Disk Reads/sec\"\r\n\"11/28/2026 10:00:00.000\",\" \",\" \"\r\n\"11/28/2026 10:00:01.000\",\"0.02\",\"50\"\r\n";
        [b"\"(PDH-CSV 4.0) (", zone, rest].concat()
    };
    let chinese = of_zone(b"\xd6\xd0\xb9\xfa\xb1\xea\xd7\xbc\xca\xb1\xbc\xe4)(-480)");
    let japanese = of_zone(b"\x93\x8c\x8b\x9e (\x95\x57\x8f\x80\x8e\x9e))(-540)");
    vec![
        recording("chinese.csv", chinese, |runs| {
            check_zone(runs, "2026-11-28T02:00:00.000Z");
        }),
        recording("japanese.csv", japanese, |runs| {
            check_zone(runs, "2026-11-28T01:00:00.000Z");
        }),
        recording(
            "german.csv",
            GERMAN.chars().map(|letter| letter as u8).collect(),
            check_german,
        ),
        recording("counters.csv", bytes, check),
        recording("one.csv", ONE_THREAD.to_vec(), check_one_thread),
        recording("eight.csv", EIGHT_THREADS.to_vec(), check_eight_threads),
        recording(
            "quirks.csv",
            quirks.chars().map(|letter| letter as u8).collect(),
            check_quirks,
        ),
        recording(
            "wide.csv",
            [0xFF, 0xFE].into_iter().chain(wide).collect(),
            check_quirks,
        ),
    ]
}

const ONE_THREAD: &[u8] = include_bytes!("../../../../../testdata/pdh/e5-one-thread.csv");
const EIGHT_THREADS: &[u8] = include_bytes!("../../../../../testdata/pdh/e5-eight-threads.csv");

/// Names as Azure's German documentation and monitoring programs have them.
const GERMAN: &str = r#""(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)","\\SRV1\Physikalischer Datenträger(0 C:)\Mittlere Sek./Lesevorgänge","\\SRV1\Physikalischer Datenträger(0 C:)\Lesevorgänge/s","\\SRV1\Physikalischer Datenträger(0 C:)\Leerlaufzeit (%)","\\SRV1\Prozessor(_Total)\Prozessorzeit (%)"
"01/15/2024 10:00:00.000","1","1","1","1"
"01/15/2024 10:00:01.000","0,02","50","5","20"
"#;

fn check_german(runs: &[Run]) {
    let of = |metric: &str| -> Vec<_> {
        let readings = runs[0].readings.iter();
        let of = readings.filter(|of| of.metric == metric && of.instance == "0 C:");
        of.map(|of| of.value).collect()
    };
    for (metric, value) in [
        ("physical_disk.read_seconds", 0.02),
        ("physical_disk.reads_per_second", 50.0),
        ("physical_disk.idle_percent", 5.0),
    ] {
        assert_eq!(of(metric), [None, Some(value)], "{metric}");
    }
}

fn check_zone(runs: &[Run], started: &str) {
    let run = &runs[0];
    assert_eq!(run.header.started, started);
    let last = &run.readings[2..];
    let values: Vec<_> = last
        .iter()
        .map(|of| (of.metric.as_ref(), of.instance.as_str(), of.value))
        .collect();
    assert_eq!(
        values,
        [
            ("logical_disk.read_seconds", "D:", Some(0.02)),
            ("logical_disk.reads_per_second", "D:", Some(50.0)),
        ]
    );
}

/// The mean of a metric over the only run.
fn mean_of(runs: &[Run], metric: &str) -> f64 {
    let of = |reading: &&Reading| reading.metric == metric && reading.instance == r"\nas\backup";
    let values: Vec<f64> = runs[0]
        .readings
        .iter()
        .filter(of)
        .filter_map(|reading| reading.value)
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn check_threads(runs: &[Run], requests: f64, bytes: f64, outstanding: f64) {
    let near = |metric: &str, want: f64| {
        let mean = mean_of(runs, &format!("smb_client_share.{metric}"));
        assert!(
            (mean / want - 1.0).abs() < 0.005,
            "{metric}: {mean}, not {want}"
        );
    };
    near("data_requests_per_second", requests);
    near("data_bytes_per_second", bytes);
    near("data_request_bytes", bytes / requests);
    near("data_request_seconds", outstanding / requests);
    near("data_queue_length", outstanding);
    near("current_data_queue_length", outstanding);
}

fn check_one_thread(runs: &[Run]) {
    check_threads(runs, 176.0, 18.2e6, 1.0);
}

fn check_eight_threads(runs: &[Run]) {
    check_threads(runs, 750.0, 133e6, 8.0);
}

fn check_quirks(runs: &[Run]) {
    let readings = &runs[0].readings;
    let of = |metric: &str, instance: &str| -> Vec<_> {
        let of = |reading: &&Reading| reading.metric == metric && reading.instance == instance;
        let value = |reading: &Reading| (reading.time_ns / 1_000_000_000, reading.value);
        readings.iter().filter(of).map(value).collect()
    };
    let rate = "smb_client_share.data_requests_per_second";
    assert_eq!(
        of(rate, r"\srv\da(t)a#1"),
        [(0, None), (1, Some(176.5)), (2, Some(177.5))],
        "the first value is of no interval, and the hour comes twice"
    );
    let time = "smb_client_share.data_request_seconds";
    assert_eq!(
        of(time, r"\srv\b"),
        [(0, None), (1, None), (2, Some(0.00568))]
    );
    let queue = "smb_client_share.current_data_queue_length";
    assert_eq!(
        of(queue, r"\srv\b"),
        [(0, Some(1.0)), (1, None), (2, Some(2.0))]
    );
    let stalls = r"SMB Direct Connection\Stalls (Send Credit)/sec";
    assert_eq!(
        of(stalls, "OTHER: _Total"),
        [(0, None), (1, Some(0.5)), (2, Some(0.5))]
    );
    assert_eq!(readings.len(), 12);
    assert_eq!(runs[0].header.started, "2026-10-25T01:59:59.000Z");
    let imported = runs[0]
        .header
        .imported
        .as_ref()
        .expect("says where it came from");
    let doubts: Vec<&str> = imported
        .doubts
        .iter()
        .map(|doubt| doubt.id.as_ref())
        .collect();
    for doubt in [
        "perfmon-column-without-name",
        "perfmon-first-values-left-out",
        "perfmon-hour-twice",
    ] {
        assert!(doubts.contains(&doubt), "{doubt}: {doubts:?}");
    }
    assert!(!doubts.contains(&"perfmon-rows-left-out"), "{doubts:?}");
}
