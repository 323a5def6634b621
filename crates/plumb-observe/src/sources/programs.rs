//! What do the watched programs do? Calls, bytes, CPU and waits of each process and its children, from /proc/PID and delay accounting.

use std::path::PathBuf;

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{Area, Nothing, Program, Reader, Scope, Source, System, counter, push};
use crate::system;
use crate::system::kernel_files::{full_text, names};
use crate::system::processes::{io_counts, stat_field};
use crate::system::program_counts::ProcessTree;
use crate::system::task_delays::{TaskDelays, Taskstats};

/// man 5 proc_pid_io, proc_pid_stat, proc_pid_task; Documentation/accounting/delay-accounting.rst. A process counts for its ended threads and for the
/// children that it has waited for; children that run are added up here. One that goes on without its parent is not counted any more.
pub static SOURCE: Source = Source {
    name: "programs",
    system: System::Every,
    meaning: "calls, bytes, CPU and waits of the watched programs with their children (/proc/PID, delay accounting; Windows: GetProcessIoCounters, GetProcessTimes)",
    areas: &[Area::Disk, Area::Share, Area::Network, Area::Cpu],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 11] = [
    counter(
        "program.read_calls",
        "operations",
        "system calls of the read kind; io_uring is not counted (proc_pid_io(5) syscr)",
    ),
    counter(
        "program.write_calls",
        "operations",
        "system calls of the write kind; io_uring is not counted (proc_pid_io(5) syscw)",
    ),
    counter(
        "program.asked_read_bytes",
        "bytes",
        "bytes that read calls returned, cached or not (proc_pid_io(5) rchar)",
    ),
    counter(
        "program.asked_write_bytes",
        "bytes",
        "bytes passed to write calls, cached or not (proc_pid_io(5) wchar)",
    ),
    counter(
        "program.storage_read_bytes",
        "bytes",
        "bytes fetched from the storage layer (proc_pid_io(5) read_bytes)",
    ),
    counter(
        "program.storage_write_bytes",
        "bytes",
        "bytes that they caused to be written to storage (proc_pid_io(5) write_bytes)",
    ),
    counter(
        "program.major_faults",
        "operations",
        "page faults that read from storage (proc_pid_stat(5) majflt)",
    ),
    counter(
        "program.cpu_ns",
        "ns",
        "CPU time in user and kernel mode, in steps of 10 ms (proc_pid_stat(5) utime, stime)",
    ),
    counter(
        "program.core_wait_ns",
        "ns",
        "time that threads were ready to run and no core was free (taskstats cpu_delay_total; root)",
    ),
    counter(
        "program.block_waits",
        "operations",
        "waits for block I/O (taskstats blkio_count; root, and kernel.task_delayacct = 1 before the program began)",
    ),
    counter(
        "program.block_wait_ns",
        "ns",
        "time of these waits, all threads together (taskstats blkio_delay_total)",
    ),
];

/// The metric of CPU time.
const CPU: usize = 7;
/// The first of the metrics that report about waits for block I/O.
const BLOCK_WAITS: usize = 9;
/// Processes of one program that are read at most; beyond, nothing is reported of it, since a part would look like the whole.
const PROCESSES_MAX: usize = 4096;

/// In the order of the metrics.
type Values = [Option<f64>; METRICS.len()];

struct Programs {
    root: PathBuf,
    programs: Vec<Program>,
    taskstats: Option<Taskstats>,
}

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    if scope.programs.is_empty() {
        return Box::new(Nothing);
    }
    if machine.is_live() && system::IS_WINDOWS {
        let tree_of = |program: &Program| (program.name.clone(), ProcessTree::of(program.pid));
        return Box::new(OnWindows {
            programs: scope.programs.iter().map(tree_of).collect(),
        });
    }
    Box::new(Programs {
        root: machine.root().to_owned(),
        programs: scope.programs.clone(),
        // Calls applies to this machine, not to a fixture.
        taskstats: machine.is_live().then(Taskstats::open).and_then(Result::ok),
    })
}

