//! Does the reader of Iometer's configuration files survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::iometer_configuration(bytes));
