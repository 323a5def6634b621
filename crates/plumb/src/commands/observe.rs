//! Which verbs look at a machine or at an application, without a load of their own?

pub mod doctor;
pub mod trace;
pub mod watch;
pub mod why;