/// The programs as Windows counts them: operations and bytes of files, devices, pipes and sockets alike. It does not report what of them reached the storage.
struct OnWindows {
    programs: Vec<(String, ProcessTree)>,
}

impl Reader for OnWindows {
    fn read(&mut self, out: &mut Vec<Reading>) {
        for (name, tree) in &mut self.programs {
            let counts = tree.counts().map(|of| {
                [of.read_calls, of.write_calls, of.read_bytes, of.write_bytes]
                    .map(|count| count as f64)
                    .into_iter()
                    .chain([of.cpu_ns as f64])
            });
            let mut values = [None; METRICS.len()];
            for (position, value) in [0, 1, 2, 3, CPU]
                .into_iter()
                .zip(counts.into_iter().flatten())
            {
                values[position] = Some(value);
            }
            for (metric, value) in METRICS.iter().zip(values) {
                push(out, metric, name, value);
            }
        }
    }
}

/// What a program that is about to begin has done: nothing. With these readings at the time of its start, the first interval has its whole work.
pub fn before_the_start(name: &str, out: &mut Vec<Reading>) {
    for metric in &METRICS {
        push(out, metric, name, Some(0.0));
    }
}

impl Reader for Programs {
    fn read(&mut self, out: &mut Vec<Reading>) {
        for at in 0..self.programs.len() {
            let values = self.of_program(self.programs[at].pid);
            for (metric, value) in METRICS.iter().zip(values) {
                push(out, metric, &self.programs[at].name, value);
            }
        }
    }
}

impl Programs {
    /// All processes of a program together; what is missing of one is missing of all.
    fn of_program(&mut self, pid: u32) -> Values {
        let mut sum = [Some(0.0); METRICS.len()];
        sum[BLOCK_WAITS..].fill(None);
        let mut processes = vec![pid];
        let mut position = 0;
        while let Some(pid) = processes.get(position).copied() {
            let of_process = self.of_process(pid);
            // One that has just ended, and was waited for, is in the figures of its parent at the next sample.
            if position == 0 || of_process.iter().any(Option::is_some) {
                add(&mut sum, of_process);
            }
            processes.extend(self.children(pid));
            position += 1;
            if processes.len() > PROCESSES_MAX {
                return [None; METRICS.len()];
            }
        }
        sum
    }

    /// All missing where there is no such process.
    fn of_process(&mut self, pid: u32) -> Values {
        let mut values = [None; METRICS.len()];
        let text =
            |file: &str| full_text(&self.root, &format!("proc/{pid}/{file}")).unwrap_or_default();
        values[..6].copy_from_slice(&io_counts(&text("io")));
        (values[6], values[7]) = faults_and_cpu(&text("stat"));
        let delays = self
            .taskstats
            .as_mut()
            .and_then(|taskstats| taskstats.of_process(pid).ok());
        let TaskDelays {
            core_wait_ns,
            block_waits,
            block_wait_ns,
        } = delays.unwrap_or_default();
        let waits = [core_wait_ns, block_waits, block_wait_ns];
        for (value, wait) in values[8..].iter_mut().zip(waits) {
            *value = wait.map(|wait| wait as f64);
        }
        values
    }

    /// Children that no one has waited for yet: each thread has its own.
    fn children(&self, pid: u32) -> Vec<u32> {
        let threads = format!("proc/{pid}/task");
        let of_thread = |thread: &String| {
            let children = format!("{threads}/{thread}/children");
            full_text(&self.root, &children).unwrap_or_default()
        };
        let lists: Vec<String> = names(&self.root, &threads).iter().map(of_thread).collect();
        let words = lists.iter().flat_map(|list| list.split_ascii_whitespace());
        words.filter_map(|word| word.parse().ok()).collect()
    }
}

