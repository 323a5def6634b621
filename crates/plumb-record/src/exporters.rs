//! Which formats can a run be written in?

mod bonnie_csv;
mod csv;
mod csv_counters;
mod csv_intervals;
mod fio_json;
mod fio_json_steps;
mod fio_logs;
mod fio_terse;
mod fio_text;
mod influx;
mod markdown;
mod openmetrics;
mod otlp_json;
mod parquet;
mod pdh_csv;
#[cfg(test)]
mod tests;
mod xlsx;

use crate::exporter::Exporter;

/// All exporters.
pub static EXPORTERS: &[&Exporter] = &[
    &csv::EXPORTER,
    &csv_intervals::EXPORTER,
    &csv_counters::EXPORTER,
    &markdown::EXPORTER,
    &xlsx::EXPORTER,
    &parquet::EXPORTER,
    &openmetrics::EXPORTER,
    &influx::EXPORTER,
    &otlp_json::EXPORTER,
    &pdh_csv::EXPORTER,
    &fio_json::EXPORTER,
    &fio_json_steps::EXPORTER,
    &fio_text::EXPORTER,
    &fio_terse::EXPORTER,
    &fio_logs::EXPORTER,
    &bonnie_csv::EXPORTER,
];

/// The exporter of this name.
///
/// # Errors
/// There is none; the message lists those there are.
pub fn by_name(name: &str) -> Result<&'static Exporter, String> {
    EXPORTERS
        .iter()
        .copied()
        .find(|exporter| exporter.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = EXPORTERS.iter().map(|exporter| exporter.name).collect();
            format!(
                "unknown export format '{name}'; choose one of {}",
                names.join(", ")
            )
        })
}
