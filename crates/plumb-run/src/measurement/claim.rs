//! How is every target of a plan made ready? One site for each, with the needs of all jobs that work on it; some are made by another process.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use plumb_load::feed::content::ContentSource;
use plumb_load::feed::live_files::LiveFiles;
use plumb_load::peer::dial::reach;
use plumb_load::site::{Admission, Preparing, Progress, ShareLogin, Site, SiteError, Written};
use plumb_load::verify::Verifier;
use plumb_model::plan::Plan;
use plumb_model::run::ranks::JointTarget;
use plumb_model::target::Target;
use plumb_model::target::remote::Scheme;
use plumb_model::workload::{Job, JointWorkers, OperationKind};

use super::needs::needs;
use super::seen::Joints;
use super::verification::{of_peer, verifier};

/// What the jobs on one target share.
pub struct ReadyTarget {
    /// Missing for `null:`.
    pub site: Option<Site>,
    pub live_files: Option<LiveFiles>,
    pub verifier: Option<Verifier>,
}

/// Which target a job of a step works on, by step and job.
pub type OfJob = BTreeMap<(usize, usize), usize>;

/// Number of the content stream that fills files; no worker has it.
pub(super) const FILLER: u32 = u32::MAX;

/// Where a job works: jobs beside the main one have files of their own in a directory, so that a log is not written into the data.
type Key = (Target, String);

fn key_of(job: &Job, number: usize) -> Key {
    let is_directory = matches!(&job.target, Target::Path(path) if path.is_dir());
    if let Some(together) = job.workload.rank_position.together {
        return (job.target.clone(), format!("shared {}", together.set));
    }
    (
        job.target.clone(),
        match &job.workload.paths {
            Some(paths) => paths.to_string(),
            None if number > 0 && is_directory => job.name.clone(),
            None => String::new(),
        },
    )
}

/// How targets are claimed.
pub struct Claim<'a> {
    pub admission: &'a Admission,
    /// Default size of a test file, if it must be known in advance.
    pub default_bytes: Option<u64>,
    /// The way to the files that other processes make, where there are any.
    pub joints: Option<&'a dyn Joints>,
    pub stop: &'a AtomicBool,
}

impl Claim<'_> {
    /// Makes every target of the plan ready. Returns which of them each job of each step works on, too.
    ///
    /// Errors: a target may not be used, has no room, or cannot be filled; everything else is released then.
    pub fn all(
        &self,
        plan: &Plan,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> anyhow::Result<(Vec<ReadyTarget>, OfJob)> {
        let (mut groups, mut of_job): (Vec<(Key, Vec<&Job>)>, _) = (Vec::new(), BTreeMap::new());
        for (step, number, job) in plan.steps.iter().enumerate().flat_map(|(step, cell)| {
            cell.jobs
                .iter()
                .enumerate()
                .map(move |(number, job)| (step, number, job))
        }) {
            let key = key_of(job, number);
            let target = groups
                .iter()
                .position(|(other, _)| *other == key)
                .unwrap_or_else(|| {
                    groups.push((key, Vec::new()));
                    groups.len() - 1
                });
            groups[target].1.push(job);
            of_job.insert((step, number), target);
        }
        let groups: Vec<(Vec<&Job>, Option<JointWorkers>)> = groups
            .into_iter()
            .map(|(_, jobs)| {
                let first = jobs.first().filter(|job| has_site(&job.target));
                let together = first.and_then(|job| job.workload.rank_position.together);
                (jobs, together)
            })
            .collect();
        // What others wait for is made before anything is waited for.
        let mut targets: Vec<Option<ReadyTarget>> = Vec::new();
        let mut made = Vec::new();
        for (jobs, together) in &groups {
            let own = together.is_none_or(|together| together.makes_files);
            let target = own
                .then(|| claim_one((jobs, plan.rounds), self, None, progress))
                .transpose()?;
            let site = target.as_ref().and_then(|target| target.site.as_ref());
            made.extend(
                together
                    .zip(site)
                    .map(|(together, site)| (together.set, site.joint())),
            );
            targets.push(target);
        }
        let Some(joints) = self.joints else {
            return Ok((targets.into_iter().flatten().collect(), of_job));
        };
        if !made.is_empty() {
            joints.publish(made);
        }
        let theirs = groups.iter().filter_map(|(_, together)| *together);
        let theirs: Vec<u32> = theirs
            .filter(|together| !together.makes_files)
            .map(|together| together.set)
            .collect();
        let found = joints.wait(&theirs)?;
        for (target, (jobs, together)) in targets.iter_mut().zip(&groups) {
            if target.is_none() {
                let joint = together.and_then(|together| found.get(&together.set));
                let joined = claim_one((jobs, plan.rounds), self, joint, progress)?;
                *target = Some(joined);
            }
        }
        Ok((targets.into_iter().flatten().collect(), of_job))
    }
}

