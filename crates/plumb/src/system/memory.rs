//! What happens when memory runs out? A reserve is released, once, and the run is stopped, so that it cleans up and leaves no files behind.
//!
//! An allocation that fails ends a Rust program on the spot. Large ones (buffers) are asked for with a way to fail; these are the many small ones.

#[cfg(not(target_env = "musl"))]
use std::alloc::System;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// musl asks the kernel for every block from 128 KiB on and gives it back at once: reading a record of 3000 intervals took 3.5 times as long.
#[cfg(target_env = "musl")]
#[allow(non_upper_case_globals)]
const System: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Enough to end a run: its last intervals, a summary, clean-up.
const RESERVE: Layout = match Layout::from_size_align(16 << 20, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("a size that is a multiple of its alignment"),
};

/// Enough to read the command line and to print why nothing else is possible.
const LEAST: Layout = match Layout::from_size_align(4 << 20, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("a size that is a multiple of its alignment"),
};

/// The system's allocator, with a reserve.
pub struct Allocator {
    held: AtomicPtr<u8>,
    /// Set when the reserve is given up.
    stop: AtomicPtr<AtomicBool>,
    ran_out: AtomicBool,
    /// A thread is about to release the reserve.
    releasing: AtomicBool,
}

impl Allocator {
    /// Without a reserve yet.
    pub const fn new() -> Allocator {
        Allocator {
            held: AtomicPtr::new(null_mut()),
            stop: AtomicPtr::new(null_mut()),
            ran_out: AtomicBool::new(false),
            releasing: AtomicBool::new(false),
        }
    }

    /// Errors: there is too little memory left to read the command line.
    pub fn check(&self) -> Result<(), String> {
        // SAFETY: the layout has a size above 0.
        let memory = unsafe { System.alloc(LEAST) };
        if memory.is_null() {
            let needed = LEAST.size() >> 20;
            return Err(format!(
                "less than {needed} MiB of memory are left: raise the limit (ulimit -v)"
            ));
        }
        // SAFETY: it was allocated here with this layout.
        unsafe { System.dealloc(memory, LEAST) };
        Ok(())
    }

    /// From now on there is a reserve, and `stop` is set when it had to be given up. Its pages are not touched: it takes addresses and no memory.
    ///
    /// Errors: there is too little memory left to begin anything.
    pub fn reserve(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
        // The flag must live as long as anything is allocated.
        self.stop
            .store(Arc::into_raw(stop.clone()).cast_mut(), Ordering::Release);
        // SAFETY: the layout has a size above 0.
        let held = unsafe { System.alloc(RESERVE) };
        let before = self.held.swap(held, Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: it was allocated here with this layout, and taken out of its place by this thread alone.
            unsafe { System.dealloc(before, RESERVE) };
        }
        if held.is_null() {
            let needed = RESERVE.size() >> 20;
            anyhow::bail!(
                "less than {needed} MiB of memory are left, which a run needs to stop cleanly: raise the limit (ulimit -v)"
            );
        }
        Ok(())
    }

    /// The reserve was given up.
    pub fn ran_out(&self) -> bool {
        self.ran_out.load(Ordering::Relaxed)
    }

    /// Gives the reserve up for a request of so many bytes; `false`: there is none, or it would not help. `true` also where another thread has released it: several run out at once.
    #[cold]
    fn give_up(&self, bytes: usize) -> bool {
        if bytes > RESERVE.size() {
            return false;
        }
        if self.releasing.swap(true, Ordering::AcqRel) {
            while self.releasing.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            return self.ran_out();
        }
        let held = self.held.swap(null_mut(), Ordering::AcqRel);
        if held.is_null() {
            self.releasing.store(false, Ordering::Release);
            return self.ran_out();
        }
        // SAFETY: as above.
        unsafe { System.dealloc(held, RESERVE) };
        self.ran_out.store(true, Ordering::Relaxed);
        self.releasing.store(false, Ordering::Release);
        let stop = self.stop.load(Ordering::Acquire);
        // SAFETY: it comes from an `Arc` that is never given back.
        if let Some(stop) = unsafe { stop.as_ref() } {
            stop.store(true, Ordering::Relaxed);
        }
        true
    }
}

// SAFETY: every call goes to the system's allocator as it came; a failed one may go there a second time.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc(layout) };
        // SAFETY: as above.
        if memory.is_null() && self.give_up(layout.size()) {
            unsafe { System.alloc(layout) }
        } else {
            memory
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc_zeroed(layout) };
        // SAFETY: as above.
        if memory.is_null() && self.give_up(layout.size()) {
            unsafe { System.alloc_zeroed(layout) }
        } else {
            memory
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        let moved = unsafe { System.realloc(memory, layout, new_size) };
        // SAFETY: as above; a failed call has left the memory as it was.
        if moved.is_null() && self.give_up(new_size) {
            unsafe { System.realloc(memory, layout, new_size) }
        } else {
            moved
        }
    }
}
