//! Where is the object store, and how is it addressed? From the keys of the plan, the environment, and the profiles of ~/.aws, in this order.

use std::path::PathBuf;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{Addressing, EngineChoice};
use zeroize::Zeroizing;

use super::credentials;
use super::endpoint::{Endpoint, parse_endpoint};
use super::signature::Credentials;
use super::sources::Sources;
use crate::secret::Secret;

/// The region that stores outside of AWS expect in signatures if none is set.
const USUAL_REGION: &str = "us-east-1";

/// All that is to be known to reach a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub bucket: String,
    pub endpoint: Endpoint,
    pub region: String,
    /// The bucket is the first part of the path; else the first part of the host.
    pub path_style: bool,
    pub credentials: Credentials,
}

/// Reads the environment and the files of ~/.aws, and settles how the bucket of this address is reached.
///
/// # Errors
/// What is missing or wrong, and what to do.
pub fn of_system(
    remote: &Remote,
    choice: &EngineChoice,
    worker: u32,
) -> Result<Settings, Statement> {
    let variables = |name: &str| std::env::var(name).ok();
    let file = |variable: &str, name: &str| {
        let named = std::env::var_os(variable).map(PathBuf::from);
        named.or_else(|| Some(std::env::home_dir()?.join(".aws").join(name)))
    };
    let read = |path: &Option<PathBuf>| match path.as_ref().map(std::fs::read_to_string) {
        None => Ok(Zeroizing::default()),
        Some(Ok(text)) => Ok(Zeroizing::new(text)),
        Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            Ok(Zeroizing::default())
        }
        Some(Err(error)) => Err(Statement::new("s3-file-is-unreadable")
            .name("file", shown(path))
            .name("error", error.to_string())),
    };
    let config = file("AWS_CONFIG_FILE", "config");
    let credentials = file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
    let sources = Sources::of(
        &variables,
        (&shown(&config), &read(&config)?),
        (&shown(&credentials), &read(&credentials)?),
    )?;
    settle(remote, choice, worker, &sources)
}

fn shown(path: &Option<PathBuf>) -> String {
    path.as_ref()
        .map(|path| path.display().to_string())
        .unwrap_or_default()
}

/// Settles how a worker reaches the bucket of this address: of several endpoints, separated by commas, each worker has the next one.
///
/// # Errors
/// What is missing or wrong, and what to do.
pub fn settle(
    remote: &Remote,
    choice: &EngineChoice,
    worker: u32,
    sources: &Sources<'_>,
) -> Result<Settings, Statement> {
    let given = |value: &str| (!value.is_empty()).then(|| value.to_string());
    let named = given(&choice.aws_profile);
    let is_named = named.is_some();
    let profile = named
        .or_else(|| sources.variable("AWS_PROFILE"))
        .or_else(|| sources.variable("AWS_DEFAULT_PROFILE"));
    if let Some(profile) = &profile
        && sources.config_section(profile).is_none()
        && sources.credentials_section(profile).is_none()
    {
        return Err(Statement::new("s3-no-such-profile").name("profile", profile));
    }
    let profile = profile.unwrap_or_else(|| "default".into());
    let keys = sources.config_section(&profile);
    let of_profile = |key: &str| keys.and_then(|keys| keys.get(key)).map(str::to_string);
    let region = given(&choice.region)
        .or_else(|| sources.variable("AWS_REGION"))
        .or_else(|| sources.variable("AWS_DEFAULT_REGION"))
        .or_else(|| of_profile("region"));
    let is_ignored = sources
        .variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let configured = || {
        sources
            .variable("AWS_ENDPOINT_URL_S3")
            .or_else(|| sources.variable("AWS_ENDPOINT_URL"))
            .or_else(|| sources.endpoint_of_profile(&profile))
            .filter(|_| !is_ignored)
    };
    let endpoint = given(&choice.endpoint_url).or_else(configured);
    let credentials = credentials::find(sources, &profile, is_named)?;
    let is_of_aws = endpoint.is_none();
    let region = match region {
        Some(region) => plain_region(region)?,
        None if is_of_aws => return Err(Statement::new("s3-no-region")),
        None => USUAL_REGION.into(),
    };
    let endpoint = match endpoint {
        Some(urls) => {
            let mut endpoints = urls
                .split(',')
                .map(parse_endpoint)
                .collect::<Result<Vec<_>, _>>()?;
            endpoints.swap_remove(worker as usize % endpoints.len())
        }
        None => of_aws(&region),
    };
    let addressing = match (choice.addressing_style, of_profile("s3.addressing_style")) {
        (Addressing::Auto, Some(word)) => word.parse().unwrap_or(Addressing::Auto),
        (addressing, _) => addressing,
    };
    let path_style = match addressing {
        Addressing::Path => true,
        Addressing::Virtual => false,
        // A dot in the name of a bucket is in no certificate of AWS.
        Addressing::Auto => !is_of_aws || remote.host.contains('.'),
    };
    Ok(Settings {
        bucket: remote.host.clone(),
        endpoint,
        region,
        path_style,
        credentials,
    })
}

