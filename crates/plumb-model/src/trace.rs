//! Which calls did an application make, and how did they complete? Calls in order, as observed, and figures derived from them.

pub mod capture;
pub mod events;
pub mod facts;
pub mod receiver;
pub mod size_times;
pub mod summary;
pub mod work;
