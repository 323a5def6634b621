//! What did smbclient measure? The speed that it prints of each file it gets from a share or puts there.

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::{finite, integer};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "smbclient",
    program: "smbclient",
    meaning: "what smbclient of Samba prints when it gets and puts files (`smbclient //SERVER/SHARE -c 'get FILE' > FILE 2>&1`); each file becomes a step, the same file again a round",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Files of one output.
const FILES_MAX: usize = 20_000;
/// smbclient divides by a time of 0 ms as if it were 0.0001 (client.c of Samba): such a speed is none.
const KIBIBYTES_MAX: f64 = 1e9;

/// One file.
struct Transfer<'a> {
    kind: OperationKind,
    /// On the share.
    name: &'a str,
    /// Size of a file that was got.
    bytes: Option<u64>,
    /// KiB/s of this file.
    speed: &'a str,
    /// KiB/s of all files of the session in this direction.
    average: &'a str,
}

/// `getting file \\a of size 3000000 as a (292965.9 KiloBytes/sec) (average 292968.8 KiloBytes/sec)`, or
/// `putting file a as \\a (325517.3 kb/s) (average 325520.8 kb/s)`.
fn transfer(line: &str) -> Option<Transfer<'_>> {
    let line = line.trim();
    let (names, speeds) = line.rsplit_once(" (average ")?;
    let (names, speed) = names.rsplit_once(" (")?;
    let (average, unit) = speeds.strip_suffix(')')?.split_once(' ')?;
    let speed = speed.strip_suffix(')')?.strip_suffix(unit)?.trim_end();
    let (kind, name, bytes) = match names.strip_prefix("getting file ") {
        Some(names) if unit == "KiloBytes/sec" => {
            let (name, size) = names.split_once(" of size ")?;
            let size = size.split_once(" as ")?.0;
            (OperationKind::Read, name, Some(integer(size)?))
        }
        _ => {
            let names = names.strip_prefix("putting file ");
            let names = names.filter(|_| unit.eq_ignore_ascii_case("kb/s"))?;
            (OperationKind::Write, names.split_once(" as ")?.1, None)
        }
    };
    Some(Transfer {
        kind,
        name: name.trim_start_matches('\\'),
        bytes,
        speed,
        average,
    })
}

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    text.lines()
        .take(10_000)
        .any(|line| transfer(line).is_some())
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut builder = RunBuilder::new("smbclient", None);
    builder.does_not_state(&["block", "depth", "direct"]);
    builder.doubt(Statement::new("smbclient-milliseconds"));
    let (mut number, mut found, mut too_fast) = (0, 0, 0u64);
    while let Some(line) = source.line()? {
        number += 1;
        let Some(transfer) = transfer(&line) else {
            continue;
        };
        let speed = finite(transfer.speed);
        match speed.filter(|speed| *speed > 0.0 && *speed < KIBIBYTES_MAX) {
            Some(speed) => add(&mut builder, &transfer, speed * 1024.0),
            None => too_fast += 1,
        }
        found += 1;
        if found > FILES_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {FILES_MAX} files in one output"),
            ));
        }
    }
    if found as u64 == too_fast {
        return Err(ImportError::of_file(
            "lines such as 'getting file \\a of size 40000000 as a (448993.7 KiloBytes/sec) (average ...)' with a speed that is not 0; files of some MiB take long enough",
        ));
    }
    if too_fast > 0 {
        builder.doubt(Statement::new("smbclient-too-fast").count("count", too_fast));
    }
    Ok(vec![builder.finish()])
}

fn add(builder: &mut RunBuilder, transfer: &Transfer<'_>, bytes_per_s: f64) {
    let verb = match transfer.kind {
        OperationKind::Read => "get",
        _ => "put",
    };
    let workload = Workload {
        mix: Weighted::only(transfer.kind),
        block: Weighted::only(Bytes(1 << 20)),
        offsets: Offsets::Sequential,
        size: transfer.bytes.filter(|bytes| *bytes > 0).map(Bytes),
        ..Workload::default()
    };
    let job = RunBuilder::job(
        "",
        Target::Path(transfer.name.into()),
        "smbclient",
        workload,
    );
    let step = builder.step_of_work(&format!("{verb} {}", transfer.name), job);
    let seconds = transfer.bytes.map(|bytes| bytes as f64 / bytes_per_s);
    let span = builder.execution(step, seconds.unwrap_or(0.0));
    let average = finite(transfer.average).filter(|speed| *speed > 0.0 && *speed < KIBIBYTES_MAX);
    let average = average.map(|kibibytes| ReportedFigure {
        name: "average of the session so far".into(),
        value: kibibytes * 1024.0,
        unit: "B/s".into(),
    });
    builder.reported(
        span,
        0,
        Reported {
            kind: Some(transfer.kind),
            bandwidth_bytes_per_s: Some(bytes_per_s),
            figures: average.into_iter().collect(),
            ..Reported::default()
        },
    );
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    macro_rules! file {
        ($name:literal) => {
            include_bytes!(concat!("../../../../testdata/foreign/smbclient/", $name)).to_vec()
        };
    }
    vec![
        Fixture {
            name: "rounds.txt",
            bytes: file!("4.17.12-rounds.txt"),
            check: |runs| {
                let [run] = runs else {
                    panic!("{} runs", runs.len())
                };
                assert_eq!(
                    (run.header.plan.steps.len(), run.header.plan.rounds),
                    (2, 3)
                );
                let size = workload_of(run, "get large.bin").size;
                assert_eq!(size, Some(Bytes(40_000_000)));
                assert_eq!(stated_of(run, "get large.bin").len(), 2);
            },
        },
        Fixture {
            name: "small.txt",
            bytes: file!("4.17.12-small.txt"),
            check: |runs| {
                let doubts = &runs[0].header.imported.as_ref().expect("imported").doubts;
                let too_fast = doubts.iter().find(|of| of.id == "smbclient-too-fast");
                assert!(too_fast.is_some(), "{doubts:?}");
                assert_eq!(stated_of(&runs[0], "put with space.bin").len(), 1);
            },
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_of_no_time_are_no_figures() {
        let text = "putting file b as \\b (1000000000.0 kb/s) (average inf kb/s)\ngetting file \\e of size 0 as e (0.0 KiloBytes/sec) (average -nan KiloBytes/sec)\n";
        let refused = IMPORTER.of_bytes(text.as_bytes());
        let refused = refused.expect_err("no speed").to_string();
        assert!(refused.contains("a speed that is not 0"), "{refused}");
    }
}
