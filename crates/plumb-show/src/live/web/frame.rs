//! What is the frame of every page of `plumb serve`? Head, title, link to the library.

use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::escape::escape;
use crate::{report, svg};

const STYLE: &str = include_str!("web.css");

/// Settings shared by all pages of one server.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    pub words: Words,
    pub plumb_version: &'a str,
    /// Token that the script must send in a header with changing requests; missing if nothing may be changed.
    pub key: Option<&'a str>,
    /// The browser may load the script: without login only the login page is served.
    pub has_script: bool,
}

/// A page: the title is a text, the body is HTML.
pub(super) fn page(site: Site, title: &str, body: &str) -> String {
    let words = site.words;
    let library = words.label("label-web-library");
    let way_back = if title == library {
        "plumb".to_string()
    } else {
        escape(&library)
    };
    let title_of_page = words.sentence(&Statement::new("web-title").name("title", title));
    let script = if site.has_script {
        "<script src=\"/script.js\" defer></script>\n"
    } else {
        ""
    };
    let key = site.key.map_or_else(String::new, |key| {
        format!("<meta name=\"plumb-key\" content=\"{}\">\n", escape(key))
    });
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"plumb {}\">\n{key}<title>{}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n{}{}{STYLE}</style>\n{script}</head>\n<body class=\"web\">\n\
         <header>\n{}\n<div><p class=\"what\"><a href=\"/\">{}</a></p>\n<h1>{}</h1></div>\n</header>\n<main>\n{body}</main>\n</body>\n</html>\n",
        words.language().tag(),
        escape(site.plumb_version),
        escape(&title_of_page),
        report::STYLE,
        svg::STYLE,
        report::MARK,
        way_back,
        escape(title),
    )
}
