//! How does `plumb copy-test` compare copy programs by throughput and correctness?

mod arguments;

use plumb_model::results::copies::{CopyTable, Soundness};
use plumb_model::text::shell::quoted_path;
use plumb_run::copy_test::{CopiesMeasured, measure};
use plumb_run::derived::{check_page, write_page};
use plumb_show::markdown::copies_markdown;
use plumb_show::report::copy_test_html;
use plumb_show::terminal::{copies_text, published_text};

use crate::commands::Outcome;
use crate::outcome::{stop, unfinished};
use crate::streams::{page, print, print_json, say, words};
pub use arguments::CopyTestArguments;

/// Name of the report in the folder of the test.
const REPORT: &str = "report.html";

/// `plumb copy-test`.
pub fn copy_test(arguments: &CopyTestArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), arguments.output.as_deref())?;
    let stop = stop()?;
    let measured = measure(&arguments.request(), &stop)?;
    present(arguments, &measured)?;
    let kept = "the copies so far are recorded and compared";
    let stopped = measured.interrupted.then(|| stop.reason(kept));
    Ok(unfinished(&measured.failures, "", stopped).unwrap_or_else(|| outcome(&measured.table)))
}

fn outcome(table: &CopyTable) -> Outcome {
    use plumb_model::results::comparison::Verdict;
    let slower = |row: &plumb_model::results::copies::CopyRow| {
        [&row.write, &row.read]
            .into_iter()
            .filter_map(|figures| figures.against_baseline.as_ref())
            .any(|effect| effect.verdict == Verdict::Worse)
    };
    let bad = table
        .rows
        .iter()
        .any(|row| row.soundness <= Soundness::NotRun || slower(row));
    if bad { Outcome::Severe } else { Outcome::Done }
}

/// Writes the report, prints the table and the paths of report and record.
fn present(arguments: &CopyTestArguments, measured: &CopiesMeasured) -> anyhow::Result<()> {
    let CopiesMeasured { table, folder, .. } = measured;
    let html = copy_test_html(table, &measured.comparison, &measured.plots, words());
    let mut reports = std::iter::once(folder.join(REPORT)).chain(arguments.report.clone());
    // The results are shown even if the report cannot be written.
    let written = reports.try_for_each(|report| write_page(&report, &html));
    match (arguments.json, arguments.markdown) {
        (true, _) => print_json(table)?,
        (_, true) => print(&copies_markdown(table))?,
        _ => print(&format!(
            "{}{}",
            copies_text(table, page()),
            published_text(&measured.comparison.published, page())
        ))?,
    }
    if !arguments.quiet {
        let further = match table.rows.len() {
            1 => format!("plumb show {}", quoted_path(&folder.join("a"))),
            _ => format!("plumb compare {}", quoted_path(folder)),
        };
        say(&format!(
            "report: {}\nrecord: {} ({further})",
            folder.join(REPORT).display(),
            folder.display(),
        ));
    }
    written
}
