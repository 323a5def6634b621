//! What are Windows' performance counters called, and which metric is each? For live counters, and for recordings read and written.
//!
//! The English names are those of the counter sets of Windows 10 and Server 2012, with what later versions added. All of them are values of one interval or one
//! moment, never counters that rise. Sets that figures are derived from have metrics with plumb's names; metrics of the others are named as Windows names
//! the counter, `Processor Information\% Processor Time`.

use std::borrow::Cow;

use crate::run::metric::{Metric, MetricKind};

/// A counter set (Performance Monitor: an object).
pub struct CounterSet {
    /// In English, as PdhAddEnglishCounter takes it.
    pub name: &'static str,
    /// Names of its counters, in English, and in German if known.
    pub counters: &'static [(&'static str, &'static str)],
    /// Of each counter, in the same order.
    pub metrics: &'static [Metric],
}

/// A set of counters: name in English and German, metric, unit.
macro_rules! counter_set {
    ($set:literal, [$(($name:literal, $german:literal, $metric:expr, $unit:literal)),* $(,)?]) => {
        CounterSet {
            name: $set,
            counters: &[$(($name, $german)),*],
            metrics: &[$(Metric {
                id: $metric,
                unit: $unit,
                kind: MetricKind::Gauge,
                meaning: concat!("counter \"", $name, "\" of Windows' set \"", $set, "\""),
            }),*],
        }
    };
}

/// A set whose metrics are named as Windows names the counters.
macro_rules! foreign_set {
    ($set:literal, [$(($name:literal, $unit:literal)),* $(,)?]) => {
        counter_set!($set, [$(($name, "", concat!($set, "\\", $name), $unit)),*])
    };
}

/// The counters that physical and logical disks share.
macro_rules! disk_set {
    ($set:literal, $kind:literal) => {
        counter_set!(
            $set,
            [
                (
                    "Disk Transfers/sec",
                    "Übertragungen/s",
                    concat!($kind, ".transfers_per_second"),
                    "per_second"
                ),
                (
                    "Disk Reads/sec",
                    "Lesevorgänge/s",
                    concat!($kind, ".reads_per_second"),
                    "per_second"
                ),
                (
                    "Disk Writes/sec",
                    "Schreibvorgänge/s",
                    concat!($kind, ".writes_per_second"),
                    "per_second"
                ),
                (
                    "Disk Bytes/sec",
                    "Bytes/s",
                    concat!($kind, ".bytes_per_second"),
                    "per_second"
                ),
                (
                    "Disk Read Bytes/sec",
                    "Bytes gelesen/s",
                    concat!($kind, ".read_bytes_per_second"),
                    "bytes_per_second"
                ),
                (
                    "Disk Write Bytes/sec",
                    "Bytes geschrieben/s",
                    concat!($kind, ".write_bytes_per_second"),
                    "bytes_per_second"
                ),
                (
                    "Avg. Disk Bytes/Transfer",
                    "Mittlere Bytes/Übertragung",
                    concat!($kind, ".transfer_bytes"),
                    "bytes"
                ),
                (
                    "Avg. Disk Bytes/Read",
                    "Mittlere Bytes/Lesevorgang",
                    concat!($kind, ".read_bytes"),
                    "bytes"
                ),
                (
                    "Avg. Disk Bytes/Write",
                    "Mittlere Bytes/Schreibvorgang",
                    concat!($kind, ".write_bytes"),
                    "bytes"
                ),
                (
                    "Avg. Disk sec/Transfer",
                    "Mittlere Sek./Übertragung",
                    concat!($kind, ".transfer_seconds"),
                    "seconds"
                ),
                (
                    "Avg. Disk sec/Read",
                    "Mittlere Sek./Lesevorgänge",
                    concat!($kind, ".read_seconds"),
                    "seconds"
                ),
                (
                    "Avg. Disk sec/Write",
                    "Mittlere Sek./Schreibvorgänge",
                    concat!($kind, ".write_seconds"),
                    "seconds"
                ),
                (
                    "Current Disk Queue Length",
                    "Aktuelle Warteschlangenlänge",
                    concat!($kind, ".current_queue_length"),
                    "1"
                ),
                (
                    "Avg. Disk Queue Length",
                    "Durchschnittl. Warteschlangenlänge des Datenträgers",
                    concat!($kind, ".queue_length"),
                    "1"
                ),
                (
                    "Avg. Disk Read Queue Length",
                    "Durchschnittl. Warteschlangenlänge der Datenträger-Lesevorgänge",
                    concat!($kind, ".read_queue_length"),
                    "1"
                ),
                (
                    "Avg. Disk Write Queue Length",
                    "Durchschnittl. Warteschlangenlänge der Datenträger-Schreibvorgänge",
                    concat!($kind, ".write_queue_length"),
                    "1"
                ),
                (
                    "% Idle Time",
                    "Leerlaufzeit (%)",
                    concat!($kind, ".idle_percent"),
                    "percent"
                ),
                (
                    "% Disk Time",
                    "Zeit (%)",
                    concat!($kind, ".disk_time_percent"),
                    "percent"
                ),
                (
                    "Split IO/Sec",
                    "",
                    concat!($kind, ".split_requests_per_second"),
                    "per_second"
                ),
            ]
        )
    };
}

