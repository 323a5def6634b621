//! Which ring does this kernel give, and why none?

use plumb_model::statement::Statement;
use std::io;

use io_uring::IoUring;

use crate::engine::{Setup, Unavailable};

/// After this long without work the kernel's submission thread sleeps (SQPOLL), in milliseconds.
const SQPOLL_IDLE_MS: u32 = 1000;

/// The flags that make a ring cheap, from the newest kernel's set down to the plain one.
pub(super) fn build_ring(
    setup: &Setup<'_>,
    active: &mut Vec<String>,
    refused: &mut Vec<Statement>,
) -> Result<IoUring, Unavailable> {
    let entries = setup.depth.next_power_of_two().clamp(8, 32_768);
    let choice = setup.choice;
    let mut last_error = io::Error::from_raw_os_error(libc::EINVAL);
    // SQPOLL with DEFER_TASKRUN is EINVAL by design: the kernel's thread runs the task work.
    let levels: &[(&str, u32)] = if choice.sqpoll {
        &[("SQPOLL", 1), ("SQPOLL", 0)]
    } else {
        &[
            ("SINGLE_ISSUER, DEFER_TASKRUN, NO_SQARRAY", 3),
            ("SINGLE_ISSUER, DEFER_TASKRUN", 2),
            ("COOP_TASKRUN", 1),
            ("", 0),
        ]
    };
    for (name, level) in levels {
        let mut builder = IoUring::builder();
        if choice.sqpoll {
            builder.setup_sqpoll(SQPOLL_IDLE_MS);
        } else if *level >= 2 {
            builder.setup_single_issuer().setup_defer_taskrun();
        } else if *level == 1 {
            builder.setup_coop_taskrun();
        }
        if *level == 3 || (choice.sqpoll && *level == 1) {
            builder.setup_no_sqarray();
        }
        if choice.iopoll {
            builder.setup_iopoll();
        }
        match builder.build(entries) {
            Ok(ring) => {
                active.extend(
                    name.split(", ")
                        .filter(|flag| !flag.is_empty())
                        .map(String::from),
                );
                if choice.iopoll {
                    active.push(plumb_model::run::active::POLLS.into());
                }
                return Ok(ring);
            }
            Err(error) => {
                if error.raw_os_error() != Some(libc::EINVAL) {
                    return Err(refusal(&error));
                }
                refused.push(
                    Statement::new("refused-by-kernel")
                        .name("feature", *name)
                        .name("error", error.to_string()),
                );
                last_error = error;
            }
        }
    }
    Err(refusal(&last_error))
}

/// Why no ring can be had.
pub(super) fn refusal(error: &io::Error) -> Unavailable {
    let sysctl = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    Unavailable(match (error.raw_os_error(), sysctl.trim()) {
        (Some(libc::ENOSYS), _) => Statement::new("no-io-uring"),
        (Some(libc::EPERM), value @ ("1" | "2")) => {
            Statement::new("io-uring-is-disabled").name("value", value)
        }
        (Some(libc::EPERM), _) => Statement::new("io-uring-is-forbidden"),
        (Some(libc::ENOMEM), _) => Statement::new("locked-memory-is-too-low"),
        _ => Statement::new("ring-cannot-be-set-up").name("error", error.to_string()),
    })
}