/// Adds the figures of one more process. What is missing of one is missing of all, but for waits for block I/O: of a process that never waited they are missing.
fn add(sum: &mut Values, of_process: Values) {
    for (at, (sum, value)) in sum.iter_mut().zip(of_process).enumerate() {
        *sum = match (*sum, value) {
            (Some(sum), Some(value)) => Some(sum + value),
            (sum, value) if at >= BLOCK_WAITS => sum.or(value),
            _ => None,
        };
    }
}

/// Major faults and CPU time in nanoseconds, with those of children that were waited for.
fn faults_and_cpu(stat: &str) -> (Option<f64>, Option<f64>) {
    if !stat.ends_with('\n') {
        return (None, None);
    }
    let tick_ns = 1e9 / system::clock_ticks_per_second();
    let sum = |numbers: &[usize], scale: f64| -> Option<f64> {
        let fields = numbers.iter().map(|number| stat_field(stat, *number));
        fields.sum::<Option<f64>>().map(|sum| sum * scale)
    };
    (sum(&[12, 13], 1.0), sum(&[14, 15, 16, 17], tick_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    fn scope(pid: u32) -> Scope {
        Scope {
            programs: vec![Program {
                pid,
                name: "app".into(),
            }],
            ..Scope::default()
        }
    }

    #[test]
    fn a_program_is_its_process_with_the_children_that_run() {
        let out = fixture::read(&SOURCE, "proc-machine", &scope(4321));
        for (metric, expected) in [
            ("program.read_calls", 1000.0 + 20.0 + 3.0),
            ("program.write_calls", 500.0 + 10.0 + 4.0),
            ("program.asked_read_bytes", 4096000.0 + 81920.0 + 5.0),
            ("program.storage_write_bytes", 2048000.0 + 40960.0),
            ("program.major_faults", 3.0 + 2.0 + 1.0),
            ("program.cpu_ns", (150.0 + 50.0 + 20.0 + 10.0 + 7.0) * 1e7),
        ] {
            assert_eq!(value(&out, metric, "app"), Some(expected), "{metric}");
        }
        assert_eq!(value(&out, "program.block_wait_ns", "app"), None);
    }

    #[test]
    fn one_that_has_ended_is_missing_and_never_zero() {
        let out = fixture::read(&SOURCE, "proc-machine", &scope(99));
        assert_eq!(out.len(), METRICS.len());
        assert!(out.iter().all(|reading| reading.value.is_none()), "{out:?}");
        assert_eq!(
            fixture::read(&SOURCE, "proc-machine", &Scope::default()),
            Vec::new()
        );
    }

    #[test]
    fn the_work_of_a_child_is_counted_once_whether_it_runs_or_has_ended() {
        if !system::IS_LINUX {
            eprintln!("skipped: asks the kernel of Linux");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut shell = std::process::Command::new("sh");
        // It writes 3 MB, and lets its parent know; then it stays.
        shell
            .args(["-c", "sh -c 'head -c 3000000 /dev/zero >file; touch done; read a'; touch over; read b; exit"])
            .current_dir(folder.path())
            .stdin(std::process::Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let mut reader =
            (SOURCE.open)(&Machine::new(std::path::Path::new("/")), &scope(child.id()));
        let await_file = |name: &str| {
            for _ in 0..2000 {
                if folder.path().join(name).exists() {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            panic!("{name} was never made");
        };
        let mut written = |name: &str| {
            await_file(name);
            let mut out = Vec::new();
            reader.read(&mut out);
            value(&out, "program.asked_write_bytes", "app").unwrap()
        };
        let runs = written("done");
        assert!((3_000_000.0..3_100_000.0).contains(&runs), "{runs}");
        use std::io::Write;
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"\n").unwrap();
        let ended = written("over");
        assert!((runs..runs + 100_000.0).contains(&ended), "{runs} {ended}");
        input.write_all(b"\n").unwrap();
        child.wait().unwrap();
    }
}
