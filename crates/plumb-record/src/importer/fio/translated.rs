//! What would plumb run for this job? The options of a result, read as the job file that they came from: an imported fio result and plumb's own run of the
//! same file then have the same workload.

use plumb_model::workload::Workload;
use plumb_plan::fio_job::{Surroundings, read};
use plumb_plan::{Overrides, PlanKind, resolve};

use super::format::Options;

/// Most different jobs of a document that are translated, in order: a document may hold a hundred thousand, and each takes as long as a small plan.
const TRANSLATED_MAX: usize = 1000;

/// Options for start times or reporting that do not change the workload.
const IGNORED_OPTIONS: &[&str] = &[
    "name",
    "description",
    "stonewall",
    "wait_for",
    "startdelay",
    "start_delay",
    "group_reporting",
    "new_group",
];

/// Reads options; adjacent clones of a job are read once.
#[derive(Debug, Default)]
pub struct Translator {
    last: Option<(Options, Option<Workload>)>,
    translated: usize,
}

impl Translator {
    /// The workload of all `numjobs` of a job together. `None` if the options do not state it, or plumb refuses them.
    pub fn workload(&mut self, own: &Options, global: &Options) -> Option<Workload> {
        if let Some((_, workload)) = self.last.as_ref().filter(|(options, _)| options == own) {
            return workload.clone();
        }
        if self.translated >= TRANSLATED_MAX {
            return None;
        }
        self.translated += 1;
        let workload = workload(own, global);
        self.last = Some((own.clone(), workload.clone()));
        workload
    }
}

fn workload(own: &Options, global: &Options) -> Option<Workload> {
    ["rw", "readwrite"]
        .iter()
        .find_map(|name| own.get(name).or_else(|| global.get(name)))?;
    let text = format!("[global]\n{}[job]\n{}", lines(global)?, lines(own)?);
    let mut surroundings = Surroundings {
        include: &mut |_| Err("fio results cannot include files".into()),
        variable: &|_| None,
        pattern: &|_| Err("no file".into()),
        keyword: &|_| None,
    };
    let job = read(&text, "fio.fio", &mut surroundings).ok()?;
    let plan = resolve(&job.plan, &Overrides::default(), PlanKind::File).ok()?;
    match plan.steps.as_slice() {
        [step] => match step.jobs.as_slice() {
            [job] => Some(job.workload.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The lines of a section. `None` for options that do not fit on a line.
fn lines(options: &Options) -> Option<String> {
    let mut text = String::new();
    for (name, value) in &options.0 {
        if IGNORED_OPTIONS.contains(&name.as_str()) {
            continue;
        }
        let is_a_name = !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !is_a_name || value.contains(char::is_control) {
            return None;
        }
        text += name;
        if !value.is_empty() {
            text += "=";
            text += value;
        }
        text += "\n";
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> Options {
        Options(
            pairs
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
        )
    }

    #[test]
    fn options_of_a_result_are_the_work_of_their_job_file() {
        let global = options(&[("directory", "/data"), ("size", "16m"), ("stonewall", "")]);
        let own = options(&[
            ("name", "w"),
            ("rw", "randwrite"),
            ("bs", "64k"),
            ("numjobs", "3"),
            ("fsync", "8"),
        ]);
        let text =
            "[global]\ndirectory=/data\nsize=16m\n[w]\nrw=randwrite\nbs=64k\nnumjobs=3\nfsync=8\n";
        let mut surroundings = Surroundings {
            include: &mut |_| Err(String::new()),
            variable: &|_| None,
            pattern: &|_| Err("no file".into()),
            keyword: &|_| None,
        };
        let job = read(text, "x.fio", &mut surroundings).expect("a job file");
        let plan = resolve(&job.plan, &Overrides::default(), PlanKind::File).expect("a plan");
        let workload = Translator::default()
            .workload(&own, &global)
            .expect("a workload");
        assert_eq!((workload.workers, workload.fsync_every), (3, 8));
        assert_eq!(workload, plan.steps[0].jobs[0].workload);
    }

    #[test]
    fn options_without_a_job_file_form_are_not_translated() {
        let none = Options::default();
        let mut translator = Translator::default();
        for own in [
            options(&[("bs", "4k")]),
            options(&[("rw", "read"), ("bs", "4k\nrw=write")]),
            options(&[("rw", "read"), ("no such\0", "1")]),
            options(&[("rw", "read"), ("size", "${SIZE}")]),
            options(&[("rw", "sideways")]),
        ] {
            assert_eq!(translator.workload(&own, &none), None, "{own:?}");
        }
    }
}