/// It becomes part of a host and of a header.
fn plain_region(region: String) -> Result<String, Statement> {
    let is_plain = region
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    match is_plain {
        true => Ok(region),
        false => Err(Statement::new("s3-region-is-malformed").name("region", region)),
    }
}

fn of_aws(region: &str) -> Endpoint {
    let end = match region.starts_with("cn-") {
        true => ".cn",
        false => "",
    };
    Endpoint {
        is_https: true,
        host: format!("s3.{region}.amazonaws.com{end}"),
        port: 443,
        base: String::new(),
    }
}

/// What programs for object stores read from their environment to reach the bucket of this address as plumb does: the variables of the AWS SDKs, of s5cmd, and a
/// remote of rclone with the name `s3`.
///
/// # Errors
/// What is missing or wrong, and what to do.
pub fn variables_for_programs(remote: &Remote) -> Result<Vec<(&'static str, Secret)>, Statement> {
    let settings = of_system(remote, &EngineChoice::default(), 0)?;
    let endpoint = settings.endpoint.url(&settings.endpoint.host);
    let token = settings.credentials.token.as_ref();
    let style = if settings.path_style { "true" } else { "false" };
    let mut variables = vec![
        (
            "AWS_ACCESS_KEY_ID",
            Secret::new(settings.credentials.key_id.as_str()),
        ),
        ("AWS_SECRET_ACCESS_KEY", settings.credentials.secret.clone()),
    ];
    variables.extend(token.map(|token| ("AWS_SESSION_TOKEN", token.clone())));
    let plain = [
        ("AWS_REGION", settings.region.as_str()),
        ("AWS_DEFAULT_REGION", &settings.region),
        ("AWS_ENDPOINT_URL", &endpoint),
        ("AWS_ENDPOINT_URL_S3", &endpoint),
        ("S3_ENDPOINT_URL", &endpoint),
        ("RCLONE_CONFIG_S3_TYPE", "s3"),
        ("RCLONE_CONFIG_S3_PROVIDER", "Other"),
        ("RCLONE_CONFIG_S3_ENV_AUTH", "true"),
        ("RCLONE_CONFIG_S3_REGION", &settings.region),
        ("RCLONE_CONFIG_S3_ENDPOINT", &endpoint),
        ("RCLONE_CONFIG_S3_FORCE_PATH_STYLE", style),
        ("RCLONE_CONFIG_S3_NO_CHECK_BUCKET", "true"),
    ];
    variables.extend(plain.map(|(name, value)| (name, Secret::new(value))));
    Ok(variables)
}

impl Settings {
    /// Host to connect to.
    pub fn host(&self) -> String {
        match self.path_style {
            true => self.endpoint.host.clone(),
            false => format!("{}.{}", self.bucket, self.endpoint.host),
        }
    }

    /// The header `Host`: without the usual port.
    pub fn host_header(&self) -> String {
        self.endpoint.authority(&self.host())
    }

