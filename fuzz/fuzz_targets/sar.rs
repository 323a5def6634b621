//! Does the importer `sar` survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::import("sar", bytes));
