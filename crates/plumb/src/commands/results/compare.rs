//! Is B better, worse or the same as A, or is it undecided? Sides are read or measured, compared and shown; the exit code reports a worse result.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use plumb_analyse::compare::recordings::with_steps;
use plumb_analyse::compare::{Entrant, Settings, compare as compare_sides, comparison_plots};
use plumb_load::site::{Admission, Overwrite};
use plumb_model::plan::Plan;
use plumb_model::results::comparison::{Comparison, ComparisonPlots, side_letter};
use plumb_model::results::reference::{REFERENCE_PREFIX, Reference};
use plumb_model::run::Run;
use plumb_model::text::shell::{quoted, quoted_path};
use plumb_model::units::Nanos;
use plumb_plan::{Overrides, plans, resolve};
use plumb_record::read_run;
use plumb_run::derived::{check_page, write_page};
use plumb_run::live_comparison::{LiveRequest, LiveSide, Measured, measure_sides};
use plumb_run::named_plan::replays;
use plumb_run::named_plan::{
    NamedPlan, main_target, plan_named, print_remarks, refuse_impossible_engines,
};
use plumb_run::secrets;
use plumb_show::github::comparison_github;
use plumb_show::junit::comparison_junit;
use plumb_show::markdown::comparison_markdown;
use plumb_show::report::comparison_html;
use plumb_show::terminal::comparison_text;

use super::import::stored_run;
use super::on_all_cpus::on_all_cpus;
use crate::cli::{CompareArguments, ComparisonFormat};
use crate::commands::Outcome;
use crate::full_screen::view_of_run;
use crate::outcome::{stop, unfinished};
use crate::settings::run_folder;
use crate::streams::{page, print, print_json, say, words};

/// Minimum rounds of each side of a live comparison: fewer rarely give a verdict.
const ROUNDS: u32 = 6;
/// Maximum duration of a live comparison, unless the minimum rounds take longer.
const BUDGET: Nanos = Nanos(600_000_000_000);
/// Name of the report in the folder of a live comparison.
const REPORT: &str = "report.html";

/// `plumb compare`.
pub fn compare(arguments: &CompareArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), arguments.output.as_deref())?;
    let settings = Settings {
        threshold: arguments.threshold,
        metrics: arguments.metrics.clone(),
        conditions: arguments.fail_if.clone(),
        any_work: arguments.any_work,
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        ..Settings::default()
    };
    if arguments.live {
        live(arguments, settings)
    } else {
        stored(arguments, &settings)
    }
}

/// One side, read.
enum Side {
    Run { label: String, run: Box<Run> },
    Reference(Box<Reference>),
}

impl Side {
    fn read(named: &str) -> anyhow::Result<Side> {
        match named.strip_prefix(REFERENCE_PREFIX) {
            Some(id) => {
                let reference = plumb_plan::references::find(id).map_err(anyhow::Error::msg)?;
                Ok(Side::Reference(Box::new(reference)))
            }
            None => Ok(Side::Run {
                label: short_label(named),
                run: Box::new(with_steps(stored_run(Path::new(named))?)),
            }),
        }
    }

    fn entrant(&self) -> Entrant<'_> {
        match self {
            Side::Run { label, run } => Entrant::Run {
                label: label.clone(),
                run,
            },
            Side::Reference(reference) => Entrant::Reference(reference),
        }
    }
}

/// The name of a run folder without its ending. Of a side of a live comparison, whose name is a letter, the last two names.
pub(super) fn short_label(named: &str) -> String {
    let names: Vec<_> = Path::new(named)
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let (Some(last), before) = (
        names.last(),
        names.len().checked_sub(2).and_then(|at| names.get(at)),
    ) else {
        return named.to_string();
    };
    match before {
        Some(before) if last.len() == 1 && !matches!(before.as_str(), "/" | "\\" | "." | "..") => {
            format!("{before}/{last}")
        }
        _ => last.strip_suffix(".plumb").unwrap_or(last).to_string(),
    }
}

