//! Which runs are stored, with which results? A table with filters; runs can be selected and compared.

use std::fmt::Write;

use plumb_model::results::headline::{Headline, HeadlineFigure};
use plumb_model::run::library::Listing;
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::frame::{Site, page};
use crate::escape::escape;
use crate::figure::Quantity;
use crate::wording::{date_text, with_micro_sign};

/// Filters of the list, as entered by the user; empty: no filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filters {
    pub plan: String,
    pub target: String,
    pub host: String,
    pub tag: String,
    pub since: String,
    pub until: String,
}

/// The figures of one row.
#[derive(Debug, Clone)]
pub enum RowFigures {
    Known(Headline),
    /// Not read yet.
    Pending,
    /// The record cannot be read, with the reason.
    Unreadable(String),
}

/// One run.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its id on the server.
    pub key: String,
    pub listing: Listing,
    /// The run is still running.
    pub is_recorded_now: bool,
    pub figures: RowFigures,
}

/// Plans and targets that a browser may start.
#[derive(Debug, Clone, Copy)]
pub struct RunForm<'a> {
    pub plans: &'a [String],
    pub targets: &'a [String],
    /// One is running: its id.
    pub current: Option<&'a str>,
    /// Why the last one failed to start.
    pub failure: Option<&'a str>,
}

/// Content of the page.
#[derive(Debug, Clone)]
pub struct LibraryPage<'a> {
    pub rows: Vec<Row>,
    pub filters: Filters,
    /// Why a filter is invalid.
    pub misunderstood: Vec<String>,
    /// Existing names, for the filters.
    pub plans: Vec<String>,
    pub hosts: Vec<String>,
    pub tags: Vec<String>,
    /// Number of matching runs, and of all runs.
    pub fitting: usize,
    pub found: usize,
    /// From 1.
    pub page: usize,
    pub pages: usize,
    /// The filters as a query, without a leading sign; for links.
    pub query: String,
    pub unreadable: Vec<String>,
    pub links: usize,
    pub run: Option<RunForm<'a>>,
}

/// Folders listed before the rest is only counted.
const UNREADABLE_MAX: usize = 5;

/// The page.
pub fn library_html(site: Site, of: &LibraryPage) -> String {
    let words = site.words;
    let mut body = String::new();
    if let Some(run) = &of.run {
        body += &run_form(run, words);
    }
    body += &filter_form(of, words);
    for text in &of.misunderstood {
        let _ = writeln!(body, "<p class=\"state\">{}</p>", escape(text));
    }
    let again = if of.query.is_empty() {
        format!("/?page={}", of.page)
    } else {
        format!("/?{}&page={}", of.query, of.page)
    };
    let _ = write!(
        body,
        "<div id=\"runs\" data-again=\"{}\" data-slowly>\n{}</div>\n",
        escape(&again),
        runs(of, words)
    );
    page(site, &words.label("label-web-library"), &body)
}

/// The part that changes while the page is open.
fn runs(of: &LibraryPage, words: Words) -> String {
    let count = if of.found > of.fitting {
        Statement::new("list-runs-of")
            .count("shown", of.fitting as u64)
            .count("found", of.found as u64)
    } else {
        Statement::new("list-runs").count("runs", of.fitting as u64)
    };
    let mut out = format!("<p class=\"tally\">{}", escape(&words.sentence(&count)));
    if of.fitting > 1 {
        let trend = if of.query.is_empty() {
            "/trend".to_string()
        } else {
            format!("/trend?{}", of.query)
        };
        let _ = write!(
            out,
            " · <a href=\"{}\">{}</a>",
            escape(&trend),
            escape(&words.label("label-web-trend"))
        );
    }
    out.push_str("</p>\n");
    let pending = of
        .rows
        .iter()
        .filter(|row| matches!(row.figures, RowFigures::Pending) && !row.is_recorded_now)
        .count();
    if pending > 0 {
        let statement = Statement::new("web-pending").count("count", pending as u64);
        let _ = writeln!(
            out,
            "<p class=\"note\">{}</p>",
            escape(&words.sentence(&statement))
        );
    }
    if of.rows.is_empty() {
        let label = if of.found == 0 {
            "label-web-empty"
        } else {
            "label-web-none"
        };
        let _ = writeln!(out, "<p>{}</p>", escape(&words.label(label)));
    } else {
        out += &table(of, words);
        out += &pages(of, words);
    }
    out + &notes(of, words)
}

