//! Does the importer `spdk-perf` survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::import("spdk-perf", bytes));
