//! What is an NFS server like before anything is measured on it? Its versions, exports and limits, how users prove themselves, and how far away it is.

use std::time::Instant;

use plumb_model::environment::Fact;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{EngineChoice, NfsVersion};
use plumb_words::english;

use super::client::{Client, Wanted, unique_name};
use super::results::Failure;
use crate::engine::stop_request::StopRequest;
use crate::share::ShareError;

/// Round trips of which the median is told.
const ROUND_TRIPS: usize = 20;
/// Names of exports that are told.
const EXPORTS_MAX: usize = 50;

/// Facts of a server and export, by id.
///
/// # Errors
/// A server that cannot be reached, or an export that cannot be used: one sentence with the server's status.
pub fn survey(
    remote: &Remote,
    choice: &EngineChoice,
    stop: &StopRequest,
) -> Result<Vec<(String, Fact)>, ShareError> {
    let wanted = Wanted::of(choice, stop);
    let mut client = Client::connect(remote, wanted.clone(), &unique_name())?;
    client.enter_export()?;
    let limits = client.limits();
    let version = client.version();
    let number = |number: u32| Fact::Number(f64::from(number));
    let none = || Fact::Unknown(format!("NFS {version} has none"));
    let slots = if version.has_sessions() {
        number(limits.slots)
    } else {
        none()
    };
    let lease = match limits.lease_s {
        Some(seconds) => number(seconds),
        None if version == NfsVersion::V3 => none(),
        None => Fact::Unknown("the server does not tell it".into()),
    };
    let source_port = if client.has_privileged_port() {
        "privileged"
    } else {
        "unprivileged"
    };
    let mut facts = vec![
        ("nfs.dialect", Fact::Text(format!("NFS {version}"))),
        ("nfs.user", number(client.user())),
        ("nfs.source_port", Fact::Text(source_port.into())),
        ("nfs.read_max_bytes", number(limits.read_max_bytes)),
        ("nfs.write_max_bytes", number(limits.write_max_bytes)),
        ("nfs.session_slots", slots),
        ("nfs.lease_s", lease),
    ];
    if let Some(server) = client.server() {
        facts.push(("nfs.server", Fact::Text(server.to_string())));
    }
    let unknown = |failure: Failure| Fact::Unknown(said(failure));
    let exports = client.exports().map(|exports| listed(&exports));
    facts.push(("nfs.exports", exports.unwrap_or_else(unknown)));
    let security = client.flavors().map(|flavors| proofs(&flavors));
    facts.push(("nfs.security", security.unwrap_or_else(unknown)));
    let round_trip = round_trip_us(&mut client).map(Fact::Number);
    facts.push(("nfs.round_trip_us", round_trip.unwrap_or_else(unknown)));
    client.leave();
    facts.push(("nfs.versions", Fact::Text(versions(remote, &wanted))));
    Ok(facts
        .into_iter()
        .map(|(id, fact)| (id.to_string(), fact))
        .collect())
}

/// Those of plumb's versions that the server agrees to.
fn versions(remote: &Remote, wanted: &Wanted) -> String {
    let spoken = [
        NfsVersion::V42,
        NfsVersion::V41,
        NfsVersion::V40,
        NfsVersion::V3,
    ];
    let offered = spoken.into_iter().filter(|version| {
        let wanted = Wanted {
            version: *version,
            ..wanted.clone()
        };
        let client = Client::connect(remote, wanted, &unique_name());
        client.map(|mut client| client.leave()).is_ok()
    });
    let offered: Vec<String> = offered.map(|version| version.to_string()).collect();
    offered.join(", ")
}

fn listed(exports: &[String]) -> Fact {
    if exports.is_empty() {
        return Fact::Unknown("the server lists none".into());
    }
    let some: Vec<&str> = exports
        .iter()
        .take(EXPORTS_MAX)
        .map(String::as_str)
        .collect();
    let more = exports.len().saturating_sub(EXPORTS_MAX);
    let mut text = some.join(", ");
    if more > 0 {
        text += &format!(", and {more} more");
    }
    Fact::Text(text)
}

/// The names that exports(5) has for the numbers (RFC 5531, 8.2; RFC 2623, 2.4).
fn proofs(flavors: &[u32]) -> Fact {
    let name = |flavor: &u32| match flavor {
        0 => "none".to_string(),
        1 => "sys".to_string(),
        390_003 => "krb5".to_string(),
        390_004 => "krb5i".to_string(),
        390_005 => "krb5p".to_string(),
        other => format!("flavor {other}"),
    };
    if flavors.is_empty() {
        return Fact::Unknown("the server does not tell it".into());
    }
    let names: Vec<String> = flavors.iter().take(16).map(name).collect();
    Fact::Text(names.join(", "))
}

fn round_trip_us(client: &mut Client) -> Result<f64, Failure> {
    let mut times = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let begun = Instant::now();
        client.nothing()?;
        times.push(begun.elapsed().as_nanos() as f64 / 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[ROUND_TRIPS / 2 - 1] + times[ROUND_TRIPS / 2]) / 2.0)
}

/// Why a fact is not known, which is English in all facts.
fn said(failure: Failure) -> String {
    match failure {
        Failure::Status(status) => status.name(false),
        Failure::Connection(why) | Failure::NotSpoken(why) | Failure::Stopped(why) => english(&why),
    }
}
