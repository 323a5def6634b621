//! Which adapter leads to the server, and what is it like, as Windows reports?

use plumb_model::environment::{Environment, Fact};

use crate::system::windows_facts::{NetworkAdapter, network_adapters};

/// Sets the facts of the interface that leads to a server, by the name that addresses are listed with.
pub(super) fn look(name: &str, environment: &mut Environment) {
    set(name, &network_adapters().unwrap_or_default(), environment);
}

/// Sets the facts of the interface; `name` is its description, by which counters call it too.
fn set(name: &str, adapters: &[NetworkAdapter], environment: &mut Environment) {
    environment.set("network.interface", Fact::Text(name.to_owned()));
    let Some(adapter) = adapters.iter().find(|of| of.description == name) else {
        return;
    };
    let kind = kind(adapter.kind);
    let link = if adapter.is_up { "up" } else { "down" };
    environment.set("network.interface_kind", Fact::Text(kind.into()));
    // Loopback says that it takes everything.
    if adapter.mtu_bytes != u32::MAX {
        let mtu = Fact::Number(f64::from(adapter.mtu_bytes));
        environment.set("network.mtu_bytes", mtu);
    }
    if kind == "loopback" || kind == "tunnel" {
        return;
    }
    environment.set("network.link", Fact::Text(link.into()));
    let speed = match adapter.speed_bits_per_s {
        Some(speed) => Fact::Number(speed as f64),
        None => Fact::Unknown(format!("the driver of {} reports no speed", adapter.name)),
    };
    environment.set("network.speed_bits_per_s", speed);
}

/// IfType of ipifcons.h, the numbers of IANA.
fn kind(number: u32) -> &'static str {
    match number {
        6 => "ethernet",
        24 => "loopback",
        71 => "wireless",
        131 => "tunnel",
        199 => "infiniband",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(kind: u32, speed_bits_per_s: Option<u64>) -> NetworkAdapter {
        NetworkAdapter {
            name: "RDMA1".into(),
            description: "Mellanox ConnectX-3 IPoIB Adapter".into(),
            kind,
            is_up: true,
            mtu_bytes: 4092,
            speed_bits_per_s,
            addresses: Vec::new(),
        }
    }

    #[test]
    fn an_adapter_is_told_in_the_words_of_all_systems() {
        let mut facts = Environment::default();
        let known = adapter(199, Some(32_000_000_000));
        set("Mellanox ConnectX-3 IPoIB Adapter", &[known], &mut facts);
        assert_eq!(facts.text("network.interface_kind"), Some("infiniband"));
        assert_eq!(facts.text("network.link"), Some("up"));
        assert_eq!(facts.number("network.speed_bits_per_s"), Some(32e9));
        assert_eq!(facts.number("network.mtu_bytes"), Some(4092.0));
    }

    #[test]
    fn what_is_not_told_is_unknown_and_loopback_has_no_speed() {
        let mut facts = Environment::default();
        let silent = adapter(6, None);
        set("Mellanox ConnectX-3 IPoIB Adapter", &[silent], &mut facts);
        assert!(matches!(
            facts.facts["network.speed_bits_per_s"],
            Fact::Unknown(_)
        ));
        let mut facts = Environment::default();
        let loopback = adapter(24, Some(1_073_741_824));
        set("Mellanox ConnectX-3 IPoIB Adapter", &[loopback], &mut facts);
        assert!(!facts.facts.contains_key("network.speed_bits_per_s"));
    }
}
