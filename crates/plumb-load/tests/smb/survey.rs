//! Does a survey report the server's properties?

use plumb_model::environment::{Environment, FACTS, Fact};
use plumb_model::workload::EngineChoice;

use crate::bench::*;
use crate::samba::{self, Samba};

fn survey(server: &Samba) -> Environment {
    let stop = Default::default();
    let facts = plumb_load::shares::smb::survey(
        &remote(&server.address("share")),
        Some(&secret()),
        &EngineChoice::default(),
        &stop,
    );
    let mut environment = Environment::default();
    for (id, fact) in facts.unwrap_or_else(|error| panic!("{error}")) {
        assert!(
            FACTS.iter().any(|(known, _)| *known == id),
            "{id} is not in the list of facts"
        );
        environment.set(id, fact);
    }
    environment
}

#[test]
fn a_survey_reports_what_the_server_is_like() {
    if !samba::is_installed() {
        return;
    }
    let facts = survey(&Samba::start(&[
        "interfaces = \"127.0.0.1;speed=10000000000,capability=RSS\"",
    ]));
    assert_eq!(
        (
            facts.text("smb.dialect"),
            facts.text("smb.signing"),
            facts.text("smb.encryption")
        ),
        (
            Some("3.1.1"),
            Some("AES-128-GMAC (offered, not in force)"),
            Some("AES-128-GCM (offered, not in force)")
        )
    );
    assert_eq!(
        (
            facts.flag("smb.signing_demanded"),
            facts.flag("smb.encryption_demanded")
        ),
        (Some(false), Some(false))
    );
    assert_eq!(facts.flag("smb.multichannel"), Some(true));
    assert_eq!(
        facts.text("smb.interfaces"),
        Some("127.0.0.1 (10 Gbit/s, RSS)"),
        "{facts:?}"
    );
    assert_eq!(
        (
            facts.number("smb.interfaces_rss"),
            facts.number("smb.interface_speed_max_bits_per_s")
        ),
        (Some(1.0), Some(1e10))
    );
    for id in [
        "smb.round_trip_us",
        "smb.credits",
        "smb.tcp_connect_us",
        "smb.session_set_up_us",
        "smb.signing_ns_per_mib",
        "smb.encryption_ns_per_mib",
    ] {
        assert!(
            facts.number(id).is_some_and(|number| number > 0.0),
            "{id}: {facts:?}"
        );
    }
    assert_eq!(facts.text("smb.compression"), Some("none"));
    let facts = survey(&Samba::start(&[
        "server signing = mandatory",
        "server smb encrypt = required",
        "server multi channel support = no",
    ]));
    let demanded = [
        "smb.signing_demanded",
        "smb.encryption_demanded",
        "smb.multichannel",
    ]
    .map(|id| facts.flag(id));
    assert_eq!(demanded, [Some(true), Some(true), Some(false)]);
    assert_eq!(
        (facts.text("smb.signing"), facts.text("smb.encryption")),
        (
            Some("AES-128-GMAC (offered, not in force)"),
            Some("AES-128-GCM (in force)")
        ),
        "what is encrypted is not signed beside"
    );
    let facts = survey(&Samba::start(&["server signing = mandatory"]));
    assert_eq!(facts.text("smb.signing"), Some("AES-128-GMAC (in force)"));
    assert!(!matches!(
        facts.facts["smb.round_trip_us"],
        Fact::Unknown(_)
    ));
}

#[test]
fn a_recycle_bin_is_reported_by_its_name() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    let told = || survey(&server).text("smb.recycle_bin").map(str::to_owned);
    assert_eq!(told().as_deref(), Some("none"));
    std::fs::create_dir(server.share().join("#recycle")).expect("a folder");
    assert_eq!(told().as_deref(), Some("#recycle"));
}
