//! Which charts exist? The list, in the order of the report.

mod bandwidth_over_time;
mod block_size_bars;
mod cpu_heat_map;
mod device_over_time;
mod host_iops;
mod host_longest;
mod host_scaling;
mod latency_over_time;
mod message_bandwidth;
mod message_latency;
mod percentiles;
mod rounds_in_order;
mod small_files;
mod throughput_latency;
mod throughput_over_time;

use crate::chart::Chart;

/// Every chart.
pub const CHARTS: &[&Chart] = &[
    &rounds_in_order::CHART,
    &message_bandwidth::CHART,
    &message_latency::CHART,
    &throughput_latency::CHART,
    &host_scaling::CHART,
    &block_size_bars::CHART,
    &percentiles::CHART,
    &small_files::CHART,
    &throughput_over_time::CHART,
    &bandwidth_over_time::CHART,
    &latency_over_time::CHART,
    &device_over_time::CHART,
    &cpu_heat_map::CHART,
    &host_iops::CHART,
    &host_longest::CHART,
];
