//! Does the reader of fio's logs of requests survive any bytes?
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plumb_fuzz::iolog(bytes));