/// Activity of a client on the shares that it has connected; an instance is `\server\share`.
pub static SMB_CLIENT_SHARES: CounterSet = counter_set!(
    "SMB Client Shares",
    [
        (
            "Data Bytes/sec",
            "Datenbytes/Sek.",
            "smb_client_share.data_bytes_per_second",
            "bytes_per_second"
        ),
        (
            "Data Requests/sec",
            "Datenanforderungen/Sek.",
            "smb_client_share.data_requests_per_second",
            "per_second"
        ),
        (
            "Avg. Data Bytes/Request",
            "Durchschn. Datenbytes/Anforderung",
            "smb_client_share.data_request_bytes",
            "bytes"
        ),
        (
            "Avg. sec/Data Request",
            "Durchschn. Sek./Datenanforderung",
            "smb_client_share.data_request_seconds",
            "seconds"
        ),
        (
            "Current Data Queue Length",
            "Aktuelle Länge der Datenwarteschlange",
            "smb_client_share.current_data_queue_length",
            "1"
        ),
        (
            "Avg. Data Queue Length",
            "Durchschn. Länge der Datenwarteschlange",
            "smb_client_share.data_queue_length",
            "1"
        ),
        (
            "Read Bytes/sec",
            "Gelesene Bytes/Sek.",
            "smb_client_share.read_bytes_per_second",
            "bytes_per_second"
        ),
        (
            "Read Requests/sec",
            "Leseanforderungen/Sek.",
            "smb_client_share.read_requests_per_second",
            "per_second"
        ),
        (
            "Avg. Bytes/Read",
            "Durchschn. Bytes/Lesevorgang",
            "smb_client_share.read_bytes",
            "bytes"
        ),
        (
            "Avg. sec/Read",
            "Durchschn. Sek./Lesevorgang",
            "smb_client_share.read_seconds",
            "seconds"
        ),
        (
            "Avg. Read Queue Length",
            "Durchschn. Warteschlangenlänge für Lesevorgänge",
            "smb_client_share.read_queue_length",
            "1"
        ),
        (
            "Write Bytes/sec",
            "Geschriebene Bytes/Sek.",
            "smb_client_share.write_bytes_per_second",
            "bytes_per_second"
        ),
        (
            "Write Requests/sec",
            "Schreibanforderungen/Sek.",
            "smb_client_share.write_requests_per_second",
            "per_second"
        ),
        (
            "Avg. Bytes/Write",
            "",
            "smb_client_share.write_bytes",
            "bytes"
        ),
        (
            "Avg. sec/Write",
            "",
            "smb_client_share.write_seconds",
            "seconds"
        ),
        (
            "Avg. Write Queue Length",
            "",
            "smb_client_share.write_queue_length",
            "1"
        ),
        (
            "Metadata Requests/sec",
            "Metadatenanforderungen/Sek.",
            "smb_client_share.metadata_requests_per_second",
            "per_second"
        ),
        (
            "Credit Stalls/sec",
            "Verzögerungen durch Anforderungslimit/Sek.",
            "smb_client_share.credit_stalls_per_second",
            "per_second"
        ),
        (
            "Read Bytes transmitted via SMB Direct/sec",
            "",
            "smb_client_share.direct_read_bytes_per_second",
            "bytes_per_second"
        ),
        (
            "Write Bytes transmitted via SMB Direct/sec",
            "",
            "smb_client_share.direct_write_bytes_per_second",
            "bytes_per_second"
        ),
        (
            "Read Requests transmitted via SMB Direct/sec",
            "",
            "smb_client_share.direct_read_requests_per_second",
            "per_second"
        ),
        (
            "Write Requests transmitted via SMB Direct/sec",
            "",
            "smb_client_share.direct_write_requests_per_second",
            "per_second"
        ),
        (
            "Turbo I/O Reads/sec",
            "",
            "smb_client_share.turbo_reads_per_second",
            "per_second"
        ),
        (
            "Turbo I/O Writes/sec",
            "",
            "smb_client_share.turbo_writes_per_second",
            "per_second"
        ),
    ]
);

