//! What did the Windows SMB client negotiate with the server of a share, and which connections does it use?

use plumb_model::environment::{Environment, Fact};

use crate::environment::fact::{flag_fact, number_fact, text_fact};
use crate::system::cim::{Class, Refusal, Row};
use crate::system::kernel_files::Known;

/// "MSFT_SmbConnection class", SMB Management API, Microsoft Learn: what Get-SmbConnection lists.
pub(super) const CONNECTIONS: Class = Class {
    namespace: r"root\Microsoft\Windows\SMB",
    name: "MSFT_SmbConnection",
};

/// "MSFT_SmbMultichannelConnection class": what Get-SmbMultichannelConnection lists.
pub(super) const CHANNELS: Class = Class {
    namespace: r"root\Microsoft\Windows\SMB",
    name: "MSFT_SmbMultichannelConnection",
};

/// Rows of a class, or why there are none.
type Rows = Result<Vec<Row>, Refusal>;

/// Sets the facts of the share `\\server\share` as the client sees it.
pub(super) fn set(share: &str, connections: Rows, channels: Rows, environment: &mut Environment) {
    let mut parts = share.split('\\').filter(|part| !part.is_empty());
    let (server, name) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    environment.set("share.protocol", Fact::Text("smb".into()));
    environment.set("share.server", Fact::Text(server.to_owned()));
    let connection = connections.map_err(Refusal::reason).and_then(|rows| {
        let is_it = |row: &Row| is(row, "ServerName", server) && is(row, "ShareName", name);
        let found = rows.into_iter().find(is_it);
        found.ok_or_else(|| format!("the SMB client lists no connection to {share}"))
    });
    set_connection(&connection, environment);
    let channels = channels.map_err(Refusal::reason).and_then(|rows| {
        let of_server = rows.into_iter().filter(|row| is(row, "ServerName", server));
        let of_server: Vec<Row> = of_server.collect();
        match of_server.is_empty() {
            true => Err(format!(
                "the SMB client lists no multichannel connection to {server}; it creates them when files are used"
            )),
            false => Ok(of_server),
        }
    });
    set_channels(&channels, environment);
}

fn is(row: &Row, property: &str, value: &str) -> bool {
    let reported = row.text(property);
    reported.is_some_and(|reported| reported.eq_ignore_ascii_case(value))
}

fn set_connection(connection: &Known<Row>, environment: &mut Environment) {
    let flag = |property: &str| {
        let row = connection.as_ref().map_err(String::clone)?;
        row.flag(property)
            .ok_or_else(|| format!("this version of Windows reports no {property}"))
    };
    let dialect = connection.as_ref().map_err(String::clone).and_then(|row| {
        let reported = row.text("Dialect").map(str::to_owned);
        reported.ok_or_else(|| "the SMB client reports no dialect".to_owned())
    });
    environment.set("share.dialect", text_fact(dialect));
    environment.set("share.signed", flag_fact(flag("Signed")));
    environment.set("share.encrypted", flag_fact(flag("Encrypted")));
}

