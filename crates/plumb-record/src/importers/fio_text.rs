//! What is in fio's normal output? A block for each job, as fio 2 and 3 print it by default, converted to the JSON that fio would have written.

mod block;

use plumb_model::run::Run;
use serde_json::json;

use crate::importer::fio;
use crate::importer::{Head, ImportError, Importer, Source};
use block::Block;

pub static IMPORTER: Importer = Importer {
    name: "fio-text",
    program: "fio",
    meaning: "what fio 3 prints without --output-format, also with other text around it",
    recognizes,
    import,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Most jobs of one file.
const JOBS_MAX: usize = 100_000;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    // If a file has several outputs, JSON has the most detail.
    !text.contains("\"fio version\"") && text.lines().any(|line| Block::begins(line).is_some())
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut blocks, mut version) = (Vec::<Block>::new(), String::from("fio-3.0"));
    let mut heads = Vec::new();
    while let Some(line) = source.line()? {
        if let Some(block) = Block::begins(&line) {
            if blocks.len() == JOBS_MAX {
                break;
            }
            blocks.push(block);
        } else if line.starts_with("Run status group") {
            // The lines that follow describe all jobs together, until the next one begins.
            if let Some(last) = blocks.last_mut() {
                last.end();
            }
        } else if let Some(last) = blocks.last_mut() {
            last.line(&line);
        } else if line.starts_with("fio-") && !line.contains(' ') {
            version = line;
        } else if heads.len() < JOBS_MAX {
            heads.extend(block::head(&line));
        }
    }
    if blocks.is_empty() {
        return Err(ImportError::of_file(
            "at least one job block of fio normal output",
        ));
    }
    let jobs: Vec<_> = blocks.iter().map(|block| block.job(&heads)).collect();
    fio::of_document(&json!({ "fio version": version, "jobs": jobs }))
}

#[cfg(test)]
mod tests {
    use crate::importer::Fixture;

    pub fn fixtures() -> Vec<Fixture> {
        let text = include_str!("../../../../testdata/imported/fio-3.33-normal.txt");
        vec![Fixture {
            name: "normal.txt",
            bytes: text.as_bytes().to_vec(),
            check: |runs| {
                assert_eq!(runs.len(), 1);
                let step = &runs[0].header.plan.steps[0];
                assert_eq!(step.name, "mix");
                assert_eq!(step.jobs[0].workload.depth, 4);
                assert_eq!(step.jobs[0].workload.block.to_string(), "4k");
            },
        }]
    }
}
