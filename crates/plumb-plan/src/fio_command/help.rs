//! How are fio's options and engines described, in the form of `fio --cmdhelp` and `fio --enghelp`?

use plumb_model::engines::ENGINES;
use plumb_model::keys::Keys;
use plumb_model::text::nearest::nearest;

use crate::fio_command::command::OF_OUTPUT;
use crate::fio_command::lines::kind;
use crate::fio_job::{Class, Nearest, OptionKind, nearest_to, options};

/// Facts of each option, as fio reports them, and its meaning in plumb's words.
const TABLE: &str = include_str!("help.txt");
/// Missing in the table.
const NOTHING: &str = "-";

/// Text for standard output, text for standard error, and fio's exit code.
#[derive(Debug, Default)]
pub struct Help {
    pub text: String,
    pub message: Option<String>,
    pub is_failed: bool,
}

/// One line of the table.
#[derive(Clone, Copy)]
struct Facts {
    name: &'static str,
    form: &'static str,
    default: &'static str,
    range: &'static str,
    values: &'static str,
    engines: &'static str,
    meaning: &'static str,
}

impl Facts {
    fn all() -> impl Iterator<Item = Facts> {
        TABLE.lines().filter_map(|line| {
            let mut columns = line.split('|');
            let mut next = || columns.next();
            Some(Facts {
                name: next()?,
                form: next()?,
                default: next()?,
                range: next()?,
                values: next()?,
                engines: next()?,
                meaning: next()?,
            })
            .filter(|facts| !facts.name.starts_with('#'))
        })
    }

    fn is_of(&self, engine: &str) -> bool {
        self.engines.split(' ').any(|name| name == engine)
    }

    /// A line of a list.
    fn line(&self, known: &[OptionKind]) -> String {
        let here = match kind(known, self.name).map(|kind| kind.class) {
            None | Some(Class::Honoured) => "",
            Some(Class::WithoutEffect) => " [without effect]",
            Some(Class::Refused { .. }) => " [refused]",
        };
        format!("{:<24}: {}{here}\n", self.name, self.meaning)
    }

    /// The complete description.
    fn described(&self, option: &OptionKind) -> String {
        let mut text = row(self.name, self.meaning);
        option
            .aliases
            .iter()
            .for_each(|alias| text += &row("alias", alias));
        if let Some(form) = form(self.form) {
            text += &row("type", form);
            let has_default = self.default != NOTHING;
            text += &row(
                "default",
                if has_default {
                    self.default
                } else {
                    "no default"
                },
            );
        }
        if let Some((least, most)) = self.range.split_once("..") {
            let most = if most.is_empty() {
                String::new()
            } else {
                format!(", max={most}")
            };
            text += &row("range", &format!("min={least}{most}"));
        }
        let values = self.values.split(',').filter(|value| *value != NOTHING);
        for (number, value) in values.enumerate() {
            text += &row(if number == 0 { "valid values" } else { "" }, value);
        }
        text + &row("in plumb", &becomes(option.class)) + "\n"
    }
}

fn row(name: &str, text: &str) -> String {
    format!("{name:>20}: {text}\n")
}

/// The type of its value.
fn form(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "b" => "0 or 1",
        "e" => "0 or 1, or no value, which means 1",
        "i" => "integer, with k, m, g for bytes (4k)",
        "f" => "numbers separated by : (50:99.9)",
        "k" => "word and number (write:32)",
        "n" => "bytes or percent (1g, 50%)",
        "r" => "one to three ranges (1k-4k,4k-8k)",
        "s" => "text",
        "t" => "time (10s)",
        _ => return None,
    })
}

/// How plumb handles it.
fn becomes(class: Class) -> String {
    match class {
        Class::Honoured => "supported, with fio's meaning".into(),
        Class::WithoutEffect => "accepted, without effect here".into(),
        Class::Refused {
            unless: [],
            instead,
        } => format!("refused: {instead}"),
        Class::Refused { unless, instead } => {
            format!(
                "refused, except for the value {}: {instead}",
                unless.join(", ")
            )
        }
    }
}

/// All options; also the meaning of those that are `carried_out` outside the plan.
fn known(carried_out: &[&str]) -> Vec<OptionKind> {
    let mut known = options(Keys::get());
    for option in &mut known {
        if OF_OUTPUT.contains(&option.name) || carried_out.contains(&option.name) {
            option.class = Class::Honoured;
        }
    }
    known
}

/// One option, or the closest if fio has none of this name. As in fio, that is not a failure.
pub fn option_help(name: &str, carried_out: &[&str]) -> Help {
    let known = known(carried_out);
    if name == "all" {
        let of_all = Facts::all().filter(|facts| facts.engines == NOTHING);
        return Help {
            text: of_all.map(|facts| facts.line(&known)).collect(),
            ..Help::default()
        };
    }
    if let Some(text) = described(&known, name) {
        return Help {
            text,
            ..Help::default()
        };
    }
    let names: Vec<&str> = known.iter().map(|option| option.name).collect();
    let nearest = nearest(&name.to_ascii_lowercase(), &names);
    let closest = nearest
        .split('\'')
        .nth(1)
        .and_then(|closest| described(&known, closest));
    let begin = if closest.is_some() {
        " - showing closest match\n"
    } else {
        "\n"
    };
    Help {
        text: begin.to_string() + &closest.unwrap_or_default(),
        message: Some(no_such(name)),
        is_failed: false,
    }
}

