//! Which commands run before and after a job (`exec_prerun`, `exec_postrun`), and are they allowed? The page cache is dropped without a shell.

use std::cell::Cell;
use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use anyhow::bail;
use plumb_load::site::{Overwrite, loses_nothing, mark_as_written};
use plumb_model::plan::Plan;
use plumb_plan::fio_command::Understood;

use super::jobs::joined;
use crate::streams::say;
use crate::system::caches::drop_caches;
use crate::system::shell;

/// The commands of all jobs.
pub struct Commands(Vec<Command>);

struct Command {
    job: String,
    text: String,
    is_before: bool,
    /// The step of the plan that the job begins or ends with, and the last round.
    step: usize,
    round: u32,
    /// The caches to drop, for a command that does only that.
    drops: Option<u8>,
    is_done: Cell<bool>,
}

impl Commands {
    /// Errors: there is a command, and the user has not allowed commands.
    pub fn of(understood: &Understood, plan: &Plan, allowed: bool) -> anyhow::Result<Commands> {
        let mut commands = Vec::new();
        for written in &understood.written {
            for (option, is_before) in [("exec_prerun", true), ("exec_postrun", false)] {
                let Some(text) = written.value(option) else {
                    continue;
                };
                let drops = what_is_dropped(text);
                if let Some(refusal) = understood.job.commands.first()
                    && drops.is_none()
                    && !allowed
                {
                    return Err(refusal.clone().into());
                }
                let entries = joined(written, &understood.job.plan, plan);
                let parts = entries.iter().flat_map(|entry| &entry.parts);
                let steps = parts.flat_map(|part| &part.steps).copied();
                let step = if is_before { steps.min() } else { steps.max() };
                commands.extend(step.map(|step| Command {
                    job: written.name.clone(),
                    text: text.to_string(),
                    is_before,
                    step: step as usize,
                    round: if is_before {
                        0
                    } else {
                        plan.rounds.saturating_sub(1)
                    },
                    drops,
                    is_done: Cell::new(false),
                }));
            }
        }
        Ok(Commands(commands))
    }

    /// Checks that the output of each command can be written, before anything runs.
    ///
    /// # Errors
    /// A file of that name exists that plumb did not write, and the user has not allowed to overwrite it.
    pub fn refuse_others(&self, overwrite: &Overwrite) -> anyhow::Result<()> {
        for command in self.0.iter().filter(|command| command.drops.is_none()) {
            let name = command.output_name();
            let is_allowed = match overwrite {
                Overwrite::Yes => true,
                Overwrite::Named(path) => path == Path::new(&name),
                Overwrite::No => false,
            };
            if !is_allowed && !loses_nothing(Path::new(&name)) {
                bail!(
                    "{name}: exists and was not written by plumb, so the output of the command does not overwrite it: remove the file, or allow it with --overwrite"
                );
            }
        }
        Ok(())
    }

    /// Runs the commands before or after this step. As in fio, their exit status is ignored.
    pub fn run(&self, is_before: bool, step: usize, round: u32, is_silent: bool) {
        let is_due = |command: &&Command| {
            (command.is_before, command.step, command.round) == (is_before, step, round)
                && !command.is_done.replace(true)
        };
        for command in self.0.iter().filter(is_due) {
            if let Err(error) = command.run(is_silent) {
                say(&format!("fio: [{}] {}: {error}", command.job, command.text));
            }
        }
    }
}

impl Command {
    fn moment(&self) -> &'static str {
        if self.is_before { "prerun" } else { "postrun" }
    }

    /// fio's file name; a slash becomes a dot.
    fn output_name(&self) -> String {
        format!("{}.{}.txt", self.job.replace('/', "."), self.moment())
    }

    fn run(&self, is_silent: bool) -> std::io::Result<()> {
        if let Some(what) = self.drops {
            return drop_caches(what);
        }
        let name = self.output_name();
        if !is_silent {
            let moment = self.moment();
            say(&format!(
                "{} : Saving output of {moment} in {name}",
                self.job
            ));
        }
        let output = File::create(&name)?;
        let errors = output.try_clone()?;
        let mut command = shell(&self.text);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        command.status()?;
        mark_as_written(File::options().write(true).open(&name)?)
    }
}

/// The caches that a command drops if it does nothing else: common forms of `sync; echo 3 > /proc/sys/vm/drop_caches`.
fn what_is_dropped(text: &str) -> Option<u8> {
    let mut dropped = None;
    let plain = text.replace("sh -c", " ").replace(['"', '\''], " ");
    for part in plain.split([';', '&']) {
        let words: Vec<&str> = part
            .split_whitespace()
            .filter(|word| *word != "sudo")
            .collect();
        let level = match words.as_slice() {
            [] | ["sync"] => continue,
            ["echo", level, rest @ ..] => {
                let place = rest.concat();
                let is_it = [">/proc/sys/vm/drop_caches", "|tee/proc/sys/vm/drop_caches"];
                Some(*level).filter(|_| is_it.contains(&place.as_str()))
            }
            ["sysctl", "-w", setting] | ["sysctl", setting] => {
                setting.strip_prefix("vm.drop_caches=")
            }
            _ => None,
        };
        let level: u8 = level?.parse().ok()?;
        dropped = Some(level).filter(|level| (1..=3).contains(level));
        dropped?;
    }
    dropped
}

#[test]
fn the_usual_ways_to_drop_the_page_cache_are_known() {
    for (text, expected) in [
        ("sync; echo 3 > /proc/sys/vm/drop_caches", Some(3)),
        ("echo 1 >/proc/sys/vm/drop_caches", Some(1)),
        (
            "sync && echo 3 | sudo tee /proc/sys/vm/drop_caches",
            Some(3),
        ),
        (
            "sudo sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches'",
            Some(3),
        ),
        ("sysctl -w vm.drop_caches=3", Some(3)),
        ("sync", None),
        ("echo 4 > /proc/sys/vm/drop_caches", None),
        ("echo 3 > /proc/sys/vm/drop_caches; rm -r x", None),
        ("echo 3 > /etc/passwd", None),
        ("echo 3", None),
        // The shell takes the number for that of a descriptor.
        ("echo 1>/proc/sys/vm/drop_caches", None),
        ("sync $(rm x)", None),
    ] {
        assert_eq!(what_is_dropped(text), expected, "{text}");
    }
}
