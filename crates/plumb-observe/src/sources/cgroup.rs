//! Was the process held back by its control group, and what I/O did the group do? From cpu.stat and io.stat, version 1 or 2.

use plumb_model::metric::{Metric, Reading};

use crate::cgroup::{Version, groups};
use crate::files::KernelFiles;
use crate::source::{Scope, Source, counter, push, scaled};

/// Kernel documents: Documentation/admin-guide/cgroup-v2.rst (cpu.stat, io.stat) and cgroup-v1/blkio-controller.rst,
/// scheduler/sched-bwc.rst (cpu.stat of version 1).
pub static SOURCE: Source = Source {
    name: "cgroup",
    meaning: "throttling and I/O of the control group that holds plumb (/sys/fs/cgroup, version 1 or 2)",
    metrics: &METRICS,
    read,
};

static METRICS: [Metric; 6] = [
    counter(
        "cgroup.cpu_throttled_ns",
        "ns",
        "time in which a CPU quota held tasks back, added up over cores, over the own group and all above it (cpu.stat throttled_usec, or throttled_time of version 1)",
    ),
    counter(
        "cgroup.cpu_throttled_periods",
        "1",
        "quota periods in which tasks were held back, own group and all above it (cpu.stat nr_throttled)",
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

fn read(files: &mut KernelFiles, scope: &Scope, out: &mut Vec<Reading>) {
    read_throttling(files, out);
    read_io(files, scope, out);
}

/// The group in which the quota stands counts the throttling, so those above are added; the topmost group has no quota and no such lines.
fn read_throttling(files: &mut KernelFiles, out: &mut Vec<Reading>) {
    let folders = files.remembered("cgroup cpu", |root| groups(root, "cpu").1);
    let (mut time_ns, mut periods) = (None, None);
    let add = |sum: &mut Option<f64>, value: Option<f64>| {
        if let Some(value) = value {
            *sum = Some(sum.unwrap_or(0.0) + value);
        }
    };
    for folder in folders.iter() {
        for line in whole_lines(files.text(&format!("{folder}/cpu.stat"))) {
            match line.split_once(' ') {
                Some(("throttled_usec", number)) => add(&mut time_ns, scaled(Some(number), 1e3)),
                Some(("throttled_time", number)) => add(&mut time_ns, scaled(Some(number), 1.0)),
                Some(("nr_throttled", number)) => add(&mut periods, scaled(Some(number), 1.0)),
                _ => {}
            }
        }
    }
    push(out, &METRICS[0], "", time_ns);
    push(out, &METRICS[1], "", periods);
}

/// Values in the order of METRICS[2..].
type Io = [Option<f64>; 4];

fn read_io(files: &mut KernelFiles, scope: &Scope, out: &mut Vec<Reading>) {
    let place = files.remembered("cgroup io", |root| {
        let (version, folders) = groups(root, "io");
        let own = folders.into_iter().next();
        own.into_iter()
            .flat_map(|own| {
                [
                    if version == Version::One { "1" } else { "2" }.to_owned(),
                    own,
                ]
            })
            .collect()
    });
    let mut devices: Vec<(String, Io)> = Vec::new();
    match &*place {
        [version, folder] if version == "2" => {
            for line in whole_lines(files.text(&format!("{folder}/io.stat"))) {
                let mut tokens = line.split_ascii_whitespace();
                let values = slot(&mut devices, tokens.next().unwrap_or_default());
                for (name, number) in tokens.filter_map(|token| token.split_once('=')) {
                    if let Some(at) = ["rios", "rbytes", "wios", "wbytes"]
                        .iter()
                        .position(|wanted| *wanted == name)
                    {
                        values[at] = scaled(Some(number), 1.0);
                    }
                }
            }
        }
        [_, folder] => {
            for (file, first) in [
                ("blkio.throttle.io_serviced", 0),
                ("blkio.throttle.io_service_bytes", 1),
            ] {
                for line in whole_lines(files.text(&format!("{folder}/{file}"))) {
                    let mut tokens = line.split_ascii_whitespace();
                    let (Some(device), Some(kind), number) =
                        (tokens.next(), tokens.next(), tokens.next())
                    else {
                        continue;
                    };
                    match kind {
                        "Read" => slot(&mut devices, device)[first] = scaled(number, 1.0),
                        "Write" => slot(&mut devices, device)[first + 2] = scaled(number, 1.0),
                        _ => {}
                    }
                }
            }
        }
        _ => {}
    }
    let before = out.len();
    for (number, values) in devices {
        let name = name_of(files, &number);
        if scope.wants_disk(&name) {
            METRICS[2..]
                .iter()
                .zip(values)
                .for_each(|(metric, value)| push(out, metric, &name, value));
        }
    }
    if out.len() == before {
        METRICS[2..]
            .iter()
            .for_each(|metric| push(out, metric, "", None));
    }
}

fn slot<'a>(devices: &'a mut Vec<(String, Io)>, device: &str) -> &'a mut Io {
    let at = devices
        .iter()
        .position(|(name, _)| name == device)
        .unwrap_or_else(|| {
            devices.push((device.to_owned(), [None; 4]));
            devices.len() - 1
        });
    &mut devices[at].1
}

/// The kernel name of device `major:minor`; the number itself when /sys does not tell it.
fn name_of(files: &mut KernelFiles, number: &str) -> String {
    let key = format!("sys/dev/block/{number}");
    let names = files.remembered(&key, |root| {
        let link = std::fs::read_link(root.join(&key)).ok();
        link.and_then(|path| Some(path.file_name()?.to_str()?.replace('!', "/")))
            .into_iter()
            .collect()
    });
    names.first().cloned().unwrap_or_else(|| number.to_owned())
}

/// Lines that end: one that does not was cut short, and its last number with it.
fn whole_lines(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default()
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
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
    fn version_1_has_other_names_and_units() {
        let out = fixture::read(&SOURCE, "proc-raid", &Scope::default());
        assert_eq!(value(&out, "cgroup.cpu_throttled_ns", ""), Some(123456.0));
        assert_eq!(value(&out, "cgroup.reads", "md0"), Some(4.0));
        assert_eq!(value(&out, "cgroup.write_bytes", "md0"), Some(8192.0));
    }
}
