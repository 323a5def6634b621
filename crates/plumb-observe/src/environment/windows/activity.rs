//! What do others do on the volume and the processors, just before the start? From Windows counters, whose values cover the interval between two samples.

use std::path::Path;
use std::time::{Duration, Instant};

use plumb_model::environment::Environment;
use plumb_model::run::metric::Reading;

use crate::environment::fact::number_fact;
use crate::observer::Observer;
use crate::source::Scope;
use crate::system::kernel_files::Known;

/// All processors.
const ALL: &str = "_Total";

/// Watches for `window` and sets the facts of activity; those of the disk where there is one.
pub(crate) fn look(disk: Option<&str>, window: Duration, environment: &mut Environment) {
    let scope = Scope {
        disks: Some(disk.map(str::to_owned).into_iter().collect()),
        interfaces: Some(Vec::new()),
        shares: Some(Vec::new()),
        ..Scope::default()
    };
    let mut observer = Observer::new(Path::new("/"), scope);
    let mut readings = Vec::new();
    observer.sample(0, &mut readings);
    let start = Instant::now();
    std::thread::sleep(window);
    readings.clear();
    observer.sample(0, &mut readings);
    set(&readings, start.elapsed(), disk.is_some(), environment);
}

fn set(readings: &[Reading], window: Duration, has_disk: bool, environment: &mut Environment) {
    let seconds = window.as_secs_f64();
    environment.set("activity.window_s", number_fact(Ok(seconds)));
    let value = |metric: &str, instance: Option<&str>| -> Known<f64> {
        let mut of = readings.iter().filter(|reading| reading.metric == metric);
        of.find(|reading| instance.is_none_or(|name| reading.instance == name))
            .and_then(|reading| reading.value)
            .ok_or_else(|| format!("Windows reports no {metric} here"))
    };
    if has_disk {
        for (id, metric) in [
            (
                "activity.device_operations_per_s",
                "logical_disk.transfers_per_second",
            ),
            (
                "activity.device_bytes_per_s",
                "logical_disk.bytes_per_second",
            ),
        ] {
            environment.set(id, number_fact(value(metric, None)));
        }
    }
    let busy = value(r"Processor Information\% Processor Time", Some(ALL));
    environment.set("activity.cpu_busy_percent", number_fact(busy));
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::environment::Fact;

    #[test]
    fn what_others_do_is_told_and_what_is_not_counted_is_unknown() {
        let reading = |metric: &'static str, instance: &str, value| Reading {
            metric: metric.into(),
            instance: instance.into(),
            time_ns: 0,
            value,
        };
        let readings = [
            reading("logical_disk.transfers_per_second", "C:", Some(120.0)),
            reading("logical_disk.bytes_per_second", "C:", None),
            reading(r"Processor Information\% Processor Time", "0,0", Some(90.0)),
            reading(
                r"Processor Information\% Processor Time",
                "_Total",
                Some(12.5),
            ),
        ];
        let mut facts = Environment::default();
        set(&readings, Duration::from_millis(300), true, &mut facts);
        assert_eq!(
            facts.number("activity.device_operations_per_s"),
            Some(120.0)
        );
        assert_eq!(facts.number("activity.cpu_busy_percent"), Some(12.5));
        assert!(matches!(
            facts.facts["activity.device_bytes_per_s"],
            Fact::Unknown(_)
        ));
    }
}
