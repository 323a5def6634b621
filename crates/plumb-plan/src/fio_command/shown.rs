//! What does fio's command line tell without running anything? Jobs as one line, what becomes of an option, and which engines there are.

use plumb_model::engines::ENGINES;
use plumb_model::keys::Keys;
use plumb_model::plan::PlanError;
use plumb_model::text::shell::quoted;

use crate::fio_command::command::FioCommand;
use crate::fio_command::lines::{is_global, kind};
use crate::fio_job::{Class, JobFileLine, Nearest, OptionKind, Surroundings, nearest_to, options};

/// The jobs as a command line, as `--showcmd` writes it.
///
/// # Errors
/// A job file cannot be read.
pub fn shown(
    command: &FioCommand,
    text_of: &mut dyn FnMut(&str) -> Result<String, String>,
    surroundings: &mut Surroundings<'_>,
) -> Result<String, PlanError> {
    let mut line = String::from("fio");
    for part in command.all_lines(text_of, surroundings)? {
        match part {
            JobFileLine::Head { name, .. } if is_global(&name) => {}
            JobFileLine::Head { name, .. } => line += &format!(" --name={}", quoted(&name)),
            JobFileLine::Option { key, place, .. } if place.line == 0 || key == "name" => {}
            JobFileLine::Option {
                key,
                value: Some(value),
                ..
            } => line += &format!(" --{key}={}", quoted(&value)),
            JobFileLine::Option { key, .. } => line += &format!(" --{key}"),
        }
    }
    Ok(line)
}

/// What becomes of one option; `None`: fio has none of this name.
pub fn described(name: &str) -> Option<String> {
    let known = options(Keys::get());
    kind(&known, name).map(describe)
}

fn describe(option: &OptionKind) -> String {
    let aliases = match option.aliases {
        [] => String::new(),
        aliases => format!("\n{:>20}: {}", "alias", aliases.join(", ")),
    };
    format!(
        "{:>20}: {}{aliases}{}",
        option.name,
        meaning(option.class),
        if option.alone {
            format!(
                "\n{:>20}: may stand without a value, which means 1",
                "value"
            )
        } else {
            String::new()
        }
    )
}

fn meaning(class: Class) -> String {
    match class {
        Class::Honoured => "honoured, with fio's meaning".into(),
        Class::WithoutEffect => "accepted, without effect here".into(),
        Class::Refused {
            unless: [],
            instead,
        } => format!("refused: {instead}"),
        Class::Refused { unless, instead } => {
            format!(
                "refused, but for the value {}: {instead}",
                unless.join(", ")
            )
        }
    }
}

/// All options with what becomes of each, as `--cmdhelp=all` lists them.
pub fn option_list() -> String {
    options(Keys::get())
        .iter()
        .map(|option| format!("{:<24}: {}\n", option.name, meaning(option.class)))
        .collect()
}

/// Names of fio's engines that plumb carries out, in the order of its own. With a name: what stands for it, or that fio has none.
///
/// # Errors
/// It stands for none; what to do instead.
pub fn engines(name: Option<&str>) -> Result<String, String> {
    if let Some(name) = name {
        let (engine, option) = name.split_once(',').unwrap_or((name, ""));
        return match nearest_to(engine)? {
            Nearest::Engine { name, .. } if option.is_empty() => {
                Ok(format!("{engine}: plumb's engine {name}\n"))
            }
            Nearest::Files(word) if option.is_empty() => {
                Ok(format!("{engine}: operations on files, mix = {word}\n"))
            }
            Nearest::Messages if option.is_empty() => {
                Ok(format!("{engine}: messages to plumb's responder, by TCP\n"))
            }
            Nearest::No(instead) => Err(format!("{engine} is not carried out here: {instead}")),
            _ => described(option)
                .map(|text| text + "\n")
                .ok_or_else(|| format!("fio has no option '{option}'")),
        };
    }
    let of_tables = ENGINES.iter().flat_map(|engine| engine.fio);
    let mut names: Vec<&str> = of_tables
        .copied()
        .chain(["net", "netsplice", "filecreate", "filestat", "filedelete"])
        .filter(|name| {
            matches!(
                nearest_to(name),
                Ok(Nearest::Engine { .. } | Nearest::Files(_) | Nearest::Messages)
            )
        })
        .collect();
    names.dedup();
    let list: String = names.iter().map(|name| format!("\t{name}\n")).collect();
    Ok(format!("Available IO engines:\n{list}"))
}
