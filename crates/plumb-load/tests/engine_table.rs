//! Does the table of engines match the descriptors of the engines?

#[cfg(target_os = "linux")]
use std::fmt::Write;

use plumb_load::engines::ENGINES;
#[cfg(target_os = "linux")]
use plumb_model::engines::EngineProperties;
use plumb_model::workload::engine_choice::EngineChoice;
#[cfg(target_os = "linux")]
use plumb_model::workload::operation::OperationKind;

#[cfg(target_os = "linux")]
const PATH: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../plumb-model/src/engines/table.rs"
);

/// The text of the file.
#[cfg(target_os = "linux")]
fn table(engines: &[EngineProperties]) -> String {
    let kinds: Vec<String> = OperationKind::ALL
        .iter()
        .map(|kind| format!("{kind:?}"))
        .collect();
    let mut words = String::new();
    for scheme in engines.iter().flat_map(|engine| engine.schemes) {
        let (first, rest) = scheme.word.split_at(1);
        let variant = first.to_ascii_uppercase() + rest;
        let _ = writeln!(
            words,
            "        /// {}\n        {variant} = \"{}\",",
            scheme.meaning, scheme.word
        );
    }
    // What `{:#?}` shows is Rust but for the slices.
    let rows = words_on_one_line(&format!("{engines:#?}")).replace(": [", ": &[");
    format!(
        "//! What does each engine say of itself? Made by `./dev docs` of their files in plumb-load; not to be written by hand.\n\n\
         use std::fmt;\nuse std::str::FromStr;\n\n\
         use crate::engines::properties::WhileLost::{{End, Fail, Wait}};\n\
         use crate::engines::properties::{{EngineProperties, SchemeProperties}};\n\
         use crate::workload::operation::OperationKind::{{{}}};\n\
         use crate::units::UnitError;\n\
         use crate::text::word::{{serde_as_text, words}};\n\n\
         words! {{\n    /// Protocol of a target on the network.\n    Scheme, \"scheme\" {{\n{words}    }}\n}}\n\n\
         /// All engines, in the order in which `auto` tries them.\n\
         pub static ENGINES: &[EngineProperties] = &{rows};\n",
        kinds.join(", ")
    )
}

/// Lists of words and texts, each on one line.
#[cfg(target_os = "linux")]
fn words_on_one_line(rows: &str) -> String {
    let mut out = String::new();
    let mut held: Option<Vec<&str>> = None;
    for line in rows.lines() {
        let item = line.trim();
        match &mut held {
            Some(items) if item == "]," => {
                let joined = items.join(" ");
                let joined = joined.trim_end_matches(',');
                // As rustfmt has them (array_width, short_array_element_width_threshold).
                let is_long = joined.len() + 2 > 60 && items.iter().any(|item| item.len() > 11);
                let _ = match is_long {
                    true => {
                        let separator = format!("\n{}", " ".repeat(12));
                        let items = items.join(&separator);
                        writeln!(out, "{separator}{items}\n{}],", " ".repeat(8))
                    }
                    false => writeln!(out, "{joined}],"),
                };
                held = None;
            }
            Some(items) if !item.ends_with('{') => items.push(item),
            Some(items) => {
                let _ = writeln!(out, "{}\n{line}", items.join("\n"));
                held = None;
            }
            None if line.ends_with(": [") => {
                out.push_str(line);
                held = Some(Vec::new());
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out.trim_end().to_string()
}

/// The table holds the engines of all systems: on others than Linux some are missing here.
#[test]
#[cfg(target_os = "linux")]
fn the_table_of_engines_is_fresh() {
    let here = ENGINES.iter().map(|engine| engine.properties);
    let elsewhere = plumb_load::engines::OF_OTHER_SYSTEMS
        .iter()
        .map(|engine| **engine);
    let engines: Vec<EngineProperties> = here.chain(elsewhere).collect();
    let text = table(&engines);
    if std::env::var_os("PLUMB_WRITE_TABLE").is_some() {
        std::fs::write(PATH, &text).expect("written");
    }
    let committed = std::fs::read_to_string(PATH).expect("the table");
    assert!(committed == text, "stale: run ./dev docs");
}

#[test]
fn options_of_an_engine_are_options() {
    let choice = EngineChoice::default();
    for option in ENGINES.iter().flat_map(|engine| engine.own_options) {
        assert!(!choice.sets(option), "{option} is set by default");
    }
    let all = EngineChoice {
        iopoll: true,
        sqpoll: true,
        positioned: false,
        hipri: true,
        nowait: true,
        uncached: true,
        atomic: true,
        per_character: true,
        donor_each: true,
        answer: true,
        multicast_ttl: 2,
        multicast_interface: "10.0.0.1".into(),
        stdio_buffer: plumb_model::units::Bytes(4096),
        call_size: plumb_model::units::Bytes(1),
        nfs: plumb_model::workload::NfsVersion::V3,
        mount_port: 20048,
        endpoint_url: "http://store:9000".into(),
        region: "us-east-1".into(),
        addressing_style: plumb_model::workload::Addressing::Path,
        keep_alive: false,
        object_checksum: plumb_model::workload::ObjectChecksum::Sha256,
        aws_profile: "store".into(),
        nfs_security: plumb_model::workload::NfsSecurity::Krb5,
        ..choice
    };
    for option in ENGINES.iter().flat_map(|engine| engine.own_options) {
        assert!(all.sets(option), "{option} is no key of EngineChoice");
    }
}
