//! Is the first finding true of this target? The requests of the recording with more and more of them outstanding, in interleaved rounds.

use anyhow::{Context, bail};
use plumb_analyse::compare::Settings;
use plumb_analyse::explain::proof::{depths, proof};
use plumb_load::site::Admission;
use plumb_model::explain::conclusion::{Explained, Proof};
use plumb_model::explain::observed::Observed;
use plumb_model::plan::Plan;
use plumb_model::units::Nanos;
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
use plumb_record::read_run;
use plumb_run::derived::derive;
use plumb_run::live_comparison::{LiveRequest, LiveSide, measure_sides};
use plumb_run::named_plan::refuse_impossible_engines;
use plumb_run::secrets;

use super::arguments::ExplainArguments;
use crate::outcome::stop;
use crate::streams::words;

/// Share of reads from which on only reads are carried out.
const READS_ONLY: f64 = 0.99;
/// How long it goes on at most.
const BUDGET: Nanos = Nanos(600_000_000_000);

/// Carries out the experiment. Errors: there is no finding that it could prove, or the target cannot be measured.
pub fn prove(explained: &Explained, arguments: &ExplainArguments) -> anyhow::Result<Proof> {
    let target = arguments.target.as_ref().context(
        "--prove needs --target: where the experiment may run, such as a folder on the same share",
    )?;
    let found = explained.findings.first();
    let Some((finding, depths)) = found.and_then(|found| Some((found, depths(found)?))) else {
        bail!(
            "the experiment measures more outstanding requests, and the first finding is not about them; its own experiment is: {}",
            found.map_or("none", |found| &found.experiment)
        );
    };
    let sides = depths.iter().map(|depth| {
        let plan = plan(&explained.observed, target, *depth, arguments)?;
        Ok(LiveSide {
            name: format!("depth {depth}"),
            admission: Admission {
                secrets: secrets::of_plan(&plan, &arguments.login.login())?,
                ..Admission::default()
            },
            plan,
            copying: None,
        })
    });
    let mut request = LiveRequest {
        sides: sides.collect::<anyhow::Result<_>>()?,
        rounds: arguments.rounds,
        budget: BUDGET,
        settings: Settings::default(),
        output: None,
        quiet: arguments.quiet,
        tags: Vec::new(),
        words: words(),
    };
    let stop = stop()?;
    let measured = measure_sides(&mut request, &stop)?;
    if let Some(failure) = measured.failures.first() {
        bail!("the experiment could not be carried out: {failure}");
    }
    let mut rates = Vec::new();
    for (depth, run) in depths.iter().zip(&measured.runs) {
        let summary = derive(read_run(run)?).summary;
        let rounds = summary.steps.iter().flat_map(|step| &step.rounds);
        rates.push((*depth, rounds.filter_map(|round| round.iops).collect()));
    }
    Ok(proof(
        &finding.prediction,
        &rates,
        target.clone(),
        measured.folder.display().to_string(),
    ))
}

/// The requests of the recording as a plan: their mean size and their part of reads, at random offsets, with so many outstanding.
fn plan(
    observed: &Observed,
    target: &str,
    depth: u64,
    arguments: &ExplainArguments,
) -> anyhow::Result<Plan> {
    let bytes = observed.bytes_per_request.unwrap_or(4096.0);
    let sectors = (bytes / 4096.0).round().max(1.0);
    let mut flags = vec![
        ("target".to_string(), target.to_string()),
        ("block".into(), format!("{}k", sectors * 4.0)),
        ("depth".into(), depth.to_string()),
        ("time".into(), arguments.time.clone()),
    ];
    match observed.read_share.filter(|share| *share < READS_ONLY) {
        Some(share) => flags.extend([
            ("pattern".to_string(), "mixed".to_string()),
            ("read-percent".into(), format!("{:.0}", share * 100.0)),
        ]),
        None => flags.push(("pattern".into(), "random-read".into())),
    }
    let overrides = Overrides {
        set: vec![("warm-up".into(), "500ms".into())],
        flags,
    };
    let plan = resolve(&PlanFile::ad_hoc(), &overrides, PlanKind::AdHoc)?;
    refuse_impossible_engines(&plan)?;
    Ok(plan)
}
