//! How does a command line become layers that are measured? Which layers there are, the plan of each, and who carries it out.

pub mod arguments;
pub mod course;
pub mod plans;
pub mod stack;
