//! How many random reads does a file give?
//!
//! `cargo run --release -p plumb-run --example measure_a_file -- FILE`

use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
use plumb_run::Stop;
use plumb_run::measurement::{Request, measure};

const PLAN: &str = "[[step]]\nname = 'reads'\npattern = 'random-read'\nblock = '4k'\ntime = '2s'";

fn main() -> anyhow::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_default();
    let flags = vec![("target".to_string(), file)];
    let set = Vec::new();
    let written = PlanFile::parse(PLAN, "the example")?;
    let plan = resolve(&written, &Overrides { set, flags }, PlanKind::File)?;
    let measured = measure(Request::quiet(plan), &Stop::new())?;
    let iops = measured.derived.summary.steps[0].total.iops;
    println!("{iops:?} IOPS, recorded in {}", measured.folder.display());
    Ok(())
}