fn stored(arguments: &CompareArguments, settings: &Settings) -> anyhow::Result<Outcome> {
    let named = expanded(&arguments.sides);
    if named.len() < 2 {
        let sides: Vec<String> = arguments
            .sides
            .iter()
            .map(|side| quoted_path(Path::new(side)))
            .collect();
        bail!(
            "{}: a comparison requires at least two sides: name two run folders, or a published figure as in `plumb compare {} ref:NAME` \
             (`plumb list --references`)",
            arguments.sides.join(" "),
            sides.join(" ")
        );
    }
    let sides = read_all(&named)?;
    let entrants: Vec<Entrant> = sides.iter().map(Side::entrant).collect();
    let comparison = compare_sides(&entrants, settings);
    if let Some(file) = &arguments.report {
        write_report(&comparison, &comparison_plots(&entrants, &comparison), file)?;
        say(&format!("report: {}", file.display()));
    }
    if comparison.is_empty() && arguments.format.format() == ComparisonFormat::Text {
        return Err(nothing_in_common(&comparison, &named));
    }
    present(&comparison, arguments)?;
    Ok(outcome(&comparison))
}

/// The error if nothing could be compared: the first reasons, and a remedy.
fn nothing_in_common(comparison: &Comparison, named: &[String]) -> anyhow::Error {
    const REASONS: usize = 3;
    let rows = comparison.published.iter().flat_map(|table| &table.rows);
    let published = rows.filter_map(|row| Some((&row.name, row.reason.as_ref()?)));
    let refused = comparison
        .refused
        .iter()
        .map(|refusal| (&refusal.step, &refusal.reason));
    let mut reasons: Vec<String> = refused
        .chain(published)
        .map(|(name, reason)| format!("{name}: {}", plumb_words::english(reason)))
        .collect();
    let more = reasons.len().saturating_sub(REASONS);
    reasons.truncate(REASONS);
    if more > 0 {
        reasons.push(format!("and {more} more (--json has all)"));
    }
    let remedy = match named.iter().find_map(|side| side.strip_prefix("ref:")) {
        Some(reference) => format!(
            "plumb list --references {reference} shows which steps were published: measure one of them (same pattern, block and depth) and compare again"
        ),
        None => {
            "run the same plan on both sides, or compare different workloads with --any-work".into()
        }
    };
    anyhow!(
        "{}: nothing can be compared\n  {}\n  {remedy}",
        named.join(" and "),
        reasons.join("\n  ")
    )
}

/// The folder of a live comparison stands for its sides, an experiment (`ref:E6`) for all of its published figures.
fn expanded(named: &[String]) -> Vec<String> {
    named
        .iter()
        .flat_map(|name| {
            references_of(name)
                .or_else(|| sides_in(name))
                .unwrap_or_else(|| vec![name.clone()])
        })
        .collect()
}

/// The references of an experiment; `None` for any other name.
fn references_of(named: &str) -> Option<Vec<String>> {
    let wanted = named.strip_prefix(REFERENCE_PREFIX)?.to_ascii_uppercase();
    let all = plumb_plan::references::all().ok()?;
    let of = all.iter().filter(|held| held.experiment == wanted);
    let of: Vec<String> = of
        .map(|held| format!("{REFERENCE_PREFIX}{}", held.id))
        .collect();
    (!of.is_empty()).then_some(of)
}

fn sides_in(folder: &str) -> Option<Vec<String>> {
    let runs = (0..)
        .map(|side| Path::new(folder).join(side_letter(side).to_lowercase()))
        .take_while(|run| run.join("run.json").is_file());
    let runs: Vec<String> = runs.map(|run| run.to_string_lossy().into_owned()).collect();
    // A copy test of one program has one side, which compares with published figures.
    (!runs.is_empty()).then_some(runs)
}

/// Reads all sides in parallel, since reading is most of the work. Reports the first error in the order of the sides.
fn read_all(named: &[String]) -> anyhow::Result<Vec<Side>> {
    on_all_cpus(named, |named| Side::read(named))
        .into_iter()
        .collect()
}

fn write_report(
    comparison: &Comparison,
    plots: &ComparisonPlots,
    file: &Path,
) -> anyhow::Result<()> {
    write_page(file, &comparison_html(comparison, plots, words()))
}

