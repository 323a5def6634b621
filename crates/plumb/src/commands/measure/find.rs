//! Which is the highest rate at which a target meets a latency target? Searches for it by measuring rates.

pub mod arguments;

use anyhow::{Context, bail};
use plumb_load::site::Admission;
use plumb_run::measurement::find::{FindRequest, find as find_of};
use plumb_run::secrets;

use crate::arguments::overwrite;
use crate::commands::Outcome;
use crate::outcome::{Detail, measure_and_show};
use arguments::FindArguments;

/// `plumb find`.
pub fn find(arguments: &FindArguments) -> anyhow::Result<Outcome> {
    let goals = [
        (50.0, arguments.p50),
        (90.0, arguments.p90),
        (95.0, arguments.p95),
        (99.0, arguments.p99),
        (99.9, arguments.p999),
        (99.99, arguments.p9999),
    ];
    let goal = goals
        .into_iter()
        .find_map(|(percentile, limit)| Some((percentile, limit?)));
    let (percentile, limit) = goal.context("a latency target is required, such as --p99 '<1ms'")?;
    if !(0.01..=1.0).contains(&arguments.resolution) {
        bail!("--resolution must be 1% to 100%: below 1% the rounds differ more than that");
    }
    if arguments
        .start
        .is_some_and(|start| !(1.0..=1e6).contains(&start))
    {
        bail!("--start must be 1 to 1000000 operations per second");
    }
    let mut flags = arguments.settings.0.clone();
    let target = flags.iter().find(|(key, _)| key == "target");
    match (&arguments.positional_target, target) {
        (Some(positional), Some((_, target))) => {
            bail!("two targets are given, {positional} and --target {target}: give one");
        }
        (Some(positional), None) => flags.push(("target".into(), positional.clone())),
        (None, None) => bail!("a target is required: plumb find TARGET --p99 '<1ms'"),
        (None, Some(_)) => {}
    }
    let (plan, search) = find_of(&FindRequest {
        percentile,
        limit,
        resolution: arguments.resolution,
        start: arguments.start,
        most: arguments.at_most,
        flags,
        set: arguments.set.clone(),
    })?;
    let admission = Admission {
        overwrite: overwrite(arguments.overwrite.as_ref()),
        login: secrets::of_plan(&plan, &arguments.login.login())?.into(),
    };
    let mut request = arguments.out.request(plan, admission, Vec::new());
    request.search = Some(search);
    measure_and_show(request, &arguments.out, Detail::Table)
}
