//! What does an agent do for its client? It looks, carries out sides step by step, and watches the machine; every record goes back as it grows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use plumb_load::site::Admission;
use plumb_model::plan::{Order, Plan};
use plumb_model::results::comparison::side_letter;
use plumb_model::run::{Event, Note, SideOf};
use plumb_model::target::Target;
use plumb_observe::environment::{Options, look};
use plumb_observe::observer::Observer;
use plumb_observe::source::Scope as Watched;
use plumb_record::RunWriter;
use plumb_show::live::View;

use super::frame::{FrameError, Frames, Sender, within};
use super::service::Agent;
use super::{Answer, RUN_FILES, Request, SideRequest};
use crate::environment;
use crate::measurement::{Ongoing, claim_folder, shared, started};
use crate::named_plan::{main_choice, main_target};

/// Between two signs of life while a request takes its time.
const ALIVE_EVERY: Duration = Duration::from_secs(2);
/// The end of the agent, or of the session, is looked for so often.
const LOOK: Duration = Duration::from_millis(250);
/// Between two samples of the counters.
const SAMPLE_EVERY: Duration = Duration::from_millis(500);
/// Most bytes of a record in one frame.
const PIECE_BYTES: usize = 256 << 10;
/// Requests that may wait behind the current one. plumb's own client sends one at a time.
const REQUESTS_AHEAD_MAX: usize = 4;
/// What the system has too few of.
const NO_THREAD: &str =
    "the agent cannot start more threads (see ulimit -u, or TasksMax of its service)";
/// Sides that one client may hold.
const SIDES_MAX: usize = 16;

/// The connection, shared by the workers and the keep-alive sender.
struct SharedSender(Mutex<Sender>);

impl SharedSender {
    fn send(&self, answer: &Answer) -> Result<(), FrameError> {
        self.lock().send(answer)
    }

    fn lock(&self) -> MutexGuard<'_, Sender> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tasks of a side, and its end.
enum Task {
    Execute { step: usize, round: u32 },
    End,
}

/// A side that runs in its own thread, which holds its target.
struct SideThread {
    tasks: mpsc::Sender<Task>,
    results: Receiver<Vec<String>>,
    record: GrowingRecord,
}

/// A record with how much of it was sent.
struct GrowingRecord {
    folder: PathBuf,
    sent: BTreeMap<&'static str, u64>,
}

/// Serves a client until it leaves, is lost, or the agent is shutting down.
pub fn serve_client(
    agent: &Agent,
    frames: Frames,
    sender: Sender,
    ended: &AtomicBool,
) -> anyhow::Result<()> {
    let (stop, over) = (AtomicBool::new(false), AtomicBool::new(false));
    let line = SharedSender(Mutex::new(sender));
    let (requests, to_do) = sync_channel(REQUESTS_AHEAD_MAX);
    std::thread::scope(|scope| {
        let (reading, flags) = (&line, (&stop, &over, ended));
        // The sender moves into the thread that reads: when it ends, so do the requests.
        let reader = Builder::new()
            .spawn_scoped(scope, move || {
                read_requests(frames, &requests, reading, flags)
            })
            .context(NO_THREAD)?;
        let mut session = Session {
            agent,
            line: &line,
            stop: &stop,
            over: &over,
            sides: BTreeMap::new(),
            watch: None,
            folder: None,
        };
        let mut done = Ok(());
        while let Ok(request) = to_do.recv() {
            done = session.carry_out(scope, request);
            if done.is_err() {
                break;
            }
        }
        // The client has gone, or the agent is shutting down: threads that hold a target give it back now.
        stop.store(true, Ordering::Relaxed);
        over.store(true, Ordering::Relaxed);
        drop(session);
        let read = reader
            .join()
            .unwrap_or_else(|_| Err(anyhow!("reading requests failed for an unknown reason")));
        done.and(read)
    })
}

/// Reads requests while others are carried out, so that a stop or a lost client is noticed at once.
fn read_requests(
    mut frames: Frames,
    requests: &SyncSender<Request>,
    line: &SharedSender,
    (stop, over, ended): (&AtomicBool, &AtomicBool, &AtomicBool),
) -> anyhow::Result<()> {
    let mut last_sent = Instant::now();
    let end = loop {
        if over.load(Ordering::Relaxed) {
            break Ok(());
        }
        if ended.load(Ordering::Relaxed) {
            break Err(anyhow!("the agent is shutting down"));
        }
        match frames.next::<Request>(within(LOOK)) {
            Ok(Some(Request::Stop)) => stop.store(true, Ordering::Relaxed),
            Ok(Some(request)) => {
                if let Err(TrySendError::Full(_)) = requests.try_send(request) {
                    break Err(anyhow!(
                        "it sent {REQUESTS_AHEAD_MAX} requests without waiting for a response"
                    ));
                }
            }
            Ok(None) => {}
            Err(FrameError::Closed) => break Ok(()),
            Err(error) => break Err(error.into()),
        }
        if last_sent.elapsed() >= ALIVE_EVERY {
            last_sent = Instant::now();
            if let Err(error) = line.send(&Answer::Alive) {
                break Err(error.into());
            }
        }
    };
    stop.store(true, Ordering::Relaxed);
    end
}

/// One client.
struct Session<'s> {
    agent: &'s Agent,
    line: &'s SharedSender,
    stop: &'s AtomicBool,
    over: &'s AtomicBool,
    sides: BTreeMap<u32, SideThread>,
    watch: Option<Watch<'s>>,
    /// Where this client's records are kept; made with the first.
    folder: Option<PathBuf>,
}

