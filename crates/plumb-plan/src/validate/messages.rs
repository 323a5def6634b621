//! Can messages be exchanged with this target, and does the peer support the request?

use plumb_model::target::remote::{Remote, Scheme};
use plumb_model::workload::{Job, OperationKind, PingPongBy};

use super::nowhere::is_nowhere;
use super::rule::{Group, has, rule};

/// The first kind of operation that is a message.
fn message(job: &Job) -> Option<OperationKind> {
    let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| *kind);
    kinds.find(|kind| kind.is_message())
}

/// The peer, if it is not a share.
fn peer(job: &Job) -> Option<&Remote> {
    job.target
        .remote()
        .filter(|remote| !remote.scheme.is_share())
}

/// Messages need a peer that answers them.
pub(super) const OF_MESSAGES: Group = Group {
    concerns: |job| message(job).is_some(),
    rules: &[
        rule("target", |job| {
            let message = message(job).filter(|_| peer(job).is_none() && !is_nowhere(job))?;
            Some(format!(
                "{message} needs a network peer, and {} is not one; use tcp://host, udp://host, iperf3://host or rdma://host",
                job.target
            ))
        }),
        rule("mix", |job| {
            let mix = &job.workload.mix;
            mix.0.iter().any(|(kind, _)| !kind.is_message()).then(|| {
                format!("the mix {mix} has messages and other operations, which no target supports together; use two jobs")
            })
        }),
        rule("mix", |job| {
            let echo = OperationKind::PingPong;
            let silent = peer(job).filter(|peer| !peer.scheme.operations().contains(&echo));
            (has(job, echo) && silent.is_some()).then(|| {
                "iperf3 servers only stream and do not reply; use send or receive, or start 'plumb serve-net --listen any' there and use tcp://host".into()
            })
        }),
    ],
};

/// The address of a job over UDP is its own when it receives, and the other end's when it sends.
pub(super) const OF_DATAGRAMS: Group = Group {
    concerns: |job| peer(job).is_some_and(|peer| peer.scheme == Scheme::Udp),
    rules: &[
        rule("mix", |job| {
            let mix = &job.workload.mix;
            (mix.0.len() > 1).then(|| {
                format!("over UDP a job receives at its own address, or sends to another one, and the mix {mix} has several kinds of messages; use one job for each")
            })
        }),
        rule("answer", |job| {
            (job.engine.answer && !has(job, OperationKind::Receive)).then(|| {
                "answer is for a job that receives; remove it, or use mix = receive".into()
            })
        }),
    ],
};

/// Peers store nothing: no blocks, no files, nothing to verify.
pub(super) const OF_PEERS: Group = Group {
    concerns: |job| peer(job).is_some(),
    rules: &[
        rule("mix", |job| {
            let (peer, mix) = (peer(job)?, &job.workload.mix);
            let scheme = peer.scheme;
            let mut kinds = mix.0.iter().map(|(kind, _)| *kind);
            let other =
                kinds.find(|kind| !kind.is_message() && !scheme.operations().contains(kind))?;
            let does = one_of(scheme.operations());
            Some(format!(
                "{peer} is a peer without files and does not support {other}; use mix = {does}, or a share, a directory or a device"
            ))
        }),
        rule("verify", |job| {
            let peer = peer(job).filter(|peer| !peer.scheme.is(|of| of.lends_memory))?;
            job.workload.verify.then(|| {
                format!("nothing is stored at {peer}, so nothing can be verified; remove verify")
            })
        }),
    ],
};

/// To poll the last byte of a message its position must be known, and only one message can be in flight.
pub(super) const OF_PING_PONGS_BY_WRITES: Group = Group {
    concerns: |job| {
        job.engine.ping_pong_by == PingPongBy::Write && has(job, OperationKind::PingPong)
    },
    rules: &[
        rule("ping-pong-by", |job| {
            let remote = job.target.remote();
            remote.filter(|remote| !remote.scheme.is(|of| of.lends_memory))?;
            Some(format!(
                "ping-pong-by = write writes to the memory of a peer, which {} does not allow; remove it, or use rdma://host",
                job.target
            ))
        }),
        rule("depth", |job| {
            let depth = job.workload.depth;
            (depth > 1).then(|| {
                format!(
                    "with ping-pong-by = write one message is in flight at a time, but depth = {depth}; use depth = 1, or ping-pong-by = send"
                )
            })
        }),
        rule("block", |job| {
            let block = &job.workload.block;
            job.workload.only_block().is_none().then(|| {
                format!(
                    "ping-pong-by = write polls the last byte of messages of one size, but block = {block}; use one size, or ping-pong-by = send"
                )
            })
        }),
    ],
};

/// `send, receive or ping-pong`.
fn one_of(kinds: &[OperationKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_string(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
