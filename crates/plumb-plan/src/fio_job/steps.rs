//! Which sections run at the same time, in which steps, and what ends a step? Sections without stonewall are jobs of one step.

use std::collections::BTreeMap;

use super::access::access;
use super::directions::settle_directions;
use super::drafts::Draft;
use super::engines::{nearest_to, when_none_is_named};
use super::remarks::Remarks;
use super::section::Section;
use super::{as_it_is, content, delays, extent, goals, pace, replay};
use crate::{Entry, JobFile, StepFile};
use plumb_model::keys::Keys;
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;

/// Clones that get a job of their own, at most; more than that are to be workers of one.
const CLONES_MAX: u32 = 64;
/// Most rounds of a plan.
const ROUNDS_MAX: u64 = 10_000;
/// Longest name of a step or job, in bytes; as plan files have it.
const NAME_MAX_BYTES: usize = 150;

/// Steps, and how often all of them run.
pub struct Groups {
    pub steps: Vec<StepFile>,
    pub rounds: u32,
}

/// A section and what was found out about it.
struct Understood<'s> {
    section: &'s Section,
    draft: Draft,
}

/// All steps of the job file.
pub fn groups(
    sections: &[Section],
    keys: &Keys,
    remarks: &mut Remarks,
) -> Result<Groups, PlanError> {
    let mut groups: Vec<Vec<Understood<'_>>> = Vec::new();
    for section in sections {
        section.idle().for_each(|option| remarks.idle(option));
        let draft = draft(section, keys, remarks)?;
        let begins = section.flag("stonewall")?;
        match groups.last_mut().filter(|_| !begins) {
            Some(group) => group.push(Understood { section, draft }),
            None => groups.push(vec![Understood { section, draft }]),
        }
    }
    let rounds = settle_loops(&mut groups);
    if rounds > 1 {
        // Of several loops only the first finds no file.
        groups
            .iter_mut()
            .flatten()
            .for_each(|understood| understood.draft.drop_key("fresh"));
    }
    let mut names = Names::default();
    let mut steps = Vec::new();
    let mut elapsed = delays::Elapsed::default();
    for mut group in groups {
        let mut drafts: Vec<(&Section, &mut Draft)> = group
            .iter_mut()
            .map(|understood| (understood.section, &mut understood.draft))
            .collect();
        elapsed.settle(&mut drafts, remarks);
        add_steps(group, &mut names, &mut steps, remarks)?;
    }
    refuse_misfits(sections, &steps, keys)?;
    Ok(Groups { steps, rounds })
}

/// Everything that one section says.
fn draft(section: &Section, keys: &Keys, remarks: &mut Remarks) -> Result<Draft, PlanError> {
    let engine = section
        .read("ioengine", nearest_to)?
        .unwrap_or_else(when_none_is_named);
    let mut draft = Draft {
        name: printable(&section.name),
        line: section.place.outer_line,
        ..Draft::default()
    };
    if replay::replay(section, engine, keys, &mut draft, remarks)? {
        return Ok(draft);
    }
    let access = access(section, &mut draft, remarks)?;
    extent::extent(section, engine, &mut draft, remarks)?;
    if draft.on_files {
        draft.drop_key("offsets");
        draft.directions = None;
        draft.modifies = true;
    }
    pace::engine(section, engine, &mut draft, remarks)?;
    if !draft.on_files {
        pace::rates(section, &access, &mut draft)?;
        content::durability(section, &access, &mut draft, remarks)?;
        content::content(section, &access, &mut draft)?;
        content::verification(section, &access, &mut draft, remarks)?;
        content::beginning(section, &access, &mut draft, remarks)?;
        as_it_is::as_it_is(section, keys, &mut draft)?;
    }
    settle_directions(section, &mut draft);
    pace::stops(section, &mut draft, remarks)?;
    draft.delay_ns = delays::delay_ns(section)?;
    goals::latency_target(section, &mut draft, remarks)?;
    goals::steadystate(section, &mut draft, remarks)?;
    pace::processors(section, &mut draft, remarks)?;
    Ok(draft)
}

