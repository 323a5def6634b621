//! Is it what perf script prints of the kernel's block trace points? The events of `perf record -a -e block:block_rq_issue -e block:block_rq_complete`.

use crate::trace_format::{TraceFormat, block_events, most_lines};

pub static FORMAT: TraceFormat = TraceFormat {
    name: "perf_script",
    program: "block events of perf (perf record -a -e block:block_rq_issue,block:block_rq_complete, then perf script)",
    recognizes: |head| block_events::recognizes(head, true),
    read: block_events::read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Output of `perf trace`, which names its fields otherwise in each version.
pub fn without_use(head: &[u8]) -> Option<&'static str> {
    let of = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        text.contains("block:block_rq_") && text.contains(": ")
    };
    most_lines(head, of).then_some(
        "it looks like perf trace, whose fields differ from version to version. Record with 'perf record -a -e block:block_rq_issue,block:block_rq_complete', and print with 'perf script'",
    )
}

#[cfg(test)]
mod tests {
    use crate::trace_format::Fixture;

    pub fn fixtures() -> Vec<Fixture> {
        vec![Fixture {
            // Recorded of fio on a loop device: it made 28 reads and 32 writes of 4 KiB, and 6 flushes, which /proc/diskstats confirmed.
            bytes: include_bytes!("../../../../testdata/traces/perf_script.txt"),
            check: |reported| {
                assert_eq!((reported.count("read"), reported.count("write")), (28, 32));
                assert_eq!(reported.count("flush"), 6);
                assert_eq!((reported.answered.len(), reported.facts.damaged), (66, 0));
                let bytes = reported.answered.iter().map(|of| of.moved_bytes);
                assert_eq!(bytes.flatten().sum::<u64>(), 60 * 4096);
                let facts = &reported.facts;
                assert_eq!((facts.unanswered, facts.unmatched_responses), (0, 0));
                assert_eq!(reported.names[&0], "device 7,0");
                assert!(reported.lanes.values().any(|name| name.starts_with("fio ")));
            },
        }]
    }
}
