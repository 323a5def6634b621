//! Which published figures ship with the program? One TOML file each in the folder `references`, listed here.

use std::collections::BTreeSet;

use plumb_model::environment::FACTS;
use plumb_model::results::comparison::compared_metric;
use plumb_model::results::reference::{
    CONDITIONS, PUBLISHED_UNITS, PublishedFigure, REFERENCE_PREFIX, Reference,
};
use plumb_model::text::nearest::nearest;

/// A reference that does not exist, or that is not written as it should be: where, what, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReferenceError(pub String);

/// A reference that ships with the program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// Name after `ref:`; also the file's name.
    pub id: &'static str,
    /// The file.
    pub text: &'static str,
}

/// All references, in the order of the experiments.
pub const REFERENCES: &[BuiltIn] = &[
    BuiltIn {
        id: "smb3-rdma-2012-array",
        text: include_str!("../../../references/smb3-rdma-2012-array.toml"),
    },
    BuiltIn {
        id: "smb3-rdma-2012-fabric",
        text: include_str!("../../../references/smb3-rdma-2012-fabric.toml"),
    },
    BuiltIn {
        id: "smb3-rdma-2012-share",
        text: include_str!("../../../references/smb3-rdma-2012-share.toml"),
    },
    BuiltIn {
        id: "refs-2012",
        text: include_str!("../../../references/refs-2012.toml"),
    },
    BuiltIn {
        id: "ntfs-2012",
        text: include_str!("../../../references/ntfs-2012.toml"),
    },
    BuiltIn {
        id: "rsync-linux-2012",
        text: include_str!("../../../references/rsync-linux-2012.toml"),
    },
    BuiltIn {
        id: "rsync-cygwin-2012",
        text: include_str!("../../../references/rsync-cygwin-2012.toml"),
    },
    BuiltIn {
        id: "rsync-msys-2012",
        text: include_str!("../../../references/rsync-msys-2012.toml"),
    },
    BuiltIn {
        id: "rsync-rsyncwin32-2012",
        text: include_str!("../../../references/rsync-rsyncwin32-2012.toml"),
    },
    BuiltIn {
        id: "optane-p4800x",
        text: include_str!("../../../references/optane-p4800x.toml"),
    },
    BuiltIn {
        id: "optane-p4800x-2012r2",
        text: include_str!("../../../references/optane-p4800x-2012r2.toml"),
    },
    BuiltIn {
        id: "optane-p4800x-claims",
        text: include_str!("../../../references/optane-p4800x-claims.toml"),
    },
    BuiltIn {
        id: "p3700",
        text: include_str!("../../../references/p3700.toml"),
    },
    BuiltIn {
        id: "nas-backup-2018-1-thread",
        text: include_str!("../../../references/nas-backup-2018-1-thread.toml"),
    },
    BuiltIn {
        id: "nas-backup-2018-8-threads",
        text: include_str!("../../../references/nas-backup-2018-8-threads.toml"),
    },
    BuiltIn {
        id: "freebsd-gmirror-2010",
        text: include_str!("../../../references/freebsd-gmirror-2010.toml"),
    },
    BuiltIn {
        id: "linux-md-2010",
        text: include_str!("../../../references/linux-md-2010.toml"),
    },
];

/// All references that ship with the program.
///
/// # Errors
/// When a file is not written as it should be, which a test excludes.
pub fn all() -> Result<Vec<Reference>, ReferenceError> {
    REFERENCES
        .iter()
        .map(|built_in| parse(built_in.text, built_in.id))
        .collect()
}

/// The reference of this name, with or without `ref:` before it.
///
/// # Errors
/// When there is none: the message names the nearest one and where the list is.
pub fn find(name: &str) -> Result<Reference, ReferenceError> {
    let id = name.strip_prefix(REFERENCE_PREFIX).unwrap_or(name).trim();
    match REFERENCES.iter().find(|built_in| built_in.id == id) {
        Some(built_in) => parse(built_in.text, built_in.id),
        None => {
            let ids: Vec<&str> = REFERENCES.iter().map(|built_in| built_in.id).collect();
            Err(ReferenceError(format!(
                "unknown published reference '{id}'{}; `plumb list --references` lists all",
                nearest(id, &ids)
            )))
        }
    }
}

