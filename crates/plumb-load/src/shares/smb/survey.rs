//! What is a server like before anything is measured on it? What it agrees to, demands and offers, how far away it is, and what protection costs here.

mod recycle_bin;

use std::time::{Duration, Instant};

use plumb_model::environment::Fact;
use plumb_model::target::remote::Remote;
use plumb_model::workload::EngineChoice;
use plumb_words::english;
use smb2::types::flags::{Capabilities, ShareCapabilities};

use crate::engine::stop_request::StopRequest;
use crate::secret::Secret;
use crate::share::ShareError;
use crate::shares::smb::answer::{OfferedInterface, interfaces};
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::RequestHead;
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::QUERY_INTERFACES;
use crate::shares::smb::login::key::random;
use crate::shares::smb::negotiate;
use crate::shares::smb::protect::nonces::Nonces;
use crate::shares::smb::protect::{Encryption, Sealer, Signer, Signing, TRANSFORM_BYTES};
use crate::shares::smb::session::{self, Access, Channel};
use crate::shares::smb::survey::recycle_bin::recycle_bin;
use crate::system::thread_account;

/// What a server takes longer for stays unknown.
const SURVEY_MAX: Duration = Duration::from_secs(20);
/// Round trips whose median is reported.
const ECHOES: usize = 20;
/// Bytes that the cost of protection is measured on, and how often; the least CPU time counts, for caches may be cold at first.
const COST_BYTES: usize = 1 << 20;
const COST_ROUNDS: usize = 9;

/// Facts of a server and share, by id.
///
/// # Errors
/// A share that cannot be opened: one sentence with the server's status.
pub fn survey(
    remote: &Remote,
    secret: Option<&Secret>,
    choice: &EngineChoice,
    stop: &StopRequest,
) -> Result<Vec<(String, Fact)>, ShareError> {
    let access = Access {
        remote: remote.clone(),
        secret: secret.cloned(),
        choice: choice.clone(),
        stop: stop.clone(),
    };
    let explain = |fault: Fault| fault.on_opening(remote);
    // Why a fact is not known is English, as in all facts.
    let unknown = |fault: Fault| match fault {
        Fault::Stopped(_) => Err(explain(fault)),
        fault => Ok(Fact::Unknown(english(&fault.statement()))),
    };
    let fact = |result: SmbResult<Fact>| result.or_else(unknown);
    let mut channel = session::open(&access, None).map_err(explain)?;
    let mut facts = agreed(&channel);
    channel.connection.within(SURVEY_MAX);
    facts.push((
        "smb.round_trip_us",
        fact(round_trip_us(&mut channel.connection).map(Fact::Number))?,
    ));
    facts.push((
        "smb.credits",
        Fact::Number(f64::from(channel.connection.credits())),
    ));
    match offered(&mut channel.connection) {
        Ok(found) => facts.extend(described(&found)),
        Err(fault) => facts.push(("smb.interfaces", unknown(fault)?)),
    }
    let bin =
        recycle_bin(&mut channel.connection).map(|name| Fact::Text(name.unwrap_or("none").into()));
    facts.push(("smb.recycle_bin", fact(bin)?));
    facts.push((
        "smb.compression",
        fact(compression(&access).map(Fact::Text))?,
    ));
    facts.extend(costs(&channel).map_err(explain)?);
    Ok(facts
        .into_iter()
        .map(|(id, fact)| (id.to_string(), fact))
        .collect())
}

fn agreed(channel: &Channel) -> Vec<(&'static str, Fact)> {
    let Channel {
        agreed,
        steps,
        share,
        ..
    } = channel;
    let sealed = channel.connection.sealer.is_some();
    // Encrypted messages carry no signature beside (MS-SMB2 3.1.4.3).
    let signed = channel.connection.signs && channel.connection.signer.is_some() && !sealed;
    let us = |duration: std::time::Duration| Fact::Number(duration.as_nanos() as f64 / 1000.0);
    vec![
        ("smb.address", Fact::Text(channel.address.to_string())),
        ("smb.dialect", Fact::Text(agreed.dialect_name().into())),
        ("smb.server_guid", Fact::Text(agreed.server_guid.clone())),
        (
            "smb.authentication",
            Fact::Text(channel.authentication.clone()),
        ),
        ("smb.signing_demanded", Fact::Flag(agreed.demands_signing)),
        (
            "smb.signing",
            Fact::Text(protection(agreed.signing.name(), signed)),
        ),
        (
            "smb.encryption_demanded",
            Fact::Flag(channel.demands_encryption),
        ),
        (
            "smb.encryption",
            Fact::Text(
                agreed
                    .encryption
                    .map_or_else(|| "none".into(), |way| protection(way.name(), sealed)),
            ),
        ),
        ("smb.multichannel", Fact::Flag(agreed.can_bind())),
        ("smb.leasing", Fact::Flag(agreed.can(Capabilities::LEASING))),
        ("smb.dfs", Fact::Flag(agreed.can(Capabilities::DFS))),
        (
            "smb.continuously_available",
            Fact::Flag(share.capabilities & ShareCapabilities::CONTINUOUS_AVAILABILITY != 0),
        ),
        (
            "smb.read_max_bytes",
            Fact::Number(f64::from(agreed.read_max_bytes)),
        ),
        (
            "smb.write_max_bytes",
            Fact::Number(f64::from(agreed.write_max_bytes)),
        ),
        (
            "smb.transact_max_bytes",
            Fact::Number(f64::from(agreed.transact_max_bytes)),
        ),
        ("smb.resolution_us", us(steps.resolve)),
        ("smb.tcp_connect_us", us(steps.connect)),
        ("smb.session_set_up_us", us(steps.negotiate + steps.set_up)),
    ]
}

