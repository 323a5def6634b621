//! Why was a request to an object store not carried out, and what is to be done? By the code of S3, or by what happened to the connection.

use std::time::Duration;

use plumb_model::statement::Statement;

use super::connection::{Broken, Connection};
use super::xml;
use crate::engine::failure::FailureKind;
use crate::engine::operation::Outcome;
use crate::share::{ShareError, ShareErrorKind};

/// Longest part of a server's own text that is repeated.
const TEXT_MAX: usize = 200;

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The connection is of no use any more.
    Broken(Broken),
    /// The server refused the request.
    Refused(Box<Refused>),
    /// The server did not respond for so long after the stop request.
    Stopped(Duration),
    /// It did, but not what was requested.
    Unsound(Statement),
}

/// What a server replied that refused a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    pub status: u16,
    /// S3's code; where there is none, the name of the HTTP status.
    pub code: String,
    pub message: String,
    /// The region that the bucket is in, if the server names it.
    pub region: Option<String>,
    /// Where a redirect leads.
    pub location: Option<String>,
    /// The server's clock minus this one, in seconds.
    pub clock_ahead_s: Option<i64>,
}

impl From<Broken> for Fault {
    fn from(broken: Broken) -> Fault {
        Fault::Broken(broken)
    }
}

/// A text of the server for a message: short, without control characters.
fn shortened(text: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let long = text.chars().count() > TEXT_MAX;
    let text = text.chars().take(TEXT_MAX).map(printable);
    text.chain(long.then_some('…')).collect()
}

impl Refused {
    /// What the reply on this connection says.
    pub fn of(connection: &Connection) -> Refused {
        let status = connection.status();
        let found = xml::refusal(connection.body()).unwrap_or_default();
        let header = |name: &str| connection.header(name).map(shortened);
        Refused {
            status,
            code: match found.code.is_empty() {
                true => code_of(status).to_string(),
                false => shortened(&found.code),
            },
            message: shortened(&found.message),
            region: header("x-amz-bucket-region").or(found.region.map(|region| shortened(&region))),
            location: header("location"),
            clock_ahead_s: clock_ahead_s(connection),
        }
    }

    /// True where there is no such object.
    pub fn is_missing(&self) -> bool {
        matches!(
            self.code.as_str(),
            "NoSuchKey" | "NotFound" | "NoSuchVersion" | "NoSuchUpload"
        )
    }

    /// True where the server does not know such a request.
    pub fn is_not_offered(&self) -> bool {
        matches!(self.status, 405 | 501) || self.code == "NotImplemented"
    }

    /// True where the server wants fewer requests.
    pub fn is_slow_down(&self) -> bool {
        matches!(self.status, 429 | 503)
            || matches!(
                self.code.as_str(),
                "SlowDown" | "SlowDownRead" | "SlowDownWrite" | "TooManyRequests"
            )
    }

    /// As the record names it.
    pub fn kind(&self) -> FailureKind {
        match (self.code.as_str(), self.status) {
            _ if self.is_slow_down() => FailureKind::SlowDown,
            _ if self.is_missing() => FailureKind::NotFound,
            ("NoSuchBucket", _) => FailureKind::NoDevice,
            ("RequestTimeTooSkewed" | "ExpiredToken", _) => FailureKind::TimerExpired,
            ("PreconditionFailed", _) => FailureKind::AlreadyExists,
            ("EntityTooLarge", _) => FailureKind::FileTooBig,
            ("QuotaExceeded" | "QuotaExceededException", _) => FailureKind::QuotaExceeded,
            ("InvalidRange", _) => FailureKind::OutOfRange,
            ("RequestTimeout", _) => FailureKind::TimedOut,
            ("NotImplemented" | "MethodNotAllowed", _) => FailureKind::NotSupported,
            (_, 300..=399) => FailureKind::LinkSevered,
            (_, 401 | 403) => FailureKind::AccessDenied,
            (_, 404) => FailureKind::NotFound,
            (_, 409) => FailureKind::Busy,
            (_, 507) => FailureKind::NoSpace,
            (_, 400..=499) => FailureKind::Invalid,
            _ => FailureKind::RemoteIo,
        }
    }

    /// The same for those who prepare a target.
    fn share_kind(&self) -> ShareErrorKind {
        match self.kind() {
            FailureKind::NotFound => ShareErrorKind::NotFound,
            FailureKind::AlreadyExists => ShareErrorKind::Exists,
            FailureKind::NoSpace | FailureKind::QuotaExceeded => ShareErrorKind::Full,
            FailureKind::AccessDenied | FailureKind::TimerExpired => ShareErrorKind::Denied,
            _ => ShareErrorKind::Other,
        }
    }

