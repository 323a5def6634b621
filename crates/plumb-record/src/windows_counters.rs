//! What are Windows' performance counters called, and which metric is each? For recordings that are read, and for those that are written.
//!
//! The English names are those of the counter sets "SMB Client Shares" (Windows 10 and Server 2012, with what later versions added) and "PhysicalDisk" and
//! "LogicalDisk". All of them are values of one interval or one moment, never counters that rise.

use std::borrow::Cow;

/// Counter set of the shares that a client has connected to; an instance is `\server\share`.
pub const SMB_CLIENT_SHARES: &str = "SMB Client Shares";
/// Counter set of disks; an instance is the number of the disk and its drive letters: `0 C:`.
pub const PHYSICAL_DISK: &str = "PhysicalDisk";
const LOGICAL_DISK: &str = "LogicalDisk";

/// Counter of [`SMB_CLIENT_SHARES`], name in German where it is certain, and metric.
const OF_SHARES: &[(&str, &str, &str)] = &[
    (
        "Data Bytes/sec",
        "Datenbytes/Sek.",
        "smb_client_share.data_bytes_per_second",
    ),
    (
        "Data Requests/sec",
        "Datenanforderungen/Sek.",
        "smb_client_share.data_requests_per_second",
    ),
    (
        "Avg. Data Bytes/Request",
        "Durchschn. Datenbytes/Anforderung",
        "smb_client_share.data_request_bytes",
    ),
    (
        "Avg. sec/Data Request",
        "Durchschn. Sek./Datenanforderung",
        "smb_client_share.data_request_seconds",
    ),
    (
        "Current Data Queue Length",
        "Aktuelle Länge der Datenwarteschlange",
        "smb_client_share.current_data_queue_length",
    ),
    (
        "Avg. Data Queue Length",
        "Durchschn. Länge der Datenwarteschlange",
        "smb_client_share.data_queue_length",
    ),
    (
        "Read Bytes/sec",
        "Gelesene Bytes/Sek.",
        "smb_client_share.read_bytes_per_second",
    ),
    (
        "Read Requests/sec",
        "Leseanforderungen/Sek.",
        "smb_client_share.read_requests_per_second",
    ),
    (
        "Avg. Bytes/Read",
        "Durchschn. Bytes/Lesevorgang",
        "smb_client_share.read_bytes",
    ),
    (
        "Avg. sec/Read",
        "Durchschn. Sek./Lesevorgang",
        "smb_client_share.read_seconds",
    ),
    (
        "Avg. Read Queue Length",
        "Durchschn. Warteschlangenlänge für Lesevorgänge",
        "smb_client_share.read_queue_length",
    ),
    (
        "Write Bytes/sec",
        "Geschriebene Bytes/Sek.",
        "smb_client_share.write_bytes_per_second",
    ),
    (
        "Write Requests/sec",
        "Schreibanforderungen/Sek.",
        "smb_client_share.write_requests_per_second",
    ),
    ("Avg. Bytes/Write", "", "smb_client_share.write_bytes"),
    ("Avg. sec/Write", "", "smb_client_share.write_seconds"),
    (
        "Avg. Write Queue Length",
        "",
        "smb_client_share.write_queue_length",
    ),
    (
        "Metadata Requests/sec",
        "Metadatenanforderungen/Sek.",
        "smb_client_share.metadata_requests_per_second",
    ),
    (
        "Credit Stalls/sec",
        "Verzögerungen durch Anforderungslimit/Sek.",
        "smb_client_share.credit_stalls_per_second",
    ),
    (
        "Read Bytes transmitted via SMB Direct/sec",
        "",
        "smb_client_share.direct_read_bytes_per_second",
    ),
    (
        "Write Bytes transmitted via SMB Direct/sec",
        "",
        "smb_client_share.direct_write_bytes_per_second",
    ),
    (
        "Read Requests transmitted via SMB Direct/sec",
        "",
        "smb_client_share.direct_read_requests_per_second",
    ),
    (
        "Write Requests transmitted via SMB Direct/sec",
        "",
        "smb_client_share.direct_write_requests_per_second",
    ),
    (
        "Turbo I/O Reads/sec",
        "",
        "smb_client_share.turbo_reads_per_second",
    ),
    (
        "Turbo I/O Writes/sec",
        "",
        "smb_client_share.turbo_writes_per_second",
    ),
];

