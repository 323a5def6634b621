//! Which log does a section replay, at which pace, and which part of it? `read_iolog` and the options that begin with `replay_`.

use super::{content, pace};
use crate::fio_job::access::rw::Access;
use crate::fio_job::as_it_is::as_it_is;
use crate::fio_job::engines::Nearest;
use crate::fio_job::extent;
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::keys::Keys;
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;

/// Replay options that have no effect without `read_iolog`.
const OF_REPLAY: &[&str] = &[
    "replay_no_stall",
    "replay_redirect",
    "replay_scale",
    "replay_align",
    "replay_time_scale",
    "replay_skip",
    "read_iolog_chunked",
];

/// Options that the log replaces, as in fio.
const IN_LOG: &[&str] = &[
    "rw",
    "bs",
    "bsrange",
    "bssplit",
    "ba",
    "rwmixread",
    "rwmixwrite",
    "random_distribution",
    "percentage_random",
    "norandommap",
    "size",
    "io_size",
    "filesize",
    "nrfiles",
    "offset",
    "offset_increment",
];

/// Options that would change the times or selection of a log's requests.
const BESIDE_LOG: &[&str] = &[
    "rate",
    "rate_iops",
    "thinktime",
    "fsync",
    "fdatasync",
    "verify",
    "ramp_time",
    "number_ios",
];

/// The content of a log is known only after reading it.
const ANY: Access = Access {
    uses: [true, true, true],
    random: true,
};

/// Sets everything of a section that replays a log; `false`: it does not.
pub fn replay(
    section: &Section,
    engine: Nearest,
    keys: &Keys,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<bool, PlanError> {
    let Some(log) = section.read("read_iolog", single_log)? else {
        for option in OF_REPLAY
            .iter()
            .filter(|option| section.text(option).is_some())
        {
            remarks.add(
                &section.name,
                format!("{option} has no effect without read_iolog"),
            );
        }
        return Ok(false);
    };
    if matches!(engine, Nearest::Files(_) | Nearest::Messages) {
        return Err(
            section.error("ioengine", "a log of reads and writes cannot be replayed with file operations or network messages; use ioengine=psync or io_uring")
        );
    }
    if let Some(option) = BESIDE_LOG
        .iter()
        .find(|option| section.text(option).is_some_and(|text| text != "0"))
    {
        return Err(section.error(
            option,
            "a replay takes its requests and their times from the log; remove it, or remove read_iolog",
        ));
    }
    settings.replays = true;
    settings.modifies = true;
    settings.set(section, "read_iolog", "replay", log);
    rules(section, settings)?;
    extent::replayed(section, engine, settings, remarks)?;
    pace::engine(section, engine, settings, remarks)?;
    content::durability(section, &ANY, settings)?;
    content::content(section, &ANY, settings)?;
    content::beginning(section, &ANY, settings, remarks)?;
    as_it_is(section, keys, settings)?;
    pace::stops(section, settings, remarks)?;
    pace::processors(section, settings, remarks)?;
    once(section, settings, remarks)?;
    let replaced: Vec<&str> = IN_LOG
        .iter()
        .copied()
        .filter(|option| section.text(option).is_some())
        .collect();
    if !replaced.is_empty() {
        remarks.add(
            &section.name,
            format!("{}: read_iolog replaces them", replaced.join(", ")),
        );
    }
    if section.text("replay_redirect").is_none() {
        remarks.add(
            &section.name,
            "the files named in the log are not touched; its requests go to the target of the job",
        );
    }
    Ok(true)
}

/// fio 3.33 replays a log once, regardless of loops and time_based.
fn once(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    if std::mem::replace(&mut settings.loops, 1) > 1 {
        remarks.add(
            &section.name,
            "loops: the log is replayed once, as in fio; --rounds repeats it",
        );
    }
    if section.flag("time_based")? {
        remarks.add(
            &section.name,
            "time_based: the job ends with the log, as in fio; --set passes=N replays it N times",
        );
    }
    Ok(())
}

/// The file of the log. The error: there are several, or none.
fn single_log(text: &str) -> Result<String, String> {
    if text == "-" {
        return Err("plumb reads a log more than once, which standard input does not allow; save it to a file".into());
    }
    extent::single(text).map_err(|_| {
        format!(
            "'{text}' gives several logs, which fio distributes to its clones; use one section for each"
        )
    })
}

fn rules(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    if section.flag("replay_no_stall")? {
        settings.set(section, "replay_no_stall", "replay-pace", "none");
    } else if let Some(percent) = section
        .integer("replay_time_scale")?
        .filter(|percent| *percent != 100)
    {
        settings.set(
            section,
            "replay_time_scale",
            "replay-speed-percent",
            percent.to_string(),
        );
    }
    if let Some(divisor) = section
        .integer("replay_scale")?
        .filter(|divisor| *divisor > 1)
    {
        settings.set(
            section,
            "replay_scale",
            "replay-divisor",
            divisor.to_string(),
        );
    }
    if let Some(align) = section.bytes("replay_align")?.filter(|align| *align > 1) {
        settings.set(
            section,
            "replay_align",
            "replay-align",
            Bytes(align).to_string(),
        );
    }
    if let Some(kinds) = section.text("replay_skip") {
        settings.set(section, "replay_skip", "replay-skip", kinds);
    }
    if section.text("replay_redirect").is_some() {
        settings.set(section, "replay_redirect", "replay-files", "together");
    }
    Ok(())
}
