//! What is in fio's results? Its JSON, read job by job so that files of any length fit, and other outputs of fio converted to the same form.

mod assemble;
mod document;
mod doubts;
mod errors;
mod format;
mod jobs;
mod options;
mod translated;

use plumb_model::run::Run;
use plumb_model::statement::Statement;

use crate::importer::embedded::Embedded;
use crate::importer::{ImportError, Source};
use document::Document;

/// Most documents in one file.
const DOCUMENTS_MAX: usize = 10_000;
/// Most doubts about text between them.
const DOUBTS_MAX: usize = 20;

/// Every document becomes a run, except interim reports of `--status-interval`.
pub fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut file = Embedded::new(&mut *source.reader, "fio");
    let mut documents: Vec<Document> = Vec::new();
    let (mut doubts, mut interim) = (Vec::new(), 0u64);
    while documents.len() < DOCUMENTS_MAX {
        let (found, surrounding_text) = file.next_object()?;
        if !surrounding_text.is_empty() && doubts.len() < DOUBTS_MAX {
            doubts.push(Statement::new("text-beside-json").name("text", surrounding_text));
        }
        if !found {
            break;
        }
        let mut document = Document::default();
        let broken = document.read(&mut file).err();
        if let Some(major) = document
            .version
            .strip_prefix("fio-")
            .and_then(|version| version.split('.').next()?.parse::<u32>().ok())
            && major < 3
        {
            return Err(ImportError::of_file(format!(
                "output of fio 3, found output of {}, which has other units",
                document.version
            )));
        }
        if document.jobs.groups.is_empty() {
            match broken {
                Some(error) if documents.is_empty() => return Err(error),
                Some(error) => {
                    doubts.push(
                        Statement::new("last-document-left-out").name("error", error.to_string()),
                    );
                    break;
                }
                None if doubts.len() < DOUBTS_MAX => {
                    doubts.push(Statement::new("document-without-a-job"))
                }
                None => {}
            }
        } else {
            if documents
                .last()
                .is_some_and(|last| leads_to(last, &document))
            {
                documents.pop();
                interim += 1;
            }
            documents.push(document);
            if let Some(error) = broken {
                doubts.push(Statement::new("file-breaks-off").name("error", error.to_string()));
                break;
            }
        }
    }
    if documents.is_empty() {
        return Err(ImportError::of_file(
            "an object with \"fio version\" and a list with at least one job, found none",
        ));
    }
    if interim > 0 {
        doubts.push(Statement::new("fio-interim-reports").count("count", interim));
    }
    Ok(documents
        .into_iter()
        .map(|document| assemble::run_of(document, &doubts))
        .collect())
}

/// The runs of a document that was converted from another output of fio.
///
/// # Errors
/// As for a file.
pub fn of_document(document: &serde_json::Value) -> Result<Vec<Run>, ImportError> {
    let text = document.to_string();
    import(&mut Source {
        name: "fio",
        reader: &mut text.as_bytes(),
    })
}

/// True if a document is an interim report of the same invocation: the same jobs continued for as long as the time between the two.
fn leads_to(earlier: &Document, later: &Document) -> bool {
    let names = |document: &Document| -> Vec<String> {
        document
            .jobs
            .groups
            .iter()
            .flat_map(|group| &group.jobs)
            .map(|job| job.name.clone())
            .collect()
    };
    let runtime_ms = |document: &Document| {
        document
            .jobs
            .groups
            .iter()
            .map(jobs::Group::runtime_ms)
            .sum::<f64>()
    };
    let (Some(before), Some(after)) = (earlier.written_ms, later.written_ms) else {
        return false;
    };
    let (between, went_on) = (after - before, runtime_ms(later) - runtime_ms(earlier));
    between >= 0.0
        && (between - went_on).abs() <= 100.0 + between / 4.0
        && earlier.version == later.version
        && later.jobs.operations() >= earlier.jobs.operations()
        && names(earlier) == names(later)
}
