//! How is a share reached? Connect, agree on a dialect, log in, and connect to the share; a further connection joins the session.

pub mod keys;

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use plumb_model::target::remote::Remote;
use plumb_model::workload::{EngineChoice, Protection};
use smb2::crypto::kdf::PreauthHasher;
use smb2::types::Dialect;

use crate::secret::Secret;
use crate::shares::smb::answer::{Fields, data, part};
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{Ask, Reply};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{FLAG_SIGNED, HEADER_BYTES};
use crate::shares::smb::login::Login;
use crate::shares::smb::login::key::random;
use crate::shares::smb::negotiate::{self, Agreed};
use crate::shares::smb::protect::Signer;
use crate::shares::smb::session::keys::{Session, signing_key};
use crate::shares::smb::status::Status;
use crate::shares::smb::validate;

/// A connection that takes longer does not come.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Rounds of a login; NTLM takes two.
const LOGIN_ROUNDS_MAX: usize = 8;

/// Where to go, as whom, and how. An owner of its own, so that a thread that connects again can have one.
#[derive(Debug, Clone)]
pub struct Access {
    pub remote: Remote,
    pub secret: Option<Secret>,
    pub choice: EngineChoice,
}

/// How long each step of the way took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Steps {
    pub resolve: Duration,
    pub connect: Duration,
    pub negotiate: Duration,
    /// Login and connection to the share.
    pub set_up: Duration,
}

/// A connection to a share, ready for requests.
pub struct Channel {
    pub connection: Connection,
    pub agreed: Agreed,
    pub address: SocketAddr,
    /// `NTLMv2`, `Kerberos`, `anonymous`, `NTLMv2, as guest`.
    pub authentication: String,
    /// It joined a session that was there.
    pub is_bound: bool,
    /// The server demands encryption for this share or session.
    pub demands_encryption: bool,
    /// Others may join; missing for a guest.
    pub session: Option<std::sync::Arc<Session>>,
    pub share: ShareTraits,
    pub steps: Steps,
}

/// What the server tells of a share (MS-SMB2 2.2.10).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShareTraits {
    pub flags: u32,
    pub capabilities: u32,
    pub maximal_access: u32,
}

/// SMB2_SHAREFLAG_ENCRYPT_DATA.
const SHARE_ENCRYPTS: u32 = 0x8000;

/// Connects to the server's port, at whichever of its addresses answers first.
///
/// # Errors
/// A name without an address, no listener, no answer.
pub fn dial(remote: &Remote) -> SmbResult<(TcpStream, Steps)> {
    let begun = Instant::now();
    let unresolved = |why: String| {
        Fault::Unresolved(format!(
            "the name '{}' cannot be resolved ({why})",
            remote.host
        ))
    };
    let addresses: Vec<SocketAddr> = (remote.host.as_str(), remote.port())
        .to_socket_addrs()
        .map_err(|error| unresolved(error.to_string()))?
        .collect();
    let mut steps = Steps {
        resolve: begun.elapsed(),
        ..Steps::default()
    };
    let mut refusal = unresolved("it has no address".into());
    for address in addresses {
        let begun = Instant::now();
        match TcpStream::connect_timeout(&address, CONNECT_MAX) {
            Ok(socket) => {
                steps.connect = begun.elapsed();
                return Ok((socket, steps));
            }
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                refusal = Fault::Lost(format!(
                    "{address} did not answer within {} s",
                    CONNECT_MAX.as_secs()
                ));
            }
            Err(error) => refusal = Fault::Lost(format!("no connection to {address} ({error})")),
        }
    }
    Err(refusal)
}

/// Opens a connection to the share of `access`; with `session`, as a further channel of it.
///
/// # Errors
/// No connection, a refusal of the server at any step, or protection that is asked for and cannot be had.
pub fn open(access: &Access, session: Option<&std::sync::Arc<Session>>) -> SmbResult<Channel> {
    let (socket, mut steps) = dial(&access.remote)?;
    let address = socket.peer_addr().map_err(|error| Fault::io(&error))?;
    let mut connection = Connection::new(socket)?;
    let client_guid = session.map_or_else(random, |session| Ok(session.client_guid))?;
    let begun = Instant::now();
    let (agreed, hasher) =
        negotiate::negotiate(&mut connection, &access.choice, client_guid, false)?;
    steps.negotiate = begun.elapsed();
    if session.is_some_and(|session| session.dialect != agreed.dialect) {
        return Err(Fault::Unfit(
            "the server agreed on another dialect than before".into(),
        ));
    }
    let begun = Instant::now();
    let mut channel = log_in(Entry {
        access,
        connection,
        agreed,
        address,
        session,
        hasher,
    })?;
    connect_share(&mut channel, access)?;
    steps.set_up = begun.elapsed();
    channel.steps = steps;
    Ok(channel)
}