/// Loops that are the same for all jobs, and not cut off by a runtime, are rounds; else a job moves that much more.
fn settle_loops(groups: &mut [Vec<Understood<'_>>]) -> u32 {
    let mut drafts = groups
        .iter_mut()
        .flatten()
        .map(|understood| &mut understood.draft)
        .collect::<Vec<_>>();
    let first = drafts.first().map_or(1, |draft| draft.loops);
    if drafts
        .iter()
        .all(|draft| draft.loops == first && draft.time_ns.is_none())
        && first <= ROUNDS_MAX
    {
        return first as u32;
    }
    for draft in drafts.iter_mut().filter(|draft| draft.loops > 1) {
        let loops = draft.loops;
        for entry in draft.entries.iter_mut() {
            let more = match entry.key.as_str() {
                "bytes" => entry
                    .text
                    .parse::<Bytes>()
                    .ok()
                    .map(|bytes| Bytes(bytes.0.saturating_mul(loops)).to_string()),
                "operations" | "passes" => entry
                    .text
                    .parse::<u64>()
                    .ok()
                    .map(|count| count.saturating_mul(loops).to_string()),
                _ => None,
            };
            entry.text = more.unwrap_or_else(|| entry.text.clone());
        }
    }
    1
}

/// Names that are taken: steps of the plan, and jobs of one step.
#[derive(Default)]
struct Names(BTreeMap<String, u32>);

impl Names {
    fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_string();
        while self.0.contains_key(&unique) {
            let count = self.0.entry(name.to_string()).or_insert(1);
            *count += 1;
            unique = format!("{name} ({count})");
        }
        self.0.insert(unique.clone(), 1);
        unique
    }
}

/// The step of one group, and the one that reads back what is to be verified.
fn add_steps(
    group: Vec<Understood<'_>>,
    names: &mut Names,
    steps: &mut Vec<StepFile>,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let ends_early = group
        .iter()
        .map(|understood| understood.section.flag("exitall"))
        .collect::<Result<Vec<_>, _>>()?
        .contains(&true);
    let mut drafts = Vec::new();
    for understood in group {
        clones(understood, &mut drafts)?;
    }
    let main = main_of(&drafts, ends_early);
    let mut main = drafts.remove(main);
    tell_of_ends(&main, &drafts, ends_early, remarks);
    main.name = names.unique(&main.name);
    let mut beside_names = Names::default();
    beside_names.unique("main");
    beside_names.unique(&main.name);
    for draft in &mut drafts {
        draft.name = beside_names.unique(&draft.name);
    }
    let read_back = main
        .reads_back
        .then(|| read_back_step(&main, &drafts, names));
    let (warm_up, interval) = (
        main.get("warm-up").map(str::to_string),
        main.get("interval").map(str::to_string),
    );
    leave_goals_to(&main, &mut drafts, remarks);
    for draft in &mut drafts {
        if draft.get("warm-up") != warm_up.as_deref()
            || draft.get("interval") != interval.as_deref()
        {
            let text = format!(
                "ramp_time and log_avg_msec of jobs that run together are those of [{}]",
                main.name
            );
            remarks.tell(&draft.name, text);
        }
        draft.drop_key("warm-up");
        draft.drop_key("interval");
    }
    let depths = main.depths.iter().map(u32::to_string).collect::<Vec<_>>();
    let sweep = if depths.is_empty() {
        Vec::new()
    } else {
        vec![("depth".to_string(), depths)]
    };
    steps.push(StepFile {
        main: main.job(),
        sweep,
        beside: drafts.into_iter().map(Draft::job).collect(),
        ..StepFile::default()
    });
    steps.extend(read_back);
    Ok(())
}

