//! How does a context of RPCSEC_GSS come about on a connection (RFC 2203, 5.2)? By a ticket, and one call of the procedure NULL.

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::NfsSecurity;

use super::context::Context;
use super::tokens::Tokens;
use super::{Service, ap_exchange, ticket};
use crate::share::{ShareError, ShareErrorKind};
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::connection::{Connection, Proof};
use crate::shares::nfs::exchange::exchange;
use crate::shares::nfs::message::Protocol;
use crate::shares::nfs::results::Failure;
use crate::shares::nfs::xdr::Reader;

/// Why there is no context.
#[derive(Debug)]
pub enum NotProved {
    /// There is no ticket, or the server does not take it.
    Refused(Statement),
    /// The server did not come to it.
    Failed(Failure),
}

impl From<Statement> for NotProved {
    fn from(why: Statement) -> NotProved {
        NotProved::Refused(why)
    }
}

impl NotProved {
    /// As during preparation of a share.
    pub fn or_error(self, remote: &Remote, or: impl FnOnce(Failure) -> ShareError) -> ShareError {
        match self {
            NotProved::Refused(why) => ShareError {
                kind: ShareErrorKind::Denied,
                why: Statement::new("nfs-unreachable")
                    .name("target", remote.to_string())
                    .part("what", why),
            },
            NotProved::Failed(failure) => or(failure),
        }
    }
}

/// Why there is no ticket for a server; `None`: there is one.
pub fn lacks(remote: &Remote) -> Option<Statement> {
    ticket::find(&remote.host).err()
}

/// Authenticates the user on an idle connection if `security` requires Kerberos; returns the principal as `klist` prints it.
///
/// # Errors
/// There is no ticket, the server does not take it, or does not prove itself.
pub fn log_in(
    connection: &mut Connection,
    blocks: &mut Blocks,
    remote: &Remote,
    security: NfsSecurity,
) -> Result<Option<String>, NotProved> {
    let Some(service) = Service::of(security) else {
        return Ok(None);
    };
    let held = ticket::find(&remote.host)?;
    let request = ap_exchange::begin(&held)?;
    let after = connection.protocol();
    // NULL of the program and version in use: not a COMPOUND, in NFS 4 too.
    let (program, version) = after.program();
    connection.speak(Protocol::Procedures { program, version });
    connection.prove(Proof::Beginning(service));
    let answered = exchange(
        connection,
        blocks,
        |call| {
            call.procedure(0);
            call.opaque(&request.token);
        },
        |connection, answer| {
            let verifier = connection.first_verifier().to_vec();
            Ok((begun(&mut connection.reply(answer)?)?, verifier))
        },
    );
    let (begun, verifier) = answered.map_err(NotProved::Failed)?;
    let tokens = begun.tokens(&request, &verifier, &remote.host)?;
    let context = Context::new(begun.handle, service, begun.window, tokens);
    connection.prove(Proof::Context(Box::new(context)));
    connection.speak(after);
    Ok(Some(held.principal()))
}

/// `rpc_gss_init_res` (5.2.3.1).
struct Begun {
    handle: Vec<u8>,
    major: u32,
    minor: u32,
    window: u32,
    token: Vec<u8>,
}

fn begun(reader: &mut Reader<'_>) -> Result<Begun, Failure> {
    let handle = reader.opaque()?.to_vec();
    let (major, minor, window) = (reader.u32()?, reader.u32()?, reader.u32()?);
    let token = reader.opaque()?.to_vec();
    Ok(Begun {
        handle,
        major,
        minor,
        window,
        token,
    })
}

impl Begun {
    /// The keys, when the server takes the ticket and proves itself.
    fn tokens(
        &self,
        request: &ap_exchange::ApRequest,
        verifier: &[u8],
        host: &str,
    ) -> Result<Tokens, NotProved> {
        /// GSS_S_COMPLETE (RFC 2744, 3.9.1): Kerberos needs one exchange.
        const COMPLETE: u32 = 0;
        if self.major != COMPLETE {
            let mut why = Statement::new("nfs-gss-not-taken")
                .name("major", format!("{:#010x}", self.major))
                .name("minor", self.minor.to_string())
                .name("host", host);
            if let Some(error) = ap_exchange::refusal(&self.token) {
                why = Statement::new("nfs-gss-not-taken-by-kerberos")
                    .part("error", error)
                    .name("host", host);
            }
            return Err(why.into());
        }
        let tokens = request.agreed(&self.token)?;
        // The window is signed by the new key (5.2.3.1), which proves the server a second time.
        if tokens.check(&self.window.to_be_bytes(), verifier).is_err() {
            return Err(Statement::new("nfs-gss-server-not-proved").into());
        }
        Ok(tokens)
    }
}
