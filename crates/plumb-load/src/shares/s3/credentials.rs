//! Who signs the requests to an object store? The key from the environment, from a profile, or of the machine, in the order of the AWS SDKs.

use plumb_model::statement::Statement;

use super::metadata;
use super::profiles::Keys;
use super::signature::Credentials;
use super::sources::Sources;
use crate::secret::Secret;

/// Keys of a profile that get credentials from elsewhere, which plumb does not do.
const ELSEWHERE: [&str; 6] = [
    "credential_process",
    "sso_session",
    "sso_start_url",
    "role_arn",
    "source_profile",
    "web_identity_token_file",
];

/// The credentials: of the profile that is named by a key of the plan, else of the environment, else of the profile, else of the container or instance.
///
/// # Errors
/// There are none, half of them is missing, or they come from elsewhere.
pub fn find(
    sources: &Sources<'_>,
    profile: &str,
    is_named: bool,
) -> Result<Credentials, Statement> {
    if !is_named && let Some(credentials) = of_environment(sources)? {
        return Ok(credentials);
    }
    let sections = [
        sources.credentials_section(profile),
        sources.config_section(profile),
    ];
    for keys in sections.into_iter().flatten() {
        if let Some(credentials) = of_profile(keys, profile)? {
            return Ok(credentials);
        }
    }
    let elsewhere = sections.into_iter().flatten().find_map(|keys| {
        let mut found = ELSEWHERE.iter().filter(|key| keys.get(key).is_some());
        found.next()
    });
    if let Some(key) = elsewhere {
        return Err(Statement::new("s3-credentials-from-elsewhere")
            .name("profile", profile)
            .name("key", *key));
    }
    let found = metadata::find(&|name| sources.variable(name))?;
    found.ok_or_else(|| Statement::new("s3-no-credentials").name("profile", profile))
}

fn of_environment(sources: &Sources<'_>) -> Result<Option<Credentials>, Statement> {
    let of = |name: &'static str| sources.variable(name);
    let half = |missing: &'static str| {
        Err(Statement::new("s3-half-of-the-credentials-in-environment").name("missing", missing))
    };
    match (of("AWS_ACCESS_KEY_ID"), of("AWS_SECRET_ACCESS_KEY")) {
        (Some(key_id), Some(secret)) => Ok(Some(Credentials {
            key_id,
            secret: Secret::new(secret),
            token: of("AWS_SESSION_TOKEN").map(Secret::new),
            origin: "environment",
            expires: of("AWS_CREDENTIAL_EXPIRATION"),
        })),
        (Some(_), None) => half("AWS_SECRET_ACCESS_KEY"),
        (None, Some(_)) => half("AWS_ACCESS_KEY_ID"),
        (None, None) => Ok(None),
    }
}

fn of_profile(keys: Keys<'_>, profile: &str) -> Result<Option<Credentials>, Statement> {
    let half = |missing: &'static str| {
        Err(Statement::new("s3-half-of-the-credentials-in-profile")
            .name("profile", profile)
            .name("missing", missing))
    };
    match (
        keys.get("aws_access_key_id"),
        keys.get("aws_secret_access_key"),
    ) {
        (Some(key_id), Some(secret)) => Ok(Some(Credentials {
            key_id: key_id.to_string(),
            secret: Secret::new(secret),
            token: keys.get("aws_session_token").map(Secret::new),
            origin: "profile",
            expires: None,
        })),
        (Some(_), None) => half("aws_secret_access_key"),
        (None, Some(_)) => half("aws_access_key_id"),
        (None, None) => Ok(None),
    }
}
