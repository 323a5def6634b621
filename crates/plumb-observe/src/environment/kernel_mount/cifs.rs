//! What did the kernel negotiate with an SMB server? From the mount options and /proc/fs/cifs/DebugData.

use std::path::Path;

use plumb_model::environment::{Environment, Fact};
use plumb_words::numbers::show_bit_rate;

use super::options::Options;
use crate::environment::fact::{flag_fact, number_fact, text_fact};
use crate::system::kernel_files::{Known, text};
use crate::system::paths;

/// One server connection of DebugData with its session, shares and the interfaces that the server offers. Text format of
/// fs/smb/client/cifs_debug.c (cifs_debug_data_proc_show); words that newer kernels add do no harm.
#[derive(Debug, Default)]
struct Connection<'a> {
    dialect: Option<u32>,
    credits: Option<f64>,
    capabilities: Option<u64>,
    is_rdma: bool,
    is_signed: bool,
    is_encrypted: bool,
    extra_channels: f64,
    /// `\\server\share` of each tree connect, and whether it is encrypted by itself.
    shares: Vec<(&'a str, bool)>,
    interfaces: Vec<Interface<'a>>,
}

/// An interface that the server offers (MS-SMB2 section 2.2.32.5).
#[derive(Debug, Default)]
struct Interface<'a> {
    speed_bits_per_s: Option<f64>,
    capabilities: &'a str,
    address: &'a str,
}

/// Sets the facts of the cifs mount of `source` (`//server/share`).
pub(super) fn look(
    root: &Path,
    source: &str,
    options: &Options<'_>,
    environment: &mut Environment,
) {
    environment.set("share.protocol", Fact::Text("cifs".into()));
    environment.set("share.read_max_bytes", options.number("rsize"));
    environment.set("share.write_max_bytes", options.number("wsize"));
    environment.set("share.attribute_cache_s", options.number("actimeo"));
    let text_option = |name: &str| {
        options
            .value(name)
            .map(str::to_owned)
            .ok_or_else(|| format!("the mount options do not include {name}"))
    };
    environment.set("share.cache", text_fact(text_option("cache")));
    // mount.cifs(8): without max_channels, multichannel means two; without multichannel, one.
    let requested = options
        .value("max_channels")
        .and_then(|number| number.parse().ok());
    environment.set(
        "share.channels_asked",
        Fact::Number(requested.unwrap_or(if options.has("multichannel") {
            2.0
        } else {
            1.0
        })),
    );
    let debug = text(root, paths::CIFS_CONNECTIONS);
    let connections = debug
        .as_deref()
        .map(connections)
        .map_err(|error| error.to_string());
    let found = connections
        .as_ref()
        .map_err(String::clone)
        .and_then(|all| connection_of(all, source, options));
    look_at_connection(found, source, options, environment);
    let stats = text(root, paths::CIFS_COUNTERS);
    environment.set(
        "share.reconnects",
        number_fact(stats.and_then(|stats| reconnects(&stats))),
    );
}

fn look_at_connection(
    found: Known<&Connection<'_>>,
    source: &str,
    options: &Options<'_>,
    environment: &mut Environment,
) {
    let reason = || "/proc/fs/cifs/DebugData does not show it".to_owned();
    environment.set(
        "share.dialect",
        text_fact(
            found
                .clone()
                .and_then(|connection| connection.dialect.and_then(dialect).ok_or_else(reason)),
        ),
    );
    let transport = |is_rdma: bool| if is_rdma { "rdma" } else { "tcp" };
    environment.set(
        "share.transport",
        text_fact(
            found
                .clone()
                .map(|connection| transport(connection.is_rdma || options.has("rdma"))),
        ),
    );
    environment.set(
        "share.channels",
        number_fact(
            found
                .clone()
                .map(|connection| 1.0 + connection.extra_channels),
        ),
    );
    environment.set(
        "share.credits",
        number_fact(
            found
                .clone()
                .and_then(|connection| connection.credits.ok_or_else(reason)),
        ),
    );
    environment.set(
        "share.signed",
        flag_fact(
            found
                .clone()
                .map(|connection| connection.is_signed || options.has("sign")),
        ),
    );
    let name = share_name(source);
    let encrypted = found.clone().map(|connection| {
        let share = connection
            .shares
            .iter()
            .any(|(share, encrypted)| *encrypted && share_name(share) == name);
        connection.is_encrypted || share || options.has("seal")
    });
    environment.set("share.encrypted", flag_fact(encrypted));
    let security = found.clone().and_then(|_| {
        options
            .value("sec")
            .map(str::to_owned)
            .ok_or_else(|| "the mount options do not include sec".into())
    });
    environment.set("share.security", text_fact(security));
    look_at_interfaces(found, environment);
}