fn present(comparison: &Comparison, arguments: &CompareArguments) -> anyhow::Result<()> {
    match arguments.format.format() {
        ComparisonFormat::Text => print(&comparison_text(comparison, page())),
        ComparisonFormat::Markdown => print(&comparison_markdown(comparison)),
        ComparisonFormat::Junit => print(&comparison_junit(comparison, words())),
        ComparisonFormat::Github => print(&comparison_github(comparison, words())),
        ComparisonFormat::Json => print_json(comparison),
    }
}

fn outcome(comparison: &Comparison) -> Outcome {
    if comparison.is_empty() {
        say(
            "plumb: nothing could be compared; see the reasons above (steps that were not compared)",
        );
        return Outcome::NotDone;
    }
    // A condition without a match is a typing error, and would never fail.
    if let Some(empty) = comparison
        .conditions
        .iter()
        .find(|condition| condition.cells == 0)
    {
        say(&format!(
            "plumb: --fail-if '{}' matches no result of this comparison: check the step name and the metric",
            empty.condition
        ));
        return Outcome::NotDone;
    }
    let failed = match comparison.conditions.as_slice() {
        [] => comparison.any_worse(),
        conditions => conditions.iter().any(|condition| condition.failed),
    };
    if failed {
        Outcome::Severe
    } else {
        Outcome::Done
    }
}

fn live(arguments: &CompareArguments, settings: Settings) -> anyhow::Result<Outcome> {
    let plans = live_plans(arguments)?;
    let login = arguments.login.login();
    let admission = |plan: &Plan| -> anyhow::Result<Admission> {
        let (overwrite, secrets) = (
            permission(plan, &arguments.overwrite),
            secrets::of_plan(plan, &login)?,
        );
        Ok(Admission {
            overwrite,
            login: secrets.into(),
        })
    };
    let name = |side: usize| format!("side {}", side_letter(side));
    let sides = plans.into_iter().enumerate();
    let sides = sides.map(|(side, plan)| {
        Ok(LiveSide {
            name: name(side),
            admission: admission(&plan)?,
            plan,
            copying: None,
        })
    });
    let sides: Vec<LiveSide> = sides.collect::<anyhow::Result<_>>()?;
    refuse_unused_permission(&sides, &arguments.overwrite)?;
    let plan = sides.first().map_or("", |side| side.plan.name.as_str());
    let name = format!("compare-{plan}");
    let mut request = LiveRequest {
        sides,
        rounds: arguments.rounds.unwrap_or(ROUNDS),
        budget: arguments.budget.unwrap_or(BUDGET),
        settings: settings.clone(),
        output: run_folder(arguments.output.as_ref(), &name),
        quiet: arguments.quiet,
        tags: arguments.tags.clone(),
        words: words(),
        view: None,
    };
    let stop = stop()?;
    for side in &mut request.sides {
        side.admission.login.stop = stop.request();
    }
    // Nothing is skipped: all sides run the same steps.
    request.view = (!request.quiet).then(|| view_of_run(None, &stop));
    let Measured {
        folder,
        runs,
        interrupted,
        failures,
    } = measure_sides(&mut request, &stop)?;
    let labels = request
        .sides
        .iter()
        .map(|side| live_label(side, &request.sides));
    let read = labels.zip(&runs).map(|(label, run)| {
        Ok(Side::Run {
            label,
            run: Box::new(read_run(run)?),
        })
    });
    let sides: Vec<Side> = read.collect::<anyhow::Result<_>>()?;
    let entrants: Vec<Entrant> = sides.iter().map(Side::entrant).collect();
    let comparison = compare_sides(&entrants, &settings);
    let report = arguments
        .report
        .clone()
        .unwrap_or_else(|| folder.join(REPORT));
    let written = write_report(
        &comparison,
        &comparison_plots(&entrants, &comparison),
        &report,
    );
    // The results are shown even if the report cannot be written.
    present(&comparison, arguments)?;
    if !arguments.quiet {
        say(&format!(
            "report: {}\nrecord: {} (plumb compare {})",
            report.display(),
            folder.display(),
            quoted_path(&folder)
        ));
    }
    written?;
    let kept = "the blocks so far are recorded and compared";
    let stopped = interrupted.then(|| stop.reason(kept));
    Ok(unfinished(&failures, "", stopped).unwrap_or_else(|| outcome(&comparison)))
}

