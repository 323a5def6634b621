//! How is an agent a rank of a run on many hosts? It gets its part from who leads, and then acts as a rank over the same connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{anyhow, bail};
use plumb_load::site::Admission;
use plumb_model::plan::Plan;

use super::frame::{Frames, Sender, within};
use super::service::Agent;
use crate::ranks::rank_order::{RankOrder, Taken};
use crate::ranks::tcp::Tcp;
use crate::ranks::{Part, take_part};
use crate::secrets::{self, Login};

/// Who leads names the part at once.
const ORDER_MAX: Duration = Duration::from_secs(10);
/// The end of the agent is looked for so often.
const LOOK: Duration = Duration::from_millis(100);

/// Takes part in a run. Errors: the part is not allowed here, or it failed; the lead has been informed.
pub fn serve_rank(
    agent: &Agent,
    mut frames: Frames,
    mut sender: Sender,
    ended: &AtomicBool,
) -> anyhow::Result<()> {
    let order: RankOrder = frames
        .next(within(ORDER_MAX))?
        .ok_or_else(|| anyhow!("no part of a run was specified"))?;
    let (plan, admission) = match allowed(agent, &order) {
        Ok(allowed) => allowed,
        Err(error) => {
            let reason = format!("{error:#}");
            sender.send(&Taken::No {
                reason: reason.clone(),
            })?;
            bail!(reason);
        }
    };
    sender.send(&Taken::Yes)?;
    let part = Part {
        plan,
        admission: &admission,
        tags: &order.tags,
        kept: &agent.kept,
        identity: order.identity.clone(),
    };
    let (rank, ranks) = (order.rank, order.ranks);
    let connections = vec![(0, frames, sender)];
    let join = move || Ok(Box::new(Tcp::connected(rank, ranks, connections)) as _);
    let stop = Arc::new(AtomicBool::new(false));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // The end of the agent is shutting down its part; the end of its part does not end the agent.
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if ended.load(Ordering::Relaxed) {
                    stop.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(LOOK);
            }
        });
        let done = take_part(part, Box::new(join), &stop);
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// The plan with what it may do here. Passwords of shares are those of the agent's own environment.
fn allowed(agent: &Agent, order: &RankOrder) -> anyhow::Result<(Plan, Admission)> {
    let plan = agent.permit.plan(&order.plan)?;
    let admission = Admission {
        overwrite: agent.permit.overwrite(&plan, order.overwrite),
        login: secrets::of_plan(&plan, &Login::default())?.into(),
    };
    Ok((plan, admission))
}
