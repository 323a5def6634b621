//! How is a share reached? Connect, agree on a dialect, log in, and connect to the share; a further connection joins the session.

pub mod dial;
pub mod keys;
pub mod paths;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{EngineChoice, Protection};
use smb2::crypto::kdf::PreauthHasher;
use smb2::types::Dialect;

use crate::engine::stop_request::StopRequest;
use crate::shares::smb::answer::{Fields, data, part};
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{NoSlots, Reply, RequestHead};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{FLAG_SIGNED, HEADER_BYTES};
use crate::shares::smb::login::Login;
use crate::shares::smb::login::key::{Key, random};
use crate::shares::smb::negotiate::{self, Agreed};
use crate::shares::smb::protect::Signer;
use crate::shares::smb::session::dial::dial;
pub use crate::shares::smb::session::dial::{Access, Steps};
use crate::shares::smb::session::keys::{Session, signing_key};
use crate::shares::smb::session::paths::Path;
use crate::shares::smb::smb1;
use crate::shares::smb::status::Status;
use crate::shares::smb::validate;

/// From the first message to the share that is connected.
const OPEN_MAX: Duration = Duration::from_secs(30);
/// Rounds of a login; NTLM takes two.
const LOGIN_ROUNDS_MAX: usize = 8;

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
    pub session: Option<Arc<Session>>,
    pub share: ShareTraits,
    pub steps: Steps,
}

/// What the server reports of a share (MS-SMB2 2.2.10).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShareTraits {
    pub flags: u32,
    pub capabilities: u32,
    pub maximal_access: u32,
}

/// SMB2_SHAREFLAG_ENCRYPT_DATA.
const SHARE_ENCRYPTS: u32 = 0x8000;

/// A further channel of a session.
#[derive(Clone, Copy)]
pub struct Further<'a> {
    pub session: &'a Arc<Session>,
    /// Missing: as the first connection.
    pub path: Option<&'a Path>,
}

/// Opens a connection to the share of `access`; with `further`, as a further channel of a session.
///
/// # Errors
/// No connection, a refusal of the server at any step, or protection that is required and not available.
pub fn open(access: &Access, further: Option<Further<'_>>) -> SmbResult<Channel> {
    let is_sealed = further.is_some_and(|further| further.session.demands_encryption);
    match open_once(access, further, false) {
        // MS-SMB2 3.2.4.1.8 leaves every SESSION_SETUP in the clear. A server may insist on encryption for all of a session all the same.
        Err(Fault::Status(Command::SessionSetup, Status::ACCESS_DENIED)) if is_sealed => {
            open_once(access, further, true)
        }
        opened => opened,
    }
}

/// `seals`: the login that joins a session is encrypted with its keys.
fn open_once(access: &Access, further: Option<Further<'_>>, seals: bool) -> SmbResult<Channel> {
    let session = further.map(|further| further.session);
    let (socket, mut steps) = dial(access, further.and_then(|further| further.path))?;
    let address = socket.peer_addr().map_err(|error| Fault::io(&error))?;
    let mut connection = Connection::new(socket)?;
    connection.set_stop(&access.stop);
    connection.within(OPEN_MAX);
    let client_guid = session.map_or_else(random, |session| Ok(session.client_guid))?;
    let begun = Instant::now();
    let (agreed, hasher) =
        negotiate::negotiate(&mut connection, &access.choice, client_guid, false)
            .map_err(|fault| of_smb1(fault, address, &access.stop))?;
    steps.negotiate = begun.elapsed();
    if session.is_some_and(|session| session.dialect != agreed.dialect) {
        return Err(Fault::Unfit {
            what: Statement::new("smb-another-dialect-than-before"),
            remedy: Statement::new("smb-leave-options"),
        });
    }
    if session.is_some_and(|session| session.server_guid != agreed.server_guid) {
        // As MS-SMB2 3.2.5.2 wants it: nobody logs in to a machine that only answers at an address of the server.
        return Err(Fault::Unfit {
            what: Statement::new("smb-another-server-there").name("address", address.to_string()),
            remedy: Statement::new("smb-leave-channels"),
        });
    }
    let begun = Instant::now();
    let mut channel = log_in(Entry {
        access,
        connection,
        agreed,
        address,
        session,
        hasher,
        seals,
    })?;
    connect_share(&mut channel, access)?;
    channel.connection.without_deadline();
    steps.set_up = begun.elapsed();
    channel.steps = steps;
    Ok(channel)
}

