//! What does a job do that only checks what it wrote another time?

use crate::fio_job::content::verify_method;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;

/// Which of read, write and trim the job uses: with `verify_only` it reads what it would write.
///
/// # Errors
/// It cannot be known which blocks the job had written: all of its file, once each.
pub fn used(section: &Section, word: &str, uses: [bool; 3]) -> Result<[bool; 3], PlanError> {
    if !section.flag("verify_only")? {
        return Ok(uses);
    }
    let refuse = |why: &str| Err(section.error("verify_only", why));
    if verify_method(section).is_none() {
        return refuse("nothing is to be verified: write verify=crc32c beside it");
    }
    if !["read", "randread", "write", "randwrite"].contains(&word) {
        return refuse(
            "of a mix it is not known what was written: write rw=read and verify for what is all written",
        );
    }
    let is_partly = section.flag("norandommap")? || section.text("random_distribution").is_some();
    let is_limited = section.text("io_size").is_some() || section.text("io_limit").is_some();
    let is_told = section.flag("verify_state_load")?;
    if word == "randwrite" && (is_partly || is_limited) && !is_told {
        return refuse(
            "which blocks were written is known only where all were: leave norandommap, random_distribution and io_size out, or write verify_state_load=1",
        );
    }
    Ok([true, false, false])
}
