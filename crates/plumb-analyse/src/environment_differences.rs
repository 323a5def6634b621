//! How do environments differ? Different facts, except those that change from minute to minute.

use std::collections::BTreeSet;

use plumb_model::environment::{Environment, FACTS, Fact};
use plumb_model::results::comparison::Difference;
use plumb_model::statement::Statement;

/// Facts that differ between any two moments on the same machine: they describe a moment, not the environment.
const OF_THE_MOMENT: &[&str] = &[
    "activity.",
    "host.load_1min",
    "memory.available_bytes",
    "mount.free_bytes",
    "target.cached_bytes",
    "target.unwritten_bytes",
];

/// Facts that name the same object. If the first of a row differs, the others only repeat it.
const NAMES: &[&[&str]] = &[
    &["target.path", "target.given", "target.symlink"],
    &[
        "device.name",
        "device.number",
        "device.backing",
        "device.disk",
        "device.mounted_at",
    ],
    &[
        "mount.file_system",
        "mount.compresses",
        "mount.deduplicates",
        "mount.memory",
        "mount.network",
    ],
    &["target.direct", "target.direct_refusal"],
];

/// Groups of facts that an environment has entirely or not at all, with the fact that represents the group.
const GROUPS: &[(&str, &str)] = &[
    ("mount.", "mount.file_system"),
    ("device.", "device.name"),
    ("array.", "array.level"),
];

/// Numbers that differ by less than this part are the same: RAM that the firmware keeps, sizes after formatting.
const SAME_NUMBER: f64 = 0.01;

/// An environment that knows less than this part of what another one knows was not looked at: the results of another program were taken in.
const LOOKED_AT: f64 = 0.25;
/// With at most this many known facts, each can be listed.
const FEW: usize = 12;

/// Facts in which these environments differ, in the order of [`FACTS`], with one value for each environment. What was unknown in all environments, whatever
/// the reasons, is no difference. Of an environment that nobody looked at this is said once, and only what it knows is compared.
pub fn environment_differences(environments: &[&Environment]) -> Vec<Difference> {
    let ids = ids(environments);
    let counts: Vec<usize> = environments
        .iter()
        .map(|environment| {
            ids.iter()
                .filter(|id| known(environment, id).is_some())
                .count()
        })
        .collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let looked_at = |index: usize| most <= FEW || counts[index] as f64 >= LOOKED_AT * most as f64;
    let all = (0..environments.len()).all(looked_at);
    let telling = |id: &str| -> Vec<&Environment> {
        (0..environments.len())
            .filter(|index| looked_at(*index) || known(environments[*index], id).is_some())
            .map(|index| environments[index])
            .collect()
    };
    let differing: BTreeSet<&str> = ids
        .iter()
        .copied()
        .filter(|id| differs(id, &telling(id)))
        .collect();
    let found = ids
        .into_iter()
        .filter(|id| differing.contains(id) && !is_implied(id, environments, &differing));
    let knowledge = (!all).then(|| Difference {
        what: "ground".into(),
        meaning: Statement::new("difference-known-facts"),
        values: counts
            .iter()
            .map(|count| (*count > 0).then_some(Fact::Number(*count as f64)))
            .collect(),
        steps: Vec::new(),
    });
    knowledge
        .into_iter()
        .chain(found.map(|id| difference(id, environments)))
        .collect()
}

/// All ids that describe the environment: those of [`FACTS`] in their order, then those that are not listed there.
fn ids<'a>(environments: &[&'a Environment]) -> Vec<&'a str> {
    let held: BTreeSet<&str> = environments
        .iter()
        .flat_map(|environment| environment.facts.keys().map(String::as_str))
        .collect();
    let listed = FACTS
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| held.contains(id));
    let other = held
        .iter()
        .copied()
        .filter(|id| !FACTS.iter().any(|(listed, _)| listed == id));
    let lasting = |id: &&str| !OF_THE_MOMENT.iter().any(|start| id.starts_with(start));
    listed.chain(other).filter(lasting).collect()
}

