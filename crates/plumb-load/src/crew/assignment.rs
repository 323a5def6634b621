//! What is one job of a step given, and what of it holds for all of its workers?

use std::sync::atomic::AtomicBool;

use plumb_model::statement::Statement;
use plumb_model::units::Bytes;
use plumb_model::workload::{EngineChoice, Job, Stamping};

use super::event::LoadError;
use crate::fabric::memory_bytes;
use crate::feed::live_files::LiveFiles;
use crate::site::Site;
use crate::site::SmallFiles;
use crate::verify::Verifier;
use crate::worker::limits::FlowGroups;

/// Size used for targets of the null engine and for peers.
const NULL_SIZE_BYTES: u64 = 1 << 30;

/// One job with all that it works on. Seeds are resolved.
#[derive(Clone, Copy)]
pub struct Assignment<'a> {
    pub job: &'a Job,
    /// Missing for `null:`.
    pub site: Option<&'a Site>,
    pub live_files: Option<&'a LiveFiles>,
    pub verifier: Option<&'a Verifier>,
    pub seed: u64,
}

/// What ends workers from outside, or holds them back.
#[derive(Clone, Copy)]
pub struct Signals<'a> {
    pub stop: &'a AtomicBool,
    /// Of a job beside the main one: that has ended. Of the main job: its figures are steady.
    pub enough: &'a AtomicBool,
    pub flows: &'a FlowGroups,
}

/// Bytes of the target that the job works on, and how the record names it.
pub fn extent(assignment: &Assignment<'_>) -> (u64, String) {
    match assignment.site {
        Some(site) => {
            // Another step of the plan may use more of the same target than this one.
            let requested = assignment.job.workload.size.map_or(u64::MAX, |size| size.0);
            (
                site.size_bytes().min(requested),
                assignment.job.target.to_string(),
            )
        }
        None if assignment
            .job
            .target
            .remote()
            .is_some_and(|remote| remote.scheme.is(|of| of.lends_memory)) =>
        {
            (
                memory_bytes(&assignment.job.workload),
                assignment.job.target.to_string(),
            )
        }
        None => (
            assignment
                .job
                .workload
                .size
                .unwrap_or(Bytes(NULL_SIZE_BYTES))
                .0,
            assignment.job.target.to_string(),
        ),
    }
}

/// Whether each operation gets its own time stamps.
pub fn stamps_each(choice: &EngineChoice, depth: u32, asynchronous: bool) -> bool {
    match choice.stamping {
        Stamping::Each => true,
        Stamping::Batch => !asynchronous,
        Stamping::Auto => depth < 8 || !asynchronous,
    }
}

/// Notes what small files the load will make, so that they are known again when the process is killed.
pub(super) fn note_small_files(assignments: &[Assignment<'_>]) -> Result<(), LoadError> {
    for assignment in assignments {
        let made = assignment.live_files.zip(SmallFiles::created(
            &assignment.job.workload,
            assignment.seed,
        ));
        if let Some((files, made)) = made {
            files.set().note(&made).map_err(|error| {
                LoadError(
                    Statement::new("small-files-cannot-be-noted").name("error", error.to_string()),
                )
            })?;
        }
    }
    Ok(())
}
