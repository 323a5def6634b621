//! Does the reader of packet captures survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::capture(bytes));
