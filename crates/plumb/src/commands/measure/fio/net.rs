//! Who answers the messages of `ioengine=net`? Sections with `listen`, by plumb's responder, while the command runs.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::Context;
use plumb_load::peer::{Listener, Rules};
use plumb_plan::fio_job;

use crate::streams::say;

/// What listens; it ends with this value.
pub struct Listening {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Listening {
    /// Listens for all of these sections. With `once` each ends when its first client has gone, or at `stop`.
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
        };
        for section in sections {
            let (name, port) = (section.name.clone(), section.port);
            let listener = Listener::bind((Ipv6Addr::UNSPECIFIED, port).into())
                .or_else(|_| Listener::bind((Ipv4Addr::UNSPECIFIED, port).into()))
                .with_context(|| format!("[{name}] nothing can listen on port {port}"))?;
            if !is_silent {
                say(&format!(
                    "fio: [{name}] listens on port {port}; its figures are those of the side that connects"
                ));
            }
            let rules = Rules {
                once,
                ..Rules::default()
            };
            let stop = stop.clone();
            let serve = move || {
                listener.serve(&rules, &stop, &|line| {
                    if !is_silent {
                        say(&format!("fio: [{name}] {line}"));
                    }
                });
            };
            let thread = std::thread::Builder::new()
                .name("plumb-listen".into())
                .spawn(serve)
                .context("the system gives no thread to listen with (ulimit -u)")?;
            listening.threads.push(thread);
        }
        Ok(listening)
    }

    /// Waits until all have ended by themselves.
    pub fn wait(&mut self) {
        self.threads
            .drain(..)
            .for_each(|thread| drop(thread.join()));
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wait();
    }
}
