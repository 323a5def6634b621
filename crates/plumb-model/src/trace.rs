//! What did an application ask for, and how was it answered? Its calls as they happened, where they were seen, and the figures derived from them.

pub mod capture;
pub mod events;
pub mod facts;
pub mod receiver;
pub mod size_times;
pub mod summary;
pub mod work;
