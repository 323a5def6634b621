//! Is a finding true for this target? Runs its experiment in interleaved rounds, and compares it with the prediction.

use std::path::Path;

use anyhow::{Context, bail};
use plumb_analyse::compare::Settings;
use plumb_analyse::explain::experiment::experiment;
use plumb_analyse::explain::proof::{Round, proof};
use plumb_load::site::{Admission, Overwrite};
use plumb_model::explain::conclusion::{Change, Explained, Explanation, Proof};
use plumb_model::explain::experiment::{Experiment, Load, Work};
use plumb_model::plan::Plan;
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::text::nearest::nearest;
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

/// Maximum duration.
const BUDGET: Nanos = Nanos(600_000_000_000);
/// Files of an experiment with a file for each request, and the least and the most bytes of one that makes its own file.
const FILES: u64 = 500;
const FILE_BYTES: (f64, f64) = (64e6, 1e9);

/// Runs the experiment. Errors: there is no finding to prove, or the target cannot be measured.
pub fn prove(explained: &Explained, arguments: &ExplainArguments) -> anyhow::Result<Proof> {
    let target = arguments.target.as_ref().context(
        "--prove requires --target: the target of the experiment, such as a folder on the same share",
    )?;
    let finding = finding(explained, arguments.rule.as_deref())?;
    let experiment = experiment(finding, &explained.observed)
        .map_err(|refusal| anyhow::anyhow!(words().sentence(&refusal)))?;
    refuse_target(&experiment, finding, target)?;
    let mut request = LiveRequest {
        sides: sides(&experiment, target, arguments)?,
        rounds: arguments.rounds,
        budget: BUDGET,
        settings: Settings::default(),
        output: None,
        quiet: arguments.quiet,
        tags: Vec::new(),
        words: words(),
        view: None,
    };
    let stop = stop()?;
    let measured = measure_sides(&mut request, &stop)?;
    if let Some(failure) = measured.failures.first() {
        bail!("the experiment failed: {failure}");
    }
    let mut rounds: Vec<Vec<Round>> = Vec::new();
    for run in &measured.runs {
        let summary = derive(read_run(run)?).summary;
        let steps = summary.steps.iter().flat_map(|step| &step.rounds);
        let round = steps.filter_map(|round| {
            Some(Round {
                requests_per_s: round.iops?,
                bytes_per_s: round.bandwidth_bytes_per_s.unwrap_or(0.0),
            })
        });
        rounds.push(round.collect());
    }
    Ok(proof(
        &experiment,
        &rounds,
        target.clone(),
        measured.folder.display().to_string(),
    ))
}

/// The finding of this rule, or the first.
fn finding<'a>(explained: &'a Explained, rule: Option<&str>) -> anyhow::Result<&'a Explanation> {
    let findings = &explained.findings;
    let names: Vec<&str> = findings.iter().map(|found| found.rule.as_str()).collect();
    if names.is_empty() {
        bail!("there is no finding to prove: no rule finds a limit in this recording");
    }
    let Some(rule) = rule else {
        return findings.first().context("a finding");
    };
    let found = findings.iter().find(|found| found.rule == rule);
    found.with_context(|| {
        format!(
            "there is no finding '{rule}'{}; there are {}",
            nearest(rule, &names),
            names.join(", ")
        )
    })
}

/// Errors, before anything is measured: the experiment requires another kind of target.
fn refuse_target(
    experiment: &Experiment,
    finding: &Explanation,
    target: &str,
) -> anyhow::Result<()> {
    let parsed: Target = target.parse().map_err(|error| anyhow::anyhow!("{error}"))?;
    let remote = parsed.remote();
    let is_share = remote.is_some_and(|remote| remote.scheme.is_share());
    let makes_files = experiment
        .settings
        .iter()
        .any(|setting| setting.load.work.needs_folder());
    let may_hold_files = is_share || Path::new(target).is_dir();
    let refusal = if makes_files && !may_hold_files {
        Statement::new("explain-prove-folder")
    } else if matches!(finding.prediction.change, Change::Credits { .. }) && !is_share {
        Statement::new("explain-prove-share")
    } else {
        return Ok(());
    };
    bail!("--target {target}: {}", words().sentence(&refusal))
}

fn sides(
    experiment: &Experiment,
    target: &str,
    arguments: &ExplainArguments,
) -> anyhow::Result<Vec<LiveSide>> {
    let files = experiment
        .settings
        .iter()
        .any(|setting| matches!(setting.load.work, Work::Files { .. }));
    let sides = experiment.settings.iter().map(|setting| {
        let plan = plan(&setting.load, files, target, arguments)?;
        Ok(LiveSide {
            name: words().sentence(&setting.statement),
            admission: Admission {
                overwrite: Overwrite::No,
                login: secrets::of_plan(&plan, &arguments.login.login())?.into(),
            },
            plan,
            copying: None,
        })
    });
    sides.collect()
}

/// A load as a plan. `beside_files`: another setting has a file for each request; this one has the same bytes in one.
fn plan(
    load: &Load,
    beside_files: bool,
    target: &str,
    arguments: &ExplainArguments,
) -> anyhow::Result<Plan> {
    // Blocks are whole pages.
    let bytes = (load.request_bytes / 4096.0).round().max(1.0) * 4096.0;
    let own_file = |bytes: f64| format!("{}m", (bytes / f64::from(1 << 20)).ceil());
    let mut flags = vec![
        ("target".to_string(), target.to_string()),
        ("depth".into(), load.outstanding.to_string()),
        ("time".into(), arguments.time.clone()),
    ];
    let mut set = vec![
        ("warm-up".to_string(), "500ms".to_string()),
        ("workers".into(), load.connections.to_string()),
    ];
    let block = ("block".to_string(), format!("{}k", bytes / 1024.0));
    match load.work {
        Work::Requests { reads } => {
            flags.push(block);
            flags.push(("pattern".into(), pattern(reads).into()));
            if reads > 0.0 && reads < 1.0 {
                flags.push(("read-percent".into(), format!("{:.0}", reads * 100.0)));
            }
            if beside_files {
                set.push(("size".into(), own_file(bytes * FILES as f64)));
            }
        }
        Work::Writes { each_flush } => {
            flags.push(block);
            flags.push(("pattern".into(), pattern(0.0).into()));
            let size = (bytes * 1000.0).clamp(FILE_BYTES.0, FILE_BYTES.1);
            set.push(("size".into(), own_file(size)));
            set.push(("fsync-every".into(), each_flush.to_string()));
        }
        Work::Files { reads } => {
            let kind = if reads { "read-file" } else { "create" };
            set.push(("mix".into(), kind.into()));
            set.push(("files".into(), FILES.to_string()));
            set.push(("file-size".into(), format!("{}k", bytes / 1024.0)));
        }
    }
    if load.pause_ns > 0.0 {
        let pause = format!("{}us", (load.pause_ns / 1000.0).round().max(1.0));
        set.push(("think-time".into(), pause));
    }
    // Like the application's requests, which may use the page cache.
    set.push(("direct".into(), "false".into()));
    let overrides = Overrides { set, flags };
    let plan = resolve(&PlanFile::ad_hoc(), &overrides, PlanKind::AdHoc)?;
    refuse_impossible_engines(&plan)?;
    Ok(plan)
}

fn pattern(reads: f64) -> &'static str {
    match reads {
        reads if reads >= 1.0 => "random-read",
        reads if reads <= 0.0 => "random-write",
        _ => "mixed",
    }
}
