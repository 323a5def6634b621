//! Which published figures ship with the program? One TOML file each in the folder `references`, listed here.

use std::collections::BTreeSet;

use plumb_model::environment::FACTS;
use plumb_model::results::comparison::compared_metric;
use plumb_model::results::reference::{CONDITIONS, PublishedFigure, REFERENCE_PREFIX, Reference};
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
            figure_flaw(reference, figure).map(|flaw| format!("figure '{}': {flaw}", figure.name))
        })
    })
}

/// The first error in a figure.
fn figure_flaw(reference: &Reference, figure: &PublishedFigure) -> Option<String> {
    let unknown_metric = figure
        .metric
        .as_deref()
        .filter(|id| compared_metric(id).is_none());
    if let Some(metric) = unknown_metric {
        return Some(format!("'{metric}' is not a comparable metric"));
    }
    let programs: Vec<&str> = reference
        .programs
        .iter()
        .map(|program| program.name.as_str())
        .collect();
    if !programs.contains(&figure.program.as_str()) {
        return Some(format!(
            "its program '{}' is none of [[program]]: {}",
            figure.program,
            programs.join(", ")
        ));
    }
    if figure
        .value
        .is_some_and(|value| !(value.is_finite() && value > 0.0))
    {
        return Some("a value must be above 0; omit it if none was published".into());
    }
    match (figure.value, &figure.unit, reference.unit_of(figure)) {
        (Some(_), None, _) => return Some("the value has no unit".into()),
        (_, Some(unit), None) => {
            return Some(format!(
                "'{unit}' is not one of the units of {}",
                figure.program
            ));
        }
        (_, _, Some(unit)) if !(unit.is.is_finite() && unit.is > 0.0) => {
            return Some(format!("the unit '{}' is not above 0", unit.printed));
        }
        _ => {}
    }
    let work = figure.work.as_ref()?;
    let contradicts = work.block_to.is_some() && work.block_to < work.block
        || work.depth.is_some() && work.depth_from.is_some();
    match work {
        _ if figure.metric.is_none() => {
            Some("work without a metric cannot be compared; give the metric".into())
        }
        _ if contradicts => Some(
            "its work contradicts itself: block_to is below block, or both depth and depth_from are given"
                .into(),
        ),
        work if work.kind.is_none() && work.test.is_none() => {
            Some("its work says neither the kind of operation nor the test".into())
        }
        _ => None,
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
            ("E4", 28, 1),
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

    #[test]
    fn values_are_what_was_printed_in_the_unit_of_the_program() {
        let mut ranges = Vec::new();
        for reference in shipped() {
            for figure in &reference.figures {
                let Some(value) = figure.value else { continue };
                let unit = reference.unit_of(figure).expect("a unit");
                let printed = ["about ", "over ", "under "]
                    .iter()
                    .fold(figure.printed.as_str(), |text, word| {
                        text.trim_start_matches(word)
                    });
                let end = printed
                    .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
                    .expect("a unit");
                if !printed[end..].starts_with(&format!(" {}", unit.printed)) {
                    ranges.push(figure.printed.clone());
                    continue;
                }
                let number: f64 = printed[..end].replace(',', "").parse().expect("a number");
                assert!(
                    (value / (number * unit.is) - 1.0).abs() < 1e-6,
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

    /// By the article's own listing: 1,073,741,824 bytes in 20.888 s are 49.02.
    #[test]
    fn units_are_those_of_the_programs() {
        let value = |id: &str, name: &str| {
            let reference = find(id).expect(id);
            let figure = reference.figures.iter().find(|figure| figure.name == name);
            figure.and_then(|figure| figure.value).expect(name)
        };
        let listing = 1_073_741_824.0 / 20.888;
        let freebsd = value("freebsd-gmirror-2010", "dd write, 4 KB");
        assert!((freebsd / listing - 1.0).abs() < 1e-4, "{freebsd}");
        assert_eq!(value("linux-md-2010", "dd write, 4 KB"), 23_900_000.0);
        assert_eq!(
            value("linux-md-2010", "bonnie++ sequential output, block"),
            28_895.0 * 1024.0
        );
        let netpipe = value("smb3-rdma-2012-fabric", "TCP, messages of 1 MiB");
        assert!((netpipe * 8.0 / (7686.283 * 1_048_576.0) - 1.0).abs() < 1e-9);
        assert_eq!(
            value("linux-md-2010", "iozone write, 16 MB file"),
            (204u64 * 1_048_576) as f64
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

    const SOUND: &str = "id = 'a'\ntitle = 'b'\nexperiment = 'E1'\nsystem = 's'\npublished = '2012'\nsource = 'c'\n[[program]]\nname = 'p'\nunits = [{ printed = 'IOPS', is = 1, known_by = 'k' }]\n[[figure]]\nname = 'n'\ntable = 't'\nrow = 'r'\nprogram = 'p'\noperation = 'o'\ncache = 'bypassed'\nmetric = 'iops'\nvalue = 1\nunit = 'IOPS'\nprinted = '1 IOPS'\n";

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
            "unit = 'IOPS'",
            "unit = 'furlongs'",
            "'furlongs' is not one of the units of p",
        );
        check("unit = 'IOPS'\n", "", "the value has no unit");
        check("is = 1", "is = 0", "the unit 'IOPS' is not above 0");
        check(
            "program = 'p'",
            "program = 'q'",
            "its program 'q' is none of [[program]]: p",
        );
        check(
            "metric = 'iops'",
            "work = { kind = 'read' }",
            "work without a metric",
        );
        check(
            "value = 1",
            "work = { depth = 1 }",
            "neither the kind of operation nor the test",
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
            "[[figure]]",
            "[[figure]]\nname = 'n'\ntable = 't'\nrow = 'r'\nprogram = 'p'\noperation = 'o'\ncache = 'bypassed'\nprinted = 'x'\n[[figure]]",
            "two figures are named 'n'",
        );
        assert!(parse("figure = []", "x").is_err());
        let empty = format!(
            "figure = []\n{}",
            SOUND.split("[[figure]]").next().expect("head")
        );
        assert!(
            parse(&empty, "mine.toml")
                .expect_err("empty")
                .to_string()
                .contains("no figure")
        );
    }
}
