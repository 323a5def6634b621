//! Is this process one of several ranks, and how does it connect to the others? Read from the environment variables of its launcher.

use std::path::PathBuf;

use anyhow::{Context, bail};
use plumb_run::Stop;
use plumb_run::agent::token;
use plumb_run::ranks::launcher::launched;
use plumb_run::ranks::tcp::{Meeting, Tcp};
use plumb_run::ranks::wire::{Wire, WireError};
use plumb_run::ranks::{self, Join, OnLostRank};

/// HOST:PORT of rank 0, for ranks that reach each other without MPI.
const JOIN: &str = "PLUMB_JOIN";
/// The file that holds their token.
const TOKEN_FILE: &str = "PLUMB_TOKEN_FILE";

/// `continue` or `stop`.
pub fn parse_on_lost_rank(text: &str) -> Result<OnLostRank, String> {
    match text {
        "continue" => Ok(OnLostRank::Continue),
        "stop" => Ok(OnLostRank::Stop),
        _ => Err(format!(
            "'{text}' is not a valid action: choose continue or stop"
        )),
    }
}

/// How this process joins the others; `None` if it is the only one. Errors: invalid variables of the launcher, or an unreadable token.
pub fn join(stop: &Stop) -> anyhow::Result<Option<Join>> {
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let address = environment(JOIN);
    let Some(launched) = launched(&environment)? else {
        if address.is_some() {
            bail!(
                "{JOIN} is set, but the rank of this process and the number of ranks are not: set PLUMB_RANK and PLUMB_RANKS"
            );
        }
        return Ok(None);
    };
    let Some(address) = address else {
        return Ok(Some(Box::new(move || ranks::join_by_mpi(&launched))));
    };
    let file = environment(TOKEN_FILE).with_context(|| {
        format!(
            "{JOIN} is set, but {TOKEN_FILE} is not: set it to the file with the token of the ranks"
        )
    })?;
    let meeting = Meeting {
        rank: launched.rank,
        ranks: launched.ranks,
        address,
        token: token(&PathBuf::from(file))?,
    };
    let stop = stop.flag().clone();
    Ok(Some(Box::new(move || {
        let tcp = Tcp::join(&meeting, &stop).map_err(|error| WireError(format!("{error:#}")))?;
        Ok(Box::new(tcp) as Box<dyn Wire>)
    })))
}