/// Of the pairs of interfaces those count that are selected and have not failed.
fn set_channels(channels: &Known<Vec<Row>>, environment: &mut Environment) {
    let used = |row: &&Row| row.flag("Selected") != Some(false) && row.flag("Failed") != Some(true);
    let any = |property: &str| {
        let rows = channels.as_ref().map_err(String::clone)?;
        Ok(rows.iter().any(|row| row.flag(property) == Some(true)))
    };
    let known = channels.as_ref().map_err(String::clone);
    let number = known.clone().and_then(|rows| {
        let counts = rows
            .iter()
            .filter(used)
            .map(|row| row.number("CurrentChannels"));
        let sum: Option<f64> = counts.sum();
        sum.ok_or_else(|| "the SMB client reports no number of channels".to_owned())
    });
    let transport = known.clone().map(|rows| {
        let over_rdma = |row: &Row| match row.number("RdmaConnectionCount") {
            Some(count) => count > 0.0,
            // Versions that do not count: SMB uses RDMA wherever both ends can ("SMB Direct").
            None => {
                row.flag("ClientRdmaCapable") == Some(true)
                    && row.flag("ServerRdmaCapable") == Some(true)
            }
        };
        match rows.iter().filter(used).any(over_rdma) {
            true => "rdma",
            false => "tcp",
        }
    });
    let interfaces = known.map(|rows| {
        let mut addresses: Vec<&str> = rows
            .iter()
            .filter_map(|row| row.text("ServerIpAddress"))
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses.len() as f64
    });
    environment.set("share.channels", number_fact(number));
    environment.set("share.transport", text_fact(transport));
    environment.set("share.server_interfaces", number_fact(interfaces));
    environment.set("share.server_rss", flag_fact(any("ServerRSSCapable")));
    environment.set("share.server_rdma", flag_fact(any("ServerRdmaCapable")));
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::system::cim::Value;

    fn row(texts: &[(&str, &str)], flags: &[(&str, bool)], numbers: &[(&str, f64)]) -> Row {
        let mut row = Row::default();
        for (name, text) in texts {
            row.set(name, Value::Text((*text).into()));
        }
        for (name, flag) in flags {
            row.set(name, Value::Flag(*flag));
        }
        for (name, number) in numbers {
            row.set(name, Value::Number(*number));
        }
        row
    }

    /// A pair of interfaces with the properties and values of the example on the page of Get-SmbMultichannelConnection (Microsoft Learn).
    fn pair(interface: f64, client: &str, server: &str) -> Row {
        row(
            &[
                ("ServerName", "Contoso-SO"),
                ("ClientIpAddress", client),
                ("ServerIpAddress", server),
                // 64 bits come as text.
                ("ClientLinkSpeed", "32000000000"),
                ("ServerLinkSpeed", "32000000000"),
            ],
            &[
                ("ClientRdmaCapable", true),
                ("ClientRSSCapable", false),
                ("Failed", false),
                ("Selected", true),
                ("ServerRdmaCapable", true),
                ("ServerRSSCapable", false),
            ],
            &[
                ("ClientInterfaceIndex", interface),
                ("CurrentChannels", 2.0),
                ("MaxChannels", 2.0),
                ("FailureCount", 0.0),
            ],
        )
    }

    /// With the properties that the class is documented with.
    fn connection(share: &str) -> Row {
        row(
            &[
                ("ServerName", "CONTOSO-SO"),
                ("ShareName", share),
                ("UserName", r"CONTOSO\user"),
                ("Dialect", "3.0"),
                ("NumOpens", "3"),
            ],
            &[
                ("ContinuouslyAvailable", true),
                ("Encrypted", false),
                ("Signed", true),
            ],
            &[("SmbInstance", 0.0)],
        )
    }

    /// Sets every fact of a share.
    pub(crate) fn set_all(environment: &mut Environment) {
        let pairs = vec![
            pair(15.0, "192.168.102.13", "192.168.102.11"),
            pair(12.0, "192.168.101.13", "192.168.101.11"),
        ];
        let connections = vec![connection("other"), connection("VMS")];
        set(r"\\contoso-so\vms", Ok(connections), Ok(pairs), environment);
    }

    #[test]
    fn a_share_over_two_rdma_interfaces_is_told() {
        let mut facts = Environment::default();
        set_all(&mut facts);
        for (id, expected) in [
            ("share.protocol", "smb"),
            ("share.server", "contoso-so"),
            ("share.dialect", "3.0"),
            ("share.transport", "rdma"),
        ] {
            assert_eq!(facts.text(id), Some(expected), "{id}");
        }
        assert_eq!(facts.number("share.channels"), Some(4.0));
        assert_eq!(facts.number("share.server_interfaces"), Some(2.0));
        for (id, expected) in [
            ("share.signed", true),
            ("share.encrypted", false),
            ("share.server_rss", false),
            ("share.server_rdma", true),
        ] {
            assert_eq!(facts.flag(id), Some(expected), "{id}");
        }
    }

    #[test]
    fn pairs_that_failed_or_are_not_selected_carry_nothing() {
        let mut failed = pair(15.0, "192.168.102.13", "192.168.102.11");
        failed.set("Failed", Value::Flag(true));
        let mut spare = pair(12.0, "192.168.101.13", "192.168.101.11");
        spare.set("Selected", Value::Flag(false));
        let mut over_tcp = pair(3.0, "10.0.0.2", "10.0.0.1");
        over_tcp.set("ServerRdmaCapable", Value::Flag(false));
        let mut counted = pair(4.0, "10.0.1.2", "10.0.1.1");
        counted.set("RdmaConnectionCount", Value::Number(0.0));
        let mut facts = Environment::default();
        let rows = vec![failed, spare, over_tcp, counted];
        set(r"\\contoso-so\vms", Ok(Vec::new()), Ok(rows), &mut facts);
        assert_eq!(facts.number("share.channels"), Some(4.0));
        assert_eq!(facts.text("share.transport"), Some("tcp"));
        assert!(
            matches!(&facts.facts["share.dialect"], Fact::Unknown(why) if why.contains("no connection"))
        );
    }

    #[test]
    fn what_cannot_be_asked_is_unknown_and_never_no() {
        let refused = || Err(Refusal::Other("this user has no permission".into()));
        let mut facts = Environment::default();
        set(r"\\nas\x", refused(), refused(), &mut facts);
        for id in [
            "share.dialect",
            "share.signed",
            "share.channels",
            "share.transport",
            "share.server_rdma",
        ] {
            assert!(
                matches!(&facts.facts[id], Fact::Unknown(why) if why == "this user has no permission"),
                "{id}"
            );
        }
    }
}
