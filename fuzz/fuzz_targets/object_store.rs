//! Do the readers of what an object store replies survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::object_store(bytes));
