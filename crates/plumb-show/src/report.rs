//! What is on the report page of a run? One self-contained HTML file: verdict, findings, figures, tables, environment.

mod comparison;
mod copies;
mod environment;
mod findings;
mod grid;
mod library;
mod matrices;
mod method;
mod page;
mod plan;
mod published;
mod ranks;
mod recordings;
mod steps;
mod tables;
mod trend;
mod verdict;
mod waterfall;

use plumb_model::statement::Statement;

use crate::chart::Subject;
use crate::charts::CHARTS;
use crate::escape::escape;
use crate::figure::Figure;
use crate::wording;
pub use comparison::{comparison_html, copy_test_html};
pub use library::{IndexedRun, library_html};
pub use page::SCRIPTS;
use page::{Drawn, PageFrame};
pub(crate) use page::{MARK, STYLE};
pub use recordings::{explained_html, trace_html, watched_html, why_html};
use steps::{connections, scaling};
pub use trend::trend_html;
pub use waterfall::waterfall_html;

/// The page.
pub fn report_html(subject: &Subject) -> String {
    let (summary, words) = (subject.summary, subject.words);
    let name = wording::subject_text(&summary.plan, &summary.environment);
    let title = Statement::new("page-title")
        .name("plan", &summary.plan.name)
        .name("subject", name);
    let footer = match &summary.imported {
        Some(_) => Statement::new("page-footer-imported"),
        None => Statement::new("page-footer-measured"),
    }
    .name("run", &summary.id)
    .name("version", &summary.plumb_version);
    PageFrame {
        words,
        title: words.sentence(&title),
        plumb_version: &summary.plumb_version,
        header: header(subject),
        summary: grid::section(&summary.grid, words),
        sections: sections(subject),
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

/// The sections between header and footer: id, label of the heading, and body.
fn sections(subject: &Subject) -> Vec<(&'static str, &'static str, String)> {
    let (summary, words) = (subject.summary, subject.words);
    let figures: Vec<Figure> = CHARTS
        .iter()
        .filter_map(|chart| (chart.figure)(subject))
        .collect();
    let drawn = Drawn::new(&figures, words);
    let matrices = matrices::section(&subject.plots.matrices, words);
    let found = findings::section(&summary.findings, words);
    let steps = steps::section(summary, words);
    let scaling = scaling::section(&summary.scaling, words);
    let connections = connections::section(summary, words);
    let ranks = ranks::section(summary, words);
    let environment = environment::section(&summary.environment, words);
    let plan = plan::section(&summary.plan, words);
    vec![
        ("verdict", "label-verdict", verdict::section(summary, words)),
        ("chart", "", drawn.first),
        ("findings", "label-findings", found),
        ("figures", "label-figures", drawn.rest),
        ("matrices", "label-by-two-keys", matrices),
        ("scaling", "label-scaling", scaling),
        (
            "published",
            "label-published-experiment",
            published::section(&subject.plots.published, words),
        ),
        ("steps", "label-all-steps-heading", steps),
        ("ranks", "label-hosts-and-ranks", ranks),
        ("connections", "label-connections", connections),
        ("environment", "label-environment", environment),
        ("plan", "label-the-plan", plan),
        (
            "method",
            "label-how-it-was-measured",
            method::section(subject),
        ),
    ]
}

fn header(subject: &Subject) -> String {
    let (summary, words) = (subject.summary, subject.words);
    let environment = &summary.environment;
    let mut facts: Vec<String> = summary
        .imported
        .as_ref()
        .map(|from| wording::origin_text(from, words))
        .into_iter()
        .collect();
    facts.extend(Some(wording::date_text(&summary.started)).filter(|date| !date.is_empty()));
    facts.extend(environment.text("host.name").map(str::to_string));
    let device = [
        environment
            .text("device.model")
            .or_else(|| environment.text("device.name")),
        environment.text("mount.file_system"),
    ];
    facts.extend(device.into_iter().flatten().map(str::to_string));
    facts.push(words.sentence(&Statement::new("page-plan-name").name("plan", &summary.plan.name)));
    let state = match wording::state_text(summary, words) {
        None => String::new(),
        Some(text) => format!("<p class=\"state\">{}</p>\n", escape(&text)),
    };
    format!(
        "<p class=\"what\">{}</p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n{state}",
        escape(&words.plan_title(&summary.plan.name, &summary.plan.title)),
        escape(&wording::subject_text(&summary.plan, environment)),
        facts
            .iter()
            .map(|fact| escape(fact))
            .collect::<Vec<_>>()
            .join(" · ")
    )
}
