//! What machine is it, as Windows reports: version, processors, memory, power plan, and what looks into every operation of a file?

use plumb_model::environment::{Environment, Fact};

use crate::environment::fact::{number_fact, text_fact};
use crate::environment::machine::provider;
use crate::system;
use crate::system::kernel_files::Known;
use crate::system::windows_facts::Host;

/// Power schemes that every Windows has, by the GUIDs of winnt.h: their names are translated.
const SCHEMES: [(&str, &str); 4] = [
    ("381b4222-f694-41f0-9685-ff5bb260df2e", "Balanced"),
    ("8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", "High performance"),
    ("a1841308-3541-4fab-bc81-f71556f20b4a", "Power saver"),
    (
        "e9a42b02-d5df-448d-aa00-03f14749eb61",
        "Ultimate Performance",
    ),
];

/// Sets the facts of host, processor, memory and clock.
pub(super) fn set(host: &Host, environment: &mut Environment) {
    let product = host.product.as_ref().map_or_else(
        |_| "Windows".to_owned(),
        |product| match product.strip_prefix("Microsoft ") {
            Some(rest) => rest.to_owned(),
            None => product.clone(),
        },
    );
    let count = |known: &Known<u32>| number_fact(known.clone().map(f64::from));
    let bytes = |known: &Known<u64>| number_fact(known.clone().map(|bytes| bytes as f64));
    let clock = host.counter_hz.clone().map(|hz| {
        let megahertz = hz as f64 / 1e6;
        format!("QueryPerformanceCounter, {megahertz} MHz")
    });
    let cloud = host.tables.clone().map(|tables| provider(&tables));
    for (id, fact) in [
        ("host.name", text_fact(host.name.clone())),
        ("host.system", Fact::Text(product)),
        ("host.kernel", text_fact(host.build.clone())),
        (
            "host.architecture",
            Fact::Text(std::env::consts::ARCH.into()),
        ),
        (
            "host.virtualisation",
            Fact::Text(virtualisation(&host.tables)),
        ),
        ("host.cloud", text_fact(cloud)),
        ("host.power_plan", text_fact(power_plan(&host.power_scheme))),
        ("cpu.model", text_fact(host.processor.clone())),
        ("cpu.sockets", count(&host.sockets)),
        ("cpu.cores", count(&host.cores)),
        ("cpu.threads", count(&host.threads)),
        ("cpu.allowed", count(&host.allowed)),
        ("numa.nodes", count(&host.nodes)),
        ("memory.total_bytes", bytes(&host.memory_bytes)),
        (
            "memory.available_bytes",
            bytes(&host.memory_available_bytes),
        ),
        ("clock.source", text_fact(clock)),
    ] {
        environment.set(id, fact);
    }
}

/// Windows itself runs beside Hyper-V where virtualization-based security is on; a virtual machine that may make others says so in its tables.
fn virtualisation(tables: &Known<String>) -> String {
    let is_virtual = tables
        .as_ref()
        .is_ok_and(|tables| tables.contains("Virtual Machine"));
    match system::hypervisor() {
        Some(name) if is_virtual || !system::owns_hypervisor() => name,
        _ => "none".into(),
    }
}

fn power_plan(scheme: &Known<(String, String)>) -> Known<String> {
    let (name, guid) = scheme.clone()?;
    let known = SCHEMES.iter().find(|(known, _)| *known == guid);
    Ok(match known {
        Some((_, known)) => (*known).to_owned(),
        None if name.is_empty() => guid,
        None => name,
    })
}

/// Sets the fact of the filter drivers.
pub(super) fn set_filter_drivers(drivers: Known<Vec<String>>, environment: &mut Environment) {
    let listed = drivers.map(|names| match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    });
    environment.set("host.filter_drivers", text_fact(listed));
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn set_all(environment: &mut Environment) {
        set(&server(), environment);
    }

    fn server() -> Host {
        Host {
            name: Ok("FILESRV".into()),
            product: Ok("Windows Server 2022 Datacenter 21H2".into()),
            build: Ok("10.0.20348.2402".into()),
            processor: Ok("Intel(R) Xeon(R) CPU E5-4610 v4 @ 1.80GHz".into()),
            sockets: Ok(4),
            cores: Ok(40),
            threads: Ok(80),
            allowed: Ok(80),
            nodes: Ok(4),
            memory_bytes: Ok(256 << 30),
            memory_available_bytes: Ok(200 << 30),
            counter_hz: Ok(10_000_000),
            power_scheme: Ok((
                "Ausbalanciert".into(),
                "381b4222-f694-41f0-9685-ff5bb260df2e".into(),
            )),
            tables: Ok("Microsoft Corporation\nVirtual Machine".into()),
        }
    }

    #[test]
    fn a_server_is_told_in_the_words_of_all_systems() {
        let mut facts = Environment::default();
        set(&server(), &mut facts);
        for (id, expected) in [
            ("host.system", "Windows Server 2022 Datacenter 21H2"),
            ("host.kernel", "10.0.20348.2402"),
            ("host.power_plan", "Balanced"),
            ("host.cloud", "none"),
            ("clock.source", "QueryPerformanceCounter, 10 MHz"),
        ] {
            assert_eq!(facts.text(id), Some(expected), "{id}");
        }
        assert_eq!(facts.number("cpu.cores"), Some(40.0));
    }

    #[test]
    fn what_windows_does_not_tell_is_unknown_with_the_reason() {
        let mut facts = Environment::default();
        let host = Host {
            power_scheme: Err("refused".into()),
            tables: Err("none".into()),
            cores: Err("Windows lists none".into()),
            ..server()
        };
        set(&host, &mut facts);
        set_filter_drivers(Err("needs administrator rights".into()), &mut facts);
        for id in [
            "host.power_plan",
            "host.cloud",
            "cpu.cores",
            "host.filter_drivers",
        ] {
            assert!(
                matches!(&facts.facts[id], Fact::Unknown(why) if !why.is_empty()),
                "{id}"
            );
        }
        set_filter_drivers(Ok(vec!["WdFilter".into(), "luafv".into()]), &mut facts);
        assert_eq!(facts.text("host.filter_drivers"), Some("WdFilter, luafv"));
    }

    #[test]
    fn a_scheme_of_ones_own_has_its_own_name() {
        let named = |name: &str| power_plan(&Ok((name.into(), "1234".into())));
        assert_eq!(named("Messplatz").as_deref(), Ok("Messplatz"));
        assert_eq!(named("").as_deref(), Ok("1234"));
    }
}
