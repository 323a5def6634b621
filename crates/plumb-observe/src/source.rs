//! What is a counter source? It reads one area of the kernel's counters and returns them as readings.

use plumb_model::run::metric::{Metric, MetricKind, Reading};

use crate::machine::{KernelFile, Machine};
use crate::system;

/// One source of readings. Static: its metrics are known before anything is read.
pub struct Source {
    /// Name of the source, equal to its file name: `diskstats`.
    pub name: &'static str,
    /// One sentence: what it reports and where it reads it.
    pub meaning: &'static str,
    /// Where there is something to read.
    pub system: System,
    /// The topic for users.
    pub areas: &'static [Area],
    /// Every metric it can give. It gives no other.
    pub metrics: &'static [Metric],
    /// Opens it on a machine, for the wanted instances. Never fails, and need not read anything yet: what cannot be opened gives readings without a
    /// value, until it can.
    pub open: fn(&Machine, &Scope) -> Box<dyn Reader>,
}

/// Which system provides the counters that a source reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    Linux,
    LinuxAndFreeBsd,
    Windows,
    /// Each system has them in its own way; what one does not count is missing there.
    Every,
}

impl Source {
    /// True if the system that plumb runs on provides them.
    pub fn is_of_this_system(&self) -> bool {
        match self.system {
            System::Linux => system::IS_LINUX,
            System::LinuxAndFreeBsd => system::IS_LINUX || system::IS_FREEBSD,
            System::Windows => system::IS_WINDOWS,
            System::Every => true,
        }
    }
}

/// A topic for users: a set of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Block devices, and the cost of their use.
    Disk,
    /// Mounted shares, and the network to them.
    Share,
    /// Interfaces and TCP.
    Network,
    /// Cores, and delays of tasks.
    Cpu,
    /// Shares as the SMB client of the system sees them, with what carries them and what its cores do.
    SmbClient,
}

impl Area {
    /// All of them, by name.
    pub const NAMED: [(&'static str, Area); 5] = [
        ("disk", Area::Disk),
        ("share", Area::Share),
        ("network", Area::Network),
        ("cpu", Area::Cpu),
        ("smb-client", Area::SmbClient),
    ];

    /// The sources list the topics that they belong to.
    pub fn has(self, source: &Source) -> bool {
        source.areas.contains(&self)
    }
}

/// An open source. It keeps what it needs for reading: open files, a query, a kernel table.
pub trait Reader {
    /// Appends one reading for each metric and instance, with `time_ns` 0 (the observer stamps all readings of a sample with one time).
    ///
    /// Never fails: what cannot be read is a reading without a value - for each wanted instance where these are known beforehand (disks),
    /// else one with an empty instance. A file that is cut short or holds garbage gives missing values, never a panic and never 0. What appears
    /// after the source was opened (a share that is mounted, a disk that is plugged in) is found within a few readings.
    fn read(&mut self, out: &mut Vec<Reading>);
}

/// A source without selected instances: it gives no readings, and costs nothing.
pub(crate) struct Nothing;

impl Reader for Nothing {
    fn read(&mut self, _: &mut Vec<Reading>) {}
}

/// A source that reads one kernel file.
pub(crate) struct OneFile {
    pub file: KernelFile,
    pub scope: Scope,
    /// What the text (empty when the file is missing) says of what is wanted.
    pub parse: fn(&str, &Scope, &mut Vec<Reading>),
}

impl Reader for OneFile {
    fn read(&mut self, out: &mut Vec<Reading>) {
        (self.parse)(self.file.text().unwrap_or_default(), &self.scope, out);
    }
}

/// Selected instances of sources with many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Kernel names of block devices (`vda1`, `md0`); `None` for all that the kernel counts.
    pub disks: Option<Vec<String>>,
    /// Names of network interfaces (`eth0`); `None` for all. Where it is empty, no counters of TCP are reported either.
    pub interfaces: Option<Vec<String>>,
    /// Mounted shares: the mount point of NFS (`/mnt/n`), the share of SMB (`\\server\share`, as the kernel lists it); `None` for all.
    pub shares: Option<Vec<String>>,
    /// Programs that are watched.
    pub programs: Vec<Program>,
}

/// A watched program: a process, with its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub pid: u32,
    /// The instance name of its readings.
    pub name: String,
}

/// Name of the program that a process runs. `None` where there is no such process, or the system does not report.
pub fn process_name(pid: u32) -> Option<String> {
    system::processes::name(pid)
}

impl Scope {
    /// True when readings of this block device are wanted.
    pub fn wants_disk(&self, name: &str) -> bool {
        self.disks
            .as_ref()
            .is_none_or(|disks| disks.iter().any(|disk| disk == name))
    }

    /// True when readings of this network interface are wanted.
    pub fn wants_interface(&self, name: &str) -> bool {
        self.interfaces
            .as_ref()
            .is_none_or(|interfaces| interfaces.iter().any(|interface| interface == name))
    }

    /// The wanted shares whose name begins so: `/` for NFS, `\\` for SMB; `None` for all.
    pub fn shares_like(&self, beginning: &str) -> Option<Vec<String>> {
        let shares = self.shares.as_ref()?;
        Some(
            shares
                .iter()
                .filter(|share| share.starts_with(beginning))
                .cloned()
                .collect(),
        )
    }

    /// True when readings of this mounted share are wanted.
    pub fn wants_share(&self, name: &str) -> bool {
        self.shares
            .as_ref()
            .is_none_or(|shares| shares.iter().any(|share| share.eq_ignore_ascii_case(name)))
    }
}

/// A monotonic metric.
pub(crate) const fn counter(id: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric {
        id,
        unit,
        kind: MetricKind::Counter,
        meaning,
    }
}

/// A metric with a current value.
pub(crate) const fn gauge(id: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric {
        id,
        unit,
        kind: MetricKind::Gauge,
        meaning,
    }
}

/// Appends one reading; the time is stamped by the observer.
pub(crate) fn push(out: &mut Vec<Reading>, metric: &Metric, instance: &str, value: Option<f64>) {
    out.push(Reading {
        metric: metric.id.into(),
        instance: instance.to_owned(),
        time_ns: 0,
        value,
    });
}

/// Appends readings without a value for those of `wanted` that nothing was reported of since `first`; when all are wanted and none was there, for the
/// empty instance.
pub(crate) fn report_missing(
    metrics: &[Metric],
    selected: Option<&[String]>,
    first: usize,
    out: &mut Vec<Reading>,
) {
    let all = [String::new()];
    let expected = selected.unwrap_or(if out.len() > first { &[] } else { &all });
    for name in expected {
        if !out[first..].iter().any(|reading| reading.instance == *name) {
            metrics
                .iter()
                .for_each(|metric| push(out, metric, name, None));
        }
    }
}

/// An integer of the kernel, times `scale`. `None` for anything that is no integer (the kernel prints no other counters).
pub(crate) fn scaled(token: Option<&str>, scale: f64) -> Option<f64> {
    token?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|value| value as f64 * scale)
}
