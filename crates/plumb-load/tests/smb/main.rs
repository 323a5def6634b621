//! Does the SMB client do what a kernel mount would, against a real server? Samba on loopback, started for each test.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod blocks;
mod files;
mod hang;
mod hostile;
mod middle;
mod modes;
#[path = "../shares/operations.rs"]
mod operations;
mod other_server;
mod outage;
#[path = "../../../../testdata/peers/ports.rs"]
mod ports;
mod protection;
mod refusals;
#[path = "../../../../testdata/peers/samba.rs"]
mod samba;
mod secrets;
mod survey;
mod tampering;

use bench::{BLOCK, BLOCKS};
