//! What is an NFS server like before anything is measured on it? Its versions, exports and limits, how users prove themselves, and how far away it is.

use std::time::Instant;

use plumb_model::environment::Fact;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{EngineChoice, NfsSecurity, NfsVersion};
use plumb_words::english;

use super::{Client, ConnectOptions, flavor_name, of_flavor, unique_name};
use crate::engine::stop_request::StopRequest;
use crate::share::ShareError;
use crate::shares::nfs::gss::Service;
use crate::shares::nfs::gss::log_in::lacks;
use crate::shares::nfs::results::Failure;

/// Round trips whose median is reported.
const ROUND_TRIPS: usize = 20;
/// Maximum export names reported.
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
    let options = ConnectOptions::of(choice, stop);
    let mut client = Client::connect(remote, options.clone(), &unique_name())?;
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
        None => Fact::Unknown("not reported by the server".into()),
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
    let unknown = |failure: Failure| Fact::Unknown(text_of(failure));
    let exports = client.exports().map(|exports| listed(&exports));
    facts.push(("nfs.exports", exports.unwrap_or_else(unknown)));
    let offered = client.flavors();
    let security = offered.clone().map(|flavors| proofs(&flavors));
    facts.push(("nfs.security", security.unwrap_or_else(unknown)));
    let others = offered.unwrap_or_default();
    let round_trip = round_trip_us(&mut client).map(Fact::Number);
    facts.push(("nfs.round_trip_us", round_trip.unwrap_or_else(unknown)));
    let mut logins = vec![client.identity()];
    let is_other = |security: &NfsSecurity| *security != client.security();
    let others: Vec<NfsSecurity> = others
        .iter()
        .filter_map(|flavor| of_flavor(*flavor))
        .filter(is_other)
        .collect();
    client.leave();
    logins.extend(tried(remote, &options, version, &others));
    facts.push(("nfs.login", Fact::Text(logins.join("; "))));
    facts.push(("nfs.versions", Fact::Text(versions(remote, &options))));
    Ok(facts
        .into_iter()
        .map(|(id, fact)| (id.to_string(), fact))
        .collect())
}

/// What became of a login by each kind of Kerberos that the export offers besides the one in use.
fn tried(
    remote: &Remote,
    options: &ConnectOptions,
    version: NfsVersion,
    others: &[NfsSecurity],
) -> Vec<String> {
    let kerberos = others.iter().filter(|other| Service::of(**other).is_some());
    let lacks = lacks(remote);
    kerberos
        .map(|security| {
            if let Some(why) = &lacks {
                return format!("{security}: {}", english(why));
            }
            let options = ConnectOptions {
                security: *security,
                version,
                ..options.clone()
            };
            let entered = Client::connect(remote, options, &unique_name())
                .and_then(|mut client| client.enter_export().map(|()| client));
            match entered {
                Ok(mut client) => {
                    client.leave();
                    client.identity()
                }
                Err(error) => format!("{security}: {}", english(&error.why)),
            }
        })
        .collect()
}

/// Those of plumb's versions that the server agrees to.
fn versions(remote: &Remote, options: &ConnectOptions) -> String {
    let known_versions = [
        NfsVersion::V42,
        NfsVersion::V41,
        NfsVersion::V40,
        NfsVersion::V3,
    ];
    let offered = known_versions.into_iter().filter(|version| {
        let options = ConnectOptions {
            version: *version,
            ..options.clone()
        };
        let client = Client::connect(remote, options, &unique_name());
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

fn proofs(flavors: &[u32]) -> Fact {
    if flavors.is_empty() {
        return Fact::Unknown("not reported by the server".into());
    }
    let names = flavors.iter().take(16).map(|flavor| flavor_name(*flavor));
    let names: Vec<String> = names.collect();
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
fn text_of(failure: Failure) -> String {
    match failure {
        Failure::Status(status) => status.name(false),
        Failure::Connection(why) | Failure::Unsupported(why) | Failure::Stopped(why) => {
            english(&why)
        }
    }
}
