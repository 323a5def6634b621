//! Which plans does an agent carry out? Those that read and write below the paths that it was allowed, with operations of plumb's own.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plumb_load::site::Overwrite;
use plumb_load::system::files::resolved;
use plumb_model::plan::Plan;
use plumb_model::target::Target;
use plumb_model::workload::OperationKind;
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

use crate::named_plan::refuse_impossible_engines;

/// What an agent was allowed when it was started.
#[derive(Debug, Clone, Default)]
pub struct Permit {
    /// Files, devices, and directories with all below them, symlinks resolved.
    allowed: Vec<PathBuf>,
    /// Shares and peers (`smb://server/share`), with all below them, and `null:`.
    addresses: Vec<String>,
    /// Files and devices that may be destroyed.
    overwrite: Vec<PathBuf>,
    /// Whoever started the agent is who uses it.
    everything: bool,
}

impl Permit {
    /// Errors: a path does not exist.
    pub fn new(allowed: &[PathBuf], overwrite: &[PathBuf]) -> anyhow::Result<Permit> {
        let all_resolved = |paths: &[PathBuf], flag: &str| -> anyhow::Result<Vec<PathBuf>> {
            let one = |path: &PathBuf| {
                resolved(path).with_context(|| {
                    format!(
                        "{flag} {}: no such file, device or directory",
                        path.display()
                    )
                })
            };
            paths.iter().map(one).collect()
        };
        let is_address = |path: &PathBuf| {
            let text = path.to_string_lossy();
            text.contains("://") || text == Target::Null.to_string()
        };
        let (addresses, paths): (Vec<PathBuf>, Vec<PathBuf>) =
            allowed.iter().cloned().partition(is_address);
        let permit = Permit {
            allowed: all_resolved(&paths, "--allow")?,
            addresses: addresses
                .iter()
                .map(|address| address.to_string_lossy().trim_end_matches('/').to_string())
                .collect(),
            overwrite: all_resolved(overwrite, "--overwrite")?,
            everything: false,
        };
        match permit.overwrite.iter().find(|path| !permit.covers(path)) {
            Some(path) => bail!(
                "--overwrite {0}: the path is not allowed; add --allow {0}",
                path.display()
            ),
            None => Ok(permit),
        }
    }

    /// Of an agent that serves the one who started it, over a connection of his own: what he may do on the machine, it may.
    pub fn everything() -> Permit {
        Permit {
            everything: true,
            ..Permit::default()
        }
    }