/// The server's interfaces, as reported to the kernel.
fn look_at_interfaces(found: Known<&Connection<'_>>, environment: &mut Environment) {
    let offered = found.and_then(|connection| match connection.interfaces.as_slice() {
        [] if connection.capabilities.is_some_and(|bits| bits & MULTICHANNEL != 0) => {
            Err("the server supports multichannel but no interfaces are listed; the kernel has not queried them yet".to_owned())
        }
        [] => Err("the kernel has not queried the server's interfaces, because the mount does not use multichannel".to_owned()),
        interfaces => Ok(interfaces),
    });
    let listed = offered.clone().map(|interfaces| {
        interfaces
            .iter()
            .map(Interface::to_text)
            .collect::<Vec<_>>()
            .join(", ")
    });
    environment.set("share.server_interfaces", text_fact(listed));
    let any = |word: &str| {
        offered
            .clone()
            .map(|interfaces| interfaces.iter().any(|interface| interface.can(word)))
    };
    environment.set("share.server_rss", flag_fact(any("rss")));
    environment.set("share.server_rdma", flag_fact(any("rdma")));
    let fast = offered.and_then(|interfaces| {
        let fastest = interfaces
            .iter()
            .filter_map(|interface| interface.speed_bits_per_s)
            .reduce(f64::max);
        let fastest =
            fastest.ok_or_else(|| "the server reports no speed of its interfaces".to_owned())?;
        Ok(interfaces
            .iter()
            .filter(|interface| interface.speed_bits_per_s == Some(fastest))
            .count() as f64)
    });
    environment.set("share.server_fast_interfaces", number_fact(fast));
}

/// SMB2_GLOBAL_CAP_MULTI_CHANNEL (MS-SMB2 section 2.2.4).
const MULTICHANNEL: u64 = 0x8;

impl Interface<'_> {
    fn can(&self, word: &str) -> bool {
        self.capabilities
            .to_ascii_lowercase()
            .split([' ', ','])
            .any(|capability| capability == word)
    }

    fn to_text(&self) -> String {
        let speed = self
            .speed_bits_per_s
            .map(|speed| format!(" {}", show_bit_rate(speed)))
            .unwrap_or_default();
        let able = if self.capabilities.eq_ignore_ascii_case("none") {
            String::new()
        } else {
            format!(" {}", self.capabilities.trim())
        };
        format!("{}{speed}{able}", self.address)
    }
}

/// `//server/share` and `\\server\share` alike: server and share in small letters; what is below the share is cut off.
fn share_name(text: &str) -> String {
    let parts = text
        .trim_start_matches(['/', '\\'])
        .split(['/', '\\'])
        .take(2);
    parts.collect::<Vec<_>>().join("/").to_ascii_lowercase()
}

/// The connection that carries the share: of several (nosharesock) the one whose dialect and encryption match the mount.
fn connection_of<'a, 'b>(
    all: &'a [Connection<'b>],
    source: &str,
    options: &Options<'_>,
) -> Known<&'a Connection<'b>> {
    let name = share_name(source);
    let carries = |connection: &&Connection<'_>| {
        connection
            .shares
            .iter()
            .any(|(share, _)| share_name(share) == name)
    };
    let selected = options.value("vers").unwrap_or_default();
    let same = |connection: &&&Connection<'_>| {
        connection
            .dialect
            .and_then(dialect)
            .is_some_and(|reported| reported.ends_with(&format!(" {selected}")))
    };
    let candidates: Vec<&Connection<'_>> = all.iter().filter(carries).collect();
    let found = candidates.iter().find(same).or(candidates.first()).copied();
    found.ok_or_else(|| format!("/proc/fs/cifs/DebugData lists no connection for {source}"))
}

/// MS-SMB2 section 2.2.4, DialectRevision.
fn dialect(number: u32) -> Option<String> {
    let name = match number {
        0x202 => "2.0.2",
        0x210 => "2.1",
        0x300 => "3.0",
        0x302 => "3.0.2",
        0x311 => "3.1.1",
        _ => return None,
    };
    Some(format!("SMB {name}"))
}

/// All connections of the text, in its order.
fn connections(text: &str) -> Vec<Connection<'_>> {
    let mut all: Vec<Connection<'_>> = Vec::new();
    // What is reported of an extra channel has the form of what is reported of the first one.
    let mut in_channel = false;
    for line in text.lines() {
        if line.contains("ConnectionId:") && !line.trim_start().starts_with("Channel:") {
            all.push(Connection::default());
            in_channel = false;
        }
        let Some(connection) = all.last_mut() else {
            continue;
        };
        let trimmed = line.trim();
        if trimmed.starts_with("Channel:") {
            in_channel = true;
        } else if trimmed == "Shares:" || trimmed == "Sessions:" {
            in_channel = false;
        }
        if !in_channel {
            take(connection, trimmed);
        }
    }
    all
}

