//! What is in iperf3's JSON? Its objects, parsed leniently: missing values stay missing.

use plumb_model::workload::operation::OperationKind;
use serde::Deserialize;

use crate::importer::lenient::{Number, Text, lenient};

lenient! {
    /// The entire object.
    Document {
        start: Start = "start",
        intervals: Intervals = "intervals",
        end: End = "end",
        error: Text = "error",
        event: Text = "event",
    }
}

lenient! {
    /// The start of --json-stream.
    StreamedStart {
        data: Start = "data",
    }
}

lenient! {
    /// An interval of --json-stream.
    StreamedInterval {
        data: Interval = "data",
    }
}

lenient! {
    /// The end of --json-stream.
    StreamedEnd {
        data: End = "data",
    }
}

lenient! {
    /// An error of --json-stream.
    StreamedError {
        data: Text = "data",
    }
}

lenient! {
    /// Negotiated parameters.
    Start {
        version: Text = "version",
        system: Text = "system_info",
        timestamp: Timestamp = "timestamp",
        server: Peer = "connecting_to",
        test: Test = "test_start",
        mss_bytes: Number = "tcp_mss_default" | "tcp_mss",
    }
}

lenient! {
    /// Start time.
    Timestamp {
        unix_s: Number = "timesecs",
    }
}

lenient! {
    /// The other end, as the client names it.
    Peer {
        host: Text = "host",
        port: Number = "port",
    }
}

lenient! {
    /// Requested parameters.
    Test {
        protocol: Text = "protocol",
        streams: Number = "num_streams",
        block_bytes: Number = "blksize",
        duration_s: Number = "duration",
        reverse: Number = "reverse",
        rate_bits_per_s: Number = "target_bitrate",
    }
}

lenient! {
    /// One interval: all streams of one direction, and those of the other (`--bidir`).
    Interval {
        sum: Sum = "sum",
        back: Sum = "sum_bidir_reverse",
    }
}

lenient! {
    /// Bytes of all streams of one direction.
    Sum {
        start_s: Number = "start",
        end_s: Number = "end",
        bytes: Number = "bytes",
        bits_per_s: Number = "bits_per_second",
        packets: Number = "packets",
        retransmits: Number = "retransmits",
        jitter_ms: Number = "jitter_ms",
        lost: Number = "lost_packets",
        lost_percent: Number = "lost_percent",
        omitted: Number = "omitted",
        sender: Number = "sender",
    }
}

lenient! {
    /// Summary of both ends.
    End {
        sent: Sum = "sum_sent",
        received: Sum = "sum_received",
        back_sent: Sum = "sum_sent_bidir_reverse",
        back_received: Sum = "sum_received_bidir_reverse",
        udp: Sum = "sum",
        cpu: CpuUse = "cpu_utilization_percent",
        congestion: Text = "sender_tcp_congestion",
    }
}

lenient! {
    /// CPU use in percent of one CPU.
    CpuUse {
        here: Number = "host_total",
        there: Number = "remote_total",
    }
}

impl Interval {
    /// The sum of one direction.
    pub fn of(&self, is_back: bool) -> &Sum {
        if is_back { &self.back } else { &self.sum }
    }
}

impl End {
    /// What this end counted of one direction, over the whole test. Before 3.7, UDP has no such sum.
    pub fn of(&self, is_back: bool, kind: OperationKind) -> &Sum {
        match (is_back, kind) {
            (false, OperationKind::Send) => &self.sent,
            (false, _) => &self.received,
            (true, OperationKind::Send) => &self.back_sent,
            (true, _) => &self.back_received,
        }
    }
}

/// Most intervals that are kept: above that, adjacent ones are merged.
const INTERVALS_MAX: usize = 20_000;

/// Intervals in file order; for very long tests pairs are merged.
#[derive(Debug, Clone, Default)]
pub struct Intervals(pub Vec<Interval>);

impl Intervals {
    /// Adds the next interval.
    pub fn push(&mut self, interval: Interval) {
        self.0.push(interval);
        if self.0.len() > INTERVALS_MAX {
            self.0 = self
                .0
                .chunks(2)
                .filter_map(|pair| pair.iter().cloned().reduce(joined))
                .collect();
        }
    }
}

impl<'de> Deserialize<'de> for Intervals {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> serde::de::Visitor<'de> for List {
            type Value = Intervals;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of intervals")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> Result<Intervals, A::Error> {
                let mut all = Intervals::default();
                while let Some(interval) = seq.next_element::<Interval>()? {
                    all.push(interval);
                }
                Ok(all)
            }
        }
        deserializer.deserialize_seq(List)
    }
}

fn joined(first: Interval, second: Interval) -> Interval {
    let both = |a: Sum, b: Sum| {
        let add = |a: Number, b: Number| Number(a.0.zip(b.0).map(|(a, b)| a + b));
        Sum {
            end_s: b.end_s,
            bytes: add(a.bytes, b.bytes),
            packets: add(a.packets, b.packets),
            ..a
        }
    };
    Interval {
        sum: both(first.sum, second.sum),
        back: both(first.back, second.back),
    }
}
