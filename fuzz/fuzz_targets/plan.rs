//! Do plan files, resolved and printed, survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::plan(bytes));
