//! Which requests of block devices were issued and completed? Each begin is paired with its end by device, sector and kind, whatever program printed them.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use plumb_model::trace::events::{Answered, Call, CallClass, Status};

use super::volumes::Volumes;
use crate::calls::errno;
use crate::event_sink::EventSink;

pub const SECTOR_BYTES: u64 = 512;
/// Requests that are outstanding at once, and processes that are told apart.
const OUTSTANDING_MAX: usize = 65_536;
/// The kernel gives a request up after 30 s by default (blk_mq, SCSI, NVMe): when the same sector is requested again later than that, the completion was lost.
const LOST_NS: u64 = 60_000_000_000;

/// In place of a sector.
const NO_SECTOR: u64 = u64::MAX;
/// Requests that are outstanding at one place at once.
const SAME_MAX: usize = 1024;

/// Major and minor number of a device.
pub type Device = (u64, u64);

/// What the requests of a trace without device numbers are of: no device has these.
pub const UNNAMED: Device = (0, 0);

/// What is requested, by the letters that the kernel prints (kernel/trace/blktrace.c, blk_fill_rwbs): F for a flush before it, then W, R, D (discard), DE (erase),
/// F (flush), N (none) or Z and a letter (zones); then F (through the cache), A (read ahead), S (synchronous), M (metadata).
pub fn meaning(kinds: &[u8], has_content: bool) -> (&'static str, CallClass) {
    let has = |kind: u8| kinds.contains(&kind);
    match () {
        () if kinds.starts_with(b"ZA") => ("write", CallClass::Write),
        () if has(b'Z') => ("zone", CallClass::Metadata),
        () if has(b'D') => ("discard", CallClass::Metadata),
        // What carries no content and asks for a flush is a flush.
        () if has(b'F') && !has_content => ("flush", CallClass::Metadata),
        () if has(b'W') => ("write", CallClass::Write),
        () if has(b'R') => ("read", CallClass::Read),
        () if has(b'F') => ("flush", CallClass::Metadata),
        () => ("other", CallClass::Metadata),
    }
}

/// Where on its device a request is, in sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub sector: u64,
    pub sectors: u64,
}

/// A request that begins or ends.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub device: Device,
    pub at_ns: u64,
    pub kinds: &'a [u8],
    /// Missing for what has no content: flushes, of which kernels print different sectors, and commands of SCSI and the like.
    pub extent: Option<Extent>,
}

impl Extent {
    /// `None` of nothing.
    pub fn of(sector: u64, sectors: u64) -> Option<Extent> {
        (sectors > 0).then_some(Extent { sector, sectors })
    }
}

impl Request<'_> {
    fn key(&self) -> (u64, u64) {
        (
            number(self.device),
            self.extent.map_or(NO_SECTOR, |of| of.sector),
        )
    }

    fn meaning(&self) -> (&'static str, CallClass) {
        meaning(self.kinds, self.extent.is_some())
    }
}

fn number((major, minor): Device) -> u64 {
    (major << 32) | (minor & 0xffff_ffff)
}

struct Outstanding {
    call: Call,
    /// Sectors that are not completed yet.
    left: u64,
    /// It went back to the queue, and is issued once more.
    is_requeued: bool,
    error: Option<u64>,
}

/// Requests of all devices of a trace.
#[derive(Default)]
pub struct BlockRequests {
    volumes: Volumes,
    lanes: HashMap<u64, u32, RandomState>,
    /// By device and sector; of one place, in the order in which they were issued.
    outstanding: HashMap<(u64, u64), VecDeque<Outstanding>, RandomState>,
    outstanding_count: usize,
    completions: u64,
    last_ns: u64,
}

impl BlockRequests {
    /// A request is issued by this process; `name` is what the process is called.
    pub fn begin(
        &mut self,
        request: &Request<'_>,
        process: Option<u64>,
        name: impl FnOnce(u64) -> String,
        event_sink: &mut EventSink<'_>,
    ) {
        self.last_ns = self.last_ns.max(request.at_ns);
        let sectors = request.extent.map_or(0, |extent| extent.sectors);
        let known = self.outstanding.get_mut(&request.key());
        let again = known.and_then(|of| {
            of.iter_mut()
                .find(|of| of.is_requeued && of.left == sectors)
        });
        if let Some(again) = again {
            again.is_requeued = false;
            return;
        }
        let (kind, class) = request.meaning();
        let (major, minor) = request.device;
        let device_name = || match request.device {
            UNNAMED => "device".to_string(),
            _ => format!("device {major},{minor}"),
        };
        let file = self
            .volumes
            .file(number(request.device), device_name, event_sink);
        let bytes = |sectors: u64| sectors.checked_mul(SECTOR_BYTES);
        let call = Call {
            name: kind,
            class,
            at_ns: request.at_ns,
            lane: process.map_or(0, |process| self.lane(process, name, event_sink)),
            file,
            offset: request.extent.and_then(|extent| bytes(extent.sector)),
            bytes: request.extent.and_then(|extent| bytes(extent.sectors)),
            closes: false,
        };
        event_sink.made(call);
        if self.outstanding_count >= OUTSTANDING_MAX {
            self.give_up(event_sink);
        }
        let same = self.outstanding.entry(request.key()).or_default();
        let is_lost = |of: &Outstanding| request.at_ns.saturating_sub(of.call.at_ns) > LOST_NS;
        while let Some(first) = same.front()
            && (is_lost(first) || same.len() >= SAME_MAX)
        {
            event_sink.unanswered(first.call, request.at_ns);
            same.pop_front();
            self.outstanding_count -= 1;
        }
        same.push_back(Outstanding {
            call,
            left: sectors,
            is_requeued: false,
            error: None,
        });
        self.outstanding_count += 1;
    }

