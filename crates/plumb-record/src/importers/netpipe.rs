//! What did NetPIPE measure? Round trips of messages of increasing size: its np.out, and its terminal output.
//!
//! NetPIPE reports half of the mean round trip: of its fastest trial in version 3, of all trials in version 5. plumb's ping-pong is a full round trip with its
//! bytes in both directions: the time is doubled, the bandwidth of one direction stays the same.

mod row;

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
use row::{MessageSize, Way, row};

pub static IMPORTER: Importer = Importer {
    name: "netpipe",
    program: "NetPIPE",
    meaning: "np.out and terminal output of NPtcp and the other programs of NetPIPE 3 and 5, also of several runs",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Most lines: NetPIPE makes some hundred.
const LINES_MAX: usize = 100_000;
/// Number of lines used to recognize a file.
const RECOGNIZED_BY: usize = 4;

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
    let (mut number, mut found, mut bad, mut streams) = (0u64, 0usize, 0u64, None);
    while let Some(line) = source.line()? {
        number += 1;
        streams = mode(&line).or(streams);
        let Some(mut row) = row(&line).filter(|_| found < LINES_MAX) else {
            bad += u64::from(found > 0 && looks_like_row(&line));
            continue;
        };
        if row.way == Way::PingPong && streams == Some(true) {
            row.way = Way::Stream;
        }
        found += 1;
        doubts(&mut builder, &row, streams.is_some());
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

/// Whether messages go one way, where a line of the terminal output says so; `None` for any other line.
fn mode(line: &str) -> Option<bool> {
    let line = line.trim();
    let is_one_way = [
        "Streaming in one direction",
        "Streaming data in one direction",
    ]
    .iter()
    .any(|said| line.starts_with(said));
    // Another test begins: of both ways at once, its rows say so themselves.
    let begins = ["Send and receive buffers are", "Passing data in both"]
        .iter()
        .any(|said| line.starts_with(said));
    match (is_one_way, begins) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

/// Whether a line has the form of a row, whatever its numbers.
fn looks_like_row(line: &str) -> bool {
    let numbers = line
        .split_whitespace()
        .all(|word| word.parse::<f64>().is_ok());
    line.contains(" times -->") || (numbers && !line.trim().is_empty())
}

fn doubts(builder: &mut RunBuilder, row: &MessageSize, is_said: bool) {
    if row.version == 3 {
        builder.doubt(Statement::new("netpipe-fastest-trials"));
    } else if let Some(imported) = builder.run().header.imported.as_mut() {
        imported.version.get_or_insert_with(|| "5".into());
    }
    match row.way {
        Way::PingPong if !is_said => builder.doubt(Statement::new("netpipe-direction-not-said")),
        Way::BothWays => builder.doubt(Statement::new("netpipe-both-ways")),
        _ => {}
    }
    if row.is_size_rounded {
        builder.doubt(Statement::new("netpipe-sizes-rounded"));
    }
}

fn add(builder: &mut RunBuilder, row: &MessageSize) {
    let (group, kind) = match row.way {
        Way::PingPong => ("ping-pong", OperationKind::PingPong),
        Way::BothWays => ("both ways", OperationKind::PingPong),
        Way::Stream => ("stream", OperationKind::Send),
    };
    let name = format!("{group} block={}", row.bytes);
    let step = builder.step(&name, || {
        let workload = Workload {
            mix: Weighted::only(kind),
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
        step.group = group.into();
        step.swept.insert("block".into(), row.bytes.to_string());
    }
    // Of both ways at once, the time is that of one message each way.
    let (operation_s, messages) = match row.way {
        Way::PingPong => (2.0 * row.time_s, 2.0),
        Way::BothWays => (row.time_s, 2.0),
        Way::Stream => (row.time_s, 1.0),
    };
    // The total time of the trials of a size is not stated.
    let span = builder.execution(step, 0.0);
    let response = ReportedLatency {
        count: row.times,
        mean_ns: Some(operation_s * 1e9),
        ..ReportedLatency::default()
    };
    let one_way = (row.way == Way::PingPong).then(|| ReportedFigure {
        name: "one way (half of the round trip)".into(),
        value: row.time_s * 1e9,
        unit: "ns".into(),
    });
    let trials = row.trials_bits_per_s.map(|(least, most)| {
        let figure = |name: &str, bits: f64| ReportedFigure {
            name: name.into(),
            value: bits / 8.0,
            unit: "B/s".into(),
        };
        [
            figure("bandwidth of the slowest trial", least),
            figure("bandwidth of the fastest trial", most),
        ]
    });
    builder.reported(
        span,
        0,
        Reported {
            kind: Some(kind),
            iops: Some(1.0 / operation_s),
            bandwidth_bytes_per_s: Some(messages * row.bytes as f64 / operation_s),
            response: Some(response),
            service: None,
            figures: one_way
                .into_iter()
                .chain(trials.into_iter().flatten())
                .collect(),
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
                .is_some_and(|rate| (rate / (1.314957 * 131_072.0) - 1.0).abs() < 0.01),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importer::stated_of;

    #[test]
    fn streams_are_no_round_trips_where_the_text_says_so() {
        let rows = "  0:      64 bytes   1000 times -->    217.16 Mbps in       2.25 usec\n";
        let read = |text: &str| {
            let runs = IMPORTER.of_bytes(text.as_bytes());
            runs.expect("rows").remove(0)
        };
        let run = read(&format!("Streaming in one direction only.\n\n{rows}"));
        let stream = &stated_of(&run, "stream block=64")[0];
        let mean_ns = stream.response.as_ref().and_then(|of| of.mean_ns);
        assert_eq!(
            (stream.kind, mean_ns.map(f64::round)),
            (Some(OperationKind::Send), Some(2250.0))
        );
        let run = read(rows);
        let doubts = &run.header.imported.as_ref().expect("imported").doubts;
        let is_said = |of: &Statement| of.id == "netpipe-direction-not-said";
        assert!(doubts.iter().any(is_said), "{doubts:?}");
    }
}
