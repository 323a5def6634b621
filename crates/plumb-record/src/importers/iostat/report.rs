//! What does iostat print of one device in one interval?

use crate::importer::sysstat::Clock;

/// One report: the values of each device by the names of iostat's columns.
#[derive(Debug, Default)]
pub struct Report {
    pub time: Option<Clock>,
    /// Line in the file, for messages.
    pub line: u64,
    pub devices: Vec<(String, Values)>,
}

/// What is printed of one device, per second unless the name says otherwise; sizes in bytes, times in milliseconds.
#[derive(Debug, Default, Clone)]
pub struct Values {
    pub reads: Option<f64>,
    pub read_bytes: Option<f64>,
    pub read_merges: Option<f64>,
    pub read_ms: Option<f64>,
    pub writes: Option<f64>,
    pub write_bytes: Option<f64>,
    pub write_merges: Option<f64>,
    pub write_ms: Option<f64>,
    pub discards: Option<f64>,
    pub discard_bytes: Option<f64>,
    pub flushes: Option<f64>,
    pub flush_ms: Option<f64>,
    pub queue: Option<f64>,
    pub busy_percent: Option<f64>,
}

impl Values {
    /// Takes a column by its name in text or JSON; false if it is not known.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        let value = Some(value).filter(|value| value.is_finite() && *value >= 0.0);
        let bytes = |unit: f64| value.map(|value| value * unit);
        match name {
            "r/s" => self.reads = value,
            "rkB/s" => self.read_bytes = bytes(1024.0),
            "rMB/s" => self.read_bytes = bytes(1_048_576.0),
            "rsec/s" => self.read_bytes = bytes(512.0),
            "rrqm/s" => self.read_merges = value,
            "r_await" => self.read_ms = value,
            "w/s" => self.writes = value,
            "wkB/s" => self.write_bytes = bytes(1024.0),
            "wMB/s" => self.write_bytes = bytes(1_048_576.0),
            "wsec/s" => self.write_bytes = bytes(512.0),
            "wrqm/s" => self.write_merges = value,
            "w_await" => self.write_ms = value,
            "d/s" => self.discards = value,
            "dkB/s" => self.discard_bytes = bytes(1024.0),
            "dMB/s" => self.discard_bytes = bytes(1_048_576.0),
            "dsec/s" => self.discard_bytes = bytes(512.0),
            "f/s" => self.flushes = value,
            "f_await" => self.flush_ms = value,
            "aqu-sz" | "avgqu-sz" => self.queue = value,
            "%util" | "util" => self.busy_percent = value,
            _ => return false,
        }
        true
    }
}