/// What is agreed on, and whether messages are protected by it.
fn protection(algorithm: &str, in_force: bool) -> String {
    format!(
        "{algorithm} ({})",
        if in_force {
            "in force"
        } else {
            "offered, not in force"
        }
    )
}

fn round_trip_us(connection: &mut Connection) -> SmbResult<f64> {
    let mut times = Vec::with_capacity(ECHOES);
    for _ in 0..ECHOES {
        let begun = Instant::now();
        connection.begin(RequestHead::plain(Command::Echo)).empty();
        connection.reply()?.success(Command::Echo)?;
        times.push(begun.elapsed().as_nanos() as f64 / 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[ECHOES / 2 - 1] + times[ECHOES / 2]) / 2.0)
}

/// What the server offers for further connections.
///
/// # Errors
/// A server that does not report it.
pub fn offered(connection: &mut Connection) -> SmbResult<Vec<OfferedInterface>> {
    const ANSWER_BYTES: u32 = 64 << 10;
    connection
        .begin(RequestHead {
            bytes: ANSWER_BYTES,
            ..RequestHead::plain(Command::Ioctl)
        })
        .ioctl(QUERY_INTERFACES, &[], ANSWER_BYTES);
    let reply = connection.reply()?.success(Command::Ioctl)?;
    interfaces(reply.body())
}

/// Each address with its interface's properties, in one line.
pub fn described_interfaces(found: &[OfferedInterface]) -> String {
    let each = found.iter().map(|interface| {
        let speed = plumb_words::numbers::show_bit_rate(interface.speed_bits_per_s as f64);
        let rss = if interface.is_rss { ", RSS" } else { "" };
        let rdma = if interface.is_rdma { ", RDMA" } else { "" };
        format!("{} ({speed}{rss}{rdma})", interface.address)
    });
    if found.is_empty() {
        "none".into()
    } else {
        each.collect::<Vec<_>>().join(", ")
    }
}

fn described(found: &[OfferedInterface]) -> Vec<(&'static str, Fact)> {
    let count = |has: fn(&OfferedInterface) -> bool| {
        Fact::Number(found.iter().filter(|interface| has(interface)).count() as f64)
    };
    let mut facts = vec![
        ("smb.interfaces", Fact::Text(described_interfaces(found))),
        ("smb.interfaces_rss", count(|interface| interface.is_rss)),
        ("smb.interfaces_rdma", count(|interface| interface.is_rdma)),
    ];
    if let Some(speed) = found
        .iter()
        .map(|interface| interface.speed_bits_per_s)
        .max()
    {
        facts.push((
            "smb.interface_speed_max_bits_per_s",
            Fact::Number(speed as f64),
        ));
    }
    facts
}

/// What the server can compress with. Asked on a connection of its own, so that nothing is compressed where something is measured.
fn compression(access: &Access) -> SmbResult<String> {
    let (socket, _) = session::dial::dial(access, None)?;
    let mut connection = Connection::new(socket)?;
    connection.set_stop(&access.stop);
    let (agreed, _) = negotiate::negotiate(&mut connection, &access.choice, random()?, true)?;
    Ok(if agreed.compression.is_empty() {
        "none".into()
    } else {
        agreed.compression.join(", ")
    })
}

/// What protection costs on this machine: the work is the same on the server.
fn costs(channel: &Channel) -> SmbResult<Vec<(&'static str, Fact)>> {
    let mut facts = vec![(
        "smb.signing_ns_per_mib",
        signing_ns(channel.agreed.signing)?,
    )];
    if let Some(way) = channel.agreed.encryption {
        facts.push(("smb.encryption_ns_per_mib", encryption_ns(way)?));
    }
    Ok(facts)
}

fn least_cpu_ns(mut act: impl FnMut() -> SmbResult<()>) -> SmbResult<Fact> {
    let mut best = f64::INFINITY;
    for _ in 0..COST_ROUNDS {
        let before = thread_account();
        act()?;
        if let Some((before, after)) = before.zip(thread_account()) {
            best = best.min(
                (after.user_ns + after.system_ns).saturating_sub(before.user_ns + before.system_ns)
                    as f64,
            );
        }
    }
    Ok(if best.is_finite() {
        Fact::Number(best * (1 << 20) as f64 / COST_BYTES as f64)
    } else {
        Fact::Unknown("this system does not report the CPU time of a thread".into())
    })
}

fn signing_ns(way: Signing) -> SmbResult<Fact> {
    let signer = Signer::new(way, &[7; 16])?;
    let message = vec![1; COST_BYTES];
    least_cpu_ns(|| {
        std::hint::black_box(signer.signature(false, &message, &[]));
        Ok(())
    })
}

fn encryption_ns(way: Encryption) -> SmbResult<Fact> {
    let key = vec![7; way.key_bits() as usize / 8];
    let mut sealer = Sealer::new(way, 1, &key, &key, Nonces::random()?)?;
    let mut frame = vec![0; TRANSFORM_BYTES + COST_BYTES];
    least_cpu_ns(|| sealer.seal(&mut frame, &[]))
}
