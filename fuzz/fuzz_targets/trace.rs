//! Do the readers of traces of other programs survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::trace(bytes));