    /// The server for messages: scheme, host and port.
    pub fn server(&self) -> String {
        self.endpoint.url(&self.host())
    }

    /// What all paths of the bucket begin with, without a slash at the end.
    pub fn root(&self) -> String {
        match self.path_style {
            true => format!("{}/{}", self.endpoint.base, self.bucket),
            false => self.endpoint.base.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use plumb_words::english;

    use super::*;

    type Variables = &'static [(&'static str, &'static str)];

    const KEY: Variables = &[
        ("AWS_ACCESS_KEY_ID", "AKID"),
        ("AWS_SECRET_ACCESS_KEY", "plumb-secret"),
    ];
    const CREDENTIALS: &str = "[default]\naws_access_key_id = OF-FILE\naws_secret_access_key = plumb-secret-2\n[half]\naws_access_key_id = X\n[store]\naws_access_key_id = STORE\naws_secret_access_key = plumb-secret-3\naws_session_token = plumb-token\n";
    const CONFIG: &str = "[default]\nregion = eu-central-1\n[profile store]\nservices = here\ns3 =\n  addressing_style = virtual\n[services here]\ns3 =\n  endpoint_url = https://store.example:9000/gate\n[profile sso]\nsso_session = x\n";

    fn settled(variables: &[(&str, &str)], choice: &EngineChoice) -> Result<Settings, Statement> {
        settled_for(variables, choice, 0)
    }

    fn settled_for(
        variables: &[(&str, &str)],
        choice: &EngineChoice,
        worker: u32,
    ) -> Result<Settings, Statement> {
        let variables = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.to_string())
        };
        let sources = Sources::of(&variables, ("config", CONFIG), ("credentials", CREDENTIALS))?;
        let remote = "s3://bucket/prefix".parse().expect("an address");
        settle(&remote, choice, worker, &sources)
    }

    #[test]
    fn workers_take_several_endpoints_in_turn() {
        let choice = EngineChoice {
            endpoint_url: "http://a:1, https://b/x,http://c".into(),
            ..EngineChoice::default()
        };
        let server = |worker| settled_for(KEY, &choice, worker).map(|settings| settings.server());
        let expected = ["http://a:1", "https://b/x", "http://c", "http://a:1"];
        for (worker, expected) in expected.into_iter().enumerate() {
            assert_eq!(server(worker as u32).expect("settings"), expected);
        }
        let wrong = EngineChoice {
            endpoint_url: "http://a:1,".into(),
            ..EngineChoice::default()
        };
        let why = settled(KEY, &wrong).expect_err("an empty endpoint");
        assert_eq!(why.id, "s3-endpoint-is-malformed");
    }

    fn profile(name: &str) -> EngineChoice {
        EngineChoice {
            aws_profile: name.into(),
            ..EngineChoice::default()
        }
    }

    #[test]
    fn the_environment_comes_before_the_default_profile() {
        let settings = settled(&[], &EngineChoice::default()).expect("settings");
        assert_eq!(settings.credentials.key_id, "OF-FILE");
        assert_eq!(settings.region, "eu-central-1");
        assert_eq!(
            (settings.server().as_str(), settings.root().as_str()),
            ("https://bucket.s3.eu-central-1.amazonaws.com", "")
        );
        let variables = [KEY, &[("AWS_DEFAULT_REGION", "cn-north-1")]].concat();
        let settings = settled(&variables, &EngineChoice::default()).expect("settings");
        assert_eq!(settings.credentials.key_id, "AKID");
        assert_eq!(
            settings.server(),
            "https://bucket.s3.cn-north-1.amazonaws.com.cn"
        );
    }

    #[test]
    fn a_profile_that_is_named_comes_before_the_environment() {
        let settings = settled(KEY, &profile("store")).expect("settings");
        assert_eq!(settings.credentials.key_id, "STORE");
        assert!(settings.credentials.token.is_some());
        assert_eq!(
            (settings.server().as_str(), settings.root().as_str()),
            ("https://bucket.store.example:9000/gate", "/gate")
        );
        let variables = [KEY, &[("AWS_PROFILE", "store")]].concat();
        let settings = settled(&variables, &EngineChoice::default()).expect("settings");
        assert_eq!(settings.credentials.key_id, "AKID", "of the environment");
        assert_eq!(settings.endpoint.port, 9000, "of the profile");
    }

