//! How do messages go by MPI? By the library of the launcher, found when it is needed; all calls are of kinds that do not wait.

use std::env::var;
use std::time::{Duration, Instant};

use super::launcher::Launched;
use super::wire::{Wire, WireError};
use crate::system::mpi::{Entered, Mpi, Receiving, Sending, leave_to_the_library, open};

/// Open MPI 3 and 4; 5.
const OPEN_MPI: &[&str] = &["libmpi.so.40", "libmpi.so.80"];
/// MPICH, Intel MPI, MVAPICH and Cray's by their common name; Debian has another for MPICH.
const MPICH: &[&str] = &["libmpi.so.12", "libmpich.so.12"];
/// The ABI of MPI 5.0, of any of them; MPICH began with 0.
const STANDARD: &[&str] = &["libmpi_abi.so.1", "libmpi_abi.so.0"];
/// Sets the library's path if it is not the usual one.
const LIBRARY: &str = "PLUMB_MPI_LIBRARY";
/// Set by srun if it provides what an MPI library needs to start.
const OF_SRUN: &[&str] = &[
    "SLURM_MPI_TYPE",
    "PMIX_RANK",
    "PMI_FD",
    "PMI_CONTROL_PORT",
    "I_MPI_PMI_LIBRARY",
];
/// Messages that are received at the same time.
const RECEIVING_MAX: usize = 64;
const REST: Duration = Duration::from_micros(200);

/// Messages by MPI.
pub struct ByMpi {
    mpi: Mpi,
    sending: Vec<Sending>,
    /// In the order in which they were sent, as far as one sender goes.
    receiving: Vec<Receiving>,
    entered: Option<Entered>,
    /// A barrier was entered that some rank did not enter, as far as is known: MPI cannot be left in good order then.
    is_stuck: bool,
}

/// Connects this process by the MPI library that fits its launcher. It belongs to the calling thread.
///
/// # Errors
/// No library is there, or it is not the launcher's: what was tried, and what to do.
pub fn join(launched: &Launched) -> Result<ByMpi, WireError> {
    let named = var(LIBRARY).ok().filter(|name| !name.is_empty());
    if named.is_none() && is_without_pmi(launched.launcher, &|name| var(name).is_ok()) {
        return Err(WireError(format!(
            "rank {} of {} was started by srun without an MPI plugin: use srun --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH), as listed by srun --mpi=list; or connect the ranks without MPI: PLUMB_JOIN=HOST:PORT of rank 0 and PLUMB_TOKEN_FILE=FILE in the environment of all",
            launched.rank, launched.ranks
        )));
    }
    let mpi = open(&files(launched.launcher, named.as_deref())).map_err(|tried| {
        WireError(format!(
            "rank {} of {} was started by {}, and no usable MPI library was found: {tried}. Install the launcher's MPI on every host (Debian: libopenmpi3 or libmpich12; RHEL: openmpi or mpich, and module load mpi), so that the loader finds it (LD_LIBRARY_PATH), or set its path in {LIBRARY}; or \
             connect the ranks without MPI: PLUMB_JOIN=HOST:PORT of rank 0 and PLUMB_TOKEN_FILE=FILE in the environment of all, or plumb launch",
            launched.rank, launched.ranks, launched.launcher
        ))
    })?;
    if (mpi.rank(), mpi.size()) != (launched.rank, launched.ranks) {
        let error = WireError(format!(
            "the launcher ({}) reports rank {} of {}, and {} reports rank {} of {}: the library belongs to a different MPI than the launcher; put the directory of the launcher's library first in LD_LIBRARY_PATH, or set its path in {LIBRARY}",
            launched.launcher,
            launched.rank,
            launched.ranks,
            mpi.name(),
            mpi.rank(),
            mpi.size()
        ));
        mpi.finalize();
        return Err(error);
    }
    Ok(ByMpi {
        mpi,
        sending: Vec::new(),
        receiving: Vec::new(),
        entered: None,
        is_stuck: false,
    })
}

/// The files that are tried, in this order.
fn files<'a>(launcher: &str, named: Option<&'a str>) -> Vec<&'a str> {
    match (named, launcher) {
        (Some(named), _) => vec![named],
        (_, "Open MPI") => [OPEN_MPI, STANDARD].concat(),
        (_, "MPICH") => [MPICH, STANDARD].concat(),
        _ => [OPEN_MPI, MPICH, STANDARD].concat(),
    }
}

impl ByMpi {
    /// Forgets messages that have gone.
    fn look_after_sent(&mut self) -> Result<(), WireError> {
        let mut at = 0;
        while at < self.sending.len() {
            match self.mpi.is_sent(&mut self.sending[at]).map_err(WireError)? {
                true => drop(self.sending.swap_remove(at)),
                false => at += 1,
            }
        }
        Ok(())
    }

