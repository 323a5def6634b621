//! How do many processes on many hosts carry out one plan? Each is a rank and makes load; rank 0 leads, and records the sums of all.
//!
//! Three threads work on rank 0: one carries messages (`exchange`), one makes load like every rank (`rank`), and the main one leads (`lead`). Intervals go to
//! rank 0 along a tree that adds them up (`reduction`); everything else goes straight. What carries the messages is a `wire`.

mod assembly;
pub mod bridge;
mod division;
mod exchange;
pub mod launch;
pub mod launcher;
mod lead;
mod line;
pub mod message;
mod mpi;
mod rank;
pub mod rank_order;
mod record_sending;
pub mod reduction;
pub mod tcp;
#[cfg(test)]
mod tests;
pub mod wire;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_analyse::judge_environment;
use plumb_load::clock::Clock;
use plumb_load::site::Admission;
use plumb_model::environment::Environment;
use plumb_model::plan::Plan;
use plumb_model::run::SideOf;
use plumb_model::run::ranks::Ranks;
use plumb_model::target::Target;
use plumb_observe::environment::{Options, look};
use plumb_record::read_run;
use plumb_show::live::View;
use sha2::{Digest, Sha256};

use crate::Stop;
use crate::agent::noise::hex;
use crate::derived::{derive_in, write_report};
use crate::environment::{self, host_name};
use crate::measurement::{
    Measurement, REPORT, Request, announce, claim_folder, random_number, shared, started,
};
use crate::named_plan::{main_choice, main_target};
use crate::notices::say;
use assembly::Assembly;
use exchange::{Exchange, Listeners, News, Order};
pub use lead::OnLostRank;
pub use lead::agenda;
use lead::agenda::{Agenda, Scheduled, TurnQueue};
use lead::wording::{placement_text, refuse_what_is_for_one};
use lead::{Lead, Together};
use line::{Line, Standing};
use message::{Hello, Message, VERSION};
pub use rank::Part;
use rank::{Work, carry_out};
use wire::{Wire, WireError};

/// How long the thread that carries messages may take to end; it gives up by itself before.
const LEAVE_PATIENCE: Duration = Duration::from_secs(90);

/// Waiting for the others is reported after this time.
const REPORT_AFTER: Duration = Duration::from_secs(10);

/// Connects this process with the others. It is called on the thread that then carries all messages.
pub type Join = Box<dyn FnOnce() -> Result<Box<dyn Wire>, WireError> + Send>;

/// Connects this process by the MPI library of its launcher.
///
/// # Errors
/// The library is not there, or is another than the launcher's.
pub fn join_by_mpi(launched: &launcher::Launched) -> Result<Box<dyn Wire>, WireError> {
    mpi::join(launched).map(|wire| Box::new(wire) as Box<dyn Wire>)
}

/// A plan that many ranks measure together; each has the same request.
pub struct RanksRequest {
    pub request: Request,
    pub join: Join,
    pub on_lost_rank: OnLostRank,
    /// It is one of several that are measured together, in turns; missing: the plan is carried out from its beginning to its end.
    pub side: Option<AsSide>,
}

/// A run of many ranks as a side of a comparison.
pub struct AsSide {
    pub of: SideOf,
    pub agenda: TurnQueue,
}

/// The thread that carries messages, and the ways to it.
struct Carried {
    standing: Standing,
    carrier: String,
    has_barrier: bool,
    orders: Sender<Order>,
    for_lead: Receiver<News>,
    for_rank: Receiver<News>,
    thread: std::thread::JoinHandle<()>,
}

/// Carries out the part of this process in a run of many ranks. On rank 0: what was measured by all; `None` on the others.
///
/// Errors: the ranks could not be connected, do not fit together, or the records could not be written.
pub fn measure(request: RanksRequest, stop: &Stop) -> anyhow::Result<Option<Measurement>> {
    let RanksRequest {
        mut request,
        join,
        on_lost_rank,
        side,
    } = request;
    refuse_what_is_for_one(&request)?;
    request.admission.login.stop = stop.request();
    let clock = Clock::start();
    // Before anything that can fail on one host alone: the others would wait for it without knowing the reason.
    let carried = carry_messages(join, clock)?;
    let environment = carried.examined(&request.plan, &request.admission)?;
    let part = Part {
        plan: request.plan.clone(),
        admission: &request.admission,
        tags: &request.tags,
        kept: Path::new(""),
        identity: identity_of(&request.plan.to_toml()),
    };
    if carried.standing.rank > 0 {
        return carried
            .take_part(part, environment, (clock, stop.flag()))
            .map(|()| None);
    }
    let leading = Leading {
        request: &request,
        environment: environment.clone(),
        clock,
        identity: part.identity.clone(),
        on_lost_rank,
        side,
        makes_load: true,
    };
    carried
        .lead(leading, Some((part, environment)), stop)
        .map(Some)
}

/// Takes part as a rank that does not lead. Errors: it could not begin, or its record could not be written; rank 0 has been informed.
pub fn take_part(part: Part<'_>, join: Join, stop: &AtomicBool) -> anyhow::Result<()> {
    let clock = Clock::start();
    let carried = carry_messages(join, clock)?;
    let environment = carried.examined(&part.plan, part.admission)?;
    carried.take_part(part, environment, (clock, stop))
}

