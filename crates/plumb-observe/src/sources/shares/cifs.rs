//! What did each mounted SMB share do? Requests and bytes from /proc/fs/cifs/Stats.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{
    Area, Nothing, OneFile, Reader, Scope, Source, System, counter, gauge, push, report_missing,
    scaled,
};

/// Kernel: fs/smb/client/cifs_debug.c (cifs_stats_proc_show) and smb2ops.c (smb2_print_stats). Counted since the share was mounted, or since
/// somebody wrote to the file.
pub static SOURCE: Source = Source {
    name: "cifs",
    system: System::Linux,
    meaning: "requests, bytes and reconnects of each SMB share that the kernel has mounted (/proc/fs/cifs/Stats)",
    areas: &[Area::Share, Area::SmbClient],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 10] = [
    counter(
        "cifs.requests",
        "operations",
        "requests of all kinds on this share (SMBs)",
    ),
    counter(
        "cifs.reads",
        "operations",
        "read requests, without reads from the client's cache (Reads)",
    ),
    counter(
        "cifs.reads_failed",
        "operations",
        "read requests that failed",
    ),
    counter("cifs.read_bytes", "bytes", "bytes of read requests"),
    counter("cifs.writes", "operations", "write requests (Writes)"),
    counter(
        "cifs.writes_failed",
        "operations",
        "write requests that failed",
    ),
    counter("cifs.write_bytes", "bytes", "bytes of write requests"),
    counter(
        "cifs.creates",
        "operations",
        "opens and creations of files (Creates)",
    ),
    counter(
        "cifs.lease_breaks",
        "operations",
        "times that the server revoked the right to cache (OplockBreaks)",
    ),
    gauge(
        "cifs.open_files",
        "1",
        "files that this client holds open on the server",
    ),
];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    if scope
        .shares_like("\\\\")
        .is_some_and(|shares| shares.is_empty())
    {
        return Box::new(Nothing);
    }
    Box::new(OneFile {
        file: machine.file("proc/fs/cifs/Stats"),
        scope: scope.clone(),
        parse,
    })
}

fn parse(text: &str, scope: &Scope, out: &mut Vec<Reading>) {
    let first = out.len();
    let mut share: Option<(&str, Values)> = None;
    // A last line that does not end was cut short.
    for line in text
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
    {
        match share_of(line) {
            Some(name) => {
                finish(share.take(), scope, out);
                share = Some((name, [None; METRICS.len()]));
            }
            None => share.iter_mut().for_each(|(_, values)| take(values, line)),
        }
    }
    finish(share, scope, out);
    report_missing(&METRICS, scope.shares_like("\\\\").as_deref(), first, out);
}

/// In the order of the metrics.
type Values = [Option<f64>; METRICS.len()];

fn finish(share: Option<(&str, Values)>, scope: &Scope, out: &mut Vec<Reading>) {
    if let Some((name, values)) = share.filter(|(name, _)| scope.wants_share(name)) {
        METRICS
            .iter()
            .zip(values)
            .for_each(|(metric, value)| push(out, metric, name, value));
    }
}

/// `\\server\share` of `1) \\server\share`, and of the same with a tab and `DISCONNECTED` after it.
fn share_of(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(") ")?;
    (number.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with("\\\\"))
        .then(|| rest.split('\t').next().unwrap_or(rest).trim())
}

/// What one line reports about a share: `Reads: 12 total 0 failed`, `Bytes read: 0  Bytes written: 2097152`, `SMBs: 24 since ...`.
fn take(values: &mut Values, line: &str) {
    let Some((name, rest)) = line.split_once(": ") else {
        return;
    };
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| scaled(words.get(at).copied(), 1.0);
    match name {
        "SMBs" => values[0] = number(0),
        "Reads" => (values[1], values[2]) = (number(0), number(2)),
        "Bytes read" => (values[3], values[6]) = (number(0), number(3)),
        "Writes" => (values[4], values[5]) = (number(0), number(2)),
        "Creates" => values[7] = number(0),
        "OplockBreaks" => values[8] = number(0),
        // `0 total (local), 0 open on server`.
        "Open files" => values[9] = number(3),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    const SHARE: &str = "\\\\10.9.9.2\\enc";

    #[test]
    fn lines_of_a_real_kernel_are_read() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        for (metric, expected) in [
            ("cifs.requests", 24.0),
            ("cifs.reads", 0.0),
            ("cifs.read_bytes", 1048576.0),
            ("cifs.writes", 2.0),
            ("cifs.writes_failed", 0.0),
            ("cifs.write_bytes", 2097152.0),
            ("cifs.creates", 6.0),
            ("cifs.lease_breaks", 0.0),
            ("cifs.open_files", 1.0),
        ] {
            assert_eq!(value(&out, metric, SHARE), Some(expected), "{metric}");
        }
        assert_eq!(
            value(&out, "cifs.write_bytes", "\\\\10.9.9.2\\shm"),
            Some(25165824.0)
        );
        // The long form, with tables of times between the shares.
        let out = fixture::read(&SOURCE, "proc-share", &Scope::default());
        assert_eq!(value(&out, "cifs.writes", "\\\\10.9.9.2\\shm"), Some(6.0));
    }

    #[test]
    fn only_wanted_shares_are_told() {
        let scope = Scope {
            shares: Some(vec![SHARE.into()]),
            ..Scope::default()
        };
        let out = fixture::read(&SOURCE, "proc-machine", &scope);
        assert_eq!(out.len(), METRICS.len());
        // The mount point of an NFS mount is no share of this source.
        let scope = Scope {
            shares: Some(vec!["/mnt/n".into()]),
            ..Scope::default()
        };
        assert_eq!(fixture::read(&SOURCE, "proc-machine", &scope), Vec::new());
    }
}
