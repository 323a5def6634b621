//! Which network adapters spread their receive queues over processors, and which support RDMA?

use plumb_model::environment::Environment;

use crate::environment::fact::text_fact;
use crate::system::cim::{Class, Refusal, Row};

/// "MSFT_NetAdapterRssSettingData class", Network Adapter WMI provider, Microsoft Learn: what Get-NetAdapterRss lists.
pub(super) const RSS: Class = Class {
    namespace: r"root\StandardCimv2",
    name: "MSFT_NetAdapterRssSettingData",
};

/// "MSFT_NetAdapterRdmaSettingData class": what Get-NetAdapterRdma lists.
pub(super) const RDMA: Class = Class {
    namespace: r"root\StandardCimv2",
    name: "MSFT_NetAdapterRdmaSettingData",
};

/// Sets the fact of receive-side scaling: `Ethernet (8 queues), Ethernet 2 (off)`.
pub(super) fn set_rss(rows: Result<Vec<Row>, Refusal>, environment: &mut Environment) {
    set("network.adapters_rss", rows, environment);
}

/// Sets the fact of RDMA: `SLOT 2 Port 1 (on), SLOT 2 Port 2 (off)`, or none.
pub(super) fn set_rdma(rows: Result<Vec<Row>, Refusal>, environment: &mut Environment) {
    set("network.adapters_rdma", rows, environment);
}

fn set(id: &str, rows: Result<Vec<Row>, Refusal>, environment: &mut Environment) {
    let listed = rows.map_err(Refusal::reason).map(|rows| {
        let mut adapters: Vec<String> = rows.iter().filter_map(adapter).collect();
        adapters.sort_unstable();
        match adapters.is_empty() {
            true => "none".to_owned(),
            false => adapters.join(", "),
        }
    });
    environment.set(id, text_fact(listed));
}

fn adapter(row: &Row) -> Option<String> {
    let name = row.text("Name").or(row.text("InterfaceDescription"))?;
    let state = match (row.flag("Enabled"), row.number("NumberOfReceiveQueues")) {
        (Some(false), _) => "off".to_owned(),
        (Some(true), Some(1.0)) => "1 queue".to_owned(),
        (Some(true), Some(queues)) => format!("{queues} queues"),
        (Some(true), None) => "on".to_owned(),
        (None, _) => "not reported".to_owned(),
    };
    Some(format!("{name} ({state})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::cim::Value;
    use plumb_model::environment::Fact;

    fn adapter(name: &str, is_enabled: Option<bool>, queues: Option<f64>) -> Row {
        let mut row = Row::default();
        row.set("Name", Value::Text(name.into()));
        if let Some(is_enabled) = is_enabled {
            row.set("Enabled", Value::Flag(is_enabled));
        }
        if let Some(queues) = queues {
            row.set("NumberOfReceiveQueues", Value::Number(queues));
        }
        row
    }

    #[test]
    fn adapters_are_listed_with_what_they_do() {
        let mut facts = Environment::default();
        let rss = vec![
            adapter("Ethernet 2", Some(false), Some(8.0)),
            adapter("Ethernet", Some(true), Some(8.0)),
            adapter("Wi-Fi", None, None),
        ];
        set_rss(Ok(rss), &mut facts);
        assert_eq!(
            facts.text("network.adapters_rss"),
            Some("Ethernet (8 queues), Ethernet 2 (off), Wi-Fi (not reported)")
        );
        set_rdma(Ok(vec![adapter("RDMA1", Some(true), None)]), &mut facts);
        assert_eq!(facts.text("network.adapters_rdma"), Some("RDMA1 (on)"));
        set_rdma(Ok(Vec::new()), &mut facts);
        assert_eq!(facts.text("network.adapters_rdma"), Some("none"));
        set_rdma(Err(Refusal::Missing("no such class".into())), &mut facts);
        assert_eq!(
            facts.facts["network.adapters_rdma"],
            Fact::Unknown("no such class".into())
        );
    }
}
