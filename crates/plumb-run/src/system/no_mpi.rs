//! Which MPI library is on this machine? plumb knows none of this system.
// Structs, not enums: code that uses a value that nobody can have is unreachable to the compiler only where it sees that.

use std::convert::Infallible;

/// There is none.
pub struct Mpi(Infallible);

/// Nor is there a message by it.
pub struct Sending(Infallible);

/// Nor one to this rank.
pub struct Receiving(Infallible);

impl Receiving {
    pub fn from(&self) -> u32 {
        match self.0 {}
    }

    pub fn into_bytes(self) -> Vec<u8> {
        match self.0 {}
    }
}

/// Nor a barrier.
pub struct Entered(Infallible);

/// Errors: always.
pub fn open(_: &[&str]) -> Result<Mpi, String> {
    Err("MPI is not supported on this system".into())
}

impl Mpi {
    pub fn rank(&self) -> u32 {
        match self.0 {}
    }

    pub fn size(&self) -> u32 {
        match self.0 {}
    }

    pub fn name(&self) -> String {
        match self.0 {}
    }

    pub fn send(&self, _: u32, _: Vec<u8>) -> Result<Sending, String> {
        match self.0 {}
    }

    pub fn is_sent(&self, _: &mut Sending) -> Result<bool, String> {
        match self.0 {}
    }

    pub fn receive(&self) -> Result<Option<Receiving>, String> {
        match self.0 {}
    }

    pub fn is_received(&self, _: &mut Receiving) -> Result<bool, String> {
        match self.0 {}
    }

    pub fn enter_barrier(&self) -> Result<Entered, String> {
        match self.0 {}
    }

    pub fn is_passed(&self, _: &mut Entered) -> Result<bool, String> {
        match self.0 {}
    }

    pub fn finalize(self) {
        match self.0 {}
    }
}

pub fn leave_to_the_library(_: Vec<Sending>, _: Vec<Receiving>, _: Option<Entered>) {}