fn no_such(name: &str) -> String {
    format!("No such command: {name}")
}

fn described(known: &[OptionKind], name: &str) -> Option<String> {
    let option = kind(known, name)?;
    let facts = Facts::all().find(|facts| facts.name == option.name)?;
    Some(facts.described(option))
}

/// The engines that plumb supports; with a name the options of that engine, and with `ENGINE,OPTION` one of them.
pub fn engine_help(name: Option<&str>) -> Help {
    let Some(name) = name else {
        return Help {
            text: engine_list(),
            ..Help::default()
        };
    };
    let (engine, option) = name.split_once(',').unwrap_or((name, ""));
    let stands_for = match nearest_to(engine) {
        Ok(nearest) => nearest,
        Err(why) => {
            return Help {
                text: format!("IO engine {engine} not found\n"),
                message: Some(why),
                is_failed: true,
            };
        }
    };
    let known = known(&[]);
    let mut of_engine = Facts::all().filter(|facts| facts.is_of(engine));
    if !option.is_empty() {
        let found = of_engine
            .find(|facts| kind(&known, option).is_some_and(|option| option.name == facts.name));
        return match found.and_then(|facts| described(&known, facts.name)) {
            Some(text) => Help {
                text,
                ..Help::default()
            },
            None => Help {
                text: "\n".into(),
                message: Some(no_such(option)),
                is_failed: true,
            },
        };
    }
    let text: String = of_engine.map(|facts| facts.line(&known)).collect();
    // As in fio, an engine without options is a failure.
    let is_failed = text.is_empty();
    Help {
        text: if is_failed {
            format!("IO engine {engine} has no options\n")
        } else {
            text
        },
        message: Some(format!("{engine}: {}", here(stands_for))),
        is_failed,
    }
}

/// The plumb equivalent of a fio engine.
fn here(nearest: Nearest) -> String {
    match nearest {
        Nearest::Engine { name, .. } => format!("plumb's engine {name}"),
        Nearest::Files(word) => format!("file operations, mix = {word}"),
        Nearest::Messages => "messages to plumb's responder over TCP".to_string(),
        Nearest::Companion => "CPU load or a program alongside the jobs".to_string(),
        Nearest::No(instead) => instead.to_string(),
    }
}

/// Names of fio's engines that plumb supports, in the order of its own.
fn engine_list() -> String {
    let of_tables = ENGINES.iter().flat_map(|engine| engine.fio);
    let mut names: Vec<&str> = of_tables
        .copied()
        .chain(["cpuio", "exec", "net", "netsplice"])
        .chain(["filecreate", "filestat", "filedelete"])
        .filter(|name| nearest_to(name).is_ok_and(|nearest| !matches!(nearest, Nearest::No(_))))
        .collect();
    names.dedup();
    let list: String = names.iter().map(|name| format!("\t{name}\n")).collect();
    format!("Available IO engines:\n{list}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_told_once() {
        let known = options(Keys::get());
        let all_facts: Vec<Facts> = Facts::all().collect();
        for option in &known {
            let facts = all_facts.iter().filter(|facts| facts.name == option.name);
            let all: Vec<_> = facts.collect();
            assert_eq!(all.len(), 1, "{}", option.name);
            let facts = all[0];
            assert!(facts.meaning.len() > 4, "{}", option.name);
            assert!(
                facts.form == NOTHING || form(facts.form).is_some(),
                "{}",
                option.name
            );
        }
        assert_eq!(all_facts.len(), known.len());
    }

    #[test]
    fn an_option_is_told_with_its_facts() {
        let text = option_help("blocksize", &[]).text;
        for part in [
            "                  bs: Block size",
            "               alias: blocksize\n",
            "             default: 4096\n",
            "               range: min=1\n",
            "            in plumb: supported",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let text = option_help("zonemode", &[]).text;
        assert!(text.contains("        valid values: none\n"), "{text}");
        assert!(text.contains("                    : strided\n"), "{text}");
        assert!(
            text.contains("refused, except for the value none"),
            "{text}"
        );
        let text = option_help("verify_state_load", &["verify_state_load"]).text;
        assert!(text.contains("in plumb: supported"), "{text}");
        assert!(
            option_help("bsx", &[])
                .text
                .starts_with(" - showing closest")
        );
        assert_eq!(option_help("nonsense7", &[]).text, "\n");
    }

    #[test]
    fn options_of_an_engine_are_its_own() {
        let help = engine_help(Some("libaio"));
        assert!(help.text.contains("cmdprio_percentage"), "{}", help.text);
        assert!(!help.text.contains("hipri"), "{}", help.text);
        assert!(engine_help(Some("libaio,nowait")).text.contains("type"));
        assert!(engine_help(Some("libaio,rw")).is_failed);
        assert!(engine_help(Some("sync")).is_failed);
        let list = engine_help(None).text;
        assert!(
            list.contains("\tlibaio\n") && !list.contains("\trbd\n"),
            "{list}"
        );
        let none = engine_help(Some("rbd"));
        assert_eq!(none.text, "IO engine rbd not found\n");
        assert!(
            none.message
                .is_some_and(|message| message.contains("mount"))
        );
    }
}