fn notes(of: &LibraryPage, words: Words) -> String {
    let mut out = String::new();
    for text in of.unreadable.iter().take(UNREADABLE_MAX) {
        let statement = Statement::new("list-not-read").part("why", Statement::verbatim(text));
        let _ = writeln!(
            out,
            "<p class=\"doubt\">{}</p>",
            escape(&words.sentence(&statement))
        );
    }
    if of.unreadable.len() > UNREADABLE_MAX {
        let statement = Statement::new("list-more-not-read")
            .count("folders", (of.unreadable.len() - UNREADABLE_MAX) as u64);
        let _ = writeln!(
            out,
            "<p class=\"doubt\">{}</p>",
            escape(&words.sentence(&statement))
        );
    }
    if of.links > 0 {
        let statement = Statement::new("web-links").count("count", of.links as u64);
        let _ = writeln!(
            out,
            "<p class=\"note\">{}</p>",
            escape(&words.sentence(&statement))
        );
    }
    out
}

fn table(of: &LibraryPage, words: Words) -> String {
    let label = |id: &str| escape(&words.label(id));
    let mut out = format!(
        "<form action=\"/compare\" method=\"get\">\n<div class=\"scroll\" tabindex=\"0\"><table class=\"runs\">\n<thead><tr><th><span class=\"unseen\">{}</span></th><th>{}</th><th>{}</th><th>{}</th><th>{}</th>\
         <th class=\"n\">{}</th><th class=\"n\">{}</th><th class=\"n\">{}</th><th>{}</th><th>{}</th></tr></thead>\n<tbody>\n",
        label("label-web-choose"),
        label("label-list-started"),
        label("label-list-plan"),
        label("label-list-target"),
        label("label-list-host"),
        label("label-web-bandwidth"),
        label("label-web-iops"),
        label("label-web-latency"),
        label("label-list-tags"),
        label("label-list-state"),
    );
    of.rows.iter().for_each(|row| out += &table_row(row, words));
    let _ = write!(
        out,
        "</tbody></table></div>\n<p class=\"actions\"><button>{}</button> <span class=\"note\">{}</span></p>\n</form>\n",
        label("label-web-compare"),
        label("label-web-best-of")
    );
    out
}

fn table_row(row: &Row, words: Words) -> String {
    let Row {
        key,
        listing,
        is_recorded_now,
        figures,
    } = row;
    let date: String = date_text(&listing.started).chars().take(16).collect();
    let date = if date.is_empty() {
        listing.folder.clone()
    } else {
        date
    };
    let address = if *is_recorded_now {
        format!("/run/{key}/live")
    } else {
        format!("/run/{key}")
    };
    let cells = match figures {
        RowFigures::Known(headline) => figure_cells(headline, words),
        RowFigures::Pending => "<td class=\"n\" colspan=\"3\">…</td>".to_string(),
        RowFigures::Unreadable(why) => {
            format!("<td class=\"p doubt\" colspan=\"3\">{}</td>", escape(why))
        }
    };
    let state = if *is_recorded_now {
        format!(
            "<a class=\"now\" href=\"{}\">{}</a>",
            escape(&address),
            escape(&words.label("label-web-running"))
        )
    } else {
        match listing.state.as_str() {
            "finished" => String::new(),
            "interrupted" => escape(&words.label("label-web-interrupted")),
            _ => escape(&words.label("label-web-incomplete")),
        }
    };
    let errors = match figures {
        RowFigures::Known(headline) if headline.errors > 0 => {
            let statement = Statement::new("live-errors").count("count", headline.errors);
            format!(
                " <span class=\"doubt\">{}</span>",
                escape(&words.sentence(&statement))
            )
        }
        _ => String::new(),
    };
    format!(
        "<tr><td><input type=\"checkbox\" name=\"run\" value=\"{0}\" aria-label=\"{1} {2}\"></td><th><a href=\"{3}\">{2}</a></th><td>{1}</td><td title=\"{6}\">{6}</td><td>{4}</td>\
         {cells}<td>{5}</td><td>{state}{errors}</td></tr>\n",
        escape(key),
        escape(&listing.plan),
        escape(&date),
        escape(&address),
        escape(listing.host.as_deref().unwrap_or_default()),
        escape(&listing.tags.join(" ")),
        escape(&listing.target),
    )
}

fn figure_cells(headline: &Headline, words: Words) -> String {
    let cell = |title: String, figure: &Option<HeadlineFigure>, quantity: Quantity| match figure {
        Some(figure) => format!(
            "<td class=\"n\" data-label=\"{}\">{}<small>{}</small></td>",
            escape(&title),
            escape(&with_micro_sign(&quantity.text(figure.value))),
            escape(&figure.step)
        ),
        None => "<td class=\"n\"></td>".to_string(),
    };
    cell(
        words.label("label-web-bandwidth"),
        &headline.bandwidth_bytes_per_s,
        Quantity::Bandwidth,
    ) + &cell(
        words.label("label-web-iops"),
        &headline.iops,
        Quantity::OperationsPerSecond,
    ) + &cell(
        words.label("label-web-latency"),
        &headline.p50_ns,
        Quantity::Latency,
    )
}

