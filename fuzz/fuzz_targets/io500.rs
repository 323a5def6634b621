//! Does the importer `io500` survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::import("io500", bytes));
