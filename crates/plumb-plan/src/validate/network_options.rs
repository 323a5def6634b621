//! Is an option of the engines on the network given to a target that has it?

use plumb_model::target::remote::Scheme;
use plumb_model::workload::Job;

use super::rule::{Group, rule};

/// Protocols whose sockets plumb reads itself, by one client for all of them.
const HAVE_OPTIONS: [Scheme; 3] = [Scheme::Smb, Scheme::Nfs, Scheme::Tcp];

/// The target is reached by one of these protocols.
fn has_options(job: &Job) -> bool {
    let remote = job.target.remote();
    remote.is_some_and(|remote| HAVE_OPTIONS.contains(&remote.scheme))
}

pub(super) const OF_BUSY_POLL: Group = Group {
    concerns: |job| job.engine.busy_poll && !has_options(job),
    rules: &[rule("busy-poll", |job| {
        let instead = match job.target.remote() {
            Some(remote) if !remote.scheme.is(|of| of.lends_memory) => "leave it out",
            _ => "leave it out, or write iopoll = true for polling of completions",
        };
        Some(format!(
            "busy-poll is an option of smb://, nfs:// and tcp:// targets, not of {}: {instead}",
            job.target
        ))
    })],
};
