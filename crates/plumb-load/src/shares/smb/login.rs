//! Who logs in, and how is it proved? By NTLM, by a Kerberos ticket, or not at all.

pub(super) mod key;
pub(super) mod ntlm;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use smb2::auth::kerberos::ccache::load_ccache;
use smb2::auth::kerberos::{KerberosAuthenticator, KerberosCredentials};
use smb2::auth::spnego::parse_neg_token_resp;

use crate::secret::Secret;
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::login::key::Key;
use crate::shares::smb::login::ntlm::Ntlm;

/// A login in progress.
pub enum Login {
    Ntlm(Box<Ntlm>),
    Anonymous,
    Kerberos(Box<KerberosAuthenticator>),
}

/// A token of the server that cannot be read: what is wrong with it, by the library's words or ours.
fn broken(why: Statement) -> Fault {
    Fault::Garbage(Statement::new("smb-login-unreadable").part("why", why))
}

fn unreadable(error: smb2::Error) -> Fault {
    broken(Statement::verbatim(error.to_string()))
}

impl Login {
    /// The login for this address and password: NTLM with a password; without one a Kerberos ticket of the cache that KRB5CCNAME names;
    /// without a user an anonymous login.
    ///
    /// # Errors
    /// A ticket cache without a ticket for this server.
    pub fn new(remote: &Remote, secret: Option<&Secret>) -> SmbResult<Login> {
        let Some(user) = &remote.user else {
            return Ok(Login::Anonymous);
        };
        let domain = remote.domain.clone().unwrap_or_default();
        if secret.is_none() && std::env::var_os("KRB5CCNAME").is_some() {
            return kerberos(user, &domain, &remote.host);
        }
        let password = secret.cloned().unwrap_or_else(|| Secret::new(""));
        Ok(Login::Ntlm(Box::new(Ntlm::new(user, &domain, password))))
    }

    /// It proves who the user is, by a password or a ticket. Without either, a server may call him a guest as it likes.
    pub fn proves(&self) -> bool {
        match self {
            Login::Ntlm(ntlm) => ntlm.has_password(),
            Login::Anonymous => false,
            Login::Kerberos(_) => true,
        }
    }

    /// As the record calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Login::Ntlm(_) => "NTLMv2",
            Login::Anonymous => "anonymous",
            Login::Kerberos(_) => "Kerberos",
        }
    }

    /// The first token.
    ///
    /// # Errors
    /// A Kerberos login without a token.
    pub fn begin(&mut self) -> SmbResult<Vec<u8>> {
        match self {
            // Bare, not in SPNEGO: every server takes it so (MS-SMB2 3.3.5.5.3 leaves it to GSS), and no proof over the list of ways is exchanged.
            Login::Ntlm(ntlm) => Ok(ntlm.greeting().to_vec()),
            Login::Anonymous => Ok(anonymous_negotiate()),
            Login::Kerberos(kerberos) => kerberos
                .token()
                .map(<[u8]>::to_vec)
                .ok_or_else(|| broken(Statement::new("smb-no-ticket"))),
        }
    }

    /// The next token, after the server's.
    ///
    /// # Errors
    /// A token of the server that cannot be read.
    pub fn go_on(&mut self, token: &[u8]) -> SmbResult<Vec<u8>> {
        match self {
            Login::Ntlm(ntlm) => ntlm.prove(token),
            Login::Anonymous => Ok(anonymous_authenticate()),
            Login::Kerberos(_) => Err(broken(Statement::new("smb-more-than-a-ticket"))),
        }
    }

    /// The session key, when all is proved; `None` for an anonymous login. `token` came with the success.
    ///
    /// # Errors
    /// A token of the server that cannot be read.
    pub fn session_key(&mut self, token: &[u8]) -> SmbResult<Option<Key>> {
        match self {
            Login::Ntlm(ntlm) => Ok(ntlm.session_key().cloned()),
            Login::Anonymous => Ok(None),
            Login::Kerberos(kerberos) => {
                let response = parse_neg_token_resp(token).map_err(unreadable)?;
                if let Some(mutual) = response.response_token.filter(|token| !token.is_empty()) {
                    kerberos
                        .process_mutual_auth_token(&mutual)
                        .map_err(unreadable)?;
                }
                Ok(kerberos.session_key().map(|key| Key::new(key.to_vec())))
            }
        }
    }
}

/// A login by the ticket for this server that lies in the cache. Getting one is what `kinit` and `kvno` are there for.
fn kerberos(user: &str, domain: &str, host: &str) -> SmbResult<Login> {
    let unfit = |why: Statement| Fault::Unfit {
        what: Statement::new("smb-ticket-cache-unusable").part("why", why),
        remedy: Statement::new("smb-get-a-ticket").name("host", host),
    };
    let of_library = |error: smb2::Error| unfit(Statement::verbatim(error.to_string()));
    let cache = load_ccache(None).map_err(of_library)?;
    let realm = if domain.is_empty() {
        cache.default_principal.realm.clone()
    } else {
        domain.to_uppercase()
    };
    if cache.find_service_ticket("cifs", host, &realm).is_none() {
        return Err(unfit(
            Statement::new("smb-no-ticket-for").name("service", format!("cifs/{host}@{realm}")),
        ));
    }
    let credentials = KerberosCredentials {
        username: user.into(),
        password: String::new(),
        realm,
        kdc_address: String::new(),
    };
    let mut authenticator = KerberosAuthenticator::new(credentials);
    // With the ticket in the cache nothing is waited for: the first poll ends it.
    let done = {
        let mut task = std::pin::pin!(authenticator.authenticate_from_ccache(&cache, host));
        task.as_mut()
            .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
    };
    match done {
        std::task::Poll::Ready(Ok(())) => Ok(Login::Kerberos(Box::new(authenticator))),
        std::task::Poll::Ready(Err(error)) => Err(of_library(error)),
        std::task::Poll::Pending => Err(unfit(Statement::new("smb-ticket-not-there"))),
    }
}

/// Unicode, NTLM, always sign, extended session security, 128 and 56 bits (MS-NLMP 2.2.2.5).
const ANONYMOUS_FLAGS: u32 = 0xA008_8201;

/// NEGOTIATE_MESSAGE (MS-NLMP 2.2.1.1).
fn anonymous_negotiate() -> Vec<u8> {
    let mut token = b"NTLMSSP\0\x01\0\0\0".to_vec();
    token.extend_from_slice(&ANONYMOUS_FLAGS.to_le_bytes());
    token.resize(32, 0);
    token
}

/// AUTHENTICATE_MESSAGE (MS-NLMP 2.2.1.3) of nobody: no user, no response but one zero byte (3.2.5.1.2).
fn anonymous_authenticate() -> Vec<u8> {
    const ANONYMOUS: u32 = 0x800;
    const FIXED_BYTES: u32 = 72;
    let mut token = b"NTLMSSP\0\x03\0\0\0".to_vec();
    for len in [1u16, 0, 0, 0, 0, 0] {
        token.extend_from_slice(&len.to_le_bytes());
        token.extend_from_slice(&len.to_le_bytes());
        token.extend_from_slice(&(FIXED_BYTES + u32::from(len == 0)).to_le_bytes());
    }
    token.extend_from_slice(&(ANONYMOUS_FLAGS | ANONYMOUS).to_le_bytes());
    token.resize(FIXED_BYTES as usize + 1, 0);
    token
}