/// Data from one line about a connection.
fn take<'a>(connection: &mut Connection<'a>, line: &'a str) {
    if let Some(rest) = line.strip_prefix("Number of credits: ") {
        // `469,1,1 Dialect 0x311 signed`: credits for requests, echoes and oplocks; older kernels give one number.
        connection.credits = rest
            .split([',', ' '])
            .next()
            .and_then(|credits| credits.parse().ok());
        let words: Vec<&str> = rest.split_whitespace().collect();
        let hexadecimal = words
            .windows(2)
            .find(|pair| pair[0] == "Dialect")
            .and_then(|pair| pair[1].strip_prefix("0x"));
        connection.dialect = hexadecimal.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        connection.is_signed |= words.contains(&"signed");
    } else if let Some(rest) = line.strip_prefix("Server capabilities: 0x") {
        connection.capabilities = u64::from_str_radix(rest.trim(), 16).ok();
    } else if line.starts_with("SMBDirect") || line.starts_with("RDMA Enabled") {
        connection.is_rdma = true;
    } else if line.starts_with("Security type:") {
        // `RawNTLMSSP  SessionId: 0x1 encrypted(gcm-aes-128) signed`.
        connection.is_encrypted |= line
            .split_whitespace()
            .any(|word| word.starts_with("encrypted"));
        connection.is_signed |= line.split_whitespace().any(|word| word == "signed");
    } else if let Some(rest) = line.strip_prefix("Extra Channels:") {
        connection.extra_channels = rest
            .split_whitespace()
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or(0.0);
    } else if let Some((_, rest)) = line.split_once(") \\\\") {
        let name = rest.split(" Mounts:").next().unwrap_or(rest);
        connection.shares.push((name, false));
    } else if line.starts_with("PathComponentMax:") {
        if let Some(share) = connection.shares.last_mut() {
            share.1 |= line
                .split_whitespace()
                .any(|word| word.starts_with("encrypted"));
        }
    } else if let Some((_, speed)) = line.split_once("Speed: ") {
        connection.interfaces.push(Interface {
            speed_bits_per_s: speed_bits_per_s(speed),
            capabilities: "None",
            address: "",
        });
    } else if let Some(interface) = connection.interfaces.last_mut() {
        if let Some(able) = line.strip_prefix("Capabilities: ") {
            interface.capabilities = able;
        } else if let Some(address) = line.strip_prefix("IPv4: ").or(line.strip_prefix("IPv6: ")) {
            interface.address = address;
        }
    }
}

/// `10Gbps`, `100Mbps`, and of older kernels `10000000000 bps`.
fn speed_bits_per_s(text: &str) -> Option<f64> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim_start() {
        "bps" => 1.0,
        "Kbps" => 1e3,
        "Mbps" => 1e6,
        "Gbps" => 1e9,
        _ => return None,
    };
    Some(number * unit)
}

/// `2 session 3 share reconnects`: sessions that were made again, on all servers together.
fn reconnects(stats: &str) -> Known<f64> {
    let line = stats
        .lines()
        .find(|line| line.ends_with("share reconnects"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| "/proc/fs/cifs/Stats shows no reconnects".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_signing_encryption_and_rdma_are_found() {
        let text = "1) ConnectionId: 0x1 Hostname: s\nNumber of credits: 100,1,1 Dialect 0x302 signed\nSMBDirect protocol version: 0x100 transport status: 1\n\
                    \tSessions:\n\t1) Address: 10.0.0.1 Uses: 1\n\tSecurity type: Kerberos  SessionId: 0x5 encrypted(gcm-aes-128)\n\
                    \tShares:\n\t1) \\\\s\\data Mounts: 1 DevInfo: 0x20\n\tPathComponentMax: 255 Status: 1\n";
        let all = connections(text);
        assert_eq!(all.len(), 1);
        assert!(all[0].is_rdma && all[0].is_signed && all[0].is_encrypted);
        assert_eq!(
            all[0].dialect.and_then(dialect).as_deref(),
            Some("SMB 3.0.2")
        );
        assert!(connection_of(&all, "//S/Data/below", &Options("vers=3.0.2")).is_ok());
        assert!(connection_of(&all, "//s/other", &Options("")).is_err());
    }

    #[test]
    fn speeds_have_units() {
        for (text, expected) in [
            ("10Gbps", Some(1e10)),
            ("100Mbps", Some(1e8)),
            ("1000000000 bps", Some(1e9)),
            ("fast", None),
            ("", None),
        ] {
            assert_eq!(speed_bits_per_s(text), expected, "{text}");
        }
    }

    #[test]
    fn garbage_is_no_connection() {
        for text in [
            "",
            "Servers:\n",
            "ConnectionId",
            ") \\\\",
            "Number of credits: 5 Dialect 0xzz\n",
        ] {
            assert!(
                connection_of(&connections(text), "//s/e", &Options("")).is_err(),
                "{text}"
            );
        }
    }
}