fn difference(id: &str, environments: &[&Environment]) -> Difference {
    let meaning = FACTS
        .iter()
        .find(|(listed, _)| *listed == id)
        .map_or(id, |(_, meaning)| meaning);
    let values = environments
        .iter()
        .map(|environment| environment.facts.get(id).cloned())
        .collect();
    Difference {
        what: id.into(),
        meaning: Statement::verbatim(meaning),
        values,
        steps: Vec::new(),
    }
}

/// True if two environments have different values of this fact.
fn differs(id: &str, environments: &[&Environment]) -> bool {
    environments
        .windows(2)
        .any(|pair| match (known(pair[0], id), known(pair[1], id)) {
            (Some(a), Some(b)) => !same(id, a, b),
            (None, None) => false,
            _ => true,
        })
}

/// A fact that is there and not unknown.
fn known<'e>(environment: &'e Environment, id: &str) -> Option<&'e Fact> {
    environment
        .facts
        .get(id)
        .filter(|fact| !matches!(fact, Fact::Unknown(_)))
}

fn same(id: &str, a: &Fact, b: &Fact) -> bool {
    match (a, b) {
        (Fact::Number(a), Fact::Number(b)) => {
            a == b || (a - b).abs() < SAME_NUMBER * a.abs().max(b.abs())
        }
        (Fact::Text(a), Fact::Text(b)) if id == "mount.options" => options(a) == options(b),
        (a, b) => a == b,
    }
}

/// Mount options, of which the order means nothing.
fn options(text: &str) -> BTreeSet<&str> {
    text.split(',').map(str::trim).collect()
}

/// True if another difference implies it: another name of the same object, or a fact of an object that one environment does not have.
fn is_implied(id: &str, environments: &[&Environment], differing: &BTreeSet<&str>) -> bool {
    let by_name = NAMES
        .iter()
        .filter_map(|names| names.split_first())
        .any(|(first, others)| others.contains(&id) && differing.contains(first));
    let group = GROUPS
        .iter()
        .find(|(start, head)| id.starts_with(start) && id != *head && differing.contains(head));
    let by_group = group.is_some_and(|(start, _)| {
        environments
            .iter()
            .any(|environment| !has_any(environment, start))
    });
    let by_mount = match id {
        // The mount point is implied by the target's path.
        "mount.point" => differing.contains("target.path"),
        // The mounted file system is implied by the device; a share has none.
        "mount.source" => {
            differing.contains("device.name")
                || !environments
                    .iter()
                    .any(|environment| environment.flag("mount.network") == Some(true))
        }
        _ => false,
    };
    by_name || by_group || by_mount
}

