//! Which options have the values of a key as they are? The keys say which; no option is named here.

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::section::Section;
use plumb_model::keys::{KeyForm, KeyUnit, Keys};
use plumb_model::plan::PlanError;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::Workload;

/// Fills in the keys of such options that are given, unless another option has set the key. What a job has no operations for is left out, as by fio.
pub fn as_it_is(
    section: &Section,
    keys: &Keys,
    settings: &mut JobSettings,
) -> Result<(), PlanError> {
    let mut workload = Workload {
        rate: settings.get("rate").and_then(|rate| rate.parse().ok()),
        ..Workload::default()
    };
    if let Some(mix) = settings.get("mix").and_then(|mix| mix.parse().ok()) {
        workload.mix = mix;
    }
    for key in keys.all() {
        let Some(fio) = key.traits.fio.as_ref().filter(|fio| fio.is_read_as_it_is) else {
            continue;
        };
        // What the log of a replay holds is not known here.
        let is_idle =
            !settings.replays && key.traits.needs.is_some_and(|needs| !workload.has(needs));
        if is_idle || settings.get(&key.name).is_some() {
            continue;
        }
        let option = fio.name.as_str();
        let text = match (key.unit, key.form) {
            (KeyUnit::Bytes, _) => section.bytes(option)?.map(|size| Bytes(size).to_string()),
            (KeyUnit::Nanos, _) => section
                .span_ns(option, fio.bare_ns)?
                .map(|time| Nanos(time).to_string()),
            (KeyUnit::Percent, _) => section.percent(option)?.map(|share| share.to_string()),
            (KeyUnit::Plain, KeyForm::Flag) => section
                .flag_given(option)?
                .filter(|is_on| *is_on)
                .map(|is_on| is_on.to_string()),
            (KeyUnit::Plain, KeyForm::Integer(_)) => {
                section.integer(option)?.map(|number| number.to_string())
            }
            (KeyUnit::Plain, KeyForm::Number | KeyForm::Text) => {
                section.text(option).map(str::to_string)
            }
        };
        if let Some(text) = text {
            settings.set(section, option, &key.name, text);
        }
    }
    Ok(())
}