    /// A request goes back to the queue.
    pub fn requeue(&mut self, request: &Request<'_>) {
        let name = request.meaning().0;
        let same = self.outstanding.get_mut(&request.key());
        let is_it = |of: &&mut Outstanding| of.call.name == name && !of.is_requeued;
        if let Some(last) = same.and_then(|of| of.iter_mut().rev().find(is_it)) {
            last.is_requeued = true;
        }
    }

    /// A request, or a part of one, is completed, with an error number other than 0 when it failed.
    pub fn complete(
        &mut self,
        request: &Request<'_>,
        error: Option<u64>,
        event_sink: &mut EventSink<'_>,
    ) {
        self.last_ns = self.last_ns.max(request.at_ns);
        let sectors = request.extent.map_or(0, |extent| extent.sectors);
        let Some(mut of) = self.take(request, event_sink.facts.lost > 0) else {
            // A write without content ends so after the flush that it asked for, and is never issued itself.
            if request.extent.is_some() || request.meaning().0 == "flush" {
                event_sink.facts.unmatched_responses += 1;
            }
            return;
        };
        self.completions += 1;
        of.error = of.error.or(error.filter(|error| *error != 0));
        if sectors < of.left
            && let Some(extent) = request.extent.filter(|_| of.error.is_none())
        {
            of.left -= sectors;
            let rest = Request {
                extent: Extent::of(extent.sector.saturating_add(sectors), of.left),
                ..*request
            };
            self.outstanding
                .entry(rest.key())
                .or_default()
                .push_back(of);
            self.outstanding_count += 1;
            return;
        }
        let status = |error: u64| {
            let code = u32::try_from(error).unwrap_or(u32::MAX);
            Status {
                code,
                ..errno::of_number(code)
            }
        };
        event_sink.answered(Answered {
            call: of.call,
            at_ns: request.at_ns.max(of.call.at_ns),
            moved_bytes: of.call.bytes.filter(|_| of.error.is_none()),
            status: of.error.map(status),
            round_trip_ns: None,
            was_pending: false,
        });
        event_sink.release(request.at_ns);
    }

    /// The request that this completes: the first of its kind at its place. Where completions were lost, the last one: an earlier one may be theirs.
    fn take(&mut self, request: &Request<'_>, is_lossy: bool) -> Option<Outstanding> {
        let key = request.key();
        let same = self.outstanding.get_mut(&key)?;
        let name = request.meaning().0;
        let is_it = |of: &Outstanding| of.call.name == name;
        let index = match is_lossy {
            true => same.iter().rposition(is_it),
            false => same.iter().position(is_it),
        };
        // The letters of begin and end may differ; what has no place is told apart by them alone.
        let index = index.or_else(|| (key.1 != NO_SECTOR).then_some(0));
        let of = same.remove(index?)?;
        if same.is_empty() {
            self.outstanding.remove(&key);
        }
        self.outstanding_count -= 1;
        Some(of)
    }

    fn lane(
        &mut self,
        process: u64,
        name: impl FnOnce(u64) -> String,
        event_sink: &mut EventSink<'_>,
    ) -> u32 {
        if let Some(known) = self.lanes.get(&process) {
            return *known;
        }
        if self.lanes.len() >= OUTSTANDING_MAX {
            return 0;
        }
        let lane = self.lanes.len() as u32;
        self.lanes.insert(process, lane);
        event_sink.name_lane(lane, &name(process));
        lane
    }

    /// What is outstanding is waited for no more; a trace without a single completion reports none at all.
    fn give_up(&mut self, event_sink: &mut EventSink<'_>) {
        if self.completions > 0 || event_sink.facts.unanswered > 0 {
            let all = self.outstanding.values().flatten();
            let mut left: Vec<Call> = all.map(|of| of.call).collect();
            left.sort_unstable_by_key(|call| (call.at_ns, call.offset));
            for call in left {
                event_sink.unanswered(call, self.last_ns);
            }
        }
        self.outstanding.clear();
        self.outstanding_count = 0;
    }

    /// The trace is at its end.
    pub fn close(&mut self, event_sink: &mut EventSink<'_>) {
        self.give_up(event_sink);
        event_sink.facts.has_responses = self.completions > 0 || event_sink.facts.unanswered > 0;
    }
}
