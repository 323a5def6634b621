//! How does a copy become a record? One interval with one operation, an account, and what went wrong.

use plumb_model::results::copies::copy_numbers;
use plumb_model::run::EngineAccount;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{KindTick, Phase, Tick, WorkerTick};
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::process::Ended;
use super::{CopyRun, Sink};
use crate::copy::tree::{Checked, Problem, TreeKind};
use crate::crew::LoadEvent;

impl CopyRun<'_> {
    /// Hands over all that came of the copy.
    pub(super) fn report(
        &self,
        ended: &Ended,
        stable_ns: Option<u64>,
        checked: Option<&Checked>,
        sink: Sink<'_>,
    ) {
        let problems = checked.map_or(0, |checked| checked.count);
        let error = match ended.how.error() {
            Some(error) => Some(error),
            None => (problems > 0).then(|| "mismatch".to_string()),
        };
        sink(LoadEvent::Tick(self.tick(ended, error.as_deref())));
        for problem in checked
            .map(|checked| checked.problems.as_slice())
            .unwrap_or_default()
        {
            sink(self.mismatch(problem));
        }
        if let Some(error) = error {
            let path = self.copy.words.first().cloned().unwrap_or_default();
            if ended.how.error().is_some() {
                let text = ended.statement(&path);
                sink(LoadEvent::Remark { job: 0, text });
            }
            sink(LoadEvent::FirstError {
                job: 0,
                kind: OperationKind::Copy,
                error,
                path,
                offset: 0,
            });
        }
        if ended.left_running {
            let text = Statement::new("program-left-others").name("program", &self.copy.words[0]);
            sink(LoadEvent::Remark { job: 0, text });
        }
        sink(LoadEvent::EngineClosed {
            job: 0,
            worker: 0,
            account: self.account(ended, stable_ns, checked),
        });
    }

    fn mismatch(&self, problem: &Problem) -> LoadEvent {
        let block_bytes = self
            .copy
            .tree
            .entries
            .iter()
            .find(|entry| entry.path == problem.path)
            .map_or(0, |entry| match entry.kind {
                TreeKind::File { bytes, .. } => bytes,
                TreeKind::Folder => 0,
            });
        LoadEvent::Mismatch {
            job: 0,
            path: problem.path.display().to_string(),
            offset: problem.offset,
            block_bytes,
            explanation: problem.statement.clone(),
            hex_window: problem.hex_window.clone(),
        }
    }

    /// The copy as one interval of load: it begins when the program is started and ends when it has ended.
    fn tick(&self, ended: &Ended, error: Option<&str>) -> Tick {
        let mut service = Histogram::default();
        let is_complete = error.is_none();
        if is_complete {
            service.record_n(ended.elapsed_ns(), 1);
        }
        let bytes = if is_complete {
            self.copy.tree.bytes()
        } else {
            0
        };
        let errors = error
            .map(|error| (error.to_string(), 1))
            .into_iter()
            .collect();
        let kind = KindTick {
            kind: OperationKind::Copy,
            count: u64::from(is_complete),
            bytes,
            errors,
            service,
            response: None,
            split: None,
            priorities: Vec::new(),
        };
        Tick {
            execution: self.execution,
            job: 0,
            phase: Phase::Measure,
            start_ns: ended.start_ns,
            end_ns: ended.end_ns,
            kinds: vec![kind],
            lateness: None,
            backlog: None,
            ranks: None,
            workers: vec![WorkerTick {
                worker: 0,
                operations: u64::from(is_complete),
                bytes,
                cpu_user_ns: ended.usage.map(|usage| usage.user_ns),
                cpu_system_ns: ended.usage.map(|usage| usage.system_ns),
                voluntary_switches: ended.usage.map(|usage| usage.voluntary_switches),
                involuntary_switches: ended.usage.map(|usage| usage.involuntary_switches),
                waited_for_cpu_ns: None,
            }],
        }
    }

    fn account(
        &self,
        ended: &Ended,
        stable_ns: Option<u64>,
        checked: Option<&Checked>,
    ) -> EngineAccount {
        let tree = &self.copy.tree;
        let (usage, io) = (ended.usage, ended.io);
        let numbers = [
            (copy_numbers::FILES, Some(tree.files() as f64)),
            (copy_numbers::BYTES, Some(tree.bytes() as f64)),
            (
                copy_numbers::ELAPSED_S,
                Some(ended.elapsed_ns() as f64 / 1e9),
            ),
            (copy_numbers::STABLE_S, stable_ns.map(|ns| ns as f64 / 1e9)),
            (
                copy_numbers::CPU_USER_S,
                usage.map(|usage| usage.user_ns as f64 / 1e9),
            ),
            (
                copy_numbers::CPU_SYSTEM_S,
                usage.map(|usage| usage.system_ns as f64 / 1e9),
            ),
            (
                copy_numbers::MEMORY_BYTES,
                usage.map(|usage| usage.memory_bytes as f64),
            ),
            (
                copy_numbers::READ_CALLS_BYTES,
                io.map(|io| io.read_calls_bytes as f64),
            ),
            (
                copy_numbers::WRITE_CALLS_BYTES,
                io.map(|io| io.write_calls_bytes as f64),
            ),
            (
                copy_numbers::DEVICE_READ_BYTES,
                io.map(|io| io.device_read_bytes as f64),
            ),
            (
                copy_numbers::DEVICE_WRITE_BYTES,
                io.map(|io| io.device_write_bytes as f64),
            ),
            (
                copy_numbers::CHECKED_FILES,
                checked.map(|checked| checked.files as f64),
            ),
            (
                copy_numbers::CHECKED_BYTES,
                checked.map(|checked| checked.bytes as f64),
            ),
            (
                copy_numbers::PROBLEMS,
                checked.map(|checked| checked.count as f64),
            ),
            (
                copy_numbers::SHARED_BYTES,
                checked
                    .and_then(|checked| checked.shared_bytes)
                    .map(|bytes| bytes as f64),
            ),
            (
                copy_numbers::LOST_TIMES,
                checked.map(|checked| checked.times as f64),
            ),
            (
                copy_numbers::COARSE_TIMES,
                checked.map(|checked| checked.coarse_times as f64),
            ),
            (
                copy_numbers::LOST_FOLDER_TIMES,
                checked.map(|checked| checked.folder_times as f64),
            ),
            (
                copy_numbers::LOST_MODES,
                checked.map(|checked| checked.modes as f64),
            ),
        ];
        let numbers = numbers
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_string(), value?)))
            .collect();
        EngineAccount {
            numbers,
            ..EngineAccount::default()
        }
    }
}