/// A thread that records counters.
struct Watch<'s> {
    enough: std::sync::Arc<AtomicBool>,
    thread: ScopedJoinHandle<'s, anyhow::Result<()>>,
    record: GrowingRecord,
}

impl<'s> Session<'s> {
    /// Carries out one request. What cannot be done is an answer; errors are those of the connection.
    fn carry_out<'env>(
        &mut self,
        scope: &'s Scope<'s, 'env>,
        request: Request,
    ) -> anyhow::Result<()> {
        let answer = match request {
            Request::Stop => return Ok(()),
            Request::Look { target } => self.look(&target),
            Request::Begin { side } => self.begin(scope, &side),
            Request::Execute { side, step, round } => self.execute(side, step, round),
            Request::End { side } => self.end(side),
            Request::Watch { unix_ns } => self.watch(scope, unix_ns),
            Request::Unwatch => self.unwatch(),
            Request::Peer => self.peer(scope),
        };
        let answer = answer.unwrap_or_else(|error| Answer::Failed {
            reason: format!("{error:#}"),
        });
        Ok(self.line.send(&answer)?)
    }

    fn look(&self, target: &str) -> anyhow::Result<Answer> {
        let target = self.agent.permit.target(target)?;
        Ok(Answer::Looked {
            environment: look(&target, &Options::default()),
        })
    }

    /// A folder for one more record.
    fn record_folder(&mut self, name: &str) -> anyhow::Result<PathBuf> {
        if self.folder.is_none() {
            let path = self.agent.kept.join(format!(
                "plumb-agent-{}.plumb",
                jiff::Zoned::now().strftime("%Y%m%d-%H%M%S%.3f")
            ));
            self.folder = Some(claim_folder(Some(&path), "agent")?.0);
        }
        let folder = self.folder.clone().unwrap_or_default().join(name);
        std::fs::create_dir_all(&folder).with_context(|| {
            format!(
                "{}: cannot be created on the agent's host",
                folder.display()
            )
        })?;
        Ok(folder)
    }

    fn begin<'env>(
        &mut self,
        scope: &'s Scope<'s, 'env>,
        request: &SideRequest,
    ) -> anyhow::Result<Answer> {
        let number = request.side_of.side;
        if self.sides.len() >= SIDES_MAX || self.sides.contains_key(&number) {
            bail!("side {number} was started already, or there are too many");
        }
        let plan = self.agent.permit.plan(&request.plan)?;
        let admission = Admission::from(self.agent.permit.overwrite(&plan, request.overwrite));
        let folder = self.record_folder(&side_letter(number as usize).to_lowercase())?;
        let (tasks, to_do) = channel();
        let (done, results) = channel();
        let (stop, folder_path, header) = (
            self.stop,
            folder.clone(),
            (request.side_of.clone(), request.tags.clone()),
        );
        let carry = move || {
            carry_side(
                (&plan, &admission, header),
                &folder_path,
                stop,
                &to_do,
                &done,
            )
        };
        let thread = Builder::new()
            .spawn_scoped(scope, carry)
            .context(NO_THREAD)?;
        let record = GrowingRecord {
            folder,
            sent: BTreeMap::new(),
        };
        // The first result means that it has started; without one the thread has ended, with the reason.
        if results.recv().is_err() {
            return Err(thread
                .join()
                .unwrap_or_else(|_| Ok(()))
                .err()
                .unwrap_or_else(|| anyhow!("the side could not start")));
        }
        self.sides.insert(
            number,
            SideThread {
                tasks,
                results,
                record,
            },
        );
        Ok(Answer::Begun { side: number })
    }

    fn side(&mut self, number: u32) -> anyhow::Result<&mut SideThread> {
        self.sides
            .get_mut(&number)
            .ok_or_else(|| anyhow!("side {number} was not started"))
    }

    fn execute(&mut self, number: u32, step: u32, round: u32) -> anyhow::Result<Answer> {
        let line = self.line;
        let side = self.side(number)?;
        let ended = || anyhow!("side {number} has ended: its record could not be written");
        side.tasks
            .send(Task::Execute {
                step: step as usize,
                round,
            })
            .map_err(|_| ended())?;
        let failures = side.results.recv().map_err(|_| ended())?;
        side.record.send_growth(Some(number), line)?;
        Ok(Answer::Executed {
            failure: failures.into_iter().next(),
        })
    }

    fn end(&mut self, number: u32) -> anyhow::Result<Answer> {
        let line = self.line;
        let mut side = self
            .sides
            .remove(&number)
            .ok_or_else(|| anyhow!("side {number} was not started"))?;
        let ended = || anyhow!("side {number}: its record could not be written");
        side.tasks.send(Task::End).map_err(|_| ended())?;
        let failures = side.results.recv().map_err(|_| ended())?;
        side.record.send_growth(Some(number), line)?;
        Ok(Answer::Ended {
            failures,
            kept: side.record.folder.display().to_string(),
        })
    }

    fn watch<'env>(&mut self, scope: &'s Scope<'s, 'env>, unix_ns: u64) -> anyhow::Result<Answer> {
        if self.watch.is_some() {
            bail!("counters of the host are recorded already");
        }
        let folder = self.record_folder("server")?;
        let enough = std::sync::Arc::new(AtomicBool::new(false));
        let (flag, over, folder_path) = (enough.clone(), self.over, folder.clone());
        let record = move || {
            record_counters(&folder_path, unix_ns, &|| {
                flag.load(Ordering::Relaxed) || over.load(Ordering::Relaxed)
            })
        };
        let thread = Builder::new()
            .spawn_scoped(scope, record)
            .context(NO_THREAD)?;
        self.watch = Some(Watch {
            enough,
            thread,
            record: GrowingRecord {
                folder,
                sent: BTreeMap::new(),
            },
        });
        Ok(Answer::Watching)
    }

    fn unwatch(&mut self) -> anyhow::Result<Answer> {
        let mut watch = self
            .watch
            .take()
            .ok_or_else(|| anyhow!("counters of the host are not recorded"))?;
        watch.enough.store(true, Ordering::Relaxed);
        watch
            .thread
            .join()
            .unwrap_or_else(|_| Err(anyhow!("recording counters failed for an unknown reason")))?;
        watch.record.send_growth(None, self.line)?;
        Ok(Answer::Unwatched {
            kept: watch.record.folder.display().to_string(),
        })
    }

    fn peer<'env>(&mut self, scope: &'s Scope<'s, 'env>) -> anyhow::Result<Answer> {
        let (address, allowed) = {
            let sender = self.line.lock();
            (
                sender.stream().local_addr()?.ip(),
                sender.stream().peer_addr()?.ip(),
            )
        };
        let listener = plumb_load::peer::Listener::bind((address, 0).into())
            .context("no port to respond to messages on")?;
        let port = listener.address()?.port();
        let over = self.over;
        let rules = plumb_load::peer::Rules {
            allowed: vec![allowed],
            once: false,
        };
        Builder::new()
            .spawn_scoped(scope, move || listener.serve(&rules, over, &|_| {}))
            .context(NO_THREAD)?;
        Ok(Answer::Peer { port })
    }
}

