//! Was the process throttled by its control group, and how much I/O did the group do? From cpu.stat and io.stat, version 1 or 2.

use std::collections::HashMap;
use std::path::Path;

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::{KernelFile, Look, Machine};
use crate::source::{Area, Reader, Scope, Source, System, counter, push, scaled};
use crate::system::control_groups::{Version, groups};
use crate::system::kernel_files::link;

/// Kernel documents: Documentation/admin-guide/cgroup-v2.rst (cpu.stat, io.stat) and cgroup-v1/blkio-controller.rst,
/// scheduler/sched-bwc.rst (cpu.stat of version 1).
pub static SOURCE: Source = Source {
    name: "cgroup",
    system: System::Linux,
    meaning: "throttling and I/O of plumb's control group (/sys/fs/cgroup, version 1 or 2)",
    areas: &[Area::Disk, Area::Cpu],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 6] = [
    counter(
        "cgroup.cpu_throttled_ns",
        "ns",
        "time in which a CPU quota throttled tasks, summed over cores, for the own group and its ancestors (cpu.stat throttled_usec, or throttled_time of version 1)",
    ),
    counter(
        "cgroup.cpu_throttled_periods",
        "1",
        "quota periods in which tasks were throttled, own group and its ancestors (cpu.stat nr_throttled)",
    ),
    counter(
        "cgroup.reads",
        "operations",
        "reads of the own group on this device (io.stat rios, or blkio.throttle.io_serviced)",
    ),
    counter(
        "cgroup.read_bytes",
        "bytes",
        "bytes read by the own group on this device (io.stat rbytes, or blkio.throttle.io_service_bytes)",
    ),
    counter(
        "cgroup.writes",
        "operations",
        "writes of the own group on this device (io.stat wios, or blkio.throttle.io_serviced)",
    ),
    counter(
        "cgroup.write_bytes",
        "bytes",
        "bytes written by the own group on this device (io.stat wbytes, or blkio.throttle.io_service_bytes)",
    ),
];

struct Cgroup {
    machine: Machine,
    scope: Scope,
    look: Look,
    /// `cpu.stat` of its own group and of each one above it.
    throttling: Vec<KernelFile>,
    /// What its own group's I/O is reported by.
    io: Vec<IoFile>,
    /// Kernel names of devices by `major:minor`; forgotten now and then, because a number may be given to another device.
    names: HashMap<String, String>,
}

struct IoFile {
    file: KernelFile,
    parse: fn(&str, &mut Devices),
}

/// Values in the order of METRICS[2..], for each device by `major:minor`.
type Devices = Vec<(String, Io)>;
type Io = [Option<f64>; 4];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    Box::new(Cgroup {
        machine: machine.clone(),
        scope: scope.clone(),
        look: Look::default(),
        throttling: Vec::new(),
        io: Vec::new(),
        names: HashMap::new(),
    })
}

impl Reader for Cgroup {
    fn read(&mut self, out: &mut Vec<Reading>) {
        if self.look.is_due() {
            self.find_groups();
            self.names.clear();
        }
        self.read_throttling(out);
        self.read_io(out);
    }
}

impl Cgroup {
    /// Looks for the groups that were not there yet.
    fn find_groups(&mut self) {
        let file = |folder: &str, name: &str| self.machine.file(&format!("{folder}/{name}"));
        if self.throttling.is_empty() {
            let (_, folders) = groups(self.machine.root(), "cpu");
            self.throttling = folders
                .iter()
                .map(|folder| file(folder, "cpu.stat"))
                .collect();
        }
        if self.io.is_empty() {
            let (version, folders) = groups(self.machine.root(), "io");
            let io_file = |folder: &str, name: &str, parse| IoFile {
                file: file(folder, name),
                parse,
            };
            self.io = match (version, folders.first()) {
                (Version::Two, Some(own)) => vec![io_file(own, "io.stat", parse_io_stat)],
                (Version::One, Some(own)) => vec![
                    io_file(own, "blkio.throttle.io_serviced", |text, devices| {
                        parse_blkio(text, 0, devices);
                    }),
                    io_file(own, "blkio.throttle.io_service_bytes", |text, devices| {
                        parse_blkio(text, 1, devices);
                    }),
                ],
                (_, None) => Vec::new(),
            };
        }
    }

