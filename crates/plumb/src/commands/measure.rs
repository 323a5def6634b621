//! Which verbs make a load and measure it?

pub mod check;
pub mod copy_test;
pub mod find;
pub mod fio;
pub mod launch;
pub mod layers;
pub mod ranks;
pub mod replay;
pub mod run;
pub mod stream;