/// What is wrong with a server that did not agree: it may know nothing but SMB 1, which answers SMB 2 in whatever way.
fn of_smb1(fault: Fault, address: SocketAddr, stop: &StopRequest) -> Fault {
    let is_lost = matches!(
        fault,
        Fault::Lost(_) | Fault::Silent(_) | Fault::Garbage(_) | Fault::Unfit { .. }
    );
    if !is_lost || stop.is_made() {
        return fault;
    }
    let is_smb1 = stop.unless_made("plumb-smb-1", move || smb1::is_supported_at(address));
    if !matches!(is_smb1, Ok(Ok(true))) {
        return fault;
    }
    Fault::Unfit {
        what: Statement::new("smb-speaks-smb-1-only"),
        remedy: Statement::new("smb-allow-smb-2-or-3"),
    }
}

/// What a login begins with.
struct Entry<'a> {
    access: &'a Access,
    connection: Connection,
    agreed: Agreed,
    address: SocketAddr,
    session: Option<&'a Arc<Session>>,
    hasher: PreauthHasher,
    /// The login is encrypted.
    seals: bool,
}

fn log_in(entry: Entry<'_>) -> SmbResult<Channel> {
    let Entry {
        access,
        mut connection,
        agreed,
        address,
        session,
        mut hasher,
        seals,
    } = entry;
    let mut login = Login::new(&access.remote, access.secret.as_ref())?;
    let must_sign = access.choice.signing == Protection::Yes || agreed.demands_signing;
    if let Some(session) = session {
        take_on(session, &mut connection, &agreed)?;
    }
    let options = LoginOptions {
        binds: session.is_some(),
        must_sign,
        seals,
    };
    let reply = exchange_tokens(&mut connection, &mut login, &mut hasher, options)?;
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
    let session = keyed(
        (session, key, flags & 4 != 0),
        &mut connection,
        &agreed,
        &hasher,
    )?;
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

/// The session of a connection whose login ended with this key, as whose messages are signed from now on: the one that it joined, or one of its own; `None`
/// for a guest. With `encrypts` the server demands it of a new one.
fn keyed(
    (joined, key, encrypts): (Option<&Arc<Session>>, Option<Key>, bool),
    connection: &mut Connection,
    agreed: &Agreed,
    hasher: &PreauthHasher,
) -> SmbResult<Option<Arc<Session>>> {
    Ok(match (joined, key) {
        (Some(session), Some(key)) => {
            // A further channel: its signing key follows from its own login and from the messages on this connection (MS-SMB2 3.2.5.3.3).
            let key = signing_key(agreed, &key, hasher);
            connection.signer = Some(Signer::new(agreed.signing, key.expose())?);
            Some(session.clone())
        }
        (Some(_), None) => {
            return Err(Fault::Unfit {
                what: Statement::new("smb-guest-has-no-channels"),
                remedy: Statement::new("smb-leave-channels"),
            });
        }
        (None, Some(key)) => {
            let session = Session::begin(connection.session_id, &key, encrypts, agreed, hasher)?;
            connection.signer = Some(Signer::new(agreed.signing, session.signing_key.expose())?);
            Some(Arc::new(session))
        }
        (None, None) => None,
    })
}

/// A connection that becomes another channel uses the session's keys from the start.
fn take_on(session: &Session, connection: &mut Connection, agreed: &Agreed) -> SmbResult<()> {
    connection.session_id = session.id;
    connection.signer = Some(Signer::new(agreed.signing, session.signing_key.expose())?);
    connection.signs = true;
    if session.demands_encryption {
        connection.sealer = session.sealer(agreed)?;
    }
    Ok(())
}

/// Options of a login.
#[derive(Clone, Copy)]
struct LoginOptions {
    /// To join a session that is there.
    binds: bool,
    must_sign: bool,
    /// To be encrypted.
    seals: bool,
}

/// Exchanges tokens until the server accepts; returns its last reply.
fn exchange_tokens(
    connection: &mut Connection,
    login: &mut Login,
    hasher: &mut PreauthHasher,
    options: LoginOptions,
) -> SmbResult<Reply> {
    let mut token = login.begin()?;
    for _ in 0..LOGIN_ROUNDS_MAX {
        connection
            .begin(RequestHead::plain(Command::SessionSetup))
            .session_setup(options.binds, options.must_sign, &token);
        connection.end_hashed(hasher, options.seals)?;
        // What answers a login is signed with a key that follows from it, if at all.
        connection.signs = false;
        let answer = connection
            .replies(&mut NoSlots)?
            .pop()
            .ok_or_else(Fault::no_answer)?;
        connection.session_id = answer.header.session_id;
        if answer.header.status != Status::MORE_PROCESSING_REQUIRED {
            return answer.success(Command::SessionSetup);
        }
        hasher.update(&answer.message);
        token = login.go_on(token_of(&answer)?)?;
        connection.signs = options.binds;
    }
    Err(Fault::Garbage(Statement::new("smb-login-without-end")))
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
    // Only a user proves anything, so there is one.
    let user = remote.user.clone().unwrap_or_default();
    Fault::Unfit {
        what: Statement::new("smb-let-in-as-a-guest").name("user", user),
        remedy: Statement::new("smb-name-a-known-user"),
    }
}

/// The last answer of a login proves that the server knows the password too; from 3.1.1 on also that nobody changed what was agreed (MS-SMB2 3.2.5.3.1).
/// The specification leaves it to servers of older dialects whether they sign it when they do not demand signatures. Windows and Samba do, and without it anyone
/// could send it.
fn verify_login(connection: &Connection, reply: &Reply, agreed: &Agreed) -> SmbResult<()> {
    let Some(signer) = connection.signer.as_ref().filter(|_| !reply.was_sealed) else {
        return Ok(());
    };
    let is_signed = Fields(&reply.message)
        .u32(16)
        .is_some_and(|flags| flags & FLAG_SIGNED != 0);
    if !is_signed && agreed.dialect != Dialect::Smb3_1_1 {
        return Err(Fault::tampered(
            Statement::new("smb-login-not-signed").name("dialect", agreed.dialect_name()),
        ));
    }
    if !is_signed
        || reply.message.len() < HEADER_BYTES
        || signer.signature(true, &reply.message, &[]) != reply.message[48..64]
    {
        return Err(Fault::tampered(Statement::new("smb-login-signed-wrong")));
    }
    Ok(())
}

/// Connects to the share, and settles signing and encryption.
fn connect_share(channel: &mut Channel, access: &Access) -> SmbResult<()> {
    let (choice, remote) = (&access.choice, &access.remote);
    channel.connection.in_login = false;
    settle_signing(channel, choice)?;
    if channel.demands_encryption {
        settle_encryption(channel, choice, Scope::Session)?;
    }
    let signs = channel.connection.signs;
    // Whatever the session does, this one is signed: a server must refuse it else (MS-SMB2 3.3.5.7).
    channel.connection.signs = channel.connection.signer.is_some();
    let path = format!("//{}/{}", remote.host, remote.share());
    channel
        .connection
        .begin(RequestHead::plain(Command::TreeConnect))
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
        return Err(Fault::Unfit {
            what: Statement::new("smb-not-a-share-of-files").name("share", remote.share()),
            remedy: Statement::new("smb-name-another-share"),
        });
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
        settle_encryption(channel, choice, Scope::Share)?;
    }
    validate::confirm(&mut channel.connection, &channel.agreed)
}

