//! What are the totals of reads, writes and other calls? The figures of the kinds of call, summed by class.

use plumb_model::trace::events::CallClass;
use plumb_model::trace::summary::CallFigures;
use plumb_model::trace::work::ClassFigures;

use super::share::share;

/// In display order.
const CLASSES: [CallClass; 5] = [
    CallClass::Read,
    CallClass::Write,
    CallClass::Metadata,
    CallClass::Session,
    CallClass::Wait,
];

/// The classes that came, in a trace whose calls together took `all_ns`.
pub fn mix(calls: &[CallFigures], all_ns: u128) -> Vec<ClassFigures> {
    let count = |call: &CallFigures| call.count + call.unanswered + call.without_time;
    let work = calls.iter().filter(|call| call.class != CallClass::Wait);
    let all: u64 = work.map(count).sum();
    let figures = |class: CallClass| {
        let of_class = || calls.iter().filter(|call| call.class == class);
        let of = of_class().map(count).sum::<u64>();
        let sum_ns: f64 = of_class().map(|call| call.sum_ns).sum();
        let is_work = class != CallClass::Wait;
        ClassFigures {
            class,
            count: of,
            count_share: (is_work && all > 0).then(|| of as f64 / all as f64),
            bytes: of_class()
                .filter_map(|call| call.transfer.as_ref())
                .fold(0, |sum, transfer| sum.saturating_add(transfer.bytes)),
            sum_ns,
            time_share: share(sum_ns, all_ns).filter(|_| is_work),
        }
    };
    let found = CLASSES.into_iter().map(figures);
    found.filter(|of| of.count > 0).collect()
}
