//! What is the target of the load? A directory, a file, a device, a share or peer on the network, or nothing (`null:`).

pub mod password;
pub mod remote;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::target::remote::{Remote, Scheme};
use crate::units::UnitError;

/// Target of operations. The type of a path (directory, file, device) is determined when it is opened, not here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// `null:` - operations complete at once without I/O: the limit of the load generator.
    Null,
    /// A path: a directory (plumb creates its files in it), a file, a block or character device.
    Path(PathBuf),
    /// A share or a peer that plumb accesses directly, without a mount: `smb://user@server/share/path`, `tcp://host:port`.
    Remote(Remote),
}

impl Target {
    /// The address of a target on the network; `None` for others.
    pub fn remote(&self) -> Option<&Remote> {
        match self {
            Target::Remote(remote) => Some(remote),
            Target::Null | Target::Path(_) => None,
        }
    }
}

impl FromStr for Target {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == "null:" || text == "null" {
            return Ok(Target::Null);
        }
        if text.is_empty() {
            return Err(UnitError(format!("the target is empty: name {EXPECTED}")));
        }
        if text.contains("://") {
            return text.parse().map(Target::Remote);
        }
        // `smb:server` is a typo; a file of that name can be written as `./smb:server`.
        match text
            .split_once(':')
            .and_then(|(scheme, rest)| Some((scheme.parse::<Scheme>().ok()?, rest)))
        {
            Some((scheme, rest)) => Err(UnitError(format!(
                "'{text}' is no target: write {scheme}://{}, or ./{text} for a file",
                rest.trim_start_matches('/')
            ))),
            None => Ok(Target::Path(PathBuf::from(text))),
        }
    }
}

const EXPECTED: &str = "a directory, a file, a device, smb://, nfs://, tcp://, udp://, iperf3:// or rdma:// with a host, s3:// with a bucket, or null:";

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Null => write!(f, "null:"),
            Target::Path(path) => write!(f, "{}", path.display()),
            Target::Remote(remote) => remote.fmt(f),
        }
    }
}

crate::text::word::serde_as_text!(
    Target,
    "Target",
    "a directory, a file, a device, smb://[user@]server[:port]/share[/path], nfs://server/export, s3://bucket[/prefix], tcp://host[:port], udp://host[:port], iperf3://host[:port], rdma://host[:port], or null:"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_or_disk_as_windows_writes_it_is_a_path_of_records_too() {
        for text in [r"\\server\share\folder", r"\\.\PhysicalDrive1", r"D:\data"] {
            let target: Target = text.parse().expect("a target");
            assert_eq!(target, Target::Path(text.into()));
            assert_eq!(target.to_string(), text);
        }
    }
}
