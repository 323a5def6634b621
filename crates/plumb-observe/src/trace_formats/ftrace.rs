//! Is it what ftrace or trace-cmd print of the kernel's block trace points? `/sys/kernel/tracing/trace`, `trace_pipe`, `trace-cmd report`.

use crate::trace_format::{TraceFormat, block_events};

pub static FORMAT: TraceFormat = TraceFormat {
    name: "ftrace",
    program: "block events of ftrace (trace-cmd record -e block_rq_issue -e block_rq_complete, then trace-cmd report)",
    recognizes: |head| block_events::recognizes(head, false),
    read: block_events::read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

#[cfg(test)]
mod tests {
    use plumb_model::trace::events::CallClass;

    use crate::trace_format::Fixture;

    /// Written by hand after what kernels print: two processors, a flush, a request that is completed in two parts, one that is requeued, two at one place, an error.
    const BY_HAND: &[u8] = b"# tracer: nop
#
# entries-in-buffer/entries-written: 20/20   #P:2
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
        my app-4321    [001] ..... 100.000000: block_rq_issue: 8,0 RA 4096 () 1000 + 8 be,0,4 [my app]
        my app-4321    [001] ..... 100.000100: block_rq_issue: 8,0 R 4096 () 1000 + 8 be,0,4 [my app]
          <idle>-0     [000] d.s1. 100.000500: block_rq_complete: 8,0 RA () 1000 + 8 be,0,4 [0]
          <idle>-0     [000] d.s1. 100.000700: block_rq_complete: 8,0 R () 1000 + 8 be,0,4 [0]
    kworker/0:1H-112   [000] ..... 100.001000: block_rq_issue: 8,0 FF 0 () 0 + 0 none,0,0 [kworker/0:1H]
          <idle>-0     [000] ..s.. 100.002000: block_rq_complete: 8,0 FF () 18446744073709551615 + 0 none,0,0 [0]
          <idle>-0     [000] d.s.. 100.002010: block_rq_complete: 8,0 WS () 0 + 0 none,0,0 [0]
            sync-77    [000] ..... 100.003000: block_rq_insert: 8,0 WS 8192 () 5000 + 16 none,0,0 [sync]
            sync-77    [000] ..... 100.003100: block_rq_issue: 8,0 WS 8192 () 5000 + 16 none,0,0 [sync]
            sync-77    [000] ..... 100.003200: block_rq_requeue: 8,0 WS () 5000 + 16 none,0,0 [0]
            sync-77    [000] ..... 100.003300: block_rq_issue: 8,0 WS 8192 () 5000 + 16 none,0,0 [sync]
          <idle>-0     [001] ..s.. 100.004000: block_rq_complete: 8,0 WS () 5000 + 8 none,0,0 [0]
          <idle>-0     [001] ..s.. 100.004100: block_rq_complete: 8,0 WS () 5008 + 8 none,0,0 [0]
           fstrim-9    [001] ..... 100.005000: block_rq_issue: 8,0 D 1048576 () 9000 + 2048 none,0,0 [fstrim]
          <idle>-0     [001] ..s.. 100.005900: block_rq_complete: 8,0 D () 9000 + 2048 none,0,0 [-5]
           fstrim-9    [001] ..... 100.006000: sched_switch: prev_comm=fstrim prev_pid=9 ==> next_comm=swapper/1
CPU:1 [LOST 42 EVENTS]
          <idle>-0     [001] ..s.. 100.007000: block_rq_complete: 8,16 R () 1 + 8 none,0,0 [0]
";

    pub fn fixtures() -> Vec<Fixture> {
        vec![
            Fixture {
                bytes: BY_HAND,
                check: |reported| {
                    let facts = &reported.facts;
                    assert_eq!((reported.count("read"), reported.count("write")), (2, 1));
                    assert_eq!((reported.count("flush"), reported.count("discard")), (1, 1));
                    let time = |name| {
                        let all = reported.answered.iter();
                        let of = all.filter(|of| of.call.name == name);
                        of.map(|of| of.service_ns() / 1000).collect::<Vec<_>>()
                    };
                    assert_eq!(time("read"), [500, 600]);
                    assert_eq!(time("flush"), [1000]);
                    assert_eq!(time("write"), [1000]);
                    assert_eq!(time("discard"), [900]);
                    let write = reported.made.iter().find(|of| of.name == "write").unwrap();
                    assert_eq!(
                        (write.offset, write.bytes, write.class),
                        (Some(5000 * 512), Some(8192), CallClass::Write)
                    );
                    let status = reported.answered.last().unwrap().status.unwrap();
                    assert_eq!(status.name, Some("EIO"));
                    assert_eq!(reported.names[&0], "device 8,0");
                    assert_eq!(reported.lanes[&0], "my app 4321");
                    assert_eq!((facts.damaged, facts.lost), (0, 42));
                    assert_eq!((facts.unanswered, facts.unmatched_responses), (0, 1));
                },
            },
            Fixture {
                // Recorded of fio on a loop device: it made 28 reads and 32 writes of 4 KiB, and 6 flushes, which /proc/diskstats confirmed.
                bytes: include_bytes!("../../../../testdata/traces/ftrace.txt"),
                check: |reported| {
                    assert_eq!((reported.count("read"), reported.count("write")), (28, 32));
                    assert_eq!(reported.count("flush"), 6);
                    assert_eq!((reported.answered.len(), reported.facts.damaged), (66, 0));
                    let facts = &reported.facts;
                    assert_eq!((facts.unanswered, facts.unmatched_responses), (0, 0));
                },
            },
        ]
    }
}
