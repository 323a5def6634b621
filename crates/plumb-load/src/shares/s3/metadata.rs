//! Which credentials does the machine offer its programs? Those of a container (ECS, EKS) or of an instance (EC2), from the addresses that the AWS SDKs know.

use std::net::{IpAddr, ToSocketAddrs};
use std::time::Duration;

use plumb_model::statement::Statement;
use serde_json::Value;

use super::connection::{Broken, Connection, Patience, Sink};
use super::endpoint::{Endpoint, parse_endpoint};
use super::signature::Credentials;
use super::wire::Wire;
use crate::engine::stop_request::LOOK;
use crate::secret::Secret;

/// Where the agent of a container responds.
const CONTAINER: &str = "http://169.254.170.2";
/// Where the metadata service of an instance responds.
const INSTANCE: &str = "http://169.254.169.254";
/// Hosts that a container's credentials may come from without TLS, as the SDKs have it: loopback, and the agents of ECS and EKS.
const AGENTS: [&str; 3] = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];
const ROLES: &str = "/latest/meta-data/iam/security-credentials/";
const REPLY_MAX: usize = 64 << 10;

/// A machine that is no instance has nobody at that address: it is not waited for.
const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(1),
    silence: Duration::from_secs(2),
    request: Duration::from_secs(5),
    bytes_per_s: 64 << 10,
};

/// A reply that is no success.
enum Failed {
    /// Nobody responds there.
    Unreachable(Broken),
    Status(u16),
    Malformed,
}

impl Failed {
    fn why(&self) -> Statement {
        match self {
            Failed::Unreachable(broken) => broken.why(),
            Failed::Status(status) => {
                Statement::new("s3-metadata-status").count("status", u64::from(*status))
            }
            Failed::Malformed => Statement::new("s3-metadata-malformed"),
        }
    }
}

/// The credentials that this machine offers; `None` where it offers none. `variable` gives a variable of the environment.
///
/// # Errors
/// It should, and does not.
pub fn find(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Credentials>, Statement> {
    if let Some(url) = container_url(variable)? {
        return of_container(&url, variable).map(Some);
    }
    let is_off = variable("AWS_EC2_METADATA_DISABLED")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    if is_off {
        return Ok(None);
    }
    let service = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    of_instance(&parse_endpoint(service.as_deref().unwrap_or(INSTANCE))?)
}

fn container_url(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<String>, Statement> {
    if let Some(path) = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
        return Ok(Some(format!("{CONTAINER}{path}")));
    }
    let Some(url) = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") else {
        return Ok(None);
    };
    let host = parse_endpoint(&url)?.host;
    let is_near = AGENTS.contains(&host.as_str())
        || host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback());
    match is_near && url.starts_with("http://") {
        true => Ok(Some(url)),
        false => Err(Statement::new("s3-metadata-is-far").name("url", url)),
    }
}

fn of_container(
    url: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Credentials, Statement> {
    let failed = |why: Statement| {
        Statement::new("s3-no-credentials-of-container")
            .name("url", url)
            .part("why", why)
    };
    let token = match variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        Some(file) => {
            let text = std::fs::read_to_string(&file).map_err(|error| {
                Statement::new("s3-file-is-unreadable")
                    .name("file", file)
                    .name("error", error.to_string())
            })?;
            Some(text)
        }
        None => variable("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
    };
    let token = token.map(|token| Secret::new(token.trim()));
    let header = token
        .as_ref()
        .map(|token| ("authorization", token.expose()));
    let endpoint = parse_endpoint(url)?;
    let reply = exchange(&endpoint, "GET", "", header).map_err(|fault| failed(fault.why()))?;
    parsed(&reply, "container").map_err(|fault| failed(fault.why()))
}

fn of_instance(service: &Endpoint) -> Result<Option<Credentials>, Statement> {
    let failed =
        |fault: Failed| Statement::new("s3-no-credentials-of-instance").part("why", fault.why());
    let ttl = Some(("x-aws-ec2-metadata-token-ttl-seconds", "21600"));
    let token = match exchange(service, "PUT", "/latest/api/token", ttl) {
        Ok(token) => Secret::new(String::from_utf8_lossy(&token).trim()),
        // Something else responds there, or nothing.
        Err(Failed::Unreachable(_) | Failed::Status(400..=499)) => return Ok(None),
        Err(fault) => return Err(failed(fault)),
    };
    let header = Some(("x-aws-ec2-metadata-token", token.expose()));
    let roles = match exchange(service, "GET", ROLES, header) {
        Ok(roles) => String::from_utf8_lossy(&roles).into_owned(),
        // The instance has no role.
        Err(Failed::Status(404)) => return Ok(None),
        Err(fault) => return Err(failed(fault)),
    };
    let Some(role) = roles
        .lines()
        .next()
        .map(str::trim)
        .filter(|role| !role.is_empty())
    else {
        return Ok(None);
    };
    let reply = exchange(service, "GET", &format!("{ROLES}{role}"), header).map_err(failed)?;
    parsed(&reply, "instance").map(Some).map_err(failed)
}

fn parsed(reply: &[u8], origin: &'static str) -> Result<Credentials, Failed> {
    let mut document: Value = serde_json::from_slice(reply).map_err(|_| Failed::Malformed)?;
    let mut text = |name: &str| match document.get_mut(name).map(Value::take) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(Failed::Malformed),
    };
    Ok(Credentials {
        key_id: text("AccessKeyId")?,
        secret: Secret::new(text("SecretAccessKey")?),
        token: Some(Secret::new(text("Token")?)),
        origin,
        expires: text("Expiration").ok(),
    })
}

/// One request on a connection of its own; returns the body of a success.
fn exchange(
    service: &Endpoint,
    method: &str,
    path: &str,
    header: Option<(&str, &str)>,
) -> Result<zeroize::Zeroizing<Vec<u8>>, Failed> {
    let unreachable =
        |error: std::io::Error| Failed::Unreachable(Broken::Io(error.kind(), error.to_string()));
    // A token with a line end would be two headers.
    let is_plain = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let is_clean = is_plain(path) && header.is_none_or(|(_, value)| is_plain(value));
    if !is_clean || path.contains(' ') {
        return Err(Failed::Malformed);
    }
    let mut addresses = (service.host.as_str(), service.port)
        .to_socket_addrs()
        .map_err(unreachable)?;
    let address = addresses
        .next()
        .ok_or_else(|| unreachable(std::io::ErrorKind::AddrNotAvailable.into()))?;
    let wire = Wire::begin(address, None).map_err(unreachable)?;
    let mut connection = Connection::new(wire, PATIENCE);
    let path = format!("{}{path}", service.base);
    let path = if path.is_empty() { "/" } else { &path };
    let head = connection.head();
    for part in [
        method,
        " ",
        path,
        " HTTP/1.1\r\nhost: ",
        &service.host,
        "\r\n",
    ] {
        head.extend_from_slice(part.as_bytes());
    }
    if let Some((name, value)) = header {
        for part in [name, ": ", value, "\r\n"] {
            head.extend_from_slice(part.as_bytes());
        }
    }
    head.extend_from_slice(b"content-length: 0\r\nuser-agent: plumb\r\nconnection: close\r\n\r\n");
    connection.begin(0, Sink::Memory(REPLY_MAX));
    while !connection.advance(&mut []).map_err(Failed::Unreachable)? {
        connection.wait(LOOK).map_err(Failed::Unreachable)?;
    }
    let body = zeroize::Zeroizing::new(connection.body().to_vec());
    let status = connection.status();
    connection.wipe();
    match status {
        200 => Ok(body),
        status => Err(Failed::Status(status)),
    }
}