fn has_any(environment: &Environment, start: &str) -> bool {
    environment.facts.keys().any(|id| id.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(facts: &[(&str, Fact)]) -> Environment {
        let mut environment = Environment::default();
        facts
            .iter()
            .for_each(|(id, fact)| environment.set(*id, fact.clone()));
        environment
    }

    fn text(value: &str) -> Fact {
        Fact::Text(value.into())
    }

    /// What is said to differ between two environments.
    fn check(a: &[(&str, Fact)], b: &[(&str, Fact)], expected: &[&str]) {
        let (a, b) = (environment(a), environment(b));
        for environments in [[&a, &b], [&b, &a]] {
            let found = environment_differences(&environments);
            assert_eq!(
                found
                    .iter()
                    .map(|difference| difference.what.as_str())
                    .collect::<Vec<_>>(),
                expected
            );
            assert!(found.iter().all(|difference| difference.values.len() == 2
                && difference.meaning != Statement::verbatim("")));
        }
    }

    #[test]
    fn what_lasts_is_told_and_what_passes_is_not() {
        let a = [
            ("host.kernel", text("6.1")),
            ("host.load_1min", Fact::Number(0.1)),
            ("activity.window_s", Fact::Number(0.3)),
        ];
        let b = [
            ("host.kernel", text("6.2")),
            ("host.load_1min", Fact::Number(9.0)),
            ("activity.window_s", Fact::Number(0.4)),
        ];
        check(&a, &b, &["host.kernel"]);
        check(&a, &a, &[]);
        check(
            &[("mount.free_bytes", Fact::Number(1e9))],
            &[("mount.free_bytes", Fact::Number(2e9))],
            &[],
        );
    }

    #[test]
    fn numbers_within_a_percent_are_the_same() {
        let of = |bytes: f64| [("memory.total_bytes", Fact::Number(bytes))];
        check(&of(16e9), &of(16.1e9), &[]);
        check(&of(16e9), &of(17e9), &["memory.total_bytes"]);
        check(&of(0.0), &of(0.0), &[]);
    }

    #[test]
    fn mount_options_are_a_set() {
        let of = |options: &str| [("mount.options", text(options))];
        check(&of("rw,noatime"), &of("noatime,rw"), &[]);
        check(&of("rw,noatime"), &of("rw"), &["mount.options"]);
    }

    #[test]
    fn the_unknown_differs_from_the_known_only() {
        let unknown = |reason: &str| [("cpu.governor", Fact::Unknown(reason.into()))];
        check(&unknown("no driver"), &unknown("not allowed"), &[]);
        check(
            &unknown("no driver"),
            &[("cpu.governor", text("powersave"))],
            &["cpu.governor"],
        );
        check(&unknown("no driver"), &[], &[]);
    }

    #[test]
    fn that_nobody_looked_at_an_environment_is_said_once() {
        let listed: Vec<(&str, Fact)> = FACTS
            .iter()
            .filter(|(id, _)| id.starts_with("host.") || id.starts_with("cpu."))
            .map(|(id, _)| (*id, text("x")))
            .collect();
        assert!(listed.len() > FEW);
        check(&listed, &[], &["ground"]);
        check(&listed, &[("host.kernel", text("x"))], &["ground"]);
        check(
            &listed,
            &[("host.kernel", text("y"))],
            &["ground", "host.kernel"],
        );
    }

    #[test]
    fn a_target_and_a_device_are_named_once() {
        let of = |name: &str, number: &str| {
            let names = [
                "target.given",
                "target.path",
                "mount.point",
                "mount.source",
                "device.name",
                "device.number",
                "device.backing",
            ];
            let mut facts: Vec<(&str, Fact)> = names
                .iter()
                .map(|id| (*id, text(&format!("{name}{number}"))))
                .collect();
            facts.push(("mount.file_system", text("ext4")));
            facts
        };
        check(
            &of("a", "0"),
            &of("a", "1"),
            &["target.path", "device.name"],
        );
        let share = |server: &str| {
            [
                ("mount.source", text(server)),
                ("mount.network", Fact::Flag(true)),
            ]
        };
        check(
            &share("server1:/export"),
            &share("server2:/export"),
            &["mount.source"],
        );
    }

    #[test]
    fn a_group_that_one_environment_lacks_is_one_difference() {
        let mounted = [
            ("mount.file_system", text("xfs")),
            ("mount.options", text("rw")),
            ("mount.total_bytes", Fact::Number(1e9)),
        ];
        check(
            &mounted,
            &[("target.kind", text("block-device"))],
            &["target.kind", "mount.file_system"],
        );
    }

    #[test]
    fn every_id_that_is_judged_by_itself_is_a_fact() {
        let single = NAMES
            .iter()
            .flat_map(|names| names.iter())
            .chain(GROUPS.iter().map(|(_, head)| head));
        for id in single.chain(OF_THE_MOMENT.iter().filter(|id| !id.ends_with('.'))) {
            assert!(
                FACTS.iter().any(|(listed, _)| listed == id),
                "{id} is no fact"
            );
        }
    }
}
