//! What is the frame and order of every page? Headline, summary, verdict, first figure, then the rest.

use std::fmt::Write;

use plumb_words::Words;

use super::tables;
use crate::escape::{escape, json_text};
use crate::figure::Figure;
use crate::svg;

pub(crate) const STYLE: &str = include_str!("page/page.css");

/// A plumb line: the logo.
pub(crate) const MARK: &str = "<svg class=\"mark\" viewBox=\"0 0 24 32\" aria-hidden=\"true\"><path d=\"M12 0V15\"/><path class=\"bob\" d=\"M9.5 15h5v2.2h3.3L12 32 6.2 17.2h3.3z\"/></svg>";

/// The script that makes figures interactive; without it they are static.
const SCRIPT: &str = concat!("\n", include_str!("page/page.js"));

/// Every script that a page may contain. A server of pages allows these and no others.
pub const SCRIPTS: &[&str] = &[SCRIPT];

/// Content of a page: title, header, sections and footer; all but the title are HTML.
pub(super) struct PageFrame<'a> {
    pub words: Words,
    pub title: String,
    pub plumb_version: &'a str,
    pub header: String,
    /// The main figures in a grid, below the headline; may be empty.
    pub summary: String,
    /// Id, label of the heading, and body; a section with an empty body is left out, and one without a label has no heading. The
    /// verdict and the first figure come first: they are visible without scrolling.
    pub sections: Vec<(&'static str, &'static str, String)>,
    pub footer: String,
}

impl PageFrame<'_> {
    pub(super) fn html(mut self) -> String {
        self.sections.retain(|(_, _, body)| !body.is_empty());
        let mut out = format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"plumb {}\">\n<title>{}</title>\n\
             <style>\n{STYLE}</style>\n<style id=\"figure-style\">\n{}</style>\n</head>\n<body>\n<header>\n{MARK}\n<div>\n{}</div>\n</header>\n",
            self.words.language().tag(),
            escape(self.plumb_version),
            escape(&self.title),
            svg::STYLE,
            self.header
        );
        self.navigation(&mut out);
        out.push_str("<main>\n");
        // The summary is next to the verdict if there is room, else above it.
        let lead = usize::from(!self.summary.is_empty());
        if lead > 0 {
            let _ = writeln!(
                out,
                "<div class=\"lead\">\n<div id=\"summary\">\n{}</div>",
                self.summary
            );
        }
        for (place, (id, heading, body)) in self.sections.iter().enumerate() {
            let _ = writeln!(out, "<section id=\"{id}\">");
            if !heading.is_empty() {
                let _ = writeln!(out, "<h2>{}</h2>", escape(&self.words.label(heading)));
            }
            let _ = writeln!(out, "{body}</section>");
            if place + 1 == lead {
                out.push_str("</div>\n");
            }
        }
        let _ = write!(
            out,
            "</main>\n<footer>{}</footer>\n<script type=\"application/json\" id=\"words\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
            self.footer,
            script_words(self.words)
        );
        out
    }

    fn navigation(&self, out: &mut String) {
        let sections = escape(&self.words.label("label-sections"));
        let _ = write!(out, "<nav aria-label=\"{sections}\">");
        let named = |section: &&(&str, &str, String)| !section.1.is_empty();
        for (id, heading, _) in self.sections.iter().filter(named) {
            let heading = escape(&self.words.label(heading));
            let _ = write!(out, "<a href=\"#{id}\">{heading}</a>");
        }
        out.push_str("</nav>\n");
    }
}

/// The texts of the script, as JSON.
fn script_words(words: Words) -> String {
    let texts = [
        ("auto", words.label("label-theme-auto")),
        ("light", words.label("label-theme-light")),
        ("dark", words.label("label-theme-dark")),
        ("theme", words.label("label-theme")),
        ("linear", words.label("label-scale-linear")),
        ("logarithmic", words.label("label-scale-logarithmic")),
        ("scale", words.label("label-scale")),
        ("reset", words.label("label-zoom-reset")),
        ("zoom", words.label("label-zoom")),
        ("svg", words.label("label-save-svg")),
        ("png", words.label("label-save-png")),
        ("csv", words.label("label-save-csv")),
        ("copy", words.label("label-copy")),
        ("copied", words.label("label-copied")),
        ("not_copied", words.label("label-not-copied")),
        ("copied_what", words.label("label-copy-what")),
    ];
    let texts = texts.map(|(name, text)| format!("\"{name}\":{}", json_text(&text)));
    format!("{{{}}}", texts.join(","))
}

/// The figures of a page as HTML.
pub(super) struct Drawn {
    /// The first, below the verdict; a note if there is nothing to draw.
    pub first: String,
    /// All others; may be empty.
    pub rest: String,
}

impl Drawn {
    pub(super) fn new(figures: &[Figure], words: Words) -> Drawn {
        let mut drawn = Drawn {
            first: String::new(),
            rest: String::new(),
        };
        for (place, figure) in figures.iter().enumerate() {
            // Several figures of one chart are numbered: ids are unique on a page.
            let earlier = figures[..place]
                .iter()
                .filter(|other| other.name == figure.name)
                .count();
            let id = match earlier {
                0 => figure.name.to_string(),
                _ => format!("{}-{}", figure.name, earlier + 1),
            };
            let html = block(figure, &id, words);
            match place {
                0 => drawn.first = html,
                _ => drawn.rest += &html,
            }
        }
        if figures.is_empty() {
            let nothing = escape(&words.label("label-nothing-to-draw"));
            drawn.first = format!("<p>{nothing}</p>\n");
        }
        drawn
    }
}

/// One figure with its heading, how to read it, and its values as a table.
pub(super) fn block(figure: &Figure, id: &str, words: Words) -> String {
    let table = match figure.table.rows.is_empty() {
        true => String::new(),
        false => format!(
            "<details class=\"figures\"><summary>{}</summary>\n{}</details>\n",
            escape(&words.label("label-these-figures-as-a-table")),
            tables::html(&figure.table)
        ),
    };
    let (drawing, values) = svg::inline_for_script(figure, id);
    format!(
        "<figure id=\"{id}\">\n<h3>{}</h3>\n<div class=\"drawing\" tabindex=\"0\">{drawing}</div>\n<figcaption>{}</figcaption>\n\
         {table}<script type=\"application/json\" class=\"data\">{values}</script>\n</figure>\n",
        escape(&figure.title),
        escape(&figure.caption)
    )
}