    /// The group in which the quota stands counts the throttling, so those above are added; the topmost group has no quota and no such lines.
    fn read_throttling(&mut self, out: &mut Vec<Reading>) {
        let (mut time_ns, mut periods) = (None, None);
        let add = |sum: &mut Option<f64>, value: Option<f64>| {
            if let Some(value) = value {
                *sum = Some(sum.unwrap_or(0.0) + value);
            }
        };
        for file in &mut self.throttling {
            for line in complete_lines(file.text()) {
                match line.split_once(' ') {
                    Some(("throttled_usec", number)) => {
                        add(&mut time_ns, scaled(Some(number), 1e3));
                    }
                    Some(("throttled_time", number)) => {
                        add(&mut time_ns, scaled(Some(number), 1.0));
                    }
                    Some(("nr_throttled", number)) => add(&mut periods, scaled(Some(number), 1.0)),
                    _ => {}
                }
            }
        }
        push(out, &METRICS[0], "", time_ns);
        push(out, &METRICS[1], "", periods);
    }

    fn read_io(&mut self, out: &mut Vec<Reading>) {
        let mut devices = Devices::new();
        for IoFile { file, parse } in &mut self.io {
            parse(file.text().unwrap_or_default(), &mut devices);
        }
        let before = out.len();
        for (number, values) in devices {
            let name = name_of(&mut self.names, self.machine.root(), number);
            if self.scope.wants_disk(name) {
                METRICS[2..]
                    .iter()
                    .zip(values)
                    .for_each(|(metric, value)| push(out, metric, name, value));
            }
        }
        if out.len() == before {
            METRICS[2..]
                .iter()
                .for_each(|metric| push(out, metric, "", None));
        }
    }
}

/// The kernel name of device `major:minor`; the number itself when /sys does not report it.
fn name_of<'a>(names: &'a mut HashMap<String, String>, root: &Path, number: String) -> &'a str {
    names.entry(number).or_insert_with_key(|number| {
        let link = link(root, &format!("sys/dev/block/{number}")).ok();
        link.and_then(|path| Some(path.file_name()?.to_str()?.replace('!', "/")))
            .unwrap_or_else(|| number.clone())
    })
}

/// io.stat of version 2: `254:0 rbytes=45056 wbytes=12288 rios=11 wios=3 dbytes=0 dios=0`.
fn parse_io_stat(text: &str, devices: &mut Devices) {
    for line in complete_lines(Some(text)) {
        let mut tokens = line.split_ascii_whitespace();
        let values = slot(devices, tokens.next().unwrap_or_default());
        for (name, number) in tokens.filter_map(|token| token.split_once('=')) {
            if let Some(at) = ["rios", "rbytes", "wios", "wbytes"]
                .iter()
                .position(|selected| *selected == name)
            {
                values[at] = scaled(Some(number), 1.0);
            }
        }
    }
}

/// A file of version 1: `9:0 Read 4`, with the values of reads at `first` and of writes two further.
fn parse_blkio(text: &str, first: usize, devices: &mut Devices) {
    for line in complete_lines(Some(text)) {
        let mut tokens = line.split_ascii_whitespace();
        let (Some(device), Some(kind), number) = (tokens.next(), tokens.next(), tokens.next())
        else {
            continue;
        };
        match kind {
            "Read" => slot(devices, device)[first] = scaled(number, 1.0),
            "Write" => slot(devices, device)[first + 2] = scaled(number, 1.0),
            _ => {}
        }
    }
}

fn slot<'a>(devices: &'a mut Devices, device: &str) -> &'a mut Io {
    let at = devices
        .iter()
        .position(|(name, _)| name == device)
        .unwrap_or_else(|| {
            devices.push((device.to_owned(), [None; 4]));
            devices.len() - 1
        });
    &mut devices[at].1
}

/// Lines that end: one that does not was cut short, and its last number with it.
fn complete_lines(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default()
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn version_2_adds_the_throttling_of_all_groups_above() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        assert_eq!(
            value(&out, "cgroup.cpu_throttled_ns", ""),
            Some((1500.0 + 700.0) * 1e3)
        );
        assert_eq!(
            value(&out, "cgroup.cpu_throttled_periods", ""),
            Some(15.0 + 7.0)
        );
        assert_eq!(value(&out, "cgroup.reads", "vda"), Some(11.0));
        assert_eq!(value(&out, "cgroup.read_bytes", "vda"), Some(45056.0));
        assert_eq!(value(&out, "cgroup.writes", "vda"), Some(3.0));
        assert_eq!(value(&out, "cgroup.write_bytes", "vda"), Some(12288.0));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn version_1_has_other_names_and_units() {
        let out = fixture::read(&SOURCE, "proc-raid", &Scope::default());
        assert_eq!(value(&out, "cgroup.cpu_throttled_ns", ""), Some(123456.0));
        assert_eq!(value(&out, "cgroup.reads", "md0"), Some(4.0));
        assert_eq!(value(&out, "cgroup.write_bytes", "md0"), Some(8192.0));
    }
}
