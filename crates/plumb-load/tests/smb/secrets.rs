//! Does a password stay anywhere after a login? The heap of a process is searched, as who reads its core dump or its swap would.

use std::fs::File;
use std::os::unix::fs::FileExt;

use plumb_load::secret::Secret;
use plumb_load::shares;
use plumb_model::workload::EngineChoice;

use crate::bench::*;
use crate::samba::{self, Samba};

/// How often bytes stand in the heap, whose inverse is this: the search itself shall not be found. The stack of the caller is left out, which calls go over again and again.
fn copies_in_heap(inverse: &[u8]) -> usize {
    let here = std::ptr::from_ref(&inverse) as u64;
    let (memory, maps) = (
        File::open("/proc/self/mem").expect("memory"),
        std::fs::read_to_string("/proc/self/maps").expect("maps"),
    );
    let mut copies = 0;
    let mut buffer = vec![0; 1 << 20];
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (range, access, name) = (
            words.next().expect("range"),
            words.next().expect("access"),
            words.nth(3).unwrap_or(""),
        );
        let (from, to) = range.split_once('-').expect("a range");
        let bounds = [from, to].map(|number| u64::from_str_radix(number, 16).expect("a number"));
        if !access.starts_with("rw")
            || !(name.is_empty() || name == "[heap]")
            || (bounds[0]..bounds[1]).contains(&here)
        {
            continue;
        }
        let mut at = bounds[0];
        while at < bounds[1] {
            let len = buffer.len().min((bounds[1] - at) as usize);
            let Ok(len) = memory.read_at(&mut buffer[..len], at) else {
                break;
            };
            copies += buffer[..len]
                .windows(inverse.len())
                .filter(|bytes| {
                    bytes
                        .iter()
                        .zip(inverse)
                        .all(|(byte, inverse)| *byte == !inverse)
                })
                .count();
            // What lies over the end of one piece begins the next.
            at += if len == buffer.len() {
                (len - inverse.len()) as u64
            } else {
                len.max(1) as u64
            };
        }
    }
    copies
}

#[test]
fn a_password_does_not_stay_in_memory() {
    if !samba::is_installed() || !is_alone("secrets::a_password_does_not_stay_in_memory") {
        return;
    }
    let server = Samba::start(&[]);
    let address = server.address("share");
    // The end of it: freed memory is overwritten at its start.
    let inverse: Vec<u8> = (0..64)
        .map(|place| !(b'a' + ((place * 7 + place / 9) % 26) as u8))
        .collect();
    let (narrow, wide) = (
        &inverse[24..],
        inverse[24..]
            .iter()
            .flat_map(|byte| [*byte, 0xff])
            .collect::<Vec<u8>>(),
    );
    let mut password = String::with_capacity(inverse.len());
    inverse
        .iter()
        .for_each(|byte| password.push(char::from(!byte)));
    let secret = Secret::new(password);
    assert!(copies_in_heap(narrow) > 0, "the search finds what is there");
    for _ in 0..3 {
        let error = shares::connect(&remote(&address), Some(&secret), &EngineChoice::default())
            .expect_err("a wrong password")
            .to_string();
        assert!(error.contains("STATUS_LOGON_FAILURE"), "{error}");
    }
    drop(secret);
    assert_eq!((copies_in_heap(narrow), copies_in_heap(&wide)), (0, 0));
}
