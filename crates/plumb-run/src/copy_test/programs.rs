//! Which copy programs are known, and what is the command line of one that the user names?

use anyhow::{anyhow, bail};
use plumb_load::copy::{find_program, split_words};
use plumb_model::text::nearest::nearest;

/// A program that plumb knows how to call.
struct Known {
    name: &'static str,
    /// Copies what is in {from} into {to}; empty for smbclient, whose arguments are plumb's.
    command: &'static str,
    /// The same from the destination to a folder here; empty where it is the same command.
    back: &'static str,
    exit_max: i32,
    keeps_times: bool,
    reach: &'static [Reach],
}

/// A kind of destination that a program can copy to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Folder,
    /// A module of an rsync daemon.
    Module,
    /// An SMB share, by a protocol of the program's own.
    Share,
    /// A bucket of an object store.
    Bucket,
}

/// What a command of the user's can reach is the user's to know.
const ANYWHERE: &[Reach] = &[Reach::Folder, Reach::Module, Reach::Share, Reach::Bucket];

/// rsync: -a keeps times, permissions, owners and links. cp: the same; `{from}/.` is what the folder holds. robocopy's exit statuses up to 7 mean that files were
/// copied (Microsoft, robocopy, exit codes).
const KNOWN: &[Known] = &[
    Known {
        name: "rsync",
        command: "rsync -a {from}/ {to}/",
        back: "",
        exit_max: 0,
        keeps_times: true,
        reach: &[Reach::Folder, Reach::Module],
    },
    Known {
        name: RSYNC_DAEMON,
        command: "rsync -a {from}/ {to}/",
        back: "",
        exit_max: 0,
        keeps_times: true,
        reach: &[Reach::Folder, Reach::Module],
    },
    Known {
        name: "cp",
        command: "cp -a {from}/. {to}/",
        back: "",
        exit_max: 0,
        keeps_times: true,
        reach: &[Reach::Folder],
    },
    Known {
        name: "rclone",
        command: "rclone copy --create-empty-src-dirs {from} {to}",
        back: "",
        exit_max: 0,
        keeps_times: true,
        reach: &[Reach::Folder, Reach::Bucket],
    },
    Known {
        name: "robocopy",
        command: "robocopy {from} {to} /E /COPY:DAT /DCOPY:T /R:0 /W:0 /NP /NFL /NDL",
        back: "",
        exit_max: 7,
        keeps_times: true,
        reach: &[Reach::Folder],
    },
    Known {
        name: SMBCLIENT,
        command: "",
        back: "",
        exit_max: 0,
        keeps_times: false,
        reach: &[Reach::Share],
    },
    Known {
        name: "aws",
        command: "aws s3 cp --recursive --only-show-errors {from}/ {to}/",
        back: "",
        exit_max: 0,
        keeps_times: false,
        reach: &[Reach::Bucket],
    },
    Known {
        name: "s5cmd",
        command: "s5cmd --log error cp {from}/ {to}/",
        back: "s5cmd --log error cp {from}/* {to}/",
        exit_max: 0,
        keeps_times: false,
        reach: &[Reach::Bucket],
    },
];

/// Copies through an rsync daemon always: plumb starts one.
const RSYNC_DAEMON: &str = "rsync-daemon";

/// The client of Samba.
pub const SMBCLIENT: &str = "smbclient";

/// A program of this test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// What the user calls it.
    pub name: String,
    /// With `{from}` and `{to}`, as shown; empty for smbclient, whose arguments depend on the direction.
    pub command: String,
    /// The words of the command, there and back.
    words: [Vec<String>; 2],
    pub exit_max: i32,
    pub keeps_times: bool,
    reach: &'static [Reach],
}

impl Program {
    /// The program of this argument. Errors: it is not known, not installed, or its command has no placeholders for the folders.
    pub fn parse(text: &str) -> anyhow::Result<Program> {
        let program = match text.split_once('=') {
            Some((name, command)) => Program::of_user(name.trim(), command)?,
            None => Program::known(text)?,
        };
        let first = program.words[0].first().map_or(SMBCLIENT, String::as_str);
        if find_program(first, std::env::var_os("PATH").as_deref()).is_none() {
            bail!(
                "{}: {first} is not installed, or not in PATH: install it, or use NAME=/absolute/path ... {{from}} {{to}}",
                program.name
            );
        }
        Ok(program)
    }

