//! What did NetPIPE measure? Round trips of messages of increasing size: its np.out, and its terminal output.
//!
//! NetPIPE reports half of the mean round trip of its fastest trial. plumb's ping-pong is a full round trip with its bytes in both directions: the time is
//! doubled, the bandwidth of one direction stays the same. Its Mbps are 2^20 bits per second (netpipe.c).

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "netpipe",
    program: "NetPIPE",
    meaning: "np.out and terminal output of NPtcp and the other programs of NetPIPE 3",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Bits of its "Mbps".
const MEGABIT: f64 = 1_048_576.0;
/// Size, rate and time of a line agree within this share, or it is not a NetPIPE line: times are rounded to 10 ns.
const AGREE: f64 = 0.05;
/// Most lines: NetPIPE makes some hundred.
const LINES_MAX: usize = 100_000;
/// Number of lines used to recognize a file.
const RECOGNIZED_BY: usize = 4;

/// One message size.
struct MessageSize {
    bytes: u64,
    /// Half of a round trip, in seconds.
    one_way_s: f64,
    /// Round trips of a trial; not stated in np.out.
    times: Option<u64>,
}

/// `       1 1.314957   0.00000580`, or `  0:       1 bytes   8609 times -->      1.31 Mbps in       5.80 usec`.
fn row(line: &str) -> Option<MessageSize> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(12).collect();
    let (bytes, megabits, one_way_s, times) = match words.as_slice() {
        [
            number,
            bytes,
            "bytes",
            times,
            "times",
            "-->",
            megabits,
            "Mbps",
            "in",
            microseconds,
            "usec",
        ] if number.ends_with(':') => (
            bytes,
            megabits,
            microseconds.parse::<f64>().ok()? / 1e6,
            Some(times.parse().ok()?),
        ),
        [bytes, megabits, seconds] => (bytes, megabits, seconds.parse().ok()?, None),
        _ => return None,
    };
    let (bytes, megabits): (u64, f64) = (bytes.parse().ok()?, megabits.parse().ok()?);
    let one_way_s = Some(one_way_s).filter(|seconds: &f64| *seconds > 0.0 && *seconds < 1e6)?;
    let expected = bytes as f64 * 8.0 / MEGABIT / one_way_s;
    // Two decimals of a printed rate or time lose more.
    let rounding = if times.is_some() {
        0.006 + 0.006e-6 / one_way_s * expected
    } else {
        0.0
    };
    ((megabits - expected).abs() <= AGREE * expected + rounding && bytes > 0 && bytes < 1 << 48)
        .then_some(MessageSize {
            bytes,
            one_way_s,
            times,
        })
}

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let rows = text
        .lines()
        .filter(|line| row(line).is_some())
        .take(RECOGNIZED_BY)
        .count();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    // np.out has nothing else; a printed line is recognized by its words.
    rows > 0
        && (text.contains(" times -->")
            || (text.lines().next().is_some_and(|line| row(line).is_some())
                && (rows == RECOGNIZED_BY || rows == lines)))
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut builder = RunBuilder::new("NetPIPE", None);
    builder.doubt(Statement::new("netpipe-fastest-trials"));
    builder.doubt(Statement::new("netpipe-direction-not-said"));
    let (mut number, mut found, mut bad) = (0u64, 0usize, 0u64);
    while let Some(line) = source.line()? {
        number += 1;
        let Some(row) = row(&line).filter(|_| found < LINES_MAX) else {
            bad += u64::from(found > 0 && !line.trim().is_empty());
            continue;
        };
        found += 1;
        add(&mut builder, &row);
    }
    if found == 0 {
        return Err(ImportError::at(
            number.max(1),
            "a line such as '64 30.1 0.00001622': bytes, Mbps and seconds that agree",
        ));
    }
    if bad > 0 {
        builder.doubt(Statement::new("netpipe-lines-left-out").count("count", bad));
    }
    Ok(vec![builder.finish()])
}

fn add(builder: &mut RunBuilder, row: &MessageSize) {
    let name = format!("ping-pong block={}", row.bytes);
    let step = builder.step(&name, || {
        let workload = Workload {
            mix: Weighted::only(OperationKind::PingPong),
            block: Weighted::only(Bytes(row.bytes)),
            offsets: Offsets::Sequential,
            ..Workload::default()
        };
        vec![RunBuilder::job(
            "",
            Target::Path("unknown".into()),
            "NetPIPE",
            workload,
        )]
    });
    if let Some(step) = builder.run().header.plan.steps.get_mut(step as usize) {
        step.group = "ping-pong".into();
        step.swept.insert("block".into(), row.bytes.to_string());
    }
    let round_trip_s = 2.0 * row.one_way_s;
    // The total time of the trials of a size is not stated.
    let span = builder.execution(step, 0.0);
    let response = ReportedLatency {
        count: row.times,
        mean_ns: Some(round_trip_s * 1e9),
        ..ReportedLatency::default()
    };
    let figures = vec![ReportedFigure {
        name: "one way (half of the round trip)".into(),
        value: row.one_way_s * 1e9,
        unit: "ns".into(),
    }];
    builder.reported(
        span,
        0,
        Reported {
            kind: Some(OperationKind::PingPong),
            iops: Some(1.0 / round_trip_s),
            bandwidth_bytes_per_s: Some(row.bytes as f64 / row.one_way_s),
            response: Some(response),
            service: None,
            figures,
        },
    );
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use plumb_model::run::Event;
    fn reported(run: &Run) -> Vec<&Reported> {
        run.notes
            .iter()
            .filter_map(|note| {
                if let Event::Reported { reported, .. } = &note.event {
                    Some(reported)
                } else {
                    None
                }
            })
            .collect()
    }
    fn check(runs: &[Run]) {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(run.header.plan.steps.len(), 58);
        let first = reported(run)[0];
        let response = first.response.as_ref().expect("a round trip");
        assert!(
            response
                .mean_ns
                .is_some_and(|ns| (ns - 11_600.0).abs() < 10.0),
            "{response:?}"
        );
        assert!(
            first
                .bandwidth_bytes_per_s
                .is_some_and(|rate| (rate / (1.314957 * MEGABIT / 8.0) - 1.0).abs() < 0.01),
            "{first:?}"
        );
        assert_eq!(run.header.plan.steps[1].swept["block"], "2");
    }
    let printed = |runs: &[Run]| {
        check(runs);
        assert_eq!(
            reported(&runs[0])[0]
                .response
                .as_ref()
                .and_then(|response| response.count),
            Some(8609)
        );
    };
    vec![
        Fixture {
            name: "np.out",
            bytes: include_bytes!("../../../../testdata/imported/netpipe-3.7.2-np.out").to_vec(),
            check,
        },
        Fixture {
            name: "printed.txt",
            bytes: include_bytes!("../../../../testdata/imported/netpipe-3.7.2-printed.txt")
                .to_vec(),
            check: printed,
        },
    ]
}
