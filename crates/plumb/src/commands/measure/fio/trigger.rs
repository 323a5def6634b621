//! What stops all jobs from outside, and which command runs then (`--trigger-file`, `--trigger-timeout`, `--trigger`)?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_plan::fio_command::Settings;
use plumb_run::Stop;

use crate::streams::say;
use crate::system::shell;

/// Polling period of the file.
const LOOK: Duration = Duration::from_millis(100);

/// Polls for the trigger until this value is dropped.
#[derive(Debug, Default)]
pub struct Trigger {
    /// Start of the first job: there is no polling before.
    began: Arc<OnceLock<Instant>>,
    is_pulled: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    command: Option<String>,
}

impl Trigger {
    /// Errors: there is a command, and the user has not allowed commands; or no thread is available.
    pub fn set(settings: &Settings, stop: &Stop) -> anyhow::Result<Trigger> {
        let (file, timeout) = (settings.trigger_file.clone(), settings.trigger_timeout_ns);
        let mut trigger = Trigger::default();
        trigger.command.clone_from(&settings.trigger);
        if trigger.command.is_some() && !settings.allow_exec {
            bail!("--trigger runs a command: allow it with --allow-exec before it");
        }
        let timeout = timeout.filter(|ns| *ns > 0).map(Duration::from_nanos);
        if file.is_none() && timeout.is_none() {
            if trigger.command.is_some() && !settings.quiet {
                say(
                    "fio: --trigger runs its command only with --trigger-file or --trigger-timeout",
                );
            }
            return Ok(trigger);
        }
        let (began, pulled) = (trigger.began.clone(), trigger.is_pulled.clone());
        let (over, stop) = (trigger.is_over.clone(), stop.clone());
        let look = move || {
            while !over.load(Ordering::Relaxed) {
                let passed = began.get().map(Instant::elapsed);
                let is_late = passed
                    .zip(timeout)
                    .is_some_and(|(passed, most)| passed >= most);
                let is_there = passed.is_some() && file.as_deref().is_some_and(taken);
                if is_late || is_there {
                    pulled.store(true, Ordering::Relaxed);
                    stop.request_end();
                    return;
                }
                std::thread::sleep(LOOK);
            }
        };
        let thread = std::thread::Builder::new().name("plumb-trigger".into());
        let thread = thread
            .spawn(look)
            .context("cannot start the thread that polls for the trigger (ulimit -u)")?;
        trigger.thread = Some(thread);
        Ok(trigger)
    }

    /// Called when the first job may start.
    pub fn begin(&self) -> impl Fn() + use<> {
        let began = self.began.clone();
        move || {
            began.get_or_init(Instant::now);
        }
    }

    /// Called after the jobs: runs the command, and returns true, if the trigger stopped them.
    pub fn end(mut self, is_silent: bool) -> bool {
        self.join();
        let is_pulled = self.is_pulled.load(Ordering::Relaxed);
        if !is_pulled {
            return false;
        }
        if !is_silent {
            say("fio: the trigger stopped all jobs");
        }
        if let Some(text) = &self.command {
            let done = shell(text).stdin(Stdio::null()).status();
            // As in fio, the exit status of the command is ignored.
            done.err()
                .iter()
                .for_each(|error| say(&format!("fio: --trigger: {error}")));
        }
        true
    }

    fn join(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        self.join();
    }
}

/// Whether the file exists. As in fio it is removed, so that it triggers once; a file with content is kept.
fn taken(path: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(path) else {
        return false;
    };
    let kept = if found.is_file() && found.len() == 0 {
        fs::remove_file(path).err().map(|error| error.to_string())
    } else {
        Some("it is not an empty file".to_string())
    };
    kept.iter().for_each(|why| {
        let path: PathBuf = path.into();
        say(&format!(
            "fio: --trigger-file={}: not removed: {why}",
            path.display()
        ));
    });
    true
}
