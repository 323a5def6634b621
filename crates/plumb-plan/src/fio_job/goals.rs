//! What does a section search or wait for? `latency_target` and `steadystate`, each with its options.

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::numbers::{real, span_ns};
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::{Section, percent};
use plumb_model::plan::PlanError;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::INTERVALS_MIN;

const SECOND_NS: u64 = 1_000_000_000;
const MICROSECOND_NS: u64 = 1000;
/// Minimum duration of each depth of a series: fio's windows of milliseconds have too few operations for a percentile.
const WINDOW_MIN_NS: u64 = SECOND_NS;
/// Duration of each depth if neither `latency_window` nor `runtime` sets it: that of steps without a stop condition.
const WINDOW_DEFAULT_NS: u64 = 10 * SECOND_NS;

/// Keys for the start and end of a single depth.
const OF_ONE_DEPTH: &[&str] = &[
    "depth",
    "bytes",
    "operations",
    "passes",
    "fresh",
    "preallocate",
];

/// Sets the latency limit, and the series of depths to find the largest that meets it.
pub fn latency_target(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let Some(limit_ns) = section
        .span_ns("latency_target", MICROSECOND_NS)?
        .filter(|limit| *limit > 0)
    else {
        return Ok(());
    };
    settings.set(
        section,
        "latency_target",
        "latency-limit",
        Nanos(limit_ns).to_string(),
    );
    if let Some(share) = section
        .read("latency_percentile", percent)?
        .filter(|share| *share < 100.0)
    {
        settings.set(
            section,
            "latency_percentile",
            "latency-limit-percentile",
            share.to_string(),
        );
    }
    let most = settings
        .get("depth")
        .and_then(|depth| depth.parse::<u32>().ok())
        .unwrap_or(1);
    if most < 2 {
        let text = "latency_target: with one outstanding operation there is no depth to search; plumb only checks the limit";
        remarks.add(&section.name, text);
        return Ok(());
    }
    if settings.reads_back {
        return Err(section.error(
            "latency_target",
            "a series of depths writes the same blocks repeatedly; remove verify, or verify in a separate section",
        ));
    }
    settings.depths = ladder(most);
    let (window, runtime) = (
        section
            .span_ns("latency_window", MICROSECOND_NS)?
            .filter(|window| *window > 0),
        settings.time_ns,
    );
    let count = settings.depths.len() as u64;
    let time_ns = window
        .or(runtime.map(|runtime| runtime / count))
        .unwrap_or(WINDOW_DEFAULT_NS)
        .max(WINDOW_MIN_NS);
    OF_ONE_DEPTH.iter().for_each(|key| settings.drop_key(key));
    settings.time_ns = Some(time_ns);
    let option = if window.is_some() {
        "latency_window"
    } else {
        "latency_target"
    };
    settings.set(section, option, "time", Nanos(time_ns).to_string());
    remarks.add(
        &section.name,
        format!(
            "latency_target: fio searches the depth within one job; plumb measures each of the depths {} for {}, and the verdict names the largest that meets the limit",
            settings.depths.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
            Nanos(time_ns)
        ),
    );
    if section.flag("latency_run")? {
        remarks.add(
            &section.name,
            "latency_run=1: to continue at that depth, run again with --set depth=N",
        );
    }
    Ok(())
}

/// Powers of two and their midpoints, up to this depth: 1, 2, 3, 4, 6, 8, 12, ...
fn ladder(most: u32) -> Vec<u32> {
    let rungs = (0..31u32).flat_map(|power| [1 << power, (1 << power) / 2 * 3]);
    let mut depths: Vec<u32> = rungs
        .filter(|depth| (1..most).contains(depth))
        .chain([most])
        .collect();
    depths.dedup();
    depths
}

