//! Does the reader of fio's job files survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::fio_job(bytes));
