//! What is an object store like before anything is measured on it? Where it is, how far away, and which settings of the bucket change what a run does and leaves.

use std::time::{Duration, Instant};

use plumb_model::environment::Fact;
use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::EngineChoice;
use plumb_words::english;

use super::bucket::within;
use super::client::Client;
use super::connection::Sink;
use super::fault::{Fault, clock_ahead_s};
use super::request::Request;
use super::service::Service;
use super::xml;
use crate::engine::stop_request::StopRequest;
use crate::share::ShareError;

/// Round trips whose median is reported.
const ROUND_TRIPS: usize = 20;
/// What a server takes longer for stays unknown.
const SURVEY_MAX: Duration = Duration::from_secs(20);
/// Placeholder for none.
const NONE: &str = "none";

/// Facts of a server and bucket, by id.
///
/// # Errors
/// A server that cannot be reached, or a bucket that cannot be used: one sentence with what to do.
pub fn survey(
    remote: &Remote,
    choice: &EngineChoice,
    stop: &StopRequest,
) -> Result<Vec<(String, Fact)>, ShareError> {
    let begun = Instant::now();
    let service = Service::of(remote, choice, 0, stop)?;
    let resolution = begun.elapsed();
    let addresses: Vec<String> = service
        .addresses()
        .iter()
        .map(|address| address.ip().to_string())
        .collect();
    let settings = &service.settings;
    let addressing = if settings.path_style {
        "path"
    } else {
        "virtual"
    };
    let mut facts = vec![
        ("s3.endpoint", Fact::Text(settings.server())),
        ("s3.addresses", Fact::Text(addresses.join(", "))),
        ("s3.addressing", Fact::Text(addressing.into())),
        ("s3.region", Fact::Text(settings.region.clone())),
        ("s3.resolution_us", microseconds(resolution)),
        (
            "s3.credentials",
            Fact::Text(settings.credentials.origin.into()),
        ),
    ];
    if let Some(expires) = &settings.credentials.expires {
        facts.push(("s3.credentials_expire", Fact::Text(expires.clone())));
    }
    let mut store = Store {
        client: Client::new(service, stop),
        prefix: within(&remote.path),
        until: begun + SURVEY_MAX,
    };
    let tried = Statement::new("s3-tried-list").name("path", &remote.path);
    let reached = store.reached();
    facts.extend(reached.map_err(|fault| store.client.error(&fault, tried))?);
    let examined: [(&'static str, Examine); 6] = [
        ("s3.round_trip_us", Store::round_trip),
        ("s3.versioning", Store::versioning),
        ("s3.object_lock", Store::object_lock),
        ("s3.lifecycle", Store::lifecycle),
        ("s3.encryption", Store::encryption),
        ("s3.unfinished_uploads", Store::unfinished_uploads),
    ];
    for (id, examine) in examined {
        let fact = match Instant::now() < store.until {
            true => examine(&mut store),
            false => Ok(Fact::Unknown("the server took too long".into())),
        };
        facts.push((
            id,
            match fact {
                Ok(fact) => fact,
                Err(fault @ Fault::Stopped(_)) => {
                    let tried = Statement::new("s3-tried-list").name("path", &remote.path);
                    return Err(store.client.error(&fault, tried));
                }
                Err(Fault::Refused(refused)) => {
                    Fact::Unknown(format!("the server replied {}", refused.code))
                }
                Err(fault) => Fact::Unknown(english(&fault.reason())),
            },
        ));
    }
    Ok(facts
        .into_iter()
        .map(|(id, fact)| (id.to_string(), fact))
        .collect())
}

fn microseconds(time: Duration) -> Fact {
    Fact::Number(time.as_nanos() as f64 / 1e3)
}

/// Finds one fact.
type Examine = fn(&mut Store) -> Result<Fact, Fault>;

/// A bucket, and what the address names in it.
struct Store {
    client: Client,
    prefix: String,
    until: Instant,
}

impl Store {
    /// Lists a name by the first request of a connection: how it came to be, who the server is, and its clock.
    fn reached(&mut self) -> Result<Vec<(&'static str, Fact)>, Fault> {
        let query = [
            ("list-type", "2"),
            ("max-keys", "1"),
            ("prefix", &self.prefix),
        ];
        let request = Request {
            query: &query,
            ..Request::new("GET", "")
        };
        let sink = Sink::Memory(super::client::LIST_MAX);
        let connection = self.client.call(&request, None, &mut [], sink)?;
        let set_up = connection.set_up();
        let text = |text: Option<&str>| {
            let shown =
                text.map(|text| text.chars().filter(|c| !c.is_control()).take(200).collect());
            shown.map_or_else(not_reported, Fact::Text)
        };
        let time = |time: Option<Duration>| time.map_or_else(not_reported, microseconds);
        let mut facts = vec![
            ("s3.server", text(connection.header("server"))),
            ("s3.tcp_connect_us", time(set_up.connect)),
            (
                "s3.clock_ahead_s",
                clock_ahead_s(connection)
                    .map_or_else(not_reported, |ahead| Fact::Number(ahead as f64)),
            ),
        ];
        if let Some(region) = connection.header("x-amz-bucket-region") {
            facts.push(("s3.bucket_region", text(Some(region))));
        }
        if let Some(version) = connection.wire().tls_version() {
            let cipher = connection.wire().tls_cipher().unwrap_or("unknown cipher");
            facts.push(("s3.tls", Fact::Text(format!("{version}, {cipher}"))));
            facts.push(("s3.tls_handshake_us", time(set_up.tls)));
        } else {
            facts.push(("s3.tls", Fact::Text(NONE.into())));
        }
        Ok(facts)
    }

    fn round_trip(&mut self) -> Result<Fact, Fault> {
        let mut times = Vec::with_capacity(ROUND_TRIPS);
        while times.len() < ROUND_TRIPS && Instant::now() < self.until {
            let begun = Instant::now();
            self.client
                .call(&Request::new("HEAD", ""), None, &mut [], Sink::None)?;
            times.push(begun.elapsed());
        }
        times.sort();
        Ok(times
            .get(times.len() / 2)
            .copied()
            .map_or_else(not_reported, microseconds))
    }

    /// The settings of the bucket by this name; `None` where it has none.
    fn settings(&mut self, name: &str) -> Result<Option<Vec<(String, String)>>, Fault> {
        match self.client.document("", &[(name, Some(""))]) {
            Ok(document) => xml::settings(&document)
                .map(Some)
                .map_err(|_| super::client::malformed()),
            // ObjectLockConfigurationNotFoundError, NoSuchLifecycleConfiguration, ServerSideEncryptionConfigurationNotFoundError.
            Err(Fault::Refused(refused))
                if refused.status == 404 && refused.code != "NoSuchBucket" =>
            {
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    fn versioning(&mut self) -> Result<Fact, Fault> {
        let settings = self.settings("versioning")?.unwrap_or_default();
        let status = value(&settings, "Status").unwrap_or("never enabled");
        Ok(Fact::Text(status.to_lowercase()))
    }

    fn object_lock(&mut self) -> Result<Fact, Fault> {
        let settings = self.settings("object-lock")?.unwrap_or_default();
        if value(&settings, "ObjectLockEnabled") != Some("Enabled") {
            return Ok(Fact::Text(NONE.into()));
        }
        let retention = |name: &str| value(&settings, &format!("Rule/DefaultRetention/{name}"));
        let time = retention("Days").map(|days| format!("{days} days"));
        let time = time.or(retention("Years").map(|years| format!("{years} years")));
        Ok(Fact::Text(match (retention("Mode"), time) {
            (Some(mode), Some(time)) => format!("{}, {time}", mode.to_lowercase()),
            _ => "no default retention".into(),
        }))
    }

    fn lifecycle(&mut self) -> Result<Fact, Fault> {
        let settings = self.settings("lifecycle")?.unwrap_or_default();
        let enabled = settings
            .iter()
            .filter(|(path, value)| path == "Rule/Status" && value == "Enabled");
        Ok(Fact::Number(enabled.count() as f64))
    }

    fn encryption(&mut self) -> Result<Fact, Fault> {
        let settings = self.settings("encryption")?.unwrap_or_default();
        let algorithm = value(
            &settings,
            "Rule/ApplyServerSideEncryptionByDefault/SSEAlgorithm",
        );
        Ok(Fact::Text(algorithm.unwrap_or(NONE).into()))
    }

    fn unfinished_uploads(&mut self) -> Result<Fact, Fault> {
        let prefix = self.prefix.clone();
        let query = [("prefix", Some(prefix.as_str())), ("uploads", Some(""))];
        let document = self.client.document("", &query)?;
        let uploads = xml::uploads(&document).map_err(|_| super::client::malformed())?;
        let below = uploads.iter().filter(|(key, _)| key.starts_with(&prefix));
        Ok(Fact::Number(below.count() as f64))
    }
}

fn not_reported() -> Fact {
    Fact::Unknown("not reported by the server".into())
}

/// The text of an element that is there and not empty.
fn value<'a>(settings: &'a [(String, String)], path: &str) -> Option<&'a str> {
    let found = settings.iter().find(|(name, _)| name == path);
    found
        .map(|(_, value)| value.as_str())
        .filter(|value| !value.is_empty())
}
