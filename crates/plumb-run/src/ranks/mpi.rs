//! How do messages go by MPI? By the library of the launcher, found when it is needed; all calls are of kinds that do not wait.

use std::time::{Duration, Instant};

use super::launcher::Launched;
use super::wire::{Wire, WireError};
use crate::system::mpi::{Entered, Mpi, Sending, leave_to_the_library, open};

const OPEN_MPI: &[&str] = &["libmpi.so.40", "libmpi.so.80"];
const MPICH: &[&str] = &["libmpich.so.12", "libmpi.so.12", "libmpi.so.0"];
const REST: Duration = Duration::from_micros(200);

/// Messages by MPI.
pub struct ByMpi {
    mpi: Mpi,
    sending: Vec<Sending>,
    entered: Option<Entered>,
    /// A barrier was entered that some rank did not enter, as far as is known: MPI cannot be left in good order then.
    is_stuck: bool,
}

/// Connects this process by the MPI library that fits its launcher. It belongs to the calling thread.
///
/// # Errors
/// No library is there, or it is not the launcher's: what was tried, and what to do.
pub fn join(launched: &Launched) -> Result<ByMpi, WireError> {
    let files: Vec<&str> = match launched.launcher {
        "Open MPI" => OPEN_MPI.to_vec(),
        "MPICH" => MPICH.to_vec(),
        _ => [OPEN_MPI, MPICH].concat(),
    };
    let mpi = open(&files).map_err(|tried| {
        WireError(format!(
            "rank {} of {} was started by {}, and its MPI library cannot be used: {tried}. Install it on every host (Debian: libopenmpi3 or libmpich12) or load its module, so that the loader finds it (LD_LIBRARY_PATH); or connect the ranks without MPI: PLUMB_JOIN=HOST:PORT of rank 0 and PLUMB_TOKEN_FILE=FILE in the environment of all",
            launched.rank, launched.ranks, launched.launcher
        ))
    })?;
    if (mpi.rank(), mpi.size()) != (launched.rank, launched.ranks) {
        let error = WireError(format!(
            "the launcher ({}) says that this is rank {} of {}, and {} that it is rank {} of {}: the library is of another MPI than the launcher; put the launcher's own first in LD_LIBRARY_PATH",
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
        entered: None,
        is_stuck: false,
    })
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
        self.mpi.receive().map_err(WireError)
    }

    fn enter_barrier(&mut self) -> Result<(), WireError> {
        // The one before was left by a rank that is lost, so that its end will not come.
        self.is_stuck |= self.entered.is_some();
        leave_to_the_library(Vec::new(), self.entered.take());
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
        let until = Instant::now() + patience;
        let mut is_good = !self.is_stuck && self.entered.is_none();
        // MPI_Finalize waits for all: only once all are here may it be called.
        is_good = is_good && self.enter_barrier().is_ok();
        while is_good && Instant::now() < until {
            match self.is_barrier_passed() {
                Ok(true) if self.sending.is_empty() => break,
                Ok(_) => std::thread::sleep(REST),
                Err(_) => is_good = false,
            }
            // What the others still send is theirs; taking it lets them go.
            is_good = is_good && self.receive().is_ok();
        }
        if is_good && self.entered.is_none() && self.sending.is_empty() {
            return self.mpi.finalize();
        }
        leave_to_the_library(std::mem::take(&mut self.sending), self.entered.take());
    }
}
