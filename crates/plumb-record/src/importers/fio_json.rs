//! What did fio do? Its JSON and JSON+, read job by job so that files of any length fit.

mod assemble;
mod document;
mod errors;
mod format;
mod jobs;
mod options;
#[cfg(test)]
mod tests;

use std::io;

use plumb_model::run::Run;

use crate::importer::{Head, ImportError, Importer, Source};
use document::{Buffered, Bytewise, Document};

pub static IMPORTER: Importer = Importer {
    name: "fio-json",
    program: "fio",
    meaning: "what fio 3 writes with --output-format=json or json+, also with text around it, of clients, and of --status-interval",
    recognises,
    import,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Most documents in one file, and longest text beside them that is shown.
const DOCUMENTS_MAX: usize = 10_000;
const BESIDE_MAX: usize = 160;

fn recognises(head: &Head<'_>) -> bool {
    let text = head.text();
    let Some(at) = text.find("\"fio version\"") else { return false };
    text[..at].contains('{')
}

/// Every document is a run, except those that `--status-interval` wrote on the way to a later one.
fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut reader = Buffered::new(&mut *source.reader);
    let mut documents: Vec<Document> = Vec::new();
    let (mut doubts, mut interim) = (Vec::new(), 0u64);
    let unread = |error: io::Error| ImportError::of_file(format!("a file that can be read: {error}"));
    while documents.len() < DOCUMENTS_MAX {
        let beside = text_beside(&mut reader).map_err(unread)?;
        if !beside.is_empty() {
            doubts.push(format!("text beside the JSON is left out: '{beside}'"));
        }
        if reader.peek().map_err(unread)?.is_none() {
            break;
        }
        let mut document = Document::default();
        let read = document.read(Bytewise(&mut reader));
        if let Some(major) = document.version.strip_prefix("fio-").and_then(|version| version.split('.').next()?.parse::<u32>().ok())
            && major < 3
        {
            return Err(ImportError::of_file(format!("output of fio 3, found that of {}: its units are others", document.version)));
        }
        let broken = read.err().map(|error| broken_off(&error, reader.line()));
        if document.jobs.groups.is_empty() {
            match broken {
                Some(error) if documents.is_empty() => return Err(error),
                Some(error) => {
                    doubts.push(format!("the last document is left out: {error}"));
                    break;
                }
                None => doubts.push("a document without a job is left out".into()),
            }
        } else {
            if documents.last().is_some_and(|last| leads_to(last, &document)) {
                documents.pop();
                interim += 1;
            }
            documents.push(document);
            if let Some(error) = broken {
                doubts.push(format!("the file breaks off, jobs before that are taken: {error}"));
                break;
            }
        }
    }
    if documents.is_empty() {
        return Err(ImportError::of_file("an object with \"fio version\" and a list of jobs, and there is none with a job in it"));
    }
    if interim > 0 {
        doubts.push(format!("{interim} interim reports (--status-interval) are left out: the last one holds their figures"));
    }
    Ok(documents.into_iter().map(|document| assemble::run_of(document, &doubts)).collect())
}

/// Goes to the next line that begins with `{`; returns the beginning of what was passed over.
fn text_beside(reader: &mut Buffered<'_>) -> io::Result<String> {
    let (mut passed, mut at_start) = (Vec::new(), true);
    while let Some(byte) = reader.peek()? {
        match byte {
            b'{' if at_start => break,
            b'\n' => at_start = true,
            byte if byte.is_ascii_whitespace() => {}
            _ => at_start = false,
        }
        if passed.len() < BESIDE_MAX && !(passed.is_empty() && byte.is_ascii_whitespace()) {
            passed.push(if byte == b'\n' { b' ' } else { byte });
        }
        reader.skip();
    }
    Ok(String::from_utf8_lossy(&passed).trim().to_string())
}

fn broken_off(error: &serde_json::Error, line: u64) -> ImportError {
    let text = error.to_string();
    // Without the place that serde_json appends: it counts from the beginning of the document.
    let what = text.split(" at line ").next().unwrap_or(&text);
    ImportError::at(line, format!("JSON as fio writes it, found: {what}"))
}

/// True when a document is an interim report of the same invocation: the same jobs went on for as long as lies between the two.
fn leads_to(earlier: &Document, later: &Document) -> bool {
    let names = |document: &Document| -> Vec<String> {
        document.jobs.groups.iter().flat_map(|group| &group.jobs).map(|job| job.name.clone()).collect()
    };
    let runtime_ms = |document: &Document| document.jobs.groups.iter().map(jobs::Group::runtime_ms).sum::<f64>();
    let (Some(before), Some(after)) = (earlier.written_ms, later.written_ms) else { return false };
    let (between, went_on) = (after - before, runtime_ms(later) - runtime_ms(earlier));
    between >= 0.0
        && (between - went_on).abs() <= 100.0 + between / 4.0
        && earlier.version == later.version
        && later.jobs.operations() >= earlier.jobs.operations()
        && names(earlier) == names(later)
}