/// Reads a reference file. `source` names it in messages.
///
/// # Errors
/// The text is not TOML, has unknown keys, or unusable content: a fact or metric that does not exist, or a value without a unit.
pub fn parse(text: &str, source: &str) -> Result<Reference, ReferenceError> {
    let reference: Reference = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| {
            text.as_bytes()
                .iter()
                .take(span.start)
                .filter(|byte| **byte == b'\n')
                .count()
                + 1
        });
        ReferenceError(format!(
            "reference {source}, line {line}: {}",
            error.message().trim().replace('\n', " ")
        ))
    })?;
    match flaw(&reference) {
        Some(flaw) => Err(ReferenceError(format!("reference {source}: {flaw}"))),
        None => Ok(reference),
    }
}

/// The first error in a reference.
fn flaw(reference: &Reference) -> Option<String> {
    let fact = reference
        .environment
        .keys()
        .find(|id| !FACTS.iter().any(|(listed, _)| listed == id));
    let condition = reference
        .conditions
        .keys()
        .find(|key| !CONDITIONS.iter().any(|(listed, _)| listed == key));
    let mut names = BTreeSet::new();
    let repeated = reference
        .figures
        .iter()
        .find(|figure| !names.insert(&figure.name));
    if reference.figures.is_empty() {
        return Some("it has no figure; add at least one [[figure]]".into());
    }
    fact.map(|id| {
        format!(
            "'{id}' in [ground] is not a fact{}",
            nearest(id, &names_of(FACTS))
        )
    })
    .or_else(|| {
        condition.map(|key| {
            format!(
                "'{key}' is not a condition{}",
                nearest(key, &names_of(CONDITIONS))
            )
        })
    })
    .or_else(|| {
        repeated.map(|figure| {
            format!(
                "two figures are named '{}'; give each its own name",
                figure.name
            )
        })
    })
    .or_else(|| {
        reference.figures.iter().find_map(|figure| {
            figure_flaw(figure).map(|flaw| format!("figure '{}': {flaw}", figure.name))
        })
    })
}

/// The first error in a figure.
fn figure_flaw(figure: &PublishedFigure) -> Option<String> {
    let unknown_metric = figure
        .metric
        .as_deref()
        .filter(|id| compared_metric(id).is_none());
    let unknown_unit = figure
        .unit
        .as_deref()
        .filter(|unit| !PUBLISHED_UNITS.contains(unit));
    if let Some(metric) = unknown_metric {
        return Some(format!("'{metric}' is not a comparable metric"));
    }
    if let Some(unit) = unknown_unit {
        return Some(format!(
            "'{unit}' is not one of the units {}",
            PUBLISHED_UNITS.join(", ")
        ));
    }
    if figure
        .value
        .is_some_and(|value| !(value.is_finite() && value > 0.0))
    {
        return Some("a value must be above 0; omit it if none was published".into());
    }
    match (&figure.metric, &figure.unit) {
        (Some(_), Some(_)) => Some("the metric implies the unit; remove `unit`".into()),
        (None, None) if figure.value.is_some() => Some("the value has neither metric nor unit".into()),
        (None, _) if figure.work.is_some() => Some("work without a metric cannot be compared; give the metric".into()),
        _ => figure.work.as_ref().and_then(|work| {
            let odd = work.block_to.is_some() && work.block_to < work.block || work.depth.is_some() && work.depth_from.is_some();
            odd.then(|| "its work contradicts itself: block_to is below block, or both depth and depth_from are given".into())
        }),
    }
}

