//! How does a run stand that another process records, or this one? Its record is read as it grows, and makes the same state as the live view has.

use std::path::Path;

use plumb_model::plan::Plan;
use plumb_model::run::step_end::StepEnd;
use plumb_model::run::{ConnectionState, Event, INCOMPLETE, Note, RunHeader};
use plumb_model::statement::Statement;
use plumb_record::RecordError;
use plumb_record::follow::{Added, Follower};
use plumb_show::live::LiveState;

use super::load_state::LoadState;

/// Warnings that are kept: a record may hold thousands.
const WARNINGS_MAX: usize = 20;

/// A run that is followed.
pub struct Followed {
    header: RunHeader,
    follower: Follower,
    seen: Seen,
}

/// What was read of it.
struct Seen {
    state: LoadState,
    /// Time of the last entry of the record, in nanoseconds since the start of the run.
    last_ns: u64,
    round: u32,
    ended: Option<&'static str>,
}

impl Followed {
    /// Begins to follow. Errors: the header cannot be read.
    pub fn open(folder: &Path) -> Result<Followed, RecordError> {
        let (header, follower) = Follower::open(folder)?;
        let seen = Seen {
            state: LoadState::new(&header.plan),
            last_ns: 0,
            round: 0,
            ended: None,
        };
        Ok(Followed {
            header,
            follower,
            seen,
        })
    }

    /// Reads what was added. Errors: the record cannot be read.
    pub fn read(&mut self) -> Result<(), RecordError> {
        let Followed {
            header,
            follower,
            seen,
        } = self;
        follower.read(|added| seen.take(added, &header.plan))?;
        let surplus = seen.state.live.warnings.len().saturating_sub(WARNINGS_MAX);
        seen.state.live.warnings.drain(..surplus);
        seen.state.at(seen.last_ns as f64 / 1e9);
        Ok(())
    }

    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// What the views show.
    pub fn live(&self) -> &LiveState {
        &self.seen.state.live
    }

    /// `finished`, `interrupted`, or `incomplete` (killed, or still running).
    pub fn state(&self) -> &'static str {
        self.seen.ended.unwrap_or(INCOMPLETE)
    }
}

impl Seen {
    fn take(&mut self, added: Added, plan: &Plan) {
        match added {
            Added::Tick(tick) => {
                self.last_ns = self.last_ns.max(tick.end_ns);
                self.state.tick(&tick);
            }
            Added::Note(note) => self.note(note, plan),
        }
    }

    fn note(&mut self, note: Note, plan: &Plan) {
        let Note { time_ns, event } = note;
        self.last_ns = self.last_ns.max(time_ns);
        if let Some(state) = event.state() {
            self.ended = Some(state);
        }
        let live = &mut self.state.live;
        match event {
            Event::ExecutionStarted { step, round, .. } => {
                self.round = round;
                // A damaged record may name a step that the plan does not have.
                if let Some(of_plan) = plan.steps.get(step as usize) {
                    self.state.start(step as usize, round, of_plan);
                }
            }
            Event::EngineOpened { job: 0, engine, .. } => {
                let step = (live.step_number as usize)
                    .checked_sub(1)
                    .and_then(|step| plan.steps.get(step));
                if let Some(step) = step {
                    self.state.opened(&engine, step);
                }
                self.state.started(time_ns as f64 / 1e9);
            }
            Event::ExecutionEnded { stopped_by, .. } => {
                self.state.end(StepEnd::Stopped(stopped_by), self.round)
            }
            Event::ExecutionFailed { error, .. } => {
                self.state.end(StepEnd::Failed(error), self.round)
            }
            Event::FirstError {
                kind,
                error,
                path,
                offset,
                ..
            } => live.warnings.push(
                Statement::new("live-operation-failed")
                    .name("kind", kind.to_string())
                    .name("place", kind.place(offset, &path))
                    .name("error", &error),
            ),
            Event::Mismatch {
                path,
                offset,
                explanation,
                ..
            } => live.warn_of_block(&path, offset, explanation),
            Event::WriteBackFailed { failure, .. } => live.warnings.push(
                Statement::new("live-data-was-lost")
                    .name("call", &failure.call)
                    .name("path", &failure.path)
                    .name("error", &failure.error),
            ),
            Event::Connection {
                text,
                state: ConnectionState::Lost,
                ..
            }
            | Event::Warning { text } => live.warnings.push(text),
            _ => {}
        }
    }
}
