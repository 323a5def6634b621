//! Is a target prepared, left unharmed and released as promised? On real files, file systems and devices.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod content;
mod devices;
mod existing;
mod fixtures;
mod made;
mod opened;
mod renewed;
mod use_elsewhere;
