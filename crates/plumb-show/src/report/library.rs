//! What is on the page of a library? The latest run of each plan and target, and all runs in a table with a filter, each with its page.

use std::fmt::Write;

use plumb_model::run::library::{Library, Listing};
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::page::PageFrame;
use crate::escape::escape;
use crate::wording::{MISSING, date_text};

/// A run of the library with additions for the index.
pub struct IndexedRun<'a> {
    pub listing: &'a Listing,
    /// The first sentence of its verdict; missing if there is none or the run was not read.
    pub headline: Option<String>,
    /// Address of its page relative to the index; missing if there is none.
    pub page: Option<String>,
}

/// The page; `runs` are those of the library, in its order, newest first.
pub fn library_html(
    library: &Library,
    runs: &[IndexedRun],
    plumb_version: &str,
    words: Words,
) -> String {
    let folders = library.searched.join(", ");
    let count = runs.len() as u64;
    let title = Statement::new("library-title")
        .count("count", count)
        .name("folders", &folders);
    let footer = Statement::new("library-footer").name("version", plumb_version);
    let latest = latest(runs);
    // With one run of each there is no latest one.
    let latest = match latest.len() < runs.len() {
        true => table(&latest, None, words),
        false => String::new(),
    };
    let all = match runs.is_empty() {
        true => format!("<p>{}</p>\n", escape(&words.label("label-library-none"))),
        false => table(&runs.iter().collect::<Vec<_>>(), Some("all-runs"), words),
    };
    PageFrame {
        words,
        title: words.sentence(&title),
        plumb_version,
        header: format!(
            "<p class=\"what\">{}</p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n",
            escape(&words.label("label-library-page")),
            escape(&folders),
            escape(&words.sentence(&counted(runs)))
        ),
        summary: String::new(),
        sections: vec![
            ("latest", "label-library-latest", latest),
            ("all", "label-library-all", all),
            (
                "unreadable",
                "label-library-unreadable",
                unreadable(library),
            ),
        ],
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

/// Number of runs, plans and targets.
fn counted(runs: &[IndexedRun]) -> Statement {
    let different = |text: fn(&Listing) -> &str| {
        let mut texts: Vec<&str> = runs.iter().map(|run| text(run.listing)).collect();
        texts.sort_unstable();
        texts.dedup();
        texts.len() as u64
    };
    Statement::new("library-runs")
        .count("count", runs.len() as u64)
        .count("plans", different(|run| &run.plan))
        .count("targets", different(|run| &run.target))
}

/// The newest run of each plan, target and host.
fn latest<'a, 'b>(runs: &'b [IndexedRun<'a>]) -> Vec<&'b IndexedRun<'a>> {
    let mut kept: Vec<&IndexedRun> = Vec::new();
    for run in runs {
        let same = |other: &&IndexedRun| {
            let (a, b) = (other.listing, run.listing);
            (&a.plan, &a.target, &a.host) == (&b.plan, &b.target, &b.host)
        };
        if !kept.iter().any(same) {
            kept.push(run);
        }
    }
    kept
}

/// The runs in a table; with an id it can be filtered.
fn table(runs: &[&IndexedRun], id: Option<&str>, words: Words) -> String {
    let mut out = String::new();
    let marked = match id {
        Some(id) => {
            let filter = escape(&words.label("label-library-filter"));
            let _ = writeln!(
                out,
                "<input type=\"search\" data-filters=\"{id}\" placeholder=\"{filter}\" aria-label=\"{filter}\" hidden>"
            );
            format!(" id=\"{id}\"")
        }
        None => String::new(),
    };
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"library\"{marked}>\n<thead><tr>"
    );
    // A column without values is left out.
    let some = |text: fn(&Listing) -> bool| runs.iter().any(|run| text(run.listing));
    let shown = Shown {
        tags: some(|run| !run.tags.is_empty()),
        state: some(|run| run.state != "finished"),
    };
    let titles = [
        Some("label-list-started"),
        Some("label-list-plan"),
        Some("label-list-target"),
        Some("label-verdict"),
        Some("label-list-host"),
        shown.tags.then_some("label-list-tags"),
        shown.state.then_some("label-list-state"),
        Some("label-list-folder"),
    ];
    for title in titles.into_iter().flatten() {
        let _ = write!(
            out,
            "<th scope=\"col\">{}</th>",
            escape(&words.label(title))
        );
    }
    out += "</tr></thead>\n<tbody>\n";
    for run in runs {
        out += &row(run, &shown);
    }
    out + "</tbody></table></div>\n"
}

/// Columns shown only if a run has a value.
struct Shown {
    tags: bool,
    state: bool,
}

fn row(run: &IndexedRun, shown: &Shown) -> String {
    let listing = run.listing;
    let started: String = date_text(&listing.started).chars().take(19).collect();
    let started = match &run.page {
        Some(page) => format!("<a href=\"{}\">{}</a>", escape(page), escape(&started)),
        None => escape(&started),
    };
    let state = match listing.state.as_str() {
        "finished" => "",
        state => state,
    };
    let cell = |shown: bool, text: &str| match shown {
        true => format!("<td>{}</td>", escape(text)),
        false => String::new(),
    };
    format!(
        "<tr><th scope=\"row\">{started}</th><td>{}</td><td>{}</td><td class=\"p\">{}</td><td>{}</td>{}{}<td><code>{}</code></td></tr>\n",
        escape(&listing.plan),
        escape(&listing.target),
        escape(run.headline.as_deref().unwrap_or(MISSING)),
        escape(listing.host.as_deref().unwrap_or(MISSING)),
        cell(shown.tags, &listing.tags.join(" ")),
        cell(shown.state, state),
        escape(&listing.folder)
    )
}

fn unreadable(library: &Library) -> String {
    let items = library.unreadable.iter();
    let items: String = items
        .map(|why| format!("<li>{}</li>\n", escape(why)))
        .collect();
    match items.is_empty() {
        true => items,
        false => format!("<ul class=\"remarks\">\n{items}</ul>\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(folder: &str, plan: &str) -> Listing {
        Listing {
            headline: None,
            folder: folder.into(),
            id: folder.into(),
            started: "2026-11-20T03:00:00Z".into(),
            started_unix_ns: 1,
            plan: plan.into(),
            target: "/mnt/<data>".into(),
            host: None,
            kernel: None,
            tags: vec!["nightly".into()],
            steps: 1,
            rounds: 1,
            state: "finished".into(),
            side_of: None,
        }
    }

    #[test]
    fn the_newest_of_each_stands_first_and_names_are_harmless() {
        let listings = [
            listing("c", "check"),
            listing("b", "depth"),
            listing("a", "check"),
        ];
        let library = Library {
            schema: String::new(),
            searched: vec!["lib".into()],
            runs: listings.to_vec(),
            unreadable: vec!["x: no <run>".into()],
            found: 3,
        };
        let runs: Vec<IndexedRun> = listings
            .iter()
            .map(|listing| IndexedRun {
                listing,
                headline: Some("92,000 IOPS </script>".into()),
                page: Some(format!("{}/report.html", listing.folder)),
            })
            .collect();
        let page = library_html(&library, &runs, "0.1", Words::english());
        let latest = page.split("id=\"all\"").next().unwrap_or_default();
        assert_eq!(latest.matches("<tr><th scope=\"row\">").count(), 2);
        assert!(!latest.contains("a/report.html") && page.contains("a/report.html"));
        assert!(page.contains("3 runs of 2 plans on one target"), "counted");
        assert!(!page.contains("<data>") && !page.contains("IOPS </script>"));
    }
}
