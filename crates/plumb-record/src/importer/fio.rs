//! What do fio's results say? Its JSON, read job by job so that files of any length fit, and other outputs of fio that were put into the same form.

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
/// Most doubts about what stands between them.
const DOUBTS_MAX: usize = 20;

/// Every document is a run, except those that `--status-interval` wrote on the way to a later one.
pub fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut file = Embedded::new(&mut *source.reader, "fio");
    let mut documents: Vec<Document> = Vec::new();
    let (mut doubts, mut interim) = (Vec::new(), 0u64);
    while documents.len() < DOCUMENTS_MAX {
        let (found, beside) = file.next_object()?;
        if !beside.is_empty() && doubts.len() < DOUBTS_MAX {
            doubts.push(Statement::new("text-beside-json").name("text", beside));
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

/// The runs of a document that was put together from another output of fio.
///
/// # Errors
/// As of a file.
pub fn of_document(document: &serde_json::Value) -> Result<Vec<Run>, ImportError> {
    let text = document.to_string();
    import(&mut Source {
        name: "fio",
        reader: &mut text.as_bytes(),
    })
}

/// True when a document is an interim report of the same invocation: the same jobs went on for as long as lies between the two.
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