    /// What to do.
    fn remedy(&self) -> Statement {
        let is_elsewhere = matches!(
            self.code.as_str(),
            "PermanentRedirect"
                | "TemporaryRedirect"
                | "Redirect"
                | "AuthorizationHeaderMalformed"
                | "IllegalLocationConstraintException"
        );
        match (self.code.as_str(), &self.region, &self.location) {
            _ if self.is_slow_down() => Statement::new("s3-remedy-fewer-requests"),
            (_, Some(region), _) if is_elsewhere => {
                Statement::new("s3-remedy-region").name("region", region)
            }
            (_, None, Some(location)) if is_elsewhere => {
                Statement::new("s3-remedy-redirect").name("location", location)
            }
            _ if is_elsewhere => Statement::new("s3-remedy-unknown-region"),
            ("NoSuchBucket" | "InvalidBucketName", ..) => Statement::new("s3-remedy-bucket"),
            ("RequestTimeTooSkewed", ..) => {
                let ahead_ns = self.clock_ahead_s.unwrap_or_default().unsigned_abs() as f64 * 1e9;
                Statement::new("s3-remedy-clock").time_ns("time", ahead_ns)
            }
            ("ExpiredToken" | "InvalidToken" | "TokenRefreshRequired", ..) => {
                Statement::new("s3-remedy-token")
            }
            ("InvalidAccessKeyId" | "XAdminUserNotFound", ..) => Statement::new("s3-remedy-key"),
            ("SignatureDoesNotMatch", ..) => Statement::new("s3-remedy-signature"),
            _ if matches!(self.status, 401 | 403) => Statement::new("s3-remedy-permission"),
            _ if self.is_missing() => Statement::new("s3-remedy-missing"),
            ("PreconditionFailed", ..) => Statement::new("s3-remedy-exists"),
            ("QuotaExceeded" | "QuotaExceededException" | "EntityTooLarge", ..) => {
                Statement::new("s3-remedy-size")
            }
            ("NotImplemented" | "MethodNotAllowed", ..) => Statement::new("s3-remedy-not-offered"),
            _ => Statement::new("s3-remedy-log"),
        }
    }

    /// As a clause: the code, and what the server adds.
    fn reason(&self) -> Statement {
        let status = self.status.to_string();
        if self.message.is_empty() {
            return Statement::new("s3-refused")
                .name("code", &self.code)
                .name("status", status);
        }
        Statement::new("s3-refused-with-a-message")
            .name("message", &self.message)
            .name("code", &self.code)
            .name("status", status)
    }
}

impl Fault {
    /// True of what a request on a connection that has lain idle may meet: the server closed it meanwhile.
    pub fn is_of_idle_connection(&self) -> bool {
        matches!(
            self,
            Fault::Broken(
                Broken::Closed(true) | Broken::Io(std::io::ErrorKind::ConnectionReset, _)
            )
        )
    }

    /// As the hot loop counts it.
    pub fn outcome(&self) -> Outcome {
        match self {
            Fault::Broken(broken) => Outcome::failed(broken.kind()),
            Fault::Refused(refused) => Outcome::refused(refused.kind(), refused.status.into()),
            Fault::Stopped(_) => Outcome::failed(FailureKind::Canceled),
            Fault::Unsound(_) => Outcome::failed(FailureKind::ProtocolError),
        }
    }

    /// What went wrong, as a clause.
    pub fn reason(&self) -> Statement {
        match self {
            Fault::Broken(broken) => broken.why(),
            Fault::Refused(refused) => refused.reason(),
            Fault::Stopped(time) => {
                Statement::new("s3-no-answer-after-stop").time_ns("time", time.as_nanos() as f64)
            }
            Fault::Unsound(why) => why.clone(),
        }
    }

    /// The error with where it was, what was tried, and what to do next.
    pub fn error(&self, target: &str, server: &str, tried: Statement) -> ShareError {
        let (kind, remedy) = match self {
            Fault::Refused(refused) => (refused.share_kind(), refused.remedy()),
            Fault::Broken(broken) => {
                let remedy = match broken.kind() {
                    FailureKind::ProtocolError => Statement::new("s3-remedy-no-object-store"),
                    FailureKind::NoKey => Statement::new("s3-remedy-certificate"),
                    _ => Statement::new("s3-remedy-connection"),
                };
                (ShareErrorKind::Unreachable, remedy)
            }
            Fault::Stopped(_) => (
                ShareErrorKind::Unreachable,
                Statement::new("s3-remedy-connection"),
            ),
            Fault::Unsound(_) => (
                ShareErrorKind::Other,
                Statement::new("s3-remedy-no-object-store"),
            ),
        };
        let why = Statement::new("s3-cannot")
            .name("target", target)
            .name("server", server)
            .part("tried", tried)
            .part("reason", self.reason())
            .part("remedy", remedy);
        ShareError { kind, why }
    }
}

/// A code for a reply without a body.
fn code_of(status: u16) -> &'static str {
    match status {
        301 => "PermanentRedirect",
        302 | 303 | 307 | 308 => "Redirect",
        304 => "NotModified",
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        409 => "Conflict",
        412 => "PreconditionFailed",
        416 => "InvalidRange",
        429 => "TooManyRequests",
        500 => "InternalError",
        501 => "NotImplemented",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        504 => "GatewayTimeout",
        507 => "InsufficientStorage",
        _ => "Unknown",
    }
}

/// The server's clock minus this one, in seconds, by the header Date.
pub fn clock_ahead_s(connection: &Connection) -> Option<i64> {
    let date = connection.header("date")?;
    let there = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(date)
        .ok()?;
    Some(there.as_second() - jiff::Timestamp::now().as_second())
}
