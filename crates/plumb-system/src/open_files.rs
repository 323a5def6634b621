//! How many files may this process have open (RLIMIT_NOFILE)? Often 1,024, though it may raise that by itself.

/// Lets this process have so many files open, if its hard limit allows that. What it starts from then on inherits the limit.
pub fn allow(count: u64) {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: getrlimit and setrlimit read and write one rlimit, which is valid for both.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0
            && count as libc::rlim_t > limit.rlim_cur
        {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}
