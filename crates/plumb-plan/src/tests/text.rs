//! What is a resolved plan like as text?

use crate::{Overrides, PlanFile, PlanKind, plans, resolve};
use plumb_model::plan::{Origin, Plan};

fn round_trip(plan: &Plan) {
    let text = plan.to_toml();
    let file =
        PlanFile::parse(&text, "printed.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let again = resolve(&file, &Overrides::default(), PlanKind::File)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(*plan, again);
}

#[test]
fn a_printed_plan_reads_back_as_the_same_plan() {
    for built_in in plans::PLANS {
        let file = built_in.file().expect(built_in.name);
        let plain = resolve(&file, &Overrides::default(), PlanKind::Preset).expect(built_in.name);
        // A plan of messages takes a peer only.
        let target = plain.steps[0].jobs[0]
            .target
            .remote()
            .map_or("some where/ü\"x'".into(), |remote| {
                format!("{}://some-host:1", remote.scheme)
            });
        let jobs = || plain.steps.iter().flat_map(|step| &step.jobs);
        let time = match jobs().any(|job| job.workload.is_open()) {
            true => "start-delay",
            false => "think-time",
        };
        let overrides = Overrides {
            set: vec![(time.into(), "5us".into()), ("rounds".into(), "14".into())],
            flags: vec![("target".into(), target)],
        };
        let mut plan = resolve(&file, &overrides, PlanKind::Preset).expect(built_in.name);
        round_trip(&plan);
        plan.settle_seeds(u64::MAX - 5);
        round_trip(&plan);
    }
}

#[test]
fn a_printed_plan_takes_overrides_with_their_origin() {
    let file = PlanFile::parse("[[step]]\nname='a'\n[step.sweep]\ndepth=[1,2]", "t").expect("plan");
    let plan = resolve(&file, &Overrides::default(), PlanKind::File).expect("resolved");
    let printed = PlanFile::parse(&plan.to_toml(), "printed").expect("printed");
    let overrides = Overrides {
        flags: vec![("workers".into(), "3".into())],
        ..Overrides::default()
    };
    let again = resolve(&printed, &overrides, PlanKind::File).expect("resolved");
    assert_eq!(again.steps[1].jobs[0].workload.depth, 2);
    assert_eq!(again.steps[1].origins[0]["depth"], Origin::Sweep);
    assert_eq!(again.steps[1].origins[0]["workers"], Origin::Flag);
}
