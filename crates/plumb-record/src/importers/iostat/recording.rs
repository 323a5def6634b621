//! How do reports become a recording? The first one begins it, each other one adds an interval.

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::statement::Statement;

use super::devices::Devices;
use super::report::{Report, Values};
use crate::importer::sysstat::Clock;
use crate::importer::{ImportError, RunBuilder};

/// Interval where the reports state no times.
const NOMINAL_NS: u64 = 1_000_000_000;

/// A recording that grows report by report.
#[derive(Debug, Default)]
pub struct Recording {
    pub host: Option<String>,
    pub kernel: Option<String>,
    pub devices: Devices,
    pub last: Option<Clock>,
    pub started: Option<Clock>,
    pub time_ns: u64,
    /// Reports so far, the first one included.
    pub reports: u64,
    pub without_times: bool,
    pub ended_early: bool,
}

impl Recording {
    /// Adds a report.
    pub fn add(&mut self, report: Report) -> Result<(), ImportError> {
        let lacks = |values: &Values| {
            [
                values.reads,
                values.writes,
                values.read_bytes,
                values.write_bytes,
            ]
            .iter()
            .any(Option::is_none)
        };
        if let Some((name, _)) = report.devices.iter().find(|(_, values)| lacks(values)) {
            return Err(ImportError::at(
                report.line,
                format!(
                    "r/s, w/s and their bytes of each device, which are missing of '{name}'; use 'iostat -x' without -s and -h"
                ),
            ));
        }
        self.reports += 1;
        if self.reports == 1 {
            (self.started, self.last) = (report.time.clone(), report.time);
            self.devices
                .begin(report.devices.into_iter().map(|(name, _)| name));
            return Ok(());
        }
        let elapsed = self
            .last
            .as_ref()
            .zip(report.time.as_ref())
            .and_then(|(before, now)| now.since(before));
        self.without_times |= elapsed.is_none();
        let interval_ns = elapsed.unwrap_or(NOMINAL_NS);
        self.last = report.time.or(self.last.take());
        let before_ns = self.time_ns;
        self.time_ns = self.time_ns.saturating_add(interval_ns);
        self.devices.add(before_ns, self.time_ns, &report.devices);
        Ok(())
    }

    pub fn finish(self) -> Result<Run, ImportError> {
        match self.reports {
            0 => {
                return Err(ImportError::of_file(
                    "a line that begins with 'Device' and has r/s, w/s, rkB/s and wkB/s, with devices below it ('iostat -x INTERVAL')",
                ));
            }
            1 => {
                return Err(ImportError::of_file(
                    "at least two reports: the first one is the mean since boot ('iostat -x 1' prints one a second; with -y too, use two)",
                ));
            }
            _ => {}
        }
        let mut builder = RunBuilder::new("iostat", None);
        if let Some(host) = self.host {
            builder.fact("host.name", Fact::Text(host));
        }
        if let Some(kernel) = self.kernel {
            builder.fact("host.kernel", Fact::Text(kernel));
        }
        if let Some((text, unix_ns)) = self.started.as_ref().and_then(Clock::started) {
            builder.started(text, unix_ns);
        }
        builder.doubt(Statement::new("iostat-first-report"));
        builder.doubt(Statement::new("iostat-rounded"));
        if self.without_times {
            builder.doubt(Statement::new("iostat-no-times"));
        }
        if self.devices.had_gaps {
            builder.doubt(Statement::new("iostat-devices-omitted"));
        }
        if self.ended_early {
            builder.doubt(Statement::new("iostat-cut"));
        }
        let every = self.devices.every();
        if every > 1 {
            builder.doubt(Statement::new("iostat-thinned").name("every", every.to_string()));
        }
        builder.run().readings = self.devices.into_readings();
        let step = builder.step("counters", Vec::new);
        builder.execution(step, self.time_ns as f64 / 1e9);
        Ok(builder.finish())
    }
}
