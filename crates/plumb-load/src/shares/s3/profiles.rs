//! What is in ~/.aws/config and ~/.aws/credentials? Sections of keys, as the AWS SDKs read them.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

/// The sections of one file, each with its keys. A nested key is named `parent.key`.
#[derive(Default)]
pub struct Profiles(BTreeMap<String, BTreeMap<String, Zeroizing<String>>>);

/// The line that is neither a section, nor a key with a value, nor a comment; the first line is 1. What it says may be a secret, and is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedLine(pub usize);

impl Profiles {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn parse(text: &str) -> Result<Profiles, MalformedLine> {
        let mut profiles = Profiles::default();
        let mut section: Option<String> = None;
        let mut parent: Option<String> = None;
        for (index, line) in text.lines().enumerate() {
            let malformed = MalformedLine(index + 1);
            let is_indented = line.starts_with([' ', '\t']);
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(rest) = line.strip_prefix('[') {
                let (name, _) = rest.split_once(']').ok_or(malformed)?;
                let words: Vec<&str> = name.split_whitespace().collect();
                section = Some(words.join(" "));
                profiles.0.entry(words.join(" ")).or_default();
                parent = None;
                continue;
            }
            let section = section.as_ref().ok_or(malformed)?;
            let Some((key, value)) = line.split_once('=') else {
                // A value that continues on the next line has no key of its own.
                if is_indented && parent.is_none() {
                    continue;
                }
                return Err(malformed);
            };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            let name = match &parent {
                Some(parent) if is_indented => format!("{parent}.{key}"),
                _ => {
                    parent = value.is_empty().then(|| key.clone());
                    key
                }
            };
            let keys = profiles.0.entry(section.clone()).or_default();
            keys.insert(name, Zeroizing::new(value.to_string()));
        }
        Ok(profiles)
    }

    /// The keys of a section; `None`: there is no such section.
    pub fn section(&self, name: &str) -> Option<Keys<'_>> {
        self.0.get(name).map(Keys)
    }
}

/// The keys of one section.
#[derive(Clone, Copy)]
pub struct Keys<'a>(&'a BTreeMap<String, Zeroizing<String>>);

impl<'a> Keys<'a> {
    /// The value of a key; `None` where it is missing or empty.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        let value: &'a str = self.0.get(key)?.as_str();
        (!value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_aws_command_line_are_read() {
        let text = "\u{feff}# a comment\n[default]\naws_access_key_id = AKID\r\naws_secret_access_key=a=b/+\n\n; another\n[profile  store]\nregion = eu-1\ns3 =\n    addressing_style = path\n\tmax_concurrent_requests=20\nservices = here\noutput = json\n[services here]\ns3 = \n  endpoint_url = http://store:9000\n[default]\nregion=x\n";
        let profiles = Profiles::parse(text).expect("profiles");
        let default = profiles.section("default").expect("default");
        assert_eq!(default.get("aws_access_key_id"), Some("AKID"));
        assert_eq!(default.get("aws_secret_access_key"), Some("a=b/+"));
        assert_eq!(default.get("region"), Some("x"), "sections add up");
        let store = profiles.section("profile store").expect("store");
        assert_eq!(store.get("s3.addressing_style"), Some("path"));
        assert_eq!(store.get("output"), Some("json"));
        let services = profiles.section("services here").expect("services");
        assert_eq!(services.get("s3.endpoint_url"), Some("http://store:9000"));
        assert!(profiles.section("store").is_none());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named_by_its_number_alone() {
        for (text, line) in [
            ("key = value", 1),
            ("[default\n", 1),
            ("[default]\nwJalrXUtnFEMI\n", 2),
        ] {
            let error = Profiles::parse(text).err();
            assert_eq!(error, Some(MalformedLine(line)), "{text}");
        }
    }
}
