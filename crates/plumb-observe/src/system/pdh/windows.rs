//! How is PDH asked? Counters by their English names, whatever language Windows speaks, all instances at once.
//!
//! PdhEnumObjects is never called: it is not needed, and Wine ends the process on it.

use std::ptr;

use windows_sys::Win32::System::Performance::{
    PDH_CSTATUS_NEW_DATA, PDH_CSTATUS_VALID_DATA, PDH_FMT_COUNTERVALUE_ITEM_W, PDH_FMT_DOUBLE,
    PDH_HCOUNTER, PDH_HQUERY, PDH_MORE_DATA, PdhAddEnglishCounterW, PdhCloseQuery,
    PdhCollectQueryData, PdhGetFormattedCounterArrayW, PdhOpenQueryW,
};

use super::{InstanceValue, Status};

/// Percentages above 100 stay what they are (pdh.h): % Disk Time of an array, % Processor Performance above the base frequency.
const PDH_FMT_NOCAP100: u32 = 0x8000;
/// Instances may come between asking for the size and for the values.
const ATTEMPTS: u32 = 4;

/// A query of real-time counters. It closes when it goes, with all its counters.
pub(crate) struct Query {
    handle: PDH_HQUERY,
    /// As long as the largest answer so far needed.
    buffer: Vec<PDH_FMT_COUNTERVALUE_ITEM_W>,
}

/// A counter of one query; it goes with the query.
pub(crate) struct Counter(PDH_HCOUNTER);

impl Query {
    pub fn open() -> Result<Query, Status> {
        let mut handle = ptr::null_mut();
        // SAFETY: no data source means the counters of this machine, and the handle lives over the call.
        reported(unsafe { PdhOpenQueryW(ptr::null(), 0, &mut handle) })?;
        Ok(Query {
            handle,
            buffer: Vec::new(),
        })
    }

    /// Adds a counter by its English path, `\PhysicalDisk(*)\Disk Reads/sec`: which instances there are is found again by each sample.
    pub fn add(&mut self, path: &str) -> Result<Counter, Status> {
        let wide: Vec<u16> = path.encode_utf16().chain([0]).collect();
        let mut counter = ptr::null_mut();
        // SAFETY: the query is open, the path ends with 0, and the handle lives over the call.
        reported(unsafe { PdhAddEnglishCounterW(self.handle, wide.as_ptr(), 0, &mut counter) })?;
        Ok(Counter(counter))
    }

    /// Takes a sample of all counters of the query.
    pub fn collect(&mut self) -> Result<(), Status> {
        // SAFETY: the query is open.
        reported(unsafe { PdhCollectQueryData(self.handle) })
    }

    /// The values of all instances that the last sample had.
    pub fn values(&mut self, counter: &Counter) -> Result<Vec<InstanceValue>, Status> {
        let format = PDH_FMT_DOUBLE | PDH_FMT_NOCAP100;
        let item_bytes = size_of::<PDH_FMT_COUNTERVALUE_ITEM_W>();
        for _ in 0..ATTEMPTS {
            let mut bytes = u32::try_from(self.buffer.len() * item_bytes).unwrap_or(0);
            let mut count = 0;
            let position = match self.buffer.is_empty() {
                true => ptr::null_mut(),
                false => self.buffer.as_mut_ptr(),
            };
            // SAFETY: the counter belongs to this query, which is open; the buffer is as long as is said, and all live over the call.
            let status = unsafe {
                PdhGetFormattedCounterArrayW(counter.0, format, &mut bytes, &mut count, position)
            };
            if status == PDH_MORE_DATA {
                let items = (bytes as usize).div_ceil(item_bytes);
                self.buffer
                    .resize(items, PDH_FMT_COUNTERVALUE_ITEM_W::default());
                continue;
            }
            reported(status)?;
            let items = self.buffer.get(..count as usize).unwrap_or_default();
            return Ok(items.iter().map(instance_value).collect());
        }
        Err(Status(PDH_MORE_DATA))
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        // SAFETY: the query is open, and nobody uses it or its counters any more.
        unsafe { PdhCloseQuery(self.handle) };
    }
}

fn reported(status: u32) -> Result<(), Status> {
    match status {
        0 => Ok(()),
        other => Err(Status(other)),
    }
}

fn instance_value(item: &PDH_FMT_COUNTERVALUE_ITEM_W) -> InstanceValue {
    let is_reported =
        [PDH_CSTATUS_VALID_DATA, PDH_CSTATUS_NEW_DATA].contains(&item.FmtValue.CStatus);
    // SAFETY: doubles were requested.
    let value = unsafe { item.FmtValue.Anonymous.doubleValue };
    let value = Some(value).filter(|value| is_reported && value.is_finite() && *value >= 0.0);
    (name_of(item.szName), value)
}

/// A text of PDH, which ends with 0.
fn name_of(text: *const u16) -> String {
    if text.is_null() {
        return String::new();
    }
    let mut wide = Vec::new();
    loop {
        // SAFETY: the text is in the buffer that PDH filled, which is still there, and ends with 0.
        match unsafe { *text.add(wide.len()) } {
            0 => return String::from_utf16_lossy(&wide),
            unit => wide.push(unit),
        }
    }
}