/// Counter of [`PHYSICAL_DISK`], and of `LogicalDisk`, and the metric without the name of the set.
const OF_DISKS: &[(&str, &str)] = &[
    ("Disk Transfers/sec", "transfers_per_second"),
    ("Disk Reads/sec", "reads_per_second"),
    ("Disk Writes/sec", "writes_per_second"),
    ("Disk Bytes/sec", "bytes_per_second"),
    ("Disk Read Bytes/sec", "read_bytes_per_second"),
    ("Disk Write Bytes/sec", "write_bytes_per_second"),
    ("Avg. Disk Bytes/Transfer", "transfer_bytes"),
    ("Avg. Disk Bytes/Read", "read_bytes"),
    ("Avg. Disk Bytes/Write", "write_bytes"),
    ("Avg. Disk sec/Transfer", "transfer_seconds"),
    ("Avg. Disk sec/Read", "read_seconds"),
    ("Avg. Disk sec/Write", "write_seconds"),
    ("Current Disk Queue Length", "current_queue_length"),
    ("Avg. Disk Queue Length", "queue_length"),
    ("Avg. Disk Read Queue Length", "read_queue_length"),
    ("Avg. Disk Write Queue Length", "write_queue_length"),
    ("% Idle Time", "idle_percent"),
    ("% Disk Time", "disk_time_percent"),
    ("Split IO/Sec", "split_requests_per_second"),
];

/// The metric of a counter. `None` for one that is not in these tables, in whatever language it is named.
pub fn metric_of(set: &str, instance: &str, counter: &str) -> Option<Cow<'static, str>> {
    let (set, counter) = (folded(set), folded(counter));
    let find = |names: fn(&(&'static str, &'static str, &'static str)) -> &'static str| {
        let found = OF_SHARES.iter().find(|row| folded(names(row)) == counter)?;
        Some(Cow::Borrowed(found.2))
    };
    if set == folded(SMB_CLIENT_SHARES) {
        return find(|row| row.0);
    }
    // Sets have translated names too: one of clients whose instance is a share that a client sees, and a counter of that name, are enough.
    let is_share =
        instance == "_Total" || instance.starts_with('\\') && !instance.starts_with("\\\\");
    if set.contains("client") && is_share && !counter.is_empty() {
        return find(|row| row.1);
    }
    let kind = match set {
        set if set == folded(PHYSICAL_DISK) => "physical_disk",
        set if set == folded(LOGICAL_DISK) => "logical_disk",
        _ => return None,
    };
    let (_, of) = OF_DISKS.iter().find(|(name, _)| folded(name) == counter)?;
    Some(Cow::Owned(format!("{kind}.{of}")))
}

/// Counter set and counter of a metric: the way back from [`metric_of`]. `None` for a metric that is none of Windows.
pub fn counter_of(metric: &str) -> Option<(&'static str, &'static str)> {
    if let Some((name, ..)) = OF_SHARES.iter().find(|row| row.2 == metric) {
        return Some((SMB_CLIENT_SHARES, *name));
    }
    let (kind, of) = metric.split_once('.')?;
    let set = match kind {
        "physical_disk" => PHYSICAL_DISK,
        "logical_disk" => LOGICAL_DISK,
        _ => return None,
    };
    let (name, _) = OF_DISKS.iter().find(|(_, known)| *known == of)?;
    Some((set, *name))
}

/// True for a counter that Windows computes from two samples, so that the first one of a recording has no value: a rate or a mean.
pub fn needs_two_samples(counter: &str) -> bool {
    let counter = folded(counter);
    let is_rate = ["/sec", "/sek.", "/s"]
        .iter()
        .any(|end| counter.ends_with(end));
    is_rate
        || ["avg.", "durchschn.", "%"]
            .iter()
            .any(|begin| counter.starts_with(begin))
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
        let names: BTreeSet<_> = OF_SHARES.iter().map(|row| folded(row.0)).collect();
        let metrics: BTreeSet<_> = OF_SHARES.iter().map(|row| row.2).collect();
        assert_eq!((names.len(), metrics.len()), (24, 24));
        let german: Vec<_> = OF_SHARES
            .iter()
            .filter(|row| !row.1.is_empty())
            .map(|row| folded(row.1))
            .collect();
        assert_eq!(german.iter().collect::<BTreeSet<_>>().len(), german.len());
        let of_disks: BTreeSet<_> = OF_DISKS.iter().map(|row| row.1).collect();
        assert_eq!(of_disks.len(), OF_DISKS.len());
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
        for (set, share, metric) in [
            (
                SMB_CLIENT_SHARES,
                share,
                "smb_client_share.credit_stalls_per_second",
            ),
            (PHYSICAL_DISK, "0 C:", "physical_disk.write_seconds"),
            (LOGICAL_DISK, "C:", "logical_disk.queue_length"),
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
        ] {
            assert!(needs_two_samples(counter), "{counter}");
        }
        for counter in ["Current Data Queue Length", "Available Bytes", "Avg Time"] {
            assert!(!needs_two_samples(counter), "{counter}");
        }
    }
}
