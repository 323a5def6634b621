//! What do others do on the device and the cores, just before the start?

use std::path::Path;
use std::time::{Duration, Instant};

use plumb_model::environment::Environment;
use plumb_model::run::metric::Reading;

use crate::environment::fact::number_fact;
use crate::observer::Observer;
use crate::source::Scope;
use crate::system::block_devices::Device;
use crate::system::kernel_files::Known;

/// Watches for `window` and sets the facts of activity. plumb itself does no I/O on the device in that time, so all of it is of others.
/// The device's figures are those of the disks at the end of the chain, added up: what neighbors on the same disk do counts too.
pub(crate) fn look(
    root: &Path,
    device: Option<&Device>,
    window: Duration,
    environment: &mut Environment,
) {
    let disks: Vec<String> = device
        .map(|device| {
            device
                .disks()
                .iter()
                .map(|disk| disk.name.clone())
                .collect()
        })
        .unwrap_or_default();
    let scope = Scope {
        disks: Some(disks),
        interfaces: Some(Vec::new()),
        shares: Some(Vec::new()),
        ..Scope::default()
    };
    let mut observer = Observer::new(root, scope);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    observer.sample(0, &mut before);
    let start = Instant::now();
    std::thread::sleep(window);
    observer.sample(0, &mut after);
    set_facts(
        &before,
        &after,
        start.elapsed(),
        device.is_some(),
        environment,
    );
}

fn set_facts(
    before: &[Reading],
    after: &[Reading],
    window: Duration,
    has_device: bool,
    environment: &mut Environment,
) {
    let seconds = window.as_secs_f64();
    environment.set("activity.window_s", number_fact(Ok(seconds)));
    let rise = |metrics: &[&str]| rise(before, after, metrics);
    if has_device {
        let operations = rise(&["disk.reads", "disk.writes"]).map(|count| {
            // Discards and flushes are not counted by every kernel; where they are, they are operations too.
            let further = ["disk.discards", "disk.flushes"]
                .iter()
                .filter_map(|metric| rise(&[metric]).ok())
                .sum::<f64>();
            (count + further) / seconds
        });
        environment.set("activity.device_operations_per_s", number_fact(operations));
        let bytes = rise(&["disk.read_bytes", "disk.write_bytes"]).map(|bytes| bytes / seconds);
        environment.set("activity.device_bytes_per_s", number_fact(bytes));
    }
    // Steal time counts as busy: this machine could not use it.
    let busy = rise(&[
        "cpu.user_ns",
        "cpu.system_ns",
        "cpu.irq_ns",
        "cpu.softirq_ns",
        "cpu.steal_ns",
    ])
    .and_then(|busy_ns| {
        let all_ns = busy_ns + rise(&["cpu.idle_ns"])? + rise(&["cpu.iowait_ns"])?;
        if all_ns > 0.0 {
            Ok(100.0 * busy_ns / all_ns)
        } else {
            Err("the window is shorter than a tick of /proc/stat (10 ms)".to_owned())
        }
    });
    environment.set("activity.cpu_busy_percent", number_fact(busy));
    let pressure =
        rise(&["pressure.io_some_ns"]).map(|ns| (100.0 * ns / (seconds * 1e9)).min(100.0));
    environment.set("activity.io_pressure_percent", number_fact(pressure));
}

/// Total increase of the counters `metrics`, over all instances. A decrease (possible for iowait and 32-bit wraps) counts as zero.
fn rise(before: &[Reading], after: &[Reading], metrics: &[&str]) -> Known<f64> {
    let mut sum = None;
    for last in after
        .iter()
        .filter(|reading| metrics.contains(&reading.metric.as_ref()))
    {
        let first = before
            .iter()
            .find(|first| first.metric == last.metric && first.instance == last.instance);
        if let (Some(last), Some(first)) = (last.value, first.and_then(|first| first.value)) {
            sum = Some(sum.unwrap_or(0.0) + (last - first).max(0.0));
        }
    }
    sum.ok_or_else(|| {
        format!(
            "the kernel reports no {} here",
            metrics.first().unwrap_or(&"such metric")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::environment::Fact;

    fn reading(metric: &'static str, instance: &str, value: f64) -> Reading {
        Reading {
            metric: metric.into(),
            instance: instance.into(),
            time_ns: 0,
            value: Some(value),
        }
    }

    #[test]
    fn rates_are_taken_over_the_real_window() {
        let sample = |factor: f64| {
            vec![
                reading("disk.reads", "sda", 100.0 * factor),
                reading("disk.writes", "sda", 50.0 * factor),
                reading("disk.writes", "sdb", 10.0 * factor),
                reading("disk.flushes", "sda", 2.0 * factor),
                reading("disk.read_bytes", "sda", 4096.0 * factor),
                reading("disk.write_bytes", "sda", 8192.0 * factor),
                reading("cpu.user_ns", "cpu0", 3e8 * factor),
                reading("cpu.idle_ns", "cpu0", 1e8 * factor),
                reading("cpu.iowait_ns", "cpu0", 2e8 * (2.0 - factor)),
                reading("pressure.io_some_ns", "", 1e8 * factor),
            ]
        };
        let mut facts = Environment::default();
        set_facts(
            &sample(1.0),
            &sample(2.0),
            Duration::from_millis(500),
            true,
            &mut facts,
        );
        assert_eq!(facts.number("activity.window_s"), Some(0.5));
        assert_eq!(
            facts.number("activity.device_operations_per_s"),
            Some(324.0)
        );
        assert_eq!(facts.number("activity.device_bytes_per_s"), Some(24576.0));
        assert_eq!(facts.number("activity.cpu_busy_percent"), Some(75.0));
        assert_eq!(facts.number("activity.io_pressure_percent"), Some(20.0));
    }

    #[test]
    fn what_was_not_counted_is_unknown_and_not_zero() {
        let mut facts = Environment::default();
        set_facts(&[], &[], Duration::from_millis(500), true, &mut facts);
        for id in [
            "device_operations_per_s",
            "device_bytes_per_s",
            "cpu_busy_percent",
            "io_pressure_percent",
        ] {
            assert!(
                matches!(facts.facts[&format!("activity.{id}")], Fact::Unknown(_)),
                "{id}"
            );
        }
        let mut facts = Environment::default();
        set_facts(&[], &[], Duration::from_millis(500), false, &mut facts);
        assert!(
            !facts.facts.contains_key("activity.device_bytes_per_s"),
            "does not apply without a device"
        );
    }
}
