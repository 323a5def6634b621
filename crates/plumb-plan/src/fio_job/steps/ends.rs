//! Which job is the main one, and when does each job of a group end?

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;

/// The job that ends the step: the one known to run longest. Jobs that are read back come first, because files belong to the
/// main job or to the name of the concurrent job; then jobs with a steady state or a search.
pub fn main_of(jobs: &[JobSettings]) -> usize {
    let amount = |settings: &JobSettings| {
        settings
            .get("bytes")
            .and_then(|text| text.parse::<Bytes>().ok())
            .map_or(0, |bytes| bytes.0)
    };
    let rank = |settings: &JobSettings| {
        let time = settings.end_ns();
        let waits = (
            settings.get("until-steady").is_some(),
            !settings.depths.is_empty(),
        );
        let length = (settings.time_ns.is_some(), time, amount(settings));
        (settings.reads_back, waits, length)
    };
    (0..jobs.len()).fold(0, |best, index| {
        if rank(&jobs[index]) > rank(&jobs[best]) {
            index
        } else {
            best
        }
    })
}

/// Whether the end of this job ends those beside it.
pub fn ends_step(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    for (option, when) in [("exitall", "always"), ("exitall_on_error", "on-error")] {
        if section.flag(option)? {
            settings.set(section, option, "ends-step", when);
            break;
        }
    }
    Ok(())
}

/// Each job ends on its own, and the step with the last of them.
pub fn go_to_their_ends(beside: &mut [JobSettings]) {
    for settings in beside {
        if settings.time_ns.is_some() || settings.counts() || settings.replays {
            settings.set_at(settings.line, "to-its-end", "true");
        }
    }
}

/// Remarks if the step ends before one of its jobs.
pub fn remark_ends(main: &JobSettings, beside: &[JobSettings], remarks: &mut Remarks) {
    let counts = |settings: &JobSettings| {
        settings
            .get("bytes")
            .or(settings.get("operations"))
            .is_some()
    };
    let waits = main.get("until-steady").is_some();
    let may_outlast = |settings: &JobSettings| match (settings.time_ns, main.time_ns) {
        // The main job runs for its full time, so this one ends before or with it.
        (Some(_), Some(_)) if !counts(main) && !waits => settings.end_ns() > main.end_ns(),
        (time, _) => time.is_some() || counts(settings),
    };
    let goes_on = |settings: &JobSettings| settings.get("to-its-end").is_some();
    if beside
        .iter()
        .any(|settings| may_outlast(settings) && !goes_on(settings))
    {
        remarks.add(
            &main.name,
            "this step ends with this job, while fio waits for all its jobs; give all the same runtime and time_based",
        );
    }
}
