//! How long did a process wait: for a core, and for block I/O? What the kernel's delay accounting says, asked of taskstats over generic netlink.

use std::io;

use super::netlink::{Family, Netlink, Request, attribute, attributes, u16_at, u64_at};

/// All threads of a process together, ended ones included (Documentation/accounting/taskstats-struct.rst).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TaskDelays {
    /// Time that threads were ready to run and no core was free.
    pub core_wait_ns: Option<u64>,
    /// Waits for block I/O that a thread caused itself, page faults and write-back by its own hand included; missing unless `kernel.task_delayacct` was 1
    /// when the thread began.
    pub block_waits: Option<u64>,
    pub block_wait_ns: Option<u64>,
}

/// The family of taskstats, which takes root or CAP_NET_ADMIN to ask.
pub(crate) struct Taskstats {
    netlink: Netlink,
    family: u16,
}

const GENL_ID_CTRL: u16 = 16;
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;
const TASKSTATS_CMD_GET: u8 = 1;
const TASKSTATS_CMD_ATTR_TGID: u16 = 2;
const TASKSTATS_TYPE_AGGR_TGID: u16 = 5;
const TASKSTATS_TYPE_STATS: u16 = 3;
/// struct genlmsghdr.
const HEADER_BYTES: usize = 4;
/// Version 15 (Linux 6.14) has further fields in between; from 16 on they are at the end again.
const OTHER_LAYOUT: u16 = 15;

impl Taskstats {
    /// Errors: this kernel has no delay accounting.
    pub fn open() -> io::Result<Taskstats> {
        let mut netlink = Netlink::open(Family::Generic)?;
        let name = attribute(CTRL_ATTR_FAMILY_NAME, b"TASKSTATS\0");
        let mut family = None;
        let body = body(CTRL_CMD_GETFAMILY, &name);
        netlink.ask(&request(GENL_ID_CTRL, &body), &mut |message| {
            let reported = attributes(message.get(HEADER_BYTES..).unwrap_or_default());
            let mut ids = reported.filter(|(kind, _)| *kind == CTRL_ATTR_FAMILY_ID);
            family = ids.find_map(|(_, content)| u16_at(content, 0)).or(family);
        })?;
        let family = family.ok_or(io::ErrorKind::Unsupported)?;
        Ok(Taskstats { netlink, family })
    }

    /// Errors: the process has ended, or this user may not ask.
    pub fn of_process(&mut self, pid: u32) -> io::Result<TaskDelays> {
        let process = attribute(TASKSTATS_CMD_ATTR_TGID, &pid.to_ne_bytes());
        let body = body(TASKSTATS_CMD_GET, &process);
        let mut delays = TaskDelays::default();
        self.netlink
            .ask(&request(self.family, &body), &mut |message| {
                let reported = attributes(message.get(HEADER_BYTES..).unwrap_or_default());
                for (kind, content) in reported {
                    if kind == TASKSTATS_TYPE_AGGR_TGID {
                        let mut parts = attributes(content);
                        let statistics = parts.find(|(kind, _)| *kind == TASKSTATS_TYPE_STATS);
                        delays = statistics
                            .map(|(_, reported)| delays_of(reported))
                            .unwrap_or_default();
                    }
                }
            })?;
        Ok(delays)
    }
}

fn body(command: u8, attribute: &[u8]) -> Vec<u8> {
    let mut out = vec![command, 1, 0, 0];
    out.extend(attribute);
    out
}

fn request(kind: u16, body: &[u8]) -> Request<'_> {
    Request {
        kind,
        is_dump: false,
        body,
    }
}

/// Of struct taskstats (include/uapi/linux/taskstats.h).
fn delays_of(reported: &[u8]) -> TaskDelays {
    let at = |position| u64_at(reported, position);
    let runs = at(16).filter(|runs| *runs > 0);
    if u16_at(reported, 0).is_none_or(|version| version == OTHER_LAYOUT) || runs.is_none() {
        // One that never ran, or has no thread left.
        return TaskDelays::default();
    }
    // Without accounting both are 0, as with a process that never waited: which of them it is, nobody can report.
    let block_waits = at(32).filter(|waits| *waits > 0);
    TaskDelays {
        core_wait_ns: at(24),
        block_waits,
        block_wait_ns: at(40).filter(|_| block_waits.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(version: u16) -> Vec<u8> {
        let mut out = vec![0; 80];
        out[..2].copy_from_slice(&version.to_ne_bytes());
        for (at, value) in [(16, 7u64), (24, 1_000), (32, 3), (40, 2_000)] {
            out[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        }
        out
    }

    #[test]
    fn delays_are_read_from_their_places_or_missing() {
        let delays = TaskDelays {
            core_wait_ns: Some(1_000),
            block_waits: Some(3),
            block_wait_ns: Some(2_000),
        };
        assert_eq!(delays_of(&reported(13)), delays);
        assert_eq!(delays_of(&reported(17)), delays);
        assert_eq!(delays_of(&reported(OTHER_LAYOUT)), TaskDelays::default());
        let mut unaccounted = reported(17);
        unaccounted[32..48].fill(0);
        assert_eq!(
            delays_of(&unaccounted),
            TaskDelays {
                core_wait_ns: Some(1_000),
                ..TaskDelays::default()
            }
        );
        for length in 0..48 {
            let cut = delays_of(&reported(17)[..length]);
            assert!(cut.block_wait_ns.is_none(), "{length}");
        }
        assert_eq!(delays_of(&[0; 80]), TaskDelays::default());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_waited_for_a_core() {
        let Ok(mut taskstats) = Taskstats::open() else {
            eprintln!("skipped: this kernel has no taskstats");
            return;
        };
        match taskstats.of_process(std::process::id()) {
            Ok(delays) => assert!(delays.core_wait_ns.is_some(), "{delays:?}"),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::PermissionDenied),
        }
        // A process that there is not.
        assert!(taskstats.of_process(u32::MAX >> 1).is_err());
    }
}
