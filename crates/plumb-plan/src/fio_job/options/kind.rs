//! What is known of one option of fio, and what is it refused with?

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It has its meaning; values that plumb cannot carry out are refused one by one.
    Honoured,
    /// Taken and named: it concerns what plumb does in its own way, or fio's own output.
    WithoutEffect,
    /// Named and refused, unless it has one of these values, which ask for nothing.
    Refused {
        unless: &'static [&'static str],
        /// What to do instead.
        instead: &'static str,
    },
}

/// One option of fio.
#[derive(Debug, Clone, Copy)]
pub struct OptionKind {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub class: Class,
    /// It may stand without a value, which means 1.
    pub alone: bool,
}

pub const fn honoured(name: &'static str) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::Honoured,
        alone: false,
    }
}

pub const fn idle(name: &'static str) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::WithoutEffect,
        alone: false,
    }
}

pub const fn refused(
    name: &'static str,
    unless: &'static [&'static str],
    instead: &'static str,
) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::Refused { unless, instead },
        alone: false,
    }
}

impl OptionKind {
    pub const fn or(self, aliases: &'static [&'static str]) -> OptionKind {
        OptionKind { aliases, ..self }
    }

    pub const fn alone(self) -> OptionKind {
        OptionKind {
            alone: true,
            ..self
        }
    }
}

pub const OFF: &[&str] = &["0"];
pub const NONE: &[&str] = &[];

pub const ZONES: &str =
    "zoned devices (zonemode=zbd) need fio: plumb resets no zones and keeps no write pointers";
pub const TRIMS: &str = "plumb cannot know what a trimmed block holds: make a job with rw=randtrim beside the verified one";
pub const TRACES: &str =
    "plumb reads no block traces: write them as one iolog of version 3 and name it with read_iolog";
pub const PRIORITY: &str = "plumb does not change priorities: start it with ionice or nice";
pub const GROUPS: &str =
    "plumb does not change control groups: start it with systemd-run --scope and its properties";
pub const USER: &str = "plumb does not change its user: start it with sudo -u";
/// `exec_prerun` and `exec_postrun`.
pub const COMMANDS: &str = "a job file that runs commands is not to be trusted: `plumb fio --allow-exec` runs them; one that drops the page cache is carried out by `plumb fio` itself";
pub const PROGRAMS: &str =
    "a job file that runs commands is not to be trusted: run them yourself before and after plumb";
pub const HERE_NOT: &str = "it belongs to an engine of fio that plumb does not have; `plumb run --help` tells the engines and targets there are";
pub const REQUEST_PRIORITY: &str = "operations have another priority by their share, not by their size: write cmdprio_percentage and cmdprio_class";
pub const REQUEST_FLAGS: &str = "plumb sets no such flags on single operations: leave it out";
