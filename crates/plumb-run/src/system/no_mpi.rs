//! Which MPI library is on this machine? plumb knows none of this system.

/// There is none.
pub enum Mpi {}

/// Nor is there a message by it.
pub enum Sending {}

/// Nor one to this rank.
pub enum Receiving {}

impl Receiving {
    pub fn from(&self) -> u32 {
        match *self {}
    }

    pub fn into_bytes(self) -> Vec<u8> {
        match self {}
    }
}

/// Nor a barrier.
pub enum Entered {}

/// Errors: always.
pub fn open(_: &[&str]) -> Result<Mpi, String> {
    Err("MPI is not supported on this system".into())
}

impl Mpi {
    pub fn rank(&self) -> u32 {
        match *self {}
    }

    pub fn size(&self) -> u32 {
        match *self {}
    }

    pub fn name(&self) -> String {
        match *self {}
    }

    pub fn send(&self, _: u32, _: Vec<u8>) -> Result<Sending, String> {
        match *self {}
    }

    pub fn is_sent(&self, _: &mut Sending) -> Result<bool, String> {
        match *self {}
    }

    pub fn receive(&self) -> Result<Option<Receiving>, String> {
        match *self {}
    }

    pub fn is_received(&self, _: &mut Receiving) -> Result<bool, String> {
        match *self {}
    }

    pub fn enter_barrier(&self) -> Result<Entered, String> {
        match *self {}
    }

    pub fn is_passed(&self, _: &mut Entered) -> Result<bool, String> {
        match *self {}
    }

    pub fn finalize(self) {
        match self {}
    }
}

pub fn leave_to_the_library(_: Vec<Sending>, _: Vec<Receiving>, _: Option<Entered>) {}
