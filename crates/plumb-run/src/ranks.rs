//! How do many processes on many hosts carry out one plan? Each is a rank and makes load; rank 0 leads, and records the sums of all.
//!
//! Three threads work on rank 0: one carries messages ([`exchange`]), one makes load like every rank ([`rank`]), and the main one leads ([`lead`]). Intervals go to
//! rank 0 along a tree that adds them up ([`reduction`]); everything else goes straight. What carries the messages is a [`wire`].

mod assembly;
mod exchange;
pub mod launcher;
mod lead;
mod message;
mod mpi;
mod rank;
mod record_sending;
pub mod reduction;
pub mod tcp;
#[cfg(test)]
mod tests;
pub mod wire;

use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use anyhow::{Context, bail};
use plumb_analyse::judge_environment;
use plumb_load::clock::Clock;
use plumb_model::environment::Environment;
use plumb_model::plan::Plan;
use plumb_model::run::ranks::Ranks;
use plumb_record::read_run;
use plumb_show::live::View;
use plumb_words::numbers::show_time_ns;
use sha2::{Digest, Sha256};

use crate::derived::{derive, write_report};
use crate::environment;
use crate::measurement::{
    Measurement, REPORT, Request, announce, claim_folder, random_number, shared, started,
};
use crate::named_plan::{main_choice, main_target};
use crate::notices::say;
use crate::Stop;
use assembly::Assembly;
use exchange::{Exchange, Listeners, News, Order};
pub use lead::OnLostRank;
use lead::{Lead, Together};
use message::{Message, VERSION};
use rank::{Line, Standing, Work, carry_out};
use wire::{Wire, WireError};

/// How long messages that are still to be delivered are waited for at the end.
const LEAVE_PATIENCE: Duration = Duration::from_secs(5);

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
    } = request;
    refuse_what_is_for_one(&request)?;
    request.admission.stop = stop.request();
    let clock = Clock::start();
    let environment = environment::examine(
        &main_target(&request.plan),
        &request.admission.secrets,
        &main_choice(&request.plan),
        &request.admission.stop,
    )?;
    let host = environment
        .text("host.name")
        .unwrap_or("unknown")
        .to_string();
    let Carried {
        standing,
        carrier,
        has_barrier,
        orders,
        for_lead,
        for_rank,
        thread,
    } = carry_messages(join, clock, host)?;
    let digest = digest(&request.plan);
    let _ = orders.send(Order::Send(
        0,
        Message::Hello {
            version: VERSION,
            plumb_version: env!("CARGO_PKG_VERSION").into(),
            host: standing.host.clone(),
            process: std::process::id(),
            plan: digest.clone(),
        },
    ));
    let (is_lead, ranks) = (standing.rank == 0, standing.ranks);
    let work = Work {
        plan: request.plan.clone(),
        admission: &request.admission,
        environment: environment.clone(),
        tags: &request.tags,
        clock,
        stop: stop.flag(),
    };
    let line_orders = orders.clone();
    let done = std::thread::scope(|scope| {
        let carry = move || {
            let line = Rc::new(Line::new(standing, line_orders, for_rank));
            carry_out(work, &line)
        };
        if !is_lead {
            return carry().map(|()| None);
        }
        let rank = std::thread::Builder::new()
            .name("plumb-rank".into())
            .spawn_scoped(scope, carry)
            .context("the system gives no more threads")?;
        let leading = Leading {
            ranks,
            request: &request,
            environment,
            clock,
            carrier,
            has_barrier,
            digest: &digest,
            orders: &orders,
            news: &for_lead,
            on_lost_rank,
        };
        let led = leading.lead(stop);
        // Whatever happened, the rank here ends with its lead.
        if led.is_err() {
            stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
            let _ = orders.send(Order::SendAll(Message::Over));
        }
        let rank = rank
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let measured = led?;
        // What ended it here is among the failures already.
        drop(rank);
        Ok(Some(measured))
    });
    let _ = orders.send(Order::Close(LEAVE_PATIENCE));
    let _ = thread.join();
    done
}

