//! Where do settings of an object store come from besides the plan? From the environment and the two files of ~/.aws.

use plumb_model::statement::Statement;

use super::profiles::{Keys, Profiles};

/// Where settings come from besides the plan.
pub struct Sources<'a> {
    variables: &'a dyn Fn(&str) -> Option<String>,
    config: Profiles,
    credentials: Profiles,
}

impl<'a> Sources<'a> {
    /// With the texts of the two files; a missing file is an empty one.
    ///
    /// # Errors
    /// A line that cannot be read.
    pub fn of(
        variables: &'a dyn Fn(&str) -> Option<String>,
        config: (&str, &str),
        credentials: (&str, &str),
    ) -> Result<Sources<'a>, Statement> {
        let parse = |(file, text): (&str, &str)| {
            Profiles::parse(text).map_err(|line| {
                Statement::new("s3-file-is-malformed")
                    .name("file", file)
                    .count("line", line.0 as u64)
            })
        };
        Ok(Sources {
            variables,
            config: parse(config)?,
            credentials: parse(credentials)?,
        })
    }

    /// A variable of the environment; `None` where it is missing or empty.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name).filter(|value| !value.is_empty())
    }

    /// A profile of the config file.
    pub fn config_section(&self, profile: &str) -> Option<Keys<'_>> {
        let named = self.config.section(&format!("profile {profile}"));
        match profile {
            "default" => named.or_else(|| self.config.section(profile)),
            _ => named,
        }
    }

    /// A profile of the credentials file.
    pub fn credentials_section(&self, profile: &str) -> Option<Keys<'_>> {
        self.credentials.section(profile)
    }

    /// The endpoint that a profile names: for S3 alone, or for all services.
    pub fn endpoint_of_profile(&self, profile: &str) -> Option<String> {
        let keys = self.config_section(profile)?;
        let services = keys
            .get("services")
            .and_then(|name| self.config.section(&format!("services {name}")));
        let of_s3 = services.and_then(|keys| keys.get("s3.endpoint_url"));
        of_s3
            .or_else(|| keys.get("endpoint_url"))
            .map(str::to_string)
    }
}
