//! Which peer serves `ioengine=net`, and what did it receive? Sections with `listen`, by plumb's responder, while the command runs.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use plumb_load::peer::{Listener, Rules, Served};
use plumb_plan::fio_job;
use plumb_record::exporter::fio_report::ListenerTraffic;

use crate::streams::say;

/// The listeners, until this value is dropped.
pub struct Listening {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// Of each section.
    tallies: Vec<Arc<Mutex<Tally>>>,
}

/// The data received by one section.
#[derive(Debug, Default)]
struct Tally {
    /// Start of the first connection with data, and end of the last.
    traffic: ListenerTraffic,
    span: Option<(Instant, Instant)>,
}

impl Tally {
    fn add(&mut self, served: &Served) {
        let mut bytes = [served.account.bytes_received, served.account.bytes_sent];
        if bytes[0] > 0 {
            // As in fio, a message that is sent back counts once, as received.
            bytes[1] = 0;
        }
        if bytes == [0, 0] {
            return;
        }
        for (at, bytes) in bytes.into_iter().enumerate() {
            self.traffic.bytes[at] += bytes;
            self.traffic.messages[at] += bytes / served.message_bytes.max(1);
        }
        let (began, ended) = self.span.unwrap_or((served.began, served.ended));
        let (began, ended) = (began.min(served.began), ended.max(served.ended));
        self.span = Some((began, ended));
        self.traffic.seconds = ended.duration_since(began).as_secs_f64();
        let at = SystemTime::now().checked_sub(ended.elapsed());
        let since = at.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        self.traffic.ended_unix_ns = since.map(|since| since.as_nanos() as u64);
    }
}

impl Listening {
    /// Listens for all of these sections. With `once` each ends after its first client disconnects, or at `stop`.
    ///
    /// # Errors
    /// A port is in use.
    pub fn begin(
        sections: &[fio_job::Listener],
        stop: Arc<AtomicBool>,
        once: bool,
        is_silent: bool,
    ) -> anyhow::Result<Listening> {
        let mut listening = Listening {
            stop: stop.clone(),
            threads: Vec::new(),
            tallies: Vec::new(),
        };
        for section in sections {
            let (name, port) = (section.name.clone(), section.port);
            let listener = Listener::bind((Ipv6Addr::UNSPECIFIED, port).into())
                .or_else(|_| Listener::bind((Ipv4Addr::UNSPECIFIED, port).into()))
                .with_context(|| format!("[{name}] cannot listen on port {port}"))?;
            if !is_silent {
                say(&format!("fio: [{name}] listens on port {port}"));
            }
            let rules = Rules {
                once,
                ..Rules::default()
            };
            let stop = stop.clone();
            let tally = Arc::<Mutex<Tally>>::default();
            listening.tallies.push(tally.clone());
            let serve = move || {
                let tell = |line| {
                    if !is_silent {
                        say(&format!("fio: [{name}] {line}"));
                    }
                };
                let count = |served: &Served| {
                    tally
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .add(served);
                };
                listener.serve_and_count(&rules, &stop, &tell, &count);
            };
            let thread = std::thread::Builder::new()
                .name("plumb-listen".into())
                .spawn(serve)
                .context("cannot start a thread for listening (ulimit -u)")?;
            listening.threads.push(thread);
        }
        Ok(listening)
    }

    /// Waits until all have ended; returns the data received by each.
    pub fn wait(&mut self) -> Vec<ListenerTraffic> {
        self.threads
            .drain(..)
            .for_each(|thread| drop(thread.join()));
        let of = |tally: &Arc<Mutex<Tally>>| {
            tally.lock().unwrap_or_else(PoisonError::into_inner).traffic
        };
        self.tallies.iter().map(of).collect()
    }

    /// Ends all; returns the data received by each.
    pub fn end(&mut self) -> Vec<ListenerTraffic> {
        self.stop.store(true, Ordering::Relaxed);
        self.wait()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.end();
    }
}