/// Disks; an instance is the number of the disk and its drive letters: `0 C:`.
pub static PHYSICAL_DISK: CounterSet = disk_set!("PhysicalDisk", "physical_disk");

/// Volumes; an instance is a drive letter or a mount point: `C:`, `HarddiskVolume1`.
pub static LOGICAL_DISK: CounterSet = disk_set!("LogicalDisk", "logical_disk");

/// Connections of SMB over RDMA, of clients and servers.
pub static SMB_DIRECT_CONNECTION: CounterSet = foreign_set!(
    "SMB Direct Connection",
    [
        ("Bytes Received/sec", "bytes_per_second"),
        ("Bytes Sent/sec", "bytes_per_second"),
        ("Bytes RDMA Read/sec", "bytes_per_second"),
        ("Bytes RDMA Written/sec", "bytes_per_second"),
        ("Receives/sec", "per_second"),
        ("Sends/sec", "per_second"),
        ("Memory Regions", "1"),
        ("RDMA Registrations/sec", "per_second"),
        ("Remote Invalidations/sec", "per_second"),
        ("Stalls (Send Credit)/sec", "per_second"),
        ("Stalls (Send Queue)/sec", "per_second"),
        ("Stalls (RDMA Registrations)/sec", "per_second"),
    ]
);

/// Activity of RDMA adapters (Network Direct).
pub static RDMA_ACTIVITY: CounterSet = foreign_set!(
    "RDMA Activity",
    [
        ("RDMA Inbound Bytes/sec", "bytes_per_second"),
        ("RDMA Outbound Bytes/sec", "bytes_per_second"),
        ("RDMA Inbound Frames/sec", "per_second"),
        ("RDMA Outbound Frames/sec", "per_second"),
        ("RDMA Active Connections", "1"),
        ("RDMA Accepted Connections", "1"),
        ("RDMA Initiated Connections", "1"),
        ("RDMA Failed Connection Attempts", "1"),
        ("RDMA Connection Errors", "1"),
        ("RDMA Completion Queue Errors", "1"),
    ]
);

/// Network adapters; an instance is the description of the adapter.
pub static NETWORK_INTERFACE: CounterSet = foreign_set!(
    "Network Interface",
    [
        ("Bytes Received/sec", "bytes_per_second"),
        ("Bytes Sent/sec", "bytes_per_second"),
        ("Packets Received/sec", "per_second"),
        ("Packets Sent/sec", "per_second"),
        ("Output Queue Length", "1"),
        ("Packets Received Errors", "1"),
        ("Packets Outbound Errors", "1"),
        ("Packets Received Discarded", "1"),
        ("Packets Outbound Discarded", "1"),
    ]
);