/// Starts the thread that carries messages. Errors: the ranks cannot be connected.
fn carry_messages(join: Join, clock: Clock, host: String) -> anyhow::Result<Carried> {
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
        .context("the system gives no more threads")?;
    let (rank, ranks, (carrier, has_barrier)) = connected
        .recv()
        .context("the thread that carries messages has ended")??;
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

/// What rank 0 needs to lead.
struct Leading<'a> {
    ranks: u32,
    request: &'a Request,
    environment: Environment,
    clock: Clock,
    carrier: String,
    has_barrier: bool,
    digest: &'a str,
    orders: &'a Sender<Order>,
    news: &'a Receiver<News>,
    on_lost_rank: OnLostRank,
}

impl Leading<'_> {
    fn lead(self, stop: &Stop) -> anyhow::Result<Measurement> {
        let Leading { request, clock, .. } = self;
        let assembly = Assembly {
            size: self.ranks,
            clock,
            plan: self.digest,
            orders: self.orders,
            news: self.news,
            stop: stop.flag(),
        };
        let assembled = assembly.assemble()?;
        let ranks = Ranks {
            carrier: self.carrier,
            places: assembled.places,
        };
        if !request.quiet {
            say(&placed(&ranks));
        }
        let seed = random_number();
        let mut plan = request.plan.clone();
        plan.settle_seeds(seed);
        let findings = judge_environment(&self.environment, Some(&plan));
        if !request.quiet {
            announce(request, &self.environment, &findings);
        }
        let (folder, made) = claim_folder(request.output.as_deref(), &plan.name)?;
        let (mut header, _) = started(&plan, self.environment, findings, &request.tags);
        // All times count from the start of the clock that the others were compared with.
        header.started_unix_ns = header.started_unix_ns.saturating_sub(clock.now_ns());
        header.ranks = Some(ranks.clone());
        let together = Together {
            plan: &plan,
            ranks,
            offsets_ns: assembled.offsets_ns,
            seed,
            clock,
            orders: self.orders,
            news: self.news,
            on_lost_rank: self.on_lost_rank,
            has_barrier: self.has_barrier,
            stop: stop.flag(),
        };
        let view = match &request.view {
            Some(open) if !request.quiet => open(),
            _ => View::choose(request.quiet, request.words),
        };
        let led = Lead::begin(together, &header, &folder, shared(view)).and_then(Lead::carry_out);
        if led.is_err() {
            made.iter()
                .for_each(|folder| drop(std::fs::remove_dir(folder)));
        }
        let failures = led?;
        let derived = derive(read_run(&folder)?);
        let report = request.report.then(|| folder.join(REPORT));
        if let Some(report) = &report {
            write_report(&derived, report, request.words)?;
        }
        Ok(Measurement {
            derived,
            folder,
            report,
            failures,
            interrupted: stop.is_asked(),
        })
    }
}

/// `64 ranks on 4 hosts, connected by Open MPI v4.1.4; clocks compared within 12 us`.
fn placed(ranks: &Ranks) -> String {
    let hosts = ranks.hosts().len();
    let within = ranks
        .places
        .iter()
        .map(|place| place.clock_uncertainty_ns)
        .max()
        .unwrap_or_default();
    format!(
        "{} ranks on {hosts} host{}, connected by {}; their clocks were compared within {}",
        ranks.places.len(),
        if hosts == 1 { "" } else { "s" },
        ranks.carrier,
        show_time_ns(within as f64)
    )
}

/// What rests on the figures of one process cannot be carried out by many yet. Errors: what is asked is so.
fn refuse_what_is_for_one(request: &Request) -> anyhow::Result<()> {
    if request.search.is_some() {
        bail!("a search for the highest rate is of one process; run it without the launcher");
    }
    if request.plan.steady.is_some() {
        bail!(
            "the plan goes on until its rounds are steady, which many ranks cannot judge together yet: use a plan without it, or run it without the launcher"
        );
    }
    let mut jobs = request.plan.steps.iter().flat_map(|step| &step.jobs);
    if jobs.any(|job| job.workload.until_steady.is_some()) {
        bail!(
            "a step of the plan goes on until it is steady (until-steady), which many ranks cannot judge together yet: give it a time instead"
        );
    }
    Ok(())
}

/// By which ranks find out that they have the same plan.
fn digest(plan: &Plan) -> String {
    let json = serde_json::to_vec(plan).unwrap_or_default();
    let digest = Sha256::digest(json);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
