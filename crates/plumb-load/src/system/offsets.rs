//! Calls with an offset into a file, which has 64 bits on every system.

#[cfg(all(target_os = "linux", not(target_env = "gnu")))]
pub use libc::{fallocate, fseeko, lseek, mmap, off_t, pread, preadv2, pwrite, pwritev2};
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use libc::{
    fallocate64 as fallocate, fseeko64 as fseeko, lseek64 as lseek, mmap64 as mmap,
    off64_t as off_t, pread64 as pread, preadv64v2 as preadv2, pwrite64 as pwrite,
    pwritev64v2 as pwritev2,
};
#[cfg(not(target_os = "linux"))]
pub use libc::{fseeko, lseek, mmap, off_t, pread, pwrite};

const _: () = assert!(size_of::<off_t>() == 8);
