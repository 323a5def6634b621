//! Does the importer `warp-json` survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::import("warp-json", bytes));
