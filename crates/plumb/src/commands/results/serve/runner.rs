//! What may a browser start? One of the plans on one of the targets that were named when the server was started, one at a time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context;
use plumb_model::plan::Plan;
use plumb_model::statement::Statement;
use plumb_plan::{Overrides, resolve};
use plumb_run::Stop;
use plumb_run::measurement::{Request, free_name, measure};
use plumb_run::named_plan::{NamedPlan, plan_named, refuse_impossible_engines, replays};
use plumb_words::Words;

use super::answer::Trouble;

/// What may be started, and what was.
pub struct Runner {
    plans: Vec<String>,
    targets: Vec<String>,
    /// New runs are made here.
    output_folder: PathBuf,
    words: Words,
    state: Arc<Mutex<State>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// How it stands.
#[derive(Default)]
struct State {
    current: Option<Current>,
    /// The folder of the last one that ended.
    last: Option<PathBuf>,
    failure: Option<String>,
}

/// The plan that is being carried out.
#[derive(Clone)]
pub struct Current {
    pub plan: String,
    pub target: String,
    pub folder: PathBuf,
    stop: Stop,
}

impl Runner {
    /// Errors: a plan is none, or cannot be resolved on a target.
    pub fn new(
        plans: &[String],
        targets: &[String],
        output_folder: &Path,
        words: Words,
    ) -> anyhow::Result<Runner> {
        for plan in plans {
            for target in targets {
                resolved(plan, target)
                    .with_context(|| format!("--allow-run {plan} --allow-target {target}"))?;
            }
        }
        Ok(Runner {
            plans: plans.to_vec(),
            targets: targets.to_vec(),
            output_folder: output_folder.to_path_buf(),
            words,
            state: Arc::default(),
            thread: Mutex::default(),
        })
    }

    pub fn plans(&self) -> &[String] {
        &self.plans
    }

    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn current(&self) -> Option<Current> {
        self.state().current.clone()
    }

    pub fn last(&self) -> Option<PathBuf> {
        self.state().last.clone()
    }

    /// Why the last one was not carried out, or not whole.
    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    /// Starts a plan on a target, both by their place in the lists. Errors: they are not there; one goes on already; it cannot be resolved.
    pub fn start(&self, plan: &str, target: &str) -> Result<(), Trouble> {
        let of = |list: &[String], output_folder: &str| {
            let output_folder: usize = output_folder.parse().map_err(|_| Trouble::NotAllowed)?;
            list.get(output_folder).cloned().ok_or(Trouble::NotAllowed)
        };
        let (plan, target) = (of(&self.plans, plan)?, of(&self.targets, target)?);
        let mut state = self.state();
        if state.current.is_some() {
            return Err(Trouble::Busy);
        }
        let plan_to_run =
            resolved(&plan, &target).map_err(|error| Trouble::Said(format!("{error:#}")))?;
        let current = Current {
            folder: free_name(&self.output_folder, &plan_to_run.name),
            plan,
            target,
            stop: Stop::new(),
        };
        let (words, shared, own) = (self.words, self.state.clone(), current.clone());
        let carry_out = move || {
            let failure = carry_out(plan_to_run, &own, words);
            let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
            state.failure = failure.map(|error| not_carried_out(&own, error, words));
            state.last = Some(own.folder).filter(|folder| folder.exists());
            state.current = None;
        };
        let thread = std::thread::Builder::new()
            .name("plumb-run".into())
            .spawn(carry_out);
        let thread = thread.map_err(|error| Trouble::Said(error.to_string()))?;
        (state.current, state.failure) = (Some(current), None);
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(())
    }

    /// Asks the plan that is being carried out to end, as Ctrl-C does. Errors: none is.
    pub fn stop(&self) -> Result<(), Trouble> {
        self.state()
            .current
            .as_ref()
            .map(|current| current.stop.request_end())
            .ok_or(Trouble::NothingRuns)
    }

    /// Ends what goes on, and waits until its record is whole.
    pub fn end(&self) {
        let _ = self.stop();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// Returns why it was not carried out, or not whole.
fn carry_out(plan: Plan, current: &Current, words: Words) -> Option<String> {
    let request = Request {
        output: Some(current.folder.clone()),
        report: true,
        words,
        ..Request::quiet(plan)
    };
    let measured = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        measure(request, &current.stop)
    }));
    match measured {
        Ok(Ok(measurement)) => measurement.failures.into_iter().next(),
        Ok(Err(error)) => Some(format!("{error:#}")),
        Err(_) => Some(Trouble::Failed.text(words)),
    }
}

fn not_carried_out(of: &Current, error: String, words: Words) -> String {
    let message = Statement::new("web-not-carried-out")
        .name("plan", &of.plan)
        .name("target", &of.target)
        .name("error", error);
    words.sentence(&message)
}

/// The plan on this target. Nothing that is there is ever allowed to be overwritten, and no password is known.
fn resolved(name: &str, target: &str) -> anyhow::Result<Plan> {
    let NamedPlan { file, kind, .. } = plan_named(name)?;
    let overrides = Overrides {
        set: Vec::new(),
        flags: vec![("target".into(), target.into())],
    };
    let mut plan = resolve(&file, &overrides, kind)?;
    replays::settle(&mut plan)?;
    refuse_impossible_engines(&plan)?;
    Ok(plan)
}