/// Logical processors; an instance is the processor group and the number in it: `0,3`.
pub static PROCESSOR_INFORMATION: CounterSet = foreign_set!(
    "Processor Information",
    [
        ("% Processor Time", "percent"),
        ("% User Time", "percent"),
        ("% Privileged Time", "percent"),
        ("% Interrupt Time", "percent"),
        ("% DPC Time", "percent"),
        ("% Processor Performance", "percent"),
    ]
);

/// What German Windows calls the sets of disks: Azure's documentation and monitoring programs have these names. Chinese and Japanese Windows have the English ones.
const GERMAN_DISKS: [(&str, &CounterSet); 2] = [
    ("physikalischer datentrager", &PHYSICAL_DISK),
    ("logischer datentrager", &LOGICAL_DISK),
];

/// The sets whose metrics have plumb's names.
const NAMED: [&CounterSet; 3] = [&SMB_CLIENT_SHARES, &PHYSICAL_DISK, &LOGICAL_DISK];

/// The metric of a counter. `None` for one whose metric is named as Windows names the counter, and for one that is not in these tables in any language.
pub fn metric_of(set: &str, instance: &str, counter: &str) -> Option<Cow<'static, str>> {
    let (set, counter) = (folded(set), folded(counter));
    let find = |of: &'static CounterSet,
                name: fn(&(&'static str, &'static str)) -> &'static str| {
        let place = of
            .counters
            .iter()
            .position(|row| folded(name(row)) == counter)?;
        Some(Cow::Borrowed(of.metrics[place].id))
    };
    if let Some(of) = NAMED.iter().find(|of| folded(of.name) == set) {
        return find(of, |row| row.0);
    }
    if let Some((_, of)) = GERMAN_DISKS.iter().find(|(name, _)| *name == set) {
        return find(of, |row| row.1);
    }
    // Set names are translated too: an instance that is a share as seen by a client, and a known counter name, are enough.
    let is_share =
        instance == "_Total" || instance.starts_with('\\') && !instance.starts_with("\\\\");
    if set.contains("client") && is_share && !counter.is_empty() {
        return find(&SMB_CLIENT_SHARES, |row| row.1);
    }
    None
}

/// Counter set and counter of a metric: the way back from [`metric_of`]. `None` for a metric that is not a Windows counter.
pub fn counter_of(metric: &str) -> Option<(&'static str, &'static str)> {
    NAMED.iter().find_map(|of| {
        let place = of.metrics.iter().position(|known| known.id == metric)?;
        Some((of.name, of.counters[place].0))
    })
}

/// True for a counter, by its name in English or German, that Windows computes from two samples, a rate or a mean: the first sample of a recording has no value.
pub fn needs_two_samples(counter: &str) -> bool {
    let counter = folded(counter);
    let is_rate = ["/sec", "/sek.", "/s"]
        .iter()
        .any(|end| counter.ends_with(end));
    is_rate
        || ["avg.", "durchschn", "mittlere ", "%"]
            .iter()
            .any(|begin| counter.starts_with(begin))
        || counter.ends_with("(%)")
}

