//! What page does a storage engineer send to a colleague? One HTML file that needs nothing else: verdict, findings, figures, tables, environment.

mod comparison;
mod connections;
mod copies;
mod environment;
mod findings;
mod matrices;
mod method;
mod plan;
mod recordings;
mod scaling;
mod steps;
mod tables;
mod trend;
mod verdict;
mod waterfall;

use std::fmt::Write;

use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::chart::Subject;
use crate::charts::CHARTS;
use crate::escape::escape;
use crate::figure::Figure;
use crate::{svg, wording};
pub use comparison::{comparison_html, copy_test_html};
pub use recordings::{explained_html, trace_html, watched_html};
pub use trend::trend_html;
pub use waterfall::waterfall_html;

const STYLE: &str = include_str!("report/page.css");

/// Opens what is folded before the page goes to paper, and folds it again after; without it, the style sheet does what browsers allow.
const PRINT: &str = "addEventListener('beforeprint',()=>document.querySelectorAll('details:not([open])').forEach(d=>{d.open=true;d.dataset.folded=1}));\
addEventListener('afterprint',()=>document.querySelectorAll('details[data-folded]').forEach(d=>{d.open=false;delete d.dataset.folded}));";

/// What stands on a page: title, a header, sections and a footer; all but the title are HTML already.
struct PageFrame<'a> {
    words: Words,
    title: String,
    plumb_version: &'a str,
    header: String,
    /// Id, label of the heading, and body; a section with an empty body is left out.
    sections: Vec<(&'static str, &'static str, String)>,
    footer: String,
}

impl PageFrame<'_> {
    fn html(mut self) -> String {
        self.sections.retain(|(_, _, body)| !body.is_empty());
        // A plumb line: the mark of the program.
        let mark = "<svg class=\"mark\" viewBox=\"0 0 24 32\" aria-hidden=\"true\"><path d=\"M12 0V15\"/><path class=\"bob\" d=\"M9.5 15h5v2.2h3.3L12 32 6.2 17.2h3.3z\"/></svg>";
        let mut out = format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"plumb {}\">\n<title>{}</title>\n\
             <style>\n{STYLE}{}</style>\n</head>\n<body>\n<header>\n{mark}\n<div>\n{}</div>\n</header>\n<nav aria-label=\"{}\">",
            self.words.language().tag(),
            escape(self.plumb_version),
            escape(&self.title),
            svg::STYLE,
            self.header,
            escape(&self.words.label("label-sections"))
        );
        for (id, heading, _) in &self.sections {
            let _ = write!(
                out,
                "<a href=\"#{id}\">{}</a>",
                escape(&self.words.label(heading))
            );
        }
        out.push_str("</nav>\n<main>\n");
        for (id, heading, body) in &self.sections {
            let _ = writeln!(
                out,
                "<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>",
                escape(&self.words.label(heading))
            );
        }
        let _ = write!(
            out,
            "</main>\n<footer>{}</footer>\n<script>{PRINT}</script>\n</body>\n</html>\n",
            self.footer
        );
        out
    }
}

/// The whole page.
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
        sections: sections(subject),
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

/// Everything between header and footer: id, label of the heading, and body.
fn sections(subject: &Subject) -> Vec<(&'static str, &'static str, String)> {
    let (summary, words) = (subject.summary, subject.words);
    let figures: Vec<Figure> = CHARTS
        .iter()
        .filter_map(|chart| (chart.figure)(subject))
        .collect();
    let figures = figures_section(&figures, words);
    let matrices = matrices::section(&subject.plots.matrices, words);
    let environment = environment::section(&summary.environment, words);
    vec![
        ("verdict", "label-verdict", verdict::section(summary, words)),
        (
            "findings",
            "label-findings",
            findings::section(&summary.findings, words),
        ),
        ("figures", "label-figures", figures),
        ("matrices", "label-by-two-keys", matrices),
        (
            "scaling",
            "label-scaling",
            scaling::section(&summary.scaling, words),
        ),
        (
            "steps",
            "label-all-steps-heading",
            steps::section(summary, words),
        ),
        (
            "connections",
            "label-connections",
            connections::section(summary, words),
        ),
        (
            "method",
            "label-how-it-was-measured",
            method::section(subject),
        ),
        (
            "plan",
            "label-the-plan",
            plan::section(&summary.plan, words),
        ),
        ("ground", "label-environment", environment),
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

fn figures_section(figures: &[Figure], words: Words) -> String {
    let mut out = String::new();
    for (place, figure) in figures.iter().enumerate() {
        // Several figures of one chart are numbered: an id stands once on a page.
        let earlier = figures[..place]
            .iter()
            .filter(|other| other.name == figure.name)
            .count();
        let id = if earlier == 0 {
            figure.name.to_string()
        } else {
            format!("{}-{}", figure.name, earlier + 1)
        };
        let _ = write!(
            out,
            "<figure id=\"{}\">\n<h3>{}</h3>\n<div class=\"drawing\">{}</div>\n<figcaption>{}</figcaption>\n\
             <details class=\"figures\"><summary>{}</summary>\n{}</details>\n</figure>\n",
            id,
            escape(&figure.title),
            svg::inline_as(figure, &id),
            escape(&figure.caption),
            escape(&words.label("label-these-figures-as-a-table")),
            tables::html(&figure.table)
        );
    }
    if out.is_empty() {
        format!("<p>{}</p>\n", escape(&words.label("label-nothing-to-draw")))
    } else {
        out
    }
}
