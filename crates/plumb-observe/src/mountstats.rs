//! What does /proc/self/mountstats show for an NFS mount? Options, connections, and counters of each kind of request.

/// One NFS mount. Text format of fs/nfs/super.c (nfs_show_stats) and net/sunrpc/stats.c (rpc_clnt_show_stats), `statvers` 1.0 and 1.1.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NfsMount {
    /// `server:/export`.
    pub source: String,
    pub point: String,
    /// As they are in force: `vers=4.2,rsize=131072,...`.
    pub options: String,
    /// Seconds since it was mounted.
    pub age_s: Option<f64>,
    /// `tcp`, `udp` or `rdma` of each connection: one line each, so several with nconnect.
    pub connections: Vec<String>,
    pub operations: Vec<Operation>,
}

/// Totals of one kind of request since the mount.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Operation {
    /// `READ`, `WRITE`, `GETATTR`.
    pub name: String,
    /// In the order of struct rpc_iostats: requests, transmissions, major timeouts, bytes sent, bytes received, ms queued, ms of round trip, ms
    /// of execution, and, since Linux 5.1, errors. Fields that the kernel does not have, or that are cut off, are missing.
    fields: Vec<f64>,
}

impl Operation {
    /// Requests that were completed.
    pub fn requests(&self) -> Option<f64> {
        self.fields.first().copied()
    }

    /// Times that requests were sent: more than the requests when some were sent again.
    pub fn transmissions(&self) -> Option<f64> {
        self.fields.get(1).copied()
    }

    /// Requests that timed out.
    pub fn timeouts(&self) -> Option<f64> {
        self.fields.get(2).copied()
    }

    /// Bytes sent and received, with their headers.
    pub fn bytes(&self) -> Option<(f64, f64)> {
        Some((*self.fields.get(3)?, *self.fields.get(4)?))
    }

    /// Milliseconds that requests waited before they were sent, from sending to the response, and in total.
    pub fn times_ms(&self) -> Option<(f64, f64, f64)> {
        Some((
            *self.fields.get(5)?,
            *self.fields.get(6)?,
            *self.fields.get(7)?,
        ))
    }
}

impl NfsMount {
    /// The value of an option `name=value`.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options
            .split(',')
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }

    /// Requests of these kinds added up by `value`; `None` when the mount reports about none of them.
    pub fn sum(&self, names: &[&str], value: impl Fn(&Operation) -> Option<f64>) -> Option<f64> {
        self.operations
            .iter()
            .filter(|operation| names.contains(&operation.name.as_str()))
            .map(value)
            .sum::<Option<f64>>()
            .filter(|_| {
                // A sum of nothing is 0, and nothing is not 0.
                self.operations
                    .iter()
                    .any(|operation| names.contains(&operation.name.as_str()))
            })
    }
}

/// Kinds of request that read and that write file content. NFS 4.2 reads by READ_PLUS where the server has it (RFC 7862).
pub(crate) const READS: [&str; 2] = ["READ", "READ_PLUS"];
pub(crate) const WRITES: [&str; 1] = ["WRITE"];

/// The NFS mounts of a text of mountstats. A last line that does not end was cut short and is left out.
pub(crate) fn nfs_mounts(text: &str) -> Vec<NfsMount> {
    let mut mounts: Vec<NfsMount> = Vec::new();
    let mut is_nfs = false;
    for line in text
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
    {
        if let Some(device) = line.strip_prefix("device ") {
            let found = begin(device);
            is_nfs = found.is_some();
            mounts.extend(found);
            continue;
        }
        let Some(mount) = mounts.last_mut().filter(|_| is_nfs) else {
            continue;
        };
        let Some((name, rest)) = line.trim_start().split_once(':') else {
            continue;
        };
        let mut words = rest.split_ascii_whitespace();
        match name {
            "opts" => mount.options = rest.trim().to_owned(),
            "age" => {
                mount.age_s = words
                    .next()
                    .and_then(|age| age.parse::<u64>().ok())
                    .map(|age| age as f64)
            }
            "xprt" => mount.connections.extend(words.next().map(str::to_owned)),
            // Names of requests are in capitals; all else (events, bytes, caps) is not.
            name if name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_') =>
            {
                let fields: Vec<f64> = words
                    .map_while(|word| word.parse::<u64>().ok())
                    .map(|number| number as f64)
                    .collect();
                mount.operations.push(Operation {
                    name: name.to_owned(),
                    fields,
                });
            }
            _ => {}
        }
    }
    mounts
}

/// `127.0.0.1:/ mounted on /mnt/n with fstype nfs4 statvers=1.1`; nothing for mounts that are no NFS.
fn begin(line: &str) -> Option<NfsMount> {
    let (source, rest) = line.split_once(" mounted on ")?;
    let (point, rest) = rest.rsplit_once(" with fstype ")?;
    let kind = rest.split(' ').next()?;
    ["nfs", "nfs4"].contains(&kind).then(|| NfsMount {
        source: source.to_owned(),
        point: point.to_owned(),
        ..NfsMount::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn mounts_of_a_real_kernel_are_read() {
        let files = fixture::files("proc-share");
        let text = &files
            .iter()
            .find(|(path, _)| path == "proc/self/mountstats")
            .unwrap()
            .1;
        let mounts = nfs_mounts(text);
        assert_eq!(mounts.len(), 2);
        let (over_tcp, over_rdma) = (&mounts[0], &mounts[1]);
        assert_eq!(
            (over_tcp.source.as_str(), over_tcp.point.as_str()),
            ("127.0.0.1:/", "/mnt/n")
        );
        assert_eq!(over_tcp.connections, ["tcp", "tcp", "tcp"]);
        assert_eq!(
            (
                over_tcp.option("vers"),
                over_tcp.option("nconnect"),
                over_tcp.option("c")
            ),
            (Some("4.2"), Some("3"), None)
        );
        assert_eq!(over_tcp.age_s, Some(103.0));
        assert_eq!(over_tcp.sum(&WRITES, Operation::requests), Some(82.0));
        assert_eq!(
            over_tcp.sum(&READS, Operation::requests),
            Some(50.0),
            "reads are READ_PLUS requests here"
        );
        assert_eq!(
            over_tcp.sum(&["WRITE"], |operation| operation
                .times_ms()
                .map(|(_, round_trip, _)| round_trip)),
            Some(7849.0)
        );
        assert_eq!(over_tcp.sum(&["NO_SUCH"], Operation::requests), None);
        assert_eq!(over_rdma.connections, ["rdma"]);
    }

    #[test]
    fn other_mounts_and_broken_lines_are_left_out() {
        assert_eq!(
            nfs_mounts("device p mounted on /proc with fstype proc\n\tREAD: 1 2\n"),
            []
        );
        assert_eq!(nfs_mounts("device "), []);
        let cut = "device s:/e mounted on /m with fstype nfs statvers=1.1\n\tREAD: 5 6 x 1 1\n\tWRITE: 7 8";
        let mounts = nfs_mounts(cut);
        assert_eq!(mounts[0].sum(&READS, Operation::transmissions), Some(6.0));
        assert_eq!(mounts[0].sum(&READS, Operation::timeouts), None);
        assert_eq!(
            mounts[0].sum(&WRITES, Operation::requests),
            None,
            "the last line did not end"
        );
    }
}
