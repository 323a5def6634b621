//! How is a server reached? By the addresses of its name in turn, with TLS where the endpoint is https.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::EngineChoice;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

use super::connection::{Broken, Connection, Patience};
use super::request::Heads;
use super::settings::{Settings, of_system};
use super::tls;
use super::wire::Wire;
use crate::engine::stop_request::StopRequest;
use crate::share::{ShareError, ShareErrorKind};

/// A server, and how requests to it are signed.
pub struct Service {
    pub settings: Settings,
    pub heads: Heads,
    pub patience: Patience,
    target: String,
    addresses: Vec<SocketAddr>,
    /// The address of the next connection.
    next: usize,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

impl Service {
    /// Settles how a worker reaches the bucket of this address, and looks its server up.
    ///
    /// # Errors
    /// What is missing or wrong, and what to do.
    pub fn of(
        remote: &Remote,
        choice: &EngineChoice,
        worker: u32,
        stop: &StopRequest,
    ) -> Result<Service, ShareError> {
        let unusable = |why: Statement| ShareError {
            kind: ShareErrorKind::Other,
            why: Statement::new("s3-unusable")
                .name("target", remote.to_string())
                .part("what", why),
        };
        let settings = of_system(remote, choice, worker).map_err(unusable)?;
        Service::with(remote, settings, stop)
    }

    /// The same with settings that are known.
    ///
    /// # Errors
    /// As [`Service::of`].
    pub fn with(
        remote: &Remote,
        settings: Settings,
        stop: &StopRequest,
    ) -> Result<Service, ShareError> {
        let error = |kind: ShareErrorKind, why: Statement| ShareError {
            kind,
            why: Statement::new("s3-unusable")
                .name("target", remote.to_string())
                .part("what", why),
        };
        let host = settings.host();
        let tls = match settings.endpoint.is_https {
            true => {
                let name = ServerName::try_from(host.clone()).map_err(|_| {
                    let why = Statement::new("s3-endpoint-is-malformed")
                        .name("endpoint", settings.server());
                    error(ShareErrorKind::Other, why)
                })?;
                let configuration =
                    tls::configuration().map_err(|why| error(ShareErrorKind::Other, why))?;
                Some((configuration, name))
            }
            false => None,
        };
        let unreachable = |why: Statement| error(ShareErrorKind::Unreachable, why);
        let not_resolved = |reason: String| {
            unreachable(
                Statement::new("s3-name-is-not-resolved")
                    .name("host", &host)
                    .name("error", reason),
            )
        };
        let (named, port) = (host.clone(), settings.endpoint.port);
        let look_up = move || {
            (named.as_str(), port)
                .to_socket_addrs()
                .map(Iterator::collect::<Vec<_>>)
        };
        // The system's call that looks names up cannot be ended.
        let addresses = match stop.unless_made("plumb-s3-name", look_up) {
            Ok(Ok(found)) => found.map_err(|error| not_resolved(error.to_string()))?,
            Ok(Err(waited)) => {
                let time = waited.as_nanos() as f64;
                let why = Statement::new("s3-no-answer-after-stop").time_ns("time", time);
                return Err(unreachable(why));
            }
            Err(error) => return Err(not_resolved(error.to_string())),
        };
        if addresses.is_empty() {
            return Err(not_resolved("no address".into()));
        }
        Ok(Service {
            heads: Heads::new(&settings),
            settings,
            patience: Patience::default(),
            target: remote.to_string(),
            addresses,
            next: 0,
            tls,
        })
    }

    /// Connections of different workers begin with different addresses.
    pub fn begin_with(&mut self, number: u32) {
        self.next = number as usize;
    }

    /// All addresses of the server.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The target, for messages.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Begins to connect to the next address.
    ///
    /// # Errors
    /// Of the system.
    pub fn dial(&mut self) -> Result<Connection, Broken> {
        let address = self.addresses[self.next % self.addresses.len()];
        self.next = self.next.wrapping_add(1);
        let tls = self.tls.as_ref();
        let wire = Wire::begin(
            address,
            tls.map(|(configuration, name)| (configuration, name)),
        );
        wire.map(|wire| Connection::new(wire, self.patience))
            .map_err(|error| Broken::Io(error.kind(), error.to_string()))
    }
}