/// The step waits for its main job and finds the depth of that: jobs beside it have the depth that they asked for at most, and end with it.
fn leave_goals_to(main: &Draft, beside: &mut [Draft], remarks: &mut Remarks) {
    for draft in beside {
        if draft.get("until-steady").is_some() {
            remarks.tell(
                &draft.name,
                format!(
                    "steadystate: of jobs that run together [{}] is judged, and ends them",
                    main.name
                ),
            );
            draft.drop_key("until-steady");
        }
        if let Some(most) = draft.depths.pop() {
            let text = format!(
                "latency_target: of jobs that run together the depth of [{}] is found, and this one keeps iodepth={most}",
                main.name
            );
            remarks.tell(&draft.name, text);
            draft.depths.clear();
            draft.set_at(draft.line, "depth", most.to_string());
            draft.drop_key("time");
        }
    }
}

/// Clones whose parts of a file do not follow each other are jobs of their own.
fn clones(understood: Understood<'_>, drafts: &mut Vec<Draft>) -> Result<(), PlanError> {
    let Understood { section, draft } = understood;
    if draft.increment_bytes == 0 || draft.numjobs == 1 {
        drafts.push(draft);
        return Ok(());
    }
    if draft.numjobs > CLONES_MAX {
        let message = format!(
            "{} clones at offsets that do not follow each other: at most {CLONES_MAX}; with offset_increment equal to size they may be more",
            draft.numjobs
        );
        return Err(section.error("offset_increment", message));
    }
    for clone in 0..draft.numjobs {
        let mut one = draft.clone();
        let start = draft
            .start_bytes
            .saturating_add(draft.increment_bytes.saturating_mul(u64::from(clone)));
        one.name = format!("{}.{clone}", draft.name);
        one.set(
            section,
            "offset_increment",
            "start",
            Bytes(start).to_string(),
        );
        one.drop_key("workers");
        one.drop_key("layout");
        for entry in one.entries.iter_mut() {
            divide(entry, u64::from(draft.numjobs));
        }
        drafts.push(one);
    }
    Ok(())
}

/// One clone's share of what was said for all.
fn divide(entry: &mut Entry, clones: u64) {
    let text = match entry.key.as_str() {
        "bytes" => entry
            .text
            .parse::<Bytes>()
            .ok()
            .map(|bytes| Bytes(bytes.0 / clones).to_string()),
        "operations" | "passes" => entry
            .text
            .parse::<u64>()
            .ok()
            .map(|count| (count / clones).to_string()),
        "rate" => entry
            .text
            .parse::<f64>()
            .ok()
            .map(|rate| (rate / clones as f64).to_string()),
        _ => None,
    };
    entry.text = text.unwrap_or_else(|| entry.text.clone());
}

/// The job that the step ends with: the one that runs longest as far as is known, or with exitall the shortest. What is read back comes first, because
/// files belong to the main job or to the name of the job beside it; then what is waited for or found out.
fn main_of(drafts: &[Draft], ends_early: bool) -> usize {
    let amount = |draft: &Draft| {
        draft
            .get("bytes")
            .and_then(|text| text.parse::<Bytes>().ok())
            .map_or(0, |bytes| bytes.0)
    };
    let rank = |draft: &Draft| {
        let time = draft.end_ns();
        let waits = (
            draft.get("until-steady").is_some(),
            !draft.depths.is_empty(),
        );
        let length = if ends_early {
            (
                draft.time_ns.is_some(),
                u64::MAX - time,
                u64::MAX - amount(draft),
            )
        } else {
            (draft.time_ns.is_some(), time, amount(draft))
        };
        (draft.reads_back, waits, length)
    };
    (0..drafts.len()).fold(0, |best, place| {
        if rank(&drafts[place]) > rank(&drafts[best]) {
            place
        } else {
            best
        }
    })
}

