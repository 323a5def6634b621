//! Which pages does `plumb serve` make? The list of runs, a running run, choices, and messages.

mod frame;
mod library;
mod live;

use std::fmt::Write;

use crate::escape::escape;
pub use frame::Site;
use frame::page;
pub use library::{
    Choice, Filters, LibraryPage, Row, RowFigures, RunForm, choices_html, library_html,
};
pub use live::{LivePage, live_html, live_part, waiting_html};

/// The script of these pages: it refreshes a part of a page, and sends requests to start and stop a run.
pub const SCRIPT: &str = include_str!("web/web.js");

/// A page with one message and content below it.
pub fn message_html(site: Site, message: &str) -> String {
    let title = site.words.label("label-web-message");
    page(
        site,
        &title,
        &format!("<p class=\"state\">{}</p>\n", escape(message)),
    )
}

/// A page that asks for the token.
pub fn token_html(site: Site, message: &str) -> String {
    let words = site.words;
    let form = format!(
        "<p class=\"state\">{}</p>\n<form class=\"filters\" action=\"/login\" method=\"post\">\n<label>{}<input name=\"token\" type=\"password\" autocomplete=\"off\" required></label>\n<p><button>{}</button></p>\n</form>\n",
        escape(message),
        escape(&words.label("label-web-token-field")),
        escape(&words.label("label-web-enter")),
    );
    page(site, &words.label("label-web-message"), &form)
}

/// The report page of a run or a comparison as served: with a link back above it. The page is self-contained.
pub fn framed(html: &str, site: Site, links: &[(String, String)]) -> String {
    let mut bar = format!(
        "<style>{}</style>\n<p class=\"serve-bar\"><a href=\"/\">← {}</a>",
        "body>.serve-bar{margin:0 0 1rem;font-size:.93rem}.serve-bar a{margin-right:1.3rem}@media print{.serve-bar{display:none}}",
        escape(&site.words.label("label-web-library"))
    );
    for (address, label) in links {
        let _ = write!(
            bar,
            " <a href=\"{}\">{}</a>",
            escape(address),
            escape(label)
        );
    }
    bar.push_str("</p>\n");
    // A text of a record cannot contain the element: it is escaped.
    html.replacen("<body>\n", &format!("<body>\n{bar}"), 1)
}