    #[test]
    fn an_endpoint_of_ones_own_is_addressed_by_path() {
        let variables = [
            KEY,
            &[
                ("AWS_ENDPOINT_URL", "http://all:1"),
                ("AWS_ENDPOINT_URL_S3", "http://[::1]:9000"),
            ],
        ]
        .concat();
        let settings = settled(&variables, &EngineChoice::default()).expect("settings");
        assert_eq!(
            (settings.server().as_str(), settings.root().as_str()),
            ("http://[::1]:9000", "/bucket")
        );
        let choice = EngineChoice {
            endpoint_url: "http://key".into(),
            addressing_style: Addressing::Virtual,
            region: "r-1".into(),
            ..EngineChoice::default()
        };
        let settings = settled(&variables, &choice).expect("settings");
        assert_eq!(
            (settings.server().as_str(), settings.region.as_str()),
            ("http://bucket.key", "r-1")
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_what_to_do_and_no_secret_is_repeated() {
        let none = EngineChoice::default();
        let endpoint = |url: &str| EngineChoice {
            endpoint_url: url.into(),
            ..EngineChoice::default()
        };
        let region = EngineChoice {
            region: "a b".into(),
            ..EngineChoice::default()
        };
        for (variables, choice, expected) in [
            (&KEY[..1], &none, "AWS_SECRET_ACCESS_KEY"),
            (&KEY[1..], &none, "AWS_ACCESS_KEY_ID"),
            (&[], &profile("half"), "aws_secret_access_key"),
            (&[], &profile("missing"), "missing"),
            (&[], &profile("sso"), "export-credentials"),
            (KEY, &endpoint("store:9000"), "http://host:port"),
            (KEY, &endpoint("ftp://store"), "http://host:port"),
            (KEY, &endpoint("http://store:0"), "http://host:port"),
            (KEY, &endpoint("http://u:plumb-secret@store"), "user"),
            (KEY, &region, "region"),
        ] {
            let why = settled(variables, choice).expect_err(expected);
            let text = english(&why);
            assert!(text.contains(expected), "{expected}: {text}");
            assert!(!text.contains("plumb-"), "{text}");
        }
        let settings = settled(KEY, &none).expect("settings");
        assert!(!format!("{settings:?}").contains("plumb-secret"));
        // No service of the network is looked for.
        let nothing =
            |name: &str| (name == "AWS_EC2_METADATA_DISABLED").then(|| "true".to_string());
        let sources = Sources::of(&nothing, ("", ""), ("", "")).expect("sources");
        let remote: Remote = "s3://bucket".parse().expect("an address");
        let why = settle(&remote, &none, 0, &sources).expect_err("no credentials");
        assert!(english(&why).contains("AWS_ACCESS_KEY_ID"));
        let error = Sources::of(&nothing, ("", ""), ("file", "[x]\nplumb-secret"));
        let text = error.err().map(|why| english(&why)).unwrap_or_default();
        assert!(text.contains("file") && !text.contains("plumb-"), "{text}");
    }

    #[test]
    fn aws_needs_a_region_and_other_stores_do_not() {
        let of_key = |name: &str| {
            let found = KEY.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.to_string())
        };
        let sources = Sources::of(&of_key, ("", ""), ("", "")).expect("sources");
        let remote: Remote = "s3://bucket".parse().expect("an address");
        let none = EngineChoice::default();
        let why = settle(&remote, &none, 0, &sources).expect_err("no region");
        assert!(english(&why).contains("AWS_REGION"));
        let choice = EngineChoice {
            endpoint_url: "http://store".into(),
            ..none
        };
        let settings = settle(&remote, &choice, 0, &sources).expect("settings");
        assert_eq!(settings.region, USUAL_REGION);
    }
}