fn tell_of_ends(main: &Draft, beside: &[Draft], ends_early: bool, remarks: &mut Remarks) {
    let counts = |draft: &Draft| draft.get("bytes").or(draft.get("operations")).is_some();
    let waits = main.get("until-steady").is_some();
    let may_outlast = |draft: &Draft| match (draft.time_ns, main.time_ns) {
        // The main job runs for its whole time, and so this one ends before it or with it.
        (Some(_), Some(_)) if !counts(main) && !waits => draft.end_ns() > main.end_ns(),
        (time, _) => time.is_some() || counts(draft),
    };
    if !ends_early && beside.iter().any(may_outlast) {
        remarks.tell(
            &main.name,
            "this step ends when this job does, where fio waits for every job of it: give all the same runtime and time_based",
        );
    }
}

/// The step after a verified one: all that was written is read in order and checked.
fn read_back_step(main: &Draft, beside: &[Draft], names: &mut Names) -> StepFile {
    let mut step = StepFile {
        main: read_back(main),
        ..StepFile::default()
    };
    step.main.name = names.unique(&format!("{} verify", main.name));
    step.beside = beside
        .iter()
        .filter(|draft| draft.reads_back)
        .map(read_back)
        .collect();
    step
}

fn read_back(written: &Draft) -> JobFile {
    const SAME: &[&str] = &[
        "target",
        "engine",
        "positioned",
        "block",
        "depth",
        "batch",
        "size",
        "start",
        "direct",
        "cold",
        "content",
        "compress-percent",
        "verify",
        "keep",
        "pin",
        "seed",
    ];
    let line = written.line;
    let own: &[&str] = if written.is_shared {
        &[]
    } else {
        &["layout", "workers"]
    };
    let mut draft = Draft {
        name: written.name.clone(),
        line,
        ..Draft::default()
    };
    draft.entries.extend(
        written
            .entries
            .iter()
            .filter(|entry| SAME.contains(&entry.key.as_str()) || own.contains(&entry.key.as_str()))
            .cloned(),
    );
    draft.set_at(line, "mix", "read");
    draft.set_at(line, "offsets", "sequential");
    if let Some(size) = written.get("size").map(str::to_string) {
        draft.set_at(line, "bytes", size);
    } else if written.get("passes").is_some() {
        draft.set_at(line, "passes", "1");
    }
    draft.job()
}

/// Every key takes its value; the error names the line.
fn refuse_misfits(sections: &[Section], steps: &[StepFile], keys: &Keys) -> Result<(), PlanError> {
    for job in steps
        .iter()
        .flat_map(|step| step.beside.iter().chain([&step.main]))
    {
        for entry in &job.entries {
            let checked = keys.find(&entry.key).and_then(|key| key.value(&entry.text));
            if let (Err(why), Some(section)) = (checked, sections.first()) {
                return Err(PlanError::at(
                    format!("{}, line {}", section.place.file, entry.line),
                    format!("[{}] {}: {why}", job.name, entry.key),
                ));
            }
        }
    }
    Ok(())
}

/// A name as plan files take it: printable, not empty, not too long.
fn printable(name: &str) -> String {
    let mut printable: String = name
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    while printable.len() > NAME_MAX_BYTES {
        printable.pop();
    }
    let printable = printable.trim();
    if printable.is_empty() {
        "job".to_string()
    } else {
        printable.to_string()
    }
}

/// The plan's name: that of the file without folder and extension.
pub fn plan_name(source: &str) -> String {
    let file = source.rsplit(['/', '\\']).next().unwrap_or_default();
    printable(file.strip_suffix(".fio").unwrap_or(file))
}

/// The plan's title: the description of its only section, else what it is.
pub fn title(sections: &[Section], source: &str) -> String {
    let described = match sections {
        [only] => only.text("description").map(printable),
        _ => None,
    };
    described.unwrap_or_else(|| format!("What fio's job file {} asks for.", plan_name(source)))
}