fn pages(of: &LibraryPage, words: Words) -> String {
    if of.pages < 2 {
        return String::new();
    }
    let statement = Statement::new("web-page")
        .count("page", of.page as u64)
        .count("pages", of.pages as u64);
    let link = |page: usize, id: &str| {
        let separator = if of.query.is_empty() { "" } else { "&" };
        let address = format!("/?{}{separator}page={page}", of.query);
        format!(
            " <a href=\"{}\">{}</a>",
            escape(&address),
            escape(&words.label(id))
        )
    };
    let mut out = format!("<p class=\"pages\">{}", escape(&words.sentence(&statement)));
    if of.page > 1 {
        out += &link(of.page - 1, "label-web-newer");
    }
    if of.page < of.pages {
        out += &link(of.page + 1, "label-web-older");
    }
    out + "</p>\n"
}

fn filter_form(of: &LibraryPage, words: Words) -> String {
    let label = |id: &str| escape(&words.label(id));
    let list = |id: &str, values: &[String]| {
        let options: String = values
            .iter()
            .map(|value| format!("<option value=\"{}\">", escape(value)))
            .collect();
        format!("<datalist id=\"{id}\">{options}</datalist>")
    };
    let field = |name: &str, title: String, value: &str, more: &str| {
        format!(
            "<label>{title}<input name=\"{name}\" value=\"{}\" {more}></label>\n",
            escape(value)
        )
    };
    let filters = &of.filters;
    format!(
        "<form class=\"filters\" action=\"/\" method=\"get\">\n{}{}{}{}{}{}{}{}{}<p><button>{}</button> <a href=\"/\">{}</a></p>\n</form>\n",
        field(
            "plan",
            label("label-list-plan"),
            &filters.plan,
            "list=\"plans\""
        ),
        field("target", label("label-list-target"), &filters.target, ""),
        field(
            "host",
            label("label-list-host"),
            &filters.host,
            "list=\"hosts\""
        ),
        field("tag", label("label-web-tag"), &filters.tag, "list=\"tags\""),
        field(
            "since",
            label("label-web-since"),
            &filters.since,
            "placeholder=\"2026-11-01, 7d\" size=\"12\""
        ),
        field(
            "until",
            label("label-web-until"),
            &filters.until,
            "placeholder=\"2026-11-30\" size=\"12\""
        ),
        list("plans", &of.plans),
        list("hosts", &of.hosts),
        list("tags", &of.tags),
        label("label-web-filter"),
        label("label-web-all"),
    )
}

fn run_form(run: &RunForm, words: Words) -> String {
    let label = |id: &str| escape(&words.label(id));
    let options = |values: &[String]| -> String {
        let of = |(index, value): (usize, &String)| {
            format!("<option value=\"{index}\">{}</option>", escape(value))
        };
        values.iter().enumerate().map(of).collect()
    };
    let mut out = format!(
        "<section class=\"start\">\n<h2>{}</h2>\n",
        label("label-web-start")
    );
    if let Some(current) = run.current {
        let _ = writeln!(
            out,
            "<p class=\"state\"><a href=\"/running\">{}</a> <button data-post=\"/stop\">{}</button></p>",
            escape(current),
            label("label-web-stop")
        );
    } else {
        let _ = write!(
            out,
            "<form class=\"filters\" data-post=\"/start\">\n<label>{}<select name=\"plan\">{}</select></label>\n<label>{}<select name=\"target\">{}</select></label>\n\
             <p><button>{}</button></p>\n</form>\n<noscript><p class=\"note\">{}</p></noscript>\n",
            label("label-list-plan"),
            options(run.plans),
            label("label-list-target"),
            options(run.targets),
            label("label-web-start-button"),
            label("label-web-needs-script"),
        );
    }
    if let Some(failure) = run.failure {
        let _ = writeln!(out, "<p class=\"state doubt\">{}</p>", escape(failure));
    }
    out + "<p class=\"state doubt\" data-answer hidden></p>\n</section>\n"
}

/// One of several choices for a trend.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub name: String,
    pub runs: usize,
    pub address: String,
}

/// A page to choose what the trend is for.
pub fn choices_html(site: Site, choices: &[Choice]) -> String {
    let words = site.words;
    let mut body = format!(
        "<p>{}</p>\n<ul class=\"choices\">\n",
        escape(&words.label("label-web-choose-one"))
    );
    for choice in choices {
        let statement = Statement::new("list-runs").count("runs", choice.runs as u64);
        let _ = writeln!(
            body,
            "<li><a href=\"{}\">{}</a> <span class=\"note\">{}</span></li>",
            escape(&choice.address),
            escape(&choice.name),
            escape(&words.sentence(&statement))
        );
    }
    page(site, &words.label("label-web-trend"), &(body + "</ul>\n"))
}