/// Leads a run without load of its own. `identity`: by which ranks find out that they have the same plan.
///
/// Errors: the ranks do not fit together, or the record could not be written.
pub fn lead(request: RanksRequest, identity: String, stop: &Stop) -> anyhow::Result<Measurement> {
    let RanksRequest {
        request,
        join,
        on_lost_rank,
        side,
    } = request;
    refuse_what_is_for_one(&request)?;
    let clock = Clock::start();
    let carried = carry_messages(join, clock)?;
    // The target lies on the other hosts.
    let environment = look(&Target::Null, &Options::default());
    let leading = Leading {
        request: &request,
        environment,
        clock,
        identity,
        on_lost_rank,
        side,
        makes_load: false,
    };
    carried.lead(leading, None, stop)
}

impl Carried {
    /// The environment of the target, and of this host. Errors: the target cannot be examined; rank 0 has been informed.
    fn examined(&self, plan: &Plan, admission: &Admission) -> anyhow::Result<Environment> {
        let (target, choice) = (main_target(plan), main_choice(plan));
        let found = environment::examine(
            &target,
            &admission.login.secrets,
            &choice,
            &admission.login.stop,
        );
        if let Err(error) = &found {
            let reason = format!("on {}: {error:#}", self.standing.host);
            let order = match self.standing.rank {
                0 => Order::SendAll(Message::Refused { reason }),
                _ => Order::Send(0, Message::CannotBegin { reason }),
            };
            let _ = self.orders.send(order);
            leave(&self.orders, &self.thread);
        }
        found
    }

    fn greet(&self, identity: &str, environment: Option<Box<Environment>>) {
        let hello = Hello {
            version: VERSION,
            plumb_version: env!("CARGO_PKG_VERSION").into(),
            host: self.standing.host.clone(),
            process: std::process::id(),
            plan: identity.into(),
            environment,
        };
        let _ = self
            .orders
            .send(Order::Send(0, Message::Hello(Box::new(hello))));
    }

    /// Carries out the work of a rank.
    fn take_part(
        self,
        part: Part<'_>,
        environment: Environment,
        (clock, stop): (Clock, &AtomicBool),
    ) -> anyhow::Result<()> {
        // The first rank with load describes the target if the lead does not see it.
        let of_target = (self.standing.rank == 1).then(|| Box::new(environment.clone()));
        self.greet(&part.identity, of_target);
        let work = Work {
            part,
            environment,
            clock,
            stop,
        };
        let line = Rc::new(Line::new(self.standing, self.orders.clone(), self.for_rank));
        let done = carry_out(work, &line);
        leave(&self.orders, &self.thread);
        done
    }

    /// Leads the run, and carries out the work of rank 0 meanwhile where it has any.
    fn lead(
        self,
        leading: Leading<'_>,
        part: Option<(Part<'_>, Environment)>,
        stop: &Stop,
    ) -> anyhow::Result<Measurement> {
        if let Some((part, _)) = &part {
            self.greet(&part.identity, None);
        }
        let clock = leading.clock;
        let Carried {
            standing,
            carrier,
            has_barrier,
            orders,
            for_lead,
            for_rank,
            thread,
        } = self;
        let ranks = standing.ranks;
        let line_orders = orders.clone();
        let done = std::thread::scope(|scope| {
            let rank = part.map(|(part, environment)| {
                let work = Work {
                    part,
                    environment,
                    clock,
                    stop: stop.flag(),
                };
                let carry =
                    move || carry_out(work, &Rc::new(Line::new(standing, line_orders, for_rank)));
                std::thread::Builder::new()
                    .name("plumb-rank".into())
                    .spawn_scoped(scope, carry)
            });
            let rank = rank.transpose().context("cannot start more threads")?;
            let reached = Reached {
                ranks,
                carrier,
                has_barrier,
                orders: &orders,
                news: &for_lead,
            };
            let request = leading.request;
            let led = leading.lead(reached, stop);
            // Whatever happened, the rank here ends with its lead.
            if let Err(error) = &led {
                let reason = format!("rank 0 cannot coordinate the run: {error:#}");
                let _ = orders.send(Order::SendAll(Message::Refused { reason }));
                stop.flag().store(true, Ordering::Relaxed);
                let _ = orders.send(Order::SendAll(Message::Over));
            }
            // What ended it here is among the failures already.
            if let Some(Err(panic)) = rank.map(|rank| rank.join()) {
                std::panic::resume_unwind(panic);
            }
            led.map(|led| (request, led))
        });
        // The others wait for this one to leave with them: the page comes afterwards.
        leave(&orders, &thread);
        let (request, led) = done?;
        led.measured(request, stop)
    }
}

/// Ends the thread that carries messages once they are delivered; a library that waits for a rank that is lost is left.
fn leave(orders: &Sender<Order>, thread: &std::thread::JoinHandle<()>) {
    let _ = orders.send(Order::Close);
    let until = Instant::now() + LEAVE_PATIENCE;
    while !thread.is_finished() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Starts the thread that carries messages. Errors: the ranks cannot be connected.
fn carry_messages(join: Join, clock: Clock) -> anyhow::Result<Carried> {
    let host = host_name().unwrap_or_else(|| "unknown".into());
    let (orders, to_do) = channel();
    let (lead, for_lead) = channel();
    let (rank, for_rank) = channel();
    let (joined, connected) = channel();
    let carry = move || match join() {
        Ok(wire) => {
            let carrier = (wire.name(), wire.has_barrier());
            let _ = joined.send(Ok((wire.rank(), wire.size(), carrier)));
            let lead = (wire.rank() == 0).then_some(lead);
            Exchange::new(wire, clock, Listeners { lead, rank }).run(&to_do);
        }
        Err(error) => drop(joined.send(Err(error))),
    };
    let thread = std::thread::Builder::new()
        .name("plumb-messages".into())
        .spawn(carry)
        .context("cannot start more threads")?;
    let (rank, ranks, (carrier, has_barrier)) = loop {
        match connected.recv_timeout(REPORT_AFTER) {
            Ok(joined) => break joined?,
            // MPI_Init waits for all processes of the launcher.
            Err(RecvTimeoutError::Timeout) => {
                say(&format!("plumb on {host} waits for the other ranks"))
            }
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the messaging thread has ended")
            }
        }
    };
    Ok(Carried {
        standing: Standing { rank, ranks, host },
        carrier,
        has_barrier,
        orders,
        for_lead,
        for_rank,
        thread,
    })
}

/// What rank 0 leads.
struct Leading<'a> {
    request: &'a Request,
    environment: Environment,
    clock: Clock,
    identity: String,
    on_lost_rank: OnLostRank,
    side: Option<AsSide>,
    makes_load: bool,
}

