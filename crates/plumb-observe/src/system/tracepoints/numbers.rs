//! Which numbers do system calls have? Those of the architecture that this program was made for.

use syscalls::Sysno;

/// Calls that neither wait nor concern a file. Programs that measure time make a million of them in a second, more than a ring takes.
pub(crate) const IDLE: &[Sysno] = &[
    Sysno::clock_gettime,
    Sysno::getcpu,
    Sysno::getegid,
    Sysno::geteuid,
    Sysno::getgid,
    Sysno::getpid,
    Sysno::getppid,
    Sysno::getrusage,
    Sysno::gettid,
    Sysno::gettimeofday,
    Sysno::getuid,
    Sysno::rt_sigaction,
    Sysno::rt_sigprocmask,
    Sysno::sigaltstack,
    Sysno::times,
];

/// Numbers and names of all calls.
pub(crate) fn numbers() -> impl Iterator<Item = (i64, &'static str)> {
    Sysno::iter().map(|call| (i64::from(call.id()), name(call)))
}

/// By its name in the kernel's table of x86-64, which strace prints on all 64-bit systems.
fn name(call: Sysno) -> &'static str {
    match call.name() {
        "fstatat" => "newfstatat",
        name => name,
    }
}