/// A name in lower case without the marks on its letters: some recordings have lost those.
fn folded(name: &str) -> String {
    let plain = |letter: char| match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        letter => letter,
    };
    name.trim()
        .chars()
        .flat_map(char::to_lowercase)
        .map(plain)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_metrics_are_unique() {
        let names: BTreeSet<_> = SMB_CLIENT_SHARES
            .counters
            .iter()
            .map(|row| folded(row.0))
            .collect();
        let metrics: BTreeSet<_> = SMB_CLIENT_SHARES
            .metrics
            .iter()
            .map(|metric| metric.id)
            .collect();
        assert_eq!((names.len(), metrics.len()), (24, 24));
        let german: Vec<_> = SMB_CLIENT_SHARES
            .counters
            .iter()
            .filter(|row| !row.1.is_empty())
            .map(|row| folded(row.1))
            .collect();
        assert_eq!(german.iter().collect::<BTreeSet<_>>().len(), german.len());
        let of_disks: BTreeSet<_> = PHYSICAL_DISK.metrics.iter().map(|row| row.id).collect();
        assert_eq!(of_disks.len(), PHYSICAL_DISK.counters.len());
    }

    #[test]
    fn counters_are_found_in_english_and_german_with_and_without_their_marks() {
        let share = r"\srv\data";
        let length = Some("smb_client_share.current_data_queue_length".into());
        for (set, counter) in [
            ("SMB Client Shares", "Current Data Queue Length"),
            (
                "SMB-Clientfreigaben",
                "Aktuelle Länge der Datenwarteschlange",
            ),
            (
                "SMB-Clientfreigaben",
                "Aktuelle Lange der Datenwarteschlange",
            ),
        ] {
            assert_eq!(metric_of(set, share, counter), length, "{counter}");
        }
        assert_eq!(
            metric_of("PhysicalDisk", "0 C:", "Avg. Disk sec/Read"),
            Some("physical_disk.read_seconds".into())
        );
        for (counter, metric) in [
            ("Mittlere Sek./Schreibvorgänge", "write_seconds"),
            ("Schreibvorgänge/s", "writes_per_second"),
            ("Leerlaufzeit (%)", "idle_percent"),
            (
                "Durchschnittl. Warteschlangenlänge des Datenträgers",
                "queue_length",
            ),
        ] {
            for (set, kind) in [
                ("Physikalischer Datenträger", "physical_disk"),
                ("Logischer Datenträger", "logical_disk"),
            ] {
                let metric = format!("{kind}.{metric}");
                assert_eq!(metric_of(set, "0 C:", counter), Some(metric.into()));
            }
        }
        // Of a set that is not known, a known counter says nothing.
        assert_eq!(metric_of("Datenträger", "0 C:", "Lesevorgänge/s"), None);
        for (set, share, metric) in [
            (
                SMB_CLIENT_SHARES.name,
                share,
                "smb_client_share.credit_stalls_per_second",
            ),
            (PHYSICAL_DISK.name, "0 C:", "physical_disk.write_seconds"),
            (LOGICAL_DISK.name, "C:", "logical_disk.queue_length"),
        ] {
            let (named, counter) = counter_of(metric).expect("of Windows");
            assert_eq!(named, set);
            assert_eq!(metric_of(set, share, counter), Some(metric.into()));
        }
        assert_eq!(counter_of("disk.reads"), None);
        // The server's own counters have the same names, and other instances.
        assert_eq!(
            metric_of("SMB-Serverfreigaben", r"\\*\C$", "Datenbytes/Sek."),
            None
        );
        assert_eq!(
            metric_of("SMB Server Shares", r"\\*\C$", "Data Bytes/sec"),
            None
        );
        assert_eq!(metric_of("SMB-Clientfreigaben", share, ""), None);
        assert_eq!(metric_of("Memory", "", "Available Bytes"), None);
    }

    #[test]
    fn rates_and_means_need_two_samples() {
        for counter in [
            "Data Bytes/sec",
            "Avg. sec/Read",
            "% Idle Time",
            "Datenbytes/Sek.",
            "Split IO/Sec",
            "Mittlere Sek./Lesevorgänge",
            "Leerlaufzeit (%)",
            "Durchschnittl. Warteschlangenlänge des Datenträgers",
        ] {
            assert!(needs_two_samples(counter), "{counter}");
        }
        for counter in [
            "Current Data Queue Length",
            "Available Bytes",
            "Avg Time",
            "Aktuelle Warteschlangenlänge",
        ] {
            assert!(!needs_two_samples(counter), "{counter}");
        }
    }
}
