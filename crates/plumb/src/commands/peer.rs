//! Which verbs answer what is measured from another host?

pub mod agent;
pub mod serve_net;