fn settle_signing(channel: &mut Channel, choice: &EngineChoice) -> SmbResult<()> {
    let demanded = channel.agreed.demands_signing;
    if demanded && choice.signing == Protection::No {
        return Err(Fault::Unfit {
            what: Statement::new("smb-signing-is-demanded"),
            remedy: Statement::new("smb-leave-signing"),
        });
    }
    let signs = demanded || choice.signing == Protection::Yes;
    if signs && channel.connection.signer.is_none() {
        return Err(Fault::Unfit {
            what: Statement::new(if demanded {
                "smb-no-key-for-demanded-signing"
            } else {
                "smb-no-key-for-wanted-signing"
            }),
            remedy: Statement::new("smb-name-a-user"),
        });
    }
    channel.connection.signs = signs;
    Ok(())
}

/// What a server demands encryption for.
#[derive(Clone, Copy)]
enum Scope {
    Session,
    Share,
}

fn settle_encryption(channel: &mut Channel, choice: &EngineChoice, scope: Scope) -> SmbResult<()> {
    if choice.encryption == Protection::No {
        return Err(Fault::Unfit {
            what: Statement::new(match scope {
                Scope::Session => "smb-encryption-is-demanded",
                Scope::Share => "smb-encryption-is-demanded-by-share",
            }),
            remedy: Statement::new("smb-leave-encryption"),
        });
    }
    if channel.agreed.encryption.is_none() {
        let dialect = channel.agreed.dialect_name();
        return Err(Fault::Unfit {
            what: Statement::new("smb-no-encryption-with-dialect").name("dialect", dialect),
            remedy: Statement::new("smb-leave-encryption-and-dialect"),
        });
    }
    let Some(session) = &channel.session else {
        return Err(Fault::Unfit {
            what: Statement::new("smb-no-key-for-encryption"),
            remedy: Statement::new("smb-name-a-user"),
        });
    };
    if channel.connection.sealer.is_none() {
        channel.connection.sealer = session.sealer(&channel.agreed)?;
    }
    Ok(())
}
