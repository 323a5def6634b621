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
use crate::importer::rounds::joined;
use crate::importer::{ImportError, Source};
use document::Document;

/// Most documents in one file.
const DOCUMENTS_MAX: usize = 10_000;
/// Most doubts about text between them.
const DOUBTS_MAX: usize = 20;

/// Every document is a run, except interim reports of `--status-interval`. Runs of one version of fio become rounds and steps of one.
pub fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    import_with(source, Vec::new(), &[])
}

fn import_with(
    source: &mut Source<'_>,
    mut doubts: Vec<Statement>,
    unstated: &[&str],
) -> Result<Vec<Run>, ImportError> {
    let mut file = Embedded::new(&mut *source.reader, "fio");
    let mut documents: Vec<Document> = Vec::new();
    let mut interim = 0u64;
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
    if documents.len() == DOCUMENTS_MAX && file.next_object()?.0 {
        doubts.push(left_out(DOCUMENTS_MAX));
    }
    if documents.is_empty() {
        return Err(ImportError::of_file(
            "an object with \"fio version\" and a list with at least one job, found none",
        ));
    }
    if interim > 0 {
        doubts.push(Statement::new("fio-interim-reports").count("count", interim));
    }
    let runs = documents
        .into_iter()
        .map(|document| assemble::run_of(document, &doubts, unstated));
    Ok(joined(runs))
}

/// The runs of documents that were converted from another output of fio, with what is to be known of them, and the keys that this output does not state.
///
/// # Errors
/// As for a file.
pub fn of_documents(
    documents: &[serde_json::Value],
    doubts: impl IntoIterator<Item = Statement>,
    unstated: &[&str],
) -> Result<Vec<Run>, ImportError> {
    let lines: Vec<String> = documents.iter().map(ToString::to_string).collect();
    let text = lines.join("\n");
    let mut source = Source {
        name: "fio",
        reader: &mut text.as_bytes(),
    };
    import_with(&mut source, doubts.into_iter().collect(), unstated)
}

/// What is said of a file with more runs or jobs than are read.
pub fn left_out(most: usize) -> Statement {
    Statement::new("fio-further-runs-left-out").count("count", most as u64)
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