    /// Takes messages that have come, until all have been delivered that this rank sent. Errors: it took too long, or the library's.
    fn deliver(&mut self, until: Instant) -> Result<(), WireError> {
        while !self.sending.is_empty() {
            self.rest(until)?;
        }
        Ok(())
    }

    /// Gives the library a turn, and waits a little. What the others still send is of no use any more; taking it lets them go.
    fn rest(&mut self, until: Instant) -> Result<(), WireError> {
        while self.receive()?.is_some() {}
        if Instant::now() >= until {
            return Err(WireError("the other ranks did not respond".into()));
        }
        std::thread::sleep(REST);
        Ok(())
    }

    /// Waits until all ranks are here and nothing is under way. Errors: the same.
    fn meet(&mut self, until: Instant) -> Result<(), WireError> {
        self.deliver(until)?;
        self.enter_barrier()?;
        while !self.is_barrier_passed()? || !self.receiving.is_empty() {
            self.rest(until)?;
        }
        Ok(())
    }
}

impl Wire for ByMpi {
    fn rank(&self) -> u32 {
        self.mpi.rank()
    }

    fn size(&self) -> u32 {
        self.mpi.size()
    }

    fn name(&self) -> String {
        self.mpi.name()
    }

    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), WireError> {
        let sending = self.mpi.send(to, message.to_vec()).map_err(WireError)?;
        self.sending.push(sending);
        self.look_after_sent()
    }

    fn receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, WireError> {
        self.look_after_sent()?;
        while self.receiving.len() < RECEIVING_MAX
            && let Some(receiving) = self.mpi.receive().map_err(WireError)?
        {
            self.receiving.push(receiving);
        }
        for at in 0..self.receiving.len() {
            let (before, rest) = self.receiving.split_at_mut(at);
            let next = &mut rest[0];
            // A short message may be complete before a long one that was sent earlier.
            let is_next = before.iter().all(|earlier| earlier.from() != next.from());
            if is_next && self.mpi.is_received(next).map_err(WireError)? {
                let next = self.receiving.remove(at);
                return Ok(Some((next.from(), next.into_bytes())));
            }
        }
        Ok(None)
    }

    fn enter_barrier(&mut self) -> Result<(), WireError> {
        // The one before was left by a rank that is lost, so that its end will not come.
        self.is_stuck |= self.entered.is_some();
        leave_to_the_library(Vec::new(), Vec::new(), self.entered.take());
        self.entered = Some(self.mpi.enter_barrier().map_err(WireError)?);
        Ok(())
    }

    fn is_barrier_passed(&mut self) -> Result<bool, WireError> {
        let Some(entered) = &mut self.entered else {
            return Ok(true);
        };
        let is_passed = self.mpi.is_passed(entered).map_err(WireError)?;
        if is_passed {
            self.entered = None;
        }
        Ok(is_passed)
    }

    fn close(mut self: Box<Self>, patience: Duration) {
        // MPI_Finalize waits for all ranks, however long it takes: only once all are here may it be called.
        if !self.is_stuck && self.entered.is_none() && self.meet(Instant::now() + patience).is_ok()
        {
            return self.mpi.finalize();
        }
        leave_to_the_library(
            std::mem::take(&mut self.sending),
            std::mem::take(&mut self.receiving),
            self.entered.take(),
        );
    }
}

/// srun started the ranks alone, each by itself: a library would end the process, with words of its own.
fn is_without_pmi(launcher: &str, is_set: &dyn Fn(&str) -> bool) -> bool {
    launcher == "Slurm" && !OF_SRUN.iter().any(|name| is_set(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srun_has_to_set_up_mpi() {
        assert!(is_without_pmi("Slurm", &|_| false));
        assert!(!is_without_pmi("Slurm", &|name| name == "SLURM_MPI_TYPE"));
        assert!(!is_without_pmi("PMIx", &|_| false));
    }

    #[test]
    fn the_launchers_own_library_comes_first_and_a_named_one_is_the_only_one() {
        let first = |launcher, named| files(launcher, named)[0];
        assert_eq!(first("Open MPI", None), "libmpi.so.40");
        assert_eq!(first("MPICH", None), "libmpi.so.12");
        assert!(!files("MPICH", None).contains(&"libmpi.so.40"));
        assert!(files("Slurm", None).contains(&"libmpich.so.12"));
        assert_eq!(files("MPICH", Some("/opt/libmpi.so")), ["/opt/libmpi.so"]);
    }
}
