//! When is direct I/O used by default, and when not?

use plumb_model::plan::Plan;
use plumb_model::workload::Direct;

use crate::fio_job::{self, Surroundings};
use crate::{Overrides, PlanFile, PlanKind, resolve};

fn directs(plan: &Plan) -> Vec<Direct> {
    plan.steps
        .iter()
        .flat_map(|step| &step.jobs)
        .map(|job| job.workload.direct)
        .collect()
}

#[test]
fn a_plan_file_bypasses_the_cache_where_possible_unless_it_says_otherwise() {
    let text = "title = 't'\n[[step]]\nname = 'silent'\n[[step]]\nname = 'buffered'\ndirect = false\n[[step]]\nname = 'odd'\nblock = 1000\n[[step]]\nname = 'mapped'\nengine = 'mmap'\n";
    let file = PlanFile::parse(text, "my.toml").unwrap_or_else(|error| panic!("{error}"));
    let plan = resolve(&file, &Overrides::default(), PlanKind::File).expect("plan");
    assert_eq!(
        directs(&plan),
        [Direct::Try, Direct::No, Direct::No, Direct::No]
    );
}

#[test]
fn what_another_program_defines_keeps_its_default() {
    let text = "[a]\nrw=read\nsize=1m\n[b]\nrw=read\nsize=1m\ndirect=1\n";
    let mut surroundings = Surroundings {
        include: &mut |_| Err("no files".into()),
        variable: &|_| None,
        pattern: &|_| Err("no file".into()),
        keyword: &|_| None,
    };
    let job =
        fio_job::read(text, "my.fio", &mut surroundings).unwrap_or_else(|error| panic!("{error}"));
    let plan = resolve(&job.plan, &Overrides::default(), PlanKind::File).expect("plan");
    assert_eq!(directs(&plan), [Direct::No, Direct::Yes]);
    let text = fio_job::as_toml(&job);
    let again = PlanFile::parse(&text, "my.toml").unwrap_or_else(|error| panic!("{error}"));
    let again = resolve(&again, &Overrides::default(), PlanKind::File).expect("plan");
    assert_eq!(directs(&again), [Direct::No, Direct::Yes]);
}
