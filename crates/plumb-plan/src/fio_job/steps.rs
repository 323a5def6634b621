//! Which sections run concurrently, in which steps, and what ends a step? Sections without stonewall are jobs of one step.

mod clones;
pub(super) mod delays;
mod ends;
mod missing;
mod read_back;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{as_it_is, companions, content, extent, goals, net, pace, replay, verification};
use crate::StepFile;
use crate::fio_job::access::access;
use crate::fio_job::access::directions::settle_directions;
use crate::fio_job::access::rw::Access;
use crate::fio_job::companions::Companion;
use crate::fio_job::engines::{Nearest, nearest_to, when_none_is_named};
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::pace::flushes::{flushes, go_on_over_loops};
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use crate::fio_job::steps::clones::clones;
use crate::fio_job::steps::missing::refuse_missing;
use crate::fio_job::steps::read_back::read_back_step;
use plumb_model::keys::Keys;
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;

/// Most rounds of a plan.
const ROUNDS_MAX: u64 = 10_000;
/// Longest name of a step or job, in bytes; as plan files have it.
const NAME_MAX_BYTES: usize = 150;

/// Steps, and the number of times all of them run.
pub struct Groups {
    pub steps: Vec<StepFile>,
    pub rounds: u32,
    pub listeners: Vec<net::Listener>,
    pub companions: Vec<Companion>,
}

/// A section and what is known about it.
struct Understood<'s> {
    section: &'s Section,
    settings: JobSettings,
}

/// All steps of the job file.
pub fn groups(
    sections: &[Section],
    keys: &Keys,
    remarks: &mut Remarks,
) -> Result<Groups, PlanError> {
    let mut groups: Vec<Vec<Understood<'_>>> = Vec::new();
    let mut listeners = Vec::new();
    let (mut companions, mut walls, mut is_walled) = (Vec::<Companion>::new(), 0, false);
    let mut number = 1;
    for section in sections {
        section.idle().for_each(|option| remarks.add_idle(option));
        if let Some(listener) = net::listener(section)? {
            listeners.push(listener);
            continue;
        }
        if let Some(companion) = companions::companion(section)? {
            if section.flag("stonewall")? {
                (walls, is_walled) = (walls + 1, true);
            }
            companions.push(Companion {
                group: walls,
                step: groups.len().saturating_sub(usize::from(!is_walled)),
                ..companion
            });
            continue;
        }
        companions::refuse_other_engines(section)?;
        let mut settings = settings(section, keys, remarks)?;
        content::seed(section, number, &mut settings)?;
        number += u64::from(settings.numjobs);
        let is_laid_out = |settings: &JobSettings| settings.get("prepare-only").is_some();
        let last = groups.last().and_then(|group| group.last());
        let begins = std::mem::take(&mut is_walled)
            || section.flag("stonewall")?
            || waits(section, &groups, remarks)?
            || is_laid_out(&settings)
            || last.is_some_and(|last| is_laid_out(&last.settings));
        match groups.last_mut().filter(|_| !begins) {
            Some(group) => group.push(Understood { section, settings }),
            None => groups.push(vec![Understood { section, settings }]),
        }
    }
    read_what_was_filled(&mut groups);
    keep_no_sets_in_one_folder(&mut groups);
    let rounds = settle_loops(&mut groups);
    if rounds > 1 {
        // Of several loops only the first creates the file.
        groups.iter_mut().flatten().for_each(|understood| {
            understood.settings.drop_key("fresh");
            understood.settings.drop_key("preallocate");
        });
    }
    let mut names = Names::default();
    let mut steps = Vec::new();
    let mut made = Vec::new();
    let mut elapsed = delays::Elapsed::default();
    let mut firsts = Vec::new();
    for mut group in groups {
        firsts.push(steps.len());
        let mut jobs: Vec<(&Section, &mut JobSettings)> = group
            .iter_mut()
            .map(|understood| (understood.section, &mut understood.settings))
            .collect();
        elapsed.settle(&mut jobs, remarks);
        let before = steps.len();
        add_steps(group, (&mut names, &mut made), &mut steps, remarks)?;
        if rounds > 1 {
            read_back_in_each_round(&mut steps[before..], before as u32 + 1);
        }
    }
    refuse_misfits(sections, &steps, keys)?;
    for companion in &mut companions {
        companion.step = firsts.get(companion.step).copied().unwrap_or(steps.len());
    }
    Ok(Groups {
        steps,
        rounds,
        listeners,
        companions,
    })
}