/// `joint`: another process has made the files.
fn claim_one(
    (jobs, rounds): (&[&Job], u32),
    claim: &Claim<'_>,
    joint: Option<&JointTarget>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<ReadyTarget> {
    let Some(first) = jobs
        .first()
        .filter(|job| has_site(&job.target) && !copies(job))
    else {
        reach_peer(jobs)?;
        return Ok(ReadyTarget {
            site: None,
            live_files: None,
            verifier: of_peer(jobs, needs(jobs)?)?,
        });
    };
    let seed = first.workload.seed.unwrap_or_default();
    let mut needs = needs(jobs)?;
    needs.written = jobs
        .iter()
        .map(|job| Written::by(job, rounds).text())
        .collect();
    let verifier = verifier(jobs, seed, &mut needs, claim.default_bytes)?;
    let mut content =
        ContentSource::new(&first.workload, seed, FILLER).map_err(anyhow::Error::msg)?;
    let mut fill = |file: u32, offset: u64, block: &mut [u8]| match &verifier {
        Some(verifier) => verifier.fill_initial(file, offset, block),
        None => content.fill(block, offset),
    };
    let admission = Admission {
        overwrite: claim.admission.overwrite.clone(),
        login: ShareLogin {
            choice: first.engine.clone(),
            ..claim.admission.login.clone()
        },
    };
    let mut preparing = Preparing {
        fill: &mut fill,
        stop: claim.stop,
        progress,
    };
    let claimed = match joint {
        Some(joint) => Site::join(&first.target, &needs, &admission.login, joint),
        None => Site::claim(&first.target, &needs, &admission, &mut preparing),
    };
    let site = claimed.map_err(|error| with_reach_of_logs(error, jobs))?;
    let live_files = site.file_set().cloned().map(LiveFiles::new);
    Ok(ReadyTarget {
        site: Some(site),
        live_files,
        verifier,
    })
}

/// If a target has no room, the size may come from a log.
fn with_reach_of_logs(error: SiteError, jobs: &[&Job]) -> SiteError {
    let mut logs = jobs.iter().filter_map(|job| {
        Some((
            job.workload.replay.as_ref()?,
            job.workload.replay_holds?.end,
        ))
    });
    let Some((log, end)) = logs.next() else {
        return error;
    };
    let hint = |text: String| {
        format!(
            "{text}; the log {log} extends to offset {}; replay-divisor reduces its offsets",
            end.0
        )
    };
    match error {
        SiteError::Unsuitable(text) => SiteError::Unsuitable(hint(text)),
        SiteError::NoRoom(text) => SiteError::NoRoom(hint(text)),
        other => other,
    }
}

/// The folders of a copy program are created by the caller.
fn copies(job: &Job) -> bool {
    job.workload
        .mix
        .0
        .iter()
        .any(|(kind, _)| *kind == OperationKind::Copy)
}

/// An unreachable peer is reported once, before anything starts. An iperf3 server is not tried: it would treat that as a failed client, and give
/// up after some (iperf_run_server).
fn reach_peer(jobs: &[&Job]) -> anyhow::Result<()> {
    match jobs
        .first()
        .and_then(|job| job.target.remote())
        .filter(|remote| remote.scheme == Scheme::Tcp)
    {
        Some(remote) => reach(remote).with_context(|| format!("{remote} cannot be measured")),
        None => Ok(()),
    }
}

/// Nothing is made ready for nothing, nor for a peer that exchanges messages.
fn has_site(target: &Target) -> bool {
    match target {
        Target::Null => false,
        Target::Path(_) => true,
        Target::Remote(remote) => remote.scheme.is_share(),
    }
}
