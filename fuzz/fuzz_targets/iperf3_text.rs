//! Does the importer `iperf3-text` survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::import("iperf3-text", bytes));