/// Sets of small files of several jobs have the names of none of fio's files, so no job finds what another one made; kept, they would all want one folder.
fn keep_no_sets_in_one_folder(groups: &mut [Vec<Understood<'_>>]) {
    let folder = |settings: &JobSettings| {
        let target = settings.get("target").unwrap_or(".").to_string();
        settings.on_files.then_some(target)
    };
    let all = groups.iter().flatten();
    let folders: Vec<String> = all.filter_map(|of| folder(&of.settings)).collect();
    for settings in groups.iter_mut().flatten().map(|of| &mut of.settings) {
        let own = folder(settings);
        if own.is_some_and(|own| folders.iter().filter(|other| **other == own).count() > 1) {
            settings.drop_key("keep");
        }
    }
}

/// The amount written until the file system is full is unknown: a job that verifies the same file afterwards reads what was written.
fn read_what_was_filled(groups: &mut [Vec<Understood<'_>>]) {
    let mut filled = Vec::new();
    for settings in groups
        .iter_mut()
        .flatten()
        .map(|understood| &mut understood.settings)
    {
        let target = settings.get("target").map(str::to_string);
        let (verifies, line) = (settings.get("verify").is_some(), settings.line);
        if settings.get("until-full").is_some() {
            filled.extend(target);
        } else if verifies
            && settings.get("mix").is_none_or(|mix| mix == "read")
            && target.is_some_and(|target| filled.contains(&target))
        {
            settings.set_at(line, "written-only", "true");
        }
    }
}

/// True if the section waits for one that would run concurrently. Its step starts when all before have ended.
fn waits(
    section: &Section,
    groups: &[Vec<Understood<'_>>],
    remarks: &mut Remarks,
) -> Result<bool, PlanError> {
    let Some(name) = section.text("wait_for") else {
        return Ok(false);
    };
    let is_it = |understood: &Understood<'_>| understood.section.name == name;
    if !groups.iter().flatten().any(is_it) {
        return Err(section.error(
            "wait_for",
            format!("no section above this one is named '{name}'"),
        ));
    }
    let running = groups.last().map_or(&[][..], Vec::as_slice);
    if !running.iter().any(is_it) {
        return Ok(false);
    }
    if !running.iter().all(is_it) {
        let text = format!(
            "wait_for={name}: it waits for all jobs that run concurrently with [{name}], as with stonewall"
        );
        remarks.add(&section.name, text);
    }
    Ok(true)
}

/// All settings of one section.
fn settings(
    section: &Section,
    keys: &Keys,
    remarks: &mut Remarks,
) -> Result<JobSettings, PlanError> {
    let engine = section
        .read("ioengine", nearest_to)?
        .unwrap_or_else(when_none_is_named);
    let mut settings = JobSettings {
        name: printable(&section.name),
        line: section.source_line.outer_line,
        ..JobSettings::default()
    };
    pace::scheduler(section, remarks);
    if replay::replay(section, engine, keys, &mut settings, remarks)? {
        content::create_only(section, &mut settings)?;
        return Ok(settings);
    }
    let access = access(section, &mut settings, remarks)?;
    if engine == Nearest::Messages {
        exchange(section, &access, &mut settings, remarks)?;
        return Ok(settings);
    }
    net::refuse_other_engines(section)?;
    extent::extent(section, engine, &mut settings, remarks)?;
    if settings.on_files {
        settings.drop_key("offsets");
        settings.directions = None;
        settings.modifies = true;
    }
    pace::engine(section, engine, &mut settings, remarks)?;
    if !settings.on_files {
        pace::rates(section, &access, &mut settings, remarks)?;
        pace::limits(section, &access, &mut settings, remarks)?;
        content::durability(section, &access, &mut settings)?;
        content::content(section, &access, &mut settings)?;
        verification::verification(section, &access, &mut settings, remarks)?;
        content::beginning(section, &access, &mut settings, remarks)?;
        as_it_is::as_it_is(section, keys, &mut settings)?;
    }
    settle_directions(section, &mut settings);
    pace::stops(section, &mut settings, remarks)?;
    flushes(section, &mut settings)?;
    ends::ends_step(section, &mut settings)?;
    settings.delay_ns = delays::delay_ns(section)?;
    goals::latency_target(section, &mut settings, remarks)?;
    goals::steadystate(section, &mut settings, remarks)?;
    apart(section, &mut settings)?;
    pace::processors(section, &mut settings, remarks)?;
    pace::priority(section, &mut settings)?;
    pace::memory(section, &mut settings);
    pace::urgent(section, &access, &mut settings, remarks)?;
    if let Some(log) = section.text("write_iolog") {
        settings.set(section, "write_iolog", "write-iolog", log);
    }
    content::create_only(section, &mut settings)?;
    extent::settle_export(section, &mut settings, remarks);
    Ok(settings)
}

/// All settings of a section that exchanges messages with another host.
fn exchange(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    net::messages(section, access, settings, remarks)?;
    pace::rates(section, access, settings, remarks)?;
    pace::stops(section, settings, remarks)?;
    ends::ends_step(section, settings)?;
    settings.delay_ns = delays::delay_ns(section)?;
    apart(section, settings)?;
    pace::processors(section, settings, remarks)?;
    pace::memory(section, settings);
    Ok(())
}

/// Clones have their own figures, unless group reporting is on.
fn apart(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    if settings.numjobs > 1 && !section.flag("group_reporting")? {
        settings.set(section, "numjobs", "workers-apart", "true");
    }
    Ok(())
}

/// Loops that are equal for all jobs, and not cut off by a runtime, become rounds; otherwise, and if writes are flushed or go to memory, a job transfers that much more.
fn settle_loops(groups: &mut [Vec<Understood<'_>>]) -> u32 {
    let mut jobs = groups
        .iter_mut()
        .flatten()
        .map(|understood| &mut understood.settings)
        .collect::<Vec<_>>();
    let first = jobs.first().map_or(1, |settings| settings.loops);
    // Memory stays filled over all loops; each round has its own.
    let is_memory = |settings: &&mut JobSettings| settings.get("engine") == Some("memory");
    if jobs
        .iter()
        .all(|settings| settings.loops == first && settings.time_ns.is_none())
        && first <= ROUNDS_MAX
        && !go_on_over_loops(&jobs)
        && !jobs.iter().any(is_memory)
    {
        return first as u32;
    }
    for settings in jobs.iter_mut().filter(|settings| settings.loops > 1) {
        let loops = settings.loops;
        if let Some(flushes) = settings.pass_flushes {
            settings.set_at(settings.line, "pass-flushes", flushes.to_string());
        }
        for entry in settings.entries.iter_mut() {
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

/// Data written by a loop is read back before the next one overwrites it.
fn read_back_in_each_round(steps: &mut [StepFile], number: u32) {
    if steps.len() > 1 {
        let together = steps.iter_mut().map(|step| &mut step.combination);
        together.for_each(|combination| *combination = Some(number));
    }
}

/// Names in use: steps of the plan, and jobs of one step.
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

/// The step of one group, and the step that reads back what must be verified.
fn add_steps(
    group: Vec<Understood<'_>>,
    (names, made): (&mut Names, &mut Vec<PathBuf>),
    steps: &mut Vec<StepFile>,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let mut jobs = Vec::new();
    for understood in group {
        let before = jobs.len();
        clones(understood.section, understood.settings, &mut jobs)?;
        refuse_missing(understood.section, &jobs[before..], made)?;
    }
    let main = ends::main_of(&jobs);
    let mut main = jobs.remove(main);
    if main.get("until-steady").is_none() && main.depths.is_empty() {
        ends::go_to_their_ends(&mut jobs);
    }
    ends::remark_ends(&main, &jobs, remarks);
    main.name = names.unique(&main.name);
    let mut beside_names = Names::default();
    beside_names.unique("main");
    beside_names.unique(&main.name);
    for settings in &mut jobs {
        settings.name = beside_names.unique(&settings.name);
    }
    let read_back = main.reads_back.then(|| {
        let name = names.unique(&format!("{} verify", main.name));
        read_back_step(&main, &jobs, name)
    });
    let (warm_up, interval) = (
        main.get("warm-up").map(str::to_string),
        main.get("interval").map(str::to_string),
    );
    leave_goals_to(&main, &mut jobs, remarks);
    for settings in &mut jobs {
        if settings.get("warm-up") != warm_up.as_deref()
            || settings.get("interval") != interval.as_deref()
        {
            let text = format!(
                "ramp_time and log_avg_msec of concurrent jobs are those of [{}]",
                main.name
            );
            remarks.add(&settings.name, text);
        }
        settings.drop_key("warm-up");
        settings.drop_key("interval");
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
        beside: jobs.into_iter().map(JobSettings::job).collect(),
        ..StepFile::default()
    });
    steps.extend(read_back);
    Ok(())
}

/// The step searches the depth of its main job: concurrent jobs have at most their requested depth, and end with it.
fn leave_goals_to(main: &JobSettings, beside: &mut [JobSettings], remarks: &mut Remarks) {
    for settings in beside {
        if settings.get("until-steady").is_some() {
            remarks.add(
                &settings.name,
                format!(
                    "steadystate: among concurrent jobs [{}] is evaluated, and stops all of them",
                    main.name
                ),
            );
            settings.drop_key("until-steady");
        }
        if let Some(most) = settings.depths.pop() {
            let text = format!(
                "latency_target: among concurrent jobs the depth of [{}] is searched, and this one keeps iodepth={most}",
                main.name
            );
            remarks.add(&settings.name, text);
            settings.depths.clear();
            settings.set_at(settings.line, "depth", most.to_string());
            settings.drop_key("time");
        }
    }
}

/// Every key must accept its value; the error names the line.
fn refuse_misfits(sections: &[Section], steps: &[StepFile], keys: &Keys) -> Result<(), PlanError> {
    for job in steps
        .iter()
        .flat_map(|step| step.beside.iter().chain([&step.main]))
    {
        for entry in &job.entries {
            let checked = keys.find(&entry.key).and_then(|key| key.value(&entry.text));
            if let (Err(why), Some(section)) = (checked, sections.first()) {
                return Err(PlanError::at(
                    format!("{}, line {}", section.source_line.file, entry.line),
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

/// The plan's title: the description of its only section, else a generic one.
pub fn title(sections: &[Section], source: &str) -> String {
    let described = match sections {
        [only] => only.text("description").map(printable),
        _ => None,
    };
    described.unwrap_or_else(|| format!("Workload of the fio job file {}.", plan_name(source)))
}
