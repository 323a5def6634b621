//! How does `plumb --help` list the commands? The first steps as command lines, then every command in one group.

use clap::Command;
use clap::builder::styling::Style;
use clap::builder::{StyledStr, Styles};

/// A heading of the help, with its commands in the order in which they are listed.
pub struct VerbGroup {
    pub heading: &'static str,
    pub verbs: &'static [&'static str],
}

/// The five commands that a newcomer needs first, as command lines. `check` needs no knowledge and covers what `doctor` finds; `run` measures a chosen
/// workload, `show` prints a result again, `compare` decides between two of them, and `explain` says what limits one.
pub const FIRST_STEPS: [(&str, &str); 5] = [
    (
        "plumb check /mnt/data",
        "Measure a target in about a minute",
    ),
    ("plumb run depth /mnt/data", "Run one of the built-in plans"),
    ("plumb show RUN", "Show a stored run"),
    (
        "plumb compare BEFORE AFTER",
        "Compare runs: better, worse or same",
    ),
    (
        "plumb explain RUN",
        "Explain what limits a run or a recording",
    ),
];

/// Every command, in exactly one group.
pub const GROUPS: [VerbGroup; 5] = [
    VerbGroup {
        heading: "Measure",
        verbs: &[
            "check",
            "run",
            "plans",
            "doctor",
            "find",
            "replay",
            "copy-test",
            "layers",
            "launch",
            "agent",
            "serve-net",
            "fio",
        ],
    },
    VerbGroup {
        heading: "Compare",
        verbs: &["compare", "trend"],
    },
    VerbGroup {
        heading: "Explain",
        verbs: &["why", "explain", "trace", "watch", "report"],
    },
    VerbGroup {
        heading: "Exchange",
        verbs: &["import", "export", "share", "schema"],
    },
    VerbGroup {
        heading: "Manage",
        verbs: &[
            "list",
            "show",
            "serve",
            "clean",
            "config",
            "completions",
            "manual",
        ],
    },
];

/// clap lists all subcommands below one heading: here `{before-help}` stands in their place.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}";

/// The command with the groups in its help: names only with `-h`, names and descriptions with `--help`.
pub fn grouped(command: Command) -> Command {
    let header = *Styles::styled().get_header();
    let literal = *Styles::styled().get_literal();
    let options = styled("Options:", header);
    let short = format!("{}\n\n{}", first_steps(header, literal), names(header));
    let long = format!(
        "{}\n\n{}",
        first_steps(header, literal),
        descriptions(&command, header, literal)
    );
    command
        .help_template(format!("{TEMPLATE}{options}\n{{options}}{{after-help}}"))
        .before_help(StyledStr::from(short))
        .before_long_help(StyledStr::from(long))
}

fn styled(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

fn first_steps(header: Style, literal: Style) -> String {
    let widest = FIRST_STEPS.iter().map(|(line, _)| line.len()).max();
    let lines = FIRST_STEPS
        .iter()
        .map(|(line, purpose)| entry(line, purpose, widest.unwrap_or(0), literal));
    let lines: Vec<String> = std::iter::once(styled("First steps:", header))
        .chain(lines)
        .collect();
    lines.join("\n")
}

fn entry(name: &str, text: &str, width: usize, literal: Style) -> String {
    let space = " ".repeat(width.saturating_sub(name.len()));
    format!("  {}{space}  {text}", styled(name, literal))
}

/// A line for each group.
fn names(header: Style) -> String {
    let lines = GROUPS
        .iter()
        .map(|group| format!("  {:<8}  {}", group.heading, group.verbs.join(", ")));
    let lines: Vec<String> = std::iter::once(styled("Commands:", header))
        .chain(lines)
        .collect();
    lines.join("\n")
}

/// A block for each group, with a line for each command.
fn descriptions(command: &Command, header: Style, literal: Style) -> String {
    let widest = GROUPS.iter().flat_map(|group| group.verbs);
    let widest = widest.map(|verb| verb.len()).max().unwrap_or(0);
    let blocks = GROUPS.iter().map(|group| {
        let lines = group.verbs.iter().map(|verb| {
            let about = command
                .find_subcommand(verb)
                .and_then(Command::get_about)
                .map(ToString::to_string);
            entry(verb, &about.unwrap_or_default(), widest, literal)
        });
        let lines: Vec<String> =
            std::iter::once(styled(&format!("{} commands:", group.heading), header))
                .chain(lines)
                .collect();
        lines.join("\n")
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use clap::{CommandFactory, Parser};

    use super::{FIRST_STEPS, GROUPS};
    use crate::cli::{self, Cli};

    fn verbs() -> Vec<String> {
        let command = Cli::command();
        let verbs = command.get_subcommands();
        verbs.map(|verb| verb.get_name().to_string()).collect()
    }

    #[test]
    fn every_command_is_in_exactly_one_group_in_the_order_of_the_manual() {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for group in &GROUPS {
            for verb in group.verbs {
                groups.entry(verb).or_default().push(group.heading);
            }
        }
        for (verb, headings) in &groups {
            assert_eq!(headings.len(), 1, "{verb} is in {headings:?}");
        }
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|group| group.verbs)
            .copied()
            .collect();
        assert_eq!(grouped, verbs());
    }

    #[test]
    fn the_help_lists_every_command_once_after_the_first_steps_within_80_columns() {
        let help = cli::command().render_long_help().to_string();
        let (steps, list) = help
            .split_once("Measure commands:")
            .expect("the first group");
        for (line, purpose) in FIRST_STEPS {
            assert!(steps.contains(line) && steps.contains(purpose), "{steps}");
            Cli::try_parse_from(line.split(' ')).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        let (list, _) = list.split_once("Options:").expect("the options");
        let listed: Vec<&str> = list
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
            .collect();
        assert_eq!(listed, verbs());
        for line in list.lines().chain(steps.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn the_short_help_names_every_command_on_one_screen() {
        let help = cli::command().render_help().to_string();
        for verb in verbs() {
            assert!(help.contains(&verb), "{verb}: {help}");
        }
        assert!(help.lines().count() <= 26, "{help}");
    }

    #[test]
    fn descriptions_are_statements_without_a_full_stop() {
        for verb in Cli::command().get_subcommands() {
            let about = verb.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            assert!(
                about.len() > 15 && !about.ends_with('.') && !about.contains('?'),
                "{}: {about}",
                verb.get_name()
            );
        }
    }
}
