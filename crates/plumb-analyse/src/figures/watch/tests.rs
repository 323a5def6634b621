//! Are the figures those that the counters mean?

use plumb_model::results::watch::{WatchInterval, WatchTable};
use plumb_model::run::metric::Reading;

use super::Derivation;

const SECOND: u64 = 1_000_000_000;

fn sample(time_ns: u64, values: &[(&'static str, &str, Option<f64>)]) -> Vec<Reading> {
    let reading = |(metric, instance, value): &(&'static str, &str, Option<f64>)| Reading {
        metric: (*metric).into(),
        instance: instance.to_string(),
        time_ns,
        value: *value,
    };
    values.iter().map(reading).collect()
}

/// A disk that has read so many requests of so many bytes in so many milliseconds, and written nothing.
fn disk(time_ns: u64, reads: f64, bytes: f64, time_ms: f64) -> Vec<Reading> {
    sample(
        time_ns,
        &[
            ("disk.reads", "vda", Some(reads)),
            ("disk.read_bytes", "vda", Some(bytes)),
            ("disk.read_time_ns", "vda", Some(time_ms * 1e6)),
            ("disk.writes", "vda", Some(0.0)),
            ("disk.write_bytes", "vda", Some(0.0)),
            ("disk.write_time_ns", "vda", Some(0.0)),
            ("disk.in_flight", "vda", Some(2.0)),
        ],
    )
}

fn value(tables: &[WatchTable], group: &str, kind: &str, column: &str) -> Option<f64> {
    let table = tables
        .iter()
        .find(|table| table.group == group)
        .unwrap_or_else(|| panic!("no table {group}"));
    let at = table.columns.iter().position(|of| of.id == column);
    let row = table.rows.iter().find(|row| row.kind == kind);
    row.unwrap_or_else(|| panic!("no row {kind}")).values[at.expect("the column")]
}

fn intervals(samples: &[Vec<Reading>]) -> (Vec<WatchInterval>, Derivation) {
    let mut derivation = Derivation::new();
    let found = samples
        .iter()
        .filter_map(|sample| derivation.take(sample))
        .collect();
    (found, derivation)
}

#[test]
fn a_mean_over_intervals_is_weighted_by_requests() {
    // 1 request of 100 ms, then 999 of 1 ms each: 1.099 ms on average, and not 50.5 ms.
    let (found, derivation) = intervals(&[
        disk(0, 0.0, 0.0, 0.0),
        disk(SECOND, 1.0, 4096.0, 100.0),
        disk(2 * SECOND, 1000.0, 4096.0 + 999.0 * 8192.0, 1099.0),
    ]);
    let time = |interval: usize| value(&found[interval].tables, "disk", "read", "time_ns");
    assert_eq!((time(0), time(1)), (Some(100e6), Some(1e6)));
    let all = derivation.tables();
    assert_eq!(value(&all, "disk", "read", "time_ns"), Some(1.099e6));
    assert_eq!(value(&all, "disk", "read", "per_second"), Some(500.0));
    let size = value(&all, "disk", "read", "request_bytes").expect("requests");
    assert!((size - 8187.904).abs() < 1e-6, "{size}");
    // Little's law: the rate times the time.
    let outstanding = value(&all, "disk", "read", "outstanding").expect("a number");
    assert!((outstanding - 500.0 * 1.099e-3).abs() < 1e-9);
    assert_eq!(
        value(&all, "disk", "all", "outstanding_at_sample"),
        Some(2.0)
    );
    let table = &all[0];
    let read = table.rows.iter().find(|row| row.kind == "read");
    assert_eq!(read.expect("reads").largest[4], Some(100e6));
    assert_eq!(
        (derivation.intervals(), derivation.span_ns()),
        (2, 2 * SECOND)
    );
}

#[test]
fn a_mean_of_nothing_is_missing_and_a_rate_of_nothing_is_zero() {
    let (found, _) = intervals(&[disk(0, 5.0, 0.0, 7.0), disk(SECOND, 5.0, 0.0, 7.0)]);
    let tables = &found[0].tables;
    assert_eq!(value(tables, "disk", "read", "per_second"), Some(0.0));
    assert_eq!(value(tables, "disk", "read", "time_ns"), None);
    assert!(!tables[0].rows[0].is_active);
}

#[test]
fn a_time_below_what_the_kernel_counts_is_missing() {
    let (found, derivation) = intervals(&[
        disk(0, 0.0, 0.0, 0.0),
        disk(SECOND, 3.0, 0.0, 0.0),
        disk(2 * SECOND, 4.0, 0.0, 1.0),
    ]);
    assert_eq!(value(&found[0].tables, "disk", "read", "time_ns"), None);
    // It counts in the sum: 1 ms over 4 requests.
    let all = derivation.tables();
    assert_eq!(value(&all, "disk", "read", "time_ns"), Some(250_000.0));
}

#[test]
fn milliseconds_of_32_bits_wrap_and_a_reset_is_a_gap() {
    let complete = 4_294_967_296.0;
    let (found, derivation) = intervals(&[
        disk(0, 0.0, 0.0, complete - 10.0),
        disk(SECOND, 10.0, 40960.0, 20.0),
        // The device was taken away and is back: all begins at 0.
        disk(2 * SECOND, 1.0, 4096.0, 1.0),
        disk(3 * SECOND, 11.0, 45056.0, 21.0),
    ]);
    assert_eq!(
        value(&found[0].tables, "disk", "read", "time_ns"),
        Some(3e6)
    );
    let reads = |tables: &[WatchTable]| tables[0].rows.iter().any(|row| row.kind == "read");
    assert!(
        reads(&found[0].tables) && !reads(&found[1].tables),
        "a reset is no number of requests"
    );
    // The interval of the reset counts for nothing: 20 requests in two seconds.
    let rate = value(&derivation.tables(), "disk", "read", "bytes_per_second");
    assert_eq!(rate, Some(40960.0));
}

#[test]
fn what_cannot_be_read_is_missing_and_never_zero() {
    let mut gone = disk(SECOND, 10.0, 40960.0, 20.0);
    gone.iter_mut().for_each(|reading| reading.value = None);
    let (found, _) = intervals(&[disk(0, 0.0, 0.0, 0.0), gone]);
    assert!(found[0].tables.is_empty(), "{:?}", found[0].tables);
}

#[test]
fn cores_add_up_to_the_whole_machine() {
    let core = |time_ns, busy: [f64; 2]| {
        let mut readings = Vec::new();
        for (core, busy) in ["cpu0", "cpu1"].iter().zip(busy) {
            for metric in [
                "cpu.system_ns",
                "cpu.irq_ns",
                "cpu.softirq_ns",
                "cpu.steal_ns",
                "cpu.iowait_ns",
            ] {
                readings.extend(sample(time_ns, &[(metric, core, Some(0.0))]));
            }
            let idle = time_ns as f64 - busy;
            readings.extend(sample(
                time_ns,
                &[
                    ("cpu.user_ns", core, Some(busy)),
                    ("cpu.idle_ns", core, Some(idle)),
                ],
            ));
        }
        readings
    };
    let (found, _) = intervals(&[core(0, [0.0, 0.0]), core(SECOND, [1e9, 0.0])]);
    let table = &found[0].tables[0];
    let busy: Vec<_> = table
        .rows
        .iter()
        .map(|row| (row.instance.as_ref(), row.values[0]))
        .collect();
    assert_eq!(
        busy,
        [("", Some(50.0)), ("cpu0", Some(100.0)), ("cpu1", Some(0.0))]
    );
}

#[test]
fn values_of_windows_are_weighted_by_what_they_are_means_of() {
    let share = |second: u64, rate: f64, seconds: f64| {
        sample(
            second * SECOND,
            &[
                (
                    "smb_client_share.read_requests_per_second",
                    "\\s\\d",
                    Some(rate),
                ),
                ("smb_client_share.read_seconds", "\\s\\d", Some(seconds)),
                ("Memory\\Available Bytes", "", Some(7.0)),
            ],
        )
    };
    let (_, derivation) = intervals(&[
        share(0, 0.0, 0.0),
        share(1, 100.0, 0.001),
        share(2, 300.0, 0.003),
    ]);
    let all = derivation.tables();
    assert_eq!(
        value(&all, "smb_client_share", "read", "per_second"),
        Some(200.0)
    );
    assert_eq!(
        value(&all, "smb_client_share", "read", "time_ns"),
        Some(2.5e6)
    );
    assert_eq!(value(&all, "other", "", "value"), Some(7.0));
}

#[test]
fn a_core_of_windows_that_idles_is_not_shown_and_its_frequency_counts_while_it_is_busy() {
    let cores = |second: u64, busy: f64, performance: f64| {
        let (time, speed) = (
            r"Processor Information\% Processor Time",
            r"Processor Information\% Processor Performance",
        );
        sample(
            second * SECOND,
            &[
                (time, "0,0", Some(busy)),
                (speed, "0,0", Some(performance)),
                (time, "0,1", Some(0.0)),
                (speed, "0,1", Some(70.0)),
            ],
        )
    };
    let (_, derivation) = intervals(&[
        cores(0, 0.0, 70.0),
        cores(1, 10.0, 100.0),
        cores(2, 30.0, 140.0),
    ]);
    let all = derivation.tables();
    let of = |column| value(&all, "processor_information", "", column);
    assert_eq!(of("busy_percent"), Some(20.0));
    assert_eq!(of("performance_percent"), Some(130.0));
    let table = all
        .iter()
        .find(|table| table.group == "processor_information");
    let active: Vec<_> = table
        .unwrap()
        .rows
        .iter()
        .map(|row| row.is_active)
        .collect();
    assert_eq!(active, [true, false]);
}

#[test]
fn what_comes_nearer_to_its_ceiling_is_the_share_of_it() {
    let with_ceilings = |time_ns: u64, reads: f64, bytes: f64| {
        let mut readings = disk(time_ns, reads, bytes, 0.0);
        readings.extend(sample(
            time_ns,
            &[
                ("ceiling.disk_reads_per_second", "vda", Some(1000.0)),
                ("ceiling.disk_read_bytes_per_second", "vda", Some(1e8)),
            ],
        ));
        readings
    };
    // 100 of 1,000 requests but 80 of 100 MB in one second, and 300 of 1,000 requests with 1 MB in the next.
    let (found, derivation) = intervals(&[
        with_ceilings(0, 0.0, 0.0),
        with_ceilings(SECOND, 100.0, 8e7),
        with_ceilings(2 * SECOND, 400.0, 8.1e7),
    ]);
    let shares: Vec<_> = found
        .iter()
        .map(|interval| value(&interval.tables, "disk", "read", "ceiling_percent"))
        .collect();
    assert_eq!(shares, [Some(80.0), Some(30.0)]);
    let all = derivation.tables();
    assert_eq!(value(&all, "disk", "read", "ceiling_percent"), Some(55.0));
    // Nothing was measured of writes.
    assert_eq!(value(&all, "disk", "write", "ceiling_percent"), None);
}