/// Names of a list of names and meanings.
fn names_of<'l>(list: &[(&'l str, &'l str)]) -> Vec<&'l str> {
    list.iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::results::reference::EXPERIMENTS;

    fn shipped() -> Vec<Reference> {
        all().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn every_reference_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../references");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("folder references")
            .filter_map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .into_string()
                    .ok()?
                    .strip_suffix(".toml")
                    .map(str::to_string)
            })
            .collect();
        files.sort();
        let mut listed: Vec<&str> = REFERENCES.iter().map(|built_in| built_in.id).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
    }

    #[test]
    fn every_reference_says_what_it_is() {
        for (reference, built_in) in shipped().iter().zip(REFERENCES) {
            assert_eq!(reference.id, built_in.id);
            assert!(
                EXPERIMENTS
                    .iter()
                    .any(|(experiment, _)| *experiment == reference.experiment),
                "{}",
                reference.id
            );
            assert!(
                !reference.title.is_empty() && !reference.source.is_empty(),
                "{}",
                reference.id
            );
            assert!(
                !reference.doubts.is_empty(),
                "{}: no published measurement tells its spread",
                reference.id
            );
            let year: u32 = reference.published.parse().expect("a year");
            assert!(
                (2010..=2026).contains(&year) && reference.source.contains(&reference.published),
                "{}",
                reference.id
            );
            assert!(
                !reference.environment.is_empty() && !reference.conditions.is_empty(),
                "{}: no set-up",
                reference.id
            );
            for figure in reference
                .figures
                .iter()
                .filter(|figure| figure.value.is_none())
            {
                assert!(
                    figure.note.is_some(),
                    "{}, {}: why is there no value?",
                    reference.id,
                    figure.name
                );
            }
        }
    }

    /// Every number of the six experiments, counted by hand in the articles' tables: (experiment, figures, those without a number).
    #[test]
    fn no_figure_of_the_six_experiments_is_missing() {
        for (experiment, figures, without_value) in [
            ("E1", 15, 0),
            ("E2", 16, 0),
            ("E3", 8, 0),
            ("E4", 26, 1),
            ("E5", 5, 0),
            ("E6", 68, 1),
        ] {
            let of: Vec<PublishedFigure> = shipped()
                .into_iter()
                .filter(|reference| reference.experiment == experiment)
                .flat_map(|reference| reference.figures)
                .collect();
            assert_eq!(of.len(), figures, "{experiment}");
            assert_eq!(
                of.iter().filter(|figure| figure.value.is_none()).count(),
                without_value,
                "{experiment}"
            );
        }
    }

    /// What a printed unit is in the unit of the value.
    const PRINTED_UNITS: &[(&str, f64)] = &[
        (" MB/s", 1e6),
        (" MiB/s", 1_048_576.0),
        (" KB/s", 1024.0),
        (" Gbit/s", 1e9),
        (" Mbit/s", 1e6),
        (" us", 1e3),
        (" KB", 1e3),
        (" IOPS", 1.0),
        (" IOPS per core", 1.0),
        (" files/s", 1.0),
        (" requests/s", 1.0),
        (" /s", 1.0),
        (" %", 1.0),
        (" % of 40 cores", 1.0),
        (" cores burnt", 1.0),
    ];

    #[test]
    fn values_are_what_was_printed() {
        let mut ranges = Vec::new();
        for reference in shipped() {
            for figure in &reference.figures {
                let Some(value) = figure.value else { continue };
                let printed = ["about ", "over ", "under "]
                    .iter()
                    .fold(figure.printed.as_str(), |text, word| {
                        text.trim_start_matches(word)
                    });
                let end = printed
                    .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
                    .expect("a unit");
                let Some((_, factor)) = PRINTED_UNITS
                    .iter()
                    .find(|(unit, _)| *unit == &printed[end..])
                else {
                    ranges.push(figure.printed.clone());
                    continue;
                };
                let number: f64 = printed[..end].replace(',', "").parse().expect("a number");
                // A bandwidth is stored in bytes, whatever unit was printed.
                let factor = if figure.metric.as_deref() == Some("bandwidth")
                    && printed.ends_with("bit/s")
                {
                    factor / 8.0
                } else {
                    *factor
                };
                assert!(
                    (value / (number * factor) - 1.0).abs() < 1e-9,
                    "{}, {}: {value} is not {}",
                    reference.id,
                    figure.name,
                    figure.printed
                );
            }
        }
        assert_eq!(
            ranges,
            [
                "3-5 %",
                "8-11 %",
                "about 20-21 us",
                "400,000 to 500,000 IOPS"
            ],
            "only ranges have a value that is not printed"
        );
    }

    #[test]
    fn the_same_tests_have_the_same_names() {
        let names = |id: &str| -> Vec<String> {
            find(id)
                .expect(id)
                .figures
                .into_iter()
                .map(|figure| figure.name)
                .collect()
        };
        for (one, other) in [
            ("refs-2012", "ntfs-2012"),
            ("rsync-linux-2012", "rsync-rsyncwin32-2012"),
            ("freebsd-gmirror-2010", "linux-md-2010"),
        ] {
            assert_eq!(names(one), names(other));
        }
        for (one, other, shared) in [
            ("smb3-rdma-2012-array", "smb3-rdma-2012-share", 2),
            ("nas-backup-2018-1-thread", "nas-backup-2018-8-threads", 2),
            ("optane-p4800x", "p3700", 2),
            ("optane-p4800x", "optane-p4800x-2012r2", 1),
        ] {
            let others = names(other);
            assert_eq!(
                names(one)
                    .iter()
                    .filter(|name| others.contains(name))
                    .count(),
                shared,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn references_are_found_and_the_nearest_one_is_named() {
        assert_eq!(
            find("ref:refs-2012").expect("listed").figures[0].value,
            Some(192.85e6)
        );
        assert_eq!(find("p3700").expect("listed").id, "p3700");
        let error = find("ref:optane-p4800").expect_err("no such").to_string();
        assert!(
            error.contains("'optane-p4800' (did you mean 'optane-p4800x'?)")
                && error.contains("plumb list --references"),
            "{error}"
        );
    }

    const SOUND: &str = "id = 'a'\ntitle = 'b'\nexperiment = 'E1'\npublished = '2012'\nsource = 'c'\n[[figure]]\nname = 'n'\nmetric = 'iops'\nvalue = 1\nprinted = '1 IOPS'\n";

    #[test]
    fn what_no_reader_could_use_is_refused() {
        parse(SOUND, "mine.toml").expect("sound");
        let check = |from: &str, to: &str, expected: &str| {
            let text = SOUND.replacen(from, to, 1);
            assert_ne!(text, SOUND);
            let error = parse(&text, "mine.toml").expect_err(expected).to_string();
            assert!(
                error.starts_with("reference mine.toml") && error.contains(expected),
                "{error}"
            );
        };
        check("title", "titel", "line 2: unknown field `titel`");
        check(
            "[[figure]]",
            "[ground]\n'cpu.core' = { number = 1 }\n[[figure]]",
            "'cpu.core' in [ground] is not a fact (did you mean 'cpu.cores'?)",
        );
        check(
            "[[figure]]",
            "[conditions]\nprogramme = 'x'\n[[figure]]",
            "'programme' is not a condition (did you mean 'program'?)",
        );
        check(
            "'iops'",
            "'iop'",
            "figure 'n': 'iop' is not a comparable metric",
        );
        check("value = 1", "value = 0", "above 0");
        check("value = 1", "value = nan", "above 0");
        check(
            "metric = 'iops'",
            "unit = 'furlongs'",
            "'furlongs' is not one of the units percent",
        );
        check(
            "metric = 'iops'",
            "metric = 'iops'\nunit = 'percent'",
            "remove `unit`",
        );
        check("metric = 'iops'\n", "", "neither metric nor unit");
        check(
            "metric = 'iops'",
            "unit = 'percent'\nwork = { kind = 'read' }",
            "work without a metric",
        );
        check(
            "value = 1",
            "work = { kind = 'read', depth = 1, depth_from = 2 }",
            "contradicts itself",
        );
        check(
            "value = 1",
            "work = { kind = 'read', block = '8k', block_to = '4k' }",
            "contradicts itself",
        );
        check(
            "name = 'n'",
            "name = 'n'\nprinted = 'x'\n[[figure]]\nname = 'n'",
            "two figures are named 'n'",
        );
        assert!(parse("figure = []", "x").is_err());
        let empty = SOUND.split("[[figure]]").next().expect("head").to_string() + "figure = []";
        assert!(
            parse(&empty, "mine.toml")
                .expect_err("empty")
                .to_string()
                .contains("no figure")
        );
    }
}