/// How it reaches the others.
struct Reached<'a> {
    ranks: u32,
    carrier: String,
    has_barrier: bool,
    orders: &'a Sender<Order>,
    news: &'a Receiver<News>,
}

impl Leading<'_> {
    fn lead(self, reached: Reached<'_>, stop: &Stop) -> anyhow::Result<Led> {
        let Leading { request, clock, .. } = self;
        let assembly = Assembly {
            size: reached.ranks,
            lead_makes_load: self.makes_load,
            clock,
            plan: &self.identity,
            orders: reached.orders,
            news: reached.news,
            stop: stop.flag(),
        };
        let assembled = assembly.assemble()?;
        let environment = match assembled.environment.filter(|_| !self.makes_load) {
            Some(of_target) => *of_target,
            None => self.environment,
        };
        let ranks = Ranks {
            carrier: reached.carrier,
            processes: assembled.processes,
        };
        if !request.quiet {
            say(&placement_text(&ranks, &request.plan));
        }
        let seed = random_number();
        let mut plan = request.plan.clone();
        plan.settle_seeds(seed);
        let findings = judge_environment(&environment, Some(&plan));
        if !request.quiet {
            announce(request, &environment, &findings);
        }
        let (folder, made) = claim_folder(request.output.as_deref(), &plan.name)?;
        let (mut header, _) = started(&plan, environment, findings, &request.tags);
        // All times count from the start of the clock that the others were compared with.
        header.started_unix_ns = header.started_unix_ns.saturating_sub(clock.now_ns());
        header.ranks = Some(ranks.clone());
        let mut agenda: Box<dyn Agenda> = Box::new(Scheduled::of(&plan));
        if let Some(side) = self.side {
            header.side_of = Some(side.of);
            agenda = Box::new(side.agenda);
        }
        let together = Together {
            plan: &plan,
            ranks,
            offsets_ns: assembled.offsets_ns,
            seed,
            clock,
            orders: reached.orders,
            news: reached.news,
            on_lost_rank: self.on_lost_rank,
            has_barrier: reached.has_barrier,
            stop: stop.flag(),
        };
        let view = match &request.view {
            Some(open) => open(),
            _ => View::choose(request.quiet, request.words),
        };
        let led = Lead::begin(together, &header, &folder, shared(view))
            .and_then(|lead| lead.carry_out(agenda.as_mut()));
        if led.is_err() {
            made.iter()
                .for_each(|folder| drop(std::fs::remove_dir(folder)));
        }
        Ok(Led {
            failures: led?,
            folder,
        })
    }
}

/// What was led to its end.
struct Led {
    folder: PathBuf,
    failures: Vec<String>,
}

impl Led {
    /// What is derived from its record, and the page.
    fn measured(self, request: &Request, stop: &Stop) -> anyhow::Result<Measurement> {
        let derived = derive_in(read_run(&self.folder)?, &self.folder);
        let report = request.report.then(|| self.folder.join(REPORT));
        if let Some(report) = &report {
            write_report(&derived, report, request.words)?;
        }
        Ok(Measurement {
            derived,
            folder: self.folder,
            report,
            failures: self.failures,
            interrupted: stop.is_requested(),
        })
    }
}

/// By which ranks find out that they have the same plan: a digest of how it is written.
fn identity_of(plan: &str) -> String {
    hex(&Sha256::digest(plan.as_bytes()))
}
