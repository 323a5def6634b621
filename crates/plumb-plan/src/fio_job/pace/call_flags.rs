//! Which flags does each read and write have (RWF_HIPRI, RWF_NOWAIT, ...)?

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;

/// The engine of fio whose calls have flags (engines/sync.c).
pub const WITH_FLAGS: &str = "pvsync2";

/// Sets the flags of each read and write.
pub fn call_flags(
    section: &Section,
    asked: &str,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let is_direct = section.flag("direct")?;
    for (option, has_effect) in [
        ("hipri", is_direct),
        ("nowait", true),
        ("uncached", !is_direct),
        ("atomic", true),
    ] {
        let is_of_rings = option == "hipri" && asked != WITH_FLAGS;
        if is_of_rings || !section.flag(option)? {
            continue;
        }
        if asked != WITH_FLAGS {
            return Err(section.error(
                option,
                "plumb sets this flag only for ioengine=pvsync2; use that engine, or remove it",
            ));
        }
        if has_effect {
            settings.set(section, option, option, "true");
        } else {
            let other = if is_direct { "direct" } else { "buffered" };
            remarks.add(
                &section.name,
                format!("{option} has no effect on {other} I/O, as in fio"),
            );
        }
    }
    Ok(())
}