/// Holds the target of a side and carries out its steps until it is ended, or the client is gone.
fn carry_side(
    (plan, admission, (side_of, tags)): (&Plan, &Admission, (SideOf, Vec<String>)),
    folder: &Path,
    stop: &AtomicBool,
    to_do: &Receiver<Task>,
    done: &mpsc::Sender<Vec<String>>,
) -> anyhow::Result<()> {
    let (target, secrets, ends) = (
        main_target(plan),
        &admission.login.secrets,
        &admission.login.stop,
    );
    let environment = environment::examine(&target, secrets, &main_choice(plan), ends)?;
    let findings = plumb_analyse::judge_environment(&environment, Some(plan));
    let (mut header, clock) = started(plan, environment, findings, &tags);
    header.side_of = Some(side_of);
    let mut ongoing = Ongoing::begin(
        plan,
        admission,
        (header, clock),
        folder,
        shared(View::Quiet),
        stop,
    )?;
    let mut last_sent = 0;
    // Whoever is not there any more to take a result takes no further ones either: the loop ends with the tasks.
    let _ = done.send(Vec::new());
    while let Ok(task) = to_do.recv() {
        match task {
            Task::Execute { step, round } => {
                let fresh = if step < plan.steps.len() {
                    ongoing.execute(step, round);
                    ongoing
                        .failures()
                        .get(last_sent..)
                        .unwrap_or_default()
                        .to_vec()
                } else {
                    vec![format!("the plan has no step {step}")]
                };
                last_sent = ongoing.failures().len();
                let _ = done.send(fresh);
            }
            Task::End => {
                let _ = done.send(ongoing.end()?);
                return Ok(());
            }
        }
    }
    ongoing.end().map(drop)
}