    fn known(name: &str) -> anyhow::Result<Program> {
        let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
            let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
            bail!(
                "{name} is not a known program{}: known are {}; for another one give its command, as in 'mine={name} {{from}} {{to}}'",
                nearest(name, &names),
                names.join(", ")
            );
        };
        let words = |command: &str| match command {
            "" => Ok(Vec::new()),
            command => split_words(command).map_err(|error| anyhow!(error)),
        };
        let back = match known.back {
            "" => known.command,
            back => back,
        };
        Ok(Program {
            name: name.into(),
            command: known.command.into(),
            words: [words(known.command)?, words(back)?],
            exit_max: known.exit_max,
            keeps_times: known.keeps_times,
            reach: known.reach,
        })
    }

    fn of_user(name: &str, command: &str) -> anyhow::Result<Program> {
        if name.is_empty() || name.chars().any(char::is_control) {
            bail!(
                "'{name}={command}' has no name before the =: use for example mine='cp -a {{from}}/. {{to}}'"
            );
        }
        let words = split_words(command).map_err(|error| anyhow!("{name}: {error}"))?;
        for placeholder in ["{from}", "{to}"] {
            if !command.contains(placeholder) {
                bail!(
                    "{name}: the command has no {placeholder}: give source and destination, as in '{name}=cp -a {{from}}/. {{to}}'"
                );
            }
        }
        Ok(Program {
            name: name.into(),
            command: command.trim().into(),
            words: [words.clone(), words],
            exit_max: 0,
            keeps_times: true,
            reach: ANYWHERE,
        })
    }

    /// The arguments with both placeholders replaced, to the destination or back; empty for smbclient.
    pub fn words(&self, is_back: bool, from: &str, to: &str) -> Vec<String> {
        let words = self.words[usize::from(is_back)].iter();
        words.map(|word| put(word, from, to)).collect()
    }

    /// True if it can copy there.
    pub fn reaches(&self, kind: Reach) -> bool {
        self.reach.contains(&kind)
    }

    /// True if plumb starts an rsync daemon for it.
    pub fn needs_daemon(&self) -> bool {
        self.name == RSYNC_DAEMON
    }
}

/// Both placeholders at once: a path that contains the other placeholder is kept as it is.
fn put(word: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        out += &rest[..at];
        rest = &rest[at..];
        let (text, len) = match rest {
            rest if rest.starts_with("{from}") => (from, "{from}".len()),
            rest if rest.starts_with("{to}") => (to, "{to}".len()),
            _ => ("{", 1),
        };
        out += text;
        rest = &rest[len..];
    }
    out + rest
}

/// All programs of the command line. Errors: as [`Program::parse`], and two of one name.
pub fn programs(texts: &[String]) -> anyhow::Result<Vec<Program>> {
    let programs: Vec<Program> = texts
        .iter()
        .map(|text| Program::parse(text))
        .collect::<anyhow::Result<_>>()?;
    for (placeholder, program) in programs.iter().enumerate() {
        if programs[..placeholder]
            .iter()
            .any(|other| other.name == program.name)
        {
            bail!(
                "two programs have the name {0}: rename one of them, as in '{0}-2={1}'",
                program.name,
                program.command
            );
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_in_once() {
        assert_eq!(put("{from}/.", "/a {to}", "/b"), "/a {to}/.");
        assert_eq!(put("x{to}y{from}{z}", "F", "T"), "xTyF{z}");
    }

    // It looks for `sh`.
    #[test]
    #[cfg(unix)]
    fn programs_are_read_and_nonsense_is_reported() {
        let program = Program::parse("mine=sh -c 'cp -a {from}/. {to}'").expect("a command");
        assert_eq!(
            program.words(true, "/a b", "/c"),
            ["sh", "-c", "cp -a /a b/. /c"]
        );
        assert_eq!(
            Program::parse("cp").expect("cp").words(false, "/a", "/b"),
            ["cp", "-a", "/a/.", "/b/"]
        );
        for (text, expected) in [
            ("rsnc", "did you mean 'rsync'"),
            ("mine=cp {from}", "no {to}"),
            ("=cp {from} {to}", "no name"),
            ("mine=", "empty"),
            ("mine=no-such-program-1 {from} {to}", "not installed"),
        ] {
            let error = Program::parse(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(
            programs(&["cp".into(), "cp".into()])
                .expect_err("twice")
                .to_string()
                .contains("rename one of them")
        );
    }
}
