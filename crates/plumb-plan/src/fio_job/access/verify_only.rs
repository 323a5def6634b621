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
        return refuse("nothing to verify; also set verify=crc32c");
    }
    if !["read", "randread", "write", "randwrite"].contains(&word) {
        return refuse(
            "for a mix it is unknown which blocks were written; use rw=read with verify if all were written",
        );
    }
    let is_partly = section.flag("norandommap")? || section.text("random_distribution").is_some();
    let is_limited = section.text("io_size").is_some() || section.text("io_limit").is_some();
    let is_reported = section.flag("verify_state_load")?;
    if word == "randwrite" && (is_partly || is_limited) && !is_reported {
        return refuse(
            "the written blocks are only known if all were written; remove norandommap, random_distribution and io_size, or set verify_state_load=1",
        );
    }
    Ok([true, false, false])
}