/// What a login begins with.
struct Entry<'a> {
    access: &'a Access,
    connection: Connection,
    agreed: Agreed,
    address: SocketAddr,
    session: Option<&'a std::sync::Arc<Session>>,
    hasher: PreauthHasher,
}

fn log_in(entry: Entry<'_>) -> SmbResult<Channel> {
    let Entry {
        access,
        mut connection,
        agreed,
        address,
        session,
        mut hasher,
    } = entry;
    let mut login = Login::new(&access.remote, access.secret.as_ref())?;
    let must_sign = access.choice.signing == Protection::Yes || agreed.demands_signing;
    if let Some(session) = session {
        connection.session_id = session.id;
        connection.signer = Some(Signer::new(agreed.signing, session.signing_key.expose())?);
        connection.signs = true;
        if session.demands_encryption {
            connection.sealer = session.sealer(&agreed)?;
        }
    }
    let mut token = login.begin()?;
    let mut reply = None;
    for _ in 0..LOGIN_ROUNDS_MAX {
        connection
            .begin(Ask::plain(Command::SessionSetup))
            .session_setup(session.is_some(), must_sign, &token);
        connection.end_hashed(&mut hasher)?;
        // What answers a login is signed with a key that follows from it, if at all.
        connection.signs = false;
        let answer = connection
            .replies(&mut crate::shares::smb::connection::exchange::NoSlots)?
            .pop()
            .ok_or_else(|| Fault::garbage("no answer"))?;
        connection.session_id = answer.header.session_id;
        if answer.header.status != Status::MORE_PROCESSING_REQUIRED {
            reply = Some(answer.success(Command::SessionSetup)?);
            break;
        }
        hasher.update(&answer.message);
        token = login.go_on(token_of(&answer)?)?;
        connection.signs = session.is_some();
    }
    let reply = reply.ok_or_else(|| Fault::garbage("a login without end"))?;
    let flags = part("SESSION_SETUP", || Fields(reply.body()).u16(2))?;
    let is_nobody = flags & 3 != 0 || matches!(login, Login::Anonymous);
    if is_nobody && login.proves() && access.choice.signing != Protection::No {
        return Err(made_a_guest(&access.remote));
    }
    let key = login.session_key(token_of(&reply)?)?.filter(|_| !is_nobody);
    let authentication = if flags & 1 != 0 {
        format!("{}, as guest", login.name())
    } else {
        login.name().to_string()
    };
    let session = match (session, key) {
        (Some(session), Some(key)) => {
            // A further channel: its signing key follows from its own login and from what was said on this connection (MS-SMB2 3.2.5.3.3).
            connection.signer = Some(Signer::new(
                agreed.signing,
                signing_key(&agreed, &key, &hasher).expose(),
            )?);
            Some(session.clone())
        }
        (Some(_), None) => {
            return Err(Fault::Unfit(
                "a guest has no channels: leave channels at auto".into(),
            ));
        }
        (None, Some(key)) => {
            let session = Session::begin(
                connection.session_id,
                &key,
                flags & 4 != 0,
                &agreed,
                &hasher,
            )?;
            connection.signer = Some(Signer::new(agreed.signing, session.signing_key.expose())?);
            Some(std::sync::Arc::new(session))
        }
        (None, None) => None,
    };
    verify_login(&connection, &reply, &agreed)?;
    let demands_encryption = flags & 4 != 0
        || session
            .as_ref()
            .is_some_and(|session| session.demands_encryption);
    let is_bound = entry.session.is_some();
    let (share, steps) = (ShareTraits::default(), Steps::default());
    Ok(Channel {
        connection,
        agreed,
        address,
        authentication,
        is_bound,
        demands_encryption,
        session,
        share,
        steps,
    })
}

/// The token in an answer to SESSION_SETUP (MS-SMB2 2.2.6).
fn token_of(reply: &Reply) -> SmbResult<&[u8]> {
    let fields = Fields(reply.body());
    part("SESSION_SETUP", || {
        data(
            reply.body(),
            usize::from(fields.u16(4)?),
            usize::from(fields.u16(6)?),
        )
    })
}

/// A user who proved who he is has a key; who has none cannot see whether anything was changed on the way, this word of the server included.
fn made_a_guest(remote: &Remote) -> Fault {
    let user = remote.user.as_deref().unwrap_or("the user");
    Fault::Unfit(format!(
        "the server let {user} in only as a guest, whose messages cannot be signed, or someone on the way says so: name a user that the server \
         knows, leave out the user to come as nobody, or set signing to false if a guest is what you want"
    ))
}

