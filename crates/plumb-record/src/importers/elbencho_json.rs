//! What did elbencho measure? Its JSON (`--jsonfile`), one object for each phase.

use std::collections::HashMap;

use plumb_model::run::Run;
use plumb_model::run::imported::ReportedLatency;
use plumb_model::statement::Statement;
use serde_json::Value;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::elbencho::{
    Figures, Options, PHASES_MAX, Phase, Rates, is_of_objects, latency, run_of, words,
};
use crate::importer::embedded::Embedded;
use crate::importer::number::finite;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "elbencho-json",
    program: "elbencho",
    meaning: "the JSON of elbencho 3 (`--jsonfile FILE`); phases of one command line become steps, the same command again a round; figures are those at the end of the slowest thread",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    text.contains("\"phase_type\"") && text.contains("\"last_done\"")
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut file = Embedded::new(&mut *source.reader, "elbencho");
    let (mut indexes, mut drafts) = (HashMap::new(), Vec::<RunBuilder>::new());
    let mut phases = 0;
    while file.next_object()?.0 {
        let phase: Value = match file.value() {
            Ok(phase) => phase,
            Err(error) => {
                let Some(last) = drafts.last_mut() else {
                    return Err(error);
                };
                last.doubt(
                    Statement::new("rest-of-file-left-out").name("error", error.to_string()),
                );
                break;
            }
        };
        let Some(name) = phase.get("phase_type").and_then(Value::as_str) else {
            continue;
        };
        phases += 1;
        if phases > PHASES_MAX {
            return Err(ImportError::at(
                file.line(),
                format!("at most {PHASES_MAX} phases in one file"),
            ));
        }
        let config = phase.get("config").unwrap_or(&Value::Null);
        let index = *indexes.entry(config.to_string()).or_insert(drafts.len());
        if index == drafts.len() {
            let text = |name: &str| config.get(name).and_then(Value::as_str);
            drafts.push(run_of(
                text("version"),
                words(text("command").unwrap_or_default()),
            ));
        }
        if let Some(draft) = drafts.get_mut(index) {
            phase_of(name, config, &phase).add(draft);
        }
    }
    if phases == 0 {
        return Err(ImportError::of_file(
            "objects with 'phase_type' and 'last_done', as elbencho writes them with --jsonfile",
        ));
    }
    Ok(drafts.into_iter().map(RunBuilder::finish).collect())
}

/// A number, which elbencho writes in quotes.
fn number(of: Option<&Value>, name: &str) -> Option<f64> {
    match of?.get(name)? {
        Value::String(text) => finite(text),
        Value::Number(number) => number.as_f64().filter(|number| *number >= 0.0),
        _ => None,
    }
}

fn phase_of<'a>(name: &'a str, config: &Value, phase: &Value) -> Phase<'a> {
    let integer = |name: &str| number(Some(config), name).map(|number| number as u64);
    let text = |name: &str| config.get(name).and_then(Value::as_str);
    let (first, last) = (phase.get("first_done"), phase.get("last_done"));
    let of_reads = |of: Option<&'_ Value>| of?.get("rwmix_read").cloned();
    let times = last.and_then(|last| last.get("latency"));
    let (blocks, entries) = (
        times.and_then(|times| times.get("IO")),
        times.and_then(|times| times.get("entries")),
    );
    Phase {
        name,
        options: Options {
            threads: integer("threads"),
            hosts: integer("hosts"),
            dirs: integer("dirs"),
            files: integer("files"),
            file_bytes: integer("file_size"),
            block_bytes: integer("block_size"),
            depth: integer("io_depth"),
            is_of_directories: text("path_type") == Some("dir"),
            is_of_objects: text("command").is_some_and(is_of_objects),
            direct: text("direct_io") == Some("true"),
            random: text("random_offsets") == Some("true"),
        },
        last_s: number(last, "elapsed_time_ms").unwrap_or(0.0) / 1000.0,
        figures: Figures {
            last: rates(last),
            first: rates(first),
            of_blocks: times_of(blocks),
            of_entries: times_of(entries),
        },
        reads: Figures {
            last: rates(of_reads(last).as_ref()),
            first: rates(of_reads(first).as_ref()),
            of_blocks: times_of(of_reads(blocks).as_ref()),
            of_entries: times_of(of_reads(entries).as_ref()),
        },
        cpu: number(last, "cpu%"),
    }
}

fn rates(of: Option<&Value>) -> Rates {
    Rates {
        iops: number(of, "iops"),
        bytes_per_s: number(of, "bytes/s"),
        entries_per_s: number(of, "entries/s"),
        entries: number(of, "entries"),
        bytes: number(of, "bytes"),
    }
}

fn times_of(of: Option<&Value>) -> Option<ReportedLatency> {
    latency(
        number(of, "min_us"),
        number(of, "avg_us"),
        number(of, "max_us"),
    )
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let whole = include_bytes!("../../../../testdata/foreign/elbencho/3.1-10-mixed-threads.json");
    vec![
        Fixture {
            name: "mixed.json",
            bytes: whole.to_vec(),
            check: |runs| {
                let reported = stated_of(&runs[0], "MIX-T2");
                assert_eq!(reported.len(), 2, "writes and reads");
                let workload = workload_of(&runs[0], "MIX-T2");
                assert_eq!(
                    (workload.mix.to_string().as_str(), workload.workers),
                    ("read:50,write:50", 4)
                );
                assert_eq!(runs[0].header.command[0], "elbencho");
            },
        },
        Fixture {
            name: "cut.json",
            bytes: [whole.as_slice(), &whole[..200]].concat(),
            check: |runs| {
                let doubts = &runs[0].header.imported.as_ref().expect("imported").doubts;
                let is_cut = doubts.iter().any(|of| of.id == "rest-of-file-left-out");
                assert!(is_cut, "{doubts:?}");
            },
        },
    ]
}
