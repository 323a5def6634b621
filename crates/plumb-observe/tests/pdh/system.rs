//! What would PDH say if this recording went on now? A pdh.dll that plays a file of Performance Monitor (PDH-CSV), so that the calls of plumb are tested with counters that a machine does not have.
//!
//! `PLUMB_PLAYED_COUNTERS` names the file; each sample of a query is the next of its rows. A blank is a value that cannot be computed, `-` an instance that is not there, and `!`
//! a counter that fails. Names have no quotes and no commas.
#![cfg(windows)]
#![allow(
    non_snake_case,
    reason = "the functions are called as Windows calls them"
)]

use std::ffi::c_void;
use std::ptr;

const NO_OBJECT: u32 = 0xC000_0BB8;
const NO_COUNTER: u32 = 0xC000_0BB9;
const INVALID_DATA: u32 = 0xC000_0BBA;
const NO_DATA: u32 = 0x8000_07D5;
const MORE_DATA: u32 = 0x8000_07D2;

struct Query {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Rows that were taken.
    taken: usize,
}

struct Counter {
    query: *const Query,
    /// Columns and the names of their instances.
    columns: Vec<(usize, Vec<u16>)>,
}

/// PDH_FMT_COUNTERVALUE_ITEM_W with a double.
#[repr(C)]
struct Item {
    name: *const u16,
    status: u32,
    value: f64,
}

fn fields(line: &str) -> Vec<String> {
    let plain = |field: &str| field.trim_matches('"').to_owned();
    line.split("\",\"").map(plain).collect()
}

#[unsafe(no_mangle)]
extern "system" fn PdhOpenQueryW(_: *const u16, _: usize, query: *mut *mut c_void) -> u32 {
    let file = std::env::var("PLUMB_PLAYED_COUNTERS").unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(file) else {
        return NO_DATA;
    };
    let mut lines = text.lines();
    let heads = fields(lines.next().unwrap_or_default());
    let rows = lines.map(fields).collect();
    let opened = Box::new(Query {
        heads,
        rows,
        taken: 0,
    });
    // SAFETY: whoever asks has room for a handle.
    unsafe { *query = Box::into_raw(opened).cast() };
    0
}

#[unsafe(no_mangle)]
extern "system" fn PdhCloseQuery(query: *mut c_void) -> u32 {
    // SAFETY: it was opened here, and is closed once.
    drop(unsafe { Box::from_raw(query.cast::<Query>()) });
    0
}

#[unsafe(no_mangle)]
extern "system" fn PdhAddEnglishCounterW(
    query: *mut c_void,
    path: *const u16,
    _: usize,
    counter: *mut *mut c_void,
) -> u32 {
    let query = query.cast::<Query>();
    let mut wide = Vec::new();
    // SAFETY: the path ends with 0.
    while unsafe { *path.add(wide.len()) } != 0 {
        // SAFETY: as above.
        wide.push(unsafe { *path.add(wide.len()) });
    }
    let path = String::from_utf16_lossy(&wide);
    let Some((set, name)) = path.trim_start_matches('\\').split_once("(*)\\") else {
        return NO_COUNTER;
    };
    // SAFETY: the query is open.
    let heads = unsafe { &(*query).heads };
    let of_set = |head: &String| head.contains(&format!("\\{set}("));
    if !heads.iter().any(of_set) {
        return NO_OBJECT;
    }
    let columns: Vec<_> = heads
        .iter()
        .enumerate()
        .filter(|(_, head)| of_set(head))
        .filter_map(|(folder, head)| {
            let (before, own) = head.rsplit_once(")\\")?;
            let (_, instance) = before.split_once('(')?;
            (own == name).then(|| (folder, instance.encode_utf16().chain([0]).collect()))
        })
        .collect();
    if columns.is_empty() {
        return NO_COUNTER;
    }
    let added = Box::new(Counter { query, columns });
    // SAFETY: whoever asks has room for a handle. The counter stays until the process ends.
    unsafe { *counter = Box::into_raw(added).cast() };
    0
}

#[unsafe(no_mangle)]
extern "system" fn PdhCollectQueryData(query: *mut c_void) -> u32 {
    // SAFETY: the query is open, and used by one thread.
    let query = unsafe { &mut *query.cast::<Query>() };
    if query.taken == query.rows.len() {
        return NO_DATA;
    }
    query.taken += 1;
    0
}

#[unsafe(no_mangle)]
extern "system" fn PdhGetFormattedCounterArrayW(
    counter: *mut c_void,
    format: u32,
    bytes: *mut u32,
    count: *mut u32,
    items: *mut c_void,
) -> u32 {
    // SAFETY: the counter was added here, and its query is open.
    let (counter, query) = unsafe {
        let counter = &*counter.cast::<Counter>();
        (counter, &*counter.query)
    };
    assert_eq!(format, 0x8200, "doubles that are not cut at 100");
    let Some(row) = query.taken.checked_sub(1).map(|at| &query.rows[at]) else {
        return NO_DATA;
    };
    let cell = |folder: &usize| row.get(*folder).map_or("-", String::as_str);
    if counter
        .columns
        .iter()
        .any(|(folder, _)| cell(folder) == "!")
    {
        return INVALID_DATA;
    }
    let there: Vec<_> = counter
        .columns
        .iter()
        .filter(|(folder, _)| cell(folder) != "-")
        .collect();
    let needed = there.len() * size_of::<Item>();
    // SAFETY: the caller says how long its buffer is, and has room for both numbers.
    unsafe {
        let has = if items.is_null() { 0 } else { *bytes };
        (*bytes, *count) = (needed as u32, there.len() as u32);
        if (has as usize) < needed {
            return MORE_DATA;
        }
        for (at, (folder, name)) in there.iter().enumerate() {
            let value = cell(folder).trim().parse::<f64>();
            let item = Item {
                name: name.as_ptr(),
                status: if value.is_ok() { 0 } else { INVALID_DATA },
                value: value.unwrap_or(f64::NAN),
            };
            ptr::write(items.cast::<Item>().add(at), item);
        }
    }
    0
}