/// Sets the end of a job at steady state.
pub fn steadystate(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let Some(text) = section.text("steadystate") else {
        return Ok(());
    };
    let Some(window_ns) = section
        .span_ns("steadystate_duration", SECOND_NS)?
        .filter(|window| *window > 0)
    else {
        remarks.add(
            &section.name,
            "steadystate without steadystate_duration has no effect, as in fio",
        );
        return Ok(());
    };
    let criterion = criterion(section, text).map_err(|why| section.error("steadystate", why))?;
    let interval_ns = section
        .read("steadystate_check_interval", |text| {
            span_ns(text, SECOND_NS)
        })?
        .unwrap_or(SECOND_NS)
        .max(1);
    if window_ns < interval_ns.saturating_mul(INTERVALS_MIN) {
        let message = format!(
            "{} is shorter than {INTERVALS_MIN} intervals of {}; use a longer duration",
            Nanos(window_ns),
            Nanos(interval_ns)
        );
        return Err(section.error("steadystate_duration", message));
    }
    let after_ns = section
        .span_ns("steadystate_ramp_time", SECOND_NS)?
        .unwrap_or(0);
    if settings
        .time_ns
        .is_some_and(|time| time < after_ns.saturating_add(window_ns))
    {
        let text = "steadystate: the runtime ends before one window of steadystate_duration, so it has no effect, as in fio";
        remarks.add(&section.name, text);
        return Ok(());
    }
    let after = if after_ns > 0 {
        format!(" after {}", Nanos(after_ns))
    } else {
        String::new()
    };
    settings.set(
        section,
        "steadystate",
        "until-steady",
        format!("{criterion} over {}{after}", Nanos(window_ns)),
    );
    if settings
        .get("interval")
        .is_some_and(|interval| interval != Nanos(interval_ns).to_string())
    {
        remarks.add(
            &section.name,
            "the record has the intervals that steadystate uses, and log_avg_msec has no effect",
        );
    }
    let option = if section.text("steadystate_check_interval").is_some() {
        "steadystate_check_interval"
    } else {
        "steadystate"
    };
    settings.set(section, option, "interval", Nanos(interval_ns).to_string());
    if settings.numjobs > 1 && !section.flag("group_reporting")? {
        remarks.add(
            &section.name,
            "steadystate: the clones are evaluated and stopped together, as with group_reporting",
        );
    }
    Ok(())
}

/// `iops_slope:0.5%` as `iops slope 0.5%`.
fn criterion(section: &Section, text: &str) -> Result<String, String> {
    let bad = || {
        format!(
            "'{text}' is not a criterion; use iops, bw or lat, or one of them with _slope, with a limit, such as iops:2% or bw_slope:0.5%"
        )
    };
    let (word, limit) = text.split_once(':').ok_or_else(bad)?;
    let (figure, slope) = match word.trim() {
        "iops" => ("iops", false),
        "iops_slope" => ("iops", true),
        "bw" => ("bandwidth", false),
        "bw_slope" => ("bandwidth", true),
        "lat" => ("latency", false),
        "lat_slope" => ("latency", true),
        _ => return Err(bad()),
    };
    let limit = match limit.trim().strip_suffix('%') {
        Some(share) => format!(
            "{}%",
            real(share)
                .ok()
                .filter(|share| *share > 0.0)
                .ok_or_else(bad)?
        ),
        None if figure == "latency" => Nanos(
            span_ns(limit, MICROSECOND_NS)
                .ok()
                .filter(|limit| *limit > 0)
                .ok_or_else(bad)?,
        )
        .to_string(),
        None if figure == "iops" => real(limit)
            .ok()
            .filter(|rate| *rate > 0.0)
            .ok_or_else(bad)?
            .to_string(),
        None => Bytes(
            section
                .bytes_of(limit)
                .ok()
                .filter(|rate| *rate > 0)
                .ok_or_else(bad)?,
        )
        .to_string(),
    };
    Ok(format!(
        "{figure} {} {limit}",
        if slope { "slope" } else { "deviation" }
    ))
}
