//! Which calls does a program make, according to strace? The log is read while it is written.

use std::io::Read;

use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use crate::event_sink::EventSink;
use crate::observer::own_cpu_ns;
pub use crate::trace_format::first_program::FirstProgram;
use crate::trace_format::lines::Lines;
use crate::trace_formats::read_strace;

/// Options that strace needs for a readable log: all threads and children, names of descriptors, and no transferred data.
const OPTIONS: [&str; 5] = ["-f", "-q", "-y", "-s", "0"];
/// Times and durations in microseconds, and in nanoseconds.
const TIMES_US: [&str; 2] = ["-ttt", "-T"];
const TIMES_NS: [&str; 2] = [
    "--absolute-timestamps=format:unix,precision:ns",
    "--syscall-times=ns",
];
/// The first version that has the latter.
const VERSION_NS: (u32, u32) = (5, 6);

/// The options for a strace with this version output (`strace -V`).
pub fn options(version: &str) -> impl Iterator<Item = &'static str> {
    let of = version.lines().next().and_then(|line| {
        let mut numbers = line.rsplit(' ').next()?.split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    let times = match of {
        Some(of) if of >= VERSION_NS => TIMES_NS,
        _ => TIMES_US,
    };
    OPTIONS.into_iter().chain(times)
}

/// Reads a log to its end, which is that of strace.
pub fn read_log(
    log: impl Read,
    program: &FirstProgram,
    receiver: &mut dyn TraceReceiver,
) -> TraceFacts {
    let cpu_ns_before = own_cpu_ns();
    let mut lines = Lines::of(Vec::new(), log);
    let mut event_sink = EventSink::new(receiver, "strace");
    read_strace(&mut lines, &mut event_sink, program);
    event_sink.facts.damage = lines.damage.take();
    let mut facts = event_sink.close();
    let cpu_ns = own_cpu_ns().zip(cpu_ns_before);
    facts.cpu_ns = cpu_ns.map(|(after, before)| after.saturating_sub(before));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_sink::tests::Reported;

    #[test]
    fn times_are_as_fine_as_the_version_allows() {
        let ends = |version: &str| options(version).last();
        assert_eq!(
            ends("strace -- version 6.1\nCopyright"),
            Some("--syscall-times=ns")
        );
        assert_eq!(ends("strace -- version 5.10"), Some("--syscall-times=ns"));
        assert_eq!(ends("strace -- version 5.5"), Some("-T"));
        assert_eq!(ends("strace -- version 4.24"), Some("-T"));
        assert_eq!(ends("another strace"), Some("-T"));
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
    fn calls_are_told_and_the_end_of_the_first_program_alone() {
        let log =
            b"7  1795529275.391436 execve(\"/bin/a\", [...], 0x7ffc /* 3 vars */) = 0 <0.000181>\n\
            7  1795529275.400000 openat(AT_FDCWD</tmp>, \"x\", O_RDONLY) = 3</tmp/x> <0.000010>\n\
            8  1795529275.500000 read(3</tmp/x>, \"\"..., 4096) = 100 <0.000020>\n\
            8  1795529275.600000 +++ exited with 1 +++\n\
            7  1795529275.700000 +++ exited with 3 +++\n\
            7  1795529275.7";
        let program = FirstProgram::default();
        let mut reported = Reported::default();
        reported.facts = read_log(&log[..], &program, &mut reported);
        assert_eq!((program.process(), program.status()), (Some(7), Some(3)));
        assert_eq!((reported.count("read"), reported.facts.damaged), (1, 1));
        assert!(reported.facts.has_responses && reported.facts.cpu_ns.is_some());
        // Opened and read.
        assert_eq!(reported.of_file("/tmp/x").len(), 2);
        let killed = FirstProgram::default();
        killed.note(7, b"+++ killed by SIGKILL +++");
        assert_eq!((killed.process(), killed.status()), (Some(7), None));
    }
}