    /// The allowed paths, for messages.
    pub fn in_words(&self) -> String {
        self.allowed
            .iter()
            .map(|path| path.display().to_string())
            .chain(self.addresses.iter().cloned())
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn covers(&self, path: &Path) -> bool {
        self.everything || self.allowed.iter().any(|allowed| path.starts_with(allowed))
    }

    /// A target that may be looked at and used. Errors: it is none of the allowed ones.
    pub fn target(&self, text: &str) -> anyhow::Result<Target> {
        let target: Target = text.parse()?;
        let Target::Path(path) = &target else {
            let text = target.to_string();
            let is_below = |address: &String| {
                let below = text.strip_prefix(address.as_str());
                below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            if self.everything || self.addresses.iter().any(is_below) {
                return Ok(target);
            }
            bail!(
                "{target}: not allowed on this agent, which allows {}: files, directories and devices of its host, and addresses given with --allow",
                self.in_words()
            );
        };
        // A file that is to be made is judged by the folder that it will lie in.
        let resolved_path =
            resolved(path).or_else(|error| match (path.parent(), path.file_name()) {
                (Some(folder), Some(name)) => resolved(folder).map(|folder| folder.join(name)),
                _ => Err(error),
            });
        let resolved_path = resolved_path
            .with_context(|| format!("{}: not found on the agent's host", path.display()))?;
        if !self.covers(&resolved_path) {
            bail!(
                "{}: not allowed on this agent, which allows {}; add --allow there",
                path.display(),
                self.in_words()
            );
        }
        Ok(Target::Path(resolved_path))
    }

    /// The plan of a client, checked like a plan file, with its targets resolved. Errors: what it wants and may not have.
    pub fn plan(&self, text: &str) -> anyhow::Result<Plan> {
        let mut plan = resolve(
            &PlanFile::parse(text, "the client's plan")?,
            &Overrides::default(),
            PlanKind::File,
        )?;
        for job in plan.steps.iter_mut().flat_map(|step| &mut step.jobs) {
            if !job.engine.program.is_empty()
                || job
                    .workload
                    .mix
                    .0
                    .iter()
                    .any(|(kind, _)| *kind == OperationKind::Copy)
            {
                bail!("an agent does not start programs for clients: run copy-test on its host");
            }
            if job.workload.replay.is_some() {
                bail!("an agent does not open logs for clients: run the replay on its host");
            }
            job.target = self.target(&job.target.to_string())?;
        }
        refuse_impossible_engines(&plan)?;
        Ok(plan)
    }

    /// The word under which a plan is carried out: that of the client and of the one who started the agent.
    pub fn overwrite(&self, plan: &Plan, requested: bool) -> Overwrite {
        let paths = plan
            .steps
            .iter()
            .flat_map(|step| &step.jobs)
            .filter_map(|job| match &job.target {
                Target::Path(path) => Some(path),
                Target::Null | Target::Remote(_) => None,
            });
        let may = |path: &&PathBuf| self.everything || self.overwrite.contains(path);
        match paths.into_iter().find(may) {
            Some(path) if requested => Overwrite::Named(path.clone()),
            _ => Overwrite::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan_of(target: &str, keys: &str) -> String {
        format!(
            "name = 'p'\n[[step]]\nname = 's'\ntarget = '{target}'\npattern = 'random-read'\ntime = '1s'\nsize = '1m'\n{keys}\n"
        )
    }

    #[test]
    fn only_what_lies_below_an_allowed_path_is_touched() {
        let folder = tempfile::tempdir().expect("folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["in", "out"] {
            std::fs::create_dir(folder.path().join(name)).expect("made");
        }
        std::fs::write(path("in/file"), "x").expect("written");
        let permit = Permit::new(
            &[folder.path().join("in")],
            &[folder.path().join("in/file")],
        )
        .expect("permit");
        for allowed in ["in", "in/file", "in/new"] {
            permit
                .plan(&plan_of(&path(allowed), ""))
                .unwrap_or_else(|error| panic!("{allowed}: {error:#}"));
        }
        for (target, expected) in [
            (path("out"), "not allowed"),
            (path("in/../out"), "not allowed"),
            (path("inside"), "not allowed"),
            ("null:".into(), "files"),
            ("tcp://h".into(), ""),
        ] {
            let error = permit.plan(&plan_of(&target, "")).expect_err(&target);
            assert!(
                format!("{error:#}").contains(expected),
                "{target}: {error:#}"
            );
        }
        let plan = permit.plan(&plan_of(&path("in/file"), "")).expect("plan");
        assert_eq!(
            permit.overwrite(&plan, false),
            Overwrite::No,
            "the client did not say so"
        );
        assert!(matches!(permit.overwrite(&plan, true), Overwrite::Named(_)));
        let plan = permit.plan(&plan_of(&path("in"), "")).expect("plan");
        assert_eq!(
            permit.overwrite(&plan, true),
            Overwrite::No,
            "nobody said so here"
        );
        assert!(Permit::new(&[folder.path().join("in")], &[folder.path().join("out")]).is_err());
    }

    #[test]
    fn no_program_is_started_for_a_client_and_nonsense_is_reported() {
        let folder = tempfile::tempdir().expect("folder");
        let permit = Permit::new(&[folder.path().to_path_buf()], &[]).expect("permit");
        let target = folder.path().display().to_string();
        let error = permit
            .plan(&plan_of(&target, "program = 'rm -rf {to}'"))
            .expect_err("a program");
        assert!(!format!("{error:#}").is_empty());
        let replay = format!("[[step]]\nname = 's'\ntarget = '{target}'\nreplay = '/etc/passwd'\n");
        assert!(
            permit
                .plan(&replay)
                .expect_err("a log")
                .to_string()
                .contains("does not open logs")
        );
        assert!(
            permit
                .plan("[[step]]\ndept = 3")
                .expect_err("nonsense")
                .to_string()
                .contains("depth")
        );
    }
}
