//! What are the figures of calls of one kind? Service times, statuses, and bytes transferred.

use std::collections::BTreeMap;

use plumb_model::results::summary::Latency;
use plumb_model::run::histogram::Histogram;
use plumb_model::trace::events::{Answered, Call, CallClass, Status};
use plumb_model::trace::summary::{CallFigures, StatusCount};

use super::transfer::TransferTally;
use crate::figures::tally::latency;

/// Distinct statuses counted separately; servers use some dozen.
const STATUSES_MAX: usize = 256;

/// Counts of one kind of call.
pub(super) struct Kind {
    pub class: CallClass,
    service: Histogram,
    made: u64,
    pub unanswered: u64,
    pending: u64,
    errors: u64,
    statuses: BTreeMap<Status, u64>,
    transfer: Option<TransferTally>,
}

impl Kind {
    pub fn of(class: CallClass) -> Kind {
        let moves = matches!(class, CallClass::Read | CallClass::Write);
        Kind {
            class,
            service: Histogram::default(),
            made: 0,
            unanswered: 0,
            pending: 0,
            errors: 0,
            statuses: BTreeMap::new(),
            transfer: moves.then(TransferTally::default),
        }
    }

    pub fn make(&mut self, call: &Call) {
        self.made += 1;
        if let Some(transfer) = &mut self.transfer {
            transfer.make(call);
        }
    }

    /// This file is used no more.
    pub fn close(&mut self, file: Option<u64>) {
        if let (Some(transfer), Some(file)) = (&mut self.transfer, file) {
            transfer.close(file);
        }
    }

    pub fn answer(&mut self, answered: &Answered) {
        self.service.record(answered.service_ns());
        self.pending += u64::from(answered.was_pending);
        if let Some(status) = answered.status {
            self.errors += u64::from(status.is_error);
            if self.statuses.len() < STATUSES_MAX || self.statuses.contains_key(&status) {
                *self.statuses.entry(status).or_default() += 1;
            }
        }
        if let (Some(transfer), Some(moved)) = (&mut self.transfer, answered.moved_bytes) {
            transfer.answer(&answered.call, moved);
        }
    }

    pub fn sum_ns(&self) -> u128 {
        self.service.sum_ns()
    }

    /// Its figures in a trace of this length, whose calls took `all_ns` in total, with or without responses.
    pub fn figures(
        &self,
        name: &str,
        all_ns: u128,
        span_ns: u64,
        has_responses: bool,
    ) -> CallFigures {
        let mut statuses: Vec<StatusCount> = self.statuses.iter().map(counted).collect();
        statuses.sort_by_key(|status| std::cmp::Reverse(status.count));
        let service_time: Latency = latency(&self.service);
        let in_all = self.class != CallClass::Wait && all_ns > 0;
        CallFigures {
            name: name.to_string(),
            class: self.class,
            count: self.service.count(),
            unanswered: self.unanswered,
            without_time: if has_responses { 0 } else { self.made },
            pending: self.pending,
            sum_ns: self.sum_ns() as f64,
            time_share: in_all.then(|| self.sum_ns() as f64 / all_ns as f64),
            service_time,
            errors: self.errors,
            statuses,
            transfer: self
                .transfer
                .as_ref()
                .and_then(|of| of.figures(span_ns, has_responses)),
        }
    }
}

fn counted((status, count): (&Status, &u64)) -> StatusCount {
    let name = status.name.map(str::to_string);
    StatusCount {
        status: name.unwrap_or_else(|| format!("0x{:08x}", status.code)),
        count: *count,
        is_error: status.is_error,
    }
}
