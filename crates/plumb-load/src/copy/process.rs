//! How is another program run, monitored and ended? In its own process group, without input, its output limited.

use super::words::last_words;
use plumb_model::statement::Statement;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use super::ending::HowEnded;
use crate::clock::Clock;
use crate::secret::Secret;
use crate::system::programs::{self, IoCounts, Process, Usage};

/// Between two looks at the time, the signals, and the counters.
const LOOK: Duration = Duration::from_millis(100);
/// How long a program may take to end on request before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How long the end of what a program wrote is waited for: another one may hold the pipe open.
const OUTPUT_WAIT: Duration = Duration::from_millis(500);
/// Bytes kept of what a program writes: the last ones.
const OUTPUT_BYTES: usize = 16_384;

/// What a program left.
#[derive(Debug, Clone)]
pub struct Ended {
    pub how: HowEnded,
    /// From just before it was started to just after it had ended.
    pub start_ns: u64,
    pub end_ns: u64,
    /// CPU and memory of the program and of its children that it waited for; missing if the system does not report it.
    pub usage: Option<Usage>,
    /// What it and they read and wrote; missing if the system does not report it.
    pub io: Option<IoCounts>,
    /// The last that it wrote to its standard output and standard error.
    pub output: String,
    /// Programs of its group lived on and were ended.
    pub left_running: bool,
}

impl Ended {
    /// From start to end.
    pub fn elapsed_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// How this program ended, and its error message.
    pub fn statement(&self, program: &str) -> Statement {
        let ended = self.how.statement(program);
        match last_words(&self.output) {
            Some(statement) => Statement::new("program-ended-and-said").name("said", statement),
            None => Statement::new("program-ended-and-said-nothing"),
        }
        .part("ended", ended)
    }
}

/// Runs programs one at a time.
pub struct Supervisor<'a> {
    pub clock: Clock,
    pub stop: &'a AtomicBool,
    pub timeout: Option<Duration>,
    /// Variables that the program gets beside those of plumb.
    pub environment: &'a [(&'static str, Secret)],
}

impl Supervisor<'_> {
    /// Runs a command line to its end; `look` is called with the time about every 100 ms.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn run(&self, words: &[String], look: &mut dyn FnMut(u64)) -> io::Result<Ended> {
        let Some((program, rest)) = words.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut command = Command::new(program);
        command
            .args(rest)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // The password of plumb's own connections is none of this program's.
        command.env_remove("PLUMB_PASSWORD");
        let variables = self.environment.iter();
        command.envs(variables.map(|(name, value)| (name, value.expose())));
        programs::set_apart(&mut command);
        let start_ns = self.clock.now_ns();
        let mut child = command.spawn()?;
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let readers = [
            keep_tail(child.stdout.take(), &tail),
            keep_tail(child.stderr.take(), &tail),
        ];
        let process = Process::new(child);
        let ends = process.watch(self.clock);
        let (end_ns, forced) = self.follow(&process, &ends, look);
        let io = process.io();
        let (status, usage) = process.collect();
        let left_running = process.end_group();
        for reader in readers {
            let _ = reader.recv_timeout(OUTPUT_WAIT);
        }
        let bytes: Vec<u8> = tail
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .copied()
            .collect();
        let output = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ended {
            how: forced.unwrap_or(status),
            start_ns,
            end_ns,
            usage,
            io,
            output,
            left_running,
        })
    }

    /// Waits for the end. Returns its time, and why the program was made to end, if it was.
    fn follow(
        &self,
        process: &Process,
        ends: &Receiver<u64>,
        look: &mut dyn FnMut(u64),
    ) -> (u64, Option<HowEnded>) {
        let begun = self.clock.now_ns();
        let mut forced = None;
        let mut asked_ns = None;
        loop {
            match ends.recv_timeout(LOOK) {
                Ok(end_ns) => return (end_ns, forced),
                // The watcher is gone without a word: what is known is that the program has ended by now.
                Err(RecvTimeoutError::Disconnected) => return (self.clock.now_ns(), forced),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = self.clock.now_ns();
            look(now);
            let spent = Duration::from_nanos(now.saturating_sub(begun));
            if forced.is_none() {
                forced = match self.timeout {
                    _ if self.stop.load(Ordering::Relaxed) => Some(HowEnded::Stopped),
                    Some(timeout) if spent >= timeout => Some(HowEnded::Timeout(timeout)),
                    _ => None,
                };
                if forced.is_some() {
                    process.request_end();
                    asked_ns = Some(now);
                }
            } else if asked_ns
                .is_some_and(|asked| now.saturating_sub(asked) >= GRACE.as_nanos() as u64)
            {
                process.kill();
            }
        }
    }
}

/// Reads a pipe to its end on a thread of its own, so that the program never waits for us; keeps the last bytes. The channel ends with the pipe.
fn keep_tail(
    pipe: Option<impl Read + Send + 'static>,
    tail: &Arc<Mutex<VecDeque<u8>>>,
) -> Receiver<()> {
    let (ended, at_end) = bounded(1);
    let tail = tail.clone();
    let read = move || {
        let mut buffer = [0; 4096];
        let Some(mut pipe) = pipe else { return };
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend(&buffer[..count]);
            let surplus = tail.len().saturating_sub(OUTPUT_BYTES);
            tail.drain(..surplus);
        }
        let _ = ended.send(());
    };
    // Without a thread the pipe closes, and a program that writes gets an error.
    let _ = std::thread::Builder::new()
        .name("plumb-copy-output".into())
        .spawn(read);
    at_end
}