/// Samples the counters of this machine into a record without steps.
fn record_counters(
    folder: &Path,
    unix_ns: u64,
    is_enough: &dyn Fn() -> bool,
) -> anyhow::Result<()> {
    let plan = Plan {
        name: "watch".into(),
        title: "Counters of the host".into(),
        note: String::new(),
        experiment: None,
        rounds: 1,
        order: Order::Sequential,
        seed: 0,
        steady: None,
        steps: Vec::new(),
        left_out: 0,
    };
    let environment = look(
        &Target::Null,
        &Options {
            watch: Duration::ZERO,
            trial: false,
            ..Options::default()
        },
    );
    let (mut header, clock) = started(&plan, environment, Vec::new(), &[]);
    header.started_unix_ns = unix_ns;
    let mut writer = RunWriter::create(folder, &header)?;
    let mut observer = Observer::new(Path::new("/"), Watched::default());
    loop {
        let last = is_enough();
        let mut readings = Vec::new();
        observer.sample(clock.now_ns(), &mut readings);
        writer.readings(&readings)?;
        if last {
            break;
        }
        let begun = Instant::now();
        while begun.elapsed() < SAMPLE_EVERY && !is_enough() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    writer.note(&Note {
        time_ns: clock.now_ns(),
        event: Event::Finished { interrupted: false },
    })?;
    Ok(writer.finish()?)
}

impl GrowingRecord {
    /// Sends what was appended since the last time.
    fn send_growth(&mut self, side: Option<u32>, line: &SharedSender) -> anyhow::Result<()> {
        for name in RUN_FILES {
            let path = self.folder.join(name);
            let mut file = File::open(&path)
                .with_context(|| format!("{}: cannot read the record", path.display()))?;
            let sent = self.sent.entry(name).or_default();
            file.seek(SeekFrom::Start(*sent))?;
            loop {
                let mut part = Vec::new();
                (&mut file)
                    .take(PIECE_BYTES as u64)
                    .read_to_end(&mut part)?;
                // A character at the end of a piece may be split; it is sent with the next piece.
                let valid = match std::str::from_utf8(&part) {
                    Ok(_) => part.len(),
                    Err(error) => error.valid_up_to(),
                };
                if valid == 0 {
                    break;
                }
                file.seek(SeekFrom::Start(*sent + valid as u64))?;
                *sent += valid as u64;
                part.truncate(valid);
                line.send(&Answer::Piece {
                    side,
                    file: name.into(),
                    text: String::from_utf8(part)?,
                })?;
            }
        }
        Ok(())
    }
}
