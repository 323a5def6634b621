//! What do systems say that have no such counters? That they have none.

use super::{InstanceValue, Status};

/// Never made here.
pub(crate) enum Query {}

/// Never made here.
pub(crate) enum Counter {}

impl Query {
    pub fn open() -> Result<Query, Status> {
        Err(Status::NOT_WINDOWS)
    }

    pub fn add(&mut self, _: &str) -> Result<Counter, Status> {
        match *self {}
    }

    pub fn collect(&mut self) -> Result<(), Status> {
        match *self {}
    }

    pub fn values(&mut self, _: &Counter) -> Result<Vec<InstanceValue>, Status> {
        match *self {}
    }
}