/// The last answer of a login proves that the server knows the password too; from 3.1.1 on also that nobody changed what was agreed (MS-SMB2 3.2.5.3.1).
/// The specification leaves it to servers of older dialects whether they sign it when they do not demand signatures. Windows and Samba do, and without it anyone
/// could say it.
fn verify_login(connection: &Connection, reply: &Reply, agreed: &Agreed) -> SmbResult<()> {
    let Some(signer) = connection.signer.as_ref().filter(|_| !reply.was_sealed) else {
        return Ok(());
    };
    let is_signed = Fields(&reply.message)
        .u32(16)
        .is_some_and(|flags| flags & FLAG_SIGNED != 0);
    if !is_signed && agreed.dialect != Dialect::Smb3_1_1 {
        let name = agreed.dialect_name();
        let what = format!(
            "the last answer of the login is not signed, which SMB {name} leaves to the server and 3.1.1 does not (leave dialect at auto)"
        );
        return Err(Fault::tampered(what));
    }
    if !is_signed
        || reply.message.len() < HEADER_BYTES
        || signer.signature(true, &reply.message, &[]) != reply.message[48..64]
    {
        return Err(Fault::tampered(
            "the last answer of the login does not carry the signature of the session's key",
        ));
    }
    Ok(())
}

/// Connects to the share, and settles signing and encryption.
fn connect_share(channel: &mut Channel, access: &Access) -> SmbResult<()> {
    let (choice, remote) = (&access.choice, &access.remote);
    channel.connection.in_login = false;
    settle_signing(channel, choice)?;
    if channel.demands_encryption {
        settle_encryption(channel, choice, "for every session")?;
    }
    let signs = channel.connection.signs;
    // Whatever the session does, this one is signed: a server must refuse it else (MS-SMB2 3.3.5.7).
    channel.connection.signs = channel.connection.signer.is_some();
    let path = format!("//{}/{}", remote.host, remote.share());
    channel
        .connection
        .begin(Ask::plain(Command::TreeConnect))
        .tree_connect(&path);
    let reply = channel.connection.reply()?.success(Command::TreeConnect)?;
    channel.connection.signs = signs;
    channel.connection.tree_id = reply.header.tree_id;
    let fields = Fields(reply.body());
    let (kind, flags, capabilities, maximal_access) = part("TREE_CONNECT", || {
        Some((
            fields.u8(2)?,
            fields.u32(4)?,
            fields.u32(8)?,
            fields.u32(12)?,
        ))
    })?;
    if kind != 1 {
        return Err(Fault::Unfit(format!(
            "'{}' is not a share of files but of pipes or printers: name another",
            remote.share()
        )));
    }
    channel.share = ShareTraits {
        flags,
        capabilities,
        maximal_access,
    };
    channel.demands_encryption |= flags & SHARE_ENCRYPTS != 0;
    if channel.connection.sealer.is_none()
        && (channel.demands_encryption || choice.encryption == Protection::Yes)
    {
        settle_encryption(channel, choice, "for this share")?;
    }
    validate::confirm(&mut channel.connection, &channel.agreed)
}

fn settle_signing(channel: &mut Channel, choice: &EngineChoice) -> SmbResult<()> {
    let demanded = channel.agreed.demands_signing;
    if demanded && choice.signing == Protection::No {
        return Err(Fault::Unfit(
            "the server demands that messages are signed: leave signing at auto".into(),
        ));
    }
    let wanted = demanded || choice.signing == Protection::Yes;
    if wanted && channel.connection.signer.is_none() {
        let who = if demanded {
            "the server demands signing"
        } else {
            "signing is asked for"
        };
        return Err(Fault::Unfit(format!(
            "{who}, and a guest or anonymous session has no key: name a user with a password"
        )));
    }
    channel.connection.signs = wanted;
    Ok(())
}

fn settle_encryption(channel: &mut Channel, choice: &EngineChoice, scope: &str) -> SmbResult<()> {
    let unfit = |text: String| Err(Fault::Unfit(text));
    if choice.encryption == Protection::No {
        return unfit(format!(
            "the server demands encryption {scope}: leave encryption at auto"
        ));
    }
    if channel.agreed.encryption.is_none() {
        return unfit(format!(
            "the server offers no encryption with SMB {}: leave encryption and dialect at auto",
            channel.agreed.dialect_name()
        ));
    }
    let Some(session) = &channel.session else {
        return unfit("encryption needs a key, and a guest or anonymous session has none: name a user with a password".into());
    };
    if channel.connection.sealer.is_none() {
        channel.connection.sealer = session.sealer(&channel.agreed)?;
    }
    Ok(())
}