/// The label of each side: the target, or the plan.
fn live_label(side: &LiveSide, all: &[LiveSide]) -> String {
    let target = |side: &LiveSide| main_target(&side.plan).to_string();
    // On one target the plans differ; a side compared with itself has only its letter.
    let one_target = all.iter().all(|other| target(other) == target(side));
    let one_plan = all.iter().all(|other| other.plan.name == side.plan.name);
    if one_target && !one_plan {
        side.plan.name.clone()
    } else {
        target(side)
    }
}

/// One resolved plan for each side: one plan on several targets, or several plans on one target or on those that they name themselves.
fn live_plans(arguments: &CompareArguments) -> anyhow::Result<Vec<Plan>> {
    let is_plan = |word: &&String| plans::find(word).is_some() || word.ends_with(".toml");
    let named: Vec<&String> = arguments.sides.iter().take_while(is_plan).collect();
    let targets = &arguments.sides[named.len()..];
    let pairs: Vec<(&String, Option<&String>)> = match (named.as_slice(), targets) {
        ([], _) => bail!(
            "--live needs a plan first: plumb compare --live PLAN TARGET_A TARGET_B; {} is neither a built-in plan (`plumb plans`) nor a *.toml file",
            arguments.sides[0]
        ),
        ([plan], targets) if targets.len() > 1 => {
            targets.iter().map(|target| (*plan, Some(target))).collect()
        }
        ([plan], _) => {
            bail!(
                "a comparison requires at least two sides: plumb compare --live {0} TARGET_A TARGET_B, or --live {0} PLAN_B TARGET",
                quoted(plan)
            )
        }
        (plans, []) => plans.iter().map(|plan| (*plan, None)).collect(),
        (plans, [target]) => plans.iter().map(|plan| (*plan, Some(target))).collect(),
        (plans, targets) => {
            bail!(
                "{} plans and {} targets: several plans run on one target, or one plan on several",
                plans.len(),
                targets.len()
            )
        }
    };
    pairs
        .into_iter()
        .map(|(plan, target)| live_plan(plan, target, &arguments.set))
        .collect()
}

fn live_plan(
    name: &str,
    target: Option<&String>,
    set: &[(String, String)],
) -> anyhow::Result<Plan> {
    let NamedPlan {
        file,
        kind,
        remarks,
    } = plan_named(name)?;
    print_remarks(&remarks);
    let flags = target
        .map(|target| ("target".to_string(), target.clone()))
        .into_iter()
        .collect();
    let mut plan = resolve(
        &file,
        &Overrides {
            set: set.to_vec(),
            flags,
        },
        kind,
    )?;
    print_remarks(&replays::settle(&mut plan)?);
    refuse_impossible_engines(&plan)?;
    Ok(plan)
}

/// The permission to overwrite for one side: its target is named, or the flag has no value and applies to all sides.
fn permission(plan: &Plan, given: &[OsString]) -> Overwrite {
    let target = main_target(plan).to_string();
    if let Some(named) = given
        .iter()
        .find(|word| word.as_os_str() == target.as_str())
    {
        return Overwrite::Named(PathBuf::from(named));
    }
    if given.iter().any(|word| word.is_empty()) {
        Overwrite::Yes
    } else {
        Overwrite::No
    }
}

fn refuse_unused_permission(sides: &[LiveSide], given: &[OsString]) -> anyhow::Result<()> {
    let is_target = |word: &OsString| {
        sides
            .iter()
            .any(|side| word.as_os_str() == main_target(&side.plan).to_string().as_str())
    };
    match given
        .iter()
        .find(|word| !word.is_empty() && !is_target(word))
    {
        Some(word) => bail!(
            "--overwrite={} is not a target of this comparison: write it exactly like the target",
            word.display()
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::short_label;

    #[test]
    fn labels_are_short_and_tell_sides_apart() {
        let check =
            |named: &str, expected: &str| assert_eq!(short_label(named), expected, "{named}");
        check("before", "before");
        check(
            "/data/plumb-check-20261121-214100.plumb/",
            "plumb-check-20261121-214100",
        );
        check("out/a", "out/a");
        check("./b", "b");
        if cfg!(unix) {
            check("/", "/");
        }
    }
}
