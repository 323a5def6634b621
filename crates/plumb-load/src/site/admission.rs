//! What does a site need to open its target? The permission to overwrite, and for a share the login.

use plumb_model::workload::EngineChoice;

use crate::engine::stop_request::StopRequest;
use crate::secret::Secrets;
use crate::site::permission::Overwrite;

/// What a target is opened with.
#[derive(Debug, Clone, Default)]
pub struct Admission {
    pub overwrite: Overwrite,
    /// Not used for local targets.
    pub login: ShareLogin,
}

impl From<Overwrite> for Admission {
    fn from(overwrite: Overwrite) -> Admission {
        let login = ShareLogin::default();
        Admission { overwrite, login }
    }
}

/// How a share is connected to before the run: passwords, protocol options, and when to give up.
#[derive(Debug, Clone, Default)]
pub struct ShareLogin {
    pub secrets: Secrets,
    /// Dialect, signing, encryption and other options of the protocol.
    pub choice: EngineChoice,
    /// Ends the wait for a server that does not answer.
    pub stop: StopRequest,
}

impl From<Secrets> for ShareLogin {
    fn from(secrets: Secrets) -> ShareLogin {
        ShareLogin {
            secrets,
            ..ShareLogin::default()
        }
    }
}
