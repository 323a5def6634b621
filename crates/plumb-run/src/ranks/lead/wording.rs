//! What is reported to the user about the ranks of a run, and about unsupported plans?

use anyhow::bail;
use plumb_model::plan::Plan;
use plumb_model::run::ranks::Ranks;
use plumb_model::workload::RankSharing;
use plumb_words::numbers::show_time_ns;

use crate::measurement::Request;

/// `rank 3 on hostb and 7 more`.
pub fn named(ranks: &Ranks, which: &[u32]) -> String {
    let named = |rank: &u32| {
        let host = ranks.host_of(*rank).unwrap_or("an unknown host");
        format!("rank {rank} on {host}")
    };
    let first: Vec<String> = which.iter().take(3).map(named).collect();
    match which.len().saturating_sub(3) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// `64 ranks on 4 hosts, connected by Open MPI v4.1.4; their clocks were compared within 12 us.`
pub fn placement_text(ranks: &Ranks, plan: &Plan) -> String {
    let mut jobs = plan.steps.iter().flat_map(|step| &step.jobs);
    let one_job = jobs.all(|job| job.workload.ranks == RankSharing::Together);
    let hosts = ranks.hosts().len();
    let within = ranks
        .places
        .iter()
        .map(|place| place.clock_uncertainty_ns)
        .max()
        .unwrap_or_default();
    format!(
        "{} ranks on {hosts} host{}, connected by {}; clocks aligned within {}. {}:",
        ranks.places.len(),
        if hosts == 1 { "" } else { "s" },
        ranks.carrier,
        show_time_ns(within as f64),
        match one_job {
            true => "Together they run",
            false => "Each of them runs",
        }
    )
}

/// Features that depend on the figures of one process are not supported with several ranks yet. Errors: the plan uses one.
pub fn refuse_what_is_for_one(request: &Request) -> anyhow::Result<()> {
    if request.search.is_some() {
        bail!("a search for the highest rate runs in one process; run it without the launcher");
    }
    if request.plan.steady.is_some() {
        bail!(
            "the plan runs until its rounds are steady, which is not supported with several ranks yet: use a plan without it, or run it without the launcher"
        );
    }
    let mut jobs = request.plan.steps.iter().flat_map(|step| &step.jobs);
    if jobs.any(|job| job.workload.until_steady.is_some()) {
        bail!(
            "a step of the plan runs until it is steady (until-steady), which is not supported with several ranks yet: set a time instead"
        );
    }
    Ok(())
}
